"""MovieLens for M-LSA: ratings in folds, the relations of [Wang2006] section 5.1, spaces, rules that score films."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.preprocessing import normalize

from tacit.datasets.movielens import load_movielens
from tacit.evaluate import half_life_utility
from tacit.models.mlsa.mlsa import MLSA
from tacit.relations.tables.ratings import user_means
from tacit.relations.tables.relations import Relations
from tacit.tasks.recommend.recommender import cosine_similarities, pearson_similarities, predict_eq7

__all__ = [
    "FOLDS",
    "PAPER_SPACE",
    "VALUES",
    "Films",
    "Floats",
    "Rule",
    "Space",
    "Split",
    "fit",
    "likeness",
    "plain_similarities",
    "rank_gain",
    "read_films",
    "scores",
    "tfidf",
]

FOLDS = (1, 2, 3, 4, 5)
Floats = npt.NDArray[Any]


class Split(NamedTuple):
    """Ratings that are known and ratings that are asked for, users x films in both."""

    known: sp.csr_array
    asked: sp.csr_array


@dataclass(frozen=True, eq=False)
class Films:
    """The ratings with their folds, and what is known of films and of users: counts, one row per film or user."""

    ratings: sp.csr_array
    folds: sp.csr_array
    of_films: dict[str, sp.csr_array]
    of_users: dict[str, sp.csr_array]

    def split(self, asked: int) -> Split:
        """Ask for the ratings of a published fold."""
        return Split(self._where(self.folds.data != asked), self._where(self.folds.data == asked))

    def _where(self, chosen: npt.NDArray[np.bool_]) -> sp.csr_array:
        pairs = self.ratings.tocoo()
        rows, columns = (each[chosen] for each in pairs.coords)
        return sp.csr_array((pairs.data[chosen], (rows, columns)), shape=pairs.shape)


class Space(NamedTuple):
    """A space: what stands for a rating, the relations with their weights, and how these are scaled.

    The defaults are the paper's, as far as its table 1 tells. `idf` is ln(n / frequency), "plain", or "smooth" as in
    scikit-learn and in `Relations`.
    """

    values: str = "Pearson rows"
    weights: tuple[tuple[str, float], ...] = (("user-item", 0.3), ("user-word", 0.5), ("item-word", 0.2))
    normalise: str = "none"
    n_components: int = 20
    idf: str = "plain"


class Rule(NamedTuple):
    """How films are scored from the positions of users: by equation (7), or by a sum over neighbours."""

    kind: str = "eq. 7"  # "sum": of ratings; "liked": of ratings of 4 and 5 only
    n_neighbours: int = 50
    power: float = 1.0  # of the similarities: above 1, near neighbours count more


PAPER_SPACE = Space()


@cache
def read_films(data_dir: Path | None, *, quick: bool = False) -> Films:
    """Read MovieLens 100K; `quick` keeps every eighth user and the films that these rated often."""
    data = load_movielens(data_dir)
    shape = (len(data.users.ids), len(data.items.ids))
    places = (data.ratings.user - 1, data.ratings.item - 1)
    ratings, folds = (
        sp.csr_array((each.astype(np.float64), places), shape=shape)
        for each in (data.ratings.rating, data.ratings.fold)
    )
    people, films = np.arange(shape[0]), np.arange(shape[1])
    if quick:
        people = people[::8]
        films = np.flatnonzero(np.bincount(ratings[people].indices, minlength=shape[1]) >= 30)
    of_films = {
        "word": _counts([data.items.titles[film] for film in films]),
        "genre": _marked([data.items.genres[film] for film in films]),
        "decade": _marked([(int(data.items.year[film]) // 10,) for film in films]),
    }
    of_users = {
        "age": _marked([(int(data.users.age[one]) // 10,) for one in people]),
        "occupation": _marked([(data.users.occupation[one],) for one in people]),
        "gender": _marked([(data.users.gender[one],) for one in people]),
    }
    kept, parted = (sp.csr_array(each[people][:, films]) for each in (ratings, folds))
    return Films(kept, parted, of_films, of_users)


def _deviations(known: sp.csr_array) -> sp.csr_array:
    """Subtract each user's mean; a rating that equals it stays, as a 0 that counts for nothing."""
    means = np.repeat(user_means(known), np.diff(known.indptr))
    return sp.csr_array((known.data - means, known.indices, known.indptr), shape=known.shape)


def _changed(known: sp.csr_array, change: Callable[[Floats], Floats]) -> sp.csr_array:
    table = sp.csr_array((change(known.data), known.indices.copy(), known.indptr.copy()), shape=known.shape)
    table.eliminate_zeros()
    return table


def tfidf(counts: sp.csr_array, *, like: sp.csr_array | None = None, idf: str = "plain") -> sp.csr_array:
    """Weight columns by their rarity, in `like` if given, and give rows unit length."""
    seen = counts if like is None else like
    n_rows, frequency = seen.shape[0], np.bincount(seen.indices, minlength=seen.shape[1])
    if idf == "plain":
        rarity = np.log(n_rows / np.maximum(frequency, 1)) * (frequency > 0)
    else:
        rarity = np.log((1 + n_rows) / (1 + frequency)) + 1
    return sp.csr_array(normalize(sp.csr_array(counts @ sp.diags_array(rarity))))


VALUES: dict[str, Callable[[sp.csr_array], sp.csr_array]] = {
    "ratings": lambda known: known,
    "tf-idf": tfidf,
    "0/1": lambda known: _changed(known, np.ones_like),
    "deviations": _deviations,
    "Pearson rows": lambda known: sp.csr_array(normalize(_deviations(known))),  # their products are the correlations
    "liked": lambda known: _changed(known, lambda ratings: np.where(ratings >= 4, ratings, 0.0)),
    "above two": lambda known: _changed(known, lambda ratings: np.maximum(ratings - 2.0, 0.0)),
}


def fit(films: Films, known: sp.csr_array, space: Space) -> MLSA:
    """Fit the space of these relations: M-LSA, which is LSA if there is one of them."""
    graph = Relations()
    for name, weight in space.weights:
        row, column = name.split("-")
        graph = graph.add(row, column, _table(films, known, space, name), weight=weight, normalise=space.normalise)
    # closer than the default, so that what is seen is the method and not where the solver stopped
    return MLSA(space.n_components, tol=1e-3).fit(graph)


def _table(films: Films, known: sp.csr_array, space: Space, name: str) -> sp.csr_array:
    row, column = name.split("-")
    if name == "user-item":
        return VALUES[space.values](known)
    if column in films.of_users:
        return films.of_users[column]
    counts = films.of_films[column]
    return tfidf(sp.csr_array(known @ counts) if row == "user" else counts, idf=space.idf)


def likeness(positions: Floats) -> Floats:
    """Compare users by the cosine of their positions."""
    return cosine_similarities(positions)


def scores(known: sp.csr_array, rule: Rule, similarities: Floats) -> Floats:
    """Score all films for all users, from users that are alike."""
    sharpened = np.maximum(similarities, 0.0) ** rule.power
    if rule.kind == "eq. 7":
        return predict_eq7(known, sharpened, n_neighbours=rule.n_neighbours)
    given = known if rule.kind == "sum" else VALUES["liked"](known)
    return predict_eq7(given, sharpened, n_neighbours=rule.n_neighbours, mean="none", divide_by="nothing")


def plain_similarities(films: Films, known: sp.csr_array) -> Mapping[str, Floats]:
    """Compare users without a space: the two baselines of the paper."""
    words = tfidf(sp.csr_array(known @ films.of_films["word"]))
    return {"user-item": pearson_similarities(known), "user-word": cosine_similarities(words)}


def rank_gain(scored: Floats, split: Split) -> float:
    """Return the paper's measure: half-life utility of all films that the user has not rated, half-life 5."""
    return half_life_utility(scored, split.asked, seen=split.known).score


def _counts(texts: Sequence[str]) -> sp.csr_array:
    return sp.csr_array(CountVectorizer(dtype=np.float64).fit_transform(texts))


def _marked(sets: Sequence[Iterable[Any]]) -> sp.csr_array:
    """Return one row per set and one column per member."""
    members = [list(each) for each in sets]
    names = {name: place for place, name in enumerate(sorted({name for each in members for name in each}))}
    rows = np.repeat(np.arange(len(members)), [len(each) for each in members])
    columns = np.asarray([names[name] for each in members for name in each], dtype=np.int64)
    return sp.csr_array((np.ones(len(rows)), (rows, columns)), shape=(len(members), len(names)))
