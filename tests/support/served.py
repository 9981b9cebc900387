"""A small index with a taxonomy, links, fields and a map, and its service, for tests of the room `serve`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from tacit.corpus.record import Record
from tacit.relations.taxonomy.taxonomy import Taxonomy
from tacit.tasks.build.build import build
from tacit.tasks.build.settings import BuildSettings
from tacit.text import TextSettings

TOKEN = "a-token-of-the-tests"
SCRIPT = "<script>alert('x')</script>"
TOPICS = {
    "whales": ["whale", "blubber", "fluke", "ocean", "song", "harpoon"],
    "ships": ["ship", "mast", "anchor", "harbour", "sail", "deck"],
    "cats": ["cat", "whisker", "purr", "kitten", "paw", "basket"],
    "gardens": ["garden", "rose", "spade", "soil", "hedge", "seed"],
    "courts": ["court", "judge", "verdict", "appeal", "witness", "jury"],
}
PARENTS = {
    "everything": None, "sea": "everything", "home": "everything", "law": "everything",
    "whales": "sea", "ships": "sea", "cats": "home", "gardens": "home", "courts": "law",
}  # fmt: skip


def served_records(n: int = 120) -> list[Record]:
    """Records of five subjects; the ids of some, and a text, try to be something else."""
    rng = np.random.default_rng(7)
    odd = {0: "../../etc/passwd", 1: "a/b c?d#e&f", 2: "ünï-✓", 3: SCRIPT}
    records = []
    for number in range(n):
        label = list(TOPICS)[number % 5]
        words = [*rng.choice(TOPICS[label], 8), *rng.choice(list(TOPICS.values())[(number + 1) % 5], 2)]
        title = f"On {label} {number}"
        extra = f" {SCRIPT}" if number == 3 else ""
        records.append(
            Record(
                odd.get(number, f"r{number}"),
                f"{title}. {' '.join(map(str, words))}{extra}",
                labels=() if number % 11 == 10 else (label,),
                title=title,
                links={"author": (["Ann", "Bo", "Cy"][number % 3],)},
                fields={"year": 1990 + number % 7, "place": ["Oslo", "Rome"][number % 2]},
            )
        )
    return records


def build_served(path: Path, records: list[Record] | None = None, **changed: Any) -> Path:
    """Build the index."""
    settings = BuildSettings(**{"n_components": 8, "text": TextSettings(min_records=1), **changed})
    build(records or served_records(), path, settings=settings, taxonomy=Taxonomy.from_parents(PARENTS))
    return path
