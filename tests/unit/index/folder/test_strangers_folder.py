"""Folders from strangers: links, pipes and devices in them are refused, and content is compared before use."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import sqlite3
import time
from pathlib import Path

import numpy as np
import pytest
from index_builds import add, build, position, record

from tacit.errors import InputError
from tacit.files import replace_text
from tacit.index import GenerationWriter, RecordStore, change_generation, open_generation, verify
from tacit.index.folder.generations import shards_named

pytestmark = pytest.mark.skipif(os.name == "nt", reason="links need rights, and there are no pipes in folders")

NAMES = (
    "CURRENT",
    "generation-000001/manifest.json",
    "generation-000001/records.sqlite",
    "generation-000001/records.sqlite-wal",
    "generation-000001/records.checksum",
    "generation-000001/arrays/positions.npy",
    "generation-000001/facts/vocabulary.json",
)


@pytest.fixture(autouse=True)
def _no_hang():
    """A pipe that is opened waits for ever: the test then ends with an error."""

    def stop(*_):
        raise TimeoutError("it hangs")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(10)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture(scope="module")
def sound(tmp_path_factory) -> Path:
    return build(tmp_path_factory.mktemp("sound") / "a.tacit", 10)


def _open_all(path: Path) -> None:
    with open_generation(path) as generation:
        generation.facts("vocabulary")


@pytest.mark.parametrize("kind", ["link", "pipe", "device"])
@pytest.mark.parametrize("name", NAMES)
def test_what_is_no_plain_file_is_refused(sound, tmp_path, name, kind):
    path = Path(shutil.copytree(sound, tmp_path / "a.tacit"))
    file, aside = path / name, tmp_path / "aside"
    if file.exists():
        file.rename(aside)
    else:
        aside.write_bytes(b"")
    if kind == "pipe":
        os.mkfifo(file)
    else:
        file.symlink_to(aside if kind == "link" else "/dev/zero")
    with pytest.raises(InputError, match=r"is not a plain file: got a (symbolic link|named pipe), expected a regular"):
        _open_all(path)
    assert any("is not a plain file" in sentence for sentence in verify(path))


@pytest.mark.parametrize("name", ["generation-000001", "generation-000001/arrays"])
def test_folders_are_not_links(sound, tmp_path, name):
    path = Path(shutil.copytree(sound, tmp_path / "a.tacit"))
    (path / name).rename(tmp_path / "aside")
    (path / name).symlink_to(tmp_path / "aside")
    with pytest.raises(InputError, match="is not a plain folder: got a symbolic link"):
        _open_all(path)


def test_a_journal_that_came_with_the_folder_is_not_run(sound, tmp_path):
    path = Path(shutil.copytree(sound, tmp_path / "a.tacit"))
    (path / "generation-000001/records.sqlite-journal").write_bytes(b"")
    with pytest.raises(InputError, match="journal does not belong to the index"):
        _open_all(path)


def test_a_link_in_the_place_of_a_temporary_file_is_not_written_through(tmp_path):
    victim = tmp_path / "victim"
    victim.write_text("precious", encoding="utf-8")
    (tmp_path / "CURRENT.new").symlink_to(victim)
    replace_text(tmp_path / "CURRENT", "generation-000001\n")
    assert victim.read_text(encoding="utf-8") == "precious"
    assert not (tmp_path / "CURRENT").is_symlink()


@pytest.mark.parametrize("name", ["arrays/positions.npy", "arrays/values.npy", "records.sqlite"])
def test_a_changed_byte_is_noticed_on_opening(sound, tmp_path, name):
    path = Path(shutil.copytree(sound, tmp_path / "a.tacit"))
    _open_all(path)
    with open(path / "generation-000001" / name, "rb+") as file:
        file.seek(-3, os.SEEK_END)
        byte = file.read(1)
        file.seek(-3, os.SEEK_END)
        file.write(bytes([byte[0] ^ 1]))
    with pytest.raises(InputError, match=rf"{name} was changed: got content that does not match its checksum"):
        _open_all(path)


def test_records_of_a_writer_who_was_killed_are_read(sound, tmp_path):
    path = Path(shutil.copytree(sound, tmp_path / "a.tacit"))
    store = RecordStore(path / "generation-000001/records.sqlite", writable=True)
    store.add([record(1, prefix="new")], position(1)[None])
    crashed = Path(shutil.copytree(path, tmp_path / "b.tacit"))  # with the log, as after a kill
    store.close()
    for place in (path, crashed):
        with open_generation(place) as generation:
            assert "new1" in generation.store
    add(crashed, [2], lambda key: None)
    (facts,) = [json.loads((crashed / "generation-000001/records.checksum").read_bytes())]
    assert facts["changes"] == 2
    assert verify(crashed) == []


def test_a_writer_does_not_wait_for_a_reader(sound, tmp_path):
    path = Path(shutil.copytree(sound, tmp_path / "a.tacit"))
    with open_generation(path) as reader, reader.store.at_one_state():
        started = time.monotonic()
        add(path, [1], lambda key: None)
        assert time.monotonic() - started < 15  # SQLite would wait for thirty seconds
        with open_generation(path) as generation:
            assert "new1" in generation.store
    assert verify(path) == []


def test_a_damaged_checksum_of_the_records_is_told(sound, tmp_path):
    path = Path(shutil.copytree(sound, tmp_path / "a.tacit"))
    (path / "generation-000001/records.checksum").write_text("{}", encoding="utf-8")
    with pytest.raises(InputError, match=r"records\.checksum is damaged"):
        _open_all(path)


def test_large_files_are_compared_once(tmp_path, monkeypatch):
    monkeypatch.setenv("TACIT_CACHE", str(tmp_path / "cache"))
    with GenerationWriter(tmp_path / "a.tacit") as writer:
        RecordStore.create(writer.path("records.sqlite"), [record(0)])
        writer.save_array("positions", position(0)[None])
        writer.save_array("large", np.zeros(1_200_000, np.float32))
        writer.finish({}, {})
    kept = json.loads((tmp_path / "cache/compared.json").read_bytes())
    with open_generation(tmp_path / "a.tacit") as generation:
        assert list(kept.values()) == [generation.manifest.files["arrays/large.npy"].sha256]
    copy = Path(shutil.copytree(tmp_path / "a.tacit", tmp_path / "b.tacit"))
    with change_generation(copy):  # a copy is another file: it is compared, and remembered too
        pass
    assert len(json.loads((tmp_path / "cache/compared.json").read_bytes())) == 2
    (tmp_path / "cache/compared.json").write_text("[", encoding="utf-8")
    with open_generation(copy):
        pass


@pytest.mark.parametrize(
    "sql",
    [
        "CREATE TRIGGER evil AFTER INSERT ON records BEGIN DELETE FROM labels; END",
        "DROP VIEW live; CREATE VIEW live AS WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) "
        "SELECT n AS number, '' AS title, '' AS text FROM r",
        "CREATE TABLE more (a)",
        "DROP TABLE field_values; CREATE VIEW field_values AS SELECT number, key AS name, title AS value FROM records",
        "DROP INDEX labels_by_label; CREATE INDEX labels_by_label ON labels (label || 'x', number)",
    ],
)
def test_a_schema_of_strangers_is_refused(sound, tmp_path, sql):
    path = Path(shutil.copytree(sound, tmp_path / "a.tacit"))
    file = path / "generation-000001/records.sqlite"
    with contextlib.closing(sqlite3.connect(file)) as connection:
        connection.executescript(sql)
    (path / "generation-000001/records.checksum").unlink()
    with pytest.raises(InputError, match=r"records\.sqlite has a schema that Tacit does not write: got the \w+ '\w+'"):
        _open_all(path)
    assert any("has a schema that Tacit does not write" in sentence for sentence in verify(path))


@pytest.mark.skipif(os.name == "nt", reason="the number of open files has no such limit there")
def test_too_many_open_files_are_no_damage(tmp_path):
    import resource

    listed = tmp_path / "generation-000001" / "facts" / "shards.json"
    listed.parent.mkdir(parents=True)
    listed.write_text('{"folder": "shards-000001"}')
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(256, before[0]), before[1]))
    handles = []
    try:
        with contextlib.suppress(OSError):
            while True:
                handles.append(os.open(os.devnull, os.O_RDONLY))
        with pytest.raises(InputError, match=r"shards\.json cannot be read: got 'Too many open files'"):
            shards_named(tmp_path / "generation-000001")
    finally:
        for handle in handles:
            os.close(handle)
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
