"""Reads the file of a graph of neighbours before usearch does, which follows every number in it without a check.

A checksum says that a file is as it was written, not that usearch wrote it: in an index from a stranger both may be
made up, and a wrong number in a graph makes compiled code read outside of the file. So the structure is checked here:

    rows, columns (2 x u32) · vectors (rows x columns bytes) · head (64 bytes) · sizes (5 x u64) · levels (rows x i16) ·
    nodes: key (u64), level (i16), then for level 0 and each one up to its own: count (u32) and neighbours (u32 each)

References
----------
`index_dense_head_t` and `index_serialized_header_t` of usearch 2.
"""

from __future__ import annotations

import os
import struct
from pathlib import Path
from typing import NamedTuple

import numpy as np

from tacit.files import open_plain
from tacit.types import Array, Float32Array

__all__ = ["graph_complaint", "vectors_complaint"]

_HEAD = struct.Struct("<7s3H4B3QB")  # magic, version, kinds of metric, scalar, key and slot, counts, dimensions, multi
_HEAD_BYTES = 64
_SIZES = struct.Struct("<5Q")  # nodes, links per node above and on the base, highest level, node to start from
_KINDS = (ord("i"), 23, 14, 15)  # inner product, 8 bits, keys of 64 bits, slots of 32
_MOST_LINKS, _HIGHEST = 1_024, 64
_NODES = 65_536  # checked at a time: about 10 MB
_KEPT = 0.9  # least cosine of a position and its direction in 8 bits: rounding leaves 0.99 and more


class _WrongError(Exception):
    """What is wrong with the structure."""


class _Layout(NamedTuple):
    """Where things are in a file of a graph."""

    content: Array
    n_nodes: int
    n_columns: int
    links: int
    base_links: int
    levels: Array
    starts: Array

    @property
    def vectors(self) -> Array:
        return self.content[8 : 8 + self.n_nodes * self.n_columns].view(np.int8).reshape(self.n_nodes, self.n_columns)


def graph_complaint(path: Path, n_records: int, n_dimensions: int) -> str | None:
    """Return what makes a graph unsafe to search or unfit for a collection, or None.

    Reads everything but the vectors: 0.3 seconds per million records. Raises `OSError` if it cannot be read.
    """
    try:
        layout = _layout(path, n_records, n_dimensions)
        _check_nodes(layout, n_records)
    except _WrongError as wrong:
        return str(wrong)
    return None


def vectors_complaint(path: Path, positions: Float32Array) -> str | None:
    """Return what makes the vectors of a sound graph other than the directions of the positions, or None."""
    layout = _layout(path, *positions.shape)
    for start in range(0, layout.n_nodes, _NODES):
        end = min(start + _NODES, layout.n_nodes)
        vectors, places = np.asarray(layout.vectors[start:end], np.float32), positions[_keys(layout, start, end)]
        lengths = np.linalg.norm(vectors, axis=1) * np.linalg.norm(places, axis=1)
        far = np.flatnonzero(~(np.einsum("ij,ij->i", vectors, places) >= _KEPT * lengths))
        if len(far):
            return f"node {start + far[0]:,} in another direction than its record"
    return None


def _layout(path: Path, n_records: int, n_dimensions: int) -> _Layout:
    """Map a file and check its heads and levels: afterwards every node lies inside the file."""
    with open_plain(path) as file:
        n_bytes = os.fstat(file.fileno()).st_size
        if n_bytes < 8 + _HEAD_BYTES + _SIZES.size:
            raise _WrongError(f"{n_bytes} bytes")
        content: Array = np.asarray(np.memmap(file, np.uint8, "r"))
    rows, columns = struct.unpack("<2I", content[:8].tobytes())
    head = 8 + rows * columns
    sizes = head + _HEAD_BYTES
    if sizes + _SIZES.size > n_bytes:
        raise _WrongError(f"vectors of {rows:,} x {columns:,} bytes in a file of {n_bytes:,}")
    magic, major, _, _, *kinds, n_present, n_deleted, ndim, multi = _HEAD.unpack_from(content[head:sizes].tobytes())
    if magic != b"usearch" or major != 2 or tuple(kinds) != _KINDS:
        raise _WrongError("no head of a graph of directions in 8 bits")
    nodes, links, base_links, highest, entry = _SIZES.unpack(content[sizes : sizes + _SIZES.size].tobytes())
    if not (nodes == n_present == rows and n_deleted == multi == 0):
        raise _WrongError(f"{rows:,} vectors for {nodes:,} nodes, {n_present:,} present and {n_deleted:,} deleted")
    if not (ndim == columns == n_dimensions and nodes <= n_records):
        raise _WrongError(f"{nodes:,} records of {ndim:,} dimensions")
    if not (0 < links <= _MOST_LINKS and 0 < base_links <= _MOST_LINKS):
        raise _WrongError(f"{base_links:,} and {links:,} neighbours per node")
    first = sizes + _SIZES.size
    levels = content[first : first + 2 * nodes].view("<i2") if first + 2 * nodes <= n_bytes else np.empty(0, "<i2")
    if len(levels) < nodes or (nodes and not (levels.min() >= 0 and levels.max() <= _HIGHEST)):
        raise _WrongError("levels that no graph has")
    if nodes and not (entry < nodes and highest == levels.max() == levels[entry]):
        raise _WrongError(f"node {entry:,} to start from on level {highest}")
    lengths = 14 + 4 * base_links + levels.astype(np.int64) * (4 + 4 * links)
    starts = np.cumsum(lengths) - lengths + first + 2 * nodes
    if first + 2 * nodes + int(lengths.sum()) != n_bytes:
        raise _WrongError(f"nodes of {int(lengths.sum()):,} bytes in a file of {n_bytes:,}")
    return _Layout(content, nodes, columns, links, base_links, levels, starts)


def _check_nodes(layout: _Layout, n_records: int) -> None:
    """Check the key, the level and the neighbours of every node."""
    seen = np.zeros(n_records, bool)
    for start in range(0, layout.n_nodes, _NODES):
        end = min(start + _NODES, layout.n_nodes)
        nodes = _bases(layout, start, end)
        keys = nodes[:, :4].copy().view("<u8")[:, 0]
        if keys.max() >= n_records or seen[keys].any():
            raise _WrongError("a record that does not exist, or one twice")
        seen[keys] = True
        if not (nodes[:, 4].view("<i2") == layout.levels[start:end]).all():
            raise _WrongError("a node on two levels")
        _check_links(nodes[:, 5:].copy().view("<u4"), layout, 0)
    if int(seen.sum()) != layout.n_nodes:
        raise _WrongError("a record twice")
    for level in range(1, int(layout.levels.max(initial=0)) + 1):
        step = 4 + 4 * layout.links
        lists = layout.starts[layout.levels >= level] + 14 + 4 * layout.base_links + (level - 1) * step
        for start in range(0, len(lists), _NODES):
            places = lists[start : start + _NODES, None] + np.arange(step)
            _check_links(layout.content[places].view("<u4"), layout, level)


def _bases(layout: _Layout, start: int, end: int) -> Array:
    """Return the nodes from `start` to `end` as rows of 16 bits, without what they have above the base."""
    last = len(layout.content) if end == layout.n_nodes else int(layout.starts[end])
    first = int(layout.starts[start])
    pairs = layout.content[first:last].view("<u2")  # all lengths are even
    width = 7 + 2 * layout.base_links
    levels = layout.levels[start:end]
    high = np.flatnonzero(levels)
    if len(high):
        kept = np.ones(len(pairs), bool)
        above = (levels[high].astype(np.int64)) * (2 + 2 * layout.links)
        begins = (layout.starts[start:end][high] - first) // 2 + width
        within = np.arange(int(above.sum())) - np.repeat(np.cumsum(above) - above, above)
        kept[np.repeat(begins, above) + within] = False
        pairs = pairs[kept]
    return pairs.reshape(end - start, width)


def _keys(layout: _Layout, start: int, end: int) -> Array:
    return _bases(layout, start, end)[:, :4].copy().view("<u8")[:, 0].astype(np.int64)


def _check_links(lists: Array, layout: _Layout, level: int) -> None:
    """Check lists of neighbours, each after its count: all must be nodes on this level."""
    counts, found = lists[:, 0], lists[:, 1:]
    if counts.max(initial=0) > found.shape[1]:
        raise _WrongError(f"{counts.max():,} neighbours where there is room for {found.shape[1]}")
    if level or found.max(initial=0) >= layout.n_nodes:  # what lies behind the count is never read
        used = found[np.arange(found.shape[1]) < counts[:, None]]
        if used.max(initial=0) >= layout.n_nodes or (layout.levels[used] < level).any():
            raise _WrongError("a neighbour that does not exist")
