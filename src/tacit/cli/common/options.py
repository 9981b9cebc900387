"""Options that several verbs share: the index argument, `--json`, `--limit`, the filters; and help in sections."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import click

from tacit.errors import InputError

if TYPE_CHECKING:
    from tacit.index import Filters
    from tacit.tasks.collection import Collection

__all__ = [
    "Decorator",
    "SectionedCommand",
    "add_options",
    "as_json",
    "examples",
    "filter_options",
    "gather_options",
    "index_argument",
    "limit_option",
    "opened",
    "option_in",
    "quiet_option",
    "read_filters",
    "wait_option",
]

Decorator = Callable[[Any], Any]


class _Option(click.Option):
    """An option that is listed under a heading of its own."""

    def __init__(self, *args: Any, section: str, **settings: Any) -> None:
        super().__init__(*args, **settings)
        self.section = section


class SectionedCommand(click.Command):
    """A command whose help lists options under the headings of `option_in`, and others under the last heading."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write a list of options per heading."""
        sections: dict[str, list[tuple[str, str]]] = {}
        heading = "Options"
        for param in self.get_params(ctx):
            heading = getattr(param, "section", heading)
            record = param.get_help_record(ctx)
            if isinstance(param, click.Option) and record is not None:
                sections.setdefault(heading, []).append(record)
        for heading, records in sections.items():
            with formatter.section(heading):
                formatter.write_dl(records)


def option_in(section: str, *names: str, **settings: Any) -> Decorator:
    """Return an option that `SectionedCommand` lists under a heading."""
    return click.option(*names, cls=_Option, section=section, **settings)


def gather_options(command: Any, options: Sequence[Decorator], kind: type, name: str) -> Any:
    """Add several options to a command, which gets them as one dataclass of this kind under this name."""

    @functools.wraps(command)
    def gathered(**typed: Any) -> Any:
        values = {entry.name: typed.pop(entry.name) for entry in fields(kind)}
        return command(**{name: kind(**values)}, **typed)

    return add_options(gathered, options)


def add_options(command: Any, options: Sequence[Decorator]) -> Any:
    """Add several options to a command, in this order."""
    for option in reversed(options):
        command = option(command)
    return command


index_argument: Decorator = click.argument("index", metavar="INDEX")
as_json: Decorator = option_in("Output", "--json", "as_json", is_flag=True, help="Print the result as JSON.")
quiet_option: Decorator = option_in("Output", "-q", "--quiet", is_flag=True, help="Print nothing but errors.")
wait_option: Decorator = option_in(
    "Output",
    "--wait",
    type=float,
    default=0.0,
    metavar="SECONDS",
    help="Wait up to SECONDS if another command is writing to the index.",
)


def limit_option(default: int, what: str) -> Decorator:
    """Return the option `--limit`."""
    return click.option(
        "-n", "--limit", type=int, default=default, show_default=True, metavar="NUMBER", help=f"Number of {what}."
    )


def filter_options(command: Any) -> Any:
    """Add the options that `read_filters` reads."""
    options = (
        click.option("--label", "labels", multiple=True, metavar="NAME", help="Only records with this label."),
        click.option("--under", multiple=True, metavar="NAME", help="Only records with this label or a narrower one."),
        click.option("--where", multiple=True, metavar="FIELD=VALUE", help="Only records with this value in a field."),
        click.option(
            "--range",
            "ranges",
            multiple=True,
            metavar="FIELD=LOW..HIGH",
            help="Only records with a field in this range: year=1990..1999, date=2024-03.. (ends included).",
        ),
        click.option(
            "--link", "links", multiple=True, metavar="NAME=TARGET", help="Only records with this link: author=Knuth."
        ),
    )
    return add_options(command, options)


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
    """Return a label by its name or its title; raise with the nearest spelling if there is none."""
    from tacit.tasks.label_names import find_label

    return name if collection.store.has_label(name) else find_label(collection, name)


def _check_names(option: str, asked: Iterable[str], known: Sequence[str]) -> None:
    """Raise for a name that no record has: an empty result would look like an answer."""
    for name in asked:
        if name not in known:
            expected = f"one of {', '.join(known[:10])}" if known else "none, since no record has any"
            raise InputError(f"{option} has an unknown name: got {name!r}, expected {expected}.")


def _pairs(option: str, texts: Sequence[str]) -> list[tuple[str, str]]:
    pairs = []
    for text in texts:
        name, sign, value = text.partition("=")
        if not sign or not name.strip():
            raise InputError(f"{option} must look like NAME=VALUE: got {text!r}.")
        pairs.append((name.strip(), value.strip()))
    return pairs


def _values(text: str) -> list[Any]:
    """Return a value as text and, if it is one, as number: a CSV file has texts only, JSON has both."""
    number = _number(text)
    return [text] if number is None else [text, number]


def _range(name: str, text: str) -> tuple[Any, Any]:
    low, dots, high = text.partition("..")
    if not dots:
        low, high = text, text
    ends = [end.strip() or None for end in (low, high)]
    if ends == [None, None]:
        raise InputError(f"--range must look like FIELD=LOW..HIGH: got {name}={text!r}, with neither LOW nor HIGH.")
    return ends[0], ends[1]


def _number(text: str) -> int | float | None:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return None


def examples(*lines: str) -> str:
    """Return the lines of an epilog; the backspace in front tells click not to join them."""
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines)
