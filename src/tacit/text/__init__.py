"""Texts become sparse vectors with a vocabulary.

`vectoriser` is imported on first use, since importing scikit-learn takes longer than answering a query.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tacit.text.settings import TextSettings
from tacit.text.words import Words

if TYPE_CHECKING:
    from tacit.text.vectorising import vectoriser

__all__ = ["TextSettings", "Words", "vectoriser"]


def __getattr__(name: str) -> Any:
    if name != "vectoriser":
        raise AttributeError(f"module 'tacit.text' has no attribute {name!r}")
    from tacit.text.vectorising import vectoriser

    return vectoriser
