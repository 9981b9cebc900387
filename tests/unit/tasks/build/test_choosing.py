"""How sets are chosen: the rule that the build finds on texts with planted probabilities."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from tacit.index.witnesses.choice import ChoiceRule, text_limits
from tacit.index.witnesses.examples import Examples
from tacit.index.witnesses.panel import favoured
from tacit.tasks.build import choosing
from tacit.tasks.build.choosing import best_favour, best_rule, subject_thresholds

N_SUBJECTS, N_CANDIDATES = 40, 30


def planted_examples(n_texts, *, most_labels, seed=0):
    """Texts whose numbers of labels differ widely; the probabilities of their candidates are right."""
    rng = np.random.default_rng(seed)
    text = np.repeat(np.arange(n_texts), N_CANDIDATES)
    subject = np.concatenate([rng.choice(N_SUBJECTS, N_CANDIDATES, replace=False) for _ in range(n_texts)])
    clear = rng.random(n_texts) < 0.5  # a sure label and a doubtful one, or many doubtful ones
    place = np.arange(N_CANDIDATES)
    of_clear = np.where(place == 0, 0.95, np.where(place == 1, 0.25, 0.0))
    probability = np.where(clear[:, None], of_clear, np.where(place < most_labels, 0.25, 0.0)).ravel()
    right = rng.random(len(text)) < probability
    own = sp.csr_array((np.ones(right.sum(), np.float32), (text[right], subject[right])), (n_texts, N_SUBJECTS))
    own.sort_indices()
    return Examples.of_pairs(text, subject, np.zeros((len(text), 1), np.float32), own), probability, own


def mean_f1(rule, examples, probability, own, thresholds, usual):
    """Return the mean F1 per text, and per subject, of a rule, one text at a time."""
    order = np.lexsort((examples.subject, -probability, examples.text))
    limits = text_limits(examples.text[order], probability[order], own.shape[0], rule.unnamed)
    truth, chosen = own.toarray() > 0, np.zeros(own.shape, bool)
    for number in range(own.shape[0]):
        pairs = np.flatnonzero(examples.text == number)
        subject, chance = examples.subject[pairs], probability[pairs]
        reached = chance >= rule.limits(usual, thresholds[subject].astype(float), limits[number])
        reached[np.argmax(chance)] |= chance.max() >= usual / 2
        chosen[number, subject[reached]] = True
    f1 = [2 * (truth & chosen).sum(axis) / np.maximum(1, truth.sum(axis) + chosen.sum(axis)) for axis in (1, 0)]
    return f1[0].mean(), f1[1].mean()


def test_the_rule_beats_thresholds_on_new_texts_whose_numbers_of_labels_differ(monkeypatch):
    examples, probability, own = planted_examples(800, most_labels=20)
    assert best_rule(examples, probability, own, 0) == ChoiceRule(unnamed=0.0)  # far ahead of any fixed number
    monkeypatch.setattr(choosing, "_AHEAD", 1.0)
    rule = best_rule(examples, probability, own, 0)
    assert rule.own > 0
    thresholds, usual = subject_thresholds(examples, probability, N_SUBJECTS)
    new = planted_examples(400, most_labels=20, seed=1)
    by_rule, by_thresholds = (mean_f1(each, *new, thresholds, usual) for each in (rule, ChoiceRule()))
    assert by_rule[0] > by_thresholds[0] + 0.01
    assert by_rule[1] > by_thresholds[1] - 0.01


def test_a_threshold_lies_between_what_is_right_and_what_is_wrong():
    """Where both are far apart, a new text that is a little less sure is still answered."""
    examples, _, _ = planted_examples(40, most_labels=3)
    sure = np.where(examples.right, 0.999, 0.001)
    thresholds, usual = subject_thresholds(examples, sure, N_SUBJECTS)
    assert usual == pytest.approx(0.5)
    assert (thresholds <= 0.95).all()


def test_the_same_seed_finds_the_same_rule():
    given = planted_examples(400, most_labels=20)
    assert best_rule(*given, 5) == best_rule(*given, 5)


def test_few_texts_and_nothing_right_stay_with_thresholds():
    few = planted_examples(100, most_labels=20)
    assert best_rule(*few, 0) == ChoiceRule(unnamed=0.0)
    examples, probability, own = planted_examples(400, most_labels=20)
    nothing = Examples.of_pairs(
        examples.text, examples.subject, examples.numbers, sp.csr_array(own.shape, dtype=np.float32)
    )
    assert best_rule(nothing, 0 * probability, sp.csr_array(own.shape, dtype=np.float32), 0) == ChoiceRule()


def test_labels_that_no_witness_names_are_expected_in_new_texts():
    examples, probability, own = planted_examples(400, most_labels=20)
    kept = examples.text % 2 == 0  # texts with odd numbers have lost all candidates
    rule = best_rule(examples.of(kept), probability[kept], own, 0)
    assert rule.unnamed == (own.nnz - examples.right[kept].sum()) / 400


def test_new_subjects_are_favoured_as_far_as_the_first_suggestions_can_bear():
    """Six candidates of .08 in each text, the last of which is new and is given half of its odds, or ten times them."""
    n_texts = 4_000
    rng = np.random.default_rng(0)
    text, subject = np.repeat(np.arange(n_texts), 6), np.tile(np.arange(6), n_texts)
    new = np.flatnonzero(subject == 5)

    def found(odds):
        right = rng.random(len(text)) < np.where(subject == 5, 0.08 / odds, 0.08)
        own = sp.csr_array((np.ones(right.sum(), np.float32), (text[right], subject[right])), (n_texts, 6))
        examples = Examples.of_pairs(text, subject, np.zeros((len(text), 1), np.float32), own)
        said = np.full(len(text), 0.08) + 0.001 * rng.random(len(text))
        log_odds = np.full(n_texts, np.log(0.06 / 0.94)) + 0.001 * rng.random(n_texts)
        return best_favour(examples, said, new, log_odds)

    assert found(odds=0.5) == np.log(3)
    assert found(odds=10) == 0
    assert best_favour(planted_examples(10, most_labels=3)[0], np.zeros(300), np.empty(0, int), np.empty(0)) == 0


def test_favoured_odds_are_more_up_to_a_tenth_and_never_less():
    raw = np.log(np.array([0.001, 0.04, 0.09, 0.1, 0.5]) / (1 - np.array([0.001, 0.04, 0.09, 0.1, 0.5])))
    after = 1 / (1 + np.exp(-favoured(raw, np.log(3))))
    np.testing.assert_allclose(after, [0.003 / 1.002, 0.1, 0.1, 0.1, 0.5], rtol=1e-9)
    assert (favoured(raw, 0.0) == raw).all()
