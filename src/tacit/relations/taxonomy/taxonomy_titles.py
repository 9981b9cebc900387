"""Titles of nodes: how they are read, and which one is shown where there are several languages."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import Any

from tacit.errors import InputError
from tacit.relations.labels.forms import is_missing

__all__ = ["nearest_title", "read_titles"]


def read_titles(titles: Any, names: Iterable[Hashable]) -> dict[Hashable, dict[str, str]]:
    """Read titles as node -> text or node -> {language: text}; those of no node are left out."""
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


def nearest_title(titles: Mapping[str, str], languages: Iterable[str]) -> str | None:
    """Choose a title by the first of the languages that has one, or else the first by the alphabet of languages.

    A language has the titles of its variants, too ("en-GB" for "en"), as web browsers and libraries treat them.
    """
    for language in languages:
        wanted = language.lower()  # tags of languages are the same in capitals, RFC 5646
        same = [key for key in sorted(titles) if key.lower() == wanted]
        variants = [key for key in sorted(titles) if wanted and key.lower().startswith(f"{wanted}-")]
        if same or variants:
            return titles[(same + variants)[0]]
    return titles[min(titles)] if titles else None
