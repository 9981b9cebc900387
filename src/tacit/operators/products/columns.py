"""Columns of a block, or rows of a tall array, cut into parts that threads share."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

__all__ = ["column_blocks", "row_blocks"]

_ROWS = 4096


def column_blocks(n_columns: int, width: int) -> list[slice]:
    """Cut columns into blocks of about `width`, most of them a multiple of four, which vector registers like."""
    n_blocks = max(1, round(n_columns / width))
    cuts = 4 * np.round(np.linspace(0, n_columns, n_blocks + 1) / 4).astype(int)
    cuts[-1] = n_columns
    return [slice(int(start), int(stop)) for start, stop in pairwise(cuts)]


def row_blocks(n_rows: int) -> list[slice]:
    """Cut the rows of a tall array into blocks that are worth a thread's while and stay in its cache."""
    return [slice(start, start + _ROWS) for start in range(0, n_rows, _ROWS)]
