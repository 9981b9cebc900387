"""Collections: files and named data sets become records with id, text, labels, links and fields."""

from tacit.corpus.datasets import VectorSet, load_arxiv, load_mulan, load_rcv1, load_reuters21578
from tacit.corpus.record import Record
from tacit.corpus.standard_library import standard_library_records

__all__ = [
    "Record",
    "VectorSet",
    "load_arxiv",
    "load_mulan",
    "load_rcv1",
    "load_reuters21578",
    "standard_library_records",
]
