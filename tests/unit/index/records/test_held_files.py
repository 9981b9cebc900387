"""SQLite's locks on the records stay while this process computes their checksum."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from index_builds import add, build, record

from tacit.files import file_sha256
from tacit.index import change_generation, open_generation, verify
from tacit.index.records import held_files
from tacit.index.records.held_files import held_sha256, read_ahead

pytestmark = pytest.mark.skipif(os.name == "nt", reason="locks belong to handles there, and are not lost")

_SHARED = 0x40000000 + 2, 510  # bytes that SQLite locks for reading


def _is_locked(path: Path) -> bool:
    """Whether another process finds a lock on the records; a child has none of its parent's."""
    import fcntl

    child = os.fork()
    if child == 0:
        with open(path, "rb+") as file:
            try:
                fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, _SHARED[1], _SHARED[0])
            except OSError:
                os._exit(1)
        os._exit(0)
    return os.waitpid(child, 0)[1] != 0


def test_what_cannot_be_opened_is_told_once(tmp_path):
    code = (
        "import sqlite3, sys\n"
        "from tacit.index.records.held_files import HeldConnection\n"
        "try: sqlite3.connect(sys.argv[1], factory=HeldConnection)\n"
        "except sqlite3.Error as error: print(error)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "none" / "x")], capture_output=True, text=True, check=True
    )
    assert done.stdout == "unable to open database file\n"
    assert done.stderr == ""


@pytest.fixture
def path(tmp_path) -> Path:
    return build(tmp_path / "a.tacit", 5)


def test_a_reader_keeps_its_lock_while_records_are_added_and_checked(path):
    records = path / "generation-000001/records.sqlite"
    with open_generation(path) as reader:
        assert _is_locked(records)
        add(path, range(2), lambda key: None)
        assert _is_locked(records)
        with open_generation(path) as other:  # compares what has changed
            assert "new1" in other.store
        assert verify(path) == []
        assert _is_locked(records)
        assert "new1" in reader.store
    assert not _is_locked(records)


def test_a_writer_keeps_its_lock_when_it_leaves_the_checksum(path):
    with change_generation(path) as generation:
        generation.store.remove(["r1"])
        assert held_sha256(generation.folder / "records.sqlite")
        assert _is_locked(generation.folder / "records.sqlite")


def test_a_reader_keeps_its_lock_when_files_are_read_ahead(path):
    with open_generation(path) as reader:
        assert "r1" in reader.store
        files = sorted((path / "generation-000001").rglob("records.sqlite*"))
        assert len(files) == 3
        for file in files:
            read_ahead(file)
        assert _is_locked(files[0])
    assert not held_files._HANDLES


def test_no_handle_is_left(path):
    records = path / "generation-000001/records.sqlite"
    for number in range(3):
        with open_generation(path), change_generation(path) as generation:
            generation.store.update([record(number)], generation.array("positions")[:1])
        with open_generation(path):
            assert held_sha256(records) == held_sha256(records)
            assert len(held_files._HANDLES) == 1
    assert not held_files._HANDLES
    assert not held_files._USES


def test_the_checksum_is_that_of_the_file(tmp_path):
    (tmp_path / "x").write_bytes(b"whale" * 500_000)
    assert held_sha256(tmp_path / "x") == file_sha256(tmp_path / "x")
