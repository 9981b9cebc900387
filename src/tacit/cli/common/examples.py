"""Examples below the help of a verb, a line each, as they are typed."""

from __future__ import annotations

__all__ = ["examples"]


def examples(*lines: str) -> str:
    """Give lines that click does not join: the backspace in front tells it so."""
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines)
