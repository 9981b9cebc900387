"""What the Tab key of a shell offers: folders, labels, and names of fields and links of the index that was typed."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

import click

from tacit.errors import TacitError

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from tacit.tasks.collection import Collection

__all__ = ["complete_fields", "complete_files", "complete_folders", "complete_labels", "complete_links"]

_OFFERED = 30


def complete_folders(context: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Let the shell offer folders, which indexes are."""
    from click.shell_completion import CompletionItem

    return [CompletionItem(incomplete, type="dir")]


def complete_files(context: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Let the shell offer files and folders."""
    from click.shell_completion import CompletionItem

    return [CompletionItem(incomplete, type="file")]


def complete_labels(context: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Offer labels with a name that begins like the word, or all of a small index."""
    from tacit.tasks.label_lookup import label_lookup

    collection = _index_of(context)
    if collection is None:
        return []
    with collection:
        found = label_lookup(collection).complete(incomplete, limit=_OFFERED) if incomplete else []
        titles = [one.title for one in found] or list(collection.label_titles.values() or collection.label_names)
    begun = [title for title in dict.fromkeys(titles) if title.casefold().startswith(incomplete.casefold())]
    return begun[:_OFFERED]


def complete_fields(context: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Offer names of fields."""
    return _names("fields", context, incomplete)


def complete_links(context: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Offer names of links."""
    return _names("links", context, incomplete)


def _names(kind: str, context: click.Context, incomplete: str) -> list[str]:
    collection = _index_of(context)
    if collection is None:
        return []
    with collection:
        names = collection.store.names(kind)
    return [f"{name}=" for name in names if f"{name}=".startswith(incomplete)]


def _index_of(context: click.Context) -> Collection | None:
    """Open the index that was typed; a wrong one is no matter while somebody types."""
    from tacit.tasks.collection import open_index

    typed = context.params.get("index") or next(iter(context.args), "")  # behind an option that has no value yet
    try:
        return open_index(str(typed))
    except (TacitError, OSError, sqlite3.Error):
        return None
