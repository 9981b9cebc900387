"""M-LSA with relations that are not in memory: the same graph, the same space, and a sentence for what cannot be."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg as la
import scipy.sparse as sp

from tacit import MLSA, InputError, Relations
from tacit.operators.rows.disk_writer import write_rows
from tacit.relations.tables.scaling import is_symmetric, reached_columns, reached_rows


def counts(shape, seed, density=0.15):
    rng = np.random.default_rng(seed)
    matrix = sp.random_array(shape, density=density, rng=rng, format="csr")
    matrix.data = rng.integers(1, 5, matrix.nnz).astype(np.float64)
    return matrix


@pytest.fixture
def words():
    return counts((90, 40), 0)


@pytest.fixture
def far(words, tmp_path):
    return write_rows(tmp_path / "words", words, rows_per_shard=13)


def graph_of(words, **settings):
    graph = Relations().add("record", "word", words, **settings)
    graph = graph.add("record", "author", counts((90, 12), 1), weight=0.5, normalise="frobenius")
    return graph.add_product(("author", "record"), "record-word", name="author-word", weight=0.3)


def space_of(graph, n_components=4):
    return MLSA(n_components, solver="krylov", tol=1e-10).fit(graph)


def assert_same_space(one, other):
    np.testing.assert_allclose(one.eigenvalues_, other.eigenvalues_, rtol=1e-9)
    for kind in one.positions_:
        np.testing.assert_allclose(one.positions_[kind], other.positions_[kind], atol=1e-7)


@pytest.mark.parametrize("normalise", ["none", "tfidf", "frobenius", "spectral"])
def test_a_far_relation_gives_the_space_of_the_same_matrix(words, far, normalise):
    near, distant = (space_of(graph_of(matrix, normalise=normalise)) for matrix in (words, far))
    assert_same_space(near, distant)


def test_the_space_is_that_of_the_dense_matrix(words, far):
    """Independently of the library: R put together by hand, with the weights of tf-idf."""
    rarity = np.log(91 / (1 + np.count_nonzero(words.toarray(), axis=0))) + 1
    weighted = words.toarray() * rarity
    weighted /= np.linalg.norm(weighted, axis=1, keepdims=True)
    R = np.block([[np.zeros((90, 90)), weighted], [weighted.T, np.zeros((40, 40))]])
    found = space_of(Relations().add("record", "word", far, normalise="tfidf"))
    np.testing.assert_allclose(found.eigenvalues_, la.eigvalsh(R)[::-1][:4], rtol=1e-9)


@pytest.mark.parametrize("normalise", ["tfidf", "frobenius", "spectral", "none"])
def test_a_product_that_starts_with_far_rows_is_normalised(words, far, normalise):
    topics = counts((40, 7), 5)
    spaces = []
    for matrix in (words, far):
        graph = Relations().add("record", "word", matrix).add("word", "topic", topics)
        spaces.append(space_of(graph.add_product("record-word", "word-topic", normalise=normalise)))
    assert_same_space(*spaces)


def test_a_small_far_relation_has_the_spectral_norm_of_its_matrix(tmp_path):
    for shape in [(1, 30), (30, 1), (8, 9), (300, 200)]:
        matrix = counts(shape, 3, density=0.5)
        far = write_rows(tmp_path / f"{shape}", matrix, rows_per_shard=5)
        block = Relations().add("a", "b", far, normalise="spectral").block("a-b")
        assert block.scaling.factor == pytest.approx(1 / np.linalg.norm(matrix.toarray(), 2), rel=1e-8)


def test_records_and_labels(words, far):
    y = [{"a"} if i % 3 else {"a", "b"} for i in range(90)]
    y[0] = {"c"}
    near, distant = (MLSA(3, solver="krylov", tol=1e-10).fit(X, y) for X in (words, far))
    assert_same_space(near, distant)
    np.testing.assert_allclose(near.transform(words), distant.transform(words), atol=1e-7)
    np.testing.assert_allclose(near.transform(words), distant.transform(far), atol=1e-7)


def test_new_objects_are_placed_alike(words, far):
    new = {
        "record": {"word": counts((3, 40), 8), "author": counts((3, 12), 9)},
        "author": {"record": counts((2, 90), 10)},
    }
    near, distant = (space_of(graph_of(matrix, normalise="tfidf")) for matrix in (words, far))
    for kind, rows in new.items():
        np.testing.assert_allclose(near.fold_in(kind, rows), distant.fold_in(kind, rows), atol=1e-7)


def test_a_new_object_whose_far_product_is_weighted_by_tfidf_needs_a_row_of_its_own(words, far):
    graph = Relations().add("record", "word", far).add("word", "topic", counts((40, 7), 5))
    space = space_of(graph.add_product("record-word", "word-topic", normalise="tfidf"))
    with pytest.raises(InputError, match=r"rows lacks relation 'record-topic': .* weighted by tfidf"):
        space.fold_in("topic", {"word": counts((2, 40), 3)})


def test_the_summary_counts_what_is_related(words, far):
    near, distant = (Relations().add("record", "word", matrix).summary() for matrix in (words, far))
    assert near == distant


def test_reached_rows_and_columns(words, far):
    own, steps = words.toarray() != 0, counts((40, 7), 5, density=0.05)
    np.testing.assert_array_equal(reached_rows((far, steps)), (own @ (steps.toarray() != 0)).any(axis=1))
    np.testing.assert_array_equal(reached_columns((far, steps)), (own @ (steps.toarray() != 0)).any(axis=0))
    np.testing.assert_array_equal(reached_columns((far,)), own.any(axis=0))


def test_a_far_relation_within_one_type_must_be_symmetric(tmp_path):
    lopsided = counts((30, 30), 4)
    symmetric = sp.csr_array(lopsided + lopsided.T)
    far = write_rows(tmp_path / "symmetric", symmetric, rows_per_shard=4)
    assert is_symmetric((far,))
    assert_same_space(space_of(Relations().add("a", "a", symmetric)), space_of(Relations().add("a", "a", far)))
    with pytest.raises(InputError, match="within one type is not symmetric"):
        Relations().add("a", "a", write_rows(tmp_path / "lopsided", lopsided, rows_per_shard=4))


def test_what_needs_a_matrix_in_memory_is_refused(words, far):
    graph = Relations().add("record", "word", far, rows=range(90), columns=range(40))
    with pytest.raises(InputError, match=r"'record-word' is not in memory: .* cannot be restricted to some objects"):
        graph.restrict({"word": [1, 2]})
    with pytest.raises(InputError, match=r"cannot be extended. Add it after its types have all their objects"):
        graph.add("word", "topic", [[1.0], [1.0]], rows=[0, 99], columns=["x"])
    with pytest.raises(InputError, match=r"cannot be transposed. Begin the product at its other end"):
        graph.add("record", "author", counts((90, 12), 1)).add_product(("word", "record"), "record-author")
    with pytest.raises(InputError, match="cannot be returned as one matrix"):
        _ = graph.block("record-word").matrix
    with pytest.raises(InputError, match="matrix is not in the order of type 'word'"):
        Relations().add("word", "x", np.eye(40), rows=range(40)).add(
            "record", "word", far, columns=[*range(39, -1, -1)]
        )
    with pytest.raises(InputError, match=r"matrix is not in the order of type 'word': .* among 41"):
        Relations().add("word", "x", np.eye(41), rows=range(41)).add("record", "word", far, columns=range(40))
    with pytest.raises(InputError, match=r"normalise does not suit a product .* got 'tfidf'"):
        graph.add("record", "author", counts((90, 12), 1)).add_product(
            ("author", "record"), "record-word", normalise="tfidf"
        )


def test_a_far_relation_is_not_symmetrised(tmp_path):
    far = write_rows(tmp_path / "rows", counts((30, 30), 4))
    with pytest.raises(InputError, match=r"cannot be symmetrised. Write it symmetric"):
        Relations().add("a", "a", far, symmetrise=True)
