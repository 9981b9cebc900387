"""Labels are found by whole names, by their beginnings, and by names that are spelt alike."""

from __future__ import annotations

import dataclasses
import gc
from pathlib import Path

import pytest
from thesaurus import iri, write_books, write_thesaurus

import tacit
from tacit.corpus import read_records
from tacit.corpus.record import Record
from tacit.relations.taxonomy.taxonomy import Taxonomy
from tacit.tasks.build.settings import BuildSettings
from tacit.tasks.collection import Collection
from tacit.tasks.label_lookup import label_lookup
from tacit.text import TextSettings

SETTINGS = BuildSettings(n_components=4, text=TextSettings(min_records=1), suggester="none")


@pytest.fixture(scope="module")
def books(tmp_path_factory: pytest.TempPathFactory) -> Collection:
    folder = tmp_path_factory.mktemp("lookup")
    taxonomy = dataclasses.replace(Taxonomy.from_file(write_thesaurus(folder)), language="en")
    path = tacit.build(read_records(write_books(folder)), folder / "books.tacit", SETTINGS, taxonomy=taxonomy)
    return tacit.open(path)


@pytest.mark.parametrize(
    ("text", "name", "kind", "score"),
    [
        ("Whales", "whales", "preferred", 100.0),
        ("  whales. ", "whales", "preferred", 100.0),
        ("599.5", "whales", "notation", 100.0),
        ("<http://example.org/t/whales>", "whales", "id", 100.0),
        ("https://example.org/t/whales", "whales", "id", 100.0),
        ("Cetaceans", "whales", "other", 99.0),
        ("Wale", "whales", "preferred", 99.5),
        ("wahles", "whales", "hidden", 98.0),
        ("Mobel", "furniture", "preferred", 97.5),
    ],
)
def test_a_name_is_found_by_whatever_it_is(books: Collection, text: str, name: str, kind: str, score: float) -> None:
    best = label_lookup(books).find(text)[0]
    assert (best.label, best.kind, best.score, best.exact) == (iri(name), kind, score, True)


def test_names_that_are_spelt_alike_follow_with_lower_scores(books: Collection) -> None:
    found = label_lookup(books).find("Whaels")
    assert found[0].label == iri("whales")
    assert not found[0].exact
    assert 30 < found[0].score < 90
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)
    assert label_lookup(books).find("quantum chromodynamics") == []
    assert label_lookup(books).find("") == []


def test_a_name_of_two_labels_gives_both(books: Collection) -> None:
    found = label_lookup(books).find("bank")
    assert {(one.label, one.exact) for one in found[:2]} == {(iri("bank1"), True), (iri("bank2"), True)}
    assert found[0].label == iri("bank1")  # its name is in the language of the vocabulary
    (only,) = label_lookup(books).find("bank", among={iri("bank2")})
    assert only.label == iri("bank2")


def test_a_limit_keeps_the_best(books: Collection) -> None:
    assert [one.label for one in label_lookup(books).find("bank", limit=1)] == [iri("bank1")]


@pytest.mark.parametrize("typed", ["w", "wha", "whales", "cet", "http://example.org/t/whales", "WALF"])
def test_the_beginning_of_any_name_is_completed(books: Collection, typed: str) -> None:
    assert label_lookup(books).complete(typed)[0].label == iri("whales")


def test_a_word_inside_a_path_is_completed(tmp_path: Path) -> None:
    labels = ["works-with::image:raster", "works-with::text", "Art/Images", "homage"]
    records = [Record(f"r{n}", f"word{n % 3} other", (label,)) for n, label in enumerate(labels)]
    with tacit.open(tacit.build(records, tmp_path / "x.tacit", SETTINGS)) as index:
        look = label_lookup(index)
        assert {one.label for one in look.complete("image")} >= {"works-with::image:raster", "Art/Images"}
        assert "homage" not in {one.label for one in look.complete("image") if one.score == 60}
        assert [one.label for one in look.complete("with::t")][:1] == ["works-with::text"]


def test_completions_prefer_beginnings_of_names_and_then_frequent_labels(tmp_path: Path) -> None:
    labels = ["deep sea", "sea", "seals", "seals", "seat"]
    records = [Record(f"r{n}", f"word{n % 3} other", (label,)) for n, label in enumerate(labels)]
    with tacit.open(tacit.build(records, tmp_path / "x.tacit", SETTINGS)) as index:
        look = label_lookup(index)
        assert [one.label for one in look.complete("sea")] == ["sea", "seals", "seat", "deep sea"]
        assert [one.label for one in look.complete("sea", limit=2, skip=1)] == ["seals", "seat"]
        assert look.complete("") == []
        assert look.find("SEALS")[0].records == 2
        index.add([Record("new", "word1", ("seaweed",))])
        assert "seaweed" in [one.label for one in label_lookup(index).complete("seaw")]
        assert label_lookup(index) is label_lookup(index)
        del look


def test_a_closed_index_is_not_kept(tmp_path: Path) -> None:
    from tacit.tasks import label_lookup as module

    gc.collect()
    before = len(module._LOOKUPS)
    records = [Record("a", "whale ship", ("x",)), Record("b", "harbour", ("y",))]
    index = tacit.open(tacit.build(records, tmp_path / "i", SETTINGS))
    label_lookup(index)
    assert len(module._LOOKUPS) == before + 1
    index.close()
    del index
    gc.collect()
    assert len(module._LOOKUPS) == before
