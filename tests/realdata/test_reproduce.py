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
