"""`tacit compare`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from tacit.cli.common.examples import examples
from tacit.cli.common.options import as_json, index_argument, opened
from tacit.cli.common.output import write_json, write_note, write_table
from tacit.cli.common.progress import ShownStages
from tacit.cli.evaluating_output import cell, read_test, split_options, write_split

if TYPE_CHECKING:
    from tacit.tasks.measure.compare import Comparison
    from tacit.tasks.measure.evaluate import Evaluation

__all__ = ["compare_command"]


@click.command(
    "compare",
    short_help="Measure several models side by side.",
    epilog=examples(
        "tacit compare library.tacit",
        "tacit compare library.tacit --models words,lsi,mlsi --quick",
    ),
)
@index_argument
@click.option(
    "--models",
    metavar="NAMES",
    help="With commas: lsi, mlsi, hlsi, mlsa, sle, and words for no space at all.  [default: all that suit]",
)
@split_options
@as_json
def compare_command(
    *,
    index: str,
    models: str | None,
    test: str | None,
    split_field: str | None,
    share: float,
    queries: int,
    quick: bool,
    seed: int,
    as_json: bool,
) -> None:
    """Measure several models side by side, on the same records and questions.

    "words" is the baseline: cosines of the words themselves, and a linear classifier on them. The index stays as it is.
    """
    with opened(index) as collection, ShownStages() as show:
        from tacit.tasks.measure.compare import compare

        found = compare(
            collection,
            None if models is None else [name.strip() for name in models.split(",") if name.strip()],
            test=read_test(collection, test),
            split_field=split_field,
            share=share,
            queries=queries,
            quick=quick,
            random_state=seed,
            report=show,
        )
    if as_json:
        write_json({"index": index, **found.to_facts()})
    else:
        _write(found)


def _write(found: Comparison) -> None:
    first = next(iter(found.rows.values()))
    write_split(first)
    if any(row.suggest for row in found.rows.values()):
        print("\nSuggested labels\n")
        rows = [(name, *_suggest_cells(row)) for name, row in found.rows.items()]
        headings = ["model", "P@1", "R@5", "nDCG@10", "micro F1", "macro F1"]
        if any(row.suggest and row.suggest.hierarchy for row in found.rows.values()):
            headings.append("taxonomy F1")
        write_table(headings, [row[: len(headings)] for row in rows], empty="")
    if first.search is not None:
        print("\nSearch\n")
        rows = [(name, *_search_cells(row)) for name, row in found.rows.items()]
        headings = ["model", "labels by meaning", "by both", "titles by meaning", "by both"]
        write_table(headings, rows, empty="")
        words = first.search.ways["words"]
        print(
            f"\nlabels: nDCG@10 of what a text finds; titles: MRR of the text that belongs to a title. "
            f"\nSearch by words alone: labels {_shown(words.overlap_ndcg)}, titles {_shown(words.mrr)}."
        )
    print("\nTime\n")
    rows = [(name, row.n_dimensions, round(row.fit_seconds, 1)) for name, row in found.rows.items()]
    write_table(("model", "dimensions", "seconds to fit"), [(*row[:2], f"{row[2]:.1f}") for row in rows], empty="")
    for note in first.notes:
        write_note(note)


def _suggest_cells(row: Evaluation) -> tuple[Any, ...]:
    if row.suggest is None:
        return ("–",) * 6
    at = {measured.k: measured for measured in row.suggest.at}
    hierarchy = row.suggest.hierarchy
    return (
        at[1].precision,
        at[5].recall,
        at[10].ndcg,
        row.suggest.chosen.micro_f1,
        row.suggest.chosen.macro_f1,
        cell(None if hierarchy is None else hierarchy.f1),
    )


def _search_cells(row: Evaluation) -> tuple[Any, ...]:
    if row.search is None:
        return ("–",) * 4
    meaning, both = row.search.ways["meaning"], row.search.ways["hybrid"]
    return tuple(cell(value) for value in (meaning.overlap_ndcg, both.overlap_ndcg, meaning.mrr, both.mrr))


def _shown(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"
