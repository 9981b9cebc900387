"""Filters: conditions on the labels, links and fields of records, and the SQL that tests them."""

from __future__ import annotations

import contextlib
import json
import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from tacit.errors import InputError
from tacit.index.records.rows import LONGEST_VALUE, as_value
from tacit.index.records.schema import has_letters
from tacit.index.strict_json import check_encodable

__all__ = ["Condition", "Filters", "Span"]

_LARGEST = 2**53  # integers up to here are the same in SQLite and in Python
_LAST = "\U0010ffff"  # sorts after every character that texts use
_FOUND = "SELECT rowid AS number FROM words WHERE words MATCH ?"
_WORDS = {  # queries for records that have, lack, or have in the title, a phrase
    "having": f"SELECT number FROM ({_FOUND}) WHERE 1",
    "lacking": f"SELECT number FROM records WHERE removed = 0 AND number NOT IN ({_FOUND})",
    "titled": f"SELECT number FROM ({_FOUND}) WHERE 1",
}
_TABLES = {"labels": ("labels", "label"), "links": ("links", "target"), "fields": ("field_values", "value")}


@dataclass(frozen=True)
class Filters:
    """Conditions that a record has to meet, all of them.

    Parameters
    ----------
    labels : sequence of str or of collections of str, default ()
        For each entry the record has that label, or one of that collection: a label with everything below it in the
        taxonomy is one collection.
    links : mapping of str to str or to a collection of str, default {}
        The record has a link of that name to that target, or to one of them.
    fields : mapping of str to a value or to a collection of values, default {}
        The field has that value, or one of them; a field that is a list has each of its items. Values of more than
        200 characters cannot be filtered by.
    ranges : mapping of str to (low, high), default {}
        The field is in the range, both ends included; None is no limit. Numbers are compared with numbers and texts
        with texts; a limit that is text but looks like a number is compared with both. The upper limit of a text
        includes everything that starts with it, so that `("2024-03", "2024")` is March to the end of December. Dates
        are compared as ISO text.
    having, lacking, titled : sequence of str, default ()
        Words or phrases that the title or text has, that neither has, or that the title has. Case and accents make no
        difference.

    Examples
    --------
    >>> Filters(labels=["sea"], ranges={"year": (1950, None)}).sql()[1]
    ['["sea"]', 'year', 1950, '']
    """

    labels: Sequence[str | Collection[str]] = ()
    links: Mapping[str, str | Collection[str]] = field(default_factory=dict)
    fields: Mapping[str, Any] = field(default_factory=dict)
    ranges: Mapping[str, tuple[Any, Any]] = field(default_factory=dict)
    having: Sequence[str] = ()
    lacking: Sequence[str] = ()
    titled: Sequence[str] = ()

    def __post_init__(self) -> None:
        for name in ("labels", *_WORDS):
            given = getattr(self, name)
            if isinstance(given, str):
                raise InputError(f"{name} is a single string: got {given!r}, expected a sequence. Write [{given!r}].")

    @staticmethod
    def check(filters: Any) -> None:
        """Raise if what was given as `filters` are not filters; None is none."""
        if filters is not None and not isinstance(filters, Filters):
            raise InputError(
                f"filters is not a tacit.Filters: got {type(filters).__name__}, expected tacit.Filters(...). "
                "The filters() of an open collection makes them from names as people write them."
            )

    def sql(self, column: str = "number") -> tuple[str, list[Any]]:
        """Return a SQL test of the record number in a column, and its parameters; empty without conditions.

        SQLite looks up each number that it tests, which is fast for few of them.
        """
        queries = [condition.query() for condition in self.conditions()]
        joined = " AND ".join(f"EXISTS ({sql} AND number = {column})" for sql, _ in queries)
        return joined, [value for _, values in queries for value in values]

    def conditions(self) -> list[Condition]:
        """Return the conditions, checked."""
        found = [Condition("labels", "", _texts("labels", label)) for label in self.labels]
        for name, targets in self.links.items():
            found.append(Condition("links", _text("links", name), _texts(f"links[{name!r}]", targets)))
        for name, values in self.fields.items():
            allowed = tuple(_value(f"fields[{name!r}]", value) for value in _all(values))
            found.append(Condition("fields", _text("fields", name), allowed))
        for name, limits in self.ranges.items():
            found.append(Condition("fields", _text("ranges", name), spans=_spans(f"ranges[{name!r}]", limits)))
        found += [Condition(kind, "", (_phrase(kind, text),)) for kind in _WORDS for text in getattr(self, kind)]
        return found


class Span(NamedTuple):
    """Values from `low` to `end`, in SQLite's order; `end` is included if the span is closed.

    SQLite sorts every number before every text, so that the empty text is above all numbers.
    """

    low: str | int | float
    end: str | int | float
    closed: bool


@dataclass(frozen=True)
class Condition:
    """One condition on "labels", "links" or "fields": a record has one of these values, or a field is in these spans.

    The name is that of the link or field, and empty for labels. The value of "having", "lacking" or "titled" is a
    phrase in the syntax of FTS5.
    """

    kind: str
    name: str
    values: tuple[Any, ...] = ()
    spans: tuple[Span, ...] = ()

    def query(self) -> tuple[str, list[Any]]:
        """Return a query of the matching numbers, to which `AND ...` can be added, and its parameters."""
        if self.of_words:
            return _WORDS[self.kind], list(self.values)
        table, column = _TABLES[self.kind]
        test, values = self.test(column)
        of_name, names = self._of_name()
        return f"SELECT number FROM {table} WHERE {of_name} AND {test}", [*names, *values]

    @property
    def of_words(self) -> bool:
        """Whether it is about the words of title and text."""
        return self.kind in _WORDS

    def every_value(self) -> tuple[str, list[Any]]:
        """Return a query of all values of that name with the numbers of their records, in order."""
        table, column = _TABLES[self.kind]
        of_name, names = self._of_name()
        return f"SELECT {column}, number FROM {table} WHERE {of_name} AND {column} NOT NULL ORDER BY 1, 2", names

    def test(self, column: str) -> tuple[str, list[Any]]:
        """Return the SQL test of a value in a column, and its parameters."""
        if self.spans:
            tests = [f"{column} >= ? AND {column} {'<=' if span.closed else '<'} ?" for span in self.spans]
            return f"({' OR '.join(tests)})", [limit for span in self.spans for limit in span[:2]]
        if self.kind == "fields":
            # as parameters, not as JSON: SQLite may round a number in JSON differently from Python
            return f"{column} IN ({', '.join('?' * len(self.values))})", list(self.values)
        # one parameter for all labels: a subtree may have more labels than SQLite allows parameters
        return f"{column} IN (SELECT value FROM json_each(?))", [json.dumps(self.values)]

    def _of_name(self) -> tuple[str, list[Any]]:
        return ("1", []) if self.kind == "labels" else ("name = ?", [self.name])


def _all(values: Any) -> list[Any]:
    """Return a single value as a list."""
    single = isinstance(values, (str, bytes)) or not isinstance(values, Collection)
    return [values] if single else list(values)


def _texts(argument: str, values: Any) -> tuple[str, ...]:
    return tuple(_text(argument, value) for value in _all(values))


def _spans(argument: str, limits: tuple[Any, Any]) -> tuple[Span, ...]:
    """Return the values between two limits: texts, numbers, or both if the limits are text that looks like numbers."""
    if isinstance(limits, str) or not isinstance(limits, Sequence) or len(limits) != 2:
        raise InputError(f"{argument} is not a range: got {limits!r}, expected (low, high), with None for no limit.")
    low, high = (None if limit is None else _value(argument, limit) for limit in limits)
    given = [limit for limit in (low, high) if limit is not None]
    if not given or len({isinstance(limit, str) for limit in given}) > 1:
        raise InputError(f"{argument} is not a range: got {limits!r}, expected one limit, or two of the same type.")
    if not isinstance(given[0], str):
        return (_of_numbers(low, high),)
    texts = Span("" if low is None else low, f"{high or ''}{_LAST}", False)
    numbers = [None if limit is None else _as_number(str(limit)) for limit in (low, high)]
    typed = sum(number is not None for number in numbers) == len(given)
    return (texts, _of_numbers(*numbers)) if typed else (texts,)


def _of_numbers(low: Any, high: Any) -> Span:
    return Span(-math.inf if low is None else low, "" if high is None else high, high is not None)


def _as_number(text: str) -> int | float | None:
    """Read text as a number; None for anything else."""
    for kind in (int, float):
        with contextlib.suppress(ValueError, OverflowError):
            number = kind(text)
            return number if abs(number) <= _LARGEST else None
    return None


def _text(argument: str, value: object) -> str:
    if not isinstance(value, str):
        raise InputError(f"{argument} is not text: got {value!r}, expected a string.")
    check_encodable(value, argument)
    return str(value)


def _phrase(kind: str, value: object) -> str:
    """Write a word or phrase for FTS5, which makes words of letters, numbers and private use."""
    text = _text(kind, value).replace("\0", " ").replace('"', " ")
    if not has_letters(text):
        raise InputError(f"{kind} has no word: got {value!r}, expected words or phrases.")
    return f'title : "{text}"' if kind == "titled" else f'"{text}"'


def _value(argument: str, value: object) -> str | int | float:
    try:
        plain = as_value(value)
    except (InputError, OverflowError) as error:
        raise InputError(
            f"{argument} cannot be compared: got {value!r}, expected text, a finite number or a date."
        ) from error
    if isinstance(plain, str):
        check_encodable(plain, argument)
        if len(plain) > LONGEST_VALUE:
            raise InputError(
                f"{argument} is too long to filter by: got {len(plain)} characters, expected at most {LONGEST_VALUE}."
            )
    return plain
