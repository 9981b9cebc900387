"""Approximate nearest neighbours for large collections: a graph of usearch (HNSW) beside the positions, mapped."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tacit.index.writer import GenerationWriter

__all__ = ["write_neighbours"]

LARGE = 50_000  # records above which looking at all of them takes longer than a person notices


def write_neighbours(writer: GenerationWriter, positions: npt.NDArray[np.float32]) -> None:
    """Write the graph, if the collection is large enough to need one."""
