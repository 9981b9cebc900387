"""How good are the subjects that Annif suggests for the records of libraries?

Question    What does a suggester with many thousands of subjects have to beat, and at what cost?
Data        finna: titles and descriptions of 100,000 library records to learn from, 10,000 to test with, and the names
            of the 27,754 concepts of the General Finnish Ontology.
Method      Annif 1.4.3 itself, by its commands, with its defaults and Snowball stems. tfidf and omikuji (Parabel)
            learn from the 100,000 records, mllm from the first 4,000 of them. Two ensembles of the three: plain
            averages, and averages with the weights that `annif hyperopt` finds best (nDCG@5 of 40 trials) on 1,000
            further records of the training file; these also tune the threshold of the chosen sets. "New" are labels
            of test records that no training record has. A vocabulary with names and nothing else is loaded, so mllm
            has neither other names nor a hierarchy to go by.
            Annif cuts words with NLTK, which wants data for finding the ends of sentences. They are given as empty
            files: NLTK's own tokenizer then works with no list of abbreviations and ends a sentence after each of
            them too, which cuts "Ed." into "Ed" and ".".
Run         python -m venv V && V/bin/pip install 'annif[omikuji]==1.4.3'
            python benchmarks/studies/suggestions_annif.py --annif V/bin --output FOLDER
            A run that is stopped goes on where it was. FOLDER then has figures.json, figures.md and the 20 best
            suggestions of each backend for every test record, such as omikuji.jsonl.
Conclusion  Of 2026-11-18, nDCG@5 (P@1): tfidf .253 (.234), omikuji .288 (.274), mllm .191 (.196), plain averages .301
            (.286), weighted averages .315 (.298). Omikuji learns in 80 s of CPU and 594 MiB. Only mllm and the
            ensembles reach new labels: of 267, mllm has 68 among its first ten, the weighted ensemble 39.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import re
import shutil
import subprocess
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from suggestions_data import finna_lines
from suggestions_peers import Ranked, best_choice, measure

_BACKENDS = ("tfidf", "omikuji", "mllm", "ensemble", "weighted")
_MLLM, _HELD, _LIMIT, _TRIALS = 4_000, 1_000, 20, 40
_SOURCES = "tfidf:1,omikuji:1,mllm:1"
_PROJECT = """[{name}]
name={name}
language=en
backend={backend}
vocab=yso
limit=100
{rest}
"""
_PUNKT = ("collocations.tab", "sent_starters.txt", "abbrev_types.txt", "ortho_context.tab")
_EVAL = {"Precision@1": "P@1", "NDCG@5": "nDCG@5", "NDCG@10": "nDCG@10", "F1@5": "F1@5"}


@dataclass
class Annif:
    """The commands of Annif, run in a folder of their own, and what has been found so far."""

    bin: Path
    folder: Path
    work: Path
    kept: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def opened(cls, bin_folder: Path, folder: Path) -> Annif:
        """Prepare a folder, or go on with what it has."""
        work = folder / "work"
        punkt = work / "nltk_data/tokenizers/punkt_tab/english"
        punkt.mkdir(parents=True, exist_ok=True)
        for name in _PUNKT:
            (punkt / name).touch()
        saved = folder / "figures.json"
        return cls(bin_folder, folder, work, json.loads(saved.read_text()) if saved.exists() else {})

    def run(self, *arguments: str) -> tuple[str, dict[str, float]]:
        """Run a command; return what it prints, and what it costs."""
        print("annif", *arguments, flush=True)
        environment = {**os.environ, "NLTK_DATA": str(self.work / "nltk_data")}
        started = time.perf_counter()
        with (self.work / "printed.txt").open("w+", encoding="utf-8") as printed:
            command = [str((self.bin / "annif").absolute()), *arguments]
            process = subprocess.Popen(command, cwd=self.work, env=environment, stdout=printed)
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            printed.seek(0)
            text = printed.read()
        if process.returncode:
            raise RuntimeError(f"annif {' '.join(arguments)} failed")
        cost = {
            "wall s": round(time.perf_counter() - started, 1),
            "CPU s": round(used.ru_utime + used.ru_stime, 1),
            "peak MiB": round(used.ru_maxrss / 1024),
        }
        return text, cost

    def once(self, name: str, step: Callable[[], Any]) -> Any:
        """Do a step unless its result is kept already."""
        if name not in self.kept:
            self.kept[name] = step()
            (self.folder / "figures.json").write_text(json.dumps(self.kept, indent=1), encoding="utf-8")
        return self.kept[name]

    def configure(self, weighted: str) -> None:
        """Write the projects; the weights of the second ensemble are found later."""
        analyzer = "analyzer=snowball(english)"
        rest = {"ensemble": f"sources={_SOURCES}", "weighted": f"sources={weighted}"}
        kind = {"weighted": "ensemble"}
        projects = [
            _PROJECT.format(name=name, backend=kind.get(name, name), rest=rest.get(name, analyzer))
            for name in _BACKENDS
        ]  # fmt: skip
        (self.work / "projects.cfg").write_text("\n".join(projects), encoding="utf-8")


def write_files(annif: Annif, data: Path, n_records: int, n_test: int) -> list[str]:
    """Write what Annif reads, and return how many records each file has."""
    train = list(islice(finna_lines(data, "train"), n_records + _HELD))
    files = {
        "train": train[:n_records],
        "mllm": train[: min(_MLLM, n_records)],
        "held": train[n_records:],
        "test": list(islice(finna_lines(data, "test"), n_test)),
    }
    for name, lines in files.items():
        (annif.work / f"{name}.tsv").write_text("".join(lines), encoding="utf-8")
    with gzip.open(data / "finna/yso-en.tsv.gz") as packed, (annif.work / "yso.tsv").open("wb") as file:
        shutil.copyfileobj(packed, file)
    return [f"{name}: {len(lines):,}" for name, lines in files.items()]


def subjects_of(path: Path) -> list[set[str]]:
    """Read the subjects of records as Annif reads them."""
    lines = path.read_text(encoding="utf-8").split("\n")
    return [{uri.strip("<>") for uri in line.split("\t", 1)[1].split()} for line in lines if "\t" in line]


def suggested(annif: Annif, backend: str, part: str, path: Path) -> list[Ranked]:
    """Ask for the best suggestions for the records of a file, and keep them in `path`."""
    if not path.exists():
        raw = annif.work / "raw.jsonl"
        raw.unlink(missing_ok=True)
        annif.run("index", backend, f"{part}.tsv", "--limit", str(_LIMIT), "--no-include-doc", "--output", raw.name)
        with raw.open(encoding="utf-8") as file, path.with_suffix(".part").open("w", encoding="utf-8") as kept:
            for row, line in enumerate(file):
                results = json.loads(line)["results"]
                labels, scores = [one["uri"] for one in results], [one["score"] for one in results]
                kept.write(json.dumps({"row": row, "labels": labels, "scores": scores}) + "\n")
        path.with_suffix(".part").rename(path)
    with path.open(encoding="utf-8") as file:
        read = [json.loads(line) for line in file]
    return [list(zip(one["labels"], one["scores"], strict=True)) for one in read]


def new_labels(truth: Sequence[set[str]], ranked: Sequence[Ranked], known: set[str]) -> dict[str, int]:
    """Count the labels of test records that no training record has, and how many of them are suggested."""
    counts = {"new": sum(len(labels - known) for labels in truth)}
    for k in (5, 10):
        found = ({label for label, _ in best[:k]} for best in ranked)
        counts[f"new@{k}"] = sum(len((labels - known) & some) for labels, some in zip(truth, found, strict=True))
    return counts


def evaluated(annif: Annif, backend: str) -> dict[str, float]:
    """Let Annif itself evaluate a backend."""
    metrics = [part for name in _EVAL for part in ("--metric", name)]
    printed, cost = annif.run("eval", backend, "test.tsv", *metrics)
    found = dict(re.findall(r"^(\S+):\s+([\d.]+)$", printed, re.MULTILINE))
    return {short: float(found[name]) for name, short in _EVAL.items()} | {"eval CPU s": cost["CPU s"]}


def figures_of(annif: Annif, backend: str) -> dict[str, Any]:
    """Measure a backend with the code that measures the other peers, and count new labels."""
    ranked = suggested(annif, backend, "test", annif.folder / f"{backend}.jsonl")
    held = suggested(annif, backend, "held", annif.work / f"{backend}_held.jsonl")
    truth, known = subjects_of(annif.work / "test.tsv"), set().union(*subjects_of(annif.work / "train.tsv"))
    choice = best_choice(subjects_of(annif.work / "held.tsv"), held)
    return {
        **measure(truth, ranked, choice.sets(ranked)),
        **new_labels(truth, ranked, known),
        "chosen by": str(choice),
    }


def weights_found(annif: Annif) -> str:
    """Let Annif find the weights of the ensemble on held-out records."""
    printed, _ = annif.run("hyperopt", "ensemble", "held.tsv", "--trials", str(_TRIALS), "--metric", "NDCG@5")
    return re.findall(r"^sources=(\S+)$", printed, re.MULTILINE)[0]


def table(rows: dict[str, dict[str, Any]], columns: Iterable[str]) -> str:
    """Write figures as a table of Markdown."""
    columns = list(columns)
    lines = [["", *columns], ["---"] * (len(columns) + 1)]
    lines += [[name, *(_cell(row.get(column, "")) for column in columns)] for name, row in rows.items()]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def _cell(value: Any) -> str:
    return f"{value:.4f}".replace("0.", ".", 1) if isinstance(value, float) and abs(value) < 1 else str(value)


def write_page(annif: Annif) -> None:
    """Write what is known so far as tables."""
    kept = annif.kept
    parts = {
        "By `annif eval`": ("eval", [*_EVAL.values(), "eval CPU s"]),
        "The same suggestions, measured with the code of the other peers": (
            "ours",
            ["P@1", "F1@1", "F1@5", "nDCG@5", "nDCG@10", "micro F1", "macro F1", "ECE", "new", "new@5", "new@10",
             "chosen by"],
        ),
        "Cost of `annif train`": ("train", ["CPU s", "wall s", "peak MiB"]),
    }  # fmt: skip
    text = [f"Records: {'; '.join(kept.get('files', []))}. Weights found: {kept.get('weights', 'not yet')}\n"]
    for title, (key, columns) in parts.items():
        rows = {name: kept[f"{key} {name}"] for name in _BACKENDS if f"{key} {name}" in kept}
        text.append(f"{title}\n\n{table(rows, columns)}")
    (annif.folder / "figures.md").write_text("\n".join(text), encoding="utf-8")


def main() -> None:
    """Run the study and write its figures."""
    parser = argparse.ArgumentParser(description="How good are the subjects that Annif suggests?")
    parser.add_argument("--annif", type=Path, required=True, help="folder with the command annif")
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--test", type=int, default=10_000)
    parser.add_argument("--data-dir", type=Path, default=Path(os.environ.get("TACIT_DATA", ".")))
    asked = parser.parse_args()
    annif = Annif.opened(asked.annif, asked.output.absolute())
    annif.once("files", lambda: write_files(annif, asked.data_dir, asked.records, asked.test))
    annif.configure(annif.kept.get("weights", _SOURCES))
    annif.once("vocabulary", lambda: annif.run("load-vocab", "yso", "yso.tsv", "--language", "en")[1])
    for backend in ("omikuji", "tfidf", "mllm"):
        source = "mllm.tsv" if backend == "mllm" else "train.tsv"
        annif.once(f"train {backend}", lambda: annif.run("train", backend, source)[1])  # noqa: B023
    annif.configure(annif.once("weights", lambda: weights_found(annif)))
    for backend in _BACKENDS:
        annif.once(f"ours {backend}", lambda: figures_of(annif, backend))  # noqa: B023
        write_page(annif)
    for backend in _BACKENDS:
        annif.once(f"eval {backend}", lambda: evaluated(annif, backend))  # noqa: B023
        write_page(annif)
    print((annif.folder / "figures.md").read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
