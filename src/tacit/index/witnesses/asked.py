"""Texts that subjects are sought for, and what a witness says about them.

A witness hears a block of texts, names candidates, and gives every pair of a text and a candidate a few numbers. To
train the ranker, records of the collection are asked about as if they were new: their own words and labels are left out
of every count, so that no witness is believed for what it has memorised.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from tacit.checks import is_sparse
from tacit.types import Array, BoolArray, Float32Array, IntArray

__all__ = ["AskedTexts", "Testimony", "Witness", "best_columns", "entries_of", "unit_rows"]


@dataclass(eq=False)
class AskedTexts:
    """A block of texts.

    Attributes
    ----------
    rows : their words as rows of unit length
    positions : their positions in the space
    n_subjects : number of subjects that may be suggested
    texts : the texts themselves, for names; None if only their words are known
    records : numbers of the records that the texts are, if they are records to learn from
    own : (n, n_subjects) sparse, the labels of these records
    """

    rows: Any
    positions: Float32Array
    n_subjects: int
    texts: Sequence[str] | None = None
    records: IntArray | None = None
    own: Any = None

    def __len__(self) -> int:
        return int(self.rows.shape[0])

    @cached_property
    def is_own(self) -> BoolArray | None:
        """Whether a subject is a label of the text itself, dense; None for texts that are not records."""
        return None if self.own is None else np.asarray(self.own.toarray() > 0)

    @property
    def n_words(self) -> IntArray:
        """Number of different known words of each text."""
        return np.diff(self.rows.indptr).astype(np.int64)


class Testimony(ABC):
    """What one witness says about one block of texts."""

    @abstractmethod
    def candidates(self) -> list[IntArray]:
        """Return the subjects that the witness names for each text."""

    @abstractmethod
    def features(self, text: IntArray, subject: IntArray) -> Float32Array:
        """Return the numbers for pairs of a text and a subject, (n_pairs, n_features)."""


class Witness(ABC):
    """One kind of evidence.

    Attributes
    ----------
    name : str, as `tacit evaluate --witnesses` shows it
    feature_names : names of the numbers for each pair
    """

    name: str
    feature_names: tuple[str, ...]

    @abstractmethod
    def hear(self, asked: AskedTexts) -> Testimony:
        """Consider a block of texts."""


def entries_of(starts: Array, rows: Array) -> tuple[IntArray, IntArray]:
    """Return the entries of some rows of a sparse matrix, and the place in `rows` that each belongs to."""
    first = np.asarray(starts)[rows].astype(np.int64)
    lengths = np.asarray(starts)[np.asarray(rows) + 1].astype(np.int64) - first
    place = np.repeat(np.arange(len(lengths)), lengths)
    before = np.repeat(np.cumsum(lengths) - lengths, lengths)
    return np.arange(int(lengths.sum())) - before + first[place], place


def unit_rows(positions: Array) -> Float32Array:
    """Return positions at length 1; those at the origin stay there."""
    lengths = np.linalg.norm(positions, axis=1, keepdims=True)
    return np.asarray(positions / np.where(lengths > 0, lengths, 1), np.float32)


def best_columns(scores: Any, limit: int) -> list[IntArray]:
    """Return the columns with the largest positive scores of each row, dense or sparse, in any order."""
    found = []
    if is_sparse(scores):
        for row in range(scores.shape[0]):
            part = slice(scores.indptr[row], scores.indptr[row + 1])
            columns, values = scores.indices[part], scores.data[part]
            if len(values) > limit:
                columns = columns[np.argpartition(-values, limit - 1)[:limit]]
            found.append(columns.astype(np.int64))
        return found
    for row in scores:
        columns = np.flatnonzero(row > 0)  # few of many
        if len(columns) > limit:
            columns = columns[np.argpartition(-row[columns], limit - 1)[:limit]]
        found.append(columns.astype(np.int64))
    return found
