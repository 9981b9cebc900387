"""Chooses the weights of relations on the other families of groups, so that comp.* is not looked at.

The candidates have few knobs: which types there are beside emails and words (subjects, then authors, then
organizations too), one weight for them all, and how one with n emails is scaled: as it is, by n^-1/2, which makes its
column as long as the row of an email's words, or by 1/n. Subject lines keep the paper's weight, .4 of that of words.
For clusters the measure is F with 20 dimensions, the mean over random starts, over parts of four fifths of the emails
and over rec.*, sci.* and talk.*; parts, because which clusters k-means finds hangs on little. For categories it is the
share of new emails put right with 50 dimensions, of one split of each family.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from mlsa_newsgroups_classes import related_accuracy
from mlsa_newsgroups_clusters import progress, subsets
from mlsa_newsgroups_emails import KINDS, PAPER, Emails, Setting

__all__ = ["CANDIDATES", "choose", "choose_for_classes"]

_LINES = PAPER.subject_word / PAPER.word
_AS_THEY_ARE = tuple(Setting(subject=weight, subject_word=_LINES, scale=0.0) for weight in (0.3, 0.6))
CANDIDATES = _AS_THEY_ARE + tuple(
    Setting(subject_word=_LINES, scale=scale, **dict.fromkeys(KINDS[:n_kinds], weight))
    for n_kinds in (1, 2, 3)
    for scale in (0.5, 1.0)
    for weight in (1.0, 2.0, 3.0)
)


def choose(families: Mapping[str, Emails], *, n_parts: int, n_starts: int, quick: bool) -> dict[str, Any]:
    """Give for LSA (no setting) and all candidates [setting, [F a family]], and the best setting."""
    trials: list[tuple[Setting | None, list[float]]] = []
    for setting in (None, *(CANDIDATES[2::8] if quick else CANDIDATES)):
        parts = [
            subsets([("it", mails, setting)], n_subsets=n_parts, n_starts=n_starts)["it"] for mails in families.values()
        ]
        found = [float(np.mean(part, axis=0)[0]) for part in parts]
        trials.append((setting, found))
        progress(f"choice: {tuple(setting) if setting else 'LSA'}: {np.mean(found):.3f}")
    chosen = max((trial for trial in trials if trial[0]), key=lambda trial: float(np.mean(trial[1])))[0]
    return {"families": list(families), "trials": trials, "chosen": chosen}


def choose_for_classes(families: Mapping[str, Emails], *, quick: bool) -> dict[str, Any]:
    """Give for some candidates [setting, [share put right a family]], and the best setting."""
    trials = []
    for setting in [each for each in CANDIDATES if each.scale == 0.5 and each.subject < 3][:: 3 if quick else 1]:
        found = [related_accuracy(mails, setting, quick=quick) for mails in families.values()]
        trials.append((setting, found))
        progress(f"choice for categories: {tuple(setting)}: {np.mean(found):.4f}")
    return {"trials": trials, "chosen": max(trials, key=lambda trial: float(np.mean(trial[1])))[0]}
