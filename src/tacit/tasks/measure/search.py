"""How good a search is: do the records found share the labels of the query, and is the text found by its title?"""

from __future__ import annotations

import math
import re
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

from tacit.corpus.record import Record
from tacit.evaluate.measures.ranking import found_overlap_ndcg, reciprocal_ranks
from tacit.index import RecordStore
from tacit.relations.labels.matrix import as_labels
from tacit.tasks.measure.split import Part, Split, draw
from tacit.tasks.measure.trial_index import Features, Measured
from tacit.tasks.search.search import WAYS, fused_by_score
from tacit.tasks.stages import Stages
from tacit.text.words import Words
from tacit.types import Float64Array, IntArray

__all__ = ["SearchBench", "SearchMeasures", "WayScores", "body_of"]

Lists = list[IntArray]
Scored = list[tuple[IntArray, Float64Array]]
_DEPTH = 100  # how far down a record counts as found at all
_QUERY_WORDS = 20  # a text is asked for by its weightiest words: nobody types a whole one, and it takes seconds
_K = 10
_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class WayScores:
    """What one way to search is worth.

    Attributes
    ----------
    overlap_ndcg : float or None
        nDCG@10 of records found for the text of a held-out one, which gain by the share of labels they have in common.
    mrr : float or None
        Mean of 1 / place of the text that a title belongs to, 0 if it is not among the first 100.
    found_first, found_in_ten : float or None
        Share of the titles whose text came first, or among the first ten.
    """

    overlap_ndcg: float | None = None
    mrr: float | None = None
    found_first: float | None = None
    found_in_ten: float | None = None


@dataclass(frozen=True)
class SearchMeasures:
    """What search is worth, for each way to search.

    Attributes
    ----------
    ways : dict from "meaning", "words" and "hybrid" to WayScores
    n_overlap, n_titles : int
        Held-out records that were asked with by their text, and by their title.
    """

    ways: dict[str, WayScores]
    n_overlap: int
    n_titles: int

    def to_facts(self) -> dict[str, Any]:
        """Give the measures as plain data."""
        facts: dict[str, Any] = {"text_queries": self.n_overlap, "title_queries": self.n_titles}
        for way, scores in self.ways.items():
            facts[way] = {name: None if value is None else round(value, 6) for name, value in vars(scores).items()}
        return facts


class SearchBench:
    """Asks one split of a collection, the same questions whatever answers. Use it in a `with` block.

    The records to learn from are the collection; each held-out record whose title is asked for is added to it without
    its title, as `add` would. Search by words is that of an index, in a file that is removed afterwards.

    Parameters
    ----------
    split : Split
    n_queries : int, most questions of each kind
    random_state : seed of their choice
    by_words : bool, default True
        Whether to search by words and by both, too.
    """

    def __init__(self, split: Split, n_queries: int, random_state: int, *, by_words: bool = True) -> None:
        rng = np.random.default_rng(random_state)
        self._split, self._by_words = split, by_words
        self._asked = draw(_labelled(split), n_queries, rng)
        titled = [row for row, record in enumerate(split.test.records) if record.title.strip() and body_of(record)]
        self._titled = draw(split.test[titled if split.test.vectors is None else []], n_queries, rng)
        self._bodies = Part([_without_title(record) for record in self._titled.records])
        self._labels = as_labels([names or None for names in split.train.labels]) if any(split.train.labels) else None
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._word_lists: tuple[Scored, Scored] | None = None

    def __enter__(self) -> SearchBench:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._folder is not None:
            self._store.close()
            self._folder.cleanup()

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to ask."""
        return not len(self._asked) and not len(self._titled)

    @property
    def n_overlap(self) -> int:
        """How many texts are asked with."""
        return len(self._asked)

    @cached_property
    def _store(self) -> RecordStore:
        self._folder = tempfile.TemporaryDirectory(prefix="tacit-evaluate-", ignore_cleanup_errors=True)
        path = Path(self._folder.name) / "records.sqlite"
        records = (*self._split.train.records, *self._bodies.records)
        # ids of their own: records that are brought to test with may have those of others
        RecordStore.create(path, (Record(str(n), r.text, title=r.title) for n, r in enumerate(records)))
        return RecordStore(path)

    def measure(self, index: Measured, say: Stages) -> SearchMeasures | None:
        """Ask everything, by meaning, by words and by both."""
        if self.is_empty:
            return None
        ways = WAYS if self._by_words else ("meaning",)
        overlap, titles = self._by_meaning(index)
        lists = {"meaning": (overlap, titles)}
        if self._by_words:
            by_text, by_title = self._words(index.features, say)
            lists["words"] = [numbers for numbers, _ in by_text], [numbers for numbers, _ in by_title]
            lists["hybrid"] = (
                self._fused(index, self._asked, overlap, by_text),
                self._fused(index, self._titles, titles, by_title, self._bodies),
            )
        scores = {way: self._scores(*lists[way]) for way in sorted(ways, key=("meaning", "words", "hybrid").index)}
        return SearchMeasures(scores, len(self._asked), len(self._titled))

    def _fused(self, index: Measured, asked: Part, near: Lists, words: Scored, beside: Part | None = None) -> Lists:
        """Fuse both lists of each question, as a search would."""
        if not len(asked):
            return []
        places = index.place(index.features.rows(asked))
        extra = None if beside is None else index.place(index.features.rows(beside))
        fused: Lists = []
        for row, (numbers, found) in enumerate(zip(near, words, strict=True)):
            place = places[[row]]
            cosines = (index.cosines(place, list_, extra) for list_ in (numbers, found[0]))
            fused.append(fused_by_score((numbers, next(cosines)), found, next(cosines), _DEPTH)[0])
        return fused

    def overlap_values(self, index: Measured) -> Float64Array:
        """nDCG@10 by meaning of each text that was asked with; NaN where nothing shares a label."""
        found = index.nearest(index.place(index.features.rows(self._asked)), _K + self._n_unjudged())
        return self._overlaps(self._judged(found))

    def title_values(self, index: Measured) -> Float64Array:
        """1 / place by meaning of the text of each title."""
        return reciprocal_ranks(self._by_title(index), self._wanted)

    def _by_meaning(self, index: Measured) -> tuple[Lists, Lists]:
        found: Lists = []
        if len(self._asked):
            places = index.place(index.features.rows(self._asked))
            found = self._judged(index.nearest(places, _DEPTH + self._n_unjudged()))
        return found, self._by_title(index)

    def _by_title(self, index: Measured) -> Lists:
        if not len(self._titled):
            return []
        return index.nearest(
            index.place(index.features.rows(self._titles)), _DEPTH, index.place(index.features.rows(self._bodies))
        )

    @cached_property
    def _titles(self) -> Part:
        """The titles that are asked for, as records of their own."""
        return Part([Record("?", record.title) for record in self._titled.records])

    def _words(self, features: Features, say: Stages) -> tuple[Scored, Scored]:
        """Lists by words with their scores; the same for all models of one collection, so they are made once."""
        if self._word_lists is None:
            say.begin("search by words")
            n_train = len(self._split.train)
            texts = _queries(self._asked.records, features.words)
            by_text = [self._store.words(text, 4 * _DEPTH) for text in _told(texts, say)]
            judged = [self._kept(numbers, scores, numbers < n_train) for numbers, scores in by_text]
            titles = [record.title for record in self._titled.records]
            by_title = [self._store.words(title, _DEPTH) for title in _told(titles, say)]
            self._word_lists = judged, by_title
            say.end(f"{len(texts):,} texts and {len(by_title):,} titles looked for by their words")
        return self._word_lists

    def _kept(self, numbers: Any, scores: Any, keep: Any) -> tuple[Any, Any]:
        """Leave out records that are not of the collection, or whose labels are not known."""
        numbers, scores = numbers[keep], scores[keep]
        if self._labels is not None:
            known = self._labels.known[numbers]
            numbers, scores = numbers[known], scores[known]
        return numbers[:_DEPTH], scores[:_DEPTH]

    def _judged(self, found: Lists) -> Lists:
        """Leave out records without labels: whether they answer is not known."""
        if self._labels is None:
            return found
        return [numbers[self._labels.known[numbers]][:_DEPTH] for numbers in found]

    def _n_unjudged(self) -> int:
        return 0 if self._labels is None else self._labels.n_unknown

    @property
    def _wanted(self) -> list[int]:
        return list(range(len(self._split.train), len(self._split.train) + len(self._titled)))

    def _overlaps(self, found: Lists) -> Float64Array:
        return found_overlap_ndcg(found, as_labels(self._asked.labels), self._labels, k=_K)

    def _scores(self, by_text: Lists, by_title: Lists) -> WayScores:
        overlap = mrr = first = in_ten = None
        if by_text:
            values = self._overlaps(by_text)
            overlap = float(np.nanmean(values)) if np.isfinite(values).any() else None
        if by_title:
            inverse = reciprocal_ranks(by_title, self._wanted)
            mrr, first, in_ten = float(inverse.mean()), float((inverse == 1).mean()), float((inverse >= 0.1).mean())
        return WayScores(overlap, mrr, first, in_ten)


def body_of(record: Record) -> str:
    """The text of a record without its title, which a reader may have put in front of it, even several times."""
    text, title = record.text.strip(), record.title.strip()
    while title and text.startswith(title):
        text = text[len(title) :].strip()
    return text


def _without_title(record: Record) -> Record:
    return Record(record.id, body_of(record), labels=record.labels)


def _labelled(split: Split) -> Part:
    """Held-out records whose labels some other record has too."""
    known = {name for names in split.train.labels for name in names}
    return split.test[[row for row, names in enumerate(split.test.labels) if known.intersection(names)]]


def _queries(records: Sequence[Record], words: Words | None) -> list[str]:
    """What to type to find the like of a record by words."""
    if words is None:
        return [" ".join(list(dict.fromkeys(record.text.split()))[:_QUERY_WORDS]) for record in records]
    weights = dict(zip(words.terms, words.weights.tolist(), strict=True))
    return [_key_words(record.text, weights, words.analyse) for record in records]


def _key_words(text: str, weights: dict[str, float], analyse: Any) -> str:
    """The weightiest words of a text, as they stand in it: the full text of an index knows no stems."""
    counts = Counter(word.lower() for word in _WORD.findall(text))
    known = {word: max((weights.get(term, 0.0) for term in analyse(word)), default=0.0) for word in counts}
    best = sorted(counts, key=lambda word: -(1 + math.log(counts[word])) * known[word])
    return " ".join(best[:_QUERY_WORDS])


def _told(items: Sequence[Any], say: Stages) -> Iterator[Any]:
    """Say now and then how many there have been."""
    for number, item in enumerate(items):
        if number % 10 == 0:
            say.advance(f"{number:,} of {len(items):,}", number / len(items))
        yield item
