"""Predicts ratings from similar users: eq. (7) of [Wang2006], with parameters for what it leaves open.

| symbol | here | meaning |
|---|---|---|
| r_vi | `ratings` | rating of item i by user v |
| w_vu | `similarities` | similarity of v and u: Pearson's correlation, or the cosine of their positions in a space |
| N_v | `n_neighbours`, `candidates` | the neighbours of v |
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from tacit.checks import check_choice, check_count, check_finite, is_sparse
from tacit.errors import InputError
from tacit.evaluate.measures.ranking import among_best
from tacit.relations.tables.ratings import as_ratings, user_means
from tacit.tasks.recommend.user_similarities import as_dense, deviations, marks
from tacit.types import Array, BoolArray, IntArray

__all__ = ["predict_eq7", "strongest"]


def predict_eq7(
    ratings: Any,
    similarities: Any,
    *,
    n_neighbours: int = 50,
    users: Sequence[int] | npt.NDArray[np.integer[Any]] | None = None,
    mean: str = "user",
    divide_by: str = "neighbours",
    candidates: str = "everyone",
    positive_only: bool = True,
) -> Array:
    """Predict the ratings of every item from those of similar users.

        r̂_vi = r̄_v + sum_{u in N_v} w_vu (r_ui - r̄_u) / sum_{u in N_v} w_vu                    [Wang2006] eq. (7)

    A neighbour who did not rate the item adds nothing to the numerator. Nobody is their own neighbour.

    Parameters
    ----------
    ratings : table of ratings, n_users x n_items
    similarities : array or sparse, n_active x n_users
        A row for each user to predict for. An entry that is absent or 0 is not a neighbour.
    n_neighbours : int, default 50
    users : rows of `ratings`, n_active, optional
        The users of the rows of `similarities`; -1 is a user without a row, whose mean is that of all ratings. None
        takes them in order, and needs a square table.
    mean : "user" or "none", default "user"
        "user" is the equation. "none" leaves out both means, so that the ratings themselves are averaged or summed.
    divide_by : "neighbours", "raters" or "nothing", default "neighbours"
        The denominator: the weights of all of N_v, as printed, which draws items that few of them rated towards the
        mean; of those in N_v who rated the item, the usual reading; or 1. With `mean="none"`, "nothing" takes into
        account how many neighbours rated an item: the result is not a rating, but ranks well.
    candidates : "everyone" or "raters", default "everyone"
        Who may be in N_v: all users, so that it is the same for all items, or for each item those who rated it.
    positive_only : bool, default True
        Whether only users of positive similarity are neighbours. If not, the denominator has absolute weights, since
        the weights themselves might add up to 0.

    Returns
    -------
    array of shape (n_active, n_items)
        Without neighbours the user's mean, or 0 with `mean="none"`. Not clipped to the scale of the ratings.

    Notes
    -----
    Time is n_active x n_neighbours ratings for "everyone" and n_active x all ratings for "raters". Users are processed
    in blocks, so that little memory is needed besides the result.
    """
    table = as_ratings(ratings)
    check_count("n_neighbours", n_neighbours)
    check_choice("mean", mean, ("user", "none"))
    check_choice("divide_by", divide_by, ("neighbours", "raters", "nothing"))
    check_choice("candidates", candidates, ("everyone", "raters"))
    weights = _checked_similarities(similarities, table)
    rows = _checked_users(users, weights.shape[0], table.shape[0])
    means = user_means(table)
    said = deviations(table, means) if mean == "user" else table
    predicted = np.zeros((len(rows), table.shape[1]), dtype=np.result_type(table.dtype, weights.dtype))
    ask = _ask_everyone if candidates == "everyone" else _ask_raters
    batch = max(1, _BATCH_NUMBERS // max(1, max(table.shape)))
    for start in range(0, len(rows), batch):
        part = slice(start, start + batch)
        block = np.array(as_dense(weights[part]))
        known = np.flatnonzero(rows[part] >= 0)
        block[known, rows[part][known]] = 0.0
        # minus infinity for users who are not candidates
        block[(block <= 0.0) if positive_only else (block == 0.0)] = -np.inf
        predicted[part] = ask(block, said, n_neighbours, divide_by)
    if mean == "user":
        overall = table.data.mean() if table.nnz else 0.0
        predicted += np.where(rows >= 0, means[rows], overall)[:, None].astype(predicted.dtype)
    return predicted


def strongest(weights: Array, limit: int) -> BoolArray:
    """Return a mask of the `limit` largest weights of each row, ties leftmost first, without minus infinity."""
    candidate = ~np.isneginf(weights)
    return candidate if weights.shape[1] <= limit else candidate & among_best(weights, limit)


_BATCH_NUMBERS = 2**22  # 32 MiB of weights at a time


def _checked_similarities(similarities: Any, table: sp.csr_array) -> Any:
    weights = similarities.tocsr() if is_sparse(similarities) else np.asarray(similarities)
    if weights.ndim != 2 or weights.shape[1] != table.shape[0] or weights.dtype.kind not in "biuf":
        raise InputError(
            f"similarities does not match ratings: got {weights.dtype} values of shape {weights.shape}, "
            f"expected numbers for the {table.shape[0]} users in its columns."
        )
    check_finite("similarities", weights)
    return weights if weights.dtype.kind == "f" else weights.astype(np.float64)


def _checked_users(users: Any, n_active: int, n_users: int) -> IntArray:
    if users is None and n_active == n_users:
        return np.arange(n_users)
    rows = np.asarray([] if users is None else users)
    fits = rows.shape == (n_active,)
    if not fits or (n_active and (rows.dtype.kind not in "iu" or not -1 <= rows.min() <= rows.max() < n_users)):
        raise InputError(
            f"users does not match similarities: got {'None' if users is None else f'{rows.size} rows'}, expected "
            f"for each of its {n_active} rows a row of ratings from 0 to {n_users - 1}, or -1 for someone without one."
        )
    return rows.astype(np.int64)


def _ask_everyone(weights: Array, said: sp.csr_array, limit: int, divide_by: str) -> Array:
    """Eq. (7) without r̄_v, N_v being the same for all items."""
    chosen = sp.csr_array(np.where(strongest(weights, limit), weights, 0.0))
    above = as_dense(chosen @ said)
    if divide_by == "nothing":
        return above
    size = abs(chosen)
    below = as_dense(size @ marks(said)) if divide_by == "raters" else np.asarray(size.sum(axis=1)).reshape(-1, 1)
    return np.divide(above, below, out=np.zeros_like(above), where=below > 0)


def _ask_raters(weights: Array, said: sp.csr_array, limit: int, divide_by: str) -> Array:
    """Eq. (7) without r̄_v, N_v being chosen for each item among those who rated it."""
    by_item = said.tocsc()
    result = np.zeros((len(weights), said.shape[1]), dtype=np.result_type(weights, said))
    for item in range(said.shape[1]):
        entries = slice(by_item.indptr[item], by_item.indptr[item + 1])
        theirs = weights[:, by_item.indices[entries]]
        chosen = np.where(strongest(theirs, limit), theirs, 0.0)
        below = np.abs(chosen).sum(axis=1) if divide_by != "nothing" else np.ones(len(chosen))
        np.divide(chosen @ by_item.data[entries], below, out=result[:, item], where=below > 0, casting="same_kind")
    return result
