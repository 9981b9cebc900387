"""How many threads there are, work shared among them, and one BLAS thread for what is too small to share.

Whoever limits the threads of the matrix library, by `OMP_NUM_THREADS`, by threadpoolctl or as joblib does in its
workers, limits ours: those who ask for one thread mean all of them.

The threads of a matrix library meet many times in one small factorisation. On a busy machine, or in a container that
may use fewer cores than it sees, each meeting can cost a time slice. Measured on two cores with six busy processes, one
thread against two: eigenvalues of 300 x 300 in 0.03 s against 0.1-1.9 s, QR of 2000 x 48 in 2 ms against 30-1000 ms,
singular values of 500 x 500 in 0.1 s against 3.8 s; the leading 30 triplets of a sparse 2000 x 6000 matrix, with
`one_thread` against without, in 0.2 s against 3.8 s. Large products share well and keep their threads.
"""

from __future__ import annotations

import ctypes
import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from contextvars import copy_context
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import Any, TypeVar

import joblib
from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]

from tacit.errors import InputError

__all__ = ["available_memory", "n_threads", "one_thread", "release_memory", "share"]

Item = TypeVar("Item")

_WORTH_SHARING = 2e10  # floating-point operations, about half a second of one core


def share(task: Callable[[Item], Any], items: Iterable[Item]) -> None:
    """Call `task` with each of the items, in this thread and in as many others as `n_threads` leaves.

    Whoever is free takes the next item, so a core that others use holds nobody up. This thread never waits for a helper
    that has not begun, so calls may be nested and may come from many threads at once; the more there are at work
    already, the fewer help.
    """
    waiting, size, team = deque(items), n_threads(), _team(os.getpid())

    def work() -> None:
        while True:
            try:
                item = waiting.popleft()
            except IndexError:
                return
            task(item)

    with team.seats(min(size, len(waiting)), of=size) as n_seats:
        # each in a copy of the context, in which NumPy keeps what the caller wants done about overflow
        helpers = [_pool(os.getpid(), size).submit(copy_context().run, team.help, work) for _ in range(n_seats - 1)]
        try:
            work()
        finally:
            waiting.clear()  # nothing is left, unless something failed: then nobody need go on
            begun = [helper for helper in helpers if not helper.cancel()]
            wait(begun)
    for helper in begun:
        helper.result()


def n_threads() -> int:
    """Give how many threads to use: the cores of this process, or as many as it is limited to if that is fewer."""
    return min(_cores(), _BLAS.before or _BLAS.threads() or _asked() or _cores())


@contextmanager
def one_thread(work: float = 0.0) -> Iterator[None]:
    """Run the block with one BLAS thread, unless its `work` in floating-point operations is worth sharing.

    The number of threads belongs to the whole process, so only one Python thread at a time may change it: two that take
    turns would leave it changed. Others go on with what they find.
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
    """The threads of the matrix libraries; `before` is how many they had where `one_thread` holds them down."""

    def __init__(self) -> None:
        self.owner = threading.RLock()
        self.before: int | None = None

    def threads(self) -> int | None:
        """Give the fewest threads that one of them has; None if no library tells."""
        libraries = (library for library in _controller().lib_controllers if library.user_api == "blas")
        return min((n for library in libraries if (n := library.num_threads)), default=None)


_BLAS = _Blas()


class _Team:
    """Who is at work in `share`; a thread whose call is inside another one counts once."""

    def __init__(self) -> None:
        self._lock, self._here, self._taken = threading.Lock(), threading.local(), 0

    @contextmanager
    def seats(self, wanted: int, *, of: int) -> Iterator[int]:
        """Take seats until the end of the block, one for this thread in any case, more as far as there are."""
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

    def help(self, work: Callable[[], None]) -> None:
        """Work in a seat that somebody has taken for this thread."""
        self._here.inside = True
        try:
            work()
        finally:
            self._here.inside = False


@lru_cache(maxsize=1)
def _cores() -> int:
    return joblib.cpu_count()


@lru_cache(maxsize=1)
def _asked() -> int | None:
    """Read OMP_NUM_THREADS as it was when it was first needed, where no matrix library has read it for us.

    It may change: Dask sets it to 1 in the process that starts workers, so that these find it, and does not take it
    back.
    """
    asked = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()
    return int(asked) if asked.isdecimal() and int(asked) > 0 else None


@lru_cache(maxsize=1)
def _controller() -> ThreadpoolController:
    """Find the libraries once: looking at everything that is loaded takes milliseconds."""
    return ThreadpoolController()


@lru_cache(maxsize=1)
def _pool(process: int, size: int) -> ThreadPoolExecutor:
    """Make the helpers when they are first needed, and anew in a process that was forked, which has no threads."""
    return ThreadPoolExecutor(max_workers=size, thread_name_prefix="tacit")


@lru_cache(maxsize=1)
def _team(process: int) -> _Team:
    """Make it anew in a process that was forked, where none of those who were at work is."""
    return _Team()


_VARIABLE = "TACIT_MEMORY"
_UNKNOWN = 2**34  # where the system does not say


def available_memory(*, root: Path = Path("/")) -> int:
    """Give the bytes that this process may still take.

    The least of what the control groups of a container leave (version 1 or 2) and what Linux calls available; elsewhere
    the memory of the machine, since no system call that Python knows tells what is free of it. The environment variable
    TACIT_MEMORY, in bytes, overrides both.

    Parameters
    ----------
    root : where the file system begins
    """
    asked = os.environ.get(_VARIABLE)
    if asked is not None:
        if not asked.strip().isdecimal():
            raise InputError(f"{_VARIABLE} is not a size: got {asked!r}, expected a whole number of bytes.")
        return int(asked)
    limits = [*_left_by_groups(root), *_left_by_machine(root)]
    return max(0, min(limits)) if limits else _physical()


def _left_by_groups(root: Path) -> Iterator[int]:
    """Limit less use of every control group above this process; what only caches files counts as free."""
    for line in _lines(root / "proc/self/cgroup"):
        number, controllers, path = [*line.split(":", 2), "", ""][:3]
        if number == "0":
            yield from _each(root / "sys/fs/cgroup", path, "memory.max", "memory.current", "inactive_file")
        elif "memory" in controllers.split(","):
            v1 = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
            yield from _each(root / "sys/fs/cgroup/memory", path, *v1)


def _each(mount: Path, path: str, limit: str, use: str, cache: str) -> Iterator[int]:
    """Look at a group and all above it; in a container only the top of the tree may be there."""
    inside = PurePosixPath(path.lstrip("/"))
    for group in {mount, *(mount / above for above in (inside, *inside.parents))}:
        most, used = _number(group / limit), _number(group / use)
        if most is None or used is None or most >= 2**60:  # "max", or version 1's word for no limit
            continue
        yield most - used + _field(group / "memory.stat", cache)


def _left_by_machine(root: Path) -> Iterator[int]:
    kilobytes = _field(root / "proc/meminfo", "MemAvailable:")
    if kilobytes:
        yield kilobytes * 1024


def _field(file: Path, name: str) -> int:
    """Give the number after a name, 0 if it is not there."""
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


def _physical() -> int:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # not every system says
        return _UNKNOWN


_WORTH_IT = 2**25  # bytes of what comes: beyond that the C library asks the system for room of its own


def release_memory(coming: int) -> None:
    """Return freed memory if an array of so many bytes is coming; where the C library is not GNU's, do nothing."""
    trim = _trimmer()
    if trim is not None and coming >= _WORTH_IT:
        trim(0)


@lru_cache(maxsize=1)
def _trimmer() -> Any:
    try:
        return ctypes.CDLL("libc.so.6").malloc_trim
    except (AttributeError, OSError):
        return None
