"""Every reader gets files that were changed at random: records, problems or one sentence come out, in bounded time.

The corpus is written here, a few small files per format; nothing is copied from elsewhere.
"""

from __future__ import annotations

import importlib.util
import io
import itertools
import json
import random
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from judging import SURVIVED, Outcome, is_sentence, refused
from mutations import mutated

from tacit.errors import TacitError

__all__ = ["FuzzedReaders", "corpus"]

_TEXT = "Whales sing at sea; cats, as \u201ckind\u201d as ever, sleep at home."


class FuzzedReaders:
    """The part of the suite; an item is a number, which decides on the file, the changes and the reader."""

    seconds, batch, in_process = 10.0, 1_000, False

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def cannot_run(self) -> str:
        """Return why not, or ""."""
        missing = [name for name in ("openpyxl", "pyarrow", "pymarc", "pypdf", "rdflib") if not _has(name)]
        return f"{', '.join(missing)} is not installed" if missing else ""

    def prepare(self) -> None:
        """Write the corpus, and read it once without changes."""
        self._kinds = corpus()
        for kind, contents in self._kinds.items():
            for content in contents:
                for read in _READERS.get(kind, (_read_records,)):
                    read(self._written(kind, content))
        # what takes longer to read is tried less often
        self._turns = [kind for kind in self._kinds for _ in range(1 if kind in _SLOW else 4)]

    def items(self) -> range:
        """Return the numbers of cases: as many as anyone wants."""
        return range(10_000_000)

    def named(self, item: int) -> str:
        """Return the name of a case."""
        return f"input {item}: {self._turns[random.Random(f'reader {item}').randrange(len(self._turns))]}"

    def judge(self, item: int) -> Outcome:
        """Change a file and read it."""
        chance = random.Random(f"reader {item}")
        kind = self._turns[chance.randrange(len(self._turns))]
        contents = self._kinds[kind]
        path = self._written(kind, mutated(chance.choice(contents), contents, chance))
        read = chance.choice(_READERS.get(kind, (_read_records,)))
        try:
            read(path)
        except TacitError as error:
            return refused(error)
        return SURVIVED

    def _written(self, kind: str, content: bytes) -> Path:
        path = self._folder / f"x.{kind}"
        path.write_bytes(content)
        return path


def _has(library: str) -> bool:
    return importlib.util.find_spec(library) is not None


def _read_records(path: Path) -> None:
    """Read all records, as a build does, and what the summary says."""
    from tacit.corpus import read_records

    reading = read_records(path, encoding="utf-8")
    for record in itertools.islice(reading, 5_000):
        record.text.encode()
        json.dumps(
            [record.id, record.title, record.labels, dict(record.links), record.fields], allow_nan=False
        ).encode()
    for line in reading.summary().splitlines():
        if not is_sentence(line):
            raise AssertionError(f"a bad line in the summary: {line[:300]!r}")


def _read_taxonomy(path: Path) -> None:
    from tacit.relations.taxonomy.taxonomy import Taxonomy

    taxonomy = Taxonomy.from_file(path)
    assert len(taxonomy.names) > 0


def _read_vectors(path: Path) -> None:
    from tacit.cli.common.reading_options import load_vectors
    from tacit.tasks.build.vectors import read_vectors

    vectors = load_vectors(str(path))
    if vectors is not None and vectors.size < 1_000_000:
        read_vectors(vectors)


def _read_arrays(path: Path) -> None:
    from tacit.datasets.vectors import read_arrays

    read_arrays(path)


def _read_array(path: Path) -> None:
    from tacit.index.folder.arrays import map_array

    np.asarray(map_array(path)).sum()


_SLOW = ("xlsx", "pdf", "ttl", "rdf", "parquet")
_READERS: dict[str, tuple[Callable[[Path], None], ...]] = {
    **dict.fromkeys(("ttl", "rdf", "nt", "jsonld", "tax.csv", "tax.tsv"), (_read_taxonomy,)),
    "npy": (_read_vectors, _read_array),
    "npz": (_read_arrays,),
}


def corpus() -> dict[str, list[bytes]]:
    """Return small files by their suffix."""
    return {name: [one if isinstance(one, bytes) else one.encode() for one in made] for name, made in _corpus()}


def _corpus() -> Iterator[tuple[str, list[Any]]]:
    yield (
        "csv",
        [
            f'id,title,text,labels\n1,Whales,"{_TEXT}",sea;song\n2,"A ""cat""","two\nlines",home\n',
            "id;text\n1;whales\n",
        ],
    )
    yield (
        "tsv",
        [
            "id\ttext\tsubjects\n1\twhales\t<http://x/1>\n2\tcats\t<http://x/2> <http://x/1>\n",
            "whales at sea\t<http://x/1>\n",
        ],
    )
    rows: list[Any] = [
        {"id": n, "text": _TEXT, "labels": ["sea"], "year": 1990 + n, "more": {"a": [1.5]}} for n in range(3)
    ]
    yield "jsonl", ["".join(json.dumps(row) + "\n" for row in rows)]
    csl = {
        "id": "x",
        "type": "book",
        "title": "Cats",
        "author": [{"family": "Lee"}],
        "issued": {"date-parts": [[1999, 3]]},
    }
    yield "json", [json.dumps(rows, indent=1), json.dumps([csl])]
    yield "mrc", [b"".join(_marc(n) for n in range(3))]
    yield "xml", [_MARCXML, _DUBLIN_CORE]
    yield "bib", [_BIBTEX]
    yield (
        "ris",
        [
            "TY  - JOUR\nID  - a\nAU  - Lee, Ann\nTI  - Whales\nPY  - 1999/03/01\nKW  - sea\nAB  - They sing.\nER  - \n"
            * 2
        ],
    )
    yield "html", [_HTML]
    yield (
        "md",
        [
            f"---\ntitle: Whales\ntags: [sea, song]\ndate: 2001-02-03\n---\n# A head\n\n{_TEXT} [a](b) `c`\n",
            "+++\na = 1\n+++\nx",
        ],
    )
    yield "txt", [_TEXT]
    yield "xlsx", [_excel()]
    yield "parquet", [_parquet()]
    yield "pdf", [_pdf()]
    yield "ttl", [_TURTLE]
    yield "rdf", [_RDF]
    yield "nt", [_TRIPLES]
    yield "jsonld", [json.dumps(_LINKED)]
    yield (
        "tax.csv",
        ["id,parent,title\nsea,,The sea\nwhale,sea,Whales\n", "uri,label_en,notation\n<http://x/1>,sea,1.2\n"],
    )
    yield "tax.tsv", ["<http://x/1>\tsea\n<http://x/2>\tcats\n"]
    yield "npy", [_array(np.arange(12.0).reshape(4, 3)), _array(np.ones((2, 2), np.int16))]
    yield "npz", [_arrays()]


def _marc(number: int) -> bytes:
    """Return a record as ISO 2709 has it: a leader, a directory of fields, and the fields."""
    fields = [
        ("001", f"{number}"),
        ("245", "10\x1faWhales :\x1fbtheir songs"),
        ("520", f"  \x1fa{_TEXT}"),
        ("650", " 0\x1faWhales\x1fxBehavior"),
    ]
    directory, data = b"", b""
    for tag, content in fields:
        body = content.encode() + b"\x1e"
        directory += f"{tag}{len(body):04d}{len(data):05d}".encode()
        data += body
    base = 24 + len(directory) + 1
    length = base + len(data) + 1
    return f"{length:05d}nam a22{base:05d} a 4500".encode() + directory + b"\x1e" + data + b"\x1d"


_MARCXML = f"""<?xml version="1.0" encoding="UTF-8"?>
<collection xmlns="http://www.loc.gov/MARC21/slim"><record><leader>00000nam a2200000 a 4500</leader>
<controlfield tag="001">991</controlfield>
<datafield tag="245" ind1="1" ind2="0"><subfield code="a">Whales</subfield></datafield>
<datafield tag="520" ind1=" " ind2=" "><subfield code="a">{_TEXT}</subfield></datafield>
<datafield tag="650" ind1=" " ind2="0"><subfield code="a">Whales</subfield></datafield></record></collection>
"""
_DUBLIN_CORE = """<metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><record><dc:identifier>x1</dc:identifier>
<dc:title>Whales</dc:title><dc:subject>sea</dc:subject><dc:description>They <i>sing</i>.</dc:description>
</record></metadata>
"""
_BIBTEX = r"""@string{sea = {Journal of the } # "Sea"}
@article{lee99, author = {Lee, Ann and M{\"u}ller, J{\o}rgen}, title = "{Whales} and \emph{songs}", journal = sea,
  year = 1999, keywords = {sea, song}, abstract = {They sing \& swim at 5\% depth, with $x$.}}
@book(ek01, title = {Cats}, date = {2001-05-03})
"""
_HTML = f"""<!DOCTYPE html><html lang="en"><head><title>Whales &amp; cats</title>
<meta name="keywords" content="sea, song">
<script>var x = "<p>";</script></head><body><h1>Head</h1><p>{_TEXT}<br>more
<table><tr><td>1</table><!-- no --></body></html>
"""
_TURTLE = """@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
<http://x/1> a skos:Concept ; skos:prefLabel "sea"@en, "Meer"@de ; skos:altLabel "ocean"@en ; skos:notation "1.2" .
<http://x/2> a skos:Concept ; skos:prefLabel "whale"@en ; skos:broader <http://x/1> ; skos:related <http://x/3> .
"""
_TRIPLES = """<http://x/1> <http://www.w3.org/2004/02/skos/core#prefLabel> "sea"@en .
<http://x/1> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://www.w3.org/2004/02/skos/core#Concept> .
<http://x/2> <http://www.w3.org/2004/02/skos/core#broader> <http://x/1> .
"""
_LINKED = {
    "@context": {"skos": "http://www.w3.org/2004/02/skos/core#"}, "@id": "http://x/1", "@type": "skos:Concept",
    "skos:prefLabel": {"@language": "en", "@value": "sea"}, "skos:broader": {"@id": "http://x/2"},
}  # fmt: skip
_RDF = """<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:skos="http://www.w3.org/2004/02/skos/core#">
<skos:Concept rdf:about="http://x/1"><skos:prefLabel xml:lang="en">sea</skos:prefLabel></skos:Concept>
<skos:Concept rdf:about="http://x/2"><skos:broader rdf:resource="http://x/1"/></skos:Concept></rdf:RDF>
"""


def _excel() -> bytes:
    """Return a workbook without compression, so that changes reach its cells."""
    import openpyxl

    book = openpyxl.Workbook()
    for row in (["id", "text", "labels", "year"], [1, _TEXT, "sea", 1999], [2, "cats", "home", 2.5]):
        book.active.append(row)
    packed = io.BytesIO()
    book.save(packed)
    plain = io.BytesIO()
    with zipfile.ZipFile(packed) as before, zipfile.ZipFile(plain, "w", zipfile.ZIP_STORED) as after:
        for name in before.namelist():
            after.writestr(name, before.read(name))
    return plain.getvalue()


def _parquet() -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.table(
        {"id": ["a", "b"], "text": [_TEXT, "cats"], "labels": [["sea"], []], "year": [1, 2], "x": [0.5, None]}
    )
    written = io.BytesIO()
    pq.write_table(table, written, compression="none")
    return written.getvalue()


def _pdf() -> bytes:
    page = f"BT /F1 12 Tf 10 20 Td ({_TEXT.encode('ascii', 'replace').decode()}) Tj ET"
    objects = [
        "<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>",
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
        f"<</Length {len(page)}>>stream\n{page}\nendstream", "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
        "<</Title(Whales)/Keywords(sea, song)>>",
    ]  # fmt: skip
    data, places = "%PDF-1.4\n", []
    for number, content in enumerate(objects, 1):
        places.append(len(data))
        data += f"{number} 0 obj{content}endobj\n"
    table = "".join(f"{place:010d} 00000 n \n" for place in places)
    end = f"trailer<</Root 1 0 R/Info 6 0 R/Size 7>>\nstartxref\n{len(data)}\n%%EOF\n"
    return f"{data}xref\n0 7\n0000000000 65535 f \n{table}{end}".encode()


def _array(values: np.ndarray) -> bytes:
    written = io.BytesIO()
    np.save(written, values)
    return written.getvalue()


def _arrays() -> bytes:
    written = io.BytesIO()
    np.savez(written, a=np.arange(5), b=np.eye(2), names=np.array(["x", "y"]))
    return written.getvalue()
