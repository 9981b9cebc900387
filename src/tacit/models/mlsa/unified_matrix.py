"""The unified matrix R of M-LSA by the products of its relations, see `tacit.models.mlsa.mlsa`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from tacit.checks import is_outside_memory
from tacit.operators import Operator, Product, Scaled, SymmetricBlocks, as_operator
from tacit.relations.tables.block import Block
from tacit.relations.tables.relations import Relations

__all__ = ["stored_bytes", "unified_matrix"]


def unified_matrix(graph: Relations) -> SymmetricBlocks:
    """Return R from all relations with a weight; rows outside memory that several relations use are read once."""
    kinds = list(graph.types)
    used = [block for block in graph.blocks if block.weight > 0]
    shared = [group for group in _groups(used) if len(group) > 1]
    alone = [block for block in used if not any(block in group for group in shared)]
    blocks: list[tuple[int | None, int, Any]] = [
        (kinds.index(block.row_type), kinds.index(block.column_type), _operator(block)) for block in alone
    ]
    blocks += [(None, kinds.index(group[0].column_type), _together(graph, group)) for group in shared]
    dtype = np.result_type(*(factor.dtype for block in used for factor in block.factors))
    return SymmetricBlocks(list(graph.sizes.values()), blocks, dtype)


def stored_bytes(graph: Relations) -> int:
    """Return the bytes of the relations in memory."""
    factors = {
        id(factor): factor for block in graph.blocks for factor in block.factors if not is_outside_memory(factor)
    }
    return sum(as_operator(factor).n_bytes for factor in factors.values())


def _groups(blocks: Sequence[Block]) -> list[list[Block]]:
    """Group relations that end in the same rows outside memory.

    Column weights would need a product of their own, and longer products would have to be multiplied out.
    """
    groups: dict[int, list[Block]] = {}
    for block in blocks:
        is_short = len(block.factors) <= 2 and block.row_type != block.column_type
        if is_short and is_outside_memory(block.factors[-1]) and block.scaling.rarity is None:
            groups.setdefault(id(block.factors[-1]), []).append(block)
    return list(groups.values())


def _together(graph: Relations, group: Sequence[Block]) -> Operator:
    """Return Σ α L X of several relations that end in X: L has one row per object of the graph."""
    X = group[0].factors[-1]
    left = sp.csr_array((graph.n_objects, X.shape[0]), dtype=X.dtype)
    for block in group:
        own = block.factors[0] if block.is_product else sp.eye_array(X.shape[0], dtype=X.dtype, format="csr")
        place = graph.type_slice(block.row_type)
        rows = sp.csr_array((place.start, X.shape[0]), dtype=X.dtype)
        below = sp.csr_array((graph.n_objects - place.stop, X.shape[0]), dtype=X.dtype)
        left = left + (block.weight * block.scaling.factor) * sp.vstack([rows, own, below], format="csr")
    return Product(sp.csr_array(left, dtype=X.dtype), X)


def _operator(block: Block) -> Operator:
    """Return a relation as a weighted operator; a product of several matrices is never multiplied out."""
    scaling, scale = block.scaling, block.weight * block.scaling.factor
    if block.is_outside_memory and scaling.rarity is not None and scaling.inverse_lengths is not None:
        # entries outside memory cannot be weighted, but the vectors on both sides can
        return Scaled(_product(block.factors), rows=scale * scaling.inverse_lengths, columns=scaling.rarity)
    product = _product(block.normalised[1])
    return product if scale == 1 else Scaled(product, columns=scale)


def _product(factors: Sequence[Any]) -> Operator:
    product = as_operator(factors[-1])
    for factor in reversed(factors[:-1]):
        product = Product(factor, product)
    return product
