"""The demonstration: an index of the standard library's docstrings, with and without its subjects.

It strings the rooms together once, on a collection that every Python brings along, so that a newcomer sees what the
labels add.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from tacit.checks import check_count
from tacit.corpus.record import Record
from tacit.corpus.standard_library import standard_library_records
from tacit.errors import InputError
from tacit.models.head import LabelHead
from tacit.models.lsi import LSI
from tacit.models.mlsi import MLSI
from tacit.tasks.hits import Hit
from tacit.tasks.nearest import nearest
from tacit.text.vectorise import vectoriser

__all__ = ["QUERIES", "SUGGESTION_TEXT", "Comparison", "Demo", "build_demo"]

# Chosen to show where the two spaces differ: "distribution" is also what packages are called, and servers of any kind
# send messages. Where the words say it all ("find files by a name pattern"), plain LSI is as good or better.
QUERIES = (
    "draw random numbers from a normal distribution",
    "deliver an e-mail message to the mail server",
    "run something later in another thread",
)
SUGGESTION_TEXT = "Fetch a web page, follow its redirects and keep the cookies for the next request."


@dataclass(frozen=True)
class Comparison:
    """One query and its nearest records, once with the labels in the space and once by the words only."""

    query: str
    informed: list[Hit]
    plain: list[Hit]


@dataclass(frozen=True, eq=False)
class Demo:
    """A collection in two spaces, ready for questions; made by `build_demo`."""

    records: Sequence[Record]
    vectoriser: Any
    term_weights: Any
    informed: MLSI
    plain: LSI
    informed_positions: np.ndarray
    plain_positions: np.ndarray
    head: LabelHead

    def search(self, query: str, *, limit: int = 5) -> Comparison:
        """Find the records nearest to a text in both spaces."""
        limit = check_count("limit", limit)
        vector = self._vector("query", query)
        return Comparison(
            query,
            informed=self._hits(vector, self.informed.transform(vector), self.informed_positions, limit),
            plain=self._hits(vector, self.plain.transform(vector), self.plain_positions, limit),
        )

    def suggest(self, text: str, *, limit: int = 5) -> list[tuple[str, float]]:
        """Suggest subjects for a new text, with their probabilities, the most probable first."""
        vector = self._vector("text", text)
        return list(self.head.suggest(self.informed.transform(vector), limit=check_count("limit", limit))[0])

    def _vector(self, name: str, text: str) -> Any:
        """Turn one text into a vector; a text without any known word has no place in the space."""
        vector = self.vectoriser.transform([text])
        if vector.nnz == 0:
            raise InputError(
                f"{name} has no known word: got {text!r}, expected at least one word of the collection. "
                "Try other words."
            )
        return vector

    def _hits(self, vector: Any, position: np.ndarray, positions: np.ndarray, limit: int) -> list[Hit]:
        """Nearest records of one vector, each with the words that it shares with it."""
        found = nearest(position, positions, limit)
        terms = self.vectoriser.get_feature_names_out()
        hits = []
        for row, score in zip(found.rows[0], found.scores[0], strict=True):
            shared = self.term_weights[[row]].multiply(vector).tocoo()
            order = np.argsort(-shared.data, kind="stable")
            hits.append(
                Hit(self.records[row].id, float(score), tuple(str(terms[column]) for column in shared.col[order]))
            )
        return hits


def build_demo(
    *,
    n_components: int = 100,
    random_state: int = 0,
    report: Callable[[float, str], None] | None = None,
) -> Demo:
    """Read the standard library's docstrings and fit plain LSI, MLSI and a label head to them.

    Parameters
    ----------
    n_components : int, default 100
        Dimensions of both spaces.
    random_state : int, default 0
        Seed of the solvers.
    report : function of (seconds, message), optional
        Called at the end of each stage.
    """
    # one thread: matrices this small gain nothing from more, and on a busy machine threads that wait for one another
    # have been seen to take sixty times as long
    with threadpool_limits(1):
        return _build(n_components, random_state, _Stages(report))


def _build(n_components: int, random_state: int, say: _Stages) -> Demo:
    """From the texts to the spaces, one stage after the other."""
    records = standard_library_records()
    say(f"{len(records):,} docstrings of the Python standard library read")
    words = vectoriser()
    term_weights = words.fit_transform([record.text for record in records])
    say(f"{term_weights.shape[1]:,} different words counted")
    plain = LSI(n_components, random_state=random_state)
    plain_positions = plain.fit_transform(term_weights)
    say(f"LSI: a space of {n_components} dimensions from the words")
    labels = [record.labels for record in records]
    informed = MLSI(n_components, random_state=random_state)
    as_if_new = informed.fit_transform(term_weights, labels)
    n_labels = len({name for names in labels for name in names})
    say(f"MLSI: a space of {n_components} dimensions from the words and {n_labels} subjects")
    # a head that learned where the labels have drawn the records would be too sure about texts that have none
    head = LabelHead("ridge", ridge=0.1).fit(as_if_new, labels)
    say("a suggester of subjects trained in this space")
    positions = informed.training_coordinates(term_weights, kind="transductive")
    return Demo(records, words, term_weights, informed, plain, positions, plain_positions, head)


class _Stages:
    """Tells how long it was since the last stage ended."""

    def __init__(self, report: Callable[[float, str], None] | None) -> None:
        self._report = report
        self._started = time.perf_counter()

    def __call__(self, message: str) -> None:
        now = time.perf_counter()
        if self._report is not None:
            self._report(now - self._started, message)
        self._started = now
