"""Groups the records of a map by label, field or cluster, and gives the groups their colours."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tacit.corpus.record import Record
from tacit.errors import InputError, did_you_mean
from tacit.tasks.label_names import title_of
from tacit.tasks.map.map_data import MapGroup
from tacit.tasks.opened_index import OpenedIndex

if TYPE_CHECKING:
    from tacit.index import Filters
    from tacit.relations.taxonomy.taxonomy import Taxonomy

__all__ = ["Grouping", "coloured", "grouping"]


@dataclass(frozen=True)
class Grouping:
    """The group of each record.

    Attributes
    ----------
    names : name of the group of each record, or None
    scale : groups from low to high if they are ranges of numbers; otherwise empty
    """

    names: list[str | None]
    scale: tuple[str, ...] = ()


def grouping(
    collection: OpenedIndex, records: Sequence[Record], colour_by: str, *, filters: Filters | None, random_state: int
) -> Grouping:
    """Return the group of each record of a map; records are in the order of their numbers.

    "label" is the top of the taxonomy above a record's labels, or its most frequent label without a taxonomy; "cluster"
    groups nearby records, with the filters of the map and the seed; anything else is the name of a field.
    """
    if colour_by == "label":
        widest = _widest_labels(records, collection.taxonomy)
        return Grouping([None if name is None else title_of(collection, name) for name in widest])
    if colour_by == "cluster":
        return Grouping(_clusters(collection, len(records), filters, random_state))
    return _field_groups(records, colour_by)


def coloured(groups: Grouping, without: str) -> list[MapGroup]:
    """Return the largest groups with colours, largest first; ranges of numbers go from dark to light.

    All other groups together are grey; records without a group are light grey, with the name `without`.
    """
    names = np.array([name or "" for name in groups.names], dtype=object)
    counts = Counter(name for name in groups.names if name)
    chosen = list(groups.scale) or sorted(counts, key=lambda name: (-counts[name], name))[: len(_LOOKS)]
    looks = [(colour, "circle") for colour in _SCALE] if groups.scale else list(_LOOKS)
    found = [MapGroup(name, *look, np.flatnonzero(names == name)) for name, look in zip(chosen, looks, strict=False)]
    left_over = np.array([bool(name) and name not in chosen for name in names], bool)
    if left_over.any():
        title = f"{len(counts) - len(chosen):,} others"
        found.append(MapGroup(title, _GREY, "circle", np.flatnonzero(left_over), is_rest=True))
    if (names == "").any():
        found.append(MapGroup(without, _LIGHT_GREY, "circle", np.flatnonzero(names == ""), is_rest=True))
    return found


# Colours of the same shape can be distinguished with any kind of colour blindness, and from the grey of the rest.
_LOOKS = (
    ("#0072B2", "circle"), ("#D55E00", "square"), ("#009E73", "triangle-up"), ("#CC79A7", "triangle-up"),
    ("#E69F00", "square"), ("#332288", "circle"), ("#882255", "circle"), ("#56B4E9", "square"),
    ("#AA4499", "triangle-up"), ("#B8A800", "circle"), ("#117733", "square"), ("#8C5A2B", "triangle-up"),
)  # fmt: skip
_GREY, _LIGHT_GREY = "#A8A8A8", "#D5D5D5"
_SCALE = ("#00204D", "#31446B", "#666870", "#958F78", "#CBBA69", "#FFE945")
_LONGEST_NAME = 40


def _widest_labels(records: Sequence[Record], taxonomy: Taxonomy | None) -> list[str | None]:
    """Return for each record the top that is above most of its labels; ties go to the most frequent."""
    tops = _tops(taxonomy)
    above = [[top for label in record.labels for top in tops.get(label, (label,))] for record in records]
    counts = Counter(name for names in above for name in set(names))
    return [
        max(Counter(names).items(), key=lambda item: (item[1], counts[item[0]], item[0]))[0] if names else None
        for names in above
    ]


def _tops(taxonomy: Taxonomy | None) -> dict[str, tuple[str, ...]]:
    """Return the tops above each label: the roots of the taxonomy, or the children of a single root."""
    if taxonomy is None:
        return {}
    tops = [str(name) for name in taxonomy.roots]
    while len(tops) == 1 and taxonomy.children(tops[0]):
        tops = [str(name) for name in taxonomy.children(tops[0])]
    found: dict[str, tuple[str, ...]] = {}
    for top in tops:
        for name in (top, *map(str, taxonomy.descendants(top))):
            found[name] = (*found.get(name, ()), top)
    return found


def _clusters(collection: OpenedIndex, n_records: int, filters: Filters | None, random_state: int) -> list[str | None]:
    """Return names of groups as of `tacit cluster`; None for a record without a position."""
    from tacit.tasks.cluster.groups import cluster_index, default_groups

    n_groups = min(len(_LOOKS), default_groups(n_records))
    found = cluster_index(collection, n_groups, words=3, examples=1, filters=filters, random_state=random_state)
    titles = [_short(group.name) for group in found.groups]
    # different groups may have the same words
    twice = Counter(titles)
    titles = [title if twice[title] == 1 else f"{title} ({number + 1})" for number, title in enumerate(titles)]
    return [titles[number - 1] if number else None for number in found.of_records.tolist()]


def _field_groups(records: Sequence[Record], field: str) -> Grouping:
    """Group records by the values of a field; many different numbers by ranges of about equal size."""
    values = [_first(record.fields.get(field)) for record in records]
    if all(value is None for value in values):
        fields = sorted({name for record in records for name in record.fields})
        known = did_you_mean(field, fields, f"Fields here: {', '.join(fields[:8]) or 'none'}.")
        raise InputError(
            f"colour_by is unknown: got {field!r}, expected 'label', 'cluster' or a field of the records.{known}"
        )
    numbers = [value for value in values if isinstance(value, (int, float)) and not isinstance(value, bool)]
    if len(set(numbers)) > len(_SCALE) and len(numbers) == sum(value is not None for value in values):
        return _ranges(values, numbers)
    return Grouping([None if value is None else _short(str(value)) for value in values])


def _ranges(values: Sequence[Any], numbers: Sequence[float]) -> Grouping:
    edges = np.unique(np.quantile(np.asarray(numbers, float), np.linspace(0, 1, len(_SCALE) + 1), method="nearest"))
    bins = [None if value is None else int(np.clip(np.searchsorted(edges, value, "right") - 1, 0, len(edges) - 2))
            for value in values]  # fmt: skip
    inside: dict[int, list[float]] = {}
    for number, value in zip(bins, values, strict=True):
        if number is not None:
            inside.setdefault(number, []).append(value)
    titles = {number: f"{min(found):g} to {max(found):g}" for number, found in inside.items()}
    return Grouping(
        [None if number is None else titles[number] for number in bins], tuple(titles[n] for n in sorted(titles))
    )


def _first(value: Any) -> Any:
    """Return one value of a field: the first of a list, None if it is empty or a mapping."""
    if isinstance(value, (list, tuple)):
        value = value[0] if value else None
    return None if value == "" or isinstance(value, dict) else value


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _LONGEST_NAME else text[: _LONGEST_NAME - 1].rstrip() + "…"
