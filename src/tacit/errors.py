"""The errors Tacit raises, all of them one clear sentence or two.

    TacitError
    ├── InputError (ValueError)          what was given cannot be used; says what was got and what to do
    ├── SolverError (ArithmeticError)    a numerical method did not reach its tolerance
    └── MissingExtraError (ImportError)  an optional library is not installed; says which extra brings it

    TacitWarning (UserWarning)           the result is right, but not quite what was asked for

`NotFittedError` is scikit-learn's.
"""

from __future__ import annotations

import bisect
from collections.abc import Hashable, Iterable

__all__ = ["InputError", "MissingExtraError", "SolverError", "TacitError", "TacitWarning", "did_you_mean"]


class TacitError(Exception):
    """Base of every error that Tacit raises on purpose."""


class InputError(TacitError, ValueError):
    """What was given cannot be used: `{argument} {is wrong so}: got {value}, expected {rule}. {What to do}.`"""


class SolverError(TacitError, ArithmeticError):
    """A numerical method did not reach its tolerance and there is no other to fall back to."""


class MissingExtraError(TacitError, ImportError):
    """An optional library is not installed."""

    def __init__(self, library: str, extra: str, purpose: str) -> None:
        super().__init__(
            f"{purpose} needs {library}, which is not installed. Install it with: pip install 'tacit[{extra}]'."
        )


class TacitWarning(UserWarning):
    """The result is right, but something was adjusted on the way; the message says what was done."""


def did_you_mean(name: Hashable, known: Iterable[Hashable], otherwise: str = "") -> str:
    """Give the sentence, with a space before it, that offers the known name spelt most like `name`; case is ignored.

    Parameters
    ----------
    name : what somebody typed
    known : the names there are
    otherwise : the sentence to give if no name is alike
    """
    import difflib

    spelt = {str(other).casefold(): other for other in known}
    texts, wanted = sorted(spelt), str(name).casefold()
    if len(texts) > _MOST_COMPARED:  # comparing with a hundred thousand takes seconds; neighbours begin alike
        place = bisect.bisect(texts, wanted)
        texts = texts[max(0, place - 50) : place + 50]
    near = difflib.get_close_matches(wanted, texts, n=1)
    if near:
        return f" Did you mean {str(spelt[near[0]])!r}?"
    return f" {otherwise}" if otherwise else ""


_MOST_COMPARED = 2_000
