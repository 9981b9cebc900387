"""The fit of an index: which model is chosen, MLSI's views, and M-LSA's space of records, words, labels and links."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.sparse as sp

from tacit.errors import InputError
from tacit.models.mlsa.mlsa import MLSA
from tacit.models.spaces import SPACES
from tacit.relations.tables.relations import Relations
from tacit.tasks.build.fitted_space import RecordKnowledge
from tacit.tasks.build.fitting import fit_model
from tacit.tasks.build.relations import _link_weight, fit_relations
from tacit.tasks.build.settings import BuildSettings, dimensions_for, growth_of
from tacit.tasks.stage_progress import StageReporter
from tacit.text import TextSettings
from tacit.text.words import Words

SEA = ["whale", "dolphin", "ship", "harbour", "wave", "tide", "sailor", "anchor"]
HOME = ["cat", "dog", "kitchen", "table", "garden", "chair", "lamp", "carpet"]


def collection(n: int = 40) -> tuple[sp.csr_array, RecordKnowledge]:
    """Two subjects; two authors for each, a journal for all but one record, and an author of a single record."""
    rng = np.random.default_rng(7)
    texts, labels, authors, journals = [], [], [], []
    for number in range(n):
        words, label, names = (SEA, "sea", ["Ann", "Bo"]) if number % 2 else (HOME, "home", ["Cy", "Di"])
        texts.append(" ".join(rng.choice(words, 6)) + " " + str(rng.choice([*SEA, *HOME])))
        labels.append(() if number % 8 == 7 else (label,))
        authors.append((names[number // 2 % 2], *(["Once"] if number == 5 else [])))
        journals.append(() if number == 0 else ("Journal",))
    X = Words.fit(texts, TextSettings(min_records=1))[1]
    return X, RecordKnowledge(labels, {"author": authors, "journal": journals})


def settings(**changed: object) -> BuildSettings:
    return BuildSettings(**{"n_components": 6, "suggester": "none", **changed})  # type: ignore[arg-type]


def fitted_by_hand(X, known, model):
    """The relations of the module's table, written out: labels, their mean records, links of two records or more."""
    label_names = ["home", "sea"]
    Y = np.array([[name in own for name in label_names] for own in known.labels], float)
    relations = Relations().add("record", "term", X.toarray(), normalise="spectral")
    relations = relations.add("record", "label", Y, columns=label_names, weight=0.5, normalise="spectral")
    means = (Y / Y.sum(axis=0)).T @ X.toarray()
    relations = relations.add("label", "term", means, weight=2.0, normalise="spectral")
    for link, targets in known.links.items():
        names = sorted({name for own in targets for name in own if name != "Once"})
        table = np.array([[name in own for name in names] for own in targets], float)
        n_words = X.nnz
        n_links = sum(map(len, targets))
        weight = min(2.0, max(0.1, np.sqrt(n_links / n_words)))
        relations = relations.add(
            "record", link, table / np.sqrt(table.sum(axis=0)), columns=names, weight=weight, normalise="spectral"
        )
    return model.fit(relations)


@pytest.fixture(scope="module")
def fitted():
    X, known = collection()
    return X, known, fit_model(X, known, settings(model="mlsa", parameters={"tol": 1e-9}), StageReporter(None))


@pytest.fixture(scope="module")
def by_hand(fitted):
    return fitted_by_hand(*fitted[:2], MLSA(6, tol=1e-9))


def same_up_to_signs(one, other):
    np.testing.assert_allclose(one @ one.T, other @ other.T, atol=2e-4)


def test_mlsa_has_labels_and_every_type_of_link(fitted):
    X, _, found = fitted
    assert found.model == "M-LSA"
    assert list(found.others) == ["author", "journal"]
    assert sorted(found.others["author"][0]) == ["Ann", "Bo", "Cy", "Di", "Once"]
    assert found.positions.shape == (40, 6)
    assert found.parameters["weight of author"] == pytest.approx(np.sqrt(41 / X.nnz), abs=1e-3)


def test_the_space_is_that_of_the_relations_written_out(fitted, by_hand):
    _, _, found = fitted
    same_up_to_signs(found.positions, by_hand.positions_["record"])
    names, places = found.others["author"]
    shared = [names.index(name) for name in ("Ann", "Bo", "Cy", "Di")]
    same_up_to_signs(
        np.vstack([found.positions, places[shared]]),
        np.vstack([by_hand.positions_["record"], by_hand.positions_["author"]]),
    )


def test_words_are_placed_as_fold_in_places_them(fitted, by_hand):
    X, _, found = fitted
    new = np.zeros((3, X.shape[1]), np.float32)
    new[[0, 1, 2], [0, 3, 5]] = 1
    expected = by_hand.fold_in("record", {"term": new})
    same_up_to_signs(
        np.vstack([found.positions, new @ found.terms]), np.vstack([by_hand.positions_["record"], expected])
    )
    assert found.offset is None


def test_a_record_placed_by_all_it_has_is_where_it_was(fitted, by_hand):
    X, known, found = fitted
    Y = np.array([[name in own for name in ("home", "sea")] for own in known.labels], float)
    rows = {"term": X.toarray(), "label": Y}
    for link in ("author", "journal"):
        table = by_hand.relations_.block(f"record-{link}").matrix
        rows[link] = table.toarray() if sp.issparse(table) else table
    np.testing.assert_allclose(by_hand.fold_in("record", rows), by_hand.positions_["record"], atol=1e-5)
    same_up_to_signs(by_hand.fold_in("record", rows), found.positions)


def test_what_is_linked_to_one_record_is_placed_by_it_and_changes_nothing(fitted):
    X, known, _ = fitted
    without = [tuple(name for name in own if name != "Once") for own in known.links["author"]]
    other = fit_model(
        X,
        RecordKnowledge(known.labels, {**known.links, "author": without}),
        settings(model="mlsa", parameters={"tol": 1e-9, "link_weight": 0.4}),
        StageReporter(None),
    )
    same = fit_model(
        X, known, settings(model="mlsa", parameters={"tol": 1e-9, "link_weight": 0.4}), StageReporter(None)
    )
    same_up_to_signs(other.positions, same.positions)
    names, places = same.others["author"]
    concept = same.positions[5]
    once = places[names.index("Once")]
    # c of the record itself: its position, with each dimension divided by its eigenvalue, which is positive
    assert np.all(np.sign(once[np.abs(once) > 1e-6]) == np.sign(concept[np.abs(once) > 1e-6]))


def test_things_are_nearer_to_their_own_records_than_to_others(fitted):
    _, known, found = fitted
    names, places = found.others["author"]
    positions = found.positions / np.linalg.norm(found.positions, axis=1, keepdims=True)
    for name in ("Ann", "Bo", "Cy", "Di"):
        near = positions @ places[names.index(name)]
        own = np.array([name in authors for authors in known.links["author"]])
        assert near[own].mean() > near[~own].mean()


def test_strengths_take_things_to_the_sum_of_their_records(fitted, by_hand):
    _, known, found = fitted
    np.testing.assert_allclose(found.strengths, by_hand.eigenvalues_, rtol=1e-4)
    names, places = found.others["author"]
    for name in names:
        own = [row for row, authors in enumerate(known.links["author"]) if name in authors]
        there, summed = places[names.index(name)] * found.strengths, found.positions[own].sum(axis=0)
        assert there @ summed == pytest.approx(np.linalg.norm(there) * np.linalg.norm(summed), rel=1e-4)


def test_the_weight_of_links_grows_with_how_many_there_are_for_a_word():
    X = sp.csr_array(np.ones((10, 10), np.float32))
    assert _link_weight(sp.csr_array(np.eye(10, 64)), X) == pytest.approx(np.sqrt(0.1))
    assert _link_weight(sp.csr_array(np.ones((10, 2))), X) == pytest.approx(np.sqrt(0.2))
    assert _link_weight(sp.csr_array(np.ones((10, 900))), X) == 2.0
    assert _link_weight(sp.csr_array(np.eye(10)[:, :1]), np.ones((10, 500))) == 0.1


@pytest.mark.parametrize("vectors", [False, True])
def test_links_without_labels_and_vectors_instead_of_words_will_do(vectors):
    X, known = collection()
    X = np.random.default_rng(0).normal(size=(40, 12)).astype(np.float32) if vectors else X
    found, by_words = fit_relations(SPACES["mlsa"], X, None, RecordKnowledge([()] * 40, known.links), settings())
    assert found.positions.shape == by_words.shape == (40, 6)
    assert found.positions.dtype == found.terms.dtype == by_words.dtype == np.float32
    np.testing.assert_allclose(by_words, X @ found.terms, atol=1e-6)


def test_links_that_lead_nowhere_do_not_count():
    X, known = collection()
    found = fit_model(X, RecordKnowledge(known.labels, {"cites": [()] * 40}), settings(), StageReporter(None))
    assert found.model == "MLSI"
    with pytest.raises(InputError, match="model needs labels or links: got 'mlsa' for records without any"):
        fit_model(X, RecordKnowledge([()] * 40, {"cites": [()] * 40}), settings(model="mlsa"), StageReporter(None))


def test_labels_alone_are_enough_for_mlsa():
    X, known = collection()
    found = fit_model(X, RecordKnowledge(known.labels, {}), settings(model="mlsa"), StageReporter(None))
    assert found.model == "M-LSA"
    assert not found.others


def test_links_of_one_record_each_leave_plain_lsa_of_words():
    X, _ = collection()
    each = [(f"a{number}",) for number in range(40)]
    linked = RecordKnowledge([()] * 40, {"author": each})
    found = fit_model(X, linked, settings(model="mlsa", parameters={"tol": 1e-9}), StageReporter(None))
    left, sizes, _ = np.linalg.svd(X.toarray(), full_matrices=False)
    # M-LSA's eigenvectors hold records and terms, each half of the length
    same_up_to_signs(found.positions, left[:, :6] * sizes[:6] / sizes[0] / np.sqrt(2))
    assert len(found.others["author"][0]) == 40


def test_links_of_no_weight_are_placed_but_move_nothing():
    X, known = collection()
    plain = fit_model(
        X, RecordKnowledge(known.labels, {}), settings(model="mlsa", parameters={"tol": 1e-9}), StageReporter(None)
    )
    found = fit_model(X, known, settings(model="mlsa", parameters={"tol": 1e-9, "link_weight": 0}), StageReporter(None))
    same_up_to_signs(found.positions, plain.positions)
    assert found.others["author"][1].any(axis=1).all()


def test_the_suggester_learns_where_words_place_records():
    X, known = collection()
    found = fit_model(X, known, settings(suggester="ridge"), StageReporter(None))
    assert found.suggester is not None
    assert found.label_names == ("home", "sea")
    own = np.array([known.labels[row] == ("sea",) for row in range(40)])
    means = found.positions[own].mean(axis=0)
    np.testing.assert_allclose(found.label_positions[1], means, atol=1e-6)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"link_weight": -1}, "link_weight is out of range: got -1"),
        ({"lable_weight": 1}, "parameters has an unknown name: got 'lable_weight'"),
        ({"link_weight": "much"}, "link_weight is out of range: got 'much'"),
    ],
)
def test_wrong_parameters_are_named(parameters, message):
    X, known = collection()
    with pytest.raises(InputError, match=message):
        fit_model(X, known, settings(model="mlsa", parameters=parameters), StageReporter(None))


def test_models_that_need_labels_say_so():
    X, known = collection()
    with pytest.raises(InputError, match="model needs labels: got 'hlsi' for records without any"):
        fit_model(X, RecordKnowledge([()] * 40, known.links), settings(model="hlsi"), StageReporter(None))
    with pytest.raises(InputError, match="model needs labels or links: got 'mlsi' for records without any"):
        fit_model(X, RecordKnowledge([()] * 40, {}), settings(model="mlsi"), StageReporter(None))


def directions(positions):
    return positions / np.linalg.norm(positions, axis=1, keepdims=True)


def test_all_that_is_known_makes_one_space_and_everything_has_a_place_in_it():
    X, known = collection()
    found = fit_model(X, known, settings(), StageReporter(None))
    assert found.model == "MLSI"
    assert found.emphasis.emphasis == {"labels": 1.0, "author": 0.1, "journal": 0.1, "words": 0.1}
    assert list(found.known_views.views) == ["labels", "author", "journal"]
    assert found.known_views.views["author"].names == ["Ann", "Bo", "Cy", "Di"]  # not who has a single record
    names, places = found.others["author"]
    for name, place in zip(names, places, strict=True):
        own = [row for row, authors in enumerate(known.links["author"]) if name in authors]
        np.testing.assert_allclose(place, found.positions[own].mean(axis=0), atol=1e-6)


def test_a_link_of_weight_0_changes_no_position_but_its_things_have_places():
    X, known = collection()
    without = fit_model(X, RecordKnowledge(known.labels, {}), settings(), StageReporter(None))
    found = fit_model(X, known, settings(weights={"author": 0, "journal": 0}), StageReporter(None))
    used = fit_model(X, known, settings(weights={"author": 1.0, "journal": 0}), StageReporter(None))
    same_up_to_signs(directions(found.positions), directions(without.positions))
    assert (
        np.abs(
            directions(used.positions) @ directions(used.positions).T
            - directions(found.positions) @ directions(found.positions).T
        ).max()
        > 0.1
    )
    assert list(found.known_views.views) == ["labels"]
    assert found.others["author"][1].shape == (5, 6)
    assert found.others["author"][1].any(axis=1).all()


def test_more_weight_brings_the_records_of_a_thing_together():
    X, known = collection()
    unlabelled = RecordKnowledge([()] * 40, {"author": known.links["author"]})
    alike = []
    for weight in (0.01, 10.0):
        found = fit_model(X, unlabelled, settings(weights={"author": weight}), StageReporter(None))
        rows = directions(found.positions)
        own = [row for row, authors in enumerate(known.links["author"]) if "Ann" in authors]
        alike.append((rows[own] @ rows[own].T).mean())
    assert alike[1] > alike[0] + 0.05


def test_links_that_relate_no_records_leave_lsi_of_words():
    X, _ = collection()
    each = [(f"a{number}",) for number in range(40)]
    linked = RecordKnowledge([()] * 40, {"author": each})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = fit_model(X, linked, settings(parameters={"tol": 1e-9}), StageReporter(None))
    left = np.linalg.svd(X.toarray(), full_matrices=False)[0]
    same_up_to_signs(np.linalg.qr(found.positions)[0], left[:, :6])
    assert len(found.others["author"][0]) == 40


def test_unknown_names_of_weights_are_refused():
    X, known = collection()
    message = r"weights has an unknown name: got 'autor', expected some of author, journal, labels, words, or"
    with pytest.raises(InputError, match=message):
        fit_model(X, known, settings(weights={"autor": 1}), StageReporter(None))
    with pytest.raises(InputError, match=r"weights\['author'\] is out of range: got -1"):
        settings(weights={"author": -1})


def test_dimensions_follow_from_the_collection_unless_they_are_given():
    found = [dimensions_for(*sizes) for sizes in ((4, 0), (400, 10), (1_500, 10), (1_500, 500), (1_500, 5_000))]
    assert found == [2, 100, 200, 300, 375]
    assert dimensions_for(2_250, 10) == 300
    assert dimensions_for(10**6, 10) == dimensions_for(3_000, 10) == dimensions_for(6_000, 2_000) == 400
    # words count less where the dimensions grow faster than they did for the trial
    factors = [growth_of(n, n, labels).before for n, labels in ((1_500, 10), (3_000, 10), (10**5, 10), (3_000, 2_000))]
    np.testing.assert_allclose(factors, [1, (255 / 400) ** (1 / 0.6), 1, 1])
    X, known = collection()
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # nobody asked for more dimensions than there are
        by_default = fit_model(X, known, settings(n_components=None, weights={"journal": 0}), StageReporter(None))
    assert by_default.positions.shape[1] <= 10 + 20  # a quarter of the records, and some for the authors
    assert by_default.positions.shape[1] > 10
    given = fit_model(X, known, settings(n_components=7), StageReporter(None))
    assert given.positions.shape[1] == 7
