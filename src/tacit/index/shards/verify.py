"""Checks a whole index, also one whose records are in shards."""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Iterator
from pathlib import Path

from tacit.errors import InputError
from tacit.index.folder import verify as of_one
from tacit.index.folder.generations import current_generation, shards_named
from tacit.index.folder.opening import Generation, as_folder, read_manifest
from tacit.index.shards.listing import ShardList, space_digest

__all__ = ["verify"]


def verify(path: str | Path) -> list[str]:
    """Check everything about the index in a folder.

    Nothing is changed, and readers can go on; writers wait while the records are checked. Each shard is checked as an
    index of its own; all must be there, of one space, and no id may be in two of them.

    Parameters
    ----------
    path : str or Path
        Folder of the index.

    Returns
    -------
    list of str
        A sentence for each fault; empty for a sound index.
    """
    folder = as_folder(path)
    try:
        generation = current_generation(folder)
        named = shards_named(generation)
        if named is None:
            return of_one.verify(folder)
        listed = ShardList.of_generation(generation)
        found = of_one.files_complaints(generation, read_manifest(generation))
    except InputError as error:
        return [str(error)]
    sound = []
    for shard in listed.shards:
        complaints = _of_shard(folder / named / shard.name, listed, shard.records)
        found += complaints
        if not complaints:
            sound.append(folder / named / shard.name)
    names = {shard.name for shard in listed.shards}
    found += [
        f"{entry} does not belong to the index: got a folder that the list of shards does not name, expected none. "
        "Move it out of the folder."
        for entry in (sorted((folder / named).iterdir()) if (folder / named).is_dir() else ())
        if entry.name not in names
    ]
    return found + _in_two(sound)


def _of_shard(folder: Path, listed: ShardList, n_records: int) -> list[str]:
    if not folder.is_dir():
        return [
            f"{folder} is missing: got no such shard, expected one of {n_records:,} records. Restore it from a copy."
        ]
    found = of_one.verify(folder)
    try:
        manifest = read_manifest(current_generation(folder))
    except InputError as error:
        return found or [str(error)]
    if space_digest(manifest.files) != listed.space:
        found.append(f"{folder} is of another space: got other files, expected those of the index. Restore it.")
    if manifest.counts.get("records") != n_records:
        built = manifest.counts.get("records")
        found.append(f"{folder} has other records: got {built} of the build, expected {n_records}. Restore it.")
    return found


def _in_two(folders: list[Path]) -> list[str]:
    """Return a sentence for the first id that two shards have; one batch of ids of each is in memory."""
    stores = [(folder, Generation(current_generation(folder))) for folder in folders]
    try:
        ids = heapq.merge(*(_ids(folder, generation) for folder, generation in stores))
        for (one, first), (other, second) in itertools.pairwise(ids):
            if one == other:
                return [f"{second} has the id of a record of {first}: got {one!r} in both, expected it in one of them."]
    finally:
        for _, generation in stores:
            generation.close()
    return []


def _ids(folder: Path, generation: Generation) -> Iterator[tuple[str, str]]:
    last = ""
    while some := generation.store.ids_after(last):
        yield from ((key, str(folder)) for key in some)
        last = some[-1]
