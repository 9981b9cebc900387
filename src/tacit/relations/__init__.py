"""Knowledge about records as named sparse matrices: labels, their taxonomy, typed relations.

Public: `LabelMatrix`, and `as_labels`, which reads every form of `y` that Tacit takes; `Taxonomy`; `Relations` between
objects of several types, made of `Block`s. `Relations` is imported on first use, since importing scikit-learn, which it
needs, takes longer than opening an index.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from tacit.relations.labels.matrix import LabelMatrix, as_labels
from tacit.relations.taxonomy.taxonomy import Taxonomy

if TYPE_CHECKING:
    from tacit.relations.tables.block import Block
    from tacit.relations.tables.relations import Relations

__all__ = ["Block", "LabelMatrix", "Relations", "Taxonomy", "as_labels"]


def __getattr__(name: str) -> Any:
    if name in ("Block", "Relations"):
        return getattr(import_module(f"tacit.relations.tables.{name.lower()}"), name)
    raise AttributeError(f"module 'tacit.relations' has no attribute {name!r}")
