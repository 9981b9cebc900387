"""What people do beyond scikit-learn's checks: data frames as output, and label sets in a search for parameters."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from estimators import ESTIMATORS, CanonicalCorrelation
from sklearn import config_context
from sklearn.base import clone
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.pipeline import Pipeline, make_pipeline

import tacit

TEXTS = [
    "whales sing at sea",
    "ships sail the sea",
    "whales dive at sea",
    "ships in harbours",
    "a whale and a ship",
] * 8
SETS = [{"animals"}, {"vessels"}, {"animals"}, {"vessels"}, {"animals", "vessels"}] * 8
TRANSFORMERS = [one for one in ESTIMATORS if hasattr(one, "transform") and getattr(one, "kernel", "") != "precomputed"]


def _pipeline(**options: Any) -> Pipeline:
    return make_pipeline(TfidfVectorizer(), tacit.MLSI(2), tacit.LabelHead(random_state=0, **options))


@pytest.mark.filterwarnings("ignore::tacit.TacitWarning")
@pytest.mark.parametrize("estimator", TRANSFORMERS, ids=repr)
def test_a_data_frame_can_be_asked_for_after_a_vectoriser(estimator: Any) -> None:
    y: Any = [min(names) for names in SETS] if isinstance(estimator, tacit.LDA) else tacit.LabelMatrix.from_sets(SETS)
    if isinstance(estimator, CanonicalCorrelation):
        estimator = tacit.CCA(**estimator.get_params())
    pipeline = make_pipeline(TfidfVectorizer(), clone(estimator))
    with config_context(transform_output="pandas"):  # for a whole notebook
        frames = [pipeline.fit_transform(TEXTS, y), pipeline.transform(TEXTS[:3])]
    wanted = pipeline.transform(TEXTS[:3])
    assert isinstance(wanted, np.ndarray)
    pipeline[1:].set_output(transform="pandas")  # scikit-learn's vectorisers have none
    frames.append(pipeline.transform(TEXTS[:3]))
    for frame in frames:
        assert isinstance(frame, pd.DataFrame)
        assert list(frame.columns) == list(pipeline[-1].get_feature_names_out())
    for frame in frames[1:]:
        np.testing.assert_array_equal(frame, wanted)


@pytest.mark.parametrize("labels", [SETS, tacit.LabelMatrix.from_sets(SETS)], ids=["sets", "label matrix"])
def test_cross_validation_with_label_sets(labels: Any) -> None:
    scores = cross_val_score(_pipeline(), TEXTS, labels, cv=4, error_score="raise")
    assert scores.tolist() == [1.0] * 4
    search = GridSearchCV(_pipeline(), {"mlsi__n_components": [1, 2]}, cv=4, error_score="raise").fit(TEXTS, labels)
    assert search.best_score_ == 1.0


def test_measures_of_scikit_learn_with_a_label_matrix() -> None:
    labels = tacit.LabelMatrix.from_sets(SETS)
    for measure in ("f1_macro", "f1_micro", "accuracy"):
        scores = cross_val_score(_pipeline(), TEXTS, labels, cv=4, scoring=measure, error_score="raise")
        assert scores.tolist() == pytest.approx([1.0] * 4), measure
    assert cross_val_predict(_pipeline(), TEXTS, labels, cv=4).shape == (40, 2)


def test_the_score_of_label_sets_goes_by_names() -> None:
    model = _pipeline().fit(TEXTS, SETS)
    assert model.score(TEXTS[:2], [{"animals"}, {"vessels"}]) == 1.0
    assert model.score(TEXTS[:2], [["animals"], ["vessels", "a new label"]]) == 0.5
    assert model.score(TEXTS[:2], [{"vessels"}, None]) == 0.0  # what is unknown does not count
    assert model.score(TEXTS[:2], np.array([[1, 0], [1, 1]])) == 0.5
    weighted = model[-1].score(model[:-1].transform(TEXTS[:2]), [{"animals"}, {"animals"}], sample_weight=[3, 1])
    assert weighted == 0.75


def test_warnings_name_the_labels() -> None:
    labels = tacit.LabelMatrix.from_sets(SETS, names=["animals", "harbours", "vessels"])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        for _ in range(3):
            _pipeline().fit(TEXTS, labels)
    said = [str(one.message) for one in caught]
    assert said == [
        "1 label has no record ('harbours'): it is left at the origin.",
        "y has labels that cannot be learned: no training record has 'harbours', which will never be predicted.",
    ]
