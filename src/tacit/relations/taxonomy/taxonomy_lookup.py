"""Finds nodes of a taxonomy by their names, and says what was perhaps meant where there is none."""

from __future__ import annotations

import bisect
import difflib
from collections.abc import Hashable, Iterable, Mapping

import numpy as np
import numpy.typing as npt

from tacit.checks import shown
from tacit.errors import InputError

__all__ = ["numbers_of", "several"]


def numbers_of(names: Iterable[Hashable], places: Mapping[Hashable, int], argument: str) -> npt.NDArray[np.int64]:
    """Give the numbers of nodes, in the order asked for; `places` has the number of each name."""
    wanted = list(names)
    unknown = [name for name in wanted if not isinstance(name, Hashable) or name not in places]
    if unknown:
        raise InputError(
            f"{argument} has labels that are no nodes: got {shown(dict.fromkeys(map(str, unknown)))}, "
            f"expected some of the {len(places):,} nodes of the taxonomy.{_hint(unknown[0], places)}"
        )
    return np.asarray([places[name] for name in wanted], dtype=np.int64)


def several(names: Iterable[Hashable], argument: str) -> list[Hashable]:
    """Give the names as a list, unless they are a string, whose letters nobody means."""
    if isinstance(names, (str, bytes)):
        raise InputError(f"{argument} is a single string: got {names!r}, expected several names. Wrap it: [{names!r}].")
    return list(names)


def _hint(name: Hashable, names: Iterable[Hashable]) -> str:
    texts = sorted(str(other) for other in names)
    if len(texts) > 2_000:
        # comparing with a hundred thousand takes seconds; the neighbours by the alphabet begin alike
        place = bisect.bisect(texts, str(name))
        texts = texts[max(0, place - 50) : place + 50]
    near = difflib.get_close_matches(str(name), texts, n=1)
    return f" Did you mean {near[0]!r}?" if near else ""
