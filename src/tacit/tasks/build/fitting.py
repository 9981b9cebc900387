"""Fits the space of an index to its words and to what is known about the records, and trains the suggester."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.preprocessing import normalize

from tacit.checks import human_size, is_sparse
from tacit.errors import InputError
from tacit.index.drift import explained_when_new
from tacit.index.known_views import KnownViews
from tacit.index.space import Space
from tacit.index.suggester import Suggester
from tacit.index.witnesses.panel import Panel
from tacit.machine import available_memory
from tacit.models.base import start_from
from tacit.models.classifiers.label_head import LabelHead
from tacit.models.common.memory import LARGE, note_announced
from tacit.models.spaces import SpaceKind, space_named
from tacit.relations.labels.coded import CodedSets
from tacit.relations.labels.matrix import LabelMatrix, as_labels
from tacit.tasks.build.fitted_space import FittedSpace, RecordKnowledge, make_model, plain_parameters
from tacit.tasks.build.learning import LEAST_LEARNED, FrequentLabels, expected_seconds, frequent_labels, train_panel
from tacit.tasks.build.relations import fit_relations
from tacit.tasks.build.settings import BuildSettings, dimensions_for
from tacit.tasks.build.stages.some_rows import n_titles, titles_of
from tacit.tasks.build.vectors import RecordVectors, WordsAndVectors, weigh_vectors
from tacit.tasks.build.views import fit_views, list_of, widened
from tacit.tasks.build.weighing import (
    UNTRIED_WORDS,
    default_emphasis,
)
from tacit.tasks.neighbour_labels import best_share
from tacit.tasks.stage_progress import StageReporter
from tacit.text.words import Words
from tacit.types import Float32Array, IntArray

__all__ = ["fit_model", "fit_space", "label_matrix", "with_suggester"]

_SHARE = 0.5  # length of the position beside the words, which have length 1: best of .5, 1, 2 on Reuters, 2026-11-16
_MOST_BYTES = 2**30
_LONG = 15  # seconds of a suggester that are announced
_MOST_SCORES = (
    1e8  # records x labels that are scored to find thresholds and probabilities: more take minutes and memory
)
# entries x labels (about seven seconds on one core), and bytes that "auto" may add to an index: on all of Reuters-21578
# (2e8) a build takes 46 s with it and 18 s without (benchmarks/compare.py index, 2026-11-16), for .13 of macro F1
_BOTH_WORK, _BOTH_BYTES = 5e7, 2**27


def fit_model(
    X: Any,
    known: RecordKnowledge,
    settings: BuildSettings,
    say: StageReporter,
    words: Words | None = None,
    vectors: Any = None,
) -> FittedSpace:
    """Choose the space, fit it, and train the suggester in it.

    Parameters
    ----------
    X : words of the records, or vectors alone
    known : what else is known about them
    settings : how to build
    say : reports the stages
    words : counts the words of titles, for the trials
    vectors : to use beside the words, optional
    """
    fitted, honest, labels = fit_space(X, known, settings, say, words, vectors)
    return fitted if labels is None else with_suggester(fitted, honest, labels, X, known, settings, say, words)


def fit_space(
    X: Any,
    known: RecordKnowledge,
    settings: BuildSettings,
    say: StageReporter,
    words: Words | None = None,
    vectors: Any = None,
    whole: tuple[int, int] | None = None,
) -> tuple[FittedSpace, Float32Array, LabelMatrix | None]:
    """Choose the space and fit it; return it, the honest positions of the records, and their labels.

    If the records are a sample of a collection, `whole` is its numbers of records and labels, by which dimensions are
    chosen. Labels that only other records have shape no space.
    """
    labels = label_matrix(known.labels, settings.min_label_records)
    kinds = known.kinds if labels is not None else known.kinds - {"labels"}
    space = space_named(settings.model, kinds)
    if space.needs and not kinds & set(space.needs):
        needed = " or ".join(space.needs)
        raise InputError(
            f"model needs {needed}: got {space.name!r} for records without any, expected 'lsi' or 'auto'. Name the "
            f"columns that hold the {needed}, or use `model='lsi'`."
        )
    if not X.shape[1] and space.takes != "relations":
        raise InputError(
            f"model needs words: got {space.name!r} for records without any text, expected 'mlsa' or 'auto'."
        )
    given = settings.n_components
    whole = whole or (X.shape[0], 0 if labels is None else labels.n_labels)
    n_components = dimensions_for(*whole) if given is None else given
    settings = replace(settings, n_components=n_components)
    titles = _title_rows(known.titles, words)
    joined = None if vectors is None else _joined(X, vectors, labels, titles, settings, say)
    features = X if joined is None else joined.X
    if vectors is not None:
        others = {name: weight for name, weight in settings.weights.items() if name != "vectors"}
        settings = replace(settings, weights=others)
    estimate = space.estimate_memory(features, n_components, 0 if labels is None else len(labels.names))
    if estimate is not None and estimate.total >= LARGE:  # said before the fit, which raises if it is too much
        say.begin("memory")
        say.end(f"{estimate.sentence()}; {human_size(available_memory())} are free")
        note_announced(estimate)
    seen = None if labels is None else labels.without_empty()
    if space.takes == "views":
        n_words = None if joined is None else joined.n_terms
        fitted, honest = fit_views(
            space, features, seen, known, settings, say, titles, n_words=n_words, whole=whole if given is None else None
        )
    else:
        say.begin("space")
        fit = fit_relations if space.takes == "relations" else _fit_matrix
        fitted, honest = fit(space, features, seen, known, settings)
        made = _made_from(space, features, seen, known)
        say.end(f"{fitted.model}: a space of {fitted.terms.shape[1]} dimensions {made}")
    if vectors is not None:
        fitted = _with_vectors(fitted, joined)
    if labels is None:
        return fitted, honest, None
    totals = np.asarray(labels.indicator.T @ fitted.positions)
    fitted = replace(
        fitted,
        label_names=tuple(map(str, labels.names)),
        label_counts=tuple(int(count) for count in labels.counts),
        label_positions=np.asarray(totals / np.maximum(labels.counts, 1)[:, None], np.float32),
    )
    return fitted, honest, labels


def with_suggester(
    fitted: FittedSpace,
    honest: Any,
    labels: LabelMatrix,
    X: Any,
    known: RecordKnowledge,
    settings: BuildSettings,
    say: StageReporter,
    words: Words | None = None,
    asked: IntArray | None = None,
    most_asked: int | None = None,
) -> FittedSpace:
    """Train the suggester in a space; `asked` are the records that were fitted, if these are a sample of the records.

    For a sample, `honest` has rows for these records only, and `fitted.positions` may be a file. The ranker learns from
    `most_asked` records at most.
    """
    if settings.suggester == "none":
        return fitted
    method = settings.suggester
    if method in ("auto", "witnesses"):
        method = _affordable(X, labels, honest.shape[1])
    learns = settings.suggester in ("auto", "witnesses") and _can_learn(X, labels)
    if learns:
        _announce(labels, known, say)
    say.begin("suggester")
    if learns:
        panel = _panel(X, labels, honest, fitted, known, settings, words, method, say, asked, most_asked)
        say.end(f"suggester of {len(panel.subjects):,} subjects by {', '.join(w.name for w in panel.witnesses)}")
        return replace(fitted, panel=panel, suggester_method="witnesses")
    if asked is not None:  # what the space was fitted to teaches these, too
        X, labels, honest = X[asked], labels[asked], np.asarray(honest)
    if method == "neighbours":
        places = fitted.positions if asked is None else fitted.positions[asked]
        share = best_share(honest, places, labels, seed=settings.random_state)
        say.end(f"suggester of {len(labels.names):,} labels: those of the nearest records")
        return replace(fitted, suggester_method=method, share=share)
    suggester = _trained(X, honest, labels, settings, method)
    how = "on words and positions" if method == "both" else method
    say.end(f"suggester of {len(labels.names):,} labels trained ({how})")
    return replace(fitted, suggester=suggester, suggester_method=method)


def label_matrix(labels: Sequence[tuple[str, ...]], least: int) -> LabelMatrix | None:
    """Read the labels of at least `least` records; records without any of these are unknown."""
    if isinstance(labels, CodedSets):
        frequent = sorted(name for name, count in zip(labels.names, labels.counts, strict=True) if count >= least)
        return labels.matrix(frequent) if frequent else None
    counts: dict[str, int] = {}
    for names in labels:
        for name in names:
            counts[name] = counts.get(name, 0) + 1
    kept = {name for name, count in counts.items() if count >= least}
    if not kept:
        return None
    known = [tuple(name for name in names if name in kept) for names in labels]
    return as_labels([names or None for names in known])


def _made_from(space: SpaceKind, X: Any, labels: LabelMatrix | None, known: RecordKnowledge) -> str:
    """Say from what a space is made."""
    parts = ["words"] if X.shape[1] else []
    if labels is not None and "labels" in space.uses:
        parts.append(f"{len(labels.names):,} labels")
    if known.taxonomy is not None and "taxonomy" in space.uses:
        parts.append("their taxonomy")
    if "links" in space.uses:
        parts += list(known.used_links)
    return f"from the {list_of(parts)}"


def _joined(
    X: Any, vectors: Any, labels: LabelMatrix | None, titles: Any, settings: BuildSettings, say: StageReporter
) -> WordsAndVectors | None:
    """Put vectors beside the words, as much as a trial or the user says; None if they do not count."""
    centred = RecordVectors.of(vectors)
    say.begin("vectors")
    given = settings.weights.get("vectors")
    if settings.weights.get("words") == 0:
        raise InputError(
            "weights leaves out the words: got 0 for words and vectors beside them, expected more than 0. Use "
            "vectors_only to build from vectors alone."
        )
    if given is not None:
        weight = given / settings.weights.get("words", 1.0 if labels is None else UNTRIED_WORDS)
        said = "weight given"
    else:
        weight, n_tried = weigh_vectors(X, labels, centred, titles, random_state=settings.random_state)
        said = f"tried on {n_tried:,} records" if n_tried else "not tried"
    counted = f"{weight:g} times as much as words" if weight else "left out"
    say.end(f"vectors of {centred.rows.shape[1]:,} numbers, {said}: {counted}")
    return WordsAndVectors(X, centred, weight) if weight else None


def _with_vectors(fitted: FittedSpace, joined: WordsAndVectors | None) -> FittedSpace:
    """Add the maps that place texts and vectors to a space of both, or note that the vectors were left out."""
    views, emphasis = fitted.known_views, fitted.emphasis or default_emphasis(())
    if joined is None:
        return replace(fitted, emphasis=replace(emphasis, weights=emphasis.weights | {"vectors": 0.0}))
    terms, maps = joined.maps(fitted.terms, fitted.positions)
    emphasis = replace(emphasis, emphasis=emphasis.emphasis | {"vectors": joined.weight * emphasis.emphasis["words"]})
    if views is not None and views.vectors is not None:
        views.terms[joined.n_terms :] *= joined.factor
        vectors = replace(views.vectors, length=float(np.sqrt(joined.weight)))
        views = KnownViews(views.terms, views.fold_map, views.scales, views.views, vectors)
    return replace(fitted, terms=terms, vector_maps=maps, known_views=views, emphasis=emphasis)


def _title_rows(titles: Sequence[str], words: Words | None) -> Any:
    """Return a function from record numbers to the words of their titles; None if most records have no title."""
    if words is None or 2 * n_titles(titles) <= len(titles):
        return None
    return lambda rows: words.transform(titles_of(titles, rows))


def _fit_matrix(
    space: SpaceKind, X: Any, labels: LabelMatrix | None, known: RecordKnowledge, settings: BuildSettings
) -> tuple[FittedSpace, Float32Array]:
    """Fit a space of words and labels; return it and the positions of the records by their words alone.

    The index searches positions that the labels of a record have moved; the suggester learns from positions that do
    not know them, since a new text has no labels.
    """
    given = {}
    if known.taxonomy is not None and labels is not None and "taxonomy" in space.uses:
        given = {"taxonomy": widened(known.taxonomy, labels)}
    model = make_model(space.estimator(), settings, **given)
    if "labels" in space.uses:
        honest = np.asarray(model.fit_transform(X, labels), np.float32)
        again = (labels,) if space.rereads_labels else ()
        positions = np.asarray(model.training_coordinates(X, *again, kind="transductive"), np.float32)
        offset = getattr(model, "offset_", None)
    else:
        if known.earlier is not None and known.earlier.positions is not None:
            start_from(model, known.earlier.positions)
        positions = honest = np.asarray(model.fit_transform(X), np.float32)
        offset = model.components_ @ model.mean_ if model.center else None
    terms = np.ascontiguousarray(model.components_.T, np.float32)
    offset = None if offset is None else np.asarray(offset, np.float32)
    is_plain = space.name == "lsi" and offset is None and is_sparse(X)
    expected = explained_when_new(X, terms * model.singular_values_) if is_plain else None
    return FittedSpace(space.title, plain_parameters(model), terms, offset, positions, explained=expected), honest


def _trained(X: Any, positions: Float32Array, labels: LabelMatrix, settings: BuildSettings, method: str) -> Suggester:
    """Train the suggester on the positions, or on words and positions together."""
    seed = settings.random_state
    if method == "both":
        _check_room(X.shape[1], len(labels.names))
        rows = X if is_sparse(X) else sp.csr_array(normalize(X))
        together = sp.hstack([rows, _SHARE * sp.csr_array(normalize(positions))], format="csr")
        head = LabelHead("svm", normalise=False, cv=3, random_state=seed).fit(together, labels)
        head.coef_[:, X.shape[1] :] *= _SHARE  # so that it takes positions at unit length
        return Suggester.of_head(head, X.shape[1])
    return Suggester.of_head(LabelHead(method, ridge=0.1, random_state=seed).fit(positions, labels))


def _can_learn(X: Any, labels: LabelMatrix) -> bool:
    """Whether there are words to count, and enough labelled records for a ranker."""
    enough = int(np.count_nonzero(labels.known)) >= LEAST_LEARNED and labels.n_labels > 1
    return bool(is_sparse(X) and X.shape[1] > 0 and enough)


def _announce(labels: LabelMatrix, known: RecordKnowledge, say: StageReporter) -> None:
    """Say beforehand if the suggester will take more than half of the build, and what takes less."""
    n_subjects = len({*map(str, labels.names), *(() if known.vocabulary is None else map(str, known.vocabulary.names))})
    seconds = expected_seconds(int(np.count_nonzero(labels.known)), n_subjects)
    if seconds >= _LONG and seconds > say.seconds:
        say.begin("estimate")
        say.end(
            f"the suggester of {n_subjects:,} subjects takes about {seconds:,.0f} s, longer than all before it; "
            "--suggester neighbours or none takes less"
        )


def _panel(
    X: Any,
    labels: LabelMatrix,
    honest: Any,
    fitted: FittedSpace,
    known: RecordKnowledge,
    settings: BuildSettings,
    words: Words | None,
    method: str,
    say: StageReporter,
    asked: IntArray | None,
    most_asked: int | None,
) -> Panel:
    """Train the witnesses, with one classifier per label if that is affordable."""
    if fitted.emphasis is None and not labels.known.all():
        # in other spaces, what is expected of records without labels comes from this one too, so its position is not
        # honest: a position that says nothing teaches the ranker to go by the other witnesses
        honest = 0 * honest
        method = method if method == "both" else "none"
    head = None
    if method == "both":
        # words alone: what they predict, less a position predicted without the record, betrays its labels, and a
        # classifier of both would learn this difference, which a new text does not have
        some = X if asked is None else X[asked]
        rows = sp.hstack([some, sp.csr_array((some.shape[0], honest.shape[1]), dtype=X.dtype)], format="csr")
        linear = LabelHead("svm", normalise=False, cv=3, random_state=settings.random_state)
        head = FrequentLabels(linear, rows, X.shape[1], _SHARE, asked)
    elif method == "logistic":
        logistic = LabelHead("logistic", cv=3, random_state=settings.random_state)
        head = FrequentLabels(logistic, np.asarray(honest), 0, 1.0, asked)
    assert fitted.label_positions is not None
    corrected = [correction.text for correction in known.corrections]
    return train_panel(
        X,
        labels,
        honest,
        fitted.positions,
        fitted.label_positions,
        words=words,
        texts=known.texts,
        vocabulary=known.vocabulary,
        titles=known.label_titles,
        language=settings.text.language,
        head=head,
        say=say,
        seed=settings.random_state,
        corrections=known.corrections,
        places=Space(fitted.terms, fitted.offset, words).place(corrected) if corrected else None,
        asked=asked,
        most_asked=most_asked,
    )


def _affordable(X: Any, labels: LabelMatrix, n_dimensions: int) -> str:
    """Return the best suggester that does not take much longer than the rest of a build."""
    n_known, n_labels, n_terms = int(np.count_nonzero(labels.known)), len(frequent_labels(labels.counts)), X.shape[1]
    entries_per_record = X.nnz / max(1, X.shape[0]) if is_sparse(X) else float(n_terms)
    if (entries_per_record + n_dimensions) * n_known * n_labels <= _BOTH_WORK and 4 * n_terms * n_labels <= _BOTH_BYTES:
        return "both"
    if float(n_known) * n_labels > _MOST_SCORES:
        return "neighbours"
    return "logistic"


def _check_room(n_terms: int, n_labels: int) -> None:
    """One number per word and label is stored, and all of them are read to suggest labels for many texts."""
    size = 4 * n_terms * n_labels
    if size > _MOST_BYTES:
        raise InputError(
            f"suggester='both' would take {human_size(size)}: got {n_terms:,} terms and {n_labels:,} labels, expected "
            f"at most {human_size(_MOST_BYTES)}. Keep fewer terms (max_terms), learn fewer labels (min_label_records), "
            "or use `suggester='auto'`."
        )
