"""The studies on Reuters and on arXiv: how they choose, and that informed spaces win."""

from __future__ import annotations

import importlib
import json
from typing import Any

import numpy as np
import pytest


def test_a_study_chooses_the_best_mean_and_compares_split_by_split() -> None:
    trial, study = importlib.import_module("reuters_trial"), importlib.import_module("reuters_defaults")
    steady, lucky = trial.Setting(ridge=0.1), trial.Setting(ridge=0.3)
    honest = trial.Setting(coordinates="honest")
    found = {
        setting: [trial.Scores(macro, 0.5, 0.5, 0, False) for macro in macros]
        for setting, macros in ((steady, (0.6, 0.62)), (lucky, (0.7, 0.5)), (honest, (0.9, 0.9)))
    }
    assert study.best(found, "macro", "in-sample") == steady
    assert study.best(found, "macro", "honest") == honest
    spread = np.std([-10, 12], ddof=1)
    expected = f"+1.0 ± {spread:.1f} points, above 0 in 1 of 2 splits"
    assert study._gain(found, steady, lucky, "macro") == expected


def _row(*scores: float) -> Any:
    return importlib.import_module("arxiv_tall").Row(scores, 1.0)


def test_settings_around_a_base_differ_from_it_in_one_field() -> None:
    study = importlib.import_module("arxiv_tall")
    settings = study.around(study.Setting(), "ridge", "shrinkage")
    changes = [sum(a != b for a, b in zip(settings[0], each, strict=True)) for each in settings]
    assert settings[0] == study.Setting()
    assert changes == [0] + [1] * (len(settings) - 1)
    assert {each.ridge for each in settings} == {0.3, 1.0, 3.0}


def test_best_values_are_combined_and_the_default_wins_ties() -> None:
    study = importlib.import_module("arxiv_tall")
    base = study.Setting()
    found = {
        base: _row(0.5, 0.5),
        base._replace(ridge=3.0): _row(0.6, 0.5),
        base._replace(ridge=0.3): _row(0.9, 0.1),
        base._replace(shrinkage=0.0): _row(0.5, 0.5),
        base._replace(method="ridge", penalty=0.03): _row(0.6, 0.6),
        base._replace(ridge=0.3, shrinkage=0.1): _row(0.9, 0.9),  # differs in two: says nothing about either
        base._replace(method="", ranking=""): _row(1.0),
    }
    assert study.combined(found, base) == base._replace(ridge=3.0, method="ridge", penalty=0.03)
    assert study.best(found, base) == base._replace(ridge=0.3, shrinkage=0.1)


def test_the_rival_is_chosen_on_held_out_papers_and_not_by_the_test() -> None:
    study = importlib.import_module("arxiv_tall")
    ours, flat, steep = study.Setting(), *study._SVMS[1:4:2]
    chosen_on = {flat: _row(0.6, 0.5, 0.5, 0.5, 0.5), steep: _row(0.5, 0.6, 0.5, 0.5, 0.5)}
    tested_on = {
        ours: _row(0.75, 0.75, 0.75, 0.75, 0.75),
        flat: _row(0.70, 0.70, 0.70, 0.70, 0.70),
        steep: _row(0.80, 0.80, 0.60, 0.60, 0.60),
    }
    rows = study.margins(chosen_on, tested_on, ours)
    assert [row[4:] for row in rows[:3]] == [["+0.0500", "-0.0500"], ["-0.0500", "-0.0500"], ["+0.0500", "+0.0500"]]
    assert ("C=0.1" in rows[0][2], "C=0.3" in rows[1][2]) == (True, True)


def test_held_out_papers_add_no_word_and_no_category() -> None:
    from tacit.corpus import Record

    study = importlib.import_module("arxiv_tall")
    old = [Record(f"old {i}", "graph common tree", ("a", "b")[: 1 + i % 2]) for i in range(20)]
    new = [Record(f"new {i}", "unseen graph", ("a", "c")) for i in range(20)]
    splits = study._splits(old, new)
    assert splits["words"].Y.names == splits["pairs"].Y_new.names == ("a", "b")
    assert splits["words"].X.shape == splits["words"].X_new.shape == (20, 3)
    assert splits["words"].X_new.nnz == 20


def test_a_page_can_be_made_again_from_its_numbers() -> None:
    study = importlib.import_module("arxiv_tall")
    labelling = {setting: _row(0.5, 0.6, 0.7, 0.8, 0.9) for setting in (study._SVM, study._LABELLING)}
    search = {
        base._replace(terms=terms): _row(value)
        for base, value in ((study._TFIDF, 0.2), (study._SEARCH, 0.3))
        for terms in ("words", "pairs")
    }
    rows = list((labelling | search).items())
    numbers = {"facts": "Then.", "data": ["Few.", "Many."], "chosen on": rows, "tested on": rows}
    text = study.page(json.loads(json.dumps(numbers)))
    assert text == study.page(numbers)
    assert "| pairs | MLSI, defaults       | 0.3000  | 1.500           | 1.500           |" in text
    assert text.endswith("Then.")


@pytest.mark.realdata
def test_the_study_on_reuters_runs_and_mlsi_beats_lsi_and_words() -> None:
    """On one split: tests/realdata has more, and margins."""
    import os

    if not os.environ.get("TACIT_DATA"):
        pytest.skip("TACIT_DATA is not set: there are no data sets to study")
    trial = importlib.import_module("reuters_trial")
    settings = {
        "words": trial.Setting("words", rows="as they are"),
        "LSI": trial.Setting("LSI", scaling="unit"),
        "MLSI": trial.Setting(ridge=0.1, scaling="unit"),
    }
    found = trial.measure(settings.values(), range(200, 201), None)
    macro = {name: np.mean([score.macro for score in found[setting]]) for name, setting in settings.items()}
    micro = {name: np.mean([score.micro for score in found[setting]]) for name, setting in settings.items()}
    assert macro["MLSI"] > macro["LSI"] + 0.05
    assert macro["MLSI"] > macro["words"] + 0.02
    assert micro["MLSI"] > micro["words"]
