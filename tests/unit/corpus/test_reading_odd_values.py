"""One odd value, line or file among good ones is counted and left out or converted: it never stops a build."""

from __future__ import annotations

import datetime
import decimal
import gzip
import json
import os
import subprocess
import sys
import time
import warnings
from pathlib import Path

import pytest

from tacit.corpus import ColumnMap, read_records
from tacit.errors import InputError, TacitWarning
from tacit.index.records.rows import as_row

GOOD = [json.dumps({"id": f"r{n}", "text": "a whale in the sea", "size": n}) for n in range(3)]


def read(path: Path, **settings):
    """Read, check that every record can be stored, and return the records with the counts of problems."""
    reading = read_records(path, **settings)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TacitWarning)
        records = list(reading)
    for number, record in enumerate(records):
        as_row(number, record)
    return records, dict(reading.problems.counts)


@pytest.mark.parametrize(
    ("line", "counts", "fields"),
    [
        ('{"id": "x", "text": "sea", "size": NaN}', {"odd value": 1}, {}),
        ('{"id": "x", "text": "sea", "size": [1, -Infinity]}', {"odd value": 1}, {}),
        ('{"id": "x", "text": "sea", "size": 1e999}', {"odd value": 1}, {}),
        ('{"id": "x", "text": "sea", "size": 1e150}', {}, {"size": 1e150}),
        ('{"id": "x", "text": "sea", "note": "half \\ud83d"}', {"encoding": 1}, {"note": "half ?"}),
        ('{"id": "x", "text": "sea", "\\ud83d": 1}', {}, {"?": 1}),
        ('{"id": "x", "text": "sea", "size": ' + "[" * 900 + "]" * 900 + "}", {"odd value": 1}, {}),
        ('{"id": "x", "text": "sea", "size": {"a": [1, "b", null]}}', {}, {"size": {"a": [1, "b", None]}}),
    ],
)
def test_an_odd_field_is_left_out(tmp_path, line, counts, fields):
    path = tmp_path / "a.jsonl"
    path.write_text("\n".join([*GOOD, line]), encoding="utf-8")
    records, found = read(path)
    assert (len(records), found, dict(records[-1].fields)) == (4, counts, fields)


def test_halves_of_characters_are_replaced(tmp_path):
    path = tmp_path / "a.jsonl"
    odd = {"id": "x\ud800", "text": "sea \udfff", "title": "\ud800", "labels": ["a\ud800"], "by": ["b\ud800", "c"]}
    path.write_text("\n".join([*GOOD, json.dumps(odd)]), encoding="utf-8")
    records, found = read(path, columns=ColumnMap(text="text", links="by"))
    assert found == {"encoding": 1}
    last = records[-1]
    assert (last.id, last.text, last.title, last.labels, last.links) == (
        "x?",
        "sea ?",
        "?",
        ("a?",),
        {"by": ("b?", "c")},
    )


def test_a_parquet_file_with_every_odd_type(tmp_path):
    pa, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    broken = pa.array([b"caf\xe9", b"sea"], pa.binary()).view(pa.string())
    table = pa.table({
        "id": ["a", "b"],
        "text": ["a whale", "the sea"],
        "price": pa.array([decimal.Decimal("1.50"), decimal.Decimal("2.00")], pa.decimal128(8, 2)),
        "took": pa.array([1_500_000_001, None], pa.duration("ns")),
        "at": pa.array([1_700_000_000_123_456_789, 0], pa.timestamp("ns")),
        "hour": pa.array([3_600_000_000_001, 0], pa.time64("ns")),
        "raw": pa.array([b"caf\xe9", b"x"]),
        "broken": broken,
        "ratio": [float("nan"), 0.5],
        "day": [datetime.date(2024, 1, 2), None],
    })  # fmt: skip
    parquet.write_table(table, tmp_path / "a.parquet")
    records, found = read(tmp_path / "a.parquet")
    assert found == {"encoding": 2, "odd value": 1}
    assert dict(records[0].fields) == {
        "price": 1.5, "took": 1.5, "at": "2023-11-14T22:13:20.123456", "hour": "01:00:00", "raw": "caf\ufffd",
        "broken": "caf\ufffd", "day": "2024-01-02",
    }  # fmt: skip
    assert (records[1].fields["price"], records[1].fields["ratio"], records[1].fields["broken"]) == (2, 0.5, "sea")


def test_a_small_file_that_unpacks_to_one_huge_line(tmp_path):
    path = tmp_path / "a.jsonl.gz"
    path.write_bytes(gzip.compress(("\n".join(GOOD) + "\n" + "x" * 3_000_000).encode()))
    with pytest.raises(
        InputError, match=r"line that is too long: got more than 1\.0 MiB in line 4 of a\.jsonl\.gz.*`max_line"
    ):
        read(path, max_line_mb=1)
    (tmp_path / "b.txt.gz").write_bytes(gzip.compress(b"x" * 3_000_000))
    with pytest.raises(InputError, match=r"in the text of b\.txt\.gz"):
        read(tmp_path / "b.txt.gz", max_line_mb=1)
    (tmp_path / "c.json.gz").write_bytes(gzip.compress(b'[{"text": "' + b"x" * 3_000_000))
    with pytest.raises(InputError, match=r"in the value that starts in line 1 of c\.json\.gz"):
        read(tmp_path / "c.json.gz", max_line_mb=1)


def test_a_header_of_forty_thousand_columns_is_read_at_once(tmp_path):
    names = ["id", "text", *(f"c{n}" for n in range(40_000))]
    (tmp_path / "a.csv").write_text(",".join(names) + "\n" + ",".join(["x"] * len(names)) + "\n", encoding="utf-8")
    started = time.process_time()
    records, _ = read(tmp_path / "a.csv")
    assert len(records[0].fields) == 40_000
    assert time.process_time() - started < 5


@pytest.mark.skipif(os.name == "nt", reason="links need rights")
def test_a_link_out_of_the_folder_is_left_out(tmp_path):
    (tmp_path / "secret.txt").write_text("a secret")
    (tmp_path / "secrets").mkdir()
    (tmp_path / "secrets/more.txt").write_text("another")
    folder = tmp_path / "texts"
    (folder / "sub").mkdir(parents=True)
    (folder / "a.txt").write_text("a whale")
    (folder / "b.txt").symlink_to("a.txt")
    (folder / "c.txt").symlink_to(tmp_path / "secret.txt")
    (folder / "sub/d").symlink_to(tmp_path / "secrets")
    records, found = read(folder)
    assert [record.id for record in records] == ["a.txt", "b.txt"]
    assert found == {"unreadable": 2}


_AS_ANOTHER = """
import os, sys, warnings
from tacit.corpus import read_records
os.setgid(65534); os.setuid(65534)
reading = read_records(sys.argv[1])
warnings.simplefilter("ignore")
print(len(list(reading)), *reading.problems.examples, sep="|")
"""


@pytest.mark.skipif(os.name == "nt" or os.geteuid() != 0, reason="becomes another user, which only root may")
def test_what_may_not_be_read_is_a_problem(tmp_path_factory):
    import tempfile

    with tempfile.TemporaryDirectory() as place:
        Path(place).chmod(0o755)
        folder = Path(place, "texts")
        (folder / "sub").mkdir(parents=True)
        for name in ("a.txt", "b.txt", "sub/c.txt"):
            (folder / name).write_text("a whale")
        (folder / "b.txt").chmod(0)
        (folder / "sub").chmod(0)
        done = subprocess.run([sys.executable, "-c", _AS_ANOTHER, folder], capture_output=True, text=True, check=True)
        said = "1|b.txt: Permission denied: left out.|sub: Permission denied: left out.\n"
        assert done.stdout == said
        (folder / "sub").chmod(0o755)


@pytest.mark.skipif(os.name == "nt" or sys.platform == "darwin", reason="names are Unicode there")
def test_a_name_that_is_not_utf8(tmp_path):
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.txt")).write_text("a whale")
    records, found = read(tmp_path)
    assert [record.id for record in records] == ["caf\\udce9.txt"]
    assert found == {}


def test_a_file_that_cannot_be_opened_is_not_called_incomplete(tmp_path, monkeypatch):
    path = tmp_path / "a.jsonl"
    path.write_text("\n".join(GOOD))

    def refuse(*_):
        raise OSError(24, "Too many open files", str(path))

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(InputError, match=r"got 'Too many open files' for a\.jsonl, expected a file that can be opened"):
        read(path)
