"""No modules import each other in a circle; imports inside functions count."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src"
Graph = dict[str, set[str]]


def test_no_modules_import_each_other_in_a_circle() -> None:
    assert circles(imports_of(read(SOURCE))) == []


@pytest.mark.parametrize("room", ["index", "tasks"])
def test_no_circle_in_a_room_even_for_type_checkers(room: str) -> None:
    graph = imports_of(read(SOURCE), for_checkers=True)
    inside = {module: targets for module, targets in graph.items() if module.startswith(f"tacit.{room}.")}
    assert circles({module: targets & set(inside) for module, targets in inside.items()}) == []


@pytest.mark.parametrize(
    ("sources", "found"),
    [
        ({"a": "import b", "b": "def late():\n    import a"}, [["a", "b"]]),
        ({"a": "from b import x", "b": "from c import y", "c": "from a import z"}, [["a", "b", "c"]]),
        ({"a": "import b", "b": "import c", "c": ""}, []),
        (
            {
                "a": "import b",
                "b": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import a\nelse:\n    import c",
                "c": "",
            },
            [],
        ),
    ],
)
def test_a_planted_circle_is_found(sources: dict[str, str], found: list[list[str]]) -> None:
    assert circles(imports_of(sources)) == found


def read(root: Path) -> dict[str, str]:
    """Return the source of every module below a folder by its dotted name."""
    found = {}
    for path in root.rglob("*.py"):
        parts = path.relative_to(root).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path.read_text(encoding="utf-8")
    return found


def imports_of(sources: dict[str, str], *, for_checkers: bool = False) -> Graph:
    """Return which of the modules each of them imports."""
    graph: Graph = {}
    for module, source in sources.items():
        named: set[str] = set()
        for node in statements(_parsed(source), for_checkers):
            if isinstance(node, ast.Import):
                named.update(alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module:
                inner = {f"{node.module}.{alias.name}" for alias in node.names}
                named |= (inner & set(sources)) or {node.module}
        graph[module] = (named & set(sources)) - {module}
    return graph


_parsed = functools.cache(ast.parse)


def statements(node: ast.AST, for_checkers: bool) -> Iterator[ast.AST]:
    """Yield all nodes below one, without those for type checkers only."""
    for child in ast.iter_child_nodes(node):
        hidden = isinstance(child, ast.If) and getattr(child.test, "id", "") == "TYPE_CHECKING" and not for_checkers
        for inner in child.orelse if isinstance(child, ast.If) and hidden else [child]:
            yield inner
            yield from statements(inner, for_checkers)


def circles(graph: Graph) -> list[list[str]]:
    """Return the groups of nodes that reach each other, each sorted."""
    reach = {node: set(targets) for node, targets in graph.items()}
    for middle in graph:
        for node in graph:
            if middle in reach[node]:
                reach[node] |= reach[middle]
    groups = {tuple(sorted(other for other in reach[node] if node in reach.get(other, ()))) for node in graph}
    return sorted(list(group) for group in groups if group)
