"""A small library to explore: three fields with subjects below, authors, years and languages, and one hostile title."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import tacit
from tacit.corpus.record import Record
from tacit.relations.taxonomy.taxonomy import Taxonomy
from tacit.tasks.build.settings import BuildSettings
from tacit.text import TextSettings

FIELDS = {
    "Sea": {
        "Whales": ["whale", "blubber", "song", "fin", "dive"],
        "Ships": ["mast", "sail", "anchor", "hull", "deck"],
        "Tides": ["tide", "moon", "wave", "shore", "flood"],
    },
    "Home": {
        "Kitchens": ["kettle", "oven", "spoon", "bread", "table"],
        "Gardens": ["rose", "spade", "hedge", "seed", "lawn"],
        "Pets": ["cat", "dog", "collar", "basket", "purr"],
    },
    "Sky": {
        "Stars": ["star", "telescope", "galaxy", "orbit", "comet"],
        "Weather": ["cloud", "rain", "storm", "wind", "thunder"],
    },
}
COMMON = ["book", "story", "year", "people", "time", "part", "place", "world"]
HOSTILE = "<img src=x onerror=alert(1)><b>Bold</b> & a whale"
TEXT = (
    "A whale dives and sings its song; the blubber of the whale keeps it warm when it dives into the cold. "
    "The fin of the whale is seen from far away, and the song of a whale is heard by another whale. "
    "Whales dive; the blubber and the fin of whales, and the song that a whale sings when it dives."
)


def explored_records(n: int = 240, *, labels: bool = True) -> list[Record]:
    """Records of every subject in turn; some have two subjects."""
    rng = np.random.default_rng(7)
    subjects = [(subject, words) for field in FIELDS.values() for subject, words in field.items()]
    records = []
    for number in range(n):
        subject, words = subjects[number % len(subjects)]
        other, further = subjects[int(rng.integers(len(subjects)))]
        second = rng.random() < 0.25
        text = " ".join(
            [
                subject.lower(),
                *rng.choice(words, 12),
                *rng.choice(COMMON, 5),
                *(rng.choice(further, 5) if second else []),
            ]
        )
        own = tuple(dict.fromkeys([subject, *([other] if second else [])])) if labels else ()
        title = (
            HOSTILE
            if number == 0
            else f"{words[number % 5].capitalize()} and {words[(number + 2) % 5]}, volume {number}"
        )
        fields = {"year": 1990 + number % 30, "language": ("en", "de", "fr")[number % 3]}
        links = {"author": (("Ann", "Bo", "Cy", "Di")[int(rng.integers(4))],)} if labels else {}
        records.append(Record(f"shelf/{number}", text, labels=own, title=title, links=links, fields=fields))
    return records


def build_explored(folder: Path, n: int = 240, *, labels: bool = True, map_too: bool = True) -> Path:
    """Build the index, in the place of an old one, and return its folder."""
    parents = {subject: field for field, subjects in FIELDS.items() for subject in subjects}
    taxonomy = Taxonomy.from_parents({**dict.fromkeys(FIELDS), **parents}) if labels else None
    settings = BuildSettings(n_components=12, text=TextSettings(min_records=1), map=map_too)
    return tacit.build(explored_records(n, labels=labels), folder, settings, taxonomy=taxonomy, replace_old=True)
