"""What people type: operators, titles and ids, misspelt words, odd signs; and values of filters in another case."""

from __future__ import annotations

import sys
import time

import numpy as np
import pytest

import tacit
from tacit import InputError
from tacit.corpus.record import Record
from tacit.index import Filters
from tacit.tasks.build.settings import BuildSettings
from tacit.tasks.search import forms, spelling
from tacit.tasks.search.conditions import read_conditions
from tacit.tasks.search.forms import other_forms
from tacit.tasks.search.ranking import rank_records
from tacit.tasks.search.spelling import KnownWords
from tacit.tasks.search.typed import Query, read_query
from tacit.text import TextSettings, analysis

BOOKS = [
    ("gimp", "GIMP", "An editor for pictures and photographs, with layers."),
    ("inkscape", "Inkscape", "Draw vector pictures; exchange them with gimp, gimp plugins and the gimp toolbox."),
    ("writer", "LibreOffice Writer", "Write letters and long documents in an office."),
    ("calc", "LibreOffice Calc", "Tables and numbers for the office."),
    ("ship", "Moby Dick", "The white whale and the ship at sea."),
    ("café", "Café de l'Été", "Coffee at the sea, and letters from a whale watcher."),
]


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    records = [
        Record(id, f"{title} {text}", ["pictures" if place < 2 else "Sea life" if place > 3 else "office"], title,
               fields={"section": "Éditors" if place < 2 else "office  work"}, links={"maker": ["Ann Lee"]})
        for place, (id, title, text) in enumerate(BOOKS)
    ]  # fmt: skip
    many = [Record(f"x{n}", "gimp gimp picture of an office", ["office"], title=f"About gimp {n}") for n in range(20)]
    settings = BuildSettings(n_components=3, text=TextSettings(min_records=1), map=False)
    with tacit.open(tacit.build([*many, *records], tmp_path_factory.mktemp("typed") / "i", settings)) as opened:
        yield opened


def ids(hits):
    return [hit.id for hit in hits]


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("plain words", Query("plain words")),
        ('a "b c" -d', Query('a "b c"', ("b c",), ("d",))),
        ('-"b c" title:x TITLE:"y z"', Query('x "y z"', (), ("b c",), ("x", "y z"))),
        ('label:"a b" label:c', Query("", labels=("a b", "c"))),
        ("state-of-the-art - -- note:x", Query("state-of-the-art - -- note:x")),
        ('5" screen "', Query('5" screen "')),
        ('title: label: -"" ""', Query('title: label: -"" ""')),
    ],
)
def test_a_query_is_read(typed, expected):
    assert read_query(typed) == expected


def test_a_long_text_has_no_operators():
    text = 'said "yes" -no ' * 30
    assert read_query(text) == Query(text)


@pytest.mark.parametrize("by", ["hybrid", "words"])
@pytest.mark.parametrize(
    ("typed", "first"),
    [
        ("gimp", "gimp"),
        ("GIMP", "gimp"),
        ("libreoffice  writer", "writer"),
        ("cafe de l'ete", "café"),
        ("CALC", "calc"),
    ],
)
def test_an_id_or_a_title_comes_first(index, by, typed, first):
    hits = index.search(typed, by=by, limit=3)
    assert hits[0].id == first
    assert len(set(ids(hits))) == len(hits)
    ranked = rank_records(index, typed, by=by, limit=3)
    assert index.store.get(ranked.numbers)[0].id == first
    assert ranked.scores[0] == 1
    assert ids(hits) == [record.id for record in index.store.get(ranked.numbers)]


def test_a_title_that_filters_exclude_is_not_found(index):
    assert "gimp" not in ids(index.search("gimp", filters=Filters(labels=["office"])))


@pytest.mark.parametrize("by", ["hybrid", "words", "meaning"])
def test_operators_hold_in_every_way(index, by):
    assert "ship" not in ids(index.search("sea -ship", by=by, limit=50))
    assert ids(index.search('"white whale"', by=by)) == ["ship"]
    assert set(ids(index.search("title:libreoffice", by=by, limit=50))) == {"writer", "calc"}
    assert set(ids(index.search('whale label:"sea LIFE"', by=by, limit=50))) == {"ship", "café"}


def test_conditions_alone_list_records_in_order(index):
    assert ids(index.search("label:pictures")) == ids(index.search(filters=Filters(labels=["pictures"])))
    assert ids(index.search("label:pictures")) == ["gimp", "inkscape"]
    assert ids(index.search("-gimp -office")) == ["ship", "café"]


@pytest.mark.parametrize(
    "typed", ['"', "-", "label:nothing", ':"', "title:", "\0-\0", "\ud800", "label:\ud800", "()*^", "OR"]
)
def test_odd_signs_are_no_error(index, typed):
    assert isinstance(index.search(f"whale {typed}"), list)
    rank_records(index, f"{typed} whale")


def test_misspelt_words_are_met(index):
    hits = index.search("libreofice")
    assert (hits.meant, hits.used_meant) == ("libreoffice", True)
    assert set(ids(hits[:2])) == {"writer", "calc"}
    hits = index.search("whale at lettres")
    assert (hits.meant, hits.used_meant) == ("whale at letters", False)
    assert index.search("whale letters").meant is None
    assert index.search("zzzzzz").meant is None
    assert index.search("whael", by="meaning")[0].id in ("ship", "café")
    ranked = rank_records(index, "libreofice -calc", limit=3)
    assert (ranked.meant, ranked.text) == ("libreoffice -calc", "libreoffice")


def test_what_was_meant_is_a_title_too(index):
    hits = index.search("inksacpe")
    assert (hits.meant, hits.used_meant, hits[0].id, hits[0].score) == ("inkscape", True, "inkscape", 1.0)


def test_a_word_of_one_record_may_be_its_error(tmp_path):
    texts = ["the editor of letters", *["an editor for letters", "an editor and a library"] * 60, "a libary of editres"]
    settings = BuildSettings("lsi", n_components=2, text=TextSettings(min_records=1), map=False)
    records = [Record(f"r{n}", text) for n, text in enumerate(texts)]
    with tacit.open(tacit.build(records, tmp_path / "i", settings)) as opened:
        hits = opened.search("library editr letters")  # `editres` has the same stem
        assert (hits.meant, hits.used_meant) == ("library editor letters", False)
        hits = opened.search("libary", by="words")
        assert (hits.meant, ids(hits)) == (None, ["r121"])  # 60 times as many are not enough
        hits = opened.search("editres", by="words")
        assert (hits.meant, hits.used_meant, ids(hits)) == (None, False, ["r121"])  # two errors
        opened.add([Record("new", "a photograph of an editer")])
        hits = opened.search("editer", by="words")
        assert (hits.meant, hits.used_meant, ids(hits)) == ("editor", False, ["new"])


def test_names_of_labels_are_not_misspelt(tmp_path):
    settings = BuildSettings("lsi", n_components=2, text=TextSettings(min_records=1), map=False)
    kinds = [("whales", "Marine life"), ("ships", "ships")] * 3
    records = [Record(f"r{n}", f"a machine for {kind} whales", labels=[label]) for n, (kind, label) in enumerate(kinds)]
    with tacit.open(tacit.build(records, tmp_path / "i", settings)) as opened:
        assert opened.search('label:"marine life" whales').meant is None
        assert opened.search('label:"marine life" whalse').meant == 'label:"marine life" whales'
        assert opened.search("label:marine whales").meant == "label:machine whales"  # there is no such label


def test_records_with_only_stop_words_of_the_query_are_not_found(index):
    index_words = index.space.words.analyse.stop_words
    assert {"the", "and"} <= index_words
    hits = index.search("the kitchen and the gimp", by="words", limit=50)
    assert set(ids(hits)) == {"gimp", "inkscape", *(f"x{n}" for n in range(20))}
    ranked = rank_records(index, "the xyzzy and inkscape", by="words", limit=50)
    assert [record.id for record in index.store.get(ranked.numbers)] == ["inkscape"]
    assert not index.search("the xyzzy -- 2010", by="words")
    assert not index.search("the xyzzy")
    assert set(ids(index.search('xyzzy "the office"', by="words"))) == {"calc"}
    assert ids(index.search("and the", by="words"))  # nothing else was typed


def test_a_word_with_digits_is_one_word(tmp_path):
    names = ["covid19", "covid18", "python3", "python2"] * 3
    records = [Record(f"r{n}", f"{name} {n % 2 * 'whale'} letters", [name[:2]]) for n, name in enumerate(names)]
    settings = BuildSettings(n_components=2, text=TextSettings(min_records=1), map=False)
    with tacit.open(tacit.build(records, tmp_path / "i", settings)) as opened:
        for by in ("words", "hybrid"):
            hits = opened.search("covid19", by=by, limit=3)
            assert (hits.meant, ids(hits)) == (None, ["r0", "r4", "r8"])
        hits = opened.search("covid19 lettres")
        assert (hits.meant, hits.used_meant) == ("covid19 letters", False)
        hits = opened.search("lettres 2020")
        assert (hits.meant, hits.used_meant) == ("letters 2020", True)
        assert opened.search("covid77").meant is None


def test_nobody_is_asked_what_a_whole_text_means(index):
    texts = " ".join(record.text for _, record in index.store.records())
    stop = index.space.words.analyse.stop_words
    known = [word for word in dict.fromkeys(texts.lower().split()) if word.isalpha() and word not in stop]
    assert len(known) >= 12
    assert index.search(" ".join(["lettres", *known[:11]])).meant == " ".join(["letters", *known[:11]])
    assert index.search(" ".join(["lettres", *known[:12]])).meant is None


@pytest.mark.parametrize("by", ["hybrid", "words", "meaning"])
@pytest.mark.parametrize(("typed", "known"), [("whales", "whale"), ("Letter", "letters")])
def test_plurals_and_singulars_meet(index, by, typed, known):
    hits = index.search(typed, by=by, limit=2)
    assert ids(hits) == ids(index.search(known, by=by, limit=2))
    assert (hits.meant, hits.words) == (None, f"{typed} {known}")
    ranked = rank_records(index, typed, by=by, limit=2)
    assert ids(hits) == [record.id for record in index.store.get(ranked.numbers)]


def test_a_hit_is_explained_by_the_form_that_was_searched_for(index):
    found = index.explain(query="whales -gimp", ids="ship")
    assert (found.query, found.shared_words) == ("whales -gimp", ("whale",))
    assert found.cosine == pytest.approx(index.explain(query="whale", ids="ship").cosine, abs=1e-6)


def test_of_other_forms_the_nearest_that_more_records_have(index, monkeypatch):
    assert other_forms(index, "pictures Photograph whales 'x' zzzzzz") == {
        "pictures": "picture", "photograph": "photographs", "whales": "whale",
    }  # fmt: skip
    assert other_forms(index, 'picture "photograph" letters') == {}  # the most frequent, a phrase, the only form
    forms._key_of.cache_clear()
    monkeypatch.setitem(sys.modules, "snowballstemmer", None)
    analysis.stemmer.cache_clear()
    assert other_forms(index, "photograph whales tables calcs") == {
        "photograph": "photographs", "whales": "whale", "calcs": "calc",
    }  # fmt: skip
    forms._key_of.cache_clear()


def test_the_nearest_word_is_found_as_by_a_loop_and_fast():
    rng = np.random.default_rng(0)
    terms = sorted({"".join(rng.choice(list("abcdefghij"), rng.integers(4, 12))) for _ in range(3_000)})
    known = KnownWords(terms, rng.random(len(terms)))
    for term in terms[::150]:
        typed = term[1] + term[0] + term[2:] if len(term) > 5 else term[:-1] + "x"
        found = known.nearest(typed)
        most = 2 if len(typed) >= 6 else 1
        distances = {one: _distance(typed, one) for one in terms}
        cost = {one: errors + (one[0] != typed[0]) for one, errors in distances.items() if errors <= most}
        near = {one: errors for one, errors in cost.items() if errors <= 2}
        assert (found is None) == (not near)
        if found is not None:
            assert near[found] == min(near.values())
    start = time.process_time()
    known.nearest("abcdefghij")
    assert time.process_time() - start < 0.1


def test_a_word_with_another_first_letter_and_a_second_error_is_another_word():
    assert KnownWords(["induct"], [1.0]).nearest("viaduct") is None
    assert KnownWords(["viaduct"], [1.0]).nearest("iaduct") == "viaduct"
    assert KnownWords(["viaduct"], [1.0]).nearest("vaiduckt") == "viaduct"


def _distance(one: str, other: str) -> int:
    rows = [[0] * (len(other) + 1) for _ in range(len(one) + 1)]
    for i in range(len(one) + 1):
        for j in range(len(other) + 1):
            if not i or not j:
                rows[i][j] = i + j
                continue
            rows[i][j] = min(rows[i - 1][j] + 1, rows[i][j - 1] + 1, rows[i - 1][j - 1] + (one[i - 1] != other[j - 1]))
            if i > 1 and j > 1 and one[i - 1] == other[j - 2] and one[i - 2] == other[j - 1]:
                rows[i][j] = min(rows[i][j], rows[i - 2][j - 2] + 1)
    return rows[-1][-1]


@pytest.mark.parametrize("small", [20_000, 0])
def test_stems_are_corrected_to_words(tmp_path, monkeypatch, small):
    monkeypatch.setattr(spelling, "_SMALL", small)  # as in large collections, whose words are those of the space
    records = [Record(f"r{n}", text) for n, text in enumerate(["the libraries of cities", "a library in town"] * 3)]
    settings = BuildSettings("lsi", n_components=2, text=TextSettings(min_records=1, stem=True), map=False)
    with tacit.open(tacit.build(records, tmp_path / "i", settings)) as opened:
        assert opened.search("librarries").meant in ("libraries", "library")


def test_values_of_filters_may_be_written_otherwise(index):
    for typed in ("section=editors", "SECTION=ÉDITORS", "section= Editors "):
        assert read_conditions(index, where=[typed]).fields == {"section": ["Éditors"]}
    assert read_conditions(index, where=["section=office work"]).fields == {"section": ["office  work"]}
    assert read_conditions(index, links=["Maker=ann lee"]).links == {"maker": ["Ann Lee"]}
    with pytest.raises(InputError, match=r"section=Editers, which no record has. Did you mean 'Éditors'\?"):
        read_conditions(index, where=["section=Editers"])
    with pytest.raises(InputError, match=r"maker=lee, which no record has. Did you mean 'Ann Lee'\?"):
        read_conditions(index, links=["maker=lee"])
    with pytest.raises(InputError, match=r"Did you mean 'section'\?"):
        read_conditions(index, where=["sction=x"])


def test_conditions_on_words_are_checked():
    with pytest.raises(InputError, match="having is a single string"):
        Filters(having="x")
    with pytest.raises(InputError, match="lacking has no word"):
        Filters(lacking=["..."]).conditions()
