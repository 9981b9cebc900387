"""Write rows into a folder of shards: block by block as they arrive, split into shards of equal size.

Where the shards end depends on the rows only, not on the blocks in which they arrive, so that the same rows always give
the same sums. The folder is written under a temporary name and renamed at the end, so an incomplete one never opens.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from tacit.checks import check_count, check_finite, is_sparse
from tacit.errors import InputError
from tacit.files import replacing
from tacit.operators.rows.blocks import RowFacts
from tacit.operators.rows.disk import MANIFEST, MEMORY_LIMIT, DiskRows, ShardManifest, checksum, file_name
from tacit.types import Array

__all__ = ["write_rows"]

_MOST_BYTES = 2**33  # with four bytes per value and per index this is 2^30 entries, which 32 bits can count
_HEADERS = 3 * 128  # bytes, in the three files of a shard
_INT32 = np.iinfo(np.int32).max


def write_rows(
    folder: str | Path,
    blocks: Iterable[Any],
    *,
    n_columns: int | None = None,
    rows_per_shard: int | None = None,
    bytes_per_shard: int = 2**26,
    memory_limit: int = MEMORY_LIMIT,
) -> DiskRows:
    """Write blocks of rows into a new folder, and open it.

    Parameters
    ----------
    folder : str or Path
        Must not exist yet, or be empty.
    blocks : iterable of sparse matrices
        Rows in order, in blocks of any size; or a single matrix. The precision is that of the first block, float32 or
        float64. Entries that are zero are left out.
    n_columns : int, optional
        Number of columns; that of the first block if not given. If given, blocks may have fewer columns.
    rows_per_shard : int, optional
        Maximum number of rows per shard.
    bytes_per_shard : int, default 64 MiB
        Maximum size of a shard, unless a single row is larger.
    memory_limit : int, default 1 GiB
        For the rows that are returned, see `open_rows`.

    Returns
    -------
    DiskRows

    Raises
    ------
    InputError
        If the folder is in use, a value is not finite, there are no rows, or the blocks differ in their columns.

    Examples
    --------
    >>> import tempfile, scipy.sparse as sp
    >>> with tempfile.TemporaryDirectory() as place:
    ...     rows = write_rows(f"{place}/rows", (sp.random_array((50, 9), density=0.2) for _ in range(4)))
    ...     rows.shape
    (200, 9)
    """
    target = Path(folder).expanduser().absolute()
    partial = target.with_name(target.name + ".partial")
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise InputError(
            f"folder is in use: got {str(target)!r}, expected a folder that does not exist or "
            "is empty. Remove its files, or use another folder."
        )
    if check_count("bytes_per_shard", bytes_per_shard) > _MOST_BYTES:
        raise InputError(f"bytes_per_shard is out of range: got {bytes_per_shard}, expected at most {_MOST_BYTES}.")
    most_rows = _INT32 if rows_per_shard is None else min(_INT32, check_count("rows_per_shard", rows_per_shard))
    columns = None if n_columns is None else check_count("n_columns", n_columns)
    try:
        partial.mkdir(parents=True)
    except FileExistsError:
        raise InputError(
            f"folder is being written: got {str(partial)!r}, which another process writes or left unfinished, "
            "expected no such folder. Remove it if no other process writes there."
        ) from None
    with replacing(target, partial):
        writer = _Writer(partial, columns, most_rows, bytes_per_shard)
        for block in [blocks] if is_sparse(blocks) else blocks:
            writer.add(block)
        writer.finish()
    return DiskRows(target, memory_limit=memory_limit)


class _Writer:
    """Splits rows into shards, writes them, and counts what the manifest records."""

    def __init__(self, folder: Path, n_columns: int | None, most_rows: int, most_bytes: int) -> None:
        self.folder, self.n_columns, self.fixed = folder, n_columns, n_columns is not None
        self.most_rows, self.most_bytes = most_rows, most_bytes
        self.dtype: np.dtype | None = None
        self.waiting: list[sp.csr_array] = []
        self.edges, self.files = [0], dict[str, tuple[int, int]]()
        self.n_blocks = self.n_entries = self.n_filled = 0
        self.squared_norm = 0.0

    def add(self, block: Any) -> None:
        rows = self._checked(block)
        self.n_blocks += 1
        start = 0
        while start < rows.shape[0]:
            stop = start + self._fits(rows.indptr[start:])
            if stop > start:
                self.waiting.append(rows[start:stop])
            if stop < rows.shape[0]:
                self._flush()
            start = stop

    def finish(self) -> None:
        """Write the last shard and the manifest."""
        if not self.waiting and len(self.edges) == 1:
            raise InputError(f"blocks holds no rows: got {self.n_blocks} blocks, expected at least one row.")
        self._flush()
        assert self.n_columns is not None
        assert self.dtype is not None
        facts = RowFacts(
            tuple(self.edges), self.n_columns, self.dtype, self.n_entries, self.squared_norm, self.n_filled
        )
        (self.folder / MANIFEST).write_text(ShardManifest(facts, self.files).to_json(), encoding="utf-8")

    def _checked(self, block: Any) -> sp.csr_array:
        """Return a block as CSR without zeros, in the precision of the first one."""
        name = f"blocks[{self.n_blocks}]"
        block = block if is_sparse(block) else np.asarray(block)
        if block.ndim != 2 or block.dtype.kind not in "buif":
            raise InputError(
                f"{name} is not a matrix of real numbers: got {block.ndim} dimensions of {block.dtype}, expected a "
                "sparse matrix with one row per record."
            )
        if self.dtype is None:
            self.dtype = np.dtype(np.float32 if block.dtype == np.float32 else np.float64)
        if self.n_columns is None:
            self.n_columns = block.shape[1]
        if self.n_columns > _INT32:
            raise InputError(f"there are too many columns: got {self.n_columns}, expected at most {_INT32}.")
        if block.shape[1] > self.n_columns or (block.shape[1] < self.n_columns and not self.fixed):
            expected = f"{'at most ' * self.fixed}{self.n_columns}"
            raise InputError(f"{name} has a different number of columns: got {block.shape[1]}, expected {expected}.")
        rows = sp.csr_array(block, dtype=self.dtype, copy=True)  # a copy, since zeros are removed in place
        rows.sum_duplicates()
        rows.eliminate_zeros()
        check_finite(name, rows)
        return rows

    def _fits(self, ends: Array) -> int:
        """Return how many of the rows that end there still fit into this shard; at least one into an empty shard."""
        assert self.dtype is not None
        n_rows = sum(part.shape[0] for part in self.waiting)
        n_entries = sum(part.nnz for part in self.waiting)
        entries = n_entries + (ends[1:].astype(np.int64) - int(ends[0]))
        sizes = _HEADERS + entries * (self.dtype.itemsize + 4) + 4 * (n_rows + np.arange(2, len(ends) + 1))
        n_fit = min(int(np.searchsorted(sizes, self.most_bytes, side="right")), self.most_rows - n_rows)
        return n_fit if self.waiting else max(1, n_fit)

    def _flush(self) -> None:
        """Write the waiting rows as one shard."""
        if not self.waiting:
            return
        shard = len(self.edges) - 1
        data = np.concatenate([part.data for part in self.waiting])
        indices = np.concatenate([part.indices for part in self.waiting]).astype(np.int32, copy=False)
        lengths = np.concatenate([np.diff(part.indptr) for part in self.waiting])
        if len(data) > _INT32:
            raise InputError(f"a row has too many entries: got {len(data)}, expected at most {_INT32}.")
        self.waiting = []
        indptr = np.append(0, np.cumsum(lengths)).astype(np.int32)
        for part, array in (("data", data), ("indices", indices), ("indptr", indptr)):
            name = file_name(shard, part)
            with open(self.folder / name, "wb") as file:
                np.lib.format.write_array(file, array, allow_pickle=False)
                self.files[name] = file.tell(), checksum(array)
        self.edges.append(self.edges[-1] + len(lengths))
        self.n_entries += len(data)
        self.n_filled += int(np.count_nonzero(lengths))
        self.squared_norm += float(np.square(data, dtype=np.float64).sum())
