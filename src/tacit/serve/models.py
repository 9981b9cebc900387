"""The shapes of questions and answers; /openapi.json follows from them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import Query
from pydantic import BaseModel, ConfigDict, Field, StringConstraints

__all__ = [
    "Changed",
    "ColourGroup",
    "Colours",
    "Concept",
    "Cursor",
    "ExplainText",
    "Explanation",
    "Hit",
    "Hits",
    "IndexFacts",
    "IndexItem",
    "Indexes",
    "Label",
    "LabelFacts",
    "LabelItem",
    "Labels",
    "Learned",
    "Limit",
    "MapNames",
    "Member",
    "Members",
    "Name",
    "NewCorrections",
    "NewRecords",
    "Offset",
    "Point",
    "RecordFacts",
    "SearchAnswer",
    "SuggestQuestion",
    "Suggested",
    "Way",
    "WordPart",
    "offset_of",
]  # fmt: skip

TEXT, TEXTS, RECORDS, NUMBERS = 100_000, 32, 500, 100  # most characters of a text, texts, records, numbers of records

Name = Annotated[str, StringConstraints(min_length=1, max_length=1_000)]
Text = Annotated[str, StringConstraints(max_length=TEXT)]
Way = Literal["hybrid", "meaning", "words"]
Limit = Annotated[int, Query(ge=1, le=100, description="Most items.")]
Cursor = Annotated[
    str | None, Query(pattern=r"^o[0-9]{1,7}$", description="`next` of the answer before, for what comes after it.")
]
Offset = int


def offset_of(cursor: str | None) -> Offset:
    """Return where a page begins."""
    return 0 if cursor is None else int(cursor[1:])


class _Model(BaseModel):
    model_config = ConfigDict(extra="ignore")


class Label(_Model):
    """A label and its title."""

    label: str
    title: str


class Point(_Model):
    """A place on the map, from -32,767 to 32,767; `px` and `py` are those by the words alone."""

    x: int
    y: int
    px: int | None = None
    py: int | None = None


class Snippet(_Model):
    """A part of a text; marks are the first character and the one after the last, in code points."""

    text: str
    marks: list[tuple[int, int]]


class Parts(_Model):
    """What a score is made of: the cosine of the positions, and the share of the best by words."""

    meaning: float | None = None
    words: float | None = None


class Member(_Model):
    """A record in a list."""

    id: str
    number: int
    title: str
    snippet: Snippet
    labels: list[Label]
    links: dict[str, list[str]]
    fields: dict[str, Any]
    map: Point | None = None


class Hit(Member):
    """A record that was found, and why."""

    score: float = Field(ge=0, le=1)
    parts: Parts
    why: str


class Hits(_Model):
    """Records that were found."""

    items: list[Hit]
    next: str | None = None


class Members(_Model):
    """Records."""

    items: list[Member]
    next: str | None = None


class SearchAnswer(Hits):
    """Records that were found, where the query belongs on the map, and what it may have meant."""

    pin: Point | None = None
    total: int | None = None
    meant: str | None = None


class IndexItem(_Model):
    """An index."""

    name: str
    title: str
    records: int
    generation: str


class Indexes(_Model):
    """The indexes of this service."""

    items: list[IndexItem]
    next: str | None = None


class FieldFacts(_Model):
    """A field that can be filtered by, with its most frequent values, and the limits of numbers."""

    name: str
    kind: Literal["number", "text"]
    values: list[tuple[Any, int]]
    low: float | None = None
    high: float | None = None


class Abilities(_Model):
    """What can be asked of an index."""

    suggest: bool
    reasons: bool
    map: bool
    plain: bool
    recommend: bool
    write: bool
    concepts: bool


class IndexFacts(_Model):
    """What an index holds."""

    name: str
    title: str
    generation: str
    records: int
    labels: int
    has_taxonomy: bool
    link_kinds: list[str]
    fields: list[FieldFacts]
    model: str
    dimensions: int
    counted: dict[str, float]
    can: Abilities
    examples: list[str]


class PlacedLabel(Label):
    """A label and the labels above it, from the top."""

    path: list[Label]


class RecordFacts(_Model):
    """Everything that is stored of a record."""

    id: str
    number: int
    title: str
    text: str
    labels: list[PlacedLabel]
    links: dict[str, list[str]]
    fields: dict[str, Any]
    map: Point | None = None


class SuggestQuestion(_Model):
    """Texts to suggest labels for."""

    texts: list[Text] = Field(min_length=1, max_length=TEXTS)
    limit: int = Field(10, ge=1, le=100)
    threshold: float | None = Field(None, ge=0, le=1)
    chosen: bool = False
    reasons: bool = True


class SuggestionItem(Label):
    """A label for a text; `path` are the labels above it, from the top."""

    uri: str | None = None
    probability: float
    chosen: bool
    path: list[Label]
    why: str
    evidence: dict[str, Any] | None = None


class SuggestedItem(_Model):
    """The labels of one text, and where it belongs on the map."""

    suggestions: list[SuggestionItem]
    pin: Point | None = None


class Suggested(_Model):
    """The labels of each text, in their order."""

    items: list[SuggestedItem]


class ExplainText(_Model):
    """A text and a label to explain."""

    text: Text
    label: Name


class WordPart(_Model):
    """A word and its part of a sum, which may be negative."""

    word: str
    part: float


class DimensionPart(_Model):
    """A dimension, its part of a cosine, and what it is about."""

    number: int
    part: float
    about: list[str]


class Explanation(_Model):
    """Why, in a sentence and in numbers."""

    kind: Literal["hit", "pair", "suggestion", "label"]
    sentence: str
    words: list[WordPart]
    shared_words: list[str]
    labels: list[Label]
    ancestors: list[Label]
    links: dict[str, list[str]]
    counted: dict[str, float]
    dimensions: list[DimensionPart]
    score: dict[str, float]


class LabelItem(Label):
    """A label in the tree: `records` have it, `total` have it or a narrower one, `children` are right below it."""

    records: int
    total: int
    children: int
    path: list[Label]


class Labels(_Model):
    """Labels."""

    items: list[LabelItem]
    next: str | None = None


class RelatedLabel(Label):
    """A label near another."""

    cosine: float


class LabelFacts(PlacedLabel):
    """A label with its words, neighbours and records."""

    records: int
    total: int
    words: list[WordPart]
    related: list[RelatedLabel]
    broader: list[Label]
    narrower: list[Label]
    members: list[Member]


class ConceptEnd(_Model):
    """Words and labels at one end of a dimension."""

    words: list[str]
    labels: list[Label]


class Concept(_Model):
    """A dimension of the space."""

    number: int
    positive: ConceptEnd
    negative: ConceptEnd


class Concepts(_Model):
    """Dimensions of the space."""

    items: list[Concept]
    next: str | None = None


class MapName(_Model):
    """A name on the map."""

    text: str
    label: str | None = None
    x: int
    y: int
    px: int | None = None
    py: int | None = None
    level: int
    records: int


class MapNames(_Model):
    """Names on the map, the widest first."""

    items: list[MapName]
    next: str | None = None
    levels: int


class ColourGroup(_Model):
    """A group of records with one colour: 1 to 12, or 13 for all others."""

    name: str
    label: str | None = None
    records: int
    code: int


class Colours(_Model):
    """Groups of records for colours."""

    groups: list[ColourGroup]
    by: str
    under: str | None = None


class NewRecord(_Model):
    """A record to add."""

    id: Name
    text: Text
    title: Annotated[str, StringConstraints(max_length=2_000)] = ""
    labels: list[Name] = Field(default=[], max_length=1_000)
    links: dict[Name, list[Name]] = Field(default={}, max_length=100)
    fields: dict[Name, Any] = Field(default={}, max_length=200)


class NewRecords(_Model):
    """Records to add."""

    records: list[NewRecord] = Field(min_length=1, max_length=RECORDS)


class NewCorrection(_Model):
    """A text with the labels that a person accepted and rejected."""

    text: Text
    accepted: list[Name] = Field(default=[], max_length=1_000)
    rejected: list[Name] = Field(default=[], max_length=1_000)


class NewCorrections(_Model):
    """Texts to learn from."""

    records: list[NewCorrection] = Field(min_length=1, max_length=RECORDS)


class Changed(_Model):
    """How many records were changed, and the generation that has them."""

    changed: int
    generation: str


class Learned(_Model):
    """How many texts were new or different, and the generation that knows them."""

    learned: int
    generation: str
