"""How much each view counts: a view that helps is used, one that is random is left out, and measures are as defined."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.sparse as sp

from tacit.models.common.views import View
from tacit.models.mlsi.mlsi import MLSI
from tacit.relations.labels.matrix import as_labels
from tacit.tasks.build.settings import Growth
from tacit.tasks.build.trial_measures import Relevance, own_ranks, rises
from tacit.tasks.build.weighing import (
    MORE_DIMENSIONS,
    _ascent,
    _words_beside_unlabelled,
    default_emphasis,
    stretch_of,
    weigh_views,
)


@pytest.fixture(scope="module")
def planted():
    """450 records whose words tell a topic and a genre: labels are topics, readers like genres, anyone reads anything.

    A space of labels has lost the genres, so a view of the readers helps to find what they read.
    """
    rng = np.random.default_rng(0)
    X = np.zeros((450, 300))
    topics, readers, anyone = [], [], []
    for row in X:
        topic, genre = rng.integers(6, size=2)
        words = [20 * topic + rng.integers(20, size=12), 120 + 20 * genre + rng.integers(20, size=12)]
        np.add.at(row, np.concatenate([*words, rng.integers(300, size=10)]), 1.0)
        topics.append((f"topic {topic}",))
        readers.append((f"reader {genre}.{rng.integers(3)}",))
        anyone.append((f"reader {rng.integers(18)}",))
    views = {name: View(as_labels(things).indicator) for name, things in (("readers", readers), ("anyone", anyone))}
    return sp.csr_array(X / np.linalg.norm(X, axis=1, keepdims=True)), as_labels(topics), views


def test_a_view_that_helps_is_used_and_a_random_one_is_not(planted):
    X, labels, views = planted
    found = weigh_views(X, labels, None, views)
    assert found.n_records == 300
    assert found.weights["labels"] == 1.0
    assert found.weights["readers"] > 0
    assert found.emphasis["readers"] > 0
    assert found.changes["readers"]["readers"] > 0.002
    assert found.weights["anyone"] == 0
    assert "anyone" not in found.emphasis
    assert found.sentence().endswith("; left out: anyone")


def test_what_is_given_is_not_tried(planted):
    X, labels, views = planted
    found = weigh_views(X, labels, None, views, given={"readers": 0.0, "anyone": 0.3, "words": 0.1})
    assert found.n_records == 0
    assert found.emphasis == {"labels": 1.0, "anyone": 0.3, "words": 0.1}
    assert found.weights == {"labels": 1.0, "readers": 0.0, "anyone": 0.3}
    half = weigh_views(X, labels, None, views, given={"anyone": 0.3})
    assert half.emphasis["anyone"] == 0.3
    assert half.n_records == 300


def test_few_records_are_not_tried(planted):
    X, labels, views = planted
    some = {name: View(view.data[:120]) for name, view in views.items()}
    assert weigh_views(X[:120], labels[np.arange(120)], None, some) == default_emphasis(["labels", "readers", "anyone"])


def test_without_labels_words_count_as_much_as_labels_would():
    assert default_emphasis(["author"]).emphasis == {"author": 0.1, "words": 1.0}
    assert default_emphasis(["author"], {"words": 0.4}).emphasis == {"author": 0.1, "words": 0.4}


def test_relevance_is_the_overlap_of_what_records_have():
    things = sp.csr_array(np.array([[1, 1, 0], [0, 0, 0], [1, 0, 0], [1, 1, 1], [0, 0, 1]], float))
    relevance = Relevance(things, np.array([0, 1]), np.array([2, 3, 4]))
    np.testing.assert_allclose(relevance.gains, [[1 / 2, 2 / 3, 0], [0, 0, 0]])
    discount = 1 / np.log2([2, 3, 4])
    best = np.array([2 / 3, 1 / 2, 0]) @ discount
    order = np.array([[2, 0, 1], [0, 1, 2]])  # the second record has nothing and does not ask
    assert relevance.ndcg(order) == pytest.approx(np.array([0, 1 / 2, 2 / 3]) @ discount / best)
    assert relevance.ndcg(np.array([[1, 0, 2], [0, 1, 2]])) == pytest.approx(1)


def test_titles_are_measured_by_the_rank_of_their_own_records():
    stored = np.eye(12)
    titles = np.eye(12)
    titles[1] = stored[0] + 0.5 * stored[1]  # second
    titles[2] = np.arange(12, 0, -1)  # third
    titles[11] = np.arange(12, 0, -1)  # last, beyond the tenth
    assert own_ranks(titles, stored) == pytest.approx([1, 1 / 2, 1 / 3, *[1] * 8, 0])


def test_a_sample_does_not_warn(planted):
    X, labels, views = planted
    silent = X.copy()
    silent.data[silent.indptr[0] : silent.indptr[1]] = 0
    silent.eliminate_zeros()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        weigh_views(silent, labels, None, views)


def test_texts_are_stretched_halfway_to_the_spread_of_the_records():
    rng = np.random.default_rng(0)
    positions = rng.standard_normal((50, 4))
    honest = positions * [0.9, 0.5, 0.1, 0.0] + 0.01 * rng.standard_normal((50, 4)) * [1, 1, 1, 0]
    stretch = stretch_of(positions.astype(np.float32), honest.astype(np.float32))
    spread, before = (np.linalg.norm(each, axis=0) for each in (positions, honest))
    np.testing.assert_allclose(before[:3] * stretch[:3], np.sqrt(spread * before)[:3], rtol=1e-5)
    assert stretch[3] == 1  # where texts have no position at all


def test_a_rise_counts_beyond_its_error_and_few_questions_may_seem_to_fall_further():
    base = {"labels": np.full(900, 0.5), "people": np.full(9, 0.5)}
    assert rises({**base, "labels": base["labels"] + 0.01}, base) == pytest.approx(0.01)
    by_chance = base["people"] + [0.4, -0.3, 0.4, -0.3, 0.4, -0.3, 0.4, -0.3, 0]
    assert np.mean(by_chance) > 0.5
    assert rises({**base, "people": by_chance}, base) == 0
    assert rises({**base, "people": base["people"] - 0.03}, base) == pytest.approx(-0.03)
    assert rises({**base, "labels": base["labels"] - 0.005}, base) == -np.inf
    assert rises({**base, "people": base["people"] - 0.05}, base) == -np.inf


def test_a_view_that_is_worth_more_takes_what_labels_may_lose_from_one_that_came_first():
    def measured(emphasis):
        """Labels may lose as much as one view takes; people are worth four times as much as places."""
        places, people = emphasis["places"], emphasis["people"]
        found = {"labels": -0.07 * (places + people), "places": places, "people": 4 * min(0.05, people)}
        return {name: np.full(100, value) for name, value in found.items()}

    base = measured({"places": 0.0, "people": 0.0})
    found, _ = _ascent(measured, {"labels": 1.0}, ["places", "people"], base, noise=0.001)
    assert found == {"places": 0.0, "people": 0.05}


def test_beside_records_without_labels_words_count_otherwise_only_if_a_measure_falls():
    before = {"labels": np.full(400, 0.5), "titles": np.full(400, 0.5)}

    def measured(factor, fallen):
        """Words find titles that are lost without them, and cost labels that were won."""
        return {"labels": before["labels"] + 0.03 - 0.01 * factor, "titles": before["titles"] + 0.02 * factor - fallen}

    assert _words_beside_unlabelled(lambda factor: measured(factor, 0.0), before, 0.47) == 0.47
    assert _words_beside_unlabelled(lambda factor: measured(factor, 0.02), before, 0.47) == 2.8
    assert _words_beside_unlabelled(lambda factor: measured(factor, 0.2), before, 0.47) is None  # all would fall


def test_records_without_labels_are_tried_beside_the_others(planted):
    X, labels, views = planted
    every = [(labels.names[place],) for place in labels.indicator.indices]
    half = as_labels([names if number % 2 else None for number, names in enumerate(every)])
    said = []
    given = {"readers": 0.0, "anyone": 0.0}
    options = {"growth": Growth(2.0, 1.0, 0.5), "given": given, "progress": said.append}
    found = weigh_views(X, half, None, views, **options)
    assert said[-1] == "words, labels, records without labels"
    alone = weigh_views(X, half, None, views, given=given)
    factor = found.emphasis["words"] / alone.emphasis["words"]
    assert min(abs(factor - tried) for tried in (0.5, 0.7, 1.0, 1.4, 2.0, 2.8)) < 1e-6
    weigh_views(X, as_labels([*every[:-1], None]), None, views, **options)
    assert said[-1] == "words, labels"  # one record changes nothing


def test_views_are_tried_in_as_many_dimensions_as_the_space_will_have(planted, monkeypatch):
    """In few dimensions links seemed to cost labels nothing that lost .008 of them in the space itself."""
    X, labels, views = planted
    asked = []

    class Watched(MLSI):
        def __init__(self, n_components=100, **parameters):
            asked.append(n_components)
            super().__init__(n_components, **parameters)

    monkeypatch.setattr("tacit.tasks.build.weighing.MLSI", Watched)
    monkeypatch.setattr("tacit.tasks.build.weighing._DIMENSIONS", 50)
    found = weigh_views(X, labels, None, views, given={"words": 0.1}, n_dimensions=70)
    assert found.weights["readers"] > 0
    assert found.weights["anyone"] == 0
    assert {50 + 2 * MORE_DIMENSIONS, 70, 70 + MORE_DIMENSIONS} <= set(asked)  # the last with readers alone
    asked.clear()
    weigh_views(X, labels, None, views, given={"words": 0.1}, n_dimensions=50)
    assert max(asked) == 50 + 2 * MORE_DIMENSIONS
    assert 50 in asked
