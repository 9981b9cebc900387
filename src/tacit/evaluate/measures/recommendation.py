"""Measures of recommended lists: half-life utility, precision, recall and nDCG at k, and coverage of the items.

For every user all items that are not in `seen` are ranked by their scores, best first. Predicted ratings are often
exactly equal (each item that no neighbour rated is predicted the same), and the columns of a table of ratings are
seldom in a random order: well-known items tend to come first. So ties are never broken by column: each measure is its
expected value over all orders of the tied items, which has a closed form and needs no random numbers. An item whose
score is minus infinity is not recommended.

`scores` may be an array (n_users, n_items), or a function from rows of users to their scores, so that a table larger
than memory is never held whole. Ratings are read by `tacit.relations.tables.ratings.as_ratings`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from tacit.checks import check_count, check_number, check_rows
from tacit.errors import InputError
from tacit.evaluate.measures.alignment import as_dense
from tacit.relations.tables.ratings import as_ratings, user_means
from tacit.types import Array, Float64Array, IntArray

__all__ = ["HalfLifeUtility", "TopK", "coverage", "half_life_utility", "precision_recall_ndcg", "ranking_scores"]


@dataclass(frozen=True, eq=False)
class HalfLifeUtility:
    """Half-life utility of recommended lists.

    Attributes
    ----------
    score : float
        From 0 to 100: the sum of the users' utilities, in percent of the best possible.
    per_user, best_per_user : array of shape (n_users,)
        Utility of each user's list, and of the best possible list; both 0 if there was nothing to find.
    n_users, n_left_out : int
        Numbers of users with a test item rated above their baseline, and without one, who do not count.
    """

    score: float
    per_user: Float64Array
    best_per_user: Float64Array
    n_users: int
    n_left_out: int


@dataclass(frozen=True)
class TopK:
    """Means over the users who have a relevant test item, and the numbers of users with and without one."""

    precision: float
    recall: float
    ndcg: float
    n_users: int
    n_left_out: int


def half_life_utility(
    scores: Scores, test_ratings: Any, *, seen: Any = None, half_life: float = 5.0, baseline: str | float = "user mean"
) -> HalfLifeUtility:
    """Measure ranked lists by half-life utility: half of the users look as far as rank `half_life`.

        R_v = sum_j max(r_vj - b_v, 0) / 2^((j - 1) / (tau - 1)),    R = 100 sum_v R_v / sum_v R_v^max

    j is the rank among all items that are not in `seen`; an item without a test rating contributes 0 but takes up a
    rank. R_v^max ranks the user's test items first, best rating first.

    Parameters
    ----------
    scores : array of shape (n_users, n_items), or a function from rows of users to their scores
    test_ratings : table of ratings, n_users x n_items
    seen : table of the training ratings, n_users x n_items, optional
        Their items are not ranked.
    half_life : float above 1, default 5
        tau.
    baseline : "user mean" or a number, default "user mean"
        b_v, the rating from which an item has utility. The mean is that of the user's *training* ratings (of all of
        them for a user without any): with the mean of the test ratings a single test item would have no utility, and
        the value would depend on what happened to be withheld.

    Raises
    ------
    InputError
        If no user has a test rating above the baseline, if a test item was seen, or if the baseline is "user mean"
        without training ratings.

    Notes
    -----
    One sort of the items per user. Sec. 5.1.1 of [Wang2006], after Breese, Heckerman and Kadie (1998).

    Examples
    --------
    >>> half_life_utility([[3.0, 2.0, 1.0]], [[0, 5, 0]], baseline=3, half_life=2).score
    50.0
    """
    test, known = _tables(test_ratings, seen)
    check_number("half_life", half_life, low=1, open_low=True)
    above = test.copy()
    above.data = np.maximum(
        test.data - np.repeat(_baselines(baseline, test.shape[0], known, seen), np.diff(test.indptr)), 0.0
    )
    discount = 0.5 ** (np.arange(test.shape[1]) / (half_life - 1.0))
    (places,) = _expected_weights(scores, test, known, [discount])
    per_user = _row_sums(above, above.data * places)
    rows = np.repeat(np.arange(above.shape[0]), np.diff(above.indptr))
    largest_first = above.data[np.lexsort((-above.data, rows))]
    ranks = np.arange(above.nnz) - np.repeat(above.indptr[:-1], np.diff(above.indptr))  # 0, 1, 2 ... in each row
    best = _row_sums(above, largest_first * discount[ranks])
    if not best.any():
        raise InputError(
            "test_ratings has nothing to find: got no rating above the baseline, expected at least one. "
            "Lower `baseline`, or test with more ratings."
        )
    n_users = int(np.count_nonzero(best))
    score = 100.0 * float(per_user.sum() / best.sum())
    return HalfLifeUtility(score, per_user, best, n_users, len(best) - n_users)


def precision_recall_ndcg(
    scores: Scores, test_ratings: Any, k: int, seen: Any = None, *, relevant_from: float | None = None
) -> TopK:
    """Measure precision, recall and nDCG of the first k items of each list.

    Parameters
    ----------
    scores, test_ratings, seen
        As for `half_life_utility`.
    k : int
        Length of the list. Precision divides by k even if fewer items could be recommended.
    relevant_from : float, optional
        Lowest rating of a relevant test item; None counts every test item. Relevance is binary in nDCG as well, whose
        ideal list has the user's relevant items first.
    """
    test, known = _tables(test_ratings, seen)
    shown = min(check_count("k", k), test.shape[1])
    relevant = (np.ones(test.nnz) if relevant_from is None else test.data >= relevant_from).astype(np.float64)
    n_relevant = _row_sums(test, relevant)
    users = n_relevant > 0
    if not users.any():
        raise InputError(
            "test_ratings has nothing to find: got no relevant item, expected at least one. Lower `relevant_from`."
        )
    in_list = (np.arange(test.shape[1]) < shown).astype(np.float64)
    discount = in_list / np.log2(np.arange(2, test.shape[1] + 2))
    listed, gains = _expected_weights(scores, test, known, [in_list, discount])
    found = _row_sums(test, relevant * listed)[users]
    ideal = np.cumsum(discount)[n_relevant[users].astype(np.int64) - 1]
    ndcg = _row_sums(test, relevant * gains)[users] / ideal
    n_users = int(np.count_nonzero(users))
    return TopK(
        precision=float(found.mean() / k),
        recall=float((found / n_relevant[users]).mean()),
        ndcg=float(ndcg.mean()),
        n_users=n_users,
        n_left_out=len(users) - n_users,
    )


def coverage(scores: Scores, k: int, seen: Any = None, *, n_users: int | None = None) -> float:
    """Measure the share of all items that are among the first k of at least one user.

    An item tied for the last ranks is listed with a probability, independently for each user. `n_users` is needed only
    if `scores` is a function and `seen` is None.
    """
    check_count("k", k)
    known = None if seen is None else as_ratings(seen, "seen")
    if known is None and callable(scores) and n_users is None:
        raise InputError("n_users is missing: got None, expected the number of users if scores is a function.")
    if known is not None:
        n_users = known.shape[0]
    elif not callable(scores):
        n_users = len(as_dense(scores))
    never: Float64Array | None = None
    for _, block in _score_blocks(scores, n_users or 0, None if known is None else known.shape[1], known):
        missed = np.multiply.reduce(1.0 - _chances_of_a_rank(block, k), axis=0)
        never = missed if never is None else never * missed
    if never is None or not len(never):
        raise InputError("scores is empty: got no users or no items, expected at least one of each.")
    return float((1.0 - never).mean())


def ranking_scores(rankings: Any, n_items: int) -> Float64Array:
    """Turn ranked lists of items (n_users x n_ranked columns, best first) into scores that rank the same.

    Items that are not listed score minus infinity: they are not recommended. -1 fills up a short list.
    """
    lists = np.asarray(rankings)
    check_count("n_items", n_items)
    is_table = lists.ndim == 2 and lists.dtype.kind in "iu"
    if not is_table or (lists.size and not -1 <= lists.min() <= lists.max() < n_items):
        raise InputError(
            f"rankings is not a table of items: got {lists.dtype} values of shape {lists.shape}, "
            f"expected item columns from 0 to {n_items - 1} for each user, or -1 for none."
        )
    scores = np.full((len(lists), n_items + 1), -np.inf)
    rows = np.arange(len(lists))
    # backwards, so that an item listed twice keeps its better rank
    for place in range(lists.shape[1] - 1, -1, -1):
        scores[rows, lists[:, place]] = -float(place)
    return scores[:, :-1]


def _tables(test_ratings: Any, seen: Any) -> tuple[sp.csr_array, sp.csr_array | None]:
    """Read both tables and check that they have the same shape and no rating in common."""
    test = as_ratings(test_ratings, "test_ratings").astype(np.float64)
    if seen is None:
        return test, None
    known = as_ratings(seen, "seen")
    if known.shape != test.shape:
        raise InputError(
            f"seen does not match test_ratings: got shape {known.shape} for {test.shape}, "
            "expected the same users and items in the same order."
        )
    n_both = int(_pattern(known).multiply(_pattern(test)).nnz)
    if n_both:
        raise InputError(
            f"test_ratings overlaps seen: got {n_both} ratings in both, expected none: seen items are not ranked. "
            "Remove them from one of the two."
        )
    return test, known


def _pattern(ratings: sp.csr_array) -> sp.csr_array:
    """1 wherever there is a rating."""
    return sp.csr_array((np.ones(ratings.nnz, dtype=np.int8), ratings.indices, ratings.indptr), shape=ratings.shape)


def _baselines(baseline: str | float, n_users: int, known: sp.csr_array | None, seen: Any) -> Float64Array:
    """The baseline of each user."""
    if not isinstance(baseline, str):
        return np.full(n_users, check_number("baseline", baseline, low=-np.finfo(np.float64).max))
    if baseline != "user mean":
        raise InputError(f"baseline is unknown: got {baseline!r}, expected 'user mean' or a number.")
    if known is None or np.dtype(getattr(seen, "dtype", float)).kind == "b":
        got = "no training ratings" if known is None else "a mask"
        raise InputError(
            f"seen cannot give the users' means: got {got}, expected the training ratings. "
            "Pass them, or a number as `baseline`."
        )
    return user_means(known).astype(np.float64)


def _row_sums(ratings: sp.csr_array, values: Float64Array) -> Float64Array:
    """Sum of one value per rating for each user; 0 for users without ratings."""
    rows = np.repeat(np.arange(ratings.shape[0]), np.diff(ratings.indptr))
    return np.bincount(rows, weights=values, minlength=ratings.shape[0]).astype(np.float64)


Scores: TypeAlias = npt.ArrayLike | Callable[[IntArray], npt.ArrayLike]


def _expected_weights(
    scores: Scores, test: sp.csr_array, known: sp.csr_array | None, weights: list[Float64Array]
) -> list[Float64Array]:
    """Mean weight, for each test rating, of the ranks that its item shares with those of equal score.

    With `above` items before it and `upto` items at least as good, these are the ranks above .. upto - 1.
    """
    above, upto = np.zeros(test.nnz, dtype=np.int64), np.zeros(test.nnz, dtype=np.int64)
    for rows, block in _score_blocks(scores, *test.shape, known):
        in_order = np.sort(block, axis=1)
        for row, mine, values in zip(rows, block, in_order, strict=True):
            entries = slice(test.indptr[row], test.indptr[row + 1])
            own = mine[test.indices[entries]]
            above[entries] = len(values) - np.searchsorted(values, own, side="right")
            upto[entries] = len(values) - np.searchsorted(values, own, side="left")
            upto[entries][np.isneginf(own)] = 0  # not recommended, so it has no rank
    n_tied = np.maximum(upto - above, 1)
    totals = [np.concatenate([[0.0], np.cumsum(weight)]) for weight in weights]
    return [np.where(upto > above, (total[upto] - total[above]) / n_tied, 0.0) for total in totals]


def _chances_of_a_rank(block: Array, k: int) -> Float64Array:
    """Probability of each item to be among the first k of each user."""
    n_items = block.shape[1]
    last = np.partition(block, max(0, n_items - k), axis=1)[:, max(0, n_items - k), None]
    better, tied = block > last, block == last
    room = np.minimum(k, n_items) - np.count_nonzero(better, axis=1)
    share = room / np.maximum(1, np.count_nonzero(tied, axis=1))
    return np.where(np.isneginf(block), 0.0, better + tied * share[:, None])


def _score_blocks(
    scores: Scores, n_users: int, n_items: int | None, known: sp.csr_array | None
) -> Iterator[tuple[IntArray, Array]]:
    """Yield the scores of some users at a time, those of seen items as minus infinity."""
    whole = None if callable(scores) else as_dense(scores)
    if whole is not None and whole.ndim == 2:
        check_rows("scores", len(whole), n_users, of="the ratings")
    width = n_items or (whole.shape[-1] if whole is not None and whole.ndim else 2048)
    batch = max(1, _BATCH_NUMBERS // max(1, width))
    for start in range(0, n_users, batch):
        rows = np.arange(start, min(start + batch, n_users))
        block = as_dense(scores(rows)) if callable(scores) else np.asarray(whole)[start : start + batch]
        if block.ndim != 2 or block.dtype.kind not in "biuf" or block.shape != (len(rows), n_items or block.shape[1]):
            raise InputError(
                f"scores does not match the ratings: got {block.dtype} values of shape {block.shape}, "
                f"expected numbers for {len(rows)} users x {n_items or 'all'} items."
            )
        block = block.astype(block.dtype if block.dtype.kind == "f" else np.float64)  # a copy: it is written to
        if np.isnan(block).any() or np.isposinf(block).any():
            raise InputError(
                "scores cannot be ranked: got NaN or plus infinity, expected numbers. "
                "Minus infinity marks an item that is not recommended."
            )
        if known is not None:
            part = known[rows]
            block[np.repeat(np.arange(len(rows)), np.diff(part.indptr)), part.indices] = -np.inf
        yield rows, block


_BATCH_NUMBERS = 2**22  # 32 MiB of scores at a time
