"""Groups the records of a map by label, cluster, concept, field or link.

Everything is read by one query of values, not record by record, so that a hundred thousand records take a second.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tacit.errors import InputError, did_you_mean
from tacit.index import Filters
from tacit.tasks.label_names import find_label, title_of
from tacit.tasks.layout.level_names import widest
from tacit.tasks.opened_index import OpenedIndex
from tacit.types import IntArray

if TYPE_CHECKING:
    from tacit.relations.taxonomy.taxonomy import Taxonomy

__all__ = ["GROUPS", "RANGES", "Grouping", "groups_of"]

GROUPS = 12  # groups of nearby records and concepts: as many as there are colours
RANGES = 6  # of a field of numbers
_LONGEST_NAME = 40
_CLUSTERED = 10_000  # records from which clusters are found; the others go to the nearest


@dataclass(frozen=True, eq=False)
class Grouping:
    """The group of each record.

    Attributes
    ----------
    codes : number of the group of each record; -1 for none
    names : names of the groups
    labels : labels that the groups are; None for a group that is not a label
    is_scale : whether the groups are ranges of numbers, from low to high
    """

    codes: IntArray
    names: Sequence[str]
    labels: Sequence[str | None]
    is_scale: bool = False

    def sizes(self) -> IntArray:
        """Return the number of records of each group."""
        return np.bincount(self.codes[self.codes >= 0], minlength=len(self.names))

    def largest(self, most: int) -> list[int]:
        """Return the largest groups, largest first; ranges stay in their order."""
        sizes = self.sizes()
        order = range(len(sizes)) if self.is_scale else np.lexsort((np.array(self.names, dtype=str), -sizes))
        return [int(code) for code in order if sizes[code]][:most]


def groups_of(
    collection: OpenedIndex,
    numbers: IntArray,
    by: str = "label",
    *,
    under: str | None = None,
    filters: Filters | None = None,
    random_state: int = 0,
    argument: str = "by",
) -> Grouping:
    """Return the group of each record.

    Parameters
    ----------
    collection : an open index
    numbers : numbers of the records, ascending
    by : str, default "label"
        "label" is the top of the taxonomy above most labels of a record, or its most frequent label without a taxonomy;
        "cluster" groups nearby records, "concept" takes the dimension along which a record is most unusual; anything
        else is the name of a field or of a link.
    under : label, optional
        With "label", the groups are what is directly below this label, and the label itself for records that have
        nothing below it; without a taxonomy, the other labels of its records.
    filters : those of the records, for clusters
    random_state : seed of the clusters
    argument : name of `by` in errors
    """
    if by == "label":
        return _label_groups(collection, numbers, under)
    if by == "cluster":
        return _clusters(collection, numbers, filters, random_state)
    if by == "concept":
        return _concepts(collection, numbers)
    return _value_groups(collection, numbers, by, argument)


def _label_groups(collection: OpenedIndex, numbers: IntArray, under: str | None) -> Grouping:
    """Group by the tops above the labels, or by what is directly below one label."""
    owners, labels = collection.store.values("labels")
    own = None if under is None else find_label(collection, under)
    above = _groups_above(collection.taxonomy, own)
    groups: dict[str, int] = {}
    of_label: dict[str, tuple[int, ...]] = {}
    for label in dict.fromkeys(labels):
        # a label that the taxonomy lacks is a top; without a taxonomy every label is
        found = above.get(label, (label,) if own is None or collection.taxonomy is None else ())
        of_label[label] = tuple(groups.setdefault(name, len(groups)) for name in found if name != own)
    pairs = np.array(
        [(number, group) for number, label in zip(owners.tolist(), labels, strict=True) for group in of_label[label]],
        np.int64,
    ).reshape(-1, 2)
    codes = _most_frequent(numbers, pairs[:, 0], pairs[:, 1], list(groups))
    names = list(groups)
    if own is not None:
        inside = np.isin(numbers, collection.store.numbers(Filters(labels=[_below(collection, own)])))
        codes = np.where(inside, np.where(codes >= 0, codes, len(names)), -1)
        names.append(own)
    return Grouping(codes, [title_of(collection, name) for name in names], names)


def _below(collection: OpenedIndex, label: str) -> list[str]:
    """Return a label and everything below it."""
    taxonomy = collection.taxonomy
    return [label] if taxonomy is None or label not in taxonomy else [label, *map(str, taxonomy.descendants(label))]


def _groups_above(taxonomy: Taxonomy | None, under: str | None) -> dict[str, tuple[str, ...]]:
    """Return the groups above each label of the taxonomy: its tops, or the children of a label for what is below."""
    if taxonomy is None or (under is not None and under not in taxonomy):
        return {}
    tops = widest(taxonomy) if under is None else [str(name) for name in taxonomy.children(under)]
    found: dict[str, tuple[str, ...]] = {}
    for top in tops:
        for name in (top, *map(str, taxonomy.descendants(top))):
            found[name] = (*found.get(name, ()), top)
    return found


def _most_frequent(numbers: IntArray, owners: IntArray, groups: IntArray, names: Sequence[str]) -> IntArray:
    """Return for each record the group that most of its values are in; ties go to the one of most records."""
    codes = np.full(len(numbers), -1, np.int64)
    rows = np.searchsorted(numbers, owners)
    here = rows < len(numbers)
    here[here] = numbers[rows[here]] == owners[here]
    pairs, times = np.unique(rows[here] * max(len(names), 1) + groups[here], return_counts=True)
    rows, groups = np.divmod(pairs, max(len(names), 1))
    popularity = np.bincount(groups, minlength=len(names))
    ranks = np.empty(len(names), np.int64)
    ranks[np.argsort(np.array(names, dtype=str), kind="stable")] = np.arange(len(names))
    order = np.lexsort((ranks[groups], -popularity[groups], -times, rows))
    first = np.ones(len(order), bool)
    first[1:] = np.diff(rows[order]) > 0
    codes[rows[order][first]] = groups[order][first]
    return codes


def _clusters(collection: OpenedIndex, numbers: IntArray, filters: Filters | None, random_state: int) -> Grouping:
    """Group as `tacit cluster` does; a record without a position is in no group."""
    from tacit.tasks.cluster.groups import cluster_index, default_groups

    n_groups = min(GROUPS, default_groups(len(numbers)))
    options: dict[str, Any] = {"words": 3, "examples": 1, "most": _CLUSTERED}
    found = cluster_index(collection, n_groups, filters=filters, random_state=random_state, **options)
    codes = np.full(len(numbers), -1, np.int64)
    places = np.searchsorted(numbers, found.numbers)
    codes[places] = found.of_records - 1
    return Grouping(codes, _different([group.name for group in found.groups]), [None] * len(found.groups))


def _concepts(collection: OpenedIndex, numbers: IntArray) -> Grouping:
    """Group by the end of the dimension along which a record differs most from the others."""
    from tacit.tasks.explain.explain import concepts

    described = concepts(collection, limit=GROUPS, words=3)
    positions = collection.positions.of(numbers)
    lengths = np.linalg.norm(positions, axis=1, keepdims=True)
    unusual = positions[:, : len(described)] / np.where(lengths > 0, lengths, 1)
    unusual = (unusual - unusual.mean(axis=0)) / np.maximum(unusual.std(axis=0), 1e-9)
    axes = np.abs(unusual).argmax(axis=1)
    below = np.take_along_axis(unusual, axes[:, None], axis=1)[:, 0] < 0
    codes = np.where(lengths[:, 0] > 0, 2 * axes + below, -1)
    names = []
    for dimension in described:
        for sign, end in (("+", dimension.positive), ("-", dimension.negative)):
            about = ", ".join(end.words or [label.title for label in end.labels][:3])
            names.append(about or f"dimension {dimension.number} {sign}")
    return Grouping(codes, _different(names), [None] * len(names))


def _value_groups(collection: OpenedIndex, numbers: IntArray, name: str, argument: str) -> Grouping:
    """Group by the values of a field or link; many different numbers by ranges of about equal size."""
    store = collection.store
    fields, links = store.names("fields"), store.names("links")
    if name not in (*fields, *links):
        known = did_you_mean(name, [*fields, *links], f"Fields here: {', '.join(fields[:8]) or 'none'}.")
        raise InputError(
            f"{argument} is unknown: got {name!r}, expected 'label', 'cluster', 'concept', or a field or link of the "
            f"records.{known}"
        )
    owners, found = store.values("fields" if name in fields else "links", name)
    here = np.isin(owners, numbers)
    owners, values = owners[here], [value for value, is_here in zip(found, here.tolist(), strict=True) if is_here]
    if all(isinstance(value, (int, float)) for value in values) and len(set(values)) > RANGES:
        return _ranges(numbers, owners, np.asarray(values, np.float64))
    names = list(dict.fromkeys(_short(str(value)) for value in values))
    place = {text: code for code, text in enumerate(names)}
    groups = np.fromiter((place[_short(str(value))] for value in values), np.int64, len(values))
    return Grouping(_most_frequent(numbers, owners, groups, names), names, [None] * len(names))


def _ranges(numbers: IntArray, owners: IntArray, values: Any) -> Grouping:
    """Group by ranges of numbers; the lowest number of a record counts."""
    order = np.lexsort((values, owners))
    owners, values = owners[order], values[order]
    first = np.ones(len(owners), bool)
    first[1:] = np.diff(owners) > 0
    owners, values = owners[first], values[first]
    edges = np.unique(np.quantile(values, np.linspace(0, 1, RANGES + 1), method="nearest"))
    bins = np.clip(np.searchsorted(edges, values, "right") - 1, 0, max(len(edges) - 2, 0))
    used, bins = np.unique(bins, return_inverse=True)
    codes = np.full(len(numbers), -1, np.int64)
    codes[np.searchsorted(numbers, owners)] = bins
    inside = [values[bins == code] for code in range(len(used))]
    names = [f"{found.min():g} to {found.max():g}" for found in inside]
    return Grouping(codes, names, [None] * len(names), is_scale=True)


def _different(names: Sequence[str]) -> list[str]:
    """Return short names; equal ones are numbered."""
    short = [_short(name) for name in names]
    twice = Counter(short)
    return [name if twice[name] == 1 else f"{name} ({number + 1})" for number, name in enumerate(short)]


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _LONGEST_NAME else text[: _LONGEST_NAME - 1].rstrip() + "…"
