"""Fetches a named data set from its public home: downloaded, held against its checksum, converted, put in place.

Everything happens in a folder of its own inside the data folder, which is removed in the end, whatever the end is.
Archives are read and never unpacked to the disk, so that no name inside one can lead anywhere. Nothing counts before
all of it is there.
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
from tacit.datasets.converting import CONVERTERS
from tacit.datasets.public_homes import HOMES, Home, Source
from tacit.errors import InputError

__all__ = ["Download", "Fetched", "data_folder", "fetch_dataset", "is_there"]


@dataclass(frozen=True)
class Download:
    """How far a download is: the file, its place among how many, bytes so far and in all (None if nobody says)."""

    file: str
    number: int
    n_files: int
    done: int
    total: int | None


@dataclass(frozen=True)
class Fetched:
    """What a fetch has done.

    Attributes
    ----------
    name, folder : which data set, and where it is now
    was_there : whether there was nothing to do
    checked : files that were held against a published checksum
    remembered : files that were held against the checksum of an earlier fetch
    recorded : files whose checksum is new and was written down, since none is published
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

    Parameters
    ----------
    name : str
        A key of `HOMES`.
    data_dir : path, optional
        Folder of the data sets, which is made if needed; the environment variable TACIT_DATA if not given.
    again : bool, default False
        Fetch it even if it is there, and replace it.
    mirror : str, optional
        Address of a folder that has the same files under the same names, for a home that is gone or far away.
    home : Home, optional
        Another home altogether.
    report : callable, optional
        Called with a `Download` now and then.

    Raises
    ------
    InputError
        One sentence if the home cannot be reached, a file is cut short, or a checksum is not what it should be; the
        data folder is then as it was.
    """
    check_choice("name", name, tuple(HOMES))
    home = home or HOMES[name]
    root = data_folder(data_dir)
    if is_there(name, root, home) and not again:
        return Fetched(name, root / home.folder, was_there=True)
    known = _known(root / home.folder / _record_name(name))
    try:
        root.mkdir(parents=True, exist_ok=True)
        workplace = Path(tempfile.mkdtemp(prefix=f".fetching-{name}-", dir=root))
    except OSError as error:
        raise InputError(
            f"data_dir cannot be written: got {str(root)!r} ({error.strerror}), expected a folder of yours. "
            "Choose another."
        ) from error
    try:
        outcome, facts = _download(home, workplace, known, mirror, report)
        _put_in_place(name, home, workplace, root, facts)
    finally:
        shutil.rmtree(workplace, ignore_errors=True)
    return Fetched(name, root / home.folder, False, *outcome)


def data_folder(data_dir: str | Path | None = None) -> Path:
    """Give the folder of the data sets: the argument, or what TACIT_DATA says."""
    root = str(data_dir if data_dir is not None else os.environ.get("TACIT_DATA", ""))
    if not root:
        raise InputError(
            "data_dir is not given: got None and no TACIT_DATA in the environment, expected a folder for the data "
            "sets. Name one, or set TACIT_DATA."
        )
    return Path(root).expanduser()


def is_there(name: str, root: Path, home: Home | None = None) -> bool:
    """Whether the folder has all that the loader of a data set reads; one without a home needs nothing."""
    home = home or HOMES.get(name)
    return home is None or all((root / home.folder / file).is_file() for file in home.files)


def _record_name(name: str) -> str:
    return f"{name}.sources.json"


def _known(path: Path) -> dict[str, str]:
    """SHA-256 of each file at an earlier fetch."""
    if not path.is_file():
        return {}
    try:
        return {file: str(about["sha256"]) for file, about in json.loads(path.read_text("utf-8"))["files"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(
            f"{path} is damaged: got {error}, expected what an earlier fetch wrote down. Remove it."
        ) from error


def _download(
    home: Home, workplace: Path, known: dict[str, str], mirror: str | None, report: Callable[[Download], None] | None
) -> tuple[tuple[tuple[str, ...], ...], dict[str, dict[str, Any]]]:
    """Download all files and check each; give which were checked how, and what to write down."""
    groups: dict[str, list[str]] = {"checked": [], "remembered": [], "recorded": []}
    facts: dict[str, dict[str, Any]] = {}
    for number, source in enumerate(home.sources, start=1):
        url = source.url if mirror is None else f"{mirror.rstrip('/')}/{urllib.parse.quote(source.file)}"

        def say(done: int, total: int | None, source: Source = source, number: int = number) -> None:
            if report is not None:
                report(Download(source.file, number, len(home.sources), done, total))

        n_bytes, digests = _save(url, workplace / source.file, say)
        groups[_checked(source, url, digests, known.get(source.file))].append(source.file)
        now = datetime.now(UTC).replace(microsecond=0).isoformat()
        facts[source.file] = {"url": url, "bytes": n_bytes, "sha256": digests["sha256"], "fetched": now}
    return tuple(tuple(files) for files in groups.values()), facts


def _save(url: str, path: Path, say: Callable[[int, int | None], None]) -> tuple[int, dict[str, str]]:
    """Write what an address gives to a file; give its size and checksums."""
    if urllib.parse.urlsplit(url).scheme not in ("http", "https"):
        raise InputError(f"address is not of the web: got {url!r}, expected one that starts with http:// or https://.")
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


def _checked(source: Source, url: str, digests: dict[str, str], known: str | None) -> str:
    """Hold a file against its published checksum, or else against that of an earlier fetch; say which it was."""
    for kind, published in (("sha256", source.sha256), ("md5", source.md5)):
        if published:
            if digests[kind] != published:
                raise InputError(
                    f"{url} is not the published file: got {kind.upper()} {digests[kind]}, expected {published}. "
                    "Nothing was kept; try again later, or another mirror."
                )
            return "checked"
    if known is None:
        return "recorded"
    if digests["sha256"] != known:
        raise InputError(
            f"{url} has changed since it was first fetched: got SHA256 {digests['sha256']}, expected {known}. Nothing "
            "was kept; if the change is right, remove the record of the first fetch beside the data."
        )
    return "remembered"


def _put_in_place(name: str, home: Home, workplace: Path, root: Path, facts: dict[str, dict[str, Any]]) -> None:
    """Convert what was downloaded, and move the result into the data folder in one go a file."""
    made = workplace / "made"
    made.mkdir()
    CONVERTERS[name](workplace, made)
    record = made / _record_name(name)
    record.write_text(json.dumps({"page": home.page, "files": facts}, indent=2) + "\n", "utf-8")
    folder = root / home.folder
    try:
        folder.mkdir(exist_ok=True)
        for file in (*home.files, record.name):
            os.replace(made / file, folder / file)
    except OSError as error:
        raise InputError(
            f"{folder} cannot be written: got {error.strerror!r}, expected a folder of yours. Choose another."
        ) from error


_PIECE = 1 << 18
_PATIENCE = 60.0  # seconds without a byte
_OTHERWISE = "Check the connection, or put the files into the data folder yourself."
