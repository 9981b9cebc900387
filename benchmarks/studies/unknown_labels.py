"""What becomes of records whose labels are unknown, and do they help?

Question    A part of the records has no labels yet. Three ways: their rows of labels are zero, as if they had none; the
            space is fitted to the labelled records and the others are folded in by their words; their rows are missing
            and filled with what the words predict (MLSI). Which finds best?
Data        RCV1, stories chosen at random from the five subsets (each text once).
Method      The labels of 20, 50 and 80 % are hidden. nDCG@10, the gain being the overlap (Jaccard) of the true labels:
            search among the unlabelled records, each looking for others of them; the same over the whole collection;
            1,000 new stories looking for records. Micro F1 of new stories by ridge regression on honest positions.
            Default parameters of MLSI, and those of `tacit build` (label weight .9, 200 dimensions, emphasis).
Run         python benchmarks/studies/unknown_labels.py [--records 4000] [--seeds 3]

Tables of 2026-11-18, means of three seeds. Default parameters; the standard error of the difference between missing
rows and the last row is .001 among the unlabelled and at most .001, .004 and .004 elsewhere.

| unknown | way                        | among the unlabelled | all  | new stories | micro F1 |
|---------|----------------------------|----------------------|------|-------------|----------|
| 20 %    | LSI                        | .572                 | .627 | .626        | .724     |
| 20 %    | zero rows                  | .527                 | .883 | .756        | .754     |
| 20 %    | missing rows               | .702                 | .924 | .739        | .765     |
| 20 %    | labelled, others folded in | .692                 | .924 | .739        | .764     |
| 50 %    | LSI                        | .604                 | .627 | .626        | .711     |
| 50 %    | zero rows                  | .595                 | .772 | .705        | .721     |
| 50 %    | missing rows               | .702                 | .832 | .706        | .751     |
| 50 %    | labelled, others folded in | .693                 | .829 | .705        | .740     |
| 80 %    | LSI                        | .617                 | .627 | .626        | .672     |
| 80 %    | zero rows                  | .621                 | .676 | .643        | .649     |
| 80 %    | missing rows               | .679                 | .723 | .678        | .709     |
| 80 %    | labelled, others folded in | .671                 | .714 | .667        | .670     |

With the parameters of `tacit build`, missing rows against folded in: 20 % .722/.931/.731/.763 against
.720/.933/.736/.759, 50 % .716/.839/.706/.755 against .710/.838/.709/.734, 80 % .691/.734/.685/.708 against
.679/.723/.675/.653.

Conclusion  Missing rows are at least as good as the better of the other two, and the more labels are unknown the more
            their words help. Only new stories that look for records find a little less at 20 and 50 % with the
            parameters of the build (.005 and .003), and zero rows are better for these at 20 %, at the price of the
            unlabelled records, which then find each other worse than by their words alone.
"""

from __future__ import annotations

import argparse
import os
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.metrics import f1_score

from tacit import LSI, MLSI, LabelHead, LabelMatrix

SETTINGS: dict[str, dict[str, Any]] = {
    "default": {"n_components": 100},
    "build": {
        "n_components": 200,
        "label_weight": 0.9,
        "scaling": 0.3,
        "emphasis": {"words": 0.1, "labels": 1.0},
    },
}
N_NEW = 1_000


def stories(data: Path, n_records: int, seed: int) -> tuple[Any, sp.csr_array]:
    """Return words and topics of stories, the new ones last."""
    found = np.load(data / "rcv1/rcv1_subsets.npz")
    X = sp.csr_array((found["X_data"], found["X_indices"], found["X_indptr"]), shape=tuple(found["X_shape"]))
    ones = np.ones(len(found["Y_indices"]))
    Y = sp.csr_array((ones, found["Y_indices"], found["Y_indptr"]), shape=tuple(found["Y_shape"]))
    distinct = np.flatnonzero(found["first_copy"] == np.arange(X.shape[0]))
    chosen = np.random.default_rng(seed).permutation(distinct)[: n_records + N_NEW]
    X, Y = X[chosen], Y[chosen]
    common = np.flatnonzero((X[:n_records] != 0).sum(axis=0) >= 2)
    return sp.csr_array(X[:, common]).astype(np.float32), sp.csr_array(Y)


def ndcg(asked: np.ndarray, stored: np.ndarray, Y: Any, Z: Any, *, same: bool) -> float:
    """Return nDCG@10; if both are the `same` records, none finds itself."""
    asked, stored = (P / np.maximum(np.linalg.norm(P, axis=1, keepdims=True), 1e-12) for P in (asked, stored))
    shared = np.asarray((Y @ Z.T).toarray())
    either = np.asarray(Y.sum(axis=1)).reshape(-1, 1) + np.asarray(Z.sum(axis=1)).reshape(1, -1) - shared
    gains, cosines = shared / np.maximum(either, 1), asked @ stored.T
    if same:
        np.fill_diagonal(cosines, -2)
        np.fill_diagonal(gains, 0)
    best = np.argsort(-cosines, axis=1, kind="stable")[:, :10]
    discount = 1 / np.log2(np.arange(2, 12))
    ideal = -np.sort(-gains, axis=1)[:, :10] @ discount
    asks = ideal > 0
    reached = np.take_along_axis(gains, best, 1) @ discount
    return float((reached[asks] / ideal[asks]).mean())


def ways(
    X: Any, labels: LabelMatrix, known: np.ndarray, options: dict[str, Any]
) -> Iterator[tuple[str, Any, Any, Any]]:
    """Yield the name of each way, its model, the stored positions, and honest positions of the labelled records."""
    empty = LabelMatrix(labels.indicator, labels.names, np.ones(len(labels), dtype=bool))
    plain = LSI(options["n_components"]).fit(X)
    yield "LSI", plain, plain.transform(X), plain.transform(X[known])
    for name, given in (("zero rows", empty), ("missing rows", labels)):
        model = MLSI(**options)
        honest = model.fit_transform(X, given)
        yield name, model, model.training_coordinates(X, "transductive"), honest[known]
    model = MLSI(**options)
    honest = model.fit_transform(X[known], labels[known])
    stored = model.transform(X)
    stored[known] = model.training_coordinates(X[known], "transductive")
    yield "labelled, others folded in", model, stored, honest


def measured(data: Path, n_records: int, share: float, seed: int, options: dict[str, Any]) -> dict[str, list[float]]:
    """Return the four measures of each way."""
    X, Y = stories(data, n_records, seed)
    X, new, Y, Y_new = X[:n_records], X[n_records:], Y[:n_records], Y[n_records:]
    hidden = np.random.default_rng(100 + seed).permutation(n_records)[: int(share * n_records)]
    known = np.ones(n_records, dtype=bool)
    known[hidden] = False
    labels = LabelMatrix.from_matrix(Y, known=known)
    found = {}
    for name, model, stored, honest in ways(X, labels, known, options):
        placed = model.transform(new)
        head = LabelHead("ridge", ridge=0.1).fit(honest, labels[known].without_empty())
        columns = [int(column) for column in head.classes_]
        truth = Y_new[:, columns].toarray()
        found[name] = [
            ndcg(stored[~known], stored[~known], Y[~known], Y[~known], same=True),
            ndcg(stored, stored, Y, Y, same=True),
            ndcg(placed, stored, Y_new, Y, same=False),
            float(f1_score(truth, np.asarray(head.predict(placed)), average="micro", zero_division=0)),
        ]
    return found


def main() -> None:
    """Run the study and print its tables."""
    parser = argparse.ArgumentParser(description="What becomes of records whose labels are unknown?")
    parser.add_argument("--records", type=int, default=4_000)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--data-dir", type=Path, default=Path(os.environ.get("TACIT_DATA", ".")))
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    for setting, options in SETTINGS.items():
        for share in (0.2, 0.5, 0.8):
            runs = [measured(asked.data_dir, asked.records, share, seed, options) for seed in range(asked.seeds)]
            print(f"\n{setting}, {share:.0%} unknown: among the unlabelled, all, new stories, micro F1")
            fold = np.array([run["labelled, others folded in"] for run in runs])
            for name in runs[0]:
                values = np.array([run[name] for run in runs])
                errors = (values - fold).std(axis=0, ddof=1) / np.sqrt(len(runs))
                cells = [f"{mean:.4f} ± {error:.4f}" for mean, error in zip(values.mean(axis=0), errors, strict=True)]
                print(f"{name:28s}", "  ".join(cells), flush=True)


if __name__ == "__main__":
    main()
