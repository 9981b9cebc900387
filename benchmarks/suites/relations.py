"""Reading labels in the forms people have them in."""

# ruff: noqa: D102 - asv shows the names of the methods, which say what they do

from __future__ import annotations

import numpy as np

from tacit.relations.labels.matrix import LabelMatrix, as_labels

from .profiles import collection, profile

__all__ = ["ReadLabels"]


class ReadLabels:
    """Labels as sets of names, as a sparse and as a dense 0/1 matrix."""

    params = (("sets", "sparse", "dense"),)
    param_names = ("form",)

    def setup(self, form: str) -> None:
        _, self.Y = collection(profile())
        self.n_records, n_labels = self.Y.shape
        names = np.array([f"topic {label:03d}" for label in range(n_labels)])
        rows = np.split(self.Y.indices, self.Y.indptr[1:-1])
        forms = {
            "sets": lambda: [set(names[row].tolist()) for row in rows],
            "sparse": lambda: self.Y,
            "dense": self.Y.toarray,
        }
        self.labels = forms[form]()

    def time_read(self, form: str) -> None:
        self._read()

    def peakmem_read(self, form: str) -> None:
        self._read()

    def track_wrong_entries(self, form: str) -> int:
        """Count the entries that differ from those the sets were made of; names sort as their columns do."""
        read = self._read().indicator
        used = np.flatnonzero(np.asarray(self.Y.sum(axis=0)).ravel()) if form == "sets" else slice(None)
        return int(abs(read - self.Y[:, used]).count_nonzero())

    def _read(self) -> LabelMatrix:
        return as_labels(self.labels, n_records=self.n_records)
