"""What the study of graph embeddings concludes, of the date on its page."""

from __future__ import annotations

__all__ = ["ARXIV", "READINGS", "REUTERS"]

REUTERS = """\
Of 2026-11-16, from validation records: those of split 0 chose the settings, those of splits 1 and 2 measured them with
the better of two threshold rules. SLE with *scaled and*, a ridge of 1 and twenty dimensions is best, .911 macro F1 in
the mean of the two, all words .904, LSI with 400 dimensions .908. Labels help LE (.901) and USC (.899 against .907 of
SUSC). OLPP and SOLPP are LSI turned: validation takes all of the directions that they search in, and then they differ
in nothing a linear classifier sees. What the label graph is matters more than its weight."""

READINGS = """\
Each is what was chosen with one thing changed, so that a reading which needs other values beside it looks worse here
than it is."""

ARXIV = """\
Of 2026-11-16, from the validation records of one split: by prototypes no method with labels does better than LSI
(.404 macro F1), LE (.401) or the relation features themselves (.394). Prototypes are fast, and they cost: SLE on the
terms themselves reaches .464 in 31 s, with a quarter of the records as prototypes .400 in 2 s. The classifiers are
least squares with tuned thresholds, the same for all."""
