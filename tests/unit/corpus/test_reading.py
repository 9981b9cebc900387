"""Reading as a whole: what it gives, in a stream, with every kind of problem counted, up to a limit."""

from __future__ import annotations

import gzip
import json
import warnings
from contextlib import suppress
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tacit.corpus import ColumnMap, Problem, Record, read_records
from tacit.corpus.problems import KINDS
from tacit.errors import InputError, TacitWarning


def lines_of(rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


def write_rows(path, rows):
    path.write_text(lines_of(rows), encoding="utf-8")
    return path


def quietly(reading):
    """The records of a reading that has problems, without its warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TacitWarning)
        return list(reading)


ROWS = [
    {"id": "a", "title": "Cats", "body": "They purr.", "topics": ["pets", "cats", "pets"], "by": ["Ann"], "year": 1990},
    {"id": 7, "title": "Law", "body": "Courts sit.", "topics": [], "by": "Bob", "year": 1991},
]
MAP = ColumnMap(text=("title", "body"), labels="topics", id="id", title="title", links={"author": "by"})


def test_rows_become_records(tmp_path):
    first, second = read_records(write_rows(tmp_path / "x.jsonl", ROWS), MAP)
    cats = Record("a", "Cats\nThey purr.", ("pets", "cats"), "Cats", {"author": ("Ann",)}, {"year": 1990})
    assert first == cats
    assert second == Record("7", "Law\nCourts sit.", (), "Law", {"author": ("Bob",)}, {"year": 1991})
    with pytest.raises(AttributeError, match="cannot assign"):
        first.id = "b"


def test_the_guess_finds_the_same_and_says_so(tmp_path):
    reading = read_records(write_rows(tmp_path / "x.jsonl", ROWS))
    guessed = list(reading)
    asked = list(read_records(tmp_path / "x.jsonl", MAP))
    assert [(r.id, r.text, r.labels, r.title) for r in guessed] == [(r.id, r.text, r.labels, r.title) for r in asked]
    said = "Columns guessed: text from title, body; labels from topics; id from id; title from title."
    assert (
        reading.summary()
        == f"2 records read from x.jsonl.\n{said}\nTo choose others: `text`, `labels`, `id` or `title`."
    )


def test_only_the_fields_that_are_asked_for(tmp_path):
    path = write_rows(tmp_path / "x.jsonl", [{**row, "note": "n"} for row in ROWS])
    assert [record.fields for record in read_records(path)] == [{"by": ["Ann"], "year": 1990, "note": "n"},
                                                                {"by": "Bob", "year": 1991, "note": "n"}]  # fmt: skip
    assert [record.fields for record in read_records(path, ColumnMap(fields=["year", "absent"]))] == [
        {"year": 1990}, {"year": 1991}]  # fmt: skip
    assert [record.fields for record in read_records(path, ColumnMap(fields=()))] == [{}, {}]


def test_the_title_counts_as_often_as_it_is_told_to(tmp_path):
    path = write_rows(tmp_path / "x.jsonl", ROWS[:1])
    (record,) = read_records(path, ColumnMap(title_weight=3))
    assert record.text == "Cats\nCats\nCats\nThey purr."
    (record,) = read_records(path, ColumnMap(text="body", title_weight=3))
    assert (record.text, record.title) == ("They purr.", "Cats")


def test_records_come_before_the_file_is_read(tmp_path):
    """The end of the file is no JSON at all, yet the first records come; and so they do of a gzipped file cut short."""
    good = lines_of({"id": str(i), "text": "words " * 20} for i in range(20_000))
    (tmp_path / "x.jsonl").write_text(good + "oops\n", encoding="utf-8")
    reading = read_records(tmp_path / "x.jsonl", max_problems=0)
    records = iter(reading)
    assert [record.id for record in islice(records, 3)] == ["0", "1", "2"]
    assert reading.n_read == 3
    with pytest.raises(InputError, match="line 20001: not JSON"):
        list(records)
    packed = gzip.compress(good.encode())
    (tmp_path / "cut.jsonl.gz").write_bytes(packed[: len(packed) // 2])
    records = iter(read_records(tmp_path / "cut.jsonl.gz"))
    assert next(records).id == "0"
    with pytest.raises(InputError, match=r"path cannot be read: got .* in cut.jsonl.gz, expected a whole file"):
        list(records)


def test_a_second_pass_reads_again_and_counts_anew(tmp_path):
    path = write_rows(tmp_path / "x.jsonl", [*ROWS, ROWS[0]])
    reading = read_records(path)
    first, second = quietly(reading), quietly(reading)
    assert first == second
    assert (reading.n_read, reading.problems.counts) == (2, {"duplicate id": 1})


def test_a_limit_stops_before_what_comes_after_it(tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_text(lines_of({"text": f"t{i}"} for i in range(500)) + "broken\n", encoding="utf-8")
    assert [record.text for record in read_records(path, limit=2, max_problems=0)] == ["t0", "t1"]
    assert list(read_records(path, limit=0)) == []
    with pytest.raises(InputError, match="limit is out of range: got -1, expected a whole number of at least 0"):
        read_records(path, limit=-1)


def test_progress_grows_to_one(tmp_path):
    for name in "ab":
        write_rows(tmp_path / f"{name}.jsonl", [{"id": f"{name}{i}", "text": "words here"} for i in range(2_500)])
    told = []
    list(read_records([tmp_path / "a.jsonl", tmp_path / "b.jsonl"], progress=lambda *report: told.append(report)))
    assert [n for n, _ in told] == [1000, 2000, 3000, 4000, 5000, 5000]
    shares = [share for _, share in told]
    assert shares == sorted(shares)
    assert 0 < shares[0] < 0.6
    assert shares[2] > 0.5
    assert shares[-1] == 1.0


def test_several_files_are_one_collection(tmp_path):
    one = write_rows(tmp_path / "one.jsonl", ROWS)
    (tmp_path / "two.csv").write_text("id,title,body,topics\na,Twice,Left out.,x\nc,Sea,Waves.,sea;water\n")
    reading = read_records([one, tmp_path / "two.csv"])
    assert [(record.id, record.labels) for record in quietly(reading)] == [
        ("a", ("pets", "cats")), ("7", ()), ("c", ("sea", "water"))]  # fmt: skip
    assert reading.problems.examples == [
        Problem("duplicate id", "two.csv", 2, "id 'a' was used before: left out.")]  # fmt: skip
    assert "3 records read from 2 files." in reading.summary()


def test_made_up_ids_differ_also_for_files_of_one_name(tmp_path):
    for folder in ("x", "y"):
        (tmp_path / folder).mkdir()
        write_rows(tmp_path / folder / "same.jsonl", [{"text": folder}])
    ids = [record.id for record in read_records([tmp_path / "x" / "same.jsonl", tmp_path / "y" / "same.jsonl"])]
    assert ids == [f"{tmp_path.as_posix()}/x/same.jsonl:1", f"{tmp_path.as_posix()}/y/same.jsonl:1"]


# one file a kind: the bytes, the problem, and the ids that are left
TROUBLE = {
    "encoding": (
        b'{"id": "a", "text": "caf\xe9"}\n{"id": "b", "text": "fine"}\n', 1,
        "byte 0xe9 is not utf-8: replaced. Pass `encoding`, such as 'cp1252'.", ["a", "b"]),
    "broken line": (
        b'{"id": "a", "text": "one"}\n\n{"id": "b", "text": \n{"id": "c", "text": "three"}\n', 3,
        "not JSON: Expecting value at character 20.", ["a", "c"]),
    "duplicate id": (
        b'{"id": "a", "text": "one"}\n{"id": " a ", "text": "two"}\n', 2,
        "id 'a' was used before: left out.", ["a"]),
    "no text": (
        b'{"id": "a", "text": " \\n"}\n{"id": "b", "text": "two"}\n', 1, "nothing in text: left out.", ["b"]),
    "no id": (
        b'{"id": "a", "text": "one"}\n{"id": "", "text": "two"}\n', 2,
        "id holds nothing: named 'x.jsonl:2'.", ["a", "x.jsonl:2"]),
    "wrong type": (
        b'{"id": "a", "text": "one", "labels": ["x", 1.5, "y"]}\n', 1,
        "labels holds 1.5: expected names. Left out.", ["a"]),
    "odd value": (
        b'{"id": "a", "text": "one", "size": NaN}\n', 1,
        "size holds a value that cannot be stored: nan is no number. Left out.", ["a"]),
}  # fmt: skip


@pytest.mark.parametrize("kind", TROUBLE)
def test_each_kind_of_problem_is_counted_with_its_line_and_the_rest_is_read(tmp_path, kind):
    data, line, sentence, ids = TROUBLE[kind]
    (tmp_path / "x.jsonl").write_bytes(data)
    reading = read_records(tmp_path / "x.jsonl")
    with pytest.warns(
        TacitWarning, match=f"the files have problems: 1 x {kind}. The summary of the reading lists them"
    ):
        records = list(reading)
    assert [record.id for record in records] == ids
    assert reading.problems.counts == {kind: 1}
    assert reading.problems.examples == [Problem(kind, "x.jsonl", line, sentence)]
    assert f"1 x {kind}: {KINDS[kind]}\n  x.jsonl, line {line}: {sentence}" in reading.summary()
    with pytest.raises(InputError, match=f"path has too many problems: got 1 x {kind}, expected at most 0 in all"):
        list(read_records(tmp_path / "x.jsonl", max_problems=0))


def test_the_kinds_are_all_tested():
    assert {*TROUBLE, "cells", "unreadable"} == set(KINDS)  # of tables, and of folders


@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        ({"text": {"en": "no"}}, "text holds {'en': 'no'}: expected a text. Left out."),
        ({"text": True}, "text holds True: expected a text. Left out."),
        ({"text": None}, "nothing in text: left out."),
        ({}, "nothing in text: left out."),
        ({"text": ["a", 3]}, "text holds ['a', 3]: expected a text. Left out."),
    ],
)
def test_what_is_no_text(tmp_path, row, sentence):
    path = write_rows(tmp_path / "x.jsonl", [{"id": "good", "text": "good"}, {"id": "bad", **row}])
    reading = read_records(path)
    assert [record.id for record in quietly(reading)] == ["good"]
    assert [(p.kind, p.line, p.sentence) for p in reading.problems.examples] == [("no text", 2, sentence)]


@pytest.mark.parametrize(
    ("cell", "labels", "n_wrong"),
    [
        ("one", ("one",), 0),
        ("a; b", ("a; b",), 0),
        ([" a ", "", None, "a", 5], ("a", "5"), 0),
        (3, ("3",), 0),
        (None, (), 0),
        ([{"uri": "http://x/1", "label": "X"}, {"label": "Y"}], ("http://x/1", "Y"), 0),
        (True, (), 1),
        ({"a": 1}, (), 1),
        ([["a"], "b", False], ("b",), 2),
        (2.5, (), 1),
    ],
)
def test_what_labels_may_be_in_json(tmp_path, cell, labels, n_wrong):
    reading = read_records(write_rows(tmp_path / "x.jsonl", [{"id": "i", "text": "t", "labels": cell}]))
    (record,) = quietly(reading)
    assert record.labels == labels
    assert reading.problems.counts.get("wrong type", 0) == n_wrong


def test_texts_that_are_numbers_or_lists_of_paragraphs(tmp_path):
    rows = [{"text": 1984}, {"text": ["One.", "Two."]}, {"text": float("nan"), "title": "T"}]
    assert [r.text for r in read_records(write_rows(tmp_path / "x.jsonl", rows))] == ["1984", "One.\nTwo.", "T"]


def test_ids_of_a_wrong_type_and_titles_of_one(tmp_path):
    rows = [{"id": ["a"], "text": "t", "title": {}}, {"id": True, "text": "t"}]
    reading = read_records(write_rows(tmp_path / "x.jsonl", rows), ColumnMap(text="text"))
    assert [(record.id, record.title) for record in quietly(reading)] == [("x.jsonl:1", ""), ("x.jsonl:2", "")]
    assert [problem.sentence for problem in reading.problems.examples] == [
        "id holds ['a']: named 'x.jsonl:1'.", "title holds {}: expected a text.", "id holds True: named 'x.jsonl:2'."
    ]  # fmt: skip


def test_no_id_column_is_no_problem(tmp_path):
    reading = read_records(write_rows(tmp_path / "x.jsonl", [{"text": "a"}, {"text": "b"}]), max_problems=0)
    assert [record.id for record in reading] == ["x.jsonl:1", "x.jsonl:2"]
    assert "id from file name and line" in reading.summary()


def test_after_the_limit_reading_stops_with_counts_and_the_first_five(tmp_path):
    rows = [{"id": "a", "text": "t"}] * 9 + [{"id": "b", "text": ""}] * 3
    path = write_rows(tmp_path / "x.jsonl", rows)
    with pytest.raises(InputError) as caught:
        list(read_records(path, max_problems=10))
    said = str(caught.value)
    assert "got 8 x duplicate id, 3 x no text, expected at most 10 in all" in said
    assert [f"line {n}:" in said for n in range(1, 9)] == [False, True, True, True, True, True, False, False]
    assert said.endswith("Correct the file, or allow more with a larger `max_problems`.")
    assert len(quietly(read_records(path, max_problems=11))) == 1
    assert len(quietly(read_records(path, max_problems=None))) == 1


def test_only_the_first_examples_of_a_kind_are_kept(tmp_path):
    rows = [{"id": "a", "text": "t"}] * 50 + [{"id": "b", "text": ""}]
    reading = read_records(write_rows(tmp_path / "x.jsonl", rows))
    quietly(reading)
    assert [(p.kind, p.line) for p in reading.problems.examples] == [
        *(("duplicate id", line) for line in range(2, 7)), ("no text", 51)]  # fmt: skip
    assert len(reading.problems) == 50


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"path": "absent.jsonl"}, "path does not exist: got 'absent.jsonl', expected a file or a folder"),
        ({"path": []}, "path is empty: got no path"),
        (
            {"path": "x.doc"},
            r"path has an unknown suffix: got 'x.doc', expected one of .jsonl, .* Save it as .html",
        ),
        (
            {"path": "x.ttl"},
            r"path has an unknown suffix: got 'x.ttl', .* It may be a vocabulary: pass it as",
        ),
        ({"format": "doc"}, "format is unknown: got 'doc', expected one of 'jsonl', 'json', 'csv'"),
        ({"encoding": "utf-9"}, "encoding is unknown: got 'utf-9', expected one such as 'utf-8' or 'cp1252'"),
        ({"columns": {"text": "body"}}, "columns is not a column map: got {'text': 'body'}, expected a ColumnMap"),
        ({"max_problems": -2}, "max_problems is out of range: got -2"),
        ({"path": "empty.jsonl"}, "path holds no records: got nothing that can be read in empty.jsonl"),
        ({"path": "nothing"}, "path holds nothing to read: got 'nothing' with no files, expected files that end in"),
    ],
)
def test_what_cannot_be_read_is_known_at_once(tmp_path, monkeypatch, settings, message):
    monkeypatch.chdir(tmp_path)
    write_rows(tmp_path / "x.jsonl", ROWS)
    (tmp_path / "x.ttl").touch()
    (tmp_path / "x.doc").touch()
    (tmp_path / "empty.jsonl").touch()
    (tmp_path / "nothing").mkdir()
    with pytest.raises(InputError, match=message):
        read_records(**{"path": "x.jsonl", **settings})


PIECES = st.sampled_from(
    [b'{"id": "a", "text": "t"}', b"\n", b"\r\n", b"\r", b",", b";", b"\t", b'"', b"[", b"]", b"{", b"id,text",
     b"\xff\xfe", b"\xef\xbb\xbf", b"\xe9", b"\x00", b"\x1f\x8b", b"<http://a>",
     b'{"text": ["x"], "labels": {"uri": 3}}', b"<dc>", b"</dc>", b"@a{b, title = {c}}", b"---\n", b"TY  - \n",
     b"tags: [a\n", b"%PDF-1.4", b"00026nam", b"PK\x03\x04"]
)  # fmt: skip


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    pieces=st.lists(PIECES, max_size=15),
    name=st.sampled_from(
        ["x.jsonl", "x.csv", "x.tsv", "x.txt", "x.xml", "x.bib", "x.ris", "x.md", "x.html", "x.mrc", "x.xlsx", "x.pdf"]
    ),
    format=st.sampled_from([None, "annif"]),
    encoding=st.sampled_from(["utf-8", "utf-16", "ascii"]),
)
def test_any_bytes_give_records_or_one_clear_error(tmp_path, pieces, name, format, encoding):
    (tmp_path / name).write_bytes(b"".join(pieces))
    with suppress(InputError):
        records = quietly(read_records(tmp_path / name, format=format, encoding=encoding))
        assert all(record.text and record.id for record in records)


@pytest.mark.parametrize("name", ["x.csv", "x.tsv", "x.jsonl", "x.json", "x.csv.gz", "folder"])
def test_each_file_is_opened_once_in_each_pass(tmp_path, monkeypatch, name):
    """Also those whose format and columns are guessed from their first rows."""
    rows = [{"id": str(number), "text": f"text {number}", "subjects": "a;b"} for number in range(300)]
    path = tmp_path / name
    if name == "folder":
        path.mkdir()
        for row in rows[:20]:
            (path / f"{row['id']}.txt").write_text(row["text"])
    elif "json" in name:
        path.write_text(json.dumps(rows) if name.endswith(".json") else "".join(json.dumps(row) + "\n" for row in rows))
    else:
        mark = "\t" if name.endswith(".tsv") else ","
        text = "\n".join(mark.join(cells) for cells in [["id", "text", "subjects"], *(row.values() for row in rows)])
        path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
    opened, really_open = [], Path.open
    monkeypatch.setattr(Path, "open", lambda self, *how: opened.append(self.name) or really_open(self, *how))
    reading = read_records(path)
    first = list(reading)
    assert len(first) == (20 if name == "folder" else 300)
    assert len(opened) == len(set(opened)) == (20 if name == "folder" else 1)
    assert list(reading) == first
    assert len(opened) == 2 * len(set(opened))
