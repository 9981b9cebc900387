"""LAPACK on the whole matrix, where its answer for a part of the spectrum cannot be trusted."""

from __future__ import annotations

import numpy as np
import pytest

from tacit import SUSC, InputError
from tacit.operators import as_operator
from tacit.solve.dense import _largest, dense_eigenpairs


def clustered() -> np.ndarray:
    """Two groups of records with labels and neighbours: most eigenvalues are nearly one and the same."""
    rng = np.random.RandomState(42)
    X, y = rng.normal(loc=100, size=(100, 2)), rng.randint(low=0, high=2, size=100)
    W = SUSC(2, n_neighbours=2).fit(X, y).graph_.to_dense()
    degrees = W.sum(axis=1)
    shifted: np.ndarray = 2 * degrees.max() * (np.eye(100) - 0.02) - np.diag(degrees) + W
    return shifted


def test_a_cluster_of_eigenvalues_loses_none_of_those_asked_for():
    A = clustered()
    found = dense_eigenpairs(as_operator(A), 5)
    np.testing.assert_allclose(found.values, np.linalg.eigvalsh(A)[::-1][:5], rtol=1e-10)
    np.testing.assert_allclose(found.vectors.T @ found.vectors, np.eye(5), atol=1e-10)
    assert found.residuals.max() < 1e-10


def test_what_lapack_reports_is_told(monkeypatch):
    import tacit.solve.dense as dense

    def fails(*arguments, **options):
        raise dense.la.LinAlgError("no convergence")

    monkeypatch.setattr(dense.la, "eigh", fails)
    with pytest.raises(InputError, match=r"the eigenproblem has no solution: LAPACK reports 'no convergence'"):
        dense_eigenpairs(as_operator(np.eye(4)), 2)


def test_where_lapack_finds_too_few_the_whole_spectrum_is_taken(monkeypatch):
    # whether "evr" gives up depends on the machine's LAPACK, so that it is made to here
    import tacit.solve.dense as dense

    A = clustered()
    plain = dense.la.eigh

    def gives_up(*arguments, **options):
        values, vectors = plain(*arguments, **options)
        return (values[:0], vectors[:, :0]) if "subset_by_index" in options else (values, vectors)

    expected = plain(A)[0][-3:]
    monkeypatch.setattr(dense.la, "eigh", gives_up)
    values, vectors = _largest(A, 3)
    np.testing.assert_allclose(values, expected, rtol=1e-10)
    np.testing.assert_allclose(A @ vectors, vectors * values, atol=1e-8)
