"""The suggester of an index: one linear score per label, with a threshold and a probability, as arrays.

    score = z·w + x·v + b of the position z, scaled to unit length, and of the words x themselves if they are used
    probability = 1 / (1 + exp(−(slope · score + offset)))

It computes what `LabelHead` computes, so that an index suggests labels without importing scikit-learn.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tacit.errors import InputError
from tacit.index.folder.opening import Generation
from tacit.index.folder.writer import GenerationWriter
from tacit.types import Array, BoolArray

__all__ = ["Suggester"]

_ARRAYS = ("coef", "intercept", "thresholds", "slopes", "offsets")


class Suggester:
    """Scores labels for positions.

    Parameters
    ----------
    coef, intercept : (n_labels, n_dimensions) and (n_labels,)
    thresholds : (n_labels,), scores above which a label is accepted
    slopes, offsets : (n_labels,), of the probabilities
    words : (n_terms, n_labels), optional
        v, one row per term, if the words are used besides the position.
    """

    def __init__(self, *, words: Array | None = None, **arrays: Array) -> None:
        self.coef, self.intercept, self.thresholds, self.slopes, self.offsets = (arrays[name] for name in _ARRAYS)
        self.words = words

    @classmethod
    def of_head(cls, head: Any, n_terms: int = 0) -> Suggester:
        """Copy a fitted multi-label `LabelHead` with calibration and thresholds.

        Its first `n_terms` features are the words, the others the position at unit length.
        """
        slopes, offsets = head.calibration_
        return cls(
            coef=head.coef_[:, n_terms:],
            intercept=head.intercept_,
            thresholds=head.thresholds_,
            slopes=slopes,
            offsets=offsets,
            words=np.ascontiguousarray(head.coef_[:, :n_terms].T) if n_terms else None,
        )

    @classmethod
    def of_generation(cls, generation: Generation, prefix: str = "head") -> Suggester | None:
        """Open the suggester of an index, or None if it has none; `prefix` begins the names of its arrays."""
        if f"{prefix}_coef" not in generation.arrays:
            return None
        arrays = {name: generation.array(f"{prefix}_{name}") for name in _ARRAYS}
        return cls(**arrays, words=generation.arrays.get(f"{prefix}_words"))

    def save(self, writer: GenerationWriter, prefix: str = "head") -> None:
        """Write the suggester into a new generation."""
        for name in _ARRAYS:
            writer.save_array(f"{prefix}_{name}", np.asarray(getattr(self, name), np.float32))
        if self.words is not None:
            writer.save_array(f"{prefix}_words", np.asarray(self.words, np.float32))

    def scores(self, positions: Array, rows: Any = None) -> Array:
        """Return raw scores, positions x labels; `rows` are the words of the same texts, needed if `words` is set."""
        lengths = np.linalg.norm(positions, axis=1, keepdims=True)
        scores = np.asarray((positions / np.where(lengths > 0, lengths, 1)) @ self.coef.T + self.intercept)
        if self.words is None:
            return scores
        if rows is None:
            raise InputError("rows are missing: got None, expected the words of the texts, which this suggester uses.")
        return np.asarray(scores + rows @ self.words)

    def probabilities(self, scores: Array) -> Array:
        """Return the calibrated probabilities of scores."""
        exponent = np.clip(scores.astype(np.float64) * self.slopes + self.offsets, -700, 700)
        return np.asarray(1 / (1 + np.exp(-exponent)))

    def chosen(self, scores: Array) -> BoolArray:
        """Return whether each label is accepted."""
        return np.asarray(scores > self.thresholds)
