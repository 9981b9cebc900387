"""How accurate a decomposition is, and the loosest tolerance that is as accurate as another."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from runs import Job, run

__all__ = ["Errors"]

_ROUNDING = 1e-4  # of singular values in float32, with room to spare


class Errors:
    """Largest relative errors of singular values against an exact job; each job runs once, since seeds are fixed.

    Parameters
    ----------
    folder : where the jobs find their input
    exact : the job that the others are judged by
    kept : a file that its answer is kept in, for the next time
    """

    def __init__(self, folder: Path, exact: Job, *, kept: Path | None = None) -> None:
        self._folder, self._known = folder, dict[str, float]()
        if kept is not None and kept.exists():
            self._exact = np.load(kept)
            return
        self._exact = run(folder, exact).result
        if kept is not None:
            np.save(kept, self._exact)

    def of(self, job: Job) -> float:
        """Give the error of a job.

        What a projection finds is never above the truth, so a larger value means that the reference missed one.
        """
        key = f"{job.name} {sorted(job.options.items())}"
        if key not in self._known:
            ratios = run(self._folder, job).result / self._exact
            if ratios.max() > 1 + _ROUNDING:
                raise RuntimeError(f"the reference is not exact: {key} has a value {ratios.max() - 1:.1e} above it")
            self._known[key] = float(np.abs(ratios - 1).max())
        return self._known[key]

    def loosest(self, job: Job, wanted: float, tols: Sequence[float]) -> tuple[float, bool]:
        """Give the loosest tolerance with an error no larger than wanted, else the tightest; and if it is reached."""
        for tol in tols:
            if self.of(job.changed(tol=tol)) <= wanted:
                return tol, True
        return tols[-1], False
