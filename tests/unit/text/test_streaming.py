"""Words in a stream: the same words and rows as in memory, whatever the memory limit and however texts come."""

from __future__ import annotations

import json
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit import InputError
from tacit.corpus.reading import read_records
from tacit.corpus.record import Record
from tacit.operators.rows.disk_writer import write_rows
from tacit.text import TextSettings, Words, streaming
from tacit.text.streaming import stream_rows, stream_words


def some_texts(n=300, n_words=400, seed=5):
    rng = random.Random(seed)
    letters = "abcdefghijklmnopäöß"
    words = ["".join(rng.choices(letters, k=rng.randint(2, 7))) for _ in range(n_words)]
    weights = [1 / (1 + place) for place in range(n_words)]
    return [" ".join(rng.choices(words, weights, k=rng.randint(0, 60))) for _ in range(n)]


TEXTS = some_texts()


def same(words, rows, expected_words, expected_rows):
    assert words.terms == expected_words.terms
    assert words.settings == expected_words.settings
    np.testing.assert_array_equal(words.weights, expected_words.weights)
    assert rows.shape == expected_rows.shape
    assert rows.dtype == expected_rows.dtype == np.float32
    assert abs(rows - expected_rows).max() < 1e-6


@pytest.mark.parametrize(
    "settings",
    [
        TextSettings(),
        TextSettings(min_records=1, ngrams=3),
        TextSettings(min_records=0.02, max_share=0.3),
        TextSettings(max_terms=50, stop_words=("ab",)),
        TextSettings(min_records=3, max_share=100, max_terms=17, ngrams=2),
    ],
)
@pytest.mark.parametrize("memory_limit", [2**30, 20_000])
def test_the_rows_are_those_of_words_in_memory(tmp_path, settings, memory_limit):
    words = stream_words(TEXTS, settings, memory_limit=memory_limit)
    blocks = stream_rows(words, TEXTS, rows_per_block=70)
    rows = write_rows(tmp_path / "rows", blocks, n_columns=len(words.terms), bytes_per_shard=20_000)
    joined = np.concatenate([block.toarray() for block in rows.blocks()])
    expected_words, X = Words.fit(TEXTS, settings)
    same(words, joined, expected_words, X.toarray())


def test_queries_are_placed_alike():
    words, expected = stream_words(TEXTS), Words.fit(TEXTS)[0]
    for text in TEXTS[:20]:
        for got, wanted in zip(words.row(text), expected.row(text), strict=True):
            np.testing.assert_array_equal(got, wanted)
    assert words.to_facts() == expected.to_facts()


@given(st.lists(st.text("abc xyzäß_7"), max_size=12), st.integers(1, 3000), st.integers(1, 2))
def test_the_limit_changes_nothing(texts, memory_limit, ngrams):
    settings = TextSettings(language="none", min_records=1, ngrams=ngrams)
    try:
        expected, X = Words.fit(texts, settings)
    except InputError:
        with pytest.raises(InputError, match="the texts have no words to index"):
            stream_words(texts, settings, memory_limit=memory_limit)
        return
    words = stream_words(texts, settings, memory_limit=memory_limit)
    rows = np.concatenate([block.toarray() for block in stream_rows(words, texts, rows_per_block=5)])
    same(words, rows, expected, X.toarray())


def test_a_small_limit_spills_and_few_files_stay_open(monkeypatch):
    monkeypatch.setattr(streaming, "_MOST_RUNS", 3)
    spilled = []
    spill = streaming._Counts._spill

    def counted(self):
        spill(self)
        spilled.append(len(self.runs))

    monkeypatch.setattr(streaming._Counts, "_spill", counted)
    words = stream_words(TEXTS, memory_limit=5_000)
    assert len(spilled) > 10
    assert max(spilled) < 3
    assert words.terms == Words.fit(TEXTS)[0].terms


def test_functions_records_and_files_are_texts_too(tmp_path):
    path = tmp_path / "records.jsonl"
    records = [Record(str(number), text) for number, text in enumerate(TEXTS) if text]
    path.write_text("".join(json.dumps({"id": each.id, "text": each.text}) + "\n" for each in records))
    expected, X = Words.fit([each.text for each in records])
    for texts in (records, lambda: iter(records), lambda: (each.text for each in records), read_records(path)):
        words = stream_words(texts)
        rows = np.concatenate([block.toarray() for block in stream_rows(words, texts)])
        same(words, rows, expected, X.toarray())


def test_texts_that_cannot_be_opened_again_are_refused():
    with pytest.raises(InputError, match="texts can be iterated over only once: got generator, expected a list"):
        stream_words(text for text in TEXTS)
    with pytest.raises(InputError, match="texts is a single text: got 'a text', expected several"):
        stream_words("a text")
    with pytest.raises(InputError, match=r"texts\[1\] is not a text: got int, expected a string or a Record"):
        stream_words(["two words", 7])


@pytest.mark.parametrize(
    ("texts", "settings", "reason"),
    [
        ([], TextSettings(), "no record contains a word"),
        (["", "1 2 3"], TextSettings(), "no record contains a word"),
        (["red green", "blue grey"], TextSettings(min_records=2), r"no word is in enough records \(at least 2\)"),
    ],
)
def test_no_words_at_all_is_an_error(texts, settings, reason):
    with pytest.raises(InputError, match=f"the texts have no words to index: {reason}.*. Check that the right columns"):
        stream_words(texts, settings)


def test_amounts_are_checked():
    with pytest.raises(InputError, match="memory_limit is out of range: got 0"):
        stream_words(TEXTS, memory_limit=0)
    with pytest.raises(InputError, match="rows_per_block is out of range: got 0"):
        next(stream_rows(stream_words(TEXTS), TEXTS, rows_per_block=0))
