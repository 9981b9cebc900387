"""Labels as models read them: checked and balanced, without labels and records that cannot be learned from."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np

from tacit.checks import shown
from tacit.errors import InputError, warn
from tacit.operators import as_operator
from tacit.operators.rows.blocks import take_rows
from tacit.relations.labels.matrix import LabelMatrix, as_labels
from tacit.types import Array

__all__ = ["BEYOND", "balance_labels", "is_number", "known_records", "name_array", "read_labels", "warn_untrained"]

# Score, negated, of a label that no training record has; of one that all of them have, as it is. It is beyond any score
# of a classifier, and finite, because scikit-learn's measures do not accept infinity.
BEYOND = 1e30


def read_labels(y: Any, n_records: int, *, needed: bool) -> LabelMatrix:
    """Read the labels of a space; raise if they are `needed` and there are none, warn about labels without a record."""
    labels = as_labels(y, n_records=n_records)
    if needed and not labels.indicator.nnz:
        raise InputError(
            f"y has no labels: got {labels.n_records} records, {labels.n_unknown} of them with unknown labels. "
            "Use LSI, or label_weight=0, for a space without labels."
        )
    if labels.empty_labels:
        n_empty = len(labels.empty_labels)
        named = f"1 label has no record ({shown(labels.empty_labels)}): it is"
        if n_empty > 1:
            named = f"{n_empty} labels have no record ({shown(labels.empty_labels)}): they are"
        warn(f"{named} left at the origin.")
    return labels


def balance_labels(record_trace: float, F: Any, known: Array | None) -> float:
    """Return the factor for label features with which a labelled record weighs as much in them as a record does in K.

    If all labels are known, both traces are then equal, as in the paper. Records with unknown labels do not change the
    weight of the others.
    """
    total = as_operator(F).squared_norm()
    n_records = F.shape[0]
    n_known = n_records if known is None else int(np.count_nonzero(known))
    return float(np.sqrt((record_trace / n_records) / (total / n_known))) if total > 0 else 1.0


def known_records(X: Any, labels: LabelMatrix) -> tuple[Any, LabelMatrix]:
    """Leave out the records with unknown labels; raise if no record or no label is left."""
    if labels.n_labels == 0 or not labels.known.any():
        raise InputError(
            f"y has nothing to learn from: got {labels.n_labels} labels and {labels.n_records - labels.n_unknown} "
            "records with known labels, expected at least one of each."
        )
    if labels.known.all():
        return X, labels
    rows = np.flatnonzero(labels.known)
    return take_rows(X, rows), labels[rows]


def warn_untrained(labels: LabelMatrix) -> tuple[Any, ...]:
    """Warn about labels that no record has or all records have, and return them."""
    counts = labels.counts
    never = [labels.names[label] for label in np.flatnonzero(counts == 0)]
    always = [labels.names[label] for label in np.flatnonzero(counts == len(labels))]
    parts = []
    if never:
        parts.append(f"no training record has {shown(never)}, which will never be predicted")
    if always:
        parts.append(f"every training record has {shown(always)}, which will always be predicted")
    if parts:
        message = "y has labels that cannot be learned: " + "; ".join(parts) + "."
        warn(message)
    return (*never, *always)


def name_array(names: tuple[Any, ...]) -> np.ndarray:
    """Return names as an array of their own type, or of objects if NumPy would change or unpack them."""
    if len({type(name) for name in names}) == 1 and isinstance(names[0], (str, int, bool)):
        return np.array(names)
    array = np.empty(len(names), dtype=object)
    for column, name in enumerate(names):
        array[column] = name
    return array


def is_number(value: object) -> bool:
    """Whether a value is a finite number and not a boolean."""
    return not isinstance(value, (bool, np.bool_)) and isinstance(value, Real) and bool(np.isfinite(float(value)))
