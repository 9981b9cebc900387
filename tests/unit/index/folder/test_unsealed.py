"""Records that a killed writer left without a checksum: what is sound is read, and damage is told, in every file."""

from __future__ import annotations

import json
import random
import shutil
import sqlite3
from pathlib import Path

import numpy as np
import pytest
from index_builds import add, build, position, record

from tacit.errors import InputError
from tacit.index import change_generation, open_generation, verify
from tacit.index.folder import unsealed

GENERATION = "generation-000001"


@pytest.fixture(scope="module")
def killed(tmp_path_factory) -> Path:
    """An index as it is after a kill: two changes are in the log, and one before them in the file."""
    place = tmp_path_factory.mktemp("killed")
    path = build(place / "a.tacit", 10)
    with change_generation(path) as generation:
        generation.store.add([record(0, prefix="new")], position(0)[None])
    with change_generation(path) as generation:
        generation.store.remove(["r2"])
        generation.store.add([record(1, prefix="new")], position(1)[None])
        return Path(shutil.copytree(path, place / "b.tacit"))


EXPECTED = [record(number) for number in range(10) if number != 2] + [record(number, prefix="new") for number in (0, 1)]


def _answers(path: Path) -> None:
    with open_generation(path) as generation:
        store = generation.store
        assert [found for _, found in store.records()] == EXPECTED
        assert store.removed().tolist() == [2]
        numbers, positions = store.added()
        np.testing.assert_array_equal(positions, [position(n) for n in range(2)])
        for place, found in zip(store.numbers(), EXPECTED, strict=True):
            assert store.words(found.text.split()[-1])[0].tolist() == [place]
        assert numbers.tolist() == [10, 11]


def test_it_opens_and_is_sealed_once(killed, tmp_path, monkeypatch):
    path = Path(shutil.copytree(killed, tmp_path / "a.tacit"))
    whole: list[Path] = []
    monkeypatch.setattr(unsealed, "records_complaints", lambda folder, *_, **__: whole.append(folder) or [])
    assert "with 3 changes" in (path / "lock").read_text(encoding="utf-8")
    _answers(path)
    assert json.loads((path / GENERATION / "records.checksum").read_bytes())["changes"] == 3
    assert (path / "lock").read_bytes() == b""
    assert whole == []  # the file without its log was as the writer before left it
    assert verify(path) == []


def test_a_file_that_was_changed_is_checked_whole(killed, tmp_path, monkeypatch):
    path = Path(shutil.copytree(killed, tmp_path / "a.tacit"))
    (path / GENERATION / "records.checksum").unlink()
    whole: list[Path] = []
    checked = unsealed.records_complaints
    monkeypatch.setattr(
        unsealed,
        "records_complaints",
        lambda folder, *rest, **how: whole.append(folder) or checked(folder, *rest, **how),
    )
    _answers(path)
    _answers(path)
    assert len(whole) == 1


def test_a_lost_log_is_told(killed, tmp_path):
    path = Path(shutil.copytree(killed, tmp_path / "a.tacit"))
    (path / GENERATION / "records.sqlite-wal").unlink()
    (path / GENERATION / "records.checksum").unlink()
    sentence = r"records\.sqlite has lost changes: got 1 of them, expected 3 as its last writer noted"
    with pytest.raises(InputError, match=sentence):
        open_generation(path)
    with pytest.raises(InputError, match=sentence), change_generation(path):
        pass
    (path / "lock").unlink()
    with open_generation(path) as generation:
        assert generation.store.changes == 1


def test_while_a_writer_holds_the_lock_nothing_is_checked(killed, tmp_path, monkeypatch):
    path = Path(shutil.copytree(killed, tmp_path / "a.tacit"))
    with change_generation(path) as generation:
        generation.store.add([record(2, prefix="new")], position(2)[None])
        monkeypatch.setattr(unsealed, "records_complaints", lambda *_, **__: ["asked"])
        monkeypatch.setattr(unsealed, "is_as_sealed", lambda _: False)
        with open_generation(path) as other:
            assert "new2" in other.store


@pytest.mark.parametrize("where", ["file", "log"])
def test_no_byte_can_change_an_answer_unnoticed(killed, tmp_path, where):
    name = {"file": "records.sqlite", "log": "records.sqlite-wal"}[where]
    whole = (killed / GENERATION / name).read_bytes()
    chance = random.Random(5)
    used = [place for place, byte in enumerate(whole) if byte]
    told = 0
    for place in [*range(0, 60, 5), *chance.sample(used, 60)]:
        path = Path(shutil.copytree(killed, tmp_path / f"{place}.tacit"))
        changed = whole[:place] + bytes([whole[place] ^ (1 << chance.randrange(8))]) + whole[place + 1 :]
        (path / GENERATION / name).write_bytes(changed)
        try:
            _answers(path)
        except InputError:
            told += 1
        shutil.rmtree(path)
    assert told > 10  # what SQLite does not read any more changes nothing


def test_values_to_filter_by_and_lists_are_compared(tmp_path):
    path = build(tmp_path / "a.tacit", 2_100)
    file = path / GENERATION / "records.sqlite"
    changes = {
        "UPDATE field_values SET value = value + 1 WHERE number = 7 AND name = 'year'": "has damaged values",
        "UPDATE frequent_words SET n_records = n_records + 1": "has damaged lists",
    }
    for sql, sentence in changes.items():
        copy = Path(shutil.copytree(path, tmp_path / f"{len(sql)}.tacit"))
        file = copy / GENERATION / "records.sqlite"
        (copy / GENERATION / "records.checksum").unlink()
        connection = sqlite3.connect(file)
        with connection:
            connection.execute(sql)
        connection.close()
        (found,) = verify(copy)
        assert sentence in found
        with pytest.raises(InputError, match=sentence):
            open_generation(copy)


def test_adding_after_a_kill_is_sound(killed, tmp_path):
    path = Path(shutil.copytree(killed, tmp_path / "a.tacit"))
    add(path, range(6, 8), lambda key: None)
    assert verify(path) == []
    assert (path / "lock").read_bytes() == b""
