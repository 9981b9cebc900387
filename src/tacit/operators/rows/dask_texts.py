"""Texts that lie in many parts become rows on a cluster: read, counted and weighted where the rows will be.

Each part is read twice, once to count its words and once to weigh them, so that no text stays in memory. Only counts,
names and labels come to the client.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from tacit.corpus.columns import ColumnMap
from tacit.corpus.reading import read_records
from tacit.corpus.record import Record
from tacit.corpus.sources import find_sources
from tacit.errors import InputError
from tacit.operators.rows.dask import ClusterRows, hold_blocks
from tacit.operators.rows.dask_client import connect, libraries
from tacit.text.partitioned import PartCounts, count_part, join_counts, words_of_counts
from tacit.text.settings import TextSettings
from tacit.text.words import Words

__all__ = ["ClusterTexts", "cluster_texts"]

_TOGETHER = 8  # counts that one task joins


class ClusterTexts(NamedTuple):
    """Texts as rows on a cluster.

    Attributes
    ----------
    words : Words, the terms with their weights, which also turn a query into a vector
    rows : ClusterRows, TF-IDF rows of unit length, in float32
    ids : list of the records' names, None where the source gave texts only
    labels : list of the records' labels, as a model takes them for `y`
    """

    words: Words
    rows: ClusterRows
    ids: list[Any]
    labels: list[tuple[str, ...]]


def cluster_texts(
    source: Any, client: Any = None, *, settings: TextSettings | None = None, columns: ColumnMap | None = None
) -> ClusterTexts:
    """Read texts on a Dask cluster and turn them into rows there; one part of the source becomes one block of rows.

    Parameters
    ----------
    source : Dask bag of texts, of records, or of mappings with "text" and perhaps "id" and "labels"; or paths of files
        or folders as `read_records` takes them, which every worker can read: one part a file
    client : distributed.Client, address of a scheduler, or None for the client that is open
    settings : TextSettings or None — how texts are cut into words, and which words count
    columns : ColumnMap or None — for files: which columns are what

    Returns
    -------
    ClusterTexts : words, rows, ids and labels; the words and rows are those of `Words.fit` on all the texts

    Examples
    --------
    >>> texts = cluster_texts("shared/library/", "tcp://10.0.0.1:8786")  # doctest: +SKIP
    >>> MLSI(n_components=100).fit(texts.rows, texts.labels)  # doctest: +SKIP
    """
    settings = settings or TextSettings()
    cluster = connect(client)
    try:
        with cluster.talking() as talk, cluster.large_messages():
            parts = _parts(source, columns)
            counts, ids, labels = _looked(parts, settings, talk)
            words = words_of_counts(counts, settings)
            rows = hold_blocks(_weighed(parts, words, talk), cluster)
    except BaseException:
        cluster.close()
        raise
    return ClusterTexts(words, rows, ids, labels)


def _parts(source: Any, columns: ColumnMap | None) -> list[Any]:
    """Give delayed parts of the source."""
    dask, _ = libraries()
    if hasattr(source, "__dask_graph__") and hasattr(source, "npartitions"):
        if columns is not None:
            raise InputError("columns does not apply: got a Dask bag, expected paths of files. Leave it out.")
        return list(source.to_delayed())
    if not isinstance(source, (str, Path, Iterable)):
        raise InputError(
            f"source holds no texts: got {type(source).__name__}, expected a Dask bag or paths of files or folders."
        )
    # all files are read as the first one is: guesses of single workers might differ
    settled = read_records(source, columns).columns
    paths = [path.path.absolute() for path in find_sources(source, None, "utf-8")]
    return [dask.delayed(_read)(path, settled) for path in paths]


def _looked(parts: list[Any], settings: TextSettings, client: Any) -> tuple[PartCounts, list[Any], list[Any]]:
    """Count words in every part; give their sum, and the names and labels of the records."""
    dask, _ = libraries()
    looked = client.compute([dask.delayed(_look)(part, settings) for part in parts])
    counts = client.map(_counts_of, looked, pure=False)
    while len(counts) > 1:
        groups = [counts[start : start + _TOGETHER] for start in range(0, len(counts), _TOGETHER)]
        counts = client.map(join_counts, groups, pure=False)
    named = client.gather(client.map(_names_of, looked, pure=False))
    ids = [name for part in named for name in part[0]]
    return counts[0].result(), ids, [labels for part in named for labels in part[1]]


def _weighed(parts: list[Any], words: Words, client: Any) -> list[Any]:
    """Turn every part into a block of rows; gives futures, which know how to read the part again."""
    dask, _ = libraries()
    sent = client.submit(_itself, (words.to_facts(), words.weights), pure=False)
    return list(client.compute([dask.delayed(_weigh)(part, sent) for part in parts]))


def _read(path: Path, columns: ColumnMap) -> list[Record]:
    return list(read_records(path, columns))


def _look(part: Iterable[Any], settings: TextSettings) -> tuple[PartCounts, list[Any], list[tuple[str, ...]]]:
    known = [_known(item) for item in part]
    counts = count_part((text for text, _, _ in known), settings)
    return counts, [name for _, name, _ in known], [labels for _, _, labels in known]


def _weigh(part: Iterable[Any], facts: tuple[dict[str, Any], np.ndarray]) -> sp.csr_array:
    return Words.from_facts(*facts).transform(_known(item)[0] for item in part)


def _known(item: Any) -> tuple[str, Any, tuple[str, ...]]:
    """Text, name and labels of what a part holds."""
    if isinstance(item, Record):
        return item.text, item.id, item.labels
    found = (item.get("text"), item.get("id"), item.get("labels") or ()) if isinstance(item, Mapping) else (item,)
    text, name, labels = (*found, None, ())[:3]
    if not isinstance(text, str) or isinstance(labels, str):
        raise InputError(
            f"source holds what is no text: got {type(item).__name__}, expected texts, records, or mappings with "
            "'text', and 'labels' in a list."
        )
    return text, name, tuple(labels)


def _counts_of(looked: tuple[PartCounts, Any, Any]) -> PartCounts:
    return looked[0]


def _names_of(looked: tuple[Any, list[Any], list[Any]]) -> tuple[list[Any], list[Any]]:
    return looked[1:]


def _itself(value: Any) -> Any:
    return value
