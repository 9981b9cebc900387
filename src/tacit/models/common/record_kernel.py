"""From records to their kernel: what stands for the records, and K held in one of its forms.

With the linear kernel the records stand for themselves. With another kernel it is the matrix of all pairs, or Nyström
features where that would be too large.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from tacit.checks import is_sparse
from tacit.errors import InputError
from tacit.models.base import SCALINGS, SpaceModel
from tacit.models.common.kernel_forms import DualForm, PrimalForm, RecordForm
from tacit.models.common.kernels import (
    check_fits,
    check_kernel,
    kernel_rows,
    landmark_features,
    training_kernel,
    uses_landmarks,
    zero_has_no_place,
)
from tacit.models.common.product_forms import AugmentedForm, WideForm
from tacit.operators import Kernel
from tacit.operators.rows.blocks import RowBlocks
from tacit.types import Array

__all__ = [
    "COORDINATES",
    "KernelSpaceModel",
    "check_positive",
    "choose_form",
    "hold",
    "record_features",
    "record_products",
]


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


def choose_form(
    shape: tuple[int, int],
    asked: str,
    *,
    products: str,
    limit: int,
    kernel: Kernel | None,
    n_beside: int = 0,
    outside_memory: bool = False,
) -> tuple[str, str]:
    """Give the form, "dual", "primal" or the one by products, and the reason.

    Parameters
    ----------
    shape : records x terms, or features
    asked : what the user wants; "auto" leaves it to us, and "single_pass" is a way to solve the form by products
    products : what the model calls the form that holds no dense matrix
    limit : smaller side up to which a dense form is taken
    kernel : what the records are known by if it is a matrix of theirs, which has one form only; else None
    n_beside : columns that stand beside the terms in the dense matrix of the primal form
    outside_memory : whether the records are not in memory
    """
    if outside_memory:
        return products, "the records are not in memory, only products with them are at hand"
    if kernel is not None:
        return "dual", f"kernel={kernel!r} is held as a matrix"
    if asked != "auto":
        return products if asked == "single_pass" else asked, "asked for"
    if min(shape) > limit:
        return products, f"both sides of {shape} are above {limit}"
    if shape[0] <= shape[1]:
        return "dual", f"the smaller side of {shape} is at most {limit}"
    if n_beside > limit:
        return products, f"the {n_beside} labels are more than {limit}"
    return "primal", f"the smaller side of {shape} is at most {limit}"


COORDINATES = ("honest", "in-sample", "transductive")


class KernelSpaceModel(SpaceModel):
    """A space from records by any kernel.

    With the linear kernel `fit` learns `components_`; with another it learns `dual_components_`, weights of the
    `reference_records_` (all records, or landmarks with `landmark_map_`).
    """

    kernel: Kernel
    kernel_params: Mapping[str, Any] | None
    n_landmarks: Any
    solver: str
    reference_records_: Any
    landmark_map_: Array | None
    term_loadings_: Array
    _takes_row_blocks = True

    def transform(self, X: Any) -> Array:
        """Place records by their terms alone, (n_records, n_components_)."""
        check_is_fitted(self, "eigenvalues_")
        if hasattr(self, "components_"):
            return super().transform(X)
        X = self._read(X, reset=False)
        if isinstance(X, RowBlocks):
            return np.concatenate([self.transform(block) for block in X.blocks()])
        rows = kernel_rows(X, self.reference_records_, self.kernel, self.kernel_params)
        return np.asarray(rows @ self.dual_components_.T.astype(rows.dtype, copy=False))

    def inverse_transform(self, positions: Any) -> Array:
        """Give the terms that positions stand for, through `term_loadings_`."""
        unit = self._read_positions(positions)
        if not hasattr(self, "components_"):
            raise InputError(
                f"kernel={self.kernel!r} has no inverse: positions lead back to terms with kernel='linear' only."
            )
        return np.asarray(unit @ self.term_loadings_)

    def _check_kernel(self, *, linear_only: tuple[str, ...]) -> None:
        check_kernel("kernel", self.kernel)
        if self.kernel != "linear" and self.solver in linear_only:
            raise InputError(
                f"solver={self.solver!r} needs the linear kernel: got kernel={self.kernel!r}. Use solver='auto'."
            )

    def _check_products(self, X: Any, form: str) -> None:
        """Raise if the records are not in memory, and something else than `form`, by products alone, is asked for."""
        if not isinstance(X, RowBlocks):
            return
        if self.kernel != "linear":
            raise InputError(
                f"kernel={self.kernel!r} needs the records in memory: got {type(X).__name__}, expected kernel='linear'."
            )
        if self.solver not in ("auto", form):
            raise InputError(
                f"solver={self.solver!r} needs the records in memory: got {type(X).__name__}, expected 'auto' or "
                f"{form!r}."
            )

    def _origin_is_empty(self) -> bool:
        return zero_has_no_place(self.kernel)

    def _learn_features(self, X: Any, rng: np.random.Generator) -> Any:
        """What stands for the records: themselves, the kernel matrix, or features from landmarks."""
        features, self.reference_records_, self.landmark_map_ = record_features(
            X, self.kernel, self.kernel_params, n_landmarks=self.n_landmarks, n_components=self.n_components, rng=rng
        )
        return features

    def _features(self, X: Any) -> Any:
        """The same again for records that `_learn_features` has seen."""
        if self.kernel == "linear":
            return X
        rows = kernel_rows(X, self.reference_records_, self.kernel, self.kernel_params)
        return rows if self.landmark_map_ is None else rows @ self.landmark_map_

    @property
    def _is_kernel(self) -> bool:
        """Whether the kernel matrix itself stands for the records."""
        return self.kernel != "linear" and self.landmark_map_ is None

    def _keep_weights(self, weights: Array, dtype: Any) -> None:
        """Keep what places records, from weights of the features in the chosen scaling."""
        for name in ("components_", "dual_components_"):
            self.__dict__.pop(name, None)  # of an earlier fit with another kernel
        if self.kernel == "linear":
            self.components_ = np.asarray(weights, dtype=dtype).T
        else:
            lifted = weights if self.landmark_map_ is None else self.landmark_map_ @ weights
            self.dual_components_ = np.asarray(lifted, dtype=dtype).T

    def _scaled(self, unit: Array) -> Array:
        return np.asarray(unit * self.eigenvalues_ ** SCALINGS[self.scaling])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags
