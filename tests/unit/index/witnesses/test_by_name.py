"""Subjects that no record has are ranked by their names, as far as names were right for subjects with few records."""

from __future__ import annotations

import numpy as np
import pytest

import tacit
from tacit.corpus.record import Record
from tacit.relations.taxonomy.taxonomy import Taxonomy
from tacit.tasks.build.settings import BuildSettings
from tacit.text import TextSettings

WORDS = [first + second + third for first in "bdfgklmnprst" for second in "aeiou" for third in ("lum", "rek", "sop")]
SUBJECTS = [f"{word} study" for word in WORDS[:120]]
NEW = [f"{word} study" for word in WORDS[120:160]]


def records() -> list[Record]:
    """Each subject has a record that names it; other names stand in texts beside it and are wrong."""
    rng = np.random.default_rng(0)
    found = []
    for number, subject in enumerate(SUBJECTS):
        usual = " ".join(f"usual{letter}" for letter in rng.choice(list("abcdefgh"), 3))
        beside = SUBJECTS[(number + 7) % len(SUBJECTS)].split()[0] if number % 4 == 0 else ""
        found.append(Record(str(number), f"{subject.split()[0]} {usual} of texts {beside}", (subject,)))
    return found


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    settings = BuildSettings(n_components=4, text=TextSettings())
    names = Taxonomy.from_parents(dict.fromkeys([*SUBJECTS, *NEW]))
    path = tacit.build(records(), tmp_path_factory.mktemp("names") / "i.tacit", settings, taxonomy=names)
    with tacit.open(path) as collection:
        yield collection


def test_a_rare_word_of_a_name_finds_a_subject_that_no_record_has(index):
    assert index.panel.by_name is not None
    texts = [f"{subject.split()[0]} usuala usualc of texts" for subject in NEW]
    found = index.suggest(texts, limit=1, reasons=True)
    assert [ones[0].label for ones in found] == NEW
    assert found[0][0].evidence.sentences()[0] == f"its name shares “{NEW[0].split()[0]}” with the text"


def test_its_probability_is_that_of_names_alone_and_is_explained(index):
    text = f"{NEW[3].split()[0]} usuala usualc of texts"
    (ones,) = index.suggest([text], limit=None)
    first = ones[0]
    assert first.label == NEW[3]
    assert first.probability > 0.3  # most names of which this much stood in a text were right
    why = index.explain(text=text, label=NEW[3])
    assert why.probability == pytest.approx(first.probability, abs=1e-6)


def test_where_every_subject_has_records_names_are_left_to_the_ranker(tmp_path):
    settings = BuildSettings(n_components=4, text=TextSettings())
    names = Taxonomy.from_parents(dict.fromkeys(SUBJECTS))
    with tacit.open(tacit.build(records(), tmp_path / "i.tacit", settings, taxonomy=names)) as collection:
        assert collection.panel.by_name is None
