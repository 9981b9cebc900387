"""Sparse products: by SciPy and by kernels made for the processor they are the same, in both directions."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp
from pairwise import pairwise

from tacit import machine as threads
from tacit.operators import Gram, as_operator
from tacit.operators.products import by_scipy as scipy_products
from tacit.operators.products import sparse as sparse_products
from tacit.operators.products.compiled import has_kernels
from tacit.operators.products.sparse import backward, forward

SHAPES = [(60, 40), (40, 60), (300, 7), (7, 300), (1, 5), (50, 1)]


@pytest.fixture(params=["scipy", "compiled"])
def way(request, monkeypatch) -> str:
    """Both ways, for products of any size."""
    if request.param == "compiled" and not has_kernels():
        pytest.fail("llvmlite is missing, which the extra `test` installs")
    monkeypatch.setattr(sparse_products, "has_kernels", lambda: request.param == "compiled")
    monkeypatch.setattr(sparse_products, "_WORTH_COMPILING", 0)
    monkeypatch.setattr(scipy_products, "_WORTH_SHARING", 0)
    return request.param


def random_matrix(shape: tuple[int, int], dtype: type, *, wide_indices: bool = False) -> sp.csr_array:
    """A sparse matrix of which some rows are empty."""
    rng = np.random.default_rng(1)
    dense = rng.standard_normal(shape) * (rng.random(shape) < 0.2)
    dense[:: max(2, shape[0] // 5)] = 0
    X = sp.csr_array(dense.astype(dtype))
    if wide_indices:
        X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    return X


@pairwise(shape=SHAPES, dtype=[np.float32, np.float64], wide_indices=[False, True])
def test_products_are_those_of_the_dense_matrix(way, shape, dtype, wide_indices):
    X = random_matrix(shape, dtype, wide_indices=wide_indices)
    rng, tol = np.random.default_rng(2), 20 * np.finfo(dtype).eps
    for n_columns in (1, 3, 8, 20, 33, 70):
        V = rng.standard_normal((shape[1], n_columns)).astype(dtype)
        U = rng.standard_normal((shape[0], n_columns)).astype(dtype)
        for product, exact in ((forward(X, V), X.toarray() @ V), (backward(X, U), X.toarray().T @ U)):
            assert product.dtype == dtype
            np.testing.assert_allclose(product, exact, rtol=tol, atol=tol * np.abs(exact).max(initial=1))


@pytest.mark.parametrize("order", ["C", "F"])
def test_blocks_may_be_stored_either_way_or_be_a_part_of_another(way, order):
    X = random_matrix((90, 50), np.float64)
    whole = np.asarray(np.random.default_rng(3).standard_normal((50, 60)), order=order)
    for V in (whole, whole[:, 5:29], whole[:, ::2]):
        np.testing.assert_allclose(forward(X, V), X.toarray() @ V, atol=1e-13)


def test_a_matrix_by_columns_is_one_by_rows_turned(way):
    X = random_matrix((80, 30), np.float64)
    V, U = np.random.default_rng(4).standard_normal((30, 24)), np.random.default_rng(5).standard_normal((80, 24))
    for matrix in (X, sp.csc_array(X)):
        operator = as_operator(matrix)
        np.testing.assert_allclose(operator @ V, X.toarray() @ V, atol=1e-13)
        np.testing.assert_allclose(operator.T @ U, X.toarray().T @ U, atol=1e-13)
        np.testing.assert_allclose(Gram(matrix) @ V, X.toarray().T @ (X.toarray() @ V), atol=1e-12)


@pytest.mark.parametrize("n_columns", [1, 2, 3, 4, 5, 8, 12, 16, 20, 40])
def test_neither_threads_nor_other_columns_change_a_bit(way, monkeypatch, n_columns):
    """Few columns are a part of a line, and shared out by halves and quarters of one if threads would be idle."""
    X = random_matrix((5000, 300), np.float32)
    V = np.random.default_rng(6).standard_normal((300, 40)).astype(np.float32)
    U = np.random.default_rng(7).standard_normal((5000, 40)).astype(np.float32)
    whole = forward(X, V), backward(X, U)
    for n_threads in (1, 2, 5):
        for module in (sparse_products, scipy_products, threads):
            monkeypatch.setattr(module, "n_threads", lambda n=n_threads: n)
        some = forward(X, V[:, :n_columns]), backward(X, U[:, :n_columns])
        for part, all_of_it in zip(some, whole, strict=True):
            assert (part == all_of_it[:, :n_columns]).all()


def test_a_block_of_another_precision_keeps_the_wider_one(way):
    X = random_matrix((60, 40), np.float32)
    V = np.random.default_rng(8).standard_normal((40, 24))
    product = forward(X, V)
    assert product.dtype == np.float64
    np.testing.assert_allclose(product, X.toarray().astype(np.float64) @ V, atol=1e-12)


def test_entries_that_are_stored_twice_are_added(way):
    X = sp.csr_array((np.array([1.0, 2.0, 4.0]), np.array([1, 1, 0]), np.array([0, 2, 3])), shape=(2, 2))
    np.testing.assert_array_equal(forward(X, np.eye(2)), [[0, 3], [4, 0]])
    np.testing.assert_array_equal(backward(X, np.eye(2)), [[0, 4], [3, 0]])


def test_who_wants_scipy_gets_it(monkeypatch):
    monkeypatch.setenv("TACIT_KERNELS", "scipy")
    has_kernels.cache_clear()
    try:
        assert not has_kernels()
    finally:
        monkeypatch.undo()
        has_kernels.cache_clear()
    assert has_kernels()


def test_a_library_that_cannot_compile_the_kernels_is_not_used(tmp_path):
    """As with llvmlite 0.44, which cannot read the assembly."""
    (tmp_path / "llvmlite").mkdir()
    (tmp_path / "llvmlite/__init__.py").touch()
    fails = "def parse_assembly(text): raise RuntimeError('LLVM IR parsing error')"
    (tmp_path / "llvmlite/binding.py").write_text(fails, encoding="utf-8")
    asks = "import numpy as np, scipy.sparse as sp; from tacit.operators.products.sparse import forward; "
    asks += "X = sp.csr_array(np.random.default_rng(0).random((2000, 500))); "
    asks += "V = np.ones((500, 3)); assert np.allclose(forward(X, V), X @ V)"
    path = os.pathsep.join([str(tmp_path), *sys.path])
    done = subprocess.run([sys.executable, "-c", asks], env={**os.environ, "PYTHONPATH": path}, capture_output=True)
    assert done.returncode == 0, done.stderr
    assert b"llvmlite cannot compile the sparse products: got 'LLVM IR parsing error" in done.stderr
