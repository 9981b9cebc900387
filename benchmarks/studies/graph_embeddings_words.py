"""What the study of graph embeddings concludes, of the date on its page."""

from __future__ import annotations

__all__ = ["ARXIV", "READINGS", "REUTERS"]

REUTERS = """\
As of 2026-11-16; settings were chosen on the validation records of split 0, then tested on three splits, with
thresholds at zero for all. *Do labels in the graph help?* Yes, in each of the splits: SLE has .914 macro F1 against
LE's .905, SUSC .915 against USC's .904, SOLPP .889 against OLPP's .823. Orthogonal projections keep at most half of the
directions they search in here; with all of them there is nothing to choose and both are rotations of LSI (.912), and
with fewer they are worse than LSI. *Are they worth it?* SLE needs twenty dimensions for what LSI needs 400 for (.914,
.912), and is 1.4 points better than all words (.900); with tuned thresholds words gain most, and the lead is .4 points.
The paper reports .911, .912 and .909 for SLE, SUSC and SOLPP and .890 for words, on its own split. MLSI, which is made
for labels, is the best of all here, .916. *What matters?* The label graph matters more than its weight: *scaled and*,
in which small classes count as much as large ones, is 7.5 points better than Sørensen's for SLE, while θ from .3 to .9
makes no difference. SUSC needs few label neighbours instead. A ridge of 1 is 1.3 points better than .1, honest
positions .5 better than in-sample ones. The paper found orthogonal projections better for CCA and MORP; with a ridge
they are worse here. *Resulting defaults:* `label_graph="scaled and"`, a ridge of 1, θ = .5 and `scaling="weighted"`
unless orthonormality determines it; they improve SLE without any tuning from .858 to .911."""

READINGS = """\
Each is the chosen setting with one change, so a variant that needs other changes as well looks worse here than it
is."""

ARXIV = """\
As of 2026-11-16, one split, settings chosen on its validation records. *Do labels in the graph help here?* Hardly: with
a quarter of the records as prototypes, the differences between LSI (.391 macro F1), LE (.387), SLE (.386), HLSI (.387)
and the relation features themselves (.383) may be chance, and small label weights are chosen on validation. SOLPP gains
.02 over OLPP (.313, .293), but both are far worse. The paper's gain on its second data set is not reproduced. *Are
prototypes worth it?* They turn 223,494 terms into 379 features, with which a model is fitted and its records placed in
a fifteenth of the time, but they lose accuracy: SLE on the terms themselves reaches .454, MLSI .427, against .385 and
.371. The measure matters most: dot products of unit rows are good, Euclidean distances useless. All n-grams without any
space rank best (nDCG@5 .663) and classify worst (.327). The classifiers are least squares with tuned thresholds, the
same for all. Other programs ran on the machine at the same time, so the times are too long by a factor of about three
(alone, SLE took 1.7 s with prototypes and 24 s without)."""
