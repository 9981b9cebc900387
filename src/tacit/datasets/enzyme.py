"""The ENZYME database: short texts on enzymes, labelled by their EC numbers.

The first three numbers of an EC number are classes within classes: 1 are the oxidoreductases, 1.1 those that act on
CH-OH groups, 1.1.1 those of them with NAD or NADP as acceptor. The fourth number is the enzyme itself.
"""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Iterator
from pathlib import Path

from tacit.corpus.record import Record
from tacit.datasets.data_files import Home, RemoteFile, TaxonomyTable, find_file
from tacit.errors import InputError

__all__ = ["HOME", "enzyme_taxonomy", "load_enzyme"]

Entry = dict[str, list[str]]


def load_enzyme(data_dir: str | Path | None = None, *, oxidoreductases: bool = False) -> list[Record]:
    """Read the enzymes of release 27.0 of the ENZYME database; deleted and transferred entries are left out.

    Parameters
    ----------
    data_dir : path, optional
        Folder with a subfolder `enzyme`; the environment variable TACIT_DATA if not given.
    oxidoreductases : bool, default False
        Read the oxidoreductases only, whose EC numbers start with 1.

    Returns
    -------
    list of Record
        `id` is the EC number; `labels` has one class, the first three numbers; `text` is names, reaction, cofactors
        and comments; `title` is the name; `fields` has `accessions`, the proteins of Swiss-Prot that are this enzyme.
    """
    entries = _entries(find_file(data_dir, "enzyme", "enzyme.dat.gz"))
    gone = ("Deleted entry", "Transferred entry")
    records = (_record(entry) for entry in entries if not entry.get("DE", [""])[0].startswith(gone))
    return [record for record in records if not oxidoreductases or record.id.startswith("1.")]


def enzyme_taxonomy(data_dir: str | Path | None) -> TaxonomyTable:
    """Return the first, the first two and the first three numbers as nodes; see `load_taxonomy`."""
    parents: dict[str, tuple[str, ...]] = {}
    for record in load_enzyme(data_dir):
        steps = record.labels[0].split(".")
        above: tuple[str, ...] = ()
        for end in range(1, len(steps) + 1):
            node = ".".join(steps[:end])
            parents[node] = above
            above = (node,)
    return TaxonomyTable(parents)


def _entries(path: Path) -> Iterator[Entry]:
    """Yield the lines of each entry by their two-letter code; the entry without an ID is the head of the file."""
    entry: Entry = {}
    try:
        with gzip.open(path, "rt", encoding="latin-1") as lines:
            for line in lines:
                if not line.startswith("//"):
                    entry.setdefault(line[:2], []).append(line[5:].strip())
                    continue
                if "ID" in entry:
                    yield entry
                entry = {}
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(
            f"{path} is damaged: got {error}, expected a gzipped ENZYME file. Copy the file again."
        ) from error


def _record(entry: Entry) -> Record:
    number = entry["ID"][0]
    parts = [_text_of(entry, code) for code in ("DE", "AN", "CA", "CF", "CC")]
    return Record(
        id=number,
        text="\n".join(part for part in parts if part),
        # '1.1.-.-' is '1.1', since '-' means that the class is not decided
        labels=(".".join(step for step in number.split(".")[:3] if step != "-"),),
        title=parts[0].removesuffix("."),
        fields={"accessions": tuple(re.findall(r"(\w+),\s*\w+\s*;", _text_of(entry, "DR")))},
    )


def _text_of(entry: Entry, code: str) -> str:
    """Return the lines of one code as one text; names broken at a hyphen are put together."""
    text = "\n".join(line.removeprefix("-!- ") for line in entry.get(code, []))
    # '9-, 11-' and then 'and 15-hydroxy' on the next line are words of their own
    return re.sub(r"(?<=\S)-\n(?!(?:and|or|to)\b)", "-", text).replace("\n", " ")


def _convert(downloads: Path, made: Path) -> None:
    """Compress the file and keep its content as it is, as its terms require."""
    content = (downloads / "enzyme.dat").read_bytes()
    if not content.startswith(b"CC   ") or b"\nID   1.1.1.1\n" not in content:
        raise InputError("enzyme.dat has other content: got no entry 1.1.1.1, expected the ENZYME database.")
    (made / "enzyme.dat.gz").write_bytes(gzip.compress(content, mtime=0))


# the Institute offers its current release only; this is a copy of the release that the figures are about
_COPY = "https://raw.githubusercontent.com/blancosilva/enzyme/aaef5199615742ea7f10c03766b486e7e45ca24c/enzyme.dat"
_SOURCES = (RemoteFile(_COPY, "enzyme.dat"),)
HOME = Home("https://enzyme.expasy.org/", "enzyme", ("enzyme.dat.gz",), _SOURCES, 4, _convert)
