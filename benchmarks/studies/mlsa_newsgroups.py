"""Secs. 5.2 and 5.3 of [Wang2006] again: does M-LSA help to cluster and to categorise the postings of newsgroups?

The five comp.* groups of 20 Newsgroups, 5,000 emails. First the paper's figures 5 to 7 and its tables 2 to 4, with the
readings of what it leaves open; then more relations (authors, organizations), chosen on other groups; then MLSI and
all words beside it.

    OMP_NUM_THREADS=1 python benchmarks/studies/mlsa_newsgroups.py [--save FILE] [--write]   # a quarter of an hour
    python benchmarks/studies/mlsa_newsgroups.py --from FILE --write     # the page again, from numbers saved before

`snowballstemmer` is needed for Porter's stems, matplotlib for `--write`.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # a study is run as a script and shares `pages`
from mlsa_newsgroups_choice import CANDIDATES, choose, choose_for_classes
from mlsa_newsgroups_classes import classes, fixed_machines, representative_words, weights_curve
from mlsa_newsgroups_clusters import concepts, curves, ladder, progress, readings, subsets, weights_table
from mlsa_newsgroups_emails import PAPER, Emails, Setting, emails, read_posts
from mlsa_newsgroups_figures import draw
from mlsa_newsgroups_numbers import said
from mlsa_newsgroups_page import page
from pages import facts
from saved_study import SavedStudy

from tacit import TacitWarning

__all__ = ["main", "study"]

_TITLE = "# M-LSA on newsgroups: clusters and categories"


def main(arguments: Sequence[str] | None = None) -> None:
    SavedStudy(
        "mlsa_newsgroups",
        _TITLE,
        study,
        page,
        draw=draw,
        quick="few emails, to see that everything runs",
    ).main(arguments)


def study(data_dir: str | None = None, *, quick: bool = False) -> dict[str, Any]:
    """Measure everything; give the numbers, ready for JSON."""
    start = time.perf_counter()
    posts = read_posts(data_dir, quick=quick)
    others = [family for family in posts if family != "comp"]
    numbers = _clusters(posts, others, quick)
    progress(f"clusters: {time.perf_counter() - start:.0f} s")
    numbers |= _classes(posts, others, quick)
    numbers["seconds"] = time.perf_counter() - start
    return numbers | {"date": date.today().isoformat(), "facts": facts()}


def _clusters(posts: dict[str, Any], others: Sequence[str], quick: bool) -> dict[str, Any]:
    n_starts, n_seeds = (2, 1) if quick else (20, 5)
    both, bodies = emails(posts["comp"]), emails(posts["comp"], text="bodies")
    families = {family: emails(posts[family]) for family in others[: 1 if quick else None]}
    choice = choose(families, n_parts=1 if quick else 4, n_starts=2 if quick else 10, quick=quick)
    best = sorted((each for each in choice["trials"] if each[0]), key=lambda each: -float(np.mean(each[1])))
    chosen, second = (setting for setting, _ in best[:2])
    methods: list[tuple[str, Emails, Setting | None]] = [
        ("LSA, bodies", bodies, None),
        ("M-LSA as the paper, bodies", bodies, PAPER),
        ("LSA", both, None),
        ("M-LSA as the paper", both, PAPER),
        ("M-LSA, chosen", both, chosen),
        ("M-LSA, runner-up", both, second),
    ]
    spaces = {name: setting for name, mails, setting in methods if mails is both}
    steps = [each for each in CANDIDATES if each.subject == 2 and each not in (chosen, second)]
    paper = {"LSA": None, "M-LSA as the paper": PAPER}
    size: dict[str, Any] = {"n_starts": n_starts, "quick": quick}
    return {
        "sizes": _sizes(both, bodies),
        "choice": choice | {"second": second},
        "readings": list(readings(posts["comp"], **size)),
        "table 2": concepts(bodies),
        "curves": [
            *curves(bodies, "bodies", paper, raw=True, **size),
            *curves(both, "both", spaces, raw=False, **size),
        ],
        "table 3": list(weights_table(bodies, **size)),
        "ladder": list(ladder(methods, n_starts=n_starts, n_seeds=n_seeds)),
        "steps": list(ladder([(said(step), both, step) for step in steps], n_starts=n_starts, n_seeds=n_seeds)),
        "parts": subsets(methods, n_subsets=2 if quick else 20, n_starts=2 if quick else 10),
    }


def _classes(posts: dict[str, Any], others: Sequence[str], quick: bool) -> dict[str, Any]:
    # a word of one email only is no help for another, in whichever part of a split it is
    both = emails(posts["comp"], min_emails=2)
    bodies = emails(posts["comp"], text="bodies", min_emails=2)
    families = {family: emails(posts[family], min_emails=2) for family in others[: 1 if quick else None]}
    choice = choose_for_classes(families, quick=quick)
    seeds = range(2) if quick else range(10)
    return {
        "class choice": choice,
        "classes": list(classes(both, choice["chosen"], seeds=seeds, quick=quick)),
        "weights": list(weights_curve(both, seeds=range(1 if quick else 4), quick=quick)),
        "fixed": list(fixed_machines(bodies, seeds=seeds, C=0.3, quick=quick)),
        "table 4": representative_words(emails(posts["comp"], text="bodies")),
    }


def _sizes(both: Emails, bodies: Emails) -> dict[str, int]:
    named = {f"{kind}s": table.shape[1] for kind, table in both.tables.items()}
    return {
        "emails": len(both.groups),
        **named,
        "words": len(both.vocabulary),
        "words of bodies": len(bodies.vocabulary),
    }


if __name__ == "__main__":
    warnings.simplefilter("ignore", TacitWarning)
    main()
