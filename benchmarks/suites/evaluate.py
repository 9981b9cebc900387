"""Measures: fast enough to run after every fit, and equal to scikit-learn's."""

# ruff: noqa: D102 - asv shows the names of the methods, which say what they do

from __future__ import annotations

import numpy as np
from sklearn.metrics import f1_score, ndcg_score, roc_auc_score

from tacit.evaluate import auc, f1, ndcg_at_k

from .profiles import collection, profile

__all__ = ["Measures"]


class Measures:
    """Measures of labels and of their scores."""

    params = (("f1", "auc", "ndcg"),)
    param_names = ("measure",)

    def setup(self, measure: str) -> None:
        _, self.Y = collection(profile())
        truth = self.Y.toarray()
        noise = np.random.default_rng(0).standard_normal(truth.shape)
        self.scores = truth + noise  # somewhat right, and without ties
        self.said = (self.scores > 1).astype(int)

    def time_measure(self, measure: str) -> None:
        self._ours(measure)

    def peakmem_measure(self, measure: str) -> None:
        self._ours(measure)

    def track_difference_from_scikit_learn(self, measure: str) -> float:
        truth = self.Y.toarray().astype(int)
        theirs = {
            "f1": lambda: f1_score(truth, self.said, average="macro", zero_division=0),
            "auc": lambda: roc_auc_score(truth, self.scores, average="macro"),
            "ndcg": lambda: ndcg_score(truth, self.scores, k=5),
        }
        return abs(self._ours(measure) - float(theirs[measure]()))

    def _ours(self, measure: str) -> float:
        if measure == "f1":
            return f1(self.Y, self.said).macro
        return auc(self.Y, self.scores).macro if measure == "auc" else ndcg_at_k(self.Y, self.scores, 5)
