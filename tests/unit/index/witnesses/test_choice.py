"""The best set of each text: against all sets of labels, at its limits, and old indexes without a rule."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from tacit.index.witnesses.choice import ChoiceRule, expected_f1, text_limits

RNG = np.random.default_rng(3)
CASES = [np.sort(RNG.random(n) ** power)[::-1] for n in (1, 2, 5, 8) for power in (0.3, 1, 4)]
PLAIN = ChoiceRule()


def literal_f1(chosen, probabilities):
    """Sum the F1 of a set over all sets of labels that a text may have."""
    total = 0.0
    for labels in product((0, 1), repeat=len(probabilities)):
        chance = np.prod([p if has else 1 - p for p, has in zip(probabilities, labels, strict=True)])
        both = sum(c and has for c, has in zip(chosen, labels, strict=True))
        total += chance * 2 * both / max(1, sum(chosen) + sum(labels))
    return total


def chosen_sizes(*texts, unnamed=0.0):
    """Return how many subjects of each text reach its limit."""
    text = np.repeat(np.arange(len(texts)), [len(each) for each in texts])
    limits = text_limits(text, np.concatenate(texts), len(texts), unnamed)
    return [int(np.count_nonzero(each >= limit)) for each, limit in zip(texts, limits, strict=True)]


@pytest.mark.parametrize("p", CASES)
def test_the_expected_f1_is_that_of_all_sets_of_labels(p):
    literal = [literal_f1([place < k for place in range(len(p))], p) for k in range(1, len(p) + 1)]
    np.testing.assert_allclose(expected_f1(p[None])[0], literal, rtol=1e-9)


@pytest.mark.parametrize("p", CASES)
def test_no_other_set_has_a_larger_expected_f1(p):
    best = max(literal_f1(chosen, p) for chosen in product((0, 1), repeat=len(p)))
    (size,) = chosen_sizes(p)
    assert literal_f1([place < size for place in range(len(p))], p) == pytest.approx(best, rel=1e-9)


def test_labels_that_no_witness_names_are_counted_as_many_rare_ones():
    p, rare = np.array([0.7, 0.4, 0.2]), np.full(400, 1.5 / 400)
    together = expected_f1(np.concatenate([p, rare])[None])[0, :3]
    np.testing.assert_allclose(expected_f1(p[None], 1.5)[0], together, rtol=2e-3)
    assert (expected_f1(p[None], 1.5) < expected_f1(p[None])).all()


def test_of_more_subjects_than_are_compared_the_rest_counts_as_unnamed():
    p = np.concatenate([np.full(5, 0.9), np.full(400, 0.01)])
    assert chosen_sizes(p) == [5]
    lifted = np.concatenate([np.full(6, 0.95), np.full(12, 0.25), np.full(300, 0.08)])
    assert chosen_sizes(lifted) == [1 + np.argmax(expected_f1(lifted[None])[0])] == [18]
    assert chosen_sizes(lifted[:64]) == [6]  # those that are not compared make the set larger


def test_certain_and_impossible_labels():
    assert chosen_sizes(np.ones(7), np.array([1.0, 1.0, 0.0]), np.zeros(4), np.full(3, 0.01)) == [7, 2, 0, 3]
    assert text_limits(np.array([1, 1]), np.array([1.0, 0.5]), 3, 0.0)[[0, 2]].tolist() == [1.0, 1.0]
    assert text_limits(np.empty(0, np.int64), np.empty(0), 2, 0.0).tolist() == [1.0, 1.0]


def test_one_text_or_many_at_a_time():
    texts = [np.sort(RNG.random(RNG.integers(1, 90)) ** 3)[::-1] for _ in range(450)]
    assert chosen_sizes(*texts, unnamed=0.5) == [chosen_sizes(each, unnamed=0.5)[0] for each in texts]


def test_a_rule_without_own_limits_is_thresholds_and_one_with_them_alone_the_best_set():
    thresholds, limits = np.array([0.1, 0.4]), np.array([0.3, 0.2])
    np.testing.assert_allclose(PLAIN.limits(0.25, thresholds, limits), thresholds)
    np.testing.assert_allclose(ChoiceRule(own=1, label=0).limits(0.25, thresholds, limits), limits)
    both = ChoiceRule(own=0.5, label=0.5, scale=0.8).limits(0.25, thresholds, limits)
    literal = 0.8 * np.sqrt(0.25 * limits) * np.sqrt(thresholds / 0.25)
    np.testing.assert_allclose(both, literal)


def test_an_index_without_a_rule_chooses_by_thresholds():
    assert ChoiceRule.from_facts(None) == PLAIN
    rule = ChoiceRule(0.5, 0.75, 0.9, 1.25)
    assert ChoiceRule.from_facts(rule.to_facts()) == rule
