"""The words of texts that do not fit into memory: one pass counts them, a second turns texts into blocks of rows.

The counts are exact. When there are more terms than the memory limit allows, the counts so far are sorted and written
to a file, and at the end all such files are merged, as in a merge sort. The result is what `Words.fit` learns from the
same texts in memory.
"""

from __future__ import annotations

import contextlib
import tempfile
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import IO, Any

import scipy.sparse as sp

from tacit.checks import check_count
from tacit.corpus.record import Record
from tacit.errors import InputError
from tacit.text.analysis import Analyser, stop_words_of
from tacit.text.counting import ROWS_PER_BLOCK, TermCount, choose_terms, merge_counts
from tacit.text.settings import TextSettings
from tacit.text.words import Words

__all__ = ["Texts", "stream_rows", "stream_words"]

Texts = Iterable[str] | Iterable[Record] | Callable[[], Iterable[str]] | Callable[[], Iterable[Record]]
"""Texts or records that can be iterated over twice, or a function that opens them again."""

_TERM_BYTES = 220  # memory for a term in the dictionary, its position and its counts, without its letters
_MOST_RUNS = 64


def stream_words(texts: Texts, settings: TextSettings | None = None, *, memory_limit: int = 2**29) -> Words:
    """Learn the terms of texts in one pass, as `Words.fit` does.

    Parameters
    ----------
    texts : texts, records (as from `read_records`), or a function that returns either
    settings : TextSettings, optional
    memory_limit : int, default 512 MiB
        Approximate memory for the counts; the rest goes to a temporary file. The terms that the settings keep are in
        memory at the end in any case.

    Raises
    ------
    InputError
        If no term is left, or the texts can be iterated over only once.

    Examples
    --------
    >>> texts = ["A cat sat on the mat.", "The mat_2 and the cat!"]
    >>> words = stream_words(texts)
    >>> words.terms, [block.shape for block in stream_rows(words, texts)]
    (['cat', 'mat'], [(2, 2)])
    """
    settings = settings or TextSettings()
    analyse = Analyser(settings, stop_words_of(settings))
    with _Counts(check_count("memory_limit", memory_limit)) as counts:
        for text in _opened(texts):
            counts.add(analyse(text))
        terms, in_records = choose_terms(counts.merged(), counts.n_records, settings)
    return Words.from_counts(settings, tuple(analyse.stop_words), terms, in_records, counts.n_records)


def stream_rows(words: Words, texts: Texts, *, rows_per_block: int = ROWS_PER_BLOCK) -> Iterator[sp.csr_array]:
    """Yield texts as rows of unit length, one block at a time, as `write_rows` takes them.

    Parameters
    ----------
    words : Words
    texts : as for `stream_words`
    rows_per_block : int, default 2,000
    """
    check_count("rows_per_block", rows_per_block)
    opened = iter(_opened(texts))
    while some := list(islice(opened, rows_per_block)):
        yield words.transform(some)


def _opened(texts: Any) -> Iterator[str]:
    """Iterate over the texts from the start."""
    if isinstance(texts, (str, bytes)):
        raise InputError(f"texts is a single text: got {texts[:40]!r}, expected several. Write [text] for one.")
    items = texts() if callable(texts) else texts
    if not callable(texts) and iter(items) is items:
        raise InputError(
            f"texts can be iterated over only once: got {type(texts).__name__}, expected a list, the result of "
            "read_records, or a function that opens them again."
        )
    for number, item in enumerate(items):
        text = item.text if isinstance(item, Record) else item
        if not isinstance(text, str):
            raise InputError(
                f"texts[{number}] is not a text: got {type(text).__name__}, expected a string or a Record."
            )
        yield text


class _Counts:
    """Counts of terms, in memory up to a limit and in sorted files beyond it."""

    def __init__(self, memory_limit: int) -> None:
        self.memory_limit, self.n_records = memory_limit, 0
        self.files = contextlib.ExitStack()
        self.runs: list[IO[str]] = []
        self._begin()

    def __enter__(self) -> _Counts:
        return self

    def __exit__(self, *_: object) -> None:
        self.files.close()

    def _begin(self) -> None:
        self.places: dict[str, int] = {}
        self.in_records, self.in_all, self.n_letters = array("q"), array("q"), 0

    def add(self, terms: list[str]) -> None:
        """Count the terms of one record."""
        self.n_records += 1
        for term, count in Counter(terms).items():
            place = self.places.setdefault(term, len(self.places))
            if place == len(self.in_records):
                self.in_records.append(1)
                self.in_all.append(count)
                self.n_letters += len(term)
            else:
                self.in_records[place] += 1
                self.in_all[place] += count
        if len(self.places) * _TERM_BYTES + self.n_letters > self.memory_limit:
            self._spill()

    def merged(self) -> Iterator[TermCount]:
        """Return all counts, by term in ascending order."""
        return merge_counts([*map(_read_run, self.runs), self._sorted()])

    def _sorted(self) -> Iterator[TermCount]:
        for term in sorted(self.places):
            place = self.places[term]
            yield term, self.in_records[place], self.in_all[place]

    def _spill(self) -> None:
        """Write the counts so far to a file; files are merged at times, as the system limits how many are open."""
        full = len(self.runs) + 1 >= _MOST_RUNS
        # terms consist of letters, and of spaces in phrases: they contain neither tabs nor ends of lines
        file = tempfile.TemporaryFile("w+", encoding="utf-8", newline="\n")  # noqa: SIM115 - open until the merge
        kept = self.files.pop_all() if full else contextlib.ExitStack()
        self.files.enter_context(file)
        with kept:
            counted = self.merged() if full else self._sorted()
            file.writelines(f"{term}\t{in_records}\t{in_all}\n" for term, in_records, in_all in counted)
        self.runs = [file] if full else [*self.runs, file]
        self._begin()


def _read_run(file: IO[str]) -> Iterator[TermCount]:
    file.seek(0)
    for line in file:
        term, in_records, in_all = line.split("\t")
        yield term, int(in_records), int(in_all)
