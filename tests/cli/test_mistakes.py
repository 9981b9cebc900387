"""Mistakes that people make at the command line: each is answered by one sentence that says what to type next."""

from __future__ import annotations

import contextlib
import gzip
import json
import os
import re
import sqlite3
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest
from asked_index import asked_records, refused, said, said_json

from tacit.cli.app import main
from tacit.index.folder.lock import hold_lock

_LINES = 7  # of 80 columns
_BUILD = ["-o", "new.tacit", "--no-map", "--quiet", "--set", "min_records=1", "--dimensions", "3"]


@pytest.fixture(scope="module")
def shelf(tmp_path_factory) -> Path:
    """A folder with an index of 45 records, its files, and files that are wrong in one way each."""
    folder = tmp_path_factory.mktemp("shelf")
    rows = [
        f"{one.id},{one.title.replace(',', '')},{one.text},{one.labels[0]},{'Bob' if n % 3 else 'Ann'},Oslo,{1990 + n}"
        for n, one in enumerate(asked_records())
    ]
    books = "\n".join(["id,title,abstract,subjects,author,place,year", *rows, ""])
    few = [{"id": str(n), "text": f"whale ship harbour {n % 3}"} for n in range(12)]
    texts = {
        "books.csv": books,
        "tree.csv": "label,parent,title\nsea,,The sea\nanimals,sea,Sea animals\nvessels,sea,\npets,,\nrooms,,\n",
        "swedish.csv": "id,text,labels\n"
        + "".join(f"{n},whale ship,{'djur' if n % 2 else 'rum'}\n" for n in range(12)),
        "lists.csv": "id,text,labels\n" + "".join(f'{n},whale ship,"sea{n}, ships{n}"\n' for n in range(12)),
        "plain.csv": "id,text\n" + "".join(f"{n},whale ship harbour {n}\n" for n in range(12)),
        "empty.csv": "",
        "heading.csv": "id,title,text\n",
        "bare.csv": "\n".join(rows),
        "carets.csv": books.replace(",", "^"),
        "one.csv": "id,text\n1,whale\n",
        "whole.json": json.dumps({"records": few}),
        "broken.json": json.dumps(few)[:-40],
        "loop.csv": "label,parent\na,b\nb,a\n",
        "wrong.ttl": "this is no turtle <<<",
        "words.npy": "no array",
        "a-file.tacit": "no folder",
        "new.csv": books.splitlines()[0] + "\nr1,x,whale,pets,Ann,Oslo,1990\nn1,y,ship,vessels,Bob,Oslo,1991\n",
        "other.csv": "nr,heading,body\nr1,x,whale\n",
        "letter.docx": "PK",
        "letter.txt": "  \n",
    }
    for name, text in texts.items():
        (folder / name).write_text(text)
    np.save(folder / "whole.npy", np.ones((9, 2)))
    (folder / "open.npy").write_bytes((folder / "whole.npy").read_bytes().replace(b"}", b"{"))
    (folder / "cut.csv.gz").write_bytes(gzip.compress(books.encode() * 9)[:-60])
    np.save(folder / "five.npy", np.ones((5, 3)))
    (folder / "empty").mkdir()
    (folder / "pictures").mkdir()
    (folder / "pictures" / "a.png").write_bytes(b"\x89PNG")
    with sqlite3.connect(folder / "two.db") as tables:
        tables.executescript("CREATE TABLE books (id, text); CREATE TABLE people (id, name);")
    tables.close()
    with contextlib.chdir(folder), pytest.raises(SystemExit) as end:
        main(["build", "books.csv", "--taxonomy", "tree.csv", "--link", "author", "-o", "books.tacit", *_BUILD[2:]])
    assert end.value.code in (0, None)
    return folder


def answered(shelf, monkeypatch, capsys, arguments: list[str]) -> tuple[int, str]:
    monkeypatch.chdir(shelf)
    with pytest.raises(SystemExit) as end:
        main(arguments)
    return int(end.value.code or 0), capsys.readouterr().err


BOOKS = "books.tacit"
TITLE = asked_records()[1].title.replace(",", "")
MISTAKES = [
    # files
    (["build", "boks.csv"], "SOURCE does not exist", "Did you mean 'books.csv'?"),
    (["build"], "SOURCE is missing", "files or folders, or --dataset NAME"),
    (["build", "empty"], "SOURCE holds nothing to read", "expected files that end in .jsonl"),
    (["build", "pictures"], "SOURCE holds nothing to read", "expected files that end in .jsonl"),
    (["build", "letter.docx"], "SOURCE has an unknown suffix", "Save it as .html, .pdf or .txt."),
    (["build", "tree.ttl"], "SOURCE does not exist", "Did you mean 'tree.csv'?"),
    (["build", "wrong.ttl"], "SOURCE has an unknown suffix", "pass it as --taxonomy"),
    (["build", "empty.csv"], "SOURCE holds no records", "Check the file and its format."),
    (["build", "heading.csv"], "SOURCE holds no records", "expected at least one row"),
    (["build", "books.csv", "--format", "marc"], "SOURCE holds no records", "Check the file and its format."),
    (["build", "books.csv", "--format", "cvs"], "Invalid value for '--format'", "'csv'"),
    (["build", "cut.csv.gz", *_BUILD], "SOURCE cannot be read", "Copy the file again"),
    (["build", "broken.json", *_BUILD], "SOURCE is broken", "in line 1"),
    (["build", "two.db"], "--query is missing", "'books', 'people'"),
    (["build", "two.db", "--query", "boks"], "--query is neither a SELECT nor a table", "'books'"),
    (["build", "books.csv", "--encoding", "latin-one"], "--encoding is unknown", "'utf-8' or 'cp1252'"),
    (["build", "books.csv", "--limit-records", "0", *_BUILD], "SOURCE is empty", "at least one"),
    # columns and labels
    (["build", "books.csv", "--text", "abstrct"], "--text names a column", "Did you mean 'abstract'?"),
    (["build", "books.csv", "--labels", "subjetcs"], "--labels names a column", "Did you mean 'subjects'?"),
    (["build", "books.csv", "--id", "number"], "--id names a column", "expected one of 'id', 'title'"),
    (["build", "books.csv", "--link", "autor"], "--link names a column", "Did you mean 'author'?"),
    (["build", "bare.csv"], "--text is not given and cannot be guessed", "first line of a table"),
    (["build", "carets.csv"], "--text is not given and cannot be guessed", "first line of a table"),
    (["build", "whole.json"], "--text is not given and cannot be guessed", "got the columns 'records'"),
    (["build", "lists.csv", "--taxonomy", "tree.csv", *_BUILD], "--taxonomy is not that of the labels", "--labels"),
    (["build", "swedish.csv", "--taxonomy", "tree.csv", *_BUILD], "not that of the labels", "--allow-unmatched"),
    (["build", "plain.csv", "--taxonomy", "tree.csv", *_BUILD], "--taxonomy needs labels", "Name it with --labels"),
    (["build", "books.csv", "--taxonomy", "tre.csv", *_BUILD], "--taxonomy does not exist", "Did you mean 'tree.csv'?"),
    (["build", "books.csv", "--taxonomy", "wrong.ttl", *_BUILD], "is damaged", "Export it again"),
    (["build", "books.csv", "--taxonomy", "loop.csv", *_BUILD], "has a cycle", "Remove one of these links."),
    (["build", "books.csv", "--label-language", "sv", *_BUILD], "--label-language needs", "Pass --taxonomy."),
    # settings
    (["build", "one.csv", *_BUILD[:-4]], "no word is in enough records", "--set min_records"),
    (["build", "books.csv", "--language", "germn", *_BUILD], "--language has no list", "Did you mean 'german'?"),
    (["build", "books.csv", "--dimensions", "0"], "--dimensions is out of range", "at least 1"),
    (["build", "books.csv", "--dimensions", "many"], "Invalid value for '--dimensions'", "Try 'tacit build --help'"),
    (["build", "books.csv", "--weight", "labels=-1"], "--weight must look like", "NAME=NUMBER"),
    (["build", "books.csv", "--weight", "lables=1", *_BUILD], "--weight has an unknown name", "Did you mean 'labels'?"),
    (["build", "books.csv", "--set", "ngram=2"], "--set has an unknown name", "Did you mean 'ngrams'?"),
    (["build", "books.csv", "--set", "label_weight=7", *_BUILD], "--set label_weight is out of range", "at most 1"),
    (["build", "books.csv", "--set", "kernel=rbf", *_BUILD], "--set has a kernel", "expected 'linear'"),
    (["build", "books.csv", "--stem", "--language", "none"], "--stem needs a language", "got --language 'none'"),
    (["build", "plain.csv", "--model", "mlsi", *_BUILD], "--model needs labels", "use --model 'lsi'."),
    (["build", "books.csv", "--vectors", "five.npy", *_BUILD], "--vectors does not match", "one row per record"),
    (["build", "books.csv", "--vectors", "words.npy", *_BUILD], "--vectors is not an array", "numpy.save"),
    (["build", "books.csv", "--vectors", "open.npy", *_BUILD], "--vectors is not an array", "numpy.save"),
    (["build", "books.csv", "--stop-words", "no.txt"], "--stop-words cannot be read", "or 'none'"),
    (["build", "books.csv", "-o", BOOKS], "--output is an existing index", "Choose another with -o, or add --replace."),
    (["build", "books.csv", "-o", "a-file.tacit"], "--output is a file", "Choose another name."),
    (["build", "books.csv", "-o", "pictures", "--replace"], "--output is a folder with other files", "Choose another"),
    (["biuld", "books.csv"], "No such command 'biuld'", "Did you mean 'build'?"),
    (["find", BOOKS, "whale"], "No such command 'find'", "Try 'tacit --help'."),
    (["build", BOOKS, "-o", "again.tacit"], "SOURCE holds an index", "tacit export"),
    (["build", "books.csv,tree.csv"], "SOURCE does not exist", "with spaces between them: books.csv tree.csv."),
    (["build", "https://example.org/books.csv"], "SOURCE does not exist", "Download it first"),
    (["build", "books.csv", "--label", "subjects"], "No such option '--label'.", "Did you mean '--labels'?"),
    # indexes
    (["search", "whale", BOOKS], "INDEX is no index", "Write 'books.tacit' first."),
    (["add", "new.csv", BOOKS], "INDEX is no index", "Write 'books.tacit' first."),
    (["search", "boks.tacit", "whale"], "INDEX does not exist", "Did you mean 'books.tacit'"),
    (["search", "books.csv", "whale"], "INDEX is a file", "Build one from the file first."),
    (["search", "empty", "whale"], "INDEX is an empty folder", "Build one there first."),
    (["verify", "boks.tacit"], "INDEX does not exist", "Did you mean 'books.tacit'?"),
    (["serve", "boks.tacit"], "INDEX does not exist", "Did you mean 'books.tacit'"),
    # questions
    (["search", BOOKS], "QUERY is empty", "a filter such as --label"),
    (["search", BOOKS, "whale", "--lable", "pets"], "No such option '--lable'", "Did you mean '--label'?"),
    (["search", BOOKS, "whale", "--by", "word"], "Invalid value for '--by'", "'words'"),
    (["search", BOOKS, "whale", "--limit", "0"], "--limit is out of range", "at least 1"),
    (["search", BOOKS, "whale", "--label", "petz"], "--label is unknown", "Did you mean 'pets'?"),
    (["search", BOOKS, "whale", "--under", "the see"], "--under is unknown", "Did you mean 'The sea'?"),
    (["search", BOOKS, "whale", "--where", "plase=Oslo"], "--where has an unknown name", "Did you mean 'place'?"),
    (["search", BOOKS, "whale", "--where", "place=Olso"], "--where has an unknown value", "Did you mean 'Oslo'?"),
    (["search", BOOKS, "whale", "--where", "Oslo"], "--where must look like", "NAME=VALUE"),
    (["search", BOOKS, "whale", "--range", "1990..1999"], "--range must look like", "NAME=LOW..HIGH"),
    (["search", BOOKS, "whale", "--range", "place=1..9"], "--range is for numbers and dates", "--where: place=Oslo"),
    (["search", BOOKS, "whale", "--range", "year=1990-1999"], "--range must look like", "Write year=1990..1999."),
    (["search", BOOKS, "whale", "--range", "year>=1990"], "--range must look like", "Write year=1990.."),
    (["search", BOOKS, "whale", "--range", "year<1999"], "--range must look like", "Write year=..1999"),
    (["search", BOOKS, "whale", "--year", "1990"], "No such option '--year'.", "--where year=VALUE, or --range year="),
    (["search", BOOKS, "whale", "-o", "hits.csv"], "No such option '-o'", "Add > FILE to keep it"),
    (["search", BOOKS, "whale", "--link", "writer=Ann"], "--link has an unknown name", "expected one of author"),
    (["search", BOOKS, "whale", "--link", "author=Anne"], "--link has an unknown value", "Did you mean 'Ann'?"),
    (["show", BOOKS, "R7"], "ID is unknown", "Did you mean 'r7'?"),
    (["show", BOOKS, TITLE], "ID is unknown", "is the title of a record, expected its id. Write 'r1'."),
    (["similar", BOOKS, TITLE.upper()], "ID is unknown", "Write 'r1'."),
    (["recommend", BOOKS, "--liked", TITLE], "--liked is unknown", "Write 'r1'."),
    (["recommend", BOOKS, "r1"], "Got unexpected extra argument (r1).", "Write --liked ID."),
    (["explain", BOOKS, "whale", "r1"], "Got unexpected extra arguments", "Write --query WORDS --id ID"),
    (["similar", BOOKS, "zz"], "ID is unknown", "Check its spelling."),
    (["explain", BOOKS], "this combination is not supported", "--query and one --id"),
    (["explain", BOOKS, "--query", "whale", "--id", "r99"], "--id is unknown", "Did you mean 'r9'?"),
    (["explain", BOOKS, "--dimension", "99"], "--dimension is out of range", "expected one of 1 to 3"),
    (["recommend", BOOKS], "--liked is missing", "Name a record that you like."),
    (["recommend", BOOKS, "--liked", "r99"], "--liked is unknown", "Did you mean 'r9'?"),
    (["recommend", BOOKS, "--for", "author=Anne"], "--for author is unknown", "Did you mean 'Ann'?"),
    (["recommend", BOOKS, "--for", "Ann"], "--for must look like LINK=TARGET", "author=Knuth"),
    (["suggest", BOOKS], "TEXT is missing", "or - for standard input"),
    (["suggest", BOOKS, "leter.txt"], "TEXT looks like a file, which does not exist", "Did you mean 'letter.txt'?"),
    (["suggest", BOOKS, "books.csv"], "books.csv has records", "Use --batch books.csv."),
    (["suggest", BOOKS, "--file", "letter.docx"], "letter.docx is no text", "Save it as .txt, .html or .pdf."),
    (["suggest", BOOKS, "--batch", BOOKS], "--batch holds an index", "tacit export"),
    (["suggest", BOOKS, "letter.txt"], "letter.txt is empty", "at least one"),
    (["suggest", BOOKS, "--file", "leter.txt"], "--file cannot be read", "Did you mean 'letter.txt'?"),
    (["suggest", BOOKS, "--batch", "boks.csv"], "--batch does not exist", "Did you mean 'books.csv'?"),
    (["suggest", BOOKS, "whale", "--threshold", "50"], "--threshold is out of range", "at most 1"),
    (["evaluate", BOOKS, "--test", "other.csv"], "names a column", "give those of the file the same names"),
    (["evaluate", BOOKS, "--test", "boks.csv"], "--test does not exist", "Did you mean 'books.csv'?"),
    # changes
    (["add", BOOKS, "other.csv"], "--id names a column", "name others with --text, --labels"),
    (["add", BOOKS, "new.csv"], "SOURCE has an id that is in use", "--replace-existing"),
    (["update", BOOKS, "new.csv"], "SOURCE has an unknown id", "Use add for new ones."),
    (["remove", BOOKS], "ID is missing", "--ids-from FILE"),
    (["remove", BOOKS, "r99"], "ID has an unknown id", "Check its spelling."),
    (["export", BOOKS, "-o", "books.csv"], "--output exists already", "Choose another, or pass --replace."),
    (["export", BOOKS, "-o", "books.docx"], "--output does not say the format", "--format"),
    (["map", BOOKS, "-o", "map.docx"], "--output is not a map file", ".html"),
]  # fmt: skip


@pytest.mark.parametrize(("arguments", "wrong", "next_step"), MISTAKES, ids=[" ".join(each[0]) for each in MISTAKES])
def test_a_mistake_is_answered_by_a_sentence_that_says_what_to_type(
    shelf, monkeypatch, capsys, arguments, wrong, next_step
):
    code, said = answered(shelf, monkeypatch, capsys, arguments)
    assert code == 2
    assert "Traceback" not in said
    assert wrong in said
    assert next_step in said
    assert len(textwrap.wrap(said, 80)) <= _LINES
    ours = re.sub(r"'[^']*'|\"[^\"]*\"|--set \w+|one of ngrams.*title_weight", "", said)  # without what is typed so
    assert not re.findall(r"\b[a-z]+(?:_[a-z]+)+\b|`", ours)
    assert not (shelf / "new.tacit").exists()


def test_an_index_that_is_being_changed_says_so_and_how_to_wait(shelf, monkeypatch, capsys):
    with hold_lock(shelf / BOOKS):
        code, said = answered(shelf, monkeypatch, capsys, ["remove", BOOKS, "r1"])
    assert code == 2
    assert "--wait" in said


def test_a_missing_library_is_named_with_the_command_that_installs_it(shelf, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "rdflib", None)  # as if it were not installed
    (shelf / "tree.nt").write_text("")
    code, said = answered(shelf, monkeypatch, capsys, ["build", "books.csv", "--taxonomy", "tree.nt", *_BUILD])
    assert code == 2
    assert "pip install 'tacit[skos]'" in said


@pytest.mark.parametrize(
    ("arguments", "note"),
    [
        (["search", BOOKS, "the and of"], "Type words that tell more."),
        (["search", BOOKS, "whael"], "these are for 'whale'"),
    ],
)
def test_an_answer_that_may_not_be_what_was_meant_comes_with_a_note(shelf, monkeypatch, capsys, arguments, note):
    code, said = answered(shelf, monkeypatch, capsys, arguments)
    assert code == 0
    assert said.startswith("Note: ")
    assert note in said


def test_labels_with_commas_and_ids_that_come_twice_are_reported_after_a_build(shelf, monkeypatch, capsys):
    (shelf / "twice.csv").write_text("id,text,labels\n" + '1,whale ship,"sea, ships"\n' * 12)
    monkeypatch.chdir(shelf)
    with pytest.raises(SystemExit):
        main(["build", "twice.csv", "lists.csv", "-o", "reported.tacit", *_BUILD[2:3], *_BUILD[4:]])
    said = capsys.readouterr().out
    assert "duplicate id" in said
    assert "--label-separator ','" in said


def test_a_build_says_if_most_texts_are_in_another_language(shelf, monkeypatch, capsys):
    rows = (f"{n},Die Wale und das Meer {n % 3},Das Schiff liegt mit der Fracht nicht im Hafen" for n in range(12))
    (shelf / "german.csv").write_text("\n".join(["Signatur,Titel,Zusammenfassung", *rows]))
    monkeypatch.chdir(shelf)
    arguments = ["build", "german.csv", "--no-map", "--dimensions", "2"]
    with pytest.raises(SystemExit):
        main(arguments)
    said = capsys.readouterr()
    assert "Note: most texts seem to be German" in said.err
    assert "--language german" in said.err
    assert "text from Titel, Zusammenfassung" in said.out
    with pytest.raises(SystemExit):
        main([*arguments, "--language", "de", "--replace"])
    assert "Note" not in capsys.readouterr().err


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="names of files are text there")
def test_files_whose_names_are_no_text_are_read_and_their_index_can_be_fitted_again(tmp_path, capsys):
    lines = [json.dumps({"id": f"r{n}", "text": f"whale sea {n}", "labels": ["ab"[n % 2]]}) for n in range(70)]
    source = tmp_path / os.fsdecode(b"b\xfccher.jsonl")
    source.write_text("\n".join(lines) + "\n")
    path = str(tmp_path / os.fsdecode(b"b\xfccher.tacit"))
    sys.stderr.reconfigure(errors="backslashreplace")  # as Python opens it
    said(capsys, "build", str(source), "-o", path)
    assert said_json(capsys, "info", path, "--json")["reading"]["source"] == ["b?cher.jsonl"]
    said(capsys, "learn", path, str(source))
    said(capsys, "refit", path)
    said(capsys, "map", path, "-o", str(tmp_path / "map.html"))
    said(capsys, "export", path, "--site", str(tmp_path / "site"))


@pytest.mark.parametrize("option", [["--label"], ["--under"], ["--where", "year="], ["--range", "year="]])
def test_what_is_asked_for_in_other_bytes_is_told(shelf, capsys, option):
    name, *beginning = option
    asked = "".join([*beginning, os.fsdecode(b"b\xfccher")])
    message = refused(capsys, "search", str(shelf / "books.tacit"), "whale", name, asked)
    assert "inside Tacit" not in message
    assert "\\udcfc" in message


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no named pipes of this kind")
@pytest.mark.parametrize("option", ["--taxonomy", "--vectors"])
def test_a_pipe_is_not_waited_for(shelf, tmp_path, capsys, option):
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    message = refused(capsys, "build", str(shelf / "books.csv"), "-o", str(tmp_path / "a"), option, str(pipe))
    assert f"{option} is not a plain file: got {str(pipe)!r}, which is a named pipe" in message


@pytest.mark.parametrize("value", [1e16, -1e150])
def test_vectors_whose_squares_cannot_be_added_are_told(shelf, tmp_path, capsys, value):
    vectors = np.random.default_rng(0).normal(size=(45, 4))
    vectors[3, 1] = value
    np.save(tmp_path / "vectors.npy", vectors)
    arguments = [
        "build",
        str(shelf / "books.csv"),
        "-o",
        str(tmp_path / "a"),
        "--vectors",
        str(tmp_path / "vectors.npy"),
    ]
    message = refused(capsys, *arguments)
    assert f"--vectors has values that are too large: got {abs(value):.3g}, expected at most 1e+15" in message


def test_a_site_shows_numbers_that_are_too_large_as_texts(tmp_path, capsys):
    rows = [
        {"id": f"r{n}", "text": f"whale sea {n}", "size": 10**400 if n == 3 else n, "more": 1e38} for n in range(30)
    ]
    (tmp_path / "x.jsonl").write_text("\n".join(json.dumps(row) for row in rows))
    index, site = str(tmp_path / "x.tacit"), tmp_path / "site"
    said(capsys, "build", str(tmp_path / "x.jsonl"), "-o", index)
    said(capsys, "export", index, "--site", str(site))
    assert (site / "index.html").exists()
