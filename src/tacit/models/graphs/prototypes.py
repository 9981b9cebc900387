"""Relation features [Mu2010] sec. 3.2: records described by their distances or similarities to chosen records.

| symbol | word                                | shape |
|--------|-------------------------------------|-------|
| X      | records x terms                     | n x d |
| P      | `prototypes_`, p rows of X          | p x d |
| R      | the result of `transform`, r_ij     | n x p |
| β      | `ratio`, p / n                      |       |
| H_i    | `class_heads_`, heads of each class |       |

The measures are in `relation_measures`.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from tacit.checks import as_rng, check_choice, check_count, check_number, is_sparse
from tacit.errors import InputError
from tacit.models.base import read_records, warn
from tacit.models.graphs.relation_measures import (
    MEASURES,
    SquaredDistances,
    as_double,
    automatic_width,
    check_overflow,
    relations,
)
from tacit.relations.labels.matrix import LabelMatrix, as_labels
from tacit.types import Array

__all__ = ["RelationFeatures", "Traversal", "shares"]

SELECTIONS = ("auto", "random", "centres")
_DEFAULT_RATIO = 0.25
_RANDOM_FROM = 0.5  # p/n from which the paper chooses prototypes at random


class RelationFeatures(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Describe records by their relations to p prototypes, which are training records.

    For use before any model: if there are far more terms than records, the model then has p columns instead of d.
    With x a record, p a prototype and sums over the d terms (table 1 of [Mu2010]):

        euclidean    ‖x − p‖                       dot          x·p
        minkowski    (Σ |x_t − p_t|^P)^(1/P)       cosine       x·p / (‖x‖ ‖p‖)
        gaussian     exp(−‖x − p‖² / σ²)           polynomial   (x·p + 1)^degree
        pearson      (1/d) Σ ((x_t − μ_x)/σ_x) ((p_t − μ_p)/σ_p)

    Parameters
    ----------
    n_prototypes : int or None, default None — p, at most the number of records; None takes `ratio` of them
    ratio : float in (0, 1] or None, default None — β = p/n, rounded, at least one prototype; None is 0.25 if
        `n_prototypes` is not given. 1 takes every record. Only one of the two may be set
    measure : {"euclidean", "minkowski", "dot", "cosine", "polynomial", "gaussian", "pearson"}, default "euclidean" —
        relation of a record and a prototype
    power : float >= 1, default 2 — P of the Minkowski distance; 1 sums the differences, large values emphasise
        the largest one
    degree : int >= 1, default 2 — of the polynomial
    width : "auto" or float > 0, default "auto" — σ² of the Gaussian, the squared distance at which it falls to 1/e;
        "auto" is the median squared distance between the records (500 of them at most) and the prototypes
    selection : {"auto", "random", "centres"}, default "auto" — "random" ignores records and labels; "centres"
        takes the heads of a k-centre clustering of each class; "auto" is the paper's rule, random from half of the
        records on and centres below
    random_state : int, generator or None, default 0 — random prototypes, and the start of each clustering

    Attributes
    ----------
    prototype_indices_ : (p,) row numbers of the prototypes, ascending
    prototypes_ : (p, n_terms) these records, sparse if the records were
    class_heads_ : dict, class -> training records that are its heads, in order of selection; None is the class of
        the records without a label, or of all records without `y`. Empty if the selection was random
    selection_ : "random" or "centres", the selection used
    width_ : float or None, σ² of the Gaussian; None for other measures

    Notes
    -----
    Centres: the records of a class are clustered by Gonzalez's farthest-first traversal (1985) of Euclidean distances,
    with any measure; scale records to length 1 first if their length should not count. The largest distance of a
    record to the nearest head of its class is at most twice the smallest possible. A class has heads in proportion to
    its number of records, at least one if there are as many prototypes as classes. A record that is a head of several
    classes is one prototype; then all classes go on taking heads in the same proportion until there are p. Order and
    names of the classes do not matter. Records with unknown labels and records without labels are one class.

    Pearson: in the paper the means and deviations have an index t, as if they belonged to the terms. Here it is the
    correlation of the two vectors over the terms, each with its own mean and deviation. It is 0 for a constant vector,
    as is the cosine for a vector of zeros.

    Distances are all of similar size. Before a model with a ridge, whose unit is the length of a record, subtract their
    means, with scikit-learn's StandardScaler(with_std=False), or the ridge wipes out what tells records apart.

    Everything is computed in double precision, a block of records at a time; only the result is dense, n x p, in the
    precision of X. Distances of nearly equal records are computed from their difference, so that a record has
    distance 0 from itself. Choosing centres without labels takes p passes over X, with labels about p passes over a
    class. The Minkowski distance other than P = 2 takes one power for each entry of X and each prototype, ten to fifty
    times as long as the others.

    References
    ----------
    [Mu2010] sec. 3.2 and table 1; docs/guide/prototypes.md.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0., 0], [0, 1], [9, 0], [9, 1], [9, 2]])
    >>> features = RelationFeatures(n_prototypes=2).fit(X, ["a", "a", "b", "b", "b"])
    >>> features.class_heads_
    {'a': array([1]), 'b': array([3])}
    >>> features.transform(X[:2]).round(2)
    array([[1.  , 9.06],
           [0.  , 9.  ]])
    """

    _takes_row_blocks = False
    prototype_indices_: Array
    class_heads_: dict[Hashable, Array]
    width_: float | None

    def __init__(
        self,
        n_prototypes: int | None = None,
        *,
        ratio: float | None = None,
        measure: str = "euclidean",
        power: float = 2.0,
        degree: int = 2,
        width: float | str = "auto",
        selection: str = "auto",
        random_state: Any = 0,
    ) -> None:
        self.n_prototypes = n_prototypes
        self.ratio = ratio
        self.measure = measure
        self.power = power
        self.degree = degree
        self.width = width
        self.selection = selection
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> Self:
        """Choose the prototypes.

        Parameters
        ----------
        X : (n_records, n_terms) dense or sparse
        y : binary matrix (dense or sparse), list of label sets, one class per record, or `LabelMatrix`; None makes all
            records one class. Ignored if the selection is random
        """
        self._check_parameters()
        X = read_records(self, X, reset=True)
        rng = as_rng(self.random_state)
        self.selection_ = self.selection
        if self.selection == "auto":
            self.selection_ = "random" if self._ratio(X.shape[0]) >= _RANDOM_FROM else "centres"
        n_prototypes = self._number(X.shape[0])
        if self.selection_ == "random":
            self.prototype_indices_ = np.sort(rng.choice(X.shape[0], n_prototypes, replace=False))
            self.class_heads_ = {}
        else:
            labels = None if y is None else as_labels(y, n_records=X.shape[0])
            self.prototype_indices_, self.class_heads_ = _class_centres(X, labels, n_prototypes, rng)
        self.prototypes_ = X[self.prototype_indices_]
        self.width_ = None
        if self.measure == "gaussian":
            self.width_ = automatic_width(X, self.prototypes_, rng) if self.width == "auto" else float(self.width)
        return self

    def transform(self, X: Any) -> Array:
        """Return the relations of records to the prototypes.

        Parameters
        ----------
        X : (n_records, n_terms) dense or sparse

        Returns
        -------
        R, (n_records, p), dense, in the precision of X; the columns are in the order of `prototype_indices_`
        """
        check_is_fitted(self, "prototypes_")
        X = read_records(self, X, reset=False)
        return relations(
            X, self.prototypes_, self.measure, power=float(self.power), degree=int(self.degree), width=self.width_
        )

    def _check_parameters(self) -> None:
        if self.n_prototypes is not None and self.ratio is not None:
            raise InputError(
                f"n_prototypes and ratio are both set: got {self.n_prototypes!r} and {self.ratio!r}, expected one of "
                "them. Leave the other at None."
            )
        if self.n_prototypes is not None:
            check_count("n_prototypes", self.n_prototypes)
        if self.ratio is not None:
            check_number("ratio", self.ratio, high=1, open_low=True)
        check_choice("measure", self.measure, MEASURES)
        check_choice("selection", self.selection, SELECTIONS)
        check_number("power", self.power, low=1)
        check_count("degree", self.degree)
        if isinstance(self.width, str):
            check_choice("width", self.width, ("auto",))
        else:
            check_number("width", self.width, open_low=True)

    def _number(self, n_records: int) -> int:
        """Return p."""
        if self.n_prototypes is None:
            return max(1, int(self._ratio(n_records) * n_records + 0.5))
        if self.n_prototypes > n_records:
            raise InputError(
                f"n_prototypes is more than there are records: got {self.n_prototypes}, expected at most {n_records}. "
                "Set a smaller number, or ratio instead."
            )
        return int(self.n_prototypes)

    def _ratio(self, n_records: int) -> float:
        """Return β."""
        if self.n_prototypes is not None:
            return self.n_prototypes / n_records
        return _DEFAULT_RATIO if self.ratio is None else float(self.ratio)

    @property
    def _n_features_out(self) -> int:
        return len(self.prototype_indices_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        tags.target_tags.multi_output = True
        return tags


_TIE = 1e-8  # squared distances with a smaller relative difference are equal: sparse and dense rows round differently
_AHEAD = 4  # minimum number of extra heads when a traversal is resumed


def _class_centres(
    X: Any, labels: LabelMatrix | None, n_prototypes: int, rng: np.random.Generator
) -> tuple[Array, dict[Hashable, Array]]:
    """Choose `n_prototypes` heads: return their rows, ascending, and those of each class in order of selection."""
    # one random number per record decides every arbitrary choice, so that the order of the classes has no effect
    luck = rng.random(X.shape[0])
    members = _members(labels, X.shape[0])
    traversals = [Traversal(rows, luck) for rows in members.values()]
    chosen = _grow(X, traversals, n_prototypes)
    short = n_prototypes - len(chosen)
    if short > 0:
        warn(
            f"X repeats its records: the classes have {len(chosen)} different heads for {n_prototypes} prototypes, so "
            f"that {short} of the prototypes are copies of others."
        )
        others = np.setdiff1d(np.arange(X.shape[0]), chosen)
        chosen = np.concatenate([chosen, others[np.argsort(luck[others])[:short]]])
    heads = {name: np.array(walk.heads, dtype=np.intp) for name, walk in zip(members, traversals, strict=True)}
    headless = sum(len(rows) > 0 and not heads[name].size for name, rows in members.items())
    if headless:
        warn(
            f"there are fewer prototypes than classes: {n_prototypes} for {len(members)}, so that {headless} of the "
            "smallest classes have no head of their own."
        )
    return np.sort(chosen).astype(np.intp), heads


@dataclass
class Traversal:
    """A farthest-first traversal of some rows of X that can be resumed.

    Attributes
    ----------
    members : rows of X to traverse, ascending
    luck : a random number per row of X; the member with the smallest is the first head
    n_heads : requested number of heads
    order : rows of X in the order of the traversal, which may have gone further
    nearest : squared distance of each member to its nearest head, the last one excepted
    """

    members: Array
    luck: Array
    n_heads: int = 0
    order: list[int] = field(default_factory=list)
    nearest: Array = field(init=False)

    def __post_init__(self) -> None:
        self.nearest = np.full(len(self.members), np.inf)

    @property
    def heads(self) -> list[int]:
        """The requested heads, fewer if all other members are copies of them."""
        return self.order[: self.n_heads]

    def advance(self, X: Any, n_more: int) -> None:
        """Request `n_more` heads."""
        self.n_heads += n_more
        n_walked = len(self.order)
        if self.n_heads <= n_walked or not self.nearest.any():
            return
        # Taking the rows of the class out of X takes longer than a step. A resumed traversal therefore goes half as far
        # again, so that the rows are taken out a few times only.
        self._walk(X, self.n_heads if n_walked == 0 else max(self.n_heads, n_walked + n_walked // 2 + _AHEAD))

    def _walk(self, X: Any, n_steps: int) -> None:
        """Bring `order` to a length of `n_steps` unless all other members are copies. Ties go to the first row."""
        if not self.order:
            self.order.append(int(self.members[np.argmin(self.luck[self.members])]))
        if len(self.order) >= n_steps:
            return
        rows = as_double(X if len(self.members) == X.shape[0] else X[self.members], sparse=is_sparse(X))
        with np.errstate(over="ignore", invalid="ignore"):  # overflow raises an error below
            squared_distances = SquaredDistances(rows)
            while len(self.order) < n_steps:
                place = np.searchsorted(self.members, self.order[-1])
                distances = squared_distances(rows[[place]]).ravel()
                check_overflow(distances, rows, "distances between records")
                np.minimum(self.nearest, distances, out=self.nearest)
                radius = self.nearest.max()
                if radius == 0:
                    return
                self.order.append(int(self.members[np.argmax(self.nearest >= (1 - _TIE) * radius)]))


def shares(sizes: Array, ties: Array) -> Iterator[int]:
    """Yield the class that takes the next head, until every class has as many heads as records.

    First every class takes one, the largest first. Then it is the turn of the class with the largest size / (2 h + 1),
    h its heads so far (Webster's method): the numbers of heads stay in proportion to the sizes, and a longer list only
    adds to a shorter one. Among equals the larger class comes first, then the one with the smaller `ties`.
    """
    queue = [
        (-np.inf, -int(size), float(tie), place) for place, (size, tie) in enumerate(zip(sizes, ties, strict=True))
    ]
    queue = [entry for entry in queue if entry[1]]
    heapq.heapify(queue)
    taken = np.zeros(len(sizes), dtype=np.intp)
    while queue:
        _, size, tie, place = heapq.heappop(queue)
        yield place
        taken[place] += 1
        if taken[place] < -size:
            heapq.heappush(queue, (size / (2 * int(taken[place]) + 1), size, tie, place))


def _members(labels: LabelMatrix | None, n_records: int) -> dict[Hashable, Array]:
    """Return the rows of each class; records without a label are the last class, None."""
    if labels is None:
        return {None: np.arange(n_records)}
    by_class = sp.csc_array(labels.indicator)
    by_class.sort_indices()
    rows, ends = by_class.indices, by_class.indptr
    members: dict[Hashable, Array] = {name: rows[ends[j] : ends[j + 1]] for j, name in enumerate(labels.names)}
    unlabelled = np.flatnonzero(np.diff(labels.indicator.indptr) == 0)
    if unlabelled.size:
        members[None] = unlabelled
    return members


def _grow(X: Any, traversals: list[Traversal], n_prototypes: int) -> Array:
    """Let the classes take heads until their union has `n_prototypes` records or nothing new is left."""
    sizes = np.array([len(walk.members) for walk in traversals])
    ties = np.array([walk.luck[walk.members].sum() for walk in traversals])
    turns = shares(sizes, ties)
    chosen: set[int] = set()
    while len(chosen) < n_prototypes:
        # a head of another class adds nothing, so as many turns as records are missing cannot be too many
        round_of = list(islice(turns, n_prototypes - len(chosen)))
        if not round_of:
            break
        for place, n_more in Counter(round_of).items():
            traversals[place].advance(X, n_more)
            chosen.update(traversals[place].heads[-n_more:])
    return np.array(sorted(chosen), dtype=np.intp)
