"""What people know about their records, as named sparse matrices: labels, and the taxonomy the labels sit in.

Public: `LabelMatrix`, and `as_labels`, which reads every form of `y` that Tacit takes; `Taxonomy`.
"""

from tacit.relations.labels import LabelMatrix, as_labels
from tacit.relations.taxonomy import Taxonomy

__all__ = ["LabelMatrix", "Taxonomy", "as_labels"]
