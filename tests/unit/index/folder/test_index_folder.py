"""The folder of an index: written whole or not at all, opened for reading and for changes, swept."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import numpy as np
import pytest
from index_builds import N_DIMENSIONS, add, build, learn, position, record, refit

from tacit.corpus import Record
from tacit.errors import BusyError, InputError
from tacit.index import GenerationWriter, RecordStore, change_generation, open_generation, sweep, verify
from tacit.index.records.held_files import HeldConnection


def _entries(path: Path) -> list[str]:
    return sorted(entry.name for entry in path.iterdir())


def _content(path: Path) -> dict[str, bytes]:
    """Everything below a folder but the lock, to see that nothing changed."""
    files = [file for file in sorted(path.rglob("*")) if file.is_file() and file.name != "lock"]
    return {str(file.relative_to(path)): file.read_bytes() for file in files}


def test_an_index_is_laid_out_as_decided(tmp_path):
    path = build(tmp_path / "a.tacit")
    assert _entries(path) == ["CURRENT", "generation-000001", "lock"]
    assert (path / "CURRENT").read_bytes() == b"generation-000001\n"
    inside = sorted(file.relative_to(path).as_posix() for file in path.rglob("*/*") if file.is_file())
    names = ["arrays/positions.npy", "arrays/values.npy", "facts/vocabulary.json", "manifest.json"]
    names += ["records.checksum", "records.sqlite"]
    assert inside == [f"generation-000001/{name}" for name in names]


def test_what_was_saved_is_there(tmp_path):
    with open_generation(str(build(tmp_path / "a.tacit", 10))) as generation:
        np.testing.assert_array_equal(generation.array("positions"), [position(number) for number in range(10)])
        assert generation.array("positions").dtype == np.float32
        assert isinstance(generation.arrays["values"], np.memmap)
        assert not generation.arrays["values"].flags.writeable
        assert generation.facts("vocabulary") == ["sea", "storm", "Überschall"]
        assert generation.store.get([4]) == [record(4)]
        assert generation.manifest.settings == {"version": 1}
        assert generation.manifest.counts == {"records": 10}
        assert set(generation.manifest.files) == {"arrays/positions.npy", "arrays/values.npy", "facts/vocabulary.json"}
        assert generation.path("arrays/values.npy").is_file()
        assert generation.is_current()
        with pytest.raises(InputError, match=r"name is unknown: got 'position', .* Did you mean 'positions'\?"):
            generation.array("position")
        with pytest.raises(InputError, match=r"name is unknown: got 'labels', expected one of 'vocabulary'"):
            generation.facts("labels")
    assert verify(tmp_path / "a.tacit") == []


def test_opening_leaves_no_trace(tmp_path):
    path = build(tmp_path / "a.tacit")
    before = _content(path)
    with open_generation(path) as generation:
        generation.store.words("common")
    assert _content(path) == before


def test_a_refit_takes_over_what_was_added_and_drops_what_was_removed(tmp_path):
    path = build(tmp_path / "a.tacit", 4)
    add(path, range(2), lambda key: None)
    with change_generation(path) as generation:
        generation.store.remove(["r1"])
    refit(path, 2)
    with open_generation(path) as generation:
        assert generation.folder.name == "generation-000002"
        keys = [found.id for _, found in generation.store.records()]
        assert keys == ["r0", "r2", "r3", "new0", "new1"]
        assert generation.store.counts().added == 0
    assert verify(path) == []


def test_a_generation_may_keep_files_of_the_one_before_but_never_shares_its_records(tmp_path):
    path = build(tmp_path / "i", 5)
    add(path, range(20, 22), lambda key: None)
    with open_generation(path) as old:
        learn(path, version=2)
        with open_generation(path) as new:
            shared, own = (lambda name: old.folder / name), (lambda name: new.folder / name)
            assert shared("arrays/positions.npy").samefile(own("arrays/positions.npy"))
            assert not shared("records.sqlite").samefile(own("records.sqlite"))
            assert new.facts("vocabulary") == ["learned", 2]
            assert sorted(new.arrays) == ["learned_positions", "positions"]
            assert new.manifest.files["arrays/positions.npy"] == old.manifest.files["arrays/positions.npy"]
            assert new.manifest.created == old.manifest.created
            assert list(new.store.records()) == list(old.store.records())
            assert new.store.changes == old.store.changes == 1
        add(path, range(30, 34), lambda key: None)
        assert old.store.counts().added == 2  # readers of the old generation see nothing of it
    assert verify(path) == []


def test_a_reader_keeps_what_it_has_opened(tmp_path):
    path = build(tmp_path / "a.tacit", 4)
    with open_generation(path) as reader:
        refit(path, 2)
        assert not reader.is_current()
        refit(path, 3)
        assert _entries(path) == ["CURRENT", "generation-000002", "generation-000003", "lock"]
        np.testing.assert_array_equal(reader.array("positions")[3], position(3))
        if os.name != "nt":
            assert reader.store.get([3]) == [record(3)]
            assert len(reader.store.words("common")[0]) == 4


def test_an_index_opens_at_any_moment_of_many_refits(tmp_path):
    path = build(tmp_path / "a.tacit", 4)
    stop, failures, versions = threading.Event(), [], set()

    def read() -> None:
        while not stop.is_set():
            try:
                with open_generation(path) as reader:
                    versions.add(reader.manifest.settings["version"])
                    assert len(reader.store.get(range(4))) == 4
            except Exception as error:
                failures.append(error)

    threads = [threading.Thread(target=read) for _ in range(2)]
    for thread in threads:
        thread.start()
    for version in range(2, 10):
        refit(path, version)
    stop.set()
    for thread in threads:
        thread.join()
    assert failures == []
    assert len(versions) > 1


def test_a_reader_sees_what_is_added_meanwhile(tmp_path):
    path = build(tmp_path / "a.tacit", 4)
    with open_generation(path) as reader:
        add(path, range(2), lambda key: None)
        assert reader.store.added()[0].tolist() == [4, 5]
        assert reader.store.changes == 1


def test_added_positions_have_to_look_like_those_of_the_build(tmp_path):
    with change_generation(build(tmp_path / "a.tacit", 4)) as generation:
        with pytest.raises(
            InputError, match=rf"got {N_DIMENSIONS + 1} columns, expected {N_DIMENSIONS} as in the index"
        ):
            generation.store.add([Record("x", "")], np.zeros((1, N_DIMENSIONS + 1)))
        generation.store.add([Record("x", "")], np.zeros((1, N_DIMENSIONS), np.float64))
        assert generation.store.added()[1].dtype == np.float32


def test_one_writer_at_a_time(tmp_path):
    path = build(tmp_path / "a.tacit", 4)
    sentence = rf"is being changed: got a lock held by process {os.getpid()} since"
    with GenerationWriter(path):
        for other in (
            lambda: build(path),
            lambda: refit(path, 2),
            lambda: add(path, range(2), print),
            lambda: sweep(path),
        ):
            with pytest.raises(InputError, match=sentence):
                other()
        with open_generation(path) as reader:  # readers need no lock
            assert reader.store.counts().live == 4
    with change_generation(path), pytest.raises(InputError, match=sentence):
        build(path)


class _PlantedError(Exception):
    """An error that is not one of ours."""


@pytest.mark.parametrize("steps", range(4))
def test_an_error_changes_nothing(tmp_path, steps):
    def fail(path: Path) -> None:
        with GenerationWriter(path) as writer:
            if steps > 0:
                RecordStore.create(writer.path("records.sqlite"), [record(0)])
            if steps > 1:
                writer.save_array("positions", np.zeros((1, 4), np.float32))
            if steps > 2:
                writer.save_facts("others", {"a": 1})
            raise _PlantedError

    old = build(tmp_path / "old.tacit")
    before = _content(old)
    with pytest.raises(_PlantedError):
        fail(old)
    assert _content(old) == before
    assert _entries(old) == ["CURRENT", "generation-000001", "lock"]
    with pytest.raises(_PlantedError):
        fail(tmp_path / "new.tacit")
    assert not (tmp_path / "new.tacit").exists()


def test_an_error_after_finish_does_not_undo_it(tmp_path):
    def fail() -> None:
        with GenerationWriter(tmp_path / "a.tacit") as writer:
            RecordStore.create(writer.path("records.sqlite"), [record(0)])
            writer.finish({}, {})
            raise _PlantedError

    with pytest.raises(_PlantedError):
        fail()
    assert verify(tmp_path / "a.tacit") == []


def test_a_block_without_finish_changes_nothing(tmp_path):
    with GenerationWriter(tmp_path / "a.tacit") as writer:
        writer.save_facts("others", [])
    assert not (tmp_path / "a.tacit").exists()


def test_a_finish_that_fails_can_be_left_or_mended(tmp_path):
    path = tmp_path / "a.tacit"
    with GenerationWriter(path) as writer:
        with pytest.raises(InputError, match=r"records\.sqlite is missing: got no such file, expected the records"):
            writer.finish({}, {})
        RecordStore.create(writer.path("records.sqlite"), map(record, range(3)))
        with pytest.raises(InputError, match=r"counts does not match: got 4 records, 3 positions and 3 stored records"):
            writer.finish({}, {"records": 4})
        writer.save_array("positions", np.zeros((2, 4)))
        with pytest.raises(InputError, match=r"counts does not match: got 3 records, 2 positions and 3 stored"):
            writer.finish({}, {})
        writer.save_array("positions", np.zeros(3))
        with pytest.raises(InputError, match=r"positions is not a table of numbers: got shape \(3,\)"):
            writer.finish({}, {})
        writer.save_array("positions", np.zeros((3, 4)))
        with pytest.raises(InputError, match=r"settings\['f'\] is not plain data"):
            writer.finish({"f": print}, {})
        with pytest.raises(InputError, match=r"counts\['labels'\] is out of range: got -1"):
            writer.finish({}, {"labels": -1})
        assert writer.finish({}, {"labels": 2}) == path / "generation-000001"
        with pytest.raises(InputError, match=r"writer is not open: got a call outside its with block or after finish"):
            writer.save_facts("late", [])
    with open_generation(path) as generation:
        assert generation.manifest.counts == {"labels": 2, "records": 3}


@pytest.mark.parametrize("name", ["", "a/b", "..", "ä", "a b", "a.npy", None])
def test_names_are_file_names(tmp_path, name):
    with GenerationWriter(tmp_path / "a.tacit") as writer:
        with pytest.raises(InputError, match=r"name is not a file name: got .*, expected letters, digits, '_' and '-'"):
            writer.save_array(name, np.zeros(1))
        with pytest.raises(InputError, match="name is not a file name"):
            writer.save_facts(name, [])


@pytest.mark.parametrize("name", ["manifest.json", ".hidden", "a/b/c", "../x", "/x", "a/../x", ""])
def test_paths_stay_inside_the_generation(tmp_path, name):
    with (
        GenerationWriter(tmp_path / "a.tacit") as writer,
        pytest.raises(InputError, match="name is not"),
    ):
        writer.path(name)


def test_a_file_written_by_the_caller_is_in_the_manifest(tmp_path):
    with GenerationWriter(tmp_path / "a.tacit") as writer:
        RecordStore.create(writer.path("records.sqlite"), [record(0)])
        writer.path("neighbours.usearch").write_bytes(b"neighbours")
        writer.finish({}, {})
    with open_generation(tmp_path / "a.tacit") as generation:
        assert generation.path("neighbours.usearch").read_bytes() == b"neighbours"
        assert generation.manifest.files["neighbours.usearch"].bytes == 10


def test_records_that_are_still_open_are_not_sealed(tmp_path):
    with GenerationWriter(tmp_path / "a.tacit") as writer:
        RecordStore.create(writer.path("records.sqlite"), [record(0)])
        with RecordStore(writer.path("records.sqlite")) as store:
            assert store.counts().base == 1
            with pytest.raises(InputError, match=r"records\.sqlite is still open: got an open RecordStore"):
                writer.finish({}, {})
        writer.finish({}, {})
    assert verify(tmp_path / "a.tacit") == []


def test_sweep_removes_what_nothing_names_and_nothing_else(tmp_path):
    path = build(tmp_path / "a.tacit", 3)
    refit(path, 2)
    (path / "generation-000009.unfinished").mkdir()
    (path / "generation-000007").mkdir()
    (path / "CURRENT.new").write_text("generation-000001")
    for mine in ("notes.txt", "generation-1", "generation-000001.bak"):
        (path / mine).write_text("mine")
    assert sweep(path) == ["generation-000001", "generation-000007", "generation-000009.unfinished"]
    kept = ["CURRENT", "generation-000001.bak", "generation-000002", "generation-1", "lock", "notes.txt"]
    assert _entries(path) == kept
    assert sweep(path) == []
    assert verify(path) == []
    refit(path, 3)
    assert (path / "CURRENT").read_text() == "generation-000003\n"


@pytest.mark.parametrize("current", [None, "generation-000042", "garbage"])
def test_where_current_is_lost_no_finished_generation_is_swept(tmp_path, current):
    path = build(tmp_path / "a.tacit", 3)
    (path / "CURRENT").unlink()
    if current is not None:
        (path / "CURRENT").write_text(current)
    before = _content(path / "generation-000001")
    with pytest.raises(_PlantedError), GenerationWriter(path):
        raise _PlantedError
    assert _content(path / "generation-000001") == before


def test_a_first_build_that_is_under_way_is_not_called_interrupted(tmp_path):
    said = r"a.tacit is being built by process \d+ since .*: got no finished index yet, expected one"
    with GenerationWriter(tmp_path / "a.tacit"), pytest.raises(BusyError, match=said):
        open_generation(tmp_path / "a.tacit")


def test_names_of_generations_are_never_used_again(tmp_path):
    path = build(tmp_path / "a.tacit", 3)
    (path / "generation-000041.unfinished").mkdir()
    refit(path, 2)
    assert (path / "CURRENT").read_text() == "generation-000042\n"


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda p: None, r"path does not exist: got '.*', expected the folder of an index\. Build one there first\."),
        (lambda p: p.write_text("x"), r"path is a file: got '.*', expected the folder of an index"),
        (lambda p: p.mkdir(), r"path is an empty folder: got '.*', expected the folder of an index"),
        (lambda p: (p / "photos").mkdir(parents=True), r"path is not an index: got '.*' without a file CURRENT"),
        (
            lambda p: (p / "generation-000001.unfinished").mkdir(parents=True),
            r"holds no finished index: got an interrupted build, expected CURRENT\. Build it again",
        ),
        (
            lambda p: (build(p) / "CURRENT").unlink(),
            r"has no file CURRENT: .* Write 'generation-000001' into CURRENT to use the newest one",
        ),
        (
            lambda p: (build(p) / "CURRENT").write_text("x\0y"),
            r"CURRENT is damaged: got 'x\\x00y'.* Write 'generation-",
        ),
        (lambda p: (build(p) / "CURRENT").write_bytes(b"\xff\xfe"), r"CURRENT is damaged: got"),
        (lambda p: (build(p) / "CURRENT").write_text("../x"), r"CURRENT is damaged: got '\.\./x', expected the name"),
        (lambda p: (build(p) / "CURRENT").write_text(""), r"CURRENT is damaged: got ''"),
        (
            lambda p: shutil.rmtree(build(p) / "generation-000001"),
            r"has lost its content: got CURRENT naming 'generation",
        ),
    ],
)
def test_what_is_no_index_is_told_in_one_sentence(tmp_path, make, sentence):
    path = tmp_path / "a.tacit"
    make(path)
    with pytest.raises(InputError, match=sentence) as caught:
        open_generation(path)
    assert "\n" not in str(caught.value)
    assert verify(path) == [str(caught.value)]
    with pytest.raises(InputError, match=sentence), change_generation(path):
        pass
    with pytest.raises(InputError, match=sentence):
        sweep(path)


def test_one_generation_is_not_the_index(tmp_path):
    with pytest.raises(InputError, match=r"path is one generation: got .* Pass the folder above it\."):
        open_generation(build(tmp_path / "a.tacit") / "generation-000001")


@pytest.mark.parametrize("path", [None, 7, ""])
def test_a_path_is_a_path(path):
    with pytest.raises(InputError, match=r"path is not a path: got .*, expected the folder of an index"):
        open_generation(path)


def test_no_index_is_built_over_other_things(tmp_path):
    (tmp_path / "photos").mkdir()
    with pytest.raises(InputError, match=r"path is a folder with other files: got .* with 'photos'"):
        build(tmp_path)
    (tmp_path / "file").write_text("mine")
    with pytest.raises(InputError, match=r"path is a file: got .*, expected a folder for the index"):
        build(tmp_path / "file")
    assert _entries(tmp_path) == ["file", "photos"]
    build(tmp_path / "deep" / "inside" / "a.tacit")


def test_records_of_another_index_are_not_taken_for_its_own(tmp_path):
    one, other = build(tmp_path / "one.tacit", 3), build(tmp_path / "other.tacit", 4)
    (one / "generation-000001/records.checksum").unlink()  # as in an index of an earlier version
    shutil.copy(other / "generation-000001/records.sqlite", one / "generation-000001/records.sqlite")
    with pytest.raises(InputError, match=r"is inconsistent: got 4 records, 3 positions and 3 in the manifest"):
        open_generation(one)
    assert any("lacks records: got 4 rows for a base of 4, expected 3" in sentence for sentence in verify(one))


_READ_ONLY = """
import mmap, os, sys  # mmap now: the other user may not be allowed to read this Python's library
from tacit.index import open_generation, verify
os.setgid(65534); os.setuid(65534)
with open_generation(sys.argv[1]) as generation:
    print(len(generation.store.words("common")[0]), generation.store.counts().live, verify(sys.argv[1]))
"""


@pytest.mark.skipif(os.name == "nt" or os.geteuid() != 0, reason="becomes another user, which only root may")
def test_an_index_that_cannot_be_written_to_can_be_read():
    with tempfile.TemporaryDirectory() as folder:
        path = build(Path(folder) / "a.tacit", 3)
        for entry in [Path(folder), *Path(folder).rglob("*")]:
            entry.chmod(0o755 if entry.is_dir() else 0o644)
        done = subprocess.run(
            [sys.executable, "-c", f"import sys; sys.path[:] = {sys.path!r}\n" + _READ_ONLY, str(path)],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    assert done.stdout == "3 3 []\n", done.stderr


def test_records_that_vanish_while_they_are_opened_are_told_as_missing(tmp_path, monkeypatch):
    records = build(tmp_path / "a.tacit", 4) / "generation-000001" / "records.sqlite"

    holding = HeldConnection.holding

    def held_when_gone(connection: HeldConnection, path: Path) -> HeldConnection:
        records.unlink(missing_ok=True)  # as a writer does that has replaced the generation
        return holding(connection, path)

    monkeypatch.setattr(HeldConnection, "holding", held_when_gone)
    with pytest.raises(InputError, match=r"records.sqlite is missing: got no such file"):
        RecordStore(records)
