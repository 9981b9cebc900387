"""One relation between two types of objects: a sparse matrix, or a product of several that is never multiplied out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import scipy.sparse as sp

from tacit.checks import is_outside_memory
from tacit.relations.tables.rows_outside_memory import any_outside_memory, refuse
from tacit.relations.tables.scaling import Factors, Scaling, reached_rows, row_blocks, scaling_of
from tacit.types import IntArray

__all__ = ["Block"]

Places = dict[str, IntArray]


@dataclass(frozen=True, eq=False, repr=False)
class Block:
    """A relation M between two types, with its weight α; `Relations` makes and checks it.

    Attributes
    ----------
    path : tuple of str or None
        The types on the way: `("user", "item")`, or `("user", "item", "word")` for a product through items. None stands
        for a type in the middle that the graph no longer has.
    factors : tuple of csr_array
        One matrix a step of the path; M is their product. As given: before normalising and weighting. One that is
        larger than memory is in blocks of rows on disk or on a cluster.
    name : str
        What the relation is called; "user-item" unless given.
    weight : float
        α, at least 0.
    normalise : {"none", "tfidf", "frobenius", "spectral"}
        How M is brought to a scale before it is weighted.
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
        """Objects of the row type x objects of the column type."""
        return int(self.factors[0].shape[0]), int(self.factors[-1].shape[1])

    @property
    def is_product(self) -> bool:
        """Whether M is kept as a product."""
        return len(self.factors) > 1

    @property
    def matrix(self) -> sp.csr_array:
        """M as given, before normalising and weighting; a product is multiplied out, which may need much memory."""
        if self.is_outside_memory:
            raise refuse(self.name, "given as one matrix", "Use what is made of its products.")
        if not self.is_product:
            return self.factors[0]
        return sp.csr_array(sp.vstack([rows for *_, rows in row_blocks(self.factors)], format="csr"))

    @property
    def is_outside_memory(self) -> bool:
        """Whether a matrix of it is on disk or on a cluster."""
        return any_outside_memory(self.factors)

    @property
    def is_empty(self) -> bool:
        """Whether no object of the one type is related to one of the other."""
        return not reached_rows(self.factors).any()

    @cached_property
    def scaling(self) -> Scaling:
        """What brings M, and rows and columns of new objects, to its scale; computed once."""
        return scaling_of(self.factors, self.normalise)

    @cached_property
    def normalised(self) -> tuple[float, Factors]:
        """A scale and factors whose product, times the scale, is M normalised; computed once."""
        return self.scaling.factor, self.scaling.applied(self.factors)

    def joins(self, first: object, second: object) -> bool:
        """Whether it relates these two types, in either direction."""
        return (first, second) in ((self.row_type, self.column_type), (self.column_type, self.row_type))

    def turned(self) -> Block:
        """Give the same relation seen from the other type."""
        if self.is_outside_memory:
            raise refuse(self.name, "turned round", "Begin the product at its other end.")
        factors = tuple(sp.csr_array(factor.T) for factor in reversed(self.factors))
        return replace(self, path=self.path[::-1], factors=factors)

    def weighted(self, weight: float) -> Block:
        """Give the same relation with another weight; what normalising needed is not computed again."""
        block = replace(self, weight=weight)
        vars(block).update({key: vars(self)[key] for key in ("scaling", "normalised") if key in vars(self)})
        return block

    def chosen(self, places: Places) -> Block:
        """Keep the objects at these places, by type; the way of a product leads through the kept ones only."""
        factors = []
        for step, factor in enumerate(self.factors):
            for axis, kind in enumerate(self.path[step : step + 2]):
                if kind in places and is_outside_memory(factor):
                    raise refuse(self.name, "cut down to some objects", "Write those rows by themselves.")
                if kind in places:
                    factor = sp.csr_array(factor[places[kind]] if axis == 0 else factor[:, places[kind]])
            if not is_outside_memory(factor):
                factor.sort_indices()
            factors.append(factor)
        return replace(self, factors=tuple(factors))

    def grown(self, sizes: dict[str, int]) -> Block:
        """Make room for objects that were added to the end of a type; they are related to nothing here."""
        shapes = [
            (_size(sizes, self.path[step], factor.shape[0]), _size(sizes, self.path[step + 1], factor.shape[1]))
            for step, factor in enumerate(self.factors)
        ]
        if all(shape == factor.shape for shape, factor in zip(shapes, self.factors, strict=True)):
            return self
        if self.is_outside_memory:
            raise refuse(self.name, "made larger", "Add it when its types have all their objects.")
        return replace(self, factors=tuple(_padded(*pair) for pair in zip(self.factors, shapes, strict=True)))

    def __repr__(self) -> str:
        steps = " x ".join(str(kind) for kind in self.path)
        return f"Block({self.name!r}: {steps}, weight {self.weight:g}, normalise {self.normalise!r})"


def _size(sizes: dict[str, int], kind: str | None, otherwise: int) -> int:
    return otherwise if kind is None else sizes[kind]


def _padded(matrix: sp.csr_array, shape: tuple[int, int]) -> sp.csr_array:
    """Add empty rows and columns; the entries are shared."""
    ends = np.full(shape[0] - matrix.shape[0], matrix.indptr[-1], dtype=matrix.indptr.dtype)
    return sp.csr_array((matrix.data, matrix.indices, np.concatenate([matrix.indptr, ends])), shape=shape)
