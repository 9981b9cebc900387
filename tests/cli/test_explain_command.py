"""`tacit explain` and `tacit concepts` as people type them."""

from __future__ import annotations

import re
import sys

import pytest
from asked_index import HOME, SEA, asked_records, build_asked, refused, said, said_json
from planted_subjects import planted_records

import tacit
from tacit.cli.common.verbs import VERBS
from tacit.cli.explain import concepts_command, explain_command
from tacit.tasks.build.settings import BuildSettings


@pytest.fixture(scope="module")
def index(tmp_path_factory) -> str:
    return build_asked(tmp_path_factory.mktemp("explain") / "library.tacit")


def test_why_this_hit(index, capsys):
    answer = said_json(capsys, "explain", index, "--query", "whale harbour", "--id", "r1", "--json")
    assert answer["record"] == {"id": "r1", "title": asked_records()[1].title}
    assert sum(word["part"] for word in answer["words"]) + answer["offset"] == pytest.approx(answer["cosine"], abs=1e-5)
    (hit,) = [hit for hit in _search(capsys, index, "whale harbour") if hit["id"] == "r1"]
    assert answer["cosine"] == pytest.approx(hit["score"], abs=1e-5)
    printed = said(capsys, "explain", index, "--query", "whale harbour", "--id", "r1")
    assert printed.startswith("Record r1 and the query are ")
    assert re.search(r"^ *part +word +in both +related words in the record$", printed, re.M)
    assert "Labels nearest to the query" in printed
    assert all(len(line) <= 100 for line in printed.splitlines())


def _search(capsys, index, query):
    return said_json(capsys, "search", index, query, "--by", "meaning", "-n", "45", "--json")["hits"]


def test_why_two_records_are_similar(index, capsys):
    printed = said(capsys, "explain", index, "--id", "r1", "--id", "r2", "-n", "3")
    assert printed.startswith("Records r1 and r2 are ")
    assert "Dimensions that carry most of the cosine" in printed
    answer = said_json(capsys, "explain", index, "--id", "r1", "--id", "r2", "--json")
    assert sum(part["part"] for part in answer["dimensions"]) == pytest.approx(answer["cosine"], abs=1e-5)
    shared = set(asked_records()[1].text.split()) & set(asked_records()[2].text.split())
    assert set(answer["shared_words"]) == shared


def test_why_this_label(index, capsys):
    answer = said_json(capsys, "explain", index, "--text", "whale kettle", "--label", "Sea animals", "--json")
    assert answer["label"] == "animals"
    parts = sum(word["part"] for word in answer["words"])
    assert parts + answer["offset"] + answer["intercept"] == pytest.approx(answer["score"], abs=1e-5)
    printed = said(capsys, "explain", index, "--text", "whale kettle", "--label", "animals")
    assert "Words in favour" in printed
    assert "Words against" in printed
    assert "Broader labels: The sea" in printed
    of_record = said_json(capsys, "explain", index, "--id", "r1", "--label", "animals", "--json")
    assert {word["word"] for word in of_record["words"]} == set(asked_records()[1].text.split())


def test_the_score_is_written_with_what_is_not_shown(index, capsys):
    printed = said(capsys, "explain", index, "--text", " ".join(SEA + HOME), "--label", "animals", "-n", "2")
    (line,) = [line for line in printed.splitlines() if line.startswith("Score ")]
    score, start, good, bad, rest = map(float, re.findall(r"[+-]?\d+\.\d{3}", line))
    assert score == pytest.approx(start + good + bad + rest, abs=0.003)


def test_why_this_label_by_witnesses(capsys, tmp_path):
    """Shares of records instead of parts of a score, which these suggestions do not have."""
    path = str(tacit.build(planted_records(), tmp_path / "i", BuildSettings(n_components=4)))
    text = "whale and ship at sea"
    printed = said(capsys, "explain", path, "--text", text, "--label", "sea", "-n", "2")
    assert "Score" not in printed
    assert "Its name “sea” stands in the text." in " ".join(printed.split())
    assert "Nearest records with this label" in printed
    shares = printed.partition("have this label (less for rare words)\n")[2].splitlines()[:3]
    assert shares[0].split() == ["share", "word"]
    assert {line.split()[1] for line in shares[1:]} == {"whale", "ship"}
    facts = said_json(capsys, "explain", path, "--text", text, "--label", "sea", "--json")
    assert facts["by_witnesses"]
    assert facts["reasons"][0] == "its name “sea” stands in the text"
    suggested = said_json(capsys, "suggest", path, text, "--json")["texts"][0]["suggestions"]
    (same,) = [one["probability"] for one in suggested if one["label"] == "sea"]
    assert facts["probability"] == pytest.approx(same, abs=1e-6)


def test_what_a_label_is_near_to(index, capsys):
    printed = said(capsys, "explain", index, "--label", "vessels", "-n", "3")
    assert printed.startswith("vessels is the label of ")
    assert "Nearest labels" in printed
    assert "Nearest records" in printed
    answer = said_json(capsys, "explain", index, "--label", "the SEA", "--json")
    assert [label["label"] for label in answer["children"]] == ["animals", "vessels"]
    assert "Narrower labels: Sea animals, vessels" in said(capsys, "explain", index, "--label", "sea")


def test_lines_are_no_wider_than_a_terminal(index, capsys, monkeypatch):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "60")
    lines = re.sub("\x1b\\[[0-9;]*m", "", said(capsys, "explain", index, "--label", "sea")).splitlines()
    assert [line for line in lines if len(line) > 60] == []


def test_what_a_dimension_is_about(index, capsys):
    printed = said(capsys, "explain", index, "--dimension", "1", "-n", "3")
    assert printed.startswith("Dimension 1 accounts for ")
    assert "End +" in printed
    assert "End -" in printed
    answer = said_json(capsys, "explain", index, "--dimension", "1", "--json")
    assert answer["number"] == 1
    assert answer["positive"]["records"]


def test_concepts_as_a_table_and_as_json(index, capsys):
    heading, *rows = said(capsys, "concepts", index, "-n", "2", "--words", "3").splitlines()
    assert heading.split() == ["dimension", "share", "end", "words", "labels"]
    assert {row.split()[0] for row in rows} <= {"1", "2", "+", "-"}
    answer = said_json(capsys, "concepts", index, "--json")
    assert answer["n_dimensions"] == 5
    assert [concept["number"] for concept in answer["concepts"]] == [1, 2, 3, 4, 5]
    words = [set(concept[end]["words"]) for concept in answer["concepts"] for end in ("positive", "negative")]
    assert any(found and found <= set(SEA) for found in words)
    assert sum(concept["share"] for concept in answer["concepts"]) == pytest.approx(1)


def test_an_index_without_labels_has_concepts_of_words(capsys, tmp_path):
    plain = build_asked(tmp_path / "plain", labels=False)
    answer = said_json(capsys, "concepts", plain, "--json")
    assert all(concept["positive"]["labels"] == [] for concept in answer["concepts"])
    assert "expected a label, but" in refused(capsys, "explain", plain, "--label", "animals")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            [],
            "this combination is not supported: got nothing, expected --query and one --id, two --id, --text",
        ),
        (["--query", "whale"], "this combination is not supported: got query, expected"),
        (["--id", "r1"], "this combination is not supported: got one id, expected"),
        (["--query", "whale", "--id", "r111"], "id is unknown: got 'r111', expected"),
        (["--query", "xyzzy", "--id", "r1"], "query has no known word: got 'xyzzy', expected at least one word"),
        (
            ["--label", "vesels"],
            "label is unknown: got 'vesels', expected a label of the index. Did you mean 'vessels'?",
        ),
        (["--dimension", "6"], "dimension is out of range: got 6, expected one of 1 to 5."),
        (["--dimension", "one"], "Invalid value for '--dimension': 'one' is not a valid integer."),
        (["--dimension", "1", "-n", "0"], "limit is out of range: got 0, expected a whole number of at least 1."),
    ],
)
def test_bad_input_is_one_sentence(index, capsys, arguments, message):
    assert message in refused(capsys, "explain", index, *arguments)


def test_concepts_refuses_bad_numbers(index, capsys):
    assert "limit is out of range: got 0" in refused(capsys, "concepts", index, "-n", "0")
    assert "words is out of range: got -1" in refused(capsys, "concepts", index, "--words", "-1")


def test_help_lines_are_those_of_the_table_of_verbs(capsys):
    assert explain_command.get_short_help_str(limit=200) == VERBS["explain"][1]
    assert concepts_command.get_short_help_str(limit=200) == VERBS["concepts"][1]
    assert "  tacit explain library.tacit --dimension 3\n" in said(capsys, "explain", "--help")
