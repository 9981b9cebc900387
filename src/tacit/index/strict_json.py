"""JSON that is read back as the same data.

Python's `json` turns the number 1 as a key into "1", and writes NaN, which other readers reject. Both are errors here.
"""

from __future__ import annotations

import datetime
import json
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from tacit.errors import InputError

__all__ = ["check_encodable", "first_line", "from_json", "plain", "to_json"]


def to_json(value: object, name: str, *, indent: int | None = None) -> str:
    """Return plain data as JSON; `name` is its name in error messages.

    Tuples and arrays become lists, dates and times become ISO 8601 text. Anything else that JSON would change is an
    error.
    """
    try:
        text = json.dumps(plain(value, name), ensure_ascii=False, allow_nan=False, indent=indent)
    except ValueError as error:
        if isinstance(error, InputError):
            raise
        # Python refuses to write integers of thousands of digits
        raise InputError(f"{name} cannot be written: got {first_line(error)!r}, expected plain data.") from error
    check_encodable(text, name)
    return text


def from_json(text: str | bytes, source: str) -> Any:
    """Read JSON; `source` is its name in error messages."""
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise InputError(
            f"{source} is damaged: got {first_line(error)!r}, expected JSON. Restore it from a copy or build again."
        ) from error


def plain(value: Any, name: str) -> Any:
    """Return a value as dictionaries, lists, strings, numbers, bool and None, or raise an `InputError`."""
    try:
        return _plain(value, name)
    except RecursionError as error:
        raise InputError(f"{name} is nested too deeply: got something inside itself, expected plain data.") from error


def check_encodable(text: str, name: str) -> None:
    """Raise if a text holds half a surrogate pair, which UTF-8 cannot encode."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise InputError(
            f"{name} cannot be written in UTF-8: got the character {text[error.start]!r}, expected whole characters. "
            "Replace it, for instance with text.encode('utf-8', 'replace').decode()."
        ) from error


def _plain(value: Any, name: str) -> Any:
    if value is None or isinstance(value, (str, bool, int)):
        return value if not isinstance(value, np.str_) else str(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise InputError(
                f"{name} is not finite: got {float(value)!r}, expected a finite number. Leave it out or use None."
            )
        return float(value)
    if isinstance(value, Mapping):
        return {_key(key, name): _plain(inner, f"{name}[{key!r}]") for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(inner, f"{name}[{place}]") for place, inner in enumerate(value)]
    if isinstance(value, (datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, (np.generic, np.ndarray)) and value.dtype.kind in "biufU":
        return _plain(value.tolist(), name)
    raise InputError(
        f"{name} is not plain data: got {type(value).__name__}, "
        "expected text, numbers, dates, None, or lists and dictionaries of them."
    )


def _key(key: object, name: str) -> str:
    if not isinstance(key, str):
        raise InputError(f"{name} has a key that is not text: got {key!r}, expected strings. Write str({key!r}).")
    return str(key)


def _refuse_constant(constant: str) -> None:
    raise ValueError(f"{constant} is not JSON")


def first_line(error: BaseException) -> str:
    """Return the first line of an error's message, or its type if it has none."""
    return str(error).splitlines()[0] if str(error) else type(error).__name__
