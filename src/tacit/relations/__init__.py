"""What people know about their records, as named sparse matrices: labels, the taxonomy they sit in, typed relations.

Public: `LabelMatrix`, and `as_labels`, which reads every form of `y` that Tacit takes; `Taxonomy`; `Relations` between
objects of several types, made of `Block`s. `Relations` is loaded when it is first asked for: it brings
scikit-learn, which takes longer to load than an index to open.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tacit.relations.labels.matrix import LabelMatrix, as_labels
from tacit.relations.taxonomy.taxonomy import Taxonomy

if TYPE_CHECKING:
    from tacit.relations.tables.block import Block
    from tacit.relations.tables.relations import Relations

__all__ = ["Block", "LabelMatrix", "Relations", "Taxonomy", "as_labels"]


def __getattr__(name: str) -> Any:
    if name == "Block":
        from tacit.relations.tables.block import Block

        return Block
    if name == "Relations":
        from tacit.relations.tables.relations import Relations

        return Relations
    raise AttributeError(f"module 'tacit.relations' has no attribute {name!r}")
