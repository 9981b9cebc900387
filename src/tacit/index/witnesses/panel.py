"""The panel of witnesses: candidates of all of them, their numbers side by side, and the ranker's probabilities."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from tacit.corpus.record import Record
from tacit.index.folder.opening import Generation
from tacit.index.folder.writer import GenerationWriter
from tacit.index.suggester import Suggester
from tacit.index.witnesses.asked import AskedTexts, Testimony, Witness
from tacit.index.witnesses.names import NamesWitness
from tacit.index.witnesses.neighbours import NeighboursWitness
from tacit.index.witnesses.position import PositionWitness
from tacit.index.witnesses.ranker import TreeRanker
from tacit.index.witnesses.relatives import RelativesWitness
from tacit.index.witnesses.words import WordsWitness
from tacit.text.words import Words
from tacit.types import Array, BoolArray, Float32Array, Float64Array, IntArray

__all__ = ["CandidatePairs", "Panel", "RankedPairs", "blocks_of", "feature_groups"]

_CELLS = 2_000_000  # texts x subjects at a time


@dataclass(frozen=True, eq=False)
class CandidatePairs:
    """Texts with their candidates, and the numbers of all witnesses for each pair, ordered by text."""

    text: IntArray
    subject: IntArray
    numbers: Float32Array


@dataclass(frozen=True, eq=False)
class RankedPairs:
    """Suggested subjects of texts, ordered by text, the most probable first."""

    text: IntArray
    subject: IntArray
    probability: Float64Array
    chosen: BoolArray

    def of_text(self, text: int) -> slice:
        """Return where the pairs of one text are."""
        first, last = np.searchsorted(self.text, [text, text + 1])
        return slice(int(first), int(last))


@dataclass(eq=False)
class Panel:
    """All witnesses of an index, and what weighs them.

    Attributes
    ----------
    subjects : names of all subjects: first the labels of the index, then those that only the vocabulary has
    words, neighbours, position, relatives : the witnesses
    names : the witness of names; None if the subjects have no names that could stand in a text
    ranker : None before it is trained
    thresholds : (n_subjects,) probability from which a subject is chosen
    least : probability from which the first subject of a text is chosen in any case
    """

    subjects: tuple[str, ...]
    words: WordsWitness
    neighbours: NeighboursWitness
    position: PositionWitness
    relatives: RelativesWitness
    names: NamesWitness | None = None
    ranker: TreeRanker | None = None
    thresholds: Array | None = None
    least: float = 1.0

    @property
    def witnesses(self) -> tuple[Witness, ...]:
        """The witnesses that take part, in the order of their numbers."""
        all_of_them = (self.words, self.neighbours, self.names, self.position, self.relatives)
        return tuple(witness for witness in all_of_them if witness is not None)

    @property
    def feature_names(self) -> tuple[str, ...]:
        """Names of all numbers of a pair."""
        return tuple(name for witness in self.witnesses for name in witness.feature_names)

    @property
    def block(self) -> int:
        """Number of texts to ask about at a time."""
        return max(1, _CELLS // max(1, len(self.subjects)))

    def threshold_of(self, subject: int) -> float:
        """Return the probability from which a subject is chosen; that of one that came later is the usual one."""
        known = self.thresholds is not None and subject < len(self.thresholds)
        return float(self.thresholds[subject]) if known and self.thresholds is not None else 2 * self.least

    def raw_of(self, asked: AskedTexts, subject: int) -> float:
        """Return the sum of the ranker for one text and one subject, whether or not any witness names it."""
        assert self.ranker is not None
        here, numbers = np.array([0]), np.array([subject])
        said = [testimony.features(here, numbers) for testimony in self._testimonies(asked)]
        return float(self.ranker.raw(np.hstack(said))[0])

    def pairs(self, asked: AskedTexts) -> CandidatePairs:
        """Return the candidates of all witnesses for one block of texts, with their numbers."""
        testimonies = self._testimonies(asked)
        named = [testimony.candidates() for testimony in testimonies]
        width = np.int64(asked.n_subjects)
        keys = [text * width + np.unique(np.concatenate([each[text] for each in named])) for text in range(len(asked))]
        text, subject = np.divmod(np.concatenate(keys) if keys else np.empty(0, np.int64), width)
        numbers = np.hstack([testimony.features(text, subject) for testimony in testimonies])
        return CandidatePairs(text, subject, numbers)

    def _testimonies(self, asked: AskedTexts) -> list[Testimony]:
        near = self.neighbours.hear(asked)
        testimonies: list[Testimony] = [self.words.hear(asked), near]
        if self.names is not None:
            testimonies.append(self.names.hear(asked))
        testimonies.append(self.position.hear(asked))
        testimonies.append(self.relatives.hear_after(asked, near.share))
        return testimonies

    def rank(self, asked: AskedTexts) -> RankedPairs:
        """Return the candidates of one block of texts with their probabilities, the most probable first."""
        assert self.ranker is not None
        pairs = self.pairs(asked)
        probability = self.ranker.probabilities(self.ranker.raw(pairs.numbers))
        return self.chosen_of(pairs.text, pairs.subject, probability)

    def chosen_of(self, text: IntArray, subject: IntArray, probability: Float64Array) -> RankedPairs:
        """Order pairs by text and probability, and choose those above their thresholds."""
        order = np.lexsort((subject, -probability, text))
        text, subject, probability = text[order], subject[order], probability[order]
        limits = np.full(len(self.subjects), 2 * self.least)  # the usual one, for subjects that came later
        if self.thresholds is not None:
            limits[: len(self.thresholds)] = self.thresholds
        chosen = probability >= limits[subject]
        is_first = np.concatenate([[True], text[1:] != text[:-1]]) if len(text) else np.empty(0, bool)
        chosen |= is_first & (probability >= self.least)
        return RankedPairs(text, subject, probability, np.asarray(chosen))

    def with_changes(self, records: Sequence[Record], places: Float32Array, removed: IntArray) -> Panel:
        """Return a panel that also knows added records, and no longer those that were removed.

        Added records count as neighbours, and their labels have names and places; labels that are new become subjects.
        """
        place = {subject: number for number, subject in enumerate(self.subjects)}
        new = dict.fromkeys(label for record in records for label in record.labels if label not in place)
        place |= {label: len(self.subjects) + number for number, label in enumerate(new)}
        rows = np.repeat(np.arange(len(records)), [len(record.labels) for record in records])
        columns = [place[label] for record in records for label in record.labels]
        ones = np.ones(len(columns), np.float32)
        labels = sp.csr_array((ones, (rows, columns)), (len(records), len(place)))
        more: Array = np.asarray(labels.sum(axis=0)).ravel()
        counts, sums = np.zeros(len(place), np.float32), np.zeros((len(place), places.shape[1]), np.float32)
        n_known = len(self.position.places)
        counts[:n_known] = self.position.counts
        sums[:n_known] = self.position.places * counts[:n_known, None]
        sums += labels.T @ places
        after = np.zeros(len(place), np.float32)
        after[: len(self.relatives.counts)] = self.relatives.counts
        relatives = RelativesWitness(
            _widened(self.relatives.together, len(place)), after + more, _widened(self.relatives.related, len(place))
        )
        counts += more
        words = self.names.words if self.names is not None else None
        texts = [record.text for record in records]
        near = self.neighbours.with_changes(
            sp.csr_array((len(records), self.neighbours.by_word.shape[0]), dtype=np.float32)
            if words is None
            else words.transform(texts),
            labels,
            places,
            removed,
        )
        return replace(
            self,
            subjects=tuple(place),
            neighbours=near,
            position=PositionWitness(
                sums / np.maximum(counts, 1)[:, None], counts, head=self.position.head, scored=self.position.scored
            ),
            relatives=relatives,
            names=None if self.names is None else self.names.with_names([(place[name], name, 0) for name in new]),
        )

    def save(self, writer: GenerationWriter) -> None:
        """Write the witnesses and the ranker into a new generation."""
        assert self.ranker is not None
        assert self.thresholds is not None
        self.words.save(writer)
        self.neighbours.save(writer)
        if self.names is not None:
            self.names.save(writer)
        self.relatives.save(writer)
        self.ranker.save(writer)
        if self.position.head is not None:
            self.position.head.save(writer, "panel_head")
            writer.save_array("panel_head_subjects", self.position.scored)
        writer.save_array("subject_thresholds", np.asarray(self.thresholds, np.float32))
        facts = {"subjects": list(self.subjects), "features": list(self.feature_names), "least": self.least}
        writer.save_facts("panel", facts)

    @classmethod
    def of_generation(cls, generation: Generation, words: Words) -> Panel | None:
        """Open the witnesses of an index; None if it has none."""
        if "facts/panel.json" not in generation.manifest.files:
            return None
        facts: Mapping[str, Any] = generation.facts("panel")
        subjects = tuple(facts["subjects"])
        positions = generation.array("positions")
        by_words = WordsWitness.of_generation(generation)
        shape = (len(words.terms), len(positions), len(subjects))
        counts = np.asarray(by_words.subject_counts)
        names = None
        if "name_starts" in generation.arrays:
            names = NamesWitness.of_generation(generation, words, _name_vectors(generation, shape))
        return cls(
            subjects,
            by_words,
            NeighboursWitness.of_generation(generation, shape, positions),
            PositionWitness(
                generation.array("label_positions"),
                counts,
                head=Suggester.of_generation(generation, "panel_head"),
                scored=generation.arrays.get("panel_head_subjects"),
            ),
            RelativesWitness.of_generation(generation, counts),
            names,
            TreeRanker.of_generation(generation),
            np.asarray(generation.array("subject_thresholds")),
            float(facts["least"]),
        )


def _widened(matrix: Any, size: int) -> Any:
    """Return a square matrix with empty rows and columns for further subjects."""
    starts = np.concatenate([matrix.indptr, np.full(size - matrix.shape[0], matrix.indptr[-1])])
    return sp.csr_array((matrix.data, matrix.indices, starts), (size, size))


def _name_vectors(generation: Generation, shape: tuple[int, int, int]) -> Any:
    parts = (generation.array(f"name_vector_{part}") for part in ("values", "columns", "starts"))
    return sp.csr_array(tuple(parts), (shape[0], shape[2]))


def blocks_of(n_texts: int, size: int) -> Iterator[slice]:
    """Return slices that cover all texts."""
    for start in range(0, n_texts, size):
        yield slice(start, min(n_texts, start + size))


def feature_groups(panel: Panel) -> dict[str, Sequence[int]]:
    """Return which numbers belong to which witness."""
    groups: dict[str, Sequence[int]] = {}
    start = 0
    for witness in panel.witnesses:
        groups[witness.name] = range(start, start + len(witness.feature_names))
        start += len(witness.feature_names)
    return groups
