"""Rows in the memory of other machines: blocks of a sparse matrix on a Dask cluster, multiplied where they are.

A product sends a block of vectors to the workers and gets one back; the matrix never moves. Everything that is sent is
part of a task, so the scheduler knows how each block was made. When a worker dies, Dask makes its blocks again from the
source and repeats the lost tasks, without any help from this module.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from time import monotonic
from typing import Any, NamedTuple, Self
from uuid import uuid4

import numpy as np
import scipy.sparse as sp

from tacit.checks import check_count, is_sparse
from tacit.corpus.columns import ColumnMap
from tacit.errors import InputError
from tacit.operators.rows.blocks import BlockTask, RowBlocks, RowFacts, facts_of
from tacit.operators.rows.dask_client import Cluster, connect, libraries
from tacit.operators.rows.disk import open_rows
from tacit.text.settings import TextSettings
from tacit.text.words import Words
from tacit.types import Array

__all__ = ["ClusterRows", "ClusterTexts", "cluster_rows", "cluster_texts"]

_REFRESH_SECONDS = 2.0  # after which the cluster is asked again where the blocks are
_RESULTS_PER_SUM = 4  # that one task adds up; they are neighbours, so most are on the same worker


class ClusterRows(RowBlocks):
    """A sparse matrix whose blocks of rows are on the workers of a cluster, as futures; made by `cluster_rows`."""

    def __init__(self, facts: RowFacts, blocks: Sequence[Any], cluster: Cluster) -> None:
        super().__init__(facts)
        self.futures, self.cluster = list(blocks), cluster
        self._known_lanes: list[tuple[str | None, list[int]]] = []
        self._refreshed = -math.inf

    def close(self) -> None:
        """Release the blocks, and close the connection if `cluster_rows` was given an address."""
        self.futures = []
        self.cluster.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *reason: object) -> None:
        self.close()

    def __repr__(self) -> str:
        rows, columns = self.shape
        return f"ClusterRows({rows:,} x {columns:,}, {len(self.facts.edges) - 1} blocks on {self.cluster.name})"

    def _each(self, task: BlockTask, shared: Any = None, rows: Array | None = None) -> Iterator[Array]:
        with self.cluster.talking() as client:
            waiting = self._started(client, task, shared, rows)[::-1]
            while waiting:
                yield waiting.pop().result()  # popped, so that the workers can release it

    def _sum(self, task: BlockTask, shared: Any = None, rows: Array | None = None) -> Array:
        with self.cluster.talking() as client:
            parts = self._started(client, task, shared, rows)
            while len(parts) > 1:  # a tree whose shape depends on the blocks alone, not on which result comes first
                groups = [parts[start : start + _RESULTS_PER_SUM] for start in range(0, len(parts), _RESULTS_PER_SUM)]
                parts = client.map(_added, groups, pure=False)
            return np.asarray(parts[0].result())

    def _started(self, client: Any, task: BlockTask, shared: Any, rows: Array | None) -> list[Any]:
        """Start a task for each block, and return the futures of the results."""
        if not self.futures:
            raise InputError("the rows are closed: got a product after close(), expected it before close().")
        edges, delayed = self.facts.edges, libraries()[0].delayed
        started: dict[int, Any] = {}
        with self.cluster.large_messages():
            # a task rather than scattered data, which Dask cannot make again: it would be lost with its worker
            sent = None if shared is None else client.submit(_itself, shared, pure=False)
            for home, places in self._lanes():
                lane: list[Any] = []
                for place in places:
                    piece = None if rows is None else rows[edges[place] : edges[place + 1]]
                    name = f"tacit-{task.__name__.strip('_')}-{uuid4()}"
                    after = lane[-1] if lane else None
                    lane.append(delayed(_run)(task, self.futures[place], piece, sent, after, dask_key_name=name))
                on = {} if home is None else {"workers": [home], "allow_other_workers": True}
                started.update(zip(places, client.compute(lane, **on), strict=True))
        return [started[place] for place in range(len(self.futures))]

    def _lanes(self) -> list[tuple[str | None, list[int]]]:
        """Return where the blocks are; refreshed every few seconds, since workers die and others replace them."""
        if monotonic() - self._refreshed > _REFRESH_SECONDS:
            self._known_lanes, self._refreshed = self.cluster.lanes(self.futures), monotonic()
        return self._known_lanes


def cluster_rows(source: Any, client: Any = None, *, block_rows: int | None = None) -> ClusterRows:
    """Hold the rows of a matrix in the memory of a Dask cluster; models take the result wherever they take a matrix.

    Parameters
    ----------
    source : Dask array split by rows only, whose chunks are dense or SciPy sparse; or list of delayed objects or
        futures of such chunks, in the order of the rows; or path of a folder that `write_rows` wrote and every worker
        can read; or matrix in memory, which is split and sent (for tests: the scheduler keeps a copy, to repair losses)
    client : distributed.Client, address of a scheduler such as "tcp://10.0.0.1:8786", or None for the current client
    block_rows : int or None — rows per block, for a matrix in memory

    Returns
    -------
    ClusterRows : counted and checked in one pass over the rows

    Notes
    -----
    Blocks become CSR in float32 or float64 and stay on the workers. A product moves one block of vectors to each worker
    and one sum back; a space of `n_components` takes about ten products. Blocks of 50 to 200 MB work best. If a worker
    dies, its blocks are read again; this works for delayed objects, but not for futures of scattered data.

    Examples
    --------
    >>> rows = cluster_rows("shared/reuters", "tcp://10.0.0.1:8786")  # doctest: +SKIP
    >>> LSI(n_components=100).fit(rows)  # doctest: +SKIP
    """
    if block_rows is not None:
        check_count("block_rows", block_rows)
    with _connected(client) as (cluster, talk):
        with cluster.large_messages():
            chunks = _chunks_of(source, cluster, block_rows)
        return _hold_blocks(talk.map(_as_block, chunks, key="tacit-block", pure=False), cluster)


class ClusterTexts(NamedTuple):
    """Texts as rows on a cluster.

    Attributes
    ----------
    words : Words, the terms with their weights, which also turn a query into a vector
    rows : ClusterRows, TF-IDF rows of unit length, in float32
    ids : list of the records' ids, None for texts without one
    labels : list of the records' labels, as a model takes them for `y`
    """

    words: Words
    rows: ClusterRows
    ids: list[Any]
    labels: list[tuple[str, ...]]


def cluster_texts(
    source: Any, client: Any = None, *, settings: TextSettings | None = None, columns: ColumnMap | None = None
) -> ClusterTexts:
    """Read texts on a Dask cluster and turn them into rows there; one part of the source becomes one block of rows.

    Parameters
    ----------
    source : Dask bag of texts, of records, or of mappings with "text" and optionally "id" and "labels"; or paths of
        files or folders, as for `read_records`, which every worker can read: one part per file
    client : distributed.Client, address of a scheduler, or None for the current client
    settings : TextSettings or None — how texts are split into words, and which words are kept
    columns : ColumnMap or None — for files: the meaning of the columns

    Returns
    -------
    ClusterTexts : words, rows, ids and labels; words and rows are those of `Words.fit` on all the texts

    Examples
    --------
    >>> texts = cluster_texts("shared/library/", "tcp://10.0.0.1:8786")  # doctest: +SKIP
    >>> MLSI(n_components=100).fit(texts.rows, texts.labels)  # doctest: +SKIP
    """
    from tacit.text.on_dask import weight_texts

    with _connected(client) as (cluster, talk), cluster.large_messages():
        words, blocks, ids, labels = weight_texts(source, talk, settings or TextSettings(), columns)
        return ClusterTexts(words, _hold_blocks(blocks, cluster), ids, labels)


@contextmanager
def _connected(client: Any) -> Iterator[tuple[Cluster, Any]]:
    """Yield the cluster and its client; an error closes the connection."""
    cluster = connect(client)
    try:
        with cluster.talking() as talk:
            yield cluster, talk
    except BaseException:
        cluster.close()
        raise


def _hold_blocks(blocks: Sequence[Any], cluster: Cluster) -> ClusterRows:
    """Count and check CSR blocks that are on a cluster, given as futures, and make one matrix of them."""
    with cluster.talking() as client:
        checked = client.gather(client.map(_check_block, blocks, key="tacit-see", pure=False))
    return ClusterRows(_joined_facts(checked), blocks, cluster)


def _run(task: BlockTask, block: Any, rows: Any, shared: Any, after: Any) -> Array:
    """Run a task; `after` is the result of the one before, so that no worker has more tasks than threads.

    If all of a worker's tasks were ready at once, an idle worker would take some of them, with their blocks.
    """
    return task(block, shared, rows)


def _itself(values: Any) -> Any:
    return values


def _added(parts: list[Array]) -> Array:
    """Add in the order given, into a new array, since Dask may use each of the parts again."""
    if len(parts) == 1:
        return parts[0]
    total = np.add(parts[0], parts[1])
    for part in parts[2:]:
        total += part
    return total


_RETRIES = 3  # a shared disk or a web store may fail at times
_NO_LIMIT = 2**60  # a worker reads one shard at a time, and Dask watches its memory
_PIECE_BYTES = 8 * 2**20  # of a matrix in memory, per task
_FEWEST_PIECES = 8  # of a small matrix, so that every worker gets some


def _chunks_of(source: Any, cluster: Cluster, block_rows: int | None) -> list[Any]:
    """Return futures of the chunks of rows, in order; Dask can make each of them again."""
    if block_rows is not None and not (is_sparse(source) or isinstance(source, np.ndarray)):
        raise InputError(
            f"block_rows does not apply: got {type(source).__name__}, which is already split into blocks, expected a "
            "matrix in memory. Leave it out."
        )
    if isinstance(source, (str, os.PathLike)):
        return _shards(os.fspath(source), cluster)
    if is_sparse(source) or isinstance(source, np.ndarray):
        return _pieces(source, cluster, block_rows)
    if hasattr(source, "__dask_graph__") and hasattr(source, "chunks"):
        return _of_array(source, cluster)
    if isinstance(source, Sequence):
        return _of_list(source, cluster)
    raise InputError(
        f"source is not a matrix in blocks: got {type(source).__name__}, expected a Dask array, a list of delayed "
        "objects or futures, a folder of rows or a matrix."
    )


def _of_array(source: Any, cluster: Cluster) -> list[Any]:
    if source.ndim != 2:
        raise InputError(f"source is not a matrix: got {source.ndim} dimensions, expected 2.")
    if source.numblocks[1] != 1:
        raise InputError(
            f"source is split by columns: got {source.numblocks[1]} chunks side by side, expected whole rows. "
            'Use source.rechunk({0: "auto", 1: -1}).'
        )
    return list(cluster.client.compute(list(source.to_delayed().ravel())))


def _of_list(source: Sequence[Any], cluster: Cluster) -> list[Any]:
    dask, distributed = libraries()
    if not len(source):
        raise InputError("source is empty: got no block of rows, expected at least one.")
    for place, block in enumerate(source):
        if not isinstance(block, distributed.Future) and not dask.is_dask_collection(block):
            raise InputError(
                f"source[{place}] is not on a cluster: got {type(block).__name__}, expected a delayed object or a "
                "future. Wrap the function that makes it in dask.delayed."
            )
    started = iter(cluster.client.compute([block for block in source if not isinstance(block, distributed.Future)]))
    return [block if isinstance(block, distributed.Future) else next(started) for block in source]


def _pieces(source: Any, cluster: Cluster, block_rows: int | None) -> list[Any]:
    """Send a matrix piece by piece, each within a task: the scheduler can repeat tasks, but not scattered data."""
    matrix = _as_block(source)
    n_rows = matrix.shape[0]
    if not n_rows:
        raise InputError("source has no rows: got 0, expected at least one.")
    row_bytes = max(1, (matrix.data.nbytes + matrix.indices.nbytes) // n_rows)
    step = block_rows or max(1, min(_PIECE_BYTES // row_bytes, -(-n_rows // _FEWEST_PIECES)))
    edges = [*range(0, n_rows, step), n_rows]
    pieces = [matrix[start:stop] for start, stop in pairwise(edges)]
    return [
        cluster.client.submit(_itself, piece, workers=home, allow_other_workers=True, pure=False)
        for piece, home in zip(pieces, cluster.homes(len(pieces)), strict=True)
    ]


def _shards(folder: str, cluster: Cluster) -> list[Any]:
    """Let every worker read its own shards of a folder that all of them can read."""
    whole = os.path.abspath(os.path.expanduser(folder))
    n_blocks = len(open_rows(whole, memory_limit=_NO_LIMIT).facts.edges) - 1
    return [
        cluster.client.submit(
            _shard, whole, number, workers=home, allow_other_workers=True, retries=_RETRIES, pure=False
        )
        for number, home in enumerate(cluster.homes(n_blocks))
    ]


def _shard(folder: str, number: int) -> sp.csr_array:
    return open_rows(folder, memory_limit=_NO_LIMIT)._shard(number)


def _as_block(chunk: Any) -> sp.csr_array:
    """Convert a chunk to CSR in float32 or float64, without duplicate entries; copy only if needed."""
    if hasattr(chunk, "tocsr"):
        chunk = chunk.tocsr()
    elif not is_sparse(chunk):
        chunk = np.asarray(chunk)
    if chunk.ndim != 2 or chunk.dtype.kind not in "buif":
        raise InputError(
            f"a block of rows is not a matrix of numbers: got {type(chunk).__name__} with {chunk.ndim} dimensions of "
            f"{chunk.dtype}, expected rows x columns of floats."
        )
    block = sp.csr_array(chunk, dtype=chunk.dtype if chunk.dtype in (np.float32, np.float64) else np.float64)
    if not block.has_canonical_format:
        block = block.copy()  # the chunk may belong to the user
        block.sum_duplicates()
    return block


def _check_block(block: sp.csr_array) -> tuple[RowFacts, int]:
    """Return the facts of a block, and the row of its first entry that is not a finite number, or -1."""
    squares = np.square(block.data, dtype=np.float64)
    row_of = np.repeat(np.arange(block.shape[0]), np.diff(block.indptr))
    facts = RowFacts(
        edges=(0, block.shape[0]),
        n_columns=block.shape[1],
        dtype=block.dtype,
        n_entries=int(block.nnz),
        squared_norm=float(squares.sum()),
        n_filled=int(np.unique(row_of[block.data != 0]).size),  # stored zeros are not terms
    )
    if np.isfinite(facts.squared_norm):
        return facts, -1
    bad = np.flatnonzero(~np.isfinite(block.data))
    return facts, int(np.searchsorted(block.indptr, bad[0], side="right")) - 1 if bad.size else -1


def _joined_facts(checked: Sequence[tuple[RowFacts, int]]) -> RowFacts:
    """Join the facts of the blocks; raise if their columns differ, or if an entry is not a finite number."""
    widths = [facts.n_columns for facts, _ in checked]
    for place, width in enumerate(widths):
        if width != widths[0]:
            raise InputError(
                f"block {place} does not match the others: got {width} columns, expected {widths[0]} as in block 0."
            )
    facts = facts_of([facts for facts, _ in checked])
    for start, (_, bad_row) in zip(facts.edges, checked, strict=False):
        if bad_row >= 0:
            raise InputError(
                f"X contains NaN or infinity: the first one is in row {start + bad_row}. Replace or drop such values."
            )
    if not facts.edges[-1]:
        raise InputError("source has no rows: got 0, expected at least one.")
    return facts
