"""Finds a relation by what people call it: its name, its pair of types, or its number."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tacit.checks import check_choice, shown
from tacit.errors import InputError
from tacit.relations.labels.forms import Names
from tacit.relations.tables.block import Block

__all__ = ["Key", "check_fits", "find_block", "free_name", "meeting"]

Key = Any  # a name, a pair of types, a number, or the block itself


def find_block(blocks: Sequence[Block], key: Key) -> Block:
    """Give the relation of this name, pair of types (in either order) or number."""
    if isinstance(key, Block):
        key = key.name  # it may have another weight by now
    if isinstance(key, tuple) and len(key) == 2:
        return _between(blocks, key)
    if isinstance(key, int) and -len(blocks) <= key < len(blocks):
        return blocks[key]
    named = {block.name: block for block in blocks}
    return named[check_choice("relation", key, named)]


def free_name(blocks: Sequence[Block], row_type: str, column_type: str, name: str | None) -> str:
    """Give the name of a new relation; raise if it is taken, or if a second one of two types brings no name."""
    for argument, kind in (("row_type", row_type), ("column_type", column_type)):
        if not isinstance(kind, str) or not kind:
            raise InputError(f"{argument} is not a name: got {kind!r}, expected a string that is not empty.")
    there = [block.name for block in blocks if block.joins(row_type, column_type)]
    if name is None and there:
        raise InputError(
            f"relation is there already: got a second one of {row_type!r} and {column_type!r} beside {shown(there)}, "
            "expected one a pair of types. Give it a name if both should count."
        )
    label = f"{row_type}-{column_type}" if name is None else name
    if label in [block.name for block in blocks]:
        raise InputError(f"name is taken: got {label!r}, expected a name that no other relation has. Give another.")
    return label


def meeting(blocks: Sequence[Block], first: Key, second: Key) -> tuple[Block, Block]:
    """Give two relations, turned so that the columns of the first are the rows of the second.

    A pair of types says which way round it is meant; a name leaves it open.
    """
    left, right = find_block(blocks, first), find_block(blocks, second)
    for turn_left in _ways(left, first):
        for turn_right in _ways(right, second):
            if (left.row_type if turn_left else left.column_type) == (
                right.column_type if turn_right else right.row_type
            ):
                return left.turned() if turn_left else left, right.turned() if turn_right else right
    raise InputError(
        f"second does not meet first: got {first!r} and {second!r}, expected the columns of the one to be the rows of "
        "the other. Name a relation that starts where the first one ends."
    )


def check_fits(block: Block, types: Mapping[str, Names]) -> None:
    """Raise unless the types of a relation are there and have as many objects as it has rows and columns."""
    for step, factor in enumerate(block.factors):
        for kind, size in zip(block.path[step : step + 2], factor.shape, strict=True):
            if kind is not None and size != len(types.get(kind, ())):
                raise InputError(
                    f"blocks does not match types: got {size} objects of type {kind!r} in {block.name!r}, "
                    f"expected {len(types.get(kind, ()))}. Start with Relations() and add."
                )


def _between(blocks: Sequence[Block], pair: tuple[Any, Any]) -> Block:
    found = [block for block in blocks if block.joins(*pair)]
    if not found:
        pairs = ", ".join(_types_of(block) for block in blocks) or "none yet"
        raise InputError(f"relation is unknown: got {pair!r}, expected one of {pairs}.")
    if len(found) > 1:
        names = shown(block.name for block in found)
        raise InputError(f"relation is ambiguous: got {pair!r}, which are {names}, expected one. Give its name.")
    return found[0]


def _ways(block: Block, key: Key) -> tuple[bool, ...]:
    """Say whether the relation may be turned round, the likelier way first."""
    if not isinstance(key, tuple):
        return (False, True)
    return ((block.row_type, block.column_type) != key,)


def _types_of(block: Block) -> str:
    return f"({block.row_type!r}, {block.column_type!r})"
