"""The names of the nodes of a taxonomy: preferred, other and hidden ones in all languages, notations, related nodes."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Mapping
from typing import TYPE_CHECKING, Literal, NamedTuple
from urllib.parse import unquote

from tacit.relations.taxonomy.languages import is_in_language, language_tag

if TYPE_CHECKING:
    from tacit.relations.taxonomy.taxonomy import Taxonomy

__all__ = ["NameKind", "SubjectName", "is_iri", "last_part", "names_of", "related_of", "titles_shown"]

NameKind = Literal["preferred", "other", "hidden", "notation"]
_NONE: Mapping[str, str] = {}


class SubjectName(NamedTuple):
    """A name of a node, what kind of name it is, and the tag of its language, "" if it has none."""

    text: str
    kind: NameKind
    language: str


def names_of(taxonomy: Taxonomy, node: Hashable, language: str | None = None) -> tuple[SubjectName, ...]:
    """Return the names of a node: preferred ones first, then other and hidden ones, then notations.

    A node without a title is called by its own name, unless that is an IRI.

    Parameters
    ----------
    taxonomy : Taxonomy
    node : a node of it
    language : str, optional
        Only names in this language and names without a language; if there are none, the preferred names in all
        languages. Notations belong to all languages. A tag ("fi") or the English name of the language ("finnish").
    """
    node = taxonomy.names[taxonomy.index(node)]
    names = list(_texts(taxonomy, node))
    if language is not None:
        tag = language_tag(language)
        own = [name for name in names if not name.language or is_in_language(name.language, tag)]
        names = own or [name for name in names if name.kind == "preferred"]
    if not names and not is_iri(str(node)):
        names = [SubjectName(str(node), "preferred", "")]
    notations = (SubjectName(text, "notation", "") for text in taxonomy.notations.get(node, ()))
    return tuple(dict.fromkeys((*names, *notations)))


def _texts(taxonomy: Taxonomy, node: Hashable) -> Iterator[SubjectName]:
    for language, text in sorted(taxonomy.titles.get(node, _NONE).items()):
        yield SubjectName(text, "preferred", language)
    if node in taxonomy.alternative_titles:
        for language, texts in sorted(taxonomy.alternative_titles[node].items()):
            yield from (SubjectName(text, "other", language) for text in texts)
    if node in taxonomy.hidden_titles:
        for language, texts in sorted(taxonomy.hidden_titles[node].items()):
            yield from (SubjectName(text, "hidden", language) for text in texts)


def related_of(taxonomy: Taxonomy, node: Hashable) -> tuple[Hashable, ...]:
    """Return the nodes that are related to a node without being above or below it, as by skos:related."""
    return tuple(taxonomy.related.get(taxonomy.names[taxonomy.index(node)], ()))


def titles_shown(taxonomy: Taxonomy) -> dict[Hashable, str]:
    """Return the title of every node in the language of the taxonomy, so that different nodes look different.

    A title that several nodes have is followed by the title of the broader node, in parentheses; if that does not tell
    them apart, by the notation or the last part of the node's own name.
    """
    plain = {node: taxonomy.title(node) for node in taxonomy.names}
    titles = dict(plain)
    for node in _not_unique(plain):
        above = taxonomy.parents(node)
        titles[node] = f"{plain[node]} ({plain[above[0]] if above else _code(taxonomy, node)})"
    for node in _not_unique(titles):  # also below the same node
        titles[node] = f"{plain[node]} ({_code(taxonomy, node)})"
    return titles


def _not_unique(titles: Mapping[Hashable, str]) -> list[Hashable]:
    """Return the nodes whose titles others have too, ignoring case."""
    called: dict[str, list[Hashable]] = {}
    for node, title in titles.items():
        called.setdefault(title.casefold(), []).append(node)
    return [node for nodes in called.values() if len(nodes) > 1 for node in nodes]


def _code(taxonomy: Taxonomy, node: Hashable) -> str:
    notation = next(iter(taxonomy.notations.get(node, ())), "")
    return notation or (last_part(str(node)) if is_iri(str(node)) else str(node))


def is_iri(name: str) -> bool:
    """Whether a name is an IRI, which people should not have to read."""
    return _IRI.match(name) is not None


def last_part(iri: str) -> str:
    """Return the last part of an IRI, which is readable in many vocabularies."""
    return unquote(re.split(r"[/#:]", iri.rstrip("/#:"))[-1]) or iri


_IRI = re.compile(r"(?:https?://|urn:|[a-z][a-z0-9+.-]*://)\S+$", re.IGNORECASE)
