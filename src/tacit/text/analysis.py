"""Split a text into words: lower case, without stop words, optionally stemmed and joined to phrases."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterable
from functools import lru_cache

from tacit.errors import InputError, MissingExtraError, did_you_mean
from tacit.text.settings import TextSettings

__all__ = ["Analyser", "stemmer", "stop_words_of"]

_WORD = re.compile(r"[^\W\d_]{2,}")  # runs of at least two letters of any alphabet
_ANY_WORD = re.compile(r"[^\W_]+")  # also single letters and numbers


class Analyser:
    """Splits texts into terms; stop words are left out before stemming and joining."""

    def __init__(self, settings: TextSettings, stop_words: Iterable[str]) -> None:
        self.stop_words = frozenset(stop_words)
        self._longest = settings.ngrams
        self._stem = _needed_stemmer(settings.language) if settings.stem else None

    def __call__(self, text: str) -> list[str]:
        """Return the terms of a text in order, with repetitions; phrases come after the words."""
        words = self.single_words(text)
        if self._longest == 1:
            return words
        return words + [
            " ".join(words[start : start + n])
            for n in range(2, self._longest + 1)
            for start in range(len(words) - n + 1)
        ]

    def single_words(self, text: str) -> list[str]:
        """Return the words of a text in order, without phrases."""
        words = self.plain_words(text)
        return words if self._stem is None else [self._stem(word) for word in words]

    def plain_words(self, text: str) -> list[str]:
        """Return the words of a text in order as they are written, in lower case."""
        return [word for word in _WORD.findall(text.lower()) if word not in self.stop_words]

    def all_words(self, text: str) -> tuple[list[str], list[str]]:
        """Return all words of a text, also stop words, single letters and numbers: stemmed, and as they are written."""
        written = _ANY_WORD.findall(text.lower())
        return (written if self._stem is None else [self._stem(word) for word in written]), written

    def is_counted(self, word: str) -> bool:
        """Whether a word as it is written is no stop word, no single letter and no number."""
        return word not in self.stop_words and _WORD.fullmatch(word) is not None


def stop_words_of(settings: TextSettings) -> tuple[str, ...]:
    """Return the words that the settings leave out."""
    if not isinstance(settings.stop_words, str):
        return tuple(word.lower() for word in settings.stop_words)
    if settings.stop_words == "none" or settings.language == "none":
        return ()
    if settings.language == "english":
        from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

        return tuple(sorted(ENGLISH_STOP_WORDS))
    try:
        import stop_words
    except ImportError as error:
        raise MissingExtraError("stop-words", "languages", f"Stop words of {settings.language}") from error
    known = sorted(stop_words.LANGUAGE_MAPPING.values())
    if settings.language not in known:
        raise InputError(
            f"language has no list of stop words: got {settings.language!r}, expected one such as 'german' or "
            f"'french'.{did_you_mean(settings.language, known, f'There are {len(known)}.')} Set stop_words to 'none' "
            "or to a list of words."
        )
    return tuple(sorted(stop_words.get_stop_words(settings.language)))


@lru_cache(maxsize=8)
def stemmer(language: str) -> Callable[[str], str] | None:
    """Return a function from a word to its stem (Snowball), with a cache; None for a language without a stemmer."""
    try:
        import snowballstemmer
    except ImportError as error:
        raise MissingExtraError("snowballstemmer", "languages", "Stemming") from error
    if language not in snowballstemmer.algorithms():
        return None
    made, turn = snowballstemmer.stemmer(language), threading.Lock()

    def stem(word: str) -> str:
        with turn:  # a stemmer in Python keeps the word that it is at
            return str(made.stemWord(word))

    return lru_cache(maxsize=200_000)(stem)


def _needed_stemmer(language: str) -> Callable[[str], str]:
    found = stemmer(language)
    if found is None:
        import snowballstemmer

        known = ", ".join(sorted(snowballstemmer.algorithms()))
        raise InputError(f"language has no stemmer: got {language!r}, expected one of {known}. Leave out `stem`.")
    return found
