"""Says what a graph of relations holds, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from tacit.checks import shown
from tacit.relations.labels.forms import Names
from tacit.relations.tables.block import Block
from tacit.relations.tables.scaling import reached_columns, reached_rows

__all__ = ["complaint", "described", "unrelated_types"]


def described(types: Mapping[str, Names], blocks: Sequence[Block]) -> str:
    """Give one line on the whole, one a type and one a relation."""
    n_objects = sum(map(len, types.values()))
    lines = [f"{_counted(len(types), 'type')}, {_counted(n_objects, 'object')}, {_counted(len(blocks), 'relation')}"]
    for kind, names in types.items():
        alone = int(np.count_nonzero(~_related(kind, len(names), blocks)))
        note = f", {alone:,} of them related to nothing" if 0 < alone < len(names) else ""
        note = ", related to nothing" if names and alone == len(names) else note
        lines.append(f"type {kind}: {_counted(len(names), 'object')}{note}")
    return "\n".join([*lines, *map(_line, blocks)])


def complaint(types: Mapping[str, Names], blocks: Sequence[Block]) -> str | None:
    """Say in one sentence why nothing can be learned from the graph, or None."""
    if not blocks:
        return "relations is empty: got no relation, expected at least one. Add one with Relations.add."
    alone = unrelated_types(types, blocks)
    if alone:
        return (
            f"relations has a type that nothing is related to: got {shown(alone)}, expected a relation for each type. "
            "Leave it out with Relations.without."
        )
    empty = [block.name for block in blocks if block.is_empty]
    if empty:
        return (
            f"relations has an empty relation: got no entry in {shown(empty)}, expected at least one. "
            "Keep more objects in Relations.restrict."
        )
    if not any(block.weight for block in blocks):
        return "relations has no weight: got 0 for every relation, expected at least one above 0."
    return None


def unrelated_types(types: Mapping[str, Names], blocks: Sequence[Block]) -> list[str]:
    """Give the types that are neither rows nor columns of any relation."""
    used = {kind for block in blocks for kind in (block.row_type, block.column_type)}
    return [kind for kind in types if kind not in used]


def _related(kind: str, n_objects: int, blocks: Sequence[Block]) -> npt.NDArray[np.bool_]:
    """Tell which objects of a type have any entry in any relation."""
    related = np.zeros(n_objects, dtype=bool)
    for block in blocks:
        if block.row_type == kind:
            related |= reached_rows(block.factors)
        if block.column_type == kind:
            related |= reached_columns(block.factors)
    return related


def _line(block: Block) -> str:
    size = f"{block.shape[0]:,} x {block.shape[1]:,}"
    if block.is_product:
        through = ", ".join(repr(kind) if kind else "what was left out" for kind in block.path[1:-1])
        entries = f"product through {through}"
    else:
        entries = _counted(block.factors[0].nnz, "entry", "entries")
    return f"relation {block.name}: {size}, {entries}, weight {block.weight:g}, normalise {block.normalise}"


def _counted(n: int, noun: str, plural: str = "") -> str:
    return f"{n:,} {noun if n == 1 else plural or noun + 's'}"
