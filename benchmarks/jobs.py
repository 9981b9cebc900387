"""What `compare` measures: one job a process, `python jobs.py NAME FOLDER OPTIONS`, so that memory is this job's alone.

A job gets its input from the folder, most of them X and Y, and gives one array, which is left there for the quality to
be judged; time and memory are printed as JSON. Memory is the peak resident size during the job, less what the process
held before its input was read: X plus work. With the option `limits` a job is stopped when it takes more time or memory
than that; it leaves an empty array then, and what it took so far.
"""

from __future__ import annotations

import ctypes
import gc
import json
import resource
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, NamedTuple

import jobs_index
import numpy as np
import scipy.linalg as la
import scipy.sparse as sp
from scipy.sparse.linalg import eigsh, svds
from sklearn.decomposition import TruncatedSVD
from sklearn.manifold import SpectralEmbedding
from sklearn.neighbors import kneighbors_graph
from synthetic import RELATIONS, Blocks, planted_relations, planted_topics

from tacit import HLSI, LSI, MLSA, MLSI, GraphEmbedding, Relations
from tacit.models.graph_spectrum import graph_spectrum
from tacit.relations.graph import Graph, as_graph
from tacit.relations.neighbours import neighbour_graph
from tacit.solve import leading_singular_triplets

__all__ = ["JOBS", "assembled", "load", "narrow", "places_of", "save", "save_matrix", "save_relations", "x_bytes"]

_STATUS, _CLEAR = Path("/proc/self/status"), Path("/proc/self/clear_refs")


def main(name: str, folder: Path, options: dict[str, Any]) -> None:
    """Run a job and print what it took."""
    if "limits" in options:
        _run_within(options.pop("limits"), [sys.executable, __file__, name, str(folder), json.dumps(options)], folder)
        return
    job, source = JOBS[name], SOURCES.get(name, _COLLECTION)
    few = {"n_components": 5} if "n_components" in options else {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a tiny X may have fewer dimensions than asked for
        job(*source.tiny(), **options | few)  # libraries load parts of themselves, and buffers, on first use
    _give_back()
    before = _memory("VmRSS")
    given = source.load(folder)
    _give_back()
    _reset_peak()
    start = time.perf_counter()
    result = job(*given, **options)
    seconds = time.perf_counter() - start
    work = _memory("VmHWM") - before
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
    B = K @ la.inv(C) @ K + shrinkage * K
    n = len(K)
    _, alpha = la.eigh(K @ K, (B + B.T) / 2, subset_by_index=(n - n_components, n - 1))
    return la.qr(K @ alpha, mode="economic")[0]


def lsi(X: sp.csr_array, Y: sp.csr_array, **parameters: Any) -> np.ndarray:
    model = LSI(**parameters)
    model.fit_transform(X)
    return model.singular_values_


def exact_values(X: sp.csr_array, Y: sp.csr_array, *, n_components: int) -> np.ndarray:
    """Give singular values to about ten digits, which others are judged by.

    The error of a value is about the square of its residual, so 1e-5 is enough; both residuals are computed anew here,
    from X and the vectors alone, since a reference must not rest on its own word.
    """
    X = X.astype(np.float64)
    found = leading_singular_triplets(X, n_components, tol=1e-5, max_iter=1000)
    U, V = found.left, found.right
    assert U is not None
    residual = max(la.norm(X @ V - U * found.values, axis=0).max(), la.norm(X.T @ U - V * found.values, axis=0).max())
    strange = max(np.abs(each.T @ each - np.eye(n_components)).max() for each in (U, V))
    if residual > 1e-4 * found.values[-1] or strange > 1e-6:
        raise RuntimeError(f"the reference is not exact: residual {residual:.1e}, vectors orthogonal to {strange:.1e}")
    return found.values


def truncated_svd(X: sp.csr_array, Y: sp.csr_array, *, n_components: int) -> np.ndarray:
    model = TruncatedSVD(n_components, random_state=0)
    model.fit_transform(X)
    return model.singular_values_


def scipy_svds(
    X: sp.csr_array,
    Y: sp.csr_array,
    *,
    n_components: int,
    solver: Literal["arpack", "propack"],
    tol: float,
) -> np.ndarray:
    return np.sort(svds(X, n_components, solver=solver, tol=tol, random_state=0)[1])[::-1]


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
    "exact_values": exact_values,
    "graph_embedding": graph_embedding,
    "hlsi": hlsi,
    "literal_dual": literal_dual,
    "lsi": lsi,
    "mlsa": mlsa,
    "mlsi": mlsi,
    "neighbours": neighbours,
    "relate": relate,
    "scipy_eigsh": scipy_eigsh,
    "scipy_svds": scipy_svds,
    "sklearn_neighbours": sklearn_neighbours,
    "spectral_embedding": spectral_embedding,
    "spectrum": spectrum,
    "svd_and_svc": jobs_index.svd_and_svc,
    "truncated_svd": truncated_svd,
}


class Source(NamedTuple):
    """Where the input of a job comes from: the folder, and something tiny of the same kind to warm up with."""

    load: Callable[[Path], tuple[Any, ...]]
    tiny: Callable[[], tuple[Any, ...]]


def save(folder: Path, X: sp.csr_array, Y: sp.csr_array) -> None:
    """Leave X and Y in a folder."""
    save_matrix(folder, "X", X)
    save_matrix(folder, "Y", Y)


def load(folder: Path) -> tuple[sp.csr_array, sp.csr_array]:
    """Read what `save` left."""
    return _load_matrix(folder, "X"), _load_matrix(folder, "Y")


def save_relations(folder: Path, blocks: Blocks) -> None:
    """Leave the matrices of several relations in a folder."""
    for pair, matrix in blocks.items():
        save_matrix(folder, "-".join(pair), matrix)


def save_matrix(folder: Path, name: str, matrix: sp.csr_array) -> None:
    """Leave a matrix in a folder as plain arrays, which are read without a copy in between."""
    for part in ("data", "indices", "indptr"):
        np.save(folder / f"{name}_{part}.npy", getattr(matrix, part))
    np.save(folder / f"{name}_shape.npy", np.array(matrix.shape))


def _load_matrix(folder: Path, name: str) -> sp.csr_array:
    parts = tuple(np.load(folder / f"{name}_{part}.npy") for part in ("data", "indices", "indptr"))
    return sp.csr_array(parts, shape=tuple(np.load(folder / f"{name}_shape.npy").tolist()))


def _load_relations(folder: Path) -> Blocks:
    return {pair: _load_matrix(folder, "-".join(pair)) for pair in RELATIONS}


def _tiny_relations() -> Blocks:
    return planted_relations({"user": 400, "item": 300, "word": 200, "tag": 50}, 8_000, n_topics=10)[0]


def _tiny_graph() -> sp.csr_array:
    X, _ = planted_topics(400, n_terms=600, n_topics=10, dtype=np.float64)
    return narrow(neighbour_graph(X).parts[0].weights)


def narrow(matrix: sp.csr_array) -> sp.csr_array:
    """Give a matrix with indices of 32 bits, the only ones that scikit-learn's ARPACK takes."""
    indices, indptr = matrix.indices.astype(np.int32), matrix.indptr.astype(np.int32)
    return sp.csr_array((matrix.data, indices, indptr), shape=matrix.shape)


_COLLECTION = Source(load, lambda: planted_topics(400, n_terms=600, n_topics=10))
_BLOCKS = Source(lambda folder: (_load_relations(folder),), lambda: (_tiny_relations(),))

SOURCES = {
    "assemble": _BLOCKS,
    "build_index": Source(jobs_index.load_path, jobs_index.tiny_path),
    "mlsa": Source(lambda folder: (related(_load_relations(folder)),), lambda: (related(_tiny_relations()),)),
    "relate": _BLOCKS,
    "scipy_eigsh": Source(lambda folder: (_load_matrix(folder, "R"),), lambda: (assembled(_tiny_relations()),)),
    "spectral_embedding": Source(lambda folder: (_load_matrix(folder, "W"),), lambda: (_tiny_graph(),)),
    "svd_and_svc": Source(jobs_index.load_texts, jobs_index.tiny_texts),
    "spectrum": Source(lambda folder: (as_graph(_load_matrix(folder, "W")),), lambda: (as_graph(_tiny_graph()),)),
}


def x_bytes(X: sp.csr_array) -> int:
    """Give the memory that a sparse matrix takes."""
    return int(X.data.nbytes + X.indices.nbytes + X.indptr.nbytes)


def _run_within(limits: dict[str, float], command: list[str], folder: Path) -> None:
    """Run a job in a process below this one, which a solver that never looks up can be stopped from outside."""
    if "bytes" in limits:
        most = int(limits["bytes"])
        resource.setrlimit(resource.RLIMIT_AS, (most, most))  # what is started from here inherits it
    start = time.perf_counter()
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=limits.get("seconds"))
    except subprocess.TimeoutExpired:
        done = None
    seconds = time.perf_counter() - start
    if done is not None and "MemoryError" not in done.stderr:
        print(done.stdout, end="")
        sys.exit(done.stderr if done.returncode else 0)
    np.save(folder / "result.npy", np.empty(0))
    unit = 1 if sys.platform == "darwin" else 1024
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * unit
    print(json.dumps({"seconds": seconds, "bytes": peak}))


def _give_back() -> None:
    """Return freed memory to the system: the job would reuse what the warm-up left behind, and it would not count."""
    gc.collect()
    try:
        ctypes.CDLL("libc.so.6").malloc_trim(0)
    except (AttributeError, OSError):  # not glibc
        return


def _memory(field: str) -> int:
    """Give resident memory (VmRSS) or its peak (VmHWM) in bytes; outside Linux the peak stands for both."""
    if _STATUS.exists():
        for line in _STATUS.read_text(encoding="ascii").splitlines():
            if line.startswith(f"{field}:"):
                return int(line.split()[1]) * 1024
    unit = 1 if sys.platform == "darwin" else 1024
    return int(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss) * unit


def _reset_peak() -> None:
    """Make the peak start from now; where that is not allowed, the peak so far stays, which can only be larger."""
    try:
        _CLEAR.write_text("5", encoding="ascii")
    except OSError:
        return


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), json.loads(sys.argv[3]))
