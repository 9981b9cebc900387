"""Nodes are found by what people write; the best reason decides, and several equally good ones are all returned."""

from __future__ import annotations

from dataclasses import replace

import pytest

from support.thesaurus import iri, write_thesaurus
from tacit.relations import Taxonomy
from tacit.relations.taxonomy.matching import NodeFinder, folded, folded_loosely


@pytest.fixture(scope="module")
def finder(tmp_path_factory) -> NodeFinder:
    taxonomy = Taxonomy.from_file(write_thesaurus(tmp_path_factory.mktemp("t")))
    return NodeFinder(replace(taxonomy, language="en"))


@pytest.mark.parametrize(
    ("text", "node", "by"),
    [
        (iri("whales"), "whales", "id"),
        (f"<{iri('whales')}>", "whales", "id"),
        ("https://example.org/t/whales/", "whales", "id"),
        ("599.5", "whales", "notation"),
        ("Whales", "whales", "preferred"),
        ("  WHALES ", "whales", "preferred"),
        ("Whales.", "whales", "preferred"),
        ("Wale", "whales", "preferred"),
        ("cetaceans", "whales", "other"),
        ("wahles", "whales", "hidden"),
        ("Mobel", "furniture", "preferred"),
        ("bank", "bank1", "preferred"),  # the English name comes before the German one of the other
        ("spiel", "games", "other"),
    ],
)
def test_every_way_to_write_a_label(finder, text, node, by):
    found = finder.find(text)
    assert (found.node, found.by) == (iri(node), by)


def test_unknown_texts(finder):
    assert finder.find("fish") == ((), "")
    assert finder.find("") == ((), "")
    assert finder.find("fish").node is None


def test_a_name_of_several_concepts_means_all_of_them(finder):
    german = NodeFinder(replace(finder.taxonomy, language="de"))
    assert set(german.find("BANK").nodes) == {iri("bank1"), iri("bank2")}
    assert german.find("bank").node is None
    assert german.find("Bank (Möbel)").node == iri("bank2")  # as it is shown


def test_the_same_accents_come_first():
    taxonomy = Taxonomy.from_parents({"1": None, "2": None, "3": None}, {"1": "sade", "2": "säde", "3": "Polish"})
    finder = NodeFinder(taxonomy)
    assert [finder.find(text).node for text in ("sade", "SÄDE", "polish")] == ["1", "2", "3"]
    assert NodeFinder(taxonomy.restrict(["1"])).find("säde").node == "1"


def test_the_same_letters_come_before_the_same_name():
    taxonomy = Taxonomy.from_parents({"1": None, "2": None}, {"1": "Polish", "2": "polish"})
    assert [NodeFinder(taxonomy).find(text).nodes for text in ("Polish", "polish", "POLISH")] == [
        ("1",),
        ("2",),
        ("1", "2"),
    ]


def test_names_to_compare_with_have_no_ids_or_hidden_names(finder):
    texts = set(finder.texts())
    assert {"Whales", "Wale", "Cetaceans", "599.5"} <= texts
    assert not {"Wahles", "example.org/t/whales"} & texts


def test_folding():
    assert folded("  Law–of the SEA ’tis ") == "law-of the sea 'tis"
    assert folded("ﬁsh") == "fish"
    assert folded_loosely("Économie.") == "economie"
    assert folded_loosely("...") == "..."
