"""Multi-label informed latent semantic indexing [Yu2005]: a space from words and labels.

    XᵀX w = λ [Xᵀ C⁻¹ X + γ I] w,  C = (1−β) X Xᵀ + β Y Yᵀ                      eq. (8)

| symbol | word                    | shape |
|--------|-------------------------|-------|
| X, K   | records x terms, X Xᵀ   | N x M |
| Y, F   | labels, label features  | N x L |
| β      | `label_weight`          |       |
| γ      | `shrinkage`             |       |
| V      | `embedding_`            | N x k |
| Wᵀ     | `components_` (scaled)  | k x M |
| A, B   | `term_loadings_`, `label_loadings_` | k x M, k x L |

The algebra (Identity A) is in `common/informed_kernel`, the three forms of K in `common/kernel_forms` and
`common/product_forms`, kernels and landmarks in `common/record_kernel`, honest positions in `common/honest_positions`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from tacit.checks import as_rng, check_choice, check_number, is_outside_memory, is_sparse
from tacit.errors import InputError
from tacit.machine import one_thread
from tacit.models.base import directions_before, read_records, warn, warn_if_fewer
from tacit.models.common.class_hierarchy import expanded_labels
from tacit.models.common.informed_kernel import InformedSpace, informed_space
from tacit.models.common.kernel_forms import RecordForm
from tacit.models.common.kernels import check_kernel, class_features, label_features, precomputed_label_features
from tacit.models.common.labels import balance_labels, read_labels
from tacit.models.common.memory import check_memory, memory_of_fit
from tacit.models.common.record_kernel import COORDINATES, KernelSpaceModel, RegressedSpace, choose_form, make_form
from tacit.models.common.updating import Updatable, begin_summary
from tacit.models.mlsi.update import check_updatable, merge, summary_of_fit
from tacit.operators import Kernel, as_operator
from tacit.relations.labels.matrix import LabelMatrix
from tacit.relations.taxonomy.taxonomy import Taxonomy
from tacit.types import Array

__all__ = ["COORDINATES", "MLSI"]

_FORMS = ("auto", "primal", "dual", "augmented", "single_pass")


class MLSI(Updatable, KernelSpaceModel, RegressedSpace):
    """Multi-label informed LSI: minimises the reconstruction error of words and labels together.

        min (1 − β)‖X − V A‖² + β‖Y − V B‖²,  VᵀV = I,  V = X W, ‖W‖ small        [Yu2005] eqs. (2), (5)

    Parameters
    ----------
    n_components : int, default 100 — dimensions k; fewer are kept, with a warning, if there are fewer
    label_weight : float in [0, 1], default 0.5 — β. 0 is plain LSI; 1 lets the labels alone shape the space, which then
        has at most as many dimensions as there are labels
    shrinkage : float >= 0, default 0.03 — γ. Reduces the weight of labels that the words express badly; 0 does not
    ridge : float >= 0, default 1.0 — added to the diagonal of the record kernel, in units of its mean diagonal entry
        (the mean squared length of a record). 0 is the paper's literal method, which ignores the labels if there are
        more records than terms; large values smooth the map from words to positions
    balance : bool, default True — scale the labels so that a labelled record weighs as much in Y as in X (equal traces)
    scaling : {"damped", "unit", "weighted"}, default "damped" — "unit" gives v = X w with unit columns (first version
        of the paper), "weighted" multiplies them by λ^½ (the revised text), "damped" by λ^¼, the best for retrieval
    kernel, kernel_params : record kernel: "linear", "rbf", "poly", "cosine", …, a callable on two matrices, or
        "precomputed"
    label_kernel, label_kernel_params : label kernel, likewise; with "precomputed", y is the N x N matrix
    taxonomy : Taxonomy or None, default None — the classes above the labels count as labels too, a class of |c| records
        with weight 1/|c|: the label kernel H diag(1/|c|) Hᵀ of [Huang2005] eq. (2), in which related labels are similar
    n_landmarks : "auto", None or int, default "auto" — Nyström landmarks for a non-linear kernel: None is the exact
        matrix, "auto" is exact up to 5,000 records
    coordinates : {"honest", "in-sample", "transductive"}, default "honest" — what `fit_transform` returns; see
        `training_coordinates`
    n_folds : int or None, default None — honest coordinates of a large collection: None leaves out one record at a
        time, with leverages estimated from random probes; a number cross-fits the map in that many folds. Small
        collections use a closed form
    solver : {"auto", "primal", "dual", "augmented", "single_pass"}, default "auto" — how K is held: XᵀX dense, X Xᵀ
        dense, or products only; "single_pass" is "augmented" with the space found in one pass over [X, labels],
        without residuals. Regressing the labels still takes several passes
    tol : float, default 1e-2 — relative residual at which the iterative solvers stop
    max_iter : int or None, default None — maximum number of iterations
    warm_start : bool, default False — as for `LSI`; used with solver="augmented" and more dimensions than labels;
        with fewer, the search starts from the labels
    random_state : int, generator or None, default 0 — the same seed gives the same space

    Attributes
    ----------
    components_ : (n_components_, n_terms) Wᵀ in the chosen scaling; dual_components_ instead for a non-linear kernel
    eigenvalues_ : (n_components_,) λ of eq. (8)
    embedding_ : (n_records, n_components_) V, the transductive positions in unit scaling
    term_loadings_, label_loadings_ : A = VᵀX and B = VᵀY of eq. (2)
    objective_ : float, value of eq. (2) at V, with the labels as balanced
    label_scale_ : float, factor of the labels
    labels_ : LabelMatrix, the labels as read, with the classes above them if there is a taxonomy (None with a
        precomputed label kernel)
    reference_records_, landmark_map_ : the records r of k(x, r) (None for the linear and a precomputed kernel), and the
        map from these to features (None without landmarks)
    solver_, solver_reason_ : the form used, and the reason
    solution_ : tuple of the iterative solvers' reports: residuals, iterations, solver, reason; empty for a dense form
    n_iter_ : int, largest number of iterations of any of these solvers; 1 for a dense form
    n_records_seen_ : int, records of the fit and of all updates since
    drift_, refit_due_ : after `partial_fit`: how much less of the new records the space explains than of the earlier
        ones, and whether a new fit is due
    position_map_ : after `partial_fit`: the matrix that `move_positions` applies; `embedding_` is already moved

    Notes
    -----
    Records whose labels are unknown (None, an all-NaN row) shape the space through their words; their label rows are
    zero. Cost of the augmented form: one truncated SVD of [X, Y G^½] and a block least-squares solve for all labels at
    once.

    References
    ----------
    [Yu2005]; docs/guide/mlsi.md lists the differences from the paper.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[2., 1, 0, 0], [1, 2, 0, 0], [0, 0, 2, 1], [0, 0, 1, 2], [1, 0, 0, 1]])
    >>> model = MLSI(n_components=2).fit(X, [{"a"}, {"a"}, {"b"}, {"b"}, {"a", "b"}])
    >>> model.transform(X).shape, model.label_coordinates().shape
    ((5, 2), (2, 2))
    """

    def __init__(
        self,
        n_components: int = 100,
        *,
        label_weight: float = 0.5,
        shrinkage: float = 0.03,
        ridge: float = 1.0,
        balance: bool = True,
        scaling: str = "damped",
        kernel: Kernel = "linear",
        kernel_params: Mapping[str, Any] | None = None,
        label_kernel: Kernel = "linear",
        label_kernel_params: Mapping[str, Any] | None = None,
        taxonomy: Taxonomy | None = None,
        n_landmarks: Any = "auto",
        coordinates: str = "honest",
        n_folds: int | None = None,
        solver: str = "auto",
        tol: float = 1e-2,
        max_iter: int | None = None,
        warm_start: bool = False,
        random_state: Any = 0,
    ) -> None:
        self.n_components = n_components
        self.label_weight = label_weight
        self.shrinkage = shrinkage
        self.ridge = ridge
        self.balance = balance
        self.scaling = scaling
        self.kernel = kernel
        self.kernel_params = kernel_params
        self.label_kernel = label_kernel
        self.label_kernel_params = label_kernel_params
        self.taxonomy = taxonomy
        self.n_landmarks = n_landmarks
        self.coordinates = coordinates
        self.n_folds = n_folds
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.warm_start = warm_start
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the space.

        Parameters
        ----------
        X : (n_records, n_terms) dense or sparse, or `RowBlocks`; the kernel matrix if kernel="precomputed"
        y : binary matrix (dense or sparse), list of label sets, one class per record, or `LabelMatrix`; None only if
            label_weight=0
        """
        self._fit(X, y, None)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Array:
        """Find the space and return the training records' positions, of the kind set by `coordinates`.

        The default, honest positions, differs from `transform` for the same records on purpose, as scikit-learn's
        TargetEncoder cross-fits. The next step of a pipeline is then trained on positions like those of new records.
        """
        positions = self._fit(X, y, check_choice("coordinates", self.coordinates, COORDINATES))
        return self._scaled(self.embedding_ if positions is None else positions)

    def training_coordinates(self, X: Any, kind: str = "transductive") -> Array:
        """Return the positions of the training records, in the model's scaling.

        Parameters
        ----------
        X : the records passed to `fit`
        kind : "transductive" — by their words and their own labels (V): for searching or mapping the collection;
            "in-sample" — the result of `transform`: by their words, through a map fitted with their labels;
            "honest" — by their words, through a map fitted without them: for training a model for new records
        """
        check_is_fitted(self, "eigenvalues_")
        if check_choice("kind", kind, COORDINATES) == "in-sample":
            return self.transform(X)
        return self._trained_positions(read_records(self, X, reset=False), kind)

    def label_coordinates(self) -> Array:
        """Return the position of each label: the mean transductive position of its records."""
        check_is_fitted(self, "eigenvalues_")
        if self.labels_ is None or self.label_loadings_ is None:
            raise InputError("the model has no named labels: got a label kernel as `y`, expected labels.")
        counts = np.maximum(self.labels_.counts, 1)[:, None]
        return self._scaled(self.label_loadings_.T / counts.astype(self.embedding_.dtype))

    def _fit(self, X: Any, y: Any, kind: str | None) -> Array | None:
        """Find the space; return honest or in-sample positions, unscaled, if `kind` is one of these."""
        self._check_parameters()
        X = self._read_training(X)
        self._check_kernel(X, "single_pass" if self.solver == "single_pass" else "augmented")
        rng = as_rng(self.random_state)
        F = self._label_features(X, y)
        if self.kernel == "linear":
            n_labels = 0 if F is None else F.shape[1]
            honest, solver = kind == "honest", self.solver
            k = self.n_components
            check_memory(memory_of_fit(X, k, model="mlsi", n_labels=n_labels, positions=honest, solver=solver))
        features = self._learn_features(X, rng)
        self.solver_, self.solver_reason_ = choose_form(
            features.shape,
            self.solver,
            outside_memory=is_outside_memory(X),
            kernel=self.kernel if self._is_kernel else None,
            n_beside=0 if F is None else F.shape[1],
        )
        form = make_form(
            self,
            features,
            self.solver_,
            is_kernel=self._is_kernel,
            rng=rng,
            solver="single_pass" if self.solver == "single_pass" else "auto",
            before=directions_before(self, X.shape[1], "term_loadings_"),
        )
        self.label_scale_ = 1.0
        if F is not None:
            if self.balance:
                known = None if self.labels_ is None else self.labels_.known
                self.label_scale_ = balance_labels(form.trace, F, known)
            F = F * F.dtype.type(self.label_scale_)
        # if only sparse products are large, threads of BLAS would only add their buffers
        with one_thread(0.0 if is_sparse(features) or is_outside_memory(features) else np.inf):
            space = informed_space(form, F, self.n_components, label_weight=self.label_weight, shrinkage=self.shrinkage)
            self._report(space)
            self.embedding_ = space.positions.astype(X.dtype, copy=False)
            self.eigenvalues_ = space.eigenvalues.astype(X.dtype)
            positions = None
            if kind == "honest":
                positions = self._honest(form, space.coefficients)
            elif kind == "in-sample":
                positions = form.fitted(space.coefficients).astype(X.dtype, copy=False)
            self._keep(X, features, form, F, space)
        return positions

    def _can_update(self) -> bool:
        check_updatable(self)
        return True

    def _merge(self, X: Any, y: Any, keep: float) -> None:
        merge(self, X, y, keep)

    def _check_parameters(self) -> None:
        self._check_regression()
        check_number("shrinkage", self.shrinkage)
        check_choice("solver", self.solver, _FORMS)
        check_kernel("label_kernel", self.label_kernel)
        if self.taxonomy is not None and self.label_kernel != "linear":
            raise InputError(
                f"taxonomy already defines the label kernel: got label_kernel={self.label_kernel!r} with it, expected "
                "'linear'. Set only one of them."
            )

    def _label_features(self, X: Any, y: Any) -> Any:
        """Read the labels; return F with F Fᵀ = K_y, with zero rows for unknown labels."""
        self.labels_: LabelMatrix | None = None
        if self.label_weight == 0 and y is None:
            return None
        if self.label_kernel == "precomputed":
            return precomputed_label_features(y, X.shape[0], X.dtype)
        if self.taxonomy is not None:
            y = expanded_labels(y, self.taxonomy, X.shape[0]).without_empty()
        self.labels_ = read_labels(y, X.shape[0], needed=self.label_weight > 0)
        if self.taxonomy is not None:
            return class_features(self.labels_, X.dtype)
        return label_features(self.labels_, self.label_kernel, self.label_kernel_params, X.dtype)

    def _form_again(self, X: Any) -> RecordForm:
        return make_form(self, self._features(X), self.solver_, is_kernel=self._is_kernel)

    def _report(self, space: InformedSpace) -> None:
        """Raise if no dimension is left; warn if labels or dimensions were dropped."""
        n_kept = space.eigenvalues.size
        if not n_kept:
            raise InputError(
                f"no dimension is left: got label_weight={self.label_weight:g} and ridge=0, for which the words must "
                "express at least one label without error. Set ridge > 0."
            )
        if self.label_weight > 0 and not space.informed:
            warn(
                "the labels have no effect with ridge=0: the words express none of them without error, so this is "
                "plain LSI. Set ridge > 0."
            )
        limit = "the labels can span" if self.label_weight == 1 else "the rank of the record kernel"
        warn_if_fewer(self.n_components, n_kept, limit)

    def _keep(self, X: Any, features: Any, form: RecordForm, F: Any, space: InformedSpace) -> None:
        """Set the learned attributes, in the chosen scaling and the precision of X."""
        self.__dict__.pop("term_loadings_", None)  # of an earlier fit with another kernel
        dtype = X.dtype
        weights = space.coefficients
        if form.by_records and not self._is_kernel:
            weights = as_operator(features).T @ weights  # from weights of the records to those of the terms
        weights *= self.eigenvalues_ ** self._power()  # in place: they are not needed unscaled
        self._keep_weights(weights, dtype)
        if self.kernel == "linear":
            loadings = as_operator(X).T @ self.embedding_ if form.by_records else space.adjoint
            self.term_loadings_ = np.asarray(loadings, dtype=dtype).T
        Y = F if self.labels_ is None else self.labels_.indicator.astype(dtype)
        self.label_loadings_ = None if Y is None else np.asarray(Y.T @ self.embedding_).T
        if form.by_records and self.kernel != "linear":
            explained = float(np.sum(self.embedding_ * form.fitted(self.embedding_)))
        else:
            explained = as_operator(self.term_loadings_ if self.kernel == "linear" else space.adjoint).squared_norm()
        lost = 0.0 if F is None else as_operator(F).squared_norm() - as_operator(F.T @ self.embedding_).squared_norm()
        self.objective_ = (1 - self.label_weight) * (form.trace - explained) + self.label_weight * lost  # eq. (2)
        self.solution_ = tuple(form.reports)
        self.n_iter_ = max((report.iterations for report in self.solution_), default=1)
        begin_summary(self, summary_of_fit(self, X.shape[0], form.trace), X.shape[0])
