"""What the stages of a build cost: constants that `python benchmarks/size.py constants` measures and prints.

Those of memory and of the disk are measured; those of time are first guesses, which no run has confirmed yet. Times are
seconds of a processor core, all threads together; a machine with several cores takes less. Records of finna
(titles of library records, 15 words each, 2.4 of 21,353 labels, 400 dimensions), 2 cores of a virtual machine,
2026-11-19.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["DISK", "MEMORY", "TIME"]


@dataclass(frozen=True)
class _Memory:
    """Bytes.

    Attributes
    ----------
    program : Python, the libraries and their buffers, SQLite's cache, and the trial of the weights
    per_record, per_pair : held through the build for each record, and for each of its labels
    record_maps, term_maps, label_maps : numbers for each record, term and label in each dimension that a fit takes
        beside those of its estimate
    per_term : letters, counts and weights of a word
    per_asked, asking : a record that the ranker learns from; its trees and their buffers
    per_entry, per_counted_pair : of the words and labels of the records that the suggester counts
    mapped, per_point : numbers per dimension, and bytes, of a record of which the map is laid out
    per_node : links and names of a record in the graph of neighbours, beside a byte for each dimension
    graph_from : numbers in the positions beyond which there is a graph
    """

    program: float = 345e6
    per_record: float = 120.0
    per_pair: float = 30.0
    record_maps: float = 3.9
    term_maps: float = 0.7
    label_maps: float = 1.0
    per_term: float = 400.0
    per_asked: float = 36e3
    asking: float = 60e6
    per_entry: float = 110.0
    per_counted_pair: float = 100.0
    mapped: float = 14.0
    per_point: float = 3_000.0
    per_node: float = 180.0
    graph_from: int = 20_000_000


@dataclass(frozen=True)
class _Time:
    """Seconds of a core.

    Attributes
    ----------
    reading : for each million bytes of text
    words : for each million entries of the rows
    weights : of the trial, whatever the collection
    space : for each million numbers in the positions of the records that are fitted
    placing : for each billion products of a record's position with the map of its views
    counting : for each million pairs of a word and a label in a record, to be counted for the suggester
    neighbours : for each million numbers in the positions
    map : for each thousand records that are laid out
    beside : for each thousand records that are placed among these
    writing : for each gigabyte of the index
    """

    reading: float = 0.35
    words: float = 0.1
    weights: float = 8.0
    space: float = 0.25
    placing: float = 0.02
    counting: float = 0.5
    neighbours: float = 0.15
    map: float = 0.12
    beside: float = 0.1
    writing: float = 3.0


@dataclass(frozen=True)
class _Disk:
    """Bytes.

    Attributes
    ----------
    per_text : of the store, for each byte of text, with the full text and the lists of values
    per_record, per_label : of the store, for each record and each of its labels
    per_entry : of the suggester, for each entry of the rows
    per_number : of the vocabulary, the maps and the positions of labels, for each number
    """

    per_text: float = 2.2
    per_record: float = 150.0
    per_label: float = 60.0
    per_entry: float = 45.0
    per_number: float = 4.0


MEMORY, TIME, DISK = _Memory(), _Time(), _Disk()
