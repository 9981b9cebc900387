"""Every value in the JSON files of an index is changed in turn by somebody who also writes the checksums.

Each place of the manifest, the facts and the seal of the records gets values of other types, too large and too small
ones, names of other things, and none; keys are left out, added and doubled. Every command that reads the index is then
asked, and one that changes it. Only sentences may be said. Where the place is one that other files contradict, the
index must be refused; elsewhere answers may be wrong, since an index is as trustworthy as who wrote it.
"""

from __future__ import annotations

import copy
import json
import os
import random
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from graph_cases import seal_manifest
from judging import SURVIVED, Outcome, found, is_sentence, refused
from sample_index import build_sample, quietly, write_files

import tacit
from tacit.corpus.record import Record
from tacit.index import verify
from tacit.index.folder.manifest import _checksum

__all__ = ["ForgedFacts"]

_VALUES: tuple[Any, ...] = (
    None, True, 0, -1, 7, 2**31, 2**63, 10**30, 0.5, -1e300, 1e-320, "", "x", "../../x", "\x1b[2J", "é" * 300, "\ud800",
    [], [[]], [1, "a"], ["x", "x"], [None], {}, {"a": 1}, {"": []},
)  # fmt: skip
_WORDS = ("NaN", "Infinity", "-Infinity", "1e999", "9" * 5_000, "[" * 1_500 + "]" * 1_500)  # that json does not write
_MARK = "\x00here"
_ENDS = 2  # entries of a list, first and last, and of a table of many
_LARGE = 12  # keys, above which a table is one of many alike
_ASKED = 5  # commands that read, of each case: every place is asked by every command, with some of the values
_SEAL = "records.checksum"
Case = tuple[str, str, tuple[Any, ...], str, int]  # index, file, place, way, number of the value


class ForgedFacts:
    """The part of the suite; an item is a place in a file of one of the indexes and what is done to it."""

    seconds, batch, in_process = 30.0, 100, False

    def __init__(self, folder: Path) -> None:
        self._folder, self._case = folder, folder / "case" / "i.tacit"
        self._contents: dict[tuple[str, str], Any] = {}

    def cannot_run(self) -> str:
        """Return why not, or ""."""
        return ""

    def prepare(self) -> None:
        """Build the indexes, and read their JSON files."""
        write_files(self._folder)
        self._case.parent.mkdir()
        vectors = self._folder / "vectors.npy"
        np.save(vectors, np.random.default_rng(0).normal(size=(80, 5)).astype(np.float32))
        for name, more in _INDEXES.items():
            options = [option.replace("{vectors}", str(vectors)) for option in more]
            code, said = quietly(build_sample(self._folder, self._sound(name), "records.jsonl", *options))
            if code:
                raise AssertionError(said)
            if not options:
                with tacit.open(self._sound(name)) as index:
                    index.learn([Record("c", "a lamp at sea", ["home"])])
                    index.add([Record("new", "salt and lamp", ["pets"])])
            generation = self._generation(self._sound(name))
            for path in sorted(generation.rglob("*")):
                if path.suffix == ".json" or path.name == _SEAL:
                    self._contents[name, path.relative_to(generation).as_posix()] = json.loads(path.read_bytes())

    def items(self) -> list[Case]:
        """Return every place of every file with everything that is done to it."""
        cases: list[Case] = []
        for (index, file), content in self._contents.items():
            for place in _places(content):
                cases += [(index, file, place, "value", number) for number in range(len(_VALUES) + len(_WORDS))]
                if place:
                    cases += [(index, file, place, way, 0) for way in ("gone", "as the next", "added", "twice")]
        return cases

    def named(self, item: Case) -> str:
        """Return the name of a case."""
        index, file, place, way, number = item
        value = [*_VALUES, *_WORDS][number] if way == "value" else ""
        return f"{index}: {file} {'.'.join(map(str, place))}, {way} {str(value)[:20]!r}"

    def judge(self, item: Case) -> Outcome:
        """Forge a copy of the index, and ask it everything."""
        index, file, place, way, number = item
        text = self._forged(self._contents[index, file], file, place, way, number)
        shutil.rmtree(self._case.parent)
        shutil.copytree(self._sound(index), self._case, copy_function=_copied)
        path = self._generation(self._case) / file
        path.unlink()
        path.write_bytes(text.encode("utf-8", "surrogatepass"))
        if file not in ("manifest.json", _SEAL):
            seal_manifest(path.parents[file.count("/")], file)
        for sentence in (told := verify(self._case)):
            if not is_sentence(sentence):
                return found(f"verify: a bad sentence: {sentence[:300]!r}")
        refusals = []
        chance = random.Random(repr(item))
        for command in [*chance.sample(_READING, _ASKED), chance.choice(_CHANGING)]:
            code, said = quietly(self._arguments(command))
            if code not in (0, 1 if command[0] == "verify" else 0) or "raceback" in said:
                last = said.strip().splitlines()[-1] if said.strip() else ""
                if code != 2 or not last.startswith("Error: ") or not is_sentence(last):
                    return found(f"{' '.join(command)}: {code} {said[-300:]!r}")
                refusals.append(last)
        told += refusals
        return refused(told[0]) if told else SURVIVED

    def _arguments(self, command: Sequence[str]) -> list[str]:
        """Return a command with the index as its first argument; names in braces are read, in angles written."""
        verb, *more = command
        folders = {"{": self._folder, "<": self._case.parent}
        return [
            verb,
            str(self._case),
            *(str(folders[one[0]] / one[1:-1]) if one[0] in folders else one for one in more),
        ]

    def _sound(self, name: str) -> Path:
        return self._folder / f"{name}.tacit"

    def _generation(self, index: Path) -> Path:
        return index / (index / "CURRENT").read_text().strip()

    def _forged(self, content: Any, file: str, place: tuple[Any, ...], way: str, number: int) -> str:
        """Return the file with one change."""
        facts = copy.deepcopy(content)
        value = _MARK if way == "value" and number >= len(_VALUES) else _VALUES[number] if way == "value" else None
        if not place:
            facts = value
        else:
            inside = facts
            for key in place[:-1]:
                inside = inside[key]
            _change(inside, place[-1], way, value)
        if file == "manifest.json" and isinstance(facts, dict) and "checksum" in facts and place != ("checksum",):
            facts.pop("checksum")
            facts["checksum"] = _checksum(facts)
        text = json.dumps(facts, ensure_ascii=False)
        return text.replace(json.dumps(_MARK), [*_VALUES, *_WORDS][number]) if value is _MARK else text


_INDEXES: dict[str, list[str]] = {
    "words": [],
    "both": ["--vectors", "{vectors}"],
    "alone": ["--vectors", "{vectors}", "--vectors-only"],
    "parts": ["--shards", "2"],
    "lsi": ["--model", "lsi", "--suggester", "both"],
}
_READING = tuple(
    tuple(line.split("|"))
    for line in (
        "search|whale harbour", "search|salt lamp|--by|meaning|--json", "search|cat|--under|sea", "similar|r3",
        "show|r3", "labels", "labels|animals", "suggest|whale harbour", "suggest|lamp|--chosen|--json",
        "recommend|--liked|r1|--disliked|r2", "recommend|--for|author=Bo|--what|labels",
        "explain|--query|whale|--id|r3", "explain|--label|animals", "explain|--text|whale|--label|animals",
        "explain|--id|r3|--id|r5", "explain|--dimension|1", "concepts", "cluster|--groups|2", "info", "info|--json",
        "verify", "map|-o|<m.html>", "map|-o|<m.svg>|--color|year", "export|-o|<e.jsonl>", "export|--site|<site>",
        "backup|<b.tacit>", "salvage|-o|<s.jsonl>",
    )
)  # fmt: skip
_CHANGING = tuple(
    tuple(line.split("|"))
    for line in (
        "add|{added.jsonl}", "update|{updated.jsonl}", "remove|r20", "learn|{corrections.jsonl}",
        "map|--seed|3|-o|<m.html>", "refit", "refit|--set|model=lsi", "evaluate",
    )
)  # fmt: skip


def _places(content: Any, above: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Return the places in a file: of things that are many and alike, the first and the last."""
    yield above
    keys: list[Any] = []
    if isinstance(content, dict):
        keys = list(content)
        keys = keys if len(keys) <= _LARGE and above[:1] != ("files",) else [keys[0], keys[-1]]
    elif isinstance(content, list):
        keys = sorted({0, len(content) - 1}) if content else []
    for key in keys:
        yield from _places(content[key], (*above, key))


def _change(inside: Any, key: Any, way: str, value: Any) -> None:
    if way == "value":
        inside[key] = value
    elif way == "gone":
        del inside[key]
    elif isinstance(inside, list):
        inside.insert(key, inside[key - 1] if way == "as the next" else copy.deepcopy(inside[key]))
    elif way == "as the next":
        others = list(inside)
        inside[key] = inside[others[(others.index(key) + 1) % len(others)]]
    else:
        inside[f"{key}{'.' if way == 'added' else ' '}"] = inside[key]


def _copied(source: str, target: str) -> None:
    """Copy what may be changed, and link the rest."""
    name = source.rpartition("/")[2]
    changed = name.endswith(".json") or name in ("records.sqlite", _SEAL, "lock", "CURRENT")
    (shutil.copyfile if changed else os.link)(source, target)
