"""Words and tests for the numbers of the study of M-LSA on newsgroups."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from mlsa_newsgroups_emails import KINDS, Setting
from scipy import stats

__all__ = ["ahead", "best_of_ten", "compared", "corrected", "grouped", "related", "said", "welch"]

_SCALES = {0.0: "as they are", 0.5: "by n^-1/2", 1.0: "by 1/n"}


def said(setting: Sequence[float] | None) -> str:
    """Name a method by what it relates."""
    return f"M-LSA, {related(setting)}" if setting else "LSA"


def related(setting: Sequence[float]) -> str:
    """Say which types a setting of M-LSA has beside emails and words, with which weight, and how they are scaled."""
    own = Setting(*setting)
    kinds = [f"{kind}s" for kind in KINDS if getattr(own, kind)]
    listed = " and ".join([", ".join(kinds[:-1]), kinds[-1]] if len(kinds) > 1 else kinds)
    return f"{listed}, weight {own.subject / own.word:g}, {_SCALES[own.scale]}"


def ahead(comparison: str) -> str:
    """Put a comparison into a sentence: '+3.7 (19 of 20)' is '3.7 points (19 of 20)'."""
    return comparison.replace("+", "", 1).replace(" (", " points (", 1)


def best_of_ten(careful: Sequence[float]) -> str:
    """Write F of careful starts: the mean over the seeds, and their range where they differ."""
    low, high = min(careful), max(careful)
    spread = f" ({low:.3f} to {high:.3f})" if high - low > 0.005 else ""
    return f"{np.mean(careful):.3f}{spread}"


def _points(ours: Sequence[float], others: Sequence[float]) -> str:
    """Write a difference of means in points, e.g. '+3.8'."""
    return f"{100 * (np.mean(ours) - np.mean(others)):+.1f}"


def _probability(p: float) -> str:
    """Write a p-value: two digits, or a bound where it is tiny."""
    return "p < 0.0001" if p < 1e-4 else f"p = {p:.2g}" if p >= 1e-3 else f"p = {p:.4f}"


def compared(ours: Sequence[float], others: Sequence[float]) -> str:
    """Compare two methods part by part."""
    better = sum(a > b for a, b in zip(ours, others, strict=True))
    p = float(stats.ttest_rel(ours, others).pvalue)
    return f"{_points(ours, others)} ({better} of {len(ours)}, {_probability(p)})"


def welch(ladder: Sequence[Any], ours: str, other: str) -> str:
    """Compare two methods of the ladder over their starts."""
    starts = {name: [start[0] for start in found] for name, found, _ in ladder}
    p = float(stats.ttest_ind(starts[ours], starts[other], equal_var=False).pvalue)
    return f"{_points(starts[ours], starts[other])} ({_probability(p)})"


def corrected(ours: Sequence[float], others: Sequence[float], share: float = 0.25) -> str:
    """Compare two methods split by split; `share` is test emails over training emails, which widens the variance."""
    gains = np.subtract(ours, others)
    better = int(np.count_nonzero(gains > 0))
    error = float(np.sqrt((1 / len(gains) + share) * np.var(gains, ddof=1)))
    p = float(2 * stats.t.sf(abs(gains.mean()) / error, len(gains) - 1)) if error else float(not gains.any())
    return f"{_points(ours, others)} ({better} of {len(gains)}, {_probability(p)})"


def grouped(rows: Sequence[Any]) -> dict[tuple[str, int], list[float]]:
    """Gather rows [seed, way, dimensions, C, micro F1] by way and dimensions, in the order of the seeds."""
    found: dict[tuple[str, int], list[float]] = {}
    for _, name, k, _, micro in rows:
        found.setdefault((name, k), []).append(micro)
    return found
