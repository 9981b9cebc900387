"""Arrays on disk: `.npy` files of numbers, written once and then memory-mapped read-only."""

from __future__ import annotations

import errno
import io
import os
from pathlib import Path
from typing import Any, Literal

import numpy as np

from tacit.checks import is_sparse
from tacit.errors import InputError
from tacit.files import open_plain
from tacit.index.strict_json import first_line

__all__ = ["REMEDY", "map_array", "read_array", "unreadable", "write_array"]

REMEDY = "Restore the index from a copy or build it again."

_KINDS = "biufc"  # bool and numbers; other types need pickle or have no fixed width


def write_array(path: Path, array: Any, name: str, *, order: Literal["C", "K"] = "C") -> None:
    """Write an array of numbers; `name` is its name in error messages, and order "K" keeps the order in memory."""
    if is_sparse(array):
        raise InputError(
            f"{name} is sparse: got {type(array).__name__}, expected a dense array. Save its data, indices and indptr."
        )
    values = np.asarray(array, order=order)
    if values.dtype.kind not in _KINDS:
        raise InputError(f"{name} is not an array of numbers: got dtype {values.dtype}, expected numbers or bool.")
    fresh = path.with_name(f".{path.name}.new")  # a build that goes on after a kill finds the old array or the new one
    with open(fresh, "wb") as file:
        try:
            np.lib.format.write_array(file, values, allow_pickle=False)
        except OSError as error:
            if error.errno is not None:
                raise
            raise OSError(
                errno.ENOSPC, os.strerror(errno.ENOSPC), str(path)
            ) from error  # NumPy says how much is missing
    os.replace(fresh, path)


def map_array(path: Path) -> np.ndarray:
    """Map an array read-only, or raise an `InputError` if the file is incomplete; pages are read when they are used."""
    try:
        with open_plain(path) as file:
            read_header = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
            shape, is_fortran, dtype = read_header[np.lib.format.read_magic(file)](file)
            if dtype.hasobject:
                raise ValueError("it holds Python objects")
            offset = file.tell()
            array: np.ndarray = np.memmap(file, dtype, "r", offset, shape, "F" if is_fortran else "C")
            is_whole = os.fstat(file.fileno()).st_size == offset + array.nbytes
    except FileNotFoundError as error:
        raise InputError(f"{path} is missing: got no such file, expected an array. {REMEDY}") from error
    except InputError:
        raise
    except OSError as error:
        raise unreadable(path, error) from error
    except Exception as error:  # a damaged header raises many kinds of errors in NumPy
        raise _damaged(path, first_line(error)) from error
    if not is_whole or array.dtype.kind not in _KINDS:
        raise _damaged(path, f"a header that promises {array.nbytes} bytes of {array.dtype}")
    return array


def read_array(content: bytes, path: Path, remedy: str = REMEDY) -> np.ndarray:
    """Return the array in the content of a file; the caller may change it."""
    try:
        array: np.ndarray = np.lib.format.read_array(io.BytesIO(content), allow_pickle=False)
    except Exception as error:  # a damaged header raises many kinds of errors in NumPy
        raise _damaged(path, first_line(error), remedy) from error
    if array.dtype.kind not in _KINDS:
        raise _damaged(path, f"values of {array.dtype}", remedy)
    return array


def unreadable(path: Path, error: OSError) -> InputError:
    """Return the error for a file that the system does not open or read: it need not be damaged."""
    return InputError(
        f"{path} cannot be read: got {error.strerror or str(error)!r}, expected a file that can be opened. "
        "Check its permissions, the disk and the number of open files."
    )


def _damaged(path: Path, got: str, remedy: str = REMEDY) -> InputError:
    return InputError(f"{path} is damaged: got {got!r}, expected a complete .npy file of numbers. {remedy}")
