"""`tacit build` and `tacit refit`: from a file to a folder that answers; what cannot be built leaves what was there."""

from __future__ import annotations

import csv
import json
import re
import shutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

import tacit
from tacit.cli.app import main
from tacit.cli.common.progress import ShownStages
from tacit.cli.common.verbs import VERBS
from tacit.corpus import Record
from tacit.index import verify
from tacit.tasks.stage_progress import StageEvent

SEA = ["whale", "dolphin", "ship", "harbour", "wave", "tide", "sailor", "anchor", "reef", "salt"]
HOME = ["cat", "dog", "kitchen", "table", "garden", "chair", "lamp", "carpet", "window", "kettle"]
HEADER = ["id", "title", "text", "subjects", "year", "author"]


def rows(n: int, first: int = 0) -> list[list[str]]:
    rng = np.random.default_rng(first)
    made = []
    for number in range(first, first + n):
        words, labels = (SEA, ["sea", "ships"]) if number % 2 else (HOME, ["home", "pets"])
        text = " ".join(rng.choice(words, 8))
        subjects = f"{labels[0]};{labels[1]}" if rng.random() < 0.5 else str(labels[rng.integers(2)])
        made.append(
            [
                f"r{number}",
                f"Record {words[0]}",
                text,
                subjects,
                str(1990 + number % 5),
                ["Ann", "Bo", "Cy"][number % 3],
            ]
        )
    return made


def write_csv(path: Path, lines: list[list[str]], header: list[str] = HEADER) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([header, *lines])
    return path


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    """A folder to work in, with a collection of 40 records."""
    monkeypatch.chdir(tmp_path)
    write_csv(tmp_path / "books.csv", rows(40))
    return tmp_path


@pytest.fixture(scope="module")
def ready(tmp_path_factory) -> Path:
    """An index of the collection, to be copied."""
    made = tmp_path_factory.mktemp("ready")
    with pytest.raises(SystemExit):
        main(["build", str(write_csv(made / "books.csv", rows(40))), "-o", str(made / "i"), "-q", "--dimensions", "4"])
    return made / "i"


@pytest.fixture
def command(capsys):
    """Run the command in this process; give exit code, output and errors."""

    def run(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as left:
            main(arguments)
        printed = capsys.readouterr()
        return int(left.value.code or 0), printed.out, printed.err

    return run


def failed(command, *arguments: str) -> str:
    """Run what cannot be done, and give its one sentence."""
    code, out, err = command(*arguments)
    assert (code, out) == (2, "")
    errors = [line for line in err.splitlines() if line.startswith("Error: ")]
    assert len(errors) == 1
    assert err.splitlines()[-1] == errors[0]
    assert "Traceback" not in err
    return errors[0]


def test_a_file_becomes_an_index_named_after_it(folder, command):
    code, out, err = command("build", "books.csv")
    assert code == 0
    assert "40 records read from books.csv." in out
    assert "labels from subjects" in out
    assert "tacit search books.tacit 'Record cat'" in out
    assert "tacit suggest books.tacit" in out
    stages = [line for line in err.splitlines() if " MB  " in line]
    assert len(stages) == 6
    assert all(" s  " in line for line in stages)
    assert "Note:" not in err  # a small collection has fewer dimensions than usual, and nobody asked for more
    with tacit.open("books.tacit") as books:
        assert books.settings["fitted"]["model"] == "MLSI"
        assert books.search("dolphin", by="meaning")[0].record.id.startswith("r")
    assert verify("books.tacit") == []


def test_the_source_and_the_finished_index_are_opened_once(folder, command, monkeypatch):
    opened, really_open = [], Path.open
    monkeypatch.setattr(
        Path, "open", lambda self, *how, **more: opened.append(self.name) or really_open(self, *how, **more)
    )
    indexes, open_index = [], import_module("tacit.tasks.collection").open_index
    monkeypatch.setattr("tacit.tasks.collection.open_index", lambda path: indexes.append(path) or open_index(path))
    assert command("build", "books.csv")[0] == 0
    assert opened.count("books.csv") == 1
    assert indexes == ["books.tacit"]
    assert command("build", "books.csv", "-q", "--replace")[0] == 0
    assert opened.count("books.csv") == 2
    assert indexes == ["books.tacit"]


def test_json_says_what_was_read_and_what_was_made(folder, command):
    (folder / "books.csv").open("a").write("r900,no text,,sea,1990,Ann\nbroken line\n")
    code, out, _ = command("build", "books.csv", "-o", "b", "--json", "--dimensions", "5", "--quiet")
    answer = json.loads(out)
    assert code == 0
    assert {name: answer[name] for name in ("index", "labels", "dimensions", "model")} == {
        "index": "b", "labels": 4, "dimensions": 5, "model": "MLSI",
    }  # fmt: skip
    assert answer["records"] == answer["reading"]["records"]
    assert answer["reading"]["columns"]["labels"] == ["subjects"]
    assert answer["reading"]["problems"] == {"cells": 1}
    assert "line 43" in answer["reading"]["examples"][0]


def test_problems_are_shown_once(folder, command):
    (folder / "books.csv").open("a").write("broken line\n")
    _, out, err = command("build", "books.csv")
    assert out.count("1 x cells") == 1
    assert "have problems" not in err


def test_a_large_collection_has_a_stage_for_its_neighbours(folder, command, monkeypatch):
    pytest.importorskip("usearch", reason="the extra 'large' is not installed")
    monkeypatch.setattr("tacit.index.nearest.approximate.LARGE", 10)
    code, _, err = command("build", "books.csv")
    assert code == 0
    assert "40 records linked to their neighbours" in err
    assert verify("books.tacit") == []


def test_quiet_tells_of_lines_that_are_lost(folder, command):
    rows = "".join(f"{n},{'the sea and a whale' if n % 2 else 'a cat at home'}\n" for n in range(30))
    (folder / "cut.csv").write_text(f'id,text\n{rows}30,"open\n31,lost\n', encoding="utf-8")
    code, out, err = command("build", "cut.csv", "--quiet", "--dimensions", "2", "--set", "min_records=1")
    assert (code, out) == (0, "")
    assert "problems in the records: 2 x broken line. Leave out --quiet to see them." in err


def test_quiet_says_nothing(folder, command):
    assert command("build", "books.csv", "--quiet") == (0, "", "")


@pytest.mark.parametrize(
    ("options", "model"),
    [
        (["--labels", ""], "LSI"),
        ([], "MLSI"),
        (["--link", "author"], "MLSI"),
        (["--labels", "", "--link", "author"], "MLSI"),
        (["--link", "author", "--model", "mlsa"], "M-LSA"),
        (["--model", "lsi"], "LSI"),
        (["--model", "hlsi", "--taxonomy", "tree.tsv"], "HLSI"),
    ],
)
def test_the_model_follows_from_what_is_there_or_from_what_was_asked(folder, command, options, model):
    (folder / "tree.tsv").write_text("node\tparent\nwater\t\nsea\twater\nships\twater\nhome\t\npets\thome\n")
    code, out, _ = command("build", "books.csv", "--json", "--quiet", *options)
    assert code == 0
    assert json.loads(out)["model"] == model


def test_settings_are_those_typed(folder, command):
    (folder / "stop.txt").write_text("whale\ncat dog\n")
    typed = "--dimensions 4 --set label_weight=0.7 --set balance=false --stop-words stop.txt --set ngrams=2"
    code, _, _ = command(
        "build", "books.csv", "--quiet", *typed.split(), "--set", "min_records=1", "--suggester", "ridge", "--seed", "3"
    )
    assert code == 0
    assert "Did you mean 'ngrams'?" in failed(command, "build", "books.csv", "--replace", "--set", "ngram=2")
    with tacit.open("books.tacit") as books:
        settings, words = books.settings["build"], set(books.space.words.terms)
        assert books.settings["fitted"]["parameters"]["label_weight"] == 0.7
        assert books.settings["fitted"]["parameters"]["balance"] is False
    assert (settings["n_components"], settings["suggester"], settings["random_state"]) == (4, "ridge", 3)
    assert settings["text"]["stop_words"] == ["whale", "cat", "dog"]
    assert not {"whale", "cat", "dog"} & words
    assert any(" " in word for word in words)


def test_weights_are_those_typed_and_a_refit_keeps_them(folder, command):
    options = ["--link", "author", "--weight", "author=0.25", "--weight", "words = 0.5", "--dimensions", "6"]
    code, _, err = command("build", "books.csv", *options)
    assert code == 0
    assert "  weights " not in err  # there is nothing left to find
    weights = {"labels": 1.0, "author": 0.25, "words": 0.5}
    assert json.loads(command("info", "books.tacit", "--json")[1])["weights"] == weights
    assert command("refit", "books.tacit", "-q", "--weight", "author=0")[0] == 0
    weights["author"] = 0.0
    assert json.loads(command("info", "books.tacit", "--json")[1])["weights"] == weights
    with tacit.open("books.tacit") as books:
        assert books.settings["build"]["weights"] == {"author": 0.0, "words": 0.5}


def test_what_is_known_beside_the_labels_is_weighed_in_a_stage(folder, command):
    err = command("build", "books.csv", "--link", "author")[2]
    (line,) = [line for line in err.splitlines() if "  weights " in line]
    assert line.endswith("weights by default, for few records: labels 1, author 0.1, words 0.1")
    assert "from the words, labels and author" in err


def test_a_taxonomy_from_a_table_from_skos_or_from_paths(folder, command):
    (folder / "tree.csv").write_text("node,parent\nsea,water\nships,water\npets,home\n")
    turtle = "@prefix skos: <http://www.w3.org/2004/02/skos/core#> . @prefix : <http://x.org/> .\n"
    turtle += ':sea a skos:Concept ; skos:prefLabel "The sea"@en ; skos:broader :water .\n'
    (folder / "tree.ttl").write_text(turtle)
    write_csv(folder / "uris.csv", [[*row[:3], "http://x.org/sea", *row[4:]] for row in rows(20)])
    write_csv(
        folder / "paths.csv", [[*row[:3], "water/sea" if n % 2 else "home", *row[4:]] for n, row in enumerate(rows(20))]
    )
    assert command("build", "books.csv", "-q", "--taxonomy", "tree.csv")[::2] == (0, "")
    assert command("build", "uris.csv", "-q", "--taxonomy", "tree.ttl")[0] == 0
    assert command("build", "paths.csv", "-q", "--taxonomy-separator", "/")[0] == 0
    with tacit.open("books.tacit") as books, tacit.open("uris.tacit") as uris, tacit.open("paths.tacit") as paths:
        assert set(books.below("water")) == {"water", "sea", "ships"}
        assert uris.taxonomy.title("http://x.org/sea") == "The sea"
        assert paths.below("water") == ("water", "water/sea")


def test_labels_that_the_taxonomy_lacks_are_named(folder, command):
    (folder / "tree.csv").write_text("node,parent\nsea,water\nhome,\n")
    code, _, err = command("build", "books.csv", "-q", "--taxonomy", "tree.csv")
    assert code == 0
    assert "Note: --taxonomy lacks 2 of 4 labels" in err


def test_titles_of_uris_are_kept(folder, command):
    documents = [
        {
            "document_id": f"d{n}",
            "text": row[2],
            "subjects": [{"uri": f"http://x.org/{n % 2}", "label": ["Home", "Sea"][n % 2]}],
        }
        for n, row in enumerate(rows(20))
    ]
    (folder / "annif.jsonl").write_text("\n".join(map(json.dumps, documents)))
    (folder / "tree.csv").write_text("node,parent\nhttp://x.org/1,water\nhttp://x.org/0,water\n")
    assert command("build", "annif.jsonl", "-q")[0] == 0
    assert command("build", "annif.jsonl", "-q", "-o", "t", "--taxonomy", "tree.csv")[0] == 0
    titles = {"http://x.org/0": "Home", "http://x.org/1": "Sea"}
    with tacit.open("annif.tacit") as plain, tacit.open("t") as with_taxonomy:
        assert plain.generation.facts("labels")["titles"] == titles
        assert {uri: with_taxonomy.taxonomy.title(uri) for uri in titles} == titles


def test_vectors_instead_of_words(folder, command):
    np.save("v.npy", np.random.default_rng(0).normal(size=(40, 12)))
    np.save("short.npy", np.zeros((3, 12)))
    assert "--vectors-only needs vectors" in failed(command, "build", "books.csv", "--vectors-only")
    assert command("build", "books.csv", "-q", "--vectors", "v.npy", "--vectors-only", "--dimensions", "5")[0] == 0
    told = command("info", "books.tacit")[1]
    assert "none: built from vectors alone" in told
    assert "12 numbers each" in told
    assert "vectors does not match the records: got 3 rows for 40" in failed(
        command, "build", "books.csv", "--replace", "--vectors", "short.npy"
    )
    assert command("refit", "books.tacit", "-q", "--dimensions", "3")[0] == 0
    assert command("add", "books.tacit", str(write_csv(folder / "new.csv", rows(3, 40))))[0] == 2
    assert command("add", "books.tacit", "new.csv", "-q", "--vectors", "short.npy")[0] == 0
    assert "vectors of added records are not stored" in failed(command, "refit", "books.tacit")
    np.save("all.npy", np.random.default_rng(0).normal(size=(43, 12)))
    assert command("refit", "books.tacit", "-q", "--vectors", "all.npy")[0] == 0
    assert "none: built from vectors alone" in command("info", "books.tacit")[1]  # it has no words to keep


def test_vectors_beside_words(folder, command):
    np.save("v.npy", np.random.default_rng(0).normal(size=(40, 12)))
    _, out, err = command("build", "books.csv", "--vectors", "v.npy", "--dimensions", "5")
    assert "vectors of 12 numbers, not tried: 1 times as much as words" in err
    assert re.search(r"from 40 records, \d+ words, vectors of 12 and ", out)
    told = command("info", "books.tacit")[1]
    assert "12 numbers each" in told
    assert re.search(r"weights .*vectors 0.1", told)
    assert command("search", "books.tacit", "whale")[0] == 0
    assert command("add", "books.tacit", str(write_csv(folder / "new.csv", rows(3, 40))), "-q")[0] == 0
    np.save("all.npy", np.random.default_rng(0).normal(size=(43, 12)))
    assert command("refit", "books.tacit", "-q", "--vectors", "all.npy")[0] == 0
    assert "12 numbers each" in command("info", "books.tacit")[1]
    assert command("refit", "books.tacit", "-q", "--weight", "vectors=0")[0] == 0
    assert "numbers each" not in command("info", "books.tacit")[1]


def test_a_data_set_by_its_name(folder, command, monkeypatch):
    read = [Record(f"r{n}", f"word{n % 7} of {n % 5} and more", labels=[f"topic{n % 5}"]) for n in range(200)]
    monkeypatch.setattr("tacit.datasets.registry.standard_library_records", lambda: read)
    _, out, _ = command("build", "--dataset", "standard_library", "--limit-records", "150", "--json", "-q", "-o", "s")
    answer = json.loads(out)
    assert answer["records"] == 150
    assert answer["reading"]["dataset"] == "standard_library"
    assert "--text is for files" in failed(command, "build", "--dataset", "standard_library", "--text", "a")


@pytest.mark.realdata
def test_a_data_set_brings_its_taxonomy(folder, command, data_dir):
    options = ["--dataset", "reuters21578", "--data-dir", str(data_dir), "--limit-records", "150", "--dimensions", "5"]
    assert json.loads(command("build", *options, "--json", "-q")[1])["taxonomy_nodes"] > 100
    without = command("build", *options, "--taxonomy", "none", "--replace", "--json", "-q")[1]
    assert json.loads(without)["taxonomy_nodes"] == 0


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["build"], "SOURCE is missing: got neither"),
        (["build", "books.csv", "--dataset", "arxiv"], "SOURCE is given with --dataset"),
        (["build", "nothing.csv"], "SOURCE does not exist: got 'nothing.csv'"),
        (["build", "arxiv"], "got 'arxiv', which is the name of a data set. Use --dataset arxiv."),
        (["build", "books.csv", "--text", "txet"], "--text names a column that books.csv does not have: got 'txet'"),
        (["build", "books.csv", "--dimensions", "0"], "--dimensions is out of range: got 0"),
        (["build", "books.csv", "--set", "colour=1"], "--set has an unknown name: got 'colour'"),
        (["build", "books.csv", "--set", "colour"], "--set must look like NAME=VALUE: got 'colour'"),
        (["build", "books.csv", "--set", "min_records=many"], "--set min_records is out of range: got 'many'"),
        (["build", "books.csv", "--weight", "author=1"], "--weight has an unknown name: got 'author'"),
        (["build", "books.csv", "--weight", "lables=1"], "Did you mean 'labels'?"),
        (["build", "books.csv", "--weight", "labels=much"], "--weight must look like NAME=NUMBER, with a number"),
        (["build", "books.csv", "--weight", "labels"], "--weight must look like NAME=NUMBER, with a number"),
        (["build", "books.csv", "--weight", "=1"], "--weight must look like NAME=NUMBER, with a number"),
        (["build", "books.csv", "--weight", "labels=-1"], "of at least 0: got 'labels=-1'"),
        (["build", "books.csv", "--weight", "labels=nan"], "of at least 0: got 'labels=nan'"),
        (["build", "books.csv", "--stop-words", "no.txt"], "--stop-words cannot be read: got 'No such file"),
        (["build", "books.csv", "--taxonomy", "no.tsv"], "--taxonomy does not exist: got 'no.tsv'"),
        (
            ["build", "books.csv", "--taxonomy", "a.tsv", "--taxonomy-separator", "/"],
            "--taxonomy is given with --taxonomy-separator",
        ),
        (["build", "books.csv", "--vectors", "books.csv"], "--vectors is not an array"),
        (["build", "books.csv", "--model", "mlsi", "--labels", ""], "model needs labels or links: got 'mlsi'"),
        (["build", "books.csv", "--set", "min_records=50"], "the texts have no words to index"),
        (["build", "empty.csv"], "SOURCE holds no records"),
        (["build", "binary.csv"], "SOURCE holds no records"),
        (["build", "broken.csv", "--max-problems", "1"], "SOURCE has too many problems: got 2 x cells"),
        (["build", "books.csv", "--format", "json"], "SOURCE holds no records"),
        (["build", "--dataset", "arxvi"], "--dataset is unknown: got 'arxvi'"),
        (["refit", "old.tacit", "--set", "colour=1"], "--set has an unknown name: got 'colour'"),
        (["refit", "nowhere.tacit"], "INDEX does not exist: got "),
    ],
)  # fmt: skip
def test_what_cannot_be_built_is_one_sentence_and_leaves_what_was_there(folder, ready, command, arguments, sentence):
    shutil.copytree(ready, "old.tacit")
    (folder / "empty.csv").write_text("")
    (folder / "broken.csv").write_text("id,text\n1,whale\nbroken\n2,sea\nbroken\n")
    (folder / "binary.csv").write_bytes(bytes(range(256)) * 4)
    before = sorted(path.name for path in folder.iterdir())
    more = ["-o", "old.tacit", "--replace"] if arguments[0] == "build" else []
    assert sentence in failed(command, *arguments, *more)
    assert sorted(path.name for path in folder.iterdir()) == before
    assert verify("old.tacit") == []
    with tacit.open("old.tacit") as old:
        assert len(old) == 40


def test_what_was_left_out_is_told_if_nothing_is_left(folder, command):
    (folder / "broken.csv").write_text("id,text\n1,whale\nbroken\n")
    code, _, err = command("build", "broken.csv", "-q")
    assert code == 2
    assert "1 x cells" in err


def test_an_index_that_is_there_is_replaced_only_if_asked(folder, command):
    assert command("build", "books.csv", "-q")[0] == 0
    assert "--output is an existing index: got 'books.tacit'" in failed(command, "build", "books.csv")
    write_csv(folder / "books.csv", rows(30))
    assert command("build", "books.csv", "-q", "--replace")[0] == 0
    with tacit.open("books.tacit") as books:
        assert len(books) == 30


def test_a_place_that_cannot_be_written_is_one_sentence(folder, command):
    sentence = failed(command, "build", "books.csv", "-o", "books.csv/index")
    assert "--output cannot be written: got 'Not a directory'" in sentence


def test_a_refit_keeps_what_is_not_said(folder, command):
    command("build", "books.csv", "-q", "--dimensions", "4", "--set", "label_weight=0.7", "--set", "min_records=1")
    command("add", "books.tacit", str(write_csv(folder / "new.csv", rows(10, 40))), "-q")
    code, out, err = command("refit", "books.tacit", "--set", "ridge=2.0", "--json")
    answer = json.loads(out)
    assert code == 0
    assert len(err.splitlines()) == 6
    assert (answer["records"], answer["dimensions"]) == (50, 4)
    assert (answer["parameters"]["label_weight"], answer["parameters"]["ridge"]) == (0.7, 2.0)
    with tacit.open("books.tacit") as books:
        assert books.settings["build"]["reading"]["columns"]["labels"] == ["subjects"]
        assert books.settings["build"]["text"]["min_records"] == 1
    assert command("refit", "books.tacit", "-q", "--model", "lsi")[0] == 0  # parameters of MLSI do not follow
    assert "LSI in 4 dimensions" in command("refit", "books.tacit")[1]


def test_a_refit_drops_the_taxonomy_or_reads_paths_anew(folder, command):
    write_csv(folder / "paths.csv", [[*row[:3], "water/sea", *row[4:]] for row in rows(20)])
    write_csv(folder / "more.csv", [[*row[:3], "water/lake", *row[4:]] for row in rows(20, 40)])
    command("build", "paths.csv", "-q", "--taxonomy-separator", "/")
    command("add", "paths.tacit", "more.csv", "-q")
    assert command("refit", "paths.tacit", "-q")[0] == 0
    with tacit.open("paths.tacit") as paths:
        assert set(paths.below("water")) == {"water", "water/sea", "water/lake"}
    assert command("refit", "paths.tacit", "-q", "--taxonomy", "none")[0] == 0
    with tacit.open("paths.tacit") as paths:
        assert paths.taxonomy is None


def test_a_real_command_prints_no_traceback(folder):
    done = subprocess.run(
        [sys.executable, "-m", "tacit", "build", "books.csv", "--dimensions", "5"], capture_output=True, text=True
    )
    assert done.returncode == 0
    assert "books.tacit is ready: MLSI in 5 dimensions" in done.stdout
    assert "Traceback" not in done.stderr


def test_a_terminal_shows_a_line_that_goes_and_lines_that_stay(capsys, monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    with ShownStages() as show:
        show(StageEvent("space", "begin"))
        show(StageEvent("space", "advance", "[bold]3[/bold] of 4", share=0.75))
        show(StageEvent("space", "end", "a space [of] 4", seconds=2.0, memory=123_000_000))
    assert "    2.0 s    123 MB  a space [of] 4" in capsys.readouterr().err


@pytest.mark.parametrize("verb", ["build", "refit", "add", "update", "remove", "info", "verify", "export"])
def test_help_shows_examples_line_by_line(command, verb):
    code, out, _ = command(verb, "--help")
    assert code == 0
    assert "\\b" not in out
    module, line = VERBS[verb]
    found = getattr(import_module(module), f"{verb}_command")
    assert found.get_short_help_str(limit=200) == line
    assert all(
        f"    {example.strip()}\n" in out for example in (found.epilog or "").partition("Examples:\n")[2].splitlines()
    )
