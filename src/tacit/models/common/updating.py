"""Adding records to a fitted space, and when a new fit is due.

A model keeps a `RecordSummary`: a few rows in place of all records seen. An update puts the new records below them and
solves the same, now small, problem again. The positions of earlier records are moved to the new space by one small
matrix.

**Drift.** A space explains a share e of the squared length of its own records, and a smaller share of others from the
same source, because each record pulls the directions towards itself. Without record i the direction a = Σ v_i x_i would
be a − v_i x_i, so with m the mean squared length, q = a / ‖a‖ and ‖v‖ = 1, the share of unseen records is about

    e₀ = Σ_j (‖X q_j‖² − 2 m + m² / ‖a_j‖²) / ‖X‖²          for LSI  Σ_j s_j² (1 − m / s_j²)² / Σ s²

and drift is the missing part of it in the new records, 1 − e / e₀, at least 0. It is 0 up to noise for records from the
same source, and 1 for records that the space does not explain at all. `MLSI` adds the labels in the same way.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
import scipy.linalg as la
from sklearn.base import clone
from sklearn.utils.metaestimators import available_if

from tacit.checks import check_number, is_sparse
from tacit.errors import InputError
from tacit.models.base import SpaceModel, check_terms, read_records
from tacit.models.common.kernel_forms import DualForm, LeadingVectors, dense_block
from tacit.operators import Centred, Operator, Stacked, as_operator
from tacit.solve import SingularTriplets, leading_eigenpairs, leading_singular_triplets, without_vectors
from tacit.solve.result import signs_of
from tacit.types import Array

__all__ = [
    "FEW_ROWS",
    "REFIT_SHARE",
    "ROWS_PER_DIMENSION",
    "RecordSummary",
    "RowForm",
    "Updatable",
    "begin_summary",
    "drift_from",
    "leading_of_rows",
    "row_products",
    "stacked_rows",
    "unseen_share",
    "with_less_weight",
    "with_more_columns",
    "word_directions",
]

ROWS_PER_DIMENSION = 2  # of a summary: directions that later batches may strengthen are kept
REFIT_SHARE = 0.1  # mean drift above which a refit is due: right for LSI, early for MLSI; docs/studies/drift.md


class Updatable(SpaceModel):
    """A space with `partial_fit`.

    A subclass has `_merge`, which adds validated records, and a `fit` that calls `begin_summary`.
    """

    n_records_seen_: int
    drift_: float
    refit_due_: bool
    position_map_: Array
    _summary: RecordSummary | None

    @available_if(lambda self: self._can_update())
    def partial_fit(
        self, X: Any, y: Any = None, *, views: Mapping[str, Any] | None = None, forget: float = 0.0
    ) -> Self:
        """Add new records to the space; the first call without `fit` is a fit.

        Parameters
        ----------
        X : (n_records, n_terms) dense or sparse, the new records alone. New terms may be added as columns after the
            old ones
        y : their labels, if the model uses labels; unknown names are new labels
        views : what else is known about them, by name, if the model uses views; a view that is not given is unknown
        forget : share of their weight that all earlier records lose, from 0 to below 1

        Notes
        -----
        Stored positions must be moved to the new space with `move_positions`. `drift_` is how much less of these
        records the space explained than of earlier ones, and `refit_due_` whether a fit on all records is advisable.
        """
        keep = 1 - check_number("forget", forget, high=1.0, open_high=True)
        if not hasattr(self, "eigenvalues_"):
            self._merge(self._read_training(X), y, views, keep)
            return self
        rows, reader = self._read_more(X)
        self._merge(rows, y, views, keep)
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(reader, name):
                setattr(self, name, getattr(reader, name))
        return self

    def move_positions(self, positions: Any) -> Array:
        """Move positions from the space before the last `partial_fit` to the space after it.

        Pass positions from `transform` or `fit_transform`, or from this method after the previous update.
        """
        old = np.asarray(positions)
        if not hasattr(self, "position_map_"):
            raise InputError("there is nothing to move: got a space without a partial_fit since its fit.")
        if old.ndim != 2 or old.shape[1] != len(self.position_map_):
            raise InputError(
                f"positions do not belong to the space before the update: got shape {old.shape}, "
                f"expected (n_records, {len(self.position_map_)})."
            )
        return np.asarray(old @ self.position_map_ + getattr(self, "position_shift_", 0))

    def _can_update(self) -> bool:
        """Whether `partial_fit` is available with these parameters; raise with the reason if not."""
        return True

    @abstractmethod
    def _merge(self, X: Any, y: Any, views: Mapping[str, Any] | None, keep: float) -> None:
        """Add records whose X is validated; everything else is checked before anything is learned."""

    def _read_more(self, X: Any) -> tuple[Any, Any]:
        """Validate X, which may have new columns; return it and the estimator that read it. This one is unchanged."""
        shape = np.shape(X)
        if len(shape) != 2 or shape[1] <= self.n_features_in_:
            rows, reader = read_records(self, X, reset=False), self
        else:
            reader = clone(self)
            rows = read_records(reader, X, reset=True)
            old, new = getattr(self, "feature_names_in_", ()), getattr(reader, "feature_names_in_", ())
            for column, (before, now) in enumerate(zip(old, new, strict=False)):
                if before != now:
                    raise InputError(
                        f"X has its columns in another order: got {now!r} as column {column}, expected {before!r} as "
                        "before. Add new terms after the old ones."
                    )
        check_terms(rows)
        return rows, reader

    def _account(self, n_new: int, summary: RecordSummary, drift: float) -> None:
        """Count the records and keep the drift of the new ones."""
        self.n_records_seen_ = getattr(self, "n_records_seen_", 0) + n_new
        self._summary = replace(summary, novelty=summary.novelty + n_new * drift)
        self.drift_ = float(drift)
        self.refit_due_ = bool(self._summary.novelty > REFIT_SHARE * self._summary.weight)

    def _keep_map(self, unit_map: Array, before: Array) -> None:
        """Keep the map of positions, from that of unit positions and the earlier eigenvalues."""
        power = self._power()
        scaled = unit_map * self.eigenvalues_**power / (before**power)[:, None]
        self.position_map_ = np.asarray(scaled, dtype=self.eigenvalues_.dtype)


def begin_summary(model: Any, summary: RecordSummary | None, n_records: int) -> None:
    """Start at a fit: delete the results of earlier updates; with None the model cannot be updated."""
    for name in ("drift_", "refit_due_", "position_map_", "position_shift_"):
        model.__dict__.pop(name, None)
    model._summary = summary
    model.n_records_seen_ = n_records


def word_directions(loadings: Array) -> tuple[Array, Array, Array]:
    """Return orthogonal directions a_j in the row space of A = VᵀX: rotation E of EᵀA, lengths, unit directions."""
    double = loadings.astype(np.float64, copy=False)
    squares, turns = la.eigh(double @ double.T)
    real = squares > squares.max(initial=0) * len(squares) * np.finfo(loadings.dtype).eps
    lengths, turns = np.sqrt(squares[real]), turns[:, real]
    return turns, lengths, (loadings.T @ (turns / lengths).astype(loadings.dtype))


def unseen_share(summary: RecordSummary, directions: Array, lengths: Array) -> float:
    """Return e₀, the share of the squared length of unseen records from the same source that the directions explain."""
    mean = summary.squared_length / max(summary.weight, 1)
    seen = np.square(summary.terms @ directions, dtype=np.float64).sum(axis=0)
    unseen = np.where(lengths**2 > mean, seen - 2 * mean + mean**2 / lengths**2, 0)
    return float(np.maximum(unseen, 0).sum() / max(summary.squared_length, np.finfo(float).tiny))


def drift_from(share: float, expected: float) -> float:
    """Return the missing part of the expected share, from 0 to 1; 0 if nothing was expected."""
    if expected <= 0:
        return 0.0
    return float(np.clip(1 - share / expected, 0, 1))


FEW_ROWS = 2_000  # rows up to which their inner products are a dense matrix: 32 MB

_UNEVEN = 1e-8  # ratio of squared singular values below which the vectors are orthogonalised again


@dataclass(frozen=True)
class RecordSummary:
    """A few rows and sums in place of the records seen.

    Attributes
    ----------
    terms : UᵀX, q x n_terms; the first rows are those of the space itself
    labels : UᵀY, q x n_things, Y the rows of all views side by side, without their factors; None without views
    weight : number of records, older ones counting less with `forget`
    squared_length : ‖X‖², of all records and not of `terms` alone
    label_counts : the diagonal of YᵀY: for labels, the weight of the records that have them
    things : view and name of each column of Y
    n_known : weight of the records of which each view knows something
    novelty : weight of records times drift, summed over all updates since the fit
    """

    terms: Array
    weight: float
    squared_length: float
    labels: Array | None = None
    label_counts: Array | None = None
    things: tuple[tuple[str, Hashable], ...] = ()
    n_known: Mapping[str, float] = field(default_factory=dict)
    novelty: float = 0.0


class RowForm(DualForm):
    """`DualForm` of few rows without the whole spectrum, since an update needs no leverages.

    Parameters
    ----------
    K : inner products of the rows
    ridge : absolute ridge, above 0
    tol, max_iter, rng : for the leading eigenvectors
    """

    def __init__(
        self, K: Array, *, ridge: float, tol: float, max_iter: int | None = None, rng: np.random.Generator
    ) -> None:
        self.K, self.n_records, self.dtype, self.ridge = K, len(K), K.dtype, ridge
        self.floor = len(K) * float(np.finfo(K.dtype).eps)
        self.trace = float(np.trace(K))
        self.tol, self.max_iter, self.rng = tol, max_iter, rng
        self._factor = la.cho_factor(K + ridge * np.eye(len(K)))
        self.reports: list[Any] = []

    def regress(self, T: Any, crossed: Array | None = None) -> Array:
        """Solve with the Cholesky factor."""
        return np.asarray(la.cho_solve(self._factor, dense_block(T, self.dtype)))

    def leading(self, extra: Any, n_components: int, *, root: Array | float | None = None) -> LeadingVectors:
        """Return the leading eigenvectors, to the tolerance of the solver."""
        C = self.K
        if extra is not None:
            block = dense_block(extra, self.dtype)
            C = C + block @ block.T
        found = leading_eigenpairs(C, n_components, tol=self.tol, max_iter=self.max_iter, rng=self.rng)
        self.reports.append(without_vectors(found))
        return LeadingVectors(np.maximum(found.values, 0), found.vectors)


def with_less_weight(summary: RecordSummary, keep: float) -> RecordSummary:
    """Return the summary of the same records with this share of their weight."""
    if keep == 1:
        return summary
    root = summary.terms.dtype.type(np.sqrt(keep))
    return replace(
        summary,
        terms=summary.terms * root,
        weight=keep * summary.weight,
        squared_length=keep * summary.squared_length,
        labels=None if summary.labels is None else summary.labels * root,
        label_counts=None if summary.label_counts is None else summary.label_counts * keep,
        n_known={name: keep * weight for name, weight in summary.n_known.items()},
        novelty=keep * summary.novelty,
    )


def leading_of_rows(
    top: Array,
    X: Any,
    n_components: int,
    *,
    centre: bool = False,
    solver: str = "auto",
    tol: float = 1e-2,
    max_iter: int | None = None,
    rng: np.random.Generator,
) -> SingularTriplets:
    """Return the leading singular triplets of [top; X], with left vectors; `centre` subtracts the mean row from X."""
    is_matrix = is_sparse(X) or isinstance(X, np.ndarray)
    if solver == "auto" and len(top) + X.shape[0] <= FEW_ROWS and is_matrix:
        return _through_products(top, X, n_components, centre, tol=tol, max_iter=max_iter, rng=rng)
    rows = Centred(as_operator(X)) if centre else as_operator(X)
    start = top.T if len(top) else None
    return leading_singular_triplets(
        stacked_rows([top, rows]), n_components, solver=solver, tol=tol, max_iter=max_iter, rng=rng, start=start
    )


def stacked_rows(blocks: list[Any]) -> Operator:
    """Return blocks stacked below each other; empty blocks are left out."""
    filled = [as_operator(block) for block in blocks if block.shape[0]]
    return filled[0] if len(filled) == 1 else as_operator(Stacked([as_operator(block.T) for block in filled]).T)


def row_products(top: Array, X: Any, *, centre: bool = False) -> Array:
    """Return the inner products of the rows of [top; X], in double precision; `centre` subtracts the mean from X."""
    top, X = top.astype(np.float64, copy=False), X.astype(np.float64, copy=False)
    corner = dense_block(X @ top.T, np.float64)
    inner = dense_block(X @ X.T, np.float64)
    if centre:
        corner = corner - corner.mean(axis=0)
        inner = inner - inner.mean(axis=0)
        inner = inner - inner.mean(axis=1)[:, None]
    return np.block([[top @ top.T, corner.T], [corner, inner]])


def with_more_columns(rows: Array, n_columns: int) -> Array:
    """Return rows with zeros for new columns after the old ones."""
    missing = n_columns - rows.shape[1]
    return np.pad(rows, ((0, 0), (0, missing))) if missing else rows


def _through_products(
    top: Array, X: Any, n_components: int, centre: bool, *, tol: float, max_iter: int | None, rng: np.random.Generator
) -> SingularTriplets:
    """Return triplets from the matrix of inner products; exact unless a singular value is tiny."""
    products = row_products(top, X, centre=centre)
    n, dtype = len(products), np.result_type(top.dtype, X.dtype)
    found = leading_eigenpairs(products, n_components, tol=tol, max_iter=max_iter, rng=rng)
    squares, left = found.values, found.vectors
    rounding = max(n * np.finfo(np.float64).eps, (max(n, X.shape[1]) * float(np.finfo(dtype).eps)) ** 2)
    rank = int(np.count_nonzero(squares > rounding * squares.max(initial=0)))
    values, left = np.sqrt(squares[:rank]), left[:, :rank]
    below = left[len(top) :]
    weights = (below - below.mean(axis=0) if centre else below) / values
    right = top.T @ (left[: len(top)] / values).astype(dtype) + dense_block(X.T @ weights.astype(dtype), dtype)
    if rank and squares[rank - 1] < _UNEVEN * squares[0]:
        # a QR step and a small decomposition in the span of `right`, to working precision
        basis = la.qr(right, mode="economic")[0]
        rows = dense_block(X @ basis, basis.dtype)
        rows = rows - rows.mean(axis=0) if centre else rows
        left, values, turn = la.svd(np.vstack([top @ basis, rows]), full_matrices=False)
        right = np.asarray(basis @ turn.T)
    signs = signs_of(right)
    reason = f"there are {n} rows, at most {FEW_ROWS}: their inner products are a small matrix"
    left, values, residuals = (left * signs).astype(dtype), values.astype(dtype), found.residuals[:rank].astype(dtype)
    return SingularTriplets(left, values, right * signs, residuals, found.iterations, found.solver, reason)
