"""The result of `compare_models`: the chosen settings as a table, all trials as curves and pictures."""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from numbers import Real
from pathlib import Path
from typing import Any, NamedTuple

from tacit.checks import check_choice
from tacit.display import frame_of
from tacit.errors import InputError, MissingExtraError
from tacit.evaluate.compare.engine import Failure
from tacit.evaluate.compare.trials import Trial, best_trial, comparable
from tacit.files import writing_output
from tacit.models.common.labels import is_number

__all__ = ["Line", "ModelComparison", "draw_lines", "save_picture"]

Curve = list[tuple[Any, Trial]]


@dataclass(frozen=True, eq=False, repr=False)
class ModelComparison:
    """The result of `compare_models`.

    Attributes
    ----------
    rows : tuple of Trial
        For each model the setting with the best validation score, in the order of the models. Of equal settings it is
        the first: earlier in the grid, with fewer dimensions.
    trials : tuple of Trial
        All trials, in order.
    failures : tuple of Failure
        Settings that could not be fitted.
    measures : tuple of str
        The measures of the table.
    choose_by : str
        The measure whose validation score chose the rows.
    labels : tuple
        Names of the labels, in the order of `Trial.label_f1`.
    remarks : dict
        For each model its warnings, each once.
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
        """Return the row of a model."""
        rows = {row.name: row for row in self.rows}
        return rows[check_choice("name", name, list(rows))]

    def table(self, style: str = "text") -> str:
        """Return the rows as a table, the best test score of each measure marked, with notes on failures below.

        Parameters
        ----------
        style : {"text", "markdown"}, default "text"
        """
        is_markdown = check_choice("style", style, ("text", "markdown")) == "markdown"
        mark = "**{}**".format if is_markdown else "{}*".format
        best = {name: max(comparable(row.test[name]) for row in self.rows) for name in self.measures}
        lines = [["model", "dimensions", f"validation {self.choose_by}"]]
        lines[0] += [*(f"test {name}" for name in self.measures), "fit s", "chosen"]
        for row in self.rows:
            cells = [row.name, f"{row.dimensions:,}", f"{row.validation[self.choose_by]:.3f}"]
            for name in self.measures:
                score = f"{row.test[name]:.3f}"
                cells.append(mark(score) if row.test[name] == best[name] else score)
            chosen = ", ".join(f"{name}={_shown_value(value)}" for name, value in row.settings.items())
            lines.append([*cells, f"{row.seconds:.2f}", chosen])
        table = _markdown_table(lines) if is_markdown else _text_table(lines)
        return "\n".join([table, *(f"\n{note}" for note in self._notes())])

    def by_dimension(self) -> dict[str, Curve]:
        """Return for each model and each number of dimensions the trial with the best validation score.

        Returns
        -------
        dict from name to list of pairs (requested dimensions, Trial)
            All other parameters are chosen for each number: figure 1 of [Mu2010]. Features as they are have one pair,
            with their number of columns.
        """
        curves: dict[str, Curve] = {}
        for row in self.rows:
            mine = self._of(row.name)
            asked = sorted({k for trial in mine for k in trial.asked})
            curve: Curve = [(k, best_trial([t for t in mine if k in t.asked], self.choose_by)) for k in asked]
            curves[row.name] = curve or [(row.dimensions, row)]
        return curves

    def by_parameter(self, name: str) -> dict[str, Curve]:
        """Return for each model and each value of a parameter in its grid the trial with the best validation score.

        Parameters
        ----------
        name : str
            A parameter of the grids, for instance "label_weight"; in a pipeline with or without its step, for instance
            "space__label_weight"; of the head for instance "head__C".

        Returns
        -------
        dict from name to list of pairs (value, Trial)
            Dimensions and all other parameters are chosen for each value: figure 2 of [Mu2010]. Models without the
            parameter in their grid are left out. Numbers are in ascending order, other values in the grid's order.
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
                    # plain values are told apart by value, others, which may not be comparable, by identity
                    is_plain = isinstance(value, (str, Real, type(None)))
                    same: Hashable = (isinstance(value, bool), value) if is_plain else id(value)
                    grouped.setdefault(same, []).append((value, trial))
            if grouped:
                curve = [(pairs[0][0], best_trial([t for _, t in pairs], self.choose_by)) for pairs in grouped.values()]
                is_ordered = all(is_number(value) for value, _ in curve)
                curves[row.name] = sorted(curve, key=lambda pair: pair[0]) if is_ordered else curve
        if not curves:
            check_choice("name", name, known)
        return curves

    def by_label(self) -> dict[str, dict[Hashable, float]]:
        """Return for each model the F1 of each label on the test records (table 2 of [Mu2010]); NaN if left out."""
        return {row.name: dict(zip(self.labels, row.label_f1.tolist(), strict=True)) for row in self.rows}

    def plot_dimensions(
        self, path: str | Path | None = None, *, measure: str | None = None, split: str = "test"
    ) -> Any:
        """Draw the scores over the number of dimensions, one line per model; a ring marks what validation chose.

        Parameters
        ----------
        path : path, optional
            File to write: .png, .pdf or .svg.
        measure : str, optional
            `choose_by` by default.
        split : {"test", "validation"}, default "test"
        """
        return self._drawn(self.by_dimension(), "dimensions", path, measure, split)

    def plot_parameter(
        self, name: str, path: str | Path | None = None, *, measure: str | None = None, split: str = "test"
    ) -> Any:
        """Draw the scores over the values of a parameter; other arguments as for `plot_dimensions`."""
        return self._drawn(self.by_parameter(name), name, path, measure, split)

    def to_frame(self, library: str = "pandas") -> Any:
        """Return all trials as a data frame, by default of pandas; `chosen` marks the rows of the table."""
        rows = [
            {
                "model": trial.name,
                "dimensions": trial.dimensions,
                **{f"validation {name}": score for name, score in trial.validation.items()},
                **{f"test {name}": score for name, score in trial.test.items()},
                "seconds": trial.seconds,
                "chosen": any(trial is row for row in self.rows),
                **{name: value if is_number(value) else _shown_value(value) for name, value in trial.settings.items()},
            }
            for trial in self.trials
        ]
        return frame_of(rows, library)

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
        numbers = {row.name: number for number, row in enumerate(self.rows)}
        lines = []
        for name, curve in curves.items():
            values, trials = [value for value, _ in curve], [trial for _, trial in curve]
            scores = [getattr(trial, split)[measure] for trial in trials]
            chosen = trials.index(self[name]) if self[name] in trials else None
            is_level = over == "dimensions" and not trials[0].asked
            lines.append(Line(numbers[name], name, values, scores, chosen, is_level))
        figure = draw_lines(lines, over=over.replace("__", " ").replace("_", " "), score=f"{measure} ({split})")
        if path is not None:
            save_picture(figure, path)
        return figure

    def _notes(self) -> list[str]:
        """Sentences on what the table does not show."""
        notes = []
        left_out = self.rows[0].n_left_out  # equal in all rows: depends on the records only
        for count in sorted(set(left_out.values()) - {0}):
            names = ", ".join(name for name in left_out if left_out[name] == count)
            notes.append(f"Labels left out of {names}: {count}.")
        for name in dict.fromkeys(failure.name for failure in self.failures):
            mine = [failure for failure in self.failures if failure.name == name]
            notes.append(f"{name}: {len(mine)} failed, the first with: {mine[0].sentence}")
        return notes


def _key_of(name: str, trial: Trial) -> str | None:
    """Find a parameter by its full name or by the part after the step."""
    if name in trial.settings:
        return name
    found = [key for key in trial.parameters if key.rsplit("__", 1)[-1] == name]
    if len(found) > 1:
        raise InputError(
            f"name is ambiguous: got {name!r}, expected one of {', '.join(map(repr, found))}. Write it with its step."
        )
    return found[0] if found else None


_LONGEST = 30


def _text_table(lines: Sequence[Sequence[str]]) -> str:
    """Line up columns for a terminal; a star stands behind a number, not under its last digit."""
    starred = [[cell if cell.endswith("*") else f"{cell} " for cell in line] for line in lines]
    return "\n".join(" ".join(line).rstrip() for line in _padded(starred))


def _markdown_table(lines: Sequence[Sequence[str]]) -> str:
    """Write a Markdown table whose source is lined up as well."""
    padded = _padded([[cell.replace("|", "\\|") for cell in line] for line in lines])
    marks = ["-" * (len(name) + 1) + ":" for name in padded[0]]
    marks[0], marks[-1] = "-" * len(marks[0]), "-" * len(marks[-1])
    head, *rows = (f"| {' | '.join(line)} |" for line in padded)
    return "\n".join([head, f"|{'|'.join(marks)}|", *rows])


def _shown_value(value: Any) -> str:
    """Write one value; of a long one, such as a taxonomy, only the class."""
    if is_number(value):
        return f"{float(value):g}"
    text = repr(value)
    return text if len(text) <= _LONGEST and "\n" not in text else type(value).__name__


def _padded(lines: Sequence[Sequence[str]]) -> list[list[str]]:
    """Pad the cells to equal widths: the first and the last column hold words, which start at the left."""
    columns = []
    for number, column in enumerate(zip(*lines, strict=True)):
        pad = str.ljust if number in (0, len(lines[0]) - 1) else str.rjust
        columns.append([pad(cell, max(map(len, column))) for cell in column])
    return [list(line) for line in zip(*columns, strict=True)]


class Line(NamedTuple):
    """A model's scores over some values.

    `chosen` is the index of what validation chose, `level` marks one score that holds for all values, and `number`
    gives the model its colour, so that it looks the same in every picture of a comparison.
    """

    number: int
    name: str
    values: list[Any]
    scores: list[float]
    chosen: int | None
    level: bool = False


def draw_lines(lines: Sequence[Line], *, over: str, score: str) -> Any:
    """Draw one line per model, and a legend in the order in which the lines end; return a matplotlib Figure.

    `over` and `score` name the axes.
    """
    if importlib.util.find_spec("matplotlib") is None:
        raise MissingExtraError("matplotlib", "plot", "Drawing a comparison")
    # the figure class and not pyplot, which would start a window system and keep the figure for ever
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.5, 4.8), dpi=130, layout="constrained")
    axes = figure.add_subplot()
    values = [value for line in lines if not line.level for value in line.values]
    if all(is_number(value) for value in values):
        _set_scale(axes, sorted(set(values)), counts=over == "dimensions")
    else:
        axes.margins(x=0.1)
        lines = [line._replace(values=[_shown_value(value) for value in line.values]) for line in lines]
    handles = [_draw(axes, line) for line in lines]
    axes.set_xlabel(over)
    axes.set_ylabel(score)
    axes.grid(axis="y", color="0.9")
    axes.spines[["top", "right"]].set_visible(False)
    _add_legend(axes, lines, handles)
    return figure


def save_picture(figure: Any, path: str | Path) -> Path:
    """Write a picture in the format of the file's extension."""
    path = Path(path).expanduser()
    if path.suffix.lower() not in _FORMATS:
        raise InputError(
            f"path is not a picture file: got {str(path)!r}, expected a name that ends in {', '.join(_FORMATS)}."
        )
    try:
        with writing_output(path) as fresh:
            figure.savefig(fresh, format=path.suffix[1:].lower())
    except OSError as error:
        raise InputError(
            f"path cannot be written: got {str(path)!r} and {error.strerror}, expected a file in a folder that exists."
        ) from error
    return path


_FORMATS = (".png", ".pdf", ".svg")
# the colours of Okabe and Ito, which colour-blind people can tell apart, without the pale yellow; seven colours and
# four line styles make 28 lines that differ, even in print
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
_STYLES = ("-", "--", "-.", ":")
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
_RING: dict[str, Any] = {"marker": "o", "markersize": 12, "fillstyle": "none", "linestyle": "none"}
_MOST_TICKS = 15
_WIDE = 50.0  # largest over smallest value from which the axis is logarithmic


def _set_scale(axes: Any, ticks: list[Any], *, counts: bool) -> None:
    """Set the scale and the ticks of an axis of numbers."""
    if ticks and ticks[0] > 0 and (counts or ticks[-1] / ticks[0] >= _WIDE):
        axes.set_xscale("log")
        axes.minorticks_off()
    if ticks and len(ticks) <= _MOST_TICKS:
        # without ticks whose numbers would overlap
        places = [math.log(tick) if axes.get_xscale() == "log" else float(tick) for tick in ticks]
        kept = [len(ticks) - 1]
        for index in reversed(range(len(ticks) - 1)):
            if places[kept[-1]] - places[index] >= 0.05 * (places[-1] - places[0]):
                kept.append(index)
        shown = [ticks[index] for index in reversed(kept)]
        axes.set_xticks(shown, [f"{tick:g}" for tick in shown])


def _add_legend(axes: Any, lines: Sequence[Line], handles: Sequence[Any]) -> None:
    """Name the lines beside the axes, the one that ends highest first."""
    order = sorted(range(len(lines)), key=lambda number: -lines[number].scores[-1])
    named = [(handles[number], lines[number].name) for number in order]
    if any(line.chosen is not None and not line.level for line in lines):
        (ring,) = axes.plot([], [], color="0.4", **_RING)
        named.append((ring, "chosen on validation"))
    shown, names = zip(*named, strict=True)
    axes.legend(shown, names, loc="center left", bbox_to_anchor=(1.02, 0.5), frameon=False, handlelength=3.2)


def _draw(axes: Any, line: Line) -> Any:
    colour = _COLOURS[line.number % len(_COLOURS)]
    style = _STYLES[line.number % len(_STYLES)]
    if line.level:
        return axes.axhline(line.scores[0], color=colour, linestyle=style, linewidth=1.4)
    marker = _MARKERS[line.number % len(_MARKERS)]
    look = {"color": colour, "linestyle": style, "marker": marker, "markersize": 5, "linewidth": 1.8}
    (handle,) = axes.plot(line.values, line.scores, **look)
    if line.chosen is not None:
        axes.plot([line.values[line.chosen]], [line.scores[line.chosen]], color=colour, **_RING)
    return handle
