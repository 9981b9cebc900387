"""Every index that a release wrote still opens, answers, takes changes, and is fitted again, copied and rescued.

`indexes_0_1_0.zip` was written by the code of release 0.1.0 with the records of `stored_indexes.py`: an index with
words, and one of vectors alone, which later versions no longer build. `indexes_next.zip` was written on 2026-11-20,
before the next release: suggestions by witnesses with a correction, a map, words and vectors in one space, and shards.
"""

from __future__ import annotations

import json
import shutil
import zipfile
from pathlib import Path
from typing import Any

import pytest
import stored_indexes

import tacit
from tacit.corpus.record import Record
from tacit.errors import InputError
from tacit.index import verify
from tacit.tasks.map.again import map_again
from tacit.tasks.map.map import map_of

ARCHIVES = sorted(Path(__file__).parent.glob("indexes_*.zip"))


def expected(archive: Path) -> dict[str, Any]:
    """What each index of an archive answered to the version that wrote it."""
    with zipfile.ZipFile(archive) as opened:
        found: dict[str, Any] = json.loads(opened.read("expected.json"))
    return found


STORED = [(archive, name) for archive in ARCHIVES for name in expected(archive)]

pytestmark = [
    pytest.mark.filterwarnings("ignore::tacit.TacitWarning"),
    pytest.mark.parametrize(("archive", "name"), STORED, ids=[f"{path.stem} {name}" for path, name in STORED]),
]


@pytest.fixture
def index(archive: Path, name: str, tmp_path: Path) -> Path:
    shutil.unpack_archive(archive, tmp_path)
    return tmp_path / name


def same(found: Any, before: Any) -> None:
    """Check answers: of five records, one may have changed its place with the next."""
    if isinstance(before, dict):
        assert found.keys() == before.keys()
        for key, value in before.items():
            same(found[key], value)
    elif isinstance(before, list):
        assert len(set(found) & set(before)) >= len(before) - 1
    else:
        assert found == before


def test_it_is_sound_and_answers_as_it_did(archive: Path, name: str, index: Path) -> None:
    assert verify(index) == []
    with tacit.open(index) as collection:
        same(stored_indexes.answers(collection), expected(archive)[name])
        assert len(map_of(collection).points) == 60


def test_it_takes_changes(archive: Path, name: str, index: Path) -> None:
    vectors = stored_indexes.vectors()[1:2] if "vectors" in name else None
    with tacit.open(index) as collection:
        n_before = len(collection)
        collection.add([Record("new", "whale song of the fin", ["animals/whales"])], vectors=vectors)
        collection.update([Record("b5", "a song without a whale", ["animals/cats"])], vectors=vectors)
        collection.remove(["b7"])
        assert len(collection) == n_before
        assert "new" in [hit.id for hit in collection.search("fin", by="words", limit=50)]
        assert "b7" not in [hit.id for hit in collection.search("whale", by="words", limit=50)]
    assert verify(index) == []


def test_it_is_fitted_again(archive: Path, name: str, index: Path) -> None:
    tacit.refit(index)
    assert verify(index) == []
    with tacit.open(index) as collection:
        info = collection.info()
        assert (info.records, info.added, info.removed) == (60, 0, 0)
        assert collection.search("whale song", by="words")
        if collection.space.words is not None:
            assert collection.suggest("the song of a whale")[0].label == "animals/whales"


def test_its_map_is_made_again(archive: Path, name: str, index: Path) -> None:
    map_again(index)
    assert verify(index) == []
    with tacit.open(index) as collection:
        assert len(map_of(collection).points) == 60


def test_it_learns(archive: Path, name: str, index: Path) -> None:
    with tacit.open(index) as collection:
        if name != "books" or "0_1_0" in archive.name:
            with pytest.raises(InputError, match=r"witnesses|refit"):
                collection.learn(stored_indexes.learned())
            return
        assert len(collection.corrections()) == 1
        collection.learn([Record("c2", "a letter of a fin", ["animals/whales"])])
        assert len(collection.corrections()) == 2
    assert verify(index) == []


def test_it_is_exported_copied_and_rescued(archive: Path, name: str, index: Path, tmp_path: Path) -> None:
    with tacit.open(index) as collection:
        before = stored_indexes.answers(collection)
        assert collection.export(tmp_path / "records.jsonl") == len(collection) == 60
    assert tacit.backup(index, tmp_path / "copy") == 60
    assert verify(tmp_path / "copy") == []
    with tacit.open(tmp_path / "copy") as copy:
        assert stored_indexes.answers(copy) == before
    tacit.salvage(index, tmp_path / "salvaged.jsonl")
    ids = [
        {json.loads(line)["id"] for line in (tmp_path / f"{file}.jsonl").read_text(encoding="utf-8").splitlines()}
        for file in ("records", "salvaged")
    ]
    assert ids[0] == ids[1]
