"""Looks up which words the records have, and which records are called by a text; for what people type."""

from __future__ import annotations

import sqlite3
from unicodedata import category

__all__ = ["called", "different_values", "forms", "has_word"]

_MOST = 500  # records that are compared with a text
_LAST = "\U0010ffff"


def has_word(connection: sqlite3.Connection, word: str) -> bool:
    """Return whether any record has a word, or a phrase, in its title or text."""
    phrase = _quoted(word)
    if phrase is None:
        return False
    sql = "SELECT 1 FROM words WHERE words MATCH ? LIMIT 1"
    return connection.execute(sql, (phrase,)).fetchone() is not None


def forms(connection: sqlite3.Connection, beginning: str, limit: int) -> list[tuple[str, int]]:
    """Return words that begin so, in the order of the alphabet, and in how many records each is."""
    _make_counts(connection)
    sql = "SELECT term, doc FROM temp.word_forms WHERE term >= ? AND term <= ? LIMIT ?"
    return connection.execute(sql, (beginning, beginning + _LAST, limit)).fetchall()


def different_values(connection: sqlite3.Connection, kind: str, name: str, limit: int) -> list[str]:
    """Return different texts in one of the "links" or "fields", in order, jumping from one to the next."""
    table, column = ("links", "target") if kind == "links" else ("field_values", "value")
    following = f"SELECT min({column}) FROM {table} WHERE name = ?1 AND {column} > found.value"
    sql = (
        f"WITH RECURSIVE found(value) AS (SELECT min({column}) FROM {table} WHERE name = ?1 AND {column} >= ''"
        f" UNION ALL SELECT ({following}) FROM found WHERE value NOT NULL LIMIT ?2)"
        " SELECT value FROM found WHERE value NOT NULL"
    )
    return [row[0] for row in connection.execute(sql, (name, limit))]


def called(connection: sqlite3.Connection, text: str) -> list[tuple[int, str, str]]:
    """Return number, id and title of the records with this id, or whose title begins with these words."""
    columns = "SELECT number, key, title FROM records WHERE removed = 0 AND"
    found = connection.execute(f"{columns} key = ?", (text,)).fetchall()
    if not found:
        for key in _ids_in_any_case(connection, text):
            found += connection.execute(f"{columns} key = ?", (key,)).fetchall()
        found.sort()
    phrase = _quoted(text)
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
    plain = text.replace("\0", " ").replace('"', " ").encode("utf-8", "replace").decode("utf-8")
    has_words = any(category(letter).startswith(("L", "N", "Co")) for letter in plain)
    return f'"{plain}"' if has_words else None


def _make_counts(connection: sqlite3.Connection) -> None:
    """Make a view of the words of the full text, in memory, once for a connection."""
    if connection.execute("SELECT 1 FROM temp.sqlite_master WHERE name = 'word_forms'").fetchone():
        return
    (query_only,) = connection.execute("PRAGMA query_only").fetchone()
    connection.execute("PRAGMA query_only = OFF")
    try:
        connection.execute("CREATE VIRTUAL TABLE temp.word_forms USING fts5vocab('main', 'words', 'row')")
    finally:
        connection.execute(f"PRAGMA query_only = {query_only}")
