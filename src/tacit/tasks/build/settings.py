"""Settings of a build, stored in the manifest so that a refit uses them again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from tacit.checks import check_choice, check_count
from tacit.errors import InputError
from tacit.models.spaces import SPACES
from tacit.text.settings import TextSettings

__all__ = ["MODELS", "BuildSettings"]

MODELS = ("auto", *SPACES)


@dataclass(frozen=True)
class BuildSettings:
    """How an index is built.

    Parameters
    ----------
    model : {"auto", "lsi", "mlsi", "hlsi", "sle", "mlsa"}, default "auto"
        The kind of space. "auto" is M-LSA for records with links to other things, MLSI for records with labels (with
        their taxonomy if there is one), and otherwise LSI.
    n_components : int, default 100
        Dimensions of the space.
    parameters : mapping, default {}
        Other parameters of the model, by name: `{"label_weight": 0.7}`.
    text : TextSettings
        How texts become words.
    suggester : {"auto", "logistic", "ridge", "svm", "both", "none"}, default "auto"
        What learns to suggest labels. "both" is one linear support vector machine per label, on words and positions
        together: the best, and the slowest to train. "logistic", "ridge" and "svm" learn from the positions alone.
        "auto" is "both" if that takes seconds, logistic regression for larger collections, and ridge regression if
        logistic regression would take too long.
    min_label_records : int, default 1
        Labels of fewer records stay with their records, but the model and the suggester do not learn them.
    taxonomy_separator : str, optional
        Separator of labels that are paths, as "/" in "animals/cats": "animals" is above "animals/cats".
    reading : mapping, default {}
        How the records were read, so that records to add are read in the same way; the fit ignores it.
    random_state : int, default 0
        The same seed gives the same index.
    """

    model: str = "auto"
    n_components: int = 100
    parameters: Mapping[str, Any] = field(default_factory=dict)
    text: TextSettings = field(default_factory=TextSettings)
    suggester: str = "auto"
    min_label_records: int = 1
    taxonomy_separator: str | None = None
    reading: Mapping[str, Any] = field(default_factory=dict)
    random_state: int = 0

    def __post_init__(self) -> None:
        check_choice("model", self.model, MODELS)
        check_count("n_components", self.n_components)
        check_choice("suggester", self.suggester, ("auto", "logistic", "ridge", "svm", "both", "none"))
        check_count("min_label_records", self.min_label_records)
        check_count("random_state", self.random_state, low=0)
        separator = self.taxonomy_separator
        if separator is not None and not (isinstance(separator, str) and separator):
            raise InputError(
                f"taxonomy_separator is not text: got {separator!r}, expected the separator of paths, such as '/'."
            )
        object.__setattr__(self, "parameters", dict(self.parameters))
        object.__setattr__(self, "reading", dict(self.reading))

    def to_facts(self) -> dict[str, Any]:
        """Return the settings as plain data."""
        plain = {entry.name: getattr(self, entry.name) for entry in fields(self)}
        plain |= {"parameters": dict(self.parameters), "reading": dict(self.reading)}
        return {**plain, "text": self.text.to_facts()}

    @classmethod
    def from_facts(cls, facts: Mapping[str, Any]) -> BuildSettings:
        """Read what `to_facts` returned."""
        unknown = [name for name in facts if name not in {entry.name for entry in fields(cls)}]
        if unknown:
            raise InputError(f"settings are unknown: got {unknown[0]!r}, expected those of this version of Tacit.")
        return cls(**{**facts, "text": TextSettings.from_facts(facts.get("text", {}))})
