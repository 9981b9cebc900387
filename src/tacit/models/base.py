"""What all spaces share: reading X, transforming, naming the dimensions, warning about what was adjusted."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from tacit.checks import check_choice, check_count, check_finite
from tacit.errors import InputError, TacitWarning
from tacit.operators.base import Array

__all__ = ["SCALINGS", "SpaceModel", "warn"]

SCALINGS = ("unit", "weighted")


class SpaceModel(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """A fitted space: records go in as rows of X, positions of `n_components_` numbers come out.

    A subclass's `fit` learns `components_` (n_components_ x n_terms), so that `transform` is one product.
    """

    components_: Array

    def _read(self, X: Any, *, reset: bool) -> Any:
        """Validate X: dense or CSR, float32 or float64, finite."""
        X = validate_data(
            self, X, reset=reset, accept_sparse="csr", dtype=[np.float64, np.float32], ensure_all_finite=False
        )
        check_finite("X", X)
        return X

    def _read_training(self, X: Any) -> Any:
        """Validate X for fitting, and warn about records without any term."""
        check_count("n_components", self.n_components)  # type: ignore[attr-defined]
        check_choice("scaling", self.scaling, SCALINGS)  # type: ignore[attr-defined]
        X = self._read(X, reset=True)
        n_empty = X.shape[0] - (np.count_nonzero(np.diff(X.indptr)) if sp.issparse(X) else np.count_nonzero(X.any(axis=1)))
        if n_empty == X.shape[0]:
            raise InputError(f"X has no entries: got {X.shape[0]} records and not one term with a weight. Check the vectoriser.")
        if n_empty:
            warn(f"{n_empty} of {X.shape[0]} records have no terms: they sit at the origin of the space and match nothing.")
        return X

    def transform(self, X: Any) -> Array:
        """Place records in the space by their terms alone (fold-in).

        Parameters
        ----------
        X : (n_records, n_terms) dense or sparse

        Returns
        -------
        (n_records, n_components_) positions, in the precision of X
        """
        check_is_fitted(self)
        X = self._read(X, reset=False)
        return np.asarray(X @ self.components_.T.astype(X.dtype, copy=False))

    @property
    def _n_features_out(self) -> int:
        return int(self.components_.shape[0])

    def _warn_if_fewer(self, n_kept: int, reason: str) -> None:
        wanted = self.n_components  # type: ignore[attr-defined]
        if n_kept < wanted:
            warn(f"n_components={wanted} is more than {reason}: kept {n_kept} dimensions.")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def warn(message: str) -> None:
    """Warn that something was adjusted while the result is still right."""
    warnings.warn(message, TacitWarning, stacklevel=4)
