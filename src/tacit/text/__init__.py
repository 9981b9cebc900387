"""Words: texts become sparse vectors with a vocabulary."""

from tacit.text.vectorise import vectoriser

__all__ = ["vectoriser"]
