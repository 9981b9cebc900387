"""The numbers of records in an index of shards.

Records of the build have the numbers 0, 1, 2, … in the order of the shards, as they would have in one index. A record
that was added later to shard s of S as its i-th one has the number `n_built + i S + s`: shards never need to agree.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from tacit.types import IntArray

__all__ = ["Numbering"]


class Numbering:
    """Translates between numbers of the whole index and numbers inside of a shard.

    Parameters
    ----------
    sizes : sequence of int
        Number of records of each shard when it was built.
    """

    def __init__(self, sizes: Sequence[int]) -> None:
        self.starts = np.append(0, np.cumsum(sizes)).astype(np.int64)
        self.n_shards = len(sizes)

    @property
    def n_built(self) -> int:
        """Number of records of the build, in all shards."""
        return int(self.starts[-1])

    def size(self, shard: int) -> int:
        """Return the number of records of a shard when it was built."""
        return int(self.starts[shard + 1] - self.starts[shard])

    def whole(self, shard: int, numbers: IntArray) -> IntArray:
        """Return the numbers in the whole index of records of one shard."""
        size = self.size(shard)
        added = self.n_built + (numbers - size) * self.n_shards + shard
        return np.where(numbers < size, self.starts[shard] + numbers, added).astype(np.int64)

    def inside(self, numbers: IntArray) -> tuple[IntArray, IntArray]:
        """Return the shard of each record, and its number there."""
        numbers = np.asarray(numbers, np.int64)
        later, shard_of_later = np.divmod(numbers - self.n_built, self.n_shards)
        is_built = numbers < self.n_built
        # the last of the shards that begin there: those before it are empty
        of_built = np.searchsorted(self.starts, np.where(is_built, numbers, 0), side="right") - 1
        shards = np.where(is_built, of_built, shard_of_later)
        local = np.where(is_built, numbers - self.starts[shards], later + np.diff(self.starts)[shards])
        return shards.astype(np.int64), local.astype(np.int64)

    def parts(self, numbers: IntArray) -> Iterator[tuple[int, IntArray, IntArray]]:
        """Yield each shard that has any of these records, the numbers there, and their places among `numbers`."""
        shards, local = self.inside(numbers)
        for shard in np.unique(shards):
            places = np.flatnonzero(shards == shard)
            yield int(shard), local[places], places
