"""Writes a map as one HTML file that needs no network: Plotly's JavaScript, the points, and a search box.

Needs the extra `plot`. The template is `page.html`. Text from the records is inserted as JSON that cannot end its
script element, and is shown as text, never as markup.
"""

from __future__ import annotations

import html
import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from tacit.errors import InputError, MissingExtraError
from tacit.files import writing_output
from tacit.tasks.map.map_data import Map

__all__ = ["page", "write_page"]


def write_page(found: Map, path: Path) -> Path:
    """Write a map as an HTML file."""
    text = page(found)
    try:
        with writing_output(path) as fresh:
            fresh.write_text(text, "utf-8", "replace", "\n")  # the name of the index may be of any bytes
    except OSError as error:
        raise InputError(
            f"output cannot be written: got {error.strerror!r} for {str(path)!r}, expected a writable file."
        ) from error
    return path


def page(found: Map) -> str:
    """Return the page."""
    try:
        from plotly.offline import get_plotlyjs
    except ImportError as error:
        raise MissingExtraError("plotly", "plot", "A map in a .html file") from error
    template = files("tacit.tasks.map").joinpath("page.html").read_text(encoding="utf-8")
    data = json.dumps(_facts(found), ensure_ascii=False, separators=(",", ":"))
    # no "<", which could end the script element, and no line separators of old JavaScript
    data = data.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    parts = {"TITLE": html.escape(found.title), "DATA": data, "PLOTLY": str(get_plotlyjs())}
    # split, not replaced one after the other: a record may contain @PLOTLY@
    pieces = template.split("@")
    return "".join(parts.get(piece, f"@{piece}@") if number % 2 else piece for number, piece in enumerate(pieces))


def _facts(found: Map) -> dict[str, Any]:
    """Return the data of the page, in short form: four digits per coordinate, labels by number."""
    points = found.points.astype(np.float64)  # a rounded float32 would be written with sixteen digits
    extent = float(np.ptp(points, axis=0).max()) or 1.0
    centre = points.mean(axis=0)
    places = np.round((points - centre) / extent * 1000, 1)
    label_names = sorted({label for labels in found.labels for label in labels})
    number_of = {label: number for number, label in enumerate(label_names)}
    return {
        "colour_by": found.colour_by,
        "x": places[:, 0].tolist(),
        "y": places[:, 1].tolist(),
        "ids": found.ids,
        "titles": found.titles,
        "labels": [[number_of[label] for label in labels] for labels in found.labels],
        "label_names": label_names,
        "groups": [
            {
                "name": group.name,
                "colour": group.colour,
                "dark": _darker(group.colour),
                "shape": group.shape,
                "rest": group.is_rest,
                "rows": group.rows.tolist(),
            }
            for group in found.groups
        ],
        "names": [
            {
                "text": name.text,
                "x": round((name.x - float(centre[0])) / extent * 1000, 1),
                "y": round((name.y - float(centre[1])) / extent * 1000, 1),
                "group": name.group,
            }
            for name in found.names
        ],
    }


def _darker(colour: str) -> str:
    """Return a darker shade, in which small letters are readable on white."""
    return "#" + "".join(f"{int(int(colour[place : place + 2], 16) * 0.65):02x}" for place in (1, 3, 5))
