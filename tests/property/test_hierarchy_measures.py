"""Hierarchical measures on any taxonomy: what they must be at their ends, and what must not change them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tacit.evaluate import f1, hierarchical_f1, level_report, tree_distance
from tacit.relations.taxonomy.taxonomy import Taxonomy

quick = settings(max_examples=30, deadline=None)


@st.composite
def taxonomies(draw: st.DrawFn) -> Taxonomy:
    """Trees and polyhierarchies of up to 10 nodes, with one or more roots."""
    n_nodes = draw(st.integers(2, 10))
    above = [draw(st.sets(st.integers(0, node - 1), max_size=2)) if node else set() for node in range(n_nodes)]
    return Taxonomy.from_parents({f"n{node}": [f"n{one}" for one in sorted(above[node])] for node in range(n_nodes)})


@st.composite
def judged(draw: st.DrawFn) -> tuple[Taxonomy, list, list]:
    """A taxonomy, and true and predicted labels of up to 6 records, at least one of which has a true label."""
    taxonomy = draw(taxonomies())
    labels = st.sets(st.sampled_from(taxonomy.names), max_size=4)
    truth = draw(st.lists(st.none() | labels, min_size=1, max_size=6))
    assume(any(truth))
    return taxonomy, truth, [draw(labels) for _ in truth]


def numbers(measured: object) -> list[float]:
    return [value for value in vars(measured).values() if isinstance(value, (int, float))]


@quick
@given(judged())
def test_a_perfect_prediction_is_1_and_has_distance_0(case: tuple) -> None:
    taxonomy, truth, _ = case
    measured = hierarchical_f1(truth, truth, taxonomy, roots=True)
    assert (measured.precision, measured.recall, measured.f1, measured.mean_f1) == (1, 1, 1, 1)
    assert tree_distance(truth, truth, taxonomy).mean == 0
    assert {row.micro_f1 for row in level_report(truth, truth, taxonomy).levels if row.n_judged} == {1.0}


@quick
@given(judged())
def test_only_equal_sets_have_distance_0(case: tuple) -> None:
    taxonomy, truth, said = case
    measured = tree_distance(truth, said, taxonomy)
    equal = all(one is None or one == other for one, other in zip(truth, said, strict=True))
    assert (measured.mean == 0) == equal
    assert measured.histogram[0] == 0
    assert measured.histogram.sum() == measured.n_wrong + measured.n_missed
    weighted = measured.n_wrong * measured.mean_wrong + measured.n_missed * measured.mean_missed
    assert weighted == pytest.approx(measured.histogram @ np.arange(len(measured.histogram)))


@quick
@given(judged())
def test_all_rates_lie_between_0_and_1_and_f1_between_precision_and_recall(case: tuple) -> None:
    measured = hierarchical_f1(case[1], case[2], case[0], roots=True)
    rates = [measured.precision, measured.recall, measured.f1]
    assert all(0 <= rate <= 1 for rate in [*rates, measured.mean_precision, measured.mean_recall, measured.mean_f1])
    assert min(rates[:2]) - 1e-12 <= measured.f1 <= max(rates[:2]) + 1e-12


@quick
@given(judged(), st.booleans())
def test_an_ancestor_that_a_label_implies_changes_nothing(case: tuple, expand_truth: bool) -> None:
    taxonomy, truth, said = case
    implied = [{name for label in one for name in (label, *taxonomy.ancestors(label))} for one in said]
    other_truth = taxonomy.expand(truth) if expand_truth else truth
    plain = hierarchical_f1(truth, said, taxonomy, roots=True)
    assert numbers(hierarchical_f1(other_truth, implied, taxonomy, roots=True)) == pytest.approx(numbers(plain))
    assert repr(level_report(other_truth, implied, taxonomy)) == repr(level_report(truth, said, taxonomy))


@quick
@given(judged(), st.randoms())
def test_order_of_records_and_names_of_nodes_change_nothing(case: tuple, random: object) -> None:
    taxonomy, truth, said = case
    order = list(range(len(truth)))
    random.shuffle(order)
    # numbers in place of texts, given children first: the taxonomy sorts its nodes anew
    number = {name: 100 - place for place, name in enumerate(taxonomy)}
    renamed = Taxonomy.from_parents(
        {number[name]: [number[one] for one in taxonomy.parents(name)] for name in reversed(taxonomy.names)}
    )
    new = [
        [None if sets[row] is None else {number[label] for label in sets[row]} for row in order]
        for sets in (truth, said)
    ]
    for measure in (lambda *args: hierarchical_f1(*args, roots=True), tree_distance):
        assert numbers(measure(*new, renamed)) == pytest.approx(numbers(measure(truth, said, taxonomy)))


@quick
@given(judged())
def test_swapping_truth_and_prediction_swaps_precision_and_recall(case: tuple) -> None:
    taxonomy, truth, said = case
    rows = [row for row, labels in enumerate(truth) if labels is not None]
    truth, said = [truth[row] for row in rows], [said[row] for row in rows]
    one = hierarchical_f1(truth, said, taxonomy, roots=True)
    other = hierarchical_f1(said, truth, taxonomy, roots=True)
    assert (one.precision, one.recall, one.f1) == pytest.approx((other.recall, other.precision, other.f1))
    assert (one.mean_precision, one.mean_recall) == pytest.approx((other.mean_recall, other.mean_precision))
    near, far = tree_distance(truth, said, taxonomy), tree_distance(said, truth, taxonomy)
    assert (near.mean, near.mean_wrong, near.mean_missed) == (far.mean, far.mean_missed, far.mean_wrong)


@quick
@given(judged())
def test_without_a_hierarchy_it_is_the_flat_f1_and_mistakes_are_1_or_2_away(case: tuple) -> None:
    taxonomy, truth, said = case
    flat = Taxonomy.from_parents(dict.fromkeys(taxonomy.names))
    assert hierarchical_f1(truth, said, flat).f1 == pytest.approx(f1(truth, said).micro)
    report = level_report(truth, said, flat)
    assert len(report.levels) == 1
    assert report.levels[0].micro_f1 == pytest.approx(f1(truth, said).micro)
    assert tree_distance(truth, said, flat).histogram[:1].sum() == 0
    assert len(tree_distance(truth, said, flat).histogram) <= 3


@quick
@given(judged())
def test_a_more_general_prediction_on_the_right_way_is_never_imprecise(case: tuple) -> None:
    taxonomy, truth, _ = case
    general = [None if one is None else {name for label in one for name in taxonomy.parents(label)} for one in truth]
    measured = hierarchical_f1(truth, general, taxonomy, roots=True)
    assert measured.precision == (1.0 if any(general) else 0.0)
    assert measured.recall < 1


@quick
@given(judged())
def test_levels_add_up_to_the_whole(case: tuple) -> None:
    taxonomy, truth, said = case
    whole, levels = hierarchical_f1(truth, said, taxonomy, roots=True), level_report(truth, said, taxonomy).levels
    assert sum(row.n_nodes for row in levels) == len(taxonomy)
    rates = [row.micro_f1 for row in levels if row.n_judged]
    assert min(rates) - 1e-12 <= whole.f1 <= max(rates) + 1e-12
