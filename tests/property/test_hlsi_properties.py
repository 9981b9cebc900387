"""What must hold of HLSI whatever the records: order, scale, copies, precision, seeds, the number of dimensions."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from planted import TOPIC_TREE, Planted
from sklearn.base import clone
from spaces import up_to_sign

from tacit import HLSI, TacitWarning, Taxonomy

Maker = Callable[..., Any]
K = 5
TREE = Taxonomy.from_nested(TOPIC_TREE)
SPACES: dict[str, Maker] = {
    "primal": lambda k=K, **more: HLSI(k, taxonomy=TREE, solver="primal", **more),
    "dual": lambda k=K, **more: HLSI(k, taxonomy=TREE, solver="dual", **more),
    "products": lambda k=K, **more: HLSI(k, taxonomy=TREE, solver="products", **{"tol": 1e-9, **more}),
    "paper": lambda k=K, **more: HLSI(k, taxonomy=TREE, membership="whole", center=False, **more),
    "rbf": lambda k=K, **more: HLSI(k, taxonomy=TREE, kernel="rbf", kernel_params={"gamma": 0.01}, **more),
}
LINEAR = [name for name in SPACES if name != "rbf"]
any_space = pytest.mark.parametrize("name", SPACES)


def assert_positions(found: np.ndarray, expected: np.ndarray, tolerance: float = 1e-6) -> None:
    """Equal but for the signs of the dimensions, relative to the largest."""
    np.testing.assert_allclose(up_to_sign(found, expected), expected, atol=tolerance * np.abs(expected).max())


@any_space
def test_the_order_of_records_does_not_matter(name: str, planted: Planted, rng: np.random.Generator) -> None:
    X, sets, order = planted.training[0], planted.sets, rng.permutation(120)
    first, second = SPACES[name](), SPACES[name]()
    honest = first.fit_transform(X, sets)
    other = second.fit_transform(X[order], [sets[i] for i in order])
    np.testing.assert_allclose(second.costs_, first.costs_, rtol=1e-8)
    assert_positions(second.transform(planted.new[0]), first.transform(planted.new[0]))
    assert_positions(second.class_coordinates_, first.class_coordinates_)
    if name != "products":  # whose probes are other ones for other rows
        assert_positions(other, honest[order])


@any_space
def test_the_order_of_terms_does_not_matter(name: str, planted: Planted, rng: np.random.Generator) -> None:
    X, order = planted.training[0], rng.permutation(300)
    first, second = SPACES[name]().fit(X, planted.sets), SPACES[name]().fit(X[:, order], planted.sets)
    assert_positions(second.transform(planted.new[0][:, order]), first.transform(planted.new[0]))


@any_space
def test_the_names_of_classes_do_not_matter(name: str, planted: Planted) -> None:
    """Only who is in which class does; a class that nobody is in says nothing either."""
    X = planted.training[0]
    renamed = [{int(label[-1]) for label in labels} for labels in planted.sets]
    tree = Taxonomy.from_parents(
        {0: "l", "i": "l", 1: "i", 2: "i", 3: "r", 4: "r", 5: "r", "r": None, "l": None, "empty": "r"}
    )
    first, second = SPACES[name]().fit(X, planted.sets), SPACES[name]().set_params(taxonomy=tree).fit(X, renamed)
    assert set(second.classes_) == {0, 1, 2, 3, 4, 5, "i", "l", "r"}
    assert_positions(second.transform(planted.new[0]), first.transform(planted.new[0]))


@any_space
def test_writing_out_the_ancestors_changes_nothing(name: str, planted: Planted) -> None:
    X = planted.training[0]
    written = [{*labels, *(above for label in labels for above in TREE.ancestors(label))} for labels in planted.sets]
    np.testing.assert_array_equal(
        SPACES[name]().fit(X, written).transform(X), SPACES[name]().fit(X, planted.sets).transform(X)
    )


@pytest.mark.parametrize("name", LINEAR)
@pytest.mark.parametrize("factor", [1e-3, 7.0, 1e4])
def test_the_length_of_the_records_does_not_matter(name: str, factor: float, planted: Planted) -> None:
    """gamma is in units of the scatter: the same costs and the same positions."""
    X = planted.training[0]
    first, second = SPACES[name]().fit(X, planted.sets), SPACES[name]().fit(X * factor, planted.sets)
    np.testing.assert_allclose(second.costs_, first.costs_, rtol=1e-7)
    assert second.gamma_ == pytest.approx(first.gamma_ * factor**2)
    assert_positions(second.transform(planted.new[0] * factor), first.transform(planted.new[0]))
    assert_positions(second.components_ * factor, first.components_)


@any_space
def test_every_record_twice_is_half_the_gamma(name: str, planted: Planted) -> None:
    """gamma is in units of the scatter of one record, and two copies are twice the evidence: as a ridge would be."""
    X, sets = planted.training[0], planted.sets
    twice = SPACES[name](gamma=0.4, scaling="unit").fit(sp.vstack([X, X], format="csr"), [*sets, *sets])
    once = SPACES[name](gamma=0.2, scaling="unit").fit(X, sets)
    assert twice.gamma_ == pytest.approx(2 * once.gamma_)
    np.testing.assert_allclose(twice.costs_, once.costs_, rtol=1e-7)
    assert_positions(twice.transform(planted.new[0]) * np.sqrt(2), once.transform(planted.new[0]))


@any_space
def test_sparse_and_dense_records_are_the_same(name: str, planted: Planted) -> None:
    X, sets = planted.training[0], planted.sets
    first, second = SPACES[name]().fit(X, sets), SPACES[name]().fit(X.toarray(), sets)
    np.testing.assert_allclose(second.costs_, first.costs_, rtol=1e-9)
    assert_positions(second.transform(planted.new[0].toarray()), first.transform(planted.new[0]))
    for sparse in (sp.csc_array, sp.coo_array, sp.csr_matrix):
        other = SPACES[name]().fit(sparse(X), sets)
        assert_positions(other.transform(sparse(planted.new[0])), first.transform(planted.new[0]), 1e-7)


@any_space
def test_single_precision_stays_single_and_comes_near(name: str, planted: Planted) -> None:
    X, sets, new = planted.training[0], planted.sets, planted.new[0]
    single = SPACES[name]().set_params(tol=1e-4)
    trained = single.fit_transform(X.astype(np.float32), sets)
    for kind in ("in-sample", "transductive"):
        other = clone(single).set_params(coordinates=kind)
        assert other.fit_transform(X.astype(np.float32), sets).dtype == np.float32
    placed = single.transform(new.astype(np.float32))
    assert trained.dtype == placed.dtype == np.float32
    learned = [value for key, value in vars(single).items() if key.endswith("_") and isinstance(value, np.ndarray)]
    assert len(learned) >= 5
    assert all(value.dtype == np.float32 for value in learned)
    double = SPACES[name]()
    expected = double.fit_transform(X, sets)
    np.testing.assert_allclose(single.eigenvalues_, double.eigenvalues_, rtol=1e-4)
    assert_positions(placed, double.transform(new), 5e-3)
    if name != "products":  # whose honest positions are estimated
        assert_positions(trained, expected, 1e-2)


@any_space
def test_the_same_seed_gives_the_same_space(name: str, planted: Planted) -> None:
    X, sets = planted.training[0], planted.sets
    first, second = (SPACES[name](random_state=11).fit_transform(X, sets) for _ in range(2))
    np.testing.assert_array_equal(first, second)
    # another seed is another start, not another answer
    other = SPACES[name](random_state=12).fit(X, sets)
    assert_positions(other.transform(X), SPACES[name](random_state=11).fit(X, sets).transform(X))


@any_space
def test_more_dimensions_leave_the_first_as_they_are(name: str, planted: Planted) -> None:
    X, sets = planted.training[0], planted.sets
    few, many = SPACES[name](5).fit(X, sets), SPACES[name](10).fit(X, sets)
    np.testing.assert_allclose(many.costs_[:5], few.costs_, rtol=1e-8)
    assert (np.diff(many.costs_) > 0).all()
    assert_positions(many.transform(planted.new[0])[:, :5], few.transform(planted.new[0]))


@pytest.mark.parametrize("name", ["primal", "dual", "products"])
@pytest.mark.parametrize("shift", [1.0, 30.0])
def test_a_centred_space_does_not_see_where_the_origin_is(name: str, shift: float, planted: Planted) -> None:
    """What is added to every record goes with the mean; the unit of gamma does not see it either."""
    X, new = planted.training[0].toarray(), planted.new[0].toarray()
    first, second = SPACES[name]().fit(X, planted.sets), SPACES[name]().fit(X + shift, planted.sets)
    np.testing.assert_allclose(second.costs_, first.costs_, rtol=1e-6)
    assert_positions(second.transform(new + shift), first.transform(new), 1e-5)


def test_records_of_unknown_labels_take_part_by_their_words(planted: Planted) -> None:
    X, sets = planted.training[0], planted.sets
    some: list[Any] = [*sets[:80], *[None] * 40]
    with_words, without = (HLSI(K, taxonomy=TREE).fit(X[:n], some[:n]) for n in (120, 80))
    assert np.abs(with_words.costs_ / without.costs_ - 1).max() > 1e-3
    # not to know is not to be in the root only, as a record without labels is
    none = HLSI(K, taxonomy=TREE).fit(X, [*sets[:80], *[set()] * 40])
    assert np.abs(with_words.costs_ / none.costs_ - 1).max() > 0.05


sizes = st.tuples(st.integers(3, 14), st.integers(2, 14), st.integers(1, 4), st.integers(1, 6))


@settings(max_examples=25, deadline=None)
@given(
    size=sizes,
    seed=st.integers(0, 10**6),
    gamma=st.sampled_from([1e-2, 1.0, 100.0]),
    membership=st.sampled_from(["whole", "shared"]),
    center=st.booleans(),
)
def test_any_small_collection_has_a_space(
    size: tuple[int, int, int, int], seed: int, gamma: float, membership: str, center: bool
) -> None:
    """Counts with copies, empty rows and empty labels: the three forms agree, and everything is finite."""
    n, m, n_labels, k = size
    rng = np.random.default_rng(seed)
    X = rng.poisson(0.7, (n, m)).astype(float)
    X[0, 0] = X[0].sum() + 1  # not all records are the same
    X[1, 0] = 0
    Y = (rng.random((n, n_labels)) < 0.4).astype(float)
    Y[0, 0] = 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TacitWarning)
        fitted = [
            HLSI(k, gamma=gamma, membership=membership, center=center, scaling="unit", solver=solver, tol=1e-9)
            for solver in ("primal", "dual", "products")
        ]
        honest = [model.fit_transform(X, sp.csr_array(Y)) for model in fitted]
    first = fitted[0]
    assert 1 <= first.costs_.size <= min(k, n - center, m)
    for model, positions in zip(fitted, honest, strict=True):
        assert np.isfinite(positions).all()
        assert model.costs_.size == first.costs_.size
        np.testing.assert_allclose(model.costs_, first.costs_, rtol=1e-6)
        V = model.transform(X)
        np.testing.assert_allclose(V.T @ V, np.eye(V.shape[1]), atol=1e-6)
        if center:
            np.testing.assert_allclose(V.sum(axis=0), 0, atol=1e-6)
