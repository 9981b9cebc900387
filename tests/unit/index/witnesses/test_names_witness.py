"""Names that stand in texts: longest first, several meanings, qualifiers, and how often they were right."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from planted_subjects import SUBJECTS, all_pairs, planted

from tacit.index.witnesses.asked import AskedTexts
from tacit.index.witnesses.names import NameMatch, NamesWitness
from tacit.text import TextSettings, Words

TEXTS = ["the bank of a river", "world war and peace", "bass guitars in the world", "fishing for bass"]
WORDS, _ = Words.fit(TEXTS, TextSettings(min_records=1, stem=True))
NAMES = [
    (0, "World War", 0),
    (1, "war", 0),
    (2, "banks (finance)", 0),
    (3, "banks (rivers)", 0),
    (4, "bass (fish)", 0),
    (5, "guitars", 0),
    (5, "bass guitar", 1),
]
WITNESS = NamesWitness.of_names(WORDS, NAMES, 7)
PLACE = {name: place for place, name in enumerate(NamesWitness.feature_names)}


def found(text: str, witness: NamesWitness = WITNESS) -> dict[int, NameMatch]:
    return {match.subject: match for match in witness.matches(text)}


def test_a_name_inside_a_longer_one_is_noted():
    matches = found("peace after a world war")
    assert set(matches) == {0, 1}
    assert not matches[0].inside
    assert matches[0].n_words == 2
    assert matches[1].inside
    assert not found("war in the world")[1].inside
    assert 0 not in found("war in the world")


def test_a_name_with_several_meanings_names_them_all():
    matches = found("peace at the bank")
    assert {subject: match.n_meanings for subject, match in matches.items()} == {2: 2, 3: 2}
    assert found("peace after a war")[1].n_meanings == 1
    assert found("the bank of a river")[3].n_meanings == 1  # with its qualifier, which the other does not have


def test_a_qualifier_need_not_stand_in_the_text():
    assert set(found("fishing for bass")) == {4}
    assert found("fishing for bass fish")[4].n_words == 2  # with the qualifier, which is the longer name


def test_the_longest_name_and_its_kind_count():
    match = found("two bass guitars")[5]
    assert (match.n_words, match.kind) == (2, 1)
    assert found("two guitars")[5].kind == 0


def test_how_often_and_where_a_name_stands():
    match = found("war peace river war")[1]
    assert (match.n_times, match.first, match.spread) == (2, 0.0, 0.75)


def test_the_name_is_shown_as_it_is_written():
    text = "many banks and guitars"
    assert WITNESS.found_name(found(text)[5], [text]) == "guitars"
    assert WITNESS.found_name(found(text)[5], None) == ""


def test_no_words_and_no_names():
    assert WITNESS.matches("") == []
    assert WITNESS.matches("xyzzy") == []
    asked = AskedTexts(WORDS.transform(["xyzzy"]), np.zeros((1, 2), np.float32), 7, ["xyzzy"])
    assert [len(each) for each in WITNESS.hear(asked).candidates()] == [0]


def test_a_name_is_found_without_words_of_the_index():
    """A subject that no record has, whose name no record contains."""
    witness = NamesWitness.of_names(WORDS, [(0, "volcano", 0)], 1)
    asked = AskedTexts(WORDS.transform(["a volcano"]), np.zeros((1, 2), np.float32), 1, ["a volcano"])
    heard = witness.hear(asked)
    assert [each.tolist() for each in heard.candidates()] == [[0]]
    assert heard.features(np.array([0]), np.array([0]))[0, 0] == 1


def test_names_that_share_words_with_the_text_are_candidates_by_cosine():
    text = "guitars"
    asked = AskedTexts(WORDS.transform([text]), np.zeros((1, 2), np.float32), 7, None)
    numbers = WITNESS.hear(asked).features(np.zeros(7, int), np.arange(7))
    vectors = WORDS.transform(["world war", "war", "banks finance", "banks rivers", "bass fish", "guitars", ""])
    np.testing.assert_allclose(
        numbers[:, PLACE["name_cosine"]], (vectors @ WORDS.transform([text]).T).toarray().ravel(), atol=1e-6
    )
    np.testing.assert_allclose(numbers[:, PLACE["name_known_share"]], [0, 0, 0, 0, 0, 1, 0], atol=1e-6)
    assert (numbers[:, : PLACE["name_cosine"]] == -1).all()  # the text itself is unknown


def test_counts_of_right_names_are_literal_and_a_record_hears_of_the_other_half():
    collection = planted(40)
    names = [(number, subject, 0) for number, subject in enumerate(SUBJECTS)] + [(4, "garden", 1)]
    witness = NamesWitness.of_names(collection.words, names, len(SUBJECTS))
    numbers = np.arange(len(collection))
    witness.count_right(numbers, collection.texts, collection.labels)
    has_name, has_label = (
        np.array(["garden" in text for text in collection.texts]),
        collection.labels.toarray()[:, 4] > 0,
    )
    assert witness.found[4] == has_name.sum()
    assert witness.right[4] == (has_name & has_label).sum()
    number = int(np.flatnonzero(has_name)[0])
    heard = witness.hear(collection.asked([number], as_records=True))
    share, n_found = heard.features(np.array([0]), np.array([4]))[
        0, PLACE["name_right_share"] : PLACE["name_right_share"] + 2
    ]
    other = numbers % 2 != number % 2
    times = n_found / (has_name & other).sum()
    assert times == 2  # as if both halves were like the other one
    np.testing.assert_allclose(share, times * (has_name & has_label & other).sum() / (n_found + 2), rtol=1e-6)
    new = witness.hear(collection.asked([number], as_records=False)).features(*all_pairs(1, len(SUBJECTS)))
    assert new[4, PLACE["name_found_records"]] == has_name.sum()


def test_stop_words_letters_and_numbers_of_a_name_must_stand_in_the_text():
    names = [(0, "vitamin K", 0), (1, "19th century", 0), (2, "out of the", 0), (3, "freedom of the press", 0)]
    witness = NamesWitness.of_names(WORDS, names, 4)
    assert set(found("vitamins for the 20th century", witness)) == set()
    matches = found("Vitamin K in the 19th century, out of the blue", witness)
    assert {subject: (match.exact, match.n_words) for subject, match in matches.items()} == {
        0: (True, 2),
        1: (True, 2),
        2: (True, 3),
    }
    assert witness.found_name(matches[1], ["Vitamin K in the 19th century, out of the blue"]) == "19th century"


def test_other_stop_words_in_between_are_noted():
    names = [(0, "freedom of the press", 0), (1, "world war", 0)]
    witness = NamesWitness.of_names(WORDS, names, 2)
    text = "freedom and press in a world at war"
    matches = found(text, witness)
    assert {subject: (match.exact, match.n_words) for subject, match in matches.items()} == {
        0: (False, 2),
        1: (False, 2),
    }
    assert [witness.found_name(matches[subject], [text]) for subject in (0, 1)] == ["freedom and press", "world at war"]
    assert found("the freedom of the press", witness)[0] == NameMatch(0, 1, 0.2, 0.0, 4, 1, False, 0, True, 0.8, 0)


def test_the_rarest_word_of_a_name_is_counted_without_the_record_itself():
    texts = ["common rare", "common words", "common words", "common other rare"]
    words, _ = Words.fit(texts, TextSettings(min_records=1))
    witness = NamesWitness.of_names(words, [(0, "common rare", 0), (1, "common", 0), (2, "unheard", 0)], 3, len(texts))
    text = "common rare unheard"
    assert [found(text, witness)[subject].rarest for subject in range(3)] == [2, 4, 0]
    column = NamesWitness.feature_names.index("name_rarest")
    rarest = {}
    for records in (None, np.array([0]), np.array([4])):  # the last is a correction, whose words were not counted
        asked = AskedTexts(words.transform([text]), np.zeros((1, 2), np.float32), 3, [text], records)
        numbers = witness.hear(asked).features(np.zeros(3, int), np.arange(3))
        rarest[None if records is None else int(records[0])] = numbers[:, column].tolist()
    assert rarest == {None: [2, 4, 0], 0: [0, 3, 0], 4: [2, 4, 0]}  # a word that one record has is as good as none


def test_further_names_are_known():
    more = WITNESS.with_names([(6, "river mouth", 0)])
    assert set(found("at the river mouth", more)) == {6}
    assert sp.csr_array(more.vectors).shape == WITNESS.vectors.shape


def test_a_name_stands_in_part_where_its_rare_words_do():
    names = [(0, "Tigrinya language", 0), (1, "Arabic language", 0), (2, "Tigrinya", 1), (2, "Eritrean script", 0)]
    texts = ["language of the river", "language and peace", "world language", "arabic numbers", "arabic in the world"]
    words, _ = Words.fit(texts, TextSettings(min_records=2, stem=True))
    witness = NamesWitness.of_names(words, names, 3, n_records=len(texts))
    rare, arabic = 1 + np.log(6 / 3), 1 + np.log(6 / 3)  # two records of a word, or none that is known
    usual = 1 + np.log(6 / 4)
    asked = AskedTexts(words.transform(["Tigrinya texts"]), np.zeros((1, 2), np.float32), 3, ["Tigrinya texts"])
    heard = witness.hear(asked)
    numbers = heard.features(np.zeros(3, int), np.arange(3))
    shares = [rare**2 / (rare**2 + usual**2), 0, 1]
    np.testing.assert_allclose(numbers[:, PLACE["name_part_share"]], shares, rtol=1e-5)
    np.testing.assert_allclose(numbers[:, PLACE["name_part_weight"]], [rare**2, 0, rare**2], rtol=1e-5)
    assert heard.candidates()[0].tolist() == [0, 2]
    asked = AskedTexts(words.transform(["a language"]), np.zeros((1, 2), np.float32), 3, ["a language"])
    numbers = witness.hear(asked).features(np.zeros(3, int), np.arange(3))
    np.testing.assert_allclose(numbers[1, PLACE["name_part_share"]], usual**2 / (arabic**2 + usual**2), rtol=1e-5)


def test_the_names_with_most_of_their_rare_words_in_the_text_are_candidates_and_no_others():
    names = [(number, f"word{chr(97 + number)} thing", 0) for number in range(9)]
    witness = NamesWitness.of_names(WORDS, names, 9)
    table = witness.parts.of_texts([["thing"], ["worda", "wordb", "thing"], []], 9)
    found = [set(each.tolist()) for each in table.best(3, 9, 5)]
    assert [len(each) for each in found] == [5, 5, 0]
    assert {0, 1} <= found[1]


def test_whether_a_name_stands_as_it_is_written_is_noted():
    names = [(0, "blinds", 0), (1, "blind", 0), (2, "bands (music)", 0), (2, "dance orchestra", 1)]
    witness = NamesWitness.of_names(WORDS, names, 3)
    written = {subject: match.as_written for subject, match in found("curtains and blinds of a band", witness).items()}
    assert written == {0: True, 1: False, 2: False}
    assert found("a band among other bands", witness)[2].as_written  # one place is enough
    heard = witness.hear(asked_about(["Blinds."]))
    numbers = heard.features(np.zeros(3, int), np.arange(3))[:, PLACE["name_as_written"]]
    assert numbers.tolist() == [1, 0, -1]


def test_words_that_begin_alike_find_names_that_do_not_stand_in_the_text():
    names = [(0, "Euphorbiaceae", 0), (1, "asbestosis", 0), (2, "asb", 0), (3, "photosynthesis", 0), (4, "world", 0)]
    witness = NamesWitness.of_names(WORDS, names, 5)
    heard = witness.hear(asked_about(["euphorbia and asbestos", "a photograph"]))
    assert set(heard.candidates()[0]) == {0, 1}
    share = heard.features(np.zeros(5, int), np.arange(5))[:, PLACE["name_alike_share"]]
    stems = witness.words.analyse.all_words("euphorbia euphorbiaceae")[0]
    np.testing.assert_allclose(share[0], (len(stems[0]) / len(stems[1])) ** 2, rtol=1e-6)
    assert share[1] >= 0.3
    assert (share[2:] == 0).all()
    assert witness.alike_words(0, ["euphorbia and asbestos"]) == ["euphorbia"]
    assert not set(heard.candidates()[1])  # less than half of the longer word is the same


def asked_about(texts: list[str]) -> AskedTexts:
    return AskedTexts(sp.csr_array(WORDS.transform(texts)), np.zeros((len(texts), 2), np.float32), 5, texts)
