"""Places in ranked lists: where an item stands if the items of equal score come in any order, each as likely.

The arithmetic under the measures of `recommending`: users in blocks, seen items taken out, ties averaged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from tacit.checks import check_rows
from tacit.errors import InputError
from tacit.evaluate.measures.inputs import as_dense

__all__ = ["Scores", "chances_of_a_place", "expected_weights", "score_blocks"]

Scores: TypeAlias = npt.ArrayLike | Callable[[npt.NDArray[np.int64]], npt.ArrayLike]


def expected_weights(
    scores: Scores, test: sp.csr_array, known: sp.csr_array | None, weights: list[npt.NDArray[np.float64]]
) -> list[npt.NDArray[np.float64]]:
    """Give for each test rating the mean weight of the places that its item shares with those of equal score.

    With `above` items before it and `upto` items at least as good, these are the places above .. upto - 1.
    """
    above, upto = np.zeros(test.nnz, dtype=np.int64), np.zeros(test.nnz, dtype=np.int64)
    for rows, block in score_blocks(scores, *test.shape, known):
        in_order = np.sort(block, axis=1)
        for row, mine, values in zip(rows, block, in_order, strict=True):
            entries = slice(test.indptr[row], test.indptr[row + 1])
            own = mine[test.indices[entries]]
            above[entries] = len(values) - np.searchsorted(values, own, side="right")
            upto[entries] = len(values) - np.searchsorted(values, own, side="left")
            upto[entries][np.isneginf(own)] = 0  # not recommended, so it has no place
    n_tied = np.maximum(upto - above, 1)
    totals = [np.concatenate([[0.0], np.cumsum(weight)]) for weight in weights]
    return [np.where(upto > above, (total[upto] - total[above]) / n_tied, 0.0) for total in totals]


def chances_of_a_place(block: npt.NDArray[Any], k: int) -> npt.NDArray[np.float64]:
    """Give the chance of each item to be among the k best of each user."""
    n_items = block.shape[1]
    last = np.partition(block, max(0, n_items - k), axis=1)[:, max(0, n_items - k), None]
    better, tied = block > last, block == last
    room = np.minimum(k, n_items) - np.count_nonzero(better, axis=1)
    share = room / np.maximum(1, np.count_nonzero(tied, axis=1))
    return np.where(np.isneginf(block), 0.0, better + tied * share[:, None])


def score_blocks(
    scores: Scores, n_users: int, n_items: int | None, known: sp.csr_array | None
) -> Iterator[tuple[npt.NDArray[np.int64], npt.NDArray[Any]]]:
    """Give the scores of some users at a time, those of seen items at minus infinity."""
    whole = None if callable(scores) else as_dense(scores)
    if whole is not None and whole.ndim == 2:
        check_rows("scores", len(whole), n_users, of="the ratings")
    width = n_items or (whole.shape[-1] if whole is not None and whole.ndim else 2048)
    batch = max(1, _BATCH_NUMBERS // max(1, width))
    for start in range(0, n_users, batch):
        rows = np.arange(start, min(start + batch, n_users))
        block = as_dense(scores(rows)) if callable(scores) else np.asarray(whole)[start : start + batch]
        block = _checked(block, len(rows), n_items)
        if known is not None:
            part = known[rows]
            block[np.repeat(np.arange(len(rows)), np.diff(part.indptr)), part.indices] = -np.inf
        yield rows, block


_BATCH_NUMBERS = 2**22  # 32 MiB of scores at a time


def _checked(block: npt.NDArray[Any], n_users: int, n_items: int | None) -> npt.NDArray[Any]:
    """Give a block of scores as floats of its own, or say what is wrong with it."""
    if block.ndim != 2 or block.dtype.kind not in "biuf" or block.shape != (n_users, n_items or block.shape[1]):
        raise InputError(
            f"scores does not match the ratings: got {block.dtype} values of shape {block.shape}, "
            f"expected numbers for {n_users} users x {n_items or 'all'} items."
        )
    own = block.astype(block.dtype if block.dtype.kind == "f" else np.float64)  # a copy: seen items are written over
    if np.isnan(own).any() or np.isposinf(own).any():
        raise InputError(
            "scores cannot be ranked: got NaN or plus infinity, expected numbers. "
            "Minus infinity marks an item that is not recommended."
        )
    return own
