"""scikit-learn's TF-IDF vectoriser with settings that suit latent semantic indexing."""

from __future__ import annotations

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer

__all__ = ["vectoriser"]


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
