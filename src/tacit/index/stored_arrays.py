"""Checks stored arrays that index other arrays, before they are followed.

A checksum says that a file is as it was written, not that Tacit wrote it. In an index from a stranger, a number that
leads out of an array makes compiled code read outside of it. Each check reads an array once; that it passed is
remembered as checksums are, until the file changes.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import numpy as np
import scipy.sparse as sp

from tacit.errors import InputError, TacitError
from tacit.index.folder.arrays import REMEDY
from tacit.index.folder.checksums import remember_checked, was_checked
from tacit.index.folder.opening import Generation
from tacit.index.strict_json import first_line
from tacit.types import Array

__all__ = ["check_numbers", "check_starts", "fitting", "stored_rows"]


def stored_rows(generation: Generation, name: str, shape: tuple[int, int], values: Array | None = None) -> sp.csr_array:
    """Return a sparse matrix from `<name>_starts` and `<name>_columns`; its `values` are ones if none are given."""
    columns, starts = generation.array(f"{name}_columns"), generation.array(f"{name}_starts")
    check_starts(generation, f"{name}_starts", shape[0], len(columns))
    check_numbers(generation, f"{name}_columns", shape[1])
    if values is None:
        values = np.ones(len(columns), np.float32)
    if values.shape != columns.shape or values.dtype.kind not in "fiu":
        raise _unfit(generation, f"{name}_values", f"shape {values.shape}", f"numbers of shape {columns.shape}")
    return sp.csr_array((values, columns, starts), shape)


def check_starts(generation: Generation, name: str, n_rows: int, n_entries: int) -> None:
    """Raise an `InputError` unless an array tells where each row of so many entries begins, and where the last ends."""
    starts, rule = generation.array(name), f"{n_rows + 1:,} places in {n_entries:,} entries"
    if starts.ndim != 1 or starts.dtype.kind not in "iu" or len(starts) != n_rows + 1:
        raise _unfit(generation, name, f"shape {starts.shape} of {starts.dtype}", rule)
    if starts[0] != 0 or starts[-1] != n_entries or (len(starts) > 1 and (starts[1:] < starts[:-1]).any()):
        raise _unfit(generation, name, "places that are not in order", rule)


def check_numbers(generation: Generation, name: str, end: int) -> None:
    """Raise an `InputError` unless an array has whole numbers from 0 to below `end` only."""
    numbers, rule = generation.array(name), f"whole numbers from 0 to {end - 1:,}"
    if numbers.ndim != 1 or numbers.dtype.kind not in "iu":
        raise _unfit(generation, name, f"shape {numbers.shape} of {numbers.dtype}", rule)
    path, what = generation.path(f"arrays/{name}.npy"), f"numbers below {end}"
    if not len(numbers) or was_checked(path, what):
        return
    least, most = int(numbers.min()), int(numbers.max())
    if least < 0 or most >= end:
        raise _unfit(generation, name, f"numbers from {least:,} to {most:,}", rule)
    remember_checked(path, what)


@contextlib.contextmanager
def fitting(generation: Generation, what: str) -> Iterator[None]:
    """Tell of stored facts and arrays that do not fit together as damage, while they are opened."""
    try:
        yield
    except TacitError:
        raise
    except (ArithmeticError, AttributeError, LookupError, RuntimeError, TypeError, ValueError) as error:
        raise InputError(
            f"{what} of {generation.folder} does not fit together: got {first_line(error)!r} when it was opened, "
            f"expected what Tacit writes. {REMEDY}"
        ) from error


def _unfit(generation: Generation, name: str, got: str, expected: str) -> InputError:
    path = generation.folder / "arrays" / f"{name}.npy"
    return InputError(f"{path} does not fit the index: got {got}, expected {expected}. {REMEDY}")
