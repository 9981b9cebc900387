"""Published files become what the loaders read: each set end to end, from a server to records or vectors."""

from __future__ import annotations

import bz2
import csv
import gzip
import hashlib
import io
import json
import lzma
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from shelf import SGML, TOPICS, Shelf, home_of, tar_of

from tacit.datasets import (
    load_arxiv,
    load_movielens,
    load_mulan,
    load_newsgroups,
    load_rcv1,
    load_reuters21578,
    load_taxonomy,
    read_dataset,
)
from tacit.datasets.data_files import Home, RemoteFile
from tacit.datasets.fetching import fetch_dataset, homes


@pytest.fixture
def shelf():
    made = Shelf()
    yield made
    made.server.shutdown()
    made.server.server_close()


def test_reuters_becomes_records(shelf, tmp_path):
    shelf.files["reuters21578.tar.gz"] = tar_of({"./reut2-000.sgm": SGML, "./cat-descriptions_120396.txt": TOPICS})
    fetch_dataset("reuters21578", tmp_path, home=home_of(shelf, "reuters21578"))
    first, second = load_reuters21578(tmp_path)
    assert (first.id, first.text, first.labels, first.fields["split"]) == ("1", "Raw text <of> the wire", (), "unused")
    assert (second.id, second.labels, second.title) == ("2", ("cocoa", "coffee"), "BAHIA <BAH> COCOA & COFFEE")
    assert second.text.split("\n", 1)[1] == "Showers continued.\n    The dry period.\n Reuter"
    assert dict(second.fields) == {
        "split": "train", "lewissplit": "TRAIN", "places": ["el-salvador"], "date": "26-FEB-1987 15:01:01.79",
    }  # fmt: skip
    taxonomy = load_taxonomy("reuters21578", tmp_path)
    assert taxonomy.parents["ship"] == ("General",)
    assert taxonomy.parents["cocoa"] == ("Commodity",)
    assert taxonomy.titles["money-fx"] == "Money/Foreign Exchange"
    assert "el-salvador" not in taxonomy.parents


def test_newsgroups_become_records(shelf, tmp_path):
    posting = (
        "From: Ann <ANN@example.org>\nSubject: Re: Whales\nNewsgroups: sci.space,\n\tsci.med\nMessage-ID: <1@x>\n"
        "Organization: Sea\n\nThe \xe9 body.\n\nEnd"
    )
    whole = {"20_newsgroups/sci.space/10": posting, "20_newsgroups/sci.space/9": "Subject: B\n\nb\n"}
    shelf.files["20news-19997.tar.gz"] = tar_of(whole)
    shelf.files["20news-bydate.tar.gz"] = tar_of({"20news-bydate-test/sci.space/10": "Subject: x\n\ny"})
    fetch_dataset("20newsgroups", tmp_path, home=home_of(shelf, "20newsgroups"))
    second, first = load_newsgroups(tmp_path)
    assert [first.id, second.id] == ["sci.space/10", "sci.space/9"]
    assert first.links == {"author": ("ann@example.org",), "newsgroups": ("sci.space", "sci.med")}
    assert (first.fields["split"], second.fields["split"]) == ("test", None)
    assert (first.title, first.fields["body"]) == ("Re: Whales", "The \xe9 body.\n\nEnd")


def films_archive() -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("ml-100k/u.data", "1\t2\t5\t10\n2\t1\t3\t11\n2\t2\t4\t12\n")
        archive.writestr("ml-100k/u.genre", "unknown|0\nDrama|1\n")
        archive.writestr("ml-100k/u.user", "1|24|M|writer|85711\n2|53|F|other|94043\n")
        archive.writestr("ml-100k/u.item", "1|Sea (1995)|||x|0|1\n2|Caf\xe9|||x|1|0\n".encode("latin-1"))
        parts = {"u1": "1\t2\t5\t10\n", "u2": "2\t1\t3\t11\n", "u3": "2\t2\t4\t12\n", "ua": "2\t1\t3\t11\n"}
        for name in ("u1", "u2", "u3", "u4", "u5", "ua", "ub"):
            archive.writestr(f"ml-100k/{name}.test", parts.get(name, ""))
    return packed.getvalue()


def test_movielens_becomes_ratings_and_records(shelf, tmp_path):
    shelf.files["ml-100k.zip"] = films_archive()
    fetch_dataset("movielens100k", tmp_path, home=home_of(shelf, "movielens100k"))
    ratings = load_movielens(tmp_path).ratings
    assert ratings.fold.tolist() == [1, 2, 3]
    assert ratings.rating.tolist() == [5, 3, 4]
    first, second = read_dataset("movielens100k", tmp_path)
    assert (first.title, first.labels, first.links) == ("Sea (1995)", ("Drama",), {"user": ()})
    assert (second.text, second.links, dict(second.fields)) == (
        "Caf\xe9", {"user": ("1", "2")}, {"year": None, "ratings": 2},
    )  # fmt: skip


def test_mulan_sets_become_vectors(shelf, tmp_path):
    head = "@relation x\n\n% a remark\n@attribute word_a {0,1}\n@attribute 'word b' numeric\n"
    head += "@attribute A.A8 {0,1}\n@attribute B {0,1}\n@data\n"
    shelf.files["enron-train.arff"] = (head + "{0 1,2 1}\n{1 2.5}\n").encode()
    shelf.files["enron-test.arff"] = (head + "0,1,1,1\n").encode()
    shelf.files["enron.xml"] = (
        b'<?xml version="1.0"?><labels xmlns="http://mulan.sourceforge.net/labels"><label name="B"></label>'
        b'<label name="A.A8"></label></labels>'
    )
    fetch_dataset("enron", tmp_path, home=home_of(shelf, "enron"))
    found = load_mulan("enron", tmp_path)
    assert found.X.toarray().tolist() == [[1, 0], [0, 2.5], [0, 1]]
    assert found.Y.toarray().tolist() == [[0, 1], [0, 0], [1, 1]]
    assert (found.label_names, found.feature_names) == (("B", "A.A8"), ("word_a", "word b"))
    assert found.split.tolist() == ["train", "train", "test"]


def test_rcv1_becomes_vectors_with_names(shelf, tmp_path):
    codes = [f"C{number:03d}" for number in range(102)]
    lines = ["parent: None  child: Root  child-description: Root", "parent: Root  child: CCAT  child-description: ALL"]
    lines += [f"parent: CCAT  child: {code}  child-description: NAME {code}" for code in codes]
    shelf.files["rcv1.topics.hier.orig"] = "\n".join(lines).encode()
    shelf.files["stem.termid.idf.map.txt"] = b"sea 2 1.5\nwhale 47236 2.0\n"
    for number in range(1, 6):
        shelf.files[f"rcv1subset_topics_train_{number}.svm.bz2"] = bz2.compress(b"0,2 2:0.5 47236:0.25\n 2:1\n")
        shelf.files[f"rcv1subset_topics_test_{number}.svm.bz2"] = bz2.compress(f"1 2:{number}\n".encode())
    fetch_dataset("rcv1", tmp_path, home=home_of(shelf, "rcv1"))
    found = load_rcv1(tmp_path)
    assert (found.X.shape, found.Y.shape) == ((15, 47_236), (15, 101))
    assert found.label_names == tuple(sorted([*codes, "CCAT"]))[:101]
    assert found.X.dtype == np.float32
    assert found.X[[0], [1, 47_235]].tolist() == [0.5, 0.25]
    assert (found.feature_names[1], found.feature_names[-1]) == ("sea", "whale")
    assert found.Y[[0]].indices.tolist() == [0, 2]
    assert found.Y[[1]].nnz == 0
    assert found.split.tolist()[:3] == ["train", "train", "test"]
    assert load_rcv1(tmp_path, drop_copies=True).X.shape[0] == 2 + 4  # one test row equals a training row
    assert load_taxonomy("rcv1", tmp_path).titles["C001"] == "NAME C001"


def arxiv_home(shelf: Shelf, rows: list[dict[str, str]], categories: list[str]) -> Home:
    known = homes()["arxiv"]
    for category in categories:
        text = io.StringIO()
        table = csv.DictWriter(text, [*rows[0], "doi"], delimiter="\t")
        table.writeheader()
        table.writerows(row for row in rows if category in row["categories"].split(","))
        shelf.files[f"{category}.tsv.xz"] = lzma.compress(text.getvalue().encode())
    sources = tuple(RemoteFile(f"{shelf.address}/{category}.tsv.xz", f"{category}.tsv.xz") for category in categories)
    return replace(known, sources=sources)


def test_arxiv_is_sampled_by_a_hash_and_ordered_by_date(shelf, tmp_path):
    rows = [
        {
            "abstract": f"About\n  {number} things", "arxiv_id": f"1001.{number:04d}", "title": "A  title",
            "categories": "cs.IR,math.IT" if number % 2 else "math.QA,hep-th",
            "created": f"2010-01-{number % 28 + 1:02d}",
            "primary_cat": "cs.IR" if number % 2 else "math.QA",
        }
        for number in range(300)
    ]  # fmt: skip
    fetch_dataset("arxiv", tmp_path, home=arxiv_home(shelf, rows, ["cs.IR", "math.QA"]))
    found = load_arxiv(tmp_path)

    def number(id: str) -> int:
        return int(hashlib.md5(id.encode()).hexdigest()[:8], 16)

    assert {record.id for record in found} == {row["arxiv_id"] for row in rows if number(row["arxiv_id"]) % 13 == 0}
    assert [record.fields["created"] for record in found] == sorted(record.fields["created"] for record in found)
    for record in found:
        assert record.fields["split"] == ("test" if number(record.id) % 5 == 0 else "train")
        assert record.text == f"A title\nAbout {int(record.id[-4:])} things"
    parents = load_taxonomy("arxiv", tmp_path).parents
    assert parents["cs.IR"] == ("cs",)
    assert parents["hep-th"] == ("physics-group",)
    assert parents["math"] == ()


def unpacked(path: Path) -> list[str]:
    return gzip.decompress(path.read_bytes()).decode("utf-8").split("\n")[:-1]


@pytest.mark.realdata
def test_the_real_films_and_papers_come_out_as_they_are(shelf, data_dir, tmp_path):
    """What was published, put together again from what we have, is converted to what we have."""
    expected = unpacked(data_dir / "movielens100k/ratings.tsv.gz")
    table = [line.split("\t") for line in expected[1:]]
    packed = io.BytesIO()
    with zipfile.ZipFile(data_dir / "movielens100k/ml-100k.zip") as real, zipfile.ZipFile(packed, "w") as archive:
        for name in ("u.data", "u.genre", "u.user", "u.item"):
            archive.writestr(f"ml-100k/{name}", real.read(f"ml-100k/{name}"))
        for name in ("u1", "u2", "u3", "u4", "u5", "ua", "ub"):
            chosen = [
                row
                for row in table
                if (row[4] == name[1] if name[1].isdigit() else row[5 + "ab".index(name[1])] == "1")
            ]
            archive.writestr(f"ml-100k/{name}.test", "".join("\t".join(row[:4]) + "\n" for row in chosen))
    shelf.files["ml-100k.zip"] = packed.getvalue()
    fetch_dataset("movielens100k", tmp_path, home=home_of(shelf, "movielens100k"))
    assert unpacked(tmp_path / "movielens100k/ratings.tsv.gz") == expected
    papers = [json.loads(line) for line in unpacked(data_dir / "arxiv/arxiv_sample.jsonl.gz")][::40]
    rows = [
        {**{name: paper[name] for name in ("title", "abstract", "created")}, "arxiv_id": paper["id"],
         "categories": ",".join(paper["categories"]), "primary_cat": paper["primary"]}
        for paper in papers
    ]  # fmt: skip
    categories = [Path(source.file).name.removesuffix(".tsv.xz") for source in homes()["arxiv"].sources]
    fetch_dataset("arxiv", tmp_path, home=arxiv_home(shelf, rows, categories))
    found = [json.loads(line) for line in unpacked(tmp_path / "arxiv/arxiv_sample.jsonl.gz")]
    assert found == papers
    real_parents = load_taxonomy("arxiv", data_dir).parents
    parents = load_taxonomy("arxiv", tmp_path).parents
    assert parents.items() <= real_parents.items()
