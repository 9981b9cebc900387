"""The state of an iteration on disk, so that a fit that was killed continues from there.

A checkpoint is one `.npz` file of plain arrays, with numbers and the state of the random generator as JSON in it. It is
replaced atomically, so that it is always complete, and it contains a fingerprint of the problem, so that the checkpoint
of another problem is never used.
"""

from __future__ import annotations

import hashlib
import json
import time
import warnings
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np

from tacit.checks import check_number
from tacit.errors import InputError, TacitWarning
from tacit.files import replacing
from tacit.types import Array

__all__ = [
    "Checkpoint",
    "checkpoints",
    "checkpoints_are_on",
    "fingerprint",
    "load",
    "next_checkpoint",
    "save",
    "state_of",
    "with_state",
]

_PLAIN = "plain"


@contextmanager
def checkpoints(folder: str | Path, *, every: float = 60.0) -> Iterator[None]:
    """Write the state of long iterations to disk, so that the same fit, if it is killed, continues from there.

    Parameters
    ----------
    folder : str or Path
        Created if it does not exist; for one fit at a time. It is emptied when the block ends without an error.
    every : float, default 60.0
        Seconds between two checkpoints.

    Examples
    --------
    >>> import numpy as np, tempfile
    >>> from tacit import LSI, checkpoints
    >>> with tempfile.TemporaryDirectory() as folder, checkpoints(folder + "/fit"):
    ...     model = LSI(2).fit(np.eye(4))
    """
    whole = Checkpoint(folder, every=every)
    kept: list[Checkpoint] = []
    names = count()

    def following() -> Checkpoint:
        kept.append(whole.part(f"solver-{next(names)}"))
        return kept[-1]

    token = _FOLLOWING.set(following)
    try:
        yield
    finally:
        _FOLLOWING.reset(token)
    for each in kept:  # not after an error: then they stay for the next attempt
        each.clear()


def next_checkpoint() -> Checkpoint | None:
    """Return the checkpoint of the next solver of a fit; None outside `checkpoints`.

    A fit calls its solvers in the same order each time, so that their numbers tell them apart.
    """
    following = _FOLLOWING.get()
    return None if following is None else following()


def checkpoints_are_on() -> bool:
    """Whether solvers should write checkpoints, which not all of them can."""
    return _FOLLOWING.get() is not None


_FOLLOWING: ContextVar[Any] = ContextVar("checkpoints", default=None)


class Checkpoint:
    """The file in which a solver of a fit writes its state, at most once in `every` seconds."""

    def __init__(self, folder: str | Path, *, name: str = "state", every: float = 60.0) -> None:
        self.folder, self.name = Path(folder).expanduser().absolute(), name
        self.every = check_number("every", every)
        self._last = time.monotonic()

    def part(self, name: str) -> Checkpoint:
        """Return a checkpoint for another solver of the same fit."""
        return Checkpoint(self.folder, name=name, every=self.every)

    def is_due(self) -> bool:
        """Whether it is time to write the state."""
        return time.monotonic() - self._last >= self.every

    def keep(self, problem: Mapping[str, Any], state: Mapping[str, Any]) -> None:
        """Write the state of an iteration on a problem, in place of an earlier one."""
        save(self.folder, {**state, "problem": dict(problem)}, name=self.name)
        self._last = time.monotonic()

    def resume(self, problem: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return the state that was written for this problem, or None; raise if it belongs to another problem."""
        state = load(self.folder, name=self.name)
        if state is None:
            return None
        kept = state.pop("problem", {})
        for fact, value in problem.items():
            if kept.get(fact) != value:
                raise InputError(
                    f"checkpoint belongs to another fit: got {fact}={kept.get(fact)!r} in {str(self.folder)!r}, "
                    f"expected {value!r}. Use another folder, or remove this one to start over."
                )
        return state

    def clear(self) -> None:
        """Remove the state, once the result is found."""
        _path(self.folder, self.name).unlink(missing_ok=True)
        if self.folder.is_dir() and not any(self.folder.iterdir()):
            self.folder.rmdir()


def save(folder: str | Path, state: Mapping[str, Any], *, name: str = "state") -> None:
    """Write a state: arrays of numbers, and plain data (numbers, texts, lists and dictionaries)."""
    path = _path(folder, name)
    path.parent.mkdir(parents=True, exist_ok=True)
    arrays = {key: value for key, value in state.items() if isinstance(value, np.ndarray)}
    plain = json.dumps({key: value for key, value in state.items() if key not in arrays}, default=_as_plain)
    arrays[_PLAIN] = np.frombuffer(plain.encode(), np.uint8)
    objects = [key for key, array in arrays.items() if array.dtype.hasobject]
    if objects:
        raise TypeError(f"a state holds arrays of numbers, not of objects: {objects[0]}")
    with replacing(path) as fresh, open(fresh, "wb") as file:
        # before NumPy 2.1, allow_pickle=False would be stored as one more array
        np.savez(file, **arrays)  # type: ignore[arg-type, unused-ignore]


def load(folder: str | Path, *, name: str = "state") -> dict[str, Any] | None:
    """Return a state; None if there is none, or, with a warning, if it is damaged: the fit then starts over."""
    path = _path(folder, name)
    try:
        with np.load(path, allow_pickle=False) as stored:
            arrays = {key: stored[key] for key in stored.files}
        plain = json.loads(arrays.pop(_PLAIN).tobytes())
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, EOFError, NotImplementedError, zipfile.BadZipFile) as error:
        warnings.warn(
            f"{path} is damaged: got {type(error).__name__} on reading it, expected a checkpoint. Starting over.",
            TacitWarning,
            stacklevel=3,
        )
        return None
    return {**plain, **arrays}


def fingerprint(operator: Any, start: Array, **facts: Any) -> dict[str, Any]:
    """Return plain data that identify a problem.

    Shape, precision, the first block of vectors (which depends on the seed and on the start) or the right-hand sides,
    the squared norm of the matrix if it is known, and further facts from the caller.
    """
    try:
        norm: float | None = getattr(operator, "operator", operator).squared_norm()
    except (AttributeError, NotImplementedError):
        norm = None
    return {
        "shape": list(operator.shape),
        "dtype": operator.dtype.name,
        "squared_norm": norm,
        "start": hashlib.sha256(np.ascontiguousarray(start).tobytes()).hexdigest(),
        **{name: _as_plain(value) if isinstance(value, np.generic) else value for name, value in facts.items()},
    }


def state_of(rng: np.random.Generator) -> dict[str, Any]:
    """Return the state of a generator as plain data."""
    return dict(json.loads(json.dumps(rng.bit_generator.state, default=_as_plain)))


def with_state(rng: np.random.Generator, state: Mapping[str, Any]) -> None:
    """Set the state of a generator to that of another one."""
    own = rng.bit_generator.state["bit_generator"]
    if state["bit_generator"] != own:
        raise InputError(
            f"random_state is of another kind: got {own}, expected {state['bit_generator']} as in the checkpoint."
        )
    rng.bit_generator.state = dict(state)


def _path(folder: str | Path, name: str) -> Path:
    return Path(folder).expanduser().absolute() / f"{name}.npz"


def _as_plain(value: Any) -> Any:
    """Convert numbers and small arrays of NumPy to those of Python."""
    if isinstance(value, (np.generic, np.ndarray)):
        return value.tolist()
    raise TypeError(f"a checkpoint holds arrays and plain data, not {type(value).__name__}")
