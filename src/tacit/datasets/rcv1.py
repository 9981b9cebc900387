"""Subsets of Reuters Corpus Volume 1: TF-IDF vectors and topics of 30,000 news stories, without their texts."""

from __future__ import annotations

import bz2
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from tacit.datasets.data_files import Home, RemoteFile, TaxonomyTable, find_file, parents_of, read_table, write_table
from tacit.datasets.vectors import VectorSet, csr_of_rows, csr_parts, read_arrays, vector_set
from tacit.errors import InputError

__all__ = ["HOME", "load_rcv1", "rcv1_taxonomy"]


def load_rcv1(data_dir: str | Path | None = None, *, subset: int | None = None, drop_copies: bool = False) -> VectorSet:
    """Read the RCV1-v2 subsets: TF-IDF vectors and topics of 30,000 news stories, without their text.

    Parameters
    ----------
    data_dir : path, optional
        Folder with a subfolder `rcv1`; the environment variable TACIT_DATA if not given.
    subset : 1 to 5, optional
        One of the five subsets of 3,000 training and 3,000 test stories; all of them, in order, if not given.
    drop_copies : bool, default False
        Keep the first of several stories with the same vector. The subsets overlap, so a story can be in the training
        part of one and the test part of another: use this if you make your own split.
    """
    if subset is not None and subset not in range(1, 6):
        raise InputError(
            f"subset is out of range: got {subset!r}, expected a whole number from 1 to 5 or None for all."
        )
    arrays = read_arrays(find_file(data_dir, "rcv1", "rcv1_subsets.npz"))
    rows = np.arange(len(arrays["subset"]))
    if subset is not None:
        rows = rows[arrays["subset"] == subset]
    if drop_copies:
        rows = np.sort(rows[np.unique(arrays["first_copy"][rows], return_index=True)[1]])
    return vector_set(arrays, labels="topics", features="terms", split=arrays["part"], rows=rows)


def rcv1_taxonomy(data_dir: str | Path | None) -> TaxonomyTable:
    """Read the topics of the original hierarchy; see `load_taxonomy`."""
    rows = read_table(find_file(data_dir, "rcv1", "topics.tsv"), ("code", "parent_orig", "name"))
    original = [row for row in rows if row[1]]  # the nodes invented for the expanded hierarchy have no such parent
    titles = {code: title for code, _, title in original if title}
    return TaxonomyTable({code: parents_of(parent) for code, parent, _ in original}, titles)


def _convert(downloads: Path, made: Path) -> None:
    """Write the five subsets as one matrix, with the names of their topics and terms."""
    hierarchy = _hierarchy((downloads / "rcv1.topics.hier.orig").read_text("latin-1"))
    topics = sorted(code for code, _, _ in hierarchy)[:101]  # the subsets lack the last two, M143 and MCAT
    terms = [""] * 47_236
    for line in (downloads / "stem.termid.idf.map.txt").read_text("latin-1").splitlines():
        stem, number, _ = line.rsplit(" ", 2)
        terms[int(number) - 1] = stem
    rows: list[tuple[list[int], list[int], list[float]]] = []
    places: list[tuple[int, int]] = []
    for subset in range(1, 6):
        for part, kind in enumerate(("train", "test")):
            found = list(_svm_rows(downloads / f"rcv1subset_topics_{kind}_{subset}.svm.bz2"))
            rows += found
            places += [(subset, part)] * len(found)
    X = csr_of_rows([row[1] for row in rows], [row[2] for row in rows], len(terms))
    Y = csr_of_rows([row[0] for row in rows], [[1.0] * len(row[0]) for row in rows], len(topics))
    np.savez_compressed(
        made / "rcv1_subsets.npz",
        **csr_parts("X", X),
        **csr_parts("Y", Y),
        subset=np.array([subset for subset, _ in places], np.uint8),
        part=np.array([part for _, part in places], np.uint8),
        first_copy=_first_copies(X),
        topics=np.array(topics),
        terms=np.array(terms),
    )
    write_table(made / "topics.tsv", ("code", "parent_orig", "name"), sorted(hierarchy))


def _hierarchy(text: str) -> list[tuple[str, str, str]]:
    """Read lines 'parent: ECAT child: E11 child-description: ECONOMIC PERFORMANCE'."""
    found = re.findall(r"parent:\s*(\S+)\s+child:\s*(\S+)\s+child-description:[ \t]*(.*)", text)
    topics = [(child, parent, name.strip()) for parent, child, name in found if child != "Root"]
    if len(topics) != 103:
        raise InputError(f"rcv1.topics.hier.orig has other content: got {len(topics)} topics, expected 103.")
    return topics


def _svm_rows(path: Path) -> Iterator[tuple[list[int], list[int], list[float]]]:
    """Read 'topic,topic term:weight term:weight'; terms count from 1. A line that starts with a space has no topic."""
    try:
        with bz2.open(path, "rt", encoding="ascii") as lines:
            for line in lines:
                labels, _, rest = line.rstrip("\n").partition(" ")
                cells = [cell.split(":") for cell in rest.split()]
                topics = [int(float(label)) for label in labels.split(",") if label]
                yield topics, [int(term) - 1 for term, _ in cells], [float(weight) for _, weight in cells]
    except (OSError, EOFError, ValueError) as error:
        raise InputError(f"{path.name} is damaged: got {error}, expected vectors. Try again.") from error


def _first_copies(X: sp.csr_array) -> np.ndarray:
    """Return for each row the number of the first row that is equal to it."""
    first: dict[bytes, int] = {}
    found = np.empty(X.shape[0], np.int32)
    for row in range(X.shape[0]):
        part = slice(X.indptr[row], X.indptr[row + 1])
        found[row] = first.setdefault(X.indices[part].tobytes() + X.data[part].tobytes(), row)
    return found


def _home() -> Home:
    libsvm = "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/multilabel"
    appendix = "https://www.jmlr.org/papers/volume5/lewis04a"
    files = [f"rcv1subset_topics_{part}_{number}.svm.bz2" for number in range(1, 6) for part in ("train", "test")]
    sources = [RemoteFile(f"{libsvm}/{file}", file) for file in files]
    sources += [
        RemoteFile(f"{appendix}/a02-orig-topics-hierarchy/rcv1.topics.hier.orig", "rcv1.topics.hier.orig"),
        RemoteFile(f"{appendix}/a14-term-dictionary/stem.termid.idf.map.txt", "stem.termid.idf.map.txt"),
    ]
    page = "https://www.jmlr.org/papers/v5/lewis04a.html"
    return Home(page, "rcv1", ("rcv1_subsets.npz", "topics.tsv"), tuple(sources), 15, _convert)


HOME = _home()
