"""The space of an index: places texts and vectors by one memory-mapped matrix, without the model that made it.

    position = x T − o,  T one row per term (or per number of the user's vectors), o the offset

All models place new records by such a map, so an index can be used without the library that fitted it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from tacit.checks import check_finite
from tacit.errors import InputError
from tacit.index.folder.opening import Generation
from tacit.index.folder.writer import GenerationWriter
from tacit.text.words import Words
from tacit.types import Array, Float32Array

__all__ = ["Space"]


class Space:
    """Places texts, or vectors, among the records of an index.

    Parameters
    ----------
    terms : (n_terms, n_dimensions)
        T, one row per term.
    offset : (n_dimensions,), optional
        o, where the mean record would be.
    words : Words or a function that returns them, optional
        How texts become rows; None for an index of vectors.
    """

    def __init__(self, terms: Array, offset: Array | None = None, words: Any = None) -> None:
        self.terms, self.offset = terms, offset
        self._words = words

    @classmethod
    def of_generation(cls, generation: Generation) -> Space:
        """Open the space of an index; the words are read when they are needed."""

        def words() -> Words | None:
            if "facts/words.json" not in generation.manifest.files:
                return None
            return Words.from_facts(generation.facts("words"), generation.array("term_weights"))

        return cls(generation.array("terms"), generation.arrays.get("offset"), words)

    def save(self, writer: GenerationWriter) -> None:
        """Write the space into a new generation."""
        writer.save_array("terms", np.ascontiguousarray(self.terms, np.float32))
        if self.offset is not None:
            writer.save_array("offset", np.asarray(self.offset, np.float32))
        if self.words is not None:
            writer.save_facts("words", self.words.to_facts())
            writer.save_array("term_weights", self.words.weights)

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

    def place_vectors(self, vectors: Any, argument: str = "vectors") -> Float32Array:
        """Return the positions of vectors, which come from the model that made those of the collection."""
        X = np.asarray(vectors, np.float32)
        if X.ndim != 2 or X.shape[1] != self.terms.shape[0]:
            raise InputError(
                f"{argument} does not fit this index: got shape {X.shape}, expected (n, {self.terms.shape[0]}). Use "
                "the model that made the vectors of the collection."
            )
        check_finite(argument, X)
        return np.asarray(self._moved(X @ self.terms), np.float32)

    def _moved(self, positions: Array) -> Array:
        return positions if self.offset is None else positions - self.offset
