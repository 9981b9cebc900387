"""What the stages of a build cost in memory: constants that `benchmarks/size.py` measures."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["MEMORY"]


@dataclass(frozen=True)
class _Memory:
    """Bytes; measured on finna, 2026-11-19.

    Attributes
    ----------
    program : Python, the libraries and their buffers, SQLite's cache, and the trial of the weights
    per_record, per_pair : held through the build for each record, and for each of its labels
    fit : times the estimate of the arrays of a fit
    term_maps, label_maps : numbers for each term and label in each dimension that the fit keeps beside these
    per_term : letters, counts and weights of a word
    per_asked, asking : a record that the ranker learns from; its trees and their buffers
    per_entry, per_counted_pair : of the words and labels of the records that the suggester counts
    mapped, per_point : numbers per dimension, and bytes, of a record of which the map is laid out
    per_node : links and names of a record in the graph of neighbours, beside a byte for each dimension
    graph_from : numbers in the positions beyond which there is a graph
    """

    program: float = 330e6
    per_record: float = 120.0
    per_pair: float = 30.0
    fit: float = 1.1
    term_maps: float = 1.5
    label_maps: float = 2.0
    per_term: float = 400.0
    per_asked: float = 36e3
    asking: float = 60e6
    per_entry: float = 60.0
    per_counted_pair: float = 60.0
    mapped: float = 14.0
    per_point: float = 3_000.0
    per_node: float = 180.0
    graph_from: int = 20_000_000


MEMORY = _Memory()
