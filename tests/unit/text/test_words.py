"""Words: the vectors are scikit-learn's, the settings survive JSON, and a query needs no scikit-learn."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import TfidfVectorizer

from tacit import InputError
from tacit.text import TextSettings, Words
from tacit.text.analysis import Analyser, stop_words_of

TEXTS = [
    "The whales sing at sea; a whale is singing.",
    "Ships at sea, ships in the harbour",
    "Whales and ships: the sea has both",
    "Indexing indexes the indexed index",
    "Nothing in common",
]


def again(words: Words) -> Words:
    return Words.from_facts(json.loads(json.dumps(words.to_facts())), words.weights)


@pytest.mark.parametrize("ngrams", [1, 2, 3])
@pytest.mark.parametrize("stop_words", ["language", "none", ("sea",)])
def test_the_vectors_are_those_of_scikit_learn(ngrams, stop_words):
    words, X = Words.fit(TEXTS, TextSettings(ngrams=ngrams, stop_words=stop_words, min_records=1))
    peer = TfidfVectorizer(
        token_pattern=r"[^\W\d_]{2,}",
        sublinear_tf=True,
        ngram_range=(1, ngrams),
        stop_words={"language": "english", "none": None}.get(stop_words, ["sea"]),
    )
    expected = peer.fit_transform(TEXTS)
    assert words.terms == peer.get_feature_names_out().tolist()
    np.testing.assert_allclose(X.toarray(), expected.toarray(), atol=1e-6)
    np.testing.assert_allclose(words.transform(TEXTS).toarray(), expected.toarray(), atol=1e-6)
    assert X.dtype == words.transform(TEXTS).dtype == np.float32


@given(st.lists(st.text(alphabet="abcé ß Ω_1-\n", max_size=30), max_size=6))
def test_what_was_kept_gives_the_same_rows(texts):
    words, _ = Words.fit([*TEXTS, "ab abc bé ΩΩ"], TextSettings(min_records=1, ngrams=2))
    np.testing.assert_array_equal(again(words).transform(texts).toarray(), words.transform(texts).toarray())


def test_a_text_has_the_vector_of_the_build_to_the_last_bit():
    rng = np.random.default_rng(0)
    known = [first + second for first in "bcdfghjk" for second in "lmnpq"]
    texts = [" ".join(rng.choice(known, size)) for size in rng.integers(1, 60, 200)]
    words, built = Words.fit(texts, TextSettings(min_records=1))
    again = words.transform(texts)
    built.sort_indices()
    np.testing.assert_array_equal(again.indices, built.indices)
    np.testing.assert_array_equal(again.data, built.data)


def test_rows_have_unit_length_or_are_empty():
    words, _ = Words.fit(TEXTS)
    X = words.transform([*TEXTS, "", "unheard", "12 34"])
    lengths = np.linalg.norm(X.toarray(), axis=1)
    np.testing.assert_allclose(lengths[:3], 1, atol=1e-6)
    np.testing.assert_array_equal(lengths[-3:], 0)
    assert words.transform([]).shape == (0, len(words.terms))


def test_stems_join_the_forms_of_a_word():
    words, _ = Words.fit(TEXTS, TextSettings(stem=True, min_records=1))
    assert {"whale", "sing", "index", "ship"} <= set(words.terms)
    assert words.row("Indexation of ships")[0].tolist() == sorted(map(words.terms.index, ["index", "ship"]))
    assert again(words).row("whaling")[0].tolist() == words.row("whaling")[0].tolist()


@pytest.mark.parametrize(
    ("language", "one", "other", "stop"),
    [
        ("german", "Bücher", "Buche", "und"),
        ("finnish", "talossa", "talon", "ja"),
        ("french", "chevaux", "cheval", "et"),
    ],
)
def test_other_languages_have_stems_and_stop_words(language, one, other, stop):
    settings = TextSettings(language=language, stem=True)
    analyse = Analyser(settings, stop_words_of(settings))
    assert analyse(f"{one} {stop} {other}") == analyse(one) + analyse(other)
    assert language == "german" or analyse(one) == analyse(other)


def test_phrases_skip_stop_words_and_follow_the_order():
    analyse = Analyser(TextSettings(ngrams=3), ["of", "the"])
    assert analyse("history of the sea ships") == [
        "history", "sea", "ships", "history sea", "sea ships", "history sea ships",
    ]  # fmt: skip


def test_frequent_and_rare_words_are_left_out():
    words, _ = Words.fit(TEXTS, TextSettings(min_records=2, max_share=0.5))
    assert "whales" in words.terms  # in two of five
    assert "sea" not in words.terms  # in three of five
    assert "harbour" not in words.terms  # in one
    assert len(Words.fit(TEXTS, TextSettings(min_records=1, max_terms=3))[0].terms) == 3


def test_a_query_is_analysed_without_scikit_learn():
    code = (
        "import sys; from tacit.text import TextSettings, Words; import numpy as np;"
        "w = Words(TextSettings(), ['the'], ['sea', 'whale'], np.ones(2)); w.transform(['the whale']);"
        "sys.exit('sklearn' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"language": ""}, "language is not a name: got ''"),
        ({"language": "klingon", "stem": True, "stop_words": "none"}, "language has no stemmer: got 'klingon'"),
        ({"language": "klingon"}, "language has no list of stop words: got 'klingon'"),
        ({"language": "none", "stem": True}, "stem needs a language"),
        ({"stop_words": "some"}, "stop_words .*'some'"),
        ({"ngrams": 0}, "ngrams .*0"),
        ({"min_records": -1}, "min_records is out of range: got -1"),
        ({"max_share": 1.5}, "max_share is out of range: got 1.5"),
        ({"max_terms": 0}, "max_terms .*0"),
    ],
)
def test_bad_settings_get_one_sentence(settings, sentence):
    with pytest.raises(InputError, match=sentence):
        Words.fit(TEXTS, TextSettings(**settings))


@pytest.mark.parametrize("texts", [["the of and", "1 2"], [], ["one", "two"]])
def test_texts_without_words_get_one_sentence(texts):
    with pytest.raises(InputError, match="the texts have no words to index"):
        Words.fit(texts)


def test_settings_survive_json_and_unknown_ones_are_named():
    settings = TextSettings(language="german", stem=True, stop_words=["und"], ngrams=2, min_records=0.1, max_terms=9)
    assert TextSettings.from_facts(json.loads(json.dumps(settings.to_facts()))) == settings
    with pytest.raises(InputError, match="text settings are unknown: got 'colour'"):
        TextSettings.from_facts({"colour": "red"})
    with pytest.raises(InputError, match="weights does not match terms: got 1 for 2"):
        Words(TextSettings(), (), ["a", "b"], np.ones(1))
