"""Objects of several types and the relations between them: users, items, words, authors, subjects, in one graph.

[Wang2006], section 3: a multiple-type graph has a set of objects X_i for each type, and for each pair of types that are
related a matrix M_ij with a weight α_ij. Here these are `types`, and `blocks` with their `factors` and `weight`.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from tacit.checks import check_choice, check_number, is_outside_memory, shown
from tacit.errors import InputError
from tacit.relations.labels.forms import Names
from tacit.relations.tables.block import Block
from tacit.relations.tables.columns import read_field, read_pairs, read_record_labels, read_words, record_ids
from tacit.relations.tables.reading import object_names, place_relation, places_of, read_relation
from tacit.relations.tables.rows_outside_memory import check_normalise, refuse
from tacit.relations.tables.scaling import NORMALISATIONS, Factors, is_symmetric, reached_columns, reached_rows
from tacit.types import BoolArray

__all__ = [
    "Key",
    "Relations",
    "check_fits",
    "complaint",
    "described",
    "find_block",
    "free_name",
    "meeting",
    "unrelated_types",
]


@dataclass(frozen=True, eq=False, repr=False)
class Relations:
    """A graph of several types of objects; every method that adds or changes gives a new one.

    Start with `Relations()` and add. A relation is called by its name or by its pair of types. All objects together
    have one order: type by type as the types came, and within a type as its objects came.

    Attributes
    ----------
    types : dict of str to tuple
        The names of the objects of each type, in order.
    blocks : tuple of Block
        The relations, in the order they were added.

    Examples
    --------
    >>> ratings = [[5, 0], [4, 3]]
    >>> graph = Relations().add("user", "film", ratings, rows=["Ann", "Bob"], columns=["Alien", "Heat"])
    >>> graph = graph.add("film", "word", [[1], [1]], rows=["Heat", "Alien"], columns=["space"])
    >>> graph = graph.add_product("user-film", "film-word", normalise="tfidf", weight=0.5)
    >>> graph
    Relations(2 user, 2 film, 1 word; user-film, film-word, user-word)
    >>> graph.index("film", "Heat"), graph.offsets["film"]
    (1, 2)
    """

    types: dict[str, Names] = field(default_factory=dict)
    blocks: tuple[Block, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "types", dict(self.types))
        for block in self.blocks:
            check_fits(block, self.types)

    def add(
        self,
        row_type: str,
        column_type: str,
        matrix: Any,
        *,
        rows: Iterable[Hashable] | None = None,
        columns: Iterable[Hashable] | None = None,
        weight: float = 1.0,
        normalise: str = "none",
        name: str | None = None,
        symmetrise: bool = False,
    ) -> Relations:
        """Add a relation between two types, or within one.

        Parameters
        ----------
        row_type, column_type : str
            The types of the rows and of the columns; new ones are made.
        matrix : sparse or dense matrix, data frame, LabelMatrix, or rows on disk or on a cluster
            How strongly each row is related to each column. A data frame brings both names, a `LabelMatrix` those of
            its columns. float32 is kept, all else becomes float64. What `open_rows` or `cluster_rows` gives stays
            where it is, and has to be in the order of its types.
        rows, columns : iterable of hashable, optional
            Names of the rows and columns. Objects that the type has are found by name, whatever their order; new ones
            are added to its end. Without names: all objects of the type in their order, or 0, 1, 2 ... for a new type.
        weight : float >= 0, default 1.0
            α of the relation.
        normalise : {"none", "tfidf", "frobenius", "spectral"}, default "none"
            What is weighted: the matrix as it is; with each column times ln((1 + n_rows) / (1 + rows that have it)) + 1
            and then rows of unit length; divided by the root of its sum of squares; divided by its largest singular
            value. It is computed for the objects that the graph has in the end, so anew after `restrict`.
        name : str, optional
            What to call the relation, "user-item" unless given; needed for a second one between the same types.
        symmetrise : bool, default False
            Within one type: take (M + Mᵀ) / 2; without this a matrix that is not symmetric is refused.
        """
        label = free_name(self.blocks, row_type, column_type, name)
        given = read_relation(matrix, rows, columns)
        types, placed = place_relation(self.types, row_type, column_type, given)
        if symmetrise:
            _check_within(row_type, column_type)
            if is_outside_memory(placed):
                raise refuse(label, "symmetrised", "Write it symmetric.")
            placed = sp.csr_array((placed + placed.T) / 2)
        return self._with(Block((row_type, column_type), (placed,), label, weight, normalise), types)

    def add_table(
        self,
        table: str | Path | Any,
        row_type: str,
        column_type: str,
        *,
        row: str | None = None,
        column: str | None = None,
        value: str | None = None,
        separator: str | None = None,
        weight: float = 1.0,
        normalise: str = "none",
        name: str | None = None,
        symmetrise: bool = False,
    ) -> Relations:
        """Add a relation from a table with one pair of objects a line.

        Parameters
        ----------
        table : path, data frame, Arrow table or mapping of str to sequences
            A CSV or TSV file with a header, in UTF-8, also gzipped, whose names are all texts ("7" is not 7); a Parquet
            file or a folder of them (`pip install "tacit[parquet]"`), whose names keep their type; or columns by name.
        row_type, column_type, weight, normalise, name, symmetrise
            As for `add`.
        row, column : str, optional
            The columns that hold the names of the objects; those called as the types unless given.
        value : str, optional
            The column that says how strongly they are related; 1 a line unless given. Lines of one pair are summed.
        separator : str, optional
            What stands between the cells, for files that end otherwise than in .csv, .tsv or .tab.
        """
        pairs = read_pairs(table, row or row_type, column or column_type, value, separator)
        settings: dict[str, Any] = {"weight": weight, "normalise": normalise, "name": name, "symmetrise": symmetrise}
        return self.add(row_type, column_type, pairs.matrix, rows=pairs.rows, columns=pairs.columns, **settings)

    def add_records(
        self,
        records: Iterable[Any],
        *,
        type: str = "record",
        words: str | None = "word",
        vectoriser: Any = None,
        labels: str | None = "label",
        fields: Mapping[str, str] | None = None,
        normalise: str = "none",
    ) -> Relations:
        """Add records with their words, their labels, and what else their fields say.

        Parameters
        ----------
        records : iterable of Record
            Each is an object of its `id`. Mappings with the same keys will do.
        type : str, default "record"
            The type of the records.
        words, labels : str or None, default "word" and "label"
            The types of the words of the texts and of the labels; None leaves them out, and so does a collection
            without labels.
        vectoriser : optional
            What makes words of texts, with scikit-learn's methods; `tacit.text.vectoriser()` unless given. One that is
            fitted is used as it is, else it is fitted here.
        fields : mapping of str to str, optional
            Further types, and the field or link of the records that holds their objects: one name, or several in a
            list; `{"author": "authors", "subject": "subject"}`.
        normalise : {"none", "tfidf", "frobenius", "spectral"}, default "none"
            As for `add`, for each of these relations. Words come with the weights of the vectoriser already.
        """
        listed = list(records)
        ids = record_ids(listed)
        graph = self
        if words is not None:
            matrix, terms = read_words(listed, vectoriser)
            graph = graph.add(type, words, matrix, rows=ids, columns=terms, normalise=normalise)
        for kind, source in (fields or {}).items():
            pairs = read_field(listed, source)
            graph = graph.add(type, kind, pairs.matrix, rows=ids, columns=pairs.columns, normalise=normalise)
        if labels is not None:
            pairs = read_record_labels(listed)
            if pairs.matrix.nnz:
                graph = graph.add(type, labels, pairs.matrix, rows=ids, columns=pairs.columns, normalise=normalise)
        return graph

    def add_product(
        self, first: Key, second: Key, *, name: str | None = None, weight: float = 1.0, normalise: str = "none"
    ) -> Relations:
        """Add the relation that leads through a common type: user-word as user-item times item-word.

        It is kept as two matrices, and multiplied out neither here nor when it is normalised or used.

        Parameters
        ----------
        first, second : str or pair of str
            Two relations, by name or pair of types, that meet in a type. A pair says which way round:
            `("label", "record")` is turned if it was added as record-label. Taken as given, without weights.
        name, weight, normalise
            As for `add`.
        """
        left, right = meeting(self.blocks, first, second)
        label = free_name(self.blocks, left.row_type, right.column_type, name)
        block = Block((*left.path, *right.path[1:]), (*left.factors, *right.factors), label, weight, normalise)
        return self._with(block, self.types)

    def with_weights(self, weights: Mapping[Key, float]) -> Relations:
        """Give the same graph with other weights for the relations named here; the others keep theirs."""
        changed = {
            find_block(self.blocks, key).name: check_number(f"weights[{key!r}]", weight)
            for key, weight in weights.items()
        }
        blocks = (block.weighted(changed.get(block.name, block.weight)) for block in self.blocks)
        return replace(self, blocks=tuple(blocks))

    def without(self, type: str) -> Relations:
        """Leave a type out, with all its relations; a product that leads through it stays as it is."""
        self._check_type(type)
        types = {kind: names for kind, names in self.types.items() if kind != type}
        kept = (block for block in self.blocks if type not in (block.row_type, block.column_type))
        forgotten = (
            replace(block, path=tuple(None if kind == type else kind for kind in block.path)) for block in kept
        )
        return Relations(types, tuple(forgotten))

    def restrict(self, objects: Mapping[str, Iterable[Hashable]]) -> Relations:
        """Keep these objects of the types named here, in this order; a product leads through the kept ones only."""
        types, places = dict(self.types), {}
        for kind, names in objects.items():
            wanted = object_names(f"objects[{kind!r}]", names)
            if not wanted:
                raise InputError(
                    f"objects[{kind!r}] is empty: got no name, expected at least one. "
                    "Use Relations.without to leave a type out."
                )
            places[kind] = places_of(kind, wanted, self._places(kind))
            types[kind] = wanted
        return Relations(types, tuple(block.chosen(places) for block in self.blocks))

    @property
    def sizes(self) -> dict[str, int]:
        """How many objects each type has."""
        return {kind: len(names) for kind, names in self.types.items()}

    @property
    def n_objects(self) -> int:
        """How many objects there are in all."""
        return sum(self.sizes.values())

    @property
    def offsets(self) -> dict[str, int]:
        """Where each type starts in the order of all objects."""
        return dict(zip(self.types, accumulate(self.sizes.values(), initial=0), strict=False))

    def type_slice(self, type: str) -> slice:
        """Give the places of a type in the order of all objects."""
        self._check_type(type)
        start = self.offsets[type]
        return slice(start, start + len(self.types[type]))

    def index(self, type: str, name: Hashable) -> int:
        """Give the place of an object within its type."""
        return int(places_of(type, object_names("name", [name]), self._places(type))[0])

    def block(self, relation: Key) -> Block:
        """Give a relation by its name, its pair of types in either order, or its number."""
        return find_block(self.blocks, relation)

    def factors(self, relation: Key) -> tuple[float, Factors]:
        """Give a scale and matrices whose product, times the scale, is α M of a relation, normalised and weighted."""
        block = self.block(relation)
        scale, factors = block.normalised
        return block.weight * scale, factors

    def check(self) -> None:
        """Raise if nothing can be learned from the graph, or if a type or a relation in it is empty."""
        wrong = complaint(self.types, self.blocks)
        if wrong:
            raise InputError(wrong)

    def summary(self) -> str:
        """Say what there is: a line on the whole, one a type, one a relation."""
        return described(self.types, self.blocks)

    def __repr__(self) -> str:
        objects = ", ".join(f"{size:,} {kind}" for kind, size in self.sizes.items())
        names = ", ".join(block.name for block in self.blocks)
        return f"Relations({objects}; {names})" if self.types else "Relations()"

    def _with(self, block: Block, types: dict[str, Names]) -> Relations:
        """Add a block that is in the order of `types`, in which some may have grown."""
        checked = replace(block, weight=check_number("weight", block.weight))
        check_normalise(block.factors, check_choice("normalise", block.normalise, NORMALISATIONS))
        if block.is_empty:
            raise InputError(f"relation {block.name!r} is empty: got no entry other than 0, expected at least one.")
        if block.row_type == block.column_type:
            _check_own(block)
        sizes = {kind: len(names) for kind, names in types.items()}
        return Relations(types, (*(old.grown(sizes) for old in self.blocks), checked))

    def _check_type(self, type: str) -> None:
        check_choice("type", type, self.types)

    @cached_property
    def _known_places(self) -> dict[str, dict[Hashable, int]]:
        return {}

    def _places(self, kind: str) -> dict[Hashable, int]:
        """Give the place of each object by name; made when first asked for, since building a graph needs none."""
        self._check_type(kind)
        if kind not in self._known_places:
            self._known_places[kind] = {name: place for place, name in enumerate(self.types[kind])}
        return self._known_places[kind]


def _check_within(row_type: str, column_type: str) -> None:
    if row_type != column_type:
        raise InputError(
            f"symmetrise does not apply: got {row_type!r} and {column_type!r}, expected a relation within one type. "
            "Leave it out."
        )


def _check_own(block: Block) -> None:
    """Raise unless a relation within one type is symmetric, and stays so."""
    if block.normalise == "tfidf":
        raise InputError(
            f"normalise does not suit a relation within type {block.row_type!r}: got 'tfidf', which treats rows and "
            "columns differently, expected 'none', 'frobenius' or 'spectral'."
        )
    if not is_symmetric(block.factors):
        raise InputError(
            f"relation {block.name!r} within one type is not symmetric: got a matrix that differs from its transpose, "
            "expected M = Mᵀ. Add it with symmetrise=True to take (M + Mᵀ) / 2."
        )


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


def _related(kind: str, n_objects: int, blocks: Sequence[Block]) -> BoolArray:
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
