"""LOBPCG: starts, limits and what it says when it is stopped; accuracy stands in tests/reference."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg as la

from tacit.errors import InputError
from tacit.operators import as_operator
from tacit.solve.eigen.lobpcg import preconditioned_eigenpairs
from tacit.solve.result import Eigenpairs

N = 60
B = np.diag(np.linspace(1, 20, N))
Q = la.qr(np.random.default_rng(0).standard_normal((N, N)))[0]
A = (Q * np.linspace(5, -5, N)) @ Q.T
EXACT = la.eigh((A + A.T) / 2, B)


def solve(k: int, **options: object) -> Eigenpairs:
    chosen = {"metric": as_operator(B), "rng": np.random.default_rng(0), "tol": 1e-6, **options}
    return preconditioned_eigenpairs(as_operator((A + A.T) / 2), k, **chosen)  # type: ignore[arg-type]


def test_too_few_iterations_are_told() -> None:
    found = solve(4, max_iter=2, tol=1e-10)
    assert not found.converged
    assert found.iterations == 2
    errors = la.norm(A @ found.vectors - B @ found.vectors * found.values, axis=0)
    np.testing.assert_allclose(found.residuals, errors / found.values / la.norm(B @ found.vectors, axis=0), rtol=1e-6)


def test_iterations_stop_where_asked() -> None:
    assert solve(4, max_iter=25, tol=1e-14).iterations == 25


@pytest.mark.parametrize("start", ["exact", "zeros", "one vector again and again", "lowest"])
def test_any_start_will_do(start: str) -> None:
    vectors = {
        "exact": EXACT[1][:, ::-1][:, :4],
        "zeros": np.zeros((N, 4)),
        "one vector again and again": np.ones((N, 4)),
        "lowest": EXACT[1][:, :9],
    }[start]
    found = solve(4, start=vectors, max_iter=400)
    np.testing.assert_allclose(found.values, EXACT[0][::-1][:4], rtol=1e-8)


def test_a_zero_operator_has_zero_eigenvalues() -> None:
    found = preconditioned_eigenpairs(
        as_operator(np.zeros((N, N))), 3, metric=as_operator(B), rng=np.random.default_rng(0)
    )
    np.testing.assert_allclose(found.values, np.zeros(3), atol=1e-12)
    assert found.converged


def test_too_many_components_are_refused() -> None:
    with pytest.raises(InputError, match="n_components is too large for LOBPCG: got 13 of 60, expected at most 12"):
        solve(13)


def test_the_same_generator_gives_the_same_numbers() -> None:
    np.testing.assert_array_equal(solve(3).vectors, solve(3).vectors)
