"""Taxonomies of the named data sets, as plain tables of parents; `relations.Taxonomy` makes an object of them."""

from __future__ import annotations

import csv
from dataclasses import dataclass, field
from pathlib import Path

from tacit.checks import check_choice
from tacit.datasets.enzyme import load_enzyme
from tacit.datasets.published import _ARXIV_KEPT, _find
from tacit.errors import InputError

__all__ = ["TaxonomyTable", "load_taxonomy"]


@dataclass(frozen=True)
class TaxonomyTable:
    """The parents of each node, and what to show of it.

    Attributes
    ----------
    parents : dict of str to tuple of str
        Each node with the nodes right above it; a root has none.
    titles : dict of str to str
        A name for people, for the nodes that have one.
    """

    parents: dict[str, tuple[str, ...]]
    titles: dict[str, str] = field(default_factory=dict)


def load_taxonomy(name: str, data_dir: str | Path | None = None) -> TaxonomyTable:
    """Read the taxonomy of a data set; use `Taxonomy.from_parents(table.parents, titles=table.titles)`.

    Parameters
    ----------
    name : {"arxiv", "enzyme", "rcv1", "reuters21578"}
        Which data set. The categories of arXiv lie below archives, which may lie below the group of physics; of those
        with two names the one is kept that `load_arxiv` keeps. The topics of RCV1 are those of the original hierarchy,
        without the inner nodes invented later. The classes of ENZYME are the first three numbers of its EC numbers.
        The topics of Reuters-21578 lie below six groups.
    data_dir : path, optional
        Folder with a subfolder for the data set; the environment variable TACIT_DATA if not given.
    """
    check_choice("name", name, tuple(_READERS))
    return _READERS[name](data_dir)


def _arxiv(data_dir: str | Path | None) -> TaxonomyTable:
    rows = _table(_find(data_dir, "arxiv", "taxonomy.tsv"), ("node", "parent"))
    return TaxonomyTable({node: _above(parent) for node, parent in rows if node not in _ARXIV_KEPT})


def _rcv1(data_dir: str | Path | None) -> TaxonomyTable:
    rows = _table(_find(data_dir, "rcv1", "topics.tsv"), ("code", "parent_orig", "name"))
    original = [row for row in rows if row[1]]  # the nodes invented for the expanded hierarchy have no such parent
    return TaxonomyTable(
        {code: _above(parent) for code, parent, _ in original}, {code: title for code, _, title in original if title}
    )


def _reuters21578(data_dir: str | Path | None) -> TaxonomyTable:
    rows = _table(_find(data_dir, "reuters21578", "topics.tsv"), ("topic", "group", "description"))
    groups: dict[str, tuple[str, ...]] = {group: () for _, group, _ in rows}
    topics = {topic: (group,) for topic, group, _ in rows}
    return TaxonomyTable({**groups, **topics}, {topic: title for topic, _, title in rows if title})


def _enzyme(data_dir: str | Path | None) -> TaxonomyTable:
    parents: dict[str, tuple[str, ...]] = {}
    for record in load_enzyme(data_dir):
        steps = record.labels[0].split(".")
        above: tuple[str, ...] = ()
        for end in range(1, len(steps) + 1):
            node = ".".join(steps[:end])
            parents[node] = above
            above = (node,)
    return TaxonomyTable(parents)


_READERS = {"arxiv": _arxiv, "enzyme": _enzyme, "rcv1": _rcv1, "reuters21578": _reuters21578}


def _above(parent: str) -> tuple[str, ...]:
    """Give the parents of a node; the one root that the files put above all is left out, since it says nothing."""
    return () if parent.lower() in ("", "root", "none") else (parent,)


def _table(path: Path, columns: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Read some columns of a tab-separated table with a header."""
    try:
        with open(path, encoding="utf-8", newline="") as lines:
            return [tuple(row[column] for column in columns) for row in csv.DictReader(lines, delimiter="\t")]
    except (KeyError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(
            f"{path} is damaged: got {error}, expected the columns {', '.join(columns)}. Copy the file again."
        ) from error
