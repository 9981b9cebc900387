"""`tacit info`, `tacit verify` and `tacit export`; and an index of which any file is damaged says so in a sentence."""

from __future__ import annotations

import json
import re
import shutil
import warnings
from pathlib import Path

import numpy as np
import pytest

import tacit
from tacit.cli.app import main
from tacit.corpus import Record
from tacit.relations.taxonomy.taxonomy import Taxonomy
from tacit.tasks.build.settings import BuildSettings
from tacit.text import TextSettings

SEA = ["whale", "dolphin", "ship", "harbour", "wave", "tide"]
HOME = ["cat", "dog", "kitchen", "table", "garden", "chair"]


def collection(n: int = 40, *, links: bool = False) -> list[Record]:
    rng = np.random.default_rng(1)
    return [
        Record(
            f"r{number}",
            " ".join(rng.choice(SEA if number % 2 else HOME, 6)),
            labels=["sea"] if number % 2 else ["home", "pets"],
            links={"author": (f"a{number % 3}",)} if links else {},
            fields={"year": 1990 + number % 4},
        )
        for number in range(n)
    ]


@pytest.fixture(scope="module")
def sound(tmp_path_factory) -> Path:
    """An index of labels and a taxonomy, one of links, each with a record added and one removed."""
    folder = tmp_path_factory.mktemp("sound")
    settings = BuildSettings(n_components=5, text=TextSettings(min_records=1))
    taxonomy = Taxonomy.from_parents({"world": None, "sea": "world", "home": "world", "pets": "home"})
    tacit.build(collection(), folder / "labels.tacit", settings, taxonomy=taxonomy)
    tacit.build(collection(links=True), folder / "links.tacit", settings)
    for name in ("labels.tacit", "links.tacit"):
        with tacit.open(folder / name) as index:
            index.add([Record("new", "whale ship wave", labels=["sea"])])
            index.remove(["r4"])
    return folder


@pytest.fixture
def folder(sound, tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    shutil.copytree(sound, tmp_path, dirs_exist_ok=True)
    return tmp_path


@pytest.fixture
def command(capsys):
    def run(*arguments: str) -> tuple[int, str, str]:
        with warnings.catch_warnings(action="error", category=RuntimeWarning), pytest.raises(SystemExit) as left:
            main(arguments)
        printed = capsys.readouterr()
        return int(left.value.code or 0), printed.out, printed.err

    return run


def test_info_shows_what_there_is(folder, command):
    code, out, err = command("info", "labels.tacit")
    assert (code, err) == (0, "")
    shown = dict(re.split(r"  +", line, maxsplit=1) for line in out.splitlines())
    assert shown["records"] == "40 (1 added and 1 removed since the fit)"
    assert (shown["labels"], shown["taxonomy"], shown["words"]) == ("3", "4 nodes", "12")
    assert (shown["model"], shown["dimensions"]) == ("MLSI", "5")
    assert "label_weight=0.9" in shown["parameters"]
    assert shown["weights"] == "labels 1, taxonomy 0.1, words 0.1"
    assert "language=english" in shown["text"]
    assert shown["suggester"] == "both"  # as it was trained, not "auto" as it was asked for
    assert {"size", "fitted", "versions"} <= set(shown)


def test_info_as_json(folder, command):
    answer = json.loads(command("info", "links.tacit", "--json")[1])
    assert (answer["records"], answer["added"], answer["removed"], answer["labels"]) == (40, 1, 1, 3)
    assert (answer["model"], answer["links"], answer["taxonomy_nodes"]) == ("MLSI", {"author": 3}, 0)
    assert answer["weights"] == {"labels": 1.0, "author": 0.1, "words": 0.1}
    assert answer["refit_due"] is False
    assert answer["versions"]["numpy"] == np.__version__
    assert answer["parameters"]["n_components"] == 5


def test_info_says_that_a_refit_is_due(folder, command):
    command("remove", "labels.tacit", *(f"r{number}" for number in range(10, 20)), "-q")
    code, _, err = command("info", "labels.tacit")
    assert code == 0
    assert "Refit: tacit refit labels.tacit" in err


def test_a_sound_index_is_said_to_be(folder, command):
    assert command("verify", "labels.tacit") == (0, "labels.tacit is undamaged.\n", "")
    assert json.loads(command("verify", "links.tacit", "--json")[1]) == {
        "index": "links.tacit", "sound": True, "problems": [],
    }  # fmt: skip


def test_several_problems_are_several_lines(folder, command):
    generation = folder / "labels.tacit" / "generation-000001"
    (generation / "facts" / "words.json").unlink()
    (generation / "arrays" / "terms.npy").write_bytes(b"")
    code, out, err = command("verify", "labels.tacit")
    assert (code, err) == (1, "")
    assert len(out.splitlines()) == 2
    assert "words.json is missing" in out
    assert "terms.npy is incomplete" in out
    code, out, _ = command("verify", "labels.tacit", "--json")
    assert code == 1
    assert len(json.loads(out)["problems"]) == 2


def test_export_names_its_file_after_the_index(folder, command):
    code, out, err = command("export", "labels.tacit")
    assert (code, err) == (0, "")
    assert out == "40 records with positions of 5 dimensions written to labels.jsonl.\n"
    lines = [json.loads(line) for line in Path("labels.jsonl").read_text().splitlines()]
    assert {line["id"] for line in lines} == {f"r{n}" for n in range(40) if n != 4} | {"new"}


def test_export_in_other_formats(folder, command):
    answer = json.loads(command("export", "labels.tacit", "--format", "npy", "--json", "-q")[1])
    assert answer == {"path": "labels-positions", "format": "npy", "records": 40, "dimensions": 5}
    assert np.load("labels-positions/positions.npy").shape == (40, 5)
    assert command("export", "labels.tacit", "-o", "x.parquet", "-q", "--no-text") == (0, "", "")
    assert Path("x.parquet").read_bytes()[:4] == b"PAR1"


def test_an_index_without_records_has_an_empty_export(folder, command):
    ids = [f"r{number}" for number in range(40) if number != 4]
    assert command("remove", "labels.tacit", "new", *ids, "-q")[0] == 0
    assert command("export", "labels.tacit")[1].startswith("0 records")
    assert Path("labels.jsonl").read_text() == ""
    assert command("export", "labels.tacit", "--format", "parquet", "-q")[0] == 0
    assert command("export", "labels.tacit", "--format", "npy", "-q")[0] == 0
    assert np.load("labels-positions/positions.npy").shape == (0, 5)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["info", "nowhere.tacit"], "INDEX does not exist: got "),
        (["verify", "nowhere.tacit"], "INDEX does not exist: got 'nowhere.tacit'"),
        (["export", "nowhere.tacit"], "INDEX does not exist: got "),
        (["export", "labels.tacit", "-o", "no/x.jsonl"], "--output is not in an existing folder"),
        (["export", "labels.tacit", "-o", "there.jsonl"], "Choose another, or pass --replace."),
        (
            ["export", "labels.tacit", "-o", "links.tacit", "--format", "npy", "--replace"],
            "--output is a folder with other",
        ),
    ],
)
def test_what_cannot_be_done_is_one_sentence(folder, command, arguments, sentence):
    Path("there.jsonl").write_text("mine")
    code, out, err = command(*arguments)
    assert (code, out) == (2, "")
    assert err.startswith("Error: ")
    assert sentence in err
    assert len(err.splitlines()) == 1
    assert Path("there.jsonl").read_text() == "mine"


QUESTIONS = (
    ("info",),
    ("search", "whale", "ship"),
    ("search", "whale", "--by", "meaning", "--label", "sea"),
    ("similar", "r1"),
    ("suggest", "whale and ship"),
)


def damages(content: bytes) -> dict[str, bytes | None]:
    """Ways in which a file is not what it was; the last ones keep its length, and JSON and arrays can still be read."""
    middle = len(content) * 2 // 3
    ways: dict[str, bytes | None] = {
        "removed": None,
        "emptied": b"",
        "cut": content[: len(content) // 2],
        "grown": content + b"\0",
        "one bit": content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :],
        "noise": b"\x93" * len(content),
    }
    if content.startswith(b"{"):
        ways["another key"] = re.sub(rb'"(\w)(\w*)":', rb'"z\2":', content, count=1)
        ways["a list"] = b"[" + b" " * (len(content) - 2) + b"]"
        ways["a number"] = re.sub(rb'"\w{3,5}"([,\]])', lambda found: b"7".rjust(len(found[0]) - 1) + found[1], content)
    if content.startswith(b"\x93NUMPY"):
        ways["another type"] = content.replace(b"<f4", b"<i4", 1)
        ways["another shape"] = re.sub(rb"\((\d+), (\d+)\)", rb"(\2, \1)", content, count=1)
    return {way: changed for way, changed in ways.items() if changed != content}


def _files(sound: Path, index: str) -> list[str]:
    return sorted(p.relative_to(sound / index).as_posix() for p in (sound / index).rglob("*") if p.is_file())


@pytest.mark.parametrize(
    ("index", "files"),
    [
        ("labels.tacit", {"words.json", "labels.json", "taxonomy.json", "head_coef.npy", "positions.npy", "CURRENT"}),
        ("links.tacit", {"links.json", "link_positions_0.npy"}),  # the others are those of the first
    ],
)
def test_damage_to_any_file_is_told_and_never_a_traceback(sound, folder, command, index, files):
    names = [name for name in _files(sound, index) if name != "lock" and not name.endswith(("-shm", "-wal"))]
    assert files <= {Path(name).name for name in names}
    if index == "links.tacit":
        names = [name for name in names if "link" in Path(name).name]
    for name in names:
        content = (sound / index / name).read_bytes()
        for turn, (way, changed) in enumerate(damages(content).items()):
            shutil.rmtree(index)
            shutil.copytree(sound / index, index)
            Path(index, name).unlink() if changed is None else Path(index, name).write_bytes(changed)
            size_differs = changed is not None and len(changed) != len(content)
            # a wrong size is found when the index is opened, before any question: one of them will do
            questions = (QUESTIONS[turn % len(QUESTIONS)],) if size_differs else QUESTIONS
            _check_told(command, index, name, way, questions, size_differs=size_differs or changed is None)


@pytest.mark.parametrize("value", [np.nan, np.inf, 3e38])
def test_positions_that_are_no_numbers_are_told(folder, command, value):
    (path,) = Path("labels.tacit").rglob("positions.npy")
    positions = np.load(path)
    positions[:10] = value
    np.save(path, positions)
    for verb, *words in (("search", "whale"), ("similar", "r1"), ("explain", "--id", "r1", "--query", "whale")):
        code, out, err = command(verb, "labels.tacit", *words)
        assert (code, out) == (2, "")
        assert re.fullmatch(r"Error: .*positions\.npy was changed: got .* Restore the index .*\n", err)


def _check_told(command, index: str, name: str, way: str, questions, *, size_differs: bool) -> None:
    """Both `verify` and, where the size shows it, every other verb name the file in one sentence."""
    code, out, err = command("verify", index)
    # what is around the name in CURRENT, and behind the last page of a database, is not looked at
    harmless = way == "grown" and name.endswith(("CURRENT", "records.sqlite"))
    harmless |= way == "removed" and name.endswith("records.checksum")  # as after a writer that was killed
    if not harmless:
        assert (code, err) == (1, ""), (name, way, out)
        # of a file and its own checksum, nobody can know which one has changed
        named = "records.sqlite" if name.endswith("records.checksum") else Path(name).name
        assert Path(name).name in out or named in out or "has lost its content" in out, (name, way, out)
        assert all(re.search(r"got .*expected ", line) for line in out.splitlines()), out
    for verb, *words in questions:
        code, out, err = command(verb, index, *words)
        assert code in (0, 2), (name, way, verb)
        assert "Traceback" not in err
        assert "unexpected error" not in err, (name, way, verb, err)
        assert "mistake of ours" not in err
        if code:
            assert len(err.splitlines()) == 1, (name, way, err)
            assert err.startswith("Error: ")
        if size_differs and not harmless and not name.endswith("records.sqlite"):
            assert code == 2, (name, way, verb)
            assert Path(name).name in err, (name, way, err)


def test_backup_and_salvage(folder, command):
    said = "40 records and everything else of links.tacit copied to copy.tacit.\n"
    assert command("backup", "links.tacit", "copy.tacit")[:2] == (0, said)
    code, _, error = command("backup", "links.tacit", "copy.tacit")
    assert code == 2
    assert "FOLDER exists already: got" in error
    assert "pass --replace" in error
    assert command("verify", "copy.tacit")[0] == 0
    code, said, _ = command("salvage", "links.tacit")
    assert code == 0
    assert "40 records written to links-salvaged.jsonl.\nEach is as it was written." in said
    build = re.search(r"^To build a new index: tacit (.*)$", said, re.MULTILINE)[1].split()
    assert command(*build, "--quiet", "--no-map", "-o", "new.tacit") == (0, "", "")
    with tacit.open("links.tacit") as one, tacit.open("new.tacit") as other:
        expected, rebuilt = ({found.id: found for _, found in index.store.records()} for index in (one, other))
        assert rebuilt.pop("new").labels == expected.pop("new").labels  # it had no links, and now has none of each kind
        assert rebuilt == expected
    records = next((folder / "copy.tacit").glob("*/records.sqlite"))
    content = bytearray(records.read_bytes())
    content[content.index(b"r11") : content.index(b"r11") + 400] = bytes(400)
    records.write_bytes(content)
    code, said, _ = command("salvage", "copy.tacit", "--json")
    found = json.loads(said)
    assert code == 1
    assert found["n_lost"] + found["n_damaged"] > 0
    assert not found["is_whole"]
