"""Where the blocks of rows on a cluster come from: Dask's own collections, a folder, or a matrix in memory."""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from tacit.checks import is_sparse
from tacit.errors import InputError
from tacit.operators.rows.blocks import RowFacts, facts_of
from tacit.operators.rows.dask_client import Cluster, libraries
from tacit.operators.rows.disk import open_rows

__all__ = ["as_block", "chunks_of", "joined_facts", "see_block"]

_RETRIES = 3  # a shared disk or a web store may fail now and then
_NO_LIMIT = 2**60  # a worker takes one shard at a time, and its memory is Dask's to watch
_PIECE = 8 * 2**20  # bytes of a matrix in memory that go into one task
_LEAST = 8  # pieces of a small one, so that every worker has some


def chunks_of(source: Any, cluster: Cluster, block_rows: int | None) -> list[Any]:
    """Give futures of the chunks of rows, in order; each with the recipe for making it again."""
    if block_rows is not None and not (is_sparse(source) or isinstance(source, np.ndarray)):
        raise InputError(
            f"block_rows does not apply: got {type(source).__name__}, which is cut into blocks already, expected a "
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
        f"source is no matrix in blocks: got {type(source).__name__}, expected a Dask array, a list of delayed objects "
        "or futures, a folder of rows or a matrix."
    )


def _of_array(source: Any, cluster: Cluster) -> list[Any]:
    if source.ndim != 2:
        raise InputError(f"source is not a matrix: got {source.ndim} dimensions, expected 2.")
    if source.numblocks[1] != 1:
        raise InputError(
            f"source is cut by columns: got {source.numblocks[1]} chunks side by side, expected whole rows. "
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
                f"source[{place}] is on no cluster: got {type(block).__name__}, expected a delayed object or a future. "
                "Wrap what makes it with dask.delayed."
            )
    started = iter(cluster.client.compute([block for block in source if not isinstance(block, distributed.Future)]))
    return [block if isinstance(block, distributed.Future) else next(started) for block in source]


def _pieces(source: Any, cluster: Cluster, block_rows: int | None) -> list[Any]:
    """Send a matrix piece by piece, each within a task: the scheduler can repeat that, but not data by itself."""
    matrix = as_block(source)
    n_rows = matrix.shape[0]
    if not n_rows:
        raise InputError("source has no rows: got 0, expected at least one.")
    row_bytes = max(1, (matrix.data.nbytes + matrix.indices.nbytes) // n_rows)
    step = block_rows or max(1, min(_PIECE // row_bytes, -(-n_rows // _LEAST)))
    edges = [*range(0, n_rows, step), n_rows]
    pieces = [matrix[start:stop] for start, stop in pairwise(edges)]
    return [
        cluster.client.submit(_itself, piece, workers=home, allow_other_workers=True, pure=False)
        for piece, home in zip(pieces, cluster.homes(len(pieces)), strict=True)
    ]


def _shards(folder: str, cluster: Cluster) -> list[Any]:
    """Let every worker read its own part of a folder that all of them see."""
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


def _itself(piece: Any) -> Any:
    return piece


def as_block(chunk: Any) -> sp.csr_array:
    """Read a chunk as CSR in float32 or float64, without entries given twice; what is so already is not copied."""
    if hasattr(chunk, "tocsr"):
        chunk = chunk.tocsr()
    elif not is_sparse(chunk):
        chunk = np.asarray(chunk)
    if chunk.ndim != 2 or chunk.dtype.kind not in "buif":
        raise InputError(
            f"a block of rows is no matrix of numbers: got {type(chunk).__name__} with {chunk.ndim} dimensions of "
            f"{chunk.dtype}, expected rows x columns of floats."
        )
    block = sp.csr_array(chunk, dtype=chunk.dtype if chunk.dtype in (np.float32, np.float64) else np.float64)
    if not block.has_canonical_format:
        block = block.copy()  # the chunk may be somebody else's
        block.sum_duplicates()
    return block


class SeenBlock(NamedTuple):
    """What one look at a block says: its facts, and the row of the first entry that is no finite number, or -1."""

    facts: RowFacts
    bad_row: int


def see_block(block: sp.csr_array) -> SeenBlock:
    """Count and check the entries of a block, in one pass."""
    squares = np.square(block.data, dtype=np.float64)
    row_of = np.repeat(np.arange(block.shape[0]), np.diff(block.indptr))
    facts = RowFacts(
        edges=(0, block.shape[0]),
        n_columns=block.shape[1],
        dtype=block.dtype,
        n_entries=int(block.nnz),
        squared_norm=float(squares.sum()),
        n_filled=int(np.unique(row_of[block.data != 0]).size),  # zeros that are stored are no terms
    )
    if np.isfinite(facts.squared_norm):
        return SeenBlock(facts, -1)
    bad = np.flatnonzero(~np.isfinite(block.data))
    return SeenBlock(facts, int(np.searchsorted(block.indptr, bad[0], side="right")) - 1 if bad.size else -1)


def joined_facts(seen: Sequence[SeenBlock]) -> RowFacts:
    """Join what was seen of the blocks; raise if they do not go together, or if an entry is no number."""
    widths = [block.facts.n_columns for block in seen]
    for place, width in enumerate(widths):
        if width != widths[0]:
            raise InputError(
                f"block {place} does not match the others: got {width} columns, expected {widths[0]} as in block 0."
            )
    facts = facts_of([block.facts for block in seen])
    for start, block in zip(facts.edges, seen, strict=False):
        if block.bad_row >= 0:
            raise InputError(
                f"X contains NaN or infinity: the first one is in row {start + block.bad_row}. Replace or drop such "
                "values."
            )
    if not facts.edges[-1]:
        raise InputError("source has no rows: got 0, expected at least one.")
    return facts
