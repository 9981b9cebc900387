"""The map that an index keeps: where its records are in the plane, by all that is known and by their words alone."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from tacit.checks import is_outside_memory
from tacit.errors import TacitWarning
from tacit.index import GenerationWriter
from tacit.relations.labels.coded import CodedSets
from tacit.relations.taxonomy.taxonomy import Taxonomy
from tacit.tasks.layout.level_names import LevelName, Texts, level_names
from tacit.tasks.layout.plane import lay_out, place_among
from tacit.types import Array, Float32Array, IntArray

__all__ = ["FULL", "MapLayout", "Points", "as_units", "make_layout", "make_layout_of_sample"]

FULL = 32767  # the largest coordinate
Points = npt.NDArray[np.int16]
_METHOD = "t-SNE"
_PLAIN_DIMENSIONS = 64
_BLOCK = 32_768


@dataclass(frozen=True, eq=False)
class MapLayout:
    """A map as an index keeps it.

    Attributes
    ----------
    points : (n_records, 2), from -32767 to 32767, by all that is known
    plain : (n_records, 2) or None, by the words alone, if the space knows more
    names : names of subjects, widest first
    seed : int, of the layout
    """

    points: Points
    plain: Points | None
    names: list[LevelName]
    seed: int

    def save(self, writer: GenerationWriter) -> None:
        """Write the map into a new generation."""
        writer.save_array("map_points", self.points)
        if self.plain is not None:
            writer.save_array("map_plain", self.plain)
        levels = 1 + max((name.level for name in self.names), default=-1)
        names = [name.to_facts() for name in self.names]
        writer.save_facts("map", {"names": names, "levels": levels, "seed": self.seed, "method": _METHOD})


def make_layout(
    positions: Float32Array,
    words: Any,
    labels: Sequence[tuple[str, ...]],
    taxonomy: Taxonomy | None,
    *,
    is_informed: bool,
    terms: Sequence[str] | None,
    title: Callable[[str], str],
    seed: int = 0,
    progress: Callable[[str, float], None] | None = None,
) -> MapLayout:
    """Lay out the records of an index, and name their subjects.

    Parameters
    ----------
    positions : (n_records, k), by all that is known
    words : sparse or array, n_records x n_terms, or None
        The weights of the words, for the plain layout and for names; None if there are none.
    labels : of each record
    taxonomy : what is above the labels, or None
    is_informed : whether the positions know more than the words, so that there is a plain layout, too
    terms : the words; None for vectors
    title : returns the title of a label
    seed : int, default 0
    progress : called with what is being done, and the part that was done before
    """
    say = progress or (lambda message, share: None)
    has_plain = is_informed and words is not None and min(words.shape) > 2
    say("by all that is known" if has_plain else "by words", 0.0)
    groups = _groups(labels)
    with ThreadPoolExecutor(1) as beside:
        waiting = beside.submit(_by_words, words, seed) if has_plain else None
        found = lay_out(positions, groups, random_state=seed)
        directions = None if waiting is None else waiting.result()
    points, plain = as_units(found), None
    if directions is not None:
        say("by words alone", 0.5)
        plain = as_units(_aligned(lay_out(directions, groups, random_state=seed, start=found), found))
    say("names", 0.9)
    texts = Texts(words, terms) if words is not None and terms else None
    return MapLayout(points, plain, level_names(points, plain, labels, taxonomy, title, texts), seed)


def make_layout_of_sample(
    positions: Any,
    words: Any,
    labels: Any,
    taxonomy: Taxonomy | None,
    *,
    rows: IntArray,
    block: int,
    is_informed: bool,
    terms: Sequence[str] | None,
    title: Callable[[str], str],
    seed: int = 0,
    progress: Callable[[str, float], None] | None = None,
) -> MapLayout:
    """Lay out some records of an index, place all others among them, and name their subjects.

    Parameters
    ----------
    positions, words, labels, taxonomy, is_informed, terms, title, seed, progress : as for `make_layout`, but the rows
        of the first two may be on disk, and `labels` are `CodedSets`
    rows : numbers of the records that are laid out, ascending
    block : records that are placed at a time
    """
    say = progress or (lambda message, share: None)
    n, some = len(labels), _some_rows(words, rows)
    has_plain = is_informed and min(some.shape) > 2
    say("by all that is known" if has_plain else "by words", 0.0)
    groups, places = _groups(labels)[rows], positions[rows]
    found = lay_out(places, groups, random_state=seed)
    blocks = ((first, positions[first : first + block]) for first in range(0, n, block))
    all_found = place_among(blocks, n, rows, places, found, seed)
    del places
    points, plain = as_units(all_found), None
    if has_plain:
        say("by words alone", 0.5)
        model, directions = _fitted_to_words(some, seed)
        laid = lay_out(directions, groups, random_state=seed, start=found)
        others = ((first, np.asarray(model.transform(part), np.float32)) for first, part in _in_blocks(words))
        plain = as_units(_aligned(place_among(others, n, rows, directions, laid, seed), all_found))
    say("names", 0.9)
    if labels.counts.size:
        return MapLayout(points, plain, level_names(points, plain, labels, taxonomy, title), seed)
    texts = Texts(some, terms) if terms else None
    names = level_names(points[rows], None if plain is None else plain[rows], labels[:0], taxonomy, title, texts)
    names = [replace(name, records=round(name.records * n / len(rows))) for name in names]
    return MapLayout(points, plain, names, seed)


def _groups(labels: Sequence[tuple[str, ...]]) -> IntArray:
    """Return the first label of each record as a number, in the order of the labels; 0 for none."""
    sets = labels if isinstance(labels, CodedSets) else CodedSets(labels)
    numbers = np.zeros(len(sets.names), np.int64)
    numbers[sorted(range(len(numbers)), key=sets.names.__getitem__)] = np.arange(1, len(numbers) + 1)
    ends, codes = np.asarray(sets.ends), np.asarray(sets.codes)
    found = np.zeros(len(sets), np.int64)
    labelled = ends[1:] > ends[:-1]
    found[labelled] = numbers[codes[ends[:-1][labelled]]]
    return found


def _in_blocks(words: Any) -> Iterator[tuple[int, Any]]:
    parts = words.blocks() if is_outside_memory(words) else [words]
    first = 0
    for part in parts:
        for start in range(0, part.shape[0], _BLOCK):
            some = part[start : start + _BLOCK]
            yield first, some
            first += some.shape[0]


def _some_rows(words: Any, rows: IntArray) -> Any:
    if not is_outside_memory(words):
        return words[rows]
    parts, first = [], 0
    for part in words.blocks():
        inside = slice(*np.searchsorted(rows, [first, first + part.shape[0]]))
        parts.append(part[rows[inside] - first])
        first += part.shape[0]
    return sp.vstack(parts, format="csr")


def _by_words(words: Any, seed: int) -> Float32Array:
    """Return the positions of records in a space of their words alone."""
    return _fitted_to_words(words, seed)[1]


def _fitted_to_words(words: Any, seed: int) -> tuple[Any, Float32Array]:
    """Return a space of the words alone, and the positions of the records in it."""
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    from tacit.models.lsi.lsi import LSI

    model = LSI(min(_PLAIN_DIMENSIONS, min(words.shape) - 1), random_state=seed)
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", TacitWarning)  # of records without words, of which the build has told
        return model, np.asarray(model.fit_transform(words), np.float32)


def as_units(points: Array) -> Points:
    """Return points in units of 16 bits, with one scale for both directions; the outermost are drawn in."""
    if not len(points):
        return np.zeros((0, 2), np.int16)
    low, high = np.quantile(points, [0.001, 0.999], axis=0)
    half = max(float((high - low).max()) / 2, 1e-9)
    placed = (np.asarray(points, np.float64) - (low + high) / 2) / half
    lengths = np.abs(placed).max(axis=1, keepdims=True)
    beyond = np.maximum(lengths - 1, 0)
    placed *= np.where(lengths > 1, (1 + _RIM * beyond / (beyond + 1)) / np.maximum(lengths, 1), 1) / (1 + _RIM)
    return np.asarray(np.round(placed * FULL), np.int16)


_RIM = 0.05  # of the half width, for the points beyond the limits


def _aligned(points: Float32Array, to: Float32Array) -> Float32Array:
    """Turn and mirror points so that they lie as near as possible to others."""
    centred = points - points.mean(axis=0)
    left, _, right = np.linalg.svd(centred.T @ (to - to.mean(axis=0)))
    return np.asarray(centred @ (left @ right), np.float32)
