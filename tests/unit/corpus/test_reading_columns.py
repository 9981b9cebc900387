"""Column maps: from names and from strings, guessed where left open, and checked against what a file has."""

from __future__ import annotations

import json

import pytest

from tacit.corpus import ColumnMap, read_records
from tacit.errors import InputError


def test_one_name_or_several_and_links_by_name():
    columns = ColumnMap(text="body", labels=["a", "b"], links=["author", "journal"])
    assert (columns.text, columns.labels) == (("body",), ("a", "b"))
    assert columns.links == {"author": "author", "journal": "journal"}
    assert columns == ColumnMap(text=("body",), labels=("a", "b"), links={"author": "author", "journal": "journal"})
    assert columns.used == ("body", "a", "b", "author", "journal")


def test_from_strings_splits_at_commas():
    columns = ColumnMap.from_strings(text="title, body", labels="topics", links="writer=author,journal", fields="")
    assert columns == ColumnMap(
        text=("title", "body"), labels=("topics",), links={"writer": "author", "journal": "journal"}, fields=()
    )
    assert ColumnMap.from_strings() == ColumnMap()
    assert ColumnMap.from_strings(labels="").labels == ()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"text": ()}, "text names no column: got"),
        ({"text": ["a", 3]}, "text holds an invalid name of a column: got 3"),
        ({"labels": [""]}, "labels holds an invalid name of a column: got ''"),
        ({"links": {"author": ""}}, "links holds an invalid name of a column: got ''"),
        ({"id": 5}, "id is not a text: got 5, expected one text or None"),
        ({"title_weight": 0}, "title_weight is out of range: got 0, expected a whole number of at least 1"),
    ],
)
def test_what_is_no_map(settings, message):
    with pytest.raises(InputError, match=message):
        ColumnMap(**settings)


@pytest.mark.parametrize(
    ("names", "text", "labels", "identity", "title"),
    [
        ("id title text labels", ("title", "text"), ("labels",), "id", "title"),
        ("_id Title Abstract Categories", ("Title", "Abstract"), ("Categories",), "_id", "Title"),
        ("document_id body abstract subjects", ("body",), ("subjects",), "document_id", ""),
        ("title year", ("title",), (), "", "title"),
        ("content tags keywords", ("content",), ("tags",), "", ""),
    ],
)
def test_usual_names_are_guessed(names, text, labels, identity, title):
    guess = ColumnMap().guessed(names.split(), "x.csv")
    assert (guess.text, guess.labels, guess.id, guess.title) == (text, labels, identity, title)


def test_what_is_said_is_not_guessed():
    there = ["id", "title", "text", "labels"]
    kept = ColumnMap(text="text", labels=(), id="", title="").guessed(there, "x")
    assert (kept.text, kept.labels, kept.id, kept.title) == (("text",), (), "", "")
    assert ColumnMap(title="").guessed(there, "x").text == ("text",)
    assert kept.described(ColumnMap(text="text", labels=(), id="", title="")) == ""


def test_no_column_that_looks_like_a_text():
    with pytest.raises(
        InputError, match=r"text is not given and cannot be guessed: got the columns 'a', 'b' in x.csv, expected one"
    ):
        ColumnMap().guessed(["a", "b"], "x.csv")


def write(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (
            ColumnMap(labels="topic"),
            r"labels names a column that x.csv does not have: got 'topic', expected one of 'id', 'title', "
            r"'Topics'. Did you mean 'Topics'\?",
        ),
        (ColumnMap(text=["title", "zzz"]), "text names a column that x.csv does not have: got 'zzz', .*'Topics'.$"),
        (ColumnMap(id="identity"), "id names a column"),
        (ColumnMap(title="titel"), r"title names a column .* Did you mean 'title'\?"),
        (ColumnMap(links={"by": "author"}), "links names a column that x.csv does not have: got 'author'"),
    ],
)
def test_a_column_that_is_not_there_is_known_at_once(tmp_path, columns, message):
    (tmp_path / "x.csv").write_text("id,title,Topics\n1,a,b\n")
    with pytest.raises(InputError, match=message):
        read_records(tmp_path / "x.csv", columns)


def test_a_later_table_without_the_column_is_named(tmp_path):
    (tmp_path / "x.csv").write_text("id,title,topics\n1,a,b\n")
    (tmp_path / "y.csv").write_text("id,title,themes\n2,a,b\n")
    records = iter(read_records([tmp_path / "x.csv", tmp_path / "y.csv"]))
    assert next(records).labels == ("b",)
    with pytest.raises(InputError, match=r"labels names a column that y.csv does not have: got 'topics'"):
        next(records)


def test_a_column_of_json_may_come_late_but_must_come(tmp_path):
    rows = [{"id": str(i), "text": "t"} for i in range(300)]
    path = write(tmp_path / "x.jsonl", [*rows, {"id": "last", "text": "t", "topics": ["a"]}])
    *_, last = read_records(path, ColumnMap(labels="topics"))
    assert last.labels == ("a",)
    reading = read_records(path, ColumnMap(labels="topcs"))
    with pytest.raises(InputError, match=r"labels names a column that x.jsonl does not have: got 'topcs'"):
        list(reading)
    assert reading.n_read == 301
    with pytest.raises(InputError, match=r"text names a column that x.jsonl does not have: got 'body'"):
        read_records(path, ColumnMap(text="body"))


def test_in_a_short_file_of_json_a_missing_column_is_known_at_once(tmp_path):
    path = write(tmp_path / "x.jsonl", [{"id": "1", "text": "t", "topics": []}])
    with pytest.raises(InputError, match=r"links names a column .* got 'topic'.*Did you mean 'topics'\?"):
        read_records(path, ColumnMap(links="topic"))


def test_one_file_of_several_may_have_no_labels(tmp_path):
    one = write(tmp_path / "one.jsonl", [{"id": "1", "text": "t"}])
    two = write(tmp_path / "two.jsonl", [{"id": "2", "text": "t", "labels": ["a"]}])
    assert [record.labels for record in read_records([one, two])] == [(), ("a",)]
    assert [record.labels for record in read_records([two, one])] == [("a",), ()]


@pytest.mark.parametrize("column", ["Record no", "bookId", "Key", "nr"])
def test_a_first_column_that_is_called_like_an_id_is_one_if_its_values_differ(tmp_path, column):
    (tmp_path / "x.csv").write_text(f"{column},text\n7,whales\n8,ships\n")
    assert [record.id for record in read_records(tmp_path / "x.csv")] == ["7", "8"]
    (tmp_path / "y.csv").write_text(f"{column},text\n7,whales\n7,ships\n")
    reading = read_records(tmp_path / "y.csv")
    assert [record.id for record in reading] == ["y.csv:2", "y.csv:3"]
    assert "id from file name and line" in reading.summary()
    assert [record.fields[column] for record in reading] == ["7", "7"]


def test_the_subject_of_a_message_is_its_title():
    guess = ColumnMap().guessed(["from", "Subject", "body"], "x.csv")
    assert (guess.title, guess.text, guess.labels) == ("Subject", ("Subject", "body"), ())
    guess = ColumnMap().guessed(["creator", "subject", "text"], "x.csv")
    assert (guess.title, guess.labels) == ("", ("subject",))


def test_labels_that_no_two_records_share_are_said(tmp_path):
    rows = "".join(f"{n},text,{'shared' if n % 9 == 0 else f'no. {n}'}\n" for n in range(90))
    (tmp_path / "x.csv").write_text("id,text,subject\n" + rows)
    reading = read_records(tmp_path / "x.csv")
    assert "80 of the first 90 cells of subject have a label of their own, such as 'shared'." in reading.summary()
    assert "own" not in read_records(tmp_path / "x.csv", ColumnMap(labels="subject")).summary()
    (tmp_path / "y.csv").write_text("id,text,subject\n" + "".join(f"{n},text,no. {n // 3}\n" for n in range(90)))
    assert "own" not in read_records(tmp_path / "y.csv").summary()


def test_other_first_columns_are_no_ids(tmp_path):
    (tmp_path / "x.csv").write_text("volume,no,text\n1,7,whales\n2,8,ships\n")
    assert [record.id for record in read_records(tmp_path / "x.csv")] == ["x.csv:2", "x.csv:3"]
