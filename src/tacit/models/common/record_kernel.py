"""From records to their kernel: what stands for the records, and K held in one of its forms.

With the linear kernel the records stand for themselves. With another kernel it is the matrix of all pairs, or Nyström
features where that would be too large.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tacit.checks import is_sparse
from tacit.errors import InputError
from tacit.models.common.kernel_forms import DualForm, PrimalForm, RecordForm
from tacit.models.common.kernels import check_fits, landmark_features, training_kernel, uses_landmarks
from tacit.models.common.product_forms import AugmentedForm
from tacit.models.common.wide_form import WideForm
from tacit.operators import Kernel
from tacit.operators.base import Array

__all__ = ["check_positive", "hold", "record_features", "record_products"]


def record_features(
    X: Any,
    kernel: Kernel,
    params: Mapping[str, Any] | None,
    *,
    n_landmarks: Any,
    n_components: int,
    rng: np.random.Generator,
) -> tuple[Any, Any, Array | None]:
    """Give what stands for the records, the records that k(x, ·) is computed with, and the map of the landmarks.

    The second is None where no kernel is computed, the third where there are no landmarks; then a kernel other than the
    linear one gives the N x N matrix.
    """
    if kernel == "linear":
        return X, None, None
    if uses_landmarks(X.shape[0], kernel, n_landmarks):
        landmarks, lift, features = landmark_features(X, kernel, params, n_landmarks, n_components, rng)
        return features, landmarks, lift
    check_fits(X.shape[0], X.dtype, "n_landmarks")
    return training_kernel(X, kernel, params), None if kernel == "precomputed" else X, None


def hold(
    features: Any,
    form: str,
    *,
    is_kernel: bool,
    ridge: float,
    tol: float,
    max_iter: int | None,
    rng: np.random.Generator,
) -> RecordForm:
    """Hold K as "dual", "primal" or "augmented"; `ridge` is in units of the mean diagonal entry of K.

    `is_kernel` says that `features` is K already, and not rows whose products are K.
    """
    held: RecordForm
    if is_kernel:
        held = DualForm(features)
        check_positive(held.least, float(held.values.max(initial=0)), held.floor)
    elif form == "dual":
        held = DualForm(record_products(features))
    elif form == "primal":
        check_fits(features.shape[1], np.float64, "solver", what="terms")
        held = PrimalForm(features)
    else:
        wide = features.shape[0] < features.shape[1] and ridge > 0
        held = (WideForm if wide else AugmentedForm)(features, tol=tol, max_iter=max_iter, rng=rng)
    held.ridge = ridge * held.trace / held.n_records
    return held


def record_products(features: Any) -> Array:
    """X Xᵀ, in double precision: with float32 the smaller eigenvalues would drown in rounding."""
    check_fits(features.shape[0], np.float64, "solver")
    double = features.astype(np.float64, copy=False)
    K = double @ double.T
    return np.asarray(K.toarray() if is_sparse(K) else K)


def check_positive(least: float, top: float, floor: float) -> None:
    """Raise if a kernel matrix is no matrix of inner products, which all of the algebra takes for granted."""
    if least < -max(1e-6, 10 * floor) * top or least < 0 == top:
        raise InputError(
            f"the record kernel is not positive semi-definite: got an eigenvalue of {least:.3g}, expected none "
            "below 0. Use another kernel."
        )
    if top == 0:
        raise InputError("the record kernel is zero everywhere: got no record that is similar to any, itself included.")
