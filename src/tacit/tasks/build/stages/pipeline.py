"""A build in stages, each of which goes on from what the earlier ones have left in memory or on disk.

    read -> words -> space -> places -> suggester -> neighbours -> map -> write, or shards

With a limit of memory, words and positions are in files and stages take blocks of them (see `plan`); without one, or if
there is room for all, they are in memory. A build that was killed begins behind its last finished stage (see `state`).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from tacit.checks import is_outside_memory
from tacit.corpus.record import Record
from tacit.errors import InputError
from tacit.index import GenerationWriter
from tacit.index.folder.arrays import map_array
from tacit.index.known_views import KnownViews
from tacit.index.nearest.approximate import GRAPH, is_large, write_graph
from tacit.index.nearest.exact import lengths_of
from tacit.index.nearest.precision import recall_of, write_reduced
from tacit.index.space import Space, VectorMaps
from tacit.index.taxonomy import taxonomy_to_facts
from tacit.index.witnesses.corrections import Correction, save_corrections
from tacit.machine import release_memory
from tacit.models.spaces import SPACES, space_named
from tacit.operators.rows.disk import open_rows
from tacit.operators.rows.disk_writer import write_rows
from tacit.relations.labels.matrix import LabelMatrix
from tacit.relations.taxonomy.names import titles_shown
from tacit.relations.taxonomy.taxonomy import Taxonomy
from tacit.tasks.build.fitted_space import EarlierFit, FittedSpace, RecordKnowledge
from tacit.tasks.build.fitting import fit_space, label_matrix, with_suggester
from tacit.tasks.build.label_matching import LabelMatching
from tacit.tasks.build.learning import learning_sample
from tacit.tasks.build.settings import BuildSettings, dimensions_for
from tacit.tasks.build.stages.placing import (
    lengths_in_blocks,
    place_records,
    with_labels,
    with_links,
    with_unseen_words,
)
from tacit.tasks.build.stages.plan import Contents, Limits, limits_for, sampled
from tacit.tasks.build.stages.reading import ReadCollection, read_collection, words_of
from tacit.tasks.build.stages.sharding import check_shards, put_back, write_shards
from tacit.tasks.build.stages.some_rows import FileRows, SomeRows
from tacit.tasks.build.stages.state import BuildState, UnfinishedIndex, read_rows, save_rows
from tacit.tasks.build.stages.vocabulary import with_taxonomy
from tacit.tasks.build.weighing import Emphasis
from tacit.tasks.layout.map_layout import make_layout, make_layout_of_sample
from tacit.tasks.stage_progress import StageReporter
from tacit.text.counting import CountedTexts
from tacit.text.words import Words
from tacit.types import IntArray

__all__ = ["IndexBuild", "read_space"]

_LARGE = 2**40  # what is freed before a stage goes back to the system
_SHARD = 2**23  # bytes of rows on disk that are read at a time
_TEXTS = 1.25  # texts in which names are sought for each record that the ranker learns from
_COUNTING = 0.2  # of the limit for the counts of texts, and as much for the dictionary


@dataclass(eq=False)
class IndexBuild:
    """A build of one generation.

    Attributes
    ----------
    writer : of the generation
    settings : how to build
    taxonomy : names of the labels, and what is above them
    vectors : of the records
    corrections : that the suggester learns from
    state : what is finished
    say : reports the stages
    memory : the limit in bytes, or None
    limits : how many records each stage takes; decided from the limit if they are not given
    n_shards : number of shards; None for one index
    earlier : what a refit takes over from the space that is there, or None
    """

    writer: GenerationWriter
    settings: BuildSettings
    taxonomy: Taxonomy | None
    vectors: Any
    corrections: Sequence[Correction]
    state: BuildState
    say: StageReporter
    memory: int | None = None
    limits: Limits | None = None
    n_shards: int | None = None
    earlier: EarlierFit | None = None
    words: Words | None = None
    X: Any = None
    honest: Any = None
    asked: IntArray | None = None
    labels: LabelMatrix | None = None
    fitted: FittedSpace = field(init=False)
    known: RecordKnowledge = field(init=False)
    _space: str = "auto"
    _read: ReadCollection = field(init=False)

    def run(self, records: Iterable[Record]) -> None:
        """Go through all stages that are not finished."""
        put_back(self.writer)
        matching = LabelMatching(self.taxonomy)
        read = self._read = self.read(records, matching)
        self.know(read, matching)
        self.plan()
        self.fit()
        self.suggest()
        self.link()
        self.lay_out(read.titles_of_labels)
        self.write(read.titles_of_labels)

    def read(self, records: Iterable[Record], matching: LabelMatching) -> ReadCollection:
        """Store the records, and turn their texts into rows of words."""
        settings, vectors, writer, work = self.settings, self.vectors, self.writer, self.state.folder
        path = writer.path("records.sqlite")
        if "words" in self.state:
            read = ReadCollection.open(path, work)
            if self.state["words"]["counted"]:
                facts = json.loads((work / "words.json").read_text(encoding="utf-8"))
                self.words = Words.from_facts(facts, np.load(work / "term_weights.npy", allow_pickle=False))
            self.X = vectors if self.words is None else self._stored_rows()
            return read
        path.unlink(missing_ok=True)
        has_words = vectors is None or not settings.vectors_only
        limit: dict[str, Any] = (
            {} if self.memory is None else {"memory_limit": int(_COUNTING * self.memory), "folder": work}
        )
        with CountedTexts(settings.text, **limit) as counted:
            given = counted if has_words else None
            whole = self.n_shards is None
            read = read_collection(path, matching.records(records), given, self.say, searchable=whole)
            matching.check(allow_unmatched=settings.allow_unmatched)
            if summary := matching.summary():
                self.say.begin("labels")
                self.say.end(summary)
            if vectors is not None:
                _check_vectors(vectors, read.n_records)
                writer.save_array("vectors", vectors)
            if has_words:
                self.words, self.X = words_of(counted, read, self.say, self._on_disk if self.memory else None)
            else:
                self.X = vectors

        def keep() -> None:
            read.save(work)
            if self.words is not None:
                (work / "words.json").write_text(json.dumps(self.words.to_facts()), encoding="utf-8")
                np.save(work / "term_weights.npy", self.words.weights)
                if not is_outside_memory(self.X):
                    save_rows(work, self.X)

        self.state.finish("words", {"counted": self.words is not None}, keep)
        return read

    def _on_disk(self, blocks: Any, n_columns: int) -> Any:
        """Write rows to disk, and return them in memory if they are few."""
        assert self.memory is not None
        return write_rows(
            self.state.folder / "rows", blocks, n_columns=n_columns, bytes_per_shard=_SHARD, memory_limit=2 * _SHARD
        )

    def _stored_rows(self) -> Any:
        if (self.state.folder / "rows").is_dir():
            return open_rows(self.state.folder / "rows", memory_limit=2 * _SHARD)
        return read_rows(self.state.folder)

    def know(self, read: ReadCollection, matching: LabelMatching) -> None:
        """Collect what is known about the records beside their words."""
        check_shards(self.n_shards or 1, read.n_records)
        found = read.knowledge(self.settings.random_state)
        known = with_taxonomy(found, self.taxonomy, self.settings.taxonomy_separator, read.titles_of_labels)
        corrections = [_matched(one, matching) for one in self.corrections]
        self.known = replace(known, corrections=corrections, earlier=self.earlier)

    def plan(self) -> None:
        """Decide how many records each stage takes."""
        self.labels = label_matrix(self.known.labels, self.settings.min_label_records)
        if self.memory is None or self.limits is not None:
            return
        n_labels = 0 if self.labels is None else self.labels.n_labels
        kinds = self.known.kinds if self.labels is not None else self.known.kinds - {"labels"}
        space = space_named(self.settings.model, kinds)
        special = {"kernel", "label_kernel", "shrinkage", "label_weight", "solver"} & set(self.settings.parameters)
        can_sample = space.name in ("lsi", "mlsi") and self.vectors is None and not special
        counts = np.empty(0, np.int64) if self.labels is None else self.labels.counts
        k = self.settings.n_components or dimensions_for(self.X.shape[0], n_labels)
        contents = Contents(self.X.shape[0], self.X.shape[1], _n_entries(self.X), counts, k)
        model = "lsi" if space.name == "lsi" else "mlsi"
        self.limits = limits_for(self.memory, contents, can_sample=can_sample, model=model, n_parts=self.n_shards or 1)
        self._space = space.name
        self.say.begin("plan")
        self.say.end(self.limits.sentence(self.X.shape[0]))
        if not self._is_sampled and is_outside_memory(self.X):
            self.X = _in_memory(self.X)

    @property
    def _is_sampled(self) -> bool:
        return self.limits is not None and self.limits.n_fitted < self.X.shape[0]

    def fit(self) -> None:
        """Fit the space to all records, or to some of them and place the others."""
        work, arrays = self.state.folder, self.writer.path("arrays/positions.npy")
        if "space" not in self.state:
            if self._is_sampled:
                self._fit_some()
            else:
                beside = None if self.words is None else self.vectors
                found = fit_space(self.X, self.known, self.settings, self.say, self.words, beside)
                self.fitted, self.honest, self.labels = found
                self.writer.save_array("positions", self.fitted.positions)
                self.writer.save_array("lengths", lengths_of(self.fitted.positions))
                self._save_labels()
            _save_space(self.writer, self.fitted, self.words)
            keep = None if self._is_sampled else partial(np.save, work / "honest.npy", self.honest)
            made = {name: getattr(self.fitted, name) for name in ("model", "parameters", "explained")}
            self.state.finish("space", made, keep)
        else:
            self.fitted = read_space(self.writer, self.state["space"], with_labels=not self._is_sampled)
            if self._is_sampled:
                assert self.limits is not None
                self.asked = sampled(self.X.shape[0], self.limits.n_fitted, self.settings.random_state)
            else:
                self.honest = np.load(work / "honest.npy")
                self.fitted = replace(self.fitted, positions=np.load(arrays))
        if self._is_sampled:
            self.honest, places = (FileRows.open(work / f"{name}.npy") for name in ("honest", "fitted_positions"))
            self.fitted = replace(self.fitted, positions=places)  # type: ignore[arg-type]
            release_memory(_LARGE)
            self._place()

    def _fit_some(self) -> None:
        """Fit the space to some of the records."""
        assert self.limits is not None
        release_memory(_LARGE)
        n, n_labels = self.X.shape[0], 0 if self.labels is None else self.labels.n_labels
        rows = sampled(n, self.limits.n_fitted, self.settings.random_state)
        some = _some_rows(self.X, rows)
        settings = replace(self.settings, model=self._space)  # a sample might seem to have other knowledge
        found = fit_space(some, self.known.part(rows), settings, self.say, self.words, whole=(n, n_labels))
        self.fitted, honest, _ = found
        self.asked = rows
        np.save(self.state.folder / "seen.npy", np.bincount(some.indices, minlength=some.shape[1]) > 0)
        for name, rows_of in (("honest", honest), ("fitted_positions", self.fitted.positions)):
            np.save(self.state.folder / f"{name}.npy", np.ascontiguousarray(rows_of))  # as `FileRows` reads them

    def _place(self) -> None:
        """Place all records, and everything that lies at the mean of records."""
        assert self.limits is not None
        assert self.asked is not None
        block, path = self.limits.block, self.writer.path("arrays/positions.npy")
        if "places" not in self.state:
            self.say.begin("placing")
            place_records(path, self.X, self.fitted, self.known, self.asked, block, self.say)
        positions = FileRows.open(path)
        if "places" not in self.state:
            seen = np.load(self.state.folder / "seen.npy")
            ridge = float(self.settings.parameters.get("ridge", 1.0))  # records have the length 1
            self.fitted = with_unseen_words(self.fitted, self.X, positions, seen, ridge, block)
            self.writer.save_array("terms", np.ascontiguousarray(self.fitted.terms, np.float32))
            if self.fitted.known_views is not None:
                self.writer.save_array("known_terms", np.ascontiguousarray(self.fitted.known_views.terms, np.float32))
        self.fitted = replace(self.fitted, positions=positions, known_views=None)  # type: ignore[arg-type]
        release_memory(_LARGE)
        if "places" not in self.state:
            if self.labels is not None:
                self.fitted = with_labels(self.fitted, self.labels, positions, block)
            self.fitted = with_links(self.fitted, self.known, positions, block)
            self.writer.save_array("lengths", lengths_in_blocks(positions, block))
            self._save_labels()
            self.say.end(f"{len(positions):,} records placed")
            self.state.finish("places", {})
        else:
            found = read_space(self.writer, self.state["space"], with_labels=True)
            self.fitted = replace(found, positions=positions, known_views=None)  # type: ignore[arg-type]

    def _save_labels(self) -> None:
        """Write the names and positions of labels and linked things."""
        writer, fitted = self.writer, self.fitted
        writer.save_facts("labels", {"names": list(fitted.label_names), "counts": list(fitted.label_counts)})
        if fitted.label_positions is not None:
            writer.save_array("label_positions", fitted.label_positions)
        if fitted.others:
            others = list(fitted.others)
            writer.save_facts("links", {name: fitted.others[name][0] for name in others})
            for number, name in enumerate(others):
                writer.save_array(f"link_positions_{number}", np.asarray(fitted.others[name][1], np.float32))

    def suggest(self) -> None:
        """Train the suggester."""
        if "suggester" not in self.state:
            fitted = self.fitted if self.labels is None else self._with_suggester(self.labels)
            self.honest = None
            if fitted.suggester is not None:
                fitted.suggester.save(self.writer)
            if fitted.panel is not None:
                fitted.panel.save(self.writer)
            self.state.finish("suggester", {"method": fitted.suggester_method, "share": fitted.share})
            del fitted
        made, self.honest = self.state["suggester"], None
        release_memory(_LARGE)
        self.fitted = replace(self.fitted, suggester_method=made["method"], share=made["share"])

    def _with_suggester(self, labels: LabelMatrix) -> FittedSpace:
        """Train the suggester on all records, or on as many as there is room for."""
        X, limits, known, honest, most = self.X, self.limits, self.known, self.honest, None
        if limits is not None:
            most = limits.n_asked
            if limits.n_counted < X.shape[0]:
                X, labels = _counted_rows(X, labels, limits.n_counted, self.settings.random_state)
            elif is_outside_memory(X):
                X = _in_memory(X)
        if self.asked is not None:
            honest = SomeRows(honest, self.asked)
            known = replace(known, texts=self._texts_of(labels))
        given = (X, known, self.settings, self.say, self.words, self.asked, most)
        return with_suggester(self.fitted, honest, labels, *given)

    def _texts_of(self, labels: LabelMatrix) -> dict[int, str]:
        """Return the texts of the records that the ranker may learn from: those that were fitted and have labels."""
        assert self.limits is not None
        assert self.asked is not None
        may_be_asked = labels.known & (np.diff(labels.indicator.indptr) > 0)
        may_be_asked &= np.isin(np.arange(len(labels)), self.asked)
        sample = learning_sample([("known",) if flag else () for flag in may_be_asked], self.settings.random_state)
        return self._read.texts(sample[: round(_TEXTS * self.limits.n_asked)]) if self._read.n_words else {}

    def link(self) -> None:
        """Link a large collection's records to their neighbours, so that a search need not compare all of them."""
        positions: Any = self.fitted.positions
        if self.n_shards is not None or not is_large(positions) or "neighbours" in self.state:
            return
        self.say.begin("neighbours")
        n, path = len(positions), self.writer.path(GRAPH)
        path.unlink(missing_ok=True)
        written = write_graph(path, positions, progress=lambda i: self.say.advance(f"{i:,} of {n:,} records", i / n))
        self.say.end(f"{n:,} records linked to their neighbours" if written else "searches compare all records")
        release_memory(_LARGE)
        self.state.finish("neighbours", {})

    def lay_out(self, titles: dict[str, str]) -> None:
        """Lay the records out in the plane; in an informed space, by their words alone, too."""
        if not self.settings.map or "map" in self.state:
            return
        self.say.begin("map")
        known, limits = self.known, self.limits
        shown = {} if known.vocabulary is None else titles_shown(known.vocabulary)
        options: dict[str, Any] = {
            "is_informed": self.fitted.model != SPACES["lsi"].title,
            "terms": None if self.words is None else self.words.terms,
            "title": lambda label: shown.get(label) or titles.get(label, label),
            "seed": self.settings.random_state,
            "progress": self.say.advance,
        }
        n = self.X.shape[0]
        if limits is not None and limits.n_mapped < n:
            rows = sampled(n, limits.n_mapped, self.settings.random_state)
            layout = make_layout_of_sample(
                self.fitted.positions, self.X, known.labels, known.taxonomy, rows=rows, block=limits.block, **options
            )
        else:
            X = _in_memory(self.X) if is_outside_memory(self.X) else self.X
            layout = make_layout(np.asarray(self.fitted.positions), X, known.labels, known.taxonomy, **options)
        layout.save(self.writer)
        self.say.end(f"{len(layout.points):,} records and {len(layout.names):,} names on the map")
        self.state.finish("map", {})

    def write(self, titles: dict[str, str]) -> None:
        """Write what is left, and make the generation the current one."""
        writer, fitted, known, say = self.writer, self.fitted, self.known, self.say
        say.begin("writing")
        names = {"names": list(fitted.label_names), "counts": list(fitted.label_counts)}
        writer.save_facts(
            "labels", {**names, "titles": {name: titles[name] for name in fitted.label_names if name in titles}}
        )
        save_corrections(writer, known.corrections)  # also if this suggester does not learn from them: another may
        if known.vocabulary is not None:
            writer.save_facts("taxonomy", taxonomy_to_facts(known.vocabulary))
        counts = {"labels": len(fitted.label_names), "terms": self.X.shape[1], "dimensions": fitted.terms.shape[1]}
        if fitted.vector_maps is not None:
            counts["numbers"] = len(fitted.vector_maps.mean)
        if known.corrections:
            counts["corrections"] = len(known.corrections)
        made: dict[str, Any] = {
            "model": fitted.model,
            "parameters": fitted.parameters,
            "suggester": fitted.suggester_method,
        }
        if fitted.share is not None:
            made["share"] = round(fitted.share, 4)
        if fitted.explained is not None:
            made["explained"] = round(fitted.explained, 6)
        if self.asked is not None:
            made["fitted_records"] = len(self.asked)
        self.X = self.honest = None  # files that are open could not be removed
        settings = {"build": self.settings.to_facts(), "fitted": made | self._recall()}
        if self.n_shards is None:
            self._reduce()
            writer.finish(settings, counts)
        else:
            write_shards(writer, self.n_shards, settings, counts, say)
            say.begin("writing")
        say.end(f"index written to {writer.index}")

    def _recall(self) -> dict[str, float]:
        """Measure what is lost by storing positions in fewer bits."""
        precision = self.settings.precision
        if precision == "full":
            return {}
        if "precision" not in self.state:
            positions = map_array(self.writer.path("arrays/positions.npy"))
            rng = np.random.default_rng(self.settings.random_state)
            self.state.finish("precision", {"recall": round(recall_of(positions, precision, rng), 4)})
        recall: float = self.state["precision"]["recall"]
        return {"recall": recall}

    def _reduce(self) -> None:
        """Store positions in fewer bits, unless a build that was killed has done so."""
        arrays = self.writer.path("arrays/positions.npy").parent
        is_full = map_array(arrays / "positions.npy").dtype == np.float32
        if self.settings.precision != "full" and is_full:
            self.fitted = replace(self.fitted, positions=np.empty((0, 0), np.float32))  # it may be the mapped file
            write_reduced(arrays, self.settings.precision)


def _save_space(writer: GenerationWriter, fitted: FittedSpace, words: Words | None) -> None:
    """Write what places texts and records."""
    Space(fitted.terms, fitted.offset, words, fitted.vector_maps).save(writer)
    if fitted.known_views is not None:
        fitted.known_views.save(writer)
    if fitted.emphasis is not None:
        writer.save_facts("emphasis", asdict(fitted.emphasis))
    if fitted.strengths is not None:
        writer.save_array("strengths", fitted.strengths)


def read_space(writer: GenerationWriter, made: Any, *, with_labels: bool) -> FittedSpace:
    """Read a space that was written by a build that was killed, without positions; labels may not be written yet."""
    index: Any = UnfinishedIndex(writer.folder)
    optional = {name: index.array(name) if name in index.arrays else None for name in ("offset", "strengths")}
    labels = index.facts("labels") if with_labels else {"names": [], "counts": []}
    links = index.facts("links") if with_labels and "facts/links.json" in index.files else {}
    others = {name: (things, index.array(f"link_positions_{n}")) for n, (name, things) in enumerate(links.items())}
    maps = None
    if "vector_mean" in index.arrays:
        maps = VectorMaps(*(index.array(f"vector_{part}") for part in ("mean", "alone", "both")))
    return FittedSpace(
        made["model"],
        made["parameters"],
        index.array("terms"),
        optional["offset"],
        np.empty((0, 0), np.float32),
        label_names=tuple(labels["names"]),
        label_counts=tuple(labels["counts"]),
        label_positions=index.array("label_positions") if labels["names"] else None,
        others=others or None,
        strengths=optional["strengths"],
        known_views=KnownViews.of_generation(index),
        emphasis=Emphasis(**index.facts("emphasis")) if "facts/emphasis.json" in index.files else None,
        vector_maps=maps,
        explained=made.get("explained"),
    )


def _in_memory(X: Any) -> Any:
    """Return rows on disk as one matrix in memory."""
    import scipy.sparse as sp

    return sp.vstack(list(X.blocks()), format="csr")


def _some_rows(X: Any, rows: IntArray) -> Any:
    """Return some rows, which ascend, in memory."""
    import scipy.sparse as sp

    if not is_outside_memory(X):
        return X[rows]
    parts, first = [], 0
    for part in X.blocks():
        inside = slice(*np.searchsorted(rows, [first, first + part.shape[0]]))
        parts.append(part[rows[inside] - first])
        first += part.shape[0]
    return sp.vstack(parts, format="csr")


def _counted_rows(X: Any, labels: LabelMatrix, n_counted: int, seed: int) -> tuple[Any, LabelMatrix]:
    """Return words and labels of some of the records only; the rows of all others are empty, and unknown."""
    import scipy.sparse as sp

    chosen = sampled(X.shape[0], n_counted, seed)
    some = _some_rows(X, chosen)
    lengths = np.zeros(X.shape[0], np.int64)
    lengths[chosen] = np.diff(some.indptr)
    rows = sp.csr_array((some.data, some.indices, np.append(0, np.cumsum(lengths))), shape=X.shape)
    kept = np.zeros(X.shape[0], bool)
    kept[chosen] = True
    indicator = sp.csr_array(sp.diags_array(kept.astype(np.float64)) @ labels.indicator)
    indicator.eliminate_zeros()
    return rows, replace(labels, indicator=indicator, known=labels.known & kept)


def _n_entries(X: Any) -> int:
    found = getattr(X, "nnz", None)
    return int(np.size(X) if found is None else found)


def _check_vectors(vectors: Any, n_records: int) -> None:
    if len(vectors) != n_records:
        raise InputError(
            f"vectors does not match the records: got {len(vectors):,} rows for {n_records:,} records, expected "
            "one row per record, in the same order. Vectors of records that could not be read must be removed."
        )


def _matched(correction: Correction, matching: LabelMatching) -> Correction:
    """Return a correction with nodes as labels where they are found: the taxonomy may be another than before."""
    accepted, rejected = (
        matching.record(Record("text", "", labels=labels)).labels
        for labels in (correction.accepted, correction.rejected)
    )
    return replace(correction, accepted=accepted, rejected=rejected)
