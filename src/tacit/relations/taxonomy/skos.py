"""Read SKOS vocabularies, in which libraries publish their thesauri, with rdflib (the extra "skos").

Nothing is downloaded: a JSON-LD file that refers to a context outside the file is an error, since rdflib would download
it.
"""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Hashable, Iterable
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from tacit.checks import check_choice, shown
from tacit.errors import InputError, MissingExtraError, TacitWarning
from tacit.relations.taxonomy.reading import TaxonomyLinks

__all__ = ["read_skos"]

Texts = dict[str, dict[str, tuple[str, ...]]]
Titles = dict[Hashable, dict[str, str]]
Alternatives = dict[Hashable, dict[str, tuple[str, ...]]]

FORMATS = ("turtle", "xml", "json-ld", "nt")
_SUFFIXES = {
    ".ttl": "turtle",
    ".turtle": "turtle",
    ".rdf": "xml",
    ".xml": "xml",
    ".owl": "xml",
    ".jsonld": "json-ld",
    ".json": "json-ld",
    ".nt": "nt",
}


def read_skos(source: Any, format: str | None) -> tuple[TaxonomyLinks, Titles, Alternatives]:
    """Return the links between concepts, their titles and their alternative titles by language."""
    try:
        import rdflib
        from rdflib.namespace import RDF, SKOS
    except ImportError:
        raise MissingExtraError("rdflib", "skos", "Reading SKOS") from None
    graph = source if isinstance(source, rdflib.Graph) else _parsed(rdflib.Graph(), source, format)
    broader = _iris(rdflib, graph.subject_objects(SKOS.broader))
    narrower = _iris(rdflib, graph.subject_objects(SKOS.narrower))
    edges = {*broader, *((child, parent) for parent, child in narrower)}
    tops = [*graph.subjects(SKOS.topConceptOf), *graph.objects(None, SKOS.hasTopConcept)]
    typed = {str(one) for one in [*graph.subjects(RDF.type, SKOS.Concept), *tops] if isinstance(one, rdflib.URIRef)}
    concepts = typed.union(*edges)
    titles = _texts(rdflib, graph.subject_objects(SKOS.prefLabel), concepts)
    others = _texts(rdflib, graph.subject_objects(SKOS.altLabel), concepts)
    dangling = concepts - typed - {*titles, *others} - {one for one, _ in broader + narrower}
    if dangling:
        warnings.warn(
            f"Some concepts have links, but no description in source: {shown(sorted(dangling))}. "
            "They are kept, with the last part of their IRI as title.",
            TacitWarning,
            stacklevel=3,
        )
    shown_titles = {name: {tag: texts[0] for tag, texts in by.items()} for name, by in titles.items()}
    links = TaxonomyLinks("source")
    for concept in sorted(concepts):
        links.add(concept)
    for child, parent in sorted(edges):
        links.add(child, [parent])
    return (
        links,
        {name: shown_titles.get(str(name), {"": _last_part(str(name))}) for name in links.places},
        {name: others[str(name)] for name in links.places if str(name) in others},
    )


def _parsed(graph: Any, source: Any, format: str | None) -> Any:
    """Parse a file; rdflib raises different errors for each format."""
    if not isinstance(source, (str, Path)):
        kind = type(source).__name__
        raise InputError(f"source has an unknown form: got {kind}, expected the path of a file or an rdflib.Graph.")
    path = Path(source).expanduser()
    if format is None and path.suffix.lower() not in _SUFFIXES:
        raise InputError(
            f"source has an unknown suffix: got {path.name!r}, expected one of {', '.join(_SUFFIXES)}. "
            f"Pass format, one of {', '.join(FORMATS)}."
        )
    form = _SUFFIXES[path.suffix.lower()] if format is None else check_choice("format", format, FORMATS)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(f"source cannot be read: got {error}, expected a file on this machine.") from None
    try:
        if form == "json-ld":
            _check_contexts(json.loads(data))
        return graph.parse(data=data, format=form, publicID=path.absolute().as_uri())
    except InputError:
        raise
    except Exception as error:  # each parser of rdflib has its own errors, down to IndexError
        reason = " ".join(str(error).split())[:160] or type(error).__name__
        raise InputError(
            f"source is damaged: got {path.name!r} with {reason!r}, expected {form}. "
            "Check the file, or pass format if it is another."
        ) from None


def _check_contexts(document: Any) -> None:
    """Raise if a @context of a JSON-LD document is outside the document."""
    stack = [document]
    while stack:
        part = stack.pop()
        if isinstance(part, dict):
            context = part.get("@context")
            listed = context if isinstance(context, list) else [context]
            inner = [one.get("@import") for one in listed if isinstance(one, dict)]
            outside = [one for one in [*listed, *inner] if isinstance(one, str)]
            if outside:
                raise InputError(
                    f"source refers to a context outside the file: got {outside[0]!r}, expected it in the file, since "
                    "nothing is downloaded. Put it there, or save the vocabulary as Turtle."
                )
            stack += part.values()
        elif isinstance(part, list):
            stack += part


def _iris(rdflib: Any, pairs: Iterable[tuple[Any, Any]]) -> list[tuple[str, str]]:
    """Return the links between IRIs: the name of a blank node would differ at the next reading."""
    return [(str(one), str(two)) for one, two in pairs if all(isinstance(end, rdflib.URIRef) for end in (one, two))]


def _texts(rdflib: Any, pairs: Iterable[tuple[Any, Any]], concepts: set[str]) -> Texts:
    """Return labels by concept and language, sorted, so that each reading is the same."""
    found: dict[str, dict[str, set[str]]] = {}
    for subject, text in pairs:
        if str(subject) in concepts and isinstance(text, rdflib.Literal):
            found.setdefault(str(subject), {}).setdefault((text.language or "").lower(), set()).add(str(text))
    return {name: {tag: tuple(sorted(texts)) for tag, texts in by.items()} for name, by in found.items()}


def _last_part(iri: str) -> str:
    """Return a readable title of a concept without one: the last part of its IRI."""
    return unquote(re.split(r"[/#:]", iri.rstrip("/#:"))[-1]) or iri
