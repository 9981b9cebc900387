"""Hierarchy-regularised latent semantic indexing [Huang2005]: a space in which a taxonomy's classes hold together.

    (γ I + XᵀΔX) w = λ XᵀX w,  the smallest λ                                                          sec. 2.4

| symbol | word                                      | shape |
|--------|-------------------------------------------|-------|
| X, K   | records x terms, X Xᵀ                     | N x M |
| H      | classes of each record, ancestors too     | N x L |
| Δ      | Laplacian of the graph the classes draw   | N x N |
| γ      | `gamma`, in units of the scatter          |       |
| Wᵀ     | `components_` (scaled)                    | k x M |
| λ      | `costs_`; `eigenvalues_` is μ = 1/λ       | k     |

The graph is in `hierarchy_graph`, the eigenproblem in three forms in `scatter`, honest positions in `honest`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from tacit.checks import as_rng, check_choice, check_number, is_sparse
from tacit.errors import InputError
from tacit.models.base import SCALINGS, warn_if_fewer
from tacit.models.hierarchy_graph import HierarchyGraph, hierarchy_graph
from tacit.models.honest import HALF, MOST, cross_fitted
from tacit.models.kernel_space import COORDINATES, KernelSpaceModel
from tacit.models.kernels import check_fits
from tacit.models.record_kernel import check_positive, record_products
from tacit.models.scatter import DualScatter, PrimalScatter, ProductScatter, ScatterForm
from tacit.operators import Centred, Kernel, Scaled, as_operator
from tacit.operators.base import Array
from tacit.relations.taxonomy import Taxonomy
from tacit.solve.signs import signs_of
from tacit.solve.threads import one_thread

__all__ = ["HLSI"]

MEMBERSHIPS = ("shared", "whole")
_FORMS = ("auto", "primal", "dual", "products")
_COLUMNS = 24  # dimensions whose positions are held at the same time
_SAME = 1e-12  # share of the squared lengths below which the spread about the mean is rounding
_DENSE_LIMIT = 1_000  # smaller side of X up to which "auto" takes a dense form; benchmarks/studies/solver_crossover.py


class HLSI(KernelSpaceModel):
    """Hierarchy-regularised LSI: records that share specific classes of a taxonomy come to lie close together.

        min γ‖w‖² + wᵀXᵀΔX w,  wᵀXᵀX w = 1, the positions X w_j orthogonal              [Huang2005] eq. (10)

    Of all directions with the same spread of the records it takes those along which the classes are narrow: total
    scatter over within-class scatter, a discriminant analysis for several labels a record and a tree of classes.

    Parameters
    ----------
    n_components : int, default 100 — dimensions k; fewer are kept, with a warning, if there are not that many
    taxonomy : Taxonomy or None, default None — the classes above the labels; None takes the labels as children of one
        root
    gamma : float > 0, default 0.3 — γ, in units of the within-class scatter a record, tr(XᵀΔX) / N, so that one value
        means the same for long vectors and short ones, many classes and few. As with any ridge, more records need it
        less: twice the same records with twice the gamma are the same space. Large values give LSI; tiny ones follow
        every record and overfit
    membership : {"shared", "whole"}, default "shared" — "whole" is the paper's graph, in which a record counts once for
        each of its classes, and those with many classes pull hardest; "shared" lets every record count once
    center : bool, default True — take the mean off the records. Without it the first dimension is nearly constant, as
        every class, the root included, costs nothing there; the paper leaves it in
    scaling : {"weighted", "damped", "unit"}, default "weighted" — "unit" gives v = X w with unit columns (the paper's),
        "damped" and "weighted" multiply them by μ^¼ and μ^½, μ = 1/λ
    kernel, kernel_params, n_landmarks : as for `MLSI`
    coordinates : {"honest", "in-sample", "transductive"}, default "honest" — what `fit_transform` gives; see
        `training_coordinates`
    solver : {"auto", "primal", "dual", "products"}, default "auto" — dense on the terms, dense on the records, or
        products with X only
    tol : float, default 1e-2 — relative residual at which the iterative solvers stop
    max_iter : int or None — most iterations
    random_state : int, generator or None, default 0 — the same seed gives the same space

    Attributes
    ----------
    components_ : (n_components_, n_terms) Wᵀ in the chosen scaling; dual_components_ instead for a non-linear kernel
    mean_ : (n_terms,) the mean record, None if not centred; of a kernel matrix, the mean of its rows
    offset_ : (n_components_,) what is taken off every position: where the mean record would be; zero if not centred
    eigenvalues_ : (n_components_,) μ, total over regularised within-class scatter, largest first
    costs_ : (n_components_,) λ = 1/μ of the paper, smallest first
    term_loadings_ : (n_components_, n_terms) VᵀX, with the linear kernel
    classes_ : tuple, the classes that took part: those with a record, but for those with all of them
    class_coordinates_ : (n_classes, n_components_) the mean position of the records in each class
    gamma_ : float, γ as it was used
    reference_records_, landmark_map_, solver_, solver_reason_, solution_, n_iter_ : as for `MLSI`

    Notes
    -----
    Labels may sit at inner nodes of the taxonomy. Records whose labels are unknown are in the root only: they take part
    in the total scatter. Cost of "products": about that of two truncated SVDs of X with as many components.

    References
    ----------
    [Huang2005]; docs/guide/hlsi.md says where we leave the paper.

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
        tol: float = 1e-2,
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
        X : (n_records, n_terms) dense or sparse; the kernel matrix if kernel="precomputed"
        y : binary matrix (dense or sparse), list of label sets, one class a record, or `LabelMatrix`; with a taxonomy,
            the labels are names of its nodes
        """
        self._fit(X, y)
        return self

    def fit_transform(self, X: Any, y: Any) -> Array:
        """Find the space and give the training records' positions, of the kind that `coordinates` says.

        By default these are honest: not what `transform` gives for the same records, on purpose, just as scikit-learn's
        TargetEncoder cross-fits. What follows in a pipeline is then trained on positions like those it will meet.
        """
        kind = check_choice("coordinates", self.coordinates, COORDINATES)
        X, graph, features, form = self._fit(X, y)
        return self._positions(X, graph, features, form, kind)

    def transform(self, X: Any) -> Array:
        """Place records by their terms alone, (n_records, n_components_)."""
        positions = super().transform(X)
        positions -= self.offset_.astype(positions.dtype)
        return positions

    def inverse_transform(self, positions: Any) -> Array:
        """Give the terms that positions stand for: the best reconstruction from the training records' positions."""
        terms = super().inverse_transform(positions)
        return terms if self.mean_ is None else np.asarray(terms + self.mean_)

    def training_coordinates(self, X: Any, y: Any, kind: str = "transductive") -> Array:
        """Give the positions of the training records, in the model's scaling.

        Parameters
        ----------
        X, y : what `fit` was given
        kind : "transductive" — where their words and their own classes put them: for a collection that is searched or
            mapped; "in-sample" — what `transform` gives: by their words, through a map that has seen their classes;
            "honest" — by their words, through a map that has not: for training whatever is to work on new records
        """
        check_is_fitted(self, "eigenvalues_")
        if check_choice("kind", kind, COORDINATES) == "in-sample":
            return self.transform(X)
        X = self._read(X, reset=False)
        if X.shape[0] != self._n_records:
            raise InputError(
                f"X is not what fit was given: got {X.shape[0]} records, expected the {self._n_records} of then."
            )
        graph = self._graph(y, X.shape[0])
        features = self._features(X)
        form = self._hold(features, graph, as_rng(self.random_state))
        return self._positions(X, graph, features, form, kind)

    def class_coordinates(self) -> Array:
        """Give each of `classes_` a place among the records: the mean position of its records."""
        check_is_fitted(self, "eigenvalues_")
        return self.class_coordinates_

    def _fit(self, X: Any, y: Any) -> tuple[Any, HierarchyGraph, Any, ScatterForm]:
        self._check_parameters()
        X = self._read_training(X)
        rng = as_rng(self.random_state)
        graph = self._graph(y, X.shape[0])
        features = self._learn_features(X, rng)
        self._n_records = X.shape[0]
        self.mean_ = _mean_row(features).astype(features.dtype) if self.center else None
        self._check_spread(features)
        self.gamma_ = float(self.gamma) * self._scatter(graph, features)
        self.solver_, self.solver_reason_ = self._choose_form(features.shape)
        form = self._hold(features, graph, rng)
        # nothing but sparse products is large then, and these know no BLAS threads, which would only add their buffers
        with one_thread(0.0 if is_sparse(features) else np.inf):
            values, coefficients = form.leading(self.n_components)
            self._keep(X, features, graph, form, values, coefficients)
        return X, graph, features, form

    def _check_parameters(self) -> None:
        check_number("gamma", self.gamma, open_low=True)
        check_choice("membership", self.membership, MEMBERSHIPS)
        check_number("tol", self.tol, open_low=True)
        check_choice("coordinates", self.coordinates, COORDINATES)
        check_choice("solver", self.solver, _FORMS)
        self._check_kernel(linear_only=("primal", "products"))

    def _graph(self, y: Any, n_records: int) -> HierarchyGraph:
        graph = hierarchy_graph(y, self.taxonomy, n_records)
        return graph.shared() if self.membership == "shared" else graph

    def _check_spread(self, features: Any) -> None:
        """Raise if all records are where their mean is: what is left of them would be rounding."""
        if self.mean_ is None:
            return
        n, mean = features.shape[0], _mean_row(features)
        if self._is_kernel:
            total, at_mean = float(np.trace(features)), float(mean.sum())
        else:
            total, at_mean = as_operator(features).squared_norm(), n * float(mean @ mean)
        if abs(total - at_mean) <= _SAME * abs(total):  # below zero it is no kernel, which is told elsewhere
            raise InputError(
                f"X has rank 0 after centring: got n_samples={n} records that are all equal, expected some difference."
            )

    def _scatter(self, graph: HierarchyGraph, features: Any) -> float:
        """tr(XᵀΔX) / N, the unit of gamma; the mean squared length of a record where each class is one point."""
        n = features.shape[0]
        if self._is_kernel:
            laplacian = graph.laplacian()
            within, total = float(np.sum(laplacian.to_dense() * features)), float(np.trace(features))
        else:
            within, total = graph.scatter_trace(features), as_operator(features).squared_norm()
        return (within if within > _SAME * total else total) / n

    def _choose_form(self, shape: tuple[int, int]) -> tuple[str, str]:
        if self._is_kernel:
            return "dual", f"kernel={self.kernel!r} is held as a matrix"
        if self.solver != "auto":
            return self.solver, "asked for"
        if min(shape) > _DENSE_LIMIT:
            return "products", f"both sides of {shape} are above {_DENSE_LIMIT}"
        form = "dual" if shape[0] <= shape[1] else "primal"
        return form, f"the smaller side of {shape} is at most {_DENSE_LIMIT}"

    def _hold(self, features: Any, graph: HierarchyGraph, rng: np.random.Generator) -> ScatterForm:
        if self.solver_ == "dual":
            K = features if self._is_kernel else record_products(features)
            form = DualScatter(_centred_kernel(K) if self.center else K, graph, self.gamma_)
            check_positive(form.least, float(form.values.max(initial=0)), len(K) * float(np.finfo(K.dtype).eps))
            return form
        if self.solver_ == "primal":
            check_fits(features.shape[1], np.float64, "solver", what="terms")
            return PrimalScatter(features, graph, self.gamma_, mean=self.mean_)
        return ProductScatter(
            features, graph, self.gamma_, mean=self.mean_, tol=self.tol, max_iter=self.max_iter, rng=rng
        )

    def _keep(
        self, X: Any, features: Any, graph: HierarchyGraph, form: ScatterForm, values: Array, coefficients: Array
    ) -> None:
        """Learned attributes, in the chosen scaling and the precision of X."""
        self.__dict__.pop("term_loadings_", None)  # of an earlier fit with another kernel
        warn_if_fewer(self.n_components, values.size, "the rank of the records" + " less their mean" * self.center)
        dtype = X.dtype
        self.eigenvalues_ = values.astype(dtype)
        self.costs_ = (1 / values).astype(dtype)
        if isinstance(form, DualScatter):
            if self.center:
                coefficients = coefficients - coefficients.mean(axis=0)  # as a centred kernel sees them
            weights = coefficients if self._is_kernel else np.asarray(features.T @ coefficients)
        else:
            weights = coefficients
        loadings, places = self._profile(features, graph, weights)
        if self.kernel == "linear":
            self.term_loadings_ = np.asarray(loadings, dtype=dtype).T
        self.classes_, self.class_coordinates_ = graph.names[:-1], self._scaled(places).astype(dtype)
        weights *= self.eigenvalues_ ** SCALINGS[self.scaling]  # in place: nobody needs them unscaled any more
        self.offset_ = np.zeros(values.size, dtype) if self.mean_ is None else (self.mean_ @ weights).astype(dtype)
        self._keep_weights(weights, dtype)
        self.solution_ = tuple(form.reports)
        self.n_iter_ = max((report.iterations for report in self.solution_), default=1)

    def _profile(self, features: Any, graph: HierarchyGraph, weights: Array) -> tuple[Array, Array]:
        """XᵀV and the mean position of each class, V = X w a few dimensions at a time: as a whole it is N x k.

        On the way the weights get the signs that the positions ask for, whichever form they came from.
        """
        X = as_operator(features) if self.mean_ is None else Centred(features, self.mean_)
        members = (graph.H[:, :-1] > 0).astype(X.dtype)
        counts = np.asarray(members.sum(axis=0)).reshape(-1, 1)
        loadings = np.empty((X.shape[1], weights.shape[1]), X.dtype, order="F")
        places = np.empty((members.shape[1], weights.shape[1]), X.dtype)
        for first in range(0, weights.shape[1], _COLUMNS):
            part = slice(first, first + _COLUMNS)
            V = X @ weights[:, part].astype(X.dtype)
            signs = signs_of(V)
            V *= signs
            weights[:, part] *= signs
            loadings[:, part] = X.T @ V
            places[:, part] = (members.T @ V) / counts
        return loadings, places

    def _positions(self, X: Any, graph: HierarchyGraph, features: Any, form: ScatterForm, kind: str) -> Array:
        """Positions of the training records, in the model's scaling."""
        scale = self.eigenvalues_ ** SCALINGS[self.scaling]
        V = self.transform(X)
        if kind == "in-sample":
            return V
        V /= scale.astype(V.dtype)
        targets = graph.targets(V, self.costs_)
        if kind == "honest":
            targets = self._honest(graph, features, form, V, targets)
        return np.asarray(targets * scale, dtype=X.dtype)

    def _honest(self, graph: HierarchyGraph, features: Any, form: ScatterForm, V: Array, targets: Array) -> Array:
        """Where the regression of the targets on the other records puts each record."""
        leverages = form.leverages()
        if not isinstance(form, ProductScatter) or leverages.mean() < HALF:
            h = np.minimum(leverages, 1.0 if not isinstance(form, ProductScatter) else MOST)[:, None]
            return np.asarray((V - h * targets) / np.maximum(1 - h, np.finfo(V.dtype).eps))
        roots = np.sqrt(graph.degrees).astype(V.dtype)
        rows = _WeightedRows(features, self.mean_, roots)
        weighted = cross_fitted(
            rows, targets * roots[:, None], self.gamma_, n_folds=5, rng=as_rng(self.random_state), tol=self.tol
        )
        return np.asarray(weighted / roots[:, None])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags


class _WeightedRows:
    """√d (X − 1 mᵀ), some rows at a time, for regressions on a part of the records."""

    def __init__(self, X: Any, mean: Array | None, roots: Array) -> None:
        self.X, self.mean, self.roots = X, mean, roots
        self.shape = X.shape

    def __getitem__(self, rows: Array) -> Scaled:
        part = self.X[rows]
        return Scaled(part if self.mean is None else Centred(part, self.mean), rows=self.roots[rows])


def _centred_kernel(K: Array) -> Array:
    """K less the mean of its rows and columns: the products of the records less their mean."""
    means = K.mean(axis=0)
    return np.asarray(K - means - means[:, None] + means.mean())


def _mean_row(X: Any) -> Array:
    """The mean record, summed in double precision, without a double of X; of a kernel matrix the mean row."""
    if not is_sparse(X):
        return np.asarray(X.mean(axis=0, dtype=np.float64))
    total = np.zeros(X.shape[1])
    for first in range(0, X.nnz, _ENTRIES):
        part = slice(first, first + _ENTRIES)
        total += np.bincount(X.indices[part], X.data[part], X.shape[1])
    return total / X.shape[0]


_ENTRIES = 2**17
