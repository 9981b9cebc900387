"""The first stage: records are read once, into the store, while their words are counted; no text stays in memory."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from tacit.corpus.record import Record
from tacit.errors import InputError
from tacit.index import RecordStore
from tacit.index.records.columns import StoreParts, read_texts
from tacit.relations.labels.coded import CodedSets
from tacit.tasks.build.fitted_space import RecordKnowledge
from tacit.tasks.build.learning import learning_sample
from tacit.tasks.build.stages.some_rows import StoredTitles
from tacit.tasks.build.stages.state import read_sets, save_sets
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
    path : the store, or several
    labels : of each record
    links : targets of each record, by the name of the link
    named : how often each title was given to each label
    n_words : number of words in all texts
    n_titles : number of records that have a title
    """

    path: Path | StoreParts
    labels: CodedSets = field(default_factory=CodedSets)
    links: dict[str, CodedSets] = field(default_factory=dict)
    named: dict[str, Counter[str]] = field(default_factory=dict)
    n_words: int = 0
    n_titles: int = 0

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
            titles=StoredTitles(self.path, self.n_titles, self.n_records),
            n_words=self.n_words if self.links else None,
            texts=self.texts(sample),
            label_titles=self.titles_of_labels,
        )

    def texts(self, rows: Iterable[int] | IntArray) -> dict[int, str]:
        """Return the texts of some records, by number."""
        numbers = np.fromiter(rows, np.int64)
        found = dict(read_texts(self.path, numbers))
        return {int(number): found[int(number)] for number in numbers}

    def save(self, folder: Path) -> None:
        """Write it, for a build that goes on after a kill."""
        save_sets(folder, "labels", self.labels)
        for number, targets in enumerate(self.links.values()):
            save_sets(folder, f"link-{number}", targets)
        counts = {"words": self.n_words, "titles": self.n_titles, "links": list(self.links)}
        facts = {**counts, "named": {label: list(found.items()) for label, found in self.named.items()}}
        (folder / "read.json").write_text(json.dumps(facts), encoding="utf-8")

    @classmethod
    def open(cls, path: Path | StoreParts, folder: Path) -> ReadCollection:
        """Read what was saved."""
        facts = json.loads((folder / "read.json").read_text(encoding="utf-8"))
        links = {name: read_sets(folder, f"link-{number}") for number, name in enumerate(facts["links"])}
        named = {label: Counter(dict(found)) for label, found in facts["named"].items()}
        return cls(path, read_sets(folder, "labels"), links, named, facts["words"], facts["titles"])

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
        self.n_titles += bool(record.title)


def read_collection(
    path: Path,
    records: Iterable[Record],
    counted: CountedTexts | None,
    say: StageReporter,
    *,
    searchable: bool = True,
    may_be_empty: bool = False,
) -> ReadCollection:
    """Store records in a new file, and count the words of their texts, if they are asked for.

    Parameters
    ----------
    path : of the store
    records : iterated once
    counted : counts the words; None for a space that is made from vectors alone
    say : reports the stage
    searchable : whether the store is that of the index; otherwise others are made of it
    may_be_empty : whether there may be no records, in a part of the files
    """
    found = ReadCollection(path)

    def observed() -> Iterator[Record]:
        for record in records:
            found.add(record)
            if counted is not None:
                counted.add(record.text)
            yield record

    say.begin("reading")
    n_records = RecordStore.create(
        path, observed(), progress=lambda n: say.advance(f"{n:,} records"), searchable=searchable
    )
    if not n_records and not may_be_empty:
        raise InputError("records is empty: got none, expected at least one. Check what was read.")
    n_labelled = int(np.count_nonzero(found.labels.n_names))
    say.end(f"{n_records:,} records stored, {n_labelled:,} of them with labels")
    return found


def words_of(
    counted: CountedTexts, read: ReadCollection, say: StageReporter, stored: Callable[[Any, int], Any] | None = None
) -> tuple[Words, Any]:
    """Return the words that count, and the records as rows of them; records without any text need links.

    `stored` takes blocks of rows and their number of columns, and returns them as one matrix that is not in memory.
    """
    say.begin("words")
    X: Any
    if read.n_words == 0 and any(np.any(links.n_names) for links in read.links.values()):
        words, X = Words.none(counted.settings), sp.csr_array(np.zeros((read.n_records, 0), np.float32))
    else:
        words = counted.choose()
        X = counted.matrix() if stored is None else stored(counted.rows(), len(words.terms))
    per_record = f", {X.nnz / max(1, X.shape[0]):.0f} per record" if X.nnz else ""
    say.end(f"{X.shape[1]:,} different words counted{per_record}")
    return words, X


def label_titles(record: Record) -> dict[str, str]:
    """Return titles of labels that are URIs, if the source has them, as Annif's corpora do."""
    titles = record.fields.get("label_titles")
    return {str(label): str(title) for label, title in titles.items()} if isinstance(titles, Mapping) else {}
