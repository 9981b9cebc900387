"""What people know about their records, as named sparse matrices: which labels a record carries.

Public: `LabelMatrix`, and `as_labels`, which reads every form of `y` that Tacit takes.
"""

from tacit.relations.labels import LabelMatrix, as_labels

__all__ = ["LabelMatrix", "as_labels"]
