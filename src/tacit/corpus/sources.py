"""Files to read: which they are, what format they have, and how their bytes become lines.

Lines are split as bytes and decoded one by one, to know which line has bytes that are not in the encoding; this is as
fast as Python's own text files.
"""

from __future__ import annotations

import codecs
import gzip
import io
import logging
import os
import re
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, cast

from tacit.checks import check_choice, human_size, shown
from tacit.corpus.problems import Problems
from tacit.errors import InputError
from tacit.files import did_you_mean_file

__all__ = [
    "FORMATS",
    "MOST_BYTES",
    "Row",
    "RowsSource",
    "Source",
    "Unreadable",
    "find_sources",
    "lines_of",
    "printable_name",
    "quiet_library",
    "text_lines",
    "text_stream",
    "too_long",
    "whole_text",
]

MOST_BYTES = 256 << 20  # of one line, or of one text, unpacked

Row = dict[str, Any]  # the cells of a row by the names of their columns

FORMATS = (
    "jsonl", "json", "csv", "tsv", "parquet", "excel", "sqlite", "marc", "xml", "bibtex", "ris", "csl", "markdown",
    "html", "pdf", "folder", "annif",
)  # fmt: skip
_SUFFIXES = {
    ".jsonl": "json", ".ndjson": "json", ".json": "json", ".csv": "csv", ".tsv": "tsv", ".tab": "tsv",
    ".parquet": "parquet", ".pq": "parquet", ".xlsx": "excel", ".xlsm": "excel", ".sqlite": "sqlite",
    ".sqlite3": "sqlite", ".db": "sqlite", ".mrc": "marc", ".marc": "marc", ".xml": "xml", ".marcxml": "xml",
    ".bib": "bibtex", ".ris": "ris", ".txt": "text", ".md": "markdown", ".markdown": "markdown", ".html": "html",
    ".htm": "html", ".pdf": "pdf",
}  # fmt: skip
_HINTS = {
    **dict.fromkeys((".ttl", ".rdf", ".skos", ".nt", ".jsonld"), "It may be a vocabulary: pass it as `taxonomy`."),
    ".xls": "Save it as .xlsx or .csv.",
    **dict.fromkeys((".ods", ".numbers"), "Save it as .csv."),
    **dict.fromkeys((".doc", ".docx", ".odt", ".rtf", ".epub"), "Save it as .html, .pdf or .txt."),
    **dict.fromkeys((".zip", ".tar", ".7z"), "Unpack it first."),
}
_KINDS = {"jsonl": "json", "folder": "text"}  # formats that are called otherwise here
_TABLES = ("csv", "tsv", "annif-csv", "excel", "sqlite", "rows")
_DOCUMENTS = ("text", "markdown", "html", "pdf")  # one record per file
_OF_ZOTERO = frozenset({"Key", "Item Type", "Author", "Abstract Note"})  # columns of its tables, in any language
_WITH_AUTHORS = ("marc", "xml", "bibtex", "ris", "csl")
_WIDE = ("utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be")


class Source:
    """One file: `path`, the `name` that messages and made-up ids show, its `format`, and how far it has been read.

    The format is one of the values in `_SUFFIXES`, "csl" (JSON that turns out to be a list of references), "rows" (in
    memory), or "annif-json", "annif-csv", "annif-tsv" or "annif-text". `root` is the folder in which the file was
    found, if a folder is read. `most_bytes` are those of one line, or of one text. `wanted` are the columns that are
    needed, None for all. `query` is what to read of an SQLite database or a workbook.
    """

    query: str | None = None

    def __init__(self, path: Path, format: str, encoding: str, *, name: str = "", root: Path | None = None) -> None:
        self.path, self.format, self.encoding = path, format, encoding
        self.name, self.root = printable_name(name or path.name), root
        self.wanted: tuple[str, ...] | None = None
        self.most_bytes = MOST_BYTES
        self.rows_share = 0.0
        self._raw: BinaryIO | None = None

    @property
    def place(self) -> Path:
        """The path inside the folder that is read, as text also if it is not in UTF-8."""
        inside = self.path.relative_to(self.root) if self.root else Path(self.path.name)
        return Path(printable_name(inside.as_posix()))

    @property
    def is_table(self) -> bool:
        """Whether cells are plain texts, so that several names in a cell need a separator."""
        return self.format in _TABLES

    def link_columns(self, columns: Collection[str]) -> tuple[str, ...]:
        """Return those of its columns that hold links in any file of this format."""
        if self.format == "csv" and _OF_ZOTERO.issubset(columns):
            return ("Author",)
        return ("author",) if self.format in _WITH_AUTHORS else ()

    def size(self) -> int:
        """Return the size in bytes, at least 1, so that shares can be computed for empty files too."""
        return max(1, self.path.stat().st_size)

    def share(self) -> float:
        """Return how much of the file has been read, from 0 to 1."""
        if self._raw is None or self._raw.closed:
            return self.rows_share
        return min(1.0, self._raw.tell() / self.size())

    @contextmanager
    def opened(self) -> Iterator[io.BufferedReader]:
        """Open the file as bytes, decompressed if it is gzipped, whatever its name."""
        try:
            with self.path.open("rb") as raw:
                self._raw = raw
                if raw.peek(2)[:2] != b"\x1f\x8b":
                    yield raw
                    return
                with io.BufferedReader(cast(io.RawIOBase, gzip.GzipFile(fileobj=raw)), 1 << 16) as unpacked:
                    yield cast(io.BufferedReader, unpacked)
        except OSError as error:
            if error.errno is None:  # gzip's own: the content is wrong
                raise self._broken(error) from error
            raise InputError(
                f"path cannot be read: got {error.strerror!r} for {self.name}, expected a file that can be opened. "
                "Check its permissions, the disk and the number of open files."
            ) from error
        except (EOFError, zlib.error, UnicodeError) as error:
            raise self._broken(error) from error

    def _broken(self, error: Exception) -> InputError:
        return InputError(
            f"path cannot be read: got {error} in {self.name}, expected a whole file in {self.encoding}. "
            "Copy the file again, or pass its `encoding`."
        )


class RowsSource(Source):
    """Rows in memory, such as those of a data frame, each a mapping of columns to cells.

    `make_rows` returns them from the start, each time that it is called.
    """

    def __init__(self, make_rows: Callable[[], Iterable[Mapping[str, Any]]], name: str = "records") -> None:
        super().__init__(Path(name), "rows", "utf-8", name=name)
        self._make_rows = make_rows

    def size(self) -> int:
        """Return 1: the rows have no size in bytes."""
        return 1

    def rows(self) -> Iterator[tuple[int, Row]]:
        """Yield number and cells of each row; rows are copied, since a reading changes them."""
        for number, row in enumerate(self._make_rows(), 1):
            yield number, dict(row)


class Unreadable(Source):
    """A folder that cannot be read, or a link out of the folder that is read: left out, as a problem."""

    def __init__(self, path: Path, root: Path, reason: str) -> None:
        super().__init__(path, "unreadable", "utf-8", name=path.relative_to(root).as_posix(), root=root)
        self.reason = reason

    def size(self) -> int:
        """Return 1: there is nothing to read."""
        return 1


def find_sources(paths: str | Path | Iterable[str | Path], format: str | None, encoding: str) -> list[Source]:
    """List the files of one or several paths, with those in folders, in a fixed order."""
    given = [Path(path).expanduser() for path in ([paths] if isinstance(paths, (str, Path)) else paths)]
    if not given:
        raise InputError("path is empty: got no path, expected at least one file or folder.")
    if format is not None:
        check_choice("format", format, FORMATS)
    try:
        encoding = codecs.lookup(encoding).name
    except (LookupError, TypeError):
        raise InputError(f"encoding is unknown: got {encoding!r}, expected one such as 'utf-8' or 'cp1252'.") from None
    sources: list[Source] = []
    for path in given:
        if path.is_dir() and (path / "CURRENT").is_file():
            raise InputError(
                f"path holds an index: got {str(path)!r}, expected records. Write its records to a file with "
                "tacit export, and pass that."
            )
        if path.is_dir():
            sources += _folder_sources(path, format, encoding)
        elif path.is_file():
            sources.append(Source(path, _format_of(path, format), encoding))
        else:
            raise _no_such_file(path)
    names = [source.name for source in sources]
    if len(set(names)) < len(names):  # made-up ids must differ
        for source in sources:
            source.name = printable_name(source.path.as_posix())
    return sources


def _no_such_file(path: Path) -> InputError:
    """Return the error for a path that does not exist: perhaps it is several paths, or an address."""
    parts = str(path).split(",")
    if len(parts) > 1 and all(Path(part.strip()).exists() for part in parts):
        meant = f" Write several with spaces between them: {' '.join(part.strip() for part in parts)}."
    elif re.match(r"(?:https?|ftp):/", str(path)):
        meant = " Download it first, and pass the file."
    else:
        meant = did_you_mean_file(path, "Check the name and the folder.")
    return InputError(f"path does not exist: got {str(path)!r}, expected a file or a folder.{meant}")


def printable_name(name: str) -> str:
    """Return the name of a file as text, also one that is not in UTF-8."""
    return name.encode("utf-8", "backslashreplace").decode()


def text_lines(source: Source, problems: Problems) -> Iterator[str]:
    """Yield the lines of a file, each with its end; bytes that are not in the encoding are replaced and counted."""
    with source.opened() as stream:
        yield from lines_of(stream, source, problems)


def lines_of(stream: io.BufferedReader, source: Source, problems: Problems) -> Iterator[str]:
    """Yield the lines of an opened file, as `text_lines` does."""
    encoding, head = _encoding(stream, source.encoding), stream.peek()
    first = head[: head.find(b"\n") + 1 or len(head)]
    # lines that end in a carriage return only, as old Macs and some exports of Excel write them
    by_returns = b"\r" in first and not first.endswith(b"\r\n") and head.count(b"\r") > head.count(b"\n")
    if encoding in _WIDE or by_returns:
        characters = text_stream(stream, source)
        for number, text in enumerate(iter(partial(characters.readline, source.most_bytes + 1), ""), 1):
            if len(text) > source.most_bytes:
                raise too_long(source, f"line {number}")
            if "\ufffd" in text:
                problems.add("encoding", source.name, number, f"some bytes are not {encoding}: replaced.")
            yield text
        return
    if encoding == "utf-8-sig":
        stream.read(len(codecs.BOM_UTF8))
        encoding = "utf-8"
    for number, line in enumerate(iter(partial(stream.readline, source.most_bytes + 1), b""), 1):
        if len(line) > source.most_bytes:
            raise too_long(source, f"line {number}")
        try:
            text = line.decode(encoding)
        except UnicodeDecodeError as error:
            text = line.decode(encoding, "replace")
            problems.add("encoding", source.name, number, _undecodable(error))
        yield text


def text_stream(stream: io.BufferedReader, source: Source) -> io.TextIOWrapper:
    """Return the file as a stream of characters with its line ends."""
    return io.TextIOWrapper(stream, encoding=_encoding(stream, source.encoding), errors="replace", newline="")


def whole_text(source: Source, problems: Problems) -> str:
    """Return a file as one text; lines end as in Python."""
    with source.opened() as stream:
        encoding, data = _encoding(stream, source.encoding), stream.read(source.most_bytes + 1)
    if len(data) > source.most_bytes:
        raise too_long(source, "the text")
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        text = data.decode(encoding, "replace")
        problems.add("encoding", source.name, data.count(b"\n", 0, error.start) + 1, _undecodable(error))
    return text.replace("\r\n", "\n").replace("\r", "\n")


@contextmanager
def quiet_library(library: str) -> Iterator[None]:
    """Keep a library from logging each oddity of a file: what cannot be read is counted."""
    logger = logging.getLogger(library)
    level = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        logger.setLevel(level)


def _encoding(stream: io.BufferedReader, encoding: str) -> str:
    """Return the encoding that a mark at the start of the file names, else `encoding`."""
    head = stream.peek(4)[:4]
    if head.startswith(codecs.BOM_UTF8) and encoding in ("utf-8", "utf-8-sig"):
        return "utf-8-sig"
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) and encoding.startswith("utf-8"):
        return "utf-16"
    return "utf-8" if encoding == "utf-8-sig" else encoding


def too_long(source: Source, what: str) -> InputError:
    """Return the error for a line or a text that is longer than `most_bytes`: a small gzipped file may unpack to it."""
    return InputError(
        f"path has a line that is too long: got more than {human_size(source.most_bytes)} in {what} of {source.name}, "
        "expected less. Check the file, or allow more with `max_line_mb`."
    )


def _undecodable(error: UnicodeDecodeError) -> str:
    """Return a sentence on the first byte that cannot be decoded."""
    byte = error.object[error.start]
    return f"byte 0x{byte:02x} is not {error.encoding}: replaced. Pass `encoding`, such as 'cp1252'."


def _folder_sources(folder: Path, format: str | None, encoding: str) -> list[Source]:
    """Return the files to read below a folder, or those of the given format.

    Texts (.txt) come first: what lies beside them describes them. Without any, documents are read if there are more of
    them than of other files, such as tables.
    """
    files, unreadable = _files_below(folder)
    names = {path: path.relative_to(folder) for path in files}
    kinds = {path: _SUFFIXES.get(_ending(path)) for path in files}
    texts = [path for path in files if kinds[path] == "text"]
    if format == "annif":
        found = [*texts, *(path for path in files if kinds[path] == "json")]
    elif format == "folder" or (format is None and texts):
        found = texts
    else:
        asked = None if format is None else _format_of(folder, format)
        found = [path for path in files if kinds[path] and (asked is None or kinds[path] == asked)]
        if asked is None:
            documents = [path for path in found if kinds[path] in _DOCUMENTS]
            are_more = 2 * len(documents) > len(found)
            found = documents if are_more else [path for path in found if kinds[path] not in _DOCUMENTS]
    if not found:
        raise InputError(
            f"path holds nothing to read: got {str(folder)!r} with {shown(path.name for path in files) or 'no files'}, "
            f"expected files that end in {', '.join(_SUFFIXES)}, optionally gzipped."
        )
    kind_of = {path: _format_of(path, format if format == "annif" else None) for path in found}
    sources = [Source(path, kind_of[path], encoding, name=names[path].as_posix(), root=folder) for path in found]
    return [*sources, *(Unreadable(path, folder, why) for path, why in unreadable)]


def _files_below(folder: Path) -> tuple[list[Path], list[tuple[Path, str]]]:
    """Return the files below a folder, sorted, and what is left out, with the reason; hidden ones are not named."""
    files: list[Path] = []
    left_out: list[tuple[Path, str]] = []

    def note(error: OSError) -> None:
        left_out.append((Path(error.filename), error.strerror or str(error)))

    inside = folder.resolve()
    for above, below, names in os.walk(folder, onerror=note):
        below[:] = sorted(name for name in below if not name.startswith("."))
        linked = [name for name in below if Path(above, name).is_symlink()]  # which os.walk does not follow
        for path in sorted(Path(above, name) for name in (*names, *linked) if not name.startswith(".")):
            if path.is_symlink() and not path.resolve().is_relative_to(inside):
                left_out.append((path, "a link that leads out of the folder"))
            elif path.is_file():
                if os.access(path, os.R_OK):
                    files.append(path)
                else:
                    left_out.append((path, "Permission denied"))
    return sorted(files), sorted(left_out)


def _format_of(path: Path, format: str | None) -> str:
    """Return the format of one file: `format` if given, else by its name."""
    kind = _SUFFIXES.get(_ending(path))
    if format == "annif":
        return f"annif-{kind}" if kind in ("json", "csv", "text") else "annif-tsv"
    if format is not None:
        return _KINDS.get(format, format)
    if kind is None:
        what = _HINTS.get(_ending(path), "Pass `format` if the name does not say it.")
        raise InputError(
            f"path has an unknown suffix: got {path.name!r}, expected one of {', '.join(_SUFFIXES)}, optionally "
            f"gzipped. {what}"
        )
    return kind


def _ending(path: Path) -> str:
    """Return the suffix of a name: .csv also of loans.csv.gz."""
    suffixes = [suffix.lower() for suffix in path.suffixes]
    return "".join((suffixes[:-1] if suffixes[-1:] == [".gz"] else suffixes)[-1:])
