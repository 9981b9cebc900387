"""Rows on a cluster: the products of the matrix, whatever the source, and one clear sentence for what is wrong."""

from __future__ import annotations

import subprocess
import sys
import textwrap

import numpy as np
import pytest
import scipy.sparse as sp

from tacit import InputError
from tacit.errors import TacitError
from tacit.operators.rows.dask import ClusterRows, cluster_rows
from tacit.operators.rows.disk_writer import write_rows

dask = pytest.importorskip("dask", reason="dask[distributed] is not installed")
distributed = pytest.importorskip("distributed", reason="dask[distributed] is not installed")
array = pytest.importorskip("dask.array", reason="dask[distributed] is not installed")


def matrix(n_rows=120, n_columns=30, *, dtype=np.float64, seed=0):
    rng = np.random.default_rng(seed)
    return sp.random_array((n_rows, n_columns), density=0.1, rng=rng, format="csr").astype(dtype)


@pytest.fixture(scope="module")
def client():
    """Workers that are threads of this process: what a block meets is the same, and they start at once."""
    settings = dict(n_workers=2, threads_per_worker=1, processes=False, dashboard_address=":0")
    with distributed.LocalCluster(**settings) as cluster, distributed.Client(cluster, set_as_default=False) as client:
        yield client


def blocks_of(A, step=50):
    return [A[start : start + step] for start in range(0, A.shape[0], step)]


def as_array(A, *, dense=False):
    chunks = [dask.delayed(block.toarray() if dense else block) for block in blocks_of(A)]
    parts = [
        array.from_delayed(chunk, shape=block.shape, dtype=A.dtype)
        for chunk, block in zip(chunks, blocks_of(A), strict=True)
    ]
    return array.concatenate(parts)


SOURCES = {
    "sparse Dask array": lambda A, client, folder: as_array(A),
    "dense Dask array": lambda A, client, folder: as_array(A, dense=True),
    "old sparse matrices": lambda A, client, folder: [dask.delayed(sp.csc_matrix)(block) for block in blocks_of(A)],
    "delayed": lambda A, client, folder: [dask.delayed(block) for block in blocks_of(A)],
    "futures": lambda A, client, folder: [client.submit(abs, block) for block in blocks_of(A)],  # A is not negative
    "both": lambda A, client, folder: [dask.delayed(A[:7]), client.submit(abs, A[7:90]), dask.delayed(A[90:])],
    "with an empty block": lambda A, client, folder: [dask.delayed(A[:0]), dask.delayed(A)],
    "matrix": lambda A, client, folder: A,
    "dense matrix": lambda A, client, folder: A.toarray(),
    "folder": lambda A, client, folder: write_rows(folder / "rows", A, rows_per_shard=50).folder,
}


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_products_are_those_of_the_matrix(client, tmp_path, rng, source, dtype):
    A = matrix(dtype=dtype)
    rows = cluster_rows(SOURCES[source](A, client, tmp_path), client)
    V, U = rng.standard_normal((30, 5)).astype(dtype), rng.standard_normal((120, 5)).astype(dtype)
    near = dict(rtol=0, atol=1e-4 if dtype == np.float32 else 1e-12)
    assert rows.shape == A.shape
    assert rows.dtype == dtype
    np.testing.assert_allclose(rows @ V, A @ V, **near)
    np.testing.assert_allclose(rows @ V[:, 0], A @ V[:, 0], **near)
    np.testing.assert_allclose(rows.T @ U, A.T @ U, **near)
    np.testing.assert_allclose(rows.gram(V), A.T @ (A @ V), **near)
    np.testing.assert_allclose(rows.row_squares(), A.multiply(A).sum(axis=1), **near)
    np.testing.assert_allclose(rows.column_squares(), A.multiply(A).sum(axis=0), **near)
    assert (rows @ V).dtype == rows.gram(V).dtype == dtype
    np.testing.assert_array_equal(np.concatenate([block.toarray() for block in rows.blocks()]), A.toarray())


def test_facts_are_counted_on_the_cluster(client):
    A = matrix()
    A.data[A.indptr[3] : A.indptr[4]] = 0  # zeros that are stored are no terms
    n_filled = np.count_nonzero(A.toarray().any(axis=1))
    rows = cluster_rows([dask.delayed(block) for block in blocks_of(A)], client)
    assert rows.facts.edges == (0, 50, 100, 120)
    assert rows.facts.n_filled == n_filled < 120
    assert rows.nnz == A.nnz
    assert rows.squared_norm() == pytest.approx(np.square(A.toarray()).sum())


def test_entries_given_twice_are_added_and_the_source_is_left_alone(client):
    doubled = sp.csr_array((np.array([1.0, 2.0, 4.0]), np.array([1, 1, 0]), np.array([0, 2, 3])), shape=(2, 3))
    rows = cluster_rows([client.scatter(doubled)], client)
    assert rows.squared_norm() == 9 + 16
    assert doubled.nnz == 3


def test_counts_become_floats(client):
    counts = np.arange(6).reshape(2, 3)
    rows = cluster_rows(counts, client)
    assert rows.dtype == np.float64
    np.testing.assert_array_equal(rows.to_dense(), counts)


def test_the_sum_does_not_depend_on_who_is_done_first(client, rng):
    """The same cuts give the same bits, product after product, in whatever order the workers finish."""
    rows = cluster_rows(matrix(2_000, 40, seed=3), client, block_rows=61)
    V = rng.standard_normal((40, 6))
    first = rows.gram(V)
    for _ in range(5):
        np.testing.assert_array_equal(rows.gram(V), first)


def test_block_rows_cuts_a_matrix(client):
    assert cluster_rows(matrix(), client, block_rows=50).facts.edges == (0, 50, 100, 120)
    assert len(cluster_rows(matrix(), client).facts.edges) == 9  # every worker gets some of a small matrix


def test_large_vectors_travel_without_a_warning(client, recwarn):
    rows = cluster_rows(matrix(60, 3), client)
    U = np.ones((60, 30_000))  # 14 MB
    np.testing.assert_allclose(rows.T @ U, matrix(60, 3).T @ U)
    assert not [warning for warning in recwarn if "large graph" in str(warning.message)]


def test_an_address_opens_a_connection_that_close_closes():
    with distributed.LocalCluster(n_workers=1, processes=False, protocol="tcp", dashboard_address=":0") as cluster:
        with cluster_rows(matrix(), cluster.scheduler_address) as rows:
            assert repr(rows) == f"ClusterRows(120 x 30, 8 blocks on {cluster.scheduler_address})"
            own = rows.cluster.client
            assert own.status == "running"
        assert own.status == "closed"
        with pytest.raises(TacitError, match="the cluster is gone: the scheduler at tcp://"):
            rows.gram(np.ones((30, 1)))


def test_a_client_that_was_given_stays_open(client):
    rows = cluster_rows(matrix(), client)
    rows.close()
    assert client.status == "running"
    with pytest.raises(InputError, match=r"the rows are closed: got a product after close\(\)"):
        rows.gram(np.ones((30, 1)))


def test_the_client_that_is_open_is_found(client):
    with client.as_current():
        assert isinstance(cluster_rows(matrix()), ClusterRows)
    with pytest.raises(InputError, match="client is missing: got None and no client is open"):
        cluster_rows(matrix())


def test_a_cluster_that_is_gone():
    with (
        distributed.LocalCluster(n_workers=1, processes=False, dashboard_address=":0") as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        rows = cluster_rows(matrix(), client)
        cluster.close()
        with pytest.raises(TacitError, match=r"the cluster is gone: the scheduler at .* no longer answers"):
            rows.gram(np.ones((30, 1)))
        with pytest.raises(TacitError, match="the cluster is gone"):
            cluster_rows(matrix(), client)


def test_a_cluster_without_workers():
    with (
        distributed.LocalCluster(n_workers=0, processes=False, dashboard_address=":0") as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
        pytest.raises(InputError, match=r"the cluster has no workers: got none at .* Start one with: dask worker"),
    ):
        cluster_rows(matrix(), client)


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:9", "somewhere over the rainbow"])
def test_a_bad_address(address):
    with (
        dask.config.set({"distributed.comm.timeouts.connect": "300ms"}),
        pytest.raises(
            InputError, match=rf"client cannot be reached: got '{address}', .* Start one with: dask scheduler"
        ),
    ):
        cluster_rows(matrix(), address)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (lambda: array.ones((6, 4), chunks=(3, 2)), r"source is split by columns: got 2 chunks side by side.*rechunk"),
        (lambda: array.ones(6, chunks=3), "source is not a matrix: got 1 dimensions, expected 2"),
        (list, "source is empty: got no block of rows"),
        (
            lambda: [dask.delayed(matrix()), matrix()],
            r"source\[1\] is not on a cluster: got csr_array.*dask.delayed",
        ),
        (
            lambda: [dask.delayed(matrix()), dask.delayed(matrix(9, 29))],
            "block 1 does not match the others: got 29 columns, expected 30 as in block 0",
        ),
        (
            lambda: [dask.delayed(np.ones(3))],
            "a block of rows is not a matrix of numbers: got ndarray with 1 dim",
        ),
        (lambda: [dask.delayed(np.array([["a"]]))], "a block of rows is not a matrix of numbers: .* of <U1"),
        (lambda: [dask.delayed(np.ones((0, 3)))], "source has no rows: got 0"),
        (lambda: np.ones((0, 3)), "source has no rows: got 0"),
        (lambda: 7, "source is not a matrix in blocks: got int"),
        (lambda: "no such folder", "no such folder"),
    ],
)
def test_wrong_sources(client, source, message):
    with pytest.raises(InputError, match=message):
        cluster_rows(source(), client)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_entries_that_are_no_numbers(client, bad):
    A = matrix()
    A.data[A.indptr[77]] = bad
    with pytest.raises(InputError, match="X contains NaN or infinity: the first one is in row 77"):
        cluster_rows([dask.delayed(block) for block in blocks_of(A)], client)


def test_a_file_that_a_worker_cannot_read_says_so_itself(client, tmp_path):
    with pytest.raises(FileNotFoundError, match=r"none\.npy"):
        cluster_rows([dask.delayed(np.load)(tmp_path / "none.npy")], client)


def test_wrong_arguments(client):
    with pytest.raises(InputError, match="client is not a Dask client: got int"):
        cluster_rows(matrix(), 7)
    with pytest.raises(InputError, match="block_rows is out of range: got 0"):
        cluster_rows(matrix(), client, block_rows=0)
    with pytest.raises(InputError, match="block_rows does not apply: got list, which is already split into blocks"):
        cluster_rows([dask.delayed(matrix())], client, block_rows=3)


def test_without_dask_one_sentence_says_what_to_install():
    script = """
        import sys
        sys.modules["distributed"] = None
        from tacit.operators.rows.dask import cluster_rows
        try:
            cluster_rows([[1.0]], "tcp://127.0.0.1:8786")
        except ImportError as error:
            print(error)
    """
    run = subprocess.run([sys.executable, "-c", textwrap.dedent(script)], capture_output=True, text=True, check=True)
    assert run.stdout == (
        "Rows on a cluster needs dask[distributed], which is not installed. Install it with: pip install "
        "'tacit[dask]'.\n"
    )


def test_importing_the_library_does_not_load_dask():
    script = "import sys, tacit, tacit.operators.rows.dask; print({'dask', 'distributed'} & set(sys.modules))"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout == "set()\n"
