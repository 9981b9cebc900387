"""What goes into the fit of an index beside the words, and what comes out of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from tacit.index.suggester import Suggester
from tacit.relations.taxonomy.taxonomy import Taxonomy

__all__ = ["Fitted", "Known"]

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Known:
    """What is known about the records beside their words.

    Parameters
    ----------
    labels : labels of each record; an empty one is unknown, not "none of them"
    links : for each name of a link, the targets of each record
    taxonomy : above the labels, or None
    """

    labels: Sequence[tuple[str, ...]]
    links: Mapping[str, Sequence[tuple[str, ...]]]
    taxonomy: Taxonomy | None = None

    @property
    def used_links(self) -> dict[str, Sequence[tuple[str, ...]]]:
        """The links that lead anywhere: a name that all records leave empty says nothing."""
        return {name: targets for name, targets in self.links.items() if any(targets)}


@dataclass(frozen=True, eq=False)
class Fitted:
    """What a fit leaves for the index.

    Attributes
    ----------
    model : str, which model it is
    parameters : what it was fitted with, by name
    terms : (n_terms, k), the map that places words
    offset : (k,) or None
    positions : (n_records, k), where the records are searched: with all that is known about them
    label_names, label_counts : of the labels that took part
    label_positions : (n_labels, k)
    suggester : Suggester or None
    suggester_method : str, how it was trained; "none" if there is none
    others : for each type of linked things, their names and positions
    strengths : (k,) or None, eigenvalues of M-LSA: the position of a thing times these is the sum of the positions of
        its records, but for a factor
    """

    model: str
    parameters: dict[str, Any]
    terms: Floats
    offset: Floats | None
    positions: Floats
    label_names: tuple[str, ...] = ()
    label_counts: tuple[int, ...] = ()
    label_positions: Floats | None = None
    suggester: Suggester | None = None
    suggester_method: str = "none"
    others: Mapping[str, tuple[list[str], Floats]] | None = None
    strengths: Floats | None = None
