"""What must hold of a space whatever the records: order, scale, copies, precision, seeds, the number of dimensions."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.linalg as la
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from planted import Planted
from sklearn.base import clone
from spaces import up_to_sign

from tacit import LSI, MLSI, KernelLSI, TacitWarning

Maker = Callable[..., Any]
K = 5
TIGHT = 1e-10

SPACES: dict[str, Maker] = {
    "LSI": lambda k=K, **more: LSI(k, tol=TIGHT, **more),
    "LSI-krylov": lambda k=K, **more: LSI(k, solver="krylov", tol=TIGHT, **more),
    "LSI-centred": lambda k=K, **more: LSI(k, center=True, tol=TIGHT, **more),
    "KernelLSI-rbf": lambda k=K, **more: KernelLSI(k, kernel_params={"gamma": 0.01}, tol=TIGHT, **more),
    "KernelLSI-cosine": lambda k=K, **more: KernelLSI(k, kernel="cosine", tol=TIGHT, **more),
    "MLSI-primal": lambda k=K, **more: MLSI(k, solver="primal", **more),
    "MLSI-dual": lambda k=K, **more: MLSI(k, solver="dual", **more),
    "MLSI-augmented": lambda k=K, **more: MLSI(k, solver="augmented", tol=TIGHT, **more),
    "MLSI-literal": lambda k=K, **more: MLSI(k, ridge=0, shrinkage=0, **more),
    "MLSI-rbf": lambda k=K, **more: MLSI(k, kernel="rbf", kernel_params={"gamma": 0.01}, **more),
    "MLSI-label-rbf": lambda k=K, **more: MLSI(k, label_kernel="rbf", **more),
}
LINEAR = [name for name in SPACES if "rbf" not in name or "label" in name]
LABELLED = [name for name in SPACES if name.startswith("MLSI")]

any_space = pytest.mark.parametrize("name", SPACES)
any_labelled = pytest.mark.parametrize("name", LABELLED)


def assert_positions(found: np.ndarray, expected: np.ndarray, tolerance: float = 1e-6) -> None:
    """Equal but for the signs of the dimensions, relative to the largest."""
    size = np.abs(expected).max()
    np.testing.assert_allclose(up_to_sign(found, expected), expected, atol=tolerance * size)


@any_space
def test_the_order_of_records_does_not_matter(name: str, planted: Planted, rng: np.random.Generator) -> None:
    X, Y = planted.training
    order = rng.permutation(X.shape[0])
    first, second = SPACES[name]().fit(X, Y), SPACES[name]().fit(X[order], Y[order])
    np.testing.assert_allclose(second.eigenvalues_, first.eigenvalues_, rtol=1e-8)
    assert_positions(second.transform(planted.new[0]), first.transform(planted.new[0]))
    if name in LABELLED:
        honest, other = SPACES[name]().fit_transform(X, Y), SPACES[name]().fit_transform(X[order], Y[order])
        if name != "MLSI-augmented":  # whose probes are other ones for other rows
            assert_positions(other, honest[order])


@any_space
def test_the_order_of_terms_does_not_matter(name: str, planted: Planted, rng: np.random.Generator) -> None:
    X, Y = planted.training
    order = rng.permutation(X.shape[1])
    first, second = SPACES[name]().fit(X, Y), SPACES[name]().fit(X[:, order], Y)
    assert_positions(second.transform(planted.new[0][:, order]), first.transform(planted.new[0]))


@any_labelled
def test_the_order_of_labels_does_not_matter(name: str, planted: Planted, rng: np.random.Generator) -> None:
    X, Y = planted.training
    order = rng.permutation(Y.shape[1])
    first, second = SPACES[name]().fit(X, Y), SPACES[name]().fit(X, Y[:, order])
    assert_positions(second.transform(planted.new[0]), first.transform(planted.new[0]))
    np.testing.assert_allclose(second.label_loadings_, first.label_loadings_[:, order], atol=1e-6)


@pytest.mark.parametrize("name", ["MLSI-primal", "MLSI-dual", "MLSI-augmented", "MLSI-literal"])
def test_labels_written_twice_count_once(name: str, planted: Planted) -> None:
    """The balance takes out what a copy of every label adds."""
    X, Y = planted.training
    first, second = SPACES[name]().fit(X, Y), SPACES[name]().fit(X, sp.hstack([Y, Y], format="csr"))
    np.testing.assert_allclose(second.label_scale_ * np.sqrt(2), first.label_scale_, rtol=1e-9)
    np.testing.assert_allclose(second.eigenvalues_, first.eigenvalues_, rtol=1e-8)
    assert_positions(second.transform(planted.new[0]), first.transform(planted.new[0]))


@pytest.mark.parametrize("name", LINEAR)
@pytest.mark.parametrize("factor", [1e-3, 7.0, 1e4])
def test_the_scale_of_the_records_does_not_matter(name: str, factor: float, planted: Planted) -> None:
    X, Y = planted.training
    first, second = SPACES[name](scaling="unit").fit(X, Y), SPACES[name](scaling="unit").fit(X * factor, Y)
    power = 0 if name == "KernelLSI-cosine" else 2
    np.testing.assert_allclose(second.eigenvalues_, first.eigenvalues_ * factor**power, rtol=1e-7)
    assert_positions(second.transform(planted.new[0] * factor), first.transform(planted.new[0]))


@any_space
def test_sparse_and_dense_records_are_the_same(name: str, planted: Planted) -> None:
    X, Y = planted.training
    first, second = SPACES[name]().fit(X, Y), SPACES[name]().fit(X.toarray(), Y.toarray())
    np.testing.assert_allclose(second.eigenvalues_, first.eigenvalues_, rtol=1e-9)
    assert_positions(second.transform(planted.new[0].toarray()), first.transform(planted.new[0]))
    for sparse in (sp.csc_array, sp.coo_array, sp.csr_matrix):
        np.testing.assert_allclose(
            SPACES[name]().fit(sparse(X), Y).transform(sparse(planted.new[0])),
            first.transform(planted.new[0]),
            atol=1e-9,
        )


@any_space
def test_single_precision_stays_single_and_comes_near(name: str, planted: Planted) -> None:
    X, Y = planted.training
    new = planted.new[0]
    maker = SPACES[name]
    single = maker().set_params(tol=1e-4)
    trained = single.fit_transform(X.astype(np.float32), Y)
    if name in LABELLED:
        for kind in ("in-sample", "transductive"):
            other = clone(single).set_params(coordinates=kind)
            assert other.fit_transform(X.astype(np.float32), Y).dtype == np.float32
    placed = single.transform(new.astype(np.float32))
    assert trained.dtype == placed.dtype == single.eigenvalues_.dtype == np.float32
    learned = [value for key, value in vars(single).items() if key.endswith("_") and isinstance(value, np.ndarray)]
    assert all(value.dtype in (np.float32, bool) for value in learned)
    double = maker()
    expected = double.fit_transform(X, Y)
    np.testing.assert_allclose(single.eigenvalues_, double.eigenvalues_, rtol=1e-4)
    assert_positions(placed, double.transform(new), 5e-3)
    if name != "MLSI-augmented":  # whose honest positions are estimated
        assert_positions(trained, expected, 1e-2)


@any_space
def test_the_same_seed_gives_the_same_space(name: str, planted: Planted) -> None:
    X, Y = planted.training
    first, second = (SPACES[name](random_state=11).fit_transform(X, Y) for _ in range(2))
    np.testing.assert_array_equal(first, second)
    # another seed is another start, not another answer
    other = SPACES[name](random_state=12).fit(X, Y)
    assert_positions(other.transform(X), SPACES[name](random_state=11).fit(X, Y).transform(X))


@any_space
def test_more_dimensions_leave_the_first_as_they_are(name: str, planted: Planted) -> None:
    X, Y = planted.training
    few, many = SPACES[name](5).fit(X, Y), SPACES[name](10).fit(X, Y)
    np.testing.assert_allclose(many.eigenvalues_[:5], few.eigenvalues_, rtol=1e-8)
    assert_positions(many.transform(planted.new[0])[:, :5], few.transform(planted.new[0]))


@any_labelled
def test_unknown_labels(name: str, planted: Planted) -> None:
    X, Y = planted.training
    marked = Y.toarray()
    sets: list[Any] = [set(np.flatnonzero(row)) for row in marked]
    whole = SPACES[name]().fit(X, Y)
    np.testing.assert_allclose(SPACES[name]().fit(X, sets).eigenvalues_, whole.eigenvalues_, rtol=1e-9)
    marked[::3] = np.nan
    sets[::3] = [None] * len(sets[::3])
    by_nan, by_none = SPACES[name]().fit(X, marked), SPACES[name]().fit(X, sets)
    np.testing.assert_allclose(by_nan.eigenvalues_, by_none.eigenvalues_, rtol=1e-9)
    assert by_nan.labels_.n_unknown == 40
    np.testing.assert_array_equal(by_nan.labels_.indicator[::3].toarray(), 0)
    assert np.abs(by_nan.eigenvalues_ - whole.eigenvalues_).max() > 1e-3


@any_labelled
def test_an_unknown_record_still_shapes_the_space_by_its_words(name: str, planted: Planted) -> None:
    X, _ = planted.training
    some: list[Any] = [*planted.sets[:80], *[None] * 40]
    with_words, without = SPACES[name]().fit(X, some), SPACES[name]().fit(X[:80], some[:80])
    assert np.abs(with_words.eigenvalues_ - without.eigenvalues_).max() > 1e-3 * with_words.eigenvalues_.max()


@pytest.mark.parametrize("name", ["MLSI-primal", "MLSI-dual", "MLSI-augmented"])
@pytest.mark.parametrize("ridge", [0, 1])
def test_duplicated_records_do_no_harm(name: str, ridge: float, planted: Planted) -> None:
    X, Y = planted.training
    twice, labels = sp.vstack([X, X], format="csr"), sp.vstack([Y, Y], format="csr")
    model = SPACES[name](ridge=ridge, scaling="unit").fit(twice, labels)
    positions = model.training_coordinates(twice, "transductive")
    np.testing.assert_allclose(positions[:120], positions[120:], atol=1e-8)
    # K and Y Yᵀ are doubled in the same directions; the ridge, relative to a record, is not
    single = SPACES[name](ridge=ridge / 2, scaling="unit").fit(X, Y)
    np.testing.assert_allclose(model.eigenvalues_, 2 * single.eigenvalues_, rtol=1e-7)
    assert_positions(model.transform(planted.new[0]) * np.sqrt(2), single.transform(planted.new[0]))


@any_space
def test_one_record_is_a_space(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TacitWarning)
        if name == "LSI-centred":
            with pytest.raises(ValueError, match="X has rank 0 after centring"):
                SPACES[name](1).fit([[1.0, 2.0]])
            return
        model = SPACES[name](1).fit([[1.0, 2.0]], [{"a"}])
        assert np.isfinite(model.transform([[1.0, 2.0], [2.0, 1.0]])).all()
        assert model.transform([[1.0, 2.0]]).shape == (1, 1)


sizes = st.tuples(st.integers(2, 14), st.integers(1, 14), st.integers(1, 4), st.integers(1, 6))


@settings(max_examples=30, deadline=None)
@given(
    size=sizes,
    seed=st.integers(0, 10**6),
    label_weight=st.sampled_from([0.0, 0.3, 0.9, 1.0]),
    shrinkage=st.sampled_from([0.0, 1.0]),
    ridge=st.sampled_from([1e-3, 1.0]),
)
def test_any_small_collection_has_a_space(
    size: tuple[int, int, int, int], seed: int, label_weight: float, shrinkage: float, ridge: float
) -> None:
    """Counts with copies, empty rows and empty labels: the three forms agree, and everything is finite."""
    n, m, n_labels, k = size
    rng = np.random.default_rng(seed)
    X = rng.poisson(0.7, (n, m)).astype(float)
    X[0, 0] = 1
    Y = (rng.random((n, n_labels)) < 0.4).astype(float)
    Y[0, 0] = 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TacitWarning)
        fitted = [
            MLSI(k, label_weight=label_weight, shrinkage=shrinkage, ridge=ridge, solver=solver, tol=1e-12)
            for solver in ("primal", "dual", "augmented")
        ]
        honest = [model.fit_transform(X, sp.csr_array(Y)) for model in fitted]
    first = fitted[0]
    assert first.eigenvalues_.size <= k
    assert (np.diff(first.eigenvalues_) <= 1e-12).all()
    for model, positions in zip(fitted, honest, strict=True):
        assert np.isfinite(positions).all()
        assert model.eigenvalues_.size == first.eigenvalues_.size
        np.testing.assert_allclose(model.eigenvalues_, first.eigenvalues_, rtol=1e-6)
        np.testing.assert_allclose(model.embedding_.T @ model.embedding_, np.eye(len(model.eigenvalues_)), atol=1e-6)
        np.testing.assert_allclose(model.objective_, first.objective_, rtol=1e-6, atol=1e-9 * np.sum(X**2))


@settings(max_examples=20, deadline=None)
@given(size=sizes, seed=st.integers(0, 10**6), center=st.booleans(), scaling=st.sampled_from(["unit", "weighted"]))
def test_a_full_space_of_any_small_collection_leads_back(
    size: tuple[int, int, int, int], seed: int, center: bool, scaling: str
) -> None:
    n, m, _, _ = size
    X = np.random.default_rng(seed).standard_normal((n, m))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TacitWarning)
        model = LSI(min(n, m), center=center, scaling=scaling)
        positions = model.fit_transform(X)
    np.testing.assert_allclose(model.inverse_transform(positions), X, atol=1e-8)
    np.testing.assert_allclose(model.explained_ratio_.sum(), 1, rtol=1e-9)


def test_subspaces_and_not_only_axes_agree_between_solvers(planted: Planted) -> None:
    X, _ = planted.training
    reference = LSI(K, solver="dense").fit(X).components_.T
    for solver in ("lanczos", "krylov"):
        found = LSI(K, solver=solver, tol=TIGHT).fit(X).components_.T
        assert la.subspace_angles(reference, found).max() < 1e-6
