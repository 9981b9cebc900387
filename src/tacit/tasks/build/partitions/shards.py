"""The last tasks of a build on a cluster: each part becomes a shard of the index."""

from __future__ import annotations

import time
import uuid
from collections.abc import Mapping
from typing import Any

import numpy as np

from tacit.errors import BusyError
from tacit.files import link_or_copy
from tacit.index.folder.arrays import map_array
from tacit.index.folder.manifest import FileFacts
from tacit.index.nearest.precision import recall_of
from tacit.index.shards.listing import OF_RECORDS
from tacit.index.shards.writing import facts_of_space, is_finished, shard_name, write_shard
from tacit.tasks.build.partitions.places import BuildPlaces
from tacit.tasks.build.partitions.whole import Part

__all__ = ["recall_of_part", "space_files", "write_part"]

_PATIENCE = 5.0  # seconds between two looks whether another process has finished the same shard


def space_files(places: BuildPlaces) -> dict[str, FileFacts]:
    """Return the files of the finished space, with their checksums."""
    return facts_of_space(places.space)


def recall_of_part(places: BuildPlaces, part: Part) -> float:
    """Return what storing positions in fewer bits loses, as a part tells for all."""
    positions = map_array(places.part(part[0]) / "placed" / "positions.npy")
    rng = np.random.default_rng(places.settings.random_state)
    return round(recall_of(positions, places.settings.precision, rng), 4)


def write_part(
    places: BuildPlaces,
    part: Part,
    place: int,
    first: int,
    settings: Mapping[str, Any],
    counts: Mapping[str, int],
    files: Mapping[str, FileFacts],
) -> None:
    """Write a part, the first record of which has this number, as the shard at a place in their order."""
    number, n_records = part
    folder = places.shards / shard_name(place)
    mapped = {name: places.space / "arrays" / f"{name}.npy" for name in OF_RECORDS if name.startswith("map_")}
    arrays = {
        name: np.asarray(map_array(path)[first : first + n_records]) for name, path in mapped.items() if path.exists()
    }
    while not is_finished(folder):
        # second names, since a shard takes its files away from where they are, and may have to be written again
        store, positions = (places.part(number) / f"{name}.{uuid.uuid4().hex}" for name in ("store", "positions"))
        link_or_copy(places.part(number) / "records.sqlite", store)
        link_or_copy(places.part(number) / "placed" / "positions.npy", positions)
        try:
            write_shard(
                folder,
                places.space,
                store,
                positions,
                settings=settings,
                counts=counts,
                files=files,
                arrays=arrays,
                precision=settings["build"]["precision"],
            )
        except BusyError:  # a worker that was taken for dead is still at it
            time.sleep(_PATIENCE)
        finally:
            store.unlink(missing_ok=True)
            positions.unlink(missing_ok=True)
