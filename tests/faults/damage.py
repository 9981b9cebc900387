"""Every file of an index is damaged in turn: what it answers is what it answered before, or it refuses by a sentence.

Bits flip, bytes change, blocks are zeroed, files are cut, lengthened, emptied, deleted, swapped with others or replaced
by an older state of themselves. `verify` must tell of everything that differs.
"""

from __future__ import annotations

import os
import random
import shutil
from pathlib import Path

from judging import SURVIVED, Outcome, found, is_sentence, refused
from sample_index import answers, build_sample, quietly, write_files

import tacit
from tacit.corpus.record import Record
from tacit.errors import TacitError
from tacit.index import verify

__all__ = ["Damage"]

_WAYS = ("bit", "bit", "bit", "bytes", "zeros", "cut", "longer", "empty", "gone", "swapped", "older", "folder", "pipe")
_WEIGHTY = ("records.sqlite", "records.sqlite", "manifest.json", "CURRENT", "records.checksum")
_IDLE = ("lock",)  # what it holds is for people
_BLOCK = 512


class Damage:
    """The part of the suite; an item is the number of a case, which decides on everything."""

    seconds, batch, in_process = 20.0, 100, False

    def __init__(self, folder: Path) -> None:
        self._folder, self._sound, self._case = folder, folder / "sound.tacit", folder / "case.tacit"

    def cannot_run(self) -> str:
        """Return why not, or ""."""
        return ""

    def prepare(self) -> None:
        """Build the index that is damaged, keep an older state of its records, and ask what is right."""
        write_files(self._folder)
        code, said = quietly(build_sample(self._folder, self._sound))
        if code:
            raise AssertionError(said)
        with tacit.open(self._sound) as index:
            index.learn([Record("c", "a lamp at sea", ["home"])])
        shutil.copytree(self._sound, self._folder / "older.tacit")
        with tacit.open(self._sound) as index:
            index.add([Record(f"new{n}", "salt and lamp", ["pets"]) for n in range(3)])
            index.remove(["r7"])
        files = [path for path in sorted(self._sound.rglob("*")) if path.is_file()]
        current = (self._sound / "CURRENT").read_text().strip()
        names = [path.relative_to(self._sound).as_posix() for path in files]
        self._names = [name for name in names if name.startswith(current) or "/" not in name]
        self._weighty = [f"{current}/{name}" if name != "CURRENT" else name for name in _WEIGHTY]
        self._right = answers(self._sound)
        if self._right != answers(self._sound) or verify(self._sound):
            raise AssertionError("the sound index does not answer twice in the same way")

    def items(self) -> range:
        """Return the numbers of cases: as many as anyone wants."""
        return range(1_000_000)

    def named(self, item: int) -> str:
        """Return the name of a case."""
        name, way, _ = self._drawn(item)
        return f"case {item}: {name}, {way}"

    def judge(self, item: int) -> Outcome:
        """Damage a copy, ask it everything, and compare."""
        name, way, chance = self._drawn(item)
        self._renew(name)
        changed = self._damaged(name, way, chance)
        told = verify(self._case)
        for sentence in told:
            if not is_sentence(sentence):
                return found(f"verify: a bad sentence: {sentence[:300]!r}")
        try:
            got = answers(self._case)
        except TacitError as error:
            return refused(error) if told else found(f"verify is content, and opening says {str(error)[:300]!r}")
        wrong = [question for question in self._right if got.get(question) != self._right[question]]
        if wrong:
            return found(f"wrong answers to {wrong[:3]}; verify says {told[:1]}")
        if changed and not told and name not in _IDLE:
            return found("verify is content")
        return SURVIVED

    def _drawn(self, item: int) -> tuple[str, str, random.Random]:
        """Return which file of a case is damaged, and how."""
        chance = random.Random(item)
        names = self._names if item % 2 else self._weighty
        return names[item // 2 % len(names)], chance.choice(_WAYS), chance

    def _renew(self, name: str) -> None:
        """Copy the sound index; files that stay as they are are linked, which costs less."""
        shutil.rmtree(self._case, ignore_errors=True)
        copied = (name.rpartition("/")[2], "records.sqlite", "lock", "records.checksum")
        shutil.copytree(
            self._sound,
            self._case,
            copy_function=lambda a, b: (shutil.copyfile if a.rpartition("/")[2] in copied else os.link)(a, b),
        )

    def _damaged(self, name: str, way: str, chance: random.Random) -> bool:
        """Damage one file, and return whether it then differs."""
        path = self._case / name
        before = path.read_bytes()
        path.unlink()
        if way == "folder":
            path.mkdir()
        elif way == "pipe":
            os.mkfifo(path)
        elif way != "gone":
            after = self._content(name, before, way, chance)
            path.write_bytes(after)
            return after.strip() != before.strip()  # the end of a line is not content
        return True

    def _content(self, name: str, before: bytes, way: str, chance: random.Random) -> bytes:
        content = bytearray(before)
        if way in ("bit", "bytes") and content:
            for _ in range(1 if way == "bit" else chance.randint(2, 20)):
                place = chance.randrange(len(content))
                content[place] = content[place] ^ 1 << chance.randrange(8) if way == "bit" else chance.randrange(256)
        elif way == "zeros":
            place = chance.randrange(0, len(content) + 1, _BLOCK)
            content[place : place + _BLOCK] = bytes(len(content[place : place + _BLOCK]))
        elif way == "cut":
            del content[chance.randrange(len(content) + 1) :]
        elif way == "longer":
            content += chance.randbytes(chance.randint(1, 2_000))
        elif way == "empty":
            content.clear()
        elif way == "swapped":
            return (self._sound / chance.choice(self._names)).read_bytes()
        elif way == "older":
            older = self._folder / "older.tacit" / name
            return older.read_bytes() if older.exists() else before
        return bytes(content)
