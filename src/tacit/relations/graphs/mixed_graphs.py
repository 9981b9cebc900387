"""A graph of features and a graph of labels as one.  [Mu2010] sec. 3.1.3"""

from __future__ import annotations

from typing import Any

from tacit.checks import check_number, check_rows
from tacit.errors import InputError
from tacit.relations.graphs.graph import Graph, as_graph

__all__ = ["combined_graph"]


def combined_graph(feature_graph: Any, label_graph: Any, theta: float = 0.5) -> Graph:
    """Mix a graph of features with one of labels, each in units of its mean weight.

        W = (1 − θ) W_X / α_X + θ W_Y / α_Y                                                         [Mu2010] eq. (17)

    with α the mean of the absolute weights that are not 0.

    Parameters
    ----------
    feature_graph, label_graph : Graph or symmetric matrix — W_X and W_Y, of the same records
    theta : float in [0, 1], default 0.5 — θ. 0 is W_X / α_X, without labels; 1 is W_Y / α_Y, without features, which
        believes every wrong label

    Raises
    ------
    InputError
        If `theta` is out of its range, the graphs have different sizes, or one that counts has no weights.
    """
    theta = check_number("theta", theta, high=1.0)
    features, labels = as_graph(feature_graph, "feature_graph"), as_graph(label_graph, "label_graph")
    check_rows("label_graph", labels.n_records, features.n_records, of="feature_graph")
    shares = [("feature_graph", features, 1.0 - theta), ("label_graph", labels, theta)]
    first, *rest = [_in_mean_weights(name, graph, share) for name, graph, share in shares if share > 0]
    return first + rest[0] if rest else first


def _in_mean_weights(name: str, graph: Graph, share: float) -> Graph:
    alpha = graph.mean_weight
    if alpha == 0:
        raise InputError(
            f"{name} has no weights: got {graph.n_records} records, none joined, expected some that are. "
            "Leave it out of the mix by theta 0 or 1, or join more records."
        )
    return graph.scaled(share / alpha)
