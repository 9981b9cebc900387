"""Algorithms on a taxonomy by node numbers: topological order, depths, ancestors, descendants, distances.

No function is recursive, so that a chain of a hundred thousand nodes works. `parent_matrix` is CSR, [i, j] = 1 if j is
a parent of i; except in `parents_first` and `find_cycle`, parents have smaller numbers than their children.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from tacit.types import BoolArray, IntArray

__all__ = ["ancestor_paths", "depths", "distances", "find_cycle", "parent_csr", "parents_first", "reached"]


_MARKS = 2**25  # (start, node) pairs at a time: 32 MB, whatever the size of the taxonomy
_FAR = 2**30  # longer than any path, and the sum of two still fits into 32 bits


class AncestorPaths(NamedTuple):
    """The ancestors of some nodes, including the nodes, sorted by start and then by ancestor."""

    starts: IntArray  # position in the list of starting nodes
    nodes: IntArray  # the ancestor
    lengths: IntArray  # edges on the shortest path up


def parent_csr(children: Sequence[int] | IntArray, parents: Sequence[int] | IntArray, n_nodes: int) -> sp.csr_array:
    """Return edges as a matrix of ones; duplicate edges count once."""
    rows, columns = np.asarray(children, dtype=np.int64), np.asarray(parents, dtype=np.int64)
    matrix = sp.csr_array((np.ones(len(rows)), (rows, columns)), shape=(n_nodes, n_nodes))
    matrix.sum_duplicates()
    matrix.data[:] = 1.0
    return matrix


def parents_first(parent_matrix: sp.csr_array) -> IntArray:
    """Return the nodes with parents before children, and otherwise smaller numbers first.

    Nodes on a cycle, and all below one, are missing from the result.
    """
    waiting = np.diff(parent_matrix.indptr).tolist()
    children = sp.csr_array(parent_matrix.T)
    ends, below = children.indptr.tolist(), children.indices.tolist()
    ready = [node for node, n_parents in enumerate(waiting) if n_parents == 0]  # sorted, and therefore a heap
    order: list[int] = []
    while ready:
        node = heapq.heappop(ready)
        order.append(node)
        for child in below[ends[node] : ends[node + 1]]:
            waiting[child] -= 1
            if waiting[child] == 0:
                heapq.heappush(ready, child)
    return np.asarray(order, dtype=np.int64)


def find_cycle(parent_matrix: sp.csr_array, ordered: IntArray) -> list[int]:
    """Return the nodes of one cycle, each followed by its parent; the first and the last are the same.

    `ordered` is the result of `parents_first`. Every other node has a parent that is not in it either, so following
    these parents must return to a node that was visited.
    """
    placed = np.zeros(parent_matrix.shape[0], dtype=bool)
    placed[ordered] = True
    way: list[int] = []
    seen: dict[int, int] = {}
    node = int(np.flatnonzero(~placed)[0])
    while node not in seen:
        seen[node] = len(way)
        way.append(node)
        above = parent_matrix.indices[parent_matrix.indptr[node] : parent_matrix.indptr[node + 1]]
        node = int(above[~placed[above]][0])
    cycle = way[seen[node] :]
    first = cycle.index(min(cycle))  # the same cycle starts with the same node wherever the search entered it
    return [*cycle[first:], *cycle[:first], cycle[first]]


def depths(parent_matrix: sp.csr_array) -> IntArray:
    """Return the number of edges on the longest path from a root to each node."""
    ends, above = parent_matrix.indptr.tolist(), parent_matrix.indices.tolist()
    depth = [0] * parent_matrix.shape[0]
    for node in range(len(depth)):
        for parent in above[ends[node] : ends[node + 1]]:
            depth[node] = max(depth[node], depth[parent] + 1)
    return np.asarray(depth, dtype=np.int64)


def ancestor_paths(parent_matrix: sp.csr_array, starts: IntArray) -> AncestorPaths:
    """Return all ancestors of the starting nodes, with the length of the shortest path to each.

    Breadth first for many starts at once: the pairs (start, ancestor) first found in round k are k edges apart. Takes
    time in proportion to the pairs found, whatever the number of paths between them.
    """
    n_nodes = parent_matrix.shape[0]
    n_rows = max(1, min(len(starts), _MARKS // max(1, n_nodes)))
    met = np.zeros(n_rows * n_nodes, dtype=bool)
    keys: list[IntArray] = []
    lengths: list[IntArray] = []
    for first in range(0, len(starts), n_rows):
        found, far = _paths_of_block(parent_matrix, starts[first : first + n_rows], met)
        met[found] = False
        order = np.argsort(found)
        keys.append(found[order] + first * n_nodes)
        lengths.append(far[order])
    key = np.concatenate([*keys, np.zeros(0, dtype=np.int64)])
    length = np.concatenate([*lengths, np.zeros(0, dtype=np.int64)])
    return AncestorPaths(key // max(1, n_nodes), key % max(1, n_nodes), length)


def _paths_of_block(parent_matrix: sp.csr_array, starts: IntArray, met: BoolArray) -> tuple[IntArray, IntArray]:
    """Return the pairs of a block as start * n_nodes + ancestor, and their lengths; marks them in `met`."""
    n_nodes = parent_matrix.shape[0]
    indptr, above = parent_matrix.indptr.astype(np.int64), parent_matrix.indices.astype(np.int64)
    fresh = np.arange(len(starts), dtype=np.int64) * n_nodes + starts
    found: list[IntArray] = []
    while fresh.size:
        met[fresh] = True
        found.append(fresh)
        node = fresh % n_nodes
        n_parents = indptr[node + 1] - indptr[node]
        # for each pair the positions of its node's parents in `above`, one run after another
        run_starts = np.cumsum(n_parents) - n_parents
        position = np.arange(n_parents.sum()) + np.repeat(indptr[node] - run_starts, n_parents)
        fresh = np.repeat(fresh - node, n_parents) + above[position]
        fresh = np.unique(fresh[~met[fresh]])
    far = np.repeat(np.arange(len(found)), [len(pairs) for pairs in found])
    return np.concatenate(found), far


def distances(parent_matrix: sp.csr_array, one: IntArray, other: IntArray) -> IntArray:
    """Return the number of edges on the shortest path between nodes, up to a common ancestor and down again.

    Nodes without a common ancestor are joined by a virtual root, one edge above all roots.
    """
    if not (len(one) and len(other)):
        return np.zeros((len(one), len(other)), dtype=np.int64)
    # only ancestors of the second nodes can be the common ancestor or lie on the path down
    span = np.asarray(sorted(reached(parent_matrix, other.tolist())), dtype=np.int64)
    inner = sp.csr_array(parent_matrix[span][:, span])
    ends = np.searchsorted(span, other)
    n_columns = max(1, _MARKS // (4 * max(1, len(span))))
    blocks = [
        _down(inner, _up(parent_matrix, one[first : first + n_columns], span))[ends].T
        for first in range(0, len(one), n_columns)
    ]
    found = np.concatenate(blocks).astype(np.int64)
    through_top = _to_top(parent_matrix, one)[:, None] + _to_top(parent_matrix, other)
    return np.where(found < _FAR, found, through_top)


def _up(parent_matrix: sp.csr_array, starts: IntArray, span: IntArray) -> npt.NDArray[np.int32]:
    """Return the lengths of the paths up from the starts, as nodes of the span x starts; _FAR if there is none."""
    paths = ancestor_paths(parent_matrix, starts)
    place = np.minimum(np.searchsorted(span, paths.nodes), len(span) - 1)
    within = span[place] == paths.nodes
    lengths = np.full((len(span), len(starts)), _FAR, dtype=np.int32)
    lengths[place[within], paths.starts[within]] = paths.lengths[within]
    return lengths


def _down(parent_matrix: sp.csr_array, lengths: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
    """Replace the length of each node by that through its nearest parent if that is shorter; in place."""
    ends, above = parent_matrix.indptr.tolist(), parent_matrix.indices.tolist()
    for node in range(len(ends) - 1):
        for parent in above[ends[node] : ends[node + 1]]:
            np.minimum(lengths[node], lengths[parent] + 1, out=lengths[node])
    return lengths


def _to_top(parent_matrix: sp.csr_array, starts: IntArray) -> IntArray:
    """Return the number of edges from each start to the virtual root, through the nearest root."""
    ends, above = parent_matrix.indptr.tolist(), parent_matrix.indices.tolist()
    height: dict[int, int] = {}
    for node in sorted(reached(parent_matrix, starts.tolist())):
        height[node] = 1 + min((height[parent] for parent in above[ends[node] : ends[node + 1]]), default=0)
    return np.asarray([height[node] for node in starts.tolist()], dtype=np.int64)


def reached(matrix: sp.csr_array, starts: Iterable[int]) -> set[int]:
    """Return all nodes that can be reached along the rows of a matrix, including the starts."""
    ends, targets = matrix.indptr, matrix.indices
    seen = set(starts)
    open_nodes = list(seen)
    while open_nodes:
        node = open_nodes.pop()
        for target in targets[ends[node] : ends[node + 1]].tolist():
            if target not in seen:
                seen.add(target)
                open_nodes.append(target)
    return seen
