"""Makes the map of an index anew, without a refit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from tacit.checks import check_count
from tacit.index import GenerationWriter
from tacit.index.folder.generations import current_generation
from tacit.index.folder.opening import as_folder
from tacit.index.shards.opening import any_generation, check_complete
from tacit.models.spaces import SPACES
from tacit.tasks.build.build import disk_errors
from tacit.tasks.label_names import title_of
from tacit.tasks.layout.map_layout import make_layout
from tacit.tasks.opened_index import OpenedIndex
from tacit.tasks.stage_progress import Report, StageReporter

__all__ = ["map_again"]

_BATCH = 5_000


def map_again(path: str | Path, *, random_state: int = 0, report: Report | None = None, wait: float = 0.0) -> Path:
    """Lay out the records of an index again, as it was fitted, and keep the map in it; return the folder.

    For an index that was built without a map, and for another seed. Records that were removed since the fit keep a
    place, which is not shown; added ones are placed among their neighbours, as always.

    Parameters
    ----------
    path : str or Path
        Folder of the index.
    random_state : int, default 0
        Seed of the layout.
    report : callable, optional
        Called with a `StageEvent` when a stage begins, advances and ends.
    wait : float, default 0.0
        Seconds to wait for another writer of the same index.
    """
    folder, seed = as_folder(path), check_count("random_state", random_state, low=0)
    current_generation(folder)  # raises before a folder is created
    say = StageReporter(report)
    with disk_errors(folder), GenerationWriter(folder, wait=wait) as writer, writer.previous(any_generation) as old:
        check_complete(old)
        index = OpenedIndex(old)
        say.begin("map")
        layout = make_layout(
            np.asarray(old.array("positions")),
            _words_of(index),
            _labels_of(index),
            index.taxonomy,
            is_informed=index.settings["fitted"]["model"] != SPACES["lsi"].title,
            terms=None if index.space.words is None else index.space.words.terms,
            title=lambda label: title_of(index, label),
            seed=seed,
            progress=say.advance,
        )
        layout.save(writer)
        say.end(f"{len(layout.points):,} records and {len(layout.names):,} names on the map")
        say.begin("writing")
        writer.keep(old, except_for=("arrays/map_", "facts/map."))
        writer.finish(old.manifest.settings, old.manifest.counts, fitted_at=old.manifest.created)
        say.end(f"index written to {folder}")
    return folder


def _labels_of(index: OpenedIndex) -> list[tuple[str, ...]]:
    """Return the labels of the records of the fit; none for removed ones."""
    found: list[list[str]] = [[] for _ in range(index.positions.n_base)]
    for number, label in zip(*index.store.values("labels"), strict=True):
        if number < len(found):
            found[number].append(label)
    return [tuple(labels) for labels in found]


def _words_of(index: OpenedIndex) -> Any:
    """Return the words of the records of the fit, or their vectors."""
    words, n_base = index.space.words, index.positions.n_base
    if words is None:
        return np.asarray(index.generation.array("vectors"))
    texts = [""] * n_base
    for number, record in index.store.records(batch=_BATCH):
        if number < n_base:
            texts[number] = record.text
    return words.transform(texts)
