"""A taxonomy knows who is above whom, in trees and where nodes have several parents."""

from __future__ import annotations

import copy

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import BaseEstimator, clone

from tacit.errors import InputError
from tacit.relations import LabelMatrix, Taxonomy

ZOO = {
    "animals": None,
    "pets": None,
    "mammals": "animals",
    "birds": ["animals"],
    "cats": ("mammals", "pets"),
    "dogs": ["mammals", "pets"],
    "parrots": {"birds", "pets"},
    "siamese": "cats",
    "stones": "",
}


@pytest.fixture
def zoo() -> Taxonomy:
    return Taxonomy.from_parents(ZOO, titles={"cats": "Cats", "dogs": {"de": "Hunde", "en": "Dogs"}, "fish": "Fish"})


def test_names_keep_their_order_where_parents_already_come_first(zoo: Taxonomy) -> None:
    assert zoo.names == tuple(ZOO)
    assert list(zoo) == list(ZOO)
    assert len(zoo) == zoo.n_nodes == 9


def test_relatives_by_hand(zoo: Taxonomy) -> None:
    assert zoo.roots == ("animals", "pets", "stones")
    assert zoo.leaves == ("dogs", "parrots", "siamese", "stones")
    assert zoo.parents("cats") == ("pets", "mammals")
    assert zoo.children("pets") == ("cats", "dogs", "parrots")
    assert zoo.ancestors("siamese") == ("animals", "pets", "mammals", "cats")
    assert zoo.descendants("animals") == ("mammals", "birds", "cats", "dogs", "parrots", "siamese")
    assert zoo.siblings("cats") == ("dogs", "parrots")
    assert zoo.siblings("siamese") == ()
    assert zoo.siblings("pets") == ("animals", "stones")
    assert "cats" in zoo
    assert "fish" not in zoo
    assert ["cats"] not in zoo


def test_depth_is_the_longest_way(zoo: Taxonomy) -> None:
    assert zoo.depth("cats") == 2  # animals > mammals > cats, though pets > cats is shorter
    assert zoo.depths.tolist() == [0, 0, 1, 1, 2, 2, 2, 3, 0]


def test_lowest_common_ancestors_by_hand(zoo: Taxonomy) -> None:
    assert zoo.lowest_common_ancestors("cats", "dogs") == ("pets", "mammals")
    assert zoo.lowest_common_ancestors("cats", "parrots") == ("animals", "pets")
    assert zoo.lowest_common_ancestors("siamese", "mammals") == ("mammals",)
    assert zoo.lowest_common_ancestors("cats", "cats") == ("cats",)
    assert zoo.lowest_common_ancestors("cats", "stones") == ()


def test_distances_by_hand(zoo: Taxonomy) -> None:
    assert zoo.distance("cats", "cats") == 0
    assert zoo.distance("siamese", "dogs") == 3
    assert zoo.distance("siamese", "birds") == 4  # by animals; the way down to parrots and up again does not count
    assert zoo.distance("siamese", "animals") == 3
    assert zoo.distance("stones", "siamese") == 4  # stones, virtual root, pets, cats, siamese
    assert zoo.distances(["cats", "stones"], ["dogs", "birds", "cats"]).tolist() == [[2, 3, 0], [3, 3, 3]]
    assert zoo.distances([], ["cats"]).shape == (0, 1)
    assert zoo.distances(["cats"], []).shape == (1, 0)


def test_distances_of_many_nodes_do_not_depend_on_how_they_are_cut(zoo: Taxonomy, monkeypatch) -> None:
    whole, closure = zoo.distances(zoo.names, zoo.names), zoo.closure.toarray()
    monkeypatch.setattr("tacit.relations.taxonomy.walks._MARKS", 1)
    other = Taxonomy.from_parents(ZOO)
    np.testing.assert_array_equal(other.distances(zoo.names, zoo.names), whole)
    np.testing.assert_array_equal(other.closure.toarray(), closure)


def test_expanding_adds_ancestors_and_keeps_what_is_unknown(zoo: Taxonomy) -> None:
    expanded = zoo.expand([{"siamese"}, None, [], ["birds", "stones"]])
    assert expanded.names == zoo.names
    assert expanded.kind == "sets"
    assert expanded.known.tolist() == [True, False, True, True]
    assert expanded.to_sets() == [
        ("animals", "pets", "mammals", "cats", "siamese"), None, (), ("animals", "birds", "stones"),
    ]  # fmt: skip
    np.testing.assert_array_equal(np.unique(expanded.indicator.data), [1.0])


def test_every_form_of_labels_expands_alike(zoo: Taxonomy) -> None:
    wanted = zoo.expand([{"cats"}, {"birds"}]).to_sets()
    assert zoo.expand(["cats", "birds"]).to_sets() == wanted
    assert zoo.expand(LabelMatrix.from_matrix([[0, 1], [1, 0]], ["birds", "cats"])).to_sets() == wanted
    assert zoo.expand([{"labels": ["cats"]}, {"labels": ["birds"]}]).to_sets() == wanted


def test_a_label_that_no_record_carries_need_not_be_a_node(zoo: Taxonomy) -> None:
    labels = LabelMatrix.from_sets([{"cats"}], names=["cats", "unicorns"])
    assert zoo.expand(labels).to_sets() == [("animals", "pets", "mammals", "cats")]


def test_specificity_is_one_over_the_records_in_or_below(zoo: Taxonomy) -> None:
    found = dict(zip(zoo.names, zoo.specificity([{"cats"}, {"dogs", "siamese"}, {"birds"}, None]), strict=True))
    assert found == {
        "animals": 1 / 3, "pets": 1 / 2, "mammals": 1 / 2, "birds": 1, "cats": 1 / 2, "dogs": 1, "parrots": 0,
        "siamese": 1, "stones": 0,
    }  # fmt: skip


def test_subtree_and_restriction(zoo: Taxonomy) -> None:
    mammals = zoo.subtree("mammals")
    assert mammals.names == ("mammals", "cats", "dogs", "siamese")
    assert mammals.roots == ("mammals",)
    assert mammals.parents("cats") == ("mammals",)
    assert mammals.title("cats") == "Cats"
    some = zoo.restrict(["birds", "siamese"])
    assert some.names == ("animals", "pets", "mammals", "birds", "cats", "siamese")
    assert all(some.ancestors(name) == zoo.ancestors(name) for name in some)
    assert some.languages == ()
    assert zoo.languages == ("de", "en")


def test_titles_fall_back_to_what_there_is(zoo: Taxonomy) -> None:
    assert zoo.title("dogs", "en") == "Dogs"
    assert zoo.title("dogs", "EN") == "Dogs"
    assert zoo.title("dogs", "fr") == zoo.title("dogs") == "Hunde"
    assert zoo.title("cats", "fr") == "Cats"
    assert zoo.title("birds") == "birds"
    assert zoo.alternatives("dogs") == ()
    assert Taxonomy.from_parents({7: None}).title(7) == "7"
    variants = Taxonomy.from_parents({"a": None}, titles={"a": {"de": "Farbe", "en-GB": "Colour", "en-US": "Color"}})
    assert variants.title("a", "en") == "Colour"
    assert variants.title("a", "en-us") == "Color"


def test_summary_and_repr(zoo: Taxonomy) -> None:
    assert zoo.summary() == "9 nodes, 3 roots, 4 leaves, depth 3, 3 nodes with several parents"
    assert repr(zoo) == f"Taxonomy({zoo.summary()}; roots: 'animals', 'pets', 'stones')"
    assert Taxonomy.from_parents({"a": None}).summary() == "1 node, 1 root, 1 leaf, depth 0"
    assert not zoo.is_tree
    assert Taxonomy.from_parents({"a": None, "b": "a", "c": None}).is_tree


def test_copies_of_estimators_share_the_taxonomy(zoo: Taxonomy) -> None:
    class Model(BaseEstimator):
        def __init__(self, taxonomy: Taxonomy | None = None) -> None:
            self.taxonomy = taxonomy

    assert clone(Model(zoo)).taxonomy is zoo
    assert copy.copy(zoo) is zoo


def test_deep_chains_need_no_recursion() -> None:
    chain = Taxonomy.from_parents({node: node - 1 if node else None for node in range(20_000)})
    assert chain.depth(19_999) == 19_999
    assert len(chain.ancestors(19_999)) == len(chain.descendants(0)) == 19_999
    assert chain.distance(10_000, 5) == 9_995
    assert chain.lowest_common_ancestors(10_000, 5) == (5,)
    assert chain.expand([[1_000]]).indicator.nnz == 1_001


def test_a_hundred_thousand_nodes_have_a_sparse_closure(rng: np.random.Generator) -> None:
    above = np.concatenate([[0], (rng.random(99_999) * np.arange(1, 100_000)).astype(int)])
    taxonomy = Taxonomy.from_parents((node, int(above[node]) if node else None) for node in range(100_000))
    # each row has one entry more than that of the parent, and depth says how many there are in all
    np.testing.assert_array_equal(np.diff(taxonomy.closure.indptr), taxonomy.depths + 1)
    np.testing.assert_array_equal(taxonomy.depths[1:], taxonomy.depths[above[1:]] + 1)


def test_unknown_nodes_are_named_with_the_nearest(zoo: Taxonomy) -> None:
    with pytest.raises(InputError, match=r"name has labels that are not nodes: got 'cat', .* 9 nodes .*mean 'cats'\?"):
        zoo.index("cat")
    with pytest.raises(InputError, match="y has labels that are not nodes: got 'xx', 'yy', expected some of the 9"):
        zoo.expand([{"cats", "yy"}, {"xx"}])
    with pytest.raises(InputError, match=r"names has labels that are not nodes: got 'x0', .* and 2 more"):
        zoo.columns([f"x{number}" for number in range(7)])
    with pytest.raises(
        InputError, match=r"y has columns without names: got a matrix of 2 columns, .*from_matrix\(y, names\)"
    ):
        zoo.expand(np.array([[0, 1], [1, 0]]))
    with pytest.raises(InputError, match="names_b has labels that are not nodes: got 'fish'"):
        zoo.distances(["cats"], ["fish"])
    with pytest.raises(InputError, match="names is a single string: got 'cats', expected several names"):
        zoo.restrict("cats")
    with pytest.raises(InputError, match="y does not match X: got 1 rows for 2 records"):
        zoo.expand([{"cats"}], n_records=2)


def test_the_nearest_of_very_many_nodes_begins_alike() -> None:
    many = Taxonomy.from_parents({f"concept {number:05d}": None for number in range(5_000)})
    with pytest.raises(InputError, match=r"of the 5,000 nodes of the taxonomy. Did you mean 'concept 012\d\d'\?"):
        many.index("concept 0123x")


def test_the_constructor_checks_shape_order_and_names() -> None:
    upward = sp.csr_array(np.array([[0.0, 0.0], [1.0, 0.0]]))
    assert Taxonomy(("a", "b"), upward).parents("b") == ("a",)
    with pytest.raises(InputError, match=r"parent_matrix does not match names: got shape \(2, 2\) for 1 names"):
        Taxonomy(("a",), upward)
    with pytest.raises(InputError, match="names is out of order: got a node before its parent"):
        Taxonomy(("a", "b"), sp.csr_array(upward.T))
    with pytest.raises(InputError, match="names has a label twice: got 'a'"):
        Taxonomy(("a", "a"), upward)
