"""An open index; every question to it and every change of it is a method."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tacit.corpus.record import Record
from tacit.display import Displayed, Table
from tacit.errors import InputError
from tacit.index import Filters, change_generation, open_generation
from tacit.index.folder.opening import check_shapes
from tacit.tasks.opened_index import OpenedIndex

if TYPE_CHECKING:
    from tacit.index.witnesses.corrections import Correction
    from tacit.tasks.cluster.groups import Groups
    from tacit.tasks.explain.dimension import Dimensions
    from tacit.tasks.explain.explain import Explanation
    from tacit.tasks.info import IndexInfo
    from tacit.tasks.map.map_data import Map
    from tacit.tasks.measure.compare import Comparison
    from tacit.tasks.measure.evaluate import Evaluation
    from tacit.tasks.recommend.linked_things import FoundThings
    from tacit.tasks.search.hits import FoundRecords
    from tacit.tasks.stage_progress import Report
    from tacit.tasks.tune.tune import Tuning

__all__ = ["Collection", "open_index"]


def open_index(path: str | Path) -> Collection:
    """Open the index in a folder; `tacit.open` is this.

    Little is read, so that an index of a million records opens at once. Others may read it while one writer changes it.

    Raises
    ------
    InputError
        If there is no index, or it is incomplete.
    """
    generation = open_generation(path)
    try:
        check_shapes(generation)
        return Collection(generation)
    except BaseException:
        generation.close()
        raise


class Collection(Displayed, OpenedIndex):
    """An open index, made by `tacit.open`; close it, or use it in a `with` block.

    Attributes
    ----------
    path : Path
        Folder of the index.
    space : Space
        Places texts among the records.
    suggester : Suggester or None
        Scores labels; None if the index was built without one.
    label_names : tuple of str
        Labels that the space and the suggester know.
    taxonomy : Taxonomy or None
        What is above the labels.
    vocabulary : Taxonomy or None
        Names of the labels, also if nothing is above them.
    settings : dict
        How it was built.

    Examples
    --------
    >>> with tacit.open("library.tacit") as library:                     # doctest: +SKIP
    ...     for hit in library.search("whales at sea"):
    ...         print(hit.score, hit.title)
    """

    def __enter__(self) -> Collection:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _parts(self) -> Iterator[str | Table]:
        manifest = self.generation.manifest
        facts = [f"{len(self):,} records"]
        if manifest.counts.get("labels"):
            facts.append(f"{manifest.counts['labels']:,} labels")
        model = manifest.settings.get("fitted", {}).get("model", "no model")
        facts.append(f"{model} in {manifest.counts.get('dimensions', 0):,} dimensions")
        yield f"Collection {str(self.path)!r}: {', '.join(facts)}"

    def close(self) -> None:
        """Close the files; closing twice is harmless."""
        self.generation.close()

    def __contains__(self, id: object) -> bool:
        return id in self.store

    def __getitem__(self, id: str) -> Record:
        """Return a record by its id."""
        return self.store.get([self.store.number_of(id)])[0]

    def label(self, name: str) -> str:
        """Return the label that is called so, to filter by: by its id, its notation, or a name in any language."""
        from tacit.tasks.label_names import find_label

        return find_label(self, name)

    def below(self, label: str) -> tuple[str, ...]:
        """Return a label, given by its id or a name, and everything below it in the taxonomy, to filter by."""
        from tacit.tasks.label_names import subtree

        return subtree(self, label)

    def filters(
        self,
        *,
        labels: str | Sequence[str] = (),
        under: str | Sequence[str] = (),
        where: Mapping[str, Any] | str | Sequence[str] = (),
        ranges: Mapping[str, Any] | str | Sequence[str] = (),
        links: Mapping[str, Any] | str | Sequence[str] = (),
    ) -> Filters | None:
        """Return filters from names as people write them, as the options of the commands; None without conditions.

        Names of labels, fields and values are found in any case and without accents, and an unknown one is an error
        with the nearest name. `tacit.Filters` takes everything as it is stored.

        Parameters
        ----------
        labels, under : names or ids of labels that a record has; for `under`, narrower labels count as well
        where : {field: value} or {field: [values]}, or texts such as "place=Nantucket"
        ranges : {field: (low, high)}, None is no limit, or texts such as "year=1990..2000"
        links : {link: target} or {link: [targets]}, or texts such as "author=Melville"
        """
        from tacit.tasks.search.conditions import as_texts, read_conditions

        conditions = {"labels": labels, "under": under, "where": where, "ranges": ranges, "links": links}
        return read_conditions(self, **{name: as_texts(name, given) for name, given in conditions.items()})

    def search(
        self,
        query: str | None = None,
        *,
        by: str = "hybrid",
        limit: int = 10,
        filters: Filters | None = None,
        vector: Any = None,
        fusion: str = "scores",
    ) -> FoundRecords:
        """Find records for a query; see `tacit.tasks.search.search`."""
        from tacit.tasks.search.search import search

        return search(self, query, by=by, limit=limit, filters=filters, vector=vector, fusion=fusion)

    def similar(self, id: str, *, by: str = "meaning", limit: int = 10, filters: Filters | None = None) -> FoundRecords:
        """Find the records most similar to one of them; see `tacit.tasks.search.search`."""
        from tacit.tasks.search.hits import FoundRecords
        from tacit.tasks.search.search import similar

        return FoundRecords(similar(self, id, by=by, limit=limit, filters=filters))

    def suggest(
        self,
        texts: str | Sequence[str],
        *,
        limit: int | None = 5,
        threshold: float | None = None,
        chosen: bool = False,
        reasons: bool = False,
        vectors: Any = None,
    ) -> Any:
        """Suggest labels for a text, or for several; see `tacit.tasks.suggest.suggest`."""
        from tacit.tasks.suggest.suggest import Suggestions, TextSuggestions, suggest

        given = [texts] if isinstance(texts, str) else list(texts)
        found = suggest(self, given, limit=limit, threshold=threshold, chosen=chosen, reasons=reasons, vectors=vectors)
        return Suggestions(found[0]) if isinstance(texts, str) else TextSuggestions(map(Suggestions, found))

    def explain(
        self,
        *,
        query: str | None = None,
        ids: str | Sequence[str] = (),
        text: str | None = None,
        label: str | None = None,
        dimension: int | None = None,
        limit: int = 10,
    ) -> Explanation:
        """Explain a hit, a pair of records, a label or a dimension; see `tacit.tasks.explain.explain`."""
        from tacit.tasks.explain.explain import explain

        return explain(self, query=query, ids=ids, text=text, label=label, dimension=dimension, limit=limit)

    def concepts(self, *, limit: int = 10, words: int = 6) -> Dimensions:
        """Describe the first dimensions of the space; see `tacit.tasks.explain.explain`."""
        from tacit.tasks.explain.dimension import Dimensions
        from tacit.tasks.explain.explain import concepts

        return Dimensions(concepts(self, limit=limit, words=words))

    def cluster(
        self,
        groups: int | None = None,
        *,
        words: int = 8,
        examples: int = 3,
        filters: Filters | None = None,
        random_state: int = 0,
    ) -> Groups:
        """Group the records and name the groups; see `tacit.tasks.cluster.groups`."""
        from tacit.tasks.cluster.groups import cluster_index

        return cluster_index(self, groups, words=words, examples=examples, filters=filters, random_state=random_state)

    def recommend(
        self, liked: Sequence[str], *, disliked: Sequence[str] = (), limit: int = 10, filters: Filters | None = None
    ) -> FoundRecords:
        """Recommend records similar to ones that someone liked; see `tacit.tasks.recommend.recommend`."""
        from tacit.tasks.recommend.recommend import recommend
        from tacit.tasks.search.hits import FoundRecords

        return FoundRecords(recommend(self, liked, disliked=disliked, limit=limit, filters=filters))

    def recommend_for(
        self, kind: str, name: str, *, what: str = "records", limit: int = 10, filters: Filters | None = None
    ) -> FoundRecords | FoundThings:
        """Recommend to a linked thing, such as a user, what is new to it; see `tacit.tasks.recommend.recommend`."""
        from tacit.tasks.recommend.recommend import recommend_for

        return _found(recommend_for(self, kind, name, what=what, limit=limit, filters=filters), what)

    def near(
        self, kind: str, name: str, *, to: str = "records", limit: int = 10, filters: Filters | None = None
    ) -> FoundRecords | FoundThings:
        """Find what is near a linked thing; see `tacit.tasks.recommend.recommend`."""
        from tacit.tasks.recommend.recommend import near

        return _found(near(self, kind, name, to=to, limit=limit, filters=filters), to)

    def map(
        self,
        path: str | Path,
        *,
        colour_by: str = "label",
        filters: Filters | None = None,
        under: str | None = None,
        title: str | None = None,
        random_state: int = 0,
    ) -> Map:
        """Draw the records as a map for a browser (.html) or as a picture; see `tacit.tasks.map.map`."""
        from tacit.tasks.map.map import draw_map

        options: dict[str, Any] = {"filters": filters, "under": under, "title": title, "random_state": random_state}
        return draw_map(self, path, colour_by=colour_by, **options)

    def evaluate(self, **options: Any) -> Evaluation:
        """Measure suggestions and search on held-out records; see `tacit.tasks.measure.evaluate`."""
        from tacit.tasks.measure.evaluate import evaluate

        return evaluate(self, **options)

    def compare(self, models: Sequence[str] | None = None, **options: Any) -> Comparison:
        """Measure several models side by side; see `tacit.tasks.measure.compare`."""
        from tacit.tasks.measure.compare import compare

        return compare(self, models, **options)

    def tune(self, **options: Any) -> Tuning:
        """Find better settings on held-out records; see `tacit.tasks.tune.tune`."""
        from tacit.tasks.tune.tune import tune

        return tune(self, **options)

    def info(self) -> IndexInfo:
        """Return what the index holds and how it was built; see `tacit.tasks.info`."""
        from tacit.tasks.info import info

        return info(self)

    def export(self, path: str | Path, *, format: str = "jsonl", texts: bool = True, replace_old: bool = False) -> int:
        """Write records and positions for other programs, and return their number; see `tacit.tasks.export`."""
        from tacit.tasks.export import export

        return export(self, path, format=format, texts=texts, replace_old=replace_old)

    def add(self, records: Iterable[Record], *, vectors: Any = None, wait: float = 0.0) -> int:
        """Add records without a refit, all of them or none, and return their number; see `tacit.tasks.change`."""
        from tacit.tasks.change import add

        return self._changed(add, records, vectors=vectors, wait=wait)

    def update(self, records: Iterable[Record], *, vectors: Any = None, wait: float = 0.0) -> int:
        """Replace records that have the same ids, all of them or none, and return their number."""
        from tacit.tasks.change import update

        return self._changed(update, records, vectors=vectors, wait=wait)

    def upsert(self, records: Iterable[Record], *, vectors: Any = None, wait: float = 0.0) -> int:
        """Add records, replacing those that have the same ids, all of them or none, and return their number."""
        from tacit.tasks.change import upsert

        return self._changed(upsert, records, vectors=vectors, wait=wait)

    def remove(self, ids: Iterable[str], *, wait: float = 0.0) -> int:
        """Remove records by their ids, all of them or none, and return their number."""
        from tacit.tasks.change import remove

        return self._changed(remove, ids, wait=wait)

    def learn(
        self,
        records: Iterable[Record],
        *,
        rejected: Sequence[Sequence[str]] | None = None,
        report: Report | None = None,
        wait: float = 0.0,
    ) -> int:
        """Learn from texts with accepted and rejected labels, and return their number; see `tacit.tasks.suggest.learn`.

        The texts do not become records. Suggestions of this object use what was learned at once.
        """
        from tacit.tasks.suggest.learn import learn

        self._check_current()
        n_learned = learn(self.path, records, rejected=rejected, report=report, wait=wait)
        if n_learned:
            try:
                fresh = open_generation(self.path)
            except InputError as error:
                raise InputError(f"{error} Before, all {n_learned:,} texts were learned and stored.") from error
            self.generation.close()
            vars(self).clear()  # everything that was read from the generation before
            OpenedIndex.__init__(self, fresh)
        return n_learned

    def corrections(self) -> list[Correction]:
        """Return the texts with accepted and rejected labels that were learned, the earliest first."""
        from tacit.index.witnesses.corrections import corrections_of

        return corrections_of(self.generation)

    def _check_current(self) -> None:
        if not self.path.is_dir():
            raise InputError(
                f"{self.path} does not exist any more: it was moved or deleted after it was opened. Open it at its new "
                "place."
            )
        if not self.generation.is_current():
            raise InputError(f"{self.path} has changed on disk: it was refitted after it was opened. Open it again.")

    def _changed(self, change: Any, given: Any, **options: Any) -> int:
        self._check_current()
        with change_generation(self.path, wait=options.pop("wait")) as generation:
            n_changed: int = change(OpenedIndex(generation), given, **options)
        return n_changed


def _found(hits: Sequence[Any], what: str) -> FoundRecords | FoundThings:
    """Return records, or linked things and labels, as the list that is shown as a table."""
    from tacit.tasks.recommend.linked_things import FoundThings
    from tacit.tasks.search.hits import FoundRecords

    return FoundRecords(hits) if what == "records" else FoundThings(hits)
