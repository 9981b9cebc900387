"""Sec. 5.1 of [Wang2006] again: does M-LSA find better neighbours for recommending films, and what else can it do?

MovieLens 100K in its five published folds; every film that a user has not rated is ranked; the measure is the paper's
half-life utility, with a half-life of 5 places. First the paper's figures 2 to 4 and its table 1, with the readings of
what it leaves open; then more relations and other rules, chosen without a look at the test fold; then the methods of
others, chosen likewise; then films that nobody rated and users who rated little.

    OMP_NUM_THREADS=1 python benchmarks/studies/mlsa_movielens.py [--save FILE] [--write]   # ten minutes on one core
    python benchmarks/studies/mlsa_movielens.py --from FILE --write     # the page again, from numbers saved before

`implicit` is needed for its own rows only, matplotlib for `--write`.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Sequence
from datetime import date
from importlib.metadata import version
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # a study is run as a script and shares `pages`
from mlsa_movielens_choice import choices, space_validation, variants
from mlsa_movielens_cold import GROUPS, new_films, new_users
from mlsa_movielens_figures import draw
from mlsa_movielens_page import page
from mlsa_movielens_paper import figures, readings, weights_table
from mlsa_movielens_peers import has_implicit, peers
from mlsa_movielens_trial import FOLDS, Films, progress, read_films
from pages import facts
from saved_study import SavedStudy

from tacit import TacitWarning

__all__ = ["main", "study"]

_TITLE = "# M-LSA on MovieLens: recommending films"


def main(arguments: Sequence[str] | None = None) -> None:
    SavedStudy(
        "mlsa_movielens",
        _TITLE,
        study,
        page,
        draw=draw,
        quick="few users and films, to see that it runs",
    ).main(arguments)


def study(data_dir: str | None = None, *, quick: bool = False) -> dict[str, Any]:
    """Measure everything; give the numbers, ready for JSON."""
    start = time.process_time()
    films = read_films(data_dir, quick=quick)
    numbers: dict[str, Any] = {"sizes": _sizes(films)}
    numbers |= {name: [] for name in ("figure 2", "figure 3", "figure 4", "table 1", "readings", "films", "users")}
    for fold in FOLDS[:2] if quick else FOLDS:
        split = films.split(fold)
        for name, rows in figures(films, split).items():
            numbers[name] += rows
        progress(f"figures, fold {fold}: {time.process_time() - start:.0f} s")
        if quick and numbers["table 1"]:
            continue
        numbers["table 1"] += weights_table(films, split)
        numbers["readings"] += readings(films, split)
        progress(f"table 1 and readings, fold {fold}: {time.process_time() - start:.0f} s")
    for group in GROUPS[:2] if quick else GROUPS:
        numbers["films"] += new_films(films, group)
        numbers["users"] += new_users(films, group)
    progress(f"new films and users: {time.process_time() - start:.0f} s")
    numbers["peers"] = peers(films, quick=quick)
    progress(f"others: {time.process_time() - start:.0f} s")
    validation = space_validation(films, folds=FOLDS[:2] if quick else FOLDS)
    numbers["chosen"] = choices(films, validation, quick=quick)
    progress(f"chosen: {time.process_time() - start:.0f} s")
    numbers["variants"] = variants(validation, numbers["chosen"][-1][3])  # of M-LSA by any rule, one choice
    numbers["seconds"] = time.process_time() - start
    numbers["implicit"] = version("implicit") if has_implicit() else None
    return numbers | {"date": date.today().isoformat(), "facts": facts()}


def _sizes(films: Films) -> dict[str, int]:
    n_users, n_films = films.ratings.shape
    about = {name: table.shape[1] for name, table in films.of_films.items()}
    return {"ratings": films.ratings.nnz, "users": n_users, "films": n_films, **about}


if __name__ == "__main__":
    warnings.simplefilter("ignore", TacitWarning)
    main()
