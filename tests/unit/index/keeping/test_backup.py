"""A copy of an index is one state of it, complete, also while others write."""

from __future__ import annotations

import threading

import pytest
from index_builds import add, build, refit

import tacit
from tacit.errors import InputError
from tacit.index import open_generation, verify
from tacit.index.keeping import backup as backing_up


def test_a_copy_is_sound_and_the_same(tmp_path):
    path = build(tmp_path / "a.tacit", 10)
    add(path, range(4), lambda key: None)
    assert tacit.backup(path, tmp_path / "b.tacit") == 14
    assert verify(tmp_path / "b.tacit") == []
    with open_generation(path) as one, open_generation(tmp_path / "b.tacit") as other:
        assert [*one.store.records()] == [*other.store.records()]
        assert (one.arrays["positions"] == other.arrays["positions"]).all()
    assert sorted(entry.name for entry in (tmp_path / "b.tacit").iterdir()) == ["CURRENT", "generation-000001"]
    add(tmp_path / "b.tacit", [6], lambda key: None)
    with open_generation(path) as one:
        assert "new6" not in one.store


def test_while_others_add_and_refit(tmp_path):
    path = build(tmp_path / "a.tacit", 6)
    done = threading.Event()

    def write() -> None:
        for number in range(0, 40, 2):
            add(path, range(number, number + 2), lambda key: None)
            if number % 10 == 0:
                refit(path, number)
        done.set()

    thread = threading.Thread(target=write)
    thread.start()
    n_copies = 0
    while not done.is_set() or not n_copies:
        n_records = tacit.backup(path, tmp_path / "b.tacit", replace_old=True)
        n_copies += 1
        assert n_records % 2 == 0  # records come in pairs
        assert verify(tmp_path / "b.tacit") == []
    thread.join()
    assert n_copies


def test_a_damaged_index_is_not_copied_over_a_good_copy(tmp_path):
    path = build(tmp_path / "a.tacit", 10)
    tacit.backup(path, tmp_path / "b.tacit")
    facts = path / "generation-000001/facts/vocabulary.json"
    facts.write_text(facts.read_text(encoding="utf-8").replace("sea", "see"), encoding="utf-8")
    with pytest.raises(InputError, match=r"vocabulary\.json was changed"):
        tacit.backup(path, tmp_path / "b.tacit", replace_old=True)
    assert verify(tmp_path / "b.tacit") == []
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["a.tacit", "b.tacit"]


def test_mistakes(tmp_path, monkeypatch):
    path = build(tmp_path / "a.tacit", 2)
    (tmp_path / "full").mkdir()
    (tmp_path / "full/precious").write_text("x", encoding="utf-8")
    tacit.backup(path, tmp_path / "b.tacit")
    for target, sentence in {
        "b.tacit": "target exists already: got .*pass replace_old=True",
        "full": "target exists and is no index",
        "a.tacit": "target is the index itself",
        "a.tacit/b": "target is the index itself",
        "no/b.tacit": "target is not in an existing folder",
    }.items():
        with pytest.raises(InputError, match=sentence):
            tacit.backup(path, tmp_path / target)

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(backing_up, "seal", full)
    with pytest.raises(InputError, match=r"target cannot be written: got 'No space left on device' for .*c\.tacit"):
        tacit.backup(path, tmp_path / "c.tacit")
    assert not (tmp_path / "c.tacit").exists()
