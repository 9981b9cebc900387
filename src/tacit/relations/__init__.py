"""What people know about their records, as named sparse matrices: labels, the taxonomy they sit in, typed relations.

Public: `LabelMatrix`, and `as_labels`, which reads every form of `y` that Tacit takes; `Taxonomy`; `Relations` between
objects of several types, made of `Block`s.
"""

from tacit.relations.block import Block
from tacit.relations.labels import LabelMatrix, as_labels
from tacit.relations.taxonomy import Taxonomy
from tacit.relations.typed import Relations

__all__ = ["Block", "LabelMatrix", "Relations", "Taxonomy", "as_labels"]
