"""Reading and browsing at the command line: `show`, `labels`, fields in `info`, hits with a part of their text."""

from __future__ import annotations

import io
import sys

import pytest
from asked_index import asked_records, refused, said, said_json

import tacit
from tacit.corpus.record import Record
from tacit.relations.taxonomy.taxonomy import Taxonomy
from tacit.tasks.build.settings import BuildSettings
from tacit.text import TextSettings


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    records = [
        Record(one.id, f"{one.title} {one.text} " * 5, one.labels, one.title, links={"author": ["Ann"]},
               fields={"year": 1990 + place % 10, "place": f"shelf {'ABCDEFGHIJKL'[place % 12]}", "kind": "book"})
        for place, one in enumerate(asked_records())
    ]  # fmt: skip
    tree = Taxonomy.from_parents(
        {"sea": None, "animals": "sea", "vessels": "sea", "home": None, "pets": "home", "rooms": "home"}
    )
    titled = Taxonomy(tree.names, tree.parent_matrix, {"animals": {"": "Sea animals"}})
    settings = BuildSettings(n_components=5, text=TextSettings(min_records=1), map=False)
    return str(tacit.build(records, tmp_path_factory.mktemp("read") / "index", settings, taxonomy=titled))


def test_a_record_is_shown(index, capsys):
    text = said(capsys, "show", index, "r1")
    facts = said_json(capsys, "show", index, "r1", "--json")
    assert facts["id"] == "r1"
    assert facts["fields"] == {"year": 1991, "place": "shelf B", "kind": "book"}
    assert all(word in text for word in ("r1", facts["title"], "1991", "shelf B", "Ann", facts["text"].strip()))
    assert "id is unknown: got 'r99'" in refused(capsys, "show", index, "r99").replace("ID is", "id is")


def test_labels_are_a_tree_with_counts(index, capsys):
    counts = {label: sum(label in one.labels for one in asked_records()) for label in ("animals", "vessels", "pets")}
    lines = said(capsys, "labels", index).splitlines()
    assert lines[0].split() == ["sea", str(counts["animals"] + counts["vessels"])]
    assert f"  Sea animals  {counts['animals']}" in lines
    assert f"  pets  {counts['pets']}" in lines
    assert max(map(len, lines)) <= 80
    assert said(capsys, "labels", index, "sea  ANIMALS").startswith(f"sea > Sea animals  {counts['animals']}")
    assert "Sea animals" in said(capsys, "labels", index, "anim")
    assert (
        said(capsys, "labels", index, "xyzzy")
        == "No label is called 'xyzzy', or spelt alike. All of them: leave NAME out.\n"
    )
    tree = said_json(capsys, "labels", index, "--json")["labels"]
    assert {one["label"] for one in tree} == {"sea", "home"}
    assert "narrower)" in said(capsys, "labels", index, "--depth", "1")
    assert "see --limit" in said(capsys, "labels", index, "-n", "1")


def test_info_has_fields_and_their_values(index, capsys):
    fields = said_json(capsys, "info", index, "--json")["fields"]
    assert fields["year"] == ["1990 to 1999"]
    assert fields["kind"] == ["book"]
    assert fields["place"][-1] == "..."
    assert "field: book" in said(capsys, "info", index)


def test_hits_with_text_are_three_lines_of_eighty_characters(index, capsys):
    lines = said(capsys, "search", index, "whale", "--text", "-n", "4").splitlines()
    assert len(lines) <= 12
    assert max(map(len, lines)) <= 80
    assert any("…" in line for line in lines)
    hits = said_json(capsys, "search", index, "whale", "--text", "--json")["hits"]
    assert all("whale" in hit["text"] for hit in hits[:3])


def test_a_title_that_is_cut_off_is_shown_in_full_below(tmp_path, capsys):
    long = "The ecological impacts of invasive crayfish in large lakes"
    records = [Record(f"library-of-the-north:{n}", long if n else "cats sleep", ["sea"]) for n in range(3)]
    path = tacit.build(records, tmp_path / "i", BuildSettings("lsi", n_components=1, map=False))
    lines = said(capsys, "search", str(path), "lakes", "--text", "-n", "1").splitlines()
    assert lines[0].endswith("…  library-of-the-north:1")
    assert lines[-1].strip() == long


def test_names_with_commas_are_told_apart_in_info(tmp_path, capsys):
    people = ["Lee, Ann", "Ek, Bo"]
    records = [
        Record(str(n), f"whales sing {n}", fields={"by": people[n % 2], "at": f"http://x/{n}"}) for n in range(20)
    ]
    settings = BuildSettings("lsi", n_components=1, map=False, text=TextSettings(min_records=1))
    text = said(capsys, "info", str(tacit.build(records, tmp_path / "i", settings)))
    assert "field: Ek, Bo; Lee, Ann\n" in text
    assert " ..." not in text


def test_a_search_reads_standard_input_and_needs_no_words_under_a_filter(index, capsys, monkeypatch):
    typed = said_json(capsys, "search", index, "whale", "reef", "--json")["hits"]
    monkeypatch.setattr(sys, "stdin", io.StringIO("whale reef"))
    assert said_json(capsys, "search", index, "-", "--json")["hits"] == typed
    hits = said_json(capsys, "search", index, "--where", "year=1993", "--json")["hits"]
    assert {hit["fields"]["year"] for hit in hits} == {1993}
    assert "QUERY is empty" in refused(capsys, "search", index)


def test_a_misspelt_query_is_said_to_be(index, capsys):
    found = said_json(capsys, "search", index, "harbor", "--json")
    assert found["meant"] == "harbour"
    assert found["hits"]


@pytest.mark.parametrize("by", ["words", "meaning", "hybrid"])
def test_similar_by_words_and_both(index, capsys, by):
    hits = said_json(capsys, "similar", index, "r1", "--by", by, "-n", "5", "--json")["hits"]
    assert len(hits) == 5
    assert "r1" not in {hit["id"] for hit in hits}
    assert [hit["score"] for hit in hits] == sorted((hit["score"] for hit in hits), reverse=True)


def test_a_file_as_text_is_read(index, capsys, tmp_path):
    (tmp_path / "letter.txt").write_text("whale reef tide")
    given = said_json(capsys, "suggest", index, str(tmp_path / "letter.txt"), "--json")["texts"][0]
    typed = said_json(capsys, "suggest", index, "whale reef tide", "--json")["texts"][0]
    assert given["suggestions"] == typed["suggestions"]
