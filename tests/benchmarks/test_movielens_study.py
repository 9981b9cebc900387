"""The study of films and ratings."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest


def _films(n_users: int = 40, n_films: int = 30) -> Any:
    """Give a small world of ratings with folds, words and ages."""
    import scipy.sparse as sp

    trial = importlib.import_module("mlsa_movielens_trial")
    rng = np.random.default_rng(0)
    taste, kind = rng.integers(2, size=n_users), rng.integers(2, size=n_films)
    there = rng.random((n_users, n_films)) < 0.6
    stars = np.clip(2 + 2 * (taste[:, None] == kind) + rng.integers(-1, 2, size=there.shape), 1, 5)
    folds = rng.integers(1, 6, size=there.shape)
    words = sp.csr_array((rng.random((n_films, 60)) < 0.01 + 0.05 * (np.arange(60) % 2 == kind[:, None])).astype(float))
    ages = sp.csr_array(np.eye(3)[rng.integers(3, size=n_users)])
    tables = (sp.csr_array(np.where(there, each, 0).astype(float)) for each in (stars, folds))
    return trial.Films(*tables, {"word": words, "genre": words[:, :4]}, {"age": ages})


def test_films_are_split_by_fold_and_hidden_ratings_are_nowhere() -> None:
    films = _films()
    split = films.split(2, hidden=4)
    folds = films.folds.toarray()
    assert np.array_equal(split.asked.toarray(), np.where(folds == 2, films.ratings.toarray(), 0))
    assert np.array_equal(split.known.toarray(), np.where(np.isin(folds, (1, 3, 5)), films.ratings.toarray(), 0))


def test_what_stands_for_a_rating_is_what_its_name_says() -> None:
    from sklearn.feature_extraction.text import TfidfTransformer

    from tacit.tasks.recommend.recommender import pearson_similarities

    trial = importlib.import_module("mlsa_movielens_trial")
    known = _films().split(1).known
    rows = trial.VALUES["Pearson rows"](known)
    assert np.allclose((rows @ rows.T).toarray(), pearson_similarities(known))
    assert np.array_equal(trial.VALUES["liked"](known).toarray(), np.where(known.toarray() >= 4, known.toarray(), 0))
    assert np.allclose(trial.tfidf(known, idf="smooth").toarray(), TfidfTransformer().fit_transform(known).toarray())
    dense = known.toarray()
    plain = dense * np.log(len(dense) / (dense > 0).sum(axis=0))
    expected = plain / np.linalg.norm(plain, axis=1, keepdims=True)
    assert np.allclose(trial.tfidf(known).toarray(), expected)
    few = known[:5]
    assert np.allclose(trial.tfidf(few, like=known).toarray(), expected[:5])


def test_settings_for_a_fold_do_not_depend_on_its_ratings() -> None:
    from dataclasses import replace

    choice = importlib.import_module("mlsa_movielens_choice")
    films = _films()
    changed = films.ratings.copy()
    changed.data = np.where(films.folds.data == 3, 6 - changed.data, changed.data)
    values = {}
    for name, each in (("as they are", films), ("changed", replace(films, ratings=changed))):
        validation = choice.space_validation(each)
        way = choice.Way(choice.PAPER_SPACE._replace(n_components=3), choice.Rule("sum", 5))
        values[name] = [validation(way, fold) for fold in (3, 1)]
    assert values["as they are"][0] == values["changed"][0]
    # fold 1 is validated on folds 5 and 2, and fold 3 is in training for both
    assert values["as they are"][1] != values["changed"][1]
    assert [choice.neighbours_of(fold) for fold in (1, 3, 5)] == [(5, 2), (2, 4), (4, 1)]


def test_a_search_improves_one_thing_after_the_other_and_keeps_what_it_has_in_a_tie() -> None:
    choice = importlib.import_module("mlsa_movielens_choice")
    start = choice.Way()
    worth = {("sum", 50): 1.0, ("liked", 50): 1.0, ("sum", 100): 2.0, ("liked", 100): 9.0}

    def stage(*values: tuple[str, Any]) -> Any:
        return lambda way: [way._replace(rule=way.rule._replace(**{field: value})) for field, value in values]

    best = choice.search(
        start,
        [stage(("kind", "sum"), ("kind", "liked")), stage(("n_neighbours", 100), ("n_neighbours", 200))],
        lambda way: worth.get(way.rule[:2], 0.0),
    )
    assert best.rule[:2] == ("sum", 100)


def test_ease_is_a_ridge_regression_of_each_film_on_the_others() -> None:
    from sklearn.linear_model import Ridge

    peers = importlib.import_module("mlsa_movielens_peers")
    known = _films().split(1).known
    scored, _ = peers.scores_of(known, peers.Peer("ease", "ratings", (("ridge", 7.0),)))
    table = known.toarray()
    for film in (0, 11):
        others = np.delete(table, film, axis=1)
        expected = Ridge(7.0, fit_intercept=False, solver="cholesky").fit(others, table[:, film]).predict(others)
        assert np.allclose(scored[:, film], expected)


def test_lists_for_new_users_are_those_of_the_recommender() -> None:
    from tacit.tasks.recommend.recommender import Recommender, cosine_similarities

    cold, trial = importlib.import_module("mlsa_movielens_cold"), importlib.import_module("mlsa_movielens_trial")
    films = _films()
    old, (few, rest) = films.ratings[:30], cold.few_known(films.ratings[30:], 5)
    assert np.array_equal((few + rest).toarray(), films.ratings[30:].toarray())
    assert set(np.diff(few.indptr)) == {5}
    fewer, _ = cold.few_known(few, 3)
    assert np.array_equal(fewer.toarray(), cold.few_known(films.ratings[30:], 3)[0].toarray())
    space = trial.Space("liked", (("user-item", 0.5), ("user-word", 0.5)), "frobenius", 3)
    model = trial.fit(films, old, space)
    places = model.fold_in("user", cold.told_by(films, old, few, space))
    scored = cold.from_neighbours(old, cosine_similarities(places, model.positions_["user"]))
    reader = Recommender(n_neighbours=cold.N_NEIGHBOURS).fit(old, model.positions_["user"])
    for row, place in enumerate(places):
        found = reader.recommend_new(place, 30, rated=few[[row]])
        unseen = np.setdiff1d(np.arange(30), few[[row]].indices)
        assert [int(each.id) for each in found] == sorted(unseen, key=lambda film: -scored[row, film])
    # everybody who was there is placed where they stood
    assert np.allclose(model.fold_in("user", cold.told_by(films, old, old, space)), model.positions_["user"])


def test_the_area_for_liked_films_is_that_of_scikit_learn() -> None:
    from sklearn.metrics import roc_auc_score

    cold = importlib.import_module("mlsa_movielens_cold")
    asked = _films().ratings
    scored = np.random.default_rng(1).integers(6, size=asked.shape).astype(float)
    expected = [roc_auc_score(row >= 4, mine) for row, mine in zip(asked.toarray(), scored, strict=True)]
    assert cold.liked_auc(scored, asked) == pytest.approx(np.mean(expected))


@pytest.mark.realdata
@pytest.mark.filterwarnings("ignore::tacit.errors.TacitWarning")
def test_the_study_of_mlsa_runs_and_mlsa_is_the_best_of_five(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    import os

    if not os.environ.get("TACIT_DATA"):
        pytest.skip("TACIT_DATA is not set: there are no data sets to study")
    main = importlib.import_module("mlsa_movielens").main
    with pytest.raises(SystemExit):
        main(["--quick", "--write"])
    assert "--write needs the whole study" in capsys.readouterr().err
    main(["--quick", "--save", str(tmp_path / "numbers.json")])
    text = capsys.readouterr().out
    numbers = json.loads((tmp_path / "numbers.json").read_text(encoding="utf-8"))
    found = importlib.import_module("mlsa_movielens_numbers").Numbers(numbers)
    methods = importlib.import_module("mlsa_movielens_paper").METHODS
    assert max(methods, key=lambda name: np.mean(found.gains(name, "eq. 7"))) == "M-LSA"
    assert np.mean(found.users("M-LSA, folded in", 10)) > np.mean(found.users("popularity", 10))
    assert np.mean(found.films("M-LSA, folded in"), axis=0)[0] > 0.55
    main(["--from", str(tmp_path / "numbers.json")])
    assert capsys.readouterr().out == text
    for picture in importlib.import_module("mlsa_movielens_figures").draw(numbers, tmp_path):
        assert 5_000 < picture.stat().st_size < 80_000
