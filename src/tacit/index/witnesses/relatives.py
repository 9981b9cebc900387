"""The relatives witness: subjects that often go with those of similar records, or stand beside them in a taxonomy.

    support of s = Σ_t share of t among the nearest records · P(s | t),  P(s | t) = N_st / (N_t + 1)

The same sum over the broader, narrower and related subjects of s, each with weight 1, is its support by the taxonomy.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import scipy.sparse as sp

from tacit.index.folder.opening import Generation
from tacit.index.folder.writer import GenerationWriter
from tacit.index.stored_arrays import stored_rows
from tacit.index.witnesses.asked import AskedTexts, Testimony, Witness, best_columns, entries_of
from tacit.types import Array, Float32Array, IntArray

__all__ = ["RelativesTestimony", "RelativesWitness"]

_FIRST = 10  # subjects of similar records that support others
_CANDIDATES = 5
_EXACT = 16  # records up to which many subjects have the same number; above, it is rounded to a power of two


class RelativesWitness(Witness):
    """Counts of pairs of labels, and pairs of neighbours in the taxonomy.

    Parameters
    ----------
    together : (n_subjects, n_subjects) sparse, records that have both, without the diagonal
    counts : (n_subjects,), records of each subject
    related : (n_subjects, n_subjects) sparse, 1 for broader, narrower and related subjects
    """

    name = "relatives"
    feature_names = ("together_support", "taxonomy_support", "subject_records", "text_words")

    def __init__(self, together: Any, counts: Array, related: Any) -> None:
        self.together, self.counts, self.related = together, counts, related

    @classmethod
    def of_labels(cls, labels: Any, related: Any) -> Self:
        """Count pairs of labels."""
        Y = sp.csr_array(labels, dtype=np.float32)
        return cls(_pairs(Y, Y), np.asarray(Y.sum(axis=0)).ravel(), sp.csr_array(related, dtype=np.float32))

    def changed(self, labels: Any, signs: Array) -> RelativesWitness:
        """Return the counts with some records more and others less; `signs` is 1 or −1 for each of them."""
        Y = sp.csr_array(labels, dtype=np.float32)
        width = max(len(self.counts), Y.shape[1])
        signed = sp.csr_array((Y.data * np.repeat(signs, np.diff(Y.indptr)), Y.indices, Y.indptr), Y.shape)
        together = sp.csr_array(_widened(self.together, width) + _widened(_pairs(signed, Y), width))
        together.data = np.maximum(together.data, 0)
        together.eliminate_zeros()
        counts = np.zeros(width, np.float32)
        counts[: len(self.counts)] = self.counts
        counts[: Y.shape[1]] += np.asarray(signed.sum(axis=0)).ravel()
        return RelativesWitness(together, counts, _widened(self.related, width))

    def hear_after(self, asked: AskedTexts, shares: Array) -> RelativesTestimony:
        """Consider a block of texts, for which similar records have given each subject a share."""
        return RelativesTestimony(self, asked, shares)

    def hear(self, asked: AskedTexts) -> RelativesTestimony:
        """Consider a block of texts without similar records: nothing supports anything."""
        return RelativesTestimony(self, asked, np.zeros((len(asked), asked.n_subjects), np.float32))

    def save(self, writer: GenerationWriter) -> None:
        """Write the pairs into a new generation."""
        for name, matrix in (("together", self.together), ("related", self.related)):
            writer.save_array(f"{name}_starts", matrix.indptr.astype(np.int64))
            writer.save_array(f"{name}_columns", matrix.indices.astype(np.int32))
        writer.save_array("together_values", self.together.data.astype(np.float32))

    @classmethod
    def of_generation(cls, generation: Generation, counts: Array) -> Self:
        """Open the pairs of an index."""
        n = len(counts)
        together = stored_rows(generation, "together", (n, n), generation.array("together_values"))
        related = stored_rows(generation, "related", (n, n))
        return cls(together, np.asarray(counts, np.float32), related)


class RelativesTestimony(Testimony):
    """What the first subjects of each text support."""

    def __init__(self, witness: RelativesWitness, asked: AskedTexts, shares: Array) -> None:
        n, width = len(asked), asked.n_subjects
        known = len(witness.counts)
        first = best_columns(shares[:, :known], _FIRST)
        text = np.repeat(np.arange(n), [len(each) for each in first])
        subject = np.concatenate(first) if first else np.empty(0, np.int64)
        weight = shares[text, subject]
        entry, place = entries_of(witness.together.indptr, subject)
        other = witness.together.indices[entry].astype(np.int64)
        count, total = witness.together.data[entry].astype(np.float32), witness.counts[subject][place]
        if asked.is_own is not None:  # the record's own pairs do not count
            mine = asked.is_own[text[place], subject[place]]
            count = count - (mine & asked.is_own[text[place], other])
            total = total - mine
        support = weight[place] * count / (total + 1)
        cells = text[place] * width + other
        self.together = np.bincount(cells, support, minlength=n * width).reshape(n, width).astype(np.float32)
        entry, place = entries_of(witness.related.indptr, subject)
        cells = text[place] * width + witness.related.indices[entry].astype(np.int64)
        self.taxonomy = np.bincount(cells, weight[place], minlength=n * width).reshape(n, width).astype(np.float32)
        self.counts = np.zeros(width, np.float32)
        self.counts[:known] = witness.counts
        self.n_words = asked.n_words
        self.is_own = asked.is_own

    def candidates(self) -> list[IntArray]:
        """Return the subjects with the largest support."""
        return best_columns(self.together, _CANDIDATES)

    def features(self, text: IntArray, subject: IntArray) -> Float32Array:
        """Return supports, the number of records of the subject and that of words of the text."""
        records: Array = self.counts[subject]
        if self.is_own is not None:
            records = records - self.is_own[text, subject]
        # the exact number of a frequent subject, one less for a record that has it, would tell the ranker which has it
        many = records > _EXACT
        records = np.where(many, 2.0 ** np.floor(np.log2(np.maximum(records, 1))), records)
        columns = [self.together[text, subject], self.taxonomy[text, subject], records, self.n_words[text]]
        return np.column_stack(columns).astype(np.float32)


def _pairs(signed: sp.csr_array, labels: sp.csr_array) -> sp.csr_array:
    """Count the pairs of different labels."""
    pairs = sp.coo_array(signed.T @ labels)
    apart = pairs.row != pairs.col
    together = sp.csr_array((pairs.data[apart], (pairs.row[apart], pairs.col[apart])), pairs.shape)
    together.sort_indices()
    return together


def _widened(matrix: Any, size: int) -> sp.csr_array:
    """Return a square matrix with empty rows and columns for further subjects."""
    starts = np.concatenate([matrix.indptr, np.full(size - matrix.shape[0], matrix.indptr[-1])])
    return sp.csr_array((matrix.data, matrix.indices, starts), (size, size))
