"""A build says how much memory a large fit will take, before it begins."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from tacit.tasks.build.fitted_space import RecordKnowledge
from tacit.tasks.build.fitting import fit_model
from tacit.tasks.build.settings import BuildSettings
from tacit.tasks.stage_progress import StageEvent, StageReporter


def stages_of(model: str) -> list[StageEvent]:
    X = sp.csr_array(np.eye(12, 8, dtype=np.float32) + np.eye(12, 8, k=-4, dtype=np.float32))
    told: list[StageEvent] = []
    known = RecordKnowledge([("a",), ("b",)] * 6, {})
    fit_model(X, known, BuildSettings(model=model, n_components=2, suggester="none"), StageReporter(told.append))
    return [stage for stage in told if stage.state == "end"]


@pytest.mark.parametrize("model", ["lsi", "mlsi", "hlsi"])
def test_a_large_fit_is_told_before_it_begins(model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert [stage.name for stage in stages_of(model)] == ["space"]
    monkeypatch.setattr("tacit.tasks.build.fitting.LARGE", 1)
    first, second = stages_of(model)
    assert (first.name, second.name) == ("memory", "space")
    assert first.message.startswith(f"{model.upper()} with n_components=2 of 12 records and 8 terms needs about ")
    assert first.message.endswith(" are free")
