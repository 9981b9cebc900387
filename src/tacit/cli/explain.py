"""`tacit explain` and `tacit concepts`."""

from __future__ import annotations

from typing import Any

import click

from tacit.cli.common.options import as_json, index_argument, limit_option, opened
from tacit.cli.common.output import write_json
from tacit.cli.explain_output import write_concepts, write_explanation

__all__ = ["concepts_command", "explain_command"]


@click.command("explain", short_help="Say why: a hit, a label, a dimension, a neighbourhood.")
@index_argument
@click.option("--query", metavar="TEXT", help="With one --id: why this record answers this query.")
@click.option("--id", "ids", multiple=True, metavar="ID", help="A record; two of them: why they are similar.")
@click.option("--text", metavar="TEXT", help="With --label: why this label for this text.")
@click.option("--label", metavar="NAME", help="A label; alone: what it is near to.")
@click.option("--dimension", type=int, metavar="NUMBER", help="What this dimension is about; the first is 1.")
@limit_option(10, "words, labels and records to name")
@as_json
def explain_command(*, index: str, limit: int, as_json: bool, **asked: Any) -> None:
    """Say why: a hit, a label, a dimension, a neighbourhood.

    \b
    tacit explain library.tacit --query "whales at sea" --id moby-dick
    tacit explain library.tacit --id moby-dick --id typee
    tacit explain library.tacit --text "a whaling voyage" --label novels
    tacit explain library.tacit --id moby-dick --label novels
    tacit explain library.tacit --label novels
    tacit explain library.tacit --dimension 3
    """
    from tacit.tasks.explain.explain import explain

    with opened(index) as collection:
        explanation = explain(collection, limit=limit, **asked)
    if as_json:
        write_json(explanation.to_facts())
    else:
        write_explanation(explanation, limit)


@click.command("concepts", short_help="Show what the dimensions of the space are about.")
@index_argument
@limit_option(10, "dimensions")
@click.option("--words", type=int, default=6, show_default=True, metavar="NUMBER", help="Most words and labels an end.")
@as_json
def concepts_command(*, index: str, limit: int, words: int, as_json: bool) -> None:
    """Show what the dimensions of the space are about.

    Words and labels stand at both ends of a dimension, + and -; which end is which means nothing. The share says how
    much of the records' positions lies along the dimension.
    """
    from tacit.tasks.explain.concepts import concepts

    with opened(index) as collection:
        found = concepts(collection, limit=limit, words=words)
        n_dimensions = collection.space.n_dimensions
    if as_json:
        write_json({"n_dimensions": n_dimensions, "concepts": [concept.to_facts() for concept in found]})
    else:
        write_concepts(found)
