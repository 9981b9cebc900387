"""Fits the space of an index to its words and to what is known about the records, and trains the suggester."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.preprocessing import normalize

from tacit.checks import check_number, human_size, is_sparse
from tacit.corpus.record import Record
from tacit.errors import InputError, did_you_mean
from tacit.index.known_views import KnownViews, ViewPull
from tacit.index.space import VectorMaps
from tacit.index.suggester import Suggester
from tacit.machine import available_memory
from tacit.models.classifiers.label_head import LabelHead
from tacit.models.common.memory import LARGE, note_announced
from tacit.models.common.views import View
from tacit.models.spaces import Knowledge, SpaceKind, space_named
from tacit.relations.labels.matrix import LabelMatrix, as_labels
from tacit.relations.taxonomy.taxonomy import Taxonomy
from tacit.tasks.build.settings import BuildSettings, dimensions_for
from tacit.tasks.build.vectors import RecordVectors, WordsAndVectors, weigh_vectors
from tacit.tasks.build.weighing import (
    LABEL_WEIGHT,
    MORE_DIMENSIONS,
    POWER,
    UNTRIED_WORDS,
    Emphasis,
    any_dimensions,
    default_emphasis,
    weigh_views,
)
from tacit.tasks.neighbour_labels import best_share
from tacit.tasks.stage_progress import StageReporter
from tacit.text.words import Words
from tacit.types import Float32Array

__all__ = ["FittedSpace", "RecordKnowledge", "fit_model", "fit_relations", "widened"]

_SHARE = 0.5  # length of the position beside the words, which have length 1: best of .5, 1, 2 on Reuters, 2026-11-16
_MOST_BYTES = 2**30
_MOST_SCORES = (
    1e8  # records x labels that are scored to find thresholds and probabilities: more take minutes and memory
)
# entries x labels (about seven seconds on one core), and bytes that "auto" may add to an index: on all of Reuters-21578
# (2e8) a build takes 46 s with it and 18 s without (benchmarks/compare.py index, 2026-11-16), for .13 of macro F1
_BOTH_WORK, _BOTH_BYTES = 5e7, 2**27


@dataclass(frozen=True, eq=False)
class RecordKnowledge:
    """What is known about the records besides their words.

    Parameters
    ----------
    labels : labels of each record; no labels means unknown, not "none of them"
    links : targets of each record, by the name of the link
    taxonomy : what is above the labels, or None
    titles : of the records, if they have some; the trial asks with them
    n_words : number of words in all texts, if it is known: with fewer words than links, these are ratings
    """

    labels: Sequence[tuple[str, ...]]
    links: Mapping[str, Sequence[tuple[str, ...]]]
    taxonomy: Taxonomy | None = None
    titles: Sequence[str] = ()
    n_words: int | None = None

    @classmethod
    def of_records(cls, records: Sequence[Record], taxonomy: Taxonomy | None) -> RecordKnowledge:
        """Collect what is known about records."""
        names = dict.fromkeys(name for record in records for name in record.links)
        links = {name: [record.links.get(name, ()) for record in records] for name in names}
        titles = [record.title for record in records]
        n_words = sum(len(record.text.split()) for record in records)
        return cls([record.labels for record in records], links, taxonomy, titles, n_words)

    @property
    def used_links(self) -> dict[str, Sequence[tuple[str, ...]]]:
        """The links that at least one record has."""
        return {name: targets for name, targets in self.links.items() if any(targets)}

    @property
    def kinds(self) -> set[Knowledge]:
        """What is known at all, for the choice of a space."""
        found: dict[Knowledge, bool] = {
            "labels": any(self.labels),
            "taxonomy": self.taxonomy is not None,
            "links": bool(self.used_links),
            "ratings": self.n_words is not None and self.n_words < _n_links(self.used_links),
        }
        return {kind for kind, known in found.items() if known}


def _n_links(links: Mapping[str, Sequence[tuple[str, ...]]]) -> int:
    return sum(len(targets) for of_records in links.values() for targets in of_records)


@dataclass(frozen=True, eq=False)
class FittedSpace:
    """The result of a fit, as the index stores it.

    Attributes
    ----------
    model : str, title of the space
    parameters : parameters of the model, by name
    terms : (n_terms, k), the map that places words
    offset : (k,) or None
    positions : (n_records, k), by everything that is known about the records: for search
    label_names, label_counts : the labels that took part, and their numbers of records
    label_positions : (n_labels, k)
    suggester : Suggester or None
    suggester_method : str, how it was trained; "none" without a suggester
    share : float or None, share of the nearest records from which a label is accepted, if these suggest
    others : names and positions of the linked things, by the name of the link
    strengths : (k,) or None, eigenvalues of M-LSA: the position of a thing times these is proportional to the sum of
        the positions of its records
    known_views : KnownViews or None, places records whose labels or links are known
    emphasis : Emphasis or None, how much each view counts
    vector_maps : VectorMaps or None, place vectors in a space of words and vectors
    """

    model: str
    parameters: dict[str, Any]
    terms: Float32Array
    offset: Float32Array | None
    positions: Float32Array
    label_names: tuple[str, ...] = ()
    label_counts: tuple[int, ...] = ()
    label_positions: Float32Array | None = None
    suggester: Suggester | None = None
    suggester_method: str = "none"
    share: float | None = None
    others: Mapping[str, tuple[list[str], Float32Array]] | None = None
    strengths: Float32Array | None = None
    known_views: KnownViews | None = None
    emphasis: Emphasis | None = None
    vector_maps: VectorMaps | None = None


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
    labels = _label_matrix(known.labels, settings.min_label_records)
    kinds = known.kinds if labels is not None else known.kinds - {"labels"}
    space = space_named(settings.model, kinds)
    if space.needs and not kinds & set(space.needs):
        needed = " or ".join(space.needs)
        raise InputError(
            f"model needs {needed}: got {space.name!r} for records without any, expected 'lsi' or 'auto'. Name the "
            f"columns that hold the {needed}, or use model='lsi'."
        )
    given = settings.n_components
    n_components = dimensions_for(X.shape[0], 0 if labels is None else labels.n_labels) if given is None else given
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
    if space.takes == "views":
        n_words = None if joined is None else joined.n_terms
        fitted, honest = fit_views(
            space, features, labels, known, settings, say, titles, n_words=n_words, grow=given is None
        )
    else:
        say.begin("space")
        fit = fit_relations if space.takes == "relations" else _fit_matrix
        fitted, honest = fit(space, features, labels, known, settings)
        say.end(f"{fitted.model}: a space of {fitted.terms.shape[1]} dimensions {_made_from(space, labels, known)}")
    if vectors is not None:
        fitted = _with_vectors(fitted, joined)
    if labels is None:
        return fitted
    totals = np.asarray(labels.indicator.T @ fitted.positions)
    fitted = replace(
        fitted,
        label_names=tuple(map(str, labels.names)),
        label_counts=tuple(int(count) for count in labels.counts),
        label_positions=np.asarray(totals / np.maximum(labels.counts, 1)[:, None], np.float32),
    )
    if settings.suggester == "none":
        return fitted
    say.begin("suggester")
    method = settings.suggester if settings.suggester != "auto" else _affordable(X, labels, honest.shape[1])
    if method == "neighbours":
        share = best_share(honest, fitted.positions, labels, seed=settings.random_state)
        say.end(f"suggester of {len(labels.names):,} labels: those of the nearest records")
        return replace(fitted, suggester_method=method, share=share)
    suggester = _trained(X, honest, labels, settings, method)
    how = "on words and positions" if method == "both" else method
    say.end(f"suggester of {len(labels.names):,} labels trained ({how})")
    return replace(fitted, suggester=suggester, suggester_method=method)


def _label_matrix(labels: Sequence[tuple[str, ...]], least: int) -> LabelMatrix | None:
    """Read the labels of at least `least` records; records without any of these are unknown."""
    counts: dict[str, int] = {}
    for names in labels:
        for name in names:
            counts[name] = counts.get(name, 0) + 1
    kept = {name for name, count in counts.items() if count >= least}
    if not kept:
        return None
    known = [tuple(name for name in names if name in kept) for names in labels]
    return as_labels([names or None for names in known])


def _made_from(space: SpaceKind, labels: LabelMatrix | None, known: RecordKnowledge) -> str:
    """Say from what a space is made."""
    parts = ["words"]
    if labels is not None and "labels" in space.uses:
        parts.append(f"{len(labels.names):,} labels")
    if known.taxonomy is not None and "taxonomy" in space.uses:
        parts.append("their taxonomy")
    if "links" in space.uses:
        parts += list(known.used_links)
    return f"from the {_list_of(parts)}"


def _list_of(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else ", ".join(parts[:-1]) + " and " + parts[-1]


def fit_views(
    space: SpaceKind,
    X: Any,
    labels: LabelMatrix | None,
    known: RecordKnowledge,
    settings: BuildSettings,
    say: StageReporter,
    titles: Any,
    *,
    n_words: int | None,
    grow: bool,
) -> tuple[FittedSpace, Float32Array]:
    """Fit a space of words and everything that is known; return it and the honest positions of the records.

    How much each view counts is found in a trial on held-out records, unless `settings.weights` says it; `titles`
    gives the words of titles, and `n_words` the columns of X that are words, if others are vectors. If the space may
    `grow`, every view beside the labels has some dimensions of its own.
    """
    linked = {name: as_labels([tuple(names) for names in targets]) for name, targets in known.used_links.items()}
    shared = {name: _shared(things) for name, things in linked.items()}
    views = {name: View(things, names=None) for name, things in shared.items() if things.n_labels}
    taxonomy = widened(known.taxonomy, labels) if known.taxonomy is not None and labels is not None else None
    _check_weights(settings.weights, labels, taxonomy, linked)
    known_names = [*(["labels"] if labels is not None else []), *(["taxonomy"] if taxonomy is not None else []), *views]
    found = default_emphasis(known_names, settings.weights)
    unknown = {"words", *known_names} - {"labels", *settings.weights}
    if unknown - {"words"} or (unknown and labels is not None and titles is not None):
        say.begin("weights")
        options: dict[str, Any] = {"n_words": n_words, "given": settings.weights, "random_state": settings.random_state}
        found = weigh_views(X, labels, taxonomy, views, titles, **options)
        tried = f"tried on {found.n_records:,} records" if found.n_records else "by default, for few records"
        say.end(f"weights {tried}: {found.sentence()}")
    say.begin("space")
    informed = {"label_weight": LABEL_WEIGHT, "scaling": POWER, "view_weights": found.weights, "taxonomy": taxonomy}
    if "emphasis" not in settings.parameters and "scaling" not in settings.parameters:
        informed["emphasis"] = found.emphasis
    if not any(found.weights.values()):
        informed = {"label_weight": 0.0, "scaling": POWER}
    n_more = sum(weight > 0 for name, weight in found.weights.items() if name != "labels")
    if grow and n_more and settings.n_components is not None:
        settings = replace(settings, n_components=settings.n_components + MORE_DIMENSIONS * n_more)
    model = _make_model(space.estimator(), settings, **informed)
    with any_dimensions() if grow else nullcontext():
        honest = np.asarray(model.fit_transform(X, labels, views=views or None), np.float32)
    positions = np.asarray(model.training_coordinates(X, kind="transductive"), np.float32)
    counted = {name: weight for name, weight in found.weights.items() if weight > 0}
    say.end(f"{space.title}: a space of {positions.shape[1]} dimensions from the {_list_of(['words', *counted])}")
    fitted = FittedSpace(
        space.title,
        _plain_parameters(model),
        np.ascontiguousarray(model.components_.T, np.float32),
        None,
        positions,
        others={name: _placed_things(things, positions) for name, things in linked.items()} or None,
        known_views=_known_views(model, n_words),
        emphasis=found,
    )
    return fitted, honest


def _joined(
    X: Any, vectors: Any, labels: LabelMatrix | None, titles: Any, settings: BuildSettings, say: StageReporter
) -> WordsAndVectors | None:
    """Put vectors beside the words, as much as a trial or the user says; None if they do not count."""
    centred = RecordVectors.of(vectors)
    say.begin("vectors")
    given = settings.weights.get("vectors")
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


def _shared(things: LabelMatrix) -> LabelMatrix:
    """Return the things that at least two records have: others relate no records."""
    shared = np.flatnonzero(things.counts > 1)
    names = tuple(things.names[place] for place in shared)
    known = np.ones(len(things), dtype=bool)  # no links means none: an article without an author has no author
    return LabelMatrix(sp.csr_array(things.indicator[:, shared]), names, known, kind="sets")


def _placed_things(things: LabelMatrix, positions: Float32Array) -> tuple[list[str], Float32Array]:
    """Return the names of linked things and the mean positions of their records."""
    totals = np.asarray(things.indicator.T @ positions)
    return [str(name) for name in things.names], np.asarray(totals / np.maximum(things.counts, 1)[:, None], np.float32)


def _check_weights(
    weights: Mapping[str, float], labels: LabelMatrix | None, taxonomy: Taxonomy | None, links: Iterable[str]
) -> None:
    expected = ["words", *links]
    expected += ["labels"] if labels is not None else []
    expected += ["taxonomy"] if taxonomy is not None else []
    for name in weights:
        if name not in expected:
            raise InputError(
                f"weights has an unknown name: got {name!r}, expected some of {', '.join(sorted(expected))}."
                f"{did_you_mean(name, expected)}"
            )


def _title_rows(titles: Sequence[str], words: Words | None) -> Any:
    """Return a function from record numbers to the words of their titles; None if most records have no title."""
    if words is None or 2 * sum(map(bool, titles)) <= len(titles):
        return None
    return lambda rows: words.transform(titles[row] for row in rows)


def _known_views(model: Any, n_words: int | None) -> KnownViews | None:
    """Return what places records whose labels or links are known; None if the space has no views."""
    used = {name: view for name, view in model.views_.items() if view.pull is not None}
    if not used or model.label_weight in (0, 1) or model.shrinkage > 0 or model.kernel != "linear":
        return None
    share = model.label_weight / (1 - model.label_weight)
    scales = model.eigenvalues_ ** model._power()
    views = {}
    for name, view in used.items():
        pull = np.asarray(view.pull)
        things = [str(thing) for thing in view.names]
        scaled = (share * view.factors[:, None] * pull).astype(np.float32)
        views[name] = ViewPull(things, scaled, np.asarray(pull.T @ pull, np.float32), float(view.length), share)
    terms = np.ascontiguousarray(model.term_loadings_.T, np.float32)
    fold_map, scales = np.asarray(model.fold_map_ * scales, np.float32), np.asarray(scales, np.float32)
    vectors = None
    if n_words is not None:
        of_vectors = terms[n_words:]
        vectors = ViewPull((), np.zeros((0, len(scales)), np.float32), of_vectors.T @ of_vectors, 1.0, 1.0)
    return KnownViews(terms, fold_map, scales, views, vectors)


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
    model = _make_model(space.estimator(), settings, **given)
    if "labels" in space.uses:
        honest = np.asarray(model.fit_transform(X, labels), np.float32)
        again = (labels,) if space.rereads_labels else ()
        positions = np.asarray(model.training_coordinates(X, *again, kind="transductive"), np.float32)
        offset = getattr(model, "offset_", None)
    else:
        positions = honest = np.asarray(model.fit_transform(X), np.float32)
        offset = model.components_ @ model.mean_ if model.center else None
    terms = np.ascontiguousarray(model.components_.T, np.float32)
    offset = None if offset is None else np.asarray(offset, np.float32)
    return FittedSpace(space.title, _plain_parameters(model), terms, offset, positions), honest


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


def _affordable(X: Any, labels: LabelMatrix, n_dimensions: int) -> str:
    """Return the best suggester that does not take much longer than the rest of a build."""
    n_known, n_labels, n_terms = int(np.count_nonzero(labels.known)), len(labels.names), X.shape[1]
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
            "or use suggester='auto'."
        )


def widened(taxonomy: Taxonomy, labels: LabelMatrix) -> Taxonomy:
    """Return the taxonomy with labels that it lacks as further roots."""
    missing = [name for name in labels.names if name not in taxonomy]
    if not missing:
        return taxonomy
    parents = {name: taxonomy.parents(name) for name in taxonomy}
    return Taxonomy.from_parents({**parents, **dict.fromkeys(missing, ())})


def _make_model(kind: Any, settings: BuildSettings, **given: Any) -> Any:
    """Make a model with the settings; an unknown parameter is an error."""
    known = kind().get_params()
    for name in settings.parameters:
        if name not in known:
            raise InputError(
                f"parameters has an unknown name: got {name!r}, expected some of {', '.join(sorted(known))}."
            )
    return kind(settings.n_components, **{"random_state": settings.random_state, **given, **settings.parameters})


def _plain_parameters(model: Any) -> dict[str, Any]:
    """Return the model's parameters as plain data; the taxonomy is stored separately."""
    return {
        name: value
        for name, value in model.get_params().items()
        if isinstance(value, (str, int, float, bool, type(None))) and name != "random_state"
    }


# benchmarks/studies/index_relations.py: what suits search in Reuters-21578 and 20 Newsgroups, and recommending films
_LABEL_WEIGHT = 0.5
_CENTROID_WEIGHT = 2.0
_LINK_WEIGHTS = (0.1, 2.0)


def fit_relations(
    space: SpaceKind, X: Any, labels: LabelMatrix | None, known: RecordKnowledge, settings: BuildSettings
) -> tuple[FittedSpace, Float32Array]:
    """Fit a space of words, labels and links; return it and the positions of the records by their words alone.

    `settings.parameters` may have those of `MLSA`, and `link_weight`: the weight of all links, instead of the rule of
    `_link_weight`.
    """
    from tacit.models.mlsa.record_relations import record_relations

    given = dict(settings.parameters)
    chosen = given.pop("link_weight", None)
    given = {"label_weight": _LABEL_WEIGHT, "centroid_weight": _CENTROID_WEIGHT, **given}
    model = _make_model(space.estimator(), replace(settings, parameters=given))
    links = {name: _linked(targets) for name, targets in known.used_links.items()}
    if chosen is not None:
        check_number("link_weight", chosen)
    weights = {name: _link_weight(table, X) if chosen is None else float(chosen) for name, (_, table) in links.items()}
    graph = record_relations(
        X, labels, label_weight=model.label_weight, centroid_weight=model.centroid_weight, normalise="spectral"
    )
    for name, (names, table) in links.items():
        shared = np.flatnonzero(np.bincount(table.indices, minlength=table.shape[1]) > 1)  # columns with two records
        if len(shared) and weights[name] > 0:
            columns = [names[place] for place in shared]
            options: dict[str, Any] = {"columns": columns, "weight": weights[name], "normalise": "spectral"}
            graph = graph.add("record", _kind(name), table[:, shared], **options)
    model.fit(graph)
    terms = model.fold_in("record", {"term": sp.identity(X.shape[1], dtype=np.float32, format="csr")})
    fitted = FittedSpace(
        space.title,
        {**_plain_parameters(model), **{f"weight of {name}": round(weight, 3) for name, weight in weights.items()}},
        np.asarray(terms, np.float32),
        None,
        np.asarray(model.positions_["record"], np.float32),
        others={name: (names, _placed(model, name, table)) for name, (names, table) in links.items()},
        strengths=np.asarray(model.eigenvalues_, np.float32),
    )
    return fitted, np.asarray(X @ terms, np.float32)


def _link_weight(table: sp.csr_array, X: Any) -> float:
    """Return the weight of a kind of links: the root of the number of links per word, within limits.

    So films with short titles and a hundred viewers each are related mostly by the viewers, and news stories of a
    hundred words and two places mostly by the words.
    """
    n_words = X.nnz if is_sparse(X) else np.size(X)
    return float(np.clip(np.sqrt(table.nnz / max(1, n_words)), *_LINK_WEIGHTS))


def _linked(targets: Any) -> tuple[list[str], sp.csr_array]:
    """Return the names of the linked things, and the table of links, scaled so that frequent things count no more."""
    labels = as_labels([tuple(names) for names in targets])
    scale = sp.diags_array((1 / np.sqrt(np.maximum(labels.counts, 1))).astype(np.float32))
    return [str(name) for name in labels.names], sp.csr_array(labels.indicator.astype(np.float32) @ scale)


def _kind(link: str) -> str:
    """Return the name of the type for a link; the prefix keeps a link called "label" apart from the labels."""
    return f"link:{link}"


def _placed(model: Any, link: str, table: sp.csr_array) -> Float32Array:
    """Place all things of a type by their records, including those that took no part: fold-in, Σ_i α m_i C_i."""
    scale = model.relations_.factors(f"record-{_kind(link)}")[0] if _kind(link) in model.relations_.types else 1.0
    return np.asarray(scale * (table.T @ model.concepts_["record"]), np.float32)
