"""Measures as tables, for `tacit evaluate`, `tacit compare` and `tacit tune`, and the options that they share."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from tacit.cli.common.output import write_note, write_table

if TYPE_CHECKING:
    from tacit.corpus import Record
    from tacit.tasks.collection import Collection
    from tacit.tasks.measure.evaluate import Evaluation
    from tacit.tasks.measure.search import SearchMeasures
    from tacit.tasks.measure.suggest import SuggestMeasures

__all__ = ["cell", "read_test", "split_options", "write_evaluation", "write_split"]

Decorator = Callable[[Any], Any]

_OPTIONS: tuple[Decorator, ...] = (
    click.option("--test", metavar="SOURCE", help="Judge by the records of this file, read as the index was."),
    click.option("--split-field", metavar="FIELD", help="Split by a field that says 'train' or 'test'."),
    click.option(
        "--share", type=float, default=0.2, show_default=True, metavar="SHARE", help="Else: share to hold out."
    ),
    click.option(
        "--queries", type=int, default=200, show_default=True, metavar="NUMBER", help="Most questions of each kind."
    ),
    click.option("--quick", is_flag=True, help="Use 5,000 records at most; numbers come out lower."),
    click.option("--seed", type=int, default=0, show_default=True, metavar="NUMBER", help="Of everything by chance."),
)


def split_options(command: Any) -> Any:
    """Add the options that say what to learn from and what to judge by."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def read_test(collection: Collection, source: str | None) -> list[Record] | None:
    """Read records to judge by, with the columns that the index was built from."""
    if source is None:
        return None
    from tacit.cli.common.reading_options import ReadingOptions, read_given

    stored = dict(collection.settings["build"].get("reading") or {})
    return list(read_given(ReadingOptions(sources=(source,)), stored=stored).records)


def write_evaluation(found: Evaluation) -> None:
    """Everything that was measured of one index."""
    print(f"{found.model} in {found.n_dimensions:,} dimensions")
    write_split(found)
    if found.suggest is not None:
        _write_suggest(found.suggest)
    if found.search is not None:
        _write_search(found.search)
    print(f"\nFitted in {found.fit_seconds:.1f} s, measured in {found.measure_seconds:.1f} s.")
    for note in found.notes:
        write_note(note)


def write_split(found: Evaluation) -> None:
    """What was learned from and judged by."""
    print(f"Learned from {found.n_train:,} records, judged by {found.n_test:,} others: {found.how}.")


def cell(value: float | None) -> float | str:
    """A number, or a sign that there is none."""
    return "–" if value is None else float(value)


def _write_suggest(found: SuggestMeasures) -> None:
    print(f"\nSuggested labels ({found.n_records:,} records with {found.n_labels:,} labels)\n")
    rows: list[tuple[Any, ...]] = [
        (f"first {row.k}" if row.k > 1 else "first", row.precision, row.recall, row.f1, row.ndcg) for row in found.at
    ]
    write_table(("suggestions", "precision", "recall", "F1", "nDCG"), rows, empty="")
    sets = found.chosen
    rows = [
        ("mean of records", sets.precision, sets.recall, sets.f1),
        ("mean of labels (macro)", sets.macro_precision, sets.macro_recall, sets.macro_f1),
        ("all decisions (micro)", sets.micro_precision, sets.micro_recall, sets.micro_f1),
    ]
    if found.hierarchy is not None:
        rows.append(("with the taxonomy", found.hierarchy.precision, found.hierarchy.recall, found.hierarchy.f1))
    print()
    write_table(("chosen sets", "precision", "recall", "F1"), rows, empty="")
    if found.hierarchy is not None:
        print(f"\nA mistake is {found.hierarchy.mistake_distance:.1f} steps of the taxonomy from the truth.")


def _write_search(found: SearchMeasures) -> None:
    print(
        f"\nSearch ({found.n_overlap:,} texts for others with their labels, {found.n_titles:,} titles for their text)\n"
    )
    rows = [
        (way, *(cell(value) for value in (score.overlap_ndcg, score.mrr, score.found_first, score.found_in_ten)))
        for way, score in found.ways.items()
    ]
    write_table(("by", "labels nDCG@10", "title MRR", "title first", "title in ten"), rows, empty="")
