"""The list of the shards of an index, `facts/shards.json` of its generation.

    {"folder": "shards-000001", "space": "9f86d0…", "shards": [{"name": "0000", "records": 5000000}, …]}

`records` is the number of records of the build, which gives every record its number in the whole index, also while a
shard is missing. `space` is the digest of the files of the space: shards of different builds are never mixed.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tacit.errors import InputError
from tacit.index.folder.arrays import REMEDY
from tacit.index.folder.generations import SHARDS, shards_named
from tacit.index.folder.manifest import FileFacts
from tacit.index.folder.opening import as_folder
from tacit.index.strict_json import from_json

__all__ = ["OF_RECORDS", "ShardFacts", "ShardList", "is_sharded", "shared_files", "space_digest"]

# arrays with a row for each record
OF_RECORDS = ("positions", "position_scales", "lengths", "vectors", "map_points", "map_plain")
_SPACE = (
    "arrays/terms.", "arrays/offset.", "arrays/term_weights.", "arrays/vector_", "arrays/known_", "arrays/strengths.",
    "arrays/label_positions.", "arrays/link_positions_", "arrays/head_", "facts/words.", "facts/labels.",
    "facts/links.", "facts/known_views.", "facts/emphasis.", "facts/taxonomy.",
)  # fmt: skip
_MAP = "facts/map.json"  # shared as well, but it may be made again
_NAME = re.compile(r"[0-9]{4,}")


@dataclass(frozen=True)
class ShardFacts:
    """One shard: its name and the number of its records when it was built."""

    name: str
    records: int


@dataclass(frozen=True)
class ShardList:
    """The shards of an index.

    Attributes
    ----------
    folder : name of the folder that holds them
    space : digest of the space that they share
    shards : in the order of their records
    """

    folder: str
    space: str
    shards: tuple[ShardFacts, ...]

    def to_facts(self) -> dict[str, Any]:
        """Return it as plain data."""
        shards = [{"name": shard.name, "records": shard.records} for shard in self.shards]
        return {"folder": self.folder, "space": self.space, "shards": shards}

    @classmethod
    def of_generation(cls, generation: Path) -> ShardList:
        """Read the list of a generation, and check it."""
        path = generation / SHARDS
        facts, folder = from_json(path.read_bytes(), str(path)), shards_named(generation)
        try:
            found = tuple(ShardFacts(shard["name"], shard["records"]) for shard in facts["shards"])
            space = facts["space"]
        except (KeyError, TypeError) as error:
            raise InputError(
                f"{path} is damaged: got {str(error)[:60]!r}, expected a list of shards. {REMEDY}"
            ) from error
        sound = all(isinstance(one.name, str) and isinstance(one.records, int) and one.records >= 0 for one in found)
        if not (found and sound and isinstance(space, str) and folder is not None):
            raise InputError(f"{path} is damaged: got no names and numbers of shards, expected some. {REMEDY}")
        if not all(_NAME.fullmatch(one.name) for one in found) or len({one.name for one in found}) < len(found):
            raise InputError(f"{path} is damaged: got wrong names of shards, expected names such as '0000'. {REMEDY}")
        return cls(folder, space, found)


def is_sharded(path: str | Path) -> bool:
    """Whether the records of the index in a folder are in shards; False if there is no index."""
    from tacit.index.folder.generations import current_or_none

    folder = as_folder(path)
    name = current_or_none(folder)
    return name is not None and (folder / name / SHARDS).exists()


def shared_files(names: Iterable[str]) -> list[str]:
    """Return those of the files of a generation that each of its shards has as well: the space, and names of the map.

    What suggests subjects is counted over the records of all shards, and is not among them.
    """
    return sorted(name for name in names if name.startswith(_SPACE) or name == _MAP)


def space_digest(files: Mapping[str, FileFacts]) -> str:
    """Return what tells spaces apart: the checksum of the checksums of their files."""
    named = sorted(f"{name} {facts.sha256}" for name, facts in files.items() if name.startswith(_SPACE))
    return hashlib.sha256("\n".join(named).encode()).hexdigest()
