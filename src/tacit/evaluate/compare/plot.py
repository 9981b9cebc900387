"""Draws the curves of a comparison with Matplotlib (extra `plot`)."""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tacit.errors import InputError, MissingExtraError
from tacit.evaluate.compare.table import shown_value
from tacit.models.common.labels import is_number

__all__ = ["Line", "draw_lines", "save_picture"]


class Line(NamedTuple):
    """A model's scores over some values.

    `chosen` is the place of what validation chose, `level` tells a score that holds for all values, and `number` gives
    the model its colour, so that it looks the same in every picture of a comparison.
    """

    number: int
    name: str
    values: list[Any]
    scores: list[float]
    chosen: int | None
    level: bool = False


def draw_lines(lines: Sequence[Line], *, over: str, score: str) -> Any:
    """Draw a line a model and a legend beside, in the order in which the lines end.

    Parameters
    ----------
    lines : sequence of Line
    over, score : str
        What the axes are called.

    Returns
    -------
    matplotlib.figure.Figure
    """
    if importlib.util.find_spec("matplotlib") is None:
        raise MissingExtraError("matplotlib", "plot", "Drawing a comparison")
    # the figure class and not pyplot, which would start a window system and keep the figure for ever
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.5, 4.8), dpi=130, layout="constrained")
    axes = figure.add_subplot()
    places = _set_places(axes, lines, counts=over == "dimensions")
    handles = [_draw(axes, line, places) for line in lines]
    axes.set_xlabel(over)
    axes.set_ylabel(score)
    axes.grid(axis="y", color="0.9")
    axes.spines[["top", "right"]].set_visible(False)
    _add_legend(axes, lines, handles)
    return figure


def save_picture(figure: Any, path: str | Path) -> Path:
    """Write a drawing; the ending of the path says the format."""
    path = Path(path).expanduser()
    if path.suffix.lower() not in _FORMATS:
        raise InputError(
            f"path is no picture file: got {str(path)!r}, expected a name that ends in {', '.join(_FORMATS)}."
        )
    try:
        figure.savefig(path)
    except OSError as error:
        raise InputError(
            f"path cannot be written: got {str(path)!r} and {error.strerror}, expected a file in a folder that exists."
        ) from error
    return path


_FORMATS = (".png", ".pdf", ".svg")
# the colours of Okabe and Ito, which people who see few colours can tell apart, without the pale yellow; the line
# styles change at another pace, so that no two of the first 28 lines look the same, not even in print
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
_STYLES = ("-", "--", "-.", ":")
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
_RING: dict[str, Any] = {"marker": "o", "markersize": 12, "fillstyle": "none", "linestyle": "none"}
_MOST_TICKS = 15
_WIDE = 50.0  # largest over smallest value from which a logarithmic axis is the readable one


def _set_places(axes: Any, lines: Sequence[Line], *, counts: bool) -> dict[str, float] | None:
    """Set the axis of the values; give places for values that are no numbers."""
    values = [value for line in lines if not line.level for value in line.values]
    if not all(is_number(value) for value in values):
        names = list(dict.fromkeys(shown_value(value) for value in values))
        axes.set_xticks(range(len(names)), names)
        axes.margins(x=0.1)
        return {name: float(place) for place, name in enumerate(names)}
    ticks = sorted(set(values))
    if ticks and ticks[0] > 0 and (counts or ticks[-1] / ticks[0] >= _WIDE):
        axes.set_xscale("log")
        axes.minorticks_off()
    if ticks and len(ticks) <= _MOST_TICKS:
        kept = _apart(ticks, axes.get_xscale() == "log")
        axes.set_xticks(kept, [f"{tick:g}" for tick in kept])
    return None


def _apart(ticks: list[Any], logarithmic: bool) -> list[Any]:
    """Leave out ticks whose numbers would overlap."""
    places = [math.log(tick) if logarithmic else float(tick) for tick in ticks]
    gap = 0.05 * (places[-1] - places[0])
    kept = [len(ticks) - 1]
    for index in reversed(range(len(ticks) - 1)):
        if places[kept[-1]] - places[index] >= gap:
            kept.append(index)
    return [ticks[index] for index in reversed(kept)]


def _add_legend(axes: Any, lines: Sequence[Line], handles: Sequence[Any]) -> None:
    """Name the lines beside the axes, in the order in which they end."""
    order = sorted(range(len(lines)), key=lambda number: -lines[number].scores[-1])
    named = [(handles[number], lines[number].name) for number in order]
    if any(line.chosen is not None and not line.level for line in lines):
        (ring,) = axes.plot([], [], color="0.4", **_RING)
        named.append((ring, "chosen on validation"))
    shown, names = zip(*named, strict=True)
    axes.legend(shown, names, loc="center left", bbox_to_anchor=(1.02, 0.5), frameon=False, handlelength=3.2)


def _draw(axes: Any, line: Line, places: dict[str, float] | None) -> Any:
    colour = _COLOURS[line.number % len(_COLOURS)]
    style = _STYLES[line.number % len(_STYLES)]
    if line.level:
        return axes.axhline(line.scores[0], color=colour, linestyle=style, linewidth=1.4)
    x = line.values if places is None else [places[shown_value(value)] for value in line.values]
    marker = _MARKERS[line.number % len(_MARKERS)]
    (handle,) = axes.plot(x, line.scores, color=colour, linestyle=style, marker=marker, markersize=5, linewidth=1.8)
    if line.chosen is not None:
        axes.plot(x[line.chosen], line.scores[line.chosen], color=colour, **_RING)
    return handle
