"""Approximate nearest neighbours for large collections: a graph of usearch (HNSW) beside the positions, mapped.

The graph holds the directions of the records rounded to eight bits. It only proposes: whoever asks compares the
proposed records by their positions, so that every score is exact and only the choice is not. See docs/decisions/0012.
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from tacit.errors import TacitWarning
from tacit.index.folder.opening import Generation
from tacit.index.folder.writer import GenerationWriter
from tacit.types import Float32Array, IntArray

__all__ = ["GRAPH", "LARGE", "NeighbourGraph", "is_large", "write_neighbours"]

GRAPH = "neighbours.usearch"
LARGE = 20_000_000  # numbers in the positions, 200,000 records of 100: up to here all are compared in some 10 ms
_DTYPE = "i8"  # found as many as 32 bits after the exact comparison, at half the size and in less time
_LINKS = 16  # of a record, in each layer
_CARE = 40  # candidates when a record is linked: time of the build; what it lacks, a wider search makes good
_BATCH = 10_000  # records between two words about progress


class NeighbourGraph:
    """A graph that was written by `write_neighbours`, mapped from its file.

    Threads may share it; they take turns, since usearch has one place for the work of a search.

    Parameters
    ----------
    found : an open index of usearch
    """

    def __init__(self, found: Any) -> None:
        self._index = found
        self._turn = threading.Lock()

    @classmethod
    def of_generation(cls, generation: Generation) -> NeighbourGraph | None:
        """Open the graph of an index; None if it has none, or with a warning if it cannot be used here."""
        if GRAPH not in generation.manifest.files:
            return None
        return cls.open(generation.path(GRAPH), *generation.array("positions").shape)

    @classmethod
    def open(cls, path: Path, n_records: int, n_dimensions: int) -> NeighbourGraph | None:
        """Map a graph; None, with a warning, if usearch is missing or the file is not of this collection."""
        usearch = _usearch()
        if usearch is None:
            _warn(f"{path} cannot be read without usearch: got an index of {n_records:,} records. {_SLOWER}")
            return None
        try:
            found = usearch.Index.restore(str(path), view=True)
        except (RuntimeError, ValueError, KeyError) as error:
            _warn(f"{path} cannot be read: got {str(error)!r}, expected a graph of usearch. {_SLOWER}")
            return None
        if found is None or found.ndim != n_dimensions or len(found) > n_records:
            got = "something else" if found is None else f"{len(found):,} records of {found.ndim} dimensions"
            _warn(
                f"{path} does not fit this index: got {got}, expected {n_records:,} of {n_dimensions}. "
                "Searches compare all records instead; fit the index anew."
            )
            return None
        return cls(found)

    def __len__(self) -> int:
        """Give how many records it knows: all but those at the origin, which are near to nothing."""
        return len(self._index)

    def propose(self, position: Float32Array, n_wanted: int) -> IntArray:
        """Give rows that are probably among the nearest, in no certain order; the more are wanted, the surer."""
        with self._turn:
            self._index.expansion_search = n_wanted
            found = self._index.search(_directions(position[None])[0], n_wanted, threads=1)
        return np.asarray(found.keys).astype(np.int64)


def is_large(positions: Float32Array) -> bool:
    """Whether comparing with all of them takes longer than a search may."""
    return positions.size > LARGE


def write_neighbours(
    writer: GenerationWriter,
    positions: Float32Array,
    *,
    progress: Callable[[int], None] | None = None,
    threads: int = 0,
) -> bool:
    """Write the graph, if the collection is large enough to need one, and tell whether it was written.

    Parameters
    ----------
    writer : GenerationWriter
    positions : (n_records, n_dimensions)
    progress : callable, optional
        Called with the number of records so far.
    threads : int, default 0
        How many; 0 is one a core. With more than one the graph depends on who comes first, so that two builds may
        propose different records at the edge; with one it does not.
    """
    if not is_large(positions):
        return False
    usearch = _usearch()
    if usearch is None:
        _warn(f"usearch is not installed: got {len(positions):,} records, which it would find faster. {_SLOWER}")
        return False
    graph = usearch.Index(ndim=positions.shape[1], metric="ip", dtype=_DTYPE, connectivity=_LINKS, expansion_add=_CARE)
    for start in range(0, len(positions), _BATCH):
        block = _directions(positions[start : start + _BATCH])
        rows = np.flatnonzero(block.any(axis=1))  # the origin is equally far from all, and would clutter the graph
        graph.add(start + rows, block[rows], threads=threads)
        if progress is not None:
            progress(min(start + _BATCH, len(positions)))
    graph.save(str(writer.path(GRAPH)))
    return True


def _usearch() -> Any:
    """Give the library, or None; it is loaded only when a collection is large."""
    try:
        from usearch import index
    except ImportError:
        return None
    return index


def _directions(positions: Float32Array) -> Float32Array:
    """Rows of unit length, zeros stay."""
    lengths = np.linalg.norm(positions, axis=1, keepdims=True)
    lengths[lengths == 0] = 1
    return np.asarray(positions / lengths, np.float32)


def _warn(message: str) -> None:
    warnings.warn(message, TacitWarning, stacklevel=3)


_SLOWER = "Searches compare all records instead, which is exact but slower: pip install 'tacit[large]'."
