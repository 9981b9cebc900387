"""How many records each stage of a build takes at a time, so that it keeps a limit of memory.

The limit decides three numbers. The space is fitted to a sample that is as large as its fit may be, and all others are
placed by it, block by block. The suggester counts words and neighbours of as many records as there is room for. The
map lays out a sample, and places the others among it. If there is room for all of them, a build is the same as without
a limit. The numbers depend on the collection and the limit alone, so that a build that was killed goes on as it began.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from tacit.checks import human_size
from tacit.errors import InputError
from tacit.models.common.memory import fit_memory
from tacit.tasks.build.stages.costs import MEMORY
from tacit.types import IntArray

__all__ = ["Contents", "Limits", "least_memory", "limits_for", "parse_memory", "sampled"]

_FEWEST = 2_000  # records: a space of fewer would not be worth it
_FEWEST_ASKED, _MOST_ASKED = 2_000, 16_000
_BLOCK, _ARRAYS = 16_384, 30  # records that are placed at a time, and arrays of them
_UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
_BINARY = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}


def parse_memory(text: str | int, argument: str = "memory") -> int:
    """Return a size in bytes: 4GB, 800 MB, 1.5GiB or a number of bytes."""
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]?)(i?)B?\s*", str(text), re.IGNORECASE)
    if found is None:
        raise InputError(
            f"{argument} is not a size: got {text!r}, expected a number with a unit, such as 4GB or 800MB."
        )
    unit = (_BINARY if found[3] else _UNITS)[found[2].upper()]
    return int(float(found[1]) * unit)


@dataclass(frozen=True)
class Contents:
    """What decides how much memory a build takes.

    Attributes
    ----------
    n_records, n_terms, n_entries : of the words, counted
    label_counts : number of records with each label
    n_dimensions : of the space
    """

    n_records: int
    n_terms: int
    n_entries: int
    label_counts: IntArray
    n_dimensions: int

    @property
    def n_pairs(self) -> int:
        """Number of labels of all records."""
        return int(self.label_counts.sum())

    @property
    def held(self) -> float:
        """Memory that the program and what is known about the records take through the build."""
        return MEMORY.program + MEMORY.per_record * self.n_records + MEMORY.per_pair * self.n_pairs

    @property
    def fixed(self) -> float:
        """Memory of the words and of the maps of words and labels."""
        numbers = self.n_dimensions * (2 * self.n_terms + 3 * len(self.label_counts))
        return MEMORY.per_term * self.n_terms + 4 * numbers

    def fit_memory(self, n_some: int, model: str = "mlsi") -> float:
        """Return the memory of a fit to some of the records."""
        share, k = n_some / self.n_records, self.n_dimensions
        n_labels, n_entries = _labels_among(self.label_counts, share), round(self.n_entries * share)
        shapes = fit_memory(n_some, self.n_terms, n_entries, k, model=model, n_labels=n_labels, positions=True)
        maps = MEMORY.record_maps * n_some + MEMORY.term_maps * self.n_terms + MEMORY.label_maps * n_labels
        return shapes.total + 4 * k * maps


@dataclass(frozen=True)
class Limits:
    """How many records the stages of a build take.

    Attributes
    ----------
    memory : bytes
    n_fitted : records that the space is fitted to
    n_counted : records whose words the suggester counts
    n_asked : records that its ranker learns from
    n_mapped : records of which the map is laid out
    block : records that are placed at a time
    """

    memory: int
    n_fitted: int
    n_counted: int
    n_asked: int
    n_mapped: int
    block: int

    def sentence(self, n_records: int) -> str:
        """Say what is done with a part of the records, and what with all."""
        parts = {"fitted": self.n_fitted, "laid out as a map": self.n_mapped, "counted for suggestions": self.n_counted}
        some = [f"{n:,} are {what}" for what, n in parts.items() if n < n_records]
        if not some:
            return f"there is room for all {n_records:,} records"
        return f"rows of words and positions go to disk; of {n_records:,} records {', '.join(some)}"


def limits_for(
    memory: int, contents: Contents, *, can_sample: bool = True, model: str = "mlsi", n_parts: int = 1
) -> Limits:
    """Divide a limit among the stages; raise if it is too small for one of them.

    Parameters
    ----------
    memory : the limit in bytes
    contents : of the collection
    can_sample : whether the space can be fitted to some of the records
    model : "lsi" or "mlsi"
    n_parts : in how many parts the records are placed, each with a graph of its own
    """
    n, k = contents.n_records, contents.n_dimensions
    room, fixed = memory - contents.held, contents.fixed
    least = least_memory(contents, can_sample=can_sample, model=model, n_parts=n_parts)
    if memory < least:
        raise InputError(
            f"memory is too small: got {human_size(memory)} for {n:,} records, expected at least "
            f"{human_size(1.01 * least)}. Give more, or keep fewer words (max_terms) or dimensions."
        )
    fewest = min(n, _FEWEST) if can_sample else n

    def fits(n_some: int) -> bool:
        return contents.fit_memory(n_some, model) <= room

    n_asked = int(np.clip((room - fixed - MEMORY.asking) / (2 * MEMORY.per_asked), _FEWEST_ASKED, _MOST_ASKED))
    left = room - fixed - MEMORY.asking - MEMORY.per_asked * n_asked
    per_counted = (MEMORY.per_entry * contents.n_entries + MEMORY.per_counted_pair * contents.n_pairs) / n
    return Limits(
        memory,
        n if fits(n) else _largest(fewest, n, fits),
        int(min(n, max(fewest, left / max(1.0, per_counted)))),
        n_asked,
        int(min(n, max(_FEWEST, room / (MEMORY.mapped * k + MEMORY.per_point)))),
        int(np.clip(room / (_ARRAYS * 4 * k), 1_024, _BLOCK)),
    )


def least_memory(contents: Contents, *, can_sample: bool = True, model: str = "mlsi", n_parts: int = 1) -> float:
    """Return the smallest limit with which a collection can be built."""
    n, k = contents.n_records, contents.n_dimensions
    fit = contents.fit_memory(min(n, _FEWEST) if can_sample else n, model)
    in_part = n / n_parts
    graph = (k + MEMORY.per_node) * in_part if in_part * k > MEMORY.graph_from else 0
    asked = MEMORY.per_asked * _FEWEST_ASKED + MEMORY.asking + contents.fixed
    return contents.held + max(fit, graph, asked)


def sampled(n_records: int, n_some: int, seed: int) -> IntArray:
    """Return the numbers of some records, ascending; a larger sample contains the smaller ones."""
    return np.sort(np.random.default_rng([seed, 23]).permutation(n_records)[:n_some])


def _labels_among(counts: IntArray, share: float) -> int:
    """Return how many labels some of the records have, if these are drawn at random."""
    return int(np.ceil(np.sum(1 - (1 - min(1.0, share)) ** np.asarray(counts, np.float64)))) if len(counts) else 0


def _largest(low: int, high: int, fits: Callable[[int], Any]) -> int:
    """Return about the largest number for which something fits; it does for `low`."""
    while high - low > max(100, low // 100):
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low
