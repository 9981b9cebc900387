"""Tables: CSV with its many dialects, TSV, and Parquet."""

from __future__ import annotations

import csv
import datetime
import gzip
import io
import json
import sys
import warnings

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pairwise import pairwise

from tacit.corpus import ColumnMap, Problem, read_records
from tacit.errors import InputError, MissingExtraError, TacitWarning

pa = pytest.importorskip("pyarrow", reason="pyarrow is an extra")
parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is an extra")


def read(path, columns=None, **options):
    return [(r.id, r.text, r.labels) for r in read_records(path, columns, max_problems=0, **options)]


def with_problems(reading):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TacitWarning)
        records = list(reading)
    return records, [str(problem) for problem in reading.problems.examples]


ROWS = [
    ["id", "title", "body", "topics"],
    ["1", "Cats", 'They "purr", and\nsleep.', "pets; cats"],
    ["2", "Law", "", ""],
]
EXPECTED = [("1", 'Cats\nThey "purr", and\nsleep.', ("pets", "cats")), ("2", "Law", ())]


def written(rows, end="\r\n", **dialect):
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator=end, **dialect).writerows(rows)
    return text.getvalue()


@pairwise(encoding=["utf-8", "utf-8-sig", "utf-16"], delimiter=[",", ";", "|", "\t"], end=["\n", "\r\n", "\r"])
def test_every_usual_dialect_is_told(tmp_path, delimiter, end, encoding):
    (tmp_path / "x.csv").write_bytes(written(ROWS, end, delimiter=delimiter).encode(encoding))
    assert read(tmp_path / "x.csv") == EXPECTED


def test_tabs_gzip_and_a_format_that_is_told(tmp_path):
    data = written(ROWS, delimiter="\t").encode()
    (tmp_path / "x.tsv").write_bytes(data)
    (tmp_path / "x.tab.gz").write_bytes(gzip.compress(data))
    (tmp_path / "x.dat").write_bytes(data)
    assert read(tmp_path / "x.tsv") == read(tmp_path / "x.tab.gz") == read(tmp_path / "x.dat", format="tsv") == EXPECTED


def test_blank_lines_and_the_line_of_excel_do_not_shift_the_numbers(tmp_path):
    (tmp_path / "x.csv").write_text("\n\nsep=;\nid;text;n,o,t,e\n\n1;a;\n1;b;\n")
    records, problems = with_problems(read_records(tmp_path / "x.csv"))
    assert [(record.id, record.fields) for record in records] == [("1", {"n,o,t,e": ""})]
    assert problems == ["x.csv, line 7: id '1' was used before: left out."]


def test_lines_with_too_few_or_too_many_cells(tmp_path):
    (tmp_path / "x.csv").write_text('id,text,labels\n1,"two\nlines",a\n2,short\n3,long,a,b\n4,fine,a,,,\n5,fine,b\n')
    reading = read_records(tmp_path / "x.csv")
    records, _ = with_problems(reading)
    assert [record.id for record in records] == ["1", "4", "5"]
    assert reading.problems.counts == {"cells": 2}
    assert reading.problems.examples == [
        Problem("cells", "x.csv", 4, "2 cells, expected 3 as in the header."),
        Problem("cells", "x.csv", 5, "4 cells, expected 3 as in the header."),
    ]
    with pytest.raises(InputError, match="path has too many problems: got 1 x cells, expected at most 0 in all"):
        read(tmp_path / "x.csv")


def test_a_quotation_mark_that_is_not_closed(tmp_path):
    (tmp_path / "x.csv").write_text('id,text\n1,fine\n2,"open\n3,lost\n4,lost\n')
    records, problems = with_problems(read_records(tmp_path / "x.csv"))
    assert [record.id for record in records] == ["1"]
    assert problems == ["x.csv, line 3: a quotation mark is not closed: the 2 lines after it are lost."]
    found = read_records(tmp_path / "x.csv")
    assert len(list(found)) == 1
    assert len(found.problems) == 3  # each line that is lost counts
    with pytest.raises(InputError, match="got 3 x broken line, expected at most 2 in all"):
        list(read_records(tmp_path / "x.csv", max_problems=2))


@pytest.mark.parametrize("quoted", ['"fine, too"', '"fine, ""too"""', '"fine,\ntoo"'])
def test_a_quotation_mark_that_another_cell_closes_costs_its_own_line_only(tmp_path, quoted):
    rows = "".join(f"{number},{quoted},x\n" for number in range(4, 60))
    (tmp_path / "x.csv").write_text(f'id,text,labels\n1,fine,x\n2,"open,x\n3,fine,x\n{rows}')
    records, problems = with_problems(read_records(tmp_path / "x.csv"))
    assert [record.id for record in records] == ["1", *(str(number) for number in range(3, 60))]
    assert {record.text for record in records[2:]} == {next(csv.reader([quoted], strict=True))[0].strip()}
    assert problems == ["x.csv, line 3: a quotation mark is not closed in its cell."]


def test_many_marks_that_are_not_closed_take_no_longer_than_is_allowed(tmp_path):
    rows = "".join(f'{number},"open\n{number + 1},"closed"\n' for number in range(0, 40_000, 2))
    (tmp_path / "x.csv").write_text(f"id,text\n{rows}")
    with pytest.raises(InputError, match="got 101 x broken line, expected at most 100 in all"):
        list(read_records(tmp_path / "x.csv", max_problems=100))


def test_undecodable_bytes_in_a_table(tmp_path):
    (tmp_path / "x.csv").write_bytes(b"id,text\n1,fine\n2,caf\xe9\n")
    records, problems = with_problems(read_records(tmp_path / "x.csv"))
    assert [record.text for record in records] == ["fine", "caf\ufffd"]
    assert problems == ["x.csv, line 3: byte 0xe9 is not utf-8: replaced. Pass `encoding`, such as 'cp1252'."]
    assert read(tmp_path / "x.csv", encoding="cp1252")[1] == ("2", "café", ())


def test_cells_as_long_as_a_book(tmp_path):
    book = "word " * 100_000
    (tmp_path / "x.csv").write_text(f"id,text\n1,{book}\n")
    assert read(tmp_path / "x.csv") == [("1", book, ())]


def test_a_column_named_twice(tmp_path):
    (tmp_path / "x.csv").write_text("id,text,text\n1,a,b\n")
    with pytest.raises(InputError, match=r"path names a column twice: got 'text' in the header of x.csv"):
        read_records(tmp_path / "x.csv")


def test_columns_without_a_name_are_dropped(tmp_path):
    (tmp_path / "x.csv").write_text("id,text,,\n1,a,b,c\n")
    (record,) = read_records(tmp_path / "x.csv")
    assert record.fields == {}


@pytest.mark.parametrize(
    ("cells", "separator", "labels"),
    [
        (["a; b", "c"], None, [("a", "b"), ("c",)]),
        (["a|b", "c|d", "e;f"], None, [("a", "b"), ("c", "d"), ("e;f",)]),
        (["Networks, neural"], None, [("Networks, neural",)]),
        (["a,b"], ",", [("a", "b")]),
        (["a  b c"], " ", [("a", "b", "c")]),
        (["a; b"], "", [("a; b",)]),
        (["a --- b"], "---", [("a", "b")]),
        (['["a; x", "b"]'], None, [("a; x", "b")]),
        (["['a', 'b']", "[not a list]"], None, [("a", "b"), ("[not a list]",)]),
        (["; ;a;", ""], None, [("a",), ()]),
    ],
)
def test_several_labels_in_a_cell(tmp_path, cells, separator, labels):
    rows = [["id", "text", "labels"], *([str(i), "t", cell] for i, cell in enumerate(cells))]
    (tmp_path / "x.csv").write_text(written(rows))
    found = [found for _, _, found in read(tmp_path / "x.csv", ColumnMap(label_separator=separator))]
    assert found == labels


def test_each_column_has_its_own_separator(tmp_path):
    (tmp_path / "x.csv").write_text("text,topics,author\nt,a|b,Turing; Knuth\n")
    (record,) = read_records(tmp_path / "x.csv", ColumnMap(links="author"))
    assert (record.labels, record.links) == (("a", "b"), {"author": ("Turing", "Knuth")})


def test_a_separator_that_is_told_holds_for_json_too(tmp_path):
    (tmp_path / "x.jsonl").write_text(json.dumps({"text": "t", "labels": "a/b"}))
    (record,) = read_records(tmp_path / "x.jsonl", ColumnMap(label_separator="/"))
    assert record.labels == ("a", "b")


CELL = st.text(st.characters(codec="utf-8", exclude_characters="\x00", exclude_categories=["Cs"]), max_size=8)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts=st.lists(CELL, min_size=1, max_size=6), delimiter=st.sampled_from(",;\t|"))
def test_whatever_python_writes_is_read_back(tmp_path, texts, delimiter):
    rows = [["id", "text", "note"], *([str(i), f"T{text}", text] for i, text in enumerate(texts))]
    (tmp_path / "x.csv").write_bytes(written(rows, delimiter=delimiter, quoting=csv.QUOTE_ALL).encode())
    records = list(read_records(tmp_path / "x.csv", max_problems=0))
    assert [(r.text, r.fields["note"]) for r in records] == [(f"T{text}", text) for text in texts]


TABLE = {
    "id": [1, 2],
    "text": ["one", "two"],
    "labels": [["a", "b"], None],
    "author": ["Ann", "Bob"],
    "when": [datetime.date(2020, 1, 2), None],
    "raw": [b"caf\xc3\xa9", b"caf\xe9"],
}


def test_parquet_with_lists_dates_and_bytes(tmp_path):
    parquet.write_table(pa.table(TABLE), tmp_path / "x.parquet")
    reading = read_records(tmp_path / "x.parquet", ColumnMap(links="author"))
    (first, second), problems = with_problems(reading)
    assert (first.id, first.text, first.labels, first.links) == ("1", "one", ("a", "b"), {"author": ("Ann",)})
    assert first.fields == {"when": "2020-01-02", "raw": "café"}
    assert (second.labels, second.fields) == ((), {"when": None, "raw": "caf\ufffd"})
    assert problems == ["x.parquet, line 2: unexpected end of data in a column of bytes: replaced."]


def test_parquet_in_many_pieces_and_only_the_columns_that_are_asked_for(tmp_path):
    n = 2_500
    table = pa.table({"id": [f"r{i}" for i in range(n)], "body": ["t"] * n, "note": [b"\xff"] * n, "more": range(n)})
    parquet.write_table(table, tmp_path / "x.pq", row_group_size=700)
    told = []
    reading = read_records(
        tmp_path / "x.pq", ColumnMap(fields=["more"]), max_problems=0, progress=lambda *r: told.append(r)
    )
    records = list(reading)  # the bytes that are no text are not even looked at
    assert [(record.id, record.fields) for record in records] == [(f"r{i}", {"more": i}) for i in range(n)]
    assert told[-1] == (n, 1.0)
    assert 0 < told[1][1] < 1


def test_a_folder_of_tables_is_one_collection(tmp_path):
    for part in (1, 0):
        parquet.write_table(pa.table({"id": [str(part)], "text": ["t"]}), tmp_path / f"part-{part}.parquet")
    (tmp_path / ".part.parquet").write_text("hidden")
    (tmp_path / "_SUCCESS").touch()
    assert [record.id for record in read_records(tmp_path)] == ["0", "1"]
    (tmp_path / "extra.csv").write_text("id,text\n5,t\n")
    assert [record.id for record in read_records(tmp_path)] == ["5", "0", "1"]
    assert [record.id for record in read_records(tmp_path, format="parquet")] == ["0", "1"]


def test_what_is_no_parquet(tmp_path):
    (tmp_path / "x.parquet").write_text("words")
    with pytest.raises(InputError, match=r"path cannot be read: got .* in x.parquet, expected a Parquet file"):
        read_records(tmp_path / "x.parquet")


def test_parquet_without_its_library(tmp_path, monkeypatch):
    parquet.write_table(pa.table(TABLE), tmp_path / "x.parquet")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match=r"Reading Parquet needs pyarrow.*tacit\[parquet\]"):
        read_records(tmp_path / "x.parquet")


def test_parquet_with_a_damaged_name_of_a_column_is_refused(tmp_path):
    parquet.write_table(pa.table({"id": ["1"], "text": ["t"]}), tmp_path / "x.parquet", compression="none")
    content = (tmp_path / "x.parquet").read_bytes()
    (tmp_path / "x.parquet").write_bytes(content.replace(b"text", b"te\xfft").replace(b"ARROW:schema", b"ARROX:schema"))
    with pytest.raises(InputError, match=r"path cannot be read: got .* expected a Parquet file"):
        list(read_records(tmp_path / "x.parquet"))
