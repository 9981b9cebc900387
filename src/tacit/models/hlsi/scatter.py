"""HLSI's eigenproblem, total scatter over within-class scatter, in three forms with the same interface.

    (γ I + XᵀΔX) w = λ XᵀX w,  smallest λ                                                   [Huang2005] sec. 2.4

XᵀΔX is the pooled within-class scatter (Identity D), so this is a regularised discriminant analysis for any number of
labels per record. We solve for the largest μ = 1/λ of

    XᵀX w = μ B w,   B = γ I + Xᵀ diag(d) X − G Gᵀ,   G = Xᵀ H diag(|c|)^−½

which is positive definite for every γ > 0. `DualScatter` holds the dense N x N kernel, `PrimalScatter` dense M x M
matrices, `ProductScatter` products with X alone. Coefficients c give positions v = fitted(c), scaled to vᵀv = 1. If the
graph gives weights ω to the records, rows of X and H are multiplied by √ω in these formulas, and vᵀ diag(ω) v = 1.

If X is centred, Xᵀ1 = 0, and the trivial direction in which all records are equal is not among the solutions.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

import numpy as np
import scipy.linalg as la
import scipy.sparse as sp

from tacit.checks import is_outside_memory, is_sparse
from tacit.models.base import warn
from tacit.models.common.class_hierarchy import MOST_BRIDGES, HierarchyGraph, class_bridges, squared_lengths
from tacit.models.common.honest_positions import estimated_leverages
from tacit.operators import Centred, Operator, Scaled, as_operator
from tacit.solve import leading_singular_triplets, without_vectors
from tacit.solve.eigen.pencil import pencil_eigenpairs
from tacit.solve.result import SingularTriplets, signs_of
from tacit.solve.tall_arrays import factored, inner, subtract, times
from tacit.types import Array

__all__ = ["DualScatter", "PrimalScatter", "ProductScatter", "ScatterForm", "ScatterPencil"]


class ScatterForm(ABC):
    """What HLSI needs from the records.

    Attributes
    ----------
    gamma : γ, absolute
    reports : of the iterative solvers
    """

    gamma: float
    reports: list[Any]

    @abstractmethod
    def leading(self, n_components: int) -> tuple[Array, Array]:
        """Return μ = 1/λ, largest first, and the coefficients."""

    @abstractmethod
    def fitted(self, coefficients: Array) -> Array:
        """Return the positions of the training records, N x k."""

    @abstractmethod
    def leverages(self) -> Array:
        """Return the leverages h_i = ω_i d_i x_iᵀ (Xᵀ diag(ω d) X + γ I)⁻¹ x_i."""


class DualScatter(ScatterForm):
    """From the dense N x N kernel matrix, already centred if needed: any kernel, and wide X.

    Coefficients are weights of the records, w = Xᵀα.
    """

    def __init__(self, K: Array, graph: HierarchyGraph, gamma: float) -> None:
        self.K, self.gamma, self.reports = K, gamma, []
        self.roots = np.sqrt(graph.degrees)
        self.root_degrees = np.sqrt(graph.weights * graph.degrees)
        self.F = _factor(graph) / self.roots[:, None]  # of the records weighted with √(ω d)
        weighted = K.astype(np.float64) * np.outer(self.root_degrees, self.root_degrees)
        values, vectors = la.eigh((weighted + weighted.T) / 2)
        floor = (len(K) + 20) * float(np.finfo(K.dtype).eps) * max(float(values.max(initial=0)), 0.0)
        self.least = float(values.min(initial=0))
        self.values, self.vectors = values[values > floor], vectors[:, values > floor]

    def leading(self, n_components: int) -> tuple[Array, Array]:
        """Solve in the basis of the eigenvectors of the weighted kernel, where γ‖w‖² is γ‖z‖²."""
        if not self.values.size:
            return np.empty(0), np.empty((len(self.K), 0))
        half = self.vectors * np.sqrt(self.values)  # √(ω d) v = half z
        positions = half / self.roots[:, None]  # √ω v
        bridges = np.asarray(self.F.T @ half)
        B = np.diag(self.gamma + self.values) - bridges.T @ bridges
        values, z = _dense_pencil(positions.T @ positions, B, n_components)
        alpha = self.root_degrees[:, None] * (self.vectors @ (z / np.sqrt(self.values)[:, None]))
        V = positions @ z
        lengths = np.linalg.norm(V, axis=0)
        return values, np.asarray(alpha / np.where(lengths > 0, lengths, 1) * signs_of(V))

    def fitted(self, coefficients: Array) -> Array:
        """Return K times the coefficients."""
        return np.asarray(self.K @ coefficients)

    def leverages(self) -> Array:
        """Return the exact leverages, from the eigenvectors."""
        return np.asarray(np.square(self.vectors) @ (self.values / (self.values + self.gamma)))


class _LinearScatter(ScatterForm):
    """Records as rows of X; coefficients are weights of the terms."""

    def __init__(self, X: Any, graph: HierarchyGraph, gamma: float, *, mean: Array | None) -> None:
        self.gamma, self.reports = gamma, []
        self.rows, self.mean = X, mean
        self.X = as_operator(X) if mean is None else Centred(X, mean)
        self.degrees, self.graph = graph.degrees, graph
        self.totals = _scaled_rows(self.X, graph.weights)  # √ω X

    @property
    def F(self) -> sp.csr_array:
        """The classes, made for each use: keeping them during the search would waste memory."""
        return _factor(self.graph, centred=isinstance(self.X, Centred))

    @property
    def weighted(self) -> Operator:
        """√(ω d) X."""
        return _scaled_rows(self.X, self.graph.weights * self.degrees)

    def fitted(self, coefficients: Array) -> Array:
        """Return X times the coefficients."""
        return np.asarray(self.X @ coefficients)


class PrimalScatter(_LinearScatter):
    """From dense M x M matrices, summed in double precision a block of records at a time: tall X with few terms."""

    def __init__(self, X: Any, graph: HierarchyGraph, gamma: float, *, mean: Array | None) -> None:
        super().__init__(X, graph, gamma, mean=mean)
        m = X.shape[1]
        self.total, self.metric = np.zeros((m, m)), gamma * np.eye(m)
        for part, block in self._blocks():
            weighted = graph.weights[part, None] * block
            self.total += block.T @ weighted
            self.metric += weighted.T @ (self.degrees[part, None] * block)
        self.G = class_bridges(self.totals, self.F).astype(np.float64)

    def leading(self, n_components: int) -> tuple[Array, Array]:
        """Solve the primal problem as it is written."""
        floor = _rounding(self.X.dtype) ** 2  # of the entries of X; the sums are in double precision
        values, w = _dense_pencil(self.total, self.metric - self.G @ self.G.T, n_components, floor)
        lengths = np.sqrt(np.einsum("ij,ij->j", w, self.total @ w))
        w = (w / np.where(lengths > 0, lengths, 1)).astype(self.X.dtype)
        return values, w * signs_of(self.fitted(w))

    def leverages(self) -> Array:
        """Return the exact leverages, by one triangular solve per record."""
        factor = la.cholesky(self.metric, lower=True)
        h = np.empty(self.X.shape[0])
        for part, block in self._blocks():
            h[part] = np.square(la.solve_triangular(factor, block.T, lower=True)).sum(axis=0)
        return self.graph.weights * self.degrees * h

    def _blocks(self) -> Any:
        """Yield (rows, block), a few records at a time, dense and centred."""
        step = max(1, 2**22 // max(1, self.rows.shape[1]))
        for start in range(0, self.rows.shape[0], step):
            part = slice(start, min(self.rows.shape[0], start + step))
            block = self.rows[part].astype(np.float64)
            block = block.toarray() if is_sparse(block) else np.asarray(block)
            yield part, block if self.mean is None else block - self.mean


class ProductScatter(_LinearScatter):
    """From products with X alone: no N x N or M x M matrix.

    The search starts from approximate regressions of the classes on the terms, and from the leading directions of X
    beside the classes (docs/decisions/0008 and 0025).
    """

    def __init__(
        self,
        X: Any,
        graph: HierarchyGraph,
        gamma: float,
        *,
        mean: Array | None,
        tol: float,
        max_iter: int | None,
        rng: np.random.Generator,
    ) -> None:
        super().__init__(X, graph, gamma, mean=mean)
        self.tol, self.max_iter, self.rng = tol, max_iter, rng

    def leading(self, n_components: int) -> tuple[Array, Array]:
        """Search for the space."""
        pencil = ScatterPencil(self.totals, self.F.astype(self.X.dtype), self.degrees, self.gamma)
        rough = self._triplets(self.weighted, _DIRECTIONS, _ROUGH)
        if not rough.values.size:
            return np.empty(0), np.empty((self.X.shape[1], 0))
        inverse = _SpectralInverse(rough.right, rough.values**2, self.gamma)
        n_start, start = self._start(pencil, n_components, rough.right, inverse)
        most_iterations = self.max_iter or _MOST_ITERATIONS
        found = pencil_eigenpairs(
            pencil,
            min(n_components, n_start),
            start=start,
            precondition=inverse,
            tol=self.tol,
            max_iter=most_iterations,
        )
        self.reports.append(without_vectors(found))
        if not found.converged:
            way_out = "Raise max_iter, gamma or tol."
            if found.iterations < most_iterations:
                way_out = f"Rounding in {self.X.dtype} allows no less: raise tol" + (
                    ", or pass float64." if self.X.dtype == np.float32 else "."
                )
            warn(
                f"the search for the space stopped after {found.iterations} iterations with a relative residual of "
                f"{float(found.residuals.max()):.1e}, above tol={self.tol:g}. {way_out}"
            )
        # xᵀBx = 1 and xᵀAx = μ, so dividing by √μ makes the positions unit columns without an N x k array
        floor = _rounding(self.X.dtype) * float(rough.values[0]) ** 2
        real = found.values > floor * np.einsum("ij,ij->j", found.vectors, found.vectors)
        values, vectors = found.values, found.vectors
        if not real.all():
            values, vectors = values[real], vectors[:, real]
        vectors /= np.sqrt(values)  # in place: they are not used elsewhere
        return values, vectors

    def _start(
        self, pencil: ScatterPencil, n_components: int, rough: Array, inverse: _SpectralInverse
    ) -> tuple[int, Iterator[Array]]:
        """Return the number of vectors whose span is near the space, and blocks of them.

        Where A = B, at μ = 1, B − A is γ I − G Gᵀ (if every record counts once). So there are as many μ above 1 as
        squared singular values of G above γ, and these are directions of classes. In the other directions the space is
        that of N^½ A N^½, with N the inverse of γ I − G Gᵀ without its negative part: LSI beside the classes.
        """
        G = pencil.bridges(n_components + _SPARE, self.rng)
        square = _symmetric(inner(G, G))
        sizes, turn = _positive_part(square, G.dtype)
        is_strong = sizes > self.gamma
        n_beside = n_components + _BESIDE - int(np.count_nonzero(is_strong))
        blocks = [rough]
        if n_beside > 0:
            left = 1 / np.sqrt(np.maximum(1 - sizes / self.gamma, _NEAR))
            factors = (np.where(is_strong, 0, left) - 1) / sizes
            others = _Stretched(self.totals, G, (turn * factors) @ turn.T)
            blocks.append(others.stretched(self._triplets(others, n_beside, _BESIDE_TOL).right))
        # classes with the same records, or that together hold all records, span fewer directions than classes
        _, turn = _positive_part(inverse.inner(G, square), G.dtype)
        turn = turn[:, ::-1][:, : n_components + _SPARE].astype(G.dtype)
        parts = [turn[:, first : first + _COLUMNS] for first in range(0, turn.shape[1], _COLUMNS)]
        regressions = (inverse(times(G, part)) for part in parts)
        return turn.shape[1] + sum(block.shape[1] for block in blocks), chain(regressions, _released(blocks))

    def _triplets(self, X: Operator, n_components: int, tol: float) -> SingularTriplets:
        found = leading_singular_triplets(X, min(n_components, *X.shape), tol=tol, rng=self.rng, left=False)
        self.reports.append(without_vectors(found))
        return found

    def leverages(self) -> Array:
        """Estimate the leverages from random probes."""
        return estimated_leverages(
            self.weighted, self.gamma, squares=self._squares(), rng=self.rng, tol=max(self.tol, _PROBE_TOL)
        )

    def _squares(self) -> Array:
        """Return ω_i d_i ‖x_i‖², of the records less their mean."""
        squares = squared_lengths(self.rows)
        if self.mean is not None:
            mean = self.mean.astype(np.float64)
            squares = squares - 2 * np.asarray(as_operator(self.rows) @ self.mean) + float(mean @ mean)
        return np.asarray(self.graph.weights * self.degrees * np.maximum(squares, 0))


_MOST_ITERATIONS = 300
_SPARE = 8  # extra directions of classes, since the last ones of a block converge last
_DIRECTIONS = 16  # leading directions of X in the preconditioner
_ROUGH = 0.3  # their tolerance
_BESIDE = 16  # directions beside the classes, in addition to those that will be needed
_BESIDE_TOL = 1e-2
_NEAR = 0.01  # least 1 − g²/γ: a class with g² = γ would be stretched without end
_PROBE_TOL = 1e-2  # of the probes for leverages: their own error is larger


def _factor(graph: HierarchyGraph, *, centred: bool = False) -> sp.csr_array:
    """Return √ω H diag(|c|)^−½; a root with equal entries is orthogonal to centred records and left out."""
    H = graph.weighted(np.sqrt(graph.weights))
    if centred:
        root = graph.H[:, [-1]].toarray()
        H = H[:, :-1] if (root == root[0]).all() else H
    return sp.csr_array(H @ sp.diags_array(1 / np.sqrt(graph.sizes[: H.shape[1]])))


def _scaled_rows(X: Operator, squares: Array) -> Operator:
    """Return diag(√squares) X."""
    return X if (squares == 1).all() else Scaled(X, rows=np.sqrt(squares))


def _released(blocks: list[Array]) -> Iterator[Array]:
    """Yield blocks that nothing else holds: together they are as large as the basis."""
    while blocks:
        yield blocks.pop(0)


def _symmetric(square: Array) -> Array:
    return np.asarray((square + square.T) / 2, np.float64)


def _positive_part(square: Array, dtype: np.dtype) -> tuple[Array, Array]:
    """Return the eigenpairs of a positive semi-definite matrix, smallest first, without those that are rounding."""
    values, vectors = la.eigh(square)
    real = values > _rounding(dtype) * len(values) * values.max(initial=0)
    return values[real], vectors[:, real]


def _rounding(dtype: np.dtype) -> float:
    return 10 * float(np.finfo(dtype).eps)


def _dense_pencil(A: Array, B: Array, n_components: int, floor: float = 0.0) -> tuple[Array, Array]:
    """Solve A z = μ B z; leave out z along which A is rounding, or below `floor` times its norm."""
    n = len(A)
    top = (max(0, n - n_components), n - 1)
    values, z = la.eigh((A + A.T) / 2, (B + B.T) / 2, subset_by_index=top)
    values, z = values[::-1], z[:, ::-1]
    # not visible in μ: B may be as small as A in a direction, or large where A is largest
    spreads = np.einsum("ij,ij->j", z, A @ z) / np.square(z).sum(axis=0)
    real = spreads > max(n * float(np.finfo(np.float64).eps), floor) * float(la.norm(A))
    return values[real], z[:, real]


_COLUMNS = 32


class ScatterPencil:
    """XᵀX and B by their products, with γ I as a shift and G Gᵀ as a low-rank part; rows of X and F are weighted.

    With more than `MOST_BRIDGES` classes G is not kept, and G Gᵀ is part of the products.
    """

    def __init__(self, X: Operator, F: sp.csr_array, degrees: Array, gamma: float) -> None:
        self.X, self.shift = X, float(gamma)
        # if every record counts once, Xᵀ diag(d) X is XᵀX
        self.degrees = None if (degrees == 1).all() else degrees.astype(X.dtype)[:, None]
        self.shape, self.dtype = (X.shape[1], X.shape[1]), X.dtype
        plain = X.operator if isinstance(X, Scaled) else X
        self.n_bytes = (plain.operator if isinstance(plain, Centred) else plain).n_bytes
        few = F.shape[1] <= MOST_BRIDGES
        self.low_rank = class_bridges(X, F) if few else None
        self.F = None if few else F

    def products(self, S: Array) -> Sequence[Array]:
        """Return XᵀX S and, if it differs, Xᵀ diag(d) X S, less G Gᵀ S if G is not kept."""
        is_one = self.degrees is None and self.low_rank is not None
        if is_one and is_outside_memory(self.X):
            return [self.X.gram(S)]
        between = self.X @ S
        first = np.asarray(self.X.T @ between)
        if is_one:
            return [first]
        called = None if self.F is None else self.F @ (self.F.T @ between)
        if self.degrees is not None:
            between *= self.degrees
        if called is not None:
            between -= called
        return [first, np.asarray(self.X.T @ between)]

    def bridges(self, most: int, rng: np.random.Generator) -> Array:
        """Return G, or at most so many columns with its leading directions and sizes if it is not kept."""
        if self.low_rank is not None:
            return self.low_rank
        assert self.F is not None
        mix = rng.standard_normal((self.F.shape[1], min(most, self.F.shape[1])), dtype=np.float32).astype(self.dtype)
        directions, _ = factored(np.asfortranarray(self.X.T @ (self.F @ mix)))
        across = np.asarray(self.F.T @ (self.X @ directions))  # GᵀQ
        sizes, mix = la.eigh(_symmetric(across.T @ across))
        return times(directions, (mix * np.sqrt(np.maximum(sizes, 0))).astype(self.dtype))


class _Stretched(Operator):
    """X (I + G C Gᵀ), with a symmetric C: directions of classes left out, or stretched."""

    def __init__(self, X: Operator, G: Array, core: Array) -> None:
        super().__init__(X.shape, X.dtype)
        self.X, self.G, self.core = X, G, core.astype(X.dtype)

    @property
    def is_outside_memory(self) -> bool:
        """Same as for X."""
        return self.X.is_outside_memory

    @property
    def is_dense(self) -> bool:
        """Same as for X."""
        return self.X.is_dense

    @property
    def n_bytes(self) -> int:
        """Same as for X."""
        return self.X.n_bytes

    def gram(self, V: Array) -> Array:
        """Return the product with the Gram matrix, by that of X."""
        return self.stretched(self.X.gram(self.stretched(V)))

    def stretched(self, V: Array) -> Array:
        """Return (I + G C Gᵀ) V."""
        V = np.array(V, order="F")
        subtract(V, self.G, -self.core @ inner(self.G, V))
        return V

    def _matmat(self, V: Array) -> Array:
        return np.asarray(self.X @ self.stretched(V))

    def _rmatmat(self, U: Array) -> Array:
        return self.stretched(np.asarray(self.X.T @ U))


class _SpectralInverse:
    """Approximation of B⁻¹: exact in the leading directions of X, a constant in the others."""

    def __init__(self, directions: Array, values: Array, gamma: float) -> None:
        self.directions = directions
        rest = gamma + values.min() / 2
        self.weights = (rest / (gamma + values) - 1).astype(directions.dtype)[:, None]

    def inner(self, G: Array, square: Array) -> Array:
        """Return Gᵀ times the inverse times G, from GᵀG."""
        across = np.asarray(inner(self.directions, G), np.float64)
        return _symmetric(square + across.T @ (self.weights * across))

    def __call__(self, R: Array) -> Array:
        """Apply the inverse to a block, in place."""
        for first in range(0, R.shape[1], _COLUMNS):
            part = R[:, first : first + _COLUMNS]
            subtract(part, self.directions, -self.weights * inner(self.directions, part))
        return R
