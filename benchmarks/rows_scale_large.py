"""Rows of `scale` about size: growth, memory, disk, cluster, and how near a fit comes to its bare products."""

from __future__ import annotations

import numpy as np
from comparison import OFTEN, Comparison, repeats
from runs import Job, Run, run, run_interleaved
from scale_data import Collections

__all__ = ["compare_cluster", "compare_disk", "compare_growth", "compare_limit", "compare_memory", "slope"]

_PATIENCE = 60.0
_GIB = 2**30
_SAME = 1e-5  # largest relative difference of singular values that counts as the same answer


def compare_growth(data: Collections) -> Comparison:
    """LSI at every size: how time grows with the records."""
    job = Job("lsi", {"n_components": data.n_components, "positions": False})
    times = repeats(data.small)
    runs = {n: run_interleaved(data.folder(n), {"": job}, repeats=times, patience=_PATIENCE)[""] for n in data.sizes}
    found = Comparison("How time grows", f"{data.sentence(data.sizes[-1])} Each size has its own data.")
    found.add(
        "slope of log time against log records", slope(list(runs), [r.seconds for r in runs.values()]), at_most=1.1
    )
    found.add("the same of memory", slope(list(runs), [r.bytes for r in runs.values()]))
    for n, took in runs.items():
        found.add_run(f"LSI, {n:,} records", took)
    return found


def compare_memory(data: Collections) -> Comparison:
    """The peak memory of a fit against that of X."""
    n = data.sizes[-1]
    jobs = {
        "LSI, fit": Job("lsi", {"n_components": data.n_components, "positions": False}),
        "LSI, fit_transform": Job("lsi", {"n_components": data.n_components}),
    }
    runs = run_interleaved(data.folder(n), jobs, repeats=1)
    found = Comparison("Memory of a fit", f"{data.sentence(n)} The memory of X, which a fit needs, is included.")
    size = data.bytes_of(n)
    found.add("peak memory of a fit, X included / memory of X", runs["LSI, fit"].bytes / size, at_most=2)
    found.add("the same with positions of all records", runs["LSI, fit_transform"].bytes / size)
    for label, took in runs.items():
        found.add_run(label, took)
    return found


def compare_disk(data: Collections) -> Comparison:
    """A fit from rows on disk against one in memory; X does not fit into what it may keep."""
    n, size = data.sizes[-1], data.bytes_of(data.sizes[-1])
    limit = min(_GIB, size) // 4
    fit = Job("lsi", {"n_components": data.n_components, "positions": False})
    disk = Job("lsi_disk", {"n_components": data.n_components})
    jobs = {
        "in memory": fit,
        f"on disk, {limit / 2**20:.0f} MiB of X in memory": disk.changed(limit=limit),
        "on disk, 1 GiB of X in memory": disk.changed(limit=_GIB),
    }
    runs = run_interleaved(data.rows(n), jobs, repeats=repeats(data.small), patience=_PATIENCE)
    found = Comparison(
        "Rows on disk",
        f"{data.sentence(n)} The operating system may keep files in its cache, which does not count as memory of the "
        "fit.",
    )
    memory, little, much = runs.values()
    label = list(runs)[1]
    found.add(f"time {label} / time in memory", little.seconds / memory.seconds, at_most=3)
    found.add("peak memory of that / 1 GiB", little.bytes / _GIB, at_most=1)
    found.add("time on disk, 1 GiB of X in memory / time in memory", much.seconds / memory.seconds)
    _same_answer(found, little, memory)
    for what, took in runs.items():
        found.add_run(what, took)
    return found


def compare_cluster(data: Collections) -> Comparison:
    """A fit on two worker processes of this machine against one in memory."""
    n = data.sizes[-1]
    options = {"n_components": data.n_components}
    jobs = {"in memory": Job("lsi", options | {"positions": False}), "on two workers": Job("lsi_cluster", options)}
    runs = run_interleaved(data.rows(n), jobs, repeats=repeats(data.small), patience=_PATIENCE)
    found = Comparison(
        "On a cluster",
        f"{data.sentence(n)} Two Dask workers, processes with one thread each, already hold the rows. Memory is that "
        "of the client process.",
        libraries=("dask", "distributed"),
    )
    memory, cluster = runs.values()
    found.add("time on two workers / time in memory", cluster.seconds / memory.seconds, at_most=3)
    _same_answer(found, cluster, memory)
    for what, took in runs.items():
        found.add_run(what, took)
    return found


def compare_limit(data: Collections) -> Comparison:
    """A fit against the products with X that it makes, alone, by the best kernel there is."""
    folder = data.folder(data.middle)
    fit = Job("lsi", {"n_components": data.n_components, "positions": False})
    calls = run(folder, Job("lsi_counted", {"n_components": data.n_components})).result.tolist()
    jobs = {"LSI": fit}
    kernels = {"products, ours": "tacit", "products, SciPy's on one core": "scipy"}
    jobs |= {label: Job("products", {"calls": calls, "kernel": kernel}) for label, kernel in kernels.items()}
    runs = run_interleaved(folder, jobs, repeats=repeats(data.small, OFTEN), patience=_PATIENCE)
    best = min(kernels, key=lambda label: runs[label].seconds)
    columns = sum(n_columns for _, n_columns in calls)
    found = Comparison(
        "A fit and its bare products",
        f"{data.sentence(data.middle)} The fit makes {len(calls)} products of X with {columns} columns in total; a "
        "product with the Gram matrix counts once.",
    )
    found.add(f"time of LSI / time of its {best}", runs["LSI"].seconds / runs[best].seconds, at_most=1.6)
    for what, took in runs.items():
        found.add_run(what, took)
    return found


def slope(sizes: list[int], values: list[float]) -> float:
    """Give the power of the size that the values grow with, by least squares of the logarithms."""
    return float(np.polyfit(np.log(sizes), np.log(values), 1)[0])


def _same_answer(found: Comparison, one: Run, other: Run) -> None:
    difference = float(np.abs(one.result / other.result - 1).max())
    found.add("largest relative difference of a singular value", difference, at_most=_SAME)
