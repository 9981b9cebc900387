"""The group of verbs: a verb's module is imported when the verb is used, and its line of help is known before."""

from __future__ import annotations

import difflib
from importlib import import_module

import click

from tacit.cli.verbs import GROUPS, VERBS

__all__ = ["LazyGroup"]


class LazyGroup(click.Group):
    """Lists the verbs by what they are for, and guesses what a misspelt one was meant to be."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Give all verbs, in the order in which people need them."""
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the verb."""
        if cmd_name not in VERBS:
            return None
        command = getattr(import_module(VERBS[cmd_name][0]), f"{cmd_name}_command")
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the verb, or say which one is nearest."""
        if args and args[0] not in VERBS and not args[0].startswith("-"):
            close = difflib.get_close_matches(args[0], VERBS, n=1)
            meant = f" Did you mean '{close[0]}'?" if close else " Try 'tacit --help'."
            raise click.UsageError(f"No such command '{args[0]}'.{meant}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write one block a group, without importing any verb."""
        width = max(map(len, VERBS))
        for group, names in GROUPS.items():
            with formatter.section(group):
                formatter.write_dl([(name.ljust(width), VERBS[name][1]) for name in names])
