"""The verbs of the command, each with its home and the line that `tacit --help` shows for it.

The line stands here, and not only in the verb's module, so that `--help` imports nothing. A test compares the two.
"""

from __future__ import annotations

__all__ = ["GROUPS", "VERBS"]

VERBS: dict[str, tuple[str, str]] = {
    "demo": ("tacit.cli.demo", "Index the docstrings of Python's standard library, and ask."),
    "build": ("tacit.cli.build", "Build an index of a file of records."),
    "add": ("tacit.cli.change", "Add records to an index, without a refit."),
    "update": ("tacit.cli.change", "Give records of an index new content."),
    "remove": ("tacit.cli.change", "Remove records from an index."),
    "refit": ("tacit.cli.build", "Fit the space of an index to the records it has now."),
    "info": ("tacit.cli.inspect", "Show what an index holds and how it was built."),
    "verify": ("tacit.cli.inspect", "Read every file of an index and say what is wrong."),
    "export": ("tacit.cli.inspect", "Write records and positions for other programs."),
    "datasets": ("tacit.cli.datasets", "List the data sets that Tacit knows, or fetch one."),
    "search": ("tacit.cli.search", "Find records by meaning, by words, or both."),
    "similar": ("tacit.cli.search", "Find the records nearest to one of them."),
    "suggest": ("tacit.cli.suggest", "Suggest labels for texts."),
    "recommend": ("tacit.cli.recommend", "Recommend records to who liked others."),
    "explain": ("tacit.cli.explain", "Say why: a hit, a label, a dimension, a neighbourhood."),
    "concepts": ("tacit.cli.explain", "Show what the dimensions of the space are about."),
    "cluster": ("tacit.cli.cluster", "Group the records, and name the groups."),
    "map": ("tacit.cli.map", "Draw the collection as a map, for a browser or as a picture."),
    "evaluate": ("tacit.cli.evaluate", "Measure suggestions and search on held-out records."),
    "tune": ("tacit.cli.tune", "Find better settings on held-out records."),
    "compare": ("tacit.cli.compare", "Measure several models side by side."),
}

GROUPS: dict[str, tuple[str, ...]] = {
    "Start": ("demo", "build", "datasets"),
    "Ask": ("search", "similar", "suggest", "recommend", "explain", "concepts", "cluster", "map"),
    "Keep": ("add", "update", "remove", "refit", "info", "verify", "export"),
    "Improve": ("evaluate", "tune", "compare"),
}
