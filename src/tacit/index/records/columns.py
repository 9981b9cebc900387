"""Reads single columns of the records of a finished store, so that a build need not keep them in memory."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from tacit.index.records.schema import connect, guarded

__all__ = ["read_texts", "read_titles"]

_AT_ONCE = 500


def read_texts(path: Path, numbers: Sequence[int] | np.ndarray) -> Iterator[tuple[int, str]]:
    """Yield number and text of records, in the order of the numbers."""
    return _read(path, "text", numbers)


def read_titles(path: Path, numbers: Sequence[int] | np.ndarray) -> Iterator[tuple[int, str]]:
    """Yield number and title of records, in the order of the numbers."""
    return _read(path, "title", numbers)


def _read(path: Path, column: str, numbers: Sequence[int] | np.ndarray) -> Iterator[tuple[int, str]]:
    wanted = np.sort(np.asarray(numbers, np.int64)).tolist()
    sql = f"SELECT number, {column} FROM records WHERE number IN (SELECT value FROM json_each(?)) ORDER BY number"
    with contextlib.closing(connect(path, writable=False)) as connection, guarded(path):
        for start in range(0, len(wanted), _AT_ONCE):
            yield from connection.execute(sql, (json.dumps(wanted[start : start + _AT_ONCE]),))
