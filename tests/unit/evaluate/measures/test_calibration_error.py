"""The expected calibration error: against loops over bins, dense and sparse."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from tacit.errors import InputError
from tacit.evaluate.measures.calibration import calibration_error


def by_loops(truth: np.ndarray, chances: np.ndarray, k: int, bins: int) -> float:
    pairs = []
    for true, row in zip(truth, chances, strict=True):
        if true.any():
            best = np.argsort(-row, kind="stable")[:k]
            pairs += [(row[label], true[label]) for label in best if np.isfinite(row[label])]
    error = 0.0
    for number in range(bins):
        low, high = number / bins, (number + 1) / bins
        inside = [pair for pair in pairs if low <= pair[0] < high or (number == bins - 1 and pair[0] == 1)]
        if inside:
            chance, right = np.mean(inside, axis=0)
            error += len(inside) / len(pairs) * abs(chance - right)
    return error


@pytest.mark.parametrize(("k", "bins"), [(10, 15), (3, 4), (1, 1)])
def test_the_error_is_that_of_loops_over_bins_dense_and_sparse(k, bins):
    rng = np.random.default_rng(4)
    chances = rng.random((50, 25)) ** 2
    truth = (rng.random((50, 25)) < 0.5 * chances).astype(int)
    chances[rng.random(chances.shape) < 0.4] = -np.inf
    chances[0, :2] = 0.0, 1.0
    rows, columns = np.nonzero(np.isfinite(chances))
    sparse = sp.csr_array((chances[rows, columns], (rows, columns)), chances.shape)
    expected = by_loops(truth, chances, k, bins)
    assert calibration_error(truth, chances, k=k, bins=bins) == pytest.approx(expected)
    assert calibration_error(truth, sparse, k=k, bins=bins) == pytest.approx(expected)


def test_probabilities_that_come_true_have_a_small_error_and_boasts_a_large_one():
    rng = np.random.default_rng(5)
    chances = rng.random((4000, 5))
    truth = (rng.random(chances.shape) < chances).astype(int)
    assert calibration_error(truth, chances) < 0.02
    assert calibration_error(truth, np.sqrt(chances)) > 0.1


def test_nothing_suggested_has_no_error():
    assert calibration_error(np.ones((2, 3), int), sp.csr_array((2, 3))) == 0.0


def test_scores_that_are_no_probabilities_are_refused():
    with pytest.raises(InputError, match="probabilities is out of range: got numbers from -1 to 2, expected from 0"):
        calibration_error(np.ones((1, 2), int), [[2.0, -1.0]])
    with pytest.raises(InputError, match="bins is out of range: got 0"):
        calibration_error(np.ones((1, 2), int), [[0.5, 0.5]], bins=0)
