"""Why this label: which words of a text speak for it and against it, and the records that taught it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tacit.checks import check_count
from tacit.errors import InputError
from tacit.index import Filters
from tacit.tasks.explain.words import WordPart, listed, place_text
from tacit.tasks.label_names import NamedLabel, ancestors_of, find_label, named, title_of
from tacit.tasks.search.hits import RecordHit
from tacit.tasks.search.search import hits_of

if TYPE_CHECKING:
    from tacit.tasks.collection import Collection

__all__ = ["LabelExplanation", "explain_label"]


@dataclass(frozen=True)
class LabelExplanation:
    """Why a label is suggested for a text, or is not.

    Attributes
    ----------
    label, title : str
    probability : float
    threshold : float
        The probability above which the label says yes.
    chosen : bool
        Whether it says yes.
    score : float
        What the probability is made from: the sum of the parts of `words`, of `offset` and of `intercept`.
    words : tuple of WordPart
        Every known word of the text, the one that speaks most for the label first.
    offset : float
        What the centre of the space adds; 0 for most models.
    intercept : float
        Where the score starts, whatever the text; far below 0 for a rare label.
    ancestors : tuple of NamedLabel
        What lies above it, the nearest first.
    records : tuple of RecordHit
        Records with the label that are nearest to the text, with their cosines.
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

    def in_words(self) -> str:
        """Say it in a few sentences."""
        rule = f"its own threshold is {self.threshold:.2f}, so it says {'yes' if self.chosen else 'no'}"
        said = [f"The label {self.title} has the probability {self.probability:.2f}; {rule}."]
        good = [f"“{word}”" for word, part in self.words if part > 0]
        bad = [f"“{word}”" for word, part in reversed(self.words) if part < 0]
        if good:
            said.append(f"{listed(good)} {'speaks' if len(good) == 1 else 'speak'} for it.")
        if bad:
            said.append(f"{listed(bad)} {'speaks' if len(bad) == 1 else 'speak'} against it.")
        if self.ancestors:
            said.append(f"It lies below {' and '.join(above.title for above in self.ancestors[:2])}.")
        if self.records:
            said.append(f"The nearest record with it is {self.records[0].id}, {self.records[0].title!r}.")
        return " ".join(said)

    def to_facts(self) -> dict[str, Any]:
        """Give it as plain data, as `--json` prints it."""
        return {
            "label": self.label,
            "title": self.title,
            "probability": self.probability,
            "threshold": self.threshold,
            "chosen": self.chosen,
            "in_words": self.in_words(),
            "score": self.score,
            "words": [word._asdict() for word in self.words],
            "offset": self.offset,
            "intercept": self.intercept,
            "ancestors": [above._asdict() for above in self.ancestors],
            "records": [hit.to_facts() for hit in self.records],
        }


def explain_label(collection: Collection, text: str, label: str, *, limit: int = 10) -> LabelExplanation:
    """Say why a label is suggested for a text, or is not.

    Parameters
    ----------
    collection : an open index with a suggester
    text : str
    label : str
        Its name, or its title in the taxonomy.
    limit : int, default 10
        Most records.
    """
    limit = check_count("limit", limit)
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
    nearest = collection.live.nearest(placed.position, limit, filters=Filters(labels=[label]))
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
