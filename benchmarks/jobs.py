"""What `compare` measures: one job a process, `python jobs.py NAME FOLDER OPTIONS`, so that memory is this job's alone.

A job gets its input from the folder, most of them X and Y, and gives one array, which is left there for the quality to
be judged; time and memory are printed as JSON. Memory is the peak resident size during the job, less what the process
held before its input was read: X plus work. A job with limits is stopped by `measuring.py` when it takes more time or
memory than that; it leaves an empty array then, and what it took so far.
"""

from __future__ import annotations

import json
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import jobs_index
import jobs_scale
import numpy as np
import scipy.linalg as la
import scipy.sparse as sp
from jobs_scale import exact_values
from matrices import load, load_matrix, narrow, save, save_matrix, x_bytes
from measuring import give_back, memory, reset_peak
from scipy.sparse.linalg import eigsh
from sklearn.manifold import SpectralEmbedding
from sklearn.neighbors import kneighbors_graph
from synthetic import RELATIONS, Blocks, planted_relations, planted_topics

from tacit import HLSI, MLSA, MLSI, GraphEmbedding, Relations
from tacit.models.graphs.spectrum import graph_spectrum
from tacit.relations.graphs.graph import Graph, as_graph
from tacit.relations.graphs.neighbours import neighbour_graph

__all__ = [
    "JOBS",
    "assembled",
    "exact_values",
    "load",
    "narrow",
    "places_of",
    "save",
    "save_matrix",
    "save_relations",
    "x_bytes",
]


def main(name: str, folder: Path, options: dict[str, Any]) -> None:
    """Run a job and print what it took."""
    job, source = JOBS[name], SOURCES.get(name, _COLLECTION)
    few = {"n_components": min(source.most, options["n_components"])} if "n_components" in options else {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a tiny X may have fewer dimensions than asked for
        job(*source.tiny(), **options | few)  # libraries load parts of themselves, and buffers, on first use
    give_back()
    before = memory("VmRSS")
    given = source.load(folder)
    give_back()
    reset_peak()
    start = time.perf_counter()
    result = job(*given, **options)
    seconds = time.perf_counter() - start
    work = memory("VmHWM") - before
    np.save(folder / "result.npy", np.concatenate(result) if isinstance(result, list) else result)
    print(json.dumps({"seconds": seconds, "bytes": work}))


def mlsi(X: sp.csr_array, Y: sp.csr_array, **parameters: Any) -> np.ndarray:
    return MLSI(**parameters).fit(X, Y).embedding_


def hlsi(X: sp.csr_array, Y: sp.csr_array, **parameters: Any) -> np.ndarray:
    return HLSI(**parameters).fit(X, Y).costs_


def literal_dual(
    X: sp.csr_array, Y: sp.csr_array, *, n_components: int, label_weight: float, shrinkage: float, ridge: float
) -> np.ndarray:
    """Solve eq. (12) as printed, K² α = λ [K C⁻¹ K + γ K] α, with dense matrices; give an orthonormal basis of K α."""
    K = np.asarray((X @ X.T).toarray(), dtype=np.float64)
    K_labels = np.asarray((Y @ Y.T).toarray(), dtype=np.float64)
    K_labels *= np.trace(K) / np.trace(K_labels)  # equal traces, sec. 2
    K[np.diag_indices_from(K)] += ridge * np.trace(K) / len(K)  # footnote 4
    C = (1 - label_weight) * K + label_weight * K_labels
    gamma = shrinkage * ridge * Y.shape[1] / len(K)  # the unit of the parameter, as words and labels have equal traces
    B = K @ la.inv(C) @ K + gamma * K
    n = len(K)
    _, alpha = la.eigh(K @ K, (B + B.T) / 2, subset_by_index=(n - n_components, n - 1))
    return la.qr(K @ alpha, mode="economic")[0]


def mlsa(graph: Relations, *, product_weight: float = 0.0, **parameters: Any) -> list[np.ndarray]:
    """Give a row of eigenvalues, then the eigenvectors, a row an object."""
    if product_weight:
        graph = graph.add_product(("user", "item"), ("item", "word"), weight=product_weight)
    model = MLSA(**parameters).fit(graph)
    return [model.eigenvalues_[None], *model.concepts_.values()]


def scipy_eigsh(R: sp.csr_array, *, n_components: int, tol: float) -> list[np.ndarray]:
    """Give the same as `mlsa` from the whole matrix, in the order of SciPy: to sort would be a copy that counts."""
    start = np.random.default_rng(0).standard_normal(R.shape[0]).astype(R.dtype)
    values, vectors = eigsh(R, n_components, which="LA", tol=tol, v0=start)
    return [values[None], vectors]


def relate(blocks: Blocks) -> np.ndarray:
    return np.array([related(blocks).n_objects])


def assemble(blocks: Blocks, *, product_weight: float = 0.0) -> np.ndarray:
    return np.array([assembled(blocks, product_weight).nnz])


def related(blocks: Blocks) -> Relations:
    """Give the matrices as Tacit takes them."""
    graph = Relations()
    for pair, matrix in blocks.items():
        graph = graph.add(*pair, matrix)
    return graph


def assembled(blocks: Blocks, product_weight: float = 0.0) -> sp.csr_array:
    """Give the one symmetric matrix of all relations, with user-word multiplied out if it has a weight.

    By sums, which take about two thirds of the time and of the memory of SciPy's `block_array`: who compares himself
    with others gives them the best he knows.
    """
    places = places_of(blocks)
    n, starts = max(place.stop for place in places.values()), {kind: place.start for kind, place in places.items()}
    R = sp.csr_array((n, n), dtype=next(iter(blocks.values())).dtype)
    for (row, column), block in blocks.items():
        R = R + _placed(block, starts[row], starts[column], n)
    if product_weight:
        words = sp.csr_array(blocks["user", "item"] @ blocks["item", "word"])
        words.data *= words.dtype.type(product_weight)
        R = R + _placed(words, starts["user"], starts["word"], n)
        del words
    return sp.csr_array(R + R.T)


def places_of(blocks: Blocks) -> dict[str, slice]:
    """Give the places of each type in the order of all objects: type by type, as they come."""
    sizes = {kind: size for pair, block in blocks.items() for kind, size in zip(pair, block.shape, strict=True)}
    ends = np.cumsum(list(sizes.values())).tolist()
    return {kind: slice(end - size, end) for (kind, size), end in zip(sizes.items(), ends, strict=True)}


def _placed(block: sp.csr_array, row: int, column: int, n: int) -> sp.csr_array:
    """Put a block into an empty n x n matrix; the numbers are shared."""
    before, after = np.zeros(row, block.indptr.dtype), np.full(n - row - block.shape[0], block.nnz, block.indptr.dtype)
    indptr = np.concatenate([before, block.indptr, after])
    return sp.csr_array((block.data, block.indices + block.indices.dtype.type(column), indptr), shape=(n, n))


def neighbours(X: sp.csr_array, Y: sp.csr_array, *, n_neighbours: int, search: str) -> np.ndarray:
    """Give the joined pairs: a row of first and a row of second records."""
    return np.stack(sp.coo_array(neighbour_graph(X, n_neighbours, search=search).parts[0].weights).coords)


def sklearn_neighbours(X: sp.csr_array, Y: sp.csr_array, *, n_neighbours: int) -> np.ndarray:
    arcs = kneighbors_graph(X, n_neighbours, metric="cosine")
    return np.stack(sp.coo_array(arcs.maximum(arcs.T)).coords)


def spectrum(graph: Graph, *, n_components: int, tol: float) -> np.ndarray:
    return graph_spectrum(graph, n_components, tol=tol, rng=np.random.default_rng(0)).embedding


def spectral_embedding(W: sp.csr_array, *, n_components: int, eigen_solver: str, tol: float) -> np.ndarray:
    model = SpectralEmbedding(
        n_components, affinity="precomputed", eigen_solver=eigen_solver, eigen_tol=tol, random_state=0
    )
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message="ARPACK has failed")  # else the time of another solver would be given
        return model.fit_transform(W)


def graph_embedding(X: sp.csr_array, Y: sp.csr_array, **parameters: Any) -> np.ndarray:
    return GraphEmbedding(**parameters).fit(X, Y).components_


JOBS: dict[str, Callable[..., np.ndarray | list[np.ndarray]]] = {
    "assemble": assemble,
    "build_index": jobs_index.build_index,
    "graph_embedding": graph_embedding,
    "hlsi": hlsi,
    "literal_dual": literal_dual,
    "mlsa": mlsa,
    "mlsi": mlsi,
    "neighbours": neighbours,
    "relate": relate,
    "scipy_eigsh": scipy_eigsh,
    "sklearn_neighbours": sklearn_neighbours,
    "spectral_embedding": spectral_embedding,
    "spectrum": spectrum,
    "svd_and_svc": jobs_index.svd_and_svc,
    **jobs_scale.JOBS,
}


class Source(NamedTuple):
    """Where the input of a job comes from: the folder, and something tiny of the same kind to warm up with.

    `most` is how many dimensions the warm-up has at most.
    """

    load: Callable[[Path], tuple[Any, ...]]
    tiny: Callable[[], tuple[Any, ...]]
    most: int = 5


def save_relations(folder: Path, blocks: Blocks) -> None:
    """Leave the matrices of several relations in a folder."""
    for pair, matrix in blocks.items():
        save_matrix(folder, "-".join(pair), matrix)


def _load_relations(folder: Path) -> Blocks:
    return {pair: load_matrix(folder, "-".join(pair)) for pair in RELATIONS}


def _tiny_relations() -> Blocks:
    return planted_relations({"user": 400, "item": 300, "word": 200, "tag": 50}, 8_000, n_topics=10)[0]


def _tiny_graph() -> sp.csr_array:
    X, _ = planted_topics(400, n_terms=600, n_topics=10, dtype=np.float64)
    return narrow(neighbour_graph(X).parts[0].weights)


_COLLECTION = Source(load, lambda: planted_topics(400, n_terms=600, n_topics=10))
# so many entries and dimensions that kernels for the processor are made in the warm-up, if there are any
_LESS_TINY = Source(load, lambda: planted_topics(7_000, n_terms=1_200, n_topics=10), most=50)
_BLOCKS = Source(lambda folder: (_load_relations(folder),), lambda: (_tiny_relations(),))

SOURCES = {
    "assemble": _BLOCKS,
    "build_index": Source(jobs_index.load_path, jobs_index.tiny_path),
    "mlsa": Source(lambda folder: (related(_load_relations(folder)),), lambda: (related(_tiny_relations()),)),
    "relate": _BLOCKS,
    "scipy_eigsh": Source(lambda folder: (load_matrix(folder, "R"),), lambda: (assembled(_tiny_relations()),)),
    "spectral_embedding": Source(lambda folder: (load_matrix(folder, "W"),), lambda: (_tiny_graph(),)),
    "svd_and_svc": Source(jobs_index.load_texts, jobs_index.tiny_texts),
    "spectrum": Source(lambda folder: (as_graph(load_matrix(folder, "W")),), lambda: (as_graph(_tiny_graph()),)),
    **dict.fromkeys(("hlsi", "mlsi", *jobs_scale.JOBS), _LESS_TINY),
    **{name: Source(*source, most=50) for name, source in jobs_scale.SOURCES.items()},
}


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), json.loads(sys.argv[3]))
