"""Matrices in a folder as plain arrays, from which the processes of the jobs read them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import scipy.sparse as sp

__all__ = ["load", "load_matrix", "narrow", "save", "save_matrix", "x_bytes"]


def save(folder: Path, X: sp.csr_array, Y: sp.csr_array) -> None:
    """Leave X and Y in a folder."""
    save_matrix(folder, "X", X)
    save_matrix(folder, "Y", Y)


def load(folder: Path) -> tuple[sp.csr_array, sp.csr_array]:
    """Read what `save` left."""
    return load_matrix(folder, "X"), load_matrix(folder, "Y")


def save_matrix(folder: Path, name: str, matrix: sp.csr_array) -> None:
    """Leave a matrix in a folder as plain arrays, which are read without a copy in between."""
    for part in ("data", "indices", "indptr"):
        np.save(folder / f"{name}_{part}.npy", getattr(matrix, part))
    np.save(folder / f"{name}_shape.npy", np.array(matrix.shape))


def load_matrix(folder: Path, name: str) -> sp.csr_array:
    parts = tuple(np.load(folder / f"{name}_{part}.npy") for part in ("data", "indices", "indptr"))
    return sp.csr_array(parts, shape=tuple(np.load(folder / f"{name}_shape.npy").tolist()))


def narrow(matrix: sp.csr_array) -> sp.csr_array:
    """Give a matrix with indices of 32 bits, the only ones that scikit-learn's ARPACK takes."""
    indices, indptr = matrix.indices.astype(np.int32), matrix.indptr.astype(np.int32)
    return sp.csr_array((matrix.data, indices, indptr), shape=matrix.shape)


def x_bytes(X: sp.csr_array) -> int:
    """Give the memory that a sparse matrix takes."""
    return int(X.data.nbytes + X.indices.nbytes + X.indptr.nbytes)
