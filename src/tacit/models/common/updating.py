"""Spaces that take in new records without starting over, and say when starting over is due.

A model keeps a `History`: a few rows that stand for all records it has seen (`compressed` has the algebra). An update
puts the new records below them and solves the same problem again, which is small. Records seen before are moved to the
new space by one small matrix.

**Drift.** A space explains the share e of the squared length of the records it was made from, and less of others even
from the same source, because a record pulls the directions towards itself. Without record i the direction
a = Σ v_i x_i would be a − v_i x_i, so with m the mean squared length, q = a / ‖a‖ and ‖v‖ = 1, the share of unseen
records is about

    e₀ = Σ_j (‖X q_j‖² − 2 m + m² / ‖a_j‖²) / ‖X‖²          for LSI  Σ_j s_j² (1 − m / s_j²)² / Σ s²

and drift is how much of it is missing in the new records, 1 − e / e₀, not below 0. That is 0 up to noise for records
from the same source, and 1 if the space knows nothing of them. `MLSI` adds the labels in the same way.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
import scipy.linalg as la
from sklearn.base import clone
from sklearn.utils.metaestimators import available_if

from tacit.checks import check_number
from tacit.errors import InputError
from tacit.models.base import SCALINGS, SpaceModel, check_terms
from tacit.models.common.compressed import History
from tacit.operators.base import Array

__all__ = ["KEPT", "REFIT_SHARE", "Updatable", "begin_history", "drift_from", "unseen_share", "word_directions"]

KEPT = 2  # rows of history a dimension: what one more batch would bring up is kept before it shows
REFIT_SHARE = 0.1  # running drift above which a refit is due: fits LSI, only cautious for MLSI; docs/studies/drift.md

_OF_UPDATES = ("drift_", "refit_due_", "position_map_", "position_shift_")


class Updatable(SpaceModel):
    """A space with `partial_fit`.

    A subclass's `_merge` takes in records that have been read; its `fit` calls `begin_history`.
    """

    n_records_seen_: int
    drift_: float
    refit_due_: bool
    position_map_: Array
    _history: History | None
    _learned_width: ClassVar[tuple[str, ...]] = ("n_features_in_", "feature_names_in_")

    @available_if(lambda self: self._can_update())
    def partial_fit(self, X: Any, y: Any = None, *, forget: float = 0.0) -> Self:
        """Take in new records; the first call is a fit, and a call after `fit` goes on from there.

        Parameters
        ----------
        X : (n_records, n_terms) dense or sparse, the new records alone. There may be more columns than before: new
            terms come after the old ones
        y : their labels, if the model reads labels; names not seen before are new labels
        forget : share of their weight that all earlier records lose, from 0 to below 1

        Notes
        -----
        Positions that were stored earlier are not those of the new space: `move_positions` moves them. `drift_` says
        how much less the space explained of these records than of those it knew, and `refit_due_` whether a fit on all
        records would be better by now.
        """
        keep = 1 - check_number("forget", forget, high=1.0, open_high=True)
        if not hasattr(self, "eigenvalues_"):
            self._merge(self._read_training(X), y, keep)
            return self
        rows, reader = self._read_more(X)
        self._merge(rows, y, keep)
        for name in self._learned_width:
            if hasattr(reader, name):
                setattr(self, name, getattr(reader, name))
        return self

    def move_positions(self, positions: Any) -> Array:
        """Move positions from the space before the last `partial_fit` into the space after it.

        They were got by `transform` or `fit_transform`, or by this method after the update before.
        """
        old = np.asarray(positions)
        if not hasattr(self, "position_map_"):
            raise InputError("there is nothing to move: got a space that `partial_fit` has not changed since its fit.")
        if old.ndim != 2 or old.shape[1] != len(self.position_map_):
            raise InputError(
                f"positions do not belong to the space before the update: got shape {old.shape}, "
                f"expected (n_records, {len(self.position_map_)})."
            )
        return np.asarray(old @ self.position_map_ + getattr(self, "position_shift_", 0))

    def _can_update(self) -> bool:
        """Whether `partial_fit` is there with these parameters; what is raised instead says why it is not."""
        return True

    @abstractmethod
    def _merge(self, X: Any, y: Any, keep: float) -> None:
        """Take in records whose X has been read; everything else is checked before anything is learned."""

    def _read_more(self, X: Any) -> tuple[Any, Any]:
        """Validate X, which may be wider than before, and give who read it: nothing is changed yet."""
        shape = np.shape(X)
        if len(shape) != 2 or shape[1] <= self.n_features_in_:
            rows, reader = self._read(X, reset=False), self
        else:
            reader = clone(self)
            rows = reader._read(X, reset=True)
            _check_old_names(getattr(self, "feature_names_in_", None), getattr(reader, "feature_names_in_", None))
        check_terms(rows)
        return rows, reader

    def _account(self, n_new: int, history: History, drift: float) -> None:
        """Count the records and keep what was found out about the new ones."""
        self.n_records_seen_ = getattr(self, "n_records_seen_", 0) + n_new
        self._history = replace(history, novelty=history.novelty + n_new * drift)
        self.drift_ = float(drift)
        self.refit_due_ = bool(self._history.novelty > REFIT_SHARE * self._history.weight)

    def _keep_map(self, unit_map: Array, before: Array) -> None:
        """Keep what moves positions, from what moves those in unit scaling and the eigenvalues before."""
        power = SCALINGS[self.scaling]
        scaled = unit_map * self.eigenvalues_**power / (before**power)[:, None]
        self.position_map_ = np.asarray(scaled, dtype=self.eigenvalues_.dtype)


def begin_history(model: Any, history: History | None, n_records: int) -> None:
    """Start counting at a fit: forget what earlier updates left; None says that nothing can be updated."""
    for name in _OF_UPDATES:
        model.__dict__.pop(name, None)
    model._history = history
    model.n_records_seen_ = n_records


def word_directions(loadings: Array) -> tuple[Array, Array, Array]:
    """Give orthogonal directions a_j in the row space of A = VᵀX: the turns E of EᵀA, lengths, unit directions."""
    double = loadings.astype(np.float64, copy=False)
    squares, turns = la.eigh(double @ double.T)
    real = squares > squares.max(initial=0) * len(squares) * np.finfo(loadings.dtype).eps
    lengths, turns = np.sqrt(squares[real]), turns[:, real]
    return turns, lengths, (loadings.T @ (turns / lengths).astype(loadings.dtype))


def unseen_share(history: History, directions: Array, lengths: Array) -> float:
    """e₀: the share of the squared length of unseen records, from the same source, that these directions explain."""
    mean = history.squared_length / max(history.weight, 1)
    seen = np.square(history.terms @ directions, dtype=np.float64).sum(axis=0)
    unseen = np.where(lengths**2 > mean, seen - 2 * mean + mean**2 / lengths**2, 0)
    return float(np.maximum(unseen, 0).sum() / max(history.squared_length, np.finfo(float).tiny))


def drift_from(share: float, expected: float) -> float:
    """How much of the expected share is missing, from 0 to 1; where nothing was expected nothing can be missing."""
    if expected <= 0:
        return 0.0
    return float(np.clip(1 - share / expected, 0, 1))


def _check_old_names(old: Any, new: Any) -> None:
    """Raise if columns that were there before have other names now."""
    if old is None or new is None:
        return
    for column, (before, now) in enumerate(zip(old, new, strict=False)):
        if before != now:
            raise InputError(
                f"X has its columns in another order: got {now!r} as column {column}, expected {before!r} as before. "
                "New terms come after the old ones."
            )
