"""Words of many parts are the words of all texts together, however they are cut."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit import InputError
from tacit.text.on_dask import count_part, join_counts, words_of_counts
from tacit.text.settings import TextSettings
from tacit.text.words import Words

TREES = ["ash", "oak", "elm", "fir", "yew", "bay", "fig", "the"]
TEXTS = st.lists(st.lists(st.sampled_from(TREES), max_size=6).map(" ".join), min_size=1)
SETTINGS = st.builds(
    TextSettings,
    ngrams=st.integers(1, 2),
    min_records=st.sampled_from([1, 2, 0.2]),
    max_share=st.sampled_from([1.0, 0.7]),
    max_terms=st.sampled_from([None, 1, 3]),
)


@settings(deadline=None, max_examples=60)
@given(TEXTS, SETTINGS, st.lists(st.integers(0, 30), max_size=4), st.randoms())
def test_any_parts_in_any_order_give_the_words_of_all_texts(texts, chosen, cuts, random):
    edges = [0, *sorted(min(cut, len(texts)) for cut in cuts), len(texts)]
    parts = [count_part(texts[a:b], chosen) for a, b in pairwise(edges)]
    random.shuffle(parts)
    counts = join_counts([join_counts(parts[:2]), *parts[2:]])
    assert counts.n_records == len(texts)
    try:
        expected = Words.fit(texts, chosen)[0]
    except InputError:
        with pytest.raises(InputError, match="the texts have no words to index"):
            words_of_counts(counts, chosen)
        return
    found = words_of_counts(counts, chosen)
    assert found.terms == expected.terms
    np.testing.assert_array_equal(found.weights, expected.weights)
    assert found.to_facts() == expected.to_facts()
