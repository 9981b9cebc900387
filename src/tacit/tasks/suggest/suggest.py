"""Suggest: labels for new texts, with probabilities, ancestors, and whether they reach their thresholds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from tacit.checks import check_count, check_number
from tacit.corpus.record import Record
from tacit.errors import InputError
from tacit.index.nearest.exact import top
from tacit.tasks.label_names import ancestors_of, title_of
from tacit.tasks.opened_index import OpenedIndex

if TYPE_CHECKING:
    from tacit.index.space import Space

__all__ = ["Suggestion", "suggest", "suggest_records"]

_MANY = 8  # texts from which one sparse product is faster than reading the rows of each text's words
_CELLS = 4_000_000  # probabilities at a time: 32 MB
_NEIGHBOURS = 10  # nearest records that new labels are read from
_HALF = 0.5  # share of them from which a new label is accepted


@dataclass(frozen=True)
class Suggestion:
    """One label for a text.

    Parameters
    ----------
    label : str
    probability : float
        Calibrated: of labels that are suggested with 0.8, four of five are right.
    chosen : bool
        Whether it reaches the threshold of the label, which is set for the best F1.
    title : str
        Title from the taxonomy, or the label itself.
    ancestors : tuple of str
        Labels above it in the taxonomy, nearest first.
    """

    label: str
    probability: float
    chosen: bool
    title: str
    ancestors: tuple[str, ...] = ()

    def to_facts(self) -> dict[str, Any]:
        """Return the suggestion as plain data, as `--json` prints it."""
        return {
            "label": self.label,
            "title": self.title,
            "probability": round(self.probability, 6),
            "chosen": self.chosen,
            "ancestors": list(self.ancestors),
        }

    def to_annif(self) -> dict[str, Any]:
        """Return the suggestion as in Annif's REST API; `uri` is the label, even if it is not a URI."""
        return {"uri": self.label, "label": self.title, "notation": None, "score": round(self.probability, 6)}


def suggest(
    collection: OpenedIndex,
    texts: Sequence[str],
    *,
    limit: int | None = 5,
    threshold: float | None = None,
    chosen: bool = False,
    vectors: Any = None,
) -> list[list[Suggestion]]:
    """Suggest labels for texts, most probable first.

    Parameters
    ----------
    collection : an open index whose records have labels
    texts : the texts; ignored if `vectors` are given
    limit : int or None, default 5
        Most labels per text; None is no limit.
    threshold : float in [0, 1], optional
        Least probability.
    chosen : bool, default False
        Whether to return only labels that reach their own thresholds.
    vectors : optional
        One row per text, for an index that was built from vectors.

    Returns
    -------
    list of lists of Suggestion
        Empty for a text without any known word.
    """
    suggester = _suggester(collection)
    most = len(collection.label_names) if limit is None else check_count("limit", limit)
    least = 0.0 if threshold is None else check_number("threshold", threshold, high=1.0)
    space = collection.space
    rows = None
    if suggester.words is not None:
        rows = _vector_rows(vectors) if space.words is None else space.words.transform(texts)
    positions = _placed(space, texts, rows) if vectors is None else space.place_vectors(vectors)

    @cache
    def named(label: int) -> tuple[str, str, tuple[str, ...]]:
        name = collection.label_names[label]
        return name, title_of(collection, name), ancestors_of(collection, name)

    added = NewLabels.of(collection)
    found: list[list[Suggestion]] = []
    step = max(1, _CELLS // len(collection.label_names))
    for start in range(0, len(positions), step):
        block = positions[start : start + step]
        scores = suggester.scores(block, None if rows is None else rows[start : start + step])
        probabilities, yes = suggester.probabilities(scores), suggester.chosen(scores)
        allowed = (yes if chosen else np.full(yes.shape, True)) & (probabilities >= least)
        allowed &= block.any(axis=1, keepdims=True)
        some = [_best(*rows, most, named) for rows in zip(probabilities, yes, allowed, strict=True)]
        if added is not None:
            more = added.suggestions(collection, block, least, chosen=chosen)
            some = [
                sorted([*old, *new], key=lambda one: -one.probability)[:most]
                for old, new in zip(some, more, strict=True)
            ]
        found += some
    return found


@dataclass(frozen=True, eq=False)
class NewLabels:
    """Labels that came with records added since the fit, which the suggester has not learned.

    Their probability is their share in the nearest records, by cosine: the way of a cataloguer who looks at similar
    records. The next refit learns them.
    """

    labels: dict[int, tuple[str, ...]]  # of each added record that has new ones

    @classmethod
    def of(cls, collection: OpenedIndex) -> NewLabels | None:
        """Return the new labels of an index, or None if there are none."""
        numbers = collection.positions.added
        if not len(numbers):
            return None
        known = set(collection.label_names)
        found = {}
        for number, record in zip(numbers.tolist(), collection.store.get(numbers), strict=True):
            labels = tuple(label for label in record.labels if label not in known)
            if labels:
                found[number] = labels
        return cls(found) if found else None

    def suggestions(
        self, collection: OpenedIndex, positions: Any, least: float, *, chosen: bool
    ) -> list[list[Suggestion]]:
        """Return the new labels of the nearest records of each position."""
        found: list[list[Suggestion]] = []
        for position in positions:
            shares: dict[str, float] = {}
            if position.any():
                numbers, cosines = collection.positions.nearest(position, _NEIGHBOURS)
                weights = np.maximum(cosines, 0) ** 2
                for number, weight in zip(numbers.tolist(), weights.tolist(), strict=True):
                    for label in self.labels.get(number, ()):
                        shares[label] = shares.get(label, 0.0) + weight / max(float(weights.sum()), 1e-12)
            found.append(
                [
                    Suggestion(name, share, share >= _HALF, title_of(collection, name), ancestors_of(collection, name))
                    for name, share in shares.items()
                    if share >= least and (share >= _HALF or not chosen)
                ]
            )
        return found


def suggest_records(
    collection: OpenedIndex,
    records: Iterable[Record],
    *,
    limit: int | None = 5,
    threshold: float | None = None,
    chosen: bool = False,
    batch: int = 1000,
) -> Iterator[tuple[Record, list[Suggestion]]]:
    """Suggest labels for the texts of many records, one batch at a time; their own labels are ignored."""
    check_count("batch", batch)
    _suggester(collection)  # raises before anything is read
    waiting = iter(records)
    while given := list(islice(waiting, batch)):
        texts = [record.text for record in given]
        found = suggest(collection, texts, limit=limit, threshold=threshold, chosen=chosen)
        yield from zip(given, found, strict=True)


def _suggester(collection: OpenedIndex) -> Any:
    if collection.suggester is None:
        raise InputError(
            f"{collection.path} has no suggester: got an index without labels or built with suggester='none', "
            "expected one. Build it with a column of labels."
        )
    return collection.suggester


def _vector_rows(vectors: Any) -> Any:
    """Return vectors at unit length, as the suggester learned them; None without vectors, which is an error later."""
    if vectors is None:
        return None
    X = np.atleast_2d(np.asarray(vectors, np.float32))
    lengths = np.linalg.norm(X, axis=1, keepdims=True)
    return X / np.where(lengths > 0, lengths, 1)


def _placed(space: Space, texts: Sequence[str], rows: Any) -> Any:
    """Return the positions of texts; of many texts by one product."""
    if space.words is None or (rows is None and len(texts) < _MANY):
        return space.place(texts)
    X = space.words.transform(texts) if rows is None else rows
    positions = np.asarray(X @ space.terms, np.float32)
    if space.offset is not None:
        positions[np.diff(X.indptr) > 0] -= space.offset  # texts without a known word stay at the origin
    return positions


def _best(probabilities: Any, yes: Any, allowed: Any, most: int, named: Callable[[int], Any]) -> list[Suggestion]:
    labels = np.flatnonzero(allowed)
    best = labels[top(probabilities[labels].astype(np.float32), most)]
    best = best[np.argsort(-probabilities[best], kind="stable")]  # `top` saw rounded probabilities, which may be equal
    return [Suggestion(named(i)[0], float(probabilities[i]), bool(yes[i]), *named(i)[1:]) for i in best.tolist()]
