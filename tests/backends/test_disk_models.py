"""Models fitted from rows on disk: the same spaces and scores as in memory, within the memory limit."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.linalg import subspace_angles
from sklearn.preprocessing import normalize

from tacit import (
    HLSI,
    LSI,
    MLSI,
    HierarchyClassifier,
    InputError,
    KernelLSI,
    LabelHead,
    TacitWarning,
    Taxonomy,
    TopDownClassifier,
)
from tacit.models.base import write_positions
from tacit.operators.rows.disk import DiskRows
from tacit.operators.rows.disk_writer import write_rows

N_LABELS = 8
TAXONOMY = Taxonomy.from_nested({"a": ["l0", "l1", "l2", "l3"], "b": ["l4", "l5", "l6", "l7"]})


class Collection:
    """Records with some of eight labels, each of which has words of its own; on disk and in memory."""

    def __init__(self, folder, n_records, n_terms, *, dtype=np.float64, seed=0):
        rng = np.random.default_rng(seed)
        topics = rng.random((N_LABELS, n_terms)) ** 20
        has = rng.random((n_records, N_LABELS)) < 0.25
        counts = rng.poisson((has + 0.05) @ topics * 3)
        self.X = sp.csr_array(normalize(sp.csr_array(counts).astype(dtype)))
        self.y = [{f"l{label}" for label in np.flatnonzero(row)} for row in has]
        self.n_bytes = 12 * self.X.nnz
        self.rows = write_rows(
            folder, self.X, bytes_per_shard=self.n_bytes // 8, memory_limit=self.n_bytes // 3, n_columns=n_terms
        )


@pytest.fixture(scope="module")
def tall(tmp_path_factory) -> Collection:
    return Collection(tmp_path_factory.mktemp("tall") / "rows", 1_300, 1_050)


@pytest.fixture(scope="module")
def wide(tmp_path_factory) -> Collection:
    return Collection(tmp_path_factory.mktemp("wide") / "rows", 1_010, 1_200, seed=1)


@pytest.fixture
def collection(request) -> Collection:
    """The one that the test names; each value of a parameter meets it once, since rows on disk know no model."""
    return request.getfixturevalue(request.param)


def close(got, expected):
    """Equal to 1e-5 of the largest number."""
    assert got.dtype == expected.dtype
    np.testing.assert_allclose(got, expected, atol=1e-5 * np.abs(expected).max(), rtol=0)


@pytest.mark.parametrize(("collection", "center"), [("tall", False), ("wide", True)], indirect=["collection"])
def test_lsi_is_the_same_space(collection, center):
    local, disk = (LSI(10, center=center, tol=1e-8).fit(X) for X in (collection.X, collection.rows))
    assert subspace_angles(local.components_.T, disk.components_.T).max() < 1e-5
    close(disk.singular_values_, local.singular_values_)
    close(disk.explained_ratio_, local.explained_ratio_)
    close(disk.transform(collection.rows), local.transform(collection.X))
    close(LSI(10, center=center, tol=1e-8).fit_transform(collection.rows), disk.transform(collection.rows))


def test_float32_stays_float32(tmp_path):
    small = Collection(tmp_path / "rows", 1_100, 1_020, dtype=np.float32)
    local, disk = (LSI(10, tol=1e-4).fit(X) for X in (small.X, small.rows))
    assert disk.components_.dtype == np.float32
    assert subspace_angles(local.components_.T, disk.components_.T).max() < 1e-3
    head = LabelHead("ridge", random_state=0)
    scores = head.fit(small.X, small.y).decision_function(small.X)
    close(head.fit(small.rows, small.y).decision_function(small.rows), scores)


@pytest.mark.parametrize(
    ("coordinates", "options"),
    [
        ("honest", {"n_folds": 3}),
        ("honest", {"taxonomy": TAXONOMY}),
        ("in-sample", {}),
        ("in-sample", {"label_weight": 0.9, "shrinkage": 0.0}),
        ("transductive", {"label_weight": 0.0}),
    ],
    ids=str,
)
def test_mlsi_is_the_same_space(tall, coordinates, options):
    settings = {"coordinates": coordinates, "tol": 1e-7, "solver": "augmented", **options}
    local, disk = MLSI(8, **settings), MLSI(8, **{**settings, "solver": "auto"})
    expected, got = local.fit_transform(tall.X, tall.y), disk.fit_transform(tall.rows, tall.y)
    assert disk.solver_ == "augmented"
    assert "outside memory" in disk.solver_reason_
    assert subspace_angles(local.components_.T, disk.components_.T).max() < 3e-5
    close(got, expected)
    close(disk.eigenvalues_, local.eigenvalues_)
    close(disk.label_loadings_, local.label_loadings_)
    assert disk.objective_ == pytest.approx(local.objective_, rel=1e-5)
    close(disk.training_coordinates(tall.rows, coordinates), got)


def test_mlsi_of_more_terms_than_records_is_the_same_space(wide):
    y = [None if place % 9 == 0 else labels for place, labels in enumerate(wide.y)]
    local, disk = (MLSI(8, tol=1e-7, solver="augmented") for _ in range(2))
    close(disk.fit_transform(wide.rows, y), local.fit_transform(wide.X, y))
    assert subspace_angles(local.components_.T, disk.components_.T).max() < 1e-5


@pytest.mark.parametrize(
    ("collection", "coordinates"),
    [("tall", "honest"), ("wide", "in-sample"), ("wide", "transductive")],
    indirect=["collection"],
)
def test_hlsi_is_the_same_space(collection, coordinates):
    settings = {"taxonomy": TAXONOMY, "coordinates": coordinates, "tol": 1e-6}
    local, disk = HLSI(5, solver="products", **settings), HLSI(5, **settings)
    expected, got = local.fit_transform(collection.X, collection.y), disk.fit_transform(collection.rows, collection.y)
    assert disk.solver_ == "products"
    assert "outside memory" in disk.solver_reason_
    assert subspace_angles(local.components_.T, disk.components_.T).max() < 1e-5
    close(got, expected)
    close(disk.class_coordinates_, local.class_coordinates_)
    assert disk.gamma_ == pytest.approx(local.gamma_, rel=1e-9)


def test_hlsi_of_the_papers_graph_is_the_same_space(tall):
    settings = {"taxonomy": TAXONOMY, "membership": "whole", "center": False, "tol": 1e-4, "gamma": 3.0}
    local, disk = (HLSI(5, solver="products", **settings).fit(X, tall.y) for X in (tall.X, tall.rows))
    assert subspace_angles(local.components_.T, disk.components_.T).max() < 1e-5


@pytest.mark.parametrize(
    ("make", "known"),
    [
        (lambda: LabelHead("ridge", random_state=0), "some"),
        (lambda: LabelHead("ridge", normalise=False, thresholds="zero", calibrate=False), "all"),
        (lambda: HierarchyClassifier(taxonomy=TAXONOMY, thresholds="zero", tol=1e-8), "some"),
        (lambda: HierarchyClassifier(thresholds="tuned", cv=2, random_state=0, fit_intercept=False, tol=1e-8), "all"),
    ],
    ids=["head", "plain head", "hierarchy", "flat hierarchy"],
)
def test_classifiers_give_the_same_scores(tall, make, known):
    y = tall.y if known == "all" else [None if place % 7 == 0 else labels for place, labels in enumerate(tall.y)]
    local, disk = make().fit(tall.X, y), make().fit(tall.rows, y)
    close(disk.coef_, local.coef_)
    close(disk.decision_function(tall.rows), local.decision_function(tall.X))
    close(disk.thresholds_, local.thresholds_)
    if getattr(disk, "calibration_", None) is not None:
        close(disk.predict_proba(tall.rows), local.predict_proba(tall.X))


def test_one_class_a_record(tall):
    y = [min(labels, default="none") for labels in tall.y]
    for make in (lambda: LabelHead("ridge", random_state=0), lambda: HierarchyClassifier(tol=1e-8)):
        local, disk = make().fit(tall.X, y), make().fit(tall.rows, y)
        close(disk.decision_function(tall.rows), local.decision_function(tall.X))
        assert (disk.predict(tall.rows) == local.predict(tall.X)).all()


def test_positions_are_written_block_by_block(tall, tmp_path):
    for model in (LSI(6, center=True).fit(tall.rows), KernelLSI(6, n_landmarks=50).fit(tall.X)):
        written = write_positions(model, tall.rows, tmp_path / "positions.npy")
        close(np.asarray(written), model.transform(tall.X))
        assert [path.name for path in tmp_path.iterdir()] == ["positions.npy"]
        assert not written.flags.writeable
        del written


def test_positions_that_fail_leave_no_file(tall, tmp_path):
    model = LSI(3).fit(tall.X[:, :50])
    with pytest.raises(ValueError, match="features"):
        write_positions(model, tall.rows, tmp_path / "positions.npy")
    assert not list(tmp_path.iterdir())


def test_a_kernel_space_places_rows_from_disk(tall):
    model = MLSI(5, kernel="rbf", n_landmarks=40).fit(tall.X, tall.y)
    close(model.transform(tall.rows), model.transform(tall.X))


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (
            MLSI(solver="dual"),
            "solver='dual' needs the records in memory: got DiskRows, expected 'auto' or 'augmented'",
        ),
        (MLSI(solver="primal"), "solver='primal' needs the records in memory"),
        (MLSI(kernel="rbf"), "kernel='rbf' needs the records in memory: got DiskRows, expected kernel='linear'"),
        (HLSI(solver="dual"), "solver='dual' needs the records in memory: got DiskRows, expected 'auto' or 'products'"),
        (HLSI(kernel="poly"), "kernel='poly' needs the records in memory"),
        (LabelHead("logistic"), "method='logistic' needs the records in memory: got DiskRows, expected method='ridge'"),
        (LabelHead("svm"), "method='svm' needs the records in memory"),
        (HierarchyClassifier("logistic"), "loss='logistic' needs the records in memory.*expected loss='squared'"),
        (HierarchyClassifier("squared_hinge"), "loss='squared_hinge' needs the records in memory"),
        (KernelLSI(), "X is not in memory: got DiskRows, expected an array or a sparse matrix for KernelLSI. Use LSI"),
        (TopDownClassifier(taxonomy=TAXONOMY), "X is not in memory: got DiskRows, .* for TopDownClassifier"),
    ],
    ids=repr,
)
def test_what_needs_the_records_in_memory_says_so(tall, model, message):
    with pytest.raises(InputError, match=message):
        model.fit(tall.rows, tall.y)


def test_other_columns_are_refused(tall):
    model = LSI(3).fit(tall.X[:, :50])
    with pytest.raises(ValueError, match="X has 1050 features, but LSI is expecting 50 features"):
        model.transform(tall.rows)


def test_empty_records_are_told(tmp_path):
    X = sp.csr_array(np.vstack([np.eye(30), np.zeros((5, 30))]))
    with pytest.warns(TacitWarning, match="5 of 35 records have no terms"):
        LSI(3).fit(write_rows(tmp_path / "some", X))
    with pytest.raises(InputError, match="X has no entries: got 5 records"):
        LSI(3).fit(write_rows(tmp_path / "none", X[30:]))


SCRIPT = textwrap.dedent("""
    import json, sys
    from pathlib import Path
    from tacit import HLSI, LSI, MLSI, LabelHead
    from tacit.operators.rows.disk import open_rows

    def memory(name):
        status = Path("/proc/self/status").read_text()
        return 1024 * int(status.split(f"{name}:")[1].split()[0])

    model = eval(sys.argv[2])
    rows = open_rows(sys.argv[1], memory_limit=int(sys.argv[3]))
    y = [{f"l{n % 5}"} for n in range(rows.shape[0])]
    few = next(open_rows(sys.argv[1]).blocks())
    model.fit(few, y[: few.shape[0]])  # so that all code is loaded
    del few
    Path("/proc/self/clear_refs").write_text("5")  # from here on the peak counts
    before = memory("VmRSS")
    model.fit(rows, y)
    print(json.dumps({"growth": memory("VmHWM") - before, "reads": rows.n_reads}))
""")


@pytest.fixture(scope="module")
def large(tmp_path_factory) -> DiskRows:
    """30 MB of rows."""
    rng = np.random.default_rng(0)
    n_rows, n_terms, length = 1_000, 3_000, 400

    def blocks():
        for _ in range(11):
            topics = rng.integers(5, size=(n_rows, 1)) * 300
            indices = (topics + rng.exponential(600, (n_rows, length))).astype(int) % n_terms
            ends = np.arange(0, n_rows * length + 1, length)
            yield sp.csr_array((rng.random(indices.size, np.float32), indices.ravel(), ends), shape=(n_rows, n_terms))

    return write_rows(tmp_path_factory.mktemp("large") / "rows", blocks(), bytes_per_shard=1_000_000)


def fit_elsewhere(rows, model, limit):
    """Fit in a process of its own; give how much memory that took at most, and how many shards were read."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(rows.folder), model, str(limit)],
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout.splitlines()[-1])


needs_linux = pytest.mark.skipif(sys.platform != "linux", reason="the peak of resident memory is asked of Linux")


@needs_linux
@pytest.mark.parametrize(
    "model",
    [
        "LSI(5, tol=0.1)",
        "MLSI(5, tol=0.1)",
        "HLSI(3, tol=0.3)",
        "LabelHead('ridge', ridge=100, thresholds='zero', calibrate=False)",
    ],
)
def test_the_memory_limit_is_kept(large, model):
    limit, n_bytes = 4_000_000, 8 * large.nnz
    found = fit_elsewhere(large, model, limit)
    assert found["reads"] > 2 * len(large.facts.edges)
    # beside the rows there are blocks of vectors, as long as there are records, of which solvers hold a few
    assert found["growth"] < limit + 10_000_000 < n_bytes / 2


@needs_linux
def test_what_fits_into_the_limit_is_read_once(large):
    found = fit_elsewhere(large, "LSI(5, tol=0.1)", 100_000_000)
    assert found["reads"] == len(large.facts.edges) - 1
    assert found["growth"] > 0.9 * 8 * large.nnz  # so that the measure above can fail
