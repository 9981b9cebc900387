"""Checks of arguments (ranges, choices, row counts, finiteness), random states, and text for messages.

Each check names the argument and shows the value as the caller passed them.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from numbers import Integral, Real
from typing import Any

import numpy as np
import scipy.sparse as sp

from tacit.errors import InputError, did_you_mean

__all__ = [
    "as_rng",
    "as_table",
    "check_choice",
    "check_count",
    "check_finite",
    "check_number",
    "check_rows",
    "check_sparse",
    "counted",
    "human_size",
    "is_outside_memory",
    "is_sparse",
    "shown",
]


def check_number(
    name: str,
    value: object,
    *,
    low: float = 0.0,
    high: float = math.inf,
    open_low: bool = False,
    open_high: bool = False,
) -> float:
    """Return `value` as a float if it is in the range, else raise an `InputError` that names the range."""
    rule = f"a number {'above' if open_low else 'of at least'} {low:g}"
    if high < math.inf:
        rule += f" and {'below' if open_high else 'at most'} {high:g}"
    number = float(value) if isinstance(value, Real) and not _is_bool(value) else math.nan
    above = number > low if open_low else number >= low
    below = number < high if open_high else number <= high
    if not (math.isfinite(number) and above and below):
        raise InputError(f"{name} is out of range: got {value!r}, expected {rule}.")
    return number


def check_count(name: str, value: object, *, low: int = 1) -> int:
    """Return `value` as an int if it is a whole number of at least `low`."""
    if not isinstance(value, Integral) or _is_bool(value) or int(value) < low:
        raise InputError(f"{name} is out of range: got {value!r}, expected a whole number of at least {low}.")
    return int(value)


def _is_bool(value: object) -> bool:
    """Whether it is a truth value, which Python counts as a whole number and which here is always a mistake."""
    return isinstance(value, (bool, np.bool_))


def check_choice(name: str, value: object, choices: Collection[str]) -> str:
    """Return `value` if it is one of `choices`; otherwise raise an `InputError` that offers the nearest one."""
    if isinstance(value, str) and value in choices:
        return value
    hint = did_you_mean(str(value), choices)
    raise InputError(f"{name} is unknown: got {value!r}, expected one of {', '.join(map(repr, choices))}.{hint}")


def check_rows(name: str, n_got: int, n_expected: int, *, of: str = "X") -> None:
    """Raise if two things that describe the same records have different numbers of rows."""
    if n_got != n_expected:
        raise InputError(
            f"{name} does not match {of}: got {n_got} rows for {n_expected} records, "
            "expected one row per record in the same order."
        )


def is_sparse(values: Any) -> bool:
    """Whether it is a SciPy sparse matrix or array; a plain bool, so that `Any` stays `Any` for the type checker."""
    return bool(sp.issparse(values))


def is_outside_memory(matrix: object) -> bool:
    """Whether products with a matrix, or with a part of it, read rows on disk or on a cluster."""
    return bool(getattr(matrix, "is_outside_memory", False))


def check_finite(name: str, values: Any) -> None:
    """Raise if an array or the stored values of a sparse matrix hold NaN or infinity; say where the first one is."""
    if is_sparse(values) and values.format not in ("csr", "csc", "coo"):
        values = values.tocoo()  # the other formats store entries in lists, in a dictionary or with padding
    data = values.data if is_sparse(values) else np.asarray(values)
    if data.dtype.kind not in "fc":
        return
    with np.errstate(over="ignore", invalid="ignore"):
        total = data.sum(dtype=np.result_type(data.dtype, np.float64))
    if np.isfinite(total) or np.isfinite(data).all():  # the sum nearly always is finite, and needs no array of booleans
        return
    bad = int(np.flatnonzero(~np.isfinite(data.ravel()))[0])
    row = values.tocoo().row[bad] if is_sparse(values) else bad // max(1, data[0].size if data.ndim else 1)
    kind = "NaN" if np.isnan(data.ravel()[bad]) else "infinity"
    raise InputError(f"{name} contains {kind}: the first one is in row {row}. Replace or drop such values.")


def check_sparse(name: str, values: Any) -> None:
    """Raise an `InputError` if the indices of a CSR or CSC matrix are not those of its shape.

    Compiled products follow them without a look. It reads the indices once: a millisecond per million.
    """
    if not is_sparse(values) or values.format not in ("csr", "csc"):
        return
    indptr, indices = values.indptr, values.indices
    n_lines, n_places = values.shape if values.format == "csr" else values.shape[::-1]
    if (
        len(indptr) != n_lines + 1
        or indptr[0] != 0
        or (np.diff(indptr) < 0).any()
        or not indptr[-1] <= min(len(indices), len(values.data))
        or (len(indices) and (indices.min() < 0 or indices.max() >= n_places))
    ):
        raise InputError(
            f"{name} is not a whole sparse matrix: got indices outside of its shape {values.shape}, expected those of "
            "existing rows and columns. Make it again from its entries."
        )


def as_table(name: str, values: Any, *, of: str = "record") -> Any:
    """Return a matrix of finite numbers, one row per `of`, as an array or CSR; float32 stays, all else is float64."""
    table = values.tocsr() if is_sparse(values) else np.asarray(values)
    if table.ndim != 2 or table.dtype.kind not in "biuf":
        raise InputError(
            f"{name} is not a matrix of numbers: got {table.dtype} values in {table.ndim} dimension(s), "
            f"expected one row of numbers per {of}."
        )
    check_finite(name, table)
    return table if table.dtype == np.float32 else table.astype(np.float64)


def as_rng(random_state: int | np.random.RandomState | np.random.Generator | None) -> np.random.Generator:
    """Return the generator for a random state of scikit-learn; the same seed gives the same generator.

    None draws from NumPy's global state, as in scikit-learn, so that `np.random.seed` repeats a whole pipeline.
    """
    if isinstance(random_state, np.random.Generator):
        return random_state
    if random_state is None:
        return np.random.default_rng(np.random.randint(2**31 - 1))  # noqa: NPY002 - the global state is intended
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(2**31 - 1))
    seed: object = random_state
    if not isinstance(seed, Integral):
        raise InputError(f"random_state is not a seed: got {seed!r}, expected None, a whole number or a generator.")
    return np.random.default_rng(check_count("random_state", seed, low=0))


def human_size(n_bytes: float) -> str:
    """Write a number of bytes for people: 1536 is '1.5 KiB'."""
    for unit in ("bytes", "KiB", "MiB", "GiB"):
        if n_bytes < 1024:
            return f"{n_bytes:.0f} bytes" if unit == "bytes" else f"{n_bytes:.1f} {unit}"
        n_bytes /= 1024
    return f"{n_bytes:.1f} TiB"


def counted(n: int, noun: str, plural: str = "") -> str:
    """Write a number with its noun: 1 is '1 record', 2000 is '2,000 records'."""
    return f"{n:,} {noun if n == 1 else plural or noun + 's'}"


def shown(names: Iterable[object], limit: int = 5) -> str:
    """List a few names for a message, long ones without their end, and say how many more there are."""
    listed = list(names)
    texts = [repr(str(name)) for name in listed[:limit]]
    text = ", ".join(text if len(text) <= _LONGEST_NAME else f"{text[:_LONGEST_NAME]}..." for text in texts)
    return text + (f" and {len(listed) - limit} more" if len(listed) > limit else "")


_LONGEST_NAME = 200  # of a damaged table it may be a whole cell
