"""People's verbs: a question to a collection becomes an answer; one verb a file."""

from tacit.tasks.search.hits import Hit

__all__ = ["Hit"]
