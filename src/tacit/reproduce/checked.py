"""Figures of the documents that can be checked: each says in a comment behind it where it comes from.

    .714<!--= mlsa-clusters; features=M-LSA, dimensions=20; F -->     the mean of an experiment, in results.csv
    100<!--= default; tacit.MLSI; n_components -->                    the default of a parameter
    .703<!--= page; docs/studies/arxiv_tall.md; MLSI -->              a line of a page with these words has it

A comment is not seen on the page. A figure agrees if the other, rounded to as many places, is the same.
"""

from __future__ import annotations

import csv
import importlib
import inspect
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tacit.errors import InputError

__all__ = ["CheckedFigure", "check_docs"]

_RESULTS = "docs/reproduction/results.csv"
_NUMBER = r"[-+]?(?:\d[\d,]*)?\.?\d+"
_MARK = re.compile(
    rf"(?P<figure>{_NUMBER})(?:\s?%)?\**"
    r"<!--=\s*(?P<source>[^;>]+);\s*(?P<place>[^;>]*);\s*(?P<name>[^;>]+?)\s*-->"
)


@dataclass(frozen=True)
class CheckedFigure:
    """A figure of a document, and what it should be.

    Attributes
    ----------
    file : Path
    line : int
    figure : str
        As written.
    source : str
        Where it comes from.
    expected : str or None
        What is there, None if nothing is.
    dated : str
        When that was measured, "" if it has no date.
    agrees : bool
    """

    file: Path
    line: int
    figure: str
    source: str
    expected: str | None
    dated: str
    agrees: bool


def check_docs(folder: str | Path) -> list[CheckedFigure]:
    """Check all figures of README.md and docs/ that say where they come from.

    Parameters
    ----------
    folder : path
        Of the project.

    Raises
    ------
    InputError
        If the folder has no documents, or if a comment cannot be understood.
    """
    place = Path(folder)
    pages = [page for page in (place / "README.md", *sorted((place / "docs").rglob("*.md"))) if page.exists()]
    if not pages:
        raise InputError(
            f"{place} has no documents: got no README.md and no docs/*.md. Name the folder of the project."
        )
    rows = _rows(place / _RESULTS)
    return [
        _checked(page.relative_to(place), number, found, place, rows)
        for page in pages
        for number, found in _marks(page)
    ]


def _marks(page: Path) -> Iterator[tuple[int, re.Match[str]]]:
    fenced = False
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), start=1):
        fenced ^= line.lstrip().startswith("```")
        if not fenced:
            yield from ((number, found) for found in _MARK.finditer(line))


def _rows(results: Path) -> list[dict[str, Any]]:
    if not results.exists():
        return []
    with results.open(encoding="utf-8", newline="") as file:
        return [{**row, "factors": json.loads(row["factors"])} for row in csv.DictReader(file)]


def _checked(page: Path, line: int, found: re.Match[str], folder: Path, rows: list[dict[str, Any]]) -> CheckedFigure:
    figure, source, place, name = (found[part].strip() for part in ("figure", "source", "place", "name"))
    dated, expected = "", None
    if source == "default":
        expected = _default(place, name, f"{page}, line {line}")
    elif source == "page":
        expected = _on_page(folder / place, name, figure)
    else:
        wanted = dict(part.split("=", 1) for part in re.split(r",\s*", place) if "=" in part)
        for row in rows:
            factors = {key: str(value) for key, value in row["factors"].items()}
            if row["experiment"] == source and row["measure"] == name and factors == wanted:
                expected, dated = row["mean"], row["measured"]
    agrees = expected is not None and _same(figure, expected)
    return CheckedFigure(page, line, figure, "; ".join((source, place, name)), expected, dated, agrees)


def _same(figure: str, expected: str) -> bool:
    """Say whether the second, rounded to the places of the first, is the first."""
    places = len(figure.partition(".")[2])
    return abs(float(figure.replace(",", "")) - float(expected)) <= 0.5 * 10.0**-places + 1e-9


def _default(place: str, name: str, where: str) -> str:
    """Return the default of a parameter: "tacit.MLSI", "n_components"."""
    module, _, thing = place.rpartition(".")
    try:
        return str(inspect.signature(getattr(importlib.import_module(module), thing)).parameters[name].default)
    except (ImportError, AttributeError, KeyError, ValueError) as error:
        raise InputError(f"{where} names what is not there: got {place} with {name}, expected a parameter.") from error


def _on_page(page: Path, words: str, figure: str) -> str | None:
    """Return the figure if a line of a page has it beside some words."""
    if page.exists():
        for line in page.read_text(encoding="utf-8").splitlines():
            if words in line and any(_same(figure, one.replace(",", "")) for one in re.findall(_NUMBER, line)):
                return figure.replace(",", "")
    return None
