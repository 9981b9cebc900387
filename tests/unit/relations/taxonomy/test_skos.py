"""SKOS vocabularies read alike in every format, and damaged ones say so."""

from __future__ import annotations

import os
import sys
import warnings
from pathlib import Path

import pytest
import rdflib

from tacit.errors import InputError, MissingExtraError, TacitWarning
from tacit.relations import Taxonomy

HEAD = """
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix t: <http://example.org/t/> .
"""

ZOO = (
    HEAD
    + """
t:scheme a skos:ConceptScheme ; skos:prefLabel "A scheme"@en ; skos:hasTopConcept t:animals .
t:animals a skos:Concept ; skos:prefLabel "Animals"@en, "Tiere"@de ; skos:narrower t:cats .
t:pets a skos:Concept ; skos:prefLabel "Pets"@en-GB ; skos:topConceptOf t:scheme .
t:cats a skos:Concept ; skos:prefLabel "Katzen"@de, "Cats"@en ; skos:altLabel "felines"@en, "kitties"@en, "Miezen"@de ;
  skos:broader t:pets , t:animals .
t:wild%20cats a skos:Concept ; skos:broader t:cats .
"""
)


def iri(name: str) -> str:
    return f"http://example.org/t/{name}"


def written(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture
def zoo(tmp_path: Path) -> Taxonomy:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return Taxonomy.from_skos(written(tmp_path / "zoo.ttl", ZOO))


def test_links_of_both_directions_are_one(zoo: Taxonomy) -> None:
    assert zoo.names == tuple(map(iri, ["animals", "pets", "cats", "wild%20cats"]))
    assert zoo.parents(iri("cats")) == (iri("animals"), iri("pets"))
    assert zoo.parents(iri("wild%20cats")) == (iri("cats"),)
    assert zoo.parent_matrix.data.tolist() == [1.0, 1.0, 1.0]


def test_titles_in_several_languages(zoo: Taxonomy) -> None:
    assert zoo.languages == ("de", "en", "en-gb")
    assert (zoo.title(iri("cats")), zoo.title(iri("cats"), "de")) == ("Cats", "Katzen")
    assert zoo.title(iri("pets")) == "Pets"
    assert zoo.title(iri("wild%20cats")) == "wild cats"
    assert zoo.alternatives(iri("cats")) == ("Miezen", "felines", "kitties")
    assert zoo.alternatives(iri("cats"), "EN") == ("felines", "kitties")
    assert zoo.alternatives(iri("pets")) == ()


def test_the_language_asked_for_comes_first(tmp_path: Path) -> None:
    german = Taxonomy.from_skos(written(tmp_path / "zoo.ttl", ZOO), language="de")
    assert (german.title(iri("animals")), german.title(iri("pets"))) == ("Tiere", "Pets")


@pytest.mark.parametrize(
    ("form", "suffix"), [("xml", ".rdf"), ("json-ld", ".jsonld"), ("nt", ".nt"), ("turtle", ".ttl")]
)
def test_every_format_reads_alike(zoo: Taxonomy, tmp_path: Path, form: str, suffix: str) -> None:
    graph = rdflib.Graph().parse(data=ZOO, format="turtle")
    by_suffix, by_name = tmp_path / f"other{suffix}", tmp_path / "other.data"
    graph.serialize(by_suffix, format=form)
    graph.serialize(by_name, format=form)
    for other in (Taxonomy.from_skos(by_suffix), Taxonomy.from_skos(by_name, format=form), Taxonomy.from_skos(graph)):
        assert other.names == zoo.names
        assert (other.parent_matrix != zoo.parent_matrix).nnz == 0
        assert (other.titles, other.alternative_titles) == (zoo.titles, zoo.alternative_titles)


def test_blank_nodes_and_other_things_are_no_concepts(tmp_path: Path) -> None:
    text = HEAD + 't:a a skos:Concept ; skos:broader [ skos:prefLabel "blank" ] . t:list skos:prefLabel "No concept" .'
    assert Taxonomy.from_skos(written(tmp_path / "t.ttl", text)).names == (iri("a"),)


def test_concepts_that_are_only_linked_to_are_kept_and_reported(tmp_path: Path) -> None:
    path = written(tmp_path / "t.ttl", HEAD + "t:a a skos:Concept ; skos:broader t:far .")
    with pytest.warns(TacitWarning, match=r"no description in source: 'http://example.org/t/far'") as caught:
        taxonomy = Taxonomy.from_skos(path)
    assert caught[0].filename == __file__
    assert taxonomy.roots == (iri("far"),)
    assert taxonomy.title(iri("far")) == "far"


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("t.ttl", HEAD + "t:a skos:broader", "source is damaged: got 't.ttl' with .*, expected turtle"),
        ("t.rdf", "<rdf", "source is damaged: got 't.rdf' with .*, expected xml"),
        ("t.json", "{", "source is damaged: got 't.json' with .*, expected json-ld"),
        ("t.ttl", "", "source is empty: got no node"),
        (
            "t.rdf",
            '<!DOCTYPE r [<!ENTITY a "lol"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]><r>&b;</r>',
            "source defines an entity that is more than an abbreviation: got 'b', expected at most 1,000 characters",
        ),
        ("t.rdf", '<!DOCTYPE r [<!ENTITY a "&#38;b;">]><r>&a;</r>', "more than an abbreviation: got 'a'"),
        ("t.rdf", '<!DOCTYPE r [<!ENTITY a SYSTEM "/etc/passwd">]><r>&a;</r>', "more than an abbreviation: got 'a'"),
        (
            "t.foo",
            ZOO,
            r"source has an unknown suffix: got 't.foo', expected one of .ttl, .*Pass format, one of turtle",
        ),
        ("t.ttl", HEAD + "t:a skos:broader t:b . t:b skos:broader t:a .", "source has a cycle: got http.*a -> http"),
        ("t.ttl", HEAD + "t:a skos:broader t:a .", "source has nodes that are their own parents: got 'http"),
        (
            "t.json",
            '{"@context": "http://x.org/c"}',
            "source refers to a context outside the file: got 'http://x.org/c'",
        ),
        (
            "t.json",
            '[{"@context": [{"@import": "c.json"}]}]',
            "refers to a context outside the file: got 'c.json'",
        ),
        (
            "t.json",
            '{"@context": {"a": {"@id": "x:a", "@context": "d"}}}',
            "refers to .* outside the file: got 'd'",
        ),
    ],
)
def test_what_cannot_be_read_says_why(tmp_path: Path, name: str, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Taxonomy.from_skos(written(tmp_path / name, text))


def test_other_bad_sources(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"source cannot be read: got .*No such file"):
        Taxonomy.from_skos(tmp_path / "none.ttl")
    with pytest.raises(InputError, match=r"source has an unknown form: got int, expected the path of a file"):
        Taxonomy.from_skos(3)
    with pytest.raises(InputError, match=r"format is unknown: got 'turtel', .*Did you mean 'turtle'"):
        Taxonomy.from_skos(tmp_path / "t.ttl", format="turtel")


def test_without_rdflib_the_extra_is_named(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "rdflib", None)
    with pytest.raises(MissingExtraError, match=r"Reading SKOS needs rdflib, .*pip install 'tacit\[skos\]'"):
        Taxonomy.from_skos(tmp_path / "t.ttl")


def test_abbreviations_of_addresses_are_read(tmp_path: Path) -> None:
    text = """<!DOCTYPE rdf:RDF [<!ENTITY skos "http://www.w3.org/2004/02/skos/core#">]>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
  <rdf:Description rdf:about="http://example.org/t/a"><rdf:type rdf:resource="&skos;Concept"/></rdf:Description>
</rdf:RDF>"""
    assert Taxonomy.from_skos(written(tmp_path / "t.rdf", text)).names == (iri("a"),)


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pipes in folders")
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "t.ttl")
    with pytest.raises(InputError, match="source is not a plain file: got a named pipe"):
        Taxonomy.from_skos(tmp_path / "t.ttl")
