"""Why a subject is suggested: what the witnesses of an index have seen, in sentences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tacit.index.witnesses.asked import AskedTexts
from tacit.index.witnesses.names import NameMatch, NamesWitness
from tacit.index.witnesses.panel import Heard, Panel
from tacit.index.witnesses.words import TellingWords

__all__ = ["Evidence", "TextEvidence", "asked_text"]

_WORDS = 3
_TELLING = 0.02  # share of the records of a word from which it is named as a reason


@dataclass(frozen=True)
class Evidence:
    """What speaks for one subject of a text.

    Attributes
    ----------
    name : str, the name of the subject that stands in the text; "" if none does
    name_words : words of the text that its name has too, if the whole name does not stand in the text
    name_is_early : bool, whether it stands in the first fifth of the text
    alike_words : words of the text that begin as words of its name do, if it has none of its words
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
    name_words: tuple[str, ...] = ()
    alike_words: tuple[str, ...] = ()

    def sentences(self) -> tuple[str, ...]:
        """Return the reasons, the most telling first."""
        said = []
        if self.name:
            where = "at the beginning of the text" if self.name_is_early else "in the text"
            said.append(f"its name “{self.name}” stands {where}")
        elif self.name_words:
            said.append(f"its name shares {_quoted(self.name_words[:_WORDS])} with the text")
        elif self.alike_words:
            said.append(f"its name has a word like {_quoted(self.alike_words[:_WORDS])}")
        if self.n_near:
            verb = "has" if self.n_near == 1 else "have"
            said.append(f"{self.n_near} of the {self.n_compared} most similar records {verb} it")
        telling = [word for word, share in self.words if share >= _TELLING][:_WORDS]
        if telling:
            said.append(f"the {'word' if len(telling) == 1 else 'words'} {_quoted(telling)} often stood in its records")
        if self.goes_with:
            said.append("it often goes with subjects of similar records")
        if not self.n_records:
            said.append("no record has it yet")
        return tuple(said)

    def to_facts(self) -> dict[str, Any]:
        """Return the evidence as plain data."""
        return {
            "name": self.name,
            "name_words": list(self.name_words),
            "alike_words": list(self.alike_words),
            "similar_records": self.n_near,
            "of": self.n_compared,
            "words": [{"word": word, "share": round(share, 4)} for word, share in self.words],
            "records": self.n_records,
            "sentences": list(self.sentences()),
        }


def _quoted(words: Sequence[str]) -> str:
    return ", ".join(f"“{word}”" for word in words)


class TextEvidence:
    """What the witnesses said about one text, for any of its subjects.

    Parameters
    ----------
    panel : Panel
    asked : the block of texts that the witnesses were asked about
    heard : what they said
    place : int, default 0
        Which of the texts.
    """

    def __init__(self, panel: Panel, asked: AskedTexts, heard: Heard, place: int = 0) -> None:
        self._panel, self._heard, self._place = panel, heard, place
        self._columns = asked.rows.indices[asked.rows.indptr[place] : asked.rows.indptr[place + 1]]
        self._texts = None if asked.texts is None else [asked.texts[place]]
        self._names: dict[int, NameMatch] = {}
        if heard.names is not None and self._texts is not None:
            self._names = {match.subject: match for match in heard.names.matches[place]}
        self._n_compared = int(np.diff(heard.near.cosines.indptr)[place])
        self._telling = TellingWords(panel.words, self._columns)
        self._written = _as_written(panel.names, self._texts)

    def of(self, subject: int) -> Evidence:
        """Return what speaks for a subject."""
        panel, match = self._panel, self._names.get(subject)
        words: list[tuple[str, float]] = []
        if panel.names is not None and subject < len(panel.words.subject_counts):
            words = [(self._word(column), share) for column, share in self._telling.of(subject, 2 * _WORDS)]
        counts = panel.relatives.counts
        shared = () if match is not None else self._name_words(subject)
        only_alike = panel.names is not None and match is None and not shared
        return Evidence(
            name="" if match is None or panel.names is None else panel.names.found_name(match, self._texts),
            name_is_early=match is not None and match.first < 0.2 and len(self._columns) > 10,
            n_near=int(self._heard.near.count[self._place, subject]),
            n_compared=self._n_compared,
            words=tuple(words),
            goes_with=bool(self._heard.relatives.together[self._place, subject] > 0.1),
            n_records=int(counts[subject]) if subject < len(counts) else 0,
            name_words=shared,
            alike_words=tuple(panel.names.alike_words(subject, self._texts)) if panel.names and only_alike else (),
        )

    def _word(self, column: int) -> str:
        """Return a term as it is written in the text: a stem is not a word."""
        assert self._panel.names is not None
        term = self._panel.names.words.terms[column]
        return " ".join(self._written.get(part, part) for part in term.split(" "))

    def _name_words(self, subject: int) -> tuple[str, ...]:
        """Return the words of the text that the name of a subject has too."""
        names = self._panel.names
        if names is None or subject >= names.vectors.shape[1]:
            return ()
        of_name = names.words_of(subject)
        shared = [self._word(column) for column in self._columns.tolist() if column in of_name]
        unknown = names.unknown_words(subject, self._texts)  # no record has them, or one
        return (*unknown, *shared)


def _as_written(names: NamesWitness | None, texts: Sequence[str] | None) -> dict[str, str]:
    """Return the words of the first text as they are written there, by their stems; the first form of each counts."""
    if names is None or not texts:
        return {}
    analyse = names.words.analyse
    both = zip(analyse.single_words(texts[0]), analyse.plain_words(texts[0]), strict=True)
    return dict(reversed(list(both)))


def asked_text(panel: Panel, row: Any, position: Any, text: str | None) -> AskedTexts:
    """Return one text to ask about."""
    texts = None if text is None else [text]
    return AskedTexts(row, np.asarray(position, np.float32).reshape(1, -1), len(panel.subjects), texts)
