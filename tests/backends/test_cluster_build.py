"""A build by real worker processes is that of one process, whoever dies; the command line does it from a folder."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

import tacit
from tacit.corpus import ColumnMap, read_records
from tacit.errors import InputError
from tacit.index import GenerationWriter
from tacit.index.folder.generations import current_generation
from tacit.operators.rows.cluster_workers import check_workers, opened_cluster
from tacit.operators.rows.dask_client import Cluster
from tacit.tasks.build.build import build
from tacit.tasks.build.partitions.cluster_build import ClusterBuild, _divided
from tacit.tasks.build.settings import BuildSettings
from tacit.tasks.build.stages.pipeline import IndexBuild
from tacit.tasks.build.stages.plan import Limits
from tacit.tasks.build.stages.state import BuildState
from tacit.tasks.stage_progress import StageReporter
from tacit.text.settings import TextSettings

TOPICS, PER_PART, PARTS = 6, 150, 4
SETTINGS = BuildSettings(
    n_components=8,
    text=TextSettings(min_records=1),
    suggester="witnesses",
    taxonomy_separator="/",
    weights={"words": 0.1, "labels": 1.0, "author": 0.2, "taxonomy": 0.3},
    map=False,
)


def lines(first: int, n: int) -> list[dict[str, Any]]:
    """Records with words and a label of their topic, whole topics above them, and authors that two of them share."""
    found = []
    for number in range(first, first + n):
        rng = np.random.default_rng(number)
        topic = int(rng.integers(TOPICS))
        words = [f"{'abcdef'[topic]}{chr(97 + int(rng.integers(26)))}ing" for _ in range(8)]
        words += [f"{'zy'[int(rng.integers(2))]}{chr(97 + number % 26)}{chr(97 + number // 26 % 26)}ally"]
        record: dict[str, Any] = {"id": f"r{number}", "text": " ".join(words), "author": f"author {number // 2}"}
        if number % 7:
            record["labels"] = [f"part {topic % 2}/topic {topic}"]
        found.append(record)
    return found


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Partitions as files of JSON lines, the last of which knows no labels."""
    found = tmp_path_factory.mktemp("partitions")
    for part in range(PARTS):
        records = lines(part * PER_PART, PER_PART)
        if part == PARTS - 1:
            records = [{name: value for name, value in record.items() if name != "labels"} for record in records]
        (found / f"part-{part}.jsonl").write_text("".join(f"{json.dumps(record)}\n" for record in records))
    return found


def reading(folder: Path) -> Any:
    return read_records(folder, ColumnMap(links=["author"]))


def queries() -> list[str]:
    return [record["text"] for record in lines(PARTS * PER_PART, 60)]


def arrays(path: Path) -> dict[str, Any]:
    """Return all arrays of an index, those of its shards as one."""
    found = {file.stem: np.load(file) for file in (current_generation(path) / "arrays").glob("*.npy")}
    for shard in sorted(path.glob("shards-*/*")):
        for name in ("positions", "lengths"):
            part = np.load(current_generation(shard) / "arrays" / f"{name}.npy")
            found[name] = np.concatenate([found[name], part]) if name in found else part
    return found


def assert_same(one: Path, many: Path, atol: float = 0.0) -> None:
    """Compare everything that answers are made of, and some answers."""
    expected, found = arrays(one), arrays(many)
    assert expected.keys() == found.keys()
    for name, array in expected.items():
        unit = 1.0 if name.startswith("map_") and atol else atol  # the map is in whole numbers
        np.testing.assert_allclose(found[name], array, rtol=0, atol=unit, err_msg=name)
    with tacit.open(one) as first, tacit.open(many) as second:
        for name in ("records", "labels", "terms", "dimensions", "model", "weights", "suggester", "taxonomy_nodes"):
            assert getattr(first.info(), name) == getattr(second.info(), name)
        assert first.label_names == second.label_names
        assert first.link_names == second.link_names
        for query in queries():
            scores = [[hit.score for hit in index.search(query, by="meaning")] for index in (first, second)]
            np.testing.assert_allclose(scores[1], scores[0], atol=1e-6)
        assert [each[0].label for each in first.suggest(queries())] == [
            each[0].label for each in second.suggest(queries())
        ]
        assert list(first.store.get(range(0, 600, 37))) == list(second.store.get(range(0, 600, 37)))


def test_with_room_for_all_it_is_the_build_of_one_process(client: Any, folder: Path, tmp_path: Path) -> None:
    client.wait_for_workers(2, timeout=300)
    seen: list[tuple[str, str]] = []
    with threadpool_limits(1):  # as in a worker
        one = build(reading(folder), tmp_path / "one", SETTINGS)
    told: Any = {"report": lambda event: seen.append((event.name, event.state))}
    many = build(reading(folder), tmp_path / "many", SETTINGS, cluster=client, **told)
    assert_same(one, many, 1e-6)  # sums over blocks of other sizes are rounded otherwise
    assert not list(many.glob("*.work"))
    stages = ["cluster", "reading", "words", "plan", "space", "placing", "suggester", "shards"]
    assert [name for name, state in seen if state == "end"] == stages


LIMITS = Limits(10**9, 240, 330, 150, 200, 64)


def test_a_sample_is_fitted_and_the_others_are_placed_as_by_one_process(
    client: Any, folder: Path, tmp_path: Path
) -> None:
    client.wait_for_workers(2, timeout=300)
    settings = BuildSettings.from_facts({**SETTINGS.to_facts(), "map": True, "reading": reading(folder).to_facts()})
    with GenerationWriter(tmp_path / "one") as writer, threadpool_limits(1):
        given = (writer, settings, None, None, (), BuildState(writer, dict), StageReporter(None), 10**9, LIMITS)
        IndexBuild(*given).run(reading(folder))
    with GenerationWriter(tmp_path / "many") as writer:
        BuildState(writer, dict)
        cluster = Cluster(client, own=False)
        ClusterBuild(writer, settings, None, cluster, limits=LIMITS, n_shards=3).run(reading(folder))
    assert_same(tmp_path / "one", tmp_path / "many", 1e-6)
    with tacit.open(tmp_path / "many") as index:
        assert index.settings["fitted"]["fitted_records"] == 240
        assert np.load(current_generation(index.path) / "arrays" / "map_points.npy").shape == (PARTS * PER_PART, 2)


def test_workers_that_are_killed_half_way_change_nothing(client: Any, folder: Path, tmp_path: Path) -> None:
    client.wait_for_workers(2, timeout=300)
    calm = build(reading(folder), tmp_path / "calm", SETTINGS, cluster=client, shards=4)
    victims = iter(sorted(client.run(os.getpid).values()))
    killed: list[str] = []

    def kill(event: Any) -> None:
        """Kill a worker while parts are read, and the other one while the space is fitted."""
        if (event.name, event.state) in (("reading", "begin"), ("space", "begin")) and event.name not in killed:
            killed.append(event.name)
            if event.name == "space":
                client.wait_for_workers(2, timeout=300)
            os.kill(next(victims), signal.SIGKILL)

    deadly = build(reading(folder), tmp_path / "deadly", SETTINGS, cluster=client, shards=4, report=kill)
    assert killed == ["reading", "space"]
    assert_same(calm, deadly)  # to the last bit


def test_a_build_that_was_interrupted_is_gone_on_with(client: Any, folder: Path, tmp_path: Path) -> None:
    client.wait_for_workers(2, timeout=300)

    def interrupt(event: Any) -> None:
        if (event.name, event.state) == ("suggester", "begin"):
            raise KeyboardInterrupt

    target, seen = tmp_path / "index", list[str]()
    with pytest.raises(KeyboardInterrupt):
        build(reading(folder), target, SETTINGS, cluster=client, resume=True, report=interrupt)
    with pytest.raises(InputError, match="resume does not fit: got other cluster than the build"):
        build(reading(folder), target, SETTINGS, resume=True)
    build(reading(folder), target, SETTINGS, cluster=client, resume=True, report=lambda e: seen.append(e.name))
    assert "space" not in seen  # which was done
    assert_same(build(reading(folder), tmp_path / "calm", SETTINGS, cluster=client), target)


def test_the_command_line_starts_a_cluster_and_builds_from_a_folder(folder: Path, tmp_path: Path) -> None:
    def run(*words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "tacit", *words]
        return subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)

    built = run(
        "build", str(folder), "--cluster", "local:2", "-o", "i.tacit", "--dimensions", "8", "--suggester", "none"
    )
    assert built.returncode == 0, built.stderr
    assert "2 workers, 2 threads; dashboard: http://" in built.stderr
    assert "600 records stored in 4 parts, " in built.stderr
    assert "600 records read from 4 files" in built.stdout
    assert "i.tacit is ready: MLSI in 8 dimensions, from 600 records" in built.stdout
    found = run("search", "i.tacit", queries()[0], "--json")
    assert len(json.loads(found.stdout)["hits"]) == 10


def test_ids_of_two_parts_that_are_the_same_are_one_sentence(client: Any, folder: Path, tmp_path: Path) -> None:
    client.wait_for_workers(2, timeout=300)
    for name in ("a", "b"):
        (tmp_path / f"{name}.jsonl").write_text((folder / "part-0.jsonl").read_text())
    files = [tmp_path / "a.jsonl", tmp_path / "b.jsonl"]
    with pytest.raises(InputError, match=r"records has an id twice: got 'r\d+' in two parts of the files"):
        build(read_records(files), tmp_path / "i", SETTINGS, cluster=client, shards=2)
    assert not (tmp_path / "i").exists()


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"records": [{"text": "a cat", "labels": ["pets"]}] * 3}, "cluster needs files: got records in memory"),
        ({"vectors": np.ones((3, 2))}, "cluster does not go with vectors"),
        ({"cluster": "local:0"}, "cluster is out of range: got 0"),
        ({"limit": 3}, "limit does not go with a cluster: got 3, expected whole files"),
    ],
)
def test_what_a_cluster_cannot_build_is_refused_at_once(
    folder: Path, tmp_path: Path, given: Any, sentence: str
) -> None:
    records = given.pop("records", None) or read_records(folder, limit=given.pop("limit", None))
    with pytest.raises(InputError, match=sentence):
        build(records, tmp_path / "i", SETTINGS, **{"cluster": "local:2", **given})


def test_a_scheduler_that_does_not_answer_is_one_sentence(tmp_path: Path) -> None:
    dask = pytest.importorskip("dask", reason="dask[distributed] is not installed")
    with (
        dask.config.set({"distributed.comm.timeouts.connect": "1s"}),
        pytest.raises(
            InputError, match=r"cluster cannot be reached: got 'tcp://127.0.0.1:9', where no scheduler answers"
        ),
        opened_cluster("tcp://127.0.0.1:9"),
    ):
        pass


def versions_of_this_process() -> dict[str, str]:
    return {"Tacit": str(os.getpid())}


def no_versions() -> dict[str, str]:
    return {}


def test_workers_with_other_versions_or_without_the_files_are_one_sentence(client: Any, tmp_path: Path) -> None:
    client.wait_for_workers(2, timeout=300)
    cluster = Cluster(client, own=False)
    here = Path(sys.executable)
    with pytest.raises(InputError, match=r"cluster has workers with other versions: got Tacit \d+ at tcp://"):
        check_workers(cluster, tmp_path, here, versions_of_this_process)
    with pytest.raises(
        InputError, match=r"cluster has workers that cannot see the files: got no '/nowhere/a.csv' at tcp"
    ):
        check_workers(cluster, tmp_path, Path("/nowhere/a.csv"), no_versions)
    facts = check_workers(cluster, tmp_path, here, no_versions)
    assert [each.threads for each in facts] == [1, 1]
    assert not list(tmp_path.iterdir())


def test_more_memory_than_a_worker_has_is_refused(client: Any, folder: Path, tmp_path: Path) -> None:
    client.wait_for_workers(2, timeout=300)
    with pytest.raises(InputError, match=r"memory is more than a worker has: got 7.5 GiB, expected at most 716.8 MiB"):
        build(reading(folder), tmp_path / "i", SETTINGS, cluster=client, memory="8GB")


def test_files_are_divided_where_it_is_nearest_to_even():
    assert _divided([10, 11, 9, 10], 4) == [(0, 1), (1, 2), (2, 3), (3, 4)]  # behind the wanted points: three parts
    assert _divided([100, 1, 1, 1], 4) == [(0, 1), (1, 4)]
    assert _divided([5, 0, 0], 2) == _divided([0, 0, 0], 2) == [(0, 3)]  # no part without records
