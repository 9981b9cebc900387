"""Everything printed goes through here: control characters of titles, labels and messages never reach a terminal.

They could clear the screen, set its title, or write to the clipboard. They are written as in JSON: the character ESC as
\\u001b, so that JSON stays the same JSON. Ends of lines and tabs remain.
"""

from __future__ import annotations

import contextlib
import re
import sys
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["clean", "cleaned_output", "console", "wrap_output"]

# the first 32 but tab and line feed, delete, and the second 32 of Latin-1; a carriage return may end a line
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]|\r(?!\n)")


def clean(text: str) -> str:
    """Return a text with its control characters spelt out."""
    return _CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


class _CleanStream:
    """A stream that cleans what is written to it; the rest is that of the stream underneath."""

    def __init__(self, stream: Any) -> None:
        self.stream = stream

    def write(self, text: str) -> int:
        """Write a text, cleaned."""
        self.stream.write(clean(text))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        """Write texts, cleaned."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


def wrap_output() -> None:
    """Clean what is printed from now on, also by libraries and after another stream was put in place."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is not None and not isinstance(stream, _CleanStream):
            setattr(sys, name, _CleanStream(stream))


@contextlib.contextmanager
def cleaned_output() -> Iterator[None]:
    """Clean what is printed in the block."""
    before = sys.stdout, sys.stderr
    wrap_output()
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


def console(*, stderr: bool = False, width: int | None = None) -> Console:
    """Return a console of rich, whose texts are cleaned and whose own colours and movements are not."""
    from rich.console import Console, ConsoleOptions, RenderableType
    from rich.segment import Segment

    class CleanConsole(Console):
        def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterator[Segment]:
            for segment in super().render(renderable, options):
                yield segment if segment.control else Segment(clean(segment.text), segment.style)

    stream: Any = sys.stderr if stderr else sys.stdout
    file = stream.stream if isinstance(stream, _CleanStream) else stream
    return CleanConsole(file=file, width=width, highlight=False)
