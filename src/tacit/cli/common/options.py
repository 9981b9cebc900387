"""What several verbs share: the index argument, `--json`, `--limit`, and the filters."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import click

from tacit.errors import InputError

if TYPE_CHECKING:
    from tacit.index import Filters
    from tacit.tasks.collection import Collection

__all__ = ["as_json", "examples", "filter_options", "index_argument", "limit_option", "opened", "read_filters"]

Decorator = Callable[[Any], Any]

index_argument: Decorator = click.argument("index", metavar="INDEX")
as_json: Decorator = click.option("--json", "as_json", is_flag=True, help="Print the answer as JSON.")


def limit_option(default: int, what: str) -> Decorator:
    """Give the option `--limit`."""
    return click.option(
        "-n", "--limit", type=int, default=default, show_default=True, metavar="NUMBER", help=f"How many {what}."
    )


def filter_options(command: Any) -> Any:
    """Add the options that `read_filters` reads."""
    options = (
        click.option("--label", "labels", multiple=True, metavar="NAME", help="Only records with this label."),
        click.option("--under", multiple=True, metavar="NAME", help="Only records with this label or one below it."),
        click.option("--where", multiple=True, metavar="FIELD=VALUE", help="Only records whose field has this value."),
        click.option(
            "--range",
            "ranges",
            multiple=True,
            metavar="FIELD=LOW..HIGH",
            help="Only records whose field lies there, ends included: year=1990..1999, date=2024-03.. ",
        ),
        click.option("--link", "links", multiple=True, metavar="NAME=TARGET", help="Only records with this link."),
    )
    for option in reversed(options):
        command = option(command)
    return command


def opened(index: str) -> Collection:
    """Open an index."""
    from tacit.tasks.collection import open_index

    return open_index(index)


def read_filters(
    collection: Collection,
    *,
    labels: Sequence[str] = (),
    under: Sequence[str] = (),
    where: Sequence[str] = (),
    ranges: Sequence[str] = (),
    links: Sequence[str] = (),
) -> Filters | None:
    """Turn the options into filters; None if there are none."""
    if not (labels or under or where or ranges or links):
        return None
    from tacit.index import Filters

    fields: dict[str, list[Any]] = {}
    for name, value in _pairs("--where", where):
        fields.setdefault(name, []).extend(_values(value))
    targets: dict[str, list[str]] = {}
    for name, value in _pairs("--link", links):
        targets.setdefault(name, []).append(value)
    between = {name: _range(name, text) for name, text in _pairs("--range", ranges)}
    for option, kind, asked in (
        ("--where", "fields", fields),
        ("--range", "fields", between),
        ("--link", "links", targets),
    ):
        _check_names(option, asked, collection.store.names(kind) if asked else [])
    borne = [_label(collection, name) for name in labels]
    return Filters(
        labels=[*borne, *(collection.below(name) for name in under)], links=targets, fields=fields, ranges=between
    )


def _label(collection: Collection, name: str) -> str:
    """A label that some record bears, or that the index knows by its title, or a sentence with the nearest spelling."""
    from tacit.tasks.label_names import find_label

    return name if collection.store.has_label(name) else find_label(collection, name)


def _check_names(option: str, asked: Iterable[str], known: Sequence[str]) -> None:
    """Say which name no record has: to find nothing would look like an answer."""
    for name in asked:
        if name not in known:
            expected = f"one of {', '.join(known[:10])}" if known else "one, but no record has any"
            raise InputError(f"{option} has an unknown name: got {name!r}, expected {expected}.")


def _pairs(option: str, texts: Sequence[str]) -> list[tuple[str, str]]:
    pairs = []
    for text in texts:
        name, sign, value = text.partition("=")
        if not sign or not name.strip():
            raise InputError(f"{option} is no condition: got {text!r}, expected NAME=VALUE.")
        pairs.append((name.strip(), value.strip()))
    return pairs


def _values(text: str) -> list[Any]:
    """A field may hold "7" or 7: a CSV has texts only, JSON has both, and people cannot see the difference."""
    number = _number(text)
    return [text] if number is None else [text, number]


def _range(name: str, text: str) -> tuple[Any, Any]:
    low, dots, high = text.partition("..")
    if not dots:
        low, high = text, text
    ends = [end.strip() or None for end in (low, high)]
    if ends == [None, None]:
        raise InputError(f"--range is no range: got {name}={text!r}, expected LOW..HIGH, with one of them at least.")
    return ends[0], ends[1]


def _number(text: str) -> int | float | None:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return None


def examples(*lines: str) -> str:
    """Give lines that click does not join: the backspace in front tells it so."""
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines)
