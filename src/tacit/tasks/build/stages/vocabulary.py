"""The names of the labels, and what is above them, for a build."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from typing import Any

from tacit.errors import InputError
from tacit.relations.taxonomy.languages import choose_language
from tacit.relations.taxonomy.names import last_part
from tacit.relations.taxonomy.taxonomy import Taxonomy
from tacit.tasks.build.fitted_space import RecordKnowledge
from tacit.tasks.build.settings import BuildSettings

__all__ = ["in_language", "with_taxonomy"]


def in_language(taxonomy: Taxonomy | None, settings: BuildSettings) -> Taxonomy | None:
    """Return the taxonomy with the language of titles: the one asked for, or else its own, or that of the texts."""
    if taxonomy is None:
        if settings.label_language is not None:
            raise InputError(
                f"label_language needs a taxonomy: got {settings.label_language!r} for labels without names, expected "
                "a taxonomy or vocabulary that has names in this language. Pass `taxonomy`."
            )
        return None
    if settings.label_language is None and taxonomy.language:
        return taxonomy
    tag = choose_language(taxonomy.languages, settings.label_language, of_texts=settings.text.language)
    return replace(taxonomy, language=tag)


def with_taxonomy(
    known: RecordKnowledge, taxonomy: Taxonomy | None, separator: str | None, titles: dict[str, str]
) -> RecordKnowledge:
    """Add the taxonomy, or that of labels that are paths, with titles from the records for nodes that have none.

    A taxonomy that has nothing above any label is a vocabulary only: it would be the labels once more.
    """
    names = dict.fromkeys(name for labels in known.labels for name in labels)
    if taxonomy is None and separator is not None and names:
        taxonomy = Taxonomy.from_paths(names, separator)
    if taxonomy is None:
        return known
    found: dict[Hashable, Any] = {
        name: {"": title}
        for name, title in titles.items()
        if name in taxonomy and taxonomy.titles.get(name) in (None, {"": last_part(name)})
    }
    if found:
        taxonomy = replace(taxonomy, titles={**taxonomy.titles, **found})
    return known.with_vocabulary(taxonomy)
