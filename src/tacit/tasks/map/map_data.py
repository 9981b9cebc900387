"""What is on a map, ready to be drawn: points, groups of records, and names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tacit.types import Float32Array, IntArray

__all__ = ["Map", "MapGroup", "MapName"]


@dataclass(frozen=True, eq=False)
class Map:
    """Records in the plane; made by `map_of`.

    Attributes
    ----------
    title : shown above the map
    points : (n_records, 2)
    ids, titles, labels : of the records; labels by their titles
    groups : groups of records with the same look
    names : of the groups, then of labels, largest first
    colour_by : what the groups are
    """

    title: str
    points: Float32Array
    ids: list[str]
    titles: list[str]
    labels: list[tuple[str, ...]]
    groups: list[MapGroup]
    names: list[MapName]
    colour_by: str = "label"

    def to_facts(self) -> dict[str, Any]:
        """Return what is on the map, as `--json` prints it."""
        groups = [{"name": group.name, "records": len(group.rows), "colour": group.colour} for group in self.groups]
        return {"title": self.title, "colour_by": self.colour_by, "records": len(self.ids), "groups": groups}


@dataclass(frozen=True, eq=False)
class MapGroup:
    """Records that are drawn with the same look.

    Attributes
    ----------
    name : str
    colour : str, "#rrggbb"
    shape : {"circle", "square", "triangle-up"}
    rows : which records of the map
    is_rest : whether it holds the remaining records, so that its name is not written on the map
    """

    name: str
    colour: str
    shape: str
    rows: IntArray
    is_rest: bool = False


@dataclass(frozen=True)
class MapName:
    """A name on the map: its position, number of records, and group (None for a label)."""

    text: str
    x: float
    y: float
    n_records: int
    group: int | None = None
