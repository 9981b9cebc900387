"""The drift figure: nothing for records of the same source, much for others, as measured on records left out."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import tacit
from tacit import LSI, BuildSettings
from tacit.corpus.record import Record
from tacit.index.drift import explained, explained_when_new
from tacit.text.settings import TextSettings

TOPICS = ["whale ship sea anchor harbour deck", "cat dog rabbit basket collar fur", "law court judge trial jury oath"]


def texts(n, topics, seed):
    rng = np.random.default_rng(seed)
    words = [TOPICS[topic].split() for topic in topics]
    drawn = (words[int(rng.integers(len(words)))] for _ in range(n))
    return [" ".join(rng.choice(some, 4)) for some in drawn]


def test_what_is_expected_of_unseen_records_is_what_they_have():
    """The fitted records themselves are explained better, which the figure leaves out."""
    rng = np.random.default_rng(0)
    mixtures, topics = rng.dirichlet(np.full(8, 0.2), 1200), rng.dirichlet(np.full(300, 0.05), 8)
    X = sp.csr_array(np.array([rng.multinomial(12, row @ topics) for row in mixtures]).astype(np.float32))
    X = sp.csr_array(sp.diags_array(1 / np.sqrt(X.multiply(X).sum(axis=1))) @ X)
    fitted, unseen = X[:600], X[600:]
    model = LSI(10, tol=1e-8).fit(fitted)
    loadings = model.components_.T * model.singular_values_
    own, expected, found = (
        explained(fitted, loadings),
        explained_when_new(fitted, loadings),
        explained(unseen, loadings),
    )
    assert own > found + 0.02
    assert abs(expected - found) < 0.3 * (own - found)


@pytest.mark.parametrize("labelled", [True, False])
def test_info_has_the_drift_of_added_records(tmp_path, labelled):
    settings = BuildSettings(n_components=3, text=TextSettings(min_records=1), map=False, suggester="none")
    first = [*texts(90, (0,), 1), *texts(90, (1,), 2), *texts(6, (2,), 3)]
    labels = [("a",) if number % 2 else ("b",) for number in range(len(first))] if labelled else [()] * len(first)
    known = [Record(str(number), text, labels=of) for number, (text, of) in enumerate(zip(first, labels, strict=True))]
    path = tacit.build(known, tmp_path / "i", settings)
    with tacit.open(path) as index:
        assert index.info().drift is None
        index.add([Record(f"same {number}", text) for number, text in enumerate(texts(60, (0, 1), 4))])
    with tacit.open(path) as index:
        assert index.info().drift < 0.1
        index.remove([f"same {number}" for number in range(60)])
        index.add([Record(f"other {number}", f"zeppelin {text}") for number, text in enumerate(texts(60, (2,), 5))])
    with tacit.open(path) as index:
        assert index.info().drift > 0.2
        assert index.info().new_words == 1
