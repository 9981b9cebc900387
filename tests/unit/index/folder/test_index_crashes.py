"""Writers are killed at many points of a build, a refit, learning and an addition: the index is the old or the new."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import random
import shutil
import time
from pathlib import Path

import pytest
from index_builds import add, build, learn, record, refit, work

from tacit.errors import InputError
from tacit.index import open_generation, verify

pytestmark = pytest.mark.skipif(os.name == "nt", reason="processes are killed by a POSIX signal")

N_RANDOM = 8  # kills at a random moment of a build or refit, besides those at every touch of the disk


@pytest.fixture(scope="module")
def processes():
    """Forks take milliseconds; fresh interpreters would take most of the time of all tests of this room."""
    return multiprocessing.get_context("fork")


def _run(processes, task: str, path: Path, *, die_at=None, first=0, reports=1, after=0.0) -> list[str]:
    """Run a task in a process and give what it reported.

    Without `die_at` it is killed `after` so many seconds when it has made so many `reports`, of which the first is that
    it starts to work.
    """
    ours, theirs = processes.Pipe(duplex=False)
    process = processes.Process(target=work, args=(task, path, first, die_at, theirs))
    process.start()
    theirs.close()
    heard: list[str] = []
    with contextlib.suppress(EOFError):
        while True:
            heard.append(ours.recv())
            if die_at is None and len(heard) == reports:
                time.sleep(after)
                process.kill()
    process.join(20)
    return heard[1:]


def _duration(task, *arguments) -> float:
    start = time.perf_counter()
    task(*arguments)
    return time.perf_counter() - start


def _state(path: Path) -> int | None:
    """Open the index, check all of it, and give its version; None if nothing was built yet."""
    if not (path / "CURRENT").exists():
        with pytest.raises(InputError, match=r"does not exist|an interrupted build|is an empty folder|none of which"):
            open_generation(path)
        return None
    with open_generation(path) as generation:
        version = generation.manifest.settings["version"]
        keys = [found.id for _, found in generation.store.records()]
        assert len(set(keys)) == len(keys) == generation.store.counts().live
        words, _ = generation.store.words("common", 1000)
        assert len(words) == len(keys)
    assert verify(path) == []
    return version


def _kills_at_every_touch(processes, task: str, prepare, path_of) -> list[int | None]:
    """Kill a task before each touch of the disk in turn until it gets through; give the states that were found."""
    states: list[int | None] = []
    for die_at in range(200):
        path = path_of(die_at)
        prepare(path)
        reports = _run(processes, task, path, die_at=die_at)
        states.append(_state(path))
        if reports and reports[-1] == "done":
            return states
    raise AssertionError("the task never got through")


def test_a_killed_build_leaves_nothing_or_an_index(processes, tmp_path):
    states = _kills_at_every_touch(processes, "build", lambda path: None, lambda n: tmp_path / f"{n}.tacit")
    assert len(states) > 15
    assert states[0] is None
    assert states[-1] == 2
    assert states == sorted(states, key=lambda state: state is not None)  # no kill after the last step undoes it
    generator, whole = random.Random(1), _duration(build, tmp_path / "timed.tacit", 12)
    for n in range(N_RANDOM):
        path = tmp_path / f"random{n}.tacit"
        _run(processes, "build", path, after=generator.uniform(0, whole))
        assert _state(path) in (None, 2)


def test_the_leftovers_of_a_killed_build_are_swept_by_the_next_writer(processes, tmp_path):
    path = tmp_path / "index.tacit"
    for die_at in (5, 10, 15, 20):
        _run(processes, "build", path, die_at=die_at)
    assert any(entry.name.endswith(".unfinished") for entry in path.iterdir())
    build(path, 3, version=3)
    assert _state(path) == 3
    refit(path, version=4)
    # the new one, and the one before it, which may still have readers
    assert len([entry for entry in path.iterdir() if entry.is_dir()]) == 2


def test_a_killed_refit_leaves_the_old_index_or_the_new_one(processes, tmp_path):
    old = build(tmp_path / "old.tacit", 12, version=1)
    states = _kills_at_every_touch(
        processes, "refit", lambda path: shutil.copytree(old, path), lambda n: tmp_path / f"{n}.tacit"
    )
    assert len(states) > 15
    assert set(states) == {1, 2}
    assert states == sorted(states)
    path = build(tmp_path / "random.tacit", 12, version=1)
    generator, whole = random.Random(2), _duration(refit, path, 1)
    for _ in range(N_RANDOM):
        _run(processes, "refit", path, after=generator.uniform(0, whole))
        assert _state(path) in (1, 2)


def test_killed_learning_leaves_the_old_index_or_the_new_one_with_all_added_records(processes, tmp_path):
    old = build(tmp_path / "old.tacit", 12, version=1)
    add(old, range(20, 24), lambda key: None)
    states = _kills_at_every_touch(
        processes, "learn", lambda path: shutil.copytree(old, path), lambda n: tmp_path / f"{n}.tacit"
    )
    assert len(states) > 20
    assert set(states) == {1, 2}
    assert states == sorted(states)
    generator, whole = random.Random(4), _duration(learn, Path(shutil.copytree(old, tmp_path / "timed.tacit")), 2)
    for n in range(N_RANDOM):
        path = Path(shutil.copytree(old, tmp_path / f"random{n}.tacit"))
        _run(processes, "learn", path, after=generator.uniform(0, whole))
        assert _state(path) in (1, 2)
        with open_generation(path) as generation:
            assert generation.store.counts().added == 4


def test_what_was_reported_as_stored_is_there_after_a_kill(processes, tmp_path):
    """Additions come in pairs: of each both records are there or none, and all that was reported."""
    path = build(tmp_path / "index.tacit", 5)
    generator, reported = random.Random(3), set()
    cut_off = 0
    for turn in range(30):
        heard = _run(
            processes,
            "add",
            path,
            first=100 * turn,
            reports=generator.randint(1, 12),
            after=generator.uniform(0, 0.01),
        )
        cut_off += heard[-1:] != ["done"]
        reported |= set(heard) - {"done"}
        with open_generation(path) as generation:
            numbers, positions = generation.store.added()
            stored = generation.store.get(numbers)
            places = [int(found.id.removeprefix("new")) for found in stored]
            assert reported <= {found.id for found in stored}
            assert all(second == first + 1 for first, second in zip(places[::2], places[1::2], strict=True))
            assert stored == [record(place, prefix="new") for place in places]
            assert positions[:, 0].tolist() == places
            assert len(generation.store.words("common", 10_000)[0]) == 5 + len(stored)
        assert verify(path) == []
    assert cut_off > 15  # else the kills come too late to prove anything
    assert len(reported) > 30
