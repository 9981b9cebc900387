"""Read what the documentation promises: its Python blocks, its commands, its pages."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]

_FENCE = re.compile(r"^```python[^\n]*\n(.*?)^```$", flags=re.MULTILINE | re.DOTALL)
_COMMAND = re.compile(r"^<!-- command: (\w+) -->\n```sh\n(.+)\n```\n<!-- end -->$", flags=re.MULTILINE)


class Block(NamedTuple):
    """A Python block and the line of the page on which its code starts."""

    line: int
    code: str


def python_blocks(text: str) -> list[Block]:
    """List the ```python blocks of a page in order."""
    return [Block(text.count("\n", 0, match.start(1)) + 1, match.group(1)) for match in _FENCE.finditer(text)]


def run_blocks(text: str, name: str) -> dict[str, object]:
    """Run the blocks of a page in order in one namespace, as a reader would; errors point at the page's own lines."""
    namespace: dict[str, object] = {"__name__": "__page__"}
    for block in python_blocks(text):
        exec(compile("\n" * (block.line - 1) + block.code, name, "exec"), namespace)
    return namespace


def read(path: str | Path) -> str:
    """Read a file of the project, given from its root."""
    return (ROOT / path).read_text(encoding="utf-8")


def commands(text: str) -> dict[str, str]:
    """Give the one-line commands between `<!-- command: name -->` and `<!-- end -->`."""
    return dict(_COMMAND.findall(text))
