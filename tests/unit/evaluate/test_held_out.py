"""What is withheld from a relation is nowhere left in the graph, and is what the ranking is judged by."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics import ndcg_score

from tacit import MLSA, Relations
from tacit.errors import InputError
from tacit.evaluate import hold_out


@pytest.fixture
def graph():
    rng = np.random.default_rng(0)
    ratings = np.where(rng.random((30, 20)) < 0.5, rng.integers(1, 6, (30, 20)), 0)
    words = (rng.random((20, 15)) < 0.3).astype(float)
    friends = np.triu(rng.random((30, 30)) < 0.2, 1)
    base = Relations().add("user", "item", ratings, normalise="frobenius").add("item", "word", words, weight=0.5)
    base = base.add("user", "user", (friends + friends.T).astype(float), name="friends")
    base = base.add_product("user-item", "item-word", normalise="tfidf")
    return base.add_product(("word", "item"), ("item", "user"), name="back")


def test_the_parts_make_up_the_relation_and_do_not_overlap(graph):
    held = hold_out(graph, "user-item", share=0.3)
    whole = graph.block("user-item").matrix
    np.testing.assert_array_equal((held.known + held.withheld).toarray(), whole.toarray())
    assert not held.known.multiply(held.withheld).nnz
    assert held.withheld.nnz == round(0.3 * whole.nnz)


def test_products_are_made_of_what_is_left_either_way_round(graph):
    held = hold_out(graph, ("user", "item"))
    words = graph.block("item-word").matrix.toarray()
    left = held.known.toarray() @ words
    np.testing.assert_allclose(held.relations.block("user-word").matrix.toarray(), left)
    np.testing.assert_allclose(held.relations.block("back").matrix.toarray(), left.T)


def test_everything_else_stays(graph):
    held = hold_out(graph, "user-item")
    for name in ("item-word", "friends"):
        assert held.relations.block(name) is graph.block(name)
    changed = held.relations.block("user-item")
    assert (changed.weight, changed.normalise) == (1.0, "frobenius")
    assert held.relations.types == graph.types


def test_within_a_type_both_directions_go_together(graph):
    held = hold_out(graph, "friends")
    for part in (held.known, held.withheld):
        assert part.nnz
        assert not (part != part.T).nnz


def test_a_seed_decides_what_is_taken(graph):
    first, again, other = (hold_out(graph, "user-item", random_state=seed).withheld for seed in (1, 1, 2))
    assert not (first != again).nnz
    assert (first != other).nnz


def test_ndcg_is_that_of_the_reconstructed_relation(graph):
    held = hold_out(graph, "user-item")
    model = MLSA(n_components=4, solver="dense").fit(held.relations)
    both = {kind: model.concepts_[kind] for kind in ("user", "item")}
    R = both["user"] * model.eigenvalues_ @ both["item"].T
    truth, expected = held.withheld.toarray() > 0, []
    for row in np.flatnonzero(truth.any(axis=1)):
        open_items = held.known.toarray()[row] == 0
        expected.append(ndcg_score(truth[row][open_items][None].astype(float), R[row][open_items][None], k=10))
    assert held.ndcg(model) == pytest.approx(np.mean(expected), abs=1e-9)


def test_a_product_cannot_be_withheld(graph):
    with pytest.raises(InputError, match="relation is a product: got 'user-word'"):
        hold_out(graph, "user-word")


@pytest.mark.parametrize("share", [0, 1, -0.2, 2, "half"])
def test_the_share_lies_between_0_and_1(graph, share):
    with pytest.raises(InputError, match="share is out of range"):
        hold_out(graph, "user-item", share=share)


def test_too_few_entries_are_refused():
    graph = Relations().add("user", "item", sp.csr_array([[1.0, 0.0]]))
    with pytest.raises(InputError, match="too small to withhold from: got 1 entries in 'user-item'"):
        hold_out(graph, "user-item")
