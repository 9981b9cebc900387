"""What people type into a search box: words, "phrases", -words, title:words and label:names.

Everything else is words, so that no query is an error: an unknown operator, a label that does not exist, a quotation
mark without a second one. A text that is longer than anybody types is words, too, whatever signs it has.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from tacit.errors import InputError
from tacit.index import Filters
from tacit.index.records.schema import clean_text, has_letters
from tacit.tasks.label_names import find_label, subtree
from tacit.tasks.opened_index import OpenedIndex

__all__ = ["LONGEST_TYPED", "Query", "as_filters", "read_query"]

LONGEST_TYPED = 300  # characters; a longer query is a text
_PART = re.compile(r'(?<!\S)(?P<sign>-|(?:title|label):)?(?:"(?P<phrase>[^"]+)"|(?P<word>[^\s"]+))', re.IGNORECASE)


@dataclass(frozen=True)
class Query:
    """A query in its parts.

    Attributes
    ----------
    text : words and phrases to search for, the latter in quotation marks
    phrases : that a record must have
    without : words and phrases that a record must not have
    titles : words and phrases that its title must have
    labels : names of labels that it must have, or narrower ones
    """

    text: str
    phrases: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    titles: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()

    @property
    def is_plain(self) -> bool:
        """Whether it has words only."""
        return not (self.phrases or self.without or self.titles or self.labels)


def read_query(text: str) -> Query:
    """Read what was typed.

    Examples
    --------
    >>> query = read_query('whales "at sea" -ship title:moby label:"Sea animals" note:this')
    >>> query.text, query.phrases, query.without, query.titles, query.labels
    ('whales "at sea" moby note:this', ('at sea',), ('ship',), ('moby',), ('Sea animals',))
    """
    if len(text) > LONGEST_TYPED:
        return Query(text)
    clean = clean_text(text)
    found: dict[str, list[str]] = {"": [], "-": [], "title:": [], "label:": []}

    def taken(part: re.Match[str]) -> str:
        sign, word = (part["sign"] or "").lower(), part["phrase"] or part["word"]
        if not has_letters(word) or not (sign or part["phrase"]):
            return part[0]
        found[sign].append(word)
        return "" if sign in ("-", "label:") else f'"{word}"' if part["phrase"] else word

    left = " ".join(_PART.sub(taken, clean).split())
    return Query(left, *(tuple(found[sign]) for sign in ("", "-", "title:", "label:")))


def as_filters(collection: OpenedIndex, query: Query, filters: Filters | None) -> tuple[str, Filters | None]:
    """Return the words to search for, and filters with the conditions of the query; names of no label are words."""
    Filters.check(filters)
    if query.is_plain:
        return query.text, filters
    text, labels = query.text, []
    for name in query.labels:
        try:
            labels.append(_label(collection, name))
        except InputError:
            text = f"{text} {name}".strip()
    given = filters or Filters()
    joined = replace(
        given,
        labels=[*given.labels, *labels],
        having=[*given.having, *query.phrases],
        lacking=[*given.lacking, *query.without],
        titled=[*given.titled, *query.titles],
    )
    return text, joined if joined.conditions() else filters


def _label(collection: OpenedIndex, name: str) -> tuple[str, ...]:
    if collection.taxonomy is None:
        return (find_label(collection, name),)
    return subtree(collection, name)
