"""What is on a map, ready to be drawn: points, groups of records, and names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tacit.types import Float32Array, IntArray

__all__ = ["Map", "MapGroup", "MapName"]


@dataclass(frozen=True, eq=False)
class Map:
    """Records in the plane, ready to be drawn; made by `map_of`.

    Attributes
    ----------
    title : what stands above it
    points : (n_records, 2)
    ids, titles, labels : of the records; labels as the taxonomy writes them
    groups : of records that are drawn alike
    names : those of the groups first, then those of labels, the largest first
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
        """Give what is on the map in numbers, as `--json` prints it."""
        groups = [{"name": group.name, "records": len(group.rows), "colour": group.colour} for group in self.groups]
        return {"title": self.title, "colour_by": self.colour_by, "records": len(self.ids), "groups": groups}


@dataclass(frozen=True, eq=False)
class MapGroup:
    """Records that are drawn alike.

    Attributes
    ----------
    name : str
    colour : str, "#rrggbb"
    shape : {"circle", "square", "triangle-up"}
    rows : which records of the map
    is_rest : whether it is what was left over, whose name says nothing about a place on the map
    """

    name: str
    colour: str
    shape: str
    rows: IntArray
    is_rest: bool = False


@dataclass(frozen=True)
class MapName:
    """A name that may stand on the map: where, for how many records, and of which group (None: of a label)."""

    text: str
    x: float
    y: float
    n_records: int
    group: int | None = None
