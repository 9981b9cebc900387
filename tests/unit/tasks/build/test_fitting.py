"""The fit of an index: which model is chosen, and M-LSA's one space for records, words, labels and links."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from tacit.errors import InputError
from tacit.models.mlsa.mlsa import MLSA
from tacit.models.spaces import SPACES
from tacit.relations.tables.relations import Relations
from tacit.tasks.build.fitting import RecordKnowledge, _link_weight, fit_model, fit_relations
from tacit.tasks.build.settings import BuildSettings
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
    return X, known, fit_model(X, known, settings(parameters={"tol": 1e-9}), StageReporter(None))


@pytest.fixture(scope="module")
def by_hand(fitted):
    return fitted_by_hand(*fitted[:2], MLSA(6, tol=1e-9))


def same_up_to_signs(one, other):
    np.testing.assert_allclose(one @ one.T, other @ other.T, atol=2e-4)


def test_links_call_for_mlsa_with_labels_and_every_type_of_link(fitted):
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
        settings(parameters={"tol": 1e-9, "link_weight": 0.4}),
        StageReporter(None),
    )
    same = fit_model(X, known, settings(parameters={"tol": 1e-9, "link_weight": 0.4}), StageReporter(None))
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
    found = fit_model(
        X, RecordKnowledge([()] * 40, {"author": each}), settings(parameters={"tol": 1e-9}), StageReporter(None)
    )
    left, sizes, _ = np.linalg.svd(X.toarray(), full_matrices=False)
    # M-LSA's eigenvectors hold records and terms, each half of the length
    same_up_to_signs(found.positions, left[:, :6] * sizes[:6] / sizes[0] / np.sqrt(2))
    assert len(found.others["author"][0]) == 40


def test_links_of_no_weight_are_placed_but_move_nothing():
    X, known = collection()
    plain = fit_model(
        X, RecordKnowledge(known.labels, {}), settings(model="mlsa", parameters={"tol": 1e-9}), StageReporter(None)
    )
    found = fit_model(X, known, settings(parameters={"tol": 1e-9, "link_weight": 0}), StageReporter(None))
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
        fit_model(X, known, settings(parameters=parameters), StageReporter(None))


def test_models_that_need_labels_say_so():
    X, known = collection()
    with pytest.raises(InputError, match="model needs labels: got 'mlsi' for records without any"):
        fit_model(X, RecordKnowledge([()] * 40, known.links), settings(model="mlsi"), StageReporter(None))
