"""Relations come to one scale as scikit-learn and LAPACK say, also as products that are never multiplied out."""

from __future__ import annotations

import tracemalloc
from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.feature_extraction.text import TfidfTransformer

from tacit.relations import Relations
from tacit.relations.tables import scaling as block_weights
from tacit.relations.tables.scaling import Factors, is_symmetric, normalised, row_blocks


def random_factors(rng: np.random.Generator, *sizes: int, density: float = 0.2) -> Factors:
    """Sparse matrices with positive and negative entries that can be multiplied one after the other."""
    return tuple(
        sp.csr_array(sp.random_array(shape, density=density, rng=rng, data_sampler=rng.standard_normal))
        for shape in pairwise(sizes)
    )


def multiplied(factors: Factors) -> np.ndarray:
    product = factors[0].toarray()
    for factor in factors[1:]:
        product = product @ factor.toarray()
    return product


def weighted(factors: Factors, normalise: str) -> np.ndarray:
    scale, scaled = normalised(factors, normalise)
    return scale * multiplied(scaled)


SIZES = [(40, 30), (40, 25, 30), (20, 15, 10, 30), (1, 30), (30, 1), (7, 3, 1)]


@pytest.mark.parametrize("sizes", SIZES)
def test_tfidf_is_that_of_scikit_learn(sizes: tuple[int, ...], rng: np.random.Generator) -> None:
    factors = tuple(abs(factor) for factor in random_factors(rng, *sizes))
    expected = TfidfTransformer().fit_transform(sp.csr_matrix(multiplied(factors))).toarray()
    np.testing.assert_allclose(weighted(factors, "tfidf"), expected, atol=1e-12)


@pytest.mark.parametrize("sizes", [*SIZES, (150, 90), (150, 80, 120)])
@pytest.mark.parametrize(("normalise", "order"), [("frobenius", "fro"), ("spectral", 2)])
def test_norms_are_those_of_lapack(
    sizes: tuple[int, ...], normalise: str, order: str, rng: np.random.Generator
) -> None:
    factors = random_factors(rng, *sizes, density=0.5)
    matrix = multiplied(factors)
    np.testing.assert_allclose(weighted(factors, normalise), matrix / np.linalg.norm(matrix, order), atol=1e-10)


@pytest.mark.parametrize("normalise", ["tfidf", "frobenius", "spectral", "none"])
def test_a_relation_that_lost_its_entries_stays_empty(normalise: str) -> None:
    graph = Relations().add("a", "b", np.eye(200), normalise=normalise).add("b", "c", np.eye(200))
    graph = graph.add_product("a-b", "b-c", normalise=normalise)
    left = graph.restrict({"a": range(100), "c": range(100, 200)})
    scale, factors = left.factors("a-c")
    assert np.isfinite(scale)
    assert not multiplied(factors).any()


def test_normalising_is_computed_for_the_objects_that_are_left(rng: np.random.Generator) -> None:
    ratings, titles = rng.integers(0, 5, (9, 8)), rng.integers(0, 2, (8, 6))
    graph = Relations().add("user", "item", ratings).add("item", "word", titles)
    graph = graph.add_product("user-item", "item-word", normalise="tfidf")
    graph.factors("user-word")
    scale, factors = graph.restrict({"user": [3, 1, 2], "item": [0, 7, 5, 4]}).factors("user-word")
    part = ratings[np.ix_([3, 1, 2], [0, 7, 5, 4])] @ titles[[0, 7, 5, 4]]
    np.testing.assert_allclose(scale * multiplied(factors), TfidfTransformer().fit_transform(part).toarray())


def test_objects_that_are_added_count_in_the_end(rng: np.random.Generator) -> None:
    words = rng.integers(0, 2, (4, 5))
    words[0, 0] = 1
    graph = Relations().add("item", "word", words, normalise="tfidf")
    grown = graph.add("item", "tag", [[1.0], [1.0]], rows=[0, 4])
    expected = TfidfTransformer().fit_transform(np.vstack([words, np.zeros(5)])).toarray()
    np.testing.assert_allclose(multiplied(grown.factors("item-word")[1]), expected)


@pytest.mark.parametrize("most", [1, 7, 100, 10**6])
@pytest.mark.parametrize("sizes", [(12, 9, 11), (12, 9, 4, 11)])
def test_pieces_of_rows_are_the_product(
    most: int, sizes: tuple[int, ...], rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(block_weights, "_ENTRIES_AT_ONCE", most)
    factors = random_factors(rng, *sizes, density=0.5)
    pieces = list(row_blocks(factors))
    assert [start for start, *_ in pieces] == [0, *(stop for _, stop, _ in pieces[:-1])]
    assert pieces[-1][1] == sizes[0]
    assert len(pieces) == 1 if most == 10**6 else len(pieces) > 1
    np.testing.assert_allclose(np.vstack([rows.toarray() for *_, rows in pieces]), multiplied(factors), atol=1e-12)


@pytest.mark.parametrize("normalise", ["tfidf", "frobenius", "spectral"])
def test_a_product_is_not_multiplied_out(normalise: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(block_weights, "_ENTRIES_AT_ONCE", 100_000)
    n = 3000
    graph = Relations().add("a", "b", np.ones((n, 1))).add("b", "c", np.ones((1, n)))
    graph = graph.add_product("a-b", "b-c", normalise=normalise)
    tracemalloc.start()
    try:
        scale, (left, right) = graph.factors("a-c")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < n * n  # multiplied out there are as many entries, of 12 bytes each
    entry = {"tfidf": 1 / np.sqrt(n), "frobenius": 1 / n, "spectral": 1 / n}[normalise]
    assert scale * left[[0]].toarray()[0, 0] * right[:, [n - 1]].toarray()[0, 0] == pytest.approx(entry)


def test_the_largest_singular_value_is_the_same_in_every_run(rng: np.random.Generator) -> None:
    factors = random_factors(rng, 300, 200, 100, density=0.05)
    assert normalised(factors, "spectral")[0] == normalised(factors, "spectral")[0]


def test_symmetry_is_seen_without_multiplying(rng: np.random.Generator) -> None:
    (matrix,) = random_factors(rng, 30, 20)
    assert is_symmetric((matrix, sp.csr_array(matrix.T)))
    assert is_symmetric((sp.csr_array((matrix @ matrix.T).astype(np.float32)),))
    assert not is_symmetric((matrix, sp.csr_array(abs(matrix).T)))
    nearly = sp.csr_array(matrix @ matrix.T).toarray()
    nearly[3, 5] += 1e-3
    assert not is_symmetric((sp.csr_array(nearly),))
