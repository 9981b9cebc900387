"""Time and memory against records and against dimensions: `python benchmarks/scale_plots.py [--small] [--write]`.

LSI, MLSI and scikit-learn's TruncatedSVD on the collections of `scale`, each once, in processes of their own. With
`--write` the numbers are kept in docs/benchmarks_scale.json and drawn to docs/benchmarks_scale.png; `--redraw` draws
what is kept there.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pages import DOCS, facts, table
from runs import Job, run
from scale_data import Collections

__all__ = ["draw", "main", "measure"]

_KEPT, _FIGURE = "benchmarks_scale.json", "benchmarks_scale.png"
_JOBS = {
    "LSI": Job("lsi", {}),
    "MLSI": Job("mlsi", {}),
    "TruncatedSVD": Job("truncated_svd", {}),
}
_COLOURS = {"LSI": "#1b6ca8", "MLSI": "#c8553d", "TruncatedSVD": "#8a8a8a"}
_SIDES = {"records": "n_records", "dimensions": "n_components"}
_MEASURES = {"seconds": ("seconds", 1.0), "bytes": ("MiB, X plus work", 2.0**20)}

Point = dict[str, Any]


def main(arguments: Sequence[str] | None = None, *, docs: Path = DOCS) -> None:
    """Measure or read the points, print them, and draw them if asked."""
    parser = argparse.ArgumentParser(description="Draw time and memory against records and dimensions.")
    parser.add_argument("--small", action="store_true", help="tiny collections, to see that everything runs")
    parser.add_argument("--keep", metavar="DIR", help="folder that keeps the made collections for the next run")
    parser.add_argument("--write", action="store_true", help="keep the numbers and the figure in docs")
    parser.add_argument("--redraw", action="store_true", help="draw the numbers that are kept in docs")
    asked = parser.parse_args(arguments)
    if asked.small and asked.write:
        parser.error("--write needs the real sizes: got --small too, whose numbers mean nothing. Leave one out.")
    kept = docs / _KEPT
    known = json.loads(kept.read_text(encoding="utf-8")) if kept.exists() else {}
    if asked.redraw:
        if "points" not in known:
            parser.error(f"--redraw finds no numbers: got {_KEPT} without any, expected some. Run with --write first.")
    else:
        with tempfile.TemporaryDirectory() as temporary:
            known |= {
                "points": measure(Collections(Path(asked.keep or temporary), small=asked.small)),
                "facts": facts(),
            }
    print(_text(known["points"]))
    if asked.write or asked.redraw:
        kept.write_text(json.dumps(known, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        draw(known["points"], docs / _FIGURE)


def measure(data: Collections) -> list[Point]:
    """Run every model at every number of records, then at every number of dimensions."""
    few = data.sizes[1]
    places = [("records", n, data.n_components) for n in data.sizes]
    places += [("dimensions", few, k) for k in ((5, 10, 20) if data.small else (25, 50, 100, 200, 400))]
    points = []
    for side, n_records, n_components in places:
        for model, job in _JOBS.items():
            took = run(data.folder(n_records), job.changed(n_components=n_components))
            points.append(
                {
                    "model": model,
                    "side": side,
                    "n_records": n_records,
                    "n_components": n_components,
                    "seconds": took.seconds,
                    "bytes": took.bytes,
                }
            )
            print(points[-1], flush=True)
    return points


def draw(points: Sequence[Point], file: Path) -> None:
    """Draw four panels: time above memory, against records and against dimensions, all axes logarithmic."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot
    from matplotlib.ticker import LogLocator

    figure, panels = pyplot.subplots(2, 2, figsize=(9, 7), sharex="col", constrained_layout=True)
    for column, (side, across) in enumerate(_SIDES.items()):
        for row, (what, (label, unit)) in enumerate(_MEASURES.items()):
            panel = panels[row][column]
            for model, colour in _COLOURS.items():
                own = [point for point in points if (point["model"], point["side"]) == (model, side)]
                line = sorted((point[across], point[what] / unit) for point in own)
                panel.loglog(*zip(*line, strict=True), "o-", color=colour, label=model)
            places = sorted({point[across] for point in points if point["side"] == side})
            panel.set_xticks(places, [f"{place:,}" for place in places])
            panel.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
            panel.yaxis.set_major_formatter("{x:g}")
            for axis in (panel.xaxis, panel.yaxis):
                axis.set_minor_formatter("")
            panel.grid(True, alpha=0.25)
            panel.set_ylabel(label if column == 0 else "")
            panel.set_xlabel(side if row == 1 else "")
    panels[0][0].legend(frameon=False)
    panels[0][0].set_title("against records")
    panels[0][1].set_title("against dimensions")
    figure.savefig(file, dpi=110, metadata={"Software": None})
    pyplot.close(figure)


def _text(points: Sequence[Point]) -> str:
    rows = [
        (p["model"], f"{p['n_records']:,}", p["n_components"], f"{p['seconds']:.2f}", f"{p['bytes'] / 2**20:.0f}")
        for p in points
    ]
    return table(("model", "records", "dimensions", "seconds", "MiB"), rows)


if __name__ == "__main__":
    main()
