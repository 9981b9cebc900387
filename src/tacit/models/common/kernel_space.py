"""What spaces with a record kernel share: from records to features and back to weights, and placing new records."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from tacit.errors import InputError
from tacit.models.base import SCALINGS, SpaceModel
from tacit.models.common.kernels import check_kernel, kernel_rows, zero_has_no_place
from tacit.models.common.record_kernel import record_features
from tacit.operators import Kernel
from tacit.operators.base import Array
from tacit.operators.rows.blocks import RowBlocks

__all__ = ["COORDINATES", "KernelSpaceModel"]

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
