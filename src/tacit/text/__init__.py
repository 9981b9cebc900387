"""Texts become sparse vectors with a vocabulary."""

from tacit.text.settings import TextSettings
from tacit.text.words import Words, vectoriser

__all__ = ["TextSettings", "Words", "vectoriser"]
