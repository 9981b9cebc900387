"""Experiments of the papers at their smallest size: they run, and point where they should."""

from __future__ import annotations

from pathlib import Path

import pytest

from tacit.reproduce import reproduce

pytestmark = pytest.mark.realdata


def test_informed_dimensions_classify_better_than_plain_ones(tmp_path: Path) -> None:
    (found,) = reproduce("mlsi-fig1", tmp_path, size="quick")
    rows = found.results.where(setting="I", dimensions=50)
    plain, informed = (rows.where(features=name) for name in ("LSI", "MLSI"))
    for measure in ("macro F1", "micro F1", "AUC"):
        assert (informed.mean(measure) or 0) > (plain.mean(measure) or 1) + 0.03
    assert all(file.stat().st_size for file in found.files)


def test_the_hierarchy_separates_classes_in_two_dimensions(tmp_path: Path) -> None:
    (found,) = reproduce("hlsi-fig2", tmp_path, size="quick")
    same = {name: found.results.where(features=name).mean("nearest of the same group") or 0 for name in ("LSI", "HLSI")}
    assert same["HLSI"] > same["LSI"] + 0.03


def test_relations_find_better_films_than_ratings_alone(tmp_path: Path) -> None:
    (found,) = reproduce("mlsa-fig2", tmp_path, size="quick")
    rows = found.results.where(rule="eq. 7")
    gains = {name: rows.where(method=name).mean("rank gain") or 0 for name in ("LSA(user-item)", "user-item", "M-LSA")}
    assert gains["M-LSA"] > max(gains["LSA(user-item)"], gains["user-item"]) + 1
    assert "| M-LSA | eq. 7 | rank gain | 34.46 |" in found.files[1].read_text(encoding="utf-8")


def test_labels_as_a_relation_make_dimensions_that_classify(tmp_path: Path) -> None:
    (found,) = reproduce("mlsa-fig6", tmp_path, size="quick")
    for machines in found.results.values("machines"):
        rows = found.results.where(machines=machines, dimensions=10)
        micro = {name: rows.where(features=name).mean("micro F1") or 0 for name in ("LSA", "M-LSA")}
        assert micro["M-LSA"] > micro["LSA"] + 0.1


def test_labels_in_the_graph_make_dimensions_that_classify(tmp_path: Path) -> None:
    found = {one.experiment.name: one for one in reproduce(["graph-table4", "graph-fig1"], tmp_path, size="quick")}
    rows = found["graph-fig1"].results.where(collection="Reuters", dimensions=20)
    plain, informed = (rows.where(method=name).mean("macro F1") or 0 for name in ("LE", "SLE"))
    assert informed > plain + 0.03
    assert found["graph-table4"].results.values("method") == ["Raw", "Relations", "LE", "SLE"]
    assert [path.name for path in tmp_path.glob("*.jsonl")] == ["graph-features.jsonl"]  # measured once for both


def test_all_models_are_compared_on_the_same_labels(tmp_path: Path) -> None:
    (found,) = reproduce("choice-ranks", tmp_path, size="quick")
    ranks = {name: found.results.where(model=name).mean("mean rank") for name in found.results.values("model")}
    assert ranks.pop("MLSI, taxonomy") is None
    assert sum(rank or 0 for rank in ranks.values()) == sum(range(1, len(ranks) + 1))
    best = {name: found.results.where(model=name).mean("nDCG@5") or 0 for name in ("words", "HLSI")}
    assert best["HLSI"] > best["words"] + 0.03
