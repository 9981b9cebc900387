"""A disk that is full and a folder that may not be written: one sentence, nothing lost, and an index can still be read.

The limits are those of the operating system: the largest size of a file, a file system of a few megabytes where a user
may make one, and the rights of another user.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from tacit.index import verify
from tacit.tasks.collection import open_index

pytestmark = pytest.mark.skipif(os.name == "nt", reason="limits of POSIX systems")
WORDS = ["whale ship wave harbour", "cat kitchen lamp garden", "engine wheel road bridge"]
# Files of code are read and never written, since a limit would cut them off.
_LIMITED = """
import resource, sys
size = int(sys.argv[1])
if size:
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
from tacit.cli.app import main
main(sys.argv[2:])
"""


def run(*arguments: str | Path, folder: Path, size: int = 0, bound: Sequence[str] = ()) -> tuple[int, str]:
    """Run a command where no file may be larger than `size` bytes; return its exit code and what it said."""
    command = [*bound, sys.executable, "-B", "-c", _LIMITED, str(size), *map(str, arguments)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, check=False)
    return done.returncode, done.stderr


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that others may read, with an index of 90 records and records to add."""
    folder = tmp_path_factory.mktemp("shelf")
    rows = [f"r{n},{WORDS[n % 3].split()[n % 4]} {n},{WORDS[n % 3]},{'abc'[n % 3]}" for n in range(90)]
    (folder / "books.csv").write_text("\n".join(["id,title,text,subjects", *rows, ""]))
    new = [f"n{n},{WORDS[n % 3]},{' '.join([WORDS[n % 3]] * 40)},{'abc'[n % 3]}" for n in range(400)]
    (folder / "new.csv").write_text("\n".join(["id,title,text,subjects", *new, ""]))
    build = ("build", "books.csv", "-q", "--dimensions", "3", "--suggester", "none", "--set", "min_records=1")
    code, said = run(*build, folder=folder)
    assert (code, said) == (0, "")
    return folder


@pytest.fixture
def index(shelf: Path, tmp_path: Path) -> Path:
    return shutil.copytree(shelf / "books.tacit", tmp_path / "books.tacit")


def _is_one_sentence(said: str, *parts: str) -> None:
    assert said.startswith("Error: ")
    assert len(said.splitlines()) == 1
    assert "unexpected error" not in said
    assert [part for part in parts if part not in said] == []


def _is_whole(index: Path) -> None:
    assert verify(index) == []
    with open_index(index) as collection:
        assert len(collection) == 90
        assert "n0" not in collection


def test_a_build_that_does_not_fit_leaves_nothing(shelf, tmp_path):
    code, said = run("build", shelf / "books.csv", "-o", "new.tacit", "-q", folder=tmp_path, size=6_000)
    assert code == 2
    _is_one_sentence(said, "new.tacit", "free space")
    assert list(tmp_path.iterdir()) == []


def test_what_does_not_fit_is_not_added_and_replaces_nothing(shelf, index):
    size = (index / "generation-000001/records.sqlite").stat().st_size + 20_000
    code, said = run("add", index, shelf / "new.csv", "-q", folder=index.parent, size=size)
    assert code == 2
    _is_one_sentence(said, "free space")
    code, said = run("build", shelf / "new.csv", "-o", index, "--replace", "-q", folder=index.parent, size=60_000)
    assert code == 2
    _is_one_sentence(said, "free space")
    _is_whole(index)


def test_an_export_that_does_not_fit_keeps_the_old_one(index):
    old = index.parent / "books.jsonl"
    old.write_text("{}\n")
    code, said = run("export", index, "-o", old, "--replace", folder=index.parent, size=4_000)
    assert code == 2
    _is_one_sentence(said, "--output cannot be written", "free space")
    code, said = run("export", index, "--site", "site", "-q", folder=index.parent, size=40_000)
    assert code == 2
    _is_one_sentence(said.splitlines()[-1], "--output cannot be written", "free space")
    assert old.read_text() == "{}\n"
    assert sorted(entry.name for entry in index.parent.iterdir()) == ["books.jsonl", "books.tacit"]


def test_an_index_on_a_full_disk_can_be_searched(index):
    assert run("search", index, "whale", folder=index.parent, size=1) == (0, "")


def test_a_model_that_does_not_fit_is_not_saved(tmp_path):
    program = (
        "import resource, numpy, tacit; model = tacit.LSI(50).fit(numpy.random.default_rng(0).random((60, 2000)));"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000)); tacit.save(model, 'model')"
    )
    done = subprocess.run(
        [sys.executable, "-B", "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert "InputError: folder cannot be written: got 'No space left on device'" in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def locked(shelf: Path, tmp_path: Path) -> Iterator[tuple[Path, Sequence[str]]]:
    """A folder with an index that may be read and not written, and what holds root to it, too."""
    bound = ["setpriv", "--bounding-set", "-all"] if os.geteuid() == 0 else []
    if bound and shutil.which(bound[0]) is None:
        pytest.skip("permissions do not bind root, and there is no setpriv")
    folder = shutil.copytree(shelf, tmp_path / "locked")
    paths = [folder, *folder.rglob("*")]
    for path in paths:
        path.chmod(0o555 if path.is_dir() else 0o444)
    yield folder, bound
    for path in paths:
        path.chmod(0o755)


def test_without_permission_to_write_an_index_can_be_read_only(locked):
    folder, bound = locked
    assert run("search", "books.tacit", "whale", folder=folder, bound=bound) == (0, "")
    for command in (
        ("add", "books.tacit", "new.csv", "-q"),
        ("build", "books.csv", "-o", "new.tacit", "-q"),
        ("export", "books.tacit", "-o", "books.jsonl"),
    ):
        code, said = run(*command, folder=folder, bound=bound)
        assert code == 2
        _is_one_sentence(said, "ermission")
    assert sorted(entry.name for entry in folder.iterdir()) == ["books.csv", "books.tacit", "new.csv"]
    _is_whole(folder / "books.tacit")
