"""Which settings of MLSI suit few records with several labels, the regime of [Yu2005]?

Data and protocol are in `reuters_trial`: a fifth of 1,764 documents with two or more topics trains, a linear support
vector machine a topic, C = 100, cut at zero. A grid is searched on a few splits; what it chooses is judged on other
splits, since the best of a hundred settings looks better than it is on the splits that chose it.

    OMP_NUM_THREADS=1 python benchmarks/studies/reuters_defaults.py [--write]     # about five minutes
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from itertools import product
from pathlib import Path

import numpy as np
from reuters_trial import N_DIMENSIONS, Scores, Setting, collection, measure

from tacit import MLSI

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # a study is run as a script and shares `pages`
from pages import DOCS, facts, mean_and_spread, put_section, table

__all__ = ["main", "study"]

Found = dict[Setting, list[Scores]]

_TITLE = "# Which settings of MLSI suit few records with several labels?"
_PEERS = (Setting("words", rows="as they are"), Setting("LSI", scaling="unit"), Setting("LSI", scaling="weighted"))
_PAPER = Setting(label_weight=0.5, shrinkage=0.0, ridge=0.0, scaling="unit")
_DEFAULT = Setting(**{name: MLSI().get_params()[name] for name in ("label_weight", "shrinkage", "ridge", "scaling")})
_COLUMNS = ("features", "coordinates", "rows", "macro F1", "micro F1", "AUC")
_GRID = ((0.5, 0.7, 0.9), (0.0, 0.03, 0.5, 1.0), (0.0, 0.1, 0.3, 1.0), ("unit", "damped", "weighted"))
_QUICK_GRID = ((0.7,), (0.5,), (0.1, 1.0), ("unit",))


def main(arguments: Sequence[str] | None = None) -> None:
    """Search, judge, print, and write the page if asked."""
    parser = argparse.ArgumentParser(description="Which settings of MLSI suit few records with several labels?")
    parser.add_argument("--data-dir", help="folder of the data sets, TACIT_DATA if not given")
    parser.add_argument("--quick", action="store_true", help="two settings on one split, to see that everything runs")
    parser.add_argument("--write", action="store_true", help="write docs/studies/reuters_defaults.md")
    asked = parser.parse_args(arguments)
    if asked.quick and asked.write:
        parser.error("--write needs the whole study: got --quick too, whose numbers mean little. Leave one out.")
    text = study(asked.data_dir, quick=asked.quick)
    print(text)
    if asked.write:
        put_section(DOCS / "studies/reuters_defaults.md", "study", text, head=_TITLE, order=["study"])


def study(data_dir: str | None = None, *, quick: bool = False) -> str:
    """Give the text of the page: question, data, method, tables, conclusion."""
    searching, judging = ([0], [100]) if quick else (range(3), range(100, 110))
    searched = measure(_grid(_QUICK_GRID if quick else _GRID), searching, data_dir)
    chosen, by_micro, honest = (
        best(searched, name, kind)
        for name, kind in (("macro", "in-sample"), ("micro", "in-sample"), ("macro", "honest"))
    )
    judged = measure([*_PEERS, _PAPER, _in_honest(_DEFAULT), _DEFAULT, chosen, by_micro, honest], judging, data_dir)
    scaled = measure(_scales(chosen), judging[:5], data_dir)
    changed = measure(_changes(chosen), judging[:5], data_dir)
    return "\n\n".join(
        [
            _introduction(data_dir, len(searched), len(searching), len(judging), judged),
            f"## Conclusion\n\n{_conclusion(judged, chosen, by_micro, scaled, changed)}",
            f"## Evaluated on new splits\n\n{_score_table(judged)}",
            "## Effect of each setting\n\nMeans over the search splits and over all values of the other settings.",
            _effects(searched),
            "## The best of the search\n\nOn the search splits, by macro F1.",
            _score_table(_leaders(searched, 8)),
            f"## The scale of the rows\n\nC = 100, {len(judging[:5])} of the new splits.\n\n{_score_table(scaled)}",
            f"## Other penalties, other words\n\n{len(judging[:5])} of the new splits; `min_df` is the number of "
            "training texts in which a word must occur.",
            _score_table(changed, with_changes=True),
            facts(),
        ]
    )


def best(found: Found, name: str, coordinates: str) -> Setting:
    """Choose the setting with the highest mean of a measure, among one kind of coordinates."""
    candidates = [setting for setting in found if setting.coordinates == coordinates]
    return max(candidates, key=lambda setting: _mean(found[setting], name))


def _grid(values: tuple[tuple[object, ...], ...]) -> list[Setting]:
    """List in-sample positions with unit rows, and honest ones as they are: the scales that suit each."""
    spaces = [Setting("MLSI", *each) for each in product(*values)]  # type: ignore[arg-type]
    # without a ridge the positions of left-out records are wild, and support vector machines do not converge on them
    return spaces + [_in_honest(space) for space in spaces if space.ridge > 0]


def _in_honest(setting: Setting) -> Setting:
    return setting._replace(coordinates="honest", rows="as they are")


def _introduction(data_dir: str | None, n_settings: int, n_searched: int, n_judged: int, found: Found) -> str:
    texts, labels, n_copies = collection(data_dir)
    left_out = sorted({score.n_left_out for scores in found.values() for score in scores})
    n_topics = labels.shape[1]
    return (
        f"**Data.** Reuters-21578, Distribution 1.0: {len(texts):,} documents with two or more of {n_topics} topics "
        f"({n_copies} texts are duplicates of others). A random fifth, {len(texts) // 5} documents, is used for "
        "training; the rest is new. Words in at least 3 training texts, 1 + log counts, weights from the training "
        "texts alone.\n\n"
        f"**Method.** {N_DIMENSIONS} dimensions; one linear support vector machine per topic (squared hinge, C = 100) "
        f"with threshold zero, the measure of [Yu2005]. {n_settings} settings were compared on {n_searched} splits, "
        f"and the chosen ones were evaluated on {n_judged} other splits: mean ± standard deviation. The splits are "
        "new but the documents are the same, so the evaluation is not fully independent of the choice. Topics "
        f"without a training document are left out of the averages of a split: {' or '.join(map(str, left_out))} of "
        f"{n_topics}.\n\n"
        "**How to read it.** *In-sample* positions are `transform` of the training records, *honest* ones leave a "
        "record's own labels out. Rows of *unit length*: `LabelHead(normalise=True)`. C = 100 has a different effect "
        "on features of a different scale, so the scale is part of the setting."
    )


def _score_table(found: Found, *, with_changes: bool = False) -> str:
    rows = [_score_row(setting, scores) for setting, scores in found.items()]
    if not with_changes:
        return table(_COLUMNS, rows)
    changes = [[f"{setting.C:g}", str(setting.min_df), *row] for setting, row in zip(found, rows, strict=True)]
    return table(("C", "min_df", *_COLUMNS), changes)


def _score_row(setting: Setting, scores: Sequence[Scores]) -> list[str]:
    coordinates = setting.coordinates if setting.features == "MLSI" else ""
    unfinished = sum(score.unfinished for score in scores)
    note = f" ({unfinished} splits unfinished)" if unfinished else ""
    cells = [mean_and_spread([getattr(score, name) for score in scores]) for name in ("macro", "micro", "area")]
    return [f"{setting}{note}", coordinates, setting.rows, *cells]


def _conclusion(judged: Found, chosen: Setting, by_micro: Setting, scaled: Found, changed: Found) -> str:
    """Say what was chosen, what it gains over the best of each peer, and what the rest of the page adds, in numbers."""
    words, *plain = _PEERS
    rival = max(plain, key=lambda setting: _mean(judged[setting], "macro"))
    kinds = dict.fromkeys(setting.features for setting in changed)
    tops = {
        kind: max(_mean(scores, "macro") for setting, scores in changed.items() if setting.features == kind)
        for kind in kinds
    }
    scales = {
        kind: [
            f"{_mean(s, 'macro'):.3f} {each.rows}"
            for each, s in scaled.items()
            if each.coordinates == kind and each.features == "MLSI"
        ]
        for kind in ("in-sample", "honest")
    }
    return "\n".join(
        [
            f"By macro F1 the search chose `{chosen}`, by micro F1 `{by_micro}`, both {chosen.coordinates} with rows "
            f"of {chosen.rows}. Differences on the same new splits:",
            "",
            f"- macro F1 over {rival} (the better LSI): {_gain(judged, chosen, rival, 'macro')} (goal: 5 points)",
            f"- macro F1 over all words: {_gain(judged, chosen, words, 'macro')} (goal: 2 points)",
            f"- micro F1 over all words, as chosen by macro F1: {_gain(judged, chosen, words, 'micro')}",
            f"- the same as chosen by micro F1: {_gain(judged, by_micro, words, 'micro')} (goal: above 0)",
            f"- AUC over all words, as chosen by macro F1: {_gain(judged, chosen, words, 'area')}",
            "",
            "With the best C or `min_df` of those tried below for each, macro F1 is "
            + ", ".join(f"{top:.3f} ({kind})" for kind, top in tops.items())
            + ". By the scale of the rows it is "
            + "; ".join(f"{kind} {', '.join(values)}" for kind, values in scales.items())
            + ".",
        ]
    )


def _gain(found: Found, one: Setting, other: Setting, name: str) -> str:
    """Write the difference in points, split by split."""
    points = [100 * (getattr(a, name) - getattr(b, name)) for a, b in zip(found[one], found[other], strict=True)]
    spread = np.std(points, ddof=1) if len(points) > 1 else 0.0
    return (
        f"{np.mean(points):+.1f} ± {spread:.1f} points, above 0 in {sum(p > 0 for p in points)} of {len(points)} splits"
    )


def _effects(found: Found) -> str:
    """Average over everything else, for each value of each parameter."""
    rows = []
    for name in ("label_weight", "shrinkage", "ridge", "scaling"):
        for value in dict.fromkeys(getattr(setting, name) for setting in found):
            cells = [name, str(value)]
            for coordinates in ("in-sample", "honest"):
                scores = [
                    score
                    for setting, each in found.items()
                    if (getattr(setting, name), setting.coordinates) == (value, coordinates)
                    for score in each
                ]
                cells += [f"{_mean(scores, key):.3f}" if scores else "" for key in ("macro", "micro")]
            rows.append(cells)
    return table(("parameter", "value", "in-sample macro F1", "micro F1", "honest macro F1", "micro F1"), rows)


def _leaders(found: Found, n: int) -> Found:
    return {setting: found[setting] for setting in sorted(found, key=lambda each: -_mean(found[each], "macro"))[:n]}


def _mean(scores: Sequence[Scores], name: str) -> float:
    return float(np.mean([getattr(score, name) for score in scores]))


def _scales(chosen: Setting) -> list[Setting]:
    """List what the scale of the rows does to each kind of coordinates."""
    scales = ("as they are", "times √N", "unit length")
    spaces = [_PEERS[1], *(chosen._replace(coordinates=kind) for kind in ("in-sample", "transductive", "honest"))]
    return [space._replace(rows=rows) for space, rows in product(spaces, scales)]


def _changes(chosen: Setting) -> list[Setting]:
    """List other penalties and other choices of words, which might decide who wins."""
    penalties = [each._replace(C=C) for each, C in product((*_PEERS[:2], chosen), (1.0, 10.0, 100.0, 1000.0))]
    return penalties + [each._replace(min_df=n) for each, n in product((*_PEERS[:2], chosen), (2, 5))]


if __name__ == "__main__":
    main()
