"""Supervised graph embeddings [Mu2010]: records that are similar by features or by labels get close positions.

    min ½ Σ_ij w_ij ‖z_i − z_j‖²,  Zᵀ B Z = I                                                        eqs. (1), (2)
    W = (1 − θ) W_X / α_X + θ W_Y / α_Y                                                              eq. (17)

| symbol | word                                                           | shape |
|--------|----------------------------------------------------------------|-------|
| W_X    | graph of the nearest neighbours by features                    | N x N |
| W_Y    | graph of the labels                                            | N x N |
| θ      | `label_weight`                                                 |       |
| B      | D for "le" and "lpp", I for "usc", none for "olpp", whose P has PᵀP = I | |
| Z, λ   | `embedding_`, `costs_`; `eigenvalues_` is 1/λ                  | N x k |
| P      | `components_`, transposed and scaled                           | M x k |
| α      | `ridge`, eq. (5)                                               |       |

The graphs are in `relations/graphs`, the eigenproblems in `spectrum` (on the records) and `projection` (on the terms).
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from tacit.checks import as_rng, check_choice, check_count, is_sparse
from tacit.errors import InputError
from tacit.models.base import SCALINGS, read_records, warn, warn_if_fewer
from tacit.models.common.honest_positions import honest_positions
from tacit.models.common.kernel_forms import RecordForm
from tacit.models.common.labels import read_labels
from tacit.models.common.record_kernel import (
    COORDINATES,
    RegressedSpace,
    check_same_records,
    choose_form,
    make_form,
)
from tacit.models.graphs.projection import graph_projection
from tacit.models.graphs.spectrum import graph_spectrum
from tacit.operators import as_operator
from tacit.relations.graphs.graph import EdgeWeights, Graph, as_graph, combined_graph
from tacit.relations.graphs.label_graph import label_graph
from tacit.relations.graphs.neighbours import neighbour_graph
from tacit.relations.taxonomy.taxonomy import Taxonomy
from tacit.solve.choice.choose import SOLVERS
from tacit.types import Array, BoolArray

__all__ = ["GraphEmbedding"]

METHODS = {"le": "degrees", "usc": "identity", "lpp": "degrees", "olpp": "projections"}
# How much a record of unknown labels counts beside the others: benchmarks/studies/graph_unknown_labels.py. With
# constraints that do not count records by their weights, they would take dimensions from the labels.
UNKNOWN = {"le": 0.1, "usc": 0.0, "lpp": 0.05, "olpp": 0.0}
EXTENSIONS = ("auto", "regression", "projection")
_GRAPH_PARAMS = ("within", "join", "metric", "weights", "width")
_LABEL_GRAPH_PARAMS = ("n_neighbours", "width", "n_dimensions")


class GraphEmbedding(RegressedSpace):
    """A space from a graph of the records: nearest neighbours, labels, or both.

    Parameters
    ----------
    n_components : int, default 50 — dimensions k; fewer are kept, with a warning, if there are not that many
    method : {"le", "usc", "lpp", "olpp"}, default "le" — Laplacian eigenmaps; unnormalised spectral clustering;
        locality preserving projections; orthogonal ones. `LE`, `USC`, `LPP`, `OLPP` are these by name, and `SLE`,
        `SUSC`, `SLPP`, `SOLPP` their supervised forms, with `label_weight=0.5`
    label_weight : float in [0, 1], default 0.0 — θ, how much the labels count beside the features
    graph : "neighbours", Graph, matrix or callable, default "neighbours" — W_X: the nearest neighbours in X; your own
        weights, records x records; or a function that makes a graph of X
    n_neighbours : int, default 10 — nearest neighbours of each record; half as many as there are other records, with a
        warning, if there are not that many
    graph_params : mapping or None, default None — join, metric, weights and width of the nearest neighbours, see
        `neighbour_graph`, or within, a range of closeness that takes the place of `n_neighbours`; for the graph
        embedding the default of `weights` is "gaussian"
    label_graph : str, Graph, matrix or callable, default "scaled and" — W_Y: the name of a similarity, see
        `label_graph`; your own weights, with which `fit` needs no `y`; or a function that makes a graph of the labels
    label_graph_params : mapping or None, default None — n_neighbours, width and n_dimensions of the similarity, see
        `label_graph`
    taxonomy : Taxonomy or None, default None — the classes above the labels, for the similarity
    extension : {"auto", "regression", "projection"}, default "auto" — how new records are placed: "regression" embeds
        the training records and fits a ridge regression to the result (the paper's extension 2), "projection" puts
        Z = X P into the problem (extension 1). "auto" is "regression" for "le" and "usc" and "projection" for "lpp" and
        "olpp"; "le" with "projection" is "lpp"
    ridge : float, default 1.0 — α of the regression, in units of the mean squared length of a record; for projections,
        see `graph_projection`
    n_directions : int or None, default None — for projections: leading directions of X to search in; None is all of
        them, or 1,000 if both sides of X are above 4,000
    scaling : {"auto", "unit", "damped", "weighted"}, default "auto" — "unit" has Zᵀ B Z = I as the papers do,
        "weighted" divides each dimension by √λ, so that distances are commute times on the graph, "damped" by λ^¼.
        "auto" is "weighted" (chosen on Reuters-21578, 2026-11-16), and "unit" for "olpp", whose
        directions are orthonormal by that
    coordinates : {"honest", "in-sample", "transductive"}, default "honest" — what `fit_transform` returns; see
        `training_coordinates`
    n_folds : int or None, default None — for honest coordinates of large collections, as for `MLSI`
    solver : {"auto", "dense", "lanczos", "krylov"}, default "auto" — for the graph
    tol : float, default 1e-3 — residual at which the iterative solvers stop, in units of the degrees
    max_iter : int or None, default None — maximum number of iterations
    random_state : int, generator or None, default 0 — the same seed gives the same space

    Attributes
    ----------
    embedding_ : (n_records, n_components_) Z in unit scaling: the positions of the records in the graph's embedding;
        those of records with unknown labels are by their words
    costs_ : (n_components_,) λ, smallest first; 0 for contrasts between connected components of the graph
    eigenvalues_ : (n_components_,) 1/λ, largest first; a cost of 0 counts like the smallest of the others
    components_ : (n_components_, n_terms) Pᵀ in the chosen scaling
    graph_ : Graph, W
    n_pieces_ : int, connected components of the graph
    labels_ : LabelMatrix or None
    solution_ : tuple of the solvers' reports
    n_iter_ : int, largest number of iterations of any of them; 1 for dense solvers

    Notes
    -----
    *Unknown labels*: the similarity of such a record to others by labels is missing, not 0. With "le" and "lpp" it is
    the mean of those of its nearest records with known labels, and the record counts a tenth ("le") or a twentieth
    ("lpp") of a known one in the graph and in the regression; with "usc" and "olpp" it is left out of the fit. Its
    position, also the transductive one, is the one that its words give it. See `combined_graph`.

    Neither graph is made dense: the graph of the neighbours is sparse, and the graph of the labels is stored by its
    distinct label sets (Identity F).

    References
    ----------
    [Mu2010]; docs/guide/graph_embeddings.md lists the differences from the paper.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[2., 1, 0, 0], [1, 2, 0, 0], [2, 2, 0, 0], [0, 0, 2, 1], [0, 0, 1, 2], [0, 1, 2, 2]])
    >>> space = GraphEmbedding(n_components=2, label_weight=0.5, n_neighbours=2).fit(X, ["a", "a", "a", "b", "b", "b"])
    >>> space.transform(X).shape
    (6, 2)
    """

    _scalings = ("auto", *SCALINGS)

    def __init__(
        self,
        n_components: int = 50,
        *,
        method: str = "le",
        label_weight: float = 0.0,
        graph: Any = "neighbours",
        n_neighbours: int = 10,
        graph_params: Mapping[str, Any] | None = None,
        label_graph: Any = "scaled and",
        label_graph_params: Mapping[str, Any] | None = None,
        taxonomy: Taxonomy | None = None,
        extension: str = "auto",
        ridge: float = 1.0,
        n_directions: int | None = None,
        scaling: str = "auto",
        coordinates: str = "honest",
        n_folds: int | None = None,
        solver: str = "auto",
        tol: float = 1e-3,
        max_iter: int | None = None,
        random_state: Any = 0,
    ) -> None:
        self.n_components = n_components
        self.method = method
        self.label_weight = label_weight
        self.graph = graph
        self.n_neighbours = n_neighbours
        self.graph_params = graph_params
        self.label_graph = label_graph
        self.label_graph_params = label_graph_params
        self.taxonomy = taxonomy
        self.extension = extension
        self.ridge = ridge
        self.n_directions = n_directions
        self.scaling = scaling
        self.coordinates = coordinates
        self.n_folds = n_folds
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the space.

        Parameters
        ----------
        X : (n_records, n_terms) dense or sparse
        y : binary matrix (dense or sparse), list of label sets, one class per record, or `LabelMatrix`; None only if
            label_weight=0 or `label_graph` is a graph
        """
        self._fit(X, y)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Array:
        """Find the space and return the training records' positions, of the kind set by `coordinates`.

        By default a regression returns honest positions, which differ from those of `transform` for the same records on
        purpose, as scikit-learn's TargetEncoder cross-fits. The next step of a pipeline is then trained on positions
        like those of new records. A projection has in-sample positions only.
        """
        kind = check_choice("coordinates", self.coordinates, COORDINATES)
        X, form, coefficients = self._fit(X, y)
        if form is not None and kind == "honest" and not self._known(X.shape[0]).all():
            return self._trained_positions(X, kind)
        if form is None or kind == "in-sample":
            return np.asarray(X @ self.components_.T.astype(X.dtype, copy=False))
        return self._scaled(self._honest(form, coefficients) if kind == "honest" else self.embedding_)

    def training_coordinates(self, X: Any, kind: str = "transductive") -> Array:
        """Return the positions of the training records, in the model's scaling.

        Parameters
        ----------
        X : the records passed to `fit`
        kind : "transductive" — the embedding of the graph, with their own labels: for searching or mapping the
            collection; "in-sample" — the result of `transform`; "honest" — by their words, through a regression without
            the record itself: for training a model that will be used on new records. A projection has "in-sample" only
        """
        check_is_fitted(self, "eigenvalues_")
        kind = check_choice("kind", kind, COORDINATES)
        if kind == "in-sample" or self._extension() == "projection":
            return self.transform(X)
        return self._trained_positions(read_records(self, X, reset=False), kind)

    def _fit(self, X: Any, y: Any) -> tuple[Any, RecordForm | None, Array]:
        self._check_parameters()
        X = self._read_training(X)
        if X.shape[0] < 2:
            raise InputError("X has too few records for a graph: got n_samples=1, expected at least 2 records.")
        self.graph_ = self._graph(X, y)
        self.n_pieces_ = int(self.graph_.components().max()) + 1
        alone = self.graph_.isolated() & self._known(X.shape[0])  # the others are placed by their words
        n_alone = int(np.count_nonzero(alone))
        if n_alone:
            warn(f"{n_alone} of {X.shape[0]} records are joined to no other in the graph: they are at the origin.")
        embed = self._fit_projection if self._extension() == "projection" else self._fit_regression
        form, coefficients = embed(X)
        warn_if_fewer(self.n_components, self.costs_.size, "the dimensions that the graph and the records have")
        return X, form, coefficients

    def _check_parameters(self) -> None:
        check_choice("method", self.method, METHODS)
        check_choice("extension", self.extension, EXTENSIONS)
        if self.method in ("lpp", "olpp") and self.extension == "regression":
            raise InputError(
                f"extension does not go with method={self.method!r}: got 'regression', expected 'projection'. "
                "Use method='le' or 'usc' for a regression."
            )
        self._check_regression()
        check_choice("solver", self.solver, SOLVERS)
        if self.n_directions is not None:
            check_count("n_directions", self.n_directions)

    def _extension(self) -> str:
        if self.extension != "auto":
            return self.extension
        return "projection" if self.method in ("lpp", "olpp") else "regression"

    def _graph(self, X: Any, y: Any) -> Graph:
        """Return W of eq. (17)."""
        self.labels_ = None
        if self.label_weight == 0:
            by_features = self._feature_graph(X)
            return combined_graph(by_features, by_features, 0.0)
        if y is not None or not self._has_label_graph():
            self.labels_ = read_labels(y, X.shape[0], needed=True)
        by_labels: Graph
        if isinstance(self.label_graph, str):
            parameters = _named("label_graph_params", self.label_graph_params, _LABEL_GRAPH_PARAMS)
            nearest = None if parameters.get("n_neighbours") is None else X  # X decides between equal labels
            by_labels = label_graph(self.labels_, self.label_graph, taxonomy=self.taxonomy, X=nearest, **parameters)
        else:
            by_labels = _given_graph("label_graph", self.label_graph, self.labels_, X.shape[0])
        if self.label_weight == 1:
            return combined_graph(by_labels, by_labels, 1.0)
        known = self._known(X.shape[0])
        share = UNKNOWN[self.method]
        by_features = self._feature_graph(X, known)
        return combined_graph(by_features, by_labels, self.label_weight, known=known, unknown=share)

    def _feature_graph(self, X: Any, known: BoolArray | None = None) -> Graph:
        """Return W_X; if the labels of some records are unknown, these have neighbours among the `known` only."""
        if not isinstance(self.graph, str):
            return _given_graph("graph", self.graph, X, X.shape[0])
        check_choice("graph", self.graph, ("neighbours",))
        parameters = {"weights": "gaussian", **_named("graph_params", self.graph_params, _GRAPH_PARAMS)}
        number: int | None = None
        if parameters.get("within") is None:
            number = self._neighbours_among(X.shape[0] if known is None else int(np.count_nonzero(known)))
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "X has records without neighbours")  # labels may still join them
            if known is not None and not known.all() and parameters["weights"] == "lle":
                return _padded(neighbour_graph(X[known], number, **parameters, random_state=self.random_state), known)
            return neighbour_graph(X, number, **parameters, among=known, random_state=self.random_state)

    def _neighbours_among(self, n_records: int) -> int:
        """Return the number of neighbours; fewer, with a warning, if there are not that many other records."""
        number = check_count("n_neighbours", self.n_neighbours)
        if number < n_records:
            return number
        if n_records < 2:
            raise InputError(
                f"y has too few known labels for a graph: got those of {n_records} record, expected at least 2."
            )
        fewer = max(1, (n_records - 1) // 2)
        warn(
            f"n_neighbours={number} is more than the {n_records - 1} other records: joined each record with its "
            f"{fewer} nearest. Set n_neighbours below {n_records} to choose their number."
        )
        return fewer

    def _has_label_graph(self) -> bool:
        """Whether the graph of the labels is given, so that labels are not needed."""
        return not isinstance(self.label_graph, str) and not callable(self.label_graph)

    def _fit_regression(self, X: Any) -> tuple[RecordForm, Array]:
        """Embed the records, then fit the regression: extension 2."""
        found = graph_spectrum(
            self.graph_,
            self.n_components,
            constraint=METHODS[self.method],
            solver=self.solver,
            tol=self.tol,
            max_iter=self.max_iter,
            rng=as_rng(self.random_state),
            features=X,
        )
        self._keep_costs(found.costs, X.dtype)
        self.embedding_ = found.embedding.astype(X.dtype)
        known = self._known(X.shape[0])
        rows, targets = self._weighted(X, known)
        form = self._form_again(rows)
        form.ridge *= rows.shape[0] / self._record_weights(known).sum()  # in units of a record of weight 1
        coefficients = form.regress(targets)
        weights = np.asarray(as_operator(rows).T @ coefficients if form.by_records else coefficients, dtype=X.dtype)
        self.components_ = np.asarray(self._scaled(weights), dtype=X.dtype).T
        if not known.all():
            self.embedding_[~known] = X[~known] @ weights
        self.solution_ = (found.report, *form.reports)
        self.n_iter_ = max(1, *(report.iterations for report in self.solution_))
        return form, coefficients

    def _known(self, n_records: int) -> BoolArray:
        """Return whose labels are known, or are not needed: the records that the graph places."""
        if self.labels_ is None or self._has_label_graph():
            return np.ones(n_records, dtype=bool)
        return self.labels_.known

    def _record_weights(self, known: BoolArray) -> Array:
        """Return how much each record counts in the regression: those of unknown labels as much as in the graph."""
        return np.where(known, 1.0, 0.0 if self.label_weight == 1 else UNKNOWN[self.method])

    def _weighted(self, X: Any, known: BoolArray) -> tuple[Any, Array]:
        """Return records and their positions in the embedding, rows multiplied by the roots of their weights."""
        weights = self._record_weights(known)
        if weights.all() and known.all():
            return X, self.embedding_
        rows = np.flatnonzero(weights)
        roots = np.sqrt(weights[rows]).astype(X.dtype)
        scaled = sp.csr_array(sp.diags_array(roots) @ X[rows]) if is_sparse(X) else roots[:, None] * X[rows]
        return scaled, roots[:, None] * self.embedding_[rows]

    def _trained_positions(self, X: Any, kind: str) -> Array:
        known = self._known(len(self.embedding_))
        if kind == "transductive" or known.all():
            return super()._trained_positions(X, kind)
        check_same_records(X, len(self.embedding_))
        form = self._form_again(X[known])
        return self._scaled(self._honest(form, form.regress(self.embedding_[known])))

    def _honest(self, form: RecordForm, coefficients: Array) -> Array:
        """Return honest positions; `form` and `coefficients` are those of the records of known labels.

        Positions of the others stay: their own labels had no part in them. They would repeat those of their neighbours,
        and are left out of the regression here.
        """
        known = self._known(len(self.embedding_))
        if known.all():
            return super()._honest(form, coefficients)
        rng, honest = as_rng(self.random_state), self.embedding_.copy()
        V = self.embedding_[known]
        honest[known] = honest_positions(form, V, coefficients, n_folds=self.n_folds, rng=rng, tol=self.tol)
        return honest

    def _fit_projection(self, X: Any) -> tuple[None, Array]:
        """Put Z = X P into the problem: extension 1."""
        rows, graph = X, self.graph_
        known = self._known(X.shape[0])
        if not UNKNOWN[self.method] and not known.all():
            rows, graph = X[known], graph.among(known)
        projections, costs = graph_projection(
            rows,
            graph,
            self.n_components,
            constraint=METHODS[self.method],
            ridge=float(self.ridge),
            n_directions=self.n_directions,
            tol=self.tol,
            rng=as_rng(self.random_state),
        )
        self._keep_costs(costs, X.dtype)
        self.components_ = np.asarray(self._scaled(projections), dtype=X.dtype).T
        self.embedding_ = np.asarray(X @ projections.astype(X.dtype))
        self.solution_, self.n_iter_ = (), 1
        return None, projections

    def _keep_costs(self, costs: Array, dtype: Any) -> None:
        if not costs.size:
            raise InputError(
                f"the graph has no dimension: got {self.n_pieces_} connected components of {self.graph_.n_records} "
                "records, expected components with several records. Raise n_neighbours to join more records."
            )
        self.costs_ = costs.astype(dtype)
        real = costs > _TINY * max(float(costs.max()), _TINY)
        least = float(costs[real].min()) if real.any() else 1.0
        self.eigenvalues_ = (1 / np.maximum(costs, least)).astype(dtype)

    def _form_again(self, X: Any) -> RecordForm:
        return make_form(self, X, choose_form(X.shape)[0])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = self.label_weight != 0 and not self._has_label_graph()
        return tags

    def _power(self) -> float:
        if self.scaling == "auto":
            return SCALINGS["unit" if self.method == "olpp" else "weighted"]
        return super()._power()


_TINY = 1e-12


def _named(argument: str, parameters: Mapping[str, Any] | None, names: tuple[str, ...]) -> dict[str, Any]:
    """Return the parameters of a graph; raise if one has an unknown name."""
    for name in parameters or {}:
        if name not in names:
            raise InputError(f"{argument} has an unknown name: got {name!r}, expected some of {', '.join(names)}.")
    return dict(parameters or {})


def _padded(graph: Graph, known: BoolArray) -> Graph:
    """Return a graph of some records as one of all, in which the others are not joined."""
    rows = np.flatnonzero(known)
    place = sp.csr_array((np.ones(len(rows)), (rows, np.arange(len(rows)))), shape=(len(known), len(rows)))
    (part,) = graph.parts
    assert isinstance(part, EdgeWeights)
    return Graph((EdgeWeights(sp.csr_array(place @ part.weights @ place.T)),))


def _given_graph(argument: str, given: Any, source: Any, n_records: int) -> Graph:
    """Read a graph of the user, or make it with the user's function."""
    graph = as_graph(given(source) if callable(given) else given, argument)
    if graph.n_records != n_records:
        raise InputError(f"{argument} does not match X: got {graph.n_records} records, expected {n_records}.")
    return graph
