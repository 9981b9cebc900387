"""What the study of taxonomies measures: spaces with one head for all of them, classifiers on words, and search.

Every method learns from a `Part` with some `Setting` and is judged on the part's new records. A space is followed by
`LabelHead` as the library has it, trained on honest coordinates, with one classifier for each node of the taxonomy;
the ridge heads show what another head would do.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from tacit import HLSI, LSI, MLSI, HierarchyClassifier, LabelHead, LabelMatrix, Taxonomy, TopDownClassifier
from tacit.errors import TacitWarning
from tacit.evaluate import f1, hierarchical_f1, overlap_ndcg, precision_at_k, tree_distance
from tacit.models.base import SCALINGS
from tacit.reproduce.trees import Collection, Rows, vectors

__all__ = ["GAMMAS", "METHODS", "SEARCHES", "Part", "Scores", "Setting", "judge", "part_of", "search"]

N_DIMENSIONS = 100
GAMMAS = (0.03, 0.1, 0.3, 1.0, 3.0)


class Part(NamedTuple):
    """Records to learn from and new ones, with their labels as given, without those above others, and all nodes."""

    X: Any
    X_new: Any
    given: LabelMatrix
    lowest: LabelMatrix
    nodes: LabelMatrix
    given_new: LabelMatrix
    nodes_new: LabelMatrix
    taxonomy: Taxonomy


class Setting(NamedTuple):
    """A method by name, and the values of its parameters, as pairs."""

    method: str
    values: tuple[tuple[str, Any], ...] = ()

    def __str__(self) -> str:
        """Write the values as a user would."""
        return ", ".join(f"{name}={value!r}" for name, value in self.values)


class Scores(NamedTuple):
    """What a setting reached: F1 over all nodes, as said and after predictions were made to agree with the taxonomy."""

    micro: float
    macro: float
    hierarchical: float
    distance: float
    first: float  # P@1 of the leaves
    added_micro: float
    added_macro: float
    dropped_micro: float
    dropped_macro: float
    seconds: float


class Method(NamedTuple):
    """How a method is made from a taxonomy and values of the grid, which labels it learns from, and a space's head."""

    make: Callable[..., Any]
    grid: dict[str, tuple[Any, ...]]
    labels: str = "given"
    is_space: bool = True
    head: str = "logistic"

    def settings(self, name: str) -> list[Setting]:
        """List all combinations of the values."""
        return [Setting(name, tuple(zip(self.grid, each, strict=True))) for each in product(*self.grid.values())]


def _mlsi(taxonomy: Taxonomy | None, **values: Any) -> MLSI:
    return MLSI(N_DIMENSIONS, taxonomy=taxonomy, **values)


def _hlsi(taxonomy: Taxonomy | None, **values: Any) -> HLSI:
    return HLSI(N_DIMENSIONS, taxonomy=taxonomy, **values)


def _hierarchy(taxonomy: Taxonomy | None, **values: Any) -> HierarchyClassifier:
    return HierarchyClassifier(taxonomy=taxonomy, closed=None, random_state=0, **values)


def _top_down(taxonomy: Taxonomy | None, **values: Any) -> TopDownClassifier:
    return TopDownClassifier(LabelHead("svm", calibrate=False, random_state=0, **values), taxonomy=taxonomy)


_MLSI_GRID = {"label_weight": (0.1, 0.3, 0.5, 0.7, 0.9), "ridge": (0.3, 1.0, 3.0)}
_PENALTIES = {"C": (0.1, 0.3, 1.0, 3.0)}
_RIDGES = (0.1, 0.3, 1.0, 3.0, 10.0)

METHODS = {
    "words, SVM": Method(
        lambda _, **values: LabelHead("svm", calibrate=False, random_state=0, **values), _PENALTIES, "nodes", False
    ),
    "LSI, 50 dimensions": Method(lambda _: LSI(50), {}),
    "LSI": Method(lambda _: LSI(N_DIMENSIONS), {}),
    "MLSI": Method(lambda _, **values: _mlsi(None, **values), _MLSI_GRID),
    "MLSI, lowest labels": Method(lambda _, **values: _mlsi(None, **values), _MLSI_GRID, "lowest"),
    "MLSI, taxonomy": Method(_mlsi, _MLSI_GRID),
    "HLSI": Method(lambda _, **values: _hlsi(None, **values), {"gamma": GAMMAS}),
    "HLSI, lowest labels": Method(lambda _, **values: _hlsi(None, **values), {"gamma": GAMMAS}, "lowest"),
    "HLSI, taxonomy": Method(_hlsi, {"gamma": GAMMAS}),
    "MLSI, ridge head": Method(lambda _, **values: _mlsi(None, **values), _MLSI_GRID, head="ridge"),
    "HLSI, taxonomy, ridge head": Method(_hlsi, {"gamma": GAMMAS}, head="ridge"),
    # whole membership mostly needs larger values, and takes long with small ones
    "HLSI, taxonomy, whole": Method(
        lambda taxonomy, **values: _hlsi(taxonomy, membership="whole", **values), {"gamma": (0.1, 0.3, 1.0, 3.0, 10.0)}
    ),
    "HierarchyClassifier, ξ = 0": Method(_hierarchy, {"hierarchy_weight": (0.0,), "ridge": _RIDGES}, is_space=False),
    "HierarchyClassifier, ξ > 0": Method(
        _hierarchy, {"hierarchy_weight": (0.01, 0.1, 1.0), "ridge": _RIDGES}, is_space=False
    ),
    "TopDownClassifier, SVM": Method(_top_down, _PENALTIES, is_space=False),
}
_SPREADS = {"scaling": tuple(SCALINGS)}
SEARCHES = {
    "words": Method(lambda _: None, {}),
    "LSI": Method(lambda _, **values: LSI(N_DIMENSIONS, **values), _SPREADS),
    **{name: METHODS[name]._replace(grid=METHODS[name].grid | _SPREADS) for name in ("MLSI", "MLSI, taxonomy")},
    **{name: METHODS[name]._replace(grid=METHODS[name].grid | _SPREADS) for name in ("HLSI", "HLSI, taxonomy")},
}


def part_of(collection: Collection, train: Rows, new: Rows) -> Part:
    """Make vectors and labels of a split."""
    taxonomy = collection.taxonomy
    given, given_new = collection.Y[train], collection.Y[new]
    nodes, nodes_new = taxonomy.expand(given), taxonomy.expand(given_new)
    return Part(
        *vectors(collection, train, new), given, _lowest(given, taxonomy), nodes, given_new, nodes_new, taxonomy
    )


def judge(part: Part, setting: Setting) -> Scores:
    """Train with a setting and measure on the new records."""
    method = METHODS[setting.method]
    labels = getattr(part, method.labels)
    model = method.make(part.taxonomy, **dict(setting.values))
    start, X_new = time.perf_counter(), part.X_new
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TacitWarning)  # labels that no training record has are left out of the scores
        if method.is_space:
            space, model = model, LabelHead(method.head, ridge=0.1, calibrate=False, random_state=0)
            model.fit(space.fit_transform(part.X, labels), part.nodes)
            X_new = space.transform(part.X_new)
        else:
            model.fit(part.X, labels)
    seconds = time.perf_counter() - start
    said, scores = model.predict(X_new), model.decision_function(X_new)
    said = _in_columns(said, model.classes_, part, 0.0)
    scores = _in_columns(scores, model.classes_, part, scores.min() - 1)
    return _scores(part, said, scores, seconds)


def search(part: Part, settings: Sequence[Setting]) -> dict[Setting, float]:
    """Find training records for the new ones, and give nDCG@10 by the overlap of labels; each space is fitted once."""
    found: dict[Setting, float] = {}
    spaces: dict[Setting, tuple[Any, Any, Any]] = {}
    for setting in settings:
        values = dict(setting.values)
        scaling = values.pop("scaling", "unit")
        key = Setting(setting.method, tuple(values.items()))
        if key not in spaces:
            spaces = {key: _positions(part, setting.method, values)}  # only the last, since they are large
        old, new, eigenvalues = spaces[key]
        weights = None if eigenvalues is None else eigenvalues ** SCALINGS[scaling]
        old, new = (X if weights is None else X * weights for X in (old, new))
        found[setting] = overlap_ndcg(new, old, part.given_new, part.given, k=10)
    return found


def _lowest(labels: LabelMatrix, taxonomy: Taxonomy) -> LabelMatrix:
    """Leave out the labels that lie above another label of the same record: what a flat method would be told."""
    nodes = taxonomy.columns(labels.names)
    above = taxonomy.closure[nodes][:, nodes] - sp.eye_array(len(nodes))
    implied = (labels.indicator @ above).toarray() > 0
    kept = labels.indicator.toarray() * ~implied
    return LabelMatrix.from_matrix(kept, names=labels.names)


def _in_columns(values: Any, classes: Any, part: Part, fill: float) -> np.ndarray:
    """Put what a classifier says in the columns of the nodes; it says `fill` of those it never met."""
    placed = np.full((values.shape[0], part.nodes.n_labels), fill)
    placed[:, part.taxonomy.columns(classes.tolist())] = sp.csr_array(values).toarray()
    return placed


def _scores(part: Part, said: np.ndarray, scores: np.ndarray, seconds: float) -> Scores:
    closure, trained = part.taxonomy.closure, part.nodes.counts
    n_above = closure.sum(axis=1)
    added = (said @ closure > 0).astype(float)
    dropped = said * (said @ closure.T >= n_above)
    pairs = [f1(part.nodes_new, each, trained=trained) for each in (said, added, dropped)]
    plain, whole, cut = ((each.micro, each.macro) for each in pairs)
    leaves = [name for name in part.taxonomy.leaves if part.nodes.counts[part.taxonomy.index(name)]]
    columns = part.taxonomy.columns(leaves)
    return Scores(
        *plain,
        hierarchical_f1(part.nodes_new, LabelMatrix.from_matrix(said, names=part.nodes.names), part.taxonomy).f1,
        tree_distance(part.nodes_new, LabelMatrix.from_matrix(added, names=part.nodes.names), part.taxonomy).mean,
        precision_at_k(part.nodes_new.select(leaves), scores[:, columns], 1),
        *whole,
        *cut,
        seconds,
    )


def _positions(part: Part, name: str, values: dict[str, Any]) -> tuple[Any, Any, Any]:
    """Give training records, new ones, and what unit positions are weighted by; transductive where labels count."""
    model = SEARCHES[name].make(part.taxonomy, **values)
    if model is None:
        return part.X, part.X_new, None
    model.set_params(scaling="unit")
    if "coordinates" in model.get_params():
        model.set_params(coordinates="transductive")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TacitWarning)
        old = model.fit_transform(part.X, part.given)
    return old, model.transform(part.X_new), model.eigenvalues_
