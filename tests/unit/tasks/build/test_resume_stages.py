"""A build with a limit of memory that is interrupted anywhere goes on and makes the same index."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tacit.corpus.record import Record
from tacit.index import GenerationWriter
from tacit.index.folder.generations import current_generation
from tacit.tasks.build.settings import BuildSettings
from tacit.tasks.build.stages.pipeline import IndexBuild
from tacit.tasks.build.stages.plan import Limits
from tacit.tasks.build.stages.state import BuildState
from tacit.tasks.stage_progress import StageEvent, StageReporter
from tacit.text.settings import TextSettings

SETTINGS = BuildSettings(n_components=5, text=TextSettings(min_records=1))
LIMITS = Limits(2**30, 150, 250, 80, 120, 64)
WORDS = ["whale", "ship", "wave", "harbour", "cat", "lamp", "garden", "hall", "engine", "wheel", "road", "bridge"]


def records() -> list[Record]:
    rng = np.random.default_rng(5)
    found = []
    for number in range(400):
        topic = int(rng.integers(3))
        words = [
            *rng.choice(WORDS[4 * topic : 4 * topic + 4], 5),
            f"word{chr(97 + number % 26)}{chr(97 + number // 26)}",
        ]
        authors = {"author": (f"author {number % 90}",)}
        found.append(Record(str(number), " ".join(words), labels=(f"topic {topic}",) * (number % 7 > 0), links=authors))
    return found


class Interruption(BaseException):
    """As a kill, but within the process."""


def run(path: Path, stage: str = "", n_events: int = 0) -> list[str]:
    """Build, or go on with a build, until so many events of a stage; return the stages that were begun."""
    begun, seen = [], []

    def report(event: StageEvent) -> None:
        if event.state == "begin":
            begun.append(event.name)
        seen.append(event.name)
        if event.name == stage and seen.count(stage) == n_events:
            raise Interruption

    with GenerationWriter(path, resume=True) as writer:
        state = BuildState(writer, dict, resume=True)
        IndexBuild(writer, SETTINGS, None, None, (), state, StageReporter(report), 2**30, LIMITS).run(records())
    return begun


def content(path: Path) -> dict[str, bytes]:
    folder = current_generation(path)
    return {file.name: file.read_bytes() for file in folder.rglob("*") if file.is_file() and file.parent != folder}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    path = tmp_path_factory.mktemp("whole") / "index"
    assert run(path) == ["reading", "words", "weights", "space", "placing", "suggester", "map", "writing"]
    return content(path)


@pytest.mark.parametrize(
    ("stage", "n_events", "left"),
    [
        ("reading", 1, ["reading", "words", "weights", "space", "placing", "suggester", "map", "writing"]),
        ("weights", 1, ["weights", "space", "placing", "suggester", "map", "writing"]),
        ("placing", 4, ["placing", "suggester", "map", "writing"]),
        ("placing", 9, ["suggester", "map", "writing"]),
        ("map", 2, ["map", "writing"]),
        ("writing", 1, ["writing"]),
    ],
)
def test_an_interrupted_build_goes_on_behind_its_last_stage(
    stage: str, n_events: int, left: list[str], whole: dict[str, bytes], tmp_path: Path
) -> None:
    path = tmp_path / "index"
    with pytest.raises(Interruption):
        run(path, stage, n_events)
    assert not (path / "CURRENT").exists()
    begun = run(path)
    assert begun[-len(left) :] == left[-len(begun) :]
    assert len(begun) <= len(left) + 1  # the end of a stage is reported before it is noted
    assert content(path) == whole
    assert sorted(entry.name for entry in path.iterdir()) == ["CURRENT", "generation-000001", "lock"]
