"""What CCA, LDA, MDDM, PLS and MORP have in common: positions, unknown labels, precision, seeds, bad input."""

from __future__ import annotations

import re
import warnings
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from planted import Planted
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from tacit import LSI, InputError, TacitWarning
from tacit.models.projections.cca import CCA
from tacit.models.projections.lda import LDA
from tacit.models.projections.mddm import MDDM
from tacit.models.projections.morp import MORP
from tacit.models.projections.pls import PLS
from tacit.relations import as_labels

K = 5
CENTRED = [
    CCA(K),
    CCA(K, constraint="projections"),
    LDA(K),
    MDDM(K),
    MDDM(K, constraint="embeddings"),
    MDDM(K, label_kernel="rbf", label_kernel_params={"gamma": 0.3}),
    PLS(K),
    PLS(K, constraint="projections"),
]
ALL = [*CENTRED, MORP(K), MORP(K, ridge=0), MORP(K, constraint="projections")]
each_model = pytest.mark.parametrize("model", ALL, ids=repr)
each_centred = pytest.mark.parametrize("model", CENTRED, ids=repr)

X = np.array([[2.0, 1, 0, 0], [1, 2, 0, 0], [0, 0, 2, 1], [0, 0, 1, 2], [1, 0, 0, 1], [2, 0, 0, 1]])
y = ["a", "a", "b", "b", "c", "c"]


def targets(model: Any, Y: Any) -> Any:
    """The topics; for LDA, which takes one class a record, the first of them."""
    return np.asarray(Y.argmax(axis=1)).ravel() if isinstance(model, LDA) else Y


def refused(match: str) -> Any:
    return pytest.raises(InputError, match=match)


@each_model
def test_labels_bend_the_space_towards_the_topics(model: Any, planted: Planted) -> None:
    """New records that share their topics lie nearer to each other than in a space of words."""
    records, Y = planted.training
    new, topics = planted.new
    share = np.asarray((topics @ topics.T).todense()) > 0

    def contrast(space: Any) -> float:
        positions = clone(space).fit(records, targets(space, Y)).transform(new)
        positions /= np.linalg.norm(positions, axis=1, keepdims=True)
        similarity = positions @ positions.T
        return float(similarity[share].mean() - similarity[~share].mean())

    assert contrast(model) > contrast(LSI(K, scaling="unit", center=not isinstance(model, MORP))) + 0.05


@each_centred
def test_the_mean_record_is_at_the_origin(model: Any, planted: Planted) -> None:
    records, Y = planted.training
    fitted = clone(model).fit(records, targets(model, Y))
    np.testing.assert_allclose(fitted.mean_, records.mean(axis=0), atol=1e-12)
    np.testing.assert_allclose(fitted.transform(records).mean(axis=0), 0, atol=1e-9)
    shifted = clone(model).fit(records.toarray() + 3.0, targets(model, Y))
    np.testing.assert_allclose(shifted.transform(records.toarray() + 3.0), fitted.transform(records), atol=1e-5)


@each_model
def test_sparse_and_dense_records_and_every_form_of_labels_give_the_same(model: Any, planted: Planted) -> None:
    records, Y = planted.training
    chosen = targets(model, Y)
    first = clone(model).fit(records, chosen)
    others = [chosen.tolist(), as_labels(chosen)] if isinstance(model, LDA) else [Y.toarray(), planted.sets]
    for other in others:
        np.testing.assert_allclose(clone(model).fit(records, other).components_, first.components_, atol=1e-9)
    dense = clone(model).fit(records.toarray(), chosen)
    np.testing.assert_allclose(dense.eigenvalues_, first.eigenvalues_, rtol=1e-9)
    np.testing.assert_allclose(dense.components_, first.components_, atol=1e-9)


@each_centred
def test_records_with_unknown_labels_are_left_out(model: Any, planted: Planted) -> None:
    records, Y = planted.training
    chosen = list(targets(model, Y)) if isinstance(model, LDA) else planted.sets
    unknown = [None if row % 7 == 3 else labels for row, labels in enumerate(chosen)]
    known = np.flatnonzero([labels is not None for labels in unknown])
    model = clone(model).fit(records, unknown)
    expected = clone(model).fit(records[known], [chosen[row] for row in known])
    np.testing.assert_array_equal(model.components_, expected.components_)
    np.testing.assert_array_equal(model.mean_, expected.mean_)


@each_model
def test_single_precision_stays_single_and_near(model: Any, planted: Planted) -> None:
    records, Y = planted.training
    double = clone(model).fit(records, targets(model, Y))
    single = clone(model).fit(records.astype(np.float32), targets(model, Y))
    assert {single.components_.dtype, single.eigenvalues_.dtype} == {np.dtype(np.float32)}
    positions, expected = single.transform(records.astype(np.float32)), double.transform(records)
    assert positions.dtype == np.float32
    np.testing.assert_allclose(single.eigenvalues_, double.eigenvalues_, rtol=2e-3)
    np.testing.assert_allclose(positions, expected, atol=5e-3 * np.abs(expected).max())


@each_model
def test_the_same_seed_gives_the_same_space(model: Any, planted: Planted) -> None:
    records, Y = planted.training
    first, second = (clone(model).fit(records, targets(model, Y)) for _ in range(2))
    np.testing.assert_array_equal(first.components_, second.components_)


@pytest.mark.parametrize("model", [*CENTRED, MORP(K, constraint="projections")], ids=repr)
def test_the_largest_entry_of_a_direction_is_positive(model: Any, planted: Planted) -> None:
    records, Y = planted.training
    W = clone(model).fit(records, targets(model, Y)).components_
    assert (W.max(axis=1) >= -W.min(axis=1)).all()


@each_model
def test_the_unit_of_the_records_does_not_matter(model: Any, planted: Planted) -> None:
    """Ridges are in units of the records, so that other units turn or stretch nothing but the whole."""
    records, Y = planted.training
    first = clone(model).fit(records, targets(model, Y)).transform(planted.new[0])
    second = clone(model).fit(records * 1e3, targets(model, Y)).transform(planted.new[0] * 1e3)
    np.testing.assert_allclose(second / np.abs(second).max(), first / np.abs(first).max(), atol=1e-6)


@each_model
def test_more_dimensions_than_there_are(model: Any, planted: Planted) -> None:
    records, Y = planted.training
    wide = clone(model).set_params(n_components=130)
    with pytest.warns(TacitWarning, match=r"^n_components=130 is more than .*: kept \d+ dimensions\.$") as caught:
        wide.fit(records, targets(model, Y))
    assert len(caught) == 1
    assert f"kept {len(wide.eigenvalues_)} dimensions" in str(caught[0].message)
    assert wide.transform(records).shape == (120, len(wide.eigenvalues_))
    assert np.isfinite(wide.components_).all()
    narrow = clone(model).fit(records, targets(model, Y))
    np.testing.assert_allclose(wide.eigenvalues_[:K], narrow.eigenvalues_, rtol=1e-3)


@pytest.mark.parametrize(
    ("model", "n_kept", "limit"),
    [
        (CCA(20), 6, "the labels can span"),
        (MDDM(20), 6, "the labels can span"),
        (MDDM(20, constraint="embeddings"), 6, "the labels can span"),
        (PLS(20, constraint="projections"), 6, "the labels can span"),
        (LDA(20), 5, "the classes can span"),
        (MORP(20, label_weight=1), 6, "the labels can span"),
        (MORP(20, label_weight=1, constraint="projections"), 6, "the labels can span"),
        (MORP(200), 120, "the rank of X"),
    ],
    ids=repr,
)
def test_there_are_no_more_dimensions_than_labels(model: Any, n_kept: int, limit: str, planted: Planted) -> None:
    records, Y = planted.training
    asked = model.n_components
    with pytest.warns(TacitWarning, match=f"^n_components={asked} is more than {limit}: kept {n_kept} dimensions"):
        model.fit(records, targets(model, Y))
    assert model.components_.shape == (n_kept, 300)


@pytest.mark.parametrize("model", [model for model in CENTRED if not isinstance(model, LDA)], ids=repr)
def test_labels_that_nobody_or_everybody_has_change_nothing(model: Any, planted: Planted) -> None:
    records, Y = planted.training
    more = sp.hstack([Y, sp.csr_array((120, 1)), sp.csr_array(np.ones((120, 1)))], format="csr")
    first, second = clone(model).fit(records, Y), clone(model).fit(records, more)
    np.testing.assert_allclose(second.eigenvalues_, first.eigenvalues_, rtol=1e-8)
    np.testing.assert_allclose(second.transform(records), first.transform(records), atol=1e-7)


BAD_PARAMETERS = [
    (CCA(2, constraint="embedding"), "constraint is unknown: got 'embedding', .* Did you mean 'embeddings'"),
    (CCA(0), "n_components is out of range: got 0, expected a whole number of at least 1"),
    (CCA(2, ridge=-1), "ridge is out of range: got -1, expected a number of at least 0"),
    (CCA(2, label_ridge=np.nan), "label_ridge is out of range: got nan"),
    (CCA(2, tol=0), "tol is out of range: got 0, expected a number above 0"),
    (CCA(2, max_iter=0), "max_iter is out of range: got 0"),
    (LDA(2, ridge="big"), "ridge is out of range: got 'big'"),
    (LDA(2, tol=-1), "tol is out of range: got -1"),
    (MDDM(2, constraint=None), "constraint is unknown: got None, expected one of 'embeddings', 'projections'"),
    (MDDM(2, mu=1.5), "mu is out of range: got 1.5, expected a number of at least 0 and at most 1"),
    (MDDM(2, label_kernel="rfb"), "label_kernel is unknown: got 'rfb', .* Did you mean 'rbf'"),
    (PLS(2, constraint="svd"), "constraint is unknown: got 'svd'"),
    (MORP(2, constraint="both"), "constraint is unknown: got 'both'"),
    (MORP(2, label_weight=2), "label_weight is out of range: got 2"),
    (MORP(2, ridge=-1), "ridge is out of range: got -1"),
    (MORP(2, tol=0), "tol is out of range: got 0"),
    (MORP(2, random_state="x"), "random_state is not a seed: got 'x'"),
]


@pytest.mark.parametrize(("model", "message"), BAD_PARAMETERS, ids=[repr(model) for model, _ in BAD_PARAMETERS])
def test_bad_parameters(model: Any, message: str) -> None:
    with refused(message):
        model.fit(X, y)


@each_model
def test_labels_that_are_missing_or_do_not_match(model: Any) -> None:
    with refused(r"y is missing: .* Pass a 0/1 matrix, a list of label sets, or one class per record\."):
        clone(model).fit(X, None)
    with refused("y does not match X: got 5 rows for 6 records, expected one row per record in the same order"):
        clone(model).fit(X, y[:5])


@each_centred
def test_no_labels_or_no_difference(model: Any) -> None:
    with refused("y has nothing to learn from: got 0 labels and 0 records with known labels"):
        clone(model).fit(X, [None] * 6)
    with refused(
        "y does not distinguish records: got 6 records that all have the same labels, expected some difference. Use"
    ):
        clone(model).fit(X, ["a"] * 6)
    if not isinstance(model, LDA):
        with refused("y does not distinguish records: got 6 records"):
            clone(model).fit(X, np.zeros((6, 2)))


@each_centred
def test_records_that_are_all_equal_or_say_nothing_of_the_labels(model: Any) -> None:
    with refused("X has rank 0 after centring: got n_samples=6 records that are all equal"):
        clone(model).fit(np.ones((6, 4)), y)
    even = np.array([[0.1, 0.7], [0.4, 0.2]] * 4)
    with refused("X is unrelated to y: got 2 terms, none correlated with a label, expected some. Use LSI"):
        clone(model).fit(even, ["a", "a", "b", "b"] * 2)


@each_model
def test_values_that_are_no_numbers(model: Any) -> None:
    bad = X.copy()
    bad[3, 2] = np.nan
    with refused(re.escape("X contains NaN: the first one is in row 3. Replace or drop such values.")):
        clone(model).fit(bad, y)


@each_model
def test_transform_before_fit_or_with_other_terms(model: Any) -> None:
    with pytest.raises(NotFittedError, match=f"This {type(model).__name__} instance is not fitted yet"):
        clone(model).transform(X)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TacitWarning)  # fewer dimensions than asked for
        fitted = clone(model).fit(X, y)
    with pytest.raises(ValueError, match=r"X has 3 features, but .* is expecting 4 features as input"):
        fitted.transform(X[:, :3])
