"""Views of a build: groups of labels with weights of their own, and records without labels that are only placed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from small_index import small_records, small_settings

import tacit
from tacit import InputError, LabelMatrix, Taxonomy
from tacit.cli.inspect import _weights
from tacit.tasks.build.fitted_space import RecordKnowledge
from tacit.tasks.build.fitting import fit_space
from tacit.tasks.build.views import label_groups, without_groups
from tacit.tasks.stage_progress import StageReporter
from tacit.text import TextSettings
from tacit.text.words import Words


def with_facets(n: int = 60):
    """Records with a subject, and a form that has nothing to do with their words."""
    return [
        replace(record, labels=(*(f"subject::{name}" for name in record.labels), f"form::{number % 3}"))
        for number, record in enumerate(small_records(n))
    ]


def test_the_names_of_groups_are_facets_top_concepts_and_frequencies():
    sets = [{"role::a", "use::x"}, {"role::b"}, {"use::x", "plain"}, None, *[{"use::x"}] * 6]
    labels = LabelMatrix.from_sets(sets)
    groups = label_groups(labels, None, None)
    named = {name: [labels.names[column] for column in columns] for name, columns in groups.items()}
    assert named["role"] == ["role::a", "role::b"]
    assert named["use"] == ["use::x"]
    assert named["rare"] == ["plain", "role::a", "role::b"]
    assert "use::x" in named["frequent"]
    taxonomy = Taxonomy.from_parents({"plain": "top", "top": None}, titles={"top": "Everything"})
    assert label_groups(labels, taxonomy, None)["Everything"].tolist() == [labels.names.index("plain")]
    left, views = without_groups(labels, groups, {"role": 1.0, "rare": 0.5})
    assert left.names == ("use::x",)
    assert [view.data.names for view in views.values()] == [("role::a", "role::b"), ("plain",)]
    assert left.known.tolist() == [True, False, True, False, *[True] * 6]


def test_a_group_of_weight_0_does_not_shape_the_space_but_is_suggested(tmp_path):
    with_forms, text = with_facets(), {"weights": {"words": 0.1}}
    without = [replace(r, labels=tuple(name for name in r.labels if not name.startswith("form"))) for r in with_forms]
    shaped = tacit.build(without, tmp_path / "a", small_settings(**text))
    text["weights"] = {"words": 0.1, "form": 0}
    both = tacit.build(with_forms, tmp_path / "b", small_settings(**text))
    with tacit.open(shaped) as one, tacit.open(both) as two:
        A, B = (index.positions.of(np.arange(60)) for index in (one, two))
        np.testing.assert_array_equal(A, B)
        assert {"form::0", "form::1", "form::2"} <= set(two.label_names)
        assert two.info().weights["form"] == 0
        assert any(one.label.startswith("form") for one in two.suggest("whale ship", limit=None))
        two.add([replace(with_forms[1], id="again")])


def test_a_group_may_count_less_than_the_others(tmp_path):
    records, spread = with_facets(), {}
    for weight in (0.05, 1.0):
        settings = small_settings(weights={"words": 0.1, "form": weight})
        path = tacit.build(records, tmp_path / str(weight), settings)
        with tacit.open(path) as index:
            places = index.positions.of(np.arange(len(records)))
            index.add([replace(records[1], id="again")])
            assert index.known_views is not None
            assert "form" in index.known_views.views
            again = index.positions.of(np.array([len(records)]))[0]
            assert again @ places[1] / np.linalg.norm(again) / np.linalg.norm(places[1]) > 0.999
        forms = [next(name for name in record.labels if name.startswith("form")) for record in records]
        places = places / np.linalg.norm(places, axis=1, keepdims=True)
        same = np.array([[a == b for a in forms] for b in forms])
        cosines = places @ places.T
        spread[weight] = cosines[same].mean() - cosines[~same].mean()
    assert spread[0.05] < spread[1.0]


def test_an_unknown_name_lists_the_groups(tmp_path):
    message = r"got 'from', expected some of labels, words, or a group of labels \(form, frequent, subject\)"
    with pytest.raises(InputError, match=message):
        tacit.build(with_facets(), tmp_path / "i", small_settings(weights={"from": 0}))


def test_the_labels_may_be_called_as_their_column(tmp_path):
    reading = {"columns": {"labels": ["tags"]}}
    path = tacit.build(with_facets(), tmp_path / "i", small_settings(weights={"tags": 0.5}, reading=reading))
    with tacit.open(path) as index:
        assert index.info().weights["labels"] == 0.5


def half_labelled(links: bool):
    """Words and knowledge of records, every other one without labels; the last of them has a word of its own."""
    records = [
        replace(record, labels=() if n % 2 < n % 4 else record.labels)
        for n, record in enumerate(small_records(80, links=links))
    ]
    last = max(n for n, record in enumerate(records) if not record.labels)
    texts = [record.text + (" unheard" if n == last else "") for n, record in enumerate(records)]
    words, X = Words.fit(texts, TextSettings(min_records=1))
    return records, RecordKnowledge.of_records(records, None), words, X, last


@pytest.mark.parametrize("links", [False, True])
def test_records_without_labels_of_weight_0_are_placed_and_shape_nothing(links):
    records, known, words, X, last = half_labelled(links)
    weights = {"words": 0.1, "unlabelled": 0} | ({"author": 0.3} if links else {})
    settings = small_settings(weights=weights, suggester="none")
    fitted, honest, labels = fit_space(X, known, settings, StageReporter(None), words)
    rows, others = np.flatnonzero(labels.known), np.flatnonzero(~labels.known)
    alone, alone_honest, _ = fit_space(X[rows], known.part(rows), settings, StageReporter(None), words)
    np.testing.assert_array_equal(fitted.positions[rows], alone.positions)
    np.testing.assert_array_equal(honest[rows], alone_honest)
    by_words = X[others] @ fitted.terms
    if links:  # the authors count too
        things = [{"author": records[n].links["author"]} for n in others]
        parts = [(X[[n]].indices, X[[n]].data) for n in others]
        expected = alone.known_views.place(parts, (X @ alone.terms)[others], things)
        assert np.abs(expected - by_words).max() > 0.01
        by_words = expected
    some = others != last  # the last has a word that no labelled record has
    np.testing.assert_allclose(fitted.positions[others][some], by_words[some], atol=1e-5)
    assert fitted.emphasis.fits_unlabelled is False
    unheard = words.terms.index("unheard")
    assert not alone.terms[unheard].any()
    assert fitted.terms[unheard].any() == links  # what words alone place tells nothing about further words


def test_the_weight_of_records_without_labels_is_kept_and_said(tmp_path):
    settings = small_settings(weights={"words": 0.1, "unlabelled": 0})
    path = tacit.build(small_records(60), tmp_path / "a", settings)
    with tacit.open(path) as index:
        assert index.generation.facts("emphasis")["fits_unlabelled"] is False
        assert index.info().weights["unlabelled"] == 0
        assert len(index.search("whale ship")) == 10
    tacit.refit(path)
    with tacit.open(path) as index:
        assert index.info().weights["unlabelled"] == 0
        assert _weights(index.info().weights) == "labels 1, words 0.1; records without labels are only placed"
