"""What all spaces share: reading X, transforming, naming the dimensions, warning about what was adjusted."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from tacit.checks import check_choice, check_count, check_finite, is_sparse
from tacit.errors import InputError, TacitWarning
from tacit.files import replacing
from tacit.operators.rows.blocks import RowBlocks
from tacit.types import Array

__all__ = [
    "SCALINGS",
    "SpaceModel",
    "check_terms",
    "directions_before",
    "read_row_blocks",
    "warn",
    "warn_if_fewer",
    "write_positions",
]

SCALINGS = {"unit": 0.0, "damped": 0.25, "weighted": 0.5}  # the power of λ that a unit position is multiplied with


class SpaceModel(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """A fitted space: records go in as rows of X, positions of `n_components_` numbers come out.

    A subclass's `fit` learns `eigenvalues_` and `components_` (n_components_ x n_terms), so that `transform` is one
    product.
    """

    n_components: int
    scaling: str
    max_iter: int | None
    components_: Array
    eigenvalues_: Array
    _scalings: ClassVar[tuple[str, ...]] = tuple(SCALINGS)
    _takes_row_blocks: ClassVar[bool] = False

    def transform(self, X: Any) -> Array:
        """Place records in the space by their terms alone (fold-in).

        Parameters
        ----------
        X : (n_records, n_terms) dense or sparse, or `RowBlocks`

        Returns
        -------
        (n_records, n_components_) positions, in the precision of X
        """
        check_is_fitted(self, "eigenvalues_")
        X = self._read(X, reset=False)
        return np.asarray(X @ self.components_.T.astype(X.dtype, copy=False))

    def _read(self, X: Any, *, reset: bool) -> Any:
        """Validate X: dense or CSR, float32 or float64, finite; rows that are elsewhere were looked at when written."""
        if isinstance(X, RowBlocks):
            return read_row_blocks(self, X, reset=reset)
        X = validate_data(
            self, X, reset=reset, accept_sparse="csr", dtype=[np.float64, np.float32], ensure_all_finite=False
        )
        check_finite("X", X)
        return X

    def _read_training(self, X: Any) -> Any:
        """Validate X and the parameters that every space has."""
        check_count("n_components", self.n_components)
        check_choice("scaling", self.scaling, self._scalings)
        if self.max_iter is not None:
            check_count("max_iter", self.max_iter)
        X = self._read(X, reset=True)
        if self._origin_is_empty():
            check_terms(X)
        return X

    def _origin_is_empty(self) -> bool:
        """Whether a record without terms has no place in the space, as with the linear kernel."""
        return True

    def _read_positions(self, positions: Any) -> Array:
        """Validate positions and take the scaling out of them."""
        check_is_fitted(self, "eigenvalues_")
        positions = np.asarray(positions)
        if positions.ndim != 2 or positions.shape[1] != self._n_features_out:
            raise InputError(
                f"positions do not belong to this space: got shape {positions.shape}, "
                f"expected (n_records, {self._n_features_out})."
            )
        return np.asarray(positions / self.eigenvalues_ ** self._power())

    def _power(self) -> float:
        """Of the eigenvalues, what a position in unit scaling is multiplied with."""
        return SCALINGS[self.scaling]

    @property
    def _n_features_out(self) -> int:
        return int(self.eigenvalues_.size)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def read_row_blocks(model: Any, X: RowBlocks, *, reset: bool) -> RowBlocks:
    """Give the rows back if the model takes them, and they have the columns that it knows."""
    if not model._takes_row_blocks:
        raise InputError(
            f"X is not in memory: got {type(X).__name__}, expected an array or a sparse matrix for "
            f"{type(model).__name__}. Use LSI, MLSI, HLSI, MLSA, LabelHead('ridge') or HierarchyClassifier; a model "
            "that is fitted takes X.blocks() one by one."
        )
    validate_data(model, X, reset=reset, skip_check_array=True)
    return X


def write_positions(model: Any, X: RowBlocks, path: str | Path) -> np.memmap:
    """Write the positions of records into a `.npy` file, a block of records at a time.

    Parameters
    ----------
    model : fitted model with `transform`
    X : RowBlocks
    path : str or Path
        The file; it gets its name when all positions are in it.

    Returns
    -------
    (n_records, n_components_) positions, mapped read-only: what is looked at is read
    """
    target = Path(path)
    file: np.memmap | None = None
    start = 0
    with replacing(target) as fresh:
        for block in X.blocks():
            positions = model.transform(block)
            if file is None:
                shape = (X.shape[0], positions.shape[1])
                file = np.lib.format.open_memmap(fresh, "w+", dtype=positions.dtype, shape=shape)
            file[start : start + len(positions)] = positions
            start += len(positions)
        assert file is not None  # rows outside memory are never none
        file.flush()
        del file
    return np.lib.format.open_memmap(target, mode="r")


def directions_before(model: Any, n_terms: int, name: str = "components_") -> Array | None:
    """Give the directions of the fit before, n_terms x k, each of length 1, if a warm start is asked for.

    None where there was no fit, or one with other terms: then a search starts afresh, and nothing is wrong with that.
    """
    rows = getattr(model, name, None) if model.warm_start else None
    if rows is None or rows.shape[1] != n_terms or not rows.size:
        return None
    lengths = np.linalg.norm(rows, axis=1)
    return np.asarray((rows / np.where(lengths > 0, lengths, 1)[:, None]).T)


def check_terms(X: Any) -> None:
    """Raise if no record has a term, warn if some have none."""
    n = X.shape[0]
    if isinstance(X, RowBlocks):
        n_filled = X.facts.n_filled
    elif not is_sparse(X):
        n_filled = int(np.count_nonzero(X.any(axis=1)))
    elif X.data.all():
        n_filled = int(np.count_nonzero(np.diff(X.indptr)))
    else:  # zeros that are stored are no terms
        n_filled = int(np.count_nonzero((X != 0).sum(axis=1)))
    if n_filled == 0:
        raise InputError(f"X has no entries: got {n} records and not one term with a weight. Check the vectoriser.")
    if n_filled < n:
        warn(f"{n - n_filled} of {n} records have no terms: they sit at the origin of the space and match nothing.")


def warn(message: str) -> None:
    """Warn that something was adjusted while the result is still right."""
    warnings.warn(message, TacitWarning, stacklevel=4)


def warn_if_fewer(n_wanted: int, n_kept: int, limit: str) -> None:
    """Warn that there are fewer dimensions than were asked for."""
    if n_kept < n_wanted:
        warn(f"n_components={n_wanted} is more than {limit}: kept {n_kept} dimension{'' if n_kept == 1 else 's'}.")
