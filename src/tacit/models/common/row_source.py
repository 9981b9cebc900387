"""Records that are not in memory: which models take them, and how their positions are written where none need fit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from sklearn.utils.validation import validate_data

from tacit.errors import InputError
from tacit.files import replacing
from tacit.operators.rows.blocks import RowBlocks

__all__ = ["read_row_blocks", "write_positions"]


def read_row_blocks(model: Any, X: RowBlocks, *, reset: bool) -> RowBlocks:
    """Give the rows back if the model takes them, and they have the columns that it knows."""
    if not model._takes_row_blocks:
        raise InputError(
            f"X is not in memory: got {type(X).__name__}, expected an array or a sparse matrix for "
            f"{type(model).__name__}. Use LSI, MLSI, HLSI, MLSA, LabelHead('ridge') or HierarchyClassifier; a model "
            "that is fitted takes X.blocks() one by one."
        )
    validate_data(model, X, reset=reset, skip_check_array=True)
    return X


def write_positions(model: Any, X: RowBlocks, path: str | Path) -> np.memmap:
    """Write the positions of records into a `.npy` file, a block of records at a time.

    Parameters
    ----------
    model : fitted model with `transform`
    X : RowBlocks
    path : str or Path
        The file; it gets its name when all positions are in it.

    Returns
    -------
    (n_records, n_components_) positions, mapped read-only: what is looked at is read
    """
    target = Path(path)
    file: np.memmap | None = None
    start = 0
    with replacing(target) as fresh:
        for block in X.blocks():
            positions = model.transform(block)
            if file is None:
                shape = (X.shape[0], positions.shape[1])
                file = np.lib.format.open_memmap(fresh, "w+", dtype=positions.dtype, shape=shape)
            file[start : start + len(positions)] = positions
            start += len(positions)
        assert file is not None  # rows outside memory are never none
        file.flush()
        del file
    return np.lib.format.open_memmap(target, mode="r")
