"""Views: what is known about records besides their words, in one objective.

    min (1 − β)‖X − V A‖² + β Σ_v w_v ‖M_v ∘ (F_v − V B_v)‖²,  VᵀV = I,  Σ_v w_v = 1

A view F_v is a matrix with one row per record and one column per *thing*: a label, a class of a taxonomy, an author, a
number, a dimension of a vector. M_v marks the records of which the view knows something; the rows of the others are
missing, not zero. Every view is scaled so that a record weighs as much in it as in X, then by √w_v, so that
C = (1−β) K + β Σ_v F_v F_vᵀ is again eq. (2) of [Yu2005] with the label matrix [F_1, F_2, …].

**Missing rows** are filled with what the words predict: a first space is found from the records of which something is
known; a record at t in it by its words gets the row t B_v, and the space is found again from all records. Predictions
of a regression are shorter than what they predict, and a short row says "has few of these", so each filled row gets
`FILLED_LENGTH` times the length of a mean known row. The filled matrix is sparse plus low rank and is never formed.

**A record with known views** is placed by the stationary condition of the objective, exactly as the records of the fit:

    v = (x XᵀV + β/(1−β) Σ_v f_v F_vᵀV) / μ                                                         (fold-in)

with f_v from (x W) B_v, at the length of a filled row, if it is unknown. A record of which nothing is known is at x W.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from tacit.checks import check_finite, check_number, check_rows, is_sparse
from tacit.errors import InputError
from tacit.models.common.labels import balance_labels
from tacit.operators import Product, Stacked, Sum, as_operator
from tacit.relations.labels.matrix import LabelMatrix, as_labels
from tacit.types import Array, BoolArray, Float64Array

__all__ = [
    "FILLED_LENGTH",
    "FittedView",
    "KnownView",
    "View",
    "balanced",
    "column_factors",
    "filled",
    "fitted_views",
    "fold_in",
    "matched",
    "predicted_rows",
    "read_view",
    "read_views",
    "stacked",
    "weighted",
]


@dataclass(frozen=True, eq=False)
class View:
    """One kind of knowledge about records, for `MLSI.fit(X, y, views={"authors": View(…)})`.

    Parameters
    ----------
    data : labels in any form that `as_labels` reads (sets of names, a 0/1 matrix, one class per record), or a
        real-valued matrix, dense or sparse, (n_records, n_things). None in a list and a row of NaN are unknown
    weight : float >= 0, default 1 — relative to the other views; 0 leaves the space as it is and still places the
        things
    known : bool array (n_records,), optional — False for records of which this view knows nothing; their rows of `data`
        are ignored
    names : sequence, optional — names of the things, in column order
    even : bool, default False — divide each column by its length, so that a rare thing counts as much as a frequent one

    Examples
    --------
    >>> View([{"Austen"}, {"Austen", "Eliot"}, None], weight=0.5, even=True).weight
    0.5
    """

    data: Any
    weight: float = 1.0
    known: Any = None
    names: Sequence[Hashable] | None = None
    even: bool = False


@dataclass(frozen=True, eq=False)
class KnownView:
    """A view as it was read: its rows, empty if unknown, and the factors with which they count.

    Attributes
    ----------
    name : name of the view
    rows : (n_records, n_things), CSR or dense, as given
    known : bool array (n_records,)
    names : names of the things
    weight : relative weight, as given; the share w_v after `balanced`
    even : whether every column counts the same
    scale : factor of all rows: balance times √w_v
    things : which record has which thing, if `rows` are features of a kernel; None if `rows` say it themselves
    """

    name: str
    rows: Any
    known: BoolArray
    names: tuple[Hashable, ...]
    weight: float = 1.0
    even: bool = False
    scale: float = 1.0
    things: Any = None

    @property
    def squares(self) -> Float64Array:
        """Squared length of each column of `rows`."""
        if is_sparse(self.rows):
            squared = np.square(self.rows.data, dtype=np.float64)
            return np.asarray(np.bincount(self.rows.indices, squared, minlength=self.rows.shape[1]), np.float64)
        return np.asarray(np.einsum("ij,ij->j", self.rows, self.rows, dtype=np.float64))

    @property
    def n_known(self) -> int:
        """Number of records of which the view knows something."""
        return int(np.count_nonzero(self.known))

    @property
    def factors(self) -> Float64Array:
        """Factor of each column."""
        return self.scale * column_factors(self.squares, self.n_known, even=self.even)

    def features(self, dtype: Any) -> Any:
        """Return F_v: the rows with all factors."""
        factors = self.factors
        if is_sparse(self.rows):
            rows = self.rows.astype(dtype)
            if (factors == factors[:1]).all():
                return rows * dtype.type(factors[0] if factors.size else 1)
            return sp.csr_array(rows @ sp.diags_array(factors.astype(dtype)))
        return np.asarray(self.rows, dtype) * factors.astype(dtype)

    @property
    def filled_length(self) -> float:
        """Length of the rows that take the place of unknown ones."""
        squares = float(np.sum(self.squares * self.factors**2))
        return FILLED_LENGTH * float(np.sqrt(squares / max(1, self.n_known)))

    def take(self, records: Array) -> KnownView:
        """Return the view of some records, with the same factors."""
        return replace(self, rows=self.rows[records], known=self.known[records], things=None)


def column_factors(squares: Array, n_records: float, *, even: bool) -> Float64Array:
    """Return the factor of each column: 1, or 1 / length; 0 for a thing of all records, which tells none apart."""
    if not even:
        return np.ones(len(squares))
    useful = (squares > 0) & (squares < n_records)
    return np.where(useful, 1 / np.sqrt(np.where(useful, squares, 1)), 0)


def read_views(views: Mapping[str, Any] | None, n_records: int, *, taken: Iterable[str] = ()) -> list[KnownView]:
    """Read what was given as `views`; a name that is `taken` is an error."""
    if views is None:
        return []
    if not isinstance(views, Mapping):
        raise InputError(
            f"views is not a mapping: got {type(views).__name__}, expected names and views, such as "
            "{'authors': sets_of_names}."
        )
    for name in views:
        if not isinstance(name, str) or not name:
            raise InputError(f"views has a name that is not text: got {name!r}, expected a name such as 'authors'.")
        if name in taken:
            raise InputError(
                f"views has a name that the model uses itself: got {name!r}, expected another. Labels belong into y."
            )
    return [read_view(name, given, n_records) for name, given in views.items()]


def read_view(name: str, given: Any, n_records: int) -> KnownView:
    """Read one view: a `View`, labels in any form, or a matrix."""
    view = given if isinstance(given, View) else View(given)
    weight, data = check_number(f"weight of the view {name!r}", view.weight), view.data
    if isinstance(data, KnownView):
        return data
    if _is_matrix(data):
        rows, known = _read_matrix(name, data, n_records)
        names: tuple[Hashable, ...] = tuple(getattr(data, "columns", range(rows.shape[1])))
    else:
        labels = as_labels(data) if isinstance(data, LabelMatrix) else _named_labels(name, data)
        check_rows(f"view {name!r}", labels.n_records, n_records)
        rows, known, names = labels.indicator, labels.known, labels.names
    if view.names is not None:
        if len(view.names) != rows.shape[1]:
            raise InputError(
                f"names of the view {name!r} do not match: got {len(view.names)} for {rows.shape[1]} columns."
            )
        names = tuple(view.names)
    if view.known is not None:
        given_mask = np.asarray(view.known, dtype=bool).ravel()
        check_rows(f"known of the view {name!r}", len(given_mask), n_records)
        known = known & given_mask
    return KnownView(name, _emptied(rows, known), known, names, weight, bool(view.even))


def _is_matrix(data: Any) -> bool:
    """Whether data are numbers in two dimensions, and not sets of names or classes."""
    if isinstance(data, LabelMatrix):
        return False
    if is_sparse(data):
        return True
    array = data.to_numpy() if hasattr(data, "to_numpy") else data
    return isinstance(array, np.ndarray) and array.ndim == 2 and array.dtype.kind in "buif"


def _read_matrix(name: str, data: Any, n_records: int) -> tuple[Any, BoolArray]:
    """Return a matrix of numbers and the rows that are known: a row of NaN is not."""
    check_rows(f"view {name!r}", data.shape[0], n_records)
    if is_sparse(data):
        rows = sp.csr_array(data)
        rows = rows if rows.dtype.kind == "f" else rows.astype(np.float64)
        check_finite(f"view {name!r}", rows)
        return rows, np.ones(n_records, dtype=bool)
    array = np.asarray(data.to_numpy() if hasattr(data, "to_numpy") else data)
    array = array if array.dtype in (np.float32, np.float64) else array.astype(np.float64)
    known = ~np.isnan(array).all(axis=1)
    check_finite(f"view {name!r}", array[known])
    return array, known


def _named_labels(name: str, data: Any) -> LabelMatrix:
    try:
        return as_labels(data)
    except InputError as error:
        raise InputError(f"view {name!r} cannot be read as labels or as a matrix of numbers: {error}") from error


def _emptied(rows: Any, known: BoolArray) -> Any:
    """Return rows with zeros where they are unknown."""
    if known.all():
        return rows
    if is_sparse(rows):
        if np.diff(rows.indptr)[~known].any():
            rows = sp.csr_array(sp.diags_array(known.astype(rows.dtype)) @ rows)
            rows.eliminate_zeros()
        return rows
    return np.where(known[:, None], rows, 0)


def weighted(
    views: Sequence[KnownView], weights: Mapping[str, float] | None, *, complete: bool = True
) -> list[KnownView]:
    """Return the views with other weights, by name; if they are `complete`, a weight of an unknown name is an error."""
    given = dict(weights or {})
    for name, weight in given.items():
        check_number(f"view_weights[{name!r}]", weight)
        if complete and name not in {view.name for view in views}:
            raise InputError(
                f"view_weights has an unknown name: got {name!r}, expected some of {[view.name for view in views]}."
            )
    return [replace(view, weight=float(given.get(view.name, view.weight))) for view in views]


def balanced(views: Sequence[KnownView], record_trace: float, *, balance: bool = True) -> list[KnownView]:
    """Return the views with their shares w_v, which sum to 1, and their scales."""
    total = sum(view.weight for view in views)
    found = []
    for view in views:
        share = view.weight / total if total > 0 else 0.0
        plain = replace(view, weight=share, scale=1.0)
        factor = balance_labels(record_trace, plain.features(np.dtype(np.float64)), view.known) if balance else 1.0
        found.append(replace(plain, scale=factor * float(np.sqrt(share))))
    return found


def stacked(blocks: Sequence[Any]) -> Any:
    """Return blocks side by side: one sparse matrix if all are sparse, otherwise an operator."""
    if len(blocks) == 1:
        return blocks[0]
    if all(is_sparse(block) for block in blocks):
        return sp.csr_array(sp.hstack(blocks, format="csr"))
    return Stacked([as_operator(block) for block in blocks])


# On Reuters, RCV1, arXiv and 20 Newsgroups with 20 and 80 % of the labels hidden, 1 leaves search among the unlabelled
# records below "fit on the labelled, fold the others in" on two of four, 2 search by new records on three of four;
# benchmarks/studies/unknown_labels.py
FILLED_LENGTH = 1.5


class _Filled(Sum):
    """F plus T Bᵀ in the missing rows, with its norm: no row is in both."""

    def __init__(self, rows: Any, left: Array, right: Array) -> None:
        super().__init__([as_operator(rows), Product(left, right)])
        self._left, self._right = left, right

    def squared_norm(self) -> float:
        """Return the squared Frobenius norm."""
        return self.terms[0].squared_norm() + float(self.filled_squares().sum())

    def filled_squares(self) -> Array:
        """Return the squared length of each column over the filled rows."""
        inner = self._left.T.astype(np.float64) @ self._left
        return np.asarray(np.einsum("ij,ij->j", inner @ self._right, self._right))


def filled(views: Sequence[KnownView], places: Array, loadings: Sequence[Array], dtype: Any) -> list[Any]:
    """Return F_v of each view, with rows along t B_v in place of unknown ones.

    Parameters
    ----------
    views : balanced views
    places : t, (n_records, k), positions by the words alone
    loadings : B_v, (k, n_things), of each view
    dtype : of the result
    """
    found: list[Any] = []
    for view, B in zip(views, loadings, strict=True):
        F = view.features(dtype)
        if not view.known.all():
            left = np.where(view.known[:, None], 0, places)
            left = left * (view.filled_length / _row_lengths(left, B))[:, None]
            F = _Filled(F, left.astype(dtype), np.asarray(B, dtype))
        found.append(F)
    return found


def _row_lengths(left: Array, right: Array) -> Array:
    """Return the length of each row of left @ right, infinite for zero rows, so that they stay zero."""
    squares = np.einsum("ij,ij->i", left @ (right @ right.T), left)
    return np.where(squares > 0, np.sqrt(np.maximum(squares, np.finfo(left.dtype).tiny)), np.inf)


@dataclass(frozen=True, eq=False)
class FittedView:
    """What a space keeps of a view.

    Attributes
    ----------
    names : names of the things
    weight : share w_v
    scale, even : factors of the rows, see `KnownView`
    squares : squared length of each thing's column: its number of records, if values are 0 and 1
    n_known : number of records of which the view knows something
    loadings : VᵀF as given, (k, n_things), over known rows
    pull : F_vᵀV with all factors, (n_features, k), over known and filled rows: the pull of each thing on a record that
        has it; None if the view has no part in the space
    length : length of a filled row
    filled_squares : squared length of each column over filled rows, without factors
    """

    names: tuple[Hashable, ...]
    weight: float
    scale: float
    even: bool
    squares: Float64Array
    n_known: int
    loadings: Array
    pull: Array | None = None
    length: float = 0.0
    filled_squares: Array | float = 0.0

    def coordinates(self) -> Array:
        """Return the position of each thing, in unit scaling; the origin if no record has it."""
        return np.asarray(self.loadings.T / np.where(self.squares > 0, self.squares, 1)[:, None])

    def turned(self, axes: Array) -> FittedView:
        """Return the view in other axes of the space."""
        pull = None if self.pull is None else np.asarray(self.pull @ axes)
        return replace(self, loadings=np.ascontiguousarray(axes.T @ self.loadings), pull=pull)

    @property
    def factors(self) -> Float64Array:
        """Factor of each column of the view."""
        return self.scale * column_factors(self.squares, self.n_known, even=self.even)


def fitted_views(views: Sequence[KnownView], blocks: Mapping[str, Any], V: Array) -> dict[str, FittedView]:
    """Return what a space at V keeps of its views; `blocks` are the F_v of those that shaped it."""
    found = {}
    for view in views:
        own = replace(view, rows=view.rows if view.things is None else view.things)
        found[view.name] = FittedView(
            names=view.names,
            weight=view.weight,
            scale=view.scale,
            even=view.even,
            squares=own.squares,
            n_known=view.n_known,
            loadings=np.asarray(as_operator(own.rows.astype(V.dtype, copy=False)).T @ V).T,
            pull=np.asarray(as_operator(blocks[view.name]).T @ V) if view.name in blocks else None,
            length=view.filled_length,
            filled_squares=_filled_squares(view, blocks.get(view.name)),
        )
    return found


def _filled_squares(view: KnownView, block: Any) -> Array | float:
    """Return the squared length of each column over filled rows, without the factors of the view."""
    if not isinstance(block, _Filled):
        return 0.0
    return block.filled_squares() / np.where(view.factors > 0, view.factors, 1) ** 2


def predicted_rows(model: Any, X: Any, view: FittedView) -> Array:
    """Return rows of a view, without its factors, that the words of records predict, at the length of filled ones."""
    assert view.pull is not None
    places = np.asarray(X @ model.components_.T.astype(X.dtype, copy=False)) / model.eigenvalues_ ** model._power()
    places = places * (view.length / _row_lengths(places, view.pull.T))[:, None]
    return np.asarray(places @ (view.pull / np.where(view.factors > 0, view.factors, np.inf)[:, None]).T)


def fold_in(model: Any, X: Any, given: Mapping[str, Any]) -> Array:
    """Return unit positions of records by their terms and by what is known about them; see `MLSI.fold_in`.

    `given` has the rows of each view, in any form that `read_view` takes; views that it lacks are unknown.
    """
    share = model.label_weight / (1 - model.label_weight)
    by_words = np.asarray(X @ model.components_.T.astype(X.dtype, copy=False)) / model.eigenvalues_ ** model._power()
    total = np.asarray(X @ model.term_loadings_.T.astype(X.dtype, copy=False))
    anything = np.zeros(X.shape[0], dtype=bool)
    for name, view in model.views_.items():
        if view.pull is None:
            continue
        known = np.zeros(X.shape[0], dtype=bool)
        if name in given:
            rows, known = matched(read_view(name, given[name], X.shape[0]), view.names)
            total = total + share * np.asarray(rows @ (view.factors[:, None] * view.pull))
            anything |= known
        fill = np.where(known[:, None], 0, by_words)
        fill = fill * (view.length / _row_lengths(fill, view.pull.T))[:, None]
        total = total + share * (fill @ (view.pull.T @ view.pull))
    return np.where(anything[:, None], total @ model.fold_map_, by_words).astype(X.dtype, copy=False)


def matched(view: KnownView, names: Sequence[Hashable]) -> tuple[Any, BoolArray]:
    """Return the rows of a view in the columns of `names`, and the records of which it knows something.

    Things without a column are left out; a record that has only these is unknown.
    """
    if view.names == tuple(names):
        return view.rows, view.known
    place = {name: column for column, name in enumerate(names)}
    columns = np.array([place.get(name, -1) for name in view.names], dtype=np.int64)
    rows = sp.csr_array(view.rows)[:, np.flatnonzero(columns >= 0)].tocoo()
    column = columns[columns >= 0][rows.col]
    kept = sp.csr_array((rows.data, (rows.row, column)), shape=(len(view.known), len(names)))
    had_some = np.diff(sp.csr_array(view.rows).indptr) > 0
    has_some = np.diff(kept.indptr) > 0
    return kept, view.known & (has_some | ~had_some)
