"""Nearest neighbours against the plain definition."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.errors import InputError
from tacit.tasks.hits import Hit
from tacit.tasks.nearest import _largest, nearest


def by_definition(queries, collection, limit):
    """Cosine of every pair in double precision, all of them sorted."""
    cosines = np.array([
        [q @ c / (np.linalg.norm(q) * np.linalg.norm(c)) if np.any(q) and np.any(c) else 0.0 for c in collection] for
        q in queries
    ])  # fmt: skip
    rows = np.argsort(-cosines, axis=1, kind="stable")[:, :limit]
    return rows, np.take_along_axis(cosines, rows, axis=1)


@pytest.fixture
def vectors():
    rng = np.random.default_rng(3)
    dense = rng.normal(size=(60, 8)) * (rng.random((60, 8)) < 0.5)
    dense[7] = 0
    return dense[:9], dense[9:]


@pytest.mark.parametrize("query_kind", [np.asarray, sp.csr_array, sp.csc_matrix])
@pytest.mark.parametrize("collection_kind", [np.asarray, sp.csr_array, sp.coo_matrix])
def test_dense_and_sparse_agree_with_the_definition(vectors, query_kind, collection_kind):
    queries, collection = vectors
    found = nearest(query_kind(queries), collection_kind(collection), 5)
    rows, scores = by_definition(queries, collection, 5)
    assert np.allclose(found.scores, scores)
    nonzero = np.any(queries, axis=1)
    assert np.array_equal(found.rows[nonzero], rows[nonzero])


def test_batches_do_not_change_the_answer(vectors, monkeypatch):
    whole = nearest(*vectors, 7)
    monkeypatch.setattr("tacit.tasks.nearest._BATCH_BYTES", 2 * 8 * len(vectors[1]))
    parts = nearest(*vectors, 7)
    assert np.array_equal(whole.rows, parts.rows)
    assert np.allclose(whole.scores, parts.scores)


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=30), st.integers(1, 30))
@settings(max_examples=100, deadline=None)
def test_ties_go_by_row(values, limit):
    limit = min(limit, len(values))
    expected = sorted(range(len(values)), key=lambda row: (-values[row], row))[:limit]
    assert _largest(np.array(values, dtype=float), limit).tolist() == expected


def test_a_zero_vector_is_unrelated_to_everything():
    found = nearest(np.zeros((1, 3)), np.eye(3), 2)
    assert found.scores.tolist() == [[0, 0]]
    assert found.rows.tolist() == [[0, 1]]


def test_length_does_not_count_and_scores_stay_cosines():
    direction = np.array([[0.1, 0.2, 0.3]], dtype=np.float32)
    found = nearest(1e-3 * direction, np.vstack([1e3 * direction, -direction]), 2)
    assert found.scores.dtype == np.float32
    assert np.allclose(found.scores, [[1, -1]])
    assert np.abs(found.scores).max() <= 1


def test_small_and_empty_collections():
    assert nearest(np.ones((2, 3)), np.eye(3), 10).rows.shape == (2, 3)
    assert nearest(np.ones((2, 3)), np.empty((0, 3)), 10).rows.shape == (2, 0)
    assert nearest(np.empty((0, 3)), np.eye(3), 2).scores.shape == (0, 2)


def test_whole_numbers_count_as_numbers():
    assert nearest([[3, 4]], [[4, 3], [3, 4]], 1).rows.tolist() == [[1]]


@pytest.mark.parametrize(
    ("queries", "collection", "limit", "message"),
    [
        (
            np.ones((1, 2)),
            np.ones((4, 3)),
            1,
            "query_vectors does not match collection_vectors: got 2 dimensions for 3",
        ),
        (
            np.ones(3),
            np.ones((4, 3)),
            1,
            r"query_vectors is not a matrix: got 1 dimensions, expected 2\. Write \[vector\]",
        ),
        (np.ones((1, 3)), np.full((4, 3), np.nan), 1, "collection_vectors contains NaN"),
        (np.ones((1, 3)), np.ones((4, 3)), 0, "limit is out of range: got 0"),
    ],
)
def test_what_cannot_be_compared_is_refused(queries, collection, limit, message):
    with pytest.raises(InputError, match=message):
        nearest(queries, collection, limit)


def test_a_hit_cannot_be_changed():
    hit = Hit("a", 0.5)
    assert hit.why == ()
    with pytest.raises(dataclasses.FrozenInstanceError):
        hit.score = 1.0  # type: ignore[misc]
