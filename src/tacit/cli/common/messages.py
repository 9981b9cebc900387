"""Errors and warnings in the words of the command line: names of Python arguments become options.

A message names the argument first, as in `n_components is out of range: got 0, ...`. Further on it names arguments in
backticks, or by a name with an underscore: `Pass replace_old=True`. Names that the command has no option for are left.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import click

from tacit.errors import InputError

__all__ = ["as_typed", "naming"]

_OTHER_NAMES = {  # arguments whose option is called differently
    "n_components": "dimensions",
    "n_axes": "dimensions",
    "random_state": "seed",
    "parameters": "set",
    "weights": "weight",
    "replace_old": "replace",
    "links": "link",
    "ranges": "range",
    "ids": "id",
    "keys": "ids",
    "records": "sources",
    "name": "dataset",
    "n_clusters": "groups",
    "limit": "limit_records",
    "goal": "for",
}
_OF_OUTPUT = re.compile(r"path (?:is (?:a|an|not in)|cannot be written|exists)\b")
_NAMES_OF_SET = ("ngrams", "min_records", "max_share", "max_terms", "min_label_records", "title_weight")
_FIRST = re.compile(r"(?P<first>[a-z_]+)(?:=(?P<value>\S+))?(?: and (?P<second>[a-z_]+))?(?= (?!of\b))")
_LATER = re.compile(
    r"""(?<!\w)'[^']*'(?!\w) | "[^"]*"  # what the user typed
    | `(?P<marked>\w+)(?:=(?P<marked_value>[^`]*))?`
    | \b(?P<bare>[a-z]+(?:_[a-z]+)+)\b(?:=(?P<bare_value>\w+|'[^']*'))?""",
    re.VERBOSE,
)


def as_typed(message: str, command: click.Command) -> str:
    """Return a message with the options of a command instead of the arguments of Python."""
    if message.startswith("--"):
        return message
    options = _options_of(command)

    def option(name: str | None, value: str | None = None) -> str | None:
        if name == "path":
            return _path_option(message, options)
        found = options.get(name or "") or options.get(_OTHER_NAMES.get(name or "", ""))
        if found is None or value in (None, "True"):
            return found
        return f"{found} {value}"

    def later(found: re.Match[str]) -> str:
        name, value = found["marked"] or found["bare"], found["marked_value"] or found["bare_value"]
        return option(name, value) or found[0]

    start = _FIRST.match(message)
    said, rest = "", message
    if start and (first := option(start["first"], start["value"]) or _setting(start["first"], options)):
        second = option(start["second"]) or start["second"]
        said, rest = first + (f" and {second}" if second else ""), message[start.end() :]
    return said + _LATER.sub(later, rest)


def _setting(name: str, options: Mapping[str, str]) -> str | None:
    """Return a parameter of the model as it is set."""
    return f"--set {name}" if "_" in name and "set" in options else None


@contextmanager
def naming(argument: str, option: str) -> Iterator[None]:
    """Let errors about an argument name this option of the command, which has several that might be meant."""
    try:
        yield
    except InputError as error:
        error.args = (re.sub(rf"^{argument}\b", option, str(error)),)
        raise


def _path_option(message: str, options: Mapping[str, str]) -> str | None:
    """Return which option is meant by a path: what is written, or else what is read."""
    kinds = ["sources", "batch", "index", "indexes", "output"]
    if _OF_OUTPUT.match(message):
        kinds.insert(0, kinds.pop())
    return next((options[kind] for kind in kinds if kind in options), None)


def _options_of(command: click.Command) -> dict[str, str]:
    """Return options and arguments as they are typed, by the names of their Python arguments."""
    found: dict[str, str] = {}
    parts = [command, *(command.commands.values() if isinstance(command, click.Group) else ())]
    for param in (param for part in parts for param in part.params):
        if isinstance(param, click.Argument):
            found.setdefault(str(param.name), (param.metavar or str(param.name).upper()).strip("[]."))
    for param in (param for part in parts for param in part.params):
        for name in (*param.opts, *param.secondary_opts):
            if name.startswith("--"):
                found[name[2:].replace("-", "_")] = name
    if "set" in found:
        found |= {name: f"--set {name}" for name in _NAMES_OF_SET}
    return found
