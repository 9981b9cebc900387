"""M-LSA against the equations of the paper, written out densely, and against LSA where it says that they agree."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.linalg as la
from mlsa_twin import Edge, Twin, categorisation_matrix, concepts_of, unified_matrix
from sklearn.feature_extraction.text import TfidfTransformer
from spaces import signs

from tacit import LSI, MLSA, Relations

K = 6
SOLVERS = ["dense", "lanczos", "krylov"]
SIZES = {"user": 40, "film": 30, "word": 50}


def related(seed: int, n: int, m: int) -> np.ndarray:
    """Co-occurrences, a third of them 0; spectra of such matrices have no two equal values."""
    rng = np.random.default_rng(seed)
    return rng.random((n, m)) * (rng.random((n, m)) < 0.66)


RATINGS, TITLES, QUERIES = related(0, 40, 30), related(1, 30, 50), related(2, 40, 50)


def fit(relations: Any, **params: Any) -> MLSA:
    return MLSA(**{"n_components": K, "tol": 1e-11, **params}).fit(relations)


def below_each_other(parts: dict[str, np.ndarray]) -> np.ndarray:
    return np.vstack(list(parts.values()))


def assert_same(model: MLSA, twin: Twin) -> None:
    """The same concepts up to their signs, which the paper leaves open."""
    np.testing.assert_allclose(model.eigenvalues_, twin.eigenvalues, rtol=1e-9)
    concepts, positions = below_each_other(model.concepts_), below_each_other(model.positions_)
    turned = signs(concepts, twin.concepts)
    np.testing.assert_allclose(concepts * turned, twin.concepts, atol=1e-7)
    np.testing.assert_allclose(positions * turned, twin.positions, atol=1e-7)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("weights", [(1.0, 1.0, 1.0), (0.3, 0.5, 0.2), (0.1, 0.8, 0.1)])
def test_three_types_solve_equations_five_and_six(solver: str, weights: tuple[float, float, float]) -> None:
    graph = Relations()
    names = [("user", "film", RATINGS), ("film", "word", TITLES), ("user", "word", QUERIES)]
    for (rows, columns, matrix), weight in zip(names, weights, strict=True):
        graph = graph.add(rows, columns, matrix, weight=weight)
    edges = [Edge(*relation, weight) for relation, weight in zip(names, weights, strict=True)]
    assert_same(fit(graph, solver=solver), concepts_of(unified_matrix(SIZES, edges), K))


@pytest.mark.parametrize("solver", SOLVERS)
def test_two_types_are_lsa(solver: str) -> None:
    """Sec. 4.3: the eigenvectors are the singular vectors of both sides, each with half of the squared length."""
    model = fit(Relations().add("user", "film", RATINGS), solver=solver)
    U, s, Vt = la.svd(RATINGS, full_matrices=False)
    np.testing.assert_allclose(model.eigenvalues_, s[:K], rtol=1e-9)
    turned = signs(model.concepts_["user"], U[:, :K])
    np.testing.assert_allclose(model.concepts_["user"] * turned, U[:, :K] / np.sqrt(2), atol=1e-8)
    np.testing.assert_allclose(model.concepts_["film"] * turned, Vt[:K].T / np.sqrt(2), atol=1e-8)


def test_records_without_labels_stand_as_in_lsi() -> None:
    X = related(3, 60, 25)
    ours, plain = fit(X).transform(X), LSI(K, tol=1e-11).fit_transform(X)
    np.testing.assert_allclose(2 * ours @ ours.T, plain @ plain.T, atol=1e-7)


@pytest.mark.parametrize("solver", SOLVERS)
def test_features_of_several_types_are_lsa_of_the_weighted_concatenation(solver: str) -> None:
    """Sec. 4.3: M = [α_12 M_12, α_13 M_13]."""
    colours, tags = related(4, 40, 12), related(5, 40, 9)
    graph = Relations().add("image", "word", QUERIES, weight=0.7).add("image", "colour", colours, weight=0.4)
    model = fit(graph.add("tag", "image", tags.T, weight=1.3), solver=solver)
    U, s, Vt = la.svd(np.hstack([0.7 * QUERIES, 0.4 * colours, 1.3 * tags]), full_matrices=False)
    np.testing.assert_allclose(model.eigenvalues_, s[:K], rtol=1e-9)
    turned = signs(model.concepts_["image"], U[:, :K])
    np.testing.assert_allclose(model.concepts_["image"] * turned, U[:, :K] / np.sqrt(2), atol=1e-8)
    features = np.vstack([model.concepts_[kind] for kind in ("word", "colour", "tag")])
    np.testing.assert_allclose(features * turned, Vt[:K].T / np.sqrt(2), atol=1e-8)


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_negative_eigenvalue_of_largest_magnitude_is_no_concept(solver: str) -> None:
    """Films that are much unlike each other: an iteration on R by itself would find these first."""
    rng = np.random.default_rng(6)
    basis = la.qr(rng.standard_normal((30, K)), mode="economic")[0]
    unlike = -(basis * [90, 80, 70, 60, 50, 40]) @ basis.T
    unlike = (unlike + unlike.T) / 2
    graph = Relations().add("user", "film", RATINGS).add("film", "film", unlike)
    R = unified_matrix({"user": 40, "film": 30}, [Edge("user", "film", RATINGS), Edge("film", "film", unlike)])
    values = la.eigvalsh(R)
    assert -values[K - 1] > values[-1]
    assert_same(fit(graph, solver=solver), concepts_of(R, K))


@pytest.mark.parametrize("solver", SOLVERS)
def test_relations_within_a_type_stand_on_the_diagonal(solver: str) -> None:
    friends = related(7, 40, 40)
    friends = friends + friends.T
    graph = Relations().add("user", "film", RATINGS).add("user", "user", friends, weight=0.2)
    edges = [Edge("user", "film", RATINGS), Edge("user", "user", friends, 0.2)]
    assert_same(fit(graph, solver=solver), concepts_of(unified_matrix({"user": 40, "film": 30}, edges), K))


def scaled(matrix: np.ndarray, normalise: str) -> np.ndarray:
    """A relation brought to a scale, by scikit-learn and LAPACK."""
    if normalise == "tfidf":
        return np.asarray(TfidfTransformer().fit_transform(matrix).todense())
    return matrix / {"none": 1.0, "frobenius": la.norm(matrix), "spectral": la.norm(matrix, 2)}[normalise]


@pytest.mark.parametrize("normalise", ["none", "tfidf", "frobenius", "spectral"])
@pytest.mark.parametrize("solver", SOLVERS)
def test_products_equal_the_multiplied_out_relations(solver: str, normalise: str) -> None:
    graph = Relations().add("user", "film", RATINGS).add("film", "word", TITLES, weight=0.5)
    product = scaled(RATINGS @ TITLES, normalise)
    weight = 0.4 / la.norm(product)
    model = fit(graph.add_product("user-film", "film-word", weight=weight, normalise=normalise), solver=solver)
    edges = [Edge("user", "film", RATINGS), Edge("film", "word", TITLES, 0.5), Edge("user", "word", product, weight)]
    assert_same(model, concepts_of(unified_matrix(SIZES, edges), K))
    assert max(len(block.factors) for block in model.relations_.blocks) == 2


@pytest.mark.parametrize("normalise", ["none", "tfidf", "frobenius", "spectral"])
def test_raw_rows_fold_in_to_the_positions_of_the_paper(normalise: str) -> None:
    """λ c of a converged solution: eqs. (5), (6); users by their ratings alone, words by the titles that have them."""
    graph = Relations().add("user", "film", RATINGS, normalise=normalise, weight=0.9)
    graph = graph.add("film", "word", TITLES, normalise=normalise, weight=0.5)
    model = fit(graph.add_product("user-film", "film-word", normalise=normalise, weight=0.4))
    edges = [
        Edge("user", "film", scaled(RATINGS, normalise), 0.9),
        Edge("film", "word", scaled(TITLES, normalise), 0.5),
        Edge("user", "word", scaled(RATINGS @ TITLES, normalise), 0.4),
    ]
    twin = concepts_of(unified_matrix(SIZES, edges), K)
    turned = signs(below_each_other(model.concepts_), twin.concepts)
    folded = [
        model.fold_in("user", {"film": RATINGS}),
        model.fold_in("film", {"user": RATINGS.T, "word": TITLES}),
        model.fold_in("word", {"film": TITLES.T}),
    ]
    np.testing.assert_allclose(np.vstack(folded) * turned, twin.positions, atol=1e-7 * np.abs(twin.positions).max())


def test_relations_of_the_same_types_add_up() -> None:
    graph = Relations().add("user", "film", RATINGS).add("user", "film", related(8, 40, 30), name="seen", weight=0.6)
    assert_same(
        fit(graph),
        concepts_of(
            unified_matrix({"user": 40, "film": 30}, [Edge("user", "film", RATINGS + 0.6 * related(8, 40, 30))]), K
        ),
    )


@pytest.mark.parametrize("several", [False, True], ids=["one label", "several labels"])
@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize(("alpha", "centroids"), [(0.3, 1.0), (1.0, 0.5), (0.0, 1.0)])
def test_records_with_labels_solve_equation_nine(solver: str, alpha: float, centroids: float, several: bool) -> None:
    rng = np.random.default_rng(9)
    X, Y = related(10, 60, 35), np.eye(4)[rng.integers(0, 4, 60)]
    if several:
        Y = np.maximum(Y, np.eye(4)[rng.integers(0, 4, 60)])
    model = MLSA(K, label_weight=alpha, centroid_weight=centroids, solver=solver, tol=1e-11).fit(X, Y)
    twin = concepts_of(categorisation_matrix(X, Y, alpha, centroids), K)
    assert_same(model, twin)
    new = related(11, 7, 35)
    turned = signs(below_each_other(model.concepts_), twin.concepts)
    np.testing.assert_allclose(model.transform(new) * turned, new @ twin.concepts[60:95], atol=1e-7)
