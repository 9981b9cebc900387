"""Do records that are added with their labels find as well as after a refit, and do new labels count at once?

Question    `tacit add` places a record by its words and by its labels. Is search over the whole collection then as good
            as after a refit, and is a label that comes with added records suggested?
Data        RCV1, stories chosen at random from the five subsets (each text once). Their words come without texts: a
            text is the names of its terms.
Method      3,000 stories are indexed by the defaults of `tacit build`, 1,500 more are added. nDCG@10 of similar records
            over all 4,500, the gain being the overlap (Jaccard) of labels, a record not finding itself: added with
            their labels, by their words alone, and after a refit. Then one topic that no indexed story has: how many
            new stories with it get it suggested among the first five, and how many without it.
Run         python benchmarks/studies/added_with_labels.py [--seeds 3] [--topic GVIO]

Figures of 2026-11-18, one seed: added with their labels .991, by their words alone .896, after a refit .991. After 98
stories with the topic GVIO were added, 91 % of further ones get it suggested among the first five, and 11 % of others.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
from more_knowledge import rcv1
from unknown_labels import ndcg

import tacit
from tacit import LabelMatrix
from tacit.corpus.record import Record

_INDEXED, _ADDED, _ASKED = 3_000, 1_500, 300


def stories(data: Path, seed: int) -> list[Record]:
    """Return stories whose texts are the names of their terms."""
    saved = np.load(data / "rcv1/rcv1_subsets.npz")
    records, _ = rcv1(data)
    terms, starts, columns = saved["terms"], saved["X_indptr"], saved["X_indices"]
    chosen = np.random.default_rng(seed).permutation(len(records))[: _INDEXED + _ADDED + 4 * _ASKED]
    return [
        replace(records[row], text=" ".join(terms[columns[starts[place] : starts[place + 1]]]))
        for row, place in ((row, int(records[row].id)) for row in chosen)
    ]


def found(index: Path, records: list[Record]) -> float:
    """Return nDCG@10 of similar records over the whole collection."""
    Y = LabelMatrix.from_sets([set(record.labels) for record in records]).indicator
    with tacit.open(index) as collection:
        numbers = [collection.store.number_of(record.id) for record in records]
        stored = collection.positions.of(np.array(numbers))
    return ndcg(stored, stored, Y, Y, same=True)


def similar(records: list[Record], folder: Path) -> dict[str, float]:
    """Return nDCG@10 over all records for the three ways."""
    old, new = records[:_INDEXED], records[_INDEXED : _INDEXED + _ADDED]
    settings, measures = tacit.BuildSettings(text=tacit.TextSettings(language="none")), {}
    ways: dict[str, Callable[[Record], Record]] = {
        "added with their labels": lambda record: record,
        "added by their words": lambda record: replace(record, labels=()),
    }
    for name, given in ways.items():
        index = tacit.build(old, folder / f"{name}.tacit", settings=settings)
        with tacit.open(index) as collection:
            collection.add([given(record) for record in new])
        measures[name] = found(index, [*old, *new])
    index = tacit.build([*old, *new], folder / "refit.tacit", settings=settings)
    return {**measures, "refit": found(index, [*old, *new])}


def new_label(records: list[Record], topic: str, folder: Path) -> dict[str, float]:
    """Return the share of new stories with and without a topic that get it suggested; only added stories bear it."""
    bears = [topic in record.labels for record in records]
    bearing = [record for record, has in zip(records, bears, strict=True) if has]
    others = [record for record, has in zip(records, bears, strict=True) if not has]
    settings = tacit.BuildSettings(text=tacit.TextSettings(language="none"))
    index = tacit.build(others[:_INDEXED], folder / "without.tacit", settings=settings)
    half = len(bearing) // 2
    with tacit.open(index) as collection:
        collection.add(bearing[:half])
    shares = {"added": float(half)}
    for name, asked in (("with it", bearing[half:]), ("without it", others[_INDEXED : _INDEXED + _ASKED])):
        with tacit.open(index) as collection:
            lists = collection.suggest([record.text for record in asked], limit=5)
        shares[name] = float(np.mean([any(one.label == topic for one in suggested) for suggested in lists]))
    return shares


def main() -> None:
    """Run the study and print its figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--topic", default="GVIO", help="the topic that only added stories have")
    parser.add_argument("--data-dir", type=Path, default=Path(os.environ.get("TACIT_DATA", ".")))
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    for seed in range(asked.seeds):
        records = stories(asked.data_dir, seed)
        with tempfile.TemporaryDirectory() as folder:
            print(seed, {name: round(value, 4) for name, value in similar(records, Path(folder)).items()}, flush=True)
            print(
                seed,
                asked.topic,
                {k: round(v, 3) for k, v in new_label(records, asked.topic, Path(folder)).items()},
                flush=True,
            )


if __name__ == "__main__":
    main()
