"""Contributions of words: the position of a text is a sum over its words, and so are products with it.

    position = Σ_t x_t T_t − o,  so  position·v / |position| = Σ_t x_t (T_t·v) / |position| − (o·v) / |position|

for every direction v: the cosine with a record (v its position at length 1), the score of a label (v its weights).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tacit.errors import InputError
from tacit.tasks.opened_index import OpenedIndex
from tacit.types import Array, Float32Array

__all__ = [
    "PlacedText",
    "WordPart",
    "importance",
    "listed",
    "place_text",
    "shared_words",
    "typical_word_parts",
    "typical_words",
]

_LEAST = 0.1  # of the largest contribution: smaller ones say nothing about a direction


class WordPart(NamedTuple):
    """A word of a text and its part of a sum, which may be negative."""

    word: str
    part: float


@dataclass(frozen=True, eq=False)
class PlacedText:
    """A text as words and position.

    Attributes
    ----------
    columns, weights : (n_words,), its words that the index knows, and x
    position : (n_dimensions,)
    """

    columns: npt.NDArray[np.int32]
    weights: Float32Array
    position: Float32Array

    def parts(
        self, collection: OpenedIndex, direction: Array, beside: Array | None = None
    ) -> tuple[list[WordPart], float]:
        """Return the part of each word in the position's product with a direction, largest first, and the offset's.

        The parts add up to the product of the position, at length 1, with the direction, plus the product of the words
        with `beside`, one number per term.
        """
        space, length = collection.space, float(np.linalg.norm(self.position)) or 1.0
        assert space.words is not None  # a text was placed by them
        towards = np.asarray(direction, np.float64)
        parts = self.weights * (space.terms[self.columns] @ towards) / length
        if beside is not None:
            parts = parts + self.weights * beside[self.columns]
        order = np.argsort(-parts, kind="stable")
        offset = 0.0 if space.offset is None else -float(space.offset @ towards) / length
        return [WordPart(space.words.terms[self.columns[i]], float(parts[i])) for i in order], offset


def place_text(collection: OpenedIndex, text: str, argument: str) -> PlacedText:
    """Place a text by its words; a text without a known word is an error."""
    words = collection.space.words
    if not isinstance(text, str) or not text.strip():
        raise InputError(f"{argument} is empty: got {text!r}, expected some words.")
    position = collection.space.place([text], argument)[0]
    assert words is not None  # or it could not have been placed
    columns, weights = words.row(text)
    if not position.any():
        shown = text if len(text) <= 60 else text[:57] + "..."
        raise InputError(
            f"{argument} has no known word: got {shown!r}, expected at least one word of the collection. Try other "
            "words."
        )
    return PlacedText(columns, weights, position)


def shared_words(collection: OpenedIndex, one: str, other: str) -> tuple[str, ...]:
    """Return the words that two texts share, largest weights first; none for an index of vectors."""
    words = collection.space.words
    if words is None:
        return ()
    (columns, weights), (others, other_weights) = words.row(one), words.row(other)
    both, here, there = np.intersect1d(columns, others, assume_unique=True, return_indices=True)
    order = np.argsort(-weights[here] * other_weights[there], kind="stable")
    return tuple(words.terms[both[i]] for i in order)


def importance(collection: OpenedIndex) -> Float32Array:
    """Return how much each word moves records: its weight times the root of the share of records that have it.

    This is the root mean square of x_t over the records, apart from the scaling to unit length; so `importance · T_t·v`
    is how far word t moves a record along v. The number of records with a word follows from its weight,
    1 + log((1 + N) / (1 + N_t)).
    """
    words = collection.space.words
    if words is None:
        return np.empty(0, np.float32)
    n_records = collection.positions.n_base
    with_word = np.clip((1 + n_records) / np.exp(words.weights.astype(np.float64) - 1) - 1, 0, n_records)
    return np.asarray(np.sqrt(with_word / n_records) * words.weights, np.float32)


def typical_words(collection: OpenedIndex, directions: Array, n: int) -> list[tuple[str, ...]]:
    """Return the n words that move records most along each direction, strongest first.

    Words below a tenth of the strongest in either direction are left out: a dimension may have one end only.
    """
    return [tuple(word for word, _ in found) for found in typical_word_parts(collection, directions, n)]


def typical_word_parts(collection: OpenedIndex, directions: Array, n: int) -> list[list[WordPart]]:
    """Return the words of `typical_words` with how far each moves records, as a part of the strongest."""
    words = collection.space.words
    if words is None:
        return [[] for _ in directions]
    moves = (collection.space.terms @ np.asarray(directions, np.float32).T) * importance(collection)[:, None]
    found = []
    for move in moves.T:
        best = np.argsort(-move, kind="stable")[:n]
        most = float(np.abs(move).max(initial=0.0))
        least = max(_LEAST * most, 1e-12)
        found.append([WordPart(words.terms[i], float(move[i]) / most) for i in best if move[i] > least])
    return found


def listed(names: Iterable[str], most: int = 3) -> str:
    """Return names as in a sentence: a, b and c."""
    shown = list(names)[:most]
    return shown[0] if len(shown) == 1 else ", ".join(shown[:-1]) + " and " + shown[-1] if shown else ""
