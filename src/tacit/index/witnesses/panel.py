"""The panel of witnesses: candidates of all of them, their numbers side by side, and the ranker's probabilities."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from tacit.corpus.record import Record
from tacit.index.folder.opening import Generation
from tacit.index.folder.writer import GenerationWriter
from tacit.index.stored_arrays import check_numbers, stored_rows
from tacit.index.suggester import Suggester
from tacit.index.witnesses.asked import AskedTexts, Testimony, Witness
from tacit.index.witnesses.choice import ChoiceRule, text_limits
from tacit.index.witnesses.corrections import Correction
from tacit.index.witnesses.examples import Examples
from tacit.index.witnesses.names import NamesTestimony, NamesWitness, own_name
from tacit.index.witnesses.neighbours import NeighboursTestimony, NeighboursWitness
from tacit.index.witnesses.position import PositionTestimony, PositionWitness
from tacit.index.witnesses.ranker import TreeRanker
from tacit.index.witnesses.relatives import RelativesTestimony, RelativesWitness
from tacit.index.witnesses.words import WordsTestimony, WordsWitness
from tacit.text.words import Words
from tacit.types import Array, BoolArray, Float32Array, Float64Array, IntArray

__all__ = ["CandidatePairs", "Heard", "Panel", "RankedPairs", "blocks_of", "favoured", "feature_groups"]

_CELLS = 1_000_000  # texts x subjects at a time
_OF_LABELS = "name_right_share"  # the one number of a name that needs records with the subject
_FAVOURED = 0.1  # probability up to which subjects without records are favoured


@dataclass(frozen=True, eq=False)
class CandidatePairs:
    """Texts with their candidates, and the numbers of all witnesses for each pair, ordered by text."""

    text: IntArray
    subject: IntArray
    numbers: Float32Array


@dataclass(frozen=True, eq=False)
class RankedPairs:
    """Suggested subjects of texts, ordered by text, the most probable first.

    Attributes
    ----------
    text, subject, probability, chosen : one entry per pair
    limits : probability from which a subject with the usual threshold is chosen, of each text
    """

    text: IntArray
    subject: IntArray
    probability: Float64Array
    chosen: BoolArray
    limits: Float64Array

    def of_text(self, text: int) -> slice:
        """Return where the pairs of one text are."""
        first, last = np.searchsorted(self.text, [text, text + 1])
        return slice(int(first), int(last))


class Heard(NamedTuple):
    """What the witnesses said about one block of texts; `names` is None if subjects have none."""

    words: WordsTestimony
    near: NeighboursTestimony
    names: NamesTestimony | None
    position: PositionTestimony
    relatives: RelativesTestimony

    @property
    def testimonies(self) -> list[Testimony]:
        """Those of the witnesses that take part, in the order of their numbers."""
        return [testimony for testimony in self if testimony is not None]


@dataclass(eq=False)
class Panel:
    """All witnesses of an index, and what weighs them.

    Attributes
    ----------
    subjects : names of all subjects: first the labels of the index, then those that only the vocabulary has
    words, neighbours, position, relatives : the witnesses
    names : the witness of names; None if the subjects have no names that could stand in a text
    ranker : None before it is trained
    thresholds : (n_subjects,) probability from which a subject is chosen, in a text whose own limit does not count
    least : probability from which the first subject of a text is chosen in any case, half of the usual threshold
    rule : how thresholds and the own limit of a text are weighed against each other
    columns : the numbers that the ranker was trained with, if the witnesses have learned to give more since; None: all
    learned : (n_corrections, k), positions of the corrections that were learned; None without any
    examples : what the ranker learned from, without corrections; None unless it is being trained
    by_name : ranks subjects that no record has by their names; None if there are none, or too few to learn from. Its
        offset is how far they are `favoured`
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
    rule: ChoiceRule = field(default_factory=ChoiceRule)
    columns: IntArray | None = None
    learned: Float32Array | None = None
    examples: Examples | None = None
    by_name: TreeRanker | None = None

    @property
    def witnesses(self) -> tuple[Witness, ...]:
        """The witnesses that take part, in the order of their numbers."""
        all_of_them = (self.words, self.neighbours, self.names, self.position, self.relatives)
        return tuple(witness for witness in all_of_them if witness is not None)

    @property
    def feature_names(self) -> tuple[str, ...]:
        """Names of all numbers of a pair."""
        names = tuple(name for witness in self.witnesses for name in witness.feature_names)
        return names if self.columns is None else tuple(names[column] for column in self.columns)

    @property
    def block(self) -> int:
        """Number of texts to ask about at a time."""
        return max(1, _CELLS // max(1, len(self.subjects)))

    def threshold_of(self, subject: int, ranked: RankedPairs, text: int = 0) -> float:
        """Return the probability from which a subject of a ranked text is chosen."""
        return float(self._limits(np.array([subject]), ranked.limits[[text]])[0])

    def _limits(self, subject: IntArray, of_text: Float64Array) -> Float64Array:
        """Return the probability from which each pair is chosen."""
        usual = 2 * self.least
        thresholds = np.full(len(self.subjects), usual)  # the usual one, for subjects that came later
        if self.thresholds is not None:
            thresholds[: len(self.thresholds)] = self.thresholds
        return self.rule.limits(usual, thresholds[subject], of_text)

    def raw_of(self, asked: AskedTexts, subject: int) -> float:
        """Return the sum of the ranker for one text and one subject, whether or not any witness names it."""
        assert self.ranker is not None
        pairs = self.pairs(asked, [np.array([subject])])  # some numbers are relative to those of the other candidates
        return float(self.raw(pairs.numbers[pairs.subject == subject])[0])

    def raw(self, numbers: Float32Array) -> Float64Array:
        """Return the sums for pairs, of which the probabilities are made: those of the ranker, or of names alone."""
        assert self.ranker is not None
        raw, new = self.ranker.raw(numbers), self.named_new(numbers)
        if self.by_name is not None and len(new):
            slope, offset = (float(value) for value in self.ranker.constants[:2])
            if slope > 0:  # so that the probability is that of `by_name`, which is calibrated already
                by_name = self.by_name.raw(numbers[new][:, self.of_names])
                raw[new] = (favoured(by_name, float(self.by_name.constants[1])) - offset) / slope
        return raw

    @property
    def of_names(self) -> IntArray:
        """Places of the numbers by which `by_name` ranks."""
        names = self.feature_names
        by_name = [name for name in names if name.startswith("name_") and name != _OF_LABELS]
        return np.array([names.index(name) for name in (*by_name, "text_words", "subject_records")])

    def named_new(self, numbers: Float32Array, most: int = 0) -> IntArray:
        """Return the pairs whose name stands in the text, wholly, in part or alike, and whose subject no record has.

        With `most`, also those of subjects that so many records have at most.
        """
        names = self.feature_names
        if not {"name_part_share", "text_words", "subject_records"}.issubset(names):
            return np.empty(0, np.int64)  # no names, or an index from before they were compared in part
        share = "name_alike_share" if "name_alike_share" in names else "name_part_share"  # the first is never smaller
        records, part = numbers[:, names.index("subject_records")], numbers[:, names.index(share)]
        return np.flatnonzero((records <= most) & (part > 0))

    def pairs(
        self, asked: AskedTexts, more: list[IntArray] | None = None, heard: Heard | None = None
    ) -> CandidatePairs:
        """Return the candidates of all witnesses for one block of texts, and `more`, with their numbers."""
        testimonies = (self.hear(asked) if heard is None else heard).testimonies
        named = [testimony.candidates() for testimony in testimonies] + ([] if more is None else [more])
        width = np.int64(asked.n_subjects)
        keys = [text * width + np.unique(np.concatenate([each[text] for each in named])) for text in range(len(asked))]
        text, subject = np.divmod(np.concatenate(keys) if keys else np.empty(0, np.int64), width)
        numbers = np.hstack([testimony.features(text, subject) for testimony in testimonies])
        return CandidatePairs(text, subject, numbers if self.columns is None else numbers[:, self.columns])

    def hear(self, asked: AskedTexts) -> Heard:
        """Return what all witnesses say about one block of texts."""
        near = self.neighbours.hear(asked)
        return Heard(
            self.words.hear(asked),
            near,
            None if self.names is None else self.names.hear(asked),
            self.position.hear(asked),
            self.relatives.hear_after(asked, near.share),
        )

    def rank(self, asked: AskedTexts, heard: Heard | None = None) -> RankedPairs:
        """Return the candidates of one block of texts with their probabilities, the most probable first.

        `heard` is what the witnesses said, if they were heard already.
        """
        assert self.ranker is not None
        pairs = self.pairs(asked, heard=heard)
        probability = self.ranker.probabilities(self.raw(pairs.numbers))
        return self.chosen_of(pairs.text, pairs.subject, probability, len(asked))

    def chosen_of(self, text: IntArray, subject: IntArray, probability: Float64Array, n_texts: int) -> RankedPairs:
        """Order pairs by text and probability, and choose the best set of each text."""
        order = np.lexsort((subject, -probability, text))
        text, subject, probability = text[order], subject[order], probability[order]
        of_text = np.full(n_texts, 2 * self.least)
        if self.rule.own:
            of_text = text_limits(text, probability, n_texts, self.rule.unnamed)
        chosen = probability >= self._limits(subject, of_text[text])
        is_first = np.concatenate([[True], text[1:] != text[:-1]]) if len(text) else np.empty(0, bool)
        chosen |= is_first & (probability >= self.least)
        return RankedPairs(text, subject, probability, np.asarray(chosen), of_text)

    def with_changes(
        self, records: Sequence[Record], places: Float32Array, removed: IntArray, removed_places: Float32Array
    ) -> Panel:
        """Return a panel that also knows added records, and no longer those that were removed.

        Added records count as those of the build do, with the words that the build knows; records without labels do not
        count. Labels that are new become subjects. How often names are right is not counted again.
        """
        words = None if self.names is None else self.names.words
        labelled = np.array([number for number, record in enumerate(records) if record.labels], np.int64)
        added, places = [records[number] for number in labelled], places[labelled]
        subjects, labels = self._with_labels([record.labels for record in added])
        n_terms = self.neighbours.by_word.shape[0]
        rows = sp.csr_array((len(added), n_terms), dtype=np.float32)
        if words is not None:
            rows = sp.csr_array(words.transform(record.text for record in added))
        was = self.neighbours.labels[removed]
        gone = np.flatnonzero(np.diff(was.indptr))
        before = _with_columns(was[gone], len(subjects))
        signs = np.concatenate([np.ones(len(added)), -np.ones(len(gone))])
        changed = sp.vstack([labels, before], format="csr")
        changed_rows = sp.vstack([rows, self.neighbours.rows(removed[gone])], format="csr")
        titles = {name: title for record in added for name, title in _label_titles(record).items()}
        return replace(
            self,
            subjects=subjects,
            words=self.words.changed(changed_rows, changed, signs),
            neighbours=self.neighbours.with_changes(rows, labels, places, removed),
            position=self.position.changed(changed, np.vstack([places, removed_places[gone]]), signs),
            relatives=self.relatives.changed(changed, signs),
            names=self._names_with(subjects[len(self.subjects) :], titles),
        )

    def with_corrections(
        self, n_records: int, corrections: Sequence[Correction], rows: Any, places: Float32Array
    ) -> Panel:
        """Return a panel that has learned from corrections, in place of those that it had learned from before.

        A text with accepted subjects counts as a record of the build does, which speaks against subjects that it does
        not have. Of a text without accepted subjects, only names of rejected ones count, since the others are unknown.

        Parameters
        ----------
        n_records : number of records of the build
        corrections : all corrections
        rows, places : their words, and their positions by these
        """
        subjects, labels = self._with_labels([correction.accepted for correction in corrections])
        has_labels = np.diff(labels.indptr) > 0
        rows, places = sp.csr_array(sp.diags_array(has_labels.astype(np.float32)) @ rows), places * has_labels[:, None]
        rows.eliminate_zeros()
        earlier = np.arange(n_records, self.neighbours.labels.shape[0])
        before = _with_columns(self.neighbours.labels[earlier], len(subjects))
        before_places = places[:0] if self.learned is None else self.learned
        signs = np.concatenate([has_labels, -(np.diff(before.indptr) > 0).astype(float)])
        changed = sp.vstack([labels, before], format="csr")
        changed_rows = sp.vstack([rows, self.neighbours.rows(earlier)], format="csr")
        names = self._names_with(subjects[len(self.subjects) :], {})
        if names is not None:
            number = {subject: place for place, subject in enumerate(subjects)}
            accepted = [{number[name] for name in each.accepted} for each in corrections]
            rejected = [{number[name] for name in each.rejected if name in number} for each in corrections]
            names = names.with_corrections([each.text for each in corrections], accepted, rejected, len(subjects))
        return replace(
            self,
            subjects=subjects,
            words=self.words.changed(changed_rows, changed, signs),
            neighbours=self.neighbours.first(n_records).with_changes(rows, labels, places, np.empty(0, np.int64)),
            position=self.position.changed(changed, np.vstack([places, before_places]), signs),
            relatives=self.relatives.changed(changed, signs),
            names=names,
            learned=np.asarray(places, np.float32),
        )

    def _with_labels(self, given: Sequence[Sequence[str]]) -> tuple[tuple[str, ...], sp.csr_array]:
        """Return the subjects with labels that are new, and the labels of each record as a matrix."""
        place = {subject: number for number, subject in enumerate(self.subjects)}
        for labels in given:
            for label in labels:
                place.setdefault(label, len(place))
        rows = np.repeat(np.arange(len(given)), [len(labels) for labels in given])
        columns = [place[label] for labels in given for label in labels]
        ones = np.ones(len(columns), np.float32)
        return tuple(place), sp.csr_array((ones, (rows, columns)), (len(given), len(place)))

    def _names_with(self, new: Sequence[str], titles: Mapping[str, str]) -> NamesWitness | None:
        """Return the names with those of new subjects: their titles, or the labels themselves."""
        if self.names is None:
            return None
        given = [titles.get(label) or own_name(label) for label in new]
        return self.names.with_names([(len(self.subjects) + n, name, 0) for n, name in enumerate(given) if name])

    def save(self, writer: GenerationWriter, *, head: bool = True) -> None:
        """Write the witnesses and the ranker into a new generation; what did not change may be kept, as the head."""
        assert self.ranker is not None
        assert self.thresholds is not None
        self.words.save(writer)
        self.neighbours.save(writer)
        if self.names is not None:
            self.names.save(writer)
        self.relatives.save(writer)
        self.ranker.save(writer)
        if self.by_name is not None:
            self.by_name.save(writer, "ranker_by_name")
        if self.learned is not None and len(self.learned):
            writer.save_array("learned_positions", self.learned)
        if self.examples is not None:
            self.examples.save(writer)
        if self.position.head is not None and head:
            self.position.head.save(writer, "panel_head")
            writer.save_array("panel_head_subjects", self.position.scored)
        writer.save_array("subject_thresholds", np.asarray(self.thresholds, np.float32))
        names = {"subjects": list(self.subjects), "features": list(self.feature_names)}
        writer.save_facts("panel", {**names, "least": self.least, "choice": self.rule.to_facts()})

    @classmethod
    def of_generation(cls, generation: Generation, words: Words) -> Panel | None:
        """Open the witnesses of an index; None if it has none."""
        if "facts/panel.json" not in generation.manifest.files:
            return None
        facts: Mapping[str, Any] = generation.facts("panel")
        subjects = tuple(facts["subjects"])
        positions = generation.array("positions")
        by_words = WordsWitness.of_generation(generation, len(words.terms), len(subjects))
        learned = generation.arrays.get("learned_positions")
        n_records = len(positions) + (0 if learned is None else len(learned))
        shape = (len(words.terms), n_records, len(subjects))
        counts = np.asarray(by_words.subject_counts)
        near = NeighboursWitness.of_generation(generation, shape, positions, learned)
        names = None
        if "name_starts" in generation.arrays:
            names = NamesWitness.of_generation(generation, words, _name_vectors(generation, shape))
        of_corrections = near.labels[len(positions) :]
        if "panel_head_subjects" in generation.arrays:
            check_numbers(generation, "panel_head_subjects", len(subjects))
        position = PositionWitness(
            generation.array("label_positions"),
            counts - np.bincount(of_corrections.indices, minlength=len(counts)),
            head=Suggester.of_generation(generation, "panel_head"),
            scored=generation.arrays.get("panel_head_subjects"),
        )
        if learned is not None:
            position = position.changed(of_corrections, learned, np.ones(len(learned)))
        panel = cls(
            subjects,
            by_words,
            near,
            position,
            RelativesWitness.of_generation(generation, counts),
            names,
            TreeRanker.of_generation(generation, len(facts["features"])),
            np.asarray(generation.array("subject_thresholds")),
            float(facts["least"]),
            ChoiceRule.from_facts(facts.get("choice")),
            learned=None if learned is None else np.asarray(learned),
        )
        given = {name: column for column, name in enumerate(panel.feature_names)}
        if facts["features"] != list(given):
            panel.columns = np.array([given[name] for name in facts["features"]])
        if "ranker_by_name_roots" in generation.arrays:
            panel.by_name = TreeRanker.of_generation(generation, len(panel.of_names), "ranker_by_name")
        return panel


def favoured(raw: Float64Array, more: float) -> Float64Array:
    """Return log odds of subjects that no record has, with `more` added to small ones, but not above those of .1.

    Such subjects compete with twenty others for the last places of a list, where odds are even, and nothing else finds
    them: many more of them are found at no cost to the list. What is likely keeps its probability.
    """
    return np.maximum(raw, np.minimum(raw + more, np.log(_FAVOURED / (1 - _FAVOURED))))


def _with_columns(matrix: Any, width: int) -> sp.csr_array:
    """Return a matrix with empty columns for further subjects."""
    return sp.csr_array((matrix.data, matrix.indices, matrix.indptr), (matrix.shape[0], width))


def _label_titles(record: Record) -> Mapping[str, str]:
    """Return titles of labels that came with a record, as in Annif's corpora."""
    titles = record.fields.get("label_titles")
    return titles if isinstance(titles, Mapping) else {}


def _name_vectors(generation: Generation, shape: tuple[int, int, int]) -> Any:
    return stored_rows(generation, "name_vector", (shape[0], shape[2]), generation.array("name_vector_values"))


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
