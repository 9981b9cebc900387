"""The indexes in `tests/contract/indexes_<version>.zip`, which every later version opens, searches, changes and refits.

Each release writes its own: `python tests/support/stored_indexes.py tests/contract/indexes_0_2_0` for 0.2.0. An archive
of an earlier release is never written anew.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

import tacit
from tacit.corpus.record import Record
from tacit.tasks.build.settings import BuildSettings
from tacit.text import TextSettings

__all__ = ["answers", "late", "learned", "records", "vectors", "write"]

TOPICS = {
    "animals/cats": "cat kitten fur purr whiskers paw milk",
    "animals/whales": "whale ocean song blubber fin pod krill",
    "crafts/wool": "wool needle yarn knit spin loom thread",
    "crafts/wood": "oak saw plank nail hammer carve chisel",
}
COMMON = "house river market letter"
ASKED = {"animals/whales": "the song of a whale", "crafts/wool": "knit with a needle and yarn"}


def records(n: int = 60) -> list[Record]:
    """Invented books of four subjects, with authors and years."""
    rng = np.random.default_rng(8)
    topics = [list(TOPICS)[place % 4] for place in range(n)]
    return [
        Record(
            f"b{number}",
            " ".join([*rng.choice(TOPICS[topic].split(), 8), *rng.choice(COMMON.split(), 2)]),
            [topic],
            title=f"Book {number}",
            links={"author": [str(rng.choice(["Ann", "Bob", "Cy"]))]},
            fields={"year": 1990 + number},
        )
        for number, topic in enumerate(topics)
    ]


def vectors(n: int = 60) -> Any:
    """A vector of each book, near that of its subject."""
    rng = np.random.default_rng(9)
    return (np.eye(4)[np.arange(n) % 4].repeat(2, axis=1) + rng.normal(0, 0.2, (n, 8))).astype(np.float32)


def late() -> list[Record]:
    """A record for after the fit."""
    return [Record("late", "a whale song of blubber and krill", ["animals/whales"], title="Late book")]


def learned() -> list[Record]:
    """A correction of what was suggested."""
    return [Record("c1", "a plank and a saw for the kitten", ["crafts/wood"])]


def answers(collection: Any) -> dict[str, Any]:
    """What an index answers, for which no vector has to be given."""
    found: dict[str, Any] = {
        "records": len(collection),
        "similar": [hit.id for hit in collection.similar("b1", limit=5)],
    }
    found["words"] = {text: [hit.id for hit in collection.search(text, by="words", limit=5)] for text in ASKED.values()}
    if collection.space.words is not None:
        found["meaning"] = {
            text: [hit.id for hit in collection.search(text, by="meaning", limit=5)] for text in ASKED.values()
        }
        found["suggested"] = {text: collection.suggest(text)[0].label for text in ASKED.values()}
    return found


def write(archive: Path) -> None:
    """Build the indexes of this version and keep them, with what they answer, in `<archive>.zip`."""
    text = TextSettings(min_records=1)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        books = BuildSettings(n_components=6, text=text, suggester="witnesses", taxonomy_separator="/")
        plain = BuildSettings(n_components=6, text=text, suggester="both", map=False)
        made = [
            tacit.build(records(), folder / "books", books),
            tacit.build(records(), folder / "vectors", plain, vectors=vectors()),
            tacit.build(records(), folder / "shards", plain, shards=2),
        ]
        for path in (made[0], made[2]):
            with tacit.open(path) as collection:
                collection.add(late())
                collection.remove(["b3"])
        with tacit.open(made[0]) as collection:
            collection.learn(learned())
        expected = {}
        for path in made:
            for replaced in sorted(path.glob("generation-*"))[:-1]:
                shutil.rmtree(replaced)
            with tacit.open(path) as collection:
                expected[path.name] = answers(collection)
        (folder / "expected.json").write_text(json.dumps(expected, indent=1), encoding="utf-8")
        shutil.make_archive(str(archive), "zip", folder)


if __name__ == "__main__":
    write(Path(sys.argv[1]))
