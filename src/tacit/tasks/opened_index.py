"""An open index as the verbs of this room see it: the space, the suggester, the labels, the links and the records.

`Collection` adds the verbs as methods, so it imports all of them; they import only this module.
"""

from __future__ import annotations

import threading
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from tacit.checks import shown
from tacit.errors import InputError
from tacit.index import Generation
from tacit.index.folder.arrays import REMEDY
from tacit.index.folder.generations import MANIFEST
from tacit.index.known_views import KnownViews
from tacit.index.positions import RecordPositions
from tacit.index.shards.opening import ShardedGeneration
from tacit.index.shards.positions import ShardedPositions
from tacit.index.space import Space
from tacit.index.stored_arrays import fitting
from tacit.index.suggester import Suggester
from tacit.index.taxonomy import taxonomy_from_facts
from tacit.index.witnesses.panel import Panel
from tacit.types import Float32Array, IntArray

if TYPE_CHECKING:
    from tacit.relations.taxonomy.matching import NodeFinder
    from tacit.relations.taxonomy.taxonomy import Taxonomy

__all__ = ["OpenedIndex"]


class OpenedIndex:
    """The state of an open index; everything but the manifest is read when it is first needed.

    Attributes
    ----------
    generation : Generation
    path : Path
        Folder of the index.
    store : RecordStore
    positions : RecordPositions or ShardedPositions
        Where the records are.
    """

    def __init__(self, generation: Generation) -> None:
        self.generation = generation
        self.path = generation.folder.parent
        self.store = generation.store
        self.positions: RecordPositions | ShardedPositions = (
            ShardedPositions(generation.shards)
            if isinstance(generation, ShardedGeneration)
            else RecordPositions(generation)
        )
        self._new_labels: tuple[int, frozenset[str]] | None = None  # and the state of the store when they were read
        self._panel: tuple[int, Panel | None] | None = None
        self._opening = threading.Lock()

    def __len__(self) -> int:
        """Return the number of records that a search can find."""
        return self.store.counts().live

    @cached_property
    def space(self) -> Space:
        """Places texts among the records."""
        with fitting(self.generation, "the space"):
            space = Space.of_generation(self.generation)
            if space.words is not None and len(space.words.terms) != len(space.terms):
                raise ValueError(f"{len(space.words.terms)} words with the positions of {len(space.terms)}")
            return space

    @cached_property
    def suggester(self) -> Suggester | None:
        """Scores labels; None if the index was built without one."""
        with fitting(self.generation, "the suggester"):
            return Suggester.of_generation(self.generation)

    @property
    def panel(self) -> Panel | None:
        """The witnesses that suggest subjects, with the records as they are now; None if the index has none."""
        state, found = self.store.changes, self._panel
        if found is None or found[0] != state:
            with self._opening:  # it is large, so threads wait for one of them to open it
                found = self._panel
                if found is None or found[0] != state:
                    with fitting(self.generation, "the suggester"):
                        found = self._panel = state, self._open_panel()
        return found[1]

    def _open_panel(self) -> Panel | None:
        words = self.space.words
        if words is None:
            return None
        panel = Panel.of_generation(self.generation, words)
        if panel is not None and panel.subjects[: len(self.label_names)] != self.label_names:
            raise ValueError("subjects that are not those of the labels")
        removed, added = self.store.removed(), self.positions.added
        if panel is None or not (len(removed) or len(added)):
            return panel
        records = self.store.get(added) if len(added) else []
        places, were = self.positions.of(added), self.generation.array("positions")[removed]
        return panel.with_changes(records, places, removed, were)

    def new_labels(self) -> frozenset[str]:
        """Return labels of added records that the last fit did not know."""
        state, seen = self.store.changes, self._new_labels
        if seen is None or seen[0] != state:
            added, known = self.positions.added, set(self.label_names)
            records = self.store.get(added) if len(added) else []
            found = frozenset(label for record in records for label in record.labels if label not in known)
            seen = self._new_labels = state, found
        return seen[1]

    def added_with(self, label: str) -> IntArray:
        """Return the numbers of the added records that have a label."""
        added = self.positions.added
        records = self.store.get(added) if len(added) else []
        return np.array([number for number, record in zip(added, records, strict=True) if label in record.labels], int)

    @cached_property
    def known_views(self) -> KnownViews | None:
        """Places records whose labels or links are known; None if the index has no such space."""
        with fitting(self.generation, "the space"):
            return KnownViews.of_generation(self.generation)

    @cached_property
    def weights(self) -> dict[str, float]:
        """How much the words and each view count in distances, 0 for what shapes nothing; empty if unknown."""
        if "facts/emphasis.json" not in self.generation.manifest.files:
            return {}
        with fitting(self.generation, "the weights"):
            facts = self.generation.facts("emphasis")
            found = dict.fromkeys(facts["weights"], 0.0) | dict(facts["emphasis"])
            if not facts.get("fits_unlabelled", True):
                found["unlabelled"] = 0.0
            return found

    @cached_property
    def label_names(self) -> tuple[str, ...]:
        """Labels that the space and the suggester know."""
        with fitting(self.generation, "the list of labels"):
            names, expected = self.generation.facts("labels")["names"], self.generation.manifest.counts.get("labels", 0)
            if len(names) != expected:
                raise ValueError(f"{len(names)} labels, {expected} in the manifest")
            return tuple(names)

    @cached_property
    def label_counts(self) -> IntArray:
        """Number of records with each of `label_names` when the index was fitted."""
        with fitting(self.generation, "the list of labels"):
            return np.asarray(self.generation.facts("labels")["counts"], np.int64).reshape(len(self.label_names))

    @cached_property
    def label_titles(self) -> dict[str, str]:
        """Titles of labels that came with the records, as in Annif's corpora."""
        with fitting(self.generation, "the list of labels"):
            return dict(self.generation.facts("labels").get("titles", {}))

    @property
    def label_positions(self) -> Float32Array | None:
        """Mean position of the records of each of `label_names`; None without labels."""
        return self.generation.arrays.get("label_positions")

    @cached_property
    def link_names(self) -> dict[str, list[str]]:
        """Names of the linked things that have a position, by the name of the link; empty if the model has no links."""
        if "facts/links.json" not in self.generation.manifest.files:
            return {}
        with fitting(self.generation, "the list of links"):
            found: dict[str, list[str]] = self.generation.facts("links")
            for place, names in enumerate(found.values()):
                shape, expected = self.generation.array(f"link_positions_{place}").shape, self.space.n_dimensions
                if shape != (len(names), expected):
                    raise ValueError(f"positions of shape {shape} of {len(names)} links in {expected} dimensions")
            return found

    def link_positions(self, kind: str) -> Float32Array:
        """Return the positions of the linked things of one kind, in the order of `link_names`."""
        return np.asarray(self.generation.array(f"link_positions_{list(self.link_names).index(kind)}"))

    @cached_property
    def vocabulary(self) -> Taxonomy | None:
        """The names of the labels, with what is above them if that is known."""
        if "facts/taxonomy.json" not in self.generation.manifest.files:
            return None
        with fitting(self.generation, "the taxonomy"):
            return taxonomy_from_facts(self.generation.facts("taxonomy"))

    @property
    def taxonomy(self) -> Taxonomy | None:
        """What is above the labels; None if nothing is, also if there is a vocabulary of their names."""
        return None if self.vocabulary is None or self.vocabulary.is_flat else self.vocabulary

    @cached_property
    def node_finder(self) -> NodeFinder | None:
        """Finds labels by their names in the vocabulary; None without one."""
        from tacit.relations.taxonomy.matching import NodeFinder

        return None if self.vocabulary is None else NodeFinder(self.vocabulary)

    @property
    def settings(self) -> dict[str, Any]:
        """How the index was built ("build") and what came of it ("fitted")."""
        found = dict(self.generation.manifest.settings)
        if missing := [name for name in ("build", "fitted") if name not in found]:
            raise InputError(
                f"{self.generation.folder / MANIFEST} lacks settings: got no {shown(missing)}, expected how the index "
                f"was built. {REMEDY}"
            )
        return found
