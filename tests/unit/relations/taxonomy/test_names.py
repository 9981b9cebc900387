"""A node has names of several kinds in several languages, and a title that no other node has."""

from __future__ import annotations

import pytest
import rdflib

from support.thesaurus import THESAURUS, iri, write_thesaurus
from tacit.errors import InputError
from tacit.relations import Taxonomy
from tacit.relations.taxonomy.languages import choose_language, language_tag
from tacit.relations.taxonomy.names import SubjectName, is_iri, names_of, related_of, titles_shown


@pytest.fixture(scope="module")
def thesaurus(tmp_path_factory) -> Taxonomy:
    return Taxonomy.from_file(write_thesaurus(tmp_path_factory.mktemp("t")))


def test_all_names_of_a_concept(thesaurus):
    assert names_of(thesaurus, iri("whales")) == (
        SubjectName("Wale", "preferred", "de"),
        SubjectName("Whales", "preferred", "en"),
        SubjectName("Walfische", "other", "de"),
        SubjectName("Cetaceans", "other", "en"),
        SubjectName("Wahles", "hidden", "en"),
        SubjectName("599.5", "notation", ""),
    )


@pytest.mark.parametrize("language", ["de", "DE", "german"])
def test_names_in_one_language_and_notations(thesaurus, language):
    found = [name.text for name in names_of(thesaurus, iri("whales"), language)]
    assert found == ["Wale", "Walfische", "599.5"]


def test_names_without_a_language_belong_to_all_and_a_node_is_never_nameless():
    taxonomy = Taxonomy.from_parents(
        {"a": None, "b": "a", "http://x.org/c": "a"}, {"a": {"": "Plain", "fi": "Suomeksi"}, "b": {"en-GB": "Grey"}}
    )
    assert [name.text for name in names_of(taxonomy, "a", "fi")] == ["Plain", "Suomeksi"]
    assert [name.text for name in names_of(taxonomy, "a", "en")] == ["Plain"]
    assert [name.text for name in names_of(taxonomy, "b", "en")] == ["Grey"]
    assert [name.text for name in names_of(taxonomy, "b", "fi")] == ["Grey"]
    assert names_of(taxonomy, "http://x.org/c") == ()
    assert names_of(Taxonomy.from_parents({"cats": None}), "cats") == (SubjectName("cats", "preferred", ""),)


def test_related_concepts_in_both_directions(thesaurus):
    assert related_of(thesaurus, iri("sea")) == (iri("ships"),)
    assert related_of(thesaurus, iri("ships")) == (iri("sea"),)
    assert related_of(thesaurus, iri("whales")) == ()


def test_unknown_nodes_are_refused(thesaurus):
    with pytest.raises(InputError, match="name has labels that are not nodes: got 'fish'"):
        names_of(thesaurus, "fish")


@pytest.mark.parametrize("form", ["xml", "json-ld", "nt"])
def test_names_read_alike_in_every_format(thesaurus, tmp_path, form):
    graph = rdflib.Graph().parse(data=THESAURUS, format="turtle")
    graph.serialize(tmp_path / "t.data", format=form)
    other = Taxonomy.from_skos(tmp_path / "t.data", format=form)
    assert [names_of(other, node) for node in other] == [names_of(thesaurus, node) for node in thesaurus]
    assert other.related == thesaurus.related


def test_labels_of_skos_xl(tmp_path):
    (tmp_path / "t.ttl").write_text("""
        @prefix skos: <http://www.w3.org/2004/02/skos/core#> .
        @prefix skosxl: <http://www.w3.org/2008/05/skos-xl#> .
        @prefix : <http://example.org/t/> .
        :a a skos:Concept ; skosxl:prefLabel :l1 ; skosxl:altLabel :l2 .
        :l1 skosxl:literalForm "Maize"@en . :l2 skosxl:literalForm "Corn"@en .
    """)
    taxonomy = Taxonomy.from_file(tmp_path / "t.ttl")
    assert [name.text for name in names_of(taxonomy, iri("a"))] == ["Maize", "Corn"]


def test_parts_of_a_taxonomy_keep_their_names(thesaurus):
    part = thesaurus.subtree(iri("sea"))
    assert names_of(part, iri("whales")) == names_of(thesaurus, iri("whales"))
    assert related_of(part, iri("sea")) == ()  # ships are not in this part


def test_titles_of_several_nodes_have_the_broader_title(thesaurus):
    from dataclasses import replace

    german = titles_shown(replace(thesaurus, language="de"))
    assert (german[iri("bank1")], german[iri("bank2")]) == ("Bank (Geld)", "Bank (Möbel)")
    assert german[iri("whales")] == "Wale"
    english = titles_shown(replace(thesaurus, language="en"))
    assert (english[iri("bank1")], english[iri("bank2")]) == ("Bank", "Bench")


def test_titles_that_the_broader_title_does_not_tell_apart():
    same = dict.fromkeys(["top", "http://x.org/1", "http://x.org/2", "c3"], "Same")
    taxonomy = Taxonomy.from_parents({"http://x.org/1": "top", "http://x.org/2": "top", "c3": None, "top": None}, same)
    assert sorted(titles_shown(taxonomy).values()) == ["Same (1)", "Same (2)", "Same (c3)", "Same (top)"]


def test_the_language_of_titles():
    tags = ["de", "en-gb", "fi"]
    assert choose_language(tags, None, of_texts="finnish") == "fi"
    assert choose_language(tags, None, of_texts="swedish") == "en"
    assert choose_language(["fi", "de"], None, of_texts="none") == "de"
    assert choose_language([], None, of_texts="english") == ""
    assert choose_language(tags, "German") == "de"
    assert language_tag(" FI ") == "fi"
    with pytest.raises(
        InputError, match=r"label_language is not a language of the taxonomy: got 'sv', expected one of"
    ):
        choose_language(tags, "sv")
    with pytest.raises(InputError, match=r"got 'germn', expected one of de, en-gb, fi\. Did you mean 'german'"):
        choose_language(tags, "germn")
    with pytest.raises(InputError, match="got 'fi', expected none, since its names have no language"):
        choose_language([], "fi")


@pytest.mark.parametrize(
    ("name", "found"), [("http://x.org/1", True), ("urn:nbn:5", True), ("cs.IR", False), ("Law: Courts", False)]
)
def test_iris(name, found):
    assert is_iri(name) is found
