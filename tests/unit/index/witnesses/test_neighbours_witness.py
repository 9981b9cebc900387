"""The neighbours witness: shares of the labels among the most similar records, as all cosines give them."""

from __future__ import annotations

import numpy as np
import pytest
from planted_subjects import SUBJECTS, all_pairs, planted

from tacit.index.witnesses.neighbours import NeighboursWitness

PLANTED = planted(70, seed=3)  # more than the forty records that count
WITNESS = NeighboursWitness.of_records(PLANTED.rows, PLANTED.labels, PLANTED.positions)
PAIRS = all_pairs(1, len(SUBJECTS))


def shares(cosines: np.ndarray, labels: np.ndarray, most: int) -> np.ndarray:
    best = np.argsort(-cosines)[:most]
    squares = np.maximum(cosines[best], 0) ** 2
    return squares @ labels[best] / squares.sum()


def dense_twin(rows: np.ndarray, labels: np.ndarray, places: np.ndarray, text: np.ndarray, place: np.ndarray):
    """The numbers of one text for all subjects, from all cosines."""
    cosines = rows @ text
    near = np.argsort(-cosines)[:40]
    near = near[cosines[near] > 0]
    share = shares(cosines, labels, 40)
    best_with = np.array([(cosines[near] * labels[near, subject]).max() for subject in range(labels.shape[1])])
    placed = places @ place / np.linalg.norm(places, axis=1) / np.linalg.norm(place)
    columns = [share, share / share.max(), shares(cosines, labels, 8), labels[near].sum(axis=0), best_with]
    return np.column_stack([*columns, np.full(len(share), cosines.max()), shares(placed, labels, 40)])


@pytest.mark.parametrize("number", [0, 5, 33])
def test_numbers_are_those_of_all_cosines(number):
    found = WITNESS.hear(PLANTED.asked([number], as_records=False)).features(*PAIRS)
    rows, labels = PLANTED.rows.toarray(), PLANTED.labels.toarray()
    expected = dense_twin(rows, labels, PLANTED.positions, rows[number], PLANTED.positions[number])
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("number", [0, 5, 33])
def test_a_record_is_left_out_exactly(number):
    found = WITNESS.hear(PLANTED.asked([number], as_records=True)).features(*PAIRS)
    rest = PLANTED.without(number)
    counted = NeighboursWitness.of_records(rest.rows, rest.labels, rest.positions)
    expected = counted.hear(PLANTED.asked([number], as_records=False)).features(*PAIRS)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


def test_the_order_of_the_records_does_not_count():
    order = np.random.default_rng(1).permutation(len(PLANTED))
    other = PLANTED.in_order(order)
    asked = PLANTED.asked([2], as_records=False)
    again = NeighboursWitness.of_records(other.rows, other.labels, other.positions).hear(asked).features(*PAIRS)
    np.testing.assert_allclose(again, WITNESS.hear(asked).features(*PAIRS), rtol=1e-4, atol=1e-5)


def test_candidates_are_labels_of_near_records_and_a_text_without_words_has_those_of_its_place():
    asked = PLANTED.asked([0], as_records=False)
    asked.rows = PLANTED.words.transform(["xyzzy"])
    heard = WITNESS.hear(asked)
    assert heard.cosines.nnz == 0
    assert not heard.features(*PAIRS)[:, :6].any()
    asked.positions = np.zeros_like(asked.positions)
    assert [len(found) for found in WITNESS.hear(asked).candidates()] == [0]


def test_without_places_only_words_are_compared():
    witness = NeighboursWitness.of_records(PLANTED.rows, PLANTED.labels, None)
    asked = PLANTED.asked([1], as_records=False)
    found, expected = witness.hear(asked).features(*PAIRS), WITNESS.hear(asked).features(*PAIRS)
    np.testing.assert_array_equal(found[:, :-1], expected[:, :-1])
    assert not found[:, -1].any()
