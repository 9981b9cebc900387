"""Info: what an index holds, how it was built, and whether a refit is due."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tacit.display import Displayed, Table
from tacit.index.drift import explained
from tacit.index.shards.opening import shards_of
from tacit.index.witnesses.corrections import corrections_of
from tacit.tasks.opened_index import OpenedIndex

__all__ = ["REFIT_SHARE", "IndexInfo", "info"]

REFIT_SHARE = 0.1  # share of changed records above which the space no longer fits them well


@dataclass(frozen=True, repr=False)
class IndexInfo(Displayed):
    """Facts about an index.

    Attributes
    ----------
    path : str
    records : int, that can be found now
    fitted_records : int, that the space was fitted to
    added, removed : int, since then; an updated record counts as both
    shards : int, over which the records are spread; 0 for one index
    missing_shards : list of str, names of those that cannot be opened; their records are not counted
    labels, terms, dimensions : int, of the space; terms are words
    precision : str, in how many bits positions are stored: "full", "half" or "int8"
    recall : float or None, share of the ten nearest records that fewer bits find, measured in the build
    numbers : int, length of the vectors that shape the space, 0 without
    links : dict of str to int, number of linked things in the space by the name of the link
    fields : dict of str to list, the fields that can be filtered by, with some of their values; "..." if there are more
    taxonomy_nodes : int, 0 without a taxonomy
    vocabulary_nodes : int, number of subjects that have names, with or without a taxonomy of them
    label_language : str, in which labels are shown; "" if their names have no language
    label_languages : list of str, of all names of labels
    model : str
    parameters : dict, those of the model
    weights : dict of str to float, how much the words and each view count in distances; empty for other models
    suggester : str, how labels are suggested; "none" without a suggester
    corrections : int, texts with accepted or rejected labels that the suggester learned from
    text : dict, how texts become words; empty for an index of vectors alone
    reading : dict, how the records were read, if known
    bytes : int, on the disk, including old generations
    created : str, time of the last fit, ISO 8601 in UTC
    versions : dict of str to str, of Tacit and the libraries that made it
    refit_due : bool, whether more than a tenth was added or removed since the fit
    drift : float or None, how much less the space explains of the words of added records than of unseen records like
        those of the fit, from 0 to 1; None without added records, and if the space does not say
    new_words, new_labels : int, of added records, that the space does not know until the next refit; words of at most
        10,000 added records are counted
    """

    path: str
    records: int
    fitted_records: int
    added: int
    removed: int
    shards: int
    missing_shards: list[str]
    labels: int
    terms: int
    dimensions: int
    precision: str
    recall: float | None
    numbers: int
    links: dict[str, int]
    fields: dict[str, list[Any]]
    taxonomy_nodes: int
    vocabulary_nodes: int
    label_language: str
    label_languages: list[str]
    model: str
    parameters: dict[str, Any]
    weights: dict[str, float]
    suggester: str
    corrections: int
    text: dict[str, Any]
    reading: dict[str, Any]
    bytes: int
    created: str
    versions: dict[str, str]
    refit_due: bool
    drift: float | None
    new_words: int
    new_labels: int

    def _parts(self) -> Iterator[str | Table]:
        yield f"Index {self.path!r}"
        yield Table(("fact", "value"), [(name, _shown(value)) for name, value in asdict(self).items() if value])

    @property
    def changed_share(self) -> float:
        """Records added and removed since the fit, as a share of the fitted records."""
        return (self.added + self.removed) / max(1, self.fitted_records)

    def to_facts(self) -> dict[str, Any]:
        """Return it as plain data, as `--json` prints it."""
        return {**asdict(self), "changed_share": round(self.changed_share, 4)}


def _shown(value: Any) -> Any:
    return [f"{name}: {inner}" for name, inner in value.items()] if isinstance(value, dict) else value


def info(collection: OpenedIndex) -> IndexInfo:
    """Return facts about an open index; of the records it reads only those that were added."""
    manifest, counts = collection.generation.manifest, collection.store.counts()
    build, fitted = manifest.settings.get("build", {}), manifest.settings.get("fitted", {})
    listed, missing = shards_of(collection.generation)
    by_words = "facts/words.json" in manifest.files
    n_new, drift = _of_added(collection) if counts.added else (0, None)
    return IndexInfo(
        path=str(collection.path),
        records=counts.live,
        fitted_records=counts.base,
        added=counts.added,
        removed=counts.removed,
        shards=len(listed),
        missing_shards=[listed[place].name for place in sorted(missing)],
        labels=len(collection.label_names),
        terms=manifest.counts.get("terms", 0) if by_words else 0,
        dimensions=manifest.counts.get("dimensions", 0),
        precision=str(build.get("precision", "full")),
        recall=fitted.get("recall"),
        numbers=manifest.counts.get("numbers" if by_words else "terms", 0),
        links={name: len(of) for name, of in collection.link_names.items()},
        fields={name: _some_values(collection, name) for name in collection.store.names("fields")[:_FIELDS]},
        taxonomy_nodes=0 if collection.taxonomy is None else collection.taxonomy.n_nodes,
        vocabulary_nodes=0 if collection.vocabulary is None else collection.vocabulary.n_nodes,
        label_language="" if collection.vocabulary is None else collection.vocabulary.language,
        label_languages=[] if collection.vocabulary is None else list(collection.vocabulary.languages),
        model=fitted.get("model", "unknown"),
        parameters=dict(fitted.get("parameters", {})),
        weights=collection.weights,
        suggester=fitted.get("suggester", "none" if collection.suggester is None else build.get("suggester", "auto")),
        corrections=len(corrections_of(collection.generation)),
        text=dict(build.get("text", {})) if by_words else {},
        reading=dict(build.get("reading") or {}),
        bytes=_size(collection.path),
        created=manifest.created,
        versions={"tacit": manifest.tacit, **manifest.libraries},
        refit_due=counts.added + counts.removed > REFIT_SHARE * counts.base,
        drift=drift,
        new_words=n_new,
        new_labels=len(collection.new_labels()) if counts.added else 0,
    )


def _some_values(collection: OpenedIndex, name: str) -> list[Any]:
    """Return the values of a field if they are few, or its lowest and highest number, or some of its texts."""
    low, high = collection.store.span(name)
    if low is not None:
        return [low] if low == high else [f"{low} to {high}"]
    values = collection.store.different_values("fields", name, _VALUES + 1)
    return [*values[:_VALUES], "..."] if len(values) > _VALUES else values


_FIELDS, _VALUES = 30, 8


def _of_added(collection: OpenedIndex) -> tuple[int, float | None]:
    """Count the words of added records that the space does not know, and measure how far they drift from the others."""
    words, expected = collection.space.words, collection.settings.get("fitted", {}).get("explained")
    if words is None:
        return 0, None
    added = collection.positions.added
    drawn = added[np.unique(np.linspace(0, len(added) - 1, _MOST_READ).astype(np.int64))]
    texts = [record.text for record in collection.store.get(drawn)]
    known = words.columns
    n_new = len({word for text in texts for word in words.analyse(text) if word not in known})
    if not isinstance(expected, float) or expected <= 0:
        return n_new, None
    views = collection.known_views
    found = explained(words.transform(texts), np.asarray(collection.space.terms if views is None else views.terms))
    return n_new, round(float(np.clip(1 - found / expected, 0, 1)), 4)


_MOST_READ = 10_000


def _size(folder: Path) -> int:
    """Return the size of the files, without SQLite's shared memory; files that disappear meanwhile are ignored."""
    sizes: dict[tuple[int, int], int] = {}  # shards share files
    for path in folder.rglob("*"):
        try:
            if path.is_file() and not path.name.endswith("-shm"):
                found = path.stat()
                sizes[found.st_dev, found.st_ino] = found.st_size
        except OSError:
            continue
    return sum(sizes.values())
