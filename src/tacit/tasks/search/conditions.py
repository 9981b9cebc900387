"""Filters as people write them: names of labels, NAME=VALUE and NAME=LOW..HIGH."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from tacit.errors import InputError
from tacit.index import Filters
from tacit.tasks.label_names import find_label, subtree
from tacit.tasks.opened_index import OpenedIndex

__all__ = ["read_conditions"]


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
    for name, value in _pairs("where", where):
        if name in known["links"] and name not in known["fields"]:
            targets.setdefault(name, []).append(value)
            continue
        _check_known("where", name, known["fields"])
        number = _number(value)  # a CSV file has texts only, JSON has numbers too
        fields.setdefault(name, []).extend([value] if number is None else [value, number])
    for name, value in _pairs("links", links):
        _check_known("links", name, known["links"])
        targets.setdefault(name, []).append(value)
    between = {name: _range(name, text) for name, text in _pairs("ranges", ranges)}
    for name in between:
        _check_known("ranges", name, known["fields"])
    wanted = [find_label(collection, name) for name in labels]
    below = [_below(collection, name) for name in under]
    return Filters(labels=[*wanted, *below], links=targets, fields=fields, ranges=between)


def _check_known(argument: str, name: str, known: Sequence[str]) -> None:
    if name not in known:
        expected = f"one of {', '.join(known[:10])}" if known else "none, since no record has any"
        raise InputError(f"{argument} has an unknown name: got {name!r}, expected {expected}.")


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
        if not sign or not name.strip():
            raise InputError(f"{argument} must look like NAME=VALUE: got {text!r}.")
        pairs.append((name.strip(), value.strip()))
    return pairs


def _range(name: str, text: str) -> tuple[Any, Any]:
    low, dots, high = text.partition("..")
    if not dots:
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
