"""HLSI: forms and their reasons, positions of training records, classes, landmarks, pipelines, bad input."""

from __future__ import annotations

import pickle
import re
import warnings
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from pairwise import pairwise
from planted import TOPIC_TREE, Planted, plant
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from spaces import up_to_sign

from tacit import HLSI, LSI, InputError, LabelHead, TacitWarning, Taxonomy
from tacit.evaluate import f1
from tacit.models.common import kernels, record_kernel
from tacit.relations import as_labels

K = 6
TREE = Taxonomy.from_nested(TOPIC_TREE)
SOLVERS = ["primal", "dual", "products"]
KINDS = ["honest", "in-sample", "transductive"]
POWERS = {"unit": 0, "damped": 1 / 4, "weighted": 1 / 2}  # of μ
SMALL = np.array([[2.0, 1, 0, 0], [1, 2, 0, 0], [0, 0, 2, 1], [0, 0, 1, 2], [1, 0, 0, 1]])
ANIMALS = Taxonomy.from_nested({"animals": ["cats", "dogs"], "plants": ["trees"]})
NAMES = ["cats", "dogs", "trees", "trees", "animals"]

each_solver = pytest.mark.parametrize("solver", SOLVERS)


@pytest.fixture(scope="module")
def larger() -> Planted:
    return plant(1500, 0, n_terms=1200)


def test_classes_hold_together(planted: Planted) -> None:
    """Spread of new records within their topics, beside their whole spread: less than in a space of words."""
    X, _ = planted.training
    new, topics = planted.new

    def narrowness(space: Any) -> float:
        positions = space.transform(new)
        positions = (positions - positions.mean(axis=0)) / positions.std(axis=0)
        return float(np.mean([positions[column > 0].var(axis=0).mean() for column in topics.toarray().T]))

    informed, plain = HLSI(K, taxonomy=TREE).fit(X, planted.sets), LSI(K).fit(X)
    assert narrowness(informed) < narrowness(plain) - 0.1


def test_the_tree_counts(planted: Planted) -> None:
    """Topics below one node are drawn nearer to each other than a flat list of the same labels draws them."""
    X = planted.training[0]

    def share(taxonomy: Taxonomy | None) -> float:
        """Distances within "inner" beside those from it to all other topics."""
        model = HLSI(K, taxonomy=taxonomy, gamma=0.1).fit(X, planted.sets)
        places = dict(zip(model.classes_, model.class_coordinates(), strict=True))
        inner = [places["topic 1"], places["topic 2"]]
        others = [places[f"topic {j}"] for j in (0, 3, 4, 5)]
        apart = np.mean([np.linalg.norm(a - b) for a in inner for b in others])
        return float(np.linalg.norm(inner[0] - inner[1]) / apart)

    assert share(TREE) < share(None)


@pytest.mark.parametrize(
    ("shape", "form", "reason"),
    [
        ((20, 50), "dual", "the smaller side of (20, 50) is at most 30"),
        ((50, 20), "primal", "the smaller side of (50, 20) is at most 30"),
        ((50, 40), "products", "both sides of (50, 40) are above 30"),
    ],
)
def test_auto_takes_the_form_that_fits_the_size(
    monkeypatch: pytest.MonkeyPatch, shape: tuple[int, int], form: str, reason: str
) -> None:
    monkeypatch.setattr(record_kernel, "DENSE_LIMIT", 30)
    rng = np.random.default_rng(0)
    X, y = rng.random(shape), rng.integers(0, 4, shape[0])
    model = HLSI(3).fit(X, y)
    assert (model.solver_, model.solver_reason_) == (form, reason)
    assert bool(model.solution_) == (form == "products")
    asked = HLSI(3, solver="dual").fit(X, y)
    assert (asked.solver_, asked.solver_reason_) == ("dual", "asked for")
    np.testing.assert_allclose(model.costs_, asked.costs_, rtol=1e-3)


@pytest.mark.parametrize("membership", ["shared", "whole"])
def test_every_form_seed_and_order_gives_the_same_space(larger: Planted, membership: str) -> None:
    """To 1.5 % of the inner products of positions, with the default tolerance and dimensions beside the classes."""
    X, sets = larger.training[0].astype(np.float32), larger.sets

    def space(rows: Any = slice(None), **settings: Any) -> Any:
        model = HLSI(40, taxonomy=TREE, membership=membership, **settings)
        return model.fit(X[rows], [sets[i] for i in np.arange(1500)[rows]]).transform(X).astype(np.float64)

    exact = space(solver="dual")
    shuffled = np.random.default_rng(0).permutation(1500)
    others = {
        "primal": space(solver="primal"),
        "products": space(solver="products"),
        "another seed": space(solver="products", random_state=1),
        "shuffled": space(shuffled, solver="products"),
    }
    for name, found in others.items():
        assert np.linalg.norm(found @ found.T - exact @ exact.T) < 0.015 * np.linalg.norm(exact @ exact.T), name


def test_a_kernel_is_held_as_a_matrix(planted: Planted) -> None:
    model = HLSI(K, kernel="rbf").fit(*planted.training)
    assert (model.solver_, model.solver_reason_) == ("dual", "kernel='rbf' is held as a matrix")
    assert not hasattr(model, "components_")
    assert not hasattr(model, "term_loadings_")


@pairwise(solver=SOLVERS, kind=KINDS, scaling=POWERS)
def test_fit_transform_gives_the_positions_that_were_asked_for(
    planted: Planted, solver: str, kind: str, scaling: str
) -> None:
    X = planted.training[0]
    model = HLSI(K, taxonomy=TREE, coordinates=kind, solver=solver, scaling=scaling, tol=1e-6)
    positions = model.fit_transform(X, planted.sets)
    if (solver, kind) != ("products", "honest"):  # which are estimated with the probes that come next
        np.testing.assert_allclose(positions, model.training_coordinates(X, planted.sets, kind), atol=1e-9)
    if kind == "in-sample":
        np.testing.assert_array_equal(positions, model.transform(X))
    unit = HLSI(K, taxonomy=TREE, coordinates=kind, solver=solver, scaling="unit", tol=1e-6)
    expected = unit.fit_transform(X, planted.sets) * unit.eigenvalues_ ** POWERS[scaling]
    np.testing.assert_allclose(positions, expected, atol=1e-9)


@each_solver
def test_unit_positions_are_orthonormal_and_centred(planted: Planted, solver: str) -> None:
    X = planted.training[0]
    V = HLSI(K, taxonomy=TREE, scaling="unit", solver=solver, tol=1e-6).fit(X, planted.sets).transform(X)
    np.testing.assert_allclose(V.T @ V, np.eye(K), atol=1e-9)
    np.testing.assert_allclose(V.sum(axis=0), 0, atol=1e-9)


def test_honest_is_the_default_and_not_what_transform_gives(planted: Planted) -> None:
    X = planted.training[0]
    model = HLSI(K, taxonomy=TREE)
    honest = model.fit_transform(X, planted.sets)
    in_sample = model.transform(X)
    np.testing.assert_array_equal(honest, HLSI(K, taxonomy=TREE, coordinates="honest").fit_transform(X, planted.sets))
    assert np.linalg.norm(honest - in_sample) > 0.1 * np.linalg.norm(in_sample)


def test_honest_positions_are_spread_like_those_of_new_records(planted: Planted) -> None:
    X = planted.training[0]
    model = HLSI(K, taxonomy=TREE)
    honest = model.fit_transform(X, planted.sets)
    size_of_new = np.mean(model.transform(planted.new[0]) ** 2)
    flattered = np.mean(model.transform(X) ** 2) / size_of_new - 1
    assert flattered > 0.4
    assert np.mean(honest**2) / size_of_new - 1 < flattered / 2


@pytest.mark.parametrize(("gamma", "most"), [(10, 0.03), (0.3, 0.08), (0.03, 0.1)])
@pytest.mark.parametrize("membership", ["shared", "whole"])
def test_products_estimate_honest_positions(larger: Planted, membership: str, gamma: float, most: float) -> None:
    """Leverages are small or near 1; with a small gamma, five folds are farther away from leaving out one record."""
    X, sets = larger.training[0], larger.sets
    settings: dict[str, Any] = {"taxonomy": TREE, "membership": membership, "gamma": gamma, "scaling": "unit"}
    exact = HLSI(5, solver="dual", **settings).fit_transform(X, sets)
    estimated = HLSI(5, solver="products", tol=1e-5, **settings).fit_transform(X, sets)
    assert np.linalg.norm(up_to_sign(estimated, exact) - exact) < most * np.linalg.norm(exact)


def test_records_of_unknown_labels_find_each_other(larger: Planted) -> None:
    """Better than in a space of the others; with no class at all they are drawn away from everything labelled."""
    X, sets = larger.training[0], larger.sets
    unknown = np.random.default_rng(0).random(1500) < 0.8
    topics = larger.training[1].toarray()
    common = topics @ topics.T
    overlap = common / (topics.sum(axis=1)[:, None] + topics.sum(axis=1) - common)

    def found(positions: Any, rows: Any) -> float:
        """Mean overlap of the topics with those of the ten nearest records."""
        P = positions[rows] / np.linalg.norm(positions[rows], axis=1)[:, None]
        near = np.argsort(2 * np.eye(len(P)) - P @ P.T, axis=1)[:, :10]
        return float(np.mean(overlap[np.ix_(rows, rows)][np.arange(len(P))[:, None], near]))

    def space(empty: Any) -> Any:
        labels = [empty if hidden else each for hidden, each in zip(unknown, sets, strict=True)]
        return HLSI(K, taxonomy=TREE, coordinates="transductive", tol=1e-4).fit_transform(X, labels)

    others = HLSI(K, taxonomy=TREE, coordinates="transductive", tol=1e-4)
    folded = np.empty((1500, K))
    known = np.flatnonzero(~unknown)
    folded[known] = others.fit_transform(X[known], [sets[i] for i in known])
    folded[unknown] = others.transform(X[np.flatnonzero(unknown)])
    expected, empty = space(None), space(set())
    everything = np.ones(1500, dtype=bool)
    assert found(expected, unknown) > found(folded, unknown) + 0.005
    assert found(expected, unknown) > found(empty, unknown) + 0.08
    assert found(expected, everything) > found(folded, everything) + 0.005


def test_classes_stand_where_their_known_records_do(planted: Planted) -> None:
    X = planted.training[0]
    sets: list[Any] = [None if i % 2 else labels for i, labels in enumerate(planted.sets)]
    model = HLSI(K, taxonomy=TREE).fit(X, sets)
    positions = model.transform(X)
    for name, place in zip(model.classes_, model.class_coordinates(), strict=True):
        below = {name, *(node for node in TREE.names if name in TREE.ancestors(node))}
        members = [i for i, labels in enumerate(sets) if labels is not None and labels & below]
        np.testing.assert_allclose(place, positions[members].mean(axis=0), atol=1e-9)


def test_unknown_labels_must_be_those_of_the_fit(planted: Planted) -> None:
    X = planted.training[0]
    sets: list[Any] = [None if i % 2 else labels for i, labels in enumerate(planted.sets)]
    model = HLSI(K, taxonomy=TREE).fit(X, sets)
    with refused("y is not what fit was given: got 0 records with unknown labels, expected the 60 passed to fit"):
        model.training_coordinates(X, planted.sets)
    with refused("y is not what fit was given: got 60 records with unknown labels, expected the 0 passed to fit"):
        HLSI(K, taxonomy=TREE).fit(X, planted.sets).training_coordinates(X, sets)


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize(
    "sets",
    [
        [{"cats"}, {"cats"}, {"cats"}, None, None],
        [{"cats"}, {"dogs"}, None, None, None],
        [{"cats"}, None, None, None, None],
    ],
    ids=["one class", "two equal records", "one record"],
)
def test_little_is_known(sets: Any, kernel: str) -> None:
    X = SMALL.copy()
    X[1] = X[0]
    model = HLSI(2, kernel=kernel)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        positions = model.fit_transform(X, sets)
        assert model.training_coordinates(X, sets).shape == (5, 2)
    assert positions.shape == (5, 2)
    assert np.isfinite(positions).all()


@pairwise(center=[False, True], membership=["shared", "whole"], solver=SOLVERS)
def test_a_class_stands_where_its_records_do(planted: Planted, solver: str, membership: str, center: bool) -> None:
    X = planted.training[0]
    model = HLSI(K, taxonomy=TREE, solver=solver, membership=membership, center=center).fit(X, planted.sets)
    positions = model.transform(X)
    held = [{*labels, *(above for label in labels for above in TREE.ancestors(label))} for labels in planted.sets]
    assert set(model.classes_) == set(TREE.names)
    for name, place in zip(model.classes_, model.class_coordinates(), strict=True):
        members = [i for i, names in enumerate(held) if name in names]
        np.testing.assert_allclose(place, positions[members].mean(axis=0), atol=1e-9)


@pytest.mark.parametrize("n_landmarks", [None, 60])
def test_a_class_stands_where_its_records_do_in_a_kernel(planted: Planted, n_landmarks: int | None) -> None:
    X, Y = planted.training
    model = HLSI(K, kernel="rbf", n_landmarks=n_landmarks).fit(X, Y)
    positions = model.transform(X)
    expected = np.stack([positions[column > 0].mean(axis=0) for column in Y.toarray().T])
    np.testing.assert_allclose(model.class_coordinates_, expected, atol=1e-9)


def test_classes_of_all_or_none_take_no_part(planted: Planted) -> None:
    X = planted.training[0]
    deeper = Taxonomy.from_nested({"everything": TOPIC_TREE, "nothing": ["not here"]})
    first, second = HLSI(K, taxonomy=TREE).fit(X, planted.sets), HLSI(K, taxonomy=deeper).fit(X, planted.sets)
    assert set(first.classes_) == set(second.classes_) == set(TREE.names)
    np.testing.assert_allclose(second.costs_, first.costs_, rtol=1e-12)


@pytest.mark.parametrize("scaling", POWERS)
@each_solver
def test_offset_is_where_the_mean_record_would_be(planted: Planted, solver: str, scaling: str) -> None:
    X = planted.training[0]
    model = HLSI(K, taxonomy=TREE, solver=solver, scaling=scaling).fit(X, planted.sets)
    mean = X.mean(axis=0)
    np.testing.assert_allclose(model.offset_, model.components_ @ mean, atol=1e-9)
    np.testing.assert_allclose(model.transform(mean[None]), 0, atol=1e-9)
    plain = HLSI(K, taxonomy=TREE, solver=solver, scaling=scaling, center=False).fit(X, planted.sets)
    np.testing.assert_array_equal(plain.offset_, 0)
    np.testing.assert_allclose(plain.transform(np.zeros((1, 300))), 0, atol=1e-12)


@pairwise(solver=SOLVERS, center=[False, True], scaling=POWERS)
def test_positions_lead_back_to_terms(planted: Planted, solver: str, center: bool, scaling: str) -> None:
    """All dimensions give the records back, fewer their best reconstruction from these positions."""
    X = planted.training[0].toarray()[:40, :60]
    settings: dict[str, Any] = {"solver": solver, "center": center, "scaling": scaling, "tol": 1e-8}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TacitWarning)
        whole = HLSI(40, **settings).fit(X, planted.training[1][:40])
    np.testing.assert_allclose(whole.inverse_transform(whole.transform(X)), X, atol=1e-6)
    few = HLSI(4, **settings).fit(X, planted.training[1][:40])
    V, mean = few.transform(X), X.mean(axis=0) * center
    best = V @ np.linalg.lstsq(V, X - mean)[0] + mean
    np.testing.assert_allclose(few.inverse_transform(V), best, atol=1e-6)


def test_a_kernel_has_no_way_back(planted: Planted) -> None:
    model = HLSI(K, kernel="rbf").fit(*planted.training)
    with pytest.raises(InputError, match="kernel='rbf' has no inverse: only with kernel='linear'"):
        model.inverse_transform(np.ones((1, K)))


def test_a_second_fit_with_another_kernel_forgets_the_first(planted: Planted) -> None:
    X, Y = planted.training
    for first, second in (("linear", "rbf"), ("rbf", "linear")):
        fresh = HLSI(K, kernel=second).fit(X, Y)
        again = HLSI(K, kernel=first).fit(X, Y).set_params(kernel=second).fit(X, Y)
        assert vars(again).keys() == vars(fresh).keys()
        np.testing.assert_array_equal(again.transform(X), fresh.transform(X))


def test_more_landmarks_come_nearer_to_the_kernel(planted: Planted) -> None:
    X = planted.training[0]
    settings: dict[str, Any] = {"taxonomy": TREE, "kernel": "rbf", "kernel_params": {"gamma": 0.01}}
    exact = HLSI(K, **settings).fit(X, planted.sets)
    gaps = []
    for n_landmarks in (20, 80, 119):
        model = HLSI(K, n_landmarks=n_landmarks, **settings)
        honest = model.fit_transform(X, planted.sets)
        assert model.reference_records_.shape == (n_landmarks, 300)
        assert model.dual_components_.shape == (K, n_landmarks)
        np.testing.assert_allclose(honest, model.training_coordinates(X, planted.sets, "honest"), atol=1e-9)
        gaps.append(np.abs(model.eigenvalues_ / exact.eigenvalues_ - 1).max())
    assert gaps[0] > gaps[1] > gaps[2]
    assert gaps[2] < 0.05


def test_large_collections_take_landmarks_and_say_so(planted: Planted, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernels, "EXACT_LIMIT", 100)
    monkeypatch.setattr(kernels, "DEFAULT_LANDMARKS", 50)
    with pytest.warns(TacitWarning, match="used 50 Nyström landmarks"):
        HLSI(K, kernel="rbf").fit(*planted.training)


@pytest.mark.parametrize("form", ["matrix", "sparse", "sets", "classes", "LabelMatrix"])
def test_a_pipeline_learns_to_label_new_records(planted: Planted, form: str) -> None:
    X, Y = planted.training
    new, topics = planted.new
    y = {
        "matrix": Y.toarray(),
        "sparse": Y,
        "sets": planted.sets,
        "classes": Y.toarray().argmax(axis=1),
        "LabelMatrix": as_labels(planted.sets),
    }[form]

    def score(space: Any) -> float:
        """Share of right classes, or F1 of label sets."""
        predicted = make_pipeline(space, LabelHead("ridge", normalise=False, random_state=0)).fit(X, y).predict(new)
        if form == "classes":
            return float((topics.toarray()[np.arange(80), predicted] == 1).mean())
        return f1(topics, predicted).micro

    assert score(HLSI(K)) > score(LSI(K)) + 0.1


def test_a_pipeline_with_a_taxonomy(planted: Planted) -> None:
    X, new = planted.training[0], planted.new[0]
    head = LabelHead("ridge", normalise=False, random_state=0)
    pipeline = make_pipeline(HLSI(K, taxonomy=TREE), head).fit(X, planted.sets)
    assert f1(planted.new[1], pipeline.predict(new)).micro > 0.6
    assert pipeline[0].taxonomy is TREE


def test_a_head_trained_on_honest_positions_is_as_good_as_it_looks(planted: Planted) -> None:
    """What a head reaches on the positions it was trained with, less what it reaches on new records."""
    X, Y = planted.training
    new, topics = planted.new

    def flattery(kind: str) -> float:
        space = HLSI(K, coordinates=kind)
        positions = space.fit_transform(X, Y)
        head = LabelHead("ridge", thresholds="zero", calibrate=False, normalise=False).fit(positions, Y)
        return f1(Y, head.predict(positions)).micro - f1(topics, head.predict(space.transform(new))).micro

    assert flattery("honest") < 0.1
    assert flattery("in-sample") > 0.2


def test_a_copy_learns_the_same(planted: Planted) -> None:
    X = planted.training[0]
    model = HLSI(K, taxonomy=TREE, gamma=0.4, kernel="rbf", kernel_params={"gamma": 0.02}, random_state=3)
    assert clone(model).get_params().keys() == model.get_params().keys()
    assert clone(model).get_params()["gamma"] == 0.4
    first, second = model.fit(X, planted.sets), clone(model).fit(X, planted.sets)
    np.testing.assert_array_equal(first.dual_components_, second.dual_components_)
    again = pickle.loads(pickle.dumps(first))
    np.testing.assert_array_equal(again.transform(X), first.transform(X))
    assert again.classes_ == first.classes_


def test_dimensions_have_names(planted: Planted) -> None:
    assert list(HLSI(3).fit(*planted.training).get_feature_names_out()) == ["hlsi0", "hlsi1", "hlsi2"]


def test_reports_of_the_search_are_kept(planted: Planted) -> None:
    model = HLSI(K, solver="products", tol=1e-4).fit(*planted.training)
    assert len(model.solution_) == 3  # leading directions, those beside the classes, and the space
    assert model.solution_[2].converged
    assert model.solution_[2].residuals.max() <= 1e-4
    assert model.n_iter_ == max(report.iterations for report in model.solution_)
    assert HLSI(K, solver="dual").fit(*planted.training).solution_ == ()


def test_a_good_fit_is_silent(planted: Planted) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for solver in SOLVERS:
            HLSI(K, taxonomy=TREE, solver=solver).fit_transform(planted.training[0], planted.sets)


def test_the_search_can_be_stopped(planted: Planted) -> None:
    with pytest.warns(TacitWarning, match="the search for the space stopped after 1 iterations .* above tol=1e-10"):
        HLSI(K, solver="products", tol=1e-10, max_iter=1).fit(*planted.training)


# what is refused, and what is only said


def refused(match: str) -> Any:
    return pytest.raises(InputError, match=match)


@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
@pytest.mark.parametrize(("value", "kind"), [(np.nan, "NaN"), (np.inf, "infinity")])
def test_values_that_are_no_numbers(value: float, kind: str, container: Any) -> None:
    bad = SMALL.copy()
    bad[3, 2] = value
    expected = re.escape(f"X contains {kind}: the first one is in row 3. Replace or drop such values.")
    with refused(expected):
        HLSI(2).fit(container(bad), NAMES)
    with refused(expected):
        HLSI(2).fit(SMALL, NAMES).transform(container(bad))


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (None, r"y is missing: .* Pass a 0/1 matrix, a list of label sets, or one class per record\."),
        ([None] * 5, "y has no labels: got 5 records and none of them labelled.* Use LSI for a space without labels"),
        ([set()] * 5, "y has no labels: got 5 records and none of them labelled"),
        (np.zeros((5, 2)), "y has no labels: got 5 records and none of them labelled"),
        (NAMES[:4], "y does not match X: got 4 rows for 5 records"),
        (["cats", "dgos", "trees", "trees", "animals"], r"not nodes: got 'dgos'.*nodes of the taxonomy"),
    ],
)
def test_labels_that_will_not_do(y: Any, message: str) -> None:
    with refused(message):
        HLSI(2, taxonomy=ANIMALS if not isinstance(y, np.ndarray) else None).fit(SMALL, y)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"taxonomy": {"cats": "animals"}}, r"taxonomy is not a Taxonomy: got dict.*Taxonomy\.from_parents"),
        ({"gamma": 0}, "gamma .*got 0"),
        ({"gamma": -1}, "gamma .*got -1"),
        ({"gamma": np.nan}, "gamma .*got nan"),
        ({"gamma": "much"}, "gamma .*got 'much'"),
        ({"tol": 0}, "tol .*got 0"),
        ({"membership": "half"}, "membership .*got 'half'.*shared.*whole"),
        ({"scaling": "loud"}, "scaling .*got 'loud'"),
        ({"coordinates": "insample"}, "coordinates .*got 'insample'.*in-sample"),
        ({"solver": "fast"}, "solver .*got 'fast'"),
        ({"kernel": "rfb"}, "kernel .*got 'rfb'"),
        ({"n_components": 0}, "n_components .*got 0"),
        ({"max_iter": 0}, "max_iter .*got 0"),
        ({"n_landmarks": 0, "kernel": "rbf"}, "n_landmarks .*got 0"),
        ({"kernel": "rbf", "solver": "primal"}, "solver='primal' needs the linear kernel: got kernel='rbf'"),
        ({"kernel": "rbf", "solver": "products"}, "solver='products' needs the linear kernel.* Use solver='auto'"),
        ({"kernel": "precomputed"}, r"X is not a kernel matrix: got shape \(5, 4\)"),
    ],
)
def test_parameters_that_will_not_do(params: dict[str, Any], message: str) -> None:
    with refused(message):
        HLSI(**{"n_components": 2, **params}).fit(SMALL, NAMES)
    with refused(message):
        HLSI(**{"n_components": 2, **params}).fit_transform(SMALL, NAMES)


def test_a_kernel_that_is_none() -> None:
    indefinite = np.array([[1.0, 2], [2, 1]])
    with refused("the record kernel is not positive semi-definite: got an eigenvalue of .*Use another kernel"):
        HLSI(1, kernel="precomputed").fit(indefinite, ["a", "b"])
    with refused("X is not symmetric: got k"):
        HLSI(1, kernel="precomputed").fit(np.array([[1.0, 2], [0, 1]]), ["a", "b"])


@pytest.mark.parametrize("center", [False, True])
@each_solver
def test_one_record(solver: str, center: bool) -> None:
    model = HLSI(1, solver=solver, center=center, scaling="unit")
    if center:
        with refused(r"X has rank 0 after centring: got n_samples=1 records that are all equal, expected some diff"):
            model.fit([[1.0, 2.0]], [{"a"}])
    else:
        placed = model.fit([[1.0, 2.0]], [{"a"}]).transform([[1.0, 2.0], [2.0, 4.0]])
        np.testing.assert_allclose(np.abs(placed), [[1], [2]], rtol=1e-9)
        assert model.classes_ == ()


@pairwise(solver=SOLVERS, container=[np.asarray, sp.csr_array], dtype=[np.float32, np.float64])
def test_records_that_are_all_the_same(solver: str, container: Any, dtype: Any) -> None:
    X = container(np.tile(np.random.default_rng(0).random((1, 7)), (50, 1)).astype(dtype))
    with refused("X has rank 0 after centring: got n_samples=50 records that are all equal, expected some difference"):
        HLSI(2, solver=solver).fit(X, ["a"] * 25 + ["b"] * 25)


def test_records_that_are_all_the_same_for_a_kernel() -> None:
    X = np.tile(np.random.default_rng(0).random((1, 7)), (50, 1))
    for settings in ({}, {"n_landmarks": 10}):
        with refused("X has rank 0 after centring: got n_samples=50 records that are all equal"):
            HLSI(2, kernel="rbf", **settings).fit(X, ["a"] * 25 + ["b"] * 25)


@each_solver
def test_one_class_that_holds_everyone_is_a_centred_lsi(planted: Planted, solver: str) -> None:
    """It is the root under another name: all that is left is the total scatter."""
    X = planted.training[0]
    model = HLSI(3, solver=solver, tol=1e-8, scaling="unit").fit(X, ["all"] * 120)
    assert model.classes_ == ()
    assert model.class_coordinates_.shape == (0, 3)
    plain = LSI(3, center=True, scaling="unit", tol=1e-10).fit(X).transform(X)
    np.testing.assert_allclose(up_to_sign(model.transform(X), plain), plain, atol=1e-5)


@each_solver
def test_classes_that_are_points(solver: str) -> None:
    """No scatter within classes: gamma falls back on the length of the records, and nothing is divided by zero."""
    X = np.repeat(np.random.default_rng(0).random((4, 6)), 5, axis=0)
    model = HLSI(3, gamma=0.5, solver=solver, membership="whole").fit(X, np.repeat(list("abcd"), 5))
    within = np.sum(np.square(X - X.mean(axis=0)))  # the root's; the classes themselves have none
    assert model.gamma_ == pytest.approx(0.5 * within / 20)
    same = HLSI(1, gamma=0.5, solver=solver, center=False).fit(np.ones((4, 3)), list("aabb"))
    assert same.gamma_ == pytest.approx(0.5 * 3)
    assert np.isfinite(model.fit_transform(X, np.repeat(list("abcd"), 5))).all()


@pairwise(solver=SOLVERS, center=[False, True], container=[np.asarray, sp.csr_array])
def test_more_dimensions_than_there_are(solver: str, center: bool, container: Any) -> None:
    rank = "the rank of the records less their mean" if center else "the rank of the records"
    with pytest.warns(TacitWarning, match=rf"^n_components=9 is more than {rank}: kept 4 dimensions\.$"):
        model = HLSI(9, solver=solver, center=center, taxonomy=ANIMALS, scaling="unit").fit(container(SMALL), NAMES)
    V = model.transform(SMALL)
    np.testing.assert_allclose(V.T @ V, np.eye(4), atol=1e-8)


@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
def test_records_without_words(container: Any) -> None:
    empty = container(np.vstack([SMALL, np.zeros((2, 4))]))
    with pytest.warns(TacitWarning, match=r"^2 of 7 records have no terms: they are at the origin of the space"):
        model = HLSI(2, center=False).fit(empty, [*NAMES, "cats", "dogs"])
    np.testing.assert_allclose(model.transform(empty)[5:], 0, atol=1e-12)
    with refused("X has no entries: got 5 records without any term"):
        HLSI(2).fit(container(np.zeros((5, 4))), NAMES)


@pytest.mark.parametrize("coordinates", KINDS)
@each_solver
def test_records_that_come_twice(planted: Planted, solver: str, coordinates: str) -> None:
    """Each has a place and the same one, but for honest positions, where one copy tells of the other's labels."""
    X, sets = planted.training[0][:60], planted.sets[:60]
    model = HLSI(3, taxonomy=TREE, solver=solver, coordinates=coordinates)
    positions = model.fit_transform(sp.vstack([X, X], format="csr"), [*sets, *sets])
    assert np.isfinite(positions).all()
    if (coordinates, solver) != ("honest", "products"):
        np.testing.assert_allclose(positions[:60], positions[60:], atol=1e-9)


def test_a_dense_matrix_that_does_not_fit_is_refused(monkeypatch: pytest.MonkeyPatch, planted: Planted) -> None:
    monkeypatch.setattr(kernels, "available_memory", lambda: 10**5)
    X, Y = planted.training
    with refused("there are too many records for a dense matrix of all their pairs: got 120.* Use solver='auto'"):
        HLSI(2, solver="dual").fit(X, Y)
    with refused("there are too many terms for a dense matrix of all their pairs: got 300.* Use solver='auto'"):
        HLSI(2, solver="primal").fit(X, Y)
    with refused("there are too many records for a dense matrix.* Set n_landmarks"):
        HLSI(2, kernel="rbf").fit(X, Y)


def test_half_a_million_records_are_refused_before_anything_is_computed() -> None:
    X = sp.csr_array((np.ones(500_000), np.arange(500_000) % 1000, np.arange(500_001)), shape=(500_000, 1000))
    with refused("there are too many records for a dense matrix of all their pairs: got 500000"):
        HLSI(2, solver="dual").fit(X, np.arange(500_000) % 3)


@pytest.mark.parametrize("call", ["transform", "inverse_transform", "training_coordinates", "class_coordinates"])
def test_questions_before_fit(call: str) -> None:
    arguments = {"training_coordinates": (SMALL, NAMES), "class_coordinates": ()}.get(call, (SMALL,))
    with pytest.raises(NotFittedError, match="This HLSI instance is not fitted yet"):
        getattr(HLSI(), call)(*arguments)


def test_a_fit_that_failed_is_no_fit() -> None:
    model = HLSI(2)
    with refused("y has no labels"):
        model.fit(SMALL, [None] * 5)
    with pytest.raises(NotFittedError, match="not fitted yet"):
        model.transform(SMALL)


def test_other_records_or_positions_than_those_of_the_fit() -> None:
    for kernel in ("linear", "rbf"):
        model = HLSI(2, kernel=kernel).fit(SMALL, NAMES)
        with refused("X is not what fit was given: got 4 records, expected the 5 records passed to fit"):
            model.training_coordinates(SMALL[:4], NAMES[:4], "honest")
        with refused("kind .*got 'exact'"):
            model.training_coordinates(SMALL, NAMES, "exact")
        with pytest.raises(ValueError, match="X has 3 features, but HLSI is expecting 4 features as input"):
            model.transform(SMALL[:, :3])
    with refused(r"positions do not belong to this space: got shape \(1, 5\), expected \(n_records, 2\)"):
        model.inverse_transform(np.ones((1, 5)))


def test_all_forms_give_the_same_positions_signs_included() -> None:
    rng = np.random.default_rng(0)
    X, y = sp.csr_array(rng.random((80, 60)) * (rng.random((80, 60)) < 0.3)), rng.integers(0, 6, 80)
    primal, dual, products = (HLSI(4, solver=form, tol=1e-9).fit(X, y).transform(X) for form in SOLVERS)
    np.testing.assert_allclose(primal, dual, atol=1e-9)
    np.testing.assert_allclose(products, dual, atol=1e-7)
