"""Opens the folder of any index, whether its records are in one store or in shards."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tacit.errors import InputError, TacitWarning
from tacit.index.folder import opening
from tacit.index.folder.generations import current_generation, current_or_none, shards_named, sweep_unnamed
from tacit.index.folder.lock import HeldLock, hold_lock
from tacit.index.folder.opening import Generation, as_folder
from tacit.index.shards.joined import joined_arrays
from tacit.index.shards.listing import OF_RECORDS, ShardFacts, ShardList
from tacit.index.shards.opened import OpenShards
from tacit.index.shards.store import ShardedStore

__all__ = ["ShardedGeneration", "any_generation", "change_generation", "check_complete", "open_generation", "shards_of"]


class ShardedGeneration(Generation):
    """An open generation whose records are in shards; what it holds of them is used as that of any generation.

    Attributes
    ----------
    shards : OpenShards
    store : ShardedStore
    """

    def _open_records(self, lock: HeldLock | None, *, writable: bool) -> None:
        listed = ShardList.of_generation(self.folder)
        self.shards = OpenShards(self.folder.parent / listed.folder, listed)
        try:
            for sentence in () if writable else self.shards.missing.values():
                warnings.warn(sentence, TacitWarning, stacklevel=6)
            self.store: Any = ShardedStore(self.shards, writable=writable)
            arrays = {place: one.arrays for place, one in self.shards.there.items()}
            self.arrays = joined_arrays(self.shards.numbering, arrays, OF_RECORDS) | self.arrays
        except BaseException:
            self.shards.close()
            raise

    @property
    def folders(self) -> list[Path]:
        """All folders whose files it reads."""
        return [self.folder, *(one.folder for one in self.shards.there.values())]


def any_generation(folder: Path, *, lock: HeldLock | None = None, writable: bool = False) -> Generation:
    """Open a generation by its folder."""
    kind = Generation if shards_named(folder) is None else ShardedGeneration
    return kind(folder, lock=lock, writable=writable)


def check_complete(generation: Generation) -> None:
    """Raise an `InputError` if a shard is missing whose records are needed."""
    if isinstance(generation, ShardedGeneration):
        for sentence in generation.shards.missing.values():
            raise InputError(f"{generation.folder.parent} needs all of its shards for this. {sentence}")


def shards_of(generation: Generation) -> tuple[Sequence[ShardFacts], Mapping[int, str]]:
    """Return the shards of a generation, and why some of them cannot be opened, by their place; nothing for one."""
    if not isinstance(generation, ShardedGeneration):
        return (), {}
    return generation.shards.listed.shards, generation.shards.missing


def open_generation(path: str | Path) -> Generation:
    """Open the index in a folder for reading; a shard that cannot be opened is a warning, and the others answer.

    See `tacit.index.folder.opening.open_generation`.
    """
    return opening.open_generation(path, any_generation)


@contextlib.contextmanager
def change_generation(path: str | Path, *, wait: float = 0.0) -> Iterator[Generation]:
    """Open the index in a folder for changes to its records, and hold its lock during the `with` block.

    An index of shards is changed only if all of them are there. See `tacit.index.folder.opening.change_generation`.
    """
    folder = as_folder(path)
    name = current_or_none(folder)
    if name is None or shards_named(folder / name) is None:
        with opening.change_generation(folder, wait=wait) as generation:
            yield generation
        return
    with hold_lock(folder, wait=wait) as lock:
        sweep_unnamed(folder)
        with any_generation(current_generation(folder), lock=lock, writable=True) as generation:
            yield generation
