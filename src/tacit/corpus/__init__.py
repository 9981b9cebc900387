"""Files become records with id, text, labels, links and fields."""

from tacit.corpus.columns import ColumnMap
from tacit.corpus.problems import Problem, Problems
from tacit.corpus.reading import Reading, read_records
from tacit.corpus.record import Record

__all__ = ["ColumnMap", "Problem", "Problems", "Reading", "Record", "read_records"]
