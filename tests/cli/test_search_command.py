"""`tacit search` and `tacit similar` as people type them, with all their filters."""

from __future__ import annotations

import pytest
from asked_index import HOME, SEA, asked_records, refused, said, said_json

import tacit
from tacit.corpus.record import Record
from tacit.relations.taxonomy.taxonomy import Taxonomy
from tacit.tasks.build.settings import BuildSettings
from tacit.text import TextSettings

PARENTS = {"sea": None, "animals": "sea", "vessels": "sea", "pets": None, "rooms": None}


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    """The asked records with a year, a place, and somebody who wrote them; what is below "sea" has a title."""
    records = [
        Record(
            one.id,
            one.text,
            one.labels,
            one.title,
            fields={"year": 1990 + place % 10, "place": "shelf A" if place % 2 else "shelf B"},
            links={"author": ["Ann" if place % 3 else "Bob"]},
        )
        for place, one in enumerate(asked_records())
    ]
    tree = Taxonomy.from_parents(PARENTS)
    titled = Taxonomy(tree.names, tree.parent_matrix, {"animals": {"": "Sea animals"}})
    settings = BuildSettings(model="mlsi", n_components=5, text=TextSettings(min_records=1))
    return str(tacit.build(records, tmp_path_factory.mktemp("searched") / "index", settings, taxonomy=titled))


@pytest.mark.parametrize("by", ["hybrid", "meaning", "words"])
def test_the_best_records_come_first_as_a_table_and_as_json(index, capsys, by):
    heading, *rows = said(capsys, "search", index, "whale", "--by", by, "-n", "3").splitlines()
    assert heading.split() == ["score", "id", "title", "labels"]
    answer = said_json(capsys, "search", index, "whale", "--by", by, "-n", "3", "--json")
    assert (answer["query"], answer["by"]) == ("whale", by)
    assert [row.split()[1] for row in rows] == [hit["id"] for hit in answer["hits"]]
    assert len(rows) == 3
    scores = [hit["score"] for hit in answer["hits"]]
    assert scores == sorted(scores, reverse=True)
    assert all(set(hit["labels"]) <= {"animals", "vessels"} for hit in answer["hits"])


def test_several_words_are_one_question(index, capsys):
    apart, together = (said(capsys, "search", index, *words) for words in (["cat", "lamp"], ["cat lamp"]))
    assert apart == together


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        (["--label", "vessels"], lambda hit: hit["labels"] == ["vessels"]),
        (["--label", "Sea animals"], lambda hit: hit["labels"] == ["animals"]),  # by its title
        (["--under", "sea"], lambda hit: hit["labels"][0] in ("animals", "vessels")),
        (["--where", "place=shelf A"], lambda hit: hit["fields"]["place"] == "shelf A"),
        (["--where", "year=1993"], lambda hit: hit["fields"]["year"] == 1993),
        (["--range", "year=1992..1994"], lambda hit: 1992 <= hit["fields"]["year"] <= 1994),
        (["--range", "year=1993"], lambda hit: hit["fields"]["year"] == 1993),
        (["--range", "year=..1991"], lambda hit: hit["fields"]["year"] <= 1991),
        (["--link", "author=Bob"], lambda hit: int(hit["id"][1:]) % 3 == 0),
        (["--under", "sea", "--range", "year=1995.."], lambda hit: hit["fields"]["year"] >= 1995),
    ],
)
def test_filters_hold_and_leave_nobody_out(index, capsys, condition, holds):
    everybody = said_json(capsys, "search", index, *SEA, *HOME, "-n", "45", "--by", "meaning", "--json")["hits"]
    found = said_json(capsys, "search", index, *SEA, *HOME, "-n", "45", "--by", "meaning", *condition, "--json")["hits"]
    expected = [hit["id"] for hit in everybody if holds(hit)]
    if "--under" in condition:
        expected = [hit["id"] for hit in everybody if holds(hit) and hit["labels"][0] in ("animals", "vessels")]
    assert 0 < len(expected) < 45
    assert [hit["id"] for hit in found] == expected


def test_an_empty_answer_is_a_sentence(index, capsys):
    assert said(capsys, "search", index, "xyzzy", "--by", "words") == "Nothing found.\n"
    assert said(capsys, "search", index, "whale", "--range", "year=2050..") == "Nothing found.\n"
    assert said_json(capsys, "search", index, "xyzzy", "--by", "words", "--json")["hits"] == []
    assert said(capsys, "similar", index, "r1", "--where", "year=1800") == "Nothing found.\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["xyzzy", "--by", "meaning"], "QUERY has no known word: got 'xyzzy'"),
        (["   "], "QUERY is empty"),
        (["whale", "-n", "0"], "limit is out of range: got 0"),
        (["whale", "--label", "vesels"], "label is unknown: got 'vesels', expected a label of the index. Did you mean"),
        (["whale", "--under", "sky"], "--under is unknown: got 'sky'"),
        (["whale", "--where", "yaer=1990"], "--where has an unknown name: got 'yaer', expected one of place, year."),
        (["whale", "--range", "yaer=1990.."], "--range has an unknown name: got 'yaer', expected one of place, year."),
        (["whale", "--link", "editor=Ann"], "--link has an unknown name: got 'editor', expected one of author."),
        (["whale", "--where", "year"], "--where must look like NAME=VALUE: got 'year', without"),
    ],
)
def test_bad_input_is_one_sentence(index, capsys, arguments, message):
    assert message in refused(capsys, "search", index, *arguments)


def test_a_label_that_came_later_can_be_filtered_by(index, capsys, tmp_path):
    records = [Record(f"n{number}", "whale and ship", ["law"]) for number in range(8)]
    made = tacit.build(records, tmp_path / "small", BuildSettings(n_components=2, text=TextSettings(min_records=1)))
    with tacit.open(made) as collection:
        collection.add([Record("late", "whale and ship", ["tide"])])
    hits = said_json(capsys, "search", str(made), "whale", "--label", "tide", "--json")["hits"]
    assert [hit["id"] for hit in hits] == ["late"]
    assert "expected none, since no record has any." in refused(
        capsys, "search", str(made), "whale", "--where", "year=1"
    )


def test_similar_records_leave_the_record_itself_out(index, capsys):
    heading, *rows = said(capsys, "similar", index, "r1", "-n", "4").splitlines()
    assert heading.split() == ["score", "id", "title", "labels"]
    answer = said_json(capsys, "similar", index, "r1", "-n", "4", "--json")
    ids = [hit["id"] for hit in answer["hits"]]
    assert answer["id"] == "r1"
    assert [row.split()[1] for row in rows] == ids
    assert "r1" not in ids
    assert all(hit["labels"][0] in ("animals", "vessels") for hit in answer["hits"])


def test_similar_to_nobody_is_one_sentence(index, capsys):
    assert "ID is unknown: got 'r999'" in refused(capsys, "similar", index, "r999")
    assert "no/such" in refused(capsys, "similar", "no/such", "r1")
    assert "no/such" in refused(capsys, "search", "no/such", "whale")
