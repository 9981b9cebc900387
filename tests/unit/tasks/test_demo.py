"""The demonstration as a task: real docstrings, both spaces, subjects for a new text."""

from __future__ import annotations

import numpy as np
import pytest

from tacit.errors import InputError
from tacit.tasks.demo import SUGGESTION_TEXT, Demo, build_demo


@pytest.fixture(scope="module")
def stages() -> list[str]:
    return []


@pytest.fixture(scope="module")
def demo(stages) -> Demo:
    return build_demo(report=lambda seconds, message: stages.append(message))


def test_every_stage_is_reported(demo, stages):
    assert len(stages) == 5
    assert f"{len(demo.records):,} docstrings" in stages[0]


def test_each_hit_has_the_cosine_of_its_place(demo):
    found = demo.search("read a compressed archive", limit=4)
    row_of = {record.id: row for row, record in enumerate(demo.records)}
    query = demo.vectoriser.transform(["read a compressed archive"])
    for hits, model, positions in (
        (found.informed, demo.informed, demo.informed_positions),
        (found.plain, demo.plain, demo.plain_positions),
    ):
        place = model.transform(query)[0].astype(float)
        assert len(hits) == 4
        for hit in hits:
            other = positions[row_of[hit.id]].astype(float)
            assert hit.score == pytest.approx(place @ other / np.linalg.norm(place) / np.linalg.norm(other), abs=1e-4)


def test_shared_words_are_in_the_query_and_in_the_record(demo):
    texts = {record.id: record.text.lower() for record in demo.records}
    hits = demo.search("read a compressed archive", limit=10).informed
    assert any(hit.why for hit in hits)
    for hit in hits:
        assert set(hit.why) <= {"read", "compressed", "archive"}
        assert all(word in texts[hit.id] for word in hit.why)


@pytest.mark.parametrize(
    ("query", "chapter"),
    [
        ("read a compressed archive", "Compression and Archiving"),
        ("draw random numbers from a normal distribution", "Numbers and Mathematics"),
        ("run something later in another thread", "Concurrency"),
    ],
)
def test_labels_bring_the_right_chapter_at_least_as_often_as_words_do(demo, query, chapter):
    chapter_of = {record.id: record.labels[0] for record in demo.records}
    found = demo.search(query, limit=10)
    informed, plain = (sum(chapter_of[hit.id] == chapter for hit in hits) for hits in (found.informed, found.plain))
    assert informed >= 6
    assert informed >= plain


def test_subjects_of_a_new_text_are_probabilities_of_known_labels(demo):
    suggested = demo.suggest(SUGGESTION_TEXT, limit=5)
    names, probabilities = [name for name, _ in suggested], [probability for _, probability in suggested]
    assert {"Internet Protocols", "http"} <= set(names)
    assert set(names) <= {label for record in demo.records for label in record.labels}
    assert probabilities == sorted(probabilities, reverse=True)
    assert all(0 <= probability <= 1 for probability in probabilities)


def test_texts_without_a_known_word_are_refused(demo):
    with pytest.raises(InputError, match="query has no known word: got 'zzxqy', expected at least one word of the"):
        demo.search("zzxqy")
    with pytest.raises(InputError, match="text has no known word: got ''"):
        demo.suggest("")
    with pytest.raises(InputError, match="limit is out of range: got 0"):
        demo.search("archive", limit=0)
