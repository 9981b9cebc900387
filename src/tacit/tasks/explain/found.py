"""Why a record stands in a list of results, in one sentence that costs no further search."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tacit.corpus.record import Record
from tacit.tasks.explain.hit import nearness
from tacit.tasks.explain.words import listed, shared_words
from tacit.tasks.label_names import title_of
from tacit.tasks.opened_index import OpenedIndex
from tacit.tasks.search.snippets import Snippet

__all__ = ["why_found", "why_similar"]

_WORDS = 4


def why_found(snippet: Snippet, cosine: float | None) -> str:
    """Return what a query found a record by: its words, its meaning, or both."""
    near = None if cosine is None else f"{nearness(cosine)} in meaning (cosine {cosine:.2f})"
    if snippet.of_query and snippet.words:
        return _sentence([f"It has {_quoted(snippet.words)}", near])
    if near is None:
        return "Its title or text has words of the query."
    telling = f", most by {_quoted(snippet.words)}" if snippet.words else ""
    return f"No word of the query, but {near}{telling}."


def why_similar(collection: OpenedIndex, record: Record, other: Record, cosine: float) -> str:
    """Return what two records share."""
    labels = [title_of(collection, label) for label in record.labels if label in other.labels]
    links = [
        f"{name} {listed(both)}"
        for name, targets in record.links.items()
        if (both := [target for target in targets if target in other.links.get(name, ())])
    ]
    words = shared_words(collection, record.text[:_READ], other.text[:_READ])
    shared = [f"label {listed(labels)}" if labels else None, *links, f"words {_quoted(words)}" if words else None]
    said = [one for one in shared if one]
    ending = f"both have {', '.join(said)}" if said else "they share no label, link or word"
    return f"{nearness(cosine).capitalize()} in meaning (cosine {cosine:.2f}); {ending}."


_READ = 4_000  # characters of each text whose words are compared


def _quoted(words: Sequence[str]) -> str:
    return listed((f"“{word}”" for word in words), _WORDS)


def _sentence(parts: Iterable[str | None]) -> str:
    return "; ".join(part for part in parts if part) + "."
