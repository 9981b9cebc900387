"""A small collection with planted subjects, as texts, words, labels and positions, for tests of the witnesses."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain

import numpy as np
import scipy.sparse as sp

from tacit.corpus.record import Record
from tacit.index.witnesses.asked import AskedTexts
from tacit.text import TextSettings, Words

TOPICS = {
    "sea": ["whale", "ship", "harbour", "wave", "tide", "reef"],
    "home": ["cat", "kitchen", "garden", "chair", "lamp", "kettle"],
    "law": ["court", "judge", "treaty", "statute", "appeal", "verdict"],
}
SUBJECTS = ("sea", "home", "law", "shipping law", "gardens")


@dataclass(frozen=True, eq=False)
class Planted:
    """Records with their words at unit length, their labels and positions in three dimensions."""

    texts: list[str]
    words: Words
    rows: sp.csr_array
    labels: sp.csr_array
    positions: np.ndarray

    def __len__(self) -> int:
        return len(self.texts)

    def asked(self, numbers: list[int], *, as_records: bool, n_subjects: int | None = None) -> AskedTexts:
        """Some records to ask about: as new texts, or as records whose own labels do not count."""
        rows = np.array(numbers, np.int64)
        own = {"records": rows, "own": self.labels[rows]} if as_records else {}
        texts = [self.texts[number] for number in numbers]
        return AskedTexts(self.rows[rows], self.positions[rows], n_subjects or self.labels.shape[1], texts, **own)

    def without(self, number: int) -> Planted:
        """The collection without one record; the weights of words stay."""
        rest = np.array([other for other in range(len(self)) if other != number])
        texts = [self.texts[other] for other in rest]
        return Planted(texts, self.words, self.rows[rest], self.labels[rest], self.positions[rest])

    def in_order(self, order: np.ndarray) -> Planted:
        """The same records in another order."""
        texts = [self.texts[number] for number in order]
        return Planted(texts, self.words, self.rows[order], self.labels[order], self.positions[order])


def planted(n: int = 30, *, seed: int = 0) -> Planted:
    """Records of one or two topics; a ship before the court is shipping law, and a garden is under gardens."""
    rng = np.random.default_rng(seed)
    texts, labels = [], np.zeros((n, len(SUBJECTS)))
    for number in range(n):
        topics = rng.choice(list(TOPICS), 1 + number % 2, replace=False)
        chosen = [word for topic in topics for word in rng.choice(TOPICS[topic], 4)]
        texts.append(" ".join([*chosen, *rng.choice(list(chain(*TOPICS.values())), 2)]))
        for topic in topics:
            labels[number, SUBJECTS.index(topic)] = 1
        labels[number, 3] = {"sea", "law"} <= set(topics)
        labels[number, 4] = "garden" in chosen
    words, rows = Words.fit(texts, TextSettings(min_records=1, language="english"))
    positions = rng.normal(size=(n, 3)).astype(np.float32)
    return Planted(texts, words, sp.csr_array(rows), sp.csr_array(labels.astype(np.float32)), positions)


def planted_records(n: int = 120, *, seed: int = 1) -> list[Record]:
    """The records themselves: enough for the witnesses and the ranker of an index."""
    collection = planted(n, seed=seed)
    labels, subjects = collection.labels.toarray() > 0, np.array(SUBJECTS)
    return [
        Record(f"r{number}", text, labels=tuple(map(str, subjects[labels[number]])))
        for number, text in enumerate(collection.texts)
    ]


def all_pairs(n_texts: int, n_subjects: int) -> tuple[np.ndarray, np.ndarray]:
    """Every text with every subject."""
    text, subject = np.divmod(np.arange(n_texts * n_subjects), n_subjects)
    return text, subject
