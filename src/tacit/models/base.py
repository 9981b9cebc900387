"""What all spaces share: reading X, placing records, writing positions, and warnings about adjusted settings."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from tacit.checks import check_choice, check_count, check_finite, check_number, check_sparse, is_sparse
from tacit.errors import InputError, warn
from tacit.files import writing_output
from tacit.operators import Kernel
from tacit.operators.rows.blocks import RowBlocks
from tacit.types import Array

__all__ = [
    "SCALINGS",
    "SpaceModel",
    "check_terms",
    "directions_before",
    "positions_before",
    "read_records",
    "read_row_blocks",
    "start_from",
    "warn",
    "warn_if_fewer",
    "write_positions",
]

SCALINGS = {"unit": 0.0, "damped": 0.25, "weighted": 0.5}  # unit positions are multiplied by this power of λ


class SpaceModel(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Base class of all spaces: `transform` turns rows of X into positions of `n_components_` numbers.

    The `fit` of a subclass learns `eigenvalues_` and `components_` (n_components_ x n_terms), so that `transform` is
    one product.
    """

    n_components: int
    scaling: str | float
    kernel: Kernel = "linear"
    max_iter: int | None
    components_: Array
    eigenvalues_: Array
    _scalings: ClassVar[tuple[str, ...]] = tuple(SCALINGS)
    _takes_row_blocks: ClassVar[bool] = False
    _takes_label_sets: ClassVar[bool] = False
    _needs_labels: ClassVar[bool] = False  # whether `fit` needs `y`
    _empty_at_origin: ClassVar[bool] = True  # whether a record without terms is at the origin, if its kernel is 0

    def transform(self, X: Any) -> Array:
        """Place records in the space by their terms alone (fold-in).

        Parameters
        ----------
        X : (n_records, n_terms) dense or sparse, or `RowBlocks`

        Returns
        -------
        (n_records, n_components_) positions, in the precision of X
        """
        return self._place(X)

    def _place(self, X: Any) -> Array:
        """Return what `transform` returns, always as an array: scikit-learn may make a data frame of the other."""
        check_is_fitted(self, "eigenvalues_")
        X = read_records(self, X, reset=False)
        return np.asarray(X @ self.components_.T.astype(X.dtype, copy=False))

    def _read_training(self, X: Any) -> Any:
        """Validate X and the parameters that all spaces have."""
        check_count("n_components", self.n_components)
        if isinstance(self.scaling, str):
            check_choice("scaling", self.scaling, self._scalings)
        else:
            check_number("scaling", self.scaling, high=1.0)
        if self.max_iter is not None:
            check_count("max_iter", self.max_iter)
        X = read_records(self, X, reset=True)
        if self._empty_at_origin and self.kernel in ("linear", "cosine", "precomputed"):  # k(x, 0) = 0 for every x
            check_terms(X)
        return X

    def _read_positions(self, positions: Any) -> Array:
        """Validate positions and undo their scaling."""
        check_is_fitted(self, "eigenvalues_")
        positions = np.asarray(positions)
        if positions.ndim != 2 or positions.shape[1] != self._n_features_out:
            raise InputError(
                f"positions do not belong to this space: got shape {positions.shape}, "
                f"expected (n_records, {self._n_features_out})."
            )
        return np.asarray(positions / self.eigenvalues_ ** self._power())

    def _power(self) -> float:
        """Return the power of the eigenvalues that unit positions are multiplied by."""
        return SCALINGS[self.scaling] if isinstance(self.scaling, str) else float(self.scaling)

    def _scaled(self, unit: Array) -> Array:
        return np.asarray(unit * self.eigenvalues_ ** self._power())

    @property
    def _n_features_out(self) -> int:
        return int(self.eigenvalues_.size)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = self.kernel == "precomputed"
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        tags.target_tags.required = self._needs_labels
        tags.target_tags.multi_output = self._takes_label_sets
        return tags


def read_records(model: Any, X: Any, *, reset: bool) -> Any:
    """Validate X: dense or CSR, float32 or float64, finite; rows outside memory were checked when they were written."""
    if isinstance(X, RowBlocks):
        return read_row_blocks(model, X, reset=reset)
    check_sparse("X", X)
    X = validate_data(
        model, X, reset=reset, accept_sparse="csr", dtype=[np.float64, np.float32], ensure_all_finite=False
    )
    check_finite("X", X)
    return X


def read_row_blocks(model: Any, X: RowBlocks, *, reset: bool) -> RowBlocks:
    """Return the rows if the model accepts rows outside memory, and their number of columns is right."""
    if not model._takes_row_blocks:
        raise InputError(
            f"X is not in memory: got {type(X).__name__}, expected an array or a sparse matrix for "
            f"{type(model).__name__}. Use LSI, MLSI, HLSI, MLSA, LabelHead('ridge') or HierarchyClassifier. A fitted "
            "model accepts the blocks of X.blocks() one at a time."
        )
    validate_data(model, X, reset=reset, skip_check_array=True)
    return X


def write_positions(model: Any, X: RowBlocks, path: str | Path) -> np.memmap:
    """Write the positions of records to a `.npy` file, one block of records at a time.

    Parameters
    ----------
    model : fitted model with `transform`
    X : RowBlocks
    path : str or Path
        The file. It appears under this name only when it is complete.

    Returns
    -------
    (n_records, n_components_) positions, memory-mapped read-only
    """
    target = Path(path)
    file: np.memmap | None = None
    start = 0
    with writing_output(target) as fresh:
        for block in X.blocks():
            positions = model.transform(block)
            if file is None:
                shape = (X.shape[0], positions.shape[1])
                file = np.lib.format.open_memmap(fresh, "w+", dtype=positions.dtype, shape=shape)
            file[start : start + len(positions)] = positions
            start += len(positions)
        assert file is not None  # there is at least one block
        file.flush()
        del file
    return np.lib.format.open_memmap(target, mode="r")


def directions_before(model: Any, n_terms: int, name: str = "components_") -> Array | None:
    """Return the directions of the previous fit, n_terms x k, each of length 1, if `warm_start` is set.

    None if there was no fit, or one with another number of terms: the search then starts without them.
    """
    rows = getattr(model, name, None) if model.warm_start else None
    if rows is None or rows.shape[1] != n_terms or not rows.size:
        return None
    lengths = np.linalg.norm(rows, axis=1)
    return np.asarray((rows / np.where(lengths > 0, lengths, 1)[:, None]).T)


def start_from(model: SpaceModel, positions: Any) -> None:
    """Let the next fit of a model start from positions of its records in an earlier space, row by row."""
    places = np.asarray(positions, np.float32)
    lengths = np.linalg.norm(places, axis=0)
    model._positions_before = places / np.where(lengths > 0, lengths, 1)


def positions_before(model: Any, n_records: int) -> Array | None:
    """Return the positions that `start_from` was given, with columns of length 1; None if they are of other records."""
    places = model.__dict__.pop("_positions_before", None)
    return None if places is None or len(places) != n_records or not places.any() else np.asarray(places)


def check_terms(X: Any) -> None:
    """Raise if no record has a term, warn if some have none."""
    n = X.shape[0]
    if isinstance(X, RowBlocks):
        n_filled = X.facts.n_filled
    elif not is_sparse(X):
        n_filled = int(np.count_nonzero(X.any(axis=1)))
    elif X.data.all():
        n_filled = int(np.count_nonzero(np.diff(X.indptr)))
    else:  # stored zeros are not terms
        n_filled = int(np.count_nonzero((X != 0).sum(axis=1)))
    if n_filled == 0:
        raise InputError(f"X has no entries: got {n} records without any term. Check the vectoriser.")
    if n_filled < n:
        warn(f"{n - n_filled} of {n} records have no terms: they are at the origin of the space and match nothing.")


def warn_if_fewer(n_wanted: int, n_kept: int, limit: str) -> None:
    """Warn that there are fewer dimensions than requested."""
    if n_kept < n_wanted:
        warn(f"n_components={n_wanted} is more than {limit}: kept {n_kept} dimension{'' if n_kept == 1 else 's'}.")
