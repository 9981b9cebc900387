"""The words of a collection with their weights, and texts as sparse vectors of them.

    x_t = (1 + log n_t) · (1 + log((1 + N) / (1 + N_t))),  scaled to unit length

n_t is the number of occurrences of term t in the text, N_t the number of the N records that contain it. scikit-learn
counts the terms of a collection; a query becomes a vector without it, since importing it takes longer than the search.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any
from unicodedata import combining, normalize

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from tacit.errors import InputError
from tacit.text.analysis import Analyser, stop_words_of
from tacit.text.settings import TextSettings
from tacit.types import Array, Float32Array

if TYPE_CHECKING:
    from sklearn.feature_extraction.text import TfidfVectorizer

__all__ = ["Words", "no_words", "vectoriser", "without_accents"]


class Words:
    """Terms with their weights; made by `Words.fit` or read from an index.

    Attributes
    ----------
    settings : TextSettings
    terms : list of str, by column
    weights : (n_terms,) float32, the inverse document frequency of each

    Examples
    --------
    >>> words, X = Words.fit(["A cat sat on the mat.", "The mat_2 and the cat!"], TextSettings())
    >>> words.terms, X.shape
    (['cat', 'mat'], (2, 2))
    """

    def __init__(self, settings: TextSettings, stop_words: Sequence[str], terms: Sequence[str], weights: Array) -> None:
        if len(terms) != len(weights):
            raise InputError(f"weights does not match terms: got {len(weights)} for {len(terms)} terms.")
        self.settings, self.terms = settings, list(terms)
        self.weights = np.asarray(weights, np.float32)
        self.analyse = Analyser(settings, stop_words)
        self._columns = {term: column for column, term in enumerate(self.terms)}

    @classmethod
    def fit(cls, texts: Iterable[str], settings: TextSettings | None = None) -> tuple[Words, sp.csr_array]:
        """Learn the terms of texts; return them, and the texts as rows of unit length in float32."""
        from sklearn.feature_extraction.text import TfidfVectorizer

        settings = settings or TextSettings()
        analyse = Analyser(settings, stop_words_of(settings))
        counter = TfidfVectorizer(
            analyzer=analyse,
            sublinear_tf=True,
            dtype=np.float32,
            min_df=settings.min_records,
            max_df=settings.max_share,
            max_features=settings.max_terms,
        )
        try:
            X = counter.fit_transform(texts)
        except ValueError as error:
            few = "df" in str(error)  # scikit-learn's names of what is too few or too many
            raise no_words("no word is in enough records" if few else str(error)) from error
        words = cls(settings, tuple(analyse.stop_words), counter.get_feature_names_out().tolist(), counter.idf_)
        return words, sp.csr_array(X)

    @classmethod
    def none(cls, settings: TextSettings | None = None) -> Words:
        """Return an empty vocabulary, for records without any text."""
        settings = settings or TextSettings()
        return cls(settings, tuple(stop_words_of(settings)), (), np.empty(0, np.float32))

    @classmethod
    def from_counts(
        cls,
        settings: TextSettings,
        stop_words: Sequence[str],
        terms: Sequence[str],
        record_counts: npt.ArrayLike,
        n_records: int,
    ) -> Words:
        """Return the words with the weights that `fit` would learn, from the number of records of each term."""
        counts = np.asarray(record_counts).astype(np.float32)
        return cls(settings, stop_words, terms, np.log(np.float32(n_records + 1) / (counts + 1)) + np.float32(1))

    @property
    def columns(self) -> Mapping[str, int]:
        """The column of each term."""
        return self._columns

    @cached_property
    def key(self) -> Callable[[str], str]:
        """Returns what is the same for all forms of a single word: its stem without accents."""
        return lru_cache(maxsize=100_000)(self._key)

    def _key(self, word: str) -> str:
        stems = self.analyse.single_words(word)
        return without_accents(stems[0] if len(stems) == 1 else word)

    def transform(self, texts: Iterable[str]) -> sp.csr_array:
        """Return texts as rows of unit length; a text without known words has an empty row."""
        indices, values, ends = [], [], [0]
        for text in texts:
            columns, weights = self.row(text)
            indices.append(columns)
            values.append(weights)
            ends.append(ends[-1] + len(columns))
        data = np.concatenate(values) if values else np.empty(0, np.float32)
        places = np.concatenate(indices) if indices else np.empty(0, np.int32)
        return sp.csr_array((data, places, np.array(ends)), shape=(len(ends) - 1, len(self.terms)))

    def row(self, text: str) -> tuple[npt.NDArray[np.int32], Float32Array]:
        """Return the columns of one text, ascending, and its weights, to the last bit those that a build gives it."""
        counts = Counter(self.analyse(text))
        known = sorted((self._columns[term], count) for term, count in counts.items() if term in self._columns)
        columns = np.array([column for column, _ in known], np.int32)
        weights = (np.log(np.array([count for _, count in known], np.float32)) + np.float32(1)) * self.weights[columns]
        length = math.sqrt(np.sum(weights * weights, dtype=np.float64))  # scikit-learn also sums and divides in double
        return columns, np.divide(weights, length or 1, dtype=np.float64).astype(np.float32)

    def record_count(self, term: str, n_records: int) -> int:
        """Return in how many of the `n_records` records that were counted a term stands; 0 if it is not known."""
        column = self._columns.get(term)
        return 0 if column is None else round((n_records + 1) * math.exp(1 - float(self.weights[column])) - 1)

    def to_facts(self) -> dict[str, Any]:
        """Return everything but the weights as plain data."""
        facts = {"settings": self.settings.to_facts(), "stop_words": sorted(self.analyse.stop_words)}
        return {**facts, "terms": self.terms}

    @classmethod
    def from_facts(cls, facts: Mapping[str, Any], weights: Array) -> Words:
        """Return the words of `to_facts` and the weights."""
        return cls(TextSettings.from_facts(facts["settings"]), facts["stop_words"], facts["terms"], weights)


def without_accents(word: str) -> str:
    """Return a word in lower case, without accents."""
    lower = word.lower()
    if lower.isascii():
        return lower
    return "".join(letter for letter in normalize("NFKD", lower) if not combining(letter))


def no_words(reason: str) -> InputError:
    """Return the error for texts without words."""
    return InputError(
        f"the texts have no words to index: {reason}. Check that the right columns are read as text, and that "
        "min_records, max_share and stop_words leave some words."
    )


def vectoriser(
    *,
    min_df: int | float = 2,
    max_df: int | float = 1.0,
    max_features: int | None = None,
    ngram_range: tuple[int, int] = (1, 1),
    stop_words: str | list[str] | None = "english",
) -> TfidfVectorizer:
    """Return a TF-IDF vectoriser of scikit-learn with good defaults.

    Counts enter as 1 + log(count), since the tenth occurrence of a word says less than the second; rows have unit
    length, so that long records do not dominate the space; a word is a run of at least two letters of any alphabet,
    so `read_text2` is "read" and "text".

    Parameters
    ----------
    min_df : int or float, default 2
        Drop words in fewer records (a share if a float): a word in one record only does not relate it to others.
    max_df : int or float, default 1.0
        Drop words in more records (a share if a float).
    max_features : int, optional
        Maximum number of words; the most frequent ones are kept.
    ngram_range : (int, int), default (1, 1)
        Lengths of phrases to count; (1, 2) counts words and pairs of adjacent words.
    stop_words : "english", list of str or None, default "english"
        Words to leave out; None for other languages.

    Returns
    -------
    sklearn.feature_extraction.text.TfidfVectorizer
        Not fitted; its `fit_transform` returns a CSR matrix of float32.

    Examples
    --------
    >>> vectoriser().fit(["The cat sat on a mat.", "The mat_2 and the cat!"]).get_feature_names_out().tolist()
    ['cat', 'mat']
    """
    from sklearn.feature_extraction.text import TfidfVectorizer

    return TfidfVectorizer(
        token_pattern=r"[^\W\d_]{2,}",
        sublinear_tf=True,
        norm="l2",
        dtype=np.float32,
        min_df=min_df,
        max_df=max_df,
        max_features=max_features,
        ngram_range=ngram_range,
        stop_words=stop_words,
    )
