"""Does an index get better, or at least no worse, the more it knows?

Question    What `tacit build` makes of labels, then of their taxonomy too, then of links, then of further records whose
            labels are unknown: does any answer get worse?
Data        Reuters-21578 (topics with their groups; places and people as links), arXiv (categories with taxonomy), 20
            Newsgroups (groups with their hierarchies; authors and organisations as links), RCV1 (topics with their
            tree; it comes as words without texts, so that titles are not measured).
Method      Records to learn from and held-out ones, chosen at random; the settings of the build are its defaults, so
            whatever is chosen is chosen on records to learn from. P@1, micro and macro F1 of suggestions; nDCG@10 of
            search by meaning with held-out texts as queries, the gain being the overlap (Jaccard) of labels, or of
            links; MRR@10 of records by their own titles.
Run         python benchmarks/studies/more_knowledge.py [reuters|arxiv|newsgroups|rcv1|packages ...] [--seeds 3]
                [--records 1500] [--keep FILE]
Tables      docs/studies/more_knowledge.md, of 2026-11-20.
Conclusion  Links raise search by places and people; records without labels raise titles, labels or both. What falls by
            more than .005: macro F1 of suggestions on Reuters by the taxonomy.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import os
import warnings
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.metrics import f1_score

from tacit import LabelMatrix, Taxonomy
from tacit.corpus.record import Record
from tacit.tasks.build.settings import BuildSettings
from tacit.tasks.build.trial_measures import Relevance, nearest_of, own_ranks, unit
from tacit.tasks.measure.split import RecordSet
from tacit.tasks.measure.trial_index import Features, FittedIndex
from tacit.tasks.stage_progress import StageEvent, StageReporter

Collection = tuple[list[Record], dict[str, tuple[str, ...]]]
MEASURES = ("P@1", "micro F1", "macro F1", "labels", "titles")


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        yield from map(json.loads, file)


def reuters(data: Path) -> Collection:
    """Stories with topics; places and people are links."""
    records = [
        Record(str(one["id"]), f"{one['title']}\n{one['body']}", tuple(one["topics"]), title=one["title"],
               links={"places": tuple(one["places"]), "people": tuple(one["people"])})
        for one in _lines(data / "reuters21578/reuters21578.jsonl.gz")
        if one["topics"] and one["split"] in ("train", "test")
    ]  # fmt: skip
    with (data / "reuters21578/topics.tsv").open(encoding="utf-8") as file:
        rows = [list(row.values()) for row in csv.DictReader(file, delimiter="\t")]
    return records, {row[0]: (f"group: {row[1]}",) for row in rows}


def arxiv(data: Path) -> Collection:
    """Papers with categories."""
    records = [
        Record(one["id"], f"{one['title']}\n{one['abstract']}", tuple(one["categories"]), title=one["title"])
        for one in _lines(data / "arxiv/arxiv_sample.jsonl.gz")
    ]
    with (data / "arxiv/taxonomy.tsv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    return records, {row["node"]: (row["parent"],) for row in rows if row["parent"] not in ("", "ROOT")}


def newsgroups(data: Path) -> Collection:
    """Postings with their group; authors and organisations are links."""
    records = [
        Record(one["id"], f"{one['subject']}\n{one['body']}", (one["group"],), title=one["subject"],
               links={"author": (one["from"],), "organisation": (one["organization"],) if one["organization"] else ()})
        for one in _lines(data / "20newsgroups/20newsgroups.jsonl.gz")
        if one["split"]
    ]  # fmt: skip
    groups = {record.labels[0] for record in records}
    return records, {group: (group.split(".")[0],) for group in groups}


def rcv1(data: Path) -> Collection:
    """Stories as rows of words, with topics; their ids are the numbers of the rows."""
    saved = np.load(data / "rcv1/rcv1_subsets.npz")
    topics, starts = saved["topics"], saved["Y_indptr"]
    rows = np.flatnonzero(saved["first_copy"] == np.arange(len(starts) - 1))
    records = [
        Record(str(row), "", tuple(map(str, topics[saved["Y_indices"][starts[row] : starts[row + 1]]]))) for row in rows
    ]
    with (data / "rcv1/topics.tsv").open(encoding="utf-8") as file:
        table = list(csv.DictReader(file, delimiter="\t"))
    none = ("", "None", "Root")
    return records, {row["code"]: (row["parent_orig"],) for row in table if row["parent_orig"] not in none}


def rows_of_words(name: str, data: Path) -> Any:
    """Return the words of all records, if they come without texts, else None."""
    if name != "rcv1":
        return None
    saved = np.load(data / "rcv1/rcv1_subsets.npz")
    parts = (saved["X_data"].astype(np.float32), saved["X_indices"], saved["X_indptr"])
    X = sp.csr_array(parts, shape=tuple(saved["X_shape"]))
    return sp.csr_array(X[:, np.flatnonzero(np.bincount(X.indices, minlength=X.shape[1]) > 1)])


def packages(data: Path) -> Collection:
    """Packages of Debian with tags, from a file of JSON Lines (id, title, text, tags, maintainer) that the user makes.

    The facet of a tag is above it; the maintainer is a link.
    """
    with (data / "packages.jsonl").open(encoding="utf-8") as file:
        read = [json.loads(line) for line in file]
    records = [
        Record(one["id"], one["text"], tuple(one["tags"]), title=one["title"],
               links={"maintainer": (one["maintainer"],)})
        for one in read
    ]  # fmt: skip
    tags = {tag for record in records for tag in record.labels}
    return records, {tag: (f"facet: {tag.split('::')[0]}",) for tag in tags}


COLLECTIONS = {"reuters": reuters, "arxiv": arxiv, "newsgroups": newsgroups, "rcv1": rcv1, "packages": packages}


def taxonomy_of(parents: dict[str, tuple[str, ...]]) -> Taxonomy:
    """Make the taxonomy; parents that have none themselves are its roots."""
    roots = {name: () for above in parents.values() for name in above if name not in parents}
    return Taxonomy.from_parents({**parents, **roots})


def suggestions(index: FittedIndex, rows: Any, test: list[Record], train: list[Record], has_texts: bool) -> Any:
    """Measure suggested labels: P@1 of all, F1 of the labels of training records, whatever else the index knows."""
    suggested = index.suggest(rows, [record.text for record in test] if has_texts else None)
    assert suggested is not None
    scores, chosen = (part.toarray() if sp.issparse(part) else part for part in suggested)
    first = [index.label_names[column] for column in scores.argmax(axis=1)]
    learned = {name: column for column, name in enumerate(index.label_names)}
    counted = sorted({name for record in train for name in record.labels} & {n for one in test for n in one.labels})
    truth = np.array([[name in record.labels for name in counted] for record in test])
    found = np.zeros_like(truth)
    for column, name in enumerate(counted):
        if name in learned:
            found[:, column] = chosen[:, learned[name]]
    f1 = {f"{kind} F1": float(f1_score(truth, found, average=kind, zero_division=0)) for kind in ("micro", "macro")}
    return {"P@1": float(np.mean([name in one.labels for name, one in zip(first, test, strict=True)])), **f1}


def measured(
    train: list[Record],
    test: list[Record],
    extra: list[Record],
    taxonomy: Taxonomy | None,
    truth_of: list[Record],
    found: dict[str, Any],
    words: Any = None,
) -> dict[str, float]:
    """Build an index in memory and measure it; `extra` are records to learn from without labels.

    `words` has the words of records that come without texts, by their ids.
    """
    events: list[StageEvent] = []
    stages = StageReporter(events.append)
    settings = BuildSettings()
    everything = RecordSet([*train, *extra])
    if words is None:
        features = Features.of(everything, settings, stages)
    else:
        features = Features(None, words[[int(record.id) for record in everything.records]])
    index = FittedIndex(everything, settings, taxonomy, features, stages)
    found["weights"] = [event.message for event in events if event.name == "weights" and event.state == "end"]
    rows = features.rows(RecordSet(test)) if words is None else words[[int(record.id) for record in test]]
    placed, stored = unit(index.place(rows)), unit(index.positions[: len(train)])
    order = nearest_of(placed, stored)
    both = [*test, *truth_of]
    asked, answers = np.arange(len(test)), np.arange(len(test), len(both))
    measures: dict[str, float] = {}
    measures |= suggestions(index, rows, test, truth_of, words is None)
    labels = LabelMatrix.from_sets([set(record.labels) for record in both]).indicator
    measures["labels"] = Relevance(labels, asked, answers).ndcg(order)
    if features.words is not None:
        titles = features.words.transform(one.title for one in train[:500])
        measures["titles"] = float(own_ranks(unit(index.place(titles)), stored).mean())
    for name in {name for record in both for name in record.links}:
        links = LabelMatrix.from_sets([set(record.links.get(name, ())) for record in both]).indicator
        measures[name] = Relevance(links, asked, answers).ndcg(order)
    return measures


def study(
    name: str, seed: int, n_records: int, n_test: int, data: Path, kept: Path | None = None
) -> list[tuple[str, dict[str, float], list[str]]]:
    """Measure one collection with more and more knowledge; what the file `kept` has is not measured again."""
    records, parents = COLLECTIONS[name](data)
    words = rows_of_words(name, data)
    first = n_records // 3
    order = [records[row] for row in np.random.default_rng(seed).permutation(len(records))]
    train, extra = order[first : first + n_records], order[first + n_records : first + 2 * n_records]
    test = (order[:first] + order[first + 2 * n_records :])[:n_test]
    taxonomy, rows = taxonomy_of(parents), []
    bare = [replace(record, links={}) for record in train]
    unlabelled = [replace(record, labels=()) for record in extra]
    steps: list[tuple[str, list[Record], list[Record], Taxonomy | None]] = [
        ("labels", bare, [], None),
        ("+ taxonomy", bare, [], taxonomy),
        ("+ links", train, [], taxonomy),
        ("+ records without labels", train, unlabelled, taxonomy),
    ]
    for step, some, more, tree in steps:
        if step == "+ links" and not any(record.links for record in records[:100]):
            continue
        key = json.dumps([name, seed, n_records, n_test, step])
        known = read_kept(kept)
        if key in known:
            rows.append((step, *known[key]))
            continue
        found: dict[str, Any] = {}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            rows.append((step, measured(some, test, more, tree, train, found, words), found["weights"]))
        if kept is not None:
            kept.write_text(json.dumps({**read_kept(kept), key: rows[-1][1:]}), encoding="utf-8")
        print(
            name, seed, step, found["weights"], {one: round(value, 4) for one, value in rows[-1][1].items()}, flush=True
        )
    return rows


def read_kept(path: Path | None) -> dict[str, Any]:
    """Return what was measured before."""
    return json.loads(path.read_text(encoding="utf-8")) if path is not None and path.exists() else {}


def main() -> None:
    """Run the study and print its tables."""
    parser = argparse.ArgumentParser(description="Does an index get better the more it knows?")
    parser.add_argument("collections", nargs="*", choices=[[], *COLLECTIONS], default=list(COLLECTIONS)[:4])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--records", type=int, default=1_500)
    parser.add_argument("--test", type=int, default=2_000, help="held-out records")
    parser.add_argument("--data-dir", type=Path, default=Path(os.environ.get("TACIT_DATA", ".")))
    parser.add_argument("--keep", type=Path, help="file of measures: a run that was stopped goes on")
    asked = parser.parse_args()
    for name in asked.collections:
        runs = [study(name, seed, asked.records, asked.test, asked.data_dir, asked.keep) for seed in range(asked.seeds)]
        print(
            f"\n{asked.records} records, {asked.test} held out, {asked.seeds} seeds\n\n{table(name, runs)}\n",
            flush=True,
        )


def table(name: str, runs: list[list[tuple[str, dict[str, float], list[str]]]]) -> str:
    """Return the page's table: values, then changes from the row above with their standard errors; "" if the same."""
    keys = sorted(runs[0][0][1], key=lambda key: MEASURES.index(key) if key in MEASURES else len(MEASURES))
    rows = [[name, *keys], ["---"] * (1 + len(keys))]
    for place, (step, _, _) in enumerate(runs[0]):
        cells = []
        for key in keys:
            values = np.array([run[place][1][key] for run in runs])
            if place == 0:
                cells.append(f"{values.mean():.3f}".lstrip("0"))
                continue
            change = values - np.array([run[place - 1][1][key] for run in runs])
            error = change.std(ddof=1) / np.sqrt(len(change)) if len(change) > 1 else np.nan
            cells.append(f"{change.mean():+.3f} ±{error:.3f}".replace("0.", ".") if change.any() else "")
        rows.append([step, *cells])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


if __name__ == "__main__":
    main()
