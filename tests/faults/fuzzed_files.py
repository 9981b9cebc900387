"""Files of an index changed by somebody who also writes the checksums: the manifest, facts, arrays and records.

Answers may be wrong then, since an index is as trustworthy as who wrote it. But only sentences may be said, nothing may
hang, and no compiled code may be misled.
"""

from __future__ import annotations

import json
import os
import random
import shutil
from pathlib import Path
from typing import Any

from graph_cases import seal_manifest
from judging import SURVIVED, Outcome, found, is_sentence, refused
from mutations import mutated
from sample_index import answers, build_sample, quietly, write_files

import tacit
from tacit.corpus.record import Record
from tacit.errors import TacitError
from tacit.files import file_sha256
from tacit.index import verify
from tacit.index.folder.manifest import _checksum

__all__ = ["FuzzedFiles"]

_VALUES = (
    None,
    True,
    0,
    -1,
    1,
    2**31,
    10**30,
    0.5,
    -1e300,
    "",
    "x",
    "\x1b[2J",
    "..",
    "é" * 300,
    [],
    [[]],
    [1, "a"],
    {},
    {"a": 1},
)


class FuzzedFiles:
    """The part of the suite; an item is the number of a case, which decides on everything."""

    seconds, batch, in_process = 20.0, 100, False

    def __init__(self, folder: Path) -> None:
        self._folder, self._sound, self._case = folder, folder / "sound.tacit", folder / "case.tacit"

    def cannot_run(self) -> str:
        """Return why not, or ""."""
        return ""

    def prepare(self) -> None:
        """Build the index whose files are changed."""
        write_files(self._folder)
        code, said = quietly(build_sample(self._folder, self._sound))
        if code:
            raise AssertionError(said)
        with tacit.open(self._sound) as index:
            index.learn([Record("c", "a lamp at sea", ["home"])])
            index.add([Record("new", "salt and lamp", ["pets"])])
        current = self._sound / (self._sound / "CURRENT").read_text().strip()
        self._names = [
            path.relative_to(self._sound).as_posix() for path in sorted(current.rglob("*")) if path.is_file()
        ]
        self._contents = {name: (self._sound / name).read_bytes() for name in self._names}
        texts = [name for name in self._names if name.endswith(("json", "sqlite"))]
        self._drawn_from = [*self._names, *texts, *texts, *texts]

    def items(self) -> range:
        """Return the numbers of cases: as many as anyone wants."""
        return range(1_000_000)

    def named(self, item: int) -> str:
        """Return the name of a case."""
        return f"case {item}: {self._drawn(item)[0]}"

    def judge(self, item: int) -> Outcome:
        """Change a file, write its checksum, and ask everything."""
        name, chance = self._drawn(item)
        shutil.rmtree(self._case, ignore_errors=True)
        shutil.copytree(self._sound, self._case, copy_function=lambda a, b: self._copied(a, b, name))
        path = self._case / name
        path.write_bytes(self._changed(name, chance))
        self._seal(path)
        for sentence in (told := verify(self._case)):
            if not is_sentence(sentence):
                return found(f"verify: a bad sentence: {sentence[:300]!r}")
        try:
            answers(self._case)
        except TacitError as error:
            return refused(error)
        return refused(told[0]) if told else SURVIVED

    def _drawn(self, item: int) -> tuple[str, random.Random]:
        chance = random.Random(f"file {item}")
        return chance.choice(self._drawn_from), chance

    def _copied(self, source: str, target: str, name: str) -> None:
        changed = (name.rpartition("/")[2], "records.sqlite", "records.checksum", "lock")
        (shutil.copyfile if source.rpartition("/")[2] in changed else os.link)(source, target)

    def _changed(self, name: str, chance: random.Random) -> bytes:
        """Return a changed content: of a JSON file a value or the text, of an array its numbers or its header."""
        content = self._contents[name]
        if name.endswith(".json") and chance.random() < 0.7:
            facts = json.loads(content)
            _change_value(facts, chance)
            if name.endswith("manifest.json") and isinstance(facts, dict):
                facts.pop("checksum", None)
                facts["checksum"] = _checksum(facts)
            return json.dumps(facts, ensure_ascii=False).encode("utf-8", "surrogatepass")
        if name.endswith(".npy") and chance.random() < 0.7 and len(content) > 128:
            found_bytes = bytearray(content)
            for _ in range(chance.choice((1, 2, 8))):
                place = 128 + 4 * chance.randrange(max(1, (len(content) - 128) // 4))
                number = chance.choice((0, 1, 0xFFFFFFFF, 0x7FFFFFFF, 0x7FC00000, 0x7F800000, 0x7149F2CA, 300, 7))
                found_bytes[place : place + 4] = number.to_bytes(4, "little")
            return bytes(found_bytes[: len(content)])
        return mutated(content, [self._contents[chance.choice(self._names)]], chance)

    def _seal(self, path: Path) -> None:
        """Make the checksums match."""
        generation = self._case / (self._case / "CURRENT").read_text().strip()
        name = path.relative_to(generation).as_posix()
        if name == "records.sqlite":
            facts = json.loads((generation / "records.checksum").read_bytes())
            facts |= {"bytes": path.stat().st_size, "sha256": file_sha256(path)}
            (generation / "records.checksum").write_text(json.dumps(facts))
        elif name not in ("manifest.json", "records.checksum"):
            seal_manifest(generation, name)


def _change_value(facts: Any, chance: random.Random) -> None:
    """Change, add or delete one value somewhere in JSON."""
    while True:
        places = list(facts) if isinstance(facts, dict) else list(range(len(facts)))
        if not places:
            break
        place = chance.choice(places)
        if isinstance(facts[place], (dict, list)) and facts[place] and chance.random() < 0.8:
            facts = facts[place]
            continue
        way = chance.random()
        if way < 0.7:
            facts[place] = chance.choice(_VALUES)
        elif way < 0.85:
            del facts[place]
        else:
            facts[place] = facts[chance.choice(places)]
        return
