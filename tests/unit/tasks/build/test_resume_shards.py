"""A build of shards that is interrupted anywhere leaves no index, goes on where it was, and makes the same."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from sharded_index import library

import tacit
from tacit.index import GenerationWriter, verify
from tacit.index.folder.generations import current_generation
from tacit.index.shards import writing
from tacit.tasks.build.settings import BuildSettings
from tacit.tasks.build.stages import sharding
from tacit.tasks.build.stages.pipeline import IndexBuild
from tacit.tasks.build.stages.plan import Limits
from tacit.tasks.build.stages.state import BuildState
from tacit.tasks.stage_progress import StageEvent, StageReporter
from tacit.text.settings import TextSettings

SETTINGS = BuildSettings(n_components=5, text=TextSettings(min_records=1), suggester="none")
RECORDS = library(120)
LIMITS = Limits(2**30, 60, 90, 40, 70, 32)


class Interruption(BaseException):
    """As a kill, but within the process."""


def run(path: Path, stage: str = "", n_events: int = 0, *, limits: Limits | None = None) -> list[str]:
    """Build, or go on with a build, until so many events of a stage; return the stages that were begun."""
    begun, seen = [], []

    def report(event: StageEvent) -> None:
        if event.state == "begin":
            begun.append(event.name)
        seen.append(event.name)
        if event.name == stage and seen.count(stage) == n_events:
            raise Interruption

    with GenerationWriter(path, resume=True) as writer:
        state, memory = BuildState(writer, dict, resume=True), None if limits is None else 2**30
        say = StageReporter(report)
        IndexBuild(writer, SETTINGS, None, None, (), state, say, memory, limits, n_shards=3).run(RECORDS)
    return begun


def content(path: Path) -> dict[str, bytes]:
    """Return the files that never change, of the index and of its shards."""
    folders = [current_generation(place) for place in (path, *sorted((path / "shards-000001").iterdir()))]
    files = [file for folder in folders for file in folder.rglob("*") if file.is_file() and file.parent != folder]
    return {str(file.relative_to(path)): file.read_bytes() for file in files}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    path = tmp_path_factory.mktemp("whole") / "index"
    assert run(path)[-3:] == ["writing", "shards", "writing"]
    return content(path)


@pytest.mark.parametrize(
    ("stage", "n_events"), [("space", 1), ("map", 2), ("shards", 1), ("shards", 3), ("writing", 3)]
)
def test_an_interrupted_build_goes_on(stage: str, n_events: int, whole: dict[str, bytes], tmp_path: Path) -> None:
    path = tmp_path / "index"
    with pytest.raises(Interruption):
        run(path, stage, n_events)
    if stage != "writing":  # which ends when the index is there
        assert not (path / "CURRENT").exists()
        begun = run(path)
        assert ("weights" in begun) == (stage == "space")
    assert content(path) == whole
    assert sorted(entry.name for entry in path.iterdir()) == ["CURRENT", "generation-000001", "lock", "shards-000001"]
    assert verify(path) == []


def test_shards_that_were_finished_are_not_written_again(
    whole: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, written = tmp_path / "index", []
    with pytest.raises(Interruption):
        run(path, "shards", 4)  # two are finished

    def observed(folder: Path, *given: object, **more: object) -> object:
        written.append(folder.name)
        return writing.write_shard(folder, *given, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(sharding, "write_shard", observed)
    run(path)
    assert written == ["0002"]
    assert content(path) == whole


def test_a_build_that_is_killed_in_its_last_step_goes_on(
    whole: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "index"

    def killed(*_: object, **__: object) -> None:
        raise Interruption

    with monkeypatch.context() as patched:
        patched.setattr(sharding, "finish_sharded", killed)
        with pytest.raises(Interruption):
            run(path)
    assert not (path / "CURRENT").exists()
    assert run(path)[-1] == "writing"
    assert content(path) == whole
    assert verify(path) == []


def test_a_limit_of_memory_and_shards_go_together(tmp_path: Path) -> None:
    path = tmp_path / "index"
    with pytest.raises(Interruption):
        run(path, "placing", 2, limits=LIMITS)
    run(path, limits=LIMITS)
    assert verify(path) == []
    with tacit.open(path) as index:
        assert len(index) == 120
        assert index.search("whale ship")


def test_a_build_that_fails_leaves_nothing(tmp_path: Path) -> None:
    path = tmp_path / "index"
    with pytest.raises(tacit.InputError, match=re.escape("shards is too large: got 300 for 120 records")):
        tacit.build(RECORDS, path, SETTINGS, shards=300)
    assert not path.exists()
    tacit.build(RECORDS[:60], path, SETTINGS, shards=2)
    with pytest.raises(tacit.InputError, match="shards is too large"):
        tacit.build(RECORDS, path, SETTINGS, shards=300, replace_old=True)
    assert sorted(entry.name for entry in path.iterdir()) == ["CURRENT", "generation-000001", "lock", "shards-000001"]
    with tacit.open(path) as index:
        assert len(index) == 60
    tacit.build(RECORDS[:50], path, SETTINGS, shards=5, replace_old=True)
    tacit.build(RECORDS[:40], path, SETTINGS, replace_old=True)  # the next writer removes what is left
    tacit.index.sweep(path)
    assert sorted(entry.name for entry in path.iterdir()) == ["CURRENT", "generation-000003", "lock"]
