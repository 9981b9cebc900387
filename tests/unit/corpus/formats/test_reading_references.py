"""Lists of references: BibTeX, RIS and CSL-JSON."""

from __future__ import annotations

import json
import warnings

import pytest

from tacit.corpus import read_records
from tacit.corpus.formats.bibtex import _plain
from tacit.errors import TacitWarning

BIBTEX = r"""% a list
@string{sea = {Journal of the } # "Sea"}
@comment{ignored @article{no, title={no}} }
@article{lee99,
  author = {Lee, Ann and {The Whale Society} and M{\"u}ller, J{\o}rgen},
  title = "{Whales} and \emph{their} songs -- a study",
  journal = sea, year = 1999, month = mar,
  keywords = {sea, song, sea},
  abstract = {They sing \& swim at 5\% depth, with $x$.},
  file = {:a.pdf:PDF}
}
@book(ek01, editor = "Ek, Bo", title = {Cats}, date = {2001-05-03}, keywords = {pets; cats, wild})
@article{broken, title = {never closed
@misc{last, title = {Dogs}}
"""

RIS = """\ufeffTY  - JOUR
ID  - lee99
AU  - Lee, Ann
A1  - Ek, Bo
TI  - Whales and
  their songs
PY  - 1999/03/01
KW  - sea
KW  - cats, wild
AB  - They sing.
JO  - Sea
ZZ  - unknown
ER  -

stray line
TY  - BOOK
TI  - Cats
KW  - pets; home
"""

CSL = [
    {
        "id": "http://zotero.org/users/1/items/A", "type": "article-journal", "title": "Whales",
        "abstract": "They sing.", "author": [{"family": "Lee", "given": "Ann"}, {"literal": "The Whale Society"}],
        "keyword": "sea, song", "issued": {"date-parts": [[1999, 3]]}, "container-title": "Sea", "DOI": "10.1/x",
    },
    {"id": 7, "type": "book", "title": "Cats", "issued": {"raw": "May 2001"}},
]  # fmt: skip


def quietly(reading):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TacitWarning)
        return list(reading)


def test_bibtex(tmp_path):
    (tmp_path / "x.bib").write_text(BIBTEX, encoding="utf-8")
    reading = read_records(tmp_path / "x.bib")
    lee, ek, last = quietly(reading)
    assert (lee.id, lee.title) == ("lee99", "Whales and their songs – a study")
    assert lee.text == "Whales and their songs – a study\nThey sing & swim at 5% depth, with x."
    assert lee.labels == ("sea", "song")
    assert lee.links == {"author": ("Lee, Ann", "The Whale Society", "Müller, Jørgen")}
    assert lee.fields == {"type": "article", "year": "1999", "journal": "Journal of the Sea", "month": "March"}
    assert (ek.id, ek.labels, ek.links, ek.fields["year"]) == (
        "ek01",
        ("pets", "cats, wild"),
        {"author": ("Ek, Bo",)},
        "2001",
    )
    assert last.id == "last"
    (problem,) = reading.problems.examples
    assert (problem.kind, problem.line) == ("broken line", 13)
    assert "not an entry of BibTeX: a brace or quotation mark is not closed" in problem.sentence


@pytest.mark.parametrize(
    ("tex", "plain"),
    [
        (r"Erd{\H o}s", "Erdős"), (r"{\'E}cole d'\'et\'e", "École d'été"),
        (r"\v{S}koda and \c{c}a", "Škoda and ça"), (r"na\"{\i}ve", "naïve"), (r"Stra{\ss}e~5", "Straße 5"),
        (r"{\AA}ngstr\"om \& Co. --- x", "Ångström & Co. — x"), (r"a \{set\}", "a {set}"),
        ("two\n  lines", "two lines"),
    ],
)  # fmt: skip
def test_accents_of_tex(tex, plain):
    assert _plain(tex) == plain


def test_ris(tmp_path):
    (tmp_path / "x.ris").write_text(RIS, encoding="utf-8")
    reading = read_records(tmp_path / "x.ris")
    lee, cats = quietly(reading)
    assert (lee.id, lee.text, lee.labels) == ("lee99", "Whales and their songs\nThey sing.", ("sea", "cats, wild"))
    assert (lee.links, lee.fields) == (
        {"author": ("Lee, Ann", "Ek, Bo")},
        {"type": "JOUR", "year": "1999", "journal": "Sea"},
    )
    assert (cats.id, cats.labels) == ("x.ris:16", ("pets", "home"))
    assert [(p.kind, p.line) for p in reading.problems.examples] == [
        ("broken line", 15), ("broken line", 16), ("no id", 16)
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["x.json", "x.jsonl"])
def test_csl_json_is_recognised(tmp_path, name):
    text = json.dumps(CSL) if name == "x.json" else "".join(json.dumps(item) + "\n" for item in CSL)
    (tmp_path / name).write_text(text)
    lee, cats = read_records(tmp_path / name, max_problems=0)
    assert (lee.id, lee.text, lee.labels) == (
        "A",
        "Whales\nThey sing.",
        ("sea", "song"),
    )
    assert lee.links == {"author": ("Lee, Ann", "The Whale Society")}
    assert lee.fields == {"year": "1999", "journal": "Sea", "doi": "10.1/x", "type": "article-journal"}
    assert (cats.id, cats.fields) == ("7", {"year": "2001", "type": "book"})


def test_other_json_with_types_is_not_taken_for_references(tmp_path):
    (tmp_path / "x.jsonl").write_text('{"id": "a", "type": "note", "text": "t", "author": "Ann", "issued": "1999"}\n')
    (record,) = read_records(tmp_path / "x.jsonl")
    assert record.fields == {"type": "note", "author": "Ann", "issued": "1999"}


def test_a_table_of_zotero_has_keys_and_authors(tmp_path):
    rows = '"ABC","book","Lee, Ann; Ek, Bo","Whales","They sing.","sea; song"\n"DEF","book","","Ships","Sails.","sea"\n'
    header = '\ufeff"Key","Item Type","Author","Title","Abstract Note","Manual Tags"\n'
    (tmp_path / "z.csv").write_text(header + rows, encoding="utf-8")
    whales, _ = read_records(tmp_path / "z.csv")
    assert (whales.id, whales.labels) == ("ABC", ("sea", "song"))
    assert whales.links == {"author": ("Lee, Ann", "Ek, Bo")}


def test_a_date_of_a_year_only_has_no_empty_parts(tmp_path):
    (tmp_path / "x.ris").write_text("TY  - BOOK\nTI  - Whales\nDA  - 1998///\nPY  - 1998///\nER  - \n")
    (record,) = read_records(tmp_path / "x.ris")
    assert (record.fields["date"], record.fields["year"]) == ("1998", "1998")
