"""Hierarchy-regularised classifiers, [Huang2005] section 2.5: records that share a class get similar scores.

    min  Σ_i ℓ(x_iᵀw + b, t_i) + ξ wᵀXᵀΔXw + β‖w‖²,  t_i = ±1, for every class            eq. (12)

Δ is the Laplacian of the hierarchy (`common/class_hierarchy`), and all classes of the taxonomy, inner nodes and
leaves, are trained together.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Self

import numpy as np
import scipy.linalg as la
import scipy.sparse as sp

from tacit.checks import as_rng, check_choice, check_count, check_number, is_outside_memory, is_sparse
from tacit.errors import InputError, SolverError, warn
from tacit.models.classifiers.base import LinearLabelClassifier
from tacit.models.classifiers.linear import Linear, cross_fitted_scores
from tacit.models.classifiers.newton import LOSSES, NewtonObjective, smooth_regressions
from tacit.models.common.class_hierarchy import HierarchyGraph, expanded_labels, graph_of, squared_lengths
from tacit.models.common.labels import BEYOND, known_records, warn_untrained
from tacit.operators.algebra import DiagonalPlusLowRank
from tacit.operators.base import Operator, as_operator
from tacit.operators.rows.blocks import adjoint_blocks, as_view, in_double, take_rows
from tacit.relations.labels.matrix import LabelMatrix, as_labels
from tacit.relations.taxonomy.taxonomy import Taxonomy
from tacit.solve.linear.conjugate_gradients import block_cg
from tacit.types import Array

__all__ = ["HierarchyClassifier"]


class HierarchyClassifier(LinearLabelClassifier):
    """Predict the classes of records in a taxonomy with linear classifiers that vary little within each class.

    Parameters
    ----------
    loss : {"squared", "logistic", "squared_hinge"}, default "squared"
        Loss function. "squared" has a closed form, one linear system for all classes; the others need Newton steps.
        "squared_hinge" is that of a linear support vector machine.
    taxonomy : Taxonomy, optional
        None makes the labels the children of one root.
    hierarchy_weight : float >= 0, default 0.01
        ξ, the weight of the scatter of the scores within all classes, relative to the errors. 0 ignores the taxonomy:
        ridge regression, logistic regression or a support vector machine per class. Large values contract each class
        to a point and all scores to their mean, so that none may reach a threshold of zero.
    ridge : float above 0, default 1.0
        β, in units of the mean squared length of the rows of X, so that it does not depend on the scale of the
        features. Large values give flat classifiers.
    fit_intercept : bool, default True
        Whether each class has an intercept, which is not penalised; False is the paper's form.
    thresholds : {"tuned", "zero"} or float, default "tuned"
        A record gets a class if its score is above the threshold: the one with the best F1 of that class on left-out
        scores, zero as in the paper, or a number for all. One class per record needs none: the highest score wins.
    min_f1 : float in [0, 1], default 0.1
        For "tuned": a class whose best F1 on left-out scores is lower than this gets its highest left-out score as
        threshold. 0 accepts all; with `closed="add"` one bad threshold at a leaf affects all classes above it.
    closed : {"drop", "add"} or None, default "drop"
        Makes predictions agree with the taxonomy: "add" gives a record all classes above those it gets, "drop"
        removes a class unless it gets all classes above it. None leaves predictions unchanged.
    cv : int >= 2, default 5
        For "tuned" thresholds: folds for left-out scores.
    tol : float above 0, default 1e-4
        Relative size of the residual, or of the gradient, at which an iterative solver stops.
    max_iter : int, optional
        Maximum number of steps; default 500 of block conjugate gradients or 30 of Newton.
    random_state : None, int or generator
        Shuffles the folds.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The nodes with training records, directly or below, in the order of the taxonomy. Without a taxonomy, or if `y`
        has one class per record, the labels.
    multilabel_ : bool
        False if `y` has one class per record.
    coef_, intercept_ : ndarray of shape (n_classes, n_features) and (n_classes,)
        Only one row, that of the second class, for one of two classes per record, as in scikit-learn.
    thresholds_ : ndarray of shape (n_classes,), or None for one class per record
    closure_ : csr_array of shape (n_classes, n_classes), or None without a taxonomy or for one class per record
        1 at [i, j] if class j is class i or above it.
    label_counts_ : ndarray of shape (n_classes,)
        Training records of each class.
    untrained_ : tuple
        Classes that no training record had, which are never predicted, or that all of them had, which always are.
    solver_ : {"primal", "dual", "block-cg", "newton-cg", "none"}
        The solver used: a dense system of the features or of the records if one of them is small, an iterative
        solver, or none if there was nothing to learn.
    n_iter_ : int

    Notes
    -----
    Records with unknown labels are left out of the errors, but they are in the root class and count in the scatter
    there. If `y` has one class per record, a class is trained on the records with exactly this class, not one below it,
    since a class that contains another would always have the higher score; the taxonomy counts through Δ.

    References
    ----------
    Huang2005, Lin2008

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[1.0, 0, 0], [0.9, 0.2, 0], [0, 1, 0], [0.2, 0.9, 0], [0, 0, 1], [0, 0.1, 1]])
    >>> y = [{"cats"}, {"cats"}, {"dogs"}, {"dogs"}, {"rocks"}, {"rocks"}]
    >>> taxonomy = Taxonomy.from_parents({"cats": "animals", "dogs": "animals", "rocks": None})
    >>> HierarchyClassifier(taxonomy=taxonomy, ridge=0.01).fit(X, y).predict_labels([[1, 0.1, 0], [0.1, 0, 1]])
    [('animals', 'cats'), ('rocks',)]
    """

    _takes_row_blocks = True

    def __init__(
        self,
        loss: str = "squared",
        *,
        taxonomy: Taxonomy | None = None,
        hierarchy_weight: float = 0.01,
        ridge: float = 1.0,
        fit_intercept: bool = True,
        thresholds: str | float = "tuned",
        min_f1: float = 0.1,
        closed: str | None = "drop",
        cv: int = 5,
        tol: float = 1e-4,
        max_iter: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.loss = loss
        self.taxonomy = taxonomy
        self.hierarchy_weight = hierarchy_weight
        self.ridge = ridge
        self.fit_intercept = fit_intercept
        self.thresholds = thresholds
        self.min_f1 = min_f1
        self.closed = closed
        self.cv = cv
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Train all classes that the records are in.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_records, n_features), or `RowBlocks` with loss="squared"
            Raw features or positions in a space.
        y : binary matrix, list of label sets, one class per record, or LabelMatrix
            Leaves or inner nodes of the taxonomy. None or NaN is a record with unknown labels.
        """
        problem = self._problem()
        X = self._read(X, reset=True)
        if is_outside_memory(X) and self.loss != "squared":
            raise InputError(
                f"loss={self.loss!r} needs the records in memory: got {type(X).__name__}, expected loss='squared'."
            )
        given = as_labels(y, n_records=X.shape[0])
        expanded = expanded_labels(given, self.taxonomy, X.shape[0])
        unlabelled = None if given.known.all() else take_rows(X, np.flatnonzero(~given.known))
        if self.taxonomy is not None:
            expanded = expanded.without_empty()
        memberships = known_records(X, expanded)[1].indicator
        X, labels = known_records(X, given if given.kind == "classes" else expanded)
        self._describe(labels)
        found = problem.fit(X, labels.indicator, memberships, unlabelled)
        if not found.converged:
            warn(
                f"the {found.solver} solver of the classifiers did not reach tol in {found.steps} steps; scores are "
                "usable but not exact. Raise max_iter, tol or ridge.",
            )
        self.solver_, self.n_iter_ = found.solver, max(1, found.steps)
        trained = (self.label_counts_ > 0) & (self.label_counts_ < len(labels))
        intercept = np.where(trained, found.linear.intercept, np.where(self.label_counts_ > 0, BEYOND, -BEYOND))
        rows = slice(1, 2) if self._is_binary else slice(None)
        self.coef_ = found.linear.coef[rows].astype(X.dtype)
        self.intercept_ = intercept[rows].astype(X.dtype)
        truth = sp.csr_array(labels.indicator[:, np.flatnonzero(trained)])
        left_out = None
        if self._is_tuned:
            seed = int(as_rng(self.random_state).integers(2**31 - 1))
            left_out = cross_fitted_scores(
                lambda X, Y: problem.fit(X, Y, Y, unlabelled).linear, X, truth, n_folds=self.cv, seed=seed
            )
        self.thresholds_ = self._find_thresholds(truth, trained, left_out) if self.multilabel_ else None
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Return classes as a dense 0/1 matrix, records x classes; the classes themselves for one class per record."""
        predicted = super().predict(X)
        if self.closure_ is None:
            return predicted
        return close_predictions(predicted > 0, self.closure_, self.closed).astype(np.int64)

    def _problem(self) -> HierarchyProblem:
        """Check the parameters, and return those of the solvers."""
        check_choice("loss", self.loss, ("squared", "logistic", "squared_hinge"))
        if self.closed is not None:
            check_choice("closed", self.closed, ("add", "drop"))
        self._check_thresholds()
        return HierarchyProblem(
            loss=self.loss,
            hierarchy_weight=check_number("hierarchy_weight", self.hierarchy_weight),
            ridge=check_number("ridge", self.ridge, open_low=True),
            fit_intercept=bool(self.fit_intercept),
            tol=check_number("tol", self.tol, open_low=True),
            max_iter=None if self.max_iter is None else check_count("max_iter", self.max_iter),
        )

    def _describe(self, labels: LabelMatrix) -> None:
        """Keep the classes and the taxonomy's closure."""
        self._keep_classes(labels, multilabel=labels.kind != "classes")
        if self.taxonomy is None or not self.multilabel_:
            self.closure_, self.untrained_ = None, warn_untrained(labels)
        else:  # a top node with all records is usual in a taxonomy, so there is no warning
            self.closure_ = self.taxonomy.restrict(labels.names).closure
            always = np.flatnonzero(labels.counts == len(labels))
            self.untrained_ = tuple(labels.names[column] for column in always)


def close_predictions(predicted: np.ndarray, closure: sp.csr_array | None, how: str | None) -> np.ndarray:
    """Make predictions (bool, records x classes) agree with the taxonomy, see `closed` of `HierarchyClassifier`."""
    if closure is None or how is None:
        return predicted
    if how == "add":
        return np.asarray((closure.T @ predicted.T.astype(np.float64)).T > 0)
    return np.asarray((closure @ (~predicted).T.astype(np.float64)).T == 0)  # no class above is missing


_PRIMAL_SIDE = 2048  # features up to which XᵀMX is formed: 32 MiB
_DUAL_SIDE = 3072  # records up to which M XXᵀ is formed: 72 MiB, and a second or two to factorise


class HierarchyFit(NamedTuple):
    """The classifiers, the solver, its steps, and whether they reached the tolerance."""

    linear: Linear
    solver: str
    steps: int
    converged: bool


@dataclass(frozen=True)
class HierarchyProblem:
    """Eq. (12) with its weights; `fit` solves it for records and classes.

    Attributes
    ----------
    loss : "squared", "logistic" or "squared_hinge"
    hierarchy_weight, ridge : ξ and β, β in units
    fit_intercept : False is the paper's form
    tol : relative size of the residual or gradient at which it stops
    max_iter : most steps, default 500 of block conjugate gradients or 30 of Newton
    """

    loss: str
    hierarchy_weight: float
    ridge: float
    fit_intercept: bool
    tol: float
    max_iter: int | None

    def fit(self, X: Any, Y: sp.csr_array, memberships: sp.csr_array, unlabelled: Any = None) -> HierarchyFit:
        """Train all columns of Y; a column with equal entries gets a constant score, +1 or −1.

        Parameters
        ----------
        X : records with known labels
        Y : records x classes, 1 for the target +1
        memberships : records x classes of the hierarchy, each record in the classes above its own too; often Y itself
        unlabelled : more records, which are in the root only and not in the loss
        """
        counts = np.bincount(Y.indices, minlength=Y.shape[1])
        coef, intercept = np.zeros((len(counts), X.shape[1])), np.where(counts > 0, 1.0, -1.0)
        mixed = np.flatnonzero((counts > 0) & (counts < X.shape[0]))
        if not mixed.size:
            return HierarchyFit(Linear(coef, intercept), "none", 0, converged=True)
        Y, known = Y[:, mixed], np.ones(X.shape[0], bool)
        if unlabelled is not None:
            known = np.append(known, np.zeros(unlabelled.shape[0], bool))
            if is_outside_memory(X):
                X = as_view(X).with_more(unlabelled)
            else:
                X = sp.vstack([X, unlabelled], format="csr") if is_sparse(X) else np.vstack([X, unlabelled])
            Y, memberships = (_padded(matrix, len(known)) for matrix in (Y, memberships))
        X = in_double(X)  # sᵀΔs is a small difference of large sums
        graph = graph_of(memberships, range(memberships.shape[1]))
        beta = self.ridge * float(squared_lengths(X).mean()) or 1.0  # if X is zero, any value gives the same result
        found = (self._least_squares if self.loss == "squared" else self._newton)(X, Y, known, graph, beta)
        coef[mixed], intercept[mixed] = found.linear
        return found._replace(linear=Linear(coef, intercept))

    def _newton(self, X: Any, Y: sp.csr_array, known: Array, graph: HierarchyGraph, beta: float) -> HierarchyFit:
        # ½ sᵀAs is ξ sᵀΔs, and ‖w‖²/(2C) is β‖w‖²
        pull = 2 * self.hierarchy_weight
        coupling = DiagonalPlusLowRank(pull * graph.degrees, graph.H, -pull / graph.sizes)
        objective = NewtonObjective(
            LOSSES[self.loss],
            C=1 / (2 * beta),
            coupling=coupling if pull else None,
            counted=None if known.all() else known,
            fit_intercept=self.fit_intercept,
        )
        found = smooth_regressions(X, Y, objective, tol=self.tol, max_iter=self.max_iter)
        return HierarchyFit(Linear(found.coef, found.intercept), "newton-cg", found.steps, found.converged)

    def _least_squares(self, X: Any, Y: sp.csr_array, known: Array, graph: HierarchyGraph, beta: float) -> HierarchyFit:
        k = known.astype(np.float64)
        M = _record_metric(graph, k, self.hierarchy_weight, self.fit_intercept)
        shares = np.asarray(Y.sum(axis=0)).ravel() / k.sum()
        mean_target = 2 * shares - 1 if self.fit_intercept else np.zeros(Y.shape[1])
        mean = np.asarray(X.T @ k).ravel() / k.sum()
        if self.fit_intercept and isinstance(X, np.ndarray):
            X = X - mean  # only reduces rounding for features far from zero
        if X.shape[1] <= _PRIMAL_SIDE and not is_outside_memory(X):
            solver, steps, converged = "primal", 1, True
            W = _solve(_features_matrix(X, M, beta), _pulled_targets(X, Y, k, mean_target), "pos")
        elif X.shape[0] <= _DUAL_SIDE and not is_outside_memory(X):
            solver, steps, converged = "dual", 1, True
            targets = 2 * Y.toarray() - k[:, None] * (1 + mean_target)  # C t
            matrix = np.asarray(M.operator() @ _dense(X @ X.T))
            matrix[np.diag_indices_from(matrix)] += beta  # M XXᵀ + βI: w = Xᵀα solves the system if this times α is C t
            W = np.asarray(X.T @ _solve(matrix, targets, "gen"))
        else:
            found = block_cg(
                _System(X, M, beta), _pulled_targets(X, Y, k, mean_target), tol=self.tol, max_iter=self.max_iter or 500
            )
            solver, steps, converged, W = found.solver, found.iterations, found.converged, found.solution
        intercept = mean_target - mean @ W if self.fit_intercept else np.zeros(Y.shape[1])
        return HierarchyFit(Linear(W.T, intercept), solver, steps, converged)


class _Metric(NamedTuple):
    """M as its parts, diag(d) + U diag(s) Uᵀ."""

    diagonal: Array
    factor: sp.csr_array
    core: Array

    def operator(self) -> Operator:
        return DiagonalPlusLowRank(self.diagonal, self.factor, self.core)


class _System(Operator):
    """XᵀMX + βI by its products."""

    def __init__(self, X: Any, M: _Metric, beta: float) -> None:
        self.X, self.M, self.beta = as_operator(X), M.operator(), beta
        super().__init__((X.shape[1], X.shape[1]), X.dtype)

    def _matmat(self, V: Array) -> Array:
        return np.asarray(self.X.T @ (self.M @ (self.X @ V)) + self.beta * V)

    def _rmatmat(self, U: Array) -> Array:
        return self._matmat(U)


def _padded(matrix: sp.csr_array, n_rows: int) -> sp.csr_array:
    """Add empty rows at the end."""
    ends = np.append(matrix.indptr, np.full(n_rows - matrix.shape[0], matrix.indptr[-1]))
    return sp.csr_array((matrix.data, matrix.indices, ends), shape=(n_rows, matrix.shape[1]))


def _record_metric(graph: HierarchyGraph, k: Array, weight: float, fit_intercept: bool) -> _Metric:
    """Return M = C + ξΔ, with the centring as one more class of the known records."""
    factor, core = graph.H, -weight / graph.sizes
    if fit_intercept:
        factor = sp.csr_array(sp.hstack([factor, sp.csr_array(k[:, None])], format="csr"))
        core = np.append(core, -1 / k.sum())
    return _Metric(k + weight * graph.degrees, factor, core)


def _features_matrix(X: Any, M: _Metric, beta: float) -> Array:
    """Return XᵀMX + βI, dense."""
    sums, scales = _dense(M.factor.T @ X), M.diagonal[:, None]
    scaled = sp.csr_array(X.multiply(scales)) if is_sparse(X) else scales * X
    matrix = _dense(X.T @ scaled) + sums.T @ (M.core[:, None] * sums)
    matrix[np.diag_indices_from(matrix)] += beta
    return matrix


def _solve(matrix: Array, targets: Array, kind: Literal["pos", "gen"]) -> Array:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", la.LinAlgWarning)
            return np.asarray(la.solve(matrix, targets, assume_a=kind, overwrite_a=True))
    except (la.LinAlgError, la.LinAlgWarning):
        raise SolverError("the classifiers are not determined to working precision. Raise ridge.") from None


def _pulled_targets(X: Any, Y: sp.csr_array, k: Array, mean_target: Array) -> Array:
    """Return XᵀC t, without a dense records x classes array."""
    pulled = np.hstack([product for _, product in adjoint_blocks(X, Y)]) if is_outside_memory(X) else _dense(X.T @ Y)
    return np.asarray(2 * pulled - np.outer(X.T @ k, 1 + mean_target))


def _dense(matrix: Any) -> Array:
    return np.asarray(matrix.toarray() if is_sparse(matrix) else matrix)
