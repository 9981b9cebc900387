"""Choose the weights of relations by a score of the space.

A coordinate search: it starts from the better of the given weights and weights that make all relations equally large,
and tries each weight multiplied and divided by a factor, and 0. Whatever improves the score is kept; when nothing does,
the factor becomes smaller. Only proportions matter, so settings that differ by a common factor are tried once. Six
weights need some dozens of fits; a grid of five values would need thousands.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from tacit.checks import as_rng, check_count, check_number
from tacit.errors import InputError
from tacit.evaluate.held_out import hold_out
from tacit.evaluate.progress import show_progress
from tacit.models.mlsa.mlsa import MLSA
from tacit.relations.tables.relations import Relations
from tacit.relations.tables.scaling import normalised

__all__ = ["WeightChoice", "WeightTrial", "choose_weights"]

Weights = dict[str, float]
ProgressCallback = Callable[[int, int, "WeightTrial"], None]
Task = tuple[Relations, Callable[[MLSA], float]]  # relations to fit, and the function that scores the fit


class WeightTrial(NamedTuple):
    """Weights by name of the relation, and the score of the space."""

    weights: Weights
    score: float


@dataclass(frozen=True, eq=False)
class WeightChoice:
    """The result of a search over weights.

    Attributes
    ----------
    weights : dict
        The best weights, the largest being 1, by name of the relation; for `MLSA(weights=...)` or
        `Relations.with_weights`.
    score : float
        Their score on what was withheld. As the best of many it is slightly optimistic.
    trials : tuple of WeightTrial
        All trials, in order; the first has the given weights.
    finished : bool
        Whether the search ended before it had used `n_trials`.
    """

    weights: Weights
    score: float
    trials: tuple[WeightTrial, ...]
    finished: bool

    @property
    def gain(self) -> float:
        """Score of the best weights minus that of the given weights."""
        return self.score - self.trials[0].score

    def table(self, limit: int = 10) -> str:
        """Return the best trials as text, best first, one line each."""
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
    progress: bool | ProgressCallback = False,
    random_state: Any = 0,
) -> WeightChoice:
    """Search for the weights of relations that give the best score.

    Parameters
    ----------
    relations : Relations
    target : name or pair of types, optional
        The relation that the space should predict. A share of it is withheld; the score is the nDCG at 10 of the
        withheld entries over all rows. Its columns are what is predicted: items for users, labels for records.
    score : callable, optional
        Instead of `target`, a function from a fitted `MLSA` to a number, the larger the better. The data it measures
        with must not be in `relations`; `hold_out` withholds it.
    model : MLSA, optional
        Dimensions and solver of the spaces that are tried; `MLSA(n_components=20)` by default. Its weights are the
        start.
    n_trials : int, default 100
        Maximum number of settings to try.
    share : float, default 0.2
        With `target`: the share of it to withhold.
    n_splits : int, default 3
        With `target`: number of random parts to withhold in turn. The score is the mean, and each trial fits as many
        spaces; if hundreds of thousands of entries are withheld, one split is enough.
    progress : bool or callable, default False
        True shows progress on standard error, with a line for each better setting. A callable is called with the
        number of the trial, `n_trials` and the `WeightTrial`.
    random_state : int, generator or None, default 0
        With `target`: seed of what is withheld.

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
            "Pass the relation to predict, or a function that scores a space."
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
    search = _Search(tasks, space, n_trials, progress if callable(progress) else _Progress() if progress else None)
    finished = search.run()
    best = max(search.trials.values(), key=lambda trial: trial.score)
    return WeightChoice(best.weights, best.score, tuple(search.trials.values()), finished)


_FACTORS = (4.0, 2.0, 2**0.5)
_CLOSE_ENOUGH = 1e-4  # relative gain of the score below which a step is not worth its trials
_LOWEST = -float(np.finfo(np.float64).max)


class _Search:
    """The coordinate search; `trials` keeps what was tried, by proportions."""

    def __init__(self, tasks: list[Task], model: MLSA, n_trials: int, report: ProgressCallback | None) -> None:
        self.tasks, self.model, self.n_trials, self.report = tasks, model, n_trials, report
        self.trials: dict[tuple[float, ...], WeightTrial] = {}
        blocks = tasks[0][0].blocks
        self.names = [block.name for block in blocks]
        self.given = np.asarray([block.weight for block in blocks])
        normal = [block.normalised for block in blocks]  # without the weights
        norms = [float(scale / normalised(factors, "frobenius")[0]) for scale, factors in normal]
        self.equal = np.asarray([1 / norm for norm in norms])

    def run(self) -> bool:
        """Search; return whether it ended before all trials were used."""
        try:
            best = max((self._try(start) for start in (self.given, self.equal)), key=lambda trial: trial.score)
            for factor in _FACTORS:
                improves = True
                while improves:  # rounds over all weights
                    before = best.score
                    for place in range(len(self.names)):
                        for weights in self._steps(best, place, factor):
                            best = max(best, self._try(weights), key=lambda trial: trial.score)
                    improves = best.score > before + _CLOSE_ENOUGH * abs(before)
        except _SpentError:
            return False
        return True

    def _steps(self, best: WeightTrial, place: int, factor: float) -> Iterator[np.ndarray]:
        """Yield the settings that differ from the best in one weight; only the largest factor tries zero."""
        now = np.asarray(list(best.weights.values()))
        own = now[place]
        at_zero = self.equal[place] * now.max() / self.equal.max()  # so that a relation that was left out can return
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
            if self.report is not None:
                self.report(len(self.trials), self.n_trials, self.trials[key])
        return self.trials[key]


class _SpentError(Exception):
    """All trials are used."""


class _Progress:
    """Shows each better setting on a line of its own, and the number of trials below on a terminal."""

    def __init__(self) -> None:
        self.best = -np.inf

    def __call__(self, number: int, most: int, trial: WeightTrial) -> None:
        better = ""
        if trial.score > self.best:
            self.best = trial.score
            weights = ", ".join(f"{name} {weight:.3g}" for name, weight in trial.weights.items())
            better = f"{number:4d}/{most}  {trial.score:.4f}  {weights}"
        show_progress(number, most, "", stays=better)
