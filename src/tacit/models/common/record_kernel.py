"""From records to their kernel K: the features that K is made of, and the choice of the form that holds it.

With the linear kernel the features are the records themselves. With another kernel they are the matrix of all pairs, or
Nyström features if that would be too large.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from tacit.checks import as_rng, check_choice, check_count, check_number, is_sparse
from tacit.errors import InputError
from tacit.models.base import SpaceModel, read_records, warn
from tacit.models.common.honest_positions import honest_positions
from tacit.models.common.kernel_forms import DualForm, PrimalForm, RecordForm
from tacit.models.common.kernels import (
    check_dense_memory,
    check_kernel,
    kernel_rows,
    landmark_features,
    training_kernel,
    uses_landmarks,
)
from tacit.models.common.product_forms import AugmentedForm, WideForm
from tacit.operators import Kernel
from tacit.operators.rows.blocks import RowBlocks, take_rows
from tacit.types import Array, IntArray

__all__ = [
    "COORDINATES",
    "DENSE_LIMIT",
    "KernelSpaceModel",
    "RegressedSpace",
    "check_positive",
    "check_same_records",
    "choose_form",
    "honest_among",
    "make_form",
    "record_products",
]


DENSE_LIMIT = 1_000  # smaller side of X up to which "auto" takes a dense form; benchmarks/studies/solver_crossover.py
COORDINATES = ("honest", "in-sample", "transductive")


def choose_form(
    shape: tuple[int, int],
    requested: str = "auto",
    *,
    products: str = "augmented",
    limit: int | None = None,
    kernel: Kernel | None = None,
    n_beside: int = 0,
    outside_memory: bool = False,
) -> tuple[str, str]:
    """Choose how to hold K: return "dual", "primal" or the name of the form by products, and the reason.

    Parameters
    ----------
    shape : records x terms, or records x features
    requested : the user's choice; "auto" chooses here, and "single_pass" is a solver of the form by products
    products : the model's name for the form that holds no dense matrix
    limit : smaller side up to which a dense form is chosen, default `DENSE_LIMIT`
    kernel : the kernel, if its matrix of all pairs of records is held, which has the dual form only
    n_beside : columns beside the terms in the dense matrix of the primal form
    outside_memory : whether the records are outside memory
    """
    limit = DENSE_LIMIT if limit is None else limit
    if outside_memory:
        return products, "the records are outside memory, where only products with them are available"
    if kernel is not None:
        return "dual", f"kernel={kernel!r} is held as a matrix"
    if requested != "auto":
        return products if requested == "single_pass" else requested, "asked for"
    if min(shape) > limit:
        return products, f"both sides of {shape} are above {limit}"
    if shape[0] <= shape[1]:
        return "dual", f"the smaller side of {shape} is at most {limit}"
    if n_beside > limit:
        return products, f"the {n_beside} labels are more than {limit}"
    return "primal", f"the smaller side of {shape} is at most {limit}"


def make_form(
    model: Any,
    features: Any,
    form: str,
    *,
    is_kernel: bool = False,
    rng: np.random.Generator | None = None,
    solver: str = "auto",
    before: Array | None = None,
) -> RecordForm:
    """Hold K as "dual", "primal" or "augmented", with the ridge, tolerance and most iterations of the model.

    Parameters
    ----------
    model : its `ridge` is in units of the mean diagonal entry of K
    features : rows whose inner products are K, or K itself if `is_kernel`
    form : as `choose_form` returns it
    rng : default that of the model's `random_state`
    solver, before : see `AugmentedForm`
    """
    made: RecordForm
    rng = as_rng(model.random_state) if rng is None else rng
    if is_kernel:
        made = DualForm(features)
        check_positive(made.least, float(made.values.max(initial=0)), made.floor)
        if model.ridge == 0:
            _warn_if_cut(made.values, made.floor)
    elif form == "dual":
        made = DualForm(record_products(features))
    elif form == "primal":
        check_dense_memory(features.shape[1], np.float64, "solver", what="terms")
        made = PrimalForm(features)
    else:
        wide = features.shape[0] < features.shape[1] and model.ridge > 0
        made = (WideForm if wide else AugmentedForm)(
            features, tol=model.tol, max_iter=model.max_iter, rng=rng, solver=solver, before=before
        )
    made.ridge = float(model.ridge) * made.trace / made.n_records
    return made


def _warn_if_cut(values: Array, floor: float) -> None:
    """Warn if eigenvalues of a kernel matrix go down to the cut-off of its pseudo-inverse without a gap."""
    sizes = values / max(float(values.max(initial=0)), np.finfo(np.float64).tiny)
    near = (sizes > floor) & (sizes <= _NEAR * floor)
    if near.any():
        warn(
            f"the record kernel is singular, without a clear rank: with ridge=0 its pseudo-inverse keeps eigenvalues "
            f"down to {sizes[near].min():.0e} of the largest and drops those below {floor:.0e}, and the space depends "
            "on where it stops. Set a ridge, e.g. ridge=0.001."
        )


_NEAR = 1e3


def record_products(features: Any) -> Array:
    """Return X Xᵀ in double precision: in float32 rounding would hide the smaller eigenvalues."""
    check_dense_memory(features.shape[0], np.float64, "solver")
    double = features.astype(np.float64, copy=False)
    K = double @ double.T
    return np.asarray(K.toarray() if is_sparse(K) else K)


def check_positive(least: float, top: float, floor: float) -> None:
    """Raise if a kernel matrix is not positive semi-definite, which all of the algebra assumes."""
    if least < -max(1e-6, 10 * floor) * top or least < 0 == top:
        raise InputError(
            f"the record kernel is not positive semi-definite: got an eigenvalue of {least:.3g}, expected none "
            "below 0. Use another kernel."
        )
    if top == 0:
        raise InputError(
            "the record kernel is zero everywhere: got no record that is similar to any record, itself included."
        )


class RegressedSpace(SpaceModel):
    """A space with positions `embedding_` of its records, which a ridge regression places by their terms."""

    ridge: float
    label_weight: float
    coordinates: str
    n_folds: int | None
    tol: float
    random_state: Any
    embedding_: Array
    _takes_label_sets = True

    def _check_regression(self) -> None:
        check_number("label_weight", self.label_weight, high=1.0)
        check_number("ridge", self.ridge)
        check_number("tol", self.tol, open_low=True)
        check_choice("coordinates", self.coordinates, COORDINATES)
        if self.n_folds is not None:
            check_count("n_folds", self.n_folds, low=2)

    @abstractmethod
    def _form_again(self, X: Any) -> RecordForm:
        """Hold K of the training records as `fit` did."""

    def _trained_positions(self, X: Any, kind: str) -> Array:
        """Return "transductive" or "honest" positions of the training records, in the model's scaling."""
        check_same_records(X, len(self.embedding_))
        if kind == "transductive":
            return self._scaled(self.embedding_)
        form = self._form_again(X)
        return self._scaled(self._honest(form, form.regress(self.embedding_)))

    def _honest(self, form: RecordForm, coefficients: Array) -> Array:
        rng = as_rng(self.random_state)
        found = honest_positions(form, self.embedding_, coefficients, n_folds=self.n_folds, rng=rng, tol=self.tol)
        return found.astype(self.embedding_.dtype, copy=False)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = self.label_weight != 0
        return tags


def honest_among(model: Any, X: Any, rows: IntArray, V: Array) -> Array:
    """Return honest positions of some records by maps that these alone have made, in the scaling of V.

    Labels that are filled in for other records come partly from each of these, so that a map made from all records
    knows its labels still: the nearest of the labels' mean positions is right for .966 of 1,500 stories of Reuters
    among as many without labels, and for .922 of new ones; for .924 by these maps (2026-11-18).

    Parameters
    ----------
    model : with a linear kernel, fitted
    X, V : all records, and their positions
    rows : the records with labels
    """
    form, places = make_form(model, take_rows(X, rows), model.solver_), V[rows]
    rng = as_rng(model.random_state)
    return honest_positions(form, places, form.regress(places), n_folds=model.n_folds, rng=rng, tol=model.tol)


def check_same_records(X: Any, n_records: int) -> None:
    """Raise if X cannot be what the model was fitted to."""
    if X.shape[0] != n_records:
        raise InputError(
            f"X is not what fit was given: got {X.shape[0]} records, expected the {n_records} records passed to fit."
        )


class KernelSpaceModel(SpaceModel):
    """A space of records with any kernel.

    With the linear kernel `fit` learns `components_`; with another it learns `dual_components_`, weights of the
    `reference_records_` (all records, or landmarks with `landmark_map_`).
    """

    kernel_params: Mapping[str, Any] | None
    n_landmarks: Any
    solver: str
    reference_records_: Any
    landmark_map_: Array | None
    term_loadings_: Array
    _takes_row_blocks = True
    _takes_label_sets = True

    def _place(self, X: Any) -> Array:
        """Place records by their terms alone, (n_records, n_components_)."""
        check_is_fitted(self, "eigenvalues_")
        if hasattr(self, "components_"):
            return super()._place(X)
        X = read_records(self, X, reset=False)
        if isinstance(X, RowBlocks):
            return np.concatenate([self._place(block) for block in X.blocks()])
        rows = kernel_rows(X, self.reference_records_, self.kernel, self.kernel_params)
        return np.asarray(rows @ self.dual_components_.T.astype(rows.dtype, copy=False))

    def inverse_transform(self, positions: Any) -> Array:
        """Return the terms that positions stand for, through `term_loadings_`."""
        unit = self._read_positions(positions)
        if not hasattr(self, "components_"):
            raise InputError(
                f"kernel={self.kernel!r} has no inverse: only with kernel='linear' can positions be turned into terms."
            )
        return np.asarray(unit @ self.term_loadings_)

    def _check_kernel(self, X: Any, products: str) -> None:
        """Raise if the kernel does not go with `solver` or with X; `products` is the solver for X outside memory."""
        check_kernel("kernel", self.kernel)
        if self.kernel != "linear" and self.solver in ("primal", products):
            raise InputError(
                f"solver={self.solver!r} needs the linear kernel: got kernel={self.kernel!r}. Use solver='auto'."
            )
        if not isinstance(X, RowBlocks):
            return
        if self.kernel != "linear":
            raise InputError(
                f"kernel={self.kernel!r} needs the records in memory: got {type(X).__name__}, expected kernel='linear'."
            )
        if self.solver not in ("auto", products):
            raise InputError(
                f"solver={self.solver!r} needs the records in memory: got {type(X).__name__}, expected 'auto' or "
                f"{products!r}."
            )

    def _learn_features(self, X: Any, rng: np.random.Generator) -> Any:
        """Return the features of the records: themselves, the kernel matrix, or features from landmarks."""
        self.reference_records_ = self.landmark_map_ = None
        if self.kernel == "linear":
            return X
        if uses_landmarks(X.shape[0], self.kernel, self.n_landmarks):
            self.reference_records_, self.landmark_map_, features = landmark_features(
                X, self.kernel, self.kernel_params, self.n_landmarks, self.n_components, rng
            )
            return features
        check_dense_memory(X.shape[0], X.dtype, "n_landmarks")
        self.reference_records_ = None if self.kernel == "precomputed" else X
        return training_kernel(X, self.kernel, self.kernel_params)

    def _features(self, X: Any) -> Any:
        """Return them again for records that `_learn_features` has seen."""
        if self.kernel == "linear":
            return X
        rows = kernel_rows(X, self.reference_records_, self.kernel, self.kernel_params)
        return rows if self.landmark_map_ is None else rows @ self.landmark_map_

    @property
    def _is_kernel(self) -> bool:
        """Whether the features are the kernel matrix itself."""
        return self.kernel != "linear" and self.landmark_map_ is None

    def _keep_weights(self, weights: Array, dtype: Any) -> None:
        """Keep the map from records to positions, from weights of the features in the chosen scaling."""
        for name in ("components_", "dual_components_"):
            self.__dict__.pop(name, None)  # of an earlier fit with another kernel
        if self.kernel == "linear":
            self.components_ = np.asarray(weights, dtype=dtype).T
        else:
            lifted = weights if self.landmark_map_ is None else self.landmark_map_ @ weights
            self.dual_components_ = np.asarray(lifted, dtype=dtype).T
