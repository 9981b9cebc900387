"""Read SKOS vocabularies, in which libraries publish their thesauri, with rdflib (the extra "skos").

Nothing is downloaded: a JSON-LD file that refers to a context outside the file is an error, since rdflib would download
it.
"""

from __future__ import annotations

import contextlib
import gzip
import json
import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any
from xml.parsers import expat

from tacit.checks import check_choice, shown
from tacit.errors import InputError, MissingExtraError, TacitWarning
from tacit.files import kind_of
from tacit.relations.taxonomy.names import last_part
from tacit.relations.taxonomy.reading import TaxonomyLinks
from tacit.relations.taxonomy.tables import SubjectTexts, plain_suffix

__all__ = ["SUFFIXES", "read_skos"]

FORMATS = ("turtle", "xml", "json-ld", "nt")
SUFFIXES = {
    ".ttl": "turtle",
    ".turtle": "turtle",
    ".rdf": "xml",
    ".xml": "xml",
    ".owl": "xml",
    ".jsonld": "json-ld",
    ".json": "json-ld",
    ".nt": "nt",
}


def read_skos(source: Any, format: str | None) -> tuple[TaxonomyLinks, SubjectTexts]:
    """Return the links between concepts, and their names by language, notations and related concepts."""
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
    texts = _texts(rdflib, graph, concepts)
    dangling = concepts - typed - {*texts.titles, *texts.alternatives} - {one for one, _ in broader + narrower}
    if dangling:
        warnings.warn(
            f"Some concepts have links, but no description in source: {shown(sorted(dangling))}. "
            "They are kept, with the last part of their IRI as title.",
            TacitWarning,
            stacklevel=3,
        )
    links = TaxonomyLinks("source")
    for concept in sorted(concepts):
        links.add(concept)
        texts.titles.setdefault(concept, {"": last_part(concept)})
    for child, parent in sorted(edges):
        links.add(child, [parent])
    return links, texts


def _parsed(graph: Any, source: Any, format: str | None) -> Any:
    """Parse a file; rdflib raises different errors for each format."""
    if not isinstance(source, (str, Path)):
        kind = type(source).__name__
        raise InputError(f"source has an unknown form: got {kind}, expected the path of a file or an rdflib.Graph.")
    path = Path(source).expanduser()
    suffix = plain_suffix(path)
    if format is None and suffix not in SUFFIXES:
        raise InputError(
            f"source has an unknown suffix: got {path.name!r}, expected one of {', '.join(SUFFIXES)}. "
            f"Pass format, one of {', '.join(FORMATS)}."
        )
    form = SUFFIXES[suffix] if format is None else check_choice("format", format, FORMATS)
    if path.exists() and not (path.is_file() or path.is_dir()):  # a pipe that nobody writes to would never end
        raise InputError(f"source is not a plain file: got {kind_of(path.stat().st_mode)}, expected a file. Copy it.")
    try:
        data = path.read_bytes()
        data = gzip.decompress(data) if path.suffix.lower() == ".gz" else data
    except (OSError, EOFError) as error:
        said = getattr(error, "strerror", None) or error
        raise InputError(f"source cannot be read: got {str(said)!r}, expected a file on this machine.") from None
    try:
        if form == "json-ld":
            _check_contexts(json.loads(data))
        if form == "xml":
            _check_entities(data)
        return graph.parse(data=data, format=form, publicID=path.absolute().as_uri())
    except InputError:
        raise
    except Exception as error:  # each parser of rdflib has its own errors, down to IndexError
        reason = " ".join(str(error).split())[:100] or type(error).__name__
        raise InputError(
            f"source is damaged: got {path.name!r} with {reason!r}, expected {form}. "
            "Export it again, or give it the suffix of its own format."
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


class _EndOfTypeError(Exception):
    """The document type of an XML file has been read."""


def _check_entities(data: bytes) -> None:
    """Raise if the document type of RDF/XML is more than abbreviations: a few entities may stand for gigabytes."""
    parser = expat.ParserCreate()

    def entity(name: str, is_parameter: int, value: str | None, *address: str | None) -> None:
        refers = value is None or is_parameter or "&" in value.replace("&#", "")
        if refers or len(value or "") > _LONGEST_ENTITY:
            raise InputError(
                f"source defines an entity that is more than an abbreviation: got {name!r}, expected at most "
                f"{_LONGEST_ENTITY:,} characters that refer to nothing else. Remove the <!DOCTYPE ...> from the file."
            )

    def end(*_: Any) -> None:
        raise _EndOfTypeError

    parser.EntityDeclHandler, parser.EndDoctypeDeclHandler, parser.StartElementHandler = entity, end, end
    with contextlib.suppress(_EndOfTypeError, expat.ExpatError):  # rdflib says better what is wrong
        parser.Parse(data, True)


_LONGEST_ENTITY = 1_000


def _iris(rdflib: Any, pairs: Iterable[tuple[Any, Any]]) -> list[tuple[str, str]]:
    """Return the links between IRIs: the name of a blank node would differ at the next reading."""
    return [(str(one), str(two)) for one, two in pairs if all(isinstance(end, rdflib.URIRef) for end in (one, two))]


def _texts(rdflib: Any, graph: Any, concepts: set[str]) -> SubjectTexts:
    """Return names, notations and related concepts, sorted, so that each reading is the same."""
    from rdflib.namespace import SKOS

    texts = SubjectTexts()
    kinds = {"prefLabel": "title", "altLabel": "other", "hiddenLabel": "hidden", "notation": "notation"}
    for name, kind in kinds.items():
        found = [
            (str(subject), (text.language or "").lower(), str(text))
            for subject, text in (*graph.subject_objects(SKOS[name]), *_forms(rdflib, graph, name))
            if isinstance(text, rdflib.Literal) and str(subject) in concepts
        ]
        for subject, language, text in sorted(found):
            texts.add(kind, subject, language, [text])
    pairs = set[tuple[str, str]]()
    for name in ("related", "relatedMatch", "closeMatch", "exactMatch", "broadMatch", "narrowMatch"):
        pairs.update(_iris(rdflib, graph.subject_objects(SKOS[name])))
    for one, other in sorted(pairs | {(other, one) for one, other in pairs}):
        if one in concepts and other in concepts and one != other:
            texts.add("related", one, "", [other])
    return texts


def _forms(rdflib: Any, graph: Any, name: str) -> Iterator[tuple[Any, Any]]:
    """Yield concepts and texts of SKOS-XL, in which a label is a thing of its own that has a literal form."""
    extended = rdflib.Namespace("http://www.w3.org/2008/05/skos-xl#")
    for subject, label in graph.subject_objects(extended[name]):
        yield from ((subject, text) for text in graph.objects(label, extended.literalForm))
