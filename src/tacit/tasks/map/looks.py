"""Colours and shapes of the groups on a drawn map."""

from __future__ import annotations

import numpy as np

from tacit.tasks.map.grouping import Grouping
from tacit.tasks.map.map_data import MapGroup

__all__ = ["coloured"]


def coloured(groups: Grouping, without: str) -> list[MapGroup]:
    """Return the largest groups with colours, largest first; ranges of numbers go from dark to light.

    All other groups together are grey; records without a group are light grey, with the name `without`.
    """
    looks = [(colour, "circle") for colour in _SCALE] if groups.is_scale else list(_LOOKS)
    chosen = groups.largest(len(looks))
    found = [
        MapGroup(groups.names[code], *look, np.flatnonzero(groups.codes == code))
        for code, look in zip(chosen, looks, strict=False)
    ]
    left_over = ~np.isin(groups.codes, [*chosen, -1])
    if left_over.any():
        n_others = len(np.unique(groups.codes[left_over]))
        found.append(MapGroup(f"{n_others:,} others", _GREY, "circle", np.flatnonzero(left_over), is_rest=True))
    if (groups.codes == -1).any():
        found.append(MapGroup(without, _LIGHT_GREY, "circle", np.flatnonzero(groups.codes == -1), is_rest=True))
    return found


# Colours of the same shape can be distinguished with any kind of colour blindness, and from the grey of the rest.
_LOOKS = (
    ("#0072B2", "circle"), ("#D55E00", "square"), ("#009E73", "triangle-up"), ("#CC79A7", "triangle-up"),
    ("#E69F00", "square"), ("#332288", "circle"), ("#882255", "circle"), ("#56B4E9", "square"),
    ("#AA4499", "triangle-up"), ("#B8A800", "circle"), ("#117733", "square"), ("#8C5A2B", "triangle-up"),
)  # fmt: skip
_GREY, _LIGHT_GREY = "#A8A8A8", "#D5D5D5"
_SCALE = ("#00204D", "#31446B", "#666870", "#958F78", "#CBBA69", "#FFE945")
