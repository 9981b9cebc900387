"""Concepts: the first dimensions as a list, whose shares are those of the positions."""

from __future__ import annotations

import numpy as np
import pytest
from small_index import small_records, small_settings

import tacit
from tacit import InputError
from tacit.tasks.explain.explain import concepts, explain


@pytest.fixture(scope="module", params=["mlsi", "mlsa"])
def index(request, tmp_path_factory):
    path = tmp_path_factory.mktemp("concepts") / "i"
    records = small_records(links=request.param == "mlsa")
    with tacit.open(tacit.build(records, path, small_settings(model=request.param))) as opened:
        yield opened


def test_shares_are_those_of_the_squared_directions(index):
    positions = np.asarray(index.generation.array("positions"), np.float64)
    squares = (positions / np.linalg.norm(positions, axis=1, keepdims=True)) ** 2
    found = concepts(index, limit=99)
    assert [concept.number for concept in found] == list(range(1, index.space.n_dimensions + 1))
    assert [concept.share for concept in found] == pytest.approx(squares.mean(axis=0), rel=1e-5)
    assert sum(concept.share for concept in found) == pytest.approx(1)


def test_a_concept_is_the_explanation_of_its_dimension_without_records(index):
    for concept in concepts(index, limit=3, words=4):
        whole = explain(index, dimension=concept.number, limit=4)
        for end, full in ((concept.positive, whole.positive), (concept.negative, whole.negative)):
            assert (end.words, end.labels, end.links) == (full.words, full.labels, full.links)
            assert end.records == ()
            assert len(end.words) <= 4


def test_labels_stand_at_the_end_to_which_their_records_point(index):
    for concept in concepts(index, limit=3):
        for end, sign in ((concept.positive, 1), (concept.negative, -1)):
            for label in end.labels:
                position = index.label_positions[index.label_names.index(label.label)]
                assert sign * position[concept.number - 1] / np.linalg.norm(position) >= 0.1


@pytest.mark.parametrize("wrong", [{"limit": 0}, {"words": 0}])
def test_counts_are_at_least_one(index, wrong):
    (name,) = wrong
    with pytest.raises(InputError, match=f"{name} is out of range: got 0, expected a whole number of at least 1."):
        concepts(index, **wrong)
