"""Counts the words of texts in one pass, and turns the same counts into weighted rows once the words are chosen.

The counts of each text are kept as codes, eight bytes for each of its different words, so that no text is split twice
and none stays in memory. Both the codes and the dictionary of words go to temporary files beyond their limits: the
dictionary is then written in alphabetical order and begun anew, and all such runs are merged at the end, as in a merge
sort. The words are those of `Words.fit`, and the rows too, bit for bit as long as the dictionary fits into its limit.
"""

from __future__ import annotations

import contextlib
import heapq
import shutil
import tempfile
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import IO, Any, NamedTuple, Self

import numpy as np
import scipy.sparse as sp

from tacit.text.analysis import Analyser, stop_words_of
from tacit.text.settings import TextSettings
from tacit.text.words import Words, no_words
from tacit.types import Array

__all__ = ["ROWS_PER_BLOCK", "CountedTexts", "TermCount", "choose_terms", "first_places", "merge_counts"]

ROWS_PER_BLOCK = 2_000
_TERM_BYTES = 220  # memory for a term in the dictionary, its position and its counts, without its letters
_MEMORY = 2**29

TermCount = tuple[str, int, int]
"""A term, the number of records that contain it, and its number of occurrences."""

_CodedTerm = tuple[str, int, int, int, int]  # a term, its counts, the run of the dictionary, and its code there


class _Block(NamedTuple):
    """The counts of some texts: codes and counts are arrays of numbers, or where these begin in the file."""

    run: int
    ends: Array
    codes: Array | None
    counts: Array | None


class CountedTexts:
    """The words of texts, counted as they are added; use it in a `with` block, which removes temporary files.

    Parameters
    ----------
    settings : TextSettings
    memory_limit : int, default 512 MiB
        Approximate bytes for the counts of the texts, and as many for the dictionary; the rest goes to files.
    folder : path, optional
        Where these files are; default the system's folder for temporary files.

    Examples
    --------
    >>> with CountedTexts() as counted:
    ...     for text in ["A cat sat on the mat.", "The mat_2 and the cat!"]:
    ...         counted.add(text)
    ...     words = counted.choose()
    ...     words.terms, [block.shape for block in counted.rows()]
    (['cat', 'mat'], [(2, 2)])
    """

    def __init__(
        self, settings: TextSettings | None = None, *, memory_limit: int = _MEMORY, folder: Path | None = None
    ) -> None:
        self.settings = settings or TextSettings()
        self.memory_limit, self.n_records, self.n_entries = memory_limit, 0, 0
        self._analyse = Analyser(self.settings, stop_words_of(self.settings))
        self._files, self._folder = contextlib.ExitStack(), folder
        self._runs: list[IO[str]] = []
        self._run_sizes: list[int] = []
        self._blocks: list[_Block] = []
        self._in_memory = 0
        self._spilled: IO[bytes] | None = None
        self._words: Words | None = None
        self._order: Array | None = None
        self._columns: list[Array] = []
        self._begin_run()
        self._begin_block()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._files.close()

    def add(self, text: str) -> None:
        """Count the words of one text."""
        counts = Counter(self._analyse(text))
        places = self._places
        self._codes.extend([places[term] for term in counts])  # a new term gets the next code
        self._counts.extend(counts.values())
        self._ends.append(len(self._codes))
        self.n_records += 1
        if len(self._ends) == ROWS_PER_BLOCK:
            self._end_block()

    def choose(self) -> Words:
        """Return the words that the settings keep, with their weights; no text can be added after it.

        Raises
        ------
        InputError
            If no word is left.
        """
        if self._words is not None:
            return self._words
        self._end_block()
        counted = _merged(self._coded_runs()) if self._runs else self._frequent_enough()
        terms, in_records = choose_terms(counted, self.n_records, self.settings)
        stop_words = tuple(self._analyse.stop_words)
        words = Words.from_counts(self.settings, stop_words, terms, in_records, self.n_records)
        self.use(words)
        return words

    def use(self, words: Words, order: Array | None = None) -> None:
        """Take words that were chosen elsewhere, from the counts of more texts than these.

        `order` is where each of them first comes among all of these texts, as `first_places` returns it. Rows are then
        the same as those of all texts together, to the last bit: sums over a row are rounded in this order.
        """
        self._run_sizes.append(len(self._places))
        columns = words.columns
        self._columns = [np.full(size, -1, np.int32) for size in self._run_sizes]
        for number, file in enumerate(self._runs):
            for term, _, _, _, code in _read_run(number, file):
                self._columns[number][code] = columns.get(term, -1)
        for term, code in self._places.items():
            self._columns[-1][code] = columns.get(term, -1)
        self._places.clear()
        self._words, self._order = words, order

    def terms(self) -> Iterator[TermCount]:
        """Yield the counts of all words, in ascending order of the words; no text can be added after it."""
        self._end_block()
        return _merged(self._coded_runs())

    def save(self, folder: Path) -> None:
        """Write everything that was counted, after `terms`, for `CountedTexts.open`; memory is freed."""
        if len(self._places):
            self._spill_run()
        for number, run in enumerate(self._runs):
            run.seek(0)
            with (folder / f"run-{number}.tsv").open("w", encoding="utf-8", newline="\n") as copy:
                shutil.copyfileobj(run, copy)
        if self._spilled is not None:
            self._spilled.seek(0)
        with (folder / "codes.bin").open("wb") as file:
            for block in self._blocks:  # those in memory come before those in the file
                for numbers in self._numbers_of(block):
                    file.write(np.ascontiguousarray(numbers).data)
        ends = [block.ends for block in self._blocks]
        np.savez(
            folder / "blocks.npz",
            runs=np.array([block.run for block in self._blocks], np.int64),
            lengths=np.array([len(each) for each in ends], np.int64),
            ends=np.concatenate(ends) if ends else np.empty(0, np.int64),
            run_sizes=np.array(self._run_sizes, np.int64),
            n_records=self.n_records,
        )
        self._blocks.clear()

    @classmethod
    def open(cls, folder: Path, settings: TextSettings) -> CountedTexts:
        """Open what `save` wrote, to `use` words and ask for `rows`; texts cannot be added."""
        found = cls(settings, folder=folder)
        with np.load(folder / "blocks.npz", allow_pickle=False) as kept:
            facts = {name: kept[name] for name in kept.files}
        found.n_records, found._run_sizes = int(facts["n_records"]), facts["run_sizes"].tolist()
        for number in range(len(found._run_sizes)):
            run = (folder / f"run-{number}.tsv").open(encoding="utf-8", newline="\n")
            found._runs.append(found._files.enter_context(run))
        found._spilled = found._files.enter_context((folder / "codes.bin").open("rb"))
        ends = np.split(facts["ends"], np.cumsum(facts["lengths"])[:-1]) if len(facts["lengths"]) else []
        found._blocks = [_Block(int(run), own, None, None) for run, own in zip(facts["runs"], ends, strict=True)]
        return found

    def rows(self) -> Iterator[sp.csr_array]:
        """Yield the texts as rows of unit length, in order, one block at a time; blocks in memory are used up."""
        words = self.choose()
        self._blocks.reverse()
        if self._spilled is not None:
            self._spilled.seek(0)
        while self._blocks:
            block = self._blocks.pop()
            codes, counts = self._numbers_of(block)
            yield _weighted(words, self._columns[block.run][codes], counts, block.ends, self._order)

    def matrix(self) -> sp.csr_array:
        """Return all texts as rows of one matrix."""
        width = len(self.choose().terms)
        blocks = list(self.rows())
        lengths = [np.zeros(1, np.int64), *(np.asarray(np.diff(block.indptr)) for block in blocks)]
        ends = np.cumsum(np.concatenate(lengths), dtype=np.int64)
        indptr = ends.astype(np.int32 if ends[-1] < 2**31 else np.int64)
        n_rows = sum(block.shape[0] for block in blocks)
        data = np.concatenate([block.data for block in blocks]) if blocks else np.empty(0, np.float32)
        indices = np.concatenate([block.indices for block in blocks]) if blocks else np.empty(0, np.int32)
        return sp.csr_array((data, indices, indptr), shape=(n_rows, width))

    def _begin_run(self) -> None:
        self._places: defaultdict[str, int] = defaultdict()
        self._places.default_factory = self._places.__len__
        self._in_records, self._in_all = np.zeros(0, np.int64), np.zeros(0, np.int64)

    def _begin_block(self) -> None:
        self._codes, self._counts, self._ends = array("i"), array("i"), array("q", [0])

    def _end_block(self) -> None:
        """Add the counts of the block to those of the run; write what is too large to files."""
        ends = np.array(self._ends, np.int64)
        codes, counts = _by_code(np.array(self._codes, np.int32), np.array(self._counts, np.int32), ends)
        size = len(self._places)
        for name, weights in (("_in_records", None), ("_in_all", counts)):
            total = np.bincount(codes, weights, minlength=size).astype(np.int64)
            before = getattr(self, name)
            total[: len(before)] += before
            setattr(self, name, total)
        block = _Block(len(self._runs), ends, codes, counts)
        self.n_entries += len(codes)
        self._in_memory += codes.nbytes + counts.nbytes
        if self._in_memory > self.memory_limit:
            block = self._spill(block)
        self._blocks.append(block)
        self._begin_block()
        if size * _TERM_BYTES > self.memory_limit:
            self._spill_run()

    def _spill(self, block: _Block) -> _Block:
        """Write the numbers of a block, and all that come, to a file."""
        if self._spilled is None:
            self._spilled = tempfile.TemporaryFile(dir=self._folder)  # noqa: SIM115 - open until the end of the `with` block
            self._files.enter_context(self._spilled)
        assert block.codes is not None
        assert block.counts is not None
        self._in_memory -= block.codes.nbytes + block.counts.nbytes
        for numbers in (block.codes, block.counts):
            self._spilled.write(numbers.data)
        return block._replace(codes=None, counts=None)

    def _numbers_of(self, block: _Block) -> tuple[Array, Array]:
        """Return codes and counts of a block; those in the file come in the order in which they were written."""
        if block.codes is not None and block.counts is not None:
            return block.codes, block.counts
        assert self._spilled is not None
        n = int(block.ends[-1])
        return np.fromfile(self._spilled, np.int32, n), np.fromfile(self._spilled, np.int32, n)

    def _spill_run(self) -> None:
        """Write the dictionary with its counts to a file, in alphabetical order."""
        # terms consist of letters, and of spaces in phrases: they contain neither tabs nor ends of lines
        options: Any = {"encoding": "utf-8", "newline": "\n", "dir": self._folder}
        file: IO[str] = tempfile.TemporaryFile("w+", **options)  # noqa: SIM115 - open until the end
        self._files.enter_context(file)
        file.writelines(f"{term}\t{some}\t{every}\t{code}\n" for term, some, every, _, code in self._sorted_run())
        self._runs.append(file)
        self._run_sizes.append(len(self._places))
        self._begin_run()

    def _sorted_run(self) -> Iterator[_CodedTerm]:
        number = len(self._runs)
        for term in sorted(self._places):
            code = self._places[term]
            yield term, int(self._in_records[code]), int(self._in_all[code]), number, code

    def _frequent_enough(self) -> list[TermCount]:
        """Return the counts of the words that may be kept, or of all if there is none, for the error to be right."""
        fewest = self.settings.min_records
        least = fewest if isinstance(fewest, int) else fewest * self.n_records
        enough = (self._in_records >= least).tolist()
        kept = [term for term, code in self._places.items() if enough[code]] or self._places
        return [
            (term, int(self._in_records[code]), int(self._in_all[code]))
            for term, code in sorted((term, self._places[term]) for term in kept)
        ]

    def _coded_runs(self) -> list[Iterator[_CodedTerm]]:
        return [*(_read_run(number, file) for number, file in enumerate(self._runs)), self._sorted_run()]


def _read_run(number: int, file: IO[str]) -> Iterator[_CodedTerm]:
    file.seek(0)
    for line in file:
        term, in_records, in_all, code = line.split("\t")
        yield term, int(in_records), int(in_all), number, int(code)


def _merged(runs: list[Iterator[_CodedTerm]]) -> Iterator[TermCount]:
    return merge_counts([((term, some, every) for term, some, every, _, _ in run) for run in runs])


def merge_counts(runs: Iterable[Iterable[TermCount]]) -> Iterator[TermCount]:
    """Add up the counts of several runs, each in ascending order of the terms."""
    for term, same in groupby(heapq.merge(*runs, key=itemgetter(0)), key=itemgetter(0)):
        _, in_records, in_all = zip(*same, strict=True)
        yield term, sum(in_records), sum(in_all)


def choose_terms(counted: Iterable[TermCount], n_records: int, settings: TextSettings) -> tuple[list[str], Array]:
    """Return the terms that the settings keep and the number of records of each, by scikit-learn's rules for ties."""
    fewest, most = (
        share if isinstance(share, int) else share * n_records for share in (settings.min_records, settings.max_share)
    )
    terms, in_records, in_all, any_term = list[str](), array("q"), array("q"), False
    for term, records, everywhere in counted:
        any_term = True
        if fewest <= records <= most:
            terms.append(term)
            in_records.append(records)
            in_all.append(everywhere)
    if not terms:
        raise no_words(
            f"no word is in enough records (at least {fewest:g}) and not in too many (at most {most:g} of {n_records})"
            if any_term
            else "no record contains a word"
        )
    counts = np.array(in_records)
    if settings.max_terms is not None and len(terms) > settings.max_terms:
        totals = np.array(in_all, dtype=np.float32)
        kept = np.sort((-totals).argsort()[: settings.max_terms])
        return [terms[term] for term in kept], counts[kept]
    return terms, counts


def first_places(words: Words, folders: Iterable[Path]) -> Array:
    """Return the order in which the words first come in texts whose counts `CountedTexts.save` wrote into folders."""
    columns, places, n_seen = words.columns, np.full(len(words.terms), -1, np.int32), 0
    for folder in folders:
        for number, path in enumerate(sorted(folder.glob("run-*.tsv"), key=lambda path: int(path.stem[4:]))):
            with path.open(encoding="utf-8", newline="\n") as file:
                known = ((columns.get(term, -1), code) for term, _, _, _, code in _read_run(number, file))
                found = np.array([(code, column) for column, code in known if column >= 0], np.int64).reshape(-1, 2)
            new = found[places[found[:, 1]] < 0]
            new = new[np.argsort(new[:, 0])]
            places[new[:, 1]] = n_seen + np.arange(len(new))
            n_seen += len(new)
    return places


def _weighted(words: Words, columns: Array, counts: Array, ends: Array, order: Array | None = None) -> sp.csr_array:
    """Return rows of unit length, by the operations of scikit-learn in single precision, in the same order."""
    from sklearn.preprocessing import normalize

    kept = columns >= 0
    indptr = np.append(0, np.cumsum(kept))[ends].astype(np.int32)
    data, chosen = counts[kept].astype(np.float32), columns[kept]
    if order is not None:
        ordered = sp.csr_array((data, order[chosen], indptr), shape=(len(ends) - 1, len(words.terms)))
        ordered.sort_indices()
        data, chosen = ordered.data, np.argsort(order).astype(np.int32)[ordered.indices]
    rows = sp.csr_array((data, chosen, indptr), shape=(len(ends) - 1, len(words.terms)))
    np.log(rows.data, rows.data)
    rows.data += np.float32(1)
    rows.data *= words.weights[rows.indices]
    return sp.csr_array(normalize(rows, copy=False))


def _by_code(codes: Array, counts: Array, ends: Array) -> tuple[Array, Array]:
    """Return the numbers of each text by ascending code: sums over a row are then rounded as scikit-learn's are."""
    rows = sp.csr_array((counts, codes, ends.astype(np.int32)), shape=(len(ends) - 1, int(codes.max(initial=0)) + 1))
    rows.sort_indices()
    return rows.indices, rows.data
