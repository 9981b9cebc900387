"""An index that an earlier version wrote still opens, answers, takes changes and can be fitted again.

`index_format_1.zip` was written on 2026-11-18 by version 0.1.0.dev0 (format 1) with the commands

    tacit build books.jsonl -o books.tacit --dimensions 6 --labels labels --taxonomy-separator / --link author
    tacit add books.tacit more.jsonl
    tacit remove books.tacit b3

from 24 invented books in four subjects. It holds every kind of file: words, labels, a taxonomy, links, a suggester, and
records that were added and removed after the fit. The expected scores are those that the same version printed.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import tacit
from tacit.corpus.record import Record
from tacit.index import verify


@pytest.fixture
def old_index(tmp_path: Path) -> Path:
    folder = tmp_path / "books.tacit"
    shutil.unpack_archive(Path(__file__).with_name("index_format_1.zip"), folder)
    return folder


def test_an_old_index_is_sound_and_says_what_it_holds(old_index: Path) -> None:
    assert verify(old_index) == []
    with tacit.open(old_index) as books:
        info = books.info()
    assert (info.records, info.added, info.removed) == (24, 1, 1)
    assert (info.model, info.dimensions, info.labels, info.taxonomy_nodes) == ("M-LSA", 6, 4, 6)
    assert info.links == {"author": 5}
    assert info.weights == {}


def test_an_old_index_gives_the_same_answers(old_index: Path) -> None:
    with tacit.open(old_index) as books:
        hits = books.search("whale song", limit=3)
        first = books.suggest("knit a needle of wool")[0]
        nearest = books.near("author", "Ann", limit=1)
    assert [hit.id for hit in hits] == ["late", "b8", "b9"]
    assert [hit.score for hit in hits] == pytest.approx([1.0, 3.795629 / 4, 3.759862 / 4], abs=1e-5)  # then up to 8
    assert (first.label, first.chosen, first.ancestors) == ("crafts/wool", True, ("crafts",))
    assert first.probability == pytest.approx(0.792052, abs=1e-5)
    assert len(nearest) == 1


def test_an_old_index_takes_changes_and_a_refit(old_index: Path) -> None:
    with tacit.open(old_index) as books:
        books.add([Record("new", "spin yarn on a loom", ("crafts/wool",))])
        books.remove(["b4"])
        assert "new" in [hit.id for hit in books.search("loom", by="words", limit=20)]
    tacit.refit(old_index)
    assert verify(old_index) == []
    with tacit.open(old_index) as books:
        info = books.info()
        # its settings say "auto", which was M-LSA for links then
        assert (info.records, info.added, info.removed, info.model, info.dimensions) == (24, 0, 0, "MLSI", 6)
        assert set(info.weights) == {"words", "labels", "taxonomy", "author"}
        assert info.links == {"author": 5}
