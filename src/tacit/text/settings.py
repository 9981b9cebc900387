"""The settings that turn texts into words, as plain data that an index stores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

from tacit.checks import check_choice, check_count
from tacit.errors import InputError

__all__ = ["TextSettings"]


@dataclass(frozen=True)
class TextSettings:
    """How texts are split into words, and which words are kept.

    Parameters
    ----------
    language : str, default "english"
        Language of the texts by its English name, for stop words and stems. "none" for several or other languages.
    stem : bool, default False
        Whether to reduce words to their stems (Snowball), so that "indexes" and "indexing" are one word. Useful for
        languages with many endings; needs `pip install 'tacit[languages]'`.
    stop_words : "language", "none" or sequence of str, default "language"
        Words to leave out: those of the language, none, or the given ones.
    ngrams : int, default 1
        Length of the longest phrases to count; 2 counts pairs of adjacent words as well as single words.
    min_records : int or float, default 2
        Leave out words in fewer records (a share if a float): a word in one record only does not relate it to others.
    max_share : float, default 1.0
        Leave out words in a larger share of the records.
    max_terms : int, optional
        Maximum number of words; the most frequent ones are kept.

    Examples
    --------
    >>> TextSettings(language="finnish", stem=True).to_facts()["language"]
    'finnish'
    """

    language: str = "english"
    stem: bool = False
    stop_words: str | Sequence[str] = "language"
    ngrams: int = 1
    min_records: int | float = 2
    max_share: float = 1.0
    max_terms: int | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.language, str) or not self.language:
            raise InputError(f"language is not a name: got {self.language!r}, expected one such as 'german' or 'none'.")
        object.__setattr__(self, "language", self.language.lower())
        if isinstance(self.stop_words, str):
            check_choice("stop_words", self.stop_words, ("language", "none"))
        else:
            object.__setattr__(self, "stop_words", tuple(str(word) for word in self.stop_words))
        check_count("ngrams", self.ngrams)
        for name in ("min_records", "max_share"):
            value = getattr(self, name)
            is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
            if not is_number or value < 0 or (isinstance(value, float) and value > 1):
                raise InputError(
                    f"{name} is out of range: got {value!r}, expected a whole number or a share from 0.0 to 1.0."
                )
        if self.max_terms is not None:
            check_count("max_terms", self.max_terms)
        if self.stem and self.language == "none":
            raise InputError("stem needs a language: got `language='none'`, expected a name such as 'german'.")

    def to_facts(self) -> dict[str, Any]:
        """Return the settings as plain data."""
        facts = asdict(self)
        return {**facts, "stop_words": self.stop_words if isinstance(self.stop_words, str) else list(self.stop_words)}

    @classmethod
    def from_facts(cls, facts: Mapping[str, Any]) -> TextSettings:
        """Return the settings of `to_facts`; missing ones have their defaults."""
        known = {field.name for field in fields(cls)}
        unknown = [name for name in facts if name not in known]
        if unknown:
            raise InputError(f"text settings are unknown: got {unknown[0]!r}, expected some of {sorted(known)}.")
        return cls(**facts)
