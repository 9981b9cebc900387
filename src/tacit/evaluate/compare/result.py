"""What a comparison of models found: the chosen settings as a table, all others as curves."""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from pathlib import Path
from typing import Any, NamedTuple

from tacit.checks import check_choice
from tacit.errors import InputError, MissingExtraError
from tacit.evaluate.compare.trials import Failure, Trial, as_rank, best_trial
from tacit.models.common.labels import is_number

__all__ = [
    "Curve",
    "Line",
    "ModelComparison",
    "draw_lines",
    "markdown_table",
    "save_picture",
    "shown_value",
    "text_table",
    "written",
]

Curve = list[tuple[Any, Trial]]


@dataclass(frozen=True, eq=False, repr=False)
class ModelComparison:
    """What `compare_models` found.

    Attributes
    ----------
    rows : tuple of Trial
        For each model the setting with the best validation score, in the order of the models. Of equal ones it is the
        first: the earlier in the grid, the fewer dimensions.
    trials : tuple of Trial
        Everything that was tried, in order.
    failures : tuple of Failure
        What could not be fitted.
    measures : tuple of str
        What the table reports.
    choose_by : str
        The measure that chose.
    labels : tuple
        Names of the labels, as `Trial.label_f1` has them.
    remarks : dict
        For each model what it warned about, each sentence once.
    """

    rows: tuple[Trial, ...]
    trials: tuple[Trial, ...]
    failures: tuple[Failure, ...]
    measures: tuple[str, ...]
    choose_by: str
    labels: tuple[Hashable, ...]
    remarks: dict[str, tuple[str, ...]]

    @property
    def best(self) -> Trial:
        """The row with the best validation score."""
        return best_trial(self.rows, self.choose_by)

    def __getitem__(self, name: str) -> Trial:
        """Give the row of a model."""
        rows = {row.name: row for row in self.rows}
        return rows[check_choice("name", name, list(rows))]

    def table(self, style: str = "text") -> str:
        """Give the rows as a table, a line each: the score that chose, and the test scores, the best of each marked.

        Parameters
        ----------
        style : {"text", "markdown"}, default "text"
        """
        write = markdown_table if check_choice("style", style, ("text", "markdown")) == "markdown" else text_table
        tested_by = [f"test {name}" for name in self.measures]
        header = ("model", "dimensions", f"validation {self.choose_by}", *tested_by, "fit s", "chosen")
        tops = {name: max(as_rank(row.test[name]) for row in self.rows) for name in self.measures}
        cells = []
        for row in self.rows:
            tested = [(f"{row.test[name]:.3f}", row.test[name] == tops[name]) for name in self.measures]
            before = [row.name, f"{row.dimensions:,}", f"{row.validation[self.choose_by]:.3f}"]
            after = [f"{row.seconds:.2f}", written(row.settings)]
            cells.append([*((cell, False) for cell in before), *tested, *((cell, False) for cell in after)])
        return "\n".join([write(header, cells), *(f"\n{note}" for note in self._notes())])

    def by_dimension(self) -> dict[str, Curve]:
        """Give for each model, and each number of dimensions, the trial with the best validation score.

        Returns
        -------
        dict from name to list of pairs (dimensions asked for, Trial)
            All other parameters are chosen anew for each number: figure 1 of [Mu2010]. Features as they are have one
            pair, with their number of columns.
        """
        curves: dict[str, Curve] = {}
        for row in self.rows:
            mine = self._of(row.name)
            asked = sorted({k for trial in mine for k in trial.asked})
            curve: Curve = [(k, best_trial([t for t in mine if k in t.asked], self.choose_by)) for k in asked]
            curves[row.name] = curve or [(row.dimensions, row)]
        return curves

    def by_parameter(self, name: str) -> dict[str, Curve]:
        """Give for each model, and each value of a parameter in its grid, the trial with the best validation score.

        Parameters
        ----------
        name : str
            A parameter of the grids: "label_weight"; of a step of a pipeline, with or without the step:
            "space__label_weight"; of the head: "head__C".

        Returns
        -------
        dict from name to list of pairs (value, Trial)
            Dimensions and all other parameters are chosen anew for each value: figure 2 of [Mu2010]. Models without
            the parameter in their grid are left out. Numbers are in ascending order, other values in that of the grid.
        """
        known = list(dict.fromkeys(key for trial in self.trials for key in trial.settings))
        if not known:
            raise InputError(f"name is unknown: got {name!r}, expected a parameter of a grid, but there was no grid.")
        curves: dict[str, Curve] = {}
        for row in self.rows:
            grouped: dict[Any, Curve] = {}
            for trial in self._of(row.name):
                key = _key_of(name, trial)
                if key is not None:
                    value = trial.settings[key]
                    grouped.setdefault(_identity(value), []).append((value, trial))
            if grouped:
                curve = [(pairs[0][0], best_trial([t for _, t in pairs], self.choose_by)) for pairs in grouped.values()]
                curves[row.name] = _in_order(curve)
        if not curves:
            check_choice("name", name, known)
        return curves

    def by_label(self) -> dict[str, dict[Hashable, float]]:
        """Give for each model the F1 of each label on the test records, as in table 2 of [Mu2010]; NaN if left out."""
        return {row.name: dict(zip(self.labels, row.label_f1.tolist(), strict=True)) for row in self.rows}

    def plot_dimensions(
        self, path: str | Path | None = None, *, measure: str | None = None, split: str = "test"
    ) -> Any:
        """Draw the scores over the number of dimensions, a line a model; a ring marks what validation chose.

        Parameters
        ----------
        path : path, optional
            File to write; its ending says the format: .png, .pdf or .svg.
        measure : str, optional
            `choose_by` if not given.
        split : {"test", "validation"}, default "test"

        Returns
        -------
        matplotlib.figure.Figure
        """
        return self._drawn(self.by_dimension(), "dimensions", path, measure, split)

    def plot_parameter(
        self, name: str, path: str | Path | None = None, *, measure: str | None = None, split: str = "test"
    ) -> Any:
        """Draw the scores over the values of a parameter, a line a model; the rest as for `plot_dimensions`."""
        return self._drawn(self.by_parameter(name), name, path, measure, split)

    def __repr__(self) -> str:
        counts = f"{len(self.rows)} models, {len(self.trials)} trials, {len(self.failures)} failed"
        return f"ModelComparison({counts}; best {self.choose_by}: {self.best.name!r})"

    def __str__(self) -> str:
        return self.table()

    def _repr_markdown_(self) -> str:
        return self.table("markdown")

    def _of(self, name: str) -> list[Trial]:
        return [trial for trial in self.trials if trial.name == name]

    def _drawn(
        self, curves: dict[str, Curve], over: str, path: str | Path | None, measure: str | None, split: str
    ) -> Any:
        measure = check_choice("measure", measure or self.choose_by, list(self.rows[0].test))
        split = check_choice("split", split, ("test", "validation"))
        lines = [self._line(name, curve, measure, split) for name, curve in curves.items()]
        if over == "dimensions":
            lines = [line._replace(level=not curves[line.name][0][1].asked) for line in lines]
        figure = draw_lines(lines, over=over.replace("__", " ").replace("_", " "), score=f"{measure} ({split})")
        if path is not None:
            save_picture(figure, path)
        return figure

    def _line(self, name: str, curve: Curve, measure: str, split: str) -> Line:
        return Line(
            number=[row.name for row in self.rows].index(name),
            name=name,
            values=[value for value, _ in curve],
            scores=[getattr(trial, split)[measure] for _, trial in curve],
            chosen=next((place for place, (_, trial) in enumerate(curve) if trial is self[name]), None),
        )

    def _notes(self) -> list[str]:
        """Say what the table does not show."""
        notes = []
        left_out = self.rows[0].n_left_out  # the same for all rows: it depends on the records only
        for count in sorted(set(left_out.values()) - {0}):
            names = ", ".join(name for name in left_out if left_out[name] == count)
            notes.append(f"Labels left out of {names}: {count}.")
        for name in dict.fromkeys(failure.name for failure in self.failures):
            mine = [failure for failure in self.failures if failure.name == name]
            notes.append(f"{name}: {len(mine)} failed, the first with: {mine[0].sentence}")
        return notes


def _key_of(name: str, trial: Trial) -> str | None:
    """Find a parameter by its full name or, of a model, by the part after the step."""
    if name in trial.settings:
        return name
    found = [key for key in trial.parameters if key.rsplit("__", 1)[-1] == name]
    if len(found) > 1:
        raise InputError(
            f"name is ambiguous: got {name!r}, expected one of {', '.join(map(repr, found))}. Write it with its step."
        )
    return found[0] if found else None


def _identity(value: Any) -> Hashable:
    """Tell values apart: plain ones by what they are, others, which may not be comparable, by being the same object."""
    return (isinstance(value, bool), value) if isinstance(value, (str, Real, type(None))) else id(value)


def _in_order(curve: Curve) -> Curve:
    return sorted(curve, key=lambda pair: pair[0]) if all(is_number(value) for value, _ in curve) else curve


Cell = tuple[str, bool]  # what stands there, and whether it is the best of its column
_LONGEST = 30


def text_table(header: Sequence[str], rows: Sequence[Sequence[Cell]]) -> str:
    """Line up columns for a terminal; the best of a column has a star."""
    cells = [[f"{text}{'*' if best else ' '}" for text, best in row] for row in rows]
    return "\n".join(" ".join(row).rstrip() for row in _padded([[f"{name} " for name in header], *cells]))


def markdown_table(header: Sequence[str], rows: Sequence[Sequence[Cell]]) -> str:
    """Write a Markdown table whose source lines up as well; the best of a column is bold."""
    cells = [[_escaped(f"**{text}**" if best else text) for text, best in row] for row in rows]
    padded = _padded([[_escaped(name) for name in header], *cells])
    marks = [
        "-" * (len(name) + 2) if _is_text(column, header) else "-" * (len(name) + 1) + ":"
        for column, name in enumerate(padded[0])
    ]
    lines = [f"| {' | '.join(row)} |" for row in padded]
    return "\n".join([lines[0], f"|{'|'.join(marks)}|", *lines[1:]])


def written(values: Mapping[str, Any]) -> str:
    """Write values as a user would type them: label_weight=0.5, ridge=1."""
    return ", ".join(f"{name}={shown_value(value)}" for name, value in values.items())


def shown_value(value: Any) -> str:
    """Write one value; of what would fill the page, such as a taxonomy, only the kind."""
    if is_number(value):
        return f"{float(value):g}"
    text = repr(value)
    return text if len(text) <= _LONGEST and "\n" not in text else type(value).__name__


def _padded(cells: Sequence[Sequence[str]]) -> list[list[str]]:
    widths = [max(len(row[column]) for row in cells) for column in range(len(cells[0]))]
    return [
        [
            text.ljust(width) if _is_text(column, row) else text.rjust(width)
            for column, (text, width) in enumerate(zip(row, widths, strict=True))
        ]
        for row in cells
    ]


def _is_text(column: int, row: Sequence[Any]) -> bool:
    """Whether a column holds words, which start at the left: the name of the model and what was chosen."""
    return column in (0, len(row) - 1)


def _escaped(text: str) -> str:
    return text.replace("|", "\\|")


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
