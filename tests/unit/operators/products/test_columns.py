"""Columns and rows cut into blocks: each once, about as wide as asked."""

from __future__ import annotations

import pytest

from tacit.operators.products.by_scipy import column_blocks, row_blocks


@pytest.mark.parametrize("n_columns", [0, 1, 5, 11, 12, 13, 25, 48, 100, 127])
@pytest.mark.parametrize("width", [12, 50])
def test_blocks_cover_every_column_once_and_are_about_as_wide_as_asked(n_columns: int, width: int) -> None:
    blocks = column_blocks(n_columns, width)
    assert [i for block in blocks for i in range(block.start, block.stop)] == list(range(n_columns))
    assert all(block.stop - block.start <= 1.5 * width + 4 for block in blocks)
    if n_columns >= width:
        assert all(block.stop - block.start >= 0.5 * width for block in blocks)


@pytest.mark.parametrize("n_rows", [0, 1, 4096, 4097, 10_000])
def test_blocks_cover_every_row_once(n_rows: int) -> None:
    assert [i for block in row_blocks(n_rows) for i in range(n_rows)[block]] == list(range(n_rows))
