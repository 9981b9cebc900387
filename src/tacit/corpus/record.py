"""The record: one text with its labels, links and fields. All readers return records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tacit.errors import InputError

__all__ = ["Record"]


@dataclass(frozen=True)
class Record:
    """One text of a collection, with its labels and everything else that is known about it.

    Parameters
    ----------
    id : str
        Name of the record; unique in its collection, never empty.
    text : str
        The text that is indexed; it includes the title if the words of the title should count.
    labels : sequence of str, default ()
        Subjects of the record, in the order of the source; a label given twice is kept once.
    title : str, default ""
        The title to show in lists of results.
    links : mapping of str to sequence of str, default {}
        Named relations to other things: `{"author": ("Knuth",), "cites": ("a12", "b7")}`.
    fields : mapping of str to anything, default {}
        Everything else: dates, splits, sources.

    Raises
    ------
    InputError
        If `id` is empty, or `labels` or one of the `links` is a single string, whose letters would become labels.

    Examples
    --------
    >>> Record("a1", "A storm over the sea", labels=["weather", "sea", "weather"]).labels
    ('weather', 'sea')
    """

    id: str
    text: str
    labels: tuple[str, ...] = ()
    title: str = ""
    links: Mapping[str, tuple[str, ...]] = field(default_factory=dict, hash=False)
    fields: Mapping[str, Any] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        if not isinstance(self.id, str) or not self.id:
            raise InputError(f"id is not a name: got {self.id!r}, expected a non-empty string.")
        if not isinstance(self.text, str):
            raise InputError(f"text of record {self.id!r} is not a text: got {self.text!r}, expected a string.")
        # copies, so that a caller who goes on filling a list or a dictionary does not change the record
        object.__setattr__(self, "labels", _names("labels", self.labels, self.id))
        links = {name: _names(f"links[{name!r}]", targets, self.id) for name, targets in self.links.items()}
        object.__setattr__(self, "links", links)
        object.__setattr__(self, "fields", dict(self.fields))


def _names(argument: str, names: object, record_id: str) -> tuple[str, ...]:
    """Return names as a tuple without repetitions."""
    if isinstance(names, (str, bytes)):
        raise InputError(
            f"{argument} of record {record_id!r} is a single string: got {names!r}, expected a sequence of names. "
            f"Write [{names!r}] for one name."
        )
    return tuple(dict.fromkeys(str(name) for name in names))  # type: ignore[attr-defined]
