"""Every check gives the value back, or says in one sentence what it got and what it wanted."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp

from tacit import LSI, MLSI, LabelHead
from tacit.checks import (
    as_rng,
    check_choice,
    check_count,
    check_finite,
    check_number,
    check_rows,
    check_sparse,
    human_size,
    is_sparse,
    shown,
)
from tacit.errors import InputError, MissingExtraError, SolverError, TacitError


@pytest.mark.parametrize("value", [0, 1, 0.5, np.float32(0.25), np.int64(1), Fraction(1, 3)])
def test_numbers_in_the_range_come_back_as_floats(value: object) -> None:
    number = check_number("ridge", value, high=1)
    assert type(number) is float
    assert number == pytest.approx(float(value))


@pytest.mark.parametrize("value", [-0.1, 1.1, np.nan, np.inf, "1", None, True, np.bool_(True), 1j, [0.5]])
def test_other_values_are_out_of_range(value: object) -> None:
    with pytest.raises(
        InputError, match=r"^ridge is out of range: got .*, expected a number of at least 0 and at most 1"
    ):
        check_number("ridge", value, high=1)


def test_open_ends_leave_the_ends_out() -> None:
    assert check_number("tol", 0.5, open_low=True, high=1, open_high=True) == 0.5
    with pytest.raises(InputError, match=r"tol is out of range: got 0, expected a number above 0\.$"):
        check_number("tol", 0, open_low=True)
    with pytest.raises(InputError, match="got 1, expected a number of at least 0 and below 1"):
        check_number("tol", 1, high=1, open_high=True)


@pytest.mark.parametrize("value", [1, np.int32(7), 10**30])
def test_counts_come_back_as_ints(value: object) -> None:
    assert type(check_count("n_components", value)) is int


@pytest.mark.parametrize("value", [0, -1, 2.0, True, "3", None, np.nan])
def test_other_counts_are_out_of_range(value: object) -> None:
    with pytest.raises(
        InputError, match=r"n_components is out of range: got .*, expected a whole number of at least 1"
    ):
        check_count("n_components", value)


def test_choices_offer_the_nearest() -> None:
    assert check_choice("solver", "dense", ("dense", "krylov")) == "dense"
    with pytest.raises(InputError, match=r"solver is unknown: got 'krilov', .* Did you mean 'krylov'\?"):
        check_choice("solver", "krilov", ("dense", "krylov"))
    with pytest.raises(InputError, match=r"solver is unknown: got 3, expected one of 'dense', 'krylov'\.$"):
        check_choice("solver", 3, ("dense", "krylov"))


def test_rows_must_agree() -> None:
    check_rows("y", 3, 3)
    with pytest.raises(InputError, match="y does not match X: got 2 rows for 3 records, expected one row per record"):
        check_rows("y", 2, 3)


FORMATS = ["csr", "csc", "coo", "lil", "dok", "bsr", "dia"]


@pytest.mark.parametrize("form", ["dense", *FORMATS])
@pytest.mark.parametrize(("bad", "name"), [(np.nan, "NaN"), (np.inf, "infinity"), (-np.inf, "infinity")])
def test_the_row_of_the_first_bad_value_is_named_in_every_format(form: str, bad: float, name: str) -> None:
    values = np.diag(np.arange(1.0, 6.0))
    values[3, 1] = bad
    given = values if form == "dense" else sp.coo_array(values).asformat(form)
    with pytest.raises(InputError, match=f"X contains {name}: the first one is in row 3"):
        check_finite("X", given)


@pytest.mark.parametrize("form", FORMATS)
def test_finite_values_pass_in_every_format(form: str) -> None:
    check_finite("X", sp.coo_array(np.eye(3)).asformat(form))


def test_finite_values_whose_sum_is_not_pass() -> None:
    check_finite("X", np.array([1e308, 1e308]))
    check_finite("X", np.array([1, 2]))


def test_vectors_and_numbers_name_a_row_too() -> None:
    with pytest.raises(InputError, match="v contains NaN: the first one is in row 1"):
        check_finite("v", np.array([0, np.nan]))
    with pytest.raises(InputError, match="v contains NaN: the first one is in row 0"):
        check_finite("v", np.nan)


def test_the_same_seed_gives_the_same_generator() -> None:
    assert as_rng(3).random() == as_rng(np.int64(3)).random()
    assert as_rng(np.random.RandomState(3)).random() == as_rng(np.random.RandomState(3)).random()
    assert as_rng(3).random() != as_rng(4).random()
    generator = np.random.default_rng(0)
    assert as_rng(generator) is generator


def test_no_seed_draws_from_the_global_state_as_in_scikit_learn() -> None:
    drawn = []
    for _ in range(2):
        np.random.seed(3)  # noqa: NPY002 - the global state is meant
        drawn.append([as_rng(None).random(), as_rng(None).random()])
    assert drawn[0] == drawn[1]
    assert drawn[0][0] != drawn[0][1]


@pytest.mark.parametrize("seed", [-1, True])
def test_seeds_out_of_range(seed: object) -> None:
    with pytest.raises(
        InputError, match=r"random_state is out of range: got .*, expected a whole number of at least 0"
    ):
        as_rng(seed)  # type: ignore[arg-type]


@pytest.mark.parametrize("seed", ["1", 1.5, [1]])
def test_what_is_no_seed(seed: object) -> None:
    with pytest.raises(
        InputError, match=r"random_state is not a seed: got .*, expected None, a whole number or a generator"
    ):
        as_rng(seed)  # type: ignore[arg-type]


def test_sparse_is_what_scipy_calls_so() -> None:
    assert is_sparse(sp.eye_array(2))
    assert is_sparse(sp.csr_matrix((2, 2)))
    assert not is_sparse(np.eye(2))


@pytest.mark.parametrize(
    ("n_bytes", "text"),
    [
        (0, "0 bytes"),
        (1023, "1023 bytes"),
        (1536, "1.5 KiB"),
        (3 * 2**20, "3.0 MiB"),
        (2**30, "1.0 GiB"),
        (2**41, "2.0 TiB"),
    ],
)
def test_sizes_are_written_for_people(n_bytes: int, text: str) -> None:
    assert human_size(n_bytes) == text


def test_long_lists_are_cut() -> None:
    assert shown(["a", 1]) == "'a', '1'"
    assert shown("abcdefg", limit=2) == "'a', 'b' and 5 more"
    assert shown(["a" * 9_000, "b"]) == f"'{'a' * 199}..., 'b'"  # the whole cell of a damaged table


def test_the_errors_are_also_what_python_calls_them() -> None:
    assert issubclass(InputError, ValueError)
    assert issubclass(SolverError, ArithmeticError)
    missing = MissingExtraError("click", "cli", "The command line")
    assert isinstance(missing, ImportError)
    assert isinstance(missing, TacitError)
    assert str(missing) == (
        "The command line needs click, which is not installed. Install it with: pip install 'tacit[cli]'."
    )


@pytest.mark.parametrize("kind", [sp.csr_array, sp.csc_matrix])
@pytest.mark.parametrize(
    ("part", "place", "value"),
    [
        ("indices", 3, 1_000_000_000),
        ("indices", 0, -1),
        ("indptr", 0, 1),
        ("indptr", 2, 10_000),
        ("indptr", -1, 10_000),
    ],
)
def test_indices_outside_of_a_sparse_matrix(kind: type, part: str, place: int, value: int) -> None:
    matrix = kind(sp.random_array((30, 20), density=0.3, rng=1, format="csr"))
    check_sparse("X", matrix)
    getattr(matrix, part)[place] = value
    with pytest.raises(
        InputError, match=r"X is not a whole sparse matrix: got indices outside of its shape \(30, 20\)"
    ):
        check_sparse("X", matrix)


def test_models_do_not_follow_indices_out_of_a_matrix() -> None:
    X = sp.random_array((60, 20), density=0.3, rng=1, format="csr")
    y = np.arange(60) % 3
    for model in (LSI(2), MLSI(2), LabelHead()):
        broken = X.copy()
        broken.indices[5] = 2_000_000_000
        with pytest.raises(InputError, match="X is not a whole sparse matrix"):
            model.fit(broken, y)
        model.fit(X, y)
        with pytest.raises(InputError, match="X is not a whole sparse matrix"):
            (model.predict if isinstance(model, LabelHead) else model.transform)(broken)
