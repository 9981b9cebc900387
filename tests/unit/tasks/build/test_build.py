"""Building and fitting anew: what is written answers as the model would, and nothing half-done counts."""

from __future__ import annotations

import warnings
from itertools import chain
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.preprocessing import normalize
from small_index import small_records, small_settings, small_taxonomy

import tacit
from tacit import HLSI, LSI, MLSI, InputError, LabelHead, TacitWarning
from tacit.corpus import ColumnMap, read_records
from tacit.corpus.record import Record
from tacit.index import verify
from tacit.models.common.record_kernel import honest_among
from tacit.tasks.build.fitting import _affordable, _check_room
from tacit.tasks.build.settings import BuildSettings
from tacit.tasks.build.weighing import stretch_of
from tacit.text import TextSettings, Words

RECORDS = small_records()
TEXTS = [record.text for record in RECORDS]
UNLABELLED = [Record("a", "whale ship"), Record("b", "ship whale")]
LABELS = [record.labels or None for record in RECORDS]
INFORMED = {"label_weight": 0.9, "scaling": 0.3}  # of MLSI in a build


def words_and_rows():
    return Words.fit(TEXTS, TextSettings(min_records=1))


@pytest.mark.parametrize(
    ("name", "model", "taxonomy"),
    [
        ("lsi", lambda: LSI(6, random_state=0), False),
        ("mlsi", lambda: MLSI(6, random_state=0, **INFORMED, emphasis={"words": 0.1, "labels": 1.0}), False),
        (
            "mlsi",
            lambda: MLSI(
                6,
                random_state=0,
                **INFORMED,
                taxonomy=small_taxonomy(),
                view_weights={"labels": 1.0, "taxonomy": 0.03},
                emphasis={"words": 0.1, "labels": 1.0, "taxonomy": 0.1},
            ),
            True,
        ),
        ("hlsi", lambda: HLSI(6, random_state=0, taxonomy=small_taxonomy()), True),
    ],
)
def test_an_index_places_and_suggests_as_the_model_does(tmp_path, name, model, taxonomy):
    settings = small_settings(model=name, suggester="logistic")
    tacit.build(RECORDS, tmp_path / "i", settings, taxonomy=small_taxonomy() if taxonomy else None)
    words, X = words_and_rows()
    fitted = model()
    honest = fitted.fit_transform(X) if name == "lsi" else fitted.fit_transform(X, LABELS)
    stretch = np.ones(honest.shape[1])
    if name == "mlsi":  # texts are moved outwards along axes that words hardly predict
        known = np.array([labels is not None for labels in LABELS])
        placed = fitted.training_coordinates(X)
        stretch = stretch_of(placed[known], honest[known])
        honest[known] = honest_among(fitted, X, np.flatnonzero(known), placed)
    head = LabelHead(random_state=0).fit(honest * stretch, LABELS)
    new = ["a whale and a ship in the harbour", "the cat on the carpet", "kettle"]
    with tacit.open(tmp_path / "i") as index:
        placed = fitted.transform(words.transform(new)) * stretch
        np.testing.assert_allclose(index.space.place(new), placed, atol=1e-5)
        expected = head.suggest(placed, limit=4)
        for found, wanted in zip(index.suggest(new, limit=4), expected, strict=True):
            assert [suggestion.label for suggestion in found] == [label for label, _ in wanted]
            np.testing.assert_allclose(
                [suggestion.probability for suggestion in found], [p for _, p in wanted], atol=1e-4
            )
        chosen = [{s.label for s in row if s.chosen} for row in index.suggest(new, limit=4)]
        assert chosen == [set(labels) for labels in head.predict_labels(placed)]
        if name == "mlsi":
            positions = fitted.training_coordinates(X, kind="transductive")
            positions[~known] *= stretch  # by their words, as other texts
            np.testing.assert_allclose(index.generation.array("positions"), positions, atol=1e-5)


@pytest.mark.parametrize(
    ("records", "taxonomy", "model"),
    [
        ([Record(r.id, r.text) for r in RECORDS], None, "LSI"),
        (RECORDS, None, "MLSI"),
        (RECORDS, small_taxonomy(), "MLSI"),
        (small_records(links=True), None, "MLSI"),
        ([Record(r.id, r.text, links=r.links) for r in small_records(links=True)], None, "MLSI"),
    ],
)
def test_the_model_follows_from_what_is_there(tmp_path, records, taxonomy, model):
    tacit.build(records, tmp_path / "i", small_settings(), taxonomy=taxonomy)
    with tacit.open(tmp_path / "i") as index:
        assert index.settings["fitted"]["model"] == model
        assert (index.suggester is None) == (not any(record.labels for record in records))
        assert (index.taxonomy is None) == (taxonomy is None)
        assert index.search("whale", limit=1)
    assert verify(tmp_path / "i") == []


def test_the_stages_are_told_in_order(tmp_path):
    told = []
    tacit.build(RECORDS, tmp_path / "i", small_settings(), report=told.append)
    ended = [stage.name for stage in told if stage.state == "end"]
    assert ended == ["reading", "words", "space", "suggester", "map", "writing"]
    assert told[0].state == "begin"
    assert all(stage.seconds >= 0 and stage.memory > 2**20 for stage in told)
    assert "60 records stored, 54 of them with labels" in next(stage.message for stage in told if stage.state == "end")


def test_what_is_known_beside_labels_is_weighed_in_a_stage_unless_it_is_said(tmp_path):
    records = small_records(240, links=True)
    for settings, taxonomy, expected in (
        (small_settings(), small_taxonomy(), True),
        (small_settings(weights={"author": 0.2}), None, True),
        (small_settings(weights={"author": 0.2, "words": 0.1}), None, False),
        (small_settings(weights={"author": 0.2}), small_taxonomy(), True),
        (small_settings(model="hlsi"), small_taxonomy(), False),
    ):
        told = []
        options = {"taxonomy": taxonomy, "report": told.append, "replace_old": True}
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # a trial with more dimensions than there are is nobody's concern
            path = tacit.build(records, tmp_path / "i", settings, **options)
        messages = [stage.message for stage in told if stage.name == "weights" and stage.state == "end"]
        assert bool(messages) == expected
        with tacit.open(path) as index:
            weights = index.info().weights
        if expected:
            assert messages[0].startswith("weights tried on 144 records: labels 1, ")
        assert set(weights) == (
            set() if settings.model == "hlsi" else {"words", "labels", "author"} | ({"taxonomy"} if taxonomy else set())
        )
        assert settings.weights.items() <= weights.items()


def test_a_refit_takes_the_records_of_now_and_the_settings_of_then(tmp_path):
    path = tacit.build(RECORDS, tmp_path / "i", small_settings(), taxonomy=small_taxonomy())
    with tacit.open(path) as index:
        with pytest.warns(TacitWarning, match="no word that the space knows"):
            index.add([Record("new", "zeppelin airship zeppelin balloon")])
        index.remove(["r3"])
    with tacit.open(path) as before:
        assert tacit.refit(path) == path
        assert len(before) == 60  # who had it open goes on reading
    with tacit.open(path) as index:
        assert len(index) == 60
        assert "r3" not in index
        assert index.taxonomy is not None
        assert index.settings["build"] == small_settings().to_facts()
        assert "zeppelin" in index.space.words.terms
        assert index.search("balloon", by="meaning", limit=1)[0].id == "new"


def test_a_refit_is_a_build_of_the_same_records(tmp_path):
    one = tacit.build(RECORDS, tmp_path / "one", small_settings())
    two = tacit.build(RECORDS, tmp_path / "two", small_settings())
    tacit.refit(two)
    with tacit.open(one) as a, tacit.open(two) as b:
        for name in a.generation.arrays:
            np.testing.assert_array_equal(a.generation.array(name), b.generation.array(name), err_msg=name)


def test_vectors_instead_of_words(tmp_path):
    rng = np.random.default_rng(0)
    vectors = rng.normal(size=(60, 12))
    path = tacit.build(RECORDS, tmp_path / "i", small_settings(vectors_only=True), vectors=vectors)
    with tacit.open(path) as index:
        assert index.search(vector=vectors[7], by="meaning", limit=60)
        assert index.search("whale", limit=3)  # by its words: a text has no vector
        np.testing.assert_allclose(index.space.place_vectors(vectors[:2]), vectors[:2] @ index.space.terms, atol=1e-4)
        with pytest.raises(InputError, match="query cannot be placed by its words: got a text, expected a vector"):
            index.search("whale", by="meaning")
        with pytest.raises(
            InputError, match=r"vectors does not fit this index: got shape \(1, 3\), expected \(n, 12\)"
        ):
            index.suggest(["x"], vectors=[[1, 2, 3]])
        index.add([Record("new", "anything")], vectors=vectors[:1])
    with pytest.raises(InputError, match="vectors of added records are not stored"):
        tacit.refit(path)
    tacit.refit(path, vectors=np.vstack([vectors, vectors[:1]]))
    with tacit.open(path) as index:
        assert len(index) == 61


def test_an_index_that_is_there_is_not_replaced_by_mistake(tmp_path):
    path = tacit.build(RECORDS, tmp_path / "i", small_settings())
    with pytest.raises(InputError, match="path is an existing index"):
        tacit.build(RECORDS[:20], path, small_settings())
    tacit.build(RECORDS[:20], path, small_settings(), replace_old=True)
    with tacit.open(path) as index:
        assert len(index) == 20


@pytest.mark.parametrize(
    ("records", "options", "sentence"),
    [
        ([], {}, "records is empty"),
        ([Record("a", "one"), Record("a", "two")], {}, "id .*'a'"),
        ([Record("a", "the"), Record("b", "of")], {}, "the texts have no words to index"),
        (RECORDS, {"vectors": np.ones((3, 2))}, "vectors does not match the records: got 3 rows for 60 records"),
        (RECORDS, {"vectors": np.full((60, 2), np.nan)}, "vectors"),
        (RECORDS, {"vectors": [["a"]]}, "vectors is not a table"),
        (RECORDS, {"settings": small_settings(parameters={"colour": 1})}, "parameters has an unknown name: got 'col"),
        (UNLABELLED, {"settings": small_settings(model="mlsi")}, "model needs labels or links: got 'mlsi'"),
        (UNLABELLED, {"settings": small_settings(model="mlsa")}, "model needs labels or links"),
    ],
)
def test_what_cannot_be_built_leaves_what_was_there(tmp_path, records, options, sentence):
    path = tacit.build(RECORDS, tmp_path / "i", small_settings())
    with pytest.raises(InputError, match=sentence):
        tacit.build(records, path, **{"settings": small_settings(), **options}, replace_old=True)
    with tacit.open(path) as index:
        assert len(index) == 60
    assert verify(path) == []


def test_settings_survive_json_and_are_checked():
    settings = small_settings(model="mlsi", parameters={"label_weight": 0.7}, suggester="ridge")
    assert BuildSettings.from_facts(settings.to_facts()) == settings
    for changed, sentence in (
        ({"model": "bert"}, "model .*'bert'"),
        ({"n_components": 0}, "n_components .*0"),
        ({"suggester": "oracle"}, "suggester .*'oracle'"),
        ({"min_label_records": 0}, "min_label_records .*0"),
    ):
        with pytest.raises(InputError, match=sentence):
            BuildSettings(**changed)
    with pytest.raises(InputError, match="settings are unknown: got 'colour'"):
        BuildSettings.from_facts({"colour": 1})


def test_a_suggester_on_words_and_positions_is_one_head_on_both(tmp_path):
    path = tacit.build(RECORDS, tmp_path / "i", small_settings(suggester="both"))
    words, X = words_and_rows()
    space = MLSI(6, random_state=0, **INFORMED, emphasis={"words": 0.1, "labels": 1.0})
    honest = space.fit_transform(X, LABELS)
    known = np.array([labels is not None for labels in LABELS])
    placed = space.training_coordinates(X)
    stretch = stretch_of(placed[known], honest[known])
    honest[known] = honest_among(space, X, np.flatnonzero(known), placed)
    honest = normalize(honest * stretch)
    head = LabelHead("svm", normalise=False, cv=3, random_state=0).fit(sp.hstack([X, honest / 2], format="csr"), LABELS)
    new = ["a whale and a ship in the harbour", "the cat on the carpet"]
    rows = words.transform(new)
    expected = head.predict_proba(sp.hstack([rows, normalize(space.transform(rows) * stretch) / 2], format="csr"))
    with tacit.open(path) as index:
        for found, wanted in zip(index.suggest(new, limit=4), expected, strict=True):
            column = {name: number for number, name in enumerate(head.classes_)}
            np.testing.assert_allclose(
                [one.probability for one in found], [wanted[column[one.label]] for one in found], atol=1e-4
            )
        why = index.explain(text=new[0], label="vessels")
        assert sum(part for _, part in why.words) + why.offset + why.intercept == pytest.approx(why.score, abs=1e-5)
    with pytest.raises(InputError, match="suggester='both' would take"):
        _check_room(10**6, 10**4)


@pytest.mark.parametrize(
    ("n_records", "n_labels", "n_terms", "method"),
    [
        (3_000, 100, 20_000, "both"),
        (10_000, 100, 20_000, "logistic"),
        (100_000, 100, 20_000, "logistic"),
        (1_000, 2_000, 20_000, "logistic"),
        (1_000_000, 10_000, 50_000, "neighbours"),
    ],
)
def test_the_suggester_follows_from_what_it_would_take(n_records, n_labels, n_terms, method):
    X = sp.csr_array(np.ones((1, 50)), shape=(1, 50))
    X.resize((1, n_terms))  # 50 words per record
    labels = SimpleNamespace(known=np.ones(n_records, bool), counts=np.array([*[8] * n_labels, 7]))  # the last is rare
    assert _affordable(X, labels, 100) == method


def test_a_suggester_on_vectors_and_positions(tmp_path):
    vectors = np.random.default_rng(0).normal(size=(60, 12))
    path = tacit.build(RECORDS, tmp_path / "i", small_settings(suggester="both", vectors_only=True), vectors=vectors)
    with tacit.open(path) as index:
        once = index.suggest(["", ""], vectors=vectors[:2], limit=2)
        thrice = index.suggest(["", ""], vectors=3 * vectors[:2], limit=2)
        for one, other in zip(chain(*once), chain(*thrice), strict=True):  # only directions count
            assert one.label == other.label
            assert one.probability == pytest.approx(other.probability)


def test_rare_labels_stay_with_their_records_but_are_not_learned(tmp_path):
    records = [*RECORDS[1:], Record("odd", "whale", labels=["curiosities", "animals"])]
    path = tacit.build(records, tmp_path / "i", small_settings(min_label_records=2))
    with tacit.open(path) as index:
        assert "curiosities" not in index.label_names
        assert index["odd"].labels == ("curiosities", "animals")


def test_records_without_any_text_are_related_by_their_links(tmp_path):
    source, rng = tmp_path / "films.csv", np.random.default_rng(0)
    lines = [f"f{film},{' ; '.join(f'u{2 * user + film % 2}' for user in rng.choice(10, 4))}" for film in range(40)]
    source.write_text("\n".join(["id,viewers", *lines]))
    records = read_records(source, columns=ColumnMap(links=["viewers"], label_separator=";"))
    path = tacit.build(records, tmp_path / "i")
    with tacit.open(path) as index:
        assert index.info().model == "M-LSA"
        near = [hit.id for hit in index.similar("f2", limit=5)]
        assert all(int(name[1:]) % 2 == 0 for name in near)
        assert index.search("anything") == []
    silent = [Record(str(number), "", links={"viewers": (str(number % 3),)}) for number in range(40)]
    with pytest.raises(InputError, match="model needs words: got 'mlsi' for records without any text"):
        tacit.build(silent, tmp_path / "j", BuildSettings(model="mlsi"))
