"""Places records whose labels or links are known, as the fit placed its own records.

    position = [x A + Σ_v f_v P_v] Φ,   Φ = diag(μ)⁻¹ in the axes and the scaling of the index

x are the words of a record, f_v its row of a view (labels, classes above them, links), P_v the pull of each thing of
the view. A view of which nothing is known is filled with what the words predict, as in the fit; so are the vectors of a
record that has none, in a space of words and vectors. A record of which nothing is known is placed by its words alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tacit.index.folder.opening import Generation
from tacit.index.folder.writer import GenerationWriter
from tacit.types import BoolArray, Float32Array

__all__ = ["KnownViews", "ViewPull"]


@dataclass(frozen=True, eq=False)
class ViewPull:
    """What a view adds to the positions of its records.

    Attributes
    ----------
    names : names of the things, in the order of the rows of `pull`
    pull : (n_things, k), P_v
    square : (k, k), P_vᵀP_v without the factors of `pull`, for rows that are filled
    length : length of a filled row
    share : factor of a filled row beside those of `pull`
    """

    names: Sequence[str]
    pull: Float32Array
    square: Float32Array
    length: float
    share: float


class KnownViews:
    """Places records by their words and by what is known about them.

    Parameters
    ----------
    terms : (n_terms, k), A; rows of words first, then those of vectors
    fold_map : (k, k), Φ
    scales : (k,), factors from unit positions to those of the index
    views : mapping from name to ViewPull
    vectors : ViewPull of vectors that a record does not have; None for a space of words or of vectors alone
    """

    def __init__(
        self,
        terms: Any,
        fold_map: Float32Array,
        scales: Float32Array,
        views: Mapping[str, ViewPull],
        vectors: ViewPull | None = None,
    ) -> None:
        self.terms, self.fold_map, self.scales, self.views = terms, fold_map, scales, dict(views)
        self.vectors = vectors
        self._places = {name: {thing: row for row, thing in enumerate(view.names)} for name, view in views.items()}

    @classmethod
    def of_generation(cls, generation: Generation) -> KnownViews | None:
        """Open them, or return None for an index that has none."""
        if "facts/known_views.json" not in generation.manifest.files:
            return None
        views, k = {}, len(generation.array("known_scales"))
        for number, facts in enumerate(generation.facts("known_views")["views"]):
            pull, square = (generation.array(f"known_{part}_{number}") for part in ("pull", "square"))
            if pull.shape != (len(facts["things"]), k) or square.shape != (k, k) or facts["name"] in views:
                raise ValueError(f"{facts['name']} with the pull of something else")
            views[facts["name"]] = ViewPull(facts["things"], pull, square, facts["length"], facts["share"])
        terms, fold_map, scales = (generation.array(f"known_{part}") for part in ("terms", "map", "scales"))
        vectors = None
        if "known_vectors" in generation.arrays:
            none, length = np.zeros((0, len(scales)), np.float32), generation.facts("known_views")["vector_length"]
            vectors = ViewPull((), none, generation.array("known_vectors"), length, 1.0)
        return cls(terms, fold_map, scales, views, vectors)

    def save(self, writer: GenerationWriter) -> None:
        """Write them into a new generation."""
        for part, array in (("terms", self.terms), ("map", self.fold_map), ("scales", self.scales)):
            writer.save_array(f"known_{part}", np.ascontiguousarray(array, np.float32))
        facts = []
        for number, (name, view) in enumerate(self.views.items()):
            writer.save_array(f"known_pull_{number}", np.ascontiguousarray(view.pull, np.float32))
            writer.save_array(f"known_square_{number}", np.ascontiguousarray(view.square, np.float32))
            facts.append({"name": name, "things": list(view.names), "length": view.length, "share": view.share})
        more = {}
        if self.vectors is not None:
            writer.save_array("known_vectors", np.ascontiguousarray(self.vectors.square, np.float32))
            more["vector_length"] = self.vectors.length
        writer.save_facts("known_views", {"views": facts, **more})

    def known(self, view: str, things: Sequence[str]) -> list[str]:
        """Return those things that a view has a pull of."""
        return [thing for thing in things if thing in self._places[view]]

    def place(
        self,
        rows: Sequence[tuple[Any, Any]],
        by_words: Float32Array,
        known: Sequence[Mapping[str, Sequence[str] | None]],
        *,
        has_vectors: bool = False,
    ) -> Float32Array:
        """Return the positions of records.

        Parameters
        ----------
        rows : columns and weights of the words, or of the vector, or of both, of each record
        by_words : (n_records, k), their positions by these alone
        known : for each record, the things of each view; None or a missing name is unknown
        has_vectors : whether the rows have vectors, in a space of words and vectors
        """
        found = np.array(by_words, np.float32)
        for number, (row, things) in enumerate(zip(rows, known, strict=True)):
            parts = self.parts(row, by_words[number], things, has_vectors=has_vectors)
            if parts is not None:
                found[number] = np.sum(list(parts.values()), axis=0)
        return found

    def place_rows(self, X: Any, by_words: Float32Array, known: Mapping[str, tuple[Any, BoolArray]]) -> Float32Array:
        """Return the positions of many records, as `place` does for each of them.

        Parameters
        ----------
        X : (n_records, n_terms) sparse, their words
        by_words : (n_records, k), their positions by these alone
        known : for each view, the things of each record as rows of 0 and 1, in the order of the view's names, and for
            which records they are known; views that are not given are unknown
        """
        total = np.asarray(X @ self.terms[: X.shape[1]], np.float32)
        anything = np.zeros(X.shape[0], bool)
        unit = by_words / self.scales
        filled = [] if self.vectors is None else [(self.vectors, np.ones(X.shape[0], bool))]
        for name, view in self.views.items():
            if name in known:
                rows, is_known = known[name]
                total += rows @ view.pull
                anything |= is_known
                filled.append((view, ~is_known))
            else:
                filled.append((view, np.ones(X.shape[0], bool)))
        for view, needed in filled:
            needed &= anything
            some = unit[needed]
            pulled = some @ view.square
            lengths = np.sqrt(np.maximum(np.einsum("ij,ij->i", pulled, some), 0))
            factors = view.share * view.length / np.where(lengths > 0, lengths, np.inf)
            total[needed] += factors[:, None] * pulled
        return np.where(anything[:, None], total @ self.fold_map, by_words).astype(np.float32)

    def parts(
        self,
        row: tuple[Any, Any],
        by_words: Float32Array,
        things: Mapping[str, Sequence[str] | None],
        *,
        has_vectors: bool = False,
    ) -> dict[str, Float32Array] | None:
        """Return what the words ("words") and each view add to the position of a record; None if nothing is known.

        Parameters are as for `place`, for one record.
        """
        columns, weights = row
        total = weights @ self.terms[columns] if len(columns) else np.zeros(len(self.scales), np.float32)
        pulls, filled = {"words": total}, {}
        for name, view in self.views.items():
            given = things.get(name)
            places = [] if given is None else [self._places[name][t] for t in given if t in self._places[name]]
            if given is None or (given and not places):
                filled[name] = view
            else:
                pulls[name] = view.pull[places].sum(axis=0)
        if len(filled) == len(self.views):
            return None
        if self.vectors is not None and not has_vectors:
            filled["vectors"] = self.vectors
        unit = by_words / self.scales
        for name, view in filled.items():
            length = float(np.sqrt(max(float(unit @ view.square @ unit), 0.0)))
            if length > 0:
                pulls[name] = view.share * view.length / length * (unit @ view.square)
        return {name: np.asarray(pull @ self.fold_map, np.float32) for name, pull in pulls.items()}
