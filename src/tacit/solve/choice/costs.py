"""The cost model of solver="auto": estimated seconds and bytes of each solver, from shapes alone.

Work is counted in a few kinds (`Work`), each of which takes a fixed time per unit (`RATES`). The number of products
depends on the spectrum, which is unknown beforehand; `_BLOCK_STEPS` and `_LONE_STEPS` are what text needs. All of these
constants come from one study, docs/studies/solver_choice.md. They are those of one machine on purpose: the choice for
given shapes must be the same everywhere, and only their ratios matter.

| letter | meaning                                             |
|--------|-----------------------------------------------------|
| n      | the shorter side, the length of the vectors         |
| k, b   | components, columns per block                       |
| m      | columns of the basis                                |
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from tacit.checks import human_size, is_outside_memory
from tacit.operators.base import Gram, MatrixOperator, Operator
from tacit.solve.eigen.krylov import basis_shape

__all__ = ["MOST_BYTES", "RATES", "Cost", "ProblemSize", "Work", "cheapest", "costs_of", "size_of"]

MOST_BYTES = 2**29  # that a solver may take if another takes less
_DOUBT = 1.5  # how much faster ARPACK must be: it may miss copies of an eigenvalue, and then all is done again
# Bytes of ARPACK's basis from which each of its flops waits for memory, and how many times longer it takes: titles of
# 100,000 books (a basis of 27 MB) were estimated at 2 s and took 7 to 24, block Krylov 1.7 (2026-11-18).
_CACHED, _WAITS = 8e6, 4.0
_SOON = 0.02  # seconds, which no user notices: then an exact result is preferred to a faster one
_BLOCK_STEPS = (2.7, 1.0, 3.5)  # block Krylov multiplies 2.7 k columns, and b times (1 + 3.5 per digit)
_LONE_STEPS = (3.4, 30.0, 6.0)  # ARPACK 3.4 k, 30 to start and check, and 6 per digit
_UNKNOWN = 0.05  # share of nonzero entries, if an operator does not know it


class Work(NamedTuple):
    """Amounts of each kind of work, or the seconds per unit; `lone` is work with one column at a time."""

    lapack: float = 0.0  # flops of a factorisation
    flops: float = 0.0  # of dense products with a block
    entries: float = 0.0  # stored entries times columns, in sparse products with a block
    steps: float = 0.0  # iterations with a block, whatever its size
    lone_flops: float = 0.0
    lone_entries: float = 0.0
    lone_steps: float = 0.0
    read: float = 0.0  # stored entries that are read from outside memory


RATES = Work(
    lapack=2.4e-11,
    flops=6.1e-11,
    entries=1.4e-10,
    steps=9.7e-4,
    lone_flops=1.3e-10,
    lone_entries=1.4e-9,
    lone_steps=6.9e-5,
    read=1e-8,  # not measured: 8 bytes from a disk with 800 MB per second
)


@dataclass(frozen=True)
class ProblemSize:
    """What is known about a problem before it is solved."""

    n: int  # the shorter side of the matrix
    length: int  # the longer side
    n_entries: int  # multiplications of a product with one column
    n_components: int
    tol: float
    itemsize: int
    triplets: bool  # whether singular triplets are wanted, so that a product uses the matrix and its transpose
    dense: bool = False  # whether the matrix is an array
    outside_memory: bool = False
    implicit: bool = False  # whether the matrix is known by its products only


@dataclass(frozen=True)
class Cost:
    """The estimate for one solver."""

    solver: str
    seconds: float
    n_bytes: float
    work: Work


def size_of(A: Operator, n_components: int, tol: float, *, triplets: bool) -> ProblemSize:
    """Return what is known about a problem with this operator."""
    matrix, tol = isinstance(A, MatrixOperator), max(tol, float(np.finfo(A.dtype).eps))
    size = ProblemSize(min(A.shape), max(A.shape), _entries(A), n_components, tol, A.dtype.itemsize, triplets)
    return replace(size, dense=matrix and A.is_dense, outside_memory=is_outside_memory(A), implicit=not matrix)


def costs_of(problem: ProblemSize, *, rates: Work = RATES) -> list[Cost]:
    """Estimate LAPACK, block Krylov and ARPACK; ARPACK is left out if it cannot find that many components."""
    estimates = [_dense(problem), _krylov(problem)]
    if problem.n_components < problem.n:
        estimates.append(_lanczos(problem))
    return [Cost(solver, _seconds(work, rates), n_bytes, work) for solver, work, n_bytes in estimates]


def _seconds(work: Work, rates: Work) -> float:
    return float(sum(amount * rate for amount, rate in zip(work, rates, strict=True)))


def cheapest(costs: Sequence[Cost], *, iterated: bool = False, searched: bool = False) -> tuple[str, str]:
    """Return the fastest solver among those that fit into memory, and the reason in numbers.

    LAPACK is chosen if it takes hardly any time, ARPACK only if it is clearly faster, and not if the solver is to be
    `iterated` from a start or to write checkpoints. If a space is `searched` with a preconditioner, "krylov" is LOBPCG.
    """
    # the limit is raised if every solver exceeds it
    room = max(MOST_BYTES, min(cost.n_bytes for cost in costs))
    able = [cost for cost in costs if not (iterated and cost.solver == "lanczos")]
    fits = [cost for cost in able if cost.n_bytes <= room]
    best = min(fits, key=_worth)
    names = {"dense": "LAPACK", "krylov": "LOBPCG" if searched else "block Krylov", "lanczos": "Lanczos"}
    said = [f"{names[cost.solver]} {_words(cost, room)}" for cost in sorted(able, key=lambda cost: cost is not best)]
    return best.solver, f"{', '.join(said)} by the cost model"


def _worth(cost: Cost) -> float:
    """Return the seconds that are compared: fewer for LAPACK, which is exact, more for ARPACK, which may fail."""
    if cost.solver == "dense":
        return cost.seconds if cost.seconds > _SOON else 0.0
    return cost.seconds * (_DOUBT if cost.solver == "lanczos" else 1)


def _words(cost: Cost, room: float) -> str:
    return f"{cost.seconds:.1g} s" if cost.n_bytes <= room else f"does not fit ({human_size(int(cost.n_bytes))})"


def _entries(A: Any) -> int:
    """Return the stored entries that a product uses; a guess if an operator does not know them."""
    if isinstance(A, Gram):
        return 2 * _entries(A.operator)
    if isinstance(A, MatrixOperator):
        return int(A.matrix.size if A.is_dense else A.matrix.nnz)
    if isinstance(stored := getattr(A, "nnz", None), int):
        return stored
    if A.n_bytes:
        return int(A.n_bytes // (A.dtype.itemsize + 4))
    inner = getattr(A, "operator", getattr(A, "source", None))
    return _entries(inner) if isinstance(inner, Operator) else int(_UNKNOWN * A.shape[0] * A.shape[1])


def _dense(p: ProblemSize) -> tuple[str, Work, float]:
    """All singular values of the matrix, or the eigenvalues and some vectors, after it is formed."""
    flops = 14 * p.n**2 * p.length + 8 * p.n**3 if p.triplets else 4 * p.n**3
    formed = p.n * p.n_entries if p.implicit else 0
    return (
        "dense",
        Work(lapack=flops, entries=formed, steps=1, read=p.n_entries * p.outside_memory),
        p.itemsize * (3.0 if p.triplets else 4.0) * p.n * p.length,
    )


def _krylov(p: ProblemSize) -> tuple[str, Work, float]:
    """Products with blocks, orthogonalisation, and the Ritz values after each."""
    n, k = p.n, min(p.n, p.n_components)
    b, room = basis_shape(n, k)
    each, start, digit = _BLOCK_STEPS
    wanted = each * k + b * (start + digit * _digits(p))
    columns = min(n, wanted)
    steps, m = columns / b, min(columns, room)
    whole = 9 * n**3 if wanted >= n else 0  # then LAPACK finishes
    products = columns * p.n_entries * (2 if p.triplets else 1)
    work = Work(
        lapack=3 * m**3 * steps + whole,  # the basis grows to that, and the cube with it
        flops=8 * n * m * columns + 2 * n * m * k + (2 * products if p.dense else 0),
        entries=0 if p.dense else products,
        steps=steps,
        read=p.n_entries * steps * p.outside_memory,
    )
    return "krylov", work, p.itemsize * float(n) * (room + 4 * b)


def _lanczos(p: ProblemSize) -> tuple[str, Work, float]:
    """Products with single vectors, each made orthogonal to as many as ARPACK keeps."""
    n, k = p.n, p.n_components
    each, start, digit = _LONE_STEPS
    steps = min(n + start, each * k + start + digit * _digits(p))
    m = min(n, max(2 * k + 1, 20))
    products = steps * p.n_entries * (2 if p.triplets else 1)
    waits = _WAITS if p.itemsize * n * m > _CACHED else 1.0
    work = Work(
        lone_flops=4 * waits * n * m * steps + (2 * products if p.dense else 0),
        lone_entries=0 if p.dense else products,
        lone_steps=steps,
        read=p.n_entries * steps * p.outside_memory,
    )
    return "lanczos", work, p.itemsize * float(n) * (m + 2 * k)


def _digits(p: ProblemSize) -> float:
    return float(np.clip(-np.log10(max(p.tol, 1e-16)), 1, 16))
