"""What an index finds, by words and by meaning in several spaces, with the pieces that an index is made of."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from index_answers_data import Asked, label_matrix
from index_answers_measures import Ranked, best_of, label_figures
from sklearn.preprocessing import normalize

from tacit import Taxonomy
from tacit.corpus import Record
from tacit.index import RecordStore
from tacit.index.space import Space
from tacit.tasks.build.fitted_space import FittedSpace, RecordKnowledge
from tacit.tasks.build.fitting import fit_model
from tacit.tasks.build.settings import BuildSettings
from tacit.tasks.search.search import _FUSED as DEPTH  # lists of another depth would not be those of `search`
from tacit.tasks.stage_progress import StageReporter
from tacit.text.settings import TextSettings
from tacit.text.words import Words

__all__ = [
    "DEPTH",
    "Kind",
    "Made",
    "Vectors",
    "by_bm25s",
    "by_tfidf",
    "by_vectors",
    "by_words",
    "make",
    "suggested",
    "vector_cosines",
]

_BATCH = 256
BM25S = find_spec("bm25s") is not None


@dataclass(frozen=True)
class Kind:
    """How a space is made: everything else is as `tacit build` has it."""

    model: str = "mlsi"
    n_components: int = 100
    text: TextSettings = field(default_factory=TextSettings)
    titles: int = 1  # how often the title counts
    taxonomy: bool = False
    neural: bool = False  # vectors of a neural model instead of words


@dataclass(frozen=True)
class Vectors:
    """Of the records of a collection, and of queries by what is asked with: a neural model's, or places in a space."""

    collection: Any
    queries: Mapping[str, Any]


@dataclass(frozen=True)
class Made:
    """A space with what was fitted to it."""

    space: Space
    fitted: FittedSpace
    seconds: float

    def placed(self, queries: Mapping[str, Sequence[str]]) -> Vectors:
        """Give the positions of the collection, and those of queries."""
        return Vectors(self.fitted.positions, {way: self.space.place(texts) for way, texts in queries.items()})

    def moved(self, vectors: Vectors) -> Vectors:
        """Give the positions of the collection, and those of queries that come as vectors."""
        places = {way: self.space.place_vectors(given) for way, given in vectors.queries.items()}
        return Vectors(self.fitted.positions, places)


def make(
    kind: Kind,
    records: Sequence[Record],
    *,
    taxonomy: Taxonomy | None = None,
    vectors: Any = None,
    suggester: str = "logistic",
) -> Made:
    """Fit a space, and a suggester in it, as `build` does."""
    settings = BuildSettings(kind.model, kind.n_components, text=kind.text, suggester=suggester)
    start = time.perf_counter()
    words, X = (None, vectors) if kind.neural else Words.fit(_texts(records, kind), kind.text)
    known = RecordKnowledge([record.labels for record in records], {}, taxonomy if kind.taxonomy else None)
    fitted = fit_model(X, known, settings, StageReporter(None))
    return Made(Space(fitted.terms, fitted.offset, words), fitted, time.perf_counter() - start)


def vector_cosines(queries: Any, collection: Any, numbers: Any) -> Any:
    """Give the cosines of vectors with those of the records of lists."""
    queries, collection = normalize(queries), normalize(collection)
    cosines = [collection[row] @ query for row, query in zip(numbers, queries, strict=True)]
    return np.where(numbers >= 0, np.array(cosines), 0)


def by_vectors(queries: Any, collection: Any, depth: int = DEPTH) -> Ranked:
    """Find by the cosine of vectors, dense or sparse."""
    queries, collection = normalize(queries), normalize(collection)
    parts = []
    for first in range(0, queries.shape[0], _BATCH):
        scores = queries[first : first + _BATCH] @ collection.T
        parts.append(best_of(np.asarray(scores if isinstance(scores, np.ndarray) else scores.toarray()), depth))
    return _joined(parts)


def by_tfidf(records: Sequence[Record], queries: Sequence[str]) -> Ranked:
    """Find by the cosine of the words that a space is made from."""
    words, X = Words.fit([record.text for record in records], TextSettings())
    return by_vectors(words.transform(queries), X)


def by_words(records: Sequence[Record], queries: Sequence[str]) -> Ranked:
    """Find by BM25 of SQLite's full text, as `search(by="words")` does."""
    numbers, scores = (np.full((len(queries), DEPTH), fill) for fill in (-1, 0.0))
    with tempfile.TemporaryDirectory() as folder:
        RecordStore.create(Path(folder) / "records.sqlite", records)
        with RecordStore(Path(folder) / "records.sqlite") as store:
            for row, query in enumerate(queries):
                found, values = store.words(query, DEPTH)
                numbers[row, : len(found)], scores[row, : len(found)] = found, values
    return Ranked(numbers, scores)


def by_bm25s(records: Sequence[Record], queries: Sequence[str]) -> Ranked:
    """Find by the BM25 of the package `bm25s`, on the words that a space is made from: no stop words."""
    import bm25s  # type: ignore[import-not-found]

    words = Words.fit([record.text for record in records], TextSettings())[0]
    finder = bm25s.BM25()
    finder.index([words.analyse(record.text) for record in records], show_progress=False)
    known = set(finder.vocab_dict)
    asked = [[word for word in words.analyse(query) if word in known] for query in queries]
    numbers, scores = finder.retrieve(asked, k=min(DEPTH, len(records)), show_progress=False)
    return Ranked(np.asarray(numbers, np.int64), np.asarray(scores))


def suggested(made: Made, asked: Asked, labels: Sequence[str], places: Any = None) -> dict[str, float]:
    """Measure what the suggester of a space says of the new records, by default where their words are."""
    texts = [record.text for record in asked.new]
    places = made.space.place(texts) if places is None else places
    suggester = made.fitted.suggester
    assert suggester is not None  # made by us, with labels
    words = made.space.words
    scores = suggester.scores(places, None if words is None else words.transform(texts))
    column = {name: at for at, name in enumerate(made.fitted.label_names)}
    order = [column[label] for label in labels]
    probabilities, chosen = suggester.probabilities(scores), suggester.chosen(scores)
    figures = label_figures(label_matrix(asked.new, labels), probabilities[:, order], chosen[:, order])
    return figures | {"seconds": made.seconds}


def _texts(records: Sequence[Record], kind: Kind) -> list[str]:
    return [(record.title + "\n") * (kind.titles - 1) + record.text for record in records]


def _joined(parts: Sequence[Ranked]) -> Ranked:
    return Ranked(np.concatenate([part.numbers for part in parts]), np.concatenate([part.scores for part in parts]))
