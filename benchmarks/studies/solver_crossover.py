"""Up to which size is LAPACK faster than an iteration?

The `DENSE_LIMIT` of `models.common.record_kernel` and the `_DENSE_LIMIT` of `solve.least_squares` follow the answer;
`solve.choose` goes by a cost model instead, which has a study of its own (`solver_choice`).

Data: made collections with planted topics, twice as many terms as records (so the smaller side is the number of
records), float32. Method: each solver on the same X, the best of a few runs; the dense one is left out once it is five
times slower than the best, since it would take most of the time and change nothing.

    python benchmarks/studies/solver_crossover.py [--write]     # about two minutes
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from tacit import MLSI
from tacit.errors import SolverError
from tacit.models.common.record_kernel import DENSE_LIMIT
from tacit.solve import leading_eigenpairs, leading_singular_triplets, least_squares
from tacit.solve.choice import choose

sys.path.insert(
    0, str(Path(__file__).resolve().parents[1])
)  # a study is run as a script and shares `pages` and the data
from pages import DOCS, facts, put_section, table
from synthetic import planted_topics

__all__ = ["QUESTIONS", "crossover", "main", "race"]

Racers = Mapping[str, Callable[[], object]]
Times = dict[str, dict[int, float]]

_TITLE = "# Up to which size is a dense solver the faster one?"
_SIZES = (100, 200, 400, 600, 800, 1000, 1400, 2000, 4000)
_HOPELESS = 5.0  # times slower than the best: not run at larger sizes
_TOL = 1e-2  # what the models ask for


def singular_triplets(X: sp.csr_array, Y: sp.csr_array, k: int) -> Racers:
    """Race the solvers of LSI."""
    return {solver: partial(leading_singular_triplets, X, k, solver=solver, tol=_TOL) for solver in choose.SOLVERS[1:]}


def eigenpairs(X: sp.csr_array, Y: sp.csr_array, k: int) -> Racers:
    """Race the solvers of a dense kernel matrix."""
    K = (X @ X.T).toarray()
    return {solver: partial(leading_eigenpairs, K, k, solver=solver, tol=_TOL) for solver in choose.SOLVERS[1:]}


def mlsi_forms(X: sp.csr_array, Y: sp.csr_array, k: int) -> Racers:
    """Race the forms of MLSI, fitting and honest positions; the limit is that of `models.common.record_kernel`."""
    return {form: partial(MLSI(k, solver=form).fit_transform, X, Y) for form in ("dual", "augmented")}


def regressions(X: sp.csr_array, Y: sp.csr_array, k: int) -> Racers:
    """Race the solvers of k ridge regressions at their default tol; the limit is that of `solve.least_squares`."""
    targets = np.random.default_rng(0).standard_normal((X.shape[0], k)).astype(X.dtype)
    return {
        solver: partial(least_squares, X, targets, ridge=1.0, tol=1e-6, solver=solver)
        for solver in ("dense", "block-cg")
    }


QUESTIONS: dict[str, tuple[Callable[[sp.csr_array, sp.csr_array, int], Racers], int | str]] = {
    "Singular triplets of a sparse X": (singular_triplets, "by costs"),
    "Eigenpairs of a dense kernel matrix": (eigenpairs, "by costs"),
    "MLSI with honest positions": (mlsi_forms, DENSE_LIMIT),
    "Ridge regressions on a sparse X, to 1e-6": (regressions, sys.modules[least_squares.__module__]._DENSE_LIMIT),
}


def main(arguments: Sequence[str] | None = None) -> None:
    """Race, print, and write the page if asked."""
    parser = argparse.ArgumentParser(description="Up to which size is a dense solver the faster one?")
    parser.add_argument("--quick", action="store_true", help="the two smallest sizes, to see that everything runs")
    parser.add_argument("--write", action="store_true", help="write docs/studies/solver_crossover.md")
    asked = parser.parse_args(arguments)
    if asked.quick and asked.write:
        parser.error("--write needs all sizes: got --quick too, which has the smallest alone. Leave one out.")
    text = study(_SIZES[:2] if asked.quick else _SIZES, (10,) if asked.quick else (10, 100))
    print(text)
    if asked.write:
        put_section(DOCS / "studies/solver_crossover.md", "study", text, head=_TITLE, order=["study"])


def study(sizes: Sequence[int], ks: Sequence[int]) -> str:
    """Give the text of the page."""
    collections = {size: planted_topics(size, n_terms=2 * size, n_topics=20) for size in sizes}
    parts, conclusions = [], []
    for title, (racers, limit) in QUESTIONS.items():
        lines = []
        for k in ks:
            fitting = {size: data for size, data in collections.items() if size > k}
            times = race(racers, fitting, k)
            lines += _rows(times, k)
            conclusions.append((title, k, _in_words(*crossover(times)), limit))
        parts.append(
            f"## {title}\n\nSeconds; the smaller side of X above each column.\n\n"
            + table(("solver", "k", *map(str, sizes)), _filled(lines, sizes))
        )
    ends = table(("question", "k", "dense is faster", "limit in the code"), conclusions)
    method = (
        "**Data.** Made collections with planted topics, twice as many terms as records, up to 79 terms a record, "
        f"float32. **Method.** tol = {_TOL:g} unless said otherwise, best of up to three runs; the dense solver is "
        "left out once it is five times slower than the best (—, as where k is not below the size)."
    )
    return "\n\n".join([method, f"## Conclusion\n\n{ends}", *parts, facts()])


def race(racers: Callable[[Any, Any, int], Racers], collections: Mapping[int, tuple[Any, Any]], k: int) -> Times:
    """Time every solver at every size, the dense one (the first) until it is far behind: its cost grows fastest."""
    times: Times = {}
    hopeless = False
    for size, (X, Y) in collections.items():
        dense, *others = racers(X, Y, k).items()
        for name, solve in others if hopeless else (dense, *others):
            times.setdefault(name, {})[size] = _seconds(solve)
        fastest = min(times[name][size] for name, _ in others)
        hopeless = hopeless or times[dense[0]][size] > _HOPELESS * fastest
    return times


def crossover(times: Times) -> tuple[int, int | None]:
    """Give the largest size at which the first solver still wins (0 if none), and the next, at which it does not."""
    dense, *others = times.values()
    wins = [size for size, seconds in dense.items() if seconds <= min(other[size] for other in others if size in other)]
    largest = max(wins, default=0)
    sizes = sorted({size for other in others for size in other if size > largest})
    return largest, sizes[0] if sizes else None


def _in_words(largest: int, loses: int | None) -> str:
    if not largest:
        return "nowhere"
    return f"up to {largest:,}, no longer at {loses:,}" if loses else f"up to {largest:,}, the largest tried"


def _seconds(solve: Callable[[], object]) -> float:
    """Give the best of up to three runs, infinity if the solver gives up; the noise of a long run is small."""
    best = np.inf
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(3):
            start = time.perf_counter()
            try:
                solve()
            except SolverError:
                return np.inf
            best = min(best, time.perf_counter() - start)
            if best > 1:
                break
    return float(best)


def _rows(times: Times, k: int) -> list[tuple[str, int, dict[int, float]]]:
    return [(name, k, each) for name, each in times.items()]


def _filled(lines: Sequence[tuple[str, int, dict[int, float]]], sizes: Sequence[int]) -> list[list[str]]:
    return [[name, str(k), *(_cell(each.get(size)) for size in sizes)] for name, k, each in lines]


def _cell(seconds: float | None) -> str:
    if seconds is None:
        return "—"
    return f"{seconds:.3g}" if np.isfinite(seconds) else "gave up"


if __name__ == "__main__":
    main()
