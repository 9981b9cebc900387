"""`tacit evaluate`, `tacit compare`, `tacit tune` and `tacit reproduce`: their options, and their results as tables."""

from __future__ import annotations

import shlex
import shutil
import textwrap
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from tacit.cli.common.messages import naming
from tacit.cli.common.options import as_json, examples, index_argument, opened
from tacit.cli.common.output import write_json, write_note, write_table
from tacit.cli.common.progress import ShownStages
from tacit.cli.common.subject_report import write_diagnosis, write_witnesses
from tacit.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

    from tacit.relations.taxonomy.taxonomy import Taxonomy
    from tacit.reproduce.reproduce import Reproduced
    from tacit.tasks.collection import Collection
    from tacit.tasks.measure.compare import Comparison
    from tacit.tasks.measure.evaluate import Evaluation
    from tacit.tasks.measure.search_quality import SearchMeasures
    from tacit.tasks.measure.suggestion_quality import SuggestMeasures
    from tacit.tasks.tune.tune import Gain, Tuning

__all__ = ["compare_command", "evaluate_command", "reproduce_command", "tune_command"]

_SHARE: dict[str, Any] = {"type": float, "default": 0.2, "show_default": True, "metavar": "SHARE"}
_NUMBER: dict[str, Any] = {"type": int, "show_default": True, "metavar": "NUMBER"}
_seed = click.option("--seed", "random_state", default=0, help="Random seed.", **_NUMBER)
_SPLIT_OPTIONS: tuple[Callable[[Any], Any], ...] = (
    click.option("--test", metavar="SOURCE", help="Test on the records of this file, read like those of the index."),
    click.option("--split-field", metavar="FIELD", help="Split by a field with the values 'train' and 'test'."),
    click.option("--share", help="Share of the records to hold out at random otherwise.", **_SHARE),
    click.option("--queries", default=200, help="Maximum number of queries of each kind.", **_NUMBER),
    click.option("--quick", is_flag=True, help="Use at most 5,000 records; scores are lower."),
    _seed,
)


def _split_options(command: Any) -> Any:
    for option in reversed(_SPLIT_OPTIONS):
        command = option(command)
    return command


def _read_test(collection: Collection, split: dict[str, Any]) -> dict[str, Any]:
    """Replace the name of a file with test records by the records, read with the columns of the index."""
    if split["test"] is None:
        return split
    from tacit.cli.common.reading_options import ReadingOptions, open_records

    stored = dict(collection.settings["build"].get("reading") or {})
    with naming("path", "--test"):
        return {**split, "test": list(open_records(ReadingOptions(sources=(split["test"],)), stored=stored).records)}


def _names(models: str | None) -> list[str] | None:
    return None if models is None else [name.strip() for name in models.split(",") if name.strip()]


@click.command(
    "evaluate",
    short_help="Measure suggestions and search on held-out records.",
    epilog=examples(
        "tacit evaluate library.tacit",
        "tacit evaluate library.tacit --split-field split --json",
        "tacit evaluate library.tacit --test new-books.csv",
        "tacit evaluate library.tacit --per-subject subjects.tsv --witnesses",
    ),
)
@index_argument
@_split_options
@click.option(
    "--per-subject", metavar="FILE", help="Write a row per subject to this file: a table (.tsv, .csv) or .jsonl."
)
@click.option(
    "--witnesses",
    is_flag=True,
    help="Measure what each kind of evidence adds to the suggestions: words, neighbours, names and so on.",
)
@click.option(
    "--vocabulary",
    metavar="FILE",
    help="Names of the subjects, and what is above them, to use instead of those of the index.",
)
@as_json
def evaluate_command(
    *, index: str, per_subject: str | None, vocabulary: str | None, as_json: bool, **options: Any
) -> None:
    """Measure suggestions and search on held-out records.

    The settings of the index are fitted again, in memory, to a part of its records and tested on the others. The index
    is not changed.

    Suggestions: precision, recall, F1 and nDCG of the first 1 to 10, and of the chosen sets; subjects that are never
    suggested, chosen too often or confused. Search: does a text find others with its labels, and does a title find its
    text?
    """
    with opened(index) as collection, ShownStages() as show:
        from tacit.tasks.measure.evaluate import evaluate
        from tacit.tasks.measure.subject_file import check_subject_file, write_subjects

        if per_subject is not None:
            check_subject_file(per_subject)
        names = _read_vocabulary(vocabulary)
        found = evaluate(collection, report=show, vocabulary=names, **_read_test(collection, options))
        if per_subject is not None:
            if found.suggest is None:
                raise InputError("per_subject cannot be written: got no suggestions, expected an index with labels.")
            write_subjects(found.subjects, per_subject)
    if as_json:
        write_json({"index": index, **found.to_facts()})
        return
    print(f"{found.model} in {found.n_dimensions:,} dimensions")
    _write_split(found)
    if found.suggest is not None:
        _write_suggest(found.suggest)
    if found.diagnosis is not None:
        write_diagnosis(found.diagnosis)
    if per_subject is not None:
        print(f"\nAll {len(found.subjects):,} subjects are in {per_subject}.")
    if found.witnesses is not None:
        write_witnesses(found.witnesses)
    if found.search is not None:
        _write_search(found.search)
    print(f"\nFitted in {found.fit_seconds:.1f} s, measured in {found.measure_seconds:.1f} s.")
    for note in found.notes:
        write_note(note)


def _read_vocabulary(file: str | None) -> Taxonomy | None:
    if file is None:
        return None
    from tacit.relations.taxonomy.taxonomy import Taxonomy

    try:
        return Taxonomy.from_file(file)
    except InputError as error:
        raise InputError(str(error).replace("taxonomy", "--vocabulary", 1)) from error


def _write_split(found: Evaluation) -> None:
    print(f"Trained on {found.n_train:,} records, tested on {found.n_test:,} others:\n{found.how}.")


def _cell(value: float | None) -> float | str:
    return "–" if value is None else float(value)


def _write_suggest(found: SuggestMeasures) -> None:
    print(f"\nSuggested labels ({found.n_records:,} records with {found.n_labels:,} labels)\n")
    tree, usual = found.hierarchy, dict(found.as_annif)
    if tree is not None:
        usual |= {"taxonomy F1": tree.f1}
    write_table(tuple(usual), [tuple(usual.values())], empty="")  # called as in Annif's eval
    print()
    first = [
        (f"first {row.k}" if row.k > 1 else "first", row.precision, row.recall, row.f1, row.ndcg) for row in found.at
    ]
    write_table(("suggestions", "precision", "recall", "F1", "nDCG"), first, empty="")
    sets = found.chosen
    rows = [
        ("mean over records", sets.precision, sets.recall, sets.f1),
        ("mean over labels (macro)", sets.macro_precision, sets.macro_recall, sets.macro_f1),
        ("all decisions (micro)", sets.micro_precision, sets.micro_recall, sets.micro_f1),
    ]
    if tree is not None:
        rows.append(("with the taxonomy", tree.precision, tree.recall, tree.f1))
    print()
    write_table(("chosen sets", "precision", "recall", "F1"), rows, empty="")
    print()
    if tree is not None:
        print(f"Mean distance of a mistake from the truth in the taxonomy: {tree.mistake_distance:.1f} steps.")
    if found.calibration_error is not None:
        print(f"Calibration error of the first ten probabilities: {found.calibration_error:.3f} (0 is perfect).")


def _write_search(found: SearchMeasures) -> None:
    print(f"\nSearch ({found.n_overlap:,} queries by text, {found.n_titles:,} by title)\n")
    rows = [
        (way, *(_cell(value) for value in (score.overlap_ndcg, score.mrr, score.found_first, score.found_in_ten)))
        for way, score in found.ways.items()
    ]
    write_table(("by", "labels nDCG@10", "title MRR", "title first", "title in ten"), rows, empty="")


@click.command(
    "compare",
    short_help="Measure several models side by side.",
    epilog=examples("tacit compare library.tacit", "tacit compare library.tacit --models words,lsi,mlsi --quick"),
)
@index_argument
@click.option(
    "--models",
    metavar="NAMES",
    help="Models, separated by commas: words, lsi, mlsi, hlsi, sle, mlsa.  [default: all that apply]",
)
@_split_options
@as_json
def compare_command(*, index: str, models: str | None, as_json: bool, **split: Any) -> None:
    """Measure several models side by side, on the same records and queries.

    "words" is the baseline: cosines of the words themselves, and a linear classifier on them. The index is not changed.
    """
    with opened(index) as collection, ShownStages() as show:
        from tacit.tasks.measure.compare import compare

        found = compare(collection, _names(models), report=show, **_read_test(collection, split))
    if as_json:
        write_json({"index": index, **found.to_facts()})
    else:
        _write_comparison(found)


def _write_comparison(found: Comparison) -> None:
    first = next(iter(found.rows.values()))
    _write_split(first)
    if any(row.suggest for row in found.rows.values()):
        print("\nSuggested labels\n")
        headings = ["model", "P@1", "F1@5", "nDCG@5", "nDCG@10", "micro F1", "macro F1"]
        if any(row.suggest and row.suggest.hierarchy for row in found.rows.values()):
            headings.append("taxonomy F1")
        rows = [(name, *_suggest_cells(row))[: len(headings)] for name, row in found.rows.items()]
        write_table(headings, rows, empty="")
    if first.search is not None:
        print("\nSearch\n")
        headings = ["model", "labels by meaning", "by both", "titles by meaning", "by both"]
        write_table(headings, [(name, *_search_cells(row)) for name, row in found.rows.items()], empty="")
        words = first.search.ways["words"]
        print("\nlabels: nDCG@10 of the records found with a text, by the labels they share.")
        print("titles: MRR of the text that belongs to a title.")
        print(f"Search by words alone: labels {_shown(words.overlap_ndcg)}, titles {_shown(words.mrr)}.")
    print("\nTime\n")
    times = [(name, row.n_dimensions, f"{row.fit_seconds:.1f}") for name, row in found.rows.items()]
    write_table(("model", "dimensions", "seconds to fit"), times, empty="")
    for note in first.notes:
        write_note(note)


def _suggest_cells(row: Evaluation) -> tuple[Any, ...]:
    if row.suggest is None:
        return ("–",) * 7
    at = {measured.k: measured for measured in row.suggest.at}
    sets, hierarchy = row.suggest.chosen, row.suggest.hierarchy
    taxonomy_f1 = _cell(None if hierarchy is None else hierarchy.f1)
    return at[1].precision, at[5].f1, at[5].ndcg, at[10].ndcg, sets.micro_f1, sets.macro_f1, taxonomy_f1


def _search_cells(row: Evaluation) -> tuple[Any, ...]:
    if row.search is None:
        return ("–",) * 4
    meaning, both = row.search.ways["meaning"], row.search.ways["hybrid"]
    return tuple(_cell(value) for value in (meaning.overlap_ndcg, both.overlap_ndcg, meaning.mrr, both.mrr))


def _shown(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


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
    help="What to improve.  [default: both, or search without labels]",
)
@click.option("--trials", default=30, help="Number of settings to try now.", **_NUMBER)
@click.option("--seconds", type=float, metavar="SECONDS", help="Start no new trial after SECONDS.")
@click.option("--models", metavar="NAMES", help="Models to try, separated by commas.  [default: all that apply]")
@click.option("--split-field", metavar="FIELD", help="Field with the values 'train' and 'test'.")
@click.option("--share", help="Share to hold out, for validation and for testing.", **_SHARE)
@click.option("--records", default=20_000, help="Maximum number of records to use.", **_NUMBER)
@_seed
@click.option("--study", metavar="FILE", help="File that keeps the trials.  [default: INDEX.tuning.sqlite]")
@click.option("--apply", is_flag=True, help="Refit the index if the best settings are better on further records too.")
@as_json
def tune_command(*, index: str, models: str | None, apply: bool, as_json: bool, **options: Any) -> None:
    """Find better settings on held-out records: model, dimensions, weights, words, suggester.

    Ctrl-C stops and keeps the trials that are done; the next run continues from there. The index is changed only with
    --apply.
    """
    with opened(index) as collection, ShownStages() as show:
        from tacit.tasks.tune.tune import tune

        found = tune(collection, models=_names(models), report=show, **options)
    applied = apply and found.test is not None and found.test.gain > 0
    if applied:
        from tacit.tasks.build.build import refit

        with ShownStages() as show:
            refit(index, found.best.settings, report=show)
    if as_json:
        write_json({"index": index, **found.to_facts(), "command": _command(index, found), "applied": applied})
    else:
        _write_tuning(index, found, applied)


def _command(index: str, found: Tuning) -> str | None:
    """The command that changes the index to the best settings; None if there is nothing to change."""
    from tacit.tasks.tune.ranges import refit_options

    options = refit_options(found.current.settings, found.best.settings)
    return shlex.join(["tacit", "refit", index, *options]) if options else None


def _write_tuning(index: str, found: Tuning, applied: bool) -> None:
    from tacit.tasks.tune.ranges import written_changes

    print(f"{len(found.trials):,} trials, {found.n_before:,} of them from earlier runs (kept in {found.study}).")
    print(f"Trained on {found.n_train:,} records, validated on {found.n_validation:,}. The best:\n")
    best = found.trials[:5]
    shown = [*best, *([] if found.current in best else [found.current])]
    names = list(found.current.measures)
    several = len(names) > 1
    rows: list[tuple[Any, ...]] = []
    for trial in shown:
        measures = [trial.measures[name] for name in names] if several else []
        changes = written_changes(found.current.settings, trial.settings)
        rows.append((trial.number, trial.score, *measures, f"{trial.seconds:.1f}", changes))
    kinds = [name.split()[0] for name in names] if several else []  # the whole names are in the last table
    write_table(("trial", "score", *kinds, "seconds", "settings"), rows, empty="")
    print()
    if found.best is found.current:
        print("The current settings are the best so far. More trials may find better ones.")
        return
    gain = f"{found.best.score - found.current.score:+.3f}"
    print(f"Gain on the records that chose the settings: {gain} (optimistic).")
    if found.test is None:
        write_note("the run was stopped before the last test; run it again with --trials 0 for that.")
        return
    _write_gain(found.test)
    if applied:
        print(f"\n{index} was refitted with the best settings.")
    elif found.test.gain > 0:
        print(f"\nTo use the best settings:\n\n  {_command(index, found)}")
    else:
        write_note("the current settings are as good on the further records: the index is not changed.")


def _write_gain(test: Gain) -> None:
    verdict = "" if test.is_real else " (may be random)" if test.gain > 0 else " (no gain)"
    print(f"Gain on {test.n_records:,} further records: {test.gain:+.3f} ± {test.error:.3f}{verdict}.\n")
    rows = [(name, test.current[name], best, f"{best - test.current[name]:+.3f}") for name, best in test.best.items()]
    write_table(("on further records", "current", "best", "gain"), rows, empty="")


@click.command(
    "reproduce",
    epilog=examples(
        "tacit reproduce --list",
        "tacit reproduce mlsi-fig1 --quick",
        "tacit reproduce --full --jobs 2 -o reproduction",
        "tacit reproduce --results reproduction --report docs/reproduction",
        "tacit reproduce --check-docs .",
    ),
)
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--list", "lists", is_flag=True, help="List the experiments.")
@click.option("--quick", is_flag=True, help="One repeat with few settings, to see that everything runs.")
@click.option("--full", is_flag=True, help="As many repeats as in the paper.")
@click.option("--repeats", metavar="NUMBER", type=int, help="At most as many repeats, for instance with --full.")
@click.option("--report", metavar="FOLDER", help="Only write a report on the results there are, into FOLDER.")
@click.option(
    "--results", metavar="FOLDER", help="Folder of what was measured, to start from and add to.  [default: --output]"
)
@click.option("--jobs", metavar="NUMBER", type=int, help="Number of processes.  [default: number of cores]")
@click.option("--check-docs", metavar="FOLDER", help="Only check the figures of a project's documents.")
@click.option("--data-dir", metavar="FOLDER", help="Folder of the data sets.  [default: $TACIT_DATA]")
@click.option(
    "-o", "--output", metavar="FOLDER", default="reproduction", show_default=True, help="Folder for the results."
)
@as_json
def reproduce_command(
    *,
    names: tuple[str, ...],
    lists: bool,
    quick: bool,
    full: bool,
    jobs: int | None,
    repeats: int | None,
    report: str | None,
    results: str | None,
    check_docs: str | None,
    data_dir: str | None,
    output: str,
    as_json: bool,
) -> None:
    """Measure the experiments of the papers again.

    For each NAME, or for all experiments, this writes a table (CSV and Markdown), a picture (SVG and PNG), and a
    verdict on each claim of the paper. What was measured is kept, in the output folder or that of --results: a run that
    was stopped goes on where it was.
    """
    from tacit.checks import check_choice
    from tacit.machine import n_threads
    from tacit.reproduce.reproduce import experiments, report_pages, reproduce

    known = experiments()
    if lists:
        _write_experiments(as_json)
        return
    if check_docs is not None:
        _check_docs(check_docs, as_json)
        return
    if report is not None:
        _write_files(report_pages(output if results is None else results, report), as_json)
        return
    for name in names:
        check_choice("NAME", name, tuple(known))
    if quick and full:
        raise InputError("--quick and --full exclude each other: got both. Leave one out.")
    with ShownStages(quiet=as_json) as show:
        found = reproduce(
            names or tuple(known), output, results=results, size="quick" if quick else "full" if full else "usual",
            repeats=repeats,            data_dir=data_dir, jobs=n_threads() if jobs is None else jobs, report=show,
        )  # fmt: skip
    if as_json:
        write_json({"experiments": [_experiment_facts(one) for one in found]})
        return
    for one in found:
        _write_experiment(one)


def _check_docs(folder: str, as_json: bool) -> None:
    from tacit.reproduce.checked import check_docs

    found = check_docs(folder)
    wrong = [one for one in found if not one.agrees]
    if as_json:
        write_json({"figures": [{**vars(one), "file": str(one.file)} for one in found]})
    else:
        for one in wrong:
            expected = "nothing like it" if one.expected is None else one.expected
            print(f"{one.file}, line {one.line}: {one.figure}, but {one.source} has {expected}")
        dates = sorted({one.dated for one in found if one.dated})
        dated = f", measured {' to '.join(dict.fromkeys((dates[0], dates[-1])))}" if dates else ""
        print(f"{len(found) - len(wrong)} of {len(found)} figures agree with where they come from{dated}.")
    if wrong:
        raise click.exceptions.Exit(1)


def _write_files(files: list[Path], as_json: bool) -> None:
    if as_json:
        write_json({"files": [str(file) for file in files]})
    else:
        print(f"Written: {', '.join(map(str, files))}")


def _write_experiment(found: Reproduced) -> None:
    width = min(shutil.get_terminal_size().columns, 100)
    print(f"\n{found.experiment.name}: {found.experiment.title}")
    quotes = {claim.number: claim.quote for claim in found.experiment.claims}
    for number, verdict in found.verdicts.items():
        indent = " " * 4
        print(f"  {number}: {verdict.outcome}")
        print(textwrap.fill(f'"{quotes[number]}"', width, initial_indent=indent, subsequent_indent=indent))
        print(textwrap.fill(verdict.evidence, width, initial_indent=indent, subsequent_indent=indent))
    print(f"  Written: {', '.join(map(str, found.files))}")


def _experiment_facts(found: Reproduced) -> dict[str, Any]:
    return {
        "name": found.experiment.name,
        "title": found.experiment.title,
        "claims": [
            {"claim": claim.number, "quote": claim.quote, **vars(found.verdicts[claim.number])}
            for claim in found.experiment.claims
        ],
        "files": [str(file) for file in found.files],
    }


def _write_experiments(as_json: bool) -> None:
    from tacit.reproduce.reproduce import experiments

    listed: list[dict[str, Any]] = [
        {"name": one.name, "paper": one.paper, "title": one.title, "data": list(one.data), "cost": one.cost,
         "claims": len(one.claims)}
        for one in experiments().values()
    ]  # fmt: skip
    if as_json:
        write_json({"experiments": listed})
        return
    for one in listed:
        print(f"{one['name']}  {one['title']}")
        print(f"    [{one['paper']}]; data: {', '.join(one['data'])}; {one['claims']} claims; {one['cost']}")
