"""What is asked of the records in shards is asked as of one store: the same methods, with the same parameters."""

from __future__ import annotations

import inspect

from tacit.index.positions import RecordPositions
from tacit.index.records.store import RecordStore
from tacit.index.shards.positions import ShardedPositions
from tacit.index.shards.store import ShardedStore

OF_ONE_FILE = {  # what only the folder of one index asks of its store
    "as_one_change", "copy_to", "create", "expect_positions", "ids_after", "settle", "word_statistics", "words_by",
}  # fmt: skip


def public(kind: type) -> dict[str, object]:
    return {name: value for name, value in inspect.getmembers(kind) if not name.startswith("_")}


def test_a_store_of_shards_has_the_methods_of_one_store() -> None:
    whole, sharded = public(RecordStore), public(ShardedStore)
    assert set(sharded) == set(whole) - OF_ONE_FILE | {"path"}
    for name, method in sharded.items():
        if inspect.isfunction(method):
            ours, theirs = inspect.signature(method), inspect.signature(whole[name])  # type: ignore[arg-type]
            assert list(ours.parameters.values()) == list(theirs.parameters.values()), name


def test_positions_of_shards_have_the_methods_of_those_of_one_index() -> None:
    assert set(public(ShardedPositions)) == set(public(RecordPositions))
