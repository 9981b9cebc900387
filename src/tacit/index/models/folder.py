"""Saves a fitted model in a folder, and loads it again.

    manifest.json, facts/model.json, arrays/*.npy

The manifest is that of an index: versions, and size and checksum of each file. There is no pickle: loading a model
runs no code that comes with it.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

from tacit.checks import shown
from tacit.errors import InputError, TacitWarning
from tacit.files import file_sha256, replacing
from tacit.index.folder.arrays import read_array, write_array
from tacit.index.folder.generations import CURRENT, MANIFEST
from tacit.index.folder.manifest import MODEL, FileFacts, Manifest
from tacit.index.folder.opening import as_folder, read_checked, read_manifest
from tacit.index.models.classes import uses_scikit_learn
from tacit.index.models.values import Reader, Writer
from tacit.index.strict_json import first_line, from_json, to_json

__all__ = ["load", "save"]

_FACTS = "facts/model.json"


def save(model: Any, folder: str | Path, *, replace_old: bool = False) -> Path:
    """Save a model in a folder, and return the folder; `tacit.load` returns the same model.

    What is loaded has the same parameters and gives the same results to the last bit. The folder holds plain data and
    arrays of numbers, no pickle, so that loading it runs no code from it. It appears in one step.

    Parameters
    ----------
    model : estimator, or pipeline of estimators, fitted or not
        Any estimator of Tacit, and from scikit-learn `Pipeline`, `FeatureUnion`, `CountVectorizer`, `TfidfVectorizer`,
        `TfidfTransformer`, `HashingVectorizer`, `Normalizer`, `StandardScaler`, `MaxAbsScaler` and
        `MultiLabelBinarizer`; also a `Taxonomy`, a `LabelMatrix` or `Relations`.
    folder : str or Path
        Folder to create.
    replace_old : bool, default False
        Whether to replace a saved model in this folder.

    Raises
    ------
    InputError
        If a part is of another class, a function or on disk, or the folder exists or cannot be written.

    Examples
    --------
    >>> import tempfile, tacit
    >>> model = tacit.LSI(1).fit([[1.0, 0.0], [1.0, 1.0]])
    >>> folder = tacit.save(model, tempfile.mkdtemp() + "/lsi")
    >>> tacit.load(folder).transform([[1.0, 2.0]]) == model.transform([[1.0, 2.0]])
    array([[ True]])
    """
    target = as_folder(folder, "folder", "the folder of a model")
    _check_free(target, replace_old=replace_old)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with replacing(target) as fresh:
            _write(model, fresh)
    except OSError as error:
        raise InputError(
            f"folder cannot be written: got {error.strerror or str(error)!r} for {str(target)!r}, expected a writable "
            "place with free space. Choose another, or check the disk and the permissions."
        ) from error
    return target


def load(folder: str | Path) -> Any:
    """Load a model that `tacit.save` wrote.

    Every file is compared with its checksum. Parts are objects of the classes that `tacit.save` names, and no other
    code is run.

    Raises
    ------
    InputError
        If the folder holds no model, or one of a newer format, is damaged or has other files.

    Warns
    -----
    TacitWarning
        If a part is scikit-learn's, and the model was saved with another version of scikit-learn.
    """
    path = as_folder(folder, "folder", "the folder of a model")
    _check_is_model(path)
    manifest = read_manifest(path, MODEL)
    strangers = [name for name in _files_below(path) if name not in (MANIFEST, *manifest.files)]
    if strangers or _FACTS not in manifest.files:
        got = f"{shown(strangers)}, which it does not name" if strangers else f"no {_FACTS}"
        raise InputError(f"{path} is not as it was saved: got {got}, expected its own files only. Move others away.")
    contents = {name: read_checked(path, manifest, name, MODEL) for name in manifest.files}
    reader = Reader(lambda name: read_array(contents[name], path / name, MODEL.remedy))
    _warn_of_version(manifest)
    try:
        return reader.value(from_json(contents[_FACTS], str(path / _FACTS)))
    except InputError:
        raise
    except Exception as error:  # constructors of several libraries refuse wrong parts in their own ways
        raise InputError(
            f"{path / _FACTS} does not fit this version: got {first_line(error)!r}, expected the parts of a model as "
            f"version {manifest.tacit} saved it. {MODEL.remedy}"
        ) from error


def _write(model: Any, folder: Path) -> None:
    """Write all files of a model into a new folder, the manifest last."""
    for part in ("arrays", "facts"):
        (folder / part).mkdir(parents=True)
    files: list[str] = []

    def save_array(array: Any) -> str:
        files.append(f"arrays/{len(files) + 1:04d}.npy")
        write_array(folder / files[-1], array, "an array of the model", order="K")
        return files[-1]

    writer = Writer(save_array)
    try:
        facts = to_json(writer.plain(model, "model"), "model")
    except RecursionError as error:
        raise InputError("model cannot be saved: got a part that holds itself, expected plain parts.") from error
    (folder / _FACTS).write_text(facts, encoding="utf-8", newline="\n")
    paths = {name: folder / name for name in (_FACTS, *files)}
    entries = {name: FileFacts(path.stat().st_size, file_sha256(path)) for name, path in paths.items()}
    settings = {"kind": MODEL.name, "class": type(model).__name__, "classes": sorted(set(writer.classes))}
    manifest = Manifest(settings, {"arrays": len(files)}, entries, format_version=MODEL.newest)
    (folder / MANIFEST).write_text(manifest.to_json(), encoding="utf-8", newline="\n")


def _check_free(target: Path, *, replace_old: bool) -> None:
    """Check that the folder may be written: it is new or empty, or holds a model that is to be replaced."""
    if not target.exists() or (target.is_dir() and not any(target.iterdir())):
        return
    if not target.is_dir() or not _is_model(target):
        what = "a folder with other files" if target.is_dir() else "a file"
        raise InputError(f"folder is {what}: got {str(target)!r}, expected a new folder. Choose another name.")
    if not replace_old:
        raise InputError(
            f"folder holds a saved model: got {str(target)!r}, expected a new folder. Choose another name, or pass "
            "replace_old=True."
        )


def _is_model(path: Path) -> bool:
    return (path / MANIFEST).is_file() and (path / _FACTS).is_file()


def _check_is_model(path: Path) -> None:
    """Raise a sentence that says what is there instead of a model."""
    if _is_model(path):
        return
    if (path / CURRENT).exists():
        raise InputError(f"folder holds an index: got {str(path)!r}, expected a saved model. Use tacit.open.")
    what = "without a saved model" if path.is_dir() else "which is a file" if path.exists() else "which does not exist"
    raise InputError(f"folder is not a saved model: got {str(path)!r}, {what}. Pass a folder that tacit.save wrote.")


def _files_below(path: Path) -> list[str]:
    """List the files of a folder, without those that file managers hide in it."""
    found = (entry for entry in sorted(path.rglob("*")) if not entry.is_dir() and not entry.name.startswith("."))
    return [entry.relative_to(path).as_posix() for entry in found]


def _warn_of_version(manifest: Manifest) -> None:
    from importlib.metadata import version

    saved, here = manifest.libraries.get("scikit-learn", ""), version("scikit-learn")
    classes = manifest.settings.get("classes", ())
    if uses_scikit_learn(list(classes)) and saved.split(".")[:2] != here.split(".")[:2]:
        warnings.warn(
            f"the model has parts of scikit-learn {saved}, and this is {here}: compare its results before you rely on "
            "them.",
            TacitWarning,
            stacklevel=3,
        )
