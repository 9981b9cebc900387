"""Builds an index: reads the records, counts their words, fits the space, and writes the folder."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from tacit.checks import check_count, shown
from tacit.corpus.columns import ColumnMap
from tacit.corpus.reading import Reading, as_records
from tacit.errors import InputError
from tacit.index import GenerationWriter
from tacit.index.folder.generations import current_generation
from tacit.index.folder.opening import as_folder
from tacit.index.shards.opening import any_generation, check_complete, shards_of
from tacit.index.stored_arrays import fitting
from tacit.index.taxonomy import taxonomy_to_facts
from tacit.index.witnesses.corrections import corrections_of
from tacit.operators.rows.cluster_workers import opened_cluster
from tacit.relations.taxonomy.taxonomy import Taxonomy
from tacit.tasks.build.fitted_space import EarlierFit
from tacit.tasks.build.partitions.cluster_build import ClusterBuild, check_reading
from tacit.tasks.build.settings import BuildSettings
from tacit.tasks.build.stages.pipeline import IndexBuild
from tacit.tasks.build.stages.plan import parse_memory
from tacit.tasks.build.stages.state import BuildState
from tacit.tasks.build.stages.vocabulary import in_language
from tacit.tasks.build.vectors import read_vectors
from tacit.tasks.build.weighing import Emphasis
from tacit.tasks.opened_index import OpenedIndex
from tacit.tasks.stage_progress import Report, StageReporter

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
    memory: str | int | None = None,
    shards: int | None = None,
    cluster: Any = None,
    resume: bool = False,
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
    memory : str or int, optional
        Memory that the build may take, such as "4GB" or a number of bytes. What does not fit stays on disk, and the
        space is fitted to as many records as there is room for; see docs/howto/size.md. Default: all is in memory.
    shards : int, optional
        Number of parts over which the records are spread in the folder, which are searched at the same time; see
        docs/howto/size.md. Default: none. The answers are the same.
    cluster : str or distributed.Client, optional
        Build with the processes of a Dask cluster: the address of its scheduler, or "local:4" to start four processes
        on this machine. The files and the folder must be on a disk that all of them share. The index is in shards, and
        `memory` is what one task may take; see docs/howto/size.md.
    resume : bool, default False
        Whether to go on with a build of the same records and settings that was interrupted, behind the last stage that
        it had finished, and to keep the stages of this one if it is interrupted. Without one it begins anew.
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
    if cluster is not None:
        check_reading(records, vectors)
    folder = as_folder(path)
    if vectors is not None:
        vectors = read_vectors(vectors)
    with disk_errors(folder):
        if not replace_old and (folder / "CURRENT").exists():
            raise InputError(
                f"path is an existing index: got {str(folder)!r}, expected a new folder. Choose another, or pass "
                "replace_old=True."
            )
        limit = None if memory is None else parse_memory(memory)
        n_shards = None if shards is None else check_count("shards", shards)
        taxonomy = in_language(taxonomy, settings)
        with GenerationWriter(folder, wait=wait, resume=resume) as writer:
            asked = _asked(records, settings, taxonomy, vectors, n_shards, on_cluster=cluster is not None)
            state = BuildState(writer, asked, resume=resume)
            if cluster is None:
                say = StageReporter(report)
                IndexBuild(writer, settings, taxonomy, vectors, (), state, say, limit, n_shards=n_shards).run(records)
                return folder
            state.keep_every_stage()
            state.finish("asked", {})  # tasks note themselves what is done
            with opened_cluster(cluster, limit) as workers:
                given = (writer, settings, taxonomy, workers, limit, n_shards, report)
                ClusterBuild(*given).run(check_reading(records, vectors))
    return folder


def _asked(
    records: Any,
    settings: BuildSettings,
    taxonomy: Taxonomy | None,
    vectors: Any,
    n_shards: int | None,
    *,
    on_cluster: bool = False,
) -> Callable[[], Any]:
    """Return a function that describes what a build was asked for."""

    def described() -> dict[str, Any]:
        return {
            "files": records.files() if isinstance(records, Reading) else None,
            "settings": settings.to_facts(),
            "taxonomy": None if taxonomy is None else _hash(json.dumps(taxonomy_to_facts(taxonomy)).encode()),
            "vectors": None if vectors is None else _hash(np.ascontiguousarray(vectors).data),
            "shards": n_shards,
            "cluster": on_cluster,
        }

    return described


def _hash(content: Any) -> str:
    return hashlib.sha256(content).hexdigest()


def refit(
    path: str | Path,
    settings: BuildSettings | None = None,
    *,
    taxonomy: Taxonomy | None = None,
    without_taxonomy: bool = False,
    vectors: Any = None,
    memory: str | int | None = None,
    shards: int | None = None,
    warm: bool = False,
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
    shards : int, optional
        Number of shards. Default: as many as the index has.
    warm : bool, default False
        Whether to start from the space that is there: how much words, labels and links count stays as it is, without a
        trial, and the search for a space of words starts from the positions of the records.
    memory, report, wait : as for `build`
    """
    current_generation(as_folder(path))  # raises before a folder is created
    with (
        disk_errors(as_folder(path)),
        GenerationWriter(path, wait=wait) as writer,
        writer.previous(any_generation) as old,
    ):
        check_complete(old)
        index = OpenedIndex(old)
        settings = settings or BuildSettings.from_facts(index.settings["build"])
        _check_one_taxonomy(taxonomy, settings)
        # paths are read again, since added records may have new ones
        keeps = not (without_taxonomy or settings.taxonomy_separator)
        taxonomy = index.vocabulary if taxonomy is None and keeps else taxonomy
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
        limit = None if memory is None else parse_memory(memory)
        taxonomy, corrections = in_language(taxonomy, settings), corrections_of(old)
        n_shards = len(shards_of(old)[0]) or None if shards is None else check_count("shards", shards)
        state, say = BuildState(writer, _asked(records, settings, taxonomy, vectors, n_shards)), StageReporter(report)
        more: dict[str, Any] = {"n_shards": n_shards, "earlier": _earlier(index, limit) if warm else None}
        IndexBuild(writer, settings, taxonomy, vectors, corrections, state, say, limit, **more).run(records)
    return as_folder(path)


def _earlier(index: OpenedIndex, limit: int | None) -> EarlierFit:
    """Return what a refit takes over from an index; with a limit of memory no positions, which might not fit."""
    has_weights = "facts/emphasis.json" in index.generation.manifest.files
    with fitting(index.generation, "the weights"):
        emphasis = Emphasis(**index.generation.facts("emphasis")) if has_weights else None
    positions = None
    if emphasis is None and limit is None:
        positions = index.positions.of(index.store.numbers())
    return EarlierFit(emphasis, positions)


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
