"""Snippets: the best part of a text, marked where the words of the query are, whatever their form."""

from __future__ import annotations

import pytest
from small_index import small_records, small_settings

from tacit.corpus.record import Record
from tacit.errors import InputError
from tacit.tasks.build.build import build
from tacit.tasks.collection import open_index
from tacit.tasks.search.conditions import read_conditions
from tacit.tasks.search.ranking import rank_records
from tacit.tasks.search.snippets import QueryWords, snippet_of
from tacit.text import TextSettings


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    folder = tmp_path_factory.mktemp("snippets") / "small.tacit"
    stemmed = TextSettings(min_records=1, stem=True)
    build(
        [*small_records(), Record("long", "Whales dive. " * 3)],
        folder,
        settings=small_settings(text=stemmed, map=False),
    )
    with open_index(folder) as opened:
        yield opened


def _marked(snippet):
    return [snippet.text[start:end] for start, end in snippet.marks]


def test_words_are_marked_in_any_form_and_without_accents(index):
    words = QueryWords(index, "the WHALE dived café")
    snippet = snippet_of("The whales were diving near the Cafe, 🐋 whale.", words)
    assert _marked(snippet) == ["whales", "diving", "Cafe", "whale"]
    assert snippet.words == ("whales", "diving", "Cafe")
    assert snippet.of_query


def test_a_long_text_is_cut_where_most_words_are(index):
    text = "nothing here " * 60 + "a whale and a dolphin by the harbour " + "nothing there " * 60
    snippet = snippet_of(text, QueryWords(index, "harbour whale dolphin"))
    assert _marked(snippet) == ["whale", "dolphin", "harbour"]
    assert len(snippet.text) <= 250
    assert snippet.text.startswith("… ")
    assert snippet.text.endswith(" …")


def test_without_a_word_of_the_query_the_telling_words_are_marked(index):
    position = index.space.place(["whale"])[0]
    snippet = snippet_of("A chair, a sailor, a lamp and a reef.", QueryWords(index, "whale", position))
    assert not snippet.of_query
    assert set(_marked(snippet)) & {"sailor", "reef"}
    assert not {"A", "and"} & set(_marked(snippet))


@pytest.mark.parametrize("text", ["", " ", "\n", "x" * 50_000, "a\0b", "🐋" * 300])
def test_any_text_has_a_snippet(index, text):
    snippet = snippet_of(text, QueryWords(index, "whale x"), title="x")
    assert len(snippet.text) <= 250
    assert all(0 <= start < end <= len(snippet.text) for start, end in snippet.marks)


def test_a_title_at_the_beginning_is_not_repeated(index):
    assert snippet_of("On whales. They dive.", QueryWords(index, ""), title="On whales").text == "They dive."
    assert snippet_of("On whales\nOn whales\nThey dive.", QueryWords(index, ""), title="On whales").text == "They dive."
    assert snippet_of("On whales", QueryWords(index, ""), title="On whales").text == "On whales"


@pytest.mark.parametrize("by", ["hybrid", "meaning", "words"])
def test_rankings_are_those_of_a_search_with_scores_from_0_to_1(index, by):
    ranked = rank_records(index, "whale harbour", by=by, limit=10)
    hits = index.search("whale harbour", by=by, limit=10)
    assert [record.id for record in index.store.get(ranked.numbers)] == [hit.id for hit in hits]
    assert ((ranked.scores >= 0) & (ranked.scores <= 1)).all()


def test_conditions_name_what_is_wrong(index):
    assert read_conditions(index) is None
    assert read_conditions(index, where=["year=1991"], ranges=["year=1990..1992"]) is not None
    for given, said in (
        ({"where": ["year"]}, "where must look like NAME=VALUE"),
        ({"where": ["yaer=1"]}, "where has an unknown name: got 'yaer'"),
        ({"ranges": ["year=.."]}, "ranges must look like NAME=LOW..HIGH"),
        ({"labels": ["unheard"]}, "label is unknown"),
    ):
        with pytest.raises(InputError, match=said):
            read_conditions(index, **given)
