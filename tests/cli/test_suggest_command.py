"""`tacit suggest` as people type it: a text, files, standard input, a batch; as a table, JSON, or as Annif does."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys

import pytest
from asked_index import SEA, asked_records, build_asked, refused, said, said_json
from planted_subjects import planted_records

import tacit
from tacit.cli.common.verbs import VERBS
from tacit.cli.suggest import suggest_command
from tacit.tasks.build.settings import BuildSettings
from tacit.text import TextSettings


@pytest.fixture(scope="module")
def index(tmp_path_factory) -> str:
    return build_asked(tmp_path_factory.mktemp("suggest") / "library.tacit")


@pytest.fixture(scope="module")
def reasoned(tmp_path_factory) -> str:
    """An index of enough records for witnesses, which know reasons."""
    settings = BuildSettings(n_components=4, text=TextSettings(min_records=1))
    return str(tacit.build(planted_records(), tmp_path_factory.mktemp("reasoned") / "library.tacit", settings))


@pytest.fixture(scope="module")
def source(tmp_path_factory) -> str:
    """Records with labels of their own, one of them without a known word."""
    rows = [{"id": record.id, "text": record.text, "labels": ["wrong"]} for record in asked_records()]
    path = tmp_path_factory.mktemp("batch") / "new.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in [*rows, {"id": "odd", "text": "xyzzy"}]))
    return str(path)


def expected(index: str, text: str, **options: object) -> list[tuple[str, float]]:
    with tacit.open(index) as collection:
        return [(one.label, round(one.probability, 6)) for one in collection.suggest(text, **options)]


def test_a_table_with_probabilities_titles_and_ancestors(index, capsys):
    lines = said(capsys, "suggest", index, "whale", "harbour", "-n", "3").splitlines()
    assert lines[0].split() == ["probability", "chosen", "label", "title", "below"]
    assert len(lines) == 4
    labels = [label for label, _ in expected(index, "whale harbour", limit=3)]
    assert [line.split()[2] if "yes" in line else line.split()[1] for line in lines[1:]] == labels
    assert re.search(r"animals +Sea animals +The sea", "\n".join(lines))


def test_json_gives_every_text_its_suggestions(index, capsys, tmp_path):
    file = tmp_path / "letter.txt"
    file.write_text("\ufeffkettle and lamp", encoding="utf-8")
    answer = said_json(capsys, "suggest", index, "whale reef", "--file", str(file), "--json")
    assert [text["source"] for text in answer["texts"]] == ["text", str(file)]
    for text, words in zip(answer["texts"], ["whale reef", "kettle lamp"], strict=True):
        found = [(one["label"], one["probability"]) for one in text["suggestions"]]
        assert found == [(label, pytest.approx(p, abs=1e-5)) for label, p in expected(index, words)]
    keys = {"label", "title", "probability", "chosen", "ancestors", "ancestor_titles"}
    assert answer["texts"][0]["suggestions"][0].keys() == keys
    above = {one["label"]: one["ancestor_titles"] for one in answer["texts"][0]["suggestions"]}
    assert above["animals"] == ["The sea"]


def test_limit_threshold_and_chosen(index, capsys):
    everything = said_json(capsys, "suggest", index, "whale", "reef", "-n", "9", "--json")["texts"][0]["suggestions"]
    assert len(everything) == 4
    above = said_json(capsys, "suggest", index, "whale", "reef", "--threshold", "0.2", "--json")
    assert above["texts"][0]["suggestions"] == [one for one in everything if one["probability"] >= 0.2]
    yes = said_json(capsys, "suggest", index, "whale", "reef", "--chosen", "--json")["texts"][0]["suggestions"]
    assert yes == [one for one in everything if one["chosen"]]
    assert yes


def test_the_lines_of_annif(index, capsys, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO("whale and reef"))
    lines = said(capsys, "suggest", index, "-", "--format", "annif", "-n", "2").splitlines()
    with tacit.open(index) as collection:
        found = collection.suggest("whale reef", limit=2)
    assert lines == [f"<{one.label}>\t{one.title}\t{one.probability:.4f}" for one in found]
    both = said(capsys, "suggest", index, "whale", "--file", __file__, "--format", "annif", "-n", "1").splitlines()
    assert [both[0], both[2]] == ["Suggestions for text", f"Suggestions for {__file__}"]


def test_the_json_of_annif(index, capsys):
    answer = said_json(capsys, "suggest", index, "whale reef", "--format", "annif-json", "-n", "2")
    assert [(one["uri"], one["score"]) for one in answer["results"]] == expected(index, "whale reef", limit=2)
    assert all(one.keys() == {"uri", "label", "notation", "score"} for one in answer["results"])
    several = said_json(capsys, "suggest", index, "whale reef", "--file", __file__, "--format", "annif-json", "-n", "2")
    assert several[0] == {"document_id": "text", **answer}
    assert several[1]["document_id"] == __file__


def test_an_empty_answer_says_why(index, capsys):
    assert (
        said(capsys, "suggest", index, "xyzzy") == "No labels: none of the words is in the vocabulary of the index.\n"
    )
    assert said(capsys, "suggest", index, "whale", "--threshold", "1") == "No label is probable enough.\n"
    assert said(capsys, "suggest", index, "xyzzy", "--format", "annif") == ""
    assert said_json(capsys, "suggest", index, "xyzzy", "--json")["texts"][0]["suggestions"] == []
    assert said_json(capsys, "suggest", index, "xyzzy", "--format", "annif-json") == {"results": []}


def test_reasons_stand_below_the_table(reasoned, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    text = "a whale and a ship before the judge of a sea"
    printed = said(capsys, "suggest", reasoned, text, "-n", "3")
    table, why = printed.split("\nWhy\n")
    assert len(table.splitlines()) == 4
    assert max(map(len, why.splitlines())) <= 60
    with tacit.open(reasoned) as collection:
        found = collection.suggest(text, limit=3, reasons=True)
    paragraphs = [f"{one.title}: {'; '.join(one.evidence.sentences())}" for one in found]
    assert " ".join(why.split()) == " ".join(paragraphs)
    assert said(capsys, "suggest", reasoned, text, "-n", "3", "--no-reasons") == table
    many = [argument for _ in range(6) for argument in ("--file", __file__)]
    assert "Why" not in said(capsys, "suggest", reasoned, *many)


def test_reasons_as_data(reasoned, source, capsys, tmp_path):
    plain = said_json(capsys, "suggest", reasoned, "a whale at sea", "--json")["texts"][0]["suggestions"]
    assert all("evidence" not in one for one in plain)
    told = said_json(capsys, "suggest", reasoned, "a whale at sea", "--json", "--reasons")["texts"][0]["suggestions"]
    assert [{**one, "evidence": None} for one in plain] == [{**one, "evidence": None} for one in told]
    sea = next(one for one in told if one["label"] == "sea")["evidence"]
    assert sea["name"] == "sea"
    assert sea["words"][0].keys() == {"word", "share"}
    assert "its name “sea” stands in the text" in sea["sentences"]
    output = tmp_path / "out.tsv"
    said(capsys, "suggest", reasoned, "--batch", source, "--output", str(output), "--reasons", "-n", "1")
    heading, first, *_ = [line.split("\t") for line in output.read_text().splitlines()]
    assert heading[-1] == "reasons"
    assert "similar records" in first[-1]


def test_reasons_that_nobody_knows(index, source, reasoned, capsys):
    assert "Why" not in said(capsys, "suggest", index, "whale")
    for arguments in (["whale", "--json"], ["--batch", source]):
        main_out = subprocess.run(
            [sys.executable, "-m", "tacit", "suggest", index, *arguments, "--reasons"],
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        assert "Note: no reasons are known: the index was built with a suggester" in main_out.stderr
        assert "evidence" not in main_out.stdout
    message = refused(capsys, "suggest", reasoned, "whale", "--format", "annif", "--reasons")
    assert "--reasons has no place in the output of Annif: got --format annif, expected table or json." in message


def test_a_batch_as_json_lines(index, source, capsys, tmp_path):
    output = tmp_path / "out.jsonl"
    assert said(capsys, "suggest", index, "--batch", source, "--output", str(output), "-n", "2") == ""
    rows = [json.loads(line) for line in output.read_text().splitlines()]
    assert [row["id"] for row in rows] == [*(record.id for record in asked_records()), "odd"]
    assert rows[-1]["suggestions"] == []
    found = [(one["label"], one["probability"]) for one in rows[1]["suggestions"]]
    assert found == [
        (label, pytest.approx(p, abs=1e-5)) for label, p in expected(index, asked_records()[1].text, limit=2)
    ]
    assert list(tmp_path.iterdir()) == [output]


def test_a_batch_as_a_table_and_to_standard_output(index, source, capsys, tmp_path):
    output = tmp_path / "out.tsv"
    said(capsys, "suggest", index, "--batch", source, "--output", str(output), "--chosen")
    heading, *rows = [line.split("\t") for line in output.read_text().splitlines()]
    assert heading == ["id", "label", "title", "probability", "chosen"]
    assert {row[4] for row in rows} == {"yes"}
    lines = said(capsys, "suggest", index, "--batch", source, "--json", "--chosen").splitlines()
    listed = [(row["id"], one["label"]) for row in map(json.loads, lines) for one in row["suggestions"]]
    assert [(row[0], row[1]) for row in rows] == listed
    printed = said(capsys, "suggest", index, "--batch", source, "--format", "table", "--chosen", "--output", "-")
    assert printed == output.read_text()


def test_a_batch_as_annif_gives_it(index, source, capsys):
    rows = said(capsys, "suggest", index, "--batch", source, "--format", "annif-json", "-n", "1").splitlines()
    first = json.loads(rows[0])
    assert first["document_id"] == "r0"
    assert first["results"][0].keys() == {"uri", "label", "notation", "score"}
    lines = said(capsys, "suggest", index, "--batch", source, "--format", "annif", "-n", "1").splitlines()
    assert lines[0] == "Suggestions for r0"
    assert lines[1].startswith("<")


def test_columns_of_a_batch(index, capsys, tmp_path):
    table = tmp_path / "new.csv"
    table.write_text("key,words\na,whale reef\nb,lamp kettle\n")
    rows = said(capsys, "suggest", index, "--batch", str(table), "--text", "words", "--id", "key", "-n", "1")
    assert [json.loads(row)["id"] for row in rows.splitlines()] == ["a", "b"]
    assert "got 'body', expected one of" in refused(capsys, "suggest", index, "--batch", str(table), "--text", "body")


def test_a_batch_is_read_as_the_index_was_built(capsys, tmp_path):
    """The title of the build's column counts three times; a source without these columns is read by guessing."""
    rows = [{"key": record.id, "head": "whale", "body": record.text, "labels": "a;b"} for record in asked_records()]
    table = tmp_path / "old.csv"
    table.write_text("key,head,body,labels\n" + "".join(",".join(row.values()) + "\n" for row in rows))
    columns = {"text": ["head", "body"], "id": "key", "title": "head", "title_weight": 3, "labels": ["labels"]}
    settings = BuildSettings(n_components=5, reading={"columns": columns})
    path = str(tacit.build(asked_records(), tmp_path / "i", settings))
    found = [json.loads(line) for line in said(capsys, "suggest", path, "--batch", str(table), "-n", "1").splitlines()]
    assert [row["id"] for row in found] == [row["key"] for row in rows]
    label, probability = expected(path, f"whale whale whale {rows[0]['body']}", limit=1)[0]
    assert found[0]["suggestions"][0]["label"] == label
    assert found[0]["suggestions"][0]["probability"] == pytest.approx(probability, abs=1e-5)
    other = tmp_path / "new.jsonl"
    other.write_text('{"id": "x", "text": "whale reef"}\n')
    assert json.loads(said(capsys, "suggest", path, "--batch", str(other)))["id"] == "x"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "TEXT is missing: got none, expected TEXT, --file FILE, --batch SOURCE, or - for standard input."),
        ([" "], "TEXT is empty: got no words, expected at least one."),
        (["--file", "no/such/file.txt"], "--file cannot be read: got 'no/such/file.txt', No such file or directory."),
        (["whale", "-n", "0"], "limit is out of range: got 0, expected a whole number of at least 1."),
        (["whale", "--threshold", "2"], "threshold is out of range: got 2.0, expected a number of at least 0 and"),
        (["whale", "--output", "x"], "--output needs --batch: got 'x' without it. Add --batch SOURCE."),
        (["whale", "--text", "x"], "--text needs --batch: got 'x' without it. Add --batch SOURCE."),
        (["whale", "--batch", "x"], "--batch is given with a text or --file: got both, expected one of them."),
        (["whale", "--json", "--format", "annif"], "--json contradicts --format: got 'annif', expected 'json'."),
        (["--batch", "no/such.csv"], "--batch does not exist: got 'no/such.csv', expected a file or a folder."),
        (["--batch", "x", "--output", "y.tsv", "--json"], "--output does not fit --format: got 'y.tsv' for 'json'"),
        (["whale", "--format", "xml"], "Invalid value for '--format': 'xml' is not one of"),
    ],
)
def test_bad_input_is_one_sentence(index, capsys, arguments, message):
    assert message in refused(capsys, "suggest", index, *arguments)


def test_output_that_cannot_be_written(index, source, capsys, tmp_path):
    output = str(tmp_path / "no" / "such" / "out.jsonl")
    message = refused(capsys, "suggest", index, "--batch", source, "--output", output)
    assert message == f"Error: --output cannot be written: got {output!r}, No such file or directory."


def test_an_index_that_is_not_there_or_has_no_labels(capsys, tmp_path):
    assert "no/such" in refused(capsys, "suggest", "no/such", "whale")
    plain = build_asked(tmp_path / "plain", labels=False)
    assert "has no suggester" in refused(capsys, "suggest", plain, "whale")


def test_help_shows_examples_line_by_line(capsys):
    assert suggest_command.get_short_help_str(limit=200) == VERBS["suggest"][1]
    assert "  tacit suggest library.tacit a whaling voyage to the Pacific\n" in said(capsys, "suggest", "--help")


def test_the_real_command_reads_a_pipe_and_loads_no_scikit_learn(index):
    code = (
        "import sys; from tacit.cli.app import main\ntry: main(sys.argv[1:])\nfinally: print('sklearn' in sys.modules)"
    )
    run = [sys.executable, "-c", code, "suggest", index, "-", "--json"]
    done = subprocess.run(run, input=" ".join(SEA), capture_output=True, text=True, check=True)
    answer, _, loaded = done.stdout.rstrip().rpartition("\n")
    assert loaded == "False"
    assert json.loads(answer)["texts"][0]["source"] == "standard input"
