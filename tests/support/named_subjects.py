"""Records whose subjects stand in their texts by name: many subjects with few records, and a vocabulary of names."""

from __future__ import annotations

import numpy as np

from tacit.corpus.record import Record
from tacit.relations.taxonomy.taxonomy import Taxonomy
from tacit.tasks.build.settings import BuildSettings
from tacit.text import TextSettings

N_SUBJECTS = 90
_SYLLABLES = ("ba", "ko", "ri", "tu", "ne", "za", "lo", "mi", "pe", "gu")
_FILLING = [f"{one}{other}" for one in ("st", "br", "fl", "cr") for other in ("one", "ill", "ate", "ush", "and")]


def name_of(number: int) -> str:
    """A word that no other subject has: "bakobo", "bakori" and so on."""
    digits = divmod(number, 10)
    return "".join(_SYLLABLES[digit] for digit in digits) + "bo"


def named_records(n: int = 180, *, seed: int = 0) -> list[Record]:
    """Each record has one subject, whose name begins its text; the names of two others end it."""
    rng = np.random.default_rng(seed)
    records = []
    for number in range(n):
        subject = number % N_SUBJECTS
        others = (subject + rng.choice(np.arange(1, N_SUBJECTS), 2, replace=False)) % N_SUBJECTS
        words = [name_of(subject), *rng.choice(_FILLING, 5), *map(name_of, map(int, others))]
        records.append(Record(f"r{number}", " ".join(words), (f"s{subject:02d}",), title=f"Record {number}"))
    return records


def vocabulary(*, helpful: bool = True) -> Taxonomy:
    """Names of the subjects: those that stand in the texts, or others."""
    names = [name_of(number) if helpful else f"silent{number}" for number in range(N_SUBJECTS)]
    ids = [f"s{number:02d}" for number in range(N_SUBJECTS)]
    return Taxonomy.from_parents(dict.fromkeys(ids), dict(zip(ids, names, strict=True)))


def named_settings(**changed: object) -> BuildSettings:
    return BuildSettings(**{"n_components": 8, "text": TextSettings(min_records=1), **changed})  # type: ignore[arg-type]
