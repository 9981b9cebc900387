"""What the ranker learned from: pairs of a text and a subject, their numbers, and whether the subject was right.

An index keeps them, so that the ranker can learn from corrections as well without the records being asked about again:
classifiers that have not seen a record say something about it only during a build.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from tacit.index.folder.opening import Generation
from tacit.index.folder.writer import GenerationWriter
from tacit.index.stored_arrays import check_numbers
from tacit.types import Array, BoolArray, Float32Array, IntArray

__all__ = ["Examples"]

_STORED = 150_000  # pairs that are stored if there are more: with 35 numbers each, 10 MB
_LARGEST = 65_000.0  # numbers are stored in 16 bits


@dataclass(frozen=True, eq=False)
class Examples:
    """Pairs of texts and subjects.

    Attributes
    ----------
    text, subject : (n_pairs,), numbered from 0
    numbers : (n_pairs, n_features), what the witnesses said
    right : (n_pairs,), whether the text has the subject
    weights : (n_pairs,), number of pairs that each stands for
    n_texts : number of texts, also of those without any pair
    n_true : (n_subjects,), texts that have each subject, found by a witness or not
    always : (n_pairs,), whether the ranker learns from the pair in any case, and not only if it is drawn
    """

    text: IntArray
    subject: IntArray
    numbers: Float32Array
    right: BoolArray
    weights: Float32Array
    n_texts: int
    n_true: IntArray
    always: BoolArray

    @classmethod
    def of_pairs(cls, text: IntArray, subject: IntArray, numbers: Float32Array, own: Any) -> Self:
        """Return examples of texts with known labels, texts x subjects."""
        # SciPy returns a sparse array if there is no pair, as for a text without a known word
        right = np.asarray(own[text, subject]).ravel() > 0 if len(text) else np.zeros(0, bool)
        n_true = np.bincount(own.indices, minlength=own.shape[1])
        ones = np.ones(len(right), np.float32)
        return cls(text, subject, numbers, right, ones, own.shape[0], n_true, np.zeros(len(right), bool))

    def __len__(self) -> int:
        return len(self.right)

    def of(self, kept: Array) -> Examples:
        """Return some of the pairs."""
        return replace(
            self,
            text=self.text[kept],
            subject=self.subject[kept],
            numbers=self.numbers[kept],
            right=self.right[kept],
            weights=self.weights[kept],
            always=self.always[kept],
        )

    def and_also(self, others: Examples) -> Examples:
        """Return these and others; the texts of the others follow."""
        n_true = np.zeros(max(len(self.n_true), len(others.n_true)), np.int64)
        n_true[: len(self.n_true)] += self.n_true
        n_true[: len(others.n_true)] += others.n_true
        return Examples(
            np.concatenate([self.text, others.text + self.n_texts]),
            np.concatenate([self.subject, others.subject]),
            np.concatenate([self.numbers, others.numbers]),
            np.concatenate([self.right, others.right]),
            np.concatenate([self.weights, others.weights]),
            self.n_texts + others.n_texts,
            n_true,
            np.concatenate([self.always, others.always]),
        )

    def stored(self, drawn: Array) -> Examples:
        """Return what an index keeps: all pairs, or those that were drawn if there are too many."""
        if len(self) <= _STORED:
            return self
        kept = self.of(drawn)
        share = float(np.count_nonzero(~kept.right)) / max(1.0, float(np.count_nonzero(~self.right)))
        return replace(kept, weights=np.where(kept.right, 1.0, 1 / max(share, 1e-9)).astype(np.float32))

    def save(self, writer: GenerationWriter) -> None:
        """Write the pairs into a new generation."""
        writer.save_array("example_texts", self.text.astype(np.int32))
        writer.save_array("example_subjects", self.subject.astype(np.int32))
        writer.save_array("example_numbers", np.clip(self.numbers, -_LARGEST, _LARGEST).astype(np.float16))
        writer.save_array("example_right", self.right)
        writer.save_array("example_weights", self.weights)
        writer.save_array("example_true", np.concatenate([[self.n_texts], self.n_true]).astype(np.int32))

    @classmethod
    def of_generation(cls, generation: Generation, n_features: int) -> Examples | None:
        """Read the pairs of an index, each with so many numbers; None if it has none."""
        if "example_true" not in generation.arrays:
            return None
        true = np.asarray(generation.array("example_true"), np.int64)
        numbers = np.asarray(generation.array("example_numbers"), np.float32)
        right = np.asarray(generation.array("example_right"), bool)
        weights = np.asarray(generation.array("example_weights"), np.float32)
        n_texts, n_true = int(true[0]), true[1:]
        if numbers.shape != (len(right), n_features) or weights.shape != right.shape:
            raise ValueError(f"examples of shape {numbers.shape}, for {n_features} numbers")
        if not 0 <= n_texts <= generation.manifest.counts["records"]:
            raise ValueError(f"examples of {n_texts} texts")
        for name, end in (("example_texts", n_texts), ("example_subjects", len(n_true))):
            check_numbers(generation, name, end)
            if len(generation.array(name)) != len(right):
                raise ValueError(f"{len(right)} pairs, and others in {name}")
        text, subject = (np.asarray(generation.array(f"example_{name}"), np.int64) for name in ("texts", "subjects"))
        return Examples(text, subject, numbers, right, weights, n_texts, n_true, np.zeros(len(right), bool))
