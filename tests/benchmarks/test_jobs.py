"""Jobs run in processes of their own, within their limits, and give what they say."""

from __future__ import annotations

import importlib
from pathlib import Path

import numpy as np
import pytest
from scipy.linalg import subspace_angles

from tacit import LSI, MLSI


@pytest.mark.parametrize("ridge", [0.1, 1.0])
def test_the_equation_as_printed_is_what_mlsi_solves(ridge: float) -> None:
    jobs, synthetic = importlib.import_module("jobs"), importlib.import_module("synthetic")
    X, Y = synthetic.planted_topics(120, n_terms=300, n_topics=6, dtype=np.float64)
    space = {"n_components": 5, "label_weight": 0.6, "shrinkage": 0.4, "ridge": ridge}
    ours = MLSI(**space, solver="augmented", tol=1e-10).fit(X, Y).embedding_
    assert subspace_angles(jobs.literal_dual(X, Y, **space), ours).max() < 1e-7
    assert subspace_angles(jobs.literal_dual(X, Y, **space | {"label_weight": 0.5}), ours).max() > 1e-3


def test_a_job_runs_in_a_process_of_its_own_and_counts_x_and_its_work(tmp_path: Path) -> None:
    jobs, runs, synthetic = (importlib.import_module(name) for name in ("jobs", "runs", "synthetic"))
    X, Y = synthetic.planted_topics(8_000, n_terms=3_000, n_topics=10)
    jobs.save(tmp_path, X, Y)
    took = runs.run(tmp_path, runs.Job("lsi", {"n_components": 5}).changed(tol=1e-3))
    assert np.allclose(took.result, LSI(5, tol=1e-3).fit(X).singular_values_, rtol=1e-4)
    assert took.seconds > 0
    assert jobs.x_bytes(X) * 0.9 < took.bytes < jobs.x_bytes(X) * 10


@pytest.mark.usefixtures("jobs_here")
def test_a_job_is_repeated_until_patience_ends(tmp_path: Path) -> None:
    jobs, runs, synthetic = (importlib.import_module(name) for name in ("jobs", "runs", "synthetic"))
    jobs.save(tmp_path, *synthetic.planted_topics(300, n_terms=400, n_topics=5))
    asked = {"one": runs.Job("lsi", {"n_components": 3}), "two": runs.Job("lsi", {"n_components": 4})}
    patient = runs.run_interleaved(tmp_path, asked, repeats=2)
    hasty = runs.run_interleaved(tmp_path, asked, repeats=2, patience=0)
    assert [took.repeats for took in (*patient.values(), *hasty.values())] == [2, 2, 1, 1]
    assert [len(took.result) for took in hasty.values()] == [3, 4]


def test_the_reference_of_singular_values_is_that_of_lapack() -> None:
    jobs, synthetic = importlib.import_module("jobs"), importlib.import_module("synthetic")
    X, Y = synthetic.planted_topics(700, n_terms=500, n_topics=10)
    expected = np.linalg.svd(X.toarray().astype(np.float64), compute_uv=False)[:12]
    assert np.allclose(jobs.exact_values(X, Y, n_components=12), expected, rtol=1e-9)


@pytest.mark.usefixtures("jobs_here")
def test_a_reference_below_what_others_find_is_refused(tmp_path: Path) -> None:
    jobs, runs, compare, synthetic = (
        importlib.import_module(name) for name in ("jobs", "runs", "compare", "synthetic")
    )
    X, Y = synthetic.planted_topics(500, n_terms=600, n_topics=10)
    jobs.save(tmp_path, X, Y)
    errors = compare.Errors(tmp_path, runs.Job("exact_values", {"n_components": 5}))
    job = runs.Job("lsi", {"n_components": 5})
    assert errors.of(job) < 1e-2
    errors._known.clear()
    errors._exact = np.append(errors._exact[1:], errors._exact[-1] * 0.9)
    with pytest.raises(RuntimeError, match=r"the reference is not exact: lsi .* has a value .* above it"):
        errors.of(job)


@pytest.mark.parametrize("limits", [{"seconds": 0.05}, {"seconds": 60.0, "bytes": 4 * 2**30}])
def test_a_job_beyond_its_limits_is_stopped_and_reaches_nothing(tmp_path: Path, limits: dict[str, float]) -> None:
    from scipy.sparse import csr_array, eye_array

    jobs, runs, rows = (importlib.import_module(name) for name in ("jobs", "runs", "rows_graphs"))
    many = csr_array(eye_array(40_000))  # its dense kernel takes 12 GiB
    jobs.save(tmp_path, many, many[:, :5])
    options = {"n_components": 3, "label_weight": 0.5, "shrinkage": 0.5, "ridge": 1.0, "limits": limits}
    took = runs.run(tmp_path, runs.Job("literal_dual", options))
    assert took.result.size == 0
    assert 0.05 <= took.seconds < 60
    found = importlib.import_module("comparison").Comparison("Title", "Data.")
    quick = runs.Run(0.01, 1.0, np.ones(1))
    rows._add_ratio(found, "slow", "quick", {"slow": took, "quick": quick}, at_least=1)
    assert [row[::3] for row in found.ratios] == [("time of slow, stopped, / time of quick", "")]


def test_a_job_within_its_limits_fails_as_any_other_or_gives_what_it_gives_without(tmp_path: Path) -> None:
    jobs, runs, synthetic = (importlib.import_module(name) for name in ("jobs", "runs", "synthetic"))
    with pytest.raises(RuntimeError, match=r"the job lsi failed with \{'n_components': 3(?s:.)*FileNotFoundError"):
        runs.run(tmp_path, runs.Job("lsi", {"n_components": 3, "limits": {"seconds": 60.0}}))
    X, Y = synthetic.planted_topics(300, n_terms=400, n_topics=5)
    jobs.save(tmp_path, X, Y)
    took = runs.run(tmp_path, runs.Job("lsi", {"n_components": 3, "limits": {"seconds": 60.0}}))
    assert np.allclose(took.result, LSI(3).fit(X).singular_values_, rtol=1e-5)
