"""The errors that Tacit raises, and the hint "Did you mean ...?".

    TacitError
    ├── InputError (ValueError)          an argument or a file cannot be used; says what was expected and what to do
    │   ├── UnknownNameError             there is no record or label of this name
    │   └── BusyError                    another writer is at work; the same call may succeed later
    ├── SolverError (ArithmeticError)    a numerical method did not reach its tolerance
    └── MissingExtraError (ImportError)  an optional library is not installed; says which extra installs it

    TacitWarning (UserWarning)           the result is right, but something was adjusted

`NotFittedError` is scikit-learn's.
"""

from __future__ import annotations

import bisect
import sys
import warnings
from collections.abc import Hashable, Iterable
from types import FrameType
from typing import Any

__all__ = [
    "BusyError",
    "InputError",
    "MissingExtraError",
    "SolverError",
    "TacitError",
    "TacitWarning",
    "UnknownNameError",
    "did_you_mean",
    "warn",
]


class TacitError(Exception):
    """Base of every error that Tacit raises on purpose."""


class InputError(TacitError, ValueError):
    """An argument or a file cannot be used: `{argument} {is wrong so}: got {value}, expected {rule}. {What to do}.`"""


class UnknownNameError(InputError):
    """There is no record, label or linked thing of this name."""


class BusyError(InputError):
    """Another writer is at work; the same call may succeed later."""


class SolverError(TacitError, ArithmeticError):
    """A numerical method did not reach its tolerance, and no other method is left."""


class MissingExtraError(TacitError, ImportError):
    """An optional library is not installed."""

    def __init__(self, library: str, extra: str, purpose: str) -> None:
        super().__init__(
            f"{purpose} needs {library}, which is not installed. Install it with: pip install 'tacit[{extra}]'."
        )
        self._given = library, extra, purpose

    def __reduce__(self) -> tuple[type[MissingExtraError], tuple[str, str, str]]:
        return type(self), self._given  # its one text would not do: other processes raise it too


class TacitWarning(UserWarning):
    """The result is right, but something was adjusted; the message says what."""


def did_you_mean(name: Hashable, known: Iterable[Hashable], otherwise: str = "") -> str:
    """Return " Did you mean ...?" with the known name most similar to `name`, ignoring case.

    If no name is similar, return the sentence `otherwise`, also with a space before it, or "".
    """
    import difflib

    spelt = {str(other).casefold(): other for other in known}
    texts, wanted = sorted(spelt), str(name).casefold()
    if len(texts) > _MOST_COMPARED:  # comparing with 100,000 takes seconds; sorted neighbours begin alike
        place = bisect.bisect(texts, wanted)
        texts = texts[max(0, place - 50) : place + 50]
    near = difflib.get_close_matches(wanted, texts, n=1)
    if near:
        return f" Did you mean {str(spelt[near[0]])!r}?"
    return f" {otherwise}" if otherwise else ""


_MOST_COMPARED = 2_000


def warn(message: str) -> None:
    """Warn at the line of the caller's own code, once for this line and message.

    That is what Python promises by default, but it forgets what it has shown whenever a library changes the filters
    for a moment, as scikit-learn does in each fit: a search over parameters would say the same hundreds of times. With
    other filters, such as "always" or "error", they decide.
    """
    frame = _line_of_the_caller()
    shown: dict[Any, Any] = frame.f_globals.setdefault("__warningregistry__", {})  # IPython empties it for each cell
    key = (message, "tacit", frame.f_lineno)
    module = str(frame.f_globals.get("__name__", ""))
    if key in shown and _filter_for(message, module, frame.f_lineno) == "default":
        return
    shown[key] = True
    warnings.warn_explicit(message, TacitWarning, frame.f_code.co_filename, frame.f_lineno, module=module)


_OTHERS_CODE = ("tacit", "sklearn", "joblib", "threading", "concurrent")


def _line_of_the_caller() -> FrameType:
    """Return the innermost frame that is neither ours nor of a library that calls us; the outermost if all are."""
    frame = sys._getframe(1)
    while frame.f_back is not None and str(frame.f_globals.get("__name__", "")).split(".")[0] in _OTHERS_CODE:
        frame = frame.f_back
    return frame


def _filter_for(message: str, module: str, line: int) -> str:
    """Return the action of the first filter that applies to a warning of ours."""
    for action, text, category, where, number in warnings.filters:
        if (
            issubclass(TacitWarning, category)
            and (text is None or text.match(message))
            and (where is None or where.match(module))
            and number in (0, line)
        ):
            return str(action)
    return "default"
