"""Hierarchical measures: worked examples, brute-force twins with Python sets, and what is said of bad input."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.sparse as sp

from tacit.errors import InputError, TacitWarning
from tacit.evaluate import f1, hierarchical_f1, level_report, tree_distance
from tacit.evaluate.measures import hierarchy
from tacit.relations import LabelMatrix
from tacit.relations.taxonomy.taxonomy import Taxonomy

#        animals            things
#        /     \              |
#      cats    dogs          cars
#     /    \     |
#  lions tigers wolves
ZOO = Taxonomy.from_parents(
    {
        "animals": None, "things": None, "cats": "animals", "dogs": "animals", "cars": "things",
        "lions": "cats", "tigers": "cats", "wolves": "dogs",
    }
)  # fmt: skip
ONE_ROOT = Taxonomy.from_parents({"all": None, "a": "all", "b": "all", "a1": "a", "a2": "a"})
# "bat" is a mammal and, to this museum, a flyer; its shortest way up has one edge fewer than its longest
MUSEUM = Taxonomy.from_parents(
    {"life": None, "flyers": None, "mammals": "life", "bats": ["mammals", "flyers"], "birds": ["life", "flyers"]}
)


@pytest.fixture(scope="module")
def big() -> tuple[Taxonomy, list, list]:
    """A random polyhierarchy of 60 nodes in 4 trees, and 300 records with labels, some unknown or empty."""
    rng = np.random.default_rng(5)
    parents = {node: None if node < 4 else set(rng.integers(0, node, size=rng.integers(1, 3))) for node in range(60)}
    parents = {f"n{node}": above and [f"n{one}" for one in above] for node, above in parents.items()}

    def draw() -> list:
        return [{f"n{one}" for one in rng.integers(0, 60, size=rng.integers(0, 5))} for _ in range(300)]

    truth, said = draw(), draw()
    said = [own | (said_of if row % 2 else set()) for row, (own, said_of) in enumerate(zip(said, truth, strict=True))]
    truth[7] = truth[90] = None
    return Taxonomy.from_parents(parents), truth, said


def above(taxonomy: Taxonomy, labels: set, without: set = frozenset()) -> set:
    return set(labels).union(*(taxonomy.ancestors(one) for one in labels)) - without


class TestHierarchicalF1:
    def test_worked_example(self) -> None:
        # lions said tigers: {animals, cats} of 3 and 3; cars said cars: 2 of 2 and 2
        measured = hierarchical_f1([{"lions"}, {"cars"}], [{"tigers"}, {"cars"}], ZOO)
        assert measured.precision == pytest.approx(4 / 5)
        assert measured.recall == pytest.approx(4 / 5)
        assert measured.f1 == pytest.approx(4 / 5)
        assert measured.mean_f1 == pytest.approx((2 / 3 + 1) / 2)
        np.testing.assert_allclose(measured.per_record, [2 / 3, 1])
        assert measured.n_records == 2

    def test_too_general_costs_recall_and_too_special_costs_precision(self) -> None:
        general = hierarchical_f1([{"lions"}], [{"cats"}], ZOO)
        special = hierarchical_f1([{"cats"}], [{"lions"}], ZOO)
        assert (general.precision, general.recall) == (1.0, pytest.approx(2 / 3))
        assert (special.precision, special.recall) == (pytest.approx(2 / 3), 1.0)

    def test_a_single_root_is_left_out_and_several_are_not(self) -> None:
        assert hierarchical_f1([{"a1"}], [{"b"}], ONE_ROOT).f1 == 0.0
        assert hierarchical_f1([{"a1"}], [{"b"}], ONE_ROOT, roots=True).f1 == pytest.approx(2 / 5)
        assert hierarchical_f1([{"cats"}], [{"dogs"}], ZOO).f1 == pytest.approx(1 / 2)
        assert hierarchical_f1([{"cats"}], [{"dogs"}], ZOO, roots=False).f1 == 0.0

    @pytest.mark.parametrize("roots", [None, False, True])
    def test_equals_python_sets_in_a_polyhierarchy(self, big, roots) -> None:
        taxonomy, truth, said = big
        without = set(taxonomy.roots) if roots is False else set()
        pairs = [
            (above(taxonomy, one, without), above(taxonomy, other, without))
            for one, other in zip(truth, said, strict=True)
            if one is not None
        ]
        hits, n_true, n_said = (
            sum(len(t & p) for t, p in pairs), sum(len(t) for t, _ in pairs), sum(len(p) for _, p in pairs)
        )  # fmt: skip
        measured = hierarchical_f1(truth, said, taxonomy, roots=roots)
        assert measured.precision == pytest.approx(hits / n_said)
        assert measured.recall == pytest.approx(hits / n_true)
        assert measured.f1 == pytest.approx(2 * hits / (n_said + n_true))
        assert measured.mean_precision == pytest.approx(np.mean([len(t & p) / len(p) for t, p in pairs if p]))
        assert measured.mean_recall == pytest.approx(np.mean([len(t & p) / len(t) for t, p in pairs if t]))
        by_record = [2 * len(t & p) / (len(t) + len(p)) for t, p in pairs if t or p]
        assert measured.mean_f1 == pytest.approx(np.mean(by_record))
        assert measured.n_records == len(by_record)
        np.testing.assert_allclose(measured.per_record[~np.isnan(measured.per_record)], by_record)
        assert np.isnan(measured.per_record[[7, 90]]).all()

    def test_is_the_flat_micro_f1_of_expanded_labels(self, big) -> None:
        taxonomy, truth, said = big
        flat = f1(taxonomy.expand(truth), taxonomy.expand(said))
        assert hierarchical_f1(truth, said, taxonomy, roots=True).f1 == pytest.approx(flat.micro)

    def test_silence_has_no_precision_and_no_recall(self) -> None:
        silent = hierarchical_f1([{"lions"}, {"cars"}], [set(), None], ZOO)
        assert [silent.precision, silent.recall, silent.f1, silent.mean_precision, silent.mean_f1] == [0.0] * 5
        talk = hierarchical_f1([set()], [{"lions"}], ZOO)
        assert [talk.precision, talk.recall, talk.mean_recall, talk.f1] == [0.0] * 4

    @pytest.mark.parametrize("y_true", [[None, None], [set(), None]])
    def test_nothing_to_measure_is_nan_with_a_warning(self, y_true) -> None:
        with pytest.warns(TacitWarning, match="Nothing can be measured: none of 2 records has a known label or a pred"):
            measured = hierarchical_f1(y_true, [set(), set()], ZOO)
        assert math.isnan(measured.f1)
        assert math.isnan(measured.mean_f1)
        assert measured.n_records == 0


class TestTreeDistance:
    def test_worked_example(self) -> None:
        # tigers - lions 2; lions - tigers 2; wolves - {cars}: up 2, virtual root, down 1 = 3 + 2; cars - wolves 5
        measured = tree_distance([{"lions"}, {"cars"}, {"cats"}], [{"tigers"}, {"wolves"}, {"cats"}], ZOO)
        assert measured.histogram.tolist() == [0, 0, 2, 0, 0, 2]
        assert measured.mean == pytest.approx(3.5)
        assert (measured.mean_wrong, measured.mean_missed) == (3.5, 3.5)
        assert (measured.n_wrong, measured.n_missed, measured.n_right) == (2, 2, 1)

    def test_the_nearest_label_counts_even_if_it_was_right(self) -> None:
        measured = tree_distance([{"lions", "cars"}], [{"lions", "tigers"}], ZOO)
        assert measured.mean_wrong == 2.0  # tigers to lions, not to cars
        assert measured.mean_missed == 5.0  # cars to either cat

    def test_without_the_other_side_the_way_leads_to_the_virtual_root(self) -> None:
        measured = tree_distance([{"lions"}, set(), set()], [set(), {"cars"}, None], ZOO)
        assert (measured.mean_missed, measured.mean_wrong) == (3.0, 2.0)
        assert tree_distance([{"bats"}], [set()], MUSEUM).mean == 2.0  # by flyers; by mammals it would be 3

    def test_no_mistake_is_distance_0(self) -> None:
        measured = tree_distance([{"lions"}, None], [{"lions"}, {"cars"}], ZOO)
        assert (measured.mean, measured.mean_wrong, measured.mean_missed) == (0.0, 0.0, 0.0)
        assert measured.histogram.tolist() == [0]
        assert measured.n_right == 1

    @pytest.mark.parametrize("block", [1, 100, hierarchy._BLOCK])
    def test_equals_a_search_through_all_pairs(self, big, block, monkeypatch) -> None:
        monkeypatch.setattr(hierarchy, "_BLOCK", block)
        taxonomy, truth, said = big
        wrong, missed = [], []
        for one, other in zip(truth, said, strict=True):
            if one is not None:
                wrong += [_nearest(taxonomy, label, one) for label in other - one]
                missed += [_nearest(taxonomy, label, other) for label in one - other]
        measured = tree_distance(truth, said, taxonomy)
        assert measured.mean_wrong == pytest.approx(np.mean(wrong))
        assert measured.mean_missed == pytest.approx(np.mean(missed))
        assert measured.mean == pytest.approx(np.mean(wrong + missed))
        assert measured.histogram.tolist() == np.bincount(wrong + missed).tolist()
        assert (measured.n_wrong, measured.n_missed) == (len(wrong), len(missed))


def _nearest(taxonomy: Taxonomy, label: str, others: set) -> int:
    if others:
        return min(taxonomy.distance(label, other) for other in others)
    steps, reached = 1, {label}
    while not reached & set(taxonomy.roots):
        steps, reached = steps + 1, {parent for node in reached for parent in taxonomy.parents(node)}
    return steps


class TestLevelReport:
    def test_worked_example(self) -> None:
        report = level_report([{"lions"}, {"cars"}, None], [{"tigers"}, {"cars"}, {"wolves"}], ZOO)
        top, middle, bottom = report.levels
        assert (top.n_nodes, top.n_judged, top.n_records) == (2, 2, 2)
        assert (top.precision, top.recall, top.micro_f1, top.macro_f1) == (1, 1, 1, 1)
        assert (middle.n_nodes, middle.n_judged, middle.micro_f1) == (3, 2, 1.0)
        assert (bottom.depth, bottom.n_nodes, bottom.n_judged, bottom.n_records) == (2, 3, 2, 1)
        assert (bottom.precision, bottom.recall, bottom.micro_f1, bottom.macro_f1) == (0, 0, 0, 0)

    def test_each_level_is_the_flat_f1_of_its_nodes(self, big) -> None:
        taxonomy, truth, said = big
        one, other = taxonomy.expand(truth), taxonomy.expand(said)
        report = level_report(truth, said, taxonomy)
        assert [row.depth for row in report.levels] == sorted(set(taxonomy.depths.tolist()))
        for row in report.levels:
            nodes = [name for name in taxonomy if taxonomy.depth(name) == row.depth]
            # unknown rows of the prediction keep their labels: what is unknown is the truth
            flat = f1(one.select(nodes), other.select(nodes), trained=one.select(nodes).counts + 1)
            assert row.micro_f1 == pytest.approx(flat.micro)
            assert row.n_nodes == len(nodes)
            known = one.known
            used = [
                column
                for column, name in enumerate(nodes)
                if one.select([name]).counts[0] or other[known].select([name]).counts[0]
            ]
            assert row.n_judged == len(used)
            assert row.macro_f1 == pytest.approx(flat.per_label[used].mean())
            assert row.n_records == np.count_nonzero(np.diff(one.select(nodes).indicator.indptr))

    def test_a_level_that_nobody_reaches_is_nan_in_the_table_too(self) -> None:
        report = level_report([{"cats"}], [{"cats"}], ZOO)
        assert report.levels[2].n_judged == 0
        assert math.isnan(report.levels[2].macro_f1)
        lines = report.text().splitlines()
        assert lines[0].split() == [
            "depth",
            "nodes",
            "judged",
            "records",
            "precision",
            "recall",
            "micro",
            "F1",
            "macro",
            "F1",
        ]
        assert lines[2].split() == ["1", "3", "1", "1", "1.000", "1.000", "1.000", "1.000"]
        assert lines[3].split() == ["2", "3", "0", "0", "nan", "nan", "nan", "nan"]
        assert len({len(line) for line in lines}) == 1


class TestForms:
    truth = ({"lions"}, {"cars", "cats"}, {"wolves"})
    said = ({"tigers"}, {"cars"}, {"dogs", "wolves"})

    @pytest.mark.parametrize("form", [np.asarray, sp.csr_array, lambda dense: dense.astype(int)])
    def test_a_matrix_without_names_has_a_column_a_node(self, form) -> None:
        one, other = (LabelMatrix.from_sets(sets, ZOO.names).indicator.toarray() for sets in (self.truth, self.said))
        expected = hierarchical_f1(self.truth, self.said, ZOO)
        assert hierarchical_f1(form(one), form(other), ZOO).f1 == expected.f1
        assert tree_distance(form(one), form(other), ZOO).mean == tree_distance(self.truth, self.said, ZOO).mean

    def test_a_matrix_without_names_takes_those_of_the_other_side(self) -> None:
        truth = LabelMatrix.from_sets(self.truth, ["cars", "cats", "dogs", "lions", "tigers", "wolves"])
        said = LabelMatrix.from_sets(self.said, truth.names)
        expected = hierarchical_f1(self.truth, self.said, ZOO)
        assert hierarchical_f1(truth, said.indicator.toarray(), ZOO).f1 == expected.f1
        assert hierarchical_f1(truth.indicator, said, ZOO).f1 == expected.f1

    def test_one_class_a_record(self) -> None:
        assert hierarchical_f1(["lions", "cars"], np.array(["tigers", "cars"]), ZOO).f1 == pytest.approx(4 / 5)

    def test_numbered_nodes_are_meant_by_number(self) -> None:
        numbered = Taxonomy.from_parents({2: None, 0: 2, 1: 2})
        truth, said = np.array([[1, 0, 0]]), np.array([[0, 1, 0]])
        assert tree_distance(truth, said, numbered).mean == 2.0
        assert tree_distance(truth, np.array([[0, 0, 1]]), numbered).mean == 1.0

    def test_a_column_that_nobody_uses_needs_no_node(self) -> None:
        unused = LabelMatrix.from_sets([{"lions"}], ["lions", "unicorns"])
        assert hierarchical_f1(unused, unused, ZOO).f1 == 1.0


@pytest.mark.parametrize("measure", [hierarchical_f1, tree_distance, level_report])
class TestBadInput:
    def test_a_name_that_is_no_node(self, measure) -> None:
        message = (
            r"y_pred has labels outside the taxonomy: got 'lion', expected names of its 8 nodes. Did you mean 'lions'\?"
        )
        with pytest.raises(InputError, match=message):
            measure([{"lions"}], [{"lion"}], ZOO)
        message = (
            "y_true has labels outside the taxonomy: got 'qqq', 'zzz', expected .* Add them to the taxonomy or leave"
        )
        with pytest.raises(InputError, match=message):
            measure([{"zzz", "qqq"}], [{"lions"}], ZOO)

    def test_a_matrix_of_another_width(self, measure) -> None:
        with pytest.raises(
            InputError, match="y_true has labels outside the taxonomy: got '0', expected names of its 8"
        ):
            measure(np.array([[1, 0, 0]]), np.array([[0, 0, 1]]), ZOO)

    def test_another_number_of_records(self, measure) -> None:
        with pytest.raises(InputError, match="y_pred does not match y_true: got 2 rows for 1 records"):
            measure([{"lions"}], [{"lions"}, {"cats"}], ZOO)

    def test_a_mapping_in_place_of_a_taxonomy(self, measure) -> None:
        with pytest.raises(InputError, match="taxonomy is not a Taxonomy: got dict, expected one"):
            measure([{"lions"}], [{"lions"}], {"lions": None})
