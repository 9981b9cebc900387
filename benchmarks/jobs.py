"""What `compare` measures: one job a process, `python jobs.py NAME FOLDER OPTIONS`, so that memory is this job's alone.

A job gets X and Y from the folder and gives one array, which is left there for the quality to be judged; time and
memory are printed as JSON. Memory is the peak resident size during the job, less what the process held before X was
read: X plus work.
"""

from __future__ import annotations

import ctypes
import gc
import json
import resource
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import numpy as np
import scipy.linalg as la
import scipy.sparse as sp
from scipy.sparse.linalg import svds
from sklearn.decomposition import TruncatedSVD
from synthetic import planted_topics

from tacit import HLSI, LSI, MLSI
from tacit.solve import leading_singular_triplets

__all__ = ["JOBS", "load", "save", "x_bytes"]

_STATUS, _CLEAR = Path("/proc/self/status"), Path("/proc/self/clear_refs")


def main(name: str, folder: Path, options: dict[str, Any]) -> None:
    """Run a job and print what it took."""
    job = JOBS[name]
    tiny = planted_topics(400, n_terms=600, n_topics=10)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a tiny X may have fewer dimensions than asked for
        job(*tiny, **options | {"n_components": 5})  # libraries load parts of themselves, and buffers, on first use
    _give_back()
    before = _memory("VmRSS")
    X, Y = load(folder)
    _reset_peak()
    start = time.perf_counter()
    result = job(X, Y, **options)
    seconds = time.perf_counter() - start
    work = _memory("VmHWM") - before
    np.save(folder / "result.npy", result)
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


JOBS: dict[str, Callable[..., np.ndarray]] = {
    "exact_values": exact_values,
    "hlsi": hlsi,
    "literal_dual": literal_dual,
    "lsi": lsi,
    "mlsi": mlsi,
    "scipy_svds": scipy_svds,
    "truncated_svd": truncated_svd,
}


def save(folder: Path, X: sp.csr_array, Y: sp.csr_array) -> None:
    """Leave X and Y in a folder as plain arrays, which are read without a copy in between."""
    for name, matrix in (("X", X), ("Y", Y)):
        for part in ("data", "indices", "indptr"):
            np.save(folder / f"{name}_{part}.npy", getattr(matrix, part))
        np.save(folder / f"{name}_shape.npy", np.array(matrix.shape))


def load(folder: Path) -> tuple[sp.csr_array, sp.csr_array]:
    """Read what `save` left."""
    X, Y = (
        sp.csr_array(
            tuple(np.load(folder / f"{name}_{part}.npy") for part in ("data", "indices", "indptr")),
            shape=tuple(np.load(folder / f"{name}_shape.npy").tolist()),
        )
        for name in "XY"
    )
    return X, Y


def x_bytes(X: sp.csr_array) -> int:
    """Give the memory that a sparse matrix takes."""
    return int(X.data.nbytes + X.indices.nbytes + X.indptr.nbytes)


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
