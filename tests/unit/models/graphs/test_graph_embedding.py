"""Graph embeddings on planted topics: labels help, bad graphs are refused, pieces and precision are minded."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from planted import plant
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

from tacit import (
    LE,
    LPP,
    OLPP,
    SLE,
    SLPP,
    SOLPP,
    SUSC,
    USC,
    GraphEmbedding,
    InputError,
    LabelHead,
    LabelMatrix,
    TacitWarning,
)
from tacit.evaluate import f1
from tacit.relations.graphs.graph import as_graph
from tacit.relations.graphs.label_graph import label_graph
from tacit.relations.graphs.neighbours import neighbour_graph

pytestmark = pytest.mark.filterwarnings("ignore:.*labels? (has|have) no record.*")


def chain(n: int) -> np.ndarray:
    W = np.zeros((n, n))
    W[np.arange(n - 1), np.arange(1, n)] = 1
    return W + W.T


def scattered(positions, Y) -> float:
    """Mean squared distance of records that share no topic, over that of records that share one."""
    Z = positions / np.maximum(positions.std(axis=0), 1e-12)
    distances = np.square(Z[:, None] - Z[None]).sum(axis=2)
    shared = (Y @ Y.T).toarray() > 0
    np.fill_diagonal(shared, False)
    return distances[~shared].mean() / distances[shared].mean()


@pytest.mark.parametrize(("plain", "informed"), [(LE, SLE), (USC, SUSC), (LPP, SLPP), (OLPP, SOLPP)])
def test_labels_draw_new_records_of_one_topic_together(planted, plain, informed):
    X, Y = planted.training
    new, truth = planted.new
    apart = [
        scattered(each(5, ridge=1.0, n_directions=20).fit(X, Y).transform(new), truth) for each in (plain, informed)
    ]
    assert apart[1] > apart[0]


def test_a_classifier_gains_from_labels_in_the_graph(planted):
    (X, Y), (new, truth) = planted.training, planted.new
    scores = [
        f1(truth, make_pipeline(model, LabelHead()).fit(X, Y).predict(new)).macro
        for model in (LE(6, ridge=1.0), SLE(6, ridge=1.0))
    ]
    assert scores[1] > scores[0] + 0.02


def hidden(planted, third: int = 0) -> tuple[list, np.ndarray]:
    """The topics of the training records, and which of them are known: two of three are not."""
    known = np.arange(120) % 3 == third
    return [labels if kept else None for labels, kept in zip(planted.sets, known, strict=True)], known


def found_topics(positions, Y) -> float:
    """The share of the five nearest records, by cosine, that share a topic."""
    units = positions / np.maximum(np.linalg.norm(positions, axis=1, keepdims=True), 1e-12)
    cosines = units @ units.T
    np.fill_diagonal(cosines, -2)
    nearest = np.argsort(-cosines, axis=1)[:, :5]
    return float(np.take_along_axis((Y @ Y.T).toarray() > 0, nearest, axis=1).mean())


@pytest.mark.parametrize("model", [SLE, SLPP])
def test_unknown_is_not_empty(planted, model):
    """As records without labels they would be found worse, and the whole collection with them."""
    (X, Y), (sets, known) = planted.training, hidden(planted)
    own = model(6).fit(X, sets).training_coordinates(X)
    empty = model(6).fit(X, [labels or set() for labels in sets]).training_coordinates(X)
    assert found_topics(own[~known], Y[~known]) > found_topics(empty[~known], Y[~known])
    assert found_topics(own, Y) > found_topics(empty, Y)


@pytest.mark.parametrize("model", [SLE, SUSC, SLPP, SOLPP])
def test_a_record_of_unknown_labels_is_where_its_words_put_it(planted, model):
    X, (sets, known) = planted.training[0], hidden(planted)
    fitted = model(4).fit(X, sets)
    by_words = fitted.transform(X)
    for kind in ("transductive", "honest"):
        np.testing.assert_allclose(fitted.training_coordinates(X, kind)[~known], by_words[~known], atol=1e-10)
    again = model(4)
    np.testing.assert_allclose(again.fit_transform(X, sets), fitted.training_coordinates(X, "honest"), atol=1e-10)


@pytest.mark.parametrize("model", [SUSC, SOLPP])
def test_where_they_would_take_dimensions_unknown_labels_leave_a_record_out(planted, model):
    X, (sets, known) = planted.training[0], hidden(planted)
    settings = {"tol": 1e-10} if model is SUSC else {}
    fitted = model(4, **settings).fit(X, sets)
    alone = model(4, **settings).fit(X[known], [labels for labels in sets if labels is not None])
    np.testing.assert_allclose(fitted.transform(X), alone.transform(X), atol=1e-6)


def test_unknown_labels_may_be_written_in_any_form(planted):
    X, (sets, known) = planted.training[0], hidden(planted)
    Y = planted.training[1].toarray()
    Y[~known] = np.nan
    marked = LabelMatrix.from_sets(sets, names=[f"topic {topic}" for topic in range(6)])
    for form in (Y, marked):
        np.testing.assert_allclose(SLE(4).fit(X, form).transform(X), SLE(4).fit(X, sets).transform(X), atol=1e-10)


def test_records_of_unknown_labels_shape_the_space(planted):
    X, (sets, known) = planted.training[0], hidden(planted)
    alone = SLE(4).fit(X[known], [labels for labels in sets if labels is not None])
    assert np.abs(SLE(4).fit(X, sets).costs_ - alone.costs_).max() > 1e-4


@pytest.mark.filterwarnings("ignore:n_components")
def test_labels_alone_place_the_others_by_their_words_without_a_warning(planted):
    X, (sets, known) = planted.training[0], hidden(planted)
    fitted = SLE(4, label_weight=1.0).fit(X, sets)
    alone = SLE(4, label_weight=1.0).fit(X[known], [labels for labels in sets if labels is not None])
    np.testing.assert_allclose(fitted.transform(X), alone.transform(X), atol=1e-8)
    np.testing.assert_allclose(fitted.training_coordinates(X)[~known], alone.transform(X[~known]), atol=1e-8)


@pytest.mark.parametrize("weights", ["lle", "constant"])
def test_unknown_labels_go_with_any_neighbour_graph(planted, weights):
    X, (sets, _) = planted.training[0], hidden(planted)
    for join in ("union", "mutual"):
        model = SLE(4, graph_params={"weights": weights, "join": join}).fit(X, sets)
        assert np.isfinite(model.transform(X)).all()


def test_one_known_record_is_too_few(planted):
    X, _ = planted.training
    with pytest.raises(InputError, match="y has too few known labels for a graph: got those of 1 record"):
        SLE(2).fit(X, [{"a"}] + [None] * 119)


def test_a_graph_is_taken_in_any_form(planted):
    X, _ = planted.training
    graph = neighbour_graph(X, 10, weights="gaussian")
    W = graph.to_dense()
    forms = [
        graph,
        W,
        sp.csr_array(W),
        sp.coo_array(W),
        lambda records: neighbour_graph(records, 10, weights="gaussian"),
    ]
    spaces = [LE(4, graph=form, tol=1e-10).fit(X) for form in forms]
    own = LE(4, tol=1e-10).fit(X)
    for space in spaces:
        np.testing.assert_allclose(space.costs_, own.costs_, atol=1e-8)


@pytest.mark.filterwarnings("ignore:.*records.*(joined to no other|without neighbours)")
def test_a_range_of_closeness_takes_the_place_of_a_number_of_neighbours(planted):
    X, _ = planted.training
    own = LE(4, graph_params={"within": 0.3, "join": "mutual"}).fit(X)
    given = LE(4, graph=neighbour_graph(X, None, within=0.3, join="mutual", weights="gaussian")).fit(X)
    np.testing.assert_allclose(own.costs_, given.costs_)
    np.testing.assert_allclose(own.graph_.to_dense(), given.graph_.to_dense())


@pytest.mark.parametrize("method", ["le", "lpp"])
def test_a_graph_of_the_labels_needs_no_labels(planted, method):
    X, Y = planted.training
    W = label_graph(Y, "sorensen")
    model = GraphEmbedding(4, method=method, label_weight=0.5, label_graph=W).fit(X)
    assert model.labels_ is None
    named = GraphEmbedding(4, method=method, label_weight=0.5, label_graph="sorensen").fit(X, Y)
    np.testing.assert_allclose(model.costs_, named.costs_, rtol=1e-6)
    assert not model.__sklearn_tags__().target_tags.required
    assert named.__sklearn_tags__().target_tags.required
    with pytest.raises(InputError, match="y"):
        GraphEmbedding(4, label_weight=0.5, label_graph=lambda labels: W).fit(X)


@pytest.mark.filterwarnings("ignore:n_components=50")
@pytest.mark.parametrize(("n_records", "fewer"), [(10, 4), (3, 1)])
def test_small_collections_are_joined_with_fewer_neighbours(planted, n_records, fewer):
    X, Y = (part[:n_records] for part in planted.training)
    with pytest.warns(TacitWarning, match=rf"n_neighbours=10 is more than .* with its {fewer} nearest"):
        model = SLE().fit(X, Y)
    given = SLE(n_neighbours=fewer).fit(X, Y)
    np.testing.assert_allclose(model.transform(X), given.transform(X))


def test_the_order_of_the_records_does_not_matter(planted):
    X, Y = planted.training
    X = X @ sp.diags_array(np.random.default_rng(1).uniform(0.5, 2, X.shape[1]))  # counts have ties, ordered by row
    order = np.random.default_rng(0).permutation(X.shape[0])
    straight, mixed = (SLE(4, tol=1e-10).fit(X[rows], Y[rows]) for rows in (np.arange(X.shape[0]), order))
    np.testing.assert_allclose(straight.costs_, mixed.costs_, atol=1e-7)
    np.testing.assert_allclose(np.abs(straight.embedding_[order]), np.abs(mixed.embedding_), atol=1e-5)


def test_multiplied_weights_change_nothing(planted):
    X, _ = planted.training
    W = neighbour_graph(X, 10).to_dense()
    one, other = (LE(4, graph=scale * W, tol=1e-10).fit(X) for scale in (1, 1000))
    np.testing.assert_allclose(one.embedding_, other.embedding_, atol=1e-7)


def test_the_same_seed_gives_the_same_space(planted):
    X, Y = planted.training
    first, again = (SUSC(4, solver="krylov").fit(X, Y) for _ in range(2))
    np.testing.assert_array_equal(first.components_, again.components_)


def test_float32_stays_float32(planted):
    X, Y = planted.training
    for model in (SLE(3), SOLPP(3)):
        fitted = clone(model).fit(X.astype(np.float32), Y)
        assert fitted.components_.dtype == fitted.embedding_.dtype == fitted.costs_.dtype == np.float32
        assert fitted.transform(X.astype(np.float32)).dtype == np.float32


@pytest.mark.parametrize("scaling", ["unit", "damped", "weighted"])
def test_scaling_multiplies_by_a_power_of_the_cost(planted, scaling):
    X, Y = planted.training
    power = {"unit": 0, "damped": -0.25, "weighted": -0.5}[scaling]
    plain, scaled = SLE(3, scaling="unit").fit(X, Y), SLE(3, scaling=scaling).fit(X, Y)
    np.testing.assert_allclose(scaled.transform(X), plain.transform(X) * plain.costs_**power)
    for kind in ("honest", "transductive"):
        expected = plain.training_coordinates(X, kind) * plain.costs_**power
        np.testing.assert_allclose(scaled.training_coordinates(X, kind), expected)


@pytest.mark.parametrize(("model", "scaling"), [(SLE, "weighted"), (SUSC, "weighted"), (SOLPP, "unit")])
def test_the_scaling_that_auto_stands_for(planted, model, scaling):
    X, Y = planted.training
    np.testing.assert_array_equal(model(3).fit(X, Y).transform(X), model(3, scaling=scaling).fit(X, Y).transform(X))


def test_fit_transform_gives_the_asked_for_kind(planted):
    X, Y = planted.training
    for kind in ("honest", "in-sample", "transductive"):
        model = SLE(3, coordinates=kind)
        np.testing.assert_allclose(model.fit_transform(X, Y), model.training_coordinates(X, kind), atol=1e-10)


def test_the_chain_has_the_known_spectrum():
    n = 40
    model = USC(5, graph=chain(n), tol=1e-12).fit(np.eye(n))
    np.testing.assert_allclose(model.costs_, 2 - 2 * np.cos(np.pi * np.arange(1, 6) / n), atol=1e-9)


def test_contrasts_between_pieces_come_first_and_count_as_the_best_of_the_others():
    n = 30
    W = np.kron(np.eye(3), chain(n // 3))
    model = LE(4, graph=W).fit(np.eye(n))
    assert model.n_pieces_ == 3
    np.testing.assert_array_equal(model.costs_[:2], 0)
    assert model.costs_[2] > 1e-3
    np.testing.assert_allclose(model.eigenvalues_, 1 / model.costs_[[2, 2, 2, 3]])
    means = model.embedding_[:, :2].reshape(3, 10, 2)
    assert np.ptp(means, axis=1).max() < 1e-12
    assert np.linalg.norm(means[0, 0] - means[1, 0]) > 0.1


def test_pieces_of_a_few_records_cost_no_dimension():
    """Such pieces are accidents of a neighbour graph, and there may be more of them than dimensions."""
    W = np.zeros((100, 100))
    W[:60, :60] = chain(60)
    W[60:, 60:] = np.kron(np.eye(20), chain(2))
    model = LE(3, graph=W).fit(np.eye(100))
    assert model.n_pieces_ == 21
    assert model.costs_[0] > 1e-4


@pytest.mark.parametrize("model", [SLE, SUSC, SLPP, SOLPP])
def test_labels_alone_with_one_class_per_record_separate_the_classes(planted, model):
    """The classes are the components of the graph: between them is all there is to know."""
    X, _ = planted.training
    names = np.array([min(labels, default=0) for labels in planted.sets])
    n_classes = len(set(names.tolist()))
    settings = {"ridge": 0.0} if model is SLPP else {}
    fitted = model(n_classes - 1, label_weight=1.0, **settings).fit(X, names)
    positions = fitted.training_coordinates(X)
    centres = np.array([positions[names == name].mean(axis=0) for name in sorted(set(names.tolist()))])
    nearest = np.square(positions[:, None] - centres).sum(axis=2).argmin(axis=1)
    assert (np.array(sorted(set(names.tolist())))[nearest] == names).mean() > 0.9


def test_labels_alone_have_no_more_dimensions_than_they_can_tell_apart():
    """Otherwise arbitrary directions of the same cost, which say nothing, would fill up the space."""
    y = np.repeat(["a", "b", "c", "d"], 10)
    for model in (SLE, SUSC):
        with pytest.warns(TacitWarning, match="n_components=20 is more than the dimensions"):
            assert model(20, label_weight=1.0).fit(np.eye(40), y).costs_.size == 3


def test_of_more_classes_than_dimensions_those_are_told_apart_whose_words_differ_most():
    y = np.repeat(np.arange(6), 5)
    X = 0.1 * np.random.default_rng(0).standard_normal((30, 8)) + 1
    X[y == 2] += 3 * np.eye(8)[0]
    X[y == 4] -= 2 * np.eye(8)[1]
    Z = SLE(2, label_weight=1.0).fit(X, y).embedding_
    apart = np.linalg.norm(Z[::5][:, None] - Z[::5], axis=2)
    assert min(apart[2, [0, 1, 3, 4, 5]].min(), apart[4, [0, 1, 3, 5]].min()) > 3 * apart[0, [1, 3, 5]].max()


def test_isolated_records_sit_at_the_origin_with_a_warning():
    W = chain(12)
    W[5] = W[:, 5] = 0
    with pytest.warns(TacitWarning, match="1 of 12 records are joined to no other"):
        model = LE(3, graph=W).fit(np.eye(12))
    np.testing.assert_allclose(model.embedding_[5], 0, atol=1e-12)


def test_more_dimensions_than_there_are_give_a_warning():
    with pytest.warns(TacitWarning, match="n_components=20 is more than the dimensions"):
        assert LE(20, graph=chain(8)).fit(np.eye(8)).costs_.size == 7


@pytest.mark.parametrize("label_weight", [0.5, 0.95])
def test_unnormalised_clustering_converges_although_its_costs_are_close_together(label_weight):
    """Most are near the smallest degree, in a range that is a hundred times as wide."""
    records = plant(800, 0)
    X, Y = records.training
    model = SUSC(40, label_weight=label_weight, solver="krylov", max_iter=100).fit(X, Y)
    assert model.solution_[0].converged
    exact = SUSC(40, label_weight=label_weight, solver="dense").fit(X, Y)
    np.testing.assert_allclose(model.costs_, exact.costs_, rtol=1e-3)


BAD = {
    "asymmetric": (np.triu(np.ones((6, 6)), 1), "graph is not symmetric: got weights that differ by up to 1"),
    "negative": (-chain(6), "graph has negative weights: got -1"),
    "not square": (np.ones((6, 5)), r"graph is not square: got shape \(6, 5\)"),
    "of others": (chain(7), "graph does not match X: got 7 records, expected 6"),
    "nan": (np.where(chain(6) > 0, np.nan, 0), "graph"),
    "empty": (np.zeros((6, 6)), "has no weights"),
}


@pytest.mark.parametrize("name", BAD)
@pytest.mark.filterwarnings("ignore::tacit.TacitWarning")
def test_bad_graphs_get_one_sentence(name):
    W, message = BAD[name]
    with pytest.raises(InputError, match=message):
        LE(2, graph=W).fit(np.eye(6))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"method": "pca"}, "method is"),
        ({"extension": "both"}, "extension is"),
        ({"method": "olpp", "extension": "regression"}, "extension does not go with method='olpp'"),
        ({"label_weight": 1.5}, "label_weight is out of range"),
        ({"ridge": -1}, "ridge is out of range"),
        ({"n_directions": 0}, "n_directions is out of range"),
        ({"n_neighbours": 0}, "n_neighbours is out of range"),
        ({"graph_params": {"within": 2}}, "within is out of range"),
        ({"graph": "friends"}, "graph is"),
        (
            {"graph_params": {"n_neighbours": 3}},
            "graph_params has an unknown name: got 'n_neighbours'",
        ),
        (
            {"label_weight": 0.5, "label_graph_params": {"join": 3}},
            "label_graph_params has an unknown name",
        ),
        ({"n_components": 0}, "n_components is out of range"),
    ],
)
def test_bad_parameters_get_one_sentence(planted, parameters, message):
    X, Y = planted.training
    with pytest.raises(InputError, match=message):
        GraphEmbedding(**parameters).fit(X, Y)


def test_labels_are_needed_where_they_count(planted):
    with pytest.raises(InputError, match="y"):
        SLE().fit(planted.training[0])


def test_other_records_are_refused_as_training_records(planted):
    X, Y = planted.training
    model = SLE(3).fit(X, Y)
    with pytest.raises(InputError, match="X is not what fit was given: got 80 records"):
        model.training_coordinates(planted.new[0])


def test_a_graph_passes_through_as_it_is():
    graph = as_graph(chain(5))
    assert as_graph(graph) is graph
