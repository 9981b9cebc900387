"""Rows of `scale` that compare at one size: other libraries at equal accuracy, and what labels and classes cost."""

from __future__ import annotations

from accuracy import Errors
from comparison import OFTEN, Comparison, repeats
from runs import Job, run_interleaved
from scale_data import Collections

__all__ = [
    "compare_classes",
    "compare_gensim",
    "compare_labels",
    "compare_sklearn",
    "compare_subjects",
    "compare_svds",
]

_TOLS = (0.5, 0.3, 0.2, 0.15, 0.1, 0.03, 0.01, 1e-3, 1e-4)
_PATIENCE = 60.0  # seconds after which a job is not repeated
_WANTED = 1e-3  # relative error of singular values that is asked of SciPy and ours alike
_QUALITY = "Quality: largest relative error of a singular value."


def compare_sklearn(data: Collections) -> Comparison:
    """LSI against TruncatedSVD, at values that are no less accurate."""
    peer = Job("truncated_svd", {"n_components": data.n_components})
    return _against(data, {"TruncatedSVD": peer}, "LSI against scikit-learn's TruncatedSVD", at_least=6)


def compare_gensim(data: Collections) -> Comparison:
    """LSI against gensim's LsiModel, at values that are no less accurate; neither places the records."""
    peer = Job("gensim_lsi", {"n_components": data.n_components})
    found = _against(data, {"LsiModel": peer}, "LSI against gensim's LsiModel", at_least=6, positions=False)
    found.libraries = ("gensim",)
    return found


def compare_svds(data: Collections) -> Comparison:
    """LSI against the better of SciPy's two, all at the loosest tolerance with the same small error."""
    errors = _errors(data)
    peers = {}
    for solver in ("arpack", "propack"):
        family = Job("scipy_svds", {"n_components": data.n_components, "solver": solver})
        tol, _ = errors.loosest(family, _WANTED, _TOLS)
        peers[f"svds, {solver}, tol={tol:g}"] = family.changed(tol=tol)
    return _against(data, peers, "LSI against SciPy's svds", at_least=3, wanted=_WANTED, errors=errors)


def compare_labels(data: Collections) -> Comparison:
    """MLSI against LSI on the same X."""
    return _beside_lsi(data, "MLSI", Job("mlsi", {"n_components": data.n_components}), "Cost of labels", at_most=1.5)


def compare_subjects(data: Collections) -> Comparison:
    """MLSI with the vocabulary of a library against LSI on the same X."""
    n_records = data.sizes[1]
    jobs = {name: Job(name.lower(), {"n_components": data.n_components}) for name in ("LSI", "MLSI")}
    runs = run_interleaved(data.subjects(n_records), jobs, repeats=repeats(data.small, OFTEN), patience=_PATIENCE)
    n_labels = "1,000" if data.small else "25,000"
    text = f"{data.sentence(n_records)} Here with {n_labels} labels, about 2.4 per record. Defaults otherwise."
    found = Comparison("Cost of a large vocabulary", text)
    found.add("time of MLSI / time of LSI", runs["MLSI"].seconds / runs["LSI"].seconds, at_most=2)
    found.add("memory of MLSI / memory of X", runs["MLSI"].bytes / data.bytes_of(n_records))
    for label, took in runs.items():
        found.add_run(label, took)
    return found


def compare_classes(data: Collections) -> Comparison:
    """HLSI against LSI on the same X."""
    return _beside_lsi(data, "HLSI", Job("hlsi", {"n_components": data.n_components}), "Cost of classes", at_most=3)


def _against(
    data: Collections,
    peers: dict[str, Job],
    title: str,
    *,
    at_least: float,
    wanted: float | None = None,
    errors: Errors | None = None,
    positions: bool = True,
) -> Comparison:
    """Run LSI, at the loosest tolerance with an error of `wanted` or of the peers', and its peers in turn."""
    folder, errors = data.folder(data.middle), errors or _errors(data)
    family = Job("lsi", {"n_components": data.n_components, "positions": positions})
    limit = min(errors.of(peer) for peer in peers.values()) if wanted is None else wanted
    tol, reached = errors.loosest(family, limit, _TOLS)
    ours = f"LSI, tol={tol:g}"
    portable = f"{ours}, by SciPy's products"  # as without the extra `fast`
    jobs = {ours: family.changed(tol=tol), "LSI, default tol": family, **peers}
    jobs[portable] = jobs[ours].within(TACIT_KERNELS="scipy")
    runs = run_interleaved(folder, jobs, repeats=repeats(data.small), patience=_PATIENCE)
    best = min(peers, key=lambda label: runs[label].seconds)
    found = Comparison(title, f"{data.sentence(data.middle)} {_QUALITY}")
    what = "at no larger error" if wanted is None else f"all at an error of at most {wanted:g}"
    ratio = runs[best].seconds / runs[ours].seconds if reached else 0.0
    found.add(f"time of {best} / time of {ours}, {what}", ratio, at_least=at_least)
    found.add(f"time of {best} / time of LSI, default tol", runs[best].seconds / runs["LSI, default tol"].seconds)
    found.add(f"time of {best} / time of {portable}", runs[best].seconds / runs[portable].seconds)
    found.add(f"memory of {best} / memory of {ours}", runs[best].bytes / runs[ours].bytes)
    for label, took in runs.items():
        found.add_run(label, took, f"error {errors.of(jobs[label]):.1e}")
    return found


def _beside_lsi(data: Collections, name: str, job: Job, title: str, *, at_most: float) -> Comparison:
    jobs = {"LSI": Job("lsi", {"n_components": data.n_components}), name: job}
    times = repeats(data.small, OFTEN)
    runs = run_interleaved(data.folder(data.middle), jobs, repeats=times, patience=_PATIENCE)
    positions = "Defaults otherwise; all return the positions of the records."
    found = Comparison(title, f"{data.sentence(data.middle)} {positions}")
    if name == "HLSI":
        found.data = f"{data.sentence(data.middle)} Defaults otherwise."
    found.add(f"time of {name} / time of LSI", runs[name].seconds / runs["LSI"].seconds, at_most=at_most)
    found.add(f"memory of {name} / memory of X", runs[name].bytes / data.bytes_of(data.middle))
    for label, took in runs.items():
        found.add_run(label, took)
    return found


def _errors(data: Collections) -> Errors:
    folder = data.folder(data.middle)
    exact = Job("exact_values", {"n_components": data.n_components})
    return Errors(folder, exact, kept=folder / f"exact-{data.n_components}.npy")
