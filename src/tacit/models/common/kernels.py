"""Kernels for models: exact if the matrix fits into memory, else with Nyström landmarks; label kernels as features."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import scipy.linalg as la
from sklearn.metrics.pairwise import PAIRWISE_KERNEL_FUNCTIONS

from tacit.checks import check_choice, check_count, check_finite, check_rows, human_size, is_sparse
from tacit.errors import InputError
from tacit.machine import available_memory
from tacit.models.base import warn
from tacit.operators import Kernel, kernel_matrix
from tacit.relations.labels.matrix import LabelMatrix
from tacit.types import Array

__all__ = [
    "check_dense_memory",
    "check_kernel",
    "kernel_rows",
    "label_features",
    "landmark_features",
    "precomputed_label_features",
    "training_kernel",
    "uses_landmarks",
]

EXACT_LIMIT = 5_000  # records up to which "auto" keeps the kernel matrix itself
DEFAULT_LANDMARKS = 1_000
LABEL_FEATURE_LIMIT = 500

_ADVICE = {
    "n_landmarks": "Set n_landmarks (e.g. 1000), or use the linear kernel.",
    "solver": "Use solver='auto'.",
    "label_kernel": "Use label_kernel='linear'.",
}


def check_kernel(name: str, kernel: Kernel) -> None:
    """Raise if a kernel is neither a callable nor one of the known names."""
    if not callable(kernel):
        check_choice(name, kernel, sorted({*PAIRWISE_KERNEL_FUNCTIONS, "precomputed"}))


def uses_landmarks(n_records: int, kernel: Kernel, n_landmarks: Any) -> bool:
    """Whether a kernel model uses Nyström landmarks."""
    if n_landmarks is None or kernel == "precomputed":
        return False
    if n_landmarks == "auto":
        return n_records > EXACT_LIMIT
    return check_count("n_landmarks", n_landmarks) < n_records


def check_dense_memory(n: int, dtype: Any, argument: str, *, what: str = "records") -> None:
    """Raise if an n x n matrix does not fit into memory, with its size and the argument that helps."""
    needed = 3 * n * n * np.dtype(dtype).itemsize  # the matrix, its eigenvectors, and LAPACK's workspace
    memory = available_memory()
    if needed > memory:
        raise InputError(
            f"there are too many {what} for a dense matrix of all their pairs: got {n}, which needs "
            f"{human_size(needed)}, expected at most the {human_size(memory)} that are free. {_ADVICE[argument]}"
        )


def kernel_rows(X: Any, reference: Any, kernel: Kernel, params: Mapping[str, Any] | None) -> Array:
    """Return k(x, r) for each row of X and each reference record; X itself if it is precomputed."""
    if kernel == "precomputed":
        return np.asarray(X.toarray() if is_sparse(X) else X)
    return kernel_matrix(X, reference, kernel, params).astype(X.dtype, copy=False)


def training_kernel(X: Any, kernel: Kernel, params: Mapping[str, Any] | None) -> Array:
    """Return k(x_i, x_j) for all pairs of training records; raise if a user's matrix or function is not symmetric."""
    if kernel == "precomputed" and X.shape[0] != X.shape[1]:
        raise InputError(
            f"X is not a kernel matrix: got shape {X.shape}, expected k(x_i, x_j) for all pairs of records, which is "
            "square."
        )
    K = kernel_rows(X, X, kernel, params)
    if (callable(kernel) or kernel == "precomputed") and not _is_symmetric(K):
        source = "X" if kernel == "precomputed" else "kernel"
        raise InputError(
            f"{source} is not symmetric: got k(x_i, x_j) that differs from k(x_j, x_i), expected a symmetric kernel."
        )
    return K


def landmark_features(
    X: Any,
    kernel: Kernel,
    params: Mapping[str, Any] | None,
    n_landmarks: Any,
    n_components: int,
    rng: np.random.Generator,
) -> tuple[Any, Array, Array]:
    """Return Nyström landmarks, the map from k(x, landmarks) to features, and the features of X.

    K ≈ K_nm K_mm⁺ K_mn = Φ Φᵀ with Φ = K_nm E s^(−1/2), K_mm = E s Eᵀ.
    """
    n = X.shape[0]
    m = min(n, max(DEFAULT_LANDMARKS, 4 * n_components)) if n_landmarks == "auto" else min(n, int(n_landmarks))
    if n_landmarks == "auto":
        warn(
            f"the exact kernel matrix of {n} records would take {human_size(n * n * X.dtype.itemsize)}: "
            f"used {m} Nyström landmarks. Set n_landmarks to choose their number, None for the exact matrix."
        )
    landmarks = X[np.sort(rng.choice(n, m, replace=False))]
    values, vectors = la.eigh(training_kernel(landmarks, kernel, params))
    real = values > values.max() * m * np.finfo(X.dtype).eps * 10
    lift = (vectors[:, real] / np.sqrt(values[real])).astype(X.dtype)
    step = max(1, 2**25 // m)
    features = np.concatenate(
        [kernel_rows(X[i : i + step], landmarks, kernel, params) @ lift for i in range(0, n, step)]
    )
    return landmarks, lift, features


def label_features(labels: LabelMatrix, kernel: Kernel, params: Mapping[str, Any] | None, dtype: Any) -> Any:
    """Return features F with F Fᵀ = K_y, the label kernel; zero rows for unknown labels.

    A label kernel depends only on the pair of label *sets*, so it is computed and factored for the u distinct sets:
    K_y = E S Eᵀ, with E the N x u membership matrix. If there are very many sets, the leading directions are kept.
    """
    if kernel == "linear":
        return labels.indicator.astype(dtype)
    membership, sets = labels.distinct()
    check_dense_memory(sets.shape[0], np.float64, "label_kernel", what="distinct label sets")
    S = training_kernel(sets.toarray(), kernel, params)
    counts = np.maximum(np.asarray(membership.sum(axis=0)).ravel(), 1)
    # weighting by the number of records makes the truncation the best one of the N x N matrix
    root = np.sqrt(counts)
    features = _factor(root[:, None] * S * root) / root[:, None]
    return np.asarray(membership @ features).astype(dtype)


def precomputed_label_features(K_y: Any, n_records: int, dtype: Any) -> Array:
    """Return features F with F Fᵀ = K_y for a precomputed label kernel."""
    if K_y is None:
        raise InputError("y is missing: got None, expected the label kernel matrix for label_kernel='precomputed'.")
    K = np.asarray(K_y.toarray() if is_sparse(K_y) else K_y, dtype=np.float64)
    if K.ndim != 2 or K.shape[0] != K.shape[1]:
        raise InputError(
            f"y is not a label kernel: got shape {K.shape}, expected a square matrix for label_kernel='precomputed'."
        )
    check_rows("y", len(K), n_records)
    check_finite("y", K)
    if not _is_symmetric(K):
        raise InputError(
            "y is not a label kernel: got a matrix that is not symmetric, expected k(y_i, y_j) = k(y_j, y_i)."
        )
    return _factor(K).astype(dtype)


def _is_symmetric(K: Array) -> bool:
    return bool(np.allclose(K, K.T, rtol=1e-4, atol=1e-6 * np.abs(K).max(initial=0)))


def _factor(S: Array) -> Array:
    """Return F with F Fᵀ = S for a positive semi-definite S, at most `LABEL_FEATURE_LIMIT` columns."""
    values, vectors = la.eigh((S + S.T) / 2)
    top = max(float(values.max(initial=0)), np.finfo(float).tiny)
    if values.min(initial=0) < -1e-6 * top:
        raise InputError(
            f"label_kernel is not positive semi-definite: got an eigenvalue of {values.min():.3g}, expected none "
            "below 0."
        )
    keep = np.flatnonzero(values > top * len(S) * np.finfo(float).eps)[::-1]
    if keep.size > LABEL_FEATURE_LIMIT:
        share = values[keep[:LABEL_FEATURE_LIMIT]].sum() / values[keep].sum()
        warn(
            f"label_kernel has rank {keep.size}: kept its {LABEL_FEATURE_LIMIT} leading directions, "
            f"{share:.1%} of its trace."
        )
        keep = keep[:LABEL_FEATURE_LIMIT]
    return np.asarray(vectors[:, keep] * np.sqrt(values[keep]))
