"""Map: draws the records of an index in the plane, as a page for a browser or as a picture."""

from __future__ import annotations

import importlib.util
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tacit.checks import check_count
from tacit.corpus.record import Record
from tacit.errors import InputError, MissingExtraError
from tacit.index import Filters
from tacit.tasks.label_names import title_of
from tacit.tasks.layout.plane import lay_out
from tacit.tasks.map.grouping import groups_of
from tacit.tasks.map.looks import coloured
from tacit.tasks.map.map_data import Map, MapGroup, MapName
from tacit.tasks.map.picture import PICTURES
from tacit.tasks.map.stored import StoredMap
from tacit.tasks.opened_index import OpenedIndex
from tacit.types import Float32Array, IntArray

__all__ = ["check_output", "draw_map", "map_of", "write_map"]


def draw_map(
    collection: OpenedIndex,
    path: str | Path,
    *,
    colour_by: str = "label",
    filters: Filters | None = None,
    under: str | None = None,
    title: str | None = None,
    random_state: int = 0,
) -> Map:
    """Draw the records of an index as a map, write it to a file, and return what is on it.

    Parameters
    ----------
    collection : an open index
    path : str or Path
        File to write: .html is a page that works in any browser without a network, .png, .svg and .pdf are pictures.
    colour_by : str, default "label"
        "label" is the top of the taxonomy, or the most frequent label of a record; "cluster" is a group of nearby
        records, named by its words; "concept" is the dimension along which a record is most unusual; anything else is
        the name of a field or link.
    filters : Filters, optional
        Only matching records.
    under : str, optional
        A label, if the filters leave only records below it: colours are then those of what is directly below.
    title : str, optional
        Default: the name of the index.
    random_state : int, default 0
        The same seed gives the same map. It matters for an index without a map of its own, and for clusters.

    Raises
    ------
    InputError
        If no record matches, or the file cannot be written.
    """
    path = check_output(path)
    options: dict[str, Any] = {"filters": filters, "under": under, "title": title, "random_state": random_state}
    found = map_of(collection, colour_by=colour_by, **options)
    write_map(found, path)
    return found


def map_of(
    collection: OpenedIndex,
    *,
    colour_by: str = "label",
    filters: Filters | None = None,
    under: str | None = None,
    title: str | None = None,
    random_state: int = 0,
) -> Map:
    """Lay out the records of an index, group and name them; parameters as for `draw_map`."""
    seed = check_count("random_state", random_state, low=0)
    numbers = collection.store.numbers(filters)
    if not len(numbers):
        raise InputError("there is nothing to draw: got no matching record, expected at least one.")
    records = []  # with the beginning of their texts only
    for start in range(0, len(numbers), _BATCH):
        for record in collection.store.get(numbers[start : start + _BATCH]):
            text = record.text.strip().split("\n", 1)[0][:_LONGEST_TITLE]
            records.append(Record(record.id, text, record.labels, record.title, {}, record.fields))
    options: dict[str, Any] = {"filters": filters, "under": under, "random_state": seed}
    found = groups_of(collection, numbers, colour_by, **options, argument="colour_by")
    points = _points(collection, numbers, seed)
    groups = coloured(found, "no label" if colour_by == "label" else f"no {colour_by}")
    titles = {label: title_of(collection, label) for record in records for label in record.labels}
    labels = [tuple(titles[name] for name in record.labels) for record in records]
    return Map(
        title or collection.path.stem,
        points,
        [record.id for record in records],
        [_title(record) for record in records],
        labels,
        groups,
        _names(points, groups, labels),
        colour_by,
    )


def _points(collection: OpenedIndex, numbers: IntArray, seed: int) -> Float32Array:
    """Return where the records are on the map that the index keeps, or else on a new one."""
    stored = StoredMap.of(collection)
    if stored is not None:
        return np.asarray(stored.points()[numbers], np.float32)
    # the sample is always by labels, so that maps of one collection with different colours have the same layout
    widest = groups_of(collection, numbers)
    return lay_out(collection.positions.of(numbers), widest.codes.tolist(), random_state=seed)


def write_map(found: Map, path: str | Path) -> Path:
    """Write a map to a file, in the format of its ending."""
    path = check_output(path)
    if path.suffix.lower() == _PAGE:
        from tacit.tasks.map.page import write_page

        return write_page(found, path)
    from tacit.tasks.map.picture import draw_picture

    return draw_picture(found, path)


def check_output(path: str | Path, *, argument: str = "output") -> Path:
    """Raise the errors of writing to this path before the work is done."""
    path = Path(path).expanduser()
    kind = path.suffix.lower()
    if kind not in (_PAGE, *PICTURES):
        raise InputError(
            f"{argument} is not a map file: got {str(path)!r}, expected a name that ends in .html for a browser, or in "
            f"{', '.join(PICTURES)} for a picture."
        )
    library = "plotly" if kind == _PAGE else "matplotlib"
    if importlib.util.find_spec(library) is None:
        raise MissingExtraError(library, "plot", f"A map in a {kind} file")
    if not path.parent.is_dir() or path.is_dir():
        raise InputError(f"{argument} cannot be written: got {str(path)!r}, expected a file in a folder that exists.")
    return path


_PAGE = ".html"
_LONGEST_TITLE = 120
_BATCH = 2000
_FEWEST_NAMED = 3  # records of a label that is named
_MOST_NAMES = 400


def _title(record: Record) -> str:
    text = " ".join((record.title or record.text).split())
    return text if len(text) <= _LONGEST_TITLE else text[: _LONGEST_TITLE - 1].rstrip() + "…"


def _names(points: Any, groups: Sequence[MapGroup], labels: Sequence[tuple[str, ...]]) -> list[MapName]:
    """Place the names of groups, then those of the largest labels, where their records are densest."""
    named = [
        _placed(group.name, points[group.rows], number) for number, group in enumerate(groups) if not group.is_rest
    ]
    taken = {name.text for name in named}
    counts = Counter(label for names in labels for label in set(names) if label not in taken)
    largest = [label for label, count in counts.most_common(_MOST_NAMES) if count >= _FEWEST_NAMED]
    rows: dict[str, list[int]] = {label: [] for label in largest}
    for row, names in enumerate(labels):
        for label in set(names):
            if label in rows:
                rows[label].append(row)
    return named + [_placed(label, points[rows[label]], None) for label in sorted(rows, key=lambda x: -counts[x])]


def _placed(text: str, points: Any, group: int | None) -> MapName:
    """Place a name at the point with most others around it: a mean may be where there is no point."""
    sample = points[:: len(points) // 600 + 1] if len(points) > 600 else points
    squares = ((sample[:, None, :] - sample[None, :, :]) ** 2).sum(axis=2)
    width = max(float(np.ptp(sample, axis=0).max()) / 6, 1e-9)
    x, y = sample[np.argmax(np.exp(-squares / width**2).sum(axis=1))]
    return MapName(text, float(x), float(y), len(points), group)
