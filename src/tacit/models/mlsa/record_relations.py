"""The relations of records with their terms and labels, [Wang2006] sec. 5.3."""

from __future__ import annotations

from typing import Any

import scipy.sparse as sp

from tacit.relations.labels.matrix import LabelMatrix
from tacit.relations.tables.relations import Relations

__all__ = ["record_relations"]


def record_relations(
    X: Any, labels: LabelMatrix | None, *, label_weight: float, centroid_weight: float, normalise: str = "none"
) -> Relations:
    """Relate records to terms and labels, and labels to the terms of their mean record, which is kept as a product.

    Parameters
    ----------
    X : (n_records, n_terms); without terms, records are related to labels alone
    labels : of the records, or None
    label_weight, centroid_weight : α of record-label and of label-term
    normalise : of all three relations, see `Relations.add`
    """
    has_terms = X.shape[1] > 0
    graph = Relations().add("record", "term", X, normalise=normalise) if has_terms else Relations()
    if labels is None:
        return graph
    useful = labels.without_empty()
    Y = useful.to_matrix(X.dtype)
    graph = graph.add("record", "label", Y, columns=useful.names, weight=label_weight, normalise=normalise)
    if not has_terms:
        return graph
    means = sp.csr_array(sp.diags_array((1 / useful.counts).astype(X.dtype)) @ Y.T)
    graph = graph.add("label", "record", means, name="mean")
    graph = graph.add_product("mean", "record-term", name="label-term", weight=centroid_weight, normalise=normalise)
    # the product holds the means; beside it they would be a second relation of labels and records
    return Relations(graph.types, tuple(block for block in graph.blocks if block.name != "mean"))
