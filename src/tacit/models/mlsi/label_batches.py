"""Labels that come in batches: read each, and put it below those before, with new columns for new names."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from tacit.models.common.class_hierarchy import expanded_labels
from tacit.models.mlsi.transductive import read_labels
from tacit.relations.labels.matrix import LabelMatrix, as_labels

__all__ = ["joined_labels", "labels_of_batch", "no_labels"]


def labels_of_batch(y: Any, n_records: int, *, taxonomy: Any, needed: bool, first: bool) -> LabelMatrix:
    """Read the labels of new records; that there is none at all is an error in the first call only."""
    if y is None and not needed:
        return no_labels(n_records)
    if taxonomy is not None:
        y = expanded_labels(y, taxonomy, n_records).without_empty()
    return read_labels(y, n_records, needed=needed) if first else as_labels(y, n_records=n_records)


def no_labels(n_records: int) -> LabelMatrix:
    """Records whose labels are unknown, without a single name."""
    return LabelMatrix(sp.csr_array((n_records, 0)), (), np.zeros(n_records, dtype=bool), kind="sets")


def joined_labels(old: LabelMatrix, new: LabelMatrix) -> LabelMatrix:
    """The labels of all records: columns as before, then those of labels not seen before."""
    if not old.n_records:
        return new
    place = {name: column for column, name in enumerate(old.names)}
    for name in new.names:
        place.setdefault(name, len(place))
    width = len(place)
    same, below = old.indicator, sp.coo_array(new.indicator)
    above = sp.csr_array((same.data, same.indices, same.indptr), shape=(old.n_records, width))
    columns = np.fromiter((place[name] for name in new.names), dtype=np.int64, count=new.n_labels)
    moved = sp.csr_array((below.data, (below.row, columns[below.col])), shape=(new.n_records, width))
    moved.sort_indices()
    return LabelMatrix(
        sp.csr_array(sp.vstack([above, moved])),
        tuple(place),
        np.concatenate([old.known, new.known]),
        kind=new.kind if old.kind == new.kind or not old.n_labels else "sets",
    )
