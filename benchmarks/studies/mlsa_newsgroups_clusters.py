"""Sec. 5.2 of [Wang2006]: k-means on emails as words, in LSA's space and in that of M-LSA.

Every clustering is started twenty times from random emails, the same ones for every method, and measured by
[F, NMI, ARI, inertia] a start; means over the starts are the paper's measure. Starts are not data, so the same is done
for random parts of the emails, and what a user gets, the best of ten careful starts, stands beside it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from mlsa_newsgroups_emails import PAPER, Emails, Setting, View, emails, relations, view
from mlsa_newsgroups_paper import TABLE_2, TABLE_3, likeness, strongest
from sklearn.cluster import KMeans
from sklearn.preprocessing import normalize

from tacit import LSI, MLSA
from tacit.evaluate import clustering_f, clustering_report
from tacit.tasks.cluster.clustering import cluster

__all__ = ["concepts", "curves", "ladder", "progress", "readings", "spaces", "starts", "subsets", "weights_table"]

Method = tuple[str, Emails, Setting | None]  # without a setting it is LSA
DIMENSIONS = (5, 10, 20, 30, 50, 100)
# what the readings change: how texts are counted, and how counts are weighted
READINGS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "": ({}, {}),
    "more stop words": ({"more_stop_words": True}, {}),
    "words of two emails or more": ({"min_emails": 2}, {}),
    "ln(N / df) + 1": ({}, {"least_idf": 1.0}),
    "tf, not 1 + ln tf": ({}, {"log_counts": False}),
    "no stems": ({"stemmed": False}, {}),
}


def progress(text: str) -> None:
    """Say on the error output what is done."""
    print(text, file=sys.stderr, flush=True)


def starts(positions: Any, groups: Any, n_starts: int, *, unit: bool = True) -> list[list[float]]:
    """Measure k-means from random starts, with as many clusters as groups: [F, NMI, ARI, inertia] of each."""
    rows = normalize(positions) if unit else positions
    names, numbers = np.unique(groups, return_inverse=True)  # numbers are compared faster than names
    found = []
    for seed in range(n_starts):
        means = KMeans(len(names), init="random", n_init=1, random_state=seed).fit(rows)
        report = clustering_report(numbers, means.labels_)
        found.append([report["f"], report["nmi"], report["ari"], float(means.inertia_)])
    return found


def spaces(seen: View, setting: Setting | None, n_dimensions: int) -> Any:
    """Give the emails' positions in the space of LSA (no setting) or of M-LSA."""
    if setting is None:
        return LSI(n_dimensions).fit(seen.words).transform(seen.words)
    return MLSA(n_dimensions).fit(relations(seen, setting)).positions_["email"]


def readings(posts: Any, *, n_starts: int, quick: bool) -> Iterator[list[Any]]:
    """Measure what the paper leaves open: [text, reading, words shared with table 2, how far off, LSA, M-LSA]."""
    for text in ("bodies", "both"):
        for name, (counting, weighing) in list(READINGS.items())[:: 6 if quick else 1]:
            if text == "both" and name not in ("", "words of two emails or more", "no stems"):
                continue
            mails = emails(posts, text=text, **counting)
            seen = view(mails, scale=PAPER.scale, **weighing)
            model = MLSA(20).fit(relations(seen, PAPER))
            shared, off = likeness(_weights(model, mails)) if counting.get("stemmed", True) else (None, None)
            lsa = starts(spaces(seen, None, 20), mails.groups, n_starts)
            mlsa = starts(model.positions_["email"], mails.groups, n_starts)
            progress(f"{text} {name}: LSA {np.mean(lsa, axis=0)[0]:.3f}, M-LSA {np.mean(mlsa, axis=0)[0]:.3f}")
            yield [text, name, shared, off, lsa, mlsa]


def concepts(mails: Emails) -> list[list[tuple[str, float]]]:
    """Table 2: the first five concepts, each with its ten strongest words and their weights.

    An eigenvector has two ends and no sign: the end that shares more words with the paper's concept is shown.
    """
    model = MLSA(20).fit(relations(view(mails, scale=PAPER.scale), PAPER))
    ends = [strongest(weights) for weights in _weights(model, mails)]
    return [
        max(pair, key=lambda end, theirs=theirs: len(theirs.keys() & dict(end).keys()))  # type: ignore[misc]
        for theirs, *pair in zip(TABLE_2, ends[0::2], ends[1::2], strict=False)
    ]


def curves(
    mails: Emails, text: str, settings: dict[str, Setting | None], *, n_starts: int, raw: bool, quick: bool
) -> Iterator[list[Any]]:
    """Figure 5: [text, rows, method, dimensions, starts]; words have no dimensions."""
    yield [text, "unit", "TF-IDF", None, starts(view(mails).words, mails.groups, n_starts)]
    dimensions = (5, 20) if quick else DIMENSIONS
    for name, setting in settings.items():
        positions = spaces(view(mails, scale=setting.scale if setting else 0.0), setting, max(dimensions))
        for k in dimensions:
            for rows in ("unit", "raw") if raw else ("unit",):
                found = starts(positions[:, :k], mails.groups, n_starts, unit=rows == "unit")
                yield [text, rows, name, k, found]
        progress(f"curve of {name}, {text}: done")


def weights_table(mails: Emails, *, n_starts: int, quick: bool) -> Iterator[list[Any]]:
    """Table 3: [α, β, starts] with 20 dimensions and γ = 1 - α - β."""
    seen = view(mails, scale=0.0)
    for alpha, row in TABLE_3.items():
        for beta in row:
            if quick and (alpha, beta) not in ((0.3, 0.5), (0.9, 0.1)):
                continue
            setting = Setting(beta, alpha, round(1 - alpha - beta, 10), scale=0.0)
            yield [alpha, beta, starts(spaces(seen, setting, 20), mails.groups, n_starts)]
    progress("table 3: done")


def ladder(methods: Sequence[Method], *, n_starts: int, n_seeds: int) -> Iterator[list[Any]]:
    """Measure one method after the other with 20 dimensions: [name, starts, F of the best of ten careful starts]."""
    for name, mails, setting in methods:
        positions = spaces(view(mails, scale=setting.scale if setting else 0.0), setting, 20)
        n_groups = len(set(mails.groups))
        careful = [
            clustering_f(mails.groups, cluster(positions, n_groups, random_state=seed).labels)
            for seed in range(n_seeds)
        ]
        found = starts(positions, mails.groups, n_starts)
        progress(f"{name}: F {np.mean(found, axis=0)[0]:.3f}, best of ten {np.mean(careful):.3f}")
        yield [name, found, careful]


def subsets(methods: Sequence[Method], *, n_subsets: int, n_starts: int) -> dict[str, list[list[float]]]:
    """Measure methods on random parts of four fifths of the emails: [F, NMI, ARI], means over the starts, a part."""
    found: dict[str, list[list[float]]] = {name: [] for name, _, _ in methods}
    for seed in range(n_subsets):
        for name, mails, setting in methods:
            n = len(mails.groups)
            part = mails.part(np.sort(np.random.default_rng(seed).permutation(n)[: 4 * n // 5]))
            positions = spaces(view(part, scale=setting.scale if setting else 0.0), setting, 20)
            found[name].append(np.mean(starts(positions, part.groups, n_starts), axis=0)[:3].tolist())
        if len(methods) > 1:
            progress(f"part {seed}: " + ", ".join(f"{name} {values[-1][0]:.3f}" for name, values in found.items()))
    return found


def _weights(model: MLSA, mails: Emails) -> list[dict[str, float]]:
    """Give the words' weights in the first eight concepts, and the same with the other sign, in turn."""
    columns = model.concepts_["word"].T[:8].tolist()
    signed = ([sign * weight for weight in column] for column in columns for sign in (1, -1))
    return [dict(zip(mails.vocabulary, column, strict=True)) for column in signed]
