"""Row of `compare`: graphs of nearest neighbours and their embeddings against scikit-learn, at two sizes.

The smaller size is there for what scikit-learn does not finish at the larger one. How good an embedding is is measured
here, in double precision and from the graph alone, whatever a solver says of itself.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import scipy.linalg as la
import scipy.sparse as sp
from comparison import Comparison, repeats
from jobs import narrow, save, save_matrix
from runs import Job, Run, run, run_interleaved
from synthetic import planted_topics

from tacit.evaluate import overlap_ndcg
from tacit.relations.graphs.graph import Graph, as_graph

__all__ = ["GraphJudge", "compare_graphs", "found_neighbours"]

_N_NEIGHBOURS = 10
_TOL = 1e-3  # the default of ours; the peers get it too, and what they reach with it is what ours has to reach
_REFERENCE = 1e-6  # the error of a cost is about the square of its residual
_LEAST = 1e-9  # ARPACK overshoots to 1e-15 at times, by luck; below this an embedding is exact for any use
_ROUNDING = 1e-5  # of costs, which are between 0 and 2, with room to spare
_PATIENCE = 60.0  # seconds after which a job is not repeated
_N_ASKED = 500


class Plan(NamedTuple):
    """Sizes of the row; a peer is stopped after so many seconds, and ours is tried with these tolerances."""

    sizes: tuple[int, ...] = (10_000, 50_000)
    n_terms: int = 47_236
    n_labels: int = 100
    n_components: int = 100
    seconds: float = 300.0
    tols: tuple[float, ...] = (1e-2, 3e-3, 1e-3, 3e-4, 1e-4, 1e-5, 1e-6, 1e-8, 1e-10)

    @property
    def limits(self) -> dict[str, float]:
        """What a peer may take; a factorisation that fills memory would take the machine with it."""
        return {"seconds": self.seconds, "bytes": 0.7 * os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")}


class Data(NamedTuple):
    """The records of a size, which the folder holds as well, and others to ask with."""

    folder: Path
    X: sp.csr_array
    Y: sp.csr_array
    X_new: sp.csr_array
    Y_new: sp.csr_array


_SMALL = Plan((600,), n_terms=1_500, n_labels=10, n_components=10, seconds=60.0, tols=(1e-3, 1e-10))


def compare_graphs(folder: Path, *, small: bool, plan: Plan | None = None) -> Comparison:
    """Compare the graph, its embedding at equal residuals, and say what a whole fit takes."""
    plan = plan or (_SMALL if small else Plan())
    found = Comparison("Graphs and their embeddings against scikit-learn", _explained(plan), held="input")
    for n_records in plan.sizes:
        data = _made(folder / str(n_records), plan, n_records)
        W, making = _compare_searches(found, data, plan, small)
        spectrum = _compare_spectra(found, data, W, plan, small)
        _add_fits(found, data, plan, making + spectrum, small)
    return found


def _explained(plan: Plan) -> str:
    sizes = " and ".join(f"{size:,}" for size in plan.sizes)
    return (
        f"{sizes} records, {plan.n_terms:,} terms, {plan.n_labels} labels, float32; graphs of {_N_NEIGHBOURS} nearest "
        "neighbours by the cosine, connected if either is a neighbour of the other, with weights of 1; "
        f"k = {plan.n_components}. A method of another library is stopped after {plan.seconds / 60:g} minutes or at "
        "0.7 of the memory. All embed the largest connected component of the exact graph in float64; other libraries "
        f"get tol={_TOL:g}, and Tacit the loosest tolerance with which its residual is no larger, or below {_LEAST:g}. "
        f"Quality of a graph: the share of the nearest neighbours that it connects, for {_N_ASKED} records. Quality of "
        "an embedding: largest residual ‖D^−½ (L z − λ D z)‖ / ‖D^½ z‖ and largest error of a λ compared with Tacit "
        f"at tol={_REFERENCE:g}. Quality of a fit, from records to the regression: nDCG@10 for {_N_ASKED} new records "
        "as queries for others with the same labels."
    )


def _made(folder: Path, plan: Plan, n_records: int) -> Data:
    """Make the records of a size and leave them in a folder."""
    X, Y = planted_topics(n_records + _N_ASKED, n_terms=plan.n_terms, n_topics=plan.n_labels)
    folder.mkdir()
    data = Data(folder, X[:n_records], Y[:n_records], X[n_records:], Y[n_records:])
    save(folder, data.X, data.Y)
    return data


def _compare_searches(found: Comparison, data: Data, plan: Plan, small: bool) -> tuple[sp.csr_array, float]:
    """Compare the graphs; give the exact one of ours, and the seconds of the one that "auto" picks."""
    n_records = data.X.shape[0]
    exact, auto, theirs = (
        f"{n_records:,}: {name}" for name in ("neighbour_graph, exact", "neighbour_graph, auto", "kneighbors_graph")
    )
    options = {"n_neighbours": _N_NEIGHBOURS}
    jobs = {label: Job("neighbours", {**options, "search": label.split()[-1]}) for label in (exact, auto)}
    jobs[theirs] = Job("sklearn_neighbours", {**options, "limits": plan.limits})
    runs = run_interleaved(data.folder, jobs, repeats=repeats(small), patience=_PATIENCE)
    graphs = {label: _joined(took.result, n_records) for label, took in runs.items() if took.result.size}
    _add_ratio(found, theirs, exact, runs, at_least=1)
    _add_ratio(found, theirs, auto, runs)  # fast at the price of what it misses, so that no target is fair
    for label, took in runs.items():
        part = f"{found_neighbours(data.X, graphs[label], _N_NEIGHBOURS):.1%}" if label in graphs else _stopped(took)
        found.add_run(label, took, part)
    return graphs[exact], runs[auto].seconds


def _joined(pairs: np.ndarray, n_records: int) -> sp.csr_array:
    return sp.csr_array((np.ones(pairs.shape[1]), tuple(pairs)), shape=(n_records, n_records))


def found_neighbours(X: sp.csr_array, W: sp.csr_array, n_neighbours: int) -> float:
    """Give the part of the nearest neighbours, by comparison with every record, that a graph joins; of a sample."""
    n_records = X.shape[0]
    sample = np.random.default_rng(0).choice(n_records, min(_N_ASKED, n_records), replace=False)
    cosines = (X[sample] @ X.T).toarray()
    cosines[np.arange(sample.size), sample] = -np.inf
    nearest = np.argpartition(-cosines, n_neighbours - 1, axis=1)[:, :n_neighbours]
    near = np.take_along_axis(cosines, nearest, axis=1) > 0  # what has nothing in common is not near
    joined = np.asarray(W[np.repeat(sample, n_neighbours), nearest.ravel()]).reshape(near.shape) != 0
    return float(joined[near].mean())


def _compare_spectra(found: Comparison, data: Data, W: sp.csr_array, plan: Plan, small: bool) -> float:
    """Compare the embeddings of a graph; give the seconds of ours by default."""
    graph = _largest_piece(W)
    judge = GraphJudge(graph)
    _save_graph(data.folder, graph, judge.root)
    name, ours = f"{W.shape[0]:,}: ", Job("spectrum", {"n_components": plan.n_components, "tol": _TOL})
    peers = _peers(name, plan)
    first = {label: run(data.folder, job) for label, job in peers.items()}
    tols = _equal_tols(data.folder, judge, [ours.changed(tol=tol) for tol in plan.tols], first)
    own = {tol: f"{name}graph_spectrum, tol={tol:g}" for tol in sorted({_TOL, *tols.values()}, reverse=True)}
    jobs = {label: ours.changed(tol=tol) for tol, label in own.items()}
    quick = {label: job for label, job in peers.items() if not small and first[label].seconds <= _PATIENCE}
    runs = first | run_interleaved(data.folder, jobs | quick, repeats=repeats(small), patience=_PATIENCE)

    for label in peers:
        if first[label].result.size and label not in tols:
            raise RuntimeError(f"no tolerance of ours has a residual as small as that of {label}")
        # eigsh says what ARPACK can do without factors; the aim is scikit-learn
        wanted = 1 if "SpectralEmbedding" in label else None
        _add_ratio(found, label, own[tols.get(label, _TOL)], runs, at_least=wanted)
    reference = judge.costs(run(data.folder, ours.changed(tol=_REFERENCE)).result)
    for label in (*own.values(), *peers):
        took = runs[label]
        found.add_run(label, took, judge.verdict(took.result, reference) if took.result.size else _stopped(took))
    return runs[own[_TOL]].seconds


def _largest_piece(W: sp.csr_array) -> Graph:
    """Give the largest connected piece, since scikit-learn would spend dimensions on telling the pieces apart."""
    piece = as_graph(W).components()
    kept = np.flatnonzero(piece == np.bincount(piece).argmax())
    return as_graph(W[kept][:, kept])


def _save_graph(folder: Path, graph: Graph, root: np.ndarray) -> None:
    """Leave W in a folder, and D^−½ W D^−½ for eigsh."""
    weights = narrow(graph.parts[0].links().astype(np.float64))
    save_matrix(folder, "W", weights)
    save_matrix(folder, "R", sp.csr_array(sp.diags_array(root) @ weights @ sp.diags_array(root)))


def _peers(name: str, plan: Plan) -> dict[str, Job]:
    options = {"tol": _TOL, "limits": plan.limits}
    peers = {
        f"{name}SpectralEmbedding, {solver}": Job(
            "spectral_embedding", {"n_components": plan.n_components, "eigen_solver": solver, **options}
        )
        for solver in ("lobpcg", "arpack")
    }
    # one more, since the trivial vector is among what it finds
    return {**peers, f"{name}SciPy eigsh": Job("scipy_eigsh", {"n_components": plan.n_components + 1, **options})}


def _equal_tols(folder: Path, judge: GraphJudge, ours: Sequence[Job], peers: Mapping[str, Run]) -> dict[str, float]:
    """Give for each peer that ended the tolerance of the first of ours with no larger residual, if there is one."""
    wanted = {label: max(judge.residual(took.result), _LEAST) for label, took in peers.items() if took.result.size}
    equal: dict[str, float] = {}
    for job in ours:
        if len(equal) == len(wanted):
            break
        reached = judge.residual(run(folder, job).result)
        equal |= {
            label: job.options["tol"] for label, least in wanted.items() if label not in equal and reached <= least
        }
    return equal


def _add_fits(found: Comparison, data: Data, plan: Plan, parts: float, small: bool) -> None:
    """Add whole fits, and what they take beyond the graph and its embedding, which took `parts` seconds."""
    name = f"{data.X.shape[0]:,}: "
    plain, informed = f"{name}GraphEmbedding", f"{name}GraphEmbedding, label_weight=0.5"
    job = Job("graph_embedding", {"n_components": plan.n_components})
    jobs = {plain: job, informed: job.changed(label_weight=0.5)}
    runs = run_interleaved(data.folder, jobs, repeats=repeats(small), patience=_PATIENCE)
    found.add(f"time of {plain} / time of its graph and spectrum", runs[plain].seconds / parts)
    _add_ratio(found, informed, plain, runs)
    for label, took in runs.items():
        asked, searched = (np.asarray(X @ took.result.T) for X in (data.X_new, data.X))
        found.add_run(label, took, f"nDCG@10 {overlap_ndcg(asked, searched, data.Y_new, data.Y):.3f}")


def _add_ratio(
    found: Comparison, slow: str, quick: str, runs: Mapping[str, Run], *, at_least: float | None = None
) -> None:
    """Add ratios of time and memory; of what was stopped, the least that of time can be, and without a target.

    Its memory is left out: it holds the libraries too, which are not counted for the others.
    """
    ended = runs[slow].result.size > 0
    label = slow if ended else f"{slow}, stopped,"
    wanted = at_least if ended else None
    found.add(f"time of {label} / time of {quick}", runs[slow].seconds / runs[quick].seconds, at_least=wanted)
    if ended:
        found.add(f"memory of {label} / memory of {quick}", runs[slow].bytes / runs[quick].bytes)


def _stopped(took: Run) -> str:
    return f"stopped after {took.seconds:.0f} s with {took.bytes / 2**30:.1f} GiB, libraries included"


class GraphJudge:
    """Says how good an embedding of a graph is: columns z with (D − W) z = λ D z, in any scale."""

    def __init__(self, graph: Graph) -> None:
        self.graph, degrees = graph, graph.degrees
        self.root = np.divide(1, np.sqrt(degrees), out=np.zeros_like(degrees), where=degrees > 0)
        self.trivial = np.sqrt(degrees / degrees.sum())

    def residual(self, result: np.ndarray) -> float:
        """Give the largest ‖D^−½ (L z − λ D z)‖ / ‖D^½ z‖, where λ is the Rayleigh quotient of z."""
        U = self._directions(result)
        LU = self._times(U)
        return float(la.norm(LU - U * (U * LU).sum(axis=0), axis=0).max())

    def costs(self, result: np.ndarray) -> np.ndarray:
        """Give λ, smallest first, as the span of the columns has them; of a connected graph never below the true ones.

        The trivial vector is taken out: what is left of it in a column would make its cost look small.
        """
        U = self._directions(result)
        U = la.qr(U - np.outer(self.trivial, self.trivial @ U), mode="economic")[0]
        return np.asarray(la.eigvalsh(U.T @ self._times(U)))

    def verdict(self, result: np.ndarray, reference: np.ndarray) -> str:
        """Say in words how good a result is, by itself and beside costs that are to be exact."""
        errors = self.costs(result) - reference
        if errors.min() < -_ROUNDING:
            raise RuntimeError(f"the reference is not exact: another has a cost {-errors.min():.1e} below it")
        return f"residual {self.residual(result):.1e}, error {max(errors.max(), 0):.1e}"

    def _directions(self, result: np.ndarray) -> np.ndarray:
        """Give D^½ z as unit columns; eigsh gives them by itself, below a row of values and with the trivial one."""
        if len(result) == self.graph.n_records + 1:
            return np.asarray(result[1:, np.argsort(-result[0])[1:]])
        U = np.sqrt(self.graph.degrees)[:, None] * result.astype(np.float64)
        return np.asarray(U / la.norm(U, axis=0))

    def _times(self, U: np.ndarray) -> np.ndarray:
        """D^−½ (D − W) D^−½ U."""
        Z = self.root[:, None] * U
        return np.asarray(self.root[:, None] * (self.graph.degrees[:, None] * Z - self.graph @ Z))
