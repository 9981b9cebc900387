"""The study of drift: streams are what they say, and a trial measures what it says."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from planted import plant

from tacit import LSI, MLSI


def planted_stream(*, turned: bool) -> Any:
    study = importlib.import_module("drift")
    made = plant(600, 0, n_topics=8)
    Y = made.Y.toarray()
    order = np.argsort(Y[:, 4:].sum(axis=1) > 0, kind="stable") if turned else np.arange(600)
    labels = [tuple(f"topic {j}" for j in np.flatnonzero(row)) for row in Y[order]]
    return study._by_appearance(sp.csr_array(made.X[order]), labels, [0, 100, 200, 300, 400, 600])


def test_a_word_has_its_column_where_it_first_appears() -> None:
    X, _, edges, widths = planted_stream(turned=True)
    assert widths[-1] == X.shape[1]
    for stop, width in zip(edges[1:], widths, strict=True):
        assert X[:stop, width:].nnz == 0
        assert (X[:stop, :width].sum(axis=0) > 0).all()


@pytest.mark.filterwarnings("ignore::tacit.TacitWarning")
@pytest.mark.parametrize("model", [LSI(8), MLSI(8)], ids=repr)
def test_a_turned_stream_drifts_and_updates_follow_it(model: Any) -> None:
    study = importlib.import_module("drift")
    steady = list(study.follow(planted_stream(turned=False), model, "shuffled"))
    turned = list(study.follow(planted_stream(turned=True), model, "turned"))
    assert [trial.batch for trial in steady] == [2, 4]
    assert turned[-1].running > steady[-1].running
    for trial in (*steady, *turned):
        assert 0.9 < trial.explained["updated"] / trial.explained["refitted"] < 1.1
        assert trial.found["updated"] > trial.found["refitted"] - 0.05
        assert set(trial.found) == {"folded in", "updated", "refitted"}
    text = study.page([*steady, *turned], [["LSI", "5", "1.00", "2.00", "2.0"]])
    assert text.count("| turned ") == text.count("| shuffled ") == 2


def test_an_update_and_a_fit_are_timed_at_a_size() -> None:
    rows = importlib.import_module("drift").growth((600,))
    assert [row[:2] for row in rows] == [["LSI", "600"], ["MLSI", "600"]]
    assert all(float(fit) > 0 and float(update) > 0 for _, _, update, fit, _ in rows)


def test_writing_needs_the_whole_study(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        importlib.import_module("drift").main(["--quick", "--write"])
    assert "--write needs the whole study" in capsys.readouterr().err


@pytest.mark.realdata
def test_the_orders_of_the_stories(data_dir: Path) -> None:
    study = importlib.import_module("drift")
    turned = study.stream("turned", n_records=400, n_batches=4, data_dir=data_dir)
    dated = study.stream("by date", n_records=400, n_batches=4, data_dir=data_dir)
    common = [set(each) <= {"earn", "acq"} for each in turned.labels]
    assert common == sorted(common, reverse=True)
    assert 0 < sum(common) < 400
    assert sorted(dated.labels) == sorted(turned.labels)
    assert study._moment("26-FEB-1987 15:01:01.79") < study._moment(" 3-MAR-1987 09:00:00.00")
