"""Withhold a part of a relation, and measure how well a space predicts it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from tacit.checks import as_rng, check_number
from tacit.errors import InputError
from tacit.evaluate.measures.recommendation import precision_recall_ndcg
from tacit.models.mlsa.mlsa import MLSA
from tacit.relations.tables.block import Block
from tacit.relations.tables.relations import Relations
from tacit.types import Array, BoolArray

__all__ = ["HeldOut", "hold_out"]


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Relations without a part of one of them, and the withheld part.

    Attributes
    ----------
    relations : Relations
        What is left to learn from. Products of the relation use what is left of it, too.
    relation : str
        Name of the relation that a part was taken from.
    known, withheld : csr_array
        What is left of the relation, and what was taken, in the same shape.
    """

    relations: Relations
    relation: str
    known: sp.csr_array
    withheld: sp.csr_array

    def scores(self, model: MLSA, rows: Array) -> Array:
        """Return how strongly a space relates some rows to all columns: Σ_l λ_l c_il c_jl, the rank-k part of R."""
        block = self.relations.block(self.relation)
        return np.asarray(model.positions_[block.row_type][rows] @ model.concepts_[block.column_type].T)

    def ndcg(self, model: MLSA, k: int = 10) -> float:
        """Rank for each row all columns without a known entry; return the mean nDCG at k of the withheld ones."""
        return precision_recall_ndcg(lambda rows: self.scores(model, rows), self.withheld, k, seen=self.known).ndcg


def hold_out(relations: Relations, relation: Any, *, share: float = 0.2, random_state: Any = 0) -> HeldOut:
    """Take a random share of the entries out of a relation.

    Parameters
    ----------
    relations : Relations
    relation : name or pair of types
        Not a product, whose entries are computed from others.
    share : float, default 0.2
        Share of the entries to take, between 0 and 1.
    random_state : int, generator or None, default 0

    Examples
    --------
    >>> graph = Relations().add("user", "film", [[5, 4, 0], [0, 3, 2]]).add("film", "word", [[1], [1], [1]])
    >>> held = hold_out(graph.add_product("user-film", "film-word"), "user-film", share=0.5)
    >>> held.known.nnz, held.withheld.nnz
    (2, 2)
    >>> bool((held.relations.block("user-word").factors[0] != held.known).nnz)
    False
    """
    block = relations.block(relation)
    share = check_number("share", share, high=1, open_low=True, open_high=True)
    if block.is_product:
        raise InputError(
            f"relation is a product: got {block.name!r}, expected a relation with entries of its own. "
            "Withhold entries of one of its factors."
        )
    entries = sp.coo_array(block.factors[0])
    n_taken = round(share * entries.nnz)
    if not 0 < n_taken < entries.nnz:
        raise InputError(
            f"relation is too small to withhold from: got {entries.nnz} entries in {block.name!r} and share={share:g}, "
            "expected at least one entry to keep and one to withhold."
        )
    taken = _drawn(entries, n_taken, block.row_type == block.column_type, as_rng(random_state))
    known, withheld = _part(entries, ~taken), _part(entries, taken)
    blocks = tuple(_without(other, block, known) for other in relations.blocks)
    return HeldOut(Relations(relations.types, blocks), block.name, known, withheld)


def _drawn(entries: sp.coo_array, n_taken: int, within: bool, rng: np.random.Generator) -> BoolArray:
    """Draw entries; within one type, (i, j) and (j, i) are the same entry and are drawn together."""
    row, column = entries.coords
    if not within:
        taken = np.zeros(entries.nnz, dtype=bool)
        taken[rng.choice(entries.nnz, n_taken, replace=False)] = True
        return taken
    pair = np.minimum(row, column).astype(np.int64) * entries.shape[0] + np.maximum(row, column)
    pairs, which = np.unique(pair, return_inverse=True)
    drawn = np.zeros(len(pairs), dtype=bool)
    drawn[rng.choice(len(pairs), max(1, round(n_taken * len(pairs) / entries.nnz)), replace=False)] = True
    return np.asarray(drawn[which])


def _part(entries: sp.coo_array, chosen: BoolArray) -> sp.csr_array:
    row, column = (axis[chosen] for axis in entries.coords)
    return sp.csr_array((entries.data[chosen], (row, column)), shape=entries.shape)


def _without(other: Block, block: Block, known: sp.csr_array) -> Block:
    """Replace a relation by what is left of it, also in products, where it may be transposed."""
    matrix, factors = block.factors[0], list(other.factors)
    for place, factor in enumerate(other.factors):
        ends = other.path[place : place + 2]
        if ends == block.path and _equal(factor, matrix):
            factors[place] = known
        elif ends == block.path[::-1] and _equal(factor, matrix.T):
            factors[place] = sp.csr_array(known.T)
    is_same = all(now is before for now, before in zip(factors, other.factors, strict=True))
    return other if is_same else replace(other, factors=tuple(factors))


def _equal(one: Any, other: Any) -> bool:
    return one is other or (one.shape == other.shape and one.nnz == other.nnz and not (one != other).nnz)
