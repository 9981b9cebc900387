"""Settings of a build, stored in the manifest so that a refit uses them again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from tacit.checks import check_choice, check_count, check_number
from tacit.errors import InputError
from tacit.index.nearest.precision import PRECISIONS
from tacit.models.spaces import SPACES
from tacit.text.settings import TextSettings

__all__ = ["MODELS", "NO_GROWTH", "SUGGESTERS", "BuildSettings", "Growth", "dimensions_for", "growth_of"]

MODELS = ("auto", *SPACES)
SUGGESTERS = ("auto", "witnesses", "logistic", "ridge", "svm", "both", "neighbours", "none")


@dataclass(frozen=True)
class BuildSettings:
    """How an index is built.

    Parameters
    ----------
    model : {"auto", "lsi", "mlsi", "hlsi", "sle", "mlsa"}, default "auto"
        The kind of space. "auto" is MLSI for records with labels or links, from all that is known about them; M-LSA
        for ratings, where the links are more than the words; and otherwise LSI.
    n_components : int, optional
        Dimensions of the space; by default, as many as the records and their labels need, see `dimensions_for`.
    weights : mapping, default {}
        How much the words, the vectors, the labels, their taxonomy and each kind of links count: `{"places": 0.2}`.
        What is not given is found in a trial on held-out records; 0 leaves it out.
    vectors_only : bool, default False
        Whether vectors, if there are any, are used instead of the words, not beside them.
    parameters : mapping, default {}
        Other parameters of the model, by name: `{"label_weight": 0.7}`.
    text : TextSettings
        How texts become words.
    suggester : {"auto", "witnesses", "logistic", "ridge", "svm", "both", "neighbours", "none"}, default "auto"
        What learns to suggest labels. "witnesses" asks words, similar records, names, positions and related labels, and
        a ranker weighs what they say; it suits vocabularies of any size. "logistic", "ridge" and "svm" are one linear
        classifier per label on the positions, "both" on words and positions together; "neighbours" suggests the labels
        of the nearest records and takes no training. "auto" is "witnesses", or "logistic" for records without words and
        for fewer than 60 labelled records.
    min_label_records : int, default 1
        Labels of fewer records stay with their records, but the model and the suggester do not learn them.
    taxonomy_separator : str, optional
        Separator of labels that are paths, as "/" in "animals/cats": "animals" is above "animals/cats".
    label_language : str, optional
        Language in which labels are shown, as a tag ("fi") or by its English name; the taxonomy must have names in it.
        By default that of the taxonomy, or else that of the texts, English, or the first that there is.
    allow_unmatched : bool, default False
        Whether to go on if the taxonomy has fewer than half of the labels.
    reading : mapping, default {}
        How the records were read, so that records to add are read in the same way; the fit ignores it.
    map : bool, default True
        Whether to lay the records out in the plane, for `tacit map` and `tacit serve`.
    precision : {"full", "half", "int8"}, default "full"
        In how many bits positions are stored: 32, 16 or 8 for each number. Fewer need less disk and memory and miss
        some of the nearest records; the build measures how many.
    random_state : int, default 0
        The same seed gives the same index.
    """

    model: str = "auto"
    n_components: int | None = None
    weights: Mapping[str, float] = field(default_factory=dict)
    vectors_only: bool = False
    parameters: Mapping[str, Any] = field(default_factory=dict)
    text: TextSettings = field(default_factory=TextSettings)
    suggester: str = "auto"
    min_label_records: int = 1
    taxonomy_separator: str | None = None
    label_language: str | None = None
    allow_unmatched: bool = False
    reading: Mapping[str, Any] = field(default_factory=dict)
    map: bool = True
    precision: str = "full"
    random_state: int = 0

    def __post_init__(self) -> None:
        check_choice("model", self.model, MODELS)
        if self.n_components is not None:
            check_count("n_components", self.n_components)
        for name, weight in self.weights.items():
            check_number(f"weights[{name!r}]", weight)
        check_choice("suggester", self.suggester, SUGGESTERS)
        check_choice("precision", self.precision, PRECISIONS)
        check_count("min_label_records", self.min_label_records)
        check_count("random_state", self.random_state, low=0)
        separator = self.taxonomy_separator
        if separator is not None and not (isinstance(separator, str) and separator):
            raise InputError(
                f"taxonomy_separator is not text: got {separator!r}, expected the separator of paths, such as '/'."
            )
        language = self.label_language
        if language is not None and not (isinstance(language, str) and language.strip()):
            raise InputError(f"label_language is not a language: got {language!r}, expected a tag or name, as 'fi'.")
        object.__setattr__(self, "parameters", dict(self.parameters))
        object.__setattr__(self, "reading", dict(self.reading))
        object.__setattr__(self, "weights", dict(self.weights))

    def to_facts(self) -> dict[str, Any]:
        """Return the settings as plain data."""
        plain = {entry.name: getattr(self, entry.name) for entry in fields(self)}
        plain |= {name: dict(getattr(self, name)) for name in ("parameters", "reading", "weights")}
        return {**plain, "text": self.text.to_facts()}

    @classmethod
    def from_facts(cls, facts: Mapping[str, Any]) -> BuildSettings:
        """Read what `to_facts` returned."""
        unknown = [name for name in facts if name not in {entry.name for entry in fields(cls)}]
        if unknown:
            raise InputError(f"settings are unknown: got {unknown[0]!r}, expected those of this version of Tacit.")
        # before there were both in one space, vectors were always used alone
        return cls(**{"vectors_only": True, **facts, "text": TextSettings.from_facts(facts.get("text", {}))})


def dimensions_for(n_records: int, n_labels: int) -> int:
    """Return the number of dimensions for a collection.

    More labels need more dimensions to be told apart, and so do more records, whose words are more varied.
    """
    return max(2, min(_wanted(n_records, n_labels, _GROWTH), n_records // 4))


@dataclass(frozen=True)
class Growth:
    """How the space of all records differs from one of the labelled records alone.

    Where dimensions are many for so few records, words count less: each further dimension adds a direction of words,
    and all of them together would outweigh the labels.

    Attributes
    ----------
    dimensions : how many times as many it has
    before : factor of the words' emphasis in the space of labelled records
    words : factor by which this changes, so that the words' share of the distances stays
    """

    dimensions: float
    before: float
    words: float


NO_GROWTH = Growth(1.0, 1.0, 1.0)


def growth_of(n_records: int, n_labelled: int, n_labels: int) -> Growth:
    """Return how the space grows."""
    thinned = [
        (_wanted(n, n_labels, _EVEN_GROWTH) / _wanted(n, n_labels, _GROWTH)) ** _THINNING
        for n in (n_labelled, n_records)
    ]
    dimensions = dimensions_for(n_records, n_labels) / dimensions_for(n_labelled, n_labels)
    return Growth(dimensions, thinned[0], thinned[1] / thinned[0])


def _wanted(n_records: int, n_labels: int, growth: float) -> int:
    by_records = _DIMENSIONS * (n_records / _RECORDS) ** growth
    by_labels = next(dimensions for most, dimensions in _BY_LABELS if n_labels <= most)
    return min(_MOST_DIMENSIONS, max(_DIMENSIONS, round(by_records), by_labels))


# benchmarks/studies/more_knowledge.py: with 200 instead of 100 titles find their records far more often and labels no
# less; twice the records in as many dimensions lose what the words of a title need
_DIMENSIONS, _RECORDS, _GROWTH, _MOST_DIMENSIONS = 200, 1_500, 1.0, 400
# If dimensions grew as the records to the power .35, words could count as much as in the trial; with more of them less,
# by the ratio to this power, 1 / (2 POWER): then their share of the squared lengths stays (docs/decisions/0031).
_EVEN_GROWTH, _THINNING = 0.35, 1 / 0.6
_BY_LABELS = ((300, 200), (1_000, 300), (10**9, 400))  # labels up to which so many dimensions are enough
