"""Taxonomies: which label is below which, in trees and in hierarchies with several parents, and what it is called.

A taxonomy says that a record about cats is also about animals. `Taxonomy` reads mappings, tables, nested dictionaries,
labels that are paths, SKOS, NetworkX graphs and flat vocabularies, which have names only.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from tacit.checks import counted, shown
from tacit.errors import InputError, did_you_mean
from tacit.files import did_you_mean_file, kind_of
from tacit.relations.labels.matrix import LabelMatrix, as_labels
from tacit.relations.labels.reading import Names, check_names, is_missing
from tacit.relations.taxonomy.reading import (
    TaxonomyLinks,
    read_graph,
    read_nested,
    read_parents,
    read_paths,
    sorted_links,
)
from tacit.relations.taxonomy.tables import SubjectTexts, is_table, plain_suffix, read_table
from tacit.relations.taxonomy.walks import ancestor_paths, depths, distances, reached
from tacit.types import Array, Float64Array, IntArray

__all__ = ["Taxonomy"]

Texts = Mapping[Hashable, Mapping[str, Any]]


@dataclass(frozen=True, eq=False, repr=False)
class Taxonomy:
    """Which node is below which: a tree, several trees, or a hierarchy in which nodes have several parents.

    Made by one of the `from_` methods, which check their input; the constructor checks shapes and order. A taxonomy is
    immutable, so copies of estimators share it.

    Attributes
    ----------
    names : tuple of hashable
        The nodes, parents before children, otherwise in order of first appearance.
    parent_matrix : csr_array of shape (n_nodes, n_nodes)
        1 at [i, j] if node j is a parent of node i.
    titles : mapping of node to {language: title}
        Titles to show; the language is "" if none is given.
    alternative_titles : mapping of node to {language: tuple of str}
        Other titles of the node.
    language : str
        The default language of titles.
    hidden_titles : mapping of node to {language: tuple of str}
        Names to find the node by, which are not shown: misspellings, for instance.
    notations : mapping of node to tuple of str
        Codes of the node, such as class numbers.
    related : mapping of node to tuple of nodes
        Nodes that it is related to without being above or below them.

    Examples
    --------
    >>> taxonomy = Taxonomy.from_parents({"animals": None, "cats": "animals", "dogs": "animals"})
    >>> taxonomy.ancestors("cats")
    ('animals',)
    >>> taxonomy.expand([{"cats"}, {"dogs"}]).to_sets()
    [('animals', 'cats'), ('animals', 'dogs')]
    """

    names: Names
    parent_matrix: sp.csr_array
    titles: Texts = field(default_factory=dict)
    alternative_titles: Texts = field(default_factory=dict)
    language: str = ""
    hidden_titles: Texts = field(default_factory=dict)
    notations: Mapping[Hashable, tuple[str, ...]] = field(default_factory=dict)
    related: Mapping[Hashable, tuple[Hashable, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_names(self.names)
        if self.parent_matrix.shape != (len(self.names), len(self.names)):
            raise InputError(
                f"parent_matrix does not match names: got shape {self.parent_matrix.shape} for {len(self.names)} names."
            )
        rows, columns = self.parent_matrix.nonzero()
        if (columns >= rows).any():
            raise InputError(
                "names is out of order: got a node before its parent, expected parents first. "
                "Use Taxonomy.from_parents, which sorts."
            )

    @classmethod
    def from_parents(cls, parents: Any, titles: Any = None, *, strict: bool = False) -> Taxonomy:
        """Read a mapping of nodes to parents, or (node, parent) pairs in which a node may occur several times.

        Parameters
        ----------
        parents : mapping or iterable of pairs
            A parent is a name, a list of names, or None, "" or () for a root. A string is one parent.
        titles : mapping of node to str or to {language: str}, optional
            Titles of the nodes; titles of anything else are ignored.
        strict : bool, default False
            Raise if a parent is not listed as a node; otherwise it becomes a root.
        """
        return cls._from_links(read_parents(parents), titles, strict=strict)

    @classmethod
    def from_file(cls, path: str | Path) -> Taxonomy:
        """Read a file of any kind: a table (`from_table`) if its name ends in .tsv, .tab or .csv, otherwise SKOS.

        Both may be gzipped. The default language of titles stays open: `Taxonomy.language` is "".
        """
        from tacit.relations.taxonomy.skos import SUFFIXES

        file = Path(path).expanduser()
        if file.exists() and not file.is_file():
            raise InputError(
                f"taxonomy is not a plain file: got {str(path)!r}, which is {kind_of(file.stat().st_mode)}, expected a "
                "regular file. Write it into a file first."
            )
        if not file.is_file():
            raise InputError(
                f"taxonomy does not exist: got {str(path)!r}, expected a file."
                f"{did_you_mean_file(file, 'Check the name and the folder.')}"
            )
        if not is_table(path) and plain_suffix(Path(path)) not in SUFFIXES:
            raise InputError(
                f"taxonomy has an unknown suffix: got {str(path)!r}, expected .tsv, .tab or .csv for a table, or "
                f"{', '.join(SUFFIXES)} for SKOS, optionally gzipped. Rename the file."
            )
        try:
            return cls.from_table(path) if is_table(path) else cls.from_skos(path, language="")
        except InputError as error:
            # the readers name their own arguments, which the caller of this one does not know
            raise InputError(re.sub(r"^(source|path)(?= )", f"taxonomy {str(path)!r}", str(error))) from error

    @classmethod
    def from_table(
        cls,
        path: str | Path,
        *,
        node: str | None = None,
        parent: str | None = None,
        title: str | None = None,
        separator: str | None = None,
        strict: bool = False,
    ) -> Taxonomy:
        """Read a table with one row per node and parent, or a vocabulary of Annif.

        Parameters
        ----------
        path : path
            Tab-separated (.tsv, .tab) or comma-separated (.csv), in UTF-8, optionally gzipped. Without a header it is
            a vocabulary of Annif: `<URI>`, preferred name and notation, separated by tabs.
        node, parent, title : str, optional
            The names of the columns. If not given, columns called node, id, uri, code ... and parent, broader ... are
            used, else the first two; titles are in a column called title, name, label ... if there is one. A table
            of nodes and names without a column for parents is a flat vocabulary.
        separator : str, optional
            One character, default by the suffix.
        strict : bool, default False
            As for `from_parents`.

        Notes
        -----
        Columns called altlabel, synonyms, used_for ..., hiddenlabel, notation and related are read as well; they may
        have several values in one cell, separated by "|" or ";". The language of a column of names is the end of its
        name: label_fi, altlabel@en.
        """
        links, texts = read_table(path, node, parent, title, separator)
        return cls._from_links(links, texts.titles, strict=strict)._with_texts(texts)

    @classmethod
    def from_nested(cls, nested: Any) -> Taxonomy:
        """Read {"a": {"b": {}, "c": ["x", "y"]}}; a name that occurs twice is one node with two parents."""
        return cls._from_links(read_nested(nested))

    @classmethod
    def from_paths(cls, labels: Iterable[str], separator: str | None = None) -> Taxonomy:
        """Read labels that are paths, such as "a::b", "a/b" or "cs.IR": every prefix becomes a node with its full text.

        The default separator is the first of "::", "/", ">" and "." that occurs in a label.
        """
        return cls._from_links(read_paths(labels, separator))

    @classmethod
    def from_skos(cls, source: Any, *, format: str | None = None, language: str = "en") -> Taxonomy:
        """Read a SKOS vocabulary; needs rdflib (the extra "skos").

        Parameters
        ----------
        source : path or rdflib.Graph
            Turtle, RDF/XML, JSON-LD or N-Triples, optionally gzipped.
        format : str, optional
            Name of the format in rdflib ("turtle", "xml", "json-ld", "nt"), default by the suffix.
        language : str, default "en"
            Preferred language of titles; those in other languages are kept.

        Returns
        -------
        Taxonomy
            Names are the IRIs of the concepts, sorted, except that parents come first. Both skos:broader and
            skos:narrower are used; titles are skos:prefLabel, or else the last part of the IRI, and alternatives
            skos:altLabel. skos:hiddenLabel, skos:notation and skos:related are kept as well.
        """
        from tacit.relations.taxonomy.skos import read_skos

        links, texts = read_skos(source, format)
        return replace(cls._from_links(links, texts.titles)._with_texts(texts), language=language)

    @classmethod
    def from_networkx(cls, graph: Any, *, edges: str = "parent-to-child") -> Taxonomy:
        """Read a directed NetworkX graph whose edges go "parent-to-child" or "child-to-parent"."""
        return cls._from_links(read_graph(graph, edges))

    @classmethod
    def _from_links(cls, links: TaxonomyLinks, titles: Any = None, *, strict: bool = False) -> Taxonomy:
        names, matrix = sorted_links(links, strict=strict)
        return cls(names, matrix, _read_titles(titles, names))

    def _with_texts(self, texts: SubjectTexts) -> Taxonomy:
        """Add all names but the titles; related nodes that do not exist are left out."""
        related = {
            node: tuple(other for other in others if other in self and other != node)
            for node, others in texts.related.items()
        }
        return replace(
            self,
            alternative_titles=texts.alternatives,
            hidden_titles=texts.hidden,
            notations=texts.notations,
            related={node: others for node, others in related.items() if others},
        )

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return len(self.names)

    @cached_property
    def roots(self) -> Names:
        """The nodes without a parent."""
        return self._names(np.flatnonzero(np.diff(self.parent_matrix.indptr) == 0))

    @cached_property
    def leaves(self) -> Names:
        """The nodes without a child, including roots."""
        return self._names(np.flatnonzero(np.diff(self._child_matrix.indptr) == 0))

    @property
    def is_tree(self) -> bool:
        """Whether no node has several parents; there may be several roots."""
        return bool(np.diff(self.parent_matrix.indptr).max(initial=0) <= 1)

    @property
    def is_flat(self) -> bool:
        """Whether no node has a parent, so that there are names only."""
        return self.parent_matrix.nnz == 0

    @cached_property
    def closure(self) -> sp.csr_array:
        """N x n float64, 1 at [i, j] if node j is node i or an ancestor of it.

        Notes
        -----
        Has one entry for each pair of a node and an ancestor: n times the mean depth in a tree, and n²/2 for a chain of
        n nodes. Computed on first use and kept.
        """
        return _closure_rows(self.parent_matrix, np.arange(self.n_nodes))

    @cached_property
    def depths(self) -> IntArray:
        """Number of edges on the longest path from a root to each node; it is deeper than all its parents."""
        return depths(self.parent_matrix)

    def __len__(self) -> int:
        return self.n_nodes

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self.names)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, Hashable) and name in self._places

    def __copy__(self) -> Taxonomy:
        return self

    def __deepcopy__(self, memo: Any) -> Taxonomy:
        return self

    def index(self, name: Hashable) -> int:
        """Return the number of a node, which is its row and column in every matrix here."""
        place = self._places.get(name) if isinstance(name, Hashable) else None
        return int(_numbers_of([name], self._places, "name")[0]) if place is None else place

    def columns(self, names: Iterable[Hashable]) -> IntArray:
        """Return the numbers of several nodes, in the order of the names."""
        return _numbers_of(_several(names, "names"), self._places, "names")

    def parents(self, name: Hashable) -> Names:
        """Return the parents of a node."""
        return self._names(_row(self.parent_matrix, self.index(name)))

    def children(self, name: Hashable) -> Names:
        """Return the children of a node."""
        return self._names(_row(self._child_matrix, self.index(name)))

    def ancestors(self, name: Hashable) -> Names:
        """Return all nodes above a node, without the node."""
        node = self.index(name)
        return self._names(reached(self.parent_matrix, [node]) - {node})

    def descendants(self, name: Hashable) -> Names:
        """Return all nodes below a node, without the node."""
        node = self.index(name)
        return self._names(reached(self._child_matrix, [node]) - {node})

    def siblings(self, name: Hashable) -> Names:
        """Return the other children of the parents of a node; for a root, the other roots."""
        node = self.index(name)
        above = _row(self.parent_matrix, node)
        if not len(above):
            return tuple(root for root in self.roots if root != self.names[node])
        return self._names({int(child) for parent in above for child in _row(self._child_matrix, parent)} - {node})

    def depth(self, name: Hashable) -> int:
        """Return the number of edges on the longest path from a root to a node."""
        return int(self.depths[self.index(name)])

    def lowest_common_ancestors(self, a: Hashable, b: Hashable) -> Names:
        """Return the common ancestors of two nodes that have no common ancestor below them.

        A node counts as its own ancestor. There is one in a tree, none for nodes of different roots, and possibly
        several if nodes have several parents.
        """
        common = reached(self.parent_matrix, [self.index(a)]) & reached(self.parent_matrix, [self.index(b)])
        # parents of common ancestors are common ancestors, so one step up finds all that are not lowest
        return self._names(common - {int(above) for node in common for above in _row(self.parent_matrix, node)})

    def distance(self, a: Hashable, b: Hashable) -> int:
        """Return the number of edges on the shortest path from one node up to a common ancestor and down to the other.

        Nodes with no common ancestor are joined by a virtual root above all roots, one edge from each.
        """
        one, other = _numbers_of([a], self._places, "a"), _numbers_of([b], self._places, "b")
        return int(distances(self.parent_matrix, one, other)[0, 0])

    def distances(self, names_a: Iterable[Hashable], names_b: Iterable[Hashable]) -> IntArray:
        """Return `distance` for every pair of two lists of nodes, as a matrix of len(names_a) x len(names_b)."""
        one = _numbers_of(_several(names_a, "names_a"), self._places, "names_a")
        other = _numbers_of(_several(names_b, "names_b"), self._places, "names_b")
        return distances(self.parent_matrix, one, other)

    def title(self, name: Hashable, language: str | None = None) -> str:
        """Return the title of a node in a language, or the next best one, or else its name.

        The next best is that of a variant ("en-GB" for "en"), that in the default language of the taxonomy, that
        without a language, or the first in the alphabetical order of languages.
        """
        node = self.names[self.index(name)]
        titles = self.titles.get(node, {})
        if len(titles) == 1:
            return str(*titles.values())
        for wanted in [self.language, ""] if language is None else [language, self.language, ""]:
            tag = wanted.lower()  # language tags are case-insensitive, RFC 5646
            same = [key for key in sorted(titles) if key.lower() == tag]
            variants = [key for key in sorted(titles) if tag and key.lower().startswith(f"{tag}-")]
            if same or variants:
                return str(titles[(same + variants)[0]])
        return str(titles[min(titles)] if titles else node)

    def alternatives(self, name: Hashable, language: str | None = None) -> tuple[str, ...]:
        """Return alternative titles of a node, in one language or in all."""
        by_language = self.alternative_titles.get(self.names[self.index(name)], {})
        wanted = [key for key in sorted(by_language) if language is None or key.lower() == language.lower()]
        return tuple(dict.fromkeys(text for key in wanted for text in by_language[key]))

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages of titles, alternative titles and hidden titles."""
        texts = [*self.titles.values(), *self.alternative_titles.values(), *self.hidden_titles.values()]
        return tuple(sorted({language for by_language in texts for language in by_language} - {""}))

    def subtree(self, name: Hashable) -> Taxonomy:
        """Return a node with all below it, as the only root; other parents are left out."""
        return self._taken(reached(self._child_matrix, [self.index(name)]))

    def restrict(self, names: Iterable[Hashable]) -> Taxonomy:
        """Return these nodes with all above them."""
        return self._taken(reached(self.parent_matrix, self.columns(names).tolist()))

    def expand(self, y: Any, *, n_records: int | None = None) -> LabelMatrix:
        """Return the labels of records with all their ancestors.

        Parameters
        ----------
        y : any form that `as_labels` reads
            Each label of a record must be a node.
        n_records : int, optional
            Expected number of rows.

        Returns
        -------
        LabelMatrix
            Its columns are the nodes in their order; unknown rows stay unknown; the kind is "sets".
        """
        labels = as_labels(y, n_records=n_records)
        used = np.flatnonzero(labels.counts)
        if labels.kind == "matrix" and labels.names == tuple(range(labels.n_labels)) and 0 not in self._places:
            raise InputError(
                f"y has columns without names: got a matrix of {labels.n_labels} columns, expected names of nodes. "
                "Name the columns: LabelMatrix.from_matrix(y, names)."
            )
        nodes = _numbers_of([labels.names[column] for column in used], self._places, "y")
        indicator = sp.csr_array(labels.indicator[:, used] @ _closure_rows(self.parent_matrix, nodes))
        indicator.sort_indices()
        indicator.data[:] = 1.0
        return LabelMatrix(indicator, self.names, labels.known, kind="sets")

    def specificity(self, y: Any) -> Float64Array:
        """Return 1/|c| for each node, |c| the number of records in it or below; 0 if there are none."""
        counts = self.expand(y).counts
        return np.divide(1.0, counts, out=np.zeros(self.n_nodes), where=counts > 0)

    def summary(self) -> str:
        """Return one line with the numbers of nodes, roots and leaves, and the depth."""
        text = f"{counted(self.n_nodes, 'node')}, {counted(len(self.roots), 'root')}"
        text += f", {counted(len(self.leaves), 'leaf', 'leaves')}, depth {self.depths.max(initial=0)}"
        n_several = int(np.count_nonzero(np.diff(self.parent_matrix.indptr) > 1))
        return text + (f", {counted(n_several, 'node')} with several parents" if n_several else "")

    def __repr__(self) -> str:
        return f"Taxonomy({self.summary()}; roots: {shown(self.roots)})"

    @cached_property
    def _places(self) -> dict[Hashable, int]:
        return {name: place for place, name in enumerate(self.names)}

    @cached_property
    def _child_matrix(self) -> sp.csr_array:
        return sp.csr_array(self.parent_matrix.T)

    def _names(self, nodes: Iterable[int]) -> Names:
        return tuple(self.names[node] for node in sorted(nodes))

    def _taken(self, nodes: set[int]) -> Taxonomy:
        kept = np.asarray(sorted(nodes), dtype=np.int64)
        names = self._names(nodes)
        chosen = set(names)
        related = {name: tuple(one for one in self.related.get(name, ()) if one in chosen) for name in names}
        return Taxonomy(
            names,
            sp.csr_array(self.parent_matrix[kept][:, kept]),
            _of_nodes(self.titles, names),
            _of_nodes(self.alternative_titles, names),
            self.language,
            _of_nodes(self.hidden_titles, names),
            _of_nodes(self.notations, names),
            {name: others for name, others in related.items() if others},
        )


def _of_nodes(texts: Mapping[Hashable, Any], names: Names) -> dict[Hashable, Any]:
    return {name: texts[name] for name in names if name in texts}


def _row(matrix: sp.csr_array, row: int) -> Array:
    return matrix.indices[matrix.indptr[row] : matrix.indptr[row + 1]]


def _closure_rows(parent_matrix: sp.csr_array, nodes: IntArray) -> sp.csr_array:
    """Return a row for each of the nodes, 1 at the node itself and at all above it."""
    paths = ancestor_paths(parent_matrix, nodes)
    shape = (len(nodes), parent_matrix.shape[0])
    return sp.csr_array((np.ones(len(paths.nodes)), (paths.starts, paths.nodes)), shape=shape)


def _numbers_of(names: Iterable[Hashable], places: Mapping[Hashable, int], argument: str) -> IntArray:
    """Return the numbers of nodes, in the order of the names; `places` has the number of each name."""
    wanted = list(names)
    unknown = [name for name in wanted if not isinstance(name, Hashable) or name not in places]
    if unknown:
        raise InputError(
            f"{argument} has labels that are not nodes: got {shown(dict.fromkeys(map(str, unknown)))}, "
            f"expected some of the {len(places):,} nodes of the taxonomy.{did_you_mean(unknown[0], places)}"
        )
    return np.asarray([places[name] for name in wanted], dtype=np.int64)


def _several(names: Iterable[Hashable], argument: str) -> list[Hashable]:
    """Return the names as a list; raise if they are a single string."""
    if isinstance(names, (str, bytes)):
        raise InputError(f"{argument} is a single string: got {names!r}, expected several names. Wrap it: [{names!r}].")
    return list(names)


def _read_titles(titles: Any, names: Iterable[Hashable]) -> dict[Hashable, dict[str, str]]:
    """Read titles as node -> text or node -> {language: text}; titles of other names are ignored."""
    if titles is None:
        return {}
    if not hasattr(titles, "items"):
        raise InputError(f"titles is not a mapping: got {type(titles).__name__}, expected node -> title.")
    nodes = set(names)
    read: dict[Hashable, dict[str, str]] = {}
    for name, text in titles.items():
        if name in nodes and not is_missing(text):
            by_language = dict(text) if isinstance(text, Mapping) else {"": text}
            read[name] = {str(language): str(one) for language, one in by_language.items()}
    return read
