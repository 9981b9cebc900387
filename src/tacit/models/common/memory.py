"""How much memory a fit will take, from shapes alone, and a refusal with the reason where there is not as much.

A fit that runs out of memory is killed, late and without a word. What it will hold is known before it begins: the
arrays below are the large ones of each step, those of the step that holds most are the peak. Tests hold the estimate
against measured peaks: it lies between 0.7 and 1.5 times what a fit takes.

| letter | word                                         |
|--------|----------------------------------------------|
| n, m   | records, terms; `short` is the smaller       |
| k      | components                                   |
| p      | labels                                       |
| b      | bytes of a number                            |
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

__all__ = [
    "LARGE",
    "FitMemory",
    "check_fit_memory",
    "check_memory",
    "fit_memory",
    "memory_of_fit",
    "note_announced",
    "relations_memory",
]

LARGE = 2**30  # bytes from which on people are told before a fit begins
_WORTH_LOOKING = 2**26  # bytes below which no machine is asked what it has free
_LOGGER = logging.getLogger("tacit")
_BUFFERS = 2**22  # of threads, libraries and what is freed but not given back, whatever the sizes
_PROBES = 100  # random vectors that leverages are estimated with

Parts = dict[str, float]


@dataclass(frozen=True)
class FitMemory:
    """What a fit holds at its peak, in bytes.

    Attributes
    ----------
    what : the fit, for people: "MLSI with n_components=100 of 800,000 records and 47,236 terms"
    parts : name and bytes of what is held, the largest first
    given : names of those parts that are there before the fit begins, such as "X"
    """

    what: str
    parts: Mapping[str, int]
    given: frozenset[str] = frozenset({"X"})

    @property
    def total(self) -> int:
        """What is given plus work."""
        return sum(self.parts.values())

    @property
    def work(self) -> int:
        """What the fit will take beside what is given."""
        return sum(size for name, size in self.parts.items() if name not in self.given)

    def sentence(self) -> str:
        """Say it for people: "… needs about 2.1 GiB (basis 1.1 GiB, X 900.0 MiB, …)"."""
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
) -> FitMemory:
    """Estimate the peak memory of a fit.

    Parameters
    ----------
    n_records, n_terms : shape of X
    n_entries : stored entries of X; None for a dense array
    n_components : dimensions asked for
    model : {"lsi", "mlsi", "hlsi"}
    n_labels : labels or classes, those above them included
    dtype : of X
    positions : whether `fit_transform` is meant, which gives honest positions of the records too
    in_memory : whether X is in memory; False for rows on disk or on a cluster
    solver : that of the model; "single_pass" holds more than the others
    """
    name = check_choice("model", model, tuple(_STEPS))
    shapes = _Shapes(
        n_records,
        n_terms,
        n_components,
        n_labels,
        np.dtype(dtype).itemsize,
        _bytes_of(n_records, n_terms, n_entries, np.dtype(dtype).itemsize),
        positions=positions,
        one_pass=solver == "single_pass",
    )
    what = f"{name.upper()} with n_components={n_components} of {n_records:,} records and {n_terms:,} terms"
    return _at_peak(what, _STEPS[name](shapes), {"X": shapes.n_bytes} if in_memory else {})


def _at_peak(what: str, steps: list[Parts], given: Parts) -> FitMemory:
    """Tell of the step that holds most, beside what was there before."""
    fullest: Parts = dict(sorted(steps, key=_held_bytes)[-1], buffers=_BUFFERS, **given)
    ordered = sorted(fullest.items(), key=lambda part: -part[1])
    return FitMemory(what, {each: round(size) for each, size in ordered if size >= 1}, frozenset(given))


def _held_bytes(parts: Parts) -> float:
    return sum(parts.values())


def memory_of_fit(
    X: Any, n_components: int, *, model: str, n_labels: int = 0, positions: bool = False, solver: str = "auto"
) -> FitMemory:
    """Estimate the fit of a model to X, dense, sparse or elsewhere; parameters as those of `fit_memory`."""
    facts = getattr(X, "facts", None)  # of rows that are elsewhere
    n_entries = facts.n_entries if facts is not None else X.nnz if is_sparse(X) else None
    n_records, n_terms = X.shape
    return fit_memory(
        n_records,
        n_terms,
        n_entries,
        n_components,
        model=model,
        n_labels=n_labels,
        dtype=X.dtype,
        positions=positions,
        in_memory=facts is None,
        solver=solver,
    )


def relations_memory(n_objects: int, n_bytes: int, n_components: int, *, dtype: Any = np.float32) -> FitMemory:
    """Estimate the fit of MLSA: the search, and what objects of all types become.

    Parameters
    ----------
    n_objects : of all types
    n_bytes : memory of the relations that are in memory
    n_components : dimensions asked for
    dtype : of the relations
    """
    s = _Shapes(n_objects, n_objects, n_components, 0, np.dtype(dtype).itemsize, n_bytes, positions=False)
    steps: list[Parts] = [s.krylov(n_objects, s.k), {"concepts and positions": 4 * s.b * n_objects * s.k}]
    what = f"MLSA with n_components={n_components} of {n_objects:,} objects"
    return _at_peak(what, steps, {"relations": n_bytes} if n_bytes else {})


def check_fit_memory(
    X: Any, n_components: int, *, model: str, n_labels: int = 0, positions: bool = False, solver: str = "auto"
) -> None:
    """Look whether a fit to X has the memory it needs, as `check_memory` does; parameters as those of `fit_memory`."""
    estimate = memory_of_fit(X, n_components, model=model, n_labels=n_labels, positions=positions, solver=solver)
    check_memory(estimate)


def check_memory(estimate: FitMemory, available: int | None = None) -> None:
    """Refuse a fit that cannot have the memory it needs; tell the logger "tacit" of one that is large.

    It is told once for the same sizes, as a warning, which Python prints where logging was not set up; then as a piece
    of information.

    Parameters
    ----------
    estimate : of `fit_memory`
    available : bytes that may be taken, default what is free
    """
    if available is None and estimate.work < _WORTH_LOOKING:
        return
    free = available_memory() if available is None else available
    if estimate.work > free:
        raise InputError(
            f"the fit is too large for the memory: got one that needs {human_size(estimate.work)} beside the data "
            f"where {human_size(free)} are free, expected one that fits. {estimate.sentence()}. Take fewer "
            "n_components, float32 instead of float64, rows on disk (write_rows) or on a cluster (cluster_rows). Set "
            "TACIT_MEMORY, in bytes, if more may be used than seems free."
        )
    if estimate.total >= LARGE:
        level = logging.INFO if estimate.what in _ANNOUNCED else logging.WARNING
        _LOGGER.log(level, "%s; %s are free.", estimate.sentence(), human_size(free))
        note_announced(estimate)


def note_announced(estimate: FitMemory) -> None:
    """Take note that people know of a fit of such a size."""
    _ANNOUNCED.add(estimate.what)


_ANNOUNCED: set[str] = set()


@dataclass(frozen=True)
class _Shapes:
    """The letters of the table above."""

    n: int
    m: int
    asked: int
    p: int
    b: int
    n_bytes: int  # of X
    positions: bool
    one_pass: bool = False

    @property
    def k(self) -> int:
        return min(self.asked, self.short)

    @property
    def short(self) -> int:
        return min(self.n, self.m)

    def krylov(self, n_rows: int, n_wanted: int) -> Parts:
        """The basis of the block Krylov solver and the blocks beside it, as `solve.krylov` sizes them."""
        if self.one_pass:  # always on the terms, and the labels beside them
            width = self.m + self.p
            return {"block of the one pass": 3 * self.b * width * min(width, 3 * n_wanted + 10)}
        block, room = basis_shape(n_rows, n_wanted)
        between = 2 * block  # within a product with the Gram matrix, as it comes and as it goes on
        return {
            "basis": self.b * n_rows * (room + block),
            "blocks of the solver": self.b * (n_rows * 3 * block + max(self.n, self.m) * between),
        }

    def regression(self, n_rows: int, n_columns: int) -> float:
        """Right-hand sides, solution and five blocks that search together, as `solve.conjugate` sizes them."""
        width = width_for(n_rows, n_columns, itemsize=self.b, n_bytes=self.n_bytes)
        return self.b * n_rows * (2 * n_columns + 5 * width)


def _bytes_of(n: int, m: int, n_entries: int | None, b: int) -> int:
    if n_entries is None:
        return n * m * b
    index = 4 if max(n_entries, n, m) < 2**31 else 8
    return n_entries * (b + index) + (n + 1) * index


def _lsi(s: _Shapes) -> list[Parts]:
    """Search on the shorter side; then the map, its loadings and the vectors they are made of."""
    kept: Parts = {"map of the terms": 3 * s.b * s.m * s.k}
    if s.n < s.m:
        kept["vectors"] = s.b * s.n * s.k
    if s.positions:
        kept["positions"] = 2 * s.b * s.n * s.k
    return [s.krylov(s.short, s.k), {"vectors": 2 * s.b * s.short * s.k}, kept]


def _mlsi(s: _Shapes) -> list[Parts]:
    """Regress the labels, search in [X, labels], then positions, map and loadings; honest positions with probes."""
    labels: Parts = {"labels": 2 * s.n * 3 * (s.b + 4)}
    weights = s.b * s.short * s.p  # of the records, where these are fewer than the terms
    if s.short <= DENSE_LIMIT:
        return [{**labels, **_dense(s)}]
    steps: list[Parts] = [
        {"regression of the labels": s.regression(s.short, s.p)},
        {"regression of the labels": weights, "misfit of the labels": s.b * s.n * s.p},
        {"regression of the labels": weights, **s.krylov(min(s.n, s.m + s.p), s.k)},
        {
            "regression of the labels": weights,
            "vectors": s.b * (s.m + s.p) * s.k,
            "positions": s.b * s.n * s.k,
        },
        {"positions": s.b * s.n * s.k, "map of the terms": 3 * s.b * s.m * s.k},
    ]
    if s.positions:
        steps += _honest(s)
    return [{**labels, **step} for step in steps]


def _hlsi(s: _Shapes) -> list[Parts]:
    """Bridges from classes to terms, leading directions of X, search in both; then the map and its loadings."""
    labels: Parts = {"labels": 3 * s.n * 4 * (8 + 4)}
    if s.short <= DENSE_LIMIT:
        return [{**labels, **_dense(s)}]
    n_mixed = s.k + 8 if s.p > s.k + 8 else 0  # mixtures of the classes, where they are more than dimensions
    kept = s.p <= MOST_BRIDGES
    bridges: Parts = {"classes and terms": s.b * s.m * ((s.p if kept else 0) + n_mixed)}
    n_directions = max(32, s.k + 8 - s.p)
    start = min(s.p, s.k + 8) + n_directions
    room, going = columns_for(s.k, s.b * s.m, s.n_bytes)
    # its products too, new directions and what becomes of them
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
    """Positions, and their leverages from random probes: a regression of these, their products, what is taken off."""
    held: Parts = {"positions": 2 * s.b * s.n * s.k, "map of the terms": 2 * s.b * s.m * s.k}
    return [
        {**held, "probes": s.regression(s.m, _PROBES)},
        {**held, "probes": s.b * (s.m + 2 * s.n) * _PROBES},
        {**held, "positions": 3 * s.b * s.n * s.k},
    ]


def _dense(s: _Shapes) -> Parts:
    """A dense matrix of the smaller side with its vectors and workspace, in double precision, and label columns."""
    return {
        "dense matrix": 3 * 8 * s.short**2,
        "labels, dense": s.b * s.n * s.p,
        "positions": (3 if s.positions else 1) * s.b * s.n * s.k,
        "map of the terms": 3 * s.b * s.m * s.k,
    }


_STEPS: dict[str, Callable[[_Shapes], list[Parts]]] = {"lsi": _lsi, "mlsi": _mlsi, "hlsi": _hlsi}
