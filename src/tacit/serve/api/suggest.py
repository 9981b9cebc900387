"""Labels for texts, with reasons and with a pin on the map."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter

from tacit.relations.taxonomy.names import is_iri
from tacit.serve.answers import as_json, finite, path_of, pin_of
from tacit.serve.models import Suggested, SuggestedItem, SuggestionItem, SuggestQuestion
from tacit.serve.problems import PROBLEMS
from tacit.serve.state import ServiceState, Snapshot
from tacit.tasks.suggest.suggest import Suggestion

__all__ = ["ask_first", "router"]


def router(state: ServiceState) -> APIRouter:
    """Return the routes."""
    router = APIRouter(prefix="/api/v1/{index}", responses=PROBLEMS, tags=["suggest"])

    @router.post("/suggest", response_model=Suggested)
    async def suggest(index: str, question: SuggestQuestion) -> Any:
        """Suggest labels for up to 32 texts, most probable first."""
        return await state.run(index, lambda snapshot: as_json(_suggested(snapshot, question)))

    return router


def ask_first(snapshot: Snapshot) -> None:
    """Suggest labels of a record."""
    store = snapshot.collection.store
    for record in store.get(store.numbers()[:1]):
        _suggested(snapshot, SuggestQuestion(texts=[record.text[:1_000]], limit=10, threshold=None))


def _suggested(snapshot: Snapshot, question: SuggestQuestion) -> Suggested:
    collection = snapshot.collection
    found = collection.suggest(
        question.texts,
        limit=question.limit,
        threshold=question.threshold,
        chosen=question.chosen,
        reasons=question.reasons,
    )
    positions = [None] * len(found) if collection.space.words is None else collection.space.place(question.texts)
    items = [
        SuggestedItem(suggestions=[_item(snapshot, one) for one in some], pin=pin_of(snapshot, position))
        for some, position in zip(found, positions, strict=True)
    ]
    return Suggested(items=items)


def _item(snapshot: Snapshot, one: Suggestion) -> SuggestionItem:
    sentences = () if one.evidence is None else one.evidence.sentences()
    why = "; ".join(sentences)
    return SuggestionItem(
        label=one.label,
        title=one.title,
        uri=one.label if is_iri(one.label) else None,
        probability=finite(one.probability) or 0.0,
        chosen=one.chosen,
        path=path_of(snapshot, one.label),
        why=f"{why[0].upper()}{why[1:]}." if why else "The text as a whole is like those of its records.",
        evidence=None if one.evidence is None else one.evidence.to_facts(),
    )
