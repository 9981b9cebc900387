"""`tacit search`, `tacit similar` and `tacit recommend`."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, Any, cast

import click

from tacit.cli.common.messages import naming
from tacit.cli.common.options import (
    as_json,
    examples,
    filter_options,
    index_argument,
    limit_option,
    opened,
    read_filters,
)
from tacit.cli.common.output import (
    room_for_snippets,
    write_cards,
    write_hits,
    write_json,
    write_note,
    write_reasons,
    write_table,
)
from tacit.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tacit.tasks.collection import Collection
    from tacit.tasks.recommend.recommend import ThingHit
    from tacit.tasks.search.hits import RecordHit

__all__ = ["recommend_command", "search_command", "similar_command"]


_with_text = click.option(
    "--text", "with_text", is_flag=True, help="Show a part of each text, also in a pipe; with --json the whole text."
)


@click.command(
    "search",
    epilog=examples(
        "tacit search library.tacit whales at sea",
        "tacit search library.tacit '\"sperm whale\" -ship title:voyage label:animals'",
        "tacit search library.tacit whales --by words --under animals --range year=1990..",
        "tacit search library.tacit --where place=Nantucket",
        "cat letter.txt | tacit search library.tacit -",
    ),
)
@index_argument
@click.argument("query", nargs=-1)
@click.option(
    "--by",
    type=click.Choice(["hybrid", "meaning", "words"]),
    default="hybrid",
    show_default=True,
    help="Search by meaning (position in the space), by the words themselves, or by both.",
)
@click.option(
    "--fusion",
    type=click.Choice(["scores", "ranks"]),
    default="scores",
    show_default=True,
    help="How hybrid search combines the two: by scores, or by ranks.",
)
@limit_option(10, "records")
@filter_options
@_with_text
@as_json
def search_command(
    *,
    index: str,
    query: tuple[str, ...],
    by: str,
    fusion: str,
    limit: int,
    with_text: bool,
    as_json: bool,
    **conditions: Any,
) -> None:
    """Find records by meaning, by words, or both.

    In QUERY, "a phrase" must occur, -word must not, title:word must occur in the title, and label:name is a label or
    a narrower one. A record whose id or title is the query comes first. - reads the query from standard input. Without
    a query, all records that the filters match are listed.
    """
    text = sys.stdin.read() if query == ("-",) else " ".join(query)
    if not text.strip() and not any(conditions.values()):
        raise InputError(f"query is empty: got {text!r}, expected some words, or a filter such as --label.")
    with opened(index) as collection:
        filters = read_filters(collection, **conditions)
        hits = collection.search(text, by=by, limit=limit, filters=filters, fusion=fusion)
        if _has_stop_words_only(collection, text):
            write_note("the query has only words that the index leaves out. Type words that tell more.")
        if hits.meant is not None and hits.used_meant:
            write_note(f"no record has {text!r}; these are for {hits.meant!r}.")
        elif hits.meant is not None:
            write_note(f"did you mean {hits.meant!r}?")
        asked = {"query": text, "by": by, **({} if hits.meant is None else {"meant": hits.meant})}
        _write(collection, asked, hits, as_json, with_text=with_text, query=hits.words)


def _has_stop_words_only(collection: Collection, text: str) -> bool:
    words = collection.space.words
    typed = re.findall(r"[^\W_]+", text.lower())
    return bool(typed) and words is not None and all(word in words.analyse.stop_words for word in typed)


@click.command("similar")
@index_argument
@click.argument("id", metavar="ID")
@click.option(
    "--by",
    type=click.Choice(["meaning", "words", "hybrid"]),
    default="meaning",
    show_default=True,
    help="Compare positions in the space, the most telling words, or both.",
)
@limit_option(10, "records")
@filter_options
@_with_text
@as_json
def similar_command(
    *, index: str, id: str, by: str, limit: int, with_text: bool, as_json: bool, **conditions: Any
) -> None:
    """Find the records most similar to a given one."""
    with opened(index) as collection:
        hits = collection.similar(id, by=by, limit=limit, filters=read_filters(collection, **conditions))
        _write(collection, {"id": id, "by": by}, hits, as_json, with_text=with_text)


def _write(
    collection: Collection,
    asked: dict[str, Any],
    hits: list[RecordHit],
    as_json: bool,
    *,
    with_text: bool,
    query: str | None = "",
) -> None:

    if as_json:
        facts = [hit.to_facts() for hit in hits]
        if with_text:
            facts = [{**one, "text": hit.record.text} for one, hit in zip(facts, hits, strict=True)]
        write_json({**asked, "hits": facts})
    elif sys.stdout.isatty() or with_text:
        from tacit.tasks.search.snippets import QueryWords, snippet_of

        words = QueryWords(collection, query or "")
        room = room_for_snippets() - 4  # for dots at both ends
        shown = [snippet_of(hit.record.text, words, title=hit.record.title, length=room).text for hit in hits]
        write_cards(hits, shown)
    else:
        write_hits(hits)


@click.command(
    "recommend",
    epilog=examples(
        "tacit recommend films.tacit --liked 50 --liked 172 --disliked 8",
        "tacit recommend films.tacit --for user=42 --range year=1990..",
        "tacit recommend papers.tacit --for author=Knuth --what author",
    ),
)
@index_argument
@click.option("--liked", multiple=True, metavar="ID", help="A record that you like. May be repeated.")
@click.option("--disliked", multiple=True, metavar="ID", help="A record that you do not like. May be repeated.")
@click.option(
    "--for", "for_thing", metavar="LINK=TARGET", help="Recommend for something that records are linked to: user=42."
)
@click.option(
    "--what",
    default="records",
    show_default=True,
    metavar="KIND",
    help="With --for: recommend records, labels, or things of a link, by its name.",
)
@limit_option(10, "recommendations")
@filter_options
@as_json
def recommend_command(
    *,
    index: str,
    liked: tuple[str, ...],
    disliked: tuple[str, ...],
    for_thing: str | None,
    what: str,
    limit: int,
    as_json: bool,
    **conditions: Any,
) -> None:
    """Recommend records similar to ones you liked.

    With --for, recommend for something that records are linked to. Each recommendation has a reason: the liked
    record nearest to it, and what the two have in common.
    """
    if for_thing is not None and (liked or disliked):
        raise InputError("--for is given with --liked or --disliked: got both, expected one of them.")
    if for_thing is None and not liked:
        raise InputError(
            "--liked is missing: got neither --liked nor --for, expected one of them. Name a record that you like."
        )
    if for_thing is None and what != "records":
        raise InputError(f"--what needs --for: got {what!r} without it, expected 'records'.")
    from tacit.tasks.label_names import title_of
    from tacit.tasks.recommend.recommend import recommend, recommend_for

    asked: dict[str, Any]
    with opened(index) as collection:
        filters = read_filters(collection, **conditions)
        hits: Sequence[RecordHit] | Sequence[ThingHit]
        if for_thing is None:
            asked = {"liked": list(liked), "disliked": list(disliked)}
            with naming("id", "--liked or --disliked" if disliked else "--liked"):
                hits = recommend(collection, liked, disliked=disliked, limit=limit, filters=filters)
        else:
            if filters is not None and what != "records":
                raise InputError(
                    f"filters are for records: got some with --what {what}, expected none. Leave them out."
                )
            kind, name = _thing(for_thing)
            asked = {"for": {"link": kind, "name": name}, "what": what}
            with naming("link", "--for has a link that"), naming(re.escape(kind), f"--for {kind}"):
                hits = recommend_for(collection, kind, name, what=what, limit=limit, filters=filters)
        titles = {hit.id: title_of(collection, hit.id) if what == "labels" else hit.id for hit in hits}
    if as_json:
        write_json({**asked, "hits": [hit.to_facts() for hit in hits]})
    elif what == "records" and sys.stdout.isatty():
        write_reasons(cast("Sequence[RecordHit]", hits))
    elif what == "records":
        rows = [(hit.score, hit.id, getattr(hit, "title", ""), "; ".join(hit.why)) for hit in hits]
        write_table(("score", "id", "title", "why"), rows, empty="Nothing to recommend.")
    else:
        write_table(("score", what), [(hit.score, titles[hit.id]) for hit in hits], empty="Nothing to recommend.")


def _thing(text: str) -> tuple[str, str]:
    kind, sign, name = text.partition("=")
    if not sign or not kind.strip() or not name.strip():
        raise InputError(f"--for must look like LINK=TARGET: got {text!r}, expected author=Knuth, for example.")
    return kind.strip(), name.strip()
