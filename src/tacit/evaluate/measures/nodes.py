"""Reads what hierarchical measures compare: true and predicted labels as columns of one taxonomy."""

from __future__ import annotations

import difflib
from collections.abc import Hashable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from tacit.checks import check_rows, shown
from tacit.errors import InputError
from tacit.evaluate.measures.inputs import as_pair, is_bare
from tacit.relations.labels.matrix import LabelMatrix
from tacit.relations.taxonomy.taxonomy import Taxonomy

__all__ = ["NodePair", "read_nodes"]


class NodePair(NamedTuple):
    """True and predicted labels of the records that can be judged, one column for each node of the taxonomy."""

    truth: sp.csr_array
    predicted: sp.csr_array
    known: npt.NDArray[np.bool_]


def read_nodes(y_true: Any, y_pred: Any, taxonomy: Taxonomy) -> NodePair:
    """Read two sets of labels as nodes of a taxonomy.

    A matrix without names takes those of the other argument; if neither has any, the numbers of its columns where these
    are nodes, and else the order of the nodes, where there is a column for each.
    """
    if not isinstance(taxonomy, Taxonomy):
        raise InputError(
            f"taxonomy is no taxonomy: got {type(taxonomy).__name__}, expected a Taxonomy. "
            "Make one with Taxonomy.from_parents or one of its other readers."
        )
    truth, predicted = as_pair(y_true, y_pred, ("y_true", "y_pred"))
    check_rows("y_pred", predicted.n_records, truth.n_records, of="y_true")
    rows = np.flatnonzero(truth.known)
    true_names = predicted.names if is_bare(truth) else truth.names
    said_names = truth.names if is_bare(predicted) else predicted.names
    return NodePair(
        _placed(truth, true_names, taxonomy, "y_true")[rows],
        _placed(predicted, said_names, taxonomy, "y_pred")[rows],
        truth.known,
    )


def _placed(labels: LabelMatrix, names: tuple[Hashable, ...], taxonomy: Taxonomy, argument: str) -> sp.csr_array:
    """Move each label to the column of its node; labels that no record carries need no node."""
    used = np.flatnonzero(labels.counts)
    strangers = [names[column] for column in used if names[column] not in taxonomy]
    place = np.zeros(labels.n_labels, dtype=np.int64)
    if not strangers:
        place[used] = np.asarray(taxonomy.columns([names[column] for column in used]), dtype=np.int64)
    elif is_bare(labels) and labels.n_labels == len(taxonomy.names):
        place = np.arange(labels.n_labels)
    else:
        raise InputError(_no_nodes(strangers, taxonomy, argument))
    stored = labels.indicator
    placed = sp.csr_array(
        (stored.data.astype(np.float64), place[stored.indices], stored.indptr.copy()),
        shape=(labels.n_records, len(taxonomy.names)),
    )
    placed.sort_indices()
    return placed


def _no_nodes(strangers: list[Hashable], taxonomy: Taxonomy, argument: str) -> str:
    near = difflib.get_close_matches(str(strangers[0]), [str(name) for name in taxonomy.names], n=1)
    advice = f"Did you mean {near[0]!r}?" if near else "Add them to the taxonomy or leave them out."
    return (
        f"{argument} has labels outside the taxonomy: got {shown(strangers)}, "
        f"expected names of its {len(taxonomy.names):,} nodes. {advice}"
    )
