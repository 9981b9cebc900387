"""Readers of named data sets: small files with known content here, the published counts where the real sets are."""

from __future__ import annotations

import gzip
import json
import os
from collections import Counter

import numpy as np
import pytest

from tacit.datasets import load_arxiv, load_mulan, load_rcv1, load_reuters21578
from tacit.errors import InputError

needs_data = pytest.mark.skipif("TACIT_DATA" not in os.environ, reason="TACIT_DATA does not point to the data sets")


def write_lines(path, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)


STORY = {
    "id": 3, "split": "train", "lewissplit": "TRAIN", "date": "26-FEB-1987", "title": "COCOA", "body": "Rain fell.",
    "topics": ["trade", "cocoa", "trade"], "places": ["brazil"],
}  # fmt: skip
PAPER = {
    "id": "math/1", "split": "test", "title": "On fields", "abstract": "We study fields.", "created": "1990-02-15",
    "categories": ["math.MP", "math-ph", "math.IT", "cs.IT", "math.ST", "stat.TH", "math.PR"], "primary": "math.MP",
}  # fmt: skip


def test_a_reuters_story(tmp_path):
    write_lines(tmp_path / "reuters21578" / "reuters21578.jsonl.gz", [STORY, {**STORY, "id": 4, "title": ""}])
    story, untitled = load_reuters21578(tmp_path)
    assert (story.id, story.text, story.labels, story.title) == ("3", "COCOA\nRain fell.", ("trade", "cocoa"), "COCOA")
    assert story.fields == {"split": "train", "lewissplit": "TRAIN", "places": ["brazil"], "date": "26-FEB-1987"}
    assert untitled.text == "Rain fell."


def test_an_arxiv_paper_keeps_one_name_of_each_pair(tmp_path, monkeypatch):
    write_lines(tmp_path / "arxiv" / "arxiv_sample.jsonl.gz", [PAPER])
    monkeypatch.setenv("TACIT_DATA", str(tmp_path))
    (paper,) = load_arxiv()
    assert paper.labels == ("math-ph", "cs.IT", "stat.TH", "math.PR")
    assert paper.fields == {"split": "test", "primary": "math-ph", "created": "1990-02-15"}
    assert paper.text == "On fields\nWe study fields."


@pytest.fixture
def small_rcv1(tmp_path):
    """Four stories, two a subset; the last one is a copy of the first."""
    dense = np.array([[0, 1, 2], [3, 0, 0], [0, 4, 0], [0, 1, 2]], dtype=np.float32)
    rows, columns = np.nonzero(dense)
    (tmp_path / "rcv1").mkdir()
    np.savez(
        tmp_path / "rcv1" / "rcv1_subsets.npz",
        X_data=dense[rows, columns], X_indices=columns.astype(np.int32), X_indptr=np.array([0, 2, 3, 4, 6]),
        X_shape=np.array([4, 3]),
        Y_indices=np.array([1, 0, 0, 1], dtype=np.uint8), Y_indptr=np.array([0, 1, 2, 2, 4]), Y_shape=np.array([4, 2]),
        subset=np.array([1, 1, 2, 2]), part=np.array([0, 1, 0, 1]), first_copy=np.array([0, 1, 2, 0]),
        topics=np.array(["C1", "E2"]), terms=np.array(["x", "y", "z"]),
    )  # fmt: skip
    return tmp_path, dense


def test_rcv1_is_put_together(small_rcv1):
    folder, dense = small_rcv1
    stories = load_rcv1(folder)
    assert np.array_equal(stories.X.toarray(), dense)
    assert np.array_equal(stories.Y.toarray(), [[0, 1], [1, 0], [0, 0], [1, 1]])
    assert stories.X.dtype == stories.Y.dtype == np.float32
    assert (stories.label_names, stories.feature_names) == (("C1", "E2"), ("x", "y", "z"))
    assert stories.split.tolist() == ["train", "test", "train", "test"]


def test_rcv1_subsets_and_copies(small_rcv1):
    folder, dense = small_rcv1
    assert np.array_equal(load_rcv1(folder, subset=2).X.toarray(), dense[2:])
    assert np.array_equal(load_rcv1(folder, drop_copies=True).X.toarray(), dense[:3])
    # within the second subset the copy is the only one of its kind
    assert np.array_equal(load_rcv1(folder, subset=2, drop_copies=True).X.toarray(), dense[2:])
    with pytest.raises(InputError, match="subset is out of range: got 6, expected a whole number from 1 to 5"):
        load_rcv1(folder, subset=6)


def test_a_missing_folder_is_asked_for(monkeypatch):
    monkeypatch.delenv("TACIT_DATA", raising=False)
    with pytest.raises(InputError, match="no TACIT_DATA in the environment, expected the folder of the data sets"):
        load_arxiv()


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(InputError, match=r"data_dir lacks a file: got '.*', expected mulan/enron\.npz in it"):
        load_mulan("enron", tmp_path)


def test_an_unknown_set_gets_a_proposal(tmp_path):
    with pytest.raises(InputError, match=r"name is unknown: got 'enrom'.*Did you mean 'enron'\?"):
        load_mulan("enrom", tmp_path)


@pytest.mark.parametrize(
    "content",
    [b"no archive", gzip.compress(b"{no json"), gzip.compress(b'{"a": 1}' * 99)[:-20]],
    ids=["no archive", "no json", "cut short"],
)
def test_damaged_lines_are_reported(tmp_path, content):
    path = tmp_path / "arxiv" / "arxiv_sample.jsonl.gz"
    path.parent.mkdir()
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"arxiv_sample\.jsonl\.gz is damaged: got .* Copy the file again"):
        load_arxiv(tmp_path)


def test_damaged_or_pickled_arrays_are_refused(tmp_path):
    path = tmp_path / "mulan" / "enron.npz"
    path.parent.mkdir()
    path.write_bytes(b"no archive")
    with pytest.raises(InputError, match=r"enron\.npz is damaged"):
        load_mulan("enron", tmp_path)
    np.savez(path, split=np.array([{"an": "object"}], dtype=object))
    with pytest.raises(InputError, match=r"enron\.npz is damaged: got .*allow_pickle"):
        load_mulan("enron", tmp_path)


@needs_data
@pytest.mark.realdata
def test_reuters_has_the_published_counts():
    stories = load_reuters21578()
    assert Counter(story.fields["split"] for story in stories) == {"train": 9603, "test": 3299, "unused": 8676}
    train = Counter(label for story in stories if story.fields["split"] == "train" for label in story.labels)
    assert (len(train), train["earn"], train["acq"]) == (115, 2877, 1650)
    assert all(story.text for story in stories[:100])


@needs_data
@pytest.mark.realdata
def test_arxiv_has_the_published_counts():
    papers = load_arxiv()
    assert Counter(paper.fields["split"] for paper in papers) == {"train": 32723, "test": 8076}
    labels = {label for paper in papers for label in paper.labels}
    assert len(labels) == 173 - 3
    assert {"math-ph", "cs.IT", "stat.TH"} <= labels


@needs_data
@pytest.mark.realdata
def test_rcv1_has_the_published_counts():
    stories = load_rcv1()
    assert stories.X.shape == (30000, 47236)
    assert stories.Y.shape == (30000, 101)
    assert abs(stories.Y.sum() / 30000 - 2.901) < 5e-4
    assert np.allclose(stories.X.multiply(stories.X).sum(axis=1), 1, atol=1e-5)
    first = load_rcv1(subset=1)
    assert Counter(first.split.tolist()) == {"train": 3000, "test": 3000}
    assert load_rcv1(drop_copies=True).X.shape[0] == 27613


@needs_data
@pytest.mark.realdata
@pytest.mark.parametrize(
    ("name", "shape", "n_labels", "cardinality", "n_train"),
    [
        ("bibtex", (7395, 1836), 159, 2.402, 4880),
        ("delicious", (16105, 500), 983, 19.020, 12920),
        ("enron", (1702, 1001), 53, 3.378, 1123),
        ("medical", (978, 1449), 45, 1.245, 333),
    ],
)
def test_mulan_sets_have_the_published_counts(name, shape, n_labels, cardinality, n_train):
    records = load_mulan(name)
    assert records.X.shape == shape == (records.Y.shape[0], len(records.feature_names))
    assert records.Y.shape[1] == len(records.label_names) == n_labels
    assert abs(records.Y.sum() / shape[0] - cardinality) < 5e-4
    assert (records.split == "train").sum() == n_train
