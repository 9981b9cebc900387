"""What an experiment is: the cases it measures, its table, its picture, and the claims it decides."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from statistics import fmean, stdev
from typing import Any, Literal

from scipy import stats

from tacit.evaluate.protocols import PairedDifference, average_difference, paired_difference, sure

__all__ = [
    "OURS",
    "Claim",
    "Experiment",
    "Facts",
    "Outcome",
    "Picture",
    "Results",
    "Scatter",
    "Size",
    "Stated",
    "Verdict",
    "averaged",
    "better",
    "both",
    "close",
    "judged",
]

Facts = dict[str, Any]  # of a case or a row: names to texts, numbers and None, as JSON has them
OURS = "ours"  # the section of a claim that no paper makes
Size = Literal["quick", "usual", "full"]
Outcome = Literal["held", "not held", "mixed", "undecided", "not testable"]


@dataclass(frozen=True)
class Results:
    """The rows that an experiment has measured: factors, the repeat, and measures.

    Rows of one repeat with the same factors, its folds, count by their mean.
    """

    rows: Sequence[Facts]
    measures: tuple[str, ...]

    def where(self, **factors: Any) -> Results:
        """Return the rows with these values."""
        wanted = factors.items()
        return Results(
            [row for row in self.rows if all(row.get(name) == value for name, value in wanted)], self.measures
        )

    def values(self, name: str) -> list[Any]:
        """Return the values of a factor, in the order of their first rows; numbers ascend."""
        found = list(dict.fromkeys(row[name] for row in self.rows if row.get(name) is not None))
        return sorted(found) if all(isinstance(value, int | float) for value in found) else found

    def by_repeat(self, measure: str) -> dict[Any, float]:
        """Return the mean of a measure in each repeat."""
        collected: dict[Any, list[float]] = {}
        for row in self.rows:
            if row.get(measure) is not None:
                collected.setdefault(row["repeat"], []).append(row[measure])
        return {repeat: fmean(found) for repeat, found in collected.items()}

    def mean(self, measure: str) -> float | None:
        """Return the mean over repeats, None without any."""
        found = list(self.by_repeat(measure).values())
        return fmean(found) if found else None

    def deviation(self, measure: str) -> float | None:
        """Return the standard deviation over repeats, None with fewer than two."""
        found = list(self.by_repeat(measure).values())
        return stdev(found) if len(found) > 1 else None

    def difference(self, other: Results, measure: str, *, test_ratio: float = 0.0) -> PairedDifference | None:
        """Compare with other rows over the repeats that both have; None if there are none."""
        ours, theirs = self.by_repeat(measure), other.by_repeat(measure)
        repeats = [repeat for repeat in ours if repeat in theirs]
        if not repeats:
            return None
        return paired_difference(
            [ours[one] for one in repeats], [theirs[one] for one in repeats], test_ratio=test_ratio
        )


def averaged(rows: Sequence[Facts], measures: Sequence[str]) -> list[Facts]:
    """Return one row with the mean of each measure for the rows that are the same otherwise, such as folds."""
    groups: dict[tuple[tuple[str, Any], ...], list[Facts]] = {}
    for row in rows:
        key = tuple((name, value) for name, value in row.items() if name not in measures)
        groups.setdefault(key, []).append(row)
    return [
        {**dict(key), **{name: fmean(row[name] for row in found) for name in measures}} for key, found in groups.items()
    ]


@dataclass(frozen=True)
class Verdict:
    """What the results say of a claim.

    Attributes
    ----------
    outcome : {"held", "not held", "mixed", "undecided", "not testable"}
    evidence : str
        A sentence with the effect and the test.
    """

    outcome: Outcome
    evidence: str


def judged(
    compared: Sequence[tuple[str, PairedDifference | None]], first: str, second: str, *, level: float = 0.05
) -> Verdict:
    """Decide whether the first is better in general, from all comparisons of a claim.

    The average over the comparisons is tested once, by its repeats; single comparisons with Holm's correction for their
    number.

    - held: the average is significantly above 0, nine in ten comparisons point that way, and none is surely worse
    - not held: the average is significantly below 0, and no comparison is surely better
    - mixed: some comparisons speak for the claim and others against it or for nothing
    - undecided: the average is not significant either way, and sure comparisons, if any, are not contradicted by others
    - not testable: fewer than two repeats
    """
    found = [(name, one) for name, one in compared if one is not None and one.n > 1]
    if not found:
        return Verdict("not testable", "There are fewer than two repeats.")
    cells = [one for _, one in found]
    whole, passed = average_difference(cells), sure(cells, level=level)
    higher = sum(one.mean > 0 for one in cells)
    better = sum(passes and one.mean > 0 for one, passes in zip(cells, passed, strict=True))
    worse = sum(passes and one.mean < 0 for one, passes in zip(cells, passed, strict=True))
    most = 10 * higher >= 9 * len(cells)
    if better and worse:
        outcome: Outcome = "mixed"
    elif whole.p >= level:
        outcome = "mixed" if (worse and higher) or (better and not most) else "undecided"
    elif whole.mean > 0:
        outcome = "held" if most and not worse else "mixed"
    else:
        outcome = "mixed" if better else "not held"
    return Verdict(outcome, _evidence(found, whole, (higher, better, worse), (first, second)))


def both(compared: Sequence[tuple[str, PairedDifference | None]], first: str, *, level: float = 0.05) -> Verdict:
    """Decide whether the first is better than each of a few others: every test must be significant."""
    found = [(name, one) for name, one in compared if one is not None and one.n > 1]
    if not found:
        return Verdict("not testable", "There are fewer than two repeats.")
    outcome: Outcome = "undecided"
    if any(one.mean < 0 and one.p < level for _, one in found):
        outcome = "not held"
    elif all(one.mean > 0 and one.p < level for _, one in found):
        outcome = "held"
    listed = "; ".join(f"{name}: {_told(one)}" for name, one in found)
    return Verdict(outcome, f"{first}, {found[0][1].n} repeats: {listed}.")


def _evidence(
    found: list[tuple[str, PairedDifference]],
    whole: PairedDifference,
    counts: tuple[int, int, int],
    names: tuple[str, str],
) -> str:
    if len(found) == 1:
        return f"{names[0]} minus {names[1]}, {found[0][0]}: {_told(whole)} ({whole.n} repeats)."
    worst, best = (choose(found, key=lambda pair: pair[1].mean) for choose in (min, max))
    higher, better, worse = counts
    return (
        f"{names[0]} minus {names[1]}: {_told(whole)} on average over {len(found)} comparisons ({whole.n} repeats). "
        f"Better in {higher}, surely in {better}, and surely worse in {worse}: from {worst[0]}, {_told(worst[1])}, to "
        f"{best[0]}, {_told(best[1])}."
    )


def _told(one: PairedDifference) -> str:
    return f"{one.mean:+.4f} ±{one.error:.4f} (p = {one.p:.2g})"


def close(
    compared: Sequence[tuple[str, PairedDifference | None]],
    first: str,
    second: str,
    *,
    within: float,
    either: bool = False,
    level: float = 0.05,
) -> Verdict:
    """Decide whether the first is nowhere worse than the second by more than a margin; nor better, if `either`.

    A comparison counts as close if the difference is surely inside the margin, by a one-sided test, and as not close if
    it is surely outside.
    """
    found = [(name, one) for name, one in compared if one is not None and one.n > 1]
    if not found:
        return Verdict("not testable", "There are fewer than two repeats.")
    inside = outside = 0
    for _, one in found:
        reach = one.error * float(stats.t.ppf(1 - level, one.n - 1))
        below, above = -one.mean, one.mean if either else -within
        inside += max(below, above) + reach <= within
        outside += max(below, above) - reach > within
    outcome: Outcome = "mixed" if inside and outside else "undecided"
    if inside == len(found) or 2 * outside > len(found):
        outcome = "held" if inside == len(found) else "not held"
    listed = "; ".join(f"{name}: {one.mean:+.3f} ±{one.error:.3f}" for name, one in found)
    return Verdict(
        outcome,
        f"{first} minus {second}, {found[0][1].n} repeats: {listed}. Within {within:g} counts as close: {inside} of "
        f"{len(found)} surely are, {outside} surely are not.",
    )


@dataclass(frozen=True)
class Claim:
    """A claim of direction in a paper.

    Attributes
    ----------
    number : str
        Unique: "mlsi-1".
    section : str
        Of the paper.
    quote : str
        The words of the paper.
    decide : callable
        Takes the results and gives the verdict.
    repeated : bool, default True
        Whether a verdict needs several repeats.
    """

    number: str
    section: str
    quote: str
    decide: Callable[[Results], Verdict]
    repeated: bool = True

    def verdict(self, results: Results) -> Verdict:
        """Decide, if there are enough repeats."""
        if self.repeated and len(results.values("repeat")) < 2:
            return Verdict("not testable", "There are fewer than two repeats.")
        return self.decide(results)


def better(
    first: Facts,
    second: Facts,
    measures: Sequence[str],
    *,
    over: Mapping[str, Sequence[Any]] | None = None,
    test_ratio: float = 0.0,
    names: tuple[str, str] | None = None,
) -> Callable[[Results], Verdict]:
    """Return what decides whether the rows with some factors are better than those with others.

    Parameters
    ----------
    first, second : mappings
        Factors of the two.
    measures : sequence of str
    over : mapping, optional
        Factors with the values at which both are compared; a factor that `second` has keeps its value there.
    test_ratio : float, default 0.0
        As in `paired_difference`.
    names : (str, str), optional
        What to call them; their factors in words if not given.
    """
    over = {} if over is None else over
    first_name, second_name = names or tuple(" ".join(str(value) for value in one.values()) for one in (first, second))

    def decide(results: Results) -> Verdict:
        compared = []
        for values in product(*over.values()):
            at = dict(zip(over, values, strict=True))
            ours, theirs = results.where(**{**at, **first}), results.where(**{**at, **second})
            place = ", ".join(f"{name} {value}" for name, value in at.items())
            for measure in measures:
                found = ours.difference(theirs, measure, test_ratio=test_ratio)
                compared.append((", ".join(part for part in (measure, place) if part), found))
        return judged(compared, first_name, second_name)

    return decide


@dataclass(frozen=True)
class Stated:
    """A figure that the paper gives.

    Attributes
    ----------
    factors : mapping
        Of the rows that it belongs to.
    measure : str
    value : float
    """

    factors: Facts
    measure: str
    value: float


@dataclass(frozen=True)
class Picture:
    """A grid of panels with one line per series.

    Attributes
    ----------
    x, series : str
        Factors along the axis and for the lines. Rows without a value of `x` are drawn as level lines.
    rows : str or None
        Factor with one row of panels per value.
    measures : tuple of str
        One column of panels each.
    logarithmic : bool
        Whether the axis is logarithmic.
    only : dict
        Factors of the rows that are drawn.
    """

    x: str
    series: str
    rows: str | None
    measures: tuple[str, ...]
    logarithmic: bool = False
    only: Facts = field(default_factory=dict)


@dataclass(frozen=True)
class Scatter:
    """One panel per value of a factor, with the points that the rows of the first repeat have.

    Attributes
    ----------
    panels : str
    points : str
        Name of the list of (x, y, name of the group) in a row.
    """

    panels: str
    points: str


@dataclass(frozen=True)
class Experiment:
    """A table or figure of a paper, made again.

    Attributes
    ----------
    name : str
        "mlsi-fig1".
    paper : str
        Key in the list of references.
    title : str
        What it shows, in one line.
    data : tuple of str
        Folders of the data sets.
    cases : callable
        Takes the size and lists what is measured, each case by itself: facts that JSON can hold. A larger size has the
        cases of a smaller one among its own, so that these are not measured again.
    measure : callable
        Takes a case and the folder of the data sets, and gives rows: factors and measures.
    factors, measures : tuples of str
        Columns of the table, "repeat" apart.
    across : str
        The factor whose values become columns of the printed table.
    settings : str
        How it was done, where the paper leaves it open or we differ: a paragraph.
    cost : str
        Time of the usual and the full run on one core.
    picture : Picture, optional
    stated : tuple of Stated
        Figures that the paper gives.
    claims : tuple of Claim
    texts : tuple of str
        Columns with words instead of numbers, of the first repeat.
    kept : str, default ""
        Name of what is measured, if several experiments show parts of it; the name of the experiment if not given.
    only : dict
        Factors of the rows that are its part.
    summary : callable, optional
        Takes the results and gives Markdown that stands before the table.
    """

    name: str
    paper: str
    title: str
    data: tuple[str, ...]
    cases: Callable[[Size], list[Facts]]
    measure: Callable[[Facts, Path | None], list[Facts]]
    factors: tuple[str, ...]
    measures: tuple[str, ...]
    across: str
    settings: str
    cost: str
    picture: Picture | Scatter | None = None
    stated: tuple[Stated, ...] = ()
    claims: tuple[Claim, ...] = ()
    texts: tuple[str, ...] = ()
    kept: str = ""
    only: Facts = field(default_factory=dict)
    summary: Callable[[Results], str] | None = None

    def kept_in(self, folder: Path) -> Path:
        """Return the file of its measurements."""
        return folder / f"{self.kept or self.name}.jsonl"
