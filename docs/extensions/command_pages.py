"""Writes a page a command from its help: `python docs/extensions/command_pages.py` after a change of the options.

A test fails while a page and the help differ.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from tacit.cli.common.verbs import GROUPS, VERBS, LazyGroup

__all__ = ["main", "overview", "page"]

FOLDER = Path(__file__).parents[1] / "commands"
WIDTH = 100


def page(verb: str) -> str:
    """Give the page of a verb: what it does, how it is called, its options."""
    group = LazyGroup("tacit")
    shown: dict[str, Any] = {"terminal_width": WIDTH, "max_content_width": WIDTH, "help_option_names": ["-h", "--help"]}
    context = click.Context(group, info_name="tacit", **shown)
    command = group.get_command(context, verb)
    assert command is not None
    command._help_option = None  # click keeps the first it has made, whatever the context asks for now
    inner = click.Context(command, info_name=verb, parent=context, **shown)
    return f"# tacit {verb}\n\n{VERBS[verb][1]}\n\n```text\n{command.get_help(inner).rstrip()}\n```\n"


def overview() -> str:
    """Give the page that lists all verbs."""
    lines = ["# Commands", "", "`tacit --help` lists them, `tacit search --help` shows the options of one.", ""]
    for group, verbs in GROUPS.items():
        lines += [f"## {group}", "", "| command | what it does |", "|---|---|"]
        lines += [f"| [`tacit {verb}`]({verb}.md) | {VERBS[verb][1]} |" for verb in verbs]
        lines.append("")
    lines += [
        "An answer goes to standard output, progress and notes to standard error. What cannot be done is said in one "
        "sentence, with the exit code 2; nothing on the disk is lost by it.",
        "",
    ]
    return "\n".join(lines)


def main() -> None:
    """Write all pages."""
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / "README.md").write_text(overview(), encoding="utf-8")
    for verb in VERBS:
        (FOLDER / f"{verb}.md").write_text(page(verb), encoding="utf-8")
        print(f"{verb}.md", file=sys.stderr)


if __name__ == "__main__":
    main()
