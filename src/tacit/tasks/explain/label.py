"""Explains why a label is suggested for a text, and what is near a label."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from tacit.checks import check_count
from tacit.display import Displayed, Table
from tacit.errors import InputError
from tacit.index import Filters
from tacit.index.witnesses.evidence import TextEvidence, asked_text
from tacit.index.witnesses.panel import Panel
from tacit.relations.taxonomy.names import names_of, related_of
from tacit.tasks.explain.hit import LabelNear, nearest_labels
from tacit.tasks.explain.words import WordPart, listed, place_text, typical_words
from tacit.tasks.label_names import NamedLabel, ancestors_of, find_label, named, subtree, title_of
from tacit.tasks.opened_index import OpenedIndex
from tacit.tasks.search.hits import RecordHit, records_table
from tacit.tasks.search.search import hits_of
from tacit.types import Float32Array

__all__ = ["LabelExplanation", "LabelPlace", "explain_label", "explain_place", "label_position"]


@dataclass(frozen=True, repr=False)
class LabelExplanation(Displayed):
    """Why a label is suggested for a text, or is not.

    Attributes
    ----------
    label, title : str
    probability : float
    threshold : float
        Probability above which the label is accepted.
    chosen : bool
        Whether it is accepted.
    score : float
        From which the probability follows: the sum of the parts of `words`, `offset` and `intercept`.
    words : tuple of WordPart
        All known words of the text, largest part first.
    offset : float
        Part of the offset of the space; 0 for most models.
    intercept : float
        Score without any words; far below 0 for a rare label.
    ancestors : tuple of NamedLabel
        Labels above it, nearest first.
    records : tuple of RecordHit
        Records with the label that are nearest to the text, with cosines.
    reasons : tuple of str
        What the witnesses of the index say.
    by_witnesses : bool
        Whether the index has witnesses. Then `words` has the share of the records of each word that have the label,
        `score` is the sum of the ranker before calibration, and `offset` and `intercept` are 0.
    """

    label: str
    title: str
    probability: float
    threshold: float
    chosen: bool
    score: float
    words: tuple[WordPart, ...]
    offset: float
    intercept: float
    ancestors: tuple[NamedLabel, ...]
    records: tuple[RecordHit, ...]
    reasons: tuple[str, ...] = ()
    by_witnesses: bool = False

    def in_words(self) -> str:
        """Return it in a few sentences."""
        rule = f"its threshold is {self.threshold:.2f}, so it is {'accepted' if self.chosen else 'not accepted'}"
        said = [f"The label {self.title} has the probability {self.probability:.2f}; {rule}."]
        said += [f"{reason[0].upper()}{reason[1:]}." for reason in self.reasons]
        parts = () if self.by_witnesses else self.words
        good = [f"“{word}”" for word, part in parts if part > 0]
        bad = [f"“{word}”" for word, part in reversed(parts) if part < 0]
        if good:
            said.append(f"{listed(good)} {'speaks' if len(good) == 1 else 'speak'} for it.")
        if bad:
            said.append(f"{listed(bad)} {'speaks' if len(bad) == 1 else 'speak'} against it.")
        if self.ancestors:
            said.append(f"It is below {' and '.join(above.title for above in self.ancestors[:2])}.")
        if self.records:
            said.append(f"The nearest record with it is {self.records[0].id}, {self.records[0].title!r}.")
        return " ".join(said)

    def _parts(self) -> Iterator[str | Table]:
        yield self.in_words()
        title = "Share of the records of each word with this label" if self.by_witnesses else "Parts of the score"
        yield Table(("part", "word"), [(part, word) for word, part in self.words], title)
        yield from records_table("Nearest records with this label", self.records)

    def to_facts(self) -> dict[str, Any]:
        """Return it as plain data, as `--json` prints it."""
        return {
            "label": self.label,
            "title": self.title,
            "probability": self.probability,
            "threshold": self.threshold,
            "chosen": self.chosen,
            "in_words": self.in_words(),
            "reasons": list(self.reasons),
            "by_witnesses": self.by_witnesses,
            "score": self.score,
            "words": [word._asdict() for word in self.words],
            "offset": self.offset,
            "intercept": self.intercept,
            "ancestors": [above._asdict() for above in self.ancestors],
            "records": [hit.to_facts() for hit in self.records],
        }


def explain_label(collection: OpenedIndex, text: str, label: str, *, limit: int = 10) -> LabelExplanation:
    """Explain why a label, given by its name or title, is suggested for a text, with at most `limit` records."""
    limit = check_count("limit", limit)
    if collection.panel is not None:
        return _by_witnesses(collection, collection.panel, text, label, limit)
    suggester = collection.suggester
    if suggester is None:
        raise InputError(
            f"{collection.path} has no suggester: got the label {label!r}, expected an index that was built with "
            "labels. Build it with a column of labels."
        )
    label = find_label(collection, label, learned=True)
    column = collection.label_names.index(label)
    placed = place_text(collection, text, "text")
    beside = None if suggester.words is None else suggester.words[:, column]
    parts, offset = placed.parts(collection, suggester.coef[column], beside)
    words = collection.space.words
    assert words is not None  # the text was placed by them
    scores = suggester.scores(placed.position[None], None if beside is None else words.transform([text]))
    limits = suggester.probabilities(np.asarray(suggester.thresholds)[None])[0]
    nearest = collection.positions.nearest(placed.position, limit, filters=Filters(labels=[label]))
    return LabelExplanation(
        label,
        title_of(collection, label),
        float(suggester.probabilities(scores)[0, column]),
        float(limits[column]),
        bool(suggester.chosen(scores)[0, column]),
        float(scores[0, column]),
        tuple(parts),
        offset,
        float(suggester.intercept[column]),
        named(collection, ancestors_of(collection, label)),
        tuple(hits_of(collection, *nearest)),
    )


def _by_witnesses(collection: OpenedIndex, panel: Panel, text: str, name: str, limit: int) -> LabelExplanation:
    """Explain a label by what the witnesses say about the text."""
    label = find_label(collection, name)
    if label not in panel.subjects:
        raise InputError(f"label cannot be suggested: got {name!r}, which no record has, expected a label of records.")
    subject = panel.subjects.index(label)
    words = collection.space.words
    assert words is not None  # witnesses need them
    row, position = words.transform([text]), collection.space.place([text])
    asked = asked_text(panel, row, position, text)
    raw = panel.raw_of(asked, subject)
    assert panel.ranker is not None
    probability = float(panel.ranker.probabilities(np.array([raw]))[0])
    heard = panel.hear(asked)
    ranked = panel.rank(asked, heard)
    threshold = panel.threshold_of(subject, ranked)
    chosen = bool(ranked.chosen[ranked.subject == subject].any())
    evidence = TextEvidence(panel, asked, heard).of(subject)
    nearest = collection.positions.nearest(position[0], limit, filters=Filters(labels=[label]))
    return LabelExplanation(
        label,
        title_of(collection, label),
        probability,
        threshold,
        chosen,
        raw,
        tuple(WordPart(word, share) for word, share in evidence.words),
        0.0,
        0.0,
        named(collection, ancestors_of(collection, label)),
        tuple(hits_of(collection, *nearest)),
        evidence.sentences(),
        by_witnesses=True,
    )


@dataclass(frozen=True, repr=False)
class LabelPlace(Displayed):
    """What is near a label.

    Attributes
    ----------
    label, title : str
    n_records : int
        Number of records with it when the index was fitted; of a label that came later, of those added since.
    words : tuple of str
        Words that move records towards it, strongest first.
    neighbours : tuple of LabelNear
        Other labels by the cosine of their positions, nearest first.
    records : tuple of RecordHit
        The records nearest to it, whether they have the label or not.
    ancestors, children : tuple of NamedLabel
        In the taxonomy, nearest first.
    other_names : tuple of str
        Other names of the label, in the language of the labels.
    related : tuple of NamedLabel
        Labels that the vocabulary relates to it, neither above nor below it.
    """

    label: str
    title: str
    n_records: int
    words: tuple[str, ...]
    neighbours: tuple[LabelNear, ...]
    records: tuple[RecordHit, ...]
    ancestors: tuple[NamedLabel, ...]
    children: tuple[NamedLabel, ...]
    other_names: tuple[str, ...] = ()
    related: tuple[NamedLabel, ...] = ()

    def in_words(self) -> str:
        """Return it in a few sentences."""
        said = [f"{self.title} is the label of {self.n_records:,} record{'' if self.n_records == 1 else 's'}."]
        if not self.n_records:
            where = "; its position is that of the labels below it" if self.records else ", so it has no position"
            said = [f"No record had the label {self.title} itself when the index was fitted{where}."]
        if self.ancestors:
            said.append(f"It is below {' and '.join(above.title for above in self.ancestors[:2])}.")
        if self.words:
            said.append(f"Typical words are {listed(self.words, 5)}.")
        if self.neighbours:
            said.append(f"It is nearest to {listed(near.title for near in self.neighbours)}.")
        return " ".join(said)

    def _parts(self) -> Iterator[str | Table]:
        yield self.in_words()
        yield Table(("cosine", "label"), [(near.cosine, near.title) for near in self.neighbours], "Nearest labels")
        yield from records_table("Nearest records", self.records)

    def to_facts(self) -> dict[str, Any]:
        """Return it as plain data, as `--json` prints it."""
        return {
            "label": self.label,
            "title": self.title,
            "n_records": self.n_records,
            "in_words": self.in_words(),
            "words": list(self.words),
            "neighbours": [near._asdict() for near in self.neighbours],
            "records": [hit.to_facts() for hit in self.records],
            "ancestors": [above._asdict() for above in self.ancestors],
            "children": [below._asdict() for below in self.children],
            "other_names": list(self.other_names),
            "related": [other._asdict() for other in self.related],
        }


def explain_place(collection: OpenedIndex, label: str, *, limit: int = 10) -> LabelPlace:
    """Explain what is near a label, given by its name or title: at most `limit` words, labels and records.

    A node without records is placed at the mean of the labels below it.
    """
    limit = check_count("limit", limit)
    label = find_label(collection, label)
    position = label_position(collection, label)
    words: tuple[str, ...] = ()
    neighbours: tuple[LabelNear, ...] = ()
    records: list[RecordHit] = []
    if position is not None:
        (words,) = typical_words(collection, position[None], limit)
        neighbours = tuple(
            near for near in nearest_labels(collection, position, limit=limit + 1) if near.label != label
        )[:limit]
        records = hits_of(collection, *collection.positions.nearest(position, limit))
    taxonomy, names = collection.taxonomy, collection.label_names
    return LabelPlace(
        label,
        title_of(collection, label),
        int(collection.label_counts[names.index(label)]) if label in names else len(collection.added_with(label)),
        words,
        neighbours,
        tuple(records),
        named(collection, ancestors_of(collection, label)),
        named(collection, taxonomy.children(label)) if taxonomy is not None and label in taxonomy else (),
        *_names_and_related(collection, label),
    )


def _names_and_related(collection: OpenedIndex, label: str) -> tuple[tuple[str, ...], tuple[NamedLabel, ...]]:
    vocabulary = collection.vocabulary
    if vocabulary is None or label not in vocabulary:
        return (), ()
    names = names_of(vocabulary, label, vocabulary.language or None)
    others = tuple(name.text for name in names if name.kind in ("other", "notation"))
    return others, named(collection, related_of(vocabulary, label))


def label_position(collection: OpenedIndex, label: str) -> Float32Array | None:
    """Return the position of a label; for a node without records the mean of the labels below it, by their records.

    A label that came after the last fit is at the mean of its records.
    """
    positions, names = collection.label_positions, collection.label_names
    if label in collection.new_labels():
        return np.asarray(collection.positions.of(collection.added_with(label)).mean(axis=0), np.float32)
    if positions is None:
        return None
    if label in names:
        return np.asarray(positions[names.index(label)])
    below = {label} if collection.taxonomy is None else set(subtree(collection, label))
    rows = [row for row, name in enumerate(names) if name in below]
    if not rows:
        return None
    counts = collection.label_counts[rows]
    return np.asarray(counts @ positions[rows] / counts.sum(), np.float32)
