"""Fits a space of words and of everything that is known, by views: labels, their taxonomy, links, groups of labels.

**Groups of labels** can have weights of their own: `--weight role=0` for the labels "role::program", "role::data" …
A name that is no view is looked for, in this order, among

- facets: the first part of labels that are paths, as "role" of "role::program" or "animals" of "animals/cats";
- top concepts of the taxonomy, by name or title, with everything below them;
- "frequent", labels of more than a tenth of the labelled records, and "rare", labels of fewer than five.

The labels of such a group become a view of their own beside the other labels.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from tacit.errors import InputError, did_you_mean
from tacit.index.drift import explained_when_new
from tacit.index.known_views import KnownViews, ViewPull
from tacit.models.common.record_kernel import honest_among
from tacit.models.common.views import View
from tacit.models.spaces import SpaceKind
from tacit.relations.labels.matrix import LabelMatrix, as_labels
from tacit.relations.taxonomy.taxonomy import Taxonomy
from tacit.tasks.build.fitted_space import FittedSpace, RecordKnowledge, make_model, plain_parameters
from tacit.tasks.build.settings import NO_GROWTH, BuildSettings, dimensions_for, growth_of
from tacit.tasks.build.stages.placing import place_others
from tacit.tasks.build.weighing import (
    LABEL_WEIGHT,
    LEAST_TRIED,
    MORE_DIMENSIONS,
    POWER,
    UNLABELLED,
    Emphasis,
    any_dimensions,
    default_emphasis,
    stretch_of,
    usable_records,
    weigh_views,
)
from tacit.tasks.stage_progress import StageReporter
from tacit.types import Float32Array, IntArray

__all__ = ["fit_views", "label_groups", "list_of", "widened", "without_groups"]

_SEPARATORS = ("::", ":", "/", "|", ">")
_FREQUENT, _RARE = 0.1, 5  # share of the labelled records; number of records
_SHOWN_GROUPS = 12


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
    whole: tuple[int, int] | None,
) -> tuple[FittedSpace, Float32Array]:
    """Fit a space of words and everything that is known; return it and the honest positions of the records.

    How much each view counts, and whether records without labels shape the space, is found in a trial on held-out
    records, unless `settings.weights` says it; `titles` gives the words of titles, and `n_words` the columns of X that
    are words, if others are vectors. With the numbers of records and labels of the `whole` collection the space may
    grow: every view beside the labels has some dimensions of its own.
    """
    linked = {name: as_labels([tuple(names) for names in targets]) for name, targets in known.used_links.items()}
    weights = _named_labels(settings)
    shapes = weights.pop(UNLABELLED, None)
    shaping, groups = _grouped(labels, weights, known, settings.taxonomy_separator, linked)
    shared = {name: _shared(things) for name, things in linked.items()}
    views = {name: View(things, names=None) for name, things in shared.items() if things.n_labels}
    views |= groups
    taxonomy = widened(known.taxonomy, shaping) if known.taxonomy is not None and shaping is not None else None
    n_labelled = None if whole is None or labels is None else round(whole[0] * float(labels.known.mean()))
    found = _weights_before(known, [*views, *(["taxonomy"] if taxonomy is not None else [])], shaping, settings, say)
    if found is None:
        given = (titles, weights, settings, say, n_words, whole, n_labelled, shapes)
        found = _weighed(X, shaping, taxonomy, views, *given)
    say.begin("space")
    rows = None if found.fits_unlabelled or shaping is None else usable_records(X.shape[0], shaping)
    if rows is not None and n_labelled is not None and whole is not None:
        settings = replace(settings, n_components=dimensions_for(n_labelled, whole[1]))
    n_more = sum(weight > 0 for name, weight in found.weights.items() if name != "labels")
    if whole is not None and n_more and settings.n_components is not None:
        settings = replace(settings, n_components=settings.n_components + MORE_DIMENSIONS * n_more)
    with any_dimensions() if whole is not None else nullcontext():
        if rows is None:
            fitted, honest = _fit(space, X, labels, shaping, taxonomy, views, found, settings, n_words)
        else:
            assert labels is not None
            assert shaping is not None
            some = {name: _some_of(view, rows) for name, view in views.items()}
            part = (X[rows], labels[rows], shaping[rows].without_empty(), taxonomy, some)
            fitted, of_rows = _fit(space, *part, found, settings, n_words)
            fitted = place_others(fitted, X, known, rows, float(settings.parameters.get("ridge", 1.0)))
            honest = np.array(fitted.positions)  # of the others: they have no labels that it could know
            honest[rows] = of_rows
    things = {name: _placed_things(things, fitted.positions) for name, things in linked.items()}
    counted = {name: weight for name, weight in found.weights.items() if weight > 0}
    say.end(f"{space.title}: a space of {honest.shape[1]} dimensions from the {list_of(['words', *counted])}")
    return replace(fitted, others=things or None, emphasis=found), honest


def _weights_before(
    known: RecordKnowledge,
    others: Sequence[str],
    labels: LabelMatrix | None,
    settings: BuildSettings,
    say: StageReporter,
) -> Emphasis | None:
    """Return how much each view counted in an earlier fit, if it is asked for and the views are the same."""
    kept = None if known.earlier is None else known.earlier.emphasis
    names = {*others, *(["labels"] if labels is not None else [])}
    if kept is None or settings.weights or set(kept.weights) != names:
        return None
    say.begin("weights")
    say.end(f"weights of the last fit: {kept.sentence()}")
    return kept


def _weighed(
    X: Any,
    shaping: LabelMatrix | None,
    taxonomy: Taxonomy | None,
    views: Mapping[str, View],
    titles: Any,
    weights: Mapping[str, float],
    settings: BuildSettings,
    say: StageReporter,
    n_words: int | None,
    whole: tuple[int, int] | None,
    n_labelled: int | None,
    shapes: float | None,
) -> Emphasis:
    """Return how much each view counts: as given, by a trial, or by default."""
    names = [*(["labels"] if shaping is not None else []), *(["taxonomy"] if taxonomy is not None else []), *views]
    found = default_emphasis(names, weights)
    unknown = {"words", *names} - {"labels", *weights}
    tries_words = shaping is not None and X.shape[0] >= LEAST_TRIED
    if unknown - {"words"} or (unknown and tries_words):
        say.begin("weights")
        growth = None
        if shaping is not None and "words" not in weights:
            growth = NO_GROWTH if whole is None or n_labelled is None else growth_of(whole[0], n_labelled, whole[1])
        options: dict[str, Any] = {"n_words": n_words, "given": weights, "growth": growth, "shapes": shapes}
        of_labelled = None if whole is None or n_labelled is None else dimensions_for(n_labelled, whole[1])
        options |= {"n_dimensions": of_labelled or settings.n_components, "random_state": settings.random_state}
        found = weigh_views(X, shaping, taxonomy, views, titles, **options, progress=say.advance)
        tried = f"tried on {found.n_records:,} records" if found.n_records else "by default, for few records"
        say.end(f"weights {tried}: {found.sentence()}")
    return found if shapes is None else replace(found, fits_unlabelled=shapes > 0)


def _fit(
    space: SpaceKind,
    X: Any,
    labels: LabelMatrix | None,
    shaping: LabelMatrix | None,
    taxonomy: Taxonomy | None,
    views: Mapping[str, View],
    found: Emphasis,
    settings: BuildSettings,
    n_words: int | None,
) -> tuple[FittedSpace, Float32Array]:
    """Fit the space to these records; return it and their honest positions."""
    informed = {"label_weight": LABEL_WEIGHT, "scaling": POWER, "view_weights": found.weights, "taxonomy": taxonomy}
    if "emphasis" not in settings.parameters and "scaling" not in settings.parameters:
        informed["emphasis"] = found.emphasis
    if not any(found.weights.values()):
        informed = {"label_weight": 0.0, "scaling": POWER}
    model = make_model(space.estimator(), settings, **informed)
    honest = np.asarray(model.fit_transform(X, shaping, views=views or None), np.float32)
    positions = np.asarray(model.training_coordinates(X, kind="transductive"), np.float32)
    terms = np.ascontiguousarray(model.components_.T, np.float32)
    stretch = np.ones(positions.shape[1], np.float32)
    if any(found.weights.values()) and n_words is None:
        by_words = model.nothing_known_
        some = ~by_words if by_words.any() else slice(None)  # without a copy, if it is all of them
        stretch = stretch_of(positions[some], honest[some]).astype(np.float32)
        for placed in (terms, honest):
            placed *= stretch
        positions[by_words] *= stretch
    if labels is not None and not labels.known.all():
        rows = np.flatnonzero(labels.known)
        honest[rows] = honest_among(model, X, rows, positions) * stretch
    made = FittedSpace(space.title, plain_parameters(model), terms, None, positions)
    placing = _known_views(model, n_words)
    expected = None if placing is None or n_words is not None else explained_when_new(X, placing.terms)
    return replace(made, known_views=placing, explained=expected), honest


def _some_of(view: View, rows: IntArray) -> View:
    """Return what a view knows about some of the records."""
    some = view.data[rows]
    return replace(view, data=some.without_empty() if isinstance(some, LabelMatrix) else some)


def _named_labels(settings: BuildSettings) -> dict[str, float]:
    """Return the weights with the labels under that name, if they are called as their column."""
    columns = settings.reading.get("columns", {}).get("labels") or []
    column = columns[0] if isinstance(columns, list) and len(columns) == 1 else columns
    return {"labels" if name == column else name: weight for name, weight in settings.weights.items()}


def _grouped(
    labels: LabelMatrix | None,
    weights: Mapping[str, float],
    known: RecordKnowledge,
    separator: str | None,
    links: Iterable[str],
) -> tuple[LabelMatrix | None, dict[str, View]]:
    """Give each group of labels that has a weight a view of its own; return the other labels, and these views."""
    expected = ["words", *links]
    expected += ["labels"] if labels is not None else []
    expected += ["taxonomy"] if labels is not None and known.taxonomy is not None else []
    others = {name: weight for name, weight in weights.items() if name not in expected}
    groups = label_groups(labels, known.taxonomy, separator) if labels is not None and others else {}
    for name in others:
        if name not in groups:
            shown = sorted(groups)[:_SHOWN_GROUPS] + (["…"] if len(groups) > _SHOWN_GROUPS else [])
            of_groups = f", or a group of labels ({', '.join(shown)})" if groups else ""
            raise InputError(
                f"weights has an unknown name: got {name!r}, expected some of {', '.join(sorted(expected))}{of_groups}."
                f"{did_you_mean(name, [*expected, *groups])}"
            )
    return without_groups(labels, groups, others) if labels is not None and others else (labels, {})


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


def label_groups(labels: LabelMatrix, taxonomy: Taxonomy | None, separator: str | None) -> dict[str, IntArray]:
    """Return the columns of the labels of each group, by its name; a name of two kinds is the first of them."""
    groups: dict[str, list[int]] = {}
    for column, name in enumerate(map(str, labels.names)):
        used = [separator] if separator else [one for one in _SEPARATORS if one in name]
        if used and used[0] in name:
            groups.setdefault(name.split(used[0])[0].strip(), []).append(column)
    for name, columns in _by_top_concept(labels, taxonomy).items():
        groups.setdefault(name, columns)
    n_known = max(1, int(np.count_nonzero(labels.known)))
    groups.setdefault("frequent", np.flatnonzero(labels.counts > _FREQUENT * n_known).tolist())
    groups.setdefault("rare", np.flatnonzero(labels.counts < _RARE).tolist())
    return {name: np.array(columns) for name, columns in groups.items() if name and len(columns)}


def _by_top_concept(labels: LabelMatrix, taxonomy: Taxonomy | None) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    if taxonomy is None:
        return found
    for column, name in enumerate(labels.names):
        if name not in taxonomy:
            continue
        tops = [one for one in (name, *taxonomy.ancestors(name)) if not taxonomy.parents(one)]
        for top in tops:
            for called in (str(top), taxonomy.title(top)):
                if called and column not in found.setdefault(called, []):
                    found[called].append(column)
    return found


def without_groups(
    labels: LabelMatrix, groups: Mapping[str, IntArray], named: Mapping[str, float]
) -> tuple[LabelMatrix | None, dict[str, View]]:
    """Take the named groups out of the labels; return what is left, and a view for each group.

    A label of two groups goes with the first. A record that has labels, but none of a group, has none of them; one that
    has labels of these groups alone is unknown to the rest, as a record without labels is.
    """
    taken = np.zeros(labels.n_labels, dtype=bool)
    views: dict[str, View] = {}
    for name in named:
        columns = groups[name][~taken[groups[name]]]
        taken[columns] = True
        if len(columns):
            views[name] = View(_chosen(labels, columns), names=None)
    left = np.flatnonzero(~taken)
    if not len(left):
        return None, views
    rest = _chosen(labels, left)
    return replace(rest, known=np.diff(rest.indicator.indptr) > 0), views


def _chosen(labels: LabelMatrix, columns: Any) -> LabelMatrix:
    names = tuple(labels.names[column] for column in columns)
    return LabelMatrix(sp.csr_array(labels.indicator[:, columns]), names, labels.known, kind="sets")


def widened(taxonomy: Taxonomy, labels: LabelMatrix) -> Taxonomy:
    """Return the taxonomy with labels that it lacks as further roots."""
    missing = [name for name in labels.names if name not in taxonomy]
    if not missing:
        return taxonomy
    parents = {name: taxonomy.parents(name) for name in taxonomy}
    return Taxonomy.from_parents({**parents, **dict.fromkeys(missing, ())})


def list_of(parts: Sequence[str]) -> str:
    """Join words as a sentence does."""
    return parts[0] if len(parts) == 1 else ", ".join(parts[:-1]) + " and " + parts[-1]
