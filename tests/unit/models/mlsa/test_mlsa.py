"""M-LSA: what does not change the space, precision, answers to people, and what it refuses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from mlsa_graphs import QUERIES, RATINGS, TITLES, WORDS, large, numbers, small
from planted import Planted
from sklearn.exceptions import NotFittedError
from sklearn.metrics.pairwise import cosine_similarity

from tacit import MLSA, InputError, Relations, TacitWarning


def inner_products(model: MLSA, kinds: tuple[str, ...] = ("user", "film", "word")) -> np.ndarray:
    """All that distances and angles depend on; signs of the concepts drop out."""
    positions = np.vstack([model.positions_[kind] for kind in kinds])
    return positions @ positions.T


class TestPositions:
    def test_they_are_the_concepts_times_their_eigenvalues(self) -> None:
        model = MLSA(3, tol=1e-12).fit(small())
        for kind, concepts in model.concepts_.items():
            np.testing.assert_allclose(model.positions_[kind], concepts * model.eigenvalues_, atol=1e-10)


class TestWhatChangesNothing:
    def test_the_order_of_relations_and_types(self) -> None:
        relations = [("user", "film", RATINGS), ("film", "word", TITLES), ("user", "word", QUERIES)]
        forward, backward = Relations(), Relations()
        for rows, columns, matrix in relations:
            forward = forward.add(rows, columns, matrix)
        for rows, columns, matrix in reversed(relations):
            backward = backward.add(columns, rows, matrix.T)
        assert list(forward.types) != list(backward.types)
        one, other = MLSA(4).fit(forward), MLSA(4).fit(backward)
        np.testing.assert_allclose(one.eigenvalues_, other.eigenvalues_, rtol=1e-10)
        np.testing.assert_allclose(inner_products(one), inner_products(other), atol=1e-9)

    def test_the_order_of_objects(self, rng: np.random.Generator) -> None:
        model, shuffled = (MLSA(3).fit(graph) for graph in (small(), self._shuffled(rng)))
        np.testing.assert_allclose(model.eigenvalues_, shuffled.eigenvalues_, rtol=1e-10)
        for kind, names in model.relations_.types.items():
            there = [shuffled.relations_.index(kind, name) for name in names]
            assert there != sorted(there)
            np.testing.assert_allclose(
                np.abs(model.positions_[kind]), np.abs(shuffled.positions_[kind][there]), atol=1e-9
            )
        assert [name for name, _ in model.similar("user", "Cy", to="word")] == [
            name for name, _ in shuffled.similar("user", "Cy", to="word")
        ]

    @staticmethod
    def _shuffled(rng: np.random.Generator) -> Relations:
        graph = small()
        orders = {kind: [names[i] for i in rng.permutation(len(names))] for kind, names in graph.types.items()}
        return graph.restrict(orders)

    def test_the_same_seed_gives_the_same_space(self, rng: np.random.Generator) -> None:
        graph, _ = large(rng)
        for solver in ("lanczos", "krylov"):
            one, other = (MLSA(4, solver=solver, random_state=7).fit(graph) for _ in range(2))
            for kind in graph.types:
                np.testing.assert_array_equal(one.positions_[kind], other.positions_[kind])

    def test_one_factor_on_all_weights_scales_the_eigenvalues(self) -> None:
        graph = small()
        heavier = graph.with_weights({block.name: 3 * block.weight for block in graph.blocks})
        one, other = MLSA(3).fit(graph), MLSA(3).fit(heavier)
        np.testing.assert_allclose(other.eigenvalues_, 3 * one.eigenvalues_, rtol=1e-10)
        for kind in graph.types:
            np.testing.assert_allclose(other.concepts_[kind], one.concepts_[kind], atol=1e-9)


class TestWeights:
    def test_they_replace_those_of_the_relations(self) -> None:
        changed = {"asked": 0.9, ("user", "film"): 0.05}
        one = MLSA(3, weights=changed).fit(small())
        other = MLSA(3).fit(small().with_weights(changed))
        np.testing.assert_allclose(inner_products(one), inner_products(other), atol=1e-12)
        assert one.relations_.block("asked").weight == 0.9
        assert one.relations_.block("liked").weight == 0.4
        assert not np.allclose(inner_products(one), inner_products(MLSA(3).fit(small())), atol=1e-3)

    def test_zero_leaves_a_relation_out(self) -> None:
        graph = Relations().add("user", "film", RATINGS).add("user", "word", QUERIES)
        without = MLSA(3, weights={"user-word": 0}).fit(graph)
        plain = MLSA(3).fit(Relations().add("user", "film", RATINGS))
        np.testing.assert_allclose(
            inner_products(without, ("user", "film")), inner_products(plain, ("user", "film")), atol=1e-10
        )
        assert np.all(without.positions_["word"] == 0)

    def test_zero_label_weights_are_plain_lsa(self, planted: Planted) -> None:
        X, Y = planted.training
        with_labels = MLSA(4, label_weight=0, centroid_weight=0, tol=1e-10).fit(X, Y)
        plain = MLSA(4, tol=1e-10).fit(X)
        np.testing.assert_allclose(with_labels.eigenvalues_, plain.eigenvalues_, rtol=1e-9)
        one, other = with_labels.transform(X), plain.transform(X)
        np.testing.assert_allclose(one @ one.T, other @ other.T, atol=1e-7)


class TestRecords:
    def test_labels_draw_their_records_together(self, planted: Planted) -> None:
        """Of records that were folded in by their terms alone, those of the same labels are closer than without."""
        X, Y = planted.training
        X_new, Y_new = planted.new
        pairs = np.triu_indices(Y_new.shape[0], 1)
        same = (Y_new @ Y_new.T).toarray()[pairs] > 0

        def contrast(model: MLSA) -> float:
            likeness = cosine_similarity(model.transform(X_new))[pairs]
            return float(likeness[same].mean() - likeness[~same].mean())

        assert contrast(MLSA(6, label_weight=3).fit(X, Y)) > contrast(MLSA(6).fit(X)) + 0.04

    def test_transform_is_folding_in_by_terms(self, planted: Planted) -> None:
        X, Y = planted.training
        model = MLSA(4, weights={"record-term": 0.5}).fit(sp.csr_array(X), Y)
        np.testing.assert_allclose(model.transform(X), model.fold_in("record", {"term": X}), atol=1e-12)
        np.testing.assert_allclose(model.fit_transform(X, Y), model.transform(X), atol=1e-12)
        assert list(model.relations_.types) == ["record", "term", "label"]
        whole = model.fold_in("record", {"term": X, "label": Y})
        np.testing.assert_allclose(whole, model.positions_["record"], atol=1e-8)

    def test_labels_are_called_by_their_names(self) -> None:
        X = np.kron(np.eye(2), np.ones((3, 2))) + 0.01 * numbers(4, 6, 4)
        model = MLSA(2).fit(X, ["cats", "cats", "cats", "law", "law", "law"])
        assert {term for term, _ in model.similar("label", "cats", to="term", limit=2)} == {0, 1}
        assert {term for term, _ in model.similar("label", "law", to="term", limit=2)} == {2, 3}

    def test_records_with_unknown_labels_count_by_their_terms(self) -> None:
        X = numbers(5, 8, 5)
        model = MLSA(2).fit(X, ["a", "b", "a", None, "b", None, "a", "b"])
        rows = np.zeros((8, 2))
        rows[[0, 2, 6], 0] = rows[[1, 4, 7], 1] = 1
        np.testing.assert_array_equal(model.relations_.block("record-label").matrix.toarray(), rows)
        means = [X[[0, 2, 6]].mean(axis=0), X[[1, 4, 7]].mean(axis=0)]
        np.testing.assert_allclose(model.relations_.block("label-term").matrix.toarray(), means, atol=1e-12)

    def test_a_label_without_records_is_announced(self) -> None:
        Y = np.zeros((6, 3), int)
        Y[:3, 0] = Y[3:, 1] = 1
        with pytest.warns(TacitWarning, match="1 label has no record"):
            model = MLSA(2).fit(numbers(6, 6, 5), Y)
        assert model.relations_.sizes["label"] == 2

    def test_relations_that_look_like_records_are_relations(self) -> None:
        model = MLSA(2).fit(Relations().add("record", "term", numbers(7, 6, 4), name="text", normalise="tfidf"))
        assert not hasattr(model, "components_")
        assert model.positions_["record"].shape == (6, 2)

    def test_a_later_fit_forgets_the_records(self, planted: Planted) -> None:
        model = MLSA(3).fit(*planted.training).fit(small())
        assert model.labels_ is None
        assert not hasattr(model, "components_")


class TestPrecision:
    @pytest.mark.parametrize("solver", ["dense", "lanczos", "krylov"])
    def test_single_precision_stays(self, solver: str) -> None:
        model = MLSA(3, solver=solver).fit(small(np.float32))
        exact = MLSA(3, tol=1e-12).fit(small())
        for kind in exact.relations_.types:
            assert model.concepts_[kind].dtype == model.positions_[kind].dtype == np.float32
        assert model.fold_in("user", {"film": RATINGS.astype(np.float32)}).dtype == np.float32
        np.testing.assert_allclose(model.eigenvalues_, exact.eigenvalues_, rtol=1e-3)

    def test_single_precision_stays_with_labels(self, planted: Planted) -> None:
        X, Y = planted.training
        model = MLSA(3).fit(X.astype(np.float32), Y)
        assert {array.dtype for array in model.concepts_.values()} == {np.dtype(np.float32)}
        assert model.components_.dtype == model.eigenvalues_.dtype == np.float32


class TestAnswers:
    @pytest.mark.parametrize("measure", ["cosine", "dot"])
    @pytest.mark.parametrize("to", [None, "user", "word"])
    def test_similar_objects_are_those_of_brute_force(self, to: str | None, measure: str) -> None:
        model = MLSA(3).fit(small())
        own, others = model.positions_["user"][1], model.positions_[to or "user"]
        expected = []
        for name, position in zip(model.relations_.types[to or "user"], others, strict=True):
            score = sum(a * b for a, b in zip(own, position, strict=True))
            if measure == "cosine":
                score /= np.sqrt(sum(a * a for a in own)) * np.sqrt(sum(b * b for b in position))
            if to == "word" or name != "Bob":
                expected.append((name, score))
        expected = sorted(expected, key=lambda pair: -pair[1])[:3]
        found = model.similar("user", "Bob", to=to, limit=3, measure=measure)
        assert [name for name, _ in found] == [name for name, _ in expected]
        np.testing.assert_allclose([score for _, score in found], [score for _, score in expected], rtol=1e-9)

    def test_an_object_is_not_similar_to_itself(self) -> None:
        assert len(MLSA(3).fit(small()).similar("film", "Dune", limit=10)) == 3

    def test_an_object_without_relations_is_like_nothing(self) -> None:
        graph = Relations().add("user", "film", [[1, 1], [0, 1], [0, 0]], rows=["Ann", "Bob", "Cy"])
        assert {score for _, score in MLSA(1).fit(graph).similar("user", "Cy", to="film")} == {0.0}

    def test_the_table_of_concepts_is_that_of_brute_force(self) -> None:
        model = MLSA(3).fit(small())
        table = model.concept_table("word", n_concepts=2, limit=4)
        assert len(table) == 2
        for place, column in enumerate(table):
            weights = {name: model.concepts_["word"][i, place] for i, name in enumerate(WORDS)}
            assert column == sorted(weights.items(), key=lambda pair: -pair[1])[:4]
        assert len(model.concept_table("word", n_concepts=9)) == 3

    def test_the_first_concept_of_co_occurrences_has_no_negative_weight(self) -> None:
        """By the theorem of Perron and Frobenius; with it the sign convention puts all objects on the same side."""
        (column,) = MLSA(3).fit(small()).concept_table("user", n_concepts=1)
        assert min(weight for _, weight in column) > 0


class TestFewerConcepts:
    @pytest.mark.parametrize("solver", ["dense", "krylov"])
    def test_only_positive_eigenvalues_are_kept(self, solver: str) -> None:
        low_rank = numbers(8, 60, 2) @ numbers(9, 2, 50)
        with pytest.warns(TacitWarning, match="n_components=5 is more than the positive eigenvalues .*kept 2"):
            model = MLSA(5, solver=solver).fit(Relations().add("a", "b", low_rank))
        np.testing.assert_allclose(model.eigenvalues_, np.linalg.svd(low_rank)[1][:2], rtol=1e-6)
        assert model.positions_["a"].shape == (60, 2)

    def test_none_is_refused(self) -> None:
        graph = Relations().add("user", "user", -np.eye(3))
        with pytest.raises(InputError, match=r"relations have no positive eigenvalue: got none, expected at least one"):
            MLSA(1).fit(graph)


class TestBadInput:
    @pytest.fixture
    def model(self) -> MLSA:
        return MLSA(2).fit(small())

    @pytest.mark.parametrize(
        ("call", "message"),
        [
            (lambda m: m.similar("usr", "Ann"), r"type is unknown: got 'usr', .*Did you mean 'user'"),
            (lambda m: m.similar("user", "Ann", to="flim"), r"to is unknown: got 'flim', .*Did you mean 'film'"),
            (lambda m: m.similar("user", "Zoe"), r"type 'user' lacks an object: got 'Zoe', expected one of 6 names"),
            (
                lambda m: m.similar("user", "Ann", measure="l2"),
                r"measure is unknown: got 'l2', expected one of 'cosine'",
            ),
            (lambda m: m.similar("user", "Ann", limit=0), r"limit is out of range: got 0"),
            (lambda m: m.concept_table("words"), r"type is unknown: got 'words', .*Did you mean 'word'"),
            (lambda m: m.concept_table("word", n_concepts=0), r"n_concepts is out of range: got 0"),
            (lambda m: m.concept_table("word", limit=-1), r"limit is out of range: got -1"),
            (lambda m: m.transform(RATINGS), r"transform places records by their terms: .*Use fold_in"),
            (lambda m: MLSA(2).fit_transform(small()), r"transform places records by their terms: .*Use fold_in"),
        ],
    )
    def test_questions(self, model: MLSA, call: Any, message: str) -> None:
        with pytest.raises(InputError, match=message):
            call(model)

    @pytest.mark.parametrize(
        ("params", "message"),
        [
            ({"n_components": 0}, "n_components is out of range: got 0"),
            ({"label_weight": -1}, "label_weight is out of range: got -1"),
            ({"centroid_weight": "high"}, "centroid_weight is out of range: got 'high'"),
            ({"tol": 0}, "tol is out of range: got 0, expected a number above 0"),
            ({"solver": "svd"}, "solver is unknown: got 'svd'"),
            ({"max_iter": 0}, "max_iter is out of range: got 0"),
            ({"weights": {"asked": -1}}, r"weights\['asked'\] is out of range: got -1"),
            ({"weights": {"seen": 1}}, "relation is unknown: got 'seen'"),
            (
                {"weights": dict.fromkeys(["user-film", "film-word", "asked", "user-user", "liked"], 0)},
                "relations has no weight: got 0 for every relation, expected at least one above 0",
            ),
        ],
    )
    def test_parameters(self, params: dict[str, Any], message: str) -> None:
        with pytest.raises(InputError, match=message):
            MLSA(**params).fit(small())

    def test_an_empty_graph(self) -> None:
        with pytest.raises(InputError, match="relations is empty: got no relation, expected at least one"):
            MLSA(2).fit(Relations())

    def test_records(self) -> None:
        with pytest.raises(InputError, match="y has no labels"):
            MLSA(2).fit(numbers(7, 4, 3), [None] * 4)
        with pytest.raises(InputError, match="X has no entries"):
            MLSA(2).fit(np.zeros((4, 3)))
        with pytest.raises(InputError, match="X contains NaN"):
            MLSA(2).fit([[1, np.nan], [1, 2]])

    def test_before_fitting(self) -> None:
        for ask in (
            lambda m: m.transform(RATINGS),
            lambda m: m.fold_in("user", {"film": RATINGS}),
            lambda m: m.similar("user", "Ann"),
            lambda m: m.concept_table("user"),
        ):
            with pytest.raises(NotFittedError):
                ask(MLSA(2))
