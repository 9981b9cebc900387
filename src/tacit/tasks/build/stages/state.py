"""What a build has finished, so that a build that was killed goes on behind its last finished stage.

The files of the index are written where they stay. What only later stages of the build need is in a folder beside them,
with `state.json`: the stages that are done, what they found, and what was asked for. That is written when everything
that a stage has made is on the disk. In a quick build nothing is written, since it is as quick to begin anew.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from tacit.checks import is_sparse
from tacit.errors import InputError
from tacit.files import flush_tree, remove_tree, replace_text
from tacit.index import GenerationWriter
from tacit.index.folder.generations import STATE
from tacit.relations.labels.coded import CodedSets
from tacit.types import Array

__all__ = ["BuildState", "UnfinishedIndex", "read_rows", "read_sets", "save_rows", "save_sets"]

_SECONDS = 20.0  # of work that is worth keeping


class BuildState:
    """The stages that a build has finished.

    Parameters
    ----------
    writer : of the generation
    asked : returns what was asked for, as plain data; a build with other options does not go on with this one
    resume : whether to go on with what is there, and to keep every stage, however quick it was
    """

    def __init__(self, writer: GenerationWriter, asked: Callable[[], Any], *, resume: bool = False) -> None:
        self._writer, self._asked_for = writer, asked
        self._every, self._last = 0.0 if resume else _SECONDS, time.monotonic()
        self._waiting: list[Callable[[], None]] = []
        self._done: dict[str, Any] = {}
        path = writer.work / STATE
        if resume and path.exists():
            kept = json.loads(path.read_text(encoding="utf-8"))
            differing = sorted(name for name in self._asked if kept["asked"].get(name) != self._asked[name])
            if differing:
                raise InputError(
                    f"resume does not fit: got other {differing[0]} than the build that was interrupted, expected "
                    "the same files and options. Repeat the command as it was, or leave resume out to begin anew."
                )
            self._done = kept["done"]
            for left in writer.folder.rglob(".*.new"):  # half of an array
                left.unlink()
        else:
            remove_tree(writer.work)

    @property
    def folder(self) -> Path:
        """The folder for what only the build needs."""
        return self._writer.work

    @property
    def is_new(self) -> bool:
        """Whether nothing is done yet."""
        return not self._done

    def keep_every_stage(self) -> None:
        """Keep each stage, however quick it is."""
        self._every = 0.0

    def __contains__(self, stage: str) -> bool:
        return stage in self._done

    def __getitem__(self, stage: str) -> Any:
        """Return what a finished stage found."""
        return self._done[stage]

    def finish(self, stage: str, found: Mapping[str, Any], keep: Callable[[], None] | None = None) -> None:
        """Note that a stage is done; `keep` writes what later stages need, if that is worth it."""
        self._done[stage] = dict(found)
        if keep is not None:
            self._waiting.append(keep)
        if time.monotonic() - self._last >= self._every:
            for write in self._waiting:
                write()
            self._waiting.clear()
            self._every = min(self._every, _SECONDS)
            flush_tree(self._writer.folder)
            flush_tree(self.folder)
            replace_text(self.folder / STATE, json.dumps({"asked": self._asked, "done": self._done}))
            self._last = time.monotonic()

    @cached_property
    def _asked(self) -> Any:
        return json.loads(json.dumps(self._asked_for(), sort_keys=True))


class UnfinishedIndex:
    """Arrays and facts of a generation that is being written, read as those of one that is finished.

    Parameters
    ----------
    folder : of the generation
    """

    def __init__(self, folder: Path) -> None:
        self.folder, self.manifest = folder, self
        self.files = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
        self.arrays = {Path(name).stem for name in self.files if name.startswith("arrays/")}

    def array(self, name: str) -> Array:
        """Return an array, read into memory."""
        return np.asarray(np.load(self.folder / "arrays" / f"{name}.npy", allow_pickle=False))

    def facts(self, name: str) -> Any:
        """Return facts."""
        return json.loads((self.folder / "facts" / f"{name}.json").read_text(encoding="utf-8"))


def save_sets(folder: Path, name: str, sets: CodedSets) -> None:
    """Write sets of names."""
    (folder / f"{name}.json").write_text(json.dumps(sets.names), encoding="utf-8")
    np.save(folder / f"{name}-codes.npy", np.asarray(sets.codes, np.int32))
    np.save(folder / f"{name}-ends.npy", np.asarray(sets.ends, np.int64))


def read_sets(folder: Path, name: str) -> CodedSets:
    """Read sets of names."""
    names = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
    return CodedSets.of_arrays(names, np.load(folder / f"{name}-codes.npy"), np.load(folder / f"{name}-ends.npy"))


def save_rows(folder: Path, rows: Any) -> None:
    """Write rows that are in memory, sparse or not."""
    if not is_sparse(rows):
        np.save(folder / "rows.npy", rows)
        return
    np.savez(folder / "rows.npz", data=rows.data, indices=rows.indices, indptr=rows.indptr, shape=rows.shape)


def read_rows(folder: Path) -> Any:
    """Read the rows that `save_rows` wrote."""
    if (folder / "rows.npy").exists():
        return np.load(folder / "rows.npy", allow_pickle=False)
    with np.load(folder / "rows.npz", allow_pickle=False) as kept:
        return sp.csr_array((kept["data"], kept["indices"], kept["indptr"]), shape=tuple(kept["shape"]))
