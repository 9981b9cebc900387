"""JSON: lines, arrays and objects over several lines, in every encoding, piece by piece."""

from __future__ import annotations

import gzip
import io
import json
import time

import pytest

from tacit.corpus import read_records
from tacit.corpus.formats import json_lines as module
from tacit.errors import InputError, TacitWarning

ROWS = [{"id": str(i), "text": f"tëxt {i} " + "x" * (37 * i % 200), "labels": [f"l{i % 3}"]} for i in range(50)]
LINES = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in ROWS)
EXPECTED = [(row["id"], row["text"], tuple(row["labels"])) for row in ROWS]


def read(path, **settings):
    return [(r.id, r.text, r.labels) for r in read_records(path, max_problems=0, **settings)]


@pytest.mark.parametrize("name", ["x.jsonl", "x.ndjson", "x.json", "X.JSONL"])
def test_lines_by_suffix(tmp_path, name):
    (tmp_path / name).write_text(LINES, encoding="utf-8")
    assert read(tmp_path / name) == EXPECTED


@pytest.mark.parametrize("name", ["x.jsonl.gz", "x.jsonl"])
def test_gzip_whatever_the_name_says(tmp_path, name):
    (tmp_path / name).write_bytes(gzip.compress(LINES.encode()))
    assert read(tmp_path / name) == EXPECTED


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le"])
@pytest.mark.parametrize("layout", ["lines", "array"])
def test_a_mark_at_the_start_says_the_encoding(tmp_path, encoding, layout):
    text = LINES if layout == "lines" else json.dumps(ROWS, ensure_ascii=False)
    mark = "\ufeff" if encoding == "utf-16-le" else ""
    (tmp_path / "x.json").write_bytes((mark + text).encode(encoding))
    assert read(tmp_path / "x.json") == EXPECTED


def test_an_encoding_that_is_told(tmp_path):
    (tmp_path / "x.jsonl").write_bytes(LINES.encode("cp1252"))
    assert read(tmp_path / "x.jsonl", encoding="cp1252") == EXPECTED
    with pytest.raises(InputError, match=r"x.jsonl, line 1: byte 0xeb is not utf-8: replaced"):
        read(tmp_path / "x.jsonl")


@pytest.mark.parametrize("end", ["\r\n", "\r", "\n\n", "\n  "])
def test_other_line_ends_and_blank_lines(tmp_path, end):
    (tmp_path / "x.jsonl").write_bytes(LINES.replace("\n", end).encode())
    assert read(tmp_path / "x.jsonl") == EXPECTED


def test_separators_of_lines_that_json_does_not_know(tmp_path):
    row = {"id": "1", "text": "one\u2028two\u0085three"}
    (tmp_path / "x.jsonl").write_text(json.dumps(row, ensure_ascii=False) + "\n", encoding="utf-8")
    assert read(tmp_path / "x.jsonl") == [("1", row["text"], ())]


@pytest.mark.parametrize("indent", [None, 0, 3])
@pytest.mark.parametrize("piece", [1, 7, 100, 1 << 18])
def test_arrays_in_pieces_of_any_size(tmp_path, monkeypatch, indent, piece):
    monkeypatch.setattr(module, "_PIECE", piece)
    (tmp_path / "x.json").write_text(json.dumps(ROWS, indent=indent), encoding="utf-8")
    assert read(tmp_path / "x.json") == EXPECTED


def test_objects_over_several_lines(tmp_path):
    (tmp_path / "x.json").write_text("\n".join(json.dumps(row, indent=2) for row in ROWS), encoding="utf-8")
    assert read(tmp_path / "x.json") == EXPECTED


def test_a_long_array_is_not_held_in_memory(tmp_path, monkeypatch):
    """Two records of an array of 4 MB are given after less than a tenth of it has been read."""
    rows = [{"id": str(i), "text": "words " * 100} for i in range(6_000)]
    (tmp_path / "x.json").write_text(json.dumps(rows), encoding="utf-8")
    taken = []
    read_piece = io.TextIOWrapper.read

    class Counting(io.TextIOWrapper):
        def read(self, size=-1):
            taken.append(size)
            return read_piece(self, size)

    monkeypatch.setattr("tacit.corpus.sources.io.TextIOWrapper", Counting)
    records = iter(read_records(tmp_path / "x.json"))
    assert [next(records).id, next(records).id] == ["0", "1"]
    assert sum(taken) < 400_000
    assert min(taken) > 0


def test_problems_in_an_array_say_the_line(tmp_path):
    (tmp_path / "x.json").write_text('[\n{"id": "1", "text": "a"},\n"loose",\n\n{"id": "1", "text": "b"}\n]')
    reading = read_records(tmp_path / "x.json")
    with pytest.warns(TacitWarning, match="1 x broken line, 1 x duplicate id"):
        assert [record.text for record in reading] == ["a"]
    assert [str(problem) for problem in reading.problems.examples] == [
        "x.json, line 3: a str is not a record: expected an object.",
        "x.json, line 5: id '1' was used before: left out.",
    ]


@pytest.mark.parametrize(
    ("tail", "said"),
    [
        ('{"id": "2", "text": oops}]', "Expecting value"),
        ('{"id": "2", "text": "cut', "Unterminated string"),
        ('{"id": "2" "text": 1}' + " " * 50 + "]", "Expecting ',' delimiter"),
        ('{"a": ' * 100_000, "brackets nested too deeply"),
    ],
)
def test_a_broken_array_is_refused_with_its_line(tmp_path, tail, said):
    head = "".join(f'{{"id": "{i}x", "text": "a"}},\n' for i in range(200))
    (tmp_path / "x.json").write_text("[" + head + tail)
    records = read_records(tmp_path / "x.json")
    with pytest.raises(InputError, match=f"path is broken: got {said}.* in x.json, in the value .* in line 201"):
        list(records)


def test_a_mistake_in_an_array_is_not_sought_to_its_end(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "_PIECE", 1_000)
    (tmp_path / "x.json").write_text('[{"id": "1" "text": "a"},' + '{"id": "2", "text": "b"},' * 100_000)
    started = time.process_time()
    with pytest.raises(InputError, match="path is broken"):
        read_records(tmp_path / "x.json")
    assert time.process_time() - started < 0.5


@pytest.mark.parametrize("line", ["[1, 2]", "3", "null", '"text"', "{} {}", "[" * 100_000])
def test_lines_that_are_no_object(tmp_path, line):
    (tmp_path / "x.jsonl").write_text(f'{{"id": "1", "text": "a"}}\n{line}\n{{"id": "2", "text": "b"}}\n')
    reading = read_records(tmp_path / "x.jsonl")
    with pytest.warns(TacitWarning, match="1 x broken line"):
        assert [record.id for record in reading] == ["1", "2"]
    assert reading.problems.examples[0].line == 2


def test_reading_lines_is_not_much_slower_than_parsing_them(tmp_path):
    """It is little more than twice the time; four times leaves room for a busy machine."""
    row = {"title": "a title of some words", "body": "many words of a text " * 50, "labels": ["a", "b", "c"]}
    path = tmp_path / "x.jsonl"
    path.write_text("".join(json.dumps({"id": str(i), **row}) + "\n" for i in range(10_000)))

    def best(run):
        times = []
        for _ in range(5):
            started = time.process_time()
            run()
            times.append(time.process_time() - started)
        return min(times)

    def parse():
        with path.open(encoding="utf-8") as lines:
            for line in lines:
                json.loads(line)

    reading = read_records(path)
    assert best(lambda: sum(1 for _ in reading)) < 4 * best(parse)
