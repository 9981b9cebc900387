"""The multi-label text collections of Mulan: bibtex, delicious, enron and medical, as vectors."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import scipy.sparse as sp

from tacit.checks import check_choice
from tacit.datasets.data_files import Home, RemoteFile, find_file
from tacit.datasets.vectors import VectorSet, csr_of_rows, csr_parts, read_arrays, vector_set
from tacit.errors import InputError

__all__ = ["HOMES", "load_mulan"]


def load_mulan(name: str, data_dir: str | Path | None = None) -> VectorSet:
    """Read one of the multi-label text collections of Mulan: "bibtex", "delicious", "enron" or "medical".

    Parameters
    ----------
    name : str
        Which collection.
    data_dir : path, optional
        Folder with a subfolder `mulan`; the environment variable TACIT_DATA if not given.
    """
    check_choice("name", name, tuple(HOMES))
    arrays = read_arrays(find_file(data_dir, "mulan", f"{name}.npz"))
    rows = np.arange(len(arrays["split"]))
    return vector_set(arrays, labels="label_names", features="feature_names", split=arrays["split"], rows=rows)


def _convert(downloads: Path, made: Path) -> None:
    """Write the training and the test file of a collection as one matrix, with the names of its labels."""
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
        **csr_parts("X", X),
        **csr_parts("Y", Y),
        feature_names=np.array(features),
        label_names=np.array(labels),
        split=np.repeat(np.array([0, 1], np.uint8), [matrix.shape[0] for matrix in matrices]),
    )


def _arff(path: Path) -> tuple[list[str], sp.csr_array]:
    """Read a table of numbers, dense lines or sparse ones in braces; categories are read as their numbers."""
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
        return attributes, csr_of_rows(columns, values, len(attributes))
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


def _home(name: str, megabytes: int) -> Home:
    commit = "43f6389095ad71984264db4387a8074b22bc7d4a"
    base = f"https://raw.githubusercontent.com/tsoumakas/mulan/{commit}/data/multi-label/{name}"
    files = (f"{name}.xml", f"{name}-train.arff", f"{name}-test.arff")
    sources = tuple(RemoteFile(f"{base}/{file}", file) for file in files)
    page = "https://mulan.sourceforge.net/datasets-mlc.html"
    return Home(page, "mulan", (f"{name}.npz",), sources, megabytes, _convert)


HOMES = {name: _home(name, size) for name, size in {"bibtex": 4, "delicious": 10, "enron": 1, "medical": 1}.items()}
