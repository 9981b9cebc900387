"""The trial that studies on Reuters-21578 share: few records with several labels, the regime of [Yu2005].

Documents with two or more of the topics that at least 20 documents with several topics carry. A random fifth trains
(words, their weights, space and classifiers), four fifths test. A linear support vector machine a topic, cut at zero,
as in the paper.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from tacit import LSI, MLSI, LabelHead
from tacit.datasets import load_reuters21578
from tacit.errors import TacitWarning
from tacit.evaluate import auc, f1
from tacit.text import vectoriser

__all__ = ["N_DIMENSIONS", "Fold", "Scores", "Setting", "collection", "judge", "measure", "split"]

N_DIMENSIONS = 50


class Setting(NamedTuple):
    """What is tried: features, and how the classifier sees them."""

    features: str = "MLSI"
    label_weight: float = 0.7
    shrinkage: float = 0.5
    ridge: float = 1.0
    scaling: str = "weighted"
    coordinates: str = "in-sample"
    rows: str = "unit length"
    C: float = 100.0
    min_df: int = 3

    def __str__(self) -> str:
        """Write the features as a user would."""
        if self.features == "words":
            return "all words"
        if self.features == "LSI":
            return f"LSI, {self.scaling}"
        weights = f"label_weight={self.label_weight:g}, shrinkage={self.shrinkage:g}, ridge={self.ridge:g}"
        return f"MLSI, {weights}, {self.scaling}"


class Fold(NamedTuple):
    """A split: weighted words and topics of the training and of the new records."""

    X: Any
    Y: np.ndarray
    X_new: Any
    Y_new: np.ndarray


class Scores(NamedTuple):
    """What a setting reached on a split."""

    macro: float
    micro: float
    area: float
    n_left_out: int
    unfinished: bool


@cache
def collection(data_dir: str | None) -> tuple[tuple[str, ...], np.ndarray, int]:
    """Read the documents: texts, topics as a 0/1 matrix, and how many texts occur more than once."""
    several = [record for record in load_reuters21578(data_dir) if len(record.labels) >= 2]
    counts = Counter(topic for record in several for topic in record.labels)
    topics = sorted(topic for topic, count in counts.items() if count >= 20)
    Y = np.array([[topic in record.labels for topic in topics] for record in several], dtype=np.float32)
    kept = np.flatnonzero(Y.sum(axis=1) >= 2)
    texts = tuple(several[row].text for row in kept)
    return texts, Y[kept], len(texts) - len(set(texts))


@cache
def split(data_dir: str | None, seed: int, min_df: int) -> Fold:
    """Draw a fifth for training; words and their weights come from the training texts alone."""
    texts, Y, _ = collection(data_dir)
    order = np.random.default_rng(seed).permutation(len(texts))
    train, new = np.split(order, [len(texts) // 5])
    words = vectoriser(min_df=min_df)
    X = words.fit_transform([texts[row] for row in train])
    return Fold(X, Y[train], words.transform([texts[row] for row in new]), Y[new])


def features(fold: Fold, setting: Setting) -> tuple[Any, Any]:
    """Give the training and the new records as the classifier sees them, before its own scaling of rows."""
    if setting.features == "words":
        return fold.X, fold.X_new
    if setting.features == "LSI":
        plain = LSI(N_DIMENSIONS, scaling=setting.scaling)
        return plain.fit_transform(fold.X), plain.transform(fold.X_new)
    model = MLSI(
        N_DIMENSIONS,
        label_weight=setting.label_weight,
        shrinkage=setting.shrinkage,
        ridge=setting.ridge,
        scaling=setting.scaling,
        coordinates=setting.coordinates,
    )
    return model.fit_transform(fold.X, fold.Y), model.transform(fold.X_new)


def judge(fold: Fold, setting: Setting) -> Scores:
    """Train the paper's classifiers on a split and measure them on its new records."""
    stretch = np.sqrt(len(fold.Y)) if setting.rows == "times √N" else 1
    unit = setting.rows == "unit length"
    head = LabelHead("svm", C=setting.C, thresholds="zero", calibrate=False, normalise=unit, random_state=0)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", TacitWarning)  # topics without a training record are counted, not warned about
        known, new = features(fold, setting)
        head.fit(known * stretch, fold.Y)
    scores = head.decision_function(new * stretch)
    trained = fold.Y.sum(axis=0)
    said = f1(fold.Y_new, scores > 0, trained=trained)
    ranked = auc(fold.Y_new, scores, trained=trained)
    unfinished = any("before they converged" in str(warning.message) for warning in caught)
    return Scores(said.macro, said.micro, ranked.macro, said.n_left_out, unfinished)


def measure(settings: Iterable[Setting], seeds: Sequence[int], data_dir: str | None) -> dict[Setting, list[Scores]]:
    """Judge every setting on the same splits."""
    return {
        each: [judge(split(data_dir, seed, each.min_df), each) for seed in seeds] for each in dict.fromkeys(settings)
    }
