"""Finds the nodes of a taxonomy by what people write: an id, a notation, or a name in any language.

Case, white space, accents, kinds of dashes and quotation marks, and a full stop at the end are ignored where the result
is clear. If several nodes have a name, the best reason decides: an id comes before a notation, that before a preferred
name, and so on; a name with the same accents comes before one without them. Nodes with equally good reasons are all
returned.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Hashable, Iterable, Iterator, Mapping
from functools import cached_property
from typing import NamedTuple

from tacit.relations.taxonomy.languages import is_in_language
from tacit.relations.taxonomy.names import is_iri, names_of, titles_shown
from tacit.relations.taxonomy.taxonomy import Taxonomy

__all__ = ["FoundNodes", "NodeFinder", "folded", "folded_loosely"]


class FoundNodes(NamedTuple):
    """The nodes that a text may mean, and how they were found: "id", "notation", "preferred", "other", "hidden"."""

    nodes: tuple[Hashable, ...]
    by: str

    @property
    def node(self) -> Hashable | None:
        """The node, if there is exactly one."""
        return self.nodes[0] if len(self.nodes) == 1 else None


class _Named(NamedTuple):
    node: Hashable
    text: str
    kind: str
    is_foreign: bool  # in another language than that of the taxonomy


class NodeFinder:
    """Finds nodes by their names.

    Parameters
    ----------
    taxonomy : Taxonomy
        Names in its language come before names in others.
    shown : mapping of node to str, optional
        Titles as they are shown, from `titles_shown`, which are names, too: "Bank (furniture)".
    """

    def __init__(self, taxonomy: Taxonomy, shown: Mapping[Hashable, str] | None = None) -> None:
        self.taxonomy = taxonomy
        self._shown = shown

    @cached_property
    def shown(self) -> Mapping[Hashable, str]:
        """The title of every node as it is shown."""
        return titles_shown(self.taxonomy) if self._shown is None else self._shown

    @cached_property
    def _named(self) -> dict[str, list[_Named]]:
        """All names by their folded texts; made when a text is not an id."""
        found: dict[str, list[_Named]] = {}
        for one in self._all_names():
            found.setdefault(folded_loosely(one.text), []).append(one)
        return found

    @cached_property
    def _iris(self) -> dict[str, Hashable]:
        return {_without_scheme(str(node)).casefold(): node for node in self.taxonomy.names}

    def _all_names(self) -> Iterator[_Named]:
        taxonomy = self.taxonomy
        for node in taxonomy.names:
            if not is_iri(str(node)):
                yield _Named(node, str(node), "id", False)
            for name in names_of(taxonomy, node):
                foreign = bool(name.language) and not is_in_language(name.language, taxonomy.language)
                yield _Named(node, name.text, name.kind, foreign)
            if self.shown[node].endswith(")"):
                yield _Named(node, self.shown[node], "preferred", False)

    def find(self, text: str) -> FoundNodes:
        """Return the nodes that a text means: one if it is clear, several if it is not, none if it is unknown."""
        text = text.strip()
        bare = text[1:-1] if text.startswith("<") and text.endswith(">") else text
        if bare in self.taxonomy:
            return FoundNodes((bare,), "id")
        if is_iri(bare) and (node := self._iris.get(_without_scheme(bare).casefold())) is not None:
            return FoundNodes((node,), "id")
        found = [
            ((folded(one.text) != folded(text), _KINDS.index(one.kind), one.is_foreign, one.text != text), one)
            for one in self._named.get(folded_loosely(text), ())
        ]
        if not found:
            return FoundNodes((), "")
        best = min(rank for rank, _ in found)
        nodes = tuple(dict.fromkeys(one.node for rank, one in found if rank == best))
        return FoundNodes(nodes, _KINDS[best[1]])

    def texts(self) -> Iterable[str]:
        """Yield all names that people would write, to look for one that is spelt alike."""
        return (one.text for names in self._named.values() for one in names if one.kind not in ("id", "hidden"))


_KINDS = ("id", "notation", "preferred", "other", "hidden")
_SCHEME = re.compile(r"https?://", re.IGNORECASE)


def _without_scheme(iri: str) -> str:
    """Return an IRI without http:// or https://, which files mix up, and without a slash at its end."""
    return _SCHEME.sub("", iri, count=1).rstrip("/") if _SCHEME.match(iri) else iri


_SAME = str.maketrans({**dict.fromkeys("‐‑‒–—−", "-"), **dict.fromkeys("‘’ʼ´`", "'"), **dict.fromkeys("“”„«»", '"')})


def folded(text: str) -> str:
    """Return a text without differences of case, width, white space, dashes and quotation marks."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text).translate(_SAME)
    return " ".join(text.casefold().split())


def folded_loosely(text: str) -> str:
    """Return a folded text without accents and without full stops at its end, as in headings of MARC records."""
    text = folded(text)
    if not text.isascii():
        parts = unicodedata.normalize("NFKD", text)
        text = "".join(part for part in parts if not unicodedata.combining(part))
    return text.rstrip(" .") or text
