"""Scores of words in several stores, with their statistics added up, are those of one store."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from sharded_index import library, stores

from tacit.index import Filters, RecordStore
from tacit.index.records.frequent_words import WordStatistics
from tacit.index.records.word_search import query_parts

QUERIES = ["whale", "whale ship", "book", "book whale", '"whale ship" bank', "BANK loan tax", "whale-ship book kettle"]


@pytest.fixture(scope="module", params=[(90, 3), (6600, 3)], ids=["full-text", "lists"])
def opened(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[RecordStore]]:
    n_records, n_shards = request.param
    one, parts = stores(tmp_path_factory.mktemp("stores"), library(n_records), n_shards)
    found = [RecordStore(path) for path in (one, *parts)]
    yield found
    for store in found:
        store.close()


def together(parts: list[RecordStore], query: str, limit: int, filters: Filters | None, *, every: bool = False):
    words = query_parts(query)
    statistics = WordStatistics.together([part.word_statistics(words) for part in parts])
    starts = np.cumsum([0, *(part.counts().base for part in parts)])
    found = [part.words_by(statistics, words, limit, filters, every=every) for part in parts]
    numbers = np.concatenate([start + one for start, (one, _) in zip(starts, found, strict=False)])
    scores = np.concatenate([one for _, one in found])
    best = np.lexsort((numbers, -scores))[:limit]
    return numbers[best], scores[best]


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize("filters", [None, Filters(labels=["ships"]), Filters(ranges={"year": (1995, 2001)})])
@pytest.mark.parametrize("match", ["any", "all"])
def test_several_stores_score_as_one(
    opened: list[RecordStore], query: str, filters: Filters | None, match: str
) -> None:
    one, *parts = opened
    numbers, scores = together(parts, query, 40, filters, every=match == "all")
    expected, wanted = one.words(query, 40, filters, match=match)
    np.testing.assert_allclose(scores, wanted, rtol=2e-5, atol=1e-5)
    by_number = dict(zip(expected.tolist(), wanted.tolist(), strict=True))
    least = wanted.min(initial=np.inf)
    for number, score in zip(numbers.tolist(), scores.tolist(), strict=True):  # ties may be in another order at the end
        assert by_number.get(number, least) == pytest.approx(score, rel=2e-5, abs=1e-5)


def test_statistics_follow_changes(tmp_path: Path) -> None:
    one, parts = stores(tmp_path, library(4400), 2)
    new = library(40, seed=8)
    fresh = [type(record)(f"n{number}", record.text, record.labels) for number, record in enumerate(new)]
    for path in (one, parts[1]):
        with RecordStore(path, writable=True) as store:
            store.expect_positions(2, np.dtype(np.float32))
            store.add(fresh, np.zeros((40, 2), np.float32))
            store.remove(["b3000", "b4000"])
    words = query_parts('whale book "whale ship" nowhere')
    with RecordStore(one) as whole, RecordStore(parts[0]) as first, RecordStore(parts[1]) as second:
        expected = whole.word_statistics(words)
        assert WordStatistics.together([first.word_statistics(words), second.word_statistics(words)]) == expected
        texts = [record.text.split() for _, record in whole.records()]
        assert expected.n_records == len(texts) == 4438
        assert expected.n_with["whale"] == sum("whale" in f"{r.title} {r.text}".lower() for _, r in whole.records())
        assert expected.n_with["nowhere"] == 0
