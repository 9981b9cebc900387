"""How experiments divide records and labels, and how two methods are compared over repeats.

`known_categories` and `new_categories` are the settings I and II of [Yu2005], section 4.2.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import stats

from tacit.checks import as_rng, check_count, check_number
from tacit.errors import InputError
from tacit.types import IntArray

__all__ = [
    "CategoryFold",
    "PairedDifference",
    "average_difference",
    "known_categories",
    "new_categories",
    "paired_difference",
    "sure",
]


@dataclass(frozen=True, eq=False)
class CategoryFold:
    """One fold: which records and labels make the space, and which train and test the classifiers.

    Attributes
    ----------
    space_records, space_labels : int arrays
        What the space is fitted to.
    train, test : int arrays
        Records that the classifiers learn from, and records they are measured on.
    labels : int array
        Labels that are classified.
    """

    space_records: IntArray
    space_labels: IntArray
    train: IntArray
    test: IntArray
    labels: IntArray


def known_categories(
    n_records: int, n_labels: int, *, share: float = 0.7, n_folds: int = 5, random_state: Any = 0
) -> Iterator[CategoryFold]:
    """Yield the folds of setting I: one fold trains space and classifiers, the other folds test.

    Parameters
    ----------
    n_records, n_labels : int
    share : float, default 0.7
        Share of the labels, chosen at random, that are known and classified.
    n_folds : int, default 5
    random_state : int, generator or None, default 0

    Examples
    --------
    >>> fold = next(known_categories(100, 10))
    >>> len(fold.train), len(fold.test), len(fold.labels)
    (20, 80, 7)
    """
    known, _, parts = _divided(n_records, n_labels, share, n_folds, random_state, least_folds=2)
    for number, part in enumerate(parts):
        yield CategoryFold(part, known, part, _without(parts, number), known)


def new_categories(
    n_records: int, n_labels: int, *, share: float = 0.7, n_folds: int = 5, random_state: Any = 0
) -> Iterator[CategoryFold]:
    """Yield the folds of setting II: the spaces of `known_categories`, classifiers of other labels on other records.

    The classifiers learn from the next fold, which has as many records as the space had, and are measured on the rest.
    The same random state gives the same spaces as in `known_categories`.

    Examples
    --------
    >>> fold = next(new_categories(100, 10))
    >>> len(fold.space_records), len(fold.train), len(fold.test), len(fold.labels)
    (20, 20, 60, 3)
    """
    known, new, parts = _divided(n_records, n_labels, share, n_folds, random_state, least_folds=3)
    for number, part in enumerate(parts):
        following = (number + 1) % len(parts)
        yield CategoryFold(part, known, parts[following], _without(parts, number, following), new)


def _divided(
    n_records: int, n_labels: int, share: float, n_folds: int, random_state: Any, *, least_folds: int
) -> tuple[IntArray, IntArray, list[IntArray]]:
    n_records = check_count("n_records", n_records)
    n_labels = check_count("n_labels", n_labels)
    n_folds = check_count("n_folds", n_folds)
    share = check_number("share", share, high=1, open_low=True, open_high=True)
    if not least_folds <= n_folds <= n_records:
        raise InputError(
            f"n_folds is out of range: got {n_folds}, expected {least_folds} to {n_records}, the number of records. "
            "Choose another number."
        )
    rng = as_rng(random_state)
    labels = rng.permutation(n_labels)
    n_known = min(max(1, round(share * n_labels)), n_labels)
    parts = [np.sort(part) for part in np.array_split(rng.permutation(n_records), n_folds)]
    return np.sort(labels[:n_known]), np.sort(labels[n_known:]), parts


def _without(parts: list[IntArray], *left_out: int) -> IntArray:
    return np.sort(np.concatenate([part for number, part in enumerate(parts) if number not in left_out]))


@dataclass(frozen=True)
class PairedDifference:
    """The difference of two methods on the same repeats.

    Attributes
    ----------
    mean : float
        Mean of first minus second.
    error : float
        Standard error of the mean, corrected for the overlap of training records between repeats.
    p : float
        Two-sided p of the corrected t-test; 1 with fewer than two repeats.
    n : int
        Number of repeats.
    differences : tuple of float
        First minus second, repeat by repeat.
    test_ratio : float
        Number of test records divided by training records, by which the error is corrected.
    """

    mean: float
    error: float
    p: float
    n: int
    differences: tuple[float, ...] = field(default=(), repr=False)
    test_ratio: float = field(default=0.0, repr=False)


def paired_difference(first: Sequence[float], second: Sequence[float], *, test_ratio: float = 0.0) -> PairedDifference:
    """Compare two methods by a paired t-test over repeats.

    Parameters
    ----------
    first, second : sequences of numbers
        A measure of both methods, repeat by repeat.
    test_ratio : float, default 0.0
        Number of test records divided by training records. Repeats draw from the same records, so that their results
        are not independent; the variance of the mean is taken as (1/n + `test_ratio`) times that of the differences
        [Nadeau2003]. 0 if repeats share no records.

    Examples
    --------
    >>> paired_difference([0.8, 0.82, 0.81], [0.7, 0.73, 0.7]).p < 0.01
    True
    """
    a, b = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    if a.ndim != 1 or a.shape != b.shape or not len(a):
        raise InputError(
            f"first and second are not repeats of the same trial: got shapes {a.shape} and {b.shape}, expected two "
            "sequences of the same length. Give one number per repeat."
        )
    test_ratio = check_number("test_ratio", test_ratio)
    differences, n = a - b, len(a)
    mean, kept = float(differences.mean()), tuple(differences.tolist())
    if n < 2:
        return PairedDifference(mean, math.nan, 1.0, n, kept, test_ratio)
    error = math.sqrt((1 / n + test_ratio) * float(differences.var(ddof=1)))
    if error == 0:
        return PairedDifference(mean, 0.0, 1.0 if mean == 0 else 0.0, n, kept, test_ratio)
    return PairedDifference(mean, error, float(2 * stats.t.sf(abs(mean) / error, n - 1)), n, kept, test_ratio)


def average_difference(compared: Sequence[PairedDifference]) -> PairedDifference:
    """Test the average over several comparisons on the same repeats: one test instead of one per comparison.

    The largest of their test ratios counts.

    Examples
    --------
    >>> macro = paired_difference([0.8, 0.82, 0.81], [0.7, 0.73, 0.7])
    >>> micro = paired_difference([0.9, 0.91, 0.9], [0.88, 0.9, 0.87])
    >>> round(average_difference([macro, micro]).mean, 3)
    0.06
    """
    numbers = sorted({len(one.differences) for one in compared})
    if len(numbers) != 1 or not numbers[0]:
        raise InputError(
            f"compared cannot be averaged: got comparisons of {', '.join(map(str, numbers)) or 'no'} repeats, expected "
            "the same repeats in all. Compare on the repeats that all have."
        )
    means = np.mean([one.differences for one in compared], axis=0)
    return paired_difference(means, np.zeros_like(means), test_ratio=max(one.test_ratio for one in compared))


def sure(compared: Sequence[PairedDifference], *, level: float = 0.05) -> list[bool]:
    """Return which of several comparisons are significant, by Holm's correction for their number [Holm1979].

    Examples
    --------
    >>> sure([PairedDifference(0.1, 0.01, p, 5) for p in (0.001, 0.04, 0.02)])
    [True, True, True]
    >>> sure([PairedDifference(0.1, 0.01, p, 5) for p in (0.001, 0.04, 0.03)])
    [True, False, False]
    """
    order = sorted(range(len(compared)), key=lambda place: compared[place].p)
    passed = [False] * len(compared)
    for rank, place in enumerate(order):
        if compared[place].p * (len(compared) - rank) > level:
            break
        passed[place] = True
    return passed
