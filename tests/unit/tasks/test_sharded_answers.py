"""An index of shards answers as one index of the same records."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from sharded_index import both, library

import tacit

QUERIES = ["whale ship", "kettle", "bank loan book", '"whale ship" price', "author", "b0007", "On the whale"]
CONDITIONS: list[dict[str, Any]] = [
    {},
    {"labels": "ships"},
    {"ranges": {"year": (1995, 2004)}},
    {"where": {"shelf": ["rooms-1", "money-2"]}, "links": {"author": "Room Author 1"}},
]


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[tacit.Collection, tacit.Collection]]:
    one, sharded = both(tmp_path_factory.mktemp("pair"), library())
    with tacit.open(one) as whole, tacit.open(sharded) as parts:
        yield whole, parts


@pytest.mark.parametrize("conditions", CONDITIONS, ids=["all", "label", "years", "several"])
@pytest.mark.parametrize("by", ["meaning", "words", "hybrid"])
def test_a_search_finds_the_same_with_the_same_scores(
    pair: tuple[tacit.Collection, tacit.Collection], by: str, conditions: dict[str, Any]
) -> None:
    one, sharded = pair
    for query in QUERIES[:3] if by == "meaning" else QUERIES:
        wanted = one.search(query, by=by, limit=25, filters=one.filters(**conditions))
        found = sharded.search(query, by=by, limit=25, filters=sharded.filters(**conditions))
        assert [hit.id for hit in found] == [hit.id for hit in wanted], query
        np.testing.assert_allclose([hit.score for hit in found], [hit.score for hit in wanted], atol=1e-6)
