"""Estimate of the memory of a fit from shapes alone, and an error if there is not enough.

A fit that runs out of memory is killed late and without a message, but its needs are known before it starts: the large
arrays of each step are listed below, and the largest step is the peak. Tests compare the estimate with measured peaks:
it is between 0.7 and 1.5 times the measured memory.

| letter | word                                         |
|--------|----------------------------------------------|
| n, m   | records, terms; `short` is the smaller       |
| k      | components                                   |
| p      | labels                                       |
| b      | bytes per number                             |
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from tacit.checks import check_choice, human_size, is_sparse
from tacit.errors import InputError
from tacit.machine import available_memory
from tacit.models.common.class_hierarchy import MOST_BRIDGES
from tacit.models.common.record_kernel import DENSE_LIMIT
from tacit.solve.eigen.krylov import basis_shape
from tacit.solve.eigen.pencil import columns_for
from tacit.solve.linear.conjugate_gradients import width_for

__all__ = ["LARGE", "FitMemory", "check_memory", "fit_memory", "memory_of_fit", "note_announced", "relations_memory"]

LARGE = 2**30  # bytes from which a fit is announced before it starts
_WORTH_LOOKING = 2**26  # bytes below which free memory is not checked
_LOGGER = logging.getLogger("tacit")
_BUFFERS = 2**22  # of threads and libraries, and freed memory that is not returned
_PROBES = 100  # random vectors for the estimate of leverages

Parts = dict[str, float]


@dataclass(frozen=True)
class FitMemory:
    """The memory of a fit at its peak, in bytes.

    Attributes
    ----------
    what : description of the fit: "MLSI with n_components=100 of 800,000 records and 47,236 terms"
    parts : names and bytes of the arrays, the largest first
    given : names of the parts that exist before the fit, such as "X"
    """

    what: str
    parts: Mapping[str, int]
    given: frozenset[str] = frozenset({"X"})

    @property
    def total(self) -> int:
        """Total memory, with the given parts."""
        return sum(self.parts.values())

    @property
    def work(self) -> int:
        """Memory that the fit needs in addition to the given parts."""
        return sum(size for name, size in self.parts.items() if name not in self.given)

    def sentence(self) -> str:
        """Return a sentence: "… needs about 2.1 GiB (basis 1.1 GiB, X 900.0 MiB, …)"."""
        shown = [f"{name} {human_size(size)}" for name, size in self.parts.items() if size >= self.total / 50]
        return f"{self.what} needs about {human_size(self.total)} ({', '.join(shown)})"


def fit_memory(
    n_records: int,
    n_terms: int,
    n_entries: int | None,
    n_components: int,
    *,
    model: str = "lsi",
    n_labels: int = 0,
    dtype: Any = np.float32,
    positions: bool = False,
    in_memory: bool = True,
    solver: str = "auto",
    shrinkage: float = 0.0,
) -> FitMemory:
    """Estimate the peak memory of a fit.

    Parameters
    ----------
    n_records, n_terms : shape of X
    n_entries : stored entries of X; None for a dense array
    n_components : requested dimensions
    model : {"lsi", "mlsi", "hlsi"}
    n_labels : number of labels, or of classes with those above them
    dtype : of X
    positions : whether to estimate `fit_transform`, which also computes honest positions
    in_memory : whether X is in memory; False for rows on disk or on a cluster
    solver : that of the model; "single_pass" needs more memory than the others
    shrinkage : that of MLSI; without it labels beyond the number of dimensions are not regressed
    """
    name = check_choice("model", model, tuple(_STEPS))
    b, short = np.dtype(dtype).itemsize, min(n_records, n_terms)
    n_bytes = n_records * n_terms * b
    if n_entries is not None:
        index = 4 if max(n_entries, n_records, n_terms) < 2**31 else 8
        n_bytes = n_entries * (b + index) + (n_records + 1) * index
    one_pass = solver == "single_pass"
    shapes = _Shapes(
        n_records,
        n_terms,
        short,
        min(n_components, short),
        n_labels,
        b,
        n_bytes,
        positions,
        one_pass=one_pass,
        shrinks=shrinkage > 0,
    )
    what = f"{name.upper()} with n_components={n_components} of {n_records:,} records and {n_terms:,} terms"
    return _at_peak(what, _STEPS[name](shapes), {"X": n_bytes} if in_memory else {})


def _at_peak(what: str, steps: list[Parts], given: Parts) -> FitMemory:
    """Return the memory of the largest step together with the given parts."""
    fullest: Parts = dict(sorted(steps, key=lambda parts: sum(parts.values()))[-1], buffers=_BUFFERS, **given)
    ordered = sorted(fullest.items(), key=lambda part: -part[1])
    return FitMemory(what, {each: round(size) for each, size in ordered if size >= 1}, frozenset(given))


def memory_of_fit(
    X: Any,
    n_components: int,
    *,
    model: str,
    n_labels: int = 0,
    positions: bool = False,
    solver: str = "auto",
    shrinkage: float = 0.0,
) -> FitMemory:
    """Estimate the fit of a model to X, dense, sparse or outside memory; parameters as for `fit_memory`."""
    facts = getattr(X, "facts", None)  # of rows outside memory
    n_entries = facts.n_entries if facts is not None else X.nnz if is_sparse(X) else None
    options: dict[str, Any] = {"model": model, "n_labels": n_labels, "positions": positions}
    options |= {"solver": solver, "shrinkage": shrinkage}
    n_records, n_terms = X.shape
    return fit_memory(n_records, n_terms, n_entries, n_components, dtype=X.dtype, in_memory=facts is None, **options)


def relations_memory(n_objects: int, n_bytes: int, n_components: int, *, dtype: Any = np.float32) -> FitMemory:
    """Estimate the fit of MLSA: the solver, then concepts and positions of all objects.

    Parameters
    ----------
    n_objects : number of objects of all types
    n_bytes : size of the relations in memory
    n_components : requested dimensions
    dtype : of the relations
    """
    b, k = np.dtype(dtype).itemsize, min(n_components, n_objects)
    s = _Shapes(n_objects, n_objects, n_objects, k, 0, b, n_bytes, positions=False)
    steps: list[Parts] = [s.krylov(n_objects, k), {"concepts and positions": 4 * b * n_objects * k}]
    what = f"MLSA with n_components={n_components} of {n_objects:,} objects"
    return _at_peak(what, steps, {"relations": n_bytes} if n_bytes else {})


def check_memory(estimate: FitMemory, available: int | None = None) -> None:
    """Raise if a fit needs more memory than is free; announce a large one to the logger "tacit".

    The first announcement for the same sizes is a warning, which Python prints if logging is not set up; later ones
    have the level INFO.

    Parameters
    ----------
    estimate : of `fit_memory`
    available : bytes that may be used, default the free memory
    """
    if available is None and estimate.work < _WORTH_LOOKING:
        return
    free = available_memory() if available is None else available
    if estimate.work > free:
        raise InputError(
            f"the fit is too large for the memory: got one that needs {human_size(estimate.work)} beside the data, "
            f"expected at most the {human_size(free)} that are free. {estimate.sentence()}. Use fewer n_components, "
            "float32 instead of float64, rows on disk (write_rows) or on a cluster (cluster_rows). Set TACIT_MEMORY, "
            "in bytes, if more memory may be used."
        )
    if estimate.total >= LARGE:
        level = logging.INFO if estimate.what in _ANNOUNCED else logging.WARNING
        _LOGGER.log(level, "%s; %s are free.", estimate.sentence(), human_size(free))
        note_announced(estimate)


def note_announced(estimate: FitMemory) -> None:
    """Remember that a fit of this size was announced."""
    _ANNOUNCED.add(estimate.what)


_ANNOUNCED: set[str] = set()


@dataclass(frozen=True)
class _Shapes:
    """The letters of the table above."""

    n: int
    m: int
    short: int
    k: int
    p: int
    b: int
    n_bytes: int  # of X
    positions: bool
    one_pass: bool = False
    shrinks: bool = False

    def krylov(self, n_rows: int, n_wanted: int) -> Parts:
        """Return the basis and the blocks of the block Krylov solver, with the sizes that it uses."""
        if self.one_pass:  # always on the terms and the labels
            width = self.m + self.p
            return {"block of the one pass": 3 * self.b * width * min(width, 3 * n_wanted + 10)}
        block, room = basis_shape(n_rows, n_wanted)
        between = 2 * block  # within a product with the Gram matrix, input and output
        return {
            "basis": self.b * n_rows * (room + block),
            "blocks of the solver": self.b * (n_rows * 3 * block + max(self.n, self.m) * between),
        }

    def regression(self, n_rows: int, n_columns: int) -> float:
        """Return the right-hand sides, the solution and six blocks of conjugate gradients."""
        width = width_for(n_rows, n_columns, itemsize=self.b, n_bytes=self.n_bytes)
        return self.b * n_rows * (2 * n_columns + 6 * width)


def _lsi(s: _Shapes) -> list[Parts]:
    """Return the steps of LSI: the solver on the shorter side; then the map, its loadings and the vectors."""
    kept: Parts = {"map of the terms": 3 * s.b * s.m * s.k}
    if s.n < s.m:
        kept["vectors"] = s.b * s.n * s.k
    if s.positions:
        kept["positions"] = 2 * s.b * s.n * s.k
    return [s.krylov(s.short, s.k), {"vectors": 2 * s.b * s.short * s.k}, kept]


def _mlsi(s: _Shapes) -> list[Parts]:
    """Return the steps of MLSI: regression of the labels, solver on [X, labels], positions, map and loadings."""
    labels: Parts = {"labels": 2 * s.n * 3 * (s.b + 4)}
    regressed = s.p if s.shrinks or s.p <= s.k else 0  # otherwise the positions are regressed
    weights = s.b * s.short * regressed  # of the records, if these are fewer than the terms
    if s.short <= DENSE_LIMIT:
        return [{**labels, **_dense(s)}]
    steps: list[Parts] = [
        {"regression of the labels": s.regression(s.short, regressed)},
        {"regression of the labels": weights, "misfit of the labels": s.b * s.n * (s.p if s.shrinks else 0)},
        {"regression of the labels": weights, **s.krylov(min(s.n, s.m + s.p), s.k)},
        {"regression of the labels": weights, "vectors": s.b * (s.m + s.p) * s.k, "positions": s.b * s.n * s.k},
        {"positions": s.b * s.n * s.k, "map of the terms": 3 * s.b * s.m * s.k},
    ]
    if not regressed and s.p:
        held: Parts = {"positions": s.b * s.n * s.k, "map of the terms": s.b * s.m * s.k}
        steps.append({**held, "regression of the positions": s.regression(s.short, s.k)})
    if s.positions:
        steps += _honest(s)
    return [{**labels, **step} for step in steps]


def _hlsi(s: _Shapes) -> list[Parts]:
    """Return the steps of HLSI: products of classes and terms, directions of X, the solver, map and loadings."""
    labels: Parts = {"labels": 3 * s.n * 4 * (8 + 4)}
    if s.short <= DENSE_LIMIT:
        return [{**labels, **_dense(s)}]
    n_mixed = s.k + 8 if s.p > s.k + 8 else 0  # mixtures of the classes, if these are more than the dimensions
    kept = s.p <= MOST_BRIDGES
    bridges: Parts = {"classes and terms": s.b * s.m * ((s.p if kept else 0) + n_mixed)}
    n_directions = max(32, s.k + 8 - s.p)
    start = min(s.p, s.k + 8) + n_directions
    room, going = columns_for(s.k, s.b * s.m, s.n_bytes)
    # with its products, and new directions with theirs
    basis = (2 if kept else 3) * max(start, room) + 4 * going
    steps: list[Parts] = [
        {**bridges, **s.krylov(s.short, n_directions)},
        {**bridges, "vectors": s.b * s.m * n_directions, "basis": s.b * s.m * basis},
        {**bridges, "map of the terms": 3 * s.b * s.m * s.k, "blocks of records": s.b * s.n * 32 * 2},
    ]
    if s.positions:
        steps += _honest(s)
    return [{**labels, **step} for step in steps]


def _honest(s: _Shapes) -> list[Parts]:
    """Return the steps of honest positions: regression of the probes, their products, and the correction."""
    held: Parts = {"positions": 2 * s.b * s.n * s.k, "map of the terms": 2 * s.b * s.m * s.k}
    return [
        {**held, "probes": s.regression(s.m, _PROBES)},
        {**held, "probes": s.b * (s.m + 2 * s.n) * _PROBES},
        {**held, "positions": 3 * s.b * s.n * s.k},
    ]


def _dense(s: _Shapes) -> Parts:
    """Return a dense matrix of the smaller side with its vectors and workspace, in double precision, and labels."""
    return {
        "dense matrix": 3 * 8 * s.short**2,
        "labels, dense": s.b * s.n * s.p,
        "positions": (3 if s.positions else 1) * s.b * s.n * s.k,
        "map of the terms": 3 * s.b * s.m * s.k,
    }


_STEPS: dict[str, Callable[[_Shapes], list[Parts]]] = {"lsi": _lsi, "mlsi": _mlsi, "hlsi": _hlsi}
