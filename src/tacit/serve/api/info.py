"""Which indexes there are, and what one of them holds."""

from __future__ import annotations

from collections import Counter
from typing import Any

from fastapi import APIRouter, Request

from tacit.serve.answers import as_labels, finite, stored_map, tagged, tree_of
from tacit.serve.models import (
    Abilities,
    Concept,
    ConceptEnd,
    Concepts,
    FieldFacts,
    Indexes,
    IndexFacts,
    IndexItem,
    Limit,
)
from tacit.serve.problems import PROBLEMS, Problem
from tacit.serve.state import ServiceState, Snapshot
from tacit.tasks.collection import Collection
from tacit.tasks.explain.dimension import End
from tacit.tasks.search.hits import RecordHit

__all__ = ["ask_first", "router"]

_VALUES, _EXAMPLES, _LONGEST = 20, 3, 40


def router(state: ServiceState) -> APIRouter:
    """Return the routes."""
    router = APIRouter(prefix="/api/v1", responses=PROBLEMS, tags=["info"])

    @router.get("", response_model=Indexes)
    async def indexes() -> Indexes:
        """List the indexes; one that cannot be read now is left out."""
        items = []
        for name in list(state.indexes):
            try:
                items.append(await state.run(name, _item))
            except Problem:
                continue
        return Indexes(items=items)

    @router.get("/{index}/info", response_model=IndexFacts)
    async def info(request: Request, index: str) -> Any:
        """Say what an index holds and what can be asked of it."""
        return await tagged(state, request, index, lambda snapshot: _facts(snapshot, state.token is not None))

    @router.get("/{index}/concepts", response_model=Concepts)
    async def concepts(request: Request, index: str, limit: Limit = 12) -> Any:
        """Describe the first dimensions of the space by words and labels."""

        def described(snapshot: Snapshot) -> Concepts:
            found = snapshot.kept(("concepts", limit), lambda collection: collection.concepts(limit=limit))
            ends = [(one.number, _end(one.positive), _end(one.negative)) for one in found]
            return Concepts(items=[Concept(number=n, positive=up, negative=down) for n, up, down in ends])

        return await tagged(state, request, index, described)

    return router


def ask_first(snapshot: Snapshot) -> None:
    """Ask what the page asks first."""
    _facts(snapshot, can_write=False)


def _item(snapshot: Snapshot) -> IndexItem:
    return IndexItem(
        name=snapshot.name,
        title=_title(snapshot.name),
        records=len(snapshot.collection),
        generation=snapshot.generation,
    )


def _title(name: str) -> str:
    """Return the name of a folder as a heading."""
    words = name.replace("-", " ").replace("_", " ").strip() or name
    return words[0].upper() + words[1:]


def _facts(snapshot: Snapshot, can_write: bool) -> IndexFacts:
    collection, tree = snapshot.collection, tree_of(snapshot)
    found_map, manifest = stored_map(snapshot), collection.generation.manifest
    fitted = manifest.settings.get("fitted", {})
    panel = collection.panel
    suggests = panel is not None or collection.suggester is not None or fitted.get("suggester") == "neighbours"
    return IndexFacts(
        **_item(snapshot).model_dump(),
        labels=len(tree),
        has_taxonomy=tree.has_taxonomy,
        link_kinds=collection.store.names("links"),
        fields=snapshot.kept("fields", _fields),
        model=str(fitted.get("model", "unknown")),
        dimensions=collection.space.n_dimensions,
        counted={name: finite(weight) or 0.0 for name, weight in collection.weights.items()},
        can=Abilities(
            suggest=suggests,
            reasons=panel is not None,
            map=found_map is not None,
            plain=found_map is not None and found_map.has_plain,
            recommend=bool(collection.link_names),
            write=can_write,
            concepts=collection.space.words is not None or len(tree) > 0,
        ),
        examples=snapshot.kept("examples", lambda _: _examples(snapshot)),
    )


def _fields(collection: Collection) -> list[FieldFacts]:
    """Return the fields with their most frequent values."""
    found = []
    for name in collection.store.names("fields"):
        counts = Counter(collection.store.values("fields", name)[1])
        numbers = [value for value in counts if isinstance(value, (int, float))]
        is_number = 2 * len(numbers) > len(counts)
        best = sorted(counts.items(), key=lambda pair: (-pair[1], str(pair[0])))[:_VALUES]
        low, high = (finite(min(numbers)), finite(max(numbers))) if is_number else (None, None)
        kind = "number" if is_number else "text"
        found.append(FieldFacts(name=name, kind=kind, values=best, low=low, high=high))  # type: ignore[arg-type]
    return found


def _examples(snapshot: Snapshot) -> list[str]:
    """Return a few things to search for: frequent labels, or else titles."""
    frequent = [node.title for node in tree_of(snapshot).frequent(4 * _EXAMPLES)]
    short = [title for title in frequent if len(title) <= _LONGEST and "://" not in title]
    if len(short) >= _EXAMPLES:
        return short[:_EXAMPLES]
    store = snapshot.collection.store
    records = store.get(store.numbers()[:_EXAMPLES])
    titles = [RecordHit(record.id, 0.0, record=record).title for record in records]
    return [title for title in [*short, *titles] if title][:_EXAMPLES]


def _end(end: End) -> ConceptEnd:
    return ConceptEnd(words=list(end.words), labels=as_labels(end.labels))
