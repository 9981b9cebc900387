"""A collection made from known topics, for tests of every room."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp


@dataclass(frozen=True)
class Planted:
    """A collection made from known topics.

    Attributes
    ----------
    X : records x terms, sparse counts; the first `n_training` rows are for training, the rest are new records
    Y : records x topics, 0/1; a record has one to three topics
    terms_of : for each topic the columns that its words come from
    """

    X: sp.csr_array
    Y: sp.csr_array
    terms_of: list[np.ndarray]
    n_training: int

    @property
    def training(self) -> tuple[sp.csr_array, sp.csr_array]:
        return self.X[: self.n_training], self.Y[: self.n_training]

    @property
    def new(self) -> tuple[sp.csr_array, sp.csr_array]:
        return self.X[self.n_training :], self.Y[self.n_training :]

    @property
    def sets(self) -> list[set[str]]:
        """The topics of the training records, as sets of names."""
        return [{f"topic {j}" for j in np.flatnonzero(row)} for row in self.training[1].toarray()]


def plant(n_training: int, n_new: int, *, n_terms: int = 300, n_topics: int = 6, seed: int = 7) -> Planted:
    """Make records of 40 words: 18 from one to three topics, 15 from one of as many genres, 7 from all terms alike.

    Topics and genres have 30 terms each. Genres are no labels: they are what words say loudest, and a space that knows
    the labels has to look past them.
    """
    rng = np.random.default_rng(seed)
    n_records = n_training + n_new
    terms_of = [np.sort(rng.choice(n_terms, 30, replace=False)) for _ in range(n_topics)]
    genres = [rng.choice(n_terms, 30, replace=False) for _ in range(n_topics)]
    X, Y = np.zeros((n_records, n_terms)), np.zeros((n_records, n_topics))
    for i in range(n_records):
        topics = rng.choice(n_topics, rng.integers(1, 4), replace=False)
        Y[i, topics] = 1
        words = [rng.choice(terms_of[rng.choice(topics)]) for _ in range(18)]
        words += list(rng.choice(genres[rng.integers(n_topics)], 15))
        words += list(rng.integers(0, n_terms, 7))
        np.add.at(X[i], words, 1.0)
    return Planted(sp.csr_array(X), sp.csr_array(Y), terms_of, n_training)


TOPIC_TREE = {  # of six topics: two halves, in one of which two topics are nearer to each other than to the third
    "left": {"topic 0": {}, "inner": ["topic 1", "topic 2"]},
    "right": ["topic 3", "topic 4", "topic 5"],
}
