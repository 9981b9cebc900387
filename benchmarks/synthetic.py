"""RCV1-like collections with planted topics, of any size, made in seconds.

A record has one to three of the topics, some of which are ten times as common as others. Half of its words come from a
Zipf background over all terms, half from its topics, each a Zipf law over its own 2,000 terms. Counts are weighted with
log tf and idf and rows scaled to unit length, as in RCV1.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

__all__ = ["planted_topics"]


def planted_topics(
    n_records: int,
    *,
    n_terms: int = 47_236,
    n_topics: int = 100,
    words_per_record: int = 79,
    dtype: type = np.float32,
    seed: int = 0,
) -> tuple[sp.csr_array, sp.csr_array]:
    """Give (X, Y): TF-IDF rows (about 76 terms each at the default size) and the topics of each record."""
    rng = np.random.default_rng(seed)
    topic_terms = np.stack([rng.choice(n_terms, min(2000, n_terms), replace=False) for _ in range(n_topics)])
    background, topical = _zipf_sampler(n_terms, rng), _zipf_sampler(topic_terms.shape[1], rng)

    topics_of = _zipf_sampler(n_topics, rng)((n_records, 3))
    n_of = rng.integers(1, 4, size=n_records)
    has = np.arange(3) < n_of[:, None]
    rows = np.repeat(np.arange(n_records), 3)[has.ravel()]
    Y = sp.csr_array((np.ones(rows.size, dtype), (rows, topics_of[has])), shape=(n_records, n_topics))
    Y.data[:] = 1  # a topic drawn twice is one topic

    blocks = []
    for start in range(
        0, n_records, 20_000
    ):  # in blocks, so that making the data needs little more memory than keeping it
        stop = min(n_records, start + 20_000)
        n = stop - start
        word_topic = topics_of[
            np.arange(start, stop)[:, None], rng.integers(0, n_of[start:stop, None], (n, words_per_record))
        ]
        terms = np.where(
            rng.random((n, words_per_record)) < 0.5,
            background((n, words_per_record)),
            topic_terms[word_topic, topical((n, words_per_record))],
        )
        indptr = np.arange(0, terms.size + 1, words_per_record, dtype=np.int32)
        counts = sp.csr_array((np.ones(terms.size, dtype), terms.ravel().astype(np.int32), indptr), shape=(n, n_terms))
        counts.sum_duplicates()
        blocks.append(counts)
    return _tfidf(_stack_rows(blocks), dtype), Y


def _zipf_sampler(n_items: int, rng: np.random.Generator) -> Callable[[Any], np.ndarray]:
    cumulative = np.cumsum(1.0 / (np.arange(n_items) + 10.0))
    order = rng.permutation(n_items)
    return lambda size: order[np.searchsorted(cumulative, rng.random(size) * cumulative[-1])]


def _stack_rows(blocks: list[sp.csr_array]) -> sp.csr_array:
    X = sp.vstack(blocks, format="csr")
    X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    return X


def _tfidf(counts: sp.csr_array, dtype: type) -> sp.csr_array:
    idf = np.log(counts.shape[0] / np.maximum(1, np.bincount(counts.indices, minlength=counts.shape[1])))
    counts.data = ((1 + np.log(counts.data)) * idf[counts.indices]).astype(dtype)
    lengths = np.sqrt(np.add.reduceat(counts.data.astype(np.float64) ** 2, counts.indptr[:-1]))
    counts.data /= np.repeat(lengths, np.diff(counts.indptr)).astype(dtype)
    return counts
