"""Tables and pictures of the study of graph embeddings."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from graph_embeddings_words import ARXIV, READINGS, REUTERS
from pages import mean_and_spread, table

from tacit.evaluate.compare.result import Line, draw_lines, save_picture

__all__ = ["arxiv_section", "at_dimensions", "at_weights", "draw", "gains", "reuters_section"]

# table 4 of the paper, Reuters
_PAPER = {
    "Raw": 0.890, "LSI": 0.828, "LE": 0.865, "USC": 0.870, "OLPP": 0.891, "CCA": 0.878, "MORP": 0.900, "MDDM": 0.900,
    "SLE": 0.911, "SUSC": 0.912, "SOLPP": 0.909,
}  # fmt: skip
_PAIRS = {"LE": "SLE", "USC": "SUSC", "OLPP": "SOLPP"}
_WEIGHTED = (*_PAIRS.values(), "SLPP")
_MACRO, _MICRO, _THRESHOLDS, _LABELS = 1, 2, 3, 4  # places in a row of the final measurements
Found = dict[str, Any]


def reuters_section(numbers: dict[str, Any]) -> str:
    """Give the part of the page about Reuters."""
    return "\n\n".join(
        [
            f"## Reuters-21578\n\n{numbers['data']}\n\n{REUTERS}",
            f"### All methods (table 4 of the paper)\n\n{_all_methods(numbers)}",
            f"### With and without labels\n\n{_pairs(numbers)}",
            f"### F1 of each category (table 2)\n\nMeans over the same splits.\n\n{_categories(numbers)}",
            "### Dimensions and label weight (figures 1 and 2)\n\nSplit 0, test records; all other settings are "
            "chosen on validation for each point.\n\n![Macro F1 over dimensions](graph_embeddings_dimensions.png)\n\n"
            "![Macro F1 over the label weight](graph_embeddings_weight.png)",
            _curves({name: at_dimensions(trials) for name, trials in numbers["trials"].items()}, "dimensions"),
            _curves({name: at_weights(numbers["trials"][name]) for name in _WEIGHTED}, "label weight"),
            f"### Variants\n\n{READINGS}\n\n{_readings(numbers)}",
            f"### Candidates for defaults\n\nFifty dimensions, C=1, the same splits.\n\n{_candidates(numbers)}",
            numbers["facts"],
        ]
    )


def arxiv_section(numbers: dict[str, Any]) -> str:
    """Give the part of the page about arXiv."""
    rows = []
    for name, trials in numbers["trials"].items():
        chosen = trials[0]
        scores = [f"{chosen['test'][measure]:.3f}" for measure in ("macro F1", "micro F1")]
        rows.append([name, _written(chosen), f"{chosen['dimensions']:,}", f"{chosen['validation']['macro F1']:.3f}",
                     *scores, f"{numbers['ndcg'][name]:.3f}", f"{chosen['seconds']:.1f} s"])  # fmt: skip
    header = ("method", "chosen", "k", "validation macro", "macro F1", "micro F1", "nDCG@5", "fit")
    ratios = [[name, way, f"{macro:.3f}", f"{micro:.3f}", f"{seconds:.1f} s"]
              for name, way, macro, micro, seconds in numbers["ratios"]]  # fmt: skip
    return "\n\n".join(
        [
            f"## arXiv with many terms, by prototypes\n\n{numbers['data']}\n\n{ARXIV}",
            f"### All methods\n\n{numbers['n_prototypes']} prototypes, found in {numbers['prototype seconds']:.1f} s, "
            "not included in the times; one split, test records.\n\n" + table(header, rows),
            "### With and without prototypes\n\nThe settings chosen above with other prototypes (ratio, measure), and "
            "on the terms themselves; times include finding the prototypes.\n\n"
            + table(("method", "prototypes", "macro F1", "micro F1", "fit and place"), ratios),
            numbers["facts"],
        ]
    )


def draw(numbers: dict[str, Any], folder: Path) -> None:
    """Draw figures 1 and 2."""
    wanted = ("Raw", "LSI", *(name for pair in _PAIRS.items() for name in pair), "MLSI")
    curves = {name: at_dimensions(numbers["trials"][name]) for name in wanted}
    _save(curves, numbers, "dimensions", folder / "graph_embeddings_dimensions.png")
    curves = {name: at_weights(numbers["trials"][name]) for name in _WEIGHTED}
    _save(curves, numbers, "label weight", folder / "graph_embeddings_weight.png")


def at_dimensions(trials: Sequence[Found]) -> list[tuple[int, Found]]:
    """Give for each number of dimensions the trial that validation chose."""
    asked = sorted({k for trial in trials for k in trial["asked"]})
    return [(k, _best([trial for trial in trials if k in trial["asked"]])) for k in asked]


def at_weights(trials: Sequence[Found]) -> list[tuple[float, Found]]:
    """Give for each label weight the trial that validation chose, of those in which nothing else was changed."""
    mine = [trial for trial in trials if trial["axis"] == "label_weight"]
    weights = sorted({trial["parameters"]["label_weight"] for trial in mine})
    return [(w, _best([trial for trial in mine if trial["parameters"]["label_weight"] == w])) for w in weights]


def gains(first: Sequence[float], second: Sequence[float]) -> str:
    """Write how much the second is better than the first, in points, split by split."""
    points = [100 * (b - a) for a, b in zip(first, second, strict=True)]
    spread = float(np.std(points, ddof=1)) if len(points) > 1 else 0.0
    return f"{np.mean(points):+.1f} ± {spread:.1f} ({sum(point > 0 for point in points)} of {len(points)})"


def _best(trials: Sequence[Found]) -> Found:
    return max(trials, key=lambda trial: trial["validation"]["macro F1"])


def _save(curves: dict[str, list[tuple[Any, Found]]], numbers: dict[str, Any], over: str, path: Path) -> None:
    from PIL import Image  # comes with Matplotlib, which only drawing needs

    lines = [_line(number, name, curve, numbers) for number, (name, curve) in enumerate(curves.items())]
    figure = draw_lines(lines, over=over, score="macro F1 (test)")
    save_picture(figure, path)
    # pictures of a study are kept with the sources, so they should be small: lines need few colours
    Image.open(path).convert("RGB").quantize(64).save(path, optimize=True)


def _line(number: int, name: str, curve: list[tuple[Any, Found]], numbers: dict[str, Any]) -> Line:
    # features as they are have no curve: their score is a level
    if not curve:
        return Line(number, name, [], [numbers["trials"][name][0]["test"]["macro F1"]], None, level=True)
    scores = [trial["test"]["macro F1"] for _, trial in curve]
    best = _best([trial for _, trial in curve])
    chosen = next(place for place, (_, trial) in enumerate(curve) if trial is best)
    return Line(number, name, [value for value, _ in curve], scores, chosen)


def _measured(numbers: dict[str, Any], thresholds: str = "zero", place: int = _MACRO) -> dict[str, list[Any]]:
    """Give for each row of the final measurements its values over the splits."""
    found: dict[str, list[Any]] = defaultdict(list)
    for row in numbers["finals"]:
        if row[_THRESHOLDS] == thresholds:
            found[row[0]].append(row[place])
    return found


def _all_methods(numbers: dict[str, Any]) -> str:
    macro, micro = _measured(numbers), _measured(numbers, place=_MICRO)
    cut = _measured(numbers, "tuned")
    rows = [
        [
            name, _written(trials[0]), f"{trials[0]['dimensions']:,}", f"{trials[0]['validation']['macro F1']:.3f}",
            mean_and_spread(macro[name]), mean_and_spread(micro[name]), mean_and_spread(cut[name]),
            f"{_PAPER[name]:.3f}" if name in _PAPER else "",
        ]
        for name, trials in numbers["trials"].items()
    ]  # fmt: skip
    header = ("method", "chosen", "k", "validation macro", "macro F1", "micro F1", "macro, thresholds tuned", "paper")
    return table(header, rows)


def _pairs(numbers: dict[str, Any]) -> str:
    macro, micro, cut = _measured(numbers), _measured(numbers, place=_MICRO), _measured(numbers, "tuned")
    rows = [
        [f"{second} over {first}", *(gains(each[first], each[second]) for each in (macro, micro, cut))]
        for first, second in (*_PAIRS.items(), *(("Raw", name) for name in (*_PAIRS.values(), "SLPP", "MLSI")))
    ]
    header = ("points, split by split", "macro F1", "micro F1", "macro, thresholds tuned")
    return table(header, rows)


def _categories(numbers: dict[str, Any]) -> str:
    labels = _measured(numbers, place=_LABELS)
    rows = []
    for name in (name for pair in _PAIRS.items() for name in pair):
        means = np.array(labels[name], dtype=float).mean(axis=0)
        rows.append([name, *(f"{value:.3f}" for value in means), f"{np.nanmean(means):.3f}"])
    return table(("method", *numbers["names"], "average"), rows)


def _curves(curves: dict[str, list[tuple[Any, Found]]], over: str) -> str:
    values = sorted({value for curve in curves.values() for value, _ in curve})
    rows = []
    for name, curve in curves.items():
        scores = {value: f"{trial['test']['macro F1']:.3f}" for value, trial in curve}
        if scores:
            rows.append([name, *(scores.get(value, "") for value in values)])
    return table((over, *(f"{value:g}" for value in values)), rows)


def _readings(numbers: dict[str, Any]) -> str:
    macro, cut = _measured(numbers), _measured(numbers, "tuned")
    rows = [
        [name, mean_and_spread(values), gains(macro[base], values), gains(cut[base], cut[name])]
        for name, values in macro.items()
        if (base := name.split(":")[0]) != name
    ]
    header = ("reading", "macro F1", "points over the chosen setting", "the same, thresholds tuned")
    return table(header, rows)


def _candidates(numbers: dict[str, Any]) -> str:
    macro, micro, cut = _measured(numbers), _measured(numbers, place=_MICRO), _measured(numbers, "tuned")
    rows = [
        [f"`{name}`", *(mean_and_spread(each[name]) for each in (macro, micro, cut))]
        for name in macro
        if name not in numbers["trials"] and ":" not in name
    ]
    return table(("model", "macro F1", "micro F1", "macro, thresholds tuned"), rows)


_SHORT = {
    "label_graph": "graph", "label_weight": "θ", "n_neighbours": "K", "n_directions": "directions",
}  # fmt: skip


def _written(trial: Found) -> str:
    """Write what was chosen."""
    values = {_SHORT.get(name, name): value for name, value in trial["parameters"].items() if value is not None}
    for group, prefix in (("graph_params", ""), ("label_graph_params", "label ")):
        values |= {prefix + _SHORT.get(name, name): value for name, value in (values.pop(group, None) or {}).items()}
    values |= {f"head {name}": value for name, value in trial["head"].items()}
    return ", ".join(f"{name} {value:g}" if isinstance(value, float) else f"{name} {value}"
                     for name, value in values.items())  # fmt: skip
