"""Labels as people write them, through the commands: a thesaurus in two languages, and a flat vocabulary of Annif."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

import tacit
from support.asked_index import refused, said, said_json
from support.thesaurus import WRITTEN, iri, write_books, write_thesaurus
from tacit.cli.app import main

SMALL = ("--set", "min_records=1", "--dimensions", "4")


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_thesaurus(tmp_path)
    write_books(tmp_path)
    return tmp_path


@pytest.fixture(scope="module")
def english(tmp_path_factory) -> str:
    """An index that is only asked."""
    made = tmp_path_factory.mktemp("english")
    thesaurus, index = write_thesaurus(made), str(made / "books.tacit")
    with pytest.raises(SystemExit):
        main(["build", str(write_books(made)), "--taxonomy", str(thesaurus), *SMALL, "-q", "-o", index])
    return index


def test_a_build_says_how_labels_were_found(folder, capsys):
    with pytest.raises(SystemExit):
        main(["build", "books.jsonl", "--taxonomy", "thesaurus.ttl", *SMALL])
    printed = capsys.readouterr()
    expected = "16 of 16 different labels found in the taxonomy: 2 by id, 1 by notation, 10 by name, 3 by other name"
    assert expected in printed.err
    assert "Note" not in printed.err
    assert "4 labels and a taxonomy of 10" in printed.out
    with tacit.open("books.tacit") as books:
        assert set(books.label_names) == {iri("whales"), iri("ships"), iri("money"), iri("games")}
        assert [books[f"b{n}"].fields["given_labels"] for n in (0, 16)] == [["whales"], ["whales"]]


def test_suggestions_are_shown_by_name(english, capsys):
    table = said(capsys, "suggest", english, "whale", "song", "dive", "-n", "2")
    assert "http" not in table
    head, first = table.splitlines()[:2]
    assert head.split() == ["probability", "chosen", "label", "below"]
    assert first.split()[2:] == ["Whales", "Animals", "and", "Sea"]
    best = said_json(capsys, "suggest", english, "whale", "song", "--json")["texts"][0]["suggestions"][0]
    assert (best["label"], best["title"]) == (iri("whales"), "Whales")
    assert max(map(len, table.splitlines())) <= 80


def test_hits_have_the_names_of_their_labels_in_python(english):
    with tacit.open(english) as books:
        hits = books.search("whale song", limit=3)
        assert "Whales" in repr(hits)
        assert "http" not in repr(hits)
        assert "http" not in repr(books.explain(label="whales"))
        assert (hits[0].labels, hits[0].label_names) == ((iri("whales"),), ("Whales",))
        assert (hits[0].to_row()["labels"], hits[0].to_row()["label_names"]) == ([iri("whales")], ["Whales"])
        assert books.recommend(["b0"], limit=1)[0].label_titles.keys() <= set(books.label_names)


@pytest.mark.parametrize("under", ["Nature", "natur", "Meer", "TIERE", "590", iri("sea"), "cetaceans", "wahles"])
def test_a_branch_is_found_by_any_of_its_names(english, capsys, under):
    hits = said_json(capsys, "search", english, "whale", "anchor", "--under", under, "-n", "40", "--json")["hits"]
    assert {label for hit in hits for label in hit["labels"]} == {iri("whales")}
    assert hits[0]["label_titles"] == {iri("whales"): "Whales"}


@pytest.mark.parametrize("label", ["Games", "Spiel", "spiele", iri("games")])
def test_a_label_is_found_by_any_of_its_names(english, capsys, label):
    assert "Games" in said(capsys, "search", english, "chess", "--label", label)
    assert "Games is the label of 8 records" in said(capsys, "explain", english, "--label", label)
    assert "The label Games has" in said(capsys, "explain", english, "--text", "chess", "--label", label)


def test_an_explanation_has_the_other_names(english, capsys):
    shown = said(capsys, "explain", english, "--label", "wale")
    assert "Also called: Cetaceans, 599.5" in shown
    assert "Related labels: Ships" in said(capsys, "explain", english, "--label", "sea")


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (
            ("search", "chess", "--label", "Gamse"),
            "--label is unknown: got 'Gamse', expected a label of the index. Did you mean 'Games'?",
        ),
        (("search", "chess", "--under", "Natuur"), "--under is unknown: got 'Natuur', expected a label of the index."),
        (("explain", "--label", "Schife"), "got 'Schife', expected a label of the index. Did you mean 'Schiffe'?"),
        (("explain", "--text", "chess", "--label", "Meer"), "got 'Meer', which is in the taxonomy only"),
    ],
)
def test_near_misses(english, capsys, asked, message):
    error = refused(capsys, asked[0], english, *asked[1:])
    assert message in error


def test_no_raw_uri_where_a_name_is_known(english, capsys, tmp_path):
    asked = [
        ("search", english, "whale"),
        ("similar", english, "b0"),
        ("explain", english, "--label", "whales"),
        ("explain", english, "--query", "whale", "--id", "b0"),
        ("explain", english, "--id", "b0", "--id", "b4"),
        ("concepts", english),
        ("cluster", english),
        ("info", english),
        ("recommend", english, "--liked", "b0"),
        ("map", english, "-o", str(tmp_path / "map.html")),
    ]
    for arguments in asked:
        assert "http" not in said(capsys, *arguments), arguments
    assert "http://example.org" not in (tmp_path / "map.html").read_text(encoding="utf-8")


def test_titles_in_the_language_asked_for(folder, capsys):
    said(capsys, "build", "books.jsonl", "--taxonomy", "thesaurus.ttl", *SMALL, "-q", "--label-language", "german")
    assert "Wale" in said(capsys, "suggest", "books.tacit", "whale", "song", "-n", "1")
    assert "label language  de; names also in en" in said(capsys, "info", "books.tacit")
    said(capsys, "refit", "books.tacit", "-q")
    assert "Wale" in said(capsys, "search", "books.tacit", "whale", "-n", "1")
    said(capsys, "refit", "books.tacit", "-q", "--label-language", "en")
    assert "Whales" in said(capsys, "search", "books.tacit", "whale", "-n", "1")


def test_by_default_labels_are_in_the_language_of_the_texts(folder, capsys):
    options = ("--taxonomy", "thesaurus.ttl", *SMALL, "-q", "--stop-words", "none")
    said(capsys, "build", "books.jsonl", *options, "--language", "german")
    assert said_json(capsys, "info", "books.tacit", "--json")["label_language"] == "de"
    said(capsys, "build", "books.jsonl", *options, "--language", "finnish", "--replace")
    assert said_json(capsys, "info", "books.tacit", "--json")["label_language"] == "en"


def test_a_language_without_names(folder, capsys):
    asked = ("build", "books.jsonl", "-q", *SMALL, "--label-language", "sv")
    error = refused(capsys, *asked, "--taxonomy", "thesaurus.ttl")
    assert "--label-language is not a language of the taxonomy: got 'sv', expected one of de, en." in error
    assert "--label-language needs a taxonomy: got 'sv'" in (error := refused(capsys, *asked))
    assert error.endswith("Pass --taxonomy.")


def test_titles_of_two_concepts_have_their_broader_term(folder, capsys):
    lines = [json.loads(line) for line in Path("books.jsonl").read_text().splitlines()]
    for number, line in enumerate(lines):
        line["subjects"] = [["Bank (Möbel)", iri("bank1"), "Wale", "bank"][number % 4]]
    Path("banks.jsonl").write_text("\n".join(map(json.dumps, lines)))
    with pytest.raises(SystemExit):
        main(["build", "banks.jsonl", "--taxonomy", "thesaurus.ttl", *SMALL, "--label-language", "de"])
    note = capsys.readouterr().err
    assert "1 of 4 labels may mean several subjects of the taxonomy, and have no ancestors: 'bank' is 'Bank (" in note
    table = said(capsys, "search", "banks.tacit", "whale", "sail", "-n", "40")
    assert "Bank (Möbel)" in table
    assert "Bank (Geld)" in table
    hits = said_json(capsys, "search", "banks.tacit", "coin sail", "--label", "bank (möbel)", "--json")["hits"]
    assert {label for hit in hits for label in hit["labels"]} == {iri("bank2")}


def test_a_name_of_two_labels_is_refused(folder, capsys):
    lines = [json.loads(line) for line in Path("books.jsonl").read_text().splitlines()]
    for number, line in enumerate(lines):
        line["subjects"] = [["Bank (Möbel)", iri("bank1")][number % 2]]
    Path("banks.jsonl").write_text("\n".join(map(json.dumps, lines)))
    said(capsys, "build", "banks.jsonl", "--taxonomy", "thesaurus.ttl", *SMALL, "-q", "--label-language", "de")
    for option in ("--under", "--label"):
        error = refused(capsys, "search", "banks.tacit", "whale", option, "BANK")
        assert (
            f"{option} is ambiguous: got 'BANK', expected one of 'Bank (Geld)' <{iri('bank1')}>, 'Bank (Möbel)' <"
            in error
        )


def test_a_taxonomy_of_other_labels_stops_the_build(folder, capsys):
    Path("other.csv").write_text("node,parent\nphysics,science\noptics,physics\nheat,physics\nlaw,\ncourts,law\n")
    asked = ("build", "books.jsonl", "-q", *SMALL, "--taxonomy", "other.csv")
    error = refused(capsys, *asked)
    assert "--taxonomy is not that of the labels: got names or ids of 0 of 16 different labels" in error
    assert "The records have 'whales', " in error
    assert "the taxonomy has 'science', 'physics', 'optics', 'heat', 'law'." in error
    assert "choose other columns with --labels, or pass --allow-unmatched to" in error
    assert not Path("books.tacit/CURRENT").exists()
    said(capsys, *asked, "--allow-unmatched")
    said(capsys, "refit", "books.tacit", "-q")  # is remembered
    with tacit.open("books.tacit") as books:
        assert "whales" in books.label_names


def test_records_that_come_later_are_matched_too(folder, capsys):
    said(capsys, "build", "books.jsonl", "--taxonomy", "thesaurus.ttl", *SMALL, "-q")
    new = [
        {"id": "n1", "text": "whale dive", "subjects": ["WALFISCHE"]},
        {"id": "n2", "text": "x", "subjects": ["new"]},
    ]
    Path("new.jsonl").write_text("\n".join(map(json.dumps, new)))
    said(capsys, "add", "books.tacit", "new.jsonl", "-q")
    with tacit.open("books.tacit") as books:
        assert (books["n1"].labels, books["n1"].fields["given_labels"]) == ((iri("whales"),), ["WALFISCHE"])
        assert books["n2"].labels == ("new",)
    new[1]["subjects"] = ["vessels"]
    Path("new.jsonl").write_text(json.dumps(new[1]))
    said(capsys, "update", "books.tacit", "new.jsonl", "-q")
    with tacit.open("books.tacit") as books:
        assert books["n2"].labels == (iri("ships"),)


def test_a_test_file_is_matched_too(folder, capsys):
    said(capsys, "build", "books.jsonl", "--taxonomy", "thesaurus.ttl", *SMALL, "-q")
    lines = [{**json.loads(line), "id": f"t{n}"} for n, line in enumerate(Path("books.jsonl").read_text().splitlines())]
    Path("test.jsonl").write_text("\n".join(map(json.dumps, lines)))
    found = said_json(capsys, "evaluate", "books.tacit", "--test", "test.jsonl", "--json")
    assert (found["suggest"]["unlearned"], found["suggest"]["chosen"]["micro_f1"] > 0.9) == (0, True)


@pytest.mark.parametrize("name", ["v.tsv", "v.tsv.gz", "v.csv"])
def test_a_flat_vocabulary_of_annif(folder, capsys, name):
    subjects = {"whales": "Whales", "ships": "Ships", "money": "Money", "games": "Games", "fish": "Fish"}
    if name == "v.csv":
        rows = ["uri,notation,label_en", *(f"{iri(key)},,{title}" for key, title in subjects.items())]
        Path(name).write_text("\n".join(rows))
    else:
        text = "".join(f"<{iri(key)}>\t{title}\n" for key, title in subjects.items())
        Path(name).write_bytes(gzip.compress(text.encode()) if name.endswith("gz") else text.encode())
    lines = [json.loads(line) for line in Path("books.jsonl").read_text().splitlines()]
    for line in lines:
        line["subjects"] = [next(key for key, forms in WRITTEN.items() if line["subjects"][0] in forms)]
    Path("named.jsonl").write_text("\n".join(map(json.dumps, lines)))
    out = said(capsys, "build", "named.jsonl", "--vocabulary", name, *SMALL)
    assert "4 labels and names of 5 subjects" in out
    assert "Ships" in said(capsys, "suggest", "named.tacit", "anchor", "sail", "-n", "1")
    shown = said(capsys, "info", "named.tacit")
    assert "vocabulary      5 subjects, with nothing above them" in shown or "5 subjects, with nothing above" in shown
    assert "taxonomy" not in shown
    error = refused(capsys, "search", "named.tacit", "sail", "--under", "ships")
    assert "named.tacit has no taxonomy" in error


def test_a_name_without_its_qualifier_is_a_hint(folder, capsys):
    Path("v.csv").write_text("id,name\nc1,whales (animals)\nc2,ships\nc3,money\nc4,games\n")
    lines = [json.loads(line) for line in Path("books.jsonl").read_text().splitlines()]
    for number, line in enumerate(lines):
        line["subjects"] = [f"c{number % 4 + 1}"]
    Path("coded.jsonl").write_text("\n".join(map(json.dumps, lines)))
    said(capsys, "build", "coded.jsonl", "--taxonomy", "v.csv", *SMALL, "-q")
    error = refused(capsys, "search", "coded.tacit", "whale", "--label", "Whales")
    assert "got 'Whales', expected a label of the index. Did you mean 'whales (animals)'?" in error


def test_what_is_above_a_label_with_two_broader_ones_is_not_one_path(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    parents = "label,parent\nnature,\nlife,nature\nearth,nature\nsea,life\nsea,earth\nwhales,sea\n"
    Path("tree.csv").write_text(parents)
    rows = "".join(f"{n},whale song {n % 3},whales\n{n + 50},wave harbour {n % 2},sea\n" for n in range(8))
    Path("books.csv").write_text(f"id,text,labels\n{rows}")
    said(capsys, "build", "books.csv", "--taxonomy", "tree.csv", "--no-map", "-q", *SMALL[:3], "2")
    table = said(capsys, "suggest", "books.tacit", "whale", "wave")
    assert "sea < life and earth" in table
    assert "earth < life" not in table
    assert "Broader labels: life and earth" in said(capsys, "explain", "books.tacit", "--label", "sea")
