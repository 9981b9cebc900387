"""Numbers of records in shards: those of one index, as far as they were built; later ones never collide."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tacit.index.shards.numbering import Numbering


@given(st.lists(st.integers(0, 5), min_size=1, max_size=5), st.integers(0, 4))
def test_every_record_has_its_own_number_and_is_found_by_it(sizes: list[int], n_added: int) -> None:
    numbering = Numbering(sizes)
    seen: dict[int, tuple[int, int]] = {}
    for shard, size in enumerate(sizes):
        for local in range(size + n_added):
            (number,) = numbering.whole(shard, np.array([local])).tolist()
            assert number not in seen
            seen[number] = shard, local
    numbers = np.array(sorted(seen), np.int64)
    shards, local = numbering.inside(numbers)
    assert list(zip(shards.tolist(), local.tolist(), strict=True)) == [seen[number] for number in numbers.tolist()]


@given(st.lists(st.integers(0, 5), min_size=1, max_size=5))
def test_records_of_the_build_have_the_numbers_of_one_index(sizes: list[int]) -> None:
    numbering = Numbering(sizes)
    parts = [numbering.whole(shard, np.arange(size)) for shard, size in enumerate(sizes)]
    assert np.concatenate(parts).tolist() == list(range(sum(sizes)))


def test_parts_cover_all_numbers_once() -> None:
    numbers = np.array([7, 0, 3, 12, 5, 4])
    places = [places for _, _, places in Numbering([3, 0, 2]).parts(numbers)]
    assert sorted(np.concatenate(places).tolist()) == list(range(6))
