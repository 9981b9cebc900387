"""The study of e-mails and newsgroups."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest


def test_emails_are_seen_with_the_eyes_of_those_that_train() -> None:
    study = importlib.import_module("mlsa_newsgroups_emails")

    def post(author: str, subject: str, body: str) -> Any:
        names = {"subject": subject, "author": author, "organization": None if author == "Cy" else "home"}
        return study.Post("g", body.split(), subject.split(), names)

    posts = [post("Ann", "cats", "mew mew"), post("Ann", "dogs", "bark mew"), post("Bob", "cats", "purr")]
    mails = study.emails([*posts, post("Cy", "owls", "hoot mew")], stemmed=False)
    seen = study.view(mails, np.arange(3), scale=0.5)
    words = dict(zip(mails.vocabulary, seen.words.toarray().T, strict=True))
    assert not words["hoot"].any(), "a word of a new email alone tells a model nothing"
    expected = np.array([(1 + np.log(2)) * np.log(3 / 2), np.log(3 / 2)])  # mew, cats
    assert np.allclose([words["mew"][0], words["cats"][0]], expected / np.linalg.norm(expected))
    for table in seen.tables.values():
        lengths = np.linalg.norm(table[:3].toarray(), axis=0)
        assert np.allclose(lengths[lengths > 0], 1)
    assert not seen.tables["author"][[3]].toarray().any()
    assert [column.nnz for column in study.view(mails).tables.values()] == [4, 4, 3]
    assert not seen.subject_words.toarray()[2].any(), "the line of a new subject is unknown too"
    graph = study.relations(seen, study.Setting(subject=2.0, subject_word=0.4, author=2.0), np.arange(3))
    assert {block.name: block.weight for block in graph.blocks} == {
        "email-word": 1.0, "email-subject": 2.0, "email-author": 2.0, "subject-word": 0.4,
    }  # fmt: skip


def test_concepts_are_compared_with_the_papers_wherever_they_stand() -> None:
    paper = importlib.import_module("mlsa_newsgroups_paper")
    assert paper.likeness(paper.TABLE_2[::-1]) == ([10] * 5, 0.0)
    without_the_first = paper.TABLE_2[1:]
    shared, off = paper.likeness(without_the_first)
    assert shared == [max(len({*paper.TABLE_2[0]} & {*each}) for each in without_the_first), 10, 10, 10, 10]
    assert 0.1 < off < 0.4
    # ten words with all the weight, among which none is of the concept
    assert paper.likeness([{str(number): 1.0 for number in range(10)}]) == ([0] * 5, 1.0)


def test_splits_that_overlap_count_for_less() -> None:
    from scipy import stats

    numbers = importlib.import_module("mlsa_newsgroups_numbers")
    ours, others = [0.80, 0.84, 0.83, 0.85], [0.79, 0.80, 0.82, 0.79]
    t = stats.ttest_rel(ours, others).statistic * np.sqrt((1 / 4) / (1 / 4 + 1 / 4))
    assert numbers.corrected(ours, others) == f"+3.0 (4 of 4, p = {2 * stats.t.sf(t, 3):.2g})"
    assert numbers.compared(ours, others) == f"+3.0 (4 of 4, p = {stats.ttest_rel(ours, others).pvalue:.2g})"
    assert numbers.ahead(numbers.compared(ours, others)).startswith("3.0 points (4 of 4")


@pytest.mark.realdata
@pytest.mark.filterwarnings("ignore::tacit.errors.TacitWarning")
def test_the_study_of_newsgroups_runs_and_labels_help_to_tell_categories_apart(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    import os

    if not os.environ.get("TACIT_DATA"):
        pytest.skip("TACIT_DATA is not set: there are no data sets to study")
    pytest.importorskip("snowballstemmer", reason="snowballstemmer is not installed: the study needs Porter's stems")
    main, file = importlib.import_module("mlsa_newsgroups").main, tmp_path / "numbers.json"
    main(["--quick", "--save", str(file)])
    text = capsys.readouterr().out
    numbers = json.loads(file.read_text(encoding="utf-8"))
    micro = {name: np.mean([row[4] for row in numbers["classes"] if row[1] == name]) for name in ("LSA", "M-LSA")}
    assert micro["M-LSA"] > micro["LSA"] + 0.05
    main(["--from", str(file)])
    assert capsys.readouterr().out == text
    pictures = importlib.import_module("mlsa_newsgroups_figures").draw(numbers, tmp_path)
    assert all(0 < picture.stat().st_size < 80_000 for picture in pictures)
    with pytest.raises(SystemExit):
        main(["--quick", "--write"])
    assert "--write needs the whole study" in capsys.readouterr().err
