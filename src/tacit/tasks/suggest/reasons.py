"""Why a subject is suggested: what the witnesses of an index have seen, in sentences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tacit.index.witnesses.asked import AskedTexts
from tacit.index.witnesses.names import NameMatch
from tacit.index.witnesses.panel import Panel

__all__ = ["Evidence", "TextEvidence", "asked_text"]

_WORDS = 3
_TELLING = 0.02  # share of the records of a word from which it is named as a reason


@dataclass(frozen=True)
class Evidence:
    """What speaks for one subject of a text.

    Attributes
    ----------
    name : str, the name of the subject that stands in the text; "" if none does
    name_is_early : bool, whether it stands in the first fifth of the text
    n_near, n_compared : int, how many of the records with the most similar words have the subject
    words : words of the text and the share of their records that have the subject, the largest first
    goes_with : bool, whether it often goes with subjects of the similar records
    n_records : int, records that have the subject
    """

    name: str = ""
    name_is_early: bool = False
    n_near: int = 0
    n_compared: int = 0
    words: tuple[tuple[str, float], ...] = ()
    goes_with: bool = False
    n_records: int = 0

    def sentences(self) -> tuple[str, ...]:
        """Return the reasons, the most telling first."""
        said = []
        if self.name:
            where = "at the beginning of the text" if self.name_is_early else "in the text"
            said.append(f"its name “{self.name}” stands {where}")
        if self.n_near:
            verb = "has" if self.n_near == 1 else "have"
            said.append(f"{self.n_near} of the {self.n_compared} most similar records {verb} it")
        telling = [word for word, share in self.words if share >= _TELLING][:_WORDS]
        if telling:
            quoted = ", ".join(f"“{word}”" for word in telling)
            said.append(f"the {'word' if len(telling) == 1 else 'words'} {quoted} often stood in its records")
        if self.goes_with:
            said.append("it often goes with subjects of similar records")
        if not self.n_records:
            said.append("no record has it yet")
        return tuple(said)

    def to_facts(self) -> dict[str, Any]:
        """Return the evidence as plain data."""
        return {
            "name": self.name,
            "similar_records": self.n_near,
            "of": self.n_compared,
            "words": [{"word": word, "share": round(share, 4)} for word, share in self.words],
            "records": self.n_records,
            "sentences": list(self.sentences()),
        }


class TextEvidence:
    """What the witnesses say about one text, asked once for all its subjects."""

    def __init__(self, panel: Panel, asked: AskedTexts) -> None:
        self._panel, self._asked = panel, asked
        self._near = panel.neighbours.hear(asked)
        self._related = panel.relatives.hear_after(asked, self._near.share)
        self._names: dict[int, NameMatch] = {}
        if panel.names is not None and asked.texts is not None:
            self._names = {match.subject: match for match in panel.names.matches(asked.texts[0])}

    def of(self, subject: int) -> Evidence:
        """Return what speaks for a subject."""
        panel, match = self._panel, self._names.get(subject)
        words: list[tuple[str, float]] = []
        if panel.names is not None and subject < len(panel.words.subject_counts):
            terms = panel.names.words.terms
            telling = panel.words.telling_words(self._asked.rows, subject, 2 * _WORDS)
            words = [(terms[column], share) for column, share in telling]
        counts = panel.relatives.counts
        return Evidence(
            name="" if match is None or panel.names is None else panel.names.found_name(match, self._asked.texts),
            name_is_early=match is not None and match.first < 0.2 and len(self._asked.rows.indices) > 10,
            n_near=int(self._near.count[0, subject]),
            n_compared=int(self._near.cosines.nnz),
            words=tuple(words),
            goes_with=bool(self._related.together[0, subject] > 0.1),
            n_records=int(counts[subject]) if subject < len(counts) else 0,
        )


def asked_text(panel: Panel, row: Any, position: Any, text: str | None) -> AskedTexts:
    """Return one text to ask about."""
    texts = None if text is None else [text]
    return AskedTexts(row, np.asarray(position, np.float32).reshape(1, -1), len(panel.subjects), texts)
