"""What a recommender is made from: names, weights of dimensions, and what everybody likes, read and checked."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from tacit.checks import check_finite, check_rows
from tacit.errors import InputError

__all__ = ["item_or_user_names", "popularity", "rows_of", "weights_of"]


def popularity(ratings: sp.csr_array) -> npt.NDArray[np.float64]:
    """Add up the ratings of each item; what nobody rated cannot be recommended so."""
    total = np.asarray(ratings.sum(axis=0), dtype=np.float64).ravel()
    return np.where(np.bincount(ratings.indices, minlength=ratings.shape[1]) > 0, total, -np.inf)


def weights_of(values: Any, positions: npt.NDArray[Any] | None) -> npt.NDArray[Any] | float:
    """Read what each dimension counts, in the precision of the positions."""
    if values is None or positions is None:
        return 1.0
    weights = np.asarray(values, dtype=positions.dtype)
    if weights.shape != (positions.shape[1],):
        raise InputError(
            f"dimension_weights does not match item_positions: got shape {weights.shape}, "
            f"expected one number for each of {positions.shape[1]} dimensions."
        )
    check_finite("dimension_weights", weights)
    return weights


def item_or_user_names(name: str, values: Sequence[Hashable] | None, n_expected: int) -> Sequence[Hashable]:
    """Give the names, or the numbers of rows or columns where there are none."""
    if values is None:
        return range(n_expected)
    check_rows(name, len(values), n_expected, of="ratings")
    return tuple(values)


def rows_of(name: str, values: Sequence[Hashable] | None, n_expected: int) -> dict[Hashable, int]:
    """Give the row of each user by name; the names must differ."""
    rows = {value: row for row, value in enumerate(item_or_user_names(name, values, n_expected))}
    if len(rows) < n_expected:
        raise InputError(
            f"{name} has a name twice: got {len(rows)} names for {n_expected} users, expected all different."
        )
    return rows
