"""What an iteration knows so far, on disk, so that a fit that was killed goes on from there.

A checkpoint is one `.npz` file of plain arrays, with numbers and the state of the random generator as JSON in it.
It is written to another name and renamed, so that there is always a whole one or none, and it carries a fingerprint of
the problem: what belongs to another problem is never taken for this one.
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
from tacit.operators.base import Operator
from tacit.types import Array

__all__ = [
    "Checkpoint",
    "SolvedColumns",
    "are_kept",
    "checkpoints",
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
    """Let the long iterations of a fit keep their state, so that the same fit, if it is killed, goes on from there.

    Parameters
    ----------
    folder : str or Path
        Made if it is not there; one fit at a time. It is emptied when the block has come to its end.
    every : float, default 60.0
        Seconds between two states.

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
    for each in kept:  # not after an error, which leaves them for another try
        each.clear()


def next_checkpoint() -> Checkpoint | None:
    """Give the place for the next solver of a fit; None if nothing is to be kept.

    A fit asks for its solvers in the same order each time, so that counting them tells them apart.
    """
    following = _FOLLOWING.get()
    return None if following is None else following()


def are_kept() -> bool:
    """Whether the states of solvers are to be kept, which not all of them can."""
    return _FOLLOWING.get() is not None


_FOLLOWING: ContextVar[Any] = ContextVar("checkpoints", default=None)


class Checkpoint:
    """Where an iteration keeps its state, and when.

    Parameters
    ----------
    folder : str or Path
        Made if it is not there. One folder serves one fit at a time.
    name : str, default "state"
        Tells the solvers of a fit that has several apart.
    every : float, default 60.0
        Seconds that must have passed since the last time; 0 keeps the state after every step.
    """

    def __init__(self, folder: str | Path, *, name: str = "state", every: float = 60.0) -> None:
        self.folder, self.name = Path(folder).expanduser().absolute(), name
        self.every = check_number("every", every)
        self._last = time.monotonic()

    def part(self, name: str) -> Checkpoint:
        """Give a checkpoint for another solver of the same fit."""
        return Checkpoint(self.folder, name=name, every=self.every)

    def is_due(self) -> bool:
        """Whether it is time to keep the state."""
        return time.monotonic() - self._last >= self.every

    def keep(self, problem: Mapping[str, Any], state: Mapping[str, Any]) -> None:
        """Keep the state of an iteration on a problem, in place of an earlier one."""
        save(self.folder, {**state, "problem": dict(problem)}, name=self.name)
        self._last = time.monotonic()

    def resume(self, problem: Mapping[str, Any]) -> dict[str, Any] | None:
        """Give the state that was kept for this problem, or None.

        Raises
        ------
        InputError
            If the state is that of another problem: hours of work are not to be overwritten by a slip.
        """
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
        """Remove what was kept, when the answer is found."""
        _path(self.folder, self.name).unlink(missing_ok=True)
        if self.folder.is_dir() and not any(self.folder.iterdir()):
            self.folder.rmdir()


def save(folder: str | Path, state: Mapping[str, Any], *, name: str = "state") -> None:
    """Write a state: arrays of numbers, and plain data of numbers, texts, lists and dictionaries."""
    path = _path(folder, name)
    path.parent.mkdir(parents=True, exist_ok=True)
    arrays = {key: value for key, value in state.items() if isinstance(value, np.ndarray)}
    plain = json.dumps({key: value for key, value in state.items() if key not in arrays}, default=_as_plain)
    arrays[_PLAIN] = np.frombuffer(plain.encode(), np.uint8)
    with replacing(path) as fresh, open(fresh, "wb") as file:
        np.savez(file, allow_pickle=False, **arrays)


def load(folder: str | Path, *, name: str = "state") -> dict[str, Any] | None:
    """Read a state; None if there is none, or with a warning if it is damaged, as starting over is still right."""
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
    """Give what tells a problem from others, as plain data.

    Shape, precision, the first block of vectors (which knows the seed, and what it starts from) or the right-hand
    sides, the squared norm of the matrix where it is at hand, and further facts of the caller.
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
    """Give where a generator stands, as plain data."""
    return dict(json.loads(json.dumps(rng.bit_generator.state, default=_as_plain)))


def with_state(rng: np.random.Generator, state: Mapping[str, Any]) -> None:
    """Put a generator where another one stood."""
    own = rng.bit_generator.state["bit_generator"]
    if state["bit_generator"] != own:
        raise InputError(
            f"random_state is of another kind: got {own}, expected {state['bit_generator']} as in the checkpoint."
        )
    rng.bit_generator.state = dict(state)


def _path(folder: str | Path, name: str) -> Path:
    return Path(folder).expanduser().absolute() / f"{name}.npz"


def _as_plain(value: Any) -> Any:
    """Turn numbers and small arrays of NumPy into Python's."""
    if isinstance(value, (np.generic, np.ndarray)):
        return value.tolist()
    raise TypeError(f"a checkpoint holds arrays and plain data, no {type(value).__name__}")


class SolvedColumns:
    """Keeps what is solved, and how far the search for the next columns is, on disk, and takes both up again.

    A search that goes on from its own solution, to mend what it drifted by, is short and starts over.
    """

    def __init__(
        self, place: Checkpoint | None, system: Operator, rhs: Array, solution: Array, residuals: Array, **facts: Any
    ) -> None:
        self.place, self.solution, self.residuals = place, solution, residuals
        self.n_solved, self.n_searches, self.counters = 0, 0, (0, True)
        self.search: dict[str, Any] | None = None
        if place is None:
            return
        facts |= {"shift": float(getattr(system, "shift", 0)), "begun": float(np.abs(solution).sum())}
        self.problem = fingerprint(system, rhs, **facts)
        state = place.resume(self.problem)
        if state is not None:
            self.n_solved, *counters = state["counters"]
            self.counters = (int(counters[0]), bool(counters[1]))
            solution[:, : self.n_solved], residuals[: self.n_solved] = state["solution"], state["residuals"]
            self.search = state if "Q" in state else None

    def begin(self) -> dict[str, Any] | None:
        """Give where the search for the next columns was, if it had begun."""
        self.n_searches += 1
        before, self.search = self.search, None
        return before

    def searching(self, **state: Any) -> None:
        """Write down how far the first search for the next columns is, if it is time."""
        if self.n_searches == 1:
            self._keep(state)

    def solved(self, n_columns: int, iterations: int, converged: bool) -> None:
        """Write down that so many columns are solved, if it is time."""
        self.n_solved, self.n_searches, self.counters = n_columns, 0, (iterations, converged)
        self._keep({})

    def _keep(self, state: dict[str, Any]) -> None:
        if self.place is not None and self.place.is_due():
            n = self.n_solved
            solved = {"solution": self.solution[:, :n], "residuals": self.residuals[:n]}
            self.place.keep(self.problem, {**solved, "counters": [n, *self.counters], **state})
