"""Rows on disk: a sparse matrix larger than memory, in shards of rows that are read one after the other.

A product reads each shard once and multiplies it while a thread reads the next. What fits into the memory limit stays
there from one product to the next; the rest is read again. Shards are read into arrays, not mapped: mapped pages count
as memory of the process for as long as the system likes, and then no limit could be kept.
"""

from __future__ import annotations

import json
import mmap
import os
import zlib
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from tacit.checks import check_count, human_size
from tacit.errors import InputError
from tacit.operators.rows.blocks import BlockTask, RowBlocks, RowFacts
from tacit.types import Array

__all__ = [
    "MANIFEST",
    "MEMORY_LIMIT",
    "PARTS",
    "DiskRows",
    "Manifest",
    "checksum",
    "damaged",
    "file_name",
    "open_rows",
    "read_manifest",
]

MEMORY_LIMIT = 2**30


class DiskRows(RowBlocks):
    """A sparse matrix in a folder, by its products; made by `write_rows` and `open_rows`.

    Models take it wherever they take a sparse matrix.

    Parameters
    ----------
    folder : str or Path
        What `write_rows` wrote.
    memory_limit : int, default 1 GiB
        Bytes of the matrix that are in memory at the same time. What a product gives (a row of numbers a record, or a
        term) and what a solver keeps come on top of it.

    Attributes
    ----------
    folder : Path
    facts : RowFacts
    n_kept : int
        How many shards, from the first on, stay in memory once they are read.
    n_reads : int
        How many shards have been read from disk so far.
    """

    def __init__(self, folder: str | Path, *, memory_limit: int = MEMORY_LIMIT) -> None:
        # a path that does not depend on the working directory, which may change between two products
        self.folder = Path(folder).expanduser().absolute()
        self._manifest = read_manifest(self.folder)
        super().__init__(self._manifest.facts)
        self.memory_limit = check_count("memory_limit", memory_limit)
        self.n_kept, self._reads_ahead = _plan(self._manifest, self.memory_limit)
        self.n_reads = 0
        self._kept: dict[int, sp.csr_array] = {}
        self._checked: set[int] = set()
        self._free: list[mmap.mmap] = []

    @property
    def is_dense(self) -> bool:
        """True, as further columns cost little beside reading the matrix once more."""
        return True

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(DiskRows, memory_limit=self.memory_limit), (self.folder,)  # what was read is not sent along

    def blocks(self) -> Iterator[sp.csr_array]:
        """Give the blocks of rows themselves, one after the other, each in memory of its own."""
        return (self._shard(shard) for shard in range(self._manifest.n_shards))

    def _each(self, task: BlockTask, shared: Any = None, rows: Array | None = None) -> Iterator[Array]:
        edges, shards = self.facts.edges, self._shards()
        for start, stop in pairwise(edges):
            # what a task gives must not be a view of the shard: its memory is that of the one after the next
            yield task(next(shards), shared, None if rows is None else rows[start:stop])

    def _sum(self, task: BlockTask, shared: Any = None, rows: Array | None = None) -> Array:
        parts = self._each(task, shared, rows)
        total = np.array(next(parts))
        for part in parts:
            total += part
        return total

    def _shards(self) -> Iterator[sp.csr_array]:
        """Give the shards in order; where the limit has room, the next one is read meanwhile."""
        n_shards = self._manifest.n_shards
        if len(self._kept) == n_shards:
            yield from (self._kept[shard] for shard in range(n_shards))
            return
        n_slots = 2 if self._reads_ahead else 1
        slots = [self._slot() for _ in range(n_slots)]
        try:
            if n_slots == 1:
                yield from (self._shard(shard, slots[0]) for shard in range(n_shards))
                return
            with ThreadPoolExecutor(1, thread_name_prefix="tacit-read") as reader:
                coming: Future[sp.csr_array] = reader.submit(self._shard, 0, slots[0])
                for shard in range(n_shards):
                    block = coming.result()
                    if shard + 1 < n_shards:
                        coming = reader.submit(self._shard, shard + 1, slots[(shard + 1) % 2])
                    yield block
        finally:
            self._free = (self._free + slots)[:2]  # several threads may have had some each

    def _slot(self) -> mmap.mmap:
        """Give memory for a shard, used again and again: fresh pages cost many times what reading into them does."""
        try:
            return self._free.pop()
        except IndexError:
            return mmap.mmap(-1, max(self._manifest.shard_bytes()))

    def _shard(self, shard: int, memory: mmap.mmap | None = None) -> sp.csr_array:
        """Read a shard into this memory, or into memory of its own; there those are that are kept.

        It is taken from the system as it is: what NumPy allocates in another thread may stay in that thread's heap, and
        a fit then takes one or two shards more than the limit.
        """
        if shard in self._kept:
            return self._kept[shard]
        if memory is None or shard < self.n_kept:
            memory = mmap.mmap(-1, self._manifest.shard_bytes()[shard])
        data, indices, indptr = (
            self._read(shard, part, memory, start)
            for part, start in zip(PARTS, self._manifest.part_starts(shard), strict=True)
        )
        self._checked.add(shard)
        self.n_reads += 1
        n_rows = self.facts.edges[shard + 1] - self.facts.edges[shard]
        block = sp.csr_array((data, indices, indptr), shape=(n_rows, self.shape[1]), copy=False)
        block.has_canonical_format = True  # as it was written; looking at every entry would cost as much as reading
        if shard < self.n_kept:
            self._kept[shard] = block
        return block

    def _read(self, shard: int, part: str, memory: mmap.mmap, start: int) -> Array:
        path = self.folder / file_name(shard, part)
        try:
            array = _read_array(path, memory, start, self._manifest.files[path.name][0])
        except (OSError, ValueError, EOFError) as error:
            reason = f"{type(error).__name__} on reading it"
            raise damaged(path, reason, "the whole array that was written") from error
        # once is enough against damage, and before any use: an index out of range would end the process
        if shard not in self._checked and checksum(array) != self._manifest.files[path.name][1]:
            raise damaged(path, "content that does not match its checksum", "it untouched")
        return array


def open_rows(folder: str | Path, *, memory_limit: int = MEMORY_LIMIT) -> DiskRows:
    """Open a folder of rows that `write_rows` wrote.

    Parameters
    ----------
    folder : str or Path
    memory_limit : int, default 1 GiB
        Bytes of the matrix that may be in memory at the same time.

    Raises
    ------
    InputError
        One sentence if there are no rows in the folder, a file is missing or not whole, or the limit has no room for
        a shard. Content is compared with its checksum when a shard is read for the first time.
    """
    return DiskRows(folder, memory_limit=memory_limit)


def _read_array(path: Path, memory: mmap.mmap, start: int, size: int) -> Array:
    """Read a `.npy` file of this size into memory, which goes back to the system with the last array in it."""
    with open(path, "rb") as file:
        if np.lib.format.read_magic(file) != (1, 0):
            raise ValueError("another version of the .npy format")
        (length,), _, dtype = np.lib.format.read_array_header_1_0(file)
        n_bytes = length * dtype.itemsize
        if file.tell() + n_bytes != size:
            raise ValueError("another size than the file was written with")
        with memoryview(memory) as whole, whole[start : start + n_bytes] as part:
            if file.readinto(part) != n_bytes:
                raise EOFError("the file ends before the array does")
    return np.frombuffer(memory, dtype, length, start)


def _plan(manifest: Manifest, limit: int) -> tuple[int, bool]:
    """Give how many shards stay in memory, and whether there is room to read one while another is in use."""
    sizes = manifest.shard_bytes()
    if sum(sizes) <= limit:
        return len(sizes), True
    largest = max(sizes)
    if largest > limit:
        raise InputError(
            f"memory_limit has no room for a shard: got {human_size(limit)}, expected at least {human_size(largest)}. "
            "Raise it, or write the rows with smaller shards (bytes_per_shard)."
        )
    room = limit - 2 * largest
    return int(np.searchsorted(np.cumsum(sizes), max(room, 0), side="right")), room >= 0


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
