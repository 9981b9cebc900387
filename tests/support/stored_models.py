"""The models in `tests/contract/saved_models_<format>.zip`, which every later version has to load.

A new format gets a new file: `python tests/support/stored_models.py tests/contract/saved_models_2` writes it.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.pipeline import make_pipeline

import tacit
from tacit.text import vectoriser

__all__ = ["models", "results", "write"]

TEXTS = ["whales swim in the sea", "ships at sea", "a cat at home", "ships in a harbour", "cats at home", "whales"] * 3
SETS = [{"sea", "whale"}, {"sea"}, {"home", "cat"}, None, {"home"}, {"whale"}] * 3
TAXONOMY = {"whale": "sea", "cat": "home", "sea": None, "home": None}
NEW = ["a whale at home", "cats and ships in the harbour"]


def models() -> dict[str, tuple[Any, str, list[Any]]]:
    """Return fitted models by name, each with a method and what it is asked."""
    X = np.random.default_rng(5).random((18, 6)).round(2)
    X[:, :2] += [[1 if names and "sea" in names else 0, 1 if names and "home" in names else 0] for names in SETS]
    new = X[:3].tolist()
    taxonomy = tacit.Taxonomy.from_parents(TAXONOMY)
    relations = tacit.Relations().add("user", "film", X.round(), rows=[f"u{i}" for i in range(18)], columns=range(6))
    relations = relations.add("film", "word", np.eye(6)[:, :4], columns=list("abcd"), normalise="tfidf")
    views = {"places": tacit.View([{"north"}, {"south"}, None] * 6)}
    pipeline = make_pipeline(vectoriser(min_df=1), tacit.MLSI(2), tacit.LabelHead(random_state=0)).fit(TEXTS, SETS)
    return {
        "lsi": (tacit.LSI(2).fit(X), "transform", new),
        "views": (tacit.MLSI(2).fit(X, SETS, views=views), "transform", new),
        "hlsi": (tacit.HLSI(2, taxonomy=taxonomy).fit(X, SETS), "transform", new),
        "graph": (tacit.SLE(2, n_neighbours=3).fit(X, SETS), "transform", new),
        "relations": (tacit.MLSA(2).fit(relations), "concept_table", "word"),
        "prototypes": (tacit.RelationFeatures().fit(X), "transform", new),
        "top_down": (tacit.TopDownClassifier(taxonomy=taxonomy, random_state=0).fit(X, SETS), "decision_function", new),
        "pipeline": (pipeline, "decision_function", NEW),
    }


def results(model: Any, asked: list[Any]) -> list[Any]:
    """Ask a model: a method and its argument; of a table of concepts, the weights."""
    method, argument = asked
    found = getattr(model, method)(argument)
    if method == "concept_table":
        return [weight for concept in found for _, weight in concept]
    listed: list[Any] = np.asarray(found).tolist()
    return listed


def write(archive: Path) -> None:
    """Save the models and what they answer in `<archive>.zip`."""
    with tempfile.TemporaryDirectory() as folder:
        expected = {}
        for name, (model, method, argument) in models().items():
            tacit.save(model, Path(folder, name))
            expected[name] = [[method, argument], results(model, [method, argument])]
        Path(folder, "expected.json").write_text(json.dumps(expected), encoding="utf-8")
        shutil.make_archive(str(archive), "zip", folder)


if __name__ == "__main__":
    write(Path(sys.argv[1]))
