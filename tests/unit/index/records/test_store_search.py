"""Search by words and filters, against plain Python over the same records."""

from __future__ import annotations

import datetime
import random

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tacit.corpus import Record
from tacit.errors import InputError, TacitWarning
from tacit.index import Filters, RecordStore
from tacit.index.records.word_search import query_parts, word_query

WORDS = ["sea", "storm", "wind", "ship", "anchor", "harbour"]


def _collection() -> list[Record]:
    chance = random.Random(5)
    return [
        Record(
            f"k{number}",
            " ".join(chance.choices(WORDS, k=chance.randint(1, 8))),
            labels=chance.sample(["a", "a1", "a2", "b", "b1"], 2),
            links={"author": (chance.choice(["Knuth", "Lamport"]),), "cites": (f"k{chance.randrange(60)}",)},
            fields={
                "year": chance.randint(1990, 1999),
                "weight": chance.choice([0.1, 0.5, 2]),
                "date": f"{chance.randint(2020, 2022)}-{chance.randint(1, 12):02d}-{chance.randint(1, 28):02d}",
                "tags": chance.sample(["x", "y", "z"], 2),
                "mixed": chance.choice([5, "5", 7.5, "text", None, True]),
            },
        )
        for number in range(60)
    ]


RECORDS = _collection()


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    path = tmp_path_factory.mktemp("search") / "records.sqlite"
    RecordStore.create(path, RECORDS[:40])
    with RecordStore(path, writable=True) as opened:
        opened.add(RECORDS[40:], np.zeros((20, 2)))
        yield opened


def _where(test) -> list[int]:
    return [number for number, found in enumerate(RECORDS) if test(found)]


FILTERS = [
    (Filters(), lambda r: True),
    (Filters(labels=["a"]), lambda r: "a" in r.labels),
    (Filters(labels=[{"a", "a1", "a2"}]), lambda r: {"a", "a1", "a2"} & set(r.labels)),
    (Filters(labels=[{"a", "a1"}, "b"]), lambda r: {"a", "a1"} & set(r.labels) and "b" in r.labels),
    (Filters(labels=["nobody"]), lambda r: False),
    (Filters(labels=[[]]), lambda r: False),
    (Filters(links={"author": "Knuth"}), lambda r: "Knuth" in r.links["author"]),
    (Filters(links={"cites": ["k1", "k2", "k3"]}), lambda r: {"k1", "k2", "k3"} & set(r.links["cites"])),
    (Filters(fields={"year": 1995}), lambda r: r.fields["year"] == 1995),
    (Filters(fields={"year": [1995, 1996]}), lambda r: r.fields["year"] in (1995, 1996)),
    (Filters(fields={"year": np.int64(1995)}), lambda r: r.fields["year"] == 1995),
    (Filters(fields={"weight": 0.1}), lambda r: r.fields["weight"] == 0.1),
    (Filters(fields={"tags": "x"}), lambda r: "x" in r.fields["tags"]),
    (Filters(fields={"mixed": "5"}), lambda r: r.fields["mixed"] == "5"),
    (Filters(fields={"mixed": 5}), lambda r: r.fields["mixed"] == 5),
    (Filters(fields={"missing": 5}), lambda r: False),
    (Filters(ranges={"year": (1993, 1996)}), lambda r: 1993 <= r.fields["year"] <= 1996),
    (Filters(ranges={"year": (None, 1993)}), lambda r: r.fields["year"] <= 1993),
    (Filters(ranges={"weight": (0.5, None)}), lambda r: r.fields["weight"] >= 0.5),
    (Filters(ranges={"mixed": (2, None)}), lambda r: r.fields["mixed"] in (5, 7.5)),
    (Filters(ranges={"mixed": ("a", None)}), lambda r: r.fields["mixed"] == "text"),
    (Filters(ranges={"mixed": (None, "zzz")}), lambda r: isinstance(r.fields["mixed"], str)),
    (Filters(ranges={"date": ("2021-03", "2021")}), lambda r: "2021-03-01" <= r.fields["date"] <= "2021-12-31"),
    (Filters(ranges={"date": (datetime.date(2021, 5, 2), None)}), lambda r: r.fields["date"] >= "2021-05-02"),
    (
        Filters(labels=["a"], links={"author": "Knuth"}, fields={"tags": "x"}, ranges={"year": (None, 1997)}),
        lambda r: (
            "a" in r.labels and "Knuth" in r.links["author"] and "x" in r.fields["tags"] and r.fields["year"] <= 1997
        ),
    ),
]


@pytest.mark.parametrize(("filters", "test"), FILTERS)
def test_filters_pass_what_plain_python_passes(store, filters, test):
    assert store.numbers(filters).tolist() == _where(test)
    found, _ = store.words("storm sea", 100, filters)
    assert sorted(found) == _where(lambda r: test(r) and {"storm", "sea"} & set(r.text.split()))


def test_a_subtree_of_any_size_is_one_filter(store):
    many = Filters(labels=[{"a", *(f"below{number}" for number in range(50_000))}])
    assert store.numbers(many).tolist() == _where(lambda r: "a" in r.labels)


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: Filters(labels="a"), r"labels is a single string: got 'a', expected a sequence\. Write \['a'\]"),
        (lambda: Filters(labels=[7]).sql(), r"labels is not text: got 7, expected a string"),
        (lambda: Filters(links={"author": 7}).sql(), r"links\['author'\] is not text: got 7"),
        (lambda: Filters(fields={"f": object()}).sql(), r"fields\['f'\] cannot be compared: got <object"),
        (lambda: Filters(fields={"f": float("nan")}).sql(), r"fields\['f'\] cannot be compared: got nan"),
        (lambda: Filters(fields={"f": 10**400}).sql(), r"fields\['f'\] cannot be compared: got 1000"),
        (lambda: Filters(fields={"f": "x" * 201}).sql(), r"fields\['f'\] is too long to filter by: got 201"),
        (lambda: Filters(fields={"f": "\ud800"}).sql(), r"fields\['f'\] cannot be written in UTF-8"),
        (lambda: Filters(ranges={"f": 7}).sql(), r"ranges\['f'\] is not a range: got 7, expected \(low, high\)"),
        (lambda: Filters(ranges={"f": "ab"}).sql(), r"ranges\['f'\] is not a range: got 'ab'"),
        (lambda: Filters(ranges={"f": (None, None)}).sql(), r"ranges\['f'\] is not a range: .* expected one limit"),
        (lambda: Filters(ranges={"f": (1, "z")}).sql(), r"expected one limit, or two of the same type"),
    ],
)
def test_filters_that_mean_nothing_are_refused(make, sentence):
    with pytest.raises(InputError, match=sentence):
        make()


def test_any_and_all_words(store):
    any_, _ = store.words("anchor harbour", 100)
    all_, _ = store.words("anchor harbour", 100, match="all")
    assert sorted(any_) == _where(lambda r: {"anchor", "harbour"} & set(r.text.split()))
    assert sorted(all_) == _where(lambda r: {"anchor", "harbour"} <= set(r.text.split()))


def test_phrases_have_their_words_side_by_side(store):
    found, _ = store.words('"sea storm"', 100)
    assert sorted(found) == _where(lambda r: " sea storm " in f" {r.text} ")
    hyphen, _ = store.words("sea-storm", 100)
    assert sorted(hyphen) == sorted(found)


def test_the_best_come_first_and_ties_in_their_order(store):
    numbers, scores = store.words("anchor storm", 100)
    assert (np.diff(scores) <= 0).all()
    assert (scores > 0).all()
    assert all(numbers[i] < numbers[i + 1] for i in range(len(scores) - 1) if scores[i] == scores[i + 1])
    first, _ = store.words("anchor storm", 3)
    assert first.tolist() == numbers[:3].tolist()


def test_rarer_words_score_higher_and_more_often_scores_higher(tmp_path):
    texts = ["common rare", *["common thing"] * 20, "common common other"]
    RecordStore.create(tmp_path / "r.sqlite", [Record(str(n), text) for n, text in enumerate(texts)])
    with RecordStore(tmp_path / "r.sqlite") as opened:
        assert opened.words("rare common")[0][0] == 0
        assert opened.words("common")[0][0] == 21


def test_case_and_accents_make_no_difference_and_titles_count(tmp_path):
    RecordStore.create(
        tmp_path / "r.sqlite", [Record("a", "Die Überschallgrenze, Café, Straße", title="Ōsaka"), Record("b", "x")]
    )
    with RecordStore(tmp_path / "r.sqlite") as opened:
        for query in ("uberschallgrenze", "ÜBERSCHALLGRENZE", "cafe", "CAFÉ", "osaka", "cafe\u0301", "Straße"):
            assert opened.words(query)[0].tolist() == [0], query


NASTY = [
    '"', '""', '"""', "'", "sea'; DROP TABLE records; --", "AND", "OR", "NOT", "NEAR", "NEAR(sea storm, 2)", "sea AND",
    "AND sea", "(sea", "sea)", "sea*", "*", "^sea", "title:sea", "title : sea", "-sea", "+", "sea + storm",
    "{title}: x", '"sea storm', 'sea" storm', 'a"b"c"', "\0", "sea\0storm", "\ud800", "sea \udfff", "", "   ", "\n\t",
    "!!!", "C++", "…", "日本語", "\U0001f600", "%", "_", "\\", "words MATCH 'x'", "sea,storm", "\u0301", "½", "\ue000",
]  # fmt: skip


@pytest.mark.parametrize("query", NASTY)
@pytest.mark.parametrize("match", ["any", "all"])
def test_whatever_a_person_types_is_only_words(store, query, match):
    numbers, scores = store.words(query, 100, match=match)
    assert len(numbers) == len(scores)
    if "sea" in query and match == "any":
        with_sea = set(_where(lambda r: "sea" in r.text.split()))
        assert with_sea <= set(numbers.tolist()) or "storm" in query or query == "title:sea"  # these are phrases


def test_the_words_of_the_query_language_are_words(tmp_path):
    RecordStore.create(
        tmp_path / "r.sqlite", [Record("a", "this AND that"), Record("b", "NEAR the end"), Record("c", "not")]
    )
    with RecordStore(tmp_path / "r.sqlite") as opened:
        assert opened.words("AND")[0].tolist() == [0]
        assert opened.words("near")[0].tolist() == [1]
        assert opened.words("NOT")[0].tolist() == [2]
        assert opened.words("text:that")[0].tolist() == []  # no column, but the phrase "text that"


@settings(max_examples=60, deadline=None)
@given(query=st.text(alphabet=st.sampled_from('ab"*()^:+-{}\0 ANDORT\ud800é日,.\u0301'), max_size=30))
@example(query='a"b')
def test_no_query_fails(store, query):
    for match in ("any", "all"):
        store.words(query, 5, match=match)


def test_a_whole_document_is_a_query(store):
    with pytest.warns(
        TacitWarning, match=r"query is long: got 5001 different words, only the first 1000 are searched for"
    ):
        numbers, _ = store.words("storm " + " ".join(f"w{number}" for number in range(5000)), 100)
    assert sorted(numbers) == _where(lambda r: "storm" in r.text.split())
    assert store.words("storm " * 5000, 100)[0].size == len(_where(lambda r: "storm" in r.text.split()))


def test_every_word_stands_in_quotes():
    assert word_query(query_parts('sea AND "big ship" C++'), every=False) == '"sea" OR "AND" OR "big ship" OR "C++"'
    assert word_query(query_parts("sea Sea !!"), every=True) == '"Sea"'
    assert query_parts('" " ** \0') == []


def test_ids_are_found_in_any_case(tmp_path):
    path = tmp_path / "ids.sqlite"
    ids = ["Ab-1", "aB-1", "ab-10", "Åb", "åb", "x"]
    RecordStore.create(path, [Record(key, f"text {number}") for number, key in enumerate(ids)])
    with RecordStore(path) as store:
        found = {text: [key for _, key, _ in store.called(text)] for text in ("AB-1", "Ab-1", "AB-10", "ÅB", "ab", "")}
    assert found == {"AB-1": ["Ab-1", "aB-1"], "Ab-1": ["Ab-1"], "AB-10": ["ab-10"], "ÅB": ["Åb"], "ab": [], "": []}
