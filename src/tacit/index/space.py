"""The space of an index: places texts and vectors by memory-mapped matrices, without the model that made it.

    position = x T − o,  T one row per term (or per number of the user's vectors), o the offset

All models place new records by such a map, so an index can be used without the library that fitted it. An index of
words and vectors has three: for both together, which is the map of the model, for a text alone and for a vector alone,
which are regressions of the positions on that part.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from tacit.checks import check_finite
from tacit.errors import InputError
from tacit.index.folder.opening import Generation
from tacit.index.folder.writer import GenerationWriter
from tacit.text.words import Words
from tacit.types import Array, Float32Array

__all__ = ["Space", "VectorMaps", "centred"]

_HEAVIEST = 100  # inverse document frequency of a word; that of one in 2⁶⁴ records is below 46


def centred(vectors: Any, mean: Array) -> Float32Array:
    """Return vectors at length 1, less the mean of those of the collection: what an encoder gives to all texts."""
    X = np.asarray(vectors, np.float32)
    lengths = np.linalg.norm(X, axis=1, keepdims=True)
    return np.asarray(X / np.where(lengths > 0, lengths, 1) - mean, np.float32)


@dataclass(frozen=True, eq=False)
class VectorMaps:
    """Places vectors in a space of words and vectors.

    Attributes
    ----------
    mean : (n_numbers,), of the vectors of the collection at length 1
    alone : (n_numbers, k), map of centred vectors without words
    both : (n_terms + n_numbers, k), map of words and centred vectors
    """

    mean: Array
    alone: Array
    both: Array


class Space:
    """Places texts, or vectors, among the records of an index.

    Parameters
    ----------
    terms : (n_terms, n_dimensions)
        T, one row per term; for an index of vectors alone, per number.
    offset : (n_dimensions,), optional
        o, where the mean record would be.
    words : Words or a function that returns them, optional
        How texts become rows; None for an index of vectors alone.
    vectors : VectorMaps, optional
        How vectors are placed beside words; None for an index of words alone, and for one of vectors alone.
    """

    def __init__(
        self, terms: Array, offset: Array | None = None, words: Any = None, vectors: VectorMaps | None = None
    ) -> None:
        # a plain array, since taking rows of a memmap makes a memmap each time
        self.terms, self.offset, self.vectors = np.asarray(terms), offset, vectors
        self._words = words

    @classmethod
    def of_generation(cls, generation: Generation) -> Space:
        """Open the space of an index; the words are read when they are needed."""

        def words() -> Words | None:
            if "facts/words.json" not in generation.manifest.files:
                return None
            weights = generation.array("term_weights")
            if not ((weights >= 0) & (weights <= _HEAVIEST)).all():
                raise ValueError(f"weights of words that are not from 0 to {_HEAVIEST}")
            return Words.from_facts(generation.facts("words"), weights)

        maps = None
        if "vector_mean" in generation.arrays:
            maps = VectorMaps(*(generation.array(f"vector_{part}") for part in ("mean", "alone", "both")))
        return cls(generation.array("terms"), generation.arrays.get("offset"), words, maps)

    def save(self, writer: GenerationWriter) -> None:
        """Write the space into a new generation."""
        writer.save_array("terms", np.ascontiguousarray(self.terms, np.float32))
        if self.offset is not None:
            writer.save_array("offset", np.asarray(self.offset, np.float32))
        if self.words is not None:
            writer.save_facts("words", self.words.to_facts())
            writer.save_array("term_weights", self.words.weights)
        if self.vectors is not None:
            for part in ("mean", "alone", "both"):
                writer.save_array(f"vector_{part}", np.ascontiguousarray(getattr(self.vectors, part), np.float32))

    @cached_property
    def words(self) -> Words | None:
        """How texts become rows; None for an index of vectors."""
        found: Words | None = self._words() if callable(self._words) else self._words
        return found

    @property
    def n_dimensions(self) -> int:
        """Number of dimensions."""
        return int(self.terms.shape[1])

    def place(self, texts: Sequence[str], argument: str = "text") -> Float32Array:
        """Return the positions of texts; a text without any known word is at the origin."""
        if self.words is None:
            raise InputError(
                f"{argument} cannot be placed by its words: got a text, expected a vector, since this index was built "
                "from vectors. Pass a vector from the same model, or search by words."
            )
        positions = np.zeros((len(texts), self.n_dimensions), np.float32)
        for row, text in enumerate(texts):
            columns, weights = self.words.row(text)
            if len(columns):  # reads only the rows of these words
                positions[row] = self._moved(weights @ self.terms[columns])
        return positions

    def place_vectors(
        self, vectors: Any, texts: Sequence[str] | None = None, argument: str = "vectors"
    ) -> Float32Array:
        """Return the positions of vectors, which come from the model that made those of the collection.

        With the texts that they were made from, an index of words and vectors uses both.
        """
        X = np.asarray(vectors, np.float32)
        expected = self.n_numbers
        if expected is None:
            raise InputError(
                f"{argument} cannot be placed: got vectors for an index that was built from words alone. Pass texts, "
                "or build it with vectors."
            )
        if X.ndim != 2 or X.shape[1] != expected:
            raise InputError(
                f"{argument} does not fit this index: got shape {X.shape}, expected (n, {expected}). Use the model "
                "that made the vectors of the collection."
            )
        check_finite(argument, X)
        if self.vectors is None:
            return np.asarray(self._moved(X @ self.terms), np.float32)
        if texts is None:
            return np.asarray(self._moved(centred(X, self.vectors.mean) @ self.vectors.alone), np.float32)
        if len(texts) != len(X):
            raise InputError(
                f"{argument} does not match the texts: got {len(X):,} rows for {len(texts):,} texts, expected one row "
                "per text, in the same order."
            )
        both = self.vectors.both
        positions = [weights @ both[columns] for columns, weights in self.joint_rows(X, texts)]
        return np.asarray(self._moved(np.array(positions)), np.float32)

    def joint_rows(self, vectors: Any, texts: Sequence[str]) -> list[tuple[Array, Array]]:
        """Return columns and weights of vectors, and of their texts if the index has words."""
        if self.vectors is None or self.words is None:
            return [(np.arange(len(self.terms)), row) for row in np.asarray(vectors, np.float32)]
        numbers = len(self.terms) + np.arange(len(self.vectors.mean))
        rows = []
        for text, vector in zip(texts, centred(vectors, self.vectors.mean), strict=True):
            columns, weights = self.words.row(text)
            rows.append((np.concatenate([columns, numbers]), np.concatenate([weights, vector])))
        return rows

    @property
    def n_numbers(self) -> int | None:
        """Length of the vectors that can be placed; None for an index of words alone."""
        if self.vectors is not None:
            return len(self.vectors.mean)
        return len(self.terms) if self.words is None else None

    def _moved(self, positions: Array) -> Array:
        return positions if self.offset is None else positions - self.offset
