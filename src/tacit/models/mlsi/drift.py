"""How much less MLSI explains of new records than of those it knew: their words, and their labels from their words.

A record's labels are foretold from its words by x W B, B = VᵀY, so that Σ ⟨y, x W B⟩ / Σ ‖y‖² is the share of the
labels that the space explains. For records seen it is too high in two ways, both of which have a closed form: their
labels helped to fit W (Identity G of the methods, with the mean leverage h instead of each record's own), and they are
part of B (the term v_i y_i):

    honest positions  P = V − (V − X W) / (1 − h),   expected share  [Tr YᵀP B − ‖y‖² Tr VᵀP] / ‖Y‖²,  ‖y‖² the mean
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg as la

from tacit.models.base import SCALINGS
from tacit.models.common.compressed import History, wider
from tacit.models.common.kernels import squared_norm
from tacit.models.common.updating import drift_from, unseen_share, word_directions
from tacit.operators import as_operator
from tacit.operators.base import Array
from tacit.relations.labels.matrix import LabelMatrix

__all__ = ["drift_of"]


def drift_of(model: Any, known: History, X: Any, new: LabelMatrix) -> float:
    """Drift of words and labels, weighed as the model weighs them; of words alone if no label is known."""
    words = _word_drift(model, known, X)
    if not new.indicator.nnz or model.label_loadings_ is None or model.label_weight == 0:
        return words
    labels = _label_drift(model, known, X, new)
    return (1 - model.label_weight) * words + model.label_weight * labels


def _word_drift(model: Any, known: History, X: Any) -> float:
    _, lengths, directions = word_directions(wider(model.term_loadings_, X.shape[1]))
    explained = float(np.square(as_operator(X) @ directions.astype(X.dtype), dtype=np.float64).sum())
    share = explained / max(squared_norm(X), np.finfo(float).tiny)
    return drift_from(share, unseen_share(known, directions, lengths))


def _label_drift(model: Any, known: History, X: Any, new: LabelMatrix) -> float:
    weights = _unit_weights(model, X.shape[1])
    loadings = wider(model.label_loadings_, new.n_labels)
    foretold = np.asarray(as_operator(X) @ weights.astype(X.dtype))
    meant = np.asarray(new.indicator @ loadings.T)
    share = float(np.sum(foretold * meant, dtype=np.float64)) / new.indicator.nnz
    return drift_from(share, _expected_labels(model, known, weights, loadings))


def _unit_weights(model: Any, n_terms: int) -> Array:
    return wider(model.components_, n_terms).T / model.eigenvalues_ ** SCALINGS[model.scaling]


def _expected_labels(model: Any, known: History, weights: Array, loadings: Array) -> float:
    """The share of the labels of unseen records, from the same source, that their words foretell."""
    assert known.labels is not None
    assert known.label_counts is not None
    placed = known.terms @ weights  # UᵀX W
    total = float(np.sum(known.label_counts))
    fitted = float(np.sum(placed * (known.labels @ loadings.T), dtype=np.float64))
    own = float(np.trace(placed[: len(loadings)]))
    inside = 1 - _mean_leverage(model, known)
    explained = squared_norm(loadings)
    honest = explained - (explained - fitted) / inside
    k = len(loadings)
    of_itself = total / max(known.n_known, 1) * (k - (k - own) / inside) * known.n_known / max(known.weight, 1)
    return (honest - of_itself) / max(total, 1)


def _mean_leverage(model: Any, known: History) -> float:
    """Mean diagonal entry of K (K + ridge I)⁻¹; what the history leaves out of K is spread evenly over the rest."""
    rows = known.terms.astype(np.float64, copy=False)
    squares = np.maximum(la.eigvalsh(rows @ rows.T), 0)
    ridge = model.ridge * known.squared_length / known.weight
    rest = max(known.squared_length - float(squares.sum()), 0)
    n_rest = max(min(known.weight, rows.shape[1]) - squares.size, 1)
    leverage = float(np.sum(squares / (squares + ridge))) + rest / (rest / n_rest + ridge)
    return min(leverage / known.weight, 0.99)
