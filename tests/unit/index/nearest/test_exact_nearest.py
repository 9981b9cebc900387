"""Exact nearest records against the plain definition, in double precision and with all scores sorted."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.index.nearest import exact as nearest
from tacit.index.nearest.exact import cosines, lengths_of, top


@pytest.fixture
def positions() -> np.ndarray:
    made = np.random.default_rng(2).standard_normal((500, 6)).astype(np.float32)
    made[7] = 0
    return made


def by_definition(query: np.ndarray, positions: np.ndarray) -> np.ndarray:
    lengths = np.linalg.norm(positions.astype(np.float64), axis=1) * np.linalg.norm(query.astype(np.float64))
    return np.divide(positions.astype(np.float64) @ query, lengths, out=np.zeros(len(positions)), where=lengths > 0)


@settings(max_examples=60, deadline=None)
@given(
    scores=st.lists(st.integers(-3, 3) | st.floats(-1, 1, width=32), max_size=60),
    limit=st.integers(1, 70),
    rows=st.integers(1, 20),
)
def test_top_is_a_stable_sort_cut_off(scores: list[float], limit: int, rows: int) -> None:
    given_scores = np.array(scores, np.float32)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(nearest, "_ROWS", rows)  # so that short lists have a first block and a rest too
        found = top(given_scores, limit)
    assert found.tolist() == np.argsort(-given_scores, kind="stable")[:limit].tolist()


@pytest.mark.parametrize("order", ["as drawn", "ascending", "descending"])
def test_top_of_many_scores_in_any_order(order: str) -> None:
    scores = np.random.default_rng(0).random(300_000).astype(np.float32)
    scores = {"as drawn": scores, "ascending": np.sort(scores), "descending": -np.sort(-scores)}[order]
    assert top(scores, 25).tolist() == np.argsort(-scores, kind="stable")[:25].tolist()


@pytest.mark.parametrize("block", [64, 65_536])
def test_cosines_of_all_rows_and_of_few_and_of_many(
    positions: np.ndarray, block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(nearest, "_ROWS", block)
    query = positions[3] + positions[9]
    expected, lengths = by_definition(query, positions), lengths_of(positions)
    np.testing.assert_allclose(cosines(query, positions, lengths), expected, atol=1e-6)
    for rows in (np.array([9, 3, 7]), np.arange(499, 99, -1), np.empty(0, np.int64)):
        np.testing.assert_allclose(cosines(query, positions, lengths, rows), expected[rows], atol=1e-6)


def test_a_row_of_zeros_is_near_to_nothing(positions: np.ndarray) -> None:
    assert lengths_of(positions)[7] == 1
    assert cosines(positions[0], positions, lengths_of(positions))[7] == 0
    assert not cosines(np.zeros(6, np.float32), positions, lengths_of(positions)).any()
