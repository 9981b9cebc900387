"""The demonstration as a task: an index of real docstrings, the space of the words beside it, nobody's folder lost."""

from __future__ import annotations

import shutil

import numpy as np
import pytest

from tacit.corpus.record import Record
from tacit.errors import InputError
from tacit.tasks.build.build import build
from tacit.tasks.build.settings import BuildSettings
from tacit.tasks.collection import open_index
from tacit.tasks.demo import DEMO_INDEX, SUGGESTION_TEXT, PlainSpace, build_demo, check_demo_folder


@pytest.fixture(scope="module")
def built(demo_run, tmp_path_factory):
    """The index that the command left, copied since it is changed below."""
    return shutil.copytree(demo_run.folder / DEMO_INDEX, tmp_path_factory.mktemp("demo") / "python.tacit")


@pytest.fixture(scope="module")
def demo(built):
    with open_index(built) as collection:
        yield collection


@pytest.fixture(scope="module")
def plain(demo):
    return PlainSpace(demo)


def test_every_stage_is_reported(demo, monkeypatch, tmp_path):
    few = [record for _, record in demo.store.records() if record.labels[0] in ("Internet Data", "Markup")]
    monkeypatch.setattr("tacit.tasks.demo.standard_library_records", lambda: few)
    stages = []
    with open_index(build_demo(tmp_path / "few.tacit", report=stages.append)) as index:
        assert len(index) == len(few)
        assert set(index.info().weights) == set(demo.info().weights) == {"words", "labels", "taxonomy"}
    ended = [stage for stage in stages if stage.state == "end"]
    assert [stage.name for stage in ended] == [
        "reading the docstrings", "reading", "words", "weights", "space", "suggester", "map", "writing",
    ]  # fmt: skip
    assert ended[0].message == f"{len(few):,} docstrings of Python's standard library read"
    assert ended[3].message.startswith("weights tried on ")


def test_the_taxonomy_goes_from_chapter_to_class(demo):
    assert demo.taxonomy is not None
    assert set(demo.taxonomy.ancestors("builtins.str")) == {"builtins", "Built-ins"}
    assert demo.below("Cryptography")[0] == "Cryptography"
    assert {"hashlib", "hmac", "secrets"} <= set(demo.below("Cryptography"))
    assert "Cryptography" in demo.taxonomy.roots
    assert set(demo.taxonomy.names) == set(demo.label_names)


def test_each_plain_hit_has_the_cosine_of_its_place(demo, plain):
    query = "read a compressed archive"
    hits = plain.search(query, limit=4)
    place = plain._model.transform(plain._words.transform([query]))[0].astype(float)
    assert len(hits) == 4
    for hit in hits:
        other = plain._positions[demo.store.number_of(hit.id)].astype(float)
        assert hit.score == pytest.approx(place @ other / np.linalg.norm(place) / np.linalg.norm(other), abs=1e-4)
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


@pytest.mark.parametrize(
    ("query", "chapter"),
    [
        ("read a compressed archive", "Compression and Archiving"),
        ("draw random numbers from a normal distribution", "Numbers and Mathematics"),
        ("run something later in another thread", "Concurrency"),
    ],
)
def test_labels_bring_the_right_chapter_at_least_as_often_as_words_do(demo, plain, query, chapter):
    found = demo.search(query, by="meaning", limit=10), plain.search(query, limit=10)
    informed, by_words = (sum(hit.labels[0] == chapter for hit in hits) for hits in found)
    assert informed >= 6
    assert informed >= by_words


def test_subjects_of_a_new_text_are_probable(demo):
    suggested = demo.suggest(SUGGESTION_TEXT, limit=5)
    assert {"Internet Protocols", "http"} <= {found.label for found in suggested}
    assert all(0 <= found.probability <= 1 for found in suggested)


def test_texts_without_a_known_word_are_refused(plain):
    with pytest.raises(InputError, match="query has no known word: got 'zzxqy', expected at least one word of the"):
        plain.search("zzxqy")
    with pytest.raises(InputError, match="limit is out of range: got 0"):
        plain.search("archive", limit=0)


def test_an_index_of_the_demonstration_may_be_replaced_until_somebody_adds_to_it(built, demo, tmp_path):
    assert check_demo_folder(built) == built
    assert check_demo_folder(tmp_path / "new") == tmp_path / "new"
    with open_index(built) as collection:
        collection.add([Record("mine", "a note about archives")])
    with pytest.raises(InputError, match=r"keep is in use: got .* Choose another with --keep"):
        build_demo(built)
    with open_index(built) as collection:
        collection.remove(["mine"])
    assert check_demo_folder(built) == built


def test_what_belongs_to_somebody_is_left_alone(tmp_path):
    records = [Record(f"r{number}", f"word{number % 3} other") for number in range(9)]
    mine = build(records, tmp_path / "mine.tacit", BuildSettings(n_components=1))
    with pytest.raises(InputError, match=r"keep is in use: got .*mine\.tacit"):
        build_demo(mine)
    with open_index(mine) as collection:
        assert len(collection) == 9
    (tmp_path / "letter").write_text("dear")
    with pytest.raises(InputError, match=r"keep is in use: got .*letter"):
        build_demo(tmp_path / "letter")
    (tmp_path / "photos").mkdir()
    (tmp_path / "photos" / "sea.jpg").write_text("blue")
    with pytest.raises(InputError, match=r"keep is in use: got .*photos"):
        build_demo(tmp_path / "photos")
    assert [path.name for path in (tmp_path / "photos").iterdir()] == ["sea.jpg"]
