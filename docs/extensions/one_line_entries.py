"""Let the reference show entries that are written on one line, `name : type, default 3 — meaning`.

Griffe's numpydoc parser takes all of that line for the type and drops part of it. Here the line is split at the dash
into the two lines that numpydoc knows, before it is parsed.
"""

from __future__ import annotations

import re
from typing import Any

try:
    from griffe import Extension
except ModuleNotFoundError:  # the tests read this file without the tools of the documentation
    Extension = object

_ENTRY = re.compile(r"^( *)(\w[\w, ]* : [^—\n]*?) — (.*)$", flags=re.MULTILINE)


def split_entries(docstring: str) -> str:
    """Move what follows the dash of an entry to a line of its own, one level deeper."""
    return _ENTRY.sub(r"\1\2\n\1    \3", docstring)


class OneLineEntries(Extension):  # type: ignore[misc, valid-type]
    """Rewrite each docstring once it is read."""

    def on_object(self, *, obj: Any, **_: Any) -> None:
        """Griffe calls this for every module, class, function and attribute."""
        if obj.docstring is not None:
            obj.docstring.value = split_entries(obj.docstring.value)
