"""What a folder of row shards says of itself, and whether it is whole.

A folder holds `manifest.json` and for each shard three plain `.npy` files: `00000.data.npy`, `00000.indices.npy` and
`00000.indptr.npy`, a matrix in compressed rows. The manifest names every file with its size and checksum, and carries a
checksum of itself: a wrong number in it could lead a product outside of its arrays.
"""

from __future__ import annotations

import json
import os
import zlib
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np

from tacit.errors import InputError
from tacit.operators.rows.blocks import RowFacts

__all__ = ["MANIFEST", "PARTS", "Manifest", "checksum", "damaged", "file_name", "read_manifest"]

MANIFEST = "manifest.json"
PARTS = ("data", "indices", "indptr")
_FORMAT = 1
_REMEDY = "Write the rows again, or restore the folder from a copy."


@dataclass(frozen=True)
class Manifest:
    """The facts of the rows, and size and checksum of every file."""

    facts: RowFacts
    files: dict[str, tuple[int, int]]

    def to_json(self) -> str:
        """Write it with a checksum of itself."""
        body = _body(self)
        return json.dumps({**body, "checksum": _checksum_of(body)}, indent=1)

    @property
    def n_shards(self) -> int:
        """How many shards there are."""
        return len(self.facts.edges) - 1

    def shard_bytes(self) -> list[int]:
        """How much memory each shard takes."""
        return [sum(self._part_bytes(shard)) for shard in range(self.n_shards)]

    def part_starts(self, shard: int) -> list[int]:
        """Where each part of a shard begins in memory that holds all of them, at the beginning of a cache line."""
        return [end // 64 * 64 for end in accumulate(self._part_bytes(shard)[:-1], initial=0)]

    def _part_bytes(self, shard: int) -> list[int]:
        """Of the files: more than those of the arrays in them, by headers of a line or more."""
        return [self.files[file_name(shard, part)][0] for part in PARTS]


def read_manifest(folder: Path) -> Manifest:
    """Read the manifest of a folder and look whether every file is there, with the size that it should have."""
    if not folder.is_dir():
        raise InputError(f"folder is no folder of rows: got {str(folder)!r}, expected one that write_rows made.")
    path = folder / MANIFEST
    try:
        content = json.loads(path.read_bytes())
        claimed = content.pop("checksum")
    except FileNotFoundError:
        raise InputError(
            f"folder holds no rows: got {str(folder)!r} without {MANIFEST}, expected one that write_rows made."
        ) from None
    except (OSError, ValueError, AttributeError, KeyError, TypeError) as error:
        raise damaged(path, f"{type(error).__name__} on reading it", "a manifest in JSON") from error
    if content.get("format") != _FORMAT:
        raise InputError(
            f"{path} is of another format: got {content.get('format')!r}, expected {_FORMAT}. "
            "Use the version of the library that wrote it, or write the rows again."
        )
    if claimed != _checksum_of(content):
        raise damaged(path, "content that does not match its checksum", "it untouched")
    manifest = _from_body(content)
    for name, (size, _) in manifest.files.items():
        _check_size(folder / name, size)
    return manifest


def file_name(shard: int, part: str) -> str:
    """Name the file of a part of a shard."""
    return f"{shard:05d}.{part}.npy"


def checksum(content: Any) -> int:
    """Give CRC-32 of bytes or of an array: it is there against damage, and costs less than a product."""
    return zlib.crc32(content)


def damaged(path: Path, got: str, expected: str) -> InputError:
    """Say that a file is damaged."""
    return InputError(f"{path} is damaged: got {got}, expected {expected}. {_REMEDY}")


def _check_size(path: Path, expected: int) -> None:
    try:
        size = os.path.getsize(path)
    except OSError as error:
        raise InputError(
            f"{path} is missing: got {error.strerror!r}, expected a file of {expected} bytes. {_REMEDY}"
        ) from None
    if size != expected:
        raise InputError(f"{path} is not whole: got {size} bytes, expected {expected}. {_REMEDY}")


def _body(manifest: Manifest) -> dict[str, Any]:
    facts = manifest.facts
    return {
        "format": _FORMAT,
        "edges": list(facts.edges),
        "n_columns": facts.n_columns,
        "dtype": facts.dtype.name,
        "n_entries": facts.n_entries,
        "squared_norm": facts.squared_norm,
        "n_filled": facts.n_filled,
        "files": {name: list(both) for name, both in manifest.files.items()},
    }


def _from_body(body: dict[str, Any]) -> Manifest:
    facts = RowFacts(
        edges=tuple(body["edges"]),
        n_columns=body["n_columns"],
        dtype=np.dtype(body["dtype"]),
        n_entries=body["n_entries"],
        squared_norm=body["squared_norm"],
        n_filled=body["n_filled"],
    )
    return Manifest(facts, {name: (size, crc) for name, (size, crc) in body["files"].items()})


def _checksum_of(body: dict[str, Any]) -> int:
    return checksum(json.dumps(body, sort_keys=True).encode())
