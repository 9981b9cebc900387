"""Rows from JSON: one object per line, or one array of objects, read piece by piece."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator
from typing import Any

from tacit.corpus.problems import Problems
from tacit.corpus.sources import Source, lines_of, text_stream, too_long
from tacit.errors import InputError

__all__ = ["json_rows"]

_PIECE = 1 << 18  # characters of an array that are read at once
_BETWEEN = re.compile(r"[\s,\[\]]*")
_ESCAPE = 16  # within so many characters of the end of a piece, a cut-off word or escape may look like an error


def json_rows(source: Source, problems: Problems) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield line and object of each row; values that are not objects are counted and left out."""
    with source.opened() as stream:
        # marks of the encoding and the zeros of UTF-16 are not part of the text
        head = stream.peek().translate(None, b"\x00\xef\xbb\xbf\xff\xfe").lstrip()
        is_array = head.startswith(b"[") or re.match(rb"\{[ \t]*[\r\n]", head)  # or objects of several lines
        values = _array_values if is_array else _line_values
        for line, row in values(stream, source, problems):
            if type(row) is dict:
                yield line, row
            else:
                said = f"a {type(row).__name__} is not a record: expected an object."
                problems.add("broken line", source.name, line, said)


def _line_values(stream: io.BufferedReader, source: Source, problems: Problems) -> Iterator[tuple[int, Any]]:
    """Yield number and value of each line that is not blank."""
    decode, scan = json.loads, json.JSONDecoder().raw_decode
    for number, line in enumerate(lines_of(stream, source, problems), 1):
        try:
            value, end = scan(line)  # a third faster than `loads`, which looks for spaces on both sides
            if len(line) - end > 1 and not line[end:].isspace():
                value = decode(line)
        except (ValueError, RecursionError):
            if not line.strip():
                continue
            try:
                value = decode(line.rstrip())
            except (ValueError, RecursionError) as error:
                place = f" at character {error.pos + 1}" if isinstance(error, json.JSONDecodeError) else ""
                problems.add("broken line", source.name, number, f"not JSON: {_said(error)}{place}.")
                continue
        yield number, value


def _array_values(stream: io.BufferedReader, source: Source, problems: Problems) -> Iterator[tuple[int, Any]]:
    """Yield the values of an array, or a sequence of values, with the line on which each starts.

    A value that the end of a piece cuts off is parsed again with the next piece; pieces grow, so that long values
    cost no more.
    """
    decode = json.JSONDecoder().raw_decode
    text = text_stream(stream, source)
    held, at, line, piece = "", 0, 1, _PIECE
    while True:
        start = _BETWEEN.match(held, at).end()  # type: ignore[union-attr]  # it matches nothing too
        line, at = line + held.count("\n", at, start), start
        try:
            value, end = decode(held, at)
        except (ValueError, RecursionError) as error:
            more = "" if _is_certain(error, len(held)) else text.read(piece)
            if not more and at < len(held):
                raise InputError(
                    f"path is broken: got {_said(error)} in {source.name}, in the value that starts in line {line}, "
                    "expected JSON. Correct the file, or write one object per line, so that the other lines can still "
                    "be read."
                ) from error
            if not more:
                return
            if "\ufffd" in more:
                said = f"some bytes after it are not {source.encoding}: replaced."
                problems.add("encoding", source.name, line, said)
            if len(held) - at > source.most_bytes:
                raise too_long(source, f"the value that starts in line {line}") from None
            piece = piece if at else 2 * piece
            held, at = held[at:] + more, 0
            continue
        yield line, value
        line, at = line + held.count("\n", at, end), end


def _is_certain(error: Exception, n_held: int) -> bool:
    """Whether an error is one however the text continues."""
    if not isinstance(error, json.JSONDecodeError):
        return True
    return not error.msg.startswith("Unterminated string") and error.pos < n_held - _ESCAPE


def _said(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return error.msg
    return "brackets nested too deeply" if isinstance(error, RecursionError) else str(error)
