"""A sample of arXiv: titles and abstracts of 40,799 papers with their categories."""

from __future__ import annotations

import csv
import hashlib
import lzma
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tacit.corpus.record import Record
from tacit.datasets.data_files import (
    Home,
    RemoteFile,
    TaxonomyTable,
    find_file,
    joined,
    parents_of,
    read_json_lines,
    read_table,
    write_json_lines,
    write_table,
)
from tacit.errors import InputError

__all__ = ["HOME", "arxiv_taxonomy", "load_arxiv"]


def load_arxiv(data_dir: str | Path | None = None) -> list[Record]:
    """Read a sample of 40,799 arXiv papers with titles, abstracts and categories.

    Some categories have two names that always occur together; one of them is kept: math-ph (not math.MP),
    cs.IT (not math.IT), stat.TH (not math.ST).

    Parameters
    ----------
    data_dir : path, optional
        Folder with a subfolder `arxiv`; the environment variable TACIT_DATA if not given.

    Returns
    -------
    list of Record
        `labels` are the categories; `text` is title and abstract; `fields` has `split` ("train" or "test"), `primary`
        (the first category) and `created`.
    """
    return [
        Record(
            id=paper["id"],
            text=joined(paper["title"], paper["abstract"]),
            labels=tuple(_KEPT_NAMES.get(category, category) for category in paper["categories"]),
            title=paper["title"],
            fields={
                "split": paper["split"],
                "primary": _KEPT_NAMES.get(paper["primary"], paper["primary"]),
                "created": paper["created"],
            },
        )
        for paper in read_json_lines(find_file(data_dir, "arxiv", "arxiv_sample.jsonl.gz"))
    ]


def arxiv_taxonomy(data_dir: str | Path | None) -> TaxonomyTable:
    """Read the categories with the archives and groups above them; see `load_taxonomy`."""
    rows = read_table(find_file(data_dir, "arxiv", "taxonomy.tsv"), ("node", "parent"))
    return TaxonomyTable({node: parents_of(parent) for node, parent in rows if node not in _KEPT_NAMES})


_KEPT_NAMES = {"math.MP": "math-ph", "math.IT": "cs.IT", "math.ST": "stat.TH"}


def _convert(downloads: Path, made: Path) -> None:
    """Write one paper in thirteen, chosen and assigned to the split by a hash of its number, in order of dates."""
    papers: dict[str, dict[str, Any]] = {}
    for path in sorted(downloads.glob("*.tsv.xz")):
        for row in _rows(path):
            number = int(hashlib.md5(row["arxiv_id"].encode(), usedforsecurity=False).hexdigest()[:8], 16)
            if number % 13 == 0:
                papers[row["arxiv_id"]] = {
                    "id": row["arxiv_id"],
                    "split": "test" if number % 5 == 0 else "train",
                    "title": row["title"],
                    "abstract": row["abstract"],
                    "categories": [category.strip() for category in row["categories"].split(",") if category.strip()],
                    "primary": row["primary_cat"],
                    "created": row["created"],
                }
    found = sorted(papers.values(), key=lambda paper: (paper["created"], paper["id"]))
    write_json_lines(made / "arxiv_sample.jsonl.gz", found)
    nodes: dict[str, str] = {}
    for category in sorted({category for paper in found for category in paper["categories"]}):
        _add_with_parents(category, nodes)
    write_table(made / "taxonomy.tsv", ("node", "parent"), sorted(nodes.items()))


def _rows(path: Path) -> Iterator[dict[str, str]]:
    csv.field_size_limit(min(sys.maxsize, 2**31 - 1))  # some abstracts are longer than the module expects
    try:
        with lzma.open(path, "rt", encoding="utf-8", newline="") as lines:
            for row in csv.DictReader(lines, delimiter="\t"):
                yield {name: " ".join((row[name] or "").split()) for name in _PAPER_COLUMNS}
    except (OSError, EOFError, KeyError, csv.Error, lzma.LZMAError, UnicodeError) as error:
        raise InputError(f"{path.name} has other content: got {error!r}, expected a packed table of papers.") from error


_PAPER_COLUMNS = ("arxiv_id", "title", "abstract", "categories", "primary_cat", "created")


def _add_with_parents(node: str, nodes: dict[str, str]) -> None:
    """Add a category, the archive above it, and for the archives of physics the group above these."""
    while node != "ROOT" and node not in nodes:
        archive, dot, _ = node.partition(".")
        nodes[node] = archive if dot else _ARCHIVES.get(node, "physics-group")
        node = nodes[node]


_ARCHIVES = dict.fromkeys(("cs", "econ", "eess", "math", "physics-group", "q-bio", "q-fin", "stat"), "ROOT")
_ARCHIVES |= dict.fromkeys(("alg-geom", "dg-ga", "funct-an", "q-alg"), "math") | {"cmp-lg": "cs"}


# the categories with small files; papers of the others are included where they are cross-listed
_CATEGORIES = """
acc-phys adap-org alg-geom ao-sci atom-ph bayes-an chao-dyn chem-ph cmp-lg comp-gas cond-mat.other cond-mat.quant-gas
cs.AR cs.CC cs.CE cs.CG cs.CR cs.CY cs.DB cs.DC cs.DL cs.DM cs.ET cs.FL cs.GL cs.GR cs.GT cs.HC cs.IR cs.LO cs.MA cs.MM
cs.MS cs.NA cs.NE cs.NI cs.OH cs.OS cs.PF cs.PL cs.RO cs.SC cs.SD cs.SE cs.SI cs.SY dg-ga econ.EM econ.GN econ.TH
eess.AS eess.IV eess.SP eess.SY funct-an math.AC math.AT math.CA math.CT math.CV math.FA math.GM math.GN math.GR math.GT
math.HO math.KT math.LO math.MG math.OA math.QA math.RA math.RT math.SG math.SP math.ST mtrl-th nlin.AO nlin.CD nlin.CG
nlin.PS nlin.SI patt-sol physics.acc-ph physics.ao-ph physics.app-ph physics.atm-clus physics.atom-ph physics.bio-ph
physics.chem-ph physics.class-ph physics.comp-ph physics.data-an physics.ed-ph physics.gen-ph physics.geo-ph
physics.hist-ph physics.med-ph physics.plasm-ph physics.pop-ph physics.space-ph plasm-ph q-alg q-bio.BM q-bio.CB
q-bio.GN q-bio.MN q-bio.NC q-bio.OT q-bio.PE q-bio.QM q-bio.SC q-bio.TO q-fin.CP q-fin.EC q-fin.GN q-fin.MF q-fin.PM
q-fin.PR q-fin.RM q-fin.ST q-fin.TR solv-int stat.AP stat.CO stat.ME stat.OT stat.TH supr-con
"""


_COMMIT = "f043eb1d71da6ed2fb9eac63ab8707359ff606ea"
_BASE = f"https://raw.githubusercontent.com/staeiou/arxiv_archive/{_COMMIT}/processed_data/20200101/per_category"
_SOURCES = tuple(RemoteFile(f"{_BASE}/{category}.tsv.xz", f"{category}.tsv.xz") for category in _CATEGORIES.split())
_FILES = ("arxiv_sample.jsonl.gz", "taxonomy.tsv")
HOME = Home("https://doi.org/10.5281/zenodo.1463242", "arxiv", _FILES, _SOURCES, 250, _convert)
