"""The tables of `records.sqlite`, and how connections to it are opened.

records       one row per record; a removed record of the build leaves an empty row, so that its number stays in use
labels        labels of the records, in order            indexed by label
links         links of the records, one row per target   indexed by name and target
field_values  short values of the fields, copied from the JSON to be filtered by
words         full text of title and text (FTS5); it keeps no copy of them but reads the view `live`
state         facts about the whole file: base, next_number, changes, dimensions, position_type, and the digest of lists

Large collections have more tables, which make searches faster but do not change the results: value_lists (see the
module of that name), and frequent_words, record_norms, word_places (see `frequent_words`).

A file from a stranger may have other tables, views and triggers under these names, which SQLite would run. So a file is
used only if its schema is this one; then nothing in it runs but what is written here.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import sqlite3
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from unicodedata import category

from tacit.errors import BusyError, InputError
from tacit.files import check_plain
from tacit.index.records.held_files import HeldConnection
from tacit.index.strict_json import first_line

__all__ = [
    "FREQUENT_WORDS",
    "INDEXES",
    "SCHEMA_VERSION",
    "TABLES",
    "TOKENIZER",
    "VALUE_LISTS",
    "clean_text",
    "connect",
    "digest_of_lists",
    "guarded",
    "has_letters",
    "has_table",
    "new_database",
]

SCHEMA_VERSION = 1
_NO_FILES = (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL)
_APPLICATION = 0x54414349  # "TACI": marks the SQLite files of Tacit

TOKENIZER = "unicode61 remove_diacritics 2"
TABLES = f"""
CREATE TABLE state (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE records (
    number INTEGER PRIMARY KEY,
    key TEXT UNIQUE,
    removed INTEGER NOT NULL DEFAULT 0,
    title TEXT NOT NULL,
    fields TEXT NOT NULL,
    position BLOB,
    fingerprint BLOB NOT NULL,
    text TEXT NOT NULL  -- last, since what lies behind a long text is read through all of it
);
CREATE TABLE labels (
    number INTEGER NOT NULL REFERENCES records ON DELETE CASCADE, place INTEGER NOT NULL, label TEXT NOT NULL,
    PRIMARY KEY (number, place)
) WITHOUT ROWID;
CREATE TABLE links (
    number INTEGER NOT NULL REFERENCES records ON DELETE CASCADE, name TEXT NOT NULL, place INTEGER NOT NULL,
    target TEXT,
    PRIMARY KEY (number, name, place)
) WITHOUT ROWID;
CREATE TABLE field_values (
    number INTEGER NOT NULL REFERENCES records ON DELETE CASCADE, name TEXT NOT NULL, value NOT NULL,
    PRIMARY KEY (number, name, value)
) WITHOUT ROWID;
CREATE VIEW live AS SELECT number, title, text FROM records WHERE removed = 0;
CREATE VIRTUAL TABLE words USING fts5(title, text, content='live', content_rowid='number', tokenize='{TOKENIZER}');
"""

# created after the records are inserted, which is faster
INDEXES = """
CREATE INDEX labels_by_label ON labels (label, number);
CREATE INDEX links_by_target ON links (name, target, number);
CREATE INDEX field_values_by_value ON field_values (name, value, number);
CREATE INDEX removed_records ON records (number) WHERE removed = 1;
"""


# of large collections
FREQUENT_WORDS = """
CREATE TABLE frequent_words (word TEXT PRIMARY KEY, n_records INTEGER NOT NULL, numbers BLOB, times BLOB);
CREATE TABLE record_norms (base INTEGER PRIMARY KEY, norms BLOB NOT NULL);
CREATE VIRTUAL TABLE word_places USING fts5vocab('words', 'instance');
"""
VALUE_LISTS = """
CREATE TABLE value_lists
    (kind TEXT NOT NULL, name TEXT NOT NULL, first NOT NULL, last NOT NULL, numbers BLOB NOT NULL);
CREATE UNIQUE INDEX value_lists_by_value ON value_lists (kind, name, first, last);
"""


def new_database(path: Path) -> sqlite3.Connection:
    """Create a database with empty tables; without a safe journal, since an interrupted build is discarded."""
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    try:
        connection.execute("PRAGMA journal_mode = MEMORY")
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute("PRAGMA cache_size = -65536")
        connection.execute(f"PRAGMA application_id = {_APPLICATION}")
        connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
        _check_full_text(connection)
        connection.executescript(TABLES)
    except BaseException:
        connection.close()
        path.unlink(missing_ok=True)
        raise
    return connection


def connect(path: Path, *, writable: bool) -> sqlite3.Connection:
    """Open a database that `new_database` made, or raise an `InputError` that says why it cannot be used."""
    try:
        return _connected(path, writable=writable)
    except FileNotFoundError as error:  # it may have been there a moment ago
        raise InputError(
            f"{path} is missing: got no such file, expected the records. Restore the index from a copy or build again."
        ) from error


def _connected(path: Path, *, writable: bool) -> sqlite3.Connection:
    check_plain(path)
    for beside in ("-wal", "-shm"):
        check_plain(path.with_name(path.name + beside), missing=True)
    # a finished database has no journal, and one may name other files to delete
    if os.path.lexists(f"{path}-journal"):
        raise InputError(
            f"{path}-journal does not belong to the index: got a journal, expected none. Delete it, then verify."
        )
    with guarded(path):
        connection = _open(path)
        try:
            _check_full_text(connection)
            (application,) = connection.execute("PRAGMA application_id").fetchone()
            (version,) = connection.execute("PRAGMA user_version").fetchone()
            if application != _APPLICATION:
                raise InputError(
                    f"{path} is not a database of records: got application id {application}, expected {_APPLICATION}. "
                    "Restore the index from a copy or build it again."
                )
            if version > SCHEMA_VERSION:
                raise InputError(
                    f"{path} is of a newer format: got version {version}, expected at most {SCHEMA_VERSION}. "
                    "Update Tacit."
                )
            _check_schema(connection, path)
            connection.execute(f"PRAGMA query_only = {'OFF' if writable else 'ON'}")
        except BaseException:
            connection.close()
            raise
    return connection


@contextlib.contextmanager
def guarded(path: Path) -> Iterator[None]:
    """Turn SQLite's errors into an `InputError` that names the file."""
    try:
        yield
    except sqlite3.ProgrammingError as error:
        raise InputError(f"{path} is closed: got {str(error)!r}, expected an open store. Open it again.") from error
    except UnicodeEncodeError as error:  # of what was asked for; such texts are never stored
        raise InputError(
            f"a text that is asked for is damaged: got {error.object[:80]!r}, expected whole characters in UTF-8. "
            "Type it again."
        ) from error
    except (sqlite3.Error, json.JSONDecodeError, UnicodeDecodeError) as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        got = first_line(error)
        if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            raise BusyError(f"{path} is busy: got {got!r}, expected one writer at a time. Try again later.") from error
        if code in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_IOERR):
            raise InputError(
                f"{path} cannot be used: got {got!r}, expected a file that can be read and written. "
                "Check the free space of the disk and the permissions."
            ) from error
        raise InputError(
            f"{path} is damaged: got {got!r}, expected the records of an index. "
            "Restore the index from a copy or build it again."
        ) from error


def digest_of_lists(connection: sqlite3.Connection) -> str:
    """Return a digest of the additional tables of a large collection, which never change after the build."""
    digest = hashlib.blake2b(digest_size=16)
    for table in ("value_lists", "frequent_words", "record_norms"):
        if has_table(connection, table):
            for row in connection.execute(f"SELECT * FROM {table} ORDER BY rowid"):
                for cell in row:
                    content = cell if isinstance(cell, bytes) else repr(cell).encode()
                    digest.update(len(content).to_bytes(8, "little") + content)
    return digest.hexdigest()


def has_table(connection: sqlite3.Connection, name: str) -> bool:
    """Return whether there is a table, view or index of this name."""
    return connection.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (name,)).fetchone() is not None


def clean_text(text: str) -> str:
    """Return a text as SQLite takes it: without zero characters, which end a query, and halves of surrogate pairs."""
    return text.replace("\0", " ").encode("utf-8", "replace").decode("utf-8")


def has_letters(text: str) -> bool:
    """Return whether a text has any of what FTS5 makes words of: letters, numbers and private use."""
    return any(category(letter).startswith(("L", "N", "Co")) for letter in text)


def _check_schema(connection: sqlite3.Connection, path: Path) -> None:
    """Refuse a file with anything that Tacit does not create."""
    for kind, name, sql in connection.execute(_SCHEMA):
        if name not in ("sqlite_stat1", "sqlite_stat4") and _expected_schema().get((kind, name), 0) != _normal(sql):
            raise InputError(
                f"{path} has a schema that Tacit does not write: got the {kind} {str(name)[:40]!r}, expected "
                "the tables of records and nothing else. Do not use this index, or restore it from a copy."
            )


_SCHEMA = "SELECT type, name, sql FROM sqlite_master"


@lru_cache(maxsize=1)
def _expected_schema() -> dict[tuple[str, str], str | None]:
    """Return the statement of each table, index and view, by its kind and name, as this SQLite writes it."""
    with contextlib.closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(TABLES + INDEXES + FREQUENT_WORDS + VALUE_LISTS)
        return {(kind, name): _normal(sql) for kind, name, sql in connection.execute(_SCHEMA)}


def _normal(sql: str | None) -> str | None:
    """Return a statement without comments and line ends: earlier versions broke their lines elsewhere."""
    if sql is None:
        return None
    return re.sub(r" ?([(),]) ?", r"\1", " ".join(re.sub(r"--[^\n]*", "", str(sql)).split()))


def _open(path: Path) -> sqlite3.Connection:
    """Connect, and read something, since SQLite opens the file only then."""
    address = path.absolute().as_uri()
    try:
        return _prepared(path, f"{address}?mode=rw")
    except sqlite3.OperationalError as error:
        waiting = path.with_name(path.name + "-wal")
        refused = error.sqlite_errorcode & 0xFF in _NO_FILES
        if not refused or (waiting.exists() and waiting.stat().st_size):
            raise
        # In a read-only folder, and on a full disk, SQLite cannot create the files that coordinate readers and writers.
        # Since nobody can write there, none are needed.
        return _prepared(path, f"{address}?mode=ro&immutable=1")


def _prepared(path: Path, address: str) -> sqlite3.Connection:
    connection = sqlite3.connect(
        address, uri=True, timeout=30.0, isolation_level=None, check_same_thread=False, factory=HeldConnection
    )
    try:
        connection.holding(path)
        connection.execute("PRAGMA trusted_schema = OFF")  # the file may come from an untrusted source
        connection.execute("PRAGMA cell_size_check = ON")
        connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
        if defensive := getattr(sqlite3, "SQLITE_DBCONFIG_DEFENSIVE", None):  # Python 3.12
            connection.setconfig(defensive)  # type: ignore[attr-defined, unused-ignore]
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA synchronous = FULL")  # what is committed survives a power failure
        connection.execute("PRAGMA cache_size = -65536")  # KiB: enough for the longest lists of a million records
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except BaseException:
        connection.close()
        raise
    return connection


def _check_full_text(connection: sqlite3.Connection) -> None:
    options = {row[0] for row in connection.execute("PRAGMA compile_options")}
    modules = {row[0] for row in connection.execute("SELECT name FROM pragma_module_list")}
    if "ENABLE_FTS5" not in options and "fts5" not in modules:
        raise InputError(
            f"SQLite {sqlite3.sqlite_version} of this Python lacks FTS5: got no full-text search, expected it built in."
            " Use a Python from python.org, conda or your distribution."
        )
