"""The pencil of HLSI's eigenproblem by products with X alone, and what the search in it starts from and is guided by.

    XᵀX w = μ B w,   B = γ I + Xᵀ diag(d) X − G Gᵀ,   G = Xᵀ F,   F = H diag(|c|)^−½

`scatter` says where it comes from; `solve.pencil` does the searching.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import scipy.sparse as sp

from tacit.operators import Centred, Operator
from tacit.operators.algebra import is_read_anew
from tacit.operators.base import Array
from tacit.operators.rows.views import adjoint_blocks
from tacit.solve.tall_arrays import inner, subtract

__all__ = ["MOST_BRIDGES", "ScatterPencil", "SpectralInverse", "all_one", "class_bridges", "start_blocks"]

_COLUMNS = 32
MOST_BRIDGES = 512  # classes up to which Xᵀ F is kept


class ScatterPencil:
    """XᵀX and B by XᵀX w, and by what B is but for γ I and G Gᵀ where that differs.

    Where classes are so many that G is not kept, it belongs to the products.
    """

    def __init__(self, X: Operator, F: sp.csr_array, degrees: Array, gamma: float) -> None:
        self.X, self.shift = X, float(gamma)
        self.degrees = None if all_one(degrees) else degrees.astype(X.dtype)[:, None]
        self.shape, self.dtype = (X.shape[1], X.shape[1]), X.dtype
        self.n_bytes = (X.operator if isinstance(X, Centred) else X).n_bytes
        few = F.shape[1] <= MOST_BRIDGES
        self.low_rank = class_bridges(X, F) if few else None
        self.F = None if few else F
        # shares sum to one, and centred records to nothing: the root's column depends on the others
        depends = isinstance(X, Centred) and self.degrees is None
        self.n_independent = max(1, F.shape[1] - depends)

    def products(self, S: Array) -> Sequence[Array]:
        """Give XᵀX S and, where they differ, Xᵀ diag(d) X S, less G Gᵀ S where G is not kept."""
        is_one = self.degrees is None and self.low_rank is not None
        if is_one and is_read_anew(self.X):
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

    def some_bridges(self, most: int, rng: np.random.Generator) -> Array:
        """Give the columns of G, or random mixtures of them if they are more than `most`."""
        if self.F is not None:
            mix = rng.standard_normal((self.F.shape[1], min(most, self.F.shape[1]))).astype(self.dtype)
            return np.asarray(self.X.T @ (self.F @ mix))
        assert self.low_rank is not None
        if self.low_rank.shape[1] <= most:
            return self.low_rank[:, : self.n_independent]
        return self.low_rank @ rng.standard_normal((self.low_rank.shape[1], most)).astype(self.dtype)


def start_blocks(bridges: Array, directions: Array, inverse: Callable[[Array], Array]) -> Iterator[Array]:
    """Something like the regressions of the classes on the terms, a few at a time, and the leading directions of X."""
    for first in range(0, bridges.shape[1], _COLUMNS):
        yield inverse(bridges[:, first : first + _COLUMNS].copy())
    yield directions


class SpectralInverse:
    """Something like B⁻¹: exact where X is large, one number elsewhere."""

    def __init__(self, directions: Array, values: Array, gamma: float) -> None:
        self.directions = directions
        rest = gamma + values.min(initial=1.0) / 2
        self.weights = (rest / (gamma + values) - 1).astype(directions.dtype)[:, None]

    def __call__(self, R: Array) -> Array:
        """Apply it to a block, in place."""
        for first in range(0, R.shape[1], _COLUMNS):
            part = R[:, first : first + _COLUMNS]
            subtract(part, self.directions, -self.weights * inner(self.directions, part))
        return R


def class_bridges(X: Operator, F: sp.csr_array) -> Array:
    """G = Xᵀ F, dense, a few classes at a time: F itself would be N x L."""
    G = np.empty((X.shape[1], F.shape[1]), X.dtype, order="F")
    for part, product in adjoint_blocks(X, F.astype(X.dtype, copy=False), anew=is_read_anew(X)):
        G[:, part] = product
    return G


def all_one(degrees: Array) -> bool:
    """Whether every record counts once, so that Xᵀ diag(d) X is XᵀX."""
    return bool((degrees == 1).all())
