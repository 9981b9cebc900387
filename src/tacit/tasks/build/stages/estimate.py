"""How long a build will take, and how much memory and disk, from a first look at the records and measured constants.

The first few thousand records tell how long texts are, how many labels a record has, and how fast words and labels
become more; the part of the files that they take tells how many records there are.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, replace
from itertools import islice
from typing import Any

import numpy as np

from tacit.checks import human_size
from tacit.corpus.record import Record
from tacit.errors import InputError
from tacit.tasks.build.learning import expected_seconds
from tacit.tasks.build.settings import BuildSettings, dimensions_for
from tacit.tasks.build.stages.costs import DISK, MEMORY, TIME
from tacit.tasks.build.stages.plan import Contents, Limits, least_memory, limits_for
from tacit.text.analysis import Analyser, stop_words_of

__all__ = ["LOOKED_AT", "BuildEstimate", "Sketch", "Spread", "StageCost", "estimate_build", "sketch", "spread"]

LOOKED_AT = 5_000  # records
_LEAST_GROWTH, _MOST_GROWTH = 0.1, 0.9
_SHARD_SECONDS = 30.0  # to start a worker and load the space
_NETWORK = 100e6  # bytes a second


@dataclass(frozen=True)
class Sketch:
    """What a first look at a collection tells.

    Attributes
    ----------
    n_read, n_records : records that were looked at, and all of them, about
    n_bytes : of all texts
    n_entries : different words of each text, added up over all records
    n_terms, n_labels : different words and labels in all records, about
    n_pairs : labels of each record, added up over all records
    """

    n_read: int
    n_records: int
    n_bytes: float
    n_entries: float
    n_terms: int
    n_labels: int
    n_pairs: float

    def grown(self, n_records: int, max_terms: int | None = None) -> Sketch:
        """Return a collection of so many records of the same kind."""
        times = n_records / max(1, self.n_records)
        root = times**0.5 if times > 1 else times
        terms = round(self.n_terms * root) if max_terms is None else min(max_terms, round(self.n_terms * root))
        scaled = {name: getattr(self, name) * times for name in ("n_bytes", "n_entries", "n_pairs")}
        return replace(self, n_records=n_records, n_terms=terms, n_labels=round(self.n_labels * root), **scaled)


@dataclass(frozen=True)
class StageCost:
    """Cost of one stage: seconds of a core, peak memory of the process, and bytes that it writes."""

    name: str
    seconds: float
    memory: float
    disk: float


@dataclass(frozen=True)
class BuildEstimate:
    """What a build will cost.

    Attributes
    ----------
    sketch : of the collection
    n_dimensions : of the space
    limits : how many records each stage takes; None without a limit of memory
    least_memory : the smallest limit that is accepted
    stages : their costs
    """

    sketch: Sketch
    n_dimensions: int
    limits: Limits | None
    least_memory: float
    stages: tuple[StageCost, ...]

    @property
    def seconds(self) -> float:
        """Seconds of a core."""
        return sum(stage.seconds for stage in self.stages)

    @property
    def memory(self) -> float:
        """Peak memory."""
        return max(stage.memory for stage in self.stages)

    @property
    def disk(self) -> float:
        """Bytes of the finished index; the files of the build beside it are smaller, and are removed."""
        return sum(stage.disk for stage in self.stages)

    def sentence(self) -> str:
        """Say what the build will cost."""
        n = self.sketch.n_records
        about = f"about {n:,} records" if n > self.sketch.n_read else f"{n:,} records"
        cost = f"{duration(self.seconds)} of one core, {human_size(self.memory)} of memory and {human_size(self.disk)}"
        return f"{about}: about {cost} on the disk"

    def to_facts(self) -> dict[str, Any]:
        """Return it as plain data."""
        limits = None if self.limits is None else asdict(self.limits)
        totals = {"seconds": round(self.seconds, 1), "memory": round(self.memory), "disk": round(self.disk)}
        facts = {**asdict(self.sketch), "dimensions": self.n_dimensions, "limits": limits, **totals}
        stages = [
            {name: round(value, 1) if name != "name" else value for name, value in asdict(s).items()}
            for s in self.stages
        ]
        return {**facts, "least_memory": round(self.least_memory), "stages": stages}


def duration(seconds: float) -> str:
    """Write a time for people: 5400 is '1.5 hours'."""
    for unit, size in (("days", 86_400.0), ("hours", 3_600.0), ("minutes", 60.0)):
        if seconds >= 1.5 * size:
            return f"{seconds / size:,.1f} {unit}"
    return f"{seconds:,.0f} seconds"


def sketch(records: Iterable[Record], settings: BuildSettings, progress: Callable[[], tuple[int, float]]) -> Sketch:
    """Look at the first records of a collection.

    Parameters
    ----------
    records : read until there are enough
    settings : how texts become words
    progress : returns the part of the collection that had been read, after the number of records at that moment
    """
    analyse = Analyser(settings.text, stop_words_of(settings.text))
    words, labels = Counter[str](), Counter[str]()
    n_read = n_bytes = 0
    seen: list[tuple[int, int]] = []
    at, part = 0, 1.0
    for record in islice(records, LOOKED_AT):
        n_read += 1
        n_bytes += len(record.text.encode())
        words.update(set(analyse(record.text)))
        labels.update(record.labels)
        at, part = progress()
        if n_read & (n_read - 1) == 0:  # at each power of two
            seen.append((n_read, sum(count > 1 for count in words.values())))
    if not n_read:
        raise InputError("records is empty: got none, expected at least one. Check what was read.")
    n_records = n_read if n_read < LOOKED_AT or part >= 1 else max(n_read, round(at / max(part, 1e-9)))
    kept = sum(count > 1 for count in words.values())
    times = n_records / n_read
    earlier = next(((n, v) for n, v in reversed(seen) if n <= n_read / 2 and v), (1, 1))
    growth = float(
        np.clip(np.log(max(1, kept) / earlier[1]) / np.log(max(2, n_read) / earlier[0]), _LEAST_GROWTH, _MOST_GROWTH)
    )
    most = settings.text.max_terms or 10**9
    once = sum(count == 1 for count in labels.values())  # as many of the next labels are new as of these (Good, 1953)
    rate = float(np.clip(once / max(1, len(labels)), 0.0, _MOST_GROWTH))
    return Sketch(
        n_read,
        n_records,
        n_bytes * times,
        sum(words.values()) * times,
        min(most, round(kept * times ** (0.8 * growth))),
        round(len(labels) * times ** (0.8 * rate)),
        sum(labels.values()) * times,
    )


def estimate_build(found: Sketch, settings: BuildSettings, memory: int | None = None) -> BuildEstimate:
    """Estimate a build of a collection with a limit of memory, or without."""
    n, k = found.n_records, settings.n_components or dimensions_for(found.n_records, found.n_labels)
    counts = np.full(found.n_labels, max(1, round(found.n_pairs / max(1, found.n_labels))), np.int64)
    contents = Contents(n, max(1, found.n_terms), round(found.n_entries), counts, k)
    limits = None if memory is None else limits_for(memory, contents)
    use = limits or limits_for(2**60, contents)
    return BuildEstimate(found, k, limits, least_memory(contents), tuple(_stages(found, contents, use, settings)))


def _stages(found: Sketch, contents: Contents, use: Limits, settings: BuildSettings) -> list[StageCost]:
    n, k = contents.n_records, contents.n_dimensions
    fits, has_labels = use.n_fitted == n, found.n_labels > 0
    maps = DISK.per_number * k * (2 * found.n_terms + 2 * found.n_labels)
    positions = 4.0 * k * n
    store = DISK.per_text * found.n_bytes + DISK.per_record * n + DISK.per_label * found.n_pairs
    held = MEMORY.program + MEMORY.per_record * n + MEMORY.per_pair * found.n_pairs
    rows = 8 * found.n_entries if fits else 0.0
    ours = held + rows + (2 * positions if fits else 0.0)
    stages = [
        StageCost("reading", TIME.reading * found.n_bytes / 1e6 + 4e-6 * n, held, store),
        StageCost("words", TIME.words * found.n_entries / 1e6, held + rows, 0.0),
    ]
    if has_labels:
        stages.append(StageCost("weights", TIME.weights, held + rows, 0.0))
    space = contents.fit_memory(use.n_fitted)
    stages.append(StageCost("space", TIME.space * use.n_fitted * k / 1e6, held + rows + space, maps))
    if not fits:
        products = n * k * (k + found.n_entries / n)
        stages.append(StageCost("placing", TIME.placing * products / 1e9, held + 4.0 * k * 30 * use.block, 0.0))
    stages[-1] = replace(stages[-1], disk=stages[-1].disk + positions + 4 * n)
    if has_labels and settings.suggester != "none":
        share = use.n_counted / n
        asked = min(use.n_asked, n)
        seconds = expected_seconds(asked, found.n_labels)
        seconds += TIME.counting * share * found.n_entries * found.n_pairs / n / 1e6
        memory = MEMORY.asking + asked * MEMORY.per_asked
        memory += share * (MEMORY.per_entry * found.n_entries + MEMORY.per_counted_pair * found.n_pairs)
        stages.append(StageCost("suggester", seconds, ours + memory, share * DISK.per_entry * found.n_entries))
    if n * k > MEMORY.graph_from:
        size = (k + MEMORY.per_node) * n
        stages.append(StageCost("neighbours", TIME.neighbours * n * k / 1e6, ours + size, size))
    if settings.map:
        seconds = (TIME.map * use.n_mapped + TIME.beside * (n - use.n_mapped)) / 1e3
        memory = use.n_mapped * (MEMORY.mapped * k + MEMORY.per_point)
        stages.append(StageCost("map", seconds, ours + memory, 8.0 * n))
    size = sum(stage.disk for stage in stages)
    return [*stages, StageCost("writing", TIME.writing * size / 1e9, held, 0.0)]


@dataclass(frozen=True)
class Spread:
    """What an index in several shards would take on several machines.

    Attributes
    ----------
    n_shards, n_machines, n_cores : parts of the index, machines, and cores of each
    hours : until the last shard is there
    busy : part of that time in which a core works, on average
    network : bytes that are sent: the space to each machine, and what the fit is given
    disk : bytes of all shards
    memory : bytes that each machine needs
    """

    n_shards: int
    n_machines: int
    n_cores: int
    hours: float
    busy: float
    network: float
    disk: float
    memory: float

    def to_facts(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {name: round(value, 3) for name, value in asdict(self).items()}

    def sentence(self, n_records: int) -> str:
        """Say what it takes."""
        return (
            f"{n_records:,} records in {self.n_shards:,} shards on {self.n_machines:,} machines of {self.n_cores} "
            f"cores: about {duration(3600 * self.hours)}, {human_size(self.memory)} of memory on each machine, "
            f"{human_size(self.disk)} of disk in all, {human_size(self.network)} over the network; cores are busy "
            f"{self.busy:.0%} of the time."
        )


def spread(
    found: Sketch,
    settings: BuildSettings,
    n_records: int,
    *,
    shard: int = 5_000_000,
    n_machines: int = 10,
    n_cores: int = 8,
    memory: int = 16 * 10**9,
    slower: float = 0.2,
    seed: int = 0,
) -> Spread:
    """Simulate a build in shards: one space from a sample, then each core takes the next shard when it is done.

    Parameters
    ----------
    found : of a collection of the same kind
    settings : how to build
    n_records : records of all shards
    shard : records of each
    n_machines, n_cores, memory : machines, cores of each, and bytes that each build of a shard may take
    slower : standard deviation of the logarithm of the time of a shard
    seed : of the times
    """
    n_shards = max(1, -(-n_records // shard))
    whole = found.grown(n_records, settings.text.max_terms)
    of_shard = estimate_build(replace(found.grown(min(shard, n_records)), n_terms=whole.n_terms), settings, memory)
    once = {"weights", "space"}
    fit = sum(stage.seconds for stage in of_shard.stages if stage.name in once)
    each = of_shard.seconds - fit + _SHARD_SECONDS
    space = 4.0 * of_shard.n_dimensions * (2 * whole.n_terms + 2 * whole.n_labels)
    rng = np.random.default_rng(seed)
    times = each * np.exp(slower * rng.standard_normal(n_shards))
    n_used = min(n_machines, n_shards)  # each of them gets the space
    start = fit + space * n_used / _NETWORK
    workers = [start] * min(n_machines * n_cores, n_shards)
    for time in times:
        heapq.heappush(workers, heapq.heappop(workers) + float(time))
    end = max(workers)
    busy = (fit + float(times.sum())) / (end * n_machines * n_cores)
    sample = 0 if of_shard.limits is None else of_shard.limits.n_fitted * found.n_bytes / max(1, found.n_records)
    at_once = min(n_cores, -(-n_shards // n_machines))
    return Spread(
        n_shards,
        n_machines,
        n_cores,
        end / 3600,
        busy,
        space * n_used + sample,
        n_shards * of_shard.disk,
        at_once * of_shard.memory,
    )
