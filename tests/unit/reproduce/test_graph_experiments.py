"""The pieces of the graph experiments do what their names say."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from animals import animals

from tacit.models.classifiers.label_head import LabelHead
from tacit.models.mlsi.mlsi import MLSI
from tacit.reproduce.graphs.collections import Collection, relations, thirds
from tacit.reproduce.graphs.methods import Method, choose


def test_settings_are_chosen_one_parameter_after_the_other_and_dimensions_last() -> None:
    X, Y, _ = animals(180)
    first, second, third = ((X[rows], Y[rows]) for rows in (slice(60), slice(60, 120), slice(120, None)))
    method = Method("MLSI", MLSI(), ({"label_weight": (0.2, 0.8)}, {"ridge": (0.01, 1.0, 100.0)}))
    found = choose(method, (first, second, third), LabelHead("ridge", calibrate=False), (1, 2, 3))
    by_axis = {axis: [one for one in found.trials if one[0] == axis] for axis in ("label_weight", "ridge", "")}
    assert {settings["ridge"] for _, settings, _ in by_axis["label_weight"]} == {MLSI().ridge}
    assert {settings["ridge"] for _, settings, _ in by_axis["ridge"]} == {0.01, 1.0, 100.0}
    assert [trial.dimensions for _, _, trial in by_axis[""]] == [1, 2, 3]
    for axis in ("label_weight", "ridge"):
        best = max(by_axis[axis], key=lambda one: one[2].validation["macro F1"])
        assert found.settings[axis] == best[1][axis]
    assert found.best.validation["macro F1"] == max(one.validation["macro F1"] for _, _, one in by_axis[""])


def test_each_record_trains_in_one_fold_and_tests_in_another() -> None:
    texts = tuple(f"w{chr(97 + row)} common shared{chr(97 + row // 3)}" for row in range(12))
    Y = np.arange(12, dtype=np.float32)[:, None]  # tells the records apart
    data = Collection(texts, None, Y, ("row",), "dot")
    folds = [thirds(data, fold) for fold in range(3)]
    for place in range(3):
        assert sorted(y for fold in folds for y in fold[place][1].ravel()) == list(range(12))
    for train, _, test in folds:
        assert not set(train[1].ravel()) & set(test[1].ravel())
        assert train[0].shape[1] == test[0].shape[1]
        assert np.allclose((train[0] ** 2).sum(axis=1), 1)


def test_distances_without_their_constant_leave_a_ridge_what_tells_records_apart() -> None:
    """Between unit rows all distances are near √2: that constant is nearly all of the length of a record."""
    rng = np.random.default_rng(0)
    topics = rng.integers(3, size=120)
    dense = rng.random((120, 600)) < 0.02 + 0.1 * (np.arange(600) % 3 == topics[:, None])
    X = sp.csr_array(dense / np.linalg.norm(dense, axis=1, keepdims=True))
    Y = np.eye(3)[topics]
    features = {center: relations("euclidean", center=center).fit(X[:60], Y[:60]) for center in (True, False)}
    apart = {
        center: one.transform(X[:60]).std() / np.sqrt((one.transform(X[:60]) ** 2).mean())
        for center, one in features.items()
    }
    assert apart[False] < 0.2
    assert np.isclose(apart[True], 1)
    raw, centred = features[False].transform(X[60:]), features[True].transform(X[60:])
    assert np.allclose(raw - centred, (raw - centred)[0])
