"""The classes that records of unknown labels are expected to have, from positions by their words.

A ridge regression of the memberships on the positions of the other records predicts them. It is fitted to honest
positions, which are spread like those of records whose labels are unknown, and its penalty is the one that predicts
records left out best. Predictions below .2 count as none and those above .6 as certain: a record that is a little in
every class would be drawn to the middle of the space (docs/decisions/0026).
"""

from __future__ import annotations

import numpy as np
import scipy.linalg as la
import scipy.sparse as sp

from tacit.types import Array

__all__ = ["EXPECTED_WEIGHT", "expected_memberships"]

EXPECTED_WEIGHT = 0.1  # of a record with expected memberships, beside 1 for one with known ones
_NONE, _CERTAIN = 0.2, 0.6  # predictions that count as 0 and as 1
_PENALTIES = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0)  # in units of the mean eigenvalue
_MOST_CLASSES = 256  # the most frequent, by which the penalty is chosen
_ENTRIES = 2**22  # predictions in memory at the same time


def expected_memberships(honest: Array, memberships: sp.csr_array, positions: Array) -> sp.csr_array:
    """Return the expected memberships, n_unknown x n_classes, between 0 and 1.

    Parameters
    ----------
    honest : n_known x k, honest positions of records whose classes are known
    memberships : n_known x n_classes, 0 or 1
    positions : n_unknown x k, positions of the other records, by their words
    """
    middle = honest.mean(axis=0)
    centred = np.asarray(honest - middle, np.float64)
    shares = np.asarray(memberships.sum(axis=0), np.float64).ravel() / len(honest)
    values, turn = la.eigh(centred.T @ centred)
    values = np.maximum(values, 0)
    turned = centred @ turn
    cross = np.asarray((memberships.T @ turned).T)
    frequent = np.argsort(-shares, kind="stable")[:_MOST_CLASSES]
    inverse = _best_inverse(turned, values, cross[:, frequent], memberships[:, frequent], shares[frequent])
    slopes = turn @ (inverse[:, None] * cross)
    step = max(1, _ENTRIES // max(1, len(shares)))
    blocks = [
        sp.csr_array(_certainty((np.asarray(positions[first : first + step], np.float64) - middle) @ slopes + shares))
        for first in range(0, len(positions), step)
    ]
    return sp.csr_array(sp.vstack(blocks)) if blocks else sp.csr_array((0, len(shares)))


def _certainty(predicted: Array) -> Array:
    return np.clip((predicted - _NONE) / (_CERTAIN - _NONE), 0, 1)


def _best_inverse(turned: Array, values: Array, cross: Array, memberships: sp.csr_array, shares: Array) -> Array:
    """Return 1 / (values + penalty) for the penalty whose predictions of records left out are best."""
    unit = max(float(values.mean()), float(np.finfo(np.float64).tiny))
    wanted = memberships.toarray() - shares
    errors, inverses = [], []
    for penalty in _PENALTIES:
        inverses.append(1 / (values + penalty * unit))
        leverages = np.square(turned) @ inverses[-1] + 1 / len(turned)
        missed = wanted - turned @ (inverses[-1][:, None] * cross)
        errors.append(np.square(missed / np.maximum(1 - leverages, 1e-6)[:, None]).sum())
    return inverses[int(np.argmin(errors))]
