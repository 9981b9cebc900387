"""What should HLSI do with records whose labels are unknown?

Five collections with a taxonomy, of which a share of the training records loses its labels at random. Three searches
are measured by nDCG@10, a record gaining the Jaccard overlap of its labels with those of the query: among the records
without labels, over the whole collection, and from new records; and the labels of new records by micro F1, with a
`LabelHead` trained on the honest positions of the records with labels. Beside HLSI as it is stand other weights of the
records with expected classes, other positions for them, and two simple ways: to treat them as records without labels,
or to leave them out and fold them in by their words afterwards.

    OMP_NUM_THREADS=1 python benchmarks/studies/hlsi_unknown_labels.py [--save FILE] [--write]     # ten minutes
    python benchmarks/studies/hlsi_unknown_labels.py --from FILE --write     # the page again, from saved numbers
"""

from __future__ import annotations

import sys
import warnings
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tacit import HLSI, LSI, LabelHead, LabelMatrix, TacitWarning, Taxonomy
from tacit.evaluate import f1, overlap_ndcg
from tacit.models.hlsi import hlsi

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # a study is run as a script and shares `pages`
from pages import facts, table
from saved_study import SavedStudy

from tacit.reproduce.trees import COLLECTIONS, vectors

__all__ = ["main", "page", "study"]

_TITLE = "# HLSI with unknown labels"
_SHARES = (0.2, 0.5, 0.8, 0.95)
_SIZES = {"rcv1": 4_000, "arxiv": 2_500, "enzyme": 2_500, "reuters": 2_500, "newsgroups": 2_500}
_FOLD = "folded in"
_CHOSEN = "weight .1, halfway"
_MEASURES = ("among them", "whole collection", "from new records", "micro F1, new records")

_CONCLUSION = """\
As of 2026-11-18. *As records without labels*, the way until then, records of unknown labels find each other worse than
in LSI: they are drawn to the centre of the space (20 Newsgroups, 20 %: .248; LSI .450). *Folding them in* mends that.
*Expected classes and a weight of .1* are better than folding in, in search among these records by 1.2 to 5.8 points
with 20 % of them, .9 to 4.4 with 50 % and .4 to 4.3 with 80 %. Search over the whole collection gains 0 to 2.9, micro
F1 of new records 3.0 to 3.7 with 80 %, and nothing loses more than .2. *A weight of .3* finds less on RCV1 (among them
-.6, over all -1.0 with 80 %), *.03* gains less in micro F1.

Positions *by classes* alone would be better still up to 50 % by this measure, which sees labels only, and worse where
few labels are known. *Halfway* keeps what the words of a record say beside its classes.

With 95 % unknown, labels for 125 to 200 records, HLSI is better than folding in, but search in LSI is better than both
on all collections but RCV1. With 80 % this holds on arXiv only, among the records of unknown labels (.268 and .263):
500 papers for 155 categories.

*Resulting defaults:* a weight of .1, and positions halfway."""


class Figures(NamedTuple):
    """nDCG@10 of the three searches, and micro F1."""

    among: float
    whole: float
    new: float
    labels: float


def main(arguments: Sequence[str] | None = None) -> None:
    SavedStudy(
        "hlsi_unknown_labels",
        _TITLE,
        study,
        page,
        quick="one small collection, to see that everything runs",
        options={"repeats": (3, "random splits")},
    ).main(arguments)


def study(data_dir: str | None = None, *, repeats: int = 3, quick: bool = False) -> dict[str, Any]:
    """Measure everything; give the numbers, ready for JSON."""
    found: list[Any] = []
    for name in ("reuters",) if quick else tuple(_SIZES):
        for share in (0.5,) if quick else _SHARES:
            for seed in range(repeats):
                trial = _trial(name, data_dir, share, seed, 600 if quick else _SIZES[name])
                for way, figures in _ways(trial, 20 if quick else 100):
                    found.append([name, share, way, figures])
                    numbers = " ".join(f"{value:.3f}" for value in figures)
                    print(f"{name} {share} {seed} {way}: {numbers}", file=sys.stderr, flush=True)
    return {"facts": facts(), "found": found, "repeats": repeats}


def page(numbers: dict[str, Any]) -> str:
    """Give the text of the page."""
    found: dict[tuple[str, float, str], list[Figures]] = defaultdict(list)
    for name, share, way, figures in numbers["found"]:
        found[name, share, way].append(Figures(*figures))
    parts = [
        "**Data.** "
        + ", ".join(f"{size:,} records of {name}" for name, size in _SIZES.items())
        + f"; 1,000 new ones each; {numbers['repeats']} random splits. 100 dimensions, fewer with fewer records with "
        "labels; defaults otherwise. Means, and in brackets the mean difference from folding in, in points, with "
        f"its standard error. *{_CHOSEN}* is what HLSI does; *by words* and *by classes* differ from it in the "
        "positions of the records without labels only.",
        f"## Conclusion\n\n{_CONCLUSION}",
    ]
    for name in dict.fromkeys(name for name, _, _ in found):
        rows = [
            [f"{share:.0%}", way, *_cells(found[name, share, way], found[name, share, _FOLD])]
            for share, way in dict.fromkeys((share, way) for each, share, way in found if each == name)
        ]
        parts.append(f"## {name}\n\n{table(('without labels', 'way', *_MEASURES), rows)}")
    return "\n\n".join([*parts, numbers["facts"]])


class _Trial(NamedTuple):
    X: Any
    Y: LabelMatrix
    taxonomy: Taxonomy
    known: Any
    X_new: Any
    Y_new: LabelMatrix

    def labels(self, hidden: set[str] | None) -> list[Any]:
        """The labels of all records, with `hidden` for those that lost theirs."""
        sets = zip(self.Y.to_sets(), self.known, strict=True)
        return [set(labels) if kept else hidden for labels, kept in sets]

    def figures(self, positions: Any, new: Any, honest: Any) -> Figures:
        """Measure the searches and the labels, these from honest positions of records with labels."""
        rng = np.random.default_rng(0)
        found = []
        for rows in (np.flatnonzero(~self.known), np.arange(self.Y.n_records)):
            order = rng.permutation(rows)
            asking, rest = order[: len(order) // 3], order[len(order) // 3 :]
            found.append(overlap_ndcg(positions[asking], positions[rest], self.Y[asking], self.Y[rest]))
        head = LabelHead(random_state=0).fit(honest, self.Y[np.flatnonzero(self.known)])
        labels = f1(self.Y_new, head.predict(new)).micro
        return Figures(*found, overlap_ndcg(new, positions, self.Y_new, self.Y), labels)


def _trial(name: str, data_dir: str | None, share: float, seed: int, n_records: int) -> _Trial:
    collection = COLLECTIONS[name](data_dir)
    rng = np.random.default_rng(seed)
    order = rng.permutation(collection.Y.n_records)
    train, new = np.sort(order[:n_records]), np.sort(order[n_records : n_records + 1_000])
    X, X_new = vectors(collection, train, new)
    known = np.ones(n_records, dtype=bool)
    known[rng.permutation(n_records)[: int(share * n_records)]] = False
    return _Trial(X, collection.Y[train], collection.taxonomy, known, X_new, collection.Y[new])


def _ways(trial: _Trial, n_components: int) -> Iterator[tuple[str, Figures]]:
    known = np.flatnonzero(trial.known)
    plain = LSI(n_components).fit(trial.X)
    positions = plain.transform(trial.X)
    yield "LSI", trial.figures(positions, plain.transform(trial.X_new), positions[known])
    few = HLSI(min(n_components, len(known) - 1), taxonomy=trial.taxonomy)
    sets = [labels for labels in trial.labels(None) if labels is not None]
    honest = few.fit_transform(trial.X[known], sets)
    positions = few.transform(trial.X)
    positions[known] = few.training_coordinates(trial.X[known], sets)
    yield _FOLD, trial.figures(positions, few.transform(trial.X_new), honest)
    model, positions, honest = _fitted(trial, n_components, trial.labels(set()))
    yield "as records without labels", trial.figures(positions, model.transform(trial.X_new), honest[known])
    for weight in (0.03, 0.1, 0.3):
        model, positions, honest = _fitted(trial, n_components, trial.labels(None), weight)
        new = model.transform(trial.X_new)
        yield f"weight {weight:g}, halfway".replace("0.", "."), trial.figures(positions, new, honest[known])
        if weight == 0.1:
            words, hidden = model.transform(trial.X), ~trial.known
            for way, there in (("by words", words), ("by classes", 2 * positions - words)):
                other = np.where(hidden[:, None], there, positions)
                yield f"weight .1, {way}", trial.figures(other, new, honest[known])


def _fitted(trial: _Trial, n_components: int, labels: list[Any], weight: float = 0.1) -> tuple[HLSI, Any, Any]:
    """Return the model, and transductive and honest positions."""
    kept, hlsi.EXPECTED_WEIGHT = hlsi.EXPECTED_WEIGHT, weight
    try:
        model = HLSI(n_components, taxonomy=trial.taxonomy)
        honest = model.fit_transform(trial.X, labels)
        return model, model.training_coordinates(trial.X, labels), honest
    finally:
        hlsi.EXPECTED_WEIGHT = kept


def _cells(found: Sequence[Figures], base: Sequence[Figures]) -> list[str]:
    cells = []
    for mine, others in zip(zip(*found, strict=True), zip(*base, strict=True), strict=True):
        points = 100 * (np.array(mine) - np.array(others))
        error = points.std(ddof=1) / len(points) ** 0.5 if len(points) > 1 else 0.0
        cells.append(f"{np.mean(mine):.3f}" + ("" if not points.any() else f" ({points.mean():+.1f} ± {error:.1f})"))
    return cells


if __name__ == "__main__":
    warnings.simplefilter("ignore", TacitWarning)
    main()
