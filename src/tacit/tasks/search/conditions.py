"""Filters as people write them: names of labels, NAME=VALUE and NAME=LOW..HIGH."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from tacit.errors import InputError, UnknownNameError, did_you_mean
from tacit.index import Filters
from tacit.index.records.rows import LONGEST_VALUE
from tacit.relations.taxonomy.matching import folded_loosely
from tacit.tasks.label_names import find_label, subtree
from tacit.tasks.opened_index import OpenedIndex

__all__ = ["as_texts", "read_conditions"]

_COMPARED = 20_000  # different values of a field that a text is compared with
_OFFERED = 3  # of those that have the words of a text
_WORD = re.compile(r"\w+")
_COMPARISON = re.compile(r"(?P<name>[^<>=]+)(?P<sign>[<>])=?(?P<end>.+)")
_WITH_DASH = re.compile(r"(\d+)\s*[-–]\s*(\d+)")


def read_conditions(
    collection: OpenedIndex,
    *,
    labels: Sequence[str] = (),
    under: Sequence[str] = (),
    where: Sequence[str] = (),
    ranges: Sequence[str] = (),
    links: Sequence[str] = (),
) -> Filters | None:
    """Turn conditions into filters; None if there are none.

    Parameters
    ----------
    collection : an open index
    labels : names or ids of labels that a record has
    under : the same, but narrower labels count as well
    where : FIELD=VALUE; values of the same field are alternatives; LINK=TARGET if there is no such field
    ranges : FIELD=LOW..HIGH, both ends included; one of them may be missing
    links : LINK=TARGET

    Raises
    ------
    InputError
        If a name is unknown, since an empty result would look like an answer, or a condition is not written so.
    """
    if not (labels or under or where or ranges or links):
        return None
    known = {kind: collection.store.names(kind) for kind in ("fields", "links")}
    fields: dict[str, list[Any]] = {}
    targets: dict[str, list[str]] = {}
    for name, value in _named(_pairs("where", where), [*known["fields"], *known["links"]]):
        if name in known["links"] and name not in known["fields"]:
            targets.setdefault(name, []).extend(_values(collection, "links", name, value, "where"))
            continue
        _check_known("where", name, known["fields"])
        fields.setdefault(name, []).extend(_values(collection, "fields", name, value, "where"))
    for name, value in _named(_pairs("links", links), known["links"]):
        _check_known("links", name, known["links"])
        targets.setdefault(name, []).extend(_values(collection, "links", name, value, "links"))
    between = {name: _range(name, text) for name, text in _named(_pairs("ranges", ranges), known["fields"])}
    for name in between:
        _check_known("ranges", name, known["fields"])
        _check_comparable(collection, name, between[name])
    wanted = [find_label(collection, name) for name in labels]
    below = [_below(collection, name) for name in under]
    return Filters(labels=[*wanted, *below], links=targets, fields=fields, ranges=between)


def as_texts(argument: str, given: Any) -> list[str]:
    """Return conditions as texts: one text, several, or a mapping of names to values or to lists of them."""
    if isinstance(given, str):
        return [given]
    if not isinstance(given, Mapping):
        return [str(one) for one in given]
    if argument == "ranges":
        return [f"{name}={_end(low)}..{_end(high)}" for name, (low, high) in given.items()]
    values = {name: value if isinstance(value, (list, tuple, set)) else [value] for name, value in given.items()}
    return [f"{name}={value}" for name, listed in values.items() for value in listed]


def _end(value: Any) -> str:
    return "" if value is None else str(value)


def _named(pairs: Sequence[tuple[str, str]], known: Sequence[str]) -> list[tuple[str, str]]:
    """Return pairs with the names as they are known, apart from case, accents and white space."""
    spelt = {folded_loosely(name): name for name in known}
    return [(name if name in known else spelt.get(folded_loosely(name), name), value) for name, value in pairs]


def _values(collection: OpenedIndex, kind: str, name: str, value: str, argument: str) -> list[Any]:
    """Return the stored values that a text means: itself, or those that differ in case, accents and white space.

    A value that no record has is an error with the nearest one, if one is near: an empty result would not say why.
    """
    number = _number(value) if kind == "fields" else None  # a CSV file has texts only, JSON has numbers too
    given: list[Any] = [value] if number is None else [value, number]
    store = collection.store
    if len(value) > LONGEST_VALUE or number is not None or store.has_value(kind, name, value):
        return given
    stored = store.different_values(kind, name, _COMPARED)
    wanted = folded_loosely(value)
    alike = [one for one in stored if folded_loosely(one) == wanted]
    if not alike and (meant := _with_words_of(wanted, stored) or did_you_mean(value, stored)):
        raise UnknownNameError(f"{argument} has an unknown value: got {name}={value}, which no record has.{meant}")
    return alike or given


def _with_words_of(wanted: str, stored: Sequence[str]) -> str:
    """Return a question about stored values that have all words of a value: somebody's surname, for example."""
    words = set(_WORD.findall(wanted))
    if not words:
        return ""
    found = [one for one in stored if words.issubset(_WORD.findall(folded_loosely(one)))]
    more = " or others" if len(found) > _OFFERED else ""
    return f" Did you mean {' or '.join(map(repr, found[:_OFFERED]))}{more}?" if found else ""


def _check_known(argument: str, name: str, known: Sequence[str]) -> None:
    if name not in known:
        expected = f"one of {', '.join(known[:10])}" if known else "none, since no record has any"
        meant = did_you_mean(name, known)
        raise InputError(f"{argument} has an unknown name: got {name!r}, expected {expected}.{meant}")


def _check_comparable(collection: OpenedIndex, name: str, ends: tuple[Any, Any]) -> None:
    """Raise if a range of numbers or dates is asked for in a field that has other texts only."""
    if collection.store.span(name) != (None, None) or not all(str(end)[0].isdigit() for end in ends if end):
        return
    stored = collection.store.different_values("fields", name, _COMPARED)
    if stored and not any(value[:1].isdigit() for value in stored):
        raise InputError(
            f"ranges is for numbers and dates: got {name}, which has texts such as {stored[0]!r}. Use `where`: "
            f"{name}={stored[0]}."
        )


def _below(collection: OpenedIndex, name: str) -> tuple[str, ...]:
    """Return a label and all below it; errors name the argument."""
    try:
        return subtree(collection, name)
    except InputError as error:
        error.args = (re.sub(r"^label(?= )", "under", str(error)),)
        raise


def _pairs(argument: str, texts: Sequence[str]) -> list[tuple[str, str]]:
    pairs = []
    for text in texts:
        name, sign, value = text.partition("=")
        form = "NAME=LOW..HIGH" if argument == "ranges" else "NAME=VALUE"
        if argument == "ranges" and (compared := _COMPARISON.fullmatch(text)):
            below, end = compared["sign"] == "<", compared["end"].strip()
            meant = f"{compared['name'].strip()}={f'..{end}' if below else f'{end}..'}"
            raise InputError(f"{argument} must look like {form}: got {text!r}. Write {meant}")
        if not sign or not name.strip():
            raise InputError(f"{argument} must look like {form}: got {text!r}, without the sign =.")
        pairs.append((name.strip(), value.strip()))
    return pairs


def _range(name: str, text: str) -> tuple[Any, Any]:
    low, dots, high = text.partition("..")
    if not dots:
        if (found := _WITH_DASH.fullmatch(text.strip())) and (len(found[1]), len(found[2])) != (
            4,
            2,
        ):  # 1990-05 is a month
            raise InputError(
                f"ranges must look like NAME=LOW..HIGH: got {name}={text!r}. Write {name}={found[1]}..{found[2]}."
            )
        low, high = text, text
    first, last = (end.strip() or None for end in (low, high))
    if first is None and last is None:
        raise InputError(f"ranges must look like NAME=LOW..HIGH: got {name}={text!r}, with neither LOW nor HIGH.")
    return first, last


def _number(text: str) -> int | float | None:
    """Read text as a finite number; None for anything else."""
    for kind in (int, float):
        try:
            number = kind(text)
        except ValueError:
            continue
        return number if abs(number) < 1e300 else None  # not for infinity and what is not a number
    return None
