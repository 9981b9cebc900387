"""Which solver is the fastest for which problem, and does `auto` take it?

The constants of `solve.costs` follow the answer: `RATES` is what the last table fits.

Data: made collections with planted topics (sparse: tall, wide, square), dense arrays whose columns fade, and kernel
matrices; double precision, so that a tolerance of 1e-10 can be met.

Method: LAPACK, ARPACK and block Krylov on the same problem, in one process with one thread; processor time, the best of
up to three runs. *Auto* is the time of the solver that the cost model takes over that of the fastest, *before* the same
for the three fixed limits that were there before it.

    OMP_NUM_THREADS=1 python benchmarks/studies/solver_choice.py [--small] [--write]     # about four minutes
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.optimize import nnls

from tacit.errors import SolverError
from tacit.operators import Gram, as_operator
from tacit.solve.choice.costs import RATES, ProblemSize, Work, cheapest, costs_of, size_of
from tacit.solve.dense import dense_eigenpairs, dense_singular_triplets
from tacit.solve.eigen.krylov import block_krylov
from tacit.solve.eigen.lanczos import lanczos

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # a study is run as a script and shares `pages`
from pages import DOCS, facts, put_section, table
from synthetic import planted_topics

__all__ = ["Trial", "before", "fitted_rates", "main", "page", "problems", "race", "ratios"]

_TITLE = "# Which solver for which problem?"
_ITERATED = ("lanczos", "krylov")
_MOST = 20.0  # seconds: what is estimated to take longer is not tried, and would not have won
_KS, _TOLS = (2, 10, 50, 200), (1e-3, 1e-6, 1e-10)
_SPARSE = ((150, 100), (300, 400), (800, 1_000), (2_000, 2_000), (20_000, 1_000), (500, 10_000), (4_000, 12_000))
_DENSE = ((100, 120), (400, 600), (5_000, 300), (1_500, 1_200))
_KERNELS = (300, 1_000)


class Trial(NamedTuple):
    """One problem, and the seconds of each solver; infinity where it gave up or was not tried."""

    name: str
    problem: ProblemSize
    seconds: Mapping[str, float]


def main(arguments: Sequence[str] | None = None) -> None:
    """Race, print, and write the page if asked."""
    parser = argparse.ArgumentParser(description="Which solver for which problem?")
    parser.add_argument("--small", action="store_true", help="the smaller problems, to see that everything runs")
    parser.add_argument("--write", action="store_true", help="write docs/studies/solver_choice.md")
    asked = parser.parse_args(arguments)
    if asked.small and asked.write:
        parser.error("--write needs all sizes: got --small too, which has the smaller ones alone. Leave one out.")
    ks, tols = (_KS[:2], _TOLS[:2]) if asked.small else (_KS, _TOLS)
    trials = [trial for name, matrix in problems(small=asked.small) for trial in race(name, matrix, ks, tols)]
    text = page(trials)
    print(text)
    if asked.write:
        put_section(DOCS / "studies/solver_choice.md", "study", text, head=_TITLE, order=["study"])


def problems(*, small: bool) -> Iterator[tuple[str, Any]]:
    """Give name and matrix; a kernel matrix is asked for eigenpairs, the others for singular triplets."""
    for n, m in _SPARSE[:3] if small else _SPARSE:
        yield f"sparse {n:,} x {m:,}", _text(n, m)
    rng = np.random.default_rng(0)
    for n, m in _DENSE[:2] if small else _DENSE:
        yield f"dense {n:,} x {m:,}", rng.standard_normal((n, m)) * np.linspace(1, 0.1, m) ** 2
    for n in _KERNELS[:1] if small else _KERNELS:
        X = _text(n, 2 * n)
        yield f"kernel {n:,}", (X @ X.T).toarray()


def race(name: str, matrix: Any, ks: Sequence[int], tols: Sequence[float]) -> Iterator[Trial]:
    """Time all solvers for all numbers of components and tolerances; LAPACK's time depends on neither."""
    A, triplets = as_operator(matrix), not name.startswith("kernel")
    lapack = dense_singular_triplets if triplets else dense_eigenpairs
    estimate = costs_of(size_of(A, 2, 1e-3, triplets=triplets))[0].seconds
    dense = _seconds(lambda: lapack(A, 2)) if estimate <= _MOST else np.inf
    short = A if A.shape[0] >= A.shape[1] else A.T
    searched = Gram(short) if triplets else A
    for k in (k for k in ks if k < min(A.shape)):
        for tol in tols:
            times = {"dense": dense}
            for solver, solve in (("lanczos", lanczos), ("krylov", block_krylov)):
                options: dict[str, Any] = {"max_iter": 500} if solver == "krylov" else {}
                times[solver] = _seconds(
                    lambda solve=solve, k=k, tol=tol, options=options: solve(
                        searched, k, rng=np.random.default_rng(0), tol=tol, **options
                    )
                )
            yield Trial(name, size_of(A, k, tol, triplets=triplets), times)


def before(problem: ProblemSize) -> str:
    """Give the choice of the three fixed limits that the cost model took the place of."""
    n, entries = problem.n, problem.n * problem.length
    small = n <= 500 and entries <= 2**21
    return "dense" if small or (3 * problem.n_components > n and entries <= 2**26) else "krylov"


def ratios(trials: Sequence[Trial], choice: Callable[[ProblemSize], str]) -> np.ndarray:
    """Give the time of the chosen solver over that of the fastest, a trial each; of one that gave up, with the next."""
    found = []
    for trial in trials:
        chosen = trial.seconds[choice(trial.problem)]
        found.append((chosen if np.isfinite(chosen) else trial.seconds["krylov"]) / min(trial.seconds.values()))
    return np.asarray(found)


def fitted_rates(trials: Sequence[Trial]) -> Work:
    """Fit the seconds of each kind of work, by least squares of relative errors; each solver counts alike."""
    rows, weights = [], []
    for solver in ("dense", *_ITERATED):
        seen = {}
        for trial in trials:
            key = (trial.name,) if solver == "dense" else (trial.name, trial.problem)
            work = next((cost.work for cost in costs_of(trial.problem) if cost.solver == solver), None)
            if work is not None and np.isfinite(trial.seconds[solver]):
                seen[key] = np.asarray(work) / trial.seconds[solver]
        rows += list(seen.values())
        weights += [1 / np.sqrt(len(seen))] * len(seen) if seen else []
    scale = np.asarray(weights)
    return Work(*nnls(np.asarray(rows) * scale[:, None], scale)[0].tolist())


def page(trials: Sequence[Trial]) -> str:
    """Give the text of the page."""
    ours = ratios(trials, _chosen)
    old = ratios(trials, before)
    summary = table(
        ("choice", "times the fastest, geometric mean", "worst", "share within 1.5"),
        [[name, *_words(each)] for name, each in (("auto, by the cost model", ours), ("before, by fixed limits", old))]
        + [[f"always {name}", *_words(ratios(trials, lambda _, name=name: name))] for name in _ITERATED],
    )
    fit = fitted_rates(trials)
    constants = [
        [name, f"{found:.2g}", f"{used:.2g}"]
        for name, found, used in zip(Work._fields, fit, RATES, strict=True)
        if name != "read"
    ]
    return "\n\n".join(
        [
            _METHOD,
            f"## Conclusion\n\n{_READING}\n\n{summary}",
            f"## Constants\n\n{_CONSTANTS}\n\n"
            + table(("work", "seconds per unit, fitted here", "in the code"), constants),
            "## Every problem\n\nSeconds; — means not tried, because it was estimated to take longer than "
            f"{_MOST:g} s, or failed.\n\n"
            + table(_HEADER, [_row(*each) for each in zip(trials, ours, old, strict=True)]),
            facts(),
        ]
    )


_METHOD = (
    "**Question.** LAPACK, ARPACK (Lanczos) and block Krylov give the same leading eigenpairs and singular "
    "triplets. Which one is fastest depends on shape, entries, components and tolerance. Does `auto` choose it?\n\n"
    "**Data.** Synthetic collections with planted topics (sparse), arrays with columns of decreasing size (dense), "
    "and kernel matrices of collections; double precision.\n\n"
    "**Method.** All three on the same problem, one process, one thread, warm caches, processor time, the best "
    "of up to three runs. A choice is judged by its time relative to that of the fastest solver. `auto` chooses "
    "LAPACK if it is estimated to take less than 0.02 s, because it is exact, and ARPACK only if it is estimated to "
    "be 1.5 times faster than the others: it can miss copies of a repeated value, cannot start from an earlier space, "
    "and does not benefit from more cores. Both rules make the ratios below slightly worse."
)
_READING = (
    "As of 2026-11-18, 150 problems, on a different machine than the one on which the constants were fitted: all of "
    "them are about half to two thirds as large there, so the choice is the same. The solver chosen by the cost model "
    "takes at most 1.5 times as long as the fastest for nearly nine of ten problems, and little more than three times "
    "as long for all. Fixed limits were up to fifteen times slower: for 200 components of a kernel matrix of 1,000 "
    "records, LAPACK is best. Block Krylov is the fastest for large sparse matrices, ARPACK for those of medium size "
    "and for small tolerances, if products are cheap and the method with the fewest products wins. The number of "
    "products that an iteration needs depends on the spectrum, which is not known in advance; this causes the worst "
    "cases."
)
_CONSTANTS = (
    "`RATES` of `tacit.solve.choice.costs` are fitted to all times by least squares of the relative errors. They come "
    "from one machine, so that the choice is the same on all machines; only their ratios matter. `read`, for rows that "
    "are not in memory, is not measured here."
)
_HEADER = ("problem", "k", "tol", "LAPACK", "Lanczos", "block Krylov", "auto", "its ratio", "before", "its ratio")


def _chosen(problem: ProblemSize) -> str:
    return cheapest(costs_of(problem))[0]


def _text(n: int, m: int) -> sp.csr_array:
    return sp.csr_array(planted_topics(n, n_terms=m, n_topics=50, dtype=np.float64)[0])


def _seconds(solve: Callable[[], object]) -> float:
    """Processor time, the best of up to three runs, infinity if the solver gives up; long runs have little noise."""
    best = np.inf
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(3):
            start = time.process_time()
            try:
                solve()
            except SolverError:
                return np.inf
            best = min(best, time.process_time() - start)
            if best > 0.15:
                break
    return max(float(best), 1e-6)


def _words(found: np.ndarray) -> list[str]:
    return [f"{np.exp(np.log(found).mean()):.2f}", f"{found.max():.1f}", f"{np.mean(found <= 1.5):.2f}"]


def _row(trial: Trial, ours: float, old: float) -> list[str]:
    return [
        trial.name,
        str(trial.problem.n_components),
        f"{trial.problem.tol:g}",
        *(_cell(trial.seconds[solver]) for solver in ("dense", *_ITERATED)),
        _chosen(trial.problem),
        f"{ours:.1f}",
        before(trial.problem),
        f"{old:.1f}",
    ]


def _cell(seconds: float) -> str:
    return f"{seconds:.3g}" if np.isfinite(seconds) else "—"


if __name__ == "__main__":
    main()
