"""Search by the lists of frequent words gives what the full text gives: same records, same BM25."""

from __future__ import annotations

import contextlib
import sqlite3
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from tacit.corpus import Record
from tacit.errors import InputError
from tacit.index import Filters, RecordStore
from tacit.index.records import frequent_words
from tacit.index.records.frequent_words import word_splitter

N_RECORDS = 400
QUERIES = [
    "common",
    "often rare7",
    "Often, SELDOM!",
    "óften seldom common word3",
    "nowhere",
    "nowhere often",
    "common common COMMON",
    '"often seldom"',
    "often-seldom word1",
    'word1-word2 common "word3 word4" often word5-word6',
    '"common often" nowhere-else',
    'often " seldom',
    "word1 word2 word3 word4 rare3 title",
    "...",
]
FILTERS = {
    "none": None,
    "half": Filters(labels=["even"]),
    "few": Filters(fields={"tens": 7}),
    "both": Filters(labels=["even"], fields={"tens": [6, 7]}, ranges={"tens": (7, None)}),
    "nobody": Filters(labels=["unheard of"]),
}


def record(number: int) -> Record:
    rng = np.random.default_rng(number)
    words = [f"word{rng.integers(1, 12)}" for _ in range(rng.integers(0, 30))]
    words += ["Often"] * int(rng.integers(0, 3)) + ["seldom"] * (number % 9 == 0) + ["common"] * (number % 13 > 0)
    words += [f"rare{number}"] + ["seldóm"] * 300 * (number == 11)  # more often than a byte counts
    title = "a title with often in it" if number % 5 == 0 else ""
    labels = ["even"] if number % 2 == 0 else []
    return Record(f"r{number}", " ".join(rng.permutation(words)), labels, title, fields={"tens": number // 10})


def stored(path: Path, *, lists: bool) -> RecordStore:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(frequent_words, "MANY_RECORDS", 0 if lists else N_RECORDS + 1)
        patch.setattr(frequent_words, "FREQUENT", 12)
        RecordStore.create(path, map(record, range(N_RECORDS)))
    return RecordStore(path, writable=True)


@pytest.fixture(scope="module", params=["as built", "changed"])
def pair(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[RecordStore, RecordStore]:
    """Two stores of the same records, one with lists and one without."""
    folder = tmp_path_factory.mktemp("stores")
    stores = (stored(folder / "lists.sqlite", lists=True), stored(folder / "plain.sqlite", lists=False))
    if request.param == "changed":
        for store in stores:
            store.remove([f"r{number}" for number in range(0, 40, 4)])
            store.add([record(number) for number in range(N_RECORDS, N_RECORDS + 20)], np.zeros((20, 2), np.float32))
            store.update([record(number) for number in (90, 91)], np.zeros((2, 2), np.float32))
    return stores


@pytest.mark.parametrize("name", FILTERS)
@pytest.mark.parametrize("long", [0, 20_000])
def test_the_same_records_with_the_same_scores(
    pair: tuple[RecordStore, RecordStore], name: str, long: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(frequent_words, "LONG", long)
    lists, plain = pair
    changed = lists.changes > 0  # the lists weigh words by how frequent they were in the build
    for query, limit in product(QUERIES, (5, 1_000)):
        numbers, scores = lists.words(query, limit, FILTERS[name])
        expected, expected_scores = plain.words(query, limit, FILTERS[name])
        assert len(numbers) == len(expected), query
        np.testing.assert_allclose(scores, expected_scores, rtol=0.1 if changed else 2e-5, atol=1e-4)
        if limit == 1_000:
            assert set(numbers.tolist()) == set(expected.tolist())
        if not changed and (np.diff(expected_scores) < -1e-4).all():  # float32 may order what is nearly equal otherwise
            assert numbers.tolist() == expected.tolist()


def test_a_record_that_a_later_word_lifts_among_the_best_is_not_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(frequent_words, "MANY_RECORDS", 0)
    monkeypatch.setattr(frequent_words, "FREQUENT", 12)
    monkeypatch.setattr(frequent_words, "LONG", 0)
    counts = {"rare": [3] * 14 + [2] + [0] * 385, "common": [0] * 14 + [8] * 150 + [0] * 236}
    texts = []
    for number, (rare, common) in enumerate(zip(*counts.values(), strict=True)):
        texts.append(["rare"] * rare + ["common"] * common + [f"other{number}"] * (12 - rare - common))
    RecordStore.create(tmp_path / "a.sqlite", [Record(f"r{n}", " ".join(words)) for n, words in enumerate(texts)])
    with RecordStore(tmp_path / "a.sqlite") as store:
        numbers, scores = store.words("rare common", 5)
    assert numbers.tolist() == [14, 0, 1, 2, 3]
    assert scores[0] > scores[1] + 0.1


def test_all_words_are_left_to_the_full_text(pair: tuple[RecordStore, RecordStore]) -> None:
    found = [store.words("often seldom common", 50, match="all") for store in pair]
    assert len(found[0][0]) > 3
    np.testing.assert_array_equal(found[0][0], found[1][0])


@pytest.mark.parametrize("times", [0, 1, 10_000])
@pytest.mark.parametrize("name", ["half", "few", "both", "nobody"])
def test_filters_with_words_looked_up_or_added_up(
    pair: tuple[RecordStore, RecordStore], name: str, times: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(frequent_words, "MANY_TIMES", times)
    monkeypatch.setattr(frequent_words, "LONG", 0)
    for query in ("often word3", "common seldom", "common"):
        found = [store.words(query, 6, FILTERS[name]) for store in pair]
        assert len(found[0][0]) == len(found[1][0])
        changed = pair[0].changes > 0  # the lists weigh words by how frequent they were in the build
        np.testing.assert_allclose(found[0][1], found[1][1], rtol=0.1 if changed else 2e-5, atol=1e-4)


def test_words_are_split_as_the_full_text_splits_them() -> None:
    split = word_splitter()
    assert split(["C++", "Über-Straße", "", "x1 ٣ _y", "ice"]) == [
        ["c"],
        ["uber", "straße"],
        [],
        ["x1", "٣", "y"],
        ["ice"],
    ]
    assert split(["ice"]) == [["ice"]], "nothing is left of the texts before"


def test_a_small_store_has_no_lists(tmp_path: Path) -> None:
    RecordStore.create(tmp_path / "small.sqlite", map(record, range(20)))
    with sqlite3.connect(tmp_path / "small.sqlite") as connection:
        names = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
    assert not names & {"frequent_words", "record_norms", "word_places"}


def test_lists_begin_at_a_hundred_records_and_those_from_a_thousand_on_still_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    each = {"all": 1, "half": 2, "some": 20, "fewer": 21, "rare": 500}  # in every n-th record
    texts = [" ".join(word for word, n in each.items() if number % n == 0) for number in range(2_000)]
    records = [Record(f"r{number}", text) for number, text in enumerate(texts)]
    RecordStore.create(tmp_path / "hundred.sqlite", records)
    monkeypatch.setattr(frequent_words, "FREQUENT", 1_000)
    RecordStore.create(tmp_path / "thousand.sqlite", records)
    listed = {}
    for name in ("hundred", "thousand"):
        with contextlib.closing(sqlite3.connect(tmp_path / f"{name}.sqlite")) as connection:
            listed[name] = {word for (word,) in connection.execute("SELECT word FROM frequent_words")}
    assert listed == {"hundred": {"all", "half", "some"}, "thousand": {"all", "half"}}
    with RecordStore(tmp_path / "hundred.sqlite") as new, RecordStore(tmp_path / "thousand.sqlite") as old:
        for query in ("some", "some fewer", "half some rare", "all fewer"):
            found, expected = new.words(query, 50), old.words(query, 50)
            assert len(found[0]) == 50
            np.testing.assert_array_equal(found[0], expected[0])
            np.testing.assert_array_equal(found[1], expected[1])


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE frequent_words SET times = x'0100'",
        "UPDATE frequent_words SET numbers = CAST(x'ffffffff' || substr(numbers, 5) AS BLOB)",
        "UPDATE record_norms SET norms = x'00000000'",
    ],
)
def test_lists_that_are_not_whole_are_named(damage: str, tmp_path: Path) -> None:
    stored(tmp_path / "r.sqlite", lists=True).close()
    with sqlite3.connect(tmp_path / "r.sqlite") as connection:
        connection.execute(damage)
    connection.close()
    with RecordStore(tmp_path / "r.sqlite") as store, pytest.raises(InputError, match=r"r\.sqlite is damaged: got "):
        store.words("often common")
