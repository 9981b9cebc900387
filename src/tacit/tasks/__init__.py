"""Tasks on a collection: build, change, search, suggest, explain, recommend, map, measure and tune."""

from tacit.tasks.search.hits import Hit

__all__ = ["Hit"]
