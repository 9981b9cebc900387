"""Top-down classification against the same walk written out record by record."""

from __future__ import annotations

from collections.abc import Hashable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import LinearSVC

from tacit.errors import InputError
from tacit.models.classifiers.hierarchy import HierarchyClassifier
from tacit.models.classifiers.label_head import LabelHead
from tacit.models.classifiers.top_down import TopDownClassifier
from tacit.models.common.class_hierarchy import ROOT
from tacit.relations.labels.matrix import LabelMatrix
from tacit.relations.taxonomy.taxonomy import Taxonomy

PARENTS: dict[Hashable, Any] = {
    "a": None,
    "b": None,
    "a1": "a",
    "a2": "a",
    "only": "a1",
    "both": ["a2", "b"],
    "b1": "b",
}
TAXONOMY = Taxonomy.from_parents(PARENTS)
LABELS = ["a", "b", "a2", "only", "both", "b1"]  # a1 has an only child and no record of its own
HEAD = LabelHead("ridge", random_state=0)


def collection(n: int = 120, n_features: int = 8, seed: int = 3) -> tuple[np.ndarray, list[set[str]]]:
    rng = np.random.default_rng(seed)
    sets = [set(rng.choice(LABELS, rng.integers(1, 3), replace=False).tolist()) for _ in range(n)]
    directions = 2 * rng.normal(size=(len(LABELS), n_features))
    X = rng.normal(size=(n, n_features))
    for row, labels in zip(X, sets, strict=True):
        row += sum((directions[LABELS.index(name)] for name in labels), np.zeros(n_features))
    return X, sets


def trained_by_hand(X: np.ndarray, sets: list[set[str]]) -> dict[Hashable, tuple[list[Hashable], Any]]:
    """For each node its children and a head trained on its records, None where the only answer is yes."""
    classes = [labels.union(*(TAXONOMY.ancestors(name) for name in labels)) for labels in sets]
    found: dict[Hashable, tuple[list[Hashable], Any]] = {}
    for node in (ROOT, "a", "b", "a1", "a2"):
        children = list(TAXONOMY.roots if node is ROOT else TAXONOMY.children(node))
        rows = [i for i, names in enumerate(classes) if node is ROOT or node in names]
        Y = np.array([[name in classes[i] for name in children] for i in rows], dtype=int)
        head = None if Y.all() else clone(HEAD).fit(X[rows], LabelMatrix.from_matrix(Y, names=children))
        found[node] = children, head
    return found


def ways(name: Hashable) -> list[list[Hashable]]:
    """All ways from the virtual root down to a node."""
    above = TAXONOMY.parents(name)
    return [[*way, name] for parent in above for way in ways(parent)] if above else [[ROOT, name]]


@pytest.mark.parametrize("cut", [0.0, 0.3, -0.3])
def test_scores_and_chances_are_those_of_the_best_way(cut: float) -> None:
    X, sets = collection()
    new = np.random.default_rng(1).normal(size=(40, X.shape[1])) * 3
    model = TopDownClassifier(HEAD, taxonomy=TAXONOMY, cut=cut).fit(X, sets)
    heads = trained_by_hand(X, sets)
    margins, chances = {}, {}
    for node, (children, head) in heads.items():
        for j, child in enumerate(children):
            margins[node, child] = np.inf if head is None else (head.decision_function(new) - head.thresholds_)[:, j]
            chances[node, child] = 1.0 if head is None else head.predict_proba(new)[:, j]
    assert model.classes_.tolist() == list(TAXONOMY.names)
    scores, proba, predicted = model.decision_function(new), model.predict_proba(new), model.predict(new)
    best, product = {}, {}
    for name in TAXONOMY.names:
        steps = [list(pairwise(way)) for way in ways(name)]
        best[name] = np.max([np.min([margins[step] + np.zeros(40) for step in way], axis=0) for way in steps], axis=0)
        product[name] = np.max(
            [np.prod([chances[step] + np.zeros(40) for step in way], axis=0) for way in steps], axis=0
        )
    for column, name in enumerate(TAXONOMY.names):
        below = [name, *TAXONOMY.descendants(name)]
        expected = np.max([best[other] for other in below], axis=0) - cut
        np.testing.assert_allclose(scores[:, column], expected, atol=1e-10)
        np.testing.assert_allclose(proba[:, column], np.max([product[other] for other in below], axis=0), atol=1e-10)
        np.testing.assert_array_equal(predicted[:, column], expected > 0)


def test_predictions_are_closed_and_may_stop_at_inner_nodes() -> None:
    X, sets = collection()
    new = np.random.default_rng(2).normal(size=(200, X.shape[1])) * 3
    model = TopDownClassifier(taxonomy=TAXONOMY, random_state=0).fit(X, sets)
    predicted = model.predict_labels(new)
    assert all(set(TAXONOMY.ancestors(name)) <= set(names) for names in predicted for name in names)
    inner = [name for name in TAXONOMY.names if TAXONOMY.children(name)]
    assert any(name in names and not set(TAXONOMY.children(name)) & set(names) for names in predicted for name in inner)


def test_learns_planted_classes() -> None:
    X, sets = collection(400)
    model = TopDownClassifier(taxonomy=TAXONOMY, random_state=0).fit(X[:300], sets[:300])
    assert (model.predict(X[300:]) == TAXONOMY.expand(sets[300:]).indicator.toarray()).mean() > 0.85


def test_only_children_need_no_head() -> None:
    X, sets = collection()
    model = TopDownClassifier(HEAD, taxonomy=TAXONOMY).fit(X, sets)
    assert set(model.heads_) == {ROOT, "a", "b", "a2"}
    a1, only = (TAXONOMY.index(name) for name in ("a1", "only"))
    np.testing.assert_array_equal(model.decision_function(X)[:, a1], model.decision_function(X)[:, only])


def test_node_with_one_record_sends_everything_where_that_record_is() -> None:
    X = np.array([[1.0, 0], [0.9, 0], [0, 1]])
    taxonomy = Taxonomy.from_parents({"x": None, "y": None, "y1": "y", "y2": "y"})
    model = TopDownClassifier(HEAD, taxonomy=taxonomy).fit(X, [{"x"}, {"x"}, {"y1"}])
    assert model.classes_.tolist() == ["x", "y", "y1"]
    assert set(model.heads_) == {ROOT}
    predicted = model.predict(X)
    np.testing.assert_array_equal(predicted[:, 1], predicted[:, 2])


def test_a_top_node_of_all_records_is_always_reached() -> None:
    X, _ = collection(30)
    taxonomy = Taxonomy.from_parents({"top": None, "x": "top", "y": "top"})
    model = TopDownClassifier(HEAD, taxonomy=taxonomy).fit(X, [{"x"} if row[0] > 0 else {"y"} for row in X])
    assert model.predict(X)[:, 0].all()
    assert np.isfinite(model.decision_function(X)).all()
    np.testing.assert_array_equal(model.predict_proba(X)[:, 0], 1)


def test_flat_labels_are_one_level_with_the_heads_own_answers() -> None:
    X, sets = collection()
    head = clone(HEAD).fit(X, sets)
    model = TopDownClassifier(HEAD).fit(X, sets)
    np.testing.assert_array_equal(model.predict(X), head.predict(X))
    np.testing.assert_allclose(model.decision_function(X), head.decision_function(X) - head.thresholds_)
    np.testing.assert_allclose(model.predict_proba(X), head.predict_proba(X))
    y = np.array([min(labels) for labels in sets])
    np.testing.assert_array_equal(TopDownClassifier(HEAD).fit(X, y).predict(X), clone(HEAD).fit(X, y).predict(X))


def test_a_flat_label_without_a_record_keeps_its_column() -> None:
    X, sets = collection()
    model = TopDownClassifier(HEAD).fit(X, LabelMatrix.from_sets(sets, names=[*LABELS, "never"]))
    assert model.predict(X).shape == (len(X), 7)
    assert not model.predict(X)[:, -1].any()
    assert not model.predict_proba(X)[:, -1].any()


def test_one_class_a_record_follows_the_best_child() -> None:
    rng = np.random.default_rng(0)
    y = rng.choice(["only", "b1", "both", "b"], 300)
    X = 2 * (y[:, None] == np.array(["only", "b1", "both", "b"])) + rng.normal(size=(300, 4))
    model = TopDownClassifier(HEAD, taxonomy=TAXONOMY).fit(X, y)
    heads = {node: (step, step.head) for step in model.steps_ for node in [(*model.classes_, ROOT)[step.node]]}
    expected = []
    for i in range(len(X)):
        node: Hashable = ROOT
        while node in heads:
            step, head = heads[node]
            if len(step.always):
                node = model.classes_[step.always[0]]
                continue
            scores = head.decision_function(X[[i]])[0]
            best = int(scores.argmax())
            if node in set(y.tolist()) and scores[best] <= head.thresholds_[best]:
                break
            node = model.classes_[step.asked[best]]
        expected.append(node)
    assert model.predict(X).tolist() == expected
    assert set(expected) == {"b", "b1", "both", "only"}
    assert model.score(X, y) > 0.6
    assert model.predict_labels(X[:1]) == [(expected[0],)]


def test_records_with_unknown_labels_are_left_out() -> None:
    X, sets = collection()
    known = [i for i in range(len(X)) if i % 5]
    mixed: list[Any] = [labels if i % 5 else None for i, labels in enumerate(sets)]
    with_unknown = TopDownClassifier(HEAD, taxonomy=TAXONOMY).fit(X, mixed)
    without = TopDownClassifier(HEAD, taxonomy=TAXONOMY).fit(X[known], [sets[i] for i in known])
    np.testing.assert_array_equal(with_unknown.decision_function(X), without.decision_function(X))


def test_sparse_is_dense_scale_does_not_matter_and_it_repeats() -> None:
    X, sets = collection()
    X[np.abs(X) < 1] = 0
    model = TopDownClassifier(taxonomy=TAXONOMY, random_state=4)
    plain = clone(model).fit(X, sets).decision_function(X)
    np.testing.assert_array_equal(clone(model).fit(X, sets).decision_function(X), plain)
    sparse = clone(model).fit(sp.csr_array(X), sets).decision_function(sp.csr_array(X))
    np.testing.assert_allclose(sparse, plain, atol=1e-6)
    np.testing.assert_allclose(clone(model).fit(8 * X, sets).decision_function(8 * X), plain, atol=1e-6)


@pytest.mark.parametrize("head", [HierarchyClassifier(), OneVsRestClassifier(LinearSVC())])
def test_other_heads_are_cut_at_their_own_thresholds(head: Any) -> None:
    X, sets = collection()
    model = TopDownClassifier(head, taxonomy=TAXONOMY).fit(X, sets)
    np.testing.assert_array_equal(model.predict(X), model.decision_function(X) > 0)
    assert (model.predict(X) == TAXONOMY.expand(sets).indicator.toarray()).mean() > 0.8
    assert not hasattr(model, "predict_proba")


def test_probabilities_of_scikit_learns_heads() -> None:
    X, sets = collection()
    model = TopDownClassifier(OneVsRestClassifier(LogisticRegression()), taxonomy=TAXONOMY).fit(X, sets)
    proba = model.predict_proba(X)
    for name in TAXONOMY.names:
        above = [proba[:, TAXONOMY.index(parent)] for parent in TAXONOMY.parents(name)]
        assert not above or (proba[:, TAXONOMY.index(name)] <= np.max(above, axis=0)).all()
    # a2 has one child, so that its head knows two sides
    a2, both = TAXONOMY.index("a2"), TAXONOMY.index("both")
    alone = model.heads_["a2"].predict_proba(X)[:, -1] * proba[:, a2]
    assert (proba[:, both] >= alone - 1e-12).all()


def test_bad_input() -> None:
    X, sets = collection(10)
    with pytest.raises(InputError, match="cut is not a number: got 'low', expected a finite number"):
        TopDownClassifier(cut="low").fit(X, sets)  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"head cannot score records: got KMeans.*Use LabelHead"):
        TopDownClassifier(KMeans(2)).fit(X, sets)
    with pytest.raises(InputError, match="taxonomy is not a Taxonomy: got dict"):
        TopDownClassifier(taxonomy={"a": "top"}).fit(X, sets)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="y has nothing to learn from: got 0 labels"):
        TopDownClassifier(taxonomy=TAXONOMY).fit(X, [None] * 10)
    with pytest.raises(InputError, match="not nodes: got 'a3'"):
        TopDownClassifier(taxonomy=TAXONOMY).fit(X, [{"a3"}, *sets[1:]])
    with pytest.raises(NotFittedError):
        TopDownClassifier().predict(X)
