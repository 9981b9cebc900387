"""Relation features: the measures against literal loops, the choice of prototypes against brute force."""

from __future__ import annotations

import math
import tracemalloc
from itertools import combinations
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from planted import Planted
from scipy.spatial.distance import cdist
from sklearn.base import clone
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import make_pipeline

from tacit import LSI, MLSI, InputError, LabelHead, LabelMatrix, TacitWarning
from tacit.models.graphs.prototypes import RelationFeatures, Traversal, shares
from tacit.models.graphs.relation_measures import MEASURES, relations


def literal(measure: str, x: Any, p: Any, *, power: float = 2, degree: int = 2, width: float = 1) -> float:
    """Table 1 of the paper, a term at a time."""
    pairs = list(zip(x.tolist(), p.tolist(), strict=True))
    dot = math.fsum(a * b for a, b in pairs)
    if measure == "dot":
        return dot
    if measure == "polynomial":
        return (dot + 1) ** degree
    if measure == "cosine":
        lengths = math.sqrt(math.fsum(a * a for a, _ in pairs)) * math.sqrt(math.fsum(b * b for _, b in pairs))
        return dot / lengths if lengths else 0.0
    if measure == "pearson":
        (mu_x, sigma_x), (mu_p, sigma_p) = _moments(x.tolist()), _moments(p.tolist())
        if not sigma_x * sigma_p:
            return 0.0
        return math.fsum((a - mu_x) / sigma_x * (b - mu_p) / sigma_p for a, b in pairs) / len(pairs)
    exponent = power if measure == "minkowski" else 2
    total = math.fsum(abs(a - b) ** exponent for a, b in pairs)
    return math.exp(-total / width) if measure == "gaussian" else total ** (1 / exponent)


def _moments(values: list[float]) -> tuple[float, float]:
    if len(set(values)) == 1:
        return values[0], 0.0
    mean = math.fsum(values) / len(values)
    return mean, math.sqrt(math.fsum((value - mean) ** 2 for value in values) / len(values))


def some_records(rng: np.random.Generator) -> np.ndarray:
    """Half of the entries are 0; a record of zeros, a constant one, two that are alike, one with a negative entry."""
    X = rng.random((24, 9)) * (rng.random((24, 9)) < 0.5)
    X[3], X[5], X[8] = 0, 0.7, X[7]
    X[10, 2] = -1.5
    return X


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array, sp.csr_matrix, sp.csc_array])
@pytest.mark.parametrize(
    "settings",
    [
        *({"measure": measure} for measure in MEASURES),
        {"measure": "minkowski", "power": 1},
        {"measure": "minkowski", "power": 3.5},
        {"measure": "polynomial", "degree": 5},
        {"measure": "gaussian", "width": 0.3},
    ],
    ids=lambda settings: " ".join(map(str, settings.values())),
)
def test_each_measure_is_its_formula(rng: np.random.Generator, settings: dict[str, Any], form: Any) -> None:
    X = some_records(rng)
    features = RelationFeatures(ratio=0.8, **settings).fit(form(X))
    known = {**settings, "width": features.width_} if features.width_ else settings
    expected = [[literal(x=x, p=p, **known) for p in X[features.prototype_indices_]] for x in X]
    np.testing.assert_allclose(features.transform(form(X)), expected, rtol=1e-11, atol=1e-13)


def test_minkowski_with_power_two_is_euclidean(rng: np.random.Generator) -> None:
    X = rng.random((12, 4))
    euclidean = RelationFeatures(measure="euclidean").fit_transform(X)
    np.testing.assert_array_equal(RelationFeatures(measure="minkowski", power=2).fit_transform(X), euclidean)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_a_constant_record_correlates_with_nothing(rng: np.random.Generator, form: Any) -> None:
    """Also if the mean of its entries, for rounding, is none of them."""
    X = np.concatenate([np.outer(rng.random(50), np.ones(7)), rng.random((50, 7))])
    R = RelationFeatures(ratio=1, measure="pearson").fit_transform(form(X))
    assert (R[:50] == 0).all()
    assert (R[:, :50] == 0).all()
    np.testing.assert_allclose(R[50:, 50:], np.corrcoef(X[50:]), atol=1e-13)


@pytest.mark.parametrize("settings", [{}, {"ratio": 0.7}, {"n_prototypes": 6, "selection": "random"}])
def test_prototypes_are_records(planted: Planted, settings: dict[str, Any]) -> None:
    X, Y = planted.training
    for rows in (X, X.toarray()):
        features = RelationFeatures(**settings).fit(rows, Y)
        assert (np.diff(features.prototype_indices_) > 0).all()
        assert sp.issparse(features.prototypes_) == sp.issparse(rows)
        chosen = rows[features.prototype_indices_]
        assert abs(features.prototypes_ - chosen).sum() == 0
        assert features.transform(rows).shape == (120, len(features.prototype_indices_))


@pytest.mark.parametrize(
    ("settings", "n_expected"),
    [({}, 30), ({"ratio": 0.1}, 12), ({"ratio": 1}, 120), ({"ratio": 1e-4}, 1), ({"n_prototypes": 120}, 120)],
)
def test_there_are_as_many_as_asked_for(planted: Planted, settings: dict[str, Any], n_expected: int) -> None:
    X, Y = planted.training
    for selection in ("random", "centres"):
        if n_expected == 1 and selection == "centres":
            continue  # six classes for one prototype are another test
        features = RelationFeatures(selection=selection, **settings).fit(X, Y)
        assert len(features.prototype_indices_) == n_expected


@pytest.mark.parametrize(
    ("settings", "selection"),
    [
        ({"ratio": 0.49}, "centres"),
        ({"ratio": 0.5}, "random"),
        ({"n_prototypes": 59}, "centres"),
        ({"n_prototypes": 60}, "random"),
        ({}, "centres"),
        ({"ratio": 0.1, "selection": "random"}, "random"),
        ({"ratio": 0.9, "selection": "centres"}, "centres"),
    ],
)
def test_half_of_the_records_or_more_are_taken_at_random(
    planted: Planted, settings: dict[str, Any], selection: str
) -> None:
    features = RelationFeatures(**settings).fit(*planted.training)
    assert features.selection_ == selection
    assert bool(features.class_heads_) == (selection == "centres")


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_heads_cover_at_most_twice_as_badly_as_the_best(seed: int, form: Any) -> None:
    """Gonzalez's bound, for every number of heads, against all possible choices."""
    X = np.random.default_rng(seed).standard_normal((9, 2)).round(1)
    distances = cdist(X, X)
    for k in range(1, 6):
        best = min(distances[list(heads)].min(axis=0).max() for heads in combinations(range(9), k))
        heads = RelationFeatures(k, selection="centres", random_state=seed).fit(form(X)).class_heads_[None]
        assert distances[heads].min(axis=0).max() <= 2 * best + 1e-12


def test_the_bound_holds_within_each_class(rng: np.random.Generator) -> None:
    X, classes = rng.standard_normal((16, 3)), np.repeat(["a", "b"], 8)
    heads_of = RelationFeatures(5, selection="centres").fit(X, classes).class_heads_
    for name, heads in heads_of.items():
        members = np.flatnonzero(classes == name)
        distances = cdist(X[members], X)
        best = min(distances[:, list(other)].min(axis=1).max() for other in combinations(members, len(heads)))
        assert set(heads) <= set(members)
        assert distances[:, heads].min(axis=1).max() <= 2 * best


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_each_head_is_the_record_farthest_from_those_before(rng: np.random.Generator, form: Any) -> None:
    X = some_records(rng)
    heads = RelationFeatures(20, selection="centres").fit(form(X)).class_heads_[None]
    distances = cdist(X, X)
    for k in range(1, len(heads)):
        nearest = distances[heads[:k]].min(axis=0)
        np.testing.assert_allclose(nearest[heads[k]], nearest.max(), rtol=1e-12)


def test_a_traversal_can_be_taken_up_again(rng: np.random.Generator) -> None:
    X, luck, members = sp.csr_array(some_records(rng)), rng.random(24), np.arange(1, 24, 2)
    whole, parts = Traversal(members, luck), Traversal(members, luck)
    whole.advance(X, 9)
    for n_more in (2, 1, 0, 1, 5):
        parts.advance(X, n_more)
    assert parts.heads == whole.heads
    assert len(parts.heads) == 9


def test_heads_are_in_proportion_to_the_classes(rng: np.random.Generator) -> None:
    X, classes = rng.random((100, 5)), np.repeat(["large", "middle", "small"], [60, 30, 10])
    for n_prototypes, expected in ((10, (6, 3, 1)), (20, (12, 6, 2)), (4, (2, 1, 1)), (3, (1, 1, 1))):
        heads = RelationFeatures(n_prototypes).fit(X, classes).class_heads_
        assert tuple(len(heads[name]) for name in ("large", "middle", "small")) == expected


def test_shares_are_webster_s_with_one_for_everybody() -> None:
    sizes = np.array([53, 24, 23, 2, 0])
    turns = list(shares(sizes, np.zeros(5)))
    assert turns[:4] == [0, 1, 2, 3]
    assert np.bincount(turns, minlength=5).tolist() == sizes.tolist()
    for n_turns in range(4, 60):
        held = np.bincount(turns[:n_turns], minlength=5)[:4]
        # Webster: whoever has a seat beyond the first has a claim to it no smaller than another's claim to one more
        last = max(sizes[i] / (2 * held[i] + 1) for i in range(4) if held[i] < sizes[i])
        assert all(sizes[i] / (2 * held[i] - 1) >= last for i in range(4) if held[i] > 1)


def test_a_record_may_be_a_head_of_several_classes(planted: Planted) -> None:
    X, Y = planted.training
    features = RelationFeatures(40).fit(X, Y)
    heads = list(features.class_heads_.values())
    assert set(features.prototype_indices_) == set(np.concatenate(heads))
    assert sum(map(len, heads)) > 40
    sizes = Y.toarray().sum(axis=0)
    np.testing.assert_allclose(list(map(len, heads)), sizes * sum(map(len, heads)) / sizes.sum(), atol=1)
    for topic, rows in enumerate(heads):
        assert Y.toarray()[rows, topic].all()


def test_classes_that_hold_the_same_records_have_the_same_heads(rng: np.random.Generator) -> None:
    X = rng.random((30, 4))
    features = RelationFeatures(7).fit(X, [{"a", "b"}] * 30)
    alone = RelationFeatures(7).fit(X)
    np.testing.assert_array_equal(features.prototype_indices_, alone.prototype_indices_)
    np.testing.assert_array_equal(features.class_heads_["a"], alone.class_heads_[None])


def test_order_and_names_of_the_classes_do_not_matter(planted: Planted, rng: np.random.Generator) -> None:
    X, Y = planted.training
    for n_prototypes in (7, 25, 50):
        features = RelationFeatures(n_prototypes).fit(X, Y)
        order = rng.permutation(6)
        other = RelationFeatures(n_prototypes).fit(X, LabelMatrix.from_matrix(Y[:, order], names=list("fedcba")))
        np.testing.assert_array_equal(other.prototype_indices_, features.prototype_indices_)
        for name, column in zip("fedcba", order, strict=True):
            np.testing.assert_array_equal(other.class_heads_[name], features.class_heads_[column])


def test_classes_of_one_size_do_not_take_turns_by_their_order(rng: np.random.Generator) -> None:
    X, classes = rng.random((60, 4)), np.repeat(np.arange(6), 10)
    for n_prototypes in (8, 10, 15):  # some classes have one head more than others
        features, other = (RelationFeatures(n_prototypes).fit(X, y) for y in (classes, 5 - classes))
        np.testing.assert_array_equal(other.prototype_indices_, features.prototype_indices_)


def test_all_forms_of_labels_choose_alike(planted: Planted) -> None:
    X, Y = planted.training
    chosen = [RelationFeatures(20).fit(X, y).prototype_indices_ for y in (Y, Y.toarray(), planted.sets)]
    np.testing.assert_array_equal(chosen[0], chosen[1])
    np.testing.assert_array_equal(chosen[0], chosen[2])


def test_records_without_a_label_are_a_class_of_their_own(rng: np.random.Generator) -> None:
    X = rng.random((40, 3))
    y = [{"a"}] * 20 + [None] * 15 + [set()] * 5
    heads = RelationFeatures(8).fit(X, y).class_heads_
    assert {name: len(rows) for name, rows in heads.items()} == {"a": 4, None: 4}
    assert heads[None].min() >= 20
    assert None not in RelationFeatures(8).fit(X[:20], y[:20]).class_heads_
    nobody, alone = RelationFeatures(8).fit(X, [None] * 40), RelationFeatures(8).fit(X)
    np.testing.assert_array_equal(nobody.prototype_indices_, alone.prototype_indices_)


def test_a_label_that_nobody_has_has_no_head(rng: np.random.Generator) -> None:
    X, Y = rng.random((12, 3)), np.tile([1, 0], (12, 1))
    assert RelationFeatures(3).fit(X, Y).class_heads_[1].size == 0


def test_random_prototypes_do_not_depend_on_labels(planted: Planted) -> None:
    X, Y = planted.training
    with_labels = RelationFeatures(ratio=0.6).fit(X, Y)
    np.testing.assert_array_equal(RelationFeatures(ratio=0.6).fit(X).prototype_indices_, with_labels.prototype_indices_)


@pytest.mark.parametrize("selection", ["random", "centres"])
def test_the_same_seed_chooses_the_same(planted: Planted, selection: str) -> None:
    X, Y = planted.training
    model = RelationFeatures(20, selection=selection, measure="gaussian", random_state=5)
    np.testing.assert_array_equal(clone(model).fit_transform(X, Y), model.fit(X, Y).transform(X))
    other = clone(model).set_params(random_state=6).fit(X, Y)
    assert set(other.prototype_indices_) != set(model.prototype_indices_)


@pytest.mark.parametrize("measure", MEASURES)
def test_sparse_is_dense(planted: Planted, measure: str) -> None:
    X, Y = planted.training
    settings = {"n_prototypes": 25, "measure": measure, "power": 3}
    sparse, dense = RelationFeatures(**settings).fit(X, Y), RelationFeatures(**settings).fit(X.toarray(), Y)
    np.testing.assert_array_equal(sparse.prototype_indices_, dense.prototype_indices_)
    new = planted.new[0]
    expected = dense.transform(new.toarray())
    for model, rows in ((sparse, new), (sparse, new.toarray()), (dense, new)):
        np.testing.assert_allclose(model.transform(rows), expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("measure", MEASURES)
def test_float32_is_kept_and_as_exact_as_it_can_be(rng: np.random.Generator, measure: str, form: Any) -> None:
    X = some_records(rng).astype(np.float32)
    model = RelationFeatures(measure=measure, power=1).fit(form(X))
    R = model.transform(form(X))
    assert (R.dtype, model.prototypes_.dtype) == (np.float32, np.float32)
    double = RelationFeatures(measure=measure, power=1).fit(form(X.astype(np.float64)))
    np.testing.assert_allclose(R, double.transform(form(X.astype(np.float64))), rtol=3e-7, atol=1e-12)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
@pytest.mark.parametrize(("measure", "power"), [("euclidean", 2), ("minkowski", 1), ("minkowski", 3)])
def test_distances_of_records_that_nearly_coincide_keep_their_digits(
    rng: np.random.Generator, measure: str, power: float, form: Any
) -> None:
    X = rng.random((10, 6)) * 1000
    model = RelationFeatures(ratio=1, measure=measure, power=power).fit(form(X))
    assert (np.diag(model.transform(form(X))) == 0).all()
    moved = X + rng.choice([-1, 1], X.shape) * 2.0**-20
    np.testing.assert_allclose(np.diag(model.transform(form(moved))), 2.0**-20 * 6 ** (1 / power), rtol=1e-12)


def test_a_common_offset_costs_no_digits(rng: np.random.Generator) -> None:
    X = rng.standard_normal((20, 5)).round(3)
    far = RelationFeatures(ratio=1).fit_transform(X + 2.0**24)
    np.testing.assert_allclose(far, cdist(X, X), rtol=1e-6, atol=1e-7)


def test_entries_that_are_stored_twice_are_added_and_left_as_they_are() -> None:
    X = sp.csr_array((np.array([1.0, 2, 3, 4]), np.array([1, 1, 0, 1]), np.array([0, 2, 4])), shape=(2, 2))
    R = RelationFeatures(ratio=1, measure="minkowski", power=1).fit_transform(X)
    np.testing.assert_allclose(R, [[0, 4], [4, 0]])
    assert X.nnz == 4


@pytest.mark.parametrize("measure", MEASURES)
def test_many_blocks_of_records_are_one(rng: np.random.Generator, measure: str) -> None:
    """1,100 prototypes make blocks of fewer than 1,000 records."""
    X, P = sp.random_array((1200, 40), density=0.2, rng=rng).tocsr(), rng.random((1100, 40))
    for prototypes in (sp.csr_array(P * (P < 0.2)), P):
        settings = {"power": 1.0, "degree": 2, "width": 2.0}
        whole = relations(X, prototypes, measure, **settings)
        parts = [relations(X[rows], prototypes, measure, **settings) for rows in np.array_split(np.arange(1200), 3)]
        np.testing.assert_allclose(whole, np.concatenate(parts), rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("measure", MEASURES)
def test_sparse_records_stay_sparse(rng: np.random.Generator, measure: str) -> None:
    """The prototypes alone would take 320 MB, dense."""
    X = sp.random_array((160, 10**6), density=3e-5, rng=rng).tocsr()
    model = RelationFeatures(40, measure=measure, power=3)
    tracemalloc.start()
    try:
        model.fit(X, np.arange(160) % 3).transform(X)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 100e6


def test_the_automatic_width_is_the_median_squared_distance(rng: np.random.Generator) -> None:
    X = some_records(rng)
    for form in (np.asarray, sp.csr_array):
        model = RelationFeatures(5, measure="gaussian").fit(form(X))
        squares = cdist(X, X[model.prototype_indices_], "sqeuclidean")
        np.testing.assert_allclose(model.width_, np.median(squares[squares > 1e-20]), rtol=1e-12)
    assert RelationFeatures(5).fit(X).width_ is None


def test_a_large_collection_gets_its_width_from_a_sample(rng: np.random.Generator) -> None:
    X = rng.standard_normal((3000, 10))
    width = RelationFeatures(50, measure="gaussian", selection="random").fit(X).width_
    assert 18 < width < 22  # 2 d = 20 in the mean


def test_records_that_are_all_alike_are_related_alike() -> None:
    X = np.ones((6, 3))
    assert RelationFeatures(1, measure="gaussian").fit(X).width_ == 1
    np.testing.assert_array_equal(RelationFeatures(1, measure="gaussian").fit_transform(X), np.ones((6, 1)))
    np.testing.assert_array_equal(RelationFeatures(1, measure="pearson").fit_transform(X), np.zeros((6, 1)))


@pytest.mark.parametrize("space", [LSI(20), MLSI(5)], ids=["LSI", "MLSI"])
def test_relations_to_most_records_tell_as_much_as_the_terms(planted: Planted, space: Any) -> None:
    (X, Y), (X_new, Y_new) = planted.training, planted.new

    def quality(*steps: Any) -> float:
        scores = make_pipeline(*steps, clone(space), LabelHead("ridge")).fit(X, Y).decision_function(X_new)
        return float(roc_auc_score(Y_new.toarray(), scores, average="macro"))

    related = quality(RelationFeatures(100, measure="cosine"))
    assert related > 0.8
    assert related > quality() - 0.05


def test_columns_have_names_and_may_be_a_frame(rng: np.random.Generator) -> None:
    pd = pytest.importorskip("pandas", reason="frames are pandas'")
    X = pd.DataFrame(rng.random((12, 4)), columns=list("abcd"))
    model = RelationFeatures(3).set_output(transform="pandas")
    frame = model.fit_transform(X)
    assert list(frame.columns) == ["relationfeatures0", "relationfeatures1", "relationfeatures2"]
    assert list(model.get_feature_names_out()) == list(frame.columns)
    np.testing.assert_array_equal(frame.to_numpy(), RelationFeatures(3).fit_transform(X.to_numpy()))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"ratio": 0}, "ratio is out of range: got 0, expected a number above 0 and at most 1"),
        ({"ratio": 1.5}, "ratio is out of range: got 1.5, expected a number above 0 and at most 1"),
        ({"n_prototypes": 0}, "n_prototypes is out of range: got 0, expected a whole number of at least 1"),
        ({"n_prototypes": 0.25}, "n_prototypes is out of range: got 0.25"),
        (
            {"n_prototypes": 13},
            "n_prototypes is more than there are records: got 13, expected at most 12. Set a smaller number",
        ),
        ({"n_prototypes": 3, "ratio": 0.2}, "n_prototypes and ratio are both set: got 3 and 0.2, expected one of"),
        ({"measure": "euclidian"}, "measure is unknown: got 'euclidian', expected .* Did you mean 'euclidean'?"),
        ({"selection": "centers"}, "selection is unknown: got 'centers', expected .* Did you mean 'centres'?"),
        ({"power": 0.5}, "power is out of range: got 0.5, expected a number of at least 1"),
        ({"power": np.inf}, "power is out of range: got inf"),
        ({"degree": 1.5}, "degree is out of range: got 1.5, expected a whole number of at least 1"),
        ({"width": 0}, "width is out of range: got 0, expected a number above 0"),
        ({"width": "automatic"}, "width is unknown: got 'automatic', expected one of 'auto'"),
        ({"random_state": "seed"}, "random_state is not a seed: got 'seed'"),
    ],
)
def test_a_bad_parameter_is_one_clear_sentence(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        RelationFeatures(**settings).fit(np.eye(12))


def test_bad_records_and_labels_are_refused() -> None:
    with pytest.raises(InputError, match="X contains NaN: the first one is in row 1"):
        RelationFeatures().fit([[1.0, 2], [np.nan, 1], [0, 1]])
    with pytest.raises(InputError, match="y does not match X: got 3 rows for 4 records"):
        RelationFeatures().fit(np.eye(4), ["a", "b", "a"])
    with pytest.raises(ValueError, match="X has 3 features, but RelationFeatures is expecting 4"):
        RelationFeatures().fit(np.eye(4)).transform(np.eye(3))


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_what_overflows_is_refused(form: Any) -> None:
    large = form(np.eye(3) * 1e30)
    with pytest.raises(
        InputError, match=r"X is too large for measure='polynomial': got entries up to 1e\+30, .* Scale"
    ):
        RelationFeatures(1, measure="polynomial", degree=20).fit_transform(large)
    with pytest.raises(InputError, match=r"X is too large for measure='dot': .* that float32 can hold"):
        RelationFeatures(1, measure="dot").fit_transform(large.astype(np.float32))
    with pytest.raises(InputError, match=r"X is too large for distances between records: got entries up to 1e\+200"):
        RelationFeatures(2, selection="centres").fit(form(np.eye(3) * 1e200))
    with pytest.raises(InputError, match="X is too large for measure='cosine'"):
        RelationFeatures(1, measure="cosine").fit_transform(form(np.eye(3) * 1e200))


def test_fewer_prototypes_than_classes_are_told(rng: np.random.Generator) -> None:
    X, classes = rng.random((20, 3)), ["a"] * 10 + ["b"] * 6 + ["c"] * 3 + ["d"]
    message = "there are fewer prototypes than classes: 2 for 4, so that 2 of the smallest classes have no head"
    with pytest.warns(TacitWarning, match=message):
        features = RelationFeatures(2).fit(X, classes)
    assert [len(heads) for heads in features.class_heads_.values()] == [1, 1, 0, 0]


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_copies_are_taken_last_and_told(form: Any) -> None:
    X = np.repeat([[0.1, 0.7], [0.3, 0.2], [0.9, 0.4]], 10, axis=0)
    assert len(np.unique(X[RelationFeatures(3).fit(form(X)).prototype_indices_], axis=0)) == 3
    with pytest.warns(TacitWarning, match="the classes have 3 different heads for 5 prototypes, so that 2 of the"):
        features = RelationFeatures(5).fit(form(X))
    assert len(set(features.prototype_indices_)) == 5
    assert len(features.class_heads_[None]) == 3


def test_a_class_of_copies_leaves_its_share_to_the_others(rng: np.random.Generator) -> None:
    X = np.concatenate([np.ones((40, 3)), rng.random((20, 3))])
    heads = RelationFeatures(10).fit(X, ["copies"] * 40 + ["others"] * 20).class_heads_
    assert {name: len(rows) for name, rows in heads.items()} == {"copies": 1, "others": 9}
