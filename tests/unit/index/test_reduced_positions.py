"""Positions in 16 or 8 bits: as near as their bits allow, and the recall that a build tells is what a search finds."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from sharded_index import library

import tacit
from tacit.corpus.record import Record
from tacit.errors import InputError
from tacit.index import verify
from tacit.index.folder.generations import current_generation
from tacit.index.nearest import approximate, precision
from tacit.index.nearest.exact import lengths_of
from tacit.index.nearest.precision import ReducedRows, recall_of, write_reduced

RECORDS = library(120)
ERRORS = {"half": 2**-11, "int8": 0.5 / 127}  # of the largest coordinate of a row


@pytest.mark.parametrize("kind", ERRORS)
@pytest.mark.parametrize("size", [1e-8, 1.0, 1e12])
def test_no_coordinate_is_farther_off_than_its_bits_allow(kind: str, size: float, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(precision, "_BLOCK", 16)
    positions = (size * np.random.default_rng(0).normal(size=(50, 7))).astype(np.float32)
    positions[3] = 0
    np.save(tmp_path / "positions.npy", positions)
    write_reduced(tmp_path, kind)
    stored, scales, lengths = (
        np.load(tmp_path / f"{name}.npy") for name in ("positions", "position_scales", "lengths")
    )
    assert stored.dtype == {"half": np.float16, "int8": np.int8}[kind]
    rows = ReducedRows(stored, scales)
    allowed = 1.01 * ERRORS[kind] * np.abs(positions).max(axis=1, keepdims=True)
    assert (np.abs(rows[:] - positions) <= allowed).all()
    np.testing.assert_allclose(lengths, lengths_of(rows[:]))
    assert (rows.shape, len(rows), rows.dtype) == ((50, 7), 50, np.float32)
    numbers = np.array([4, 3, 49])
    np.testing.assert_array_equal(rows[numbers], np.asarray(rows)[numbers])
    np.testing.assert_array_equal(rows[7], np.asarray(rows)[7])


def test_the_recall_is_what_comparing_all_records_finds() -> None:
    rng = np.random.default_rng(1)
    positions = rng.normal(size=(300, 40)).astype(np.float32)
    positions[:, 20:] *= 0.01
    unit = positions / np.linalg.norm(positions, axis=1, keepdims=True)
    for kind in ERRORS:
        rows = precision._reduced(positions, kind)[:]
        near = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        shares = []
        for number in range(300):
            order = [np.argsort(-(unit[number] @ some.T), kind="stable") for some in (unit, near)]
            shares.append(len(set(order[0][order[0] != number][:10]) & set(order[1][order[1] != number][:10])) / 10)
        assert recall_of(positions, kind, np.random.default_rng(0)) == pytest.approx(np.mean(shares), abs=0.02)
    assert recall_of(positions, "half", rng) > recall_of(positions, "int8", rng)


def test_recall_of_few_records() -> None:
    for n in (1, 2, 5):
        assert recall_of(np.eye(5, dtype=np.float32)[:n], "int8", np.random.default_rng(0)) == 1


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory.mktemp("full"), "full")


def built(folder: Path, kind: str, **options: int) -> Path:
    settings = tacit.BuildSettings(n_components=6, precision=kind, suggester="witnesses")
    return tacit.build(RECORDS, folder / f"{kind}.tacit", settings, **options)


@pytest.mark.parametrize("kind", ERRORS)
@pytest.mark.parametrize("shards", [None, 3])
def test_everything_works_on_fewer_bits(kind: str, shards: int | None, full: Path, tmp_path: Path) -> None:
    path = built(tmp_path, kind, shards=shards)
    assert verify(path) == []
    with tacit.open(full) as wanted, tacit.open(path) as index:
        facts = index.info()
        assert (facts.precision, wanted.info().precision, wanted.info().recall) == (kind, "full", None)
        assert facts.recall is not None
        assert 0.9 < facts.recall <= 1
        expected, found = (one.search("whale ship", by="meaning", limit=120) for one in (wanted, index))
        scores = {hit.id: hit.score for hit in found}
        for hit in expected:
            assert scores[hit.id] == pytest.approx(hit.score, abs=4 * ERRORS[kind])
        assert len({hit.id for hit in found[:20]} & {hit.id for hit in expected[:20]}) >= 17
        assert index.suggest("whale ship")[0].label == wanted.suggest("whale ship")[0].label
        assert index.similar("b0007")
        index.export(tmp_path / "out.npy", format="npy")
        assert np.load(tmp_path / "out.npy" / "positions.npy").dtype == np.float32
        index.add([Record("new", "whale ship sail")])
        assert index.search("whale ship sail", by="meaning", limit=1)
        assert index.update([Record("b0003", "whale kettle")]) == 1
    tacit.refit(path)
    with tacit.open(path) as index:
        assert index.info().precision == kind
    assert verify(path) == []


@pytest.mark.parametrize("kind", ERRORS)
def test_a_graph_is_of_the_full_positions_and_fits(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(approximate, "LARGE", 100)
    path = built(tmp_path, kind)
    generation = current_generation(path)
    assert (generation / "neighbours.usearch").exists()
    assert verify(path) == []
    with tacit.open(path) as index:
        assert index.search("whale ship", by="meaning", limit=5)


def test_scales_of_other_records_are_refused(tmp_path: Path) -> None:
    path = built(tmp_path, "int8")
    generation = current_generation(path)
    scales = generation / "arrays/position_scales.npy"
    np.save(scales, np.load(scales)[:-1])
    with pytest.raises(InputError, match=r"position_scales\.npy is incomplete"):
        tacit.open(path)


def test_an_unknown_precision_is_told() -> None:
    with pytest.raises(InputError, match="precision is unknown: got 'double', expected one of"):
        tacit.BuildSettings(precision="double")


def test_the_command_tells_what_is_lost(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from tacit.cli.app import main

    rows = [{"id": one.id, "title": one.title, "text": one.text, "labels": list(one.labels)} for one in RECORDS]
    (tmp_path / "books.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    index = str(tmp_path / "i.tacit")
    with pytest.raises(SystemExit, match="0"):
        main(["build", str(tmp_path / "books.jsonl"), "-o", index, "--precision", "half", "--suggester", "none", "-q"])
    with pytest.raises(SystemExit):
        main(["info", index])
    assert "half, which finds " in capsys.readouterr().out


def test_versions_that_know_no_scales_are_told_so(full: Path, tmp_path: Path) -> None:
    path = built(tmp_path, "half")
    manifests = [(current_generation(one) / "manifest.json").read_text() for one in (path, full)]
    required = [json.loads(manifest).get("requires") for manifest in manifests]
    assert required == [["scaled positions"], None]


@pytest.mark.parametrize("kind", ERRORS)
def test_a_worker_of_a_cluster_writes_fewer_bits(kind: str, full: Path, tmp_path: Path) -> None:
    from tacit.index import GenerationWriter, RecordStore
    from tacit.tasks.build.partitions.places import BuildPlaces
    from tacit.tasks.build.partitions.shards import recall_of_part, write_part

    settings = tacit.BuildSettings(precision=kind)
    with tacit.open(full) as index, GenerationWriter(tmp_path / "i.tacit") as writer:
        manifest = index.generation.manifest
        made = {"build": settings.to_facts(), "fitted": manifest.settings["fitted"]}
        space = {name: facts for name, facts in manifest.files.items() if "position" not in name and "map_" not in name}
        writer.share(index.generation.folder, space)
        places = BuildPlaces(writer.folder, writer.shards, tmp_path / "work")
        (places.part(0) / "placed").mkdir(parents=True)
        RecordStore.create(places.part(0) / "records.sqlite", RECORDS)
        np.save(places.part(0) / "placed/positions.npy", np.asarray(index.generation.array("positions")))
        (tmp_path / "work/asked").mkdir()
        (tmp_path / "work/asked/settings.json").write_text(json.dumps(settings.to_facts()))
        assert 0.9 < recall_of_part(places, (0, 120)) <= 1
        write_part(places, (0, 120), 0, 0, made, manifest.counts, {})
        assert np.load(places.part(0) / "placed/positions.npy").dtype == np.float32  # it may be asked for again
        stored = np.load(current_generation(writer.shards / "0000") / "arrays/positions.npy")
    assert stored.dtype == {"half": np.float16, "int8": np.int8}[kind]
