"""The tasks that place the records of each part, and add up over all parts what lies at the mean of records."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import reduce
from pathlib import Path
from typing import Any

import numpy as np

from tacit.index.taxonomy import taxonomy_from_facts
from tacit.operators.rows.disk import open_rows
from tacit.relations.labels.coded import CodedSets
from tacit.tasks.build.fitted_space import RecordKnowledge
from tacit.tasks.build.partitions.places import BuildPlaces, SpaceWriter, making
from tacit.tasks.build.partitions.reading import SHARD
from tacit.tasks.build.partitions.whole import Part
from tacit.tasks.build.stages.pipeline import read_space
from tacit.tasks.build.stages.placing import (
    means_of,
    place_records,
    position_sums,
    unseen_sums,
    with_placed_words,
)
from tacit.tasks.build.stages.reading import ReadCollection
from tacit.tasks.build.stages.some_rows import FileRows
from tacit.tasks.stage_progress import StageReporter
from tacit.types import Float64Array, IntArray

__all__ = ["finish_space", "join_sums", "place_part"]

Sums = dict[str, tuple[IntArray, Float64Array]]
"""For labels, for each kind of links, and for words that were not fitted: their numbers, and a row of sums for each."""


def place_part(places: BuildPlaces, part: Part, first: int, say: StageReporter) -> Path:
    """Place the records of a part, the first of which has this number in the collection; return the file of sums."""
    number, n_records = part
    target, stages = places.part(number) / "placed", places.stages()
    if target.exists():
        return target / "sums.npz"
    block, is_complete = stages["plan"]["block"], stages["fit"]["complete"]
    fitted = read_space(SpaceWriter(places.space), stages["space"], with_labels=False)
    asked = np.load(places.whole / "asked.npy", mmap_mode="r")
    begin, end = np.searchsorted(asked, [first, first + n_records])
    some = FileRows.open(places.whole / "fitted_positions.npy")[begin:end]
    X = open_rows(places.part(number) / "rows", memory_limit=2 * SHARD)
    read = ReadCollection.open(places.part(number) / "records.sqlite", places.part(number))
    things = json.loads((places.whole / "things.json").read_text(encoding="utf-8"))
    with making(target) as folder:
        folder.mkdir()
        known = _known(places, read, things)
        rows = np.asarray(asked[begin:end]) - first
        fitted = replace(fitted, positions=some)
        positions = place_records(folder / "positions.npy", X, fitted, known, rows, block, say)
        sums: Sums = {}
        if not is_complete:
            sums["labels"] = position_sums(read.labels.matrix(things["labels"]), positions, block)
            for place, (name, targets) in enumerate(things["links"].items()):
                if name in read.links:
                    sums[f"link-{place}"] = position_sums(read.links[name].matrix(targets), positions, block)
            unseen = np.flatnonzero(~np.load(places.whole / "seen.npy"))
            sums["words"] = unseen_sums(fitted, X, positions, unseen, block)
        _save(folder / "sums.npz", sums)
    return target / "sums.npz"


def _known(places: BuildPlaces, read: ReadCollection, things: Mapping[str, Any]) -> RecordKnowledge:
    """Return what is known about the records of a part."""
    taxonomy = None
    if things["has_parents"]:
        facts = places.space / "facts" / "taxonomy.json"
        taxonomy = taxonomy_from_facts(json.loads(facts.read_text(encoding="utf-8")))
    none = CodedSets([()] * read.n_records)
    return RecordKnowledge(read.labels, {name: read.links.get(name, none) for name in things["links"]}, taxonomy)


def join_sums(sources: Sequence[Path], target: Path) -> Path:
    """Add up the sums in several files."""
    if not target.exists():
        with making(target) as path:
            _save(path, reduce(_added, map(_open, sources)))
    return target


def _added(one: Sums, other: Sums) -> Sums:
    found = dict(one)
    for name, (numbers, rows) in other.items():
        if name not in found:
            found[name] = numbers, rows
            continue
        mine, before = found[name]
        every = np.union1d(mine, numbers)
        total = np.zeros((len(every), rows.shape[1]), np.float64)
        total[np.searchsorted(every, mine)] = before
        total[np.searchsorted(every, numbers)] += rows
        found[name] = every, total
    return found


def _save(path: Path, sums: Sums) -> None:
    arrays: dict[str, Any] = {}
    for name, (numbers, rows) in sums.items():
        arrays |= {f"{name}.numbers": numbers, f"{name}.rows": rows}
    with path.open("wb") as file:
        np.savez(file, **arrays)


def _open(path: Path) -> Sums:
    with np.load(path, allow_pickle=False) as kept:
        names = {name.rpartition(".")[0]: None for name in kept.files}
        return {name: (kept[f"{name}.numbers"], kept[f"{name}.rows"]) for name in names}


def finish_space(places: BuildPlaces, path: Path) -> None:
    """Give words, labels and links that only other records have their places, from the sums over all parts."""
    stages = places.stages()
    if "places" in stages:
        return
    writer, is_complete = SpaceWriter(places.space), stages["fit"]["complete"]
    things = json.loads((places.whole / "things.json").read_text(encoding="utf-8"))
    whole = ReadCollection.open(places.whole, places.whole)
    fitted = read_space(writer, stages["space"], with_labels=is_complete)
    names, counts = list(fitted.label_names), list(fitted.label_counts)
    if not is_complete:
        sums, k = _open(path), fitted.terms.shape[1]
        unseen = np.flatnonzero(~np.load(places.whole / "seen.npy"))
        ridge = float(places.settings.parameters.get("ridge", 1.0))  # records have the length 1
        if len(unseen):
            fitted = with_placed_words(fitted, unseen, *sums["words"], ridge)
            writer.save_array("terms", np.ascontiguousarray(fitted.terms, np.float32))
            if fitted.known_views is not None:
                writer.save_array("known_terms", np.ascontiguousarray(fitted.known_views.terms, np.float32))
        names, counts = things["labels"], things["counts"]
        if names:
            writer.save_array("label_positions", means_of(np.array(counts), *sums["labels"], k))
        if things["links"]:
            writer.save_facts("links", things["links"])
            for place, (name, targets) in enumerate(things["links"].items()):
                n_records = np.asarray(whole.links[name].matrix(targets).counts)
                writer.save_array(f"link_positions_{place}", means_of(n_records, *sums[f"link-{place}"], k))
    titles = whole.titles_of_labels
    named = {name: titles[name] for name in names if name in titles}
    writer.save_facts("labels", {"names": names, "counts": counts, "titles": named})
    stages.finish("places", {"labels": len(names)})
