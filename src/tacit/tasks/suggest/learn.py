"""Learn: accepted and rejected labels of texts improve the suggestions of an index, without a refit.

Space and records stay as they are. The texts count in every witness as records do, and the ranker is trained again, on
what it learned from in the build and on the corrections. They are kept in the index, so that a refit learns from them
again. A text that is corrected a second time replaces its first correction.
"""

from __future__ import annotations

import datetime
import shlex
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from tacit.checks import check_rows
from tacit.corpus.record import Record
from tacit.errors import InputError, TacitWarning
from tacit.index.folder.generations import current_generation
from tacit.index.folder.opening import Generation, as_folder
from tacit.index.folder.writer import GenerationWriter
from tacit.index.shards.opening import any_generation
from tacit.index.stored_arrays import fitting
from tacit.index.witnesses.corrections import Correction, corrections_of, save_corrections
from tacit.index.witnesses.examples import Examples
from tacit.index.witnesses.panel import Panel
from tacit.tasks.build.build import disk_errors
from tacit.tasks.build.label_matching import with_known_labels
from tacit.tasks.build.learning import LEAST_LEARNED, learned_panel
from tacit.tasks.build.settings import BuildSettings
from tacit.tasks.opened_index import OpenedIndex
from tacit.tasks.stage_progress import Report, StageReporter

__all__ = ["learn"]


def learn(
    path: str | Path,
    records: Iterable[Record],
    *,
    rejected: Sequence[Sequence[str]] | None = None,
    report: Report | None = None,
    wait: float = 0.0,
) -> int:
    """Learn from texts whose labels a person has accepted or rejected, and return how many were new or different.

    Readers use the old suggester until the new one is ready; a crash at any point leaves one of them.

    Parameters
    ----------
    path : str or Path
        Folder of the index.
    records : iterable of Record
        Texts with all labels that were accepted for them, written as ids, notations or names of the vocabulary. They do
        not become records of the index. A text without accepted labels must have rejected ones.
    rejected : sequence of sequences of str, optional
        Labels that each of the records does not have; by default those in its link or field `rejected`.
    report : callable, optional
        Called with a `StageEvent` when a stage begins, advances and ends.
    wait : float, default 0.0
        Seconds to wait for another writer of the same index.

    Raises
    ------
    InputError
        If the suggester of the index cannot learn, or a label is both accepted and rejected.
    """
    folder, given = as_folder(path), list(records)
    current_generation(folder)  # raises before a folder is created
    refused = _rejected_of(given, rejected)
    say = StageReporter(report)
    with disk_errors(folder), GenerationWriter(folder, wait=wait) as writer, writer.previous(any_generation) as old:
        index = OpenedIndex(old)
        panel = _panel_that_learns(index)
        earlier = {correction.text: correction for correction in corrections_of(old)}
        corrections, n_learned = _merged(earlier, _corrections(index, given, refused))
        if not n_learned:
            return 0
        say.begin("suggester")
        places = index.space.place([correction.text for correction in corrections])
        seed = BuildSettings.from_facts(index.settings["build"]).random_state
        panel = learned_panel(panel, index.positions.n_base, corrections, places, say=say, seed=seed)
        say.end(f"suggester of {len(panel.subjects):,} subjects trained with {len(corrections):,} corrections")
        say.begin("writing")
        _write(writer, old, panel, corrections)
        say.end(f"index written to {folder}")
    return n_learned


def _panel_that_learns(index: OpenedIndex) -> Panel:
    """Return the witnesses as they are stored, without changed records, and what the ranker learned from."""
    words = index.space.words
    with fitting(index.generation, "the suggester"):
        panel = None if words is None else Panel.of_generation(index.generation, words)
    if panel is None or panel.names is None:
        used = index.settings.get("fitted", {}).get("suggester", "none")
        command = f"tacit refit {shlex.quote(str(index.path))} --suggester witnesses"
        raise InputError(
            f"{index.path} has a suggester that cannot learn: got {used!r}, expected 'witnesses', which needs words "
            f"and at least {LEAST_LEARNED} records with labels. Type: {command}"
        )
    with fitting(index.generation, "the suggester"):
        panel.examples = Examples.of_generation(index.generation, len(panel.feature_names))
    if panel.examples is None:
        raise InputError(
            f"{index.path} was built before suggesters could learn: got no examples of its ranker, expected those that "
            f"a build keeps now. Type: tacit refit {shlex.quote(str(index.path))}"
        )
    return panel


def _rejected_of(records: Sequence[Record], rejected: Sequence[Sequence[str]] | None) -> list[tuple[str, ...]]:
    """Return the rejected labels of each record, as they are written."""
    if rejected is not None:
        check_rows("rejected", len(rejected), len(records), of="records")
        return [_names(labels, record) for labels, record in zip(rejected, records, strict=True)]
    return [_names(record.links.get("rejected") or record.fields.get("rejected") or (), record) for record in records]


def _names(labels: Any, record: Record) -> tuple[str, ...]:
    """Return labels as a tuple; a single one may be a text."""
    listed = (labels,) if isinstance(labels, str) else labels
    if not isinstance(listed, (list, tuple)) or not all(isinstance(name, str) for name in listed):
        raise InputError(
            f"rejected of record {record.id!r} is not a list of labels: got {labels!r}, expected names or ids."
        )
    return tuple(dict.fromkeys(name.strip() for name in listed if name.strip()))


def _corrections(
    index: OpenedIndex, records: Sequence[Record], rejected: Sequence[tuple[str, ...]]
) -> list[Correction]:
    """Match the labels with the vocabulary; texts without any are left out."""
    accepted = with_known_labels(index, records)
    plain = [Record(record.id, "", labels=names) for record, names in zip(records, rejected, strict=True)]
    time = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    found = []
    for record, yes, no in zip(records, accepted, with_known_labels(index, plain), strict=True):
        both = [label for label in yes.labels if label in no.labels]
        if both:
            raise InputError(
                f"rejected has an accepted label: got {both[0]!r} in both for record {record.id!r}, expected it in one "
                "of them. Correct the record."
            )
        if record.text.strip() and (yes.labels or no.labels):
            found.append(Correction(record.text, yes.labels, no.labels, time, record.id))
    if records and not found:
        raise InputError(
            f"labels are missing: got {len(records):,} texts without accepted or rejected labels, expected some with "
            "labels. Name the columns that hold them with `labels` and `rejected`."
        )
    if len(found) < len(records):
        warnings.warn(
            f"{len(records) - len(found):,} of {len(records):,} texts have no labels, or no words, and are left out.",
            TacitWarning,
            stacklevel=4,
        )
    return found


def _merged(earlier: dict[str, Correction], later: Iterable[Correction]) -> tuple[list[Correction], int]:
    """Return all corrections, one per text, the latest of each, and the number of those that are new or different."""
    merged = dict(earlier)
    for correction in later:
        known = merged.get(correction.text)
        if known is None or (known.accepted, known.rejected) != (correction.accepted, correction.rejected):
            merged.pop(correction.text, None)
            merged[correction.text] = correction
    n_learned = sum(earlier.get(text) is not correction for text, correction in merged.items())
    return list(merged.values()), n_learned


def _write(writer: GenerationWriter, old: Generation, panel: Panel, corrections: Sequence[Correction]) -> None:
    """Write the witnesses and the corrections; everything else is that of the generation before."""
    replace(panel, examples=None).save(writer, head=False)
    save_corrections(writer, corrections)
    writer.keep(old, except_for=("arrays/learned_",))
    counts = {**old.manifest.counts, "corrections": len(corrections)}
    writer.finish(old.manifest.settings, counts, fitted_at=old.manifest.created)
