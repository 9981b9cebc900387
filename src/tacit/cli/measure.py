"""Measures as tables, for `tacit evaluate`, `tacit compare` and `tacit tune`, and the options that they share."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from tacit.cli.common.options import as_json, examples, index_argument, opened
from tacit.cli.common.output import write_json, write_note, write_table
from tacit.cli.common.progress import ShownStages

if TYPE_CHECKING:
    from tacit.corpus import Record
    from tacit.tasks.collection import Collection
    from tacit.tasks.measure.compare import Comparison
    from tacit.tasks.measure.evaluate import Evaluation
    from tacit.tasks.measure.search import SearchMeasures
    from tacit.tasks.measure.suggest import SuggestMeasures
    from tacit.tasks.tune.tune import Gain, Tuning

__all__ = [
    "cell",
    "compare_command",
    "evaluate_command",
    "read_test",
    "split_options",
    "tune_command",
    "write_evaluation",
    "write_split",
]

Decorator = Callable[[Any], Any]

_OPTIONS: tuple[Decorator, ...] = (
    click.option("--test", metavar="SOURCE", help="Judge by the records of this file, read as the index was."),
    click.option("--split-field", metavar="FIELD", help="Split by a field that says 'train' or 'test'."),
    click.option(
        "--share", type=float, default=0.2, show_default=True, metavar="SHARE", help="Else: share to hold out."
    ),
    click.option(
        "--queries", type=int, default=200, show_default=True, metavar="NUMBER", help="Most questions of each kind."
    ),
    click.option("--quick", is_flag=True, help="Use 5,000 records at most; numbers come out lower."),
    click.option("--seed", type=int, default=0, show_default=True, metavar="NUMBER", help="Of everything by chance."),
)


def split_options(command: Any) -> Any:
    """Add the options that say what to learn from and what to judge by."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def read_test(collection: Collection, source: str | None) -> list[Record] | None:
    """Read records to judge by, with the columns that the index was built from."""
    if source is None:
        return None
    from tacit.cli.common.reading_options import ReadingOptions, read_given

    stored = dict(collection.settings["build"].get("reading") or {})
    return list(read_given(ReadingOptions(sources=(source,)), stored=stored).records)


def write_evaluation(found: Evaluation) -> None:
    """Everything that was measured of one index."""
    print(f"{found.model} in {found.n_dimensions:,} dimensions")
    write_split(found)
    if found.suggest is not None:
        _write_suggest(found.suggest)
    if found.search is not None:
        _write_search(found.search)
    print(f"\nFitted in {found.fit_seconds:.1f} s, measured in {found.measure_seconds:.1f} s.")
    for note in found.notes:
        write_note(note)


def write_split(found: Evaluation) -> None:
    """What was learned from and judged by."""
    print(f"Learned from {found.n_train:,} records, judged by {found.n_test:,} others: {found.how}.")


def cell(value: float | None) -> float | str:
    """A number, or a sign that there is none."""
    return "–" if value is None else float(value)


def _write_suggest(found: SuggestMeasures) -> None:
    print(f"\nSuggested labels ({found.n_records:,} records with {found.n_labels:,} labels)\n")
    rows: list[tuple[Any, ...]] = [
        (f"first {row.k}" if row.k > 1 else "first", row.precision, row.recall, row.f1, row.ndcg) for row in found.at
    ]
    write_table(("suggestions", "precision", "recall", "F1", "nDCG"), rows, empty="")
    sets = found.chosen
    rows = [
        ("mean of records", sets.precision, sets.recall, sets.f1),
        ("mean of labels (macro)", sets.macro_precision, sets.macro_recall, sets.macro_f1),
        ("all decisions (micro)", sets.micro_precision, sets.micro_recall, sets.micro_f1),
    ]
    if found.hierarchy is not None:
        rows.append(("with the taxonomy", found.hierarchy.precision, found.hierarchy.recall, found.hierarchy.f1))
    print()
    write_table(("chosen sets", "precision", "recall", "F1"), rows, empty="")
    if found.hierarchy is not None:
        print(f"\nA mistake is {found.hierarchy.mistake_distance:.1f} steps of the taxonomy from the truth.")


def _write_search(found: SearchMeasures) -> None:
    print(
        f"\nSearch ({found.n_overlap:,} texts for others with their labels, {found.n_titles:,} titles for their text)\n"
    )
    rows = [
        (way, *(cell(value) for value in (score.overlap_ndcg, score.mrr, score.found_first, score.found_in_ten)))
        for way, score in found.ways.items()
    ]
    write_table(("by", "labels nDCG@10", "title MRR", "title first", "title in ten"), rows, empty="")


@click.command(
    "evaluate",
    short_help="Measure suggestions and search on held-out records.",
    epilog=examples(
        "tacit evaluate library.tacit",
        "tacit evaluate library.tacit --split-field split --json",
        "tacit evaluate library.tacit --test new-books.csv",
    ),
)
@index_argument
@split_options
@as_json
def evaluate_command(
    *,
    index: str,
    test: str | None,
    split_field: str | None,
    share: float,
    queries: int,
    quick: bool,
    seed: int,
    as_json: bool,
) -> None:
    """Measure suggestions and search on held-out records.

    The settings of the index are fitted anew, in memory, to a part of its records; the others are the judges. The index
    stays as it is.

    Suggestions: precision, recall, F1 and nDCG of the first 1 to 10, and of the sets that are chosen. Search: whether a
    text finds others with its labels, and whether a title finds its text among all the others.
    """
    with opened(index) as collection, ShownStages() as show:
        from tacit.tasks.measure.evaluate import evaluate

        found = evaluate(
            collection,
            test=read_test(collection, test),
            split_field=split_field,
            share=share,
            queries=queries,
            quick=quick,
            random_state=seed,
            report=show,
        )
    if as_json:
        write_json({"index": index, **found.to_facts()})
    else:
        write_evaluation(found)


@click.command(
    "compare",
    short_help="Measure several models side by side.",
    epilog=examples(
        "tacit compare library.tacit",
        "tacit compare library.tacit --models words,lsi,mlsi --quick",
    ),
)
@index_argument
@click.option(
    "--models",
    metavar="NAMES",
    help="With commas: lsi, mlsi, hlsi, mlsa, sle, and words for no space at all.  [default: all that suit]",
)
@split_options
@as_json
def compare_command(
    *,
    index: str,
    models: str | None,
    test: str | None,
    split_field: str | None,
    share: float,
    queries: int,
    quick: bool,
    seed: int,
    as_json: bool,
) -> None:
    """Measure several models side by side, on the same records and questions.

    "words" is the baseline: cosines of the words themselves, and a linear classifier on them. The index stays as it is.
    """
    with opened(index) as collection, ShownStages() as show:
        from tacit.tasks.measure.compare import compare

        found = compare(
            collection,
            None if models is None else [name.strip() for name in models.split(",") if name.strip()],
            test=read_test(collection, test),
            split_field=split_field,
            share=share,
            queries=queries,
            quick=quick,
            random_state=seed,
            report=show,
        )
    if as_json:
        write_json({"index": index, **found.to_facts()})
    else:
        _write_comparison(found)


def _write_comparison(found: Comparison) -> None:
    first = next(iter(found.rows.values()))
    write_split(first)
    if any(row.suggest for row in found.rows.values()):
        print("\nSuggested labels\n")
        rows = [(name, *_suggest_cells(row)) for name, row in found.rows.items()]
        headings = ["model", "P@1", "R@5", "nDCG@10", "micro F1", "macro F1"]
        if any(row.suggest and row.suggest.hierarchy for row in found.rows.values()):
            headings.append("taxonomy F1")
        write_table(headings, [row[: len(headings)] for row in rows], empty="")
    if first.search is not None:
        print("\nSearch\n")
        rows = [(name, *_search_cells(row)) for name, row in found.rows.items()]
        headings = ["model", "labels by meaning", "by both", "titles by meaning", "by both"]
        write_table(headings, rows, empty="")
        words = first.search.ways["words"]
        print(
            f"\nlabels: nDCG@10 of what a text finds; titles: MRR of the text that belongs to a title. "
            f"\nSearch by words alone: labels {_shown(words.overlap_ndcg)}, titles {_shown(words.mrr)}."
        )
    print("\nTime\n")
    rows = [(name, row.n_dimensions, round(row.fit_seconds, 1)) for name, row in found.rows.items()]
    write_table(("model", "dimensions", "seconds to fit"), [(*row[:2], f"{row[2]:.1f}") for row in rows], empty="")
    for note in first.notes:
        write_note(note)


def _suggest_cells(row: Evaluation) -> tuple[Any, ...]:
    if row.suggest is None:
        return ("–",) * 6
    at = {measured.k: measured for measured in row.suggest.at}
    hierarchy = row.suggest.hierarchy
    return (
        at[1].precision,
        at[5].recall,
        at[10].ndcg,
        row.suggest.chosen.micro_f1,
        row.suggest.chosen.macro_f1,
        cell(None if hierarchy is None else hierarchy.f1),
    )


def _search_cells(row: Evaluation) -> tuple[Any, ...]:
    if row.search is None:
        return ("–",) * 4
    meaning, both = row.search.ways["meaning"], row.search.ways["hybrid"]
    return tuple(cell(value) for value in (meaning.overlap_ndcg, both.overlap_ndcg, meaning.mrr, both.mrr))


def _shown(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


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
        _write_tuning(index, found, applied)


def _refit(index: str, found: Tuning) -> None:
    from tacit.tasks.build.build import refit

    with ShownStages() as show:
        refit(index, found.best.settings, report=show)


def _command(index: str, found: Tuning) -> str | None:
    """What to type to take over the best settings; None if there is nothing to change."""
    from tacit.tasks.tune.ranges import refit_options

    options = refit_options(found.current.settings, found.best.settings)
    return shlex.join(["tacit", "refit", index, *options]) if options else None


def _write_tuning(index: str, found: Tuning, applied: bool) -> None:
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
