"""Every command on an index of shards prints what it prints for one index of the same records."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from sharded_index import library

from tacit.cli.app import main
from tacit.corpus.record import Record

QUESTIONS = [
    "info INDEX",
    "verify INDEX",
    "search INDEX|whale ship",
    "search INDEX|whale ship|--by|words|--json",
    "search INDEX|bank loan|--label|money|--range|year=1995..2004|--json",
    "search INDEX|shp|--json",
    "search INDEX|title:whale|--json",
    "search INDEX|whale -ship|--by|words|--json",
    "similar INDEX|b0007|--json",
    "similar INDEX|b0007|--by|hybrid|--json",
    "show INDEX|b0150",
    "labels INDEX",
    "suggest INDEX|whale ship harbour|--json",
    "suggest INDEX|whale ship harbour|--reasons",
    "recommend INDEX|--liked|b0007|--liked|b0150|--json",
    "explain INDEX|--query|whale ship|--id|b0007",
    "explain INDEX|--label|ships",
    "explain INDEX|--dimension|1",
    "explain INDEX|--id|b0007|--id|b0150",
    "concepts INDEX",
    "cluster INDEX|--json",
    "export INDEX|-o|NAME.jsonl",
    "export INDEX|--format|csv|-o|NAME.csv",
    "map INDEX|-o|NAME.svg",
    "backup INDEX|NAME-copy.tacit",
    "salvage INDEX|-o|NAME-salvaged.jsonl",
    "evaluate INDEX",
]
CHANGES = [
    "learn INDEX|learned.jsonl|-q",
    "add INDEX|new.jsonl",
    "search INDEX|zebra|--json",
    "add INDEX|both.jsonl|--replace-existing",
    "update INDEX|old.jsonl",
    "search INDEX|kettle carpet|--json",
    "search INDEX|kettle carpet|--by|words|--json",
    "remove INDEX|n1|b0003|b0140",
    "search INDEX|whale ship|--json",
    "suggest INDEX|zebra ship harbour|--json",
    "export INDEX|-o|NAME-changed.jsonl",
    "map INDEX|--again|-q",
    "info INDEX",
    "verify INDEX",
]
MISTAKES = [
    "show INDEX|b9999",
    "remove INDEX|b0003|nobody",
    "add INDEX|old.jsonl",
    "update INDEX|new.jsonl",
    "search INDEX|whale|--label|shops",
    "search INDEX|whale|--where|shelf=rooms-9",
]
Run = Callable[[str, str], tuple[object, str, str]]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same 160 books as one index and as three shards, and files of changes."""
    path = tmp_path_factory.mktemp("commands")
    given = {"title": "New", "labels": ["ships"], "author": "Ship Author 1", "year": 2001, "shelf": "x"}
    files = {
        "books": [_row(record) for record in library(160)],
        "new": [{**given, "id": f"n{place}", "text": _text(place)} for place in range(5)],
        "both": [{**given, "id": key, "text": _text(5 + place)} for place, key in enumerate(("b0010", "n9", "b0100"))],
        "old": [{**given, "id": f"b{37 * place:04d}", "text": _text(10 + place)} for place in range(5)],
    }
    for name, rows in files.items():
        _write(path / f"{name}.jsonl", rows)
    learned = [{"id": f"t{word}", "text": f"{word} ship", "labels": ["ships"]} for word in ("rope", "sail", "storm")]
    _write(path / "learned.jsonl", learned)
    for name, options in (("whole", []), ("sharded", ["--shards", "3"])):
        arguments = ["build", str(path / "books.jsonl"), "-o", str(path / f"{name}.tacit"), "--dimensions", "6", "-q"]
        with pytest.raises(SystemExit, match="0"):
            main([*arguments, *options])
    return path


@pytest.fixture
def run(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    monkeypatch.chdir(folder)

    def run(name: str, command: str) -> tuple[object, str, str]:
        verb, rest = command.split(" ", 1)
        arguments = rest.replace("INDEX", f"{name}.tacit").replace("NAME", name).split("|")
        with pytest.raises(SystemExit) as left:
            main([verb, *arguments])
        said = capsys.readouterr()
        return left.value.code, _plain(said.out, name), _plain(said.err, name)

    return run


def _text(place: int) -> str:
    """Return different words for each: ties are in the order of numbers, and new records have others in shards."""
    return " ".join(["zebra whale ship kettle carpet", *library(20, seed=5)[place].text.split()[: 2 + place]])


def _row(record: Record) -> dict[str, object]:
    parts = {"id": record.id, "title": record.title, "text": record.text, "labels": list(record.labels)}
    return {**parts, "author": record.links["author"][0], **record.fields}


def _write(path: Path, rows: list[dict[str, object]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def _plain(text: str, name: str) -> str:
    """Leave out what differs in any two indexes: names, times, sizes and the memory used."""
    text = re.sub(r"^(fitted|size|shards) .*\n", "", text.replace(name, "NAME"), flags=re.MULTILINE)
    return re.sub(r"\b[\d.,]+ (s|MB|seconds)\b", "", text)


@pytest.mark.parametrize("command", QUESTIONS)
def test_a_question_has_the_same_answer(command: str, run: Run) -> None:
    code, said, _ = run("whole", command)
    assert code in (0, None)
    assert run("sharded", command)[:2] == (code, said)


@pytest.mark.parametrize("suffix", [".jsonl", ".csv", "-salvaged.jsonl"])
def test_files_that_are_written_are_the_same(suffix: str, folder: Path) -> None:
    whole, sharded = ((folder / f"{name}{suffix}").read_bytes() for name in ("whole", "sharded"))
    assert sharded == whole


def test_a_copy_answers_as_the_index(run: Run) -> None:
    code, said, _ = run("whole", "search INDEX|whale ship|--json")
    assert run("sharded-copy", "search INDEX|whale ship|--json")[:2] == (code, said)
    assert run("sharded-copy", "verify INDEX")[0] in (0, None)


@pytest.mark.parametrize("command", MISTAKES)
def test_a_mistake_gets_the_same_sentence(command: str, run: Run) -> None:
    code, said, told = run("whole", command)
    assert run("sharded", command) == (code, said, told)


def test_changes_leave_the_same_records_and_answers(folder: Path, run: Run) -> None:
    for command in CHANGES:
        code, said, _ = run("whole", command)
        assert code in (0, None), command
        assert run("sharded", command)[:2] == (code, said), command
    assert _lines(folder / "sharded-changed.jsonl") == _lines(folder / "whole-changed.jsonl")


def test_a_refit_keeps_the_shards(run: Run, folder: Path) -> None:
    shutil.copytree(folder / "sharded.tacit", folder / "again.tacit")
    assert run("again", "refit INDEX|-q")[0] in (0, None)
    generation = (folder / "again.tacit/CURRENT").read_text().strip()
    shards = folder / "again.tacit" / generation.replace("generation", "shards")
    assert sorted(entry.name for entry in shards.iterdir()) == ["0000", "0001", "0002"]
    assert run("again", "verify INDEX")[0] in (0, None)
    assert run("again", "refit INDEX|--shards|2|-q")[0] in (0, None)
    assert "shards 2" in re.sub(" +", " ", _info(run, "again"))
    assert run("again", "search INDEX|whale ship")[0] in (0, None)


def test_more_shards_than_records_are_refused(run: Run) -> None:
    code, _, told = run("small", "build new.jsonl|-o|INDEX|--shards|6")
    assert (code, "shards is too large: got 6 for 5 records" in told) == (2, True)
    code, _, told = run("small", "build new.jsonl|-o|INDEX|--shards|0")
    assert code == 2
    assert "--shards" in told


def _info(run: Run, name: str) -> str:
    from tacit.tasks.collection import open_index

    with open_index(Path(f"{name}.tacit")) as index:
        return f"shards {index.info().shards}"


def _lines(path: Path) -> list[str]:
    """Return the lines of a file, in any order: records that are new have other numbers in shards."""
    return sorted(path.read_text().splitlines())
