"""Measures of lists of found records: against the measure of vectors, and by hand."""

from __future__ import annotations

import numpy as np
import pytest

from tacit.errors import InputError
from tacit.evaluate.measures.ranking import found_overlap_ndcg, overlap_ndcg, reciprocal_ranks


def test_lists_of_cosines_give_what_vectors_give():
    rng = np.random.default_rng(1)
    labels = (rng.random((60, 6)) < 0.3).astype(int)
    labels[:, 0] |= labels.sum(axis=1) == 0
    vectors = rng.normal(size=(60, 5))
    asked, known = slice(40, 60), slice(0, 40)
    units = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    found = [np.argsort(-row, kind="stable") for row in units[asked] @ units[known].T]
    expected = overlap_ndcg(vectors[asked], vectors[known], labels[asked], labels[known], k=10)
    assert np.nanmean(found_overlap_ndcg(found, labels[asked], labels[known], k=10)) == pytest.approx(expected)


def test_a_perfect_list_has_one_an_empty_list_zero_and_no_shared_label_nothing():
    known = [{"a", "b"}, {"a"}, {"c"}]
    found = found_overlap_ndcg([[0, 1], [], [2]], [{"a", "b"}, {"a"}, {"z"}], known, k=2)
    assert found[:2].tolist() == [1.0, 0.0]
    assert np.isnan(found[2])


def test_records_that_cannot_be_judged_are_refused():
    with pytest.raises(InputError, match="found has a record with unknown labels"):
        found_overlap_ndcg([[1]], [{"a"}], [{"a"}, None])
    with pytest.raises(InputError, match="query_labels does not match found"):
        found_overlap_ndcg([[1], [0]], [{"a"}], [{"a"}, {"b"}])
    with pytest.raises(InputError, match="wanted does not match found"):
        reciprocal_ranks([[1]], [1, 2])


def test_reciprocal_ranks():
    assert reciprocal_ranks([[4, 7, 9], [1, 2], []], [9, 1, 0]).tolist() == [pytest.approx(1 / 3), 1.0, 0.0]
