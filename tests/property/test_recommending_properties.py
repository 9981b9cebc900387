"""Recommending on any table of ratings: what must not change the measures and predictions, and where they end."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tacit.evaluate import clustering_f, coverage, half_life_utility, precision_recall_ndcg
from tacit.tasks.recommend.recommender import pearson_similarities, predict_eq7

quick = settings(max_examples=30, deadline=None)


@st.composite
def lists(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Scores with ties, test ratings and training ratings that never overlap, for up to 5 users and 6 items."""
    shape = draw(st.tuples(st.integers(1, 5), st.integers(1, 6)))
    ratings = draw(arrays(np.int64, shape, elements=st.integers(0, 5)))
    held_out = draw(arrays(np.bool_, shape))
    scores = draw(arrays(np.float64, shape, elements=st.integers(-2, 2).map(float)))
    assume((ratings * held_out).any())
    return scores, ratings * held_out, ratings * ~held_out


@st.composite
def tables(draw: st.DrawFn) -> np.ndarray:
    shape = draw(st.tuples(st.integers(2, 6), st.integers(1, 6)))
    return draw(arrays(np.int64, shape, elements=st.integers(0, 5)))


def measures(scores: np.ndarray, test: np.ndarray, seen: np.ndarray) -> list[float]:
    top = precision_recall_ndcg(scores, test, 2, seen)
    utility = half_life_utility(scores, test, seen=seen, baseline=0).score
    return [utility, top.precision, top.recall, top.ndcg, coverage(scores, 2, seen)]


@quick
@given(lists(), st.randoms(use_true_random=False))
def test_the_order_of_users_and_items_does_not_matter(case: tuple, random: object) -> None:
    users, items = list(range(case[0].shape[0])), list(range(case[0].shape[1]))
    random.shuffle(users)  # type: ignore[attr-defined]
    random.shuffle(items)  # type: ignore[attr-defined]
    moved = [table[users][:, items] for table in case]
    assert measures(*moved) == pytest.approx(measures(*case))


@quick
@given(lists())
def test_only_the_order_of_the_scores_matters(case: tuple) -> None:
    scores, test, seen = case
    assert measures(np.exp(scores) * 7 - 3, test, seen) == pytest.approx(measures(scores, test, seen))


@quick
@given(lists())
def test_scores_of_seen_items_do_not_matter(case: tuple) -> None:
    scores, test, seen = case
    assert measures(np.where(seen > 0, 99.0, scores), test, seen) == pytest.approx(measures(scores, test, seen))


@quick
@given(lists())
def test_the_true_ratings_rank_best_and_nothing_ranks_better(case: tuple) -> None:
    scores, test, seen = case
    ideal = measures(test.astype(float), test, seen)
    assert ideal[0] == pytest.approx(100)
    assert ideal[3] == pytest.approx(1)
    found = measures(scores, test, seen)
    assert all(-1e-12 <= mine <= best + 1e-9 for mine, best in zip(found[:4], ideal[:4], strict=True))
    assert 0 <= found[4] <= 1


@quick
@given(lists())
def test_half_life_weighs_only_what_is_above_the_baseline(case: tuple) -> None:
    scores, test, seen = case
    assume((test > 3).any())
    plain = half_life_utility(scores, test, seen=seen, baseline=3)
    assert half_life_utility(scores, np.where(test > 3, test, 0), seen=seen, baseline=3).score == pytest.approx(
        plain.score
    )
    assert (plain.per_user <= plain.best_per_user + 1e-9).all()


@quick
@given(tables())
def test_pearson_is_symmetric_bounded_and_blind_to_scale(table: np.ndarray) -> None:
    for over in ("all", "co-rated"):
        found = pearson_similarities(table, over=over)
        assert found == pytest.approx(found.T)
        assert np.abs(found).max() <= 1
        # 2 r + 1 where something is rated: another scale, the same taste
        assert pearson_similarities(np.where(table > 0, 2 * table + 1, 0), over=over) == pytest.approx(found)


@quick
@given(tables(), st.integers(1, 6))
def test_weights_may_be_scaled_where_they_are_divided_by(table: np.ndarray, n_neighbours: int) -> None:
    weights = pearson_similarities(table)
    for divide_by in ("neighbours", "raters"):
        one, other = (
            predict_eq7(table, factor * weights, n_neighbours=n_neighbours, divide_by=divide_by) for factor in (1, 8)
        )
        assert one == pytest.approx(other)


@quick
@given(tables())
def test_averaged_ratings_stay_on_the_scale(table: np.ndarray) -> None:
    weights = np.abs(pearson_similarities(table))
    for candidates in ("everyone", "raters"):
        found = predict_eq7(table, weights, mean="none", divide_by="raters", candidates=candidates)
        told = found != 0
        rated = np.where(table > 0, table, np.nan)
        for item in np.flatnonzero(told.any(axis=0)):
            assert np.nanmin(rated[:, item]) - 1e-9 <= found[told[:, item], item].min()
            assert found[told[:, item], item].max() <= np.nanmax(rated[:, item]) + 1e-9


@quick
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=12))
def test_clustering_f_is_between_0_and_1_and_is_1_only_for_the_same_grouping(pairs: list[tuple[int, int]]) -> None:
    categories, clusters = zip(*pairs, strict=True)
    found = clustering_f(categories, clusters)
    same = len(set(pairs)) == len(set(categories)) == len(set(clusters))
    assert 0 < found <= 1 + 1e-12
    assert (found == pytest.approx(1)) == same
