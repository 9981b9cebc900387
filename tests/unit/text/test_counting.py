"""Texts counted in one pass give the words and rows that scikit-learn gives, with and without temporary files."""

from __future__ import annotations

import numpy as np
import pytest

from tacit.errors import InputError
from tacit.text.counting import CountedTexts
from tacit.text.settings import TextSettings
from tacit.text.words import Words

RNG = np.random.default_rng(3)
WORDS = ["storm", "sea", "ship", "harbour", "wave", "über", "captain", "night", "light", "wind", "sail", "rope"]
TEXTS = [" ".join(RNG.choice(WORDS, RNG.integers(0, 9))) for _ in range(2_500)] + ["unique", ""]


def counted(settings: TextSettings, memory_limit: int = 2**29) -> tuple[Words, object, CountedTexts]:
    with CountedTexts(settings, memory_limit=memory_limit) as found:
        for text in TEXTS:
            found.add(text)
        return found.choose(), found.matrix(), found


@pytest.mark.parametrize(
    "settings", [TextSettings(), TextSettings(ngrams=2, max_terms=40), TextSettings(min_records=0.2, max_share=0.5)]
)
def test_rows_are_those_of_scikit_learn_bit_for_bit(settings: TextSettings) -> None:
    expected_words, expected = Words.fit(TEXTS, settings)
    words, rows, _ = counted(settings)
    assert words.terms == expected_words.terms
    np.testing.assert_array_equal(words.weights, expected_words.weights)
    for part in ("data", "indices", "indptr"):
        np.testing.assert_array_equal(getattr(rows, part), getattr(expected, part))


def test_counts_in_files_give_the_same_rows_but_for_rounding() -> None:
    expected_words, expected = Words.fit(TEXTS, TextSettings(ngrams=2))
    words, rows, found = counted(TextSettings(ngrams=2), memory_limit=10_000)
    assert len(found._runs) > 0
    assert found._spilled is not None
    assert words.terms == expected_words.terms
    np.testing.assert_allclose(rows.toarray(), expected.toarray(), rtol=1e-6)


def test_texts_without_a_frequent_word_are_refused() -> None:
    with CountedTexts() as found:
        found.add("lonely")
        with pytest.raises(InputError, match=r"no word is in enough records \(at least 2\) and not in too many"):
            found.choose()
