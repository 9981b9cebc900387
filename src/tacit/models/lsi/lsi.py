"""Latent semantic indexing, plain and with kernels: the baseline of the other models [Deerwester1990].

    X = U S Vᵀ, the k largest singular values;  W = V S⁻¹, so that X W = U

| symbol | word                  | shape |
|--------|-----------------------|-------|
| X      | records x terms       | N x M |
| U      | positions, unit       | N x k |
| S      | `singular_values_`    | k     |
| Wᵀ     | `components_` (unit)  | k x M |
| S Vᵀ   | `term_loadings_`      | k x M |
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from tacit.checks import as_rng, check_choice, check_number
from tacit.errors import InputError
from tacit.models.base import SpaceModel, directions_before, positions_before, read_records, warn_if_fewer
from tacit.models.common.kernels import (
    check_dense_memory,
    check_kernel,
    kernel_rows,
    landmark_features,
    training_kernel,
    uses_landmarks,
)
from tacit.models.common.memory import check_memory, memory_of_fit
from tacit.models.common.updating import RecordSummary, Updatable, begin_summary
from tacit.models.lsi.update import merge
from tacit.operators import Centred, Kernel, as_operator
from tacit.solve import Eigenpairs, SingularTriplets, leading_eigenpairs, leading_singular_triplets, without_vectors
from tacit.solve.choice.choose import ALL_SOLVERS
from tacit.types import Array

__all__ = ["LSI", "KernelLSI"]


class LSI(Updatable):
    """Latent semantic indexing: the space with the best reconstruction of the words.

        min ‖X − V A‖²,  VᵀV = I                                            [Yu2005] eq. (1)

    Parameters
    ----------
    n_components : int, default 100 — dimensions; fewer are kept, with a warning, if X has a smaller rank
    scaling : {"weighted", "damped", "unit"}, default "weighted" — "unit" gives U, equal scales in all dimensions;
        "weighted" gives U S = X V, as scikit-learn's TruncatedSVD; "damped" is between them, U S^½
    center : bool, default False — subtract the mean record (principal components); X stays sparse
    solver : {"auto", "dense", "lanczos", "krylov", "single_pass"}, default "auto" — `solution_.reason` explains the
        choice of "auto"; "single_pass" reads X once, for rows that are slow to read, without residuals
    tol : float, default 1e-2 — largest relative residual of the iterative solvers; the relative error of the
        singular values is then about 1e-4; 1e-6 gives working precision
    max_iter : int or None, default None — maximum number of iterations
    warm_start : bool, default False — whether `fit` starts from the space of the fit before, if that had as many terms:
        the same space to `tol`, in fewer iterations where the records or `n_components` changed little
    random_state : int, generator or None, default 0 — start of the iteration; the same seed gives the same space

    Attributes
    ----------
    components_ : (n_components_, n_terms) Wᵀ in the chosen scaling; `transform` is X @ components_.T
    term_loadings_ : (n_components_, n_terms) change of the terms per unit step along a dimension, for unit positions
    singular_values_ : (n_components_,)
    eigenvalues_ : (n_components_,) their squares
    explained_ratio_ : (n_components_,) share of ‖X‖² that each dimension explains
    mean_ : (n_terms,) the mean record, if `center`
    solution_ : SingularTriplets without vectors: values, residuals, iterations, solver, reason
    n_iter_ : int, iterations of the solver; 1 for "dense"
    n_records_seen_ : int, records of the fit and of all updates since
    drift_, refit_due_ : after `partial_fit`: how much less of the new records the space explains than of the earlier
        ones, and whether a new fit is due
    position_map_, position_shift_ : after `partial_fit`: the matrix and the shift that `move_positions` applies

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[1., 1, 0, 0], [1, 1, 0, 0], [0, 0, 1, 1], [0, 0, 1, 0]])
    >>> LSI(n_components=2).fit_transform(X).shape
    (4, 2)
    """

    _takes_row_blocks = True

    def __init__(
        self,
        n_components: int = 100,
        *,
        scaling: str = "weighted",
        center: bool = False,
        solver: str = "auto",
        tol: float = 1e-2,
        max_iter: int | None = None,
        warm_start: bool = False,
        random_state: Any = 0,
    ) -> None:
        self.n_components = n_components
        self.scaling = scaling
        self.center = center
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.warm_start = warm_start
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the space; `y` is ignored."""
        self._fit(X, left=False)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Array:
        """Find the space and return the positions of the records, (n_records, n_components_)."""
        found = self._fit(X, left=True)
        positions = found.left
        assert positions is not None
        # in place: after X this is the largest array
        positions *= (self.eigenvalues_ ** self._power()).astype(positions.dtype)
        return positions

    def _fit(self, X: Any, *, left: bool) -> SingularTriplets:
        check_choice("solver", self.solver, ALL_SOLVERS)
        X = self._read_training(X)
        check_memory(memory_of_fit(X, self.n_components, model="lsi", positions=left, solver=self.solver))
        operator = as_operator(X)
        if self.center:
            operator = Centred(operator)
            self.mean_ = operator.mean
        earlier = positions_before(self, X.shape[0])
        found = leading_singular_triplets(
            operator,
            self.n_components,
            solver=self.solver,
            tol=check_number("tol", self.tol),
            max_iter=self.max_iter,
            rng=as_rng(self.random_state),
            left=left,
            start=directions_before(self, X.shape[1]) if earlier is None else np.asarray(operator.T @ earlier),
        )
        if not found.values.size:
            raise InputError(
                f"X has rank 0 after centring: got n_samples={X.shape[0]} records that are all equal, expected some "
                "difference."
            )
        warn_if_fewer(self.n_components, found.values.size, "the rank of X")
        total = operator.squared_norm()
        self._keep(found, total)
        begin_summary(self, RecordSummary(self.term_loadings_, X.shape[0], total), X.shape[0])
        return found

    def _keep(self, found: SingularTriplets, total: float) -> None:
        """Set the learned attributes from the first `n_components` triplets; `total` is the squared norm of X."""
        values, right = found.values[: self.n_components], found.right[:, : self.n_components].T
        self.singular_values_ = values
        self.eigenvalues_ = values**2
        self.explained_ratio_ = (self.eigenvalues_ / total).astype(values.dtype)
        self.term_loadings_ = right * values[:, None]
        self.components_ = right * (self.eigenvalues_ ** (self._power() - 0.5))[:, None]
        self.solution_ = without_vectors(found)
        self.n_iter_ = found.iterations

    def _merge(self, X: Any, y: Any, views: Any, keep: float) -> None:
        merge(self, X, keep)

    def _place(self, X: Any) -> Array:
        positions = super()._place(X)
        if self.center:
            positions -= (self.components_ @ self.mean_).astype(positions.dtype)
        return positions

    def inverse_transform(self, positions: Any) -> Array:
        """Return the terms of positions: the best reconstruction of rank `n_components_`."""
        terms = self._read_positions(positions) @ self.term_loadings_
        return np.asarray(terms + self.mean_ if self.center else terms)


class KernelLSI(SpaceModel):
    """LSI in the feature space of a kernel: kernel principal components without centring.

        K α = λ α;  a record x is at Σ α_i k(x_i, x)                         [Yu2005] sec. 3

    Parameters
    ----------
    n_components, scaling, solver, tol, max_iter, random_state : as for `LSI`
    kernel : name known to scikit-learn ("rbf", "poly", "cosine", "linear" …), callable on two matrices, or
        "precomputed"
    kernel_params : dict or None — gamma, degree, coef0 …
    n_landmarks : "auto", None or int, default "auto" — Nyström landmarks: None is the exact kernel matrix; "auto" is
        exact up to 5,000 records and takes 1,000 landmarks (with a warning) above

    Attributes
    ----------
    dual_components_ : (n_components_, n_records or n_landmarks) αᵀ in the chosen scaling
    eigenvalues_ : (n_components_,)
    reference_records_ : the records r of k(x, r), None if precomputed
    solution_ : solver report
    n_iter_ : int, iterations of the solver; 1 for "dense"

    Notes
    -----
    Memory: N x N for the exact form; N x n_landmarks with landmarks.
    """

    def __init__(
        self,
        n_components: int = 100,
        *,
        kernel: Kernel = "rbf",
        kernel_params: Mapping[str, Any] | None = None,
        scaling: str = "weighted",
        n_landmarks: Any = "auto",
        solver: str = "auto",
        tol: float = 1e-2,
        max_iter: int | None = None,
        random_state: Any = 0,
    ) -> None:
        self.n_components = n_components
        self.kernel = kernel
        self.kernel_params = kernel_params
        self.scaling = scaling
        self.n_landmarks = n_landmarks
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the space; `y` is ignored."""
        check_kernel("kernel", self.kernel)
        check_choice("solver", self.solver, ALL_SOLVERS)
        check_number("tol", self.tol)
        X = self._read_training(X)
        rng = as_rng(self.random_state)
        landmarks = uses_landmarks(X.shape[0], self.kernel, self.n_landmarks)
        values, directions = (self._through_landmarks if landmarks else self._exactly)(X, rng)
        if not values.size:
            raise InputError(
                f"the kernel matrix has no positive eigenvalue: got kernel={self.kernel!r}, expected a positive "
                "semi-definite kernel that is not zero everywhere."
            )
        warn_if_fewer(self.n_components, values.size, "the rank of the kernel matrix")
        self.eigenvalues_ = values
        self.n_iter_ = self.solution_.iterations
        self.dual_components_ = (directions * values ** self._power()).T
        return self

    def _place(self, X: Any) -> Array:
        """Place records in the space: k(x, reference) @ dual_components_.T."""
        check_is_fitted(self, "eigenvalues_")
        X = read_records(self, X, reset=False)
        rows = kernel_rows(X, self.reference_records_, self.kernel, self.kernel_params)
        return np.asarray(rows @ self.dual_components_.T.astype(rows.dtype, copy=False))

    def _through_landmarks(self, X: Any, rng: np.random.Generator) -> tuple[Array, Array]:
        """Eigenvalues of the Nyström kernel, and α on the landmarks in unit scaling."""
        self.reference_records_, lift, features = landmark_features(
            X, self.kernel, self.kernel_params, self.n_landmarks, self.n_components, rng
        )
        found = leading_singular_triplets(
            features, self.n_components, solver=self.solver, tol=self.tol, max_iter=self.max_iter, rng=rng, left=False
        )
        self.solution_: Eigenpairs | SingularTriplets = without_vectors(found)
        return found.values**2, lift @ (found.right / found.values)

    def _exactly(self, X: Any, rng: np.random.Generator) -> tuple[Array, Array]:
        """Eigenvalues of the kernel matrix, and α on all records in unit scaling."""
        check_dense_memory(X.shape[0], X.dtype, "n_landmarks")
        K = training_kernel(X, self.kernel, self.kernel_params)
        self.reference_records_ = None if self.kernel == "precomputed" else X
        found = leading_eigenpairs(
            K, self.n_components, solver=self.solver, tol=self.tol, max_iter=self.max_iter, rng=rng
        )
        self.solution_ = without_vectors(found)
        real = found.values > found.values.max(initial=0) * len(K) * np.finfo(K.dtype).eps
        return found.values[real], found.vectors[:, real] / found.values[real]
