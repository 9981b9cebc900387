"""Filters by the lists of values pass what plain SQL passes, before and after changes; damage is told."""

from __future__ import annotations

import random
import sqlite3
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.corpus import Record
from tacit.errors import InputError
from tacit.index import Filters, RecordStore
from tacit.index.records import value_lists

N_RECORDS = 600
LABELS = ["sea", *(f"subject{number}" for number in range(40)), "5"]
MIXED = [5, "5", 5.5, "text", None, True, -3, 2**60, 2.0**60, "", "é", "zz", 1e-9]


def record(number: int) -> Record:
    chance = random.Random(number)
    rare = chance.choice(LABELS)
    return Record(
        f"r{number}",
        "wave storm" if number % 3 else "wave",
        labels=[*(["sea"] if number % 2 else []), rare, rare],
        links={"author": tuple(chance.sample(["Knuth", "Lamport", f"own{number}"], 2)), "cites": ()},
        fields={
            "year": 1990 + number % 10,
            "serial": number * 7 % 599,
            "name": f"n{number * 13 % 601:03d}",
            "date": f"{2020 + number % 3}-{1 + number % 12:02d}-{1 + number % 28:02d}",
            "tags": chance.sample(["x", "y", "z", 7], 2),
            "mixed": chance.choice(MIXED),
        },
    )


def stored(path: Path, *, lists: bool) -> RecordStore:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(value_lists, "MANY_RECORDS", 0 if lists else N_RECORDS + 1)
        patch.setattr(value_lists, "SHARED", 15)
        patch.setattr(value_lists, "OWN", {"labels": 12, "links": 12, "fields": 15})
        RecordStore.create(path, map(record, range(N_RECORDS)))
    return RecordStore(path, writable=True)


@pytest.fixture(scope="module", params=["as built", "changed"])
def pair(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[RecordStore, RecordStore]:
    """Two stores of the same records, one with lists and one without."""
    folder = tmp_path_factory.mktemp("stores")
    stores = (stored(folder / "lists.sqlite", lists=True), stored(folder / "plain.sqlite", lists=False))
    if request.param == "changed":
        for store in stores:
            store.remove([f"r{number}" for number in range(0, 90, 4)])
            store.add([record(number) for number in range(N_RECORDS, N_RECORDS + 40)], np.zeros((40, 2), np.float32))
            store.update([record(number) for number in range(101, 131)], np.zeros((30, 2), np.float32))
            store.remove([f"r{N_RECORDS + 3}", "r102"])
    return stores


VALUES: dict[str, st.SearchStrategy[Any]] = {
    "year": st.integers(1988, 2001),
    "serial": st.integers(-5, 620) | st.floats(-5, 620),
    "name": st.integers(-1, 605).map(lambda number: f"n{number:03d}") | st.sampled_from(["", "n", "n1", "n34", "o"]),
    "date": st.builds(lambda *of: "-".join(of), st.sampled_from(["2020", "2021", "2022"]), st.sampled_from(["03", "1"]))
    | st.sampled_from(["2019", "2020", "2021-12-31"]),
    "tags": st.sampled_from(["x", "y", "z", 7, "w"]),
    "mixed": st.sampled_from([value for value in MIXED if value is not None]) | st.integers(-5, 8),
    "missing": st.just(1),
}


def one_or_some(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return values | st.lists(values, max_size=5)


def as_range(name: str) -> st.SearchStrategy[Any]:
    """Two limits of one kind in either order, or one."""
    values = VALUES[name]
    pairs = st.tuples(st.none() | values, st.none() | values)
    return pairs.filter(lambda pair: len({isinstance(limit, str) for limit in pair if limit is not None}) == 1)


def mapping(kinds: dict[str, st.SearchStrategy[Any]]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({}, optional=kinds).filter(lambda chosen: len(chosen) <= 2)


FILTERS = st.builds(
    Filters,
    labels=st.lists(one_or_some(st.sampled_from([*LABELS, "unheard of"])), max_size=2),
    links=mapping({name: one_or_some(st.sampled_from(["Knuth", "Lamport", "own7"])) for name in ("author", "cites")}),
    fields=mapping({name: one_or_some(values) for name, values in VALUES.items()}),
    ranges=mapping({name: as_range(name) for name in VALUES}),
)


@settings(max_examples=60, deadline=None)
@given(filters=FILTERS)
def test_lists_pass_what_plain_sql_passes(pair: tuple[RecordStore, RecordStore], filters: Filters) -> None:
    lists, plain = pair
    numbers = lists.numbers(filters)
    np.testing.assert_array_equal(numbers, plain.numbers(filters))
    passing = lists.matching(filters)
    if passing is not None:
        assert len(passing) == len(numbers)
        every = np.arange(N_RECORDS + 70)
        np.testing.assert_array_equal(passing.contains(every), np.isin(every, numbers))


@pytest.mark.parametrize("query", ["storm", '"wave storm"'])
def test_words_among_those_that_pass(pair: tuple[RecordStore, RecordStore], query: str) -> None:
    filters = Filters(labels=["sea"], ranges={"year": (1993, 1997)})
    found = [store.words(query, 1_000, filters) for store in pair]
    assert len(found[0][0]) > 40
    np.testing.assert_array_equal(found[0][0], found[1][0])
    np.testing.assert_allclose(found[0][1], found[1][1])


def test_ranges_are_those_of_plain_python(pair: tuple[RecordStore, RecordStore]) -> None:
    store = pair[0]
    fields = {number: one.fields for number, one in store.records()}
    for low, high in [(None, 17), (5, 8), (100.5, 300), (598, None), (7, 7), (9, 3)]:
        expected = [
            number
            for number, of in fields.items()
            if (low is None or of["serial"] >= low) and (high is None or of["serial"] <= high)
        ]
        assert store.numbers(Filters(ranges={"serial": (low, high)})).tolist() == expected
    in_march = [number for number, of in fields.items() if "2021-03" <= of["date"] < "2021-04"]
    assert store.numbers(Filters(ranges={"date": ("2021-03", "2021-03")})).tolist() == in_march


def test_a_subtree_of_any_size_is_one_filter(pair: tuple[RecordStore, RecordStore]) -> None:
    many = Filters(labels=[{"sea", "subject3", *(f"below{number}" for number in range(50_000))}])
    np.testing.assert_array_equal(pair[0].numbers(many), pair[1].numbers(many))
    assert len(pair[0].numbers(many)) > N_RECORDS // 3


def test_a_change_is_seen_although_the_last_answer_is_kept(tmp_path: Path) -> None:
    filters = Filters(fields={"year": 1995})
    with stored(tmp_path / "r.sqlite", lists=True) as store, RecordStore(tmp_path / "r.sqlite") as reader:
        before = reader.numbers(filters).tolist()
        assert before == list(range(5, N_RECORDS, 10))
        store.remove(["r5", "r15"])
        store.add([record(N_RECORDS + 5)], np.zeros((1, 2)))
        assert reader.numbers(filters).tolist() == [*before[2:], N_RECORDS]
        assert store.numbers(filters).tolist() == [*before[2:], N_RECORDS]


def test_what_was_given_cannot_be_written_to(pair: tuple[RecordStore, RecordStore]) -> None:
    passing = pair[0].matching(Filters(labels=["sea"]))
    assert passing is not None
    with pytest.raises(ValueError, match="read-only"):
        passing.base[0] = True
    assert pair[0].matching(Filters()) is None
    assert pair[0].matching(None) is None


def test_a_name_with_as_many_values_as_records_has_few_lists(tmp_path: Path) -> None:
    stored(tmp_path / "r.sqlite", lists=True).close()
    rows = rows_of(tmp_path / "r.sqlite", "SELECT name, count(*) FROM value_lists WHERE kind = 'fields' GROUP BY name")
    counts = dict(rows)
    assert counts["serial"] == counts["name"] == N_RECORDS // 15
    assert counts["year"] == 10
    labels = dict(rows_of(tmp_path / "r.sqlite", "SELECT first, length(numbers) FROM value_lists WHERE first = 'sea'"))
    assert labels["sea"] == N_RECORDS // 8, "one bit a record where many have it"


def test_a_small_store_has_no_lists(tmp_path: Path) -> None:
    RecordStore.create(tmp_path / "r.sqlite", map(record, range(20)))
    assert not rows_of(tmp_path / "r.sqlite", "SELECT 1 FROM sqlite_master WHERE name LIKE 'value_lists%'")


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE value_lists SET numbers = x'010203'",
        "UPDATE value_lists SET numbers = CAST(x'ffffffff' || substr(numbers, 5) AS BLOB) WHERE length(numbers) < 75",
        "UPDATE value_lists SET numbers = 'text'",
        "DROP TABLE field_values",
    ],
)
def test_lists_that_are_not_whole_are_named(damage: str, tmp_path: Path) -> None:
    stored(tmp_path / "r.sqlite", lists=True).close()
    rows_of(tmp_path / "r.sqlite", damage)
    with RecordStore(tmp_path / "r.sqlite") as store, pytest.raises(InputError, match=r"r\.sqlite is damaged: got "):
        store.numbers(Filters(ranges={"serial": (10, 300)}))


def rows_of(path: Path, sql: str) -> list[tuple[Any, ...]]:
    connection = sqlite3.connect(path)
    try:
        with connection:
            return connection.execute(sql).fetchall()
    finally:
        connection.close()
