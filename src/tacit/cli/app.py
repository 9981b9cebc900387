"""The command `tacit`: the group of its verbs, and the one place where errors become an exit code.

Numerical libraries are not imported here: a verb imports what it needs when it runs, so that `tacit --help` is fast.
"""

from __future__ import annotations

import io
import os
import sys
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, NoReturn, TextIO

import tacit
from tacit.cli.common.terminal import cleaned_output
from tacit.errors import MissingExtraError, TacitError, TacitWarning

if TYPE_CHECKING:
    import click

__all__ = ["group", "main"]


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command and exit: with 0 on success, with 2 and one line on standard error after an error."""
    warnings.showwarning = _show_warning
    _open_closed_streams()
    if isinstance(sys.stdout, io.TextIOWrapper):  # a terminal without Unicode shows a question mark, not an error
        sys.stdout.reconfigure(errors="replace")
    with cleaned_output():
        _run(arguments)


def _open_closed_streams() -> None:
    """Give standard streams that were closed, as by `>&-`, a place that takes everything.

    Else the next file to be opened would be the output, and what is printed would be written into it.
    """
    for number, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # gets the lowest number that is free
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115


def _run(arguments: Sequence[str] | None) -> None:
    try:
        group().main(args=None if arguments is None else list(arguments), prog_name="tacit")
    except TacitError as error:
        _leave(str(error))
    except BrokenPipeError:  # the reader of the output has closed it, as `head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        _leave(f"{where}{error.strerror or error}. Check the path, its permissions and the free space on the disk.")
    except MemoryError:
        _leave("there is not enough memory. Use fewer records, dimensions, or words (--set max_terms=50000).")
    except Exception as error:
        if os.environ.get("TACIT_DEBUG"):
            raise
        _leave(
            f"unexpected error inside Tacit: {type(error).__name__}: {error}. This is a bug: please report it. Set "
            "TACIT_DEBUG=1 to see the traceback."
        )


def _leave(sentence: str) -> NoReturn:
    print(f"Error: {sentence}", file=sys.stderr)
    sys.exit(2)


def group() -> click.Group:
    """Return the group of verbs; a function and not a variable, since click is an extra."""
    try:
        import click
        import rich  # noqa: F401
    except ImportError as error:
        raise MissingExtraError(error.name or "click", "cli", "The command line") from error

    from tacit.cli.common.verbs import LazyGroup

    root = LazyGroup(
        "tacit",
        help="Semantic search, subject suggestions and maps for collections with labels, taxonomies and links.",
        epilog="Start with: tacit demo. Options of a command: tacit build --help.",
        context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    )
    return click.version_option(tacit.__version__, message="tacit %(version)s")(root)


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """Show Tacit's own warnings as one line without the line of code, other warnings as Python does."""
    if issubclass(category, TacitWarning):
        import click

        from tacit.cli.common.messages import as_typed

        context = click.get_current_context(silent=True)
        text = str(message) if context is None else as_typed(str(message), context.command)
        print(f"Note: {text}", file=file or sys.stderr)
    else:
        print(warnings.formatwarning(message, category, filename, lineno, line), end="", file=file or sys.stderr)
