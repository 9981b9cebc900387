"""A taxonomy and all its names survive being stored; what an earlier version did not write is empty."""

from __future__ import annotations

import json

import pytest

from support.thesaurus import iri, write_thesaurus
from tacit.index.taxonomy import taxonomy_from_facts, taxonomy_to_facts
from tacit.relations import Taxonomy
from tacit.relations.taxonomy.names import names_of, related_of


@pytest.fixture
def thesaurus(tmp_path) -> Taxonomy:
    return Taxonomy.from_skos(write_thesaurus(tmp_path), language="de")


def test_everything_is_stored(thesaurus):
    read = taxonomy_from_facts(json.loads(json.dumps(taxonomy_to_facts(thesaurus))))
    assert read.names == thesaurus.names
    assert read.language == "de"
    assert (read.parent_matrix != thesaurus.parent_matrix).nnz == 0
    assert [names_of(read, node) for node in read] == [names_of(thesaurus, node) for node in thesaurus]
    assert [related_of(read, node) for node in read] == [related_of(thesaurus, node) for node in thesaurus]


def test_facts_of_an_earlier_version(thesaurus):
    facts = taxonomy_to_facts(thesaurus)
    for name in ("hidden_titles", "notations", "related"):
        del facts[name]
    read = taxonomy_from_facts(facts)
    assert read.title(iri("whales")) == "Wale"
    assert (read.hidden_titles, read.notations, read.related) == ({}, {}, {})
