"""Suggest: labels for new texts, with probabilities, ancestors, and whether they reach their thresholds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tacit.checks import check_count, check_number
from tacit.corpus.record import Record
from tacit.display import ResultList, Table
from tacit.errors import InputError
from tacit.index.nearest.exact import top
from tacit.index.witnesses.asked import AskedTexts
from tacit.index.witnesses.evidence import Evidence, TextEvidence
from tacit.index.witnesses.panel import Panel, blocks_of
from tacit.tasks.label_names import ancestors_of, title_of
from tacit.tasks.neighbour_labels import NEIGHBOURS, neighbour_shares
from tacit.tasks.opened_index import OpenedIndex

if TYPE_CHECKING:
    from tacit.index.space import Space

__all__ = ["Suggestion", "Suggestions", "TextSuggestions", "suggest", "suggest_records"]

_MANY = 8  # texts from which one sparse product is faster than reading the rows of each text's words
_CELLS = 4_000_000  # probabilities at a time: 32 MB
_HALF, _FEW_NEIGHBOURS = 0.5, 10  # share of so many nearest records from which a new label is accepted


@dataclass(frozen=True)
class Suggestion:
    """One label for a text.

    Parameters
    ----------
    label : str
    probability : float
        Calibrated: of labels that are suggested with 0.8, four of five are right.
    chosen : bool
        Whether it reaches the threshold of the label, which is set for the best F1.
    title : str
        Title from the taxonomy, or the label itself.
    ancestors, ancestor_titles : tuple of str
        Labels above it in the taxonomy, nearest first, and their titles.
    evidence : Evidence or None
        What speaks for it, if it was asked for and the index has witnesses.
    """

    label: str
    probability: float
    chosen: bool
    title: str
    ancestors: tuple[str, ...] = ()
    ancestor_titles: tuple[str, ...] = ()
    evidence: Evidence | None = None

    def to_facts(self) -> dict[str, Any]:
        """Return the suggestion as plain data, as `--json` prints it."""
        facts: dict[str, Any] = {
            "label": self.label,
            "title": self.title,
            "probability": round(self.probability, 6),
            "chosen": self.chosen,
            "ancestors": list(self.ancestors),
            "ancestor_titles": list(self.ancestor_titles),
        }
        return facts if self.evidence is None else {**facts, "evidence": self.evidence.to_facts()}

    def to_row(self) -> dict[str, Any]:
        """Return the suggestion as cells by the name of the column, as in a data frame."""
        row: dict[str, Any] = {"label": self.label, "title": self.title, "probability": self.probability}
        row |= {"chosen": self.chosen, "ancestors": list(self.ancestors)}
        return row if self.evidence is None else {**row, "reasons": list(self.evidence.sentences())}

    def to_annif(self) -> dict[str, Any]:
        """Return the suggestion as in Annif's REST API; `uri` is the label, even if it is not a URI."""
        return {"uri": self.label, "label": self.title, "notation": None, "score": round(self.probability, 6)}


class Suggestions(ResultList[Suggestion]):
    """The labels suggested for a text, most probable first: a list that is shown as a table."""

    _noun = "label"

    def _parts(self) -> Iterator[str | Table]:
        yield from super()._parts() if self else ("No labels: no word of the text is known, or none is likely enough.",)

    @property
    def _columns(self) -> tuple[str, ...]:  # type: ignore[override]
        named = any(one.title != one.label for one in self)
        return ("probability", "chosen", "label", *(("title",) if named else ()), "ancestors", "reasons")


class TextSuggestions(ResultList[Suggestions]):
    """The labels suggested for several texts, in their order; in tables, `text` is the number of the text from 0."""

    _noun = "text"
    _columns = ("text", "probability", "chosen", "label", "title")

    def _rows(self) -> list[dict[str, Any]]:
        return [{"text": number, **one.to_row()} for number, found in enumerate(self) for one in found]


def suggest(
    collection: OpenedIndex,
    texts: Sequence[str],
    *,
    limit: int | None = 5,
    threshold: float | None = None,
    chosen: bool = False,
    reasons: bool = False,
    vectors: Any = None,
) -> list[list[Suggestion]]:
    """Suggest labels for texts, most probable first.

    Parameters
    ----------
    collection : an open index whose records have labels
    texts : the texts; an index that was built from vectors alone ignores them
    limit : int or None, default 5
        Most labels per text; None is no limit.
    threshold : float in [0, 1], optional
        Least probability.
    chosen : bool, default False
        Whether to return only labels that reach their own thresholds.
    reasons : bool, default False
        Whether to say what speaks for each label.
    vectors : optional
        One row per text, for an index that was built with vectors.

    Returns
    -------
    list of lists of Suggestion
        Empty for a text without any known word.
    """
    panel = collection.panel
    suggester = None if panel is not None else _suggester(collection)
    most = len(collection.label_names) if limit is None else check_count("limit", limit)
    least = 0.0 if threshold is None else check_number("threshold", threshold, high=1.0)
    space = collection.space
    rows = None
    if panel is not None and space.words is not None:
        rows = space.words.transform(texts)
    elif suggester is not None and suggester.words is not None:
        rows = _vector_rows(vectors) if space.words is None else space.words.transform(texts)
    if vectors is None:
        positions = _placed(space, texts, rows)
    else:
        positions = space.place_vectors(vectors, None if space.words is None else texts)

    @cache
    def named(name: str) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
        above = ancestors_of(collection, name)
        return title_of(collection, name), above, tuple(title_of(collection, one) for one in above)

    if panel is not None:
        wanted = _Wanted(least, limit, chosen=chosen, reasons=reasons)
        ranked = _by_witnesses(panel, texts, rows, positions, wanted)

        def suggestion(pair: _Pair) -> Suggestion:
            label = panel.subjects[pair.subject]
            return Suggestion(label, pair.probability, pair.chosen, *named(label), pair.evidence)

        return [[suggestion(pair) for pair in pairs] for pairs in ranked]

    def by_neighbours(
        position: Any, wanted: Callable[[str], bool], accepted: float, n_neighbours: int = NEIGHBOURS
    ) -> list[Suggestion]:
        shares = neighbour_shares(collection, position, wanted, n_neighbours=n_neighbours)
        found = [Suggestion(name, share, share >= accepted, *named(name)) for name, share in shares.items()]
        return [one for one in found if one.probability >= least and (one.chosen or not chosen)]

    if suggester is None:
        accepted = float(collection.settings["fitted"].get("share", _HALF))
        return [by_neighbours(position, lambda label: True, accepted)[:limit] for position in positions]
    new = collection.new_labels()
    found: list[list[Suggestion]] = []
    step = max(1, _CELLS // len(collection.label_names))
    for start in range(0, len(positions), step):
        block = positions[start : start + step]
        scores = suggester.scores(block, None if rows is None else rows[start : start + step])
        probabilities, yes = suggester.probabilities(scores), suggester.chosen(scores)
        allowed = (yes if chosen else np.full(yes.shape, True)) & (probabilities >= least)
        allowed &= block.any(axis=1, keepdims=True)
        for position, each, reached, may in zip(block, probabilities, yes, allowed, strict=True):
            some = _best(each, reached, may, most, collection.label_names, named)
            if new:  # the suggester has not learned them
                more = by_neighbours(position, new.__contains__, _HALF, _FEW_NEIGHBOURS)
                some = sorted([*some, *more], key=_by_probability)[:limit]
            found.append(some)
    return found


class _Wanted(NamedTuple):
    """Which subjects of a text are wanted, and whether with reasons."""

    least: float
    limit: int | None
    chosen: bool
    reasons: bool


class _Pair(NamedTuple):
    """One ranked subject."""

    subject: int
    probability: float
    chosen: bool
    evidence: Evidence | None = None


def _by_witnesses(panel: Panel, texts: Sequence[str], rows: Any, positions: Any, wanted: _Wanted) -> list[list[_Pair]]:
    """Rank the subjects of texts, a block at a time; a text without any known word or name has none."""
    found: list[list[_Pair]] = []
    for block in blocks_of(len(texts), panel.block):
        asked = AskedTexts(rows[block], positions[block], len(panel.subjects), texts[block])
        heard = panel.hear(asked)  # reasons are taken from it here, since it is too large to be kept for all blocks
        ranked = panel.rank(asked, heard)
        for number in range(len(asked)):
            part = ranked.of_text(number)
            triples = (each[part].tolist() for each in (ranked.subject, ranked.probability, ranked.chosen))
            pairs = [
                _Pair(subject, probability, accepted)
                for subject, probability, accepted in zip(*triples, strict=True)
                if probability >= wanted.least and (accepted or not wanted.chosen)
            ][: wanted.limit]
            if wanted.reasons and pairs:
                evidence = TextEvidence(panel, asked, heard, number)
                pairs = [pair._replace(evidence=evidence.of(pair.subject)) for pair in pairs]
            found.append(pairs)
    return found


def _by_probability(one: Suggestion) -> float:
    return -one.probability


def suggest_records(
    collection: OpenedIndex,
    records: Iterable[Record],
    *,
    limit: int | None = 5,
    threshold: float | None = None,
    chosen: bool = False,
    reasons: bool = False,
    batch: int = 1000,
) -> Iterator[tuple[Record, list[Suggestion]]]:
    """Suggest labels for the texts of many records, one batch at a time; their own labels are ignored."""
    check_count("batch", batch)
    if collection.panel is None:
        _suggester(collection)  # raises before anything is read
    waiting = iter(records)
    while given := list(islice(waiting, batch)):
        texts = [record.text for record in given]
        found = suggest(collection, texts, limit=limit, threshold=threshold, chosen=chosen, reasons=reasons)
        yield from zip(given, found, strict=True)


def _suggester(collection: OpenedIndex) -> Any:
    """Return the suggester; None if labels are those of the nearest records."""
    if collection.suggester is None and collection.settings.get("fitted", {}).get("suggester") != "neighbours":
        raise InputError(
            f"{collection.path} has no suggester: got an index that was built without labels or without a suggester, "
            "expected one. Build it with a column of labels."
        )
    return collection.suggester


def _vector_rows(vectors: Any) -> Any:
    """Return vectors at unit length, as the suggester learned them; None without vectors, which is an error later."""
    if vectors is None:
        return None
    X = np.atleast_2d(np.asarray(vectors, np.float32))
    lengths = np.linalg.norm(X, axis=1, keepdims=True)
    return X / np.where(lengths > 0, lengths, 1)


def _placed(space: Space, texts: Sequence[str], rows: Any) -> Any:
    """Return the positions of texts; of many texts by one product."""
    if space.words is None or (rows is None and len(texts) < _MANY):
        return space.place(texts)
    X = space.words.transform(texts) if rows is None else rows
    positions = np.asarray(X @ space.terms, np.float32)
    if space.offset is not None:
        positions[np.diff(X.indptr) > 0] -= space.offset  # texts without a known word stay at the origin
    return positions


def _best(
    probabilities: Any, yes: Any, allowed: Any, most: int, names: Sequence[str], named: Callable[[str], Any]
) -> list[Suggestion]:
    labels = np.flatnonzero(allowed)
    best = labels[top(probabilities[labels].astype(np.float32), most)]
    best = best[np.argsort(-probabilities[best], kind="stable")]  # `top` saw rounded probabilities, which may be equal
    return [Suggestion(names[i], float(probabilities[i]), bool(yes[i]), *named(names[i])) for i in best.tolist()]
