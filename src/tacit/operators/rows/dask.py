"""Rows in the memory of other machines: blocks of a sparse matrix on a Dask cluster, multiplied where they are.

A product sends a block of vectors to the workers and gets one back; the matrix never moves. Everything that is sent is
part of a task, and no block is mere data: the scheduler knows how each one came about. So when a worker dies, Dask
makes its blocks again from the source and repeats what was lost, and nobody here has to notice.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from time import monotonic
from typing import Any, Self
from uuid import uuid4

import numpy as np

from tacit.checks import check_count
from tacit.errors import InputError
from tacit.operators.base import Array
from tacit.operators.rows.blocks import BlockTask, RowBlocks, RowFacts
from tacit.operators.rows.dask_client import Cluster, connect, libraries
from tacit.operators.rows.dask_sources import as_block, chunks_of, joined_facts, see_block

__all__ = ["ClusterRows", "cluster_rows", "hold_blocks"]

_LOOK_AGAIN = 2.0  # seconds
_TOGETHER = 4  # results that one task adds up; they stand side by side, so most are on the same worker


class ClusterRows(RowBlocks):
    """A sparse matrix whose blocks of rows are on the workers of a cluster; made by `cluster_rows`.

    Parameters
    ----------
    facts : RowFacts
    blocks : futures of CSR blocks, in the order of the rows
    cluster : where they are
    """

    def __init__(self, facts: RowFacts, blocks: Sequence[Any], cluster: Cluster) -> None:
        super().__init__(facts)
        self.futures, self.cluster = list(blocks), cluster
        self._known_lanes: list[tuple[str | None, list[int]]] = []
        self._looked = -math.inf

    def close(self) -> None:
        """Let the blocks go, and the connection too if `cluster_rows` was given an address."""
        self.futures = []
        self.cluster.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *reason: object) -> None:
        self.close()

    def __repr__(self) -> str:
        rows, columns = self.shape
        return f"ClusterRows({rows:,} x {columns:,}, {len(self.facts.edges) - 1} blocks on {self.cluster.name})"

    @property
    def is_dense(self) -> bool:
        """True, as further columns cost little beside another round trip."""
        return True

    def _each(self, task: BlockTask, shared: Any = None, rows: Array | None = None) -> Iterator[Array]:
        with self.cluster.talking() as client:
            waiting = self._started(client, task, shared, rows)[::-1]
            while waiting:
                yield waiting.pop().result()  # and forgotten, so that the workers may forget it too

    def _sum(self, task: BlockTask, shared: Any = None, rows: Array | None = None) -> Array:
        with self.cluster.talking() as client:
            parts = self._started(client, task, shared, rows)
            while len(parts) > 1:  # a tree whose shape depends on the blocks alone, whoever is done first
                groups = [parts[start : start + _TOGETHER] for start in range(0, len(parts), _TOGETHER)]
                parts = client.map(_added, groups, pure=False)
            return np.asarray(parts[0].result())

    def _started(self, client: Any, task: BlockTask, shared: Any, rows: Array | None) -> list[Any]:
        """Start a task for each block, and give the futures of the results."""
        if not self.futures:
            raise InputError("the rows are closed: got a product after close(), expected it before.")
        edges, delayed = self.facts.edges, libraries()[0].delayed
        started: dict[int, Any] = {}
        with self.cluster.large_messages():
            # a task rather than scattered data, of which Dask keeps no recipe: it would die with its worker
            sent = None if shared is None else client.submit(_itself, shared, pure=False)
            for home, places in self._lanes():
                lane: list[Any] = []
                for place in places:
                    piece = None if rows is None else rows[edges[place] : edges[place + 1]]
                    name = f"tacit{task.__name__}-{uuid4()}"
                    after = lane[-1] if lane else None
                    lane.append(delayed(_run)(task, self.futures[place], piece, sent, after, dask_key_name=name))
                on = {} if home is None else {"workers": [home], "allow_other_workers": True}
                started.update(zip(places, client.compute(lane, **on), strict=True))
        return [started[place] for place in range(len(self.futures))]

    def _lanes(self) -> list[tuple[str | None, list[int]]]:
        """Give where the blocks are; asked anew now and then, since workers die and others take over."""
        if monotonic() - self._looked > _LOOK_AGAIN:
            self._known_lanes, self._looked = self.cluster.lanes(self.futures), monotonic()
        return self._known_lanes


def cluster_rows(source: Any, client: Any = None, *, block_rows: int | None = None) -> ClusterRows:
    """Hold the rows of a matrix in the memory of a Dask cluster; models take the result wherever they take a matrix.

    Parameters
    ----------
    source : Dask array cut by rows only, whose chunks are dense or SciPy sparse; or list of delayed objects or futures
        of such chunks, in the order of the rows; or path of a folder that `write_rows` wrote and every worker can read;
        or matrix in memory, which is cut and sent (for trials: the scheduler keeps a copy, to mend losses)
    client : distributed.Client, address of a scheduler as "tcp://10.0.0.1:8786", or None for the client that is open
    block_rows : int or None — for a matrix in memory: rows a block

    Returns
    -------
    ClusterRows : with one pass over the rows done, which counted and checked them

    Notes
    -----
    Blocks become CSR in float32 or float64 and stay on the workers. A product moves one block of vectors to each worker
    and one sum back; a space of `n_components` is found in some ten of them. Blocks of 50 to 200 MB work best. A worker
    that dies costs the time to read its blocks again; futures that you scattered cannot be made again, delayed
    objects can.

    Examples
    --------
    >>> rows = cluster_rows("shared/reuters", "tcp://10.0.0.1:8786")  # doctest: +SKIP
    >>> LSI(n_components=100).fit(rows)  # doctest: +SKIP
    """
    if block_rows is not None:
        check_count("block_rows", block_rows)
    cluster = connect(client)
    try:
        with cluster.talking() as talk:
            with cluster.large_messages():
                chunks = chunks_of(source, cluster, block_rows)
            return hold_blocks(talk.map(as_block, chunks, key="tacit-block", pure=False), cluster)
    except BaseException:
        cluster.close()
        raise


def hold_blocks(blocks: Sequence[Any], cluster: Cluster) -> ClusterRows:
    """Count and check CSR blocks that are on a cluster, given as futures, and make one matrix of them."""
    with cluster.talking() as client:
        seen = client.gather(client.map(see_block, blocks, key="tacit-see", pure=False))
    return ClusterRows(joined_facts(seen), blocks, cluster)


def _run(task: BlockTask, block: Any, rows: Any, shared: Any, after: Any) -> Array:
    """Do a task; `after` is the result of the one before, so that no worker has more to do than it has threads.

    Were they all waiting there, an idle worker would come and take some of them, with their blocks.
    """
    return task(block, shared, rows)


def _itself(values: Any) -> Any:
    return values


def _added(parts: list[Array]) -> Array:
    """Add in the order given; a new array, since Dask may use each of the parts again."""
    if len(parts) == 1:
        return parts[0]
    total = np.add(parts[0], parts[1])
    for part in parts[2:]:
        total += part
    return total
