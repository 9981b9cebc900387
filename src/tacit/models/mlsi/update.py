"""Adding records to MLSI: summary rows hold words and labels, and the same problem is solved on them again.

MLSI depends on the records through XᵀX, XᵀF and FᵀF alone (Identity A in `informed_kernel`). These do not change when
the rows of [X, F] are rotated, so a summary UᵀX, UᵀY can replace the records seen, with U the leading left singular
vectors of [X, F G^½]: the positions themselves, and as many more. A summary leaves out

    XᵀX − (UᵀX)ᵀ(UᵀX),  XᵀF − (UᵀX)ᵀ(UᵀF),  FᵀF − (UᵀF)ᵀ(UᵀF).

The first two are neglected. Labels are scaled to weigh as much as all words, so U contains them first, and XᵀF, the
sums of the records of each label, is nearly complete. Of the third the diagonal is kept, as one row per label without
words: a label keeps its whole weight, whether words express it or not. Ridge and balance come from sums over all
records and are exact. The update is exact if the summary has the rank of [X, F].

F are the views side by side. Their rows are kept without factors, since these change with every batch. Rows of new
records of which a view knows nothing are filled with what the space predicts.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.linalg as la
import scipy.sparse as sp
from sklearn.base import clone

from tacit.checks import as_rng, is_outside_memory
from tacit.errors import InputError
from tacit.models.common.informed_kernel import InformedSpace, informed_space
from tacit.models.common.kernel_forms import DualForm, PrimalForm, RecordForm
from tacit.models.common.record_kernel import choose_form, make_form
from tacit.models.common.updating import (
    FEW_ROWS,
    ROWS_PER_DIMENSION,
    RecordSummary,
    RowForm,
    drift_from,
    row_products,
    stacked_rows,
    unseen_share,
    with_less_weight,
    with_more_columns,
    word_directions,
)
from tacit.models.common.views import FILLED_LENGTH, FittedView, KnownView, column_factors, predicted_rows
from tacit.models.mlsi.emphasis import curvatures
from tacit.operators import Operator, as_operator
from tacit.relations.labels.matrix import LabelMatrix
from tacit.solve.result import signs_of
from tacit.types import Array

__all__ = ["check_updatable", "merge", "summary_of_fit"]


def merge(model: Any, X: Any, y: Any, views: Mapping[str, Any] | None, keep: float) -> None:
    """Update an MLSI model, fitted or not, with validated records; earlier ones keep a share `keep` of weight."""
    model._check_parameters()
    check_updatable(model)
    first = not hasattr(model, "eigenvalues_")
    if not first and model._summary is None:
        raise InputError("the space cannot be updated: it was fitted with another kernel. Call fit first.")
    before = None if first else model.labels_
    batch, labels = _views_of_batch(model, X, y, views, first=first)
    known = _widened(None if first else model._summary, X, batch)
    new = _columns_of(batch, known.things, X.shape[0])
    drift = 0.0 if first else _drift(model, known, X, new)
    new = _with_filled_rows(model, X, y, views, batch, known.things, new, first=first)
    old = with_less_weight(known, keep)
    rows = _Rows.of(old, X, new)
    n_known = {view.name: float(np.count_nonzero(view.known)) for view in batch}
    total = replace(
        old,
        weight=old.weight + X.shape[0],
        squared_length=old.squared_length + as_operator(X).squared_norm(),
        label_counts=np.asarray(old.label_counts) + _column_squares(new),
        n_known={name: old.n_known.get(name, 0) + n_known.get(name, 0) for name in {**old.n_known, **n_known}},
    )
    scales, factors = _factors(model, total, batch, {} if first else model.views_)
    held = _chosen(model, rows.Y.shape, X, None if first else FEW_ROWS)[0]
    form = _held(model, held, rows, total, first)
    F = None
    if factors.any() and model.label_weight > 0:
        F = sp.csr_array(rows.Y @ sp.diags_array(factors)).astype(form.dtype)[:, np.flatnonzero(factors)]
    per_label = float(np.sum(factors**2 * np.asarray(total.label_counts))) / max(1, int(np.count_nonzero(factors)))
    model.shrinkage_ = float(model.shrinkage * form.ridge / per_label) if model.shrinkage and per_label else 0.0
    options = {"label_weight": model.label_weight, "shrinkage": model.shrinkage_}
    space = informed_space(form, F, ROWS_PER_DIMENSION * model.n_components, **options)
    model._report(space)
    _learn(model, space, form, rows, keep=keep, n_old=0 if first else model.eigenvalues_.size)
    nothing = ~np.any([view.known for view in batch], axis=0) if batch else np.zeros(X.shape[0], dtype=bool)
    model.nothing_known_ = np.concatenate([[] if first else model.nothing_known_, nothing]).astype(bool)
    model.ridge_ = form.ridge
    model.fold_map_ = np.diag(1 / curvatures(model)).astype(X.dtype)
    model.labels_ = labels if before is None else None if labels is None else _joined_labels(before, labels)
    kept = _compressed(model, space, form, rows, total)
    shares = {view.name: view.weight for view in batch} | {
        name: view.weight for name, view in ({} if first else model.views_).items()
    }
    model.views_ = _views_after(model, kept, scales, factors, shares, {view.name: view.even for view in batch})
    model.label_scale_ = scales.get("labels", 1.0)
    model.label_loadings_ = model.views_["labels"].loadings if "labels" in model.views_ else None
    model.objective_ = _objective(model, kept, factors)
    model._account(X.shape[0], kept, drift)
    # honest positions need the form for all records, not the one that held these few rows
    model.solver_, reason = _chosen(model, (model.n_records_seen_, len(kept.things)), X)
    model.solver_reason_ = f"{reason}; the last update was held as {held}"


def summary_of_fit(model: Any, n_records: int, squared_length: float) -> RecordSummary | None:
    """Return the summary of a fitted space, with one row per dimension; None with a kernel."""
    if model.kernel != "linear" or model.label_kernel != "linear":
        return None
    if not model.views_:
        return RecordSummary(model.term_loadings_, n_records, squared_length)
    views = model.views_
    loadings, counts = [], []
    for view in views.values():
        if view.pull is None:
            loadings.append(view.loadings)
            counts.append(view.squares)
        else:
            factors = np.where(view.factors > 0, view.factors, 1)
            loadings.append((view.pull / factors[:, None]).T.astype(view.loadings.dtype))
            counts.append(view.squares + view.filled_squares)
    return RecordSummary(
        model.term_loadings_,
        n_records,
        squared_length,
        np.hstack(loadings),
        np.concatenate(counts),
        things=tuple((name, thing) for name, view in views.items() for thing in view.names),
        n_known={name: float(view.n_known) for name, view in views.items()},
    )


def _views_of_batch(
    model: Any, X: Any, y: Any, views: Mapping[str, Any] | None, *, first: bool
) -> tuple[list[KnownView], LabelMatrix | None]:
    """Read what is known about new records; return their views and their labels."""
    if not first:
        expected = {name for name in model.views_ if name not in ("labels", "taxonomy")}
        unknown = [name for name in views or {} if name not in expected]
        if unknown:
            raise InputError(
                f"views has a name that the space does not know: got {unknown[0]!r}, expected some of "
                f"{sorted(expected)}. Use fit on all records."
            )
        if y is None and model.label_weight > 0 and "labels" in model.views_ and not views:
            raise InputError("y is missing: got None, expected labels. Pass None for records whose labels are unknown.")
    before = getattr(model, "labels_", None)
    batch: list[KnownView] = model._read_views(X, y, views, needed=first)
    labels, model.labels_ = model.labels_, before
    if labels is None and not first and "labels" in model.views_:
        labels = _no_labels(X.shape[0])
    return batch, labels


def _columns_of(batch: Sequence[KnownView], things: tuple[tuple[str, Hashable], ...], n: int) -> sp.csr_array:
    """Return the rows of all views in the columns of the summary."""
    place = {thing: column for column, thing in enumerate(things)}
    parts = [sp.coo_array(view.rows) for view in batch]
    rows = np.concatenate([part.row for part in parts]) if parts else np.zeros(0, dtype=int)
    columns = [
        np.array([place[view.name, name] for name in view.names], dtype=np.int64)[part.col]
        for view, part in zip(batch, parts, strict=True)
    ]
    values = np.concatenate([part.data for part in parts]) if parts else np.zeros(0)
    found = (values, (rows, np.concatenate(columns) if columns else rows))
    return sp.csr_array(found, shape=(n, len(things)))


def _column_squares(rows: sp.csr_array) -> Array:
    return np.bincount(rows.indices, np.square(rows.data, dtype=np.float64), minlength=rows.shape[1])


def _with_filled_rows(
    model: Any,
    X: Any,
    y: Any,
    views: Mapping[str, Any] | None,
    batch: Sequence[KnownView],
    things: tuple[tuple[str, Hashable], ...],
    rows: sp.csr_array,
    *,
    first: bool,
) -> sp.csr_array:
    """Return the rows of all views, with predictions of the space in place of unknown ones."""
    missing = {view.name: ~view.known for view in batch if not view.known.all()}
    if not first:
        missing |= {
            name: np.ones(X.shape[0], dtype=bool) for name in model.views_ if name not in {v.name for v in batch}
        }
    if not missing or model.label_weight == 0:
        return rows
    space = clone(model).fit(X, y, views=views) if first else model
    if X.shape[1] > space.components_.shape[1]:
        X = X[:, : space.components_.shape[1]]
    place = {thing: column for column, thing in enumerate(things)}
    total = rows.toarray()
    for name, absent in missing.items():
        view = space.views_.get(name)
        if view is None or view.pull is None:
            continue
        columns = np.array([place[name, thing] for thing in view.names], dtype=np.int64)
        records = np.flatnonzero(absent)
        total[np.ix_(records, columns)] = predicted_rows(space, X[records], view)
    return sp.csr_array(total)


def _factors(
    model: Any, total: RecordSummary, batch: Sequence[KnownView], fitted: Mapping[str, FittedView]
) -> tuple[dict[str, float], Array]:
    """Return the scale of each view and the factor of each column, from sums over all records."""
    counts = np.asarray(total.label_counts)
    of_view = np.array([name for name, _ in total.things])
    weights = {view.name: view.weight for view in batch} | {name: view.weight for name, view in fitted.items()}
    even = {view.name: view.even for view in batch} | {name: view.even for name, view in fitted.items()}
    everything = sum(weights.values())
    scales, factors = {}, np.zeros(len(counts))
    for name, weight in weights.items():
        columns = of_view == name
        plain = column_factors(counts[columns], total.weight, even=even[name])
        squares = float(np.sum(plain**2 * counts[columns]))
        scale = 1.0
        if model.balance and squares:
            scale = float(np.sqrt((total.squared_length / total.weight) / (squares / max(total.n_known[name], 1))))
        scales[name] = scale * float(np.sqrt(weight / everything)) if everything else 0.0
        factors[columns] = scales[name] * plain
    return scales, factors


def _views_after(
    model: Any,
    kept: RecordSummary,
    scales: Mapping[str, float],
    factors: Array,
    weights: Mapping[str, float],
    even: Mapping[str, bool],
) -> dict[str, FittedView]:
    """Return what the space keeps of its views after an update."""
    k, of_view = model.eigenvalues_.size, np.array([name for name, _ in kept.things])
    assert kept.labels is not None
    assert kept.label_counts is not None
    everything = sum(weights.values())
    found = {}
    for name, scale in scales.items():
        columns = np.flatnonzero(of_view == name)
        loadings, own = kept.labels[:k, columns], factors[columns]
        counts = np.asarray(kept.label_counts)[columns]
        n_known = kept.n_known.get(name, 0.0)
        found[name] = FittedView(
            names=tuple(kept.things[column][1] for column in columns),
            weight=weights[name] / everything if everything else 0.0,
            scale=scale,
            even=even.get(name, name in getattr(model, "views_", {}) and model.views_[name].even),
            squares=counts,
            n_known=round(n_known),
            loadings=loadings,
            pull=(loadings * own).T.astype(loadings.dtype) if scale > 0 and model.label_weight > 0 else None,
            length=FILLED_LENGTH * float(np.sqrt(np.sum(own**2 * counts) / max(n_known, 1))),
        )
    return found


@dataclass(frozen=True)
class _Rows:
    """Rows in place of all records: summary, new records, and one row per label for what the summary leaves out."""

    top: Array  # terms of the summary, q x n_terms
    X: Any  # terms of the new records
    Y: sp.csr_array  # rows of all views, side by side

    @classmethod
    def of(cls, old: RecordSummary, X: Any, new: sp.csr_array) -> _Rows:
        assert old.labels is not None
        assert old.label_counts is not None
        rest = old.label_counts - np.square(old.labels, dtype=np.float64).sum(axis=0)
        rounding = 100 * float(np.finfo(old.labels.dtype).eps) if len(old.labels) else 0
        real = np.flatnonzero(rest > rounding * old.label_counts)
        lonely = sp.csr_array(
            (np.sqrt(rest[real]), (np.arange(real.size), real)), shape=(real.size, old.labels.shape[1])
        )
        return cls(old.terms, X, sp.csr_array(sp.vstack([sp.csr_array(old.labels), new, lonely])))

    @property
    def n_lonely(self) -> int:
        return int(self.Y.shape[0] - len(self.top) - self.X.shape[0])

    @property
    def new(self) -> slice:
        return slice(len(self.top), len(self.top) + self.X.shape[0])

    @property
    def empty(self) -> sp.csr_array:
        """The terms of the rows of labels: none."""
        return sp.csr_array((self.n_lonely, self.X.shape[1]), dtype=self.X.dtype)

    def operator(self) -> Operator:
        return stacked_rows([self.top, self.X, self.empty])

    def products(self) -> Array:
        return np.pad(row_products(self.top, self.X), (0, self.n_lonely))

    def matrix(self) -> Any:
        if isinstance(self.X, np.ndarray):
            return np.vstack([self.top, self.X, self.empty.toarray()])
        return sp.csr_array(sp.vstack([sp.csr_array(self.top), self.X, self.empty]))


def check_updatable(model: Any) -> None:
    """Raise for settings with which a few rows cannot replace many records."""
    if model.kernel != "linear" or model.label_kernel != "linear":
        name = "kernel" if model.kernel != "linear" else "label_kernel"
        raise InputError(
            f"{name} cannot be updated: got {getattr(model, name)!r}, expected 'linear' for partial_fit. "
            "Use fit on all records."
        )
    if model.emphasis is not None:
        raise InputError("emphasis cannot be updated: got a mapping, expected None for partial_fit. Use fit.")
    if model.ridge == 0:
        raise InputError(
            "ridge is too small for partial_fit: got 0, expected a number above 0. Without a ridge labels count only "
            "if the words express them without error, which only all records together can show."
        )
    if model.label_weight == 1:
        raise InputError(
            "label_weight is too large for partial_fit: got 1, expected a number below 1. A space of the labels alone "
            "keeps no words of earlier records."
        )


def _widened(summary: RecordSummary | None, X: Any, batch: Sequence[KnownView]) -> RecordSummary:
    """Return the summary of the earlier records, with zeros for new terms and things; empty before the first fit."""
    if summary is None:
        rows = np.zeros((0, X.shape[1]), X.dtype)
        things = tuple((view.name, name) for view in batch for name in view.names)
        return RecordSummary(rows, 0.0, 0.0, np.zeros((0, len(things)), X.dtype), np.zeros(len(things)), things)
    seen = dict.fromkeys(summary.things)
    seen.update(dict.fromkeys((view.name, name) for view in batch for name in view.names))
    rows = summary.terms
    labels = np.zeros((len(rows), 0), rows.dtype) if summary.labels is None else summary.labels
    counts = np.zeros(0) if summary.label_counts is None else summary.label_counts
    return replace(
        summary,
        terms=with_more_columns(rows, X.shape[1]),
        labels=with_more_columns(labels, len(seen)),
        label_counts=with_more_columns(counts[None, :], len(seen))[0],
        things=tuple(seen),
    )


def _chosen(model: Any, shape: tuple[int, ...], X: Any, limit: int | None = None) -> tuple[str, str]:
    """Return the form for a number of rows and labels, and the reason."""
    rows = (shape[0], X.shape[1])
    return choose_form(rows, model.solver, outside_memory=is_outside_memory(X), limit=limit, n_beside=shape[1])


def _held(model: Any, held: str, rows: _Rows, total: RecordSummary, first: bool) -> RecordForm:
    """Return K of all rows, with the ridge of all records."""
    ridge = float(model.ridge) * total.squared_length / total.weight
    form: RecordForm
    if held == "dual" and not first and model.solver == "auto":
        rng = as_rng(model.random_state)
        return RowForm(rows.products(), ridge=ridge, tol=model.tol, max_iter=model.max_iter, rng=rng)
    if held == "dual":
        form = DualForm(rows.products())
    elif held == "primal":
        form = PrimalForm(rows.matrix())
    else:
        form = make_form(model, rows.operator(), "augmented")
    form.ridge = ridge
    return form


def _learn(model: Any, space: InformedSpace, form: RecordForm, rows: _Rows, *, keep: float, n_old: int) -> None:
    """Set the attributes that `fit` learns; move the positions of earlier records, and fix the signs for all."""
    k, dtype = min(model.n_components, space.eigenvalues.size), rows.X.dtype
    unit = space.positions[:n_old, :k] / np.sqrt(keep) if n_old else np.eye(k)
    positions = space.positions[rows.new, :k]
    if n_old:
        positions = np.vstack([model.embedding_ @ unit, positions])
    signs = signs_of(positions)
    before = model.eigenvalues_ if n_old else None
    for array in {id(each): each for each in (space.positions, space.coefficients, space.adjoint)}.values():
        array[:, :k] *= signs
    model.embedding_ = (positions * signs).astype(dtype, copy=False)
    model.eigenvalues_ = space.eigenvalues[:k].astype(dtype)
    weights = space.coefficients[:, :k]
    if form.by_records:
        weights = rows.operator().T @ weights.astype(dtype)
    model.reference_records_ = model.landmark_map_ = None
    model._keep_weights(weights * model.eigenvalues_ ** model._power(), dtype)
    model._keep_map(unit * signs if n_old else unit, model.eigenvalues_ if before is None else before)
    model.solution_ = tuple(form.reports)
    model.n_iter_ = max((report.iterations for report in model.solution_), default=1)


def _compressed(model: Any, space: InformedSpace, form: RecordForm, rows: _Rows, total: RecordSummary) -> RecordSummary:
    """Return the summary after the update; its first rows are the loadings of the space."""
    k, dtype = model.eigenvalues_.size, rows.X.dtype
    U = space.positions.astype(dtype, copy=False)
    terms = rows.operator().T @ U if form.by_records else space.adjoint
    terms = np.ascontiguousarray(np.asarray(terms, dtype=dtype).T)
    labels = np.asarray((rows.Y.T @ U).T, dtype=dtype)
    model.term_loadings_ = terms[:k]
    return replace(total, terms=terms, labels=labels)


def _objective(model: Any, total: RecordSummary, factors: Array) -> float:
    """Return eq. (2) at V, from sums over all records."""
    beta = model.label_weight
    words = total.squared_length - as_operator(model.term_loadings_).squared_norm()
    if total.labels is None or not total.labels.shape[1]:
        return float((1 - beta) * words)
    explained = as_operator(total.labels[: len(model.term_loadings_)] * factors).squared_norm()
    labels = float(np.sum(factors**2 * total.label_counts)) - explained
    return float((1 - beta) * words + beta * labels)


def _drift(model: Any, known: RecordSummary, X: Any, new: sp.csr_array) -> float:
    """Return the drift of words and labels, weighted by `label_weight`; of words alone if no label is known."""
    _, lengths, directions = word_directions(with_more_columns(model.term_loadings_, X.shape[1]))
    explained = float(np.square(as_operator(X) @ directions.astype(X.dtype), dtype=np.float64).sum())
    share = explained / max(as_operator(X).squared_norm(), np.finfo(float).tiny)
    words = drift_from(share, unseen_share(known, directions, lengths))
    columns = np.array([column for column, (view, _) in enumerate(known.things) if view == "labels"], dtype=int)
    indicator = new[:, columns]
    if not indicator.nnz or model.label_loadings_ is None or model.label_weight == 0:
        return words
    weights = with_more_columns(model.components_, X.shape[1]).T / model.eigenvalues_ ** model._power()
    loadings = with_more_columns(model.label_loadings_, len(columns))
    predicted = np.asarray(as_operator(X) @ weights.astype(X.dtype))
    actual = np.asarray(indicator @ loadings.T)
    share = float(np.sum(predicted * actual, dtype=np.float64)) / indicator.nnz
    labels = drift_from(share, _expected_labels(model, known, weights, loadings, columns))
    return (1 - model.label_weight) * words + model.label_weight * labels


def _expected_labels(model: Any, known: RecordSummary, weights: Array, loadings: Array, columns: Array) -> float:
    """Return the share of the labels of unseen records from the same source that their words predict."""
    assert known.labels is not None
    assert known.label_counts is not None
    placed = known.terms @ weights  # UᵀX W
    total, n_known = float(np.sum(known.label_counts[columns])), known.n_known.get("labels", 0.0)
    fitted = float(np.sum(placed * (known.labels[:, columns] @ loadings.T), dtype=np.float64))
    own = float(np.trace(placed[: len(loadings)]))
    inside = 1 - _mean_leverage(model, known)
    explained = as_operator(loadings).squared_norm()
    honest = explained - (explained - fitted) / inside
    k = len(loadings)
    of_itself = total / max(n_known, 1) * (k - (k - own) / inside) * n_known / max(known.weight, 1)
    return (honest - of_itself) / max(total, 1)


def _mean_leverage(model: Any, known: RecordSummary) -> float:
    """Return the mean diagonal entry of K (K + ridge I)⁻¹; the rest of K is assumed to be spread evenly."""
    rows = known.terms.astype(np.float64, copy=False)
    squares = np.maximum(la.eigvalsh(rows @ rows.T), 0)
    ridge = model.ridge * known.squared_length / known.weight
    rest = max(known.squared_length - float(squares.sum()), 0)
    n_rest = max(min(known.weight, rows.shape[1]) - squares.size, 1)
    leverage = float(np.sum(squares / (squares + ridge))) + rest / (rest / n_rest + ridge)
    return min(leverage / known.weight, 0.99)


def _no_labels(n_records: int) -> LabelMatrix:
    """Return a label matrix without labels, unknown for all records."""
    return LabelMatrix(sp.csr_array((n_records, 0)), (), np.zeros(n_records, dtype=bool), kind="sets")


def _joined_labels(old: LabelMatrix, new: LabelMatrix) -> LabelMatrix:
    """Return the labels of all records: the old columns, then the new labels."""
    if not old.n_records:
        return new
    place = {name: column for column, name in enumerate(old.names)}
    for name in new.names:
        place.setdefault(name, len(place))
    width = len(place)
    same, below = old.indicator, sp.coo_array(new.indicator)
    above = sp.csr_array((same.data, same.indices, same.indptr), shape=(old.n_records, width))
    columns = np.fromiter((place[name] for name in new.names), dtype=np.int64, count=new.n_labels)
    moved = sp.csr_array((below.data, (below.row, columns[below.col])), shape=(new.n_records, width))
    moved.sort_indices()
    return LabelMatrix(
        sp.csr_array(sp.vstack([above, moved])),
        tuple(place),
        np.concatenate([old.known, new.known]),
        kind=new.kind if old.kind == new.kind or not old.n_labels else "sets",
    )
