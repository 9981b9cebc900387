"""Positions of new objects in a space of M-LSA by their relations: Σ_j α_ij m_ij C_j, see `tacit.models.mlsa.mlsa`.

The rows of a new object are in the units of the tables as they were added, and are scaled like their relation here. A
product of relations needs no row of its own if the row of its first relation is known: if the words of a user are those
of the films the user rated, they follow from the ratings.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from tacit.checks import check_choice, check_finite, check_rows, is_outside_memory, is_sparse
from tacit.errors import InputError
from tacit.relations.tables.block import Block
from tacit.relations.tables.relations import Relations
from tacit.relations.tables.scaling import Factors, row_blocks
from tacit.types import Array

__all__ = ["FoldIn"]


@dataclass(frozen=True, eq=False)
class FoldIn:
    """Places new objects among those of given relations.

    Attributes
    ----------
    relations : the relations that the space was fitted to
    concepts : C, one row per object, by type
    """

    relations: Relations
    concepts: Mapping[str, Array]
    _known_leads: dict[str, list[_Lead]] = field(init=False, default_factory=dict)

    def positions(self, type: str, rows: Mapping[Any, Any]) -> Array:
        """Return the positions of new objects of a type, (n_new, n_components)."""
        check_choice("type", type, self.relations.types)
        known = self._read(type, rows)
        n_new = next(iter(known.values())).shape[0]
        dtype = np.result_type(self.concepts[type].dtype, *(matrix.dtype for matrix in known.values()))
        found = np.zeros((n_new, self.concepts[type].shape[1]), dtype)
        for side, factors in self._usable(type, known):
            if not all(map(is_sparse, factors)):  # some rows are outside memory
                found += side.block.weight * _through_rows_outside_memory(side, factors, self.concepts[side.other])
                continue
            scaled = side.block.scaling.of_new_columns if side.turned else side.block.scaling.of_new_rows
            for start, stop, given in row_blocks(factors):
                found[start:stop] += side.block.weight * (scaled(given) @ self.concepts[side.other])
        return found

    def _read(self, type: str, rows: Mapping[Any, Any]) -> dict[str, sp.csr_array]:
        """Validate the rows, and return them by the names of the relations."""
        if not isinstance(rows, Mapping):
            raise InputError(
                f"rows is not a mapping: got {rows.__class__.__name__}, expected matrices by the names of relations."
            )
        if not rows:
            raise InputError(f"rows is empty: got no relation of the new {type} objects, expected at least one.")
        known: dict[str, sp.csr_array] = {}
        keys: dict[str, Any] = {}
        for key, matrix in rows.items():
            side = self._side(type, key)
            if side.block.name in known:
                raise InputError(
                    f"rows contains a relation twice: got {keys[side.block.name]!r} and {key!r}, "
                    f"which are both {side.block.name!r}, expected each relation once."
                )
            given = _matrix(matrix, f"rows[{key!r}]", self.relations.sizes[side.other], side.other)
            if known:
                n_new = next(iter(known.values())).shape[0]
                check_rows(f"rows[{key!r}]", given.shape[0], n_new, of="the other relations")
            known[side.block.name], keys[side.block.name] = given, key
        return known

    def _side(self, type: str, key: Any) -> _Side:
        """Find a relation by its name or by the type at its other end."""
        graph = self.relations
        block = graph.block((type, key) if key in graph.types else key)
        if type not in (block.row_type, block.column_type):
            raise InputError(f"rows[{key!r}] is not a relation of {type!r}: got {block.name!r} of other types.")
        return _Side(block, turned=block.row_type != type)

    def _usable(self, type: str, known: Mapping[str, sp.csr_array]) -> Iterator[tuple[_Side, Factors]]:
        """Yield every relation with known rows: as passed, or times the rest of a product."""
        for block in self.relations.blocks:
            if not block.weight:
                continue
            if block.name in known:
                yield _Side(block, turned=block.row_type != type), (known[block.name],)
                continue
            leads = [lead for lead in self._leads(type) if lead.side.block is block and lead.name in known]
            if leads:
                lead = max(leads, key=lambda lead: lead.n_steps)  # the longest known start of the product
                yield lead.side, (known[lead.name], *lead.side.steps(lead.n_steps))

    def _leads(self, type: str) -> list[_Lead]:
        """Find the relations that the products of a type start with; the comparison is made once and kept."""
        if type not in self._known_leads:
            sides = []  # both of a relation within one type, as its factors need not be symmetric
            for block in self.relations.blocks:
                ends = ((block.row_type, False), (block.column_type, True))
                sides += [_Side(block, turned) for kind, turned in ends if kind == type]
            self._known_leads[type] = [
                _Lead(side, first.block.name, len(first.block.factors))
                for side in sides
                for first in sides
                if side.starts_with(first)
            ]
        return self._known_leads[type]


class _Side(NamedTuple):
    """A relation seen from one of its two types; turned if this type is that of the columns."""

    block: Block
    turned: bool

    @property
    def other(self) -> str:
        return self.block.row_type if self.turned else self.block.column_type

    @property
    def path(self) -> tuple[str | None, ...]:
        return self.block.path[::-1] if self.turned else self.block.path

    @property
    def unturned(self) -> Factors:
        """The factors in the order of the path, each as stored."""
        return self.block.factors[::-1] if self.turned else self.block.factors

    def steps(self, start: int) -> Factors:
        """Return the factors from a step of the path on, seen from this side."""
        factors = self.unturned[start:]
        if not self.turned:
            return factors
        return tuple(factor.T if is_outside_memory(factor) else sp.csr_array(factor.T) for factor in factors)

    def starts_with(self, first: _Side) -> bool:
        """Whether this is a product that starts with the whole of another relation, by types and entries."""
        n_steps = len(first.block.factors)
        return (
            n_steps < len(self.block.factors)
            and self.path[: n_steps + 1] == first.path
            and all(
                _equal(own, other, turned=self.turned != first.turned)
                for own, other in zip(self.unturned, first.unturned, strict=False)
            )
        )


class _Lead(NamedTuple):
    """A product, and the relation that is its first `n_steps` steps, from whose row its row follows."""

    side: _Side
    name: str
    n_steps: int


def _through_rows_outside_memory(side: _Side, factors: Factors, concepts: Array) -> Array:
    """Multiply from the right if a factor is outside memory, so that only narrow blocks are moved."""
    if side.block.scaling.rarity is not None:
        raise InputError(
            f"rows lacks relation {side.block.name!r}: got only the relation it starts with, expected its own row, "
            "since it is weighted by tfidf and uses rows that are not in memory."
        )
    for factor in reversed(factors):
        concepts = factor @ concepts
    return np.asarray(side.block.scaling.factor * concepts)


def _equal(one: sp.csr_array, other: sp.csr_array, *, turned: bool) -> bool:
    """Whether a matrix equals the other, or its transpose; `Relations` keeps both in canonical form."""
    if one is other and not turned:
        return True
    if is_outside_memory(one) or is_outside_memory(other):
        return False  # comparing them would mean reading both
    if one.nnz != other.nnz or one.shape != (other.shape[::-1] if turned else other.shape):
        return False
    other = sp.csr_array(other.T) if turned else other
    return all(np.array_equal(getattr(one, part), getattr(other, part)) for part in ("indptr", "indices", "data"))


def _matrix(matrix: Any, name: str, n_columns: int, other: str) -> sp.csr_array:
    """Read rows of a relation as CSR, keeping float32 and summing repeated entries; a single row may be flat."""
    matrix = matrix if is_sparse(matrix) else np.asarray(matrix)
    if matrix.dtype.kind not in "biuf":
        raise InputError(f"{name} does not contain numbers: got {matrix.dtype}, expected real numbers.")
    if matrix.ndim not in (1, 2):
        raise InputError(f"{name} has the wrong shape: got {matrix.ndim} dimensions, expected one row per new object.")
    if matrix.shape[-1] != n_columns:
        raise InputError(
            f"{name} does not match the objects of type {other!r}: got {matrix.shape[-1]} columns, "
            f"expected {n_columns}."
        )
    check_finite(name, matrix)
    matrix = matrix.reshape(1, n_columns) if matrix.ndim == 1 else matrix
    given = sp.csr_array(matrix, dtype=np.float32 if matrix.dtype == np.float32 else np.float64, copy=True)
    given.sum_duplicates()
    return given
