"""Every model gives one answer, wherever its records are: that of LAPACK on the dense matrix, to 1e-5."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg as la
from planted import plant

from tacit import HLSI, LSI, MLSA, MLSI, HierarchyClassifier, LabelHead, Taxonomy

SAME = 1e-5
EXACT = 1e-7
TREE = Taxonomy.from_parents({f"topic {topic}": "low" if topic < 3 else "high" for topic in range(6)})


@pytest.fixture(scope="module")
def collection():
    return plant(170, 30, n_terms=150)


def assert_same_space(found, expected, new):
    """Eigenvalues, the angles between the spaces, and what positions are for: products between records."""
    np.testing.assert_allclose(found.eigenvalues_, expected.eigenvalues_, rtol=SAME)
    angles = la.subspace_angles(found.components_.T, expected.components_.T)
    assert angles.max() < SAME
    here, there = found.transform(new), expected.transform(new)
    np.testing.assert_allclose(here @ here.T, there @ there.T, atol=SAME * np.abs(there @ there.T).max())


@pytest.mark.parametrize("center", [False, True])
def test_lsi(held, collection, center):
    X, new = collection.training[0], collection.new[0]
    found = LSI(6, center=center, solver="krylov", tol=EXACT).fit(held(X))
    assert_same_space(found, LSI(6, center=center, solver="dense").fit(X.toarray()), new)


@pytest.mark.parametrize("ridge", [0.5, 1.0])
def test_mlsi(held, collection, ridge):
    X, new = collection.training[0], collection.new[0]
    found = MLSI(6, ridge=ridge, solver="augmented", tol=EXACT).fit(held(X), collection.sets)
    assert_same_space(found, MLSI(6, ridge=ridge, solver="dual").fit(X.toarray(), collection.sets), new)


def test_hlsi(held, collection):
    X, new = collection.training[0], collection.new[0]
    found = HLSI(5, taxonomy=TREE, tol=EXACT).fit(held(X), collection.sets)
    assert_same_space(found, HLSI(5, taxonomy=TREE, solver="dual").fit(X.toarray(), collection.sets), new)


def test_hlsi_with_unknown_labels(held, collection):
    X, new = collection.training[0], collection.new[0]
    sets = [None if row % 3 == 0 else labels for row, labels in enumerate(collection.sets)]
    found = HLSI(5, taxonomy=TREE, solver="products", tol=EXACT).fit(held(X), sets)
    expected = HLSI(5, taxonomy=TREE, solver="products", tol=EXACT).fit(X, sets)
    assert_same_space(found, expected, new)


def test_mlsa(held, collection):
    X, new = collection.training[0], collection.new[0]
    found = MLSA(3, solver="krylov", tol=1e-6).fit(held(X), collection.sets)
    assert_same_space(found, MLSA(3, solver="dense").fit(X.toarray(), collection.sets), new)


@pytest.mark.parametrize("normalise", [True, False])
def test_ridge_head(held, collection, normalise):
    X, new = collection.training[0], collection.new[0]
    settings = dict(ridge=0.3, normalise=normalise, thresholds="zero", calibrate=False)
    found = LabelHead("ridge", **settings).fit(held(X), collection.sets)
    expected = LabelHead("ridge", **settings).fit(X.toarray(), collection.sets)
    scores = expected.decision_function(new.toarray())
    np.testing.assert_allclose(found.decision_function(new), scores, atol=SAME * np.abs(scores).max())


def test_hierarchy_classifier(held, collection):
    X, new = collection.training[0], collection.new[0]
    settings = dict(taxonomy=TREE, thresholds="zero", tol=1e-8)
    found = HierarchyClassifier(**settings).fit(held(X), collection.sets)
    expected = HierarchyClassifier(**settings).fit(X.toarray(), collection.sets)
    scores = expected.decision_function(new.toarray())
    np.testing.assert_allclose(found.decision_function(new), scores, atol=SAME * np.abs(scores).max())


def test_records_that_are_elsewhere_are_placed_as_others(held, collection):
    X, new = collection.training[0], collection.new[0]
    space = LSI(6).fit(X)
    np.testing.assert_allclose(space.transform(held(new)), space.transform(new), atol=1e-12)
