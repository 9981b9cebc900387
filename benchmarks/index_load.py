"""An index of a million records: how fast it opens and answers, and how many of the nearest records it finds.

    python benchmarks/index_load.py [--records 1000000] [--keep FOLDER] [--write]

The records have planted topics (`synthetic.planted_topics`): thirty words each, a few of them words as "the" that
nearly all records have. LSI is fitted to the first 50,000 and places the rest; everything is written by the library's
own writer. Each question is asked as a caller asks it, a thousand of each kind, after ten to warm up, and each with
filters of its own. Recall is against comparing with all records. With `--keep`, the folder is used again if it is
there; `--write` puts the result into `docs/benchmarks.md`.
"""

from __future__ import annotations

import argparse
import json
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import scipy.sparse as sp
from pages import DOCS, facts, put_section, table
from synthetic import planted_topics

from tacit import LSI
from tacit.checks import human_size
from tacit.corpus import Record
from tacit.index import Filters, GenerationWriter, RecordStore
from tacit.index.nearest.approximate import GRAPH, write_graph
from tacit.index.nearest.exact import cosines, lengths_of, top
from tacit.index.space import Space
from tacit.tasks.build.settings import BuildSettings
from tacit.tasks.collection import Collection, open_index
from tacit.text.settings import TextSettings
from tacit.text.words import Words

__all__ = ["main", "make_index", "measure", "questions"]

_N_OPENINGS = 5  # each in a process of its own
_N_JUDGED = 100  # questions of a kind whose recall is measured: comparing with all takes longer than asking
_FIRST_YEAR, _N_YEARS = 1990, 30
_N_TOPICS, _N_TERMS, _N_WORDS, _N_FITTED = 200, 60_000, 30, 50_000
_COMMON = {"the": 0.95, "of": 0.9, "and": 0.8, "in": 0.7, "for": 0.5, "with": 0.3}  # shares of the records
_COLUMNS = ("query", "p50, ms", "p99, ms", "processor p50", "processor p99", "below 10 and 50", "recall@10")
_OPEN = "import sys, time; import tacit.tasks.collection as c; t = time.perf_counter(); c.open_index(sys.argv[1]); "
_OPEN += "print(time.perf_counter() - t)"


def main(arguments: Sequence[str] | None = None) -> None:
    """Make the index, ask, print, and write the section if asked."""
    parser = argparse.ArgumentParser(description="Measure an index of many records.")
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--dimensions", type=int, default=100)
    parser.add_argument("--questions", type=int, default=1_000)
    parser.add_argument("--keep", type=Path, help="folder of the index, used again if it is there")
    parser.add_argument("--write", action="store_true", help="write the section to docs/benchmarks.md")
    asked = parser.parse_args(arguments)
    if asked.write and asked.records < 1_000_000:
        parser.error(f"--write needs a million records: got --records {asked.records}. Leave one out.")
    folder = asked.keep or Path(tempfile.mkdtemp()) / "load.tacit"
    try:
        notes = folder.with_name(folder.name + ".json")
        if not (folder / "CURRENT").exists():
            notes.write_text(json.dumps(make_index(folder, asked.records, asked.dimensions)), encoding="utf-8")
        text = measure(folder, json.loads(notes.read_text(encoding="utf-8")), asked.questions)
    finally:
        if asked.keep is None:
            shutil.rmtree(folder.parent)
    print(text)
    if asked.write:
        from compare import HEAD, ORDER

        put_section(DOCS / "benchmarks.md", "million", text, head=HEAD, order=ORDER)


def make_index(folder: Path, n_records: int, n_dimensions: int) -> dict[str, float]:
    """Write an index of made records, and give the seconds of each part."""
    X, Y = planted_topics(n_records, n_terms=_N_TERMS, n_topics=_N_TOPICS, words_per_record=_N_WORDS)
    names = np.array([_name(term) for term in range(_N_TERMS)])
    map_ = LSI(n_dimensions).fit(X[:_N_FITTED]).components_.T
    positions = np.asarray(X @ map_, np.float32)
    took = {}
    with GenerationWriter(folder) as writer:
        start = time.perf_counter()
        RecordStore.create(writer.path("records.sqlite"), _records(X, Y, names), progress=_shown("records", n_records))
        took["records and full text"] = time.perf_counter() - start
        # the weights of X are in X already; for the words of a question one weight a term will do
        words = Words(TextSettings(language="none", stop_words=list(_COMMON)), (), names.tolist(), _weights(X))
        Space(map_, None, words).save(writer)
        writer.save_array("positions", positions)
        writer.save_array("lengths", lengths_of(positions))
        writer.save_facts("labels", {"names": [], "counts": []})
        start = time.perf_counter()
        write_graph(writer.path(GRAPH), positions, progress=_shown("neighbours", n_records))
        took["graph of neighbours"] = time.perf_counter() - start
        start = time.perf_counter()
        settings = BuildSettings(model="lsi", n_components=n_dimensions)
        writer.finish({"build": settings.to_facts()}, {"records": n_records})
        took["checksums and flushing"] = time.perf_counter() - start
    return took


def _records(X: sp.csr_array, Y: sp.csr_array, names: np.ndarray) -> Iterator[Record]:
    rng = np.random.default_rng(1)
    common, shares = np.array(list(_COMMON)), np.array(list(_COMMON.values()))
    for row in range(X.shape[0]):
        words = names[X.indices[X.indptr[row] : X.indptr[row + 1]]]
        chance = rng.random(len(shares) + 1)
        text = " ".join(np.concatenate([common[chance[1:] < shares], words]).tolist())
        labels = [f"topic{topic}" for topic in Y.indices[Y.indptr[row] : Y.indptr[row + 1]]]
        year = _FIRST_YEAR + int(chance[0] * _N_YEARS)
        yield Record(f"r{row}", text, labels, " ".join(words[:4].tolist()), fields={"year": year})


def _name(term: int) -> str:
    """A word of four letters after a z, which no common word begins with."""
    return "z" + "".join(chr(ord("a") + term // 26**place % 26) for place in range(4))


def _weights(X: sp.csr_array) -> np.ndarray:
    n_with = np.bincount(X.indices, minlength=X.shape[1])
    return np.log(X.shape[0] / np.maximum(1, n_with)).astype(np.float32)


def _shown(what: str, n_records: int) -> Callable[[int], None]:
    def show(n_done: int) -> None:
        if n_done % 100_000 == 0 or n_done == n_records:
            print(f"{what}: {n_done:,} of {n_records:,}", file=sys.stderr, flush=True)

    return show


def measure(folder: Path, built: dict[str, float], n_questions: int) -> str:
    """Ask an index everything, and write the section."""
    opening = [float(subprocess.check_output([sys.executable, "-c", _OPEN, str(folder)])) for _ in range(_N_OPENINGS)]
    with open_index(folder) as collection:
        texts = questions(collection, n_questions)
        kinds = [(by, name) for by in ("meaning", "words", "hybrid") for name in _filters()]
        rows = [_row(collection, by, name, texts) for by, name in kinds]
        n_records, n_dimensions = collection.generation.array("positions").shape
        held = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
        sizes = {file.name: file.stat().st_size for file in collection.generation.folder.rglob("*") if file.is_file()}
    largest = sorted(sizes, key=lambda name: -sizes[name])[:3]
    made = f"{n_records:,} records of {n_dimensions} dimensions, about {_N_WORDS} words each"
    parts = ", ".join(f"{name} {human_size(sizes[name])}" for name in largest)
    stages = ", ".join(f"{what} {seconds:.0f} s" for what, seconds in built.items())
    return "\n\n".join(
        [
            "## A million records" if n_records == 1_000_000 else f"## {n_records:,} records",
            f"Measured by `python benchmarks/index_load.py`: {made}, {n_questions:,} queries of one to five words of "
            "each kind, ten records requested, each query with a different topic or different years. The time of an "
            "answer is from the query to the records read; its processor time is what it would take on an otherwise "
            "idle machine. Recall: the share of the exact ten nearest records that were found.",
            f"The index opens in {1000 * median(opening):.0f} ms (should be below 1 s). It takes "
            f"{human_size(sum(sizes.values()))}: {parts}. The querying process grew to {human_size(held)}, mapped "
            f"files included. Building: {stages}.",
            table(_COLUMNS, rows),
            facts(),
        ]
    )


def _filters() -> dict[str, Callable[[int], Filters]]:
    """Filters of each kind of question; the next question has another topic and other years."""
    return {
        "": lambda place: Filters(),
        ", a third of the years": lambda place: Filters(ranges=_third(place)),
        ", one year": lambda place: Filters(fields={"year": _FIRST_YEAR + place % _N_YEARS}),
        ", one topic": lambda place: Filters(labels=[_topic(place)]),
        ", one topic, a third of the years": lambda place: Filters(labels=[_topic(place)], ranges=_third(place)),
    }


def _topic(place: int) -> str:
    return f"topic{7 * place % _N_TOPICS}"


def _third(place: int) -> dict[str, tuple[int, int]]:
    first = _FIRST_YEAR + place % (_N_YEARS - _N_YEARS // 3)
    return {"year": (first, first + _N_YEARS // 3 - 1)}


def questions(collection: Collection, n_questions: int) -> list[str]:
    """One to five words of a record, common ones as well: what somebody types who has seen it once."""
    rng = np.random.default_rng(2)
    numbers = rng.integers(0, len(collection), n_questions)
    texts = []
    for place, record in enumerate(collection.store.get(numbers)):
        words = record.text.split()
        known = [word for word in words if word not in _COMMON and collection.space.place([word]).any()]
        texts.append(" ".join([rng.choice(known), *rng.choice(words, place % 5, replace=False)]))
    return texts


def _row(collection: Collection, by: str, name: str, texts: list[str]) -> list[str]:
    for place, text in enumerate(texts[-10:]):
        collection.search(text, by=by, filters=_filters()[name](place))
    took, recalls = [], []
    for place, text in enumerate(texts):
        filters = _filters()[name](place)
        start, busy = time.perf_counter(), time.process_time()
        hits = collection.search(text, by=by, filters=filters)
        took.append((1000 * (time.perf_counter() - start), 1000 * (time.process_time() - busy)))
        if by == "meaning" and place < _N_JUDGED and hits:
            recalls.append(_recall(collection, text, hits, filters))
    (half, half_busy), (most, most_busy) = np.percentile(took, [50, 99], axis=0)
    print(f"{by}{name}: {half:.1f} ms, {most:.1f} ms", file=sys.stderr, flush=True)
    cells = [f"{value:.1f}" for value in (half, most, half_busy, most_busy)]
    reached = "yes" if half < 10 and most < 50 else "no"
    return [by + name, *cells, reached, f"{np.mean(recalls):.3f}" if recalls else ""]


def _recall(collection: Collection, text: str, hits: list[Any], filters: Filters) -> float:
    """Share of the nearest records that were found; one as near as the tenth is as good as the tenth."""
    generation = collection.generation
    numbers = collection.store.numbers(filters)
    position = collection.space.place([text])[0]
    exact = cosines(position, generation.array("positions"), generation.array("lengths"), numbers)
    least = exact[top(exact, len(hits))[-1]]
    return float(np.mean([hit.score >= least - 1e-6 for hit in hits]))


if __name__ == "__main__":
    main()
