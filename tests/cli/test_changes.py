"""`tacit add`, `tacit update` and `tacit remove`: all of a command or nothing, read as the index was read."""

from __future__ import annotations

import io
import json
import shutil
from pathlib import Path

import numpy as np
import pytest

import tacit
from tacit.cli.app import main
from tacit.corpus import Record
from tacit.index import verify
from tacit.tasks.build.settings import BuildSettings
from tacit.text import TextSettings

WORDS = ["whale", "ship", "wave", "cat", "kitchen", "lamp"]


def line(number: int, **changed: object) -> str:
    words = WORDS[:3] if number % 2 else WORDS[3:]
    row = {"key": f"k{number}", "body": " ".join(words), "tags": ["sea" if number % 2 else "home"], "year": 1990}
    return json.dumps({**row, **changed}) + "\n"


@pytest.fixture(scope="module")
def built(tmp_path_factory) -> Path:
    """An index of 30 records whose columns have to be named."""
    folder = tmp_path_factory.mktemp("built")
    (folder / "notes.jsonl").write_text("".join(map(line, range(30))))
    options = ["--text", "body", "--labels", "tags", "--id", "key", "--set", "min_records=1", "--dimensions", "4", "-q"]
    with pytest.raises(SystemExit) as left:
        main(["build", str(folder / "notes.jsonl"), "-o", str(folder / "notes.tacit"), *options])
    assert not left.value.code
    return folder / "notes.tacit"


@pytest.fixture
def index(built, tmp_path, monkeypatch) -> str:
    """A copy of it in the folder to work in."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(built, "notes.tacit")
    return "notes.tacit"


@pytest.fixture
def command(capsys):
    def run(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as left:
            main(arguments)
        printed = capsys.readouterr()
        return int(left.value.code or 0), printed.out, printed.err

    return run


def ids(index: str) -> set[str]:
    with tacit.open(index) as notes:
        return {record.id for _, record in notes.store.records()}


def place_of(notes, id: str) -> np.ndarray:
    return notes.positions.of(np.array([notes.store.number_of(id)]))[0]


def cosine(one, other) -> float:
    return float(one @ other / np.linalg.norm(one) / np.linalg.norm(other))


def test_added_records_are_read_as_the_index_was_and_found(index, command):
    Path("new.jsonl").write_text(line(30, body="whale whale narwhal") + line(31, body="whale xyzzy", tags=[]))
    code, out, err = command("add", index, "new.jsonl")
    assert (code, err) == (0, "")
    assert "2 records added; notes.tacit has 32 records now." in out
    with tacit.open(index) as notes:
        assert notes["k30"].labels == ("home",)
        assert notes["k30"].fields == {"year": 1990}
        assert notes.search("narwhal", by="words")[0].id == "k30"
        assert place_of(notes, "k31") == pytest.approx(notes.space.place(["whale"])[0], abs=1e-6)
    assert verify(index) == []


def test_known_labels_move_an_added_record_and_unknown_ones_do_not(index, command):
    changes = {30: {}, 31: {}, 32: {"body": "whale", "tags": ["home"]}, 33: {"body": "whale", "tags": ["never"]}}
    Path("new.jsonl").write_text("".join(line(number, **changed) for number, changed in changes.items()))
    assert command("add", index, "new.jsonl", "-q")[0] == 0
    with tacit.open(index) as notes:
        for new, old in (("k30", "k0"), ("k31", "k1")):  # as two records of the fit, whose text and labels it has
            assert place_of(notes, new) == pytest.approx(place_of(notes, old), abs=1e-3)
        by_words = notes.space.place(["whale"])[0]
        assert place_of(notes, "k33") == pytest.approx(by_words, abs=1e-6)
        homes = [cosine(place, place_of(notes, "k0")) for place in (by_words, place_of(notes, "k32"))]
        assert homes[0] < 0.3 < 0.6 < homes[1]


def test_a_label_first_seen_in_an_added_record_is_suggested_and_filters(index, command):
    # between the two groups of the fit, where no other record is
    new = [line(number, body="whale lamp", tags=["lighthouses"]) for number in range(30, 36)]
    Path("new.jsonl").write_text("".join(new))
    before = command("suggest", index, "a whale and a lamp", "--json")[1]
    assert command("add", index, "new.jsonl", "-q")[0] == 0
    (found,) = json.loads(command("suggest", index, "a whale and a lamp", "--json")[1])["texts"]
    assert "lighthouses" not in before
    assert {one["label"] for one in found["suggestions"]} == {"sea", "home", "lighthouses"}
    hits = json.loads(command("search", index, "whale", "--label", "lighthouses", "--limit", "50", "--json")[1])["hits"]
    assert sorted(hit["id"] for hit in hits) == [f"k{number}" for number in range(30, 36)]


def test_other_columns_can_be_named(index, command):
    Path("new.csv").write_text("name,note\nx1,a ship at sea\nx2,a cat\n")
    assert command("add", index, "new.csv", "-q", "--text", "note", "--id", "name", "--labels", "") == (0, "", "")
    with tacit.open(index) as notes:
        assert notes["x1"].text == "a ship at sea"
        assert notes["x1"].labels == ()


def test_json_counts(index, command):
    Path("new.jsonl").write_text("".join(line(number) for number in range(30, 34)))
    answer = json.loads(command("add", index, "new.jsonl", "--json")[1])
    assert (answer["added"], answer["records"], answer["refit_due"]) == (4, 34, True)
    assert answer["reading"]["records"] == 4
    answer = json.loads(command("remove", index, "k1", "k2", "--json")[1])
    assert (answer["removed"], answer["records"], answer["refit_due"]) == (2, 32, True)
    answer = json.loads(command("update", index, "new.jsonl", "--json")[1])
    assert (answer["updated"], answer["records"]) == (4, 32)


def test_a_refit_that_is_due_is_told(index, command):
    Path("new.jsonl").write_text("".join(line(number) for number in range(30, 34)))
    assert (
        "Note: 13% of the records changed since the last fit. Refit the index: tacit refit notes.tacit"
        in command("add", index, "new.jsonl")[2]
    )


def test_an_update_replaces_everything_about_a_record(index, command):
    Path("new.jsonl").write_text(line(3, body="kitchen lamp", tags=["home", "light"], year=2000))
    code, out, _ = command("update", index, "new.jsonl")
    assert code == 0
    assert "1 record updated; notes.tacit has 30 records now." in out
    with tacit.open(index) as notes:
        assert notes["k3"] == Record("k3", "kitchen lamp", ("home", "light"), fields={"year": 2000})


def test_records_are_removed_by_arguments_file_and_standard_input(index, command, monkeypatch):
    Path("gone.txt").write_text("\ufeffk2\n\n  k3 \nk1\n", encoding="utf-8")
    code, out, _ = command("remove", index, "k1", "--ids-from", "gone.txt")
    assert code == 0
    assert "3 records removed; notes.tacit has 27 records now." in out
    monkeypatch.setattr("sys.stdin", io.StringIO("k4\n"))
    assert command("remove", index, "--ids-from", "-", "-q") == (0, "", "")
    assert {"k1", "k2", "k3", "k4"} & ids(index) == set()
    assert verify(index) == []


def test_nothing_to_add_is_said(index, command):
    Path("new.jsonl").write_text(line(30))
    code, out, _ = command("add", index, "new.jsonl", "--limit-records", "0")
    assert code == 0
    assert "0 records added; notes.tacit has 30 records now." in out


def test_problems_are_shown_with_their_lines(index, command):
    Path("new.jsonl").write_text(line(30) + "{broken\n")
    code, out, err = command("add", index, "new.jsonl")
    assert code == 0
    assert "new.jsonl, line 2" in out
    assert "what was read" not in err


def test_words_that_the_space_does_not_know_are_told(index, command):
    Path("new.jsonl").write_text(line(30, body="zebra", tags=[]) + line(31, body="gnu"))
    assert "Note: 1 of 2 records have no word that the space knows" in command("add", index, "new.jsonl")[2]
    with tacit.open(index) as notes:
        assert not place_of(notes, "k30").any()
        assert place_of(notes, "k31").any()  # by its label


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["add", "notes.tacit", "taken.jsonl"], "SOURCE has an id that is in use: got 'k5'"),
        (["add", "notes.tacit", "other.csv"], "name others with --text, --labels"),
        (["add", "notes.tacit", "nothing.jsonl"], "SOURCE does not exist: got 'nothing.jsonl'"),
        (["add", "notes.tacit"], "SOURCE is missing"),
        (["add", "nowhere.tacit", "taken.jsonl"], "INDEX does not exist"),
        (
            ["add", "notes.tacit", "taken.jsonl", "--vectors", "v.npy"],
            "--vectors cannot be placed: got vectors for an index",
        ),
        (["update", "notes.tacit", "taken.jsonl"], "SOURCE has an unknown id: got 'k99'"),
        (["remove", "notes.tacit", "k1", "zzz"], "ID has an unknown id: got 'zzz'"),
        (["remove", "notes.tacit"], "ID is missing"),
        (["remove", "notes.tacit", "--ids-from", "no.txt"], "--ids-from cannot be read: got 'No such file"),
        (["remove", "nowhere.tacit", "k1"], "INDEX does not exist"),
    ],
)
def test_what_cannot_be_done_is_one_sentence_and_changes_nothing(index, command, arguments, sentence):
    Path("taken.jsonl").write_text(line(99) + line(5))
    Path("other.csv").write_text("id,text\n1,whale\n")
    np.save("v.npy", np.zeros((2, 3)))
    before = ids(index)
    code, out, err = command(*arguments)
    assert (code, out) == (2, "")
    assert err.startswith("Error: ")
    assert sentence in err
    assert len(err.splitlines()) == 1
    assert ids(index) == before
    assert verify(index) == []


def test_an_index_without_a_word_on_its_reading_takes_records_by_guess(tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    records = [Record(f"r{n}", " ".join(WORDS[n % 3 :])) for n in range(12)]
    facts = BuildSettings(n_components=3, text=TextSettings(min_records=1)).to_facts()
    del facts["reading"]  # as an index has it that was built before there was such an entry
    tacit.build(records, "old.tacit", BuildSettings.from_facts(facts))
    Path("new.csv").write_text("id,text\nx,whale and ship\n")
    assert command("add", "old.tacit", "new.csv", "-q")[0] == 0
    assert "x" in ids("old.tacit")


def test_a_new_label_is_said_with_the_nearest_known_one(index, command):
    Path("new.jsonl").write_text(line(30, tags=["sea", "hme"]) + line(5))
    code, _, said = command("add", index, "new.jsonl")
    assert (code, len(said.splitlines())) == (2, 1)  # nothing is new of what was not added
    Path("new.jsonl").write_text(line(30, tags=["sea", "hme"]) + line(31, tags=["hme"]))
    code, _, said = command("add", index, "new.jsonl")
    assert code == 0
    assert "1 label is new in this index: 'hme'." in said
    assert "Did you mean 'home'?" in said
    Path("more.jsonl").write_text(line(32, tags=["hme"]))
    assert "new in this index" not in command("add", index, "more.jsonl")[2]


def test_ids_in_use_are_replaced_if_asked(index, command):
    Path("new.jsonl").write_text(line(3, body="kitchen lamp") + line(30))
    code, out, _ = command("add", index, "new.jsonl", "--replace-existing")
    assert code == 0
    assert "1 record added, 1 replaced; notes.tacit has 31 records now." in out
    with tacit.open(index) as notes:
        assert notes["k3"].text == "kitchen lamp"
        assert notes.search("kitchen lamp", by="words", limit=50)[0].record.text == "kitchen lamp"
    assert verify(index) == []
