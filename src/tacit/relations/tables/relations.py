"""Objects of several types and the relations between them: users, items, words, authors, subjects, in one graph.

[Wang2006], section 3: a multiple-type graph has a set of objects X_i for each type, and a matrix M_ij with a weight
α_ij for each pair of related types. Here these are `types`, and `blocks` with their `factors` and `weight`.
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

from tacit.checks import check_choice, check_number, counted, is_outside_memory, shown
from tacit.errors import InputError
from tacit.relations.labels.reading import Names
from tacit.relations.tables.block import Block
from tacit.relations.tables.columns import read_field, read_pairs, read_record_labels, read_words, record_ids
from tacit.relations.tables.reading import object_names, place_relation, places_of, read_relation
from tacit.relations.tables.rows_outside_memory import check_normalise, refuse
from tacit.relations.tables.scaling import NORMALISATIONS, Factors, is_symmetric, reached_columns, reached_rows
from tacit.types import BoolArray

__all__ = ["Relations"]


@dataclass(frozen=True, eq=False, repr=False)
class Relations:
    """A graph of several types of objects; every method that adds or changes returns a new one.

    Start with `Relations()` and add. A relation is identified by its name or by its pair of types. All objects together
    have one order: by type, in the order in which the types were added, and within a type in the order of its objects.

    Attributes
    ----------
    types : dict of str to tuple
        The names of the objects of each type, in order.
    blocks : tuple of Block
        The relations, in the order in which they were added.

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
            for step, factor in enumerate(block.factors):
                for kind, size in zip(block.path[step : step + 2], factor.shape, strict=True):
                    if kind is not None and size != len(self.types.get(kind, ())):
                        raise InputError(
                            f"blocks does not match types: got {size} objects of type {kind!r} in {block.name!r}, "
                            f"expected {len(self.types.get(kind, ()))}. Start with Relations() and add."
                        )

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
            The types of the rows and of the columns; unknown types are added.
        matrix : sparse or dense matrix, data frame, LabelMatrix, or rows on disk or on a cluster
            The strength of the relation of each row to each column. A data frame has the names of both, a
            `LabelMatrix` those of its columns. float32 is kept, everything else becomes float64. Rows of `open_rows`
            or `cluster_rows` stay outside memory, and must be in the order of their types.
        rows, columns : iterable of hashable, optional
            Names of the rows and columns. Known objects of the type are found by name, in any order; new ones are
            appended. Without names: all objects of the type in their order, or 0, 1, 2 ... for a new type.
        weight : float >= 0, default 1.0
            α of the relation.
        normalise : {"none", "tfidf", "frobenius", "spectral"}, default "none"
            Scaling before weighting: none; each column times ln((1 + n_rows) / (1 + rows with an entry)) + 1 and then
            rows of unit length; divided by the root of the sum of squares; divided by the largest singular value. It is
            computed for the objects that the graph has in the end, so again after `restrict`.
        name : str, optional
            Name of the relation, default "user-item" for these types; required for a second one of the same types.
        symmetrise : bool, default False
            Within one type: use (M + Mᵀ) / 2; otherwise a matrix that is not symmetric is an error.
        """
        label = _free_name(self.blocks, row_type, column_type, name)
        given = read_relation(matrix, rows, columns)
        types, placed = place_relation(self.types, row_type, column_type, given)
        if symmetrise:
            if row_type != column_type:
                raise InputError(
                    f"symmetrise does not apply: got {row_type!r} and {column_type!r}, expected a relation within one "
                    "type. Leave it out."
                )
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
        """Add a relation from a table with one pair of objects per line.

        Parameters
        ----------
        table : path, data frame, Arrow table or mapping of str to sequences
            A CSV or TSV file with a header, in UTF-8, optionally gzipped, whose names are all texts ("7" is not 7); a
            Parquet file or folder (`pip install "tacit[parquet]"`), whose names keep their type; or columns by name.
        row_type, column_type, weight, normalise, name, symmetrise
            As for `add`.
        row, column : str, optional
            The columns with the names of the objects, default those with the names of the types.
        value : str, optional
            The column with the strength of the relation, default 1 per line. Lines of the same pair are summed.
        separator : str, optional
            Separator between cells, for files with another suffix than .csv, .tsv or .tab.
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
        """Add records with their words, their labels and values of their fields.

        Parameters
        ----------
        records : iterable of Record
            Each is an object named by its `id`. Mappings with the same keys are accepted.
        type : str, default "record"
            The type of the records.
        words, labels : str or None, default "word" and "label"
            The types of the words of the texts and of the labels; None leaves them out. Labels are also left out if no
            record has any.
        vectoriser : optional
            A vectoriser of texts as in scikit-learn, default `tacit.text.vectoriser()`. It is fitted here unless it is
            already fitted.
        fields : mapping of str to str, optional
            Further types, and the field or link of the records that holds their objects, one name or a list of names:
            `{"author": "authors", "subject": "subject"}`.
        normalise : {"none", "tfidf", "frobenius", "spectral"}, default "none"
            As for `add`, for each of these relations. Words already have the weights of the vectoriser.
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
        """Add the relation through a common type: user-word as user-item times item-word.

        It is stored as two matrices; the product is never formed, not even to normalise it.

        Parameters
        ----------
        first, second : str or pair of str
            Two relations with a common type, by name or pair of types. A pair determines the direction:
            `("label", "record")` is transposed if it was added as record-label. Used without their weights.
        name, weight, normalise
            As for `add`.
        """
        left, right = _meeting(self.blocks, first, second)
        label = _free_name(self.blocks, left.row_type, right.column_type, name)
        block = Block((*left.path, *right.path[1:]), (*left.factors, *right.factors), label, weight, normalise)
        return self._with(block, self.types)

    def with_weights(self, weights: Mapping[Key, float]) -> Relations:
        """Return the graph with other weights for these relations."""
        changed = {
            _find_block(self.blocks, key).name: check_number(f"weights[{key!r}]", weight)
            for key, weight in weights.items()
        }
        blocks = (block.weighted(changed.get(block.name, block.weight)) for block in self.blocks)
        return replace(self, blocks=tuple(blocks))

    def without(self, type: str) -> Relations:
        """Return the graph without a type and its relations; products through it stay as they are."""
        self._check_type(type)
        types = {kind: names for kind, names in self.types.items() if kind != type}
        kept = (block for block in self.blocks if type not in (block.row_type, block.column_type))
        forgotten = (
            replace(block, path=tuple(None if kind == type else kind for kind in block.path)) for block in kept
        )
        return Relations(types, tuple(forgotten))

    def restrict(self, objects: Mapping[str, Iterable[Hashable]]) -> Relations:
        """Return the graph with only these objects of these types, in this order; products use only these objects."""
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
        """Number of objects of each type."""
        return {kind: len(names) for kind, names in self.types.items()}

    @property
    def n_objects(self) -> int:
        """Total number of objects."""
        return sum(self.sizes.values())

    @property
    def offsets(self) -> dict[str, int]:
        """Position of the first object of each type in the order of all objects."""
        return dict(zip(self.types, accumulate(self.sizes.values(), initial=0), strict=False))

    def type_slice(self, type: str) -> slice:
        """Return the positions of a type in the order of all objects."""
        self._check_type(type)
        start = self.offsets[type]
        return slice(start, start + len(self.types[type]))

    def index(self, type: str, name: Hashable) -> int:
        """Return the position of an object within its type."""
        return int(places_of(type, object_names("name", [name]), self._places(type))[0])

    def block(self, relation: Key) -> Block:
        """Return a relation by its name, its pair of types in either order, or its number."""
        return _find_block(self.blocks, relation)

    def factors(self, relation: Key) -> tuple[float, Factors]:
        """Return a scale and matrices whose product, times the scale, is α M of a relation, normalised and weighted."""
        block = self.block(relation)
        scale, factors = block.normalised
        return block.weight * scale, factors

    def check(self) -> None:
        """Raise if nothing can be learned from the graph, or if a type or a relation is empty."""
        if not self.blocks:
            raise InputError("relations is empty: got no relation, expected at least one. Add one with Relations.add.")
        used = {kind for block in self.blocks for kind in (block.row_type, block.column_type)}
        alone = [kind for kind in self.types if kind not in used]
        if alone:
            raise InputError(
                f"relations has a type without relations: got {shown(alone)}, expected a relation for each type. "
                "Leave it out with Relations.without."
            )
        empty = [block.name for block in self.blocks if block.is_empty]
        if empty:
            raise InputError(
                f"relations has an empty relation: got no entry in {shown(empty)}, expected at least one. "
                "Keep more objects in Relations.restrict."
            )
        if not any(block.weight for block in self.blocks):
            raise InputError("relations has no weight: got 0 for every relation, expected at least one above 0.")

    def summary(self) -> str:
        """Return a description: a line for the whole graph, one per type, one per relation."""
        sizes = f"{counted(len(self.types), 'type')}, {counted(self.n_objects, 'object')}"
        lines = [f"{sizes}, {counted(len(self.blocks), 'relation')}"]
        for kind, names in self.types.items():
            alone = int(np.count_nonzero(~_related(kind, len(names), self.blocks)))
            note = f", {alone:,} of them without relations" if 0 < alone < len(names) else ""
            note = ", without relations" if names and alone == len(names) else note
            lines.append(f"type {kind}: {counted(len(names), 'object')}{note}")
        return "\n".join([*lines, *map(_line, self.blocks)])

    def __repr__(self) -> str:
        objects = ", ".join(f"{size:,} {kind}" for kind, size in self.sizes.items())
        names = ", ".join(block.name for block in self.blocks)
        return f"Relations({objects}; {names})" if self.types else "Relations()"

    def _with(self, block: Block, types: dict[str, Names]) -> Relations:
        """Add a block that is in the order of `types`, which may have new objects."""
        checked = replace(block, weight=check_number("weight", block.weight))
        check_normalise(block.factors, check_choice("normalise", block.normalise, NORMALISATIONS))
        if block.is_empty:
            raise InputError(f"relation {block.name!r} is empty: got no entry other than 0, expected at least one.")
        if block.row_type == block.column_type and block.normalise == "tfidf":
            raise InputError(
                f"normalise does not suit a relation within type {block.row_type!r}: got 'tfidf', which treats rows "
                "and columns differently, expected 'none', 'frobenius' or 'spectral'."
            )
        if block.row_type == block.column_type and not is_symmetric(block.factors):
            raise InputError(
                f"relation {block.name!r} within one type is not symmetric: got a matrix that differs from its "
                "transpose, expected M = Mᵀ. Add it with symmetrise=True to take (M + Mᵀ) / 2."
            )
        sizes = {kind: len(names) for kind, names in types.items()}
        return Relations(types, (*(old.grown(sizes) for old in self.blocks), checked))

    def _check_type(self, type: str) -> None:
        check_choice("type", type, self.types)

    @cached_property
    def _known_places(self) -> dict[str, dict[Hashable, int]]:
        return {}

    def _places(self, kind: str) -> dict[Hashable, int]:
        """Return the position of each object by name; made on first use, since building a graph does not need it."""
        self._check_type(kind)
        if kind not in self._known_places:
            self._known_places[kind] = {name: place for place, name in enumerate(self.types[kind])}
        return self._known_places[kind]


Key = Any  # a name, a pair of types, a number, or the block itself


def _find_block(blocks: Sequence[Block], key: Key) -> Block:
    """Return the relation of this name, pair of types (in either order) or number."""
    if isinstance(key, Block):
        key = key.name  # its weight may have changed
    if isinstance(key, tuple) and len(key) == 2:
        found = [block for block in blocks if block.joins(*key)]
        if not found:
            pairs = ", ".join(f"({block.row_type!r}, {block.column_type!r})" for block in blocks) or "none yet"
            raise InputError(f"relation is unknown: got {key!r}, expected one of {pairs}.")
        if len(found) > 1:
            names = shown(block.name for block in found)
            raise InputError(f"relation is ambiguous: got {key!r}, which are {names}, expected one. Use its name.")
        return found[0]
    if isinstance(key, int) and -len(blocks) <= key < len(blocks):
        return blocks[key]
    named = {block.name: block for block in blocks}
    return named[check_choice("relation", key, named)]


def _free_name(blocks: Sequence[Block], row_type: str, column_type: str, name: str | None) -> str:
    """Return the name of a new relation; raise if it is taken, or if a second one of two types has no name."""
    for argument, kind in (("row_type", row_type), ("column_type", column_type)):
        if not isinstance(kind, str) or not kind:
            raise InputError(f"{argument} is not a name: got {kind!r}, expected a non-empty string.")
    there = [block.name for block in blocks if block.joins(row_type, column_type)]
    if name is None and there:
        raise InputError(
            f"relation exists already: got a second one of {row_type!r} and {column_type!r} besides {shown(there)}, "
            "expected one per pair of types. Pass a name to keep both."
        )
    label = f"{row_type}-{column_type}" if name is None else name
    if label in [block.name for block in blocks]:
        raise InputError(f"name is taken: got {label!r}, expected a name that no other relation has.")
    return label


def _meeting(blocks: Sequence[Block], first: Key, second: Key) -> tuple[Block, Block]:
    """Return two relations, transposed if needed so that the columns of the first are the rows of the second."""
    left, right = _find_block(blocks, first), _find_block(blocks, second)
    for turn_left in _ways(left, first):
        for turn_right in _ways(right, second):
            if (left.row_type if turn_left else left.column_type) == (
                right.column_type if turn_right else right.row_type
            ):
                return left.turned() if turn_left else left, right.turned() if turn_right else right
    raise InputError(
        f"second does not match first: got {first!r} and {second!r}, expected the columns of the first to be the "
        "rows of the second. Pass a relation that shares a type with the first."
    )


def _ways(block: Block, key: Key) -> tuple[bool, ...]:
    """Return whether the relation may be transposed, the more likely way first."""
    if not isinstance(key, tuple):
        return (False, True)
    return ((block.row_type, block.column_type) != key,)


def _related(kind: str, n_objects: int, blocks: Sequence[Block]) -> BoolArray:
    """Return which objects of a type have an entry in a relation."""
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
        through = ", ".join(repr(kind) if kind else "a type that was left out" for kind in block.path[1:-1])
        entries = f"product through {through}"
    else:
        entries = counted(block.factors[0].nnz, "entry", "entries")
    return f"relation {block.name}: {size}, {entries}, weight {block.weight:g}, normalise {block.normalise}"
