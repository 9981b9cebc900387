"""A recommender on top of a space of relations: what it takes from there, and people and items that are new."""

from __future__ import annotations

import numpy as np
import pytest

from tacit import MLSA, Relations
from tacit.errors import InputError
from tacit.tasks.recommend.recommender import Recommender

READERS = ["Ann", "Bob", "Cy", "Dee"]
BOOKS = ["Star ships", "Red planet", "Roses", "Herbs", "Comets"]
LOANS = np.array([[2, 1, 0, 0, 0], [1, 2, 0, 0, 0], [0, 0, 2, 1, 0], [0, 0, 1, 0, 0]], dtype=float)
WORDS = np.array([[1, 1, 0, 0], [0, 1, 0, 0], [0, 0, 1, 1], [0, 0, 0, 1], [0, 1, 0, 0]], dtype=float)


def graph(turned: bool = False) -> Relations:
    start = Relations().add("book", "word", WORDS, rows=BOOKS, weight=0.5)
    if turned:
        return start.add("book", "reader", LOANS.T, rows=BOOKS, columns=READERS)
    return start.add("reader", "book", LOANS, rows=READERS, columns=BOOKS)


@pytest.mark.parametrize("turned", [False, True])
def test_scores_are_what_the_space_remembers_of_the_relation(turned):
    space = MLSA(n_components=3, solver="dense").fit(graph(turned))
    scores = Recommender("positions").fit_space(space, "reader", "book").scores()
    R = (space.concepts_["reader"] * space.eigenvalues_) @ space.concepts_["book"].T
    np.testing.assert_allclose(scores, R, atol=1e-10)


def test_with_all_dimensions_the_ratings_themselves_come_out():
    # two types: R has λ and -λ, and the positive half holds a half of the relation
    plain = Relations().add("reader", "book", LOANS, rows=READERS, columns=BOOKS)
    with pytest.warns(UserWarning, match="fewer|positive"):
        space = MLSA(n_components=9, solver="dense").fit(plain)
    scores = Recommender("positions").fit_space(space, "reader", "book").scores()
    np.testing.assert_allclose(2 * scores, LOANS, atol=1e-10)


def test_names_and_ratings_come_from_the_space():
    space = MLSA(n_components=2).fit(graph())
    for by in ("neighbours", "positions"):
        found = Recommender(by).fit_space(space, "reader", "book")
        best = found.recommend("Dee", n=1)[0]
        assert best.id == "Herbs"
        assert "because you rated Roses 1" in best.why


def test_a_book_that_nobody_borrowed_is_recommended_by_its_words():
    space = MLSA(n_components=2).fit(graph())
    found = Recommender("positions").fit_space(space, "reader", "book")
    assert [one.id for one in found.recommend("Ann", n=1)] == ["Comets"]
    assert found.scores()[2, BOOKS.index("Comets")] == pytest.approx(0, abs=1e-9)


def test_someone_new_is_placed_by_what_they_borrowed():
    space = MLSA(n_components=2).fit(graph())
    found = Recommender("positions").fit_space(space, "reader", "book")
    rated = np.array([[0, 0, 0, 1, 0]], dtype=float)
    place = space.fold_in("reader", {"book": rated})
    assert found.recommend_new(place, n=1, rated=rated)[0].id == "Roses"


def test_the_ratings_may_need_a_name():
    twice = graph().add("reader", "book", LOANS > 0, rows=READERS, columns=BOOKS, name="wish")
    space = MLSA(n_components=2).fit(twice)
    with pytest.raises(InputError, match="relation is ambiguous"):
        Recommender().fit_space(space, "reader", "book")
    assert Recommender().fit_space(space, "reader", "book", relation="wish").ratings_.max() == 1


def test_types_and_relations_that_are_not_there_are_refused():
    space = MLSA(n_components=2).fit(graph())
    with pytest.raises(InputError, match="users is"):
        Recommender().fit_space(space, items="book")
    with pytest.raises(InputError, match="relation does not join 'reader' and 'book': got 'book-word'"):
        Recommender().fit_space(space, "reader", "book", relation="book-word")


def test_weights_of_dimensions_have_to_fit():
    with pytest.raises(InputError, match=r"dimension_weights does not match item_positions: got shape \(3,\)"):
        Recommender("positions").fit(LOANS, np.ones((4, 2)), np.ones((5, 2)), dimension_weights=[1, 2, 3])
    with pytest.raises(InputError, match="dimension_weights"):
        Recommender("positions").fit(LOANS, np.ones((4, 2)), np.ones((5, 2)), dimension_weights=[1, np.nan])
