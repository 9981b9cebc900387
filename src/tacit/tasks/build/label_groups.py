"""Groups of labels that can have weights of their own: `--weight role=0` for the labels "role::program", "role::data" …

A name that is no view is looked for, in this order, among

- facets: the first part of labels that are paths, as "role" of "role::program" or "animals" of "animals/cats";
- top concepts of the taxonomy, by name or title, with everything below them;
- "frequent", labels of more than a tenth of the labelled records, and "rare", labels of fewer than five.

The labels of such a group become a view of their own beside the other labels.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from tacit.models.common.views import View
from tacit.relations.labels.matrix import LabelMatrix
from tacit.relations.taxonomy.taxonomy import Taxonomy
from tacit.types import IntArray

__all__ = ["label_groups", "without_groups"]

_SEPARATORS = ("::", ":", "/", "|", ">")
_FREQUENT, _RARE = 0.1, 5  # share of the labelled records; number of records


def label_groups(labels: LabelMatrix, taxonomy: Taxonomy | None, separator: str | None) -> dict[str, IntArray]:
    """Return the columns of the labels of each group, by its name; a name of two kinds is the first of them."""
    groups: dict[str, list[int]] = {}
    for column, name in enumerate(map(str, labels.names)):
        used = [separator] if separator else [one for one in _SEPARATORS if one in name]
        if used and used[0] in name:
            groups.setdefault(name.split(used[0])[0].strip(), []).append(column)
    for name, columns in _by_top_concept(labels, taxonomy).items():
        groups.setdefault(name, columns)
    n_known = max(1, int(np.count_nonzero(labels.known)))
    groups.setdefault("frequent", np.flatnonzero(labels.counts > _FREQUENT * n_known).tolist())
    groups.setdefault("rare", np.flatnonzero(labels.counts < _RARE).tolist())
    return {name: np.array(columns) for name, columns in groups.items() if name and len(columns)}


def _by_top_concept(labels: LabelMatrix, taxonomy: Taxonomy | None) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    if taxonomy is None:
        return found
    for column, name in enumerate(labels.names):
        if name not in taxonomy:
            continue
        tops = [one for one in (name, *taxonomy.ancestors(name)) if not taxonomy.parents(one)]
        for top in tops:
            for called in (str(top), taxonomy.title(top)):
                if called and column not in found.setdefault(called, []):
                    found[called].append(column)
    return found


def without_groups(
    labels: LabelMatrix, groups: Mapping[str, IntArray], named: Mapping[str, float]
) -> tuple[LabelMatrix | None, dict[str, View]]:
    """Take the named groups out of the labels; return what is left, and a view for each group.

    A label of two groups goes with the first. A record that has labels, but none of a group, has none of them; one that
    has labels of these groups alone is unknown to the rest, as a record without labels is.
    """
    taken = np.zeros(labels.n_labels, dtype=bool)
    views: dict[str, View] = {}
    for name in named:
        columns = groups[name][~taken[groups[name]]]
        taken[columns] = True
        if len(columns):
            views[name] = View(_chosen(labels, columns), names=None)
    left = np.flatnonzero(~taken)
    if not len(left):
        return None, views
    rest = _chosen(labels, left)
    return replace(rest, known=np.diff(rest.indicator.indptr) > 0), views


def _chosen(labels: LabelMatrix, columns: Any) -> LabelMatrix:
    names = tuple(labels.names[column] for column in columns)
    return LabelMatrix(sp.csr_array(labels.indicator[:, columns]), names, labels.known, kind="sets")
