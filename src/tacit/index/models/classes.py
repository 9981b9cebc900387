"""The classes that a saved model may consist of; no other is ever imported or called when a model is loaded.

The names are those in the files, so they stay when a class moves to another module.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any

__all__ = ["KNOWN", "class_called", "name_of", "uses_scikit_learn"]

_SCIKIT_LEARN = "sklearn."

_MODULES = {  # module -> the classes in it
    "tacit.models.classifiers.hierarchy": "HierarchyClassifier",
    "tacit.models.classifiers.label_head": "LabelHead",
    "tacit.models.classifiers.top_down": "Step TopDownClassifier",
    "tacit.models.common.updating": "RecordSummary",
    "tacit.models.common.views": "FittedView KnownView View",
    "tacit.models.graphs.embedding": "GraphEmbedding",
    "tacit.models.graphs.methods": "LE LPP OLPP SLE SLPP SOLPP SUSC USC",
    "tacit.models.graphs.prototypes": "RelationFeatures",
    "tacit.models.hlsi.hlsi": "HLSI",
    "tacit.models.lsi.lsi": "KernelLSI LSI",
    "tacit.models.mlsa.mlsa": "MLSA",
    "tacit.models.mlsi.mlsi": "MLSI",
    "tacit.models.projections.cca": "CCA",
    "tacit.models.projections.lda": "LDA",
    "tacit.models.projections.mddm": "MDDM",
    "tacit.models.projections.morp": "MORP",
    "tacit.models.projections.pls": "PLS",
    "tacit.relations.graphs.graph": "BorrowedWeights EdgeWeights Graph GroupWeights",
    "tacit.relations.labels.matrix": "LabelMatrix",
    "tacit.relations.tables.block": "Block",
    "tacit.relations.tables.relations": "Relations",
    "tacit.relations.taxonomy.taxonomy": "Taxonomy",
    "tacit.solve.result": "Eigenpairs LeastSquares SingularTriplets",
}
_SCIKIT_LEARN_MODULES = {
    "sklearn.feature_extraction.text": "CountVectorizer HashingVectorizer TfidfTransformer TfidfVectorizer",
    "sklearn.pipeline": "FeatureUnion Pipeline",
    "sklearn.preprocessing": "MaxAbsScaler MultiLabelBinarizer Normalizer StandardScaler",
}
KNOWN = {
    **{name: module for module, names in _MODULES.items() for name in names.split()},
    **{_SCIKIT_LEARN + name: module for module, names in _SCIKIT_LEARN_MODULES.items() for name in names.split()},
}


@cache
def class_called(name: str) -> type[Any]:
    """Import one of the known classes; `KeyError` for any other name."""
    found: type[Any] = getattr(import_module(KNOWN[name]), name.removeprefix(_SCIKIT_LEARN))
    return found


def name_of(kind: type[Any]) -> str | None:
    """Return the name of a class in the files, or None if it is not one of the known ones."""
    prefix = _SCIKIT_LEARN if kind.__module__.startswith(_SCIKIT_LEARN) else ""
    name = prefix + kind.__name__
    return name if name in KNOWN and class_called(name) is kind else None


def uses_scikit_learn(names: list[str]) -> bool:
    """Whether one of the classes is scikit-learn's, whose attributes may change with its versions."""
    return any(name.startswith(_SCIKIT_LEARN) for name in names)
