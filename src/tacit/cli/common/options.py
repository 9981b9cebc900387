"""Options that several verbs share: the index argument, `--json`, `--limit`, the filters; and help in sections."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tacit.cli.common.completion import complete_fields, complete_folders, complete_labels, complete_links
from tacit.errors import InputError

if TYPE_CHECKING:
    from tacit.index import Filters
    from tacit.tasks.collection import Collection

__all__ = [
    "Decorator", "SectionedCommand", "as_json", "examples", "filter_options", "gather_options", "index_argument",
    "limit_option", "opened", "option_in", "quiet_option", "read_filters", "wait_option",
]  # fmt: skip

Decorator = Callable[[Any], Any]


class _Option(click.Option):
    """An option that is listed under a heading of its own."""

    def __init__(self, *args: Any, section: str, **settings: Any) -> None:
        super().__init__(*args, **settings)
        self.section = section


class SectionedCommand(click.Command):
    """A command whose help lists options under the headings of `option_in`, and others under the last heading.

    `otherwise` says what holds, under some headings, for options that are not given, in place of their own defaults.
    """

    def __init__(self, *args: Any, otherwise: Mapping[str, str] | None = None, **settings: Any) -> None:
        super().__init__(*args, **settings)
        self.otherwise = otherwise or {}

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write a list of options per heading."""
        sections: dict[str, list[tuple[str, str]]] = {}
        heading = "Options"
        for param in self.get_params(ctx):
            heading = getattr(param, "section", heading)
            record = param.get_help_record(ctx)
            if isinstance(param, click.Option) and record is not None:
                if heading in self.otherwise:
                    record = record[0], re.sub(r"\[default: .*\]", f"[default: {self.otherwise[heading]}]", record[1])
                sections.setdefault(heading, []).append(record)
        for heading, records in sections.items():
            with formatter.section(heading):
                formatter.write_dl(records)


def option_in(section: str, *names: str, **settings: Any) -> Decorator:
    """Return an option that `SectionedCommand` lists under a heading."""
    return click.option(*names, cls=_Option, section=section, **settings)


def gather_options(command: Any, options: Sequence[Decorator], kind: type, name: str) -> Any:
    """Add several options to a command, which gets them as one dataclass of the kind `kind` called `name`.

    Options that the command does not have are left at the defaults of the dataclass.
    """

    @functools.wraps(command)
    def gathered(**typed: Any) -> Any:
        values = {entry.name: typed.pop(entry.name) for entry in fields(kind) if entry.name in typed}
        return command(**{name: kind(**values)}, **typed)

    for option in reversed(options):
        gathered = option(gathered)
    return gathered


index_argument: Decorator = click.argument("index", metavar="INDEX", shell_complete=complete_folders)
as_json: Decorator = option_in("Output", "--json", "as_json", is_flag=True, help="Print the result as JSON.")
quiet_option: Decorator = option_in("Output", "-q", "--quiet", is_flag=True, help="Print nothing but errors.")
_WAIT = "Wait up to SECONDS if another command is writing to the index."
wait_option: Decorator = option_in("Output", "--wait", type=float, default=0.0, metavar="SECONDS", help=_WAIT)


def limit_option(default: int, what: str) -> Decorator:
    """Return the option `--limit`."""
    return click.option(
        "-n", "--limit", type=int, default=default, show_default=True, metavar="NUMBER", help=f"Number of {what}."
    )


def filter_options(command: Any) -> Any:
    """Add the options that `read_filters` reads."""
    between = "Only records with a field in this range: year=1990..1999, date=2024-03.. (ends included)."
    options = (
        ("--label", "labels", "NAME", complete_labels, "Only records with this label."),
        ("--under", "under", "NAME", complete_labels, "Only records with this label or a narrower one."),
        ("--where", "where", "FIELD=VALUE", complete_fields, "Only records with this value in a field."),
        ("--range", "ranges", "FIELD=LOW..HIGH", complete_fields, between),
        ("--link", "links", "LINK=TARGET", complete_links, "Only records with this link: author=Knuth."),
    )
    for option, name, metavar, complete, said in reversed(options):
        settings: Any = {"multiple": True, "metavar": metavar, "help": said, "shell_complete": complete}
        command = click.option(option, name, **settings)(command)
    return command


def opened(index: str, *, done: str = "") -> Collection:
    """Open an index; `done` is what was just changed in it, which an error must not hide."""
    from tacit.cli.common.messages import naming
    from tacit.tasks.collection import open_index

    try:
        with naming("path", "INDEX"):
            return open_index(index)
    except InputError as error:
        if done:
            raise InputError(f"{done}, but the index cannot be opened now: {error}") from error
        if other := _index_elsewhere(index):
            raise InputError(
                f"INDEX is no index: got {index!r}, and {other!r} after it. Write {other!r} first."
            ) from None
        raise


def _index_elsewhere(index: str) -> str | None:
    """Return an index among the other arguments of the command, which takes its index first."""
    context = click.get_current_context(silent=True)
    if context is None or Path(index).is_dir():
        return None
    given = [value for value in context.params.values() if isinstance(value, (str, tuple))]
    texts = [text for value in given for text in ((value,) if isinstance(value, str) else value)]
    return next((text for text in texts if text != index and (Path(text) / "CURRENT").is_file()), None)


def read_filters(collection: Collection, **conditions: Sequence[str]) -> Filters | None:
    """Turn the options of `filter_options` into filters; None if there are none."""
    if not any(conditions.values()):
        return None
    from tacit.tasks.search.conditions import read_conditions

    return read_conditions(collection, **conditions)


def examples(*lines: str) -> str:
    """Return the lines of an epilog; the backspace in front tells click not to join them."""
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines)
