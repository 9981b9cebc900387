"""Why: a hit, a pair of records, a suggestion or a label, in a sentence and in numbers."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from tacit.serve.answers import as_labels, finite
from tacit.serve.models import DimensionPart, ExplainText, Explanation, Label, Name, WordPart
from tacit.serve.problems import PROBLEMS, Problem
from tacit.serve.state import ServiceState, Snapshot
from tacit.tasks.explain.hit import HitExplanation
from tacit.tasks.explain.label import LabelExplanation, LabelPlace
from tacit.tasks.explain.similar import PairExplanation

__all__ = ["router"]

_LONGEST = 10_000


def router(state: ServiceState) -> APIRouter:
    """Return the routes."""
    router = APIRouter(prefix="/api/v1/{index}", responses=PROBLEMS, tags=["explain"])

    @router.get("/explain", response_model=Explanation)
    async def explain(
        index: str,
        q: Annotated[str | None, Query(max_length=_LONGEST, description="A query, with the id of a hit.")] = None,
        id: Annotated[Name | None, Query(description="Id of a record.")] = None,
        other: Annotated[Name | None, Query(description="Id of another record.")] = None,
        label: Annotated[Name | None, Query(description="A label, alone or with the id of a record.")] = None,
    ) -> Explanation:
        """Explain a hit (q, id), a pair (id, other), a label of a record (id, label), or a label (label)."""
        asked = {
            name for name, given in (("q", q), ("id", id), ("other", other), ("label", label)) if given is not None
        }
        if asked not in ({"q", "id"}, {"id", "other"}, {"id", "label"}, {"label"}):
            raise Problem(
                400, "This combination is not supported: expected q and id, id and other, id and label, or label."
            )
        if q is not None and id is not None:
            return await state.run(index, lambda snapshot: _hit(snapshot, q, id))
        ids = [one for one in (id, other) if one is not None]
        return await state.run(index, lambda snapshot: _explained(snapshot, ids, None, label))

    @router.post("/explain", response_model=Explanation)
    async def explain_text(index: str, question: ExplainText) -> Explanation:
        """Explain why a label is suggested for a text, or is not."""
        return await state.run(index, lambda snapshot: _explained(snapshot, [], question.text, question.label))

    return router


def _explained(snapshot: Snapshot, ids: list[str], text: str | None, label: str | None) -> Explanation:
    found = snapshot.collection.explain(ids=ids, text=text, label=label)
    if isinstance(found, PairExplanation):
        return _answer(
            "pair",
            found.in_words(),
            shared_words=list(found.shared_words[:20]),
            labels=as_labels(found.shared_labels),
            ancestors=as_labels(found.common_ancestors),
            links={name: list(targets) for name, targets in found.shared_links.items()},
            counted=_finite(found.counted),
            dimensions=[
                DimensionPart(number=one.number, part=finite(one.part) or 0.0, about=list(one.about))
                for one in found.dimensions
            ],
            score=_finite({"meaning": found.cosine}),
        )
    if isinstance(found, LabelExplanation):
        numbers = {"probability": found.probability, "threshold": found.threshold, "sum": found.score}
        return _answer(
            "suggestion",
            found.in_words(),
            words=[_part(word, part) for word, part in found.words[:30]],
            labels=[Label(label=found.label, title=found.title)],
            ancestors=as_labels(found.ancestors),
            score=_finite(numbers),
        )
    assert isinstance(found, LabelPlace)
    near = [Label(label=one.label, title=one.title) for one in found.neighbours]
    return _answer(
        "label",
        found.in_words(),
        words=[_part(word, 1.0) for word in found.words],
        labels=near,
        ancestors=as_labels(found.ancestors),
        score={"records": float(found.n_records)},
    )


def _hit(snapshot: Snapshot, query: str, id: str) -> Explanation:
    """Explain a hit by words, by meaning, or by both."""
    found = snapshot.collection.explain(query=query, ids=[id])
    assert isinstance(found, HitExplanation)
    score = {"meaning": found.cosine} if found.words else {}
    return _answer(
        "hit",
        found.in_words(),
        words=[_part(word.word, word.part) for word in found.words[:30]],
        shared_words=list(found.shared_words),
        labels=[Label(label=one.label, title=one.title) for one in found.labels],
        counted=_finite(found.counted),
        score=_finite(score | ({} if found.words_share is None else {"words": found.words_share})),
    )


def _answer(kind: str, sentence: str, **parts: object) -> Explanation:
    empty: dict[str, object] = {name: [] for name in ("words", "shared_words", "labels", "ancestors", "dimensions")}
    nothing: dict[str, object] = {"links": {}, "counted": {}, "score": {}}
    return Explanation.model_validate({"kind": kind, "sentence": sentence, **empty, **nothing, **parts})


def _part(word: str, part: float) -> WordPart:
    return WordPart(word=word, part=finite(part) or 0.0)


def _finite(numbers: dict[str, float]) -> dict[str, float]:
    return {name: number for name, value in numbers.items() if (number := finite(value)) is not None}
