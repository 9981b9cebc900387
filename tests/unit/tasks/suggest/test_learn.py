"""Accepted and rejected labels of texts improve the suggestions without a refit, and stay with the index."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from small_index import HOME, SEA, small_records, small_settings

import tacit
from tacit.corpus.record import Record
from tacit.errors import InputError, TacitWarning
from tacit.index import verify
from tacit.index.folder.generations import current_generation
from tacit.relations.taxonomy.taxonomy import Taxonomy

RECORDS = small_records(120)
ODD = [f"whale whale whale kettle kettle kettle {word}" for word in ("reef", "salt", "lamp", "dog", "tide", "chair")]
TEXT = "whale whale whale kettle kettle"
NAMED = {"curiosities": "Strange things", "nowhere": "Nowhere", "animals": "Animals"}


def vocabulary() -> Taxonomy:
    """Two subjects have no records, and one is called otherwise than its id."""
    names = ["animals", "vessels", "pets", "home", "curiosities", "nowhere"]
    return Taxonomy.from_parents(
        dict.fromkeys(names, ()), titles={name: {"en": NAMED.get(name, name)} for name in names}
    )


@pytest.fixture(scope="module")
def built(tmp_path_factory) -> Path:
    return tacit.build(RECORDS, tmp_path_factory.mktemp("learn") / "i", small_settings(), taxonomy=vocabulary())


@pytest.fixture
def path(built, tmp_path) -> Path:
    return Path(shutil.copytree(built, tmp_path / "i"))


def corrections(*labels: str, rejected: tuple[str, ...] = (), texts: list[str] = ODD) -> list[Record]:
    fields = {"rejected": list(rejected)} if rejected else {}
    return [Record(f"c{n}", text, labels=labels, fields=fields) for n, text in enumerate(texts)]


def rank(index: tacit.Collection, label: str, text: str = TEXT) -> int:
    found = [one.label for one in index.suggest(text, limit=None)]
    return found.index(label) if label in found else len(found)


def files_of(path: Path) -> dict[str, tuple[int, bytes]]:
    folder = current_generation(path)
    return {
        file.relative_to(folder).as_posix(): (file.stat().st_ino, file.read_bytes())
        for file in folder.rglob("*")
        if file.is_file()
    }


@pytest.mark.parametrize("label", ["Strange things", "curiosities", "never heard of"])
def test_a_learned_label_rises_for_similar_texts(path, label):
    with tacit.open(path) as index:
        name = "curiosities" if label == "Strange things" else label
        before = rank(index, name)
        assert index.learn(corrections(label)) == len(ODD)
        assert rank(index, name) == 0 < before  # the open index uses it at once
        assert rank(index, name, "cat dog garden chair lamp") > 0
    with tacit.open(path) as index:
        assert rank(index, name) == 0
        (found,) = index.suggest([TEXT], reasons=True, limit=1)
        assert found[0].evidence.n_near == len(ODD)
    assert verify(path) == []


def test_the_texts_do_not_become_records(path):
    with tacit.open(path) as index:
        before = [hit.id for hit in index.search("whale kettle", limit=200)]
        index.learn(corrections("curiosities"))
        assert [hit.id for hit in index.search("whale kettle", limit=200)] == before
        assert len(index) == len(RECORDS)
        assert index.info().records == index.info().fitted_records == len(RECORDS)
        assert not index.info().refit_due


def test_learning_nothing_changes_nothing(path):
    before = files_of(path)
    with tacit.open(path) as index:
        assert index.learn([]) == 0
    assert files_of(path) == before
    with tacit.open(path) as index:
        index.learn(corrections("curiosities"))
    once = files_of(path)
    with tacit.open(path) as index:
        assert index.learn(corrections("curiosities")) == 0  # the same once more
    assert files_of(path) == once


def test_a_text_without_a_known_word_is_learned_from_as_well(path):
    with tacit.open(path) as index:
        assert index.learn(corrections("curiosities", texts=["zyzzyva"])) == 1
        assert [one.text for one in index.corrections()] == ["zyzzyva"]
        assert index.suggest(TEXT)


def test_learning_in_two_steps_counts_as_learning_in_one(path, tmp_path):
    other = shutil.copytree(path, tmp_path / "other")
    given = [
        *corrections("curiosities"),
        Record("r", RECORDS[0].text, ("pets", "home"), fields={"rejected": "vessels"}),
    ]
    with tacit.open(path) as index, tacit.open(other) as twice:
        assert index.learn(given) == 7
        assert twice.learn(given[:3]) == 3
        assert twice.learn(given) == 4
        for part in ("counts", "subjects", "starts", "word_counts", "subject_counts", "sums", "squares", "n_records"):
            one, two = (np.asarray(getattr(each.panel.words, part)) for each in (index, twice))
            np.testing.assert_allclose(one, two, atol=1e-4)
        for part in ("found", "right", "learned"):
            np.testing.assert_array_equal(getattr(index.panel.names, part), getattr(twice.panel.names, part))
        assert (index.panel.relatives.together != twice.panel.relatives.together).nnz == 0
        np.testing.assert_allclose(index.panel.position.places, twice.panel.position.places, atol=1e-5)
        assert [each.source for each in index.corrections()] == [each.source for each in twice.corrections()]


def test_a_text_that_is_corrected_again_replaces_its_first_correction(path):
    with tacit.open(path) as index:
        index.learn(corrections("curiosities"))
        assert index.learn(corrections("nowhere", rejected=("curiosities",))) == len(ODD)
        assert rank(index, "nowhere") == 0
        panel = index.panel
        number = panel.subjects.index("curiosities")
        assert panel.words.subject_counts[number] == panel.relatives.counts[number] == 0
        assert {(each.accepted, each.rejected) for each in index.corrections()} == {(("nowhere",), ("curiosities",))}
        assert index.info().corrections == len(ODD)
    assert verify(path) == []


def test_rejected_labels_fall(path):
    """The name of a label stands in the texts, but a person says that it is not meant."""
    texts = [f"animals animals {word} {other}" for word in SEA[:6] for other in HOME[:4]]
    text = f"animals animals {SEA[7]} {HOME[6]}"
    with tacit.open(path) as index:
        before = {one.label: one.probability for one in index.suggest(text, limit=None)}
        index.learn(corrections(rejected=("Animals",), texts=texts))
        after = {one.label: one.probability for one in index.suggest(text, limit=None)}
        panel = index.panel
        number = panel.subjects.index("animals")
        assert panel.names.learned[:, number].tolist() == [len(texts), 0]
        assert panel.words.n_records == sum(bool(record.labels) for record in RECORDS)  # nothing else is known of them
    assert after.get("animals", 0) < before["animals"]


def test_corrections_are_listed_and_survive_a_refit(path):
    with tacit.open(path) as index:
        index.learn(corrections("never heard of", rejected=("pets",)))
        listed = index.corrections()
        assert [(each.text, each.accepted, each.rejected, each.source) for each in listed] == [
            (text, ("never heard of",), ("pets",), f"c{n}") for n, text in enumerate(ODD)
        ]
        assert all(each.time.endswith("+00:00") for each in listed)
    tacit.refit(path)
    with tacit.open(path) as index:
        assert index.corrections() == listed
        assert index.info().corrections == len(ODD)
        assert rank(index, "never heard of") == 0
        assert index.learn(corrections("curiosities", texts=["whale lamp"])) == 1  # and it goes on learning
        assert len(index.corrections()) == len(ODD) + 1
    assert verify(path) == []


def test_added_and_removed_records_stay_and_the_rest_is_shared(path):
    with tacit.open(path) as index:
        index.add([Record("new", "whale reef tide", labels=("vessels",), title="New")])
        index.remove(["r0", "r1"])
        created = index.info().created
    before = files_of(path)
    with tacit.open(path) as index:
        index.learn(corrections("curiosities"))
        assert index["new"].title == "New"
        assert "r0" not in index
        assert (index.info().added, index.info().removed, index.info().created) == (1, 2, created)
        assert index.panel.words.n_records == sum(bool(record.labels) for record in RECORDS[2:]) + 1 + len(ODD)
        index.add([Record("newer", "whale kettle", labels=("pets",))])  # and the records can be changed
    after = files_of(path)
    assert before["arrays/positions.npy"] == after["arrays/positions.npy"]
    assert before["records.sqlite"][0] != after["records.sqlite"][0]
    assert verify(path) == []
    tacit.refit(path)
    with tacit.open(path) as index:
        assert len(index) == len(RECORDS)


def test_without_links_on_the_disk_files_are_copied(path, monkeypatch):
    def refuse(*paths: object) -> None:
        raise OSError("no links here")

    monkeypatch.setattr("os.link", refuse)
    before = files_of(path)
    with tacit.open(path) as index:
        index.learn(corrections("curiosities"))
        assert rank(index, "curiosities") == 0
    after = files_of(path)
    assert before["arrays/positions.npy"][0] != after["arrays/positions.npy"][0]
    assert before["arrays/positions.npy"][1] == after["arrays/positions.npy"][1]
    assert verify(path) == []


def test_texts_without_labels_are_left_out_with_a_note(path):
    given = [*corrections("curiosities"), Record("plain", "whale")]
    with tacit.open(path) as index, pytest.warns(TacitWarning, match="1 of 7 texts have no labels, or no words"):
        assert index.learn(given) == len(ODD)


@pytest.mark.parametrize(
    ("records", "options", "message"),
    [
        ([Record("a", "whale")], {}, r"labels are missing: got 1 texts without accepted or rejected labels"),
        (corrections("pets"), {"rejected": [["home"]]}, r"rejected does not match records: got 1 rows for 6"),
        (
            corrections("Animals", rejected=("animals",)),
            {},
            r"got 'animals' in both for record 'c0', expected it in one",
        ),
        ([Record("a", "whale", fields={"rejected": 7})], {}, r"rejected of record 'a' is not a list of labels: got 7"),
    ],
)
def test_bad_corrections_are_refused(path, records, options, message):
    before = files_of(path)
    with tacit.open(path) as index, pytest.raises(InputError, match=message):
        index.learn(records, **options)
    assert files_of(path) == before


def test_a_suggester_that_cannot_learn_says_what_to_type(tmp_path):
    path = tacit.build(small_records(), tmp_path / "i", small_settings())
    with tacit.open(path) as index:
        message = r"i has a suggester that cannot learn: got 'both'.* Type: tacit refit \S+i --suggester witnesses$"
        with pytest.raises(InputError, match=message):
            index.learn(corrections("pets"))
        assert index.corrections() == []


def test_an_index_of_the_version_before_says_what_to_type(path, monkeypatch):
    monkeypatch.setattr("tacit.index.witnesses.examples.Examples.save", lambda self, writer: None)
    tacit.refit(path)
    with tacit.open(path) as index:
        with pytest.raises(InputError, match=r"built before suggesters could learn: .* Type: tacit refit \S+i$"):
            index.learn(corrections("pets"))
        assert index.suggest(TEXT)
