"""Speed and size, in one run: `python benchmarks/scale.py [row ...] [--small] [--write] [--keep DIR]`.

| row      | work                           | against                                         | should be         |
|----------|--------------------------------|-------------------------------------------------|-------------------|
| sklearn  | LSI, 200,000 records           | TruncatedSVD, values at least as accurate       | 6 times faster    |
| svds     | the same                       | svds, the better of two, errors of at most 1e-3 | 3 times faster    |
| gensim   | the same                       | gensim's LsiModel, values at least as accurate  | 6 times faster    |
| labels   | MLSI with 100 labels           | LSI on the same X                               | at most 1.5 x     |
| subjects | MLSI with 25,000 labels        | LSI on the same X                               | at most 2 x       |
| classes  | HLSI with 100 classes          | LSI on the same X                               | at most 3 x       |
| growth   | LSI, 50,000 to 804,414 records | linear in the records                           | slope at most 1.1 |
| memory   | peak of LSI, 804,414 records   | memory of X                                     | at most 2 x       |
| disk     | LSI from disk, 804,414 records | in memory                                       | at most 3 x       |
| cluster  | the same on two Dask workers   | in memory                                       | at most 3 x       |
| limit    | LSI                            | its bare products by the best kernel            | at most 1.6 x     |

Made collections like RCV1: 47,236 terms, about 76 a record, float32, k = 100. Every job runs in a process of its own,
up to three times in turn with the others, seven where ours is beside ours; times are medians. `--write` puts the rows
into docs/benchmarks.md and keeps them in docs/benchmarks_scale.json, from which the page is made again when other rows
are run. All of it takes about an hour; `--small` checks in a few minutes that everything works, and `--share 0.1` tries
a tenth of the records.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

from compare import HEAD, ORDER
from comparison import Comparison
from pages import DOCS, put_section, table
from rows_scale import (
    compare_classes,
    compare_gensim,
    compare_labels,
    compare_sklearn,
    compare_subjects,
    compare_svds,
)
from rows_scale_large import compare_cluster, compare_disk, compare_growth, compare_limit, compare_memory
from scale_data import Collections

__all__ = ["ROWS", "main", "section", "summary"]

ROWS: dict[str, Callable[[Collections], Comparison]] = {
    "sklearn": compare_sklearn,
    "svds": compare_svds,
    "gensim": compare_gensim,
    "labels": compare_labels,
    "subjects": compare_subjects,
    "classes": compare_classes,
    "growth": compare_growth,
    "memory": compare_memory,
    "disk": compare_disk,
    "cluster": compare_cluster,
    "limit": compare_limit,
}
_KEPT = "benchmarks_scale.json"


def main(arguments: Sequence[str] | None = None, *, docs: Path = DOCS) -> None:
    """Run the rows asked for, print them and what they come to, and write them to the page if asked."""
    asked = _read(arguments)
    measured: dict[str, dict[str, Any]] = {}
    with tempfile.TemporaryDirectory() as temporary:
        data = Collections(Path(asked.keep or temporary), small=asked.small, share=asked.share)
        for name in asked.rows or ROWS:
            found = ROWS[name](data)
            print(found.text(), end="\n\n", flush=True)
            measured[name] = {"date": date.today().isoformat(), "ratios": found.ratios, "text": found.text()}
            if asked.write:
                _write(docs, measured)
    print(summary(measured))


def summary(measured: Mapping[str, Mapping[str, Any]]) -> str:
    """Write one table of all that should be reached, in the order of the rows."""
    lines = [
        (name, *ratio, measured[name]["date"])
        for name in ROWS
        if name in measured
        for ratio in measured[name]["ratios"]
        if ratio[2]  # others are told beside it, but nothing is asked of them
    ]
    return table(("row", "ratio", "value", "should be", "reached", "measured"), lines)


def section(measured: Mapping[str, Mapping[str, Any]], *, figure: bool = True) -> str:
    """Write the section of the page: the table of all, the figure if there is one, and each row with its runs."""
    details = [measured[name]["text"].replace("## ", "### ", 1) for name in ROWS if name in measured]
    figures = ["![Time and memory against records and dimensions](benchmarks_scale.png)"] if figure else []
    return "\n\n".join(["## Speed and size", _HOW, summary(measured), *figures, *details])


_HOW = (
    "Measured by `python benchmarks/scale.py --write`; the figure is drawn by `python benchmarks/scale_plots.py "
    "--write`. Each row has its own date, and its runs are listed below."
)


def _write(docs: Path, measured: Mapping[str, Mapping[str, Any]]) -> None:
    """Keep the rows beside those of other runs, and make the section anew."""
    kept = docs / _KEPT
    known = json.loads(kept.read_text(encoding="utf-8")) if kept.exists() else {}
    known["rows"] = {**known.get("rows", {}), **measured}
    kept.write_text(json.dumps(known, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    text = section(known["rows"], figure=(docs / "benchmarks_scale.png").exists())
    put_section(docs / "benchmarks.md", "scale", text, head=HEAD, order=ORDER)


def _read(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measure speed and size.")
    parser.add_argument("rows", nargs="*", metavar="row", help=f"any of {', '.join(ROWS)}; all by default")
    parser.add_argument("--small", action="store_true", help="tiny collections, to see that everything runs")
    parser.add_argument("--share", type=float, default=1.0, help="part of the records of each size, to try")
    parser.add_argument("--keep", metavar="DIR", help="folder that keeps the made collections for the next run")
    parser.add_argument("--write", action="store_true", help="write the rows to docs/benchmarks.md")
    asked = parser.parse_args(arguments)
    unknown = sorted(set(asked.rows) - set(ROWS))
    if unknown:
        parser.error(f"row is unknown: got {unknown[0]!r}, expected one of {', '.join(ROWS)}.")
    if not 0 < asked.share <= 1:
        parser.error(f"--share is out of range: got {asked.share:g}, expected a number above 0 and at most 1.")
    if asked.write and (asked.small or asked.share < 1):
        parser.error("--write needs the real sizes: got --small or --share too, whose numbers mean nothing.")
    return asked


if __name__ == "__main__":
    main()
