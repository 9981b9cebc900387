"""Approximate nearest neighbours for large collections: a graph of usearch (HNSW), memory-mapped.

The graph holds the directions of the records, rounded to eight bits. It only proposes candidates: callers compare
these by their positions, so that every score is exact and only the selection is approximate. See docs/decisions/0012.
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from tacit.errors import TacitWarning
from tacit.index.nearest.graph_file import graph_complaint
from tacit.types import Float32Array, IntArray

__all__ = ["GRAPH", "LARGE", "HnswGraph", "is_large", "write_graph"]

GRAPH = "neighbours.usearch"
LARGE = 20_000_000  # numbers in the positions (200,000 records of 100): up to here all are compared in about 10 ms
_DTYPE = "i8"  # after the exact comparison as good as 32 bits, at half the size and in less time
_LINKS = 16  # per record and layer
_EXPANSION = 40  # examined when a record is linked: more take longer to build, and a wider search makes up for fewer
_BATCH = 10_000  # records between two progress reports


class HnswGraph:
    """A graph that `write_graph` wrote, mapped from its file: an open index of usearch.

    Threads may share it: they wait for each other, since usearch keeps the state of one search only.
    """

    def __init__(self, found: Any) -> None:
        self._index = found
        self._turn = threading.Lock()

    @classmethod
    def open(cls, path: Path, n_records: int, n_dimensions: int, *, is_checked: bool = False) -> HnswGraph | None:
        """Map a graph; None, with a warning, if usearch is missing or the graph is damaged or of another collection.

        `is_checked` is whether its structure was checked before.
        """
        usearch = _usearch()
        if usearch is None:
            _warn(f"{path} cannot be read without usearch: got an index of {n_records:,} records. {_SLOWER}")
            return None
        try:
            got = None if is_checked else graph_complaint(path, n_records, n_dimensions)
        except OSError as error:
            got = error.strerror
        if got:
            _warn(
                f"{path} does not fit this index: got {got}, expected a graph of {n_records:,} records of "
                f"{n_dimensions} dimensions. Searches compare all records instead; refit the index."
            )
            return None
        try:
            found = usearch.Index.restore(str(path), view=True)
        except (RuntimeError, ValueError, KeyError) as error:
            _warn(f"{path} cannot be read: got {str(error)!r}, expected a graph of usearch. {_SLOWER}")
            return None
        return cls(found)

    def __len__(self) -> int:
        """Return the number of records in the graph: all except those at the origin, which are near nothing."""
        return len(self._index)

    def propose(self, position: Float32Array, n_wanted: int) -> IntArray:
        """Return rows that are probably among the nearest, about nearest first; a larger `n_wanted` misses fewer."""
        with self._turn:
            self._index.expansion_search = n_wanted
            found = self._index.search(_directions(position[None])[0], n_wanted, threads=1)
        return np.asarray(found.keys).astype(np.int64)


def is_large(positions: Float32Array) -> bool:
    """Whether comparing a query with all positions takes too long."""
    return positions.size > LARGE


def write_graph(
    path: Path, positions: Float32Array, *, progress: Callable[[int], None] | None = None, threads: int = 0
) -> bool:
    """Write the graph if the collection is large enough to need one, and return whether it was written.

    `progress` is called with the number of records so far. 0 threads is one per core; with more than one the graph
    depends on timing, so that two builds may propose slightly different records.
    """
    if not is_large(positions):
        return False
    usearch = _usearch()
    if usearch is None:
        _warn(f"usearch is not installed: got {len(positions):,} records, which it would find faster. {_SLOWER}")
        return False
    graph = usearch.Index(
        ndim=positions.shape[1], metric="ip", dtype=_DTYPE, connectivity=_LINKS, expansion_add=_EXPANSION
    )
    for start in range(0, len(positions), _BATCH):
        block = _directions(positions[start : start + _BATCH])
        rows = np.flatnonzero(block.any(axis=1))  # the origin is equally far from all records
        graph.add(start + rows, block[rows], threads=threads)
        if progress is not None:
            progress(min(start + _BATCH, len(positions)))
    graph.save(str(path))
    return True


def _usearch() -> Any:
    """Return the library, or None; it is imported only for large collections."""
    try:
        from usearch import index
    except ImportError:
        return None
    return index


def _directions(positions: Float32Array) -> Float32Array:
    """Scale rows to unit length; zeros stay."""
    lengths = np.linalg.norm(positions, axis=1, keepdims=True)
    lengths[lengths == 0] = 1
    return np.asarray(positions / lengths, np.float32)


def _warn(message: str) -> None:
    warnings.warn(message, TacitWarning, stacklevel=3)


_SLOWER = "Searches compare all records instead, which is exact but slower: pip install 'tacit[large]'."
