"""The suggester of an index: one linear score a label, with its threshold and its probability, as arrays.

    score = z·w + b of the position z, scaled to unit length;  probability = 1 / (1 + exp(−(slope · score + offset)))

It is `LabelHead`'s answer without `LabelHead`, so that an index suggests labels without loading scikit-learn.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from tacit.index.folder import Generation
from tacit.index.writer import GenerationWriter

__all__ = ["Suggester"]

_ARRAYS = ("coef", "intercept", "thresholds", "slopes", "offsets")


class Suggester:
    """Gives positions their labels.

    Parameters
    ----------
    coef, intercept : (n_labels, n_dimensions) and (n_labels,)
    thresholds : (n_labels,), scores above which a label is said yes to
    slopes, offsets : (n_labels,), of the probabilities
    """

    def __init__(self, **arrays: npt.NDArray[Any]) -> None:
        self.coef, self.intercept, self.thresholds, self.slopes, self.offsets = (arrays[name] for name in _ARRAYS)

    @classmethod
    def of_head(cls, head: Any) -> Suggester:
        """Take over a fitted `LabelHead` with calibration and thresholds, for any number of labels a record."""
        slopes, offsets = head.calibration_
        return cls(
            coef=head.coef_, intercept=head.intercept_, thresholds=head.thresholds_, slopes=slopes, offsets=offsets
        )

    @classmethod
    def of_generation(cls, generation: Generation) -> Suggester | None:
        """Open the suggester of an index, or None if it has none."""
        if "head_coef" not in generation.arrays:
            return None
        return cls(**{name: generation.array(f"head_{name}") for name in _ARRAYS})

    def save(self, writer: GenerationWriter) -> None:
        """Write the suggester into a new generation."""
        for name in _ARRAYS:
            writer.save_array(f"head_{name}", np.asarray(getattr(self, name), np.float32))

    def scores(self, positions: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Raw scores, positions x labels."""
        lengths = np.linalg.norm(positions, axis=1, keepdims=True)
        return np.asarray((positions / np.where(lengths > 0, lengths, 1)) @ self.coef.T + self.intercept)

    def probabilities(self, scores: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Calibrated probabilities of scores."""
        exponent = np.clip(scores.astype(np.float64) * self.slopes + self.offsets, -700, 700)
        return np.asarray(1 / (1 + np.exp(-exponent)))

    def chosen(self, scores: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
        """Whether each label is said yes to."""
        return np.asarray(scores > self.thresholds)
