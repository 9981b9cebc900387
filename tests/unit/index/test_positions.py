"""The nearest live records against the plain definition: with and without a graph, with filters, after changes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tacit.corpus import Record
from tacit.errors import InputError
from tacit.index import Filters, GenerationWriter, RecordStore, change_generation, open_generation
from tacit.index import positions as positions_module
from tacit.index.nearest import approximate as neighbour_graph
from tacit.index.nearest import exact as exact_module
from tacit.index.nearest.approximate import GRAPH, write_graph
from tacit.index.nearest.exact import lengths_of
from tacit.index.positions import RecordPositions
from tacit.index.records import value_lists

N_RECORDS, N_DIMENSIONS = 2_000, 12
FILTERS = {
    "none": None,
    "empty": Filters(),
    "half": Filters(fields={"parity": "even"}),
    "several": Filters(labels=["tens"], ranges={"year": (1990, 1999)}),
    "few": Filters(labels=["rare"]),
    "nobody": Filters(labels=["unheard of"]),
}


def record(number: int) -> Record:
    labels = [*(["tens"] if number % 10 == 0 else []), *(["rare"] if number % 500 == 3 else [])]
    fields = {"parity": "even" if number % 2 == 0 else "odd", "year": 1980 + number % 40}
    return Record(f"r{number}", "word", labels, fields=fields)


def drawn(n_records: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    topics = np.random.default_rng(0).standard_normal((20, N_DIMENSIONS))
    made = topics[rng.integers(0, 20, n_records)] + 0.8 * rng.standard_normal((n_records, N_DIMENSIONS))
    return made.astype(np.float32)


def build(folder: Path, positions: np.ndarray, graph: np.ndarray | None) -> Path:
    """Write an index; its graph is made of other positions where these are given."""
    with pytest.MonkeyPatch.context() as patch, GenerationWriter(folder) as writer:
        patch.setattr(neighbour_graph, "LARGE", 0)
        patch.setattr(value_lists, "MANY_RECORDS", len(positions) + (graph is None))
        RecordStore.create(writer.path("records.sqlite"), map(record, range(len(positions))))
        writer.save_array("positions", positions)
        writer.save_array("lengths", lengths_of(positions))
        if graph is not None:
            write_graph(writer.path(GRAPH), graph, threads=1)
        writer.finish({}, {})
    return folder


def change(folder: Path) -> dict[int, tuple[Record, np.ndarray]]:
    """Remove, update and add records; give those that are live with their positions, by number, as kept by hand."""
    positions, new = drawn(N_RECORDS, 1), drawn(60, 2)
    live = {number: (record(number), positions[number]) for number in range(N_RECORDS)}
    added = [record(N_RECORDS + place) for place in range(30)]
    updated = [record(number) for number in range(100, 130)]
    with change_generation(folder) as generation:
        generation.store.remove([f"r{number}" for number in range(0, 60, 3)])
        generation.store.add(added, new[:30])
        generation.store.update(updated, new[30:])
    for number in [*range(0, 60, 3), *range(100, 130)]:
        del live[number]
    for place, one in enumerate([*added, *updated]):
        live[N_RECORDS + place] = (one, new[place])
    return live


def passes(one: Record, filters: Filters | None) -> bool:
    """Of the filters that are used here."""
    if filters is None:
        return True
    low, high = filters.ranges.get("year", (0, 3000))
    return (
        set(filters.labels) <= set(one.labels)
        and filters.fields.get("parity", one.fields["parity"]) == one.fields["parity"]
        and low <= one.fields["year"] <= high
    )


def by_definition(
    live: dict[int, tuple[Record, np.ndarray]], query: np.ndarray, limit: int, filters: Filters | None
) -> tuple[list[int], list[float]]:
    numbers = [number for number in sorted(live) if passes(live[number][0], filters)]
    found = np.array([live[number][1] for number in numbers], np.float64).reshape(len(numbers), N_DIMENSIONS)
    scores = found @ query / (np.linalg.norm(found, axis=1) * np.linalg.norm(query))
    best = np.argsort(-scores, kind="stable")[:limit]
    return [numbers[place] for place in best], scores[best].tolist()


@pytest.fixture(scope="module", params=["exact", "graph"])
def changed(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, dict[int, tuple[Record, np.ndarray]]]:
    if request.param == "graph":
        pytest.importorskip("usearch", reason="the graph needs the extra 'large'")
    positions = drawn(N_RECORDS, 1)
    folder = tmp_path_factory.mktemp(request.param) / "index"
    build(folder, positions, positions if request.param == "graph" else None)
    return folder, change(folder)


@pytest.mark.parametrize("name", FILTERS)
@pytest.mark.parametrize(
    ("limit", "few", "some"), [(1, 1, 1), (10, 1, 1), (10, 1, 9_000), (10, 9_000, 9_000), (150, 1, 1), (5_000, 1, 1)]
)
def test_the_nearest_live_records_that_pass(
    changed: tuple[Path, dict[int, tuple[Record, np.ndarray]]],
    name: str,
    limit: int,
    few: int,
    some: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(positions_module, "_FEW", few)
    monkeypatch.setattr(positions_module, "_SOME", some)
    monkeypatch.setattr(exact_module, "_GATHERED", 16)
    monkeypatch.setattr(positions_module, "_NEAREST", 300)
    folder, live = changed
    wrong, total = 0, 0
    with open_generation(folder) as generation:
        finder = RecordPositions(generation)
        for query in drawn(10, 3):
            numbers, scores = finder.nearest(query, limit, filters=FILTERS[name])
            expected, expected_scores = by_definition(live, query, limit, FILTERS[name])
            assert len(numbers) == len(expected)
            np.testing.assert_allclose(scores, expected_scores, atol=0.02)
            wrong, total = wrong + len(set(expected) - set(numbers.tolist())), total + len(expected)
            mine = {number: live[number] for number in numbers.tolist()}  # whatever was proposed is compared exactly
            again, exact = by_definition(mine, query, limit, None)
            assert numbers.tolist() == again
            np.testing.assert_allclose(scores, exact, atol=1e-5)
    assert wrong <= 0.01 * total


@pytest.mark.parametrize("number", [700, N_RECORDS + 4])
def test_a_record_can_be_left_out(changed: tuple[Path, dict[int, tuple[Record, np.ndarray]]], number: int) -> None:
    folder, live = changed
    with open_generation(folder) as generation:
        finder = RecordPositions(generation)
        position = finder.of(np.array([number]))[0]
        np.testing.assert_array_equal(position, live[number][1])
        assert finder.nearest(position, 1)[0].tolist() == [number]
        expected, _ = by_definition(live, position, 6, None)
        assert finder.nearest(position, 5, without=number)[0].tolist() == expected[1:]


def test_a_change_is_seen_by_a_reader_that_was_open_before(tmp_path: Path) -> None:
    positions = drawn(N_RECORDS, 1)
    with open_generation(build(tmp_path / "index", positions, positions)) as generation:
        finder = RecordPositions(generation)
        nearest = finder.nearest(positions[5], 3)[0].tolist()
        with change_generation(tmp_path / "index") as changing:
            changing.store.remove(["r5"])
        assert finder.nearest(positions[5], 2)[0].tolist() == nearest[1:]


def test_records_added_between_two_looks_wait_for_the_next_question(tmp_path: Path) -> None:
    positions = drawn(N_RECORDS, 1)
    even = Filters(fields={"parity": "even"})
    with open_generation(build(tmp_path / "index", positions, None)) as generation:
        finder = RecordPositions(generation)
        seen, passed = finder.nearest(positions[8], 3, filters=even)[0].tolist(), finder._changes()
        with change_generation(tmp_path / "index") as changing:
            changing.store.add([record(N_RECORDS)], positions[[8]])
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(finder, "_changes", lambda: passed)  # read before the addition, and the filters after it
            assert finder.nearest(positions[8], 3, filters=even)[0].tolist() == seen
        assert finder.nearest(positions[8], 3, filters=even)[0].tolist() == [8, N_RECORDS, *seen[1:2]]


def test_equal_records_come_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    positions = drawn(N_RECORDS, 1)
    positions[[40, 900, 1700]] = positions[7] * np.array([[2.0], [0.5], [4.0]], np.float32)
    with open_generation(build(tmp_path / "index", positions, positions)) as generation:
        numbers, scores = RecordPositions(generation).nearest(positions[7], 4)
    assert numbers.tolist() == [7, 40, 900, 1700]
    np.testing.assert_allclose(scores, 1, atol=1e-6)


def test_the_graph_is_asked_and_where_it_knows_too_little_all_are_compared(tmp_path: Path) -> None:
    pytest.importorskip("usearch", reason="the graph needs the extra 'large'")
    positions = drawn(N_RECORDS, 1)
    known = positions.copy()
    known[1::2] = 0  # the graph does not know what is at the origin
    with open_generation(build(tmp_path / "index", positions, known)) as generation:
        finder = RecordPositions(generation)
        numbers, _ = finder.nearest(positions[1], 10)
        odd, _ = finder.nearest(positions[1], 10, filters=Filters(fields={"parity": "odd"}))
        every, _ = finder.nearest(positions[1], 1_500)
    assert not (numbers % 2).any()
    live = {number: (record(number), positions[number]) for number in range(N_RECORDS)}
    assert odd.tolist() == by_definition(live, positions[1], 10, Filters(fields={"parity": "odd"}))[0]
    assert every.tolist() == by_definition(live, positions[1], 1_500, None)[0]


def test_the_position_of_a_record_that_is_not_there_is_refused(tmp_path: Path) -> None:
    folder = build(tmp_path / "index", drawn(N_RECORDS, 1), None)
    live = change(folder)
    with change_generation(folder) as generation:
        generation.store.remove([f"r{N_RECORDS + 1}"])
    with open_generation(folder) as generation:
        places, last = RecordPositions(generation), max(live)
        np.testing.assert_array_equal(places.of(np.array([last])), [live[last][1]])
        for gone in (N_RECORDS + 1, last + 1):
            with pytest.raises(InputError, match=f"numbers has an unknown number: got {gone}"):
                places.of(np.array([last, gone]))
