"""Where the processes of a build find what the others have made: one folder that all of them can access.

    <index>/generation-000001.unfinished/   the space: `arrays/` and `facts/` of the index that is being built
    <index>/generation-000001.work/
        asked/          what was asked for: settings and taxonomy
        parts/0000/     records, counts, rows of words, positions and sums of one part
        counts/         counts of words, joined in a tree
        sums/           sums over records, joined in a tree
        whole/          what is known about all records, and the stages over all of them that are finished

Everything is written under another name and renamed when it is complete. So what a task finds there is whole, a task
that is done twice does no harm, and one that was done already returns at once what it found.
"""

from __future__ import annotations

import contextlib
import json
import os
import uuid
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from tacit.files import remove_tree
from tacit.index import GenerationWriter
from tacit.index.taxonomy import taxonomy_from_facts, taxonomy_to_facts
from tacit.relations.taxonomy.taxonomy import Taxonomy
from tacit.tasks.build.settings import BuildSettings
from tacit.tasks.build.stages.state import BuildState

__all__ = ["BuildPlaces", "SavedStages", "SpaceWriter", "making"]


@dataclass(frozen=True)
class BuildPlaces:
    """The folders of one build.

    Attributes
    ----------
    space : of the generation that is being built
    shards : of the shards
    work : what only the build needs
    """

    space: Path
    shards: Path
    work: Path

    @classmethod
    def begin(cls, writer: GenerationWriter, settings: BuildSettings, taxonomy: Taxonomy | None) -> BuildPlaces:
        """Write what the tasks need to know into the folders of a generation that is being built."""
        places = cls(writer.folder, writer.shards, writer.work)
        for name in ("asked", "parts", "counts", "sums", "whole"):
            (places.work / name).mkdir(exist_ok=True)
        (places.work / "asked" / "settings.json").write_text(json.dumps(settings.to_facts()), encoding="utf-8")
        facts = None if taxonomy is None else taxonomy_to_facts(taxonomy)
        (places.work / "asked" / "taxonomy.json").write_text(json.dumps(facts), encoding="utf-8")
        return places

    def divided(self, divide: Callable[[], list[tuple[int, int]]]) -> list[tuple[int, int]]:
        """Return how the files are divided among the parts: as when the build began, if this goes on with it."""
        path = self.work / "asked" / "parts.json"
        if not path.exists():
            with making(path) as fresh:
                fresh.write_text(json.dumps(divide()), encoding="utf-8")
        return [(first, stop) for first, stop in _read(path)]

    @cached_property
    def settings(self) -> BuildSettings:
        """How to build."""
        return BuildSettings.from_facts(_read(self.work / "asked" / "settings.json"))

    @cached_property
    def taxonomy(self) -> Taxonomy | None:
        """The taxonomy that was given."""
        facts = _read(self.work / "asked" / "taxonomy.json")
        return None if facts is None else taxonomy_from_facts(facts)

    @property
    def whole(self) -> Path:
        """The folder of what is known about all records."""
        return self.work / "whole"

    def part(self, number: int) -> Path:
        """Return the folder of a part."""
        return self.work / "parts" / f"{number:04d}"

    def stages(self) -> SavedStages:
        """Return the stages over all records that are finished."""
        return SavedStages(self.whole)

    def __reduce__(self) -> tuple[Any, ...]:
        return BuildPlaces, (self.space, self.shards, self.work)  # each process reads what it needs


class SpaceWriter(GenerationWriter):
    """Writes arrays and facts into the folder of a generation that another process has begun and will finish."""

    def __init__(self, folder: Path) -> None:
        self.index, self._folder = folder.parent, folder


class SavedStages(BuildState):
    """The finished stages of a build, each in a file of its own, so that several processes can finish one.

    Parameters
    ----------
    folder : of the files
    """

    def __init__(self, folder: Path) -> None:
        self._saved = folder

    @property
    def folder(self) -> Path:
        """The folder for what only the build needs."""
        return self._saved

    @property
    def is_new(self) -> bool:
        """Whether nothing is done yet."""
        return not any(self._saved.glob("*.done.json"))

    def __contains__(self, stage: str) -> bool:
        return self._path(stage).exists()

    def __getitem__(self, stage: str) -> Any:
        """Return what a finished stage found."""
        return _read(self._path(stage))

    def finish(self, stage: str, found: Mapping[str, Any], keep: Any = None) -> None:
        """Note that a stage is done."""
        if keep is not None:
            keep()
        with making(self._path(stage)) as path:
            path.write_text(json.dumps(dict(found)), encoding="utf-8")

    def _path(self, stage: str) -> Path:
        return self._saved / f"{stage}.done.json"


@contextlib.contextmanager
def making(target: Path) -> Iterator[Path]:
    """Give another name for a file or folder in the block, and the right one afterwards; the first one made stays."""
    fresh = target.with_name(f".{target.name}.{uuid.uuid4().hex}")
    try:
        yield fresh
        try:
            os.rename(fresh, target)
        except OSError:  # a folder that another process has made meanwhile
            if not target.is_dir():
                raise
    finally:
        if fresh.is_dir():
            remove_tree(fresh)
        else:
            fresh.unlink(missing_ok=True)


def _read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))
