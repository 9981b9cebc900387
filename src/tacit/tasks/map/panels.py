"""Draws several spaces side by side, with the same records in the colours of their classes (extra `plot`).

The picture answers one question: does a space keep classes together, and subclasses inside their parents?
"""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tacit.checks import as_rng, check_count, check_rows
from tacit.checks import shown as listed
from tacit.errors import InputError, TacitWarning
from tacit.relations.taxonomy.taxonomy import Taxonomy
from tacit.tasks.map.panel_facts import (
    NEITHER,
    SEVERAL,
    PanelFacts,
    ShownClasses,
    check_positions,
    facts_of,
    frame,
    panel_facts,
    show_classes,
)
from tacit.tasks.map.picture import check_map_path, save_figure
from tacit.types import Float64Array, IntArray

__all__ = ["draw_panels", "panel_facts"]


def draw_panels(
    spaces: Mapping[str, Any],
    y: Any,
    classes: Iterable[Hashable] | None = None,
    *,
    path: str | Path,
    taxonomy: Taxonomy | None = None,
    title: str | None = None,
    most: int = 1000,
    random_state: int = 0,
) -> Path:
    """Draw the same records in several spaces side by side, coloured by class.

    A class below another shown one is drawn on top of it, smaller and in a darker shade of its colour. A record in
    several classes is drawn as the most specific one; in unrelated classes, as a small grey cross. Records in none of
    the classes are not drawn. Points far from all others do not stretch a panel; how many lie outside is said below it,
    with the numbers of `panel_facts` for the records drawn.

    Parameters
    ----------
    spaces : mapping from names to arrays, n_records x 2
        Titles of the panels, and positions of the records.
    y : labels in any form
        With a taxonomy each record is in the ancestors of its labels too.
    classes : names, optional
        At most six of them unrelated. The most frequent labels if left out, or the most frequent ones at the topmost
        level of the taxonomy.
    path : path
        File to write: .png, .pdf or .svg.
    taxonomy : Taxonomy, optional
        Which classes are inside others, and their titles for the legend.
    title : str, optional
        Title above all panels.
    most : int, default 1000
        Most records to draw, chosen at random.
    random_state : int, default 0
        Seed of that choice, and of the order in which points are drawn.
    """
    path = check_map_path(path, argument="path")
    planes = _check_spaces(spaces)
    n_records = len(next(iter(planes.values())))
    shown = show_classes(y, classes, taxonomy, n_records=n_records)
    rows = _choose_rows(shown, check_count("most", most), as_rng(random_state))
    chosen = replace(shown, drawn=shown.drawn[rows])
    planes = {name: points[rows] for name, points in planes.items()}
    _warn_of_hidden(shown)
    return save_figure(_figure(planes, chosen, _legend_names(chosen, taxonomy), title), path, argument="path")


def _choose_rows(classes: ShownClasses, most: int, rng: np.random.Generator) -> IntArray:
    """Choose records to draw, in random order, so that none covers another just because it came later."""
    rows = np.flatnonzero(classes.drawn != NEITHER)
    if not rows.size:
        raise InputError("classes has no records: got no record in any of them, expected at least one.")
    return rng.permutation(rows)[:most]


class _Look(NamedTuple):
    """How the points of a class are drawn."""

    colour: Any
    marker: str
    size: float
    edge: str


# Okabe and Ito's colours for colour blindness, without black and yellow, which are hard to see on paper
_HUES = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#D55E00", "#56B4E9")
_MARKERS = (("o", 24.0), ("s", 20.0), ("^", 24.0), ("D", 16.0), ("v", 24.0), ("P", 24.0))
_SHADES = ((0.5, "o"), (0.3, "D"), (0.7, "^"), (0.4, "v"))  # of the classes inside one, in turn
_GREY = _Look("#8C8C8C", "x", 9.0, "none")
_ROUNDS = 10  # parts in which each class is drawn, alternating with the others


def _check_spaces(spaces: Mapping[str, Any]) -> dict[str, Float64Array]:
    if not isinstance(spaces, Mapping) or not spaces:
        raise InputError(
            f"spaces is not a mapping with entries: got {type(spaces).__name__}, expected names and places, "
            'for instance {"LSI": positions}.'
        )
    planes = {str(name): check_positions(f"spaces[{name!r}]", points) for name, points in spaces.items()}
    first, *others = planes
    for name in others:
        check_rows(f"spaces[{name!r}]", len(planes[name]), len(planes[first]), of=f"spaces[{first!r}]")
    return planes


def _warn_of_hidden(classes: ShownClasses) -> None:
    """Warn of classes that have records, all of which are drawn as something else."""
    hidden = [
        name
        for number, name in enumerate(classes.names)
        if classes.sizes[number] and not classes.inner[classes.drawn[classes.drawn >= 0], number].any()
    ]
    if hidden:
        warnings.warn(
            f"Some classes cannot be seen: all records of {listed(hidden)} are in other shown classes too. "
            "Pass a taxonomy if one class is inside another, or show fewer classes.",
            TacitWarning,
            stacklevel=3,
        )


def _legend_names(classes: ShownClasses, taxonomy: Taxonomy | None) -> list[str]:
    """Return names with titles and the numbers of records drawn in the class or below."""
    names = []
    drawn = classes.drawn[classes.drawn >= 0]
    for number, name in enumerate(classes.names):
        title = "" if taxonomy is None else taxonomy.title(name)
        count = int(np.count_nonzero(classes.inner[drawn, number]))
        names.append(f"{name} {title} ({count:,})" if title and title != str(name) else f"{name} ({count:,})")
    return names


def _figure(planes: dict[str, Float64Array], classes: ShownClasses, names: list[str], title: str | None) -> Any:
    # not pyplot, which would start a window system and keep the figure
    from matplotlib.figure import Figure

    n_columns = len(planes) if len(planes) <= 3 else -(-len(planes) // -(-len(planes) // 4))
    n_rows = -(-len(planes) // n_columns)
    captions = [_caption(points, facts_of(points, classes)) for points in planes.values()]
    # this height makes the panels about square
    height = 5.1 + 0.17 * max(caption.count("\n") + 1 for caption in captions)
    size = (max(4.8 * n_columns, 6.5), height * n_rows + 0.25 * (1.6 * bool(title) + len(names) // 3 + 1))
    figure = Figure(figsize=size, dpi=150, layout="constrained")
    looks = _looks(classes)
    for number, (name, points) in enumerate(planes.items()):
        axes = figure.add_subplot(n_rows, n_columns, number + 1)
        _draw(axes, points, classes, looks)
        axes.set_title(name, fontsize=13)
        axes.set_xlabel(captions[number], fontsize=8.5, color="#404040", linespacing=1.4)
    if title:
        figure.suptitle(title, fontsize=14)
    _legend(figure, classes, names, looks, n_columns)
    return figure


def _looks(classes: ShownClasses) -> list[_Look]:
    """Return a hue and a marker for each topmost class, and darker shades of the hue for those inside it."""
    from matplotlib.colors import to_rgb

    families = list(dict.fromkeys(classes.family.tolist()))
    n_inside = dict.fromkeys(families, 0)
    looks = []
    for number, family in enumerate(classes.family.tolist()):
        place = families.index(family)
        hue = np.asarray(to_rgb(_HUES[place]))
        if number == family:
            looks.append(_Look(0.8 * hue + 0.2, *_MARKERS[place], "none"))
        else:
            if n_inside[family] == len(_SHADES):
                raise InputError(
                    f"classes has too many inside {classes.names[family]!r}: got more than {len(_SHADES)}, expected no "
                    "more, since their shades cannot be distinguished. Show fewer, or draw several pictures."
                )
            shade, marker = _SHADES[n_inside[family]]
            n_inside[family] += 1
            looks.append(_Look(shade * hue, marker, 14.0, "white"))
    return looks


def _draw(axes: Any, points: Float64Array, classes: ShownClasses, looks: list[_Look]) -> None:
    several = points[classes.drawn == SEVERAL]
    axes.scatter(several[:, 0], several[:, 1], s=_GREY.size, color=_GREY.colour, marker=_GREY.marker, linewidths=0.7)
    for number, look in enumerate(looks):
        mine = points[classes.drawn == number]
        for turn, part in enumerate(np.array_split(mine, _ROUNDS)):
            axes.scatter(
                part[:, 0], part[:, 1], s=look.size, color=[look.colour], marker=look.marker, alpha=0.8,
                linewidths=0.4, edgecolors=look.edge, zorder=2 + classes.level[number] + turn / _ROUNDS,
            )  # fmt: skip
    (left, bottom), (right, top) = frame(points)
    axes.set(xlim=(left, right), ylim=(bottom, top), xticks=[], yticks=[])
    for spine in axes.spines.values():
        spine.set_color("#B0B0B0")


def _caption(points: Float64Array, facts: PanelFacts) -> str:
    low, high = frame(points)
    n_outside = int(np.count_nonzero(((points < low) | (points > high)).any(axis=1)))
    outside = f"\n{n_outside:,} of {len(points):,} points lie outside the frame" if n_outside else ""
    return facts.text() + outside


def _legend(figure: Any, classes: ShownClasses, names: list[str], looks: list[_Look], n_columns: int) -> None:
    from matplotlib.lines import Line2D

    order = sorted(range(len(names)), key=lambda number: _way_down(classes, number))
    entries = [(names[number], looks[number]) for number in order]
    n_several = int(np.count_nonzero(classes.drawn == SEVERAL))
    if n_several:
        entries.append((f"in several of these ({n_several:,})", _GREY))
    handles = [
        Line2D([], [], linestyle="none", marker=look.marker, markersize=1.4 * look.size**0.5, label=name,
               markerfacecolor=look.colour, markeredgecolor=look.colour if look is _GREY else look.edge)
        for name, look in entries
    ]  # fmt: skip
    figure.legend(
        handles=handles, loc="outside lower center", ncols=3 if n_columns > 1 else 2, frameon=False, fontsize=9.5
    )


def _way_down(classes: ShownClasses, number: int) -> list[int]:
    """Return the classes from the topmost one to this one; as a sort key it puts a class before those inside it."""
    way = [number]
    while classes.parent[way[0]] >= 0:
        way.insert(0, int(classes.parent[way[0]]))
    return way
