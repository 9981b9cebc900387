"""Benchmarks and studies of graphs and their embeddings."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from animals import animals

from tacit import MLSI


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


def test_values_are_chosen_one_parameter_after_the_other() -> None:
    from tacit import LabelHead

    trial = importlib.import_module("graph_embeddings_trial")
    X, Y, _ = animals(180)
    parts = [(X[rows], Y[rows]) for rows in (slice(60), slice(60, 120), slice(120, None))]
    axes = ({"label_weight": [0.2, 0.8]}, {"ridge": [0.01, 1.0, 100.0]})
    method = trial.Method("MLSI", MLSI(), axes, (1, 2), (3,))
    found = trial.tuned(method, parts, LabelHead("ridge", calibrate=False), {"ridge": [0.1, 10.0]})
    scores = {axis: max(each["validation"]["macro F1"] for each in found if each["axis"] == axis)
              for axis in ("label_weight", "ridge", "")}  # fmt: skip
    assert found[0]["axis"] == ""
    assert found[0]["validation"]["macro F1"] == max(scores.values()) == scores[""]
    assert {each["parameters"]["ridge"] for each in found if each["axis"] == "label_weight"} == {1.0}
    assert {each["parameters"]["ridge"] for each in found if each["axis"] == "ridge"} == {0.01, 100.0}
    assert {each["dimensions"] for each in found if each["axis"] == ""} == {1, 2, 3}
    assert {each["head"].get("ridge") for each in found if each["axis"] == ""} == {0.1, 10.0}


def test_curves_take_what_validation_chose_and_not_what_the_test_likes() -> None:
    tables = importlib.import_module("graph_embeddings_tables")

    def one(weight: float, k: int, validation: float, test: float, axis: str = "label_weight") -> dict[str, Any]:
        scores = {"validation": {"macro F1": validation}, "test": {"macro F1": test}}
        return {"axis": axis, "asked": [k], "parameters": {"label_weight": weight}, **scores}

    trials = [one(0.1, 10, 0.5, 0.9), one(0.1, 20, 0.6, 0.4), one(0.9, 20, 0.8, 0.7), one(0.9, 10, 1.0, 0.1, "ridge")]
    assert [(w, each["test"]["macro F1"]) for w, each in tables.at_weights(trials)] == [(0.1, 0.4), (0.9, 0.7)]
    assert [(k, each["test"]["macro F1"]) for k, each in tables.at_dimensions(trials)] == [(10, 0.1), (20, 0.7)]
    assert tables.gains([0.5, 0.5], [0.6, 0.48]) == f"+4.0 ± {np.std([10, -2], ddof=1):.1f} (1 of 2)"


def test_terms_turned_by_the_training_records_are_the_same_to_a_linear_classifier() -> None:
    import scipy.sparse as sp

    X, Y, _ = animals(90)
    wide = sp.csr_array(np.hstack([X, X**2, np.sqrt(X), np.eye(90, 40)]))
    parts = [(wide[rows], Y[rows]) for rows in (slice(40), slice(40, 60), slice(60, None))]
    turned = importlib.import_module("graph_embeddings")._rotated(parts)
    for (plain, _), (other, _) in zip(parts, turned, strict=True):
        assert np.allclose(other @ turned[0][0].T, (plain @ wide[:40].T).toarray(), atol=1e-4)
        assert np.allclose((other**2).sum(axis=1), plain.multiply(plain).sum(axis=1), atol=1e-4)
    assert turned[0][0].shape[1] <= 41 < wide.shape[1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--small", "--write"], "--write needs the whole study"),
        (["retuers"], "part is unknown: got 'retuers', expected one of reuters, arxiv"),
    ],
)
def test_the_study_of_graph_embeddings_refuses_what_makes_no_sense(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        importlib.import_module("graph_embeddings").main(arguments)
    assert message in capsys.readouterr().err


@pytest.mark.realdata
@pytest.mark.filterwarnings("ignore::tacit.errors.TacitWarning")
def test_the_study_of_graph_embeddings_runs_and_its_page_can_be_made_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    import os

    if not os.environ.get("TACIT_DATA"):
        pytest.skip("TACIT_DATA is not set: there are no data sets to study")
    main, numbers = importlib.import_module("graph_embeddings").main, tmp_path / "numbers.json"
    main(["--small", "--save", str(numbers)])
    text = capsys.readouterr().out
    for method in importlib.import_module("graph_embeddings_trial").methods():
        assert text.count(f"\n| {method.name} ") >= 2, method.name
    main(["--from", str(numbers)])
    assert capsys.readouterr().out == text


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
