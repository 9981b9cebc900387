"""`tacit explain` and `tacit concepts`."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from tacit.cli.common.options import as_json, examples, index_argument, limit_option, opened
from tacit.cli.common.output import filled, write_json, write_table

if TYPE_CHECKING:
    from tacit.tasks.explain.dimension import Dimension
    from tacit.tasks.explain.explain import Explanation
    from tacit.tasks.explain.hit import HitExplanation, LabelNear
    from tacit.tasks.explain.label import LabelExplanation, LabelPlace
    from tacit.tasks.explain.similar import PairExplanation
    from tacit.tasks.search.hits import RecordHit

__all__ = ["concepts_command", "explain_command", "write_concepts", "write_explanation"]


@click.command(
    "explain",
    epilog=examples(
        'tacit explain library.tacit --query "whales at sea" --id moby-dick',
        "tacit explain library.tacit --id moby-dick --id typee",
        'tacit explain library.tacit --text "a whaling voyage" --label novels',
        "tacit explain library.tacit --id moby-dick --label novels",
        "tacit explain library.tacit --label novels",
        "tacit explain library.tacit --dimension 3",
    ),
)
@index_argument
@click.option("--query", metavar="TEXT", help="With one --id: why this query finds this record.")
@click.option("--id", "ids", multiple=True, metavar="ID", help="A record; given twice: why two records are similar.")
@click.option("--text", metavar="TEXT", help="With --label: why this label is suggested for this text.")
@click.option("--label", metavar="NAME", help="A label; alone: the words, labels and records near it.")
@click.option(
    "--dimension", type=int, metavar="NUMBER", help="The words, labels and records of a dimension; the first is 1."
)
@limit_option(10, "words, labels and records to show")
@as_json
def explain_command(*, index: str, limit: int, as_json: bool, **asked: Any) -> None:
    """Explain a search result, a label, a similarity or a dimension."""
    from tacit.tasks.explain.explain import explain

    with opened(index) as collection:
        explanation = explain(collection, limit=limit, **asked)
        if as_json:
            write_json(explanation.to_facts())
        else:
            from tacit.tasks.label_names import path_above, title_of

            names = LabelWords(partial(title_of, collection), partial(path_above, collection))
            write_explanation(explanation, limit, names)


@click.command("concepts")
@index_argument
@limit_option(10, "dimensions")
@click.option("--words", type=int, default=6, show_default=True, metavar="NUMBER", help="Words and labels per end.")
@as_json
def concepts_command(*, index: str, limit: int, words: int, as_json: bool) -> None:
    """Show the words and labels of each dimension.

    A dimension has two ends, + and -, with words and labels at each; the sign has no meaning. The share is how much of
    the variation between the records lies along the dimension.
    """
    from tacit.tasks.explain.explain import concepts

    with opened(index) as collection:
        found = concepts(collection, limit=limit, words=words)
        n_dimensions = collection.space.n_dimensions
    if as_json:
        write_json({"n_dimensions": n_dimensions, "concepts": [concept.to_facts() for concept in found]})
    else:
        write_concepts(found)


class LabelWords(NamedTuple):
    """The words for a label: its title, and what is above it."""

    title: Callable[[str], str]
    above: Callable[[str], str]


def write_explanation(explanation: Explanation, limit: int, words: LabelWords) -> None:
    """Write an explanation, with the titles of labels; at most `limit` rows per table."""
    print(textwrap.fill(explanation.in_words(), min(shutil.get_terminal_size().columns, 100)))
    # by the name of the class, so that modules that are not needed are not imported
    write: Any = {
        "HitExplanation": _write_hit,
        "PairExplanation": _write_pair,
        "LabelExplanation": _write_label,
        "LabelPlace": _write_place,
        "Dimension": _write_dimension,
    }[type(explanation).__name__]
    write(explanation, limit, words)


def write_concepts(found: Sequence[Dimension]) -> None:
    """Write up to two lines per dimension, one for each end that has words, labels or links."""
    with_links = any(end.links for dimension in found for end in (dimension.positive, dimension.negative))
    rows = []
    for dimension in found:
        ends = [("+", dimension.positive), ("-", dimension.negative)]
        said = [(sign, end) for sign, end in ends if end.words or end.labels or end.links]
        for place, (sign, end) in enumerate(said or ends[:1]):
            first = [str(dimension.number), f"{dimension.share:.1%}"] if place == 0 else ["", ""]
            linked = ["; ".join(f"{name}: {', '.join(things)}" for name, things in end.links.items())]
            labels = ", ".join(label.title for label in end.labels)
            rows.append([*first, sign, ", ".join(end.words), labels, *(linked if with_links else [])])
    headings = ["dimension", "share", "end", "words", "labels", *(["links"] if with_links else [])]
    write_table(headings, rows, empty="The space has no dimensions.")


def _write_hit(why: HitExplanation, limit: int, words: LabelWords) -> None:
    rows = [(word.part, word.word, "yes" if word.shared else "", ", ".join(word.through)) for word in why.words]
    columns = ("part", "word", "in both", "related words in the record")
    _section("Contribution of each word to the cosine", columns, rows, limit)
    if abs(why.offset) >= 0.0005:
        print(f"{why.offset:.3f} comes from the centre of the space.")
    _write_near("Labels of the record, by nearness to the query", why.labels, limit, words)
    _write_near("Labels nearest to the query", why.query_labels, limit, words)


def _write_pair(why: PairExplanation, limit: int, _: LabelWords) -> None:
    rows = [
        (part.part, str(part.number), ", ".join(part.words), ", ".join(label.title for label in part.labels[:3]))
        for part in why.dimensions
    ]
    columns = ("part", "dimension", "words at their end", "labels at their end")
    _section("Dimensions that carry most of the cosine", columns, rows, limit)
    shared = {
        "words": why.shared_words,
        "labels": [label.title for label in why.shared_labels],
        "ancestors": [label.title for label in why.common_ancestors],
        **why.shared_links,
    }
    print("\nWhat they share" if any(shared.values()) else "\nThey share no word, label or link.")
    for what, names in shared.items():
        if names:
            print(f"{what.capitalize()}: {_cut(names, limit)}")


def _write_label(why: LabelExplanation, limit: int, words: LabelWords) -> None:
    if why.by_witnesses:
        telling = [(share, word) for word, share in why.words]
        heading = "Share of the records of each word that have this label (less for rare words)"
        _section(heading, ("share", "word"), telling, limit)
    else:
        _write_parts(why, limit)
    _write_above(words.above(why.label))
    _write_records("Nearest records with this label", why.records, limit, words)


def _write_parts(why: LabelExplanation, limit: int) -> None:
    """Write the words whose parts add up to the score of a linear classifier."""
    good = [word for word in why.words if word.part > 0][:limit]
    bad = [word for word in reversed(why.words) if word.part < 0][:limit]
    _section("Words in favour", ("part", "word"), [(word.part, word.word) for word in good], limit)
    _section("Words against", ("part", "word"), [(word.part, word.word) for word in bad], limit)
    in_favour, against = (float(sum(word.part for word in words)) for words in (good, bad))
    left = why.score - why.intercept - in_favour - against
    other = f", {left:+.3f} for all other words" if abs(left) >= 0.0005 else ""
    sums = f"{in_favour:+.3f} for, {against:+.3f} against{other}"
    print(f"\nScore {why.score:.3f}: starts at {why.intercept:.3f}, {sums}.")


def _write_place(place: LabelPlace, limit: int, words: LabelWords) -> None:
    _write_above(words.above(place.label))
    if place.children:
        _write_line(f"Narrower labels: {_cut([label.title for label in place.children], limit)}")
    if place.related:
        _write_line(f"Related labels: {_cut([label.title for label in place.related], limit)}")
    if place.other_names:
        _write_line(f"Also called: {_cut(place.other_names, limit)}")
    if place.words:
        _write_line(f"Typical words: {', '.join(place.words)}")
    _write_near("Nearest labels", place.neighbours, limit, words)
    _write_records("Nearest records", place.records, limit, words)


def _write_dimension(dimension: Dimension, limit: int, words: LabelWords) -> None:
    for sign, end in (("+", dimension.positive), ("-", dimension.negative)):
        print(f"\nEnd {sign}\nWords: {', '.join(end.words) or 'none'}")
        if end.labels:
            print(f"Labels: {', '.join(label.title for label in end.labels)}")
        for name, things in end.links.items():
            print(f"{name.capitalize()}: {', '.join(things)}")
        _write_records("", end.records, limit, words)


def _write_near(heading: str, labels: Sequence[LabelNear], limit: int, words: LabelWords) -> None:
    above = any(near.ancestors for near in labels)
    rows = [(near.cosine, near.title, *([words.above(near.label)] if above else [])) for near in labels[:limit]]
    _section(heading, ("cosine", "label", *(["below"] if above else [])), rows, limit)


def _write_records(heading: str, hits: Sequence[RecordHit], limit: int, words: LabelWords) -> None:
    rows = [(hit.score, hit.id, hit.title, ", ".join(map(words.title, hit.labels))) for hit in hits]
    _section(heading, ("cosine", "id", "title", "labels"), rows, limit)


def _write_above(path: str) -> None:
    if path:
        _write_line(f"Broader labels: {path}")


def _write_line(text: str) -> None:
    """Write a line after an empty one, in several on a terminal that is narrower."""
    print(f"\n{filled(text)}")


def _section(heading: str, columns: Sequence[str], rows: Sequence[Sequence[Any]], limit: int) -> None:
    """Write a table under its heading; nothing if it is empty."""
    if rows:
        print(f"\n{heading}" if heading else "")
        write_table(columns, rows[:limit], empty="")


def _cut(names: Sequence[str], limit: int) -> str:
    more = f" and {len(names) - limit:,} more" if len(names) > limit else ""
    return ", ".join(names[:limit]) + more
