"""Tables in every form give the same relation: Parquet, gzipped text, Arrow, pandas, NumPy and plain lists."""

from __future__ import annotations

import datetime
import decimal
import gzip
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tacit.errors import InputError, MissingExtraError
from tacit.relations import Relations
from tacit.relations.tables import columns as typed_columns

TABLE: dict[str, list[Any]] = {
    "user": [7, 3, 7, 11, 3, 7],
    "film": ["Solaris", "Alien", "Alien", "Été", "Solaris", "Solaris"],
    "stars": [1.0, 2.0, 3.0, 4.0, 5.0, 0.5],
}
NAMES = {"user": (7, 3, 11), "film": ("Solaris", "Alien", "Été")}
SUMMED = [[1.5, 3, 0], [5, 2, 0], [0, 0, 4]]


def added(table: Any, **settings: Any) -> Relations:
    return Relations().add_table(table, "user", "film", **{"value": "stars", **settings})


def assert_summed(graph: Relations) -> None:
    assert graph.types == NAMES
    assert {type(name) for name in graph.types["user"]} == {int}
    assert {type(name) for name in graph.types["film"]} == {str}
    np.testing.assert_array_equal(graph.block("user-film").matrix.toarray(), SUMMED)


def written(path: Path, columns: dict[str, Any], **settings: Any) -> Path:
    pq.write_table(pa.table(columns), path, **settings)
    return path


def chunked(columns: dict[str, list[Any]]) -> pa.Table:
    return pa.concat_tables([pa.table(columns).slice(start, 2) for start in range(0, 6, 2)])


class TestForms:
    @pytest.mark.parametrize(
        "form",
        [
            dict,
            pd.DataFrame,
            lambda columns: pd.DataFrame(columns, index=list("zzyyxx")),
            lambda columns: pd.DataFrame(columns).astype({"user": "Int64", "film": "category", "stars": "float32"}),
            lambda columns: pd.DataFrame(columns).convert_dtypes(dtype_backend="pyarrow"),
            lambda columns: {name: np.asarray(cells) for name, cells in columns.items()},
            lambda columns: {name: np.asarray(cells, dtype=object) for name, cells in columns.items()},
            lambda columns: {name: pa.array(cells) for name, cells in columns.items()},
            lambda columns: {name: list(np.asarray(cells)) for name, cells in columns.items()},
            lambda columns: {**columns, "stars": [str(number) for number in columns["stars"]]},
            pa.table,
            pa.RecordBatch.from_pydict,
            chunked,
        ],
        ids=[
            "lists",
            "frame",
            "frame with an index",
            "frame of extension types",
            "frame on Arrow",
            "arrays",
            "arrays of objects",
            "Arrow arrays",
            "NumPy scalars",
            "numbers as texts",
            "Arrow table",
            "Arrow batch",
            "Arrow table in pieces",
        ],
    )
    def test_columns(self, form: Any) -> None:
        assert_summed(added(form(TABLE)))

    @pytest.mark.parametrize("kind", [np.int16, np.uint64, np.float64, np.bool_])
    def test_large_arrays_are_numbered_in_the_order_of_first_lines(self, kind: Any, rng: np.random.Generator) -> None:
        cells = rng.integers(0, 2 if kind is np.bool_ else 300, 2000).astype(kind)
        films = rng.integers(0, 40, 2000)
        graph = Relations().add_table({"user": cells, "film": films}, "user", "film")
        assert graph.types["user"] == tuple(dict.fromkeys(cells.tolist()))
        assert {type(name) for name in graph.types["user"]} == {type(kind(0).item())}
        expected = [
            [np.count_nonzero((cells == user) & (films == film)) for film in graph.types["film"]]
            for user in graph.types["user"]
        ]
        np.testing.assert_array_equal(graph.block(0).matrix.toarray(), expected)

    def test_truth_values_count_as_ones_and_zeros(self) -> None:
        columns = {"user": ["u", "v"], "film": ["a", "b"], "stars": [False, True]}
        for form in (dict, pd.DataFrame, pa.table, pa.RecordBatch.from_pydict):
            np.testing.assert_array_equal(added(form(columns)).block(0).matrix.toarray(), [[0, 0], [0, 1]])

    @pytest.mark.parametrize("form", [dict, pd.DataFrame, pa.table, pa.RecordBatch.from_pydict])
    def test_a_number_that_is_missing_is_none(self, form: Any) -> None:
        columns = {"user": ["u", "v"], "film": ["a", "b"], "stars": [3, None]}
        with pytest.raises(InputError, match=r"column 'stars' contains NaN: the first one is in row 1"):
            added(form(columns))

    def test_what_is_given_is_left_as_it_was(self) -> None:
        columns = {name: np.asarray(cells) for name, cells in TABLE.items()}
        added(columns)
        for name, cells in TABLE.items():
            assert columns[name].tolist() == cells


class TestParquet:
    @pytest.mark.parametrize("name", ["t.parquet", "t.pq", "T.PARQUET"])
    @pytest.mark.parametrize("row_group_size", [2, 100])
    def test_a_file_is_its_columns(self, tmp_path: Path, name: str, row_group_size: int) -> None:
        path = written(tmp_path / name, TABLE, row_group_size=row_group_size)
        assert_summed(added(path))
        assert_summed(added(str(path), weight=0.5))

    def test_a_folder_of_files_is_one_table(self, tmp_path: Path) -> None:
        folder = tmp_path / "loans.parquet"
        folder.mkdir()
        for part in range(3):
            written(folder / f"part-{part}.parquet", {name: cells[2 * part :][:2] for name, cells in TABLE.items()})
        (folder / "_SUCCESS").touch()
        assert_summed(added(folder))

    def test_columns_may_have_other_names_than_types(self, tmp_path: Path) -> None:
        path = written(
            tmp_path / "t.parquet", {"who": TABLE["user"], "what": TABLE["film"], "how much": TABLE["stars"]}
        )
        assert_summed(added(path, row="who", column="what", value="how much"))

    def test_dictionaries_are_decoded(self, tmp_path: Path) -> None:
        """Whatever the order of the stored dictionary, and whatever it holds that no line has."""
        codes = pa.array(["Zardoz", "Été", "Alien", "Solaris"])
        films = pa.DictionaryArray.from_arrays(pa.array([3, 2, 2, 1, 3, 3], pa.int8()), codes)
        users = pa.array(TABLE["user"]).dictionary_encode()
        stars = pa.array(TABLE["stars"]).dictionary_encode()
        path = written(tmp_path / "t.parquet", {"user": users, "film": films, "stars": stars}, row_group_size=4)
        assert pa.types.is_dictionary(pq.read_schema(path).field("film").type)
        assert_summed(added(path))

    @pytest.mark.parametrize(
        "cells",
        [
            ["1", "2", "1"],
            [1.5, 2.0, 1.5],
            [True, False, True],
            [b"x", b"y", b"x"],
            [datetime.date(2020, 1, 1), datetime.date(1999, 1, 1), datetime.date(2020, 1, 1)],
            [2**62, 5, 2**62],
        ],
        ids=lambda cells: type(cells[0]).__name__,
    )
    def test_names_keep_their_type(self, tmp_path: Path, cells: list[Any]) -> None:
        path = written(tmp_path / "t.parquet", {"user": cells, "film": ["a", "b", "c"]})
        names = Relations().add_table(path, "user", "film").types["user"]
        assert names == tuple(cells[:2])
        assert [type(name) for name in names] == [type(cell) for cell in cells[:2]]

    @pytest.mark.parametrize(
        "stars",
        [[1, 2, 3], ["1", "2.0", " 3"], [decimal.Decimal(n) for n in (1, 2, 3)], pa.array([1, 2, 3], pa.uint8())],
        ids=["whole", "texts", "decimals", "small"],
    )
    def test_values_of_any_kind_of_number(self, tmp_path: Path, stars: Any) -> None:
        path = written(tmp_path / "t.parquet", {"user": [1, 2, 3], "film": [1, 1, 1], "stars": stars})
        np.testing.assert_array_equal(added(path).block(0).matrix.toarray().ravel(), [1, 2, 3])

    def test_only_the_wanted_columns_are_read(self, tmp_path: Path) -> None:
        path = written(tmp_path / "t.parquet", {"text": ["long"] * 6, **TABLE}, use_dictionary=False)
        start = pq.read_metadata(path).row_group(0).column(0).data_page_offset
        content = path.read_bytes()
        path.write_bytes(content[:start] + b"\xff" * 16 + content[start + 16 :])
        with pytest.raises(OSError, match="header"):
            pq.read_table(path)
        assert_summed(added(path))

    @pytest.mark.parametrize(
        ("columns", "message"),
        [
            ({"user": [1, 2, None], "film": [1, 1, 1]}, r"column 'user' lacks a name: got None in row 2 of the data"),
            ({"user": [1, 2, 3], "film": ["a", "b", ""]}, r"column 'film' lacks a name: got '' in row 2 of the data"),
            (
                {"user": [1.0, np.nan, 2], "film": [1, 1, 1]},
                r"column 'user' lacks a name: got nan in row 1 of the data",
            ),
            (
                {"user": pa.array(["u", None, "u"]).dictionary_encode(), "film": [1, 1, 1]},
                r"column 'user' lacks a name: got None in row 1 of the data, expected one in each row. Drop such rows",
            ),
            (
                {"user": [[1], [2], [3]], "film": [1, 1, 1]},
                r"column 'user' has an invalid name: got \[1\] in row 0 of the data, expected texts or numbers",
            ),
            (
                {"users": [1], "film": [1]},
                r"row is unknown: got 'user', expected one of 'users', .*Did you mean 'users'",
            ),
            ({"user": [1], "film": [1], "star": [1]}, r"value is unknown: got 'stars', .*Did you mean 'star'"),
            ({"user": [1, 2], "film": [1, 1], "stars": [1, None]}, r"column 'stars' contains NaN: .* is in row 1"),
            (
                {"user": [1, 2], "film": [1, 1], "stars": ["5", "many"]},
                r"column 'stars' has an invalid number: got 'many' in row 1 of the data, expected numbers only",
            ),
            (
                {"user": [1], "film": [1], "stars": [datetime.datetime(2020, 1, 1)]},
                r"column 'stars' has an invalid number: got .*2020.* in row 0 of the data",
            ),
            (
                {"user": pa.array([], pa.int64()), "film": pa.array([], pa.string()), "stars": pa.array([], pa.int8())},
                r"relation 'user-film' is empty: got no entry other than 0",
            ),
        ],
    )
    def test_bad_tables_get_one_clear_sentence(self, tmp_path: Path, columns: dict[str, Any], message: str) -> None:
        path = written(tmp_path / "t.parquet", columns, row_group_size=2)
        with pytest.raises(InputError, match=message):
            added(path, value="stars" if {"stars", "star"} & set(columns) else None)

    def test_bad_files_get_one_clear_sentence(self, tmp_path: Path) -> None:
        with pytest.raises(InputError, match=r"none.parquet cannot be read: got .*none.parquet.*expected a Parquet"):
            added(tmp_path / "none.parquet")
        (tmp_path / "text.parquet").write_text("user,film\nu,a\n", encoding="utf-8")
        with pytest.raises(InputError, match=r"text.parquet cannot be read: got .*, expected a Parquet table\.$"):
            added(tmp_path / "text.parquet")
        path = written(tmp_path / "t.parquet", TABLE)
        with pytest.raises(InputError, match=r"separator does not apply to 't.parquet': got ';', expected none"):
            added(path, separator=";")

    def test_without_pyarrow_the_extra_is_named(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        path = written(tmp_path / "t.parquet", TABLE)
        monkeypatch.setitem(sys.modules, "pyarrow", None)
        with pytest.raises(MissingExtraError, match=r"Reading Parquet needs pyarrow, .*pip install 'tacit\[parquet\]'"):
            added(path)


class TestText:
    @pytest.mark.parametrize(
        ("name", "separator", "mark"),
        [
            ("t.csv.gz", None, ","),
            ("my.loans.TSV.GZ", None, "\t"),
            ("t.txt.gz", ";", ";"),
            ("t.gz", "|", "|"),
            ("t.csv", None, ","),
        ],
    )
    @pytest.mark.parametrize("at_once", [1, 2, 1000])
    def test_lines_are_read_in_pieces_zipped_or_not(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, separator: str | None, mark: str, at_once: int
    ) -> None:
        monkeypatch.setattr(typed_columns, "_LINES_AT_ONCE", at_once)
        lines = ["user|film|stars", *("|".join(map(str, line)) for line in zip(*TABLE.values(), strict=True))]
        text = "\ufeff" + "\r\n".join(lines).replace("|", mark)
        opened: Any = gzip.open if name.lower().endswith(".gz") else open
        with opened(tmp_path / name, "wt", encoding="utf-8") as file:
            file.write(text)
        graph = added(tmp_path / name, separator=separator)
        assert graph.types == {"user": ("7", "3", "11"), "film": NAMES["film"]}
        np.testing.assert_array_equal(graph.block(0).matrix.toarray(), SUMMED)

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("user,film,stars\n\nu,a,1\nv,b\n", r"t.csv has a short line: got 2 cells in line 4, expected 3 as in"),
            ('user,film,stars\n"u\nu",a,1\nv,b,1\nw\n', r"t.csv has a short line: got 1 cells in line 5, expected 3"),
            ("user,film,stars\nu,a,1\nv,,2\n,,\nw,b,3\n", r"column 'film' lacks a name: got '' in row 1 of the data"),
            (
                "user,film,stars\nu,a,1\nv,b,1\nw,a,much\n",
                r"column 'stars' has an invalid number: got 'much' in row 2",
            ),
            ("user,film,stars\nu,a,1\nv,b,nan\n", r"column 'stars' contains NaN: the first one is in row 1"),
            ("user,film,stars\n", r"relation 'user-film' is empty: got no entry other than 0"),
        ],
    )
    def test_bad_lines_are_named(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, message: str
    ) -> None:
        monkeypatch.setattr(typed_columns, "_LINES_AT_ONCE", 2)
        (tmp_path / "t.csv").write_text(text, encoding="utf-8")
        with pytest.raises(InputError, match=message):
            added(tmp_path / "t.csv")

    def test_files_that_are_not_zipped_or_broken_say_so(self, tmp_path: Path) -> None:
        whole = gzip.compress(b"user,film,stars\n" + b"u,a,1\nv,b,2\n" * 1000)
        for name, content in {"cut": whole[:-20], "plain": b"user,film,stars\nu,a,1\n", "mad": whole[:20] * 3}.items():
            (tmp_path / f"{name}.csv.gz").write_bytes(content)
            with pytest.raises(InputError, match=rf"{name}.csv.gz cannot be read: got .*, expected a table in UTF-8"):
                added(tmp_path / f"{name}.csv.gz")


@pytest.mark.parametrize("form", [dict, pd.DataFrame, pa.table])
def test_collections_are_no_names(form: Any) -> None:
    columns = {"user": ["u", "v"], "film": [["a"], ["b", "c"]], "stars": [1, 2]}
    with pytest.raises(InputError, match=r"column 'film' has an invalid name: got \['a'\] in row 0 of the data"):
        added(form(columns))


@pytest.mark.parametrize("missing", [None, np.nan, pd.NA, pd.NaT])
def test_a_frame_without_a_name_in_a_line_is_refused(missing: Any) -> None:
    columns = pd.DataFrame({"user": pd.Series(["u", missing, "v"], dtype=object), "film": [1, 2, 3]})
    columns.index = pd.Index([5, 5, 5])  # rows of the data are counted, whatever the frame calls them
    with pytest.raises(
        InputError, match=rf"column 'user' lacks a name: got {missing!r} in row 1 of the data, expected"
    ):
        added(columns, value=None)
