"""A site holds all that a browser needs, its small space agrees with the index, and no other folder is overwritten."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from small_index import small_records, small_settings, small_taxonomy

import tacit
from tacit.corpus import Record
from tacit.errors import InputError
from tacit.serve.site.column_files import Columns
from tacit.serve.site.label_files import site_labels
from tacit.serve.site.neighbour_suggestions import NEIGHBOURS, calibrate, neighbour_candidates
from tacit.serve.site.small_space import agreement, small_space
from tacit.serve.site.write_site import site_size, write_site
from tacit.tasks.collection import Collection


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Collection:
    folder = tmp_path_factory.mktemp("site") / "library.tacit"
    tacit.build(small_records(120, links=True), folder, small_settings(), taxonomy=small_taxonomy())
    return tacit.open(folder)


def test_a_site_reads_files_and_nothing_from_elsewhere(library: Collection, tmp_path: Path) -> None:
    told = write_site(library, tmp_path / "site")
    html = (tmp_path / "site/index.html").read_text()
    assert 'name="tacit-source" content="site"' in html
    assert "Content-Security-Policy" in html
    assert not {"http://", "https://"} & set(html.split('"'))
    info = json.loads((tmp_path / "site/data/info.json").read_text())
    assert (told.records, info["records"], info["has_taxonomy"], info["link_kinds"]) == (120, 120, True, ["author"])
    assert told.bytes == sum(path.stat().st_size for path in (tmp_path / "site").rglob("*") if path.is_file())
    assert 0.5 < site_size(library) / told.bytes < 2
    assert (tmp_path / "site/page/vendor.js").exists()


def test_removed_records_are_left_out_and_added_ones_are_in(tmp_path: Path) -> None:
    folder = tmp_path / "changed.tacit"
    tacit.build(small_records(40), folder, small_settings(map=False))
    with tacit.open(folder) as collection:
        collection.remove(["r3"])
        collection.add([Record("new", "whale ship harbour", labels=["animals", "fresh"])])
        write_site(collection, tmp_path / "site")
    ids = json.loads((tmp_path / "site/data/ids.json").read_text())
    labels = json.loads((tmp_path / "site/data/labels.json").read_text())
    assert "r3" not in ids
    assert ids[-1] == "new"
    assert "fresh" in labels["ids"]


def test_a_small_space_finds_what_the_index_finds(library: Collection) -> None:
    numbers = library.store.numbers()
    texts = [record.text for record in library.store.get(numbers[:40])]
    space = small_space(library, numbers, 99)
    positions = library.positions.of(numbers)
    exact = positions / np.linalg.norm(positions, axis=1, keepdims=True)
    assert np.abs(space.records.restored() @ space.records.restored().T - exact @ exact.T).max() < 0.02
    assert agreement(library, numbers, space, texts, 10) > 0.8
    assert small_space(library, numbers, 2).records.rows.shape == (120, 2)


def test_shares_of_the_nearest_records_agree_with_a_loop(library: Collection) -> None:
    numbers = library.store.numbers()
    space = small_space(library, numbers, 99)
    labels = site_labels(library, [record.labels for record in library.store.get(numbers)])
    known = sp.csr_array(labels.indicator[:, : labels.n_known])
    position = space.records.restored(np.array([5]))
    texts, found, shares, _ = neighbour_candidates(space, position, known, without=np.array([5]))
    cosines = (space.records.restored() @ position[0]) / np.linalg.norm(position)
    cosines[5] = -1
    near = np.argsort(-cosines)[:NEIGHBOURS]
    weights = np.maximum(cosines[near], 0) ** 2
    expected = (weights @ known[near].toarray()) / weights.sum()
    assert set(texts) == {0}
    np.testing.assert_allclose(np.sort(shares), np.sort(expected[expected > 0]), rtol=1e-5)
    np.testing.assert_allclose(shares, expected[found], rtol=1e-5)


def test_probabilities_follow_how_often_neighbours_are_right(library: Collection) -> None:
    numbers = library.store.numbers()
    records = library.store.get(numbers)
    space = small_space(library, numbers, 99)
    labels = site_labels(library, [record.labels for record in records])
    known = sp.csr_array(labels.indicator[:, : labels.n_known])
    asked = np.flatnonzero(np.diff(known.indptr))
    assert library.space.words is not None
    rows = library.space.words.transform([records[number].text for number in asked])
    fitted = calibrate(space, rows, asked, known)
    texts, found, shares, cosines = neighbour_candidates(space, space.place(rows), known, without=asked)
    chances = 1 / (1 + np.exp(-(fitted.constant + fitted.share * np.log(shares) + fitted.cosine * cosines)))
    assert chances.mean() == pytest.approx(np.asarray(known[asked[texts], found]).mean(), abs=0.02)
    assert 0 < fitted.threshold < 1


def test_labels_count_a_record_once_at_or_below_each_class(library: Collection) -> None:
    names = [("animals", "vessels"), ("animals",), ("pets",), ()]
    labels = site_labels(library, names)
    totals = dict(zip(labels.ids, labels.totals.tolist(), strict=True))
    assert (totals["sea"], totals["home"], totals["world"]) == (2, 1, 3)
    assert dict(zip(labels.ids, labels.own.tolist(), strict=True))["animals"] == 2


def test_columns_hold_numbers_texts_lists_and_links(tmp_path: Path) -> None:
    columns = Columns()
    columns.add(Record("a", "", fields={"year": 1990, "kind": ["map", "book"]}, links={"author": ("Ann",)}))
    columns.add(Record("b", "", fields={"year": 2001, "kind": "map", "odd": {"no": "value"}}))
    files: dict[str, object] = {}
    written = columns.write(tmp_path, lambda path, content: files.update({path.name: content}))
    facts = {one["name"]: one for one in written}
    assert (facts["year"]["kind"], facts["year"]["low"], facts["year"]["high"]) == ("number", 1990, 2001)
    assert facts["kind"]["values"][0] == ["map", 2]
    assert facts["author"]["is_link"]
    number = facts["kind"]["column"]
    assert np.asarray(files[f"column_{number}_starts.npy"]).tolist() == [0, 2, 3]
    assert "odd" not in facts


def test_other_folders_are_never_overwritten(library: Collection, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/letter.txt").write_text("dear")
    with pytest.raises(InputError, match=r"is not a site: got .*mine"):
        write_site(library, tmp_path / "mine", replace_old=True)
    write_site(library, tmp_path / "site")
    with pytest.raises(InputError, match="exists already"):
        write_site(library, tmp_path / "site")
    write_site(library, tmp_path / "site", replace_old=True, texts=False)
    assert (tmp_path / "mine/letter.txt").read_text() == "dear"
    with pytest.raises(InputError, match="existing folder"):
        write_site(library, tmp_path / "none/site")
