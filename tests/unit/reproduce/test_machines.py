"""The machines of the experiments are those of LIBSVM."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.svm import SVC

from tacit.reproduce.mlsi.machines import decisions


@pytest.mark.parametrize("width", [3, 15, 60, 120])
@pytest.mark.parametrize("C", [1.0, 100.0])
def test_values_are_those_of_libsvm(width: int, C: float) -> None:
    rng = np.random.default_rng(width)
    Z = rng.normal(size=(140, width)) / np.sqrt(width)
    scores = Z @ rng.normal(size=(width, 4)) + 0.5 * rng.normal(size=(140, 4))
    known = scores > np.quantile(scores, [0.5, 0.7, 0.9, 0.95], axis=0).diagonal()
    found = decisions(Z[:100], known[:100], Z[100:], C=C)
    for column in range(4):
        machine = SVC(C=C, kernel="linear", tol=1e-6).fit(Z[:100], known[:100, column])
        np.testing.assert_allclose(found[:, column], machine.decision_function(Z[100:]), atol=0.01)


def test_sparse_features_and_labels_that_all_or_none_have() -> None:
    rng = np.random.default_rng(0)
    Z = sp.random_array((60, 30), density=0.3, rng=rng, format="csr")
    known = rng.random((60, 3)) < 0.4
    known[:, 1], known[:, 2] = False, True
    found = decisions(Z[:40], known[:40], Z[40:])
    dense = decisions(Z[:40].toarray(), known[:40], Z[40:].toarray())
    np.testing.assert_allclose(found[:, 0], dense[:, 0], atol=0.01)
    assert (found[:, 1:] == -1).all()
