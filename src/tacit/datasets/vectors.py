"""Collections that are published as vectors: the arrays of their files, and the sparse matrices made from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from tacit.errors import InputError

__all__ = ["VectorSet", "csr_of_rows", "csr_parts", "read_arrays", "vector_set"]


@dataclass(frozen=True, eq=False)
class VectorSet:
    """A data set of vectors, one row per record, without texts.

    Attributes
    ----------
    X : CSR array of float32, n_records x n_features
    Y : CSR array of float32, n_records x n_labels, ones where a record has a label
    label_names, feature_names : tuple of str, one name per column
    split : array of str, "train" or "test" for each record, as published
    """

    X: sp.csr_array
    Y: sp.csr_array
    label_names: tuple[str, ...]
    feature_names: tuple[str, ...]
    split: np.ndarray


def read_arrays(path: Path) -> dict[str, np.ndarray]:
    """Read all arrays of an .npz file; pickled objects are refused."""
    try:
        with np.load(path, allow_pickle=False) as arrays:
            return {name: arrays[name] for name in arrays.files}
    except Exception as error:  # a damaged archive raises many kinds of errors in NumPy and zipfile
        raise InputError(f"{path} is damaged: got {error}, expected NumPy arrays. Copy the file again.") from error


def vector_set(
    arrays: dict[str, np.ndarray], *, labels: str, features: str, split: np.ndarray, rows: np.ndarray
) -> VectorSet:
    """Make a data set of the arrays of a file and choose its rows; labels are ones and have no values in the file."""
    ones = np.ones(len(arrays["Y_indices"]), dtype=np.float32)
    return VectorSet(
        X=_csr(arrays, "X", arrays["X_data"].astype(np.float32, copy=False))[rows],
        Y=_csr(arrays, "Y", ones)[rows],
        label_names=tuple(map(str, arrays[labels])),
        feature_names=tuple(map(str, arrays[features])),
        split=np.where(split[rows] == 0, "train", "test"),
    )


def csr_of_rows(columns: Sequence[list[int]], values: Sequence[list[float]], n_columns: int) -> sp.csr_array:
    """Return a sparse matrix from the column numbers and the values of each row."""
    ends = np.concatenate([[0], np.cumsum([len(row) for row in columns], dtype=np.int64)])
    indices = np.array([column for row in columns for column in row], np.int32)
    data = np.array([value for row in values for value in row], np.float32)
    if len(indices) and (indices.min() < 0 or indices.max() >= n_columns):
        raise InputError(f"a row has an unknown column: got {int(indices.max())}, expected 0 to {n_columns - 1}.")
    matrix = sp.csr_array((data, indices, ends), shape=(len(columns), n_columns))
    matrix.sort_indices()
    return matrix


def csr_parts(name: str, matrix: sp.csr_array) -> dict[str, Any]:
    """Return the arrays of a sparse matrix as `vector_set` reads them; the values of labels are ones and left out."""
    arrays: dict[str, Any] = {
        f"{name}_indices": np.asarray(matrix.indices, np.int32),
        f"{name}_indptr": np.asarray(matrix.indptr, np.int32),
        f"{name}_shape": np.array(matrix.shape, np.int64),
    }
    return arrays if name == "Y" else {**arrays, f"{name}_data": np.asarray(matrix.data, np.float32)}


def _csr(arrays: dict[str, np.ndarray], name: str, data: np.ndarray) -> sp.csr_array:
    """Return one sparse matrix; the file keeps column numbers in as few bytes as possible, SciPy wants 32 bits."""
    indices, indptr = (arrays[f"{name}_{part}"].astype(np.int32) for part in ("indices", "indptr"))
    n_rows, n_columns = arrays[f"{name}_shape"]
    matrix = sp.csr_array((data, indices, indptr), shape=(int(n_rows), int(n_columns)))
    matrix.sort_indices()
    return matrix
