"""A warm refit keeps the weights that a trial found, and gives the space of a cold one within the tolerance."""

from __future__ import annotations

import shutil
from typing import Any

import numpy as np
import pytest
from scipy.linalg import subspace_angles
from small_index import small_records, small_settings

import tacit
from tacit import LSI
from tacit.corpus.record import Record
from tacit.models.base import start_from
from tacit.tasks.build.build import refit

MORE = [
    Record(f"new {number}", f"whale reef zeppelin lamp {'cat' * (number % 2)}", labels=("pets",)) for number in range(6)
]


def refitted(path: Any, *, warm: bool, **settings: Any) -> tuple[list[str], dict[str, Any]]:
    """Add records, fit again, and return the sentences of the stages and some of the index."""
    said: list[str] = []
    with tacit.open(path) as index:
        index.add(MORE)
        given = tacit.BuildSettings.from_facts(index.settings["build"] | settings)
    refit(path, given, warm=warm, report=lambda event: said.append(event.message))
    with tacit.open(path) as index:
        return said, {"weights": index.weights, "places": np.asarray(index.generation.array("positions"))}


def test_the_weights_stay_and_the_space_is_that_of_a_cold_refit(tmp_path):
    settings = small_settings(n_components=8, parameters={"tol": 1e-6}, suggester="none", map=False)
    tacit.build(small_records(80, links=True), tmp_path / "cold", settings)
    shutil.copytree(tmp_path / "cold", tmp_path / "warm")
    cold_said, cold = refitted(tmp_path / "cold", warm=False)
    warm_said, warm = refitted(tmp_path / "warm", warm=True)
    assert warm["weights"] == cold["weights"]
    assert any(sentence.startswith("weights of the last fit: ") for sentence in warm_said)
    assert not any(sentence.startswith("weights of the last fit") for sentence in cold_said)
    assert subspace_angles(warm["places"], cold["places"]).max() < 1e-3


def test_weights_that_are_given_replace_those_of_the_last_fit(tmp_path):
    settings = small_settings(n_components=8, suggester="none", map=False)
    path = tacit.build(small_records(80, links=True), tmp_path / "i", settings)
    said, found = refitted(path, warm=True, weights={"words": 0.4, "author": 0.3})
    assert found["weights"] == pytest.approx({"words": 0.4, "labels": 1.0, "author": 0.3})
    assert not any(sentence.startswith("weights of the last fit") for sentence in said)


def test_a_space_of_words_starts_from_the_positions_of_its_records(tmp_path):
    rng = np.random.default_rng(0)
    X = (rng.random((900, 400)) < 0.05).astype(np.float32) + rng.random((900, 12)).astype(np.float32) @ rng.random(
        (12, 400)
    ).astype(np.float32)
    cold = LSI(10, solver="krylov", tol=1e-5)
    places = cold.fit_transform(X)
    warm = LSI(10, solver="krylov", tol=1e-5)
    start_from(warm, places)
    warm.fit(X)
    assert warm.solution_.iterations < cold.solution_.iterations
    np.testing.assert_allclose(warm.singular_values_, cold.singular_values_, rtol=1e-5)
    again = warm.solution_.iterations
    assert warm.fit(X).solution_.iterations > again  # the start is used once


def test_an_index_of_words_alone_is_refitted_from_its_positions(tmp_path):
    settings = small_settings(model="lsi", n_components=6, suggester="none", map=False)
    tacit.build(small_records(80), tmp_path / "cold", settings)
    shutil.copytree(tmp_path / "cold", tmp_path / "warm")
    spaces = [refitted(tmp_path / name, warm=name == "warm")[1]["places"] for name in ("cold", "warm")]
    assert subspace_angles(*spaces).max() < 1e-2
