"""Looks up in the records of an index what people type: words, names and values, and records that are called so."""

from __future__ import annotations

import json
import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Iterable
from contextlib import AbstractContextManager
from typing import Any

import numpy as np

from tacit.checks import check_choice
from tacit.index.records.schema import clean_text, has_letters

__all__ = ["StoreLookups"]

_MOST = 500  # records that are compared with a text
_LAST = "\U0010ffff"


class StoreLookups(ABC):
    """What `RecordStore` tells about words, labels, links and fields without reading whole records."""

    @abstractmethod
    def _reading(self) -> AbstractContextManager[sqlite3.Connection]:
        """Read from one state of the file in the block."""

    def has_label(self, label: str) -> bool:
        """Return whether any record has a label."""
        with self._reading() as connection:
            return connection.execute("SELECT 1 FROM labels WHERE label = ? LIMIT 1", (label,)).fetchone() is not None

    def names(self, kind: str) -> list[str]:
        """Return the sorted names of the "links" or "fields" that can be filtered by."""
        table = {"links": "links", "fields": "field_values"}[check_choice("kind", kind, ("links", "fields"))]
        # jumps from one name to the next in the SQL index: a plain DISTINCT would read all values
        following = f"SELECT (SELECT min(name) FROM {table} WHERE name > found.name) FROM found WHERE name NOT NULL"
        sql = f"WITH RECURSIVE found(name) AS (SELECT min(name) FROM {table} UNION ALL {following})"
        with self._reading() as connection:
            return [row[0] for row in connection.execute(f"{sql} SELECT name FROM found WHERE name NOT NULL")]

    def values(self, kind: str, name: str = "") -> tuple[np.ndarray, list[Any]]:
        """Return all "labels", or the values of one of the "links" or "fields", and the record number of each.

        One query: a hundred thousand records take a tenth of a second. Ascending by number for labels, otherwise by
        value.
        """
        check_choice("kind", kind, ("labels", "links", "fields"))
        sql = {
            "labels": "SELECT number, label FROM labels",
            "links": "SELECT number, target FROM links WHERE name = ? AND target NOT NULL ORDER BY target, number",
            "fields": "SELECT number, value FROM field_values WHERE name = ? ORDER BY value, number",
        }[kind]
        with self._reading() as connection:
            rows = connection.execute(sql, () if kind == "labels" else (name,)).fetchall()
        return np.fromiter((row[0] for row in rows), np.int64, len(rows)), [row[1] for row in rows]

    def has_value(self, kind: str, name: str, value: str) -> bool:
        """Return whether any record has a value in one of the "links" or "fields"."""
        table, column = ("links", "target") if kind == "links" else ("field_values", "value")
        sql = f"SELECT 1 FROM {table} WHERE name = ? AND {column} = ? LIMIT 1"
        with self._reading() as connection:
            return connection.execute(sql, (name, value)).fetchone() is not None

    def different_values(self, kind: str, name: str, limit: int) -> list[str]:
        """Return different texts in one of the "links" or "fields", at most `limit`, in order."""
        table, column = ("links", "target") if kind == "links" else ("field_values", "value")
        following = f"SELECT min({column}) FROM {table} WHERE name = ?1 AND {column} > found.value"
        sql = (
            f"WITH RECURSIVE found(value) AS (SELECT min({column}) FROM {table} WHERE name = ?1 AND {column} >= ''"
            f" UNION ALL SELECT ({following}) FROM found WHERE value NOT NULL LIMIT ?2)"
            " SELECT value FROM found WHERE value NOT NULL"
        )
        with self._reading() as connection:
            return [row[0] for row in connection.execute(sql, (name, limit))]

    def span(self, field: str) -> tuple[Any, Any]:
        """Return the lowest and highest number in a field; None for a field that has texts."""
        low, high = self.extremes(field)
        return (None, None) if isinstance(high, str) else (low, high)

    def extremes(self, field: str) -> tuple[Any, Any]:
        """Return the first and last value of a field in SQLite's order, in which texts come after numbers; or None."""
        sql = "SELECT min(value) FROM field_values WHERE name = ?", "SELECT max(value) FROM field_values WHERE name = ?"
        with self._reading() as connection:
            low, high = (connection.execute(one, (field,)).fetchone()[0] for one in sql)
        return low, high

    def numbers_of(self, keys: Iterable[str]) -> dict[str, int]:
        """Return the numbers of the records that have these ids, by id; unknown ids are left out."""
        sql = "SELECT key, number FROM records WHERE key IN (SELECT value FROM json_each(?))"
        with self._reading() as connection:
            return dict(connection.execute(sql, (json.dumps(list(keys)),)))

    def ids_of_length(self, low: int, high: int, limit: int) -> list[str]:
        """Return ids of so many characters, at most `limit` of them."""
        sql = "SELECT key FROM records WHERE removed = 0 AND length(key) BETWEEN ? AND ? LIMIT ?"
        with self._reading() as connection:
            return [key for (key,) in connection.execute(sql, (low, high, limit))]

    def ids_after(self, key: str, limit: int = 1000) -> list[str]:
        """Return the next ids in their order, at most `limit` of them."""
        with self._reading() as connection:
            sql = "SELECT key FROM records WHERE removed = 0 AND key > ? ORDER BY key LIMIT ?"
            return [row[0] for row in connection.execute(sql, (key, limit))]

    def n_characters(self, longest: int | None = None) -> int:
        """Return how many characters the ids and texts of all records have, of each text `longest` at most."""
        length = "length(text)" if longest is None else f"min(length(text), {int(longest)})"
        with self._reading() as connection:
            sql = f"SELECT sum({length} + length(key)) FROM records WHERE removed = 0"
            return int(connection.execute(sql).fetchone()[0] or 0)

    def has_word(self, word: str) -> bool:
        """Return whether any record has a word, or a phrase, in its title or text."""
        return self.n_records_with(word, 1) > 0

    def n_records_with(self, word: str, most: int) -> int:
        """Count the records with a word, or a phrase, in title or text, up to `most`: more are not looked at."""
        phrase = _quoted(word)
        if phrase is None:
            return 0
        sql = "SELECT count(*) FROM (SELECT 1 FROM words WHERE words MATCH ? LIMIT ?)"
        with self._reading() as connection:
            return int(connection.execute(sql, (phrase, most)).fetchone()[0])

    def forms(self, beginning: str, limit: int = 200) -> list[tuple[str, int]]:
        """Return words of the records that begin so, in lower case and without accents, and in how many each is."""
        made = "SELECT 1 FROM temp.sqlite_master WHERE name = 'word_forms'"
        sql = "SELECT term, doc FROM temp.word_forms WHERE term >= ? AND term <= ? LIMIT ?"
        with self._reading() as connection:
            if not connection.execute(made).fetchone():  # a view of the words, in memory, once for a connection
                (query_only,) = connection.execute("PRAGMA query_only").fetchone()
                connection.execute("PRAGMA query_only = OFF")
                try:
                    connection.execute("CREATE VIRTUAL TABLE temp.word_forms USING fts5vocab('main', 'words', 'row')")
                finally:
                    connection.execute(f"PRAGMA query_only = {query_only}")
            return connection.execute(sql, (beginning, beginning + _LAST, limit)).fetchall()

    def called(self, text: str) -> list[tuple[int, str, str]]:
        """Return number, id and title of the records with this id, or whose title begins with these words."""
        columns, phrase = "SELECT number, key, title FROM records WHERE removed = 0 AND", _quoted(text)
        with self._reading() as connection:
            found = connection.execute(f"{columns} key = ?", (text,)).fetchall()
            if not found:
                for key in _ids_in_any_case(connection, text):
                    found += connection.execute(f"{columns} key = ?", (key,)).fetchall()
                found.sort()
            if phrase is not None:
                titled = f"SELECT rowid FROM words WHERE words MATCH 'title : ^ ' || ? LIMIT {_MOST}"
                found += connection.execute(f"{columns} number IN ({titled})", (phrase,)).fetchall()
        return list(dict.fromkeys(found))


def _ids_in_any_case(connection: sqlite3.Connection, text: str) -> list[str]:
    """Return what may be ids that are like a text apart from the case of Latin letters.

    They grow letter by letter, and only beginnings that some id has grow further: a few looks into the list of ids,
    where a comparison without case would read all of it.
    """
    begun = [""]
    sql = "SELECT 1 FROM records WHERE key >= ? AND key <= ? LIMIT 1"
    for letter in text:
        cases = sorted({letter.upper(), letter.lower()}) if letter.isascii() else [letter]
        longer = (f"{beginning}{case}" for beginning in begun for case in cases)
        begun = [one for one in longer if connection.execute(sql, (one, one + _LAST)).fetchone()][:_MOST]
        if not begun:
            break
    return begun


def _quoted(text: str) -> str | None:
    """Write words as a phrase of FTS5; None if there are none."""
    plain = clean_text(text).replace('"', " ")
    return f'"{plain}"' if has_letters(plain) else None
