"""Vectorising: what a word is, how much it weighs."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone

from tacit.text import vectoriser

TEXTS = [
    "The cat sat: cat, cat, cat!",
    "A cat and a dog ran_fast2 home",
    "Dog DOG ran to the Käse x9",
    "Käse, don't run",
]


def test_words_are_runs_of_letters_that_two_records_share():
    words = vectoriser().fit(TEXTS)
    assert words.get_feature_names_out().tolist() == ["cat", "dog", "käse", "ran"]


def test_weights_are_tf_idf_of_logarithmic_counts_with_unit_rows():
    X = vectoriser(min_df=1).fit_transform(TEXTS)
    words = vectoriser(min_df=1).fit(TEXTS).vocabulary_
    assert X.dtype == np.float32
    assert np.allclose(np.linalg.norm(X.toarray(), axis=1), 1)
    # "cat" four times in the first text and in two of four texts, "sat" once and in one
    idf = {n: np.log(5 / (1 + n)) + 1 for n in (1, 2)}
    expected = (1 + np.log(4)) * idf[2] / idf[1]
    assert X[0, words["cat"]] / X[0, words["sat"]] == pytest.approx(expected, rel=1e-5)


def test_settings_reach_scikit_learn_and_survive_a_clone():
    words = clone(vectoriser(min_df=1, max_df=0.5, max_features=3, ngram_range=(1, 2), stop_words=None))
    assert len(words.fit(TEXTS).vocabulary_) == 3
    assert vectoriser(min_df=1, stop_words=None).fit(TEXTS).vocabulary_.keys() >= {"the", "and"}
    assert "dog ran" in vectoriser(min_df=2, ngram_range=(1, 2)).fit(TEXTS).vocabulary_
    assert "cat" not in vectoriser(min_df=1, max_df=1).fit(TEXTS).vocabulary_


@pytest.mark.filterwarnings("error")
def test_defaults_fit_without_a_warning():
    vectoriser().fit(TEXTS)
