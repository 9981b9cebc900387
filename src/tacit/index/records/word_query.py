"""What a person typed, as a query of the full text that cannot fail.

FTS5 has a language of its own: AND, NEAR, columns, minus, stars. A person who types `C++ AND (java` means the words. So
every word goes in quotes, in which the language knows nothing but words.
"""

from __future__ import annotations

import re
import unicodedata
import warnings
from collections.abc import Sequence

from tacit.errors import TacitWarning

__all__ = ["MOST_PARTS", "query_parts", "word_query"]

MOST_PARTS = 1000  # distinct words; more is a document and no question, and FTS5 slows down with each

_PART = re.compile(r'"([^"]*)"|([^\s"]+)')


def word_query(parts: Sequence[str], *, every: bool) -> str:
    """Write a query for the parts of a text: for records that have all of them, or any."""
    return (" AND " if every else " OR ").join(f'"{part}"' for part in parts)


def query_parts(text: str) -> list[str]:
    """Give the different words and phrases in a text, whatever it is.

    Words between two quotation marks have to stand side by side, as have the parts of `state-of-the-art`.
    """
    # the query ends at a zero character for SQLite, and half a surrogate pair cannot be sent to it
    clean = text.replace("\0", " ").encode("utf-8", "replace").decode("utf-8")
    parts = [phrase or word for phrase, word in _PART.findall(clean)]
    wanted = {part.lower(): part for part in parts if any(map(_is_word_character, part))}
    if len(wanted) > MOST_PARTS:
        warnings.warn(
            f"query is long: got {len(wanted)} different words, only the first {MOST_PARTS} are looked for.",
            TacitWarning,
            stacklevel=4,
        )
    return list(wanted.values())[:MOST_PARTS]


def _is_word_character(character: str) -> bool:
    """Whether FTS5 makes words of it: letters, numbers and private use. A part without any would match nothing."""
    category = unicodedata.category(character)
    return category[0] in "LN" or category == "Co"
