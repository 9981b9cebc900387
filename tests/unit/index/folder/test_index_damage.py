"""Every file of an index is removed, cut, emptied and changed in turn: opening or verifying says so in one sentence."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import numpy as np
import pytest
from index_builds import add, build, position, record

from tacit.errors import InputError
from tacit.index import change_generation, open_generation, verify
from tacit.index.folder.checksums import remember
from tacit.index.folder.opening import read_manifest

FILES = [
    "CURRENT",
    "generation-000001/manifest.json",
    "generation-000001/records.sqlite",
    "generation-000001/arrays/positions.npy",
    "generation-000001/arrays/values.npy",
    "generation-000001/facts/vocabulary.json",
]


@pytest.fixture(scope="module")
def sound(tmp_path_factory) -> Path:
    """An index with records of the build, added ones and a removed one."""
    path = build(tmp_path_factory.mktemp("sound") / "a.tacit", 10)
    add(path, range(4), lambda key: None)
    with change_generation(path) as generation:
        generation.store.remove(["r2", "new1"])
    assert verify(path) == []
    return path


def _complaints(path: Path) -> list[str]:
    """What opening and reading say; the checks of `verify` if they say nothing."""
    try:
        with open_generation(path):
            pass
    except InputError as error:
        return [str(error)]
    return verify(path)


def test_verify_reads_again_what_was_compared_before(sound, tmp_path):
    path = tmp_path / "a.tacit"
    shutil.copytree(sound, path)
    generation = path / "generation-000001"
    array = generation / "arrays" / "positions.npy"
    array.write_bytes(_damaged(array.read_bytes(), "changed"))
    remember(array, read_manifest(generation).files["arrays/positions.npy"].sha256)
    assert [one for one in verify(path) if "positions.npy was changed" in one]


def _damaged(content: bytes, kind: str) -> bytes:
    if kind == "emptied":
        return b""
    if kind == "cut":
        return content[: len(content) // 2]
    if kind == "one byte short":
        return content[:-1]
    middle = len(content) * 2 // 3
    return content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]


@pytest.mark.parametrize("kind", ["removed", "emptied", "cut", "one byte short", "changed"])
@pytest.mark.parametrize("name", FILES)
def test_damage_is_told_in_one_sentence(sound, tmp_path, name, kind):
    path = Path(shutil.copytree(sound, tmp_path / "a.tacit"))
    file = path / name
    if kind == "removed":
        file.unlink()
    else:
        file.write_bytes(_damaged(file.read_bytes(), kind))
    found = _complaints(path)
    if name == "CURRENT" and kind == "one byte short":
        assert found == []  # only the end of the line is gone
        return
    if name.endswith("manifest.json") and kind == "one byte short":
        assert found == []
        return
    assert found, f"{name} {kind}: nobody noticed"
    for sentence in found:
        assert "\n" not in sentence
        assert sentence.endswith(".")
        assert "got " in sentence
    assert Path(name).name in found[0] or "CURRENT" in found[0]
    assert verify(path) != []


def test_the_list_of_files_is_complete(sound):
    files = {file.relative_to(sound).as_posix() for file in sound.rglob("*") if file.is_file()}
    assert files - {"lock", "generation-000001/records.checksum"} == set(FILES)


def _check_whole_or_told(path: Path) -> bool:
    """Whether damage was told; if not, every answer has to be the right one."""
    if _complaints(path):
        return True
    expected = [record(n) for n in range(10) if n != 2] + [record(n, prefix="new") for n in (0, 2, 3)]
    with open_generation(path) as generation:
        store = generation.store
        assert [found for _, found in store.records()] == expected
        assert store.removed().tolist() == [2]
        numbers, positions = store.added()
        assert numbers.tolist() == [10, 12, 13]
        np.testing.assert_array_equal(positions, [position(n) for n in (0, 2, 3)])
        for place, found in zip(store.numbers(), expected, strict=True):
            assert store.number_of(found.id) == place
            assert store.words(found.text.split()[-1])[0].tolist() == [place]
    return False


def test_no_byte_of_the_records_can_change_an_answer_unnoticed(sound, tmp_path):
    path = Path(shutil.copytree(sound, tmp_path / "a.tacit"))
    file = path / "generation-000001/records.sqlite"
    whole = file.read_bytes()
    used = [place for place, byte in enumerate(whole) if byte]  # the rest is mostly empty space
    chance = random.Random(11)
    told = 0
    places = [*range(0, 100, 3), *chance.sample(used, 120)]
    for place in places:
        file.write_bytes(whole[:place] + bytes([whole[place] ^ (1 << chance.randrange(8))]) + whole[place + 1 :])
        for companion in ("-wal", "-shm"):
            file.with_name(file.name + companion).unlink(missing_ok=True)
        told += _check_whole_or_told(path)
    assert told >= len(places) - 2  # all but those in the number of changes itself


def test_a_file_that_does_not_belong_there_is_told_of(sound, tmp_path):
    path = Path(shutil.copytree(sound, tmp_path / "a.tacit"))
    (path / "generation-000001/arrays/extra.npy").write_bytes(b"")
    with open_generation(path):
        pass
    (sentence,) = verify(path)
    assert "extra.npy does not belong to the index: got a file that the manifest does not name" in sentence


def test_all_that_is_wrong_is_told_at_once(sound, tmp_path):
    path = Path(shutil.copytree(sound, tmp_path / "a.tacit"))
    for name in FILES[2:]:
        (path / name).unlink()
    assert len(verify(path)) == 4


def test_a_newer_format_is_told(sound, tmp_path):
    path = Path(shutil.copytree(sound, tmp_path / "a.tacit"))
    manifest = path / FILES[1]
    manifest.write_text(manifest.read_text().replace('"format_version": 1', '"format_version": 3'))
    with pytest.raises(InputError, match=r"manifest\.json is of a newer format: got format_version 3.* Update Tacit"):
        open_generation(path)


def test_records_older_than_their_checksum_are_told(sound, tmp_path):
    path = Path(shutil.copytree(sound, tmp_path / "a.tacit"))
    records = path / "generation-000001/records.sqlite"
    before = records.read_bytes()
    add(path, [8], lambda key: None)
    records.write_bytes(before)  # as by a copy that did not copy everything
    with pytest.raises(InputError, match=r"records.sqlite has lost changes: got 3 of them, expected 4 as"):
        open_generation(path)
    assert any("has lost changes" in sentence for sentence in verify(path))
