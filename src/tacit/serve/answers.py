"""Records, labels and places as the API shows them; what several endpoints share."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from fastapi import Depends, Query, Request
from pydantic import BaseModel, StringConstraints, TypeAdapter
from starlette.responses import Response

import tacit
from tacit.corpus.record import Record
from tacit.index import Filters
from tacit.serve.models import Label, Point
from tacit.serve.state import ServiceState, Snapshot
from tacit.tasks.label_names import NamedLabel, title_of
from tacit.tasks.label_tree import LabelTree
from tacit.tasks.map.colouring import Colouring, colour_groups
from tacit.tasks.map.stored import StoredMap
from tacit.tasks.search.conditions import read_conditions
from tacit.tasks.search.hits import RecordHit
from tacit.tasks.search.snippets import QueryWords, Snippet, snippet_of

__all__ = [
    "Conditions", "Given", "Shown", "as_json", "as_labels", "colouring_of", "finite", "is_known", "labels_of",
    "map_layers", "next_cursor", "path_of", "pin_of", "place_of", "stored_map", "tagged", "tree_of",
]  # fmt: skip

_Condition = Annotated[str, StringConstraints(min_length=1, max_length=1_000)]
_MANY = 20  # conditions of one kind
_PLAIN: TypeAdapter[Any] = TypeAdapter(Any)


@dataclass(frozen=True)
class Given:
    """Conditions as they were sent."""

    label: tuple[str, ...]
    under: tuple[str, ...]
    where: tuple[str, ...]
    range: tuple[str, ...]

    def __bool__(self) -> bool:
        return bool(self.label or self.under or self.where or self.range)

    def filters(self, snapshot: Snapshot) -> Filters | None:
        """Return the filters; None without conditions."""
        return read_conditions(
            snapshot.collection, labels=self.label, under=self.under, where=self.where, ranges=self.range
        )


async def _given(  # async, since FastAPI would give it a thread otherwise
    label: Annotated[list[_Condition], Query(max_length=_MANY, description="Id or name of a label.")] = [],  # noqa: B006
    under: Annotated[list[_Condition], Query(max_length=_MANY, description="A label; narrower ones count.")] = [],  # noqa: B006
    where: Annotated[list[_Condition], Query(max_length=_MANY, description="NAME=VALUE of a field or link.")] = [],  # noqa: B006
    range: Annotated[list[_Condition], Query(max_length=_MANY, description="NAME=LOW..HIGH of a field.")] = [],  # noqa: B006
) -> Given:
    return Given(tuple(label), tuple(under), tuple(where), tuple(range))


Conditions = Annotated[Given, Depends(_given)]


async def tagged(
    state: ServiceState, request: Request, index: str, work: Callable[[Snapshot], BaseModel | Response]
) -> Response:
    """Answer a question whose answer changes with the index only: with 304 if the caller has it already."""

    def with_tag(snapshot: Snapshot) -> tuple[str, BaseModel | Response | None]:
        salt = f"{tacit.__version__}{'w' if state.token else ''}".replace(".", "")
        etag = f'{snapshot.etag[:-1]}-{salt}"'
        return etag, None if is_known(request, etag) else work(snapshot)

    etag, found = await state.run(index, with_tag)
    headers = {"ETag": f"W/{etag}", "Cache-Control": "no-cache"}
    if found is None:
        return Response(status_code=304, headers=headers)
    answer = found if isinstance(found, Response) else as_json(found)
    answer.headers.update(headers)
    return answer


def is_known(request: Request, etag: str) -> bool:
    """Whether the reader has this state of the answer."""
    given = [tag.strip().removeprefix("W/") for tag in request.headers.get("if-none-match", "").split(",")]
    return etag in given or "*" in given


def next_cursor(first: int, shown: int, limit: int, *, more: bool) -> str | None:
    """Return the cursor of what follows a page."""
    return f"o{first + shown}" if more and shown == limit else None


def finite(value: float) -> float | None:
    """Return a number that JSON can hold; None for others."""
    number = float(value)
    return round(number, 6) if math.isfinite(number) else None


def tree_of(snapshot: Snapshot) -> LabelTree:
    """Return the labels with their counts."""
    return snapshot.kept("labels", LabelTree)


def stored_map(snapshot: Snapshot) -> StoredMap | None:
    """Return the map of the index, if it has one."""
    return snapshot.kept("map", StoredMap.of, until_changed=False)


def place_of(snapshot: Snapshot, number: int) -> Point | None:
    """Return where a record is on the map."""
    place = _place(map_layers(snapshot), number)
    return None if place is None else Point(**place)


def _place(layers: tuple[Any, Any] | None, number: int) -> dict[str, Any] | None:
    if layers is None or number >= len(layers[0]):
        return None
    (x, y), plain = layers[0][number].tolist(), layers[1]
    px, py = (None, None) if plain is None else plain[number].tolist()
    return {"x": x, "y": y, "px": px, "py": py}


def map_layers(snapshot: Snapshot) -> tuple[Any, Any] | None:
    """Return the points of all records, and those by the words alone; None without a map."""

    def layers(_: Any) -> tuple[Any, Any] | None:
        found = stored_map(snapshot)
        return None if found is None else (found.points(), found.points(plain=True) if found.has_plain else None)

    return snapshot.kept("layers", layers)


def pin_of(snapshot: Snapshot, position: Any, near: tuple[Any, Any] | None = None) -> Point | None:
    """Return where a text belongs on the map; None without a map, or for a text without a known word.

    `near` are the numbers and cosines of the nearest records, if they are known already.
    """
    found = stored_map(snapshot)
    if found is None or position is None or not np.any(position):
        return None
    (x, y), (px, py) = found.place(position, None if near is None else [near])[0].tolist()
    return Point(x=x, y=y, px=px, py=py) if found.has_plain else Point(x=x, y=y)


def labels_of(snapshot: Snapshot, labels: Iterable[str]) -> list[Label]:
    """Return labels with their titles."""
    return [Label(label=label, title=title_of(snapshot.collection, label)) for label in labels]


def path_of(snapshot: Snapshot, label: str) -> list[Label]:
    """Return the labels above a label, from the top."""
    return as_labels(tree_of(snapshot).path(label))


def as_labels(named: Sequence[NamedLabel]) -> list[Label]:
    """Return named labels."""
    return [Label(label=one.label, title=one.title) for one in named]


def colouring_of(snapshot: Snapshot, by: str, under: str | None) -> Colouring:
    """Return the colours of all records; the latest colourings are kept."""
    return snapshot.kept(("colours", by, under), lambda collection: colour_groups(collection, by=by, under=under))


class Shown:
    """Shows records of one answer: what all of them need is looked up once.

    They are plain data in the shapes of `Member` and `Hit`, since making and checking twenty of these takes a
    millisecond; schemathesis compares the answers with the description.

    Parameters
    ----------
    snapshot : Snapshot
    words : QueryWords, optional
        What to mark; by default nothing.
    """

    def __init__(self, snapshot: Snapshot, words: QueryWords | None = None) -> None:
        self._snapshot = snapshot
        self._words = words or QueryWords(snapshot.collection, "")
        self._layers = map_layers(snapshot)

    def member(self, number: int, record: Record) -> dict[str, Any]:
        """Return a record for a list."""
        return self._facts(number, record, self._snippet(record))

    def hit(
        self,
        number: int,
        record: Record,
        *,
        score: float,
        meaning: float | None = None,
        words: float | None = None,
        why: str | Callable[[Snippet], str],
    ) -> dict[str, Any]:
        """Return a record that was found.

        `meaning` and `words` are the parts of its score; `why` is a sentence, or makes one from the marked words.
        """
        snippet = self._snippet(record)
        reason = why if isinstance(why, str) else why(snippet)
        score = min(1.0, max(0.0, finite(score) or 0.0))
        parts = {"meaning": meaning, "words": words}
        return {**self._facts(number, record, snippet), "score": score, "parts": parts, "why": reason}

    def _snippet(self, record: Record) -> Snippet:
        return snippet_of(record.text, self._words, title=record.title)

    def _facts(self, number: int, record: Record, snippet: Snippet) -> dict[str, Any]:
        return {
            "id": record.id,
            "number": number,
            "title": RecordHit(record.id, 0.0, record=record).title,
            "snippet": {"text": snippet.text, "marks": snippet.marks},
            "labels": [{"label": one, "title": title_of(self._snapshot.collection, one)} for one in record.labels],
            "links": {name: list(targets) for name, targets in record.links.items()},
            "fields": dict(record.fields),
            "map": _place(self._layers, number),
        }


def as_json(answer: BaseModel | dict[str, Any]) -> Response:
    """Return an answer that is known to have its shape, without checking it once more."""
    return Response(_PLAIN.dump_json(answer), media_type="application/json")
