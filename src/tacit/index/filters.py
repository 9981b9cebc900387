"""Filters: which records a question is about, by their labels, links and fields, as a condition in SQL."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tacit.errors import InputError
from tacit.index.plain import check_encodable
from tacit.index.rows import LONGEST_VALUE, as_value

__all__ = ["Filters"]

_LARGEST = 2**53  # whole numbers up to here are the same in SQLite and in Python
_LAST = "\U0010ffff"  # sorts after every character that texts use


@dataclass(frozen=True)
class Filters:
    """Conditions that a record has to meet, all of them.

    Parameters
    ----------
    labels : sequence of str or of collections of str, default ()
        For each entry the record bears that label, or one of that collection: a label with everything below it in the
        taxonomy is one collection.
    links : mapping of str to str or to a collection of str, default {}
        The record has a link of that name to that target, or to one of them.
    fields : mapping of str to a value or to a collection of values, default {}
        The field has that value, or one of them; a field that is a list has each of its items. Values of more than
        200 characters cannot be filtered by.
    ranges : mapping of str to (low, high), default {}
        The field lies in the range, both ends included; None is no limit. Numbers are compared with numbers and texts
        with texts; a text that is a number, as it is typed or stands in a CSV file, is compared with both. The high end
        of a text includes what starts with it, so that `("2024-03", "2024")` is March to the last day of December.
        Dates are their ISO text.

    Examples
    --------
    >>> Filters(labels=["sea"], ranges={"year": (1950, None)}).condition()[1]
    ['["sea"]', 'year', 1950]
    """

    labels: Sequence[str | Collection[str]] = ()
    links: Mapping[str, str | Collection[str]] = field(default_factory=dict)
    fields: Mapping[str, Any] = field(default_factory=dict)
    ranges: Mapping[str, tuple[Any, Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if isinstance(self.labels, str):
            raise InputError(
                f"labels is a single string: got {self.labels!r}, expected a sequence. Write [{self.labels!r}]."
            )

    def condition(self, column: str = "number", *, each: bool = False) -> tuple[str, list[Any]]:
        """Give a condition on the column that holds the number, and its parameters; empty if nothing is asked for.

        With `each`, SQLite looks up every number it comes across, which is right for few of them; otherwise it first
        gathers all numbers that pass.
        """
        parts = self.parts()
        form = "EXISTS ({sql} AND number = {column})" if each else "{column} IN ({sql})"
        joined = " AND ".join(form.format(sql=sql, column=column) for sql, _ in parts)
        return joined, [value for _, values in parts for value in values]

    def parts(self) -> list[tuple[str, list[Any]]]:
        """Give for each thing that is asked for a query of the numbers that meet it, and its parameters."""
        parts = [_with_label(_collection(label)) for label in self.labels]
        parts += [_with_link(name, _collection(targets)) for name, targets in self.links.items()]
        parts += [_with_value(name, _collection(values)) for name, values in self.fields.items()]
        return parts + [_in_range(name, limits) for name, limits in self.ranges.items()]


def _collection(values: Any) -> list[Any]:
    """Give one value as a list of one."""
    single = isinstance(values, (str, bytes)) or not isinstance(values, Collection)
    return [values] if single else list(values)


def _with_label(labels: list[Any]) -> tuple[str, list[Any]]:
    # one parameter however many labels: a subtree may have more than SQLite has parameters
    texts = [_text("labels", label) for label in labels]
    return "SELECT number FROM labels WHERE label IN (SELECT value FROM json_each(?))", [json.dumps(texts)]


def _with_link(name: str, targets: list[Any]) -> tuple[str, list[Any]]:
    texts = [_text(f"links[{name!r}]", target) for target in targets]
    sql = "SELECT number FROM links WHERE name = ? AND target IN (SELECT value FROM json_each(?))"
    return sql, [_text("links", name), json.dumps(texts)]


def _with_value(name: str, values: list[Any]) -> tuple[str, list[Any]]:
    # as parameters, not as JSON: reading numbers from text may round them otherwise than Python did
    plain = [_value(f"fields[{name!r}]", value) for value in values]
    marks = ", ".join("?" * len(plain))
    sql = f"SELECT number FROM field_values WHERE name = ? AND value IN ({marks})"
    return sql, [_text("fields", name), *plain]


def _in_range(name: str, limits: tuple[Any, Any]) -> tuple[str, list[Any]]:
    argument = f"ranges[{name!r}]"
    if isinstance(limits, str) or not isinstance(limits, Sequence) or len(limits) != 2:
        raise InputError(f"{argument} is no range: got {limits!r}, expected (low, high), with None for no limit.")
    low, high = (None if limit is None else _value(argument, limit) for limit in limits)
    given = [limit for limit in (low, high) if limit is not None]
    if not given or len({isinstance(limit, str) for limit in given}) > 1:
        raise InputError(f"{argument} is no range: got {limits!r}, expected one limit, or two of the same kind.")
    # SQLite sorts every number before every text, so the empty text parts them
    if isinstance(given[0], str):
        sql, values = "value >= ? AND value < ?", ["" if low is None else low, f"{high or ''}{_LAST}"]
        numbers = [None if limit is None else _as_number(str(limit)) for limit in (low, high)]
        if sum(number is not None for number in numbers) == len(given):
            sql = f"({sql} OR value < '' AND value >= ? AND value <= ?)"
            values += [-_LARGEST if numbers[0] is None else numbers[0], _LARGEST if numbers[1] is None else numbers[1]]
    else:
        sql, values = "value < ''", []
        sql += "" if low is None else " AND value >= ?"
        sql += "" if high is None else " AND value <= ?"
        values += given
    return f"SELECT number FROM field_values WHERE name = ? AND {sql}", [_text("ranges", name), *values]


def _as_number(text: str) -> int | float | None:
    """Read a number that was typed; None for anything else."""
    for kind in (int, float):
        with contextlib.suppress(ValueError, OverflowError):
            number = kind(text)
            return number if abs(number) <= _LARGEST else None
    return None


def _text(argument: str, value: object) -> str:
    if not isinstance(value, str):
        raise InputError(f"{argument} is no text: got {value!r}, expected a string.")
    check_encodable(value, argument)
    return str(value)


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
