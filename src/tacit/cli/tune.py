"""`tacit tune`."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

import click

from tacit.cli.common.examples import examples
from tacit.cli.common.options import as_json, index_argument, opened
from tacit.cli.common.output import write_json, write_note, write_table
from tacit.cli.common.progress import ShownStages

if TYPE_CHECKING:
    from tacit.tasks.tune.tune import Gain, Tuning

__all__ = ["tune_command"]

_SHOWN = 5  # trials in the table


@click.command(
    "tune",
    short_help="Find better settings on held-out records.",
    epilog=examples(
        "tacit tune library.tacit --trials 20",
        "tacit tune library.tacit --for suggest --seconds 600",
        "tacit tune library.tacit --trials 0 --apply",
    ),
)
@index_argument
@click.option(
    "--for",
    "goal",
    type=click.Choice(["suggest", "search", "both"]),
    help="What should get better.  [default: both, or search without labels]",
)
@click.option("--trials", type=int, default=30, show_default=True, metavar="NUMBER", help="Settings to try now.")
@click.option("--seconds", type=float, metavar="SECONDS", help="Begin no trial after so many.")
@click.option("--models", metavar="NAMES", help="Models to try, with commas.  [default: all that suit]")
@click.option("--split-field", metavar="FIELD", help="A field that says 'train' or 'test': the test records judge.")
@click.option("--share", type=float, default=0.2, show_default=True, metavar="SHARE", help="Share to hold out, twice.")
@click.option(
    "--records", type=int, default=20_000, show_default=True, metavar="NUMBER", help="Most records to work with."
)
@click.option("--seed", type=int, default=0, show_default=True, metavar="NUMBER", help="Of everything by chance.")
@click.option("--study", metavar="FILE", help="Where trials are kept.  [default: INDEX.tuning.sqlite]")
@click.option("--apply", is_flag=True, help="Refit the index if the best settings are better on further records too.")
@as_json
def tune_command(
    *,
    index: str,
    goal: str | None,
    trials: int,
    seconds: float | None,
    models: str | None,
    split_field: str | None,
    share: float,
    records: int,
    seed: int,
    study: str | None,
    apply: bool,
    as_json: bool,
) -> None:
    """Find better settings on held-out records: model, dimensions, weights, words, suggester.

    Ctrl-C stops; what is done is kept, and the next run goes on from there. The index stays as it is unless you say
    --apply.
    """
    with opened(index) as collection, ShownStages() as show:
        from tacit.tasks.tune.tune import tune

        found = tune(
            collection,
            goal=goal,
            trials=trials,
            seconds=seconds,
            models=None if models is None else [name.strip() for name in models.split(",") if name.strip()],
            split_field=split_field,
            share=share,
            records=records,
            random_state=seed,
            study=study,
            report=show,
        )
    applied = apply and found.test is not None and found.test.gain > 0
    if applied:
        _refit(index, found)
    if as_json:
        write_json({"index": index, **found.to_facts(), "command": _command(index, found), "applied": applied})
    else:
        _write(index, found, applied)


def _refit(index: str, found: Tuning) -> None:
    from tacit.tasks.build.build import refit

    with ShownStages() as show:
        refit(index, found.best.settings, report=show)


def _command(index: str, found: Tuning) -> str | None:
    """What to type to take over the best settings; None if there is nothing to change."""
    from tacit.tasks.tune.ranges import refit_options

    options = refit_options(found.current.settings, found.best.settings)
    return shlex.join(["tacit", "refit", index, *options]) if options else None


def _write(index: str, found: Tuning, applied: bool) -> None:
    print(f"{len(found.trials):,} trials, {found.n_before:,} of them from earlier runs (kept in {found.study}).")
    print(f"Each learned from {found.n_train:,} records and was judged by {found.n_validation:,}. The best:\n")
    shown = [*found.trials[:_SHOWN]]
    if found.current not in shown:
        shown.append(found.current)
    names = list(found.current.measures)
    rows = [_row(found, trial, names) for trial in shown]
    kinds = [name.split()[0] for name in names] if len(names) > 1 else []  # the whole names are in the last table
    write_table(("trial", "score", *kinds, "seconds", "settings"), rows, empty="")
    print()
    if found.best is found.current:
        print("The current settings are the best so far. More trials may find better ones.")
        return
    print(f"Gained where settings were chosen: {found.best.score - found.current.score:+.3f} (flattering).")
    if found.test is None:
        write_note("stopped before the last judgement; run it again with --trials 0 for that.")
        return
    _write_gain(found.test)
    if applied:
        print(f"\n{index} was refitted with the best settings.")
    elif found.test.gain > 0:
        print(f"\nTo take them over:\n\n  {_command(index, found)}")
    else:
        write_note("the index stays as it is, since its settings are as good on the further records. Try more trials.")


def _row(found: Tuning, trial: Any, names: list[str]) -> tuple[Any, ...]:
    from tacit.tasks.tune.ranges import changes_between

    changes = changes_between(found.current.settings, trial.settings)
    told = ", ".join(f"{name} {value}" for name, value in changes.items()) or "current settings"
    measures = [trial.measures[name] for name in names] if len(names) > 1 else []
    return (trial.number, trial.score, *measures, f"{trial.seconds:.1f}", told)


def _write_gain(test: Gain) -> None:
    verdict = "" if test.is_real else " (may be chance)" if test.gain > 0 else " (no gain)"
    print(f"Gained on {test.n_records:,} further records: {test.gain:+.3f} ± {test.error:.3f}{verdict}.")
    print()
    rows = [
        (name, test.current[name], test.best[name], f"{test.best[name] - test.current[name]:+.3f}")
        for name in test.best
    ]
    write_table(("on further records", "current", "best", "gain"), rows, empty="")
