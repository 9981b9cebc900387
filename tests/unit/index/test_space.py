"""The parts of an index that answer: the space, the suggester and the taxonomy come back as they were."""

from __future__ import annotations

import json

import numpy as np
import pytest

from tacit import InputError, LabelHead, Taxonomy
from tacit.index.space import Space
from tacit.index.suggester import Suggester
from tacit.index.taxonomy import taxonomy_from_facts, taxonomy_to_facts
from tacit.text import TextSettings, Words

WORDS, X = Words.fit(["whale ship sea", "cat dog sea", "whale cat"], TextSettings(min_records=1))
TERMS = np.random.default_rng(0).normal(size=(len(WORDS.terms), 4)).astype(np.float32)


@pytest.mark.parametrize("offset", [None, np.arange(4, dtype=np.float32)])
def test_texts_are_placed_by_one_product(offset):
    space = Space(TERMS, offset, WORDS)
    texts = ["whale sea sea", "dog", "cat ship"]
    expected = WORDS.transform(texts) @ TERMS - (0 if offset is None else offset)
    np.testing.assert_allclose(space.place(texts), expected, atol=1e-6)
    np.testing.assert_allclose(
        Space(TERMS, offset).place_vectors(WORDS.transform(texts).toarray()), expected, atol=1e-6
    )


def test_a_text_of_unknown_words_is_at_the_origin_even_if_the_space_is_centred():
    assert not Space(TERMS, np.ones(4, np.float32), WORDS).place(["zeppelin", ""]).any()


def test_vectors_are_checked():
    with pytest.raises(InputError, match=r"vectors does not fit this index: got shape \(4,\)"):
        Space(TERMS).place_vectors(np.ones(4))
    with pytest.raises(InputError, match="vectors"):
        Space(TERMS).place_vectors(np.full((1, len(TERMS)), np.inf))
    with pytest.raises(InputError, match="text cannot be placed by its words"):
        Space(TERMS).place(["whale"])


def test_the_suggester_is_the_head():
    rng = np.random.default_rng(1)
    Z = rng.normal(size=(80, 5)).astype(np.float32)
    Y = (Z @ rng.normal(size=(5, 3)) > 0.5).astype(int)
    head = LabelHead(random_state=0).fit(Z, Y)
    suggester = Suggester.of_head(head)
    new = np.vstack([rng.normal(size=(7, 5)), np.zeros((1, 5))]).astype(np.float32)
    scores = suggester.scores(new)
    np.testing.assert_allclose(scores, head.decision_function(new), rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(suggester.probabilities(scores), head.predict_proba(new), atol=1e-5)
    np.testing.assert_array_equal(suggester.chosen(scores), head.predict(new))


def test_a_taxonomy_comes_back_with_its_titles():
    taxonomy = Taxonomy.from_parents(
        {"a": None, "b": "a", "c": ["a"], "d": ["b", "c"]}, titles={"d": {"en": "Deep", "fi": "Syvä"}, "a": "Top"}
    )
    again = taxonomy_from_facts(json.loads(json.dumps(taxonomy_to_facts(taxonomy))))
    assert again.names == taxonomy.names
    assert (again.parent_matrix != taxonomy.parent_matrix).nnz == 0
    assert [again.title("d", "fi"), again.title("a")] == ["Syvä", "Top"]
    assert again.ancestors("d") == taxonomy.ancestors("d")


def test_names_that_json_would_change_are_refused():
    with pytest.raises(InputError, match="taxonomy has a name that is not text: got 1"):
        taxonomy_to_facts(Taxonomy.from_parents({1: None, 2: 1}))
