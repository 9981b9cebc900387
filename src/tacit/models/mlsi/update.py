"""Adding records to MLSI: summary rows hold words and labels, and the same problem is solved on them again.

MLSI depends on the records through XᵀX, XᵀF and FᵀF alone (Identity A in `informed_kernel`). These do not change when
the rows of [X, F] are rotated, so a summary UᵀX, UᵀY can replace the records seen, with U the leading left singular
vectors of [X, F G^½]: the positions themselves, and as many more. A summary leaves out

    XᵀX − (UᵀX)ᵀ(UᵀX),  XᵀF − (UᵀX)ᵀ(UᵀF),  FᵀF − (UᵀF)ᵀ(UᵀF).

The first two are neglected. Labels are scaled to weigh as much as all words, so U contains them first, and XᵀF, the
sums of the records of each label, is nearly complete. Of the third the diagonal is kept, as one row per label without
words: a label keeps its whole weight, whether words express it or not. Ridge and balance come from sums over all
records and are exact. The update is exact if the summary has the rank of [X, F].
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.linalg as la
import scipy.sparse as sp

from tacit.checks import as_rng, is_outside_memory
from tacit.errors import InputError
from tacit.models.common.class_hierarchy import expanded_labels
from tacit.models.common.informed_kernel import InformedSpace, informed_space
from tacit.models.common.kernel_forms import DualForm, PrimalForm, RecordForm
from tacit.models.common.labels import read_labels
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
from tacit.operators import Operator, as_operator
from tacit.relations.labels.matrix import LabelMatrix, as_labels
from tacit.solve.result import signs_of
from tacit.types import Array

__all__ = ["check_updatable", "merge", "summary_of_fit"]


def merge(model: Any, X: Any, y: Any, keep: float) -> None:
    """Update an MLSI model, fitted or not, with validated records; earlier ones keep a share `keep` of weight."""
    model._check_parameters()
    check_updatable(model)
    first = not hasattr(model, "eigenvalues_")
    if not first and model._summary is None:
        raise InputError("the space cannot be updated: it was fitted with another kernel. Call fit first.")
    batch = _labels_of_batch(y, X.shape[0], taxonomy=model.taxonomy, needed=model.label_weight > 0, first=first)
    before = getattr(model, "labels_", None)
    labels = _joined_labels(_no_labels(getattr(model, "n_records_seen_", 0)) if before is None else before, batch)
    known = _widened(None if first else model._summary, X, labels.n_labels)
    new = labels[len(labels) - X.shape[0] :]
    drift = 0.0 if first else _drift(model, known, X, new)
    old = with_less_weight(known, keep)
    rows = _Rows.of(old, X, new)
    total = replace(
        old,
        weight=old.weight + X.shape[0],
        squared_length=old.squared_length + as_operator(X).squared_norm(),
        label_counts=np.asarray(old.label_counts) + new.counts,
        n_known=old.n_known + float(np.count_nonzero(new.known)),
    )
    weights = _label_weights(model, total)
    scale = _label_scale(model, total, weights)
    held = _chosen(model, rows.Y.shape, X, None if first else FEW_ROWS)[0]
    form = _held(model, held, rows, total, first)
    F = None if not labels.n_labels else rows.Y @ sp.diags_array(weights * scale)
    space = informed_space(
        form,
        None if F is None else sp.csr_array(F).astype(form.dtype),
        ROWS_PER_DIMENSION * model.n_components,
        label_weight=model.label_weight,
        shrinkage=model.shrinkage,
    )
    model._report(space)
    _learn(model, space, form, rows, keep=keep, n_old=0 if first else model.eigenvalues_.size)
    model.label_scale_ = scale
    model.labels_ = labels if labels.n_labels else None
    kept = _compressed(model, space, form, rows, total)
    model.objective_ = _objective(model, kept, weights * scale)
    model._account(X.shape[0], kept, drift)
    # honest positions need the form for all records, not the one that held these few rows
    model.solver_, reason = _chosen(model, labels.shape, X)
    model.solver_reason_ = f"{reason}; the last update was held as {held}"


def summary_of_fit(model: Any, n_records: int, squared_length: float) -> RecordSummary | None:
    """Return the summary of a fitted space, with one row per dimension; None with a kernel."""
    labels = model.labels_
    if model.kernel != "linear" or model.label_kernel == "precomputed":
        return None
    if labels is None:
        return RecordSummary(model.term_loadings_, n_records, squared_length)
    known = float(np.count_nonzero(labels.known))
    counts = labels.counts.astype(np.float64)
    return RecordSummary(model.term_loadings_, n_records, squared_length, model.label_loadings_, counts, known)


@dataclass(frozen=True)
class _Rows:
    """Rows in place of all records: summary, new records, and one row per label for what the summary leaves out."""

    top: Array  # terms of the summary, q x n_terms
    X: Any  # terms of the new records
    Y: sp.csr_array  # labels of all these rows, 0/1 for the new ones

    @classmethod
    def of(cls, old: RecordSummary, X: Any, new: LabelMatrix) -> _Rows:
        assert old.labels is not None
        assert old.label_counts is not None
        rest = old.label_counts - np.square(old.labels, dtype=np.float64).sum(axis=0)
        rounding = 100 * float(np.finfo(old.labels.dtype).eps) if len(old.labels) else 0
        real = np.flatnonzero(rest > rounding * old.label_counts)
        lonely = sp.csr_array(
            (np.sqrt(rest[real]), (np.arange(real.size), real)), shape=(real.size, old.labels.shape[1])
        )
        return cls(old.terms, X, sp.csr_array(sp.vstack([sp.csr_array(old.labels), new.indicator, lonely])))

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


def _widened(summary: RecordSummary | None, X: Any, n_labels: int) -> RecordSummary:
    """Return the summary of the earlier records, with zeros for new terms and labels; empty before the first fit."""
    if summary is None:
        rows = np.zeros((0, X.shape[1]), X.dtype)
        return RecordSummary(rows, 0.0, 0.0, np.zeros((0, n_labels), X.dtype), np.zeros(n_labels))
    rows = summary.terms
    labels = np.zeros((len(rows), 0), rows.dtype) if summary.labels is None else summary.labels
    counts = np.zeros(0) if summary.label_counts is None else summary.label_counts
    return replace(
        summary,
        terms=with_more_columns(rows, X.shape[1]),
        labels=with_more_columns(labels, n_labels),
        label_counts=with_more_columns(counts[None, :], n_labels)[0],
    )


def _label_weights(model: Any, total: RecordSummary) -> Array:
    """Return the weight of each label before balancing: 1, or with a taxonomy that of `class_features`."""
    counts = np.asarray(total.label_counts)
    if model.taxonomy is None:
        return np.ones_like(counts)
    useful = (counts > 0) & (counts < total.weight)
    return np.where(useful, 1 / np.sqrt(np.where(useful, counts, 1)), 0)


def _label_scale(model: Any, total: RecordSummary, weights: Array) -> float:
    """Return the factor of `balance_labels`, from sums over all records."""
    squares = float(np.sum(weights**2 * total.label_counts))
    if not model.balance or not squares:
        return 1.0
    return float(np.sqrt((total.squared_length / total.weight) / (squares / total.n_known)))


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
    model.label_loadings_ = labels[:k] if labels.shape[1] else None
    return replace(total, terms=terms, labels=labels)


def _objective(model: Any, total: RecordSummary, weights: Array) -> float:
    """Return eq. (2) at V, from sums over all records."""
    beta = model.label_weight
    words = total.squared_length - as_operator(model.term_loadings_).squared_norm()
    if model.label_loadings_ is None:
        return float((1 - beta) * words)
    explained = as_operator(model.label_loadings_ * weights).squared_norm()
    labels = float(np.sum(weights**2 * total.label_counts)) - explained
    return float((1 - beta) * words + beta * labels)


def _drift(model: Any, known: RecordSummary, X: Any, new: LabelMatrix) -> float:
    """Return the drift of words and labels, weighted by `label_weight`; of words alone if no label is known."""
    _, lengths, directions = word_directions(with_more_columns(model.term_loadings_, X.shape[1]))
    explained = float(np.square(as_operator(X) @ directions.astype(X.dtype), dtype=np.float64).sum())
    share = explained / max(as_operator(X).squared_norm(), np.finfo(float).tiny)
    words = drift_from(share, unseen_share(known, directions, lengths))
    if not new.indicator.nnz or model.label_loadings_ is None or model.label_weight == 0:
        return words
    weights = with_more_columns(model.components_, X.shape[1]).T / model.eigenvalues_ ** model._power()
    loadings = with_more_columns(model.label_loadings_, new.n_labels)
    predicted = np.asarray(as_operator(X) @ weights.astype(X.dtype))
    actual = np.asarray(new.indicator @ loadings.T)
    share = float(np.sum(predicted * actual, dtype=np.float64)) / new.indicator.nnz
    labels = drift_from(share, _expected_labels(model, known, weights, loadings))
    return (1 - model.label_weight) * words + model.label_weight * labels


def _expected_labels(model: Any, known: RecordSummary, weights: Array, loadings: Array) -> float:
    """Return the share of the labels of unseen records from the same source that their words predict."""
    assert known.labels is not None
    assert known.label_counts is not None
    placed = known.terms @ weights  # UᵀX W
    total = float(np.sum(known.label_counts))
    fitted = float(np.sum(placed * (known.labels @ loadings.T), dtype=np.float64))
    own = float(np.trace(placed[: len(loadings)]))
    inside = 1 - _mean_leverage(model, known)
    explained = as_operator(loadings).squared_norm()
    honest = explained - (explained - fitted) / inside
    k = len(loadings)
    of_itself = total / max(known.n_known, 1) * (k - (k - own) / inside) * known.n_known / max(known.weight, 1)
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


def _labels_of_batch(y: Any, n_records: int, *, taxonomy: Any, needed: bool, first: bool) -> LabelMatrix:
    """Read the labels of new records; raise if there are none in the first call."""
    if y is None and not needed:
        return _no_labels(n_records)
    if taxonomy is not None:
        y = expanded_labels(y, taxonomy, n_records).without_empty()
    return read_labels(y, n_records, needed=needed) if first else as_labels(y, n_records=n_records)


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
