"""Data sets by name: the right loader, the terms of each, and a clear word where there are no texts."""

from __future__ import annotations

import gzip
import json

import pytest

import tacit.datasets
from tacit.corpus import ColumnMap, Record, read_records
from tacit.datasets import dataset_names, load_reuters21578, read_dataset
from tacit.errors import InputError

WITH_FILES = ["reuters21578", "20newsgroups", "arxiv", "enzyme", "movielens100k"]
WITHOUT_RECORDS = ["rcv1", "bibtex", "delicious", "enron", "medical"]


def test_every_set_says_what_it_is_and_under_which_terms():
    known = dataset_names()
    assert {name for name, about in known.items() if about.has_records} == {*WITH_FILES, "standard_library"}
    assert [name for name, about in known.items() if not about.has_records] == WITHOUT_RECORDS
    for about in known.values():
        assert about.description.endswith(".")
        assert about.licence.endswith(".")
        assert callable(getattr(tacit.datasets, about.loader))


def test_what_is_given_cannot_be_changed_for_others():
    dataset_names().clear()
    assert dataset_names()


def test_the_name_picks_the_loader(tmp_path):
    story = {"id": 3, "split": "train", "lewissplit": "TRAIN", "date": "", "title": "COCOA", "body": "Rain fell.",
             "topics": ["cocoa"], "places": []}  # fmt: skip
    (tmp_path / "reuters21578").mkdir()
    (tmp_path / "reuters21578/reuters21578.jsonl.gz").write_bytes(gzip.compress(json.dumps(story).encode()))
    assert read_dataset("reuters21578", tmp_path) == load_reuters21578(tmp_path)


def test_the_standard_library_needs_no_folder(monkeypatch):
    monkeypatch.delenv("TACIT_DATA", raising=False)
    read = [Record("json", "read and write JSON")]
    monkeypatch.setattr("tacit.datasets.registry.standard_library_records", lambda: read)
    assert read_dataset("standard_library") == read


@pytest.mark.parametrize("name", WITHOUT_RECORDS)
def test_sets_without_texts_say_how_to_read_them(name):
    loader = dataset_names()[name].loader
    with pytest.raises(
        InputError, match=f"name is of a data set without texts: got '{name}', .* Read it with tacit.datasets.{loader}"
    ):
        read_dataset(name)


def test_unknown_names_and_missing_files(tmp_path):
    with pytest.raises(InputError, match=r"name is unknown: got 'reuters', .*Did you mean 'reuters21578'\?"):
        read_dataset("reuters")
    with pytest.raises(InputError, match="data_dir lacks a file"):
        read_dataset("arxiv", tmp_path)


@pytest.mark.realdata
@pytest.mark.parametrize(("name", "n"), list(zip(WITH_FILES, [21_578, 19_997, 40_799, 3_541, 1_682], strict=True)))
def test_the_real_sets_are_whole(data_dir, name, n):
    records = read_dataset(name, data_dir)
    assert len({record.id for record in records}) == len(records) == n == dataset_names()[name].n_records
    assert all(isinstance(record, Record) for record in records)


@pytest.mark.realdata
def test_the_general_reader_reads_the_files_of_the_sets(data_dir):
    columns = ColumnMap(text=("title", "abstract"), labels="categories", fields=("split", "created"))
    found = list(read_records(data_dir / "arxiv/arxiv_sample.jsonl.gz", columns, limit=2_000, max_problems=0))
    expected = read_dataset("arxiv", data_dir)[:2_000]
    assert [(r.id, r.text, r.title) for r in found] == [(r.id, r.text, r.title) for r in expected]
    assert [r.fields["created"] for r in found] == [r.fields["created"] for r in expected]
    assert all(set(e.labels) <= set(f.labels) for e, f in zip(expected, found, strict=True))
