"""Recommends items to users, from the ratings of similar users or from positions in one space.

Any space works: positions of users and items are arrays, ratings a sparse table.
"""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from tacit.checks import check_choice, check_count, check_finite, check_rows, is_sparse
from tacit.errors import InputError, TacitWarning, did_you_mean
from tacit.models.mlsa.mlsa import MLSA
from tacit.relations.tables.ratings import as_ratings
from tacit.tasks.recommend.rating_predictions import predict_eq7, strongest
from tacit.tasks.recommend.reasons import Recommendation, RelatedItem, Voices, explained
from tacit.tasks.recommend.user_similarities import (
    as_positions,
    check_one_space,
    cosine_similarities,
    direct_scores,
    marks,
    pearson_similarities,
)
from tacit.types import Array, Float64Array, IntArray

__all__ = [
    "Recommendation", "Recommender", "RelatedItem", "cosine_similarities", "direct_scores", "pearson_similarities",
    "popularity", "predict_eq7",
]  # fmt: skip


class Recommender(BaseEstimator):
    """Recommends items, with reasons.

    Parameters
    ----------
    by : "neighbours" or "positions", default "neighbours"
        "neighbours" finds the most similar users (in the space if there are user positions, otherwise by Pearson's
        correlation of the ratings) and recommends what they rated: eq. (7) of [Wang2006] and its variants. "positions"
        multiplies user and item positions; it needs both, can recommend an item without ratings, and takes no longer
        for many users than for few.
    n_neighbours : int, default 50
    mean, divide_by, candidates : str, defaults "none", "nothing", "everyone"
        As in `predict_eq7`, where the defaults are the paper's. These defaults do not predict a rating but rank
        better: an item that forty neighbours rated 4 comes before one that a single neighbour rated 5.

    Examples
    --------
    >>> ratings = [[5, 4, 0, 0], [5, 5, 4, 0], [4, 5, 5, 1], [1, 0, 0, 5]]
    >>> places = [[1, 0], [1, 0.1], [1, 0.2], [0, 1]]
    >>> found = Recommender(n_neighbours=2).fit(ratings, places, item_names=["Alien", "Brazil", "Cube", "Dune"])
    >>> best = found.recommend(0, n=1)[0]
    >>> best.id, best.why
    ('Cube', ('because you rated Alien 5', 'because 2 people like you rated it 4.5 on average'))
    """

    def __init__(
        self,
        by: str = "neighbours",
        *,
        n_neighbours: int = 50,
        mean: str = "none",
        divide_by: str = "nothing",
        candidates: str = "everyone",
    ) -> None:
        self.by, self.n_neighbours = by, n_neighbours
        self.mean, self.divide_by, self.candidates = mean, divide_by, candidates

    def fit(
        self,
        ratings: Any,
        user_positions: Any = None,
        item_positions: Any = None,
        *,
        dimension_weights: Any = None,
        user_names: Sequence[Hashable] | None = None,
        item_names: Sequence[Hashable] | None = None,
    ) -> Recommender:
        """Store ratings, positions and names.

        Parameters
        ----------
        ratings : table of ratings, n_users x n_items
            A row or column may be empty: a new user or item that has only a position.
        user_positions : array, n_users x n_dimensions, optional
        item_positions : array, n_items x n_dimensions, optional
            They also give the similarities of items for the reasons; without them, the ratings do.
        dimension_weights : array of n_dimensions, optional
            For by="positions": weights of the dimensions in the product, default 1. For a space with positions λ c, 1/λ
            makes it Σ λ c c', the approximation of the ratings by the space.
        user_names, item_names : sequences, optional
            Default: numbers of rows and columns.
        """
        check_choice("by", self.by, ("neighbours", "positions"))
        check_count("n_neighbours", self.n_neighbours)
        self.ratings_ = as_ratings(ratings).copy()
        n_users, n_items = self.ratings_.shape
        self.user_positions_ = as_positions("user_positions", user_positions, n_users, "users")
        self.item_positions_ = as_positions("item_positions", item_positions, n_items, "items")
        if self.by == "positions" and (self.user_positions_ is None or self.item_positions_ is None):
            raise InputError(
                "user_positions or item_positions is missing: got None, expected both for by='positions'. "
                "Use by='neighbours' if there are only ratings."
            )
        if self.by == "positions":
            check_one_space(self.user_positions_, self.item_positions_)
        self.dimension_weights_ = _weights_of(dimension_weights, self.item_positions_)
        self.user_rows_ = {name: row for row, name in enumerate(_names("user_names", user_names, n_users))}
        if len(self.user_rows_) < n_users:
            raise InputError(
                f"user_names has a name twice: got {len(self.user_rows_)} names for {n_users} users, expected all "
                "different."
            )
        self.item_names_ = _names("item_names", item_names, n_items)
        return self

    def fit_space(self, space: MLSA, users: str = "user", items: str = "item", *, relation: Any = None) -> Recommender:
        """Take ratings, positions and names from a space, and 1/λ as the weights of the dimensions.

        Parameters
        ----------
        space : fitted MLSA
        users, items : str, defaults "user" and "item"
            Its types of users and items.
        relation : name, optional
            The relation that holds the ratings; needed only if several join the two types.
        """
        check_is_fitted(space, "eigenvalues_")
        graph = space.relations_
        for argument, kind in (("users", users), ("items", items)):
            check_choice(argument, kind, graph.types)
        block = graph.block((users, items) if relation is None else relation)
        if not block.joins(users, items):
            raise InputError(
                f"relation does not join {users!r} and {items!r}: got {block.name!r}, expected one that does."
            )
        return self.fit(
            block.matrix if block.row_type == users else block.matrix.T,
            space.positions_[users],
            space.positions_[items],
            dimension_weights=1 / space.eigenvalues_,
            user_names=graph.types[users],
            item_names=graph.types[items],
        )

    def scores(self, users: Any = None) -> Array:
        """Score every item for these rows of users, default all; the measures in `tacit.evaluate` take this method.

        Items that no neighbour rated score minus infinity.
        """
        check_is_fitted(self)
        n_users = self.ratings_.shape[0]
        rows = np.arange(n_users) if users is None else np.asarray(users)
        if rows.dtype.kind not in "iu" or rows.ndim != 1 or (rows.size and not 0 <= rows.min() <= rows.max() < n_users):
            raise InputError(f"users is not a list of rows: got {users!r}, expected numbers from 0 to {n_users - 1}.")
        if self.by == "positions":
            return self._direct_scores(self.user_positions_[rows])
        return self._neighbour_scores(self._similarities(rows), rows)

    def recommend(self, user: Hashable, n: int = 10, *, exclude_seen: bool = True) -> list[Recommendation]:
        """Return the n best items for a user, best first, ties in the order of the columns.

        Parameters
        ----------
        user : name, or row if there are no names
        n : int, default 10
            Most items.
        exclude_seen : bool, default True
            Whether to leave out items that the user has rated.
        """
        check_is_fitted(self)
        if user not in self.user_rows_:
            hint = did_you_mean(user, self.user_rows_, "Use `recommend_new` for a new user.")
            raise InputError(f"user is unknown: got {user!r}, expected one of {len(self.user_rows_)} users.{hint}")
        row = self.user_rows_[user]
        own = self.ratings_[[row]]
        similar = self._similarities(np.asarray([row]))
        place = None if self.user_positions_ is None else self.user_positions_[[row]]
        return self._best(similar, place, own, row, check_count("n", n), exclude_seen, repr(user))

    def recommend_new(
        self, position: Any = None, n: int = 10, *, rated: Any = None, exclude_seen: bool = True
    ) -> list[Recommendation]:
        """Return the n best items for a user who was not in `fit`, from a position, from ratings, or from both.

        Parameters
        ----------
        position : array of n_dimensions, optional
            Needed if the recommender has user positions; the model that made these can place a new user.
        n, exclude_seen
            As for `recommend`.
        rated : array or sparse row of n_items, optional
            Ratings so far.
        """
        check_is_fitted(self)
        n_items = self.ratings_.shape[1]
        given = np.zeros((1, n_items)) if rated is None else rated if is_sparse(rated) else np.atleast_2d(rated)
        own = as_ratings(given, "rated").astype(self.ratings_.dtype)
        if own.shape != (1, n_items):
            raise InputError(f"rated is not one user's row: got shape {own.shape}, expected {(1, n_items)}.")
        if (position is None) != (self.user_positions_ is None):
            raise InputError(
                f"position does not match this recommender: got {'None' if position is None else 'one'}, expected one "
                "if and only if it was fitted with user positions."
            )
        place = None if position is None else as_positions("position", np.atleast_2d(position), 1, "users")
        if place is None:
            similar = pearson_similarities(own, self.ratings_)
        else:
            similar = cosine_similarities(place, self.user_positions_)
        return self._best(similar, place, own, -1, check_count("n", n), exclude_seen, "the new user")

    def _direct_scores(self, places: Any) -> Array:
        return direct_scores(places * self.dimension_weights_, self.item_positions_)

    def _similarities(self, rows: IntArray) -> Array:
        if self.user_positions_ is None:
            return pearson_similarities(self.ratings_[rows], self.ratings_)
        return cosine_similarities(self.user_positions_[rows], self.user_positions_)

    def _neighbour_scores(self, similar: Array, rows: IntArray) -> Array:
        asked: dict[str, Any] = {"users": rows, "n_neighbours": self.n_neighbours, "candidates": self.candidates}
        scores = predict_eq7(self.ratings_, similar, mean=self.mean, divide_by=self.divide_by, **asked)
        support = predict_eq7(marks(self.ratings_), similar, mean="none", divide_by="nothing", **asked)
        scores[support <= 0] = -np.inf
        return scores

    def _best(
        self, similar: Array, place: Array | None, own: Any, row: int, n: int, exclude_seen: bool, name: str
    ) -> list[Recommendation]:
        """Rank the items for one user; for a user without neighbours by popularity, with a warning."""
        neighbours = self._asked(similar[0], row)
        asked: npt.NDArray[np.intp] | None = neighbours
        if not (len(neighbours) if place is None or self.by == "neighbours" else place.any()):
            warnings.warn(
                f"Nobody is similar to {name}, neither by ratings nor by position: the most popular items are "
                "recommended.",
                TacitWarning,
                stacklevel=3,
            )
            asked, values = None, popularity(self.ratings_)
        elif self.by == "positions":
            values = self._direct_scores(place)[0]
        else:
            values = self._neighbour_scores(similar, np.asarray([row]))[0]
            if row < 0 and self.mean == "user" and own.nnz:
                # a user without a row was given the mean of all ratings
                values += own.data.mean() - self.ratings_.data.mean()
        if exclude_seen:
            values[own.indices] = -np.inf
        chosen = np.flatnonzero(strongest(values[None, :], n)[0])
        chosen = chosen[np.argsort(-values[chosen], kind="stable")]
        said = self.ratings_ if asked is None else self.ratings_[asked]
        limit = self.ratings_.shape[0] if asked is None else self.n_neighbours
        voices = Voices(said, limit, like_you=asked is not None)
        return explained(chosen, values[chosen], own, voices, self._alike, self.item_names_)

    def _asked(self, similar: Array, row: int) -> npt.NDArray[np.intp]:
        """Return the rows of similar users, nearest first, for the reasons."""
        weights = np.where(similar > 0, similar, -np.inf)
        if row >= 0:
            weights[row] = -np.inf
        limit = self.n_neighbours if self.candidates == "everyone" else len(weights)
        rows = np.flatnonzero(strongest(weights[None, :], limit)[0])
        return rows[np.argsort(-weights[rows], kind="stable")]

    def _alike(self, items: npt.NDArray[np.intp], others: npt.NDArray[np.intp]) -> Array:
        """Return the cosines of items in the space, or of their ratings if there are no positions."""
        if self.item_positions_ is not None:
            return cosine_similarities(self.item_positions_[items], self.item_positions_[others])
        return cosine_similarities(self.ratings_[:, items].T, self.ratings_[:, others].T)


def popularity(ratings: sp.csr_array) -> Float64Array:
    """Return the sum of the ratings of each item; minus infinity without any."""
    total = np.asarray(ratings.sum(axis=0), dtype=np.float64).ravel()
    return np.where(np.bincount(ratings.indices, minlength=ratings.shape[1]) > 0, total, -np.inf)


def _weights_of(values: Any, positions: Array | None) -> Array | float:
    """Return the weights of the dimensions, in the precision of the positions."""
    if values is None or positions is None:
        return 1.0
    weights = np.asarray(values, dtype=positions.dtype)
    if weights.shape != (positions.shape[1],):
        raise InputError(
            f"dimension_weights does not match item_positions: got shape {weights.shape}, "
            f"expected one number for each of {positions.shape[1]} dimensions."
        )
    check_finite("dimension_weights", weights)
    return weights


def _names(name: str, values: Sequence[Hashable] | None, n_expected: int) -> Sequence[Hashable]:
    """Return the names, or the numbers of rows or columns if there are none."""
    if values is None:
        return range(n_expected)
    check_rows(name, len(values), n_expected, of="ratings")
    return tuple(values)
