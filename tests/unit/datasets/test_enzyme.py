"""Enzymes are read from the flat file, without those that are gone."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from tacit.datasets import load_enzyme
from tacit.errors import InputError

FILE = """\
CC   The head of the file.
//
ID   1.1.1.1
DE   Alcohol dehydrogenase.
AN   Aldehyde reductase.
CA   An alcohol + NAD(+) = a 3-hydroxy-
CA   ketone + NADH.
CF   Zinc or Iron.
CC   -!- Acts on 9-, 11-
CC       and 15-hydroxyprostaglandin.
CC   -!- A second remark.
PR   PROSITE; PDOC00058;
DR   P80222, ADH1_ALLMI;  P12886, ADH1_PEA  ;
DR   P49645, ADH1_APTAU;
//
ID   1.1.1.5
DE   Transferred entry: 1.1.1.303 and 1.1.1.304.
//
ID   1.1.1.74
DE   Deleted entry.
//
ID   2.7.-.-
DE   Some kinase.
//
"""


def write_file(folder: Path, content: bytes) -> Path:
    (folder / "enzyme").mkdir()
    (folder / "enzyme" / "enzyme.dat.gz").write_bytes(content)
    return folder


def test_entries_become_records(tmp_path: Path) -> None:
    alcohol, kinase = load_enzyme(write_file(tmp_path, gzip.compress(FILE.encode())))
    assert (alcohol.id, alcohol.labels, alcohol.title) == ("1.1.1.1", ("1.1.1",), "Alcohol dehydrogenase")
    assert alcohol.text.split("\n") == [
        "Alcohol dehydrogenase.",
        "Aldehyde reductase.",
        "An alcohol + NAD(+) = a 3-hydroxy-ketone + NADH.",
        "Zinc or Iron.",
        "Acts on 9-, 11- and 15-hydroxyprostaglandin. A second remark.",
    ]
    assert alcohol.fields == {"accessions": ("P80222", "P12886", "P49645")}
    assert (kinase.labels, kinase.text, kinase.fields) == (("2.7",), "Some kinase.", {"accessions": ()})


def test_oxidoreductases_only(tmp_path: Path) -> None:
    (only,) = load_enzyme(write_file(tmp_path, gzip.compress(FILE.encode())), oxidoreductases=True)
    assert only.id == "1.1.1.1"


def test_a_damaged_file_says_so(tmp_path: Path) -> None:
    folder = write_file(tmp_path, gzip.compress(FILE.encode())[:-20])
    with pytest.raises(InputError, match=r"enzyme.dat.gz is damaged: got .*, expected a gzipped ENZYME file"):
        load_enzyme(folder)


@pytest.mark.realdata
def test_the_real_file(data_dir: Path) -> None:
    records = load_enzyme(data_dir)
    assert len(records) == 3870 - 98 - 231
    assert all(record.text and record.title for record in records)
    assert sum(len(record.fields["accessions"]) for record in records) == 28650  # the semicolons in the DR lines
    assert {record.id for record in load_enzyme(data_dir, oxidoreductases=True)} == {
        record.id for record in records if record.id.split(".")[0] == "1"
    }
