"""Rooms and their folders are one-way, the core stays light, the front door opens on what the reference documents."""

from __future__ import annotations

import ast
import builtins
import re
import subprocess
import sys
from collections import Counter
from fnmatch import fnmatch
from itertools import chain
from pathlib import Path

import pytest
from import_rules import (
    LAYERS,
    LEAVES,
    MAY_IMPORT,
    OPTIONAL_LIBRARIES,
    module_name,
    part_of,
    room_of,
    violations,
)

import tacit

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src"
MODULES = sorted((SOURCE / "tacit").rglob("*.py"))
TESTS = sorted((ROOT / "tests").rglob("*.py"))


def test_a_module_imports_only_rooms_to_its_left_and_folders_below_its_own() -> None:
    found = [violations(path.read_text(encoding="utf-8"), module_name(path, SOURCE)) for path in MODULES]
    assert list(chain.from_iterable(found)) == []


def test_no_folder_holds_more_than_a_dozen_modules() -> None:
    sizes = Counter(path.parent for path in MODULES if path.name != "__init__.py")
    assert {str(folder.relative_to(SOURCE)): size for folder, size in sizes.items() if size > 12} == {}


def test_every_folder_of_tests_is_collected(pytestconfig: pytest.Config) -> None:
    skipped = pytestconfig.getini("norecursedirs")
    folders = {part for path in TESTS for part in path.relative_to(ROOT).parts[:-1]}
    assert [name for name in sorted(folders) if any(fnmatch(name, pattern) for pattern in skipped)] == []


def test_every_module_is_in_a_known_room() -> None:
    known = {*MAY_IMPORT, *LEAVES}
    assert {room_of(module_name(path, SOURCE)) for path in MODULES} <= known


@pytest.mark.parametrize("room", LAYERS)
def test_the_layers_of_a_room_name_each_of_its_folders_and_files_once(room: str) -> None:
    parts = {part_of(module_name(path, SOURCE)) for path in MODULES if room_of(module_name(path, SOURCE)) == room}
    assert sorted(part for layer in LAYERS[room] for part in layer) == sorted(parts - {""})


@pytest.mark.parametrize(
    ("module", "planted", "complaint"),
    [
        ("tacit.solve.dense", "from tacit.models.lsi.lsi import LSI", "solve may not import models"),
        ("tacit.solve.dense", "import tacit.models", "solve may not import models"),
        ("tacit.solve.dense", "from tacit import models", "solve may not import models"),
        ("tacit.solve.dense", "from ..models import lsi", "solve may not import models"),
        ("tacit.solve.__init__", "from ..models import lsi", "solve may not import models"),
        ("tacit.solve.dense", "def late():\n    from tacit.tasks import hits", "line 2: solve may not import tasks"),
        ("tacit.solve.dense", "import importlib\nimportlib.import_module('tacit.cli')", "solve may not import cli"),
        ("tacit.index.space", "from tacit.evaluate import ranking", "index may not import evaluate"),
        ("tacit.evaluate.measures.ranking", "from tacit.tasks import hits", "evaluate may not import tasks"),
        ("tacit.evaluate.measures.ranking", "from tacit.index import reader", "evaluate may not import index"),
        ("tacit.serve.app", "from tacit.cli import app", "serve may not import cli"),
        ("tacit.reproduce.mlsi", "from tacit.cli import app", "reproduce may not import cli"),
        ("tacit.errors", "from tacit.checks import shown", "errors may not import checks"),
        ("tacit.checks", "from tacit.corpus import record", "checks may not import corpus"),
        ("tacit.__init__", "from tacit.cli import app", "__init__ may not import cli"),
        ("tacit.tasks.search.search", "from tacit import MLSI", "front door"),
        ("tacit.tasks.search.search", "import tacit", "tasks may not import __init__"),
        ("tacit.models.lsi.lsi", "import click", "models may not import click, only cli may"),
        ("tacit.models.lsi.lsi", "from matplotlib import pyplot", "models may not import matplotlib"),
        ("tacit.models.lsi.lsi", "import torch", "torch is not a library of the core"),
        ("tacit.models.mlsa.mlsa", "from tacit.models.mlsi.mlsi import MLSI", "models/mlsa may not import models/mlsi"),
        (
            "tacit.models.common.memory",
            "from tacit.models.hlsi import scatter",
            "models/common may not import models/hlsi",
        ),
        ("tacit.models.base", "from .common import kernels", "models/base may not import models/common"),
        ("tacit.models.lsi.lsi", "from tacit.models.nowhere import x", "models has no layer for nowhere"),
        (
            "tacit.solve.linear.least_squares",
            "import tacit.solve.eigen.krylov",
            "solve/linear may not import solve/eigen",
        ),
        (
            "tacit.relations.labels.matrix",
            "def f():\n    from ..taxonomy import taxonomy",
            "line 2: relations/labels may",
        ),
        (
            "tacit.index.records.rows",
            "from tacit.index.folder import writer",
            "index/records may not import index/folder",
        ),
        (
            "tacit.tasks.search.search",
            "from tacit.tasks.collection import Collection",
            "tasks/search may not import tasks",
        ),
        ("tacit.cli.common.hits", "from tacit.cli.search import search", "cli/common may not import cli/search"),
    ],
)
def test_a_planted_bad_import_is_found(module: str, planted: str, complaint: str) -> None:
    found = violations(planted, module)
    assert len(found) == 1
    assert complaint in found[0]


@pytest.mark.parametrize(
    ("module", "harmless"),
    [
        (
            "tacit.models.mlsi.mlsi",
            "import numpy as np\nfrom tacit.solve import dense\nfrom tacit.models.common.labels import read_labels",
        ),
        ("tacit.models.__init__", "from .lsi import LSI\nfrom ..errors import InputError\nfrom tacit import checks"),
        (
            "tacit.cli.app",
            "import click\nimport tacit\nfrom tacit import __version__\nfrom tacit.evaluate import ranking",
        ),
        ("tacit.checks", "from tacit.errors import InputError"),
        ("tacit.corpus.record", "import json\nimport sklearn.utils"),
        ("tacit.tasks.search.search", "if TYPE_CHECKING:\n    from tacit.tasks.collection import Collection"),
        ("tacit.models.mlsi.update", "from tacit.models.mlsi.mlsi import MLSI\nfrom tacit.models.base import warn"),
    ],
)
def test_a_harmless_import_is_let_through(module: str, harmless: str) -> None:
    assert violations(harmless, module) == []


def test_importing_tacit_loads_no_library() -> None:
    loaded = _run("import sys, tacit; print(*sorted({name.split('.')[0] for name in sys.modules}))").split()
    assert not {"numpy", "scipy", "sklearn", *OPTIONAL_LIBRARIES} & set(loaded)


def test_every_public_name_loads_without_an_optional_library_and_a_star_import_leaves_built_in_names_alone() -> None:
    blocked = sorted(OPTIONAL_LIBRARIES.keys() - {"narwhals"})  # which new versions of scikit-learn need themselves
    program = f"""
import sys
class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {blocked!r}:
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Absent())
import builtins
import tacit
from tacit import *
print(open is builtins.open, 'open' in dir(), 'LSI' in dir())
print(*[name for name in tacit._HOMES if getattr(tacit, name) is not None])
"""
    starred, loaded = _run(program).splitlines()
    assert starred == "True False True"
    assert loaded.split() == list(tacit._HOMES)
    assert "open" in dir(tacit)
    assert not set(tacit.__all__) & set(dir(builtins))


def test_the_front_door_is_lazy_complete_and_refuses_unknown_names() -> None:
    assert set(tacit._HOMES) <= set(dir(tacit))
    assert re.match(r"\d", tacit.__version__)
    with pytest.raises(AttributeError, match="has no attribute 'NoSuchName'"):
        _ = tacit.NoSuchName


def test_type_checkers_and_the_running_package_find_each_name_in_the_same_module() -> None:
    tree = ast.parse((SOURCE / "tacit/__init__.py").read_text(encoding="utf-8"))
    (guarded,) = [node for node in tree.body if isinstance(node, ast.If)]
    for_checkers = {
        alias.name: node.module for node in guarded.body if isinstance(node, ast.ImportFrom) for alias in node.names
    }
    # an import under another name would be exported only if it were in `__all__`
    assert "open = open_index" in map(ast.unparse, guarded.body)
    for_checkers["open"] = for_checkers.pop("open_index")
    assert for_checkers == tacit._HOMES
    assert set(for_checkers) - {"open"} == set(tacit.__all__)


def test_the_reference_documents_exactly_the_public_names() -> None:
    pages = "\n".join(page.read_text(encoding="utf-8") for page in sorted((ROOT / "docs/reference").glob("*.md")))
    documented = re.findall(r"^::: tacit\.(\w+)$", pages, flags=re.MULTILINE)
    assert sorted(documented) == sorted(tacit._HOMES)


def test_test_files_have_names_of_their_own() -> None:
    # Without __init__.py files pytest imports test files by their base name, so two of one name would collide.
    names = Counter(path.name for path in TESTS if path.name != "conftest.py")
    assert [name for name, count in names.items() if count > 1] == []


def _run(program: str) -> str:
    """Run a program in a fresh interpreter that finds the same packages as this one."""
    paths = f"import sys; sys.path[:] = {sys.path!r}\n"
    done = subprocess.run(
        [sys.executable, "-c", paths + program], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
