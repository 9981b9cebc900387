"""What a case may end in, and cases that are judged in processes of their own, so that none can hurt the others."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import resource
import select
import signal
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NoReturn, TypeVar

__all__ = ["SURVIVED", "Outcome", "found", "is_sentence", "isolated", "judged", "refused"]

T = TypeVar("T")

_NOT_SAID = ("Traceback", "unexpected error inside Tacit", "This is a bug", "mistake of ours")
_LONGEST = 3_000  # characters of a sentence
_PATIENCE = 20  # how many times longer than its processor time a case may take, since the machine has other work
_MEMORY = 6 << 30


@dataclass(frozen=True)
class Outcome:
    """How a case ended: "survived" (all is right), "refused" (by a sentence) or "found" (a fault of ours)."""

    kind: str
    what: str = ""


SURVIVED = Outcome("survived")


def refused(sentence: object) -> Outcome:
    """Return the outcome of a refusal, which is a fault if it is not put well."""
    text = str(sentence)
    return Outcome("refused", text[:300]) if is_sentence(text) else found(f"a bad sentence: {text[:500]!r}")


def found(what: str) -> Outcome:
    """Return the outcome of a fault of ours."""
    return Outcome("found", what)


def is_sentence(text: str) -> bool:
    """Whether a message is one clear sentence or two; what is printed is cleaned of control characters later."""
    return "\n" not in text and 0 < len(text) < _LONGEST and not any(word in text for word in _NOT_SAID)


class _TooSlow(BaseException):
    """The processor time is used up."""


@contextlib.contextmanager
def _within(seconds: float) -> Iterator[None]:
    """Raise after so many seconds of processor time."""

    def stop(*_: object) -> NoReturn:
        raise _TooSlow

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def isolated(judge: Callable[[T], Outcome], items: Sequence[T], *, seconds: float = 10.0) -> list[Outcome]:
    """Judge each item in a child; if it dies or hangs, that is the outcome of its item, and a new one goes on."""
    outcomes: list[Outcome] = []
    while len(outcomes) < len(items):
        outcomes += _some(judge, items[len(outcomes) :], seconds)
    return outcomes


def _some(judge: Callable[[T], Outcome], items: Sequence[T], seconds: float) -> list[Outcome]:
    """Judge items until one of them ends the child."""
    reading, writing = os.pipe()
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        os.close(reading)
        _judge_all(judge, items, seconds, writing)
    os.close(writing)
    outcomes: list[Outcome] = []
    rest = b""
    while len(outcomes) < len(items):
        # twice, since both processes may have been stopped for longer
        ready = any(select.select([reading], [], [], patience)[0] for patience in (_PATIENCE * seconds, seconds))
        more = os.read(reading, 1 << 16) if ready else b""
        *lines, rest = (rest + more).split(b"\n")
        outcomes += [Outcome(**json.loads(line)) for line in lines]
        if not more:
            if not ready:
                os.kill(child, signal.SIGKILL)
            break
    os.close(reading)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if len(outcomes) < len(items):
        ended = "it hangs" if not ready else f"the process ended with {_named(status)}"
        outcomes.append(found(ended))
    return outcomes


def _named(status: int) -> str:
    return signal.Signals(-status).name if status < 0 else f"code {status}"


def _judge_all(judge: Callable[[T], Outcome], items: Sequence[T], seconds: float, writing: int) -> NoReturn:
    """Judge in a child that never returns."""
    code = 1
    try:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
        warnings.simplefilter("ignore")
        logging.disable(logging.CRITICAL)  # libraries tell of every oddity of a file
        for item in items:
            outcome = judged(judge, item, seconds)
            os.write(writing, json.dumps(asdict(outcome)).encode() + b"\n")
        code = 0
    finally:
        os._exit(code)


def judged(judge: Callable[[T], Outcome], item: T, seconds: float) -> Outcome:
    """Judge an item in this process; an error, or too much processor time, is its outcome."""
    start = time.process_time()
    try:
        with _within(seconds):
            return judge(item)
    except _TooSlow:
        return found(f"it took more than {seconds:.0f} s: {_last_line()}")
    except BaseException as error:
        return _of_error(error, time.process_time() - start)


def _of_error(error: BaseException, took: float) -> Outcome:
    from tacit.errors import TacitError

    if isinstance(error, TacitError):
        return refused(error)
    where = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in where if "/tacit/" in frame.filename] or where
    place = f"{ours[-1].filename.rpartition('/tacit/')[2]}:{ours[-1].lineno}" if ours else "nowhere"
    return found(f"{type(error).__name__} in {place} after {took:.1f} s: {str(error)[:200]}")


def _last_line() -> str:
    """Return where our code was when the time was over."""
    error: Any = sys.exc_info()[1]
    where = traceback.extract_tb(error.__traceback__) if error else []
    ours = [frame for frame in where if "/tacit/" in frame.filename]
    return f"{ours[-1].filename.rpartition('/tacit/')[2]}:{ours[-1].lineno}" if ours else "nowhere"
