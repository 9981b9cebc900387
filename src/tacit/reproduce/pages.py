"""The report: a page per paper with each table and figure, the paper's figures, causes of differences, and verdicts."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple, get_args

from tacit.errors import InputError
from tacit.files import replace_text, replacing
from tacit.reproduce.causes import CAUSES, CLAIM_CAUSES
from tacit.reproduce.experiment import OURS, Experiment, Outcome, Results, Verdict
from tacit.reproduce.measuring.running import Kept, read_stored
from tacit.reproduce.report import draw, groups, stated_table, table, texts

__all__ = ["write_pages"]

_FIGURES = "results.csv"


class _Paper(NamedTuple):
    key: str
    page: str
    title: str


_PAPERS = (
    _Paper("Yu2005", "mlsi", "MLSI: multi-label informed latent semantic indexing"),
    _Paper("Huang2005", "hlsi", "HLSI: hierarchy-regularised latent semantic indexing"),
    _Paper("Wang2006", "mlsa", "M-LSA: latent semantic analysis for multiple-type interrelated data objects"),
    _Paper("Mu2010", "graphs", "Proximity-based graph embeddings for multi-label classification"),
    _Paper("", "choice", "Who should use what"),
)


class _Found(NamedTuple):
    experiment: Experiment
    results: Results
    kept: Kept
    verdicts: dict[str, Verdict]

    @property
    def full(self) -> int:
        """Number of repeats of a full run."""
        return int(_full(self.experiment))


def _full(experiment: Experiment) -> str:
    return str(len({case["repeat"] for case in experiment.cases("full")}))


def write_pages(experiments: Sequence[Experiment], results: Path, folder: Path) -> list[Path]:
    """Write the report on all results that are stored, whatever number of repeats there is; return its files.

    Parameters
    ----------
    experiments : sequence of Experiment
    results : Path
        Folder with the measurements, NAME.jsonl.
    folder : Path
        For index.md, a page per paper, pictures, and results.csv with all means.
    """
    found = []
    for one in experiments:
        kept = read_stored(one, one.kept_in(results))
        if kept.repeats:
            verdicts = {claim.number: claim.verdict(kept.results) for claim in one.claims}
            found.append(_Found(one, kept.results, kept, verdicts))
    if not found:
        raise InputError(
            f"{results} has no complete repeat of an experiment: got quick runs or rows of other settings only. "
            f"Run `tacit reproduce -o {results}` first."
        )
    folder.mkdir(parents=True, exist_ok=True)
    date = max(one.kept.measured for one in found)
    files = []
    for paper in _PAPERS:
        mine = [one for one in found if one.experiment.paper == paper.key]
        if mine:
            files.append(folder / f"{paper.page}.md")
            replace_text(files[-1], _page(paper, mine, date))
            files += [_picture(one, folder) for one in mine if one.experiment.picture is not None]
    files += [folder / "index.md", folder / _FIGURES]
    replace_text(files[-2], _index(found, experiments, date))
    replace_text(files[-1], _figures(found))
    return files


def _picture(found: _Found, folder: Path) -> Path:
    """Draw at a size for a page, in few colours: pictures are kept with the sources."""
    from PIL import Image  # comes with Matplotlib

    path = folder / f"{found.experiment.name}.png"
    assert found.experiment.picture is not None
    with replacing(path) as temporary:
        draw(found.experiment.picture, found.experiment.title, found.results, temporary, "png", dpi=80)
        Image.open(temporary).convert("RGB").quantize(64).save(temporary, format="png", optimize=True)
    return path


def _page(paper: _Paper, found: Sequence[_Found], date: str) -> str:
    made = f"Made by `tacit reproduce --report` from measurements up to {date}."
    parts = [f"# {paper.title}", f"{made} {_opening(paper)}"]
    said: set[str] = set()
    for one in found:
        parts += _section(one, said)
    return "\n\n".join(part for part in parts if part) + "\n"


def _opening(paper: _Paper) -> str:
    if not paper.key:
        return CAUSES.get("choice", "")
    return (
        f"The paper is [{paper.key}], see [references](../references.md). Means over repeats ± their standard "
        "deviation. How verdicts are reached is said in [the papers' experiments](../guide/reproducing.md)."
    )


def _section(found: _Found, said: set[str]) -> list[str]:
    """Return an experiment: settings unless they were `said` before, picture, tables, causes and claims."""
    one, results = found.experiment, found.results
    full = found.full
    parts = [f"## {one.name}: {one.title}"]
    if one.settings not in said:
        said.add(one.settings)
        parts.append(f"*Settings.* {one.settings}")
    parts.append(f"{found.kept.repeats} of {full} repeats." if full > 1 else "")
    if one.picture is not None:
        parts.append(f"![{one.title}]({one.name}.png)")
    if one.summary is not None:
        parts.append(one.summary(results))
    parts.append(table(one, results))
    if one.texts:
        parts.append(texts(one, results))
    if one.stated:
        parts += ["**Beside the paper's figures**", stated_table(one, results)]
    if one.name in CAUSES and one.paper:
        parts.append(f"**Why they differ.** {CAUSES[one.name]}")
    if one.claims:
        parts.append("\n".join(_claim_lines(found)))
    return parts


def _claim_lines(found: _Found) -> list[str]:
    lines = ["| claim | section | the paper | verdict | seen here | cause |", "|---|---|---|---|---|---|"]
    for claim in found.experiment.claims:
        verdict = found.verdicts[claim.number]
        cells = [claim.number, claim.section, claim.quote, f"**{verdict.outcome}**", verdict.evidence]
        lines.append(f"| {' | '.join([*map(_cell, cells), _cause(found, claim.number)])} |")
    return lines


def _cause(found: _Found, number: str) -> str:
    """Return why a claim has its verdict: too few repeats, or what was found to be behind it."""
    outcome, full = found.verdicts[number].outcome, found.full
    few = outcome in ("undecided", "not testable") and found.kept.repeats < full
    parts = [f"so far {found.kept.repeats} of {full} repeats" if few else "", CLAIM_CAUSES.get(number, "")]
    return "; ".join(part for part in parts if part)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def _index(found: Sequence[_Found], experiments: Sequence[Experiment], date: str) -> str:
    outcomes = get_args(Outcome)
    head = ["paper", "claims", *outcomes]
    counts = [head, ["---"] * len(head)]
    whole: Counter[str] = Counter()
    for paper in _PAPERS:
        seen = Counter(
            one.verdicts[claim.number].outcome
            for one in found
            for claim in one.experiment.claims
            if one.experiment.paper == paper.key and claim.section != OURS
        )
        if seen:
            whole += seen
            link = f"[{paper.title}]({paper.page}.md)"
            counts.append([link, str(seen.total()), *(str(seen[name]) for name in outcomes)])
    counts.append(["all", str(whole.total()), *(str(whole[name]) for name in outcomes)])
    runs = [["experiment", "shows", "repeats", "in a full run", "processor time of a repeat"], ["---"] * 5]
    pages = {paper.key: paper.page for paper in _PAPERS}
    for one in found:
        experiment = one.experiment
        link = f"[{experiment.name}]({pages[experiment.paper]}.md)"
        runs.append(
            [
                link,
                experiment.title,
                str(one.kept.repeats),
                str(one.full),
                f"{one.kept.seconds:.1f} s" if one.kept.seconds else "",
            ]
        )
    measured = {one.experiment.name for one in found}
    runs += [[one.name, one.title, "0", _full(one), ""] for one in experiments if one.name not in measured]
    failed = [["claim", "the paper", "verdict", "cause"], ["---"] * 4]
    for one in found:
        for claim in one.experiment.claims:
            outcome = one.verdicts[claim.number].outcome
            if outcome != "held" and claim.section != OURS:
                failed.append([claim.number, _cell(claim.quote), outcome, _cause(one, claim.number)])
    return "\n\n".join(
        [
            "# The four papers, claim by claim",
            f"Each table and figure of the four papers, measured again, with a verdict on every claim of direction. "
            f"Made by `tacit reproduce --report` from measurements up to {date}; {len(found)} of {len(experiments)} "
            "experiments have results. Claims of our own, which some experiments add, are not counted. How to run them "
            "is said in [the papers' experiments](../guide/reproducing.md). All means are in `results.csv`.",
            "## Verdicts",
            _lines(counts),
            CAUSES.get("index", ""),
            "## Claims that do not hold, hold in part or are undecided",
            _lines(failed),
            "## What was run",
            _lines(runs),
        ]
    ) + "\n"  # fmt: skip


def _lines(rows: list[list[str]]) -> str:
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _figures(found: Sequence[_Found]) -> str:
    """Return all means in long form, which `check_docs` reads."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(["experiment", "factors", "measure", "repeats", "mean", "deviation", "measured"])
    for one in found:
        experiment = one.experiment
        for values in groups(one.results, list(experiment.factors)):
            rows = one.results.where(**values)
            for measure in experiment.measures:
                mean, deviation = rows.mean(measure), rows.deviation(measure)
                if mean is not None:
                    factors = json.dumps(_given(values), ensure_ascii=False)
                    spread = "" if deviation is None else f"{deviation:.4g}"
                    repeats = len(rows.values("repeat"))
                    writer.writerow(
                        [experiment.name, factors, measure, repeats, f"{mean:.6g}", spread, one.kept.measured]
                    )
    return stream.getvalue()


def _given(values: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}
