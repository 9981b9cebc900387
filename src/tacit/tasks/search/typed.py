"""What somebody who typed a query means: its conditions, records that are called so, and words that are misspelt.

A query has words, "phrases", -words, title:words and label:names. Everything else is words, so that no query is an
error: an unknown operator, a label that does not exist, a quotation mark without a second one. A text that is longer
than anybody types is words, too, whatever signs it has.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

import numpy as np

from tacit.errors import InputError
from tacit.index import Filters
from tacit.index.records.schema import clean_text, has_letters
from tacit.relations.taxonomy.matching import folded_loosely
from tacit.tasks.label_names import find_label, subtree
from tacit.tasks.opened_index import OpenedIndex
from tacit.tasks.search.forms import other_forms
from tacit.tasks.search.spelling import corrected
from tacit.types import IntArray

__all__ = ["Query", "Typed", "first_of", "read_query", "understand"]

_WORD = re.compile(r"[^\W\d_]+")
_LONGEST_TYPED = 300  # characters; a longer query is a text
_PART = re.compile(r'(?<!\S)(?P<sign>-|(?:title|label):)?(?:"(?P<phrase>[^"]+)"|(?P<word>[^\s"]+))', re.IGNORECASE)


@dataclass(frozen=True, eq=False)
class Typed:
    """A query that was understood.

    Attributes
    ----------
    text : words to search for; empty if there are conditions only
    forms : other forms of some of these words, which are searched for as well
    filters : those given, and those of the query
    called : numbers of records whose id or title was typed
    meant : the query with known words in place of misspelt ones; None if nothing is misspelt
    used : bool, whether `text` is already that of `meant`, since no word of the query is known
    """

    text: str
    filters: Filters | None
    called: IntArray
    meant: str | None = None
    used: bool = False
    forms: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """The words to search for with their other forms."""
        return " ".join((self.text, *self.forms))

    def in_space(self, collection: OpenedIndex) -> str:
        """Return the words that are placed in the space: with stems, other forms are the same words."""
        words = collection.space.words
        return self.text if words is not None and words.settings.stem else self.words


def understand(collection: OpenedIndex, query: str, filters: Filters | None, *, titles: bool = True) -> Typed:
    """Read a query; with `titles` records that are called so are looked up, too.

    Raises
    ------
    InputError
        If there are neither words nor conditions.
    """
    query = clean_text(query)
    parts = read_query(query)
    text, joined = _as_filters(collection, parts, filters)
    if not text and joined is None:
        raise InputError(f"query is empty: got {query!r}, expected some words.")
    called = _called(collection, query.strip(), joined) if titles else _NOBODY
    if len(query) > _LONGEST_TYPED or not text:
        return Typed(text, joined, called)
    forms = other_forms(collection, text)
    named = {word.lower() for name in parts.labels for word in _WORD.findall(name)}  # of labels that there are
    known = named.difference(map(str.lower, _WORD.findall(text)))
    found = None if len(called) else corrected(collection, query, text, forms=forms, known=known)
    if found is None or not found[1]:
        return Typed(text, joined, called, None if found is None else found[0], forms=tuple(forms.values()))
    text, joined = _as_filters(collection, read_query(found[0]), filters)
    called = _called(collection, found[0].strip(), joined) if titles else _NOBODY
    return Typed(text, joined, called, found[0], used=True)


def first_of(numbers: IntArray, called: IntArray) -> IntArray:
    """Return where the records of a list go if those that were called by name come first: -1 for new ones."""
    places = {number: place for place, number in enumerate(numbers.tolist())}
    first = [places.get(number, -1) for number in called.tolist()]
    moved = set(first)
    return np.array([*first, *(place for place in range(len(numbers)) if place not in moved)], np.int64)


_NOBODY: IntArray = np.empty(0, np.int64)


def _called(collection: OpenedIndex, text: str, filters: Filters | None) -> IntArray:
    """Return the records whose id or title is the text, apart from case, accents and white space."""
    if not text or len(text) > _LONGEST_TYPED:
        return _NOBODY
    bare = text[1:-1].strip() if len(text) > 2 and text[0] == text[-1] == '"' else text
    wanted = folded_loosely(bare)
    found = collection.store.called(bare)
    by_id = [number for number, key, _ in found if folded_loosely(key) == wanted]
    by_title = [number for number, _, title in found if title and folded_loosely(title) == wanted]
    numbers = np.array(list(dict.fromkeys([*by_id, *by_title])), np.int64)
    matching = collection.store.matching(filters)
    return numbers if matching is None else numbers[matching.contains(numbers)]


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
    if len(text) > _LONGEST_TYPED:
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


def _as_filters(collection: OpenedIndex, query: Query, filters: Filters | None) -> tuple[str, Filters | None]:
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
