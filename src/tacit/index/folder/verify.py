"""Checks a whole index, and lists what is wrong with it.

Opening compares files with their checksums, unless it did so before. This reads every byte again, and looks inside:
SQLite's own integrity check, the fingerprint of every record, the full text and the values to filter by against the
records, and the graph of neighbours against the positions.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tacit.errors import InputError
from tacit.files import open_plain
from tacit.index.folder.arrays import REMEDY, map_array, unreadable
from tacit.index.folder.checksums import SEAL, complaint_about
from tacit.index.folder.forms import check_facts, check_settings
from tacit.index.folder.generations import MANIFEST, RECORDS, current_generation
from tacit.index.folder.manifest import Manifest
from tacit.index.folder.opening import as_folder, read_manifest
from tacit.index.folder.records_check import records_complaints
from tacit.index.nearest.approximate import GRAPH
from tacit.index.nearest.graph_file import graph_complaint, vectors_complaint
from tacit.index.nearest.precision import ReducedRows
from tacit.index.strict_json import from_json

__all__ = ["files_complaints", "verify"]


def verify(path: str | Path) -> list[str]:
    """Check everything about the index in a folder.

    Nothing is changed, and readers can go on; writers wait while the records are checked.

    Parameters
    ----------
    path : str or Path
        Folder of the index.

    Returns
    -------
    list of str
        A sentence for each fault; empty for a sound index.
    """
    try:
        folder = current_generation(as_folder(path))
        manifest = read_manifest(folder)
    except InputError as error:
        return [str(error)]
    found = files_complaints(folder, manifest)
    try:
        found += records_complaints(folder, manifest)
    except InputError as error:
        found.append(str(error))
    return found


def files_complaints(folder: Path, manifest: Manifest) -> list[str]:
    """Return a sentence for each fault of the files of a generation, apart from its records."""
    found = [complaint for name in manifest.files if (complaint := _file_complaint(folder, manifest, name))]
    try:
        check_settings(manifest.settings, folder / MANIFEST)
    except InputError as error:
        found.append(str(error))
    known = {MANIFEST, RECORDS, f"{RECORDS}-wal", f"{RECORDS}-shm", SEAL, f"{SEAL}.new", *manifest.files}
    names = [path.relative_to(folder).as_posix() for path in sorted(folder.rglob("*")) if not path.is_dir()]
    return found + [
        f"{folder / name} does not belong to the index: got a file that the manifest does not name, expected none. "
        "Move it out of the folder."
        for name in names
        if name not in known
    ]


def _file_complaint(folder: Path, manifest: Manifest, name: str) -> str | None:
    """Check size, checksum and format of one file."""
    path = folder / name
    try:
        if complaint := complaint_about(path, manifest.files[name], afresh=True):
            return complaint
        if name.startswith("arrays/"):
            map_array(path)
        if name.startswith("facts/"):
            with open_plain(path) as file:
                check_facts(path.stem, from_json(file.read(), str(path)), path)
        if name == GRAPH:
            return _graph_complaint(folder, path)
    except InputError as error:
        return str(error)
    except OSError as error:
        return str(unreadable(path, error))
    return None


def _graph_complaint(folder: Path, path: Path) -> str | None:
    """Compare a graph of neighbours with the positions: its checksum says only that nobody changed it since."""
    positions: Any = map_array(folder / "arrays" / "positions.npy")
    scales = folder / "arrays" / "position_scales.npy"
    if scales.exists() and positions.ndim == 2:
        positions = ReducedRows(positions, map_array(scales))
    if positions.ndim != 2:
        return None  # which is said elsewhere
    got = graph_complaint(path, *positions.shape) or vectors_complaint(path, positions)
    return got and f"{path} does not fit the positions: got {got}, expected a graph of them. {REMEDY}"
