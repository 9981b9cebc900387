"""Records that are added, updated or removed count at once in the suggestions of an index with witnesses."""

from __future__ import annotations

import shutil
from dataclasses import replace

import numpy as np
import pytest
from small_index import small_records, small_settings, small_taxonomy

import tacit
from tacit.corpus.record import Record
from tacit.relations.taxonomy.taxonomy import Taxonomy

RECORDS = small_records(120)
ODD = [f"whale whale whale kettle kettle kettle {word}" for word in ("reef", "salt", "lamp", "dog") * 3]
TEXT = "whale whale whale kettle kettle"


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The vocabulary has two subjects that no record has."""
    nodes = [*small_taxonomy().names, "curiosities", "nowhere"]
    parents = {str(name): [str(above) for above in small_taxonomy().parents(name)] for name in nodes[:-2]}
    taxonomy = Taxonomy.from_parents({**parents, "curiosities": [], "nowhere": []})
    return tacit.build(RECORDS, tmp_path_factory.mktemp("changed") / "i", small_settings(), taxonomy=taxonomy)


@pytest.fixture
def path(built, tmp_path):
    return shutil.copytree(built, tmp_path / "i")


def probabilities(path, text=TEXT):
    with tacit.open(path) as index:
        assert index.panel is not None
        return {one.label: one.probability for one in index.suggest(text, limit=None)}


@pytest.mark.parametrize("label", ["curiosities", "never seen"])
def test_a_label_first_seen_in_added_records_is_suggested_for_a_similar_text(path, label):
    before = probabilities(path)
    with tacit.open(path) as index:
        index.add([Record(f"n{n}", text, labels=(label,)) for n, text in enumerate(ODD)])
        at_once = {one.label: one.probability for one in index.suggest(TEXT, limit=None)}
    after = probabilities(path)
    assert before.get(label, 0) < 0.2
    assert max(after, key=after.__getitem__) == label
    assert at_once == pytest.approx(after)
    assert probabilities(path, "cat dog garden chair").get(label, 0) < 0.3


def test_added_records_that_are_removed_again_leave_the_suggestions_as_they_were(path):
    before = probabilities(path)
    with tacit.open(path) as index:
        index.add([Record(f"n{n}", text, labels=("never seen", "pets")) for n, text in enumerate(ODD)])
        index.remove([f"n{n}" for n in range(len(ODD))])
    assert probabilities(path) == pytest.approx(before)


def test_a_removed_record_counts_nowhere(path):
    removed = [record for record in RECORDS if record.labels == ("pets",)]
    with tacit.open(path) as index:
        index.remove([record.id for record in removed])
    with tacit.open(path) as index:
        panel = index.panel
        pets = panel.subjects.index("pets")
        assert panel.words.subject_counts[pets] == panel.relatives.counts[pets] == panel.position.counts[pets] == 0
        assert not panel.position.places[pets].any()
        assert panel.words.n_records == sum(bool(record.labels) for record in RECORDS) - len(removed)
        (found,) = index.suggest([removed[0].text], reasons=True, limit=None)
        evidence = {one.label: one.evidence for one in found}
        assert "pets" not in evidence or (evidence["pets"].n_near, evidence["pets"].words) == (0, ())


def test_an_updated_record_counts_with_its_new_labels(path):
    moved = [record for record in RECORDS if record.labels == ("animals",)]
    text = moved[0].text
    before = probabilities(path, text)
    with tacit.open(path) as index:
        index.update([replace(record, labels=("vessels",)) for record in moved])
        panel = index.panel
        animals, vessels = (panel.subjects.index(label) for label in ("animals", "vessels"))
        n_vessels = sum("vessels" in record.labels for record in RECORDS)
        assert panel.words.subject_counts[animals] == 0
        assert panel.words.subject_counts[vessels] == n_vessels + len(moved)
    after = probabilities(path, text)
    assert after["vessels"] > before["vessels"]
    assert after.get("animals", 0) < before["animals"]


def test_counts_after_changes_are_those_of_a_build_of_the_same_records(path):
    """The words that the build knows are counted as a fit would count them."""
    added = [Record(f"n{n}", text, labels=("pets", "vessels")) for n, text in enumerate(ODD)]
    unlabelled = [Record("plain", "whale kettle reef")]
    gone = [record.id for record in RECORDS[:17]]
    with tacit.open(path) as index:
        words = index.space.words
        index.add([*added, *unlabelled])
        index.remove(gone)
        panel = index.panel
        subjects = {name: number for number, name in enumerate(panel.subjects)}
        counts = np.zeros((len(words.terms), len(subjects)))
        for record in [*RECORDS[17:], *added]:
            for label in record.labels:
                counts[words.row(record.text)[0], subjects[label]] += 1
        found = np.zeros_like(counts)
        rows = np.repeat(np.arange(len(words.terms)), np.diff(panel.words.starts))
        found[rows, panel.words.subjects] = panel.words.counts
        np.testing.assert_array_equal(found, counts)
        assert panel.words.n_records == sum(bool(record.labels) for record in [*RECORDS[17:], *added])
        together = panel.relatives.together.toarray()
        assert together[subjects["pets"], subjects["vessels"]] == len(added)


def test_the_changed_panel_is_made_once_for_each_state_of_the_records(path):
    with tacit.open(path) as index:
        index.add([Record("one", "whale reef", labels=("pets",))])
        first = index.panel
        assert index.panel is first
        index.add([Record("two", "whale reef", labels=("pets",))])
        assert index.panel is not first


def test_a_new_label_that_is_an_address_is_found_by_the_title_that_came_with_it(path):
    address = "http://example.org/a/4711"
    with tacit.open(path) as index:
        fields = {"label_titles": {address: "Tea ceremonies"}}
        index.add([Record("t", "kettle kettle garden", labels=(address,), fields=fields)])
        matched = index.panel.names.matches("On tea ceremonies, and http example org a 4711")
        assert [(index.panel.subjects[match.subject], match.n_words) for match in matched if match.n_words > 1] == [
            (address, 2)
        ]


def test_reasons_of_many_texts_are_those_of_each_alone(built):
    with tacit.open(built) as index:
        texts = [record.text for record in RECORDS[:6]] + ["", "a zzz"]
        together = index.suggest(texts, reasons=True, limit=4)
        alone = [index.suggest([text], reasons=True, limit=4)[0] for text in texts]
    assert [[one.evidence for one in found] for found in together] == [[one.evidence for one in each] for each in alone]
    assert len({one.evidence for found in together for one in found}) > len(RECORDS[:6])
    assert all(one.evidence is not None for found in together for one in found)
