"""Words and vectors in one space: balanced, weighed in a trial, and placed whether or not a text has a vector."""

from __future__ import annotations

import numpy as np
import pytest
from small_index import small_records, small_settings

import tacit
from tacit import MLSI, InputError
from tacit.corpus.record import Record
from tacit.relations.labels.matrix import as_labels
from tacit.tasks.build.vectors import RecordVectors, WordsAndVectors, weigh_vectors
from tacit.text.words import Words

RECORDS = small_records(60)
RNG = np.random.default_rng(5)
VECTORS = (RNG.normal(size=(60, 10)) + 3 * (np.arange(60) % 2)[:, None]).astype(np.float32)


def by_hand(X, vectors, weight):
    """[X, c Z] as the module's equation has it."""
    units = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    Z = units - units.mean(axis=0)
    c = np.sqrt(weight / np.mean((Z**2).sum(axis=1)))
    return np.hstack([X.toarray(), c * Z]), Z


def cosines(A, B):
    return np.sum(A * B, axis=1) / np.linalg.norm(A, axis=1) / np.linalg.norm(B, axis=1)


def test_the_space_is_that_of_the_joined_matrix(tmp_path):
    settings = small_settings(weights={"words": 0.1, "vectors": 0.05}, parameters={"tol": 1e-10}, suggester="none")
    path = tacit.build(RECORDS, tmp_path / "i", settings, vectors=VECTORS)
    X = Words.fit([record.text for record in RECORDS], settings.text)[1]
    J, Z = by_hand(X, VECTORS, 0.5)
    model = MLSI(6, label_weight=0.9, scaling=0.3, emphasis={"labels": 1.0, "words": 0.1}, tol=1e-10)
    model.fit(J, [record.labels or None for record in RECORDS])
    expected = model.training_coordinates(J, "transductive")
    with tacit.open(path) as index:
        stored = index.positions.of(np.arange(60))
        np.testing.assert_allclose(stored @ stored.T, expected @ expected.T, atol=1e-4)
        texts = [record.text for record in RECORDS]
        placed = {
            "both": (index.space.place_vectors(VECTORS, texts), J @ model.components_.T),
            "words": (index.space.place(texts), X @ ridge_map(X.toarray(), expected)),
            "vectors": (index.space.place_vectors(VECTORS), Z @ ridge_map(Z, expected)),
        }
        assert index.info().weights == pytest.approx({"labels": 1, "words": 0.1, "vectors": 0.05})
    for got, wanted in placed.values():
        np.testing.assert_allclose(got @ got.T, wanted @ wanted.T, atol=1e-3)


def ridge_map(X, V):
    ridge = np.mean((X**2).sum(axis=1))
    return np.linalg.solve(X.T @ X + ridge * np.eye(X.shape[1]), X.T @ V)


def test_weight_1_gives_words_and_vectors_the_same_mean_square_whatever_the_units():
    X = Words.fit([record.text for record in RECORDS], small_settings().text)[1]
    joined = WordsAndVectors(X, RecordVectors.of(VECTORS), 1.0).X.toarray()
    n = X.shape[1]
    assert np.sum(joined[:, n:] ** 2) == pytest.approx(np.sum(joined[:, :n] ** 2), rel=1e-4)
    again = WordsAndVectors(X, RecordVectors.of(7 * VECTORS), 1.0).X.toarray()
    np.testing.assert_allclose(again, joined, atol=1e-5)


def test_weight_0_is_the_index_of_words(tmp_path):
    given = {"suggester": "none", "weights": {"words": 0.1}}
    plain = tacit.build(RECORDS, tmp_path / "a", small_settings(**given))
    given["weights"] = {"words": 0.1, "vectors": 0}
    other = tacit.build(RECORDS, tmp_path / "b", small_settings(**given), vectors=VECTORS)
    with tacit.open(plain) as one, tacit.open(other) as two:
        np.testing.assert_array_equal(one.positions.of(np.arange(60)), two.positions.of(np.arange(60)))
        assert two.info().weights["vectors"] == 0
        assert two.info().numbers == 0
        with pytest.raises(InputError, match="vectors cannot be placed: got vectors for an index that was built from"):
            two.space.place_vectors(VECTORS[:1])


def test_vectors_that_know_the_labels_count_and_noise_does_not():
    records = small_records(240)
    X = Words.fit([record.text for record in records], small_settings().text)[1]
    labels = as_labels([record.labels or None for record in records])
    rng = np.random.default_rng(1)
    knowing = labels.indicator.toarray() @ rng.normal(size=(labels.n_labels, 8)) + 0.05 * rng.normal(size=(240, 8))
    weight, n_tried = weigh_vectors(X, labels, RecordVectors.of(knowing))
    assert weight > 0
    assert n_tried == 144
    assert weigh_vectors(X, labels, RecordVectors.of(rng.normal(size=(240, 200))))[0] == 0
    assert weigh_vectors(X[:40], labels[np.arange(40)], RecordVectors.of(knowing[:40])) == (1.0, 0)


def test_records_are_added_with_and_without_vectors(tmp_path):
    settings = small_settings(weights={"vectors": 0.1}, parameters={"tol": 1e-8})
    path = tacit.build(RECORDS, tmp_path / "i", settings, vectors=VECTORS)
    labelled = [number for number, record in enumerate(RECORDS) if record.labels]
    copies = {
        kind: [Record(f"{kind} {n}", RECORDS[n].text, labels=RECORDS[n].labels) for n in labelled]
        for kind in ("with", "without")
    }
    with tacit.open(path) as index:
        index.add(copies["with"], vectors=VECTORS[labelled])
        index.add(copies["without"])
    with tacit.open(path) as index:
        n = len(labelled)
        stored, added = index.positions.of(np.array(labelled)), index.positions.of(np.arange(60, 60 + 2 * n))
        assert cosines(stored, added[:n]).min() > 0.99999
        assert 0.9 < np.median(cosines(stored, added[n:])) < 0.99999
        with pytest.raises(InputError, match="vectors of added records are not stored"):
            tacit.refit(path)
        assert index.search("whale sea", vector=VECTORS[1], limit=3)
        assert index.suggest("whale ship", vectors=VECTORS[:1])[0].probability > 0
    tacit.refit(path, vectors=np.vstack([VECTORS, VECTORS[labelled], VECTORS[labelled]]))


def test_vectors_beside_words_of_weight_0_are_refused(tmp_path):
    settings = small_settings(weights={"words": 0, "vectors": 1})
    with pytest.raises(InputError, match="weights leaves out the words: got 0 for words and vectors beside them"):
        tacit.build(RECORDS, tmp_path / "i", settings, vectors=VECTORS)


def test_vectors_that_say_nothing_are_refused(tmp_path):
    with pytest.raises(InputError, match="vectors are all the same: got 60 rows of one direction"):
        tacit.build(RECORDS, tmp_path / "i", small_settings(), vectors=np.outer(np.arange(1, 61), np.ones(4)))
    path = tacit.build(RECORDS, tmp_path / "i", small_settings(suggester="none"), vectors=VECTORS)
    with tacit.open(path) as index, pytest.raises(InputError, match="vectors does not match the texts: got 2 rows for"):
        index.space.place_vectors(VECTORS[:2], ["one"])


def test_an_index_of_both_is_measured(tmp_path):
    path = tacit.build(small_records(120), tmp_path / "i", small_settings(), vectors=np.vstack([VECTORS, VECTORS]))
    with tacit.open(path) as index:
        found = index.evaluate(share=0.3)
        assert found.suggest is not None
        assert found.search is not None
        assert found.search.n_titles == 32  # titles have no vectors, and are placed by their words
        assert found.suggest.at[0].precision > 0.3
