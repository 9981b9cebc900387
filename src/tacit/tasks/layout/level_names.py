"""Names on the map, by level: wide subjects first, narrower ones as one zooms in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from tacit.relations.labels.matrix import as_labels
from tacit.relations.taxonomy.taxonomy import Taxonomy
from tacit.types import Array, IntArray

__all__ = ["LevelName", "Texts", "densest", "level_names", "widest"]

_MOST = 1_000
_FEWEST = 3  # records of a subject that is named, at least, without a taxonomy
_SEEN = 200  # records among which the densest place is sought
_REGIONS = (12, 60)  # regions of the map that are named at each level, without a taxonomy
_PER_REGION = 20  # records of a region on average, at least
_SEEN_BY_REGIONS = 5_000
_WORDS = 3


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


class Texts(NamedTuple):
    """The weights of the words in the records, and the words."""

    weights: Any
    terms: Sequence[str]


def level_names(
    points: Array,
    plain: Array | None,
    labels: Sequence[tuple[str, ...]],
    taxonomy: Taxonomy | None,
    title: Callable[[str], str],
    texts: Texts | None = None,
) -> list[LevelName]:
    """Name subjects where their records are densest, by level and then by their number of records.

    With a taxonomy, the level of a label is its depth. Without one, a dozen regions of the map have the name of the
    label that is most typical of them, then some smaller regions, and then come all other labels. Records without
    labels are named by `texts`, the words that are typical of a region.
    """
    place = _Placing(points, plain)
    if not any(labels):
        return [] if texts is None else _words_of_regions(place, texts)
    members, names = _members(labels, taxonomy)
    counts = np.diff(members.indptr)
    found: list[LevelName] = []
    if taxonomy is not None:
        levels = _depths(taxonomy)
        order = [column for column in np.lexsort((-counts, levels)) if levels[column] >= 0]
        chosen = [(int(column), int(levels[column]), _rows(members, column)) for column in order]
    else:
        chosen = _labels_of_regions(place, members)
        used = {column for column, _, _ in chosen}
        rest = [int(column) for column in np.argsort(-counts, kind="stable") if column not in used]
        last = 1 + max((level for _, level, _ in chosen), default=-1)
        chosen += [(column, last, _rows(members, column)) for column in rest]
    for column, level, rows in chosen:
        if counts[column] < _FEWEST and taxonomy is None and level > 0:
            continue
        if not len(rows) or len(found) >= _MOST:
            continue
        label = names[column]
        found.append(place.named(rows, title(label), label, level, int(counts[column])))
    return sorted(found, key=lambda name: (name.level, -name.records))


class _Placing:
    """Finds where names stand on both layouts."""

    def __init__(self, points: Array, plain: Array | None) -> None:
        self.points, self._plain = points, plain

    def named(self, rows: IntArray, text: str, label: str | None, level: int, records: int) -> LevelName:
        """Return a name where these records are densest."""
        x, y = densest(self.points[rows])
        px, py = (None, None) if self._plain is None else densest(self._plain[rows])
        return LevelName(text, label, x, y, px, py, level, records)

    def regions(self, n_regions: int) -> IntArray:
        """Divide the map into regions."""
        from sklearn.cluster import KMeans

        sample = np.asarray(self.points[:: len(self.points) // _SEEN_BY_REGIONS + 1], np.float64)
        means = KMeans(min(n_regions, len(np.unique(sample, axis=0))), n_init=1, max_iter=30, random_state=0)
        return np.asarray(means.fit(sample).predict(np.asarray(self.points, np.float64)), np.int64)


def densest(points: Array) -> tuple[int, int]:
    """Return the point with most others around it: a mean may be where there is no point."""
    sample = np.asarray(points[:: len(points) // _SEEN + 1], np.float64)
    squares = ((sample[:, None, :] - sample[None, :, :]) ** 2).sum(axis=2)
    width = max(float(np.ptp(np.quantile(sample, [0.1, 0.9], axis=0), axis=0).max()) / 4, 1.0)
    x, y = sample[np.argmax(np.exp(-squares / width**2).sum(axis=1))]
    return int(x), int(y)


def _labels_of_regions(place: _Placing, members: sp.csc_array) -> list[tuple[int, int, IntArray]]:
    """Return the most typical label of each region that no larger one has, its level, and its records there."""
    found: list[tuple[int, int, IntArray]] = []
    used: set[int] = set()
    for level, n_regions in enumerate(_regions_of(members.shape[0])):
        regions = place.regions(n_regions)
        inside = _by_region(regions, members)
        sizes = np.bincount(regions)
        typical = _typical(inside, sizes)
        for region in np.argsort(-sizes, kind="stable"):
            best = [column for column in np.argsort(-typical[region], kind="stable")[: len(used) + 1]]
            column = next((int(c) for c in best if int(c) not in used and typical[region, c] > 0), None)
            if column is not None:
                used.add(column)
                rows = _rows(members, column)
                found.append((column, level, rows[regions[rows] == region]))
    return found


def _words_of_regions(place: _Placing, texts: Texts) -> list[LevelName]:
    """Name regions by the words that are typical of them."""
    found: list[LevelName] = []
    for level, n_regions in enumerate(_regions_of(len(place.points))):
        regions = place.regions(n_regions)
        typical = _typical(_by_region(regions, sp.csc_array(texts.weights)), np.bincount(regions))
        for region, scores in enumerate(typical):
            best = [int(column) for column in np.argsort(-scores, kind="stable")[:_WORDS] if scores[column] > 0]
            rows = np.flatnonzero(regions == region)
            if best and len(rows):
                text = ", ".join(texts.terms[column] for column in best)
                found.append(place.named(rows, text, None, level, len(rows)))
    return sorted(found, key=lambda name: (name.level, -name.records))


def _regions_of(n_records: int) -> tuple[int, ...]:
    """Return how many regions each level has."""
    most = n_records // _PER_REGION
    return tuple(number for number in _REGIONS if number <= most) or (max(1, most),)


def _by_region(regions: IntArray, columns: sp.csc_array) -> Array:
    """Return the sums of columns in each region."""
    n = len(regions)
    of_regions = sp.csr_array((np.ones(n, np.float32), (regions, np.arange(n))), (int(regions.max()) + 1, n))
    return np.asarray((of_regions @ columns).toarray())


def _typical(inside: Array, sizes: IntArray) -> Array:
    """Return how typical a label or word is of each region: its mean there times the logarithm of how much more."""
    shares = inside / np.maximum(sizes[:, None], 1)
    overall = inside.sum(axis=0) / max(sizes.sum(), 1)
    if len(sizes) == 1:
        return np.asarray(shares)
    return np.asarray(shares * np.log(np.maximum(shares, 1e-12) / np.maximum(overall, 1e-12)))


def _rows(members: sp.csc_array, column: int) -> IntArray:
    return np.asarray(members.indices[members.indptr[column] : members.indptr[column + 1]])


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


def _depths(taxonomy: Taxonomy) -> IntArray:
    """Return the level of each node, 0 for the widest; below 0 for a single root."""
    return np.asarray(taxonomy.depths - min(taxonomy.depth(name) for name in widest(taxonomy)), np.int64)


def widest(taxonomy: Taxonomy) -> list[str]:
    """Return the tops of a taxonomy: its roots, or the children of a single root."""
    tops = [str(name) for name in taxonomy.roots]
    while len(tops) == 1 and taxonomy.children(tops[0]):
        tops = [str(name) for name in taxonomy.children(tops[0])]
    return tops
