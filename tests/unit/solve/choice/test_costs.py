"""The cost model: what it counts, how it grows, what it takes, and that it says so in numbers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

from tacit.operators import Centred, Gram, Operator, Stacked, as_operator
from tacit.solve import leading_eigenpairs, leading_singular_triplets
from tacit.solve.checkpoint import checkpoints
from tacit.solve.choice.costs import (
    MOST_BYTES,
    RATES,
    Cost,
    ProblemSize,
    Work,
    cheapest,
    costs_of,
    size_of,
)

TEXT = ProblemSize(20_000, 100_000, 8_000_000, 100, 1e-2, 4, triplets=True)


def sparse(n_rows: int, n_columns: int, density: float = 0.01) -> sp.csr_array:
    return sp.random_array((n_rows, n_columns), density=density, rng=np.random.default_rng(0), format="csr")


def seconds(problem: ProblemSize) -> dict[str, float]:
    return {cost.solver: cost.seconds for cost in costs_of(problem)}


def chosen(problem: ProblemSize, **options: bool) -> str:
    return cheapest(costs_of(problem), **options)[0]


def test_large_text_goes_to_block_krylov_and_small_to_lapack() -> None:
    assert chosen(TEXT) == "krylov"
    assert chosen(replace(TEXT, n=100, length=150, n_entries=1_000, n_components=10)) == "dense"


def test_most_components_of_a_small_matrix_go_to_lapack() -> None:
    kernel = ProblemSize(1_000, 1_000, 1_000_000, 10, 1e-6, 8, triplets=False, dense=True)
    assert chosen(kernel) != "dense"
    assert chosen(replace(kernel, n_components=400)) == "dense"


@pytest.mark.parametrize("change", [{"n_entries": 16_000_000}, {"n_components": 200}, {"tol": 1e-6}])
def test_more_work_costs_more(change: dict[str, float]) -> None:
    more, less = seconds(replace(TEXT, **change)), seconds(TEXT)  # type: ignore[arg-type]
    assert more["krylov"] > less["krylov"]
    assert more["lanczos"] > less["lanczos"]


def test_lapack_does_not_care_how_many_and_how_exact() -> None:
    assert seconds(replace(TEXT, n_components=2, tol=1e-10))["dense"] == seconds(TEXT)["dense"]


def test_seconds_are_work_times_rates() -> None:
    for cost in costs_of(TEXT):
        assert cost.seconds == pytest.approx(float(np.dot(cost.work, RATES)))
    free = costs_of(TEXT, rates=Work())
    assert [cost.seconds for cost in free] == [0, 0, 0]


def test_rows_that_are_read_anew_are_read_once_a_product() -> None:
    near, far = ({cost.solver: cost for cost in costs_of(replace(TEXT, outside_memory=far))} for far in (False, True))
    for solver, passes in (
        ("dense", 1),
        ("krylov", far["krylov"].work.steps),
        ("lanczos", far["lanczos"].work.lone_steps),
    ):
        assert near[solver].work.read == 0
        assert far[solver].work.read == pytest.approx(passes * TEXT.n_entries)


def test_what_does_not_fit_is_not_taken_however_fast() -> None:
    costs = [Cost("dense", 1.0, 2.0 * MOST_BYTES, Work()), Cost("krylov", 9.0, 1.0, Work())]
    assert cheapest(costs) == ("krylov", "block Krylov 9 s, LAPACK does not fit (1.0 GiB) by the cost model")


def test_arpack_must_be_clearly_faster_and_cannot_go_on_from_elsewhere() -> None:
    costs = [Cost("dense", 9.0, 1, Work()), Cost("krylov", 2.0, 1, Work()), Cost("lanczos", 1.0, 1, Work())]
    assert cheapest(costs) == ("lanczos", "Lanczos 1 s, LAPACK 9 s, block Krylov 2 s by the cost model")
    assert cheapest(costs, iterated=True) == ("krylov", "block Krylov 2 s, LAPACK 9 s by the cost model")
    costs[2] = replace(costs[2], seconds=1.9)
    assert cheapest(costs)[0] == "krylov"


def test_an_exact_answer_that_takes_no_time_is_taken() -> None:
    costs = [Cost("dense", 0.019, 1, Work()), Cost("krylov", 0.001, 1, Work())]
    assert cheapest(costs)[0] == "dense"
    assert cheapest([replace(costs[0], seconds=0.021), costs[1]])[0] == "krylov"


def test_arpack_is_not_offered_where_it_cannot_answer() -> None:
    assert [cost.solver for cost in costs_of(replace(TEXT, n_components=TEXT.n))] == ["dense", "krylov"]


def test_entries_are_known_of_what_is_made_of_matrices() -> None:
    A = sparse(300, 200)
    dense = np.ones((300, 200))

    def entries(operator: Operator) -> int:
        return size_of(operator, 5, 1e-3, triplets=True).n_entries

    assert entries(as_operator(A)) == entries(as_operator(A).T) == entries(Centred(A)) == A.nnz
    assert entries(as_operator(dense)) == 60_000
    assert entries(Gram(A)) == 2 * A.nnz
    assert entries(Stacked([A, A])) == pytest.approx(2 * A.nnz, rel=0.2)  # by the memory it takes

    class Secret(Operator):
        def _matmat(self, V: np.ndarray) -> np.ndarray:
            return V

    assert entries(Secret((100, 100), np.float64)) == 500


def test_the_choice_is_the_same_every_time_and_given_in_numbers() -> None:
    A = sparse(900, 800)
    one, two = (leading_singular_triplets(A, 5) for _ in range(2))
    assert one.reason == two.reason
    assert one.reason.endswith(" s by the cost model")
    np.testing.assert_array_equal(one.right, two.right)


def test_a_start_or_a_checkpoint_leaves_arpack_out(tmp_path: object) -> None:
    A = sp.diags_array(np.r_[np.linspace(9, 5, 20), np.linspace(1, 0.1, 1_980)])
    assert "Lanczos" in leading_eigenpairs(A, 3).reason
    assert "Lanczos" not in leading_eigenpairs(A, 3, start=np.eye(2_000)[:, :3]).reason
    with checkpoints(tmp_path):  # type: ignore[arg-type]
        assert "Lanczos" not in leading_eigenpairs(A, 3).reason
