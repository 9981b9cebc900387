"""Graphs of neighbours that usearch did not write, in indexes whose checksums were made to match.

None may end the process or hang; answers stay those of comparing with all records, or the nearest of what is proposed.
"""

from __future__ import annotations

import os
import random
import shutil
from dataclasses import replace
from pathlib import Path

from forged_graphs import WAYS, forged
from judging import SURVIVED, Outcome, found, refused
from sample_index import build_sample, quietly, write_files

import tacit
from tacit.errors import TacitError
from tacit.files import file_sha256
from tacit.index import verify
from tacit.index.folder.manifest import FileFacts, Manifest
from tacit.index.folder.opening import read_manifest
from tacit.index.nearest import approximate

__all__ = ["ForgedGraphs", "seal_manifest"]


class ForgedGraphs:
    """The part of the suite; an item is the number of a graph."""

    seconds, batch, in_process = 20.0, 100, False

    def __init__(self, folder: Path) -> None:
        self._folder, self._sound, self._case = folder, folder / "sound.tacit", folder / "case.tacit"

    def cannot_run(self) -> str:
        """Return why not, or ""."""
        return "" if approximate._usearch() else "usearch is not installed"

    def prepare(self) -> None:
        """Build an index whose collection counts as large."""
        write_files(self._folder)
        before, approximate.LARGE = approximate.LARGE, 0
        try:
            code, said = quietly(build_sample(self._folder, self._sound))
        finally:
            approximate.LARGE = before
        (self._graph,) = self._sound.glob(f"*/{approximate.GRAPH}")
        if code or verify(self._sound):
            raise AssertionError(said)
        self._right = self._found(self._sound)

    def items(self) -> range:
        """Return the numbers of cases: as many as anyone wants."""
        return range(1_000_000)

    def named(self, item: int) -> str:
        """Return the name of a case."""
        return f"graph {item}: {WAYS[item % len(WAYS)]}"

    def judge(self, item: int) -> Outcome:
        """Forge a graph, write its checksum, and search by meaning."""
        shutil.rmtree(self._case, ignore_errors=True)
        shutil.copytree(self._sound, self._case, copy_function=_copied)
        graph = self._case / self._graph.relative_to(self._sound)
        content = forged(self._graph.read_bytes(), WAYS[item % len(WAYS)], random.Random(item))
        graph.write_bytes(content)
        seal_manifest(graph.parent, graph.name)
        told = verify(self._case)
        try:
            got = self._found(self._case)
        except TacitError as error:
            return refused(error)
        if content == self._graph.read_bytes():
            return SURVIVED
        if told:
            return refused(told[0])
        # what stands behind the counts of neighbours is never read, so some changes are none
        return SURVIVED if got == self._right else found("another answer, and verify is content")

    def _found(self, path: Path) -> list[list[str]]:
        with tacit.open(path) as index:
            return [[hit.id for hit in index.search(query, by="meaning")] for query in ("whale", "kitchen lamp")]


def seal_manifest(generation: Path, name: str) -> None:
    """Write the facts of a changed file into the manifest, with a checksum, as someone would who forges an index."""
    manifest: Manifest = read_manifest(generation)
    path = generation / name
    files = {**manifest.files, name: FileFacts(path.stat().st_size, file_sha256(path))}
    (generation / "manifest.json").unlink()
    (generation / "manifest.json").write_text(replace(manifest, files=files).to_json(), encoding="utf-8")


def _copied(source: str, target: str) -> None:
    """Copy what will be changed, and link the rest."""
    changed = ("records.sqlite", "records.checksum", "lock", approximate.GRAPH)
    (shutil.copyfile if source.rpartition("/")[2] in changed else os.link)(source, target)
