"""The demonstration: an index of the standard library's docstrings, compared with a space of the words alone.

Every Python has these texts, so that a new user can see what labels add, and has an index to try the commands on.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tacit.checks import check_count
from tacit.datasets.standard_library import standard_library_parents, standard_library_records
from tacit.errors import InputError
from tacit.index import Filters
from tacit.index.folder.generations import is_ours
from tacit.index.folder.opening import as_folder
from tacit.index.nearest.exact import cosines, lengths_of, top
from tacit.tasks.build.settings import BuildSettings
from tacit.tasks.collection import Collection, open_index
from tacit.tasks.search.hits import RecordHit
from tacit.tasks.search.search import hits_of
from tacit.tasks.stage_progress import Report, StageReporter
from tacit.text.words import Words
from tacit.types import IntArray

if TYPE_CHECKING:
    from tacit.models.lsi.lsi import LSI

__all__ = ["DEMO_INDEX", "QUERIES", "SUGGESTION_TEXT", "PlainSpace", "build_demo", "check_demo_folder"]

DEMO_INDEX = "python-library.tacit"

# Chosen to show where the two spaces differ: "distribution" is also a word for packages, and all kinds of servers send
# messages. If the words are enough ("find files by a name pattern"), plain LSI is as good or better.
QUERIES = (
    "draw random numbers from a normal distribution",
    "deliver an e-mail message to the mail server",
    "run something later in another thread",
)
SUGGESTION_TEXT = "Fetch a web page, follow its redirects and keep the cookies for the next request."

_SETTINGS = BuildSettings()  # what `tacit build` does
_KINDS = ("module", "class", "function", "method")


def build_demo(path: str | Path = DEMO_INDEX, *, report: Report | None = None) -> Path:
    """Build an index of the running Python's docstrings, with chapter > module > class as their taxonomy.

    Parameters
    ----------
    path : str or Path, default "python-library.tacit"
        Folder of the index; only an older index of the demonstration is replaced.
    report : callable, optional
        Called with a `StageEvent` when a stage begins, advances and ends.

    Raises
    ------
    InputError
        If something else is in the folder.
    """
    folder = check_demo_folder(path)
    say = StageReporter(report)
    say.begin("reading the docstrings")
    records = standard_library_records()
    say.end(f"{len(records):,} docstrings of Python's standard library read")
    say.begin("loading the numerical libraries")
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    from tacit.relations.taxonomy.taxonomy import Taxonomy
    from tacit.tasks.build.build import build

    taxonomy = Taxonomy.from_parents(standard_library_parents(records))
    # one thread: matrices this small gain nothing from more, and on a busy machine threads that wait for each other
    # have taken sixty times as long
    with threadpool_limits(1):
        return build(records, folder, _SETTINGS, taxonomy=taxonomy, replace_old=True, report=report)


def check_demo_folder(path: str | Path) -> Path:
    """Return the folder if it is free or holds an index of the demonstration; otherwise raise an `InputError`."""
    folder = as_folder(path)
    if not folder.exists():
        return folder
    is_index = (folder / "CURRENT").exists()
    is_taken = folder.is_file() or any(not is_ours(entry.name) for entry in folder.iterdir())
    if (is_index and not _is_demo(folder)) or (is_taken and not is_index):
        raise InputError(
            f"keep is in use: got {str(path)!r}, expected a new folder, or one that the demonstration made. Choose "
            "another with --keep."
        )
    return folder


class PlainSpace:
    """The same records in a space of their words only, for comparison.

    Parameters
    ----------
    collection : the index of the demonstration
    random_state : int, default 0
    """

    def __init__(self, collection: Collection, *, random_state: int = 0) -> None:
        from threadpoolctl import threadpool_limits

        from tacit.models.lsi.lsi import LSI

        self._collection = collection
        self._numbers: IntArray = collection.store.numbers()
        texts = [record.text for record in collection.store.get(self._numbers)]
        self._words, X = Words.fit(texts, _SETTINGS.text)
        self._model: LSI = LSI(collection.space.n_dimensions, random_state=random_state)
        with threadpool_limits(1):
            self._positions = np.asarray(self._model.fit_transform(X), np.float32)
        self._lengths = lengths_of(self._positions)

    def search(self, query: str, *, limit: int = 5) -> list[RecordHit]:
        """Find the records nearest to a query."""
        row: Any = self._words.transform([query])
        if not row.nnz:
            raise InputError(
                f"query has no known word: got {query!r}, expected at least one word of the collection. Try other "
                "words."
            )
        position = np.asarray(self._model.transform(row), np.float32)[0]
        scores = cosines(position, self._positions, self._lengths)
        best = top(scores, check_count("limit", limit))
        return hits_of(self._collection, self._numbers[best], scores[best])


def _is_demo(folder: Path) -> bool:
    """Whether an index holds docstrings of the standard library and no other records."""
    try:
        with open_index(folder) as collection:
            docstrings = collection.store.numbers(Filters(fields={"kind": list(_KINDS)}))
            return "json" in collection and len(docstrings) == len(collection)
    except InputError:
        return False
