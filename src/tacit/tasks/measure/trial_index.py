"""An index in memory: fitted to the training records of a split, measured, and discarded."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from tacit.checks import is_sparse
from tacit.index.nearest.exact import top
from tacit.index.space import Space, centred
from tacit.index.witnesses.asked import AskedTexts
from tacit.index.witnesses.panel import Panel, blocks_of
from tacit.models.classifiers.label_head import LabelHead
from tacit.relations.labels.matrix import as_labels
from tacit.relations.taxonomy.taxonomy import Taxonomy
from tacit.tasks.build.fitted_space import RecordKnowledge
from tacit.tasks.build.fitting import fit_model
from tacit.tasks.build.settings import BuildSettings
from tacit.tasks.build.vectors import RecordVectors
from tacit.tasks.build.weighing import UNLABELLED
from tacit.tasks.measure.split import RecordSet
from tacit.tasks.neighbour_labels import shares_in
from tacit.tasks.stage_progress import StageReporter
from tacit.text.words import Words
from tacit.types import Array, Float32Array, IntArray

__all__ = ["Features", "FittedIndex", "RawWords", "TrialIndex"]

_CELLS = 20_000_000  # cosines at a time


@dataclass(frozen=True, eq=False)
class Features:
    """Records as rows of numbers: their words counted, or their vectors, or both.

    Attributes
    ----------
    words : how texts become rows; None if the vectors are used alone
    X : words of the training records, or their vectors
    vectors : those beside the words, if there are some
    weights : how much words and views count, once a fit has found it: further fits to the same records do not try again
    """

    words: Words | None
    X: Any
    vectors: Any = None
    weights: dict[str, float] = field(default_factory=dict)

    @classmethod
    def of(cls, records: RecordSet, settings: BuildSettings, stages: StageReporter) -> Features:
        """Count the words of records, unless their vectors are used alone."""
        if records.vectors is not None and settings.vectors_only:
            return cls(None, np.asarray(records.vectors, np.float32))
        stages.begin("words")
        words, X = Words.fit([record.text for record in records.records], settings.text)
        stages.end(f"{X.shape[1]:,} different words counted in {X.shape[0]:,} records")
        return cls(words, X, records.vectors)

    def rows(self, records: RecordSet) -> Any:
        """Return other records as rows with the same columns; vectors beside words follow these."""
        if self.words is None:
            return np.asarray(records.vectors, np.float32)
        rows = self.words.transform(record.text for record in records.records)
        if self.vectors is None or records.vectors is None:
            return rows
        return sp.hstack([rows, sp.csr_array(centred(records.vectors, self._mean))], format="csr", dtype=np.float32)

    def words_of(self, rows: Any) -> Any:
        """Return the columns of rows that are words, or vectors used alone."""
        return rows[:, : self.X.shape[1]]

    @cached_property
    def _mean(self) -> Array:
        return RecordVectors.of(self.vectors).mean


class TrialIndex(ABC):
    """What is measured: positions of records, their neighbours by cosine, and suggested labels.

    Attributes
    ----------
    name : str
        The model.
    label_names : tuple of str
        Labels that can be suggested: those that were learned, and further ones that are known by their names alone.
    n_learned : int
        How many of these were learned; they come first.
    features : Features
    n_dimensions : int
    gives_probabilities : bool
        Whether the scores of suggestions are probabilities.
    """

    gives_probabilities = True

    def __init__(
        self, name: str, features: Features, positions: Any, label_names: tuple[str, ...], n_dimensions: int
    ) -> None:
        self.name, self.features, self.label_names, self.n_dimensions = name, features, label_names, n_dimensions
        self.n_learned = len(label_names)
        self._units = _unit(positions)

    @abstractmethod
    def place(self, rows: Any) -> Any:
        """Return the positions of rows of features."""

    @abstractmethod
    def suggest(
        self, rows: Any, texts: Sequence[str] | None = None, say: StageReporter | None = None
    ) -> tuple[Any, Any] | None:
        """Return scores of the labels for rows of features, and which are chosen; None if no labels were learned.

        Both are dense, or sparse if few of many labels are suggested; what a sparse matrix does not store is never
        suggested. A row without any known word has no suggestions: its scores are minus infinity, or not stored.

        The texts of the rows, if there are any, may contain names of labels. `say` reports the progress.
        """

    def nearest(self, places: Any, limit: int, extra: Any = None) -> list[IntArray]:
        """Return the numbers of the nearest records, the nearest first; a position at the origin has none.

        Records at the positions `extra` are ranked as well, and numbered after the others.
        """
        queries, found = _unit(places), []
        extra = None if extra is None else _unit(extra)
        step = max(1, _CELLS // max(1, self._units.shape[0]))
        for start in range(0, queries.shape[0], step):
            block = queries[start : start + step]
            cosines = _dense(block @ self._units.T)
            if extra is not None:
                cosines = np.hstack([cosines, _dense(block @ extra.T)])
            for row, empty in zip(cosines, _is_zero(block), strict=True):
                found.append(np.empty(0, np.int64) if empty else top(row, limit))
        return found

    def cosines(self, place: Any, numbers: IntArray, extra: Any = None) -> Array:
        """Return the cosines of one position with records, numbered as by `nearest`."""
        query, own = _unit(place), numbers < self._units.shape[0]
        found = np.empty(len(numbers), np.float32)
        found[own] = _dense(query @ self._units[numbers[own]].T).ravel()
        if not own.all():
            found[~own] = _dense(query @ _unit(extra)[numbers[~own] - self._units.shape[0]].T).ravel()
        return found


class FittedIndex(TrialIndex):
    """A space with its records and its suggester, as an index on disk would have them.

    Parameters
    ----------
    train : records to learn from
    settings : how to fit
    taxonomy : names of the labels, and what is above them, if that is known
    features : words or vectors of the records
    stages : reports the stages of the fit
    label_titles : names of labels that came with the records

    Attributes
    ----------
    positions : (n_records, k), positions of the training records
    panel : Panel or None, the witnesses that suggest labels
    """

    def __init__(
        self,
        train: RecordSet,
        settings: BuildSettings,
        taxonomy: Taxonomy | None,
        features: Features,
        stages: StageReporter,
        label_titles: Mapping[str, str] | None = None,
    ) -> None:
        known = RecordKnowledge.of_records(train.records, taxonomy, settings.random_state)
        known = replace(known, label_titles=label_titles or {})
        settings = replace(settings, weights={**features.weights, **settings.weights})
        fitted = fit_model(features.X, known, settings, stages, features.words, features.vectors)
        if fitted.emphasis is not None and fitted.emphasis.n_records:
            features.weights.update(dict.fromkeys(fitted.emphasis.weights, 0.0) | fitted.emphasis.emphasis)
            features.weights[UNLABELLED] = float(fitted.emphasis.fits_unlabelled)
        self.positions, self._suggester = fitted.positions, fitted.suggester
        self._share, self.panel = fitted.share, fitted.panel
        self._labels = (
            as_labels([record.labels or None for record in train.records]) if fitted.share is not None else None
        )
        self._space = Space(fitted.terms, fitted.offset, features.words, fitted.vector_maps)
        names = fitted.label_names if self.panel is None else self.panel.subjects
        super().__init__(fitted.model, features, fitted.positions, names, self._space.n_dimensions)
        self.n_learned = len(fitted.label_names)

    def place(self, rows: Any) -> Float32Array:
        """Return the positions of rows of features; one without any known word is at the origin."""
        terms = self._space.terms
        if rows.shape[1] > len(terms):  # words and vectors
            maps = self._space.vectors
            rows, terms = (rows, maps.both) if maps is not None else (self.features.words_of(rows), terms)
        places = np.asarray(rows @ terms, np.float32)
        if self._space.offset is not None:
            places = places - self._space.offset
        if is_sparse(rows):
            places[np.diff(rows.indptr) == 0] = 0
        return places

    def suggest(
        self, rows: Any, texts: Sequence[str] | None = None, say: StageReporter | None = None
    ) -> tuple[Any, Any] | None:
        """Return probabilities, and the sets that the thresholds choose; those of witnesses are sparse."""
        if self.panel is not None:
            return self._by_witnesses(self.panel, rows, texts, say)
        places = self.place(rows)
        if self._labels is not None and self._share is not None:
            labels = self._labels.select(self.label_names)
            step = max(1, _CELLS // len(labels))
            parts = [shares_in(places[i : i + step], self.positions, labels) for i in range(0, len(places), step)]
            shares = np.vstack([part.toarray() for part in parts])
            return _without_empty(shares, shares >= self._share, _is_zero(places))
        if self._suggester is None:
            return None
        scores = self._suggester.scores(places, _unit(self.features.words_of(rows)))
        return _without_empty(self._suggester.probabilities(scores), self._suggester.chosen(scores), _is_zero(places))

    def asked(self, rows: Any, texts: Sequence[str] | None = None) -> Iterator[tuple[slice, AskedTexts]]:
        """Yield rows of features a block at a time, as the witnesses are asked about them."""
        assert self.panel is not None
        words, places = sp.csr_array(self.features.words_of(rows)), self.place(rows)
        n_subjects = len(self.panel.subjects)
        for block in blocks_of(len(places), self.panel.block):
            yield block, AskedTexts(words[block], places[block], n_subjects, None if texts is None else texts[block])

    def _by_witnesses(
        self, panel: Panel, rows: Any, texts: Sequence[str] | None, say: StageReporter | None
    ) -> tuple[Any, Any]:
        """Rank the subjects of rows; those that no witness names are never suggested, and not stored."""
        n_rows, found = rows.shape[0], []
        for block, asked in self.asked(rows, texts):
            ranked = panel.rank(asked)
            found.append((ranked.text + block.start, ranked.subject, ranked.probability, ranked.chosen))
            if say is not None:
                say.advance(f"{block.stop:,} of {n_rows:,} texts", block.stop / n_rows)
        shape = (n_rows, len(panel.subjects))
        if not found:
            return sp.csr_array(shape), sp.csr_array(shape, dtype=bool)
        text, subject, probability, chosen = (np.concatenate(part) for part in zip(*found, strict=True))
        scores = sp.csr_array((probability, (text, subject)), shape)
        yes = sp.csr_array((chosen[chosen], (text[chosen], subject[chosen])), shape)
        return scores, yes


class RawWords(TrialIndex):
    """The baseline without a space: cosines of the words themselves, and one linear classifier per label on them."""

    gives_probabilities = False

    def __init__(self, train: RecordSet, settings: BuildSettings, features: Features, stages: StageReporter) -> None:
        self._head: LabelHead | None = None
        label_names: tuple[str, ...] = ()
        rows = [row for row, names in enumerate(train.labels) if names]
        if rows and settings.suggester != "none":
            stages.begin("suggester")
            labels = as_labels([train.records[row].labels for row in rows])
            head = LabelHead("svm", cv=3, calibrate=False, random_state=settings.random_state)
            self._head = head.fit(features.X[rows], labels)
            label_names = tuple(map(str, labels.names))
            stages.end(f"classifier of {len(label_names):,} labels trained on the words themselves")
        super().__init__("words", features, features.X, label_names, int(features.X.shape[1]))

    def place(self, rows: Any) -> Any:
        """Return the words of the rows as they are."""
        return self.features.words_of(rows)

    def suggest(
        self, rows: Any, texts: Sequence[str] | None = None, say: StageReporter | None = None
    ) -> tuple[Any, Any] | None:
        """Return scores of the classifiers, and the sets that their thresholds choose."""
        if self._head is None:
            return None
        rows = self.features.words_of(rows)
        scores = np.asarray(self._head.decision_function(rows), np.float64).reshape(rows.shape[0], -1)
        if scores.shape[1] != len(self.label_names):  # of two classes only the second has a score
            scores = np.hstack([-scores, scores])
        thresholds = np.zeros(scores.shape[1]) if self._head.thresholds_ is None else self._head.thresholds_
        return _without_empty(scores, scores > thresholds, _is_zero(rows))


def _without_empty(scores: Array, chosen: Array, empty: Array) -> tuple[Array, Array]:
    scores[empty], chosen[empty] = -np.inf, False
    return scores, chosen


def _unit(positions: Any) -> Any:
    """Scale rows to length one; sparse rows are counted words, which have that length."""
    if is_sparse(positions):
        return positions
    lengths = np.linalg.norm(positions, axis=1, keepdims=True)
    return np.asarray(positions / np.where(lengths > 0, lengths, 1), np.float32)


def _is_zero(rows: Any) -> Array:
    return np.asarray(abs(rows).sum(axis=1)).ravel() == 0


def _dense(values: Any) -> Array:
    return np.asarray(values.toarray() if is_sparse(values) else values)
