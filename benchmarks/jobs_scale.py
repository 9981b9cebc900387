"""Jobs of truncated decompositions: ours in memory, on disk and on a cluster, those of others, and bare products."""

from __future__ import annotations

import atexit
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

import numpy as np
import scipy.linalg as la
import scipy.sparse as sp
from scipy.sparse.linalg import svds
from sklearn.decomposition import TruncatedSVD
from synthetic import planted_topics

from tacit import LSI
from tacit.operators.base import MatrixOperator, as_operator
from tacit.solve import leading_singular_triplets

__all__ = [
    "JOBS",
    "SOURCES",
    "exact_values",
    "gensim_lsi",
    "lsi",
    "lsi_counted",
    "products",
    "rows_folder",
    "scipy_svds",
    "truncated_svd",
]

Call = Sequence[Any]  # which product, with how many columns


def lsi(X: sp.csr_array, Y: sp.csr_array, *, positions: bool = True, **parameters: Any) -> np.ndarray:
    """Give the singular values; the positions of the records are made too, as others make them, unless told not to."""
    model = LSI(**parameters)
    model.fit_transform(X) if positions else model.fit(X)
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


def gensim_lsi(X: sp.csr_array, Y: sp.csr_array, *, n_components: int) -> np.ndarray:
    """Give the singular values by gensim in its own defaults.

    It gets the matrix as it likes it best, terms by records in columns, which is X itself turned: reading records one
    by one, as from its corpora, takes several times as long.
    """
    from gensim.models import LsiModel
    from gensim.utils import FakeDict

    turned = sp.csc_matrix((X.data, X.indices, X.indptr), shape=X.shape[::-1])
    model = LsiModel(turned, num_topics=n_components, id2word=FakeDict(X.shape[1]), random_seed=0)
    return np.asarray(model.projection.s[:n_components])


def lsi_rows(rows: Any, *, limit: int | None = None, **parameters: Any) -> np.ndarray:
    """Give the singular values from rows that are elsewhere; on disk, with so many bytes of them in memory."""
    if limit is not None:
        from tacit.operators.rows.disk import open_rows

        rows = open_rows(rows.folder, memory_limit=limit)
    return LSI(**parameters).fit(rows).singular_values_


def lsi_counted(X: sp.csr_array, Y: sp.csr_array, **parameters: Any) -> np.ndarray:
    """Give what products with X a fit makes: a row each, its place in `PRODUCTS` and how many columns."""
    with _counting() as calls:
        LSI(**parameters).fit(X)
    return np.array([(PRODUCTS.index(name), n_columns) for name, n_columns in calls])


def products(X: sp.csr_array, Y: sp.csr_array, *, calls: Sequence[Call], kernel: str) -> np.ndarray:
    """Make products with X and nothing else, as `lsi_counted` tells them; give the seconds of each."""
    multiply = _KERNELS[kernel](X)
    widest = max(n_columns for _, n_columns in calls)
    blocks = [np.ones((size, widest), X.dtype, order="F") for size in X.shape]
    seconds = []
    for which, n_columns in calls:
        block = _block(blocks, which, n_columns)
        start = time.perf_counter()
        multiply[PRODUCTS[which]](block)
        seconds.append(time.perf_counter() - start)
    return np.array(seconds)


PRODUCTS = ("gram", "turned gram", "forward", "backward")


def _block(blocks: Sequence[np.ndarray], which: int, n_columns: int) -> np.ndarray:
    """Give so many columns of the block that the product takes: as long as there are records, or terms."""
    return blocks[0 if PRODUCTS[which] in ("turned gram", "backward") else 1][:, :n_columns]


@contextmanager
def _counting() -> Iterator[list[tuple[str, int]]]:
    """Write down the products that are asked of a matrix; those within a Gram product belong to it."""
    turned = type(as_operator(np.eye(2)).T)  # where records are fewer than terms, it is this that is multiplied
    owners = (MatrixOperator, turned, MatrixOperator, MatrixOperator)
    places = dict(zip(PRODUCTS, zip(owners, ("gram", "gram", "_matmat", "_rmatmat"), strict=True), strict=True))
    originals = {name: getattr(*place) for name, place in places.items()}
    own = {place: place[0].__dict__.get(place[1]) for place in places.values()}
    calls: list[tuple[str, int]] = []
    inside = [False]

    def counted(name: str) -> Callable[[Any, np.ndarray], np.ndarray]:
        def multiply(self: Any, V: np.ndarray) -> np.ndarray:
            if inside[0]:  # threads of a product find it set too: whoever asked for it waits meanwhile
                return originals[name](self, V)
            calls.append((name, V.shape[1]))
            inside[0] = True
            try:
                return originals[name](self, V)
            finally:
                inside[0] = False

        return multiply

    for name, (owner, method) in places.items():
        setattr(owner, method, counted(name))
    try:
        yield calls
    finally:
        for (owner, method), original in own.items():
            delattr(owner, method) if original is None else setattr(owner, method, original)


def _by_operator(X: sp.csr_array) -> dict[str, Callable[[np.ndarray], np.ndarray]]:
    A = as_operator(X)
    return {"gram": A.gram, "turned gram": A.T.gram, "forward": A._matmat, "backward": A._rmatmat}


def _by_scipy(X: sp.csr_array) -> dict[str, Callable[[np.ndarray], np.ndarray]]:
    turned = X.T
    return {
        "gram": lambda V: turned @ (X @ V),
        "turned gram": lambda U: X @ (turned @ U),
        "forward": lambda V: X @ V,
        "backward": lambda U: turned @ U,
    }


_KERNELS = {"tacit": _by_operator, "scipy": _by_scipy}


def rows_folder(folder: Path, X: sp.csr_array) -> Path:
    """Write X as rows on disk beside its plain arrays, once, in shards so small that some fit into a limit."""
    from tacit.operators.rows.disk_writer import write_rows

    target = folder / "rows"
    if not target.exists():
        size = X.data.nbytes + X.indices.nbytes
        write_rows(target, X, bytes_per_shard=max(2**16, min(2**26, size // 16)))
    return target


def _disk(folder: Path) -> tuple[Any]:
    from tacit.operators.rows.disk import open_rows

    return (open_rows(folder / "rows"),)


def _cluster(folder: Path) -> tuple[Any]:
    from tacit.operators.rows.dask import cluster_rows

    return (cluster_rows(str(_disk(folder)[0].folder), _client()),)


@lru_cache(maxsize=1)
def _client() -> Any:
    """Start two workers, processes of their own with a thread each, on this machine, until the job ends."""
    from distributed import Client, LocalCluster

    cluster = LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None)
    client = Client(cluster)
    atexit.register(cluster.close)
    atexit.register(client.close)
    return client


@lru_cache(maxsize=1)
def _tiny_folder() -> Path:
    kept = tempfile.TemporaryDirectory()
    atexit.register(kept.cleanup)
    rows_folder(Path(kept.name), planted_topics(7_000, n_terms=1_200, n_topics=10)[0])
    return Path(kept.name)


JOBS: dict[str, Callable[..., np.ndarray]] = {
    "exact_values": exact_values,
    "gensim_lsi": gensim_lsi,
    "lsi": lsi,
    "lsi_cluster": lsi_rows,
    "lsi_counted": lsi_counted,
    "lsi_disk": lsi_rows,
    "products": products,
    "scipy_svds": scipy_svds,
    "truncated_svd": truncated_svd,
}

# how the input of a job is read, and something tiny of the same kind to warm up with
SOURCES: dict[str, tuple[Callable[[Path], tuple[Any, ...]], Callable[[], tuple[Any, ...]]]] = {
    "lsi_cluster": (_cluster, lambda: _cluster(_tiny_folder())),
    "lsi_disk": (_disk, lambda: _disk(_tiny_folder())),
}
