"""Rows in memory, on disk and on a cluster, and records that come later: time, memory, and the same space."""

# ruff: noqa: D102 - asv shows the names of the methods, which say what they do

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from tacit import LSI, MLSI, cluster_rows, open_rows, write_rows

from .profiles import collection, profile

__all__ = ["Elsewhere", "Update"]


class Elsewhere:
    """The same fit wherever the rows are; on disk a quarter of them is in memory, on the cluster all of them."""

    params = (("LSI", "MLSI"), ("memory", "disk", "cluster"))
    param_names = ("model", "place")
    timeout = 900

    def setup(self, model: str, place: str) -> None:
        self.X, self.Y = collection(profile())
        self.folder = tempfile.TemporaryDirectory()
        self.rows = self._placed(place)

    def teardown(self, model: str, place: str) -> None:
        if place == "cluster":
            self.rows.close()
            self.client.close()
            self.cluster.close()
        self.folder.cleanup()

    def time_fit(self, model: str, place: str) -> None:
        self._fit(model, self.rows)

    def peakmem_fit(self, model: str, place: str) -> None:
        self._fit(model, self.rows)

    def track_difference_from_memory(self, model: str, place: str) -> float:
        """Give the largest difference of a position of the first records, relative to the largest of them."""
        here, there = (self._fit(model, rows).transform(self.X[:500]) for rows in (self.X, self.rows))
        return float(np.abs(here - there).max() / np.abs(here).max())

    def _fit(self, model: str, rows: Any) -> Any:
        space = {"LSI": LSI, "MLSI": MLSI}[model](profile().n_components, tol=1e-5)
        return space.fit(rows) if model == "LSI" else space.fit(rows, self.Y)

    def _placed(self, place: str) -> Any:
        if place == "memory":
            return self.X
        size = self.X.data.nbytes + self.X.indices.nbytes
        folder = Path(self.folder.name) / "rows"
        write_rows(folder, self.X, bytes_per_shard=max(2**14, size // 16))
        if place == "disk":
            return open_rows(folder, memory_limit=max(2**16, size // 4))
        from distributed import Client, LocalCluster

        self.cluster = LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None)
        self.client = Client(self.cluster)
        return cluster_rows(str(folder), self.client)


class Update:
    """A tenth of the records comes after the others, without a refit."""

    params = (("LSI", "MLSI"),)
    param_names = ("model",)
    timeout = 900

    def setup(self, model: str) -> None:
        X, Y = collection(profile())
        n = X.shape[0] * 9 // 10
        self.first, self.later, self.Y, self.X = (X[:n], Y[:n]), (X[n:], Y[n:]), Y, X

    def time_first_and_later(self, model: str) -> None:
        self._updated(model)

    def peakmem_first_and_later(self, model: str) -> None:
        self._updated(model)

    def track_drift(self, model: str) -> float:
        """Give what the space says it lacks of the later records, which are like the first: about nothing."""
        return abs(float(self._updated(model).drift_))

    def _updated(self, model: str) -> Any:
        space = {"LSI": LSI, "MLSI": MLSI}[model](profile().n_components)
        for X, Y in (self.first, self.later):
            space.partial_fit(X) if model == "LSI" else space.partial_fit(X, Y)
        return space
