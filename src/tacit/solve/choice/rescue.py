"""When a solver gives up, another one answers, and says so."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

import scipy.linalg as la

from tacit.errors import SolverError, TacitWarning
from tacit.solve.result import Eigenpairs, SingularTriplets

__all__ = ["answer"]

Found = TypeVar("Found", Eigenpairs, SingularTriplets)


def answer(
    run: Callable[[str], Found], solver: str, reason: str, *, others: Sequence[str], tol: float, quiet: bool = False
) -> Found:
    """Give the answer of a solver, or of the next that has one if it fails or stops too early.

    Parameters
    ----------
    run : gives the answer of a solver, by name
    solver, reason : which is to be asked first, and why
    others : which are to be asked then
    tol : what was asked of the residuals
    quiet : whether nobody asked for the first by name, so that its failure is a part of the reason and no more

    Raises
    ------
    SolverError : if the last of them fails
    """
    troubles: list[str] = []
    for name, is_last in zip((solver, *others), [False] * len(others) + [True], strict=True):
        try:
            found = run(name)
        except (SolverError, la.LinAlgError) as failure:
            if is_last:
                raise
            troubles.append(f"{failure}".split(". ", 1)[0].rstrip("."))
            continue
        if found.converged or is_last:
            break
        troubles.append(_stopped(found, tol))
    if troubles and not quiet:
        _warn(f"{'; '.join(troubles)}. The {found.solver} solver was asked instead.")
    if not found.converged:
        _warn(f"{_stopped(found, tol)}. The last components are approximate: raise max_iter or tol.")
    return replace(found, reason="; ".join([reason, *troubles]))


def _stopped(found: Eigenpairs | SingularTriplets, tol: float) -> str:
    return (
        f"the {found.solver} solver stopped after {found.iterations} iterations with a relative residual of "
        f"{float(found.residuals.max()):.1e}, above tol={tol:g}"
    )


def _warn(message: str) -> None:
    warnings.warn(message, TacitWarning, stacklevel=4)
