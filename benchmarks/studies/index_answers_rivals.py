"""Rivals that suggest labels: what Annif's `tfidf`, `svc` and `omikuji` do, on the same words as Tacit.

| here    | in Annif                                                                                         |
|---------|--------------------------------------------------------------------------------------------------|
| tfidf   | one text a label, all its records' texts in a row; TF-IDF over these texts, cosine               |
| svc     | LinearSVC; Annif's takes one label a record, here it has one classifier a label, as it should    |
| omikuji | Parabel with Annif's settings: balanced trees of two branches, depth 20, no collapsed layers     |

Sets of any size: `svc` cuts at zero or where Tacit tunes it, the others at one cut for all labels, which is the best in
micro F1 on a fifth of the records held out from learning.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from index_answers_data import Asked, label_matrix
from index_answers_measures import label_figures
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.preprocessing import normalize

from tacit import LabelHead, LabelMatrix
from tacit.text.settings import TextSettings
from tacit.text.words import Words

__all__ = ["RIVALS", "Scorer", "best_cut", "omikuji", "rival_figures", "tfidf"]

Scorer = Callable[[Any, LabelMatrix, Any], Any]  # vectors and labels to learn from, vectors to score -> scores
RIVALS = ("tfidf", *(("omikuji",) if find_spec("omikuji") else ()), "svc")  # the slowest last


def rival_figures(name: str, asked: Asked, labels: tuple[str, ...]) -> dict[str, dict[str, float]]:
    """Measure a rival: one row, or two where there are two ways to choose sets."""
    texts, new_texts = ([record.text for record in part] for part in (asked.old, asked.new))
    Y, truth = label_matrix(asked.old, labels), label_matrix(asked.new, labels)
    words, X = Words.fit(texts, TextSettings())
    if name == "svc":
        return _svc(X, Y, words.transform(new_texts), truth)
    if name == "tfidf":
        counter = CountVectorizer(analyzer=words.analyse, dtype=np.float32)
        X, X_new = counter.fit_transform(texts), counter.transform(new_texts)
        return {"tfidf": _with_cut(tfidf, X, Y, X_new, truth)}
    return {"omikuji": _with_cut(omikuji, X, Y, words.transform(new_texts), truth)}


def tfidf(X: Any, Y: LabelMatrix, X_new: Any) -> Any:
    """Score labels by the cosine of a text with all texts of the label, from counts of words."""
    together = sp.csr_matrix(Y.indicator.T.astype(np.float32) @ X)
    weights = TfidfTransformer().fit(together)
    return np.asarray((weights.transform(sp.csr_matrix(X_new)) @ weights.transform(together).T).toarray())


def omikuji(X: Any, Y: LabelMatrix, X_new: Any) -> Any:
    """Score labels by Parabel; what its beam does not reach has 0."""
    from omikuji import Model  # type: ignore[import-not-found]

    knobs = Model.default_hyper_param()
    knobs.cluster_balanced, knobs.cluster_k, knobs.max_depth, knobs.collapse_every_n_layers = True, 2, 20, 0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "records.txt"
        _write_records(path, X, Y)
        model = Model.train_on_data(str(path), knobs, 1)
    scores = np.zeros((X_new.shape[0], Y.n_labels))
    for row in range(len(scores)):
        columns = slice(X_new.indptr[row], X_new.indptr[row + 1])
        pairs = list(zip(X_new.indices[columns].tolist(), X_new.data[columns].tolist(), strict=True))
        for label, score in model.predict(pairs, top_k=min(100, Y.n_labels)):
            scores[row, label] = score
    return scores


def best_cut(truth: LabelMatrix, scores: Any) -> float:
    """Find the one cut for all labels that has the best micro F1."""
    right = np.asarray(truth.indicator.toarray(), bool).ravel()
    order = np.argsort(-scores.ravel(), kind="stable")
    hits = np.cumsum(right[order])
    micro = 2 * hits / (np.arange(1, len(order) + 1) + right.sum())
    return float(scores.ravel()[order[int(np.argmax(micro))]])


def _svc(X: Any, Y: LabelMatrix, X_new: Any, truth: LabelMatrix) -> dict[str, dict[str, float]]:
    start = time.perf_counter()
    head = LabelHead("svm", random_state=0).fit(X, Y)
    seconds = {"seconds": time.perf_counter() - start}
    scores = head.decision_function(X_new)
    cuts = {"svc, cut at zero": 0.0, "svc, tuned cuts": head.thresholds_}
    return {name: label_figures(truth, scores, scores > cut) | seconds for name, cut in cuts.items()}


def _with_cut(scorer: Scorer, X: Any, Y: LabelMatrix, X_new: Any, truth: LabelMatrix) -> dict[str, float]:
    start = time.perf_counter()
    scores = scorer(X, Y, X_new)
    seconds = time.perf_counter() - start
    order = np.random.default_rng(0).permutation(X.shape[0])
    held, kept = np.split(order, [X.shape[0] // 5])
    cut = best_cut(Y[held], scorer(X[kept], Y[kept], X[held]))
    return label_figures(truth, scores, scores >= cut) | {"seconds": seconds}


def _write_records(path: Path, X: Any, Y: LabelMatrix) -> None:
    """Write the format of the Extreme Classification Repository."""
    X = normalize(sp.csr_matrix(X))
    with path.open("w", encoding="utf-8") as file:
        print(*X.shape, Y.n_labels, file=file)
        for row in range(X.shape[0]):
            labels = ",".join(map(str, Y.indicator.indices[Y.indicator.indptr[row] : Y.indicator.indptr[row + 1]]))
            at = slice(X.indptr[row], X.indptr[row + 1])
            pairs = zip(X.indices[at].tolist(), X.data[at].tolist(), strict=True)
            print(labels, " ".join(f"{column}:{value:.6g}" for column, value in sorted(pairs)), file=file)
