"""ARPACK behind our words: what it says when it gives up, and when it missed something."""

from __future__ import annotations

import numpy as np
import pytest

from tacit.errors import SolverError
from tacit.operators import as_operator
from tacit.solve.eigen.lanczos import lanczos

DIAGONAL = np.diag(np.linspace(1, 2, 100))


def test_giving_up_is_an_error_that_says_what_to_do() -> None:
    with pytest.raises(
        SolverError,
        match=r"did not converge: got \d+ of 10 eigenpairs. Increase max_iter or tol, or use solver",
    ):
        lanczos(as_operator(DIAGONAL), 10, rng=np.random.default_rng(0), tol=1e-12, max_iter=1)


def test_a_missed_copy_is_an_error_that_says_what_to_do() -> None:
    repeated = np.diag(np.r_[np.full(20, 2.0), np.linspace(1, 0, 80)])
    with pytest.raises(SolverError, match=r"missed an eigenvalue of about 2, .* Use solver='krylov'"):
        lanczos(as_operator(repeated), 6, rng=np.random.default_rng(0), tol=1e-6)


def test_a_failure_inside_arpack_is_an_error_that_says_what_to_do() -> None:
    with pytest.raises(
        SolverError, match=r"the Lanczos solver failed: ARPACK error .* Use solver='krylov' or solver='dense'"
    ):
        lanczos(as_operator(np.full((5, 5), np.nan)), 2, rng=np.random.default_rng(0))


def test_iterations_count_products() -> None:
    rough = lanczos(as_operator(DIAGONAL), 3, rng=np.random.default_rng(0), tol=1e-2)
    exact = lanczos(as_operator(DIAGONAL), 3, rng=np.random.default_rng(0), tol=0)
    assert 20 < rough.iterations < exact.iterations


def test_the_same_generator_gives_the_same_numbers() -> None:
    one, two = (lanczos(as_operator(DIAGONAL), 3, rng=np.random.default_rng(4)) for _ in range(2))
    np.testing.assert_array_equal(one.vectors, two.vectors)


def test_zero_operators_have_any_orthonormal_vectors() -> None:
    found = lanczos(as_operator(np.zeros((10, 10))), 3, rng=np.random.default_rng(0))
    assert not found.values.any()
    np.testing.assert_allclose(found.vectors.T @ found.vectors, np.eye(3), atol=1e-12)
