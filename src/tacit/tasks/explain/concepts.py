"""Concepts: what the dimensions of the space are about, as a list."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacit.checks import check_count
from tacit.tasks.explain.dimension import Dimension, dimensions

if TYPE_CHECKING:
    from tacit.tasks.collection import Collection

__all__ = ["concepts"]


def concepts(collection: Collection, *, limit: int = 10, words: int = 6) -> list[Dimension]:
    """Describe the first dimensions by the words, labels and linked things at both of their ends.

    Parameters
    ----------
    collection : an open index
    limit : int, default 10
        How many dimensions; all of them if there are fewer.
    words : int, default 6
        Most words, labels and linked things an end.
    """
    last = min(check_count("limit", limit), collection.space.n_dimensions)
    return dimensions(collection, range(1, last + 1), limit=check_count("words", words))
