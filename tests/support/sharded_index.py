"""The same records as one index and as shards, for tests that compare the two."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

import tacit
from tacit.corpus.record import Record
from tacit.index import RecordStore

KINDS = {
    "ships": "whale ship harbour wave tide sailor anchor reef captain storm rope sail",
    "rooms": "cat kitchen table garden chair lamp carpet kettle window curtain stove bed",
    "money": "bank loan price market trade debt coin profit share tax broker fund",
}


def library(n_records: int = 90, seed: int = 3) -> list[Record]:
    """Three kinds of books, with labels, authors, years and shelves; some words are in most of them."""
    rng = np.random.default_rng(seed)
    names = list(KINDS)
    records = []
    for number in range(n_records):
        kind = names[int(rng.integers(3))]
        words = [str(word) for word in rng.choice(KINDS[kind].split(), int(rng.integers(5, 15)))]
        others = [str(word) for word in rng.choice(" ".join(KINDS.values()).split(), 2)]
        text = " ".join([*words, *others, *(["book"] if rng.random() < 0.8 else [])])
        labels = (kind, f"{kind}: {words[0]}") if rng.random() < 0.9 else ()
        author = f"{kind[:-1].title()} Author {int(rng.integers(4))}"
        fields = {"year": int(1990 + number % 30), "shelf": f"{kind}-{number % 4}"}
        records.append(
            Record(f"b{number:04d}", text, labels, f"On the {words[0]}, {number}", {"author": (author,)}, fields)
        )
    return records


def both(folder: Path, records: Sequence[Record], n_shards: int = 3, **settings: object) -> tuple[Path, Path]:
    """Build the same records as one index and as shards."""
    chosen = tacit.BuildSettings(**{"n_components": 6, **settings})  # type: ignore[arg-type]
    one = tacit.build(records, folder / "one.tacit", chosen)
    return one, tacit.build(records, folder / "sharded.tacit", chosen, shards=n_shards)


def stores(folder: Path, records: Sequence[Record], n_shards: int) -> tuple[Path, list[Path]]:
    """Write the same records into one store and into several."""
    one, parts = folder / "one.sqlite", [folder / f"part-{place}.sqlite" for place in range(n_shards)]
    RecordStore.create(one, records)
    bounds = np.linspace(0, len(records), n_shards + 1).round().astype(int)
    for path, first, last in zip(parts, bounds[:-1], bounds[1:], strict=True):
        RecordStore.create(path, records[first:last])
    return one, parts
