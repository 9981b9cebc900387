"""The divisions of records and labels in the papers' experiments, and paired tests over repeats."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from tacit.errors import InputError
from tacit.evaluate.protocols import (
    PairedDifference,
    average_difference,
    known_categories,
    new_categories,
    paired_difference,
    sure,
)


def test_known_categories_train_on_one_fold_and_test_on_the_others() -> None:
    folds = list(known_categories(103, 10, random_state=3))
    assert len(folds) == 5
    assert np.array_equal(np.sort(np.concatenate([fold.train for fold in folds])), np.arange(103))
    for fold in folds:
        assert np.array_equal(np.sort(np.concatenate([fold.train, fold.test])), np.arange(103))
        assert np.array_equal(fold.space_records, fold.train)
        assert np.array_equal(fold.space_labels, fold.labels)
        assert len(fold.labels) == 7


def test_new_categories_share_neither_records_nor_labels_with_their_space() -> None:
    known, new = list(known_categories(103, 10, random_state=3)), list(new_categories(103, 10, random_state=3))
    for before, fold in zip(known, new, strict=True):
        assert np.array_equal(fold.space_records, before.space_records)
        assert np.array_equal(fold.space_labels, before.space_labels)
        assert not set(fold.labels) & set(fold.space_labels)
        parts = [set(fold.space_records), set(fold.train), set(fold.test)]
        assert sum(map(len, parts)) == len(set.union(*parts)) == 103
        assert abs(len(fold.train) - len(fold.space_records)) <= 1


def test_other_seeds_divide_otherwise() -> None:
    first, second = next(known_categories(50, 10, random_state=0)), next(known_categories(50, 10, random_state=1))
    assert not np.array_equal(first.train, second.train)


def test_too_few_folds_for_new_categories() -> None:
    with pytest.raises(InputError, match="n_folds is out of range: got 2, expected 3 to 50"):
        next(new_categories(50, 10, n_folds=2))


def test_paired_difference_is_the_t_test_without_overlap() -> None:
    a, b = np.random.default_rng(0).normal(size=(2, 12))
    found = paired_difference(a, b)
    assert found.p == pytest.approx(float(stats.ttest_rel(a, b).pvalue))
    assert found.mean == pytest.approx(float((a - b).mean()))


def test_overlapping_training_records_make_the_error_larger() -> None:
    a, b = np.random.default_rng(0).normal(size=(2, 12))
    found, corrected = paired_difference(a, b), paired_difference(a, b, test_ratio=0.25)
    assert corrected.error == pytest.approx(found.error * np.sqrt((1 / 12 + 0.25) * 12))
    assert corrected.p > found.p


def test_one_repeat_decides_nothing() -> None:
    assert paired_difference([0.9], [0.1]).p == 1


def test_repeats_must_match() -> None:
    with pytest.raises(InputError, match="first and second are not repeats of the same trial"):
        paired_difference([0.1, 0.2], [0.1])


def test_the_average_of_comparisons_is_tested_once() -> None:
    rows = np.random.default_rng(0).normal(size=(6, 10))
    cells = [
        paired_difference(row, np.zeros(10), test_ratio=ratio) for row, ratio in zip(rows, (1, 2) * 3, strict=True)
    ]
    found = average_difference(cells)
    expected = paired_difference(rows.mean(axis=0), np.zeros(10), test_ratio=2)
    assert found == expected
    with pytest.raises(InputError, match="compared cannot be averaged: got comparisons of 10, 12 repeats"):
        average_difference([cells[0], paired_difference(np.ones(12), np.zeros(12))])


def test_significance_is_corrected_for_the_number_of_comparisons() -> None:
    def of(*values: float) -> list[PairedDifference]:
        return [PairedDifference(0.1, 0.01, p, 5) for p in values]

    assert sure(of(0.04)) == [True]
    assert sure(of(0.04, 0.04)) == [False, False]
    assert sure(of(0.04, 0.02, 0.001)) == [True, True, True]
    assert sure(of(0.04, 0.03, 0.001)) == [False, False, True]
