"""M-LSA for an index: one space for records, words, labels and everything that is linked [Wang2006].

| relation     | table                                                            | weight             |
|--------------|------------------------------------------------------------------|--------------------|
| record-term  | words of the records                                             | 1                  |
| record-label | 1 where a record has a label                                     | `label_weight`     |
| label-term   | the mean record of each label, never multiplied out (sec. 5.3)   | `centroid_weight`  |
| record-X     | 1 / sqrt(records that X is linked to), for each type of links    | `link_weight`      |

Each is divided by its largest singular value, so that the weights mean the same in every collection. What leads to one
record only relates nothing, and takes no part in the fit; it is placed by its record afterwards.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from tacit.checks import check_number, is_sparse
from tacit.relations.labels.matrix import LabelMatrix, as_labels
from tacit.tasks.build.settings import BuildSettings
from tacit.tasks.build.fitted import Fitted, Known
from tacit.tasks.build.model_parameters import make_model, plain_parameters

__all__ = ["fit_relations", "link_weight"]

Floats = npt.NDArray[np.float32]

# benchmarks/studies/index_relations.py: what suits search in Reuters-21578 and 20 Newsgroups, and recommending films
_LABEL_WEIGHT = 0.5
_CENTROID_WEIGHT = 2.0
_LINK_WEIGHTS = (0.1, 2.0)


def fit_relations(X: Any, labels: LabelMatrix | None, known: Known, settings: BuildSettings) -> tuple[Fitted, Floats]:
    """Fit the space; give what the index keeps, and where words alone place the records.

    The suggester learns from these: a record that asks for labels comes with words only.

    Parameters
    ----------
    X : (n_records, n_terms)
    labels : of the records; None without any
    known : the links
    settings : `parameters` may have those of `MLSA` and `link_weight`, the weight of all links instead of the rule of
        the function of that name
    """
    from tacit.models.mlsa.mlsa import MLSA

    given = dict(settings.parameters)
    chosen = given.pop("link_weight", None)
    given = {"label_weight": _LABEL_WEIGHT, "centroid_weight": _CENTROID_WEIGHT, **given}
    model = make_model(MLSA, replace(settings, parameters=given))
    links = {name: _linked(targets) for name, targets in known.used_links.items()}
    if chosen is not None:
        check_number("link_weight", chosen)
    weights = {name: link_weight(table, X) if chosen is None else float(chosen) for name, (_, table) in links.items()}
    model.fit(_relations(X, labels, links, weights, model))
    terms = model.fold_in("record", {"term": sp.identity(X.shape[1], dtype=np.float32, format="csr")})
    fitted = Fitted(
        "M-LSA",
        {**plain_parameters(model), **{f"weight of {name}": round(weight, 3) for name, weight in weights.items()}},
        np.asarray(terms, np.float32),
        None,
        np.asarray(model.positions_["record"], np.float32),
        others={name: (names, _placed(model, name, table)) for name, (names, table) in links.items()},
        strengths=np.asarray(model.eigenvalues_, np.float32),
    )
    return fitted, np.asarray(X @ terms, np.float32)


def link_weight(table: sp.csr_array, X: Any) -> float:
    """Give the weight of a type of links: what is known oftener than words counts for more than words.

    The root of how many links there are for a word, within limits: films with short titles and a hundred viewers each
    are related by the viewers, stories of a hundred words and two places by the words.
    """
    n_words = X.nnz if is_sparse(X) else np.size(X)
    return float(np.clip(np.sqrt(table.nnz / max(1, n_words)), *_LINK_WEIGHTS))


def _linked(targets: Any) -> tuple[list[str], sp.csr_array]:
    """Names of what is linked, and the table: a thing that is linked to everything counts no more than another."""
    labels = as_labels([tuple(names) for names in targets])
    scale = sp.diags_array((1 / np.sqrt(np.maximum(labels.counts, 1))).astype(np.float32))
    return [str(name) for name in labels.names], sp.csr_array(labels.indicator.astype(np.float32) @ scale)


def _relations(
    X: Any,
    labels: LabelMatrix | None,
    links: dict[str, tuple[list[str], sp.csr_array]],
    weights: dict[str, float],
    model: Any,
) -> Any:
    from tacit.relations.tables.relations import Relations

    graph = Relations().add("record", "term", X, normalise="spectral")
    if labels is not None:
        useful = labels.without_empty()
        Y = useful.indicator.astype(np.float32)
        graph = graph.add("record", "label", Y, columns=useful.names, weight=model.label_weight, normalise="spectral")
        means = sp.csr_array(sp.diags_array((1 / useful.counts).astype(np.float32)) @ Y.T)
        graph = graph.add("label", "record", means, name="mean")
        graph = graph.add_product(
            "mean", "record-term", name="label-term", weight=model.centroid_weight, normalise="spectral"
        )
        # the product holds the means; beside it they would be a second relation of labels and records
        graph = Relations(graph.types, tuple(block for block in graph.blocks if block.name != "mean"))
    for name, (names, table) in links.items():
        shared = _shared(table)
        if len(shared) and weights[name] > 0:
            graph = graph.add(
                "record",
                _kind(name),
                table[:, shared],
                columns=[names[place] for place in shared],
                weight=weights[name],
                normalise="spectral",
            )
    return graph


def _kind(link: str) -> str:
    """A type's name for a link, whatever people call it: one called "label" is not the labels."""
    return f"link:{link}"


def _shared(table: sp.csr_array) -> npt.NDArray[np.int64]:
    """Columns with two records at least."""
    return np.flatnonzero(np.bincount(table.indices, minlength=table.shape[1]) > 1).astype(np.int64)


def _placed(model: Any, link: str, table: sp.csr_array) -> Floats:
    """Place all things of a type by their records, those too that took no part: fold-in, Σ_i α m_i C_i."""
    scale = model.relations_.factors(f"record-{_kind(link)}")[0] if _kind(link) in model.relations_.types else 1.0
    return np.asarray(scale * (table.T @ model.concepts_["record"]), np.float32)
