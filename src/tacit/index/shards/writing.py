"""Writes the shards of an index, each an index of its own, and the generation that holds them together.

A build writes the space first: `arrays/` and `facts/` of the generation that is being built. Then each shard is written
in `writer.shards`, on any machine that sees this folder, by `write_shard`; shards share the files of the space with the
generation by hard links, or have copies where the disk has no links. Last, `finish_sharded` checks that the shards are
there and of one space, and makes the generation the current one. Until then the index is as it was, whatever happens.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from tacit.corpus.record import Record
from tacit.errors import InputError
from tacit.files import file_sha256
from tacit.index.folder.arrays import map_array
from tacit.index.folder.checksums import remember
from tacit.index.folder.generations import MANIFEST, RECORDS, current_generation, current_or_none
from tacit.index.folder.manifest import FileFacts
from tacit.index.folder.opening import read_manifest
from tacit.index.folder.writer import GenerationWriter
from tacit.index.nearest.approximate import GRAPH, write_graph
from tacit.index.nearest.exact import lengths_of
from tacit.index.nearest.precision import write_reduced
from tacit.index.records.store import RecordStore
from tacit.index.shards.listing import OF_RECORDS, ShardFacts, ShardList, shared_files, space_digest

__all__ = ["facts_of_space", "finish_sharded", "is_finished", "shard_name", "write_shard"]


def shard_name(place: int) -> str:
    """Return the name of a shard by its place in the order of the records."""
    return f"{place:04d}"


def facts_of_space(space: Path) -> dict[str, FileFacts]:
    """Return sizes and checksums of the files that shards share with the generation in a folder, finished or not.

    It reads these files once; give the result to every call of `write_shard`.
    """
    names = [path.relative_to(space).as_posix() for path in space.rglob("*") if path.is_file()]
    return {name: _facts_of(space / name) for name in shared_files(names)}


def write_shard(
    folder: Path,
    space: Path,
    records: Iterable[Record] | Path,
    positions: Any,
    *,
    settings: Mapping[str, Any],
    counts: Mapping[str, int],
    files: Mapping[str, FileFacts] | None = None,
    arrays: Mapping[str, Any] | None = None,
    precision: str = "full",
    progress: Callable[[str], None] | None = None,
) -> ShardFacts:
    """Write one shard as an index of its own, and return its facts; one that is half written is written anew.

    Parameters
    ----------
    folder : Path
        Of the shard: `writer.shards / shard_name(place)`.
    space : Path
        Folder with `arrays/` and `facts/` of the finished space: that of the generation that is being built.
    records : iterable of Record, or Path
        The records; or a closed `records.sqlite` that holds them already, which is moved into the shard.
    positions : (n_records, k) array of float32, or Path
        In the order of the records, in memory or mapped; or a `.npy` file of them, which is moved into the shard.
    settings : mapping
        How the index was built, for the manifest: `{"build": ..., "fitted": ...}`.
    counts : mapping of str to int
        Numbers of labels, terms, dimensions and numbers of the space; `records` is counted here.
    files : mapping, optional
        What `facts_of_space` returned; read here if it is not given.
    arrays : mapping, optional
        Further arrays with a row for each record: `map_points`, `map_plain`, `vectors`.
    precision : {"full", "half", "int8"}, default "full"
        In how many bits positions are stored.
    progress : callable, optional
        Called with what is being done.

    Raises
    ------
    InputError
        If numbers of records and rows differ, or something cannot be written.
    """
    say = progress or (lambda message: None)
    files = facts_of_space(space) if files is None else files
    folder.mkdir(parents=True, exist_ok=True)
    with GenerationWriter(folder) as writer:
        writer.share(space, files)
        store = writer.path(RECORDS)
        if isinstance(records, Path):
            os.replace(records, store)
        else:
            RecordStore.create(store, records, progress=lambda n: say(f"{n:,} records"))
        _save_positions(writer, positions)
        for name, array in (arrays or {}).items():
            if name not in OF_RECORDS:
                raise InputError(f"arrays has an unknown name: got {name!r}, expected one of {', '.join(OF_RECORDS)}.")
            writer.save_array(name, array)
        mapped = map_array(writer.path("arrays/positions.npy"))
        write_graph(writer.path(GRAPH), mapped, progress=lambda n: say(f"{n:,} records linked to their neighbours"))
        n_records = len(mapped)
        if precision == "full":
            writer.save_array("lengths", lengths_of(mapped))
        else:
            write_reduced(writer.path("arrays/positions.npy").parent, precision)
        del mapped  # a file that is mapped could not be renamed everywhere
        of_space = {name: count for name, count in counts.items() if name != "corrections"}
        writer.finish(settings, {**of_space, "records": n_records})
    return ShardFacts(folder.name, n_records)


def is_finished(folder: Path) -> bool:
    """Whether a shard was written completely; for a build that goes on after a kill."""
    name = current_or_none(folder) if folder.is_dir() else None
    return name is not None and (folder / name / MANIFEST).is_file()


def finish_sharded(
    writer: GenerationWriter,
    *,
    settings: Mapping[str, Any],
    counts: Mapping[str, int],
    files: Mapping[str, FileFacts] | None = None,
) -> ShardList:
    """Hold the finished shards in `writer.shards` together: write their list, and make the generation the current one.

    The generation keeps the space and what suggests subjects. Records, and arrays with a row for each, must be in the
    shards alone, apart from a map (`map_points`), which may also be in the generation. The records are numbered in the
    order of the names of the shards.

    Parameters
    ----------
    writer : GenerationWriter
        Of the generation that is being built; `writer.folder` holds the space that the shards share.
    settings, counts : mapping
        For the manifest, as for an index without shards; `records` is counted here.
    files : mapping, optional
        What `facts_of_space` returned; read here if it is not given.

    Raises
    ------
    InputError
        If there are no shards, one is not finished, or one is of another space. The index is then unchanged.
    """
    files = facts_of_space(writer.folder) if files is None else files
    space, found = space_digest(files), []
    for folder in sorted(writer.shards.iterdir()):
        generation = current_generation(folder)
        manifest = read_manifest(generation)
        if space_digest(manifest.files) != space:
            raise InputError(
                f"{folder} is of another space: got a shard whose files differ from those of {writer.index}, expected "
                "shards of one build. Write it again."
            )
        found.append(ShardFacts(folder.name, manifest.counts["records"]))
    if not sum(shard.records for shard in found):
        raise InputError(f"{writer.shards} has no records: got {len(found)} shards, expected some with records.")
    listed = ShardList(writer.shards.name, space, tuple(found))
    writer.save_facts("shards", listed.to_facts())
    writer.finish(settings, {**counts, "shards": len(found)})
    for name, facts in files.items():  # links that were made since have changed the time of the files
        remember(current_generation(writer.index) / name, facts.sha256)
    return listed


def _facts_of(path: Path) -> FileFacts:
    return FileFacts(path.stat().st_size, file_sha256(path))


def _save_positions(writer: GenerationWriter, positions: Any) -> None:
    if isinstance(positions, Path):
        os.replace(positions, writer.path("arrays/positions.npy"))
    else:
        writer.save_array("positions", np.asarray(positions, np.float32))
