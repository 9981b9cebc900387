"""Flat vocabularies, of Annif and as tables, gzipped or not, and tables with other names."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from tacit.errors import InputError
from tacit.relations import Taxonomy
from tacit.relations.taxonomy.names import names_of, related_of


def written(path: Path, text: str) -> Path:
    if path.suffix == ".gz":
        path.write_bytes(gzip.compress(text.encode()))
    else:
        path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("name", ["v.tsv", "v.tsv.gz"])
def test_a_vocabulary_of_annif(tmp_path, name):
    text = '\ufeff<http://x.org/1>\t"Cats" and dogs\n\n<http://x.org/2>\tLaw\t340\n<http://x.org/2>\tJustice\n'
    vocabulary = Taxonomy.from_file(written(tmp_path / name, text))
    assert vocabulary.names == ("http://x.org/1", "http://x.org/2")
    assert vocabulary.is_flat
    assert vocabulary.title("http://x.org/1") == '"Cats" and dogs'
    assert [tuple(one) for one in names_of(vocabulary, "http://x.org/2")] == [
        ("Law", "preferred", ""),
        ("Justice", "other", ""),
        ("340", "notation", ""),
    ]


@pytest.mark.parametrize("name", ["v.csv", "v.csv.gz"])
def test_a_vocabulary_of_annif_in_several_languages(tmp_path, name):
    text = "uri,notation,label_en,label_fi\nhttp://x.org/1,636.8,Cats,Kissat\nhttp://x.org/2,,Law,\n"
    vocabulary = Taxonomy.from_file(written(tmp_path / name, text))
    assert vocabulary.is_flat
    assert vocabulary.languages == ("en", "fi")
    assert vocabulary.language == ""
    assert vocabulary.title("http://x.org/1", "fi") == "Kissat"
    assert vocabulary.notations == {"http://x.org/1": ("636.8",)}


def test_a_table_with_everything(tmp_path):
    header = "id,broader,title,altLabel_en,altLabel@fi,hiddenLabel,notation,related\n"
    text = header + "a,,Animals,,,,590,\nb,a,Cats,felines; kitties,kissa|mirri,catz,636.8,d;x\nd,a,Dogs,,,,,b\n"
    taxonomy = Taxonomy.from_table(written(tmp_path / "t.csv", text))
    assert taxonomy.parents("b") == ("a",)
    assert taxonomy.alternative_titles == {"b": {"en": ("felines", "kitties"), "fi": ("kissa", "mirri")}}
    assert taxonomy.hidden_titles == {"b": {"": ("catz",)}}
    assert taxonomy.notations == {"a": ("590",), "b": ("636.8",)}
    assert related_of(taxonomy, "b") == ("d",)  # x is not a node
    assert taxonomy.title("b") == "Cats"


@pytest.mark.parametrize(
    ("header", "flat"),
    [("id,name", True), ("code,label", True), ("uri,label_en", True), ("node,over", False), ("one,two", False)],
)
def test_a_table_without_parents_has_names_only(tmp_path, header, flat):
    taxonomy = Taxonomy.from_table(written(tmp_path / "t.csv", f"{header}\na,b\n"))
    assert taxonomy.is_flat is flat
    assert (taxonomy.title("a") == "b") is flat


def test_a_vocabulary_with_bare_uris(tmp_path):
    vocabulary = Taxonomy.from_file(written(tmp_path / "v.tsv", "http://x.org/1\tCats\nhttp://x.org/2\tLaw\n"))
    assert (vocabulary.is_flat, vocabulary.title("http://x.org/2")) == (True, "Law")


def test_a_file_that_cannot_be_read_is_named(tmp_path):
    for name, text, message in [
        ("v.csv", "node\n", "v.csv' has too few columns: got 'node', expected node and parent, or node and name"),
        ("v.ttl", "no turtle", "v.ttl' is damaged: got 'v.ttl'"),
    ]:
        with pytest.raises(InputError, match=f"^taxonomy '.*{message}"):
            Taxonomy.from_file(written(tmp_path / name, text))
    with pytest.raises(InputError, match=r"taxonomy has an unknown suffix: got '.*v.txt', expected .tsv, .* for SKOS"):
        Taxonomy.from_file(written(tmp_path / "v.txt", "cats\n"))


def test_lines_that_are_not_subjects(tmp_path):
    expected = r"v.tsv has a line that is not a subject: got 'Law' in line 2, expected a URI in angle brackets"
    with pytest.raises(InputError, match=expected):
        Taxonomy.from_file(written(tmp_path / "v.tsv", "<http://x.org/1>\tCats\nLaw\n"))


def test_a_damaged_archive_is_one_sentence(tmp_path):
    (tmp_path / "v.tsv.gz").write_bytes(gzip.compress(b"<http://x.org/1>\tCats\n" * 99)[:40])
    with pytest.raises(InputError, match=r"v.tsv.gz cannot be read: got .*, expected a table in UTF-8"):
        Taxonomy.from_file(tmp_path / "v.tsv.gz")
    (tmp_path / "v.ttl.gz").write_bytes(b"no archive")
    with pytest.raises(InputError, match=r"^taxonomy '.*v.ttl.gz' cannot be read: got"):
        Taxonomy.from_file(tmp_path / "v.ttl.gz")


def test_gzipped_skos(tmp_path):
    text = "@prefix skos: <http://www.w3.org/2004/02/skos/core#> . <http://x.org/a> a skos:Concept ."
    assert Taxonomy.from_file(written(tmp_path / "v.ttl.gz", text)).names == ("http://x.org/a",)
