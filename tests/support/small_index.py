"""Small collections for tests of the index: two groups of records whose words, labels and links are known."""

from __future__ import annotations

import numpy as np

from tacit.corpus.record import Record
from tacit.relations.taxonomy.taxonomy import Taxonomy
from tacit.tasks.build.settings import BuildSettings
from tacit.text import TextSettings

SEA = ["whale", "dolphin", "ship", "harbour", "wave", "tide", "sailor", "anchor", "reef", "salt"]
HOME = ["cat", "dog", "kitchen", "table", "garden", "chair", "lamp", "carpet", "window", "kettle"]
TAXONOMY = {"world": None, "sea": "world", "home": "world", "animals": "sea", "vessels": "sea", "pets": "home"}


def small_records(n: int = 60, *, seed: int = 0, links: bool = False) -> list[Record]:
    """Half of the records are about the sea and half about home; every tenth has no labels."""
    rng = np.random.default_rng(seed)
    records = []
    for number in range(n):
        words, labels = (SEA, ["animals", "vessels"]) if number % 2 else (HOME, ["pets", "home"])
        text = " ".join(rng.choice(words, 8)) + " " + " ".join(rng.choice([*SEA, *HOME], 2))
        own = () if number % 10 == 9 else (labels[int(rng.integers(2))],)
        linked = {"author": (["Ann", "Bo"][number % 2],)} if links else {}
        fields = {"year": 1990 + number % 5}
        records.append(Record(f"r{number}", text, labels=own, title=f"Record {number}", links=linked, fields=fields))
    return records


def small_settings(**changed: object) -> BuildSettings:
    """Few dimensions, and every word counts."""
    return BuildSettings(**{"n_components": 6, "text": TextSettings(min_records=1), **changed})  # type: ignore[arg-type]


def small_taxonomy() -> Taxonomy:
    return Taxonomy.from_parents(TAXONOMY)
