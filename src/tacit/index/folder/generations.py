"""Names in the folder of an index: which generation is the current one, and what can be deleted.

    CURRENT, lock, generation-000001/{manifest.json, records.sqlite, arrays/*.npy, facts/*.json, ...}

While it is written, the name of a generation ends in `.unfinished`; beside it, a folder that ends in `.work` holds what
its build has to know to go on after a kill. A generation with its records in shards has `shards-000001` beside it; it
names that folder in `facts/shards.json`, and later generations may use the same. See
`docs/decisions/0009-the-index-folder.md` and `docs/decisions/0050-shards.md`.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

from tacit.errors import BusyError, InputError
from tacit.files import check_plain_folder, did_you_mean_file, open_plain, remove_tree, replace_text
from tacit.index.folder.arrays import REMEDY, unreadable
from tacit.index.folder.lock import LOCK_NAME, lock_holder

__all__ = [
    "MANIFEST",
    "RECORDS",
    "SHARDS",
    "STATE",
    "UNFINISHED",
    "WORK",
    "check_name",
    "current_generation",
    "current_name",
    "current_or_none",
    "is_ours",
    "next_name",
    "resumable_name",
    "set_current",
    "shards_beside",
    "shards_named",
    "sweep_unnamed",
]

CURRENT = "CURRENT"
MANIFEST = "manifest.json"
RECORDS = "records.sqlite"
UNFINISHED = ".unfinished"
WORK = ".work"
SHARDS = "facts/shards.json"  # of a generation whose records are in shards
STATE = "state.json"  # in the folder for the work: what the build has finished

_GENERATION = re.compile(r"generation-(\d{6,})")
_LEFTOVER = re.compile(r"generation-\d{6,}\.(unfinished|work)")
_SHARDS = re.compile(r"shards-(\d{6,})")
_NAME = re.compile(r"[A-Za-z0-9_-]+")


def current_generation(folder: Path) -> Path:
    """Return the folder of the current generation, or raise an `InputError` that says why there is none."""
    expected = "expected the folder of an index"
    if not folder.exists():
        meant = did_you_mean_file(folder, "Build one there first.")
        raise InputError(f"path does not exist: got {str(folder)!r}, {expected}.{meant}")
    if not folder.is_dir():
        raise InputError(f"path is a file: got {str(folder)!r}, {expected}. Build one from the file first.")
    if (folder / MANIFEST).exists() and _GENERATION.fullmatch(folder.name):
        raise InputError(f"path is one generation: got {str(folder)!r}, {expected}. Pass the folder above it.")
    name = current_name(folder)
    if name is None:
        if holder := lock_holder(folder):
            raise BusyError(
                f"{folder} is being built by {holder}: got no finished index yet, expected one. Try again when the "
                "build has finished."
            )
        raise InputError(_no_current(folder))
    generation = folder / name
    if not generation.is_dir():
        raise InputError(
            f"{folder} has lost its content: got {CURRENT} naming {name!r}, which does not exist, expected a "
            f"generation. {REMEDY}"
        )
    check_plain_folder(generation)
    return generation


def current_name(folder: Path) -> str | None:
    """Return the name in `CURRENT`, or None if there is no such file."""
    try:
        with open_plain(folder / CURRENT) as file:
            content = file.read(200)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise InputError(f"{folder / CURRENT} cannot be read: got {error.strerror!r}, expected a file.") from error
    name = content.decode("utf-8", "replace").strip()
    if not _GENERATION.fullmatch(name):
        raise InputError(
            f"{folder / CURRENT} is damaged: got {name[:40]!r}, expected the name of a generation. "
            f"{_offer(folder) or 'Restore it from a copy or build the index again.'}"
        )
    return name


def current_or_none(folder: Path) -> str | None:
    """Return the name in `CURRENT`, or None if it is missing or damaged."""
    try:
        return current_name(folder)
    except InputError:
        return None


def set_current(folder: Path, name: str) -> None:
    """Make a generation the current one, atomically; it is on the disk when this returns."""
    replace_text(folder / CURRENT, name + "\n")


def next_name(folder: Path) -> str:
    """Return the name after the last one used, finished or not, so that no name is used twice."""
    names = [entry.name for entry in folder.iterdir() if is_ours(entry.name)]
    numbers = [int(found[1]) for name in names if (found := _GENERATION.match(name) or _SHARDS.match(name))]
    return f"generation-{max(numbers, default=0) + 1:06d}"


def shards_beside(name: str) -> str:
    """Return the name of the folder for the shards that are built with a generation of this name."""
    return name.replace("generation", "shards")


def shards_named(generation: Path) -> str | None:
    """Return the name of the folder with the shards of a generation; None if its records are in no shards.

    Raises
    ------
    InputError
        If it has shards and does not say where.
    """
    path = generation / SHARDS
    try:
        with open_plain(path) as file:
            name = json.loads(file.read())["folder"]
    except FileNotFoundError:
        return None
    except OSError as error:
        raise unreadable(path, error) from error
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise InputError(f"{path} is damaged: got {str(error)[:60]!r}, expected a list of shards. {REMEDY}") from error
    if not isinstance(name, str) or not _SHARDS.fullmatch(name):
        raise InputError(f"{path} is damaged: got the folder {name!r}, expected a name such as 'shards-000001'.")
    return name


def _finished_generations(folder: Path) -> list[str]:
    """List the finished generations, oldest first."""
    names = [entry.name for entry in folder.iterdir() if _GENERATION.fullmatch(entry.name)]
    return sorted(names, key=lambda name: int(name.removeprefix("generation-")))


def resumable_name(folder: Path) -> str | None:
    """Return the name of the newest generation that was not finished and can be gone on with; None if there is none."""
    begun = [entry for entry in folder.iterdir() if entry.name.endswith(WORK) and (entry / STATE).is_file()]
    names = [entry.name.removesuffix(WORK) for entry in begun if not entry.is_symlink()]
    current = current_or_none(folder)
    there = [name for name in names if (folder / (name + UNFINISHED)).is_dir() or (folder / name).is_dir()]
    return max((name for name in there if name != current and _GENERATION.fullmatch(name)), default=None)


def sweep_unnamed(folder: Path, keeping: str | None = None) -> list[str]:
    """Delete unfinished and old generations, and return their names; the caller holds the lock.

    What belongs to the generation `keeping` stays.

    If `CURRENT` is lost or damaged, finished generations stay, so that the user can recover one of them.
    """
    current = current_or_none(folder)
    unnamed = [entry.name for entry in folder.iterdir() if _LEFTOVER.fullmatch(entry.name)]
    if current is not None and (folder / current).is_dir():
        unnamed += [name for name in _finished_generations(folder) if name != current]
        unnamed += _unused_shards(folder, current)
    kept = set() if keeping is None else {keeping, keeping + UNFINISHED, keeping + WORK, shards_beside(keeping)}
    unnamed = [name for name in unnamed if name not in kept]
    for name in unnamed:
        remove_tree(folder / name)
    (folder / f"{CURRENT}.new").unlink(missing_ok=True)
    return sorted(unnamed)


def _unused_shards(folder: Path, current: str) -> list[str]:
    """Return the folders of shards that the current generation does not use; none if that is not known."""
    try:
        used = shards_named(folder / current)
    except InputError:
        return []
    return [entry.name for entry in folder.iterdir() if _SHARDS.fullmatch(entry.name) and entry.name != used]


def is_ours(name: str) -> bool:
    """Whether an entry of this name belongs to an index."""
    ours = name in {CURRENT, f"{CURRENT}.new", LOCK_NAME}
    return ours or any(kind.fullmatch(name) for kind in (_GENERATION, _LEFTOVER, _SHARDS))


def check_name(name: str) -> str:
    """Return the name of an array or of facts if it is a valid file name on every system."""
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise InputError(f"name is not a file name: got {name!r}, expected letters, digits, '_' and '-'.")
    return name


def _no_current(folder: Path) -> str:
    if not any(folder.iterdir()):
        return f"path is an empty folder: got {str(folder)!r}, expected the folder of an index. Build one there first."
    if offer := _offer(folder):
        return f"{folder} has no file {CURRENT}: got generations, none of which is current, expected one. {offer}"
    if (folder / MANIFEST).is_file():
        return f"path is a saved model: got {str(folder)!r}, expected the folder of an index. Use tacit.load."
    if all(is_ours(entry.name) for entry in folder.iterdir()):
        again = "Go on with resume, or build it again." if resumable_name(folder) else "Build it again."
        return f"{folder} holds no finished index: got an interrupted build, expected {CURRENT}. {again}"
    return (
        f"path is not an index: got {str(folder)!r} without a file {CURRENT}, expected the folder of an index. "
        "Check the path."
    )


def _offer(folder: Path) -> str:
    """Return advice that names the newest finished generation, if there is one."""
    names = [name for name in _finished_generations(folder) if (folder / name / MANIFEST).exists()]
    return f"Write {names[-1]!r} into {CURRENT} to use the newest one." if names else ""
