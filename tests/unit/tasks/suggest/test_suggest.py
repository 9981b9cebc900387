"""Suggestions of an index: many texts as one by one, limits and thresholds, ancestors, and Annif's shape."""

from __future__ import annotations

import numpy as np
import pytest
from small_index import small_records, small_settings, small_taxonomy

import tacit
from tacit import InputError
from tacit.corpus.record import Record
from tacit.index import Filters
from tacit.tasks.neighbour_labels import NEIGHBOURS
from tacit.tasks.suggest.suggest import Suggestion, suggest, suggest_records

TEXTS = [record.text for record in small_records(40, seed=5)]


@pytest.fixture(scope="module", params=["mlsi", "lsi"])
def index(request, tmp_path_factory):
    # a centred LSI has an offset, which a text without words must not be given
    centred = {"parameters": {"center": True}} if request.param == "lsi" else {}
    settings = small_settings(model=request.param, **centred)
    path = tmp_path_factory.mktemp("suggest") / "i"
    with tacit.open(tacit.build(small_records(), path, settings, taxonomy=small_taxonomy())) as opened:
        assert (opened.space.offset is not None) == (request.param == "lsi")
        yield opened


def test_probabilities_are_those_of_the_linear_scores(index):
    (found,) = suggest(index, ["whale harbour tide"], limit=None)
    position = index.space.place(["whale harbour tide"])[0].astype(np.float64)
    head = index.suggester
    scores = head.coef @ (position / np.linalg.norm(position)) + head.intercept
    scores = scores + (index.space.words.transform(["whale harbour tide"]) @ head.words)[0]
    expected = dict(zip(index.label_names, 1 / (1 + np.exp(-(head.slopes * scores + head.offsets))), strict=True))
    assert [one.label for one in found] == sorted(expected, key=lambda label: -expected[label])
    assert {one.label: one.probability for one in found} == pytest.approx(expected, abs=1e-5)
    assert {one.label for one in found if one.chosen} == {
        name for name, score, least in zip(index.label_names, scores, head.thresholds, strict=True) if score > least
    }


def test_many_texts_at_once_are_suggested_as_one_by_one(index):
    texts = [*TEXTS, "nothing known xyzzy", ""]
    together = suggest(index, texts, limit=3)
    assert together[-2:] == [[], []]
    for text, found in zip(texts, together, strict=True):
        (alone,) = suggest(index, [text], limit=3)
        assert [one.label for one in found] == [one.label for one in alone]
        assert [one.probability for one in found] == pytest.approx([one.probability for one in alone], abs=1e-5)


def test_blocks_of_scores_do_not_change_the_answer(index, monkeypatch):
    whole = suggest(index, TEXTS, limit=2)
    monkeypatch.setattr("tacit.tasks.suggest.suggest._CELLS", 13)
    for found, expected in zip(suggest(index, TEXTS, limit=2), whole, strict=True):
        assert [one.label for one in found] == [one.label for one in expected]
        assert [one.probability for one in found] == pytest.approx([one.probability for one in expected], abs=1e-5)


def test_limit_threshold_and_chosen_only_leave_out(index):
    everything = suggest(index, TEXTS, limit=None)
    assert all(len(found) == len(index.label_names) for found in everything)
    for found, two, likely, yes in zip(
        everything,
        suggest(index, TEXTS, limit=2),
        suggest(index, TEXTS, limit=None, threshold=0.3),
        suggest(index, TEXTS, limit=None, chosen=True),
        strict=True,
    ):
        assert two == found[:2]
        assert likely == [one for one in found if one.probability >= 0.3]
        assert yes == [one for one in found if one.chosen]
    assert any(one.chosen for found in everything for one in found)


def test_ancestors_come_nearest_first(index):
    (found,) = suggest(index, ["whale harbour"], limit=None)
    above = {one.label: one.ancestors for one in found}
    assert above["animals"] == ("sea", "world")
    assert above["pets"] == ("home", "world")


def test_records_are_suggested_in_batches_in_their_order(index):
    records = [Record(f"n{i}", text) for i, text in enumerate(TEXTS)]
    found = list(suggest_records(index, iter(records), limit=1, batch=7))
    assert [record for record, _ in found] == records
    # a batch of few is placed word by word, a larger one by a product
    labels = [[one.label for one in ones] for ones in suggest(index, TEXTS, limit=1)]
    assert [[one.label for one in ones] for _, ones in found] == labels


def test_annif_and_plain_shape():
    one = Suggestion("http://x/1", 0.25, True, "Cats", ("http://x/0",), ("Animals",))
    assert one.to_annif() == {"uri": "http://x/1", "label": "Cats", "notation": None, "score": 0.25}
    assert one.to_facts() == {
        "label": "http://x/1", "title": "Cats", "probability": 0.25, "chosen": True, "ancestors": ["http://x/0"],
        "ancestor_titles": ["Animals"],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"limit": 0}, r"limit is out of range: got 0, expected a whole number of at least 1\."),
        ({"threshold": 1.5}, r"threshold is out of range: got 1\.5, expected a number of at least 0 and at most 1\."),
    ],
)
def test_bad_options_are_refused(index, options, message):
    with pytest.raises(InputError, match=message):
        suggest(index, ["whale"], **options)


def test_an_index_without_labels_has_no_suggester(tmp_path):
    records = [Record(f"p{i}", text) for i, text in enumerate(TEXTS)]
    with tacit.open(tacit.build(records, tmp_path / "i", small_settings())) as plain:
        with pytest.raises(InputError, match="has no suggester: got an index that was built without labels"):
            suggest(plain, ["whale"])
        with pytest.raises(InputError, match="has no suggester"):
            next(suggest_records(plain, iter(())))


def test_a_label_first_seen_in_added_records_is_suggested_where_they_are(tmp_path):
    path = tacit.build(small_records(), tmp_path / "i", small_settings(), taxonomy=small_taxonomy())
    with tacit.open(path) as index:
        texts = [f"whale whale whale kettle kettle kettle {word}" for word in ("reef", "salt", "lamp", "dog") * 6]
        index.add([Record(f"n{n}", text, labels=("curiosities",)) for n, text in enumerate(texts)])
        index.add([Record("other", "cat dog garden", labels=("pets",))])
    text, at_home = "whale whale whale kettle kettle kettle", "cat dog garden chair lamp"
    with tacit.open(path) as index:
        near, far = suggest(index, [text, at_home], limit=None)
        (short,) = suggest(index, [text], limit=1)
        assert len(near) == len(index.label_names) + 1
        probabilities = {one.label: one.probability for one in near}
        position = index.space.place([text])[0]
        numbers, cosines = index.positions.nearest(position, 10)
        own = [index.store.get(np.array([number]))[0].labels == ("curiosities",) for number in numbers]
        assert probabilities["curiosities"] == pytest.approx((cosines**2)[own].sum() / (cosines**2).sum(), abs=1e-5)
        assert [one.probability for one in near] == sorted(probabilities.values(), reverse=True)
        assert {one.label: one.probability for one in far}.get("curiosities", 0) < 0.25 < 0.5 < near[0].probability
        assert short[0].label == near[0].label == "curiosities"
        assert short[0].chosen
        assert "curiosities" in {one.label for one in suggest(index, [text], chosen=True)[0]}
        assert len(index.search("whale", filters=Filters(labels=["curiosities"]), limit=50)) == 24
    with pytest.warns(tacit.TacitWarning, match="taxonomy lacks 1 of 5 labels"):
        tacit.refit(path)
    with tacit.open(path) as index:
        assert "curiosities" in index.label_names


def test_labels_of_the_nearest_records_are_suggested_without_training(tmp_path):
    settings = small_settings(suggester="neighbours")
    path = tacit.build(small_records(), tmp_path / "i", settings, taxonomy=small_taxonomy())
    with tacit.open(path) as index:
        assert index.suggester is None
        (found,) = suggest(index, ["whale harbour tide"], limit=None)
        numbers, cosines = index.positions.nearest(index.space.place(["whale harbour tide"])[0], NEIGHBOURS)
        weights = np.maximum(cosines, 0) ** 2
        expected: dict[str, float] = {}
        for record, weight in zip(index.store.get(numbers), weights / weights.sum(), strict=True):
            for label in record.labels:
                expected[label] = expected.get(label, 0) + weight
        assert {one.label: one.probability for one in found} == pytest.approx(expected, abs=1e-5)
        accepted = index.settings["fitted"]["share"]
        assert [one.chosen for one in found] == [one.probability >= accepted for one in found]
        assert index.info().suggester == "neighbours"
        index.add([Record("new", "whale harbour tide", labels=("curiosities",))])
    with tacit.open(path) as index:
        assert "curiosities" in {one.label for one in suggest(index, ["whale harbour tide"], limit=None)[0]}
