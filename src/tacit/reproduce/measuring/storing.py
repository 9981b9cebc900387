"""What was measured, as JSON lines: one per case, small enough to be kept with the sources.

A line has the case, the identity of the settings that it was measured with, the day, the processor seconds, and the
rows as tables: the names of the columns once, then the values. Numbers have six significant digits.
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any, NamedTuple

from tacit.errors import InputError
from tacit.files import replace_text
from tacit.reproduce.experiment import Facts

__all__ = ["Stored", "append", "case_key", "read", "rewrite"]

_DIGITS = 6


class Stored(NamedTuple):
    """A measured case.

    Attributes
    ----------
    case : Facts
    settings : str
        Identity of the settings.
    measured : str
        Day, as YYYY-MM-DD.
    seconds : float
        Processor time.
    rows : list of Facts
    """

    case: Facts
    settings: str
    measured: str
    seconds: float
    rows: list[Facts]


def case_key(case: Facts) -> str:
    """Return a text by which a case is found."""
    return json.dumps(case, sort_keys=True)


def read(kept: Path) -> dict[str, Stored]:
    """Return the cases of a file; a last line that was cut off by a kill is removed from it."""
    if not kept.exists():
        return {}
    text = kept.read_text(encoding="utf-8")
    whole = text[: text.rfind("\n") + 1]
    if whole != text:
        replace_text(kept, whole)
    found = {}
    for number, line in enumerate(whole.splitlines(), start=1):
        try:
            facts = json.loads(line)
            rows = _unpacked(facts["tables"])
            one = Stored(facts["case"], facts["settings"], facts["measured"], facts["seconds"], rows)
        except (ValueError, KeyError, TypeError) as error:
            raise InputError(
                f"{kept} is damaged: got {line[:40]!r} in line {number}, expected a measured case. "
                "Delete the file to measure again."
            ) from error
        found[case_key(one.case)] = one
    return found


def append(kept: Path, case: Facts, settings: str, seconds: float, rows: list[Facts]) -> Stored:
    """Add a measured case to a file, and return it as it will be read."""
    day = time.strftime("%Y-%m-%d", time.gmtime())
    one = Stored(case, settings, day, round(seconds, 1), _unpacked(_packed(rows)))
    kept.parent.mkdir(parents=True, exist_ok=True)
    with kept.open("a", encoding="utf-8") as file:
        file.write(_line(one))
    return one


def rewrite(kept: Path, cases: dict[str, Stored]) -> None:
    """Replace a file by one with these cases only."""
    replace_text(kept, "".join(map(_line, cases.values())))


def _line(one: Stored) -> str:
    facts = {
        "case": one.case, "settings": one.settings, "measured": one.measured, "seconds": one.seconds,
        "tables": _packed(one.rows),
    }  # fmt: skip
    return json.dumps(facts, ensure_ascii=False, separators=(",", ":")) + "\n"


def _packed(rows: list[Facts]) -> list[dict[str, Any]]:
    tables: dict[tuple[str, ...], list[list[Any]]] = {}
    for row in rows:
        tables.setdefault(tuple(row), []).append([_short(value) for value in row.values()])
    return [{"columns": list(columns), "rows": values} for columns, values in tables.items()]


def _short(value: Any) -> Any:
    return float(f"{value:.{_DIGITS}g}") if isinstance(value, float) else value


def _unpacked(tables: list[dict[str, Any]]) -> list[Facts]:
    return [dict(zip(table["columns"], values, strict=True)) for table in tables for values in table["rows"]]
