"""The words witness: counts, shares and cosines as literal sums give them, with and without the record itself."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from planted_subjects import SUBJECTS, all_pairs, planted

from tacit.index.witnesses.words import TellingWords, WordsWitness

PLANTED = planted()
WITNESS = WordsWitness.of_records(PLANTED.rows, PLANTED.labels)


def dense_twin(rows: np.ndarray, labels: np.ndarray, text: np.ndarray) -> np.ndarray:
    """The numbers of one text for all subjects, by the formulas of the module and nothing else."""
    present, used = rows > 0, np.flatnonzero(text > 0)
    n_records, n_subjects = labels.shape
    cosine, shares, odds, strongest, known = (np.zeros(n_subjects) for _ in range(5))
    for subject in range(n_subjects):
        own = labels[:, subject] > 0
        total = rows[own].sum(axis=0)
        length = np.linalg.norm(total)
        cosine[subject] = text @ total / length if length else 0
        for word in used:
            share = present[own, word].sum() / (present[:, word].sum() + 3)
            usual = (own.sum() + 0.5) / n_records
            shares[subject] += share
            odds[subject] += text[word] * max(np.log(max(share, 1e-9) / usual), 0)
            strongest[subject] = max(strongest[subject], share)
            known[subject] += present[own, word].any()
    columns = []
    for values in (cosine, shares, odds):
        columns += [values, values / max(values.max(), 1e-9)]
    steps = np.where(strongest > 0, 2 ** (np.round(2 * np.log2(np.maximum(strongest, 1e-9))) / 2), 0)
    return np.column_stack([*columns, steps, known / max(1, len(used))])


def test_numbers_are_the_literal_sums():
    numbers = [0, 7, 12]
    text, subject = all_pairs(len(numbers), len(SUBJECTS))
    found = WITNESS.hear(PLANTED.asked(numbers, as_records=False)).features(text, subject)
    rows, labels = PLANTED.rows.toarray(), PLANTED.labels.toarray()
    expected = np.vstack([dense_twin(rows, labels, rows[number]) for number in numbers])
    np.testing.assert_allclose(found, expected, rtol=2e-4, atol=1e-5)


@pytest.mark.parametrize("number", [0, 3, 8, 29])
def test_a_record_is_left_out_exactly(number):
    text, subject = all_pairs(1, len(SUBJECTS))
    asked = PLANTED.asked([number], as_records=True)
    found = WITNESS.hear(asked).features(text, subject)
    rest = PLANTED.without(number)
    counted = WordsWitness.of_records(rest.rows, rest.labels).hear(PLANTED.asked([number], as_records=False))
    np.testing.assert_allclose(found, counted.features(text, subject), rtol=2e-3, atol=1e-4)


def test_a_subject_that_only_the_record_itself_has_gets_nothing_from_it():
    labels = sp.csr_array(sp.hstack([PLANTED.labels, sp.csr_array(np.eye(len(PLANTED))[:, [4]])]), dtype=np.float32)
    witness = WordsWitness.of_records(PLANTED.rows, labels)
    asked = PLANTED.asked([4], as_records=True, n_subjects=6)
    asked.own = labels[[4]]
    found = witness.hear(asked).features(np.array([0]), np.array([5]))[0]
    np.testing.assert_allclose(found, 0, atol=1e-5)


def test_candidates_are_subjects_with_a_word_of_the_text():
    asked = PLANTED.asked([0, 1], as_records=False)
    for row, found in enumerate(WITNESS.hear(asked).candidates()):
        used = PLANTED.rows[[row]].indices
        with_a_word = PLANTED.labels[np.flatnonzero(PLANTED.rows[:, used].sum(axis=1) > 0)].sum(axis=0)
        assert found.tolist() == np.flatnonzero(with_a_word).tolist()


def test_telling_words_are_those_with_the_largest_shares():
    row = PLANTED.rows[[0]]
    found = TellingWords(WITNESS, row.indices).of(0, 3)
    present, own = PLANTED.rows.toarray() > 0, PLANTED.labels.toarray()[:, 0] > 0
    shares = {int(word): present[own, word].sum() / (present[:, word].sum() + 3) for word in row.indices}
    best = sorted((share for share in shares.values() if share > 0), reverse=True)[:3]
    assert [share for _, share in found] == pytest.approx(best)
    assert all(shares[word] == pytest.approx(share) for word, share in found)


def test_the_order_of_the_records_does_not_count():
    order = np.random.default_rng(1).permutation(len(PLANTED))
    other = PLANTED.in_order(order)
    text, subject = all_pairs(3, len(SUBJECTS))
    asked = PLANTED.asked([0, 1, 2], as_records=False)
    again = WordsWitness.of_records(other.rows, other.labels).hear(asked).features(text, subject)
    np.testing.assert_allclose(again, WITNESS.hear(asked).features(text, subject), rtol=1e-5, atol=1e-6)


def test_a_text_without_known_words_has_no_candidates():
    asked = PLANTED.asked([0], as_records=False)
    asked.rows = PLANTED.words.transform(["xyzzy"])
    heard = WITNESS.hear(asked)
    assert [len(found) for found in heard.candidates()] == [0]
    assert not heard.features(*all_pairs(1, len(SUBJECTS))).any()
