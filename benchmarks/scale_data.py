"""The made collections of `scale`: RCV1-like, of several sizes, each made once and kept in a folder."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from jobs_scale import rows_folder
from matrices import load, save, x_bytes
from synthetic import planted_topics

__all__ = ["Collections"]


@dataclass(frozen=True)
class Collections:
    """Makes collections where they are not there yet.

    Parameters
    ----------
    place : folder that keeps them
    small : whether to make tiny ones, to see that everything runs
    share : part of the records of each size, to try
    """

    place: Path
    small: bool = False
    share: float = 1.0

    @property
    def n_components(self) -> int:
        """Dimensions of the spaces."""
        return 15 if self.small else 100

    @property
    def middle(self) -> int:
        """Records of the size that others are compared at."""
        return 3_000 if self.small else round(200_000 * self.share)

    @property
    def sizes(self) -> tuple[int, ...]:
        """Records of each size, the largest last."""
        if self.small:
            return (1_500, 3_000, 6_000)
        return tuple(round(n * self.share) for n in (50_000, 100_000, 200_000, 400_000, 804_414))  # RCV1 has as many

    def folder(self, n_records: int) -> Path:
        """Give the folder of X and Y with so many records."""
        n_terms, n_topics = (2_500, 20) if self.small else (47_236, 100)
        folder = self.place / f"planted-{n_records}-{n_terms}-{n_topics}"
        if not (folder / "made.json").exists():
            folder.mkdir(parents=True, exist_ok=True)
            X, Y = planted_topics(n_records, n_terms=n_terms, n_topics=n_topics, dtype=np.float32)
            save(folder, X, Y)
            made = {"shape": X.shape, "entries": int(X.nnz), "bytes": x_bytes(X), "labels": n_topics}
            (folder / "made.json").write_text(json.dumps(made), encoding="utf-8")  # last: half made is not made
        return folder

    def subjects(self, n_records: int) -> Path:
        """Give a folder with the same X and a vocabulary like that of a library: thousands of labels, most rare.

        Each record has about 2.4 labels, which stand for some of its own words.
        """
        source, n_labels = self.folder(n_records), 1_000 if self.small else 25_000
        folder = self.place / f"subjects-{source.name}"
        if not (folder / "made.json").exists():
            folder.mkdir(parents=True, exist_ok=True)
            X, _ = load(source)
            rng = np.random.default_rng(0)
            n_each = 1 + rng.binomial(3, 0.47, X.shape[0])
            rows = np.repeat(np.arange(X.shape[0]), n_each)
            lengths = np.maximum(np.diff(X.indptr), 1)
            picked = X.indptr[rows] + (rng.random(len(rows)) * lengths[rows]).astype(np.int64)
            labels = X.indices[np.minimum(picked, X.nnz - 1)] * 7 % n_labels
            Y = sp.csr_array((np.ones(len(rows), np.float32), (rows, labels)), shape=(X.shape[0], n_labels))
            Y.sum_duplicates()
            Y.data[:] = 1
            save(folder, X, Y)
            made = {**self._made(n_records), "labels": n_labels}
            (folder / "made.json").write_text(json.dumps(made), encoding="utf-8")
        return folder

    def rows(self, n_records: int) -> Path:
        """Give the folder of X and Y that has X as rows on disk too."""
        folder = self.folder(n_records)
        if not (folder / "rows").exists():
            rows_folder(folder, load(folder)[0])
        return folder

    def bytes_of(self, n_records: int) -> int:
        """Give the memory of X."""
        return int(self._made(n_records)["bytes"])

    def sentence(self, n_records: int) -> str:
        """Say what a collection is, for people."""
        made = self._made(n_records)
        (n, m), size = made["shape"], made["bytes"] / 2**20
        return (
            f"{n:,} records, {m:,} terms, {made['entries']:,} non-zeros, {made['labels']} labels, float32, X takes "
            f"{size:.0f} MiB; k = {self.n_components}."
        )

    def _made(self, n_records: int) -> dict:
        return json.loads((self.folder(n_records) / "made.json").read_text(encoding="utf-8"))
