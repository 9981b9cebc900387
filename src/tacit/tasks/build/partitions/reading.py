"""The first tasks of a build on a cluster: parts of the files become stored records, counts of words, and rows.

The counts of the parts are joined in a tree, and the words are chosen from them as one process chooses them. What is
known about the records, their labels and links, is joined in the order of the parts.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tacit.corpus.problems import Problem
from tacit.corpus.reading import Reading
from tacit.corpus.record import Record
from tacit.errors import InputError
from tacit.operators.rows.disk import open_rows
from tacit.operators.rows.disk_writer import write_rows
from tacit.relations.labels.coded import CodedSets
from tacit.tasks.build.label_matching import LabelMatching
from tacit.tasks.build.partitions.places import BuildPlaces, making
from tacit.tasks.build.stages.reading import ReadCollection, read_collection
from tacit.tasks.stage_progress import StageReporter
from tacit.text.analysis import stop_words_of
from tacit.text.counting import CountedTexts, TermCount, choose_terms, first_places, merge_counts
from tacit.text.words import Words

__all__ = ["SHARD", "check_ids", "choose_words", "join_counts", "join_known", "read_part", "stored_words", "weigh_part"]

SHARD = 2**23  # bytes of rows on disk that are read at a time
_COUNTING = 0.2  # of the limit of memory, for counts of texts, and as much for the dictionary


def read_part(places: BuildPlaces, number: int, reading: Reading, memory: int, say: StageReporter) -> dict[str, Any]:
    """Store the records of some files, count their words, and return what the client has to know about them."""
    target, settings = places.part(number), places.settings
    if not target.exists():
        with making(target) as folder:
            folder.mkdir()
            matching, hashes = LabelMatching(places.taxonomy), list[bytes]()
            limit: Any = {"memory_limit": int(_COUNTING * memory), "folder": folder}
            with CountedTexts(settings.text, **limit) as counted:
                records = (
                    _hashed(matching.records(reading), hashes) if reading.columns.id else matching.records(reading)
                )
                read = read_collection(folder / "records.sqlite", records, counted, say, may_be_empty=True)
                _write_counts(folder / "counts.tsv", counted.terms())
                counted.save(folder)
            read.save(folder)
            np.save(folder / "ids.npy", np.sort(np.frombuffer(b"".join(hashes), "<u8")))
            problems = reading.problems
            facts = {
                "records": read.n_records,
                "labelled": int(np.count_nonzero(read.labels.n_names)),
                "words": read.n_words,
                "read": reading.n_read,
                "columns": list(reading.columns_there),
                "problems": dict(problems.counts),
                "examples": [[each.kind, each.file, each.line, each.sentence] for each in problems.examples],
                "matching": matching.to_facts(),
            }
            (folder / "facts.json").write_text(json.dumps(facts), encoding="utf-8")
    return dict(json.loads((target / "facts.json").read_text(encoding="utf-8")))


def as_read(reading: Reading, facts: dict[str, Any]) -> Reading:
    """Return the part of a reading with what another process has found in it."""
    reading.n_read, reading.columns_there = facts["read"], tuple(facts["columns"])
    reading.problems.counts = Counter(facts["problems"])
    reading.problems.examples = [Problem(*example) for example in facts["examples"]]
    return reading


def _hashed(records: Iterable[Record], hashes: list[bytes]) -> Iterator[Record]:
    for record in records:
        hashes.append(hashlib.blake2b(record.id.encode("utf-8", "surrogatepass"), digest_size=8).digest())
        yield record


def check_ids(places: BuildPlaces, parts: Sequence[int]) -> None:
    """Raise if a record in one part has the id of a record in another one."""
    hashes = np.sort(np.concatenate([np.load(places.part(number) / "ids.npy") for number in parts]))
    twice = np.unique(hashes[1:][hashes[1:] == hashes[:-1]])
    if not len(twice):
        return
    seen: dict[str, int] = {}
    for number in parts:
        for key in _ids(places.part(number) / "records.sqlite", twice):
            if key in seen:
                raise InputError(
                    f"records has an id twice: got {key!r} in two parts of the files, expected a different id for each "
                    "record. Within a part, repeated ids are left out; remove those of different parts, or leave out "
                    "the column of ids."
                )
            seen[key] = number


def _ids(path: Path, hashes: np.ndarray) -> Iterator[str]:
    from tacit.index.records.schema import connect

    wanted = set(hashes.tolist())
    with contextlib.closing(connect(path, writable=False)) as connection:
        for (key,) in connection.execute("SELECT key FROM records"):
            digest = hashlib.blake2b(key.encode("utf-8", "surrogatepass"), digest_size=8).digest()
            if int.from_bytes(digest, "little") in wanted:
                yield key


def join_counts(sources: Sequence[Path], target: Path) -> Path:
    """Add up the counts of words in several files."""
    if not target.exists():
        with making(target) as path, contextlib.ExitStack() as files:
            runs = [_read_counts(files.enter_context(source.open(encoding="utf-8"))) for source in sources]
            _write_counts(path, merge_counts(runs))
    return target


def _read_counts(lines: Iterable[str]) -> Iterator[TermCount]:
    for line in lines:
        term, in_records, in_all = line.split("\t")
        yield term, int(in_records), int(in_all)


def _write_counts(path: Path, counted: Iterable[TermCount]) -> None:
    # terms consist of letters, and of spaces in phrases: they contain neither tabs nor ends of lines
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(f"{term}\t{in_records}\t{in_all}\n" for term, in_records, in_all in counted)


def choose_words(places: BuildPlaces, parts: Sequence[int], counts: Path, n_records: int) -> int:
    """Choose the words that count, as one process does, and return their number."""
    settings = places.settings.text
    if not (places.whole / "words.json").exists():
        with counts.open(encoding="utf-8") as file:
            terms, in_records = choose_terms(_read_counts(file), n_records, settings)
        words = Words.from_counts(settings, stop_words_of(settings), terms, in_records, n_records)
        order = first_places(words, map(places.part, parts))
        for name, numbers in (("term_weights", words.weights), ("term_order", order)):
            with making(places.whole / f"{name}.npy") as path, path.open("wb") as array:
                np.save(array, numbers)
        with making(places.whole / "words.json") as path:
            path.write_text(json.dumps(words.to_facts()), encoding="utf-8")
    return len(stored_words(places).terms)


def stored_words(places: BuildPlaces) -> Words:
    """Return the words that were chosen."""
    facts = json.loads((places.whole / "words.json").read_text(encoding="utf-8"))
    return Words.from_facts(facts, np.load(places.whole / "term_weights.npy", allow_pickle=False))


def weigh_part(places: BuildPlaces, number: int) -> int:
    """Turn the counts of a part into rows of words on disk, and return the number of their entries."""
    folder = places.part(number)
    if not (folder / "rows").exists():
        with making(folder / "rows") as path, CountedTexts.open(folder, places.settings.text) as counted:
            words = stored_words(places)
            counted.use(words, np.load(places.whole / "term_order.npy"))
            write_rows(path, counted.rows(), n_columns=len(words.terms), bytes_per_shard=SHARD, memory_limit=2 * SHARD)
    return int(open_rows(folder / "rows").nnz)


def join_known(places: BuildPlaces, parts: Sequence[int]) -> None:
    """Join what is known about the records of all parts, in the order of the parts."""
    if "known" in (stages := places.stages()):
        return
    labels, links, n_before = _Joined(), dict[str, _Joined](), 0
    whole = ReadCollection(places.whole)
    for number in parts:
        part = ReadCollection.open(places.part(number) / "records.sqlite", places.part(number))
        labels.add(part.labels)
        for name in part.links:
            if name not in links:
                links[name] = _Joined(n_before)
        for name, joined in links.items():
            joined.add(part.links.get(name) or CodedSets([()] * part.n_records))
        for label, titles in part.named.items():
            whole.named.setdefault(label, Counter()).update(titles)
        whole.n_words += part.n_words
        whole.n_titles += part.n_titles
        n_before += part.n_records
    whole.labels, whole.links = labels.sets(), {name: joined.sets() for name, joined in links.items()}
    whole.save(places.whole)
    stages.finish("known", {})


class _Joined:
    """Sets of names of one part after the other, with the names in the order in which they first come."""

    def __init__(self, n_empty: int = 0) -> None:
        self._places: dict[str, int] = {}
        self._codes, self._lengths = list[np.ndarray](), [np.zeros(n_empty, np.int64)]

    def add(self, sets: CodedSets) -> None:
        codes = np.array([self._places.setdefault(name, len(self._places)) for name in sets.names], np.int32)
        self._codes.append(codes[np.asarray(sets.codes)] if len(codes) else np.empty(0, np.int32))
        self._lengths.append(np.diff(np.asarray(sets.ends)))

    def sets(self) -> CodedSets:
        ends = np.append(0, np.cumsum(np.concatenate(self._lengths)))
        return CodedSets.of_arrays(list(self._places), np.concatenate(self._codes), ends)
