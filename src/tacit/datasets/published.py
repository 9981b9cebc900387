"""Named data sets, read from a folder on this machine: Reuters-21578, arXiv, RCV1 and the Mulan text sets.

The folder holds one subfolder a set. It is the `data_dir` argument or, if that is not given, what the environment
variable TACIT_DATA says. Nothing is downloaded and nothing in the folder is changed.
"""

from __future__ import annotations

import gzip
import json
import os
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from tacit.checks import check_choice
from tacit.corpus.record import Record
from tacit.errors import InputError

__all__ = ["VectorSet", "load_arxiv", "load_mulan", "load_rcv1", "load_reuters21578"]


@dataclass(frozen=True, eq=False)
class VectorSet:
    """A data set that comes as vectors: records are rows, and no text is known.

    Attributes
    ----------
    X : CSR array of float32, n_records x n_features
    Y : CSR array of float32, n_records x n_labels, ones where a record has a label
    label_names, feature_names : tuple of str, one name a column
    split : array of str, "train" or "test" a record, as published
    """

    X: sp.csr_array
    Y: sp.csr_array
    label_names: tuple[str, ...]
    feature_names: tuple[str, ...]
    split: np.ndarray


def load_reuters21578(data_dir: str | Path | None = None) -> list[Record]:
    """Read Reuters-21578, Distribution 1.0: all 21,578 stories of the 1987 newswire.

    Parameters
    ----------
    data_dir : path, optional
        Folder with a subfolder `reuters21578`; the environment variable TACIT_DATA if not given.

    Returns
    -------
    list of Record
        `labels` are the topics; `text` is title and body; `fields` has `split` ("train", "test" or "unused" of the
        ModApte split), `lewissplit`, `places` and `date`.
    """
    return [
        Record(
            id=str(story["id"]),
            text=_joined(story["title"], story["body"]),
            labels=story["topics"],
            title=story["title"],
            fields={
                "split": story["split"],
                "lewissplit": story["lewissplit"],
                "places": story["places"],
                "date": story["date"],
            },
        )
        for story in _json_lines(_find(data_dir, "reuters21578", "reuters21578.jsonl.gz"))
    ]


def load_arxiv(data_dir: str | Path | None = None) -> list[Record]:
    """Read a sample of 40,799 arXiv papers with titles, abstracts and categories.

    Of the categories that are two names of one thing and always come together, one is kept: math-ph (not math.MP),
    cs.IT (not math.IT), stat.TH (not math.ST).

    Parameters
    ----------
    data_dir : path, optional
        Folder with a subfolder `arxiv`; the environment variable TACIT_DATA if not given.

    Returns
    -------
    list of Record
        `labels` are the categories; `text` is title and abstract; `fields` has `split` ("train" or "test"), `primary`
        (the first category, under the name that is kept) and `created`.
    """
    return [
        Record(
            id=paper["id"],
            text=_joined(paper["title"], paper["abstract"]),
            labels=tuple(_ARXIV_KEPT.get(category, category) for category in paper["categories"]),
            title=paper["title"],
            fields={
                "split": paper["split"],
                "primary": _ARXIV_KEPT.get(paper["primary"], paper["primary"]),
                "created": paper["created"],
            },
        )
        for paper in _json_lines(_find(data_dir, "arxiv", "arxiv_sample.jsonl.gz"))
    ]


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
        part of one and the test part of another: use this whenever you make a split of your own.
    """
    if subset is not None and subset not in range(1, 6):
        raise InputError(
            f"subset is out of range: got {subset!r}, expected a whole number from 1 to 5 or None for all."
        )
    arrays = _arrays(_find(data_dir, "rcv1", "rcv1_subsets.npz"))
    rows = np.arange(len(arrays["subset"]))
    if subset is not None:
        rows = rows[arrays["subset"] == subset]
    if drop_copies:
        rows = np.sort(rows[np.unique(arrays["first_copy"][rows], return_index=True)[1]])
    return _vector_set(arrays, labels="topics", features="terms", split=arrays["part"], rows=rows)


def load_mulan(name: str, data_dir: str | Path | None = None) -> VectorSet:
    """Read one of the Mulan multi-label text sets: "bibtex", "delicious", "enron" or "medical".

    Parameters
    ----------
    name : str
        Which set.
    data_dir : path, optional
        Folder with a subfolder `mulan`; the environment variable TACIT_DATA if not given.
    """
    check_choice("name", name, ("bibtex", "delicious", "enron", "medical"))
    arrays = _arrays(_find(data_dir, "mulan", f"{name}.npz"))
    rows = np.arange(len(arrays["split"]))
    return _vector_set(arrays, labels="label_names", features="feature_names", split=arrays["split"], rows=rows)


_ARXIV_KEPT = {"math.MP": "math-ph", "math.IT": "cs.IT", "math.ST": "stat.TH"}


def _find(data_dir: str | Path | None, folder: str, file: str) -> Path:
    """The path of a data file, or an error that says where it was looked for."""
    root = data_dir if data_dir is not None else os.environ.get("TACIT_DATA", "")
    if not str(root):
        raise InputError(
            "data_dir is not given: got None and no TACIT_DATA in the environment, "
            f"expected a folder with {folder}/{file}. Pass data_dir or set TACIT_DATA to the folder of your data sets."
        )
    path = Path(root).expanduser() / folder / file
    if not path.is_file():
        raise InputError(
            f"data_dir lacks a file: got {str(root)!r}, expected {folder}/{file} in it. "
            "Check the folder, put the file there, or fetch it: 'tacit datasets' says which can be."
        )
    return path


def _json_lines(path: Path) -> Iterator[dict[str, Any]]:
    """Read a gzipped file of JSON lines."""
    try:
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for line in lines:
                yield json.loads(line)
    except (OSError, EOFError, ValueError, zlib.error) as error:
        raise InputError(
            f"{path} is damaged: got {error}, expected gzipped JSON lines. Copy the file again."
        ) from error


def _arrays(path: Path) -> dict[str, np.ndarray]:
    """Read all arrays of a file; one that carries pickled objects is refused."""
    try:
        with np.load(path, allow_pickle=False) as arrays:
            return {name: arrays[name] for name in arrays.files}
    except (OSError, EOFError, ValueError, zipfile.BadZipFile, zlib.error) as error:
        raise InputError(f"{path} is damaged: got {error}, expected NumPy arrays. Copy the file again.") from error


def _vector_set(
    arrays: dict[str, np.ndarray], *, labels: str, features: str, split: np.ndarray, rows: np.ndarray
) -> VectorSet:
    """Put the arrays of a file together; the features of binary sets and all labels are ones."""
    ones = np.ones(len(arrays["Y_indices"]), dtype=np.float32)
    return VectorSet(
        X=_csr(arrays, "X", arrays["X_data"].astype(np.float32, copy=False))[rows],
        Y=_csr(arrays, "Y", ones)[rows],
        label_names=tuple(map(str, arrays[labels])),
        feature_names=tuple(map(str, arrays[features])),
        split=np.where(split[rows] == 0, "train", "test"),
    )


def _csr(arrays: dict[str, np.ndarray], name: str, data: np.ndarray) -> sp.csr_array:
    """One sparse matrix; the file keeps its column numbers in as few bytes as possible, SciPy wants 32 bits."""
    indices, indptr = (arrays[f"{name}_{part}"].astype(np.int32) for part in ("indices", "indptr"))
    n_rows, n_columns = arrays[f"{name}_shape"]
    matrix = sp.csr_array((data, indices, indptr), shape=(int(n_rows), int(n_columns)))
    matrix.sort_indices()
    return matrix


def _joined(title: str, body: str) -> str:
    """Title and body as one text, either of which may be empty."""
    return "\n".join(part for part in (title, body) if part)
