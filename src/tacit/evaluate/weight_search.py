"""Choose the weights of relations by what the space is to be good at.

A search by steps: from the better of two starts, the weights as they came and relations of equal size, each weight in
turn is made larger and smaller by a factor, and 0. What helps is kept. When nothing helps any more, the factor becomes
smaller. Only proportions matter, so that settings which differ by a common factor are tried once. A handful of weights
needs some dozens of spaces, each of which is quick; a grid of five values would need thousands for six relations.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from tacit.checks import as_rng, check_count, check_number
from tacit.errors import InputError
from tacit.evaluate.held_out import hold_out
from tacit.models.mlsa.mlsa import MLSA
from tacit.relations.tables.block import Block
from tacit.relations.tables.relations import Relations
from tacit.relations.tables.scaling import normalised

__all__ = ["WeightChoice", "WeightTrial", "choose_weights"]

Weights = dict[str, float]
Progress = Callable[[int, int, "WeightTrial"], None]
Task = tuple[Relations, Callable[[MLSA], float]]  # what to fit to, and how to judge it


class WeightTrial(NamedTuple):
    """Weights that were tried, by name of the relation, and the score of the space."""

    weights: Weights
    score: float


@dataclass(frozen=True, eq=False)
class WeightChoice:
    """What a search over weights found.

    Attributes
    ----------
    weights : dict
        The best weights, the largest being 1, by name of the relation; for `MLSA(weights=...)` or
        `Relations.with_weights`.
    score : float
        Their score, on what was withheld. As the best of many it is a little flattered.
    trials : tuple of WeightTrial
        All that was tried, in order; the first is the weights as they came.
    finished : bool
        Whether the search came to its end, or to `n_trials`.
    """

    weights: Weights
    score: float
    trials: tuple[WeightTrial, ...]
    finished: bool

    @property
    def gain(self) -> float:
        """How much better the best weights are than those that the relations came with."""
        return self.score - self.trials[0].score

    def table(self, limit: int = 10) -> str:
        """Give the best trials as text, best first, a line each."""
        names = list(self.weights)
        widths = [max(len(name), 7) for name in names]
        lines = ["  ".join(["  score", *(f"{name:>{width}}" for name, width in zip(names, widths, strict=True))])]
        for trial in sorted(self.trials, key=lambda trial: -trial.score)[: check_count("limit", limit)]:
            cells = (f"{trial.weights[name]:>{width}.4g}" for name, width in zip(names, widths, strict=True))
            lines.append("  ".join([f"{trial.score:7.4g}", *cells]))
        return "\n".join(lines)


def choose_weights(
    relations: Relations,
    target: Any = None,
    *,
    score: Callable[[MLSA], float] | None = None,
    model: MLSA | None = None,
    n_trials: int = 100,
    share: float = 0.2,
    n_splits: int = 3,
    progress: bool | Progress = False,
    random_state: Any = 0,
) -> WeightChoice:
    """Search for the weights of relations that serve a purpose best.

    Parameters
    ----------
    relations : Relations
    target : name or pair of types, optional
        The relation that the space is to be good at. A share of it is withheld, and the space has to find it again:
        nDCG at 10 over all rows. Its columns are what is looked for: items for users, labels for records.
    score : callable, optional
        Instead of `target`, any purpose of yours: takes a fitted `MLSA` and gives a number, the larger the better. What
        it judges by must not be in `relations`; `hold_out` withholds it.
    model : MLSA, optional
        Dimensions and solver of the spaces that are tried; `MLSA(n_components=20)` if not given. Weights in it are the
        start.
    n_trials : int, default 100
        Most spaces that are tried.
    share : float, default 0.2
        With `target`: how much of it to withhold.
    n_splits : int, default 3
        With `target`: how often, each time another part. The score is the mean, and each trial fits as many spaces;
        where hundreds of thousands of entries are withheld, one split will do.
    progress : bool or callable, default False
        True says a line to standard error whenever a better setting is found, and counts. A callable is given the
        number of the trial, `n_trials` and the `WeightTrial`.
    random_state : int, generator or None, default 0
        With `target`: what is withheld.

    Returns
    -------
    WeightChoice

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> taste, kind = rng.integers(3, size=60), rng.integers(3, size=40)
    >>> rated = (taste[:, None] == kind) & (rng.random((60, 40)) < 0.4)
    >>> noise = rng.random((40, 30)) < 0.2
    >>> graph = Relations().add("user", "item", rated).add("item", "noise", noise)
    >>> found = choose_weights(graph, "user-item", model=MLSA(n_components=3))
    >>> found.weights["user-item"] > found.weights["item-noise"]
    True
    """
    if (target is None) == (score is None):
        raise InputError(
            f"target and score do not go together: got {'neither' if score is None else 'both'}, expected one of them. "
            "Give the relation that is to be found again, or a function that judges a space."
        )
    check_count("n_trials", n_trials)
    space = MLSA(n_components=20) if model is None else model
    relations = relations.with_weights(space.weights or {})
    relations.check()
    if score is None:
        rng, n_splits = as_rng(random_state), check_count("n_splits", n_splits)
        held = (hold_out(relations, target, share=share, random_state=rng) for _ in range(n_splits))
        tasks: list[Task] = [(part.relations, part.ndcg) for part in held]
    else:
        tasks = [(relations, score)]
    search = _Search(tasks, space, n_trials, _reporter(progress))
    finished = search.run()
    best = max(search.trials.values(), key=lambda trial: trial.score)
    return WeightChoice(best.weights, best.score, tuple(search.trials.values()), finished)


_FACTORS = (4.0, 2.0, 2**0.5)
_CLOSE_ENOUGH = 1e-4  # of the score: a step that wins less is not worth its trials
_LOWEST = -float(np.finfo(np.float64).max)


class _Search:
    """The search by steps; `trials` remembers, by proportions, what was tried."""

    def __init__(self, tasks: list[Task], model: MLSA, n_trials: int, report: Progress) -> None:
        self.tasks, self.model, self.n_trials, self.report = tasks, model, n_trials, report
        self.trials: dict[tuple[float, ...], WeightTrial] = {}
        blocks = tasks[0][0].blocks
        self.names = [block.name for block in blocks]
        self.given = np.asarray([block.weight for block in blocks])
        self.equal = np.asarray([1 / _size(block) for block in blocks])

    def run(self) -> bool:
        """Search; say whether it came to an end by itself."""
        try:
            best = max((self._try(start) for start in (self.given, self.equal)), key=lambda trial: trial.score)
            for factor in _FACTORS:
                best = self._walk(best, factor)
        except _SpentError:
            return False
        return True

    def _walk(self, best: WeightTrial, factor: float) -> WeightTrial:
        """Change one weight after the other by the factor, until a round of all of them helps no more."""
        while True:
            before = best.score
            for place in range(len(self.names)):
                for weights in self._steps(best, place, factor):
                    trial = self._try(weights)
                    if trial.score > best.score:
                        best = trial
            if best.score <= before + _CLOSE_ENOUGH * abs(before):
                return best

    def _steps(self, best: WeightTrial, place: int, factor: float) -> Iterator[np.ndarray]:
        """Give the settings next to one that differ from it in one weight; the smallest factor tries no zeros."""
        now = np.asarray(list(best.weights.values()))
        own = now[place]
        at_zero = self.equal[place] * now.max() / self.equal.max()  # a way back for a relation that was left out
        tried = [own * factor, own / factor] if own else [at_zero]
        for weight in [*tried, 0.0] if factor == _FACTORS[0] else tried:
            weights = now.copy()
            weights[place] = weight
            if weights.any():
                yield weights

    def _try(self, weights: np.ndarray) -> WeightTrial:
        proportions = weights / weights.max()
        key = tuple(float(f"{weight:.6g}") for weight in proportions)
        if key not in self.trials:
            if len(self.trials) >= self.n_trials:
                raise _SpentError
            named = dict(zip(self.names, map(float, proportions), strict=True))
            model = clone(self.model).set_params(weights=named)
            found = [float(score(model.fit(graph))) for graph, score in self.tasks]
            self.trials[key] = WeightTrial(named, check_number("score", float(np.mean(found)), low=_LOWEST))
            self.report(len(self.trials), self.n_trials, self.trials[key])
        return self.trials[key]


class _SpentError(Exception):
    """All trials are used."""


def _size(block: Block) -> float:
    """Frobenius norm of a relation as it is normalised, without its weight."""
    scale, factors = block.normalised
    inverse, _ = normalised(factors, "frobenius")
    return float(scale / inverse)


def _reporter(progress: bool | Progress) -> Progress:
    if callable(progress):
        return progress
    return _Lines() if progress else lambda number, most, trial: None


class _Lines:
    """Progress for people: one line for each better setting, a count for the others."""

    def __init__(self) -> None:
        self.best = -np.inf

    def __call__(self, number: int, most: int, trial: WeightTrial) -> None:
        if trial.score > self.best:
            self.best = trial.score
            weights = ", ".join(f"{name} {weight:.3g}" for name, weight in trial.weights.items())
            print(f"\r{number:4d}/{most}  {trial.score:.4f}  {weights}", file=sys.stderr, flush=True)
        elif sys.stderr.isatty():
            print(f"\r{number:4d}/{most}", end="", file=sys.stderr, flush=True)
