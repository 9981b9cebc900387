"""Values of fields as JSON can hold them: what formats and libraries give is converted, and the rest is refused.

A record is one of a million, so a value that cannot be stored is left out and counted; it does not stop a build.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import date, time, timedelta
from decimal import Decimal
from typing import Any

__all__ = ["DEEPEST", "OddValueError", "is_whole", "plain_value", "whole_text_of"]

DEEPEST = 100  # levels of lists and dictionaries in a field


class OddValueError(ValueError):
    """A value that cannot be stored; the message says why."""


def is_whole(text: str) -> bool:
    """Whether a text has no half of a surrogate pair, which JSON can spell and no encoding can write."""
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def whole_text_of(text: str) -> str:
    """Return a text with a question mark in the place of each half of a surrogate pair."""
    return text.encode("utf-8", "replace").decode()


def plain_value(value: Any, depth: int = 0) -> Any:
    """Return a value as text, number, bool, None, or lists and dictionaries of these; raise `OddValueError` if none is.

    Decimal numbers become numbers, durations seconds, dates ISO 8601, and bytes text.
    """
    if value is None or isinstance(value, (bool, int)):
        return value
    if isinstance(value, str):
        return value if is_whole(value) else whole_text_of(value)
    if depth >= DEEPEST:
        raise OddValueError(f"more than {DEEPEST} levels inside each other")
    if isinstance(value, timedelta):
        value = value.total_seconds()
    if isinstance(value, (float, Decimal)):
        if not math.isfinite(value):
            raise OddValueError(f"{value} is no number")
        is_integer = isinstance(value, Decimal) and value == value.to_integral_value() and value.adjusted() < 18
        return int(value) if is_integer else float(value)
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, Mapping):
        return {whole_text_of(str(name)): plain_value(item, depth + 1) for name, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [plain_value(item, depth + 1) for item in value]
    if isinstance(value, (date, time)):
        return value.isoformat()
    if hasattr(value, "tolist"):  # arrays and numbers of NumPy
        return plain_value(value.tolist(), depth + 1)
    raise OddValueError(f"a {type(value).__name__} is neither text nor number")
