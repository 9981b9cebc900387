"""What the records say about their labels: titles of those that are URIs, a taxonomy in those that are paths."""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Mapping
from dataclasses import replace
from typing import Any

from tacit.corpus.record import Record
from tacit.errors import TacitWarning
from tacit.relations.taxonomy.taxonomy import Taxonomy
from tacit.tasks.build.fitting import Known

__all__ = ["label_titles", "taxonomy_of_paths", "warn_of_unknown", "with_titles"]


def label_titles(record: Record) -> dict[str, str]:
    """Titles of labels that are URIs, where the source gives them: Annif's corpora do."""
    titles = record.fields.get("label_titles")
    return {str(label): str(title) for label, title in titles.items()} if isinstance(titles, Mapping) else {}


def taxonomy_of_paths(known: Known, separator: str | None) -> Taxonomy | None:
    """Make the taxonomy of labels that are paths."""
    names = dict.fromkeys(name for labels in known.labels for name in labels)
    return None if separator is None or not names else Taxonomy.from_paths(names, separator)


def warn_of_unknown(known: Known) -> None:
    """Say that labels are not in the taxonomy: often it has URIs where the records have titles."""
    names = dict.fromkeys(name for labels in known.labels for name in labels)
    unknown = [] if known.taxonomy is None else [name for name in names if name not in known.taxonomy]
    if unknown:
        warnings.warn(
            f"taxonomy lacks {len(unknown):,} of {len(names):,} labels, {unknown[0]!r} for one: they stand beside it.",
            TacitWarning,
            stacklevel=4,
        )


def with_titles(taxonomy: Taxonomy | None, titles: dict[str, str]) -> Taxonomy | None:
    """Give nodes without a title of their own the one that came with the records."""
    if taxonomy is None or not titles:
        return taxonomy
    found: dict[Hashable, Any] = {
        name: {"": title} for name, title in titles.items() if name in taxonomy and name not in taxonomy.titles
    }
    return replace(taxonomy, titles={**taxonomy.titles, **found})
