"""Turns published data sets of ratings and vectors into the files that our loaders read."""

from __future__ import annotations

import bz2
import gzip
import re
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import Any
from xml.etree import ElementTree

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from tacit.errors import InputError

__all__ = ["convert_movielens", "convert_mulan", "convert_rcv1"]


def convert_movielens(downloads: Path, made: Path) -> None:
    """Keep the archive as it is, and put the ratings with the published folds into one table."""
    archive = downloads / "ml-100k.zip"
    try:
        with zipfile.ZipFile(archive) as files:
            outside = [name for name in files.namelist() if name.startswith("/") or ".." in PurePosixPath(name).parts]
            if outside:
                raise InputError(
                    f"{archive.name} has a path that leads outside: got {outside[0]!r}, expected names below the "
                    "folder. Do not trust this file."
                )
            ratings = files.read("ml-100k/u.data").decode("ascii").splitlines()
            tests = {
                name: _pairs(files.read(f"ml-100k/{name}.test")) for name in ("u1", "u2", "u3", "u4", "u5", "ua", "ub")
            }
    except (OSError, KeyError, ValueError, zipfile.BadZipFile, zlib.error) as error:
        raise InputError(f"{archive.name} is damaged: got {error}, expected MovieLens 100K. Try again.") from error
    lines = ["user\titem\trating\ttimestamp\tfold\tua_test\tub_test"]
    for line in ratings:
        pair = tuple(line.split("\t")[:2])
        fold = next((number for number in range(1, 6) if pair in tests[f"u{number}"]), 0)
        lines.append(f"{line}\t{fold}\t{int(pair in tests['ua'])}\t{int(pair in tests['ub'])}")
    (made / "ratings.tsv.gz").write_bytes(gzip.compress("\n".join([*lines, ""]).encode("ascii"), mtime=0))
    (made / archive.name).write_bytes(archive.read_bytes())


def _pairs(content: bytes) -> set[tuple[str, ...]]:
    """User and item of each rating of a part."""
    return {tuple(line.split("\t")[:2]) for line in content.decode("ascii").splitlines()}


def convert_rcv1(downloads: Path, made: Path) -> None:
    """Put the five subsets below one another, with names for their topics and terms."""
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
    X = _rows_to_csr([row[1] for row in rows], [row[2] for row in rows], len(terms))
    Y = _rows_to_csr([row[0] for row in rows], [[1.0] * len(row[0]) for row in rows], len(topics))
    np.savez_compressed(
        made / "rcv1_subsets.npz",
        **_parts("X", X),
        **_parts("Y", Y),
        subset=np.array([subset for subset, _ in places], np.uint8),
        part=np.array([part for _, part in places], np.uint8),
        first_copy=_first_copies(X),
        topics=np.array(topics),
        terms=np.array(terms),
    )
    table = [("code", "parent_orig", "name"), *sorted(hierarchy)]
    (made / "topics.tsv").write_text("".join("\t".join(row) + "\n" for row in table), "utf-8")


def _hierarchy(text: str) -> list[tuple[str, str, str]]:
    """Read lines 'parent: ECAT child: E11 child-description: ECONOMIC PERFORMANCE'."""
    found = re.findall(r"parent:\s*(\S+)\s+child:\s*(\S+)\s+child-description:[ \t]*(.*)", text)
    topics = [(child, parent, name.strip()) for parent, child, name in found if child != "Root"]
    if len(topics) != 103:
        raise InputError(f"rcv1.topics.hier.orig is something else: got {len(topics)} topics, expected 103.")
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


def convert_mulan(downloads: Path, made: Path) -> None:
    """Read the training and the test file of a set, and the list of its labels."""
    (listed,) = downloads.glob("*.xml")
    name = listed.stem
    try:
        labels = [entry.attrib["name"] for entry in ElementTree.parse(listed).iter() if entry.tag.endswith("}label")]
    except (ElementTree.ParseError, KeyError) as error:
        raise InputError(f"{listed.name} is damaged: got {error}, expected a list of labels. Try again.") from error
    tables = [_arff(downloads / f"{name}-{part}.arff") for part in ("train", "test")]
    attributes, matrices = tables[0][0], [matrix for _, matrix in tables]
    if tables[1][0] != attributes or not set(labels) <= set(attributes):
        raise InputError(f"the files of {name} do not fit together: got other columns or labels, expected the same.")
    columns = {attribute: place for place, attribute in enumerate(attributes)}
    features = [attribute for attribute in attributes if attribute not in set(labels)]
    both = sp.csr_array(sp.vstack(matrices))
    X = sp.csr_array(both[:, [columns[feature] for feature in features]])
    Y = sp.csr_array(both[:, [columns[label] for label in labels]])
    np.savez_compressed(
        made / f"{name}.npz",
        **_parts("X", X),
        **_parts("Y", Y),
        feature_names=np.array(features),
        label_names=np.array(labels),
        split=np.repeat(np.array([0, 1], np.uint8), [matrix.shape[0] for matrix in matrices]),
    )


def _arff(path: Path) -> tuple[list[str], sp.csr_array]:
    """Read a table of numbers, dense lines or sparse ones in braces; of a category, its number counts."""
    attributes: list[str] = []
    columns: list[list[int]] = []
    values: list[list[float]] = []
    in_data = False
    try:
        with path.open(encoding="latin-1") as lines:
            for line in map(str.strip, lines):
                if not line or line.startswith("%"):
                    continue
                if in_data:
                    places, numbers = _arff_row(line)
                    columns.append(places)
                    values.append(numbers)
                elif line.lower().startswith("@attribute"):
                    attributes.append(_arff_name(line))
                elif line.lower().startswith("@data"):
                    in_data = True
        return attributes, _rows_to_csr(columns, values, len(attributes))
    except (ValueError, IndexError) as error:
        raise InputError(f"{path.name} is damaged: got {error}, expected an ARFF table. Try again.") from error


def _arff_name(line: str) -> str:
    found = re.match(r"@attribute\s+(?:'((?:\\.|[^'])*)'|\"((?:\\.|[^\"])*)\"|(\S+))", line, re.IGNORECASE)
    if found is None:
        raise ValueError(f"no name in {line!r}")
    quoted = found[1] if found[1] is not None else found[2]
    return found[3] if quoted is None else re.sub(r"\\(['\"])", r"\1", quoted)


def _arff_row(line: str) -> tuple[list[int], list[float]]:
    if line.startswith("{"):
        cells = [cell.split() for cell in line.strip("{} ").split(",") if cell.strip()]
        pairs = [(int(place), float(value)) for place, value in cells]
    else:
        pairs = list(enumerate(float(cell) for cell in line.split(",")))
    kept = [(place, value) for place, value in pairs if value]
    return [place for place, _ in kept], [value for _, value in kept]


def _rows_to_csr(columns: Sequence[list[int]], values: Sequence[list[float]], n_columns: int) -> sp.csr_array:
    ends = np.concatenate([[0], np.cumsum([len(row) for row in columns], dtype=np.int64)])
    indices = np.array([column for row in columns for column in row], np.int32)
    data = np.array([value for row in values for value in row], np.float32)
    if len(indices) and (indices.min() < 0 or indices.max() >= n_columns):
        raise InputError(f"a row has an unknown column: got {int(indices.max())}, expected 0 to {n_columns - 1}.")
    matrix = sp.csr_array((data, indices, ends), shape=(len(columns), n_columns))
    matrix.sort_indices()
    return matrix


def _parts(name: str, matrix: sp.csr_array) -> dict[str, Any]:
    """The arrays of a sparse matrix as the loaders want them; those of labels are ones and not kept."""
    arrays: dict[str, Any] = {
        f"{name}_indices": np.asarray(matrix.indices, np.int32),
        f"{name}_indptr": np.asarray(matrix.indptr, np.int32),
        f"{name}_shape": np.array(matrix.shape, np.int64),
    }
    return arrays if name == "Y" else {**arrays, f"{name}_data": np.asarray(matrix.data, np.float32)}


def _first_copies(X: sp.csr_array) -> npt.NDArray[np.int32]:
    """For each row the number of the first one that is equal to it."""
    first: dict[bytes, int] = {}
    found = np.empty(X.shape[0], np.int32)
    for row in range(X.shape[0]):
        part = slice(X.indptr[row], X.indptr[row + 1])
        found[row] = first.setdefault(X.indices[part].tobytes() + X.data[part].tobytes(), row)
    return found
