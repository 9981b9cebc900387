"""Where a matrix may be: in memory, in shards on disk, or on a real cluster of two worker processes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tacit.operators.rows.dask import cluster_rows
from tacit.operators.rows.disk_writer import write_rows

ROWS_A_BLOCK = 71  # so that no block is like another, and the last one is short


@pytest.fixture(scope="package")  # not longer: even idle workers and their scheduler keep a processor busy
def client() -> Iterator[Any]:
    """A scheduler and two workers, each a process with one thread and a nanny that starts it again when it dies."""
    dask = pytest.importorskip("dask", reason="dask[distributed] is not installed")
    distributed = pytest.importorskip("distributed", reason="dask[distributed] is not installed")
    patience = {"distributed.deploy.lost-worker-timeout": "10 minutes"}  # a busy machine is slow to start a worker
    workers = dict(n_workers=2, threads_per_worker=1, dashboard_address=":0", memory_limit="1GiB")
    with (
        dask.config.set(patience),
        distributed.LocalCluster(**workers) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        yield client


@pytest.fixture(params=["memory", "disk", "cluster"])
def held(request: pytest.FixtureRequest, tmp_path: Any) -> Callable[[Any], Any]:
    """Give a matrix in the form of the backend."""
    if request.param == "disk":
        folders = iter(range(10))
        return lambda X: write_rows(tmp_path / f"rows {next(folders)}", X, rows_per_shard=ROWS_A_BLOCK)
    if request.param == "cluster":
        client = request.getfixturevalue("client")
        return lambda X: cluster_rows(X, client, block_rows=ROWS_A_BLOCK)
    return lambda X: X
