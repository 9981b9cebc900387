"""The pieces of M-LSA's experiments do what their names say."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from tacit.reproduce.mlsa import beyond, postings
from tacit.reproduce.mlsa.films import VALUES, Films, Space, fit, tfidf
from tacit.tasks.recommend.recommender import Recommender, cosine_similarities, pearson_similarities


def _films(n_users: int = 40, n_films: int = 30) -> Films:
    """Return a small world of ratings with folds, words and ages."""
    rng = np.random.default_rng(0)
    taste, kind = rng.integers(2, size=n_users), rng.integers(2, size=n_films)
    there = rng.random((n_users, n_films)) < 0.6
    stars = np.clip(2 + 2 * (taste[:, None] == kind) + rng.integers(-1, 2, size=there.shape), 1, 5)
    folds = rng.integers(1, 6, size=there.shape)
    words = sp.csr_array((rng.random((n_films, 60)) < 0.01 + 0.05 * (np.arange(60) % 2 == kind[:, None])).astype(float))
    ages = sp.csr_array(np.eye(3)[rng.integers(3, size=n_users)])
    tables = [sp.csr_array(np.where(there, each, 0).astype(float)) for each in (stars, folds)]
    return Films(tables[0], tables[1], {"word": words, "genre": words[:, :4]}, {"age": ages})


def test_films_are_split_by_fold() -> None:
    films = _films()
    split, folds = films.split(2), films.folds.toarray()
    assert np.array_equal(split.asked.toarray(), np.where(folds == 2, films.ratings.toarray(), 0))
    assert np.array_equal((split.known + split.asked).toarray(), films.ratings.toarray())


def test_what_stands_for_a_rating_is_what_its_name_says() -> None:
    from sklearn.feature_extraction.text import TfidfTransformer

    known = _films().split(1).known
    rows = VALUES["Pearson rows"](known)
    assert np.allclose((rows @ rows.T).toarray(), pearson_similarities(known))
    assert np.array_equal(VALUES["liked"](known).toarray(), np.where(known.toarray() >= 4, known.toarray(), 0))
    assert np.allclose(tfidf(known, idf="smooth").toarray(), TfidfTransformer().fit_transform(known).toarray())
    dense = known.toarray()
    plain = dense * np.log(len(dense) / (dense > 0).sum(axis=0))
    expected = plain / np.linalg.norm(plain, axis=1, keepdims=True)
    assert np.allclose(tfidf(known).toarray(), expected)
    assert np.allclose(tfidf(known[:5], like=known).toarray(), expected[:5])


def test_ease_is_a_ridge_regression_of_each_film_on_the_others() -> None:
    from sklearn.linear_model import Ridge

    table = _films().split(1).known
    scored, dense = np.asarray(table @ beyond.ease(table, 7.0)), table.toarray()
    for film in (0, 11):
        others = np.delete(dense, film, axis=1)
        expected = Ridge(7.0, fit_intercept=False, solver="cholesky").fit(others, dense[:, film]).predict(others)
        assert np.allclose(scored[:, film], expected)


def test_lists_for_new_users_are_those_of_the_recommender() -> None:
    films = _films()
    old, (few, rest) = films.ratings[:30], beyond.few_ratings(films.ratings[30:], 5)
    assert np.array_equal((few + rest).toarray(), films.ratings[30:].toarray())
    fewer, _ = beyond.few_ratings(few, 3)
    assert np.array_equal(fewer.toarray(), beyond.few_ratings(films.ratings[30:], 3)[0].toarray())
    model = fit(films, old, Space("liked", (("user-item", 1.0),), "frobenius", 3))
    places = model.fold_in("user", {"item": VALUES["liked"](few)})
    scored = beyond.from_neighbours(old, cosine_similarities(places, model.positions_["user"]))
    reader = Recommender(n_neighbours=100).fit(old, model.positions_["user"])
    for row, place in enumerate(places):
        found = reader.recommend_new(place, 30, rated=few[[row]])
        unseen = np.setdiff1d(np.arange(30), few[[row]].indices)
        assert [int(each.id) for each in found] == sorted(unseen, key=lambda film: -scored[row, film])


def test_emails_are_weighted_by_those_that_train(monkeypatch: pytest.MonkeyPatch) -> None:
    def post(author: str, subject: str, body: str) -> Any:
        names = {"subject": subject, "author": author, "organization": None if author == "Cy" else "home"}
        return postings._Post("g", body.split(), subject.split(), names)

    posts = [post("Ann", "cats", "mew mew"), post("Ann", "dogs", "bark mew"), post("Bob", "cats", "purr")]
    monkeypatch.setattr(postings, "_posts", lambda data_dir, quick: (*posts, post("Cy", "owls", "hoot mew")))
    mails = postings.emails.__wrapped__(None, "subjects and bodies")
    seen = postings.view(mails, np.arange(3), scale=0.5)
    words = dict(zip(mails.vocabulary, seen.words.toarray().T, strict=True))
    assert not words["hoot"].any(), "a word of a new email alone is unknown to a model"
    expected = np.array([(1 + np.log(2)) * np.log(3 / 2), np.log(3 / 2)])  # mew, cats
    assert np.allclose([words["mew"][0], words["cat"][0]], expected / np.linalg.norm(expected))
    for table in seen.tables.values():
        lengths = np.linalg.norm(table[:3].toarray(), axis=0)
        assert np.allclose(lengths[lengths > 0], 1)
    assert not seen.tables["author"][[3]].toarray().any()
    assert not seen.subject_words.toarray()[2].any(), "the line of a new subject is unknown too"
    graph = postings.relations(seen, postings.Setting(subject=2.0, subject_word=0.4, author=2.0), np.arange(3))
    assert {block.name: block.weight for block in graph.blocks} == {
        "email-word": 1.0, "email-subject": 2.0, "email-author": 2.0, "subject-word": 0.4,
    }  # fmt: skip
