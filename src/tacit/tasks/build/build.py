"""Builds an index: reads the records, counts their words, fits the space, and writes the folder."""

from __future__ import annotations

import contextlib
import errno
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

from tacit.checks import shown
from tacit.corpus.columns import ColumnMap
from tacit.corpus.reading import Reading, as_records
from tacit.corpus.record import Record
from tacit.errors import InputError
from tacit.index import GenerationWriter
from tacit.index.folder.generations import current_generation
from tacit.index.folder.opening import as_folder
from tacit.index.nearest.approximate import GRAPH, is_large, write_graph
from tacit.index.nearest.exact import lengths_of
from tacit.index.space import Space
from tacit.index.taxonomy import taxonomy_from_facts, taxonomy_to_facts
from tacit.index.witnesses.corrections import Correction, corrections_of, save_corrections
from tacit.models.spaces import SPACES
from tacit.relations.taxonomy.languages import choose_language
from tacit.relations.taxonomy.names import last_part, titles_shown
from tacit.relations.taxonomy.taxonomy import Taxonomy
from tacit.tasks.build.fitted_space import FittedSpace, RecordKnowledge
from tacit.tasks.build.fitting import fit_model
from tacit.tasks.build.label_matching import LabelMatching
from tacit.tasks.build.settings import BuildSettings
from tacit.tasks.build.stages.reading import read_collection, words_of
from tacit.tasks.build.vectors import read_vectors
from tacit.tasks.layout.map_layout import MapLayout, make_layout
from tacit.tasks.stage_progress import Report, StageReporter
from tacit.text.counting import CountedTexts
from tacit.text.words import Words

__all__ = ["build", "disk_errors", "refit"]


def build(
    records: Any,
    path: str | Path,
    settings: BuildSettings | None = None,
    *,
    columns: ColumnMap | None = None,
    taxonomy: Taxonomy | None = None,
    vectors: Any = None,
    replace_old: bool = False,
    report: Report | None = None,
    wait: float = 0.0,
) -> Path:
    """Build an index of records in a folder, and return the folder.

    The index appears in one step when everything is written: a crash at any point leaves what was there before.

    Parameters
    ----------
    records : iterable of Record or dict, data frame, or path
        The collection: records, for instance from `read_records`, iterated once; or a data frame of pandas or polars,
        dictionaries, or paths of files, which are read with `read_records`.
    path : str or Path
        Folder to create.
    settings : BuildSettings, optional
        Model, dimensions, words, suggester.
    columns : ColumnMap, optional
        The roles of the columns of a data frame, of dictionaries or of files; guessed from their names if not given.
    taxonomy : Taxonomy, optional
        What is above the labels, and what they are called. Labels may be written as ids, notations or names in any
        language; in the index they are the nodes. A flat one has names only.
    vectors : (n_records, n) array, optional
        Vectors of the records, in the same order, to use beside their words: sentence embeddings, for instance. How
        much they count is found in a trial. `settings.vectors_only` uses them instead of the words.
    replace_old : bool, default False
        Whether an existing index may be replaced.
    report : callable, optional
        Called with a `StageEvent` when a stage begins, advances and ends.
    wait : float, default 0.0
        Seconds to wait for another writer of the same index.

    Raises
    ------
    InputError
        If there are no records, the model needs something that they lack, the taxonomy has fewer than half of the
        labels, or the folder cannot be written.
    """
    settings = settings or BuildSettings()
    _check_one_taxonomy(taxonomy, settings)
    records = as_records(records, columns)
    if isinstance(records, Reading) and not settings.reading:
        settings = replace(settings, reading=records.to_facts())
    if taxonomy is not None and isinstance(records, Reading) and not settings.allow_unmatched:
        _check_has_labels(records)
    folder = as_folder(path)
    if vectors is not None:
        vectors = read_vectors(vectors)
    with disk_errors(folder):
        if not replace_old and (folder / "CURRENT").exists():
            raise InputError(
                f"path is an existing index: got {str(folder)!r}, expected a new folder. Choose another, or pass "
                "replace_old=True."
            )
        with GenerationWriter(folder, wait=wait) as writer:
            _write(writer, records, settings, taxonomy, vectors, StageReporter(report))
    return folder


def refit(
    path: str | Path,
    settings: BuildSettings | None = None,
    *,
    taxonomy: Taxonomy | None = None,
    without_taxonomy: bool = False,
    vectors: Any = None,
    report: Report | None = None,
    wait: float = 0.0,
) -> Path:
    """Fit the space of an index to the records that it has now; readers use the old one until the new one is ready.

    Parameters
    ----------
    path : str or Path
        Folder of the index.
    settings : BuildSettings, optional
        Default: those of the last fit.
    taxonomy : Taxonomy, optional
        Default: that of the last fit.
    without_taxonomy : bool, default False
        Whether to drop the taxonomy of the last fit.
    vectors : array, optional
        For an index that was built from vectors and changed since: vectors of all its records, in the order of their
        numbers.
    report, wait : as for `build`
    """
    current_generation(as_folder(path))  # raises before a folder is created
    with disk_errors(as_folder(path)), GenerationWriter(path, wait=wait) as writer, writer.previous() as old:
        settings = settings or BuildSettings.from_facts(old.manifest.settings["build"])
        _check_one_taxonomy(taxonomy, settings)
        # paths are read again, since added records may have new ones
        keeps = not (without_taxonomy or settings.taxonomy_separator)
        if taxonomy is None and keeps and "facts/taxonomy.json" in old.manifest.files:
            taxonomy = taxonomy_from_facts(old.facts("taxonomy"))
        if vectors is None and "vectors" in old.arrays:
            if old.store.changes:
                raise InputError(
                    "vectors of added records are not stored: got an index of vectors that was changed since its last "
                    "fit, expected the vectors of all its records. Pass them as vectors."
                )
            vectors = np.array(old.array("vectors"))
        elif vectors is not None:
            vectors = read_vectors(vectors)
        records = (record for _, record in old.store.records())
        _write(writer, records, settings, taxonomy, vectors, StageReporter(report), corrections_of(old))
    return as_folder(path)


def _write(
    writer: GenerationWriter,
    records: Iterable[Record],
    settings: BuildSettings,
    taxonomy: Taxonomy | None,
    vectors: Any,
    say: StageReporter,
    corrections: Sequence[Correction] = (),
) -> None:
    """Read, fit and write a generation, and make it the current one."""
    taxonomy = _in_language(taxonomy, settings)
    matching = LabelMatching(taxonomy)
    has_words = vectors is None or not settings.vectors_only
    with CountedTexts(settings.text) if has_words else contextlib.nullcontext() as counted:
        read = read_collection(writer.path("records.sqlite"), matching.records(records), counted, say)
        matching.check(allow_unmatched=settings.allow_unmatched)
        if summary := matching.summary():
            say.begin("labels")
            say.end(summary)
        if vectors is not None:
            _check_vectors(vectors, read.n_records)
            writer.save_array("vectors", vectors)
        words, X = (None, vectors) if counted is None else words_of(counted, read, say)
    titles = read.titles_of_labels
    known = replace(
        _with_taxonomy(read.knowledge(settings.random_state), taxonomy, settings.taxonomy_separator, titles),
        corrections=[_matched(correction, matching) for correction in corrections],
    )
    beside = None if words is None else vectors
    fitted = fit_model(X, known, settings, say, words, beside)
    if is_large(fitted.positions):  # comparing a query with all records would take too long
        say.begin("neighbours")
        n = len(fitted.positions)
        written = write_graph(
            writer.path(GRAPH), fitted.positions, progress=lambda i: say.advance(f"{i:,} of {n:,} records", i / n)
        )
        say.end(f"{n:,} records linked to their neighbours" if written else "searches compare all records")
    if settings.map:
        say.begin("map")
        layout = _map_of(fitted, X, words, known, titles, settings, say)
        layout.save(writer)
        say.end(f"{len(layout.points):,} records and {len(layout.names):,} names on the map")
    say.begin("writing")
    _save(writer, fitted, words, known, titles)
    counts = {"labels": len(fitted.label_names), "terms": X.shape[1], "dimensions": fitted.positions.shape[1]}
    if fitted.vector_maps is not None:
        counts["numbers"] = len(fitted.vector_maps.mean)
    if known.corrections:
        counts["corrections"] = len(known.corrections)
    made: dict[str, Any] = {
        "model": fitted.model,
        "parameters": fitted.parameters,
        "suggester": fitted.suggester_method,
    }
    if fitted.share is not None:
        made["share"] = round(fitted.share, 4)
    writer.finish({"build": settings.to_facts(), "fitted": made}, counts)
    say.end(f"index written to {writer.index}")


def _check_vectors(vectors: Any, n_records: int) -> None:
    if len(vectors) != n_records:
        raise InputError(
            f"vectors does not match the records: got {len(vectors):,} rows for {n_records:,} records, expected "
            "one row per record, in the same order. Vectors of records that could not be read must be removed."
        )


def _map_of(
    fitted: FittedSpace,
    X: Any,
    words: Words | None,
    known: RecordKnowledge,
    titles: Mapping[str, str],
    settings: BuildSettings,
    say: StageReporter,
) -> MapLayout:
    """Lay the records out in the plane; in an informed space, by their words alone, too."""
    shown = {} if known.vocabulary is None else titles_shown(known.vocabulary)
    return make_layout(
        fitted.positions,
        X,
        known.labels,
        known.taxonomy,
        is_informed=fitted.model != SPACES["lsi"].title,
        terms=None if words is None else words.terms,
        title=lambda label: shown.get(label) or titles.get(label, label),
        seed=settings.random_state,
        progress=say.advance,
    )


def _matched(correction: Correction, matching: LabelMatching) -> Correction:
    """Return a correction with nodes as labels where they are found: the taxonomy may be another than before."""
    accepted, rejected = (
        matching.record(Record("text", "", labels=labels)).labels
        for labels in (correction.accepted, correction.rejected)
    )
    return replace(correction, accepted=accepted, rejected=rejected)


def _save(
    writer: GenerationWriter, fitted: FittedSpace, words: Words | None, known: RecordKnowledge, titles: dict[str, str]
) -> None:
    """Write everything except the records."""
    Space(fitted.terms, fitted.offset, words, fitted.vector_maps).save(writer)
    writer.save_array("positions", fitted.positions)
    writer.save_array("lengths", lengths_of(fitted.positions))
    names = {"names": list(fitted.label_names), "counts": list(fitted.label_counts)}
    writer.save_facts(
        "labels", {**names, "titles": {name: titles[name] for name in fitted.label_names if name in titles}}
    )
    if fitted.label_positions is not None:
        writer.save_array("label_positions", fitted.label_positions)
    if fitted.suggester is not None:
        fitted.suggester.save(writer)
    if fitted.panel is not None:
        fitted.panel.save(writer)
    save_corrections(writer, known.corrections)  # also if this suggester does not learn from them: another may
    if fitted.known_views is not None:
        fitted.known_views.save(writer)
    if fitted.emphasis is not None:
        writer.save_facts("emphasis", asdict(fitted.emphasis))
    if known.vocabulary is not None:
        writer.save_facts("taxonomy", taxonomy_to_facts(known.vocabulary))
    if fitted.strengths is not None:
        writer.save_array("strengths", fitted.strengths)
    if fitted.others:
        others = list(fitted.others)
        writer.save_facts("links", {name: fitted.others[name][0] for name in others})
        for number, name in enumerate(others):
            writer.save_array(f"link_positions_{number}", np.asarray(fitted.others[name][1], np.float32))


def _check_one_taxonomy(taxonomy: Taxonomy | None, settings: BuildSettings) -> None:
    if taxonomy is not None and settings.taxonomy_separator is not None:
        raise InputError(
            f"taxonomy is given twice: got taxonomy and taxonomy_separator={settings.taxonomy_separator!r}, expected "
            "one of them. Leave the other out."
        )


def _check_has_labels(reading: Reading) -> None:
    """Raise before the files are read if they have no column of labels for a taxonomy."""
    if reading.columns.labels:
        return
    raise InputError(
        f"taxonomy needs labels: got no column of them among {shown(reading.column_names, 20)}, expected one with the "
        "subjects of the records. Name it with `labels`, or leave `taxonomy` out."
    )


_DISK_ERRORS = {
    errno.ENOSPC, errno.EDQUOT, errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR, errno.ENAMETOOLONG, errno.EIO,
}  # fmt: skip


@contextlib.contextmanager
def disk_errors(folder: Path) -> Iterator[None]:
    """Turn errors of the disk into an `InputError`; the index is unchanged."""
    try:
        yield
    except OSError as error:
        if error.errno not in _DISK_ERRORS:  # it may come from reading the records
            raise
        raise InputError(
            f"path cannot be written: got {error.strerror or str(error)!r} for {str(error.filename or folder)!r}, "
            "expected a writable folder with free space. Choose another, or check the disk and the permissions."
        ) from error


def _in_language(taxonomy: Taxonomy | None, settings: BuildSettings) -> Taxonomy | None:
    """Return the taxonomy with the language of titles: the one asked for, or else its own, or that of the texts."""
    if taxonomy is None:
        if settings.label_language is not None:
            raise InputError(
                f"label_language needs a taxonomy: got {settings.label_language!r} for labels without names, expected "
                "a taxonomy or vocabulary that has names in this language. Pass `taxonomy`."
            )
        return None
    if settings.label_language is None and taxonomy.language:
        return taxonomy
    tag = choose_language(taxonomy.languages, settings.label_language, of_texts=settings.text.language)
    return replace(taxonomy, language=tag)


def _with_taxonomy(
    known: RecordKnowledge, taxonomy: Taxonomy | None, separator: str | None, titles: dict[str, str]
) -> RecordKnowledge:
    """Add the taxonomy, or that of labels that are paths, with titles from the records for nodes that have none.

    A taxonomy that has nothing above any label is a vocabulary only: it would be the labels once more.
    """
    names = dict.fromkeys(name for labels in known.labels for name in labels)
    if taxonomy is None and separator is not None and names:
        taxonomy = Taxonomy.from_paths(names, separator)
    if taxonomy is None:
        return known
    found: dict[Hashable, Any] = {
        name: {"": title}
        for name, title in titles.items()
        if name in taxonomy and taxonomy.titles.get(name) in (None, {"": last_part(name)})
    }
    if found:
        taxonomy = replace(taxonomy, titles={**taxonomy.titles, **found})
    return known.with_vocabulary(taxonomy)
