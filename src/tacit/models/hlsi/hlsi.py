"""Hierarchy-regularised latent semantic indexing [Huang2005]: a space with compact classes of a taxonomy.

    (γ I + XᵀΔX) w = λ XᵀX w,  the smallest λ                                                          sec. 2.4

| symbol | word                                      | shape |
|--------|-------------------------------------------|-------|
| X, K   | records x terms, X Xᵀ                     | N x M |
| H      | classes of each record, ancestors too     | N x L |
| Δ      | Laplacian of the graph of the classes     | N x N |
| γ      | `gamma`, in units of the scatter          |       |
| Wᵀ     | `components_` (scaled)                    | k x M |
| λ      | `costs_`; `eigenvalues_` is μ = 1/λ       | k     |

The graph is in `common/class_hierarchy`, the unit of γ in `common/centring`, the eigenproblem in three forms in
`scatter`.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any, NamedTuple, Self

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from tacit.checks import as_rng, check_choice, check_number, is_outside_memory, is_sparse
from tacit.errors import InputError, TacitWarning
from tacit.machine import one_thread
from tacit.models.base import read_records, warn_if_fewer
from tacit.models.common.centring import (
    centred_kernel,
    check_records_differ,
    mean_row,
    records_differ,
    scatter_per_record,
)
from tacit.models.common.class_hierarchy import HierarchyGraph, hierarchy_graph
from tacit.models.common.kernels import check_dense_memory
from tacit.models.common.memory import check_memory, memory_of_fit
from tacit.models.common.record_kernel import (
    COORDINATES,
    KernelSpaceModel,
    check_positive,
    check_same_records,
    choose_form,
    record_products,
)
from tacit.models.hlsi.expected import EXPECTED_WEIGHT, expected_memberships
from tacit.models.hlsi.scatter import DualScatter, PrimalScatter, ProductScatter, ScatterForm
from tacit.operators import Centred, Kernel, as_operator
from tacit.operators.rows.blocks import take_rows
from tacit.relations.taxonomy.taxonomy import Taxonomy
from tacit.solve.result import signs_of
from tacit.types import Array

__all__ = ["HLSI"]

MEMBERSHIPS = ("shared", "whole")
_FORMS = ("auto", "primal", "dual", "products")


class HLSI(KernelSpaceModel):
    """Hierarchy-regularised LSI: records that share specific classes of a taxonomy get close positions.

        min γ‖w‖² + wᵀXᵀΔX w,  wᵀXᵀX w = 1, the positions X w_j orthogonal              [Huang2005] eq. (10)

    Of all directions with the same scatter of the records it takes those with the smallest scatter within the classes:
    total scatter over within-class scatter, a discriminant analysis for label sets and a tree of classes.

    Parameters
    ----------
    n_components : int, default 100 — dimensions k; fewer are kept, with a warning, if there are fewer
    taxonomy : Taxonomy or None, default None — the classes above the labels; None takes the labels as children of one
        root
    gamma : float > 0, default 0.3 — γ, in units of the within-class scatter per record, tr(XᵀΔX) / N, so that a
        value does not depend on the lengths of the vectors or the number of classes. More records need a smaller value:
        all records twice with twice the gamma are the same space. Large values give LSI; tiny ones overfit
    membership : {"shared", "whole"}, default "shared" — "whole" is the paper's graph, in which a record counts once for
        each of its classes; in "shared" every record counts once
    center : bool, default True — subtract the mean record. Without centring, as in the paper, the first dimension is
        nearly constant, because a constant has no scatter within any class
    scaling : {"weighted", "damped", "unit"}, default "weighted" — "unit" gives v = X w with unit columns (the paper's),
        "damped" and "weighted" multiply them by μ^¼ and μ^½, μ = 1/λ; records of unknown labels count a tenth in the
        length of a column
    kernel, kernel_params, n_landmarks : as for `MLSI`
    coordinates : {"honest", "in-sample", "transductive"}, default "honest" — what `fit_transform` returns; see
        `training_coordinates`
    solver : {"auto", "primal", "dual", "products"}, default "auto" — dense on the terms, dense on the records, or
        products with X only
    tol : float, default 1.5e-3 — relative residual at which the search of "products" stops; inner products of positions
        then differ from the exact ones by about 1 %. A smaller value continues the same search; "primal" and "dual" are
        exact
    max_iter : int or None, default None — maximum number of iterations
    random_state : int, generator or None, default 0 — the same seed gives the same space

    Attributes
    ----------
    components_ : (n_components_, n_terms) Wᵀ in the chosen scaling; dual_components_ instead for a non-linear kernel
    mean_ : (n_terms,) the mean record, None if not centred; of a kernel matrix, the mean of its rows
    offset_ : (n_components_,) subtracted from every position: the image of the mean record; zero if not centred
    eigenvalues_ : (n_components_,) μ, total over regularised within-class scatter, largest first
    costs_ : (n_components_,) λ = 1/μ of the paper, smallest first
    term_loadings_ : (n_components_, n_terms) VᵀX, with the linear kernel
    classes_ : tuple, the classes used: those with at least one record and not with all of them
    class_coordinates_ : (n_classes, n_components_) the mean position of the records known to be in each class
    gamma_ : float, the absolute γ
    reference_records_, landmark_map_, solver_, solver_reason_, solution_, n_iter_ : as for `MLSI`; those of the final
        space, if labels are unknown

    Notes
    -----
    Labels may be inner nodes of the taxonomy. A record with unknown labels has the classes that a first space, of the
    other records, expects from its words, and counts a tenth of a record with known labels. Cost of "products": about
    that of three to four truncated SVDs of X with as many components; with unknown labels two to three times as much.

    References
    ----------
    [Huang2005]; docs/guide/hlsi.md lists the differences from the paper.

    Examples
    --------
    >>> import numpy as np
    >>> from tacit import Taxonomy
    >>> X = np.array([[2., 1, 0, 0], [1, 2, 0, 0], [0, 0, 2, 1], [0, 0, 1, 2], [1, 0, 0, 1]])
    >>> taxonomy = Taxonomy.from_nested({"animals": ["cats", "dogs"], "plants": ["trees"]})
    >>> model = HLSI(n_components=2, taxonomy=taxonomy).fit(X, ["cats", "dogs", "trees", "trees", "animals"])
    >>> model.transform(X).shape, len(model.classes_)
    ((5, 2), 5)
    """

    _needs_labels = True

    def __init__(
        self,
        n_components: int = 100,
        *,
        taxonomy: Taxonomy | None = None,
        gamma: float = 0.3,
        membership: str = "shared",
        center: bool = True,
        scaling: str = "weighted",
        kernel: Kernel = "linear",
        kernel_params: Mapping[str, Any] | None = None,
        n_landmarks: Any = "auto",
        coordinates: str = "honest",
        solver: str = "auto",
        tol: float = 1.5e-3,
        max_iter: int | None = None,
        random_state: Any = 0,
    ) -> None:
        self.n_components = n_components
        self.taxonomy = taxonomy
        self.gamma = gamma
        self.membership = membership
        self.center = center
        self.scaling = scaling
        self.kernel = kernel
        self.kernel_params = kernel_params
        self.n_landmarks = n_landmarks
        self.coordinates = coordinates
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Find the space.

        Parameters
        ----------
        X : (n_records, n_terms) dense or sparse, or `RowBlocks`; the kernel matrix if kernel="precomputed"
        y : binary matrix (dense or sparse), list of label sets, one class per record, or `LabelMatrix`; with a
            taxonomy, the labels are names of its nodes
        """
        self._fit(X, y)
        return self

    def fit_transform(self, X: Any, y: Any) -> Array:
        """Find the space and return the training records' positions, of the kind set by `coordinates`.

        The default, honest positions, differs from `transform` for the same records on purpose, as scikit-learn's
        TargetEncoder cross-fits. The next step of a pipeline is then trained on positions like those of new records.
        """
        kind = check_choice("coordinates", self.coordinates, COORDINATES)
        X, graph, form = self._fit(X, y)
        return self._positions(X, graph, kind, form)

    def _place(self, X: Any) -> Array:
        """Place records by their terms alone, (n_records, n_components_)."""
        positions = super()._place(X)
        positions -= self.offset_.astype(positions.dtype)
        return positions

    def inverse_transform(self, positions: Any) -> Array:
        """Return the terms of positions: the best reconstruction from the training records' positions."""
        terms = super().inverse_transform(positions)
        return terms if self.mean_ is None else np.asarray(terms + self.mean_)

    def training_coordinates(self, X: Any, y: Any, kind: str = "transductive") -> Array:
        """Return the positions of the training records, in the model's scaling.

        Parameters
        ----------
        X, y : the records and labels passed to `fit`
        kind : "transductive" — by their words and their own classes: for searching or mapping the collection; a record
            with unknown labels is halfway between its words and its expected classes;
            "in-sample" — the result of `transform`: by their words, through a map fitted with their classes;
            "honest" — by their words, through a map fitted without them: for training a model for new records
        """
        check_is_fitted(self, "eigenvalues_")
        if check_choice("kind", kind, COORDINATES) == "in-sample":
            return self.transform(X)
        X = read_records(self, X, reset=False)
        check_same_records(X, self._n_records)
        graph = self._complete(hierarchy_graph(y, self.taxonomy, X.shape[0]))
        if kind == "transductive":
            return self._positions(X, graph, kind)
        problem = _Problem(self.mean_, self.gamma_, self.solver_, self.solver_reason_)
        form = self._make_form(self._features(X), graph, problem, as_rng(self.random_state))
        return self._positions(X, graph, kind, form)

    def class_coordinates(self) -> Array:
        """Return the position of each of `classes_`: the mean position of its records."""
        check_is_fitted(self, "eigenvalues_")
        return self.class_coordinates_

    def _fit(self, X: Any, y: Any) -> tuple[Any, HierarchyGraph, ScatterForm]:
        self._check_parameters()
        X = self._read_training(X)
        self._check_kernel(X, "products")
        rng = as_rng(self.random_state)
        graph = hierarchy_graph(y, self.taxonomy, X.shape[0])
        if self.kernel == "linear":
            check_memory(memory_of_fit(X, self.n_components, model="hlsi", n_labels=graph.H.shape[1]))
        features = self._learn_features(X, rng)
        self._n_records = X.shape[0]
        # if only sparse products are large, threads of BLAS would only add their buffers
        with one_thread(0.0 if is_sparse(features) or is_outside_memory(features) else np.inf):
            self._expected = None if graph.known.all() else self._expect(features, graph, rng)
            graph = self._complete(graph)
            problem = self._problem(features, graph)
            mean, self.gamma_, self.solver_, self.solver_reason_ = problem
            if mean is not None:
                check_records_differ(features, mean, is_kernel=self._is_kernel)
            self.mean_ = None if mean is None else mean.astype(features.dtype)
            form = self._make_form(features, graph, problem, rng)
            values, coefficients = form.leading(self.n_components)
            self._keep(X, features, graph, form, values, coefficients)
        return X, graph, form

    def _problem(self, features: Any, graph: HierarchyGraph) -> _Problem:
        """Return what defines the eigenproblem besides the graph, and the form in which it is solved."""
        mean = mean_row(features, graph.weights) if self.center else None
        gamma = float(self.gamma) * scatter_per_record(features, graph, is_kernel=self._is_kernel)
        form, reason = choose_form(
            features.shape,
            self.solver,
            products="products",
            outside_memory=is_outside_memory(features),
            kernel=self.kernel if self._is_kernel else None,
        )
        return _Problem(mean, gamma, form, reason)

    def _expect(self, features: Any, graph: HierarchyGraph, rng: np.random.Generator) -> sp.csr_array:
        """Return the classes to expect of records with unknown labels, by a space of the other records."""
        known, unknown = np.flatnonzero(graph.known), np.flatnonzero(~graph.known)
        part, others = take_rows(features, known), take_rows(features, unknown)
        if self._is_kernel:
            part, others = part[:, known], others[:, known]
        whole = graph.known_part()
        members = sp.csr_array(whole.H[:, :-1])
        shared = whole.shared() if self.membership == "shared" else whole
        problem = self._problem(part, shared)
        nothing = sp.csr_array((len(unknown), members.shape[1]))
        if problem.mean is not None and not records_differ(part, problem.mean, is_kernel=self._is_kernel):
            return nothing
        form = self._make_form(part, shared, problem, rng)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", TacitWarning)  # the search for the space itself warns
            values, coefficients = form.leading(self.n_components)
            if not values.size or not members.shape[1]:
                return nothing
            V = form.fitted(coefficients)
            honest = _left_out(V, shared.targets(V, 1 / values), form.leverages())
        weights = self._weights(part, shared, form, coefficients)
        placed = np.asarray(as_operator(others) @ weights.astype(others.dtype, copy=False))
        if problem.mean is not None:
            placed = placed - problem.mean @ weights
        return expected_memberships(honest * np.sqrt(values), members, placed * np.sqrt(values))

    def _complete(self, graph: HierarchyGraph) -> HierarchyGraph:
        """Return the graph with expected memberships in the place of unknown ones, and with shares if set so."""
        n_unknown = int(np.count_nonzero(~graph.known))
        shape = (n_unknown, graph.H.shape[1] - 1)
        n_expected = 0 if self._expected is None else self._expected.shape[0]
        if n_expected != n_unknown or (self._expected is not None and self._expected.shape != shape):
            raise InputError(
                f"y is not what fit was given: got {n_unknown} records with unknown labels, expected the {n_expected} "
                "passed to fit, and the same classes."
            )
        if self._expected is not None:
            graph = graph.with_expected(self._expected, EXPECTED_WEIGHT)
        return graph.shared() if self.membership == "shared" else graph

    def _check_parameters(self) -> None:
        check_number("gamma", self.gamma, open_low=True)
        check_choice("membership", self.membership, MEMBERSHIPS)
        check_number("tol", self.tol, open_low=True)
        check_choice("coordinates", self.coordinates, COORDINATES)
        if self.solver == "single_pass":
            raise InputError(
                "solver='single_pass' cannot solve the generalised eigenproblem of HLSI: expected one of "
                f"{', '.join(map(repr, _FORMS))}. Use solver='auto'."
            )
        check_choice("solver", self.solver, _FORMS)

    def _make_form(
        self, features: Any, graph: HierarchyGraph, problem: _Problem, rng: np.random.Generator
    ) -> ScatterForm:
        mean, gamma = None if problem.mean is None else problem.mean.astype(features.dtype), problem.gamma
        if problem.form == "dual":
            K = features if self._is_kernel else record_products(features)
            form = DualScatter(centred_kernel(K, graph.weights) if self.center else K, graph, gamma)
            check_positive(form.least, float(form.values.max(initial=0)), len(K) * float(np.finfo(K.dtype).eps))
            return form
        if problem.form == "primal":
            check_dense_memory(features.shape[1], np.float64, "solver", what="terms")
            return PrimalScatter(features, graph, gamma, mean=mean)
        return ProductScatter(features, graph, gamma, mean=mean, tol=self.tol, max_iter=self.max_iter, rng=rng)

    def _weights(self, features: Any, graph: HierarchyGraph, form: ScatterForm, coefficients: Array) -> Array:
        """Return weights of the terms, or of the kernel's records, from the coefficients of a form."""
        if not isinstance(form, DualScatter):
            return coefficients
        if self.center:  # as with a centred kernel
            coefficients = coefficients - np.outer(graph.weights / graph.weights.sum(), coefficients.sum(axis=0))
        return coefficients if self._is_kernel else np.asarray(features.T @ coefficients)

    def _keep(
        self, X: Any, features: Any, graph: HierarchyGraph, form: ScatterForm, values: Array, coefficients: Array
    ) -> None:
        """Set the learned attributes, in the chosen scaling and the precision of X."""
        self.__dict__.pop("term_loadings_", None)  # of an earlier fit with another kernel
        warn_if_fewer(self.n_components, values.size, "the rank of the records" + " less their mean" * self.center)
        dtype = X.dtype
        self.eigenvalues_ = values.astype(dtype)
        self.costs_ = (1 / values).astype(dtype)
        weights = self._weights(features, graph, form, coefficients)
        loadings, places = _profile(features, self.mean_, graph, weights)
        if self.kernel == "linear":
            self.term_loadings_ = np.asarray(loadings, dtype=dtype).T
        self.classes_, self.class_coordinates_ = graph.names[:-1], self._scaled(places).astype(dtype)
        weights *= self.eigenvalues_ ** self._power()  # in place: they are not needed unscaled
        self.offset_ = np.zeros(values.size, dtype) if self.mean_ is None else (self.mean_ @ weights).astype(dtype)
        self._keep_weights(weights, dtype)
        self.solution_ = tuple(form.reports)
        self.n_iter_ = max((report.iterations for report in self.solution_), default=1)

    def _positions(self, X: Any, graph: HierarchyGraph, kind: str, form: ScatterForm | None = None) -> Array:
        """Return the positions of the training records, in the model's scaling; honest ones need the form."""
        scale = self.eigenvalues_ ** self._power()
        V = self._place(X)
        if kind == "in-sample":
            return V
        V /= scale.astype(V.dtype)
        targets = graph.targets(V, self.costs_)
        if kind == "honest":
            assert form is not None
            targets = _left_out(V, targets, form.leverages())
        elif not graph.known.all():
            targets[~graph.known] += V[~graph.known]
            targets[~graph.known] /= 2
        return np.asarray(targets * scale, dtype=X.dtype)


class _Problem(NamedTuple):
    """The mean record, the absolute γ, and the form of the eigenproblem with the reason for it."""

    mean: Array | None
    gamma: float
    form: str
    reason: str


def _left_out(V: Array, targets: Array, leverages: Array) -> Array:
    """Return the positions of the records by the regression of the targets on all others."""
    h = leverages[:, None]
    return np.asarray((V - h * targets) / np.maximum(1 - h, np.finfo(V.dtype).eps))


_COLUMNS = 32  # dimensions whose positions are held at the same time


def _profile(features: Any, mean: Array | None, graph: HierarchyGraph, weights: Array) -> tuple[Array, Array]:
    """Return XᵀV and the mean position of each class, some dimensions at a time; fix the signs of the weights by V."""
    X = as_operator(features) if mean is None else Centred(features, mean)
    members = (graph.weighted(graph.known.astype(np.float64))[:, :-1] > 0).astype(X.dtype)
    counts = np.asarray(members.sum(axis=0)).reshape(-1, 1)
    record_weights = graph.weights.astype(X.dtype)[:, None]
    loadings = np.empty((X.shape[1], weights.shape[1]), X.dtype, order="F")
    places = np.empty((members.shape[1], weights.shape[1]), X.dtype)
    for first in range(0, weights.shape[1], _COLUMNS):
        part = slice(first, first + _COLUMNS)
        V = X @ weights[:, part].astype(X.dtype)
        signs = signs_of(V)
        V *= signs
        weights[:, part] *= signs
        places[:, part] = (members.T @ V) / counts
        loadings[:, part] = X.T @ (V if (record_weights == 1).all() else record_weights * V)
    return loadings, places
