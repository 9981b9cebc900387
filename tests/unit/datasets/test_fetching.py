"""Fetching data sets, from a real server on this machine: what is good is put in place, what is not leaves no trace."""

from __future__ import annotations

import hashlib
import io
import json
import os
import zipfile
from pathlib import Path

import pytest
from shelf import ENZYME, SGML, TOPICS, Shelf, everything_in, home_of, tar_of

from tacit.datasets import load_enzyme
from tacit.datasets.data_files import data_folder
from tacit.datasets.fetching import Download, fetch_dataset, homes, is_there
from tacit.datasets.registry import dataset_names
from tacit.errors import InputError


@pytest.fixture
def shelf():
    made = Shelf()
    yield made
    made.server.shutdown()
    made.server.server_close()


def test_a_set_without_a_published_checksum_is_recorded_then_remembered(shelf, tmp_path):
    shelf.files["enzyme.dat"] = ENZYME
    home = home_of(shelf, "enzyme")
    first = fetch_dataset("enzyme", tmp_path, home=home)
    assert (first.was_there, first.recorded, first.checked, first.remembered) == (False, ("enzyme.dat",), (), ())
    assert [record.id for record in load_enzyme(tmp_path)] == ["1.1.1.1"]
    assert everything_in(tmp_path) == {"enzyme", "enzyme/enzyme.dat.gz", "enzyme/enzyme.sources.json"}
    about = json.loads((tmp_path / "enzyme/enzyme.sources.json").read_text())["files"]["enzyme.dat"]
    assert about["sha256"] == hashlib.sha256(ENZYME).hexdigest()
    assert about["bytes"] == len(ENZYME)
    assert about["url"] == f"{shelf.address}/enzyme.dat"
    again = fetch_dataset("enzyme", tmp_path, home=home, again=True)
    assert (again.recorded, again.remembered) == ((), ("enzyme.dat",))


def test_what_has_changed_since_is_refused_and_the_old_one_stays(shelf, tmp_path):
    shelf.files["enzyme.dat"] = ENZYME
    home = home_of(shelf, "enzyme")
    fetch_dataset("enzyme", tmp_path, home=home)
    shelf.files["enzyme.dat"] = ENZYME.replace(b"Alcohol", b"Something")
    with pytest.raises(InputError, match=r"has changed since it was first fetched: got SHA256 .*remove the record"):
        fetch_dataset("enzyme", tmp_path, home=home, again=True)
    assert load_enzyme(tmp_path)[0].title == "Alcohol dehydrogenase"
    (tmp_path / "enzyme/enzyme.sources.json").unlink()
    fetch_dataset("enzyme", tmp_path, home=home, again=True)
    assert load_enzyme(tmp_path)[0].title == "Something dehydrogenase"


def test_what_is_there_is_not_fetched(shelf, tmp_path):
    shelf.files["enzyme.dat"] = ENZYME
    fetch_dataset("enzyme", tmp_path, home=home_of(shelf, "enzyme"))
    shelf.asked.clear()
    assert fetch_dataset("enzyme", tmp_path, home=home_of(shelf, "enzyme")).was_there
    assert shelf.asked == []


@pytest.mark.parametrize("kind", ["sha256", "md5"])
def test_a_published_checksum_decides(shelf, tmp_path, kind):
    shelf.files["enzyme.dat"] = ENZYME
    right = hashlib.new(kind, ENZYME).hexdigest()
    with pytest.raises(InputError, match=f"is not the published file: got {kind.upper()} {right}, expected 00"):
        fetch_dataset("enzyme", tmp_path, home=home_of(shelf, "enzyme", **{kind: "00" * 16}))
    assert everything_in(tmp_path) == set()
    assert fetch_dataset("enzyme", tmp_path, home=home_of(shelf, "enzyme", **{kind: right})).checked == ("enzyme.dat",)


def test_a_download_that_ends_early_leaves_nothing(shelf, tmp_path):
    shelf.files["enzyme.dat"] = ENZYME
    shelf.cut.add("enzyme.dat")
    with pytest.raises(InputError, match=f"was cut short: got {len(ENZYME)} bytes, expected {len(ENZYME) + 100}"):
        fetch_dataset("enzyme", tmp_path, home=home_of(shelf, "enzyme"))
    assert everything_in(tmp_path) == set()


def test_an_interruption_leaves_nothing(shelf, tmp_path):
    shelf.files["enzyme.dat"] = ENZYME

    def stop(download: Download) -> None:
        assert (download.file, download.number, download.n_files) == ("enzyme.dat", 1, 1)
        assert download.done == download.total == len(ENZYME)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fetch_dataset("enzyme", tmp_path, home=home_of(shelf, "enzyme"), report=stop)
    assert everything_in(tmp_path) == set()


def test_a_missing_file_and_no_network_are_one_sentence(shelf, tmp_path):
    with pytest.raises(InputError, match=r"enzyme.dat was refused: got 404 .* Check the connection, or put the files"):
        fetch_dataset("enzyme", tmp_path, home=home_of(shelf, "enzyme"))
    address = shelf.address
    shelf.server.shutdown()
    shelf.server.server_close()
    with pytest.raises(InputError, match=r"enzyme.dat cannot be read: got .*refused.* Check the connection"):
        fetch_dataset("enzyme", tmp_path, mirror=address)
    assert everything_in(tmp_path) == set()


def test_a_mirror_has_the_files_under_their_names(shelf, tmp_path):
    shelf.files["files/enzyme.dat"] = ENZYME
    fetch_dataset("enzyme", tmp_path, mirror=f"{shelf.address}/files/")
    assert shelf.asked == ["files/enzyme.dat"]


def test_a_mirror_cannot_go_round_a_published_checksum(shelf, tmp_path):
    shelf.files["reuters21578.tar.gz"] = tar_of({"reut2-000.sgm": ""})
    with pytest.raises(InputError, match="is not the published file: got SHA256"):
        fetch_dataset("reuters21578", tmp_path, mirror=shelf.address)


@pytest.mark.parametrize("address", ["file:///etc", "ftp://example.org", "enzyme.dat"])
def test_only_the_web_is_asked(tmp_path, address):
    with pytest.raises(InputError, match="mirror is not a web address: got"):
        fetch_dataset("enzyme", tmp_path, mirror=address)


@pytest.mark.parametrize("evil", ["../evil.sgm", "/tmp/evil.sgm", "deep/../../evil.sgm"])
def test_names_that_lead_outside_are_refused(shelf, tmp_path, evil):
    shelf.files["reuters21578.tar.gz"] = tar_of({"cat-descriptions.txt": TOPICS, evil: SGML})
    data = tmp_path / "data"
    with pytest.raises(InputError, match=r"has a path that leads outside: got .*Do not trust this file"):
        fetch_dataset("reuters21578", data, home=home_of(shelf, "reuters21578"))
    assert everything_in(tmp_path) == {"data"}


def test_a_zip_file_that_leads_outside_is_refused(shelf, tmp_path):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("../evil", "x")
    shelf.files["ml-100k.zip"] = packed.getvalue()
    with pytest.raises(InputError, match=r"ml-100k.zip has a path that leads outside: got '\.\./evil'"):
        fetch_dataset("movielens100k", tmp_path, home=home_of(shelf, "movielens100k"))
    assert everything_in(tmp_path) == set()


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("reuters21578", "reuters21578.tar.gz is damaged"),
        ("20newsgroups", "20news-bydate.tar.gz is damaged"),
        ("enzyme", "enzyme.dat has other content"),
        ("movielens100k", "ml-100k.zip is damaged"),
        ("enron", "enron.xml is damaged"),
        ("rcv1", "rcv1.topics.hier.orig has other content: got 0 topics"),
    ],
)
def test_other_content_is_told_apart(shelf, tmp_path, name, message):
    for source in homes()[name].sources:
        shelf.files[source.file] = b"<html>Sign in first</html"
    with pytest.raises(InputError, match=message):
        fetch_dataset(name, tmp_path, home=home_of(shelf, name))
    assert everything_in(tmp_path) == set()


def test_folders_and_names_are_checked(tmp_path, monkeypatch):
    monkeypatch.delenv("TACIT_DATA", raising=False)
    with pytest.raises(InputError, match="data_dir is missing: got None and no TACIT_DATA"):
        fetch_dataset("enzyme")
    with pytest.raises(InputError, match=r"name is unknown: got 'enzymes', .* Did you mean 'enzyme'\?"):
        fetch_dataset("enzymes", tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match=r"data_dir cannot be written: got .*Choose another"):
        fetch_dataset("enzyme", tmp_path / "file")
    monkeypatch.setenv("TACIT_DATA", str(tmp_path))
    assert data_folder() == tmp_path
    (tmp_path / "enzyme").mkdir()
    (tmp_path / "enzyme/enzyme.sources.json").write_text("[]")
    with pytest.raises(InputError, match=r"enzyme.sources.json is damaged: got .* Remove it"):
        fetch_dataset("enzyme")


def test_every_set_has_a_home_and_checksums_have_the_right_length():
    assert set(homes()) == set(dataset_names()) - {"standard_library"}
    for home in homes().values():
        assert home.page.startswith("http")
        assert len({source.file for source in home.sources}) == len(home.sources)
        for source in home.sources:
            assert source.url.startswith("http")
            assert len(source.sha256) in (0, 64)
            assert len(source.md5) in (0, 32)
    assert sum(bool(source.sha256 or source.md5) for home in homes().values() for source in home.sources) == 3
    assert is_there("standard_library", Path("nowhere"))


def test_files_are_readable_by_others_as_usual(shelf, tmp_path):
    """The folder in which a set is made is private; what comes out of it is not."""
    shelf.files["enzyme.dat"] = ENZYME
    fetch_dataset("enzyme", tmp_path, home=home_of(shelf, "enzyme"))
    (tmp_path / "other").write_text("")
    modes = {os.stat(path).st_mode & 0o777 for path in (tmp_path / "enzyme/enzyme.dat.gz", tmp_path / "other")}
    assert len(modes) == 1
