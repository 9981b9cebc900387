from __future__ import annotations
def conclusion(numbers): return "..."
