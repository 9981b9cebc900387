"""Clustering measures against the paper's sums written out, and their ends."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

from tacit.errors import InputError
from tacit.evaluate import ari, clustering_f, clustering_report, nmi


def f_by_definition(categories, clusters):
    """Sec. 5.2.1 with its three fractions, for every pair of category and cluster."""
    total = 0.0
    for category in set(categories):
        best = 0.0
        for found in set(clusters):
            both = sum(a == category and b == found for a, b in zip(categories, clusters, strict=True))
            if both:
                recall, precision = both / categories.count(category), both / clusters.count(found)
                best = max(best, 2 * precision * recall / (precision + recall))
        total += categories.count(category) / len(categories) * best
    return total


def test_f_by_hand():
    # category a (3): cluster 0 has 2 of its 2, F = 2*2/(3+2); category b (1): cluster 1 has 1 of its 2, F = 2*1/(1+2)
    assert clustering_f(["a", "a", "a", "b"], [0, 0, 1, 1]) == pytest.approx(3 / 4 * 4 / 5 + 1 / 4 * 2 / 3)


def test_measures_agree_with_their_definitions(rng):
    for _ in range(20):
        categories = rng.choice(list("pqrs"), size=30).tolist()
        clusters = rng.integers(0, 6, size=30).tolist()
        assert clustering_f(categories, clusters) == pytest.approx(f_by_definition(categories, clusters))
        assert nmi(categories, clusters) == pytest.approx(normalized_mutual_info_score(categories, clusters))
        assert ari(categories, clusters) == pytest.approx(adjusted_rand_score(categories, clusters))


def test_names_of_groups_do_not_matter(rng):
    categories, clusters = rng.integers(0, 3, size=40), rng.integers(0, 5, size=40)
    renamed = np.array(["e", "d", "c", "b", "a"])[clusters]
    for measure in (clustering_f, nmi, ari):
        assert measure(categories, clusters) == pytest.approx(measure(categories * 10, renamed))


def test_only_the_same_grouping_reaches_1():
    categories = [0, 0, 1, 1, 2]
    for measure in (clustering_f, nmi, ari):
        assert measure(categories, ["x", "x", "y", "y", "z"]) == pytest.approx(1)
        assert measure(categories, [0, 0, 1, 2, 3]) < 1
        assert measure(categories, [0, 0, 0, 0, 0]) < 1


def test_one_cluster_for_everything_is_flattered_by_f_alone():
    categories = [0] * 10 + [1] * 10
    assert clustering_f(categories, [0] * 20) == pytest.approx(2 / 3)
    assert nmi(categories, [0] * 20) == ari(categories, [0] * 20) == 0


def test_the_report_gathers_all():
    report = clustering_report(["a", "a", "b"], [4, 4, 7])
    assert report == {"n_records": 3, "n_categories": 2, "n_clusters": 2, "f": 1.0, "nmi": 1.0, "ari": 1.0}


@pytest.mark.parametrize("measure", [clustering_f, nmi, ari, clustering_report])
def test_bad_input_is_named(measure):
    with pytest.raises(InputError, match="clusters does not match categories: got 1 rows for 2 records"):
        measure([0, 1], [0])
    with pytest.raises(InputError, match=r"categories is not a list of groups: got shape \(0,\)"):
        measure([], [])
    with pytest.raises(InputError, match=r"clusters is not a list of groups: got shape \(1, 2\)"):
        measure([0, 1], [[0, 1]])
    with pytest.raises(InputError, match="categories has gaps: got None or NaN"):
        measure(["a", None], [0, 1])
    with pytest.raises(InputError, match="clusters has gaps: got None or NaN"):
        measure(["a", "b"], [0, np.nan])
