"""Reads single columns of the records of a finished store, so that a build need not keep them in memory."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np

from tacit.index.records.schema import connect, guarded

__all__ = ["StoreParts", "read_texts", "read_titles"]

_AT_ONCE = 500


@dataclass(frozen=True)
class StoreParts:
    """Several stores that hold the records of one collection, one part after the other.

    Attributes
    ----------
    paths : of the stores
    starts : number of the first record of each in the whole collection, and at the end the number of all records
    """

    paths: tuple[Path, ...]
    starts: tuple[int, ...]


def read_texts(path: Path | StoreParts, numbers: Sequence[int] | np.ndarray) -> Iterator[tuple[int, str]]:
    """Yield number and text of records, in the order of the numbers."""
    return _read(path, "text", numbers)


def read_titles(path: Path | StoreParts, numbers: Sequence[int] | np.ndarray) -> Iterator[tuple[int, str]]:
    """Yield number and title of records, in the order of the numbers."""
    return _read(path, "title", numbers)


def _read(path: Path | StoreParts, column: str, numbers: Sequence[int] | np.ndarray) -> Iterator[tuple[int, str]]:
    every = np.sort(np.asarray(numbers, np.int64))
    if isinstance(path, StoreParts):
        for (first, stop), part in zip(pairwise(path.starts), path.paths, strict=True):
            inside = every[slice(*np.searchsorted(every, [first, stop]))]
            if len(inside):
                yield from ((first + number, text) for number, text in _read(part, column, inside - first))
        return
    wanted = every.tolist()
    sql = f"SELECT number, {column} FROM records WHERE number IN (SELECT value FROM json_each(?)) ORDER BY number"
    with contextlib.closing(connect(path, writable=False)) as connection, guarded(path):
        for start in range(0, len(wanted), _AT_ONCE):
            yield from connection.execute(sql, (json.dumps(wanted[start : start + _AT_ONCE]),))
