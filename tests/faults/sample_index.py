"""A small index with everything in it, the questions that are put to it, and what is right afterwards."""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from small_index import TAXONOMY, small_records

import tacit
from tacit.corpus.record import Record

__all__ = ["N_RECORDS", "answers", "build_sample", "contents", "quietly", "run_command", "write_files"]

N_RECORDS = 80
_QUERIES = ("whale harbour", "kitchen lamp", "salt tide cat")


def write_files(folder: Path) -> None:
    """Write what the commands read: records to build from, to add and to update with, corrections and a taxonomy."""
    records = small_records(N_RECORDS, links=True)
    _write(folder / "records.jsonl", records)
    _write(folder / "others.jsonl", small_records(N_RECORDS, seed=5, links=True))
    added = small_records(8, seed=9, links=True)
    _write(folder / "added.jsonl", [_renamed(record, f"new{n}") for n, record in enumerate(added)])
    _write(folder / "updated.jsonl", [_renamed(record, f"r{n}") for n, record in enumerate(added)])
    lines = [{"text": record.text, "labels": list(record.labels), "rejected": []} for record in added if record.labels]
    (folder / "corrections.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    rows = ["id,parent", *(f"{name},{parent or ''}" for name, parent in TAXONOMY.items())]
    (folder / "taxonomy.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")


def _renamed(record: Record, id: str) -> Record:
    return Record(id, record.text, record.labels, f"Changed {id}", record.links, record.fields)


def _write(path: Path, records: Sequence[Record]) -> None:
    lines = [
        {
            "id": r.id,
            "title": r.title,
            "text": r.text,
            "labels": list(r.labels),
            "author": r.links["author"],
            **r.fields,
        }
        for r in records
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


def build_sample(files: Path, index: Path, source: str = "records.jsonl", *more: str) -> list[str]:
    """Return the command that builds the index."""
    reading = ["--text", "text", "--labels", "labels", "--link", "author", "--fields", "year"]
    small = ["--dimensions", "6", "--set", "min_records=1", "--taxonomy", str(files / "taxonomy.csv")]
    return ["build", str(files / source), "-o", str(index), *reading, *small, *more]


def run_command(arguments: Sequence[str]) -> int:
    """Run a command of `tacit` in this process and return its exit code."""
    from tacit.cli.app import main

    try:
        main(list(arguments))
    except SystemExit as left:
        return left.code if isinstance(left.code, int) else 1
    return 0


def quietly(arguments: Sequence[str]) -> tuple[int, str]:
    """Run a command, and return its exit code and what it printed."""
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        code = run_command(arguments)
    return code, said.getvalue()


def contents(path: Path) -> dict[str, Any]:
    """Return all that people put into an index: it must be there after whatever happens."""
    with tacit.open(path) as index:
        records = {
            record.id: [record.text, record.title, list(record.labels), sorted(record.links.items()), record.fields]
            for _, record in index.store.records()
        }
        learned = [[each.text, list(each.accepted), list(each.rejected)] for each in index.corrections()]
        return json.loads(json.dumps({"records": records, "learned": learned}))


def answers(path: Path) -> dict[str, Any]:
    """Ask an index everything that it can answer, so that most of its bytes count."""
    with tacit.open(path) as index:
        found: dict[str, Any] = {"length": len(index)}
        for by in ("hybrid", "meaning", "words"):
            for query in _QUERIES:
                found[f"{by} {query}"] = [[hit.id, round(hit.score, 4)] for hit in index.search(query, by=by)]
        narrow = index.filters(under="sea", where={"year": 1991}, links={"author": "Bo"})
        found["filters"] = [hit.id for hit in index.search("ship", filters=narrow, limit=30)]
        found["years"] = [hit.id for hit in index.search("cat", filters=index.filters(ranges=["year=1991..1992"]))]
        for text in _QUERIES:
            found[f"suggest {text}"] = [[one.label, round(one.probability, 4)] for one in index.suggest(text, limit=5)]
        found["similar"] = [[hit.id, round(hit.score, 4)] for hit in index.similar("r3", limit=5)]
        found["liked"] = [hit.id for hit in index.recommend(["r1", "r5"], limit=5)]
        found["concepts"] = [str(dimension) for dimension in index.concepts(limit=3)]
        found["label"] = str(index.explain(label="animals"))
        found["info"] = {name: value for name, value in asdict(index.info()).items() if name not in _OF_THE_FOLDER}
        found["records"] = [[number, repr(record)] for number, record in index.store.records()]
        found["learned"] = [each.to_facts() for each in index.corrections()]
        return json.loads(json.dumps(found, default=str, sort_keys=True))


_OF_THE_FOLDER = ("path", "bytes", "size", "sizes", "files")


def warm() -> None:
    """Import what commands import, so that children that are forked need not."""
    os.environ.setdefault("TACIT_CACHE", "/nonexistent/tacit")  # no checksum is remembered between processes
    import sklearn.ensemble
    import sklearn.feature_extraction.text
    import sklearn.linear_model

    assert sys.modules["sklearn.ensemble"] is sklearn.ensemble
