"""Similarities of users, and scores of items for users, by ratings or by positions in a space."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.preprocessing import normalize

from tacit.checks import as_table, check_choice, check_count, check_finite, check_rows, is_sparse
from tacit.errors import InputError
from tacit.relations.tables.ratings import as_ratings, user_means
from tacit.types import Array

__all__ = [
    "as_dense", "as_positions", "check_one_space", "cosine_similarities", "deviations", "direct_scores", "marks",
    "pearson_similarities",
]  # fmt: skip


def pearson_similarities(ratings: Any, others: Any = None, *, over: str = "all", min_common: int = 1) -> Array:
    """Correlate the ratings of users: 1 is the same taste, -1 the opposite, 0 nothing in common.

        w_vu = sum_i (r_vi - r̄_v)(r_ui - r̄_u) / sqrt(sum_i (r_vi - r̄_v)² sum_i (r_ui - r̄_u)²)

    Parameters
    ----------
    ratings : table of ratings, n_active x n_items
    others : table of ratings, n_users x n_items, optional
        Users to compare with; None compares the users with each other.
    over : "all" or "co-rated", default "all"
        Items of the two sums in the denominator. [Wang2006] writes all of them; an item that is not rated counts as
        rated with the mean, so that users with few common items have low similarities. "co-rated" takes the items that
        both have rated, as older systems do; then two users with one common item are at 1 or -1.
    min_common : int, default 1
        Users with fewer common items get 0.

    Returns
    -------
    array of shape (n_active, n_users)
        For many users, compute some rows at a time: the table for 100,000 users takes 75 GiB.
    """
    check_choice("over", over, ("all", "co-rated"))
    check_count("min_common", min_common)
    one = as_ratings(ratings)
    other = one if others is None else as_ratings(others, "others")
    if one.shape[1] != other.shape[1]:
        raise InputError(
            f"others does not match ratings: got {other.shape[1]} items for {one.shape[1]}, "
            "expected the same items in the same order."
        )
    first = deviations(one, user_means(one))
    second = first if others is None else deviations(other, user_means(other))
    shared = as_dense(first @ second.T)
    if over == "all":
        power = np.multiply.outer(_row_power(first), _row_power(second))
    else:
        power = as_dense((first * first) @ marks(other).T) * as_dense(marks(one) @ (second * second).T)
    sure = power > 0
    if min_common > 1:
        sure &= as_dense(marks(one) @ marks(other).T) >= min_common
    return np.clip(np.divide(shared, np.sqrt(power), out=np.zeros_like(shared), where=sure), -1.0, 1.0)


def cosine_similarities(positions: Any, others: Any = None) -> Array:
    """Return the cosines of positions; the origin has cosine 0 with everything.

    `positions` is n_active x n_dimensions and `others` n_users x n_dimensions, dense or sparse (ratings work, too);
    None compares the positions with each other.
    """
    one = _directions("positions", positions)
    other = one if others is None else _directions("others", others)
    if one.shape[1] != other.shape[1]:
        raise InputError(
            f"positions does not match others: got {one.shape[1]} dimensions for {other.shape[1]}, "
            "expected the same number. Make both with the same model."
        )
    return np.clip(as_dense(one @ other.T), -1.0, 1.0)


def direct_scores(user_positions: Any, item_positions: Any, *, cosine: bool = False) -> Array:
    """Score items for users in one space: by the product of their positions, or by the cosine.

    Parameters
    ----------
    user_positions, item_positions : arrays, n_users x n_dimensions and n_items x n_dimensions
    cosine : bool, default False
        Lengths grow with the number of ratings, so the product prefers well-known items; the cosine does not.

    Returns
    -------
    array of shape (n_users, n_items)
    """
    if cosine:
        return cosine_similarities(user_positions, item_positions)
    users = as_positions("user_positions", user_positions, len(user_positions), "users")
    items = as_positions("item_positions", item_positions, len(item_positions), "items")
    check_one_space(users, items)
    return np.asarray(users @ items.T)


def as_positions(name: str, values: Any, n_expected: int, what: str) -> Any:
    """Read positions, float32 kept."""
    if values is None:
        return None
    places = np.asarray(values)
    if places.ndim != 2 or places.dtype.kind not in "biuf":
        raise InputError(
            f"{name} is not a matrix of numbers: got {places.dtype} values in {places.ndim} dimension(s), "
            f"expected {what} x dimensions."
        )
    check_rows(name, len(places), n_expected, of=f"the {what}")
    check_finite(name, places)
    return places if places.dtype == np.float32 else places.astype(np.float64)


def check_one_space(users: Array, items: Array) -> None:
    """Raise if users and items have different numbers of dimensions."""
    if users.shape[1] != items.shape[1]:
        raise InputError(
            f"item_positions does not match user_positions: got {items.shape[1]} dimensions for {users.shape[1]}, "
            "expected positions in one space. Make both with the same model."
        )


def deviations(table: sp.csr_array, means: Array) -> sp.csr_array:
    """Subtract each user's mean from their ratings; absent ratings stay absent, which means 0."""
    centres = np.repeat(means, np.diff(table.indptr))
    data = (table.data - centres).astype(table.dtype)
    # equal ratings may miss their mean by a rounding error, from which a correlation would make +1 or -1
    data[np.abs(data) <= 8 * np.finfo(table.dtype).eps * np.abs(centres)] = 0.0
    return sp.csr_array((data, table.indices, table.indptr), shape=table.shape)


def marks(table: sp.csr_array) -> sp.csr_array:
    """Return a table with 1 for each rating."""
    return sp.csr_array((np.ones(table.nnz, dtype=table.dtype), table.indices, table.indptr), shape=table.shape)


def _row_power(table: sp.csr_array) -> Array:
    return np.asarray((table * table).sum(axis=1)).ravel()


def as_dense(values: Any) -> Array:
    """Return a dense array."""
    return np.asarray(values.toarray() if is_sparse(values) else values)


def _directions(name: str, vectors: Any) -> Any:
    """Scale rows to unit length; rows of zeros stay."""
    places = as_table(name, vectors, of="user")
    return normalize(places) if places.shape[0] else places
