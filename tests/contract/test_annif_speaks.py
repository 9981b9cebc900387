"""The real Annif uses a service of Tacit as one of its projects: alone, in an ensemble, and in an evaluation.

`TACIT_ANNIF` says where Annif is: the folder of an environment's commands, or one that `pip install --target` filled,
as `.ci/run` does with the packages of `.ci/annif.txt`. Annif's own requirements are exact versions of large libraries,
so it cannot be installed beside Tacit.
"""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from served_books import build_books, running
from thesaurus import WORDS, iri

from tacit.serve.app import create_app

ANNIF = os.environ.get("TACIT_ANNIF", "")
pytestmark = pytest.mark.skipif(not ANNIF, reason="TACIT_ANNIF is not set: no Annif to test with")

PROJECTS = """
[tacit]
name=Tacit
language=en
backend=http
vocab=subjects
endpoint={address}/v1/projects/books/suggest

[tfidf]
name=TF-IDF
language=en
backend=tfidf
analyzer=simple
vocab=subjects

[both]
name=Both
language=en
backend=ensemble
vocab=subjects
sources=tacit:2,tfidf:1
"""
TEXT = "blubber of a whale, its song, and how it can dive"
COMMANDS = {
    "vocabulary": ["load-vocab", "subjects", "thesaurus.ttl"],
    "train": ["train", "tfidf", "train.tsv"],
    "projects": ["list-projects"],
    "suggest": ["suggest", "tacit"],
    "ensemble": ["suggest", "both", "--limit", "2"],
    "eval": ["eval", "tacit", "test.tsv"],
    "eval ensemble": ["eval", "both", "test.tsv"],
}
# Annif takes seconds to start, so one process runs all commands.
DRIVER = """
import json, sys
from click.testing import CliRunner
from annif.cli import cli
done = {}
for name, command in json.loads(sys.argv[1]).items():
    found = CliRunner().invoke(cli, command, input=sys.argv[2])
    done[name] = [found.exit_code, found.output + ("" if found.exit_code == 0 else repr(found.exception))]
print(json.dumps(done))
"""
NLTK_FILES = ("collocations.tab", "sent_starters.txt", "abbrev_types.txt", "ortho_context.tab")


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """What Annif's commands printed, with a service running beside it."""
    work = tmp_path_factory.mktemp("annif_speaks")
    index = build_books(work)
    _write_corpus(work / "train.tsv", 40, seed=1)
    _write_corpus(work / "test.tsv", 20, seed=2)
    # Annif cuts words with NLTK, which wants a model of sentences; an empty one will do and needs no download.
    sentences = work / "nltk_data/tokenizers/punkt_tab/english"
    sentences.mkdir(parents=True)
    for name in NLTK_FILES:
        (sentences / name).touch()
    with running(create_app([index])) as address:
        (work / "projects.cfg").write_text(PROJECTS.format(address=address), encoding="utf-8")
        yield _run(work)


def _write_corpus(path: Path, n: int, *, seed: int) -> None:
    chance = random.Random(seed)
    subjects = chance.choices(list(WORDS), k=n)
    lines = [f"{' '.join(chance.choices(WORDS[one], k=6))}\t<{iri(one.lower())}>\n" for one in subjects]
    path.write_text("".join(lines), encoding="utf-8")


def _run(work: Path) -> dict[str, str]:
    where = Path(ANNIF).absolute()
    environment = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "ANNIF_CONFIG")}
    environment |= {"NLTK_DATA": str(work / "nltk_data"), "PYTHONDONTWRITEBYTECODE": "1"}
    python = str(where / "python")
    if (where / "annif/__init__.py").exists():
        python, environment["PYTHONPATH"] = sys.executable, str(where)
    command = [python, "-c", DRIVER, json.dumps(COMMANDS), TEXT]
    done = subprocess.run(command, cwd=work, env=environment, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    answers = json.loads(done.stdout.splitlines()[-1])
    assert {name: code for name, (code, _) in answers.items() if code} == {}, answers
    return {name: text for name, (_, text) in answers.items()}


def _suggested(text: str) -> list[tuple[str, str, float]]:
    """Read what `annif suggest` printed: IRI, label and score; a notation may stand between them."""
    rows = [line.split("\t") for line in text.splitlines() if line.startswith("<")]
    return [(row[0].strip("<>"), row[1], float(row[-1])) for row in rows]


def _measure(text: str, name: str) -> float:
    (found,) = re.findall(rf"^{re.escape(name)}:\s+([\d.]+)", text, re.MULTILINE)
    return float(found)


def test_annif_sees_the_state_of_the_project(printed: dict[str, str]) -> None:
    rows = {line.split()[0]: line for line in printed["projects"].splitlines() if line.startswith(("tacit", "both"))}
    for row in rows.values():
        assert "True" in row  # an ensemble is trained if all of its sources are
        assert re.search(r"20\d\d-\d\d-\d\d \d\d:\d\d:\d\d", row)
    assert len(rows) == 2


def test_annif_suggests_what_the_service_suggests(printed: dict[str, str]) -> None:
    best = _suggested(printed["suggest"])[0]
    assert best[:2] == (iri("whales"), "Whales")
    assert best[2] > 0.5


def test_an_ensemble_combines_it_with_another_backend(printed: dict[str, str]) -> None:
    first = _suggested(printed["ensemble"])[0]
    assert first[:2] == (iri("whales"), "Whales")
    assert first[2] != _suggested(printed["suggest"])[0][2]
    assert len(_suggested(printed["ensemble"])) <= 2


@pytest.mark.parametrize("project", ["eval", "eval ensemble"])
def test_annif_evaluates_it(printed: dict[str, str], project: str) -> None:
    assert _measure(printed[project], "Precision@1") > 0.8
    assert _measure(printed[project], "NDCG@5") > 0.8
    assert _measure(printed[project], "Documents evaluated") == 20
