"""Arrays on disk: `.npy` files of numbers, written once and then memory-mapped read-only."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

from tacit.checks import is_sparse
from tacit.errors import InputError
from tacit.index.strict_json import first_line

__all__ = ["REMEDY", "map_array", "write_array"]

REMEDY = "Restore the index from a copy or build it again."

_KINDS = "biufc"  # bool and numbers; other types need pickle or have no fixed width


def write_array(path: Path, array: Any, name: str) -> None:
    """Write an array of numbers in C order; `name` is its name in error messages."""
    if is_sparse(array):
        raise InputError(
            f"{name} is sparse: got {type(array).__name__}, expected a dense array. Save its data, indices and indptr."
        )
    values = np.asarray(array, order="C")
    if values.dtype.kind not in _KINDS:
        raise InputError(f"{name} is not an array of numbers: got dtype {values.dtype}, expected numbers or bool.")
    with open(path, "wb") as file:
        np.lib.format.write_array(file, values, allow_pickle=False)


def map_array(path: Path) -> np.ndarray:
    """Map an array read-only, or raise an `InputError` if the file is incomplete; pages are read when they are used."""
    try:
        # unlike np.load(mmap_mode="r"), it accepts .npy files only and no archives
        array = np.lib.format.open_memmap(path, mode="r")
        whole = os.path.getsize(path) == array.offset + array.nbytes
    except FileNotFoundError as error:
        raise InputError(f"{path} is missing: got no such file, expected an array. {REMEDY}") from error
    except Exception as error:  # a damaged header raises many kinds of errors in NumPy
        raise _damaged(path, first_line(error)) from error
    if not whole or array.dtype.kind not in _KINDS:
        raise _damaged(path, f"a header that promises {array.nbytes} bytes of {array.dtype}")
    return array


def _damaged(path: Path, got: str) -> InputError:
    return InputError(f"{path} is damaged: got {got!r}, expected a complete .npy file of numbers. {REMEDY}")
