"""Which records become prototypes: any, or the heads of k-centre clusterings of the classes, [Mu2010] sec. 3.2.

Gonzalez (1985), farthest-first traversal: begin anywhere, then take again and again the record that is farthest from
all heads so far. No record is then farther from its nearest head than twice the radius of the best possible choice of
as many heads. The first k heads do not depend on how many follow, so a class can be given more heads later.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import numpy as np
import scipy.sparse as sp

from tacit.checks import is_sparse
from tacit.models.base import warn
from tacit.models.graphs.prototype_distances import SquaredDistances, as_double, check_overflow
from tacit.operators.base import Array
from tacit.relations.labels.matrix import LabelMatrix

__all__ = ["Traversal", "class_centres", "random_records", "shares"]

_TIE = 1e-8  # squared distances that agree so far differ by rounding only, which is not the same sparse and dense
_AHEAD = 4  # least number of heads that a class taken up again goes ahead


def random_records(n_records: int, n_prototypes: int, rng: np.random.Generator) -> Array:
    """Choose records without looking at them, in the order of the rows."""
    return np.sort(rng.choice(n_records, n_prototypes, replace=False))


def class_centres(
    X: Any, labels: LabelMatrix | None, n_prototypes: int, rng: np.random.Generator
) -> tuple[Array, dict[Hashable, Array]]:
    """Choose the heads of every class such that together they are `n_prototypes` records.

    Classes take a head in turn as `shares` says. A record that is already the head of another class adds nothing to the
    union, so the turns go on until the union is complete. Records without a label, and all records if there are no
    labels, are one class, called None.

    Returns
    -------
    indices : (n_prototypes,) rows of X, ascending
    class_heads : class -> rows of X, in the order in which they were taken
    """
    # one random number a record decides everything that is arbitrary, so that the order of the classes decides nothing
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
    """A farthest-first traversal of some rows of X, which can be taken up again where it was left.

    Attributes
    ----------
    members : rows of X that are traversed, ascending
    luck : a number for each row of X; the member with the smallest is the first head
    n_heads : how many heads were asked for
    order : rows of X in the order of the traversal, which may already have gone further than that
    nearest : squared distance of each member to its nearest head but the last
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
        """The heads that were asked for, fewer if all other members are copies of them."""
        return self.order[: self.n_heads]

    def advance(self, X: Any, n_more: int) -> None:
        """Ask for `n_more` heads."""
        self.n_heads += n_more
        n_walked = len(self.order)
        if self.n_heads <= n_walked or not self.nearest.any():
            return
        # Cutting the class out of X takes longer than a step. What comes back once often comes back again: then it
        # goes on for half as far again, so that a class is cut out a few times only.
        self._walk(X, self.n_heads if n_walked == 0 else max(self.n_heads, n_walked + n_walked // 2 + _AHEAD))

    def _walk(self, X: Any, n_steps: int) -> None:
        """Bring `order` to a length of `n_steps` unless all other members are copies. Ties go to the first row."""
        if not self.order:
            self.order.append(int(self.members[np.argmin(self.luck[self.members])]))
        if len(self.order) >= n_steps:
            return
        rows = as_double(X if len(self.members) == X.shape[0] else X[self.members], sparse=is_sparse(X))
        with np.errstate(over="ignore", invalid="ignore"):  # what overflows is told in a sentence
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
    """Say which class takes the next head, until every class has as many heads as records.

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
    """Give the rows of each class, those without a label last and under None."""
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
    """Let the classes take heads until their union has `n_prototypes` records or nothing new is left.

    As many turns as records are missing cannot lead beyond the number wanted, so a whole round of turns goes to the
    classes at once.
    """
    sizes = np.array([len(walk.members) for walk in traversals])
    ties = np.array([walk.luck[walk.members].sum() for walk in traversals])
    turns = shares(sizes, ties)
    chosen: set[int] = set()
    while len(chosen) < n_prototypes:
        round_of = list(islice(turns, n_prototypes - len(chosen)))
        if not round_of:
            break
        for place, n_more in Counter(round_of).items():
            traversals[place].advance(X, n_more)
            chosen.update(traversals[place].heads[-n_more:])
    return np.array(sorted(chosen), dtype=np.intp)
