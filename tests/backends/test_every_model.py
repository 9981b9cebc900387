"""What the file of equations leaves out gives one answer too, wherever the records are: that of the dense matrix."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg as la
from planted import plant

from tacit import HLSI, LSI, HierarchyClassifier, LabelHead, Taxonomy

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


def test_ridge_head_of_rows_of_unit_length(held, collection):
    X, new = collection.training[0], collection.new[0]
    settings = dict(ridge=0.3, normalise=True, thresholds="zero", calibrate=False)
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
