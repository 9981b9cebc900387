"""Spreads a built collection over shards: each gets a run of the records, with what has a row for each of them."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from tacit.corpus.record import Record
from tacit.errors import InputError
from tacit.index import GenerationWriter, RecordStore
from tacit.index.folder.arrays import map_array
from tacit.index.folder.generations import RECORDS, current_generation
from tacit.index.folder.opening import read_manifest
from tacit.index.shards.listing import OF_RECORDS, space_digest
from tacit.index.shards.writing import facts_of_space, finish_sharded, is_finished, shard_name, write_shard
from tacit.tasks.stage_progress import StageReporter

__all__ = ["check_shards", "put_back", "write_shards"]

_BATCH = 1_000
_ASIDE = "whole"  # in the folder for the work: what is in the shards now


def check_shards(n_shards: int, n_records: int) -> None:
    """Raise an `InputError` if there are fewer records than shards."""
    if n_shards > n_records:
        raise InputError(
            f"shards is too large: got {n_shards:,} for {n_records:,} records, expected at least one record for each."
        )


def write_shards(
    writer: GenerationWriter,
    n_shards: int,
    settings: Mapping[str, Any],
    counts: Mapping[str, int],
    say: StageReporter,
) -> None:
    """Write the records, their positions and all that has a row for each of them as shards, and finish the index.

    Shards that were finished before a kill stay.

    Parameters
    ----------
    writer : of the generation, which holds everything as for one index, apart from the graph of neighbours
    n_shards : number of shards
    settings, counts : for the manifest
    say : reports the stage
    """
    say.begin("shards")
    files = facts_of_space(writer.folder)
    space, arrays = space_digest(files), _rows_of_records(writer.folder)
    bounds = np.linspace(0, len(arrays["positions"]), n_shards + 1).round().astype(int).tolist()
    for place, (first, last) in enumerate(itertools.pairwise(bounds)):
        folder = writer.shards / shard_name(place)
        say.advance(f"shard {place + 1} of {n_shards}", first / bounds[-1])
        if not (is_finished(folder) and space_digest(read_manifest(current_generation(folder)).files) == space):
            rows = {kind: array[first:last] for kind, array in arrays.items() if kind != "positions"}
            write_shard(
                folder,
                writer.folder,
                _records(writer.path(RECORDS), first, last),
                arrays["positions"][first:last],
                settings=settings,
                counts=counts,
                files=files,
                arrays=rows,
                precision=settings["build"]["precision"],
            )
            del rows
    arrays.clear()  # files that are mapped could not be moved everywhere
    _put_aside(writer)
    finish_sharded(writer, settings=settings, counts=counts, files=files)
    say.end(f"{n_shards:,} shards of about {bounds[-1] // n_shards:,} records")


def _records(path: Path, first: int, last: int) -> Iterator[Record]:
    with RecordStore(path) as store:
        for start in range(first, last, _BATCH):
            yield from store.get(range(start, min(last, start + _BATCH)))


def _rows_of_records(folder: Path) -> dict[str, Any]:
    """Return the arrays with a row for each record, mapped; lengths are computed again for each shard."""
    paths = {name: folder / "arrays" / f"{name}.npy" for name in OF_RECORDS if name != "lengths"}
    return {name: map_array(path) for name, path in paths.items() if path.exists()}


def _put_aside(writer: GenerationWriter) -> None:
    """Move what is in the shards now out of the generation; it is deleted with the folder for the work."""
    aside = writer.work / _ASIDE
    aside.mkdir(exist_ok=True)
    for name in (f"{RECORDS}-wal", f"{RECORDS}-shm", RECORDS, *(f"arrays/{name}.npy" for name in OF_RECORDS)):
        if (writer.folder / name).exists():
            os.replace(writer.folder / name, aside / Path(name).name)


def put_back(writer: GenerationWriter) -> None:
    """Undo what a build that was killed in its last step had moved."""
    aside = writer.work / _ASIDE
    for path in sorted(aside.iterdir()) if aside.is_dir() else ():
        os.replace(path, writer.path(f"arrays/{path.name}" if path.suffix == ".npy" else path.name))
