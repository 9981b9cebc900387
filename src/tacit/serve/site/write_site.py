"""Writes an index as a folder of files that shows the explorer from any web server: search, suggestions and map.

Everything that the page asks a service for is computed in the browser from these files, as far as the model is linear:
positions of texts, nearest records, the words that speak for a result, and labels of the nearest records. Search by
words and the witnesses of suggestions need the service.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from tacit.checks import check_count
from tacit.corpus.record import Record
from tacit.errors import InputError
from tacit.files import writing_output
from tacit.serve.site.column_files import Columns
from tacit.serve.site.label_files import PIECE, SiteLabels, label_details, site_labels
from tacit.serve.site.neighbour_suggestions import NEIGHBOURS, Calibration, calibrate
from tacit.serve.site.small_space import SmallSpace, agreement, small_space
from tacit.tasks.info import info
from tacit.tasks.map.colouring import colour_groups
from tacit.tasks.map.stored import StoredMap
from tacit.tasks.opened_index import OpenedIndex
from tacit.tasks.stage_progress import Report, StageReporter
from tacit.types import IntArray

__all__ = ["SiteReport", "site_size", "write_site"]

PAGE = Path(__file__).parent.parent / "page"
_MARKER = "tacit-site.json"  # so that a site may be replaced, and no other folder
_PIECE_BYTES = 32_000  # of a file of records: a page of results needs some twenty of them
_TERMS_PIECE = 256
_BATCH = 1000
_ASKED = 1000  # records that the probability of suggestions is fitted to
_COMPARED = 200  # texts whose nearest records are compared with those of the index
_BEGINNING = 300  # characters of a text that are written without `texts`
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "base-uri 'none'; form-action 'none'"
)


@dataclass(frozen=True)
class SiteReport:
    """What was written.

    Attributes
    ----------
    path : Path
    records, labels, axes : int
    bytes : int, of all files
    agreement : float or None
        Share of the ten nearest records of 200 texts that the site finds as the index does; None without words.
    """

    path: Path
    records: int
    labels: int
    axes: int
    bytes: int
    agreement: float | None

    def to_facts(self) -> dict[str, Any]:
        """Return it as plain data, as `--json` prints it."""
        return {**vars(self), "path": str(self.path)}


def site_size(collection: OpenedIndex, *, n_axes: int | None = None, texts: bool = True) -> int:
    """Return about how many bytes a site will have, without writing it."""
    axes = min(n_axes or collection.space.n_dimensions, collection.space.n_dimensions)
    n_terms = 0 if collection.space.words is None else len(collection.space.terms)
    n_records, n_characters = len(collection), collection.store.n_characters(None if texts else _BEGINNING)
    page = sum(path.stat().st_size for path in PAGE.rglob("*") if path.is_file())
    labels = len(collection.label_names) * (axes + 700)  # with titles, words and related labels
    return int(page + n_records * (axes + 260) + n_terms * (axes + 24) + 1.06 * n_characters + labels)


def write_site(
    collection: OpenedIndex,
    path: str | Path,
    *,
    n_axes: int | None = None,
    texts: bool = True,
    replace_old: bool = False,
    report: Report | None = None,
) -> SiteReport:
    """Write the explorer of an index as a folder for any web server.

    Parameters
    ----------
    collection : an open index that was built from words and has a map
    path : str or Path
        Folder to create.
    n_axes : int, optional
        Dimensions that are kept, those on which the records differ most. Default: all. With fewer, the site is smaller
        and finds other records: half of 400 dimensions find about 6 of 10 records that the index finds.
    texts : bool, default True
        Whether to write whole texts; otherwise only their beginnings.
    replace_old : bool, default False
        Whether an older site in this folder may be replaced.
    report : callable, optional
        Called with a `StageEvent` when a stage begins, advances and ends.

    Raises
    ------
    InputError
        If the index has no map or no words, or the folder exists or cannot be written.
    """
    n_axes = collection.space.n_dimensions if n_axes is None else check_count("n_axes", n_axes)
    target = Path(path).expanduser().absolute()
    _check_target(target, replace_old)
    stored = StoredMap.of(collection)
    if collection.space.words is None:
        raise InputError(
            f"{collection.path} was built from vectors alone: got no words, expected an index with words, since a "
            "browser cannot compute vectors. Use tacit serve."
        )
    stages = StageReporter(report)
    try:
        with writing_output(target) as unfinished:
            written = _Writer(collection, unfinished, stages, texts)
            return written.write(stored, n_axes, target)
    except OSError as error:
        raise InputError(
            f"path cannot be written: got {error.strerror or str(error)!r} for {str(target)!r}, expected a writable "
            "place with free space. Choose another, or check the disk and the permissions."
        ) from error


class _Writer:
    def __init__(self, collection: OpenedIndex, folder: Path, stages: StageReporter, texts: bool) -> None:
        self.collection, self.folder, self.stages, self.texts = collection, folder, stages, texts
        self.data = folder / "data"

    def write(self, stored: StoredMap | None, n_axes: int, target: Path) -> SiteReport:
        numbers = self.collection.store.numbers()
        self.stages.begin("writing records")
        self.data.mkdir(parents=True)
        columns, names, X, forms = self._records()
        labels = site_labels(self.collection, names)
        self.stages.begin("writing the space")
        space = small_space(self.collection, numbers, n_axes)
        self._space(space, forms)
        self._labels(labels, space, X)
        calibration, found = self._calibrated(space, X, labels, numbers)
        if stored is not None:
            self._map(stored, numbers)
        self._json(self.data / "info.json", self._info(columns, labels, stored, calibration))
        _copy_page(self.folder)
        size = sum(path.stat().st_size for path in self.folder.rglob("*") if path.is_file())
        return SiteReport(target, len(numbers), len(labels.ids), space.records.rows.shape[1], size, found)

    def _records(self) -> tuple[list[dict[str, Any]], list[tuple[str, ...]], sp.csr_array, dict[str, str]]:
        """Write the records in pieces; return columns, labels, weights of terms, and stems of the words."""
        words = self.collection.space.words
        assert words is not None
        columns, ids, labels, rows, forms = Columns(), list[str](), list[tuple[str, ...]](), [], dict[str, str]()
        known = set(words.terms)
        pieces = _Pieces(self.data / "records")
        for batch in _batches(self.collection):
            for record in batch:
                columns.add(record)
                ids.append(record.id)
                labels.append(record.labels)
                pieces.add(self._record(record))
                if words.settings.stem:
                    forms.update(_stems(words.analyse, record.text, known, forms))
            rows.append(words.transform([record.text for record in batch]))
            self.stages.advance(f"{len(labels):,} records")
        pieces.close()
        self._json(self.data / "pieces.json", pieces.starts)
        self._json(self.data / "ids.json", ids)
        return columns.write(self.data, self._save), labels, sp.csr_array(sp.vstack(rows, format="csr")), forms

    def _record(self, record: Record) -> dict[str, Any]:
        text = record.text if self.texts else record.text[:_BEGINNING]
        facts: dict[str, Any] = {"id": record.id, "title": record.title, "text": text}
        if record.links:
            facts["links"] = {name: list(targets) for name, targets in record.links.items()}
        if record.fields:
            facts["fields"] = dict(record.fields)
        return facts

    def _space(self, space: SmallSpace, forms: dict[str, str]) -> None:
        words = self.collection.space.words
        assert words is not None
        assert space.terms is not None
        self._save(self.data / "positions.npy", space.records.rows)
        self._save(self.data / "position_scales.npy", space.records.scales)
        self._save(self.data / "term_scales.npy", space.terms.scales)
        self._save(self.data / "term_weights.npy", np.asarray(words.weights, np.float32))
        self._save(self.data / "offset.npy", space.offset)
        (self.data / "terms").mkdir()
        for number, start in enumerate(range(0, len(space.terms.rows), _TERMS_PIECE)):
            self._save(self.data / "terms" / f"{number:05}.npy", space.terms.rows[start : start + _TERMS_PIECE])
        facts = {"terms": words.terms, "stop_words": sorted(words.analyse.stop_words), "ngrams": words.settings.ngrams}
        self._json(self.data / "words.json", {**facts, "piece": _TERMS_PIECE, "forms": forms or None})

    def _labels(self, labels: SiteLabels, space: SmallSpace, X: sp.csr_array) -> None:
        self._json(self.data / "labels.json", labels.to_facts())
        self._save(self.data / "record_label_starts.npy", labels.indicator.indptr.astype(np.uint32))
        self._save(self.data / "record_labels.npy", labels.indicator.indices.astype(np.uint32))
        self._save(self.data / "label_positions.npy", space.labels.rows)
        self._save(self.data / "label_scales.npy", space.labels.scales)
        words = self.collection.space.words
        assert words is not None
        details = label_details(labels, space.labels, X, words.terms)
        (self.data / "labels").mkdir()
        for number, start in enumerate(range(0, len(details), PIECE)):
            self._json(self.data / "labels" / f"{number:05}.json", details[start : start + PIECE])

    def _calibrated(
        self, space: SmallSpace, X: sp.csr_array, labels: SiteLabels, numbers: IntArray
    ) -> tuple[Calibration | None, float | None]:
        """Fit the probability of suggestions, and compare the site with the index."""
        self.stages.begin("comparing with the index")
        rng = np.random.default_rng(0)
        texts = np.sort(rng.permutation(np.flatnonzero(np.diff(X.indptr)))[:_COMPARED])
        records = [record.text for record in self.collection.store.get(numbers[texts])]
        found = agreement(self.collection, numbers, space, records, 10)
        labelled = np.flatnonzero((np.diff(labels.indicator.indptr) > 0) & (np.diff(X.indptr) > 0))
        asked = np.sort(rng.permutation(labelled)[:_ASKED])
        if len(asked) < 2:
            return None, found
        known = sp.csr_array(labels.indicator[:, : labels.n_known])
        return calibrate(space, sp.csr_array(X[asked]), asked, known), found

    def _map(self, stored: StoredMap, numbers: IntArray) -> None:
        self._save(self.data / "points.npy", stored.points()[numbers])
        if stored.has_plain:
            self._save(self.data / "plain.npy", stored.points(plain=True)[numbers])
        self._json(self.data / "names.json", stored.names)
        for by in ("cluster", "concept"):
            colouring = colour_groups(self.collection, by=by, under=None)
            self._save(self.data / f"colours_{by}.npy", colouring.codes[numbers])
            self._json(self.data / f"colours_{by}.json", [vars(group) for group in colouring.groups])

    def _info(
        self,
        columns: list[dict[str, Any]],
        labels: SiteLabels,
        stored: StoredMap | None,
        calibration: Calibration | None,
    ) -> dict[str, Any]:
        told = info(self.collection)
        name = self.collection.path.name.removesuffix(".tacit")
        can = {"suggest": calibration is not None, "reasons": False, "map": stored is not None, "words": False}
        can |= {"plain": stored is not None and stored.has_plain, "recommend": True, "write": False, "concepts": False}
        return {
            "name": name,
            "title": name,
            "generation": self.collection.generation.folder.name,
            "records": labels.indicator.shape[0],
            "labels": int(np.count_nonzero(labels.own)),
            "has_taxonomy": self.collection.taxonomy is not None,
            "link_kinds": [column["name"] for column in columns if column["is_link"]],
            "fields": [column for column in columns if not column["is_link"]],
            "links": [column for column in columns if column["is_link"]],
            "model": told.model,
            "dimensions": told.dimensions,
            "counted": told.weights,
            "can": can,
            "examples": [],
            "site": {"neighbours": NEIGHBOURS, "calibration": None if calibration is None else calibration._asdict()},
        }

    def _save(self, path: Path, content: Any) -> None:
        if path.suffix == ".json":
            self._json(path, content)
        else:
            np.save(path, np.ascontiguousarray(content), allow_pickle=False)

    def _json(self, path: Path, facts: Any) -> None:
        text = json.dumps(facts, ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=str)
        path.write_text(text, "utf-8", "replace", "\n")


class _Pieces:
    """Writes records into files of about the same size."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self._folder, self._lines, self._bytes, self._n_records = folder, list[str](), 0, 0
        self.starts: list[int] = []  # first record of each file

    def add(self, facts: dict[str, Any]) -> None:
        line = json.dumps(facts, ensure_ascii=False, separators=(",", ":"), default=str)
        if not self._lines:
            self.starts.append(self._n_records)
        self._lines.append(line)
        self._bytes += len(line)
        self._n_records += 1
        if self._bytes >= _PIECE_BYTES:
            self.close()

    def close(self) -> None:
        if self._lines:
            path = self._folder / f"{len(self.starts) - 1:05}.json"
            path.write_text("[" + ",\n".join(self._lines) + "]", encoding="utf-8", newline="\n")
        self._lines, self._bytes = [], 0


def _batches(collection: OpenedIndex) -> Iterator[list[Record]]:
    batch: list[Record] = []
    for _, record in collection.store.records(batch=_BATCH):
        batch.append(record)
        if len(batch) == _BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def _stems(analyse: Any, text: str, known: set[str], forms: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the words of a text that are not in `forms` yet, with their stems if these are terms."""
    for word in analyse.plain_words(text):
        if word not in forms:
            (stem,) = analyse.single_words(word) or ("",)
            if stem in known:
                yield word, stem


def _copy_page(folder: Path) -> None:
    """Copy the page; its addresses become relative, and it is told to read files instead of asking a service."""
    # not by shutil.copytree, which goes on after an error and makes a list of all of them
    for path in sorted(PAGE.rglob("*")):
        if path.is_file() and not path.name.startswith("docs") and path.parent.name != "__pycache__":
            copy = folder / "page" / path.relative_to(PAGE)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, copy)
    index = folder / "page" / "index.html"
    html = index.read_text(encoding="utf-8")
    index.unlink()
    html = html.replace('name="tacit-source" content="server"', 'name="tacit-source" content="site"')
    policy = f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
    html = html.replace("<head>", f"<head>\n{policy}", 1)
    (folder / "index.html").write_text(html, "utf-8", "replace", "\n")
    (folder / _MARKER).write_text(json.dumps({"made_by": "tacit export --site"}) + "\n", encoding="utf-8")


def _check_target(target: Path, replace_old: bool) -> None:
    if not target.parent.is_dir():
        raise InputError(f"path is not in an existing folder: got {str(target)!r}. Create the folder first.")
    if not target.exists():
        return
    if not target.is_dir() or (any(target.iterdir()) and not (target / _MARKER).exists()):
        raise InputError(
            f"path is not a site: got {str(target)!r}, which holds other files, expected a new folder. Choose another."
        )
    if any(target.iterdir()) and not replace_old:
        raise InputError(
            f"path exists already: got {str(target)!r}, expected a new one. Choose another, or pass replace_old=True."
        )
