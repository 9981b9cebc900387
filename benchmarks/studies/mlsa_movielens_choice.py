"""Settings for MovieLens, chosen without a look at the fold that they are then tested on.

For fold k the ratings of k are hidden. Two validation folds are asked for in turn, the one before and the one after k
(5 and 1 are neighbours), each with the other three for training. So what is chosen for k has not seen k, and the five
test results together are an honest estimate. A choice for all folds at once is what one would use in the end; it has
seen every rating, if never as a test.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from mlsa_movielens_paper import measures
from mlsa_movielens_trial import FOLDS, PAPER_SPACE, Films, Floats, Rule, Space, fit, progress, rank_gain, scores_in

__all__ = [
    "ALONE",
    "FAMILIES",
    "WEIGHTS",
    "Validation",
    "Way",
    "choices",
    "neighbours_of",
    "search",
    "space_validation",
    "variants",
]


class Way(NamedTuple):
    """A space and how films are scored in it."""

    space: Space = PAPER_SPACE
    rule: Rule = Rule()


Stage = Callable[[Way], Iterable[Way]]

_WORDS = (("user-item", 0.5), ("user-word", 0.5))
_GENRES = (("user-genre", 0.1),)
_PEOPLE = (("user-age", 0.03), ("user-occupation", 0.03), ("user-gender", 0.03))
_EVERYTHING = (*_WORDS, ("item-word", 0.1), *_GENRES, ("user-decade", 0.1), *_PEOPLE)
WEIGHTS = {
    "the paper's": PAPER_SPACE.weights,
    "words": _WORDS,
    "words, also of films": (*_WORDS, ("item-word", 0.1)),
    "words, genres": (*_WORDS, *_GENRES),
    "words, genres, also of films": (*_WORDS, *_GENRES, ("item-genre", 0.1)),
    "words, decades": (*_WORDS, ("user-decade", 0.1)),
    "words, people": (*_WORDS, *_PEOPLE),
    "everything": _EVERYTHING,
}
ALONE = (("user-item", 1.0),)
_ONLY_RATINGS = Way(PAPER_SPACE._replace(weights=ALONE))
_HEAVY = {
    "words, genres, heavy": (*_WORDS, ("user-genre", 0.5)),
    "words, decades, heavy": (*_WORDS, ("user-decade", 0.5)),
    "words, people, heavy": (*_WORDS, ("user-age", 0.3), ("user-occupation", 0.3), ("user-gender", 0.3)),
}
_VALUES = ("Pearson rows", "ratings", "0/1", "liked", "above two")


class Validation:
    """Rank gains on validation folds, each measured once; `score` gives those of a candidate from known ratings."""

    def __init__(
        self, films: Films, score: Callable[[Films, Any, Any, Hashable], Floats], folds: Sequence[int] = FOLDS
    ) -> None:
        self._films, self._score, self.folds = films, score, folds
        self._gains: dict[Hashable, float] = {}

    def __call__(self, candidate: Any, fold: int) -> float:
        """Give the mean over the two validation folds of a test fold."""
        return float(np.mean([self._gain(candidate, fold, other) for other in neighbours_of(fold)]))

    def of(self, fold: int) -> Callable[[Any], float]:
        """Give what the settings for a fold are chosen by."""
        return lambda candidate: self(candidate, fold)

    def mean(self, candidate: Any) -> float:
        """Give the mean over all test folds."""
        return float(np.mean([self(candidate, fold) for fold in self.folds]))

    def _gain(self, candidate: Any, hidden: int, asked: int) -> float:
        if (candidate, hidden, asked) not in self._gains:
            # both ways round at once: they have the same ratings for training
            pair = [self._films.split(asked, hidden=hidden), self._films.split(hidden, hidden=asked)]
            scored = self._score(self._films, pair[0].known, candidate, frozenset((hidden, asked)))
            for split, where in zip(pair, ((hidden, asked), (asked, hidden)), strict=True):
                self._gains[candidate, *where] = rank_gain(scored, split)
        return self._gains[candidate, hidden, asked]


def space_validation(films: Films, folds: Sequence[int] = FOLDS) -> Validation:
    """Validate ways; a space is fitted once for all rules."""
    known_places: dict[Hashable, Any] = {}

    def score(films: Films, known: Any, way: Way, where: Hashable) -> Floats:
        if (way.space, where) not in known_places:
            known_places[way.space, where] = fit(films, known, way.space).positions_
        return scores_in(known, way.rule, known_places[way.space, where])

    return Validation(films, score, folds)


def neighbours_of(fold: int) -> tuple[int, int]:
    """Give the folds before and after one, in a ring."""
    place = FOLDS.index(fold)
    return FOLDS[place - 1], FOLDS[(place + 1) % len(FOLDS)]


def search(start: Way, stages: Sequence[Stage], value: Callable[[Way], float]) -> Way:
    """Improve one thing after the other; what was there before wins a tie."""
    best = start
    for options in stages:
        best = max((best, *options(best)), key=value)
    return best


def _rules(way: Way) -> Iterator[Way]:
    for rule in (Rule("sum"), Rule("liked"), Rule("liked", 200, 5.0), Rule("positions")):
        yield way._replace(rule=rule)


def _values(way: Way) -> Iterator[Way]:
    for values in _VALUES:
        yield way._replace(space=way.space._replace(values=values, normalise="frobenius"))


def _weights(way: Way) -> Iterator[Way]:
    for weights in WEIGHTS.values():
        yield way._replace(space=way.space._replace(weights=weights, normalise="frobenius"))


def _dimensions(way: Way) -> Iterator[Way]:
    for k in (7, 10, 14, 20, 30, 50):
        yield way._replace(space=way.space._replace(n_components=k))


def _neighbours(way: Way) -> Iterator[Way]:
    for n in (50, 100, 200, 300) if way.rule.kind != "positions" else ():
        yield way._replace(rule=way.rule._replace(n_neighbours=n))


def _powers(way: Way) -> Iterator[Way]:
    for power in (1.0, 3.0, 5.0, 8.0, 12.0) if way.rule.kind != "positions" else ():
        yield way._replace(rule=way.rule._replace(power=power))


def _likeness(way: Way) -> Iterator[Way]:
    for kind in ("correlation", "product") if way.rule.kind != "positions" else ():
        yield way._replace(rule=way.rule._replace(likeness=kind))


_TUNED = (_dimensions, _neighbours, _powers, _likeness)
FAMILIES: dict[str, tuple[Way, Sequence[Stage]]] = {
    "LSA, eq. 7": (_ONLY_RATINGS, (_values, *_TUNED)),
    "M-LSA, eq. 7": (Way(), (_values, _weights, *_TUNED)),
    "LSA, any rule": (_ONLY_RATINGS, (_rules, _values, *_TUNED)),
    "M-LSA, any rule": (Way(), (_rules, _values, _weights, *_TUNED)),
}


def choices(films: Films, validation: Validation, *, quick: bool = False) -> list[list[Any]]:
    """Choose for each family and fold, and once for all folds; test, and give what came out.

    A row has family, test fold, whether the choice was for all folds, the way, its measures, seconds to fit, and what
    it reached in validation.
    """
    found: list[list[Any]] = []
    for family, (start, stages) in FAMILIES.items():
        used = [_first(stage) for stage in stages] if quick else stages
        once = search(start, used, validation.mean)
        progress(f"{family}: all folds choose {once}, {validation.mean(once):.2f} in validation")
        for fold in FOLDS[:2] if quick else FOLDS:
            own = search(start, used, validation.of(fold))
            for way, for_all in ((own, False), (once, True)):
                found.append([family, fold, for_all, way, *_tested(films, way, fold), validation(way, fold)])
            progress(f"{family}, fold {fold}: {found[-2][4][0]:.2f}, with the choice of all {found[-1][4][0]:.2f}")
    return found


def variants(validation: Validation, way: Way) -> list[list[Any]]:
    """Change one thing of a way: what, to what, and rank gains in validation, fold by fold; the way itself first."""
    space, rule = way
    tried = [("", "as chosen", way)]
    for name, weights in ({"user-item alone": ALONE} | WEIGHTS | _HEAVY).items():
        tried.append(("relations", name, way._replace(space=space._replace(weights=weights))))
    tried += [("a rating is", name, way._replace(space=space._replace(values=name))) for name in _VALUES]
    for name in ("eq. 7", "sum", "liked", "positions"):
        tried.append(("rule", name, way._replace(rule=rule._replace(kind=name))))
    for name in ("correlation", "product"):
        tried.append(("similarity", name, way._replace(rule=rule._replace(likeness=name))))
    found: list[list[Any]] = []
    for what, name, other in tried:
        if other != way or not what:
            found.append([what, name, [validation(other, fold) for fold in validation.folds]])
            progress(f"{what} {name}: {np.mean(found[-1][2]):.2f} in validation")
    return found


def _first(stage: Stage) -> Stage:
    return lambda way: list(stage(way))[:1]


def _tested(films: Films, way: Way, fold: int) -> tuple[list[float], float]:
    split = films.split(fold)
    start = time.process_time()
    model = fit(films, split.known, way.space)
    seconds = time.process_time() - start
    return measures(scores_in(split.known, way.rule, model.positions_), split), seconds
