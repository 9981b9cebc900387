"""The witnesses of positions and of related subjects, against literal sums, with and without the record itself."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from planted_subjects import SUBJECTS, Planted, all_pairs, planted

from tacit.index.witnesses import position
from tacit.index.witnesses.asked import AskedTexts
from tacit.index.witnesses.position import PositionWitness
from tacit.index.witnesses.relatives import RelativesWitness

PLANTED = planted()
PAIRS = all_pairs(1, len(SUBJECTS))
RELATED = sp.csr_array(np.array([[0, 0, 0, 1, 0], [0, 0, 0, 0, 1], [0, 0, 0, 1, 0], [1, 0, 1, 0, 0], [0, 1, 0, 0, 0]]))


def by_position(of: Planted, *, remembers: bool = False) -> PositionWitness:
    counts = np.asarray(of.labels.sum(axis=0)).ravel()
    places = np.asarray(of.labels.T @ of.positions) / np.maximum(counts, 1)[:, None]
    return PositionWitness(places, counts, records=of.positions if remembers else None)


def test_places_are_mean_positions():
    asked = PLANTED.asked([3], as_records=False)
    found = by_position(PLANTED).hear(asked).features(*PAIRS)
    labels, here = PLANTED.labels.toarray(), PLANTED.positions[3]
    means = np.array([PLANTED.positions[labels[:, subject] > 0].mean(axis=0) for subject in range(len(SUBJECTS))])
    cosines = means @ here / np.linalg.norm(means, axis=1) / np.linalg.norm(here)
    np.testing.assert_allclose(found[:, 0], cosines, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(found[:, 1], cosines / cosines.max(), rtol=1e-4, atol=1e-5)
    assert not found[:, 2:].any()  # no classifiers


@pytest.mark.parametrize("number", [0, 3, 8])
@pytest.mark.parametrize("all_are_compared", [True, False])
def test_a_record_is_left_out_of_the_places_of_its_labels(monkeypatch, number, all_are_compared):
    if not all_are_compared:
        monkeypatch.setattr(position, "_COMPARED_NUMBERS", 0)
    found = by_position(PLANTED, remembers=True).hear(PLANTED.asked([number], as_records=True)).features(*PAIRS)
    without = by_position(PLANTED.without(number)).hear(PLANTED.asked([number], as_records=False)).features(*PAIRS)
    np.testing.assert_allclose(found, without, rtol=1e-3, atol=1e-4)


def test_a_text_without_words_has_no_candidates_by_position():
    asked = PLANTED.asked([0], as_records=False)
    asked.rows, asked.positions = PLANTED.words.transform(["xyzzy"]), np.zeros((1, 3), np.float32)
    assert [len(found) for found in by_position(PLANTED).hear(asked).candidates()] == [0]


def support_twin(labels: np.ndarray, shares: np.ndarray, related: np.ndarray) -> np.ndarray:
    """Support by labels that go together, and by the taxonomy, of every subject."""
    n_subjects = labels.shape[1]
    together, taxonomy = np.zeros(n_subjects), np.zeros(n_subjects)
    for subject in range(n_subjects):
        for other in range(n_subjects):
            if shares[other] <= 0:
                continue
            if other != subject:
                both = (labels[:, subject] * labels[:, other]).sum()
                together[subject] += shares[other] * both / (labels[:, other].sum() + 1)
            taxonomy[subject] += shares[other] * related[other, subject]
    return np.column_stack([together, taxonomy])


@pytest.mark.parametrize("number", [0, 3, 8])
def test_support_is_the_literal_sum_with_and_without_the_record(number):
    witness = RelativesWitness.of_labels(PLANTED.labels, RELATED)
    shares = np.random.default_rng(5).random((1, len(SUBJECTS))).astype(np.float32)
    labels, related = PLANTED.labels.toarray(), RELATED.toarray()
    new = witness.hear_after(PLANTED.asked([number], as_records=False), shares).features(*PAIRS)
    np.testing.assert_allclose(new[:, :2], support_twin(labels, shares[0], related), rtol=1e-4, atol=1e-6)
    assert set(new[:, 3]) == {PLANTED.rows[[number]].nnz}
    left_out = witness.hear_after(PLANTED.asked([number], as_records=True), shares).features(*PAIRS)
    rest = np.delete(labels, number, axis=0)
    np.testing.assert_allclose(left_out[:, :2], support_twin(rest, shares[0], related), rtol=1e-4, atol=1e-6)
    np.testing.assert_array_equal(new[:, 2], rounded_counts(labels.sum(axis=0)))
    np.testing.assert_array_equal(left_out[:, 2], rounded_counts(rest.sum(axis=0)))


def rounded_counts(counts: np.ndarray) -> np.ndarray:
    """Exact small numbers, and powers of two for large ones."""
    return np.array([count if count <= 16 else 2 ** int(np.log2(count)) for count in counts])


def test_the_number_of_records_does_not_tell_the_labels_of_a_frequent_subject():
    labels = np.zeros((100, 2))
    labels[:50, 0], labels[:, 1] = 1, 1
    witness = RelativesWitness.of_labels(sp.csr_array(labels), sp.csr_array((2, 2)))
    rows = sp.csr_array(np.ones((2, 1), np.float32))
    records = np.array([0, 99])
    asked = AskedTexts(rows, np.zeros((2, 1), np.float32), 2, None, records, sp.csr_array(labels[records]))
    numbers = witness.hear(asked).features(np.array([0, 1]), np.array([0, 0]))[:, 2]
    assert numbers[0] == numbers[1] == 32


def test_without_similar_records_nothing_supports_anything():
    heard = RelativesWitness.of_labels(PLANTED.labels, RELATED).hear(PLANTED.asked([0], as_records=False))
    assert not heard.features(*PAIRS)[:, :2].any()
    assert [len(found) for found in heard.candidates()] == [0]
