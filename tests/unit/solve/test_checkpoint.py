"""Checkpoints: what is kept comes back, what is damaged is told, and an iteration goes on to the same bits."""

from __future__ import annotations

import json

import numpy as np
import pytest
import scipy.sparse as sp
from pencils import DensePencil, symmetric
from sklearn.base import clone

from tacit import HLSI, LSI, MLSI, InputError, TacitWarning
from tacit.operators import Gram
from tacit.solve.checkpoint import Checkpoint, checkpoints, fingerprint, load, save, state_of, with_state
from tacit.solve.eigen.krylov import block_krylov
from tacit.solve.eigen.pencil import pencil_eigenpairs
from tacit.solve.eigen.starting_block import starting_block
from tacit.solve.linear.conjugate_gradients import block_cg


def state(rng):
    return {
        "basis": np.asfortranarray(rng.standard_normal((40, 6)).astype(np.float32)),
        "projected": rng.standard_normal((6, 6)),
        "filled": 6,
        "size": np.float64(0.1),
        "rng": state_of(rng),
    }


def test_a_state_comes_back_bit_for_bit(tmp_path, rng):
    kept = state(rng)
    save(tmp_path / "new" / "folder", kept)
    again = load(tmp_path / "new" / "folder")
    assert again is not None
    assert again.keys() == kept.keys()
    for name in ("basis", "projected"):
        assert again[name].dtype == kept[name].dtype
        np.testing.assert_array_equal(again[name], kept[name])
    assert again["basis"].flags.f_contiguous
    assert (again["filled"], again["size"], again["rng"]) == (6, 0.1, kept["rng"])


def test_nothing_kept_is_nothing_found(tmp_path):
    assert load(tmp_path) is None
    assert Checkpoint(tmp_path / "none").resume({"shape": [3, 3]}) is None


def test_a_later_state_takes_the_place_of_an_earlier_one_and_leaves_no_other_file(tmp_path, rng):
    save(tmp_path, {"filled": 1})
    save(tmp_path, {"filled": 2})
    assert load(tmp_path) == {"filled": 2}
    assert [path.name for path in tmp_path.iterdir()] == ["state.npz"]


def test_a_writer_that_was_killed_leaves_the_earlier_state(tmp_path, rng):
    save(tmp_path, {"filled": 1})
    (tmp_path / "state.npz.partial").write_bytes(b"half of")
    assert load(tmp_path) == {"filled": 1}
    save(tmp_path, {"filled": 2})
    assert load(tmp_path) == {"filled": 2}


@pytest.mark.parametrize("damage", ["cut", "flip", "empty", "text"])
def test_a_damaged_state_is_told_and_left(tmp_path, rng, damage):
    save(tmp_path, state(rng))
    path = tmp_path / "state.npz"
    content = bytearray(path.read_bytes())
    if damage == "flip":
        content[content.find(b"NUMPY") + 300] ^= 1
    path.write_bytes({"cut": content[:-200], "flip": content, "empty": b"", "text": b"no archive"}[damage])
    with pytest.warns(TacitWarning, match=r"state\.npz is damaged: got \w+ on reading it.*Starting over"):
        assert load(tmp_path) is None


def test_what_is_no_plain_data_is_refused_before_the_earlier_state_is_lost(tmp_path):
    save(tmp_path, {"filled": 1})
    with pytest.raises(TypeError, match="arrays and plain data, not set"):
        save(tmp_path, {"filled": {1}})
    with pytest.raises(TypeError, match="arrays of numbers, not of objects: basis"):
        save(tmp_path, {"basis": np.array([{1}])})
    assert load(tmp_path) == {"filled": 1}


@pytest.mark.parametrize("kind", [np.random.PCG64, np.random.MT19937, np.random.Philox, np.random.SFC64])
def test_a_generator_goes_on_where_it_stood(kind):
    rng = np.random.Generator(kind(7))
    rng.standard_normal(5, dtype=np.float32)
    stood = json.loads(json.dumps(state_of(rng)))
    expected = rng.standard_normal(9)
    other = np.random.Generator(kind(8))
    with_state(other, stood)
    np.testing.assert_array_equal(other.standard_normal(9), expected)


def test_a_generator_of_another_kind_is_refused():
    with pytest.raises(InputError, match="random_state is of another kind: got PCG64, expected SFC64"):
        with_state(np.random.default_rng(0), state_of(np.random.Generator(np.random.SFC64(0))))


@pytest.mark.parametrize("change", ["seed", "n_components", "matrix", "dtype", "shape"])
def test_a_state_of_another_problem_is_refused(tmp_path, change):
    def problem(seed=0, n_components=5, scale=1.0, dtype=np.float64, n=30):
        rng = np.random.default_rng(4)
        operator = Gram((scale * sp.random_array((50, n), density=0.2, rng=rng)).astype(dtype))
        start = starting_block(n, 8, operator.dtype, np.random.default_rng(seed))
        return fingerprint(operator, start, n_components=n_components)

    checkpoint = Checkpoint(tmp_path)
    checkpoint.keep(problem(), {"filled": 8})
    assert checkpoint.resume(problem()) == {"filled": 8}
    other = {"seed": 1, "n_components": 6, "matrix": 2.0, "dtype": np.float32, "shape": 31}[change]
    name = {"matrix": "scale", "shape": "n"}.get(change, change)
    with pytest.raises(InputError, match=r"checkpoint belongs to another fit: got .*Use another folder"):
        checkpoint.resume(problem(**{name: other}))


def test_the_solvers_of_one_fit_do_not_meet(tmp_path):
    whole = Checkpoint(tmp_path, every=0)
    whole.part("one").keep({"n": 1}, {"filled": 1})
    whole.part("two").keep({"n": 2}, {"filled": 2})
    assert whole.part("one").resume({"n": 1}) == {"filled": 1}
    assert whole.part("two").resume({"n": 2}) == {"filled": 2}
    whole.part("one").clear()
    assert whole.part("one").resume({"n": 1}) is None
    whole.part("two").clear()
    assert not tmp_path.exists()


def test_it_is_due_when_the_time_has_passed(tmp_path):
    assert Checkpoint(tmp_path, every=0).is_due()
    assert not Checkpoint(tmp_path, every=1000).is_due()
    with pytest.raises(InputError, match="every is out of range"):
        Checkpoint(tmp_path, every=-1)


class KilledError(Exception):
    """Stands for the end of the process."""


def killed_after(work, *arguments):
    work(*arguments)
    raise KilledError


class Mortal(Gram):
    """Dies after so many products."""

    def __init__(self, matrix, life, **options):
        super().__init__(matrix, **options)
        self.life = life

    def _matmat(self, V):
        self.life -= 1
        if self.life < 0:
            raise KilledError
        return super()._matmat(V)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("life", [1, 4, 9])
def test_a_killed_iteration_goes_on_to_the_same_bits(tmp_path, dtype, life):
    A = sp.random_array((300, 200), density=0.05, rng=np.random.default_rng(3), format="csr").astype(dtype)

    def solve(life):
        operator = Mortal(A, life)
        found = block_krylov(operator, 10, rng=np.random.default_rng(0), tol=1e-4, basis_size=40)
        return found, operator.life

    whole, left_over = solve(1000)
    n_products = 1000 - left_over
    assert n_products > 10
    with pytest.raises(KilledError), checkpoints(tmp_path / "fit", every=0):
        solve(life)
    with checkpoints(tmp_path / "fit", every=0):
        again, left_over = solve(1000)
    assert 1000 - left_over == n_products - life
    np.testing.assert_array_equal(again.values, whole.values)
    np.testing.assert_array_equal(again.vectors, whole.vectors)
    assert again.iterations == whole.iterations
    assert not (tmp_path / "fit").exists()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("life", [1, 3, 6, 8])
def test_a_killed_regression_goes_on_to_the_same_bits(tmp_path, dtype, life):
    """Two groups of columns: it dies in the search for the first, or for the second."""
    rng = np.random.default_rng(3)
    A = sp.random_array((300, 200), density=0.05, rng=rng, format="csr").astype(dtype)
    rhs = rng.standard_normal((200, 20)).astype(dtype)

    def solve(life):
        system = Mortal(A, life, shift=0.5)
        found = block_cg(system, rhs, tol=1e-3, width=16)
        return found, system.life

    whole, left_over = solve(1000)
    n_products = 1000 - left_over
    assert n_products > 8
    with pytest.raises(KilledError), checkpoints(tmp_path / "fit", every=0):
        solve(life)
    with checkpoints(tmp_path / "fit", every=0):
        again, left_over = solve(1000)
    assert 1000 - left_over == n_products - life
    np.testing.assert_array_equal(again.solution, whole.solution)
    np.testing.assert_array_equal(again.residuals, whole.residuals)
    assert (again.iterations, again.converged) == (whole.iterations, whole.converged)


def test_regressions_with_another_ridge_do_not_go_on(tmp_path):
    A, rhs = np.eye(9), np.arange(18.0).reshape(9, 2)
    with pytest.raises(KilledError), checkpoints(tmp_path, every=0):
        killed_after(block_cg, Gram(A, shift=0.5), rhs)
    with pytest.raises(InputError, match=r"belongs to another fit: got shift=0\.5"), checkpoints(tmp_path):
        block_cg(Gram(A, shift=0.6), rhs)


@pytest.mark.parametrize("life", [3, 6, 20])
def test_a_killed_search_of_a_pencil_goes_on_to_the_same_bits(tmp_path, monkeypatch, life):
    """Between two turns of its basis, and after some."""
    monkeypatch.setattr("tacit.solve.eigen.pencil._FEWEST", 5)
    monkeypatch.setattr("tacit.solve.eigen.pencil._SPARE", 0)

    class MortalPencil(DensePencil):
        def products(self, S):
            if len(self.widths) >= life_of[0]:
                raise KilledError
            return super().products(S)

    A, B = symmetric(np.linspace(5, 0.1, 60), 0), symmetric(np.linspace(1, 4, 60), 1)
    start = np.random.default_rng(2).standard_normal((60, 9))
    life_of = [1000]

    def solve():
        pencil = MortalPencil(A, B)
        return pencil_eigenpairs(pencil, 5, start=start, precondition=lambda R: R, tol=1e-10), len(pencil.widths)

    whole, n_products = solve()
    assert n_products > 22
    life_of[0] = life
    with pytest.raises(KilledError), checkpoints(tmp_path / "fit", every=0):
        solve()
    life_of[0] = 1000
    with checkpoints(tmp_path / "fit", every=0):
        again, n_more = solve()
    assert n_more == 1 + n_products - life  # the start is multiplied again, which tells that it is the same problem
    np.testing.assert_array_equal(again.vectors, whole.vectors)
    np.testing.assert_array_equal(again.residuals, whole.residuals)
    assert again.iterations == whole.iterations


@pytest.mark.parametrize("model", [MLSI(20, label_weight=0.9), HLSI(20)])
def test_a_fit_with_labels_goes_on(tmp_path, model):
    """Regressions and eigenproblems alike: a fit that was killed at its end makes next to no products again."""
    rng = np.random.default_rng(5)
    X = sp.random_array((1500, 1200), density=0.02, rng=rng, format="csr")
    labels = [{int(label)} for label in rng.integers(0, 30, 1500)]
    whole = clone(model).fit(X, labels)
    with pytest.raises(KilledError), checkpoints(tmp_path / "fit", every=0):
        killed_after(clone(model).fit, X, labels)
    assert len(list((tmp_path / "fit").iterdir())) >= 2
    with checkpoints(tmp_path / "fit", every=0):
        again = clone(model).fit(X, labels)
    np.testing.assert_array_equal(again.components_, whole.components_)


def test_a_fit_of_several_solvers_goes_on_with_each(tmp_path):
    rng = np.random.default_rng(5)
    X = sp.random_array((1500, 1200), density=0.02, rng=rng, format="csr")
    labels = [{int(label)} for label in rng.integers(0, 5, 1500)]
    whole = MLSI(20).fit(X, labels)
    with pytest.raises(KilledError), checkpoints(tmp_path / "fit", every=0):
        killed_after(MLSI(20).fit, X, labels)
    assert list((tmp_path / "fit").iterdir())
    with checkpoints(tmp_path / "fit", every=0):
        again = MLSI(20).fit(X, labels)
    np.testing.assert_array_equal(again.components_, whole.components_)


def test_a_checkpoint_of_other_records_is_refused(tmp_path):
    X = sp.random_array((900, 700), density=0.02, rng=np.random.default_rng(6), format="csr")
    with pytest.raises(KilledError), checkpoints(tmp_path, every=0):
        killed_after(LSI(20).fit, X)
    with pytest.raises(InputError, match="checkpoint belongs to another fit: got squared_norm"), checkpoints(tmp_path):
        LSI(20).fit(2 * X)
