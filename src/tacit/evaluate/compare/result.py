"""What a comparison of models found: the chosen settings as a table, all others as curves."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from numbers import Real
from pathlib import Path
from typing import Any

from tacit.checks import check_choice
from tacit.errors import InputError
from tacit.evaluate.compare.outcomes import Failure, Trial, as_rank, best_trial
from tacit.evaluate.compare.plot import Line, draw_lines, save_picture
from tacit.evaluate.compare.table import markdown_table, text_table, written
from tacit.models.common.labels import is_number

__all__ = ["Curve", "ModelComparison"]

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
