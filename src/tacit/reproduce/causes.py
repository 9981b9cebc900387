"""Why our figures differ from the papers', and why claims do not hold: what the report says beside the numbers."""

from __future__ import annotations

__all__ = ["CAUSES", "CLAIM_CAUSES"]

CAUSES: dict[str, str] = {}
CLAIM_CAUSES: dict[str, str] = {}
