"""What every classifier does with labels: leave out what it cannot learn from, name the rest, and say so."""

from __future__ import annotations

import warnings
from numbers import Real
from typing import Any

import numpy as np

from tacit.checks import shown
from tacit.errors import InputError, TacitWarning
from tacit.operators.rows.blocks import take_rows
from tacit.relations.labels.matrix import LabelMatrix

__all__ = ["BEYOND", "is_number", "known_records", "name_array", "warn_untrained"]

# Score of a label that the training records never (minus: always) had: beyond any score a classifier gives, so that it
# comes last in every ranking, and finite, because scikit-learn's measures refuse infinity.
BEYOND = 1e30


def known_records(X: Any, labels: LabelMatrix) -> tuple[Any, LabelMatrix]:
    """Leave out the records with unknown labels; say so if nothing is left to learn from."""
    if labels.n_labels == 0 or not labels.known.any():
        raise InputError(
            f"y has nothing to learn from: got {labels.n_labels} labels and {labels.n_records - labels.n_unknown} "
            "records whose labels are known, expected at least one of each."
        )
    if labels.known.all():
        return X, labels
    rows = np.flatnonzero(labels.known)
    return take_rows(X, rows), labels[rows]


def warn_untrained(labels: LabelMatrix) -> tuple[Any, ...]:
    """Name the labels that have only one side, once."""
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
        warnings.warn(message, TacitWarning, stacklevel=3)
    return (*never, *always)


def name_array(names: tuple[Any, ...]) -> np.ndarray:
    """Names as an array of their own type; as objects where NumPy would change or unpack them."""
    if len({type(name) for name in names}) == 1 and isinstance(names[0], (str, int, bool)):
        return np.array(names)
    array = np.empty(len(names), dtype=object)
    for column, name in enumerate(names):
        array[column] = name
    return array


def is_number(value: object) -> bool:
    """Whether something is a finite number, and no boolean."""
    return not isinstance(value, (bool, np.bool_)) and isinstance(value, Real) and bool(np.isfinite(float(value)))
