"""Draws a layout as a picture file, with Matplotlib (extra `plot`)."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np

from tacit.errors import InputError, MissingExtraError
from tacit.tasks.layout import Layout

__all__ = ["check_map_path", "draw_map", "save_figure"]


def check_map_path(path: str | Path, *, argument: str = "map") -> Path:
    """Raise what `draw_map` would raise for this path, before hours of work have gone into the map."""
    path = Path(path).expanduser()
    if importlib.util.find_spec("matplotlib") is None:
        raise MissingExtraError("matplotlib", "plot", "Drawing a map")
    if path.suffix.lower() not in _FORMATS:
        raise InputError(
            f"{argument} is no picture file: got {str(path)!r}, expected a name that ends in {', '.join(_FORMATS)}."
        )
    if not path.parent.is_dir() or path.is_dir():
        raise InputError(f"{argument} cannot be written: got {str(path)!r}, expected a file in a folder that exists.")
    return path


def save_figure(figure: Any, path: Path, *, argument: str = "map") -> Path:
    """Write a drawing to a path that `check_map_path` has passed."""
    try:
        figure.savefig(path)
    except OSError as error:
        raise InputError(
            f"{argument} cannot be written: got {str(path)!r} and {error.strerror}, "
            "expected a file that may be changed."
        ) from error
    return path


def draw_map(layout: Layout, path: str | Path, *, title: str) -> Path:
    """Draw a point a record, coloured by group, with each group's name where most of its records are.

    Parameters
    ----------
    layout : Layout
    path : path
        File to write; its ending says the format: .png, .pdf or .svg.
    title : str
        What stands above the map.
    """
    path = check_map_path(path)
    return save_figure(_figure(layout, title), path)


_FORMATS = (".png", ".pdf", ".svg")
_MARKERS = ("o", "s", "^")


def _figure(layout: Layout, title: str) -> Any:
    """The drawing itself."""
    # the figure class and not pyplot, which would start a window system and keep the figure for ever
    from matplotlib.figure import Figure

    figure = Figure(figsize=(12, 9), dpi=130, layout="constrained")
    axes = figure.add_subplot()
    groups = np.asarray(layout.groups)
    labels = []
    for number, name in enumerate(sorted(set(layout.groups))):
        points, colour = layout.points[groups == name], _colour(number)
        marker = _MARKERS[number % len(_MARKERS)]
        axes.scatter(points[:, 0], points[:, 1], s=20, color=colour, marker=marker, alpha=0.75, linewidths=0)
        labels.append((name, _centre(points), colour))
    _write_names(axes, labels)
    all_shown = len(layout.rows) == layout.n_records
    shown = f"all {layout.n_records:,}" if all_shown else f"{len(layout.rows):,} of {layout.n_records:,}"
    axes.set_title(f"{title} ({shown} records)", fontsize=13)
    axes.set_axis_off()
    return figure


def _colour(number: int) -> Any:
    """A colour for a group: the hues go round by the golden angle, so that neighbours in the alphabet differ."""
    from matplotlib.colors import hsv_to_rgb

    return hsv_to_rgb(((number * 0.381966) % 1.0, 0.85, (0.8, 0.6)[number % 2]))


def _centre(points: np.ndarray) -> np.ndarray:
    """The point of a group that is nearest to all others: unlike the mean it always lies among them."""
    distances = np.linalg.norm(points[:, None, :] - points[None, :, :], axis=2)
    return points[np.argmin(distances.sum(axis=1))]


def _write_names(axes: Any, names: list[tuple[str, np.ndarray, Any]]) -> None:
    """Write each name just above its place, moved down where it would cover another."""
    from matplotlib.patheffects import withStroke

    axes.autoscale_view()
    low, high = axes.get_ylim()
    left, right = axes.get_xlim()
    line, letter = (high - low) / 46, (right - left) / 125  # size of a line and of a letter in the units of the axes
    taken: list[tuple[float, float, float]] = []
    for name, (x, y), colour in sorted(names, key=lambda item: -item[1][1]):
        y, half = y + line, letter * len(name) / 2
        while any(
            abs(y - other_y) < line and abs(x - other_x) < half + other_half for other_x, other_y, other_half in taken
        ):
            y -= line / 4
        taken.append((x, y, half))
        axes.text(
            x, y, name, fontsize=11, weight="bold", color=0.7 * colour, ha="center", va="center",
            path_effects=[withStroke(linewidth=3.5, foreground="white")],
        )  # fmt: skip
