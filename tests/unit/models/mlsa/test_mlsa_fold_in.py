"""Folding in: raw rows land where the objects stand, what is unknown counts nothing, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from mlsa_graphs import (
    FRIENDS,
    NORMALISATIONS,
    QUERIES,
    RATINGS,
    TITLES,
    A,
    B,
    C,
    assert_own_rows,
    chain,
    counts,
    large,
    numbers,
    small,
)
from sklearn.feature_extraction.text import TfidfTransformer

from tacit import MLSA, InputError, Relations


class TestTrainingObjects:
    @pytest.mark.parametrize(
        ("solver", "tol"), [("krylov", 0.3), ("krylov", 1e-2), ("lanczos", 1e-2), ("lanczos", 1e-9), ("dense", 1e-2)]
    )
    def test_they_get_their_own_rows(self, rng: np.random.Generator, solver: str, tol: float) -> None:
        graph, made = large(rng)
        model = MLSA(5, solver=solver, tol=tol).fit(graph)
        assert_own_rows(model, "a", {"b": made["a-b"], "c": made["a-c"]})
        assert_own_rows(model, "b", {"a": made["a-b"].T, "c": sp.csr_array(made["b-c"])})
        assert_own_rows(model, "c", {"b": made["b-c"].T, "a": made["a-c"].T})

    def test_they_do_so_where_the_solver_stopped_early(self, rng: np.random.Generator) -> None:
        """λ c, as the paper has it, would be another row here than the one that folding in gives."""
        graph, _ = large(rng)
        model = MLSA(5, solver="krylov", tol=0.3).fit(graph)
        assert np.abs(model.positions_["a"] - model.concepts_["a"] * model.eigenvalues_).max() > 1e-4

    @pytest.mark.parametrize("normalise", NORMALISATIONS)
    def test_raw_rows_will_do_in_every_normalisation_from_either_side(self, normalise: str) -> None:
        model = MLSA(4).fit(Relations().add("a", "b", A, normalise=normalise, weight=0.7))
        assert_own_rows(model, "a", {"b": A})
        assert_own_rows(model, "b", {"a": sp.coo_array(A.T)})
        for row in range(len(A)):
            np.testing.assert_allclose(model.fold_in("a", {"b": A[row]}), model.positions_["a"][[row]], atol=1e-8)

    @pytest.mark.parametrize("normalise", NORMALISATIONS)
    def test_rows_of_products_are_raw_too(self, normalise: str) -> None:
        model = MLSA(4).fit(chain(normalise))
        assert_own_rows(model, "a", {"b": A, "c": A @ B, "d": A @ B @ C})
        assert_own_rows(model, "b", {"a": A.T, "c": B})
        assert_own_rows(model, "c", {"b": B.T, "a": (A @ B).T, "d": C})
        assert_own_rows(model, "d", {"c": C.T, "a": (A @ B @ C).T})

    @pytest.mark.parametrize("normalise", ["none", "frobenius", "spectral"])
    def test_relations_within_a_type_are_seen_from_any_side(self, normalise: str) -> None:
        graph = Relations().add("user", "film", RATINGS).add("user", "user", FRIENDS, normalise=normalise)
        graph = graph.add_product("user-film", ("film", "user"), name="alike", normalise=normalise, weight=0.1)
        model = MLSA(3).fit(graph)
        assert_own_rows(model, "user", {"film": RATINGS, "user-user": FRIENDS, "alike": RATINGS @ RATINGS.T})

    def test_relations_may_be_called_by_name_type_or_pair(self) -> None:
        model = MLSA(3).fit(small())
        rows = {"film": RATINGS, "asked": QUERIES, ("user", "user"): FRIENDS, "liked": RATINGS @ TITLES}
        assert_own_rows(model, "user", rows)
        one = {key: matrix[2] for key, matrix in rows.items()}
        np.testing.assert_allclose(model.fold_in("user", one), model.positions_["user"][2:3], atol=1e-8)


class TestNewObjects:
    @pytest.mark.parametrize("product", [False, True])
    def test_new_tfidf_rows_are_those_of_scikit_learn(self, product: bool) -> None:
        graph = chain("tfidf", n_types=3) if product else Relations().add("a", "c", A @ B, normalise="tfidf")
        model = MLSA(3).fit(graph)
        new = counts(3, 4, 8)
        expected = TfidfTransformer().fit(A @ B).transform(new) @ model.concepts_["c"]
        np.testing.assert_allclose(
            model.fold_in("a", {"c": new}), graph.block("a-c").weight * expected, rtol=1e-10, atol=1e-12
        )

    @pytest.mark.parametrize("product", [False, True])
    def test_new_tfidf_columns_have_their_own_rarity_and_the_lengths_of_the_rows(self, product: bool) -> None:
        graph = chain("tfidf", n_types=3) if product else Relations().add("a", "c", A @ B, normalise="tfidf")
        model = MLSA(3).fit(graph)
        new = np.array([[0, 3, 0, 0, 1, 0, 0, 0, 2.5], [1] * 9])
        weighted = A @ B * (np.log(10 / (1 + np.count_nonzero(A @ B, axis=0))) + 1)
        lengths = np.sqrt((weighted**2).sum(axis=1))
        rarity = np.array([np.log(10 / 4) + 1, np.log(10 / 10) + 1])
        expected = (new * rarity[:, None] / lengths) @ model.concepts_["a"]
        np.testing.assert_allclose(
            model.fold_in("c", {"a": new}), graph.block("a-c").weight * expected, rtol=1e-10, atol=1e-12
        )

    @pytest.mark.parametrize("normalise", NORMALISATIONS)
    def test_an_object_of_which_nothing_is_true_stands_at_the_origin(self, normalise: str) -> None:
        model = MLSA(3).fit(chain(normalise))
        for kind, other, size in (("a", "b", 7), ("b", "a", 9), ("d", "c", 8)):
            assert not model.fold_in(kind, {other: np.zeros((2, size))}).any()

    def test_what_is_unknown_counts_nothing(self) -> None:
        model = MLSA(3).fit(small())
        partial = model.fold_in("user", {"asked": QUERIES})
        np.testing.assert_allclose(partial, 0.2 * QUERIES @ model.concepts_["word"], atol=1e-12)
        silent = {"asked": QUERIES, "film": np.zeros((6, 4))}
        np.testing.assert_allclose(model.fold_in("user", silent), partial, atol=1e-12)

    def test_tfidf_rows_have_one_length_however_long_the_text(self) -> None:
        model = MLSA(3).fit(Relations().add("a", "b", A, normalise="tfidf"))
        np.testing.assert_allclose(model.fold_in("a", {"b": 7 * A}), model.fold_in("a", {"b": A}), atol=1e-12)

    def test_a_relation_without_weight_says_nothing(self) -> None:
        model = MLSA(3, weights={"asked": 0}).fit(small())
        assert not model.fold_in("user", {"asked": QUERIES}).any()

    def test_what_is_given_is_left_as_it_was(self) -> None:
        parts = (np.array([1.0, 2, 0, 3]), np.array([2, 0, 1, 2]), np.array([0, 4]))
        given = sp.csr_array(tuple(part.copy() for part in parts), shape=(1, 7))  # out of order, one twice, one 0
        model = MLSA(3).fit(Relations().add("a", "b", A, normalise="tfidf"))
        found = model.fold_in("a", {"b": given})
        np.testing.assert_allclose(found, model.fold_in("a", {"b": [2, 0, 4, 0, 0, 0, 0]}), atol=1e-12)
        for part, kept in zip((given.data, given.indices, given.indptr), parts, strict=True):
            np.testing.assert_array_equal(part, kept)

    @pytest.mark.parametrize("normalise", NORMALISATIONS)
    def test_single_precision_stays(self, normalise: str) -> None:
        graph = Relations().add("a", "b", A.astype(np.float32), normalise=normalise)
        graph = graph.add("b", "c", B.astype(np.float32)).add_product("a-b", "b-c", normalise=normalise)
        model = MLSA(3).fit(graph)
        for kind, rows in (("a", {"b": A}), ("c", {"b": B.T})):
            found = model.fold_in(kind, {key: matrix.astype(np.float32) for key, matrix in rows.items()})
            assert found.dtype == np.float32
            np.testing.assert_allclose(found, model.positions_[kind], atol=1e-4 * np.abs(found).max())


class TestColdStart:
    def test_a_direction_is_known_before_a_length_is(self) -> None:
        """An item known by its words alone stands nearer to the origin, and in the direction of its kind."""
        ratings = np.kron(np.eye(2), np.ones((5, 4))) + 0.01 * numbers(6, 10, 8)
        titles = np.kron(np.eye(2), np.ones((4, 3))) + 0.01 * numbers(7, 8, 6)
        model = MLSA(2).fit(Relations().add("user", "item", ratings).add("item", "word", titles))
        new = model.fold_in("item", {"word": [1, 1, 1, 0, 0, 0]})[0]
        users = model.positions_["user"] @ new
        cosines = users / np.linalg.norm(model.positions_["user"], axis=1) / np.linalg.norm(new)
        assert cosines[:5].min() > 0.98
        assert cosines[5:].max() < 0.2
        assert np.linalg.norm(new) < np.linalg.norm(model.positions_["item"], axis=1).min()


class TestBadInput:
    @pytest.fixture
    def model(self) -> MLSA:
        return MLSA(2).fit(small())

    @pytest.mark.parametrize(
        ("type", "rows", "message"),
        [
            ("usr", {"film": RATINGS}, r"type is unknown: got 'usr', .*Did you mean 'user'"),
            ("user", {}, r"rows is empty: got no relation of the new user objects, expected at least one"),
            ("user", RATINGS, r"rows is not a mapping: got ndarray, expected matrices by the names of relations"),
            ("user", {"seen": RATINGS}, r"relation is unknown: got 'seen'"),
            ("user", {"word": QUERIES}, r"relation is ambiguous: .*Use its name"),
            ("user", {"film-word": TITLES}, r"rows\['film-word'\] is not a relation of 'user': got 'film-word'"),
            (
                "user",
                {"film": RATINGS, "user-film": RATINGS},
                r"rows contains a relation twice: got 'film' and 'user-film', which are both 'user-film', exp",
            ),
            (
                "user",
                {"film": QUERIES},
                r"rows\['film'\] does not match the objects of type 'film': got 5 columns, expected 4",
            ),
            (
                "user",
                {"film": RATINGS, "asked": QUERIES[:2]},
                r"rows\['asked'\] does not match the other relations: got 2 rows for 6 records",
            ),
            ("user", {"film": [[1, 2, np.nan, 0]]}, r"rows\['film'\] contains NaN: the first one is in row 0"),
            (
                "user",
                {"film": [["5", "4", "", ""]]},
                r"rows\['film'\] does not contain numbers: got <U1, expected real",
            ),
            ("user", {"film": np.ones((1, 1, 4))}, r"rows\['film'\] has the wrong shape: got 3 dimensions, expected"),
            ("user", {"film": 5}, r"rows\['film'\] has the wrong shape: got 0 dimensions, expected one row per new"),
        ],
    )
    def test_one_clear_sentence(self, model: MLSA, type: str, rows: Any, message: str) -> None:
        with pytest.raises(InputError, match=message):
            model.fold_in(type, rows)
