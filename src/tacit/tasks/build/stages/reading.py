"""The first stage: records are read once, into the store, while their words are counted; no text stays in memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from tacit.corpus.record import Record
from tacit.errors import InputError
from tacit.index import RecordStore
from tacit.index.records.columns import read_texts, read_titles
from tacit.relations.labels.coded import CodedSets
from tacit.tasks.build.fitted_space import RecordKnowledge
from tacit.tasks.build.learning import learning_sample
from tacit.tasks.stage_progress import StageReporter
from tacit.text.counting import CountedTexts
from tacit.text.words import Words
from tacit.types import IntArray

__all__ = ["ReadCollection", "label_titles", "read_collection", "words_of"]


@dataclass(eq=False)
class ReadCollection:
    """What a build keeps in memory of the records that it has stored.

    Attributes
    ----------
    path : the store
    labels : of each record
    links : targets of each record, by the name of the link
    named : how often each title was given to each label
    n_words : number of words in all texts
    """

    path: Path
    labels: CodedSets = field(default_factory=CodedSets)
    links: dict[str, CodedSets] = field(default_factory=dict)
    named: dict[str, Counter[str]] = field(default_factory=dict)
    n_words: int = 0

    @property
    def n_records(self) -> int:
        """Number of records."""
        return len(self.labels)

    @property
    def titles_of_labels(self) -> dict[str, str]:
        """The title that each label has most often."""
        return {label: counts.most_common(1)[0][0] for label, counts in self.named.items()}

    def knowledge(self, seed: int) -> RecordKnowledge:
        """Return what is known about the records besides their words, with the texts that the suggester learns from."""
        sample = learning_sample(self.labels, seed) if self.n_words else ()
        return RecordKnowledge(
            self.labels,
            self.links,
            titles=self.titles(),
            n_words=self.n_words if self.links else None,
            texts=self.texts(sample),
            label_titles=self.titles_of_labels,
        )

    def titles(self) -> list[str]:
        """Return the titles of the records."""
        return [title for _, title in read_titles(self.path, np.arange(self.n_records))]

    def texts(self, rows: Iterable[int] | IntArray) -> dict[int, str]:
        """Return the texts of some records, by number."""
        numbers = np.fromiter(rows, np.int64)
        found = dict(read_texts(self.path, numbers))
        return {int(number): found[int(number)] for number in numbers}

    def add(self, record: Record) -> None:
        """Keep what is known about one more record."""
        for name in record.links:
            if name not in self.links:
                self.links[name] = CodedSets([()] * self.n_records)
        for name, targets in self.links.items():
            targets.append(record.links.get(name, ()))
        self.labels.append(record.labels)
        for label, title in label_titles(record).items():
            self.named.setdefault(label, Counter())[title] += 1
        self.n_words += len(record.text.split())


def read_collection(
    path: Path, records: Iterable[Record], counted: CountedTexts | None, say: StageReporter
) -> ReadCollection:
    """Store records in a new file, and count the words of their texts, if they are asked for.

    Parameters
    ----------
    path : of the store
    records : iterated once
    counted : counts the words; None for a space that is made from vectors alone
    say : reports the stage
    """
    found = ReadCollection(path)

    def observed() -> Iterator[Record]:
        for record in records:
            found.add(record)
            if counted is not None:
                counted.add(record.text)
            yield record

    say.begin("reading")
    n_records = RecordStore.create(path, observed(), progress=lambda n: say.advance(f"{n:,} records"))
    if not n_records:
        raise InputError("records is empty: got none, expected at least one. Check what was read.")
    n_labelled = int(np.count_nonzero(found.labels.n_names))
    say.end(f"{n_records:,} records stored, {n_labelled:,} of them with labels")
    return found


def words_of(counted: CountedTexts, read: ReadCollection, say: StageReporter) -> tuple[Words, Any]:
    """Return the words that count, and the records as rows of them; records without any text need links."""
    say.begin("words")
    X: Any
    if read.n_words == 0 and any(np.any(links.n_names) for links in read.links.values()):
        words, X = Words.none(counted.settings), sp.csr_array(np.zeros((read.n_records, 0), np.float32))
    else:
        words, X = counted.choose(), counted.matrix()
    per_record = f", {X.nnz / max(1, X.shape[0]):.0f} per record" if X.nnz else ""
    say.end(f"{X.shape[1]:,} different words counted{per_record}")
    return words, X


def label_titles(record: Record) -> dict[str, str]:
    """Return titles of labels that are URIs, if the source has them, as Annif's corpora do."""
    titles = record.fields.get("label_titles")
    return {str(label): str(title) for label, title in titles.items()} if isinstance(titles, Mapping) else {}
