"""Views of an index: what is saved is what is opened, and it places records by the equation written out."""

from __future__ import annotations

import numpy as np
import pytest
from small_index import small_records, small_settings, small_taxonomy

import tacit
from tacit.index.known_views import KnownViews, ViewPull
from tacit.tasks.build.fitted_space import RecordKnowledge
from tacit.tasks.build.fitting import fit_model
from tacit.tasks.stage_progress import StageReporter
from tacit.text import TextSettings, Words

WEIGHTS = {"author": 0.3, "taxonomy": 0.2}


def made() -> KnownViews:
    """Two views over five words and three dimensions."""
    rng = np.random.default_rng(2)
    views = {}
    for name, things in (("labels", ["sea", "home"]), ("author", ["Ann", "Bo", "Cy"])):
        loadings = rng.normal(size=(len(things), 3)).astype(np.float32)
        views[name] = ViewPull(things, 2 * loadings, loadings.T @ loadings, 0.7, 3.0)
    terms, fold_map = rng.normal(size=(5, 3)).astype(np.float32), rng.normal(size=(3, 3)).astype(np.float32)
    return KnownViews(terms, fold_map, np.array([1, 2, 4], np.float32), views)


WORDS_OF = [(np.array([0, 3]), np.array([0.5, 2.0])), (np.array([], int), np.array([]))]
BY_WORDS = np.array([[1.0, -1.0, 2.0], [0.0, 0.0, 0.0]], np.float32)


def test_known_things_add_their_pulls_and_unknown_views_are_filled():
    known = made()
    labels, author = known.views["labels"], known.views["author"]
    words = 0.5 * known.terms[0] + 2.0 * known.terms[3]
    unit = BY_WORDS[0] / known.scales
    filled = author.square @ unit
    filled *= author.share * author.length / np.sqrt(unit @ author.square @ unit)
    things = [{"labels": ["home", "never seen"]}, {"labels": ["sea"], "author": ["Bo", "Ann"]}]
    found = known.place(WORDS_OF, BY_WORDS, things)
    np.testing.assert_allclose(found[0], (words + labels.pull[1] + filled) @ known.fold_map, rtol=1e-5)
    # without words nothing can be filled, but what is known counts
    pulls = labels.pull[0] + author.pull[0] + author.pull[1]
    np.testing.assert_allclose(found[1], pulls @ known.fold_map, rtol=1e-5)


def test_no_things_is_not_the_same_as_unknown():
    known = made()
    things = [{"author": ["Bo"], "labels": []}, {"author": ["Bo"]}]
    nothing, unknown = known.place(WORDS_OF[:1] * 2, BY_WORDS[[0, 0]], things)
    words = 0.5 * known.terms[0] + 2.0 * known.terms[3]
    np.testing.assert_allclose(nothing, (words + known.views["author"].pull[1]) @ known.fold_map, rtol=1e-5)
    assert np.abs(nothing - unknown).max() > 0.1


@pytest.mark.parametrize("things", [{}, {"labels": None}, {"labels": ["never seen"], "author": ["nobody"]}])
def test_a_record_of_which_nothing_is_known_stays_where_its_words_are(things):
    known = made()
    np.testing.assert_array_equal(known.place(WORDS_OF[:1], BY_WORDS[:1], [things]), BY_WORDS[:1])
    assert known.known("author", ["nobody", "Cy", "Ann"]) == ["Cy", "Ann"]


def test_an_index_opens_the_views_that_its_fit_made(tmp_path):
    records = small_records(links=True)
    settings = small_settings(weights=WEIGHTS)
    path = tacit.build(records, tmp_path / "i", settings, taxonomy=small_taxonomy())
    words, X = Words.fit([record.text for record in records], TextSettings(min_records=1))
    known = RecordKnowledge.of_records(records, small_taxonomy())
    expected = fit_model(X, known, settings, StageReporter(None), words).known_views
    with tacit.open(path) as index:
        found = index.known_views
        assert list(found.views) == list(expected.views) == ["labels", "taxonomy", "author"]
        for part in ("terms", "fold_map", "scales"):
            np.testing.assert_array_equal(getattr(found, part), getattr(expected, part))
        for one, other in zip(found.views.values(), expected.views.values(), strict=True):
            assert (list(one.names), one.length, one.share) == (list(other.names), other.length, other.share)
            np.testing.assert_array_equal(one.pull, other.pull)
            np.testing.assert_array_equal(one.square, other.square)


def test_other_models_have_no_views(tmp_path):
    for model in ("lsi", "hlsi", "mlsa"):
        path = tacit.build(small_records(links=True), tmp_path / model, small_settings(model=model))
        with tacit.open(path) as index:
            assert index.known_views is None
            assert index.weights == {}
