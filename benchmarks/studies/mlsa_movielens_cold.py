"""Films that nobody has rated and users who have rated little: how well does M-LSA place them?

A fifth of the films, or of the users, is left out of the space altogether and folded in afterwards: films by their
words and genres, users by a few ratings and the words and genres of what they rated. Fifths are drawn at random with
seed 0. The settings for films were looked for on the first fifth, which is therefore not among the tests; those for
users are such as were chosen for recommending.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from mlsa_movielens_trial import VALUES, Films, Floats, Space, fit, tfidf
from scipy.stats import rankdata

from tacit.evaluate import half_life_utility, precision_recall_ndcg
from tacit.tasks.recommend.recommender import cosine_similarities, pearson_similarities, predict_eq7

__all__ = [
    "GROUPS",
    "KNOWN",
    "few_known",
    "from_neighbours",
    "groups",
    "liked_auc",
    "new_films",
    "new_users",
    "told_by",
]

GROUPS = (1, 2, 3, 4)
KNOWN = (5, 10, 20)
Rows = npt.NDArray[np.int64]

_ABOUT = ("word", "genre")
_FILM_SPACE = Space(
    "ratings",
    (("user-item", 1.0), *((f"{who}-{what}", 0.3) for what in _ABOUT for who in ("user", "item"))),
    "frobenius",
    idf="smooth",  # plain weights all but forget genres that most films have
)
_USER_SPACES = {
    "LSA, folded in": Space("liked", (("user-item", 1.0),), "frobenius", 10),
    "M-LSA, folded in": Space("liked", (("user-item", 0.5), ("user-word", 0.5), ("user-genre", 0.1)), "frobenius"),
}
N_NEIGHBOURS = 100


def groups(n_objects: int) -> Rows:
    """Draw a group from 0 to 4 for every object, all about equally large."""
    return np.random.default_rng(0).permutation(np.arange(n_objects) % 5)


def new_films(films: Films, group: int) -> Iterator[list[Any]]:
    """Hide a group of films and rank them for all users: method, AUC of films rated 4 or 5, nDCG@10 of these."""
    member = groups(films.ratings.shape[1]) == group
    old, new = np.flatnonzero(~member), np.flatnonzero(member)
    known, asked = (sp.csr_array(films.ratings[:, part]) for part in (old, new))
    there = Films(known, films.folds[:, old], {name: table[old] for name, table in films.of_films.items()}, {})
    told = {what: tfidf(films.of_films[what][new], like=there.of_films[what], idf="smooth") for what in _ABOUT}
    profiles = {what: tfidf(sp.csr_array(known @ there.of_films[what]), idf="smooth") for what in _ABOUT}
    space = fit(there, known, _FILM_SPACE)
    by_words, by_genres = (cosine_similarities(profiles[what], told[what]) for what in _ABOUT)
    ways = {
        "chance": np.zeros(asked.shape),
        "profile of words": by_words,
        "profile of genres": by_genres,
        "profile of both": by_words + by_genres,
        "M-LSA, folded in": cosine_similarities(space.positions_["user"], space.fold_in("item", told)),
    }
    for name, scored in ways.items():
        yield [name, liked_auc(scored, asked), precision_recall_ndcg(scored, asked, 10, relevant_from=4).ndcg]


def liked_auc(scored: Floats, asked: sp.csr_array) -> float:
    """Give how often a film rated 4 or 5 stands before one that was not, the mean over users who have both."""
    liked = VALUES["liked"](asked).toarray() > 0
    n_liked = liked.sum(axis=1)
    both = (n_liked > 0) & (n_liked < liked.shape[1])
    ranks, good, n_good = rankdata(scored[both], axis=1), liked[both], n_liked[both]
    wins = (ranks * good).sum(axis=1) - n_good * (n_good + 1) / 2
    return float((wins / (n_good * (liked.shape[1] - n_good))).mean())


def new_users(films: Films, group: int) -> Iterator[list[Any]]:
    """Leave a group of users out and recommend to them: method, ratings known, rank gain, nDCG@10.

    Twenty ratings of each are never asked for, so that all rank the same films, whatever is known. A rating of 3 is
    worth nothing here: a mean of five ratings is no baseline.
    """
    member = groups(films.ratings.shape[0]) == group
    ratings = sp.csr_array(films.ratings[~member])
    seen, asked = few_known(sp.csr_array(films.ratings[member]), max(KNOWN))
    there = Films(ratings, films.folds[~member], films.of_films, {})
    spaces = {name: fit(there, ratings, space) for name, space in _USER_SPACES.items()}
    popular = np.tile(VALUES["liked"](ratings).sum(axis=0), (asked.shape[0], 1))
    for n in KNOWN:
        few, _ = few_known(seen, n)
        lists = {"popularity": popular, "Pearson": from_neighbours(ratings, pearson_similarities(few, ratings))}
        for name, space in spaces.items():
            places = space.fold_in("user", told_by(films, ratings, few, _USER_SPACES[name]))
            alike = cosine_similarities(places, space.positions_["user"])
            lists[name] = from_neighbours(ratings, alike)
        for name, scored in lists.items():
            gain = half_life_utility(scored, asked, seen=seen, baseline=3).score
            yield [name, n, gain, precision_recall_ndcg(scored, asked, 10, seen, relevant_from=4).ndcg]


def from_neighbours(ratings: sp.csr_array, alike: Floats) -> Floats:
    """Score films for new users as `Recommender.recommend_new` does, but for all of them at once."""
    nobody = np.full(len(alike), -1)  # they have no row among the ratings
    scored = predict_eq7(ratings, alike, n_neighbours=N_NEIGHBOURS, users=nobody, mean="none", divide_by="nothing")
    scored[~(alike > 0).any(axis=1)] = ratings.sum(axis=0)  # whom nobody resembles gets what most people rate well
    return scored


def told_by(films: Films, ratings: sp.csr_array, few: sp.csr_array, space: Space) -> dict[str, sp.csr_array]:
    """Give what a few ratings say of users, in the units of the relations of a space."""
    told = {"item": VALUES[space.values](few)}
    for name, _ in space.weights:
        what = name.removeprefix("user-")
        if what != "item":
            table = films.of_films[what]
            told[what] = tfidf(sp.csr_array(few @ table), like=sp.csr_array(ratings @ table))
    return told


def few_known(ratings: sp.csr_array, n: int) -> tuple[sp.csr_array, sp.csr_array]:
    """Part the ratings: n a user, drawn at random, and the others; fewer are among more."""
    pairs = ratings.tocoo()
    drawn = np.random.default_rng(0).random(ratings.shape)[pairs.coords]
    order = np.lexsort((drawn, pairs.coords[0]))
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order)) - np.repeat(ratings.indptr[:-1], np.diff(ratings.indptr))
    known, other = (
        sp.csr_array((pairs.data[part], tuple(each[part] for each in pairs.coords)), shape=ratings.shape)
        for part in (place < n, place >= n)
    )
    return known, other
