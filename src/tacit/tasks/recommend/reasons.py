"""Reasons for recommended items: similar items that the user rated, and ratings by similar users."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from tacit.tasks.search.hits import Hit
from tacit.types import Array

__all__ = ["Recommendation", "RelatedItem", "Voices", "explained"]

_MOST_NAMED = 2  # items of the user that a reason names


class RelatedItem(NamedTuple):
    """An item that the user rated, and its cosine with the recommended one."""

    id: str
    rating: float
    similarity: float


@dataclass(frozen=True)
class Recommendation(Hit):
    """One recommended item; `why` has the reasons as sentences, the other attributes as data.

    Attributes
    ----------
    id : str
        Name of the item, or its column.
    score : float
        Sort key: for neighbours, their ratings weighted by similarity and summed (see `Recommender` for other
        choices); for positions, the product of the user's and the item's.
    why : tuple of str
    n_raters : int
        Number of neighbours who rated it.
    mean_rating : float
        Their plain mean; NaN if there are none.
    because_of : tuple of RelatedItem
        The most similar items that the user rated well.
    """

    n_raters: int = 0
    mean_rating: float = float("nan")
    because_of: tuple[RelatedItem, ...] = ()


class Voices(NamedTuple):
    """Ratings of the users to quote, most similar first; at most `limit` are quoted per item."""

    ratings: sp.csr_array
    limit: int
    like_you: bool


def explained(
    items: npt.NDArray[np.intp],
    scores: Array,
    own: sp.csr_array,
    voices: Voices,
    alike: Callable[[npt.NDArray[np.intp], npt.NDArray[np.intp]], Array],
    names: Sequence[Hashable],
) -> list[Recommendation]:
    """Return items, given by their columns and scores, with their reasons.

    `own` has the ratings of the user, 1 x n_items, and `alike` returns the cosines between two lists of items.
    """
    liked = np.empty(0, dtype=np.intp)
    if own.nnz:
        mean = float(own.data.mean(dtype=np.float64))
        slack = 1e-6 * abs(mean)  # the mean of equal ratings may round to a little more than they are
        liked = own.indices[own.data >= mean - slack].astype(np.intp)
    rating = dict(zip(own.indices.tolist(), own.data.tolist(), strict=True))
    cosines = alike(items, liked) if len(items) and len(liked) else np.zeros((len(items), 0))
    said = voices.ratings[:, items].tocsc()
    said.sort_indices()
    found = []
    for place, item in enumerate(items):
        theirs = said.data[said.indptr[place] : said.indptr[place + 1]][: voices.limit]
        near = [i for i in np.argsort(-cosines[place], kind="stable") if cosines[place, i] > 0 and liked[i] != item]
        related = tuple(
            RelatedItem(str(names[liked[i]]), rating[int(liked[i])], float(cosines[place, i]))
            for i in near[:_MOST_NAMED]
        )
        why = _sentences(related, theirs, like_you=voices.like_you)
        mean = float(theirs.mean()) if len(theirs) else float("nan")
        found.append(Recommendation(str(names[item]), float(scores[place]), why, len(theirs), mean, related))
    return found


def _sentences(related: tuple[RelatedItem, ...], said: Array, *, like_you: bool) -> tuple[str, ...]:
    sentences = []
    if related:
        sentences.append("because you rated " + " and ".join(f"{one.id} {one.rating:.3g}" for one in related))
    if len(said):
        who = f"{len(said)} {'person' if len(said) == 1 else 'people'}{' like you' if like_you else ''}"
        sentences.append(f"because {who} rated it {said.mean():.1f}" + (" on average" if len(said) > 1 else ""))
    return tuple(sentences)
