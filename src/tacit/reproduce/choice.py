"""Who should use what: all models on all collections, with few, some and all of the labels."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy import stats

from tacit.datasets import load_mulan
from tacit.evaluate import f1, ndcg_at_k
from tacit.models.classifiers.label_head import LabelHead
from tacit.models.graphs.methods import SLE
from tacit.models.hlsi.hlsi import HLSI
from tacit.models.lsi.lsi import LSI
from tacit.models.mlsa.mlsa import MLSA
from tacit.models.mlsi.mlsi import MLSI
from tacit.relations.labels.matrix import LabelMatrix
from tacit.relations.taxonomy.taxonomy import Taxonomy
from tacit.reproduce import trees
from tacit.reproduce.experiment import OURS, Claim, Experiment, Facts, Results, Size, Verdict, judged

__all__ = ["EXPERIMENTS"]

_NDCG, _MACRO, _RANK = "nDCG@5", "macro F1", "mean rank"
_SHARES = ("1 %", "10 %", "100 %")
_PARTS = {"1 %": 0.01, "10 %": 0.1, "100 %": 1.0}
_MODELS = ("words", "LSI", "MLSI", "HLSI", "M-LSA", "SLE")  # those that every collection can have
_WITH_TREE = "MLSI, taxonomy"
_WIDTHS, _RIDGES = (20, 100), (0.3, 3.0)
_TRAIN, _TEST, _DRAWS = 1_500, 1_000, 3


class _Data(NamedTuple):
    """Texts or features, labels, and the classes above them if there are any."""

    X: Any
    Y: LabelMatrix
    taxonomy: Taxonomy | None


@cache
def _mulan(name: str, data_dir: Path | None) -> _Data:
    """Read features of a collection of Mulan, and its labels that one record in a hundred has."""
    found = load_mulan(name, data_dir)
    Y = sp.csr_array(found.Y)
    frequent = np.flatnonzero(np.asarray(Y.sum(axis=0)).ravel() >= 0.01 * Y.shape[0])
    Y, X = sp.csr_array(Y[:, frequent]), sp.csr_array(found.X)
    kept = (np.diff(Y.indptr) > 0) & (np.diff(X.indptr) > 0)
    X = X[kept]
    lengths = np.sqrt(np.asarray(X.multiply(X).sum(axis=1)).ravel())
    X = sp.csr_array(sp.diags_array(1 / lengths) @ X).astype(np.float32)
    return _Data(X, LabelMatrix.from_matrix(Y[kept], names=[found.label_names[place] for place in frequent]), None)


def _read(name: str, data_dir: Path | None) -> _Data:
    if name not in trees.COLLECTIONS:
        return _mulan(name, data_dir)
    found = trees.COLLECTIONS[name](data_dir)
    return _Data(found.X, found.Y, found.taxonomy)


_COLLECTIONS = ("reuters", "arxiv", "rcv1", "newsgroups", "enzyme", "delicious", "bibtex")


def _cases(size: Size) -> list[Facts]:
    """List the cases; in the rows the repeats are the collections, whose draws count by their mean."""
    if size == "quick":
        return [{"repeat": 0, "collection": "newsgroups", "labels": "10 %", "quick": True}]
    return [
        {"repeat": draw, "collection": name, "labels": share, "quick": False}
        for draw in range(_DRAWS)
        for name in _COLLECTIONS
        for share in _SHARES
    ]


def _measure(case: Facts, data_dir: Path | None) -> list[Facts]:
    name = case["collection"]
    data = _read(name, data_dir)
    rng = np.random.default_rng(case["repeat"])
    n_train, n_test = (300, 200) if case["quick"] else (_TRAIN, _TEST)
    rows = rng.permutation(data.Y.n_records)[: n_train + n_test]
    train, new = np.sort(rows[:n_train]), np.sort(rows[n_train:])
    if name in trees.COLLECTIONS:
        X, X_new = trees.vectors(trees.COLLECTIONS[name](data_dir), train, new)
    else:
        X, X_new = data.X[train], data.X[new]
    Y, Y_new = data.Y[train], data.Y[new]
    # at least two records with labels in three, or there is nothing to choose by
    labelled = rng.permutation(n_train)[: max(9, round(n_train * _PARTS[case["labels"]]))]
    inner, held = labelled[len(labelled) // 3 :], labelled[: len(labelled) // 3]
    found: dict[str, Facts] = {}
    for model, place in _ways(data.taxonomy, 50 if case["quick"] else max(_WIDTHS)):
        settings = _chosen(place, X, Y, inner, held)
        Z, Z_new = place(X, _known(Y, labelled), X_new)
        found[model] = _scored(Z, Z_new, Y, labelled, Y_new, *settings)
    ranks = stats.rankdata([-found[model][_NDCG] for model in _MODELS])
    for model, rank in zip(_MODELS, ranks, strict=True):
        found[model][_RANK] = float(rank)
    places = {"repeat": name, "collection": name, "labels": case["labels"]}
    return [{**places, "model": model, **scores} for model, scores in found.items()]


_Place = Callable[[Any, list[Any], Any], tuple[Any, Any]]


def _ways(taxonomy: Taxonomy | None, k: int) -> Iterator[tuple[str, _Place]]:
    """Yield how each model places records: X and known labels, and new records, in; positions of both out."""

    def informed(model: Any) -> _Place:
        return lambda X, y, new: (model.fit_transform(X, y), model.transform(new))

    def by_words(model: Any, *, labels: bool) -> _Place:
        def place(X: Any, y: list[Any], new: Any) -> tuple[Any, Any]:
            fitted = model.fit(X, y) if labels else model.fit(X)
            return fitted.transform(X), fitted.transform(new)

        return place

    yield "words", lambda X, y, new: (X, new)
    yield "LSI", by_words(LSI(k), labels=False)
    yield "MLSI", informed(MLSI(k))
    if taxonomy is not None:
        yield _WITH_TREE, informed(MLSI(k, taxonomy=taxonomy))
    yield "HLSI", informed(HLSI(k, taxonomy=taxonomy))
    yield "M-LSA", by_words(MLSA(k), labels=True)
    yield "SLE", informed(SLE(k))


def _known(Y: LabelMatrix, rows: Any) -> list[Any]:
    """Return the label sets of some records; those of the others are unknown."""
    sets, chosen = Y.to_sets(), set(rows.tolist())
    return [sets[row] if row in chosen else None for row in range(Y.n_records)]


def _chosen(place: _Place, X: Any, Y: LabelMatrix, inner: Any, held: Any) -> tuple[int | None, float]:
    """Choose dimensions and ridge on held-out records with labels, which the space is not told."""
    Z, _ = place(X, _known(Y, inner), X[:1])
    widths = [None] if Z is X else sorted({min(width, Z.shape[1]) for width in _WIDTHS})
    trials = [
        (_scored(Z, Z[held], Y, inner, Y[held], width, ridge)[_NDCG], width, ridge)
        for width in widths
        for ridge in _RIDGES
    ]
    _, width, ridge = max(trials, key=lambda trial: trial[0])
    return width, ridge


def _scored(
    Z: Any, Z_new: Any, Y: LabelMatrix, rows: Any, Y_new: LabelMatrix, width: int | None, ridge: float
) -> Facts:
    """Train least squares on some records and measure the ranking of labels of others, and the labels chosen."""
    if width is not None:
        Z, Z_new = Z[:, :width], Z_new[:, :width]
    seen = LabelMatrix.from_sets([one or set() for one in Y[rows].to_sets()], names=Y.names)
    head = LabelHead("ridge", ridge=ridge, calibrate=False, cv=3, random_state=0).fit(Z[rows], seen)
    scores = np.full((Y_new.n_records, len(Y.names)), -np.inf)
    columns = {name: column for column, name in enumerate(Y.names)}
    places = [columns[name] for name in head.classes_.tolist()]
    scores[:, places] = head.decision_function(Z_new)
    scores[np.isneginf(scores)] = scores[:, places].min() - 1  # labels without training records come last
    chosen = np.zeros(scores.shape, dtype=bool)
    chosen[:, places] = LabelMatrix.from_matrix(head.predict(Z_new)).indicator.toarray() > 0
    truth: np.ndarray = Y_new.indicator.toarray() > 0
    return {_NDCG: ndcg_at_k(truth, scores, 5), _MACRO: f1(truth, chosen).macro}


def _better(first: str, second: str, shares: tuple[str, ...], measure: str = _NDCG) -> Callable[[Results], Verdict]:
    """Return what decides whether a model is better than another, over collections."""

    def decide(results: Results) -> Verdict:
        compared = []
        for share in shares:
            rows = results.where(labels=share)
            found = rows.where(model=first).difference(rows.where(model=second), measure)
            compared.append((f"{share} of the labels", found))
        return judged(compared, first, second)

    return decide


def _ranks(results: Results) -> str:
    """Return the mean ranks with 95 % confidence intervals over collections, the first places, and who has none."""
    head = ["model", *(f"rank with {share} of the labels (first on)" for share in _SHARES)]
    lines, winners = [head, ["---"] * len(head)], set[str]()
    for model in _MODELS:
        cells = []
        for share in _SHARES:
            ranks = results.where(labels=share, model=model).by_repeat(_RANK)
            firsts = [name for name in ranks if _first(results.where(labels=share, collection=name)) == model]
            winners |= {model} if firsts else set()
            cells.append(f"{_interval(list(ranks.values()))} ({len(firsts)})")
        lines.append([model, *cells])
    table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    never = [model for model in _MODELS if model not in winners]
    told = f"Never first, with any share of the labels: {', '.join(never)}." if never else "Each is first somewhere."
    number = len(results.values("collection"))
    return f"Mean ranks over {number} collections by {_NDCG}, 95 % confidence intervals.\n\n{table}\n\n{told}"


def _first(rows: Results) -> str:
    """Return the model with the best nDCG on a collection, among those that every collection can have."""
    return max(_MODELS, key=lambda model: rows.where(model=model).mean(_NDCG) or 0.0)


def _interval(values: list[float]) -> str:
    mean = float(np.mean(values))
    if len(values) < 2:
        return f"{mean:.2f}"
    reach = float(stats.t.ppf(0.975, len(values) - 1)) * float(np.std(values, ddof=1)) / len(values) ** 0.5
    return f"{mean:.2f} [{max(mean - reach, 1):.2f}, {min(mean + reach, len(_MODELS)):.2f}]"


_SETTINGS = (
    "Seven collections; from each, up to three draws of 1,500 records to learn from and 1,000 others to test on. "
    "All 1,500 make the space; the labels of one in a hundred, one in ten, or all of them are known (nine at least). "
    "Dimensions (20, 100) and the ridge of the classifier (.3, 3) are chosen on a third of the records with labels, "
    "which the space is not told; all else as by default. The classifier is least squares for all; nDCG@5 is that of "
    "the labels it ranks. Ranks are among the six models that every collection has, 1 being the best. Means over "
    "draws; the collections are the units of means, deviations, confidence intervals and tests. MLSI with a taxonomy "
    "is measured on the five collections that have one, and its means are over these: the claims compare it on the "
    "same."
)


def _experiment(
    name: str, title: str, factors: tuple[str, ...], measures: tuple[str, ...], **others: Any
) -> Experiment:
    folders = ("reuters21578", "arxiv", "rcv1", "20newsgroups", "enzyme", "mulan")
    return Experiment(
        name, "", title, folders, _cases, _measure, factors, measures, "labels", _SETTINGS,
        "seven collections, ten minutes", kept="choice", **others,
    )  # fmt: skip


EXPERIMENTS = (
    _experiment(
        "choice-ranks", "Models by their rank", ("model", "labels"), (_RANK, _NDCG, _MACRO), summary=_ranks,
        claims=(
            Claim("choice-ranks-1", OURS, "With few labels, LSI is better than the words themselves.",
                  _better("LSI", "words", ("1 %", "10 %"))),
            Claim("choice-ranks-2", OURS, "With labels, MLSI is better than LSI.", _better("MLSI", "LSI", _SHARES)),
            Claim("choice-ranks-3", OURS, "MLSI is better than the words themselves.",
                  _better("MLSI", "words", _SHARES)),
            Claim("choice-ranks-4", OURS, "A taxonomy makes MLSI better.", _better(_WITH_TREE, "MLSI", _SHARES)),
            Claim("choice-ranks-5", OURS, "HLSI is better than MLSI.", _better("HLSI", "MLSI", _SHARES)),
            Claim("choice-ranks-6", OURS, "M-LSA is better than MLSI at classifying.",
                  _better("M-LSA", "MLSI", _SHARES)),
            Claim("choice-ranks-7", OURS, "SLE is better than MLSI.", _better("SLE", "MLSI", _SHARES)),
        ),
    ),
    _experiment("choice-collections", "Models on each collection", ("collection", "model", "labels"), (_NDCG, _MACRO)),
)  # fmt: skip
