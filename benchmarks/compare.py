"""Ratios that should hold, in one run: `python benchmarks/compare.py [row ...] [--small] [--write]`.

| row       | question                                                                                              |
|-----------|-------------------------------------------------------------------------------------------------------|
| dense     | does MLSI by its augmented route give what eq. (12) of [Yu2005] gives, solved as printed, and faster? |
| large     | what do labels cost: MLSI against LSI at 100,000 x 47,236, time and memory?                           |
| tree      | what do classes cost: HLSI against LSI at 100,000 x 47,236, time and memory?                          |
| lsi       | LSI against scikit-learn and SciPy on the same X: time, and time at equal accuracy                    |
| relations | MLSA against SciPy's eigsh on the one matrix of four relations: time at equal accuracy, memory        |
| products  | the same with a relation that is a product, which we keep as two matrices and eigsh needs as one      |
| graphs    | nearest neighbours and Laplacian eigenmaps against scikit-learn: time at equal accuracy, memory       |
| index     | a whole index of Reuters-21578 against scikit-learn on the same texts; how fast the command begins    |

Every job runs in a process of its own, three times in turn with the others, slow ones of the last four rows less
often; times are medians. Ratios survive a change of machine better than seconds do. `--small` checks in a minute that
everything works; its numbers mean nothing.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import scipy.linalg as la
from accuracy import Errors
from comparison import Comparison, repeats
from matrices import save, x_bytes
from pages import DOCS, put_section
from rows_graphs import compare_graphs
from rows_index import compare_index
from rows_relations import compare_products, compare_relations
from runs import Job, run_interleaved
from synthetic import planted_topics

__all__ = ["HEAD", "ORDER", "ROWS", "Errors", "compare_dense", "compare_large", "compare_lsi", "main"]

_TOLS = (1e-1, 1e-2, 1e-3, 1e-4)
_PATIENCE = 15.0  # seconds after which a job of the row `lsi` is not repeated: its peers are many and slow
HEAD = """# Benchmarks

Ratios measured by `python benchmarks/compare.py --write` on a synthetic collection with planted topics. Each job runs
in its own process; times are medians of up to three interleaved runs. Each section has the date of its own run.
"""


def compare_dense(folder: Path, *, small: bool) -> Comparison:
    """Compare MLSI by products only with eq. (12) as printed."""
    size = (400, 1500, 20, 10) if small else (3_000, 10_000, 100, 50)
    data, _ = _collection(folder, *size[:3], dtype=np.float64)
    space = {"n_components": size[3], "label_weight": 0.7, "shrinkage": 0.5, "ridge": 1.0}
    augmented = space | {"solver": "augmented"}
    runs = run_interleaved(
        folder,
        {
            "eq. (12) as printed, dense": Job("literal_dual", space),
            "augmented, default tol": Job("mlsi", augmented),
            "augmented, tol=1e-10": Job("mlsi", augmented | {"tol": 1e-10}),
        },
        repeats=repeats(small),
    )
    literal, quick, tight = runs.values()
    found = Comparison("MLSI compared with the equation as printed", f"{data} k = {size[3]}, float64.")
    angles = [float(la.subspace_angles(literal.result, each.result).max()) for each in (quick, tight)]
    found.add("largest principal angle, tol=1e-10", angles[1], at_most=1e-6)
    found.add("time of the equation / time of MLSI, default tol", literal.seconds / quick.seconds, at_least=20)
    found.add("time of the equation / time of MLSI, tol=1e-10", literal.seconds / tight.seconds)
    found.add("memory of the equation / memory of MLSI, default tol", literal.bytes / quick.bytes)
    qualities = ("", *(f"largest angle {angle:.1e}" for angle in angles))
    for (what, took), quality in zip(runs.items(), qualities, strict=True):
        found.add_run(what, took, quality)
    return found


def compare_large(folder: Path, *, small: bool) -> Comparison:
    """Compare MLSI with LSI in time, and its memory with that of X."""
    data, size = _large_collection(folder, small)
    k = 20 if small else 100
    jobs = {"LSI": Job("lsi", {"n_components": k}), "MLSI": Job("mlsi", {"n_components": k})}
    runs = run_interleaved(folder, jobs, repeats=repeats(small))
    found = Comparison(
        "Cost of labels", f"{data} k = {k}, float32, X takes {size / 2**20:.0f} MiB; defaults otherwise."
    )
    found.add("memory of MLSI (X plus work) / memory of X", runs["MLSI"].bytes / size, at_most=3)
    found.add("time of MLSI / time of LSI", runs["MLSI"].seconds / runs["LSI"].seconds, at_most=2)
    found.add("memory of LSI (X plus work) / memory of X", runs["LSI"].bytes / size)
    for what, took in runs.items():
        found.add_run(what, took)
    return found


def compare_tree(folder: Path, *, small: bool) -> Comparison:
    """Compare HLSI with LSI in time, and its memory with that of X."""
    data, size = _large_collection(folder, small)
    k = 20 if small else 100
    jobs = {"LSI": Job("lsi", {"n_components": k}), "HLSI": Job("hlsi", {"n_components": k})}
    jobs['HLSI, membership="whole", gamma=1'] = jobs["HLSI"].changed(membership="whole", gamma=1.0)
    runs = run_interleaved(folder, jobs, repeats=repeats(small))
    found = Comparison(
        "Cost of classes", f"{data} k = {k}, float32, X takes {size / 2**20:.0f} MiB; defaults otherwise."
    )
    found.add("memory of HLSI (X plus work) / memory of X", runs["HLSI"].bytes / size, at_most=3.5)
    found.add("time of HLSI / time of LSI", runs["HLSI"].seconds / runs["LSI"].seconds, at_most=4)
    for what, took in runs.items():
        found.add_run(what, took)
    return found


def compare_lsi(folder: Path, *, small: bool) -> Comparison:
    """Compare LSI with other truncated decompositions, each at its own accuracy and at equal accuracy."""
    data, _ = _large_collection(folder, small)
    k = 20 if small else 100
    errors = Errors(folder, Job("exact_values", {"n_components": k}))
    ours = Job("lsi", {"n_components": k})
    peers = {"scikit-learn TruncatedSVD, defaults": Job("truncated_svd", {"n_components": k})}
    for solver in ("arpack", "propack"):
        family = Job("scipy_svds", {"n_components": k, "solver": solver})
        tol, _ = errors.loosest(family, errors.of(ours), _TOLS[:3])
        peers[f"SciPy svds, {solver}, tol={tol:g}"] = family.changed(tol=tol)
    equals, jobs = {}, {"LSI, default tol": ours, **peers}
    for label, peer in peers.items():
        tol, reached = errors.loosest(ours, errors.of(peer), _TOLS)
        if reached:
            equals[label] = f"LSI, tol={tol:g}"
            jobs[equals[label]] = ours.changed(tol=tol)
    runs = run_interleaved(folder, jobs, repeats=repeats(small), patience=_PATIENCE)
    found = Comparison(
        "LSI against other decompositions",
        f"{data} k = {k}, float32. Quality: largest relative error of a singular value.",
    )
    for label in peers:
        found.add(f"time of {label} / time of LSI, default tol", runs[label].seconds / runs["LSI, default tol"].seconds)
        if label in equals:
            ratio = runs[label].seconds / runs[equals[label]].seconds
            found.add(f"the same at no larger error: / time of {equals[label]}", ratio, at_least=1)
    for what, took in runs.items():
        found.add_run(what, took, f"error {errors.of(jobs[what]):.1e}")
    return found


ROWS: dict[str, Callable[..., Comparison]] = {
    "dense": compare_dense,
    "large": compare_large,
    "tree": compare_tree,
    "lsi": compare_lsi,
    "relations": compare_relations,
    "products": compare_products,
    "graphs": compare_graphs,
    "index": compare_index,
}
ORDER = [*ROWS, "million", "scale"]  # of the sections of the page; the last two are of `index_load` and `scale`


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the rows asked for, print them, and write them to the page if asked."""
    parser = argparse.ArgumentParser(description="Measure the ratios that should hold.")
    parser.add_argument("rows", nargs="*", metavar="row", help=f"any of {', '.join(ROWS)}; all by default")
    parser.add_argument("--small", action="store_true", help="small sizes, to see that everything runs")
    parser.add_argument("--write", action="store_true", help="write the rows to docs/benchmarks.md")
    asked = parser.parse_args(arguments)
    unknown = sorted(set(asked.rows) - set(ROWS))
    if unknown:
        parser.error(f"row is unknown: got {unknown[0]!r}, expected one of {', '.join(ROWS)}.")
    if asked.small and asked.write:
        parser.error("--write needs the real sizes: got --small too, whose numbers mean nothing. Leave one out.")
    for name in asked.rows or ROWS:
        with tempfile.TemporaryDirectory() as folder:
            text = ROWS[name](Path(folder), small=asked.small).text()
        print(text, end="\n\n", flush=True)
        if asked.write:
            put_section(DOCS / "benchmarks.md", name, text, head=HEAD, order=ORDER)


def _collection(folder: Path, n_records: int, n_terms: int, n_topics: int, *, dtype: type) -> tuple[str, int]:
    """Make the data of a row; give a sentence about it and the memory of X."""
    X, Y = planted_topics(n_records, n_terms=n_terms, n_topics=n_topics, dtype=dtype)
    save(folder, X, Y)
    return f"{n_records:,} records, {n_terms:,} terms, {X.nnz:,} non-zeros, {n_topics} labels,", x_bytes(X)


def _large_collection(folder: Path, small: bool) -> tuple[str, int]:
    size = (3_000, 3_000, 20) if small else (100_000, 47_236, 100)
    return _collection(folder, *size, dtype=np.float32)


if __name__ == "__main__":
    main()
