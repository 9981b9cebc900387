"""The dependencies and extras of the project are what its source imports: nothing more, nothing less."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS: dict[str, list[str]] = PROJECT["optional-dependencies"]
NOT_FOR_USERS = {"all", "test", "studies", "docs", "dev"}
FOR_USERS = [name for name in EXTRAS if name not in NOT_FOR_USERS]

IMPORT_NAMES = {
    "scikit-learn": {"sklearn"},
    "stop-words": {"stop_words"},
    "dask": {"dask", "distributed"},
    "matplotlib": {"matplotlib", "PIL"},  # it needs Pillow
    "fastapi": {"fastapi", "starlette", "pydantic"},  # which it is made of
    "prometheus-client": {"prometheus_client"},
}
PLUG_INS = {"PyStemmer": "snowballstemmer"}  # never imported by Tacit: the other library uses it when it is installed


def test_all_holds_every_extra_for_users_and_no_other() -> None:
    assert EXTRAS["all"] == [f"tacit[{','.join(FOR_USERS)}]"]


def test_every_library_of_an_extra_is_imported_or_a_plug_in_of_one_that_is() -> None:
    assert unused({name: EXTRAS[name] for name in FOR_USERS}, _imported()) == []


def test_every_library_of_the_studies_is_imported_by_one() -> None:
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in (ROOT / "benchmarks").rglob("*.py")]
    assert unused({"studies": EXTRAS["studies"]}, {name for tree in trees for name in imported(tree)}) == []


def test_every_dependency_is_imported() -> None:
    assert unused({"dependencies": PROJECT["dependencies"]}, _imported()) == []


def test_every_imported_library_is_a_dependency_or_in_an_extra_for_users() -> None:
    requirements = [*PROJECT["dependencies"], *(line for name in FOR_USERS for line in EXTRAS[name])]
    declared = {module for line in requirements for module in modules(line)}
    assert _imported() - declared == set()


def test_every_missing_library_is_reported_with_an_extra_that_installs_it() -> None:
    reported = [pair for tree in _trees() for pair in missing_extras(tree)]
    assert len(reported) >= 10
    for library, extra in reported:
        assert extra in FOR_USERS
        assert library is None or library.partition("[")[0] in {distribution(line) for line in EXTRAS[extra]}


def test_a_planted_unused_library_is_found() -> None:
    assert unused({"serve": ["fastapi>=0.110", "click"]}, {"click"}) == ["serve: fastapi"]
    assert unused({"languages": ["PyStemmer>=2.2"]}, {"click"}) == ["languages: PyStemmer"]
    assert unused({"languages": ["PyStemmer>=2.2"]}, {"snowballstemmer"}) == []


def test_imports_in_functions_and_by_name_are_found() -> None:
    tree = ast.parse("import numpy as np\ndef f():\n    from rdflib.term import X\n    import_module('torch.nn')\n")
    assert set(imported(tree)) == {"numpy", "rdflib", "torch"}


def unused(groups: dict[str, list[str]], modules_imported: set[str]) -> list[str]:
    """List requirements of which no module is imported, with the group they are in."""
    return [
        f"{group}: {distribution(line)}"
        for group, lines in groups.items()
        for line in lines
        if not modules(PLUG_INS.get(distribution(line), line)) & modules_imported
    ]


def distribution(requirement: str) -> str:
    """Give the name alone: `dask[array]>=2024.4` is `dask`."""
    found = re.match(r"[\w.-]+", requirement)
    assert found
    return found[0]


def modules(requirement: str) -> set[str]:
    """Give the top modules that a requirement installs for us."""
    name = distribution(requirement)
    return IMPORT_NAMES.get(name, {name})


def imported(tree: ast.AST) -> Iterator[str]:
    """Yield the top module of every absolute import, wherever it stands."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
            yield node.module.partition(".")[0]
        elif isinstance(node, ast.Call) and _called(node) == "import_module":
            yield from (name.partition(".")[0] for name in map(_text, node.args[:1]) if name)


def missing_extras(tree: ast.AST) -> Iterator[tuple[str | None, str]]:
    """Yield library (None if it is computed) and extra of every `MissingExtraError(library, extra, purpose)`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _called(node) == "MissingExtraError":
            library, extra = map(_text, node.args[:2])
            assert extra, f"line {node.lineno}: the extra is not a plain string"
            yield library, extra


def _called(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def _text(node: ast.expr) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


@cache
def _trees() -> list[ast.Module]:
    return [ast.parse(path.read_text(encoding="utf-8")) for path in sorted((ROOT / "src/tacit").rglob("*.py"))]


def _imported() -> set[str]:
    return {name for tree in _trees() for name in imported(tree)} - {"tacit"} - set(sys.stdlib_module_names)
