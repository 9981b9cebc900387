"""What all requests share: the open indexes, the threads that answer, and the limits.

A request borrows the index as it is at that moment. When the folder of an index is refitted or replaced, the new
generation is opened beside the old one, and the old one is closed when its last request has ended. See
docs/decisions/0035-service.md.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
import sqlite3
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from tacit.errors import InputError, TacitError
from tacit.index.folder.opening import as_folder
from tacit.index.records.held_files import read_ahead
from tacit.serve.problems import Problem, as_problem
from tacit.tasks.collection import Collection, open_index

__all__ = ["Limits", "ServedIndex", "ServiceState", "Snapshot", "settle_memory"]

T = TypeVar("T")
_LOG = logging.getLogger("tacit.serve")

_CHECK = 1.0  # seconds between two looks at the folder of an index
_KEPT = 48  # results that are kept per generation: colours of the map, counts of labels and the like
_TRIES = 3  # a request that meets a generation which is being deleted is answered from the next one
RESERVED = frozenset({"api", "page", "docs", "healthz", "metrics", "openapi.json", "v1", "reconcile", "mcp"})


@dataclass(frozen=True)
class Limits:
    """Bounds of what one request may ask.

    Parameters
    ----------
    body : int, default 1,000,000
        Bytes of a body.
    text : int, default 100,000
        Characters of a text.
    batch : int, default 32
        Texts of a request.
    seconds : float, default 30
        Time for an answer.
    threads : int, default 4
        Requests that are answered at the same time.
    waiting : int, default 64
        Requests that may be answered or wait; further ones are asked to come back.
    write_wait : float, default 5
        Seconds that a change waits for another writer.
    """

    body: int = 1_000_000
    text: int = 100_000
    batch: int = 32
    seconds: float = 30.0
    threads: int = 4
    waiting: int = 64
    write_wait: float = 5.0


class Snapshot:
    """One open generation of an index, as a request sees it, and what is kept in memory of it.

    Attributes
    ----------
    name : str, of the index in addresses
    collection : Collection
    generation : str, name of the generation
    is_warm : bool, whether what the first questions need has been read
    """

    def __init__(self, name: str, collection: Collection, signature: tuple[int, ...]) -> None:
        self.name, self.collection, self.signature = name, collection, signature
        self.generation = collection.generation.folder.name
        self.users, self.retired, self.is_warm = 0, False, False
        self._kept: OrderedDict[Hashable, tuple[int, Any]] = OrderedDict()
        self._turn = threading.Lock()
        self._making: dict[Hashable, threading.Lock] = {}

    @property
    def changes(self) -> int:
        """Number of changes to the records since the fit."""
        return self.collection.store.changes

    @property
    def etag(self) -> str:
        """Changes whenever an answer could: with the generation, and with every change to the records."""
        created = self.collection.generation.manifest.created
        stamp = "".join(letter for letter in created if letter.isalnum())
        return f'"{self.generation.removeprefix("generation-")}-{stamp}-{self.changes}"'

    def kept(self, key: Hashable, make: Callable[[Collection], T], *, until_changed: bool = True) -> T:
        """Return what `make` returns, made once until the records change; of many results the latest are kept.

        Something that follows changes by itself is kept for as long as the generation is open.
        """
        state = self.changes if until_changed else 0
        with self._turn:
            if key in self._kept and self._kept[key][0] == state:
                self._kept.move_to_end(key)
                found: T = self._kept[key][1]
                return found
            making = self._making.setdefault(key, threading.Lock())
        with making:
            with self._turn:
                if key in self._kept and self._kept[key][0] == state:
                    return self._kept[key][1]
            made = make(self.collection)
            with self._turn:
                self._kept[key] = state, made
                self._kept.move_to_end(key)
                while len(self._kept) > _KEPT:
                    self._kept.popitem(last=False)
                self._making.pop(key, None)
            return made

    def warm(self, ask: _Warm) -> None:
        """Read ahead, and ask what people ask first, so that no one waits for it."""
        try:
            for folder in self.collection.generation.folders:
                for path in sorted(folder.rglob("*")):
                    read_ahead(path)
            with self.collection.store.at_one_state():
                ask(self)
        except Exception:  # its folder may be gone by now, and what is wrong with it is told to whoever asks
            _LOG.debug("%s could not be warmed", self.name, exc_info=True)
        self.is_warm = True


_Warm = Callable[[Snapshot], None]


class ServedIndex:
    """The folder of one index, which may be replaced at any time."""

    def __init__(self, name: str, path: Path, reloads: ThreadPoolExecutor, warm: _Warm | None) -> None:
        self.name, self.path = name, path
        self._reloads, self._warm = reloads, warm
        self._turn, self._opening = threading.Lock(), threading.Lock()
        self._current: Snapshot | None = None
        self._checked = 0.0
        self._is_reloading = False
        self._gone = ""

    def answer(self, work: Callable[[Snapshot], T], *, writes: bool = False) -> T:
        """Answer a question from the index as it is now, and again if its files were deleted meanwhile.

        All of an answer is read from one state of the records, unless the work `writes`. Shards may change while they
        are asked: what then fails is asked again.
        """
        for attempt in range(_TRIES):
            with self.lease() as snapshot:
                store, state = snapshot.collection.store, None
                try:
                    if writes:
                        return work(snapshot)
                    with store.at_one_state():
                        state = store.changes
                        return work(snapshot)
                except (TacitError, OSError, sqlite3.Error, ValueError, KeyError) as error:
                    is_same = self._signature() == snapshot.signature
                    if attempt < _TRIES - 1 and is_same and state is not None and store.changes != state:
                        continue
                    if attempt == _TRIES - 1 or is_same:
                        found = as_problem(error, str(self.path), self.name)
                        if found is None:
                            raise
                        raise found from error
            self.reload()
        raise AssertionError("unreachable")

    @contextlib.contextmanager
    def lease(self) -> Iterator[Snapshot]:
        """Borrow the index as it is now; it stays open until the block has ended."""
        self._look()
        with self._turn:
            snapshot = self._current
            if snapshot is not None:
                snapshot.users += 1
        if snapshot is None:
            raise Problem(503, f"The index {self.name!r} cannot be read now: {self._gone}", {"Retry-After": "2"})
        try:
            yield snapshot
        finally:
            with self._turn:
                snapshot.users -= 1
                is_last = snapshot.retired and not snapshot.users
            if is_last:
                snapshot.collection.close()

    def reload(self) -> None:
        """Open the generation that the folder has now, unless it is open already."""
        with self._opening:
            signature = self._signature()
            current = self._current
            if current is not None and current.signature == signature:
                return
            if signature is None:
                self._replace(None, "its folder is missing. It is served again as soon as the folder is back.")
                return
            try:
                collection = open_index(self.path)
            except InputError:
                self._replace(None, "its folder is incomplete. It is served again as soon as the folder is whole.")
                return
            snapshot = Snapshot(self.name, collection, signature)
            if current is None:  # a slow answer is better than none
                self._replace(snapshot, "")
                if self._warm is not None:
                    self._reloads.submit(self._make_warm, snapshot)
                return
            self._make_warm(snapshot)
            self._replace(snapshot, "")

    @property
    def is_warming(self) -> bool:
        """Whether it is open, but the first questions may be answered slowly."""
        with self._turn:
            return self._warm is not None and self._current is not None and not self._current.is_warm

    def _make_warm(self, snapshot: Snapshot) -> None:
        if self._warm is None:
            return
        started = time.monotonic()
        snapshot.warm(self._warm)
        settle_memory()
        _LOG.info("%s is warm after %.1f s", self.name, time.monotonic() - started)

    def close(self) -> None:
        """Close the index once nobody uses it."""
        self._replace(None, "the service is stopping.")

    def _look(self) -> None:
        """Look at most once a second whether the folder has changed; requests go on with what is open."""
        now = time.monotonic()
        with self._turn:
            if now - self._checked < _CHECK or self._is_reloading:
                return
            self._checked = now
            known = None if self._current is None else self._current.signature
            is_open = self._current is not None
        signature = self._signature()
        if signature == known and is_open:
            return
        if not is_open or signature is None:
            self.reload()
            return
        with self._turn:
            self._is_reloading = True

        def reload() -> None:
            try:
                self.reload()
            finally:
                with self._turn:
                    self._is_reloading = False

        self._reloads.submit(reload)

    def _signature(self) -> tuple[int, ...] | None:
        """Tell one content of the folder from another, without reading it; None if there is none."""
        try:
            found = (self.path / "CURRENT").stat()
        except OSError:
            return None
        return found.st_ino, found.st_mtime_ns, found.st_size

    def _replace(self, snapshot: Snapshot | None, gone: str) -> None:
        with self._turn:
            old, self._current, self._gone = self._current, snapshot, gone
            self._checked = time.monotonic()
            unused = False
            if old is not None:
                old.retired = True
                unused = not old.users
        if old is not None and unused:
            old.collection.close()


class ServiceState:
    """Everything that requests share.

    Attributes
    ----------
    indexes : dict of str to ServedIndex, by their names in addresses
    limits : Limits
    token : str or None, what a caller who changes an index must show
    hosts : names besides those of this machine by which it may be asked
    """

    def __init__(
        self,
        paths: Sequence[str | Path],
        *,
        limits: Limits | None = None,
        token: str | None = None,
        hosts: Sequence[str] = (),
        warm: _Warm | None = None,
    ) -> None:
        self.limits, self.token, self.hosts = limits or Limits(), token, tuple(hosts)
        self._pool = ThreadPoolExecutor(self.limits.threads, "tacit-answer")
        self._reloads = ThreadPoolExecutor(1, "tacit-reload")
        self._turn, self._busy = threading.Lock(), 0
        self.indexes: dict[str, ServedIndex] = {}
        for path in paths:
            served = ServedIndex(index_name(path), as_folder(path), self._reloads, warm)
            self._check_name(served)
            open_index(path).close()  # raises if there is no index
            served.reload()
            self.indexes[served.name] = served

    def _check_name(self, served: ServedIndex) -> None:
        if served.name in self.indexes:
            other = self.indexes[served.name].path
            raise InputError(
                f"indexes share a name: got {str(other)!r} and {str(served.path)!r}, expected different names of "
                "folders. Rename one of them."
            )
        if served.name.lower() in RESERVED:
            raise InputError(
                f"index has a name that the service needs: got {served.name!r}, expected another name. Rename the "
                "folder."
            )

    def find(self, name: str) -> ServedIndex:
        """Return an index by its name; an unknown one is a problem."""
        if name not in self.indexes:
            raise Problem(404, f"There is no index {name!r}. GET /api/v1 lists them.")
        return self.indexes[name]

    async def run(self, name: str, work: Callable[[Snapshot], T], *, writes: bool = False) -> T:
        """Answer a question about an index in one of the threads, within the limits.

        Parameters
        ----------
        name : str, of the index
        work : function of a `Snapshot`, whose `collection` is the open index; errors of Tacit become problems
        writes : bool, default False
            Whether it changes the index.
        """
        served = self.find(name)
        return await self.in_thread(lambda: served.answer(work, writes=writes))

    async def in_thread(self, work: Callable[[], T]) -> T:
        """Run something in one of the threads, within the limits."""
        with self._turn:
            if self._busy >= self.limits.waiting:
                raise Problem(503, "The service is busy. Try again in a second.", {"Retry-After": "1"})
            self._busy += 1
        future = self._pool.submit(work)
        future.add_done_callback(self._done)
        try:
            return await asyncio.wait_for(asyncio.wrap_future(future), self.limits.seconds)
        except TimeoutError as error:
            seconds = f"{self.limits.seconds:g}"
            raise Problem(503, f"The answer took more than {seconds} seconds. Ask for less.") from error

    def _done(self, future: Any) -> None:
        with self._turn:
            self._busy -= 1

    def close(self) -> None:
        """Close all indexes and end the threads."""
        self._pool.shutdown(wait=False, cancel_futures=True)
        self._reloads.shutdown(wait=False, cancel_futures=True)
        for served in self.indexes.values():
            served.close()


def settle_memory() -> None:
    """Take what is loaded out of Python's search for unused cycles, which would stop all requests for 0.1 seconds.

    What an index before left behind is looked for first.
    """
    gc.unfreeze()
    gc.collect()
    gc.freeze()


def index_name(path: str | Path) -> str:
    """Return the name of an index in addresses: that of its folder, without the suffix .tacit."""
    folder = as_folder(path)
    return folder.name.removesuffix(".tacit") or folder.name
