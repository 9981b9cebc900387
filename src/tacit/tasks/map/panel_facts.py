"""Measures of a picture of classes: are neighbours of one class, and are subclasses inside their parents?"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.spatial import cKDTree

from tacit.checks import check_finite, shown
from tacit.errors import InputError
from tacit.relations.labels.matrix import LabelMatrix, as_labels
from tacit.relations.taxonomy.taxonomy import Taxonomy
from tacit.types import BoolArray, Float64Array, IntArray

__all__ = ["Nesting", "PanelFacts", "ShownClasses", "facts_of", "frame", "panel_facts", "show_classes"]

MOST_FAMILIES = 6  # hues that can be distinguished with any kind of colour vision
SEVERAL, NEITHER = -1, -2


@dataclass(frozen=True)
class Nesting:
    """How far a subclass is inside its parent class.

    Attributes
    ----------
    child, parent : names of the two classes
    inside, chance : float
        Share of the child's records whose nearest record outside the child is one of the parent's, and what that share
        would be at random.
    width : float
        Spread of the child's records as a multiple of the parent's; below 1 the child is the more concentrated. The
        spread is the median distance from the coordinate-wise median.
    """

    child: Hashable
    parent: Hashable
    inside: float
    chance: float
    width: float


@dataclass(frozen=True)
class PanelFacts:
    """How well a picture keeps classes together.

    Attributes
    ----------
    neighbours, chance : float
        Share of the records whose nearest neighbour is of the same class, and what it would be at random. A subclass
        counts as its topmost shown ancestor. Records in unrelated classes are left out.
    nestings : tuple of Nesting
        One for each shown class whose parent is shown.
    n_records : int
        How many records were looked at.
    """

    neighbours: float
    chance: float
    nestings: tuple[Nesting, ...]
    n_records: int

    def text(self) -> str:
        """Return it in short lines, for a caption."""
        lines = [f"nearest neighbour of the same class: {self.neighbours:.0%} (by chance {self.chance:.0%})"]
        lines += [
            f"{one.child} inside {one.parent}: {one.inside:.0%} (by chance {one.chance:.0%}), "
            f"{one.width:.2f} times as wide"
            for one in self.nestings
        ]
        return "\n".join(line.replace("nan%", "–").replace("nan", "–") for line in lines)


def panel_facts(
    positions: Any, y: Any, classes: Iterable[Hashable] | None = None, taxonomy: Taxonomy | None = None
) -> PanelFacts:
    """Measure how well places in the plane keep classes together.

    Parameters
    ----------
    positions : array, n_records x 2
        Each axis is first scaled to the frame of `draw_panels`, so that the numbers describe the picture.
    y : labels in any form
        With a taxonomy each record is in the ancestors of its labels too. Unknown records are left out.
    classes : names, optional
        The classes to look at; those that `draw_panels` would choose if left out.
    taxonomy : Taxonomy, optional
        Says which classes are inside others; without it none are.
    """
    points = check_positions("positions", positions)
    return facts_of(points, show_classes(y, classes, taxonomy, n_records=len(points)))


@dataclass(frozen=True, eq=False)
class ShownClasses:
    """The classes of a picture, how they are nested, and the class of each record in the picture.

    Attributes
    ----------
    names : tuple, n_classes
    inner : bool array, n_classes x n_classes: [i, j] is true if i is j or, as drawn, below it
    parent, family, level : int arrays, n_classes: nearest shown ancestor or -1, topmost one or itself, steps below it
    sizes : int array, n_classes: records in each class, however they are drawn
    drawn : int array, n_records: a class, SEVERAL or NEITHER
    """

    names: tuple[Hashable, ...]
    inner: BoolArray
    parent: IntArray
    family: IntArray
    level: IntArray
    sizes: IntArray
    drawn: IntArray


def show_classes(
    y: Any, classes: Iterable[Hashable] | None, taxonomy: Taxonomy | None, *, n_records: int
) -> ShownClasses:
    """Choose and order the classes of a picture, and decide as which of them each record is drawn.

    That is the most specific shown class that is inside or contains all other classes of the record: of {parent, child}
    the child, of {parent, two children} the parent. A record in unrelated classes is drawn as SEVERAL.
    """
    labels = as_labels(y, n_records=n_records) if taxonomy is None else taxonomy.expand(y, n_records=n_records)
    names = _default_classes(labels, taxonomy) if classes is None else _check_classes(classes, labels)
    above = np.zeros((len(names), len(names)), dtype=bool)  # [i, j] is true if j is an ancestor of i
    if taxonomy is not None:
        columns = np.asarray(taxonomy.columns(names))
        above = (taxonomy.closure[columns][:, columns].toarray() > 0) & ~np.eye(len(names), dtype=bool)
    parent, family, level = _nest(above)
    n_families = len(np.unique(family))
    if n_families > MOST_FAMILIES:
        raise InputError(
            f"classes has too many unrelated classes: got {n_families}, expected at most {MOST_FAMILIES}, "
            "since more colours cannot be distinguished. Show fewer, or draw several pictures."
        )
    inner = np.eye(len(names), dtype=bool)
    for one in np.argsort(level, kind="stable"):
        inner[one] |= inner[parent[one]] if parent[one] >= 0 else False
    member = labels.select(names).indicator.toarray() > 0
    return ShownClasses(names, inner, parent, family, level, member.sum(axis=0), _drawn_as(member, above, level))


def facts_of(points: Float64Array, classes: ShownClasses) -> PanelFacts:
    """Measure positions whose classes are already decided."""
    low, high = frame(points)
    rows = np.flatnonzero(classes.drawn >= 0)
    places, drawn = ((points - low) / (high - low))[rows], classes.drawn[rows]
    family, n = classes.family[drawn], len(rows)
    neighbours = chance = float("nan")
    if n > 1:
        near = np.asarray(cKDTree(places).query(places, k=2)[1])
        # the tree may list another record at the same position before the record itself
        other = np.where(near[:, 0] == np.arange(n), near[:, 1], near[:, 0])
        neighbours = float((family[other] == family).mean())
        sizes = np.bincount(family)
        chance = float((sizes * (sizes - 1)).sum() / (n * (n - 1)))
    nested = [one for one in range(len(classes.names)) if classes.parent[one] >= 0]
    return PanelFacts(neighbours, chance, tuple(_nesting(one, places, drawn, classes) for one in nested), n)


def frame(points: Float64Array) -> tuple[Float64Array, Float64Array]:
    """Return the lower left and upper right corner of a frame that a few outliers cannot stretch.

    It reaches a quarter beyond the range of the middle 98 % on each side, but not beyond the points, plus a margin.
    """
    if not len(points):
        return np.zeros(2), np.ones(2)
    lowest, highest = points.min(axis=0), points.max(axis=0)
    first, last = np.percentile(points, (1, 99), axis=0)
    reach = np.where(last > first, 0.25 * (last - first), highest - lowest)
    low, high = np.maximum(lowest, first - reach), np.minimum(highest, last + reach)
    margin = np.where(high > low, 0.04 * (high - low), 0.5)
    return low - margin, high + margin


def check_positions(name: str, positions: Any) -> Float64Array:
    """Return positions in the plane as an array of floats."""
    points = np.asarray(positions)
    if points.ndim != 2 or points.shape[1] != 2 or points.dtype.kind not in "biuf":
        raise InputError(
            f"{name} is not two-dimensional: got {points.dtype} values of shape {points.shape}, expected two numbers "
            "per record. Take two columns, or fit with two components."
        )
    check_finite(name, points)
    return points.astype(np.float64)


def _default_classes(labels: LabelMatrix, taxonomy: Taxonomy | None) -> tuple[Hashable, ...]:
    """Choose the most frequent labels, at the topmost level of a taxonomy that distinguishes anything."""
    counts = dict(zip(labels.names, labels.counts.tolist(), strict=True))
    top: tuple[Hashable, ...] = labels.names if taxonomy is None else taxonomy.roots
    while taxonomy is not None and len(top) == 1 and taxonomy.children(top[0]):
        top = taxonomy.children(top[0])
    found = sorted((name for name in top if counts[name]), key=lambda name: -counts[name])
    if not found:
        raise InputError("y has no classes to show: got no record with a label, expected at least one.")
    return tuple(found[:MOST_FAMILIES])


def _check_classes(classes: Iterable[Hashable], labels: LabelMatrix) -> tuple[Hashable, ...]:
    names = (classes,) if isinstance(classes, str) else tuple(dict.fromkeys(classes))
    known = set(labels.names)
    strangers = [name for name in names if name not in known]
    if strangers or not names:
        raise InputError(
            f"classes has unknown names: got {shown(strangers) or 'none'}, expected some of {shown(labels.names)}."
        )
    return names


def _nest(above: BoolArray) -> tuple[IntArray, ...]:
    """Return for each class its nearest shown ancestor (-1 if none), its topmost one (or itself) and its level.

    In a polyhierarchy a class can have several nearest ones; a point has one colour, so the first is taken.
    """
    n = len(above)
    parent, family, level = np.full(n, -1), np.arange(n), np.zeros(n, dtype=np.int64)
    for one in np.argsort(above.sum(axis=1), kind="stable"):  # ancestors have fewer ancestors
        ancestors = np.flatnonzero(above[one])
        if ancestors.size:
            parent[one] = ancestors[np.argmax(level[ancestors])]
            family[one], level[one] = family[parent[one]], level[parent[one]] + 1
    return parent, family, level


def _drawn_as(member: BoolArray, above: BoolArray, level: IntArray) -> IntArray:
    unrelated = ~(above | above.T | np.eye(len(above), dtype=bool))
    agrees = member & (member.astype(np.int64) @ unrelated == 0)
    # classes that agree with each other are on one path, so no two have the same level
    drawn = np.argmax(np.where(agrees, level + 1, 0), axis=1)
    return np.where(agrees.any(axis=1), drawn, np.where(member.any(axis=1), SEVERAL, NEITHER))


def _nesting(child: int, places: Float64Array, drawn: IntArray, classes: ShownClasses) -> Nesting:
    parent = int(classes.parent[child])
    in_child, in_parent = classes.inner[drawn, child], classes.inner[drawn, parent]
    inside = chance = width = float("nan")
    if in_child.any() and not in_child.all():
        near = np.asarray(cKDTree(places[~in_child]).query(places[in_child])[1])
        inside = float(in_parent[~in_child][near].mean())
        chance = float(in_parent[~in_child].mean())
    if in_child.any() and _spread(places[in_parent]) > 0:
        width = _spread(places[in_child]) / _spread(places[in_parent])
    return Nesting(classes.names[child], classes.names[parent], inside, chance, width)


def _spread(places: Float64Array) -> float:
    return float(np.median(np.linalg.norm(places - np.median(places, axis=0), axis=1)))
