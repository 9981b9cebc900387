"""The errors Tacit raises, all of them one clear sentence or two.

    TacitError
    ├── InputError (ValueError)          what was given cannot be used; says what was got and what to do
    ├── SolverError (ArithmeticError)    a numerical method did not reach its tolerance
    └── MissingExtraError (ImportError)  an optional library is not installed; says which extra brings it

    TacitWarning (UserWarning)           the result is right, but not quite what was asked for

`NotFittedError` is scikit-learn's.
"""

__all__ = ["InputError", "MissingExtraError", "SolverError", "TacitError", "TacitWarning"]


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
