"""Exports hold every record that can be found now, with the position that it is found by, or they are not there."""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path

import numpy as np
import openpyxl
import pytest
from small_index import small_records, small_settings

import tacit
from tacit.corpus.record import Record
from tacit.errors import InputError, MissingExtraError
from tacit.tasks.export import export
from tacit.tasks.info import info


@pytest.fixture(scope="module")
def path(tmp_path_factory) -> Path:
    """An index with records of the build, added, updated and removed ones."""
    path = tmp_path_factory.mktemp("export") / "i.tacit"
    records = small_records(50, links=True)
    tacit.build(records[:40], path, small_settings())
    with tacit.open(path) as index:
        index.add(records[40:])
        index.remove(["r3", "r45"])
        index.update([records[7]])
    return path


@pytest.fixture
def expected(path):
    """Ids with their records and positions, asked for one by one."""
    with tacit.open(path) as index:
        keys = [f"r{n}" for n in range(50) if n not in (3, 45)]
        places = index.positions.of(np.array([index.store.number_of(key) for key in keys]))
        return {key: (index[key], place) for key, place in zip(keys, places, strict=True)}


def test_tables_give_the_same_records_to_people(path, tmp_path, expected):
    with tacit.open(path) as index:
        assert export(index, tmp_path / "a.csv", format="csv") == 48
        assert export(index, tmp_path / "a.xlsx", format="excel") == 48
        assert export(index, tmp_path / "bare.csv", format="csv", texts=False) == 48
    with (tmp_path / "a.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = {row["id"]: row for row in csv.DictReader(file)}
    head, *cells = openpyxl.load_workbook(tmp_path / "a.xlsx").active.values
    sheet = {row[0]: dict(zip(head, ("" if cell is None else cell for cell in row), strict=True)) for row in cells}
    assert set(rows) == set(sheet) == set(expected)
    for id, (record, _) in expected.items():
        for row in (rows[id], sheet[id]):
            assert row["text"] == record.text
            assert row["labels"] == "; ".join(record.labels)
            assert all(row[name] == "; ".join(targets) for name, targets in record.links.items())
            assert all(str(row[name]) == str(value) for name, value in record.fields.items())
    assert "text" not in (tmp_path / "bare.csv").read_text(encoding="utf-8-sig").splitlines()[0].split(",")


def test_a_text_in_a_workbook_is_no_formula_and_may_have_any_characters(tmp_path):
    records = [Record(f"r{n}", f"=whale() ship\x07{n % 3} " + "x" * 40_000 * (n == 0)) for n in range(8)]
    tacit.build(records, tmp_path / "i.tacit", small_settings(n_components=1))
    with tacit.open(tmp_path / "i.tacit") as index:
        export(index, tmp_path / "a.xlsx", format="excel")
    sheet = openpyxl.load_workbook(tmp_path / "a.xlsx").active
    assert sheet["C2"].data_type == "s"
    assert sheet["C3"].value.startswith("=whale() ship1")


def test_json_lines_give_records_and_exact_positions(path, tmp_path, expected):
    with tacit.open(path) as index:
        assert export(index, tmp_path / "a.jsonl") == 48
    found = [json.loads(line) for line in (tmp_path / "a.jsonl").read_text(encoding="utf-8").splitlines()]
    assert {entry["id"] for entry in found} == set(expected)
    assert len(found) == 48
    for entry in found:
        record, place = expected[entry["id"]]
        assert (entry["text"], tuple(entry["labels"]), entry["fields"]) == (record.text, record.labels, record.fields)
        assert entry["links"] == {name: list(targets) for name, targets in record.links.items()}
        np.testing.assert_array_equal(np.array(entry["position"], np.float32), place)


def test_an_array_has_a_row_for_each_id(path, tmp_path, expected):
    with tacit.open(path) as index:
        assert export(index, tmp_path / "a", format="npy") == 48
    positions = np.load(tmp_path / "a" / "positions.npy")
    ids = json.loads((tmp_path / "a" / "ids.json").read_text(encoding="utf-8"))
    assert positions.dtype == np.float32
    np.testing.assert_array_equal(positions, [expected[key][1] for key in ids])
    assert len(set(ids)) == len(ids) == 48


def test_parquet_has_a_column_for_each(path, tmp_path, expected):
    pq = pytest.importorskip("pyarrow.parquet", reason="the extra 'parquet' is not installed")
    with tacit.open(path) as index:
        assert export(index, tmp_path / "a.parquet", format="parquet") == 48
    found = pq.read_table(tmp_path / "a.parquet").to_pylist()
    assert {row["id"] for row in found} == set(expected)
    for row in found:
        record, place = expected[row["id"]]
        assert (row["title"], row["text"], tuple(row["labels"])) == (record.title, record.text, record.labels)
        assert json.loads(row["fields"]) == record.fields
        np.testing.assert_array_equal(np.array(row["position"], np.float32), place)


@pytest.mark.parametrize("format", ["jsonl", "parquet"])
def test_texts_can_be_left_out(path, tmp_path, format):
    with tacit.open(path) as index:
        export(index, tmp_path / "a", format=format, texts=False)
    assert b"whale" not in (tmp_path / "a").read_bytes()


def test_many_records_come_in_batches(tmp_path, monkeypatch, path):
    monkeypatch.setattr("tacit.tasks.export._BATCH", 7)
    told: list[int] = []
    with tacit.open(path) as index:
        export(index, tmp_path / "one.jsonl", progress=told.append)
    assert told == [7, 14, 21, 28, 35, 42, 48]
    monkeypatch.undo()
    with tacit.open(path) as index:
        export(index, tmp_path / "two.jsonl")
    assert (tmp_path / "one.jsonl").read_bytes() == (tmp_path / "two.jsonl").read_bytes()


def test_what_is_there_is_replaced_only_if_allowed(path, tmp_path):
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "letter.txt").write_text("dear")
    with tacit.open(path) as index:
        for format, name in (("jsonl", "a.jsonl"), ("npy", "a")):
            export(index, tmp_path / name, format=format)
            with pytest.raises(InputError, match="path exists already"):
                export(index, tmp_path / name, format=format)
            export(index, tmp_path / name, format=format, replace_old=True)
        with pytest.raises(InputError, match="path is a folder with other files"):
            export(index, tmp_path / "full", format="npy", replace_old=True)
        with pytest.raises(InputError, match=r"path is a file: got .*, expected a folder to write"):
            export(index, tmp_path / "a.jsonl", format="npy", replace_old=True)
        with pytest.raises(InputError, match="path is not in an existing folder"):
            export(index, tmp_path / "nowhere" / "a.jsonl")
        with pytest.raises(InputError, match="format"):
            export(index, tmp_path / "b", format="xml")
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["a", "a.jsonl", "full"]


@pytest.mark.parametrize("format", ["jsonl", "npy", "parquet"])
def test_a_change_meanwhile_leaves_the_old_export(tmp_path, format):
    path = tacit.build(small_records(20), tmp_path / "i.tacit", small_settings())
    target = tmp_path / "out"
    with tacit.open(path) as index, tacit.open(path) as other:
        export(index, target, format=format)
        before = [file.read_bytes() for file in sorted(target.rglob("*")) or [target] if file.is_file()]

        def meanwhile(n: int) -> None:
            other.remove(["r5"])

        with pytest.raises(InputError, match="was changed during the export"):
            export(index, target, format=format, replace_old=True, progress=meanwhile)
    assert [file.read_bytes() for file in sorted(target.rglob("*")) or [target] if file.is_file()] == before
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["i.tacit", "out"]


def test_without_pyarrow_the_extra_is_named(path, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with tacit.open(path) as index, pytest.raises(MissingExtraError, match=r"pip install 'tacit\[parquet\]'"):
        export(index, tmp_path / "a.parquet", format="parquet")
    assert list(tmp_path.iterdir()) == []


def test_info_counts_what_was_added_and_removed(path):
    with tacit.open(path) as index:
        found = info(index)
        assert (found.records, found.fitted_records, found.added, found.removed) == (48, 40, 10, 2)
        assert found.changed_share == pytest.approx(12 / 40)
        assert found.refit_due
        assert (found.model, found.dimensions, found.links) == ("MLSI", 6, {"author": 2})
        files = [file for file in path.rglob("*") if file.is_file() and not file.name.endswith("-shm")]
        assert found.bytes == sum(file.stat().st_size for file in files)


@pytest.mark.parametrize(("n_removed", "due"), [(0, False), (4, False), (5, True)])
def test_a_refit_is_due_above_a_tenth(tmp_path, n_removed, due):
    path = tacit.build(small_records(40), tmp_path / "i", small_settings())
    with tacit.open(path) as index:
        index.remove([f"r{n}" for n in range(n_removed)])
        assert info(index).refit_due is due


def test_texts_that_a_spreadsheet_would_compute_are_marked(tmp_path):
    texts = ["=HYPERLINK(A1)", "+1+cmd", "-2", "@SUM(A1)", "fine = fine", "\tx"]
    records = [
        Record(f"r{n}", f"whale sea {text}", title=text, fields={"n": -1, "t": text}) for n, text in enumerate(texts)
    ]
    tacit.build(records, tmp_path / "a.tacit", tacit.BuildSettings(n_components=1, model="lsi"))
    with tacit.open(tmp_path / "a.tacit") as index:
        export(index, tmp_path / "a.csv", format="csv", texts=False)
    with (tmp_path / "a.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    marked = [f"'{text}" for text in texts]
    marked[4] = texts[4]
    assert [row["t"] for row in rows] == marked
    assert [row["title"] for row in rows][:5] == marked[:5]
    assert [row["n"] for row in rows] == ["-1"] * 6
