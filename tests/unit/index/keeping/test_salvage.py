"""What can be read of a damaged index is written, and the rest is reported; nothing is invented."""

from __future__ import annotations

import json
import random
import shutil
import sqlite3
from pathlib import Path

import pytest
from index_builds import build, position, record

import tacit
from tacit.errors import InputError
from tacit.index import change_generation, open_generation

GENERATION = "generation-000001"
N_RECORDS = 300


def long_record(number: int):
    """Every tenth record has a text of many pages."""
    found = record(number)
    return found if number % 10 else type(found)(
        found.id, found.text + " wave" * 4_000, found.labels, found.title, found.links, found.fields
    )  # fmt: skip


@pytest.fixture(scope="module")
def sound(tmp_path_factory) -> Path:
    """An index with long and short records, removed ones, added ones, and one that was changed."""
    path = build(tmp_path_factory.mktemp("sound") / "a.tacit", N_RECORDS)
    with change_generation(path) as generation:
        generation.store.update([long_record(20), record(3)], [position(1), position(2)])
        generation.store.remove(["r2", "r7"])
        generation.store.add([record(n, prefix="new") for n in range(40)], [position(n) for n in range(40)])
        generation.store.remove([f"new{n}" for n in range(5, 40)])
    return path


def expected(path: Path) -> dict[str, dict]:
    with open_generation(path) as generation:
        return {
            found.id: {
                "id": found.id, "title": found.title, "text": found.text, "labels": list(found.labels),
                **{name: list(targets) for name, targets in found.links.items()}, **found.fields,
            }
            for _, found in generation.store.records()
        }  # fmt: skip


def salvaged(path: Path, output: Path):
    found = tacit.salvage(path, output, replace_old=True)
    rows = [json.loads(line) for line in output.read_text(encoding="utf-8").splitlines()]
    assert len(rows) == found.records == len({row["id"] for row in rows})
    return found, {row["id"]: row for row in rows}


def test_a_sound_index_is_written_as_it_is(sound, tmp_path):
    before = {file: file.read_bytes() for file in sound.rglob("*") if file.is_file()}
    found, rows = salvaged(sound, tmp_path / "a.jsonl")
    assert rows == expected(sound)
    assert [*rows][:2] == ["r0", "r1"]
    assert found.is_whole
    assert (found.n_damaged, found.n_lost, found.n_perhaps_lost, found.links) == (0, 0, 35, ("author", "cites"))
    assert {file: file.read_bytes() for file in sound.rglob("*") if file.is_file()} == before


def test_changes_in_the_log_are_found(sound, tmp_path):
    path = Path(shutil.copytree(sound, tmp_path / "a.tacit"))
    with change_generation(path) as generation:
        generation.store.remove(["r9"])
        generation.store.add([record(77, prefix="late")], [position(1)])
        killed = Path(shutil.copytree(path, tmp_path / "b.tacit"))
    assert (killed / GENERATION / "records.sqlite-wal").stat().st_size
    _, rows = salvaged(killed, tmp_path / "a.jsonl")
    assert rows == expected(path)


def test_without_the_first_page_nothing_is_lost(sound, tmp_path):
    path = Path(shutil.copytree(sound, tmp_path / "a.tacit"))
    file = path / GENERATION / "records.sqlite"
    file.write_bytes(bytes(4096) + file.read_bytes()[4096:])
    for name in ("CURRENT", f"{GENERATION}/manifest.json"):
        (path / name).write_text("damaged", encoding="utf-8")
    with pytest.raises(InputError):
        tacit.open(path)
    found, rows = salvaged(path, tmp_path / "a.jsonl")
    assert {key: rows[key] for key in expected(sound)} == expected(sound)
    assert (found.n_damaged, found.n_lost) == (0, 0)
    assert "CURRENT names no generation" in found.notes[0]
    assert "manifest.json cannot be read" in found.notes[1]


@pytest.mark.parametrize("seed", range(6))
def test_what_is_called_whole_is_right(sound, tmp_path, seed):
    chance = random.Random(seed)
    path = Path(shutil.copytree(sound, tmp_path / "a.tacit"))
    file = path / GENERATION / "records.sqlite"
    content = bytearray(file.read_bytes())
    for _ in range(12):
        if seed % 2:
            content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
        else:
            page = chance.randrange(len(content) // 4096)
            content[page * 4096 : page * 4096 + 4096] = chance.randbytes(4096)
    file.write_bytes(content)
    found, rows = salvaged(path, tmp_path / "a.jsonl")
    right = expected(sound)
    assert len(rows) > 0.4 * len(right)
    # Fields of a record that JSON holds in another order would differ, so rows are compared as they are
    wrong = [key for key, row in rows.items() if key in right and row != right[key]]
    assert len(wrong) <= found.n_damaged
    assert found.n_damaged > 100 or set(wrong) <= {*found.damaged}
    missing = [key for key in right if key not in rows]
    assert len(missing) <= found.n_lost + found.n_perhaps_lost + found.n_damaged


def test_records_in_pages_that_were_freed_stay_removed(tmp_path):
    path = build(tmp_path / "a.tacit", 5)
    with change_generation(path) as generation:
        generation.store.add([record(n, prefix="new") for n in range(200)], [position(n) for n in range(200)])
    file = path / GENERATION / "records.sqlite"
    connection = sqlite3.connect(file)
    connection.execute("PRAGMA secure_delete = OFF")
    for table in ("labels", "links", "records"):
        connection.execute(f"DELETE FROM {table} WHERE number >= 5")
    connection.commit()
    assert connection.execute("PRAGMA freelist_count").fetchone()[0] > 5
    connection.close()
    assert b"onlynew77" in file.read_bytes()
    _, rows = salvaged(path, tmp_path / "a.jsonl")
    assert [*rows] == [f"r{n}" for n in range(5)]


def test_names_of_columns_that_are_taken(tmp_path):
    from tacit.corpus import Record

    odd = [Record(f"r{n}", "whale sea", links={"text": ("x",)}, fields={"title": "t", "text": 1}) for n in range(4)]
    path = tacit.build(odd, tmp_path / "a.tacit", tacit.BuildSettings(n_components=1, model="lsi"))
    found, rows = salvaged(path, tmp_path / "a.jsonl")
    assert found.links == ("text (link)",)
    assert rows["r0"]["text (link)"] == ["x"]
    assert (rows["r0"]["title (field)"], rows["r0"]["text (field)"]) == ("t", 1)


def test_mistakes(sound, tmp_path):
    (tmp_path / "a.jsonl").write_text("precious", encoding="utf-8")
    with pytest.raises(InputError, match=r"output exists already: got .*replace_old=True"):
        tacit.salvage(sound, tmp_path / "a.jsonl")
    with pytest.raises(InputError, match="path does not exist"):
        tacit.salvage(tmp_path / "none", tmp_path / "b.jsonl")
    with pytest.raises(InputError, match=r"path is not an index: got .* without records\.sqlite"):
        tacit.salvage(tmp_path, tmp_path / "b.jsonl")
    empty = Path(shutil.copytree(sound, tmp_path / "e.tacit"))
    (empty / GENERATION / "records.sqlite").write_bytes(b"")
    with pytest.raises(InputError, match="path holds no records"):
        tacit.salvage(empty, tmp_path / "b.jsonl")
    with pytest.raises(InputError, match="output cannot be written: got 'No such file or directory'"):
        tacit.salvage(sound, tmp_path / "no/b.jsonl")
    assert not (tmp_path / "b.jsonl").exists()
