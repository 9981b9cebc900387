"""Folders of texts, and the corpus formats of Annif."""

from __future__ import annotations

import gzip
import json
import warnings

import pytest

from tacit.corpus import ColumnMap, read_records
from tacit.errors import InputError, TacitWarning

URI = "http://example.org/s/"


@pytest.fixture
def folder(tmp_path):
    files = {
        "sport/ball.txt": "A ball.\r\nIt is round.",
        "sport/water/swim.txt": "Swimming.",
        "law.txt": "\ufeffCourts sit.",
        "notes.md": "not a text of the collection",
        ".hidden.txt": "nor this",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(text.encode())
    (tmp_path / "sport/packed.txt.gz").write_bytes(gzip.compress(b"Packed."))
    return tmp_path


def test_texts_below_a_folder_in_order(folder):
    records = list(read_records(folder, max_problems=0))
    assert [(record.id, record.text) for record in records] == [
        ("law.txt", "Courts sit."),
        ("sport/ball.txt", "A ball.\nIt is round."),
        ("sport/packed.txt.gz", "Packed."),
        ("sport/water/swim.txt", "Swimming."),
    ]
    assert all(record.labels == () for record in records)


def test_sub_folders_are_labels_if_asked(folder):
    records = read_records(folder, ColumnMap(labels="folder"))
    assert [record.labels for record in records] == [(), ("sport",), ("sport",), ("sport/water",)]


def test_subjects_beside_the_texts(folder):
    (folder / "law.tsv").write_text(f"<{URI}1>\tlaw\textra\n\n<{URI}2>\n  courts \n", encoding="utf-8-sig")
    (folder / "law.key").write_text("never read, since there is a .tsv\n")
    (folder / "sport/ball.key").write_text("ball games\r\nround, things\n")
    (folder / "sport/packed.tsv").write_text(f"<{URI}3>\tPacking\n")
    law, ball, packed, swim = read_records(folder, max_problems=0)
    assert law.labels == (f"{URI}1", f"{URI}2", "courts")
    assert law.fields["label_titles"] == {f"{URI}1": "law"}
    assert ball.labels == ("ball games", "round, things")
    assert packed.labels == (f"{URI}3",)
    assert swim.labels == ()


def test_problems_in_a_folder_name_the_file(folder):
    (folder / "sport/ball.txt").write_bytes(b"fine\nfine\ncaf\xe9")
    (folder / "sport/ball.key").write_bytes(b"caf\xe9")
    (folder / "law.txt").write_text(" ")
    reading = read_records(folder)
    with pytest.warns(TacitWarning, match="2 x encoding, 1 x no text"):
        assert len(list(reading)) == 3
    assert [str(problem).split(":")[0] for problem in reading.problems.examples] == [
        "law.txt, line 1", "sport/ball.txt, line 3", "sport/ball.key, line 1"]  # fmt: skip


def test_one_text_file_is_one_record(folder):
    (record,) = read_records(folder / "law.txt")
    assert (record.id, record.text) == ("law.txt", "Courts sit.")


def test_a_folder_without_texts(folder):
    for path in folder.rglob("*.txt*"):
        path.unlink()
    (folder / "notes.md").rename(folder / "notes.doc")
    with pytest.raises(InputError, match=r"path holds nothing to read: got .* with 'notes.doc', expected files"):
        read_records(folder)
    with pytest.raises(InputError, match="path holds nothing to read"):
        read_records(folder, format="folder")


def test_annif_lines_of_text_and_uris(tmp_path):
    lines = f"First text\t<{URI}1> <{URI}2>\nSecond\t{URI}3\r\nUnlabelled\t\nno tab\n"
    (tmp_path / "x.tsv").write_bytes(b"\xef\xbb\xbf" + lines.encode())
    reading = read_records(tmp_path / "x.tsv")
    with pytest.warns(TacitWarning, match="1 x cells"):
        records = list(reading)
    assert [(record.id, record.text, record.labels) for record in records] == [
        ("x.tsv:1", "First text", (f"{URI}1", f"{URI}2")),
        ("x.tsv:2", "Second", (f"{URI}3",)),
        ("x.tsv:3", "Unlabelled", ()),
    ]
    assert reading.problems.examples[0].line == 4
    assert "no tab" in reading.problems.examples[0].sentence


def test_annif_lines_keep_their_quotation_marks(tmp_path):
    (tmp_path / "x.tsv.gz").write_bytes(gzip.compress(f'"Open\t<{URI}1>\n"Quoted" text\t<{URI}1>\n'.encode()))
    assert [record.text for record in read_records(tmp_path / "x.tsv.gz")] == ['"Open', '"Quoted" text']


def test_a_tsv_with_a_header_is_a_table_unless_annif_is_asked_for(tmp_path):
    (tmp_path / "x.tsv").write_text("text\tlabels\nbody\ta\n")
    assert [record.labels for record in read_records(tmp_path / "x.tsv")] == [("a",)]
    records = read_records(tmp_path / "x.tsv", format="annif")
    assert [(record.text, record.labels) for record in records] == [("text", ("labels",)), ("body", ("a",))]


def test_annif_csv(tmp_path):
    (tmp_path / "x.csv").write_text(
        f'document_id,text,subject_uris,title\nd1,"Body, one",<{URI}1>  {URI}2,First\nd2,Two,,Second\n'
    )
    one, two = read_records(tmp_path / "x.csv")
    assert (one.id, one.text, one.labels) == ("d1", "First\nBody, one", (f"{URI}1", f"{URI}2"))
    assert (two.id, two.labels) == ("d2", ())


DOCUMENTS = [
    {"document_id": "d1", "text": "Body", "metadata": {"title": "T", "author": "A"},
     "subjects": [{"uri": f"{URI}1", "label": "one"}, {"label": "two"}, {"uri": f"{URI}3"}]},
    {"document_id": "d2", "text": "Plain"},
    {"document_id": "d3", "metadata": {"title": "Only a title"}, "subjects": []},
]  # fmt: skip


def check_documents(records):
    one, two, three = records
    assert (one.id, one.text, one.title) == ("d1", "T\nBody", "T")
    assert one.labels == (f"{URI}1", "two", f"{URI}3")
    assert one.fields == {"label_titles": {f"{URI}1": "one"}}
    assert one.links == {"author": ("A",)}
    assert (two.id, two.text, two.labels) == ("d2", "Plain", ())
    assert (three.text, three.labels) == ("Only a title", ())


@pytest.mark.parametrize("format", [None, "annif"])
def test_annif_json_lines(tmp_path, format):
    path = tmp_path / "x.jsonl"
    path.write_text("".join(json.dumps(document) + "\n" for document in DOCUMENTS))
    check_documents(read_records(path, ColumnMap(links="author"), format=format, max_problems=0))


def test_annif_folder_of_json_files(tmp_path):
    for number, document in enumerate(DOCUMENTS):
        (tmp_path / f"{number}.json").write_text(json.dumps(document, indent=1))
    check_documents(read_records(tmp_path, ColumnMap(links="author"), max_problems=0))
    (tmp_path / "4.json").write_text(json.dumps({"text": "No id", "subjects": [{"label": "x"}]}))
    *_, last = read_records(tmp_path)
    assert (last.id, last.labels) == ("4.json", ("x",))


def test_annif_folder_of_both(tmp_path):
    (tmp_path / "b.txt").write_text("A text.")
    (tmp_path / "b.tsv").write_text(f"<{URI}9>\tnine\n")
    (tmp_path / "a.json").write_text(json.dumps({"document_id": "j", "text": "Json.", "subjects": [{"uri": URI}]}))
    records = list(read_records(tmp_path, ColumnMap(text="text", labels="subjects", id=""), format="annif"))
    assert [(record.text, record.labels) for record in records] == [("A text.", (f"{URI}9",)), ("Json.", (URI,))]
    assert [record.text for record in read_records(tmp_path)] == ["A text."]


def test_json_that_only_resembles_annif_keeps_its_metadata(tmp_path):
    (tmp_path / "x.jsonl").write_text(json.dumps({"id": "1", "text": "t", "metadata": {"title": "T"}}))
    (record,) = read_records(tmp_path / "x.jsonl")
    assert record.fields == {"metadata": {"title": "T"}}


def test_a_folder_is_read_as_it_is_asked_for(tmp_path):
    for number in range(103):
        (tmp_path / f"{number:03}.txt").write_text(f"text {number}")
    records = iter(read_records(tmp_path))
    next(records)
    (tmp_path / "102.txt").unlink()
    with warnings.catch_warnings(), pytest.raises(InputError, match="path cannot be read"):
        list(records)
