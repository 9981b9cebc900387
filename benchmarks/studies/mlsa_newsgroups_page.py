"""Writes the page of the study of M-LSA on newsgroups from its numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from mlsa_newsgroups_conclusion import conclusion
from mlsa_newsgroups_figures import CLASSES_PICTURE, CLUSTERS_PICTURE
from mlsa_newsgroups_numbers import best_of_ten, compared, corrected, grouped, related, said, welch
from mlsa_newsgroups_paper import CLASSES, CLUSTERS, TABLE_2, TABLE_3, TABLE_4
from pages import mean_and_spread, table

__all__ = ["page"]

_TEXTS = {"bodies": "bodies", "both": "subjects and bodies"}


def page(numbers: Mapping[str, Any]) -> str:
    """Give the text of the page."""
    sizes = numbers["sizes"]
    data = (
        f"**Data.** The five comp.* groups of 20 Newsgroups: {sizes['emails']:,} emails, {sizes['subjects']:,} "
        f"subjects (the paper has 2,933), {sizes['authors']:,} authors, {sizes['organizations']:,} organizations, "
        f"{sizes['words']:,} stems, {sizes['words of bodies']:,} in the bodies. The header that lists the newsgroups "
        "is not used. Word weights are (1 + ln tf) ln(N / df), with rows of unit length and Porter stems."
    )
    return "\n\n".join(
        [
            data,
            f"## Conclusion\n\n{conclusion(numbers)}",
            _readings(numbers),
            _concepts(numbers),
            _curves(numbers),
            _weights(numbers),
            _choice(numbers),
            _parts(numbers),
            _classes(numbers),
            _words(numbers),
            f"The whole study took {numbers['seconds'] / 60:.0f} minutes. {numbers['facts']}",
        ]
    )


def _readings(numbers: Mapping[str, Any]) -> str:
    rows = []
    for text, name, shared, off, lsa, mlsa in numbers["readings"]:
        like = ["", ""] if shared is None else [", ".join(map(str, shared)), f"{off:.2f}"]
        rows.append(
            [_TEXTS[text], name or "nothing", *like, *(mean_and_spread([s[0] for s in x]) for x in (lsa, mlsa))]
        )
    rows.append(["the paper", "", "", "", *(f"{CLUSTERS[name]:.3f}" for name in ("LSA", "M-LSA"))])
    header = ("words of", "changed", "words shared with table 2, of 10", "weights off", "LSA, F", "M-LSA, F")
    return (
        "## What the paper leaves open\n\nHow are words weighted, and do an email's words include its subject line? "
        "Table 2 of the paper gives the answer: for each of its five concepts, the share of its ten words that one of "
        "our concepts also has, and how far their weights are off (0 is equal, 1 is as far as having no weights at "
        "all). F with 20 "
        "dimensions and the paper's weights .3, .5 and .2. Stems are the paper's; without them both methods do "
        f"better.\n\n{table(header, rows)}"
    )


def _concepts(numbers: Mapping[str, Any]) -> str:
    ours = numbers["table 2"]
    rows = []
    for place in range(len(ours[0])):
        theirs = [list(column.items())[place] for column in TABLE_2]
        cells = []
        for (word, weight), (their_word, their_weight) in zip((each[place] for each in ours), theirs, strict=True):
            cells.append(f"{word} {weight:.3f} / {their_word} {their_weight:.3f}")
        rows.append(cells)
    header = [f"concept {number}" for number in range(1, len(ours) + 1)]
    return (
        "## Table 2: the first concepts\n\n"
        "Words of bodies, ours / the paper's. An eigenvector has no sign; the end closer to the paper's is shown. "
        f"The paper's *controll* is our *control*.\n\n{table(header, rows)}"
    )


def _curves(numbers: Mapping[str, Any]) -> str:
    found: dict[tuple[str, str, str], dict[Any, Any]] = {}
    for text, form, name, k, starts in numbers["curves"]:
        found.setdefault((text, form, name), {})[k] = starts
    sizes = list(next(cells for key, cells in found.items() if key[2] == "LSA"))
    rows = []
    for (text, form, name), cells in found.items():
        values = [cells[k if k in cells else None] for k in sizes]
        length = "unit length" if form == "unit" else "as they are"
        rows.append([_TEXTS[text], length, name, *(mean_and_spread([s[0] for s in each]) for each in values)])
    header = ("words of", "rows", "method", *map(str, sizes))
    return (
        f"## Clusters: figure 5\n\n![F of the clusters by dimensions]({CLUSTERS_PICTURE})\n\nF with its standard "
        "deviation over twenty random starts, by dimensions. With rows of unit length, k-means compares cosines; with "
        "unscaled rows it groups the long ones together, and LSA falls far below what the paper "
        f"reports.\n\n{table(header, rows)}"
    )


def _weights(numbers: Mapping[str, Any]) -> str:
    found = {(alpha, beta): np.mean([s[0] for s in starts]) for alpha, beta, starts in numbers["table 3"]}
    betas = list(TABLE_3[0.1])
    rows = []
    for alpha, theirs in TABLE_3.items():
        cells = [f"{found[alpha, b]:.3f} / {theirs[b]:.3f}" if (alpha, b) in found else "" for b in betas]
        rows.append([f"{alpha:g}", *cells])
    return (
        "## Table 3: weights for clusters\n\n"
        "F with 20 dimensions, ours / the paper's: α of emails and subjects in rows, β of emails and words in "
        "columns, the rest is γ of subjects and words. Words of "
        f"bodies.\n\n{table(('α', *(f'β = {b:g}' for b in betas)), rows)}"
    )


def _choice(numbers: Mapping[str, Any]) -> str:
    choice = numbers["choice"]
    here = {name: (starts, careful) for name, starts, careful in (*numbers["ladder"], *numbers["steps"])}
    here |= {said(choice["chosen"]): here["M-LSA, chosen"], said(choice["second"]): here["M-LSA, runner-up"]}
    rows = []
    for setting, found in choice["trials"]:
        starts, careful = here.get(said(setting), (None, None))
        own = [mean_and_spread([s[0] for s in starts]), best_of_ten(careful)] if starts else ["", ""]
        rows.append([said(setting), *(f"{value:.3f}" for value in found), f"{np.mean(found):.3f}", *own])
    families = [f"{family}.*" for family in choice["families"]]
    header = ("method", *families, "mean", "comp.*, random starts", "comp.*, best of ten")
    return (
        "## Beyond the paper: scaled subjects, authors, organizations\n\nIn a table of zeros and ones, a thread of "
        "seventy emails gets its own concept and takes it away from a topic. Therefore subjects, authors and "
        "organizations are scaled down by their number of emails. The kind of scaling, and the weight relative to "
        "words of weight 1, were chosen on other groups, by the mean F (20 dimensions, ten starts on each of four "
        "subsets of four fifths). The last two columns are for comp.*, which was not used for the choice: mean over "
        "twenty random starts, and the best of ten careful starts, as `tacit.tasks.cluster.clustering` does. Words of "
        "subjects and bodies. That scaling helps was first seen on comp.* itself; the choice among the candidates was "
        "not made there.\n\n"
        f"{table(header, rows)}\n\n"
        f"Chosen: {related(choice['chosen'])}. Runner-up: {related(choice['second'])}."
    )


def _parts(numbers: Mapping[str, Any]) -> str:
    parts = numbers["parts"]
    rows = []
    for name, values in parts.items():
        starts = next(found for own, found, _ in numbers["ladder"] if own == name)
        careful = next(found for own, _, found in numbers["ladder"] if own == name)
        cells = [mean_and_spread(column) for column in zip(*values, strict=True)]
        rows.append([name, mean_and_spread([s[0] for s in starts]), best_of_ten(careful), *cells])
    header = ("method", "F, 20 starts", "F, best of ten", "F, 20 subsets", "NMI, 20 subsets", "ARI, 20 subsets")
    pairs = [
        ("M-LSA as the paper, bodies", "LSA, bodies"),
        ("M-LSA as the paper", "LSA"),
        ("M-LSA, chosen", "LSA"),
        ("M-LSA, runner-up", "LSA"),
        ("M-LSA, chosen", "M-LSA as the paper"),
    ]
    tests = []
    for ours, other in pairs:
        by_measure = [compared([v[j] for v in parts[ours]], [v[j] for v in parts[other]]) for j in range(3)]
        tests.append([ours, other, welch(numbers["ladder"], ours, other), *by_measure])
    test_header = ("method", "against", "F, 20 starts", "F, 20 subsets", "NMI, 20 subsets", "ARI, 20 subsets")
    return (
        "## Clusters: is the difference more than chance?\n\nThe paper tests over twenty starts on the same emails. "
        "Starts are not data: leaving out the words that occur in only one email changes F by more than the standard "
        "error over starts (see the interpretations above). Therefore everything was repeated on twenty random "
        "subsets of four fifths of the emails, with ten starts each. The space has exactly 20 dimensions; figure 5 "
        "takes the first of 100, which are the same up to the solver's tolerance, yet F may differ by a point:\n\n"
        f"{table(header, rows)}\n\n"
        "Differences in points, with the number of subsets in which the method is better and the p of a t-test "
        "(Welch's over the starts, paired over the subsets; subsets overlap, so their p is too small rather than too "
        f"large):\n\n{table(test_header, tests)}"
    )


def _classes(numbers: Mapping[str, Any]) -> str:
    found = grouped(numbers["classes"])
    sizes = sorted({k for name, k in found if name == "LSA"})
    curve = [["words", *[mean_and_spread(found["words", 0])] * len(sizes)]]
    curve += [[name, *(mean_and_spread(found[name, k]) for k in sizes)] for name in ("LSA", "M-LSA")]
    weights = grouped(numbers["weights"])
    return "\n\n".join(
        [
            f"## Categories: figures 6 and 7\n\n![Micro F1 by dimensions and by weight]({CLASSES_PICTURE})",
            "Micro F1 over ten random splits, 800 emails per group for training and 200 for testing, by dimensions; "
            "words of subjects and bodies, linear support vector machines on rows of unit length, C chosen for each "
            "cell inside the training emails.",
            table(("method", *map(str, sizes)), curve),
            f"By the weight of emails and labels, {max(sizes) if len(sizes) == 1 else 50} dimensions, "
            f"{len(next(iter(weights.values())))} splits:",
            table(("weight", "micro F1"), [[name, mean_and_spread(values)] for (name, _), values in weights.items()]),
            _ways(numbers, found),
            _fixed(numbers),
        ]
    )


def _ways(numbers: Mapping[str, Any], found: Mapping[Any, list[float]]) -> str:
    k = 50 if ("LSA", 50) in found else max(size for _, size in found)
    rows = []
    for (name, size), values in found.items():
        if size in (0, k):
            others = (("LSA", k), ("words", 0))
            against = ["" if other == (name, size) else corrected(values, found[other]) for other in others]
            rows.append([name, mean_and_spread(values), *against])
    header = ("features", "micro F1", "against LSA", "against words")
    return (
        f"With {k} dimensions, differences in points, with the number of splits in which the method is better and the "
        "p of a paired t-test, corrected for the overlap of the splits according to Nadeau and Bengio (2003). "
        "*Transductive*: "
        "trained on positions that include the emails' own labels. *In-sample*: trained on MLSI's `transform` instead "
        f"of its `fit_transform`, which is honest. *Relations*: {related(numbers['class choice']['chosen'])}, chosen "
        "on the "
        "other groups; a new email is placed by its words, subject and author, as far as these are "
        f"known.\n\n{table(header, rows)}"
    )


def _fixed(numbers: Mapping[str, Any]) -> str:
    found: dict[str, list[float]] = {}
    for _, name, micro in numbers["fixed"]:
        found.setdefault(name, []).append(micro)
    rows = [[name, mean_and_spread(values), f"{CLASSES[name]:.3f}"] for name, values in found.items()]
    return (
        "The paper's results are reproduced with words of bodies, one C of .3 for all and all thresholds at zero:\n\n"
        f"{table(('features', 'micro F1', 'the paper'), rows)}"
    )


def _words(numbers: Mapping[str, Any]) -> str:
    rows = []
    for group, (centroid, near) in numbers["table 4"].items():
        theirs = TABLE_4[group]
        shared = [len(set(own) & set(their)) for own, their in zip((centroid, near), theirs, strict=True)]
        rows.append([group, " ".join(centroid), " ".join(near), " / ".join(map(str, shared))])
    header = ("group", "mean email", "M-LSA", "shared with the paper's, of 10")
    return (
        "## Table 4: words of the categories\n\nWords of bodies; M-LSA with 50 dimensions, weight .3 for labels, "
        f"without their mean words, by dot products.\n\n{table(header, rows)}"
    )
