"""The panel of an index: stored and opened, blocks, subjects without records, texts without words, reasons."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from planted_subjects import planted, planted_records

import tacit
from tacit.index.witnesses import panel as panels
from tacit.index.witnesses.panel import Panel, feature_groups
from tacit.relations.taxonomy.taxonomy import Taxonomy
from tacit.tasks.build import learning
from tacit.tasks.build.settings import BuildSettings
from tacit.text import TextSettings

NEW = planted(15, seed=2).texts
PARENTS = {"sea": None, "home": None, "law": None, "shipping law": "law", "gardens": "home", "volcanoes": None}


def built(folder, **changed):
    settings = BuildSettings(**{"n_components": 4, "text": TextSettings(min_records=1, stem=True), **changed})
    return tacit.build(planted_records(), folder / "i.tacit", settings, taxonomy=Taxonomy.from_parents(PARENTS))


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """The panel as it was trained, and the index."""
    trained, save = [], Panel.save
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Panel, "save", lambda self, writer: (trained.append(self), save(self, writer)))
        path = built(tmp_path_factory.mktemp("panel"))
    return trained[0], path


@pytest.fixture(scope="module")
def index(written):
    with tacit.open(written[1]) as collection:
        yield collection


def asked(index, texts):
    rows = index.space.words.transform(texts)
    return panels.AskedTexts(rows, index.space.place(texts), len(index.panel.subjects), list(texts))


def said(index, texts, **options):
    found = index.suggest(list(texts), limit=None, **options)
    return [[(one.label, one.probability, one.chosen) for one in ones] for ones in found]


def test_what_is_opened_ranks_as_what_was_trained(written, index):
    trained, _ = written
    assert index.panel.subjects == trained.subjects
    assert index.panel.feature_names == trained.feature_names
    once, again = trained.rank(asked(index, NEW)), index.panel.rank(asked(index, NEW))
    np.testing.assert_array_equal(again.text, once.text)
    np.testing.assert_array_equal(again.subject, once.subject)
    np.testing.assert_array_equal(again.probability, once.probability)
    np.testing.assert_array_equal(again.chosen, once.chosen)


def test_numbers_are_named_and_grouped_by_witness(index):
    groups = feature_groups(index.panel)
    assert list(groups) == ["words", "neighbours", "names", "position", "relatives"]
    numbers = [number for group in groups.values() for number in group]
    assert numbers == list(range(len(index.panel.feature_names)))
    assert index.panel.pairs(asked(index, NEW)).numbers.shape[1] == len(numbers)


def test_an_index_of_fewer_numbers_is_opened_with_those_that_its_ranker_knows(tmp_path, monkeypatch):
    columns = np.arange(12, 30)
    monkeypatch.setattr(learning, "Panel", partial(Panel, columns=columns))
    with tacit.open(built(tmp_path)) as before:
        np.testing.assert_array_equal(before.panel.columns, columns)
        assert before.panel.pairs(asked(before, NEW)).numbers.shape[1] == len(columns)
        assert all(ones for ones in said(before, NEW))


def test_planted_subjects_are_found(index):
    first = [ones[0].label for ones in index.suggest(["whale reef tide wave", "judge verdict court appeal"])]
    assert first == ["sea", "law"]


def test_probabilities_fall_and_the_chosen_reach_their_thresholds(index):
    panel = index.panel
    for text, ones in zip(NEW, said(index, NEW), strict=True):
        assert [p for _, p, _ in ones] == sorted((p for _, p, _ in ones), reverse=True)
        ranked = panel.rank(asked(index, [text]))
        for place, (label, probability, chosen) in enumerate(ones):
            threshold = panel.threshold_of(panel.subjects.index(label), ranked)
            assert chosen == (probability >= threshold or (place == 0 and probability >= panel.least))


def test_one_text_or_many_at_a_time(index, monkeypatch):
    together = said(index, NEW)
    monkeypatch.setattr(panels, "_CELLS", 1)
    assert index.panel.block == 1
    one_by_one = said(index, NEW)
    assert [[label for label, *_ in ones] for ones in one_by_one] == [
        [label for label, *_ in ones] for ones in together
    ]
    for ones, others in zip(one_by_one, together, strict=True):
        assert [p for _, p, _ in ones] == pytest.approx([p for _, p, _ in others], abs=1e-9)
    assert said(index, [NEW[3]])[0] == one_by_one[3]


def test_the_same_seed_gives_the_same_suggestions(index, tmp_path):
    with tacit.open(built(tmp_path)) as again:
        assert said(again, NEW) == said(index, NEW)


def test_a_subject_without_records_is_suggested_by_its_name(index):
    assert "volcanoes" in index.panel.subjects
    (found,) = index.suggest(["judge a volcano"], limit=None, reasons=True)
    volcano = next(one for one in found if one.label == "volcanoes")
    assert volcano.evidence.n_records == 0
    assert volcano.evidence.sentences() == ("its name “volcano” stands in the text", "no record has it yet")


def test_a_text_without_known_words_has_no_subjects_or_only_named_ones(index):
    nothing, named = said(index, ["xyzzy", "volcano xyzzy"])
    assert nothing == []
    assert [label for label, *_ in named] == ["volcanoes"]


def test_a_label_is_explained_with_the_probability_of_its_suggestion(index):
    for label, probability, chosen in said(index, NEW[:1])[0]:
        why = index.explain(text=NEW[0], label=label)
        assert why.probability == pytest.approx(probability, abs=1e-9)
        assert why.chosen == chosen
        assert why.by_witnesses


def test_reasons_use_the_words_of_the_text(index):
    (found,) = index.suggest(["Whales in the harbours"], limit=1, reasons=True)
    evidence = found[0].evidence
    assert {word for word, _ in evidence.words} <= {"whales", "harbours"}  # and not their stems
    assert evidence.n_near > 0
    assert evidence.to_facts()["sentences"] == list(evidence.sentences())
    assert index.suggest(["Whales"], limit=1)[0][0].evidence is None


def test_other_suggesters_have_no_panel(tmp_path):
    with tacit.open(built(tmp_path, suggester="logistic")) as plain:
        assert plain.panel is None
        assert plain.suggest("whale reef", reasons=True)[0].evidence is None
