"""Coded sets are a list of tuples that holds each name once."""

from __future__ import annotations

import numpy as np
import pytest

from tacit.relations.labels.coded import CodedSets
from tacit.relations.labels.matrix import as_labels

SETS = [("sea", "storm"), (), ("ship",), ("storm", "ship", "ärger"), ()]


def test_they_read_as_the_tuples_that_were_added() -> None:
    sets = CodedSets(SETS)
    assert list(sets) == SETS
    assert [sets[row] for row in range(-5, 5)] == SETS + SETS
    assert list(sets[1:4]) == SETS[1:4]
    assert list(sets.take([3, 0, 1])) == [SETS[3], SETS[0], SETS[1]]
    assert sets.counts.tolist() == [1, 2, 2, 1]
    with pytest.raises(IndexError):
        sets[5]


def test_their_matrix_is_that_of_label_sets() -> None:
    expected = as_labels([names or None for names in SETS])
    found = CodedSets(SETS).matrix(sorted({name for names in SETS for name in names}))
    assert found.names == expected.names
    np.testing.assert_array_equal(found.known, expected.known)
    np.testing.assert_array_equal(found.indicator.toarray(), expected.indicator.toarray())
    assert found.indicator.dtype == expected.indicator.dtype
    assert CodedSets(SETS).matrix(["ship"]).known.tolist() == [False, False, True, True, False]
