"""Labels are read the same from every form, keep their names and their unknown rows, and say clearly what is wrong."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, dataclass

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import DataConversionWarning
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score, train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.utils import _safe_indexing, indexable

from tacit.errors import InputError
from tacit.relations import LabelMatrix, as_labels

SETS = [{"cats", "dogs"}, {"dogs"}, None, set(), ("birds",)]
NAMES = ("birds", "cats", "dogs")
DENSE = np.array([[0, 1, 1], [0, 0, 1], [0, 0, 0], [0, 0, 0], [1, 0, 0]])
KNOWN = np.array([True, True, False, True, True])


class Frame:
    """The little of a data frame that labels rely on: `columns` and `to_numpy`."""

    def __init__(self, columns: list[str], values: np.ndarray) -> None:
        self.columns = columns
        self._values = values

    def to_numpy(self) -> np.ndarray:
        return self._values


class Series:
    """The little of a series that labels rely on."""

    def __init__(self, values: object) -> None:
        self._values = np.asarray(values, dtype=object)

    def __iter__(self) -> object:
        return iter(self._values)

    def to_numpy(self) -> np.ndarray:
        return self._values


class NAType:
    """Refuses comparison and truth as the missing value of pandas does."""

    def __bool__(self) -> bool:
        raise TypeError("boolean value of NA is ambiguous")

    def __eq__(self, other: object) -> object:
        return self

    __hash__ = object.__hash__


@dataclass
class Doc:
    labels: list[str] | None


def assert_holds(labels: LabelMatrix, dense: np.ndarray, names: tuple, known: np.ndarray) -> None:
    np.testing.assert_array_equal(labels.indicator.toarray(), dense)
    np.testing.assert_array_equal(labels.known, known)
    assert labels.names == names
    assert labels.indicator.dtype == np.float64
    assert labels.indicator.has_canonical_format
    assert (labels.indicator.data == 1).all()


def test_sets_give_sorted_names_and_keep_unknown_apart_from_empty() -> None:
    labels = LabelMatrix.from_sets(SETS)
    assert_holds(labels, DENSE, NAMES, KNOWN)
    assert labels.kind == "sets"
    assert labels.n_unknown == 1
    assert labels.n_empty_rows == 1


@pytest.mark.parametrize(
    "form", [sp.csr_array, sp.csc_matrix, sp.coo_array, sp.lil_matrix, sp.dok_array, np.asarray, np.ndarray.tolist]
)
@pytest.mark.parametrize("dtype", [bool, np.uint8, np.int64, np.float32, np.float64])
def test_every_matrix_form_is_the_same_matrix(form: object, dtype: type) -> None:
    assert_holds(LabelMatrix.from_matrix(form(DENSE.astype(dtype)), names=NAMES), DENSE, NAMES, np.ones(5, dtype=bool))


def test_dense_nan_rows_and_the_known_mask_mean_unknown() -> None:
    dense = DENSE.astype(float)
    dense[2] = np.nan
    assert_holds(LabelMatrix.from_matrix(dense, NAMES), DENSE, NAMES, KNOWN)
    hidden = LabelMatrix.from_matrix(sp.csr_array(DENSE), NAMES, known=[False, True, False, True, True])
    assert hidden.to_sets() == [None, ("dogs",), None, (), ("birds",)]
    both = LabelMatrix.from_matrix(dense, NAMES, known=[False, True, True, True, True])
    assert both.to_sets() == hidden.to_sets()


def test_matrix_is_copied_so_that_later_changes_do_not_leak_in() -> None:
    mine = sp.csr_array(DENSE.astype(float))
    labels = LabelMatrix.from_matrix(mine)
    mine.data[:] = 7
    mine.indices[:] = 0
    np.testing.assert_array_equal(labels.indicator.toarray(), DENSE)


def test_stored_zeros_are_not_labels() -> None:
    stored = sp.csr_array((np.array([1, 0, 1]), np.array([0, 1, 2]), np.array([0, 2, 3])), shape=(2, 3))
    assert LabelMatrix.from_matrix(stored).indicator.nnz == 2


@pytest.mark.parametrize(
    ("classes", "names", "rows"),
    [
        (["b", "a", None, "b"], ("a", "b"), [1, 0, None, 1]),
        (["b", "a", float("nan"), "b"], ("a", "b"), [1, 0, None, 1]),
        (np.array([3.0, 1.0, np.nan, 3.0], dtype=np.float32), (1, 3), [1, 0, None, 1]),
        (np.array([5, -2, 5]), (-2, 5), [1, 0, 1]),
        (np.array(["b", "a"]), ("a", "b"), [1, 0]),
        (np.array([True, False, True]), (False, True), [1, 0, 1]),
        ([2.0, None, 10], (2, 10), [0, None, 1]),
        ([1, "1", 1], (1, "1"), [0, 1, 0]),
        (Series(["x", NAType(), "w"]), ("w", "x"), [1, None, 0]),
        ([np.int64(4), np.str_("z")], (4, "z"), [0, 1]),
        ([None, None], (), [None, None]),
    ],
)
def test_classes_are_one_label_a_record(classes: object, names: tuple, rows: list) -> None:
    labels = LabelMatrix.from_classes(classes)
    assert labels.to_sets() == [None if row is None else (names[row],) for row in rows]
    assert labels.names == names
    assert [type(name) for name in labels.names] == [type(name) for name in names]
    assert labels.kind == "classes"


def test_given_names_fix_the_columns() -> None:
    names = ("dogs", "fish", "cats", "birds")
    assert LabelMatrix.from_sets(SETS, names).names == names
    labels = LabelMatrix.from_classes(["cats", "dogs"], names)
    np.testing.assert_array_equal(labels.indicator.toarray(), [[0, 0, 1, 0], [1, 0, 0, 0]])
    assert labels.empty_labels == ("fish", "birds")


def test_labels_that_cannot_be_compared_are_sorted_by_their_text() -> None:
    assert LabelMatrix.from_sets([{"b", 10}, {2, "a"}]).names == (10, 2, "a", "b")


def test_a_label_named_twice_is_one_label() -> None:
    assert LabelMatrix.from_sets([["a", "a", "b"]]).label_cardinality == 2


def test_records_are_mappings_or_objects() -> None:
    expected = [("b",), None, ("a", "b")]
    assert LabelMatrix.from_records([Doc(["b"]), Doc(None), Doc(["b", "a"])]).to_sets() == expected
    assert LabelMatrix.from_records([{"tags": ["b"]}, {}, {"tags": ["a", "b"]}], field="tags").to_sets() == expected


@pytest.mark.parametrize(
    ("y", "kind"),
    [
        (DENSE, "matrix"),
        (DENSE.tolist(), "matrix"),
        (sp.csc_array(DENSE), "matrix"),
        (Frame(list(NAMES), DENSE), "matrix"),
        (Frame(list(NAMES), DENSE.astype(object)), "matrix"),
        (sp.csr_array([[1], [0]]), "matrix"),
        ([["a"], None, ()], "sets"),
        (Series([["a"], None, ("a", "b")]), "sets"),
        (iter([{"a"}, {"b"}]), "sets"),
        ([{0, 1}, {1}], "sets"),
        ([[0], [1]], "sets"),
        ([None, None], "sets"),
        ([], "sets"),
        ([{"labels": ["a"]}, {"labels": None}], "sets"),
        ([Doc(["a"]), Doc(None)], "sets"),
        ([1, 2, None], "classes"),
        (("a", "b"), "classes"),
        (np.array([0, 1]), "classes"),
        (Series(["a", None]), "classes"),
        (range(3), "classes"),
    ],
)
def test_as_labels_tells_the_forms_apart(y: object, kind: str) -> None:
    assert as_labels(y).kind == kind


def test_as_labels_reads_frames_with_names_and_passes_labels_through() -> None:
    values = DENSE.astype(object)
    values[2] = NAType()
    labels = as_labels(Frame(list(NAMES), values))
    assert_holds(labels, DENSE, NAMES, KNOWN)
    assert as_labels(labels) is labels


def test_a_column_vector_is_classes_as_in_scikit_learn() -> None:
    with pytest.warns(DataConversionWarning, match="column-vector y was passed"):
        labels = as_labels(np.array([[3], [1], [3]]))
    assert labels.to_sets() == [(3,), (1,), (3,)]


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (None, "y is missing: this requires y to be passed, but the target y is None"),
        ("abc", "y is not a sequence of labels: got str"),
        ({"a": 1}, "y is not a sequence of labels: got dict"),
        ({"a", "b"}, "y is not a sequence of labels: got set"),
        (5, "y is not a sequence of labels: got int"),
        (np.zeros((2, 2, 2)), "y has the wrong shape: got 3 dimensions"),
        (np.array([0.5, 1.0]), "y is continuous: got 0.5, expected classes. Labels are strings"),
        ([1, 2.5], "y is continuous: got 2.5"),
        (np.array([1.0, np.inf]), "y is continuous: got inf"),
        ([["a"], "abc"], r"got the string 'abc' where a set of labels is expected \(row 1\). Wrap it: \['abc'\]"),
        (["a", ["b"]], r"y mixes classes and label sets: got \['b'\] in row 1"),
        ([["a"], 3], "y is not a list of label sets: got 3 in row 1, expected label names or None"),
        ([["a"], {"b": 0.3}], "y is not a list of label sets: got {'b': 0.3} in row 1"),
        ([["a", None]], "y has a missing label inside a label set"),
        ([[["a"]]], r"y has an invalid label: got \[\['a'\]\] in row 0"),
        ([{"title": "x"}], "y has no labels: got no record with a field 'labels'"),
        (np.array([[0, 1], [0, 3]]), "y is not binary: got 3 in row 1, expected 0 or 1"),
        (np.array([[0, 1], [0, -1.0]]), "y is not binary: got -1.0 in row 1"),
        (np.array([["a", "b"]]), "y is not binary: got 'a' in row 0"),
        (Frame(["a"], np.array([["1"]], dtype=object)), "y is not binary: got '1' in row 0"),
        (sp.csr_array([[0, 1], [0, 2]]), "y is not binary: got 2 in row 1"),
        (sp.csr_array([[0, np.nan]]), "y is not binary: got nan in row 0"),
        (sp.coo_array(([1, 1], ([1, 1], [0, 0])), shape=(2, 2)), "y is not binary: got 2 in row 1"),
        (np.array([[0, 1], [np.nan, 1]]), "y has some labels of a record missing: got a partly NaN row 1"),
    ],
)
def test_as_labels_says_what_is_wrong(y: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        as_labels(y)


def test_row_counts_must_agree() -> None:
    assert as_labels(DENSE, n_records=5).n_records == 5
    with pytest.raises(InputError, match="y does not match X: got 5 rows for 6 records"):
        as_labels(DENSE, n_records=6)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: LabelMatrix.from_matrix(DENSE, ["a"]), "names does not match matrix: got 1 names, expected 3"),
        (lambda: LabelMatrix.from_matrix(DENSE, ["a", "b", "a"]), "names has a label twice: got 'a' more than once"),
        (lambda: LabelMatrix.from_matrix(DENSE, "abc"), "names is a single string: got 'abc'"),
        (lambda: LabelMatrix.from_matrix(DENSE, [[], 1, 2]), "names has an invalid name"),
        (lambda: LabelMatrix.from_matrix(DENSE, known=[1, 0, 1, 1, 1]), "known is not a mask: got int64 values"),
        (lambda: LabelMatrix.from_matrix(DENSE, known=[True]), "known does not match matrix: got 1 rows for 5 records"),
        (lambda: LabelMatrix.from_matrix([0, 1]), r"matrix is not a matrix: got 1 dimension\(s\)"),
        (lambda: LabelMatrix.from_matrix([[0, 1], [1]]), "matrix is not a matrix: got rows of unequal length"),
        (lambda: LabelMatrix.from_sets([{"cast"}], ["cats", "dogs"]), "got 'cast', .* Did you mean 'cats'?"),
        (lambda: LabelMatrix.from_sets(["abc"]), "sets is not a list of label sets: got the string 'abc'"),
        (lambda: LabelMatrix.from_sets(3), "sets is not a sequence of labels: got int"),
        (lambda: LabelMatrix.from_classes("abc"), "classes is not a sequence of labels: got str"),
        (lambda: LabelMatrix.from_classes(DENSE), "classes is not one class per record: got 2 dimensions, expected 1"),
        (lambda: LabelMatrix.from_classes([1, 9], [1, 2]), "classes has an unknown label: got 9"),
        (lambda: LabelMatrix.from_records([{"a": 1}], field="tags"), "records has no labels: .*'tags'"),
        (lambda: LabelMatrix.from_sets(SETS).select(["dog"]), "names has an unknown label: got 'dog'.*'dogs'"),
        (lambda: LabelMatrix(sp.csr_array(DENSE), ("a",), KNOWN), "names does not match indicator: got 1 names"),
        (lambda: LabelMatrix(sp.csr_array(DENSE), NAMES, KNOWN[:2]), "known does not match indicator: got 2 rows"),
        (lambda: LabelMatrix(sp.csr_array(DENSE), NAMES, ~KNOWN), "known does not match indicator: got labels"),
        (lambda: LabelMatrix(sp.csr_array(DENSE), NAMES, KNOWN, "set"), "kind is unknown: got 'set'.*'sets'"),
    ],
)
def test_each_maker_says_what_is_wrong(make: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        make()


def test_properties_describe_the_matrix() -> None:
    labels = LabelMatrix.from_sets(SETS, [*NAMES, "fish"])
    assert labels.shape == (5, 4)
    assert len(labels) == labels.n_records == 5
    assert labels.counts.tolist() == [1, 1, 2, 0]
    assert labels.empty_labels == ("fish",)
    assert labels.label_cardinality == 4 / 4
    assert labels.without_empty().names == NAMES
    assert labels.without_empty().kind == "sets"
    assert labels.summary() == (
        "5 records, 4 labels, 1 labels per record, 1 record unknown, 1 record without a label, 1 label without a record"
    )
    assert repr(labels) == f"LabelMatrix({labels.summary()}; from sets; names: 'birds', 'cats', 'dogs', 'fish')"
    with pytest.raises(FrozenInstanceError):
        labels.kind = "matrix"


def test_select_reorders_columns_and_a_class_may_be_lost() -> None:
    labels = LabelMatrix.from_classes(["a", "b", None, "c"])
    chosen = labels.select(["c", "a"])
    assert chosen.to_sets() == [("a",), (), None, ("c",)]
    assert chosen.kind == "sets"
    turned = LabelMatrix.from_sets([{"a", "b", "c"}]).select(["c", "b", "a"])
    assert turned.indicator.indices.tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    "rows",
    [
        slice(1, 4),
        slice(None, None, -2),
        [4, 0, 0],
        np.array([2, -1]),
        [],
        KNOWN,
        KNOWN.tolist(),
        (np.array([1, 0]), Ellipsis),
    ],
)
def test_rows_are_chosen_as_in_numpy(rows: object) -> None:
    plain = rows[0] if isinstance(rows, tuple) else rows
    index = np.arange(5)[plain if isinstance(plain, slice) else np.asarray(plain, dtype=None if len(plain) else int)]
    chosen = LabelMatrix.from_sets(SETS)[rows]
    assert_holds(chosen, DENSE[index], NAMES, KNOWN[index])
    assert chosen.kind == "sets"


def test_one_row_gives_its_names_and_iteration_ends() -> None:
    labels = LabelMatrix.from_sets(SETS)
    assert labels[0] == ("cats", "dogs")
    assert labels[np.int64(2)] is None
    assert labels[-1] == ("birds",)
    assert list(labels) == labels.to_sets() == [labels[row] for row in range(5)]
    with pytest.raises(IndexError):
        labels[5]


def test_dense_view_marks_unknown_rows_and_reads_back() -> None:
    labels = LabelMatrix.from_sets(SETS)
    dense = np.asarray(labels)
    assert np.isnan(dense[2]).all()
    assert_holds(LabelMatrix.from_matrix(dense, NAMES), DENSE, NAMES, KNOWN)
    assert np.asarray(labels[[0, 1]]).dtype == np.int64
    assert np.asarray(labels[[0, 1]], dtype=np.float32).dtype == np.float32


def test_to_matrix_is_a_copy_of_the_asked_type() -> None:
    labels = LabelMatrix.from_sets(SETS)
    copy = labels.to_matrix(np.float32)
    assert copy.dtype == np.float32
    copy = labels.to_matrix()
    copy.data[:] = 5
    np.testing.assert_array_equal(labels.indicator.toarray(), DENSE)


def test_distinct_sets_come_in_order_of_appearance() -> None:
    labels = LabelMatrix.from_sets([["b"], ["a", "b"], None, [], ["b"], ["a", "b"]])
    membership, sets = labels.distinct()
    np.testing.assert_array_equal(sets.toarray(), [[0, 1], [1, 1], [0, 0]])
    assert membership.sum(axis=1).tolist() == [1, 1, 0, 1, 1, 1]
    np.testing.assert_array_equal((membership @ sets).toarray(), labels.indicator.toarray())


def test_distinct_of_nothing_known() -> None:
    membership, sets = LabelMatrix.from_sets([None, None], ["a"]).distinct()
    assert membership.shape == (2, 0)
    assert sets.shape == (0, 1)


def test_scikit_learn_can_split_and_score() -> None:
    rng = np.random.default_rng(0)
    Y = (rng.random((60, 4)) < 0.4).astype(int)
    X, labels = Y + 0.01 * rng.random((60, 4)), as_labels(Y)
    assert indexable(X, labels)[1] is labels
    np.testing.assert_array_equal(_safe_indexing(labels, Y[:, 0] == 1).indicator.toarray(), Y[Y[:, 0] == 1])
    ids = np.arange(60)
    _, id_test, _, test = train_test_split(ids, labels, random_state=0)
    np.testing.assert_array_equal(test.indicator.toarray(), Y[id_test])
    scores = cross_val_score(KNeighborsClassifier(1), X, labels, cv=KFold(3))
    np.testing.assert_array_equal(scores, cross_val_score(KNeighborsClassifier(1), X, Y, cv=KFold(3)))
    search = GridSearchCV(KNeighborsClassifier(), {"n_neighbors": [1, 30]}, cv=3).fit(X, labels)
    assert search.best_params_ == {"n_neighbors": 1}
