"""Whatever the labels, each form reads back as it was written, and rows and columns follow the selections."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from tacit.relations import LabelMatrix, as_labels

texts = st.text(max_size=4)
label_sets = st.lists(st.none() | st.frozensets(texts, max_size=5), max_size=12)
mixed_sets = st.lists(st.none() | st.frozensets(st.integers(-3, 3) | texts, max_size=5), max_size=12)
binary = hnp.arrays(bool, st.tuples(st.integers(0, 12), st.integers(0, 6)))


def same(one: LabelMatrix, other: LabelMatrix) -> bool:
    return (
        one.names == other.names
        and np.array_equal(one.known, other.known)
        and np.array_equal(one.indicator.toarray(), other.indicator.toarray())
    )


@given(mixed_sets)
def test_sets_round_trip(sets: list) -> None:
    labels = LabelMatrix.from_sets(sets)
    assert [None if row is None else set(row) for row in labels.to_sets()] == [
        None if row is None else set(row) for row in sets
    ]
    assert same(LabelMatrix.from_sets(labels.to_sets(), labels.names), labels)
    assert len(set(labels.names)) == labels.n_labels == len(set().union(*(row for row in sets if row)))


@given(binary, st.sampled_from([sp.csr_array, sp.csc_array, sp.coo_array, np.asarray]))
def test_matrix_round_trips_in_every_format(dense: np.ndarray, form: object) -> None:
    labels = LabelMatrix.from_matrix(form(dense))
    np.testing.assert_array_equal(labels.to_matrix(bool).toarray(), dense)
    assert same(LabelMatrix.from_matrix(labels.indicator), labels)
    assert labels.counts.tolist() == dense.sum(axis=0).tolist()
    assert same(LabelMatrix.from_sets(labels.to_sets(), labels.names), labels)


@given(binary, st.randoms())
def test_hidden_rows_round_trip_through_the_dense_form(dense: np.ndarray, random: object) -> None:
    known = np.array([random.random() < 0.6 for _ in dense], dtype=bool)
    labels = LabelMatrix.from_matrix(dense, known=known)
    np.testing.assert_array_equal(labels.indicator.toarray(), dense * known[:, None])
    if dense.shape[1]:  # without columns there is nowhere to write a NaN
        assert same(LabelMatrix.from_matrix(np.asarray(labels)), labels)


@given(st.lists(st.none() | texts, max_size=15))
def test_classes_round_trip(classes: list) -> None:
    labels = LabelMatrix.from_classes(classes)
    assert [None if row is None else row[0] for row in labels.to_sets()] == classes
    assert list(labels.names) == sorted({name for name in classes if name is not None})


@given(st.lists(st.integers(-5, 5), min_size=1, max_size=15), st.sampled_from([np.int8, np.int64, np.float32, object]))
def test_classes_of_any_type_are_the_same_labels(classes: list, dtype: type) -> None:
    assert same(as_labels(np.array(classes, dtype=dtype)), as_labels(classes))


@given(label_sets, st.data())
def test_selecting_rows_then_reading_equals_reading_then_selecting(sets: list, data: st.DataObject) -> None:
    labels = LabelMatrix.from_sets(sets)
    rows = data.draw(st.lists(st.integers(0, max(0, len(sets) - 1)), max_size=10 if sets else 0))
    assert labels[rows].to_sets() == [labels.to_sets()[row] for row in rows]
    assert same(LabelMatrix.from_sets([sets[row] for row in rows], labels.names), labels[rows])


@given(binary, st.randoms())
def test_column_selection_commutes_with_reading(dense: np.ndarray, random: object) -> None:
    order = list(range(dense.shape[1]))
    random.shuffle(order)
    order = order[: random.randint(0, len(order))]
    chosen = LabelMatrix.from_matrix(dense).select(order)
    assert chosen.names == tuple(order)
    np.testing.assert_array_equal(chosen.indicator.toarray(), dense[:, order])


@given(label_sets)
def test_distinct_sets_are_distinct_and_rebuild_the_indicator(sets: list) -> None:
    labels = LabelMatrix.from_sets(sets)
    membership, distinct = labels.distinct()
    np.testing.assert_array_equal((membership @ distinct).toarray(), labels.indicator.toarray())
    np.testing.assert_array_equal(membership.sum(axis=1), labels.known)
    assert distinct.shape[0] == len({frozenset(row) for row in sets if row is not None})


@given(label_sets)
def test_counts_of_rows_and_columns_agree(sets: list) -> None:
    labels = LabelMatrix.from_sets(sets)
    assert labels.counts.sum() == labels.indicator.nnz == sum(len(row) for row in sets if row)
    assert labels.n_empty_rows == sum(row is not None and not row for row in sets)
    assert labels.n_unknown == sum(row is None for row in sets)
    assert labels.empty_labels == ()
