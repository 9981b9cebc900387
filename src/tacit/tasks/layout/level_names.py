"""Names on the map, by level: wide subjects first, narrower ones as one zooms in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from tacit.relations.labels.matrix import as_labels
from tacit.relations.taxonomy.taxonomy import Taxonomy
from tacit.types import Array, IntArray

__all__ = ["LevelName", "densest", "level_names", "widest"]

_WIDEST = 12  # names of the first level, without a taxonomy
_MOST = 1_000
_FEWEST = 3  # records of a subject that is named
_SEEN = 600  # records among which the densest place is sought


@dataclass(frozen=True)
class LevelName:
    """A name on the map.

    Attributes
    ----------
    text : str
    label : str or None, the label that it is the title of
    x, y : int, where it stands
    px, py : int or None, where it stands on the plain map
    level : int, 0 for the widest
    records : int, how many records it stands for
    """

    text: str
    label: str | None
    x: int
    y: int
    px: int | None
    py: int | None
    level: int
    records: int

    def to_facts(self) -> dict[str, Any]:
        """Return it as plain data."""
        return asdict(self)


def level_names(
    points: Array,
    plain: Array | None,
    labels: Sequence[tuple[str, ...]],
    taxonomy: Taxonomy | None,
    title: Callable[[str], str],
) -> list[LevelName]:
    """Name subjects where their records are densest, by level and then by their number of records."""
    if not any(labels):
        return []
    members, names = _members(labels, taxonomy)
    counts = np.diff(members.indptr)
    levels = _levels(names, counts, taxonomy)
    order = [column for column in np.lexsort((-counts, levels)) if levels[column] >= 0 and counts[column] >= _FEWEST]
    found = []
    for column in order[:_MOST]:
        rows = members.indices[members.indptr[column] : members.indptr[column + 1]]
        x, y = densest(points[rows])
        px, py = (None, None) if plain is None else densest(plain[rows])
        label = names[column]
        found.append(LevelName(title(label), label, x, y, px, py, int(levels[column]), int(counts[column])))
    return found


def densest(points: Array) -> tuple[int, int]:
    """Return the point with most others around it: a mean may be where there is no point."""
    sample = np.asarray(points[:: len(points) // _SEEN + 1], np.float64)
    squares = ((sample[:, None, :] - sample[None, :, :]) ** 2).sum(axis=2)
    width = max(float(np.ptp(sample, axis=0).max()) / 6, 1e-9)
    x, y = sample[np.argmax(np.exp(-squares / width**2).sum(axis=1))]
    return int(x), int(y)


def _members(labels: Sequence[tuple[str, ...]], taxonomy: Taxonomy | None) -> tuple[sp.csc_array, list[str]]:
    """Return records x labels, with all above them in the taxonomy, and the names of the columns."""
    found = as_labels([names or None for names in labels])
    names = [str(name) for name in found.names]
    if taxonomy is None:
        return sp.csc_array(found.indicator), names
    inside = [column for column, name in enumerate(names) if name in taxonomy]
    nodes = taxonomy.columns([names[column] for column in inside])
    above = sp.csc_array(found.indicator[:, inside] @ taxonomy.closure[nodes])
    return above, [str(name) for name in taxonomy.names]


def _levels(names: Sequence[str], counts: IntArray, taxonomy: Taxonomy | None) -> IntArray:
    """Return the level of each label; -1 for one that is not named, as a single root."""
    if taxonomy is None:
        levels = np.ones(len(names), np.int64)
        levels[np.argsort(-counts, kind="stable")[:_WIDEST]] = 0
        return levels
    skipped = min(taxonomy.depth(name) for name in widest(taxonomy))
    return np.maximum(taxonomy.depths - skipped, -1)


def widest(taxonomy: Taxonomy) -> list[str]:
    """Return the tops of a taxonomy: its roots, or the children of a single root."""
    tops = [str(name) for name in taxonomy.roots]
    while len(tops) == 1 and taxonomy.children(tops[0]):
        tops = [str(name) for name in taxonomy.children(tops[0])]
    return tops
