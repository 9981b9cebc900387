"""Quality of search: do the records found share the labels of the query, and does a title find its own text?"""

from __future__ import annotations

import math
import re
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from tacit.corpus.record import Record
from tacit.evaluate.measures.ranking import found_overlap_ndcg, reciprocal_ranks
from tacit.index import RecordStore
from tacit.index.fusion import fused_by_score, weights_for
from tacit.relations.labels.matrix import as_labels
from tacit.tasks.measure.split import RecordSet, RecordSplit, draw
from tacit.tasks.measure.trial_index import Features, TrialIndex
from tacit.tasks.stage_progress import StageReporter
from tacit.text.words import Words
from tacit.types import BoolArray, Float64Array, IntArray

__all__ = ["SearchMeasures", "SearchTest", "body_of"]

Lists = list[IntArray]
ScoredLists = list[tuple[IntArray, Float64Array]]
_DEPTH = 100  # ranks within which a record counts as found
_QUERY_WORDS = 20  # words of a text that make a query: nobody types a whole text, and it would take seconds
_K = 10
_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class WayScores:
    """Quality of one way to search; None for what was not measured.

    Attributes
    ----------
    overlap_ndcg : float or None
        nDCG@10 of records found with the text of a held-out one; a record gains the share of labels in common.
    mrr : float or None
        Mean of 1 / rank of the text that a title belongs to, 0 if it is not among the first 100.
    found_first, found_in_ten : float or None
        Share of the titles whose text came first, or among the first ten.
    """

    overlap_ndcg: float | None = None
    mrr: float | None = None
    found_first: float | None = None
    found_in_ten: float | None = None


@dataclass(frozen=True)
class SearchMeasures:
    """Quality of search, for each way to search.

    Attributes
    ----------
    ways : dict from "meaning", "words" and "hybrid" to WayScores
    n_overlap, n_titles : int
        Numbers of queries by text, and by title.
    """

    ways: dict[str, WayScores]
    n_overlap: int
    n_titles: int

    def by_name(self) -> dict[str, float]:
        """Return the usual measures by their names, as in tables and data frames."""
        named = {
            f"{measure} by {way}": getattr(scores, name)
            for measure, name in (("labels nDCG@10", "overlap_ndcg"), ("titles MRR", "mrr"))
            for way, scores in self.ways.items()
        }
        return {name: value for name, value in named.items() if value is not None}

    def to_facts(self) -> dict[str, Any]:
        """Return the measures as plain data."""
        facts: dict[str, Any] = {"text_queries": self.n_overlap, "title_queries": self.n_titles}
        for way, scores in self.ways.items():
            facts[way] = {name: None if value is None else round(value, 6) for name, value in vars(scores).items()}
        return facts


class SearchTest:
    """The queries of a split, the same for every index that is measured. Use it in a `with` block.

    The training records are the collection that is searched. Each held-out record whose title is a query is added to it
    without its title. Search by words is that of an index on disk, in a temporary file. At most `n_queries` of each
    kind are chosen at random.
    """

    def __init__(self, split: RecordSplit, n_queries: int, random_state: int) -> None:
        rng = np.random.default_rng(random_state)
        self._n_train, self._train = len(split.train), split.train
        known = {name for names in split.train.labels for name in names}
        shared = [row for row, names in enumerate(split.test.labels) if known.intersection(names)]
        self._texts = draw(split.test[shared], n_queries, rng)
        titled = [row for row, record in enumerate(split.test.records) if record.title.strip() and body_of(record)]
        chosen = draw(split.test[titled if split.test.by_words else []], n_queries, rng).records
        self._titles = RecordSet([Record("?", record.title) for record in chosen])
        self._bodies = RecordSet([Record(record.id, body_of(record), labels=record.labels) for record in chosen])
        self._labels = as_labels([names or None for names in split.train.labels]) if known else None
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._word_lists: tuple[ScoredLists, ScoredLists] | None = None

    def __enter__(self) -> SearchTest:
        return self

    def __exit__(self, *error: object) -> None:
        if self._folder is not None:
            self._store.close()
            self._folder.cleanup()

    @property
    def is_empty(self) -> bool:
        """Whether there are no queries."""
        return not len(self._texts) and not len(self._titles)

    @property
    def n_overlap(self) -> int:
        """Number of queries by text."""
        return len(self._texts)

    def measure(self, index: TrialIndex, stages: StageReporter) -> SearchMeasures | None:
        """Run all queries by meaning, by words and by both; None if there are none."""
        if self.is_empty:
            return None
        texts, titles = self._by_text(index, _DEPTH), self._by_title(index)
        word_texts, word_titles = self._by_words(index.features, stages)
        ways = {
            "meaning": self._scores(texts, titles),
            "words": self._scores([found for found, _ in word_texts], [found for found, _ in word_titles]),
            "hybrid": self._scores(
                _fused(index, self._texts, texts, word_texts),
                _fused(index, self._titles, titles, word_titles, self._bodies),
            ),
        }
        return SearchMeasures(ways, len(self._texts), len(self._titles))

    def overlap_values(self, index: TrialIndex) -> Float64Array:
        """Return the nDCG@10 by meaning of each query by text; NaN if no record shares a label with it."""
        return self._overlaps(self._by_text(index, _K))

    def title_values(self, index: TrialIndex) -> Float64Array:
        """Return 1 / rank by meaning of the text of each title."""
        return self._reciprocal_ranks(self._by_title(index))

    def _by_text(self, index: TrialIndex, depth: int) -> Lists:
        """Records found by meaning with each text; those without labels, which cannot be measured, are left out."""
        if not len(self._texts):
            return []
        n_unknown = 0 if self._labels is None else self._labels.n_unknown
        found = index.nearest(_placed(index, self._texts), depth + n_unknown)
        return [numbers[self._have_labels(numbers)][:_DEPTH] for numbers in found]

    def _by_title(self, index: TrialIndex) -> Lists:
        if not len(self._titles):
            return []
        return index.nearest(_placed(index, self._titles), _DEPTH, _placed(index, self._bodies))

    def _by_words(self, features: Features, stages: StageReporter) -> tuple[ScoredLists, ScoredLists]:
        """Lists by words with their scores: the same for all models, so they are made once."""
        if self._word_lists is None:
            stages.begin("search by words")
            by_text: ScoredLists = []
            for query in _with_progress(_word_queries(self._texts.records, features.words), stages):
                numbers, scores = self._store.words(query, 4 * _DEPTH)
                kept = numbers < self._n_train
                kept[kept] = self._have_labels(numbers[kept])
                by_text.append((numbers[kept][:_DEPTH], scores[kept][:_DEPTH]))
            titles = [record.text for record in self._titles.records]
            by_title = [self._store.words(title, _DEPTH) for title in _with_progress(titles, stages)]
            self._word_lists = by_text, by_title
            stages.end(f"{len(by_text):,} texts and {len(by_title):,} titles searched for by their words")
        return self._word_lists

    @cached_property
    def _store(self) -> RecordStore:
        self._folder = tempfile.TemporaryDirectory(prefix="tacit-evaluate-", ignore_cleanup_errors=True)
        path = Path(self._folder.name) / "records.sqlite"
        records = (*self._train.records, *self._bodies.records)
        # new ids, since test records from another file may have ids of the index
        RecordStore.create(path, (Record(str(n), r.text, title=r.title) for n, r in enumerate(records)))
        return RecordStore(path)

    def _have_labels(self, numbers: IntArray) -> BoolArray:
        return np.ones(len(numbers), bool) if self._labels is None else self._labels.known[numbers]

    def _overlaps(self, found: Lists) -> Float64Array:
        return found_overlap_ndcg(found, as_labels(self._texts.labels), self._labels, k=_K)

    def _reciprocal_ranks(self, found: Lists) -> Float64Array:
        return reciprocal_ranks(found, range(self._n_train, self._n_train + len(self._titles)))

    def _scores(self, by_text: Lists, by_title: Lists) -> WayScores:
        overlap = mrr = first = in_ten = None
        if by_text:
            values = self._overlaps(by_text)
            overlap = float(np.nanmean(values)) if np.isfinite(values).any() else None
        if by_title:
            inverse = self._reciprocal_ranks(by_title)
            mrr, first, in_ten = float(inverse.mean()), float((inverse == 1).mean()), float((inverse >= 0.1).mean())
        return WayScores(overlap, mrr, first, in_ten)


def body_of(record: Record) -> str:
    """Return the text of a record without its title, which a reader may have put in front of it, even several times."""
    text, title = record.text.strip(), record.title.strip()
    while title and text.startswith(title):
        text = text[len(title) :].strip()
    return text


def _placed(index: TrialIndex, records: RecordSet) -> Any:
    return index.place(index.features.rows(records))


def _fused(
    index: TrialIndex, queries: RecordSet, near: Lists, words: ScoredLists, extra_records: RecordSet | None = None
) -> Lists:
    """Fuse both lists of each query, as a search by meaning and words would."""
    if not len(queries):
        return []
    places = _placed(index, queries)
    extra = None if extra_records is None else _placed(index, extra_records)
    fused: Lists = []
    for row, (record, numbers, found) in enumerate(zip(queries.records, near, words, strict=True)):
        near_cosines, word_cosines = (index.cosines(places[[row]], these, extra) for these in (numbers, found[0]))
        weights = weights_for(record.text, index.features.words)
        fused.append(fused_by_score((numbers, near_cosines), found, word_cosines, _DEPTH, weights)[0])
    return fused


def _word_queries(records: Sequence[Record], words: Words | None) -> list[str]:
    """Make a query of words from the text of each record."""
    if words is None:
        return [" ".join(list(dict.fromkeys(record.text.split()))[:_QUERY_WORDS]) for record in records]
    weights = dict(zip(words.terms, words.weights.tolist(), strict=True))
    queries = []
    for record in records:
        # the words with the largest weights, unstemmed, since the full-text search has no stems
        counts = Counter(word.lower() for word in _WORD.findall(record.text))
        known = {word: max((weights.get(term, 0.0) for term in words.analyse(word)), default=0.0) for word in counts}
        order = {word: -(1 + math.log(counts[word])) * known[word] for word in counts}
        queries.append(" ".join(sorted(counts, key=order.__getitem__)[:_QUERY_WORDS]))
    return queries


def _with_progress(items: Sequence[str], stages: StageReporter) -> Iterator[str]:
    for number, item in enumerate(items):
        if number % 10 == 0:
            stages.advance(f"{number:,} of {len(items):,}", number / len(items))
        yield item
