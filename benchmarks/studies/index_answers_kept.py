"""Figures of the study of what an index answers, kept in a file as soon as they are measured."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
from index_answers_measures import Ranked

__all__ = ["Kept"]


class Kept:
    """Rows of figures in a JSON file; a row that is there is not measured again."""

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self.tables: dict[str, dict[str, dict[str, float]]] = {}
        self._read()

    def row(self, table: str, name: str, measure: Callable[[], Mapping[str, float]]) -> None:
        """Measure a row, unless it is there, and keep it."""
        rows = self.tables.setdefault(table, {})
        if name in rows:
            return
        start = time.perf_counter()
        rows[name] = {key: float(value) for key, value in measure().items()}
        took = f"{time.perf_counter() - start:.0f} s"
        shown = " ".join(f"{key} {value:.4f}" for key, value in rows[name].items())
        print(time.strftime("%H:%M:%S"), table, name, took, shown, file=sys.stderr, flush=True)
        if self.path is not None:
            self._read()  # another process may have measured another part meanwhile
            self.path.write_text(json.dumps(self.tables, indent=1), encoding="utf-8")

    def rows(self, table: str, names: Sequence[str], measure: Callable[[], Mapping[str, Mapping[str, float]]]) -> None:
        """Measure several rows at a time, unless all are there."""
        if any(name not in self.tables.get(table, {}) for name in names):
            for name, figures in measure().items():
                self.row(table, name, lambda figures=figures: figures)  # type: ignore[misc]

    def lists(self, name: str, find: Callable[[], Ranked]) -> Ranked:
        """Keep lists too where they take long to find."""
        path = None if self.path is None else self.path.with_name(f"{self.path.stem} {name}.npz")
        if path is not None and path.exists():
            with np.load(path) as arrays:
                return Ranked(arrays["numbers"], arrays["scores"])
        found = find()
        if path is not None:
            np.savez(path, numbers=found.numbers, scores=found.scores)
        return found

    def _read(self) -> None:
        if self.path is not None and self.path.exists():
            for table, rows in json.loads(self.path.read_text(encoding="utf-8")).items():
                self.tables[table] = rows | self.tables.get(table, {})
