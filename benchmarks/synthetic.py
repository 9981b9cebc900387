"""Collections and relations with planted topics, of any size, made in seconds.

`planted_topics` is like RCV1. A record has one to three of the topics, some of which are ten times as common as others.
Half of its words come from a Zipf background over all terms, half from its topics, each a Zipf law over its own 2,000
terms. Counts are weighted with log tf and idf and rows scaled to unit length, as in RCV1.

`planted_relations` is like a shop or a library with readers. A user, item, word or tag has one topic. A few users have
hundreds of times as many links as others (a log-normal law); half of the links stay within the topic, half lead
anywhere, in both cases to some objects far more often than to others (a Zipf law).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import scipy.sparse as sp

__all__ = ["RELATIONS", "Blocks", "planted_relations", "planted_topics"]

Blocks = dict[tuple[str, str], sp.csr_array]

RELATIONS = {
    ("user", "item"): 0.6,
    ("item", "word"): 0.2,
    ("item", "tag"): 0.1,
    ("user", "tag"): 0.1,
}  # shares of links


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


def planted_relations(
    sizes: Mapping[str, int], n_links: int, *, n_topics: int = 100, dtype: type = np.float32, seed: int = 0
) -> tuple[Blocks, dict[str, np.ndarray]]:
    """Give the TF-IDF matrices of `RELATIONS`, which have `n_links` non-zeros together, and each object's topic."""
    rng = np.random.default_rng(seed)
    draw = _zipf_sampler(n_topics, rng)  # one for all types: a topic that many users like has many items
    topics = {kind: draw(size) for kind, size in sizes.items()}
    blocks = {
        (row, column): _tfidf(_links(topics[row], topics[column], round(share * n_links), dtype, rng), dtype)
        for (row, column), share in RELATIONS.items()
    }
    return blocks, topics


def _links(rows: np.ndarray, columns: np.ndarray, n_links: int, dtype: type, rng: np.random.Generator) -> sp.csr_array:
    """Link objects of these topics until so many pairs are linked, each row at least once; give how often each is."""
    reach = _Reach(columns, max(rows.max(), columns.max()) + 1, rng)
    activity = rng.lognormal(sigma=1.0, size=rows.size)
    activity /= activity.sum()
    links, n_of = sp.csr_array((rows.size, columns.size), dtype=dtype), np.ones(rows.size, int)
    while n_of.any():
        who = np.repeat(np.arange(rows.size, dtype=np.int32), n_of)
        whom = reach.draw(rows[who]).astype(np.int32)
        links = links + sp.csr_array((np.ones(who.size, dtype), (who, whom)), shape=links.shape)
        n_of = rng.multinomial(max(0, n_links - links.nnz), activity)  # as many as are missing, since some pairs recur
    return links


class _Reach:
    """Draws whom a link leads to, by the topic of where it comes from."""

    def __init__(self, topics: np.ndarray, n_topics: int, rng: np.random.Generator) -> None:
        self.rng, self.anybody = rng, rng.permutation(topics.size)
        self.by_topic = np.argsort(topics, kind="stable")
        self.counts = np.bincount(topics, minlength=n_topics)
        self.starts = np.cumsum(self.counts) - self.counts

    def draw(self, topics: np.ndarray) -> np.ndarray:
        """Give an object a topic, half of them of this topic; where it has none, any object will do."""
        n_alike = self.counts[topics]
        alike = self.by_topic[(self.starts[topics] + self._rank(n_alike)) % self.by_topic.size]
        anybody = self.anybody[self._rank(np.full(topics.size, self.anybody.size))]
        return np.where((self.rng.random(topics.size) < 0.5) & (n_alike > 0), alike, anybody)

    def _rank(self, sizes: np.ndarray) -> np.ndarray:
        """Draw from 0 ... size - 1 with density 1 / (rank + 10): the Zipf law of `_zipf_sampler` for many sizes."""
        ranks = 10 * ((1 + sizes / 10) ** self.rng.random(sizes.size) - 1)
        return np.minimum(ranks.astype(np.int64), np.maximum(sizes - 1, 0))


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
