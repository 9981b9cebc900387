"""The standard library as a collection: real names, real docstrings, real subjects, nothing imported."""

from __future__ import annotations

import inspect
import json
import subprocess
import sys
from collections import Counter
from hashlib import sha256

import pytest

from tacit.corpus import Record
from tacit.datasets import standard_library as module_under_test
from tacit.datasets import standard_library_records
from tacit.datasets.standard_library import standard_library_parents
from tacit.errors import InputError


@pytest.fixture(scope="module")
def records() -> list[Record]:
    return standard_library_records()


@pytest.fixture(scope="module")
def by_id(records: list[Record]) -> dict[str, Record]:
    return {record.id: record for record in records}


def test_there_are_a_few_thousand_records_with_names_of_their_own(records, by_id):
    assert 2500 < len(records) < 12000
    assert len(by_id) == len(records)
    assert {record.fields["kind"] for record in records} == {"module", "class", "function", "method"}


@pytest.mark.parametrize(
    ("name", "value", "kind"),
    [
        ("json", json, "module"),
        ("json.decoder.JSONDecoder", json.JSONDecoder, "class"),
        ("json.load", json.load, "function"),
        ("json.decoder.JSONDecoder.raw_decode", json.JSONDecoder.raw_decode, "method"),
        ("builtins.sorted", sorted, "function"),
        ("builtins.str.partition", str.partition, "method"),
    ],
)
def test_texts_are_the_docstrings_python_itself_gives(by_id, name, value, kind):
    record = by_id[name]
    assert record.text.endswith(inspect.cleandoc(value.__doc__))
    assert record.fields["kind"] == kind


def test_labels_go_from_chapter_to_class(by_id):
    assert by_id["json"].labels == ("Internet Data", "json")
    assert by_id["json.decoder.JSONDecoder"].labels == ("Internet Data", "json", "json.decoder")
    assert by_id["os.listdir"].labels == ("Operating System", "os")
    assert by_id["builtins.str.partition"].labels == ("Built-ins", "builtins", "builtins.str")
    assert by_id["decimal.Decimal"].labels[-1] == "decimal.Decimal"


def test_a_class_is_a_subject_if_it_has_five_records(records):
    about = {record.id for record in records if record.fields["kind"] == "class"}
    counts = Counter(label for record in records for label in record.labels if label in about)
    assert min(counts.values()) == 5
    below = Counter(".".join(parts[:n]) for parts in (r.id.split(".") for r in records) for n in range(1, len(parts)))
    assert all(below[name] >= 4 for name in counts)


def test_parents_lead_from_every_label_to_a_chapter(records, by_id):
    parents = standard_library_parents(records)
    assert set(parents) == {label for record in records for label in record.labels}
    assert {name for name, above in parents.items() if above is None} == {record.labels[0] for record in records}
    assert parents["builtins.str"] == "builtins"
    assert parents["builtins"] == "Built-ins"
    assert parents["json.decoder"] == "json"


def test_every_module_here_has_a_chapter(records):
    assert sorted({record.labels[1] for record in records if record.labels[0] == "Other"}) == []


def test_no_module_stands_in_two_chapters():
    names = [name for modules in module_under_test._CHAPTERS.values() for name in modules.split()]
    assert sorted(names) == sorted(set(names))


def test_private_and_test_code_is_left_out(records):
    parts = {part for record in records for part in record.id.split(".")}
    assert not {part for part in parts if part.startswith("_")}
    assert not parts & {"test", "tests", "idlelib", "lib2to3", "turtledemo", "antigravity", "this"}


def test_no_docstring_comes_twice_and_none_is_tiny(records):
    docstrings = [" ".join(record.text.partition("\n")[2].split()).lower() for record in records]
    assert len(set(docstrings)) == len(docstrings)
    assert (
        min(len(docstring.split()) for docstring in docstrings) >= 4
    )  # at least eight words by letters: "a-b c.d ..." has four


def test_titles_are_sentences_and_not_signatures(by_id, records):
    assert by_id["os.execlpe"].title.startswith("Execute the executable file")
    assert all(record.title and "\n" not in record.title for record in records)


def test_definitions_that_depend_on_the_platform_are_found(tmp_path):
    path = tmp_path / "some.py"
    path.write_text(
        "try:\n    import fast\nexcept ImportError:\n    def slow():\n        'Doc of slow.'\nelse:\n"
        "    def found():\n        'Doc of found.'\n"
        "if 1:\n    class Also:\n        'Doc of also.'\n        async def run(self):\n            'Doc of run.'\n"
        "def _hidden():\n    'Doc of hidden.'\n"
    )
    found = [(name, kind) for name, kind, _, docstring in module_under_test._from_source(path, "some") if docstring]
    assert found == [
        ("some.slow", "function"),
        ("some.found", "function"),
        ("some.Also", "class"),
        ("some.Also.run", "method"),
    ]


def test_reading_again_imports_nothing_with_side_effects_and_gives_the_same_list(records):
    code = (
        "import sys; from hashlib import sha256\n"
        "from tacit.datasets.standard_library import standard_library_records as read\n"
        "records = [record for record in read() if record.id != 'sys.unraisablehook']\n"
        "print(sorted({'antigravity', 'this', 'tkinter', 'turtle', 'idlelib', 'distutils'} & set(sys.modules)))\n"
        "print(sha256(repr(records).encode('utf-8', 'backslashreplace')).hexdigest())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    others = [record for record in records if record.id != "sys.unraisablehook"]  # in whose place pytest puts its own
    same = sha256(repr(others).encode("utf-8", "backslashreplace")).hexdigest()
    assert done.stdout.splitlines() == ["[]", same]


def test_a_python_without_sources_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr("sysconfig.get_path", lambda name: str(tmp_path))
    monkeypatch.setattr(module_under_test, "_C_MODULES", {})
    with pytest.raises(
        InputError, match=r"The standard library has no sources here: got no docstrings from .* Use a Python"
    ):
        standard_library_records()
