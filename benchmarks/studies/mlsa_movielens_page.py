"""The page of the study of M-LSA on MovieLens: its text and its tables, all numbers from those that were measured."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from textwrap import fill
from typing import Any

from mlsa_movielens_choice import WEIGHTS
from mlsa_movielens_conclusion import conclusion
from mlsa_movielens_numbers import Numbers, ahead, percent, spread
from mlsa_movielens_paper import CORNERS, METHODS, PAPER_FIGURE_2, PAPER_TABLE_1, READINGS

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # a study is run as a script and shares `pages`
from pages import table

__all__ = ["page"]

_METHOD = """\
**Method.** Every film that a user has not rated in the training part is ranked; equal scores count as the mean over all
their orders. *Rank gain* is the paper's half-life utility with a half-life of 5 ranks: 100 means that each user's test
films are on top, best first; only ratings above the mean of the user's training ratings count. Unless stated otherwise,
spaces have 20 dimensions and users 50 neighbours, by the cosine of their positions, and weights are .3, .5 and .2 for
user-item, user-word and item-word, all as in the paper. *Eq. 7* is exactly the paper's equation: deviations of the
neighbours' ratings from their means, weighted by similarity and divided by the weights of all neighbours. *Sum* omits
the means and the division, which is the default of `Recommender`. ± is the standard deviation over the folds."""

_READINGS = """\
The paper makes user-item "with the ratings" and weights words "by the standard TF-IDF scheme". It does not say whether
ratings are used unchanged, how they are brought to the scale of the words, or which TF-IDF is meant. Its table 1 gives
the answer: three of its cells are enough to see which interpretation the paper used. *Pearson rows* are ratings minus
the user's mean, with rows of unit length; their products are the correlations of the Pearson method. *tf-idf* here is
ln(n / frequency) of all words, with rows of unit length; *smooth* is the variant of scikit-learn and of `Relations`.
*Distance* is the mean absolute difference from the paper in the three columns before it. The search used the test
folds: it shows what the paper did, not what is best."""

_CHOSEN = """\
For test fold k, the fold before it and the fold after it are used for validation in turn, each with the other three for
training and the ratings of k hidden, and the best mean is chosen: first the rule, then how a rating is used, the
relations and their weights, dimensions (7 to 50), neighbours (50 to 300), sharpness (the power to which similarities
are raised, 1 to 12), and kind of similarity, one after the other. Each fold may thus have a different choice, and none
was chosen with the fold it is tested on. *One choice* is made for all folds together, as one would in practice; every
rating has influenced it. LSA is M-LSA of user-item alone, chosen in the same way. *Liked* sums only the neighbours'
ratings of 4 and 5; as a way to use ratings it means these ratings, and *above two* the amount above 2. Precision,
recall and nDCG are for the ten best films, where a rating of 4 or 5 is relevant; coverage is the share of all films
that are among the ten best of any user. *Validation* is the rank gain on the validation folds, with three training
folds instead of four; it is lower for all methods, also because the films of the hidden fold are still in the lists.
*Fit* is the time of one fit on one core."""

_PEERS = """\
`implicit` {implicit} has its settings chosen in the same way, on the same folds: how a rating is used (for ALS without
the unchanged ratings, which were far worse in a trial), for ALS 10 to 24 factors and regularisation 10 to 60, for
item-item models 100 or all neighbours. EASE (Steck, 2019) is a ridge regression of each film on all others, in four
lines of NumPy. Popularity is the same list for every user."""

_FILMS = """\
All ratings of a fifth of the films are hidden. The films are folded in by their words and genres (`MLSA.fold_in`), and
ranked among themselves for every user by the cosine with the user's position. A *profile* is the TF-IDF of the words or
genres of the films that a user has rated, compared with that of the film. AUC: how often a film that the user rated 4
or 5 ranks above another. Mean ± standard deviation over {n} fifths; the first fifth was used to find the settings and
is not included."""

_USERS = """\
A fifth of the users is left out of the space. Each is folded in by a few random ratings and by the words and genres of
the rated films, and gets films by the sum over 100 neighbours, as with `Recommender.recommend_new`. Pearson compares
the same few ratings. Both spaces use settings that were often chosen above: ratings of 4 and 5; 20 dimensions with
words and genres for M-LSA, 10 for LSA. Here a rating of 3 or less counts as 0, because a few ratings have no reliable
mean."""


_SEEN = """\
**A caution.** The candidates were not chosen blindly. They were narrowed down on validation folds 1 to 4 and, for the
interpretations, on the test folds. After a first run, whose test results were seen, dimensions of 7 and 14 and a
sharpness of 8 and 12 were added, because LSA had chosen values at the ends of its grid, and the grid of ALS was moved
for the same reason. Before that M-LSA had 35.6 by eq. 7 and 38.2 by any rule, LSA 35.0 and 37.0, ALS 38.9."""


def page(numbers: Mapping[str, Any]) -> str:
    """Give the text of the page."""
    found = Numbers(numbers)
    sizes = numbers["sizes"]
    data = (
        f"**Data.** MovieLens 100K: {sizes['ratings']:,} ratings of {sizes['films']:,} films by {sizes['users']:,} "
        f"users, in the five published folds; {sizes['word']:,} words of the titles, {sizes['genre']} genres, "
        f"{sizes['decade']} decades; age, occupation and gender of the users."
    )
    methods, neighbours, dimensions = (
        f"![{text}](mlsa_movielens_{name}.png)"
        for name, text in (
            ("methods", "Rank gain of five methods, in the paper and here"),
            ("neighbours", "Rank gain by number of neighbours"),
            ("dimensions", "Rank gain by number of dimensions"),
        )
    )
    peers = _PEERS.format(implicit=numbers["implicit"] or "(not installed in this run)")
    return "\n\n".join(
        [
            fill(data, 120),
            _METHOD,
            f"## Conclusion\n\n{conclusion(found)}",
            f"## Five methods (figure 2)\n\n{_figure_2(found)}\n\n{methods}",
            f"## What the paper leaves open\n\n{_READINGS}\n\n{_readings(found)}",
            f"## Weights (table 1)\n\nRank gain by eq. 7; the paper's values in brackets.\n\n{_weights(found)}",
            f"The same by the sum:\n\n{_weights(found, kind='sum')}",
            f"## Neighbours and dimensions (figures 3 and 4)\n\n{neighbours}\n\n{dimensions}",
            f"{_sizes(found, 'figure 3', 'neighbours')}\n\n{_sizes(found, 'figure 4', 'dimensions')}",
            f"## More relations, other rules and other methods\n\n{_CHOSEN}\n\n{peers}\n\n{_everything(found)}",
            _SEEN,
            f"The choices:\n\n{_choices(found)}",
            fill(f"Weights: {_offered()}.", 120, break_on_hyphens=False),
            "Variations of the one choice of M-LSA by any rule: rank gain in validation with one change.\n\n"
            f"{_variants(found)}",
            f"## New films\n\n{_FILMS.format(n=len(found.films('chance')))}\n\n{_films(found)}",
            f"## New users\n\n{_USERS}\n\n{_users(found)}",
            f"The whole study takes {numbers['seconds'] / 60:.0f} minutes on one core. {numbers['facts']}",
        ]
    )


def _figure_2(found: Numbers) -> str:
    best = {kind: found.gains("M-LSA", kind) for kind in ("eq. 7", "sum")}
    rows = []
    for name in METHODS:
        better = [f"{100 * (PAPER_FIGURE_2['M-LSA'] / PAPER_FIGURE_2[name] - 1):+.1f} %"]
        better += [percent(best[kind], found.gains(name, kind)) for kind in best]
        if name == "M-LSA":
            better = ["", "", ""]
        means = [spread(found.gains(name, kind)) for kind in best]
        rows.append([name, f"{PAPER_FIGURE_2[name]:.2f}", *means, *better])
    return table(("method", "paper", "eq. 7", "sum", "M-LSA better, paper", "eq. 7", "sum"), rows)


def _readings(found: Numbers) -> str:
    head = ("user-item; words", "LSA(user-item)", *(f"α={a:g}, β={b:g}" for a, b in CORNERS), "distance")
    paper = ["the paper", f"{PAPER_FIGURE_2['LSA(user-item)']:.2f}", *(f"{PAPER_TABLE_1[c]:.2f}" for c in CORNERS), ""]
    rows = [paper]
    for name in READINGS:
        cells = [found.reading(name, *corner) for corner in ((1.0, 0.0), *CORNERS)]
        rows.append([name, *(f"{cell:.2f}" for cell in cells), f"{found.distance(name):.2f}"])
    return table(head, rows)


def _weights(found: Numbers, kind: str = "eq. 7") -> str:
    steps = (0.1, 0.3, 0.5, 0.7, 0.9)
    rows = []
    for alpha in steps:
        cells = []
        for beta in steps:
            known = (alpha, beta) in PAPER_TABLE_1
            paper = f" ({PAPER_TABLE_1[alpha, beta]:.2f})" if known and kind == "eq. 7" else ""
            cells.append(f"{found.cell(alpha, beta, kind):.2f}{paper}" if known else "")
        rows.append([f"α={alpha:g}", *cells])
    return table(("", *(f"β={beta:g}" for beta in steps)), rows)


def _sizes(found: Numbers, figure: str, what: str) -> str:
    """Give the numbers behind a figure of lines."""
    lines = found.lines(figure)
    sizes = list(next(iter(lines.values())))
    rows = [[f"{name}, {kind}", *(spread(cells[n]) for n in sizes)] for (name, kind), cells in lines.items()]
    return table((what, *(str(n) for n in sizes)), rows)


def _everything(found: Numbers) -> str:
    head = ("", "rank gain", "validation", "P@10", "R@10", "nDCG@10", "coverage@10", "fit")
    rows: list[Sequence[str]] = []
    for kind in ("eq. 7", "sum"):
        rows += [[f"{name}, {kind}", *_measured(found.measured(name, kind))] for name in METHODS]
    for name, each in (found.chosen | found.once | found.peers).items():
        bold = f"**{name}**" if name in found.chosen and name.startswith("M-LSA") else name
        rows.append([bold, *_measured(each.measures, each.validation, each.seconds)])
    return table(head, rows)


def _measured(measures: Sequence[Sequence[float]], validation: Sequence[float] = (), seconds: float = 0.0) -> list[str]:
    gains, *others = zip(*measures, strict=True)
    shown = [f"{sum(each) / len(each):.3f}" for each in others]
    return [spread(gains), spread(validation) if validation else "", *shown, f"{seconds:.2f} s" if seconds else ""]


def _choices(found: Numbers) -> str:
    rows = []
    for name, each in (found.chosen | found.once | found.peers).items():
        for words in dict.fromkeys(each.choices):
            folds = ", ".join(str(fold) for fold, other in zip(each.folds, each.choices, strict=True) if other == words)
            rows.append([name, folds, words])
    return table(("", "folds", "choice"), rows)


def _offered() -> str:
    """Say which weights have which name."""
    return "; ".join(
        f"*{name}* " + ", ".join(f"{relation} {weight:g}" for relation, weight in weights)
        for name, weights in WEIGHTS.items()
    )


def _variants(found: Numbers) -> str:
    tried = found.raw["variants"]
    rows = [[what, name, spread(gains), ahead(gains, tried[0][2])] for what, name, gains in tried]
    return table(("changed", "to", "validation", "difference"), [[*rows[0][:3], ""], *rows[1:]])


def _films(found: Numbers) -> str:
    names = dict.fromkeys(row[0] for row in found.raw["films"])
    rows = []
    for name in names:
        areas, gains = zip(*found.films(name), strict=True)
        rows.append([name, spread(areas, 3), spread(gains, 3)])
    return table(("", "AUC", "nDCG@10"), rows)


def _users(found: Numbers) -> str:
    names = dict.fromkeys(row[0] for row in found.raw["users"])
    known = list(dict.fromkeys(row[1] for row in found.raw["users"]))
    cells = {(name, n): [*zip(*found.users(name, n), strict=True)] for name in names for n in known}
    head = ("ratings known", *(f"{n}, {what}" for n in known for what in ("rank gain", "nDCG@10")))
    rows = [
        [name, *(text for n in known for text in (spread(cells[name, n][0]), spread(cells[name, n][1], 3)))]
        for name in names
    ]
    return table(head, rows)
