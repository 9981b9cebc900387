"""Opens the folder of an index, for reading without a lock or for changes to its records."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from tacit import __version__
from tacit.checks import check_choice
from tacit.errors import InputError
from tacit.files import check_plain_folder, open_plain
from tacit.index.folder.arrays import REMEDY, map_array, unreadable
from tacit.index.folder.checksums import (
    check_records,
    complaint_about,
    remember_checked,
    seal_records,
    was_checked,
)
from tacit.index.folder.forms import check_facts, check_settings
from tacit.index.folder.generations import (
    MANIFEST,
    RECORDS,
    current_generation,
    current_name,
    current_or_none,
    sweep_unnamed,
)
from tacit.index.folder.lock import HeldLock, hold_lock
from tacit.index.folder.manifest import INDEX, FolderKind, Manifest
from tacit.index.folder.unsealed import check_nothing_lost, check_unsealed, note_of
from tacit.index.nearest.precision import ReducedRows
from tacit.index.records.store import RecordStore
from tacit.index.strict_json import from_json

__all__ = [
    "Generation",
    "as_folder",
    "change_generation",
    "check_shapes",
    "open_generation",
    "read_checked",
    "read_manifest",
    "sweep",
]

_FORM = f"form as of {__version__}"
_TRIES = 5  # a refit may replace the generation while it is being opened


class Generation:
    """An open generation of an index: its manifest, arrays, facts and records.

    Made by `open_generation` and `change_generation`. It stays readable until it is closed, even after a refit has
    replaced it; `is_current` tells.

    Attributes
    ----------
    folder : Path
        Folder of the generation.
    manifest : Manifest
        Its contents.
    arrays : dict of str to ndarray
        All arrays by name, memory-mapped read-only.
    store : RecordStore
        Its records.
    """

    def __init__(self, folder: Path, *, lock: HeldLock | None = None, writable: bool = False) -> None:
        self.folder = folder
        self.manifest = read_manifest(folder)
        check_settings(self.manifest.settings, folder / MANIFEST)
        for above in {(folder / name).parent for name in self.manifest.files}:
            check_plain_folder(above)
        for name, expected in self.manifest.files.items():
            later = name.startswith("facts/")  # compared with their checksums when they are read
            if complaint := complaint_about(folder / name, expected, content=not later):
                raise InputError(complaint)
        names = {name: Path(name).stem for name in self.manifest.files if name.startswith("arrays/")}
        used = {name: stem for name, stem in names.items() if self._uses(stem)}
        self.arrays: dict[str, np.ndarray] = {stem: map_array(folder / name) for name, stem in used.items()}
        if "position_scales" in self.arrays:
            rows: Any = ReducedRows(self.arrays["positions"], self.arrays["position_scales"])
            self.arrays["positions"] = rows
        self._open_records(lock, writable=writable)

    def _uses(self, array: str) -> bool:
        """Whether an array is to be mapped: a mapped file stays open."""
        return True

    def _open_records(self, lock: HeldLock | None, *, writable: bool) -> None:
        folder = self.folder
        noted = None if lock is None else lambda changes: lock.leave(note_of(folder, changes))
        self.store = RecordStore(folder / RECORDS, writable=writable, on_change=noted)
        try:
            check_nothing_lost(folder, self.store)
            is_sealed = check_records(folder, lambda: self.store.changes)
            base, promised = self.store.counts().base, self.manifest.counts.get("records")
            rows = len(self.arrays["positions"]) if "positions" in self.arrays else base
            if not base == promised == rows:
                raise InputError(
                    f"{self.folder} is inconsistent: got {base} records, {rows} positions and {promised} in the "
                    f"manifest, expected the same number. {REMEDY}"
                )
            if not is_sealed:
                check_unsealed(folder, self.manifest, self.store, is_writer=lock is not None)
        except BaseException:
            self.close()
            raise

    def array(self, name: str) -> np.ndarray:
        """Return an array by its name."""
        return self.arrays[check_choice("name", name, self.arrays)]

    def facts(self, name: str) -> Any:
        """Return facts by their name."""
        names = {Path(file).stem: file for file in self.manifest.files if file.startswith("facts/")}
        file = names[check_choice("name", name, names)]
        path, content = self.folder / file, read_checked(self.folder, self.manifest, file)
        facts = from_json(content, str(path))
        if not was_checked(path, _FORM):  # large ones take some milliseconds
            check_facts(name, facts, path)
            remember_checked(path, _FORM)
        return facts

    def path(self, name: str) -> Path:
        """Return the path of a file of the generation by its name in the manifest."""
        return self.folder / check_choice("name", name, self.manifest.files)

    @property
    def folders(self) -> list[Path]:
        """All folders whose files it reads."""
        return [self.folder]

    def is_current(self) -> bool:
        """Whether it is still the current generation."""
        return current_name(self.folder.parent) == self.folder.name

    def close(self) -> None:
        """Close the records; arrays stay mapped as long as they are referenced."""
        self.store.close()

    def __enter__(self) -> Generation:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def open_generation(path: str | Path, opened: Callable[[Path], Generation] | None = None) -> Generation:
    """Open the index in a folder for reading; `opened` opens a generation, by default one with a store of records.

    Nothing is locked. Files are compared with their checksums, unless they were compared before and have not changed
    since; `verify` reads them again in any case.

    Raises
    ------
    InputError
        If there is no index, or it is incomplete.
    """
    folder = as_folder(path)
    for _ in range(_TRIES):
        before = current_or_none(folder)
        try:
            return (opened or Generation)(current_generation(folder))
        except (InputError, OSError):
            # a writer may have replaced and deleted the generation meanwhile
            if current_or_none(folder) == before:
                raise
    raise InputError(
        f"{folder} changes too fast to be opened: got {_TRIES} refits meanwhile, expected none. Try again."
    )


@contextlib.contextmanager
def change_generation(path: str | Path, *, wait: float = 0.0) -> Iterator[Generation]:
    """Open the index in a folder for changes to its records, and hold its lock during the `with` block.

    Without the lock, a record that is added to a generation which a refit replaces would be lost.

    Parameters
    ----------
    path : str or Path
        Folder of the index.
    wait : float, default 0.0
        Seconds to wait for another writer.
    """
    folder = as_folder(path)
    current_generation(folder)  # raises before a lock is created
    with hold_lock(folder, wait=wait) as lock:
        sweep_unnamed(folder)
        with Generation(current_generation(folder), lock=lock, writable=True) as generation:
            yield generation
            if seal_records(generation.folder, generation.store):
                lock.leave("")


def sweep(path: str | Path, *, wait: float = 0.0) -> list[str]:
    """Delete unfinished and old generations, and return their names.

    Every writer does so when it starts; this frees the space at once. On Windows, files that readers have open stay
    until the next time.
    """
    folder = as_folder(path)
    current_generation(folder)
    with hold_lock(folder, wait=wait):
        return sweep_unnamed(folder)


def as_folder(path: str | Path, argument: str = "path", expected: str = "the folder of an index") -> Path:
    """Return an absolute path, since the working directory may change while an index is open."""
    if not isinstance(path, (str, Path)) or not str(path):
        raise InputError(f"{argument} is not a path: got {path!r}, expected {expected}.")
    return Path(path).expanduser().absolute()


def read_manifest(folder: Path, kind: FolderKind = INDEX) -> Manifest:
    """Read and check the manifest of a generation or of a saved model."""
    return Manifest.from_json(_read(folder / MANIFEST, kind), str(folder / MANIFEST), kind)


def read_checked(folder: Path, manifest: Manifest, name: str, kind: FolderKind = INDEX) -> bytes:
    """Read a whole file that the manifest names, if it has not changed."""
    path = folder / name
    content = _read(path, kind)
    if hashlib.sha256(content).hexdigest() != manifest.files[name].sha256:
        raise InputError(
            f"{path} was changed: got content that does not match its checksum, expected it unchanged. {kind.remedy}"
        )
    return content


def _read(path: Path, kind: FolderKind) -> bytes:
    try:
        with open_plain(path) as file:
            return file.read()
    except FileNotFoundError as error:
        raise InputError(f"{path} is missing: got no such file, expected one. {kind.remedy}") from error
    except OSError as error:
        raise unreadable(path, error) from error


# shapes of the arrays, by the counts in the manifest
_EXPECTED = {
    "positions": ("records", "dimensions"),
    "position_scales": ("records",),
    "lengths": ("records",),
    "map_points": ("records", "plane"),
    "map_plain": ("records", "plane"),
    "terms": ("terms", "dimensions"),
    "offset": ("dimensions",),
    "term_weights": ("terms",),
    "vector_mean": ("numbers",),
    "vector_alone": ("numbers", "dimensions"),
    "known_scales": ("dimensions",),
    "known_map": ("dimensions", "dimensions"),
    "label_positions": ("labels", "dimensions"),
    "head_coef": ("labels", "dimensions"),
    "head_words": ("terms", "labels"),
    **{f"head_{name}": ("labels",) for name in ("intercept", "thresholds", "slopes", "offsets")},
}


def check_shapes(generation: Generation) -> None:
    """Compare the shapes and types of the arrays with the manifest."""
    counts = {**generation.manifest.counts, "plane": 2}
    for name, sides in _EXPECTED.items():
        array = generation.arrays.get(name)
        if array is None or not all(side in counts for side in sides):
            continue
        shape = tuple(counts[side] for side in sides)
        kind = np.dtype(np.int16 if "plane" in sides else np.float32)
        if array.shape != shape or (array.dtype != kind if "plane" in sides else array.dtype.kind != "f"):
            raise InputError(
                f"{generation.folder / 'arrays' / name}.npy does not fit the index: got shape {array.shape} of "
                f"{array.dtype}, expected {shape} of {kind}. {REMEDY}"
            )
