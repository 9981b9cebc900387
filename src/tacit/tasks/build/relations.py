"""Fits M-LSA's space of records, words, labels and linked things."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from tacit.checks import check_number, is_sparse
from tacit.models.spaces import SpaceKind
from tacit.relations.labels.matrix import LabelMatrix, as_labels
from tacit.tasks.build.fitted_space import FittedSpace, RecordKnowledge, make_model, plain_parameters
from tacit.tasks.build.settings import BuildSettings
from tacit.types import Float32Array

__all__ = ["fit_relations"]

# benchmarks/studies/index_relations.py: what suits search in Reuters-21578 and 20 Newsgroups, and recommending films
_LABEL_WEIGHT = 0.5
_CENTROID_WEIGHT = 2.0
_LINK_WEIGHTS = (0.1, 2.0)


def fit_relations(
    space: SpaceKind, X: Any, labels: LabelMatrix | None, known: RecordKnowledge, settings: BuildSettings
) -> tuple[FittedSpace, Float32Array]:
    """Fit a space of words, labels and links; return it and the positions of the records by their words alone.

    `settings.parameters` may have those of `MLSA`, and `link_weight`: the weight of all links, instead of the rule of
    `_link_weight`.
    """
    from tacit.models.mlsa.record_relations import record_relations

    given = dict(settings.parameters)
    chosen = given.pop("link_weight", None)
    given = {"label_weight": _LABEL_WEIGHT, "centroid_weight": _CENTROID_WEIGHT, **given}
    model = make_model(space.estimator(), replace(settings, parameters=given))
    links = {name: _linked(targets) for name, targets in known.used_links.items()}
    if chosen is not None:
        check_number("link_weight", chosen)
    weights = {name: _link_weight(table, X) if chosen is None else float(chosen) for name, (_, table) in links.items()}
    graph = record_relations(
        X, labels, label_weight=model.label_weight, centroid_weight=model.centroid_weight, normalise="spectral"
    )
    for name, (names, table) in links.items():
        shared = np.flatnonzero(np.bincount(table.indices, minlength=table.shape[1]) > 1)  # columns with two records
        if len(shared) and weights[name] > 0:
            columns = [names[place] for place in shared]
            options: dict[str, Any] = {"columns": columns, "weight": weights[name], "normalise": "spectral"}
            graph = graph.add("record", _kind(name), table[:, shared], **options)
    model.fit(graph)
    terms = np.zeros((0, len(model.eigenvalues_)), np.float32)
    if X.shape[1]:
        terms = model.fold_in("record", {"term": sp.identity(X.shape[1], dtype=np.float32, format="csr")})
    fitted = FittedSpace(
        space.title,
        {**plain_parameters(model), **{f"weight of {name}": round(weight, 3) for name, weight in weights.items()}},
        np.asarray(terms, np.float32),
        None,
        np.asarray(model.positions_["record"], np.float32),
        others={name: (names, _placed(model, name, table)) for name, (names, table) in links.items()},
        strengths=np.asarray(model.eigenvalues_, np.float32),
    )
    return fitted, np.asarray(X @ terms, np.float32)


def _link_weight(table: sp.csr_array, X: Any) -> float:
    """Return the weight of a kind of links: the root of the number of links per word, within limits.

    So films with short titles and a hundred viewers each are related mostly by the viewers, and news stories of a
    hundred words and two places mostly by the words.
    """
    n_words = X.nnz if is_sparse(X) else np.size(X)
    return float(np.clip(np.sqrt(table.nnz / max(1, n_words)), *_LINK_WEIGHTS))


def _linked(targets: Any) -> tuple[list[str], sp.csr_array]:
    """Return the names of the linked things, and the table of links, scaled so that frequent things count no more."""
    labels = as_labels([tuple(names) for names in targets])
    scale = sp.diags_array((1 / np.sqrt(np.maximum(labels.counts, 1))).astype(np.float32))
    return [str(name) for name in labels.names], sp.csr_array(labels.indicator.astype(np.float32) @ scale)


def _kind(link: str) -> str:
    """Return the name of the type for a link; the prefix keeps a link called "label" apart from the labels."""
    return f"link:{link}"


def _placed(model: Any, link: str, table: sp.csr_array) -> Float32Array:
    """Place all things of a type by their records, including those that took no part: fold-in, Σ_i α m_i C_i."""
    scale = model.relations_.factors(f"record-{_kind(link)}")[0] if _kind(link) in model.relations_.types else 1.0
    return np.asarray(scale * (table.T @ model.concepts_["record"]), np.float32)
