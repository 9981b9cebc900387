"""A build by a Dask cluster: what the client does, which is to send tasks and to hold the index together at the end.

    read parts -> count words -> weigh parts -> fit -> place parts -> suggester, map -> write parts as shards

The parts are divided by files, so a worker reads whole files. The space is fitted, and the suggester trained, on the
sample that one process with the same limit of memory draws, by one worker. No task keeps anything that another one
needs in the memory of its worker: everything goes through files (see `places`), so Dask may do any task again.
"""

from __future__ import annotations

import platform
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from itertools import accumulate, pairwise
from typing import Any

import numpy as np

from tacit import __version__
from tacit.checks import human_size
from tacit.corpus.reading import Reading
from tacit.errors import InputError
from tacit.index import GenerationWriter
from tacit.index.shards.writing import finish_sharded
from tacit.operators.rows.cluster_workers import SHARE_OF_WORKER, check_workers
from tacit.operators.rows.dask_client import Cluster
from tacit.relations.taxonomy.taxonomy import Taxonomy
from tacit.tasks.build.label_matching import LabelMatching
from tacit.tasks.build.partitions.places import BuildPlaces
from tacit.tasks.build.partitions.placing import finish_space, join_sums, place_part
from tacit.tasks.build.partitions.reading import (
    as_read,
    check_ids,
    choose_words,
    join_counts,
    join_known,
    read_part,
    weigh_part,
)
from tacit.tasks.build.partitions.running import Tasks
from tacit.tasks.build.partitions.shards import recall_of_part, space_files, write_part
from tacit.tasks.build.partitions.whole import Part, fit_whole, lay_out_whole, suggest_whole
from tacit.tasks.build.settings import BuildSettings
from tacit.tasks.build.stages.plan import Limits
from tacit.tasks.stage_progress import Report, StageReporter

__all__ = ["ClusterBuild", "check_reading"]

_PARTS_PER_THREAD = 2  # so that a worker that is done early has something to do


@dataclass(eq=False)
class ClusterBuild:
    """A build of one generation on a cluster.

    Attributes
    ----------
    writer : of the generation
    settings : how to build
    taxonomy : names of the labels, and what is above them
    cluster : its workers
    memory : bytes that a task may take; by default most of what the smallest worker has
    n_shards : number of parts; by default two for each thread of the cluster, or one for each file
    report : called with the events of stages
    limits : how many records each stage takes; decided from the memory if they are not given
    """

    writer: GenerationWriter
    settings: BuildSettings
    taxonomy: Taxonomy | None
    cluster: Cluster
    memory: int | None = None
    n_shards: int | None = None
    report: Report | None = None
    limits: Limits | None = None
    _memory: int = field(init=False, default=0)

    def run(self, reading: Reading) -> None:
        """Go through all stages."""
        say = StageReporter(self.report)
        places = BuildPlaces.begin(self.writer, self.settings, self.taxonomy)
        divided = self._begin(places, reading, say)
        if self.limits is not None:
            places.stages().finish("plan", asdict(self.limits))
        with Tasks(self.cluster, self.report) as tasks:
            parts = self._read(tasks, places, reading, divided, say)
            self._count(tasks, places, parts, say)
            self._place(tasks, places, parts, say)
            self._finish(tasks, places, parts, say)

    def _begin(self, places: BuildPlaces, reading: Reading, say: StageReporter) -> list[tuple[int, int]]:
        """Ask the workers what they are, and divide the files among the parts."""
        say.begin("cluster")
        workers = check_workers(self.cluster, self.writer.index, reading.first_path, _versions)
        least, n_threads = min(each.memory for each in workers), sum(each.threads for each in workers)
        self._memory = self.memory or int(SHARE_OF_WORKER * least)
        if self._memory > least:
            raise InputError(
                f"memory is more than a worker has: got {human_size(self._memory)}, expected at most "
                f"{human_size(SHARE_OF_WORKER * least)}. Give less, or start workers with a larger --memory-limit."
            )
        n_parts = self.n_shards or _PARTS_PER_THREAD * n_threads
        divided = places.divided(lambda: _divided(reading.sizes(), n_parts))
        few = (
            "" if len(divided) >= n_threads else f"; only {len(divided)} can read at a time, as each reads whole files"
        )
        link = self.cluster.client.dashboard_link
        say.end(f"{len(workers):,} workers, {n_threads:,} threads{few}; dashboard: {link}")
        return divided

    def _read(
        self,
        tasks: Tasks,
        places: BuildPlaces,
        reading: Reading,
        divided: Sequence[tuple[int, int]],
        say: StageReporter,
    ) -> list[Part]:
        """Let the workers read the files; return the number of each part, and of its records."""
        say.begin("reading")
        files = [reading.part(first, stop) for first, stop in divided]
        calls = [(places, number, part, self._memory) for number, part in enumerate(files)]
        found = tasks.each(read_part, calls, say)
        reading.take([as_read(part, facts) for part, facts in zip(files, found, strict=True)])
        parts = [(number, facts["records"]) for number, facts in enumerate(found) if facts["records"]]
        if not parts:
            raise InputError("records is empty: got none, expected at least one. Check what was read.")
        if not sum(facts["words"] for facts in found):
            raise InputError(
                "cluster needs records with text: got records without any word, expected some. Build them without "
                "`cluster`."
            )
        if reading.columns.id:
            tasks.one(check_ids, places, [number for number, _ in parts])
        n_records, n_labelled = (sum(facts[name] for facts in found) for name in ("records", "labelled"))
        say.end(f"{n_records:,} records stored in {len(parts):,} parts, {n_labelled:,} of them with labels")
        matching = LabelMatching(places.taxonomy)
        for facts in found:
            matching.take(facts["matching"])
        matching.check(allow_unmatched=self.settings.allow_unmatched)
        if summary := matching.summary():
            say.begin("labels")
            say.end(summary)
        return parts

    def _count(self, tasks: Tasks, places: BuildPlaces, parts: Sequence[Part], say: StageReporter) -> None:
        """Choose the words, and turn all texts into rows of them."""
        say.begin("words")
        counts = [places.part(number) / "counts.tsv" for number, _ in parts]
        total = tasks.joined(join_counts, counts, lambda name: places.work / "counts" / f"{name}.tsv")
        n_records = sum(n for _, n in parts)
        numbers = [number for number, _ in parts]
        known = tasks.begin(join_known, places, numbers)
        n_terms = tasks.one(choose_words, places, numbers, total, n_records)
        n_entries = sum(tasks.each(weigh_part, [(places, number) for number, _ in parts], say))
        tasks.results([known])
        say.end(f"{n_terms:,} different words counted, {n_entries / n_records:.0f} per record")

    def _place(self, tasks: Tasks, places: BuildPlaces, parts: Sequence[Part], say: StageReporter) -> None:
        """Fit the space, and place the records of all parts by it."""
        fitted = tasks.one(fit_whole, places, list(parts), self._memory, tells=True)
        say.begin("placing")
        calls = [(places, part, first) for part, first in zip(parts, _starts(parts), strict=False)]
        sums = tasks.each(place_part, calls, say)
        if not fitted["complete"]:
            joined = tasks.joined(join_sums, sums, lambda name: places.work / "sums" / f"{name}.npz")
            tasks.one(finish_space, places, joined)
        else:
            tasks.one(finish_space, places, sums[0])
        say.end(f"{sum(n for _, n in parts):,} records placed")

    def _finish(self, tasks: Tasks, places: BuildPlaces, parts: Sequence[Part], say: StageReporter) -> None:
        """Train the suggester, lay out the map, write the shards, and make the index the current one."""
        stages = places.stages()
        whole = (places, list(parts), self._memory)
        suggester = tasks.begin(suggest_whole, *whole, tells=True) if stages["places"]["labels"] else None
        if self.settings.map:
            tasks.one(lay_out_whole, *whole, tells=True)
        if suggester is not None:
            tasks.results([suggester])
        say.begin("shards")
        settings, counts = self._facts(places)
        if self.settings.precision != "full":
            settings["fitted"]["recall"] = tasks.one(recall_of_part, places, max(parts, key=lambda part: part[1]))
        files = tasks.one(space_files, places)
        starts = _starts(parts)
        calls = [(places, part, place, starts[place], settings, counts, files) for place, part in enumerate(parts)]
        tasks.each(write_part, calls, say, "shards")
        finish_sharded(self.writer, settings=settings, counts=counts, files=files)
        say.end(f"index of {len(parts):,} shards written to {self.writer.index}")

    def _facts(self, places: BuildPlaces) -> tuple[dict[str, Any], dict[str, int]]:
        """Return settings and counts for the manifest, as a build in one process writes them."""
        stages = places.stages()
        is_trained = "suggester" in stages
        suggester = stages["suggester"] if is_trained else {"method": "none", "share": None}
        made = {**stages["space"], "suggester": suggester["method"], "share": suggester["share"]}
        made["fitted_records"] = None if stages["fit"]["complete"] else stages["fit"]["fitted"]
        made = {name: value for name, value in made.items() if value is not None}
        terms = np.load(places.space / "arrays" / "terms.npy", mmap_mode="r")
        counts = {"labels": stages["places"]["labels"], "terms": terms.shape[0], "dimensions": terms.shape[1]}
        return {"build": self.settings.to_facts(), "fitted": made}, counts


def check_reading(records: Any, vectors: Any) -> Reading:
    """Return what a cluster can read, or raise."""
    if vectors is not None:
        raise InputError(
            "cluster does not go with vectors: got vectors for a build on a cluster, expected words alone. Leave "
            "one of them out."
        )
    if not isinstance(records, Reading) or not records.is_of_files:
        raise InputError(
            "cluster needs files: got records in memory, expected paths of files that all workers can read. Write them "
            "to files, or leave `cluster` out."
        )
    if records.limit is not None:
        raise InputError(
            f"limit does not go with a cluster: got {records.limit:,}, expected whole files. Leave `limit` out."
        )
    return records


def _divided(sizes: Sequence[int], n_parts: int) -> list[tuple[int, int]]:
    """Divide files in their order into parts of about the same size, at most so many."""
    ends = np.cumsum([0, *sizes])
    wanted = ends[-1] * np.arange(n_parts + 1) / n_parts
    nearest = np.unique(np.abs(ends[:, None] - wanted).argmin(axis=0))
    inside = [int(cut) for cut in nearest if 0 < ends[cut] < ends[-1]]
    return list(pairwise([0, *inside, len(sizes)]))


def _starts(parts: Sequence[Part]) -> list[int]:
    """Return the number of the first record of each part, and the number of all records."""
    return [0, *accumulate(n for _, n in parts)]


def _versions() -> dict[str, str]:
    """Return the versions that all processes of a build must share."""
    python = ".".join(platform.python_version_tuple()[:2])
    return {"Tacit": __version__, "Python": python, "NumPy": ".".join(np.__version__.split(".")[:2])}
