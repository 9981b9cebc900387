"""The fields and links of the records as columns that a browser filters by."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from tacit.corpus.record import Record

__all__ = ["Columns"]

_MOST_VALUES = 5_000  # different values of a field; more make it a text, not something to filter by
_SHOWN = 20
_GREATEST = 1e30  # of numbers in a column of 32 bits; one with greater ones is offered as text


class Columns:
    """Collects the values of records one by one, and writes one file per field or kind of link."""

    def __init__(self) -> None:
        self._values: dict[str, list[tuple[int, Any]]] = {}
        self._links: set[str] = set()
        self._n_records = 0

    def add(self, record: Record) -> None:
        """Add the next record."""
        row = self._n_records
        for name, value in record.fields.items():
            self._keep(name, row, value if isinstance(value, (list, tuple)) else (value,))
        for name, targets in record.links.items():
            self._links.add(name)
            self._keep(name, row, targets)
        self._n_records += 1

    def _keep(self, name: str, row: int, values: Any) -> None:
        kept = self._values.setdefault(name, [])
        kept.extend((row, value) for value in values if _can_filter(value))

    def write(self, folder: Path, save: Callable[[Path, Any], None]) -> list[dict[str, Any]]:
        """Write the columns and return what a page needs to offer them, in the form of the service's `info`."""
        found = []
        for number, (name, pairs) in enumerate(sorted(self._values.items())):
            facts = self._numbers(name, pairs) or self._texts(name, pairs)
            if facts is not None:
                for part, content in facts.pop("files").items():
                    save(folder / f"column_{number}_{part}", content)
                found.append({**facts, "column": number, "is_link": name in self._links})
        return found

    def _numbers(self, name: str, pairs: list[tuple[int, Any]]) -> dict[str, Any] | None:
        if not pairs or not all(isinstance(value, (int, float)) and abs(value) < _GREATEST for _, value in pairs):
            return None
        column = np.full(self._n_records, np.nan, np.float32)
        for row, value in reversed(pairs):
            column[row] = value
        counts = Counter(value for _, value in pairs)
        values = [[value, count] for value, count in counts.most_common(_SHOWN)] if len(counts) <= _SHOWN else []
        span = {"low": float(np.nanmin(column)), "high": float(np.nanmax(column))}
        return {"name": name, "kind": "number", "values": values, **span, "files": {"numbers.npy": column}}

    def _texts(self, name: str, pairs: list[tuple[int, Any]]) -> dict[str, Any] | None:
        counts = Counter(str(value) for _, value in pairs)
        if not counts or (len(counts) > _MOST_VALUES and name not in self._links):
            return None
        names = [value for value, _ in counts.most_common()]
        codes: Mapping[str, int] = {value: code for code, value in enumerate(names)}
        rows = np.array([row for row, _ in pairs])
        starts = np.searchsorted(rows, np.arange(self._n_records + 1)).astype(np.uint32)
        found = np.array([codes[str(value)] for _, value in pairs], np.uint32)
        values = [[value, count] for value, count in counts.most_common(_SHOWN)]
        facts = {"name": name, "kind": "text", "values": values, "low": None, "high": None}
        return {**facts, "files": {"starts.npy": starts, "codes.npy": found, "names.json": names}}


def _can_filter(value: Any) -> bool:
    """Whether a value can be filtered by: a short text or a finite number."""
    if isinstance(value, float):
        return bool(np.isfinite(value))
    return isinstance(value, int) or (isinstance(value, str) and 0 < len(value) <= 200)
