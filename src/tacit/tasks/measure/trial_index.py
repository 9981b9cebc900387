"""An index in memory: fitted to some records, asked for suggestions and neighbours, and forgotten."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from tacit.checks import is_sparse
from tacit.corpus.record import Record
from tacit.errors import InputError
from tacit.index.nearest.exact import top
from tacit.index.space import Space
from tacit.relations.taxonomy.taxonomy import Taxonomy
from tacit.tasks.build.fitting import Known, fit_model
from tacit.tasks.build.settings import BuildSettings
from tacit.tasks.measure.split import Part
from tacit.tasks.stages import Stages
from tacit.text.words import Words
from tacit.types import Array, Float32Array, IntArray

__all__ = ["Features", "FittedIndex", "Measured", "RawWords", "known_of"]

_CELLS = 20_000_000  # cosines at a time


@dataclass(frozen=True, eq=False)
class Features:
    """Records as rows of numbers: their words counted, or the vectors they came with."""

    words: Words | None
    X: Any

    @classmethod
    def of(cls, part: Part, settings: BuildSettings, say: Stages) -> Features:
        """Count the words of records, unless they have vectors."""
        if part.vectors is not None:
            return cls(None, np.asarray(part.vectors, np.float32))
        say.begin("words")
        words, X = Words.fit([record.text for record in part.records], settings.text)
        say.end(f"{X.shape[1]:,} different words counted in {X.shape[0]:,} records")
        return cls(words, X)

    def rows(self, part: Part) -> Any:
        """Other records as rows with the same columns."""
        if self.words is None:
            return np.asarray(part.vectors, np.float32)
        return self.words.transform(record.text for record in part.records)


class Measured(Protocol):
    """What the measures ask of something that they judge."""

    name: str
    label_names: tuple[str, ...]
    features: Features
    n_dimensions: int

    def place(self, rows: Any) -> Any:
        """Give positions of rows of features."""

    def nearest(self, places: Any, limit: int, extra: Any = None) -> list[IntArray]:
        """Give numbers of the nearest records, the nearest first; those of `extra` are numbered after the others."""

    def cosines(self, place: Any, numbers: IntArray, extra: Any = None) -> Array:
        """Give cosines of one position with records, numbered as by `nearest`."""

    def suggest(self, rows: Any) -> tuple[Any, Any] | None:
        """Give scores of the labels for rows of features, and which are chosen; None if no labels were learned."""


class FittedIndex:
    """A space with its records and its suggester, as an index would have them, in memory.

    Attributes
    ----------
    name : str, the model
    parameters : what it was fitted with
    label_names : labels that it has learned
    positions : (n_records, k)
    """

    def __init__(
        self, part: Part, settings: BuildSettings, taxonomy: Taxonomy | None, features: Features, say: Stages
    ) -> None:
        fitted = fit_model(features.X, known_of(part.records, taxonomy), settings, say)
        self.name, self.parameters = fitted.model, fitted.parameters
        self.label_names, self.positions = fitted.label_names, fitted.positions
        self.features, self._suggester = features, fitted.suggester
        self._space = Space(fitted.terms, fitted.offset, features.words)
        self.n_dimensions = self._space.n_dimensions
        self._units = _unit(fitted.positions)

    def place(self, rows: Any) -> Float32Array:
        """Place rows of features; one without any known word is at the origin."""
        places = np.asarray(rows @ self._space.terms, np.float32)
        if self._space.offset is not None:
            places = places - self._space.offset
        if is_sparse(rows):
            places[np.diff(rows.indptr) == 0] = 0
        return places

    def nearest(self, places: Any, limit: int, extra: Any = None) -> list[IntArray]:
        """See `Measured`."""
        return _nearest(_unit(places), self._units, None if extra is None else _unit(extra), limit)

    def cosines(self, place: Any, numbers: IntArray, extra: Any = None) -> Array:
        """See `Measured`."""
        return _cosines(_unit(place), self._units, None if extra is None else _unit(extra), numbers)

    def suggest(self, rows: Any) -> tuple[Any, Any] | None:
        """Probabilities, and the sets that the thresholds choose; nothing for what is at the origin."""
        if self._suggester is None:
            return None
        places = self.place(rows)
        scores = self._suggester.scores(places, rows if is_sparse(rows) else _unit(rows))
        nowhere = ~places.any(axis=1)
        probabilities, chosen = self._suggester.probabilities(scores), self._suggester.chosen(scores)
        probabilities[nowhere], chosen[nowhere] = -np.inf, False
        return probabilities, chosen


class RawWords:
    """The baseline without any space: cosines of the words themselves, and a linear classifier on them.

    The classifier is one linear support vector machine a label, each with its own threshold: what a space has to beat.
    """

    name = "words"

    def __init__(self, part: Part, settings: BuildSettings, features: Features, say: Stages) -> None:
        from tacit.models.classifiers.label_head import LabelHead
        from tacit.relations.labels.matrix import as_labels

        self.features, self._head = features, None
        self.label_names: tuple[str, ...] = ()
        self.n_dimensions = int(features.X.shape[1])
        self._units = features.X if is_sparse(features.X) else _unit(features.X)
        rows = [row for row, names in enumerate(part.labels) if names]
        if rows and settings.suggester != "none":
            say.begin("suggester")
            labels = as_labels([part.records[row].labels for row in rows])
            head = LabelHead("svm", cv=3, calibrate=False, random_state=settings.random_state)
            self._head = head.fit(features.X[rows], labels)
            self.label_names = tuple(map(str, labels.names))
            say.end(f"classifier of {len(labels.names):,} labels trained on the words themselves")

    def place(self, rows: Any) -> Any:
        """Leave rows of features as they are."""
        return rows

    def nearest(self, places: Any, limit: int, extra: Any = None) -> list[IntArray]:
        """See `Measured`."""
        if is_sparse(places):
            return _nearest(places, self._units, extra, limit)
        return _nearest(_unit(places), self._units, None if extra is None else _unit(extra), limit)

    def cosines(self, place: Any, numbers: IntArray, extra: Any = None) -> Array:
        """See `Measured`."""
        if is_sparse(place):
            return _cosines(place, self._units, extra, numbers)
        return _cosines(_unit(place), self._units, None if extra is None else _unit(extra), numbers)

    def suggest(self, rows: Any) -> tuple[Any, Any] | None:
        """Scores of the classifiers, and the sets that their thresholds choose."""
        if self._head is None:
            return None
        scores = np.asarray(self._head.decision_function(rows), np.float64).reshape(rows.shape[0], -1)
        if scores.shape[1] != len(self.label_names):  # one column speaks for two classes
            scores = np.hstack([-scores, scores])
        thresholds = np.zeros(scores.shape[1]) if self._head.thresholds_ is None else self._head.thresholds_
        chosen = scores > thresholds
        nowhere = np.asarray(abs(rows).sum(axis=1)).ravel() == 0
        scores[nowhere], chosen[nowhere] = -np.inf, False
        return scores, chosen


def known_of(records: Sequence[Record], taxonomy: Taxonomy | None) -> Known:
    """Gather what is known about records beside their words."""
    if not records:
        raise InputError("records is empty: got none, expected one at least.")
    names = dict.fromkeys(name for record in records for name in record.links)
    links = {name: [record.links.get(name, ()) for record in records] for name in names}
    return Known([record.labels for record in records], links, taxonomy)


def _unit(positions: Any) -> Float32Array:
    lengths = np.linalg.norm(positions, axis=1, keepdims=True)
    return np.asarray(positions / np.where(lengths > 0, lengths, 1), np.float32)


def _nearest(queries: Any, units: Any, extra: Any, limit: int) -> list[IntArray]:
    """Nearest rows by cosine, a block of queries at a time; a query at the origin finds nothing."""
    found: list[IntArray] = []
    step = max(1, _CELLS // max(1, units.shape[0]))
    for start in range(0, queries.shape[0], step):
        block = queries[start : start + step]
        cosines = _dense(block @ units.T)
        if extra is not None:
            cosines = np.hstack([cosines, _dense(block @ extra.T)])
        for row, empty in zip(cosines, np.asarray(abs(block).sum(axis=1)).ravel() == 0, strict=True):
            found.append(np.empty(0, np.int64) if empty else top(row, limit))
    return found


def _cosines(query: Any, units: Any, extra: Any, numbers: IntArray) -> Array:
    """Cosines of one row with some of the records; numbers above theirs are rows of `extra`."""
    own = numbers < units.shape[0]
    found = np.empty(len(numbers), np.float32)
    found[own] = _dense(query @ units[numbers[own]].T).ravel()
    if not own.all():
        found[~own] = _dense(query @ extra[numbers[~own] - units.shape[0]].T).ravel()
    return found


def _dense(values: Any) -> Array:
    return np.asarray(values.toarray() if is_sparse(values) else values)
