"""Multi-label informed latent semantic indexing [Yu2005]: a space from words and labels.

    XᵀX w = λ [Xᵀ C⁻¹ X + γ I] w,  C = (1−β) X Xᵀ + β Y Yᵀ                      eq. (8)

| symbol | word                    | shape |
|--------|-------------------------|-------|
| X, K   | records x terms, X Xᵀ   | N x M |
| Y, F   | labels, label features; all views side by side | N x L |
| F_v, B_v | one view and VᵀF_v    | N x L_v, k x L_v |
| β, w_v | `label_weight`, share of a view in it |  |
| γ      | `shrinkage_`            |       |
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
from tacit.models.common.kernels import check_kernel, label_features, precomputed_label_features
from tacit.models.common.labels import read_labels
from tacit.models.common.memory import check_memory, memory_of_fit
from tacit.models.common.record_kernel import COORDINATES, KernelSpaceModel, RegressedSpace, choose_form, make_form
from tacit.models.common.updating import Updatable, begin_summary
from tacit.models.common.views import KnownView, balanced, filled, fitted_views, fold_in, read_views, stacked, weighted
from tacit.models.mlsi.emphasis import WORDS, curvatures, turn_to_emphasis
from tacit.models.mlsi.update import check_updatable, merge, summary_of_fit
from tacit.operators import Kernel, as_operator
from tacit.operators.rows.blocks import take_rows
from tacit.relations.labels.matrix import LabelMatrix, as_labels
from tacit.relations.taxonomy.taxonomy import Taxonomy
from tacit.types import Array

__all__ = ["COORDINATES", "MLSI"]

LABELS, TAXONOMY = "labels", "taxonomy"  # names of the views that the model makes itself
_FORMS = ("auto", "primal", "dual", "augmented", "single_pass")


class MLSI(Updatable, KernelSpaceModel, RegressedSpace):
    """Multi-label informed LSI: minimises the reconstruction error of words and labels together.

        min (1 − β)‖X − V A‖² + β‖Y − V B‖²,  VᵀV = I,  V = X W, ‖W‖ small        [Yu2005] eqs. (2), (5)

    Parameters
    ----------
    n_components : int, default 100 — dimensions k; fewer are kept, with a warning, if there are fewer
    label_weight : float in [0, 1], default 0.5 — β. 0 is plain LSI; 1 lets the labels alone shape the space, which then
        has at most as many dimensions as there are labels
    shrinkage : float >= 0, default 0 — γ, in units with which it multiplies the share of a label that the words do not
        express, so that a value means the same for any number of records; `shrinkage_` is the γ of eq. (8). Reduces
        the weight of labels that the words express badly, at the price of an L x L matrix and a regression of every
        label; 0 has neither, and its cost does not grow with the number of labels
    ridge : float >= 0, default 1.0 — added to the diagonal of the record kernel, in units of its mean diagonal entry
        (the mean squared length of a record). 0 is the paper's literal method, which ignores the labels if there are
        more records than terms; large values smooth the map from words to positions
    balance : bool, default True — scale the labels so that a labelled record weighs as much in Y as in X (equal traces)
    scaling : {"damped", "unit", "weighted"} or float, default "damped" — "unit" gives v = X w with unit columns (first
        version of the paper), "weighted" multiplies them by λ^½ (the revised text), "damped" by λ^¼, the best for
        retrieval; a number is the power of λ
    kernel, kernel_params : record kernel: "linear", "rbf", "poly", "cosine", …, a callable on two matrices, or
        "precomputed"
    label_kernel, label_kernel_params : label kernel, likewise; with "precomputed", y is the N x N matrix
    taxonomy : Taxonomy or None, default None — labels and the classes above them are a second view, "taxonomy", in
        which a class of |c| records has weight 1/|c|: the label kernel H diag(1/|c|) Hᵀ of [Huang2005] eq. (2), in
        which related labels are similar
    view_weights : mapping or None, default None — relative weights of the views, by name: "labels", "taxonomy", and the
        names given to `fit`; they take the place of the views' own weights. The shares of all views sum to 1
    emphasis : mapping or None, default None — how much the words ("words") and each view, by name, count in the
        distances between positions, whatever they counted in finding the space: V is turned to the main axes of
        M = Σ_v e_v B_v B_vᵀ, with A for the words and views balanced but without their shares, and `eigenvalues_` are
        those of M. 1 for the words and 1 for a view count the same; names that are not given count 0. None leaves axes
        and λ as they were found; the objective has 1 for the words and w_v β/(1−β) for each view: the same axes, with
        M's eigenvalues μ, which lack the ridge in λ
    n_landmarks : "auto", None or int, default "auto" — Nyström landmarks for a non-linear kernel: None is the exact
        matrix, "auto" is exact up to 5,000 records
    coordinates : {"honest", "in-sample", "transductive"}, default "honest" — what `fit_transform` returns; see
        `training_coordinates`
    n_folds : int or None, default None — honest coordinates of a large collection: None leaves out one record at a
        time, with leverages estimated from random probes (five folds if the ridge is 0); a number cross-fits the map in
        that many folds. Small collections use a closed form
    solver : {"auto", "primal", "dual", "augmented", "single_pass"}, default "auto" — how K is held: XᵀX dense, X Xᵀ
        dense, or products only; "single_pass" is "augmented" with the space found in one pass over [X, labels],
        without residuals. Regressing the positions, or the labels if these are fewer, still takes several passes
    tol : float, default 1e-2 — relative residual at which the iterative solvers stop
    max_iter : int or None, default None — maximum number of iterations
    warm_start : bool, default False — as for `LSI`; used with solver="augmented" and more dimensions than labels;
        with fewer, the search starts from the labels
    random_state : int, generator or None, default 0 — the same seed gives the same space

    Attributes
    ----------
    components_ : (n_components_, n_terms) Wᵀ in the chosen scaling; dual_components_ instead for a non-linear kernel
    eigenvalues_ : (n_components_,) λ of eq. (8); with `emphasis` those of M
    embedding_ : (n_records, n_components_) V, the transductive positions in unit scaling
    term_loadings_, label_loadings_ : A = VᵀX and B = VᵀY of eq. (2)
    objective_ : float, value of eq. (2) at V, with the views as balanced; missing rows count as filled
    label_scale_ : float, factor of the labels: that of `balance` times √w_v
    labels_ : LabelMatrix, the labels as read (None without labels and with a precomputed label kernel)
    views_ : dict from str to FittedView: share, names, loadings and more of every view
    shrinkage_ : float, γ of eq. (8)
    ridge_ : float, what was added to the diagonal of K
    fold_map_ : (n_components_, n_components_), 1/μ in the axes of V, with which `fold_in` divides
    nothing_known_ : bool array (n_records,), records of which no view knows anything
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
    Records whose labels are unknown (None, an all-NaN row) shape the space through their words; their rows of a view
    are filled with what the words predict (`common/views`). Cost of the augmented form: one truncated SVD of
    [X, F_1, F_2, …], twice if rows are missing, and a block least-squares solve of the positions, or of the labels if
    these are fewer.

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
        shrinkage: float = 0.0,
        ridge: float = 1.0,
        balance: bool = True,
        scaling: str | float = "damped",
        kernel: Kernel = "linear",
        kernel_params: Mapping[str, Any] | None = None,
        label_kernel: Kernel = "linear",
        label_kernel_params: Mapping[str, Any] | None = None,
        taxonomy: Taxonomy | None = None,
        view_weights: Mapping[str, float] | None = None,
        emphasis: Mapping[str, float] | None = None,
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
        self.view_weights = view_weights
        self.emphasis = emphasis
        self.n_landmarks = n_landmarks
        self.coordinates = coordinates
        self.n_folds = n_folds
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.warm_start = warm_start
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None, *, views: Mapping[str, Any] | None = None) -> Self:
        """Find the space.

        Parameters
        ----------
        X : (n_records, n_terms) dense or sparse, or `RowBlocks`; the kernel matrix if kernel="precomputed"
        y : binary matrix (dense or sparse), list of label sets, one class per record, or `LabelMatrix`; the view
            "labels". May be None if there are other views or label_weight=0
        views : mapping from name to what else is known about the records: a `View`, label sets or a matrix of numbers
            with one row per record
        """
        self._fit(X, y, views, None)
        return self

    def fit_transform(self, X: Any, y: Any = None, *, views: Mapping[str, Any] | None = None) -> Array:
        """Find the space and return the training records' positions, of the kind set by `coordinates`.

        The default, honest positions, differs from `transform` for the same records on purpose, as scikit-learn's
        TargetEncoder cross-fits. The next step of a pipeline is then trained on positions like those of new records.
        """
        positions = self._fit(X, y, views, check_choice("coordinates", self.coordinates, COORDINATES))
        if positions is not None:
            return self._scaled(positions)
        return self._with_unknown(read_records(self, X, reset=False), self._scaled(self.embedding_))

    def fold_in(self, X: Any, y: Any = None, *, views: Mapping[str, Any] | None = None) -> Array:
        """Place records by their terms and by what is known about them, as the records of the fit are placed.

        Parameters
        ----------
        X : (n_records, n_terms) dense or sparse
        y : their labels; None, and None or NaN for a record, is unknown. Labels that the fit did not know are ignored
        views : what else is known, by the names of the fit; views that are not given are unknown

        Notes
        -----
        v = (x XᵀV + β/(1−β) Σ_v f_v F_vᵀV) / μ: a record of the fit, all of whose views are known, gets its row of
        `embedding_` again, in the model's scaling. Without anything known this is `transform`. Needs linear kernels,
        label_weight < 1 and shrinkage=0.
        """
        check_is_fitted(self, "eigenvalues_")
        X = read_records(self, X, reset=False)
        if self.kernel != "linear" or self.label_kernel != "linear" or self.label_weight == 1 or self.shrinkage > 0:
            raise InputError(
                "the space cannot take in known labels: got another kernel, label_weight=1 or shrinkage > 0, expected "
                "linear kernels, label_weight < 1 and shrinkage=0. Use transform."
            )
        given = dict(views or {})
        unknown = [name for name in given if name not in self.views_]
        if unknown:
            raise InputError(f"views has an unknown name: got {unknown[0]!r}, expected some of {list(self.views_)}.")
        if y is not None:
            labels = as_labels(y, n_records=X.shape[0])
            given[LABELS] = labels
            if TAXONOMY in self.views_ and self.taxonomy is not None:
                known = [name for name in labels.names if name in self.taxonomy]
                given[TAXONOMY] = expanded_labels(labels.select(known), self.taxonomy, X.shape[0])
        return self._scaled(fold_in(self, X, given))

    def training_coordinates(self, X: Any, kind: str = "transductive") -> Array:
        """Return the positions of the training records, in the model's scaling.

        Parameters
        ----------
        X : the records passed to `fit`
        kind : "transductive" — by their words and all that is known about them (V), or by their words alone if nothing
            is: for searching or mapping the collection;
            "in-sample" — the result of `transform`: by their words, through a map fitted with their labels;
            "honest" — by their words, through a map fitted without them: for training a model for new records
        """
        check_is_fitted(self, "eigenvalues_")
        if check_choice("kind", kind, COORDINATES) == "in-sample":
            return self.transform(X)
        X = read_records(self, X, reset=False)
        positions = self._trained_positions(X, kind)
        return self._with_unknown(X, positions) if kind == "transductive" else positions

    def label_coordinates(self) -> Array:
        """Return the position of each label: the mean transductive position of its records."""
        check_is_fitted(self, "eigenvalues_")
        if self.labels_ is None:
            raise InputError("the model has no named labels: got no labels or a label kernel as `y`, expected labels.")
        return self.view_coordinates(LABELS)

    def view_coordinates(self, name: str) -> Array:
        """Return the position of each thing of a view, in the order of `views_[name].names`.

        That is the mean transductive position of its records; weighted by its values if these are not 0 and 1.
        """
        check_is_fitted(self, "eigenvalues_")
        if name not in self.views_:
            raise InputError(
                f"there is no view of this name: got {name!r}, expected one of {sorted(self.views_)}."
                if self.views_
                else f"the space has no views: got the name {name!r}, expected a model fitted with labels or views."
            )
        return self._scaled(self.views_[name].coordinates().astype(self.embedding_.dtype, copy=False))

    def _fit(self, X: Any, y: Any, views: Mapping[str, Any] | None, kind: str | None) -> Array | None:
        """Find the space; return honest or in-sample positions, unscaled, if `kind` is one of these."""
        self._check_parameters()
        X = self._read_training(X)
        self._check_kernel(X, "single_pass" if self.solver == "single_pass" else "augmented")
        rng = as_rng(self.random_state)
        known = self._read_views(X, y, views)
        n_things = sum(view.rows.shape[1] for view in known if view.weight > 0)
        if self.kernel == "linear":
            check_memory(
                memory_of_fit(
                    X,
                    self.n_components,
                    model="mlsi",
                    n_labels=n_things,
                    positions=kind == "honest",
                    solver=self.solver,
                    shrinkage=self.shrinkage,
                )
            )
        features = self._learn_features(X, rng)
        self.solver_, self.solver_reason_ = choose_form(
            features.shape,
            self.solver,
            outside_memory=is_outside_memory(X),
            kernel=self.kernel if self._is_kernel else None,
            n_beside=n_things,
        )

        def form_of(rows: Any, before: Array | None = None) -> RecordForm:
            solver = "single_pass" if self.solver == "single_pass" else "auto"
            given: dict[str, Any] = {"is_kernel": self._is_kernel, "rng": rng, "solver": solver, "before": before}
            return make_form(self, rows, self.solver_, **given)

        form = form_of(features, directions_before(self, X.shape[1], "term_loadings_"))
        known = balanced(known, form.trace, balance=self.balance)
        # if only sparse products are large, threads of BLAS would only add their buffers
        with one_thread(0.0 if is_sparse(features) or is_outside_memory(features) else np.inf):
            used = [view for view in known if view.weight > 0]
            blocks = [view.features(X.dtype) for view in used] if self.label_weight > 0 else []
            if any(not view.known.all() for view in used) and blocks:
                blocks = self._with_missing_rows(features, used, form_of)
            F = stacked(blocks) if blocks else None
            self.shrinkage_ = self._absolute_shrinkage(form, F)
            options = {"label_weight": self.label_weight, "shrinkage": self.shrinkage_}
            space = informed_space(form, F, self.n_components, **options)
            self._report(space)
            self.embedding_ = space.positions.astype(X.dtype, copy=False)
            self.eigenvalues_ = space.eigenvalues.astype(X.dtype)
            positions = None
            if kind == "honest":
                positions = self._honest(form, space.coefficients)
            elif kind == "in-sample":
                positions = form.fitted(space.coefficients).astype(X.dtype, copy=False)
            self._keep(X, features, form, F, space)
            self.ridge_ = form.ridge
            self.nothing_known_ = (
                ~np.any([view.known for view in used], axis=0) if blocks else np.zeros(X.shape[0], bool)
            )
            names = [view.name for view in used] if blocks else []
            self.views_ = fitted_views(known, dict(zip(names, blocks, strict=True)), self.embedding_)
            self.fold_map_ = np.diag(1 / curvatures(self)).astype(X.dtype)
            if self.emphasis is not None:
                positions = turn_to_emphasis(self, positions)
        labels = self.views_.get(LABELS)
        self.label_scale_ = 1.0 if labels is None else labels.scale
        self.label_loadings_ = None if labels is None else labels.loadings
        begin_summary(self, summary_of_fit(self, X.shape[0], form.trace), X.shape[0])
        return positions

    def _with_missing_rows(self, features: Any, views: list[KnownView], form_of: Any) -> list[Any]:
        """Return F_v of each view with the missing rows filled, from the space of the records that are known."""
        rows = np.flatnonzero(np.any([view.known for view in views], axis=0))
        part = features[rows][:, rows] if self._is_kernel else take_rows(features, rows)
        form, some = form_of(part), [view.take(rows) for view in views]
        blocks = [view.features(form.dtype) for view in some]
        F = stacked(blocks)
        options = {"label_weight": self.label_weight, "shrinkage": self._absolute_shrinkage(form, F)}
        space = informed_space(form, F, self.n_components, **options)
        weights = space.coefficients
        if self._is_kernel:
            places = np.asarray(features[:, rows] @ weights)
        else:
            if form.by_records:
                weights = as_operator(part).T @ weights
            places = np.asarray(as_operator(features) @ weights)
        return filled(views, places, [np.asarray(block.T @ space.positions).T for block in blocks], form.dtype)

    def _with_unknown(self, X: Any, positions: Array) -> Array:
        """Put records of which nothing is known where their words put them: as if they came later."""
        rows = np.flatnonzero(self.nothing_known_)
        if rows.size:
            positions = positions.copy()
            positions[rows] = self._place(take_rows(X, rows))
        return positions

    def _absolute_shrinkage(self, form: RecordForm, F: Any) -> float:
        """Return γ of eq. (8): the parameter times the ridge over the mean squared length of a label.

        ridge J / length² is the share of a label that the words do not express. Without a ridge its unit is taken.
        """
        if self.shrinkage == 0 or F is None:
            return float(self.shrinkage)
        per_label = as_operator(F).squared_norm() / max(1, F.shape[1])
        unit = form.ridge or form.trace / form.n_records
        return float(self.shrinkage * unit / per_label) if per_label > 0 else 0.0

    def _can_update(self) -> bool:
        check_updatable(self)
        return True

    def _merge(self, X: Any, y: Any, views: Mapping[str, Any] | None, keep: float) -> None:
        merge(self, X, y, views, keep)

    def _check_parameters(self) -> None:
        self._check_regression()
        check_number("shrinkage", self.shrinkage)
        check_choice("solver", self.solver, _FORMS)
        check_kernel("label_kernel", self.label_kernel)

    def _read_views(self, X: Any, y: Any, views: Mapping[str, Any] | None, *, needed: bool = True) -> list[KnownView]:
        """Read labels, the classes above them and the other views, with their relative weights."""
        n = X.shape[0]
        self.labels_: LabelMatrix | None = None
        found: list[KnownView] = []
        others = read_views(views, n, taken=(WORDS, LABELS, TAXONOMY))
        if y is None and (others or self.label_weight == 0 or not needed):
            return weighted(others, self.view_weights, complete=needed)
        if self.label_kernel == "precomputed":
            F = precomputed_label_features(y, n, X.dtype)
            found.append(KnownView(LABELS, F, np.ones(n, dtype=bool), tuple(range(F.shape[1]))))
        else:
            must = needed and self.label_weight > 0 and not others
            self.labels_ = labels = read_labels(y, n, needed=must) if needed else as_labels(y, n_records=n)
            rows = label_features(labels, self.label_kernel, self.label_kernel_params, X.dtype)
            found.append(KnownView(LABELS, rows, labels.known, labels.names, things=labels.indicator))
            if self.taxonomy is not None:
                classes = expanded_labels(labels, self.taxonomy, n).without_empty()
                found.append(KnownView(TAXONOMY, classes.indicator, classes.known, classes.names, even=True))
        return weighted(found + others, self.view_weights, complete=needed)

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
        if form.by_records and self.kernel != "linear":
            explained = float(np.sum(self.embedding_ * form.fitted(self.embedding_)))
        else:
            explained = as_operator(self.term_loadings_ if self.kernel == "linear" else space.adjoint).squared_norm()
        lost = 0.0
        if F is not None:
            pulled = np.asarray(as_operator(F).T @ self.embedding_)
            lost = as_operator(F).squared_norm() - as_operator(pulled).squared_norm()
        self.objective_ = (1 - self.label_weight) * (form.trace - explained) + self.label_weight * lost  # eq. (2)
        self.solution_ = tuple(form.reports)
        self.n_iter_ = max((report.iterations for report in self.solution_), default=1)
