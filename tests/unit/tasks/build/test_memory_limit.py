"""A build keeps a limit of memory: it is the same as without one if there is room, and told if there is too little."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import tacit
from tacit.corpus.record import Record
from tacit.errors import InputError
from tacit.index import GenerationWriter
from tacit.index.folder.generations import current_generation
from tacit.tasks.build.build import build
from tacit.tasks.build.settings import BuildSettings
from tacit.tasks.build.stages import state
from tacit.tasks.build.stages.pipeline import IndexBuild
from tacit.tasks.build.stages.plan import Contents, Limits, limits_for, parse_memory, sampled
from tacit.tasks.build.stages.state import BuildState
from tacit.tasks.known_things import known_things
from tacit.tasks.stage_progress import StageReporter
from tacit.text.settings import TextSettings

N_TOPICS = 6
SETTINGS = BuildSettings(n_components=6, text=TextSettings(min_records=1), suggester="witnesses")


RARE = set(range(900)) - set(sampled(900, 300, 0).tolist())  # records that are not fitted


def word(topic: int, number: int) -> str:
    return f"{'abcdefg'[topic]}{chr(97 + number % 26)}{chr(97 + number // 26)}ing"


def records(n: int) -> list[Record]:
    """Records of six topics with words and a label of their own, and an author each two of them share."""
    rng = np.random.default_rng(n)
    found = []
    for number in range(n):
        topic = int(rng.integers(N_TOPICS))
        words = [word(topic, int(rng.integers(40))) for _ in range(8)] + [word(6, int(rng.integers(60)))]
        if number in RARE and topic == 2:
            words.append("zzqx")
        labels = (f"topic {topic}",) if number % 10 else ()
        found.append(Record(str(number), " ".join(words), labels=labels, links={"author": (f"author {number // 2}",)}))
    return found


def arrays_of(path: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in (current_generation(path) / "arrays").iterdir()}


@pytest.mark.parametrize(
    ("text", "size"), [("4GB", 4 * 10**9), ("800 mb", 8 * 10**8), ("1.5GiB", 3 * 2**29), ("2048", 2048), ("1k", 1000)]
)
def test_sizes_are_read(text: str, size: int) -> None:
    assert parse_memory(text) == size


@pytest.mark.parametrize("text", ["", "four", "4 XB", "-1GB"])
def test_what_is_no_size_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="memory is not a size: got"):
        parse_memory(text)


def test_with_room_for_all_the_index_is_the_same(tmp_path: Path) -> None:
    for name, memory in (("free", None), ("limited", "3GB")):
        build(records(150), tmp_path / name, SETTINGS, memory=memory)
    assert arrays_of(tmp_path / "free") == arrays_of(tmp_path / "limited")


@pytest.mark.parametrize("late", range(1, 5))
def test_a_build_in_which_a_later_stage_takes_long_is_the_same(tmp_path: Path, monkeypatch, late: int) -> None:
    """What the stages before it have made is then written with what it has made, and not before."""
    plain = build(records(90), tmp_path / "plain", SETTINGS)
    seen: list[None] = []

    def clock() -> float:
        seen.append(None)
        return 0.0 if len(seen) <= late else 1e6

    monkeypatch.setattr(state, "time", SimpleNamespace(monotonic=clock))
    assert arrays_of(build(records(90), tmp_path / "late", SETTINGS)) == arrays_of(plain)
    assert len(seen) > late


def test_too_small_a_limit_is_told_with_the_least_that_is_enough_and_this_is_enough(tmp_path: Path) -> None:
    made, path = records(100), tmp_path / "made"
    with pytest.raises(
        InputError, match=r"memory is too small: got 1.0 MiB for 100 records, expected at least"
    ) as told:
        build(made, path, SETTINGS, memory=2**20)
    assert not path.exists()
    least = re.search(r"at least ([\d.]+ [MG]iB)", str(told.value))
    assert least is not None
    build(made, path, SETTINGS, memory=least[1])
    assert len(tacit.open(path)) == 100


@pytest.fixture(scope="module")
def some_fitted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index of 900 records, of which 300 are fitted, 500 counted and 250 laid out."""
    path = tmp_path_factory.mktemp("some") / "index"
    with GenerationWriter(path) as writer:
        state, limits = BuildState(writer, dict), Limits(2**30, 300, 500, 200, 250, 128)
        IndexBuild(writer, SETTINGS, None, None, (), state, StageReporter(None), 2**30, limits).run(records(900))
    return path


def test_an_index_whose_space_was_fitted_to_some_records_answers_about_all(some_fitted: Path) -> None:
    with tacit.open(some_fitted) as opened:
        assert opened.generation.manifest.settings["fitted"]["fitted_records"] == 300
        right = []
        for topic in range(N_TOPICS):
            hits = opened.search(" ".join(word(topic, number) for number in range(5)), by="meaning")
            right += [f"topic {topic}" in hit.record.labels or not hit.record.labels for hit in hits]
        assert np.mean(right) > 0.95
        assert [one.label for one in opened.suggest(" ".join(word(1, number) for number in (1, 7, 13)), limit=1)] == [
            "topic 1"
        ]
        assert len(opened.generation.array("map_points")) == len(opened.generation.array("map_plain")) == 900
        counts = opened.generation.facts("labels")["counts"]
        assert sum(counts) == sum(bool(record.labels) for record in records(900))


def test_records_that_were_not_fitted_are_placed_as_the_fit_places_its_own(some_fitted: Path) -> None:
    """Added to the index again, fitted or not, a record gets the same position."""
    with tacit.open(some_fitted) as opened:
        views = opened.known_views
        assert views is not None
        some = [opened.store.get([number])[0] for number in range(60)]
        by_words = opened.space.place([record.text for record in some])
        rows = [opened.space.words.row(record.text) for record in some]
        again = views.place(rows, by_words, [known_things(opened, record) for record in some])
        stored = opened.generation.array("positions")[:60]
    cosines = np.sum(again * stored, axis=1) / np.linalg.norm(again, axis=1) / np.linalg.norm(stored, axis=1)
    fitted = np.isin(np.arange(60), sampled(900, 300, 0))
    assert cosines[~fitted].min() > 1 - 1e-5
    assert cosines[fitted].min() > 0.99  # the solver stops at a tolerance


def test_words_of_records_that_were_not_fitted_have_places(some_fitted: Path) -> None:
    made, rows = records(900), sampled(900, 300, 0)
    seen = {word for row in rows for word in made[row].text.split()}
    with tacit.open(some_fitted) as opened:
        words = opened.space.words
        assert words is not None
        unseen = [term for term in words.terms if term not in seen]
        assert "zzqx" in unseen
        lengths = np.linalg.norm(opened.space.terms[[words.columns[term] for term in unseen]], axis=1)
        assert lengths.min() > 0
        best = opened.search("zzqx", by="meaning", limit=10)
        assert all("topic 2" in hit.record.labels or not hit.record.labels for hit in best)


def test_limits_grow_with_memory_and_depend_on_nothing_else() -> None:
    contents = Contents(500_000, 30_000, 6_000_000, np.full(20_000, 60), 400)
    limits = [limits_for(memory * 10**9, contents) for memory in (1.5, 2, 4, 40)]
    fitted = [limit.n_fitted for limit in limits]
    assert fitted == sorted(fitted)
    assert limits[-1].n_fitted == limits[-1].n_mapped == limits[-1].n_counted == 500_000
    assert limits[0] == limits_for(15 * 10**8, contents)
    with pytest.raises(InputError, match="memory is too small"):
        limits_for(10**9, contents, can_sample=False)


def test_a_larger_sample_contains_the_smaller_ones() -> None:
    assert set(sampled(1_000, 100, 3)) < set(sampled(1_000, 400, 3))
    assert not np.array_equal(sampled(1_000, 100, 3), sampled(1_000, 100, 4))
