"""One relation between two types of objects: a sparse matrix, or a product of several that is never formed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import scipy.sparse as sp

from tacit.checks import is_outside_memory
from tacit.relations.tables.rows_outside_memory import any_outside_memory, refuse
from tacit.relations.tables.scaling import BlockScaling, Factors, reached_rows, row_blocks, scaling_of
from tacit.types import IntArray

__all__ = ["Block"]

Places = dict[str, IntArray]


@dataclass(frozen=True, eq=False, repr=False)
class Block:
    """A relation M between two types, with its weight α; made and checked by `Relations`.

    Attributes
    ----------
    path : tuple of str or None
        The types along the path: `("user", "item")`, or `("user", "item", "word")` for a product through items. None
        stands for an inner type that the graph no longer has.
    factors : tuple of csr_array
        One matrix per step of the path, before normalising and weighting; M is their product. A matrix that is larger
        than memory is in blocks of rows on disk or on a cluster.
    name : str
        Name of the relation, default "user-item" for these types.
    weight : float
        α, at least 0.
    normalise : {"none", "tfidf", "frobenius", "spectral"}
        How M is scaled before it is weighted.
    """

    path: tuple[str | None, ...]
    factors: Factors
    name: str
    weight: float = 1.0
    normalise: str = "none"

    @property
    def row_type(self) -> str:
        """The type of the rows."""
        return str(self.path[0])

    @property
    def column_type(self) -> str:
        """The type of the columns."""
        return str(self.path[-1])

    @property
    def shape(self) -> tuple[int, int]:
        """(number of objects of the row type, of the column type)."""
        return int(self.factors[0].shape[0]), int(self.factors[-1].shape[1])

    @property
    def is_product(self) -> bool:
        """Whether M is a product of several matrices."""
        return len(self.factors) > 1

    @property
    def matrix(self) -> sp.csr_array:
        """M before normalising and weighting; a product is formed, which may need much memory."""
        if self.is_outside_memory:
            raise refuse(self.name, "returned as one matrix", "Use methods that need only its products.")
        if not self.is_product:
            return self.factors[0]
        return sp.csr_array(sp.vstack([rows for *_, rows in row_blocks(self.factors)], format="csr"))

    @property
    def is_outside_memory(self) -> bool:
        """Whether one of its matrices is on disk or on a cluster."""
        return any_outside_memory(self.factors)

    @property
    def is_empty(self) -> bool:
        """Whether it has no entries."""
        return not reached_rows(self.factors).any()

    @cached_property
    def scaling(self) -> BlockScaling:
        """The scaling of M, and of rows and columns of new objects; computed once."""
        return scaling_of(self.factors, self.normalise)

    @cached_property
    def normalised(self) -> tuple[float, Factors]:
        """A scale and factors whose product, times the scale, is the normalised M; computed once."""
        return self.scaling.factor, self.scaling.applied(self.factors)

    def joins(self, first: object, second: object) -> bool:
        """Whether it relates these two types, in either order."""
        return (first, second) in ((self.row_type, self.column_type), (self.column_type, self.row_type))

    def turned(self) -> Block:
        """Return the transposed relation."""
        if self.is_outside_memory:
            raise refuse(self.name, "transposed", "Begin the product at its other end.")
        factors = tuple(sp.csr_array(factor.T) for factor in reversed(self.factors))
        return replace(self, path=self.path[::-1], factors=factors)

    def weighted(self, weight: float) -> Block:
        """Return the relation with another weight; the scaling is not computed again."""
        block = replace(self, weight=weight)
        vars(block).update({key: vars(self)[key] for key in ("scaling", "normalised") if key in vars(self)})
        return block

    def chosen(self, places: Places) -> Block:
        """Return the relation with the objects at these positions, by type; a product uses only these inner objects."""
        factors = []
        for step, factor in enumerate(self.factors):
            for axis, kind in enumerate(self.path[step : step + 2]):
                if kind in places and is_outside_memory(factor):
                    raise refuse(self.name, "restricted to some objects", "Write those rows to a folder of their own.")
                if kind in places:
                    factor = sp.csr_array(factor[places[kind]] if axis == 0 else factor[:, places[kind]])
            if not is_outside_memory(factor):
                factor.sort_indices()
            factors.append(factor)
        return replace(self, factors=tuple(factors))

    def grown(self, sizes: dict[str, int]) -> Block:
        """Return the relation with empty rows and columns for objects that were added to its types."""
        shapes = [
            (_size(sizes, self.path[step], factor.shape[0]), _size(sizes, self.path[step + 1], factor.shape[1]))
            for step, factor in enumerate(self.factors)
        ]
        if all(shape == factor.shape for shape, factor in zip(shapes, self.factors, strict=True)):
            return self
        if self.is_outside_memory:
            raise refuse(self.name, "extended", "Add it after its types have all their objects.")
        return replace(self, factors=tuple(_padded(*pair) for pair in zip(self.factors, shapes, strict=True)))

    def __repr__(self) -> str:
        steps = " x ".join(str(kind) for kind in self.path)
        return f"Block({self.name!r}: {steps}, weight {self.weight:g}, normalise {self.normalise!r})"


def _size(sizes: dict[str, int], kind: str | None, otherwise: int) -> int:
    return otherwise if kind is None else sizes[kind]


def _padded(matrix: sp.csr_array, shape: tuple[int, int]) -> sp.csr_array:
    """Return the matrix with empty rows and columns at the end; the entries are shared."""
    ends = np.full(shape[0] - matrix.shape[0], matrix.indptr[-1], dtype=matrix.indptr.dtype)
    return sp.csr_array((matrix.data, matrix.indices, np.concatenate([matrix.indptr, ends])), shape=shape)
