"""The tasks over all records: the plan and the fit of the space, the suggester, and the map.

They are the stages of a build in one process with a limit of memory, on rows of words and positions that are in the
folders of the parts. So a cluster fits the same sample, and trains on the same records, as one process does.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from itertools import accumulate
from typing import Any

import numpy as np

from tacit.index.records.columns import StoreParts
from tacit.index.taxonomy import taxonomy_to_facts
from tacit.operators.rows.disk import open_rows
from tacit.tasks.build.label_matching import LabelMatching
from tacit.tasks.build.partitions.joined import JoinedPositions, JoinedRows
from tacit.tasks.build.partitions.places import BuildPlaces, SpaceWriter, making
from tacit.tasks.build.partitions.reading import SHARD, stored_words
from tacit.tasks.build.stages.pipeline import IndexBuild, read_space
from tacit.tasks.build.stages.plan import Limits, sampled
from tacit.tasks.build.stages.reading import ReadCollection
from tacit.tasks.build.stages.some_rows import FileRows
from tacit.tasks.stage_progress import StageReporter

__all__ = ["Part", "fit_whole", "lay_out_whole", "suggest_whole"]

Part = tuple[int, int]
"""The number of a part, and how many records it has."""


class WholeBuild(IndexBuild):
    """The stages of a build that are over all records."""

    @classmethod
    def of_parts(cls, places: BuildPlaces, parts: Sequence[Part], memory: int, say: StageReporter) -> WholeBuild:
        """Open what was read and counted."""
        folders = [places.part(number) for number, _ in parts]
        starts = (0, *accumulate(n for _, n in parts))
        stores = StoreParts(tuple(folder / "records.sqlite" for folder in folders), starts)
        limits = None
        if "plan" in (stages := places.stages()):
            limits = Limits(**stages["plan"])
        given = (SpaceWriter(places.space), places.settings, places.taxonomy, None, (), stages, say, memory, limits)
        build = cls(*given, n_shards=len(parts))
        build.words = stored_words(places)
        build.X = JoinedRows([open_rows(folder / "rows", memory_limit=2 * SHARD) for folder in folders])
        build._read = ReadCollection.open(stores, places.whole)
        build.know(build._read, LabelMatching(None))
        build.plan()
        return build

    def placed(self, places: BuildPlaces, parts: Sequence[Part]) -> WholeBuild:
        """Open the space, and the positions of all records in it."""
        assert self.limits is not None
        found = read_space(self.writer, self.state["space"], with_labels=True)
        files = [FileRows.open(places.part(number) / "placed" / "positions.npy") for number, _ in parts]
        positions: Any = JoinedPositions(files)
        self.honest = FileRows.open(places.whole / "honest.npy")
        if self.is_complete:  # as in one process that has room for all
            positions, self.honest = np.asarray(positions), np.asarray(self.honest)
        else:
            self.asked = sampled(self.X.shape[0], self.limits.n_fitted, self.settings.random_state)
        self.fitted = replace(found, positions=positions, known_views=None)
        return self

    @property
    def _is_sampled(self) -> bool:
        """Records are placed by the space also if it was fitted to all of them, whose positions are then known."""
        return True

    @property
    def is_complete(self) -> bool:
        """Whether the space is fitted to all records."""
        return self.limits is not None and self.limits.n_fitted == self.X.shape[0]

    def _fit_some(self) -> None:
        super()._fit_some()
        if self.is_complete:
            self._save_labels()

    def _place(self) -> None:
        """Leave the records to the tasks of the parts."""


def fit_whole(places: BuildPlaces, parts: Sequence[Part], memory: int, say: StageReporter) -> dict[str, Any]:
    """Decide which records the space is fitted to, and fit it; return how many they are, and the labels."""
    stages = places.stages()
    if "fit" not in stages:
        build = WholeBuild.of_parts(places, parts, memory, say)
        assert build.limits is not None
        if "plan" not in stages:
            stages.finish("plan", asdict(build.limits))
        build.fit()
        names = [] if build.labels is None else list(map(str, build.labels.names))
        counts = [] if build.labels is None else [int(count) for count in build.labels.counts]
        links = {name: sorted(targets.names) for name, targets in build._read.links.items() if targets.counts.any()}
        known = {"labels": names, "counts": counts, "links": links, "has_parents": build.known.taxonomy is not None}
        with making(places.whole / "things.json") as path:
            path.write_text(json.dumps(known), encoding="utf-8")
        if build.known.vocabulary is not None:
            build.writer.save_facts("taxonomy", taxonomy_to_facts(build.known.vocabulary))
        assert build.asked is not None
        with making(places.whole / "asked.npy") as path, path.open("wb") as file:
            np.save(file, build.asked)
        stages.finish("fit", {"complete": build.is_complete, "fitted": len(build.asked), "terms": build.X.shape[1]})
    return dict(stages["fit"])


def suggest_whole(places: BuildPlaces, parts: Sequence[Part], memory: int, say: StageReporter) -> None:
    """Train the suggester on as many records as there is room for."""
    if "suggester" not in places.stages():
        WholeBuild.of_parts(places, parts, memory, say).placed(places, parts).suggest()


def lay_out_whole(places: BuildPlaces, parts: Sequence[Part], memory: int, say: StageReporter) -> None:
    """Lay out the map of as many records as there is room for, and place the others among them."""
    if "map" not in places.stages():
        build = WholeBuild.of_parts(places, parts, memory, say).placed(places, parts)
        build.lay_out(build._read.titles_of_labels)
