"""Freed memory back to the system, before something large comes.

The C library keeps what is freed for later, in pieces that a larger array does not fit into. After an iteration with
many blocks of some megabytes that was nearly as much as a sparse matrix of 100,000 records itself.
"""

from __future__ import annotations

import ctypes
from functools import lru_cache
from typing import Any

__all__ = ["give_back"]

_WORTH_IT = 2**25  # bytes of what comes: beyond that the C library asks the system for room of its own


def give_back(coming: int) -> None:
    """Return freed memory if an array of so many bytes is coming; where the C library is not GNU's, do nothing."""
    trim = _trimmer()
    if trim is not None and coming >= _WORTH_IT:
        trim(0)


@lru_cache(maxsize=1)
def _trimmer() -> Any:
    try:
        return ctypes.CDLL("libc.so.6").malloc_trim
    except (AttributeError, OSError):
        return None
