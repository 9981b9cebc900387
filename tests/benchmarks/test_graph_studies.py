"""Benchmarks and studies of graphs and their embeddings."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest


def _few_neighbours(n_records: int = 800) -> tuple[Any, Any]:
    """Give records and the weights of their graph, in one piece."""
    from tacit.relations.graphs.neighbours import neighbour_graph

    X, _ = importlib.import_module("synthetic").planted_topics(n_records, n_terms=400, n_topics=6, dtype=np.float64)
    return X, importlib.import_module("jobs").narrow(neighbour_graph(X, 8).parts[0].weights)


def test_embeddings_of_graphs_are_found_and_judged_as_the_dense_problem_is() -> None:
    from scipy.linalg import eigh
    from scipy.sparse import csr_array

    from tacit.relations.graphs.graph import as_graph

    jobs, rows = importlib.import_module("jobs"), importlib.import_module("rows_graphs")
    _, W = _few_neighbours()
    D = np.diag(W.toarray().sum(axis=1))
    L = D - W.toarray()
    values, vectors = eigh(L, D)
    assert values[1] > 1e-3, "the graph must be in one piece"
    exact, judge = vectors[:, 1:6], rows.GraphJudge(as_graph(W))
    assert judge.residual(exact * [1, 2, 3, 4, 5]) < 1e-12
    off = exact + 0.01 * vectors[:, [20]]
    quotients = np.sum(off * (L @ off), axis=0) / np.sum(off * (D @ off), axis=0)
    wrong = np.diag(D.diagonal() ** -0.5) @ (L @ off - D @ off * quotients)
    expected = np.linalg.norm(wrong, axis=0) / np.linalg.norm(np.sqrt(D) @ off, axis=0)
    assert np.isclose(judge.residual(off), expected.max())
    # what is left of the trivial vector makes no cost smaller
    assert np.allclose(judge.costs(exact + 0.5 * vectors[:, [0]]), values[1:6])
    root = np.diag(judge.root)
    for found in (
        jobs.spectrum(as_graph(W), n_components=5, tol=1e-9),
        jobs.spectral_embedding(W, n_components=5, eigen_solver="arpack", tol=1e-9),
        jobs.spectral_embedding(W, n_components=5, eigen_solver="lobpcg", tol=1e-9),
        np.concatenate(jobs.scipy_eigsh(csr_array(root @ W.toarray() @ root), n_components=6, tol=1e-9)),
    ):
        assert judge.residual(found) < 1e-8
        assert np.allclose(judge.costs(found), values[1:6], rtol=1e-9)
        assert judge.verdict(found, values[1:6]).startswith("residual ")
    with pytest.raises(RuntimeError, match=r"the reference is not exact: another has a cost .* below it"):
        judge.verdict(exact, values[2:7])


def test_the_part_of_neighbours_that_a_graph_joins_is_counted() -> None:
    from scipy.sparse import csr_array

    rows = importlib.import_module("rows_graphs")
    X, W = _few_neighbours(300)  # fewer than are sampled, so that all are
    cosines = X.toarray() @ X.toarray().T
    np.fill_diagonal(cosines, -1)
    nearest = np.argsort(-cosines, axis=1)[:, :8]
    joins = W.toarray() * (np.arange(300) % 2)  # to every other record only
    expected = np.mean(np.take_along_axis(joins, nearest, axis=1))
    assert rows.found_neighbours(X, W, 8) == 1
    assert 0.3 < expected < 0.7
    assert np.isclose(rows.found_neighbours(X, csr_array(joins), 8), expected)


@pytest.mark.realdata
@pytest.mark.filterwarnings("ignore::tacit.errors.TacitWarning")
def test_the_study_of_unknown_labels_runs_and_its_page_can_be_made_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    import os

    from tacit.models.graphs import embedding

    if not os.environ.get("TACIT_DATA"):
        pytest.skip("TACIT_DATA is not set: there are no data sets to study")
    main, numbers = importlib.import_module("graph_unknown_labels").main, tmp_path / "numbers.json"
    defaults = dict(embedding.UNKNOWN)
    main(["--quick", "--save", str(numbers)])
    assert defaults == embedding.UNKNOWN
    text = capsys.readouterr().out
    assert "| unknown=0.1 " in text
    main(["--from", str(numbers)])
    assert capsys.readouterr().out == text


@pytest.mark.usefixtures("jobs_here")
def test_ours_gets_the_first_tolerance_that_is_as_good_as_a_peer(tmp_path: Path) -> None:
    from tacit.relations.graphs.graph import as_graph

    jobs, runs, rows = (importlib.import_module(name) for name in ("jobs", "runs", "rows_graphs"))
    _, W = _few_neighbours()
    graph, judge = as_graph(W), rows.GraphJudge(as_graph(W))
    rows._save_graph(tmp_path, graph, judge.root)
    peers = {
        name: runs.Run(1.0, 1.0, jobs.spectrum(graph, n_components=4, tol=tol))
        for name, tol in (("loose", 1e-2), ("tight", 1e-12))
    }
    peers["stopped"] = runs.Run(1.0, 1.0, np.empty(0))
    ours = [runs.Job("spectrum", {"n_components": 4, "tol": tol}) for tol in (1e-2, 1e-10)]
    assert rows._equal_tols(tmp_path, judge, ours, peers) == {"loose": 1e-2, "tight": 1e-10}
    assert rows._equal_tols(tmp_path, judge, ours[:1], peers) == {"loose": 1e-2}
