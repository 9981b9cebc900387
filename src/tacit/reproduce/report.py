"""The table, the picture and the verdicts of an experiment, as files."""

from __future__ import annotations

import csv
import importlib.util
import io
from itertools import cycle, product
from pathlib import Path
from typing import Any

from tacit.errors import MissingExtraError
from tacit.files import replace_text, replacing
from tacit.reproduce.experiment import Experiment, Picture, Results, Scatter

__all__ = ["check_drawing", "draw", "groups", "page", "stated_table", "table", "texts", "write_report"]


def write_report(experiment: Experiment, results: Results, folder: Path) -> list[Path]:
    """Write NAME.csv, NAME.md and, with Matplotlib, NAME.svg and NAME.png; return the files."""
    folder.mkdir(parents=True, exist_ok=True)
    files = [folder / f"{experiment.name}.{kind}" for kind in ("csv", "md")]  # names may have a point of their own
    replace_text(files[0], _csv(experiment, results))
    replace_text(files[1], page(experiment, results))
    if experiment.picture is not None:
        for kind in ("svg", "png"):
            files.append(folder / f"{experiment.name}.{kind}")
            with replacing(files[-1]) as temporary:
                draw(experiment.picture, experiment.title, results, temporary, kind)
    return files


def page(experiment: Experiment, results: Results) -> str:
    """Return the experiment as a page: settings, picture, table, verdicts."""
    repeats = len(results.values("repeat"))
    parts = [f"# {experiment.name}: {experiment.title}", f"[{experiment.paper}]. {experiment.settings}"]
    if experiment.picture is not None:
        parts.append(f"![{experiment.title}]({experiment.name}.svg)")
    if experiment.summary is not None:
        parts.append(experiment.summary(results))
    parts.append(f"Means of {repeats} repeats, ± standard deviation." if repeats > 1 else "One repeat.")
    parts.append(table(experiment, results))
    if experiment.texts:
        parts.append(texts(experiment, results))
    if experiment.stated:
        parts += ["## Beside the paper's figures", stated_table(experiment, results)]
    if experiment.claims:
        parts += ["## Claims", _claims(experiment, results)]
    return "\n\n".join(parts) + "\n"


def table(experiment: Experiment, results: Results) -> str:
    """Return one table per measure: the factors as rows, the values of one of them across."""
    down = [name for name in experiment.factors if name != experiment.across]
    columns = results.values(experiment.across)
    if any(row.get(experiment.across) is None for row in results.rows):
        columns.insert(0, None)
    parts = []
    for measure in experiment.measures:
        head = [*down, *("all" if column is None else str(column) for column in columns)]
        lines = [head, ["---"] * len(head)]
        for values in groups(results, down):
            rows = results.where(**values)
            cells = [_cell(rows.where(**{experiment.across: column}), measure) for column in columns]
            lines.append([*(_shown(value) for value in values.values()), *cells])
        text = "\n".join(f"| {' | '.join(line)} |" for line in lines)
        parts.append(f"**{measure}**\n\n{text}")
    return "\n\n".join(parts)


def stated_table(experiment: Experiment, results: Results) -> str:
    """Return the figures that the paper gives, ours, and the difference."""
    names = list(dict.fromkeys(name for one in experiment.stated for name in one.factors))
    head = [*names, "measure", "the paper", "here", "difference"]
    lines = [head, ["---"] * len(head)]
    for one in experiment.stated:
        found = results.where(**one.factors)
        ours = found.mean(one.measure)
        places = 3 if abs(one.value) < 1 else 2
        difference = "" if ours is None else f"{ours - one.value:+.{places}f}"
        factors = [_shown(one.factors.get(name)) for name in names]
        lines.append([*factors, one.measure, _short(one.value), _cell(found, one.measure), difference])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def texts(experiment: Experiment, results: Results) -> str:
    """Return the columns with words, of the first repeat."""
    head = [*experiment.factors, *experiment.texts]
    lines = [head, ["---"] * len(head)]
    first = results.rows[0]["repeat"] if results.rows else None
    lines += [[_shown(row.get(name)) for name in head] for row in results.where(repeat=first).rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def groups(results: Results, names: list[str]) -> list[dict[str, Any]]:
    """Return the combinations of factors that occur; missing values come first."""
    found = [
        [None, *results.values(name)] if any(row.get(name) is None for row in results.rows) else results.values(name)
        for name in names
    ]
    combined = (dict(zip(names, values, strict=True)) for values in product(*found))
    return [values for values in combined if results.where(**values).rows]


def _cell(results: Results, measure: str) -> str:
    mean, deviation = results.mean(measure), results.deviation(measure)
    if mean is None:
        return ""
    return _short(mean) + ("" if deviation is None else f" ±{_short(deviation)}")


def _short(value: float) -> str:
    return f"{value:.3f}".replace("0.", ".", 1) if abs(value) < 1 else f"{value:.4g}"


def _shown(value: object) -> str:
    return "all" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def _claims(experiment: Experiment, results: Results) -> str:
    lines = ["| claim | section | the paper | verdict | seen here |", "|---|---|---|---|---|"]
    for claim in experiment.claims:
        verdict = claim.verdict(results)
        lines.append(f"| {claim.number} | {claim.section} | {claim.quote} | {verdict.outcome} | {verdict.evidence} |")
    return "\n".join(lines)


def _csv(experiment: Experiment, results: Results) -> str:
    """Return a line per combination of factors: mean and deviation of each measure, and the number of repeats."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    pairs = [name for measure in experiment.measures for name in (measure, f"{measure} deviation")]
    writer.writerow([*experiment.factors, "repeats", *pairs])
    for values in groups(results, list(experiment.factors)):
        rows = results.where(**values)
        numbers = [
            number for measure in experiment.measures for number in (rows.mean(measure), rows.deviation(measure))
        ]
        given = ["" if number is None else f"{number:.6g}" for number in numbers]
        factors = ["" if value is None else value for value in values.values()]
        writer.writerow([*factors, len(rows.values("repeat")), *given])
    return stream.getvalue()


def check_drawing() -> None:
    """Raise an error if there is no Matplotlib, before hours of measuring."""
    if importlib.util.find_spec("matplotlib") is None:
        raise MissingExtraError("matplotlib", "plot", "Drawing the figures")


def draw(picture: Picture | Scatter, title: str, results: Results, path: Path, kind: str, *, dpi: int = 110) -> None:
    """Draw the picture of an experiment."""
    check_drawing()
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context({"svg.hashsalt": "tacit"}):  # the same file from the same numbers
        figure = Figure(layout="constrained")
        if isinstance(picture, Scatter):
            panels = _clouds(figure, picture, results)
        else:
            panels = _curves(figure, picture, results)
        handles: dict[str, Any] = {}
        for panel in panels:
            handles.update((label, handle) for handle, label in zip(*panel.get_legend_handles_labels(), strict=True))
        larger = 3 if isinstance(picture, Scatter) else 1  # its points are small
        figure.legend(handles.values(), handles, loc="outside lower center", ncols=4, frameon=False, markerscale=larger)
        figure.suptitle(title, fontsize=11)
        figure.savefig(path, format=kind, dpi=dpi, metadata={"Date": None} if kind == "svg" else None)


def _curves(figure: Any, picture: Picture, results: Results) -> list[Any]:
    """Draw a row of panels per value of a factor, and a column per measure."""
    results = results.where(**picture.only)
    down = results.values(picture.rows) if picture.rows else [None]
    figure.set_size_inches(max(4 * len(picture.measures), 6), 3.2 * len(down) + 0.7)
    panels = figure.subplots(len(down), len(picture.measures), squeeze=False)
    for row, value in enumerate(down):
        some = results if picture.rows is None else results.where(**{picture.rows: value})
        for panel, measure in zip(panels[row], picture.measures, strict=True):
            _panel(panel, picture, some, measure)
            panel.set_title(measure if value is None else f"{picture.rows} {value}: {measure}", fontsize=10)
            panel.set_xlabel(picture.x)
    return list(panels.flat)


def _clouds(figure: Any, picture: Scatter, results: Results) -> list[Any]:
    """Draw the points of each panel, in one colour per group."""
    rows = {row[picture.panels]: row[picture.points] for row in reversed(results.rows) if row.get(picture.points)}
    names = results.values(picture.panels)
    figure.set_size_inches(4 * len(names), 4.6)
    panels = list(figure.subplots(1, len(names), squeeze=False).flat)
    for panel, name in zip(panels, names, strict=True):
        points = rows.get(name, [])
        for group in dict.fromkeys(point[2] for point in points):
            places = [point[:2] for point in points if point[2] == group]
            panel.scatter(*zip(*places, strict=True), s=7, alpha=0.6, linewidths=0, label=group)
        panel.set(title=name, xticks=[], yticks=[])
    return panels


def _panel(panel: Any, picture: Picture, results: Results, measure: str) -> None:
    """Draw one line per series, with standard deviations; a level line for a series without values of x."""
    styles, markers = cycle(("--", ":", "-.")), cycle("os^vDPX<>*")  # for those who do not tell ten colours apart
    for name in results.values(picture.series):
        rows = results.where(**{picture.series: name})
        places = rows.values(picture.x)
        if not places:
            mean = rows.mean(measure)
            if mean is not None:
                panel.axhline(mean, color="0.4", linestyle=next(styles), label=str(name))
            continue
        found = [rows.where(**{picture.x: place}) for place in places]
        means, spread = [one.mean(measure) for one in found], [one.deviation(measure) or 0.0 for one in found]
        looks: dict[str, Any] = {"marker": next(markers), "markersize": 3.5, "linewidth": 1.2, "label": str(name)}
        for bar in panel.errorbar(places, means, yerr=spread, **looks)[2]:
            bar.set_alpha(0.45)  # those of several lines are over each other
    places = [place for place in results.values(picture.x) if place]
    if picture.logarithmic:
        panel.set_xscale("log")
    elif places and max(places) > 100 * min(places):
        panel.set_xscale("symlog", linthresh=min(places))  # 0, and then by powers of ten
    panel.spines[["top", "right"]].set_visible(False)
    panel.grid(alpha=0.25)
