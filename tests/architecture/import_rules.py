"""Read the imports of a source file without running it, and say which of them a room or a folder may not have.

The rooms are one-way, and so are the folders inside a room, see CONTRIBUTING.md. This file holds the rules as data;
`test_rooms.py` applies them.
"""

from __future__ import annotations

import ast
import functools
import sys
from collections.abc import Iterator
from pathlib import Path

CHAIN = ("corpus", "datasets", "text", "relations", "operators", "solve", "models", "index", "tasks")
LEAF_MAY_IMPORT: dict[str, set[str]] = {
    "errors": set(),
    "checks": {"errors"},
    "files": {"errors"},
    "display": {"errors"},
    "machine": {"errors", "checks"},
    "types": set(),
}
LEAVES = set(LEAF_MAY_IMPORT)

# What each room may import besides itself and the leaves. `cli` starts the service, so it may know `serve`, but the
# service knows no terminal. Both show the version, so they may say `import tacit` (here `__init__`).
MAY_IMPORT: dict[str, set[str]] = {room: set(CHAIN[:position]) for position, room in enumerate(CHAIN)}
MAY_IMPORT["evaluate"] = {*MAY_IMPORT["models"], "models"}
MAY_IMPORT["tasks"] |= {"evaluate"}  # the verbs `evaluate`, `tune` and `compare` ask it for measures and trials
MAY_IMPORT["reproduce"] = {*CHAIN, "evaluate"}
MAY_IMPORT["serve"] = {*CHAIN, "__init__"}
MAY_IMPORT["cli"] = {*CHAIN, "__init__", "evaluate", "reproduce", "serve"}
MAY_IMPORT["__main__"] = {"cli"}
MAY_IMPORT["__init__"] = {"text", "relations", "operators", "solve", "models", "index", "tasks"}

# The folders and files of a room from the bottom up. Each may import those of earlier layers, and none of its own layer
# but itself. Imports for type checkers only do not count: they are not run.
LAYERS: dict[str, tuple[set[str], ...]] = {
    "corpus": (
        {"problems", "record", "columns", "plain_values"},
        {"sources", "cells"},
        {"formats", "frames"},
        {"rows"},
        {"reading"},
    ),
    "text": ({"settings", "languages"}, {"analysis"}, {"words"}, {"counting"}, {"streaming"}, {"on_dask"}),
    "relations": ({"labels"}, {"taxonomy"}, {"tables", "graphs"}),
    "operators": ({"products"}, {"base"}, {"algebra", "kernel"}, {"rows"}),
    "solve": ({"result", "tall_arrays", "checkpoint"}, {"dense"}, {"linear"}, {"eigen"}, {"choice"}),
    "models": (
        {"base"},
        {"common"},
        {"lsi", "mlsi", "hlsi", "mlsa", "graphs", "projections", "classifiers"},
        {"spaces"},
    ),
    "index": (
        {"strict_json", "nearest"},
        {"records"},
        {"folder"},
        {"stored_arrays", "space", "suggester", "taxonomy", "positions", "known_views", "fusion", "drift"},
        {"shards"},
        {"witnesses"},
        {"models", "keeping"},
    ),
    "evaluate": ({"measures", "progress", "protocols"}, {"compare", "held_out"}, {"weight_search"}),
    "tasks": (
        {"stage_progress", "opened_index"},
        {"label_names", "neighbour_labels", "layout"},
        {"label_tree", "search"},
        {"build", "known_things", "label_lookup"},
        {"explain", "suggest", "measure"},
        {"cluster", "recommend", "tune"},
        {"map", "change", "export", "info"},
        {"collection"},
        {"demo"},
    ),
    "reproduce": (
        {"experiment", "trees", "causes"},
        {"measuring", "report", "mlsi", "hlsi", "mlsa", "graphs", "choice", "checked"},
        {"pages"},
        {"reproduce"},
    ),
    "cli": (
        {"common"},
        {
            "build",
            "change",
            "datasets",
            "demo",
            "explain",
            "inspect",
            "map",
            "measure",
            "search",
            "serve",
            "suggest",
        },
        {"app"},
    ),
}
# Importer, imported and the reason, where a layer may look up.
LAYER_EXCEPTIONS: dict[tuple[str, str], str] = {}

CORE_LIBRARIES = {"numpy", "scipy", "sklearn", "joblib", "threadpoolctl"}  # the last two come with scikit-learn
OPTIONAL_LIBRARIES: dict[str, set[str]] = {
    "click": {"cli"},
    "rich": {"cli"},
    "plotly": {"tasks"},
    "matplotlib": {"tasks", "evaluate", "reproduce"},
    "PIL": {"reproduce"},  # comes with Matplotlib
    "dask": {"text", "operators"},
    "distributed": {"text", "operators"},
    "llvmlite": {"operators"},
    "fastapi": {"serve"},
    "starlette": {"serve"},
    "uvicorn": {"serve"},
    "pydantic": {"serve"},
    "prometheus_client": {"serve"},
    "mcp": {"serve"},
    "optuna": {"evaluate", "tasks"},
    "rdflib": {"relations"},
    "pyarrow": {"corpus", "relations", "tasks"},
    "pymarc": {"corpus"},
    "openpyxl": {"corpus", "tasks"},
    "pypdf": {"corpus"},
    "narwhals": {"corpus", "display"},
    "snowballstemmer": {"text"},
    "stop_words": {"text"},
    "usearch": {"index"},
}


def violations(source: str, module: str) -> list[str]:
    """Say in one sentence each which imports of `module` (dotted, packages end in `.__init__`) break the rules."""
    room, for_types = room_of(module), _lines_for_types(source)
    return [
        f"{module}, line {line}: {complaint}"
        for line, target in imported_modules(source, module)
        for complaint in (_complaint(room, target), None if line in for_types else _layer_complaint(module, target))
        if complaint
    ]


def room_of(module: str) -> str:
    """Give the room of a dotted module name: `tacit.models.lsi.lsi` is in `models`, `tacit.errors` is `errors`."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else "__init__"


def part_of(module: str) -> str:
    """Give the folder or file of a room that a module is in: `tacit.models.lsi.lsi` is in `lsi`; "" is the room."""
    parts = module.split(".")
    return parts[2] if len(parts) > 2 and parts[2] != "__init__" else ""


def imported_modules(source: str, module: str) -> Iterator[tuple[int, str]]:
    """Yield line and dotted target of every import, also those in functions, for type checkers, by `import_module`."""
    for node in _nodes(source):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            origin = _absolute(node, module)
            # `from tacit import x` names the room only in x; deeper, the origin is enough.
            targets = [f"tacit.{alias.name}" for alias in node.names] if origin == "tacit" else [origin]
            yield from ((node.lineno, target) for target in targets)
        elif isinstance(node, ast.Call) and _called_name(node) in {"import_module", "__import__"}:
            names = [argument.value for argument in node.args[:1] if isinstance(argument, ast.Constant)]
            yield from ((node.lineno, name) for name in names if isinstance(name, str))


def module_name(path: Path, root: Path) -> str:
    """Turn a file below `root` (the folder that holds `tacit`) into its dotted name."""
    return ".".join(path.relative_to(root).with_suffix("").parts)


@functools.lru_cache(maxsize=1)
def _nodes(source: str) -> list[ast.AST]:
    """Give all nodes of a source file, which is asked twice."""
    return list(ast.walk(ast.parse(source)))


def _absolute(node: ast.ImportFrom, module: str) -> str:
    """Resolve the dots of a relative import."""
    if not node.level:
        return node.module or ""
    base = module.split(".")[: -node.level]
    return ".".join([*base, *([node.module] if node.module else [])])


def _called_name(node: ast.Call) -> str:
    """Give the last part of what is called: `importlib.import_module` is `import_module`."""
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def _lines_for_types(source: str) -> set[int]:
    """Give the lines below `if TYPE_CHECKING:`."""
    return {
        line
        for node in _nodes(source)
        if isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING")
        for inner in node.body
        for line in range(inner.lineno, (inner.end_lineno or inner.lineno) + 1)
    }


def _layer_complaint(module: str, target: str) -> str | None:
    """Say which folder looks up or sideways inside its room, or None; a room's `__init__` may import all of it."""
    room, part, other = room_of(module), part_of(module), part_of(target)
    if room != room_of(target) or room not in LAYERS or not part or not other or part == other:
        return None
    if any(module.startswith(one) and target.startswith(two) for one, two in LAYER_EXCEPTIONS):
        return None
    heights = {name: height for height, layer in enumerate(LAYERS[room]) for name in layer}
    if part not in heights or other not in heights:
        return f"{room} has no layer for {other if part in heights else part}"
    return None if heights[other] < heights[part] else f"{room}/{part} may not import {room}/{other}"


def _complaint(room: str, target: str) -> str | None:
    """Say what is wrong with one import, or None."""
    library = target.split(".")[0]
    if library == "tacit":
        return _room_complaint(room, target)
    if library in sys.stdlib_module_names or library in CORE_LIBRARIES:
        return None
    if library not in OPTIONAL_LIBRARIES:
        return f"{library} is not a library of the core nor of an extra"
    if room not in OPTIONAL_LIBRARIES[library]:
        return f"{room} may not import {library}, only {', '.join(sorted(OPTIONAL_LIBRARIES[library]))} may"
    return None


def _room_complaint(room: str, target: str) -> str | None:
    other = room_of(target)
    if target == "tacit.__version__":
        return None
    if other not in MAY_IMPORT and other not in LEAVES:
        return f"{target} is the front door or no room; import from the room that holds the name"
    allowed = LEAF_MAY_IMPORT[room] if room in LEAVES else {room, *LEAVES, *MAY_IMPORT.get(room, set())}
    return None if other in allowed else f"{room} may not import {other}"
