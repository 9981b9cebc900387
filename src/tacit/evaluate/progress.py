"""Progress of a long comparison or search, on standard error."""

from __future__ import annotations

import shutil
import sys

__all__ = ["show_progress"]

_BAR = 20


def show_progress(number: int, total: int, message: str, *, stays: str = "") -> None:
    """Show how much is done: on a terminal as a line with a bar that is rewritten, in a pipe as one line per call.

    `stays` is a line of its own above, which is not rewritten. In a pipe an empty message is not written.
    """
    stream = sys.stderr
    count = f"{number:{len(str(total))}d}/{total}"
    if not stream.isatty():
        stream.write("".join(f"{line}\n" for line in (stays, message and f"{count}  {message}") if line))
    else:
        full = round(number / total * _BAR)
        line = f"{'█' * full}{'░' * (_BAR - full)} {count}  {message}"
        clear = "\r\x1b[K"
        # a line that wraps could not be rewritten
        line = line[: shutil.get_terminal_size().columns - 1]
        stream.write(f"{clear}{stays}\n" * bool(stays) + clear + line + "\n" * (number == total))
    stream.flush()
