"""Rows on disk: a sparse matrix larger than memory, in shards of rows that are read one after the other.

A product reads each shard once and multiplies it while a thread reads the next. Shards that fit into the memory limit
stay in memory from one product to the next; the others are read again. Shards are read into arrays, not mapped: the
system decides how long mapped pages count as memory of the process, so no limit could be kept.
"""

from __future__ import annotations

import json
import mmap
import os
import zlib
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict, dataclass
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

__all__ = ["MANIFEST", "MEMORY_LIMIT", "PARTS", "DiskRows", "ShardManifest", "checksum", "file_name", "open_rows"]

MEMORY_LIMIT = 2**30


class DiskRows(RowBlocks):
    """The products of a sparse matrix in a folder; made by `write_rows` and `open_rows`.

    Models take it wherever they take a sparse matrix.

    Parameters
    ----------
    folder : str or Path
        A folder that `write_rows` wrote.
    memory_limit : int, default 1 GiB
        Bytes of the matrix that are in memory at the same time. The result of a product (one row per record, or per
        term) and the arrays of a solver come in addition.

    Attributes
    ----------
    folder : Path
    facts : RowFacts
    n_kept : int
        Number of shards, from the first on, that stay in memory once they are read.
    n_reads : int
        Number of shards read from disk so far.
    """

    def __init__(self, folder: str | Path, *, memory_limit: int = MEMORY_LIMIT) -> None:
        # a path that does not depend on the working directory, which may change between two products
        self.folder = Path(folder).expanduser().absolute()
        self._manifest = _read_manifest(self.folder)
        super().__init__(self._manifest.facts)
        self.memory_limit = check_count("memory_limit", memory_limit)
        self.n_kept, self._reads_ahead = _plan(self._manifest, self.memory_limit)
        self.n_reads = 0
        self._kept: dict[int, sp.csr_array] = {}
        self._checked: set[int] = set()
        self._free: list[mmap.mmap] = []

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(DiskRows, memory_limit=self.memory_limit), (self.folder,)  # without the shards in memory

    def blocks(self) -> Iterator[sp.csr_array]:
        """Return the blocks of rows themselves, one after the other, each in memory of its own."""
        return (self._shard(shard) for shard in range(self._manifest.n_shards))

    def _each(self, task: BlockTask, shared: Any = None, rows: Array | None = None) -> Iterator[Array]:
        edges, shards = self.facts.edges, self._shards()
        for start, stop in pairwise(edges):
            # the result of a task must not be a view of the shard: the shard after the next uses the same memory
            yield task(next(shards), shared, None if rows is None else rows[start:stop])

    def _sum(self, task: BlockTask, shared: Any = None, rows: Array | None = None) -> Array:
        parts = self._each(task, shared, rows)
        total = np.array(next(parts))
        for part in parts:
            total += part
        return total

    def _shards(self) -> Iterator[sp.csr_array]:
        """Yield the shards in order; if the limit allows, the next one is read in the meantime."""
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
            self._free = (self._free + slots)[:2]  # several threads may return theirs

    def _slot(self) -> mmap.mmap:
        """Return memory for a shard, used repeatedly: fresh pages take many times longer than reading into them."""
        try:
            return self._free.pop()
        except IndexError:
            return mmap.mmap(-1, max(self._manifest.shard_bytes()))

    def _shard(self, shard: int, memory: mmap.mmap | None = None) -> sp.csr_array:
        """Read a shard into this memory, or into memory of its own if none is given or the shard is kept.

        The memory comes from the system directly: what NumPy allocates in another thread may stay in that thread's
        heap, and a fit would then take one or two shards more than the limit.
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
        block.has_canonical_format = True  # as written; checking every entry would take as long as reading
        if shard < self.n_kept:
            self._kept[shard] = block
        return block

    def _read(self, shard: int, part: str, memory: mmap.mmap, start: int) -> Array:
        path = self.folder / file_name(shard, part)
        try:
            array = _read_array(path, memory, start, self._manifest.files[path.name][0])
        except (OSError, ValueError, EOFError) as error:
            reason = f"{type(error).__name__} on reading it"
            raise _damaged(path, reason, "the complete array that was written") from error
        # checked once, before the first use: an index out of range would crash the process
        if shard not in self._checked and checksum(array) != self._manifest.files[path.name][1]:
            raise _damaged(path, "content that does not match its checksum", "the content that was written")
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
        If the folder holds no rows, a file is missing or incomplete, or a shard does not fit into the limit. Content
        is compared with its checksum when a shard is read for the first time.
    """
    return DiskRows(folder, memory_limit=memory_limit)


def _read_array(path: Path, memory: mmap.mmap, start: int, size: int) -> Array:
    """Read a `.npy` file of this size into memory, which is released with the last array in it."""
    with open(path, "rb") as file:
        if np.lib.format.read_magic(file) != (1, 0):
            raise ValueError("another version of the .npy format")
        (length,), _, dtype = np.lib.format.read_array_header_1_0(file)
        n_bytes = length * dtype.itemsize
        if file.tell() + n_bytes != size:
            raise ValueError("the size differs from the one that was written")
        with memoryview(memory) as whole, whole[start : start + n_bytes] as part:
            if file.readinto(part) != n_bytes:
                raise EOFError("the file ends before the array does")
    return np.frombuffer(memory, dtype, length, start)


def _plan(manifest: ShardManifest, limit: int) -> tuple[int, bool]:
    """Return how many shards stay in memory, and whether there is room to read one while another is in use."""
    sizes = manifest.shard_bytes()
    if sum(sizes) <= limit:
        return len(sizes), True
    largest = max(sizes)
    if largest > limit:
        raise InputError(
            f"memory_limit is too small for one shard: got {human_size(limit)}, expected at least "
            f"{human_size(largest)}. Increase it, or write the rows with smaller shards (bytes_per_shard)."
        )
    room = limit - 2 * largest
    return int(np.searchsorted(np.cumsum(sizes), max(room, 0), side="right")), room >= 0


MANIFEST = "manifest.json"
PARTS = ("data", "indices", "indptr")
_FORMAT = 1
_REMEDY = "Write the rows again, or restore the folder from a copy."


@dataclass(frozen=True)
class ShardManifest:
    """The facts of the rows, and the size and checksum of every file."""

    facts: RowFacts
    files: dict[str, tuple[int, int]]

    def to_json(self) -> str:
        """Return the manifest as JSON, with a checksum of itself."""
        body = {"format": _FORMAT, **asdict(self.facts), "dtype": self.facts.dtype.name, "files": self.files}
        return json.dumps({**body, "checksum": _checksum_of(body)}, indent=1)

    @property
    def n_shards(self) -> int:
        """Number of shards."""
        return len(self.facts.edges) - 1

    def shard_bytes(self) -> list[int]:
        """Memory that each shard takes."""
        return [sum(self._part_bytes(shard)) for shard in range(self.n_shards)]

    def part_starts(self, shard: int) -> list[int]:
        """Where each part of a shard begins in the memory of the shard; always at the beginning of a cache line."""
        return [end // 64 * 64 for end in accumulate(self._part_bytes(shard)[:-1], initial=0)]

    def _part_bytes(self, shard: int) -> list[int]:
        """The sizes of the files; the arrays in them are smaller by a header of at least one cache line."""
        return [self.files[file_name(shard, part)][0] for part in PARTS]


def _read_manifest(folder: Path) -> ShardManifest:
    """Read the manifest of a folder, and check that every file exists and has the right size."""
    if not folder.is_dir():
        raise InputError(f"folder is not a folder of rows: got {str(folder)!r}, expected one that write_rows made.")
    path = folder / MANIFEST
    try:
        content = json.loads(path.read_bytes())
        claimed = content.pop("checksum")
    except FileNotFoundError:
        raise InputError(
            f"folder holds no rows: got {str(folder)!r} without {MANIFEST}, expected one that write_rows made."
        ) from None
    except (OSError, ValueError, AttributeError, KeyError, TypeError) as error:
        raise _damaged(path, f"{type(error).__name__} on reading it", "a manifest in JSON") from error
    if content.get("format") != _FORMAT:
        raise InputError(
            f"{path} has another format: got {content.get('format')!r}, expected {_FORMAT}. "
            "Use the version of the library that wrote it, or write the rows again."
        )
    if claimed != _checksum_of(content):
        raise _damaged(path, "content that does not match its checksum", "the content that was written")
    files = {name: (size, crc) for name, (size, crc) in content.pop("files").items()}
    del content["format"]
    facts = RowFacts(**{**content, "edges": tuple(content["edges"]), "dtype": np.dtype(content["dtype"])})
    manifest = ShardManifest(facts, files)
    for name, (size, _) in manifest.files.items():
        try:
            found = os.path.getsize(folder / name)
        except OSError as error:
            raise InputError(
                f"{folder / name} is missing: got {error.strerror!r}, expected a file of {size} bytes. {_REMEDY}"
            ) from None
        if found != size:
            raise InputError(f"{folder / name} is incomplete: got {found} bytes, expected {size}. {_REMEDY}")
    return manifest


def file_name(shard: int, part: str) -> str:
    """Return the name of the file for a part of a shard."""
    return f"{shard:05d}.{part}.npy"


def checksum(content: Any) -> int:
    """Return the CRC-32 of bytes or of an array: it detects damage, and takes less time than a product."""
    return zlib.crc32(content)


def _damaged(path: Path, got: str, expected: str) -> InputError:
    return InputError(f"{path} is damaged: got {got}, expected {expected}. {_REMEDY}")


def _checksum_of(body: dict[str, Any]) -> int:
    return checksum(json.dumps(body, sort_keys=True).encode())
