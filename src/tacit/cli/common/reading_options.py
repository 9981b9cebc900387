"""Where records come from, as options: files with their columns, or a data set by its name; shared by several verbs."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tacit.errors import InputError, TacitWarning

if TYPE_CHECKING:
    import numpy as np

    from tacit.corpus import ColumnMap, Reading, Record

__all__ = [
    "Given",
    "ReadingOptions",
    "load_vectors",
    "quiet_option",
    "read_given",
    "reading_options",
    "vectors_option",
    "wait_option",
    "without_repetition",
]

Decorator = Callable[[Any], Any]

quiet_option: Decorator = click.option("-q", "--quiet", is_flag=True, help="Print nothing but errors.")
wait_option: Decorator = click.option(
    "--wait", type=float, default=0.0, metavar="SECONDS", help="How long to wait while another command writes."
)
vectors_option: Decorator = click.option(
    "--vectors", metavar="FILE.npy", help="Vectors of the records, one row each, to be used instead of their words."
)


@dataclass(frozen=True)
class ReadingOptions:
    """What was typed about the records; None where nothing was."""

    sources: tuple[str, ...] = ()
    text: str | None = None
    labels: str | None = None
    id: str | None = None
    title: str | None = None
    links: tuple[str, ...] = ()
    fields: str | None = None
    label_separator: str | None = None
    title_weight: int | None = None
    format: str | None = None
    encoding: str | None = None
    max_problems: int = 100
    limit_records: int | None = None
    dataset: str | None = None
    data_dir: str | None = None


_OPTIONS: tuple[Decorator, ...] = (
    click.argument("sources", nargs=-1, metavar="[SOURCE]..."),
    click.option("--text", metavar="COLUMNS", help="Columns with the text, commas between them.  [default: guessed]"),
    click.option("--labels", metavar="COLUMNS", help="Columns with labels; '' for none.  [default: guessed]"),
    click.option("--id", metavar="COLUMN", help="Column with the ids.  [default: guessed]"),
    click.option("--title", metavar="COLUMN", help="Column with the titles; '' for none.  [default: guessed]"),
    click.option(
        "--link", "links", multiple=True, metavar="[NAME=]COLUMN", help="A column that relates records: authors, say."
    ),
    click.option("--fields", metavar="COLUMNS", help="Other columns to keep; '' for none.  [default: all]"),
    click.option("--label-separator", metavar="TEXT", help="What parts several labels in one cell: ';', say."),
    click.option("--title-weight", type=int, metavar="NUMBER", help="How often the title counts in the text."),
    click.option(
        "--format",
        type=click.Choice(["jsonl", "json", "csv", "tsv", "parquet", "folder", "annif"]),
        help="Format of the files, if their names do not say it.",
    ),
    click.option("--encoding", metavar="NAME", help="Encoding of the files.  [default: utf-8]"),
    click.option(
        "--max-problems",
        type=int,
        default=100,
        show_default=True,
        metavar="NUMBER",
        help="Broken lines to put up with.",
    ),
    click.option("--limit-records", type=int, metavar="NUMBER", help="Read so many records and no more."),
    click.option("--dataset", metavar="NAME", help="A data set by its name instead of a file; see 'tacit datasets'."),
    click.option("--data-dir", metavar="FOLDER", help="Where the data sets are.  [default: $TACIT_DATA]"),
)


def reading_options(command: Any) -> Any:
    """Add the options, and give the command what was typed as one `ReadingOptions` called `asked`."""

    @functools.wraps(command)
    def gathered(**options: Any) -> Any:
        asked = ReadingOptions(**{entry.name: options.pop(entry.name) for entry in fields(ReadingOptions)})
        return command(asked=asked, **options)

    for option in reversed(_OPTIONS):
        gathered = option(gathered)
    return gathered


@dataclass
class Given:
    """Records that were asked for, and what can be said about them.

    Attributes
    ----------
    records : iterable of Record
    name : str, of the file, folder or data set, as a name for the index
    settings : dict, how they are read, for an index to keep
    """

    records: Iterable[Record]
    name: str
    settings: dict[str, Any] = field(default_factory=dict)
    _reading: Reading | None = None

    @property
    def n_problems(self) -> int:
        """How much was wrong in what was read so far."""
        return 0 if self._reading is None else len(self._reading.problems)

    def summary(self) -> str:
        """Say what was read, what was guessed and what was wrong; after the records were gone through."""
        return f"Read from the data set {self.name!r}." if self._reading is None else self._reading.summary()

    def to_facts(self) -> dict[str, Any]:
        """Give the same as plain data."""
        facts: dict[str, Any] = {**self.settings, "problems": {}, "examples": []}
        if self._reading is not None:
            problems = self._reading.problems
            facts |= {"records": self._reading.n_read, "problems": dict(problems.counts)}
            facts["examples"] = [str(example) for example in problems.examples]
        return facts


def read_given(
    asked: ReadingOptions,
    *,
    stored: Mapping[str, Any] | None = None,
    progress: Callable[[int, float], None] | None = None,
) -> Given:
    """Open what was asked for; what was not said about its columns is as `stored`, or else guessed."""
    if bool(asked.sources) == (asked.dataset is not None):
        raise InputError(
            f"SOURCE is {'given twice' if asked.sources else 'missing'}: got "
            f"{'a file and a data set' if asked.sources else 'no file'}, expected files or --dataset NAME. "
            "Type one of them."
        )
    if asked.dataset is not None:
        return _read_dataset(asked.dataset, asked)
    from tacit.corpus import read_records

    _check_not_named(asked.sources)
    stored = stored or {}
    columns = _columns(asked, stored.get("columns", {}))
    form, encoding = asked.format or stored.get("format"), asked.encoding or stored.get("encoding", "utf-8")
    try:
        reading = read_records(
            asked.sources,
            columns,
            format=form,
            encoding=encoding,
            max_problems=asked.max_problems,
            limit=asked.limit_records,
            progress=progress,
        )
    except InputError as error:
        if "names a column" not in str(error) or not stored.get("columns"):
            raise
        raise InputError(
            f"{error} The columns are those that the index was built from; name others with --text, --labels (--labels "
            "'' for none) and so on."
        ) from error
    settings = {
        "source": [Path(source).name for source in asked.sources],
        "columns": _column_facts(reading.columns),
        "format": form,
        "encoding": encoding,
    }
    return Given(reading, _stem(asked.sources[0]), settings, reading)


def _check_not_named(sources: Sequence[str]) -> None:
    """Say how a data set is asked for where its name stands in the place of a file."""
    from tacit.datasets.registry import dataset_names

    for source in sources:
        if source in dataset_names() and not Path(source).exists():
            raise InputError(
                f"path does not exist: got {source!r}, which is the name of a data set. Type --dataset {source}."
            )


def load_vectors(path: str | None) -> np.ndarray | None:
    """Read the array in a `.npy` file; None without one."""
    if path is None:
        return None
    import numpy as np

    try:
        return np.asarray(np.load(Path(path).expanduser(), allow_pickle=False))
    except (OSError, ValueError, EOFError) as error:
        said = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise InputError(f"--vectors cannot be read: got {said!r} in {path!r}, expected a .npy file.") from error


@contextmanager
def without_repetition() -> Iterator[None]:
    """Leave out the warning that there were problems: the summary that is printed afterwards shows them all."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "the files have problems", TacitWarning)
        yield


def _read_dataset(name: str, asked: ReadingOptions) -> Given:
    """Read a data set; it has columns of its own, so that none can be asked for."""
    typed = [entry for entry in ("text", "labels", "id", "title", "links", "format") if getattr(asked, entry)]
    if typed:
        raise InputError(
            f"--{typed[0].rstrip('s') if typed[0] == 'links' else typed[0]} is for files: got it with the data set "
            f"{name!r}, whose columns are known, expected a file. Leave it out."
        )
    from tacit.datasets import read_dataset

    records = read_dataset(name, asked.data_dir)[: asked.limit_records]
    return Given(records, name, {"dataset": name})


def _columns(asked: ReadingOptions, stored: Mapping[str, Any]) -> ColumnMap:
    from tacit.corpus import ColumnMap

    typed = ColumnMap.from_strings(
        text=asked.text,
        labels=asked.labels,
        id=asked.id,
        title=asked.title,
        links=",".join(asked.links) or None,
        fields=asked.fields,
        label_separator=asked.label_separator,
        title_weight=1 if asked.title_weight is None else asked.title_weight,
    )
    said = {entry: getattr(typed, entry) for entry in _column_facts(typed) if getattr(asked, entry) not in (None, ())}
    return ColumnMap(**{**stored, **said})


def _column_facts(columns: ColumnMap) -> dict[str, Any]:
    """Give a column map as plain data; lists, since that is what JSON gives back."""
    facts = {entry.name: getattr(columns, entry.name) for entry in fields(columns)}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in facts.items()}


def _stem(source: str) -> str:
    """The name of a file without its endings, or of a folder."""
    path = Path(source).expanduser().absolute()
    if path.is_dir():
        return path.name or "index"
    name = path.name.removesuffix(".gz")
    return Path(name).stem or "index"
