"""Suggest: labels for a new text, with probabilities, what lies above them, and which are worth a yes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tacit.checks import check_count, check_number
from tacit.errors import InputError

if TYPE_CHECKING:
    from tacit.tasks.collection import Collection

__all__ = ["Suggestion", "suggest"]


@dataclass(frozen=True)
class Suggestion:
    """One label for a text.

    Parameters
    ----------
    label : str
    probability : float
        Calibrated: of labels that are suggested with .8, four of five are right.
    chosen : bool
        Whether the label's own threshold says yes: the set with the best F1, where `limit` is not a fixed number.
    title : str
        What to show, from the taxonomy; the label itself if there is none.
    ancestors : tuple of str
        What lies above it in the taxonomy, the nearest first.
    """

    label: str
    probability: float
    chosen: bool
    title: str
    ancestors: tuple[str, ...] = ()


def suggest(
    collection: Collection,
    texts: Sequence[str],
    *,
    limit: int = 5,
    threshold: float | None = None,
    vectors: Any = None,
) -> list[list[Suggestion]]:
    """Suggest labels for texts, the most probable first.

    Parameters
    ----------
    collection : an open index whose records have labels
    texts : the texts; with `vectors` they are not looked at
    limit : int, default 5
        Most labels a text.
    threshold : float in [0, 1], optional
        Leave out what is less probable.
    vectors : optional
        One row a text, for an index that was built from vectors.

    Returns
    -------
    list of lists of Suggestion
        Empty for a text without any known word.
    """
    limit = check_count("limit", limit)
    least = 0.0 if threshold is None else check_number("threshold", threshold, high=1.0)
    suggester = collection.suggester
    if suggester is None:
        raise InputError(
            f"{collection.path} has no suggester: got an index whose records have no labels, or that was built without "
            "one, expected labels. Build it with a column of labels."
        )
    space = collection.space
    positions = space.place(texts) if vectors is None else space.place_vectors(vectors)
    scores = suggester.scores(positions)
    probabilities = suggester.probabilities(scores)
    chosen = suggester.chosen(scores)
    chosen[~positions.any(axis=1)] = False
    return [
        _best(collection, row, yes, limit, least) if position.any() else []
        for position, row, yes in zip(positions, probabilities, chosen, strict=True)
    ]


def _best(collection: Collection, probabilities: Any, chosen: Any, limit: int, least: float) -> list[Suggestion]:
    best = np.argsort(-probabilities, kind="stable")[:limit]
    return [
        _suggestion(collection, int(label), float(probabilities[label]), bool(chosen[label]))
        for label in best
        if probabilities[label] >= least
    ]


def _suggestion(collection: Collection, label: int, probability: float, chosen: bool) -> Suggestion:
    name, taxonomy = collection.label_names[label], collection.taxonomy
    if taxonomy is None or name not in taxonomy:
        return Suggestion(name, probability, chosen, name)
    return Suggestion(name, probability, chosen, taxonomy.title(name), tuple(map(str, taxonomy.ancestors(name))))
