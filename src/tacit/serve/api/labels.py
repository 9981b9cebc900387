"""The tree of labels with counts, look-up by name, and a label with what is near it."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from fastapi import APIRouter, Query, Request

from tacit.index import Filters
from tacit.serve.answers import Shown, as_labels, finite, labels_of, next_cursor, path_of, tagged, tree_of
from tacit.serve.models import (
    Cursor,
    LabelFacts,
    LabelItem,
    Labels,
    Limit,
    Member,
    Name,
    RelatedLabel,
    WordPart,
    offset_of,
)
from tacit.serve.problems import PROBLEMS, Problem
from tacit.serve.state import ServiceState, Snapshot
from tacit.tasks.explain.hit import nearest_labels
from tacit.tasks.explain.label import label_position
from tacit.tasks.explain.words import typical_word_parts
from tacit.tasks.label_lookup import label_lookup
from tacit.tasks.label_names import find_label, subtree
from tacit.tasks.search.snippets import QueryWords

__all__ = ["ask_first", "router"]

_NEAR, _WORDS, _MEMBERS = 12, 12, 10
_LOOKED_UP = 200  # labels that a look-up returns, over all pages


def router(state: ServiceState) -> APIRouter:
    """Return the routes."""
    router = APIRouter(prefix="/api/v1/{index}", responses=PROBLEMS, tags=["labels"])

    @router.get("/labels", response_model=Labels)
    async def labels(
        request: Request,
        index: str,
        parent: Annotated[Name | None, Query(description="The labels right below this one.")] = None,
        q: Annotated[
            str | None, Query(max_length=200, description="The beginning of a name, or one spelt alike.")
        ] = None,
        limit: Limit = 50,
        cursor: Cursor = None,
    ) -> Any:
        """List the labels at the top, below a label, or by a name; without a taxonomy, the most frequent ones."""
        if parent is not None and q is not None:
            raise Problem(400, "parent and q exclude each other: expected one of them.")
        first = offset_of(cursor)
        return await tagged(state, request, index, lambda snapshot: _listed(snapshot, parent, q, first, limit))

    @router.get("/label", response_model=LabelFacts)
    async def label(request: Request, index: str, label: Name) -> Any:
        """Describe a label by its words, neighbours and records."""
        return await tagged(state, request, index, lambda snapshot: _facts(snapshot, label))

    return router


def ask_first(snapshot: Snapshot) -> None:
    """List the labels at the top, look one up, and describe it."""
    for item in _listed(snapshot, None, None, 0, 1).items:
        _listed(snapshot, None, item.title[:3], 0, 10)
        _facts(snapshot, item.label)
    label_lookup(snapshot.collection).find("a")


def _listed(snapshot: Snapshot, parent: str | None, q: str | None, first: int, limit: int) -> Labels:
    tree = tree_of(snapshot)
    if q is not None and q.strip():
        matches = label_lookup(snapshot.collection).complete(q, limit=_LOOKED_UP)
        nodes = [tree.node(match.label) for match in matches[first : first + limit + 1]]
    else:
        known = None if parent is None else find_label(snapshot.collection, parent)
        nodes = tree.below(known, skip=first, limit=limit + 1)
    items = [LabelItem(**node._asdict(), path=as_labels(tree.path(node.label))) for node in nodes[:limit]]
    return Labels(items=items, next=next_cursor(first, len(items), limit, more=len(nodes) > limit))


def _facts(snapshot: Snapshot, name: str) -> LabelFacts:
    collection, tree = snapshot.collection, tree_of(snapshot)
    label = find_label(collection, name)
    node, position = tree.node(label), label_position(collection, label)
    related, words = [], []
    if position is not None and np.any(position):
        near = [one for one in nearest_labels(collection, position, limit=_NEAR + 1) if one.label != label][:_NEAR]
        related = [RelatedLabel(label=one.label, title=one.title, cosine=finite(one.cosine) or 0.0) for one in near]
        (parts,) = typical_word_parts(collection, position[None], _WORDS)
        words = [WordPart(word=word, part=finite(part) or 0.0) for word, part in parts]
    taxonomy = collection.taxonomy
    is_node = taxonomy is not None and label in taxonomy
    return LabelFacts(
        label=label,
        title=node.title,
        path=path_of(snapshot, label),
        records=node.records,
        total=node.total,
        words=words,
        related=related,
        broader=labels_of(snapshot, map(str, taxonomy.parents(label))) if taxonomy is not None and is_node else [],
        narrower=labels_of(snapshot, (one.label for one in tree.below(label, limit=1_000))) if is_node else [],
        members=_members(snapshot, label, position),
    )


def _members(snapshot: Snapshot, label: str, position: Any) -> list[Member]:
    """Return records that have a label or a narrower one: those nearest to its position."""
    collection = snapshot.collection
    below = subtree(collection, label) if collection.taxonomy is not None else (label,)
    filters = Filters(labels=[below])
    if position is None or not np.any(position):
        numbers = collection.store.numbers(filters)[:_MEMBERS]
    else:
        numbers = collection.positions.nearest(position, _MEMBERS, filters=filters)[0]
    shown, records = Shown(snapshot, QueryWords(collection, "", position)), collection.store.get(numbers)
    return [Member(**shown.member(int(n), record)) for n, record in zip(numbers, records, strict=True)]
