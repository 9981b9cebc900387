"""Tables 2 and 4 and figures 1 and 2 of [Mu2010]: what do labels in the graph add to graph embeddings?

Reuters-21578 as there: the stories of ten categories, Porter stems, random thirds for training, validation and test, a
linear support vector machine for every category, cut at zero. The second set of the paper cannot be had; arXiv papers
with words, pairs and triples of words stand in for it, described by prototypes as there. What differs: parameters are
chosen coordinate by coordinate on one split, and what was chosen is measured on three others; rows are scaled to unit
length before the classifiers; spaces with a regression are trained on honest positions.

    OMP_NUM_THREADS=1 python benchmarks/studies/graph_embeddings.py [reuters] [arxiv] [--save FILE] [--write]
    python benchmarks/studies/graph_embeddings.py --from FILE --write     # the page again, from numbers saved before

Ten minutes for Reuters and five for arXiv on one free core. Needs PyStemmer, and Matplotlib for --write.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import scipy.linalg as la
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

from tacit import SLE, SUSC, RelationFeatures, TacitWarning
from tacit.evaluate import ndcg_at_k

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # a study is run as a script and shares `pages`
from graph_embeddings_tables import arxiv_section, draw, reuters_section
from graph_embeddings_trial import Data, Method, arxiv, head, methods, reuters, short, split, tried, tuned
from pages import DOCS, facts, put_section

__all__ = ["PARTS", "main", "page", "study"]

PARTS = ("reuters", "arxiv")
_TITLE = "# Graph embeddings: what labels in the graph add"
_SEEDS = (1, 2, 3)  # settings were chosen on split 0
_SCALINGS = {"unit": "weighted", "weighted": "unit"}
_CONSTRAINTS = {"embeddings": "projections", "projections": "embeddings"}
_RATIO = 0.25  # prototypes for each record
_ALL = "Raw, all n-grams"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Graph embeddings on Reuters-21578 and arXiv.")
    parser.add_argument("part", nargs="*", help="reuters, arxiv; both if not given")
    parser.add_argument("--data-dir", help="folder of the data sets, TACIT_DATA if not given")
    parser.add_argument("--small", action="store_true", help="few records and settings, to see that everything runs")
    parser.add_argument("--write", action="store_true", help="write docs/studies/graph_embeddings.md and its pictures")
    parser.add_argument("--save", type=Path, metavar="FILE", help="keep the numbers as JSON, beside those there")
    parser.add_argument("--from", dest="source", type=Path, metavar="FILE", help="take the numbers from there")
    asked = parser.parse_args(arguments)
    for part in asked.part:
        if part not in PARTS:
            parser.error(f"part is unknown: got {part!r}, expected one of {', '.join(PARTS)}.")
    if asked.small and asked.write:
        parser.error("--write needs the whole study: got --small too, whose numbers mean little. Leave one out.")
    if asked.source:
        numbers = json.loads(asked.source.read_text(encoding="utf-8"))
    else:
        numbers = study(asked.data_dir, asked.part or PARTS, small=asked.small)
    if asked.save:
        before = json.loads(asked.save.read_text(encoding="utf-8")) if asked.save.exists() else {}
        asked.save.write_text(json.dumps({**before, **numbers}), encoding="utf-8")
    print(page(numbers))
    if asked.write:
        _write(numbers)


def study(data_dir: str | None = None, parts: Sequence[str] = PARTS, *, small: bool = False) -> dict[str, Any]:
    """Measure; give the numbers of each part, ready for JSON."""
    measure = {"reuters": _study_reuters, "arxiv": _study_arxiv}
    return {part: {**measure[part](data_dir, small), "facts": facts()} for part in parts}


def page(numbers: dict[str, Any]) -> str:
    """Give the text of the page."""
    return "\n\n".join(text for _, text in _sections(numbers))


def _sections(numbers: dict[str, Any]) -> list[tuple[str, str]]:
    write = {"reuters": reuters_section, "arxiv": arxiv_section}
    return [(part, write[part](numbers[part])) for part in PARTS if part in numbers]


def _write(numbers: dict[str, Any]) -> None:
    for part, text in _sections(numbers):
        put_section(DOCS / "studies/graph_embeddings.md", part, text, head=_TITLE, order=PARTS)
    if "reuters" in numbers:
        draw(numbers["reuters"], DOCS / "studies")


def _study_reuters(data_dir: str | None, small: bool) -> dict[str, Any]:
    stories = reuters(data_dir, 350 if small else None)
    every = short(methods(n_directions=(10, 20))) if small else methods()
    parts = split(stories, 0)
    trials = {each.name: tuned(each, parts, head(), {"C": [1.0, 3.0]}) for each in every}
    chosen = {name: found[0] for name, found in trials.items()}
    finals: list[Any] = []
    for seed in _SEEDS[:1] if small else _SEEDS:
        again = split(stories, seed)
        for name, model, values in _repeated(every, chosen):
            grid = {"C": [values["head"]["C"]], "thresholds": ["zero", "tuned"]}
            finals += [
                [name, *found["test"].values(), found["head"]["thresholds"], found["labels"]]
                for found in tried({name: model}, again, head().set_params(cv=3), grid, {}, (values["dimensions"],))
            ]
    return {
        "data": _described(stories, parts),
        "names": list(stories.names),
        "trials": trials,
        "finals": finals,
    }


def _repeated(every: Sequence[Method], chosen: dict[str, Any]) -> list[tuple[str, Any, Any]]:
    """List what is measured on further splits: what was chosen, other readings of it, and candidates for defaults."""
    models = {each.name: each.model for each in every}
    for name, found in chosen.items():
        if not isinstance(models[name], str):
            models[name] = clone(models[name]).set_params(**found["parameters"])
    listed = [(name, models[name], chosen[name]) for name in models]
    for label, name, changes in _readings(models):
        listed.append((f"{name}: {label}", clone(models[name]).set_params(**changes), chosen[name]))
    at_fifty = {"head": {"C": 1.0}, "dimensions": min(50, max(chosen["SLE"]["dimensions"], 10) * 5)}
    for label, model in _candidates():
        listed.append((label, model, at_fifty))
    return listed


def _readings(models: dict[str, Any]) -> list[tuple[str, str, dict[str, Any]]]:
    """List other readings of the paper: (what is other, method, values)."""
    listed: list[tuple[str, str, dict[str, Any]]] = [
        ("trained on in-sample positions", "SLE", {"coordinates": "in-sample"}),
        ("ridge 0.1", "SLE", {"ridge": 0.1}),
        ("extension 1", "SLE", {"extension": "projection", "n_directions": models["SLPP"].n_directions}),
        ("10 neighbours by labels", "SLE", {"label_graph_params": {"n_neighbours": 10}}),
    ]
    for name in ("SLE", "SUSC"):
        other = _SCALINGS[models[name].scaling]
        listed.append((f"scaling={other!r}", name, {"scaling": other}))
    for kind in ("sorensen", "projected", "scaled and", "hamming"):
        if models["SLE"].label_graph != kind:
            listed.append((f"label_graph={kind!r}", "SLE", {"label_graph": kind}))
    for name in ("CCA", "MORP"):
        other = _CONSTRAINTS[models[name].constraint]
        listed.append((f"orthonormal {other}", name, {"constraint": other}))
    return listed


def _candidates() -> list[tuple[str, Any]]:
    """List candidates for defaults, at fifty dimensions."""
    better = {"ridge": 1.0, "label_graph": "scaled and"}
    return [
        ("SLE()", SLE()),
        ("SLE(ridge=1)", SLE(ridge=1.0)),
        ("SLE(ridge=1, scaled and)", SLE(**better)),
        ("SLE(ridge=1, scaled and, weighted)", SLE(**better, scaling="weighted")),
        ("SUSC()", SUSC()),
        ("SUSC(ridge=1, 10 label neighbours)", SUSC(ridge=1.0, label_graph_params={"n_neighbours": 10})),
    ]


def _study_arxiv(data_dir: str | None, small: bool) -> dict[str, Any]:
    papers = arxiv(data_dir, 200 if small else 5_000)
    parts = split(papers, 0)
    first = time.perf_counter()
    features = RelationFeatures(ratio=_RATIO, measure="dot").fit(*parts[0])
    related = [(features.transform(X), y) for X, y in parts]
    prototyped = time.perf_counter() - first
    every = methods(n_directions=(None,))
    if small:
        every = short(methods(n_directions=(None,)))
    grid = {"ridge": [0.3, 1.0, 3.0]}
    turned = _rotated(parts)
    trials = {_ALL: tuned(Method(_ALL, "raw"), turned, head("ridge"), grid)}
    trials |= {each.name: tuned(each, related, head("ridge"), grid) for each in every}
    chosen = {name: found[0] for name, found in trials.items()}
    ranked = {}
    for name, found in chosen.items():
        model = next((each.model for each in every if each.name == name), "raw")
        ranked[name] = _ndcg(model, found, turned if name == _ALL else related)
    return {
        "data": _described(papers, parts),
        "n_prototypes": int(related[0][0].shape[1]),
        "trials": trials,
        "ndcg": ranked,
        "ratios": _ratios(every, chosen, parts, small),
        "prototype seconds": prototyped,
    }


def _rotated(parts: Sequence[Any]) -> list[Any]:
    """Turn the terms so that the training records span the columns: the same to a linear classifier, and far fewer.

    One more column has what is left of the length of a record, or the classifier would take new ones for shorter.
    """
    X = parts[0][0]
    values, vectors = la.eigh((X @ X.T).toarray().astype(np.float64))
    kept = values > values.max() * 1e-6
    turn = vectors[:, kept] / np.sqrt(values[kept])
    turned = []
    for Z, y in parts:
        spanned = (Z @ X.T).toarray() @ turn
        rest = np.asarray(Z.multiply(Z).sum(axis=1)).ravel() - (spanned**2).sum(axis=1)
        turned.append((np.column_stack([spanned, np.sqrt(np.maximum(rest, 0))]), y))
    return turned


def _ndcg(model: Any, found: dict[str, Any], parts: Sequence[Any]) -> float:
    """Fit what was chosen once more and rank the labels of the test records."""
    (X, y), _, (X_new, y_new) = parts
    if not isinstance(model, str):
        model = clone(model).set_params(**found["parameters"], n_components=found["dimensions"])
        X, X_new = model.fit_transform(X, y), model.transform(X_new)
    scores = head("ridge").set_params(**found["head"]).fit(X, y).decision_function(X_new)
    return ndcg_at_k(y_new, scores, 5)


def _ratios(every: Sequence[Method], chosen: dict[str, Any], parts: Sequence[Any], small: bool) -> list[Any]:
    """Measure chosen settings with other prototypes, and without; give scores and seconds, those for prototypes too."""
    rows = []
    for name in ("SLE", "SOLPP", "MLSI"):
        found = chosen[name]
        model = clone(next(each.model for each in every if each.name == name)).set_params(**found["parameters"])
        ways = {f"{ratio:g}, {measure}": RelationFeatures(ratio=ratio, measure=measure)
                for ratio, measure in ((0.1, "dot"), (_RATIO, "dot"), (_RATIO, "euclidean"))}  # fmt: skip
        for way, features in (*ways.items(), ("none", None)):
            if features is None and name == "SOLPP":
                model.set_params(n_directions=min(400, parts[0][0].shape[0]))
            used = model if features is None else make_pipeline(features, model)
            grid = {"ridge": [found["head"]["ridge"]]}
            (only,) = tried({name: used}, parts, head("ridge"), grid, {}, (found["dimensions"],))
            rows.append([name, way, *only["test"].values(), only["seconds"]])
    return rows


def _described(data: Data, parts: Sequence[Any]) -> str:
    several = float((data.Y.sum(axis=1) > 1).mean())
    sizes = ", ".join(f"{len(y):,}" for _, y in parts)
    return (
        f"**Data.** {len(data.texts):,} records, {len(data.names)} labels, {data.Y.sum(axis=1).mean():.2f} per record, "
        f"{several:.0%} of the records with several; {sizes} for training, validation and test; "
        f"{parts[0][0].shape[1]:,} terms."
    )


if __name__ == "__main__":
    warnings.simplefilter("ignore", TacitWarning)
    main()
