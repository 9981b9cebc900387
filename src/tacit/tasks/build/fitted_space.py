"""What a build knows about the records, what its fit returns, and how models are made from settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tacit.corpus.record import Record
from tacit.errors import InputError
from tacit.index.known_views import KnownViews
from tacit.index.space import VectorMaps
from tacit.index.suggester import Suggester
from tacit.index.witnesses.corrections import Correction
from tacit.index.witnesses.panel import Panel
from tacit.models.spaces import Knowledge
from tacit.relations.labels.coded import CodedSets
from tacit.relations.taxonomy.taxonomy import Taxonomy
from tacit.tasks.build.learning import learning_sample
from tacit.tasks.build.settings import BuildSettings
from tacit.tasks.build.stages.some_rows import StoredTitles, titles_of
from tacit.tasks.build.weighing import Emphasis
from tacit.types import Float32Array, IntArray

__all__ = ["EarlierFit", "FittedSpace", "RecordKnowledge", "make_model", "plain_parameters"]


@dataclass(frozen=True, eq=False)
class EarlierFit:
    """What a refit takes over from the space that is there.

    Attributes
    ----------
    emphasis : how much each view counts in it, so that no trial is needed; None for spaces without views
    positions : (n_records, k) of the records in it, from which the search for a space of words starts, or None
    """

    emphasis: Emphasis | None = None
    positions: Float32Array | None = None


@dataclass(frozen=True, eq=False)
class RecordKnowledge:
    """What is known about the records besides their words.

    Parameters
    ----------
    labels : labels of each record; no labels means unknown, not "none of them"
    links : targets of each record, by the name of the link
    taxonomy : what is above the labels, or None
    titles : of the records, if they have some; the trial asks with them
    n_words : number of words in all texts, if it is known: with fewer words than links, these are ratings
    vocabulary : the names of the labels, or None: the taxonomy, or one that has nothing above the labels
    texts : texts of some of the records with labels, by number, in which names of labels are sought
    label_titles : names of labels that came with the records
    corrections : texts with the labels that a person accepted and rejected, for the suggester
    earlier : what is taken over from an earlier fit, or None
    """

    labels: Sequence[tuple[str, ...]]
    links: Mapping[str, Sequence[tuple[str, ...]]]
    taxonomy: Taxonomy | None = None
    titles: Sequence[str] = ()
    n_words: int | None = None
    vocabulary: Taxonomy | None = None
    texts: Mapping[int, str] = field(default_factory=dict)
    label_titles: Mapping[str, str] = field(default_factory=dict)
    corrections: Sequence[Correction] = ()
    earlier: EarlierFit | None = None

    @classmethod
    def of_records(cls, records: Sequence[Record], taxonomy: Taxonomy | None, seed: int = 0) -> RecordKnowledge:
        """Collect what is known about records; the taxonomy may have names only."""
        names = dict.fromkeys(name for record in records for name in record.links)
        links = {name: [record.links.get(name, ()) for record in records] for name in names}
        titles = [record.title for record in records]
        n_words = sum(len(record.text.split()) for record in records)
        labels = [record.labels for record in records]
        texts = {int(number): records[number].text for number in learning_sample(labels, seed)}
        known = cls(labels, links, None, titles, n_words, texts=texts if any(texts.values()) else {})
        return known if taxonomy is None else known.with_vocabulary(taxonomy)

    def with_vocabulary(self, vocabulary: Taxonomy) -> RecordKnowledge:
        """Add the names of the labels, and what is above them, if there is anything above any label."""
        names = dict.fromkeys(name for labels in self.labels for name in labels)
        has_parents = not vocabulary.is_flat and any(name in vocabulary and vocabulary.parents(name) for name in names)
        return replace(self, vocabulary=vocabulary, taxonomy=vocabulary if has_parents else None)

    def part(self, rows: IntArray) -> RecordKnowledge:
        """Return what is known about some of the records, without texts and corrections."""
        titles = self.titles.part(rows) if isinstance(self.titles, StoredTitles) else titles_of(self.titles, rows)
        links = {name: _some_sets(targets, rows) for name, targets in self.links.items()}
        labels = _some_sets(self.labels, rows)
        earlier = self.earlier
        if earlier is not None and earlier.positions is not None:
            earlier = replace(earlier, positions=earlier.positions[rows])
        return replace(self, labels=labels, links=links, titles=titles, texts={}, corrections=(), earlier=earlier)

    @property
    def used_links(self) -> dict[str, Sequence[tuple[str, ...]]]:
        """The links that at least one record has."""
        return {name: targets for name, targets in self.links.items() if any(targets)}

    @property
    def kinds(self) -> set[Knowledge]:
        """What is known at all, for the choice of a space."""
        found: dict[Knowledge, bool] = {
            "labels": any(self.labels),
            "taxonomy": self.taxonomy is not None,
            "links": bool(self.used_links),
            "ratings": self.n_words is not None and self.n_words < _n_links(self.used_links),
        }
        return {kind for kind, known in found.items() if known}


def _some_sets(sets: Sequence[tuple[str, ...]], rows: IntArray) -> Sequence[tuple[str, ...]]:
    return sets.take(rows) if isinstance(sets, CodedSets) else [sets[int(row)] for row in rows]


def _n_links(links: Mapping[str, Sequence[tuple[str, ...]]]) -> int:
    return sum(len(targets) for of_records in links.values() for targets in of_records)


@dataclass(frozen=True, eq=False)
class FittedSpace:
    """The result of a fit, as the index stores it.

    Attributes
    ----------
    model : str, title of the space
    parameters : parameters of the model, by name
    terms : (n_terms, k), the map that places words
    offset : (k,) or None
    positions : (n_records, k), by everything that is known about the records: for search
    label_names, label_counts : the labels that took part, and their numbers of records
    label_positions : (n_labels, k)
    suggester : Suggester or None
    panel : Panel or None, the witnesses and their ranker
    suggester_method : str, how it was trained; "none" without a suggester
    share : float or None, share of the nearest records from which a label is accepted, if these suggest
    others : names and positions of the linked things, by the name of the link
    strengths : (k,) or None, eigenvalues of M-LSA: the position of a thing times these is proportional to the sum of
        the positions of its records
    known_views : KnownViews or None, places records whose labels or links are known
    emphasis : Emphasis or None, how much each view counts
    vector_maps : VectorMaps or None, place vectors in a space of words and vectors
    explained : float or None, what it explains of the words of unseen records, by which drift is measured
    """

    model: str
    parameters: dict[str, Any]
    terms: Float32Array
    offset: Float32Array | None
    positions: Float32Array
    label_names: tuple[str, ...] = ()
    label_counts: tuple[int, ...] = ()
    label_positions: Float32Array | None = None
    suggester: Suggester | None = None
    panel: Panel | None = None
    suggester_method: str = "none"
    share: float | None = None
    others: Mapping[str, tuple[list[str], Float32Array]] | None = None
    strengths: Float32Array | None = None
    known_views: KnownViews | None = None
    emphasis: Emphasis | None = None
    vector_maps: VectorMaps | None = None
    explained: float | None = None


def make_model(kind: Any, settings: BuildSettings, **given: Any) -> Any:
    """Make a model with the settings; an unknown parameter is an error."""
    known = kind().get_params()
    for name in settings.parameters:
        if name not in known:
            raise InputError(
                f"parameters has an unknown name: got {name!r}, expected some of {', '.join(sorted(known))}."
            )
    if (kernel := settings.parameters.get("kernel", "linear")) != "linear":
        raise InputError(
            f"parameters has a kernel that an index cannot use: got {kernel!r}, expected 'linear', since an index "
            "places texts by their words. Leave it out."
        )
    return kind(settings.n_components, **{"random_state": settings.random_state, **given, **settings.parameters})


def plain_parameters(model: Any) -> dict[str, Any]:
    """Return the model's parameters as plain data; the taxonomy is stored separately."""
    return {
        name: value
        for name, value in model.get_params().items()
        if isinstance(value, (str, int, float, bool, type(None))) and name != "random_state"
    }
