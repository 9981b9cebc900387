"""Options for the records to read: files with their columns, or a data set by its name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tacit.cli.common.completion import complete_files
from tacit.cli.common.options import Decorator, gather_options, option_in
from tacit.cli.common.output import filled, write_note
from tacit.corpus.sources import FORMATS
from tacit.errors import InputError
from tacit.files import did_you_mean_file, kind_of

if TYPE_CHECKING:
    import numpy as np

    from tacit.corpus import ColumnMap, Reading, Record

__all__ = [
    "OpenedRecords",
    "ReadingOptions",
    "load_vectors",
    "open_records",
    "reading_options",
    "text_reading_options",
    "vectors_only_option",
    "vectors_option",
]

vectors_option: Decorator = option_in(
    "Records", "--vectors", metavar="FILE.npy", help="Vectors to use beside the words, one row per record."
)
vectors_only_option: Decorator = option_in(
    "Records", "--vectors-only", is_flag=True, help="Use the vectors instead of the words."
)


@dataclass(frozen=True)
class ReadingOptions:
    """The options as typed; None for those that are not given."""

    sources: tuple[str, ...] = ()
    text: str | None = None
    labels: str | None = None
    id: str | None = None
    title: str | None = None
    links: tuple[str, ...] = ()
    fields: str | None = None
    label_separator: str | None = None
    format: str | None = None
    query: str | None = None
    encoding: str | None = None
    max_problems: int = 100
    max_line_mb: int = 256
    limit_records: int | None = None
    dataset: str | None = None
    data_dir: str | None = None


_LINK: Decorator = option_in(
    "Columns",
    "--link",
    "links",
    multiple=True,
    metavar="[NAME=]COLUMN",
    help="Column with links to other things, such as authors; '' for none. May be repeated.",
)
_FIELDS: Decorator = option_in(
    "Columns", "--fields", metavar="COLUMNS", help="Other columns to keep; '' for none.  [default: all]"
)
_OPTIONS: tuple[Decorator, ...] = (
    click.argument("sources", nargs=-1, shell_complete=complete_files, metavar="[SOURCE]..."),
    option_in(
        "Records",
        "--format",
        type=click.Choice(FORMATS),
        metavar="NAME",
        help="Format of the files, if their names do not say it: " + ", ".join(FORMATS[:-1]) + f" or {FORMATS[-1]}.",
    ),
    option_in(
        "Records",
        "--query",
        metavar="TEXT",
        help="SELECT or table of an SQLite database, or sheet of a workbook, to read.",
    ),
    option_in("Records", "--encoding", metavar="NAME", help="Encoding of the files.  [default: utf-8]"),
    option_in(
        "Records",
        "--max-problems",
        type=int,
        default=100,
        show_default=True,
        metavar="NUMBER",
        help="Maximum number of unreadable lines and other problems.",
    ),
    option_in(
        "Records",
        "--max-line-mb",
        type=int,
        default=256,
        show_default=True,
        metavar="NUMBER",
        help="Maximum size of a line, or of a file with one text, in megabytes, unpacked.",
    ),
    option_in("Records", "--limit-records", type=int, metavar="NUMBER", help="Read at most NUMBER records."),
    option_in("Records", "--dataset", metavar="NAME", help="Read a public data set; 'tacit datasets' lists them."),
    option_in("Records", "--data-dir", metavar="FOLDER", help="Folder of the data sets.  [default: $TACIT_DATA]"),
    option_in("Columns", "--text", metavar="COLUMNS", help="Columns with the text: title,body.  [default: guessed]"),
    option_in("Columns", "--labels", metavar="COLUMNS", help="Columns with labels; '' for none.  [default: guessed]"),
    option_in("Columns", "--id", metavar="COLUMN", help="Column with the ids.  [default: guessed]"),
    option_in("Columns", "--title", metavar="COLUMN", help="Column with the titles; '' for none.  [default: guessed]"),
    _LINK,
    _FIELDS,
    option_in(
        "Columns",
        "--label-separator",
        metavar="TEXT",
        help="Separator between labels in one cell.  [default: guessed]",
    ),
)
reading_options: Decorator = partial(gather_options, options=_OPTIONS, kind=ReadingOptions, name="reading")
_OF_TEXTS = tuple(option for option in _OPTIONS if option not in (_LINK, _FIELDS))
text_reading_options: Decorator = partial(gather_options, options=_OF_TEXTS, kind=ReadingOptions, name="reading")


@dataclass
class OpenedRecords:
    """Records to read, and a report about them.

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
        """Number of problems so far."""
        return 0 if self._reading is None else len(self._reading.problems)

    def summary(self) -> str:
        """Return what was read, which columns were guessed, and the problems; call it after reading."""
        if self._reading is None:
            return f"Read from the data set {self.name!r}."
        from tacit.cli.common.messages import as_typed

        context = click.get_current_context(silent=True)
        lines = self._reading.summary().splitlines()
        if context is not None:
            lines = [as_typed(line, context.command) for line in lines]
        return "\n".join(map(filled, lines))

    def warn_of_problems(self) -> None:
        """Say in one line that there were problems, for --quiet: what was left out must not be missed."""
        if self._reading is not None and self.n_problems:
            write_note(f"problems in the records: {self._reading.problems.counted()}. Leave out --quiet to see them.")

    def to_facts(self) -> dict[str, Any]:
        """Return the same as plain data."""
        facts: dict[str, Any] = {**self.settings, "problems": {}, "examples": []}
        if self._reading is not None:
            problems = self._reading.problems
            facts |= {"records": self._reading.n_read, "problems": dict(problems.counts)}
            facts["examples"] = [str(example) for example in problems.examples]
        return facts


def open_records(
    reading: ReadingOptions,
    *,
    stored: Mapping[str, Any] | None = None,
    title_weight: int | None = None,
    progress: Callable[[int, float], None] | None = None,
) -> OpenedRecords:
    """Open the records; columns that are not given are those in `stored`, or else guessed."""
    if bool(reading.sources) == (reading.dataset is not None):
        both = bool(reading.sources)
        raise InputError(
            f"SOURCE is {'given with --dataset' if both else 'missing'}: got {'both' if both else 'neither'}, expected "
            "files or folders, or --dataset NAME."
        )
    if reading.dataset is not None:
        return _open_dataset(reading.dataset, reading)
    from tacit.corpus import read_records
    from tacit.corpus.plain_values import whole_text_of

    for source in reading.sources:
        if not Path(source).exists():
            from tacit.datasets.registry import dataset_names

            if source in dataset_names():
                raise InputError(
                    f"SOURCE does not exist: got {source!r}, which is the name of a data set. Use --dataset {source}."
                )
    stored = stored or {}
    columns = _columns(reading, stored.get("columns") or {}, title_weight)
    form, encoding = reading.format or stored.get("format"), reading.encoding or stored.get("encoding", "utf-8")
    try:
        found = read_records(
            reading.sources,
            columns,
            format=form,
            query=reading.query,
            encoding=encoding,
            max_problems=reading.max_problems,
            max_line_mb=reading.max_line_mb,
            limit=reading.limit_records,
            progress=progress,
        )
    except InputError as error:
        if "names a column" not in str(error) or not stored.get("columns"):
            raise
        context = click.get_current_context(silent=True)
        options = {name for param in (context.command.params if context else ()) for name in param.opts}
        step = "name others with --text, --labels ('' for none) and so on"
        if "--text" not in options:
            step = "give those of the file the same names"
        raise InputError(f"{error} These are the columns that the index was built from; {step}.") from error
    names = [whole_text_of(Path(source).name) for source in reading.sources]  # a name may be of any bytes
    settings = {"source": names, "columns": found.to_facts()["columns"], "format": form, "encoding": encoding}
    first = Path(reading.sources[0]).expanduser().absolute()
    name = first.name if first.is_dir() else Path(first.name.removesuffix(".gz")).stem
    return OpenedRecords(found, name or "index", settings, found)


def load_vectors(path: str | None) -> np.ndarray | None:
    """Read the array in a `.npy` file; None if no file is given."""
    if path is None:
        return None
    import numpy as np

    if (file := Path(path).expanduser()).exists() and not file.is_file():  # a pipe would be waited for
        raise InputError(
            f"--vectors is not a plain file: got {path!r}, which is {kind_of(file.stat().st_mode)}, expected a .npy "
            "file. Write it into a file first."
        )
    try:
        return np.asarray(np.load(Path(path).expanduser(), allow_pickle=False))
    except OSError as error:
        meant = did_you_mean_file(Path(path).expanduser(), "Check the name and its permissions.")
        said = error.strerror or str(error)
        raise InputError(
            f"--vectors cannot be read: got {said!r} for {path!r}, expected a .npy file.{meant}"
        ) from error
    except Exception as error:  # a damaged header raises many kinds of errors in NumPy
        raise InputError(
            f"--vectors is not an array of NumPy: got {path!r}, expected a .npy file of numbers, one row per record. "
            "Write it with numpy.save."
        ) from error


def _open_dataset(name: str, reading: ReadingOptions) -> OpenedRecords:
    """Open a data set, whose columns are known."""
    typed = [entry for entry in ("text", "labels", "id", "title", "links", "format") if getattr(reading, entry)]
    if typed:
        raise InputError(
            f"{typed[0]} is for files: got it with the data set {name!r}, whose columns are known, expected a file. "
            "Leave it out."
        )
    from tacit.datasets import read_dataset

    records = read_dataset(name, reading.data_dir)[: reading.limit_records]
    return OpenedRecords(records, name, {"dataset": name})


def _columns(reading: ReadingOptions, stored: Mapping[str, Any], title_weight: int | None) -> ColumnMap:
    from tacit.corpus import ColumnMap

    typed = ColumnMap.from_strings(
        text=reading.text,
        labels=reading.labels,
        id=reading.id,
        title=reading.title,
        links=",".join(reading.links) if reading.links else None,
        fields=reading.fields,
        label_separator=reading.label_separator,
    )
    given = [entry.name for entry in fields(typed) if getattr(reading, entry.name, None) not in (None, ())]
    columns = ColumnMap.of_facts({**stored, **{name: getattr(typed, name) for name in given}})
    return columns if title_weight is None else replace(columns, title_weight=title_weight)
