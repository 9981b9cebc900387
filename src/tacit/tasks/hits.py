"""The one result type: what a question to a collection is answered with."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Hit"]


@dataclass(frozen=True)
class Hit:
    """One record that answers a question.

    Parameters
    ----------
    id : str
        The record's id.
    score : float
        How close it is, as a cosine: 1 is the same direction, 0 is unrelated.
    why : tuple of str, default ()
        The words that the question and the record share, the weightiest first; empty where only the space relates them.
    """

    id: str
    score: float
    why: tuple[str, ...] = ()
