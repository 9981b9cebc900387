"""The shards of an open index, and the threads that ask them at the same time."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from tacit.errors import InputError
from tacit.files import check_plain_folder
from tacit.index.folder.opening import Generation, open_generation
from tacit.index.shards.listing import OF_RECORDS, ShardList, space_digest
from tacit.index.shards.numbering import Numbering

__all__ = ["OpenShards"]

T = TypeVar("T")
_FILES, _OTHER_FILES = 10, 512  # that a shard has open, with its arrays, and those of everything else


class _OpenShard(Generation):
    """A shard, of which only what it has for its own records is used."""

    def _uses(self, array: str) -> bool:
        return array in OF_RECORDS


class OpenShards:
    """Opens the shards of an index; those that cannot be opened are left out, and `missing` says why.

    Each shard is asked by one thread only, so that SQLite has one connection to it, however many threads ask: a folder
    of hundreds of shards would otherwise need thousands of open files.

    Attributes
    ----------
    folder : Path, of the shards
    listed : ShardList
    numbering : of their records
    there : dict of int to Generation, the open shards by their place in the list
    missing : dict of int to str, a sentence for each shard that cannot be opened
    """

    def __init__(self, folder: Path, listed: ShardList) -> None:
        self.folder, self.listed = folder, listed
        self.numbering = Numbering([shard.records for shard in listed.shards])
        self.there: dict[int, Generation] = {}
        self.missing: dict[int, str] = {}
        n = len(listed.shards)
        _allow_open_files(n)
        self._threads = [ThreadPoolExecutor(1, f"shard-{place}") for place in range(min(n, _n_cores()))]
        for place, found in self._each(self._opened, range(n)).items():
            if isinstance(found, Generation):
                self.there[place] = found
            else:
                self.missing[place] = found
        if not self.there:
            self.close()
            raise InputError(f"{folder.parent} has none of its {n} shards: {self.missing[0]}")

    def path(self, place: int) -> Path:
        """Return the folder of a shard."""
        return self.folder / self.listed.shards[place].name

    def each(self, ask: Callable[[Generation], T], places: Iterable[int] | None = None) -> dict[int, T]:
        """Ask all open shards, or those of them at these places, at the same time; the answers are in their order."""
        wanted = self.there if places is None else [place for place in places if place in self.there]
        return self._each(lambda place: ask(self.there[place]), wanted)

    def each_place(self, ask: Callable[[int, Generation], T], places: Iterable[int] | None = None) -> dict[int, T]:
        """Ask as `each` does, with the place of the shard as well."""
        wanted = self.there if places is None else [place for place in places if place in self.there]
        return self._each(lambda place: ask(place, self.there[place]), wanted)

    @contextlib.contextmanager
    def at_one_state(self) -> Iterator[None]:
        """Read each shard from one state of its records in the block; nobody else may ask these shards meanwhile."""
        held = {place: contextlib.ExitStack() for place in self.there}
        try:
            self.each_place(lambda place, one: held[place].enter_context(one.store.at_one_state()))
            yield
        finally:
            self.each_place(lambda place, _: held[place].close())

    def close(self) -> None:
        """Close all shards; closing twice is harmless."""
        for generation in self.there.values():
            generation.close()
        for thread in self._threads:
            thread.shutdown(wait=False)

    def _each(self, work: Callable[[int], T], places: Iterable[int]) -> dict[int, T]:
        ordered = list(places)
        shares: dict[int, list[int]] = {}
        for place in ordered:
            shares.setdefault(place % len(self._threads), []).append(place)

        def of_share(share: list[int]) -> dict[int, T]:
            return {place: work(place) for place in share}

        try:
            waiting = [self._threads[thread].submit(of_share, share) for thread, share in shares.items()]
        except RuntimeError as error:
            raise InputError(
                f"{self.folder.parent} is closed: got a question, expected an open index. Open it again."
            ) from error
        found: dict[int, T] = {}
        for one in waiting:
            found |= one.result()
        return {place: found[place] for place in ordered}

    def _opened(self, place: int) -> Generation | str:
        """Open a shard, or return why that is not possible."""
        path, shard = self.path(place), self.listed.shards[place]
        what = f"Shard {shard.name} of {self.folder.parent} cannot be used: its {shard.records:,} records are not found"
        try:
            if not path.is_dir():
                return f"{what}. {path} is missing: restore it from a copy, or build the index again."
            check_plain_folder(path)
            generation = open_generation(path, _OpenShard)
        except InputError as error:
            return f"{what}. {error}"
        problem = None
        if space_digest(generation.manifest.files) != self.listed.space:
            problem = f"{path} is of another space, as it was fitted on its own or comes from another build."
        elif generation.manifest.counts["records"] != shard.records:
            problem = f"{path} was built with {generation.manifest.counts['records']:,} records."
        if problem is None:
            return generation
        generation.close()
        return f"{what}. {problem} Restore it from a copy, or build the index again."


def _allow_open_files(n_shards: int) -> None:
    """Raise the number of files that this process may have open, as far as it may, if these shards need more."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource  # there is none on Windows, which has no such limit

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        needed = _FILES * n_shards + _OTHER_FILES
        if soft < needed and soft != resource.RLIM_INFINITY:
            resource.setrlimit(
                resource.RLIMIT_NOFILE, (needed if hard == resource.RLIM_INFINITY else min(needed, hard), hard)
            )


def _n_cores() -> int:
    """Return the number of cores of this process; joblib, which counts them elsewhere, takes long to import."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
