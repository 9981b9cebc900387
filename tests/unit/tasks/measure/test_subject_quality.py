"""Subjects that are never suggested, chosen too often or confused: counted by hand, and in an index."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest
import scipy.sparse as sp

from tacit.errors import InputError
from tacit.relations.labels.matrix import LabelMatrix
from tacit.tasks.measure.subject_file import check_subject_file, write_subjects
from tacit.tasks.measure.subject_quality import SubjectRow, diagnose, subject_rows
from tacit.tasks.measure.suggestion_quality import JudgedSuggestions

NAMES = ("cats", "dogs", "art", "law", "seas", "unheard")
TRAIN = [("cats",), ("cats", "dogs"), ("art",), ("law",), ("rivers", "cats")]


def title(label: str) -> str:
    return label.title()


def judged(truth: list[set[str]], chosen: list[set[str]], *, sparse: bool = True) -> JudgedSuggestions:
    """Each record is suggested what is chosen, with 0.9; the first one also "dogs", with 0.1."""
    scores = np.full((len(truth), len(NAMES)), -np.inf)
    for row, labels in enumerate(chosen):
        scores[row, [NAMES.index(label) for label in labels]] = 0.9
    scores[0, NAMES.index("dogs")] = max(0.1, scores[0, NAMES.index("dogs")])
    rows, columns = np.nonzero(np.isfinite(scores))
    listed = sp.csr_array((scores[rows, columns], (rows, columns)), scores.shape)
    picked = LabelMatrix.from_sets(chosen, NAMES)
    return JudgedSuggestions(LabelMatrix.from_sets(truth, NAMES), listed if sparse else scores, picked, 4, 5, True)


@pytest.fixture(scope="module")
def confused() -> JudgedSuggestions:
    """Dogs are taken for art four times, cats are always right, and seas and "unheard" are never suggested."""
    truth = [{"dogs"}, {"dogs"}, {"dogs"}, {"dogs", "cats"}, {"cats", "seas"}, {"seas"}, {"unheard"}]
    chosen = [{"art"}, {"art"}, {"art"}, {"art", "cats"}, {"cats"}, set(), set()]
    return judged(truth, chosen)


def test_rows_count_what_was_suggested_chosen_and_right(confused):
    rows = {row.label: row for row in subject_rows(confused, TRAIN, title)}
    assert rows["dogs"] == SubjectRow("dogs", "Dogs", 1, 4, 1, 0, 0, 4)
    assert rows["art"] == SubjectRow("art", "Art", 1, 0, 4, 4, 0, 0)
    assert rows["cats"] == SubjectRow("cats", "Cats", 3, 2, 2, 2, 2, 0)
    assert (rows["cats"].precision, rows["cats"].recall, rows["cats"].f1) == (1.0, 1.0, 1.0)
    assert (rows["dogs"].precision, rows["dogs"].recall, rows["dogs"].f1) == (None, 0.0, 0.0)
    assert (rows["law"].precision, rows["law"].recall, rows["law"].f1) == (None, None, None)
    assert list(rows)[:2] == ["dogs", "cats"]  # most held-out records first


def test_rows_are_the_same_for_dense_scores(confused):
    dense = judged(confused.truth.to_sets(), confused.chosen.to_sets(), sparse=False)
    assert subject_rows(dense, TRAIN, title) == subject_rows(confused, TRAIN, title)


def test_only_the_first_ten_of_many_suggestions_count_as_suggested():
    names = tuple(f"s{number:02d}" for number in range(30))
    scores = np.linspace(1.0, 0.1, 30)[None, :]
    truth, chosen = LabelMatrix.from_sets([{"s00"}], names), LabelMatrix.from_sets([{"s00", "s29"}], names)
    rows = subject_rows(JudgedSuggestions(truth, scores, chosen, 30, 30, True), [], title)
    assert {row.label for row in rows} == {*names[:10], "s29"}  # what is chosen was suggested


def test_the_diagnosis_names_what_is_never_suggested_too_often_chosen_and_confused(confused):
    found = diagnose(confused, subject_rows(confused, TRAIN, title))
    assert found.n_never == 2
    assert [row.title for row in found.never] == ["Seas", "Unheard"]
    assert [(row.title, row.n_chosen, row.n_right) for row in found.too_often] == [("Art", 4, 0)]
    assert [(pair.missed.title, pair.chosen.title, pair.n_records) for pair in found.confused] == [("Dogs", "Art", 4)]
    assert (found.n_unchosen, found.n_records) == (2, 7)
    facts = found.to_facts()
    assert facts["records_without_choice"] == 2
    assert facts["confused"][0]["missed"] == {"label": "dogs", "title": "Dogs"}
    assert json.dumps(facts)


def test_no_more_than_five_of_each_and_the_most_frequent_first():
    rng = np.random.default_rng(0)
    truth = [{str(name)} for name in rng.choice(NAMES, 400, p=[0.4, 0.2, 0.2, 0.1, 0.05, 0.05])]
    chosen = [{str(name)} for name in rng.choice(NAMES, 400)]
    found = diagnose(judged(truth, chosen), subject_rows(judged(truth, chosen), TRAIN, title))
    assert len(found.confused) == 5
    counts = [pair.n_records for pair in found.confused]
    assert counts == sorted(counts, reverse=True)
    by_hand = sum("cats" in one and "dogs" in other for one, other in zip(truth, chosen, strict=True))
    assert [pair.n_records for pair in found.confused if pair.chosen.label == "dogs"] == [by_hand]


@pytest.mark.parametrize("suffix", [".tsv", ".csv", ".jsonl"])
def test_the_file_has_every_subject_with_its_rates(confused, tmp_path, suffix):
    rows = [*subject_rows(confused, TRAIN, title), SubjectRow("x", 'a "b",\tc\nd', 0, 1, 0, 0, 0, 1)]
    file = tmp_path / f"subjects{suffix}"
    write_subjects(rows, file)
    with file.open(encoding="utf-8", newline="") as opened:
        if suffix == ".jsonl":
            read = [json.loads(line) for line in opened]
        else:
            quoting = csv.QUOTE_NONE if suffix == ".tsv" else csv.QUOTE_MINIMAL
            read = list(csv.DictReader(opened, delimiter="\t" if suffix == ".tsv" else ",", quoting=quoting))
    assert len(read) == len(rows)
    assert list(read[0]) == [
        "label", "title", "train", "held_out", "suggested", "chosen", "right", "missed", "precision", "recall", "f1",
    ]  # fmt: skip
    by_label = {row["label"]: row for row in read}
    assert str(by_label["dogs"]["held_out"]) == "4"
    assert by_label["dogs"]["precision"] in ("", None)
    assert float(by_label["cats"]["f1"]) == 1.0
    assert by_label["x"]["title"].split() == ["a", '"b",', "c", "d"]


def test_bad_names_of_files_are_one_sentence(tmp_path):
    with pytest.raises(InputError, match=r"per_subject has an unknown suffix: got 's\.xls', expected a name that ends"):
        check_subject_file("s.xls")
    with pytest.raises(InputError, match="per_subject is in a folder that does not exist"):
        check_subject_file(tmp_path / "none" / "s.tsv")
    (tmp_path / "s.tsv").mkdir()
    with pytest.raises(InputError, match="per_subject is a folder: got"):
        check_subject_file(tmp_path / "s.tsv")
