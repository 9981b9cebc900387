"""Labels as people write them become nodes of the taxonomy; what is not found is counted, shown and may be refused."""

from __future__ import annotations

import warnings
from dataclasses import replace

import pytest

import tacit
from support.small_index import small_records, small_settings, small_taxonomy
from support.thesaurus import iri, write_thesaurus
from tacit.corpus import read_records
from tacit.corpus.record import Record
from tacit.errors import InputError, TacitWarning
from tacit.relations import Taxonomy
from tacit.tasks.build.fitted_space import RecordKnowledge
from tacit.tasks.build.label_matching import LabelMatching, as_given


@pytest.fixture
def thesaurus(tmp_path) -> Taxonomy:
    return Taxonomy.from_skos(write_thesaurus(tmp_path), language="en")


def test_a_record_keeps_what_its_file_says(thesaurus):
    matching = LabelMatching(thesaurus)
    found = matching.record(Record("a", "text", ("whales", "Cetaceans", "fish"), fields={"year": 3}))
    assert found.labels == (iri("whales"), "fish")
    assert found.fields == {"year": 3, "given_labels": ["whales", "Cetaceans", "fish"]}
    assert as_given(found) == Record("a", "text", ("whales", "Cetaceans", "fish"), fields={"year": 3})
    assert matching.record(found) == found
    same = Record("b", "text", (iri("sea"),))
    assert matching.record(same) is same
    assert LabelMatching(None).record(found) == as_given(found)


def test_what_was_found_is_summed_up(thesaurus):
    matching = LabelMatching(thesaurus)
    list(matching.records([Record("a", "", (iri("sea"), "whales", "fish", "Tiere")), Record("b", "", ("599.5",))]))
    assert matching.summary() == ("4 of 5 different labels found in the taxonomy: 1 by id, 1 by notation, 2 by name")
    by_id = LabelMatching(thesaurus)
    by_id.record(Record("a", "", (iri("sea"),)))
    assert by_id.summary() == ""


def test_few_labels_that_the_taxonomy_has_are_an_error(thesaurus):
    matching = LabelMatching(thesaurus)
    matching.record(Record("a", "", ("whales", "b1", "b2", "b3", "b4", "b5", "b6")))
    with pytest.raises(
        InputError,
        match=r"taxonomy is not that of the labels: got names or ids of 1 of 7 different labels, expected those of at "
        r"least half\. The records have 'b1', 'b2', 'b3', 'b4', 'b5'; the taxonomy has 'Furniture', .*, with ids such "
        r"as 'http://example.org/t/furniture'\. Use .* or pass allow_unmatched=True",
    ):
        matching.check()
    with pytest.warns(TacitWarning, match="taxonomy lacks 6 of 7 labels, 'b1' first: they have no ancestors"):
        matching.check(allow_unmatched=True)


def test_a_taxonomy_for_no_labels_is_an_error(thesaurus, tmp_path):
    with pytest.raises(InputError, match=r"taxonomy needs labels: got records without any, .* with `labels`, or leave"):
        LabelMatching(thesaurus).check()
    (tmp_path / "x.csv").write_text("id,text,themes\n1,whales,whales\n")
    with pytest.raises(
        InputError, match=r"taxonomy needs labels: got no column of them among 'id', 'text', 'themes', .* with `labels`"
    ):
        tacit.build(read_records(tmp_path / "x.csv"), tmp_path / "x.tacit", taxonomy=thesaurus)
    assert not (tmp_path / "x.tacit").exists()


def test_lists_in_one_label_are_told_from_other_vocabularies(thesaurus):
    matching = LabelMatching(thesaurus)
    matching.record(Record("a", "", ("whales, sea", "sea, furniture")))
    with pytest.raises(InputError, match=r"Their parts are in it: split them with `label_separator=','`\."):
        matching.check()


def test_half_of_the_labels_is_enough(thesaurus):
    matching = LabelMatching(thesaurus)
    matching.record(Record("a", "", ("whales", "b1")))
    with pytest.warns(TacitWarning, match="taxonomy lacks 1 of 2 labels"):
        matching.check()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        LabelMatching(thesaurus).check(allow_unmatched=True)  # no labels
        LabelMatching(None).check()


def test_labels_of_several_concepts_stay_and_are_reported(thesaurus):
    matching = LabelMatching(replace(thesaurus, language="de"))
    assert matching.record(Record("a", "", ("bank", "Wale"))).labels == ("Bank", iri("whales"))
    with pytest.warns(
        TacitWarning,
        match=r"1 of 2 labels may mean several subjects of the taxonomy, and have no ancestors: 'bank' is "
        r"'Bank \(Möbel\)' or 'Bank \(Geld\)'\. Write these names or their ids",
    ):
        matching.check()


def test_a_flat_vocabulary_gives_names_and_no_view(tmp_path):
    names = {"animals": "Beasts", "vessels": "Ships", "pets": "Pets", "home": "Home"}
    flat = Taxonomy.from_parents(dict.fromkeys(names), names)
    path = tacit.build(small_records(), tmp_path / "i", small_settings(), taxonomy=flat)
    plain = tacit.build(small_records(), tmp_path / "plain", small_settings())
    with tacit.open(path) as index, tacit.open(plain) as without:
        assert index.taxonomy is None
        assert index.vocabulary.titles["animals"] == {"": "Beasts"}
        assert index.weights == without.weights
        assert "taxonomy" not in index.weights
        assert index.label("beasts") == "animals"
        with pytest.raises(InputError, match="has no taxonomy: got the label 'beasts' to look below"):
            index.below("beasts")
        assert (index.info().taxonomy_nodes, index.info().vocabulary_nodes) == (0, 4)


def test_a_taxonomy_with_nothing_above_the_labels_is_no_view_either():
    records = small_records()
    deep = RecordKnowledge.of_records(records, small_taxonomy())
    assert deep.taxonomy is deep.vocabulary is not None
    roots = Taxonomy.from_parents({"animals": None, "vessels": None, "pets": None, "home": None, "x": "pets"})
    flat = RecordKnowledge.of_records(records, roots)
    assert flat.taxonomy is None
    assert flat.vocabulary is roots
    assert "taxonomy" not in flat.kinds
    assert RecordKnowledge.of_records(records, None).vocabulary is None


def test_another_taxonomy_or_none_starts_from_what_the_files_said(tmp_path):
    titles = {"animals": "Beasts", "vessels": "Ships", "pets": "Pets", "home": "Home"}
    called = [replace(one, labels=tuple(titles[label].upper() for label in one.labels)) for one in small_records()]
    first = Taxonomy.from_parents(small_taxonomy_parents(), titles)
    path = tacit.build(called, tmp_path / "i", small_settings(), taxonomy=first)
    with tacit.open(path) as index:
        assert set(index.label_names) == set(titles)
    other = Taxonomy.from_parents(
        {"n1": "top", "n2": "top", "n3": "top", "n4": None},
        dict(zip(("n1", "n2", "n3", "n4"), titles.values(), strict=True)),
    )
    tacit.refit(path, taxonomy=other)
    with tacit.open(path) as index:
        assert set(index.label_names) == {"n1", "n2", "n3", "n4"}
    tacit.refit(path, without_taxonomy=True)
    with tacit.open(path) as index:
        assert set(index.label_names) == {title.upper() for title in titles.values()}
        assert all("given_labels" not in record.fields for _, record in index.store.records())


def small_taxonomy_parents() -> dict:
    taxonomy = small_taxonomy()
    return {name: taxonomy.parents(name) for name in taxonomy}
