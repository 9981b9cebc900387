"""How good are the answers of an index? Suggested labels and found records, next to what others would answer.

    OMP_NUM_THREADS=1 python benchmarks/studies/index_answers.py FOLDER [--neural FOLDER] [--write]
    python benchmarks/studies/index_answers.py FOLDER --no-runs --write     # the page again, from numbers kept before

Numbers are kept in a folder as they come, so a run that was stopped goes on; parts and data sets can be run alone. With
`omikuji` and `bm25s` of the extra `studies` these rivals take part. Vectors of a neural model come from
`index_answers_neural.py`.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))  # a study is run as a script and shares files beside it
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from index_answers_data import DATA, load
from index_answers_kept import Kept
from index_answers_page import TITLE, page
from index_answers_runs import run
from pages import DOCS, facts, put_section

__all__ = ["main"]

_PARTS = ("choose", "find", "all", "items", "suggest")


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="How good are the answers of an index?")
    parser.add_argument("folder", type=Path, help="where the numbers are kept")
    parser.add_argument("--data-dir", help="folder of the data sets, TACIT_DATA if not given")
    parser.add_argument("--data", nargs="+", choices=DATA, default=DATA, help="which data sets")
    parser.add_argument("--parts", nargs="+", choices=_PARTS, default=_PARTS, help="which parts")
    parser.add_argument("--queries", type=int, default=2_000, metavar="N", help="new records to search with, at most")
    parser.add_argument("--neural", type=Path, metavar="FOLDER", help="vectors of a neural model")
    parser.add_argument("--small", action="store_true", help="few records, to see that everything runs")
    parser.add_argument("--no-runs", action="store_true", help="take the numbers that are there")
    parser.add_argument("--write", action="store_true", help="write docs/studies/index_answers.md")
    asked = parser.parse_args(arguments)
    if asked.small and asked.write:
        parser.error("--write needs the whole study: got --small too, whose numbers mean little. Leave one out.")
    asked.folder.mkdir(parents=True, exist_ok=True)
    if not asked.no_runs:
        neural = _vectors(asked.neural) if asked.neural else {}
        for name in asked.data:
            data = load(name, asked.data_dir, small=asked.small)
            kept = Kept(asked.folder / f"{name}.json")
            kept.row("sizes", "records", lambda data=data: {"old": len(data.old), "new": len(data.new)})  # type: ignore[misc]
            kept.row("sizes", "labels", lambda data=data: {"all": len(data.labels)})  # type: ignore[misc]
            run(data, kept, neural, asked.parts, asked.queries)
        (asked.folder / "facts.txt").write_text(facts(), encoding="utf-8")
    text = page(_kept_tables(asked.folder), (asked.folder / "facts.txt").read_text(encoding="utf-8"))
    print(text)
    if asked.write:
        put_section(DOCS / "studies/index_answers.md", "study", text, head=TITLE, order=["study"])


def _vectors(folder: Path) -> dict[str, np.ndarray]:
    """Read vectors of a neural model; a file that is not finished yet is left out, and said to be."""
    found = {path.stem: np.load(path) for path in sorted(folder.glob("*.npy"))}
    missing = {name: int(np.isnan(vectors[:, 0]).sum()) for name, vectors in found.items()}
    for name, n_missing in missing.items():
        if n_missing:
            print(f"{name}: left out, {n_missing:,} of {len(found[name]):,} vectors are missing", file=sys.stderr)
    return {name: vectors for name, vectors in found.items() if not missing[name]}


def _kept_tables(folder: Path) -> dict[str, dict[str, dict[str, dict[str, float]]]]:
    """Read what is kept of each data set: tables of rows of figures."""
    paths = {name: folder / f"{name}.json" for name in DATA}
    return {name: json.loads(path.read_text(encoding="utf-8")) for name, path in paths.items() if path.exists()}


if __name__ == "__main__":
    main()
