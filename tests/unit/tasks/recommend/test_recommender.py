"""Neighbours and predictions against loops over the printed formulas; lists, reasons and cold starts by hand."""

from __future__ import annotations

import itertools
import os
import zipfile
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from pairwise import pairwise
from sklearn.exceptions import NotFittedError

from tacit.errors import InputError, TacitWarning
from tacit.evaluate import half_life_utility
from tacit.tasks.recommend.rating_predictions import strongest
from tacit.tasks.recommend.recommender import (
    Recommender,
    cosine_similarities,
    direct_scores,
    pearson_similarities,
    predict_eq7,
)

NAMES = ["Alien", "Brazil", "Cube", "Dune", "Eden"]
RATINGS = np.array([[5, 4, 0, 0, 0], [5, 5, 4, 0, 0], [4, 5, 5, 1, 0], [1, 0, 0, 5, 0], [0, 0, 0, 0, 0]], dtype=float)
USERS = np.array([[1.0, 0.0], [1.0, 0.1], [1.0, 0.2], [0.0, 1.0], [0.1, 1.0]])
ITEMS = np.array([[1.0, 0.0], [1.0, 0.3], [1.0, 0.1], [0.0, 1.0], [0.2, 0.9]])


@pytest.fixture
def ratings(rng):
    """12 users and 9 items; user 3 rated nothing, user 4 everything the same, item 5 is unrated."""
    table = rng.integers(1, 6, size=(12, 9)) * (rng.random((12, 9)) < 0.6)
    table[3] = 0
    table[4] = np.where(table[4] > 0, 3, 0)
    table[:, 5] = 0
    return table.astype(float)


def pearson_by_definition(one, other, over):
    rated = [item for item in range(len(one)) if one[item] and other[item]]
    first = {item: one[item] - one[one > 0].mean() for item in range(len(one)) if one[item]}
    second = {item: other[item] - other[other > 0].mean() for item in range(len(other)) if other[item]}
    above = sum(first[item] * second[item] for item in rated)
    below = sum(first[item] ** 2 for item in (rated if over == "co-rated" else first))
    below *= sum(second[item] ** 2 for item in (rated if over == "co-rated" else second))
    return above / np.sqrt(below) if below > 1e-20 else 0.0


def eq7_by_definition(table, weights, user, item, n, mean, divide_by, candidates, positive_only):
    """One number of eq. (7), by loops over people."""
    means = {u: row[row > 0].mean() if row.any() else table[table > 0].mean() for u, row in enumerate(table)}
    asked = [u for u in range(len(table)) if u != user and (weights[u] > 0 if positive_only else weights[u] != 0)]
    if candidates == "raters":
        asked = [u for u in asked if table[u, item]]
    asked = sorted(asked, key=lambda u: -weights[u])[:n]
    raters = [u for u in asked if table[u, item]]
    above = sum(weights[u] * (table[u, item] - (means[u] if mean == "user" else 0)) for u in raters)
    below = sum(abs(weights[u]) for u in (raters if divide_by == "raters" else asked))
    if divide_by == "nothing":
        below = 1
    return (means[user] if mean == "user" else 0) + (above / below if below else 0)


@pytest.mark.parametrize("over", ["all", "co-rated"])
def test_pearson_is_the_printed_formula(ratings, over):
    found = pearson_similarities(ratings, over=over)
    expected = [[pearson_by_definition(one, other, over) for other in ratings] for one in ratings]
    assert found == pytest.approx(np.array(expected))
    assert (found[3] == 0).all()
    assert (found[4] == 0).all()


def test_pearson_of_fully_rated_tables_is_the_textbooks(rng):
    table = rng.integers(1, 6, size=(5, 20))
    for over in ("all", "co-rated"):
        assert pearson_similarities(table, over=over) == pytest.approx(np.corrcoef(table))


def test_pearson_with_others_is_a_part_of_the_whole(ratings):
    whole = pearson_similarities(ratings)
    assert pearson_similarities(ratings[2:4], sp.csc_array(ratings)) == pytest.approx(whole[2:4])
    assert pearson_similarities(ratings.astype(np.float32)).dtype == np.float32


def test_too_few_items_in_common_are_nothing_in_common(ratings):
    common = (ratings > 0).astype(int) @ (ratings > 0).T
    plain, strict = pearson_similarities(ratings), pearson_similarities(ratings, min_common=4)
    assert (strict == np.where(common >= 4, plain, 0)).all()
    assert (strict != plain).any()


def test_equal_ratings_that_miss_their_mean_by_rounding_correlate_with_nobody():
    table = np.array([[0.1, 0.1, 0.1], [0.7, 0.7, 0.7], [1.0, 2.0, 4.0]])
    assert (pearson_similarities(table)[:2] == 0).all()


def test_cosines(rng):
    places, others = rng.normal(size=(4, 3)), rng.normal(size=(5, 3))
    places[1] = 0
    expected = [[p @ q / np.linalg.norm(p) / np.linalg.norm(q) if p.any() else 0 for q in others] for p in places]
    assert cosine_similarities(places, others) == pytest.approx(np.array(expected))
    assert cosine_similarities(sp.csr_array(places), others) == pytest.approx(np.array(expected))
    assert cosine_similarities(others).diagonal() == pytest.approx(1)
    assert cosine_similarities(places.astype(np.float32)).dtype == np.float32


def test_the_strongest_are_the_leftmost_of_equals():
    weights = np.array([[1.0, 2.0, 2.0, 2.0], [5.0, 1.0, 1.0, 0.0], [-np.inf, 3.0, -np.inf, -np.inf]])
    assert strongest(weights, 2).astype(int).tolist() == [[0, 1, 1, 0], [1, 1, 0, 0], [0, 1, 0, 0]]
    assert strongest(weights, 9).sum() == 9


def test_eq7_by_hand():
    # neighbours of user 0 with weights 1/2 and 1/4; means 4, 3 and 2; the third neighbour did not rate item 1
    table = np.array([[4, 0], [2, 4], [1, 3], [5, 0]])
    weights = [[0.9, 0.5, 0.25, 0.25]]
    found = predict_eq7(table, weights, users=[0])
    assert found[0, 1] == pytest.approx(4 + (0.5 * 1 + 0.25 * 1) / (0.5 + 0.25 + 0.25))
    assert predict_eq7(table, weights, users=[0], divide_by="raters")[0, 1] == pytest.approx(5)
    assert predict_eq7(table, weights, users=[0], mean="none", divide_by="nothing")[0, 1] == pytest.approx(2.75)


@pairwise(
    mean=["user", "none"],
    divide_by=["neighbours", "raters", "nothing"],
    candidates=["everyone", "raters"],
    positive_only=[True, False],
)
def test_predictions_are_the_loops(ratings, rng, mean, divide_by, candidates, positive_only):
    weights = np.round(rng.uniform(-1, 1, size=(12, 12)), 1)  # rounded, so that some are tied and some are 0
    options = {"mean": mean, "divide_by": divide_by, "candidates": candidates, "positive_only": positive_only}
    expected = [
        [eq7_by_definition(ratings, weights[user], user, item, 3, **options) for item in range(9)] for user in range(12)
    ]
    assert predict_eq7(ratings, weights, n_neighbours=3, **options) == pytest.approx(np.array(expected))


def test_predictions_do_not_depend_on_the_form_nor_on_the_blocks(ratings, rng, monkeypatch):
    weights = rng.uniform(-1, 1, size=(12, 12)) * (rng.random((12, 12)) < 0.5)
    for candidates in ("everyone", "raters"):
        whole = predict_eq7(ratings, weights, n_neighbours=3, candidates=candidates)
        sparse = predict_eq7(sp.coo_matrix(ratings), sp.csc_array(weights), n_neighbours=3, candidates=candidates)
        assert sparse == pytest.approx(whole)
        part = predict_eq7(ratings, weights[[7, 2]], users=[7, 2], n_neighbours=3, candidates=candidates)
        assert part == pytest.approx(whole[[7, 2]])
        single = predict_eq7(ratings.astype(np.float32), weights.astype(np.float32), candidates=candidates)
        assert single.dtype == np.float32
        with monkeypatch.context() as small:
            small.setattr("tacit.tasks.recommend.rating_predictions._BATCH_NUMBERS", 30)
            assert predict_eq7(ratings, weights, n_neighbours=3, candidates=candidates) == pytest.approx(whole)


def test_nobody_is_their_own_neighbour_and_a_newcomer_has_the_mean_of_all(ratings):
    assert predict_eq7(ratings, np.eye(12))[0] == pytest.approx(ratings[0][ratings[0] > 0].mean())
    new = predict_eq7(ratings, [[0.0] * 12], users=[-1])
    assert new == pytest.approx(np.full((1, 9), ratings[ratings > 0].mean()))
    assert predict_eq7(ratings, np.eye(12)[:1], users=[-1], mean="none")[0] == pytest.approx(ratings[0])


def test_direct_scores_are_products():
    assert direct_scores(USERS, ITEMS) == pytest.approx(np.array([[u @ i for i in ITEMS] for u in USERS]))
    assert direct_scores(USERS, ITEMS, cosine=True) == pytest.approx(cosine_similarities(USERS, ITEMS))
    assert direct_scores(USERS.astype(np.float32), ITEMS.astype(np.float32)).dtype == np.float32


def test_a_list_has_the_best_unseen_items_and_their_reasons():
    found = Recommender(n_neighbours=2).fit(RATINGS, USERS, ITEMS, item_names=NAMES).recommend(0)
    weights = cosine_similarities(USERS)[0]
    assert [hit.id for hit in found] == ["Cube", "Dune"]
    assert [hit.score for hit in found] == pytest.approx([4 * weights[1] + 5 * weights[2], weights[2]])
    assert found[0].why == ("because you rated Alien 5", "because 2 people like you rated it 4.5 on average")
    assert found[1].why[-1] == "because 1 person like you rated it 1.0"
    assert (found[0].n_raters, found[0].mean_rating) == (2, 4.5)
    assert found[0].because_of == (("Alien", 5.0, pytest.approx(ITEMS[0] @ ITEMS[2] / np.linalg.norm(ITEMS[2]))),)


def test_disliked_items_and_the_item_itself_are_no_reasons():
    fitted = Recommender(n_neighbours=2).fit(RATINGS, USERS, ITEMS, item_names=NAMES)
    found = {hit.id: hit for hit in fitted.recommend(2, exclude_seen=False)}
    assert set(found) == {"Alien", "Brazil", "Cube"}
    # at (1, 0.1), Cube lies between Alien at (1, 0) and Brazil at (1, 0.3), nearer to Alien
    assert [one.id for one in found["Cube"].because_of] == ["Alien", "Brazil"]
    assert all("Dune" not in reason for hit in found.values() for reason in hit.why)


def test_without_positions_the_ratings_decide(ratings):
    fitted = Recommender().fit(ratings, user_names=list("abcdefghijkl"))
    weights = np.maximum(pearson_similarities(ratings) - np.eye(12), 0)
    expected = weights @ ratings
    scores = fitted.scores()
    told = weights @ (ratings > 0) > 0
    assert told.any(axis=1).sum() > 5
    assert (np.isfinite(scores) == told).all()
    assert scores[told] == pytest.approx(expected[told])
    assert (fitted.scores([1, 3]) == scores[[1, 3]]).all()


def test_without_item_positions_items_resemble_those_that_the_same_people_rated(ratings):
    best = Recommender().fit(ratings).recommend(0, 1)[0]
    assert len(best.because_of) == 2
    for related in best.because_of:
        one, other = ratings[:, int(best.id)], ratings[:, int(related.id)]
        assert related.similarity == pytest.approx(one @ other / np.linalg.norm(one) / np.linalg.norm(other))
        assert related.rating == ratings[0, int(related.id)] >= ratings[0][ratings[0] > 0].mean()
    assert best.because_of[0].similarity >= best.because_of[1].similarity


def test_a_list_is_the_order_of_the_scores(ratings, rng):
    places, items = rng.normal(size=(12, 4)), rng.normal(size=(9, 4))
    for by, mean in itertools.product(("neighbours", "positions"), ("user", "none")):
        fitted = Recommender(by, n_neighbours=5, mean=mean).fit(ratings, places, items)
        scores = np.where(ratings > 0, -np.inf, fitted.scores())
        for user in range(12):
            found = fitted.recommend(user, 4)
            order = [item for item in np.argsort(-scores[user], kind="stable")[:4] if scores[user, item] > -np.inf]
            assert [int(hit.id) for hit in found] == order
            assert [hit.score for hit in found] == pytest.approx(scores[user, order])


def test_the_raters_of_an_item_are_counted_up_to_the_number_of_neighbours():
    table = np.array([[5, 0], [4, 1], [4, 2], [4, 3], [4, 5]])
    places = np.array([[1.0, 0.0], [1.0, 0.1], [1.0, 0.2], [1.0, 0.3], [1.0, 0.4]])
    for candidates in ("everyone", "raters"):
        (found,) = Recommender(n_neighbours=3, candidates=candidates).fit(table, places).recommend(0)
        assert (found.n_raters, found.mean_rating) == (3, 2.0)


def test_a_user_without_ratings_is_served_from_their_position():
    found = Recommender(n_neighbours=1).fit(RATINGS, USERS, ITEMS, item_names=NAMES).recommend(4)
    assert [hit.id for hit in found] == ["Dune", "Alien"]
    assert found[0].why == ("because 1 person like you rated it 5.0",)


def test_an_item_without_ratings_is_found_by_its_position_only():
    by_place = Recommender("positions").fit(RATINGS, USERS, ITEMS, item_names=NAMES)
    found = by_place.recommend(3, 5)
    assert found[0].id == "Eden"
    assert (found[0].n_raters, found[0].why) == (0, ("because you rated Dune 5",))
    assert np.isnan(found[0].mean_rating)
    assert by_place.scores() == pytest.approx(USERS @ ITEMS.T)
    by_people = Recommender().fit(RATINGS, USERS, ITEMS, item_names=NAMES)
    assert "Eden" not in [hit.id for hit in by_people.recommend(3, 5)]


def test_a_newcomer_like_a_known_user_gets_what_these_would():
    model = Recommender(n_neighbours=2, mean="user", divide_by="raters")
    known = model.fit(RATINGS, USERS, ITEMS, item_names=NAMES).recommend(0)
    model.fit(RATINGS[1:], USERS[1:], ITEMS, item_names=NAMES)
    for rated in (RATINGS[0], sp.csr_array(RATINGS[:1])):
        found = model.recommend_new(USERS[0], rated=rated)
        assert [hit.why for hit in found] == [hit.why for hit in known]
        assert [hit.score for hit in found] == pytest.approx([hit.score for hit in known])


def test_a_newcomer_is_served_from_their_ratings_alone(ratings):
    found = Recommender().fit(ratings[1:]).recommend_new(rated=ratings[0])
    known = Recommender().fit(ratings).recommend(0)
    assert len(known) > 1
    assert [(hit.id, hit.why) for hit in found] == [(hit.id, hit.why) for hit in known]


def test_somebody_of_whom_nothing_is_known_gets_what_is_popular():
    fitted = Recommender().fit(RATINGS, item_names=NAMES)
    with pytest.warns(TacitWarning, match="Nobody is similar to 4, neither by ratings nor by position"):
        found = fitted.recommend(4)
    assert [hit.id for hit in found] == ["Alien", "Brazil", "Cube", "Dune"]
    assert [hit.score for hit in found] == [15, 14, 9, 6]
    assert found[0].why == ("because 4 people rated it 3.8 on average",)
    with pytest.warns(TacitWarning, match="Nobody is similar to the new user"):
        assert fitted.recommend_new() == found
    with pytest.warns(TacitWarning, match="Nobody is similar to the new user"):
        Recommender("positions").fit(RATINGS, USERS, ITEMS).recommend_new([0.0, 0.0])


def test_a_lonely_user_is_not_their_own_neighbour():
    lonely = Recommender().fit([[5, 0], [0, 4]], [[1.0, 0.0], [0.0, 1.0]])
    with pytest.warns(TacitWarning, match="Nobody is similar to 0"):
        assert [hit.id for hit in lonely.recommend(0)] == ["1"]


def test_what_was_fitted_is_a_copy():
    table = sp.csr_array(RATINGS)
    fitted = Recommender(n_neighbours=2).fit(table, USERS)
    before = fitted.scores()
    table.data[:] = 1
    assert (fitted.scores() == before).all()
    assert Recommender("positions", n_neighbours=3).get_params()["n_neighbours"] == 3


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n_neighbours": 0}, "n_neighbours is out of range: got 0"),
        ({"mean": "users"}, "mean is unknown: got 'users', expected one of 'user', 'none'. Did you mean 'user'"),
        ({"divide_by": "all"}, "divide_by is unknown: got 'all'"),
        ({"candidates": "rater"}, "candidates is unknown: got 'rater'.*Did you mean 'raters'"),
        ({"similarities": np.eye(3)}, r"similarities does not match ratings: got float64 values of shape \(3, 3\)"),
        ({"similarities": np.full((5, 5), np.nan)}, "similarities contains NaN"),
        (
            {"similarities": np.eye(5)[:2]},
            "users does not match similarities: got None, expected for each",
        ),
        ({"users": [0, 1]}, "users does not match similarities: got 2 rows"),
        ({"users": [0, 1, 2, 3, 5]}, "a row of ratings from 0 to 4, or -1 for someone without one"),
        ({"users": [0, 1, 2, 3, -2]}, "users does not match similarities"),
        ({"ratings": [1, 2]}, "ratings is not a table of numbers"),
    ],
)
def test_bad_input_to_predictions_is_named(change, message):
    with pytest.raises(InputError, match=message):
        predict_eq7(**{"ratings": RATINGS, "similarities": np.eye(5)} | change)


def test_bad_input_to_similarities_is_named():
    with pytest.raises(InputError, match=r"over is unknown: got 'corated', expected.*Did you mean 'co-rated'"):
        pearson_similarities(RATINGS, over="corated")
    with pytest.raises(InputError, match="min_common is out of range: got 0"):
        pearson_similarities(RATINGS, min_common=0)
    with pytest.raises(InputError, match="others does not match ratings: got 2 items for 5"):
        pearson_similarities(RATINGS, RATINGS[:, :2])
    with pytest.raises(InputError, match="positions does not match others: got 2 dimensions for 1"):
        cosine_similarities(USERS, USERS[:, :1])
    with pytest.raises(InputError, match="positions is not a matrix of numbers: got float64 values in 1 dimension"):
        cosine_similarities(USERS[0])
    with pytest.raises(InputError, match="others contains NaN: the first one is in row 0"):
        cosine_similarities(USERS, [[np.nan, 1.0]])
    with pytest.raises(InputError, match="item_positions does not match user_positions: got 1 dimensions for 2"):
        direct_scores(USERS, ITEMS[:, :1])
    with pytest.raises(InputError, match="user_positions is not a matrix of numbers"):
        direct_scores(USERS[0], ITEMS)


@pytest.mark.parametrize(
    ("by", "change", "message"),
    [
        ("position", {}, "by is unknown: got 'position', expected.*Did you mean 'positions'"),
        ("positions", {"item_positions": None}, "user_positions or item_positions is missing: got None"),
        ("positions", {"item_positions": ITEMS[:, :1]}, "item_positions does not match user_positions"),
        ("neighbours", {"user_positions": USERS[:2]}, "user_positions does not match the users: got 2 rows for 5"),
        ("neighbours", {"item_positions": ITEMS[:2]}, "item_positions does not match the items: got 2 rows for 5"),
        ("neighbours", {"item_names": NAMES[:2]}, "item_names does not match ratings: got 2 rows for 5"),
        ("neighbours", {"user_names": list("aabcd")}, "user_names has a name twice: got 4 names for 5 users"),
    ],
)
def test_bad_input_to_fit_is_named(by, change, message):
    with pytest.raises(InputError, match=message):
        Recommender(by).fit(**{"ratings": RATINGS, "user_positions": USERS, "item_positions": ITEMS} | change)


def test_bad_questions_are_named():
    fitted = Recommender().fit(RATINGS, USERS, user_names=["anna", "bert", "carl", "dora", "emil"])
    with pytest.raises(InputError, match=r"user is unknown: got 'ana', expected one of 5 users. Did you mean 'anna'"):
        fitted.recommend("ana")
    with pytest.raises(InputError, match=r"user is unknown: got 0.*Use `recommend_new` for a new user"):
        fitted.recommend(0)
    with pytest.raises(InputError, match="n is out of range: got 0"):
        fitted.recommend("anna", 0)
    with pytest.raises(InputError, match=r"users is not a list of rows: got .*expected numbers from 0 to 4"):
        fitted.scores([5])
    with pytest.raises(InputError, match="position does not match this recommender: got None"):
        fitted.recommend_new(rated=RATINGS[0])
    with pytest.raises(InputError, match="position does not match this recommender: got one"):
        Recommender().fit(RATINGS).recommend_new([1.0, 0.0])
    with pytest.raises(InputError, match=r"rated is not one user's row: got shape \(1, 2\), expected \(1, 5\)"):
        fitted.recommend_new([1.0, 0.0], rated=[1, 2])
    for ask in (lambda: Recommender().recommend(0), Recommender().scores, Recommender().recommend_new):
        with pytest.raises(NotFittedError):
            ask()


@pytest.mark.realdata
@pytest.mark.skipif(not os.environ.get("TACIT_DATA"), reason="TACIT_DATA is not set: it names the folder of data sets")
def test_neighbours_in_a_space_beat_pearson_and_both_beat_chance_on_movielens():
    archive = zipfile.ZipFile(Path(os.environ["TACIT_DATA"]) / "movielens100k" / "ml-100k.zip")
    (name,) = [name for name in archive.namelist() if name.endswith("u.data")]
    rows = np.loadtxt(archive.open(name), dtype=int)
    held_out = np.random.default_rng(0).random(len(rows)) < 0.2
    train, test = (
        sp.csr_array((part[:, 2].astype(float), (part[:, 0] - 1, part[:, 1] - 1)), shape=(943, 1682))
        for part in (rows[~held_out], rows[held_out])
    )
    left, values, _ = sp.linalg.svds(train, 20, rng=np.random.default_rng(0))
    in_space = half_life_utility(Recommender().fit(train, left * values).scores, test, seen=train).score
    by_ratings = half_life_utility(Recommender().fit(train).scores, test, seen=train).score
    assert in_space > by_ratings + 2
    assert by_ratings > 20 * half_life_utility(np.zeros(train.shape), test, seen=train).score
