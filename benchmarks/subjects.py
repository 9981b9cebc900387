"""Suggestions for large vocabularies, in one run: `python benchmarks/subjects.py [row ...] [--share S]`.

| row     | work                                                          | should be                                 |
|---------|---------------------------------------------------------------|-------------------------------------------|
| library | `tacit build` of 100,000 records of finna, 21,353 subjects    | processor time at most 2 x omikuji's      |
|         |                                                               | training, 3 GiB, suggester 300 MB         |
| asking  | one suggestion; a batch of 1,000                              | p50 15 ms, p99 60 ms; 200 texts a second  |
| quality | all 10,000 test records                                       | nDCG@5 .34, P@1 .32                       |
| all     | all 596,297 records                                           | 8 GiB, 40 minutes                         |
| made    | 300,000 made records, 100,000 subjects                        | 12 GiB                                    |

Rows `asking` and `quality` use the index of `library`. Builds run as commands in processes of their own; omikuji learns
from the same words in another. Needs TACIT_DATA, and `pip install omikuji` for its row. `--share 0.01` tries a part of
the records.
"""

from __future__ import annotations

import argparse
import gzip
import itertools
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["main"]

ROWS = ("library", "asking", "quality", "all", "made")
_LIBRARY, _MADE, _MADE_SUBJECTS = 100_000, 300_000, 100_000
_GIB = 2**20  # getrusage counts in KiB


def main() -> None:
    """Run the rows and print what was seen."""
    parser = argparse.ArgumentParser(description="Suggestions for large vocabularies")
    parser.add_argument("rows", nargs="*", default=["library", "asking", "quality"])
    parser.add_argument("--data-dir", type=Path, default=Path(os.environ.get("TACIT_DATA", ".")))
    parser.add_argument("--folder", type=Path, help="where indexes are written and found again")
    parser.add_argument("--share", type=float, default=1.0, help="of the records")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = asked.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        for row in asked.rows:
            if row not in ROWS:
                parser.error(f"no row is called {row!r}: expected some of {', '.join(ROWS)}")
            print(row, json.dumps(_row(row, asked.data_dir / "finna", folder, asked.share)), flush=True)


def _row(row: str, finna: Path, folder: Path, share: float) -> dict[str, Any]:
    library = folder / "library.tacit"
    if row == "library":
        records = _lines(finna, folder / "library.tsv", round(_LIBRARY * share))
        found = _built(records, library, "--vocabulary", str(finna / "yso-en.tsv.gz"), "--stem")
        peer = _omikuji(records)
        return {**found, **peer, "ratio": round(found["cpu"] / peer["omikuji_cpu"], 2) if peer else None}
    if row == "all":
        records = _lines(finna, folder / "all.tsv", round(10**6 * share))
        return _built(records, folder / "all.tacit", "--vocabulary", str(finna / "yso-en.tsv.gz"), "--stem")
    if row == "made":
        records = _made(folder / "made.jsonl", round(_MADE * share), round(_MADE_SUBJECTS * share))
        return _built(records, folder / "made.tacit")
    with gzip.open(finna / "finna-test.tsv.gz", "rt", encoding="utf-8") as file:
        lines = [line.rstrip("\n").partition("\t") for line in file]
    texts = [text for text, _, _ in lines]
    truth = [{uri[1:-1] for uri in uris.split()} for _, _, uris in lines]
    return _asking(library, texts) if row == "asking" else _quality(library, texts, truth)


def _lines(finna: Path, path: Path, most: int) -> Path:
    with gzip.open(finna / "finna-train.tsv.gz", "rt", encoding="utf-8") as source, path.open("w") as target:
        target.writelines(itertools.islice(source, most))
    return path


def _built(records: Path, index: Path, *options: str) -> dict[str, Any]:
    """Build an index by the command, and return its costs."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    command = [sys.executable, "-m", "tacit", "build", str(records), "-o", str(index), "--replace", *options]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    arrays = next(index.glob("*/arrays"))
    of_suggester = ("words_", "near_", "name_", "together_", "related_", "ranker_", "panel_", "subject_", "learned_")
    size = sum(file.stat().st_size for file in arrays.iterdir() if file.name.startswith(of_suggester))
    return {
        "seconds": round(time.perf_counter() - start, 1),
        "cpu": round(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, 1),
        "peak_gib": round(after.ru_maxrss / _GIB, 2),
        "suggester_mb": round(size / 1e6, 1),
    }


def _omikuji(records: Path) -> dict[str, float]:
    """Return the processor time that omikuji takes to learn from the same words; nothing if it is not installed."""
    script = f"""
import resource, sys
sys.path.insert(0, {str(Path(__file__).parent / "studies")!r})
from suggestions_peers import _indicator, omikuji
from tacit.text.settings import TextSettings
from tacit.text.words import Words
lines = [line.rstrip("\\n").partition("\\t") for line in open({str(records)!r})]
names = {{}}
sets = [{{names.setdefault(uri, len(names)) for uri in uris.split()}} for _, _, uris in lines]
words, X = Words.fit([text for text, _, _ in lines], TextSettings(stem=True))
before = resource.getrusage(resource.RUSAGE_SELF)
omikuji(X, _indicator(sets, list(names)), X[:1])
after = resource.getrusage(resource.RUSAGE_SELF)
print(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
"""
    try:
        done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    except subprocess.CalledProcessError:
        return {}
    return {"omikuji_cpu": round(float(done.stdout.split()[-1]), 1)}


def _made(path: Path, n_records: int, n_subjects: int) -> Path:
    """Write records of a dozen words, drawn with one to four subjects that have a few words of their own each."""
    rng = np.random.default_rng(0)
    weights = 1 / np.arange(1, n_subjects + 1) ** 0.8
    ends = np.cumsum(weights / weights.sum())
    own = rng.integers(60_000, size=(n_subjects, 6))
    with path.open("w", encoding="utf-8") as file:
        for number in range(n_records):
            subjects = np.unique(np.searchsorted(ends, rng.random(rng.integers(1, 5))))
            words = [*own[subjects][:, rng.permutation(6)[:3]].ravel(), *rng.integers(60_000, size=4)]
            text = " ".join(_word(int(word)) for word in words)
            facts = {"id": str(number), "text": text, "labels": [f"subject {subject}" for subject in subjects]}
            file.write(json.dumps(facts) + "\n")
    return path


def _word(number: int) -> str:
    letters = "abcdefghijklmnopqrstuvwxyz"
    return "w" + "".join(letters[number // 26**place % 26] for place in range(4))


def _asking(index: Path, texts: list[str]) -> dict[str, Any]:
    """Return how long one suggestion takes, and how many a second a batch reaches."""
    import tacit

    with tacit.open(index) as library:
        start = time.perf_counter()
        library.suggest(texts[0])
        first = time.perf_counter() - start
        seconds = []
        for text in texts[1:501]:
            start = time.perf_counter()
            library.suggest(text)
            seconds.append(time.perf_counter() - start)
        start = time.perf_counter()
        library.suggest(texts[:1_000])
        batch = time.perf_counter() - start
    p50, p99 = (round(1_000 * float(value), 1) for value in np.percentile(seconds, [50, 99]))
    return {"first_s": round(first, 2), "p50_ms": p50, "p99_ms": p99, "texts_per_second": round(1_000 / batch)}


def _quality(index: Path, texts: list[str], truth: list[set[str]]) -> dict[str, Any]:
    """Return the quality of suggestions for records that no setting was chosen on."""
    sys.path.insert(0, str(Path(__file__).parent / "studies"))
    from suggestions_peers import measure

    import tacit

    with tacit.open(index) as library:
        found = [
            each
            for start in range(0, len(texts), 500)
            for each in library.suggest(texts[start : start + 500], limit=50)
        ]
        known = set(library.label_names)
    ranked: Any = [[(one.label, one.probability) for one in each] for each in found]
    measures = measure(truth, ranked, [{one.label for one in each if one.chosen} for each in found])
    new = [
        (label, [one.label for one in each])
        for labels, each in zip(truth, found, strict=True)
        for label in labels - known
    ]
    measures["new"] = len(new)
    for k in (5, 10):
        measures[f"new@{k}"] = sum(label in each[:k] for label, each in new)
        measures[f"F1@{k} of all"] = _f1(truth, ranked, k)
    measures["F1 of chosen sets"] = float(
        np.mean(
            [
                _set_f1(one, {label.label for label in each if label.chosen})
                for one, each in zip(truth, found, strict=True)
            ]
        )
    )
    measures["best F1 of a fixed number"] = max(_f1(truth, ranked, k) for k in range(1, 11))
    return {name: round(float(value), 4) for name, value in measures.items()}


def _f1(truth: list[set[str]], ranked: Any, k: int) -> float:
    return float(
        np.mean([_set_f1(one, {label for label, _ in each[:k]}) for one, each in zip(truth, ranked, strict=True)])
    )


def _set_f1(one: set[str], other: set[str]) -> float:
    return 2 * len(one & other) / max(1, len(one) + len(other))


if __name__ == "__main__":
    main()
