"""Draws a map as a picture, with Matplotlib (extra `plot`)."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

from tacit.errors import InputError, MissingExtraError
from tacit.files import writing_output
from tacit.tasks.map.map_data import Map, MapName

__all__ = ["PICTURES", "check_map_path", "draw_picture", "save_figure"]

PICTURES = (".png", ".svg", ".pdf")


def check_map_path(path: str | Path, *, argument: str = "map") -> Path:
    """Raise the errors of `save_figure` for this path before the work is done."""
    path = Path(path).expanduser()
    if importlib.util.find_spec("matplotlib") is None:
        raise MissingExtraError("matplotlib", "plot", "Drawing a map")
    if path.suffix.lower() not in PICTURES:
        raise InputError(
            f"{argument} is not a picture file: got {str(path)!r}, expected a name that ends in {', '.join(PICTURES)}."
        )
    if not path.parent.is_dir() or path.is_dir():
        raise InputError(f"{argument} cannot be written: got {str(path)!r}, expected a file in a folder that exists.")
    return path


def save_figure(figure: Any, path: Path, *, argument: str = "map") -> Path:
    """Write a figure to a path that `check_map_path` has checked."""
    try:
        with writing_output(path) as fresh:
            figure.savefig(fresh, format=path.suffix[1:].lower())
    except OSError as error:
        raise InputError(
            f"{argument} cannot be written: got {error.strerror!r} for {str(path)!r}, expected a writable file."
        ) from error
    return path


def draw_picture(found: Map, path: str | Path) -> Path:
    """Draw one point per record in the colour of its group, and names, to a .png, .svg or .pdf file."""
    path = check_map_path(path, argument="output")
    return save_figure(_figure(found), path, argument="output")


_MARKERS = {"circle": "o", "square": "s", "triangle-up": "^"}
_MOST_LABELS = 30  # besides the names of the groups


def _figure(found: Map) -> Any:
    # not pyplot, which would start a window system and keep the figure
    from matplotlib.figure import Figure

    figure = Figure(figsize=(14, 9), dpi=130, layout="constrained")
    axes = figure.add_subplot()
    n_records = len(found.ids)
    size = min(22.0, max(1.5, 60_000 / n_records))
    for group in reversed(found.groups):  # the rest first, so that it is below
        points = found.points[group.rows]
        axes.scatter(
            points[:, 0], points[:, 1], s=size * (0.6 if group.is_rest else 1), color=group.colour, alpha=0.8,
            marker=_MARKERS[group.shape], linewidths=0, label=f"{_plain(group.name)} ({len(group.rows):,})",
            rasterized=n_records > 5_000,  # programs cannot open a drawing of more shapes
        )  # fmt: skip
    axes.set_title(f"{_plain(found.title)} ({n_records:,} records)", fontsize=14, loc="left")
    axes.set_axis_off()
    handles, names = axes.get_legend_handles_labels()
    legend: Any = axes.legend(
        handles[::-1], names[::-1], loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False, markerscale=2
    )
    for handle in legend.legend_handles:
        handle.set_alpha(1)
        handle.set_sizes([40])
    _write_names(axes, found)
    return figure


def _write_names(axes: Any, found: Map) -> None:
    """Write the names of the groups, moved if they would overlap, then those of labels that have room."""
    axes.autoscale_view()
    low, high = axes.get_ylim()
    left, right = axes.get_xlim()
    line, letter = (high - low) / 42, (right - left) / 110  # sizes in the units of the axes
    taken: list[tuple[float, float, float]] = []

    def free(x: float, y: float, half: float) -> bool:
        return not any(abs(y - v) < line and abs(x - u) < half + w for u, v, w in taken)

    groups = [name for name in found.names if name.group is not None]
    for name in sorted(groups, key=lambda name: -name.y):
        y, half = name.y, letter * len(name.text) / 2
        while not free(name.x, y, half):
            y -= line / 4
        taken.append((name.x, y, half))
        _write(axes, name, y, found.groups[name.group or 0].colour)
    written = 0
    for name in found.names:
        half = 0.8 * letter * len(name.text) / 2
        if name.group is None and written < _MOST_LABELS and free(name.x, name.y, half):
            taken.append((name.x, name.y, half))
            _write(axes, name, name.y, None)
            written += 1


def _write(axes: Any, name: MapName, y: float, colour: str | None) -> None:
    """Write a name with a white outline: of a group large and in a darker shade of its colour, of a label small."""
    from matplotlib.colors import to_rgb
    from matplotlib.patheffects import withStroke

    shade = "#333333" if colour is None else tuple(0.65 * part for part in to_rgb(colour))
    axes.text(
        name.x, y, _plain(name.text), fontsize=8 if colour is None else 11.5, color=shade, ha="center", va="center",
        weight="normal" if colour is None else "bold", path_effects=[withStroke(linewidth=3, foreground="white")],
    )  # fmt: skip


def _plain(text: str) -> str:
    """Escape dollar signs, between which Matplotlib would expect a formula."""
    return text.replace("$", r"\$")
