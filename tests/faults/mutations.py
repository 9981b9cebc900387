"""Changes to the content of a file, as transfer, programs and people make them, from a seed."""

from __future__ import annotations

import random

__all__ = ["mutated"]

_TOKENS = (
    b"", b'"', b"'", b"\n", b"\r", b"\x00", b",", b";", b"\t", b"{", b"}", b"[", b"]", b"<", b">", b"</", b"&", b"\\",
    b"-1", b"0", b"1e999", b"NaN", b"Infinity", b"99999999999999999999", b"2147483648", b"null", b"true", b"\\ud800",
    b"\xff\xfe", b"\xef\xbb\xbf", b"\xc3", b"\xed\xa0\x80", b"\x1b]0;x\x07", b"\x1f\x8b\x08", b"PK\x03\x04", b"%PDF",
    b"<!DOCTYPE x [<!ENTITY a 'b'>]>", b"&a;", b"&#0;", b"]]>", b"<![CDATA[", b"xmlns='", b"1 0 R", b"endobj", b"---\n",
    b"{}" * 40, b"[" * 900, b"(" * 300, b"a" * 5_000, b"\x1d", b"\x1e", b"\x1f", b"@", b"http://", b"_:b",
    b"^^<x>", b"@en",
)  # fmt: skip


def mutated(content: bytes, others: list[bytes], chance: random.Random) -> bytes:
    """Return a content with one to a few changes; `others` are files of the same format to take parts from."""
    found = bytearray(content)
    for _ in range(chance.choice((1, 1, 1, 2, 4, 10))):
        _change(found, others, chance)
    return bytes(found[: 4 * len(content) + 100_000])


def _change(found: bytearray, others: list[bytes], chance: random.Random) -> None:
    place = chance.randrange(len(found) + 1)
    length = min(len(found) - place, chance.choice((1, 2, 4, 8, 30, 200)))
    way = chance.randrange(10)
    if way == 0 and place < len(found):
        found[place] ^= 1 << chance.randrange(8)
    elif way == 1 and place < len(found):
        found[place] = chance.randrange(256)
    elif way == 2:
        del found[place : place + length]
    elif way == 3:
        found[place:place] = found[place : place + length] * chance.choice((1, 2, 20))
    elif way in (4, 5):
        found[place : place + chance.choice((0, length))] = chance.choice(_TOKENS)
    elif way == 6 and chance.random() < 0.3:
        del found[place:]
    elif way == 7:
        found[place : place + length] = bytes(chance.choice((0, 255)) for _ in range(length))
    elif way == 8:
        other = chance.choice(others)
        start = chance.randrange(len(other) + 1)
        found[place : place + length] = other[start : start + chance.choice((4, 40, 400))]
    elif way == 9 and length >= 4:  # a number in binary formats
        number = chance.choice((0, 1, 0x7FFFFFFF, 0xFFFFFFFF, len(found), chance.getrandbits(32)))
        found[place : place + 4] = number.to_bytes(4, chance.choice(("little", "big")))
