"""Colours of a map: to which of a dozen groups each record belongs, by label, cluster, concept, field or link."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tacit.index import Filters
from tacit.tasks.label_names import find_label, subtree
from tacit.tasks.map.grouping import GROUPS, groups_of
from tacit.tasks.map.stored import n_numbers
from tacit.tasks.opened_index import OpenedIndex

__all__ = ["NONE", "OTHER", "ColourGroup", "Colouring", "colour_groups"]

NONE, OTHER = 0, 13  # codes of the records that belong to no group, and of those beyond the dozen


@dataclass(frozen=True)
class ColourGroup:
    """A group of records with one colour: its name, its label (None if it is not one), its size and its code."""

    name: str
    label: str | None
    records: int
    code: int


@dataclass(frozen=True, eq=False)
class Colouring:
    """The colours of all records.

    Attributes
    ----------
    codes : uint8, one per record number: 0 for none, 1 to 12 for the groups, 13 for the others
    groups : list of ColourGroup, in the order of their codes
    """

    codes: npt.NDArray[np.uint8]
    groups: list[ColourGroup]


def colour_groups(
    collection: OpenedIndex, *, by: str = "label", under: str | None = None, random_state: int = 0
) -> Colouring:
    """Return the colours of all records of an index.

    Parameters
    ----------
    collection : an open index
    by : str, default "label"
        "label", "cluster", "concept", or the name of a field or link; see `tacit.tasks.map.grouping.groups_of`.
    under : label, optional
        A label by its id or name: only its records, and what is below it, have colours; by label, these are the groups
        directly below it.
    random_state : int, default 0
        Seed of the clusters.

    Raises
    ------
    InputError
        If there is no such label, field or link.
    """
    filters = None
    if under is not None:
        below = subtree(collection, under) if collection.taxonomy is not None else (find_label(collection, under),)
        filters = Filters(labels=[below])
    numbers = collection.store.numbers(filters)
    codes = np.zeros(n_numbers(collection), np.uint8)
    if not len(numbers):
        return Colouring(codes, [])
    found = groups_of(collection, numbers, by, under=under, filters=filters, random_state=random_state)
    of_group = np.full(len(found.names) + 1, OTHER, np.uint8)
    of_group[-1] = NONE  # for -1, those in no group
    chosen, sizes = found.largest(GROUPS), found.sizes()
    of_group[chosen] = np.arange(1, len(chosen) + 1)
    codes[numbers] = of_group[found.codes]
    groups = [
        ColourGroup(found.names[group], found.labels[group], int(sizes[group]), code + 1)
        for code, group in enumerate(chosen)
    ]
    n_others = int(np.count_nonzero(codes == OTHER))
    return Colouring(codes, [*groups, ColourGroup("other", None, n_others, OTHER)] if n_others else groups)
