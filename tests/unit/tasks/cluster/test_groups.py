"""Groups of an index: planted groups are found, named by their own words and labels, and numbered by size."""

from __future__ import annotations

import json

import numpy as np
import pytest
from small_index import HOME, SEA, small_records, small_settings, small_taxonomy

import tacit
from tacit import InputError
from tacit.corpus.record import Record
from tacit.index import Filters
from tacit.tasks.cluster.groups import cluster_index, default_groups

BY_WORDS = small_settings(weights={"words": 5.0})  # the groups are groups of words, each with two labels


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    # two in three are about the sea, so that the order by size is known
    records = [record for record in small_records(120) if int(record.id[1:]) % 4]
    path = tmp_path_factory.mktemp("cluster") / "i"
    with tacit.open(tacit.build(records, path, BY_WORDS, taxonomy=small_taxonomy())) as opened:
        yield opened


def about_sea(record):
    return int(record.id[1:]) % 2 == 1


def test_planted_groups_are_found_and_named(index):
    found = cluster_index(index, 2)
    sea, home = found.groups
    assert (sea.number, sea.size, home.number, home.size) == (1, 60, 2, 30)
    records = index.store.get(found.numbers)
    assert [group == 1 for group in found.of_records] == [about_sea(record) for record in records]
    assert set(sea.words) <= set(SEA)
    assert set(home.words) <= set(HOME)
    assert {label.label for label in sea.labels} == {"animals", "vessels"}
    share = np.mean(["animals" in record.labels for record in records if about_sea(record)])
    assert {label.label: label.share for label in sea.labels}["animals"] == pytest.approx(share)
    assert sea.name == f"{sea.words[0]}, {sea.words[1]} and {sea.words[2]}"


def test_words_are_those_whose_mean_weight_leads_the_most(index):
    found = cluster_index(index, 2, words=3)
    X = index.space.words.transform([record.text for record in index.store.get(found.numbers)]).toarray()
    inside = found.of_records == 1
    lead = X[inside].mean(axis=0) - X[~inside].mean(axis=0)
    assert list(found.groups[0].words) == [index.space.words.terms[i] for i in np.argsort(-lead)[:3]]


def test_examples_are_nearest_to_the_centre_and_cohesion_is_the_mean(index):
    found = cluster_index(index, 3, examples=2)
    positions = index.positions.of(found.numbers).astype(np.float64)
    positions /= np.linalg.norm(positions, axis=1, keepdims=True)
    for group in found.groups:
        rows = np.flatnonzero(found.of_records == group.number)
        centre = positions[rows].mean(axis=0)
        cosines = positions[rows] @ centre / np.linalg.norm(centre)
        assert group.cohesion == pytest.approx(cosines.mean(), abs=1e-5)
        assert [hit.score for hit in group.examples] == pytest.approx(np.sort(cosines)[::-1][:2], abs=1e-5)
        assert group.size == len(rows)


def test_large_collections_are_grouped_from_samples(index, monkeypatch):
    exact = cluster_index(index, 2)
    monkeypatch.setattr("tacit.tasks.cluster.groups._LARGE", 10)
    found = cluster_index(index, 2)
    np.testing.assert_array_equal(found.of_records, exact.of_records)
    assert [group.size for group in cluster_index(index, 5).groups] == sorted(
        (group.size for group in cluster_index(index, 5).groups), reverse=True
    )


def test_the_same_seed_gives_the_same_groups_and_facts_are_plain(index):
    one, other = (cluster_index(index, 4, random_state=7) for _ in range(2))
    assert [group.to_facts() for group in one.groups] == [group.to_facts() for group in other.groups]
    json.dumps([group.to_facts() for group in one.groups])


def test_only_records_that_pass_are_grouped(index):
    found = cluster_index(index, 2, filters=Filters(labels=["pets"]))
    expected = {record.id for _, record in index.store.records() if "pets" in record.labels}
    assert {id for id, _ in found.members(index, batch=4)} == expected
    assert {group for _, group in found.members(index)} == {1, 2}


def test_records_that_lie_nowhere_are_in_no_group(tmp_path):
    path = tacit.build(small_records(), tmp_path / "i", small_settings())
    with tacit.open(path) as index, pytest.warns(tacit.TacitWarning, match="no word that the space knows"):
        index.add([Record("odd", "xyzzy")])
    with tacit.open(path) as index:
        found = cluster_index(index, 2)
        assert dict(found.members(index))["odd"] == 0
        assert found.n_nowhere == 1
        assert sum(group.size for group in found.groups) == 60
        with pytest.raises(InputError, match="there is nothing to group: got no matching record"):
            cluster_index(index, filters=Filters(labels=["QQQ"]))


def test_an_index_of_vectors_is_named_by_the_words_of_its_texts(tmp_path):
    records = small_records()
    centres = np.random.default_rng(0).normal(size=(2, 12)) * 5
    vectors = np.array([centres[int(about_sea(record))] for record in records])
    vectors += np.random.default_rng(1).normal(size=vectors.shape)
    path = tacit.build(records, tmp_path / "i", small_settings(vectors_only=True), vectors=vectors)
    with tacit.open(path) as index:
        words = [set(group.words) for group in cluster_index(index, 2).groups]
    assert sorted(map(bool, (group & set(SEA) for group in words))) == [False, True]
    assert sorted(map(bool, (group & set(HOME) for group in words))) == [False, True]


def test_the_rule_for_the_number_of_groups(index):
    assert [default_groups(n) for n in (1, 2, 8, 50, 200, 800, 10**6)] == [1, 2, 2, 5, 10, 20, 20]
    assert len(cluster_index(index).groups) == default_groups(90) == 7


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"groups": 0}, "groups is out of range: got 0, expected a whole number of at least 1."),
        ({"groups": 91}, "groups is out of range: got 91, expected at most the 90 records with a position."),
        ({"words": 0}, "words is out of range: got 0, expected a whole number of at least 1."),
    ],
)
def test_bad_numbers_are_refused(index, options, message):
    with pytest.raises(InputError, match=message):
        cluster_index(index, **options)
