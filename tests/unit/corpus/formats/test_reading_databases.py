"""SQLite, Excel, data frames and dictionaries."""

from __future__ import annotations

import datetime
import sqlite3
from contextlib import closing

import numpy as np
import pytest

import tacit
from tacit.cli.app import main
from tacit.corpus import ColumnMap, read_records
from tacit.corpus.sources import FORMATS
from tacit.errors import InputError

openpyxl = pytest.importorskip("openpyxl", reason="openpyxl is an extra")
pytest.importorskip("narwhals", reason="narwhals is an extra")

ROWS = [
    {"id": "a", "title": "Whales", "abstract": "They sing at sea", "keywords": "sea; song", "year": 1999},
    {"id": "b", "title": "Cats", "abstract": "They purr at home", "keywords": "home", "year": 2001},
    {"id": "c", "title": "Ships", "abstract": "They sail at sea", "keywords": "sea", "year": None},
]


@pytest.fixture
def database(tmp_path):
    with closing(sqlite3.connect(tmp_path / "x.db")) as opened:
        opened.execute("CREATE TABLE books (id TEXT, title TEXT, abstract TEXT, keywords TEXT, year INTEGER)")
        opened.executemany("INSERT INTO books VALUES (:id, :title, :abstract, :keywords, :year)", ROWS)
        opened.commit()
    return tmp_path / "x.db"


def check(reading):
    records = list(reading)
    assert [(r.id, r.text) for r in records] == [(row["id"], f"{row['title']}\n{row['abstract']}") for row in ROWS]
    assert [r.labels for r in records] == [("sea", "song"), ("home",), ("sea",)]
    assert [r.fields["year"] for r in records] == [1999, 2001, None]


def test_the_one_table_of_a_database(database):
    check(read_records(database, max_problems=0))
    with closing(sqlite3.connect(database)) as opened:
        opened.execute("CREATE TABLE loans (id TEXT)")
    with pytest.raises(InputError, match=r"query is missing: got x.db with the tables 'books', 'loans', expected one"):
        read_records(database)
    check(read_records(database, query="books", max_problems=0))
    (cats,) = read_records(database, query="SELECT id, title AS text FROM books WHERE year > 2000")
    assert (cats.id, cats.text) == ("b", "Cats")


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("boks", r"query is neither a SELECT nor a table of x.db: got 'boks', .* Did you mean 'books'\?"),
        ("SELECT missing FROM books", "query cannot be read: got 'no such column: missing' for x.db"),
        (" ", "query is empty: got ' '"),
    ],
)
def test_queries_that_cannot_be_run(database, query, message):
    with pytest.raises(InputError, match=message):
        read_records(database, query=query)


def test_no_database_and_a_query_for_another_file(tmp_path):
    (tmp_path / "x.sqlite").write_text("no database, but a text that is long enough to be looked at" * 20)
    with pytest.raises(InputError, match=r"path cannot be read: got 'file is not a database' for x.sqlite"):
        read_records(tmp_path / "x.sqlite")
    (tmp_path / "x.csv").write_text("id,text\n1,t\n")
    with pytest.raises(InputError, match=r"query is for SQLite and Excel: got it with x.csv"):
        read_records(tmp_path / "x.csv", query="books")


def test_a_query_at_the_command_line(database, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as left:
        main(["build", "x.db", "--query", "SELECT * FROM books WHERE keywords LIKE '%sea%'", "--set", "min_records=1"])
    assert not left.value.code
    said = capsys.readouterr().out
    assert "2 records read from x.db." in said
    assert "Cells with several names split: keywords at ';'." in said
    assert "To choose others: --text, --labels, --id, --title or --label-separator." in said


def test_a_workbook(tmp_path):
    book = openpyxl.Workbook()
    sheet = book.create_sheet("Books")  # behind one without cells
    for cells in ([], list(ROWS[0]), *(list(row.values()) for row in ROWS[:2]), [], [*ROWS[2].values()]):
        sheet.append(cells)
    other = book.create_sheet("Notes")
    for cells in (["id", "text", "when"], [5.0, "t", datetime.datetime(2020, 1, 2)], ["x", "t", "d", "too many"]):
        other.append(cells)
    book.save(tmp_path / "x.xlsx")
    check(read_records(tmp_path / "x.xlsx", max_problems=0))
    reading = read_records(tmp_path / "x.xlsx", query="Notes")
    with pytest.warns(tacit.TacitWarning, match="1 x cells"):
        (note,) = reading
    assert (note.id, note.fields) == ("5", {"when": "2020-01-02"})
    with pytest.raises(InputError, match=r"query is not a sheet of x.xlsx: got 'notes', .* Did you mean 'Notes'\?"):
        read_records(tmp_path / "x.xlsx", query="notes")
    data = bytearray((tmp_path / "x.xlsx").read_bytes())
    for place in range(60, len(data) // 2):
        data[place] ^= 0x55
    (tmp_path / "x.xlsx").write_bytes(data)
    with pytest.raises(InputError, match=r"path cannot be read: got .* in x.xlsx, expected a workbook of Excel"):
        read_records(tmp_path / "x.xlsx")
    (tmp_path / "x.xlsx").write_text("no workbook")
    with pytest.raises(InputError, match=r"path cannot be read: got 'File is not a zip file' in x.xlsx"):
        read_records(tmp_path / "x.xlsx")


@pytest.mark.parametrize("library", ["pandas", "polars", "dicts"])
def test_data_frames_and_dictionaries(library):
    data = ROWS if library == "dicts" else pytest.importorskip(library, reason="not installed").DataFrame(ROWS)
    check(read_records(data, max_problems=0))
    reading = read_records(data)
    assert list(reading) == list(reading)


def test_cells_of_frames_become_plain():
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    frame = pandas.DataFrame(
        {"text": ["one", "two"], "labels": [["a", "b"], np.array(["c"])],
         "when": pandas.to_datetime(["2020-01-02", None]), "n": pandas.array([1, None], dtype="Int64")},
        index=["x", "y"],
    )  # fmt: skip
    one, two = read_records(frame, max_problems=0)
    assert (one.id, one.labels, one.fields) == ("x", ("a", "b"), {"when": "2020-01-02", "n": 1})
    assert (two.id, two.labels, two.fields) == ("y", ("c",), {"when": None, "n": None})
    kept = frame[frame["text"] == "two"].reset_index(drop=True)
    assert [record.id for record in read_records(kept)] == ["data frame:1"]


def test_frames_and_dictionaries_are_built_and_added(tmp_path):
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    settings = tacit.BuildSettings(text=tacit.TextSettings(min_records=1), map=False)
    path = tacit.build(pandas.DataFrame(ROWS), tmp_path / "x.tacit", settings)
    with tacit.open(path) as books:
        assert books["a"].labels == ("sea", "song")
        assert books.add(pandas.DataFrame([{**ROWS[0], "id": "d", "extra": 1}])) == 1
        assert books.add([{**ROWS[1], "id": "e"}]) == 1
        assert books["d"].fields == {"year": 1999, "extra": 1}
    again = tacit.build(
        iter(ROWS), tmp_path / "y.tacit", settings, columns=ColumnMap(text="abstract", labels="title", title="")
    )
    with tacit.open(again) as books:
        assert books["b"].labels == ("Cats",)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"id": ["a"], "text": ["t"]}, "records is one dictionary: got keys such as 'id', expected a list"),
        ([ROWS[0], "x"], "records mixes dictionaries with others: got 'x' at 1"),
        ([3, 4], "records has an entry that is not a record: got 3, expected records, dictionaries or paths"),
        (3, "records is not a collection: got 3, expected records, a data frame"),
        ("absent.csv", "path does not exist: got 'absent.csv'"),
        ([], "records is empty: got none"),
    ],
)
def test_what_no_index_can_be_built_of(tmp_path, data, message):
    with pytest.raises(InputError, match=message):
        tacit.build(data, tmp_path / "x.tacit")


def test_the_formats_of_the_option_are_those_that_are_read():
    assert len(set(FORMATS)) == len(FORMATS) == 17
