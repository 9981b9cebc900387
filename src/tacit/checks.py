"""Checks that every room uses: ranges, choices, row counts, finiteness, and the one place where a seed becomes a generator.

A leaf: it imports `errors` only. Each check names the argument as the caller typed it and shows the value before it is changed.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Collection, Iterable
from numbers import Integral, Real
from typing import Any

import numpy as np
import scipy.sparse as sp

from tacit.errors import InputError

__all__ = ["as_rng", "check_choice", "check_count", "check_finite", "check_number", "check_rows", "human_size", "shown"]


def check_number(
    name: str, value: object, *, low: float = 0.0, high: float = math.inf, open_low: bool = False, open_high: bool = False
) -> float:
    """Give `value` back as a float if it lies in the range, else raise an `InputError` that names the range."""
    rule = f"a number {'above' if open_low else 'of at least'} {low:g}"
    if high < math.inf:
        rule += f" and {'below' if open_high else 'at most'} {high:g}"
    inside = (
        isinstance(value, Real)
        and not isinstance(value, (bool, np.bool_))
        and math.isfinite(value)
        and (value > low if open_low else value >= low)
        and (value < high if open_high else value <= high)
    )
    if not inside:
        raise InputError(f"{name} is out of range: got {value!r}, expected {rule}.")
    return float(value)  # type: ignore[arg-type]


def check_count(name: str, value: object, *, low: int = 1) -> int:
    """Give `value` back as an int if it is a whole number of at least `low`."""
    if not isinstance(value, Integral) or isinstance(value, (bool, np.bool_)) or value < low:
        raise InputError(f"{name} is out of range: got {value!r}, expected a whole number of at least {low}.")
    return int(value)


def check_choice(name: str, value: object, choices: Collection[str]) -> str:
    """Give `value` back if it is one of `choices`; offer the nearest one if not."""
    if isinstance(value, str) and value in choices:
        return value
    near = difflib.get_close_matches(str(value), list(choices), n=1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    raise InputError(f"{name} is unknown: got {value!r}, expected one of {', '.join(map(repr, choices))}.{hint}")


def check_rows(name: str, n_got: int, n_expected: int, *, of: str = "X") -> None:
    """Raise if two things that describe the same records have different numbers of rows."""
    if n_got != n_expected:
        raise InputError(
            f"{name} does not match {of}: got {n_got} rows for {n_expected} records, expected one row a record in the same order."
        )


def check_finite(name: str, values: Any) -> None:
    """Raise if an array or the stored values of a sparse matrix hold NaN or infinity; say where the first one is."""
    data = values.data if sp.issparse(values) else np.asarray(values)
    if data.dtype.kind not in "fc" or np.isfinite(data.sum(dtype=np.float64)) or np.isfinite(data).all():
        return
    bad = int(np.flatnonzero(~np.isfinite(data.ravel()))[0])
    row = int(np.searchsorted(values.indptr, bad, side="right") - 1) if sp.issparse(values) else bad // max(1, data[0].size)
    kind = "NaN" if np.isnan(data.ravel()[bad]) else "infinity"
    raise InputError(f"{name} contains {kind}: the first one is in row {row}. Replace or drop such values.")


def as_rng(random_state: None | int | np.random.RandomState | np.random.Generator) -> np.random.Generator:
    """Turn what scikit-learn calls a random state into a generator; the same seed gives the same generator."""
    if isinstance(random_state, np.random.Generator):
        return random_state
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(2**31 - 1))
    if random_state is None or isinstance(random_state, Integral):
        if random_state is not None and random_state < 0:
            raise InputError(f"random_state is out of range: got {random_state}, expected a whole number of at least 0.")
        return np.random.default_rng(None if random_state is None else int(random_state))
    raise InputError(f"random_state is not a seed: got {random_state!r}, expected None, a whole number or a generator.")


def human_size(n_bytes: float) -> str:
    """Write a number of bytes for people: 1536 is '1.5 KiB'."""
    for unit in ("bytes", "KiB", "MiB", "GiB"):
        if n_bytes < 1024:
            return f"{n_bytes:.0f} bytes" if unit == "bytes" else f"{n_bytes:.1f} {unit}"
        n_bytes /= 1024
    return f"{n_bytes:.1f} TiB"


def shown(names: Iterable[object], limit: int = 5) -> str:
    """List a few names for a message, and say how many more there are."""
    listed = list(names)
    text = ", ".join(repr(str(name)) for name in listed[:limit])
    return text + (f" and {len(listed) - limit} more" if len(listed) > limit else "")
