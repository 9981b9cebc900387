"""Explains why a record matches a query, by the words of the query and by labels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from tacit.checks import check_count
from tacit.corpus.record import Record
from tacit.display import Displayed, Table
from tacit.errors import InputError
from tacit.tasks.explain.words import PlacedText, listed, place_text, shared_words
from tacit.tasks.known_things import counted_parts
from tacit.tasks.label_names import ancestors_of, find_number, title_of
from tacit.tasks.opened_index import OpenedIndex
from tacit.tasks.search.hits import RecordHit
from tacit.tasks.search.snippets import QueryWords, words_in
from tacit.tasks.search.typed import understand
from tacit.text.words import without_accents
from tacit.types import Array

__all__ = ["HitExplanation", "LabelNear", "counted_in_words", "explain_hit", "nearest_labels", "nearness"]

_THROUGH = 3
_SHOWN = 0.01
_RANKED = 100  # records by words among which the rank of a hit is sought


class QueryWord(NamedTuple):
    """A word of a query, its part of the cosine, whether the record has it, and related words of the record."""

    word: str
    part: float
    shared: bool
    through: tuple[str, ...]


class LabelNear(NamedTuple):
    """A label with its title, a cosine, and its ancestors, nearest first."""

    label: str
    title: str
    cosine: float
    ancestors: tuple[str, ...] = ()


@dataclass(frozen=True, repr=False)
class HitExplanation(Displayed):
    """Why a record matches a query, by meaning and by words.

    Attributes
    ----------
    query : str
    record : Record
    cosine : float
        Of their positions: the sum of the parts of `words` and of `offset`. 0 if the space knows no word of the query.
    words : tuple of QueryWord
        All words of the query that the space knows, largest part first.
    offset : float
        Part of the offset of the space; 0 for most models.
    shared_words : tuple of str
        Words of the query that the record has, those that the space does not know last.
    labels : tuple of LabelNear
        Labels of the record, nearest to the query first.
    query_labels : tuple of LabelNear
        Labels nearest to the query, whether the record has them or not.
    counted : dict of str to float
        What the words of the record and each kind of knowledge about it add to the cosine, the most first; empty for
        models without views.
    words_rank : int or None
        Its place among the first hundred by words, from 1.
    words_share : float or None
        Its BM25 as a share of the best, which is what words add to a hybrid score.
    """

    query: str
    record: Record
    cosine: float
    words: tuple[QueryWord, ...]
    offset: float
    shared_words: tuple[str, ...]
    labels: tuple[LabelNear, ...]
    query_labels: tuple[LabelNear, ...]
    counted: dict[str, float]
    words_rank: int | None = None
    words_share: float | None = None

    def in_words(self) -> str:
        """Return it in a few sentences."""
        if not self.words:
            has = f"has {listed((f'“{word}”' for word in self.shared_words), 5)}"
            said = [f"Record {self.record.id} {has if self.shared_words else 'has no word of the query'}."]
            return " ".join([*said, *self._by_words(), "The space knows none of the words of the query."])
        good = [word for word in self.words if word.part > 0]
        said = [f"Record {self.record.id} and the query are {nearness(self.cosine)} (cosine {self.cosine:.2f})."]
        if good:
            said.append(
                f"The words that contribute most are {listed(f'“{word.word}” ({word.part:.2f})' for word in good)}."
            )
        if self.shared_words:
            said.append(f"They share {listed((f'“{word}”' for word in self.shared_words), 5)}.")
        else:
            said.append("They share no word: only the space relates them.")
        said += self._by_words()
        if self.labels and self.labels[0].cosine > 0:
            said.append(f"Its label {self.labels[0].title} is {nearness(self.labels[0].cosine)} to the query.")
        return " ".join([*said, *counted_in_words(self.counted)])

    def _by_words(self) -> list[str]:
        if self.words_rank is None or self.words_share is None:
            return []
        share = "" if self.words_rank == 1 else f", with {self.words_share:.2f} of the best score"
        return [f"By words it is number {self.words_rank} for the query{share}."]

    def _parts(self) -> Iterator[str | Table]:
        yield self.in_words()
        words = [(one.part, one.word, one.shared, list(one.through)) for one in self.words]
        if words:
            yield Table(("part", "word", "in_both", "related_words"), words, "Contribution of each word to the cosine")
        for title, labels in (
            ("Labels of the record", self.labels),
            ("Labels nearest to the query", self.query_labels),
        ):
            if labels:
                yield Table(("cosine", "label"), [(one.cosine, one.title) for one in labels], title)

    def to_facts(self) -> dict[str, Any]:
        """Return it as plain data, as `--json` prints it."""
        record = {"id": self.record.id, "title": RecordHit(self.record.id, 0.0, record=self.record).title}
        return {
            "query": self.query,
            "record": record,
            "cosine": self.cosine,
            "in_words": self.in_words(),
            "words": [word._asdict() for word in self.words],
            "offset": self.offset,
            "shared_words": list(self.shared_words),
            "labels": [label._asdict() for label in self.labels],
            "query_labels": [label._asdict() for label in self.query_labels],
            "counted": self.counted,
            "words_rank": self.words_rank,
            "words_share": self.words_share,
        }


def explain_hit(collection: OpenedIndex, query: str, id: str, *, limit: int = 10) -> HitExplanation:
    """Explain why the record of an id matches a query, with at most `limit` labels near the query."""
    limit = check_count("limit", limit)
    number = find_number(collection, id)
    searched, words = _searched(collection, query)
    (record,) = collection.store.get([number])
    rank, share = _by_words(collection, number, words)
    try:
        placed = place_text(collection, searched, "query")
    except InputError:
        if rank is None:
            raise
        shared = _shared(collection, words, record, ())
        return HitExplanation(query, record, 0.0, (), 0.0, shared, (), (), {}, rank, share)
    (position,) = collection.positions.of(np.array([number]))
    towards = position / (np.linalg.norm(position) or 1)
    parts, offset = placed.parts(collection, towards)
    through = _through(collection, placed, record.text)
    in_space = shared_words(collection, searched, record.text)
    return HitExplanation(
        query,
        record,
        float(placed.position @ towards / np.linalg.norm(placed.position)),
        tuple(QueryWord(word, part, word in in_space, through.get(word, ())) for word, part in parts),
        offset,
        _shared(collection, words, record, in_space),
        nearest_labels(collection, placed.position, record.labels),
        nearest_labels(collection, placed.position, limit=limit),
        counted_parts(collection, record, placed.position),
        rank,
        share,
    )


def _searched(collection: OpenedIndex, query: str) -> tuple[str, str]:
    """Return the words that `search` places for a query, and those that it searches for: with other forms of them."""
    if not isinstance(query, str) or not query.strip():
        return query, ""
    typed = understand(collection, query, None, titles=False)
    return (typed.in_space(collection), typed.words) if typed.text else (query, query)


def _by_words(collection: OpenedIndex, number: int, words: str) -> tuple[int | None, float | None]:
    """Return the rank of a record by words, from 1, and BM25 as a share of the best; None if it is not near the top."""
    numbers, scores = collection.store.words(words, _RANKED)
    (places,) = np.nonzero(numbers == number)
    if not len(places) or not scores[0]:
        return None, None
    return int(places[0]) + 1, float(scores[places[0]] / scores[0])


def _shared(collection: OpenedIndex, words: str, record: Record, known: tuple[str, ...]) -> tuple[str, ...]:
    """Return the words of a query that a record has: those that the space knows, and then the others."""
    keys = {without_accents(word) for word in known}
    sought = QueryWords(collection, words)
    found = words_in(f"{record.title}\n{record.text}", sought)
    return (*known, *(word for word in found if sought.key(word) not in keys))


def counted_in_words(counted: Mapping[str, float]) -> list[str]:
    """Return a sentence on what counted, if there is more than one kind of it."""
    shown = [f"{name} {part:.2f}" for name, part in counted.items() if part >= _SHOWN]
    return [f"What counts in it: {listed(shown, len(shown))}."] if len(shown) > 1 else []


def nearest_labels(
    collection: OpenedIndex, position: Array, among: tuple[str, ...] | None = None, limit: int | None = None
) -> tuple[LabelNear, ...]:
    """Return labels by the cosine of their positions with a position, nearest first; only those in `among`."""
    positions = collection.label_positions
    if positions is None:
        return ()
    lengths = np.linalg.norm(positions, axis=1) * (np.linalg.norm(position) or 1)
    cosines = (positions @ position) / np.where(lengths > 0, lengths, 1)
    names = collection.label_names
    wanted = None if among is None else set(among)
    found = (i for i in np.argsort(-cosines, kind="stable").tolist() if wanted is None or names[i] in wanted)
    return tuple(
        LabelNear(names[i], title_of(collection, names[i]), float(cosines[i]), ancestors_of(collection, names[i]))
        for i in islice(found, limit)
    )


def nearness(cosine: float) -> str:
    """Return a cosine in words."""
    for least, words in ((0.8, "very close"), (0.5, "close"), (0.2, "related"), (-0.1, "hardly related")):
        if cosine >= least:
            return words
    return "opposed"


def _through(collection: OpenedIndex, placed: PlacedText, text: str) -> dict[str, tuple[str, ...]]:
    """Return for each word of the query the other words of the record in a similar direction."""
    space = collection.space
    assert space.words is not None  # the query was placed by them
    columns, weights = space.words.row(text)
    pulls = (space.terms[placed.columns] @ space.terms[columns].T) * weights
    names = space.words.terms
    found = {}
    for column, pull in zip(placed.columns, pulls, strict=True):
        best = [i for i in np.argsort(-pull, kind="stable")[: _THROUGH + 1] if pull[i] > 0 and columns[i] != column]
        found[names[column]] = tuple(names[columns[i]] for i in best[:_THROUGH])
    return found
