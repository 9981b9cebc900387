"""Draws the figures of the study of M-LSA on MovieLens: bars for figure 2, lines for figures 3 and 4."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from mlsa_movielens_paper import METHODS, PAPER_FIGURE_2, RULES

__all__ = ["draw"]

_COLOURS = dict(zip(METHODS, ("#8a8a8a", "#c9a227", "#4c78a8", "#54a24b", "#c0392b"), strict=True))
_SIGNS = dict(zip(METHODS, "os^Dv", strict=True))
_RULE_NAMES = {"eq. 7": "by eq. (7)", "sum": "by the sum of neighbours' ratings"}


def draw(numbers: Mapping[str, Any], folder: Path) -> list[Path]:
    """Write the three pictures into a folder."""
    return [
        _bars(numbers["figure 2"], folder / "mlsa_movielens_methods.png"),
        _lines(numbers["figure 3"], "neighbours", folder / "mlsa_movielens_neighbours.png"),
        _lines(numbers["figure 4"], "dimensions", folder / "mlsa_movielens_dimensions.png"),
    ]


def _bars(rows: Sequence[Any], path: Path) -> Path:
    """Figure 2: a group a method; the paper's bars have no spread, which it shows without numbers."""
    from matplotlib.figure import Figure

    gains: dict[tuple[str, str], list[float]] = defaultdict(list)
    for name, kind, measured in rows:
        gains[name, kind].append(measured[0])
    figure = Figure(figsize=(8, 3.6), layout="constrained")
    axes = figure.subplots()
    places = np.arange(len(METHODS))
    axes.bar(places - 0.27, [PAPER_FIGURE_2[name] for name in METHODS], 0.26, color="#d5d5d5", label="the paper")
    for shift, kind, colour in ((0.0, "eq. 7", "#0f766e"), (0.27, "sum", "#7cc5bd")):
        values = [gains[name, kind] for name in METHODS]
        spreads = [float(np.std(each, ddof=1)) for each in values]
        means = [float(np.mean(each)) for each in values]
        axes.bar(places + shift, means, 0.26, yerr=spreads, capsize=3, color=colour, label=f"here, {_RULE_NAMES[kind]}")
        for place, mean, spread in zip(places, means, spreads, strict=True):
            axes.text(place + shift, mean + spread + 0.2, f"{mean:.1f}", ha="center", va="bottom", fontsize=8)
    axes.set_xticks(places, METHODS)
    axes.set(ylabel="rank gain", ylim=(0, 47))
    axes.legend(loc="upper left", fontsize=8, ncols=3, frameon=False)
    return _saved(figure, path)


def _lines(rows: Sequence[Any], what: str, path: Path) -> Path:
    """Figures 3 and 4: a panel a rule, a line a method, bars of one standard deviation over the folds."""
    from matplotlib.figure import Figure

    gains: dict[tuple[str, str], dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    for name, kind, size, gain in rows:
        gains[name, kind][size].append(gain)
    figure = Figure(figsize=(8, 3.6), layout="constrained")
    panels = figure.subplots(1, len(RULES), sharey=True)
    for axes, kind in zip(panels, RULES, strict=True):
        for order, name in enumerate(each for each in METHODS if (each, kind) in gains):
            sizes = list(gains[name, kind])
            values = list(gains[name, kind].values())
            axes.errorbar(
                # side by side, so that the bars do not hide each other
                [size * (0.98 + 0.02 * order) for size in sizes],
                [np.mean(each) for each in values],
                [np.std(each, ddof=1) for each in values],
                marker=_SIGNS[name],
                markersize=4,
                linewidth=1.4,
                elinewidth=0.7,
                capsize=2,
                color=_COLOURS[name],
                label=name,
            )
        axes.set_xscale("log")
        axes.set_xticks(sizes, [str(size) for size in sizes])
        axes.minorticks_off()
        axes.set(xlabel=what, title=_RULE_NAMES[kind])
        axes.grid(axis="y", linewidth=0.4, alpha=0.6)
    panels[0].set_ylabel("rank gain")
    panels[1].legend(fontsize=8, loc="lower right", frameon=False)
    return _saved(figure, path)


def _saved(figure: Any, path: Path) -> Path:
    from PIL import Image  # comes with matplotlib

    figure.savefig(path, dpi=110)
    with Image.open(path) as drawn:
        few = drawn.convert("RGB").quantize(64)  # half the bytes, and nobody sees it
    few.save(path, optimize=True)
    return path
