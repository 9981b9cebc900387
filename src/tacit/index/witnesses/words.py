"""The words witness: how often each word of a text stood in records of a subject, by counts alone.

    share of a word w for a subject s = N_ws / (N_w + 3),  N_ws the records of s that contain w
    cosine of a text x with a subject = x · Σ_i x_i / ‖Σ_i x_i‖, over the records i of the subject

One sparse matrix of words x subjects holds both counts and sums, so that a vocabulary of any size takes one pass over
the records. Leaving out a record is exact: its words are subtracted from the counts of its own labels.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import scipy.sparse as sp

from tacit.index.folder.opening import Generation
from tacit.index.folder.writer import GenerationWriter
from tacit.index.stored_arrays import check_numbers, check_starts
from tacit.index.witnesses.asked import AskedTexts, Testimony, Witness, best_columns, entries_of
from tacit.types import Array, Float32Array, IntArray

__all__ = ["TellingWords", "WordsTestimony", "WordsWitness"]

_ARRAYS = ("starts", "subjects", "counts", "sums", "word_counts", "subject_counts", "squares")
_FEW = 3.0  # added to the records of a word: one record of a rare word is weak evidence
_BY_COSINE, _BY_SHARES = 30, 20  # candidates


class WordsWitness(Witness):
    """Counts of words by subject.

    Parameters
    ----------
    starts, subjects, counts, sums : the matrix of words x subjects in compressed rows: records of a subject with a
        word, and the sum of the weights of the word in them
    word_counts, subject_counts : records with a word, and of a subject
    squares : squared length of the sum of the records of each subject
    """

    name = "words"
    feature_names = (
        "cosine", "cosine_to_best", "shares", "shares_to_best", "odds", "odds_to_best", "strongest_word",
        "words_known_share",
    )  # fmt: skip

    def __init__(self, **arrays: Array) -> None:
        self.starts, self.subjects, self.counts, self.sums = (arrays[name] for name in _ARRAYS[:4])
        self.word_counts, self.subject_counts, self.squares = (arrays[name] for name in _ARRAYS[4:])
        self.n_records = max(1.0, float(arrays["n_records"]) if "n_records" in arrays else 1.0)

    @classmethod
    def of_records(cls, rows: Any, labels: Any) -> Self:
        """Count the words of records; `labels` is records x subjects."""
        Y = sp.csr_array(labels, dtype=np.float32)
        X = sp.csr_array(rows, dtype=np.float32)
        sums = sp.csr_array(X.T @ Y)
        sums.sort_indices()
        present = sp.csr_array((np.ones_like(X.data), X.indices, X.indptr), shape=X.shape)
        counts = sp.csr_array(present.T @ Y)
        counts.sort_indices()
        squares = np.bincount(sums.indices, np.square(sums.data, dtype=np.float64), minlength=Y.shape[1])
        return cls(
            starts=sums.indptr.astype(np.int64),
            subjects=sums.indices.astype(np.int32),
            counts=counts.data.astype(np.int32),
            sums=sums.data.astype(np.float32),
            word_counts=np.bincount(X.indices, minlength=X.shape[1]).astype(np.int32),
            subject_counts=np.asarray(Y.sum(axis=0)).ravel().astype(np.int32),
            squares=squares.astype(np.float32),
            n_records=np.array(float(X.shape[0])),
        )

    def changed(self, rows: Any, labels: Any, signs: Array) -> WordsWitness:
        """Return the counts with some records more and others less; `signs` is 1 or −1 for each of them."""
        X, Y = sp.csr_array(rows, dtype=np.float64), sp.csr_array(labels, dtype=np.float64)
        n_terms, width = len(self.word_counts), max(len(self.subject_counts), Y.shape[1])
        X_signs = np.repeat(signs, np.diff(X.indptr))
        # counts are the real part and sums the imaginary one, so that both keep the same entries
        signed = sp.csr_array((X_signs * (1 + 1j * X.data), X.indices, X.indptr), X.shape)
        more = sp.csr_array(signed.T @ sp.csr_array((Y.data, Y.indices, Y.indptr), (Y.shape[0], width)))
        known = (np.asarray(self.counts) + 1j * np.asarray(self.sums), self.subjects, self.starts)
        both = sp.csr_array(sp.csr_array(known, (n_terms, width)) + more)
        both.data[both.data.real < 0.5] = 0  # sums leave a rounding error where no record is left
        both.eliminate_zeros()
        both.sort_indices()
        subject_counts = np.bincount(Y.indices, np.repeat(signs, np.diff(Y.indptr)), minlength=width)
        subject_counts[: len(self.subject_counts)] += self.subject_counts
        return WordsWitness(
            starts=both.indptr.astype(np.int64),
            subjects=both.indices.astype(np.int32),
            counts=np.rint(both.data.real).astype(np.int32),
            sums=both.data.imag.astype(np.float32),
            word_counts=(self.word_counts + np.bincount(X.indices, X_signs, minlength=n_terms)).astype(np.int32),
            subject_counts=subject_counts.astype(np.int32),
            squares=np.bincount(both.indices, np.square(both.data.imag), minlength=width).astype(np.float32),
            n_records=np.array(self.n_records + float(np.sum(signs))),
        )

    def hear(self, asked: AskedTexts) -> WordsTestimony:
        """Consider a block of texts."""
        return WordsTestimony(self, asked)

    def save(self, writer: GenerationWriter) -> None:
        """Write the counts into a new generation."""
        for name in _ARRAYS:
            writer.save_array(f"words_{name}", getattr(self, name))
        writer.save_array("words_n_records", np.array([self.n_records]))

    @classmethod
    def of_generation(cls, generation: Generation, n_terms: int, n_subjects: int) -> Self:
        """Open the counts of an index with so many words and subjects."""
        arrays = {name: generation.array(f"words_{name}") for name in _ARRAYS}
        check_starts(generation, "words_starts", n_terms, len(arrays["subjects"]))
        check_numbers(generation, "words_subjects", n_subjects)
        sizes = {"counts": "subjects", "sums": "subjects", "squares": "subject_counts"}
        if (
            len(arrays["word_counts"]) != n_terms
            or len(arrays["subject_counts"]) > n_subjects
            or any(arrays[name].shape != arrays[other].shape for name, other in sizes.items())
        ):
            raise ValueError("counts of other lengths")
        return cls(**arrays, n_records=np.asarray(generation.array("words_n_records")).ravel()[0])


class TellingWords:
    """The words of one text, given as columns, that speak for subjects."""

    def __init__(self, witness: WordsWitness, columns: IntArray) -> None:
        self._witness, self._columns = witness, columns
        self._entry, self._place = entries_of(witness.starts, columns)
        self._subjects = np.asarray(witness.subjects)[self._entry]

    def of(self, subject: int, limit: int) -> list[tuple[int, float]]:
        """Return the words that speak most for a subject, with their shares."""
        mine = np.flatnonzero(self._subjects == subject)
        words = self._columns[self._place[mine]]
        counts, of_word = np.asarray(self._witness.counts), np.asarray(self._witness.word_counts)
        shares = counts[self._entry[mine]] / (of_word[words] + _FEW)
        order = np.argsort(-shares, kind="stable")[:limit]
        return [(int(words[i]), float(shares[i])) for i in order]


class WordsTestimony(Testimony):
    """Sums over the words of each text, texts x subjects."""

    def __init__(self, witness: WordsWitness, asked: AskedTexts) -> None:
        n, n_subjects = len(asked), asked.n_subjects
        rows = sp.csr_array(asked.rows)
        entry, place = entries_of(witness.starts, rows.indices)
        text = np.repeat(np.arange(n), np.diff(rows.indptr))[place]
        subject, weight = np.asarray(witness.subjects)[entry].astype(np.int64), rows.data[place]
        count, total = np.asarray(witness.counts)[entry].astype(np.float32), np.asarray(witness.sums)[entry]
        records = np.asarray(witness.word_counts)[rows.indices].astype(np.float32)[place]
        sizes = np.zeros(n_subjects, np.float32)
        sizes[: len(witness.subject_counts)] = witness.subject_counts
        squares = np.zeros(n_subjects, np.float32)
        squares[: len(witness.squares)] = witness.squares
        size, n_records = sizes[subject], witness.n_records
        if asked.is_own is not None:
            own = asked.is_own[text, subject].astype(np.float32)
            count, records = count - own, records - 1
            # without the record's rounding error, by which the ranker could tell a label that no other record has
            total = np.where(count > 0.5, total - own * weight, 0)
            size, n_records = size - own, max(1.0, n_records - 1)
        cell = text * n_subjects + subject
        shares = count / (records + _FEW)
        usual = (size + 0.5) / n_records
        odds = weight * np.maximum(np.log(np.maximum(shares, 1e-9) / usual), 0)
        present = count > 0

        def summed(values: Array) -> Array:
            return np.bincount(cell, values, minlength=n * n_subjects).reshape(n, n_subjects).astype(np.float32)

        dots = summed(weight * total)
        lengths = np.sqrt(np.maximum(squares, 1e-12))
        self.cosine = dots / lengths
        if asked.is_own is not None:  # ‖c − x‖² = ‖c‖² − 2 c·x + ‖x‖², and c·x is dots + ‖x‖²
            rows_own, columns_own = np.nonzero(asked.is_own)
            norm = np.asarray(rows.multiply(rows).sum(axis=1)).ravel()[rows_own]
            rest = squares[columns_own] - 2 * (dots[rows_own, columns_own] + norm) + norm
            self.cosine[rows_own, columns_own] = dots[rows_own, columns_own] / np.sqrt(np.maximum(rest, 1e-6))
        self.shares, self.odds, self.n_present = summed(shares), summed(odds), summed(present.astype(np.float32))
        strongest = np.zeros(n * n_subjects, np.float32)
        np.maximum.at(strongest, cell, shares.astype(np.float32))
        self.strongest = strongest.reshape(n, n_subjects)
        self.n_words = np.maximum(asked.n_words, 1)

    def candidates(self) -> list[IntArray]:
        """Return the subjects nearest by cosine, and those with the largest shares."""
        both = zip(best_columns(self.cosine, _BY_COSINE), best_columns(self.shares, _BY_SHARES), strict=True)
        return [np.union1d(one, other) for one, other in both]

    def features(self, text: IntArray, subject: IntArray) -> Float32Array:
        """Return sums for pairs, also relative to the best subject of the text."""
        columns = []
        for values in (self.cosine, self.shares, self.odds):
            best = np.maximum(values.max(axis=1), 1e-9)
            columns += [values[text, subject], values[text, subject] / best[text]]
        columns += [_coarse(self.strongest[text, subject]), self.n_present[text, subject] / self.n_words[text]]
        return np.column_stack(columns).astype(np.float32)


def _coarse(shares: Float32Array) -> Float32Array:
    """Round shares to powers of √2: by exact ones, the ranker could tell the labels of a record that is asked about."""
    steps = np.exp2(np.round(2 * np.log2(np.maximum(shares, 1e-9))) / 2)
    return np.where(shares > 0, steps, 0).astype(np.float32)
