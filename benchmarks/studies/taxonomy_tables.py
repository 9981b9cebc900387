"""The tables of the study of taxonomies, a section a collection."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from taxonomy_methods import Scores, Setting

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # a study is run as a script and shares `pages`
from pages import mean_and_spread, table

__all__ = ["Judged", "Ranked", "balance", "gain", "page"]

Judged = list[tuple[Setting, Scores]]
Ranked = list[tuple[Setting, float]]

_PAIRS = (
    ("MLSI, taxonomy", "MLSI"),
    ("MLSI, taxonomy", "MLSI, lowest labels"),
    ("HLSI, taxonomy", "HLSI"),
    ("HLSI, taxonomy", "HLSI, lowest labels"),
    ("HLSI, taxonomy", "HLSI, taxonomy, whole"),
    ("HLSI", "MLSI"),
    ("HLSI, taxonomy", "MLSI, taxonomy"),
    ("HLSI, taxonomy", "LSI"),
    ("HLSI, taxonomy", "words, SVM"),
    ("HLSI, taxonomy, ridge head", "MLSI, ridge head"),
    ("HLSI, taxonomy, ridge head", "words, SVM"),
    ("HierarchyClassifier, ξ > 0", "HierarchyClassifier, ξ = 0"),
    ("TopDownClassifier, SVM", "words, SVM"),
)
_DIFFERENCES = {"micro": "micro F1", "macro": "macro F1", "hierarchical": "hierarchical F1", "first": "P@1 of leaves"}


def page(numbers: Mapping[str, Any]) -> str:
    """Give the section of a collection."""
    chosen_on, tested_on = (_read(numbers[key], Scores._make) for key in ("chosen on", "tested on"))
    found = _read(numbers["found"], float)
    parts = [
        f"## {numbers['name']}\n\n{numbers['data']}",
        _main_table(tested_on),
        f"Differences in points, mean ± standard deviation over the splits (splits above 0):\n\n{_gains(tested_on)}",
        "Effect of the taxonomy alone, in points: the same settings with and without it on held-out training records, "
        "mean over "
        f"all settings tried, mean ± standard deviation over the splits:\n\n{_matched(chosen_on)}",
        f"Predictions made to agree with the taxonomy, micro F1 / macro F1:\n\n{_closing_table(tested_on)}",
        f"Means of micro and macro F1 on held-out training records, by `gamma`:\n\n{_gamma_table(chosen_on)}",
        f"The same for `HierarchyClassifier`, by `hierarchy_weight` ξ and `ridge`:\n\n{_ridge_table(chosen_on)}",
        f"Settings chosen on the splits:\n\n{_choices(tested_on)}",
    ]
    if found:
        parts.append(f"Search, nDCG@10 of the overlap of labels:\n\n{_search_table(found)}\n\n{_search_gains(found)}")
    return "\n\n".join([*parts, str(numbers["facts"])])


def gain(one: Sequence[float], other: Sequence[float]) -> str:
    """Write the difference in points, split by split."""
    points = 100 * (np.asarray(one) - np.asarray(other))
    spread = np.std(points, ddof=1) if len(points) > 1 else 0.0
    return f"{points.mean():+.1f} ± {spread:.1f} ({np.count_nonzero(points > 0)} of {len(points)})"


def balance(scores: Scores) -> float:
    """Give what settings are chosen by."""
    return (scores.micro + scores.macro) / 2


def _read(rows: Sequence[Any], value: Callable[[Any], Any]) -> list[tuple[Setting, Any]]:
    return [
        (Setting(method, tuple((name, each) for name, each in values)), value(scores))
        for (method, values), scores in rows
    ]


def _by_method(judged: Sequence[tuple[Setting, Any]]) -> dict[str, list[Any]]:
    """Give the scores of each method, split by split."""
    found: dict[str, list[Any]] = {}
    for setting, scores in judged:
        found.setdefault(setting.method, []).append(scores)
    return found


def _main_table(judged: Judged) -> str:
    header = ("method", "micro F1", "macro F1", "hierarchical F1", "edges off", "P@1 of leaves", "seconds to train")
    names = ("micro", "macro", "hierarchical", "distance", "first")
    rows = []
    for method, scores in _by_method(judged).items():
        cells = [mean_and_spread([getattr(each, name) for each in scores]) for name in names]
        rows.append([method, *cells, f"{np.mean([each.seconds for each in scores]):.1f}"])
    return table(header, rows)


def _gains(judged: Judged) -> str:
    found = _by_method(judged)
    rows = []
    for one, other in _PAIRS:
        if one in found and other in found:
            values = [
                [[getattr(each, name) for each in found[method]] for method in (one, other)] for name in _DIFFERENCES
            ]
            rows.append([f"{one} over {other}", *(gain(*pair) for pair in values)])
    return table(("difference", *_DIFFERENCES.values()), rows)


def _matched(judged: Judged) -> str:
    """Compare methods at equal settings, so that the luck of choosing them has no part in it."""
    found = _by_setting(judged)
    rows = []
    for one, other in _PAIRS[:4]:
        shared = [setting for setting in found if setting.method == one and setting._replace(method=other) in found]
        if shared:
            rivals = [setting._replace(method=other) for setting in shared]
            cells = [
                gain(_mean_by_split(found, shared, name), _mean_by_split(found, rivals, name)) for name in _DIFFERENCES
            ]
            rows.append([f"{one} over {other}", *cells])
    return table(("difference", *_DIFFERENCES.values()), rows)


def _mean_by_split(
    found: Mapping[Setting, Sequence[Scores]], settings: Sequence[Setting], name: str
) -> Sequence[float]:
    values = [[getattr(scores, name) for scores in found[setting]] for setting in settings]
    return [float(mean) for mean in np.mean(values, axis=0)]


def _by_setting(judged: Judged) -> dict[Setting, list[Scores]]:
    found: dict[Setting, list[Scores]] = {}
    for setting, scores in judged:
        found.setdefault(setting, []).append(scores)
    return found


def _closing_table(judged: Judged) -> str:
    rows = []
    for method, scores in _by_method(judged).items():
        means = np.mean([scores[i][:9] for i in range(len(scores))], axis=0)
        rows.append([method, *(f"{means[at]:.3f} / {means[at + 1]:.3f}" for at in (0, 5, 7))])
    return table(("method", "as predicted", "classes above added", "classes without those above dropped"), rows)


def _gamma_table(judged: Judged) -> str:
    gammas = sorted({value for setting, _ in judged for name, value in setting.values if name == "gamma"})
    rows = []
    for method in dict.fromkeys(setting.method for setting, _ in judged if "gamma" in dict(setting.values)):
        means = [_mean_of(judged, Setting(method, (("gamma", gamma),))) for gamma in gammas]
        rows.append([method, *means])
    return table(("method", *(f"{gamma:g}" for gamma in gammas)), rows)


def _ridge_table(judged: Judged) -> str:
    means = {
        (dict(setting.values)["hierarchy_weight"], dict(setting.values)["ridge"]): _mean_of(judged, setting)
        for setting, _ in judged
        if setting.method.startswith("HierarchyClassifier")
    }
    weights, ridges = (sorted(set(values)) for values in zip(*means, strict=True))
    cells = [[f"{weight:g}", *(means.get((weight, ridge), "") for ridge in ridges)] for weight in weights]
    return table(("ξ", *(f"ridge {ridge:g}" for ridge in ridges)), cells)


def _mean_of(judged: Judged, setting: Setting) -> str:
    values = [balance(scores) for each, scores in judged if each == setting]
    return f"{np.mean(values):.3f}" if values else ""


def _choices(judged: Judged) -> str:
    counts = Counter(setting for setting, _ in judged if setting.values)
    rows: dict[str, list[str]] = {}
    for setting, count in counts.most_common():
        rows.setdefault(setting.method, []).append(f"`{setting}`" + (f" ({count} times)" if count > 1 else ""))
    return table(("method", "chosen"), [[method, "; ".join(chosen)] for method, chosen in rows.items()])


def _search_table(found: Ranked) -> str:
    settings = {setting.method: setting for setting, _ in found}
    rows = [
        [method, f"`{settings[method]}`" if settings[method].values else "", mean_and_spread(values)]
        for method, values in _by_method(found).items()
    ]
    return table(("space", "chosen", "nDCG@10"), rows)


def _search_gains(found: Ranked) -> str:
    values = _by_method(found)
    return "\n".join(
        f"- {one} over {other}: {gain(values[one], values[other])} points"
        for one, other in _PAIRS
        if one in values and other in values
    )
