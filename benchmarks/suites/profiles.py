"""Sizes of the suites, by the environment variable TACIT_BENCH_PROFILE."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cache

import numpy as np
import scipy.sparse as sp
from synthetic import Blocks, planted_relations, planted_topics

__all__ = ["Profile", "collection", "profile", "relations"]


@dataclass(frozen=True)
class Profile:
    """A size: records, terms, labels, and dimensions kept."""

    n_records: int
    n_terms: int
    n_labels: int
    n_components: int


_PROFILES = {
    "small": Profile(300, 500, 8, 5),
    "regular": Profile(10_000, 20_000, 50, 50),
    "large": Profile(100_000, 47_236, 100, 100),
}


def profile() -> Profile:
    """Give the size asked for."""
    name = os.environ.get("TACIT_BENCH_PROFILE", "regular")
    if name not in _PROFILES:
        raise ValueError(f"TACIT_BENCH_PROFILE is unknown: got {name!r}, expected one of {', '.join(_PROFILES)}.")
    return _PROFILES[name]


@cache
def collection(size: Profile, dtype: type = np.float32) -> tuple[sp.csr_array, sp.csr_array]:
    """Make the data of a size once a process."""
    return planted_topics(size.n_records, n_terms=size.n_terms, n_topics=size.n_labels, dtype=dtype)


@cache
def relations(size: Profile) -> tuple[Blocks, dict[str, np.ndarray]]:
    """Make relations of a size once a process, with the records as users."""
    n = size.n_records
    sizes = {"user": n, "item": n // 3, "word": size.n_terms, "tag": 15 + n // 40}
    return planted_relations(sizes, 20 * n, n_topics=size.n_labels)
