"""`tacit cluster` as people type it."""

from __future__ import annotations

import pytest
from asked_index import HOME, SEA, asked_records, build_asked, refused, said, said_json

import tacit
from tacit.cli.app import main
from tacit.cli.common.verbs import VERBS
from tacit.cli.map import cluster_command
from tacit.corpus.record import Record

BY_WORDS = {"words": 5.0}  # the groups are groups of words, each with two labels


@pytest.fixture(scope="module")
def index(tmp_path_factory) -> str:
    return build_asked(tmp_path_factory.mktemp("cluster") / "library.tacit", weights=BY_WORDS)


def test_groups_as_a_table(index, capsys):
    heading, *rows = said(capsys, "cluster", index, "--groups", "2", "--words", "2").splitlines()
    assert heading.split() == ["group", "records", "words", "labels", "example"]
    assert [row.split()[:2] for row in rows] == [["1", "30"], ["2", "15"]]
    assert "Sea animals " in rows[0]
    assert "%" in rows[0]


def test_groups_as_json(index, capsys):
    answer = said_json(capsys, "cluster", index, "--groups", "2", "--json")
    assert answer["n_records"] == 45
    sea, home = answer["groups"]
    assert set(sea["words"]) <= set(SEA)
    assert set(home["words"]) <= set(HOME)
    assert {label["label"] for label in home["labels"]} == {"pets", "rooms"}
    assert len(sea["examples"]) == 3
    assert len(said_json(capsys, "cluster", index, "--json")["groups"]) == 5  # the root of 22.5


def test_the_group_of_each_record_is_written(index, capsys, tmp_path):
    output = tmp_path / "groups.tsv"
    said(capsys, "cluster", index, "--groups", "2", "--output", str(output))
    groups = dict(line.split("\t") for line in output.read_text().splitlines())
    assert groups == {record.id: "1" if int(record.id[1:]) % 3 else "2" for record in asked_records()}
    assert list(tmp_path.iterdir()) == [output]


def test_filters_and_a_seed(index, capsys):
    answer = said_json(capsys, "cluster", index, "--groups", "2", "--under", "sea", "--seed", "3", "--json")
    assert answer["n_records"] == 30


def test_records_in_no_group_are_said(capsys, tmp_path):
    path = build_asked(tmp_path / "i", weights=BY_WORDS)
    with tacit.open(path) as collection, pytest.warns(tacit.TacitWarning):
        collection.add([Record("odd", "xyzzy")])
    with pytest.raises(SystemExit):
        main(["cluster", path, "--groups", "2"])
    captured = capsys.readouterr()
    assert captured.err == "Note: 1 records have no word of the vocabulary and are in no group.\n"
    assert [line.split()[:2] for line in captured.out.splitlines()[1:]] == [["1", "30"], ["2", "15"]]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--groups", "0"], "groups is out of range: got 0, expected a whole number of at least 1."),
        (["--groups", "46"], "groups is out of range: got 46, expected at most the 45 records with a position."),
        (["--words", "0"], "words is out of range: got 0, expected a whole number of at least 1."),
        (["--label", "QQQ"], "label is unknown: got 'QQQ', expected a label of the index."),
        (["--label", "sea"], "there is nothing to group: got no matching record, expected at least one."),
        (["--seed", "-1"], "--seed is out of range: got -1, expected a whole number of at least 0."),
        (["--output", "no/such/file.tsv"], "--output cannot be written: got 'no/such/file.tsv', No such file or"),
    ],
)
def test_bad_input_is_one_sentence(index, capsys, arguments, message):
    assert message in refused(capsys, "cluster", index, *arguments)


def test_an_index_that_is_not_there(capsys):
    assert "no/such" in refused(capsys, "cluster", "no/such")


def test_help_line_is_that_of_the_table_of_verbs(capsys):
    assert cluster_command.get_short_help_str(limit=200) == VERBS["cluster"][1]
    assert "  tacit cluster library.tacit\n" in said(capsys, "cluster", "--help")
