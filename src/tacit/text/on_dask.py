"""Texts on a Dask cluster: the workers read, count and weight them, and hold the rows that come out.

The workers read each part of the texts twice, once to count its words and once to weight them, so that no text stays in
memory. Only counts, ids and labels come to the client. The words are those that `Words.fit` learns from all the texts
together, however they are divided into parts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from tacit.corpus.columns import ColumnMap
from tacit.corpus.reading import read_records
from tacit.corpus.record import Record
from tacit.corpus.sources import find_sources
from tacit.errors import InputError
from tacit.text.analysis import Analyser, stop_words_of
from tacit.text.counting import TermCount, choose_terms, merge_counts
from tacit.text.settings import TextSettings
from tacit.text.words import Words

__all__ = ["count_part", "join_counts", "weight_texts", "words_of_counts"]

_COUNTS_PER_TASK = 8  # that one task joins


class WeightedTexts(NamedTuple):
    """Texts as futures of CSR blocks, one per part, which Dask can make again; ids are None for texts without one."""

    words: Words
    blocks: list[Any]
    ids: list[Any]
    labels: list[tuple[str, ...]]


class PartCounts(NamedTuple):
    """The number of texts in a part, and the counts of its terms, in ascending order of the terms."""

    n_records: int
    counted: list[TermCount]


def weight_texts(source: Any, client: Any, settings: TextSettings, columns: ColumnMap | None = None) -> WeightedTexts:
    """Turn texts into rows on the workers of a Dask client; see `tacit.cluster_texts` for `source` and `columns`."""
    import dask

    parts = _parts(source, columns)
    read = client.compute([dask.delayed(_count)(part, settings) for part in parts])
    counts = client.map(itemgetter(0), read, key="tacit-counts", pure=False)
    while len(counts) > 1:
        groups = [counts[start : start + _COUNTS_PER_TASK] for start in range(0, len(counts), _COUNTS_PER_TASK)]
        counts = client.map(join_counts, groups, pure=False)
    described = client.gather(client.map(itemgetter(1, 2), read, key="tacit-ids", pure=False))
    words = words_of_counts(counts[0].result(), settings)
    sent = client.submit(_itself, (words.to_facts(), words.weights), pure=False)
    blocks = list(client.compute([dask.delayed(_weight)(part, sent) for part in parts]))
    ids, labels = ([value for part in described for value in part[field]] for field in (0, 1))
    return WeightedTexts(words, blocks, ids, labels)


def _parts(source: Any, columns: ColumnMap | None) -> list[Any]:
    """Return the parts of the source as delayed objects."""
    import dask

    if hasattr(source, "__dask_graph__") and hasattr(source, "npartitions"):
        if columns is not None:
            raise InputError("columns does not apply: got a Dask bag, expected paths of files. Leave it out.")
        return list(source.to_delayed())
    if not isinstance(source, (str, Path, Iterable)):
        raise InputError(
            f"source holds no texts: got {type(source).__name__}, expected a Dask bag or paths of files or folders."
        )
    # all files are read with the columns of the first one: what single workers guess might differ
    settled = read_records(source, columns).columns
    paths = [path.path.absolute() for path in find_sources(source, None, "utf-8")]
    return [dask.delayed(_read)(path, settled) for path in paths]


def count_part(texts: Iterable[str], settings: TextSettings) -> PartCounts:
    """Count the terms of texts.

    Examples
    --------
    >>> count_part(["A cat, a mat, a cat."], TextSettings())
    PartCounts(n_records=1, counted=[('cat', 1, 2), ('mat', 1, 1)])
    """
    analyse = Analyser(settings, stop_words_of(settings))
    in_records: Counter[str] = Counter()
    in_all: Counter[str] = Counter()
    n_records = 0
    for text in texts:
        terms = analyse(text)
        in_all.update(terms)
        in_records.update(set(terms))
        n_records += 1
    return PartCounts(n_records, [(term, in_records[term], in_all[term]) for term in sorted(in_all)])


def join_counts(parts: Sequence[PartCounts]) -> PartCounts:
    """Join the counts of several parts; the order of the parts does not matter."""
    return PartCounts(sum(part.n_records for part in parts), list(merge_counts(part.counted for part in parts)))


def words_of_counts(counts: PartCounts, settings: TextSettings) -> Words:
    """Return the words that the settings keep, with the weights that `Words.fit` would learn."""
    terms, in_records = choose_terms(counts.counted, counts.n_records, settings)
    return Words.from_counts(settings, stop_words_of(settings), terms, in_records, counts.n_records)


def _read(path: Path, columns: ColumnMap) -> list[Record]:
    return list(read_records(path, columns))


def _count(part: Iterable[Any], settings: TextSettings) -> tuple[PartCounts, list[Any], list[tuple[str, ...]]]:
    fields = [_fields_of(item) for item in part]
    counts = count_part((text for text, _, _ in fields), settings)
    return counts, [name for _, name, _ in fields], [labels for _, _, labels in fields]


def _weight(part: Iterable[Any], facts: tuple[dict[str, Any], np.ndarray]) -> sp.csr_array:
    return Words.from_facts(*facts).transform(_fields_of(item)[0] for item in part)


def _fields_of(item: Any) -> tuple[str, Any, tuple[str, ...]]:
    """Return text, id and labels of one item of a part."""
    if isinstance(item, Record):
        return item.text, item.id, item.labels
    found = (item.get("text"), item.get("id"), item.get("labels") or ()) if isinstance(item, Mapping) else (item,)
    text, name, labels = (*found, None, ())[:3]
    if not isinstance(text, str) or isinstance(labels, str):
        raise InputError(
            f"source holds something other than texts: got {type(item).__name__}, expected texts, records, or mappings "
            "with 'text', and 'labels' in a list."
        )
    return text, name, tuple(labels)


def _itself(value: Any) -> Any:
    return value
