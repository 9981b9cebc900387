"""A short identity of the settings of an experiment: rows that were measured with other settings do not count.

It is made from what `measure` reaches: the code and constants of the experiment itself, comments, docstrings and types
apart, and the default parameters of all of Tacit that it calls. How these are computed is not part of it: a faster
solver keeps the rows. If a change elsewhere changes the figures, the file with the rows is to be deleted.
"""

from __future__ import annotations

import ast
import hashlib
import inspect
import sys
import textwrap
from collections.abc import Callable
from functools import cache, partial
from types import ModuleType
from typing import Any

__all__ = ["settings_identity"]

_ROOM = "tacit.reproduce"


@cache
def settings_identity(measure: Callable[..., Any]) -> str:
    """Return eight hexadecimal digits that change with the settings of what measures an experiment."""
    seen = _Seen(getattr(measure, "func", measure).__module__)
    whole = seen.add(measure)
    text = "\n".join([whole, *(f"{name}: {seen.parts[name]}" for name in sorted(seen.parts))])
    return hashlib.sha256(text.encode()).hexdigest()[:8]


class _Seen:
    """What was reached, by name, each as a text."""

    def __init__(self, home: str) -> None:
        self.home = home
        self.parts: dict[str, str] = {}

    def add(self, value: Any) -> str:
        """Return a text of a value, and note the functions and classes that it is made of."""
        value = inspect.unwrap(value) if callable(value) else value  # a cached function
        if isinstance(value, partial):
            return f"partial({self.add(value.func)}, {self.add(value.args)}, {self.add(value.keywords)})"
        if isinstance(value, dict):
            return "{" + ", ".join(f"{self.add(key)}: {self.add(one)}" for key, one in value.items()) + "}"
        if isinstance(value, tuple | list):
            return "(" + ", ".join(self.add(one) for one in value) + ")"
        if isinstance(value, set | frozenset):
            return "{" + ", ".join(sorted(self.add(one) for one in value)) + "}"
        if inspect.isfunction(value) or inspect.isclass(value):
            return self._named(value)
        if hasattr(value, "get_params"):
            return f"{self._named(type(value))}({self.add(value.get_params(deep=False))})"
        if value is None or isinstance(value, str | bytes | bool | int | float):
            return repr(value)
        return type(value).__qualname__

    def _own(self, module: str) -> bool:
        return module == self.home or module.startswith(f"{_ROOM}.")

    def _named(self, value: Any) -> str:
        own, name = self._own(value.__module__), f"{value.__module__}.{value.__qualname__}"
        if own and "<" in value.__qualname__:
            return self._lambda(value)
        if name not in self.parts and (own or value.__module__.startswith("tacit.")):
            self.parts[name] = ""  # ends the walk if it calls itself
            self.parts[name] = self._source(value) if own else self._defaults(value)
        return name

    def _source(self, value: Any) -> str:
        """Return the code without comments, docstrings and types, and add what it names."""
        tree = _Bare().visit(ast.parse(textwrap.dedent(inspect.getsource(value))))
        around = vars(sys.modules[value.__module__])
        reached = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.Name) and node.id in around and not isinstance(around[node.id], ModuleType):
                reached[node.id] = self.add(around[node.id])
            elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                module = around.get(node.value.id)
                if isinstance(module, ModuleType) and self._own(module.__name__):
                    reached[f"{node.value.id}.{node.attr}"] = self.add(getattr(module, node.attr))
        return f"{ast.unparse(tree)} {sorted(reached.items())}"

    def _lambda(self, value: Any) -> str:
        """Return the lines of a function without a name, and add what it names."""
        around = value.__globals__
        names = sorted(name for name in value.__code__.co_names if name in around)
        reached = [self.add(around[name]) for name in names if not isinstance(around[name], ModuleType)]
        return f"{' '.join(inspect.getsource(value).split())} {reached}"

    def _defaults(self, value: Any) -> str:
        try:
            parameters = inspect.signature(value).parameters.values()
        except (TypeError, ValueError):  # a class of Python's own
            return ""
        return str([(one.name, self.add(one.default)) for one in parameters if one.default is not one.empty])


class _Bare(ast.NodeTransformer):
    """Removes docstrings, types and decorators."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.decorator_list, node.returns = [], None
        return self._without_docstring(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        node.decorator_list = []
        return self._without_docstring(node)

    def visit_arg(self, node: ast.arg) -> ast.AST:
        node.annotation = None
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        node.annotation = ast.Constant(value=None)
        return self.generic_visit(node)

    def _without_docstring(self, node: Any) -> ast.AST:
        if ast.get_docstring(node, clean=False) is not None:
            node.body = node.body[1:] or [ast.Pass()]
        return self.generic_visit(node)
