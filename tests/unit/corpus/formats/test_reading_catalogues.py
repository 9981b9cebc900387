"""Catalogues: MARC in both forms, Dublin Core, and answers of OAI-PMH services."""

from __future__ import annotations

import gzip
import warnings

import pytest

from tacit.corpus import ColumnMap, read_records
from tacit.errors import InputError, TacitWarning

pymarc = pytest.importorskip("pymarc", reason="pymarc is an extra")

MARCXML = """<?xml version="1.0" encoding="UTF-8"?>
<collection xmlns="http://www.loc.gov/MARC21/slim">
  <record>
    <leader>00000nam a2200000 a 4500</leader>
    <controlfield tag="001"> 991 </controlfield>
    <controlfield tag="008">010203s1999    xxu           000 0 eng d</controlfield>
    <datafield tag="082" ind1="0" ind2="4"><subfield code="a">599.5/1</subfield></datafield>
    <datafield tag="100" ind1="1" ind2=" "><subfield code="a">Melville, H.,</subfield></datafield>
    <datafield tag="245" ind1="1" ind2="0"><subfield code="a">Whales :</subfield><subfield code="b">their
      songs /</subfield><subfield code="c">H. Melville</subfield></datafield>
    <datafield tag="264" ind1=" " ind2="1"><subfield code="b">Sea Press,</subfield>
      <subfield code="c">c2001.</subfield></datafield>
    <datafield tag="520" ind1=" " ind2=" "><subfield code="a">How whales sing at sea.</subfield></datafield>
    <datafield tag="650" ind1=" " ind2="0"><subfield code="a">Whales</subfield>
      <subfield code="x">Behavior.</subfield>
      <subfield code="0">http://id.loc.gov/authorities/subjects/sh85146255</subfield></datafield>
    <datafield tag="650" ind1=" " ind2="7"><subfield code="a">Wale</subfield>
      <subfield code="0">(DE-588)4064437-3</subfield><subfield code="2">gnd</subfield></datafield>
    <datafield tag="651" ind1=" " ind2="0"><subfield code="a">Atlantic Ocean.</subfield>
      <subfield code="0">(XX)77</subfield></datafield>
    <datafield tag="653" ind1=" " ind2=" "><subfield code="a">sea</subfield>
      <subfield code="a">song</subfield></datafield>
    <datafield tag="700" ind1="1" ind2=" "><subfield code="a">Lee, Ann.</subfield></datafield>
    <datafield tag="700" ind1="1" ind2=" "><subfield code="a">Ek, Bo.</subfield>
      <subfield code="t">Ships.</subfield></datafield>
  </record>
  <record>
    <controlfield tag="001">992</controlfield>
    <datafield tag="245" ind1="1" ind2="0"><subfield code="a">Cats</subfield></datafield>
  </record>
</collection>
"""

OAI = """<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><ListRecords>
<record><header><identifier>oai:x:1</identifier></header><metadata>
  <oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" xmlns:dc="http://purl.org/dc/elements/1.1/">
    <dc:title>Whales</dc:title><dc:title>Wale</dc:title><dc:creator>Lee, Ann</dc:creator>
      <dc:subject>sea; song</dc:subject>
    <dc:subject>whales</dc:subject><dc:description>They <i>sing</i>.</dc:description><dc:date>1999</dc:date>
    <dc:identifier>http://x/1</dc:identifier><dc:identifier>urn:1</dc:identifier>
  </oai_dc:dc></metadata></record>
<record><header status="deleted"><identifier>oai:x:2</identifier></header></record>
<record><header><identifier>oai:x:3</identifier></header><metadata><other>no</other></metadata></record>
<resumptionToken>more</resumptionToken></ListRecords></OAI-PMH>
"""

RDF = """<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:dcterms="http://purl.org/dc/terms/">
<rdf:Description rdf:about="http://x/9"><dcterms:title>Cats</dcterms:title>
<dcterms:abstract>They purr.</dcterms:abstract>
<dcterms:subject rdf:resource="http://s/1"/></rdf:Description></rdf:RDF>
"""


def quietly(reading):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TacitWarning)
        return list(reading)


def check_whales(record):
    assert (record.id, record.title) == ("991", "Whales: their songs")
    assert "How whales sing at sea." in record.text
    assert record.labels == (
        "http://id.loc.gov/authorities/subjects/sh85146255", "https://d-nb.info/gnd/4064437-3", "Atlantic Ocean", "sea",
        "song",
    )  # fmt: skip
    assert record.fields["label_titles"] == {record.labels[0]: "Whales -- Behavior", record.labels[1]: "Wale"}
    assert record.links == {"author": ("Melville, H.", "Lee, Ann")}
    known = {name: record.fields[name] for name in ("dewey", "year", "language", "publisher")}
    assert known == {"dewey": ["599.51"], "year": "2001", "language": "eng", "publisher": "Sea Press"}


@pytest.mark.parametrize("packed", [False, True])
def test_marcxml(tmp_path, packed):
    data = MARCXML.encode()
    path = tmp_path / ("x.xml.gz" if packed else "x.xml")
    path.write_bytes(gzip.compress(data) if packed else data)
    reading = read_records(path, max_problems=0)
    whales, cats = reading
    check_whales(whales)
    assert (cats.id, cats.text, cats.labels, cats.links) == ("992", "Cats", (), {"author": ()})
    assert "links from author" in reading.summary()
    assert next(iter(read_records(path, ColumnMap(links=())))).links == {}
    assert next(iter(read_records(path, ColumnMap(labels="dewey")))).labels == ("599.51",)


def test_binary_marc_is_the_same_and_broken_records_are_counted(tmp_path):
    (tmp_path / "x.xml").write_text(MARCXML)
    first, second = (record.as_marc() for record in pymarc.parse_xml_to_array(str(tmp_path / "x.xml")))
    (tmp_path / "x.mrc").write_bytes(first + second)
    whales, cats = read_records(tmp_path / "x.mrc", max_problems=0)
    check_whales(whales)
    assert cats.id == "992"
    broken = second[:12] + b"xxxxx" + second[17:]
    (tmp_path / "x.mrc").write_bytes(broken + first + second[:20])
    reading = read_records(tmp_path / "x.mrc")
    assert [record.id for record in quietly(reading)] == ["991"]
    assert [(p.kind, p.line) for p in reading.problems.examples] == [("broken line", 1), ("broken line", 3)]


def test_a_length_that_cannot_be_ends_a_binary_file(tmp_path, caplog):
    (tmp_path / "x.xml").write_text(MARCXML)
    first, _ = (record.as_marc() for record in pymarc.parse_xml_to_array(str(tmp_path / "x.xml")))
    (tmp_path / "x.mrc").write_bytes(first + b"00003" + first)
    reading = read_records(tmp_path / "x.mrc")
    assert [record.id for record in quietly(reading)] == ["991"]
    assert "What follows is lost." in reading.problems.examples[0].sentence
    assert not caplog.records


def test_oai_pmh_with_dublin_core(tmp_path):
    (tmp_path / "x.xml").write_text(OAI)
    reading = read_records(tmp_path / "x.xml")
    (whales,) = quietly(reading)
    assert (whales.id, whales.title, whales.text) == ("oai:x:1", "Whales", "Whales\nThey sing.")
    assert whales.labels == ("sea", "song", "whales")
    assert whales.links == {"author": ("Lee, Ann",)}
    assert whales.fields == {"date": "1999", "identifier": ["http://x/1", "urn:1"], "other_titles": ["Wale"]}
    assert [str(p) for p in reading.problems.examples] == [
        "x.xml, line 10: a record of neither MARC nor Dublin Core: left out."
    ]


def test_marc_inside_oai_and_dublin_core_in_rdf(tmp_path):
    inner = MARCXML.partition("?>")[2].replace("<collection", "<metadata").replace("</collection>", "</metadata>")
    one = inner[: inner.index("</record>")] + "</record></metadata>"
    head = "<OAI-PMH><ListRecords><record><header><identifier>o</identifier></header>"
    (tmp_path / "x.xml").write_text(f"{head}{one}</record></ListRecords></OAI-PMH>")
    (whales,) = read_records(tmp_path / "x.xml", max_problems=0)
    check_whales(whales)
    (tmp_path / "y.xml").write_text(RDF)
    (cats,) = read_records(tmp_path / "y.xml", max_problems=0)
    assert (cats.id, cats.text, cats.labels) == ("http://x/9", "Cats\nThey purr.", ("http://s/1",))


def test_xml_that_breaks_off_keeps_what_came_before(tmp_path):
    (tmp_path / "x.xml").write_text(MARCXML[: MARCXML.rindex("<record>") + 60])
    reading = read_records(tmp_path / "x.xml")
    assert [record.id for record in quietly(reading)] == ["991"]
    assert [p.kind for p in reading.problems.examples] == ["broken line"]
    (tmp_path / "x.xml").write_text(MARCXML.replace("UTF-8", "UTF-88"))
    with pytest.raises(InputError, match=r"not XML: unknown encoding"):
        read_records(tmp_path / "x.xml")
    (tmp_path / "x.xml").write_text("no xml")
    with pytest.raises(InputError, match=r"path holds no records: .* The first problem is in x.xml, line 1: not XML"):
        read_records(tmp_path / "x.xml")


def test_a_document_type_is_refused(tmp_path):
    bomb = '<!DOCTYPE a [<!ENTITY b "bbbb"><!ENTITY c "&b;&b;">]>'
    (tmp_path / "x.xml").write_text(bomb + MARCXML.partition("?>")[2])
    with pytest.raises(InputError, match=r"path has a document type: got <!DOCTYPE in x.xml"):
        read_records(tmp_path / "x.xml")
