"""Objects of several types and the relations between them: users, items, words, authors, subjects, in one graph.

[Wang2006], section 3: a multiple-type graph has a set of objects X_i for each type, and for each pair of types that are
related a matrix M_ij with a weight α_ij. Here these are `types`, and `blocks` with their `factors` and `weight`.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import accumulate
from pathlib import Path
from typing import Any

import scipy.sparse as sp

from tacit.checks import check_choice, check_number
from tacit.errors import InputError
from tacit.relations.labels.forms import Names
from tacit.relations.tables.block import Block
from tacit.relations.tables.far_rows import check_normalise, is_far, refuse
from tacit.relations.tables.reading import object_names, place_relation, places_of, read_relation
from tacit.relations.tables.scaling import NORMALISATIONS, Factors, is_symmetric
from tacit.relations.tables.typed_lookup import Key, check_fits, find_block, free_name, meeting
from tacit.relations.tables.typed_summary import complaint, described
from tacit.relations.tables.typed_tables import read_field, read_pairs, read_record_labels, read_words, record_ids

__all__ = ["Relations"]


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
            if is_far(placed):
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
