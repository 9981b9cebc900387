"""The graph of neighbours: what it proposes against comparing everything, and what happens where it cannot be used."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import forged_graphs
import numpy as np
import pytest

from tacit.corpus import Record
from tacit.errors import TacitWarning
from tacit.files import file_sha256
from tacit.index import GenerationWriter, RecordStore, open_generation, verify
from tacit.index import positions as positions_module
from tacit.index.folder.manifest import FileFacts
from tacit.index.folder.opening import read_manifest
from tacit.index.nearest import approximate as neighbour_graph
from tacit.index.nearest.approximate import GRAPH, HnswGraph, write_graph
from tacit.index.nearest.exact import lengths_of
from tacit.index.positions import RecordPositions

pytest.importorskip("usearch", reason="the graph needs the extra 'large'")

N_RECORDS, N_DIMENSIONS = 3_000, 20


@pytest.fixture(scope="module")
def positions() -> np.ndarray:
    rng = np.random.default_rng(4)
    topics = rng.standard_normal((30, N_DIMENSIONS))
    made = topics[rng.integers(0, 30, N_RECORDS)] + 0.7 * rng.standard_normal((N_RECORDS, N_DIMENSIONS))
    made *= rng.uniform(0.01, 100, (N_RECORDS, 1))  # lengths must not matter
    made[[5, 1000]] = 0
    return made.astype(np.float32)


def written(folder: Path, positions: np.ndarray, *, threads: int = 1, **options: object) -> Path:
    """Write an index with a graph, large or not."""
    with pytest.MonkeyPatch.context() as patch, GenerationWriter(folder) as writer:
        patch.setattr(neighbour_graph, "LARGE", 0)
        RecordStore.create(writer.path("records.sqlite"), (Record(f"r{row}", "word") for row in range(len(positions))))
        writer.save_array("positions", positions)
        writer.save_array("lengths", lengths_of(positions))
        write_graph(writer.path(GRAPH), positions, threads=threads, **options)
        writer.finish({}, {})
    return folder


@pytest.fixture(scope="module")
def folder(positions: np.ndarray, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(tmp_path_factory.mktemp("graph") / "index", positions)


def opened(folder: Path) -> HnswGraph | None:
    with open_generation(folder) as generation:
        if GRAPH not in generation.manifest.files:
            return None
        return HnswGraph.open(generation.path(GRAPH), *generation.array("positions").shape)


def true_neighbours(positions: np.ndarray, query: np.ndarray, limit: int) -> set[int]:
    lengths = np.linalg.norm(positions.astype(np.float64), axis=1)
    scores = np.divide(positions @ query.astype(np.float64), lengths, out=np.zeros(len(lengths)), where=lengths > 0)
    return set(np.argsort(-scores)[:limit].tolist())


def test_it_proposes_nearly_all_of_the_nearest(folder: Path, positions: np.ndarray) -> None:
    graph = opened(folder)
    queries = np.random.default_rng(9).standard_normal((40, N_DIMENSIONS)).astype(np.float32)
    found = [len(true_neighbours(positions, query, 10) & set(graph.propose(query, 200).tolist())) for query in queries]
    assert np.mean(found) / 10 > 0.98
    few = [len(true_neighbours(positions, query, 10) & set(graph.propose(query, 10).tolist())) for query in queries]
    assert np.mean(few) < np.mean(found), "with more proposals, more of the nearest are among them"


def test_each_is_proposed_once_and_the_origin_never(folder: Path, positions: np.ndarray) -> None:
    graph = opened(folder)
    assert len(graph) == N_RECORDS - 2
    proposed = graph.propose(positions[0], N_RECORDS).tolist()
    assert len(set(proposed)) == len(proposed) > 0.95 * N_RECORDS
    assert not {5, 1000} & set(proposed)
    assert set(proposed) <= set(range(N_RECORDS))


def test_the_length_of_a_question_does_not_matter(folder: Path, positions: np.ndarray) -> None:
    graph = opened(folder)
    assert graph.propose(positions[8], 30).tolist() == graph.propose(positions[8] * 1e-3, 30).tolist()


def test_one_thread_writes_the_same_graph_again(folder: Path, positions: np.ndarray, tmp_path: Path) -> None:
    again = written(tmp_path / "index", positions)
    assert next(again.glob(f"*/{GRAPH}")).read_bytes() == next(folder.glob(f"*/{GRAPH}")).read_bytes()


def test_threads_that_share_it_get_what_one_gets(folder: Path, positions: np.ndarray) -> None:
    graph = opened(folder)
    alone = [graph.propose(query, 50).tolist() for query in positions[10:200]]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(lambda query: graph.propose(query, 50).tolist(), positions[10:200]))
    assert together == alone


def test_progress_ends_with_all_records(positions: np.ndarray, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(neighbour_graph, "_BATCH", 1_400)
    told: list[int] = []
    written(tmp_path / "index", positions, progress=told.append)
    assert told == [1_400, 2_800, 3_000]
    assert len(opened(tmp_path / "index")) == N_RECORDS - 2


def test_a_small_collection_has_none(positions: np.ndarray, tmp_path: Path) -> None:
    with GenerationWriter(tmp_path / "index") as writer:
        RecordStore.create(writer.path("records.sqlite"), (Record(f"r{row}", "word") for row in range(N_RECORDS)))
        writer.save_array("positions", positions)
        assert not write_graph(writer.path(GRAPH), positions)
        writer.finish({}, {})
    assert not list(tmp_path.glob(f"**/{GRAPH}"))
    assert opened(tmp_path / "index") is None


def test_without_usearch_it_is_built_and_opened_without(
    folder: Path, positions: np.ndarray, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "usearch", None)
    with pytest.warns(TacitWarning, match=r"usearch is not installed: got 3,000 records.*'tacit\[large\]'"):
        other = written(tmp_path / "index", positions)
    assert opened(other) is None
    with pytest.warns(TacitWarning, match=r"neighbours.usearch cannot be read without usearch: .*'tacit\[large\]'"):
        assert opened(folder) is None


@pytest.mark.parametrize("content", [b"", b"something else" * 100])
def test_a_file_that_is_no_graph_is_not_used(content: bytes, tmp_path: Path) -> None:
    (tmp_path / GRAPH).write_bytes(content)
    with pytest.warns(TacitWarning, match=r"neighbours.usearch (cannot be read|does not fit this index): got "):
        assert HnswGraph.open(tmp_path / GRAPH, 10, 2) is None


@pytest.mark.parametrize(("n_records", "n_dimensions"), [(N_RECORDS, 19), (2_000, N_DIMENSIONS)])
def test_a_graph_of_another_collection_is_not_used(folder: Path, n_records: int, n_dimensions: int) -> None:
    path = next(folder.glob(f"*/{GRAPH}"))
    with pytest.warns(TacitWarning, match=r"does not fit this index: got 2,998 records of 20 dimensions, expected"):
        assert HnswGraph.open(path, n_records, n_dimensions) is None


def test_forged_graphs_do_no_harm(folder: Path, positions: np.ndarray, tmp_path: Path) -> None:
    np.save(tmp_path / "positions.npy", positions)
    graph = str(next(folder.glob(f"*/{GRAPH}")))
    command = [sys.executable, forged_graphs.__file__, graph, str(tmp_path / "positions.npy"), "160", "3"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, f"forged graph {done.stderr.split()[-1]} ends the process"
    found = json.loads(done.stdout)
    assert found["refused"] > 120
    assert found["searched"] > 5  # with a byte that usearch does not read


def test_what_was_checked_is_not_checked_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(positions_module, "was_checked", lambda path, what: False)
    checked: list[Path] = []
    monkeypatch.setattr(neighbour_graph, "graph_complaint", lambda path, *shape: checked.append(path))
    for _ in range(2):
        with open_generation(folder) as generation:
            assert RecordPositions(generation)._graph is not None
    assert len(checked) == 2
    monkeypatch.undo()
    monkeypatch.setattr(neighbour_graph, "graph_complaint", lambda path, *shape: checked.append(path))
    with open_generation(folder) as generation:
        assert RecordPositions(generation)._graph is not None
    assert len(checked) == 2


def test_a_forged_graph_is_not_sound(folder: Path, positions: np.ndarray, tmp_path: Path) -> None:
    assert verify(folder) == []
    for change in ("neighbour", "direction"):
        path = Path(shutil.copytree(folder, tmp_path / change))
        file = next(path.glob(f"*/{GRAPH}"))
        content = bytearray(file.read_bytes())
        if change == "neighbour":
            content = bytearray(forged_graphs.forged(bytes(content), "count", random.Random(1)))
        else:
            content[8 : 8 + N_DIMENSIONS] = bytes(255 - byte for byte in content[8 : 8 + N_DIMENSIONS])
        file.write_bytes(content)
        manifest = read_manifest(file.parent)
        files = {**manifest.files, GRAPH: FileFacts(len(content), file_sha256(file))}
        (file.parent / "manifest.json").write_text(replace(manifest, files=files).to_json(), encoding="utf-8")
        (sentence,) = verify(path)
        assert "neighbours.usearch does not fit the positions: got" in sentence
        if change == "neighbour":
            with open_generation(path) as generation, pytest.warns(TacitWarning, match="does not fit this index"):
                numbers, _ = RecordPositions(generation).nearest(positions[8], 3)
            assert numbers[0] == 8
