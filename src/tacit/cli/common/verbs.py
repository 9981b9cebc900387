"""The group of verbs: a verb's module is imported when the verb is used, and its line of help is known before."""

from __future__ import annotations

from importlib import import_module

import click

from tacit.errors import did_you_mean

__all__ = ["GROUPS", "VERBS", "LazyGroup"]


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
            meant = did_you_mean(args[0], VERBS, "Try 'tacit --help'.")
            raise click.UsageError(f"No such command '{args[0]}'.{meant}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write one block a group, without importing any verb."""
        width = max(map(len, VERBS))
        for group, names in GROUPS.items():
            with formatter.section(group):
                formatter.write_dl([(name.ljust(width), VERBS[name][1]) for name in names])


VERBS: dict[str, tuple[str, str]] = {
    "demo": ("tacit.cli.demo", "Index the docstrings of Python's standard library, and ask."),
    "build": ("tacit.cli.build", "Build an index of a file of records."),
    "add": ("tacit.cli.change", "Add records to an index, without a refit."),
    "update": ("tacit.cli.change", "Give records of an index new content."),
    "remove": ("tacit.cli.change", "Remove records from an index."),
    "refit": ("tacit.cli.build", "Fit the space of an index to the records it has now."),
    "info": ("tacit.cli.inspect", "Show what an index holds and how it was built."),
    "verify": ("tacit.cli.inspect", "Read every file of an index and say what is wrong."),
    "export": ("tacit.cli.inspect", "Write records and positions for other programs."),
    "datasets": ("tacit.cli.datasets", "List the data sets that Tacit knows, or fetch one."),
    "search": ("tacit.cli.search", "Find records by meaning, by words, or both."),
    "similar": ("tacit.cli.search", "Find the records nearest to one of them."),
    "suggest": ("tacit.cli.suggest", "Suggest labels for texts."),
    "recommend": ("tacit.cli.recommend", "Recommend records to who liked others."),
    "explain": ("tacit.cli.explain", "Say why: a hit, a label, a dimension, a neighbourhood."),
    "concepts": ("tacit.cli.explain", "Show what the dimensions of the space are about."),
    "cluster": ("tacit.cli.map", "Group the records, and name the groups."),
    "map": ("tacit.cli.map", "Draw the collection as a map, for a browser or as a picture."),
    "evaluate": ("tacit.cli.measure", "Measure suggestions and search on held-out records."),
    "tune": ("tacit.cli.measure", "Find better settings on held-out records."),
    "compare": ("tacit.cli.measure", "Measure several models side by side."),
}

GROUPS: dict[str, tuple[str, ...]] = {
    "Start": ("demo", "build", "datasets"),
    "Ask": ("search", "similar", "suggest", "recommend", "explain", "concepts", "cluster", "map"),
    "Keep": ("add", "update", "remove", "refit", "info", "verify", "export"),
    "Improve": ("evaluate", "tune", "compare"),
}
