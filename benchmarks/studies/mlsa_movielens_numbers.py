"""The numbers of the study of M-LSA on MovieLens, by what they are numbers of."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from mlsa_movielens_choice import ALONE, WEIGHTS
from mlsa_movielens_paper import CORNERS, PAPER_TABLE_1

__all__ = ["Numbers", "Tested", "ahead", "percent", "spread"]


class Tested(NamedTuple):
    """What a choice reached, a fold in each place."""

    folds: list[int]
    choices: list[str]
    measures: list[list[float]]
    seconds: float
    validation: list[float]

    @property
    def gains(self) -> list[float]:
        """The rank gains, fold by fold."""
        return [each[0] for each in self.measures]


class Numbers:
    """What was measured, as it comes from JSON, and ways to ask for it."""

    def __init__(self, raw: Mapping[str, Any]) -> None:
        self.raw = raw
        self.chosen = {f"{name}, chosen": each for name, each in _tested(raw["chosen"], for_all=False).items()}
        self.once = {f"{name}, one choice": each for name, each in _tested(raw["chosen"], for_all=True).items()}
        self.peers = _peers(raw["peers"])

    def measured(self, name: str, kind: str) -> list[list[float]]:
        """Give all measures of one of the five methods, fold by fold."""
        return [row[2] for row in self.raw["figure 2"] if row[:2] == [name, kind]]

    def gains(self, name: str, kind: str) -> list[float]:
        """Give the rank gains of one of the five methods, fold by fold."""
        return [each[0] for each in self.measured(name, kind)]

    def lines(self, figure: str) -> dict[tuple[str, str], dict[int, list[float]]]:
        """Give the rank gains behind a figure of lines, by method and rule, then by size."""
        found: dict[tuple[str, str], dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
        for name, kind, size, gain in self.raw[figure]:
            found[name, kind][size].append(gain)
        return found

    def cell(self, alpha: float, beta: float, kind: str = "eq. 7") -> float:
        """Give a cell of table 1."""
        place = ("eq. 7", "sum").index(kind) + 2
        return float(np.mean([row[place] for row in self.raw["table 1"] if row[:2] == [alpha, beta]]))

    def table_distance(self) -> tuple[float, float]:
        """Give the mean absolute difference of table 1 from the paper's, and the largest."""
        differences = [abs(self.cell(*where) - paper) for where, paper in PAPER_TABLE_1.items()]
        return float(np.mean(differences)), max(differences)

    def reading(self, name: str, alpha: float, beta: float) -> float:
        """Give a cell of table 1 for a reading."""
        return float(np.mean([row[3] for row in self.raw["readings"] if row[:3] == [name, alpha, beta]]))

    def distance(self, name: str) -> float:
        """Give how far a reading is from the paper."""
        return float(np.mean([abs(self.reading(name, *where) - PAPER_TABLE_1[where]) for where in CORNERS]))

    def films(self, name: str) -> list[list[float]]:
        """Give AUC and nDCG for new films, group by group."""
        return [row[1:] for row in self.raw["films"] if row[0] == name]

    def users(self, name: str, n_known: int) -> list[list[float]]:
        """Give rank gain and nDCG for new users, group by group."""
        return [row[2:] for row in self.raw["users"] if row[:2] == [name, n_known]]


def spread(values: Sequence[float], digits: int = 2) -> str:
    """Write the mean and the standard deviation."""
    deviation = np.std(values, ddof=1) if len(values) > 1 else 0.0
    return f"{np.mean(values):.{digits}f} ± {deviation:.{digits}f}"


def percent(one: Sequence[float], other: Sequence[float]) -> str:
    """Write how much better one mean is, in percent of the other."""
    return f"{100 * (np.mean(one) / np.mean(other) - 1):+.1f} %"


def ahead(one: Sequence[float], other: Sequence[float]) -> str:
    """Write the difference fold by fold, and in how many it is above 0."""
    difference = np.asarray(one) - np.asarray(other)
    deviation = np.std(difference, ddof=1) if len(difference) > 1 else 0.0
    more = np.count_nonzero(difference > 0)
    return f"{difference.mean():+.2f} ± {deviation:.2f}, ahead in {more} of {len(difference)} folds"


def _tested(rows: Sequence[Any], *, for_all: bool) -> dict[str, Tested]:
    found: dict[str, Tested] = {}
    for name in dict.fromkeys(row[0] for row in rows):
        own = [row for row in rows if row[0] == name and row[2] == for_all]
        found[name] = _gathered([[row[1], _way(row[3]), *row[4:]] for row in own])
    return found


def _peers(rows: Sequence[Any]) -> dict[str, Tested]:
    return {
        name: _gathered([[row[1], _peer(row[2]), *row[3:]] for row in rows if row[0] == name])
        for name in dict.fromkeys(row[0] for row in rows)
    }


def _gathered(rows: Sequence[Any]) -> Tested:
    folds, choices, measures, seconds, validation = (list(each) for each in zip(*rows, strict=True))
    return Tested(folds, choices, measures, float(np.median(seconds)), validation)


def _way(way: Sequence[Any]) -> str:
    """Say what was chosen."""
    (values, weights, normalise, n_components, _, _), (kind, n_neighbours, power, likeness) = way
    named = {given: name for name, given in ({"user-item alone": ALONE} | WEIGHTS).items()}
    related = named[tuple((name, weight) for name, weight in weights)]
    scale = "" if normalise == "none" else f", {normalise.capitalize()} norm 1"
    asked = "" if kind == "positions" else f", {n_neighbours} neighbours, {likeness}, sharpness {power:g}"
    return f"{values}; {related}{scale}; {n_components} dimensions; {kind}{asked}"


def _peer(peer: Sequence[Any]) -> str:
    _, values, settings = peer
    return "; ".join([values, *(f"{name} {value:g}" for name, value in settings)])
