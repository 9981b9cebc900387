"""`tacit evaluate`."""

from __future__ import annotations

import click

from tacit.cli.common.examples import examples
from tacit.cli.common.options import as_json, index_argument, opened
from tacit.cli.common.output import write_json
from tacit.cli.common.progress import ShownStages
from tacit.cli.evaluating_output import read_test, split_options, write_evaluation

__all__ = ["evaluate_command"]


@click.command(
    "evaluate",
    short_help="Measure suggestions and search on held-out records.",
    epilog=examples(
        "tacit evaluate library.tacit",
        "tacit evaluate library.tacit --split-field split --json",
        "tacit evaluate library.tacit --test new-books.csv",
    ),
)
@index_argument
@split_options
@as_json
def evaluate_command(
    *,
    index: str,
    test: str | None,
    split_field: str | None,
    share: float,
    queries: int,
    quick: bool,
    seed: int,
    as_json: bool,
) -> None:
    """Measure suggestions and search on held-out records.

    The settings of the index are fitted anew, in memory, to a part of its records; the others are the judges. The index
    stays as it is.

    Suggestions: precision, recall, F1 and nDCG of the first 1 to 10, and of the sets that are chosen. Search: whether a
    text finds others with its labels, and whether a title finds its text among all the others.
    """
    with opened(index) as collection, ShownStages() as show:
        from tacit.tasks.measure.evaluate import evaluate

        found = evaluate(
            collection,
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
        write_evaluation(found)
