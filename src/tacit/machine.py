"""Threads and memory of this machine: work on several threads, one BLAS thread for small work, available memory.

A limit for the threads of the matrix library (`OMP_NUM_THREADS`, threadpoolctl, joblib in its workers) also limits the
threads of this module.

The threads of a matrix library synchronise many times in one small factorisation. On a busy machine, or in a container
that may use fewer cores than it sees, each time can take a time slice. Measured on two cores with six busy processes,
one thread against two: eigenvalues of 300 x 300 in 0.03 s against 0.1-1.9 s, QR of 2000 x 48 in 2 ms against 30-1000
ms, singular values of 500 x 500 in 0.1 s against 3.8 s; the leading 30 triplets of a sparse 2000 x 6000 matrix, with
`one_thread` against without, in 0.2 s against 3.8 s. Large products scale well and keep their threads.
"""

from __future__ import annotations

import ctypes
import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import Any, TypeVar

import joblib
import numpy as np
from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]

from tacit.errors import InputError

__all__ = ["available_memory", "n_threads", "one_thread", "release_memory", "share"]

Item = TypeVar("Item")

_WORTH_SHARING = 2e10  # floating-point operations, about half a second on one core


def share(task: Callable[[Item], Any], items: Iterable[Item]) -> None:
    """Call `task` with each of the items, in this thread and in as many others as `n_threads` allows.

    A thread that is done takes the next item, so no thread waits for a busy core. This thread never waits for a helper
    that has not started, so calls may be nested and may come from many threads at once; then fewer helpers are used.
    """
    waiting, size, team = deque(items), n_threads(), _team(os.getpid())
    settings = np.geterr()  # what NumPy is to do about overflow, which it keeps for each thread

    def work() -> None:
        while True:
            try:
                item = waiting.popleft()
            except IndexError:
                return
            task(item)

    with team.seats(min(size, len(waiting)), of=size) as n_seats:
        helpers = [_pool(os.getpid(), size).submit(team.help, work, settings) for _ in range(n_seats - 1)]
        try:
            work()
        finally:
            waiting.clear()  # if something failed, no thread takes further items
            begun = [helper for helper in helpers if not helper.cancel()]
            wait(begun)
    for helper in begun:
        helper.result()


def n_threads() -> int:
    """Return the number of threads to use: the cores of this process, or fewer if it is limited."""
    return min(_cores(), _BLAS.before or _BLAS.threads() or _asked() or _cores())


@contextmanager
def one_thread(work: float = 0.0) -> Iterator[None]:
    """Run the block with one BLAS thread, unless its `work` in floating-point operations is worth several.

    The number of threads belongs to the whole process, so only one Python thread at a time may change it: two that
    overlap could leave it changed. Other threads continue with the current number.
    """
    if work > _WORTH_SHARING or not _BLAS.owner.acquire(blocking=False):
        yield
        return
    outer = _BLAS.before
    try:
        _BLAS.before = outer or _BLAS.threads()
        with _controller().limit(limits=1, user_api="blas"):
            yield
    finally:
        _BLAS.before = outer
        _BLAS.owner.release()


class _Blas:
    """The threads of the matrix libraries; `before` is their number outside `one_thread`, None if it is not active."""

    def __init__(self) -> None:
        self.owner = threading.RLock()
        self.before: int | None = None

    def threads(self) -> int | None:
        """Return the smallest number of threads of a library; None if it is unknown."""
        libraries = (library for library in _controller().lib_controllers if library.user_api == "blas")
        return min((n for library in libraries if (n := library.num_threads)), default=None)


_BLAS = _Blas()


class _Team:
    """Counts the threads at work in `share`; a thread with nested calls counts once."""

    def __init__(self) -> None:
        self._lock, self._here, self._taken = threading.Lock(), threading.local(), 0

    @contextmanager
    def seats(self, wanted: int, *, of: int) -> Iterator[int]:
        """Reserve threads until the end of the block: this one in any case, others as far as they are free."""
        inside = getattr(self._here, "inside", False)
        with self._lock:
            more = max(0, min(wanted - 1, of - self._taken - (not inside)))
            taken = more + (not inside)
            self._taken += taken
        self._here.inside = True
        try:
            yield 1 + more
        finally:
            self._here.inside = inside
            with self._lock:
                self._taken -= taken

    def help(self, work: Callable[[], None], settings: Mapping[str, Any]) -> None:
        """Work in a thread that was reserved, with NumPy's settings of the thread that shares its work."""
        self._here.inside = True
        try:
            with np.errstate(**settings):
                work()
        finally:
            self._here.inside = False


_cores = lru_cache(maxsize=1)(joblib.cpu_count)
_controller = lru_cache(maxsize=1)(ThreadpoolController)  # once, as the search for the libraries takes milliseconds


@lru_cache(maxsize=1)
def _asked() -> int | None:
    """Return OMP_NUM_THREADS at the first call, for the case that no matrix library reports it.

    It may change later: Dask sets it to 1, for its workers, in the process that starts them.
    """
    asked = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()
    return int(asked) if asked.isdecimal() and int(asked) > 0 else None


@lru_cache(maxsize=1)
def _pool(process: int, size: int) -> ThreadPoolExecutor:
    """Return the helper threads, made on first use; a forked process makes its own, as it inherits no threads."""
    return ThreadPoolExecutor(max_workers=size, thread_name_prefix="tacit")


@lru_cache(maxsize=1)
def _team(process: int) -> _Team:
    """Return the counter; a forked process makes its own, as no thread is at work there."""
    return _Team()


_VARIABLE = "TACIT_MEMORY"
_UNKNOWN = 2**34  # if the system does not report it


def available_memory(*, root: Path = Path("/")) -> int:
    """Return the bytes that this process may still take.

    The minimum of what the control groups of a container leave (version 1 or 2) and of what Linux reports as available;
    on other systems the memory of the machine, since Python cannot ask how much of it is free. The environment variable
    TACIT_MEMORY, in bytes, overrides both. `root` is the root of the file system.
    """
    asked = os.environ.get(_VARIABLE)
    if asked is not None:
        if not asked.strip().isdecimal():
            raise InputError(f"{_VARIABLE} is not a size: got {asked!r}, expected a whole number of bytes.")
        return int(asked)
    limits = list(_left_by_groups(root))
    if kilobytes := _field(root / "proc/meminfo", "MemAvailable:"):
        limits.append(kilobytes * 1024)
    if limits:
        return max(0, min(limits))
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # not supported on every system
        return _UNKNOWN


def _left_by_groups(root: Path) -> Iterator[int]:
    """Yield limit minus use of every control group of this process; file caches count as free."""
    for line in _lines(root / "proc/self/cgroup"):
        number, controllers, path = [*line.split(":", 2), "", ""][:3]
        if number == "0":
            yield from _each(root / "sys/fs/cgroup", path, "memory.max", "memory.current", "inactive_file")
        elif "memory" in controllers.split(","):
            v1 = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
            yield from _each(root / "sys/fs/cgroup/memory", path, *v1)


def _each(mount: Path, path: str, limit: str, use: str, cache: str) -> Iterator[int]:
    """Read a group and all its parents; in a container only the root group may be visible."""
    inside = PurePosixPath(path.lstrip("/"))
    for group in {mount, *(mount / above for above in (inside, *inside.parents))}:
        most, used = _number(group / limit), _number(group / use)
        if most is None or used is None or most >= 2**60:  # "max", or no limit in version 1
            continue
        yield most - used + _field(group / "memory.stat", cache)


def _field(file: Path, name: str) -> int:
    """Return the number after a name, 0 if it is missing."""
    for line in _lines(file):
        words = line.split()
        if len(words) > 1 and words[0] == name:
            return int(words[1])
    return 0


def _number(file: Path) -> int | None:
    text = "".join(_lines(file)).strip()
    return int(text) if text.isdecimal() else None


def _lines(file: Path) -> list[str]:
    try:
        return file.read_text(encoding="ascii").splitlines()
    except (OSError, UnicodeDecodeError):
        return []


_WORTH_IT = 2**25  # bytes of an array; larger ones get memory of their own from the system


def release_memory(coming: int) -> None:
    """Return freed memory to the system before an array of `coming` bytes; only with the GNU C library."""
    trim = _trimmer()
    if trim is not None and coming >= _WORTH_IT:
        trim(0)


@lru_cache(maxsize=1)
def _trimmer() -> Any:
    try:
        return ctypes.CDLL("libc.so.6").malloc_trim
    except (AttributeError, OSError):
        return None
