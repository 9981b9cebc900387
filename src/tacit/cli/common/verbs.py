"""The group of verbs: the module of a verb is imported when it is used; the list of verbs imports none."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import click

from tacit.cli.common.messages import as_typed
from tacit.errors import InputError, did_you_mean

__all__ = ["GROUPS", "VERBS", "LazyGroup"]


class LazyGroup(click.Group):
    """Lists the verbs by purpose, offers the nearest to a misspelt one, and reports errors in terms of options."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return all verbs."""
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a verb."""
        if cmd_name not in VERBS:
            return None
        command = getattr(import_module(VERBS[cmd_name][0]), f"{cmd_name}_command")
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find a verb, or raise with the nearest one."""
        if args and args[0] not in VERBS and not args[0].startswith("-"):
            meant = did_you_mean(args[0], VERBS, "Try 'tacit --help'.")
            raise click.UsageError(f"No such command '{args[0]}'.{meant}")
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a verb; its errors name options in place of arguments."""
        try:
            return super().invoke(ctx)
        except InputError as error:
            command = self.get_command(ctx, ctx.invoked_subcommand or "")
            if command is not None:
                error.args = (as_typed(str(error), command),)
            raise
        except click.NoSuchOption as error:
            raise click.UsageError(_about_option(error), error.ctx) from None
        except click.UsageError as error:
            if error.ctx is None or not error.message.startswith("Got unexpected extra argument"):
                raise
            meant = _AS_OPTIONS.get(error.ctx.command.name or "", _BY_EXAMPLE)
            raise click.UsageError(f"{error.message}. {meant}", error.ctx) from None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write one block per group, without importing any verb."""
        width = max(map(len, VERBS))
        for group, names in GROUPS.items():
            with formatter.section(group):
                formatter.write_dl([(name.ljust(width), VERBS[name][1]) for name in names])


_AS_OPTIONS = {  # what people type without an option
    "explain": "Write --query WORDS --id ID, or --id ID --id ID.",
    "recommend": "Write --liked ID.",
}
_BY_EXAMPLE = "See the examples in its --help."


def _about_option(error: click.NoSuchOption) -> str:
    """Return what to type in place of an option that a command does not have."""
    typed, context = error.option_name, error.ctx
    params = [] if context is None else context.command.params
    options = [name for param in params for name in param.opts if name.startswith("--")]
    if typed in ("-o", "--output"):
        return (
            f"No such option '{typed}': this command prints its answer. Add > FILE to keep it, and --json before that "
            "for other programs."
        )
    near = did_you_mean(typed, options or ["--version", "--help"])
    if "--where" in options and typed.startswith("--"):
        near += f" For a field of the records write --where {typed[2:]}=VALUE, or --range {typed[2:]}=LOW..HIGH."
    return f"No such option '{typed}'.{near or ' See its --help.'}"


VERBS: dict[str, tuple[str, str]] = {
    "demo": ("tacit.cli.demo", "Try Tacit on the docstrings of the Python standard library."),
    "build": ("tacit.cli.build", "Build an index from files of records."),
    "estimate": ("tacit.cli.build", "Estimate time, memory and disk of a build."),
    "add": ("tacit.cli.change", "Add records to an index."),
    "update": ("tacit.cli.change", "Replace the content of records in an index."),
    "remove": ("tacit.cli.change", "Remove records from an index."),
    "learn": ("tacit.cli.change", "Learn from accepted and rejected labels of texts."),
    "refit": ("tacit.cli.build", "Fit the space of an index again, to its current records."),
    "info": ("tacit.cli.inspect", "Show what an index contains and how it was built."),
    "show": ("tacit.cli.inspect", "Show a record with its labels, links, fields and text."),
    "labels": ("tacit.cli.inspect", "List the labels as a tree, or look one up."),
    "verify": ("tacit.cli.inspect", "Check every file of an index for damage."),
    "backup": ("tacit.cli.inspect", "Copy an index while others use it."),
    "salvage": ("tacit.cli.inspect", "Write the records of a damaged index, as far as they can be read."),
    "export": ("tacit.cli.inspect", "Write records for other programs, or the explorer as a site."),
    "datasets": ("tacit.cli.datasets", "List public data sets, or download one."),
    "search": ("tacit.cli.search", "Find records by meaning, by words, or both."),
    "similar": ("tacit.cli.search", "Find the records most similar to a given one."),
    "suggest": ("tacit.cli.suggest", "Suggest labels for texts."),
    "recommend": ("tacit.cli.search", "Recommend records similar to ones you liked."),
    "explain": ("tacit.cli.explain", "Explain a search result, a label, a similarity or a dimension."),
    "concepts": ("tacit.cli.explain", "Show the words and labels of each dimension."),
    "cluster": ("tacit.cli.map", "Group similar records, and describe the groups."),
    "map": ("tacit.cli.map", "Draw a map of the collection, as a web page or a picture."),
    "serve": ("tacit.cli.serve", "Serve indexes to a browser and to other programs."),
    "mcp": ("tacit.cli.serve", "Let an agent use indexes, by the Model Context Protocol."),
    "evaluate": ("tacit.cli.measure", "Measure suggestions and search on held-out records."),
    "tune": ("tacit.cli.measure", "Find better settings on held-out records."),
    "compare": ("tacit.cli.measure", "Measure several models side by side."),
    "reproduce": ("tacit.cli.measure", "Measure the experiments of the papers again."),
}

GROUPS: dict[str, tuple[str, ...]] = {
    "Start": ("demo", "build", "estimate", "datasets"),
    "Use": (
        "search",
        "similar",
        "show",
        "labels",
        "suggest",
        "recommend",
        "explain",
        "concepts",
        "cluster",
        "map",
        "serve",
        "mcp",
    ),
    "Maintain": ("add", "update", "remove", "learn", "refit", "info", "verify", "backup", "salvage", "export"),
    "Improve": ("evaluate", "tune", "compare"),
    "Research": ("reproduce",),
}
