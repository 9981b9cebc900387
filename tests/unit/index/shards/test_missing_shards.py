"""A shard that is missing, damaged or of another build is said, and the others answer; changes are refused."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import numpy as np
import pytest
from sharded_index import both, library

import tacit
from tacit.corpus.record import Record
from tacit.errors import InputError, TacitWarning
from tacit.index import verify
from tacit.index.folder.generations import current_generation

RECORDS = library(60)
PLAIN = {"map": False, "suggester": "none", "model": "lsi", "n_components": 4}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return both(tmp_path_factory.mktemp("built"), RECORDS, **PLAIN)[1].parent


@pytest.fixture
def index(built: Path, tmp_path: Path) -> Path:
    """A copy of its own of the index of shards, in which files have links as in the original."""
    return Path(shutil.copytree(built / "sharded.tacit", tmp_path / "sharded.tacit"))


def shard(index: Path, name: str = "0001") -> Path:
    return index / "shards-000001" / name


def lose(index: Path) -> None:
    shutil.rmtree(shard(index))


def damage_positions(index: Path) -> None:
    path = current_generation(shard(index)) / "arrays/positions.npy"
    content = bytearray(path.read_bytes())
    content[-9] ^= 1
    path.write_bytes(content)


def damage_records(index: Path) -> None:
    path = current_generation(shard(index)) / "records.sqlite"
    path.write_bytes(path.read_bytes()[:-4096])


def refit_alone(index: Path) -> None:
    tacit.refit(shard(index))


def take_from_another_build(index: Path) -> None:
    other = tacit.build(library(60, seed=9), index.parent / "other.tacit", tacit.BuildSettings(**PLAIN), shards=3)
    shutil.rmtree(shard(index))
    shutil.copytree(shard(other), shard(index))


def exchange(index: Path) -> None:
    """Put another shard of the same build in its place, with another number of records."""
    tacit.build(RECORDS, index.parent / "two.tacit", tacit.BuildSettings(**PLAIN), shards=2)
    shutil.rmtree(shard(index))
    shutil.copytree(shard(index.parent / "two.tacit", "0000"), shard(index))


FAULTS = {
    lose: r"0001 is missing: restore it",
    damage_positions: r"positions\.npy was changed",
    damage_records: r"records\.sqlite is damaged",
    refit_alone: r"0001 is of another space",
    take_from_another_build: r"0001 is of another space",
    exchange: r"0001 was built with 30 records",
}


@pytest.mark.parametrize("harm", FAULTS)
def test_the_other_shards_answer(harm, index: Path, built: Path) -> None:
    harm(index)
    said = rf"Shard 0001 of .*sharded\.tacit cannot be used: its 20 records are not found\. .*{FAULTS[harm]}"
    with tacit.open(built / "one.tacit") as one:
        whole = one.search("whale ship", limit=60)
        words = one.search("whale book", by="words", limit=60)
    with pytest.warns(TacitWarning, match=said):
        opened = tacit.open(index)
    with opened:
        assert len(opened) == 40
        lost = {record.id for record in RECORDS[20:40]}
        found = opened.search("whale ship", by="meaning", limit=60)
        assert {hit.id for hit in found} == {record.id for record in RECORDS} - lost
        expected = [hit.id for hit in words if hit.id not in lost]
        assert {hit.id for hit in opened.search("whale book", by="words", limit=60)} == set(expected)
        assert len(whole) == 60
        assert "b0005" in opened
        assert "b0025" not in opened
        assert opened.store.numbers().tolist() == [*range(20), *range(40, 60)]
        assert opened.similar("b0050", limit=3)
        facts = opened.info()
        assert (facts.shards, facts.missing_shards, facts.records) == (3, ["0001"], 40)
    assert any("0001" in complaint for complaint in verify(index))


def test_changes_need_all_shards(index: Path) -> None:
    lose(index)
    with pytest.warns(TacitWarning):
        opened = tacit.open(index)
    with opened:
        for change in (
            lambda: opened.add([Record("new", "whale")]),
            lambda: opened.remove(["b0001"]),
            lambda: opened.upsert([Record("b0001", "whale")]),
        ):
            with pytest.raises(InputError, match=r"cannot be changed without all of its shards\. Shard 0001 of"):
                change()
    with pytest.raises(InputError, match=r"needs all of its shards for this\. Shard 0001"), pytest.warns(TacitWarning):
        tacit.refit(index)
    with pytest.raises(InputError, match=r"needs all of its shards for this\. Shard 0001"), pytest.warns(TacitWarning):
        tacit.backup(index, index.parent / "copy.tacit")
    assert not (index.parent / "copy.tacit").exists()


def test_a_shard_that_is_back_has_its_records_under_their_numbers(index: Path) -> None:
    with tacit.open(index) as opened:
        opened.add([Record("new", "whale kettle")])
        before = opened.store.numbers_of(["b0005", "b0025", "b0050", "new"])
    shutil.move(shard(index), index.parent / "aside")
    with pytest.warns(TacitWarning), tacit.open(index) as opened:
        assert opened.store.numbers_of(["b0005", "b0025", "b0050"]) == {key: before[key] for key in ("b0005", "b0050")}
    shutil.move(index.parent / "aside", shard(index))
    with tacit.open(index) as opened:
        assert opened.store.numbers_of(list(before)) == before


def test_without_any_shard_it_does_not_open(index: Path) -> None:
    shutil.rmtree(index / "shards-000001")
    with pytest.raises(InputError, match=r"has none of its 3 shards: Shard 0000"):
        tacit.open(index)


def test_salvage_writes_what_the_other_shards_have(index: Path, tmp_path: Path) -> None:
    whole = tacit.salvage(index, tmp_path / "whole.jsonl")
    assert (whole.records, whole.is_whole) == (60, True)
    lose(index)
    found = tacit.salvage(index, tmp_path / "rest.jsonl")
    assert (found.records, found.n_lost, found.is_whole) == (40, 20, False)
    assert found.lost == tuple(range(20, 40))
    (index / "generation-000001/facts/shards.json").write_text("{")
    again = tacit.salvage(index, tmp_path / "again.jsonl")
    assert again.records == 40
    assert "those in shards-000001 were read" in again.notes[-1]
    assert (tmp_path / "again.jsonl").read_text() == (tmp_path / "rest.jsonl").read_text()


def test_each_shard_is_an_index_of_its_own(index: Path) -> None:
    assert verify(shard(index)) == []
    with tacit.open(shard(index)) as opened:
        assert [record.id for _, record in opened.store.records()] == [record.id for record in RECORDS[20:40]]
        assert opened.search("whale ship", limit=5)


def test_an_id_in_two_shards_is_found(index: Path) -> None:
    with tacit.open(shard(index, "0002")) as opened:  # alone, it does not know of the others
        opened.add([Record("b0001", "whale")])
    (complaint,) = verify(index)
    assert "'b0001' in both" in complaint


def test_new_records_go_to_the_smallest_shard(index: Path) -> None:
    with tacit.open(index) as opened:
        opened.remove(["b0041", "b0042", "b0043"])
        opened.add([Record(f"n{number}", "whale") for number in range(5)])
    with tacit.open(shard(index, "0002")) as last:
        assert len(last) == 22
        assert "n3" in last
    with tacit.open(index) as opened:
        opened.add([Record("m", "kettle")])
        assert opened.store.counts().live == 63
    with tacit.open(shard(index, "0000")) as first:  # the first of two of the same size
        assert "m" in first


def test_a_change_of_several_shards_is_made_in_all_or_none(index: Path) -> None:
    ids = ["b0001", "b0021", "b0041"]
    with tacit.open(index) as opened:
        before = [opened[key] for key in ids]
        too_many = [Record(key, "whale kettle") for key in ids]
        with pytest.raises(InputError, match="b9999"):
            opened.update([*too_many, Record("b9999", "whale")])
        with pytest.raises(InputError, match="b9999"):
            opened.remove([*ids, "b9999"])
        with pytest.raises(InputError, match="id twice"):
            opened.upsert([*too_many, Record("b0001", "ship")])
        store = opened.store
        with tacit.index.change_generation(index) as changing:
            bad = np.zeros((3, 4), np.float32)
            bad[2, 0] = np.nan
            with pytest.raises(InputError, match="NaN"):
                changing.store.update(too_many, bad)
        assert [opened[key] for key in ids] == before
        assert store.changes == 0
        assert opened.update(too_many) == 3
        assert [opened[key].text for key in ids] == ["whale kettle"] * 3
    assert verify(index) == []


def test_where_a_disk_has_no_links_files_are_copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> None:
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(os, "link", refused)
    _, index = both(tmp_path, RECORDS, **PLAIN)
    terms = [current_generation(place) / "arrays/terms.npy" for place in (index, shard(index, "0000"))]
    assert [path.stat().st_nlink for path in terms] == [1, 1]
    assert verify(index) == []
    with tacit.open(index) as opened:
        assert opened.search("whale")


def test_files_of_the_space_are_shared(index: Path, built: Path) -> None:
    terms = current_generation(built / "sharded.tacit") / "arrays/terms.npy"
    assert terms.stat().st_nlink == 4


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="the system does not list open files")
def test_a_shard_has_few_open_files(index: Path) -> None:
    with tacit.open(index) as opened:
        opened.search("whale ship", by="words")
        paths = [os.path.realpath(f"/proc/self/fd/{handle}") for handle in os.listdir("/proc/self/fd")]
        of_shard = [path for path in paths if path.startswith(str(shard(index).resolve()))]
    assert 0 < len(of_shard) <= 8, sorted(of_shard)


def test_a_backup_holds_all_shards_as_they_are_at_one_moment(
    index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A record that comes into the last shard while the first is copied is not in the copy, nor is half of a change."""
    from tacit.index.keeping import backup as keeping

    copied, original = [], keeping._copy

    def copy(generation: object, fresh: Path, copied_files: dict[str, Path] | None = None, **more: object) -> int:
        copied.append(fresh.name)
        if len(copied) == 1:
            with tacit.open(index) as opened:
                opened.update([Record(key, "whale kettle changed") for key in ("b0001", "b0021", "b0041")])
                opened.remove(["b0059"])
        return original(generation, fresh, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(keeping, "_copy", copy)
    assert tacit.backup(index, tmp_path / "copy.tacit") == 60
    assert copied == ["0000", "0001", "0002"]
    with tacit.open(tmp_path / "copy.tacit") as before, tacit.open(index) as after:
        assert [before[key].text for key in ("b0001", "b0021", "b0041")] == [RECORDS[n].text for n in (1, 21, 41)]
        assert "b0059" in before
        assert after["b0041"].text == "whale kettle changed"
        assert "b0059" not in after
    assert verify(tmp_path / "copy.tacit") == []


def test_the_command_line_says_that_a_shard_is_missing(index: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from tacit.cli.app import main

    lose(index)
    with pytest.raises(SystemExit, match="0"):
        main(["search", str(index), "whale ship"])
    said = capsys.readouterr()
    assert "whale" in said.out
    assert said.err.count("cannot be used: its 20 records are not found") == 1
    with pytest.raises(SystemExit, match="1"):
        main(["verify", str(index)])
    assert "0001 is missing" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        main(["info", str(index)])
    assert "3, of which '0001' cannot be opened" in capsys.readouterr().out
