"""One product and no second look: exact up to its width, close on planted data, honest about not knowing."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest
import scipy.linalg as la
import scipy.sparse as sp
from planted import Planted

from tacit import HLSI, LSI, MLSI, KernelLSI, open_rows, write_rows
from tacit.errors import InputError
from tacit.models.common.memory import fit_memory
from tacit.operators import MatrixOperator, as_operator
from tacit.solve import leading_eigenpairs, leading_singular_triplets
from tacit.solve.eigen.single_pass import ONE_PASS, single_pass

K = 5


def of_rank(n_rows: int, n_columns: int, rank: int) -> np.ndarray:
    rng = np.random.default_rng(1)
    left, right = (la.qr(rng.standard_normal((n, rank)), mode="economic")[0] for n in (n_rows, n_columns))
    return np.asarray((left * 0.8 ** np.arange(rank)) @ right.T)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [(90, 60), (60, 90)], ids=["tall", "wide"])
@pytest.mark.parametrize("rank", [3, 20])
def test_it_is_exact_where_the_rank_is_within_its_width(shape: tuple[int, int], rank: int, dtype: type) -> None:
    A = of_rank(*shape, rank).astype(dtype)
    found = leading_singular_triplets(A, K, solver="single_pass")
    U, exact, Vt = la.svd(A.astype(np.float64))
    n = min(K, rank)
    assert found.values.shape == (n,)
    assert found.values.dtype == found.right.dtype == dtype
    accuracy = 1e-5 if dtype == np.float64 else 2e-2  # the root of what squares are known to
    np.testing.assert_allclose(found.values, exact[:n], rtol=accuracy)
    assert la.subspace_angles(found.right.astype(np.float64), Vt[:n].T).max() < accuracy
    assert found.left is not None
    assert la.subspace_angles(found.left.astype(np.float64), U[:, :n]).max() < accuracy


def test_what_it_captures_is_nearly_the_best(planted: Planted) -> None:
    X = planted.training[0].toarray()
    best = la.svdvals(X)[:6]
    V = leading_singular_triplets(X, 6, solver="single_pass").right
    captured = float(np.square(X @ V).sum())
    assert 0.9 * np.square(best).sum() <= captured <= (1 + 1e-9) * np.square(best).sum()


def test_values_are_never_above_the_true_ones() -> None:
    A = np.diag(np.linspace(5, 0, 80))
    found = leading_eigenpairs(A, K, solver="single_pass")
    assert (found.values <= np.linspace(5, 0, 80)[:K]).all()
    assert found.values[0] > 4


def test_a_wider_block_and_a_better_start_are_closer() -> None:
    A, rng = as_operator(np.diag(0.9 ** np.arange(200))), np.random.default_rng
    exact = 0.9 ** np.arange(K)
    errors = [np.abs(single_pass(A, K, rng=rng(0), width=width).values - exact).max() for width in (K, 25, 100)]
    assert errors[0] > errors[1] > errors[2]
    started = single_pass(A, K, rng=rng(0), start=np.eye(200)[:, :K])
    assert np.abs(started.values - exact).max() < errors[1]


def test_it_says_that_nobody_looked_and_warns_of_nothing() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = leading_eigenpairs(np.diag(np.linspace(2, 1, 50)), K, solver="single_pass")
    assert (found.solver, found.reason, found.converged, found.iterations) == ("single_pass", ONE_PASS, False, 1)
    assert np.isnan(found.residuals).all()


def test_one_product_is_one_product() -> None:
    class Counting(MatrixOperator):
        products = 0

        def _matmat(self, V: np.ndarray) -> np.ndarray:
            Counting.products += 1
            return super()._matmat(V)

    leading_eigenpairs(Counting(np.diag(np.arange(40.0))), K, solver="single_pass")
    assert Counting.products == 1


@pytest.mark.parametrize("n_terms", [70, 700])
def test_one_pass_reads_every_shard_once(tmp_path: Path, n_terms: int) -> None:
    X = sp.random_array((400, n_terms), density=0.1, rng=np.random.default_rng(0), format="csr")
    write_rows(tmp_path / "rows", [X], bytes_per_shard=9_000)
    rows = open_rows(tmp_path / "rows", memory_limit=20_000)
    n_shards = len(rows.facts.edges) - 1
    assert n_shards > 3
    model = LSI(K, solver="single_pass").fit(rows)
    assert rows.n_reads == n_shards
    in_memory = LSI(K, solver="single_pass").fit(X)
    np.testing.assert_allclose(model.singular_values_, in_memory.singular_values_, rtol=1e-6)


def test_the_same_generator_gives_the_same_numbers() -> None:
    A = as_operator(np.diag(np.linspace(2, 1, 50)))
    one, two = (single_pass(A, K, rng=np.random.default_rng(4)) for _ in range(2))
    np.testing.assert_array_equal(one.vectors, two.vectors)


def test_nothing_has_no_singular_values_and_a_tiny_matrix_all_of_them() -> None:
    assert leading_singular_triplets(np.zeros((6, 4)), 2, solver="single_pass").values.size == 0
    zeros = leading_eigenpairs(np.zeros((6, 6)), 2, solver="single_pass")
    np.testing.assert_array_equal(zeros.values, np.zeros(2))
    np.testing.assert_allclose(zeros.vectors.T @ zeros.vectors, np.eye(2), atol=1e-12)
    np.testing.assert_allclose(leading_eigenpairs(np.diag([3.0, 2, 1]), 3, solver="single_pass").values, [3, 2, 1])


def test_problems_it_cannot_solve_are_refused() -> None:
    with pytest.raises(
        InputError, match=r"operator is not positive semi-definite: got a direction .* Use solver='krylov'\."
    ):
        leading_eigenpairs(np.diag(np.linspace(1, -1, 30)), 3, solver="single_pass")
    with pytest.raises(
        InputError,
        match=r"solver='single_pass' cannot solve the generalised eigenproblem of HLSI: expected one of",
    ):
        HLSI(2, solver="single_pass").fit(np.eye(4), ["a", "b", "a", "b"])


@pytest.mark.parametrize("model", [LSI(6, solver="single_pass"), KernelLSI(6, kernel="linear", solver="single_pass")])
def test_spaces_in_one_pass_are_close_to_the_best(planted: Planted, model: LSI | KernelLSI) -> None:
    X = planted.training[0]
    exact = LSI(6, tol=1e-8).fit(X).transform(X)
    positions = model.fit_transform(X)
    assert model.solution_.solver == "single_pass"
    assert model.n_iter_ == 1
    assert np.square(positions).sum() > 0.9 * np.square(exact).sum()


def test_mlsi_finds_its_space_in_one_pass(planted: Planted) -> None:
    X, Y = planted.training
    best = MLSI(6, solver="augmented", tol=1e-8).fit(X, Y)
    model = MLSI(6, solver="single_pass", tol=1e-8).fit(X, Y)
    assert (model.solver_, model.solution_[-1].solver) == ("augmented", "single_pass")
    assert best.eigenvalues_.sum() * 0.9 < model.eigenvalues_.sum() <= best.eigenvalues_.sum() * (1 + 1e-6)
    np.testing.assert_allclose(model.embedding_.T @ model.embedding_, np.eye(6), atol=0.1)
    with pytest.raises(InputError, match="solver='single_pass' needs the linear kernel"):
        MLSI(2, solver="single_pass", kernel="rbf").fit(X, Y)


def test_mlsi_takes_rows_on_disk_in_one_pass(tmp_path: Path, planted: Planted) -> None:
    X, Y = planted.training
    rows = write_rows(tmp_path / "rows", [X])
    one, two = (MLSI(4, solver="single_pass", tol=1e-8).fit(each, Y) for each in (rows, X))
    np.testing.assert_allclose(one.eigenvalues_, two.eigenvalues_, rtol=1e-6)


def test_a_space_of_one_pass_takes_in_more_records(planted: Planted) -> None:
    X, Y = planted.training
    for model in (LSI(4, solver="single_pass"), MLSI(4, solver="single_pass")):
        model.partial_fit(X[:80], Y[:80]).partial_fit(X[80:], Y[80:])
        assert model.n_records_seen_ == X.shape[0]


def test_its_memory_is_told() -> None:
    parts = fit_memory(1_000_000, 50_000, 80_000_000, 100, in_memory=False, solver="single_pass").parts
    assert parts["block of the one pass"] == 3 * 4 * 50_000 * 310
