"""Section 5.1 of [Wang2006] on MovieLens: its figures 2, 3 and 4, its table 1, and how its matrices may be read.

| symbol | word                       |
|--------|----------------------------|
| α      | weight of user-item, M_12  |
| β      | weight of user-word, M_13  |
| γ      | weight of item-word, M_23  |
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from mlsa_movielens_trial import (
    PAPER_SPACE,
    Films,
    Floats,
    Rule,
    Space,
    Split,
    fit,
    likeness,
    plain_similarities,
    rank_gain,
    scores,
)

from tacit.evaluate import coverage, precision_recall_ndcg

__all__ = [
    "CORNERS",
    "DIMENSIONS",
    "METHODS",
    "NEIGHBOURS",
    "PAPER_FIGURE_2",
    "PAPER_TABLE_1",
    "READINGS",
    "RULES",
    "figures",
    "measures",
    "readings",
    "weights_table",
]

METHODS = ("user-item", "user-word", "LSA(user-item)", "LSA(user-word)", "M-LSA")
RULES = ("eq. 7", "sum")
NEIGHBOURS = (10, 20, 30, 50, 100, 200)
DIMENSIONS = (5, 10, 20, 30, 50, 100)

# the text has M-LSA's figure and how much better it is in percent, from which the others follow
PAPER_FIGURE_2 = {
    "user-item": 34.46 / 1.155,
    "user-word": 34.46 / 1.08,
    "LSA(user-item)": 34.46 / 1.144,
    "LSA(user-word)": 34.46 / 1.06,
    "M-LSA": 34.46,
}
PAPER_TABLE_1 = {
    (0.1, 0.1): 24.47,
    (0.1, 0.3): 32.2,
    (0.1, 0.5): 33.78,
    (0.1, 0.7): 33.57,
    (0.1, 0.9): 33.45,
    (0.3, 0.1): 29.32,
    (0.3, 0.3): 33.92,
    (0.3, 0.5): 34.46,
    (0.3, 0.7): 34.02,
    (0.5, 0.1): 29.81,
    (0.5, 0.3): 32.53,
    (0.5, 0.5): 34.03,
    (0.7, 0.1): 29.08,
    (0.7, 0.3): 31.04,
    (0.9, 0.1): 28.92,
}
CORNERS = ((0.1, 0.1), (0.3, 0.5), (0.9, 0.1))

_SMOOTH = Space(words="content", idf="smooth")
READINGS: dict[str, Space] = {
    "Pearson rows; words tf-idf": Space(),
    "Pearson rows; words tf-idf, smooth, no stop words": _SMOOTH,
    "deviations; words tf-idf": Space("deviations"),
    "deviations; all of Frobenius norm 1": Space("deviations", normalise="frobenius"),
    "deviations; all of spectral norm 1": Space("deviations", normalise="spectral"),
    "ratings; words tf-idf": Space("ratings"),
    "ratings; all of Frobenius norm 1": Space("ratings", normalise="frobenius"),
    "ratings; all of spectral norm 1": Space("ratings", normalise="spectral"),
    "tf-idf of ratings; words tf-idf": Space("tf-idf"),
    "0/1; all of Frobenius norm 1": Space("0/1", normalise="frobenius"),
}


def measures(scored: Floats, split: Split) -> list[float]:
    """Give rank gain, and of the ten best films precision, recall, nDCG and coverage; relevant is 4 or 5."""
    top = precision_recall_ndcg(scored, split.asked, 10, split.known, relevant_from=4)
    return [rank_gain(scored, split), top.precision, top.recall, top.ndcg, coverage(scored, 10, split.known)]


def figures(films: Films, split: Split) -> dict[str, list[Any]]:
    """Measure what figures 2, 3 and 4 show, in one fold, for both rules."""
    largest = max(DIMENSIONS)
    spaces = {
        "LSA(user-item)": PAPER_SPACE._replace(weights=(("user-item", 1.0),)),
        "LSA(user-word)": PAPER_SPACE._replace(weights=(("user-word", 1.0),)),
        "M-LSA": PAPER_SPACE,
    }
    placed = {
        name: fit(films, split.known, space._replace(n_components=largest)).positions_["user"]
        for name, space in spaces.items()
    }
    leading = {name: likeness(each[:, : PAPER_SPACE.n_components]) for name, each in placed.items()}
    alike = plain_similarities(films, split.known) | leading
    found: dict[str, list[Any]] = {"figure 2": [], "figure 3": [], "figure 4": []}
    for kind in RULES:
        for name in METHODS:
            found["figure 2"].append([name, kind, measures(scores(split.known, Rule(kind), alike[name]), split)])
        for name in ("user-item", "user-word", "M-LSA"):
            for n in NEIGHBOURS:
                gain = rank_gain(scores(split.known, Rule(kind, n), alike[name]), split)
                found["figure 3"].append([name, kind, n, gain])
        for name, positions in placed.items():
            for k in DIMENSIONS:
                gain = rank_gain(scores(split.known, Rule(kind), likeness(positions[:, :k])), split)
                found["figure 4"].append([name, kind, k, gain])
    return found


def weights_table(films: Films, split: Split) -> Iterator[list[Any]]:
    """Measure table 1 in one fold: α, β, rank gain by eq. (7) and by the sum."""
    for alpha, beta in PAPER_TABLE_1:
        alike = likeness(fit(films, split.known, _weighted(PAPER_SPACE, alpha, beta)).positions_["user"])
        yield [alpha, beta, *(rank_gain(scores(split.known, Rule(kind), alike), split) for kind in RULES)]


def readings(films: Films, split: Split) -> Iterator[list[Any]]:
    """Measure cells of table 1 in one fold for each reading of the matrices: reading, α, β, rank gain by eq. (7).

    α = 1 stands for LSA of user-item alone.
    """
    for name, space in READINGS.items():
        for alpha, beta in (*CORNERS, (1.0, 0.0)):
            alike = likeness(fit(films, split.known, _weighted(space, alpha, beta)).positions_["user"])
            yield [name, alpha, beta, rank_gain(scores(split.known, Rule(), alike), split)]


def _weighted(space: Space, alpha: float, beta: float) -> Space:
    shares: Mapping[str, float] = {
        "user-item": alpha,
        "user-word": beta,
        "item-word": round(1 - alpha - beta, 9),  # without rounding 1 - .9 - .1 would leave a trace of item-word
    }
    return space._replace(weights=tuple((name, share) for name, share in shares.items() if share > 0))
