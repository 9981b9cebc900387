"""Rows from an SQLite database: of its table, or of a query."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from urllib.parse import quote

from tacit.checks import shown
from tacit.corpus.problems import Problems
from tacit.corpus.sources import Row, Source
from tacit.errors import InputError, did_you_mean

__all__ = ["sqlite_rows"]


def sqlite_rows(source: Source, problems: Problems) -> Iterator[tuple[int, Row]]:
    """Yield number and cells by column of each row; the database is opened for reading only."""
    address = f"file:{quote(str(source.path.absolute()))}?mode=ro"
    try:
        with closing(sqlite3.connect(address, uri=True)) as database:
            database.text_factory = lambda data: data.decode("utf-8", "replace")
            cursor = database.execute(_statement(database, source))
            names = [entry[0] for entry in cursor.description or ()]
            for number, cells in enumerate(cursor, 1):
                row = dict(zip(names, cells, strict=True))
                for name, cell in row.items():
                    if isinstance(cell, bytes):
                        row[name] = cell.decode("utf-8", "replace")
                        if "\ufffd" in row[name]:
                            problems.add(
                                "encoding", source.name, number, f"{name} holds bytes that are not utf-8: replaced."
                            )
                yield number, row
    except sqlite3.Error as error:
        raise InputError(
            f"{'query' if source.query else 'path'} cannot be read: got {str(error)!r} for {source.name}, expected "
            f"{'a SELECT or the name of a table' if source.query else 'an SQLite database'}."
        ) from error


def _statement(database: sqlite3.Connection, source: Source) -> str:
    """Return the query to run: the one given, or all rows of a table."""
    found = database.execute("SELECT name FROM sqlite_master WHERE type IN ('table', 'view') ORDER BY rowid").fetchall()
    tables = [name for (name,) in found if not name.startswith("sqlite_")]
    if source.query is not None:
        if re.match(r"\s*(select|with)\b", source.query, re.IGNORECASE):
            return source.query
        if source.query not in tables:
            raise InputError(
                f"query is neither a SELECT nor a table of {source.name}: got {source.query!r}, expected one of "
                f"{shown(tables, 20)}, or SELECT ... FROM one of them.{did_you_mean(source.query, tables)}"
            )
        tables = [source.query]
    if len(tables) != 1:
        raise InputError(
            f"query is missing: got {source.name} with {'the tables ' + shown(tables, 20) if tables else 'no table'}, "
            "expected one table, or `query`: the name of a table, or SELECT ... FROM one of them."
        )
    quoted = tables[0].replace('"', '""')
    return f'SELECT * FROM "{quoted}"'
