"""Draws the figures of the study of M-LSA on newsgroups: lines for figures 5 to 7, with the paper's own points."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from mlsa_newsgroups_paper import CLASSES, CLUSTERS

__all__ = ["CLASSES_PICTURE", "CLUSTERS_PICTURE", "draw"]

CLUSTERS_PICTURE = "mlsa_newsgroups_clusters.png"
CLASSES_PICTURE = "mlsa_newsgroups_classes.png"

_LOOKS = {
    "TF-IDF": ("#8a8a8a", "", "--"),
    "words": ("#8a8a8a", "", "--"),
    "LSA": ("#4c78a8", "o", "-"),
    "M-LSA as the paper": ("#c0392b", "s", "-"),
    "M-LSA": ("#c0392b", "s", "-"),
    "M-LSA, chosen": ("#0f766e", "D", "-"),
    "M-LSA, runner-up": ("#7cc5bd", "^", "-"),
    "MLSI": ("#c9a227", "^", ""),
    "M-LSA with relations": ("#0f766e", "D", ""),
}
Series = dict[str, dict[int, list[float]]]


def draw(numbers: Mapping[str, Any], folder: Path) -> list[Path]:
    """Write the two pictures into a folder."""
    return [
        _clusters(numbers["curves"], folder / CLUSTERS_PICTURE),
        _classes(numbers, folder / CLASSES_PICTURE),
    ]


def _clusters(rows: Sequence[Any], path: Path) -> Path:
    """Figure 5, for bodies and for bodies with their subject lines."""
    figure, panels = _page(2)
    for axes, text, title in (
        (panels[0], "bodies", "words of bodies, as in the paper"),
        (panels[1], "both", "words of subjects and bodies"),
    ):
        series: Series = defaultdict(dict)
        for own, form, name, k, starts in rows:
            if own == text and form == "unit":
                series[name][k or 0] = [start[0] for start in starts]
        _lines(axes, series)
        axes.set(xlabel="dimensions", title=title)
    _paper(panels[0], 20, CLUSTERS)
    panels[0].set_ylabel("F, mean over the starts")
    _legend(figure, panels)
    return _saved(figure, path)


def _classes(numbers: Mapping[str, Any], path: Path) -> Path:
    """Figures 6 and 7; methods of our own with the dimensions they were measured with."""
    figure, panels = _page(2)
    series: Series = defaultdict(lambda: defaultdict(list))
    for _, name, k, _, micro in numbers["classes"]:
        series[name][k].append(micro)
    _lines(panels[0], {name: series[name] for name in ("words", "LSA", "M-LSA")})
    _paper(panels[0], 50, CLASSES)
    for name in ("MLSI", "M-LSA with relations"):
        colour, sign, _ = _LOOKS[name]
        panels[0].errorbar(*_bars(series[name]), marker=sign, color=colour, capsize=2, linestyle="", label=name)
    panels[0].set(xlabel="dimensions", ylabel="micro F1", title="figure 6, and more")
    by_weight: dict[float, list[float]] = defaultdict(list)
    for _, weight, _, _, micro in numbers["weights"]:
        by_weight[float(weight)].append(micro)
    panels[1].errorbar(*_bars(by_weight), marker="s", markersize=4, linewidth=1.4, capsize=2, color="#c0392b")
    panels[1].axhline(np.mean(series["words"][0]), linestyle="--", linewidth=1.2, color="#8a8a8a")
    panels[1].set(xlabel="weight of emails and labels", title="figure 7: M-LSA with 50 dimensions")
    _legend(figure, panels)
    return _saved(figure, path)


def _paper(axes: Any, k: int, values: Mapping[str, float]) -> None:
    """Mark what the paper reports of LSA and M-LSA."""
    for name in ("LSA", "M-LSA"):
        axes.plot(k, values[name], "*", markersize=12, color=_LOOKS[name][0], markeredgecolor="white", zorder=5)
    axes.plot([], [], "*", markersize=9, color="#555555", label="the paper's")


def _legend(figure: Any, panels: Any) -> None:
    """One legend below, so that it hides no bar."""
    named: dict[str, Any] = {}
    for axes in panels:
        lines, names = axes.get_legend_handles_labels()
        named |= dict(zip(names, lines, strict=True))
    figure.legend(
        list(named.values()), list(named), loc="outside lower center", ncols=len(named), fontsize=8, frameon=False
    )


def _page(n_panels: int) -> tuple[Any, Any]:
    # the figure class and not pyplot, which would start a window system
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.4, 3.8), layout="constrained")
    panels = figure.subplots(1, n_panels, sharey=True)
    for axes in panels:
        axes.grid(axis="y", linewidth=0.4, alpha=0.6)
    return figure, panels


def _lines(axes: Any, series: Series) -> None:
    """Draw a line a method with bars of one standard deviation; a method without dimensions is level."""
    for order, (name, values) in enumerate(series.items()):
        colour, sign, stroke = _LOOKS[name]
        if list(values) == [0]:
            axes.axhline(np.mean(values[0]), color=colour, linestyle=stroke, linewidth=1.2, label=name)
            continue
        sizes, means, spreads = _bars(values)
        # side by side, so that the bars do not hide each other
        places = [size * (0.97 + 0.02 * order) for size in sizes]
        looks = {"marker": sign, "markersize": 4, "linewidth": 1.4, "elinewidth": 0.7, "capsize": 2}
        axes.errorbar(places, means, spreads, color=colour, linestyle=stroke, label=name, **looks)
    axes.set_xscale("log")
    axes.set_xticks(sizes, [str(size) for size in sizes])
    axes.minorticks_off()


def _bars(values: Mapping[Any, Sequence[float]]) -> tuple[list[Any], list[float], list[float]]:
    spreads = [float(np.std(each, ddof=1)) if len(each) > 1 else 0.0 for each in values.values()]
    return list(values), [float(np.mean(each)) for each in values.values()], spreads


def _saved(figure: Any, path: Path) -> Path:
    from PIL import Image  # comes with matplotlib

    figure.savefig(path, dpi=110)
    with Image.open(path) as drawn:
        few = drawn.convert("RGB").quantize(64)  # half the bytes, and nobody sees it
    few.save(path, optimize=True)
    return path
