"""The neighbours witness: labels of the records with the most similar words, and of the nearest in the space.

    share of a subject = Σ cos² over the nearest records that have it / Σ cos² over all of them

The words of the records are kept by word, so that a text is compared only with records that share one of its words.
Records that were added after the build are compared as well.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import scipy.sparse as sp

from tacit.index.folder.opening import Generation
from tacit.index.folder.writer import GenerationWriter
from tacit.index.stored_arrays import stored_rows
from tacit.index.witnesses.asked import AskedTexts, Testimony, Witness, best_columns, entries_of, unit_rows
from tacit.types import Array, BoolArray, Float32Array, IntArray

__all__ = ["NeighboursTestimony", "NeighboursWitness", "has_places"]

_NEAREST, _CLOSEST = 40, 8
_CANDIDATES = 30
_PLACED_NUMBERS = 20_000_000  # positions x dimensions up to which all records are compared by position too


class NeighboursWitness(Witness):
    """Finds the most similar records.

    Parameters
    ----------
    by_word : (n_terms, n_records) sparse, the words of the records
    labels : (n_records, n_subjects) sparse
    places : (n_records, k) positions of the records, optional; None does not compare positions
    """

    name = "neighbours"
    feature_names = (
        "near_share", "near_share_to_best", "closest_share", "near_count", "best_cosine_with", "best_cosine",
        "placed_share",
    )  # fmt: skip

    def __init__(self, by_word: Any, labels: Any, places: Array | None = None) -> None:
        self.by_word, self.labels = sp.csr_array(by_word), sp.csr_array(labels)
        self.removed: BoolArray | None = None
        self.places = unit_rows(np.asarray(places)) if places is not None and has_places(places) else None

    @classmethod
    def of_records(cls, rows: Any, labels: Any, places: Array | None) -> Self:
        """Keep the words of records by word."""
        by_word = sp.csr_array(sp.csr_array(rows, dtype=np.float32).T)
        return cls(by_word, sp.csr_array(labels, dtype=np.float32), places)

    def with_changes(self, rows: Any, labels: Any, places: Array | None, removed: IntArray) -> NeighboursWitness:
        """Return a witness that also knows added records, and no longer those that were removed."""
        width = max(self.labels.shape[1], labels.shape[1])
        more = sp.csr_array(sp.csr_array(rows, dtype=np.float32).T)
        known = sp.csr_array((self.labels.data, self.labels.indices, self.labels.indptr), (self.labels.shape[0], width))
        witness = NeighboursWitness(
            sp.hstack([self.by_word, more], format="csr"), sp.vstack([known, sp.csr_array(labels)], format="csr")
        )
        if self.places is not None and places is not None:
            witness.places = np.vstack([self.places, unit_rows(places)])
        if len(removed):
            witness.removed = np.zeros(witness.labels.shape[0], bool)
            witness.removed[removed] = True
        return witness

    def first(self, n_records: int) -> NeighboursWitness:
        """Return a witness that knows only the first records."""
        witness = NeighboursWitness(self.by_word[:, :n_records], self.labels[:n_records])
        witness.places = None if self.places is None else self.places[:n_records]
        return witness

    def rows(self, numbers: IntArray) -> sp.csr_array:
        """Return the words of some records."""
        return sp.csr_array(self.by_word[:, numbers].T)

    def hear(self, asked: AskedTexts) -> NeighboursTestimony:
        """Consider a block of texts."""
        return NeighboursTestimony(self, asked)

    def save(self, writer: GenerationWriter) -> None:
        """Write words and labels of the records into a new generation."""
        for name, matrix in (("by_word", self.by_word), ("labels", self.labels)):
            writer.save_array(f"near_{name}_starts", matrix.indptr.astype(np.int64))
            writer.save_array(f"near_{name}_columns", matrix.indices.astype(np.int32))
        writer.save_array("near_by_word_values", self.by_word.data.astype(np.float32))

    @classmethod
    def of_generation(
        cls, generation: Generation, shape: tuple[int, int, int], places: Array, learned: Array | None
    ) -> Self:
        """Open the records of an index and its corrections; `shape` is its numbers of terms, of these and subjects."""
        n_terms, n_records, n_subjects = shape
        values = generation.array("near_by_word_values")
        by_word = stored_rows(generation, "near_by_word", (n_terms, n_records), values)
        labels = stored_rows(generation, "near_labels", (n_records, n_subjects))
        if learned is not None and has_places(places):
            places = np.vstack([places, learned])
        return cls(by_word, labels, places)

    def nearest(self, asked: AskedTexts) -> sp.csr_array:
        """Return the cosines of the nearest records by their words, texts x records."""
        cosines = sp.csr_array(sp.csr_array(asked.rows) @ self.by_word)
        if self.removed is not None:
            cosines.data[self.removed[cosines.indices]] = 0
        if asked.records is not None:
            text = np.repeat(np.arange(len(asked)), np.diff(cosines.indptr))
            cosines.data[cosines.indices == asked.records[text]] = 0
        return _kept(cosines, best_columns(cosines, _NEAREST))


def has_places(positions: Any) -> bool:
    """Whether a text is compared with all records by position, too: so few are compared in little time."""
    return int(np.prod(positions.shape)) <= _PLACED_NUMBERS


class NeighboursTestimony(Testimony):
    """The nearest records of each text, and the labels that they have."""

    def __init__(self, witness: NeighboursWitness, asked: AskedTexts) -> None:
        self.cosines = witness.nearest(asked)
        n, width = len(asked), asked.n_subjects
        labels = witness.labels
        self.best = np.asarray(self.cosines.max(axis=1).toarray()).ravel() if self.cosines.nnz else np.zeros(n)
        squares = sp.csr_array((self.cosines.data**2, self.cosines.indices, self.cosines.indptr), self.cosines.shape)
        few = _kept(squares, best_columns(squares, _CLOSEST))
        ones = sp.csr_array((np.ones_like(squares.data), squares.indices, squares.indptr), squares.shape)
        # one product: for a single text, three take longer to set up than to compute
        summed = _wide(_below([_by_rows(squares), _by_rows(few), ones]) @ labels, width)
        self.share, self.closest, self.count = summed[:n], summed[n : 2 * n], summed[2 * n :]
        self.best_with = np.zeros((n, width), np.float32)
        text = np.repeat(np.arange(n), np.diff(self.cosines.indptr))
        entry, place = entries_of(labels.indptr, self.cosines.indices)
        np.maximum.at(self.best_with, (text[place], labels.indices[entry]), self.cosines.data[place])
        self.placed = self._placed(witness, asked, labels, width)

    def _placed(self, witness: NeighboursWitness, asked: AskedTexts, labels: Any, width: int) -> Float32Array:
        """Return the shares among the records that are nearest in the space."""
        if witness.places is None:
            return np.zeros((len(asked), width), np.float32)
        cosines = unit_rows(asked.positions) @ witness.places.T
        if witness.removed is not None:
            cosines[:, witness.removed] = 0
        if asked.records is not None:
            cosines[np.arange(len(asked)), asked.records] = 0
        depth = min(_NEAREST, cosines.shape[1])
        some = np.argpartition(-cosines, depth - 1, axis=1)[:, :depth]
        squares = np.maximum(np.take_along_axis(cosines, some, 1), 0) ** 2
        rows = np.repeat(np.arange(len(asked)), depth)
        near = sp.csr_array((squares.ravel(), (rows, some.ravel())), cosines.shape)
        return _wide(_by_rows(near) @ labels, width)

    def candidates(self) -> list[IntArray]:
        """Return the labels with the largest shares."""
        by_words, by_place = best_columns(self.share, _CANDIDATES), best_columns(self.placed, _CANDIDATES)
        return [np.union1d(one, other) for one, other in zip(by_words, by_place, strict=True)]

    def features(self, text: IntArray, subject: IntArray) -> Float32Array:
        """Return shares and cosines for pairs."""
        best = np.maximum(self.share.max(axis=1), 1e-9)
        share = self.share[text, subject]
        columns = [share, share / best[text], self.closest[text, subject], self.count[text, subject]]
        columns += [self.best_with[text, subject], self.best[text], self.placed[text, subject]]
        return np.column_stack(columns).astype(np.float32)


def _by_rows(weights: sp.csr_array) -> sp.csr_array:
    """Scale the weights of each row to the sum 1."""
    totals = np.asarray(weights.sum(axis=1)).ravel()
    factors = np.repeat(1 / np.maximum(totals, 1e-12), np.diff(weights.indptr))
    return sp.csr_array((weights.data * factors, weights.indices, weights.indptr), weights.shape)


def _below(matrices: list[sp.csr_array]) -> sp.csr_array:
    """Write matrices below each other."""
    ends = np.cumsum([matrix.indptr[-1] for matrix in matrices])
    starts = [matrix.indptr[:-1] + end - matrix.indptr[-1] for matrix, end in zip(matrices, ends, strict=True)]
    data, indices = (np.concatenate([getattr(one, part) for one in matrices]) for part in ("data", "indices"))
    shape = (sum(matrix.shape[0] for matrix in matrices), matrices[0].shape[1])
    return sp.csr_array((data, indices, np.concatenate([*starts, ends[-1:]])), shape)


def _kept(matrix: sp.csr_array, columns: list[IntArray]) -> sp.csr_array:
    """Keep some columns of each row, without zeros."""
    starts, indices, values = [0], [], []
    for row, kept in enumerate(columns):
        part = slice(matrix.indptr[row], matrix.indptr[row + 1])
        held = np.isin(matrix.indices[part], kept) & (matrix.data[part] > 0)
        indices.append(matrix.indices[part][held])
        values.append(matrix.data[part][held])
        starts.append(starts[-1] + len(indices[-1]))
    empty = [np.empty(0, matrix.indices.dtype)], [np.empty(0, matrix.data.dtype)]
    columns_of, data = np.concatenate(indices or empty[0]), np.concatenate(values or empty[1])
    return sp.csr_array((data, columns_of, np.array(starts)), matrix.shape)


def _wide(matrix: Any, width: int) -> Float32Array:
    """Return a dense array with zeros for subjects that no record has."""
    dense = np.zeros((matrix.shape[0], width), np.float32)
    dense[:, : matrix.shape[1]] = matrix.toarray()
    return dense
