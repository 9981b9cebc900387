"""Relations are read from tables, pair by pair, and from records with their words, labels and fields."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer

from tacit.corpus import Record
from tacit.errors import InputError
from tacit.relations import Relations
from tacit.text import vectoriser

TABLE = {"user": ["u", "v", "u", "u"], "film": ["a", "b", "b", "a"], "stars": [1, 2, 3, 4]}
SUMMED = [[5, 3], [0, 2]]
RECORDS = [
    Record(
        "r1", "storm at sea", ["weather", "sea"], links={"author": ("Ann", "Bob")}, fields={"year": 1999, "id": "x"}
    ),
    Record("r2", "storm on land", ["weather"], links={"author": ("Bob",)}, fields={"year": None}),
    Record("r3", "sea and land", links={"author": ()}),
]


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("form", [dict, pd.DataFrame])
def test_lines_of_one_pair_are_summed(form: Any) -> None:
    graph = Relations().add_table(form(TABLE), "user", "film", value="stars", weight=0.5)
    assert graph.types == {"user": ("u", "v"), "film": ("a", "b")}
    np.testing.assert_array_equal(graph.block(0).matrix.toarray(), SUMMED)
    assert graph.block(0).weight == 0.5
    counts = Relations().add_table(form(TABLE), "user", "film")
    np.testing.assert_array_equal(counts.block(0).matrix.toarray(), [[2, 1], [0, 1]])


@pytest.mark.parametrize(
    ("name", "separator", "mark"),
    [("t.csv", None, ","), ("t.tsv", None, "\t"), ("t.TAB", None, "\t"), ("t.txt", ";", ";")],
)
def test_files_give_what_the_same_columns_give(tmp_path: Path, name: str, separator: str | None, mark: str) -> None:
    lines = ["who|what|note|stars", "u|a|x|1", "v|b||2", "", "u|b|x|3", "u|a|x|4"]
    path = write(tmp_path / name, "\ufeff" + "\n".join(lines).replace("|", mark))
    graph = Relations().add_table(
        path, "user", "film", row="who", column="what", value="stars", separator=separator, name="rated"
    )
    assert graph.types == {"user": ("u", "v"), "film": ("a", "b")}
    np.testing.assert_array_equal(graph.block("rated").matrix.toarray(), SUMMED)


def test_a_table_meets_the_objects_that_are_there() -> None:
    graph = Relations().add("film", "word", np.eye(2), rows=["b", "a"]).add_table(TABLE, "user", "film", value="stars")
    np.testing.assert_array_equal(graph.block("user-film").matrix.toarray(), np.asarray(SUMMED)[:, ::-1])


def test_a_table_within_a_type_can_be_made_symmetric() -> None:
    cites = {"from": ["a", "a"], "to": ["b", "c"]}
    graph = Relations().add_table(cites, "page", "page", row="from", column="to", symmetrise=True)
    assert graph.types["page"] == ("a", "b", "c")
    np.testing.assert_array_equal(graph.block(0).matrix.toarray(), [[0, 0.5, 0.5], [0.5, 0, 0], [0.5, 0, 0]])


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({**TABLE, "film": ["a", "", "b", "b"]}, r"column 'film' lacks a name: got '' in row 1 of the data"),
        ({**TABLE, "user": ["u", "v", None, "u"]}, r"column 'user' lacks a name: got None in row 2 of the data"),
        ({**TABLE, "stars": [1, 2, "many", 4]}, r"column 'stars' has an invalid number: got 'many' in row 2"),
        ({**TABLE, "stars": [1, 2, 3, np.nan]}, r"column 'stars' contains NaN: the first one is in row 3"),
        ({**TABLE, "stars": [1]}, r"column 'stars' does not match column 'user': got 1 rows for 4"),
        ({**TABLE, "film": ["a"]}, r"column 'film' does not match column 'user': got 1 rows for 4"),
        ({"users": [], "film": [], "stars": []}, r"row is unknown: got 'user', .*Did you mean 'users'\?"),
        ({"user": [], "film": [], "star": []}, r"value is unknown: got 'stars', .*Did you mean 'star'\?"),
        ({"user": [], "film": [], "stars": []}, r"relation 'user-film' is empty: got no entry other than 0"),
        ({**TABLE, "stars": [0, 0, 0, 0]}, r"relation 'user-film' is empty: got no entry other than 0"),
        (3, r"table is not a table: got int, expected a path, a data frame or columns by name"),
    ],
)
def test_bad_tables_get_one_clear_sentence(table: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Relations().add_table(table, "user", "film", value="stars")


@pytest.mark.parametrize(
    ("name", "text", "separator", "message"),
    [
        ("t.csv", "user,film\nu,a\nv\n", None, r"t.csv has a short line: got 1 cells in line 3, expected 2"),
        ("t.csv", "user,name\n", None, r"column is unknown: got 'film', expected one of 'user', 'name'"),
        ("t.csv", "", None, r"row is unknown: got 'user', expected one of"),
        (
            "t.xlsx",
            "",
            None,
            r"table has an unknown suffix: got 't.xlsx', expected .csv, .*, or .parquet. Pass separator",
        ),
        ("t.csv", "", "::", r"separator is not one character: got '::'"),
    ],
)
def test_bad_files_get_one_clear_sentence(
    tmp_path: Path, name: str, text: str, separator: str | None, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        Relations().add_table(write(tmp_path / name, text), "user", "film", separator=separator)


def test_a_file_that_is_not_there_or_not_utf8_says_so(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none.csv cannot be read: got .*No such file"):
        Relations().add_table(tmp_path / "none.csv", "user", "film")
    (tmp_path / "latin.csv").write_bytes(b"user,film\nu,\xe9\n")
    with pytest.raises(InputError, match=r"latin.csv cannot be read: got .*expected a table in UTF-8"):
        Relations().add_table(str(tmp_path / "latin.csv"), "user", "film")


def test_records_bring_words_labels_and_fields() -> None:
    graph = Relations().add_records(RECORDS, fields={"person": "author", "year": "year"})
    assert [block.name for block in graph.blocks] == ["record-word", "record-person", "record-year", "record-label"]
    assert graph.types["record"] == ("r1", "r2", "r3")
    assert (graph.types["person"], graph.types["year"]) == (("Ann", "Bob"), (1999,))
    np.testing.assert_array_equal(graph.block("record-person").matrix.toarray(), [[1, 1], [0, 1], [0, 0]])
    np.testing.assert_array_equal(graph.block("record-year").matrix.toarray(), [[1], [0], [0]])
    assert graph.types["label"] == ("weather", "sea")
    np.testing.assert_array_equal(graph.block("record-label").matrix.toarray(), [[1, 1], [1, 0], [0, 0]])
    maker = vectoriser()
    expected = maker.fit_transform([record.text for record in RECORDS]).toarray()
    assert graph.types["word"] == tuple(maker.get_feature_names_out())
    np.testing.assert_allclose(graph.block("record-word").matrix.toarray(), expected)


def test_mappings_serve_as_records() -> None:
    plain = [
        {"id": one.id, "text": one.text, "labels": list(one.labels), "author": list(one.links["author"])}
        for one in RECORDS
    ]
    graph = Relations().add_records(plain, type="text", fields={"author": "author"})
    twin = Relations().add_records(RECORDS, type="text", fields={"author": "author"})
    assert graph.types == twin.types
    for one, other in zip(graph.blocks, twin.blocks, strict=True):
        np.testing.assert_array_equal(one.matrix.toarray(), other.matrix.toarray())


def test_a_fitted_vectoriser_keeps_its_words_for_another_type() -> None:
    maker = CountVectorizer()
    graph = Relations().add_records(RECORDS, vectoriser=maker, labels=None)
    subjects = [{"id": "s1", "text": "Storm, storm, rain"}]
    graph = graph.add_records(subjects, type="subject", vectoriser=maker, normalise="frobenius")
    assert list(graph.types) == ["record", "word", "subject"]
    expected = np.where(np.asarray(graph.types["word"]) == "storm", 2, 0)
    np.testing.assert_array_equal(graph.block("subject-word").matrix.toarray()[0], expected)
    assert graph.block("subject-word").normalise == "frobenius"


def test_parts_are_left_out_on_request_or_where_there_are_none() -> None:
    bare = [Record("a", "storm sea"), Record("b", "sea storm")]
    assert [block.name for block in Relations().add_records(bare).blocks] == ["record-word"]
    only = Relations().add_records(RECORDS, words=None)
    assert [block.name for block in only.blocks] == ["record-label"]


@pytest.mark.parametrize(
    ("records", "settings", "message"),
    [
        ([], {}, r"records is empty: got no record, expected at least one"),
        ([RECORDS[0], RECORDS[0]], {}, r"id of records has a name twice: got 'r1'"),
        ([{"text": "storm"}], {}, r"id of records lacks a name: got None at position 0"),
        (RECORDS[:1], {}, r"records has no words to relate: got 1 texts and .*expected words in more than"),
        (RECORDS, {"fields": {"a": "authors"}}, r"fields names a field that no record has: got 'authors'"),
        (RECORDS, {"vectoriser": HashingVectorizer()}, r"vectoriser has no names of words: got HashingVectorizer"),
        (
            [{"id": 1, "a": {"b": 1}}],
            {"words": None, "fields": {"a": "a"}},
            r"'a' of record 0 is not a name: got \{'b'",
        ),
    ],
)
def test_bad_records_get_one_clear_sentence(records: list[Any], settings: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Relations().add_records(records, **settings)
