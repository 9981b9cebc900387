"""What a person typed, as a query of the full text that cannot fail.

FTS5 has a language of its own: AND, NEAR, columns, minus, stars. A person who types `C++ AND (java` means the words. So
every word goes in quotes, in which the language knows nothing but words.
"""

from __future__ import annotations

import re
import unicodedata
import warnings

from tacit.errors import TacitWarning

__all__ = ["MOST_PARTS", "word_query"]

MOST_PARTS = 1000  # distinct words; more is a document and no question, and FTS5 slows down with each

_PART = re.compile(r'"([^"]*)"|([^\s"]+)')


def word_query(text: str, *, every: bool) -> str | None:
    """Write a query for the words in `text`, or None if there are none.

    Parameters
    ----------
    text : str
        Anything. Words between two quotation marks have to stand side by side, as have the parts of `state-of-the-art`.
    every : bool
        Whether a record has to have all of them, or one is enough.
    """
    # the query ends at a zero character for SQLite, and half a surrogate pair cannot be sent to it
    clean = text.replace("\0", " ").encode("utf-8", "replace").decode("utf-8")
    parts = [phrase or word for phrase, word in _PART.findall(clean)]
    wanted = {part.lower(): part for part in parts if any(map(_is_word_character, part))}
    if len(wanted) > MOST_PARTS:
        warnings.warn(
            f"query is long: got {len(wanted)} different words, only the first {MOST_PARTS} are looked for.",
            TacitWarning,
            stacklevel=3,
        )
    quoted = [f'"{part}"' for part in list(wanted.values())[:MOST_PARTS]]
    return (" AND " if every else " OR ").join(quoted) or None


def _is_word_character(character: str) -> bool:
    """Whether FTS5 makes words of it: letters, numbers and private use. A part without any would match nothing."""
    category = unicodedata.category(character)
    return category[0] in "LN" or category == "Co"
