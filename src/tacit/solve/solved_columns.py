"""What a regression of many columns has solved so far, on disk, so that one that was killed goes on from there."""

from __future__ import annotations

from typing import Any

import numpy as np

from tacit.operators.base import Array, Operator
from tacit.solve.checkpoint import Checkpoint, fingerprint

__all__ = ["SolvedColumns"]


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
