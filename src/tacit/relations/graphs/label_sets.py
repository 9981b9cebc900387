"""Records by the label set that they have, and how close these sets are: E and S of the graph E S Eᵀ."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from tacit.checks import human_size, is_sparse
from tacit.errors import InputError
from tacit.relations.graphs.label_similarity import Given, Measure, check_some_known, check_symmetric
from tacit.relations.labels.matrix import LabelMatrix
from tacit.types import IntArray

__all__ = ["checked_type", "set_closeness", "set_numbers"]


def set_numbers(labels: LabelMatrix) -> tuple[IntArray, sp.csr_array]:
    """Give the number of the label set of each record, -1 where it is unknown, and the sets, u x labels."""
    check_some_known(labels)
    membership, sets = labels.distinct()
    number = np.full(labels.n_records, -1, dtype=np.int64)
    number[labels.known] = membership.indices
    return number, sets


def set_closeness(measure: Measure, sets: sp.csr_array, *, instead: str) -> Any:
    """Give S, the similarities of all pairs of label sets: sparse where it is mostly zero, else dense.

    `instead` is what to do if it would not fit.
    """
    n_sets = sets.shape[0]
    n_entries = measure.most_entries(sets)
    if n_entries > _MOST_ENTRIES:
        raise InputError(
            f"y has too many different label sets to join all records: the similarities of {n_sets:,} sets would take "
            f"up to {human_size(8 * n_entries)}. {instead}"
        )
    n_rows = max(1, _BLOCK // max(1, n_sets))
    blocks: Iterator[Any] = (measure.between(sets[first : first + n_rows], sets) for first in range(0, n_sets, n_rows))
    if n_sets**2 > _MOST_ENTRIES or _DENSE * n_entries < n_sets**2:
        return sp.csr_array(sp.vstack([sp.csr_array(block) for block in blocks], format="csr"))
    closeness = np.empty((n_sets, n_sets))
    for place, block in enumerate(blocks):
        closeness[place * n_rows : (place + 1) * n_rows] = block.toarray() if is_sparse(block) else block
    if isinstance(measure, Given):
        check_symmetric(closeness)
    return sp.csr_array(closeness) if _DENSE * np.count_nonzero(closeness) < n_sets**2 else closeness


# a gigabyte of float64
_MOST_ENTRIES = 2**27

# similarities computed at a time
_BLOCK = 2**22

# with one entry in four or more a dense matrix is smaller or about as small, and faster
_DENSE = 4


def checked_type(dtype: npt.DTypeLike) -> np.dtype[Any]:
    """Give the type of weights that was asked for."""
    found = np.dtype(dtype)
    if found not in (np.dtype(np.float32), np.dtype(np.float64)):
        raise InputError(f"dtype is not one of weights: got {found}, expected float32 or float64.")
    return found
