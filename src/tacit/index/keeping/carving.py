"""Finds records in a damaged `records.sqlite` without SQLite, page by page.

SQLite reads a table from its root, so that one damaged page may hide all others. Here every page is looked at: cells of
the leaves of tables with eight columns are records; entries of (number, place, text) are labels, of (number, text,
place, text) links, of (name, value) the state. Pages in the log that were written last replace those of the file, and
pages that SQLite has marked as free are left out, since they hold what was removed.

References
----------
"Database File Format" and "WAL-mode File Format" of SQLite.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from mmap import mmap
from typing import Any, NamedTuple

__all__ = ["CarvedRecord", "Carving"]

_PAGE = 4096  # of SQLite since 3.12
_LEAF, _INDEX_LEAF, _INDEX_INTERIOR = 0x0D, 0x0A, 0x02
_COLUMNS = 8  # of records: number, key, removed, title, fields, position, fingerprint, text
_INTEGERS = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}
_FRAME = 24  # bytes before each page in the log


class CarvedRecord(NamedTuple):
    """What was found of a record; texts with bytes that are not UTF-8 have replacement characters."""

    number: int
    key: Any
    removed: Any
    title: Any
    fields: Any
    position: Any
    fingerprint: Any
    text: Any


@dataclass
class Carving:
    """What the pages of a file hold.

    Attributes
    ----------
    labels : dict, labels by place, by the number of their record
    links : dict, targets by name and place, by the number of their record
    state : dict, facts about the file, such as `base` and `next_number`
    """

    content: bytes | mmap
    log: bytes | mmap = b""
    labels: dict[int, dict[int, str]] = field(default_factory=dict)
    links: dict[int, dict[tuple[str, int], str | None]] = field(default_factory=dict)
    state: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._pages = _Pages(self.content, self.log)
        self._places: dict[int, list[tuple[int, int]]] = {}
        free = self._free()
        for page in self._pages:
            if page not in free:
                self._look_at(page)

    @property
    def numbers(self) -> list[int]:
        """The numbers of the records that were found, ascending."""
        return sorted(self._places)

    def records(self, number: int) -> Iterator[CarvedRecord]:
        """Yield what was found under a number, the newest page last; more than one is rare."""
        for page, start in self._places[number]:
            content = self._pages[page]
            length, start = _varint(content, start)
            _, start = _varint(content, start)
            cells = _columns(self._payload(content, start, length, _PAGE - 35))
            if cells is not None and len(cells) == _COLUMNS:
                yield CarvedRecord(number, *cells[1:])

    def _look_at(self, page: int) -> None:
        """Remember where records are, and take over small entries."""
        content = self._pages[page]
        first = 100 if page == 1 else 0
        kind = content[first]
        if kind not in (_LEAF, _INDEX_LEAF, _INDEX_INTERIOR):
            return
        head = first + (12 if kind == _INDEX_INTERIOR else 8)
        (n_cells,) = struct.unpack_from(">H", content, first + 3)
        for place in range(head, min(head + 2 * n_cells, _PAGE - 1), 2):
            (start,) = struct.unpack_from(">H", content, place)
            try:
                if kind == _LEAF:
                    self._look_at_row(page, content, start)
                else:
                    start += 4 if kind == _INDEX_INTERIOR else 0
                    length, start = _varint(content, start)
                    self._take(_columns(self._payload(content, start, length, (_PAGE - 12) * 64 // 255 - 23)))
            except (IndexError, ValueError, struct.error):
                continue  # a damaged cell; the others of its page may be whole

    def _look_at_row(self, page: int, content: bytes, start: int) -> None:
        place = start
        length, start = _varint(content, start)
        number, start = _varint(content, start)
        _, at = _varint(content, start)
        types = [0] * _COLUMNS
        header, at = _varint(content, start)
        for column in range(_COLUMNS):
            types[column], at = _varint(content, at)
        if at == start + header and types[0] == 0 and length >= header and number < 1 << 40:
            self._places.setdefault(number, []).append((page, place))

    def _take(self, cells: list[Any] | None) -> None:
        """Take over an entry of labels, of links or of the state."""
        match cells:
            case [int(number), int(place), str(label)]:
                self.labels.setdefault(number, {})[place] = label
            case [int(number), str(name), int(place), str() | None as target]:
                self.links.setdefault(number, {})[name, place] = target
            case [str(name), value]:
                self.state[name] = value

    def _payload(self, content: bytes, start: int, length: int, most: int) -> bytes:
        """Return the content of a cell, with what its overflow pages hold, as far as they can be followed."""
        if length <= most:
            return content[start : start + length]
        least = (_PAGE - 12) * 32 // 255 - 23
        local = least + (length - least) % (_PAGE - 4)
        local = local if local <= most else least
        found = [content[start : start + local]]
        (following,) = struct.unpack_from(">I", content, start + local)
        left = length - local
        while left > 0 and following in self._pages:
            page = self._pages[following]
            found.append(page[4 : 4 + left])
            left -= _PAGE - 4
            (following,) = struct.unpack_from(">I", page)
        return b"".join(found)

    def _free(self) -> set[int]:
        """Return the pages that SQLite has marked as free."""
        free: set[int] = set()
        trunk = struct.unpack_from(">I", self._pages[1], 32)[0]
        while trunk in self._pages and trunk > 1 and trunk not in free:
            free.add(trunk)
            page = self._pages[trunk]
            trunk, n_leaves = struct.unpack_from(">2I", page)
            n_leaves = min(n_leaves, _PAGE // 4 - 2)
            free.update(struct.unpack_from(f">{n_leaves}I", page, 8))
        return free


class _Pages:
    """The pages by their numbers, from 1: those of the log in the place of those in the file."""

    def __init__(self, content: bytes | mmap, log: bytes | mmap) -> None:
        self._content, self._newer = content, _in_log(log)
        self._n_pages = max(-(-len(content) // _PAGE), max(self._newer, default=0))

    def __iter__(self) -> Iterator[int]:
        return iter(range(1, self._n_pages + 1))

    def __contains__(self, page: int) -> bool:
        return 0 < page <= self._n_pages

    def __getitem__(self, page: int) -> bytes:
        found = self._newer.get(page)
        return self._content[(page - 1) * _PAGE : page * _PAGE].ljust(_PAGE, b"\0") if found is None else found


def _in_log(log: bytes | mmap) -> dict[int, bytes]:
    """Return the pages of finished changes in the log."""
    found: dict[int, bytes] = {}
    waiting: dict[int, bytes] = {}
    salts = log[16:24]
    for start in range(32, len(log) - _FRAME - _PAGE + 1, _FRAME + _PAGE):
        if log[start + 8 : start + 16] != salts:  # left from an earlier round
            break
        page, committed = struct.unpack(">2I", log[start : start + 8])
        waiting[page] = log[start + _FRAME : start + _FRAME + _PAGE]
        if committed:
            found |= waiting
            waiting = {}
    return found


def _varint(content: bytes, start: int) -> tuple[int, int]:
    """Return a number of SQLite's format, and where the next begins."""
    value = 0
    for place in range(start, start + 8):
        byte = content[place]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, place + 1
    return value << 8 | content[start + 8], start + 9


def _columns(payload: bytes) -> list[Any] | None:
    """Return the values of a row, as far as they are there; None if they have no sense."""
    header, at = _varint(payload, 0)
    if not 1 < header <= len(payload) or header > 200:
        return None
    types = []
    while at < header:
        kind, at = _varint(payload, at)
        types.append(kind)
    values: list[Any] = []
    for kind in types:
        size = _INTEGERS.get(kind, 8 if kind == 7 else (kind - 12) // 2 if kind >= 12 else 0)
        cell = payload[at : at + size]
        at += size
        if kind in _INTEGERS:
            values.append(int.from_bytes(cell, "big", signed=True))
        elif kind == 7:
            values.append(struct.unpack(">d", cell)[0])
        elif kind in (8, 9):
            values.append(kind - 8)
        elif kind >= 12:
            values.append(cell.decode("utf-8", "replace") if kind % 2 else cell)
        else:
            values.append(None)
    return values
