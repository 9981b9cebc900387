"""How good are the labels that other suggesters, and Tacit itself, give to new records?

Question    What do suggesters of labels reach on collections with hundreds of labels, measured by one piece of code?
Data        Reuters-21578, bibtex, delicious, RCV1, arXiv; see `suggestions_data`. Three seeds where records are drawn.
Method      tfidf: the texts of a label in a row, TF-IDF, cosine. svc: a linear support vector machine per label on
            TF-IDF. omikuji: Parabel with its defaults on TF-IDF. All as in Annif, on Snowball stems. tacit:
            an index in memory with the defaults of the build; its words are cut by itself. Rows of RCV1 are TF-IDF as
            published, those of bibtex and delicious are weighted by TF-IDF for all.
            Chosen sets: a fifth of the training records is held out, the suggester learns from the others, and of one
            threshold for all labels and a fixed number of labels per record that which has the best micro F1 on the
            held-out records is taken; then the suggester learns from all. "svc at 0" takes what is above 0 instead.
            Tacit chooses by its own thresholds, and in a second row ("one choice") as the others.
            Scores read as probabilities for the calibration error: cosines of tfidf, the logistic function of svc (as
            Annif shows them), scores of omikuji, probabilities of Tacit.
Run         python benchmarks/studies/suggestions_peers.py --output FOLDER [collections ...] [--peers tfidf svc ...]
            A file of figures each; what is there is not measured again. Another version of Tacit:
                PYTHONPATH=OTHER/src python benchmarks/studies/suggestions_peers.py --peers tacit --name before ...
Conclusion  Of 2026-11-18, before Tacit had a suggester of several witnesses, nDCG@5 of Tacit and of the best of the
            others: arXiv .721 and .668, bibtex .641 and .609, delicious .592 and .585, RCV1 .924 and .919, Reuters .969
            and .966. P@1 is not better on RCV1 (.951 and .952) and delicious (.670 and .672). By its own
            thresholds it has the best macro F1 everywhere, but not the best micro F1 on three of five; with one choice
            as for the others it is the other way round on delicious, Reuters and bibtex.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

Ranked = list[tuple[Any, float]]  # labels with their probabilities, the best first
Suggest = Callable[[Any, Any, Any], list[Ranked]]  # rows and labels to learn from, rows to suggest for
MEASURES = ("P@1", "F1@1", "F1@5", "nDCG@5", "nDCG@10", "micro F1", "macro F1", "ECE")
PEERS = ("tfidf", "omikuji", "svc", "tacit")
_KEPT, _BINS, _JUDGED = 100, 15, 10  # labels kept per record; bins of ECE, and suggestions per record that it judges


def measure(
    truth_sets: Sequence[set[Any]], ranked_lists: Sequence[Ranked], chosen_sets: Sequence[set[Any]]
) -> dict[str, float]:
    """Measure suggestions for test records.

    Ranks are measured on records that have labels: P@1, the share of records whose first suggestion is right; F1@k, the
    mean over records of the F1 of the first k suggestions, or of all if there are fewer; nDCG@k. Sets are measured on
    all records: micro F1; macro F1, the mean over labels that a test record has. ECE: of the first 10 suggestions of
    each record in 15 bins of equal width, the difference of mean probability and share of right ones, weighted by the
    size of the bin.
    """
    pairs = [(truth, best) for truth, best in zip(truth_sets, ranked_lists, strict=True) if truth]
    hits = [np.array([label in truth for label, _ in best[:10]], float) for truth, best in pairs]
    sizes = [len(truth) for truth, _ in pairs]
    found = {"P@1": float(np.mean([bool(own.size and own[0]) for own in hits]))}
    for k in (1, 5):
        f1 = [2 * own[:k].sum() / (len(own[:k]) + size) for own, size in zip(hits, sizes, strict=True)]
        found[f"F1@{k}"] = float(np.mean(f1))
    gains = 1 / np.log2(np.arange(2, 12))
    ideal = np.cumsum(gains)
    for k in (5, 10):
        ndcg = [
            own[:k] @ gains[: len(own[:k])] / ideal[min(k, size) - 1] for own, size in zip(hits, sizes, strict=True)
        ]
        found[f"nDCG@{k}"] = float(np.mean(ndcg))
    return found | _set_figures(truth_sets, chosen_sets) | {"ECE": calibration_error(truth_sets, ranked_lists)}


def _set_figures(truth_sets: Sequence[set[Any]], chosen_sets: Sequence[set[Any]]) -> dict[str, float]:
    true, chosen, right = (Counter[Hashable]() for _ in range(3))
    for truth, some in zip(truth_sets, chosen_sets, strict=True):
        true.update(truth)
        chosen.update(some)
        right.update(truth & some)
    micro = 2 * right.total() / max(1, true.total() + chosen.total())
    macro = [2 * right[label] / (count + chosen[label]) for label, count in true.items()]
    return {"micro F1": micro, "macro F1": float(np.mean(macro)), "chosen per record": chosen.total() / len(truth_sets)}


def calibration_error(truth_sets: Sequence[set[Any]], ranked_lists: Sequence[Ranked]) -> float:
    """Return the expected calibration error of the first suggestions; see `measure`."""
    judged = [
        (probability, label in truth)
        for truth, best in zip(truth_sets, ranked_lists, strict=True)
        for label, probability in best[:_JUDGED]
    ]
    if not judged:
        return 0.0
    said, right = np.clip(np.array([one[0] for one in judged]), 0, 1), np.array([one[1] for one in judged], float)
    bins = np.minimum((said * _BINS).astype(int), _BINS - 1)
    gaps = np.bincount(bins, weights=said - right, minlength=_BINS)
    return float(np.abs(gaps).sum() / len(judged))


@dataclass(frozen=True)
class Choice:
    """How sets are made of ranked labels: what has the probability, at most so many."""

    probability: float = 0.0
    n_labels: int = _KEPT

    def sets(self, ranked_lists: Sequence[Ranked]) -> list[set[Any]]:
        """Choose labels."""
        return [{label for label, p in best[: self.n_labels] if p >= self.probability} for best in ranked_lists]

    def __str__(self) -> str:
        return f"p ≥ {self.probability:.3f}" if self.n_labels == _KEPT else f"the best {self.n_labels}"


def best_choice(truth_sets: Sequence[set[Any]], ranked_lists: Sequence[Ranked]) -> Choice:
    """Find the threshold, or the number of labels per record, with the best micro F1."""
    pairs = zip(truth_sets, ranked_lists, strict=True)
    flat = np.array([(p, k, label in truth) for truth, best in pairs for k, (label, p) in enumerate(best)])
    n_true, found = sum(map(len, truth_sets)), []
    for column, sign in ((0, -1), (1, 1)):
        order = np.argsort(sign * flat[:, column], kind="stable")
        keys, hits = flat[order, column], np.cumsum(flat[order, 2])
        last = np.append(keys[1:] != keys[:-1], True)  # equal ones are taken together
        micro = np.where(last, 2 * hits / (np.arange(1, len(keys) + 1) + n_true), 0)
        found.append((float(micro.max()), float(keys[micro.argmax()])))
    by_probability, by_number = found
    if by_number[0] > by_probability[0]:
        return Choice(n_labels=int(by_number[1]) + 1)
    return Choice(probability=by_probability[1])


def ranked_rows(scores: Any) -> list[Ranked]:
    """Rank the columns of dense scores; those that are not above 0 are no suggestions."""
    found = []
    for row in np.asarray(scores):
        some = np.argpartition(-row, _KEPT)[:_KEPT] if len(row) > _KEPT else np.arange(len(row))
        order = some[np.argsort(-row[some], kind="stable")]
        found.append([(int(j), float(row[j])) for j in order if row[j] > 0])
    return found


def tfidf(X: Any, Y: Any, X_new: Any, *, weighted: bool = False) -> list[Ranked]:
    """Rank labels by the cosine of a record with all records of the label, from counts of words."""
    from sklearn.feature_extraction.text import TfidfTransformer
    from sklearn.preprocessing import normalize

    together = sp.csr_matrix(Y.T @ X)
    weights = TfidfTransformer().fit(together)
    old, new = (normalize(M) if weighted else weights.transform(sp.csr_matrix(M)) for M in (together, X_new))
    step = max(1, 20_000_000 // Y.shape[1])
    parts = [ranked_rows((new[i : i + step] @ old.T).toarray()) for i in range(0, new.shape[0], step)]
    return [best for part in parts for best in part]


def svc(X: Any, Y: Any, X_new: Any) -> list[Ranked]:
    """Rank labels by a linear support vector machine each; the logistic function makes scores of distances."""
    from scipy.special import expit
    from sklearn.svm import LinearSVC

    scores, columns = np.zeros((X_new.shape[0], Y.shape[1]), np.float32), sp.csc_array(Y)
    X, X_new = sp.csr_matrix(X), sp.csr_matrix(X_new)
    for j in range(Y.shape[1]):
        own = columns[:, [j]].toarray().ravel() > 0
        if own.all() or not own.any():
            scores[:, j] = own[0]
            continue
        scores[:, j] = expit(LinearSVC(random_state=0).fit(X, own).decision_function(X_new))
    return ranked_rows(scores)


def omikuji(X: Any, Y: Any, X_new: Any) -> list[Ranked]:
    """Rank labels by Parabel with its defaults."""
    from omikuji import Model

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "records.txt"
        with path.open("w") as file:
            rows = [row for row in range(X.shape[0]) if X.indptr[row] < X.indptr[row + 1]]
            print(len(rows), X.shape[1], Y.shape[1], file=file)
            for row in rows:
                labels = ",".join(map(str, Y.indices[Y.indptr[row] : Y.indptr[row + 1]]))
                print(labels, " ".join(f"{j}:{value:.6g}" for j, value in _pairs(X, row)), file=file)
        model = Model.train_on_data(str(path), Model.default_hyper_param(), 1)
    known = range(X_new.shape[0])
    return [list(model.predict(_pairs(X_new, row), top_k=_KEPT)) if _pairs(X_new, row) else [] for row in known]


def _pairs(X: Any, row: int) -> list[tuple[int, float]]:
    part = slice(X.indptr[row], X.indptr[row + 1])
    return list(zip(X.indices[part].tolist(), X.data[part].tolist(), strict=True))


def peer_figures(peer: str, split: Any) -> dict[str, dict[str, Any]]:
    """Measure a peer that has no thresholds of its own; two rows if there are two ways to choose sets."""
    X, X_test = split.counts if peer == "tfidf" else split.tfidf
    names = sorted({label for record in split.train for label in record.labels})
    place = {name: column for column, name in enumerate(names)}
    sets = [{place[label] for label in record.labels} for record in split.train]
    suggest: Mapping[str, Suggest] = {"omikuji": omikuji, "svc": svc}
    run = suggest.get(peer, lambda *rows: tfidf(*rows, weighted=split.weighted))
    held, kept = np.split(np.random.default_rng(0).permutation(len(sets)), [len(sets) // 5])
    choice = best_choice([sets[row] for row in held], run(X[kept], _indicator([sets[i] for i in kept], names), X[held]))
    ranked, cost = _timed(lambda: run(X, _indicator(sets, names), X_test))
    truth = [{place.get(label, label) for label in record.labels} for record in split.test]
    choices = {peer: choice} | ({"svc at 0": Choice(probability=0.5)} if peer == "svc" else {})
    return {
        name: {**measure(truth, ranked, some.sets(ranked)), **cost, "chosen by": str(some)}
        for name, some in choices.items()
    }


def tacit_figures(split: Any, name: str) -> dict[str, dict[str, Any]]:
    """Measure an index of Tacit: by its own thresholds, and by the choice that the other peers are given."""
    everything, rows = np.arange(len(split.train)), split.rows is not None
    held, kept = np.split(np.random.default_rng(0).permutation(len(everything)), [len(everything) // 5])
    asked = split.tfidf[0][held] if rows else [split.train[row] for row in held]
    first, _ = tacit_suggestions(split, kept, asked)
    choice = best_choice([set(split.train[row].labels) for row in held], first)
    (ranked, chosen), cost = _timed(
        lambda: tacit_suggestions(split, everything, split.tfidf[1] if rows else split.test)
    )  # fmt: skip
    truth = [set(record.labels) for record in split.test]
    return {
        name: {**measure(truth, ranked, chosen), **cost, "chosen by": "its own thresholds"},
        f"{name}, one choice": {**measure(truth, ranked, choice.sets(ranked)), **cost, "chosen by": str(choice)},
    }


def tacit_suggestions(split: Any, old: Any, asked: Any) -> tuple[list[Ranked], list[set[str]]]:
    """Build an index in memory of some training records, with the defaults of the build, and ask it."""
    from tacit.evaluate.measures.ranked_lists import first_ranked
    from tacit.tasks.build.settings import BuildSettings
    from tacit.tasks.measure.split import RecordSet
    from tacit.tasks.measure.trial_index import Features, FittedIndex
    from tacit.tasks.stage_progress import StageReporter

    settings, stages = BuildSettings(), StageReporter(lambda event: None)
    train, texts = RecordSet([split.train[row] for row in old]), split.rows is None
    features = Features.of(train, settings, stages) if texts else Features(None, split.tfidf[0][old])
    index = FittedIndex(train, settings, None, features, stages)
    suggested = index.suggest(features.rows(RecordSet(asked)) if texts else asked)
    assert suggested is not None
    names, scores, chosen = index.label_names, suggested[0], sp.csr_array(suggested[1])
    first = first_ranked(scores, _KEPT)
    ranked: list[Ranked] = [[] for _ in range(scores.shape[0])]
    for row, label, score in zip(first.record, first.label, first.score, strict=True):
        if score > 0:
            ranked[row].append((names[label], float(score)))
    return ranked, [{names[j] for j in some} for some in np.split(chosen.indices, chosen.indptr[1:-1])]


def _indicator(sets: Sequence[set[int]], names: Sequence[str]) -> Any:
    ends = np.cumsum([0, *map(len, sets)])
    columns = np.array([column for some in sets for column in sorted(some)], np.int32)
    return sp.csr_array((np.ones(len(columns), np.float32), columns, ends), shape=(len(sets), len(names)))


def _timed(step: Callable[[], Any]) -> tuple[Any, dict[str, float]]:
    used, started = resource.getrusage(resource.RUSAGE_SELF), time.perf_counter()
    answer = step()
    now = resource.getrusage(resource.RUSAGE_SELF)
    seconds = now.ru_utime + now.ru_stime - used.ru_utime - used.ru_stime
    return answer, {"CPU s": round(seconds, 1), "wall s": round(time.perf_counter() - started, 1)}


def tables(folder: Path) -> str:
    """Write the kept figures as tables, means over seeds."""
    runs: dict[str, dict[str, list[dict[str, Any]]]] = {}
    for path in sorted(folder.glob("*.json")):
        kept = json.loads(path.read_text(encoding="utf-8"))
        for name, row in kept["figures"].items():
            runs.setdefault(kept["collection"], {}).setdefault(name, []).append(row)
    text, columns = [], (*MEASURES, "CPU s")
    for collection, rows in runs.items():
        text += [f"\n{collection}\n", f"| | {' | '.join(columns)} | sets | seeds |", "|---" * (len(columns) + 3) + "|"]
        for name, row in rows.items():
            cells = [f"{np.mean([one[column] for one in row]):.4f}".lstrip("0") for column in MEASURES]
            cells += [f"{np.mean([one['CPU s'] for one in row]):.0f}", row[0]["chosen by"], str(len(row))]
            text.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(text) + "\n"


def main() -> None:
    """Run the study; keep figures as JSON and write tables of them."""
    from suggestions_data import COLLECTIONS, DRAWN, LARGE, load

    parser = argparse.ArgumentParser(description="How good are the labels that suggesters give to new records?")
    parser.add_argument("collections", nargs="*", help=f"of {', '.join(COLLECTIONS)}; all but the large ones if none")
    parser.add_argument("--peers", nargs="+", choices=PEERS, default=list(PEERS))
    parser.add_argument("--name", default="tacit", help="what the row of Tacit is called")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--data-dir", type=Path, default=Path(os.environ.get("TACIT_DATA", ".")))
    asked = parser.parse_args()
    asked.output.mkdir(parents=True, exist_ok=True)
    for seed in range(asked.seeds):
        for collection in asked.collections or [name for name in COLLECTIONS if name not in LARGE]:
            named = {peer: asked.name if peer == "tacit" else peer for peer in asked.peers}
            files = {peer: asked.output / f"{collection}-{seed}-{name}.json" for peer, name in named.items()}
            missing = [peer for peer, path in files.items() if not path.exists()]
            if not missing or (seed and collection not in DRAWN):
                continue
            split = load(collection, asked.data_dir, seed)
            for peer in missing:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    rows = tacit_figures(split, asked.name) if peer == "tacit" else peer_figures(peer, split)
                kept = {"collection": collection, "seed": seed, "figures": rows}
                files[peer].write_text(json.dumps(kept, indent=1), encoding="utf-8")
                print(collection, seed, json.dumps(rows), flush=True)
                (asked.output / "figures.md").write_text(tables(asked.output), encoding="utf-8")
    print(tables(asked.output))


if __name__ == "__main__":
    main()
