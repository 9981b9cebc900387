"""Fetches a named data set: downloads its published files, checks them, converts them and puts them in place.

The work is done in a temporary folder inside the data folder, which is removed at the end, also after an error. The
files of the data set are moved to their place only when all of them are complete. Archives are read and never unpacked
to the disk, so that no name inside one can lead outside. A file whose checksum nobody has published is compared with
the checksum of its first download, which is kept beside the data.
"""

from __future__ import annotations

import hashlib
import http.client
import json
import os
import shutil
import tempfile
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tacit.checks import check_choice
from tacit.datasets.data_files import Home, RemoteFile, data_folder
from tacit.datasets.registry import dataset_names
from tacit.errors import InputError

__all__ = ["Download", "Fetched", "fetch_dataset", "homes", "is_there"]


@dataclass(frozen=True)
class Download:
    """Progress of a download: file `number` of `n_files`, bytes received and in total (None if unknown)."""

    file: str
    number: int
    n_files: int
    done: int
    total: int | None


@dataclass(frozen=True)
class Fetched:
    """Result of a fetch.

    Attributes
    ----------
    name, folder : the data set and its folder
    was_there : whether it was there already, so that nothing was done
    checked : files that agree with a published checksum
    remembered : files that agree with the checksum of an earlier fetch
    recorded : files without a published checksum, whose checksum was recorded now
    """

    name: str
    folder: Path
    was_there: bool = False
    checked: tuple[str, ...] = ()
    remembered: tuple[str, ...] = ()
    recorded: tuple[str, ...] = ()


def fetch_dataset(
    name: str,
    data_dir: str | Path | None = None,
    *,
    again: bool = False,
    mirror: str | None = None,
    home: Home | None = None,
    report: Callable[[Download], None] | None = None,
) -> Fetched:
    """Fetch a data set into the data folder, unless it is there.

    Nothing is changed in the data folder if the fetch fails.

    Parameters
    ----------
    name : str
        A key of `homes()`.
    data_dir : path, optional
        Folder of the data sets, created if needed; the environment variable TACIT_DATA if not given.
    again : bool, default False
        Fetch it even if it is there, and replace it.
    mirror : str, optional
        Address of a folder with the same files under the same names, for a server that is gone or slow.
    home : Home, optional
        Another place and other files instead of those of `homes()`.
    report : callable, optional
        Called with a `Download` after each piece.

    Raises
    ------
    InputError
        If the server cannot be reached, a file is incomplete, or a checksum is wrong.
    """
    check_choice("name", name, tuple(homes()))
    home = home or homes()[name]
    root = data_folder(data_dir)
    if is_there(name, root, home) and not again:
        return Fetched(name, root / home.folder, was_there=True)
    known = _known(root / home.folder / f"{name}.sources.json")
    try:
        root.mkdir(parents=True, exist_ok=True)
        workplace = Path(tempfile.mkdtemp(prefix=f".fetching-{name}-", dir=root))
    except OSError as error:
        raise InputError(
            f"data_dir cannot be written: got {str(root)!r} ({error.strerror}), expected a folder that you may write "
            "to. Choose another one."
        ) from error
    try:
        outcome, facts = _download(home, workplace, known, mirror, report)
        _put_in_place(name, home, workplace, root, facts)
    finally:
        shutil.rmtree(workplace, ignore_errors=True)
    return Fetched(name, root / home.folder, False, *outcome)


def homes() -> dict[str, Home]:
    """Return where each data set is published, for those that can be fetched."""
    return {name: about.home for name, about in dataset_names().items() if about.home is not None}


def is_there(name: str, root: Path, home: Home | None = None) -> bool:
    """Whether the data folder has all files of a data set; one without a home needs none."""
    home = home or homes().get(name)
    return home is None or all((root / home.folder / file).is_file() for file in home.files)


def _known(path: Path) -> dict[str, str]:
    """Return the SHA-256 of each file at an earlier fetch."""
    if not path.is_file():
        return {}
    try:
        return {file: str(about["sha256"]) for file, about in json.loads(path.read_text("utf-8"))["files"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(
            f"{path} is damaged: got {error}, expected the checksums of an earlier fetch. Remove it."
        ) from error


def _download(
    home: Home, workplace: Path, known: dict[str, str], mirror: str | None, report: Callable[[Download], None] | None
) -> tuple[tuple[tuple[str, ...], ...], dict[str, dict[str, Any]]]:
    """Download and check all files; return the files by the way they were checked, and the facts to record."""
    groups: dict[str, list[str]] = {"checked": [], "remembered": [], "recorded": []}
    facts: dict[str, dict[str, Any]] = {}
    for number, source in enumerate(home.sources, start=1):
        url = source.url if mirror is None else f"{mirror.rstrip('/')}/{urllib.parse.quote(source.file)}"

        def say(done: int, total: int | None, source: RemoteFile = source, number: int = number) -> None:
            if report is not None:
                report(Download(source.file, number, len(home.sources), done, total))

        n_bytes, digests = _save(url, workplace / source.file, say)
        groups[_checked(source, url, digests, known.get(source.file))].append(source.file)
        now = datetime.now(UTC).replace(microsecond=0).isoformat()
        facts[source.file] = {"url": url, "bytes": n_bytes, "sha256": digests["sha256"], "fetched": now}
    return tuple(tuple(files) for files in groups.values()), facts


def _save(url: str, path: Path, say: Callable[[int, int | None], None]) -> tuple[int, dict[str, str]]:
    """Download an address to a file; return its size and checksums."""
    if urllib.parse.urlsplit(url).scheme not in ("http", "https"):
        raise InputError(
            f"mirror is not a web address: got {url!r}, expected one that starts with http:// or https://."
        )
    sums = {"sha256": hashlib.sha256(), "md5": hashlib.md5(usedforsecurity=False)}
    done, total = 0, None
    try:
        request = urllib.request.Request(url, headers={"User-Agent": "tacit"})
        with urllib.request.urlopen(request, timeout=_PATIENCE) as answer, path.open("wb") as file:
            length = answer.headers.get("Content-Length")
            total = int(length) if length and length.isdigit() else None
            while piece := answer.read(_PIECE):
                file.write(piece)
                for made in sums.values():
                    made.update(piece)
                done += len(piece)
                say(done, total)
    except urllib.error.HTTPError as error:
        raise InputError(
            f"{url} was refused: got {error.code} {error.reason}, expected the file. {_OTHERWISE}"
        ) from error
    except (OSError, http.client.HTTPException, ValueError) as error:
        reason = getattr(error, "reason", None) or error
        raise InputError(f"{url} cannot be read: got {str(reason)!r}, expected the file. {_OTHERWISE}") from error
    if total is not None and done != total:
        raise InputError(f"{url} was cut short: got {done:,} bytes, expected {total:,}. Try again.")
    return done, {kind: made.hexdigest() for kind, made in sums.items()}


def _checked(source: RemoteFile, url: str, digests: dict[str, str], known: str | None) -> str:
    """Compare a file with its published checksum, or else with that of an earlier fetch; return which it was."""
    for kind, published in (("sha256", source.sha256), ("md5", source.md5)):
        if published:
            if digests[kind] != published:
                raise InputError(
                    f"{url} is not the published file: got {kind.upper()} {digests[kind]}, expected {published}. "
                    "Nothing was kept. Try again later, or another mirror."
                )
            return "checked"
    if known is None:
        return "recorded"
    if digests["sha256"] != known:
        raise InputError(
            f"{url} has changed since it was first fetched: got SHA256 {digests['sha256']}, expected {known}. Nothing "
            "was kept. If you trust the new file, remove the record of the first fetch beside the data."
        )
    return "remembered"


def _put_in_place(name: str, home: Home, workplace: Path, root: Path, facts: dict[str, dict[str, Any]]) -> None:
    """Convert the downloads, and move each resulting file into the data folder in one step."""
    made = workplace / "made"
    made.mkdir()
    home.convert(workplace, made)
    record = made / f"{name}.sources.json"
    record.write_text(json.dumps({"page": home.page, "files": facts}, indent=2) + "\n", "utf-8")
    folder = root / home.folder
    try:
        folder.mkdir(exist_ok=True)
        for file in (*home.files, record.name):
            os.replace(made / file, folder / file)
    except OSError as error:
        raise InputError(
            f"{folder} cannot be written: got {error.strerror!r}, expected a folder that you may write to."
        ) from error


_PIECE = 1 << 18
_PATIENCE = 60.0  # seconds without a byte
_OTHERWISE = "Check the connection, or put the files into the data folder yourself."
